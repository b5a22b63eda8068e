//! What a person answers about one change: the question, its keys, and their own version of the lines.

use anyhow::{Context, Result};
use copydesk_protocol::{DecideOutcome, DecideTarget, ProposalAmendParams, ProposalDecideResult, methods};

use super::{Item, Review, why_not};
use crate::cli::client::ServerError;
use crate::cli::editor::Interrupt;
use crate::cli::temporary;
use crate::cli::terminal::{Look, told};
use crate::documents::{AbsPath, to_path};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Accept,
    Reject,
    AcceptRest,
    Quit,
    Edit,
    Help,
}

/// What the keys mean that a question names.
pub(super) const fn keys(item: &Item) -> &'static str {
    match item.hunk {
        Some(_) => {
            "  y accept   n reject   a accept this and all that follow   q leave the rest   e edit it first   ? help"
        }
        None => "  y accept   n reject   a accept this and all that follow   q leave the rest   ? help",
    }
}

impl Review<'_> {
    /// `None`: Ctrl-C, or the end of the input.
    pub(super) async fn ask(&mut self, item: &Item, interrupt: &mut Interrupt) -> Option<Answer> {
        let conflicted = item.is_conflicted();
        let question = match (&item.hunk, conflicted) {
            (Some(_), false) => "Accept this change [y,n,a,q,e,?]? ",
            (Some(_), true) => "You changed these lines too. Keep yours [n], or leave it [q]? ",
            (None, false) => "Accept this for the whole file [y,n,a,q,?]? ",
            (None, true) => "The file was changed meanwhile. Keep it as it is [n], or leave this [q]? ",
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
    pub(super) async fn amend(&mut self, item: &Item) -> Result<Option<DecideTarget>> {
        let Some(hunk) = &item.hunk else { return Ok(None) };
        // Behind the last line of a text, the break before the lines is part of the change and none of theirs.
        let behind = hunk.removed.is_empty() && hunk.range.start.character > 0;
        let lead = ["\r\n", "\n", "\r"].into_iter().find(|lead| behind && hunk.added.starts_with(lead));
        let lead = lead.unwrap_or_default();
        let lines = hunk.added.strip_prefix(lead).unwrap_or(&hunk.added);
        let text = match edited(lines, &item.file.uri) {
            Ok(lines) => format!("{lead}{lines}"),
            Err(error) => {
                self.terminal.styled(Look::Bad, &told(&format!("✗ {error:#}. The change is as it was.")));
                return Ok(None);
            }
        };
        if text == hunk.added {
            self.terminal.line("Nothing was changed.");
            return Ok(None);
        }
        if text == lead {
            self.terminal.line("Nothing was left of it, so the change is as it was: n rejects it.");
            return Ok(None);
        }
        let params = ProposalAmendParams {
            uri: item.file.uri.clone(),
            revision: hunk.revision,
            hunk_id: hunk.id.clone(),
            text: text.clone(),
        };
        let amended: Result<ProposalDecideResult> = self.editor.call(methods::PROPOSAL_AMEND, params).await;
        match amended {
            Ok(amended) => {
                let refused = amended.results.iter().find(|result| result.outcome != DecideOutcome::Amended);
                if let Some(refused) = refused {
                    let why = why_not(refused.outcome, refused.message.clone());
                    self.terminal.styled(Look::Bad, &told(&format!("✗ {why}")));
                    return Ok(None);
                }
            }
            // The server is there and has a reason: the change may be another by now.
            Err(error) if error.is::<ServerError>() => {
                self.terminal.styled(Look::Bad, &told(&format!("✗ {error:#}")));
                return Ok(None);
            }
            Err(error) => return Err(error),
        }
        // Only what stands there as the person wrote it is accepted unasked, and what became another change is shown.
        let files = self.files().await?;
        let mut hunks = files.iter().flat_map(|file| &file.hunks);
        let now = hunks.find(|now| now.id == hunk.id && now.added.lines().eq(text.lines()));
        Ok(now.map(|now| DecideTarget {
            hunk_id: Some(now.id.clone()),
            revision: Some(now.revision),
            ..DecideTarget::default()
        }))
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
    let file = temporary::file("copydesk-", &extension)?;
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
