//! The settings in effect, and what becomes of them when the editor's settings change while the server runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::core::{Core, Reload};
use super::surface::SurfaceSettings;
use crate::config::{Diagnostic, Key, Loaded};

/// Cheap to clone.
#[derive(Clone)]
pub(super) struct Configuration {
    now: Arc<Mutex<Arc<Loaded>>>,
    /// What the editor said when it began; what it says later comes over it.
    options: Value,
    reload: Reload,
}

/// What a change of the editor's settings did.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Changed {
    /// Settings that changed and count from the next start.
    pub(super) waiting: Vec<&'static str>,
    /// What is wrong now and was not before.
    pub(super) wrong: Vec<Diagnostic>,
}

impl Configuration {
    pub(super) fn of(core: &Core) -> Self {
        Self {
            now: Arc::new(Mutex::new(core.configuration.clone())),
            options: core.options.clone(),
            reload: core.reload.clone(),
        }
    }

    pub(super) fn now(&self) -> Arc<Loaded> {
        self.lock().clone()
    }

    pub(super) fn surfaces(&self) -> SurfaceSettings {
        let review = &self.lock().settings.review;
        SurfaceSettings { advance: review.advance.value, inlay_hints: review.inlay_hints.value }
    }

    /// Reads everything anew with the editor's `settings`, as `workspace/didChangeConfiguration` brings them. Reads files.
    pub(super) fn change(&self, settings: &Value) -> Changed {
        let mut now = self.lock();
        let before = now.clone();
        let after = Arc::new((self.reload)(&over(&self.options, settings)));
        *now = after.clone();
        drop(now);
        let waits = |key: &Key| !key.counts_at_once() && key.differs(&before.settings, &after.settings);
        let is_new = |diagnostic: &&Diagnostic| !before.diagnostics.contains(diagnostic);
        Changed {
            waiting: Key::all().filter(waits).map(Key::name).collect(),
            wrong: after.diagnostics.iter().filter(is_new).cloned().collect(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Arc<Loaded>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `newer` laid over `older`, both with or without `copydesk` around them; null takes a setting back.
fn over(older: &Value, newer: &Value) -> Value {
    fn lay(over: &mut Value, newer: &Value) {
        match (over, newer) {
            (Value::Object(over), Value::Object(newer)) => {
                for (name, value) in newer {
                    lay(over.entry(name.clone()).or_insert(Value::Null), value);
                }
            }
            (over, newer) => *over = newer.clone(),
        }
    }
    let inside = |value: &Value| value.get("copydesk").unwrap_or(value).clone();
    let mut all = inside(older);
    lay(&mut all, &inside(newer));
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::{Places, load};

    /// What `settings` change where the editor began with `options`: advance after it, what waits, what is wrong.
    #[track_caller]
    fn check(options: Value, settings: Value, advance: bool, waiting: &[&str], wrong: &[&str]) {
        let reload: Reload =
            Arc::new(|editor| load(&Places { editor: Some(editor.clone()), ..Places::default() }));
        let now = Arc::new(Mutex::new(Arc::new(reload(&options))));
        let configuration = Configuration { now, options, reload };
        let changed = configuration.change(&settings);
        assert_eq!(configuration.surfaces().advance, advance);
        assert_eq!(changed.waiting, waiting);
        let told: Vec<_> = changed.wrong.iter().map(ToString::to_string).collect();
        assert!(
            told.len() == wrong.len() && told.iter().zip(wrong).all(|(told, wanted)| told.contains(wanted)),
            "{told:?}"
        );
    }

    #[test]
    fn what_can_change_at_once_does_and_the_rest_is_named() {
        let off = json!({"copydesk": {"review": {"advance": false}}});
        check(json!({}), off.clone(), false, &[], &[]);
        check(json!(null), json!({"review": {"advance": false}, "maxTurns": 7}), false, &["max_turns"], &[]);
        check(off.clone(), json!({"anthropic": {"apiKey": "sk-FAKE"}}), false, &["anthropic.api_key"], &[]);
        check(off.clone(), json!({"review": {"advance": null}}), true, &[], &[]);
        check(off, json!({}), false, &[], &[]);
    }

    #[test]
    fn what_is_wrong_is_told_once_and_changes_nothing() {
        check(
            json!({}),
            json!({"review": {"advance": "no"}}),
            true,
            &[],
            &["expected true or false, got \"no\""],
        );
        let wrong = json!({"review": {"advance": "no"}});
        check(wrong.clone(), wrong, true, &[], &[]);
    }
}
