//! Deciding about pending changes, one by one or all at once.

mod asking;
mod drawing;

use std::collections::HashSet;

use anyhow::Result;
use copydesk_protocol::{
    DecideOutcome, DecideParams, DecideTarget, Decision, File, FileKind, Hunk, HunkState,
    ProposalAcceptedParams, ProposalAcceptedResult, ProposalDecideResult, ProposalListParams,
    ProposalListResult, ProposalShowResult, methods,
};

use self::asking::{Answer, keys};
use super::client::ServerError;
use super::editor::{Editor, Interrupt};
use super::tally::Tally;
use super::terminal::{Look, Terminal, told};
use crate::documents::{Workspace, to_path};

/// Who decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decider {
    /// The person, change by change.
    Person,
    /// Nobody is there: everything is accepted but the change of a line with these words; to show both.
    Example { unwanted: &'static str },
}

/// The pending changes of one session, shown and decided.
pub(super) struct Review<'a> {
    pub(super) editor: &'a mut Editor,
    pub(super) terminal: &'a mut Terminal,
    pub(super) workspace: &'a Workspace,
    pub(super) session: &'a str,
}

/// A file's changes that nobody was asked for.
pub(super) struct WentIn {
    pub(super) file: File,
    pub(super) name: String,
    pub(super) texts: ProposalShowResult,
}

/// One thing to decide: a hunk, or a file that comes, goes or moves, or what becomes of it beside its text.
struct Item {
    file: File,
    hunk: Option<Hunk>,
}

