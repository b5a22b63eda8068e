//! The review as a unified diff that git reads, with each hunk's number and summary behind its `@@`.

use std::collections::BTreeMap;
use std::sync::Mutex;

use super::{ReviewFile, ShownHunk};
use crate::documents::{AbsPath, Text, Workspace};
use crate::lsp::surface::item::{ADDS_HIDDEN, Item, items};
use crate::lsp::surface::words::one_line;
use crate::permissions::is_hidden;
use crate::review::{FileKind, FileReview, HunkView, ModeChange, ReviewView, git_name};

/// Lines around a change, as git shows them; fewer where two hunks stand close, so that none is shown twice.
const CONTEXT: usize = 3;

/// Draws the review into what will be the file at `path`. Source paths are relative to their root.
pub fn render(review: &ReviewView, workspace: &Workspace, path: AbsPath) -> ReviewFile {
    let mut drawing = Drawing::default();
    let mut before: Option<&FileReview> = None;
    let mut grown = 0_isize;
    for item in items(review) {
        let same_file = before.is_some_and(|file| std::ptr::eq(file, item.file));
        if !same_file {
            drawing.file(item.file, workspace);
            grown = 0;
        }
        match item.hunk {
            Some(hunk) => grown += drawing.hunk(&item, hunk, workspace, grown),
            None => drawing.whole_file(&item, workspace),
        }
        before = Some(item.file);
    }
    // What is beside a file's hunks stands above them.
    drawing.hunks.sort_by_key(|hunk| hunk.header);
    ReviewFile {
        path,
        text: Text::from(drawing.text),
        hunks: drawing.hunks,
        decided: Mutex::new(BTreeMap::new()),
    }
}

/// `side`: `a/`, `b/` or none. A file outside of the folder has no second slash behind it, as with git.
fn in_header(side: &str, name: &str) -> String {
    git_name(&format!("{side}{}", name.trim_start_matches('/')), is_hidden)
}

#[derive(Default)]
struct Drawing {
    text: String,
    line: usize,
    hunks: Vec<ShownHunk>,
    /// The last line of what stands of the file above its hunks.
    head: usize,
}

impl Drawing {
    fn push(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        self.line += 1;
    }

    /// The lines above a file's first hunk.
    fn file(&mut self, file: &FileReview, workspace: &Workspace) {
        let name = workspace.display(&file.path);
        let (a, b) = (in_header("a/", &name), in_header("b/", &name));
        let (bytes, mode) = file.whole.as_ref().map_or((None, None), |whole| (whole.bytes, whole.mode));
        let (old, new) = match &file.kind {
            FileKind::Modify => {
                if file.whole.is_some() {
                    self.push(&format!("diff --git {a} {b}"));
                }
                (a, b)
            }
            FileKind::Create => {
                self.push(&format!("diff --git {a} {b}"));
                self.push(&format!("new file mode 100{:03o}", mode.map_or(0o644, |mode| mode.to)));
                ("/dev/null".to_owned(), b)
            }
            FileKind::Delete => {
                self.push(&format!("diff --git {a} {b}"));
                self.push("deleted file mode 100644");
                (a, "/dev/null".to_owned())
            }
            FileKind::Rename { to } => {
                let to = workspace.display(to);
                let b = in_header("b/", &to);
                self.push(&format!("diff --git {a} {b}"));
                self.push(&format!("rename from {}", in_header("", &name)));
                self.push(&format!("rename to {}", in_header("", &to)));
                (a, b)
            }
        };
        if let Some(ModeChange { from: Some(from), to }) = mode {
            self.push(&format!("old mode 100{from:03o}"));
            self.push(&format!("new mode 100{to:03o}"));
        }
        if bytes.is_some() {
            self.push(&format!("Binary files {old} and {new} differ"));
        }
        self.head = self.line.saturating_sub(1);
        if !file.hunks.is_empty() {
            self.push(&format!("--- {old}"));
            self.push(&format!("+++ {new}"));
        }
    }

