//! Calls, rules and modes against what becomes of them.

use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::conversation::ToolUseId;
use crate::documents::Workspace;
use crate::permissions::{SettledRule, request};

mod property;

fn path(path: &str) -> AbsPath {
    AbsPath::new("/w").unwrap().join(path)
}

/// `tool: what`, in the workspace `/w`.
fn call(written: &str) -> Call {
    let (tool, what) = written.split_once(": ").unwrap_or((written, ""));
    let access = match tool {
        "Read" | "Grep" | "Glob" => Access::Read(vec![Place::of(path(what))]),
        "Edit" | "Write" => Access::Edit(vec![Place::of(path(what))]),
        "WebFetch" => Access::Fetch { url: what.into() },
        "WebSearch" => Access::Search,
        "AskUserQuestion" => Access::Person,
        "TodoWrite" => Access::Nothing,
        "Bash" => Access::Command { text: what.into(), cwd: path(""), unsandboxed: false, direct: false },
        _ => Access::Unknown,
    };
    let is_read_only = matches!(access, Access::Read(_) | Access::Fetch { .. } | Access::Search);
    Call { tool: tool.into(), aliases: &[], title: written.into(), input: json!({}), access, is_read_only }
}

/// `deny Bash(rm:*)`, from the settings of that source.
fn rule(written: &str, source: Source) -> SettledRule {
    let (behavior, rule) = written.split_once(' ').unwrap();
    let behavior = match behavior {
        "deny" => Behavior::Deny,
        "ask" => Behavior::Ask,
        "allow" => Behavior::Allow,
        other => panic!("{other}"),
    };
    SettledRule::new(behavior, Rule::parse(rule).unwrap(), source, "here", &policy(&[]).starts()).unwrap()
}

fn policy(rules: &[&str]) -> Policy {
    let workspace = Arc::new(Workspace::new(vec![path("")], false));
    let rules = rules.iter().map(|written| rule(written, Source::User)).collect();
    let none = Policy::of(workspace);
    Policy { rules, home: AbsPath::new("/home/me"), plans: AbsPath::new("/state/plans"), ..none }
}

const fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Deny(_) => "deny",
        Verdict::Ask(_) => "ask",
    }
}

/// `want`: what becomes of it in each mode: default, acceptEdits, plan, dontAsk, bypassPermissions.
#[track_caller]
fn check(rules: &[&str], called: &str, want: [&str; 5]) {
    let got = PermissionMode::ALL.map(|mode| word(&decide(&call(called), &Policy { mode, ..policy(rules) })));
    assert_eq!(got, want, "{called} with {rules:?}");
}

#[test]
fn without_rules() {
    check(&[], "Read: src/a.rs", ["allow"; 5]);
    check(&[], "Read: /etc/hosts", ["ask", "ask", "ask", "deny", "allow"]);
    check(&[], "Edit: src/a.rs", ["allow", "allow", "deny", "allow", "allow"]);
    check(&[], "Edit: /elsewhere/a", ["ask", "ask", "deny", "deny", "allow"]);
    check(&[], "Write: /state/plans/p.md", ["ask", "ask", "allow", "deny", "allow"]);
    check(&[], "TodoWrite", ["allow"; 5]);
    check(&[], "AskUserQuestion", ["allow", "allow", "allow", "deny", "allow"]);
    check(&[], "WebFetch: https://a.org/", ["ask", "ask", "ask", "deny", "allow"]);
    check(&[], "WebSearch", ["ask", "ask", "ask", "deny", "allow"]);
    check(&[], "mcp__git__push", ["ask", "ask", "deny", "deny", "allow"]);
}

