//! An editor as plain as can be: a string, and a stack of undo steps. It tells the review of every change as LSP does.

use std::ops::Range;

use copydesk::documents::{Change, Text};
use copydesk::review::{Draft, HunkRef};

/// The editor, and the review of its one file.
pub(crate) struct Desk {
    text: String,
    done: Vec<Vec<Step>>,
    undone: Vec<Vec<Step>>,
    pub(crate) review: Draft,
}

/// One replacement, with what it takes to undo it.
#[derive(Clone)]
struct Step {
    at: usize,
    old: String,
    new: String,
}

impl Desk {
    pub(crate) fn open(text: &str) -> Self {
        let review = Draft::new(Some(Text::from(text)));
        Self { text: text.to_owned(), done: Vec::new(), undone: Vec::new(), review }
    }

    pub(crate) fn buffer(&self) -> String {
        self.text.clone()
    }

    pub(crate) fn draft(&self) -> String {
        self.review.text().map(|text| text.to_string()).unwrap_or_default()
    }

    /// The hunk with this index, as it is shown now.
    pub(crate) fn hunk(&self, index: usize) -> HunkRef {
        let hunk = &self.review.hunks()[index];
        HunkRef { id: hunk.id.clone(), revision: Some(hunk.revision) }
    }

    /// The user replaces ranges (line and character of both ends), each in the text after the one before.
    pub(crate) fn types(&mut self, changes: &[([usize; 4], &str)]) {
        let steps = changes.iter().map(|(at, new)| {
            let range = self.offset(at[0], at[1])..self.offset(at[2], at[3]);
            self.replace(range, new)
        });
        let steps: Vec<Step> = steps.collect();
        self.finish(steps);
    }

    /// A change without a range: the editor does not say where.
    pub(crate) fn whole_text(&mut self, text: &str) {
        let step =
            Step { at: 0, old: std::mem::replace(&mut self.text, text.to_owned()), new: text.to_owned() };
        self.done.push(vec![step]);
        self.undone.clear();
        self.review.buffer_replaced(Some(Text::from(text)));
    }

    /// Edits that all refer to the text as it is: one undo step.
    pub(crate) fn apply(&mut self, edits: &[Change]) {
        let steps: Vec<Step> =
            edits.iter().rev().map(|edit| self.replace(edit.range.clone(), &edit.text)).collect();
        self.finish(steps);
    }

    pub(crate) fn undo(&mut self) {
        let steps = self.done.pop().expect("something to undo");
        let back =
            steps.iter().rev().map(|step| Step { at: step.at, old: step.new.clone(), new: step.old.clone() });
        let back: Vec<Step> = back.collect();
        for step in &back {
            self.replace(step.at..step.at + step.old.len(), &step.new);
        }
        self.undone.push(steps);
        self.tell(&back);
    }

    pub(crate) fn redo(&mut self) {
        let steps = self.undone.pop().expect("something to redo");
        for step in &steps {
            self.replace(step.at..step.at + step.old.len(), &step.new);
        }
        self.tell(&steps);
        self.done.push(steps);
    }

    /// The review has the editor's text, all its edits together give the draft, and they neither cross nor descend.
    pub(crate) fn check_alignment(&self) -> Result<(), String> {
        let buffer = self.review.buffer().unwrap_or_default();
        if buffer != self.text.as_str() {
            return Err(format!("the review's buffer is {buffer:?}, the editor's {:?}", self.text));
        }
        let mut accepting = self.review.clone();
        accepting.claims_expired();
        let hunks: Vec<HunkRef> =
            accepting.hunks().iter().map(|hunk| HunkRef { id: hunk.id.clone(), revision: None }).collect();
        let mut edits = Vec::new();
        for hunk in &hunks {
            let conflicted = accepting.accept(std::slice::from_ref(hunk)).is_err();
            if conflicted {
                return Ok(());
            }
            accepting.claims_expired();
        }
        if !hunks.is_empty() {
            edits = accepting.accept(&hunks).map_err(|refusal| refusal.to_string())?;
        }
        if edits.windows(2).any(|pair| pair[0].range.end > pair[1].range.start) {
            return Err(format!("edits cross: {edits:?}"));
        }
        let accepted = buffer.with_edits(&edits);
        if accepted == accepting.text().unwrap_or_default() {
            Ok(())
        } else {
            Err(format!("all edits give {accepted:?}, the draft is {:?}", accepting.text()))
        }
    }

    fn offset(&self, line: usize, column: usize) -> usize {
        let text = Text::from(self.text.as_str());
        let start = text.line_start(line);
        start + text.line(line).chars().take(column).map(char::len_utf8).sum::<usize>()
    }

    fn replace(&mut self, range: Range<usize>, new: &str) -> Step {
        let step = Step { at: range.start, old: self.text[range.clone()].to_owned(), new: new.to_owned() };
        self.text.replace_range(range, new);
        step
    }

    fn finish(&mut self, steps: Vec<Step>) {
        self.tell(&steps);
        self.done.push(steps);
        self.undone.clear();
    }

    fn tell(&mut self, steps: &[Step]) {
        let changes: Vec<Change> = steps
            .iter()
            .map(|step| Change { range: step.at..step.at + step.old.len(), text: step.new.clone() })
            .collect();
        self.review.buffer_changed(&changes);
    }
}
