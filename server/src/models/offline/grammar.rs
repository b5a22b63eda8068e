//! The instructions the offline model understands.

/// What the user wants, as far as the words say so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Instruction {
    Rename {
        from: String,
        to: String,
    },
    Replace {
        old: String,
        new: String,
    },
    /// `None`: the definition the user stands at.
    Document {
        target: Option<String>,
    },
    DeleteLine(Line),
    MakeAsync {
        target: Option<String>,
    },
    WriteTests,
    Fix {
        message: String,
    },
    Explain,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// One-based.
    Number(usize),
    Text(String),
}

/// An instruction and the files it is for; none: where the user stands, or wherever it applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sentence {
    pub(super) instruction: Instruction,
    pub(super) files: Vec<String>,
    /// The one-based line of the comment it was read from, which is to go.
    pub(super) comment: Option<usize>,
}

/// In the imperative, as a change made for it is summed up.
impl std::fmt::Display for Instruction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rename { from, to } => write!(f, "rename {from} to {to}"),
            Self::Replace { old, new } => write!(f, "replace `{old}` by `{new}`"),
            Self::Document { target: Some(target) } => write!(f, "document {target}"),
            Self::Document { target: None } => f.write_str("add a doc comment"),
            Self::DeleteLine(Line::Number(number)) => write!(f, "delete line {number}"),
            Self::DeleteLine(Line::Text(text)) => write!(f, "delete the line `{text}`"),
            Self::MakeAsync { target: Some(target) } => write!(f, "make {target} async"),
            Self::MakeAsync { target: None } => f.write_str("make it async"),
            Self::WriteTests => f.write_str("write tests"),
            Self::Fix { message } => write!(f, "fix: {message}"),
            Self::Explain => f.write_str("explain"),
        }
    }
}

/// What it understands, for a person who asked for something else.
pub(super) const UNDERSTOOD: &str = "\
- `rename load to open` (add `in src/a.rs` for one file)
- `replace \"this\" by \"that\" in src/a.rs`
- `add a doc comment to load`
- `make load async`
- `delete line 12 in src/a.rs`, `delete the line \"let x = 1;\" in src/a.rs`
- `write tests`, `explain`, `document`, `fix: <message>` where you stand
";

/// Reads `words`; `None` if they are no instruction it knows.
pub(super) fn parse(words: &str) -> Option<Sentence> {
    let (words, comment) = split_comment(words);
    let words = without_budget(words);
    let tokens = tokens(words);
    let tokens = match tokens.split_first() {
        Some((first, rest)) if first.is("please") => rest,
        _ => &tokens,
    };
    let (verb, rest) = tokens.split_first()?;
    let (rest, files) = split_files(rest);
    let instruction = match verb.text.to_lowercase().trim_end_matches(':') {
        "rename" => rename(rest),
        "replace" => replace(rest),
        "delete" | "remove" => delete(rest),
        "add" | "write" if rest.iter().any(|token| token.is("test") || token.is("tests")) => {
            Some(Instruction::WriteTests)
        }
        "add" | "write" => doc_comment(rest),
        "document" => Some(Instruction::Document { target: rest.last().and_then(identifier) }),
        "test" => Some(Instruction::WriteTests),
        "make" => make_async(rest),
        "fix" => Some(Instruction::Fix { message: after_verb(words) }),
        "explain" => Some(Instruction::Explain),
        _ => None,
    }?;
    Some(Sentence { instruction, files, comment })
}

/// The instruction itself, and the line that the paragraph behind it names: the editor's door adds one when an
/// instruction stands in a comment.
fn split_comment(words: &str) -> (&str, Option<usize>) {
    let found = words.rsplit_once("\n\n").and_then(|(instruction, paragraph)| {
        let (_, behind) = paragraph.split_once("asked for in the comment on line ")?;
        let (line, _) = behind.split_once('.')?;
        Some((instruction, line.parse().ok()?))
    });
    found.map_or((words, None), |(instruction, line)| (instruction, Some(line)))
}

