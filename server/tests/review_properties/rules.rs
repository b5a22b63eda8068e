//! The invariants I1 to I9, each said naively over the texts before and after one op.

use std::ops::Range;

use copydesk::documents::Change;
use copydesk::review::{HunkView, ShownHunks};

use super::editor::{Line, Units, lines, span};
use super::observe::{
    Shift, all_applied, changed_line, conflicted, deleted_line, inserted_line, same, show, shown, shuffled,
    sound, still_there, stretch, whole_lines, with_edits,
};
use super::schedule::{Echo, Schedule};
use super::world::{What, World};

/// One op of a schedule. `last` carries the schedule's dice, for experiments on the state at the end.
pub struct Step<'a> {
    pub before: &'a World,
    pub what: &'a What,
    pub after: &'a World,
    pub last: Option<[u16; 4]>,
}

pub type Rule = fn(&Step) -> Result<(), String>;

/// Carries the schedule out and puts the rule to every step.
pub fn run(schedule: &Schedule, rule: Rule) -> Result<(), String> {
    let mut before = World::new(schedule.start.as_deref());
    for (number, op) in schedule.ops.iter().enumerate() {
        let mut after = before.clone();
        let what = after.step(op);
        let last = (number + 1 == schedule.ops.len()).then_some(schedule.dice);
        rule(&Step { before: &before, what: &what, after: &after, last }).map_err(|why| {
            format!("op {number}, {op:?}: {why}\nbefore: {}\nafter: {}", show(&before), show(&after))
        })?;
        before = after;
    }
    Ok(())
}

/// I1. The server's buffer is the client's text after every message, and nothing but the client moves it.
pub fn only_the_editor_changes_the_buffer(step: &Step) -> Result<(), String> {
    same("the server's buffer", &step.after.server(), &step.after.editor.text)?;
    match step.what {
        What::Agent { .. } | What::Reject | What::Amend | What::Refused | What::Nothing => same(
            "the buffer after an op that is not the editor's",
            &step.after.server(),
            &step.before.server(),
        ),
        What::User { .. }
        | What::Replaced
        | What::Accept { .. }
        | What::AcceptDelete
        | What::Resolve { .. } => Ok(()),
    }
}

/// I2. All hunks applied to the buffer give the draft, none give the buffer; the draft is what the agent wrote; a hunk
/// shows the lines it says it shows.
pub fn hunks_are_the_difference(step: &Step) -> Result<(), String> {
    let world = step.after;
    let (buffer, agent) = (world.client(), world.agent().unwrap_or_default());
    let hunks = world.hunks();
    let shown_before = step.before.draft.hunks_after(&ShownHunks::default());
    let shown_after = world.draft.hunks_after(&shown_before);
    same("the hunks for one who has those of before", &*shown_after.hunks, &hunks)?;
    same("the buffer with all hunks applied", &all_applied(world)?, &agent)?;
    if world.server().is_some() == world.agent().is_some() && buffer == agent {
        same("the hunks of equal texts", &hunks.len(), &0)?;
    }
    let mut end = 0;
    for hunk in &hunks {
        if hunk.lines.start < end {
            return Err(format!("hunk {} begins inside the one before", hunk.id.0));
        }
        end = hunk.lines.end;
        same("the removed lines of a hunk", &*hunk.removed, &*whole_lines(&buffer, hunk))?;
        if world.agent().is_some()
            && world.server().is_some()
            && hunk.accept.len == 0
            && hunk.accept.text.is_empty()
        {
            return Err(format!("hunk {} changes nothing", hunk.id.0));
        }
    }
    match step.what {
        // In a conflict the agent writes without having seen the user's lines, so these are merged into what it wrote.
        What::Agent { .. } if conflicted(step.before) => Ok(()),
        What::Agent { draft } => same("the draft after the agent's op", &world.agent(), draft),
        What::Accept { hunks, applied: true, whole: true, .. } => {
            let left = world.hunks();
            match hunks.iter().find(|hunk| left.iter().any(|other| other.id == hunk.id)) {
                Some(hunk) => Err(format!("hunk {} is still there after its echo", hunk.id.0)),
                None => Ok(()),
            }
        }
        What::Nothing
        | What::User { .. }
        | What::Replaced
        | What::Accept { .. }
        | What::AcceptDelete
        | What::Reject
        | What::Amend
        | What::Resolve { .. }
        | What::Refused => Ok(()),
    }
}

