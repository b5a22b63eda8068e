//! Anthropic's Messages API as a provider.
//!
//! Invariant: the key leaves this module in one request header and nowhere else; every text that comes back is cleared
//! of it.

mod answer;
mod exchange;
mod failure;
mod request;

use std::sync::Arc;

use futures::stream::BoxStream;

use self::exchange::Exchange;
use super::failure::cleared;
use super::generate::generate;
use super::http::LazyClient;
use super::retry::{RetryPolicy, random_fraction, with_retries};
use super::{
    ContextEditing, ModelError, ModelRequest, Patience, Provider, ProviderEvent, ProviderInfo, Window,
};
use crate::config::ApiKey;
use crate::conversation::without_thinking;

/// Where the API is unless told otherwise.
pub const ANTHROPIC_URL: &str = "https://api.anthropic.com";

/// How the API is reached, and which model is asked.
#[derive(Clone, Debug)]
pub struct AnthropicConfig {
    /// Without `/v1/messages`.
    pub base_url: String,
    /// Sent in `x-api-key`. Without one, each request fails with words that say so.
    pub key: Option<ApiKey>,
    /// Such as `claude-sonnet-5`.
    pub model: String,
    /// Of a stream that has begun. Until then, ten minutes are waited.
    pub patience: Patience,
    pub retry: RetryPolicy,
}

impl AnthropicConfig {
    /// The public API with the usual limits.
    pub fn new(key: Option<ApiKey>, model: impl Into<String>) -> Self {
        Self {
            base_url: ANTHROPIC_URL.to_owned(),
            key,
            model: model.into(),
            patience: Patience::default(),
            retry: RetryPolicy::default(),
        }
    }
}

/// The Messages API. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Anthropic {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    config: AnthropicConfig,
    client: LazyClient,
}

impl Anthropic {
    pub fn new(config: AnthropicConfig) -> Self {
        Self { inner: Arc::new(Inner { config, client: LazyClient::default() }) }
    }
}

impl Provider for Anthropic {
    fn info(&self) -> ProviderInfo {
        let model = self.inner.config.model.clone();
        ProviderInfo {
            label: model.clone(),
            model,
            offline: false,
            window: Window::USUAL,
            context_edits: ContextEditing::Client,
        }
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ProviderEvent, ModelError>> {
        let inner = self.inner.clone();
        generate(move |emit| async move {
            let config = &inner.config;
            let client = inner.client.get()?;
            let exchange = Exchange { client, config, emit: &emit };
            let policy = config.retry.for_request(&request);
            with_retries(policy, request.max_tokens, random_fraction, &emit, async |max_tokens| {
                let request = ModelRequest { max_tokens, ..request.clone() };
                let outcome = match exchange.run(request::body(&request, &config.model)).await {
                    Err(failure) if failure::is_about_shown_thinking(&failure) => {
                        // Another model or key signed it. Once without it, then whatever comes is told.
                        let mut request = request.clone();
                        request.messages = without_thinking(request.messages);
                        exchange.run(request::body(&request, &config.model)).await
                    }
                    outcome => outcome,
                };
                outcome.map_err(|failure| cleared(failure, config.key.as_ref()))
            })
            .await
        })
    }
}
