//! What the surfaces show: every file under review with its hunks, as values.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Reason, WholeFile};
use crate::conversation::SessionId;
use crate::documents::{AbsPath, Change, Text};

/// The whole review at one moment. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReviewView {
    /// Files with something to review, by path.
    pub files: Vec<Arc<FileReview>>,
    /// Rises with every change.
    pub revision: u64,
}

impl ReviewView {
    /// The path that is meant by `path`: that itself if something is pending there, since a link that was put in its way since
    /// leads elsewhere; else where its links lead, as `real_path` says.
    pub fn meant(&self, path: AbsPath, real_path: impl FnOnce(&AbsPath) -> AbsPath) -> AbsPath {
        let is_pending = self.files.iter().any(|file| file.path == path);
        if is_pending { path } else { real_path(&path) }
    }
}

/// One file under review by one session.
#[derive(Clone, Debug, PartialEq)]
pub struct FileReview {
    pub path: AbsPath,
    pub session: SessionId,
    pub kind: FileKind,
    /// The client's URI and version if the file is open.
    pub open: Option<(String, i32)>,
    /// `None`: there is no file on that side.
    pub buffer: Option<Text>,
    pub draft: Option<Text>,
    /// Ascending by place. A create, delete or rename without text to compare has none.
    pub hunks: Arc<Vec<HunkView>>,
    /// Why the file as a whole is created, deleted or renamed.
    pub reasons: Vec<Reason>,
    /// Open with unsaved text, and the disk has something else: shown, never merged.
    pub disk_differs: bool,
    /// Open, and a change of it could not be read: what the editor shows is not known, so nothing is offered until it is. Its
    /// hunks are left out.
    pub lost: bool,
    /// Why it waits in a session whose changes are accepted as they come. Accepting everything takes it along.
    pub held_back: Option<&'static str>,
    /// What is proposed of the file beside its hunks: bytes that are no text, or permissions. It is a decision of its own,
    /// taken along by those about the whole file.
    pub whole: Option<WholeFile>,
}

impl ReviewView {
    /// Every hunk stands where it stood and says what it said. Words typed beside the hunks change neither: only texts,
    /// versions and the offsets of edits.
    pub fn shows_the_same_as(&self, other: &Self) -> bool {
        self.files.len() == other.files.len()
            && self.files.iter().zip(&other.files).all(|(a, b)| Arc::ptr_eq(a, b) || a.shows_the_same_as(b))
    }
}

impl FileReview {
    /// Stands for all that the agent offers here; another figure is another offer. Where the hunks stand and what the user
    /// made of their lines is no part of it.
    pub fn offer(&self) -> u32 {
        let mut hasher = DefaultHasher::new();
        for hunk in &*self.hunks {
            (&hunk.id, hunk.revision).hash(&mut hasher);
        }
        if self.hunks.is_empty() {
            // Every proposal leaves its reason, and no text has its own length for long.
            (self.reasons.len(), self.draft.as_ref().map(Text::len)).hash(&mut hasher);
        }
        self.whole.as_ref().map(|whole| whole.revision).hash(&mut hasher);
        (hasher.finish() >> 32) as u32
    }

    /// Why the person decides on something here by itself, whatever else was agreed.
    pub fn must_ask(&self) -> Option<&str> {
        let mut reasons = self.reasons.iter().chain(self.hunks.iter().flat_map(|hunk| hunk.reasons.iter()));
        reasons.find_map(|reason| reason.must_ask.as_deref())
    }

    fn shows_the_same_as(&self, other: &Self) -> bool {
        let uri = |file: &Self| file.open.as_ref().map(|(uri, _)| uri.clone());
        let lines = |file: &Self| file.buffer.as_ref().map(Text::line_count);
        self.path == other.path
            && self.session == other.session
            && self.kind == other.kind
            && uri(self) == uri(other)
            && lines(self) == lines(other)
            && (Arc::ptr_eq(&self.hunks, &other.hunks) || all_show_the_same(&self.hunks, &other.hunks))
            && self.reasons == other.reasons
            && self.disk_differs == other.disk_differs
            && self.lost == other.lost
            && self.held_back == other.held_back
            && self.whole == other.whole
            && self.column_of_the_last() == other.column_of_the_last()
    }

