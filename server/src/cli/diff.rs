//! Pending changes as a unified diff that `git apply` takes.

use copydesk_protocol::{File, FileKind, Hunk, HunkState};

use super::terminal::{Look, Terminal, visible};
use crate::documents::Text;

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
    let mut replaced: Vec<_> = file.hunks.iter().map(|hunk| Replaced::of(hunk, &old)).collect();
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
    stretches(&old, &[Replaced::of(hunk, &old)])
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

impl Replaced {
    fn of(hunk: &Hunk, old: &[String]) -> Self {
        let conflicted = hunk.state == HunkState::Conflicted;
        // A place behind the last line is named by that line's end.
        let start = hunk.range.start.line as usize + usize::from(hunk.range.start.character > 0);
        let start = start.min(old.len());
        let removed: Lines = old.iter().skip(start).take(lines(&hunk.removed).len()).cloned().collect();
        let added = lines(&hunk.added);
        match old.last() {
            // Lines put behind a last line that has no break: that line gets one, so it changes too.
            Some(last) if start == old.len() && !has_break(last) && !added.is_empty() => {
                let mut with_break = vec![format!("{last}\n")];
                with_break.extend(added.into_iter().skip(usize::from(hunk.added.starts_with(['\n', '\r']))));
                Self { start: start - 1, removed: vec![last.clone()], added: with_break, conflicted }
            }
            _ => Self { start, removed, added, conflicted },
        }
    }

    fn end(&self) -> usize {
        self.start + self.removed.len()
    }
}

fn header(kind: FileKind, names: Names, has_lines: bool) -> Vec<DiffLine> {
    let Names { old, new } = names;
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
