//! Reading the layers: two files, the editor's settings, the environment and the command line.

use std::io::{ErrorKind, Read};

use camino::{Utf8Path, Utf8PathBuf};
use toml_edit::{Document, Item, Table};

use super::doubts::doubts;
use super::{Diagnostic, Entry, Key, Layer, Origin, ProviderKind, Settings, Value, settle};

/// Where settings are looked for. No `Debug`: the environment holds keys.
#[derive(Clone, Default)]
pub struct Places {
    /// The user's `config.toml`.
    pub user_file: Option<Utf8PathBuf>,
    /// The workspace's root folder.
    pub workspace: Option<Utf8PathBuf>,
    /// `initializationOptions` or `workspace/configuration`.
    pub editor: Option<serde_json::Value>,
    /// All variables of the process.
    pub environment: Vec<(String, String)>,
    pub command_line: Vec<Override>,
}

/// A setting given on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    pub key: Key,
    pub value: String,
    /// `--model`
    pub flag: &'static str,
}

/// The effective settings.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub settings: Settings,
    pub diagnostics: Vec<Diagnostic>,
    /// The files that were looked for, and whether they are there.
    pub files: Vec<(Utf8PathBuf, bool)>,
}

impl Places {
    /// This process's: `config.toml` in the system's folder for configuration (`$XDG_CONFIG_HOME/copydesk`), and the
    /// environment.
    pub fn of_process() -> Self {
        let folder = etcetera::choose_base_strategy()
            .ok()
            .map(|strategy| etcetera::BaseStrategy::config_dir(&strategy))
            // A relative one would be a folder of the workspace, which may be somebody else's.
            .filter(|folder| folder.is_absolute())
            .and_then(|folder| Utf8PathBuf::from_path_buf(folder).ok());
        let environment = std::env::vars_os()
            // What is no Unicode must not pass for unset.
            .filter_map(|(name, value)| {
                Some((name.into_string().ok()?, value.to_string_lossy().into_owned()))
            })
            .collect();
        Self {
            user_file: folder.map(|folder| folder.join("copydesk").join("config.toml")),
            environment,
            ..Self::default()
        }
    }
}

/// Reads every place. What can't be read is a diagnostic; what is not there says nothing.
pub fn load(places: &Places) -> Loaded {
    let workspace_file = places.workspace.as_ref().map(|root| root.join(".copydesk").join("config.toml"));
    let mut files = Vec::new();
    let mut from_file = |path: &Option<Utf8PathBuf>, origin: fn(Utf8PathBuf, usize) -> Origin| {
        let Some(path) = path else { return Layer::default() };
        let read = read_file(path).transpose();
        files.push((path.clone(), read.is_some()));
        match read {
            None => Layer::default(),
            Some(Ok(text)) => file_layer(path, &text, origin),
            Some(Err(cause)) => {
                let message = format!("the file can't be read: {cause}");
                Layer {
                    entries: Vec::new(),
                    diagnostics: vec![Diagnostic { origin: origin(path.clone(), 1), message }],
                }
            }
        }
    };
    let layers = [
        from_file(&places.user_file, |path, line| Origin::UserFile { path, line }),
        from_file(&workspace_file, |path, line| Origin::WorkspaceFile { path, line }),
        places.editor.as_ref().map(editor_layer).unwrap_or_default(),
        environment_layer(&places.environment),
        command_line_layer(&places.command_line),
    ];
    let (settings, mut diagnostics) = settle(&layers);
    diagnostics.extend(doubts(&settings));
    Loaded { settings, diagnostics, files }
}

/// No configuration is longer.
const LONGEST_FILE: u64 = 1_000_000;

