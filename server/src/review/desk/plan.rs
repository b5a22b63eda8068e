//! A person's decision, taken apart: what concerns the agent's side alone is done at once, and what changes buffers or
//! the disk becomes one part for each file, after all of them were looked at.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::actor::Desk;
use super::check::Refused;
use super::file::LOST;
use super::part::{Act, Part, Plan, result};
use super::whole::{Key, Planned};
use crate::conversation::SessionId;
use crate::documents::AbsPath;
use crate::review::{
    Decide, Decision, DecisionResult, Draft, FileReview, HunkId, HunkRef, HunkState, HunkView, Outcome, Take,
    Target,
};

impl Desk {
    pub(super) async fn plan(&mut self, decision: Decision) -> Plan {
        let Decision { decide, target } = decision;
        match target {
            Target::Hunk(hunk) => self.plan_for_hunk(decide, hunk),
            Target::Whole { path, session, revision } => {
                self.make_view();
                let here = |file: &&Arc<FileReview>| file.path == path && file.session == session;
                let now = self.shown.files.iter().find(here).and_then(|file| file.whole.as_ref());
                if now.is_none_or(|whole| whole.revision != revision) {
                    let message = format!(
                        "{}: that has changed since it was shown, so nothing was decided: look at it again.",
                        self.display(&path)
                    );
                    return done(vec![result(&path, None, Outcome::Stale, Some(message))]);
                }
                self.plan_for_whole(decide, &(path, session)).await
            }
            Target::File(path) => {
                // A link that was put in its place since leads elsewhere: whoever writes there says so.
                let mut files = self.under_review(|other, _| *other == path);
                if files.is_empty() {
                    let real = self.documents.real_path(&path);
                    files = self.under_review(|other, _| *other == real);
                }
                if files.is_empty() {
                    let message = format!("{} has no changes to decide on.", self.display(&path));
                    return done(vec![result(&path, None, Outcome::Stale, Some(message))]);
                }
                self.plan_for_files(decide, files).await
            }
            Target::Offer { path, session, offer } => {
                if let Some(lost) = self.lost_result(&path) {
                    return done(vec![lost]);
                }
                self.make_view();
                let files = &self.shown.files;
                let now = files.iter().find(|file| file.path == path && file.session == session);
                if now.is_none_or(|file| file.offer() != offer) {
                    let message = format!(
                        "{}: the changes are not the ones this was offered for, so nothing was decided: look at them again.",
                        self.display(&path)
                    );
                    return done(vec![result(&path, None, Outcome::Stale, Some(message))]);
                }
                self.plan_for_files(decide, vec![(path, session)]).await
            }
            Target::Shown(shown) => {
                self.make_view();
                let (mut files, mut lost) = (Vec::new(), Vec::new());
                for file in &shown {
                    let same = |now: &&Arc<FileReview>| now.path == file.path && now.session == file.session;
                    match self.shown.files.iter().find(same) {
                        // It was decided since.
                        None => {}
                        Some(now) if now.lost => lost.extend(self.lost_result(&file.path)),
                        Some(now) if file.covers(now) => {
                            files.push((file.path.clone(), file.session.clone()));
                        }
                        Some(_) => {
                            let message = format!(
                                "{}: there are changes that were not shown yet, so nothing was decided: look at them, then decide.",
                                self.display(&file.path)
                            );
                            return done(vec![result(&file.path, None, Outcome::Stale, Some(message))]);
                        }
                    }
                }
                let mut plan = self.plan_for_files(decide, files).await;
                plan.results.append(&mut lost);
                plan
            }
            Target::All { session } => {
                let files =
                    self.under_review(|_, other| session.as_ref().is_none_or(|session| session == other));
                self.plan_for_files(decide, files).await
            }
        }
    }

