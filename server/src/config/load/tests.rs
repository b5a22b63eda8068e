use serde_json::json;

use super::*;
use crate::config::{Key, Shown};

/// A folder with a user's file and a workspace's file.
fn loaded(user: &str, workspace: &str, mut places: Places) -> (Loaded, String) {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
    std::fs::create_dir(root.join(".copydesk")).unwrap();
    std::fs::write(root.join("config.toml"), user).unwrap();
    std::fs::write(root.join(".copydesk/config.toml"), workspace).unwrap();
    places.user_file = Some(root.join("config.toml"));
    places.workspace = Some(root.clone());
    (load(&places), root.into_string())
}

#[track_caller]
fn check_diagnostics(user: &str, workspace: &str, want: &[&str]) -> Settings {
    let (loaded, root) = loaded(user, workspace, Places::default());
    let told: Vec<_> =
        loaded.diagnostics.iter().map(|told| told.to_string().replace(&format!("{root}/"), "")).collect();
    assert_eq!(told, want);
    loaded.settings
}

#[test]
fn files_name_the_line_of_what_is_wrong() {
    let user = "# mine\n[model]\nname = \"m\"\nmax_tokens = \"many\"\n\n[review]\nadvanced = true\n";
    let settings = check_diagnostics(
        user,
        "",
        &[
            "config.toml:4: `model.max_tokens`: expected a whole number of 1 or more, got \"many\"",
            "config.toml:7: there is no setting `review.advanced`; did you mean `review.advance`?",
        ],
    );
    assert_eq!(settings.model.name.value.as_deref(), Some("m"));
}

#[test]
fn tables_in_every_form() {
    for user in ["[model]\nname = \"m\"", "model.name = \"m\"", "model = { name = \"m\" }"] {
        assert_eq!(check_diagnostics(user, "", &[]).model.name.value.as_deref(), Some("m"), "{user}");
    }
}

#[test]
fn a_file_that_is_no_toml_leaves_the_other_alone() {
    let settings = check_diagnostics(
        "max_turns = 3\n",
        "review.advance = false\n[oh no\n",
        &[
            ".copydesk/config.toml:2: this is no TOML, so nothing of the file counts: unclosed table, expected `]`",
        ],
    );
    assert_eq!((settings.max_turns.value, settings.review.advance.value), (3, true));
}

#[test]
fn a_workspace_may_set_comfort_only() {
    let settings = check_diagnostics(
        "",
        "review.advance = false\nopenai.base_url = \"http://127.0.0.1:9\"\n",
        &[
            ".copydesk/config.toml:2: `openai.base_url` is not taken from a workspace, which may be somebody else's: \
           set it in your own config.toml",
        ],
    );
    assert_eq!((settings.review.advance.value, settings.openai.base_url.value), (false, None));
}

#[test]
fn the_layers_in_their_order() {
    let places = Places {
        editor: Some(
            json!({"copydesk": {"maxTurns": 3, "review.inlayHints": true, "model": {"name": "editor"}, "path": "x"}}),
        ),
        environment: vec![
            ("ANTHROPIC_API_KEY".into(), "sk-FAKE".into()),
            ("COPYDESK_MODEL".into(), "environment".into()),
            ("ANTHROPIC_BASE_URL".into(), String::new()),
        ],
        command_line: vec![Override { key: Key::ModelProvider, value: "offline".into(), flag: "--offline" }],
        ..Places::default()
    };
    let user = "max_turns = 1\nreview.advance = false\nanthropic.base_url = \"https://mine.example\"\n";
    let (loaded, root) = loaded(user, "review.advance = true\n", places);
    assert_eq!(loaded.diagnostics, []);
    let shown: Vec<_> = Key::all()
        .filter(|key| !key.name().starts_with("context.") && !key.name().starts_with("task."))
        .map(|key| {
            let (value, origin) = key.show(&loaded.settings);
            let value = match value {
                Shown::Value(value) => value,
                Shown::Unset => "unset".to_owned(),
                Shown::Hidden => "hidden".to_owned(),
            };
            format!("{} = {value} # {}", key.name(), origin.to_string().replace(&root, ""))
        })
        .collect();
    assert_eq!(
        shown,
        [
            "model.provider = \"offline\" # --offline",
            "model.name = \"environment\" # $COPYDESK_MODEL",
            "model.max_tokens = unset # default",
            "model.context_window = unset # default",
            "model.server = unset # default",
            "model.tool_calls = \"native\" # default",
            "model.detect_local = true # default",
            "model.thinking = unset # default",
            "model.effort = unset # default",
            "model.attempts = 10 # default",
            "model.retry_wait_ms = 500 # default",
            "model.unattended = false # default",
            "model.fallback = unset # default",
            "model.small = unset # default",
            "model.prices = \"claude-fable-5 = 10/50/12.5/1, claude-haiku-4-5 = 1/5/1.25/0.1, claude-opus-5 = 5/25/6.25/0.5, claude-sonnet-5 = 2/10/2.5/0.2\" # default",
            "anthropic.base_url = \"https://mine.example\" # /config.toml:3",
            "anthropic.api_key = hidden # $ANTHROPIC_API_KEY",
            "anthropic.auth_token = unset # default",
            "anthropic.idle_timeout_ms = unset # default",
            "openai.base_url = unset # default",
            "openai.api_key = unset # default",
            "openai.idle_timeout_ms = unset # default",
            "max_turns = 3 # the editor's settings",
            "max_budget_usd = unset # default",
            "actions = unset # default",
            "tools.mode = \"all\" # default",
            "tools.search = \"on\" # default",
            "tools.web_search = unset # default",
            "shell.trial_tree = \"auto\" # default",
            "shell.network = \"none\" # default",
            "shell.environment = [] # default",
            "shell.pass_through = [] # default",
            "permissions.mode = unset # default",
            "permissions.allow = [] # default",
            "permissions.ask = [] # default",
            "permissions.deny = [] # default",
            "permissions.additional_directories = [] # default",
            "permissions.trusted_folders = [] # default",
            "review.advance = true # /.copydesk/config.toml:1",
            "review.inlay_hints = true # the editor's settings",
            "review.echo_timeout_ms = 1000 # default",
            "files.edit_limit = 52428800 # default",
            "log.level = \"info\" # default",
            "shell.default_timeout_ms = 120000 # default",
            "shell.longest_timeout_ms = 600000 # default",
            "shell.output_chars = 30000 # default",
            "shell.failed_output_chars = 10000 # default",
            "shell.saved_bytes = 67108864 # default",
            "shell.most_output_bytes = 5368709120 # default",
            "shell.processes = 4096 # default",
            "shell.memory_bytes = 17179869184 # default",
        ]
    );
    assert!(!format!("{loaded:?}").contains("FAKE"));
}