#[test]
fn protected_files_are_asked_about_unless_a_rule_of_ones_own_names_them() {
    let asked = ["ask", "ask", "deny", "deny", "allow"];
    for rules in [&[][..], &["allow Edit", "allow Bash", "allow Edit(**)"]] {
        check(rules, "Edit: .git/hooks/pre-commit", asked);
        check(rules, "Write: .envrc", asked);
        check(rules, "Bash: echo x > .envrc", asked);
    }
    let free = ["allow", "allow", "deny", "allow", "allow"];
    let rules = ["allow Bash(cp:*)", "allow Edit(.envrc)", "allow Edit(.husky/**)"];
    for called in
        ["Edit: .envrc", "Write: .envrc", "Bash: echo x > .envrc", "Bash: cp a .envrc", "Edit: .husky/x"]
    {
        check(&rules, called, free);
    }
    check(&rules, "Edit: .git/hooks/pre-commit", asked);
    for (source, is_own) in [(Source::Session, true), (Source::Local, false), (Source::Project, false)] {
        let policy = Policy { rules: vec![rule("allow Edit(.envrc)", source)], ..policy(&[]) };
        assert_eq!(decide(&call("Edit: .envrc"), &policy) == Verdict::Allow, is_own, "{source:?}");
    }
    check(&[], "Read: .git/config", ["allow"; 5]);
}

/// A call that is asked about, and the rules that are offered.
#[track_caller]
fn check_offered(called: &str, want: &[&str]) {
    let Verdict::Ask(question) = decide(&call(called), &policy(&[])) else { panic!("asked: {called}") };
    assert_eq!(question.save, SaveTo::Session, "{called}");
    let rules: Vec<String> = question.rules.iter().map(ToString::to_string).collect();
    assert_eq!(rules, want, "{called}");
    let named = question.explanation.contains("A rule of your own that names it lets it in");
    assert_eq!(named, !want.is_empty(), "{}", question.explanation);
    let mut granted = policy(&[]);
    granted.grant(&question.rules);
    assert_eq!(decide(&call(called), &granted) == Verdict::Allow, !want.is_empty(), "{called}");
}

#[test]
fn what_is_offered_for_a_protected_file_is_all_that_it_needs() {
    check_offered("Edit: .envrc", &["Edit(.envrc)"]);
    check_offered("Write: my dir/.envrc", &["Edit(//w/my\\\\ dir/.envrc)"]);
    check_offered("Edit: /home/me/.bashrc", &["Edit(//home/me/.bashrc)"]);
    check_offered("Bash: echo x > .envrc", &["Edit(.envrc)"]);
    check_offered("Bash: make x > .envrc", &["Edit(.envrc)", "Bash(make x)"]);
    check_offered("Bash: FOO=1 make > .envrc", &[]);
}

#[test]
fn what_builds_run_is_asked_about_once() {
    let mut policy = policy(&["allow Edit(.github/**)", "allow Edit"]);
    let asked = ["ask", "ask", "deny", "deny", "allow"];
    for file in [".github/workflows/ci.yml", ".gitlab-ci.yml", ".tool-versions", "rust-toolchain.toml"] {
        check(&[], &format!("Edit: {file}"), asked);
        check(&["allow Edit"], &format!("Edit: {file}"), asked);
    }
    let workflow = call("Edit: .github/workflows/ci.yml");
    let Verdict::Ask(question) = decide(&workflow, &policy) else { panic!("asked") };
    assert_eq!(question.save, SaveTo::Session);
    policy.grant(&question.rules);
    assert_eq!(decide(&workflow, &policy), Verdict::Allow);
    assert_eq!(word(&decide(&call("Edit: .github/workflows/other.yml"), &policy)), "ask");
    check(
        &["allow Edit(.github/workflows/ci.yml)"],
        "Edit: .github/workflows/ci.yml",
        ["allow", "allow", "deny", "allow", "allow"],
    );
}

#[test]
fn deny_is_before_ask_is_before_allow() {
    let denied = ["deny"; 5];
    check(&["allow Read(src/a.rs)", "deny Read(src)"], "Read: src/a.rs", denied);
    check(&["deny Read(src)", "allow Read"], "Read: src/a.rs", denied);
    check(&["ask Read(src)", "deny Read(src)"], "Read: src/a.rs", denied);
    check(&["deny AskUserQuestion"], "AskUserQuestion", denied);
    let asked = ["ask", "ask", "ask", "deny", "ask"];
    check(&["allow Read", "ask Read(src/**)"], "Read: src/a.rs", asked);
    check(&["allow WebFetch(domain:a.org)", "ask WebFetch"], "WebFetch: https://a.org/", asked);
    check(&["allow WebFetch(domain:a.org)"], "WebFetch: https://a.org/", ["allow"; 5]);
    check(&["allow mcp__git"], "mcp__git__push", ["allow", "allow", "deny", "allow", "allow"]);
    check(&["deny mcp__git__push"], "mcp__git__push", denied);
}

