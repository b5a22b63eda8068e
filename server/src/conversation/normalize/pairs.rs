//! Calls and results: each call answered once, right behind its answer, under an id that is legal and its own.

use std::collections::{HashMap, HashSet};

use super::turns::Turn;
use super::{ContentBlock, Role, blocks};
use crate::conversation::{ToolResultContent, ToolUseId};

/// What a call without a result is answered with: it was interrupted, or the program ended before it did.
const CANCELLED: &str = "The call was cancelled before it gave a result.";

/// The turns with every call answered in a user's turn of its own right behind it. A call repeated within one answer
/// is kept once; a result nobody asked for is dropped; an id used again by a later answer is changed on both sides. `ids`:
/// those of the turns before.
pub(super) fn repaired(turns: Vec<Turn>, ids: &mut Ids<'_>) -> Vec<Turn> {
    let turns = without_repeated_calls(turns);
    let (turns, mut results) = results_by_call(turns);
    let mut call = 0;
    let mut repaired = Vec::with_capacity(turns.len());
    for mut turn in turns {
        let mut answers = Vec::new();
        for block in &mut turn.content {
            if let ContentBlock::ToolUse { id, .. } = block {
                *id = ids.unique(std::mem::replace(id, ToolUseId(String::new())));
                answers.push(answer(id.clone(), results.remove(&call)));
                call += 1;
            }
        }
        repaired.push(turn);
        if !answers.is_empty() {
            repaired.push(Turn { role: Role::User, response_id: None, content: answers });
        }
    }
    repaired
}

/// What a tool said.
struct Outcome {
    content: Vec<ToolResultContent>,
    is_error: bool,
}

fn answer(tool_use_id: ToolUseId, outcome: Option<Outcome>) -> ContentBlock {
    let Outcome { content, is_error } = outcome.unwrap_or_else(|| Outcome {
        content: vec![ToolResultContent::Text(CANCELLED.to_owned())],
        is_error: true,
    });
    ContentBlock::ToolResult { tool_use_id, content, is_error }
}

fn without_repeated_calls(mut turns: Vec<Turn>) -> Vec<Turn> {
    let is_call = |block: &&ContentBlock| matches!(block, ContentBlock::ToolUse { .. });
    for turn in &mut turns {
        if turn.content.iter().filter(is_call).count() < 2 {
            continue;
        }
        let mut seen = HashSet::new();
        turn.content.retain(|block| match block {
            ContentBlock::ToolUse { id, .. } => seen.insert(id.clone()),
            _ => true,
        });
    }
    turns
}

/// Takes the results out of the turns, by the number of the call each one answers: the last open one of its id.
fn results_by_call(mut turns: Vec<Turn>) -> (Vec<Turn>, HashMap<usize, Outcome>) {
    let mut open: HashMap<ToolUseId, usize> = HashMap::new();
    let mut results = HashMap::new();
    let mut call = 0;
    for turn in &mut turns {
        let mut kept = Vec::with_capacity(turn.content.len());
        for block in std::mem::take(&mut turn.content) {
            match block {
                ContentBlock::ToolResult { tool_use_id, content, is_error } => {
                    if let Some(answered) = open.remove(&tool_use_id) {
                        results.insert(answered, Outcome { content, is_error });
                    }
                }
                ContentBlock::ToolUse { ref id, .. } => {
                    open.insert(id.clone(), call);
                    call += 1;
                    kept.push(block);
                }
                _ => kept.push(block),
            }
        }
        turn.content = kept;
    }
    (turns, results)
}

/// Ids that were given so far. Each depends only on the ids before it, so that a longer history keeps them.
#[derive(Debug, Default)]
pub(super) struct Ids<'a> {
    /// What was given before these.
    before: Option<&'a Ids<'a>>,
    given: HashSet<ToolUseId>,
    /// The next number for each id that was given again, so that an id used in every answer costs no more than others.
    next: HashMap<String, usize>,
}

impl<'a> Ids<'a> {
    /// Goes on behind `before`, which stays as it is.
    pub(super) fn behind(before: &'a Ids<'a>) -> Self {
        Self { before: Some(before), ..Self::default() }
    }

    /// `wanted` in the API's alphabet (`^[a-zA-Z0-9_-]+$`), with a number behind it if it was given before.
    fn unique(&mut self, wanted: ToolUseId) -> ToolUseId {
        let mut legal = blocks::in_alphabet(wanted.0);
        if legal.is_empty() {
            legal.push_str("call");
        }
        let id = ToolUseId(legal);
        if self.give(&id) {
            return id;
        }
        let mut number = self.next_number(id.as_str());
        loop {
            let numbered = ToolUseId(format!("{id}_{number}"));
            number += 1;
            if self.give(&numbered) {
                self.next.insert(id.0, number);
                return numbered;
            }
        }
    }

    /// Whether it was free until now.
    fn give(&mut self, id: &ToolUseId) -> bool {
        !self.before.is_some_and(|before| before.is_given(id)) && self.given.insert(id.clone())
    }

    fn is_given(&self, id: &ToolUseId) -> bool {
        self.given.contains(id) || self.before.is_some_and(|before| before.is_given(id))
    }

    fn next_number(&self, id: &str) -> usize {
        let here = self.next.get(id).copied();
        here.unwrap_or_else(|| self.before.map_or(2, |before| before.next_number(id)))
    }
}
