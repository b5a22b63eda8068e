//! HTTP as every model's service is reached: no redirect followed, a limit on each wait, little read of what is no answer.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
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
pub(super) struct LazyClient(OnceLock<Client>);

/// A client and the connections it keeps. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Client {
    inner: reqwest::Client,
    /// A response has come, so a connection may be kept.
    keeps: Arc<AtomicBool>,
}

impl LazyClient {
    pub(super) fn get(&self) -> Result<&Client, ModelError> {
        if let Some(client) = self.0.get() {
            return Ok(client);
        }
        let client = Client::new().map_err(|error| {
            let message = format!("The HTTP client could not be set up: {error}. Check the proxy settings.");
            ModelError::new(ModelErrorKind::Unreachable, message)
        })?;
        Ok(self.0.get_or_init(|| client))
    }
}

impl Client {
    /// Follows no redirect, since that would carry the key to another host.
    pub(super) fn new() -> reqwest::Result<Self> {
        let inner = reqwest::Client::builder()
            .user_agent(concat!("copydesk/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        Ok(Self { inner, keeps: Arc::default() })
    }

    pub(super) fn get(&self, url: impl reqwest::IntoUrl) -> reqwest::RequestBuilder {
        self.inner.get(url)
    }

    pub(super) fn post(&self, url: impl reqwest::IntoUrl) -> reqwest::RequestBuilder {
        self.inner.post(url)
    }

    /// Sends `request`; at once again where a connection that was kept from before is dead by now: the service has failed
    /// at nothing then.
    pub(super) async fn send(&self, request: reqwest::RequestBuilder) -> reqwest::Result<reqwest::Response> {
        let again = request.try_clone().filter(|_| self.keeps.load(Ordering::Relaxed));
        let sent = match (request.send().await, again) {
            (Err(error), Some(again)) if is_of_the_connection(&error) => again.send().await,
            (sent, _) => sent,
        };
        self.keeps.fetch_or(sent.is_ok(), Ordering::Relaxed);
        sent
    }
}

/// Whether it broke before a response began. What can't be made in the first place is no old connection.
fn is_of_the_connection(error: &reqwest::Error) -> bool {
    error.is_request() && !error.is_connect() && !error.is_timeout()
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

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    /// Each connection answers so many requests and is closed at the next one, as a server does that was idle for long.
    async fn serve(listener: TcpListener, answers: &[usize]) {
        for &count in answers {
            let (mut socket, _) = listener.accept().await.unwrap();
            for _ in 0..count {
                read_request(&mut socket).await;
                socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await.unwrap();
            }
            read_request(&mut socket).await;
        }
    }

    /// A request without a body.
    async fn read_request(socket: &mut TcpStream) {
        let mut read = Vec::new();
        while !read.ends_with(b"\r\n\r\n") && socket.read_buf(&mut read).await.unwrap() > 0 {}
    }

    /// How requests fare, one after the other, at a server whose connections answer so many each.
    async fn check(answers: &'static [usize], wanted: &[bool]) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = tokio::spawn(serve(listener, answers));
        let client = Client::new().unwrap();
        let mut fared = Vec::new();
        for _ in wanted {
            let sent = client.send(client.get(&url)).await;
            fared.push(sent.is_ok());
            if let Ok(response) = sent {
                response.bytes().await.unwrap();
            }
        }
        server.abort();
        assert_eq!(fared, wanted);
    }

    #[tokio::test]
    async fn a_connection_that_died_meanwhile_is_no_failure_and_a_new_one_that_dies_is() {
        check(&[1, 1, 9], &[true, true, true]).await;
        check(&[0, 9], &[false, true]).await;
        check(&[1, 0, 9], &[true, false, true]).await;
    }
}
