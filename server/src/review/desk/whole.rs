//! What commands propose of files beside their text: bytes that are no text, and permissions. It always waits for the
//! person, and is written only over the file that the command began from.

mod decided;
mod shown;

use std::collections::BTreeMap;

pub(super) use self::decided::Planned;
pub(super) use self::shown::NO_TEXT;
use self::shown::ShownReview;
use super::actor::Desk;
use super::disk::is_read_only;
use super::file::{File, Shown};
use super::message::ProposeWhole;
use crate::conversation::SessionId;
use crate::documents::{AbsPath, DiskFile, ReadError};
use crate::review::whole_file::{Base, WholeDraft};
use crate::review::{AgentBytes, AgentWhole, ProposeError, Reason, Told, ToldWhat, WholeChange, WholeFile};

/// A file, and the session that has a proposal for it.
pub(super) type Key = (AbsPath, SessionId);

/// One session's proposal for one file as a whole.
#[derive(Default)]
pub(super) struct Whole {
    draft: WholeDraft,
    /// The disk as it was looked at last.
    seen: Option<DiskFile>,
    revision: u32,
    pub(super) reasons: Vec<Reason>,
    /// The session's changes are accepted as they come, but for this one.
    pub(super) held_back: bool,
    /// The agent knows that it is in conflict.
    conflict_told: bool,
    /// As it was shown last, where the file has no change of its text.
    shown: Option<ShownReview>,
}

impl Desk {
    /// Gives what waits for the person then; `None`: the file is what the disk has.
    pub(super) async fn propose_whole(
        &mut self,
        propose: ProposeWhole,
    ) -> Result<Option<WholeFile>, ProposeError> {
        let ProposeWhole { session, path, reason, change } = propose;
        let key = (path, session);
        let path = &key.0;
        let (refuse, name) = (|message: String| Err(ProposeError::Refused(message)), self.display(path));
        let is_bytes = matches!(change, WholeChange::Bytes(_) | WholeChange::Deleted);
        if is_bytes && self.has_text_changes(&key) {
            return refuse(format!(
                "{name} has changes of its text that wait for the user: when they are decided, run the command again."
            ));
        }
        if is_bytes && is_read_only(path) {
            return refuse(format!(
                "{path} is read-only, so no change of it can be accepted until it is made writable."
            ));
        }
        let seen = self.whole.get(&key).and_then(|whole| whole.seen);
        let now = self.disk_file(path, seen).await?;
        let held_back = self.as_they_come.contains(&key.1);
        let whole = self.whole.entry(key.clone()).or_default();
        let before = whole.draft.view(0);
        whole.draft.put(change, now.as_ref().map(Base::from));
        whole.seen = now;
        if whole.draft.view(0) != before || whole.draft.has_bytes() {
            whole.held_back = held_back;
            if !whole.reasons.contains(&reason) {
                whole.reasons.push(reason);
            }
            self.whole_changed(&key);
        }
        Ok(self.whole.get(&key).map(|whole| whole.draft.view(whole.revision)))
    }

    /// What the session's commands are to be shown of files otherwise than the disk has them. What is in conflict is left
    /// out: a command that runs again begins from the disk.
    pub(super) async fn agents_wholes(&mut self, session: &SessionId) -> Vec<AgentWhole> {
        let keys: Vec<Key> = self.whole.keys().filter(|(_, other)| other == session).cloned().collect();
        for key in &keys {
            if let Err(error) = self.look_at_whole(key).await {
                tracing::warn!(%error, "a file under review can't be read any more");
            }
        }
        let of_session = self.whole.iter().filter(|((_, other), _)| other == session);
        of_session
            .filter(|(_, whole)| !whole.draft.is_conflicted())
            .map(|((path, _), Whole { draft, .. })| AgentWhole {
                path: path.clone(),
                bytes: draft.bytes().cloned(),
                mode: draft.mode(),
            })
            .collect()
    }

    /// Why the agent can't see or change the text of this file, if a command changed its bytes.
    pub(super) fn agent_has_no_text(&self, key: &Key) -> Option<ReadError> {
        let path = key.0.clone();
        match self.whole.get(key)?.draft.bytes()? {
            AgentBytes::Kept(_) => Some(ReadError::Binary { path }),
            AgentBytes::Gone => Some(ReadError::Missing { path }),
        }
    }

    /// A command made a text of it again, or removed it together with its text.
    pub(super) fn text_takes_over(&mut self, key: &Key, is_deleted: bool) {
        let Some(whole) = self.whole.get_mut(key) else { return };
        whole.draft.drop_bytes();
        if is_deleted {
            whole.draft.drop_mode();
        }
        self.whole_changed(key);
    }

    /// The permissions that go along with a text file that is made.
    pub(super) fn mode_of_made(&self, key: &Key) -> Option<u32> {
        let whole = self.whole.get(key).filter(|whole| whole.draft.is_of_a_made_text())?;
        whole.draft.mode()
    }

