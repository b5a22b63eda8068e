use std::fmt::Write;

use proptest::prelude::*;

use super::super::line::{End, read, same};
use super::*;
use crate::conversation::ToolUseId;

/// One step of a random schedule. Places and choices are numbers that are brought into range when the step is done.
#[derive(Clone, Debug)]
enum Step {
    Type { at: usize, len: usize, text: String },
    Agent { at: usize, len: usize, text: String },
    Reload { text: String },
    Write { text: String },
    Accept { which: usize, echo: Echo },
    AcceptAll,
    AcceptLines { which: usize, minus: Vec<usize>, plus: Vec<usize> },
    Reject { which: usize },
    RejectLines { which: usize, minus: Vec<usize>, plus: Vec<usize> },
    Amend { which: usize, text: String },
    TakeAgents { which: usize },
    Undo,
}

#[derive(Clone, Copy, Debug)]
enum Echo {
    AsSent,
    Never,
    Unix,
}

#[derive(Debug)]
struct World {
    draft: Draft,
    /// Inverse changes of the buffer, newest last.
    undo: Vec<Vec<Change>>,
    breaks: Breaks,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_schedule_keeps_the_texts_aligned(
        start in text(6, UNIX_AND_DOS),
        steps in prop::collection::vec(step(UNIX_AND_DOS), 1..14),
    ) {
        play(&start, &steps, Breaks::Whole)?;
    }

    #[test]
    fn breaks_that_become_one_do_no_harm(
        start in text(6, ALL),
        steps in prop::collection::vec(step(ALL), 1..14),
    ) {
        play(&start, &steps, Breaks::MayMeet)?;
    }
}

const UNIX_AND_DOS: &[&str] = &["\n", "\n", "\n", "\r\n"];
/// A lone `\r` before a `\n` is one break, so lines that are put together are not always the lines that come out.
const ALL: &[&str] = &["\n", "\n", "\r\n", "\r"];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Breaks {
    Whole,
    MayMeet,
}

fn play(start: &str, steps: &[Step], breaks: Breaks) -> Result<(), TestCaseError> {
    let mut world = World { draft: Draft::new(Some(Text::from(start))), undo: Vec::new(), breaks };
    let mut story = String::new();
    for step in steps {
        world.perform(step);
        let (buffer, text) = (world.draft.buffer(), world.draft.text());
        writeln!(story, "{step:?}\n    {buffer:?} | {text:?}").unwrap();
        check(&world.draft, breaks).map_err(|what| TestCaseError::fail(format!("{what}\n{story}")))?;
    }
    Ok(())
}

fn line_text() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "  a", "b ", "a b", "", "é😀", "}"]).prop_map(str::to_owned)
}

fn text(most: usize, ends: &'static [&'static str]) -> impl Strategy<Value = String> {
    (prop::collection::vec((line_text(), prop::sample::select(ends)), 0..most), line_text())
        .prop_map(|(lines, last)| lines.into_iter().map(|(line, end)| line + end).collect::<String>() + &last)
}

fn step(ends: &'static [&'static str]) -> impl Strategy<Value = Step> {
    let echo = prop::sample::select(vec![Echo::AsSent, Echo::AsSent, Echo::Never, Echo::Unix]);
    let indexes = || prop::collection::vec(0..4_usize, 0..3);
    prop_oneof![
        4 => (any::<usize>(), 0..9_usize, text(3, ends)).prop_map(|(at, len, text)| Step::Type { at, len, text }),
        2 => (any::<usize>(), 0..2_usize, line_text()).prop_map(|(at, len, text)| Step::Type { at, len, text }),
        4 => (any::<usize>(), 0..9_usize, text(3, ends)).prop_map(|(at, len, text)| Step::Agent { at, len, text }),
        1 => text(6, ends).prop_map(|text| Step::Reload { text }),
        1 => text(6, ends).prop_map(|text| Step::Write { text }),
        3 => (any::<usize>(), echo).prop_map(|(which, echo)| Step::Accept { which, echo }),
        1 => Just(Step::AcceptAll),
        1 => (any::<usize>(), indexes(), indexes()).prop_map(|(which, minus, plus)| Step::AcceptLines { which, minus, plus }),
        1 => any::<usize>().prop_map(|which| Step::Reject { which }),
        1 => (any::<usize>(), indexes(), indexes()).prop_map(|(which, minus, plus)| Step::RejectLines { which, minus, plus }),
        1 => (any::<usize>(), text(2, ends)).prop_map(|(which, text)| Step::Amend { which, text }),
        1 => any::<usize>().prop_map(|which| Step::TakeAgents { which }),
        2 => Just(Step::Undo),
    ]
}

