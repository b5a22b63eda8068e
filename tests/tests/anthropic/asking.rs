//! Asks the provider.

use std::time::Duration;

use copydesk::config::ApiKey;
use copydesk::models::{Anthropic, AnthropicConfig, Credential, ModelRequest, RetryPolicy};
pub(crate) use copydesk_tests::client::FAKE_KEY as KEY;
pub(crate) use copydesk_tests::heard::request;
use copydesk_tests::heard::{Heard, heard};

pub(crate) async fn ask(url: &str) -> Heard {
    ask_with(config(url), request()).await
}

pub(crate) async fn ask_with(config: AnthropicConfig, request: ModelRequest) -> Heard {
    heard(&Anthropic::new(config), request).await
}

/// The usual configuration with waits that a test can afford.
pub(crate) fn config(url: &str) -> AnthropicConfig {
    let mut config = AnthropicConfig::new(Some(Credential::Key(ApiKey::new(KEY))), "claude-x");
    url.clone_into(&mut config.base_url);
    config.retry =
        RetryPolicy { first_wait: Duration::from_millis(1), attempts: 4, ..RetryPolicy::default() };
    config
}
