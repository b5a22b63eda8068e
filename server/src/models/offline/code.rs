//! What the offline model sees in code: definitions by their keyword, and how a language writes comments.

use super::grammar::is_word;

/// A definition, found by its keyword at the head of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Definition {
    /// Zero-based.
    pub(super) line: usize,
    pub(super) name: String,
    pub(super) kind: DefinitionKind,
    pub(super) indent: String,
    /// Names of parameters, as far as they stand on the same line.
    pub(super) parameters: Vec<String>,
    /// What is returned, if the line says so.
    pub(super) returns: Option<String>,
    /// Its line, without indent.
    pub(super) head: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DefinitionKind {
    Function,
    Type,
}

/// How a doc comment is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommentStyle {
    /// On lines of its own above the definition, each begun by this.
    Above(&'static str),
    /// Between `/**` and `*/` above the definition.
    Block,
    /// A string below the head of the definition.
    Docstring,
}

/// Words that may stand before a definition's keyword.
const MODIFIERS: [&str; 19] = [
    "pub",
    "async",
    "unsafe",
    "const",
    "extern",
    "export",
    "default",
    "static",
    "public",
    "private",
    "protected",
    "internal",
    "final",
    "abstract",
    "local",
    "inline",
    "override",
    "open",
    "declare",
];
const FUNCTIONS: [&str; 6] = ["fn", "function", "def", "func", "fun", "sub"];
const TYPES: [&str; 8] = ["struct", "class", "enum", "trait", "interface", "type", "union", "module"];

/// Every definition in `text`, from the top.
pub(super) fn definitions(text: &str) -> Vec<Definition> {
    text.split('\n').enumerate().filter_map(|(line, written)| definition(line, written)).collect()
}

/// The comment style that goes with a file's extension, or `None` where the language is not known.
pub(super) fn comment_style(path: &str) -> Option<CommentStyle> {
    Some(match extension(path)? {
        "rs" => CommentStyle::Above("/// "),
        "go" | "zig" | "swift" | "odin" => CommentStyle::Above("// "),
        "lua" => CommentStyle::Above("--- "),
        "sh" | "bash" | "zsh" | "rb" | "ex" | "exs" | "jl" | "nim" | "pl" => CommentStyle::Above("# "),
        "py" | "pyi" => CommentStyle::Docstring,
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "java" | "kt" | "scala" | "c" | "h" | "cc" | "cpp"
        | "hpp" | "cs" | "php" | "dart" => CommentStyle::Block,
        _ => return None,
    })
}

/// What follows the last dot of the file's name.
pub(super) fn extension(path: &str) -> Option<&str> {
    path.rsplit(['/', '\\']).next()?.rsplit_once('.').map(|(_, extension)| extension)
}

fn definition(line: usize, written: &str) -> Option<Definition> {
    let head = written.trim_start();
    let indent = written.get(..written.len() - head.len())?.to_owned();
    let (kind, rest) = after_keyword(head)?;
    let rest = without_receiver(rest.trim_start().trim_start_matches('*').trim_start());
    let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
    let (name, behind) = rest.split_at(end);
    if name.is_empty() {
        return None;
    }
    Some(Definition {
        line,
        name: name.to_owned(),
        kind,
        indent,
        parameters: parameters(behind),
        returns: returns(behind),
        head: head.trim_end().to_owned(),
    })
}

fn after_keyword(head: &str) -> Option<(DefinitionKind, &str)> {
    let mut rest = head;
    loop {
        let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        if FUNCTIONS.contains(&word) {
            return behind.starts_with([' ', '\t', '*']).then_some((DefinitionKind::Function, behind));
        }
        if TYPES.contains(&word) {
            return behind.starts_with([' ', '\t']).then_some((DefinitionKind::Type, behind));
        }
        if !MODIFIERS.contains(&word) {
            return None;
        }
        rest = without_visibility(behind).trim_start();
    }
}

/// Skips what Rust puts in brackets behind `pub`, or in quotes behind `extern`.
fn without_visibility(rest: &str) -> &str {
    let skipped = rest.strip_prefix('(').and_then(|inside| inside.split_once(')')).map(|(_, behind)| behind);
    let rest = skipped.unwrap_or(rest);
    let quoted = rest.trim_start().strip_prefix('"').and_then(|inside| inside.split_once('"'));
    quoted.map_or(rest, |(_, behind)| behind)
}

/// Skips a Go method's receiver.
fn without_receiver(rest: &str) -> &str {
    rest.strip_prefix('(')
        .and_then(|inside| inside.split_once(')'))
        .map_or(rest, |(_, behind)| behind.trim_start())
}

fn parameters(behind: &str) -> Vec<String> {
    let Some(inside) = behind.split_once('(').and_then(|(_, rest)| closed(rest)) else { return Vec::new() };
    let mut names = Vec::new();
    let mut depth = 0_usize;
    let mut parameter = String::new();
    for c in inside.chars().chain([',']) {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                names.extend(parameter_name(&parameter));
                parameter.clear();
                continue;
            }
            _ => {}
        }
        parameter.push(c);
    }
    names
}

/// `inside` up to the bracket that closes it.
fn closed(inside: &str) -> Option<&str> {
    let mut depth = 1_usize;
    for (at, c) in inside.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return inside.get(..at);
        }
    }
    None
}

fn parameter_name(parameter: &str) -> Option<String> {
    let before_type = parameter.split([':', '=']).next()?;
    let name = before_type.trim().trim_start_matches("mut ").trim_start_matches(['&', '*', '.']);
    let receiver = ["self", "mut self", "this"].contains(&name);
    let named = !name.is_empty() && !receiver && name.chars().all(is_word);
    named.then(|| name.to_owned())
}

fn returns(behind: &str) -> Option<String> {
    let (_, returned) = behind.split_once("->")?;
    let returned = returned.split(" where ").next()?.trim().trim_end_matches(['{', ':', ';']).trim();
    (!returned.is_empty())
        .then(|| returned.trim_end_matches('}').trim().trim_end_matches('{').trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, wanted: Option<&str>) {
        let drawn = definitions(line).into_iter().next().map(|it| {
            let returns = it.returns.map(|it| format!(" -> {it}")).unwrap_or_default();
            format!("{:?} {}({}){returns}", it.kind, it.name, it.parameters.join(", "))
        });
        assert_eq!(drawn.as_deref(), wanted, "{line}");
    }

    #[test]
    fn definitions_of_many_languages() {
        check("fn load() {}", Some("Function load()"));
        check(
            "    pub(crate) async fn load<T>(&self, path: &Path, mut n: Vec<(u8, T)>) -> Option<T> {",
            Some("Function load(path, n) -> Option<T>"),
        );
        check("pub const unsafe extern \"C\" fn go(a: u8);", Some("Function go(a)"));
        check("export default function load(path, retries = 3) {", Some("Function load(path, retries)"));
        check("    async def load(self, path: str) -> str:", Some("Function load(path) -> str"));
        check("func (s *Store) Load(path string) error {", Some("Function Load()"));
        check("pub struct Store<T> {", Some("Type Store()"));
        check("class Store extends Base {", Some("Type Store()"));
    }

    #[test]
    fn what_only_looks_like_one() {
        check("let fn_pointer = load;", None);
        check("function(x) { return x }", None);
        check("const x = 3;", None);
        check("// fn load()", None);
        check("type", None);
    }
}
