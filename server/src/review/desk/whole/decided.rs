//! A decision about a file as a whole: it is written over the file that the command began from, and over no other.

use super::Key;
use crate::documents::{AbsPath, Expected, Intended, WriteError};
use crate::review::desk::actor::Desk;
use crate::review::desk::check::Refused;
use crate::review::desk::file::{Hand, Source};
use crate::review::desk::part::{Act, Part, result};
use crate::review::whole_file::Base;
use crate::review::{AgentBytes, DecisionResult, Outcome, ToldWhat};

/// What becomes of a file as a whole where all of it is accepted.
pub(in crate::review::desk) enum Planned {
    Part(Part),
    /// It was in conflict before: that holds up nothing else.
    LeftAlone(Refused),
    Refused(Refused),
    /// There is nothing to do for it.
    Nothing,
}

impl Desk {
    /// What accepting all of a file means for it as a whole, after a look at the disk.
    pub(in crate::review::desk) async fn plan_whole(&mut self, key: &Key) -> Planned {
        let because = |outcome, why| Refused { path: key.0.clone(), outcome, why };
        let was_conflicted = self.whole.get(key).is_some_and(|whole| whole.draft.is_conflicted());
        let looked = self.look_at_whole(key).await;
        let Some(whole) = self.whole.get(key) else { return Planned::Nothing };
        if let Err(error) = looked {
            return Planned::Refused(because(Outcome::Pending, format!("{error}.")));
        }
        if whole.draft.is_conflicted() {
            let why = because(Outcome::Conflicted, self.conflict_message(&key.0));
            // Of a conflict that was not there when it was shown, the person hears first.
            return if was_conflicted { Planned::LeftAlone(why) } else { Planned::Refused(why) };
        }
        if whole.draft.is_of_a_made_text() && self.has_text_changes(key) {
            // They go along with the text.
            return Planned::Nothing;
        }
        if whole.draft.has_bytes() && self.documents.is_open(&key.0) {
            return Planned::Refused(because(Outcome::Pending, self.open_message(&key.0)));
        }
        let act = Act::Whole(whole.revision);
        Planned::Part(Part { path: key.0.clone(), session: key.1.clone(), act })
    }

    /// What accepting it does to the file on disk; `None`: nothing.
    pub(in crate::review::desk) fn whole_intended(&self, key: &Key) -> Option<Intended> {
        let draft = &self.whole.get(key)?.draft;
        match (draft.bytes().cloned(), draft.mode(), draft.base()) {
            (Some(AgentBytes::Kept(kept)), _, Some(_)) => Some(Intended::Bytes(kept)),
            (Some(AgentBytes::Kept(kept)), _, None) => Some(Intended::Made(Some(kept))),
            (Some(AgentBytes::Gone), _, Some(_)) => Some(Intended::Deleted),
            (None, Some(_), Some(base)) => Some(Intended::Mode { from: base.mode }),
            (Some(AgentBytes::Gone) | None, _, None) | (None, None, Some(_)) => None,
        }
    }

    /// Writes it, unless it is another one than was decided on.
    pub(in crate::review::desk) async fn carry_whole(&mut self, key: &Key, revision: u32) -> DecisionResult {
        let path = &key.0;
        let looked = self.look_at_whole(key).await;
        let done = |outcome, message| result(path, None, outcome, message);
        let Some(whole) = self.whole.get(key).filter(|whole| whole.revision == revision) else {
            let message = format!(
                "{}: this is not what was decided on any more, so nothing was written: look at it again.",
                self.display(path)
            );
            return done(Outcome::Stale, Some(message));
        };
        if let Err(error) = looked {
            return done(Outcome::Pending, Some(format!("{error}.")));
        }
        if whole.draft.is_conflicted() {
            return done(Outcome::Conflicted, Some(self.conflict_message(path)));
        }
        if whole.draft.has_bytes() && self.documents.is_open(path) {
            return done(Outcome::Pending, Some(self.open_message(path)));
        }
        let (bytes, mode, base) = (whole.draft.bytes().cloned(), whole.draft.mode(), whole.draft.base());
        match self.write_down(path, bytes, mode, base).await {
            Ok(()) => {
                self.tell_of_whole(key, |summary| ToldWhat::Accepted { summary });
                self.whole.remove(key);
                self.touch_draft(key);
                let source = self.files.get(path).map(|file| &file.source);
                if matches!(source, Some(Source::Disk { .. }))
                    && let Err(error) = self.refresh(path, Hand::OtherSession).await
                {
                    tracing::debug!(%error, "the text of a file is gone");
                }
                self.look_at_wholes(path).await;
                done(Outcome::Accepted, None)
            }
            Err(error) => done(Outcome::Pending, Some(error.to_string())),
        }
    }

    /// Nothing is written, and the bytes are not kept any longer.
    pub(in crate::review::desk) fn reject_whole(
        &mut self,
        key: &Key,
        reason: Option<&str>,
    ) -> Option<DecisionResult> {
        self.whole.get(key)?;
        let reason = reason.map(str::to_owned);
        let rejected = |summary| ToldWhat::Rejected { summary, reason, text: String::new(), half: None };
        self.tell_of_whole(key, rejected);
        self.whole.remove(key);
        self.touch_draft(key);
        Some(result(&key.0, None, Outcome::Rejected, None))
    }

    async fn write_down(
        &self,
        path: &AbsPath,
        bytes: Option<AgentBytes>,
        mode: Option<u32>,
        base: Option<Base>,
    ) -> Result<(), WriteError> {
        match (bytes, mode, base) {
            (Some(AgentBytes::Kept(kept)), mode, base) => {
                let expected = base.map_or(Expected::Absent, |base| Expected::Hash(base.hash));
                self.write_whole(path, kept, expected, mode).await
            }
            (Some(AgentBytes::Gone), _, Some(base)) => self.delete(path, base.hash).await,
            (None, Some(mode), Some(base)) => self.set_mode(path, base.mode, mode).await,
            (Some(AgentBytes::Gone) | None, _, None) | (None, None, Some(_)) => Ok(()),
        }
    }

    fn conflict_message(&self, path: &AbsPath) -> String {
        format!(
            "{}: the file on disk is not the one that the command began from, so nothing was written: reject the change, or \
             have the command run again.",
            self.display(path)
        )
    }

    fn open_message(&self, path: &AbsPath) -> String {
        format!(
            "{}: it is open in the editor, which would go on showing what it was. Close it there, then accept.",
            self.display(path)
        )
    }
}
