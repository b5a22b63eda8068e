//! Which calls a rule is about, tool by tool.

mod name;

use serde_json::Value;

use self::name::fits;
pub(super) use self::name::{misspelt, unknown};
use super::paths::{PathSpec, Starts};
use super::{Access, Assessment, Behavior, Call, PathWord, Policy, Rule, Side, assess, spec_matches};
use crate::documents::{AbsPath, Place};

/// A call, and what is known of it once the links of its paths are followed and its command line is read.
pub(super) struct Judged<'a> {
    pub(super) call: &'a Call,
    pub(super) reads: Vec<Reached>,
    pub(super) edits: Vec<Reached>,
    pub(super) assessment: Option<Assessment>,
}

/// A path as it is spelled, and where its links lead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reached {
    pub(super) spelled: AbsPath,
    /// `None`: it leads nowhere.
    pub(super) real: Option<AbsPath>,
    /// What else the file is called, of all that a rule or protection is about.
    pub(super) others: Vec<AbsPath>,
}

impl<'a> Judged<'a> {
    /// Follows the links of a command's paths, and reads the command line. A place was followed before.
    pub(super) fn of(call: &'a Call, policy: &Policy) -> Self {
        let reach =
            |places: &[Place]| places.iter().cloned().map(|place| Reached::at(place, policy)).collect();
        let mut judged = Self { call, reads: Vec::new(), edits: Vec::new(), assessment: None };
        match &call.access {
            Access::Read(paths) => judged.reads = reach(paths),
            Access::Edit(paths) => judged.edits = reach(paths),
            Access::Command { text, cwd, .. } => {
                let assessment = assess(text, cwd);
                let known = |words: &[PathWord]| {
                    let paths = words.iter().filter_map(|word| word.path.as_ref());
                    paths.map(|path| Reached::new(path, policy)).collect()
                };
                judged.reads = known(&assessment.reads);
                judged.edits = known(&assessment.edits);
                judged.assessment = Some(assessment);
            }
            Access::Nothing | Access::Fetch { .. } | Access::Search | Access::Person | Access::Unknown => {}
        }
        judged
    }
}

impl Reached {
    /// Follows the links as they are now.
    pub(super) fn new(path: &AbsPath, policy: &Policy) -> Self {
        Self::at(Place::of(path.clone()), policy)
    }

    /// Another name, by itself.
    pub(super) fn named(path: &AbsPath) -> Self {
        Self { spelled: path.clone(), real: path.followed(), others: Vec::new() }
    }

    fn at(place: Place, policy: &Policy) -> Self {
        let others = policy.other_names(place.opened());
        let Place { spelled, real } = place;
        Self { spelled, real, others }
    }

    /// All that the file is called.
    pub(super) fn names(&self) -> impl Iterator<Item = &AbsPath> {
        std::iter::once(&self.spelled).chain(&self.real).chain(&self.others)
    }
}

/// What one rule speaks of.
#[derive(Clone, Debug)]
pub(super) enum Subject {
    /// Every call of the tool.
    Tool(String),
    /// Files, as far as this family of tools touches them.
    Files { tool: String, family: Family, spec: PathSpec },
    /// Commands that are written so.
    Command(String),
    /// A host, or with `*.` before it those below.
    Domain { tool: String, domain: String },
    /// A parameter with this value, or text that begins so.
    Parameter { tool: String, name: String, value: String },
}

/// Tools that touch files the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Reading,
    Editing,
}

impl Family {
    /// Which family the tool of that name belongs to.
    pub(super) fn of(tool: &str) -> Option<Self> {
        match tool {
            "Read" | "Grep" | "Glob" | "LSP" | "LS" | "NotebookRead" => Some(Self::Reading),
            "Edit" | "Write" | "NotebookEdit" | "MultiEdit" => Some(Self::Editing),
            _ => None,
        }
    }
}

impl Subject {
    pub(super) fn of(rule: &Rule, behavior: Behavior, starts: &Starts) -> Result<Self, String> {
        name::check(rule, behavior)?;
        let Some(spec) = &rule.spec else { return Ok(Self::Tool(rule.tool.clone())) };
        let tool = rule.tool.clone();
        if let Some(family) = Family::of(&tool) {
            return Ok(Self::Files { tool, family, spec: PathSpec::new(spec, behavior, starts)? });
        }
        let named =
            |name: &str| Self::Parameter { tool: tool.clone(), name: name.to_owned(), value: spec.clone() };
        match tool.as_str() {
            "Bash" => Ok(Self::Command(spec.clone())),
            "WebFetch" => match spec.strip_prefix("domain:").map(str::trim) {
                Some(domain) if !domain.is_empty() => {
                    Ok(Self::Domain { tool, domain: domain.to_lowercase() })
                }
                _ => Err("a page is named by its host: write `WebFetch(domain:example.com)`".to_owned()),
            },
            "WebSearch" => Err("a search has no such parts: write `WebSearch`".to_owned()),
            "Agent" | "Task" if !spec.contains(':') => Ok(named("subagent_type")),
            "Skill" if !spec.contains(':') => Ok(named("skill")),
            _ => match spec.split_once(':') {
                Some((name, value)) if behavior != Behavior::Allow => {
                    let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
                    Ok(Self::Parameter { tool, name, value })
                }
                Some(_) => Err(misspelt(&tool).unwrap_or_else(|| {
                    format!("a rule about a parameter can only deny or ask: allow `{tool}` whole")
                })),
                None => Err(misspelt(&tool).unwrap_or_else(|| {
                    format!("write `{tool}`, or `{tool}(parameter:value)` to deny or ask")
                })),
            },
        }
    }

