//! A prompt on its way into the conversation: the user's words, and where they stood in the editor when they said them.

use std::fmt::Write as _;

use super::{SessionDeps, TaskContext};
use crate::agent::params::Instead;
use crate::conversation::{ContentBlock, SessionId};
use crate::documents::{Seen, Text, Workspace};
use crate::review::AgentView;

/// What the user sent.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Prompt {
    pub(super) content: Vec<ContentBlock>,
    pub(super) context: Option<TaskContext>,
    /// Tokens that the user wants spent; `None`: what the words say, if they do.
    pub(super) token_budget: Option<u64>,
}

impl Prompt {
    /// Asks for a summary in the conversation's place.
    pub(super) fn for_summary(instructions: &str) -> Self {
        let command = format!("{COMPACT} {instructions}");
        Self { content: vec![ContentBlock::text(command.trim())], context: None, token_budget: None }
    }
}

/// What a prompt begins with that asks for a summary.
const COMPACT: &str = "/compact";
/// The prompt that asks what the conversation takes.
const CONTEXT: &str = "/context";
/// The longest title of a session, in characters.
const TITLE: usize = 60;
/// The most lines of a selection that are quoted.
const QUOTED_LINES: usize = 500;

/// The prompt's blocks for the model: the words, then the place. What is quoted counts as read.
pub(super) async fn content(
    prompt: Prompt,
    session: &SessionId,
    deps: &SessionDeps,
    seen: &Seen,
) -> Vec<ContentBlock> {
    let mut content = prompt.content;
    let Some(context) = prompt.context else { return content };
    let path = deps.documents.real_path(&context.path);
    let view = deps.desk.agent_view(session, &path).await.ok();
    let text = view.as_ref().and_then(|view| view.text.clone()).unwrap_or_default();
    let block = editor_context(&context, &text, &deps.workspace);
    if let (Some(AgentView { path, stamp, text: Some(text), .. }), Some(lines)) =
        (&view, quoted(&context, &text))
    {
        seen.show(path, text, stamp.clone(), lines);
    }
    content.push(ContentBlock::Text { text: block });
    content
}

/// The budget of tokens that the user's words ask for.
pub(super) fn token_budget(content: &[ContentBlock]) -> Option<u64> {
    content.iter().find_map(|block| match block {
        ContentBlock::Text { text } => super::token_words::token_budget(text),
        _ => None,
    })
}

/// What `/compact` or `/context` asks for; `None`: the user wants an answer.
pub(super) fn instead(content: &[ContentBlock]) -> Option<Instead> {
    let [ContentBlock::Text { text }, ..] = content else { return None };
    let behind = |command: &str| {
        let rest = text.trim().strip_prefix(command)?;
        (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim().to_owned())
    };
    match behind(COMPACT) {
        Some(instructions) => Some(Instead::Summary(instructions)),
        None => behind(CONTEXT).filter(String::is_empty).map(|_| Instead::Size),
    }
}

/// First words of what the user wrote.
pub(super) fn title(content: &[ContentBlock]) -> String {
    let words = content.iter().find_map(|block| match block {
        ContentBlock::Text { text } => Some(text.split_whitespace().collect::<Vec<_>>().join(" ")),
        _ => None,
    });
    let words = words.unwrap_or_default();
    if words.chars().count() <= TITLE {
        return words;
    }
    let cut: String = words.chars().take(TITLE).collect();
    let whole = cut.rsplit_once(' ').map_or(cut.as_str(), |(whole, _)| whole);
    format!("{whole}…")
}

/// `<editor-context path="src/a.rs" lines="3-7">`, the lines, `<diagnostic line="3">…</diagnostic>` for each, the end.
fn editor_context(context: &TaskContext, text: &Text, workspace: &Workspace) -> String {
    let mut block = format!("<editor-context path=\"{}\"", escaped(&workspace.display(&context.path)));
    let lines = quoted(context, text);
    // Writing to a string can't fail.
    if let Some(lines) = &lines {
        let _ = write!(block, " lines=\"{}-{}\"", lines.start + 1, lines.end);
    }
    block.push_str(">\n");
    if let Some(lines) = lines {
        let quoted = text.slice(text.line_start(lines.start)..text.line_end(lines.end - 1));
        block.push_str(&quoted);
        block.push('\n');
    }
    for diagnostic in &context.diagnostics {
        let (line, message) = diagnostic.split_once(": ").unwrap_or(("1", diagnostic));
        let _ = writeln!(block, "<diagnostic line=\"{}\">{}</diagnostic>", escaped(line), escaped(message));
    }
    block.push_str("</editor-context>");
    block
}