    /// The hunk of that name, and where it is.
    pub(super) fn find(&self, id: &HunkId) -> Option<(AbsPath, SessionId, HunkView)> {
        self.files.iter().find_map(|(path, file)| {
            file.drafts
                .iter()
                .find_map(|(session, draft)| Some((path.clone(), session.clone(), draft.draft.hunk(id)?)))
        })
    }

    fn under_review(&self, wanted: impl Fn(&AbsPath, &SessionId) -> bool) -> Vec<(AbsPath, SessionId)> {
        let drafts = self.files.iter().flat_map(|(path, file)| {
            file.drafts
                .iter()
                .filter(|(_, draft)| !draft.is_settled())
                .map(move |(session, _)| (path.clone(), session.clone()))
        });
        let all: BTreeSet<Key> = drafts.chain(self.whole.keys().cloned()).collect();
        all.into_iter().filter(|(path, session)| wanted(path, session)).collect()
    }

    async fn plan_for_whole(&mut self, decide: Decide, key: &Key) -> Plan {
        match decide {
            Decide::Accept => match self.plan_whole(key).await {
                Planned::Part(part) => Plan { results: Vec::new(), parts: vec![part], bulk: false },
                Planned::LeftAlone(Refused { path, outcome, why })
                | Planned::Refused(Refused { path, outcome, why }) => {
                    done(vec![result(&path, None, outcome, Some(why))])
                }
                Planned::Nothing => done(Vec::new()),
            },
            Decide::Reject { reason } => {
                done(self.reject_whole(key, reason.as_deref()).into_iter().collect())
            }
            Decide::AcceptLines { .. }
            | Decide::RejectLines { .. }
            | Decide::Resolve(_)
            | Decide::Amend { .. } => {
                let message = format!("{}: accept or reject that as a whole.", self.display(&key.0));
                done(vec![result(&key.0, None, Outcome::Pending, Some(message))])
            }
        }
    }

    fn plan_for_hunk(&mut self, decide: Decide, hunk: HunkRef) -> Plan {
        let Some((path, session, now)) = self.find(&hunk.id) else {
            let message = format!(
                "There is no change `{}`: it was decided, or there never was one of that name.",
                hunk.id.0
            );
            let root = self.workspace.roots.first();
            return done(
                root.map(|root| result(root, Some(&hunk.id), Outcome::Stale, Some(message)))
                    .into_iter()
                    .collect(),
            );
        };
        if hunk.revision.is_some_and(|revision| revision != now.revision) {
            let message = format!(
                "{}: the agent has changed this since it was shown, so nothing was decided: look at it again.",
                self.display(&path)
            );
            return done(vec![result(&path, Some(&hunk.id), Outcome::Stale, Some(message))]);
        }
        let act = match decide {
            Decide::Accept => Act::Accept(vec![hunk]),
            Decide::AcceptLines { minus, plus } => Act::AcceptLines { hunk, minus, plus },
            Decide::Resolve(Take::Agents) => Act::TakeAgents(hunk),
            Decide::Reject { .. }
            | Decide::RejectLines { .. }
            | Decide::Resolve(Take::Mine | Take::Redo)
            | Decide::Amend { .. } => return done(vec![self.decide_hunk(&path, &session, &hunk, decide)]),
        };
        Plan { results: Vec::new(), parts: vec![Part { path, session, act }], bulk: false }
    }

