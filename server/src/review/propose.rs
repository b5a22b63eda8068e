//! What the agent does to its side: hunks are made, changed and joined.

use std::ops::Range;

use super::Reason;
use super::delta::{Delta, line_form, whole_text};
use super::draft::Draft;
use super::hunk::Hunk;
use super::line::{End, Line, read, replacement};
use crate::documents::{Change, Text};

impl Draft {
    /// Replaces parts of the draft; `edits` all refer to it as it is now.
    pub(super) fn agent_edit(&mut self, edits: &[Change], reason: &Reason) {
        let Some(before) = self.draft.clone() else { return };
        for edit in edits.iter().rev() {
            // Edits below may be in the same line, so each is put into line form against the draft with those done.
            let Some(so_far) = self.draft.clone() else { return };
            for delta in line_form(&so_far, edit).into_iter().rev() {
                self.agent_delta(self.with_break(delta), reason);
            }
        }
        self.draft_is(before.with_edits(edits));
    }

    /// The whole draft becomes `text`.
    pub(super) fn agent_write(&mut self, text: &str, reason: &Reason) {
        let Some(before) = self.draft.clone() else { return };
        for delta in whole_text(&before, text).into_iter().rev() {
            self.agent_delta(self.with_break(delta), reason);
        }
        self.draft_is(Text::from(text));
    }

    /// The agent's text is exact whatever became of its lines on the way.
    fn draft_is(&mut self, text: Text) {
        if self.draft.as_ref() != Some(&text) {
            self.draft = Some(text);
            self.realign();
        }
    }

    /// Where the draft ends, its last line has no break, though the same line of the buffer may have one. If the agent goes
    /// on with another kind of break, that line is changed too.
    fn with_break(&self, mut delta: Delta) -> Delta {
        let (Some(buffer), Some(draft)) = (&self.buffer, &self.draft) else { return delta };
        let Some(mine) = self.alignment.line_above(delta.lines.start) else { return delta };
        let (above, mine) = (delta.lines.start - 1, Line::new(&buffer.line(mine)));
        if mine.end != End::None && delta.lead != End::None && mine.end != delta.lead {
            delta.lines.start = above;
            delta.new.insert(0, Line { text: mine.text, end: delta.lead });
            delta.lead = above.checked_sub(1).map_or(End::None, |above| Line::new(&draft.line(above)).end);
        }
        delta
    }

    /// Whole lines of the draft change. The hunks they touch become one.
    fn agent_delta(&mut self, delta: Delta, reason: &Reason) {
        let (Some(buffer), Some(draft)) = (&self.buffer, &self.draft) else { return };
        let touched = touched(&self.alignment.hunks, &delta.lines);
        let mut hunk = match self.alignment.hunks.get(touched.clone()) {
            None | Some([]) => {
                let start = self.alignment.buffer_line(delta.lines.start, touched.start);
                // An empty text has no line to stand beside: all of it is replaced.
                let (lines, agents) = if buffer.is_empty() {
                    (0..1, 0..draft.line_count())
                } else {
                    (start..start + delta.lines.len(), delta.lines.clone())
                };
                let base = read(buffer, lines.clone());
                let mut hunk = Hunk::new(self.ids.next(), lines, agents, base, [].into());
                hunk.revision = 0;
                hunk
            }
            Some(hunks @ [first, ..]) => join(first, hunks, &delta.lines, buffer, draft),
        };
        let change = replacement(draft, delta.lines.clone(), &delta.new, delta.lead);
        self.change_draft(&change);

        let (old, new) = (delta.lines.len(), delta.new.len());
        hunk.draft.end = hunk.draft.end + new - old;
        hunk.revision += 1;
        hunk.claim = None;
        if !hunk.reasons.contains(reason) {
            hunk.reasons = hunk.reasons.iter().chain([reason]).cloned().collect();
        }
        hunk.touch();
        let at = touched.start;
        self.alignment.hunks.splice(touched, [hunk]);
        self.alignment.shift_draft(at + 1, old, new);
    }
}

/// The hunks that a change of these draft lines belongs to: the one it lies in, else all it touches.
fn touched(hunks: &[Hunk], lines: &Range<usize>) -> Range<usize> {
    let from = hunks.partition_point(|hunk| hunk.draft.end < lines.start);
    let near = hunks.iter().skip(from).take_while(|hunk| hunk.draft.start <= lines.end);
    let count = near.clone().count();
    let within = near.clone().position(|hunk| hunk.draft.start <= lines.start && lines.end <= hunk.draft.end);
    match within {
        Some(index) => from + index..from + index + 1,
        None => from..from + count,
    }
}

/// One hunk for all of `hunks`, wide enough for these draft lines. The oldest name lives.
pub(super) fn join(first: &Hunk, hunks: &[Hunk], lines: &Range<usize>, buffer: &Text, draft: &Text) -> Hunk {
    let last = hunks.last().unwrap_or(first);
    let above = first.draft.start.saturating_sub(lines.start);
    let below = lines.end.saturating_sub(last.draft.end);
    let whole = first.buffer.start - above..last.buffer.end + below;

    // The stretches of the joined hunk: base and draft lines of each part, and the equal lines between them.
    let mut stretches: Vec<(Vec<Line>, Option<&Hunk>)> = Vec::new();
    let mut at = whole.start;
    for hunk in hunks {
        stretches.push((read(buffer, at..hunk.buffer.start), None));
        stretches.push((hunk.base.clone(), Some(hunk)));
        at = hunk.buffer.end;
    }
    stretches.push((read(buffer, at..whole.end), None));
    let base: Vec<Line> = stretches.iter().flat_map(|(lines, _)| lines.clone()).collect();

    let oldest = hunks.iter().min_by_key(|hunk| (hunk.id.0.len(), &hunk.id.0)).unwrap_or(first);
    let draft_lines = first.draft.start - above..last.draft.end + below;
    let mut joined = Hunk::new(oldest.id.clone(), whole, draft_lines, base, [].into());
    for (index, (_, hunk)) in stretches.iter().enumerate() {
        let Some(hunk) = hunk else { continue };
        let offered = hunk.offered.iter().cloned().chain([read(draft, hunk.draft.clone())]);
        for lines in offered {
            let others = stretches.iter().enumerate();
            joined.offer(
                others
                    .flat_map(|(i, (base, _))| if i == index { lines.clone() } else { base.clone() })
                    .collect(),
            );
        }
        joined.aliases.extend(hunk.aliases.iter().chain([&hunk.id]).filter(|id| **id != oldest.id).cloned());
        let new = hunk.reasons.iter().filter(|reason| !joined.reasons.contains(reason));
        joined.reasons = joined.reasons.iter().chain(new).cloned().collect();
        joined.revision = joined.revision.max(hunk.revision);
        joined.undone |= hunk.undone;
    }
    joined.orphan = if let [only] = hunks { only.orphan.clone() } else { None };
    joined
}
