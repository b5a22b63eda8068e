//! One file between an agent, a user and an editor: carries ops out, and remembers what the user typed.

use std::collections::BTreeSet;

use copydesk::conversation::ToolUseId;
use copydesk::documents::{Change, Text};
use copydesk::review::{Draft, HunkRef, HunkState, HunkView, Reason, Take};

use super::editor::{NaiveEditor, Units, lines, places, span};
use super::schedule::{Echo, Op, Typing};

/// What an op came to.
#[derive(Clone, Debug)]
pub enum What {
    /// Nothing to do it to.
    Nothing,
    /// The draft must be this text now.
    Agent {
        draft: Option<String>,
    },
    User {
        changes: Vec<Change>,
    },
    /// The editor's text is another, and nobody said where.
    Replaced,
    /// The hunks that were named, as they were, the edits that were given for them, and whether the editor applied them.
    Accept {
        hunks: Vec<HunkView>,
        edits: Vec<Change>,
        applied: bool,
        whole: bool,
    },
    /// The file was deleted, as the agent wanted.
    AcceptDelete,
    Reject,
    Amend,
    /// A conflict was settled by the user's word.
    Resolve {
        edits: Vec<Change>,
    },
    Refused,
}

#[derive(Clone, Debug)]
pub struct World {
    pub editor: NaiveEditor,
    pub draft: Draft,
    /// Marked characters of the user that the agent never took out of its side.
    pub typed: BTreeSet<char>,
    markers: u32,
}

impl World {
    pub fn new(start: Option<&str>) -> Self {
        Self {
            editor: NaiveEditor::new(start.map(str::to_owned)),
            draft: Draft::new(start.map(Text::from)),
            typed: BTreeSet::new(),
            markers: 0,
        }
    }

    pub fn client(&self) -> String {
        self.editor.text.clone().unwrap_or_default()
    }

    pub fn server(&self) -> Option<String> {
        self.draft.buffer().map(|text| text.to_string())
    }

    pub fn agent(&self) -> Option<String> {
        self.draft.text().map(|text| text.to_string())
    }

    pub fn hunks(&self) -> Vec<HunkView> {
        self.draft.hunks()
    }

    pub fn pending(&self) -> Vec<HunkView> {
        self.hunks().into_iter().filter(|hunk| hunk.state == HunkState::Pending).collect()
    }

    pub fn step(&mut self, op: &Op) -> What {
        let agent_had = self.agent();
        let what = self.carry_out(op);
        if !matches!(what, What::User { .. } | What::Replaced) {
            // A character that the agent had before it, and takes away or moves, is gone knowingly.
            let agent_has = self.agent().unwrap_or_default();
            let taken: String = self.pending().iter().map(|hunk| hunk.removed.to_string()).collect();
            let gone = |marker: &char| {
                agent_had.as_deref().unwrap_or_default().contains(*marker)
                    && (!agent_has.contains(*marker) || taken.contains(*marker))
            };
            self.typed.retain(|marker| !gone(marker));
        }
        if let What::Resolve { .. } = what {
            // The user gave it up by name.
            let client = self.client();
            self.typed.retain(|marker| client.contains(*marker));
        }
        what
    }