#[test]
fn a_model_of_the_command_line_may_name_its_provider() {
    let check = |model: &str, provider: Option<ProviderKind>, name: &str| {
        let command_line = vec![Override { key: Key::ModelName, value: model.to_owned(), flag: "--model" }];
        let environment = vec![("COPYDESK_MODEL".to_owned(), "other".to_owned())];
        let settings = load(&Places { environment, command_line, ..Places::default() }).settings;
        assert_eq!(
            (settings.model.provider.value, settings.model.name.value.as_deref()),
            (provider, Some(name).filter(|name| !name.is_empty())),
            "{model}"
        );
    };
    check("claude-x", None, "claude-x");
    check("openai/gpt-x", Some(ProviderKind::OpenAi), "gpt-x");
    check("anthropic/claude-x", Some(ProviderKind::Anthropic), "claude-x");
    check("openai/qwen/qwen3", Some(ProviderKind::OpenAi), "qwen/qwen3");
    check("openai/openai/gpt-x", Some(ProviderKind::OpenAi), "openai/gpt-x");
    check("qwen/qwen3", None, "qwen/qwen3");
    // The name that was set is another provider's.
    check("local", Some(ProviderKind::Local), "");
    check("offline", Some(ProviderKind::Offline), "");
}

#[test]
fn what_is_broken_bars_every_request() {
    #[track_caller]
    fn check(user: &str, variables: &[(&str, &str)], model: Option<&str>, wanted: &str) {
        let named = |model: &str| Override { key: Key::ModelName, value: model.to_owned(), flag: "--model" };
        let places = Places {
            environment: variables.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
            command_line: model.map(named).into_iter().collect(),
            ..Places::default()
        };
        let bar = loaded(user, "", places).0.settings.bar.unwrap_or_default();
        assert!(bar.contains(wanted), "{bar:?}");
    }
    let at = |variable, value| [("OPENAI_API_KEY", "sk-FAKE"), (variable, value)];
    check(
        "",
        &at("OPENAI_BASE_URL", "localhost:11434"),
        None,
        "$OPENAI_BASE_URL: `openai.base_url`: \"localhost:11434\" does not begin with http:// or https://: write \"http://localhost:11434\"",
    );
    check("", &at("ANTHROPIC_BASE_URL", "gateway.corp"), None, "write \"https://gateway.corp\"");
    check("[openai]\nbase_url = \"studio.lan:11434\"", &[], None, "config.toml:2: `openai.base_url`");
    check("", &at("COPYDESK_PROVIDER", "nobody"), None, "$COPYDESK_PROVIDER: `model.provider`");
    check("", &[("OPENAI_API_KEY", "sk FAKE")], None, "$OPENAI_API_KEY: `openai.api_key`");
    check("model.name = 3", &[], None, "config.toml:1: `model.name`");
    check("", &[], Some(""), "--model: `model.name`");
    check("", &[], Some("openai/"), "--model: `model.name`");
    check("[oh no", &[], None, "config.toml:1: this is no TOML");
    for limit in ["max_budget_usd = -1", "max_budget_usd = -0.5", "max_budget_usd = nan", "max_turns = 0"] {
        check(limit, &[], None, "config.toml:1: `max_");
    }
}

#[test]
fn nothing_anywhere_is_fine() {
    let loaded = load(&Places { user_file: Some("/nowhere/config.toml".into()), ..Places::default() });
    assert_eq!((loaded.settings, loaded.diagnostics), (Settings::default(), vec![]));
    assert_eq!(loaded.files, [("/nowhere/config.toml".into(), false)]);
    assert_eq!(editor_layer(&json!("nonsense")), Layer::default());
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8PathBuf::from_path_buf(folder.path().join("config.toml")).unwrap();
    let check = |wanted: &str| {
        let loaded = load(&Places { user_file: Some(path.clone()), ..Places::default() });
        let told: Vec<_> = loaded.diagnostics.iter().map(ToString::to_string).collect();
        assert_eq!(told, [format!("{path}:1: the file can't be read: {wanted}")]);
        assert_eq!(loaded.files, [(path.clone(), true)]);
    };
    std::fs::create_dir(&path).unwrap();
    check("it is no regular file");
    std::fs::remove_dir(&path).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    check("it is no regular file");
    std::fs::remove_file(&path).unwrap();
    std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    check("it is no regular file");
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, "#".repeat(1_000_001)).unwrap();
    check("it is longer than 1000000 bytes");
}
