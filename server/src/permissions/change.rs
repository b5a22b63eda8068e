//! What becomes of a file that a call has changed without having said so before: a command in its trial tree, or another
//! program. It is judged as an edit of that file, since only then anybody knows that it is one.

use serde_json::Value;

use super::matching::{Family, Judged, Reached, Subject, covers};
use super::policy::{Behavior, Policy, SettledRule, Source};
use super::request::Verdict;
use super::{Access, Call, decide, protected};
use crate::documents::AbsPath;

/// Whether a change may be proposed, and who says yes to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeVerdict {
    /// As any other change of the session.
    Free,
    /// It is proposed, and only the person accepts it: why, in a sentence for them.
    Asked(String),
    /// It is not even proposed: text for the model.
    Denied(String),
}

/// What becomes of a change of the file at `path`, whoever made it.
///
/// A file that says what programs run waits for the person unless they have allowed to edit it by name: a rule for all
/// edits does not mean it, nor does one that the workspace brought along.
pub fn decide_change(path: &AbsPath, policy: &Policy) -> ChangeVerdict {
    let call = Call {
        tool: "Edit".to_owned(),
        aliases: &[],
        title: format!("Edit {path}"),
        input: Value::Null,
        access: Access::Edit(vec![path.clone()]),
        is_read_only: false,
    };
    match decide(&call, policy) {
        Verdict::Allow => ChangeVerdict::Free,
        Verdict::Deny(why) => ChangeVerdict::Denied(why),
        Verdict::Ask(question) => {
            let could_be_named = policy.matching(Behavior::Ask, &Judged::of(&call)).is_none()
                && policy.unread_denials.is_empty()
                && protected::why(&Reached::new(path)).is_some();
            if !could_be_named {
                return ChangeVerdict::Asked(question.explanation);
            }
            if is_named_by_the_person(path, policy) {
                return ChangeVerdict::Free;
            }
            let rule = format!("Edit({})", policy.workspace.display(path));
            let why =
                format!("{} A rule of your own that names it lets it in: `{rule}`.", question.explanation);
            ChangeVerdict::Asked(why)
        }
    }
}

/// Whether a rule of the person's own spells the folder or the file which is protected.
fn is_named_by_the_person(path: &AbsPath, policy: &Policy) -> bool {
    let reached = Reached::new(path);
    let names = |settled: &SettledRule| {
        let Subject::Files { tool, family: Family::Editing, spec } = &settled.subject else { return false };
        tool == "Edit"
            && covers(spec, Behavior::Allow, std::slice::from_ref(&reached))
            && settled.rule.spec.as_deref().is_some_and(protected::is_spelled_in)
    };
    let mut rules = policy.rules.iter();
    rules.any(|settled| settled.behavior == Behavior::Allow && is_own(settled.source) && names(settled))
}

/// Not one that came with the folder.
const fn is_own(source: Source) -> bool {
    match source {
        Source::Managed | Source::CommandLine | Source::Session | Source::User => true,
        Source::Local | Source::Project => false,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::documents::Workspace;
    use crate::permissions::{PermissionMode, Rule, SettledRule};

    fn policy(rules: &[(&str, Source)]) -> Policy {
        let root = AbsPath::new("/w").unwrap();
        let mut policy = Policy::of(Arc::new(Workspace::new(vec![root], false)));
        let starts = policy.starts();
        for (written, source) in rules {
            let (behavior, rule) = written.split_once(' ').unwrap();
            let behavior = match behavior {
                "deny" => Behavior::Deny,
                "ask" => Behavior::Ask,
                _ => Behavior::Allow,
            };
            let rule = Rule::parse(rule).unwrap();
            policy.rules.push(SettledRule::new(behavior, rule, *source, "here", &starts).unwrap());
        }
        policy
    }

    /// `want`: what becomes of it in each mode: default, acceptEdits, plan, dontAsk, bypassPermissions.
    #[track_caller]
    fn check(rules: &[&str], path: &str, want: [&str; 5]) {
        let rules: Vec<(&str, Source)> = rules.iter().map(|rule| (*rule, Source::CommandLine)).collect();
        let path = AbsPath::new("/w").unwrap().join(path);
        let got =
            PermissionMode::ALL.map(|mode| match decide_change(&path, &Policy { mode, ..policy(&rules) }) {
                ChangeVerdict::Free => "free",
                ChangeVerdict::Asked(_) => "asked",
                ChangeVerdict::Denied(_) => "denied",
            });
        assert_eq!(got, want, "{rules:?} {path}");
    }

    const USUAL: [&str; 5] = ["free", "free", "denied", "free", "free"];
    const ASKED: [&str; 5] = ["asked", "asked", "denied", "denied", "free"];

    #[test]
    fn what_a_command_changed_is_judged_as_an_edit() {
        check(&[], "src/a.rs", USUAL);
        for protected in [
            ".envrc",
            ".claude/settings.json",
            ".claude/settings.local.json",
            ".husky/pre-commit",
            "sub/.vscode/tasks.json",
        ] {
            check(&[], protected, ASKED);
            check(&["allow Bash"], protected, ASKED);
            check(&["allow Edit"], protected, ASKED);
            check(&["allow Edit(**)"], protected, ASKED);
            check(&["allow Edit(**/*)"], protected, ASKED);
        }
        check(&["deny Edit(**/locked*)", "allow Bash"], "locked.txt", ["denied"; 5]);
        check(&["deny Edit", "allow Bash"], "src/a.rs", ["denied"; 5]);
        check(&["deny Read(secret)"], "secret", ["denied"; 5]);
        check(&["ask Edit(src/**)"], "src/a.rs", ["asked", "asked", "denied", "denied", "asked"]);
        check(&[], "/elsewhere/a", ASKED);
        check(&["allow Edit(//elsewhere/**)"], "/elsewhere/a", USUAL);
    }

    #[test]
    fn a_protected_file_is_free_where_the_person_has_named_it() {
        let named = ["free", "free", "denied", "denied", "free"];
        check(&["allow Edit(.envrc)"], ".envrc", named);
        check(&["allow Edit(.husky/**)"], ".husky/pre-commit", named);
        check(
            &["allow Edit(.envrc)", "ask Edit(.envrc)"],
            ".envrc",
            ["asked", "asked", "denied", "denied", "asked"],
        );
        let path = AbsPath::new("/w/.envrc").unwrap();
        for (source, is_free) in
            [(Source::User, true), (Source::Session, true), (Source::Project, false), (Source::Local, false)]
        {
            let verdict = decide_change(&path, &policy(&[("allow Edit(.envrc)", source)]));
            assert_eq!(verdict == ChangeVerdict::Free, is_free, "{source:?}");
        }
    }

    #[test]
    fn the_model_is_told_which_rule_forbids_it() {
        let verdict = decide_change(
            &AbsPath::new("/w/locked").unwrap(),
            &policy(&[("deny Edit(locked)", Source::User)]),
        );
        let ChangeVerdict::Denied(why) = verdict else { panic!("denied") };
        assert!(why.contains("`Edit(locked)` (here)"), "{why}");
    }
}
