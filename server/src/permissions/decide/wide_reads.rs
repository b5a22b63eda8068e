//! Commands that name no file which a rule keeps from being read, and may show one all the same: whatever a pattern stands
//! for, whatever lies in a folder, whatever a repository kept.

use super::super::forbidden::{Search, limits_reading, search};
use super::super::matching::Judged;
use super::super::policy::{Policy, SettledRule};
use super::super::{Part, PathWord, Shows};

/// Why `judged` may show what a rule forbids to read, or says to ask about: a sentence for the person. The folders that it
/// reads are searched as they are now.
pub(super) fn may_show_limited(judged: &Judged<'_>, policy: &Policy) -> Option<String> {
    let limits: Vec<&SettledRule> = policy.rules.iter().filter(|settled| limits_reading(settled)).collect();
    let (first, assessment) = (limits.first()?, judged.assessment.as_ref()?);
    assessment.parts.iter().find_map(|part| match part.shows {
        Shows::Names => None,
        Shows::HistoryOfNamed if part.reads.iter().all(is_one_file) => None,
        Shows::History | Shows::HistoryOfNamed => Some(kept(part, first)),
        Shows::Content => part.reads.iter().find_map(|word| reached(part, word, &limits)),
    })
}

fn kept(part: &Part, rule: &SettledRule) -> String {
    format!(
        "`{}` shows what the repository keeps, which may be what `{}` ({}) is about.",
        part.source, rule.rule, rule.origin
    )
}

/// What is named is judged by its name. What is not there may be a revision.
fn is_one_file(word: &PathWord) -> bool {
    !word.pattern && word.path.as_ref().is_some_and(|path| !path.as_path().is_dir())
}

fn reached(part: &Part, word: &PathWord, limits: &[&SettledRule]) -> Option<String> {
    let Some(path) = &word.path else {
        let rule = limits.first()?;
        return Some(format!(
            "What `{}` reads is only known when it runs; it may be what `{}` ({}) is about.",
            part.source, rule.rule, rule.origin
        ));
    };
    if is_one_file(word) {
        return None;
    }
    let Search { found, is_whole } = search(path, limits, 1);
    match (found.first(), limits.first()) {
        (Some((found, rule)), _) => Some(format!(
            "`{}` may show {found}, which `{}` ({}) is about.",
            part.source, rule.rule, rule.origin
        )),
        (None, Some(rule)) if !is_whole => Some(format!(
            "`{}` reads more files than are looked at beforehand; one may be what `{}` ({}) is about.",
            part.source, rule.rule, rule.origin
        )),
        (None, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::super::decide;
    use crate::documents::{AbsPath, Workspace};
    use crate::permissions::{
        Access, Behavior, Call, PermissionMode, Policy, Rule, SettledRule, Source, Verdict,
    };

    /// A workspace with a secret, and a folder without.
    struct Scene {
        _folder: tempfile::TempDir,
        root: AbsPath,
    }

    impl Scene {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let root = AbsPath::new(folder.path().canonicalize().unwrap().to_str().unwrap()).unwrap();
            for (name, text) in [(".env", "KEY=x"), ("src/a.rs", "a"), ("README.md", "r")] {
                let path = root.join(name);
                std::fs::create_dir_all(path.parent().unwrap().as_path()).unwrap();
                std::fs::write(path.as_path(), text).unwrap();
            }
            Self { _folder: folder, root }
        }

        fn policy(&self, rules: &[(Behavior, &str)]) -> Policy {
            let mut policy = Policy::of(Arc::new(Workspace::new(vec![self.root.clone()], false)));
            let starts = policy.starts();
            let settled = |(behavior, rule): &(Behavior, &str)| {
                SettledRule::new(*behavior, Rule::parse(rule).unwrap(), Source::User, "here", &starts)
                    .unwrap()
            };
            policy.rules = rules.iter().map(settled).collect();
            policy
        }

        fn verdict(&self, command: &str, policy: &Policy) -> Verdict {
            let (text, cwd) = (command.to_owned(), self.root.clone());
            let call = Call {
                tool: "Bash".into(),
                aliases: &[],
                title: command.into(),
                input: json!({}),
                access: Access::Command { text, cwd, unsandboxed: false, direct: false },
                is_read_only: false,
            };
            decide(&call, policy)
        }

        #[track_caller]
        fn check(&self, rules: &[(Behavior, &str)], want: &str, commands: &[&str]) {
            for command in commands {
                let got = match self.verdict(command, &self.policy(rules)) {
                    Verdict::Allow => "allow",
                    Verdict::Deny(_) => "deny",
                    Verdict::Ask(_) => "ask",
                };
                assert_eq!(got, want, "{rules:?} {command}");
            }
        }
    }

    const WIDE: &[&str] = &[
        "cat .en?",
        "cat .e*",
        "cat ./*",
        "grep -r KEY",
        "grep -r KEY .",
        "rg --hidden KEY",
        "rg KEY",
        "diff -r . /dev/null",
        "git grep KEY",
        "git diff",
        "git log -p",
        "git show HEAD",
        "git stash show -p",
        "head -n1 .[e]nv",
        "cat <.env*",
        "ls | xargs cat",
    ];
    const NARROW: &[&str] = &[
        "ls -a",
        "cat README.md",
        "grep -r a src",
        "cat src/*",
        "rg a src",
        "git status",
        "git log --oneline",
        "find . -name x",
        "git diff --stat",
        "git diff -- src/a.rs",
        "echo *",
    ];

    #[test]
    fn what_may_show_a_forbidden_file_is_asked_about() {
        let scene = Scene::new();
        let free: Vec<&str> = WIDE
            .iter()
            .copied()
            .filter(|wide| !wide.contains("xargs") && !wide.contains("/dev/null"))
            .collect();
        scene.check(&[], "allow", &free);
        for rule in ["Read(.env)", "Read(./.env)", "Read(**/.env)", "Read(.env*)"] {
            for behavior in [Behavior::Deny, Behavior::Ask] {
                let limit = (behavior, rule);
                scene.check(&[limit], "ask", WIDE);
                scene.check(&[limit, (Behavior::Allow, "Bash")], "ask", WIDE);
                scene.check(&[limit], "allow", NARROW);
            }
        }
        scene.check(
            &[(Behavior::Deny, "Read(.env)")],
            "deny",
            &["cat .env", "git show HEAD:.env", "git blame .env"],
        );
        scene.check(&[(Behavior::Deny, "Read(./nowhere/**)")], "allow", &["grep -r KEY .", "cat ./*"]);
    }

    #[test]
    fn it_is_asked_in_every_mode_until_the_person_says_so_for_the_session() {
        let scene = Scene::new();
        let limits = [(Behavior::Deny, "Read(.env)")];
        for mode in PermissionMode::ALL {
            let policy = Policy { mode, ..scene.policy(&limits) };
            let want = if mode == PermissionMode::DontAsk { "deny" } else { "ask" };
            let got = match scene.verdict("git diff", &policy) {
                Verdict::Allow => "allow",
                Verdict::Deny(_) => "deny",
                Verdict::Ask(_) => "ask",
            };
            assert_eq!(got, want, "{mode:?}");
        }
        let mut policy = scene.policy(&limits);
        let Verdict::Ask(question) = scene.verdict("grep -r KEY .", &policy) else { panic!("asked") };
        assert!(
            question.explanation.contains("may show") && question.explanation.contains("`Read(.env)` (here)")
        );
        policy.grant(&[Rule::parse("Bash(grep -r KEY .)").unwrap()]);
        assert_eq!(scene.verdict("grep -r KEY .", &policy), Verdict::Allow);
    }
}
