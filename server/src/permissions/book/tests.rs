//! Settings on disk, and what they come to.

use super::*;
use crate::documents::Place;
use crate::permissions::{Access, Call, Policy, SettingsFile, Verdict, decide};

struct Bench {
    folder: tempfile::TempDir,
    book: RuleBook,
}

impl Bench {
    /// A workspace `ws` and a home `home` with these files; `managed.json` stands beside them.
    fn new(files: &[(&str, &str)], own: OwnRules) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| {
            AbsPath::new(folder.path().canonicalize().unwrap().join(name).to_str().unwrap()).unwrap()
        };
        for name in ["ws", "home", "state"] {
            std::fs::create_dir(path(name).as_path()).unwrap();
        }
        let book = RuleBook::new(Places {
            root: Some(path("ws")),
            home: Some(path("home")),
            case: PathCase::Sensitive,
            managed: Some(path("managed.json").as_path().to_owned()),
            trusted: Some(path("state/trusted").as_path().to_owned()),
            own,
        });
        let bench = Self { folder, book };
        for (name, text) in files {
            bench.write(name, text);
        }
        bench
    }

    fn path(&self, name: &str) -> AbsPath {
        AbsPath::new(self.folder.path().canonicalize().unwrap().join(name).to_str().unwrap()).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap().as_path()).unwrap();
        std::fs::write(path.as_path(), text).unwrap();
    }

    /// What becomes of reading this file.
    fn read(&self, name: &str) -> &'static str {
        let root = self.path("ws");
        let workspace = Arc::new(crate::documents::Workspace::new(vec![root], false));
        let policy = self.book.current().policy(Policy::of(workspace));
        let call = Call {
            tool: "Read".into(),
            aliases: &[],
            title: String::new(),
            input: serde_json::Value::Null,
            access: Access::Read(vec![Place::of(self.path(name))]),
            is_read_only: true,
        };
        match decide(&call, &policy) {
            Verdict::Allow => "allow",
            Verdict::Deny(_) => "deny",
            Verdict::Ask(_) => "ask",
        }
    }
}

const ALLOW_ETC: &str =
    r#"{"permissions": {"allow": ["Read(//etc/**)"], "additionalDirectories": ["../lib"]}}"#;

