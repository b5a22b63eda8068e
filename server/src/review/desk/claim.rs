//! Accepts under way: a hunk is done when the text shows it, and pending again when it does not.

use tokio::time::Instant;

use super::actor::Desk;
use super::file::{File, Shown};
use super::under_way::{Claim, ClaimId, ClaimKind};
use crate::conversation::SessionId;
use crate::documents::AbsPath;
use crate::editor::{ApplyReply, Loudness};
use crate::review::{DecisionResult, HunkId, HunkRef, HunkState, Outcome};

impl Desk {
    pub(super) fn new_claim_id(&mut self) -> ClaimId {
        self.claims_made += 1;
        ClaimId(self.claims_made)
    }

    /// The editor applies the edits of a code action itself. The echo may have come before this.
    pub(super) fn claimed(&mut self, hunks: Vec<HunkRef>) {
        let now = Instant::now();
        let (until, late) = (now + self.waits.echo, now + self.waits.late_echo);
        for hunk in hunks {
            let Some((path, session, _)) = self.find(&hunk.id) else {
                self.claimed_late(&hunk.id, late);
                continue;
            };
            let id = self.new_claim_id();
            let Some(file) = self.files.get_mut(&path) else { continue };
            let Some(draft) = file.drafts.get_mut(&session) else { continue };
            if draft.draft.accept(std::slice::from_ref(&hunk)).is_err() {
                continue;
            }
            draft.shown = Shown::Outdated;
            draft.forget_sent = Some(late);
            file.expired.retain(|(_, id, _)| *id != hunk.id);
            file.claims.push(Claim {
                id,
                session,
                kind: ClaimKind::Whole,
                waiting: vec![hunk.id],
                results: Vec::new(),
                until,
                refusal: None,
                reply: None,
            });
            self.set_timer(until, &path);
            self.set_timer(late, &path);
        }
    }

    /// From now on the same edit a second time is one too many.
    fn claimed_late(&mut self, hunk: &HunkId, late: Instant) {
        let mut settled = Vec::new();
        for (path, file) in &mut self.files {
            for draft in file.drafts.values_mut() {
                if draft.draft.claimed_late(hunk) {
                    draft.forget_sent = Some(late);
                    settled.push(path.clone());
                }
            }
        }
        for path in &settled {
            self.set_timer(late, path);
        }
    }

    /// The client's answer proves nothing; it only starts the wait for the text, or ends it.
    pub(super) fn replied(&mut self, claim: ClaimId, reply: ApplyReply) {
        let now = Instant::now();
        let until = if reply.applied { now + self.waits.echo } else { now };
        let found = self.files.iter_mut().find_map(|(path, file)| {
            file.claims.iter_mut().find(|other| other.id == claim).map(|claim| (path.clone(), claim))
        });
        let Some((path, claim)) = found else { return };
        claim.until = until;
        if !reply.applied {
            claim.refusal = Some(reply.reason.unwrap_or_else(|| "it gave no reason".to_owned()));
        }
        self.set_timer(until, &path);
        self.claims_due(&path, now);
    }

    /// Settles the claims that the text bears out by now; gives the sessions that had one accepted.
    pub(super) fn look_for_echoes(&mut self, path: &AbsPath) -> Vec<SessionId> {
        let mut accepted_of = Vec::new();
        let Some(file) = self.files.get_mut(path) else { return accepted_of };
        let mut arrived = Vec::new();
        if !file.claims.is_empty() || !file.expired.is_empty() {
            let File { claims, expired, drafts, .. } = file;
            let state = |session: &SessionId, id: &HunkId| {
                drafts.get(session).and_then(|draft| draft.draft.state_of(id))
            };
            for claim in claims.iter_mut() {
                let Claim { session, kind, waiting, results, .. } = claim;
                waiting.retain(|id| {
                    let outcome = match (state(session, id), *kind) {
                        (Some(HunkState::Applying), _) => return true,
                        (None, _) | (Some(HunkState::Pending), ClaimKind::Lines) => Outcome::Accepted,
                        (Some(HunkState::Pending), ClaimKind::Whole) => Outcome::Pending,
                        (Some(HunkState::Conflicted), _) => Outcome::Conflicted,
                    };
                    if outcome == Outcome::Accepted && !accepted_of.contains(session) {
                        accepted_of.push(session.clone());
                    }
                    let message = why_not(outcome);
                    results.push(DecisionResult {
                        path: path.clone(),
                        hunk: Some(id.clone()),
                        outcome,
                        message,
                    });
                    false
                });
            }
            expired.retain(|(session, id, _)| {
                let pending = state(session, id).is_some();
                if !pending {
                    arrived.push(id.clone());
                    accepted_of.push(session.clone());
                }
                pending
            });
        }
        if !arrived.is_empty() {
            let text = format!("{}: the change has arrived after all and is accepted.", self.display(path));
            self.editor.show_message(Loudness::Info, text);
        }
        self.finish_claims(path);
        accepted_of
    }

