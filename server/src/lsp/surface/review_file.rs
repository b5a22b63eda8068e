//! A real `.diff` file of the whole review, and the way back from its lines to the hunks.
//!
//! Invariant: a file that was shown is never rewritten, since no editor reloads it by itself; what became of its hunks is
//! told by diagnostics.

mod files;
mod left_over;
mod render;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Mutex;

use tower_lsp::ls_types::Uri;

use super::item::{Number, items};
use super::place::uri_of_path;
use crate::documents::{AbsPath, Text};
use crate::review::{HunkId, HunkState, ReviewView};

pub use files::ReviewFiles;
pub use left_over::remove_left_over;
pub use render::render;

/// One `.diff` file as it was written.
#[derive(Debug)]
pub struct ReviewFile {
    path: AbsPath,
    text: Text,
    hunks: Vec<ShownHunk>,
    /// What the person chose since then.
    decided: Mutex<BTreeMap<HunkId, Fate>>,
}

/// A hunk's lines in the `.diff` file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownHunk {
    /// `None`: the file as a whole, where there are no lines to compare.
    pub id: Option<HunkId>,
    pub number: Number,
    pub summary: String,
    /// Line of the `@@`, zero-based.
    pub header: usize,
    /// The lines of the diff from the `@@` on, half-open.
    pub lines: Range<usize>,
    /// The file it changes.
    pub source: AbsPath,
    /// For each of `lines`: its zero-based line in the source, or the one it would be put before.
    source_lines: Vec<usize>,
}

/// What became of a hunk that was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Pending,
    Conflicted,
    Accepted,
    Rejected,
    /// It is gone: typed by hand, or withdrawn.
    Settled,
}

impl ReviewFile {
    pub fn path(&self) -> &AbsPath {
        &self.path
    }

    pub fn uri(&self) -> Option<Uri> {
        uri_of_path(&self.path)
    }

    pub fn text(&self) -> &Text {
        &self.text
    }

    /// Top to bottom.
    pub fn hunks(&self) -> impl Iterator<Item = &ShownHunk> {
        self.hunks.iter()
    }

    /// The place in the source that a line of the diff is about.
    pub fn source_of(&self, line: usize) -> Option<(AbsPath, usize)> {
        let hunk = self.hunks.iter().find(|hunk| hunk.lines.contains(&line))?;
        let at = hunk.source_lines.get(line - hunk.lines.start)?;
        Some((hunk.source.clone(), *at))
    }

    /// The `@@` line of the first hunk of `path` that ends at or after its `line`: where to put the cursor.
    pub fn line_for(&self, path: &AbsPath, line: usize) -> Option<usize> {
        let of_file = || self.hunks.iter().filter(|hunk| &hunk.source == path);
        let hunk = of_file().find(|hunk| hunk.source_lines.last().is_some_and(|last| *last >= line));
        hunk.or(of_file().next_back()).map(|hunk| hunk.header)
    }

    /// Remembers a choice, so that the hunk can be told from one that just went away.
    pub fn decided(&self, hunk: &HunkId, fate: Fate) {
        if self.hunks.iter().any(|shown| shown.id.as_ref() == Some(hunk)) {
            self.lock().insert(hunk.clone(), fate);
        }
    }

    /// What became of `hunk` as far as the review of now tells. What is on the table again is pending, whatever was
    /// chosen before.
    pub fn fate(&self, hunk: &ShownHunk, review: &ReviewView) -> Fate {
        let file = review.files.iter().find(|file| file.path == hunk.source);
        let Some(id) = &hunk.id else {
            let now = items(review).find(|item| item.file.path == hunk.source && item.hunk.is_none());
            return match now.map(|item| item.can_be_accepted()) {
                Some(true) => Fate::Pending,
                Some(false) => Fate::Conflicted,
                None => Fate::Settled,
            };
        };
        match file.and_then(|file| file.hunks.iter().find(|now| &now.id == id)).map(|now| now.state) {
            Some(HunkState::Pending | HunkState::Applying) => Fate::Pending,
            Some(HunkState::Conflicted) => Fate::Conflicted,
            None => self.lock().get(id).copied().unwrap_or(Fate::Settled),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<HunkId, Fate>> {
        self.decided.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Fate {
    /// Still to be decided.
    pub const fn is_open(self) -> bool {
        match self {
            Self::Pending | Self::Conflicted => true,
            Self::Accepted | Self::Rejected | Self::Settled => false,
        }
    }
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pending => "pending",
            Self::Conflicted => "conflict",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Settled => "settled",
        })
    }
}

#[cfg(test)]
mod tests;
