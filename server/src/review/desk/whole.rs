//! What commands propose of files beside their text: bytes that are no text, and permissions. It always waits for the
//! person, and is written only over the file that the command began from.

use std::sync::Arc;

use super::actor::Desk;
use super::disk::is_read_only;
use super::file::{Hand, Shown, Source};
use super::message::ProposeWhole;
use super::part::{Act, Part, result};
use crate::conversation::SessionId;
use crate::documents::{AbsPath, DiskFile, Expected, ReadError, WriteError};
use crate::review::whole_file::{AgentBytes, AgentWhole, Base, WholeChange, WholeDraft};
use crate::review::{
    DecisionResult, FileKind, FileReview, Outcome, ProposeError, Reason, Told, ToldWhat, WholeBytes,
    WholeFile,
};

/// What is said of it in a session whose changes are accepted as they come.
pub(super) const NO_TEXT: &str =
    "It changes bytes that are no text, or permissions, which can't be taken back here, so it waits for you.";

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
    shown: Option<(ShownFor, Arc<FileReview>)>,
}

/// What the view of a file without a change of its text depends on.
#[derive(PartialEq)]
struct ShownFor {
    open: Option<(String, i32)>,
    lost: bool,
    disk_differs: bool,
    revision: u32,
    held_back: bool,
}

impl Desk {
    /// Gives what waits for the person then; `None`: the file is what the disk has.
    pub(super) async fn propose_whole(
        &mut self,
        propose: ProposeWhole,
    ) -> Result<Option<WholeFile>, ProposeError> {
        let ProposeWhole { session, path, reason, change } = propose;
        let key = (self.documents.real_path(&path), session);
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

    /// What accepting all of a file means for it as a whole: a part, or why not.
    pub(super) async fn plan_whole(&mut self, key: &Key) -> Option<Result<Part, DecisionResult>> {
        let refuse = |outcome, message: String| Some(Err(result(&key.0, None, outcome, Some(message))));
        let looked = self.look_at_whole(key).await;
        let whole = self.whole.get(key)?;
        if let Err(error) = looked {
            return refuse(Outcome::Pending, format!("{error}."));
        }
        if whole.draft.is_conflicted() {
            return refuse(Outcome::Conflicted, self.conflict_message(&key.0));
        }
        if whole.draft.is_of_a_made_text() && self.has_text_changes(key) {
            // They go along with the text.
            return None;
        }
        if whole.draft.has_bytes() && self.documents.is_open(&key.0) {
            return refuse(Outcome::Pending, self.open_message(&key.0));
        }
        let act = Act::Whole(whole.revision);
        Some(Ok(Part { path: key.0.clone(), session: key.1.clone(), act }))
    }

    /// Why the file can't be written, before any is.
    pub(super) fn whole_refused(&self, key: &Key) -> Option<String> {
        let has_bytes = self.whole.get(key).is_some_and(|whole| whole.draft.has_bytes());
        (has_bytes && is_read_only(&key.0))
            .then(|| "it is read-only; make it writable and accept again".to_owned())
    }

    /// Writes it, unless it is another one than was decided on.
    pub(super) async fn carry_whole(&mut self, key: &Key, revision: u32) -> DecisionResult {
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
    pub(super) fn reject_whole(&mut self, key: &Key, reason: Option<&str>) -> Option<DecisionResult> {
        self.whole.get(key)?;
        let reason = reason.map(str::to_owned);
        let rejected = |summary| ToldWhat::Rejected { summary, reason, text: String::new(), half: None };
        self.tell_of_whole(key, rejected);
        self.whole.remove(key);
        self.touch_draft(key);
        Some(result(&key.0, None, Outcome::Rejected, None))
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

    /// Files under review that have no change of their text. Those that nothing happened to are the same values as before.
    pub(super) fn show_wholes(&mut self) -> Vec<Arc<FileReview>> {
        // Permissions of a text that is not to be made any more.
        let orphaned = |key: &&Key| {
            let whole = self.whole.get(*key);
            whole.is_some_and(|whole| whole.draft.is_of_a_made_text()) && !self.has_text_changes(key)
        };
        for key in self.whole.keys().filter(orphaned).cloned().collect::<Vec<_>>() {
            self.whole.remove(&key);
        }
        let alone = |key: &Key| !has_text_changes(&self.files, key);
        let mut shown = Vec::new();
        for (key, whole) in self.whole.iter_mut().filter(|(key, _)| alone(key)) {
            let file = self.files.get(&key.0);
            let now = ShownFor {
                open: file.and_then(super::show::open),
                lost: file.is_some_and(|file| file.is_open() && file.lost),
                disk_differs: file.is_some_and(|file| file.disk_differs),
                revision: whole.revision,
                held_back: whole.held_back,
            };
            let same =
                whole.shown.as_ref().filter(|(before, _)| *before == now).map(|(_, shown)| shown.clone());
            let review = same.unwrap_or_else(|| {
                let text =
                    if whole.draft.has_bytes() { None } else { file.and_then(|file| file.buffer.clone()) };
                let view = whole.view();
                Arc::new(FileReview {
                    path: key.0.clone(),
                    session: key.1.clone(),
                    kind: kind(&view),
                    open: now.open.clone(),
                    buffer: text.clone(),
                    draft: text,
                    hunks: Arc::default(),
                    reasons: whole.reasons.clone(),
                    disk_differs: now.disk_differs,
                    lost: now.lost,
                    held_back: now.held_back.then_some(NO_TEXT),
                    whole: Some(view),
                })
            });
            whole.shown = Some((now, review.clone()));
            shown.push(review);
        }
        shown
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

impl Whole {
    pub(super) fn view(&self) -> WholeFile {
        self.draft.view(self.revision)
    }
}

type Files = std::collections::BTreeMap<AbsPath, super::file::File>;

fn has_text_changes(files: &Files, (path, session): &Key) -> bool {
    let draft = files.get(path).and_then(|file| file.drafts.get(session));
    draft.is_some_and(|draft| !draft.is_settled())
}

fn kind(whole: &WholeFile) -> FileKind {
    match whole.bytes {
        Some(WholeBytes::Made { .. }) => FileKind::Create,
        Some(WholeBytes::Deleted { .. }) => FileKind::Delete,
        Some(WholeBytes::Changed { .. }) | None => FileKind::Modify,
    }
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
