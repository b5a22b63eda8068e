//! When and where the chat's text is changed, so that nothing is lost and no typing is disturbed. Pure: the time and the
//! text come in.
//!
//! Invariant: one edit is under way at a time, and only the text proves that it arrived. Neovim answers `applied: true` to
//! edits it dropped, and Emacs to ones it put elsewhere.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::file;
use crate::documents::{Change, Text};

/// After the user's last change of the chat.
const QUIET: Duration = Duration::from_secs(1);
/// Between two edits.
const PERIOD: Duration = Duration::from_millis(500);
/// Emacs sends nothing until it was idle for half a second, and while the user types that can take long.
const ECHO: Duration = Duration::from_secs(5);
/// Text kept for a chat that nobody has opened yet; more is of no use to anybody.
const MOST: usize = 1 << 20;

/// What is to be written, and the edit that is under way.
#[derive(Debug, Default)]
pub(super) struct Writer {
    waiting: VecDeque<Piece>,
    under_way: Option<UnderWay>,
    last_edit: Option<Instant>,
    last_key: Option<Instant>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// Whole paragraphs, above the last `## You`.
    Paragraph(String),
    /// The headings below a prompt that was sent.
    Answer { sent: String },
    /// The beginning of a prompt, under the last `## You`.
    About(String),
}

#[derive(Debug)]
struct UnderWay {
    pieces: Vec<Piece>,
    /// Text that the edit adds, and how often it stood there before.
    needle: String,
    before: usize,
    after: Text,
    sent: Instant,
}

/// What to do now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Nothing, before something happens.
    Wait,
    /// Nothing before then.
    At(Instant),
    /// Apply this to the text. It is under way now.
    Edit(Change),
}

impl Writer {
    /// Puts paragraphs behind all others.
    pub(super) fn push(&mut self, paragraph: String) {
        self.waiting.push_back(Piece::Paragraph(paragraph));
        let mut size: usize = self.waiting.iter().map(Piece::len).sum();
        while size > MOST {
            size -= self.waiting.pop_front().map_or(size, |piece| piece.len());
        }
    }

    /// The prompt `sent` is to be answered.
    pub(super) fn begin_answer(&mut self, sent: String) {
        self.waiting.push_back(Piece::Answer { sent });
    }

    /// Words for the user to go on from.
    pub(super) fn begin_prompt(&mut self, about: String) {
        self.waiting.push_back(Piece::About(about));
    }

    /// Whether `sent` is already on its way to be answered: an action and a save can come close together.
    pub(super) fn is_sent(&self, prompt: &str) -> bool {
        let under_way = self.under_way.iter().flat_map(|edit| &edit.pieces);
        under_way.chain(&self.waiting).any(|piece| matches!(piece, Piece::Answer { sent } if sent == prompt))
    }

    pub(super) fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.under_way.is_none()
    }

    /// The chat says `text` now, after a `didChange`.
    pub(super) fn changed(&mut self, text: &Text, now: Instant) {
        let is_ours = match &self.under_way {
            Some(edit) if edit.shows(text) => {
                let exactly = same(text, &edit.after);
                self.under_way = None;
                exactly
            }
            // Part of an edit that comes in pieces, perhaps; the pause does no harm.
            _ => false,
        };
        if !is_ours {
            self.last_key = Some(now);
        }
    }

    /// The editor refused: what it has decides, then it is sent again.
    pub(super) fn refused(&mut self, text: &Text) {
        self.settle(text);
    }

    /// The chat was closed or opened: what was under way is there or not.
    pub(super) fn reopened(&mut self, text: &Text) {
        self.settle(text);
        self.last_key = None;
    }

    /// What to do at `now` with the chat's `text`.
    pub(super) fn next(&mut self, text: &Text, now: Instant) -> Next {
        if let Some(edit) = &self.under_way {
            let late = edit.sent + ECHO;
            if now < late {
                return Next::At(late);
            }
            self.settle(text);
        }
        if self.waiting.is_empty() {
            return Next::Wait;
        }
        let quiet = self.last_key.map(|key| key + QUIET);
        let turn = self.last_edit.map(|edit| edit + PERIOD);
        if let Some(at) = quiet.max(turn).filter(|at| *at > now) {
            return Next::At(at);
        }
        self.send(text, now)
    }

    /// Everything that waits, at once, for a chat on disk.
    pub(super) fn flush(&mut self, text: &Text) -> Text {
        let mut after = text.clone();
        self.settle(text);
        while let Some((pieces, change)) = self.take(&after) {
            drop(pieces);
            after.apply(&change);
        }
        after
    }

    fn send(&mut self, text: &Text, now: Instant) -> Next {
        let Some((pieces, change)) = self.take(text) else { return Next::Wait };
        let needle = change.text.trim().to_owned();
        let mut after = text.clone();
        after.apply(&change);
        self.under_way =
            Some(UnderWay { pieces, before: occurrences(text, &needle), needle, after, sent: now });
        self.last_edit = Some(now);
        Next::Edit(change)
    }

    /// The next pieces that go in one edit, and that edit of `text`.
    fn take(&mut self, text: &Text) -> Option<(Vec<Piece>, Change)> {
        match self.waiting.pop_front()? {
            Piece::Paragraph(first) => {
                let mut paragraphs = vec![first];
                while let Some(Piece::Paragraph(_)) = self.waiting.front() {
                    if let Some(Piece::Paragraph(next)) = self.waiting.pop_front() {
                        paragraphs.push(next);
                    }
                }
                let change = file::insertion(text, &file::join(&paragraphs));
                Some((paragraphs.into_iter().map(Piece::Paragraph).collect(), change))
            }
            Piece::Answer { sent } => {
                let change = file::turn(text, &sent);
                Some((vec![Piece::Answer { sent }], change))
            }
            Piece::About(about) => {
                let change = file::beginning(text, &about);
                Some((vec![Piece::About(about)], change))
            }
        }
    }

    /// The text decides whether the edit under way arrived; if not, its pieces wait again.
    fn settle(&mut self, text: &Text) {
        if let Some(edit) = self.under_way.take()
            && !edit.shows(text)
        {
            for piece in edit.pieces.into_iter().rev() {
                self.waiting.push_front(piece);
            }
        }
    }
}

impl UnderWay {
    fn shows(&self, text: &Text) -> bool {
        occurrences(text, &self.needle) > self.before
    }
}

impl Piece {
    fn len(&self) -> usize {
        match self {
            Self::Paragraph(text) | Self::Answer { sent: text } | Self::About(text) => text.len(),
        }
    }
}

/// How often `needle` stands in `text`, whatever its line ends.
fn occurrences(text: &Text, needle: &str) -> usize {
    unix(text).matches(needle).count()
}

fn same(one: &Text, other: &Text) -> bool {
    unix(one) == unix(other)
}

fn unix(text: &Text) -> String {
    text.to_string().replace("\r\n", "\n")
}

#[cfg(test)]
mod tests;