/// `None` where no file is. A workspace may be somebody else's: what never ends, and what waits for a writer, is not read.
fn read_file(path: &Utf8Path) -> Result<Option<String>, String> {
    let is_missing =
        |error: &std::io::Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    let kind = match std::fs::metadata(path) {
        Ok(metadata) => metadata.file_type(),
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    if !kind.is_file() {
        return Err("it is no regular file".to_owned());
    }
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    file.take(LONGEST_FILE + 1).read_to_string(&mut text).map_err(|error| error.to_string())?;
    if text.len() as u64 > LONGEST_FILE {
        return Err(format!("it is longer than {LONGEST_FILE} bytes"));
    }
    Ok(Some(text))
}

/// What a `config.toml` says.
pub fn file_layer(path: &Utf8Path, text: &str, origin: fn(Utf8PathBuf, usize) -> Origin) -> Layer {
    let at = |offset: usize| origin(path.to_owned(), line_of(text, offset));
    let mut layer = Layer::default();
    match Document::parse(text) {
        Ok(document) => {
            let mut entries = Vec::new();
            flatten("", document.as_table(), &mut entries);
            layer.entries = entries
                .into_iter()
                .map(|(key, value, offset)| Entry { key, value, origin: at(offset) })
                .collect();
        }
        Err(error) => layer.diagnostics.push(Diagnostic {
            origin: at(error.span().map_or(0, |span| span.start)),
            message: format!("this is no TOML, so nothing of the file counts: {}", error.message().trim()),
        }),
    }
    layer
}

/// What the editor's settings say: `{"copydesk": {…}}`, or what is inside; dotted keys too.
pub fn editor_layer(settings: &serde_json::Value) -> Layer {
    let inside = settings.get("copydesk").unwrap_or(settings);
    let mut entries = Vec::new();
    flatten_json("", inside, &mut entries);
    entries.retain(|entry| !is_the_clients(&entry.key));
    Layer { entries, diagnostics: Vec::new() }
}

/// Settings that are read by a client of ours, not by the server.
fn is_the_clients(key: &str) -> bool {
    key == "path" || key == "commandPrefix" || key.starts_with("trace.")
}

/// Variables that say what a setting says.
///
/// An address comes before the key that goes with it.
const VARIABLES: [(&str, &str); 9] = [
    ("ANTHROPIC_BASE_URL", "anthropic.base_url"),
    ("ANTHROPIC_API_KEY", "anthropic.api_key"),
    ("ANTHROPIC_AUTH_TOKEN", "anthropic.auth_token"),
    ("OPENAI_BASE_URL", "openai.base_url"),
    ("OPENAI_API_KEY", "openai.api_key"),
    ("COPYDESK_DETECT_LOCAL", "model.detect_local"),
    ("COPYDESK_PROVIDER", "model.provider"),
    ("COPYDESK_MODEL", "model.name"),
    ("COPYDESK_LOG", "log.level"),
];

fn environment_layer(variables: &[(String, String)]) -> Layer {
    let entries = VARIABLES
        .iter()
        .filter_map(|(variable, key)| {
            let (_, value) = variables.iter().find(|(name, _)| name == variable)?;
            // A variable that is set to nothing is how a shell unsets it.
            (!value.is_empty()).then(|| Entry {
                key: (*key).to_owned(),
                value: Value::Text(value.clone()),
                origin: Origin::Environment { variable: (*variable).to_owned() },
            })
        })
        .collect();
    Layer { entries, diagnostics: Vec::new() }
}

fn command_line_layer(overrides: &[Override]) -> Layer {
    let text = |text: &str| Value::Text(text.to_owned());
    let mut entries = Vec::new();
    for Override { key, value, flag } in overrides {
        let mut say = |key: Key, value: Value| {
            entries.push(Entry {
                key: key.name().to_owned(),
                value,
                origin: Origin::CommandLine { flag: (*flag).to_owned() },
            });
        };
        match ProviderKind::named_in(value) {
            Some((provider, name)) if *key == Key::ModelName => {
                say(Key::ModelProvider, text(provider.name()));
                say(Key::ModelName, name.map_or(Value::Unset, text));
            }
            _ => say(*key, text(value)),
        }
    }
    Layer { entries, diagnostics: Vec::new() }
}

/// The leaves of `table` with their dotted keys and the offsets of those.
fn flatten(prefix: &str, table: &Table, into: &mut Vec<(String, Value, usize)>) {
    for (name, item) in table {
        let key = dotted(prefix, name);
        let offset = table
            .key(name)
            .and_then(toml_edit::Key::span)
            .or_else(|| item.span())
            .map_or(0, |span| span.start);
        match item {
            Item::Table(table) => flatten(&key, table, into),
            Item::Value(toml_edit::Value::InlineTable(table)) => {
                flatten(&key, &table.clone().into_table(), into);
            }
            Item::Value(value) => into.push((key, of_toml(value), offset)),
            Item::ArrayOfTables(tables) => {
                into.push((key, Value::Tables(tables.iter().map(fields).collect()), offset));
            }
            Item::None => {}
        }
    }
}

/// A table of a list, without the tables in it.
fn fields(table: &Table) -> Vec<(String, Value)> {
    let field = |(name, item): (&str, &Item)| {
        (name.to_owned(), item.as_value().map_or(Value::Other("a table"), of_toml))
    };
    table.iter().map(field).collect()
}

fn of_toml(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::Text(text.value().clone()),
        toml_edit::Value::Integer(number) => Value::Whole(*number.value()),
        toml_edit::Value::Boolean(flag) => Value::Flag(*flag.value()),
        toml_edit::Value::Float(number) => Value::Fraction(*number.value()),
        toml_edit::Value::Datetime(_) => Value::Other("a date"),
        toml_edit::Value::Array(list) => {
            let table = |value: &toml_edit::Value| {
                value.as_inline_table().map(|table| fields(&table.clone().into_table()))
            };
            let tables = || list.iter().map(table).collect::<Option<_>>().map(Value::Tables);
            let texts = texts(list.iter().map(toml_edit::Value::as_str));
            texts.or_else(tables).unwrap_or_else(|| Value::Mixed(list.iter().map(of_toml).collect()))
        }
        toml_edit::Value::InlineTable(_) => Value::Other("a table"),
    }
}

