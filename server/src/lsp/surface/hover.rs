//! The whole diff of the hunk under the cursor, in Markdown.

use tower_lsp::ls_types::{Hover, HoverContents, MarkupContent, MarkupKind, Range, Uri};

use super::Scene;
use super::item::{ADDS_HIDDEN, Item, items_where};
use super::place::{hunk_range, uri_of};
use super::words::{code_line, one_line, out_of_step};
use crate::documents::Text;
use crate::review::HunkView;

/// Lines around the change; more would not fit where Helix has little room below the cursor.
const CONTEXT: usize = 2;

/// A bold title and a diff without `@@` for each hunk shown on `line` (zero-based). No command links: hardly an editor
/// runs them.
pub fn hover(scene: &Scene, uri: &Uri, line: u32) -> Option<Hover> {
    let file = items_where(&scene.review, |file| uri_of(file).as_ref() == Some(uri))?;
    if file.file.lost {
        return Some(hover_of(out_of_step(file.file), None));
    }
    let line = line as usize;
    let mut range = None;
    let mut parts = Vec::new();
    for item in file.on_lines(line, line) {
        parts.push(part(scene, &item));
        range = range.or(item.hunk.map(|hunk| hunk_range(item.file, hunk, scene.features.position_encoding)));
    }
    let value = parts.join("\n\n");
    if value.is_empty() {
        return None;
    }
    Some(hover_of(value, range))
}

fn hover_of(value: String, range: Option<Range>) -> Hover {
    Hover { contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }), range }
}

fn part(scene: &Scene, item: &Item<'_>) -> String {
    let summary = item.summary(&scene.workspace);
    let title = format!("**Copydesk {}** {}", item.number, escape_markdown(&one_line(&summary)));
    let title = if item.adds_hidden() { format!("{title}\n\nIt {ADDS_HIDDEN}.") } else { title };
    let title = match item.must_ask().or(item.file.held_back) {
        Some(why) => format!("{title}\n\n{}", escape_markdown(&one_line(why))),
        None => title,
    };
    match (item.hunk, &item.file.buffer) {
        (Some(hunk), Some(buffer)) => format!("{title}\n\n{}", fenced(&diff(hunk, buffer))),
        (Some(hunk), None) => format!("{title}\n\n{}", fenced(&diff(hunk, &Text::default()))),
        (None, _) => {
            let lines = item.whole_lines();
            std::iter::once(title)
                .chain(lines.iter().map(|line| escape_markdown(line)))
                .collect::<Vec<_>>()
                .join("\n\n")
        }
    }
}

/// ` `, `-` and `+` lines; every hidden character by its name.
fn diff(hunk: &HunkView, buffer: &Text) -> String {
    let mut lines = Vec::new();
    let first = hunk.lines.start.saturating_sub(CONTEXT);
    let last = (hunk.lines.end + CONTEXT).min(buffer.line_count());
    let context =
        |range: std::ops::Range<usize>| range.map(|line| buffer.line(line).into_owned()).collect::<String>();
    push_lines(&mut lines, ' ', &context(first..hunk.lines.start));
    push_lines(&mut lines, '-', &hunk.removed);
    push_lines(&mut lines, '+', &hunk.added);
    push_lines(&mut lines, ' ', &context(hunk.lines.end..last));
    lines.join("\n")
}

fn push_lines(lines: &mut Vec<String>, sign: char, text: &str) {
    lines.extend(text.split_inclusive('\n').map(|line| format!("{sign}{}", code_line(line))));
}

/// In a fence that is longer than any within.
fn fenced(diff: &str) -> String {
    let longest = diff.split(|char| char != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}diff\n{diff}\n{fence}")
}

/// Code between backticks stays code: Neovim and others would show the backslashes.
fn escape_markdown(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let inner = parts.get(1..parts.len() - 1).unwrap_or_default();
    if parts.len().is_multiple_of(2) || inner.iter().any(|part| part.is_empty()) {
        return escaped(text);
    }
    let part = |(index, part): (usize, &&str)| {
        if index % 2 == 1 { format!("`{part}`") } else { escaped(part) }
    };
    parts.iter().enumerate().map(part).collect()
}

fn escaped(text: &str) -> String {
    text.chars()
        .flat_map(|char| {
            matches!(char, '*' | '_' | '`' | '[' | ']' | '<' | '\\').then_some('\\').into_iter().chain([char])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::item::items;
    use super::super::sample::{file, hunk, reason, scene_of};
    use super::*;
    use crate::review::Reason;

    #[test]
    fn why_the_person_is_asked_in_any_mode_is_said() {
        let why = Some("It says what programs run.".to_owned());
        let mut asked = hunk("a\n", 0..1, "x\n", "run `fmt`");
        asked.reasons = [Reason { must_ask: why, ..reason("run `fmt`") }].into();
        let scene = scene_of(vec![file("store.rs", "a\n", vec![asked])]);
        let shown = items(&scene.review).map(|item| part(&scene, &item)).collect::<String>();
        assert!(shown.contains("run `fmt`\n\nIt says what programs run.\n\n```diff"), "{shown}");
    }

    #[test]
    fn what_can_not_be_seen_is_said_to_be_there() {
        let scene = scene_of(vec![file(
            "a.rs",
            "a\n",
            vec![hunk("a\n", 0..1, "x\u{202e}\n", ""), hunk("", 1..1, "y\n", "")],
        )]);
        let parts: Vec<String> = items(&scene.review).map(|item| part(&scene, &item)).collect();
        assert!(parts[0].contains("\n\nIt adds characters that can't be seen.\n\n```diff"), "{}", parts[0]);
        assert!(parts[0].contains("+x\\u{202e}") && !parts[1].contains("can't be seen"), "{parts:?}");
    }

    #[test]
    fn only_code_is_markup_in_a_title() {
        let check = |text, want| assert_eq!(escape_markdown(text), want);
        check("change `load` to `open_*`", "change `load` to `open_*`");
        check("*now* [x](y) `a`", r"\*now\* \[x\](y) `a`");
        check("one ` alone <b>", r"one \` alone \<b>");
        check("``a`` and `b`", r"\`\`a\`\` and \`b\`");
        check("", "");
    }
}
