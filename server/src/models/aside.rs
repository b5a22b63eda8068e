//! A question to a model beside the conversation: one prompt, one text, no tools, no thinking.

use futures::StreamExt as _;
use serde_json::Value;

use super::{ModelError, ModelRequest, OnOverload, Provider, ProviderEvent, Purpose, ServerTool, Thinking};
use crate::conversation::{ApiMessage, ContentBlock, Role, Usage};

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aside {
    pub system: &'static str,
    pub prompt: String,
    pub max_tokens: u32,
    pub on_overload: OnOverload,
    /// What the service may do by itself for it.
    pub server_tools: Vec<ServerTool>,
}

/// A text, with the model that wrote it and what that took.
#[derive(Clone, Debug, PartialEq)]
pub struct AsideAnswer {
    /// May be empty.
    pub text: String,
    /// What the service's own tools gave, as it tells it.
    pub server_results: Vec<Value>,
    pub model: String,
    pub usage: Usage,
}

pub async fn ask_aside(model: &dyn Provider, aside: Aside) -> Result<AsideAnswer, ModelError> {
    let content = vec![ContentBlock::text(aside.prompt)];
    let messages = vec![ApiMessage { role: Role::User, content }];
    let request = ModelRequest {
        thinking: Thinking::Disabled,
        purpose: Purpose::Background,
        on_overload: aside.on_overload,
        server_tools: aside.server_tools,
        ..ModelRequest::new(vec![aside.system.to_owned()], Vec::new(), messages, aside.max_tokens)
    };
    let name = model.info().model;
    let (mut text, mut usage, mut server_results) = (String::new(), Usage::default(), Vec::new());
    let mut events = model.stream(request);
    while let Some(event) = events.next().await {
        match event {
            Ok(ProviderEvent::BlockStop { block: ContentBlock::Text { text: more }, .. }) => {
                text.push_str(&more);
            }
            Ok(ProviderEvent::BlockStop { block: ContentBlock::ServerToolResult { raw, .. }, .. }) => {
                server_results.push(raw);
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
                return Err(error);
            }
        }
    }
    Ok(AsideAnswer { text, server_results, model: name, usage })
}