/// I3. Pending hunks accepted one at a time, in any order, give the text that accepting them together gives; an accept
/// never changes the draft.
pub fn accepts_commute(step: &Step) -> Result<(), String> {
    if let What::Accept { .. } = step.what {
        same("the draft after an accept", &step.after.agent(), &step.before.agent())?;
    }
    let Some(dice) = step.last else { return Ok(()) };
    let pending = step.after.pending();
    if pending.len() < 2 || step.after.agent().is_none() || step.after.server().is_none() {
        return Ok(());
    }
    let mut together = step.after.clone();
    let done = together.accept(pending.clone(), Echo::AtOnce(Units::Utf16));
    if !matches!(done, What::Accept { .. }) {
        return Err(format!("all pending hunks together: {done:?}"));
    }
    let mut singly = step.after.clone();
    for hunk in shuffled(pending, dice) {
        let hunk = still_there(&singly, &hunk)?;
        singly.accept(vec![hunk], Echo::AtOnce(Units::Utf8));
        same("the draft after one accept of many", &singly.agent(), &step.after.agent())
            .map_err(|why| format!("{why}, of {}", show(&singly)))?;
    }
    same("the text after single accepts", &singly.client(), &together.client())?;
    same("the draft after accepting all", &together.agent(), &step.after.agent())
}

/// I4. A user edit outside all hunks changes no hunk's text: an edit within a line that no hunk replaces, a whole new
/// line at or beyond an edge, a whole line gone.
pub fn edits_outside_leave_hunks_alone(step: &Step) -> Result<(), String> {
    let What::User { changes } = step.what else { return Ok(()) };
    if step.before.agent().is_none() || step.before.editor.text.is_none() {
        return Ok(());
    }
    // An emptied text has no line left for a hunk to stand beside.
    if step.after.client().is_empty() {
        return Ok(());
    }
    let mut text = step.before.client();
    let mut hunks = step.before.hunks();
    let mut places: Vec<Range<usize>> = hunks.iter().map(place).collect();
    for change in changes {
        let changed = with_edits(&text, std::slice::from_ref(change));
        let Some(shift) = shift_outside(&places, &lines(&text), &lines(&changed), change) else {
            return Ok(());
        };
        for (hunk, place) in hunks.iter_mut().zip(&mut places) {
            *place = shift.of(place.start)..shift.of(place.end);
            hunk.accept.line = shift.of(hunk.accept.line);
        }
        text = changed;
    }
    let left = step.after.hunks();
    for hunk in &hunks {
        let Some(now) = left.iter().find(|other| other.id == hunk.id) else {
            // An accepted hunk that an undo brings back next to it takes it in.
            if left.iter().any(|other| other.undone) {
                return Ok(());
            }
            return Err(format!("hunk {} is gone", hunk.id.0));
        };
        same("a hunk's removed lines", &now.removed, &hunk.removed)?;
        same("a hunk's added lines", &now.added, &hunk.added)?;
        same("a hunk's state", &now.state, &hunk.state)?;
        if !hunk.lines.is_empty() {
            same("a hunk's first line", &now.accept.line, &hunk.accept.line)?;
        }
    }
    let new = left.iter().filter(|hunk| !hunks.iter().any(|other| other.id == hunk.id));
    match new.filter(|hunk| !hunk.undone).count() {
        0 => Ok(()),
        more => Err(format!("{more} new hunks")),
    }
}

/// The lines of a hunk, where it is shown and where it is: among equal lines that need not be the same.
fn place(hunk: &HunkView) -> Range<usize> {
    let at = hunk.accept.line;
    hunk.lines.start.min(at)..hunk.lines.end.max(at + hunk.lines.len())
}

