//! "Ask the agent to redo": your text stays, and the agent is asked again with both texts before it.

use super::decide::decide;
use super::warn;
use crate::conversation::{ContentBlock, SessionId};
use crate::lsp::commands::What;
use crate::lsp::stage::Stage;
use crate::lsp::surface::items;
use crate::review::{Decide, HunkRef, Outcome, ReviewView, Take};

/// The conflict is settled first: what the agent reads then is your text.
pub(super) async fn redo(stage: Stage, hunk: HunkRef) {
    let view = stage.core.desk.settled().await;
    let Some((session, text)) = both_texts(&stage, &view, &hunk) else {
        return warn(&stage, "that conflict is settled already");
    };
    let take = Decide::Resolve(Take::Redo);
    let results = decide(stage.clone(), take, What::Hunk(hunk.into())).await;
    let settled = results.iter().any(|result| result.outcome == Outcome::Rejected);
    if settled && stage.core.sessions.send(&session, vec![ContentBlock::text(text)]).is_none() {
        warn(&stage, "your text stays, but the session of that change is gone: ask anew");
    }
}

/// The session, and what it is asked.
fn both_texts(stage: &Stage, view: &ReviewView, name: &HunkRef) -> Option<(SessionId, String)> {
    let item = items(view).find(|item| item.hunk.is_some_and(|hunk| hunk.id == name.id))?;
    let hunk = item.hunk?;
    let file = stage.core.workspace.display(&item.file.path);
    let reasons: Vec<_> = hunk.reasons.iter().map(|reason| reason.summary.as_str()).collect();
    Some((
        item.file.session.clone(),
        question(&file, hunk.lines.start + 1, &reasons, &hunk.removed, &hunk.added),
    ))
}

fn question(file: &str, line: usize, reasons: &[&str], mine: &str, agents: &str) -> String {
    let why = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join("; ")) };
    let quoted = |text: &str| match text {
        "" => "(nothing)\n".to_owned(),
        text => format!("```\n{text}{}```\n", if text.ends_with('\n') { "" } else { "\n" }),
    };
    format!(
        "Your change of {file} at line {line}{why} conflicts with what I wrote there in the meantime. My text stays. Do your change again so that it fits it.\n\nMy text:\n{}\nYour text:\n{}",
        quoted(mine),
        quoted(agents)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_texts_are_in_the_question() {
        assert_eq!(
            question("src/a.rs", 3, &["rename a to b"], "fn a2() {}\n", ""),
            "Your change of src/a.rs at line 3 (rename a to b) conflicts with what I wrote there in the meantime. \
             My text stays. Do your change again so that it fits it.\n\n\
             My text:\n```\nfn a2() {}\n```\n\nYour text:\n(nothing)\n"
        );
    }
}
