//! Asks the provider, and tells what its stream came to.

use std::time::Duration;

use copydesk::config::ApiKey;
use copydesk::conversation::{ApiMessage, ContentBlock, Role, StopReason};
use copydesk::models::{
    Anthropic, AnthropicConfig, BlockDelta, Credential, ModelError, ModelErrorKind, ModelRequest, Provider,
    ProviderEvent, RetryPolicy, ToolDefinition,
};
use futures::StreamExt;
use serde_json::json;

pub(crate) use copydesk_tests::client::FAKE_KEY as KEY;

/// What a stream came to.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Of the last message begun: its text as it streamed.
    pub(crate) text: String,
    /// Of the last message begun: its finished blocks.
    pub(crate) blocks: Vec<ContentBlock>,
    pub(crate) stop_reason: Option<StopReason>,
    pub(crate) stopped: bool,
    /// The model and the request as the answer names them.
    pub(crate) origin: (String, Option<String>),
    /// Whole seconds are too long for a test: milliseconds of each announced silence.
    pub(crate) silences: Vec<u128>,
    /// The reasons of the retries.
    pub(crate) retries: Vec<String>,
    pub(crate) error: Option<ModelError>,
}

impl Told {
    #[track_caller]
    pub(crate) fn check_whole(&self, text: &str) {
        assert_eq!((self.text.as_str(), self.stopped, &self.error), (text, true, &None));
    }

    #[track_caller]
    pub(crate) fn check_error(&self, kind: ModelErrorKind, message: &str) {
        let error = self.error.as_ref().expect("an error");
        assert_eq!((error.kind, error.message.as_str()), (kind, message));
        assert!(!self.stopped, "no answer was complete");
    }
}

pub(crate) async fn ask(url: &str) -> Told {
    ask_with(config(url), request()).await
}

pub(crate) async fn ask_with(config: AnthropicConfig, request: ModelRequest) -> Told {
    ask_of(&Anthropic::new(config), request).await
}

pub(crate) async fn ask_of(provider: &Anthropic, request: ModelRequest) -> Told {
    let mut told = Told::default();
    let mut stream = provider.stream(request);
    while let Some(event) = stream.next().await {
        match event {
            Ok(ProviderEvent::MessageStart { model, request_id, .. }) => {
                (told.text, told.blocks) = (String::new(), Vec::new());
                told.origin = (model, request_id);
            }
            Ok(ProviderEvent::Silence { lasted }) => told.silences.push(lasted.as_millis()),
            Ok(ProviderEvent::BlockDelta { delta: BlockDelta::Text(piece), .. }) => {
                told.text.push_str(&piece);
            }
            Ok(ProviderEvent::BlockStop { block, .. }) => told.blocks.push(block),
            Ok(ProviderEvent::MessageDelta { stop_reason, .. }) => told.stop_reason = stop_reason,
            Ok(ProviderEvent::MessageStop) => told.stopped = true,
            Ok(ProviderEvent::Retry { reason, .. }) => told.retries.push(reason),
            Ok(ProviderEvent::BlockStart { .. } | ProviderEvent::BlockDelta { .. }) => {}
            Err(error) => told.error = Some(error),
        }
    }
    told
}

/// The usual configuration with waits that a test can afford.
pub(crate) fn config(url: &str) -> AnthropicConfig {
    let mut config = AnthropicConfig::new(Some(Credential::Key(ApiKey::new(KEY))), "claude-x");
    url.clone_into(&mut config.base_url);
    config.retry =
        RetryPolicy { first_wait: Duration::from_millis(1), attempts: 4, ..RetryPolicy::default() };
    config
}

pub(crate) fn request() -> ModelRequest {
    let tool = ToolDefinition {
        name: "Read".to_owned(),
        description: "Reads.".to_owned(),
        input_schema: json!({ "type": "object" }),
        deferred: false,
    };
    let prompt = ApiMessage { role: Role::User, content: vec![ContentBlock::text("go")] };
    ModelRequest::new(vec!["You edit.".to_owned()], vec![tool], vec![prompt], 1_000)
}
