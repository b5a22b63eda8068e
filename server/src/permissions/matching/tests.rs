//! Rules against calls, one line each.

use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::documents::Workspace;
use crate::permissions::{Policy, SettledRule, Source};

/// `tool: what` as a call in the workspace `/w`: paths for the tools of files, an address for `WebFetch`, JSON for others.
fn call(written: &str) -> Call {
    let (tool, what) = written.split_once(": ").unwrap_or((written, ""));
    let path = || AbsPath::new("/w").unwrap().join(what);
    let (access, aliases): (Access, &'static [&'static str]) = match tool {
        "Read" | "Grep" | "Glob" | "LSP" => (Access::Read(vec![Place::of(path())]), &[]),
        "Edit" | "Write" | "NotebookEdit" => (Access::Edit(vec![Place::of(path())]), &[]),
        "WebFetch" => (Access::Fetch { url: what.into() }, &[]),
        "WebSearch" => (Access::Search, &[]),
        "Agent" => (Access::Unknown, &["Task"]),
        _ => (Access::Unknown, &[]),
    };
    let input = serde_json::from_str(what).unwrap_or_else(|_| json!({}));
    Call { tool: tool.into(), aliases, title: written.into(), input, access, is_read_only: false }
}

#[track_caller]
fn check(behavior: Behavior, rule: &str, called: &str, want: bool) {
    let workspace = Arc::new(Workspace::new(vec![AbsPath::new("/w").unwrap()], false));
    let policy = Policy { home: AbsPath::new("/home/me"), ..Policy::of(workspace) };
    let starts = Starts { settings: AbsPath::new("/w").unwrap(), ..policy.starts() };
    let settled =
        SettledRule::new(behavior, Rule::parse(rule).unwrap(), Source::User, "test", &starts).unwrap();
    let policy = Policy { rules: vec![settled], ..policy };
    let call = call(called);
    let judged = Judged::of(&call, &policy);
    assert_eq!(policy.matching(behavior, &judged).is_some(), want, "{behavior:?} {rule} / {called}");
}

#[test]
fn names_and_older_names() {
    use Behavior::{Allow, Deny};
    check(Deny, "Agent", "Agent: {}", true);
    check(Deny, "Task", "Agent: {}", true);
    check(Deny, "Task(Explore)", "Agent: {\"subagent_type\": \"Explore\"}", true);
    check(Deny, "Agent(Explore)", "Agent: {\"subagent_type\": \"Plan\"}", false);
    check(Allow, "Skill(deploy)", "Skill: {\"skill\": \"deploy\"}", true);
    check(Allow, "Skill(deploy*)", "Skill: {\"skill\": \"deploy-all\"}", true);
    check(Allow, "Skill(deploy)", "Skill: {\"skill\": \"deploy-all\"}", false);
    check(Allow, "TodoWrite", "TodoWrite: {}", true);
}

#[test]
fn servers_of_tools() {
    use Behavior::{Allow, Deny};
    check(Allow, "mcp__git", "mcp__git__push", true);
    check(Allow, "mcp__git", "mcp__github__push", false);
    check(Allow, "mcp__git__*", "mcp__git__push", true);
    check(Allow, "mcp__git__push", "mcp__git__push", true);
    check(Allow, "mcp__git__push", "mcp__git__pull", false);
    check(Deny, "mcp__*", "mcp__git__push", true);
    check(Deny, "mcp__*", "Read: a", false);
}

#[test]
fn hosts_and_parameters() {
    use Behavior::{Allow, Ask, Deny};
    check(Allow, "WebFetch(domain:example.com)", "WebFetch: https://example.com/a", true);
    check(Allow, "WebFetch(domain:example.com)", "WebFetch: https://EXAMPLE.com./a", true);
    check(Allow, "WebFetch(domain:example.com)", "WebFetch: https://docs.example.com/", false);
    check(Allow, "WebFetch(domain:example.com)", "WebFetch: https://example.com.evil.org/", false);
    check(Allow, "WebFetch(domain:example.com)", "WebFetch: https://evil.org/?example.com", false);
    check(Allow, "WebFetch(domain:*.example.com)", "WebFetch: https://docs.example.com/", true);
    check(Allow, "WebFetch(domain:*.example.com)", "WebFetch: https://notexample.com/", false);
    check(Allow, "WebSearch", "WebSearch: x", true);
    check(Deny, "Agent(model:opus)", "Agent: {\"model\": \"opus\"}", true);
    check(Ask, "Deploy(to:prod*)", "Deploy: {\"to\": \"production\"}", true);
    check(Ask, "Deploy(to:prod)", "Deploy: {\"to\": \"test\"}", false);
}

#[test]
fn where_a_pattern_starts() {
    use Behavior::{Allow, Deny};
    check(Allow, "Read(//etc/hosts)", "Read: /etc/hosts", true);
    check(Allow, "Read(//etc/**)", "Read: /etc/ssl/cert", true);
    check(Allow, "Read(~/notes/**)", "Read: /home/me/notes/a.md", true);
    check(Allow, "Read(~/notes/**)", "Read: /home/you/notes/a.md", false);
    check(Allow, "Edit(/src/**)", "Edit: src/a.rs", true);
    check(Allow, "Edit(/src/**)", "Edit: lib/src/a.rs", false);
    check(Allow, "Edit(src/**)", "Edit: src/deep/a.rs", true);
    check(Allow, "Edit(./src)", "Edit: src/deep/a.rs", true);
    check(Allow, "Edit(*.md)", "Edit: a.md", true);
    check(Allow, "Edit(*.md)", "Edit: docs/a.md", false);
    check(Deny, "Read(.env)", "Read: a/b/.env", true);
    check(Deny, "Read(.env)", "Read: /elsewhere/.env", true);
    check(Deny, "Read(secrets/)", "Read: a/secrets/key", true);
    check(Deny, "Read(./.env)", "Read: a/.env", false);
    check(Deny, "Read(*.pem)", "Read: key.pem", true);
    check(Deny, "Read(*.pem)", "Read: key.pem.txt", false);
}

