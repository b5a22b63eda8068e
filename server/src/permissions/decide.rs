//! The decision about one call: a denial first, then what must be asked, then the mode, then what is allowed.

mod command;
mod wide_reads;

use super::behavior::{Behavior, Source};
use super::matching::{Judged, Reached};
use super::policy::Policy;
use super::request::{Question, SaveTo, Verdict, way_in};
use super::{Access, Call, PermissionMode, Rule, protected};
use crate::conversation::{ANOTHER_WAY, FINISH_PLAN};
use crate::documents::{AbsPath, Place};

/// What becomes of `call`. Pure but for the links of the paths it names, which are followed as they are now.
pub fn decide(call: &Call, policy: &Policy) -> Verdict {
    let judged = Judged::of(call, policy);
    if let Some(denied) = policy.matching(Behavior::Deny, &judged) {
        return Verdict::Deny(format!(
            "A rule forbids this call: `{}` ({}).{ANOTHER_WAY}",
            denied.rule, denied.origin
        ));
    }
    if call.access == Access::Person && policy.mode != PermissionMode::DontAsk {
        return Verdict::Allow;
    }
    match needed(&judged, policy) {
        Need::Nothing => unless_unread(call, policy),
        Need::Refused(why) => Verdict::Deny(why),
        Need::Question(question) => {
            let beforehand = beforehand(&question, &judged, policy);
            put(Question { beforehand, ..question }, policy)
        }
    }
}

/// What stands between a call that is not denied and its start.
enum Need {
    Nothing,
    /// Text for the model.
    Refused(String),
    Question(Question),
}

fn needed(judged: &Judged<'_>, policy: &Policy) -> Need {
    let call = judged.call;
    if call.access == Access::Person {
        return Need::Question(question(call, "It asks the user something.", Vec::new()));
    }
    if policy.mode == PermissionMode::Plan && changes_something(judged) && !is_plan(judged, policy) {
        return Need::Refused(format!("{PLANNING}{FINISH_PLAN}"));
    }
    if let Some(asked) = policy.matching(Behavior::Ask, judged) {
        let why = format!("A rule says to ask: `{}` ({}).", asked.rule, asked.origin);
        return Need::Question(question(call, why, Vec::new()));
    }
    if let Some(question) = command::always_asked(judged, policy) {
        return Need::Question(question);
    }
    if policy.mode == PermissionMode::BypassPermissions || is_plan(judged, policy) {
        return Need::Nothing;
    }
    if let Some(question) = about_protected(judged, policy) {
        return Need::Question(question);
    }
    if judged.assessment.is_some() {
        return match command::unruled(judged, policy) {
            None => Need::Nothing,
            Some(question) => Need::Question(question),
        };
    }
    if policy.matching(Behavior::Allow, judged).is_some() {
        return Need::Nothing;
    }
    unruled(judged, policy).map_or(Need::Nothing, Need::Question)
}

/// A question, where somebody may be asked.
fn put(question: Question, policy: &Policy) -> Verdict {
    match policy.mode {
        PermissionMode::DontAsk => Verdict::Deny(format!(
            "{} In this mode nobody is asked, so the call was not run. {}",
            question.explanation,
            way_in(&question.beforehand)
        )),
        PermissionMode::Default
        | PermissionMode::AcceptEdits
        | PermissionMode::Plan
        | PermissionMode::BypassPermissions => Verdict::Ask(question),
    }
}

/// One question may hide the next: who writes rules is not asked in between, and has to know them all.
fn beforehand(question: &Question, judged: &Judged<'_>, policy: &Policy) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let mut asked = question.clone();
    loop {
        let known = rules.len();
        for rule in asked.written_rules() {
            if !rules.contains(rule) {
                rules.push(rule.clone());
            }
        }
        if rules.len() == known {
            break;
        }
        let with_them = policy.with_written(&rules);
        match needed(judged, &with_them) {
            Need::Nothing if lets_through(&rules, judged, policy) => return rules,
            Need::Nothing | Need::Refused(_) => break,
            Need::Question(more) => asked = more,
        }
    }
    // What no "always" would save may still be written down to the letter.
    let to_the_letter = command::to_the_letter(judged, policy);
    let helps = !to_the_letter.is_empty() && lets_through(&to_the_letter, judged, policy);
    if helps { to_the_letter } else { Vec::new() }
}