    /// They went along with it.
    pub(super) fn mode_is_done(&mut self, key: &Key) {
        let Some(whole) = self.whole.get_mut(key) else { return };
        whole.draft.drop_mode();
        self.whole_changed(key);
    }

    /// The disk may have changed.
    pub(super) async fn look_at_wholes(&mut self, path: &AbsPath) {
        for key in self.whole_keys(path) {
            if let Err(error) = self.look_at_whole(&key).await {
                tracing::warn!(%error, "a file under review can't be read any more");
            }
        }
    }

    /// The user moved a file, or a folder.
    pub(super) fn move_wholes(&mut self, from: &AbsPath, to: &AbsPath) {
        let inside: Vec<Key> = self.whole.keys().filter(|(path, _)| path.is_in(from)).cloned().collect();
        for key in inside {
            let Ok(rest) = key.0.as_path().strip_prefix(from.as_path()) else { continue };
            let target = if rest.as_str().is_empty() { to.clone() } else { to.join(rest) };
            if let Some(mut whole) = self.whole.remove(&key) {
                whole.shown = None;
                let moved = (target, key.1);
                if self.whole.contains_key(&moved) {
                    tracing::warn!(path = %moved.0, "two changes of one session meet at a path; the older path's is dropped");
                    continue;
                }
                self.whole.insert(moved.clone(), whole);
                self.whole_changed(&moved);
            }
        }
    }

    pub(super) fn take_told_of_wholes(&mut self, session: &SessionId) -> Vec<Told> {
        let all = std::mem::take(&mut self.whole_told);
        let (own, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|(other, _)| other == session);
        self.whole_told = others;
        let mut told: Vec<Told> = own.into_iter().map(|(_, told)| told).collect();
        for ((path, _), whole) in self.whole.iter_mut().filter(|((_, other), _)| other == session) {
            let conflict = whole.draft.is_conflicted();
            if conflict && !whole.conflict_told {
                told.push(Told { path: path.clone(), what: ToldWhat::Overtaken { summary: summary(whole) } });
            }
            whole.conflict_told = conflict;
        }
        told
    }

    /// Looks at the disk: what the user did by hand is done, and what stands in the way of it is a conflict.
    async fn look_at_whole(&mut self, key: &Key) -> Result<(), ReadError> {
        let Some(whole) = self.whole.get(key) else { return Ok(()) };
        let now = self.disk_file(&key.0, whole.seen).await?;
        let Some(whole) = self.whole.get_mut(key) else { return Ok(()) };
        let (before, wanted) = (whole.draft.view(0), summary(whole));
        let by_hand = whole.draft.look(now.as_ref().map(Base::from));
        whole.seen = now;
        if by_hand {
            let what = ToldWhat::AcceptedByHand { summary: wanted };
            self.whole_told.push((key.1.clone(), Told { path: key.0.clone(), what }));
        }
        if self.whole.get(key).is_some_and(|whole| whole.draft.view(0) != before) {
            self.whole_changed(key);
        }
        Ok(())
    }

    /// After every change of a proposal.
    fn whole_changed(&mut self, key: &Key) {
        self.whole_revisions += 1;
        if let Some(whole) = self.whole.get_mut(key) {
            whole.revision = self.whole_revisions;
            if whole.draft.is_nothing() {
                self.whole.remove(key);
            }
        }
        self.touch_draft(key);
    }

    /// The view of the file's text shows it too.
    fn touch_draft(&mut self, (path, session): &Key) {
        if let Some(draft) = self.files.get_mut(path).and_then(|file| file.drafts.get_mut(session)) {
            draft.shown = Shown::Outdated;
        }
    }

    fn tell_of_whole(&mut self, key: &Key, what: impl FnOnce(String) -> ToldWhat) {
        let Some(whole) = self.whole.get(key) else { return };
        let told = Told { path: key.0.clone(), what: what(summary(whole)) };
        self.whole_told.push((key.1.clone(), told));
    }

    fn whole_keys(&self, path: &AbsPath) -> Vec<Key> {
        self.whole.keys().filter(|(other, _)| other == path).cloned().collect()
    }

    pub(super) fn has_text_changes(&self, key: &Key) -> bool {
        has_text_changes(&self.files, key)
    }
}

impl Whole {
    pub(super) fn view(&self) -> WholeFile {
        self.draft.view(self.revision)
    }
}

fn has_text_changes(files: &BTreeMap<AbsPath, File>, (path, session): &Key) -> bool {
    let draft = files.get(path).and_then(|file| file.drafts.get(session));
    draft.is_some_and(|draft| !draft.is_settled())
}

/// What the agent wanted, and that it was no change of a text.
fn summary(whole: &Whole) -> String {
    let wanted = whole.reasons.last().map_or("", |reason| reason.summary.as_str());
    let what = match (whole.draft.bytes(), whole.draft.mode()) {
        (Some(AgentBytes::Gone), _) => "it is deleted",
        (Some(AgentBytes::Kept(_)), None) => "its bytes",
        (Some(AgentBytes::Kept(_)), Some(_)) => "its bytes and permissions",
        (None, _) => "its permissions",
    };
    format!("{wanted} ({what})")
}