impl World {
    fn perform(&mut self, step: &Step) {
        let buffer = self.draft.buffer().unwrap_or_default();
        match step {
            Step::Type { at, len, text } => self.apply(&[change(&buffer, *at, *len, text)]),
            Step::Agent { at, len, text } => {
                let before = self.draft.text().unwrap_or_default();
                let conflicts = self.draft.alignment.hunks.iter().any(|hunk| hunk.conflicted);
                let change = change(&before, *at, *len, text);
                self.draft.edit(std::slice::from_ref(&change), &reason());
                if !conflicts {
                    assert_eq!(
                        self.draft.text(),
                        Some(before.with_edits(&[change])),
                        "the agent's edit is exact"
                    );
                }
            }
            Step::Reload { text } => {
                self.draft.buffer_replaced(Some(Text::from(text.as_str())));
                self.undo.clear();
            }
            Step::Write { text } => {
                let conflicts = self.draft.alignment.hunks.iter().any(|hunk| hunk.conflicted);
                self.draft.write(text, &reason());
                if !conflicts {
                    assert_eq!(
                        self.draft.text(),
                        Some(Text::from(text.as_str())),
                        "the agent's text is exact"
                    );
                }
            }
            Step::Accept { which, echo } => {
                let Some(hunk) = self.hunk(*which) else { return };
                if let Ok(edits) = self.draft.accept(&[hunk]) {
                    self.echo(edits, *echo);
                }
            }
            Step::AcceptAll => {
                let hunks = self.draft.auto_acceptable(&[]);
                let before = self.draft.text();
                let edits = self.draft.accept(&hunks).unwrap();
                self.echo(edits, Echo::AsSent);
                self.unchanged(before);
            }
            Step::AcceptLines { which, minus, plus } => {
                let Some(hunk) = self.hunk(*which) else { return };
                if let Ok(edits) = self.draft.accept_lines(&hunk, minus, plus) {
                    let before = self.draft.text();
                    self.echo(edits, Echo::AsSent);
                    self.unchanged(before);
                }
            }
            Step::Reject { which } => {
                let Some(hunk) = self.hunk(*which) else { return };
                self.draft.reject(&[hunk], None).unwrap();
                assert_eq!(self.draft.buffer(), Some(buffer), "a reject leaves the buffer alone");
            }
            Step::RejectLines { which, minus, plus } => {
                let Some(hunk) = self.hunk(*which) else { return };
                let _ = self.draft.reject_lines(&hunk, minus, plus);
                assert_eq!(self.draft.buffer(), Some(buffer), "a reject leaves the buffer alone");
            }
            Step::Amend { which, text } => {
                let Some(hunk) = self.hunk(*which) else { return };
                self.draft.amend(&hunk, text).unwrap();
            }
            Step::TakeAgents { which } => {
                let Some(hunk) = self.hunk(*which) else { return };
                if let Ok(edits) = self.draft.resolve(&hunk, Take::Agents) {
                    self.echo(edits, Echo::AsSent);
                }
            }
            Step::Undo => {
                let Some(inverse) = self.undo.pop() else { return };
                self.draft.buffer_changed(&inverse);
            }
        }
    }

    fn unchanged(&self, before: Option<Text>) {
        if self.breaks == Breaks::Whole {
            assert_eq!(self.draft.text(), before, "accepting never changes the draft");
        }
    }

    fn hunk(&self, which: usize) -> Option<HunkRef> {
        let hunks = self.draft.hunks();
        let hunk = hunks.get(which.checked_rem(hunks.len())?)?;
        Some(HunkRef { id: hunk.id.clone(), revision: Some(hunk.revision) })
    }

    fn echo(&mut self, mut edits: Vec<Change>, echo: Echo) {
        assert!(edits.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start), "{edits:?}");
        match echo {
            Echo::AsSent => {}
            Echo::Unix => edits.iter_mut().for_each(|edit| edit.text = edit.text.replace("\r\n", "\n")),
            Echo::Never => edits.clear(),
        }
        edits.reverse();
        self.apply(&edits);
        self.draft.claims_expired();
    }

    fn apply(&mut self, changes: &[Change]) {
        let mut buffer = self.draft.buffer().unwrap_or_default();
        let mut inverse = Vec::new();
        for change in changes {
            let old = buffer.slice(change.range.clone()).into_owned();
            inverse.push(Change {
                range: change.range.start..change.range.start + change.text.len(),
                text: old,
            });
            buffer.apply(change);
        }
        inverse.reverse();
        self.undo.push(inverse);
        self.draft.buffer_changed(changes);
        assert_eq!(self.draft.buffer(), Some(buffer), "the buffer is the editor's");
    }
}

