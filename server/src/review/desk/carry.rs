//! Carrying an accept out: by the editor where the file is open, on disk where it is not, and never over anything that
//! nobody has looked at.

use tokio::sync::oneshot::Sender;
use tokio::time::Instant;

use super::actor::Desk;
use super::file::{File, Hand, Shown, Source};
use super::message::Message;
use super::part::{Act, Part, result};
use super::plan::refused;
use super::under_way::{Claim, ClaimKind};
use crate::documents::{AbsPath, Change, Expected, Text, text_edits};
use crate::editor::FileEdit;
use crate::review::{DecisionResult, Outcome};

impl Desk {
    pub(super) async fn carry(&mut self, part: Part, reply: Sender<Vec<DecisionResult>>) {
        let path = part.path.clone();
        if let Act::Whole(revision) = part.act {
            let done = self.carry_whole(&(path, part.session), revision).await;
            return self.answer(reply, vec![done]);
        }
        if matches!(self.files.get(&path), Some(File { source: Source::Closing { .. }, .. })) {
            self.end_closing(&path).await;
        }
        let Some(file) = self.files.get_mut(&path) else {
            let results = results_of(
                &part,
                Outcome::Stale,
                Some(format!("{}: nothing is pending there any more.", self.display(&path))),
            );
            self.answer(reply, results);
            return;
        };
        if file.is_open() && !file.claims.is_empty() {
            file.queue.push_back((part, reply));
        } else if self.may_mind(&part) {
            self.answer(reply, results_of(&part, Outcome::Pending, None));
            self.carry_next(&path);
        } else if self.files.get(&path).is_some_and(File::is_open) {
            self.carry_in_editor(part, reply);
            self.carry_next(&path);
        } else {
            let results = self.carry_on_disk(&part).await;
            self.answer(reply, results);
        }
    }

    /// Lets the next accept of the file go, if none is under way.
    pub(super) fn carry_next(&mut self, path: &AbsPath) {
        let Some(file) = self.files.get_mut(path) else { return };
        let next = if file.claims.is_empty() { file.queue.pop_front() } else { None };
        if let (Some((part, reply)), Some(messages)) = (next, self.messages.upgrade()) {
            let _ = messages.send(Message::Carry { part, reply });
        }
    }

    fn carry_in_editor(&mut self, part: Part, reply: Sender<Vec<DecisionResult>>) {
        let features = self.editor.features();
        let now = Instant::now();
        let (until, late) = (now + self.waits.echo, now + self.waits.late_echo);
        let id = self.new_claim_id();
        match self.open_edit(&part) {
            Err(results) => self.answer(reply, results),
            Ok((buffer, uri, version, edits)) => {
                let edit = FileEdit {
                    uri,
                    version: Some(version),
                    edits: text_edits(&buffer, &edits, features.position_encoding),
                };
                if let Some(file) = self.files.get_mut(&part.path) {
                    if let Some(draft) = file.drafts.get_mut(&part.session) {
                        draft.shown = Shown::Outdated;
                        draft.forget_sent = Some(late);
                    }
                    file.expired.retain(|(_, id, _)| part.act.hunks().iter().all(|hunk| hunk.id != *id));
                    file.claims.push(Claim {
                        id,
                        session: part.session.clone(),
                        kind: match part.act {
                            Act::AcceptLines { .. } => ClaimKind::Lines,
                            Act::Accept(_) | Act::AsItComes(_) | Act::TakeAgents(_) | Act::Whole(_) => {
                                ClaimKind::Whole
                            }
                        },
                        waiting: part.act.hunks().iter().map(|hunk| hunk.id.clone()).collect(),
                        results: Vec::new(),
                        until,
                        refusal: None,
                        reply: Some(reply),
                    });
                }
                self.set_timer(until, &part.path);
                self.set_timer(late, &part.path);
                let (applying, messages) = (self.editor.apply_edit(edit), self.messages.clone());
                tokio::spawn(async move {
                    let reply = applying.await;
                    if let Some(messages) = messages.upgrade() {
                        let _ = messages.send(Message::Replied { claim: id, reply });
                    }
                });
            }
        }
    }

    /// The edits of an open file, with the text and version they are for.
    fn open_edit(&mut self, part: &Part) -> Result<(Text, String, i32, Vec<Change>), Vec<DecisionResult>> {
        let path = &part.path;
        let refuse = |message: String| results_of(part, Outcome::Pending, Some(message));
        if let Some(cause) = self.kept_from_the_editor(part) {
            return Err(refuse(format!("{}: {cause}.", self.display(path))));
        }
        let edits = self.edits(part)?;
        match self.files.get(path) {
            Some(File { buffer: Some(buffer), source: Source::Open { uri, version }, .. }) => {
                Ok((buffer.clone(), uri.clone(), *version, edits))
            }
            Some(_) | None => Err(refuse(format!("{} is not open any more.", self.display(path)))),
        }
    }