/// `words` without a budget of tokens, such as `+500k`, in front of them or behind.
fn without_budget(words: &str) -> &str {
    let is_budget = |word: &str| {
        let number = word.strip_prefix('+').map(|word| word.trim_end_matches(['.', ',', ':']));
        number.is_some_and(|number| {
            let digits = number.trim_end_matches(['k', 'K', 'm', 'M', 'b', 'B']);
            !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '_'))
        })
    };
    let words = words.trim();
    if let Some((first, rest)) = words.split_once(char::is_whitespace)
        && is_budget(first)
    {
        return rest.trim_start();
    }
    match words.rsplit_once(char::is_whitespace) {
        Some((rest, last)) if is_budget(last) => rest.trim_end(),
        Some(_) | None => words,
    }
}

/// Whether `c` can be part of an identifier.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Token {
    text: String,
    quoted: bool,
}

impl Token {
    fn is(&self, word: &str) -> bool {
        !self.quoted && self.text.eq_ignore_ascii_case(word)
    }
}

fn rename(rest: &[Token]) -> Option<Instruction> {
    let at = rest.iter().position(|token| token.is("to") || token.is("into"))?;
    let from = identifier(rest.get(at.checked_sub(1)?)?)?;
    let to = identifier(rest.get(at + 1)?)?;
    Some(Instruction::Rename { from, to })
}

fn replace(rest: &[Token]) -> Option<Instruction> {
    let at = rest.iter().position(|token| token.is("by") || token.is("with"))?;
    let (old, new) = (rest.get(at.checked_sub(1)?)?, rest.get(at + 1)?);
    (!old.text.is_empty()).then(|| Instruction::Replace { old: old.text.clone(), new: new.text.clone() })
}

fn delete(rest: &[Token]) -> Option<Instruction> {
    let at = rest.iter().position(|token| token.is("line"))?;
    let which = rest.get(at + 1)?;
    let line = match which.text.parse() {
        Ok(number) if !which.quoted => Line::Number(number),
        _ if which.quoted => Line::Text(which.text.clone()),
        _ => return None,
    };
    Some(Instruction::DeleteLine(line))
}

fn doc_comment(rest: &[Token]) -> Option<Instruction> {
    let documents =
        |token: &Token| ["doc", "docs", "documentation", "docstring"].iter().any(|word| token.is(word));
    rest.iter().position(documents)?;
    let target =
        rest.iter().position(|token| token.is("to") || token.is("for")).and_then(|at| rest.get(at + 1..));
    Some(Instruction::Document { target: target.and_then(|named| named.last()).and_then(identifier) })
}

fn make_async(rest: &[Token]) -> Option<Instruction> {
    let (last, named) = rest.split_last()?;
    last.is("async").then(|| Instruction::MakeAsync { target: named.last().and_then(identifier) })
}

/// A name, unless it only points (`this`, `it`, `the function`).
fn identifier(token: &Token) -> Option<String> {
    const POINTING: [&str; 11] =
        ["this", "it", "that", "here", "function", "method", "code", "file", "selection", "struct", "type"];
    let text = token.text.trim_end_matches("()");
    let names = !text.is_empty() && text.chars().all(is_word) && !POINTING.iter().any(|word| token.is(word));
    names.then(|| text.to_owned())
}

/// The tokens before a closing `in FILE[, FILE]… [and FILE]`, and those files.
fn split_files(tokens: &[Token]) -> (&[Token], Vec<String>) {
    let Some(at) = tokens.iter().rposition(|token| token.is("in")) else { return (tokens, Vec::new()) };
    let (before, behind) = tokens.split_at(at);
    let files: Vec<String> = behind
        .iter()
        .skip(1)
        .filter(|token| !token.is("and"))
        .map(|token| token.text.trim_end_matches(',').to_owned())
        .collect();
    let all_files = !files.is_empty() && files.iter().all(|file| looks_like_a_file(file));
    if all_files { (before, files) } else { (tokens, Vec::new()) }
}

fn looks_like_a_file(text: &str) -> bool {
    !text.is_empty() && (text.contains('/') || text.contains('.')) && !text.ends_with('.')
}

fn after_verb(words: &str) -> String {
    let words = words.trim();
    let rest = words.find([':', ' ']).and_then(|at| words.get(at + 1..)).unwrap_or_default();
    rest.trim().to_owned()
}

