//! All that calls are judged by: the rules with where they came from, the mode, and the folders that are open.

use std::sync::Arc;

use super::matching::{Family, Judged, Reached, Subject, covers, unknown};
use super::{Behavior, OtherNames, Part, PermissionMode, Rule, Side, Source, Starts, spec_matches};
use crate::documents::{AbsPath, Workspace};

/// A rule that is in force.
#[derive(Clone, Debug)]
pub struct SettledRule {
    pub behavior: Behavior,
    pub rule: Rule,
    pub source: Source,
    /// Where it is written, for people.
    pub origin: String,
    pub(super) subject: Subject,
}

impl SettledRule {
    /// An error says why the rule can't be followed. On the command line that is so too where there is no such tool: a file
    /// may be other programs' as well.
    pub fn new(
        behavior: Behavior,
        rule: Rule,
        source: Source,
        origin: impl Into<String>,
        starts: &Starts,
    ) -> Result<Self, String> {
        let unknown = (source == Source::CommandLine).then(|| unknown(&rule.tool)).flatten();
        let subject = unknown.map_or_else(|| Subject::of(&rule, behavior, starts), Err).map_err(|why| {
            let end = if why.ends_with('?') { "" } else { "." };
            format!("`{rule}` can't be followed: {why}{end}")
        })?;
        Ok(Self { behavior, rule, source, origin: origin.into(), subject })
    }
}

/// All that a call is judged by.
#[derive(Clone, Debug)]
pub struct Policy {
    pub mode: PermissionMode,
    pub rules: Vec<SettledRule>,
    pub workspace: Arc<Workspace>,
    /// Folders outside the workspace that count as if they were in it.
    pub more_folders: Vec<AbsPath>,
    /// Where plans may be written while nothing else may.
    pub plans: Option<AbsPath>,
    pub home: Option<AbsPath>,
    /// Why it is not known what is forbidden: rules and files that can't be read. What would be allowed is asked then.
    pub unread_denials: Vec<String>,
    /// What is called otherwise too, once that was asked.
    pub other_names: OtherNames,
}

impl Policy {
    /// No rules, in the default mode.
    pub fn of(workspace: Arc<Workspace>) -> Self {
        Self {
            mode: PermissionMode::Default,
            rules: Vec::new(),
            workspace,
            more_folders: Vec::new(),
            plans: None,
            home: None,
            unread_denials: Vec::new(),
            other_names: OtherNames::default(),
        }
    }

    /// Allows what `rules` say until the session ends.
    pub fn grant(&mut self, rules: &[Rule]) {
        self.allow(rules, Source::Session, "granted in this session");
    }

    /// The same policy where the command line allows what `rules` say.
    pub(super) fn with_written(&self, rules: &[Rule]) -> Self {
        let mut policy = self.clone();
        policy.allow(rules, Source::CommandLine, "the command line");
        policy
    }

    fn allow(&mut self, rules: &[Rule], source: Source, origin: &str) {
        let starts = self.starts();
        let settled =
            |rule: &Rule| SettledRule::new(Behavior::Allow, rule.clone(), source, origin, &starts).ok();
        self.rules.extend(rules.iter().filter_map(settled));
    }

    /// Where patterns for files start in a rule that belongs to the session.
    pub fn starts(&self) -> Starts {
        let root = self.workspace.roots.first().cloned().unwrap_or_else(AbsPath::root);
        Starts { settings: root.clone(), cwd: root, home: self.home.clone(), case: self.workspace.case() }
    }

    /// Whether every call of the tool that has these names is denied, so that a model need not be told of it.
    pub fn denies_whole(&self, tool: &str, aliases: &[&str]) -> bool {
        self.rules.iter().filter(|settled| settled.behavior == Behavior::Deny).any(|settled| {
            let Subject::Tool(written) = &settled.subject else { return false };
            let names = std::iter::once(tool).chain(aliases.iter().copied());
            names.into_iter().any(|name| {
                written == name
                    || (matches!(written.as_str(), "Read" | "Edit")
                        && Family::of(written) == Family::of(name))
                    || written.strip_suffix('*').is_some_and(|beginning| name.starts_with(beginning))
                    || (written.starts_with("mcp__") && name.starts_with(&format!("{written}__")))
            })
        })
    }

    /// Whether there may be a file that a search passes by.
    pub fn limits_reading(&self) -> bool {
        self.rules.iter().any(|settled| settled.behavior != Behavior::Allow)
    }

