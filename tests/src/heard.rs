//! What the stream of a model comes to, as the loop would hear it.

use std::time::Duration;

use copydesk::conversation::{ApiMessage, ContentBlock, Role, StopReason, Usage};
use copydesk::models::{
    BlockDelta, ModelError, ModelErrorKind, ModelRequest, Provider, ProviderEvent, ToolDefinition,
};
use futures::StreamExt;
use serde_json::json;

/// One answer, whole or not.
#[derive(Debug, Default)]
pub struct Heard {
    /// As it streamed in.
    pub text: String,
    /// The finished ones.
    pub blocks: Vec<ContentBlock>,
    pub stop_reason: Option<StopReason>,
    pub usage: Usage,
    /// The model and the request as the answer names them.
    pub origin: (String, Option<String>),
    /// Each silence that was announced.
    pub silences: Vec<Duration>,
    /// Its end came.
    pub is_whole: bool,
    /// Why each retry was made, and how long it was put off.
    pub retries: Vec<(String, Duration)>,
    pub error: Option<ModelError>,
}

/// A prompt, with one tool beside it.
pub fn request() -> ModelRequest {
    let tool = ToolDefinition {
        name: "Read".to_owned(),
        description: "Reads.".to_owned(),
        input_schema: json!({ "type": "object" }),
        deferred: false,
    };
    let prompt = ApiMessage { role: Role::User, content: vec![ContentBlock::text("go")] };
    ModelRequest::new(vec!["You edit.".to_owned()], vec![tool], vec![prompt], 1_000)
}

/// Asks `model`, and hears it to the end.
pub async fn heard(model: &impl Provider, request: ModelRequest) -> Heard {
    let mut heard = Heard::default();
    let mut events = model.stream(request);
    while let Some(event) = events.next().await {
        match event {
            Ok(ProviderEvent::MessageStart { model, request_id, .. }) => {
                (heard.text, heard.blocks) = (String::new(), Vec::new());
                heard.origin = (model, request_id);
            }
            Ok(ProviderEvent::Silence { lasted }) => heard.silences.push(lasted),
            Ok(ProviderEvent::BlockDelta { delta: BlockDelta::Text(piece), .. }) => {
                heard.text.push_str(&piece);
            }
            Ok(ProviderEvent::BlockStop { block, .. }) => heard.blocks.push(block),
            Ok(ProviderEvent::MessageDelta { stop_reason, usage }) => {
                (heard.stop_reason, heard.usage) = (stop_reason, usage);
            }
            Ok(ProviderEvent::MessageStop) => heard.is_whole = true,
            Ok(ProviderEvent::Retry { reason, delay, .. }) => heard.retries.push((reason, delay)),
            Ok(ProviderEvent::BlockStart { .. } | ProviderEvent::BlockDelta { .. }) => {}
            Err(error) => heard.error = Some(error),
        }
    }
    heard
}

impl Heard {
    /// Compares the text of a whole answer.
    #[track_caller]
    pub fn check_whole(&self, text: &str) {
        assert_eq!((self.text.as_str(), self.is_whole, &self.error), (text, true, &None));
    }

    /// Compares the error that stands in place of an answer.
    #[track_caller]
    pub fn check_error(&self, kind: ModelErrorKind, message: &str) {
        let error = self.error.as_ref().expect("an error");
        assert_eq!((error.kind, error.message.as_str()), (kind, message));
        assert!(!self.is_whole, "no answer was complete");
    }

    /// Why each retry was made.
    pub fn reasons(&self) -> Vec<&str> {
        self.retries.iter().map(|(reason, _)| reason.as_str()).collect()
    }
}