    /// Claims whose time is up are void; the person hears of it once, and nothing is sent again: some editors rebase a
    /// stale edit and would apply it twice.
    pub(super) fn claims_due(&mut self, path: &AbsPath, now: Instant) {
        let late = now + self.waits.late_echo;
        let name = self.display(path);
        let Some(file) = self.files.get_mut(path) else { return };
        file.expired.retain(|(_, _, until)| *until > now);
        for draft in file.drafts.values_mut().filter(|draft| draft.forget_sent.is_some_and(|due| due <= now))
        {
            draft.draft.forget_sent();
            draft.forget_sent = None;
        }
        let due = |claim: &Claim| claim.until <= now;
        let sessions: Vec<SessionId> =
            file.claims.iter().filter(|claim| due(claim)).map(|claim| claim.session.clone()).collect();
        let mut unasked = Vec::new();
        for session in &sessions {
            if let Some(draft) = file.drafts.get_mut(session) {
                draft.draft.claims_expired();
                draft.shown = Shown::Outdated;
            }
            let draft = file.drafts.get(session);
            let state = |id: &HunkId| draft.and_then(|draft| draft.draft.state_of(id));
            // The draft voids all of a session's claims together.
            for claim in file.claims.iter_mut().filter(|claim| claim.session == *session) {
                let message = match &claim.refusal {
                    Some(reason) => format!(
                        "{name}: the editor did not apply the change ({reason}). It is pending again; accept it again when nothing else is changing."
                    ),
                    None => format!(
                        "{name}: the editor's text does not show the accepted change, so it is pending again. Look at the text before you accept it again."
                    ),
                };
                if claim.reply.is_none() && !claim.waiting.is_empty() {
                    unasked.push(message.clone());
                }
                for id in claim.waiting.drain(..) {
                    let (outcome, message) = match state(&id) {
                        None => (Outcome::Accepted, None),
                        Some(HunkState::Conflicted) => (Outcome::Conflicted, why_not(Outcome::Conflicted)),
                        Some(HunkState::Pending | HunkState::Applying) => {
                            file.expired.push((session.clone(), id.clone(), late));
                            (Outcome::Pending, Some(message.clone()))
                        }
                    };
                    let hunk = Some(id);
                    claim.results.push(DecisionResult { path: path.clone(), hunk, outcome, message });
                }
            }
        }
        if !sessions.is_empty() {
            self.set_timer(late, path);
        }
        unasked.dedup();
        for message in unasked {
            self.editor.show_message(Loudness::Warning, message);
        }
        self.finish_claims(path);
    }

    /// Answers for the claims that wait for nothing more, and lets the next accept of the file go.
    fn finish_claims(&mut self, path: &AbsPath) {
        let Some(file) = self.files.get_mut(path) else { return };
        let (done, under_way): (Vec<Claim>, Vec<Claim>) =
            file.claims.drain(..).partition(|claim| claim.waiting.is_empty());
        file.claims = under_way;
        for Claim { reply, results, .. } in done {
            if let Some(reply) = reply {
                self.answer(reply, results);
            }
        }
        self.carry_next(path);
    }
}

fn why_not(outcome: Outcome) -> Option<String> {
    match outcome {
        Outcome::Accepted | Outcome::Rejected | Outcome::Amended | Outcome::Stale => None,
        Outcome::Pending => Some(
            "It changed while it was being accepted, and is pending again: look at it once more.".to_owned(),
        ),
        Outcome::Conflicted => Some(
            "The same place was changed while it was being accepted: choose your text or the agent's."
                .to_owned(),
        ),
    }
}