    /// A decision about the agent's side alone.
    fn decide_hunk(
        &mut self,
        path: &AbsPath,
        session: &SessionId,
        hunk: &HunkRef,
        decide: Decide,
    ) -> DecisionResult {
        let Some(file) = self.files.get_mut(path) else {
            return result(path, Some(&hunk.id), Outcome::Stale, None);
        };
        let Some(draft) = file.drafts.get_mut(session) else {
            return result(path, Some(&hunk.id), Outcome::Stale, None);
        };
        draft.note_changes();
        let (decided, outcome) = match decide {
            Decide::Reject { reason } => {
                (draft.draft.reject(std::slice::from_ref(hunk), reason.as_deref()), Outcome::Rejected)
            }
            Decide::RejectLines { minus, plus } => {
                (draft.draft.reject_lines(hunk, &minus, &plus), Outcome::Rejected)
            }
            Decide::Amend { text } => (draft.draft.amend(hunk, &text), Outcome::Amended),
            Decide::Resolve(take) => (draft.draft.resolve(hunk, take).map(drop), Outcome::Rejected),
            // These change the buffer, and become parts.
            Decide::Accept | Decide::AcceptLines { .. } => (Ok(()), Outcome::Pending),
        };
        draft.is_known();
        file.expired.retain(|(_, id, _)| *id != hunk.id);
        self.heed_warnings(path);
        match decided {
            Ok(()) => result(path, Some(&hunk.id), outcome, None),
            Err(refusal) => {
                let now = self.find(&hunk.id).map(|(_, _, hunk)| hunk.state);
                result(path, Some(&hunk.id), refused(now), Some(refusal.to_string()))
            }
        }
    }

    async fn plan_for_files(&mut self, decide: Decide, files: Vec<(AbsPath, SessionId)>) -> Plan {
        let mut plan = Plan { results: Vec::new(), parts: Vec::new(), bulk: true };
        match decide {
            Decide::Accept => {
                let mut refused = Vec::new();
                for key in &files {
                    if self.has_text_changes(key) {
                        self.plan_accept(&key.0, &key.1, &mut plan);
                    }
                    match self.plan_whole(key).await {
                        Planned::Part(part) => plan.parts.push(part),
                        Planned::LeftAlone(Refused { path, outcome, why }) => {
                            plan.results.push(result(&path, None, outcome, Some(why)));
                        }
                        Planned::Refused(why) => refused.push(why),
                        Planned::Nothing => {}
                    }
                }
                refused.extend(self.check_all(&plan.parts).await);
                if !refused.is_empty() {
                    let parts = std::mem::take(&mut plan.parts);
                    // The causes come first: a message has room for few.
                    plan.results.splice(..0, self.nothing_accepted(refused, &parts));
                }
            }
            Decide::Reject { reason } => {
                for (path, session) in &files {
                    plan.results.extend(self.reject_file(path, session, reason.as_deref()));
                }
            }
            Decide::Resolve(Take::Agents) => {
                let conflicted = |hunk: &HunkView| hunk.state == HunkState::Conflicted;
                for (path, session) in files {
                    for hunk in self.hunks_of(&path, &session).iter().filter(|hunk| conflicted(hunk)) {
                        let act = Act::TakeAgents(named(hunk));
                        plan.parts.push(Part { path: path.clone(), session: session.clone(), act });
                    }
                }
            }
            Decide::Resolve(take) => {
                for (path, session) in &files {
                    let conflicts = self.hunks_of(path, session);
                    for hunk in conflicts.iter().filter(|hunk| hunk.state == HunkState::Conflicted) {
                        let decide = Decide::Resolve(take);
                        plan.results.push(self.decide_hunk(path, session, &named(hunk), decide));
                    }
                }
            }
            Decide::AcceptLines { .. } | Decide::RejectLines { .. } | Decide::Amend { .. } => {
                let message = "This is decided for one change at a time: name the change.".to_owned();
                for (path, _) in &files {
                    plan.results.push(result(path, None, Outcome::Stale, Some(message.clone())));
                }
            }
        }
        plan
    }

