//! HTTP as every model's service is reached: no redirect followed, a limit on each wait, little read of what is no answer.

use std::io;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use futures::stream::{Stream, StreamExt};

use super::failure::{self, Refusal};
use super::generate::Emit;
use super::silence::{self, Silent};
use super::{ModelError, ModelErrorKind, Patience};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// Until the response begins.
pub(super) const RESPONSE_TIMEOUT: Duration = Duration::from_secs(600);
/// Of a response that is no answer, no more is read.
const LONGEST_REFUSAL: usize = 64 * 1024;

/// An HTTP client that is made with the first request, so that it costs nothing at start.
#[derive(Debug, Default)]
pub(super) struct LazyClient(OnceLock<reqwest::Client>);

impl LazyClient {
    pub(super) fn get(&self) -> Result<&reqwest::Client, ModelError> {
        if let Some(client) = self.0.get() {
            return Ok(client);
        }
        let client = client().map_err(|error| {
            let message = format!("The HTTP client could not be set up: {error}. Check the proxy settings.");
            ModelError::new(ModelErrorKind::Unreachable, message)
        })?;
        Ok(self.0.get_or_init(|| client))
    }
}

/// `bytes` with an error of kind `TimedOut` where patience ends.
pub(super) fn watched<S, B>(
    bytes: S,
    patience: Patience,
    emit: &Emit,
) -> impl Stream<Item = io::Result<B>> + Send
where
    S: Stream<Item = io::Result<B>> + Send,
    B: Send,
{
    futures::stream::unfold(Box::pin(bytes), move |mut bytes| async move {
        let next = silence::wait(bytes.next(), patience, emit)
            .await
            .unwrap_or_else(|Silent| Some(Err(io::Error::from(io::ErrorKind::TimedOut))));
        next.map(|chunk| (chunk, bytes))
    })
}

/// The address as a person may see it.
pub(super) fn shown(url: &reqwest::Url) -> String {
    url.origin().ascii_serialization()
}

/// What a response that is no answer says.
pub(super) async fn refusal(response: reqwest::Response) -> Refusal {
    let header =
        |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let retry_after = header("retry-after").and_then(|value| failure::retry_after(&value, SystemTime::now()));
    let should_retry = header("x-should-retry").and_then(|value| value.parse().ok());
    let request_id = header("request-id");
    let status = response.status().as_u16();
    let body = tokio::time::timeout(CONNECT_TIMEOUT, beginning(response)).await.unwrap_or_default();
    Refusal { status, body, retry_after, should_retry, request_id }
}

/// An HTTP client that follows no redirect, since that would carry the key to another host.
fn client() -> reqwest::Result<reqwest::Client> {
    reqwest::Client::builder()
        .user_agent(concat!("copydesk/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        .build()
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
