//! What is asked about a command line, as far as its text tells what it does.

use super::super::behavior::Source;
use super::super::command::{Kept, Loss, removes_too_much};
use super::super::matching::{Family, Judged, Reached, Subject};
use super::super::policy::{Policy, SettledRule};
use super::super::request::{Question, SaveTo};
use super::super::{Access, Assessment, Part, PathWord, PermissionMode, Rule, repository};
use super::wide_reads::may_show_limited;
use super::{literal, naming, question};
use crate::documents::AbsPath;

/// Programs whose work is to change files, which a session that accepts edits need not be asked about.
const EDITING: [&str; 7] = ["mkdir", "touch", "rm", "rmdir", "mv", "cp", "sed"];

/// More files than these are not named by rules, one each.
const MOST_FILES: usize = 5;

/// What is asked in every mode, and which no rule answers beforehand.
pub(super) fn always_asked(judged: &Judged<'_>, policy: &Policy) -> Option<Question> {
    let (Some(assessment), Access::Command { unsandboxed, text, cwd, .. }) =
        (&judged.assessment, &judged.call.access)
    else {
        return None;
    };
    let ask = |why: &str| Some(question(judged.call, why, Vec::new()));
    if *unsandboxed {
        return ask("It would run outside the sandbox, with all that you may do yourself.");
    }
    let kept = Kept { home: policy.home.as_ref(), roots: &policy.workspace.roots };
    let bypassing = policy.mode == PermissionMode::BypassPermissions;
    let of_session = |settled: &SettledRule| settled.source == Source::Session;
    let granted = |harmless: &dyn Fn(&Part) -> bool| policy.allows_command(judged, harmless, of_session);
    match removes_too_much(text, cwd, &kept) {
        Some(Loss::OfKept(why)) => return ask(&why),
        // Where rules decide, they decide about that too; where they don't, only what was said after that question answers it.
        Some(Loss::NotKnown(why)) if bypassing && !granted(&|part| part.read_only) => {
            let question = question(judged.call, why, suggested(assessment));
            return Some(Question { save: SaveTo::Session, ..question });
        }
        Some(Loss::NotKnown(_)) | None => {}
    }
    if let Some(why) = may_show_limited(judged, policy) {
        let rules = if assessment.ask.is_none() { whole(judged) } else { Vec::new() };
        let asked = Question { save: SaveTo::Session, ..question(judged.call, why, rules) };
        if !granted(&|_| false) {
            return Some(asked);
        }
    }
    match &assessment.ask {
        Some(why) if !bypassing => ask(why),
        Some(why) if policy.limits_commands() => {
            ask(&format!("{why} Whether a rule forbids it can't be told."))
        }
        Some(_) | None => None,
    }
}

/// What is asked about a command that no deny and no ask rule speaks of; `None`: nothing.
pub(super) fn unruled(judged: &Judged<'_>, policy: &Policy) -> Option<Question> {
    let (Some(assessment), Access::Command { direct, cwd, .. }) = (&judged.assessment, &judged.call.access)
    else {
        return None;
    };
    let call = judged.call;
    let rules = suggested(assessment);
    if *direct && !(assessment.read_only && assessment.edits.is_empty()) {
        // A rule was granted for a command that could change nothing but drafts.
        let of_session = |settled: &SettledRule| settled.source == Source::Session;
        let granted = policy.allows_command(judged, |part| part.read_only, of_session);
        let why = "It can work on your files themselves, since there is no trial tree here or no sandbox around it \
                   (`copydesk doctor` says why), and may not see changes that are pending.";
        let asked = Question { save: SaveTo::Session, ..question(call, why, rules) };
        return (!granted).then_some(asked);
    }
    let edits_free = |path: &Reached| policy.allows_path(Family::Editing, path);
    let all_known = |words: &[PathWord]| words.iter().all(|word| word.path.is_some());
    let accepts = policy.mode == PermissionMode::AcceptEdits;
    let inside = |path: &Reached| policy.holds(path);
    let edits_allowed = all_known(&assessment.edits)
        && judged.edits.iter().all(|path| edits_free(path) || (accepts && inside(path)));
    // What only looks, and still starts what the repository says.
    let looks = assessment.parts.iter().any(|part| part.read_only && part.is_git());
    let starts = if looks { repository::starts_programs(cwd) } else { None };
    let is_harmless = |part: &Part| part.read_only && !(starts.is_some() && part.is_git());
    let is_editing = |part: &Part| {
        is_harmless(part) || part.source.split_whitespace().next().is_some_and(|word| EDITING.contains(&word))
    };
    let harmless = |part: &Part| is_harmless(part) && part.reads.iter().all(|word| may_be_read(word, policy));
    if policy.allows_command(judged, harmless, |_| true) {
        // What a command changes in the trial tree is only proposed, and is judged then. Who allows every command could get
        // the same from another program, and who allows this one to the letter has read what it writes.
        let to_the_letter =
            |settled: &SettledRule| matches!(&settled.subject, Subject::Command(spec) if !spec.contains('*'));
        let says_itself =
            !assessment.parts.iter().all(harmless) && policy.allows_command(judged, harmless, to_the_letter);
        let is_meant = says_itself || policy.allows_every_command();
        let stays_inside = is_meant && !*direct && judged.edits.iter().all(inside);
        if edits_allowed || stays_inside {
            return None;
        }
        let why = format!("It writes {}.", named(&assessment.edits));
        let all_named = all_known(&assessment.edits) && !assessment.edits.iter().any(|word| word.pattern);
        let left = judged.edits.iter().filter(|path| all_named && !edits_free(path));
        let rules: Vec<Rule> = left.map(|path| naming(&path.spelled, policy)).collect();
        let rules = if rules.len() > MOST_FILES { Vec::new() } else { rules };
        return Some(Question { save: SaveTo::Session, ..question(call, why, rules) });
    }
    if accepts && edits_allowed && !assessment.edits.is_empty() && assessment.parts.iter().all(is_editing) {
        return None;
    }
    if let Some(what) = starts {
        let why = format!("The repository's own configuration starts programs when git looks at it: {what}.");
        return Some(question(call, why, if rules.is_empty() { whole(judged) } else { rules }));
    }
    if assessment.read_only && assessment.edits.is_empty() {
        let why = format!("It reads outside the workspace: {}.", named(&assessment.reads));
        let rules = reading(assessment, policy).unwrap_or_default();
        return Some(Question { save: SaveTo::Session, ..question(call, why, rules) });
    }
    let why = match &assessment.unoffered {
        Some(why) => format!("No rule allows this command yet. {why}"),
        None => "No rule allows this command yet.".to_owned(),
    };
    Some(question(call, why, rules))
}

