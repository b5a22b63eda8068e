//! Starting tasks, with the person's words or after asking for them.

use copydesk_protocol::{PromptAskParams, methods};

use super::warn;
use crate::agent::{StartTask, TaskContext};
use crate::conversation::{ContentBlock, SessionId};
use crate::editor::{Editor, Loudness, Position, Range};
use crate::lsp::commands::Place;
use crate::lsp::stage::Stage;
use crate::lsp::surface::items;
use crate::review::{HunkRef, ReviewView};

pub(super) fn ask(stage: Stage, text: Option<String>, place: Option<Place>, diagnostics: Vec<String>) {
    match text {
        Some(text) => start(&stage, text, place, diagnostics),
        None if stage.editor.features().copydesk.prompts => {
            tokio::spawn(async move {
                if let Some(text) = prompt(&stage, "Ask Copydesk", "What is to be done?").await {
                    start(&stage, text, place, diagnostics);
                }
            });
        }
        None => {
            stage.chat.show(place.map(|place| about(&stage, &place)));
        }
    }
}

pub(super) fn ask_for_change(stage: Stage, hunk: HunkRef, text: Option<String>) {
    tokio::spawn(async move {
        let view = stage.core.desk.settled().await;
        let Some((session, quoted)) = quote(&stage, &view, &hunk) else {
            return warn(&stage, "that change is not pending any more");
        };
        let text = match text {
            Some(text) => Some(text),
            None if stage.editor.features().copydesk.prompts => {
                prompt(&stage, "Rework this hunk", "What should be different?").await
            }
            None => return stage.chat.show(Some(quoted)),
        };
        if let Some(text) = text
            && stage
                .core
                .sessions
                .send(&session, vec![ContentBlock::text(format!("{quoted}\n{text}"))])
                .is_none()
        {
            warn(&stage, "the session of that change is gone");
        }
    });
}

fn start(stage: &Stage, text: String, place: Option<Place>, diagnostics: Vec<String>) {
    let context = place.map(|place| TaskContext {
        path: place.path,
        range: Some(Range::new(Position::new(place.start, 0), Position::new(place.end, 0))),
        diagnostics,
    });
    let prompt = vec![ContentBlock::text(text.clone())];
    let (session, _) =
        stage.core.sessions.start(StartTask { session: None, prompt, context, token_budget: None });
    // What is written in the chat from now on goes there too.
    stage.talk_with(session.clone());
    let features = stage.editor.features();
    if !features.copydesk.events && !features.messages_wait {
        say_who_works(stage, &session);
    }
}

/// Most editors show no progress by themselves.
fn say_who_works(stage: &Stage, session: &SessionId) {
    let info = stage.core.sessions.list().into_iter().find(|info| info.session == *session);
    let who = info.map(|info| format!(": {}", info.model)).unwrap_or_default();
    stage.editor.show_message(Loudness::Info, format!("Copydesk is at work{who}"));
}

/// An input box of our own plug-in. `None`: closed, or nothing in it.
async fn prompt(stage: &Stage, title: &str, placeholder: &str) -> Option<String> {
    let params = PromptAskParams {
        title: title.to_owned(),
        placeholder: Some(placeholder.to_owned()),
        options: Vec::new(),
    };
    let typed = stage.outgoing.request(methods::PROMPT_ASK, params, None).await;
    match typed {
        Ok(typed) => typed.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned),
        Err(error) => {
            warn(stage, error);
            None
        }
    }
}

/// A place in words, which the offline model knows.
fn about(stage: &Stage, place: &Place) -> String {
    let file = stage.core.workspace.display(&place.path);
    if place.end > place.start + 1 {
        format!("In `{file}`, lines {} to {}:", place.start + 1, place.end)
    } else {
        format!("In `{file}`, line {}:", place.start + 1)
    }
}

/// The session of a pending hunk, and the hunk in words that the agent knows it by.
fn quote(stage: &Stage, view: &ReviewView, name: &HunkRef) -> Option<(SessionId, String)> {
    let item = items(view).find(|item| item.hunk.is_some_and(|hunk| hunk.id == name.id))?;
    let hunk = item.hunk?;
    let file = stage.core.workspace.display(&item.file.path);
    let signed =
        |sign: char, text: &str| text.lines().map(|line| format!("{sign}{line}")).collect::<Vec<_>>();
    let diff = [signed('-', &hunk.removed), signed('+', &hunk.added)].concat().join("\n");
    let line = hunk.lines.start + 1;
    let quoted = format!("About your change of `{file}` at line {line}:\n\n```diff\n{diff}\n```\n");
    Some((item.file.session.clone(), quoted))
}