/// Words and quoted strings. Words lose the sentence's punctuation; quoted strings are kept as they are.
fn tokens(words: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = words.trim();
    while let Some(first) = rest.chars().next() {
        let inside = rest.get(first.len_utf8()..).unwrap_or_default();
        if let Some((text, behind)) = closing_quote(first).and_then(|closing| inside.split_once(closing)) {
            tokens.push(Token { text: text.to_owned(), quoted: true });
            rest = behind.trim_start_matches([',', '.', ';']).trim_start();
            continue;
        }
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        let word = word.trim_end_matches(['.', ',', ';', '!', '?']);
        if !word.is_empty() {
            tokens.push(Token { text: word.to_owned(), quoted: false });
        }
        rest = behind.trim_start();
    }
    tokens
}

fn closing_quote(opening: char) -> Option<char> {
    match opening {
        '"' => Some('"'),
        '\'' => Some('\''),
        '`' => Some('`'),
        '“' => Some('”'),
        '‘' => Some('’'),
        '«' => Some('»'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(words: &str, instruction: Instruction, files: &[&str]) {
        let files = files.iter().map(|&file| file.to_owned()).collect();
        assert_eq!(parse(words), Some(Sentence { instruction, files, comment: None }), "{words}");
    }

    fn rename_load() -> Instruction {
        Instruction::Rename { from: "load".into(), to: "open".into() }
    }

    #[test]
    fn renames() {
        check("rename load to open", rename_load(), &[]);
        check("Please rename the function `load` to `open()`.", rename_load(), &[]);
        check("rename load to open in a.rs", rename_load(), &["a.rs"]);
        check(
            "rename load to open in src/a.rs, src/b.rs and c.rs.",
            rename_load(),
            &["src/a.rs", "src/b.rs", "c.rs"],
        );
        check("rename load to open in the whole project", rename_load(), &[]);
    }

    #[test]
    fn replaces_what_stands_in_quotes_as_it_is() {
        let spaced = Instruction::Replace { old: " a. ".into(), new: "$1 \\ b in c.rs".into() };
        check("replace \" a. \" by \"$1 \\ b in c.rs\" in src/a.rs", spaced, &["src/a.rs"]);
        check("replace 'x' with ''", Instruction::Replace { old: "x".into(), new: String::new() }, &[]);
        check("replace “x” with ‘y’", Instruction::Replace { old: "x".into(), new: "y".into() }, &[]);
    }

    #[test]
    fn deletes_a_line_by_number_or_text() {
        check("delete line 3 in a.rs", Instruction::DeleteLine(Line::Number(3)), &["a.rs"]);
        check("+500k delete line 3 in a.rs", Instruction::DeleteLine(Line::Number(3)), &["a.rs"]);
        check("delete line 3 in a.rs +1.5M", Instruction::DeleteLine(Line::Number(3)), &["a.rs"]);
        check(
            "delete the line \"let x = 3;\"",
            Instruction::DeleteLine(Line::Text("let x = 3;".into())),
            &[],
        );
    }

    #[test]
    fn documents_what_is_named_or_where_the_user_stands() {
        check("add a doc comment to load", Instruction::Document { target: Some("load".into()) }, &[]);
        check("add a doc comment to this function", Instruction::Document { target: None }, &[]);
        check("Document this", Instruction::Document { target: None }, &[]);
        check("document", Instruction::Document { target: None }, &[]);
    }

    #[test]
    fn the_rest_of_what_it_knows() {
        check("make this async", Instruction::MakeAsync { target: None }, &[]);
        check("make load async", Instruction::MakeAsync { target: Some("load".into()) }, &[]);
        check("Write tests", Instruction::WriteTests, &[]);
        check("Explain this code.", Instruction::Explain, &[]);
        check("explain in src/a.rs", Instruction::Explain, &["src/a.rs"]);
        check("Fix: unused variable: `x`", Instruction::Fix { message: "unused variable: `x`".into() }, &[]);
    }

    #[test]
    fn anything_else_is_not_understood() {
        for words in [
            "",
            "please",
            "write me a poem",
            "rename it",
            "rename to",
            "replace a",
            "delete everything",
            "to",
        ] {
            assert_eq!(parse(words), None, "{words}");
        }
    }
}
