//! One request and its streamed response over HTTP.

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};

use super::AnthropicConfig;
use super::answer::Answer;
use super::failure::{API, refused};
use crate::config::ApiKey;
use crate::models::failure::{self, Asked};
use crate::models::follow::follow;
use crate::models::generate::Emit;
use crate::models::http::{RESPONSE_TIMEOUT, refusal, shown};
use crate::models::retry::Failure;
use crate::models::silence::{self, Silent};
use crate::models::{ModelErrorKind, Patience};

/// The API version all of this is written against.
const VERSION: &str = "2023-06-01";

pub(super) struct Exchange<'a> {
    pub(super) client: &'a reqwest::Client,
    pub(super) config: &'a AnthropicConfig,
    pub(super) emit: &'a Emit,
}

impl Exchange<'_> {
    /// Sends `body` and emits the events of the answer as they come. Dropping it closes the connection.
    pub(super) async fn run(&self, body: Vec<u8>) -> Result<(), Failure> {
        let url = endpoint(&self.config.base_url)?;
        let shown = shown(&url);
        let asked = Asked { model: &self.config.model, url: &shown, api: API };
        let request = self.client.post(url).headers(headers(self.config.key.as_ref())?).body(body);
        let patience = Patience { limit: Some(RESPONSE_TIMEOUT), ..self.config.patience };
        let response = silence::wait(request.send(), patience, self.emit)
            .await
            .map_err(|Silent| failure::stalled(RESPONSE_TIMEOUT, true))?
            .map_err(|error| failure::unreachable(&error.without_url(), asked))?;
        if !response.status().is_success() {
            return Err(refused(&refusal(response).await, asked));
        }
        follow(response, &mut Answer::default(), asked, self.config.patience, self.emit).await
    }
}

fn endpoint(base_url: &str) -> Result<reqwest::Url, Failure> {
    let base = base_url.trim().trim_end_matches('/');
    let base = base.strip_suffix("/v1").unwrap_or(base);
    let url = reqwest::Url::parse(&format!("{base}/v1/messages"));
    url.ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host()).ok_or_else(|| {
        let message =
            "The base URL of the model is no web address. It begins with https:// or http://.".to_owned();
        failure::hopeless(ModelErrorKind::Unreachable, message)
    })
}

fn headers(key: Option<&ApiKey>) -> Result<HeaderMap, Failure> {
    let unusable = |message: &str| failure::hopeless(ModelErrorKind::Authentication, message.to_owned());
    let key = key.ok_or_else(|| {
        unusable("There is no key for the model: set ANTHROPIC_API_KEY, or choose the offline model.")
    })?;
    let mut value = HeaderValue::from_str(key.expose().trim())
        .map_err(|_| unusable("The API key holds a character that no key has: copy it again."))?;
    value.set_sensitive(true);
    let mut headers = HeaderMap::new();
    headers.insert("x-api-key", value);
    headers.insert("anthropic-version", HeaderValue::from_static(VERSION));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    Ok(headers)
}
