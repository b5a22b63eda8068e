//! One request and its streamed response over HTTP.

use std::io;
use std::pin::pin;
use std::time::{Duration, SystemTime};

use futures::stream::{Stream, StreamExt, TryStreamExt};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};

use super::AnthropicConfig;
use super::answer::Answer;
use super::failure::{self, Asked, Refusal};
use crate::config::ApiKey;
use crate::models::ModelErrorKind;
use crate::models::generate::Emit;
use crate::models::retry::Failure;
use crate::models::sse;

/// The API version all of this is written against.
const VERSION: &str = "2023-06-01";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// Until the response begins.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(600);
/// Of a response that is no answer, no more is read.
const LONGEST_REFUSAL: usize = 64 * 1024;

/// An HTTP client that follows no redirect, since that would carry the key to another host.
pub(super) fn client() -> reqwest::Result<reqwest::Client> {
    reqwest::Client::builder()
        .user_agent(concat!("copydesk/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        .build()
}

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
        let asked = Asked { model: &self.config.model, url: &shown };
        let request = self.client.post(url).headers(headers(self.config.key.as_ref())?).body(body);
        let response = tokio::time::timeout(RESPONSE_TIMEOUT, request.send())
            .await
            .map_err(|_| failure::stalled(RESPONSE_TIMEOUT, true))?
            .map_err(|error| failure::unreachable(&error.without_url(), asked))?;
        if !response.status().is_success() {
            return Err(failure::refused(&refusal(response).await, asked));
        }
        self.follow(response, asked).await
    }

    async fn follow(&self, response: reqwest::Response, asked: Asked<'_>) -> Result<(), Failure> {
        let idle_timeout = self.config.idle_timeout;
        let content_type =
            response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let mut any = false;
        let bytes = response.bytes_stream().map_err(|error| io::Error::other(error.without_url()));
        let mut events = pin!(sse::events(watched(bytes, idle_timeout)));
        let mut answer = Answer::default();
        while let Some(event) = events.next().await {
            let early = !answer.has_finished_blocks();
            any |= event.is_ok();
            let event = match event {
                Ok(event) => event,
                // The answer is complete; only its closing bytes are missing.
                Err(_) if answer.is_whole() => break,
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                    return Err(failure::stalled(idle_timeout.unwrap_or_default(), early));
                }
                Err(error) => return Err(failure::cut(&error.to_string(), early)),
            };
            let ours = answer.accept(&event.data).map_err(|fault| failure::faulty(fault, asked, early))?;
            for event in ours {
                self.emit.event(event).await;
            }
            if answer.is_stopped() {
                break;
            }
        }
        for event in answer.end() {
            self.emit.event(event).await;
        }
        let is_stream = content_type.as_ref().is_some_and(|kind| kind.starts_with("text/event-stream"));
        if answer.is_whole() {
            Ok(())
        } else if !any && !is_stream {
            Err(failure::foreign(content_type.as_deref(), asked))
        } else {
            Err(failure::cut("the stream ended without a stop reason", !answer.has_finished_blocks()))
        }
    }
}

/// `bytes` with an error of kind `TimedOut` where nothing comes for `limit`.
fn watched<S, B>(bytes: S, limit: Option<Duration>) -> impl Stream<Item = io::Result<B>> + Send
where
    S: Stream<Item = io::Result<B>> + Send,
    B: Send,
{
    futures::stream::unfold(Box::pin(bytes), move |mut bytes| async move {
        let next = match limit {
            None => bytes.next().await,
            Some(limit) => tokio::time::timeout(limit, bytes.next())
                .await
                .unwrap_or_else(|_| Some(Err(io::Error::from(io::ErrorKind::TimedOut)))),
        };
        next.map(|chunk| (chunk, bytes))
    })
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

/// The address as a person may see it.
fn shown(url: &reqwest::Url) -> String {
    url.origin().ascii_serialization()
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

async fn refusal(response: reqwest::Response) -> Refusal {
    let header =
        |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let retry_after = header("retry-after").and_then(|value| failure::retry_after(&value, SystemTime::now()));
    let should_retry = header("x-should-retry").and_then(|value| value.parse().ok());
    let request_id = header("request-id");
    let status = response.status().as_u16();
    let body = tokio::time::timeout(CONNECT_TIMEOUT, beginning(response)).await.unwrap_or_default();
    Refusal { status, body, retry_after, should_retry, request_id }
}

async fn beginning(mut response: reqwest::Response) -> String {
    let mut bytes = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        bytes.extend_from_slice(&chunk);
        if bytes.len() >= LONGEST_REFUSAL {
            bytes.truncate(LONGEST_REFUSAL);
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