/// The whole lines of the selection, or the one under a bare cursor: zero-based, half-open, never empty.
fn quoted(context: &TaskContext, text: &Text) -> Option<std::ops::Range<usize>> {
    let range = context.range?;
    let (first, last) = (range.start.line as usize, range.end.line as usize);
    // A selection that ends at the start of a line does not hold that line.
    let end = if range.end.character == 0 && last > first { last } else { last + 1 };
    let total = text.line_count();
    let first = first.min(total - 1);
    let end = end.clamp(first + 1, total.max(first + 1)).min(first + QUOTED_LINES);
    Some(first..end)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::AbsPath;
    use crate::editor::{Position, Range};

    #[track_caller]
    fn check(text: &str, range: Option<((u32, u32), (u32, u32))>, diagnostics: &[&str], want: &str) {
        let root = AbsPath::new("/w").unwrap();
        let position = |(line, character)| Position::new(line, character);
        let context = TaskContext {
            path: root.join("src/a & b.rs"),
            range: range.map(|(start, end)| Range::new(position(start), position(end))),
            diagnostics: diagnostics.iter().map(ToString::to_string).collect(),
        };
        assert_eq!(editor_context(&context, &Text::from(text), &Workspace::new(vec![root], false)), want);
    }

    #[test]
    fn the_place_is_quoted_in_whole_lines() {
        let text = "one\ntwo\nthree\n";
        let open = |lines: &str| format!("<editor-context path=\"src/a &amp; b.rs\"{lines}>\n");
        let whole = |lines: &str, body: &str| format!("{}{body}</editor-context>", open(lines));
        check(text, None, &[], &whole("", ""));
        check(text, Some(((1, 2), (1, 2))), &[], &whole(" lines=\"2-2\"", "two\n"));
        check(text, Some(((0, 1), (2, 0))), &[], &whole(" lines=\"1-2\"", "one\ntwo\n"));
        check(text, Some(((0, 1), (1, 1))), &[], &whole(" lines=\"1-2\"", "one\ntwo\n"));
        check(text, Some(((9, 0), (99, 0))), &[], &whole(" lines=\"4-4\"", "\n"));
    }

    #[test]
    fn diagnostics_stand_behind_the_lines() {
        check(
            "one\n",
            Some(((0, 0), (0, 0))),
            &["1: expected `<`: found `a`"],
            "<editor-context path=\"src/a &amp; b.rs\" lines=\"1-1\">\none\n\
             <diagnostic line=\"1\">expected `&lt;`: found `a`</diagnostic>\n</editor-context>",
        );
    }

    #[test]
    fn a_command_is_the_first_word_and_else_it_is_a_prompt() {
        let check = |text: &str, want: Option<Instead>| {
            assert_eq!(instead(&[ContentBlock::text(text)]), want, "{text}");
        };
        let summary = |words: &str| Some(Instead::Summary(words.to_owned()));
        check("/compact", summary(""));
        check(" /compact  mind the tests\n", summary("mind the tests"));
        check("/compactor", None);
        check("please /compact", None);
        check("/context\n", Some(Instead::Size));
        check("/context of this line", None);
        check("/contexts", None);
    }

    #[test]
    fn a_title_is_the_first_words() {
        assert_eq!(title(&[ContentBlock::text("rename load\n to open")]), "rename load to open");
        let long = "word ".repeat(30);
        assert_eq!(title(&[ContentBlock::text(long)]), format!("{}…", ["word"; 12].join(" ")));
        assert_eq!(title(&[]), "");
    }
}