#[test]
fn what_is_granted_answers_the_same_question_and_no_other() {
    let mut policy = policy(&[]);
    let Verdict::Ask(question) = decide(&call("Read: /etc/my [file] *"), &policy) else { panic!("asked") };
    policy.grant(&question.rules);
    assert_eq!(decide(&call("Read: /etc/my [file] *"), &policy), Verdict::Allow);
    assert_eq!(word(&decide(&call("Read: /etc/my f other"), &policy)), "ask");
    assert_eq!(word(&decide(&call("Edit: /etc/my [file] *"), &policy)), "ask", "reading is not changing");
    let Verdict::Ask(question) = decide(&call("Edit: /etc/x"), &policy) else { panic!("asked") };
    assert_eq!(question.save, SaveTo::Session);
    policy.grant(&question.rules);
    assert_eq!(decide(&call("Read: /etc/x"), &policy), Verdict::Allow, "changing is also reading");
}

#[test]
fn folders_that_were_added_count_as_the_workspace() {
    let added = Policy { more_folders: vec![AbsPath::new("/lib").unwrap()], ..policy(&[]) };
    for called in ["Read: /lib/a.rs", "Edit: /lib/a.rs"] {
        assert_eq!(decide(&call(called), &added), Verdict::Allow, "{called}");
    }
    assert_eq!(word(&decide(&call("Read: /libx/a.rs"), &added)), "ask");
}

#[test]
fn where_a_denial_can_not_be_read_everything_is_asked() {
    let unread = || vec!["settings.json is no JSON.".to_owned()];
    for (called, want) in [
        ("Read: src/a.rs", ["ask", "ask", "ask", "deny", "ask"]),
        ("mcp__git__push", ["ask", "ask", "deny", "deny", "ask"]),
        ("TodoWrite", ["allow"; 5]),
    ] {
        let allow = ["allow mcp__git", "allow Read"];
        let got = PermissionMode::ALL.map(|mode| {
            let policy = Policy { mode, unread_denials: unread(), ..policy(&allow) };
            word(&decide(&call(called), &policy))
        });
        assert_eq!(got, want, "{called}");
    }
    let mut policy = Policy { unread_denials: unread(), ..policy(&[]) };
    let Verdict::Ask(question) = decide(&call("Read: src/a.rs"), &policy) else { panic!("asked") };
    assert_eq!(
        question.explanation,
        "It is not known whether this is forbidden: settings.json is no JSON. Mend that: until then no rule of a file or \
         the command line lets it through."
    );
    let asked = request("p".into(), ToolUseId("t".into()), &call("Read: src/a.rs"), &question);
    assert_eq!(asked.rules, [], "no flag is promised that would not help");
    assert!(asked.options.iter().any(|option| option.id == "session"), "in an editor it can be granted");
    let nobody = Policy { mode: PermissionMode::DontAsk, ..policy.clone() };
    let Verdict::Deny(why) = decide(&call("Read: src/a.rs"), &nobody) else { panic!("denied") };
    assert!(why.contains("Mend that") && !why.contains("--allow"), "{why}");
    policy.grant(&question.rules);
    assert_eq!(decide(&call("Read: src/b.rs"), &policy), Verdict::Allow, "the person has said so");
}

#[test]
fn a_denied_tool_is_not_even_told_of() {
    let policy = policy(&["deny Edit", "deny WebFetch(domain:a.org)", "deny Task", "deny mcp__git"]);
    for (tool, aliases, want) in [
        ("Edit", &[][..], true),
        ("Write", &[], true),
        ("Read", &[], false),
        ("WebFetch", &[], false),
        ("Agent", &["Task"], true),
        ("mcp__git__push", &[], true),
        ("mcp__github__push", &[], false),
    ] {
        assert_eq!(policy.denies_whole(tool, aliases), want, "{tool}");
    }
}

#[test]
fn what_a_search_passes_by() {
    let policy = policy(&["deny Read(.env)", "deny Read(secrets/**)", "ask Read(*.pem)", "allow Read"]);
    let names = [("a/.env", true), ("secrets/key", true), ("a/b.pem", true), ("src/a.rs", false)];
    for (name, want) in names {
        assert_eq!(policy.forbids_reading(&path(name)), want, "{name}");
    }
}

