//! Pending changes as a unified diff, in lines as git counts them.

use std::borrow::Cow;

use copydesk_protocol::{File, FileKind, Hunk, HunkState, ModeChange};

use super::terminal::{Look, Terminal};
use crate::documents::{Text, byte_range};
use crate::editor::{Position, PositionEncoding, Range};
use crate::permissions::{hides, visible, visible_text};
use crate::review::git_name;

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// What git names a file that holds nothing.
const EMPTY: &str = "e69de29";

/// One line of a diff, with its sign and without its line break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DiffLine {
    pub(super) look: Look,
    pub(super) text: String,
}

/// Names of a file for the two sides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names<'a> {
    pub(super) old: &'a str,
    pub(super) new: &'a str,
}

/// All changes of one file. `buffer` and `draft` are its two texts; `None`: there is no file on that side.
pub(super) fn whole_file(
    file: &File,
    names: Names,
    buffer: Option<&str>,
    draft: Option<&str>,
) -> Vec<DiffLine> {
    let old = lines(buffer.unwrap_or_default());
    let mut replaced = replaced(&file.hunks, buffer.unwrap_or_default(), &old);
    // What makes or deletes an empty file has no lines at all.
    replaced.retain(|change| !(change.removed.is_empty() && change.added.is_empty()));
    if replaced.is_empty() && file.kind != FileKind::Rename {
        let new = lines(draft.unwrap_or_default());
        replaced.extend((old != new).then(|| Replaced {
            start: 0,
            removed: old.clone(),
            added: new,
            conflicted: false,
        }));
    }
    let mut diff = header(file, names, !replaced.is_empty());
    diff.extend(stretches(&old, &replaced));
    diff
}

/// One change with the lines around it.
pub(super) fn one_hunk(hunk: &Hunk, buffer: Option<&str>) -> Vec<DiffLine> {
    let old = lines(buffer.unwrap_or_default());
    stretches(&old, &replaced(std::slice::from_ref(hunk), buffer.unwrap_or_default(), &old))
}

/// Prints a diff in colour for a person, who is to see all that is in it. Where nothing is hidden, code that spells such a
/// character stays as it is.
pub(super) fn print(terminal: &mut Terminal, diff: &[DiffLine]) {
    let hidden = diff.iter().any(|line| hides(on_screen(line)));
    if hidden {
        let how = r"What can't be seen is written as \u{…} here, and text that looks like that as \\u{…}.";
        terminal.styled(Look::Quiet, how);
    }
    for line in diff {
        let text = on_screen(line);
        let text = match (line.look, hidden) {
            // The names of files.
            (Look::Heading, _) => Cow::Owned(visible(text)),
            (_, true) => Cow::Owned(visible_text(text)),
            (_, false) => Cow::Borrowed(text),
        };
        terminal.styled(line.look, &text);
    }
}

/// Without what is left of a line break.
fn on_screen(line: &DiffLine) -> &str {
    line.text.strip_suffix('\r').unwrap_or(&line.text)
}

/// Lines as git counts them, with their breaks: only `\n` ends one.
type Lines = Vec<String>;

fn lines(text: &str) -> Lines {
    text.split_inclusive('\n').map(str::to_owned).collect()
}

/// The line that `offset` stands in, and where that begins. Behind the last break is a line, too.
fn line_at(lines: &[String], offset: usize) -> (usize, usize) {
    let mut start = 0;
    for (number, line) in lines.iter().enumerate() {
        let end = start + line.len();
        if offset < end || (offset == end && !has_break(line)) {
            return (number, start);
        }
        start = end;
    }
    (lines.len(), start)
}

/// Old lines from `start` on, and what stands in their place.
struct Replaced {
    start: usize,
    removed: Lines,
    added: Lines,
    conflicted: bool,
}

/// Hunks that touch become one, as whole lines.
fn replaced(hunks: &[Hunk], buffer: &str, old: &[String]) -> Vec<Replaced> {
    let text = Text::from(buffer);
    let mut pieces: Vec<(std::ops::Range<usize>, String, bool)> = Vec::new();
    for hunk in hunks {
        let position = |at: copydesk_protocol::Position| Position::new(at.line, at.character);
        let range = Range::new(position(hunk.range.start), position(hunk.range.end));
        let range = byte_range(&text, range, PositionEncoding::Utf8);
        let conflicted = hunk.state == HunkState::Conflicted;
        match pieces.last_mut() {
            Some((before, added, is_conflict)) if before.end == range.start => {
                before.end = range.end;
                added.push_str(&hunk.added);
                *is_conflict |= conflicted;
            }
            _ => pieces.push((range, hunk.added.clone(), conflicted)),
        }
    }
    pieces
        .into_iter()
        .map(|(range, added, conflicted)| in_lines(buffer, old, range, &added, conflicted))
        .collect()
}

/// What is touched of a line at either end is written out whole, and what stays as it is left out.
fn in_lines(
    buffer: &str,
    old: &[String],
    range: std::ops::Range<usize>,
    added: &str,
    conflicted: bool,
) -> Replaced {
    let ((mut start, from), (last, to)) = (line_at(old, range.start), line_at(old, range.end));
    let inside = range.end > to;
    let end = if inside { last + 1 } else { last };
    let length = old.get(last).filter(|_| inside).map_or(0, String::len);
    let tail = buffer.get(range.end..to + length).unwrap_or_default();
    let head = buffer.get(from..range.start).unwrap_or_default();
    let mut added = lines(&format!("{head}{added}{tail}"));
    let mut removed: Lines = old.iter().take(end).skip(start).cloned().collect();
    let tails = removed.iter().rev().zip(added.iter().rev()).take_while(|(old, new)| old == new).count();
    removed.truncate(removed.len() - tails);
    added.truncate(added.len() - tails);
    let heads = removed.iter().zip(&added).take_while(|(old, new)| old == new).count();
    removed.drain(..heads);
    added.drain(..heads);
    start += heads;
    Replaced { start, removed, added, conflicted }
}

