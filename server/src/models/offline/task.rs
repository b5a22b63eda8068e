//! What the conversation asks for: the user's last words, where the user stood, and what was done about them since.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::conversation::{ApiMessage, ContentBlock, Role, ToolResultContent, without_advice};

/// Stands for a tool's name where the user's own prompt showed some lines.
pub(super) const QUOTE: &str = "quote";

/// The task in hand.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Task {
    pub(super) words: String,
    pub(super) context: Option<Context>,
    /// Calls made for this task, in order.
    pub(super) done: Vec<Done>,
    /// Calls made for earlier tasks of the conversation, and what the prompts quoted.
    pub(super) before: Vec<Done>,
}

/// Where the user stood, from the prompt's `<editor-context>` block, or from the place that the words begin with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Context {
    pub(super) path: String,
    /// First and last line, one-based.
    pub(super) lines: Option<(usize, usize)>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// What another program said about a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Diagnostic {
    /// One-based.
    pub(super) line: usize,
    pub(super) message: String,
}

/// A call and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Done {
    pub(super) tool: String,
    pub(super) input: Value,
    pub(super) text: String,
    pub(super) failed: bool,
}

impl Task {
    /// The last thing the user asked for, or `None` if the user said nothing yet.
    pub(super) fn of(messages: &[Arc<ApiMessage>]) -> Option<Self> {
        let (at, words, context) = messages
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, message)| message.role == Role::User)
            .find_map(|(at, message)| request_in(message).map(|(words, context)| (at, words, context)))?;
        let (before, since) = messages.split_at_checked(at + 1)?;
        Some(Self { words, context, done: calls(since), before: calls(before) })
    }
}

impl Done {
    /// A text field of the call's input.
    pub(super) fn field(&self, name: &str) -> Option<&str> {
        self.input.get(name).and_then(Value::as_str)
    }
}

