//! A question to a model beside the conversation: one prompt, one text, no tools, no thinking.

use futures::StreamExt as _;

use super::{ModelRequest, OnOverload, Provider, ProviderEvent, Purpose, Thinking};
use crate::conversation::{ApiMessage, ContentBlock, Role, Usage};

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aside {
    pub system: &'static str,
    pub prompt: String,
    pub max_tokens: u32,
    pub on_overload: OnOverload,
}

/// A text, with the model that wrote it and what that took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsideAnswer {
    pub text: String,
    pub model: String,
    pub usage: Usage,
}

/// `None`: no text came of it. Why is logged: whoever asks has something else to go on with.
pub async fn ask_aside(model: &dyn Provider, aside: Aside) -> Option<AsideAnswer> {
    let content = vec![ContentBlock::text(aside.prompt)];
    let messages = vec![ApiMessage { role: Role::User, content }];
    let request = ModelRequest {
        thinking: Thinking::Disabled,
        purpose: Purpose::Background,
        on_overload: aside.on_overload,
        ..ModelRequest::new(vec![aside.system.to_owned()], Vec::new(), messages, aside.max_tokens)
    };
    let name = model.info().model;
    let (mut text, mut usage) = (String::new(), Usage::default());
    let mut events = model.stream(request);
    while let Some(event) = events.next().await {
        match event {
            Ok(ProviderEvent::BlockStop { block: ContentBlock::Text { text: more }, .. }) => {
                text.push_str(&more);
            }
            Ok(
                ProviderEvent::MessageStart { usage: said, .. }
                | ProviderEvent::MessageDelta { usage: said, .. },
            ) => {
                usage = said;
            }
            Ok(_) => {}
            Err(error) => {
                tracing::debug!(%error, "the model gave no answer aside");
                return None;
            }
        }
    }
    (!text.trim().is_empty()).then_some(AsideAnswer { text, model: name, usage })
}