/// A change of some characters of the text.
fn change(text: &Text, at: usize, len: usize, new: &str) -> Change {
    let start = text.border(at % (text.len() + 1));
    let end = text.border((start + len).min(text.len()));
    Change { range: start..end.max(start), text: new.to_owned() }
}

fn reason() -> Reason {
    Reason {
        tool_use_id: ToolUseId("call".to_owned()),
        summary: "try".to_owned(),
        agent: None,
        by_user: false,
        must_ask: None,
    }
}

/// What holds at any moment.
fn check(draft: &Draft, breaks: Breaks) -> Result<(), String> {
    let (Some(buffer), Some(text)) = (&draft.buffer, &draft.draft) else { return Ok(()) };
    let whole = breaks == Breaks::Whole;
    let (mut at, mut draft_at) = (0, 0);
    let ends = [(buffer.line_count()..buffer.line_count(), text.line_count()..text.line_count())];
    let hunks = &draft.alignment.hunks;
    for (lines, draft_lines) in hunks.iter().map(|hunk| (hunk.buffer.clone(), hunk.draft.clone())).chain(ends)
    {
        if lines.start < at
            || draft_lines.start < draft_at
            || lines.start - at != draft_lines.start - draft_at
        {
            return Err(format!("not aligned at buffer line {at}, draft line {draft_at}"));
        }
        for (mine, agents) in
            read(buffer, at..lines.start).iter().zip(read(text, draft_at..draft_lines.start))
        {
            let ends = [mine.end, agents.end];
            let breaks_differ = mine.end != agents.end && !ends.contains(&End::None) && whole;
            if mine.text != agents.text || breaks_differ {
                return Err(format!("outside all hunks {mine:?} stands against {agents:?}"));
            }
        }
        (at, draft_at) = (lines.end, draft_lines.end);
    }
    for (index, hunk) in hunks.iter().enumerate() {
        let (mine, agents) = draft.sides(index);
        if same(&mine, &agents) {
            return Err(format!("{} has nothing to decide", hunk.id.0));
        }
        if !hunk.conflicted && hunk.claim.is_none() && !same(&hunk.base, &mine) {
            return Err(format!("{} is pending, but its base is not the buffer's text", hunk.id.0));
        }
        if hunks.iter().skip(index + 1).any(|other| other.is_called(&hunk.id)) {
            return Err(format!("{} is there twice", hunk.id.0));
        }
    }
    let groups: Vec<usize> = (0..hunks.len()).collect();
    let groups = groups.chunk_by(|a, b| hunks[*a].buffer.end == hunks[*b].buffer.start);
    let edits: Vec<Change> = groups.map(|group| draft.edit_of(group, None)).collect();
    if buffer.with_edits(&edits) != *text && whole {
        return Err(format!("{buffer:?} with {edits:?} is not {text:?}"));
    }
    Ok(())
}

#[test]
fn a_hunk_stays_with_its_lines_where_two_breaks_above_it_become_one() {
    let mut draft = Draft::new(Some(Text::from("a\rb\nc\nd")));
    draft.edit(&[Change { range: 4..5, text: "C".to_owned() }], &reason());
    draft.buffer_changed(&[Change { range: 2..3, text: String::new() }]);
    assert_eq!(draft.text().unwrap().to_string(), "a\r\nC\nd");
    let hunks = draft.hunks();
    let shown: Vec<_> = hunks.iter().map(|hunk| (hunk.lines.clone(), &*hunk.removed, &*hunk.added)).collect();
    assert_eq!(shown, [(1..2, "c\n", "C\n")]);
}

#[test]
fn what_a_reject_puts_back_may_end_in_half_a_break() {
    for take_back in [
        |draft: &mut Draft, hunk: &HunkRef| draft.reject(std::slice::from_ref(hunk), None),
        |draft: &mut Draft, hunk: &HunkRef| draft.resolve(hunk, Take::Redo).map(drop),
    ] {
        let mut draft = Draft::new(Some(Text::from("a\r")));
        draft.write("\nb", &reason());
        let first = draft.hunks()[0].clone();
        take_back(&mut draft, &HunkRef { id: first.id, revision: Some(first.revision) }).unwrap();
        assert_eq!(draft.text(), Some(Text::from("a\r\nb")), "the breaks are one");
        check(&draft, Breaks::MayMeet).unwrap();
    }
}
