//! What there is to decide: the hunks of all files in order, each with its number and the words that name it.

use std::fmt;

use super::words::{hidden_characters, hidden_in_name};
use crate::documents::Workspace;
use crate::review::{FileKind, FileReview, HunkState, HunkView, ReviewView};

/// A place in the whole review, read as `2/5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// From one.
    pub index: usize,
    pub count: usize,
}

/// One thing to decide: a hunk, or what there is of a file beside its hunks: that it comes, goes or moves where there are no
/// lines to compare, bytes that are no text, permissions. That is one item at most, the file's last.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    pub number: Number,
    pub file: &'a FileReview,
    pub hunk: Option<&'a HunkView>,
}

/// Every item of the review, file by file, top to bottom.
pub fn items(review: &ReviewView) -> impl Iterator<Item = Item<'_>> {
    let count = review.files.iter().map(|file| items_in(file)).sum();
    let mut before = 0;
    review.files.iter().flat_map(move |file| {
        let first = before;
        before += items_in(file);
        items_of(file, first, count)
    })
}

/// The items of the file that `is_it` picks; numbered as in the whole review.
pub(super) fn items_where(review: &ReviewView, is_it: impl Fn(&FileReview) -> bool) -> Option<FileItems<'_>> {
    let at = review.files.iter().position(|file| is_it(file))?;
    let file = review.files.get(at)?;
    let first = review.files.iter().take(at).map(|file| items_in(file)).sum();
    let count = review.files.iter().map(|file| items_in(file)).sum();
    Some(FileItems { file, first, count })
}

/// One file of the review with the place of its hunks among all others.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileItems<'a> {
    pub(super) file: &'a FileReview,
    first: usize,
    count: usize,
}

impl<'a> FileItems<'a> {
    pub(super) fn all(self) -> impl Iterator<Item = Item<'a>> {
        items_of(self.file, self.first, self.count)
    }

    /// The items whose shown lines (see `shown_lines`) share one with `first..=last`. A binary search: it is asked
    /// several times per cursor move.
    pub(super) fn on_lines(self, first: usize, last: usize) -> impl Iterator<Item = Item<'a>> {
        let hunks = &self.file.hunks;
        let from = hunks.partition_point(|hunk| shown_lines(hunk).1 < first);
        let to = hunks.partition_point(|hunk| shown_lines(hunk).0 <= last).max(from);
        // What is beside the hunks is shown above the first line.
        let beside = items_in(self.file) > hunks.len() && (hunks.is_empty() || first == 0);
        let all = move || items_of(self.file, self.first, self.count);
        let whole = all().skip(hunks.len()).take(usize::from(beside));
        all().skip(from).take(to - from).chain(whole)
    }
}

/// First and last buffer line that a hunk is shown on: the lines it replaces; for an insertion the line before it.
pub fn shown_lines(hunk: &HunkView) -> (usize, usize) {
    if hunk.lines.is_empty() {
        let line = hunk.lines.start.saturating_sub(1);
        (line, line)
    } else {
        (hunk.lines.start, hunk.lines.end - 1)
    }
}