/// Whether nobody is asked about the call where these rules are written.
fn lets_through(rules: &[Rule], judged: &Judged<'_>, policy: &Policy) -> bool {
    let with_them = policy.with_written(rules);
    matches!(needed(judged, &with_them), Need::Nothing)
        && unless_unread(judged.call, &with_them) == Verdict::Allow
}

/// Where it is not known what is forbidden, only what the person has said in this session lets a call through.
fn unless_unread(call: &Call, policy: &Policy) -> Verdict {
    let Some(why) = policy.unread_denials.first() else { return Verdict::Allow };
    if matches!(call.access, Access::Nothing | Access::Person) {
        return Verdict::Allow;
    }
    let session_only = Policy {
        rules: policy.rules.iter().filter(|settled| settled.source == Source::Session).cloned().collect(),
        ..policy.clone()
    };
    let judged = Judged::of(call, policy);
    let granted = session_only.matching(Behavior::Allow, &judged).is_some()
        || session_only.allows_command(&judged, |part| part.read_only, |_| true);
    if granted {
        return Verdict::Allow;
    }
    let why = format!("It is not known whether this is forbidden: {why}{UNTIL_MENDED}");
    let rules = match &judged.assessment {
        Some(assessment) => command::suggested(assessment),
        None => vec![whole(call)],
    };
    put(Question { save: SaveTo::SessionAlone, ..question(call, why, rules) }, policy)
}

/// What a person does where it is not known what is forbidden. The cause before it names the file.
const UNTIL_MENDED: &str = " Mend that: until then no rule of a file or the command line lets it through.";

/// Why nothing is changed while the model plans.
const PLANNING: &str = "The session is planning, so nothing is changed yet.";

/// While planning, the plan itself may be written.
fn is_plan(judged: &Judged<'_>, policy: &Policy) -> bool {
    let in_plans = |place: &Place| {
        let Some(plans) = &policy.plans else { return false };
        let real = place.real.as_ref().zip(plans.followed());
        place.spelled.is_in(plans) && real.is_some_and(|(real, plans)| real.is_in(&plans))
    };
    policy.mode == PermissionMode::Plan
        && match &judged.call.access {
            Access::Edit(places) => !places.is_empty() && places.iter().all(in_plans),
            _ => false,
        }
}

fn changes_something(judged: &Judged<'_>) -> bool {
    match &judged.call.access {
        Access::Edit(_) => true,
        Access::Command { .. } => {
            !judged.assessment.as_ref().is_some_and(|it| it.read_only && it.edits.is_empty())
        }
        Access::Unknown => !judged.call.is_read_only,
        Access::Nothing | Access::Read(_) | Access::Fetch { .. } | Access::Search | Access::Person => false,
    }
}

/// What is asked about a call that no rule speaks of; `None`: nothing.
fn unruled(judged: &Judged<'_>, policy: &Policy) -> Option<Question> {
    let call = judged.call;
    match &call.access {
        Access::Nothing | Access::Person | Access::Command { .. } => None,
        Access::Read(_) => {
            let own = |real: &AbsPath| policy.workspace.is_own(real);
            let free = |path: &Reached| policy.holds(path) || path.real.as_ref().is_some_and(own);
            judged.reads.iter().find_map(|path| about_path("Read", path, free, call))
        }
        // Inside the workspace an edit is a proposal: the review asks.
        Access::Edit(_) => {
            let free = |path: &Reached| policy.holds(path);
            judged.edits.iter().find_map(|path| about_path("Edit", path, free, call))
        }
        Access::Fetch { url } => {
            let host = url::Url::parse(url).ok().and_then(|url| Some(url.host_str()?.to_owned()));
            let rule = |host| Rule { tool: call.tool.clone(), spec: Some(format!("domain:{host}")) };
            Some(question(call, "It reads a page on the network.", host.map(rule).into_iter().collect()))
        }
        Access::Search => Some(question(call, "It searches the network.", vec![whole(call)])),
        Access::Unknown => Some(question(call, "No rule speaks of this tool yet.", vec![whole(call)])),
    }
}

