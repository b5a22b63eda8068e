//! Carrying a person's decisions out: an accept gives edits and claims its hunks, everything else changes the draft.

use super::claim::{Claim, Over, Sent};
use super::draft::Draft;
use super::hunk::{Hunk, Share};
use super::line::{End, Line, joined, read, replacement, same, split};
use super::partial::partly;
use super::refusal::{Refusal, Warning};
use super::shown::trimmed;
use super::told::Net;
use super::{HalfMove, HunkId, HunkRef, HunkState, Reason, Take};
use crate::conversation::ToolUseId;
use crate::documents::{Change, Text};

/// Rejected texts of a file that are remembered.
const REJECTED: usize = 20;

impl Draft {
    /// Claims these hunks and gives their edits. `over_conflicts`: somebody chose the agent's side of a conflict.
    pub(super) fn claim(&mut self, hunks: &[HunkRef], over: Over) -> Result<Vec<Change>, Refusal> {
        let mut indexes = Vec::new();
        for hunk in hunks {
            let index = self.named(hunk)?;
            let Some(found) = self.alignment.hunks.get(index) else { continue };
            match (found.state(), over) {
                (HunkState::Pending, _) | (HunkState::Conflicted, Over::Conflict) => indexes.push(index),
                (HunkState::Applying, _) => {
                    return Err(Refusal(format!("{} is being applied already.", found.id.0)));
                }
                (HunkState::Conflicted, Over::Nothing) => {
                    return Err(Refusal(format!(
                        "{} conflicts with what you changed there: take yours or the agent's, or ask the agent to do it again.",
                        found.id.0
                    )));
                }
            }
        }
        indexes.sort_unstable();
        indexes.dedup();
        let halves = self.halves_of_moves(&indexes);
        self.warn_about_moves(&halves);
        Ok(self.claimed_edits(&indexes, None))
    }

    /// Claims a part of a hunk.
    pub(super) fn claim_lines(
        &mut self,
        hunk: &HunkRef,
        minus: &[usize],
        plus: &[usize],
    ) -> Result<Vec<Change>, Refusal> {
        let index = self.named(hunk)?;
        let found = self.alignment.hunks.get(index).map_or(HunkState::Pending, Hunk::state);
        if self.buffer.is_none() || self.draft.is_none() || found != HunkState::Pending {
            return Err(Refusal(format!("{} can't be taken in parts now.", hunk.id.0)));
        }
        self.move_to_where_it_is_shown(index);
        let (mine, agents) = self.sides(index);
        let expected = partly(&mine, &agents, minus, plus)?;
        if expected == mine {
            return Err(Refusal("No line was chosen that would change anything.".to_owned()));
        }
        Ok(self.claimed_edits(&[index], Some(expected)))
    }

    /// The edits for the hunks with these ascending indexes, hunks that touch in one edit; `part` is what the only one
    /// becomes if not what the agent wants.
    fn claimed_edits(&mut self, indexes: &[usize], part: Option<Vec<Line>>) -> Vec<Change> {
        let buffer = self.buffer.clone().unwrap_or_default();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for &index in indexes {
            let touches = |group: &Vec<usize>| {
                let ends =
                    group.last().and_then(|last| self.alignment.hunks.get(*last)).map(|hunk| hunk.buffer.end);
                ends.is_some() && ends == self.alignment.hunks.get(index).map(|hunk| hunk.buffer.start)
            };
            match groups.last_mut() {
                Some(group) if touches(group) => group.push(index),
                _ => groups.push(vec![index]),
            }
        }
        let mut edits = Vec::new();
        for group in groups {
            let edit = self.edit_of(&group, part.as_deref());
            let mut names: Vec<HunkId> = Vec::new();
            for index in group {
                let (before, agents) = self.sides(index);
                if let Some(hunk) = self.alignment.hunks.get_mut(index) {
                    hunk.claim = Some(Claim { before, expected: part.clone().unwrap_or(agents) });
                    names.push(hunk.id.clone());
                }
            }
            self.watch.send(Sent::new(names, &buffer, &edit));
            edits.push(edit);
        }
        edits
    }