impl Item<'_> {
    /// Why the person decides on it by itself, whatever the mode.
    pub fn must_ask(&self) -> Option<&str> {
        let reasons = self.hunk.map_or(self.file.reasons.as_slice(), |hunk| &*hunk.reasons);
        reasons.iter().find_map(|reason| reason.must_ask.as_deref())
    }

    /// What it does, in one imperative line: the agent's words if it gave any.
    pub fn summary(&self, workspace: &Workspace) -> String {
        let reasons = self.hunk.map_or(self.file.reasons.as_slice(), |hunk| &*hunk.reasons);
        let said = reasons.iter().rev().find(|reason| !reason.by_user).or(reasons.last());
        let words = said.map(|reason| reason.summary.trim()).filter(|words| !words.is_empty());
        let plain = match (words, self.hunk) {
            (Some(words), _) => words.to_owned(),
            (None, Some(hunk)) => describe_lines(hunk),
            (None, None) => describe_file(self.file, workspace),
        };
        match self.hunk {
            None if !self.can_be_accepted() => format!("conflict: {plain}"),
            Some(hunk) if hunk.state == HunkState::Conflicted => format!("conflict: {plain}"),
            Some(hunk) if hunk.undone => format!("taken back: {plain}"),
            Some(HunkView { moved: Some(_), removed, .. }) if removed.is_empty() => {
                format!("{plain} (moved to here)")
            }
            Some(HunkView { moved: Some(_), added, .. }) if added.is_empty() => {
                format!("{plain} (moved away)")
            }
            _ => plain,
        }
    }

    /// Accepting it needs no look at a conflict first.
    pub fn can_be_accepted(&self) -> bool {
        match self.hunk {
            Some(hunk) => hunk.state == HunkState::Pending,
            None => self.file.whole.as_ref().is_none_or(|whole| !whole.conflict),
        }
    }

    /// The characters that it adds and nobody sees, each once: in lines, and in the name that a file gets.
    pub fn hidden_characters(&self) -> Vec<String> {
        let name = match &self.file.kind {
            FileKind::Create => Some(&self.file.path),
            FileKind::Rename { to } => Some(to),
            FileKind::Modify | FileKind::Delete => None,
        };
        let lines = self.hunk.map(|hunk| &*hunk.added);
        let mut found = lines.map(hidden_characters).unwrap_or_default();
        for character in name.into_iter().flat_map(|name| hidden_in_name(name.as_str())) {
            if !found.contains(&character) {
                found.push(character);
            }
        }
        found
    }

    pub fn adds_hidden(&self) -> bool {
        !self.hidden_characters().is_empty()
    }

    /// What it does to the file beside its text, a line each: `binary, 12 kB → 14 kB`.
    pub fn whole_lines(&self) -> Vec<String> {
        // A file that is made gets its permissions with its text.
        let is_made = self.file.kind == FileKind::Create;
        let of_it = self.file.whole.as_ref().filter(|_| is_made || self.hunk.is_none());
        let Some(whole) = of_it else { return Vec::new() };
        let bytes = whole.bytes.as_ref().map(ToString::to_string);
        let mode = whole.mode.as_ref().map(ToString::to_string);
        let conflict = whole.conflict.then(|| OVERTAKEN.to_owned());
        bytes.into_iter().chain(mode).chain(conflict).collect()
    }
}

/// What is said of an item that does.
pub(super) const ADDS_HIDDEN: &str = "adds characters that can't be seen";

const OVERTAKEN: &str = "! the file was changed on disk meanwhile: it can't be accepted";

fn items_in(file: &FileReview) -> usize {
    if file.lost {
        return 0;
    }
    match file.kind {
        FileKind::Modify => file.hunks.len() + usize::from(has_whole(file)),
        FileKind::Create | FileKind::Delete | FileKind::Rename { .. } => file.hunks.len().max(1),
    }
}

/// The permissions of a file that is made come with it, and are no decision of their own.
fn has_whole(file: &FileReview) -> bool {
    file.whole
        .as_ref()
        .is_some_and(|whole| whole.bytes.is_some() || whole.mode.is_some_and(|mode| mode.from.is_some()))
}

fn items_of(file: &FileReview, first: usize, count: usize) -> impl Iterator<Item = Item<'_>> {
    (0..items_in(file)).map(move |at| Item {
        number: Number { index: first + at + 1, count },
        file,
        hunk: file.hunks.get(at),
    })
}

fn describe_lines(hunk: &HunkView) -> String {
    if hunk.line_ends_only {
        return "change only the line ends".to_owned();
    }
    let (removed, added) = (hunk.removed.lines().count(), hunk.added.lines().count());
    match (removed, added) {
        (0, added) => format!("add {}", lines(added)),
        (removed, 0) => format!("remove {}", lines(removed)),
        (removed, added) if removed == added => format!("change {}", lines(removed)),
        (removed, added) => format!("replace {} by {added}", lines(removed)),
    }
}

fn describe_file(file: &FileReview, workspace: &Workspace) -> String {
    match &file.kind {
        FileKind::Modify if file.whole.as_ref().is_some_and(|whole| whole.bytes.is_none()) => {
            "change its permissions".to_owned()
        }
        FileKind::Modify => "change this file".to_owned(),
        FileKind::Create => "create this file".to_owned(),
        FileKind::Delete => "delete this file".to_owned(),
        FileKind::Rename { to } => format!("rename to {}", workspace.display(to)),
    }
}

fn lines(count: usize) -> String {
    if count == 1 { "1 line".to_owned() } else { format!("{count} lines") }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}
