//! What can be seen of a world from outside, told naively over lines and bytes.

use std::ops::Range;

use copydesk::documents::Change;
use copydesk::review::{HunkId, HunkState, HunkView, Take};

use super::editor::{Line, Units, lines, offset_of, places, position_of};
use super::world::{World, named};

/// Where lines went.
pub struct Shift {
    pub at: usize,
    pub by: isize,
}

impl Shift {
    pub fn of(&self, line: usize) -> usize {
        if line >= self.at { line.saturating_add_signed(self.by) } else { line }
    }
}

pub fn same<T: PartialEq + std::fmt::Debug + ?Sized>(what: &str, is: &T, wanted: &T) -> Result<(), String> {
    if is == wanted { Ok(()) } else { Err(format!("{what}: is {is:?}, should be {wanted:?}")) }
}

pub fn show(world: &World) -> String {
    let hunks: Vec<String> = world
        .hunks()
        .iter()
        .map(|hunk| {
            let HunkView { id, revision, lines, removed, added, state, accept, .. } = hunk;
            format!("\n    {}@{revision} {lines:?} {removed:?} -> {added:?} {state:?} {accept:?}", id.0)
        })
        .collect();
    format!("buffer {:?}, draft {:?}{}", world.server(), world.agent(), hunks.concat())
}

/// What a person sees of hunks, names and counts aside. Neighbours in the same state are one: where one ends and the next
/// begins may tell that there was a conflict between them.
pub fn shown(hunks: &[HunkView]) -> Vec<(Range<usize>, String, String, HunkState)> {
    let mut shown: Vec<(Range<usize>, String, String, HunkState)> = Vec::new();
    for hunk in hunks {
        match shown.last_mut() {
            Some((lines, removed, added, state)) if lines.end == hunk.lines.start && *state == hunk.state => {
                lines.end = hunk.lines.end;
                removed.push_str(&hunk.removed);
                added.push_str(&hunk.added);
            }
            _ => {
                shown.push((
                    hunk.lines.clone(),
                    hunk.removed.to_string(),
                    hunk.added.to_string(),
                    hunk.state,
                ));
            }
        }
    }
    shown
}

pub fn conflicted(world: &World) -> bool {
    world.hunks().iter().any(|hunk| hunk.state == HunkState::Conflicted)
}

/// Every hunk accepted. Conflicts and undone hunks are decided one by one: they may touch others, and share the line break
/// between them, so the edit of each counts from what the others have become.
pub fn all_applied(world: &World) -> Result<String, String> {
    let buffer = world.draft.buffer().unwrap_or_default();
    let edits = |hunks: Vec<HunkView>| -> Vec<Change> {
        hunks.iter().map(|hunk| hunk.accept_edit(&buffer)).collect()
    };
    if !conflicted(world) && !world.hunks().iter().any(|hunk| hunk.undone) {
        return Ok(with_edits(&world.client(), &edits(world.pending())));
    }
    let mut world = world.clone();
    let mut text = world.client();
    if world.agent().is_none() || world.server().is_none() {
        return Ok(with_edits(&text, &edits(world.hunks())));
    }
    while let Some(hunk) = world.hunks().into_iter().find(|hunk| hunk.state != HunkState::Applying) {
        let edits = match hunk.state {
            HunkState::Conflicted => world.draft.resolve(&named(&hunk), Take::Agents),
            HunkState::Pending | HunkState::Applying => world.draft.accept(&[named(&hunk)]),
        };
        let edits = edits.map_err(|refusal| format!("hunk {} can't be applied: {refusal}", hunk.id.0))?;
        let changes = world.editor.apply_edits(&edits, Units::Utf8);
        world.draft.buffer_changed(&changes);
        if world.client() == text {
            return Err(format!("hunk {} applied changes nothing", hunk.id.0));
        }
        text = world.client();
    }
    Ok(text)
}

pub fn with_edits(text: &str, edits: &[Change]) -> String {
    let mut after = String::new();
    let mut end = 0;
    for edit in edits {
        after.push_str(&text[end..edit.range.start.max(end)]);
        after.push_str(&edit.text);
        end = edit.range.end;
    }
    after + &text[end..]
}