#[test]
fn lists_of_all_files_are_joined() {
    let bench = Bench::new(
        &[
            ("managed.json", r#"{"permissions": {"deny": ["Read(a)"]}}"#),
            (
                "home/.claude/settings.json",
                r#"{"permissions": {"deny": ["Read(b)"], "defaultMode": "plan"}}"#,
            ),
            (
                "ws/.claude/settings.json",
                r#"{"permissions": {"deny": ["Read(c)"], "defaultMode": "dontAsk"}}"#,
            ),
            ("ws/.claude/settings.local.json", r#"{"permissions": {"deny": ["Read(d)"]}}"#),
        ],
        OwnRules {
            rules: vec![OwnRule {
                behavior: Behavior::Deny,
                written: "Read(e)".into(),
                source: Source::CommandLine,
                origin: "--deny".into(),
            }],
            ..OwnRules::default()
        },
    );
    for name in ["ws/a", "ws/b", "ws/c", "ws/d", "ws/e"] {
        assert_eq!(bench.read(name), "deny", "{name}");
    }
    assert_eq!(bench.read("ws/f"), "allow");
    assert_eq!(
        bench.book.current().mode,
        Some(PermissionMode::DontAsk),
        "the workspace's is above the user's"
    );
}

#[test]
fn a_workspace_allows_nothing_until_it_is_trusted() {
    let bench = Bench::new(&[("ws/.claude/settings.json", ALLOW_ETC)], OwnRules::default());
    assert_eq!((bench.read("../etc/hosts"), bench.read("lib/a")), ("ask", "ask"));
    let waiting = bench.book.current().waiting_for_trust.join(", ");
    assert!(waiting.contains("allow Read(//etc/**)") && waiting.contains("the folder"), "{waiting}");
    bench.book.set_trust(true).unwrap();
    assert_eq!(bench.read("lib/a"), "allow");
    assert_eq!(bench.book.current().waiting_for_trust, [] as [String; 0]);
    assert!(!bench.path("ws/.copydesk").as_path().exists(), "nothing is written into the workspace");
    bench.book.set_trust(false).unwrap();
    assert_eq!(bench.read("lib/a"), "ask");
}

#[test]
fn trust_is_said_to_change_nothing_but_what_it_changes() {
    let text = r#"{"hooks": {"Stop": [{"command": "x"}]}, "env": {"A": "b"}}"#;
    let bench = Bench::new(
        &[("ws/.claude/settings.json", text), ("ws/.mcp.json", r#"{"mcpServers": {"a": {"command": "x"}}}"#)],
        OwnRules::default(),
    );
    let written = bench.book.current();
    assert_eq!(written.waiting(TrustBy::Flag), None, "neither hooks nor servers are ever started");
    assert_eq!(written.problems, [] as [String; 0]);
}

#[test]
fn in_the_programs_own_settings_a_tool_that_is_none_is_told() {
    let own = |written: &str| OwnRule {
        behavior: Behavior::Allow,
        written: written.into(),
        source: Source::User,
        origin: "config.toml:2".into(),
    };
    let rules = vec![own("Foo"), own("Bsh"), own("Bash")];
    let bench = Bench::new(&[], OwnRules { rules, ..OwnRules::default() });
    let problems = bench.book.current().problems.clone();
    let [foo, bsh] = problems.as_slice() else { panic!("two problems: {problems:?}") };
    assert!(foo.starts_with("config.toml:2: `Foo`: there is no tool `Foo`; the tools are"), "{foo}");
    assert_eq!(bsh, "config.toml:2: `Bsh`: there is no tool `Bsh`; did you mean `Bash`?");
}

#[test]
fn what_the_configuration_tells_of_itself_is_not_told_again() {
    let why = "`permissions.deny` (config.toml:2): 5 is no list.".to_owned();
    let own = OwnRules { unread_denials: vec![why.clone()], ..OwnRules::default() };
    let bench = Bench::new(&[], own);
    let written = bench.book.current();
    assert_eq!((written.problems.as_slice(), written.unread_denials.as_slice()), (&[][..], &[why][..]));
    assert_eq!(bench.read("ws/a"), "ask", "it may have been forbidden");
}

#[test]
fn a_denial_of_the_workspace_needs_no_trust() {
    let bench = Bench::new(
        &[("ws/.claude/settings.json", r#"{"permissions": {"deny": ["Read(.env)"]}}"#)],
        OwnRules::default(),
    );
    assert_eq!(bench.read("ws/sub/.env"), "deny");
}

#[test]
fn a_workspace_never_has_permissions_bypassed() {
    let text = r#"{"permissions": {"defaultMode": "bypassPermissions"}}"#;
    let bench = Bench::new(&[("ws/.claude/settings.json", text)], OwnRules::default());
    bench.book.set_trust(true).unwrap();
    let written = bench.book.current();
    assert_eq!(written.mode, None);
    assert!(written.problems[0].contains("can't have permissions bypassed"), "{:?}", written.problems);
}

#[test]
fn what_changes_on_disk_counts_at_once() {
    let bench = Bench::new(&[], OwnRules::default());
    assert_eq!(bench.read("ws/a"), "allow");
    bench.write("ws/.claude/settings.json", r#"{"permissions": {"deny": ["Read(a)"]}}"#);
    assert_eq!(bench.read("ws/a"), "deny");
    std::fs::remove_file(bench.path("ws/.claude/settings.json").as_path()).unwrap();
    assert_eq!(bench.read("ws/a"), "allow");
}

#[test]
fn a_file_that_can_not_be_read_is_told_and_makes_everything_a_question() {
    let bench = Bench::new(&[("ws/.claude/settings.local.json", "{\"permissions\": ")], OwnRules::default());
    assert_eq!(bench.read("ws/a"), "ask");
    let problems = bench.book.current().problems.clone();
    assert!(
        problems[0].contains("settings.local.json is no JSON") && problems[0].contains("line 1"),
        "{problems:?}"
    );
    std::fs::create_dir_all(bench.path("home/.claude/settings.json").as_path()).unwrap();
    assert!(bench.book.current().problems.iter().any(|told| told.contains("no file of settings")));
}

#[test]
fn the_local_file_of_a_workspace_allows_nothing_until_it_is_trusted() {
    let text = r#"{"permissions": {"allow": ["Read"], "defaultMode": "bypassPermissions"}}"#;
    let bench = Bench::new(&[("ws/.claude/settings.local.json", text)], OwnRules::default());
    assert_eq!(bench.read("lib/a"), "ask");
    assert_eq!(bench.book.current().mode, None);
    bench.book.set_trust(true).unwrap();
    assert_eq!(bench.read("lib/a"), "allow");
    assert_eq!(bench.book.current().mode, None, "no workspace has permissions bypassed");
}

#[test]
fn a_saved_rule_counts_from_then_on_in_a_folder_that_is_trusted() {
    let text = "{\n  \"env\": {\"A\": \"b\"}\n}\n";
    let bench = Bench::new(&[("ws/.claude/settings.local.json", text)], OwnRules::default());
    bench.book.set_trust(true).unwrap();
    assert_eq!(bench.read("lib/a"), "ask");
    bench
        .book
        .save(
            SettingsFile::Local,
            Behavior::Allow,
            &[Rule { tool: "Read".into(), spec: Some(format!("/{}", bench.path("lib/a"))) }],
        )
        .unwrap();
    assert_eq!(bench.read("lib/a"), "allow");
    let saved = std::fs::read_to_string(bench.path("ws/.claude/settings.local.json").as_path()).unwrap();
    assert!(saved.starts_with("{\n  \"env\": {\"A\": \"b\"},\n  \"permissions\": {\n"), "{saved}");
    bench.write("ws/.claude/settings.local.json", "{");
    let error = bench
        .book
        .save(SettingsFile::Local, Behavior::Allow, &[Rule { tool: "Read".into(), spec: None }])
        .unwrap_err();
    assert!(error.contains("can't be saved") && error.contains("no JSON"), "{error}");
    assert_eq!(std::fs::read_to_string(bench.path("ws/.claude/settings.local.json").as_path()).unwrap(), "{");
}

#[cfg(unix)]
#[test]
fn a_settings_file_that_is_a_link_is_written_where_it_leads() {
    let bench = Bench::new(&[("home/mine.json", "{}\n")], OwnRules::default());
    std::fs::create_dir(bench.path("ws/.claude").as_path()).unwrap();
    let link = bench.path("ws/.claude/settings.local.json");
    std::os::unix::fs::symlink(bench.path("home/mine.json").as_path(), link.as_path()).unwrap();
    let save =
        || bench.book.save(SettingsFile::Local, Behavior::Allow, &[Rule { tool: "Glob".into(), spec: None }]);
    let error = save().unwrap_err();
    assert!(error.contains("the folder has a link to"), "nobody trusts the folder: {error}");
    bench.book.set_trust(true).unwrap();
    save().unwrap();
    assert!(std::fs::symlink_metadata(link.as_path()).unwrap().is_symlink());
    assert!(std::fs::read_to_string(bench.path("home/mine.json").as_path()).unwrap().contains("\"Glob\""));
}

#[cfg(unix)]
#[test]
fn a_rule_for_the_folder_is_not_put_into_the_user_s_own_settings() {
    let bench = Bench::new(&[("home/.claude/settings.json", "{}\n")], OwnRules::default());
    std::fs::create_dir(bench.path("ws/.claude").as_path()).unwrap();
    let own = bench.path("home/.claude/settings.json");
    let link = bench.path("ws/.claude/settings.local.json");
    std::os::unix::fs::symlink(own.as_path(), link.as_path()).unwrap();
    bench.book.set_trust(true).unwrap();
    let rule = [Rule { tool: "Glob".into(), spec: None }];
    let error = bench.book.save(SettingsFile::Local, Behavior::Allow, &rule).unwrap_err();
    assert!(error.contains("It holds for this session"), "{error}");
    assert_eq!(std::fs::read_to_string(own.as_path()).unwrap(), "{}\n");
}

#[test]
fn what_a_trusted_folder_comes_to_ask_for_waits_until_it_is_trusted_again() {
    let settings = |rules: &str| format!(r#"{{"permissions": {{"allow": [{rules}]}}}}"#);
    let bench =
        Bench::new(&[("ws/.claude/settings.json", &settings(r#""Read(//etc/**)""#))], OwnRules::default());
    let first = bench.book.newly_waiting(TrustBy::Command).unwrap();
    assert!(first.contains("until you trust it: allow Read(//etc/**)"), "{first}");
    bench.book.set_trust(true).unwrap();
    assert_eq!(bench.book.newly_waiting(TrustBy::Command), None);
    assert_eq!((bench.read("/etc/hosts"), bench.read("lib/a")), ("allow", "ask"));

    // More, by whoever writes there: what was trusted still counts, and the rest is told once.
    bench.write("ws/.claude/settings.json", &settings(r#""Read(//etc/**)", "Read""#));
    assert_eq!((bench.read("/etc/hosts"), bench.read("lib/a")), ("allow", "ask"));
    let more = bench.book.newly_waiting(TrustBy::Command).unwrap();
    assert!(
        more.contains("have changed since you trusted it") && more.contains("again: allow Read."),
        "{more}"
    );
    assert_eq!(bench.book.newly_waiting(TrustBy::Command), None);

    // And still more behind the person's back: they trust what they were told of.
    bench.write("ws/.claude/settings.local.json", r#"{"permissions": {"defaultMode": "acceptEdits"}}"#);
    bench.book.set_trust(true).unwrap();
    assert_eq!(bench.read("lib/a"), "allow");
    assert_eq!(bench.book.current().mode, None);
    let mode = bench.book.newly_waiting(TrustBy::Command).unwrap();
    assert!(mode.contains("the mode acceptEdits"), "{mode}");
    bench.book.set_trust(true).unwrap();
    assert_eq!(bench.book.current().mode, Some(PermissionMode::AcceptEdits));

    // Less needs nobody, and what comes back is still trusted.
    bench.write("ws/.claude/settings.json", "{}");
    assert_eq!((bench.read("lib/a"), bench.book.newly_waiting(TrustBy::Command)), ("ask", None));
}

#[test]
fn a_folder_that_is_trusted_by_name_is_so_with_what_it_asked_for_when_the_process_began() {
    let own = OwnRules { trusted: vec![".".to_owned()], ..OwnRules::default() };
    let bench = Bench::new(&[("ws/.claude/settings.json", ALLOW_ETC)], own);
    assert_eq!(bench.read("lib/a"), "allow");
    bench.write("ws/.claude/settings.json", r#"{"permissions": {"allow": ["Read", "Read(//etc/**)"]}}"#);
    assert_eq!((bench.read("lib/a"), bench.read("/etc/hosts")), ("ask", "allow"));
    let told = bench.book.newly_waiting(TrustBy::Flag).unwrap();
    assert!(told.contains("again: allow Read.") && told.contains("`--trust`"), "{told}");
}