    /// The one edit of the buffer that accepts these neighbouring hunks.
    pub(super) fn edit_of(&self, group: &[usize], part: Option<&[Line]>) -> Change {
        let hunks: Vec<&Hunk> = group.iter().filter_map(|index| self.alignment.hunks.get(*index)).collect();
        let (buffer, draft) = match (&self.buffer, &self.draft) {
            (Some(buffer), Some(draft)) => (buffer, draft),
            (None, draft) => {
                return Change { range: 0..0, text: draft.as_ref().map(Text::to_string).unwrap_or_default() };
            }
            (Some(buffer), None) => return Change { range: 0..buffer.len(), text: String::new() },
        };
        let Some((first, last)) = hunks.first().zip(hunks.last()) else {
            return Change { range: 0..0, text: String::new() };
        };
        let new = part.map_or_else(
            || hunks.iter().flat_map(|hunk| read(draft, hunk.draft.clone())).collect(),
            <[Line]>::to_vec,
        );
        let above = first.draft.start.checked_sub(1);
        let lead = above.map_or(End::None, |above| Line::new(&draft.line(above)).end);
        trimmed(buffer, replacement(buffer, first.buffer.start..last.buffer.end, &new, lead))
    }

    pub(super) fn reject_hunks(&mut self, hunks: &[HunkRef], reason: Option<&str>) -> Result<(), Refusal> {
        let mut indexes = hunks.iter().map(|hunk| self.named(hunk)).collect::<Result<Vec<_>, _>>()?;
        indexes.sort_unstable();
        indexes.dedup();
        let halves = self.halves_of_moves(&indexes);
        self.warn_about_moves(&halves);
        for index in indexes.into_iter().rev() {
            let other = halves.iter().find(|(half, _)| *half == index).map(|(_, other)| other.clone());
            self.reject_at(index, reason, other.map(|other| (self.half_left(index), other)));
        }
        self.realign_if_lost();
        Ok(())
    }

    fn reject_at(&mut self, index: usize, reason: Option<&str>, half: Option<(HalfMove, HunkId)>) {
        if index >= self.alignment.hunks.len() {
            return;
        }
        let (mine, agents) = self.sides(index);
        let hunk = self.alignment.hunks.remove(index);
        self.rejected_text(joined(&agents));
        let text = joined(&agents);
        self.told.record(&hunk, Net::Rejected { reason: reason.map(str::to_owned), text, half });
        if self.buffer.is_some() && self.draft.is_some() {
            self.write_draft(index, hunk.draft, &mine, hunk.buffer.start);
        } else {
            self.draft.clone_from(&self.buffer);
        }
    }

    pub(super) fn reject_part(
        &mut self,
        hunk: &HunkRef,
        minus: &[usize],
        plus: &[usize],
    ) -> Result<(), Refusal> {
        let index = self.named(hunk)?;
        if self.buffer.is_none() || self.draft.is_none() {
            return Err(Refusal(format!("{} can't be rejected in parts.", hunk.id.0)));
        }
        self.move_to_where_it_is_shown(index);
        let (mine, agents) = self.sides(index);
        // Taking a part back is doing that part of the way from the agent's lines to the user's.
        let kept = partly(&agents, &mine, plus, minus)?;
        let gone: Vec<Line> = plus.iter().filter_map(|index| agents.get(*index)).cloned().collect();
        self.rejected_text(joined(&gone));
        let id = self.ids.next();
        if let Some(hunk) = self.alignment.hunks.get(index) {
            let mut part = hunk.clone();
            part.id = id;
            part.share = Share::Part;
            self.told.record(&part, Net::Rejected { reason: None, text: joined(&gone), half: None });
        }
        if let Some(hunk) = self.alignment.hunks.get_mut(index) {
            hunk.share = Share::Rest;
        }
        self.rewrite(index, &kept, agents);
        Ok(())
    }

    pub(super) fn amend_hunk(&mut self, hunk: &HunkRef, text: &str) -> Result<(), Refusal> {
        let index = self.named(hunk)?;
        if self.buffer.is_none() || self.draft.is_none() {
            return Err(Refusal(format!("{} is a whole file: accept it, then change it.", hunk.id.0)));
        }
        let (mine, agents) = self.sides(index);
        let mut lines = split(text);
        if lines.last().is_some_and(|last| last.text.is_empty()) {
            lines.pop();
        }
        // The person typed line breaks of no particular kind.
        let usual = agents.iter().chain(&mine).map(|line| line.end).find(|end| *end != End::None);
        for line in &mut lines {
            line.end = usual.unwrap_or(End::None);
        }
        let by_user = Reason {
            tool_use_id: ToolUseId(String::new()),
            summary: "amended by the user".to_owned(),
            agent: None,
            by_user: true,
            must_ask: None,
        };
        if let Some(hunk) = self.alignment.hunks.get_mut(index) {
            self.told.amended(hunk, &agents, &lines);
            if !hunk.reasons.contains(&by_user) {
                hunk.reasons = hunk.reasons.iter().chain([&by_user]).cloned().collect();
            }
        }
        let was = self.alignment.hunks.get(index).cloned();
        let text = joined(&agents);
        self.rewrite(index, &lines, agents);
        // The user's words are what was there: nothing of the agent's is left.
        if let Some(was) = was.filter(|was| self.alignment.find(&was.id).is_none() && same(&lines, &mine)) {
            self.rejected_text(text.clone());
            self.told.record(&was, Net::Rejected { reason: None, text, half: None });
        }
        Ok(())
    }