#[test]
fn families_of_tools() {
    use Behavior::{Allow, Ask, Deny};
    for tool in ["Read", "Grep", "Glob", "LSP"] {
        check(Deny, "Read(src/**)", &format!("{tool}: src/a"), true);
    }
    for tool in ["Edit", "Write", "NotebookEdit"] {
        check(Allow, "Edit(src/**)", &format!("{tool}: src/a"), true);
        check(Deny, "Read(src/**)", &format!("{tool}: src/a"), true);
        check(Ask, "Read(src/**)", &format!("{tool}: src/a"), false);
        check(Allow, "Read(src/**)", &format!("{tool}: src/a"), false);
    }
    check(Allow, "Edit(src/**)", "Read: src/a", true);
    check(Deny, "Edit(src/**)", "Read: src/a", false);
    check(Allow, "Write(src/**)", "Edit: src/a", false);
    check(Deny, "Write(src/**)", "Edit: src/a", true);
    check(Deny, "Edit", "Write: src/a", true);
    check(Deny, "Read", "Grep: src", true);
    check(Deny, "Grep", "Read: src", false);
}

#[track_caller]
fn check_wrong(behavior: Behavior, rule: &str, why: &str) {
    let workspace = Arc::new(Workspace::new(vec![AbsPath::new("/w").unwrap()], false));
    let starts = Policy::of(workspace).starts();
    let error =
        SettledRule::new(behavior, Rule::parse(rule).unwrap(), Source::User, "test", &starts).unwrap_err();
    assert!(error.contains(why), "{error}");
}

#[test]
fn rules_that_can_mean_nothing() {
    check_wrong(Behavior::Allow, "mcp__*", "names the server");
    check_wrong(Behavior::Deny, "Re*", "may only end the name of an MCP tool");
    check_wrong(Behavior::Allow, "WebFetch(example.com)", "WebFetch(domain:example.com)");
    check_wrong(Behavior::Deny, "WebSearch(x)", "write `WebSearch`");
    check_wrong(Behavior::Allow, "Deploy(to:prod)", "can only deny or ask");
    check_wrong(Behavior::Deny, "Deploy(prod)", "parameter:value");
    check_wrong(Behavior::Deny, "Read(a[z-a])", "no pattern for files");
    check_wrong(Behavior::Deny, "Read(~/x)", "home folder is not known");
}

#[test]
fn on_the_command_line_a_rule_names_a_tool() {
    let workspace = Arc::new(Workspace::new(vec![AbsPath::new("/w").unwrap()], false));
    let starts = Policy::of(workspace).starts();
    let settled = |rule: &str, source| {
        SettledRule::new(Behavior::Allow, Rule::parse(rule).unwrap(), source, "test", &starts).map(drop)
    };
    let given = |rule: &str| settled(rule, Source::CommandLine);
    for (rule, slip) in [("Bsh(cargo:*)", "Bsh"), ("bash", "bash")] {
        let why = format!("`{rule}` can't be followed: there is no tool `{slip}`; did you mean `Bash`?");
        assert_eq!(given(rule), Err(why));
    }
    assert!(
        given("Foo").unwrap_err().contains("there is no tool `Foo`; the tools are AskUserQuestion, Bash,")
    );
    for rule in ["Bash(cargo:*)", "Task", "mcp__git__push"] {
        assert_eq!(given(rule), Ok(()));
    }
    assert_eq!(settled("Foo", Source::User), Ok(()), "other programs may have it");
}

#[cfg(unix)]
#[test]
fn a_link_is_judged_by_its_name_and_by_where_it_leads() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let root = AbsPath::new(folder.path().canonicalize().unwrap().to_str().unwrap()).unwrap();
    for name in ["src", "secret"] {
        std::fs::create_dir(root.join(name).as_path()).unwrap();
    }
    symlink("../secret/key", root.join("src/link").as_path()).unwrap();
    symlink("src", root.join("alias").as_path()).unwrap();
    let matches = |behavior, rule: &str, path: &str| {
        let policy = Policy::of(Arc::new(Workspace::new(vec![root.clone()], false)));
        let settled =
            SettledRule::new(behavior, Rule::parse(rule).unwrap(), Source::User, "test", &policy.starts())
                .unwrap();
        let policy = Policy { rules: vec![settled], ..policy };
        let call = Call { access: Access::Read(vec![Place::of(root.join(path))]), ..call("Read: x") };
        let judged = Judged::of(&call, &policy);
        policy.matching(behavior, &judged).is_some()
    };
    assert!(matches(Behavior::Allow, "Read(src/**)", "src/a"));
    assert!(!matches(Behavior::Allow, "Read(src/**)", "src/link"), "the target is not allowed");
    assert!(!matches(Behavior::Allow, "Read(secret/**)", "src/link"), "the link is not allowed");
    assert!(matches(Behavior::Deny, "Read(secret/**)", "src/link"), "the target is forbidden");
    assert!(matches(Behavior::Deny, "Read(src/link)", "src/link"), "the link is forbidden");
    assert!(!matches(Behavior::Allow, "Read(alias/**)", "src/a"));
}