    /// Whether a search passes this file by, or what lies in this folder: a rule forbids to read it, or says to ask, which
    /// nobody did by naming a folder above it. `path` is a real one: no link is looked for in it.
    pub fn forbids_reading(&self, path: &AbsPath) -> bool {
        let mut limits = self.rules.iter().filter(|settled| settled.behavior != Behavior::Allow).peekable();
        if limits.peek().is_none() {
            return false;
        }
        // A search asks this of each file there is: the disk is looked at once.
        let metadata = std::fs::metadata(path.as_path()).ok();
        let others = self.other_names_of(path, metadata.as_ref());
        let is_dir = metadata.is_some_and(|metadata| metadata.is_dir());
        limits.any(|settled| match &settled.subject {
            Subject::Files { family: Family::Reading, spec, .. } => {
                spec.covers_file(path)
                    || is_dir && spec.covers_folder(path)
                    || others.iter().any(|other| spec.covers_file(other))
            }
            Subject::Tool(tool) => settled.behavior == Behavior::Deny && tool == "Read",
            Subject::Files { .. }
            | Subject::Command(_)
            | Subject::Domain { .. }
            | Subject::Parameter { .. } => false,
        })
    }

    /// The first rule of this behaviour that matches. Rules that allow commands are `allows_command`'s.
    pub(super) fn matching(&self, behavior: Behavior, judged: &Judged<'_>) -> Option<&SettledRule> {
        self.rules
            .iter()
            .filter(|settled| settled.behavior == behavior)
            .find(|settled| settled.subject.matches(behavior, judged))
    }

    /// Whether a rule that `counts` picks allows each part of the command that is not `harmless`.
    pub(super) fn allows_command(
        &self,
        judged: &Judged<'_>,
        harmless: impl Fn(&Part) -> bool,
        counts: impl Fn(&SettledRule) -> bool,
    ) -> bool {
        let Some(assessment) = &judged.assessment else { return false };
        let allows: Vec<&SettledRule> = self
            .rules
            .iter()
            .filter(|settled| settled.behavior == Behavior::Allow && counts(settled))
            .collect();
        let part_allowed = |part| {
            allows.iter().any(|settled| match &settled.subject {
                Subject::Tool(tool) => judged.call.is_named(tool),
                Subject::Command(spec) => spec_matches(spec, part, Side::Allow),
                Subject::Files { .. } | Subject::Domain { .. } | Subject::Parameter { .. } => false,
            })
        };
        !assessment.parts.is_empty()
            && assessment.parts.iter().all(|part| harmless(part) || part_allowed(part))
    }

    /// Whether a rule allows whatever command there is.
    pub(super) fn allows_every_command(&self) -> bool {
        let allows = |settled: &SettledRule| {
            settled.behavior == Behavior::Allow
                && matches!(&settled.subject, Subject::Tool(tool) if tool == "Bash")
        };
        self.rules.iter().any(allows)
    }

    /// Whether a rule allows to touch this one path so.
    pub(super) fn allows_path(&self, family: Family, path: &Reached) -> bool {
        self.rules.iter().filter(|settled| settled.behavior == Behavior::Allow).any(|settled| match &settled
            .subject
        {
            Subject::Files { tool, family: of, spec } => {
                matches!(tool.as_str(), "Read" | "Edit")
                    && (*of == family || *of == Family::Editing)
                    && covers(spec, Behavior::Allow, std::slice::from_ref(path))
            }
            Subject::Tool(tool) => match family {
                Family::Reading => matches!(tool.as_str(), "Read" | "Edit"),
                Family::Editing => tool == "Edit",
            },
            Subject::Command(_) | Subject::Domain { .. } | Subject::Parameter { .. } => false,
        })
    }

    /// Whether a rule forbids, or says to ask about, something that a command might do.
    pub(super) fn limits_commands(&self) -> bool {
        self.rules
            .iter()
            .any(|settled| settled.behavior != Behavior::Allow && settled.subject.could_mean_a_command())
    }

    /// Whether what is reached lies in the workspace or in a folder that counts as such. Its links were followed already; what
    /// leads nowhere is where it is spelled.
    pub(super) fn holds(&self, reached: &Reached) -> bool {
        let holds = |workspace: &Workspace| match &reached.real {
            Some(real) => workspace.holds(real),
            None => workspace.contains(&reached.spelled),
        };
        let more = || Workspace::new(self.more_folders.clone(), self.workspace.case_insensitive);
        holds(&self.workspace) || (!self.more_folders.is_empty() && holds(&more()))
    }
}
