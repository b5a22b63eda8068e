//! Random schedules of what an agent, a user and an editor do to one file.

use copydesk::review::Take;
use proptest::prelude::*;

use super::editor::Units;

#[derive(Clone, Debug)]
pub struct Schedule {
    /// `None`: the file does not exist at first.
    pub start: Option<String>,
    pub ops: Vec<Op>,
    /// Free numbers for experiments at the end.
    pub dice: [u16; 4],
}

/// Numbers are taken modulo what there is when the op's turn comes.
#[derive(Clone, Debug)]
pub enum Op {
    /// Edit: a unique `old_string` of at least `length` characters around `at`.
    AgentEdit {
        at: u16,
        length: u16,
        new: String,
    },
    /// Edit with replace_all: every occurrence of one line's content.
    AgentReplaceAll {
        line: u16,
        new: String,
    },
    AgentWrite(String),
    /// A whole-file Write that moves one line.
    AgentMoves {
        line: u16,
        to: u16,
    },
    AgentDeletes,
    /// One didChange with several changes, each against the result of the one before.
    User(Vec<Typing>),
    /// A didChange without a range.
    UserFullText(Vec<Typing>),
    /// The file changes on disk, appears or goes.
    Disk(Option<String>),
    /// Every line gets two blanks more, in one didChange.
    Reindent,
    Accept {
        hunks: Vec<u16>,
        echo: Echo,
    },
    AcceptAll {
        echo: Echo,
    },
    AcceptLines {
        hunk: u16,
        minus: u16,
        plus: u16,
    },
    Reject {
        hunks: Vec<u16>,
    },
    RejectAll,
    Amend {
        hunk: u16,
        text: String,
    },
    Resolve {
        hunk: u16,
        take: Take,
    },
    Undo,
    Redo,
}

impl Op {
    fn texts(&mut self) -> Vec<&mut String> {
        match self {
            Self::AgentEdit { new: text, .. }
            | Self::AgentReplaceAll { new: text, .. }
            | Self::AgentWrite(text)
            | Self::Disk(Some(text))
            | Self::Amend { text, .. } => vec![text],
            Self::User(typings) | Self::UserFullText(typings) => {
                typings.iter_mut().map(|typing| &mut typing.text).collect()
            }
            Self::AgentMoves { .. }
            | Self::AgentDeletes
            | Self::Disk(None)
            | Self::Reindent
            | Self::Accept { .. }
            | Self::AcceptAll { .. }
            | Self::AcceptLines { .. }
            | Self::Reject { .. }
            | Self::RejectAll
            | Self::Resolve { .. }
            | Self::Undo
            | Self::Redo => Vec::new(),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Typing {
    pub at: u16,
    pub length: u16,
    pub text: String,
    /// Put a character that exists nowhere else into the text.
    pub marked: bool,
}

/// What the editor does with edits it was sent.
#[derive(Clone, Copy, Debug)]
pub enum Echo {
    AtOnce(Units),
    /// One didChange for each edit, the last edit first.
    OneByOne(Units),
    /// Refused without a word.
    None,
}

pub fn schedules() -> impl Strategy<Value = Schedule> {
    let start = prop_oneof![9 => document().prop_map(Some), 1 => Just(None)];
    (start, prop::collection::vec(op(), 1..=15), any::<[u16; 4]>())
        .prop_map(|(start, ops, dice)| Schedule { start, ops, dice }.without_lone_cr())
}

impl Schedule {
    /// A lone CR is a break like any other, but an LF that comes to stand after it makes one break of the two: the
    /// alignment is then found anew, and what these rules say of single lines does not hold.
    fn without_lone_cr(mut self) -> Self {
        let texts = self.start.iter_mut().chain(self.ops.iter_mut().flat_map(Op::texts));
        for text in texts {
            *text = text.replace("\r\n", "\0").replace('\r', "\n").replace('\0', "\r\n");
        }
        self
    }
}

/// A small text out of few words, so that equal lines are frequent.
pub fn document() -> impl Strategy<Value = String> {
    let last = prop_oneof![3 => Just(""), 1 => Just("a"), 1 => Just("é😀")];
    (prop::collection::vec(line(), 0..8), last).prop_map(|(lines, last)| lines.concat() + last)
}

fn line() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec!["a", "b", "c", "a", "b", "", "  a", "a b", "x ", "é", "😀", "}"]);
    let ending = prop_oneof![8 => Just("\n"), 2 => Just("\r\n"), 1 => Just("\r")];
    (words, ending).prop_map(|(words, ending)| words.to_owned() + ending)
}

fn snippet() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec!["", "a", "b", "x", "  ", "B", "é", "😁", "a b"]);
    prop_oneof![
        4 => words.prop_map(str::to_owned),
        3 => line(),
        2 => line().prop_map(|line| format!("\n{}", line.trim_end())),
        1 => document(),
    ]
}

fn typing() -> impl Strategy<Value = Typing> {
    let length = prop_oneof![4 => Just(0), 3 => 1..3u16, 1 => 3..12u16];
    (any::<u16>(), length, snippet(), any::<bool>()).prop_map(|(at, length, text, marked)| Typing {
        at,
        length,
        text,
        marked,
    })
}

fn echo() -> impl Strategy<Value = Echo> {
    let units = prop::sample::select(vec![Units::Utf8, Units::Utf16, Units::Utf32]);
    let of_units = units.clone().prop_map(Echo::OneByOne);
    prop_oneof![4 => units.prop_map(Echo::AtOnce), 2 => of_units, 1 => Just(Echo::None)]
}

fn op() -> impl Strategy<Value = Op> {
    let number = any::<u16>;
    let some = || prop::collection::vec(any::<u16>(), 1..4);
    let take = prop::sample::select(vec![Take::Mine, Take::Agents, Take::Redo]);
    prop_oneof![
        10 => (number(), 0..8u16, snippet()).prop_map(|(at, length, new)| Op::AgentEdit { at, length, new }),
        1 => (number(), snippet()).prop_map(|(line, new)| Op::AgentReplaceAll { line, new }),
        2 => document().prop_map(Op::AgentWrite),
        1 => (number(), number()).prop_map(|(line, to)| Op::AgentMoves { line, to }),
        1 => Just(Op::AgentDeletes),
        10 => prop::collection::vec(typing(), 1..2).prop_map(Op::User),
        2 => prop::collection::vec(typing(), 2..4).prop_map(Op::User),
        2 => prop::collection::vec(typing(), 1..3).prop_map(Op::UserFullText),
        1 => prop_oneof![4 => document().prop_map(Some), 1 => Just(None)].prop_map(Op::Disk),
        1 => Just(Op::Reindent),
        4 => (some(), echo()).prop_map(|(hunks, echo)| Op::Accept { hunks, echo }),
        1 => echo().prop_map(|echo| Op::AcceptAll { echo }),
        2 => (number(), number(), number())
            .prop_map(|(hunk, minus, plus)| Op::AcceptLines { hunk, minus, plus }),
        2 => some().prop_map(|hunks| Op::Reject { hunks }),
        1 => Just(Op::RejectAll),
        1 => (number(), snippet()).prop_map(|(hunk, text)| Op::Amend { hunk, text }),
        2 => (number(), take).prop_map(|(hunk, take)| Op::Resolve { hunk, take }),
        4 => Just(Op::Undo),
        2 => Just(Op::Redo),
    ]
}
