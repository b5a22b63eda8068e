//! The chat's Markdown: what the user wrote last, and where new text goes.

use std::ops::Range;

use crate::documents::{Change, Text};

/// A chat in which nothing was said yet.
pub(super) const NEW_FILE: &str = "# Copydesk\n\n## You\n\n";

pub(super) const YOU: &str = "## You";
pub(super) const COPYDESK: &str = "## Copydesk";

/// What stands under the last `## You`, trimmed. `None`: nothing.
pub(super) fn prompt(chat: &Text) -> Option<String> {
    let section = last_section(chat)?;
    let written = chat.slice(section).trim().to_owned();
    (!written.is_empty()).then_some(written)
}

/// The change that puts `markdown` (whole paragraphs) into the chat: above the last `## You`, so that what the user is
/// writing there stays last. Never at the very end of a buffer: Neovim adds an empty line to that each time.
pub(super) fn insertion(chat: &Text, markdown: &str) -> Change {
    let markdown = markdown.trim_end();
    let Some(heading) = last_heading(chat) else {
        return insert(end_of_words(chat, 0..chat.len()), format!("\n\n{markdown}\n\n{YOU}"));
    };
    let above = end_of_words(chat, 0..chat.line_start(heading));
    if is_work(&chat.line(chat.line_of(above))) && is_work(markdown) {
        return insert(above, format!("\n{markdown}"));
    }
    insert(chat.line_start(heading), format!("{markdown}\n\n"))
}

/// The change that begins the answer to `sent`, which stands under the last `## You`: two headings below it. Words that
/// were typed below `sent` in the meantime come under the new `## You`.
pub(super) fn turn(chat: &Text, sent: &str) -> Change {
    let section = last_section(chat).unwrap_or(0..chat.len());
    let written = chat.slice(section.clone());
    let end = match written.find(sent) {
        Some(at) => section.start + at + sent.len(),
        // It was changed after it was sent: what stands there now is below the answer's heading no more.
        None => end_of_words(chat, section),
    };
    insert(end, format!("\n\n{COPYDESK}\n\n{YOU}\n"))
}

/// The change that begins a prompt with words to go on from, directly under the last `## You`.
pub(super) fn beginning(chat: &Text, about: &str) -> Change {
    match last_heading(chat) {
        Some(line) => {
            let end = chat.line_end(line);
            insert(end, format!("\n\n{about}\n"))
        }
        None => insert(end_of_words(chat, 0..chat.len()), format!("\n\n{YOU}\n\n{about}\n")),
    }
}

/// Paragraphs as they stand below each other; lines about the work make one list.
pub(super) fn join(paragraphs: &[String]) -> String {
    let mut joined = String::new();
    let mut before = "";
    for paragraph in paragraphs {
        if !joined.is_empty() {
            joined.push_str(if is_work(before) && is_work(paragraph) { "\n" } else { "\n\n" });
        }
        joined.push_str(paragraph);
        before = paragraph.lines().last().unwrap_or_default();
    }
    joined
}

fn is_work(line: &str) -> bool {
    line.starts_with("* ")
}

fn insert(at: usize, text: String) -> Change {
    Change { range: at..at, text }
}

/// The bytes below the last `## You`.
fn last_section(chat: &Text) -> Option<Range<usize>> {
    last_heading(chat).map(|line| chat.line_start(line + 1)..chat.len())
}

/// The line of the last `## You`. Headings inside a code block are text; but a fence that was left open must not hide
/// everything below it.
fn last_heading(chat: &Text) -> Option<usize> {
    let mut fence: Option<String> = None;
    let mut last = None;
    let mut last_of_all = None;
    for (number, line) in chat.lines().enumerate() {
        let line = line.trim_end();
        if line == YOU {
            last_of_all = Some(number);
            if fence.is_none() {
                last = Some(number);
            }
        }
        fence = after_line(fence, line);
    }
    if fence.is_some() { last_of_all } else { last }
}

