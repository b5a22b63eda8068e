//! Taking an accept back: the edit that puts there again what stood there before. Its echo is an undo like any other.

use super::draft::{Draft, Refusal};
use super::line::{End, Line, read, replacement, same};
use super::shown::trimmed;
use super::{HunkId, accepted::Region};
use crate::documents::{Change, Text};

/// Nobody can take it back: for the person, as a part of a sentence.
pub(super) const FORGOTTEN: &str = "it is not known any more what stood there before";

impl Draft {
    /// The edits of the buffer that take these accepts back: ascending, no overlap. All of them or none.
    pub fn take_back(&self, hunks: &[HunkId]) -> Result<Vec<Change>, Refusal> {
        let buffer =
            self.buffer.as_ref().ok_or_else(|| Refusal("there is no such file any more".to_owned()))?;
        let mut edits = hunks.iter().map(|id| self.edit_back(buffer, id)).collect::<Result<Vec<_>, _>>()?;
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        let overlap = edits.windows(2).any(|pair| matches!(pair, [a, b] if a.range.end > b.range.start));
        if overlap {
            return Err(Refusal("the accepted lines lie over each other by now".to_owned()));
        }
        Ok(edits)
    }

    /// It was accepted here, and what stood there before is known still.
    pub fn remembers(&self, hunk: &HunkId) -> bool {
        self.accepted.find(hunk).is_some()
    }

    fn edit_back(&self, buffer: &Text, id: &HunkId) -> Result<Change, Refusal> {
        let Some(Region { lines, agents, before, .. }) = self.accepted.find(id) else {
            return Err(Refusal(FORGOTTEN.to_owned()));
        };
        if !same(&read(buffer, lines.clone()), agents) {
            return Err(Refusal("the accepted lines were changed since".to_owned()));
        }
        let above = lines.start.checked_sub(1).map(|above| Line::new(&buffer.line(above)).end);
        let lead = match above {
            // The accept made it the last line. The break that it had is not known, but for what all others are.
            Some(End::None) => the_one_end(before, buffer)?,
            Some(end) => end,
            None => End::None,
        };
        Ok(trimmed(buffer, replacement(buffer, lines.clone(), before, lead)))
    }
}

/// How all lines of both end that end at all.
fn the_one_end(before: &[Line], buffer: &Text) -> Result<End, Refusal> {
    let of_buffer = (0..buffer.line_count()).map(|line| Line::new(&buffer.line(line)).end);
    let mut ends = before.iter().map(|line| line.end).chain(of_buffer).filter(|end| *end != End::None);
    let first = ends.next().unwrap_or(End::None);
    if ends.all(|end| end == first) {
        Ok(first)
    } else {
        Err(Refusal("its lines end in several ways, so it is not known which were there".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::ToolUseId;
    use crate::review::{HunkState, Reason};

    const START: &str = "a\nb\nc\nd\ne\n";

    /// The agent replaces each of these pairs, and all of it is accepted.
    fn accepted(edits: &[(&str, &str)]) -> (Draft, Vec<HunkId>) {
        accepted_in(START, edits)
    }

    fn accepted_in(start: &str, edits: &[(&str, &str)]) -> (Draft, Vec<HunkId>) {
        let mut draft = Draft::new(Some(Text::from(start)));
        let reason = Reason {
            tool_use_id: ToolUseId("call".to_owned()),
            summary: "try".to_owned(),
            agent: None,
            by_user: false,
            must_ask: None,
        };
        for (old, new) in edits {
            let start = draft.text().unwrap().to_string().find(old).unwrap();
            draft.edit(&[Change { range: start..start + old.len(), text: (*new).to_owned() }], &reason);
        }
        let ids = draft.hunks().into_iter().map(|hunk| hunk.id).collect();
        let hunks: Vec<_> = draft
            .hunks()
            .into_iter()
            .map(|hunk| crate::review::HunkRef { id: hunk.id, revision: None })
            .collect();
        let edits = draft.accept(&hunks).unwrap();
        apply(&mut draft, &edits);
        assert!(draft.is_settled());
        (draft, ids)
    }

    fn apply(draft: &mut Draft, edits: &[Change]) {
        let last_first: Vec<_> = edits.iter().rev().cloned().collect();
        draft.buffer_changed(&last_first);
    }

    #[track_caller]
    fn check(edits: &[(&str, &str)]) {
        let (mut draft, ids) = accepted(edits);
        let wanted = draft.text();
        let back = draft.take_back(&ids).unwrap();
        apply(&mut draft, &back);
        assert_eq!(draft.buffer().unwrap().to_string(), START);
        assert_eq!(draft.text(), wanted, "the agent's side stays");
        let hunks = draft.hunks();
        assert!(hunks.iter().all(|hunk| hunk.undone && hunk.state == HunkState::Pending), "{hunks:?}");
    }

    #[test]
    fn what_was_accepted_is_pending_again_and_marked_as_taken_back() {
        check(&[("b", "B")]);
        check(&[("b\n", "")]);
        check(&[("b\n", "b\nnew\n")]);
        check(&[("b", "B"), ("d\ne\n", "D\n")]);
        check(&[("a\n", ""), ("e\n", "")]);
    }

    #[test]
    fn at_the_end_of_a_text_each_break_is_what_it_was() {
        let check = |start: &str, edits: &[(&str, &str)]| {
            let (mut draft, ids) = accepted_in(start, edits);
            let back = draft.take_back(&ids).unwrap();
            apply(&mut draft, &back);
            assert_eq!(draft.buffer().unwrap().to_string(), start, "{edits:?}");
        };
        check("l0\r\nl1\r\nl2\r\n", &[("l2\r\n", "l2")]);
        check("l0\r\nl1\r\nl2", &[("\r\nl1\r\nl2", "")]);
        check("l0\r\nl1\r\nl2\r\n", &[("l1\r\nl2\r\n", "l2")]);
        check("l0\nl1\nl2\n", &[("l2\n", "l2")]);
        let (draft, ids) = accepted_in("l0\nl1\r\nl2\r\n", &[("l2\r\n", "l2")]);
        assert!(draft.take_back(&ids).unwrap_err().0.contains("several ways"));
    }

    #[test]
    fn it_follows_what_is_typed_elsewhere() {
        let (mut draft, ids) = accepted(&[("b", "B")]);
        draft.buffer_changed(&[Change { range: 0..0, text: "new\n".to_owned() }]);
        let back = draft.take_back(&ids).unwrap();
        apply(&mut draft, &back);
        assert_eq!(draft.buffer().unwrap().to_string(), format!("new\n{START}"));
    }

    #[test]
    fn lines_that_the_user_changed_since_are_left_alone() {
        let (mut draft, ids) = accepted(&[("b", "B"), ("d", "D")]);
        draft.buffer_changed(&[Change { range: 2..3, text: "mine".to_owned() }]);
        let refusal = draft.take_back(&ids).unwrap_err();
        assert_eq!(refusal.0, "the accepted lines were changed since");
        let unknown = draft.take_back(&[HunkId("h_99".to_owned())]).unwrap_err();
        assert_eq!(unknown.0, FORGOTTEN);
    }
}
