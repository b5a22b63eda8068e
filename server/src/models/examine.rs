//! What a model can do, found out by asking it, whatever its vendor.

use std::sync::Arc;

use futures::StreamExt;
use serde_json::json;

use super::{
    BlockDelta, ModelError, ModelErrorKind, ModelRequest, Provider, ProviderEvent, Thinking, ToolChoice,
    ToolDefinition, Window,
};
use crate::conversation::{ApiMessage, ContentBlock, ImageSource, Role, Usage};

/// Tokens of an answer; a model that reasons needs some to begin with.
const ANSWER: u32 = 1_000;

/// A picture of eight by eight red points (PNG).
const RED: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mP4z8CAFTEMLQkAKP8/wc53yE8AAAAASUVORK5CYII=";

/// What was found out, in the order of the questions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examination {
    /// As the provider calls it now.
    pub label: String,
    /// It answers at all; with an error, nothing else was asked.
    pub answers: Result<(), ModelError>,
    /// The answer came in pieces.
    pub streams: Ability,
    /// It says how many tokens a request took.
    pub counts: Ability,
    /// It says that before it answers, too.
    pub counts_beforehand: Ability,
    pub calls_tools: Ability,
    /// It calls a tool when it has to.
    pub calls_forced: Ability,
    pub calls_in_parallel: Ability,
    pub sees_images: Ability,
    /// `None`: nobody says.
    pub window: Option<u64>,
}

/// Whether the model does something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ability {
    Yes,
    No,
    /// The request was refused, in these words.
    Refused(String),
    /// Not asked, since an answer to it means nothing.
    Unasked,
}

/// Asks five questions at most, one after the other.
pub async fn examine(provider: &dyn Provider) -> Examination {
    let mut greeting = heard(provider, question("Say hello in one short sentence.", &[])).await;
    if provider.info().offline {
        let message = "No language model answers on this machine's usual ports (11434, 8080, 8000, 1234). Start a server.";
        greeting.error = Some(ModelError::new(ModelErrorKind::Unreachable, message));
    }
    let mut examination = Examination {
        label: provider.info().label,
        answers: greeting.error.clone().map_or(Ok(()), Err),
        streams: Ability::Unasked,
        counts: Ability::Unasked,
        counts_beforehand: Ability::Unasked,
        calls_tools: Ability::Unasked,
        calls_forced: Ability::Unasked,
        calls_in_parallel: Ability::Unasked,
        sees_images: Ability::Unasked,
        window: Some(provider.info().window)
            .filter(|&window| window != Window::USUAL)
            .map(|window| window.context),
    };
    if greeting.error.is_some() {
        return examination;
    }
    examination.streams = Ability::of(greeting.pieces > 1);
    let counted = provider.count(question("Say hello in one short sentence.", &[])).await;
    examination.counts_beforehand = Ability::of(counted.is_some());
    examination.counts = Ability::of(greeting.usage.input_tokens > 0 && greeting.usage.output_tokens > 0);
    let tools = [weather()];
    let one = heard(provider, question("What is the weather in Paris? Use the tool.", &tools)).await;
    examination.calls_tools = one.ability(one.calls > 0);
    if !matches!(examination.calls_tools, Ability::Refused(_)) {
        let forced = ModelRequest { tool_choice: ToolChoice::Any, ..question("Hello.", &tools) };
        let forced = heard(provider, forced).await;
        examination.calls_forced = forced.ability(forced.calls > 0);
        let two = "What is the weather in Paris, and what in Rome? Call the tool for both cities at once.";
        let two = heard(provider, question(two, &tools)).await;
        examination.calls_in_parallel = two.ability(two.calls > 1);
    }
    let mut seen = question("Which colour is this picture? One word.", &[]);
    let picture = ImageSource { media_type: "image/png".to_owned(), data: RED.to_owned() };
    if let Some(message) = seen.messages.first_mut() {
        Arc::make_mut(message).content.insert(0, ContentBlock::Image(picture));
    }
    let seen = heard(provider, seen).await;
    examination.sees_images = seen.ability(seen.text.to_lowercase().contains("red"));
    examination
}

/// What an answer came to.
#[derive(Debug, Default)]
struct Heard {
    text: String,
    pieces: usize,
    calls: usize,
    usage: Usage,
    error: Option<ModelError>,
}

impl Heard {
    fn ability(&self, yes: bool) -> Ability {
        match &self.error {
            Some(error) => Ability::Refused(error.message.clone()),
            None => Ability::of(yes),
        }
    }
}

impl Ability {
    fn of(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }
}

async fn heard(provider: &dyn Provider, request: ModelRequest) -> Heard {
    let mut heard = Heard::default();
    let mut events = provider.stream(request);
    while let Some(event) = events.next().await {
        match event {
            Ok(ProviderEvent::MessageStart { .. }) => heard = Heard::default(),
            Ok(ProviderEvent::BlockDelta { delta, .. }) => {
                heard.pieces += 1;
                if let BlockDelta::Text(text) = delta {
                    heard.text.push_str(&text);
                }
            }
            Ok(ProviderEvent::BlockStop { block: ContentBlock::ToolUse { .. }, .. }) => heard.calls += 1,
            Ok(ProviderEvent::MessageDelta { usage, .. }) => heard.usage = usage,
            Ok(
                ProviderEvent::BlockStart { .. }
                | ProviderEvent::BlockStop { .. }
                | ProviderEvent::MessageStop
                | ProviderEvent::Silence { .. }
                | ProviderEvent::Retry { .. },
            ) => {}
            Err(error) => heard.error = Some(error),
        }
    }
    heard
}

fn question(text: &str, tools: &[ToolDefinition]) -> ModelRequest {
    let message = ApiMessage { role: Role::User, content: vec![ContentBlock::text(text)] };
    let system = vec!["You are a helpful assistant.".to_owned()];
    ModelRequest {
        thinking: Thinking::Disabled,
        ..ModelRequest::new(system, tools.to_vec(), vec![message], ANSWER)
    }
}

fn weather() -> ToolDefinition {
    ToolDefinition {
        name: "get_weather".to_owned(),
        description: "Tells the weather in a city.".to_owned(),
        input_schema: json!({
            "type": "object",
            "properties": { "city": { "type": "string", "description": "The city's name." } },
            "required": ["city"],
        }),
        deferred: false,
    }
}