/// Where the lines go with a change outside of all hunks; `None`: it may touch one.
fn shift_outside(hunks: &[Range<usize>], before: &[Line], after: &[Line], change: &Change) -> Option<Shift> {
    if let Some(line) = changed_line(before, after, change) {
        let touches = |hunk: &Range<usize>| hunk.contains(&line);
        (!hunks.iter().any(touches)).then_some(Shift { at: line, by: 0 })
    } else if let Some(line) = inserted_line(before, after, change) {
        let fresh = change.text.chars().any(|character| ('\u{E000}'..'\u{F8FF}').contains(&character));
        let touches = |hunk: &Range<usize>| {
            let inside = hunk.start < line && line < hunk.end;
            let insertion = hunk.is_empty() && hunk.start == line;
            // A whole line typed at the last line may be the line that the agent appends.
            let at_the_end = line + 1 == before.len() && hunk.end >= line;
            inside || (insertion && !fresh) || at_the_end
        };
        (!hunks.iter().any(touches)).then_some(Shift { at: line, by: 1 })
    } else {
        let line = deleted_line(before, after, change)?;
        // Hunks that come to touch where one reaches the end of the text are one: a last line has no break to part them.
        let touches = |hunk: &Range<usize>| {
            hunk.contains(&line) || hunk.start + 1 >= before.len() || hunk.end >= before.len()
        };
        (!hunks.iter().any(touches)).then_some(Shift { at: line + 1, by: -1 })
    }
}

/// I5. What the user typed is never deleted by an accept.
pub fn typed_text_survives_accepts(step: &Step) -> Result<(), String> {
    let survives = |before: &World, after: &World| {
        let had = before.client();
        let has = after.client();
        match before.typed.iter().find(|&&marker| had.contains(marker) && !has.contains(marker)) {
            Some(marker) => Err(format!("the typed {marker:?} is gone")),
            None => Ok(()),
        }
    };
    if let What::Accept { .. } = step.what {
        survives(step.before, step.after)?;
    }
    if step.last.is_some() && step.after.agent().is_some() {
        // Naming conflicts among them is refused, and no way around that.
        for named in [step.after.pending(), step.after.hunks()] {
            let mut accepted = step.after.clone();
            accepted.accept(named, Echo::AtOnce(Units::Utf32));
            survives(step.after, &accepted)?;
        }
    }
    Ok(())
}

/// I6. Reject all leaves the buffer as it is, byte for byte, and nothing pending.
pub fn reject_all_leaves_no_trace(step: &Step) -> Result<(), String> {
    if let What::Reject = step.what {
        same("the client's text after a reject", &step.after.editor.text, &step.before.editor.text)?;
    }
    if step.last.is_none() {
        return Ok(());
    }
    let mut rejected = step.after.clone();
    if let What::Refused = rejected.reject(rejected.hunks()) {
        return Err("reject all was refused".to_owned());
    }
    same("the server's buffer after reject all", &rejected.server(), &step.after.server())?;
    if step.after.hunks().is_empty() {
        return Ok(());
    }
    same("the draft after reject all", &rejected.agent(), &rejected.server())?;
    same("the hunks after reject all", &rejected.hunks().len(), &0)
}

/// I7. An accept changes no byte outside the lines of its hunks, and inside them none that is equal on both sides.
pub fn bytes_outside_accepted_hunks_are_kept(step: &Step) -> Result<(), String> {
    let What::Accept { hunks, edits, applied, whole } = step.what else { return Ok(()) };
    let before = step.before.client();
    let mut stretches: Vec<Range<usize>> = hunks.iter().map(|hunk| stretch(&before, hunk)).collect();
    stretches.sort_by_key(|stretch| stretch.start);
    // Hunks that touch may go in one edit.
    stretches.dedup_by(|below, above| {
        let touch = below.start <= above.end;
        if touch {
            above.end = above.end.max(below.end);
        }
        touch
    });
    for edit in edits {
        // Where lines are equal, an insertion or a deletion may stand a few lines beside the place that is shown.
        let alone = with_edits(&before, std::slice::from_ref(edit));
        let kept = |stretch: &Range<usize>| {
            alone.starts_with(&before[..stretch.start]) && alone.ends_with(&before[stretch.end..])
        };
        if !stretches.iter().any(kept) {
            return Err(format!("{edit:?} changes bytes beyond its hunk"));
        }
        let removed = &before[edit.range.clone()];
        let (first, last) = (removed.chars().next(), removed.chars().last());
        let splits_a_break = |character: Option<char>| matches!(character, Some('\r' | '\n'));
        if *whole && first.is_some() && first == edit.text.chars().next() && !splits_a_break(first) {
            return Err(format!("{edit:?} begins with a character that stays"));
        }
        if *whole && last.is_some() && last == edit.text.chars().last() && !splits_a_break(last) {
            return Err(format!("{edit:?} ends with a character that stays"));
        }
    }
    let wanted = if *applied { with_edits(&before, edits) } else { before };
    same("the client's text", &step.after.client(), &wanted)
}

