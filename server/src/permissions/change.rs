//! What becomes of a file that a call has changed without having said so before: a command in its trial tree, or another
//! program. It is judged as an edit of that file, since only then anybody knows that it is one.

use serde_json::Value;

use super::policy::Policy;
use super::request::Verdict;
use super::{Access, Call, decide};
use crate::conversation::without_advice;
use crate::documents::{AbsPath, Place};

/// Whether a change may be proposed, and who says yes to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeVerdict {
    /// As any other change of the session.
    Free,
    /// It is proposed, and only the person accepts it: why, in a sentence for them.
    Asked(String),
    /// It is not even proposed: why, for the person and the model.
    Denied(String),
}

/// What becomes of a change of the file at `path`, whoever made it. `path`: a real one, which is judged as it stands, so that
/// what is changed through no link is what was judged.
pub fn decide_change(path: &AbsPath, policy: &Policy) -> ChangeVerdict {
    let call = Call {
        tool: "Edit".to_owned(),
        aliases: &[],
        title: format!("Edit {path}"),
        input: Value::Null,
        access: Access::Edit(vec![Place::judged(path.clone())]),
        is_read_only: false,
    };
    match decide(&call, policy) {
        Verdict::Allow => ChangeVerdict::Free,
        Verdict::Deny(why) => ChangeVerdict::Denied(without_advice(&why).to_owned()),
        Verdict::Ask(question) => ChangeVerdict::Asked(question.explanation),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::documents::Workspace;
    use crate::permissions::{Behavior, PermissionMode, Rule, SettledRule, Source};

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
    fn what_lies_where_a_repository_has_its_hooks_is_asked_about() {
        let folder = tempfile::tempdir().unwrap();
        let root = AbsPath::new(folder.path().canonicalize().unwrap().to_str().unwrap()).unwrap();
        std::fs::create_dir(root.join(".git").as_path()).unwrap();
        std::fs::write(root.join(".git/config").as_path(), "[core]\n\thooksPath = tools/hooks\n").unwrap();
        let verdict = |path: &str, rule: Option<&str>| {
            let workspace = Arc::new(Workspace::new(vec![root.clone()], false));
            let mut policy = Policy { mode: PermissionMode::AcceptEdits, ..Policy::of(workspace) };
            policy.grant(&rule.map(|rule| Rule::parse(rule).unwrap()).into_iter().collect::<Vec<_>>());
            decide_change(&root.join(path), &policy)
        };
        assert_eq!(verdict("tools/other", None), ChangeVerdict::Free);
        for rule in [None, Some("Edit"), Some("Edit(**)"), Some("Edit(tools/**)")] {
            let ChangeVerdict::Asked(why) = verdict("tools/hooks/pre-commit", rule) else {
                panic!("{rule:?}")
            };
            assert!(why.starts_with("tools/hooks/pre-commit says what programs run"), "{why}");
        }
        for rule in ["Edit(tools/hooks/pre-commit)", "Edit(tools/hooks/**)"] {
            assert_eq!(verdict("tools/hooks/pre-commit", Some(rule)), ChangeVerdict::Free, "{rule}");
        }
    }

    #[test]
    fn a_protected_file_is_free_where_the_person_has_named_it() {
        check(&["allow Edit(.envrc)"], ".envrc", USUAL);
        check(&["allow Edit(.husky/**)"], ".husky/pre-commit", USUAL);
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
        assert_eq!(why, "A rule forbids this call: `Edit(locked)` (here).", "the person reads it too");
        let planning = Policy { mode: PermissionMode::Plan, ..policy(&[]) };
        let verdict = decide_change(&AbsPath::new("/w/a").unwrap(), &planning);
        let why = "The session is planning, so nothing is changed yet.".to_owned();
        assert_eq!(verdict, ChangeVerdict::Denied(why));
    }
}