/// The code fence that is open after `line`, if one was open before it (CommonMark 4.5).
pub(super) fn after_line(open: Option<String>, line: &str) -> Option<String> {
    let trimmed = line.trim_start_matches(' ');
    if line.len() - trimmed.len() > 3 {
        return open;
    }
    let char = trimmed.chars().next().filter(|char| matches!(char, '`' | '~'));
    let marks: String = trimmed.chars().take_while(|mark| Some(*mark) == char).collect();
    let rest = trimmed.get(marks.len()..).unwrap_or_default();
    match open {
        Some(fence) if marks.len() >= fence.len() && marks.starts_with(&fence) && rest.trim().is_empty() => {
            None
        }
        Some(fence) => Some(fence),
        None => (marks.len() >= 3 && !(char == Some('`') && rest.contains('`'))).then_some(marks),
    }
}

/// Where the last word within `range` ends.
fn end_of_words(chat: &Text, range: Range<usize>) -> usize {
    range.start + chat.slice(range).trim_end().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `|` is drawn around what went in.
    #[track_caller]
    fn check(change: Change, chat: &str, want: &str) {
        let mut after = Text::from(chat);
        after.apply(&Change { range: change.range, text: format!("|{}|", change.text) });
        assert_eq!(after.to_string(), want);
    }

    #[test]
    fn the_prompt_is_what_stands_under_the_last_heading() {
        assert_eq!(prompt(&Text::from(NEW_FILE)), None);
        let chat = "# Copydesk\n\n## You\n\nold\n\n## Copydesk\n\nyes\n\n## You\n\nmake it\nshorter\n\n";
        assert_eq!(prompt(&Text::from(chat)), Some("make it\nshorter".to_owned()));
        assert_eq!(prompt(&Text::from("no heading at all")), None);
        let crlf = "## You\r\n\r\nhello\r\n";
        assert_eq!(prompt(&Text::from(crlf)), Some("hello".to_owned()));
    }

    #[test]
    fn an_answer_goes_above_what_the_user_is_writing() {
        let chat = "# Copydesk\n\n## You\n\nhi\n\n## Copydesk\n\n## You\nmy next words";
        check(
            insertion(&Text::from(chat), "Hello.\n"),
            chat,
            "# Copydesk\n\n## You\n\nhi\n\n## Copydesk\n\n|Hello.\n\n|## You\nmy next words",
        );
    }

    #[test]
    fn without_a_heading_one_is_made() {
        check(insertion(&Text::from("notes\n"), "Hello."), "notes\n", "notes|\n\nHello.\n\n## You|\n");
    }

    #[test]
    fn sending_begins_the_answer_below_the_words_that_were_sent() {
        let chat = "## You\n\nmake get shorter\n\nand quick\n";
        check(
            turn(&Text::from(chat), "make get shorter"),
            chat,
            "## You\n\nmake get shorter|\n\n## Copydesk\n\n## You\n|\n\nand quick\n",
        );
        check(
            turn(&Text::from("## You\n\nmake get long\n"), "make get shorter"),
            "## You\n\nmake get long\n",
            "## You\n\nmake get long|\n\n## Copydesk\n\n## You\n|\n",
        );
    }

    #[test]
    fn lines_about_the_work_make_one_list() {
        let chat = "## Copydesk\n\n* Read a.rs\n\n## You\n";
        check(
            insertion(&Text::from(chat), "* Read b.rs"),
            chat,
            "## Copydesk\n\n* Read a.rs|\n* Read b.rs|\n\n## You\n",
        );
        let paragraphs = ["I read.", "* Read a.rs", "* Read b.rs", "Done."].map(str::to_owned);
        assert_eq!(join(&paragraphs), "I read.\n\n* Read a.rs\n* Read b.rs\n\nDone.");
    }

    #[test]
    fn a_prompt_can_be_begun_for_the_user() {
        check(
            beginning(&Text::from(NEW_FILE), "About `a.rs:3`: "),
            NEW_FILE,
            "# Copydesk\n\n## You|\n\nAbout `a.rs:3`: \n|\n\n",
        );
    }

    #[test]
    fn a_heading_in_a_code_block_is_text() {
        let chat = "## You\n\nlook:\n\n```md\n## You\n```\n";
        assert_eq!(prompt(&Text::from(chat)), Some("look:\n\n```md\n## You\n```".to_owned()));
        let left_open = "## You\n\n```rust\nfn a() {}\n\n## You\n\nnext\n";
        assert_eq!(prompt(&Text::from(left_open)), Some("next".to_owned()));
    }
}
