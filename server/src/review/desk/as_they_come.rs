//! Changes that are accepted without asking, in sessions that were told to: by the same way as a person's accept, each as a
//! step of its own for the editor's undo. Each revision has one chance, when it is proposed; what is not taken then is the
//! person's to decide.

use std::sync::Arc;

use tokio::time::Instant;

use super::actor::Desk;
use super::part::{Act, Part};
use super::went_in::{self, WentIn};
use crate::conversation::SessionId;
use crate::documents::{AbsPath, Text};
use crate::editor::Loudness;
use crate::review::{Acceptance, Existence, FileReview, HunkId, HunkRef, HunkView};

impl Desk {
    pub(super) fn set_acceptance(&mut self, session: SessionId, acceptance: Acceptance) {
        match acceptance {
            Acceptance::Asked => self.as_they_come.remove(&session),
            Acceptance::AsTheyCome => self.as_they_come.insert(session),
        };
    }

    /// What may be accepted of these hunks, which a change made or changed: a part for each, and one for both halves of a
    /// moved block.
    pub(super) fn welcome(&self, session: &SessionId, path: &AbsPath, hunks: &[HunkId]) -> Vec<Part> {
        let Some(file) = self.files.get(path) else { return Vec::new() };
        let Some(draft) = file.drafts.get(session) else { return Vec::new() };
        let stays = match draft.draft.existence() {
            Existence::Same | Existence::Create => draft.rename.is_none(),
            Existence::Delete | Existence::DeleteConflict | Existence::EditConflict => false,
        };
        if !stays {
            return Vec::new();
        }
        let part = |hunks| Part { path: path.clone(), session: session.clone(), act: Act::AsItComes(hunks) };
        if hunks.is_empty() && file.buffer.is_none() && draft.draft.text().is_some() {
            // A new file without text has no hunk.
            let asked = draft.reasons.iter().any(|reason| reason.must_ask.is_some());
            return if asked { Vec::new() } else { vec![part(Vec::new())] };
        }
        let welcome: Vec<HunkRef> = draft.draft.auto_acceptable(&file.typed.just_now(Instant::now()));
        let welcome = |id: &HunkId| {
            let hunk = welcome.iter().find(|hunk| hunk.id == *id)?;
            (!draft.overwriting.contains(id)).then(|| hunk.clone())
        };
        let mut groups: Vec<Vec<HunkRef>> = Vec::new();
        for hunk in draft.draft.hunks().iter().filter(|hunk| hunks.contains(&hunk.id)) {
            let halves = [Some(&hunk.id), hunk.moved.as_ref()];
            let taken = groups.iter().flatten().any(|taken| taken.id == hunk.id);
            if let Some(group) = halves.into_iter().flatten().map(welcome).collect::<Option<Vec<_>>>()
                && !taken
            {
                groups.push(group);
            }
        }
        groups.into_iter().map(part).collect()
    }

    /// These wait for the person whatever becomes of them: nothing of the user's text would be left.
    pub(super) fn hold_back(&mut self, session: &SessionId, path: &AbsPath, hunks: &[HunkId]) {
        let draft = self.files.get_mut(path).and_then(|file| file.drafts.get_mut(session));
        if let Some(draft) = draft {
            draft.overwriting.extend(hunks.iter().cloned());
        }
    }

    /// Sends them off, one after the other where they are in one open file. What does not work out is said.
    pub(super) async fn accept_as_they_come(&mut self, parts: Vec<Part>) {
        let mut all_results = Vec::new();
        for part in parts {
            let (reply, results) = tokio::sync::oneshot::channel();
            all_results.push(results);
            self.carry(part, reply).await;
        }
        let editor = self.editor.clone();
        tokio::spawn(async move {
            let mut said = Vec::new();
            for results in all_results {
                said.extend(results.await.into_iter().flatten().filter_map(|result| result.message));
            }
            said.dedup();
            for message in said {
                editor.show_message(Loudness::Warning, message);
            }
        });
    }

    /// Whether this was to be accepted without asking, and something has happened since.
    pub(super) fn may_mind(&self, part: &Part) -> bool {
        let Act::AsItComes(hunks) = &part.act else { return false };
        let Some(file) = self.files.get(&part.path) else { return true };
        let Some(draft) = file.drafts.get(&part.session) else { return true };
        let welcome = draft.draft.auto_acceptable(&file.typed.just_now(Instant::now()));
        !self.as_they_come.contains(&part.session) || hunks.iter().any(|hunk| !welcome.contains(hunk))
    }

    /// What is about to be written as it came. The desk's own file still says what was there before.
    pub(super) fn note_went_in(&mut self, part: &Part, after: &Text) {
        let Act::AsItComes(hunks) = &part.act else { return };
        let Some(file) = self.files.get(&part.path) else { return };
        let Some(draft) = file.drafts.get(&part.session) else { return };
        let hunks: Vec<HunkView> = hunks.iter().filter_map(|hunk| draft.draft.hunk(&hunk.id)).collect();
        let of_hunk = hunks.last().and_then(|hunk| hunk.reasons.last().cloned());
        let Some(reason) = of_hunk.or_else(|| draft.reasons.last().cloned()) else { return };
        let (path, session) = (part.path.clone(), part.session.clone());
        let (before, after) = (file.buffer.clone(), after.clone());
        went_in::note(&mut self.went_in, WentIn { path, session, before, after, reason, hunks });
    }

    pub(super) fn what_went_in(&self, session: &SessionId) -> Vec<Arc<FileReview>> {
        went_in::reviews(&self.went_in, session, &self.ids)
    }
}
