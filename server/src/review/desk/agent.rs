//! What the agent sees and proposes: its own draft over the buffer over the disk.

use std::collections::HashMap;
use std::fmt::Write;

use super::actor::Desk;
use super::disk::is_read_only;
use super::file::{DraftFile, File, Hand, Rename, Source};
use super::message::Propose;
use super::part::{Act, Part};
use crate::conversation::SessionId;
use crate::documents::{AbsPath, Change, ReadError, Text};
use crate::review::told::is_said_in;
use crate::review::whole_text::names_all;
use crate::review::{
    AgentView, ComesIn, Draft, Extent, HunkId, Proposal, ProposeError, Proposed, Reason, TextConflict, Told,
    ToldWhat, replaces_all, three_way,
};

/// Conflicts that an error shows.
const MOST_CONFLICTS: usize = 3;

impl Desk {
    /// An error for a file that is on neither side, so that its cause reads as for any other file.
    pub(super) async fn agent_view(
        &mut self,
        session: &SessionId,
        path: &AbsPath,
    ) -> Result<AgentView, ReadError> {
        let path = self.placed(session, path);
        if let Some(error) = self.agent_has_no_text(&(path.clone(), session.clone())) {
            return Err(error);
        }
        let view = self.look(session, &path).await?;
        self.forget_idle(&path);
        match &view {
            AgentView { text: None, drafted: false, .. } => Err(ReadError::Missing { path }),
            AgentView { .. } => Ok(view),
        }
    }

    pub(super) fn drafts(&self, session: &SessionId) -> Vec<AgentView> {
        let drafts =
            self.files.iter().filter_map(|(path, file)| Some((path, file, file.drafts.get(session)?)));
        drafts.map(|(path, file, draft)| view(path, file, Some(draft))).filter(|view| view.drafted).collect()
    }

    pub(super) async fn propose(&mut self, propose: Propose) -> Result<Proposed, ProposeError> {
        let Propose { session, path, reason, make } = propose;
        let path = self.placed(&session, &path);
        let seen_now = self.look(&session, &path).await?;
        let change = self.asked_for(&session, &seen_now, make);
        let comes_in = self.as_they_come.contains(&session);
        let is_whole = comes_in && change.as_ref().is_ok_and(|change| self.is_whole(&seen_now, change));
        let mut proposed = change.map(|change| self.put(&session, &path, change, reason));
        if proposed.is_ok() {
            self.tell_of_guess(&path, seen_now.text.as_ref()).await;
        }
        if let Ok(proposed) = &mut proposed
            && comes_in
        {
            if is_whole {
                self.hold_back(&session, &path, &proposed.hunks);
            } else {
                let parts = self.welcome(&session, &path, &proposed.hunks);
                proposed.comes_in = what_comes_in(&parts, &proposed.hunks);
                self.accept_as_they_come(parts).await;
            }
        }
        self.forget_idle(&path);
        proposed
    }

    pub(super) fn take_told(&mut self, session: &SessionId) -> Vec<Told> {
        let mut all = Vec::new();
        for (path, file) in &mut self.files {
            let Some(draft) = file.drafts.get_mut(session) else { continue };
            draft.note_changes();
            let mut of_hunks = draft.draft.take_told();
            for told in &mut of_hunks {
                if let ToldWhat::Conflicted { by_others, .. } | ToldWhat::AcceptedOver { by_others, .. } =
                    told
                {
                    *by_others = draft.others;
                }
            }
            let mut of_file = std::mem::take(&mut draft.told);
            of_file.retain(|change| !is_said_in(&of_hunks, change));
            let told = of_hunks.into_iter().chain(of_file);
            all.extend(told.map(|what| Told { path: path.clone(), what }));
        }
        all.extend(self.take_told_of_wholes(session));
        all
    }

    /// The path under which the desk has the file at this real path: a rename that still waits is undone.
    fn placed(&self, session: &SessionId, path: &AbsPath) -> AbsPath {
        let renamed = self.renames.get(&(session.clone(), path.clone()));
        renamed.unwrap_or(path).clone()
    }

    /// Takes the file up if it is not on the desk yet; `forget_idle` lays it down again.
    async fn look(&mut self, session: &SessionId, path: &AbsPath) -> Result<AgentView, ReadError> {
        self.refresh(path, Hand::Disk).await?;
        if !self.files.contains_key(path) {
            let now = self.on_disk(path).await?;
            let hash = now.as_ref().map(|(_, hash)| *hash);
            self.files.insert(path.clone(), File::new(now.map(|(text, _)| text), Source::Disk { hash }));
        }
        if self.files.get(path).is_some_and(|file| file.lost) {
            return Err(ReadError::Lost { path: path.clone() });
        }
        let file = self.files.get(path).ok_or_else(|| ReadError::Missing { path: path.clone() })?;
        Ok(view(path, file, file.drafts.get(session)))
    }