    async fn carry_on_disk(&mut self, part: &Part) -> Vec<DecisionResult> {
        let path = &part.path;
        if let Err(error) = self.refresh(path, Hand::Disk).await {
            return results_of(part, Outcome::Pending, Some(error.to_string()));
        }
        if let Some(cause) = self.changed_meanwhile(part) {
            return results_of(part, Outcome::Stale, Some(format!("{}: {cause}.", self.display(path))));
        }
        if matches!(&part.act, Act::Accept(hunks) if hunks.is_empty())
            && self.draft_of(part).is_some_and(|draft| draft.rename.is_some())
        {
            return self.carry_rename(part).await;
        }
        let edits = match self.edits(part) {
            Ok(edits) => edits,
            Err(results) => return results,
        };
        let Some(draft) = self.draft_of(part) else { return results_of(part, Outcome::Stale, None) };
        let agent_has_file = draft.draft.text().is_some();
        let Some(file) = self.files.get(path) else { return results_of(part, Outcome::Stale, None) };
        let hash = match file.source {
            Source::Disk { hash } => hash,
            Source::Open { .. } | Source::Closing { .. } => None,
        };
        let after = file.buffer.clone().unwrap_or_default().with_edits(&edits);
        let key = (path.clone(), part.session.clone());
        // What nobody was asked about makes the file as any other is made.
        let is_asked = !matches!(part.act, Act::AsItComes(_));
        let mode = self.mode_of_made(&key).filter(|_| is_asked && agent_has_file && hash.is_none());
        let written = match (agent_has_file, hash) {
            (true, None) if let Some(mode) = mode => self.write_new(path, after.clone(), mode).await,
            (true, Some(hash)) => self.write(path, after.clone(), Expected::Hash(hash)).await,
            (true, None) => self.write(path, after.clone(), Expected::Absent).await,
            (false, Some(hash)) => self.delete(path, hash).await.map(|()| None),
            (false, None) => Ok(None),
        };
        match written {
            Ok(hash) => {
                self.note_went_in(part, &after);
                if mode.is_some() {
                    self.mode_is_done(&key);
                }
                self.written(part, &edits, agent_has_file.then_some(after), hash);
                results_of(part, Outcome::Accepted, None)
            }
            Err(error) => {
                if let Some(file) = self.files.get_mut(path)
                    && let Some(draft) = file.drafts.get_mut(&part.session)
                {
                    draft.draft.claims_expired();
                    draft.shown = Shown::Outdated;
                }
                results_of(part, Outcome::Pending, Some(error.to_string()))
            }
        }
    }

    /// The disk is the buffer of a closed file, so every session's draft hears of what was written.
    pub(super) fn written(&mut self, part: &Part, edits: &[Change], after: Option<Text>, hash: Option<u64>) {
        let Some(file) = self.files.get_mut(&part.path) else { return };
        file.source = Source::Disk { hash };
        let hand = |session: &_| if *session == part.session { Hand::User } else { Hand::OtherSession };
        if file.buffer.is_none() || after.is_none() {
            if let Some(draft) = file.drafts.get_mut(&part.session) {
                draft.reasons.clear();
            }
            self.buffer_replaced(&part.path, after, hand);
            return;
        }
        // Last first: each one then applies to the result of the one before.
        let changes: Vec<Change> = edits.iter().rev().cloned().collect();
        for draft in file.drafts.values_mut() {
            draft.draft.buffer_changed(&changes);
        }
        file.buffer = after;
        self.buffer_settled(&part.path, hand);
    }

    async fn carry_rename(&mut self, part: &Part) -> Vec<DecisionResult> {
        let Some(to) = self.draft_of(part).and_then(|draft| Some(draft.rename.as_ref()?.to.clone())) else {
            return results_of(part, Outcome::Stale, None);
        };
        let Some(File { source: Source::Disk { hash: Some(hash) }, .. }) = self.files.get(&part.path) else {
            let message =
                format!("{} is not on disk, so there is nothing to rename.", self.display(&part.path));
            return results_of(part, Outcome::Pending, Some(message));
        };
        if let Err(error) = self.rename(&part.path, &to, *hash).await {
            return results_of(part, Outcome::Pending, Some(error.to_string()));
        }
        self.renames.remove(&(part.session.clone(), to.clone()));
        if let Some(draft) =
            self.files.get_mut(&part.path).and_then(|file| file.drafts.get_mut(&part.session))
        {
            draft.rename = None;
            draft.reasons.clear();
        }
        self.move_drafts(&part.path, &to);
        self.end_closing(&to).await;
        results_of(part, Outcome::Accepted, None)
    }

    /// Claims the hunks; the reason why not is for the person.
    fn edits(&mut self, part: &Part) -> Result<Vec<Change>, Vec<DecisionResult>> {
        let name = self.display(&part.path);
        let draft = self.files.get_mut(&part.path).and_then(|file| file.drafts.get_mut(&part.session));
        let Some(draft) = draft else {
            let message = format!("{name}: nothing is pending there any more.");
            return Err(results_of(part, Outcome::Stale, Some(message)));
        };
        draft.shown = Shown::Outdated;
        let edits = match &part.act {
            Act::Whole(_) => Ok(Vec::new()),
            Act::Accept(hunks) | Act::AsItComes(hunks) if hunks.is_empty() => Ok(Vec::new()),
            Act::Accept(hunks) | Act::AsItComes(hunks) => draft.draft.accept(hunks),
            Act::AcceptLines { hunk, minus, plus } => draft.draft.accept_lines(hunk, minus, plus),
            Act::TakeAgents(hunk) => draft.draft.resolve(hunk, crate::review::Take::Agents),
        };
        edits.map_err(|refusal| {
            let hunks = part.act.hunks().iter();
            hunks
                .map(|hunk| {
                    let state = draft.draft.state_of(&hunk.id);
                    result(&part.path, Some(&hunk.id), refused(state), Some(format!("{name}: {refusal}")))
                })
                .collect()
        })
    }

    pub(super) fn draft_of(&self, part: &Part) -> Option<&super::file::DraftFile> {
        self.files.get(&part.path)?.drafts.get(&part.session)
    }
}

/// The same for every hunk of a part, or for the file if it has none.
fn results_of(part: &Part, outcome: Outcome, message: Option<String>) -> Vec<DecisionResult> {
    let of = |path: &AbsPath, hunk| result(path, hunk, outcome, message.clone());
    if part.act.hunks().is_empty() {
        return vec![of(&part.path, None)];
    }
    part.act.hunks().iter().map(|hunk| of(&part.path, Some(&hunk.id))).collect()
}