#[test]
fn commands() {
    let test = &["allow Bash(npm test:*)"][..];
    let allowed = ["allow", "allow", "deny", "allow", "allow"];
    let asked = ["ask", "ask", "deny", "deny", "allow"];
    for (called, want) in [
        ("npm test", allowed),
        ("npm test -- -u", allowed),
        ("npm testing", asked),
        ("npm test && rm x", asked),
        ("timeout 5 npm test", allowed),
        ("npm test > /etc/x", asked),
        ("npm test > out.txt", ["ask", "allow", "deny", "deny", "allow"]),
        ("npm test && git push", asked),
    ] {
        check(test, &format!("Bash: {called}"), want);
    }
    check(&["allow Bash(git push:*)", "deny Bash(git:*)"], "Bash: git push", ["deny"; 5]);
    check(&["allow Bash(echo:*)", "deny Bash(rm:*)"], "Bash: echo a && rm b", ["deny"; 5]);
    check(&["deny Bash"], "Bash: ls", ["deny"; 5]);
    check(&["ask Bash(ls:*)", "allow Bash"], "Bash: ls", ["ask", "ask", "ask", "deny", "ask"]);
    check(&[], "Bash: ls src", ["allow"; 5]);
    check(&[], "Bash: cat /etc/hosts", ["ask", "ask", "ask", "deny", "allow"]);
    check(&[], "Bash: cargo build", asked);
    check(&[], "Bash: mkdir -p src/new", ["ask", "allow", "deny", "deny", "allow"]);
    check(&[], "Bash: mkdir /elsewhere", asked);
    check(&[], "Bash: touch .git/hooks/pre-commit", asked);
}

#[test]
fn a_rule_for_every_command_lets_run_what_changes_only_the_trial_tree() {
    let free = ["allow", "allow", "deny", "allow", "allow"];
    for called in [
        "sed -i s/a/b/ src/a.rs",
        "rm src/a.rs",
        "echo x > out.txt",
        "sed -i -f s src/a.rs",
        "mv a b",
        "rm -rf target",
    ] {
        check(&["allow Bash"], &format!("Bash: {called}"), free);
    }
    let asked = ["ask", "ask", "deny", "deny", "allow"];
    for called in ["echo x > /etc/x", "rm /elsewhere/a", "cp a ../b", "touch .envrc", "rm .git/index.lock"] {
        check(&["allow Bash"], &format!("Bash: {called}"), asked);
    }
    for called in ["rm -rf /", "rm -rf ~", "rm -rf .", "rm .git/index"] {
        check(&["allow Bash"], &format!("Bash: {called}"), ["ask", "ask", "deny", "deny", "ask"]);
    }
    check(&["allow Bash", "deny Edit(src/**)"], "Bash: rm src/a.rs", ["deny"; 5]);
    check(&["allow Bash(rm:*)"], "Bash: rm src/a.rs", ["ask", "allow", "deny", "deny", "allow"]);
    let access = Access::Command { text: "rm a".into(), cwd: path(""), unsandboxed: false, direct: true };
    assert_eq!(word(&decide(&Call { access, ..call("Bash: rm a") }, &policy(&["allow Bash"]))), "ask");
}

#[test]
fn a_command_that_is_allowed_to_the_letter_may_write_what_it_says() {
    let free = ["allow", "allow", "deny", "allow", "allow"];
    let asked = ["ask", "ask", "deny", "deny", "allow"];
    for called in ["touch q9", "mkdir dd", "sed -i s/a/b/ src/a.rs", "rm src/a.rs"] {
        check(&[&format!("allow Bash({called})")], &format!("Bash: {called}"), free);
    }
    check(
        &["allow Bash(touch q9)"],
        "Bash: touch q9 && rm src/a.rs",
        ["ask", "allow", "deny", "deny", "allow"],
    );
    for called in ["touch ../q9", "touch .envrc"] {
        check(&[&format!("allow Bash({called})")], &format!("Bash: {called}"), asked);
    }
    let access = Access::Command { text: "touch q9".into(), cwd: path(""), unsandboxed: false, direct: true };
    let direct = Call { access, ..call("Bash: touch q9") };
    assert_eq!(word(&decide(&direct, &policy(&["allow Bash(touch q9)"]))), "ask");
}

