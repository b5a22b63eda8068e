//! The way back from accepts that went well: the same two ways as there, through the editor or on disk.

use tokio::sync::oneshot::Sender;

use super::actor::Desk;
use super::file::{File, Hand, LOST, Source};
use super::plan::{Act, Part, result};
use crate::documents::{AbsPath, Change, Expected, text_edits};
use crate::editor::FileEdit;
use crate::review::take_back::FORGOTTEN;
use crate::review::{DecisionResult, HunkId, HunkRef, Outcome};

impl Desk {
    pub(super) async fn take_back_accepts(
        &mut self,
        path: &AbsPath,
        hunks: &[HunkId],
        reply: Sender<Vec<DecisionResult>>,
    ) {
        let name = self.display(path);
        let forgotten = || of_all(path, hunks, Outcome::Stale, Some(format!("{name}: {FORGOTTEN}.")));
        let Some(part) = self.accepted_part(path, hunks) else {
            return self.answer(reply, forgotten());
        };
        if !self.files.get(path).is_some_and(File::is_open)
            && let Err(error) = self.refresh(path, Hand::Disk).await
        {
            return self.answer(reply, of_all(path, hunks, Outcome::Accepted, Some(error.to_string())));
        }
        let edits = match self.edits_back(&part, hunks) {
            Ok(edits) => edits,
            Err(why) => {
                let message = Some(format!("{name}: {why}."));
                return self.answer(reply, of_all(path, hunks, Outcome::Accepted, message));
            }
        };
        let Some(file) = self.files.get(path) else {
            return self.answer(reply, forgotten());
        };
        let buffer = file.buffer.clone().unwrap_or_default();
        match &file.source {
            Source::Open { uri, version } => {
                let encoding = self.editor.features().position_encoding;
                let edits = text_edits(&buffer, &edits, encoding);
                let edit = FileEdit { uri: uri.clone(), version: Some(*version), edits };
                let (applying, path, hunks) = (self.editor.apply_edit(edit), path.clone(), hunks.to_vec());
                tokio::spawn(async move {
                    let applied = applying.await;
                    let results = if applied.applied {
                        of_all(&path, &hunks, Outcome::Pending, None)
                    } else {
                        let why = applied.reason.map(|why| format!(": {why}")).unwrap_or_default();
                        let message = format!("{name}: the editor did not take the edit{why}.");
                        of_all(&path, &hunks, Outcome::Accepted, Some(message))
                    };
                    // Nobody waits any more: then nobody needs it.
                    drop(reply.send(results));
                });
            }
            Source::Disk { hash: Some(hash) } => {
                let (hash, after) = (*hash, buffer.with_edits(&edits));
                let results = match self.write(path, after.clone(), Expected::Hash(hash)).await {
                    Ok(hash) => {
                        self.written(&part, &edits, Some(after), hash);
                        of_all(path, hunks, Outcome::Pending, None)
                    }
                    Err(error) => of_all(path, hunks, Outcome::Accepted, Some(error.to_string())),
                };
                self.answer(reply, results);
            }
            Source::Disk { hash: None } | Source::Closing { .. } => {
                let message = format!("{name} was closed or removed just now: try again.");
                self.answer(reply, of_all(path, hunks, Outcome::Accepted, Some(message)));
            }
        }
    }

    /// These hunks, with the session whose draft remembers them.
    fn accepted_part(&self, path: &AbsPath, hunks: &[HunkId]) -> Option<Part> {
        let mut drafts = self.files.get(path)?.drafts.iter();
        let (session, _) = drafts.find(|(_, draft)| hunks.iter().all(|hunk| draft.draft.remembers(hunk)))?;
        let hunks = hunks.iter().map(|id| HunkRef { id: id.clone(), revision: None });
        Some(Part { path: path.clone(), session: session.clone(), act: Act::Accept(hunks.collect()) })
    }

    fn edits_back(&self, part: &Part, hunks: &[HunkId]) -> Result<Vec<Change>, String> {
        let file = self.files.get(&part.path).ok_or(FORGOTTEN)?;
        if file.lost {
            return Err(LOST.to_owned());
        }
        if file.is_open() && !self.editor.features().apply_edit {
            return Err("this editor takes no edits from a server: use its undo".to_owned());
        }
        let draft = file.drafts.get(&part.session).ok_or(FORGOTTEN)?;
        draft.draft.take_back(hunks).map_err(|refusal| refusal.to_string())
    }
}

fn of_all(
    path: &AbsPath,
    hunks: &[HunkId],
    outcome: Outcome,
    message: Option<String>,
) -> Vec<DecisionResult> {
    hunks.iter().map(|hunk| result(path, Some(hunk), outcome, message.clone())).collect()
}