    /// Everything but conflicts and what the user has taken back before.
    fn plan_accept(&mut self, path: &AbsPath, session: &SessionId, plan: &mut Plan) {
        if let Some(lost) = self.lost_result(path) {
            // It holds up no other file.
            return plan.results.push(lost);
        }
        let hunks = self.hunks_of(path, session);
        let (taken, left): (Vec<&HunkView>, Vec<&HunkView>) =
            hunks.iter().partition(|hunk| hunk.state == HunkState::Pending && !hunk.undone);
        for hunk in left {
            let outcome = match hunk.state {
                HunkState::Conflicted => Outcome::Conflicted,
                HunkState::Pending | HunkState::Applying => Outcome::Pending,
            };
            let why = match hunk.state {
                HunkState::Pending => "What you took back is left alone: accept it by itself.",
                HunkState::Conflicted => "You changed the same lines: choose which to keep.",
                HunkState::Applying => "It is being applied already.",
            };
            plan.results.push(result(path, Some(&hunk.id), outcome, Some(why.to_owned())));
        }
        if hunks.is_empty() || !taken.is_empty() {
            let act = Act::Accept(taken.into_iter().map(named).collect());
            plan.parts.push(Part { path: path.clone(), session: session.clone(), act });
        }
    }

    /// Why nothing is decided in a file of which nobody knows what the editor shows.
    fn lost_result(&self, path: &AbsPath) -> Option<DecisionResult> {
        let lost = self.files.get(path).is_some_and(|file| file.is_open() && file.lost);
        let message = || format!("{}: {LOST}, then decide.", self.display(path));
        lost.then(|| result(path, None, Outcome::Pending, Some(message())))
    }

    fn reject_file(
        &mut self,
        path: &AbsPath,
        session: &SessionId,
        reason: Option<&str>,
    ) -> Vec<DecisionResult> {
        let mut results = self.reject_text(path, session, reason);
        results.extend(self.reject_whole(&(path.clone(), session.clone()), reason));
        results
    }

    fn reject_text(
        &mut self,
        path: &AbsPath,
        session: &SessionId,
        reason: Option<&str>,
    ) -> Vec<DecisionResult> {
        if !self.has_text_changes(&(path.clone(), session.clone())) {
            return Vec::new();
        }
        let hunks = self.hunks_of(path, session);
        let ids = self.ids.clone();
        let Some(file) = self.files.get_mut(path) else { return Vec::new() };
        let Some(draft) = file.drafts.get_mut(session) else { return Vec::new() };
        draft.note_changes();
        if let Some(rename) = draft.rename.take() {
            self.renames.remove(&(session.clone(), rename.to));
        }
        let names: Vec<HunkRef> = hunks.iter().map(named).collect();
        if !names.is_empty()
            && let Err(refusal) = draft.draft.reject(&names, reason)
        {
            return vec![result(path, None, Outcome::Pending, Some(refusal.to_string()))];
        }
        draft.reasons.clear();
        if !draft.draft.is_settled() {
            // A file without text that would be made or removed has no hunk to reject.
            draft.draft = Draft::with_ids(file.buffer.clone(), ids);
        }
        draft.is_known();
        file.expired.retain(|(other, _, _)| other != session);
        if hunks.is_empty() {
            return vec![result(path, None, Outcome::Rejected, None)];
        }
        hunks.iter().map(|hunk| result(path, Some(&hunk.id), Outcome::Rejected, None)).collect()
    }

    pub(super) fn hunks_of(&self, path: &AbsPath, session: &SessionId) -> Vec<HunkView> {
        let draft = self.files.get(path).and_then(|file| file.drafts.get(session));
        draft.map(|draft| draft.draft.hunks()).unwrap_or_default()
    }
}

/// What a hunk is after its decision was refused.
pub(super) fn refused(state: Option<HunkState>) -> Outcome {
    match state {
        None => Outcome::Stale,
        Some(HunkState::Conflicted) => Outcome::Conflicted,
        Some(HunkState::Pending | HunkState::Applying) => Outcome::Pending,
    }
}

fn named(hunk: &HunkView) -> HunkRef {
    HunkRef { id: hunk.id.clone(), revision: Some(hunk.revision) }
}

fn done(results: Vec<DecisionResult>) -> Plan {
    Plan { results, parts: Vec::new(), bulk: false }
}