    fn carry_out(&mut self, op: &Op) -> What {
        match op {
            Op::AgentEdit { at, length, new } => self.agent_edit(*at, *length, new),
            Op::AgentReplaceAll { line, new } => self.agent_replace_all(*line, new),
            Op::AgentWrite(text) => self.agent_write(text.clone()),
            Op::AgentMoves { line, to } => {
                let text = self.agent().unwrap_or_default();
                let mut whole: Vec<String> =
                    lines(&text).into_iter().map(|line| line.content + &line.ending).collect();
                let moved = whole.remove(usize::from(*line) % whole.len());
                whole.insert(usize::from(*to) % (whole.len() + 1), moved);
                self.agent_write(whole.concat())
            }
            Op::AgentDeletes => {
                self.draft.delete(&reason());
                What::Agent { draft: None }
            }
            Op::User(_) | Op::UserFullText(_) if self.editor.text.is_none() => What::Nothing,
            Op::User(typings) => {
                let changes = self.typed_changes(typings);
                self.user(changes)
            }
            Op::UserFullText(typings) => {
                let changes = self.typed_changes(typings);
                self.editor.change(changes);
                self.draft.buffer_replaced(self.editor.text.as_deref().map(Text::from));
                What::Replaced
            }
            Op::Disk(text) => {
                self.editor.reload(text.clone());
                self.draft.buffer_replaced(text.as_deref().map(Text::from));
                What::Replaced
            }
            Op::Reindent => {
                let text = self.client();
                let starts = lines(&text).into_iter().rev().filter(|line| !line.content.is_empty());
                let changes: Vec<Change> = starts
                    .map(|line| Change { range: line.start..line.start, text: "  ".to_owned() })
                    .collect();
                if changes.is_empty() { What::Nothing } else { self.user(changes) }
            }
            Op::Accept { hunks, echo } => {
                let all = self.pending();
                let mut chosen: Vec<HunkView> = Vec::new();
                for hunk in hunks.iter().filter_map(|&number| pick(&all, number)) {
                    if !chosen.iter().any(|other| other.id == hunk.id) {
                        chosen.push(hunk);
                    }
                }
                self.accept(chosen, *echo)
            }
            Op::AcceptAll { echo } => self.accept(self.pending(), *echo),
            Op::AcceptLines { hunk, minus, plus } => self.accept_lines(*hunk, *minus, *plus),
            Op::Reject { hunks } => {
                let all = self.hunks();
                let mut chosen: Vec<HunkView> =
                    hunks.iter().filter_map(|&number| pick(&all, number)).collect();
                chosen.dedup_by(|one, other| one.id == other.id);
                self.reject(chosen)
            }
            Op::RejectAll => self.reject(self.hunks()),
            Op::Amend { hunk, text } => match pick(&self.hunks(), *hunk) {
                Some(hunk) => match self.draft.amend(&named(&hunk), text) {
                    Ok(()) => What::Amend,
                    Err(_) => What::Refused,
                },
                None => What::Nothing,
            },
            Op::Resolve { hunk, take } => {
                let all: Vec<HunkView> =
                    self.hunks().into_iter().filter(|hunk| hunk.state == HunkState::Conflicted).collect();
                let Some(hunk) = pick(&all, *hunk) else { return What::Nothing };
                if self.editor.text.is_none() {
                    return What::Nothing;
                }
                if self.draft.text().is_none() && *take == Take::Agents {
                    return self.accept_delete(&[hunk]);
                }
                match self.draft.resolve(&named(&hunk), *take) {
                    Ok(edits) => {
                        self.echo(&edits, Echo::AtOnce(Units::Utf16));
                        What::Resolve { edits }
                    }
                    Err(_) => What::Refused,
                }
            }
            Op::Undo => match self.editor.undo() {
                Some(changes) => self.heard(changes),
                None => What::Nothing,
            },
            Op::Redo => match self.editor.redo() {
                Some(changes) => self.heard(changes),
                None => What::Nothing,
            },
        }
    }

    /// The user's own change arrives at the server.
    pub fn user(&mut self, changes: Vec<Change>) -> What {
        let changes = self.editor.change(changes);
        self.heard(changes)
    }

    pub fn heard(&mut self, changes: Vec<Change>) -> What {
        self.draft.buffer_changed(&changes);
        What::User { changes }
    }

    pub fn accept(&mut self, hunks: Vec<HunkView>, echo: Echo) -> What {
        if hunks.is_empty() {
            return What::Nothing;
        }
        if self.draft.text().is_none() {
            return self.accept_delete(&hunks);
        }
        let names: Vec<HunkRef> = hunks.iter().map(named).collect();
        match self.draft.accept(&names) {
            Ok(edits) => {
                let applied = self.echo(&edits, echo);
                What::Accept { hunks, edits, applied, whole: true }
            }
            Err(_) => What::Refused,
        }
    }

    pub fn reject(&mut self, hunks: Vec<HunkView>) -> What {
        if hunks.is_empty() {
            return What::Nothing;
        }
        let names: Vec<HunkRef> = hunks.iter().map(named).collect();
        match self.draft.reject(&names, None) {
            Ok(()) => What::Reject,
            Err(_) => What::Refused,
        }
    }

    fn accept_delete(&mut self, hunks: &[HunkView]) -> What {
        if hunks.len() < self.hunks().len() || self.editor.text.is_none() {
            return What::Nothing;
        }
        self.editor.reload(None);
        self.draft.buffer_replaced(None);
        What::AcceptDelete
    }

