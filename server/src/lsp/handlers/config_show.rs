//! `copydesk/config/show`: the settings in effect, where each comes from, and what is wrong. Keys are never shown.

use serde_json::{Value, json};
use tower_lsp::jsonrpc::Result;

use crate::config::{Key, Shown};
use crate::lsp::backend::Backend;
use crate::permissions::{Behavior, SettledRule};

pub(in crate::lsp) async fn config_show(backend: &Backend, _params: Value) -> Result<Value> {
    let loaded = backend.stage().configuration.now();
    let setting = |key: Key| {
        let (value, origin) = key.show(&loaded.settings);
        let (value, hidden) = match value {
            Shown::Value(value) => (Some(value), false),
            Shown::Unset => (None, false),
            Shown::Hidden => (None, true),
        };
        json!({ "key": key.name(), "value": value, "hidden": hidden, "origin": origin.to_string() })
    };
    let files: Vec<_> =
        loaded.files.iter().map(|(path, found)| json!({ "path": path.as_str(), "found": found })).collect();
    let diagnostics: Vec<_> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    let settings: Vec<_> = Key::all().map(setting).collect();
    let written = backend.stage().core.rules.current();
    let rule = |settled: &SettledRule| {
        let behavior = match settled.behavior {
            Behavior::Deny => "deny",
            Behavior::Ask => "ask",
            Behavior::Allow => "allow",
        };
        json!({ "behavior": behavior, "rule": settled.rule.to_string(), "origin": settled.origin })
    };
    let permissions = json!({
        "rules": written.rules.iter().map(rule).collect::<Vec<_>>(),
        "problems": written.problems,
        "trusted": written.trusted,
        "waitingForTrust": written.waiting_for_trust,
    });
    Ok(
        json!({ "settings": settings, "files": files, "diagnostics": diagnostics, "permissions": permissions }),
    )
}