#[test]
fn git_that_would_start_what_the_repository_says_is_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let root = AbsPath::new(folder.path().canonicalize().unwrap().to_str().unwrap()).unwrap();
    let git = |text: &str| {
        std::fs::create_dir_all(root.join(".git").as_path()).unwrap();
        std::fs::write(root.join(".git/config").as_path(), text).unwrap();
    };
    let decided = |command: &str, rules: &[&str]| {
        let mut policy =
            Policy { workspace: Arc::new(Workspace::new(vec![root.clone()], false)), ..policy(rules) };
        policy.mode = PermissionMode::AcceptEdits;
        let access =
            Access::Command { text: command.into(), cwd: root.clone(), unsandboxed: false, direct: false };
        decide(&Call { access, ..call("Bash: git") }, &policy)
    };
    git("[core]\n\tbare = false\n");
    assert_eq!(decided("git status", &[]), Verdict::Allow);
    git("[filter \"x\"]\n\tclean = touch PWNED\n");
    for command in ["git status", "git diff", "timeout 5 git log -p", "touch a && git status"] {
        let Verdict::Ask(question) = decided(command, &[]) else { panic!("{command} is asked about") };
        assert!(question.explanation.contains("clean = touch PWNED"), "{}", question.explanation);
    }
    assert_eq!(decided("ls", &[]), Verdict::Allow);
    assert_eq!(decided("git status", &["allow Bash(git status:*)"]), Verdict::Allow);
}

#[test]
fn what_a_command_writes_is_offered_as_a_rule_for_the_file() {
    let offered = |called: &str, rules: &[&str]| {
        let Verdict::Ask(question) = decide(&call(called), &policy(rules)) else {
            panic!("{called} is asked")
        };
        let offered: Vec<String> = question.rules.iter().map(ToString::to_string).collect();
        (offered, question)
    };
    for (called, rules, want) in [
        ("Bash: cat > src/a.rs <<'E'\nx\nE", &[][..], &["Edit(src/a.rs)"][..]),
        ("Bash: echo x > a > b", &[], &["Edit(a)", "Edit(b)"]),
        ("Bash: echo x > /elsewhere/a", &[], &["Edit(//elsewhere/a)"]),
        ("Bash: rm *.o", &["allow Bash(rm:*)"], &[]),
        ("Bash: rm $x", &["allow Bash(rm:*)"], &[]),
    ] {
        let (offered, question) = offered(called, rules);
        assert_eq!(offered, want, "{called}");
        assert!(question.explanation.starts_with("It writes"), "{}", question.explanation);
        let mut granted = policy(rules);
        granted.grant(&question.rules);
        assert_eq!(decide(&call(called), &granted) == Verdict::Allow, !want.is_empty(), "{called}");
    }
    let (none, question) = offered("Bash: python3 - <<'E'\nprint(1)\nE", &[]);
    assert_eq!(none, [] as [String; 0]);
    assert_eq!(
        question.explanation,
        "No rule allows this command yet. `python3` runs a program that is given here, and a rule for that would let any \
         run."
    );
}

/// The rules that let a call through where they are written beforehand, all of them at once.
#[track_caller]
fn check_beforehand(called: &str, want: &[&str]) {
    let Verdict::Ask(question) = decide(&call(called), &policy(&[])) else { panic!("asked: {called}") };
    let told: Vec<String> = question.beforehand.iter().map(ToString::to_string).collect();
    assert_eq!(told, want, "{called}");
    let rules: Vec<String> = told.iter().map(|rule| format!("allow {rule}")).collect();
    let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
    assert_eq!(decide(&call(called), &policy(&rules)) == Verdict::Allow, !want.is_empty(), "{called}");
}

