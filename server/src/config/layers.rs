//! Layers of settings laid over each other. Pure: what is read where is `load`'s business.

use camino::Utf8PathBuf;

use super::key::Trust;
use super::{Key, Settings, Value};

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Default,
    /// The user's own file. Lines count from 1.
    UserFile {
        path: Utf8PathBuf,
        line: usize,
    },
    /// `.copydesk/config.toml` of the workspace, which somebody else may have written.
    WorkspaceFile {
        path: Utf8PathBuf,
        line: usize,
    },
    /// The editor's settings.
    Editor,
    Environment {
        variable: String,
    },
    CommandLine {
        flag: String,
    },
}

/// One setting as it was written. `Debug` leaves the value out, which may be a key.
#[derive(Clone, PartialEq)]
pub struct Entry {
    /// Dotted: `model.name`.
    pub key: String,
    pub value: Value,
    pub origin: Origin,
}

/// What one source says, in its own order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer {
    pub entries: Vec<Entry>,
    /// What is wrong with the source as a whole: a file that is no TOML.
    pub diagnostics: Vec<Diagnostic>,
}

/// Something wrong in one place of the configuration. The rest works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub origin: Origin,
    pub message: String,
}

/// The settings that `layers` give, each over the ones before it, and what is wrong in them.
pub fn settle(layers: &[Layer]) -> (Settings, Vec<Diagnostic>) {
    let mut settings = Settings::default();
    let mut diagnostics = Vec::new();
    let mut bars: Vec<(Option<Key>, String)> = Vec::new();
    for layer in layers {
        diagnostics.extend_from_slice(&layer.diagnostics);
        let lost = layer.diagnostics.iter().filter(|diagnostic| is_users(&diagnostic.origin));
        bars.extend(lost.map(|diagnostic| (None, diagnostic.to_string())));
        for entry in &layer.entries {
            let key = Key::named(&entry.key).filter(|key| key.says_who_is_asked());
            match lay(entry, &mut settings) {
                // A later word on the same makes it good.
                Ok(()) => bars.retain(|(of, _)| key.is_none() || *of != key),
                Err(message) => {
                    let diagnostic = Diagnostic { origin: entry.origin.clone(), message };
                    if key.is_some() && is_users(&entry.origin) {
                        bars.push((key, diagnostic.to_string()));
                    }
                    diagnostics.push(diagnostic);
                }
            }
        }
    }
    settings.bar = bars.into_iter().next().map(|(_, why)| why);
    (settings, diagnostics)
}

/// What a workspace says decides nothing, so nothing is lost with it.
const fn is_users(origin: &Origin) -> bool {
    !matches!(origin, Origin::WorkspaceFile { .. })
}

fn lay(entry: &Entry, settings: &mut Settings) -> Result<(), String> {
    let name = &entry.key;
    let Some(key) = Key::named(name) else {
        return Err(unknown(name));
    };
    if key.trust() == Trust::UserOnly && matches!(entry.origin, Origin::WorkspaceFile { .. }) {
        return Err(format!(
            "`{name}` is not taken from a workspace, which may be somebody else's: set it in your own config.toml"
        ));
    }
    key.set(settings, &entry.value, entry.origin.clone()).map_err(|why| format!("`{name}`: {why}"))
}

fn unknown(name: &str) -> String {
    let nearest = Key::all()
        .map(|key| (distance(name, key.name()), key.name()))
        .min()
        .filter(|(distance, near)| *distance <= near.len() / 3);
    match nearest {
        Some((_, near)) => format!("there is no setting `{name}`; did you mean `{near}`?"),
        None => format!("there is no setting `{name}`; `copydesk config` lists them all"),
    }
}