impl Replaced {
    fn end(&self) -> usize {
        self.start + self.removed.len()
    }
}

/// The bytes of a patch are kept as they are: only what its lines can't hold is quoted.
fn in_a_line(name: &str) -> String {
    git_name(name, |_| false)
}

fn header(file: &File, names: Names, has_lines: bool) -> Vec<DiffLine> {
    let kind = file.kind;
    // As git names a file outside of the folder: behind `a/` and `b/` another slash makes it a path that no tool finds.
    let (old, new) = (names.old.trim_start_matches('/'), names.new.trim_start_matches('/'));
    let (before, after) = (in_a_line(&format!("a/{old}")), in_a_line(&format!("b/{new}")));
    let mut header = vec![format!("diff --git {before} {after}")];
    let mode = file.mode.as_ref().map_or("644", |mode| &mode.to);
    match kind {
        FileKind::Modify => {}
        FileKind::Create => header.push(format!("new file mode 100{mode}")),
        FileKind::Delete => header.push(format!("deleted file mode 100{mode}")),
        FileKind::Rename => {
            header
                .extend([format!("rename from {}", in_a_line(old)), format!("rename to {}", in_a_line(new))]);
        }
    }
    if let Some(ModeChange { from: Some(from), to }) = &file.mode {
        // git wants these two before any rename.
        header.splice(1..1, [format!("old mode 100{from}"), format!("new mode 100{to}")]);
    }
    let none = || "/dev/null".to_owned();
    let before = if kind == FileKind::Create { none() } else { before };
    let after = if kind == FileKind::Delete { none() } else { after };
    if file.binary {
        header.push(format!("Binary files {before} and {after} differ"));
    } else if has_lines {
        header.extend([format!("--- {before}"), format!("+++ {after}")]);
    } else {
        match kind {
            FileKind::Create => header.push(format!("index 0000000..{EMPTY}")),
            FileKind::Delete => header.push(format!("index {EMPTY}..0000000")),
            FileKind::Modify | FileKind::Rename => {}
        }
    }
    header.into_iter().map(|text| DiffLine { look: Look::Heading, text }).collect()
}

/// Changes with context, joined where their contexts touch. `replaced` is ascending.
fn stretches(old: &[String], replaced: &[Replaced]) -> Vec<DiffLine> {
    let mut diff = Vec::new();
    // New lines minus old lines before the stretch.
    let mut shift: isize = 0;
    let mut rest = replaced;
    while let Some(first) = rest.first() {
        let near = rest.iter().zip(rest.iter().skip(1)).take_while(|(a, b)| b.start <= a.end() + 2 * CONTEXT);
        let (group, after) = rest.split_at(near.count() + 1);
        rest = after;
        let start = first.start.saturating_sub(CONTEXT);
        let mut body = Vec::new();
        let mut at = start;
        for change in group {
            context(old, at, change.start, &mut body);
            if change.conflicted {
                let text = "\\ conflict: you changed these lines too".to_owned();
                body.push(DiffLine { look: Look::Bad, text });
            }
            change.removed.iter().for_each(|line| signed('-', Look::Removed, line, &mut body));
            change.added.iter().for_each(|line| signed('+', Look::Added, line, &mut body));
            at = change.end();
        }
        let end = (at + CONTEXT).min(old.len());
        context(old, at, end, &mut body);
        let count =
            |side: fn(&Replaced) -> &Lines| group.iter().map(|change| side(change).len()).sum::<usize>();
        let grown =
            count(|change| &change.added).cast_signed() - count(|change| &change.removed).cast_signed();
        let (old_count, new_count) = (end - start, (end - start).saturating_add_signed(grown));
        let new_start = start.saturating_add_signed(shift);
        let text = format!("@@ -{} +{} @@", span(start, old_count), span(new_start, new_count));
        diff.push(DiffLine { look: Look::Place, text });
        diff.append(&mut body);
        shift += grown;
    }
    diff
}

fn context(old: &[String], from: usize, to: usize, into: &mut Vec<DiffLine>) {
    for line in old.iter().take(to).skip(from) {
        signed(' ', Look::Plain, line, into);
    }
}

fn signed(sign: char, look: Look, line: &str, into: &mut Vec<DiffLine>) {
    let text = line.strip_suffix('\n').unwrap_or(line);
    into.push(DiffLine { look, text: format!("{sign}{text}") });
    if !has_break(line) {
        into.push(DiffLine { look: Look::Quiet, text: "\\ No newline at end of file".to_owned() });
    }
}

fn has_break(line: &str) -> bool {
    line.ends_with('\n')
}

/// `start,length` as unified diffs write it: an empty span names the line before it.
fn span(start: usize, length: usize) -> String {
    match length {
        0 => format!("{start},0"),
        1 => (start + 1).to_string(),
        _ => format!("{},{length}", start + 1),
    }
}

#[cfg(test)]
mod tests;
