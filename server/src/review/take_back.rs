//! Taking an accept back: the edit that puts there again what stood there before. Its echo is an undo like any other.

use super::draft::Draft;
use super::line::{End, Line, read, replacement, same};
use super::shown::trimmed;
use super::{HunkId, accepted::Region};
use crate::documents::{Change, Text};

/// Nobody can take it back: for the person, as a part of a sentence.
pub(super) const FORGOTTEN: &str = "it is not known any more what stood there before";

/// What takes some accepts back.
#[derive(Clone, Debug, Default)]
pub(super) struct WayBack {
    /// Of the buffer: ascending, no overlap.
    pub(super) edits: Vec<Change>,
    /// The hunks that these take back.
    pub(super) taken: Vec<HunkId>,
    pub(super) left: Vec<Left>,
}

/// An accept that can't be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Left {
    pub(super) hunk: HunkId,
    /// Zero-based, if it is known where it stands.
    pub(super) line: Option<usize>,
    /// For the person, as a part of a sentence.
    pub(super) why: &'static str,
}

impl WayBack {
    /// The way back of several drafts of one buffer.
    pub(super) fn of(ways: impl IntoIterator<Item = Result<(HunkId, Change), Left>>) -> Self {
        let mut way = Self::default();
        let mut edits = Vec::new();
        for one in ways {
            match one {
                Ok(edit) => edits.push(edit),
                Err(left) => way.left.push(left),
            }
        }
        edits.sort_by_key(|(_, edit)| (edit.range.start, edit.range.end));
        for (hunk, edit) in edits {
            if way.edits.last().is_some_and(|last| last.range.end > edit.range.start) {
                let why = "the accepted lines lie over others by now";
                way.left.push(Left { hunk, line: None, why });
            } else {
                way.taken.push(hunk);
                way.edits.push(edit);
            }
        }
        way
    }
}

impl Draft {
    /// The edit of the buffer that takes this accept back.
    pub(super) fn take_back(&self, id: &HunkId) -> Result<(HunkId, Change), Left> {
        let left = |why| Left { hunk: id.clone(), line: None, why };
        let buffer = self.buffer.as_ref().ok_or_else(|| left("there is no such file any more"))?;
        Ok((id.clone(), self.edit_back(buffer, id)?))
    }

    /// It was accepted here, and what stood there before is known still.
    pub fn remembers(&self, hunk: &HunkId) -> bool {
        self.accepted.find(hunk).is_some()
    }

    fn edit_back(&self, buffer: &Text, id: &HunkId) -> Result<Change, Left> {
        let Some(Region { lines, agents, before, .. }) = self.accepted.find(id) else {
            return Err(Left { hunk: id.clone(), line: None, why: FORGOTTEN });
        };
        let left = |why| Left { hunk: id.clone(), line: Some(lines.start), why };
        if !same(&read(buffer, lines.clone()), agents) {
            return Err(left("the accepted lines were changed since"));
        }
        let above = lines.start.checked_sub(1).map(|above| Line::new(&buffer.line(above)).end);
        let lead = match above {
            // The accept made it the last line. The break that it had is not known, but for what all others are.
            Some(End::None) => the_one_end(before, buffer)
                .ok_or_else(|| left("its lines end in several ways, so it is not known which were there"))?,
            Some(end) => end,
            None => End::None,
        };
        Ok(trimmed(buffer, replacement(buffer, lines.clone(), before, lead)))
    }
}

/// How all lines of both end that end at all; `None`: in several ways.
fn the_one_end(before: &[Line], buffer: &Text) -> Option<End> {
    let of_buffer = (0..buffer.line_count()).map(|line| Line::new(&buffer.line(line)).end);
    let mut ends = before.iter().map(|line| line.end).chain(of_buffer).filter(|end| *end != End::None);
    let first = ends.next().unwrap_or(End::None);
    ends.all(|end| end == first).then_some(first)
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

    fn way_back(draft: &Draft, ids: &[HunkId]) -> WayBack {
        WayBack::of(ids.iter().map(|id| draft.take_back(id)))
    }

    #[track_caller]
    fn all_edits(draft: &Draft, ids: &[HunkId]) -> Vec<Change> {
        let way = way_back(draft, ids);
        assert_eq!(way.left, []);
        way.edits
    }

    fn apply(draft: &mut Draft, edits: &[Change]) {
        let last_first: Vec<_> = edits.iter().rev().cloned().collect();
        draft.buffer_changed(&last_first);
    }

    #[track_caller]
    fn check(edits: &[(&str, &str)]) {
        let (mut draft, ids) = accepted(edits);
        let wanted = draft.text();
        let back = all_edits(&draft, &ids);
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
            let back = all_edits(&draft, &ids);
            apply(&mut draft, &back);
            assert_eq!(draft.buffer().unwrap().to_string(), start, "{edits:?}");
        };
        check("l0\r\nl1\r\nl2\r\n", &[("l2\r\n", "l2")]);
        check("l0\r\nl1\r\nl2", &[("\r\nl1\r\nl2", "")]);
        check("l0\r\nl1\r\nl2\r\n", &[("l1\r\nl2\r\n", "l2")]);
        check("l0\nl1\nl2\n", &[("l2\n", "l2")]);
        let (draft, ids) = accepted_in("l0\nl1\r\nl2\r\n", &[("l2\r\n", "l2")]);
        assert!(way_back(&draft, &ids).left[0].why.contains("several ways"));
    }

    #[test]
    fn it_follows_what_is_typed_elsewhere() {
        let (mut draft, ids) = accepted(&[("b", "B")]);
        draft.buffer_changed(&[Change { range: 0..0, text: "new\n".to_owned() }]);
        let back = all_edits(&draft, &ids);
        apply(&mut draft, &back);
        assert_eq!(draft.buffer().unwrap().to_string(), format!("new\n{START}"));
    }

    #[test]
    fn lines_that_the_user_changed_since_are_left_alone_and_keep_no_others() {
        let (mut draft, mut ids) = accepted(&[("b", "B"), ("d", "D")]);
        draft.buffer_changed(&[Change { range: 2..3, text: "mine".to_owned() }]);
        ids.push(HunkId("h_99".to_owned()));
        let way = way_back(&draft, &ids);
        let left: Vec<_> = way.left.iter().map(|left| (&left.hunk, left.line, left.why)).collect();
        assert_eq!(
            left,
            [(&ids[0], Some(1), "the accepted lines were changed since"), (&ids[2], None, FORGOTTEN)]
        );
        assert_eq!(way.taken, [ids[1].clone()]);
        apply(&mut draft, &way.edits);
        assert_eq!(draft.buffer().unwrap().to_string(), "a\nmine\nc\nd\ne\n");
    }
}
