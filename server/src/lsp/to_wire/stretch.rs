//! Which stretch of the buffer a hunk on the wire replaces, and by what: applied together, they make the draft of the buffer.
//!
//! Lines are separated, not terminated. So where whole lines come or go at the end of a text, the break before them comes and
//! goes with them.

use std::borrow::Cow;
use std::ops::Range;

use crate::documents::Text;
use crate::review::{FileReview, HunkView, ReviewView};

/// What a hunk replaces, in bytes of the buffer, and both texts.
#[derive(Debug, PartialEq)]
pub(super) struct Stretch<'a> {
    pub(super) range: Range<usize>,
    pub(super) removed: Cow<'a, str>,
    pub(super) added: Cow<'a, str>,
    /// How many bytes of each text stand before the hunk's first line.
    pub(super) lead: [usize; 2],
}

/// Of each hunk, in order. They ascend, and none overlaps the next.
pub(super) fn stretches(file: &FileReview) -> impl Iterator<Item = Stretch<'_>> {
    let from = at_the_end(file);
    file.hunks.iter().enumerate().map(move |(index, hunk)| match (&file.buffer, &file.draft) {
        (Some(buffer), Some(draft)) if index >= from => with_break_before(hunk, buffer, draft),
        (Some(buffer), _) => {
            whole_lines(hunk, buffer.line_start(hunk.lines.start)..buffer.line_start(hunk.lines.end))
        }
        (None, _) => whole_lines(hunk, 0..0),
    })
}

/// Whether the lines that the hunk adds begin with the break that separates them from what is above.
pub(in crate::lsp) fn begins_with_a_break(view: &ReviewView, hunk: &str) -> bool {
    let with_names = |file: &&FileReview| file.hunks.iter().any(|other| other.id.0 == hunk);
    let file = view.files.iter().map(AsRef::as_ref).find(with_names);
    file.is_some_and(|file| {
        let mut named = file.hunks.iter().zip(stretches(file)).filter(|(other, _)| other.id.0 == hunk);
        named.any(|(_, stretch)| stretch.lead[1] > 0)
    })
}

/// The first of the hunks that carry the break before them: those that reach the end of the text, one touching the next.
/// None does if it is only one, with lines on both sides.
fn at_the_end(file: &FileReview) -> usize {
    let hunks = &file.hunks;
    let (Some(buffer), Some(_)) = (&file.buffer, &file.draft) else { return hunks.len() };
    let mut end = buffer.line_count();
    let touching = hunks.iter().rev().take_while(|hunk| {
        let touches = hunk.lines.end == end;
        end = hunk.lines.start;
        touches
    });
    match (touching.count(), hunks.last()) {
        (1, Some(last)) if !last.lines.is_empty() && !last.draft_lines.is_empty() => hunks.len(),
        (touching, _) => hunks.len() - touching,
    }
}

fn whole_lines(hunk: &HunkView, range: Range<usize>) -> Stretch<'_> {
    Stretch { range, removed: Cow::Borrowed(&hunk.removed), added: Cow::Borrowed(&hunk.added), lead: [0, 0] }
}

