//! The way back from accepts that went well: the same two ways as there, through the editor or on disk.

use tokio::sync::oneshot::Sender;

use super::actor::Desk;
use super::file::{DraftFile, File, Hand, LOST, Source};
use super::part::{Act, Part, result};
use crate::conversation::SessionId;
use crate::documents::{AbsPath, Expected, text_edits};
use crate::editor::FileEdit;
use crate::review::take_back::{FORGOTTEN, Left, WayBack};
use crate::review::{DecisionResult, HunkId, HunkRef, Outcome};

impl Desk {
    /// What can't be taken back is said and keeps no other.
    pub(super) async fn take_back_accepts(
        &mut self,
        path: &AbsPath,
        hunks: &[HunkId],
        reply: Sender<Vec<DecisionResult>>,
    ) {
        let name = self.display(path);
        let Some(session) = self.remembering(path, hunks) else {
            let message = Some(format!("{name}: {FORGOTTEN}."));
            return self.answer(reply, of_all(path, hunks, Outcome::Stale, message));
        };
        if !self.files.get(path).is_some_and(File::is_open)
            && let Err(error) = self.refresh(path, Hand::Disk).await
        {
            return self.answer(reply, of_all(path, hunks, Outcome::Accepted, Some(error.to_string())));
        }
        let WayBack { edits, taken, left } = match self.way_back(path, hunks) {
            Ok(way) => way,
            Err(why) => {
                let message = Some(format!("{name}: {why}."));
                return self.answer(reply, of_all(path, hunks, Outcome::Accepted, message));
            }
        };
        let mut results: Vec<DecisionResult> = left.iter().map(|left| of_left(path, &name, left)).collect();
        let Some(file) = self.files.get(path).filter(|_| !edits.is_empty()) else {
            return self.answer(reply, results);
        };
        let buffer = file.buffer.clone().unwrap_or_default();
        match &file.source {
            Source::Open { uri, version } => {
                let encoding = self.editor.features().position_encoding;
                let edits = text_edits(&buffer, &edits, encoding);
                let edit = FileEdit { uri: uri.clone(), version: Some(*version), edits };
                let (applying, path) = (self.editor.apply_edit(edit), path.clone());
                tokio::spawn(async move {
                    let applied = applying.await;
                    results.extend(if applied.applied {
                        of_all(&path, &taken, Outcome::Pending, None)
                    } else {
                        let why = applied.reason.map(|why| format!(": {why}")).unwrap_or_default();
                        let message = format!("{name}: the editor did not take the edit{why}.");
                        of_all(&path, &taken, Outcome::Accepted, Some(message))
                    });
                    // Nobody waits any more: then nobody needs it.
                    drop(reply.send(results));
                });
            }
            Source::Disk { hash: Some(hash) } => {
                let (hash, after) = (*hash, buffer.with_edits(&edits));
                results.extend(match self.write(path, after.clone(), Expected::Hash(hash)).await {
                    Ok(hash) => {
                        let names = taken.iter().map(|id| HunkRef { id: id.clone(), revision: None });
                        let part = Part { path: path.clone(), session, act: Act::Accept(names.collect()) };
                        self.written(&part, &edits, Some(after), hash);
                        of_all(path, &taken, Outcome::Pending, None)
                    }
                    Err(error) => of_all(path, &taken, Outcome::Accepted, Some(error.to_string())),
                });
                self.answer(reply, results);
            }
            Source::Disk { hash: None } | Source::Closing { .. } => {
                let message = format!("{name} was closed or removed just now: try again.");
                results.extend(of_all(path, &taken, Outcome::Accepted, Some(message)));
                self.answer(reply, results);
            }
        }
    }

    /// The first session whose draft remembers one of these accepts.
    fn remembering(&self, path: &AbsPath, hunks: &[HunkId]) -> Option<SessionId> {
        let mut drafts = self.files.get(path)?.drafts.iter();
        let found = drafts.find(|(_, draft)| hunks.iter().any(|hunk| draft.draft.remembers(hunk)))?;
        Some(found.0.clone())
    }

    /// Why none of them can be taken back is a part of a sentence.
    fn way_back(&self, path: &AbsPath, hunks: &[HunkId]) -> Result<WayBack, &'static str> {
        let file = self.files.get(path).ok_or(FORGOTTEN)?;
        if file.lost {
            return Err(LOST);
        }
        if file.is_open() && !self.editor.features().apply_edit {
            return Err("this editor takes no edits from a server: use its undo");
        }
        let one = |hunk: &HunkId| {
            let remembers = |draft: &&DraftFile| draft.draft.remembers(hunk);
            match file.drafts.values().find(remembers) {
                Some(draft) => draft.draft.take_back(hunk),
                None => Err(Left { hunk: hunk.clone(), line: None, why: FORGOTTEN }),
            }
        };
        Ok(WayBack::of(hunks.iter().map(one)))
    }
}

fn of_left(path: &AbsPath, name: &str, left: &Left) -> DecisionResult {
    let line = left.line.map(|line| format!(", line {}", line + 1)).unwrap_or_default();
    let outcome = if left.why == FORGOTTEN { Outcome::Stale } else { Outcome::Accepted };
    result(path, Some(&left.hunk), outcome, Some(format!("{name}{line}: {}.", left.why)))
}

fn of_all(
    path: &AbsPath,
    hunks: &[HunkId],
    outcome: Outcome,
    message: Option<String>,
) -> Vec<DecisionResult> {
    hunks.iter().map(|hunk| result(path, Some(hunk), outcome, message.clone())).collect()
}