    fn accept_lines(&mut self, hunk: u16, minus: u16, plus: u16) -> What {
        let Some(hunk) = pick(&self.pending(), hunk) else { return What::Nothing };
        if self.draft.text().is_none() {
            return What::Nothing;
        }
        let bits = |text: &str, mask: u16| -> Vec<usize> {
            let count = lines(text)
                .iter()
                .filter(|line| !(line.content.is_empty() && line.ending.is_empty()))
                .count();
            (0..count.min(16)).filter(|bit| mask >> bit & 1 == 1).collect()
        };
        let (minus, plus) = (bits(&hunk.removed, minus), bits(&hunk.added, plus));
        match self.draft.accept_lines(&named(&hunk), &minus, &plus) {
            Ok(edits) => {
                let applied = self.echo(&edits, Echo::AtOnce(Units::Utf8));
                What::Accept { hunks: vec![hunk], edits, applied, whole: false }
            }
            Err(_) => What::Refused,
        }
    }

    /// The editor applies the edits, or does not.
    fn echo(&mut self, edits: &[Change], echo: Echo) -> bool {
        if self.editor.text.is_none() {
            // A closed file that does not exist yet: the server makes it.
            self.editor.apply_edits(edits, Units::Utf8);
            self.draft.buffer_replaced(self.editor.text.as_deref().map(Text::from));
            return true;
        }
        match echo {
            Echo::AtOnce(units) => {
                let changes = self.editor.apply_edits(edits, units);
                self.draft.buffer_changed(&changes);
                true
            }
            Echo::OneByOne(units) => {
                let changes = self.editor.apply_edits(edits, units);
                for change in changes {
                    self.draft.buffer_changed(&[change]);
                }
                true
            }
            Echo::None => {
                self.draft.claims_expired();
                false
            }
        }
    }

    fn typed_changes(&mut self, typings: &[Typing]) -> Vec<Change> {
        let mut text = self.client();
        let mut changes = Vec::new();
        for typing in typings {
            let range = span(&text, typing.at, typing.length);
            let mut typed = typing.text.clone();
            if typing.marked {
                let marker = char::from_u32(0xE000 + self.markers).unwrap();
                self.markers += 1;
                self.typed.insert(marker);
                typed.insert(
                    *places(&typed).iter().rfind(|&&at| !typed[..at].contains(['\r', '\n'])).unwrap(),
                    marker,
                );
            }
            text.replace_range(range.clone(), &typed);
            changes.push(Change { range, text: typed });
        }
        changes
    }

    fn agent_edit(&mut self, at: u16, length: u16, new: &str) -> What {
        let Some(text) = self.agent() else { return What::Nothing };
        let mut range = span(&text, at, length.max(1));
        while occurrences(&text, &text[range.clone()]) != 1 {
            let Some(further) = places(&text).into_iter().find(|&place| place > range.end) else {
                return What::Nothing;
            };
            range.end = further;
        }
        let after = format!("{}{new}{}", &text[..range.start], &text[range.end..]);
        self.draft.edit(&[Change { range, text: new.to_owned() }], &reason());
        What::Agent { draft: Some(after) }
    }

    fn agent_replace_all(&mut self, line: u16, new: &str) -> What {
        let Some(text) = self.agent() else { return What::Nothing };
        let lines = lines(&text);
        let old = &lines[usize::from(line) % lines.len()].content;
        if old.is_empty() {
            return What::Nothing;
        }
        let edits: Vec<Change> = text
            .match_indices(old.as_str())
            .map(|(at, found)| Change { range: at..at + found.len(), text: new.to_owned() })
            .collect();
        self.draft.edit(&edits, &reason());
        What::Agent { draft: Some(text.replace(old.as_str(), new)) }
    }

    fn agent_write(&mut self, text: String) -> What {
        self.draft.write(&text, &reason());
        What::Agent { draft: Some(text) }
    }
}

pub fn named(hunk: &HunkView) -> HunkRef {
    HunkRef { id: hunk.id.clone(), revision: Some(hunk.revision) }
}

fn pick<T: Clone>(all: &[T], number: u16) -> Option<T> {
    all.get(usize::from(number) % all.len().max(1)).cloned()
}

/// Overlapping ones count.
fn occurrences(text: &str, part: &str) -> usize {
    (0..text.len()).filter(|&at| text.as_bytes()[at..].starts_with(part.as_bytes())).count()
}

pub fn reason() -> Reason {
    Reason {
        tool_use_id: ToolUseId("toolu_1".to_owned()),
        summary: "change it".to_owned(),
        agent: None,
        by_user: false,
        must_ask: None,
    }
}