    /// At the end of a text a hunk takes the break above it along, and so begins where the line above ends.
    fn column_of_the_last(&self) -> Option<usize> {
        let (buffer, last) = (self.buffer.as_ref()?, self.hunks.last()?);
        let above = last.lines.start.checked_sub(1)?;
        (last.lines.end >= buffer.line_count())
            .then(|| buffer.line_end(above).saturating_sub(buffer.line_start(above)))
    }
}

fn all_show_the_same(hunks: &[HunkView], others: &[HunkView]) -> bool {
    hunks.len() == others.len() && hunks.iter().zip(others).all(|(a, b)| a.shows_the_same_as(b))
}

impl HunkView {
    /// The one edit of `buffer`, the text in which the hunk is shown, that accepting it is: trimmed at both ends.
    pub fn accept_edit(&self, buffer: &Text) -> Change {
        let start = buffer.line_start(self.accept.line).saturating_add_signed(self.accept.distance);
        Change { range: start..start + self.accept.len, text: self.accept.text.to_string() }
    }

    fn shows_the_same_as(&self, other: &Self) -> bool {
        self.id == other.id
            && self.revision == other.revision
            && self.lines == other.lines
            && self.removed == other.removed
            && self.added == other.added
            && self.inline == other.inline
            && self.state == other.state
            && self.undone == other.undone
            && self.reasons == other.reasons
            && self.moved == other.moved
            && self.line_ends_only == other.line_ends_only
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileKind {
    Modify,
    Create,
    Delete,
    Rename { to: AbsPath },
}

/// Names a hunk for as long as it lives: `h_7`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HunkId(pub String);

/// Gives hunks their names. Clones give from the same row, so that names are unique over all drafts.
#[derive(Clone, Debug, Default)]
pub struct HunkIds(Arc<AtomicU64>);

impl HunkIds {
    pub fn next(&self) -> HunkId {
        HunkId(format!("h_{}", self.0.fetch_add(1, Ordering::Relaxed) + 1))
    }
}

/// One hunk as it is shown. It holds for as long as its own lines do: what is typed elsewhere leaves it the same.
#[derive(Clone, Debug, PartialEq)]
pub struct HunkView {
    pub id: HunkId,
    /// Rises with every change of the agent's side.
    pub revision: u32,
    /// Buffer lines it replaces, zero-based, half-open; empty for a pure insertion, which stands before `start`.
    pub lines: Range<usize>,
    /// The draft's lines that would stand there.
    pub draft_lines: Range<usize>,
    /// Those buffer lines, and the agent's, whole with their line breaks.
    pub removed: Arc<str>,
    pub added: Arc<str>,
    /// What differs inside lines.
    pub inline: Arc<[InlineMark]>,
    pub state: HunkState,
    /// Accepted once and taken back by the user: left alone by every bulk action.
    pub undone: bool,
    /// Oldest first.
    pub reasons: Arc<[Reason]>,
    /// The other half of a moved block.
    pub moved: Option<HunkId>,
    /// Changes nothing but line ends.
    pub line_ends_only: bool,
    pub accept: Accept,
}

/// What accepting a hunk replaces, told from the beginning of a line, so that it holds whatever is typed above.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accept {
    pub line: usize,
    /// How many bytes from there the edit begins; it may begin in the line before.
    pub distance: isize,
    /// How many bytes go.
    pub len: usize,
    pub text: Arc<str>,
}

impl Accept {
    /// `change` of `buffer`, told from the beginning of `line`.
    pub fn new(change: Change, buffer: &Text, line: usize) -> Self {
        let distance = signed(change.range.start) - signed(buffer.line_start(line));
        Self { line, distance, len: change.range.len(), text: change.text.into() }
    }
}

fn signed(offset: usize) -> isize {
    isize::try_from(offset).unwrap_or(isize::MAX)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HunkState {
    Pending,
    /// An accept was sent and its echo has not come yet.
    Applying,
    /// The user changed the same place: both sides are shown, no plain accept.
    Conflicted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Removed,
    Added,
}

/// A stretch of changed words, in bytes of `removed` or `added`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlineMark {
    pub side: Side,
    pub range: Range<usize>,
}
