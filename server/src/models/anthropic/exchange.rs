//! One request and its streamed response over HTTP.

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};

use super::AnthropicConfig;
use super::answer::Answer;
use super::credential::Credential;
use super::failure::{API, refused};
use crate::conversation::Usage;
use crate::models::call_input::LongestInput;
use crate::models::failure::{self, Asked};
use crate::models::follow::follow;
use crate::models::generate::Emit;
use crate::models::http::{Client, RESPONSE_TIMEOUT, refusal, shown};
use crate::models::retry::Failure;
use crate::models::silence::{self, Silent};
use crate::models::{ModelErrorKind, Patience};

/// The API version all of this is written against.
const VERSION: &str = "2023-06-01";

/// Bytes of a body that the service takes.
const LONGEST_REQUEST: usize = 32 * 1024 * 1024;

pub(super) struct Exchange<'a> {
    pub(super) client: &'a Client,
    pub(super) config: &'a AnthropicConfig,
    pub(super) emit: &'a Emit,
    pub(super) longest_input: LongestInput,
}

impl Exchange<'_> {
    /// Sends `body` and emits the events of the answer as they come; gives what it cost. Dropping it closes the connection.
    pub(super) async fn run(
        &self,
        body: Vec<u8>,
        credential: Option<&Credential>,
        betas: Option<String>,
    ) -> Result<Usage, Failure> {
        if body.len() > LONGEST_REQUEST {
            return Err(too_large(body.len()));
        }
        let url = endpoint(&self.config.base_url)?;
        let shown = shown(&url);
        let asked = Asked { model: &self.config.model, url: &shown, api: API };
        let request = self.client.post(url).headers(headers(credential, betas)?).body(body);
        let patience = Patience { limit: Some(RESPONSE_TIMEOUT), ..self.config.patience };
        let response = silence::wait(self.client.send(request), patience, self.emit)
            .await
            .map_err(|Silent| failure::stalled(RESPONSE_TIMEOUT, true))?
            .map_err(|error| failure::unreachable(&error.without_url(), asked))?;
        if !response.status().is_success() {
            return Err(refused(&refusal(response).await, asked));
        }
        let request_id = response.headers().get("request-id").and_then(|id| id.to_str().ok());
        let mut answer = Answer::of(asked.model, request_id).taking_up_to(self.longest_input);
        follow(response, &mut answer, asked, self.config.patience, self.emit).await?;
        Ok(answer.usage())
    }
}

pub(super) fn endpoint(base_url: &str) -> Result<reqwest::Url, Failure> {
    let url = reqwest::Url::parse(base_url.trim()).ok();
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let mut url = url.ok_or_else(|| {
        let message =
            "The base URL of the model is no web address. It begins with https:// or http://.".to_owned();
        failure::hopeless(ModelErrorKind::Unreachable, message)
    })?;
    let base = url.path().trim_end_matches('/');
    let path = format!("{}/v1/messages", base.strip_suffix("/v1").unwrap_or(base));
    url.set_path(&path);
    Ok(url)
}

pub(super) fn headers(credential: Option<&Credential>, betas: Option<String>) -> Result<HeaderMap, Failure> {
    let unusable = |message: &str| failure::hopeless(ModelErrorKind::Authentication, message.to_owned());
    let credential = credential.ok_or_else(|| {
        unusable("There is no key for the model: set ANTHROPIC_API_KEY, or choose the offline model.")
    })?;
    let (name, value) = credential
        .header()
        .ok_or_else(|| unusable("The API key holds a character that no key has: copy it again."))?;
    let mut headers = HeaderMap::new();
    headers.insert(name, value);
    headers.insert("anthropic-version", HeaderValue::from_static(VERSION));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    if let Some(betas) = betas.and_then(|betas| HeaderValue::from_str(&betas).ok()) {
        headers.insert("anthropic-beta", betas);
    }
    Ok(headers)
}

fn too_large(bytes: usize) -> Failure {
    let megabytes = |bytes: usize| bytes.div_ceil(1024 * 1024);
    let message = format!(
        "The request has {} MB, and the model's service takes {} MB. Start a new session, or send fewer images.",
        megabytes(bytes),
        megabytes(LONGEST_REQUEST),
    );
    failure::hopeless(ModelErrorKind::RequestTooLarge, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(base_url: &str, wanted: Option<&str>) {
        assert_eq!(endpoint(base_url).ok().map(String::from).as_deref(), wanted, "{base_url}");
    }

    #[test]
    fn a_base_url_as_people_write_it() {
        check("https://h", Some("https://h/v1/messages"));
        check("https://h/v1/", Some("https://h/v1/messages"));
        check(" https://h/anthropic/ ", Some("https://h/anthropic/v1/messages"));
        check("https://h/v1?tenant=a%20b", Some("https://h/v1/messages?tenant=a%20b"));
        check("https://h?tenant=a", Some("https://h/v1/messages?tenant=a"));
        check("h:1", None);
    }
}