/// From the end of the line above to the end of the last line, on both sides.
fn with_break_before<'a>(hunk: &HunkView, buffer: &Text, draft: &Text) -> Stretch<'a> {
    let end_of = |text: &Text, line: Option<usize>| line.map_or(0, |line| text.line_end(line));
    let of = |text: &Text, lines: &Range<usize>| {
        let start = end_of(text, lines.start.checked_sub(1));
        let end = end_of(text, lines.end.checked_sub(1)).max(start);
        let lead = if lines.is_empty() { 0 } else { text.line_start(lines.start) - start };
        (start..end, text.slice(start..end).into_owned(), lead)
    };
    let (range, removed, removed_lead) = of(buffer, &hunk.lines);
    let (_, added, added_lead) = of(draft, &hunk.draft_lines);
    Stretch {
        range,
        removed: Cow::Owned(removed),
        added: Cow::Owned(added),
        lead: [removed_lead, added_lead],
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::conversation::{SessionId, ToolUseId};
    use crate::documents::{AbsPath, Change};
    use crate::review::{Draft, FileKind, Reason};

    fn reason() -> Reason {
        let tool_use_id = ToolUseId("t".to_owned());
        Reason { tool_use_id, summary: String::new(), agent: None, by_user: false, must_ask: None }
    }

    fn file(draft: &Draft) -> FileReview {
        FileReview {
            path: AbsPath::new("/w/a").unwrap(),
            session: SessionId("s".to_owned()),
            kind: FileKind::Modify,
            open: None,
            buffer: draft.buffer(),
            draft: draft.text(),
            hunks: std::sync::Arc::new(draft.hunks()),
            reasons: Vec::new(),
            disk_differs: false,
            lost: false,
            held_back: None,
            whole: None,
        }
    }

    /// What a client makes of the buffer with the hunks it is sent.
    #[track_caller]
    fn applied(file: &FileReview) -> String {
        let buffer = file.buffer.as_ref().unwrap().to_string();
        let mut text = String::new();
        let mut end = 0;
        for stretch in stretches(file) {
            assert!(end <= stretch.range.start, "no hunk overlaps the one before");
            assert_eq!(buffer[stretch.range.clone()], stretch.removed);
            text.push_str(&buffer[end..stretch.range.start]);
            text.push_str(&stretch.added);
            end = stretch.range.end;
        }
        text + &buffer[end..]
    }

    /// The hunks as `range removed -> added`.
    #[track_caller]
    fn check(buffer: &str, agents: &str, wanted: &[(Range<usize>, &str, &str)]) {
        let mut draft = Draft::new(Some(Text::from(buffer)));
        draft.write(agents, &reason());
        let file = file(&draft);
        let stretches: Vec<_> = stretches(&file).collect();
        let shown: Vec<_> = stretches
            .iter()
            .map(|stretch| (stretch.range.clone(), stretch.removed.as_ref(), stretch.added.as_ref()))
            .collect();
        assert_eq!(shown, wanted);
        assert_eq!(applied(&file), agents);
    }

    #[test]
    fn a_hunk_is_whole_lines() {
        check("a\nb\n", "a\nB\n", &[(2..4, "b\n", "B\n")]);
        check("a\nb\n", "a\nb\nc\n", &[(4..4, "", "c\n")]);
        check("a\nb", "a\nB", &[(2..3, "b", "B")]);
        check("a\nb", "a\nB\nc", &[(2..3, "b", "B\nc")]);
    }

    #[test]
    fn at_the_end_the_break_before_comes_and_goes_with_the_lines() {
        check("a\nb", "a\nb\nW1", &[(3..3, "", "\nW1")]);
        check("a\r\nb", "a\r\nb\r\nW1", &[(4..4, "", "\r\nW1")]);
        check("a\nb\nc", "a\nb", &[(3..5, "\nc", "")]);
        check("a\nb", "a\nb\n", &[(3..3, "", "\n")]);
        check("a\nb\n", "a\nb", &[(3..4, "\n", "")]);
        check("", "a\n", &[(0..0, "", "a\n")]);
    }

    /// A text of few short lines, in one kind of breaks, with and without one at the end.
    fn text() -> impl Strategy<Value = String> {
        let lines = prop::collection::vec("[ab]?", 0..6);
        (lines, prop::sample::select(vec!["\n", "\r\n"])).prop_map(|(lines, end)| lines.join(end))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn a_buffer_and_all_its_hunks_make_the_draft(
            buffer in text(),
            agents in text(),
            steps in prop::collection::vec((any::<bool>(), 0..30_usize, 0..4_usize, "[x\n]{0,3}"), 0..4),
        ) {
            let mut draft = Draft::new(Some(Text::from(buffer)));
            draft.write(&agents, &reason());
            for (by_user, at, len, new) in steps {
                let text = if by_user { draft.buffer() } else { draft.text() }.unwrap();
                let start = text.border(at.min(text.len()));
                let range = start..text.border((start + len).min(text.len()));
                let change = Change { range, text: new };
                if by_user {
                    draft.buffer_changed(&[change]);
                } else {
                    draft.edit(&[change], &reason());
                }
            }
            let file = file(&draft);
            prop_assert_eq!(applied(&file), draft.text().unwrap().to_string());
        }
    }
}