/// Whether two paths, each absolute or from the workspace's root, can mean the same file.
pub(super) fn same_file(one: &str, other: &str) -> bool {
    let (long, short) = if one.len() > other.len() { (one, other) } else { (other, one) };
    long.strip_suffix(short.trim_start_matches("./"))
        .is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// The last block that holds a user's own words, and the context that stands behind it.
fn request_in(message: &ApiMessage) -> Option<(String, Option<Context>)> {
    let texts: Vec<&str> = message
        .content
        .iter()
        .filter_map(|block| match block {
            ContentBlock::Text { text } => Some(text.trim()),
            _ => None,
        })
        .filter(|text| !text.starts_with("<system-reminder>"))
        .collect();
    let at = texts.iter().rposition(|text| !text.starts_with("<editor-context") && !is_link(text))?;
    let words = *texts.get(at)?;
    let context = texts.iter().skip(at + 1).find_map(|text| context(text));
    Some(match named_place(words) {
        Some((place, words)) => (words.to_owned(), context.or(Some(place))),
        None => (words.to_owned(), context),
    })
}

/// The place in front of a prompt that was begun from the editor (``In `a.rs`, line 3:`` or ``In `a.rs`, lines 3 to 7:``),
/// and the words behind it. Of several, one above the other, the first was put there last.
fn named_place(words: &str) -> Option<(Context, &str)> {
    let (path, behind) = words.strip_prefix("In `")?.split_once("`, line")?;
    let (numbers, words) = behind.split_once(':')?;
    let (first, last) = match numbers.strip_prefix('s') {
        Some(numbers) => numbers.split_once(" to ")?,
        None => (numbers, numbers),
    };
    let lines = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    let words = words.trim_start();
    let words = named_place(words).map_or(words, |(_, words)| words);
    Some((Context { path: path.to_owned(), lines: Some(lines), diagnostics: Vec::new() }, words))
}

/// Whether a block only names a file, as the command line and editors put them behind a prompt.
fn is_link(block: &str) -> bool {
    let parts: Vec<&str> = block.split('`').collect();
    matches!(parts.as_slice(), ["", _, behind] if behind.is_empty() || behind.starts_with(", lines "))
}

fn context(block: &str) -> Option<Context> {
    let (head, body) = block.strip_prefix("<editor-context")?.split_once('>')?;
    let diagnostics = body.split("<diagnostic ").skip(1).filter_map(diagnostic).collect();
    Some(Context {
        path: attribute(head, "path")?,
        lines: attribute(head, "lines").and_then(lines),
        diagnostics,
    })
}

fn diagnostic(tag: &str) -> Option<Diagnostic> {
    let (head, rest) = tag.split_once('>')?;
    let (message, _) = rest.split_once("</diagnostic>")?;
    let line = attribute(head, "line")?.parse().ok()?;
    Some(Diagnostic { line, message: unescaped(message.trim()) })
}

fn attribute(head: &str, name: &str) -> Option<String> {
    let (_, rest) = head.split_once(&format!("{name}=\""))?;
    let (value, _) = rest.split_once('"')?;
    Some(unescaped(value))
}

/// `3-7`, or `3` for one line.
fn lines(written: String) -> Option<(usize, usize)> {
    let (first, last) = written.split_once('-').unwrap_or((&written, &written));
    Some((first.trim().parse().ok()?, last.trim().parse().ok()?))
}

fn unescaped(text: &str) -> String {
    text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// The calls in `messages` that have a result, each with it, and what prompts quoted, as if it had been read.
fn calls(messages: &[Arc<ApiMessage>]) -> Vec<Done> {
    let blocks = || messages.iter().flat_map(|message| &message.content);
    blocks()
        .filter_map(|block| match block {
            ContentBlock::ToolUse { id, name, input } => {
                let (text, failed) = blocks().find_map(|block| match block {
                    ContentBlock::ToolResult { tool_use_id, content, is_error } if tool_use_id == id => {
                        Some((text_of(content), *is_error))
                    }
                    _ => None,
                })?;
                let text = if failed { without_advice(&text).to_owned() } else { text };
                Some(Done { tool: name.clone(), input: input.clone(), text, failed })
            }
            ContentBlock::Text { text } => quote(text.trim_start()),
            _ => None,
        })
        .collect()
}

/// The lines in an `<editor-context>` block, in the form of a Read's result.
fn quote(block: &str) -> Option<Done> {
    let (first, last) = context(block)?.lines?;
    let (head, body) = block.split_once(">\n")?;
    let quoted = body.split('\n').take((last + 1).saturating_sub(first));
    let numbered: Vec<String> =
        quoted.enumerate().map(|(at, line)| format!("{:>6}\t{line}", first + at)).collect();
    let input = json!({ "file_path": attribute(head, "path")?, "offset": first });
    Some(Done { tool: QUOTE.to_owned(), input, text: numbered.join("\n"), failed: false })
}

fn text_of(content: &[ToolResultContent]) -> String {
    let parts: Vec<&str> = content
        .iter()
        .filter_map(|part| match part {
            ToolResultContent::Text(text) => Some(text.as_str()),
            ToolResultContent::Image(_) | ToolResultContent::ToolReference(_) => None,
        })
        .collect();
    parts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_none_of_the_words() {
        for link in ["`src/a.rs`", "`src/a.rs`, lines 3 to 9"] {
            assert!(is_link(link), "{link}");
        }
        for words in ["explain", "explain `src/a.rs`", "`a` and `b`", "`load`: make it async"] {
            assert!(!is_link(words), "{words}");
        }
    }

    #[test]
    fn a_place_in_front_of_the_words_is_none_of_them() {
        let check = |words: &str, want: Option<(&str, (usize, usize), &str)>| {
            let place = named_place(words);
            let got =
                place.as_ref().and_then(|(place, words)| Some((place.path.as_str(), place.lines?, *words)));
            assert_eq!(got, want, "{words}");
        };
        check("In `a.rs`, line 1: explain", Some(("a.rs", (1, 1), "explain")));
        check("In `src/a b.rs`, lines 3 to 7:\n\nfix: x\ny", Some(("src/a b.rs", (3, 7), "fix: x\ny")));
        check("In `a.rs`, line 1:", Some(("a.rs", (1, 1), "")));
        for words in
            ["explain", "In `a.rs`: explain", "In `a.rs`, line one: explain", "explain In `a`, line 1:"]
        {
            check(words, None);
        }
    }

    #[test]
    fn the_context_says_where_the_user_stands() {
        let block = "<editor-context path=\"src/a &amp; b.rs\" lines=\"3-7\">\nlet x = a > b;\n\
                     <diagnostic line=\"4\">unused variable: `x`</diagnostic>\n</editor-context>";
        assert_eq!(
            context(block),
            Some(Context {
                path: "src/a & b.rs".to_owned(),
                lines: Some((3, 7)),
                diagnostics: vec![Diagnostic { line: 4, message: "unused variable: `x`".to_owned() }],
            })
        );
    }

    #[test]
    fn what_the_prompt_quotes_is_as_good_as_read() {
        let block = "<editor-context path=\"a.rs\" lines=\"3-4\">\nx\n\ty\n<diagnostic line=\"4\">no</diagnostic>\n\
                     </editor-context>";
        let message = ApiMessage {
            role: Role::User,
            content: vec![ContentBlock::text("go"), ContentBlock::text(block)],
        };
        let quoted = Done {
            tool: QUOTE.to_owned(),
            input: json!({ "file_path": "a.rs", "offset": 3 }),
            text: "     3\tx\n     4\t\ty".to_owned(),
            failed: false,
        };
        assert_eq!(Task::of(&[Arc::new(message)]).map(|task| task.before), Some(vec![quoted]));
    }

    #[test]
    fn reminders_are_no_words_of_the_user() {
        let message = ApiMessage {
            role: Role::User,
            content: vec![
                ContentBlock::text("an earlier request"),
                ContentBlock::text("explain"),
                ContentBlock::text("<editor-context path=\"a.rs\">\n</editor-context>"),
                ContentBlock::text("<system-reminder>\nb.rs changed\n</system-reminder>"),
            ],
        };
        let task = Task::of(&[Arc::new(message)]).expect("a task");
        assert_eq!(
            (task.words.as_str(), task.context.map(|it| it.path)),
            ("explain", Some("a.rs".to_owned()))
        );
    }
}