/// Levenshtein's: how many letters make the one name of the other.
pub fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut next = vec![i + 1];
        for ((to, above), diagonal) in b.iter().zip(row.iter().skip(1)).zip(&row) {
            let left = next.last().copied().unwrap_or_default();
            let changed = diagonal + usize::from(from != *to);
            next.push(changed.min(above + 1).min(left + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

impl Origin {
    /// A file's line that an editor can jump to, or the name of the source.
    pub fn file_and_line(&self) -> Option<(&Utf8PathBuf, usize)> {
        match self {
            Self::UserFile { path, line } | Self::WorkspaceFile { path, line } => Some((path, *line)),
            Self::Default | Self::Editor | Self::Environment { .. } | Self::CommandLine { .. } => None,
        }
    }
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("key", &self.key).field("origin", &self.origin).finish_non_exhaustive()
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::UserFile { path, line } | Self::WorkspaceFile { path, line } => write!(f, "{path}:{line}"),
            Self::Editor => f.write_str("the editor's settings"),
            Self::Environment { variable } => write!(f, "${variable}"),
            Self::CommandLine { flag } => f.write_str(flag),
        }
    }
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.origin, self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(key: &str, value: Value, origin: Origin) -> Entry {
        Entry { key: key.to_owned(), value, origin }
    }

    fn layer(entries: Vec<Entry>) -> Layer {
        Layer { entries, diagnostics: Vec::new() }
    }

    fn user(line: usize) -> Origin {
        Origin::UserFile { path: "/h/config.toml".into(), line }
    }

    fn workspace(line: usize) -> Origin {
        Origin::WorkspaceFile { path: "/w/.copydesk/config.toml".into(), line }
    }

    #[test]
    fn later_layers_win_and_each_value_knows_its_origin() {
        let (settings, diagnostics) = settle(&[
            layer(vec![entry("max_turns", Value::Whole(5), user(1))]),
            layer(vec![entry("maxTurns", Value::Whole(7), Origin::Editor)]),
            layer(vec![entry("review.advance", Value::Flag(false), workspace(2))]),
        ]);
        assert_eq!(diagnostics, []);
        assert_eq!((settings.max_turns.value, &settings.max_turns.origin), (7, &Origin::Editor));
        assert_eq!(settings.review.advance.origin.to_string(), "/w/.copydesk/config.toml:2");
        assert_eq!(settings.review.inlay_hints.origin, Origin::Default);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line_and_the_rest_works() {
        let (settings, diagnostics) = settle(&[layer(vec![
            entry("max_turn", Value::Whole(5), user(1)),
            entry("max_turns", Value::Text("many".into()), user(2)),
            entry("something.else", Value::Flag(true), user(3)),
            entry("log.level", Value::Text("debug".into()), user(4)),
        ])]);
        let told: Vec<_> = diagnostics.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "/h/config.toml:1: there is no setting `max_turn`; did you mean `max_turns`?",
                "/h/config.toml:2: `max_turns`: expected a whole number of 1 or more, got \"many\"",
                "/h/config.toml:3: there is no setting `something.else`; `copydesk config` lists them all",
            ]
        );
        assert_eq!((settings.max_turns.value, settings.log_level.value.name()), (100, "debug"));
    }

    #[track_caller]
    fn check_bar(entries: Vec<Entry>, wanted: Option<&str>) {
        assert_eq!(settle(&[layer(entries)]).0.bar.as_deref(), wanted);
    }

    #[test]
    fn nobody_is_asked_where_it_is_not_clear_who_is_meant() {
        let text = |text: &str| Value::Text(text.into());
        check_bar(
            vec![entry("openai.base_url", text("localhost:11434"), user(1))],
            Some(
                "/h/config.toml:1: `openai.base_url`: \"localhost:11434\" does not begin with http:// or https://: write \"http://localhost:11434\"",
            ),
        );
        check_bar(
            vec![
                entry("openai.base_url", text("localhost:11434"), user(1)),
                entry("openai.base_url", text("HTTP://localhost:11434"), Origin::Editor),
            ],
            None,
        );
        check_bar(vec![entry("log.level", text("loud"), user(1))], None);
        check_bar(vec![entry("model.provider", text("ofline"), workspace(1))], None);
    }

    #[test]
    fn a_workspace_has_no_say_about_models_and_keys() {
        for key in ["openai.base_url", "anthropic.api_key", "model.provider", "model.name", "max_turns"] {
            let (settings, diagnostics) =
                settle(&[layer(vec![entry(key, Value::Text("http://127.0.0.1:9".into()), workspace(1))])]);
            assert_eq!(settings, Settings::default());
            let [told] = diagnostics.as_slice() else { panic!("{key}: {diagnostics:?}") };
            assert!(told.message.contains("not taken from a workspace"), "{told}");
        }
    }
}