impl Review<'_> {
    /// The files with pending changes.
    pub(super) async fn files(&mut self) -> Result<Vec<File>> {
        let params = ProposalListParams { uri: None, session_id: Some(self.session.to_owned()) };
        let list: ProposalListResult = self.editor.call(methods::PROPOSAL_LIST, params).await?;
        Ok(list.files)
    }

    /// What the session's mode let in without asking.
    pub(super) async fn went_in(&mut self) -> Result<Vec<WentIn>> {
        let params = ProposalAcceptedParams { session_id: self.session.to_owned() };
        let accepted: ProposalAcceptedResult = self.editor.call(methods::PROPOSAL_ACCEPTED, params).await?;
        let went_in = accepted.files.into_iter().filter_map(|texts| {
            let file = texts.file.clone()?;
            Some(WentIn { name: self.name_of(&file.uri), file, texts })
        });
        Ok(went_in.collect())
    }

    /// Accepts everything that can be, but not what a person is to decide on by itself: that is told.
    pub(super) async fn accept_all(&mut self) -> Result<Tally> {
        let (asked, free): (Vec<File>, Vec<File>) =
            self.files().await?.into_iter().partition(|file| file.must_ask.is_some());
        let mut tally = self.accept(free).await?;
        for file in &asked {
            let (name, why) = (self.name_of(&file.uri), file.must_ask.as_deref().unwrap_or_default());
            let left = format!(
                "{} It was not accepted: decide on it by itself, at a terminal.",
                of_file(&name, why)
            );
            self.terminal.note(&told(&format!("✗ {left}")));
            tally.failed.push(left);
            tally.not_applied += file.changes();
        }
        Ok(tally)
    }

    /// Each file is decided by itself: one that can't be written keeps no other waiting.
    async fn accept(&mut self, files: Vec<File>) -> Result<Tally> {
        let mut tally = Tally::default();
        let mut done = Vec::new();
        for file in files {
            let mut of_file = Tally::default();
            let target = DecideTarget { uri: Some(file.uri.clone()), ..DecideTarget::default() };
            self.decide(Decision::Accept, target, &mut of_file).await?;
            // A file that is refused as a whole is one result, however many changes it has.
            of_file.not_applied = file.changes().saturating_sub(of_file.accepted);
            done.push((self.name_of(&file.uri), of_file.clone()));
            tally.add(of_file);
        }
        if tally.not_applied > 0 {
            for (name, of_file) in done.iter().filter(|(_, of_file)| of_file.not_applied == 0) {
                self.terminal.note(&told(&format!("✓ {name}: {}", of_file.words())));
            }
        }
        Ok(tally)
    }

    /// Goes through the changes. Places shift with each decision, so the list is asked for anew each time.
    pub(super) async fn decide_each(&mut self, decider: Decider, interrupt: &mut Interrupt) -> Result<Tally> {
        let mut tally = Tally::default();
        let mut passed = HashSet::new();
        loop {
            let open: Vec<Item> = items(self.files().await?)
                .into_iter()
                .filter(|item| !passed.contains(&item.name()))
                .collect();
            let number = format!("{}/{}", passed.len() + 1, passed.len() + open.len());
            let Some(item) = open.into_iter().next() else { return Ok(tally) };
            match self.show(&item, &number).await {
                Err(error) if error.is::<ServerError>() => {
                    self.could_not(Some(&item.file.uri), &error, &mut tally);
                    passed.insert(item.name());
                    continue;
                }
                shown => shown?,
            }
            let answer = match decider {
                Decider::Example { unwanted } if item.takes_away(unwanted) => Some(Answer::Reject),
                Decider::Example { .. } => Some(Answer::Accept),
                Decider::Person => self.ask(&item, interrupt).await,
            };
            let (decision, target) = match answer {
                Some(Answer::Help) => {
                    self.terminal.line(keys(&item));
                    continue;
                }
                Some(Answer::Accept) => (Decision::Accept, item.target()),
                Some(Answer::Reject) => (Decision::Reject, item.target()),
                Some(Answer::Edit) => match self.amend(&item).await? {
                    Some(target) => (Decision::Accept, target),
                    None => continue,
                },
                Some(Answer::AcceptRest) => {
                    // What is to be decided by itself is asked about all the same.
                    let (asked, free): (Vec<File>, Vec<File>) =
                        self.files().await?.into_iter().partition(|file| file.must_ask.is_some());
                    tally.add(self.accept(free).await?);
                    if asked.is_empty() {
                        return Ok(tally);
                    }
                    let left = items(self.files().await?);
                    passed.extend(left.iter().filter(|item| item.file.must_ask.is_none()).map(Item::name));
                    continue;
                }
                quit @ (Some(Answer::Quit) | None) => {
                    // What was decided and is there all the same was counted as not applied.
                    let there = items(self.files().await?);
                    tally.left = there.iter().filter(|item| !passed.contains(&item.name())).count();
                    tally.cancelled = quit.is_none();
                    return Ok(tally);
                }
            };
            let mut of_item = Tally::default();
            self.decide(decision, target, &mut of_item).await?;
            if decider == Decider::Person && of_item.is_overtaken() && self.is_pending(&item).await? {
                // It was told to look at it again, or what there is to choose from now.
                continue;
            }
            tally.add(of_item);
            if let Decider::Example { unwanted } = decider {
                let (look, word) = if item.takes_away(unwanted) {
                    (Look::Bad, "rejected")
                } else {
                    (Look::Good, "accepted")
                };
                self.terminal.styled(look, &format!("=> {word}"));
            }
            passed.insert(item.name());
        }
    }

    async fn is_pending(&mut self, item: &Item) -> Result<bool> {
        Ok(items(self.files().await?).iter().any(|other| other.name() == item.name()))
    }

    async fn decide(&mut self, decision: Decision, target: DecideTarget, tally: &mut Tally) -> Result<()> {
        let params = DecideParams { decision, target, reason: None };
        let uri = params.target.uri.clone();
        let decided: Result<ProposalDecideResult> = self.editor.call(methods::PROPOSAL_DECIDE, params).await;
        let decided = match decided {
            // The server is there and has a reason: that ends nothing of what is left.
            Err(error) if error.is::<ServerError>() => {
                self.could_not(uri.as_deref(), &error, tally);
                return Ok(());
            }
            decided => decided?,
        };
        for result in decided.results {
            tally.outcomes.insert(result.hunk_id.unwrap_or_else(|| result.uri.clone()), result.outcome);
            match result.outcome {
                DecideOutcome::Accepted => tally.accepted += 1,
                DecideOutcome::Rejected => tally.rejected += 1,
                DecideOutcome::Amended => {}
                DecideOutcome::Pending | DecideOutcome::Conflicted | DecideOutcome::Stale => {
                    tally.not_applied += 1;
                    let why = why_not(result.outcome, result.message);
                    let failed = of_file(&self.name_of(&result.uri), &why);
                    if !tally.failed.contains(&failed) {
                        // stdout may be kept for a result.
                        self.terminal.note(&told(&format!("✗ {failed}")));
                        tally.failed.push(failed);
                    }
                }
            }
        }
        Ok(())
    }

    /// Tells why nothing came of one decision.
    fn could_not(&mut self, uri: Option<&str>, error: &anyhow::Error, tally: &mut Tally) {
        tally.not_applied += 1;
        let why = format!("{error:#}");
        let failed = uri.map_or_else(|| why.clone(), |uri| of_file(&self.name_of(uri), &why));
        if !tally.failed.contains(&failed) {
            self.terminal.note(&told(&format!("✗ {failed}")));
            tally.failed.push(failed);
        }
    }

    pub(super) fn name_of(&self, uri: &str) -> String {
        to_path(uri).map_or_else(|_| uri.to_owned(), |path| self.workspace.display(&path))
    }
}

