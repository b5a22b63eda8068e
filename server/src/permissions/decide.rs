//! The decision about one call: a denial first, then what must be asked, then the mode, then what is allowed.

use super::policy::{Behavior, Policy};
use super::request::{Question, SaveTo, Verdict};
use super::{Access, Call, PermissionMode, Rule};
use crate::documents::AbsPath;

/// What becomes of `call`. Pure but for the links of the paths it names, which are followed.
pub fn decide(call: &Call, policy: &Policy) -> Verdict {
    if let Some(denied) = policy.matching(Behavior::Deny, call) {
        return Verdict::Deny(format!(
            "A rule forbids this call: `{}` ({}). Do it another way, or ask the user.",
            denied.rule, denied.origin
        ));
    }
    if let Some(asked) = policy.matching(Behavior::Ask, call) {
        let why = format!("A rule says to ask: `{}` ({}).", asked.rule, asked.origin);
        return put(question(call, why, Vec::new()), policy);
    }
    if policy.mode == PermissionMode::BypassPermissions {
        return Verdict::Allow;
    }
    if policy.matching(Behavior::Allow, call).is_some() {
        return Verdict::Allow;
    }
    match unruled(call, policy) {
        None => Verdict::Allow,
        Some(question) => put(question, policy),
    }
}

/// A question, where somebody may be asked.
fn put(question: Question, policy: &Policy) -> Verdict {
    match policy.mode {
        PermissionMode::DontAsk => Verdict::Deny(format!(
            "{} In this mode nobody is asked, so the call was not run.",
            question.explanation
        )),
        PermissionMode::Default
        | PermissionMode::AcceptEdits
        | PermissionMode::Plan
        | PermissionMode::BypassPermissions => Verdict::Ask(question),
    }
}

/// What is asked about a call that no rule speaks of; `None`: nothing.
fn unruled(call: &Call, policy: &Policy) -> Option<Question> {
    match &call.access {
        Access::Nothing | Access::Person => None,
        Access::Read(paths) => {
            let outside = paths
                .iter()
                .find(|path| !policy.workspace.contains(path) && !policy.workspace.is_own(path))?;
            Some(about_path("Read", outside, call))
        }
        Access::Edit(paths) => {
            let outside = paths.iter().find(|path| !policy.workspace.contains(path))?;
            Some(about_path("Edit", outside, call))
        }
        Access::Command { text, .. } => {
            let rule = Rule { tool: call.tool.clone(), spec: Some(text.clone()) };
            Some(question(call, "It runs a command.".to_owned(), vec![rule]))
        }
        Access::Fetch { url } => {
            let host = url::Url::parse(url).ok().and_then(|url| Some(url.host_str()?.to_owned()));
            let rule =
                host.map(|host| Rule { tool: call.tool.clone(), spec: Some(format!("domain:{host}")) });
            Some(question(call, "It reads a page on the network.".to_owned(), rule.into_iter().collect()))
        }
        Access::Search => Some(question(call, "It searches the network.".to_owned(), vec![whole(call)])),
        Access::Unknown => Some(question(call, "No rule speaks of this tool.".to_owned(), vec![whole(call)])),
    }
}

fn about_path(verb: &str, path: &AbsPath, call: &Call) -> Question {
    let rule = Rule { tool: verb.to_owned(), spec: Some(format!("/{path}")) };
    let explanation = format!("{path} lies outside the workspace, or is a link that leads out of it.");
    Question { title: format!("{verb} {path}"), ..question(call, explanation, vec![rule]) }
}

fn question(call: &Call, explanation: String, rules: Vec<Rule>) -> Question {
    let title = match &call.access {
        Access::Command { text, .. } => format!("Run {text}"),
        Access::Nothing
        | Access::Read(_)
        | Access::Edit(_)
        | Access::Fetch { .. }
        | Access::Search
        | Access::Person
        | Access::Unknown => call.title.clone(),
    };
    let save = match &call.access {
        Access::Read(_) | Access::Edit(_) => SaveTo::Session,
        _ => SaveTo::Local,
    };
    Question { title, explanation, rules, save }
}

fn whole(call: &Call) -> Rule {
    Rule { tool: call.tool.clone(), spec: None }
}
