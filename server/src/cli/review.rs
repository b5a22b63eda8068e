//! Deciding about pending changes, one by one or all at once.

use std::collections::HashSet;

use anyhow::{Context, Result};
use copydesk_protocol::{
    DecideOutcome, DecideParams, DecideTarget, Decision, File, FileKind, Hunk, HunkState,
    ProposalAcceptedParams, ProposalAcceptedResult, ProposalAmendParams, ProposalDecideResult,
    ProposalListParams, ProposalListResult, ProposalShowParams, ProposalShowResult, methods,
};
use serde_json::Value;

use super::client::ServerError;
use super::diff::{self, DiffLine, Names};
use super::editor::{Editor, Interrupt};
use super::tally::Tally;
use super::terminal::{Look, Terminal, visible};
use crate::documents::{AbsPath, Workspace, to_path};

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
    pub(super) diff: Vec<DiffLine>,
}

/// One thing to decide: a hunk, or a file that comes, goes or moves.
struct Item {
    file: File,
    hunk: Option<Hunk>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Accept,
    Reject,
    AcceptRest,
    Quit,
    Edit,
    Help,
}

/// What the keys mean that a question names.
const fn keys(item: &Item) -> &'static str {
    match item.hunk {
        Some(_) => {
            "  y accept   n reject   a accept this and all that follow   q leave the rest   e edit it first   ? help"
        }
        None => "  y accept   n reject   a accept this and all that follow   q leave the rest   ? help",
    }
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
        let whole = |file: &File, texts: &ProposalShowResult| self.whole_diff(file, texts);
        let went_in = accepted.files.into_iter().filter_map(|texts| {
            let file = texts.file.clone()?;
            Some(WentIn { diff: whole(&file, &texts), name: self.name_of(&file.uri), file })
        });
        Ok(went_in.collect())
    }

    /// Everything that is pending as one diff.
    pub(super) async fn diff(&mut self) -> Result<Vec<DiffLine>> {
        let mut whole = Vec::new();
        for file in self.files().await? {
            whole.extend(self.diff_of(&file).await?);
        }
        Ok(whole)
    }

    /// Accepts everything that can be, but not what a person is to decide on by itself: that is told.
    pub(super) async fn accept_all(&mut self) -> Result<Tally> {
        let (asked, free): (Vec<File>, Vec<File>) =
            self.files().await?.into_iter().partition(|file| file.must_ask.is_some());
        let mut tally = self.accept(free).await?;
        for File { uri, must_ask, hunks, .. } in &asked {
            let (name, why) = (self.name_of(uri), must_ask.as_deref().unwrap_or_default());
            let left = format!(
                "{} It was not accepted: decide on it by itself, at a terminal.",
                of_file(&name, why)
            );
            self.terminal.note(&visible(&format!("✗ {left}")));
            tally.failed.push(left);
            tally.not_applied += hunks.len().max(1);
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
            of_file.not_applied = file.hunks.len().max(1).saturating_sub(of_file.accepted);
            done.push((self.name_of(&file.uri), of_file.clone()));
            tally.add(of_file);
        }
        if tally.not_applied > 0 {
            for (name, of_file) in done.iter().filter(|(_, of_file)| of_file.not_applied == 0) {
                self.terminal.note(&visible(&format!("✓ {name}: {}", of_file.words())));
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
            self.show(&item, &number).await?;
            let answer = match decider {
                Decider::Example { unwanted } if item.takes_away(unwanted) => Some(Answer::Reject),
                Decider::Example { .. } => Some(Answer::Accept),
                Decider::Person => self.ask(&item, interrupt).await,
            };
            match answer {
                Some(Answer::Help) => {
                    self.terminal.line(keys(&item));
                    continue;
                }
                Some(Answer::Accept) => self.decide(Decision::Accept, item.target(), &mut tally).await?,
                Some(Answer::Reject) => self.decide(Decision::Reject, item.target(), &mut tally).await?,
                Some(Answer::Edit) => match self.amend(&item).await? {
                    // The hunk under its old name or a new one: it is accepted as the person left it.
                    Some(target) => self.decide(Decision::Accept, target, &mut tally).await?,
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
                Some(Answer::Quit) => {
                    tally.left = items(self.files().await?).len();
                    return Ok(tally);
                }
                None => {
                    tally.left = items(self.files().await?).len();
                    tally.cancelled = true;
                    return Ok(tally);
                }
            }
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

    async fn decide(&mut self, decision: Decision, target: DecideTarget, tally: &mut Tally) -> Result<()> {
        let params = DecideParams { decision, target, reason: None };
        let decided: ProposalDecideResult = self.editor.call(methods::PROPOSAL_DECIDE, params).await?;
        for result in decided.results {
            tally.outcomes.insert(result.hunk_id.unwrap_or_else(|| result.uri.clone()), result.outcome);
            match result.outcome {
                DecideOutcome::Accepted => tally.accepted += 1,
                DecideOutcome::Rejected => tally.rejected += 1,
                DecideOutcome::Amended => {}
                DecideOutcome::Pending | DecideOutcome::Conflicted | DecideOutcome::Stale => {
                    tally.not_applied += 1;
                    let why = result.message.unwrap_or_else(|| unexplained(result.outcome).to_owned());
                    let failed = of_file(&self.name_of(&result.uri), &why);
                    if !tally.failed.contains(&failed) {
                        // stdout may be kept for a result.
                        self.terminal.note(&visible(&format!("✗ {failed}")));
                        tally.failed.push(failed);
                    }
                }
            }
        }
        Ok(())
    }

    async fn show(&mut self, item: &Item, number: &str) -> Result<()> {
        let path = self.name_of(&item.file.uri);
        let why = item.file.must_ask.as_ref().or(item.file.held_back.as_ref());
        let diff = if let Some(hunk) = &item.hunk {
            let title = format!("\n{path}  {number}  {}", hunk.reason);
            self.terminal.styled(Look::Heading, &visible(&title));
            if hunk.hidden_characters {
                self.terminal.styled(Look::Bad, "It adds characters that can't be seen.");
            }
            let texts = self.texts(&item.file).await?;
            diff::one_hunk(hunk, texts.buffer.as_deref())
        } else {
            self.terminal.line("");
            self.diff_of(&item.file).await?
        };
        diff::print(self.terminal, &diff);
        if let Some(why) = why {
            self.terminal.line(&visible(why));
        }
        Ok(())
    }

    /// `None`: Ctrl-C, or the end of the input.
    async fn ask(&mut self, item: &Item, interrupt: &mut Interrupt) -> Option<Answer> {
        let conflicted = item.hunk.as_ref().is_some_and(|hunk| hunk.state == HunkState::Conflicted);
        let question = match (&item.hunk, conflicted) {
            (Some(_), false) => "Accept this change [y,n,a,q,e,?]? ",
            (Some(_), true) => "You changed these lines too. Keep yours [n], or leave it [q]? ",
            (None, _) => "Accept this for the whole file [y,n,a,q,?]? ",
        };
        loop {
            let line = tokio::select! {
                line = self.terminal.ask(question) => line,
                () = interrupt.came() => None,
            };
            let Some(line) = line else {
                // The question still stands in its line.
                self.terminal.line("");
                return None;
            };
            match answer(&line) {
                Some(Answer::Edit) if item.hunk.is_none() => {
                    self.terminal.line("A whole file is not edited here.");
                }
                Some(Answer::Accept | Answer::Edit) if conflicted => self.terminal.line("Choose n or q."),
                Some(answer) => return Some(answer),
                None => self.terminal.line(keys(item)),
            }
        }
    }

    /// The person's own version of the agent's lines; what to accept then. `None`: nothing was changed, and why is told.
    async fn amend(&mut self, item: &Item) -> Result<Option<DecideTarget>> {
        let Some(hunk) = &item.hunk else { return Ok(None) };
        // Behind the last line of a text, the break before the lines is part of the change and none of theirs.
        let behind = hunk.removed.is_empty() && hunk.range.start.character > 0;
        let lead = ["\r\n", "\n", "\r"].into_iter().find(|lead| behind && hunk.added.starts_with(lead));
        let lead = lead.unwrap_or_default();
        let lines = hunk.added.strip_prefix(lead).unwrap_or(&hunk.added);
        let text = match edited(lines, &item.file.uri) {
            Ok(lines) => format!("{lead}{lines}"),
            Err(error) => {
                self.terminal.styled(Look::Bad, &visible(&format!("✗ {error:#}. The change is as it was.")));
                return Ok(None);
            }
        };
        if text == hunk.added {
            self.terminal.line("Nothing was changed.");
            return Ok(None);
        }
        let params = ProposalAmendParams {
            uri: item.file.uri.clone(),
            revision: hunk.revision,
            hunk_id: hunk.id.clone(),
            text,
        };
        let amended: Result<Value> = self.editor.call(methods::PROPOSAL_AMEND, params).await;
        match amended {
            Ok(_) => {}
            // The server is there and has a reason: the change may be another by now.
            Err(error) if error.is::<ServerError>() => {
                self.terminal.styled(Look::Bad, &visible(&format!("✗ {error:#}")));
                return Ok(None);
            }
            Err(error) => return Err(error),
        }
        Ok(Some(DecideTarget { hunk_id: Some(hunk.id.clone()), ..DecideTarget::default() }))
    }

    async fn diff_of(&mut self, file: &File) -> Result<Vec<DiffLine>> {
        let texts = self.texts(file).await?;
        Ok(self.whole_diff(file, &texts))
    }

    fn whole_diff(&self, file: &File, texts: &ProposalShowResult) -> Vec<DiffLine> {
        let old = self.name_of(&file.uri);
        let new = file.new_uri.as_deref().map_or_else(|| old.clone(), |uri| self.name_of(uri));
        let names = Names { old: &old, new: &new };
        diff::whole_file(file, names, texts.buffer.as_deref(), texts.draft.as_deref())
    }

    async fn texts(&mut self, file: &File) -> Result<ProposalShowResult> {
        let params = ProposalShowParams { uri: file.uri.clone(), session_id: Some(self.session.to_owned()) };
        self.editor.call(methods::PROPOSAL_SHOW, params).await
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
            None => DecideTarget { uri: Some(self.file.uri.clone()), ..DecideTarget::default() },
        }
    }
}

/// A file that comes, goes or moves is one decision; else each of its hunks is.
fn items(files: Vec<File>) -> Vec<Item> {
    let of_file = |file: File| -> Vec<Item> {
        match file.kind {
            FileKind::Modify => {
                let hunks = file.hunks.clone();
                hunks.into_iter().map(|hunk| Item { file: file.clone(), hunk: Some(hunk) }).collect()
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

/// Why a change that was accepted is not in, where nobody says.
const fn unexplained(outcome: DecideOutcome) -> &'static str {
    match outcome {
        DecideOutcome::Conflicted => "the same lines were changed by somebody else meanwhile",
        DecideOutcome::Stale => "it has changed since it was shown",
        DecideOutcome::Pending
        | DecideOutcome::Accepted
        | DecideOutcome::Rejected
        | DecideOutcome::Amended => "it is still pending",
    }
}

fn answer(line: &str) -> Option<Answer> {
    match line {
        "y" | "yes" => Some(Answer::Accept),
        "n" | "no" => Some(Answer::Reject),
        "a" => Some(Answer::AcceptRest),
        "q" => Some(Answer::Quit),
        "e" => Some(Answer::Edit),
        "?" => Some(Answer::Help),
        _ => None,
    }
}

/// `text` after the person's editor (`$VISUAL`, `$EDITOR`, else vi) had it.
fn edited(text: &str, uri: &str) -> Result<String> {
    let extension = to_path(uri)
        .ok()
        .and_then(|path: AbsPath| path.as_path().extension().map(|extension| format!(".{extension}")))
        .unwrap_or_default();
    let file = tempfile::Builder::new().prefix("copydesk-").suffix(&extension).tempfile()?;
    std::fs::write(file.path(), text)?;
    let editor = ["VISUAL", "EDITOR"]
        .into_iter()
        .find_map(|variable| std::env::var(variable).ok().filter(|editor| !editor.trim().is_empty()))
        .unwrap_or_else(|| "vi".to_owned());
    // It may have arguments of its own.
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let status = std::process::Command::new(program)
        .args(words)
        .arg(file.path())
        .status()
        .with_context(|| format!("the editor `{editor}` can't be started (set EDITOR)"))?;
    anyhow::ensure!(status.success(), "the editor `{editor}` failed");
    let after = std::fs::read_to_string(file.path())?;
    // Most editors end a file with a line break; a hunk at the end of a file without one has none.
    match after.strip_suffix('\n') {
        Some(without) if !text.ends_with('\n') => Ok(without.to_owned()),
        _ => Ok(after),
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

    #[test]
    fn a_letter_is_an_answer_and_anything_else_is_asked_again() {
        let letters = [("y", Answer::Accept), ("n", Answer::Reject), ("a", Answer::AcceptRest)];
        let more = [("q", Answer::Quit), ("e", Answer::Edit), ("?", Answer::Help)];
        for (line, want) in letters.into_iter().chain(more) {
            assert_eq!(answer(line), Some(want));
        }
        for line in ["", "Y!", "yn", " "] {
            assert_eq!(answer(line), None, "{line:?}");
        }
    }
}