impl Item {
    /// The same for as long as it is the same decision.
    fn name(&self) -> String {
        self.hunk.as_ref().map_or_else(|| self.file.uri.clone(), |hunk| hunk.id.clone())
    }

    fn is_conflicted(&self) -> bool {
        self.hunk.as_ref().map_or(self.file.conflicted, |hunk| hunk.state == HunkState::Conflicted)
    }

    fn takes_away(&self, words: &str) -> bool {
        self.hunk.as_ref().is_some_and(|hunk| hunk.removed.contains(words))
    }

    fn target(&self) -> DecideTarget {
        match &self.hunk {
            Some(hunk) => DecideTarget {
                hunk_id: Some(hunk.id.clone()),
                revision: Some(hunk.revision),
                ..DecideTarget::default()
            },
            None => DecideTarget {
                uri: Some(self.file.uri.clone()),
                whole: self.file.has_whole() && !self.file.hunks.is_empty(),
                ..DecideTarget::default()
            },
        }
    }
}

/// A file that comes, goes or moves is one decision; else each of its hunks is, and then what is beside them.
fn items(files: Vec<File>) -> Vec<Item> {
    let of_file = |file: File| -> Vec<Item> {
        match file.kind {
            FileKind::Modify => {
                let hunks = file.hunks.clone().into_iter().map(Some);
                let all = hunks.chain(file.has_whole().then_some(None));
                all.map(|hunk| Item { file: file.clone(), hunk }).collect()
            }
            FileKind::Create | FileKind::Delete | FileKind::Rename => vec![Item { file, hunk: None }],
        }
    };
    files.into_iter().flat_map(of_file).collect()
}

/// What there is to say of a file, which is named once.
fn of_file(name: &str, why: &str) -> String {
    let is_named = why.strip_prefix(name).is_some_and(|rest| rest.starts_with([':', ' ']));
    if is_named { why.to_owned() } else { format!("{name}: {why}") }
}

/// Why a change that was accepted is not in. An editor offers more ways out of a conflict than there are here.
fn why_not(outcome: DecideOutcome, message: Option<String>) -> String {
    let message = message.filter(|_| outcome != DecideOutcome::Conflicted);
    message.unwrap_or_else(|| unexplained(outcome).to_owned())
}

const fn unexplained(outcome: DecideOutcome) -> &'static str {
    match outcome {
        DecideOutcome::Conflicted => {
            "you changed these lines too, so the change was not applied and yours are as they were"
        }
        DecideOutcome::Stale => "it has changed since it was shown",
        DecideOutcome::Pending
        | DecideOutcome::Accepted
        | DecideOutcome::Rejected
        | DecideOutcome::Amended => "it is still pending",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_once() {
        assert_eq!(of_file("ro/f", "ro/f: it is read-only."), "ro/f: it is read-only.");
        assert_eq!(of_file("ro/f", "ro/f has no changes."), "ro/f has no changes.");
        assert_eq!(of_file("ro/f", "ro/file: it is gone."), "ro/f: ro/file: it is gone.");
        assert_eq!(of_file("a", "another cause"), "a: another cause");
    }
}