/// A list of texts, if there is something in it and all of it is one.
fn texts<'a>(list: impl Iterator<Item = Option<&'a str>>) -> Option<Value> {
    let texts: Vec<String> = list.map(|text| text.map(str::to_owned)).collect::<Option<_>>()?;
    (!texts.is_empty()).then_some(Value::Texts(texts))
}

fn flatten_json(prefix: &str, value: &serde_json::Value, into: &mut Vec<Entry>) {
    let leaf = match value {
        serde_json::Value::Object(map) => {
            for (name, value) in map {
                flatten_json(&dotted(prefix, name), value, into);
            }
            return;
        }
        // Editors send null for what is not set.
        serde_json::Value::Null => return,
        value => of_json(value),
    };
    if !prefix.is_empty() {
        into.push(Entry { key: prefix.to_owned(), value: leaf, origin: Origin::Editor });
    }
}

fn of_json(value: &serde_json::Value) -> Value {
    match value {
        serde_json::Value::String(text) => Value::Text(text.clone()),
        serde_json::Value::Bool(flag) => Value::Flag(*flag),
        serde_json::Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Value::Whole(whole),
            (None, Some(fraction)) => Value::Fraction(fraction),
            (None, None) => Value::Other("a number"),
        },
        serde_json::Value::Array(list) => {
            let table = |value: &serde_json::Value| {
                let fields = value.as_object()?.iter();
                Some(fields.map(|(name, value)| (name.clone(), of_json(value))).collect())
            };
            let tables = || list.iter().map(table).collect::<Option<_>>().map(Value::Tables);
            let texts = texts(list.iter().map(serde_json::Value::as_str));
            texts.or_else(tables).unwrap_or_else(|| Value::Mixed(list.iter().map(of_json).collect()))
        }
        serde_json::Value::Object(_) => Value::Other("a table"),
        serde_json::Value::Null => Value::Other("null"),
    }
}

fn dotted(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}

fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests;