    /// Gives a hunk another agent's side.
    fn rewrite(&mut self, index: usize, lines: &[Line], before: Vec<Line>) {
        let Some(hunk) = self.alignment.hunks.get_mut(index) else { return };
        hunk.offer(before);
        hunk.revision += 1;
        hunk.claim = None;
        hunk.touch();
        let (draft, start) = (hunk.draft.clone(), hunk.buffer.start);
        hunk.draft.end = hunk.draft.start + lines.len();
        self.write_draft(index + 1, draft, lines, start);
        self.settle();
    }

    pub(super) fn resolve_conflict(&mut self, hunk: &HunkRef, take: Take) -> Result<Vec<Change>, Refusal> {
        let index = self.named(hunk)?;
        match take {
            Take::Mine => {
                let (mine, _) = self.sides(index);
                let kept = joined(&mine);
                let reason = match kept.trim_end() {
                    "" => "what was there stays deleted".to_owned(),
                    kept => format!("this stays as the user wrote it: {kept}"),
                };
                self.reject_hunks(std::slice::from_ref(hunk), Some(&reason)).map(|()| Vec::new())
            }
            Take::Agents => self.claim(std::slice::from_ref(hunk), Over::Conflict),
            Take::Redo => {
                let (mine, agents) = self.sides(index);
                if let Some(hunk) = self.alignment.hunks.get(index).cloned() {
                    self.reject_at(index, None, None);
                    self.realign_if_lost();
                    self.told.record(&hunk, Net::Conflicted { mine: joined(&mine), agents: joined(&agents) });
                }
                Ok(Vec::new())
            }
        }
    }

    /// The hunk as it was shown, or why it is not.
    fn named(&self, hunk: &HunkRef) -> Result<usize, Refusal> {
        let found =
            self.alignment.find(&hunk.id).and_then(|index| Some((index, self.alignment.hunks.get(index)?)));
        let Some((index, found)) = found else {
            return Err(Refusal(format!(
                "There is no change {} any more: it was decided already.",
                hunk.id.0
            )));
        };
        let joined = found.id != hunk.id && hunk.revision.is_some();
        if joined || hunk.revision.is_some_and(|revision| revision != found.revision) {
            return Err(Refusal(format!(
                "{} has changed since it was shown. Look at it again, then decide.",
                hunk.id.0
            )));
        }
        Ok(index)
    }

    /// The buffer's and the agent's lines of a hunk.
    pub(super) fn sides(&self, index: usize) -> (Vec<Line>, Vec<Line>) {
        let Some(hunk) = self.alignment.hunks.get(index) else { return (Vec::new(), Vec::new()) };
        let of = |text: &Option<Text>, lines: &std::ops::Range<usize>| {
            text.as_ref().map(|text| read(text, lines.clone())).unwrap_or_default()
        };
        (of(&self.buffer, &hunk.buffer), of(&self.draft, &hunk.draft))
    }

    fn rejected_text(&mut self, text: String) {
        if text.trim().is_empty() {
            return;
        }
        if self.rejected.len() == REJECTED {
            self.rejected.remove(0);
        }
        self.rejected.push(text);
    }

    /// Of the hunks with these indexes those that are one half of a move, with the other half, which is not among them.
    fn halves_of_moves(&self, indexes: &[usize]) -> Vec<(usize, HunkId)> {
        let moves = self.moves();
        let decided: Vec<&HunkId> =
            indexes.iter().filter_map(|index| Some(&self.alignment.hunks.get(*index)?.id)).collect();
        let half = |index: &usize| {
            let other = moves.get(*index)?.clone()?;
            (!decided.contains(&&other)).then_some((*index, other))
        };
        indexes.iter().filter_map(half).collect()
    }

    fn warn_about_moves(&mut self, halves: &[(usize, HunkId)]) {
        for (index, other) in halves {
            let Some(half) = self.alignment.hunks.get(*index) else { continue };
            self.warnings.push(Warning {
                message: format!(
                    "{} is one half of a moved block; {} is the other. Decided differently, the block stands twice or not at all.",
                    half.id.0, other.0
                ),
                inverse: None,
            });
        }
    }

    /// What is left of a move once this half of it is rejected.
    fn half_left(&self, index: usize) -> HalfMove {
        let deletes = self.alignment.hunks.get(index).is_some_and(|hunk| hunk.draft.is_empty());
        if deletes { HalfMove::Twice } else { HalfMove::Nowhere }
    }
}