/// I8. No list of edits has overlapping or descending ranges, or a place that the editor can't name.
pub fn edit_lists_are_sound(step: &Step) -> Result<(), String> {
    // What an editor may be handed at once.
    let bulk = step.after.pending().into_iter().filter(|hunk| !hunk.undone);
    let buffer = step.after.draft.buffer().unwrap_or_default();
    let shown: Vec<Change> = bulk.map(|hunk| hunk.accept_edit(&buffer)).collect();
    sound(&step.after.client(), &shown)?;
    match step.what {
        What::Accept { edits, .. } | What::Resolve { edits } => {
            sound(&step.before.client(), edits)?;
            match edits.windows(2).find(|pair| pair.iter().all(|edit| edit.range == pair[0].range)) {
                Some(pair) => Err(format!("two insertions at one place: {pair:?}")),
                None => Ok(()),
            }
        }
        What::Nothing
        | What::Agent { .. }
        | What::User { .. }
        | What::Replaced
        | What::AcceptDelete
        | What::Reject
        | What::Amend
        | What::Refused => Ok(()),
    }
}

/// I9. The state of a hunk is a function of (base, buffer, agent's lines, claim): what came and went leaves no trace.
/// Typing and taking it back, and a claim that came to nothing, both give the hunks there were.
pub fn states_have_no_memory(step: &Step) -> Result<(), String> {
    if let What::Accept { applied: false, .. } = step.what {
        same(
            "the hunks after an accept without an echo",
            &shown(&step.after.hunks()),
            &shown(&step.before.hunks()),
        )?;
    }
    let Some([at, length, ..]) = step.last else { return Ok(()) };
    // What a conflict became on the way, line by line, is the base of what follows.
    if step.after.editor.text.is_none() || step.after.agent().is_none() || conflicted(step.after) {
        return Ok(());
    }
    let mut world = step.after.clone();
    let text = world.client();
    let hunks = world.hunks();
    let Some(hunk) = hunks.get(usize::from(at) % hunks.len().max(1)) else { return Ok(()) };
    // Within one line of a hunk, so that where it was typed is beyond doubt.
    let Some(line) = lines(&text).into_iter().nth(hunk.lines.start).filter(|_| !hunk.lines.is_empty()) else {
        return Ok(());
    };
    // In the words: what is typed before them is another indent, which merges by itself.
    let words = line.content.trim();
    if words.is_empty() {
        return Ok(());
    }
    let indent = line.content.len() - line.content.trim_start().len();
    let inside = span(words, at.max(1), length % 3);
    let range = line.start + indent + inside.start..line.start + indent + inside.end;
    world.user(vec![Change { range, text: "\u{F8FE}".to_owned() }]);
    if let Some(changes) = world.editor.undo() {
        world.heard(changes);
    }
    same("the draft after typing and undo", &world.agent(), &step.after.agent())?;
    same("a conflict after typing and undo", &conflicted(&world), &false)
}

/// A refused decision changes nothing.
pub fn refusals_change_nothing(step: &Step) -> Result<(), String> {
    match step.what {
        What::Refused => {
            same("the draft", &step.after.agent(), &step.before.agent())?;
            same("the hunks", &shown(&step.after.hunks()), &shown(&step.before.hunks()))
        }
        What::Nothing
        | What::Agent { .. }
        | What::User { .. }
        | What::Replaced
        | What::Accept { .. }
        | What::AcceptDelete
        | What::Reject
        | What::Amend
        | What::Resolve { .. } => Ok(()),
    }
}
