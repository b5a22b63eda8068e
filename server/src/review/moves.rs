//! Moved blocks: a deletion and an insertion of the same lines belong together.

use std::collections::HashMap;
use std::sync::Arc;

use super::HunkId;
use super::draft::Draft;

impl Draft {
    /// For each hunk, the other half of its move. A block without words is no move, nor is one that is there twice.
    pub(super) fn moves(&self) -> Vec<Option<HunkId>> {
        let hunks = &self.alignment.hunks;
        let mut halves: Vec<Option<HunkId>> = vec![None; hunks.len()];
        if self.buffer.is_none()
            || self.draft.is_none()
            || !hunks.iter().any(|hunk| hunk.buffer.is_empty())
            || !hunks.iter().any(|hunk| hunk.draft.is_empty())
        {
            return halves;
        }
        let mut blocks: HashMap<Arc<str>, (Vec<usize>, Vec<usize>)> = HashMap::new();
        for (index, hunk) in hunks.iter().enumerate() {
            let Some(shown) = self.shown(index) else { continue };
            let insertion = hunk.buffer.is_empty();
            let text = if insertion { &shown.added } else { &shown.removed };
            if text.trim().is_empty() || !(insertion || hunk.draft.is_empty()) {
                continue;
            }
            let (inserted, deleted) = blocks.entry(text.clone()).or_default();
            if insertion { inserted.push(index) } else { deleted.push(index) }
        }
        for (inserted, deleted) in blocks.into_values() {
            if let ([to], [from]) = (&*inserted, &*deleted) {
                for (half, other) in [(*to, *from), (*from, *to)] {
                    if let Some(slot) = halves.get_mut(half) {
                        *slot = hunks.get(other).map(|hunk| hunk.id.clone());
                    }
                }
            }
        }
        halves
    }
}