    /// A file without lines to compare. git has no `@@` there, and needs none.
    fn whole_file(&mut self, item: &Item<'_>, workspace: &Workspace) {
        let header = self.head;
        let hint = item.adds_hidden().then(|| ADDS_HIDDEN.to_owned());
        let summary = std::iter::once(item.summary(workspace)).chain(item.whole_lines()).chain(hint);
        let summary = summary.collect::<Vec<_>>();
        self.hunks.push(ShownHunk {
            id: None,
            number: item.number,
            summary: one_line(&summary.join("; ")).into_owned(),
            header,
            lines: header..header + 1,
            source: item.file.path.clone(),
            source_lines: vec![0],
        });
    }

    /// Draws one hunk and gives by how many lines it makes the file longer.
    fn hunk(&mut self, item: &Item<'_>, hunk: &HunkView, workspace: &Workspace, grown: isize) -> isize {
        let empty = Text::default();
        let buffer = item.file.buffer.as_ref().unwrap_or(&empty);
        let (above, below) = context(item.file, hunk, buffer);
        let (removed, added) = (pieces(&hunk.removed), pieces(&hunk.added));
        let start = hunk.lines.start - above;
        let old = above + removed.len() + below;
        let new = above + added.len() + below;
        let hint = if item.adds_hidden() { format!(" ({ADDS_HIDDEN})") } else { String::new() };
        let summary = format!("{}{hint}", one_line(&item.summary(workspace)));
        let header = self.line;
        self.push(&format!(
            "@@ -{} +{} @@ hunk {}: {summary}",
            span(start, old),
            span(start.saturating_add_signed(grown), new),
            item.number
        ));
        let mut source_lines = vec![hunk.lines.start];
        for line in start..hunk.lines.start {
            self.line_of_text(' ', &buffer.line(line), &mut source_lines, line);
        }
        for (at, line) in removed.iter().enumerate() {
            self.line_of_text('-', line, &mut source_lines, hunk.lines.start + at);
        }
        for line in &added {
            self.line_of_text('+', line, &mut source_lines, hunk.lines.start);
        }
        for line in hunk.lines.end..hunk.lines.end + below {
            self.line_of_text(' ', &buffer.line(line), &mut source_lines, line);
        }
        self.hunks.push(ShownHunk {
            id: Some(hunk.id.clone()),
            number: item.number,
            summary,
            header,
            lines: header..self.line,
            source: item.file.path.clone(),
            source_lines,
        });
        signed(added.len()) - signed(removed.len())
    }

    fn line_of_text(&mut self, sign: char, line: &str, source_lines: &mut Vec<usize>, source: usize) {
        source_lines.push(source);
        self.push(&format!("{sign}{}", line.strip_suffix('\n').unwrap_or(line)));
        if !line.ends_with('\n') {
            self.push("\\ No newline at end of file");
            source_lines.push(source);
        }
    }
}

/// Context lines above and below; the lines between two hunks are shared out.
fn context(file: &FileReview, hunk: &HunkView, buffer: &Text) -> (usize, usize) {
    let at = file.hunks.iter().position(|other| other.id == hunk.id).unwrap_or(0);
    let previous = at.checked_sub(1).and_then(|at| file.hunks.get(at));
    let above = match previous {
        // The upper hunk takes its share first.
        Some(previous) => {
            let gap = hunk.lines.start.saturating_sub(previous.lines.end);
            gap - gap.min(CONTEXT).min(gap.div_ceil(2))
        }
        None => hunk.lines.start,
    };
    let below = match file.hunks.get(at + 1) {
        Some(next) => next.lines.start.saturating_sub(hunk.lines.end).div_ceil(2),
        None => lines_with_text(buffer).saturating_sub(hunk.lines.end),
    };
    (above.min(CONTEXT), below.min(CONTEXT))
}

/// The empty line behind the last line break is none to git.
fn lines_with_text(text: &Text) -> usize {
    let count = text.line_count();
    if text.line(count.saturating_sub(1)).is_empty() { count - 1 } else { count }
}

/// Lines as git counts them: only `\n` ends one.
fn pieces(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// `13,5`; a stretch of no lines is named by the line before it.
fn span(start: usize, count: usize) -> String {
    if count == 0 { format!("{start},0") } else { format!("{},{count}", start + 1) }
}

fn signed(count: usize) -> isize {
    isize::try_from(count).unwrap_or(isize::MAX)
}
