//! The person's answers on their way to the session that asked; who wants to answer in their own words is asked for them.

use std::sync::Arc;

use copydesk_protocol::{PromptAskParams, methods};

use super::outgoing::Outgoing;
use super::remote_editor::RemoteEditor;
use super::surface::chat::Chat;
use crate::agent::Sessions;
use crate::editor::Editor as _;
use crate::permissions::{OWN_WORDS, PermissionAnswer, PermissionRequest};

/// Cheap to clone.
#[derive(Clone)]
pub(super) struct Answers {
    pub(super) sessions: Sessions,
    pub(super) editor: Arc<RemoteEditor>,
    pub(super) outgoing: Outgoing,
    pub(super) chat: Chat,
}

impl Answers {
    /// Whether that question was still open. An input box is shown only here: the person has just chosen to have one, so
    /// that no key meant for the text goes into it.
    pub(super) fn answer(&self, request_id: &str, answer: PermissionAnswer) -> bool {
        if answer.option_id != OWN_WORDS || answer.feedback.is_some() {
            return self.sessions.answer(request_id, answer);
        }
        let open = self.sessions.open_questions().into_iter().map(|(_, request)| request);
        let Some(request) = open.into_iter().find(|request| request.id == request_id) else { return false };
        if self.editor.features().copydesk.prompts {
            tokio::spawn(self.clone().ask(request));
        } else {
            // What is written there is a message to the session, for which the question makes way.
            self.chat.show(Some(format!("{}\n\n", request.title)));
        }
        true
    }

    /// A box that is closed answers nothing: the question stays open.
    async fn ask(self, request: PermissionRequest) {
        let params = PromptAskParams { title: request.title, placeholder: None, options: Vec::new() };
        let said = self.outgoing.request(methods::PROMPT_ASK, params, None).await.ok();
        let words =
            said.as_ref().and_then(|said| said.as_str()).map(str::trim).filter(|words| !words.is_empty());
        if let Some(words) = words {
            let (option_id, feedback) = (OWN_WORDS.to_owned(), Some(words.to_owned()));
            self.sessions
                .answer(&request.id, PermissionAnswer { feedback, ..PermissionAnswer::of(option_id) });
        }
    }
}