    /// A closed file that nobody has a draft of is read again when somebody asks.
    fn forget_idle(&mut self, path: &AbsPath) {
        if self.files.get(path).is_some_and(|file| file.drafts.is_empty() && !file.is_open()) {
            self.files.remove(path);
        }
    }

    fn asked_for(
        &self,
        session: &SessionId,
        seen_now: &AgentView,
        make: impl FnOnce(&AgentView) -> Result<Proposal, String>,
    ) -> Result<AgentChange, ProposeError> {
        let path = &seen_now.path;
        if let (None, Some(new)) = (&seen_now.text, self.moved.get(path)) {
            let (old, new) = (self.display(path), self.display(new));
            return Err(ProposeError::Refused(format!("The user renamed {old} to {new}: use the new path.")));
        }
        let proposal = make(seen_now).map_err(ProposeError::Refused)?;
        if !matches!(proposal, Proposal::Made { .. } | Proposal::Delete)
            && let Some(error) = self.agent_has_no_text(&(path.clone(), session.clone()))
        {
            return Err(error.into());
        }
        if is_read_only(path) {
            let message =
                format!("{path} is read-only, so no change of it can be accepted until it is made writable.");
            return Err(ProposeError::Refused(message));
        }
        self.legal(session, path, seen_now.text.as_ref(), proposal)
    }

    /// The proposal as a change of the agent's side that can't go wrong any more.
    fn legal(
        &self,
        session: &SessionId,
        path: &AbsPath,
        now: Option<&Text>,
        proposal: Proposal,
    ) -> Result<AgentChange, ProposeError> {
        let name = self.display(path);
        let refuse = |message: String| Err(ProposeError::Refused(message));
        let conflict = |conflicts: Vec<TextConflict>| ProposeError::Refused(in_conflict(&name, &conflicts));
        match (proposal, now) {
            (Proposal::Edit(edits), Some(text)) if fits(&edits, text) => Ok(AgentChange::Edit(edits)),
            (Proposal::Edit(_), Some(_)) => refuse(format!(
                "The edits of {name} overlap or lie outside of its text; nothing was changed."
            )),
            (Proposal::Write { content, seen: None }, None) => Ok(AgentChange::Write(content)),
            (Proposal::Made { content, from: None, extent }, None) => Ok(AgentChange::Make(content, extent)),
            (Proposal::Write { seen: None, .. }, Some(_)) => {
                refuse(format!("{name} exists and has not been read: read it first, then write it again."))
            }
            // What became of a command's changes is read by the person too.
            (Proposal::Made { from: None, .. }, Some(_)) => refuse(format!(
                "Somebody else made {name} while the command ran: run it again if it is still wanted."
            )),
            (Proposal::Write { content, seen: Some(seen) }, Some(now)) => {
                three_way(&seen, now, &content).map(AgentChange::Write).map_err(conflict)
            }
            (Proposal::Made { content, from: Some(from), extent }, Some(now)) => {
                let made = three_way(&from, now, &content).map(|text| AgentChange::Make(text, extent));
                let message = format!(
                    "{name} was changed while the command ran, in the same place: run it again if it is still wanted."
                );
                made.map_err(|_| ProposeError::Refused(message))
            }
            (Proposal::Delete, Some(_)) => Ok(AgentChange::Delete),
            (Proposal::Rename { to }, Some(_)) => {
                let taken = self.documents.snapshot(&to).is_ok()
                    || self.files.get(&to).is_some_and(|file| {
                        file.drafts.get(session).is_some_and(|draft| draft.draft.text().is_some())
                    });
                if taken {
                    refuse(format!("{} exists already; choose another name.", self.display(&to)))
                } else {
                    Ok(AgentChange::Rename(to))
                }
            }
            (Proposal::Write { seen: Some(_), .. }, None) => refuse(format!(
                "{name} was deleted since it was read: look where it went before writing it again."
            )),
            (Proposal::Made { from: Some(_), .. }, None) => refuse(format!(
                "{name} was deleted while the command ran: run it again if it is still wanted."
            )),
            (Proposal::Edit(_) | Proposal::Delete | Proposal::Rename { .. }, None) => {
                Err(ReadError::Missing { path: path.clone() }.into())
            }
        }
    }

