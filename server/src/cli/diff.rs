//! Pending changes as a unified diff that `git apply` takes.

use copydesk_protocol::{File, FileKind, Hunk, HunkState};

use super::terminal::{Look, Terminal, visible};
use crate::documents::{Text, byte_range};
use crate::editor::{Position, PositionEncoding, Range};

/// Lines of context around a change.
const CONTEXT: usize = 3;

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
    if replaced.is_empty() && file.kind != FileKind::Rename {
        let new = lines(draft.unwrap_or_default());
        replaced.extend((old != new).then(|| Replaced {
            start: 0,
            removed: old.clone(),
            added: new,
            conflicted: false,
        }));
    }
    let mut diff = header(file.kind, names, !replaced.is_empty());
    diff.extend(stretches(&old, &replaced));
    diff
}

/// One change with the lines around it.
pub(super) fn one_hunk(hunk: &Hunk, buffer: Option<&str>) -> Vec<DiffLine> {
    let old = lines(buffer.unwrap_or_default());
    stretches(&old, &replaced(std::slice::from_ref(hunk), buffer.unwrap_or_default(), &old))
}

/// Prints a diff in colour, with control characters made visible.
pub(super) fn print(terminal: &mut Terminal, diff: &[DiffLine]) {
    for line in diff {
        terminal.styled(line.look, visible(&line.text).trim_end_matches('␍'));
    }
}

/// Prints a diff byte for byte, for a program to read.
pub(super) fn print_raw(terminal: &mut Terminal, diff: &[DiffLine]) {
    for line in diff {
        terminal.line(&line.text);
    }
}

/// Lines with their line breaks; the empty one after a final line break is none.
type Lines = Vec<String>;

fn lines(text: &str) -> Lines {
    let mut lines: Lines = Text::from(text).lines().map(std::borrow::Cow::into_owned).collect();
    if lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
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
    let buffer = Text::from(buffer);
    let mut pieces: Vec<(std::ops::Range<usize>, String, bool)> = Vec::new();
    for hunk in hunks {
        let position = |at: copydesk_protocol::Position| Position::new(at.line, at.character);
        let range = Range::new(position(hunk.range.start), position(hunk.range.end));
        let range = byte_range(&buffer, range, PositionEncoding::Utf8);
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
        .map(|(range, added, conflicted)| in_lines(&buffer, old, range, &added, conflicted))
        .collect()
}

/// What is touched of a line at either end is written out whole, and what stays as it is left out.
fn in_lines(
    buffer: &Text,
    old: &[String],
    range: std::ops::Range<usize>,
    added: &str,
    conflicted: bool,
) -> Replaced {
    let (mut start, last) = (buffer.line_of(range.start), buffer.line_of(range.end));
    let inside = range.end > buffer.line_start(last);
    let end = if inside { last + 1 } else { last };
    let tail = if inside { range.end..buffer.line_start(end) } else { range.end..range.end };
    let head = buffer.slice(buffer.line_start(start)..range.start);
    let mut added = lines(&format!("{head}{added}{}", buffer.slice(tail)));
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

fn header(kind: FileKind, names: Names, has_lines: bool) -> Vec<DiffLine> {
    // As git names a file outside of the folder: behind `a/` and `b/` another slash makes it a path that no tool finds.
    let (old, new) = (names.old.trim_start_matches('/'), names.new.trim_start_matches('/'));
    let mut header = vec![format!("diff --git a/{old} b/{new}")];
    match kind {
        FileKind::Modify => {}
        FileKind::Create => header.push("new file mode 100644".to_owned()),
        FileKind::Delete => header.push("deleted file mode 100644".to_owned()),
        FileKind::Rename => header.extend([format!("rename from {old}"), format!("rename to {new}")]),
    }
    if has_lines {
        let none = || "/dev/null".to_owned();
        header.push(format!("--- {}", if kind == FileKind::Create { none() } else { format!("a/{old}") }));
        header.push(format!("+++ {}", if kind == FileKind::Delete { none() } else { format!("b/{new}") }));
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
    line.ends_with(['\n', '\r'])
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