#[test]
fn all_rules_that_a_call_needs_are_told_at_once() {
    check_beforehand("Bash: make x > /elsewhere/a", &["Bash(make x)", "Edit(//elsewhere/a)"]);
    check_beforehand("Bash: cargo test > src/a", &["Bash(cargo test:*)", "Edit(src/a)"]);
    check_beforehand("Bash: cargo test && make x", &["Bash(cargo test:*)", "Bash(make x)"]);
    check_beforehand("Edit: /elsewhere/a", &["Edit(//elsewhere/a)"]);
    check_beforehand("WebSearch", &["WebSearch"]);
    check_beforehand("Bash: cat /etc/hostname", &["Read(//etc/hostname)"]);
    check_beforehand("Bash: diff /etc/a /etc/b", &["Read(//etc/a)", "Read(//etc/b)"]);
    check_beforehand("Bash: cargo test; cat /etc/a", &["Bash(cargo test)", "Read(//etc/a)"]);
    check_beforehand("Bash: for i in 1 2; do make $i; done", &["Bash(make $i)"]);
    check_beforehand("Bash: FOO=1 make > .envrc", &["Bash(FOO=1 make)", "Edit(.envrc)"]);
    // One of the questions has no answer that could be written, or none that is offered.
    check_beforehand("Bash: $x", &[]);
    check_beforehand("Bash: cat $x", &[]);
    check_beforehand("Bash: python3 -c 1", &[]);
    check_beforehand("Bash: make *", &[]);
}

#[test]
fn rules_for_files_stop_commands_that_touch_them() {
    check(&["deny Read(.env)", "allow Bash(cat:*)"], "Bash: cat .env", ["deny"; 5]);
    check(&["deny Edit(src/**)", "allow Bash(echo:*)"], "Bash: echo x > src/a.rs", ["deny"; 5]);
    check(
        &["allow Edit(out/**)", "allow Bash(echo:*)"],
        "Bash: echo x > out/a",
        ["allow", "allow", "deny", "allow", "allow"],
    );
}

#[test]
fn what_is_asked_about_even_when_nothing_is() {
    let bypass = |rules: &[&str]| Policy { mode: PermissionMode::BypassPermissions, ..policy(rules) };
    for called in
        ["Bash: rm -rf /", "Bash: rm -rf ~", "Bash: rm -rf /w", "Bash: rm -rf .", "Bash: rmdir /usr"]
    {
        assert_eq!(word(&decide(&call(called), &bypass(&[]))), "ask", "{called}");
    }
    assert_eq!(decide(&call("Bash: rm -rf target"), &bypass(&[])), Verdict::Allow);
    for called in ["Bash: rm -rf $x", "Bash: $x -rf .", "Bash: ls | xargs rm", "Bash: git clean -fdx"] {
        assert_eq!(word(&decide(&call(called), &bypass(&["allow Bash"]))), "ask", "{called}");
    }
    // Where rules decide, they decide about what is only known when it runs too.
    let rules = ["allow Bash(xargs:*)", "allow Bash(rm:*)", "allow Bash(ls:*)"];
    let asked = decide(&call("Bash: ls | xargs rm"), &policy(&rules));
    let Verdict::Ask(asked) = asked else { panic!("it writes what is not known") };
    assert!(asked.explanation.starts_with("It writes"), "{}", asked.explanation);
    let mut said = bypass(&[]);
    said.grant(&[Rule::parse("Bash(rm:*)").unwrap()]);
    assert_eq!(decide(&call("Bash: rm -rf $x"), &said), Verdict::Allow, "once the person has said so");
    let access = Access::Command { text: "ls".into(), cwd: path(""), unsandboxed: true, direct: false };
    let outside = Call { access, ..call("Bash: ls") };
    assert_eq!(word(&decide(&outside, &bypass(&[]))), "ask", "outside the sandbox");
    assert_eq!(word(&decide(&outside, &policy(&["allow Bash"]))), "ask");
    let unread = call("Bash: $(echo rm) -rf x");
    assert_eq!(decide(&unread, &bypass(&[])), Verdict::Allow);
    assert_eq!(word(&decide(&unread, &bypass(&["deny Bash(rm:*)"]))), "ask", "it might be what is denied");
}

#[test]
fn a_command_on_the_files_themselves_needs_a_word_of_this_session() {
    let access = Access::Command { text: "npm test".into(), cwd: path(""), unsandboxed: false, direct: true };
    let direct = Call { access, ..call("Bash: npm test") };
    let mut policy = policy(&["allow Bash(npm test:*)"]);
    let Verdict::Ask(question) = decide(&direct, &policy) else { panic!("asked") };
    assert!(question.explanation.contains("on your files themselves"), "{}", question.explanation);
    policy.grant(&question.rules);
    assert_eq!(decide(&direct, &policy), Verdict::Allow);
}