/// `None`: all names of the file are free.
fn about_path(verb: &str, path: &Reached, free: impl Fn(&Reached) -> bool, call: &Call) -> Option<Question> {
    let spelled = &path.spelled;
    let explanation = match path.others.iter().find(|other| !free(&Reached::named(other))) {
        _ if !free(path) => {
            format!("{spelled} lies outside the workspace, or is a link that leads out of it.")
        }
        Some(other) => {
            format!("{spelled} is {other} by another name (a hard link), which lies outside the workspace.")
        }
        None => return None,
    };
    let rule = Rule { tool: verb.to_owned(), spec: Some(literal(spelled)) };
    Some(Question { title: format!("{verb} {spelled}"), ..question(call, explanation, vec![rule]) })
}

/// What is asked about files that say what programs run. The rules offered are all that such a call needs.
fn about_protected(judged: &Judged<'_>, policy: &Policy) -> Option<Question> {
    let protected: Vec<(&Reached, String)> =
        judged.edits.iter().filter_map(|path| Some((path, protected::why(path, policy)?))).collect();
    let (_, why) = protected.first()?;
    let mut rules: Vec<Rule> = protected.iter().map(|(path, _)| naming(&path.spelled, policy)).collect();
    rules.dedup();
    let mut with_them = policy.clone();
    with_them.grant(&rules);
    let more = match &judged.assessment {
        None => unruled(judged, &with_them),
        Some(_) => command::unruled(judged, &with_them),
    };
    let ask = |why: String, rules| Question { save: SaveTo::Session, ..question(judged.call, why, rules) };
    match more {
        Some(more) if more.rules.is_empty() => Some(ask(why.clone(), Vec::new())),
        more => {
            let named: Vec<String> = rules.iter().map(|rule| format!("`{rule}`")).collect();
            let why = format!("{why} A rule of your own that names it lets it in: {}.", named.join(", "));
            let more = more.into_iter().flat_map(|more| more.rules);
            rules.extend(more.filter(|rule| !named.contains(&format!("`{rule}`"))).collect::<Vec<_>>());
            Some(ask(why, rules))
        }
    }
}

/// The rule that lets this one file be changed, as short as it can be written.
fn naming(path: &AbsPath, policy: &Policy) -> Rule {
    let inside = policy.workspace.roots.first().filter(|root| path.is_in(root));
    let relative = inside.and_then(|root| path.as_path().strip_prefix(root.as_path()).ok());
    let plain = relative.map(ToString::to_string).filter(|name| !name.is_empty() && !name.contains(SPECIAL));
    Rule { tool: "Edit".to_owned(), spec: Some(plain.unwrap_or_else(|| literal(path))) }
}

/// What a pattern gives a meaning to.
const SPECIAL: [char; 8] = ['*', '?', '[', ']', '\\', '!', '#', ' '];

/// The pattern that means this path and nothing else.
fn literal(path: &AbsPath) -> String {
    let mut pattern = "/".to_owned();
    for c in path.as_str().chars() {
        if SPECIAL.contains(&c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

fn question(call: &Call, explanation: impl Into<String>, rules: Vec<Rule>) -> Question {
    let (title, save) = match &call.access {
        Access::Command { text, .. } => (format!("Run `{text}`"), SaveTo::Local),
        Access::Read(_) | Access::Edit(_) => (call.title.clone(), SaveTo::Session),
        Access::Nothing | Access::Fetch { .. } | Access::Search | Access::Person | Access::Unknown => {
            (call.title.clone(), SaveTo::Local)
        }
    };
    Question { title, explanation: explanation.into(), rules, save, beforehand: Vec::new() }
}

fn whole(call: &Call) -> Rule {
    Rule { tool: call.tool.clone(), spec: None }
}

#[cfg(test)]
mod tests;