    pub(super) fn matches(&self, behavior: Behavior, judged: &Judged<'_>) -> bool {
        let call = judged.call;
        match self {
            Self::Tool(tool) => {
                fits(tool, call)
                    || match (
                        Family::of(tool).filter(|_| matches!(tool.as_str(), "Read" | "Edit")),
                        &call.access,
                    ) {
                        (Some(family), Access::Read(_) | Access::Edit(_)) => {
                            is_about(family, behavior, &call.access)
                        }
                        _ => false,
                    }
            }
            Self::Files { tool, family, spec } => files(tool, *family, spec, behavior, judged),
            Self::Command(spec) => commands(spec, behavior, judged),
            Self::Domain { tool, domain } => match &call.access {
                Access::Fetch { url } => call.is_named(tool) && is_on(domain, url),
                _ => false,
            },
            Self::Parameter { tool, name, value } => {
                fits(tool, call) && call.input.get(name).is_some_and(|given| has_value(given, value))
            }
        }
    }

    /// Whether it speaks of what a command does, so that one that can't be read may be meant.
    pub(super) fn could_mean_a_command(&self) -> bool {
        match self {
            Self::Tool(tool) => tool == "Bash",
            Self::Files { .. } | Self::Command(_) => true,
            Self::Domain { .. } | Self::Parameter { .. } => false,
        }
    }
}

/// Whether a rule for a family speaks of such an access: what must not be read must not be changed either, since the
/// change would show it, and leave to change is leave to read.
fn is_about(family: Family, behavior: Behavior, access: &Access) -> bool {
    match (family, access) {
        (Family::Reading, Access::Read(_)) | (Family::Editing, Access::Edit(_)) => true,
        (Family::Reading, Access::Edit(_)) => behavior == Behavior::Deny,
        (Family::Editing, Access::Read(_)) => behavior == Behavior::Allow,
        _ => false,
    }
}

fn files(tool: &str, family: Family, spec: &PathSpec, behavior: Behavior, judged: &Judged<'_>) -> bool {
    let access = &judged.call.access;
    let whole_family = matches!(tool, "Read" | "Edit");
    match access {
        Access::Read(_) | Access::Edit(_) => {
            let paths = if matches!(access, Access::Read(_)) { &judged.reads } else { &judged.edits };
            // A grant for one tool of the family is none for another; a ban is.
            let same_tool = whole_family || behavior != Behavior::Allow || fits(tool, judged.call);
            let about = is_about(family, behavior, access);
            about && same_tool && covers(spec, behavior, paths)
        }
        // A command is allowed by the rules for commands; those for files can only stop it.
        Access::Command { .. } if behavior != Behavior::Allow => match family {
            Family::Reading => {
                covers(spec, behavior, &judged.reads)
                    || (behavior == Behavior::Deny && covers(spec, behavior, &judged.edits))
            }
            Family::Editing => covers(spec, behavior, &judged.edits),
        },
        _ => false,
    }
}

/// An allow rule must cover every path, link and target; another any of them, or another name of the file.
pub(super) fn covers(spec: &PathSpec, behavior: Behavior, paths: &[Reached]) -> bool {
    let both = |path: &Reached| {
        spec.covers(&path.spelled) && path.real.as_ref().is_some_and(|real| spec.covers(real))
    };
    let either = |path: &Reached| path.names().any(|name| spec.covers(name));
    match behavior {
        Behavior::Allow => !paths.is_empty() && paths.iter().all(both),
        Behavior::Deny | Behavior::Ask => paths.iter().any(either),
    }
}

/// For an allow rule this is only asked of one part at a time, by `Policy::allows_command`.
fn commands(spec: &str, behavior: Behavior, judged: &Judged<'_>) -> bool {
    let parts = judged.assessment.iter().flat_map(|assessment| &assessment.parts);
    match behavior {
        Behavior::Allow => false,
        Behavior::Deny | Behavior::Ask => {
            parts.into_iter().any(|part| spec_matches(spec, part, Side::DenyOrAsk))
        }
    }
}

fn is_on(domain: &str, url: &str) -> bool {
    let Some(host) = url::Url::parse(url).ok().and_then(|url| Some(url.host_str()?.to_lowercase())) else {
        return false;
    };
    let host = host.trim_end_matches('.');
    match domain.strip_prefix("*.") {
        Some(above) => host.strip_suffix(above).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
        None => domain == "*" || host == domain,
    }
}

/// `value` is the whole of it, or its beginning with a `*` behind.
fn has_value(given: &Value, value: &str) -> bool {
    let given = given.as_str().map_or_else(|| given.to_string(), str::to_owned);
    match value.strip_suffix('*') {
        Some(beginning) => given.starts_with(beginning.trim_end_matches(':')),
        None => given == value,
    }
}

#[cfg(test)]
mod tests;
