//! The hunks of a file in their order. While its stamp stands, so do they: whoever has shown them need not look again.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};

use super::hunk::Hunk;

/// Given out once each, over all rows: a row that is put in the place of another is no older state of it.
static STAMPS: AtomicU64 = AtomicU64::new(1);

/// Lent out to be changed, it counts as changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    hunks: Vec<Hunk>,
    stamp: u64,
}

impl Row {
    /// Another one than before whenever a hunk may be another.
    pub(super) fn stamp(&self) -> u64 {
        self.stamp
    }
}

impl Deref for Row {
    type Target = Vec<Hunk>;

    fn deref(&self) -> &Vec<Hunk> {
        &self.hunks
    }
}

impl DerefMut for Row {
    fn deref_mut(&mut self) -> &mut Vec<Hunk> {
        self.stamp = STAMPS.fetch_add(1, Ordering::Relaxed);
        &mut self.hunks
    }
}