pub fn whole_lines(text: &str, hunk: &HunkView) -> String {
    let lines = lines(text);
    let inside = lines.iter().take(hunk.lines.end).skip(hunk.lines.start);
    inside.map(|line| line.content.clone() + &line.ending).collect()
}

/// The bytes a hunk may touch: its lines, and at the end of the text the break before them.
pub fn stretch(text: &str, hunk: &HunkView) -> Range<usize> {
    let lines = lines(text);
    let start = lines.get(hunk.lines.start).map_or(text.len(), |line| line.start);
    let end = lines.get(hunk.lines.end).map_or(text.len(), |line| line.start);
    let break_before = lines.get(hunk.lines.start.wrapping_sub(1)).map_or(0, |line| line.ending.len());
    let at_the_end = hunk.lines.end >= lines.len();
    if at_the_end { start - break_before..end } else { start..end }
}

pub fn sound(text: &str, edits: &[Change]) -> Result<(), String> {
    let places = places(text);
    for edit in edits {
        for place in [edit.range.start, edit.range.end] {
            if !places.contains(&place) {
                return Err(format!("{edit:?}: {place} is no place in {text:?}"));
            }
            for units in [Units::Utf8, Units::Utf16, Units::Utf32] {
                same(
                    "a place named and found again",
                    &offset_of(text, position_of(text, place, units), units),
                    &place,
                )?;
            }
        }
        if edit.range.start > edit.range.end {
            return Err(format!("{edit:?} is upside down"));
        }
    }
    match edits.windows(2).find(|pair| pair[0].range.end > pair[1].range.start) {
        Some(pair) => Err(format!("not ascending, or overlapping: {pair:?}")),
        None => Ok(()),
    }
}

/// The line within which the change lies whole, its line break untouched.
pub fn changed_line(before: &[Line], after: &[Line], change: &Change) -> Option<usize> {
    let line = before.iter().position(|line| {
        line.start <= change.range.start && change.range.end <= line.start + line.content.len()
    })?;
    let rest_is_equal = contents(before, line, 1) == contents(after, line, 1);
    let break_is_equal = after.get(line).is_some_and(|now| before[line].ending == now.ending);
    (rest_is_equal && break_is_equal && before.len() == after.len()).then_some(line)
}

/// The line that the change puts in whole, typed at the start of the line that stood there.
pub fn inserted_line(before: &[Line], after: &[Line], change: &Change) -> Option<usize> {
    let line = before.iter().position(|line| change.range == (line.start..line.start))?;
    let ends_itself = change.text.ends_with(['\n', '\r']);
    (ends_itself && contents(before, line, 0) == contents(after, line, 1)).then_some(line)
}

/// The line that the change takes out whole, its break with it.
pub fn deleted_line(before: &[Line], after: &[Line], change: &Change) -> Option<usize> {
    let whole = |line: &Line| line.start..line.start + line.content.len() + line.ending.len();
    let line = before.iter().position(|line| !line.ending.is_empty() && change.range == whole(line))?;
    (change.text.is_empty() && contents(before, line, 1) == contents(after, line, 0)).then_some(line)
}

/// All lines but `without` of them from `line` on.
fn contents(lines: &[Line], line: usize, without: usize) -> Vec<(&str, &str)> {
    let kept = lines.iter().enumerate().filter(|(number, _)| !(line..line + without).contains(number));
    kept.map(|(_, line)| (line.content.as_str(), line.ending.as_str())).collect()
}

pub fn shuffled(mut hunks: Vec<HunkView>, dice: [u16; 4]) -> Vec<HunkView> {
    let mut order = Vec::new();
    for turn in 0..hunks.len() {
        order.push(hunks.remove(usize::from(dice[turn % 4]) % hunks.len()));
    }
    order
}

pub fn still_there(world: &World, hunk: &HunkView) -> Result<HunkView, String> {
    let HunkId(id) = &hunk.id;
    let now = world.pending().into_iter().find(|other| other.id == hunk.id);
    now.ok_or_else(|| format!("{id} is no longer pending after another hunk was accepted: {}", show(world)))
}
