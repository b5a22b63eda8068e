//! What the pipeline has decided about a conversation so far, so that the same messages become the same bytes in every
//! request, also after a restart.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::conversation::{ContentBlock, Message, MessageId, ToolUseId};

/// One for each session. It only grows, until a summary takes the place of what it is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContextLog {
    results: HashMap<ToolUseId, Fate>,
    /// Whose result was decided on, in that order.
    decided: Vec<ToolUseId>,
    folds: Vec<Fold>,
    staged: Vec<Fold>,
    beginning: Beginning,
}

/// One from which a log only grows. Two logs never have the same.
#[derive(Debug, Default)]
struct Beginning(Arc<()>);

/// How far somebody has read a log.
#[derive(Clone, Debug, Default)]
pub(super) struct Bookmark {
    beginning: Option<Arc<()>>,
    decided: usize,
    folds: usize,
}

/// What stands behind a bookmark.
pub(super) struct News<'log, F> {
    /// Results that were decided on.
    pub(super) decided: &'log [ToolUseId],
    /// Folds that are made, or may be when there is need of it.
    pub(super) folds: F,
}

/// One entry. A log is the sum of its decisions in their order.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// What becomes of a tool result, from now on.
    Result(ToolUseId, Fate),
    /// A fold that may be made when room is needed.
    Staged(Fold),
    /// Every staged fold is made.
    Committed,
}

/// What is sent of a tool result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was looked at and stays as it is, unless it is cleared later.
    Kept,
    /// These very words, in place of it.
    Replaced(Arc<str>),
    /// The same; nothing shortens it further.
    Cleared(Arc<str>),
}

/// A projection of the history that loses nothing worth having.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fold {
    /// Consecutive messages, by id, as one line.
    Span { messages: Vec<MessageId>, line: Arc<str> },
    /// A result as one line.
    Result { call: ToolUseId, line: Arc<str> },
}

impl ContextLog {
    pub fn from_decisions(decisions: impl IntoIterator<Item = Decision>) -> Self {
        let mut log = Self::default();
        log.record(decisions);
        log
    }

    pub fn record(&mut self, decisions: impl IntoIterator<Item = Decision>) {
        for decision in decisions {
            match decision {
                Decision::Result(id, fate) => {
                    self.decided.push(id.clone());
                    self.results.insert(id, fate);
                }
                Decision::Staged(fold) => self.staged.push(fold),
                Decision::Committed => {
                    self.drain();
                }
            }
        }
    }

    /// Makes every staged fold; gives their number.
    pub fn drain(&mut self) -> usize {
        let staged = std::mem::take(&mut self.staged);
        let made = staged.len();
        self.folds.extend(staged);
        made
    }

    pub fn fate(&self, id: &ToolUseId) -> Option<&Fate> {
        self.results.get(id)
    }

    /// Folds that are made, oldest first.
    pub fn folds(&self) -> &[Fold] {
        &self.folds
    }

    /// Folds that wait for the need of them.
    pub fn staged(&self) -> &[Fold] {
        &self.staged
    }

    /// Forgets what is about messages that are gone, after a summary took their place.
    pub fn keep_only(&mut self, messages: &[Message]) {
        let ids: HashSet<&MessageId> = messages.iter().map(Message::id).collect();
        let calls: HashSet<&ToolUseId> = messages.iter().flat_map(called).collect();
        self.results.retain(|id, _| calls.contains(id));
        self.decided.retain(|id| calls.contains(id));
        self.beginning = Beginning::default();
        let is_there = |fold: &Fold| match fold {
            Fold::Span { messages, .. } => messages.iter().all(|id| ids.contains(id)),
            Fold::Result { call, .. } => calls.contains(call),
        };
        self.folds.retain(is_there);
        self.staged.retain(is_there);
    }
}

impl Bookmark {
    /// Whether it lies in this log, or in none yet.
    pub(super) fn is_in(&self, log: &ContextLog) -> bool {
        self.beginning.as_ref().is_none_or(|beginning| Arc::ptr_eq(beginning, &log.beginning.0))
    }

    /// Reads on to the end.
    pub(super) fn read_on<'log>(
        &mut self,
        log: &'log ContextLog,
    ) -> News<'log, impl Iterator<Item = &'log Fold> + use<'log>> {
        let before = std::mem::replace(
            self,
            Self {
                beginning: Some(log.beginning.0.clone()),
                decided: log.decided.len(),
                folds: log.folds.len() + log.staged.len(),
            },
        );
        News {
            decided: log.decided.get(before.decided..).unwrap_or_default(),
            // A fold that is made stands where it stood among those that wait.
            folds: log.folds.iter().chain(&log.staged).skip(before.folds),
        }
    }
}

/// A copy grows by itself.
impl Clone for Beginning {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Logs are equal that decide the same, wherever each of them began.
impl PartialEq for Beginning {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

fn called(message: &Message) -> impl Iterator<Item = &ToolUseId> {
    let content = match message {
        Message::Assistant(answer) => answer.content.as_slice(),
        Message::User(_) | Message::System(_) | Message::Attachment(_) | Message::Progress(_) => &[],
    };
    content.iter().filter_map(|block| match block {
        ContentBlock::ToolUse { id, .. } => Some(id),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(call: &str) -> Fold {
        Fold::Result { call: ToolUseId(call.into()), line: "folded".into() }
    }

    #[test]
    fn a_log_is_the_sum_of_its_decisions() {
        let replaced = Fate::Replaced("short".into());
        let log = ContextLog::from_decisions([
            Decision::Result(ToolUseId("t1".into()), replaced.clone()),
            Decision::Staged(fold("t2")),
            Decision::Committed,
            Decision::Staged(fold("t3")),
        ]);
        assert_eq!(log.fate(&ToolUseId("t1".into())), Some(&replaced));
        assert_eq!((log.folds(), log.staged()), ([fold("t2")].as_slice(), [fold("t3")].as_slice()));
    }

    #[test]
    fn draining_makes_every_staged_fold_once() {
        let mut log =
            ContextLog::from_decisions([Decision::Staged(fold("t1")), Decision::Staged(fold("t2"))]);
        assert_eq!((log.drain(), log.drain()), (2, 0));
        assert_eq!(log.folds().len(), 2);
    }

    #[test]
    fn what_is_about_messages_that_are_gone_is_forgotten() {
        let mut log = ContextLog::from_decisions([
            Decision::Result(ToolUseId("t1".into()), Fate::Kept),
            Decision::Staged(fold("t1")),
        ]);
        log.keep_only(&[]);
        assert_eq!(log, ContextLog::default());
    }
}