/// Whether it is known where that leads, and nobody has to be asked about reading there.
fn may_be_read(word: &PathWord, policy: &Policy) -> bool {
    word.path.as_ref().is_some_and(|path| {
        let reached = Reached::new(path, policy);
        let own = |real: &AbsPath| policy.workspace.is_own(real);
        let is_near = |name: &Reached| policy.holds(name) || name.real.as_ref().is_some_and(own);
        is_near(&reached) && reached.others.iter().all(|name| is_near(&Reached::named(name)))
            || policy.allows_path(Family::Reading, &reached)
    })
}

/// Rules for all that the command reads and may not yet; `None`: no few files are what it reads.
fn reading(assessment: &Assessment, policy: &Policy) -> Option<Vec<Rule>> {
    let mut rules = Vec::new();
    for word in assessment.reads.iter().filter(|word| !may_be_read(word, policy)) {
        let path = word.path.as_ref().filter(|_| !word.pattern)?;
        let rule = Rule { tool: "Read".to_owned(), spec: Some(literal(path)) };
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    (rules.len() <= MOST_FILES).then_some(rules)
}

/// Rules for the commands of a line as they stand and for the files that they name. Empty: what they do stands in a text
/// that nobody would judge as a rule.
pub(super) fn to_the_letter(judged: &Judged<'_>, policy: &Policy) -> Vec<Rule> {
    let Some(assessment) = judged.assessment.as_ref().filter(|it| it.unoffered.is_none()) else {
        return Vec::new();
    };
    let mut rules: Vec<Rule> = Vec::new();
    for part in assessment.parts.iter().filter(|part| !part.read_only) {
        let Some(spelled) = part.spelled() else { return Vec::new() };
        let rule = Rule { tool: "Bash".to_owned(), spec: Some(spelled.to_owned()) };
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    let files = judged.edits.iter().filter(|path| !policy.allows_path(Family::Editing, path));
    let mut files: Vec<Rule> = files.map(|path| naming(&path.spelled, policy)).collect();
    files.extend(reading(assessment, policy).unwrap_or_default());
    files.dedup();
    if files.len() > MOST_FILES || rules.len() > MOST_FILES {
        return Vec::new();
    }
    rules.extend(files);
    rules
}

/// The command as it stands, if a rule can say so.
fn whole(judged: &Judged<'_>) -> Vec<Rule> {
    let Access::Command { text, .. } = &judged.call.access else { return Vec::new() };
    let is_one = judged.assessment.as_ref().is_some_and(|assessment| assessment.parts.len() == 1);
    let fits = is_one && !text.contains(['*', '\n']);
    fits.then(|| Rule { tool: "Bash".to_owned(), spec: Some(text.trim().to_owned()) }).into_iter().collect()
}

/// What an "always" would add.
pub(super) fn suggested(assessment: &Assessment) -> Vec<Rule> {
    assessment.suggestions.iter().filter_map(|written| Rule::parse(written).ok()).collect()
}

fn named(words: &[PathWord]) -> String {
    words.iter().map(|word| word.source.as_str()).collect::<Vec<_>>().join(", ")
}
