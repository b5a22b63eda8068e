//! Which of a command's changes put another text in the place of a whole file, or are one half of a move.

use std::collections::HashSet;

use super::views::Views;
use crate::documents::{AbsPath, Text, text_of};
use crate::permissions::{PathWord, assess};
use crate::review::{Extent, replaces_all};
use crate::shell::{ChangeKind, TreeChange};

/// More pairs of a deleted and a new file are not compared: each new one may be a half then.
const MOST_PAIRS: usize = 1_000;

pub(super) struct Extents {
    /// What the command line itself says: the files, or folders that they lie in; without a path it can be any.
    named: Vec<PathWord>,
    /// New files that hold what a deleted one held.
    moved: HashSet<AbsPath>,
}

impl Extents {
    /// Of what `command` changed.
    pub(super) fn of(views: &Views, command: &str, changes: &[TreeChange]) -> Self {
        let mut gone = Vec::new();
        let mut made = Vec::new();
        for change in changes {
            let Some(path) = AbsPath::new(&change.path) else { continue };
            match &change.kind {
                ChangeKind::Deleted => gone.push(change),
                ChangeKind::Written(bytes) if views.before(change).is_none() => made.push((path, bytes)),
                ChangeKind::Written(_)
                | ChangeKind::Bytes(_)
                | ChangeKind::Mode(_)
                | ChangeKind::UsualMode
                | ChangeKind::Whole { .. }
                | ChangeKind::Overtaken
                | ChangeKind::Repository => {}
            }
        }
        let moved = if gone.len() * made.len() > MOST_PAIRS {
            made.into_iter().map(|(path, _)| path).collect()
        } else {
            let gone: Vec<Text> = gone.into_iter().filter_map(|change| views.before(change)).collect();
            let is_half = |bytes: &[u8]| {
                let text = text_of(bytes);
                text.is_some_and(|text| gone.iter().any(|gone| is_moved(gone, &text)))
            };
            made.into_iter().filter(|(_, bytes)| is_half(bytes)).map(|(path, _)| path).collect()
        };
        Self { named: assess(command, views.cwd()).replaces, moved }
    }

    /// Of the file at `path`, which the command wrote; `is_new`: there was none, so that nothing of it can be replaced.
    pub(super) fn at(&self, path: &AbsPath, is_new: bool) -> Extent {
        let names = |word: &PathWord| match &word.path {
            None => true,
            Some(named) => path.is_in(named) || named.followed().is_some_and(|real| path.is_in(&real)),
        };
        let is_whole = self.moved.contains(path) || !is_new && self.named.iter().any(names);
        if is_whole { Extent::Whole } else { Extent::Parts }
    }
}

/// Whether the new text is the one that is gone, or made of it.
fn is_moved(gone: &Text, made: &Text) -> bool {
    gone == made || !gone.is_empty() && !replaces_all(gone, made)
}
