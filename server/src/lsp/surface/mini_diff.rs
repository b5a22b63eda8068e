//! A hunk as a handful of short lines, for places that show plain text: a diagnostic's message.

use super::item::Item;
use super::words::{code_line, one_line};
use crate::documents::Workspace;
use crate::editor::DiagnosticStyle;
use crate::review::{HunkState, HunkView};

/// The box of Helix wraps longer lines and ruins the others.
const WIDTH: usize = 70;
/// With the summary, what the lowest of these boxes has room for.
const LINES: usize = 12;
const TAB: &str = "    ";
const NBSP: char = '\u{a0}';

/// The whole message of an item: the summary, then `- ` and `+ ` lines with their common indent removed.
pub(super) fn message(item: &Item<'_>, style: DiagnosticStyle, workspace: &Workspace) -> String {
    let mut lines = vec![cut(&one_line(&item.summary(workspace)))];
    lines.extend(item.whole_lines().iter().map(|line| cut(line)));
    if let Some(hunk) = item.hunk {
        lines.extend(diff_lines(hunk));
    }
    lines.extend(warning(item));
    match style {
        DiagnosticStyle::Plain | DiagnosticStyle::FirstLine => lines.join("\n"),
        DiagnosticStyle::PaddedBox => padded(&lines),
    }
}

/// At most `LINES` lines: all that go, then all that come.
fn diff_lines(hunk: &HunkView) -> Vec<String> {
    let (removed, added) = (plain_lines(&hunk.removed), plain_lines(&hunk.added));
    if removed == added {
        return vec![ends_line(hunk).to_owned()];
    }
    let indent = common_indent(removed.iter().chain(&added));
    let (old, new) = shares(removed.len(), added.len());
    let hidden = removed.len() + added.len() - old - new;
    let minus = removed.iter().take(old).map(|line| signed('-', line, indent));
    let plus = added.iter().take(new).map(|line| signed('+', line, indent));
    let rest = (hidden > 0).then(|| format!("… {hidden} more lines: hover, or Show diff"));
    minus.chain(plus).chain(rest).collect()
}

fn ends_line(hunk: &HunkView) -> &'static str {
    if hunk.line_ends_only {
        "(only the line ends differ)"
    } else {
        "(only the newline at the end of the file differs)"
    }
}

/// The person must not approve what can't be seen, nor a side of a conflict for the other.
fn warning(item: &Item<'_>) -> Option<String> {
    let hidden = item.hidden_characters();
    if !hidden.is_empty() {
        return Some(cut(&format!("! adds hidden characters: {}", hidden.join(" "))));
    }
    item.hunk
        .is_some_and(|hunk| hunk.state == HunkState::Conflicted)
        .then(|| "! you changed these lines too: - yours, + the agent's".to_owned())
}

/// How many old and new lines to show: all, or about half of each and what the other side leaves free.
fn shares(old: usize, new: usize) -> (usize, usize) {
    if old + new <= LINES {
        return (old, new);
    }
    let room = LINES - 1;
    let old_share = old.min((room / 2).max(room.saturating_sub(new)));
    (old_share, room - old_share)
}

/// Lines without their breaks, tabs as blanks, hidden characters as names.
fn plain_lines(text: &str) -> Vec<String> {
    text.split_inclusive('\n').map(|line| code_line(line).replace('\t', TAB)).collect()
}

/// Width of the blanks that every line with something on it begins with.
fn common_indent<'a>(lines: impl Iterator<Item = &'a String>) -> usize {
    lines
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start_matches(' ').len())
        .min()
        .unwrap_or(0)
}

fn signed(sign: char, line: &str, indent: usize) -> String {
    let line = line.get(indent..).unwrap_or_default().trim_end_matches(' ');
    if line.is_empty() { sign.to_string() } else { cut(&format!("{sign} {line}")) }
}

fn cut(line: &str) -> String {
    if width(line) <= WIDTH {
        return line.to_owned();
    }
    let mut used = 1;
    let kept = line.chars().take_while(|&char| {
        used += char_width(char);
        used <= WIDTH
    });
    kept.chain(['…']).collect()
}

/// All lines to the length of the longest, by blanks that no editor trims.
fn padded(lines: &[String]) -> String {
    let longest = lines.iter().map(|line| width(line)).max().unwrap_or(0);
    let padded = lines.iter().map(|line| {
        let blanks = longest - width(line);
        line.chars().chain(std::iter::repeat_n(NBSP, blanks)).collect::<String>()
    });
    padded.collect::<Vec<_>>().join("\n")
}

fn width(line: &str) -> usize {
    if line.is_ascii() { line.len() } else { line.chars().map(char_width).sum() }
}

/// Columns in a terminal: East Asian wide characters and emoji take two (Unicode UAX #11, by its large blocks).
fn char_width(char: char) -> usize {
    match char as u32 {
        0x0300..=0x036f => 0,
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1f64f
        | 0x1f900..=0x1f9ff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}
