//! A naive editor: one plain string, places as the protocol counts them, and undo steps.

use std::ops::Range;

use copydesk::documents::Change;

/// The client's side of the wire. It shares no code with the server: every text is a `String`, every line is found by
/// walking over characters.
#[derive(Clone, Debug)]
pub struct NaiveEditor {
    /// `None`: there is no such file.
    pub text: Option<String>,
    undo: Vec<Vec<Replacement>>,
    redo: Vec<Vec<Replacement>>,
}

#[derive(Clone, Debug)]
struct Replacement {
    start: usize,
    removed: String,
    inserted: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Units {
    Utf8,
    Utf16,
    Utf32,
}

impl NaiveEditor {
    pub fn new(text: Option<String>) -> Self {
        Self { text, undo: Vec::new(), redo: Vec::new() }
    }

    /// One undo step and one didChange: each change against the result of the one before.
    pub fn change(&mut self, changes: Vec<Change>) -> Vec<Change> {
        let step = changes.iter().map(|change| self.replace(change)).collect();
        self.undo.push(step);
        self.redo.clear();
        changes
    }

    /// LSP `TextEdit`s: all of them against the text as it is, applied bottom first, through positions in `units`.
    pub fn apply_edits(&mut self, edits: &[Change], units: Units) -> Vec<Change> {
        let before = self.text.clone().unwrap_or_default();
        let through_positions = |offset| offset_of(&before, position_of(&before, offset, units), units);
        let changes = edits.iter().rev().map(|edit| Change {
            range: through_positions(edit.range.start)..through_positions(edit.range.end),
            text: edit.text.clone(),
        });
        self.change(changes.collect())
    }

    /// The file is another one now: a reload, or somebody's hand on the disk.
    pub fn reload(&mut self, text: Option<String>) {
        *self = Self::new(text);
    }

    pub fn undo(&mut self) -> Option<Vec<Change>> {
        let step = self.undo.pop()?;
        let changes: Vec<Change> = step
            .iter()
            .rev()
            .map(|done| Change {
                range: done.start..done.start + done.inserted.len(),
                text: done.removed.clone(),
            })
            .collect();
        for change in &changes {
            self.replace(change);
        }
        self.redo.push(step);
        Some(changes)
    }

    pub fn redo(&mut self) -> Option<Vec<Change>> {
        let step = self.redo.pop()?;
        let changes: Vec<Change> = step
            .iter()
            .map(|undone| Change {
                range: undone.start..undone.start + undone.removed.len(),
                text: undone.inserted.clone(),
            })
            .collect();
        for change in &changes {
            self.replace(change);
        }
        self.undo.push(step);
        Some(changes)
    }

    fn replace(&mut self, change: &Change) -> Replacement {
        let text = self.text.get_or_insert_default();
        let removed = text[change.range.clone()].to_owned();
        text.replace_range(change.range.clone(), &change.text);
        Replacement { start: change.range.start, removed, inserted: change.text.clone() }
    }
}

/// A line and the break that separates it from the next: `"a\n"` has two lines, the second empty and without a break.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub start: usize,
    pub content: String,
    pub ending: String,
}

pub fn lines(text: &str) -> Vec<Line> {
    let mut lines = vec![Line { start: 0, content: String::new(), ending: String::new() }];
    let mut rest = text.chars().peekable();
    let mut offset = 0;
    while let Some(character) = rest.next() {
        offset += character.len_utf8();
        let line = lines.last_mut().unwrap();
        match character {
            '\r' | '\n' => {
                line.ending.push(character);
                if character == '\r' && rest.peek() == Some(&'\n') {
                    line.ending.push('\n');
                    rest.next();
                    offset += 1;
                }
                lines.push(Line { start: offset, content: String::new(), ending: String::new() });
            }
            other => line.content.push(other),
        }
    }
    lines
}

/// Every offset a caret can stand at: on character borders, never between `\r` and `\n`.
pub fn places(text: &str) -> Vec<usize> {
    (0..=text.len())
        .filter(|&offset| text.is_char_boundary(offset))
        .filter(|&offset| !(text[..offset].ends_with('\r') && text[offset..].starts_with('\n')))
        .collect()
}

/// Line and column; the column of a place inside a line break is that of the line's end.
pub fn position_of(text: &str, offset: usize, units: Units) -> (usize, usize) {
    let lines = lines(text);
    let (number, line) = lines.iter().enumerate().rfind(|(_, line)| line.start <= offset).unwrap();
    let column = (offset - line.start).min(line.content.len());
    let width = |character: char| match units {
        Units::Utf8 => character.len_utf8(),
        Units::Utf16 => character.len_utf16(),
        Units::Utf32 => 1,
    };
    let before = line.content.char_indices().take_while(|&(at, _)| at < column);
    (number, before.map(|(_, character)| width(character)).sum())
}

pub fn offset_of(text: &str, (number, column): (usize, usize), units: Units) -> usize {
    let lines = lines(text);
    let Some(line) = lines.get(number) else { return text.len() };
    let inside =
        places(&line.content).into_iter().rfind(|&at| position_of(&line.content, at, units).1 <= column);
    line.start + inside.unwrap_or(0)
}

/// The stretch between two places.
pub fn span(text: &str, from: u16, length: u16) -> Range<usize> {
    let places = places(text);
    let from = usize::from(from) % places.len();
    let to = (from + usize::from(length)).min(places.len() - 1);
    places[from]..places[to]
}
