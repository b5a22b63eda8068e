//! Turns: records turned into what either side says, and neighbours of one side made one.

use super::{ApiMessage, ContentBlock, Message, Role, blocks};
use crate::conversation::SystemKind;

/// What one record says to the model, on the way to a message.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Turn {
    pub(super) role: Role,
    /// Which answer an assistant's turn is a part of.
    pub(super) response_id: Option<String>,
    pub(super) content: Vec<ContentBlock>,
}

/// Stands first where the user's first words are gone, because the Messages API wants the user to begin.
const OPENING: &str = "(The conversation begins before this point.)";

/// One turn for each record that is meant for the model, its blocks made legal. A turn may be empty. Thinking of another
/// model than `model` is left out.
pub(super) fn of(messages: &[&Message], model: Option<&str>) -> Vec<Turn> {
    messages.iter().filter_map(|message| turn(message, model)).collect()
}

/// Empty turns left out and neighbours of the same role joined, block after block, as the API itself does.
pub(super) fn alternating(turns: Vec<Turn>) -> Vec<ApiMessage> {
    let mut messages: Vec<ApiMessage> = Vec::new();
    for turn in turns {
        if turn.content.is_empty() {
            continue;
        }
        match messages.last_mut() {
            Some(last) if last.role == turn.role => last.content.extend(turn.content),
            _ => messages.push(ApiMessage { role: turn.role, content: turn.content }),
        }
    }
    messages
}

/// The messages with a user's message in front if there was none.
pub(super) fn begun_by_the_user(mut messages: Vec<ApiMessage>) -> Vec<ApiMessage> {
    if messages.first().is_some_and(|first| first.role == Role::Assistant) {
        messages.insert(0, ApiMessage { role: Role::User, content: vec![ContentBlock::text(OPENING)] });
    }
    messages
}

fn turn(message: &Message, model: Option<&str>) -> Option<Turn> {
    match message {
        Message::User(user) if user.is_virtual => None,
        Message::User(user) => Some(user_turn(blocks::of_user(&user.content))),
        Message::Assistant(answer) if answer.is_virtual || answer.is_api_error => None,
        Message::Assistant(answer) => Some(Turn {
            role: Role::Assistant,
            response_id: Some(answer.response_id.clone()).filter(|id| !id.is_empty()),
            content: match model {
                Some(model) if model != answer.model => blocks::of_other_model(&answer.content),
                Some(_) | None => blocks::of_assistant(&answer.content),
            },
        }),
        Message::System(system) => match system.kind {
            SystemKind::LocalCommand => Some(user_turn(blocks::of_user(&[ContentBlock::text(&system.text)]))),
            SystemKind::Informational
            | SystemKind::Warning
            | SystemKind::ApiRetry
            | SystemKind::ModelFallback
            | SystemKind::PermissionChange
            | SystemKind::CompactBoundary
            | SystemKind::TurnDuration => None,
        },
        Message::Attachment(attachment) if attachment.text.trim().is_empty() => None,
        Message::Attachment(attachment) => {
            let reminder = format!("<system-reminder>\n{}\n</system-reminder>", attachment.text);
            Some(user_turn(vec![ContentBlock::text(reminder)]))
        }
        Message::Progress(_) => None,
    }
}

fn user_turn(content: Vec<ContentBlock>) -> Turn {
    Turn { role: Role::User, response_id: None, content }
}