    /// Whether nothing of the text that the user has there is to be left, or the change is half of a move: one rule for every
    /// tool that changes a file.
    fn is_whole(&self, seen_now: &AgentView, change: &AgentChange) -> bool {
        let there_is = self.files.get(&seen_now.path).and_then(|file| file.buffer.as_ref());
        let before = there_is.filter(|buffer| !buffer.is_empty()).and(seen_now.text.as_ref());
        match (change, before) {
            (AgentChange::Make(_, Extent::Whole), _) | (AgentChange::Write(_), Some(_)) => true,
            (AgentChange::Make(text, Extent::Parts), Some(before)) => {
                replaces_all(before, &Text::from(text.as_str()))
            }
            (AgentChange::Edit(edits), Some(before)) => {
                names_all(edits, before) || replaces_all(before, &before.with_edits(edits))
            }
            (AgentChange::Make(_, Extent::Parts) | AgentChange::Write(_) | AgentChange::Edit(_), None)
            // These wait by themselves.
            | (AgentChange::Delete | AgentChange::Rename(_), _) => false,
        }
    }

    fn put(&mut self, session: &SessionId, path: &AbsPath, change: AgentChange, reason: Reason) -> Proposed {
        let is_deleted = matches!(change, AgentChange::Delete);
        self.text_takes_over(&(path.clone(), session.clone()), is_deleted);
        let ids = self.ids.clone();
        let file =
            self.files.entry(path.clone()).or_insert_with(|| File::new(None, Source::Disk { hash: None }));
        let buffer = file.buffer.clone();
        let begins = !file.drafts.contains_key(session);
        let draft = file
            .drafts
            .entry(session.clone())
            .or_insert_with(|| DraftFile::new(Draft::with_ids(buffer, ids)));
        draft.note_changes();
        let before = draft.draft.text();
        let revisions: HashMap<HunkId, u32> =
            draft.draft.hunks().into_iter().map(|hunk| (hunk.id, hunk.revision)).collect();
        match change {
            AgentChange::Edit(edits) => draft.draft.edit(&edits, &reason),
            AgentChange::Write(text) | AgentChange::Make(text, _) => {
                if before.is_none() {
                    draft.reasons.push(reason.clone());
                }
                draft.draft.write(&text, &reason);
            }
            AgentChange::Delete => {
                draft.reasons.push(reason.clone());
                draft.draft.delete(&reason);
            }
            AgentChange::Rename(to) => {
                self.renames.insert((session.clone(), to.clone()), path.clone());
                draft.reasons.push(reason.clone());
                draft.rename = Some(Rename { to });
            }
        }
        draft.is_known();
        let changed = |hunk: &crate::review::HunkView| revisions.get(&hunk.id) != Some(&hunk.revision);
        let hunks = draft.draft.hunks().into_iter().filter(changed).map(|hunk| hunk.id).collect();
        Proposed { before, after: draft.draft.text(), hunks, comes_in: ComesIn::Nothing, begins }
    }
}

/// What of `hunks` is accepted by these parts.
fn what_comes_in(parts: &[Part], hunks: &[HunkId]) -> ComesIn {
    let of_part = |part: &Part| match &part.act {
        Act::AsItComes(hunks) => hunks.clone(),
        _ => Vec::new(),
    };
    let accepted: Vec<HunkId> = parts.iter().flat_map(of_part).map(|hunk| hunk.id).collect();
    match parts {
        [] => ComesIn::Nothing,
        _ if hunks.iter().all(|hunk| accepted.contains(hunk)) => ComesIn::All,
        _ => ComesIn::Some(hunks.iter().filter(|hunk| accepted.contains(hunk)).cloned().collect()),
    }
}

/// A change of the agent's side.
enum AgentChange {
    Edit(Vec<Change>),
    Write(String),
    /// By a command.
    Make(String, Extent),
    Delete,
    Rename(AbsPath),
}

fn view(path: &AbsPath, file: &File, draft: Option<&DraftFile>) -> AgentView {
    AgentView {
        path: path.clone(),
        text: draft.map_or_else(|| file.buffer.clone(), |draft| draft.draft.text()),
        stamp: file.stamp(),
        drafted: draft.is_some_and(|draft| !draft.is_settled()),
        rejected: draft.map(|draft| draft.draft.rejected()).unwrap_or_default(),
    }
}

fn fits(edits: &[Change], text: &Text) -> bool {
    let mut end = 0;
    edits.iter().all(|edit| {
        let ascends = end <= edit.range.start && edit.range.start <= edit.range.end;
        end = edit.range.end;
        ascends
            && end <= text.len()
            && text.border(edit.range.start) == edit.range.start
            && text.border(end) == end
    })
}

fn in_conflict(name: &str, conflicts: &[TextConflict]) -> String {
    let mut message = format!(
        "{name} has changed since you read it, where your text changes it too; nothing was written. Read it again, then write."
    );
    for conflict in conflicts.iter().take(MOST_CONFLICTS) {
        let (line, seen, now) = (conflict.line + 1, conflict.seen.trim_end(), conflict.now.trim_end());
        let _ = write!(message, "\nLine {line}, as you read it:\n{seen}\nnow:\n{now}");
    }
    message
}
