//! One request to a chat-completions server, and its response.

use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use serde_json::{Map, Value};

use super::answer::{Answer, DONE};
use super::failure::refused;
use super::ollama::NativeAnswer;
use super::quirks::Wire;
use crate::config::ApiKey;
use crate::models::failure::{self, Asked};
use crate::models::follow::{Accumulate, follow};
use crate::models::generate::Emit;
use crate::models::http::{Client, refusal, shown};
use crate::models::retry::Failure;
use crate::models::silence::{self, Silent};
use crate::models::{ModelErrorKind, Patience};

/// A response that does not stream is no longer than this.
const LONGEST_MESSAGE: usize = 16 * 1024 * 1024;
/// Of a question about the server itself.
const QUESTION_TIMEOUT: Duration = Duration::from_secs(10);

/// A server as it is reached.
#[derive(Clone, Debug)]
pub(super) struct Reached {
    pub(super) client: Client,
    /// Where chat completions are, with a slash at the end: `http://localhost:8080/v1/`. Its query goes with each request.
    pub(super) base: reqwest::Url,
    pub(super) key: Option<ApiKey>,
}

/// A body in bytes. Nothing in it fails to be written: every key is a text, and no number is infinite.
pub(super) fn written(body: &Map<String, Value>) -> Vec<u8> {
    serde_json::to_vec(body).unwrap_or_default()
}

impl Reached {
    /// The base URL as people write it: without a path it is `/v1`.
    pub(super) fn new(client: Client, base_url: &str, key: Option<ApiKey>) -> Result<Self, Failure> {
        let parsed = reqwest::Url::parse(base_url.trim()).ok();
        let parsed = parsed.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        let mut base = parsed.ok_or_else(|| {
            let message =
                "The base URL of the model is no web address. It begins with https:// or http://.".to_owned();
            failure::hopeless(ModelErrorKind::Unreachable, message)
        })?;
        let written = base.path().trim_end_matches('/');
        let written = written.strip_suffix("/chat/completions").unwrap_or(written);
        let path = if written.is_empty() { "/v1/".to_owned() } else { format!("{written}/") };
        base.set_path(&path);
        Ok(Self { client, base, key })
    }

    /// Asks the model and emits the events of its answer as they come. Dropping it closes the connection.
    pub(super) async fn ask(
        &self,
        body: &Map<String, Value>,
        wire: Wire,
        mut answer: Answer,
        asked: Asked<'_>,
        patience: Patience,
        emit: &Emit,
    ) -> Result<(), Failure> {
        let url = match wire {
            Wire::ChatCompletions => self.at("chat/completions")?,
            Wire::Ollama => self.at_root("api/chat"),
        };
        let request = self.client.post(url).headers(self.headers()?).body(written(body));
        let response = silence::wait(self.client.send(request), patience, emit)
            .await
            .map_err(|Silent| failure::stalled(patience.limit.unwrap_or_default(), true))?
            .map_err(|error| failure::unreachable(&error.without_url(), asked))?;
        if !response.status().is_success() {
            return Err(refused(&refusal(response).await, asked));
        }
        match wire {
            Wire::Ollama => follow(response, &mut NativeAnswer::new(answer), asked, patience, emit).await,
            Wire::ChatCompletions if is_json(&response) => {
                let message = message(response, patience, emit, asked).await?;
                for data in [message.as_str(), DONE] {
                    for event in answer.accept(data, asked)? {
                        emit.event(event).await;
                    }
                }
                // Nothing of an answer was in it, or its end was not.
                if answer.is_stopped() {
                    Ok(())
                } else {
                    Err(failure::foreign(Some("application/json"), asked))
                }
            }
            Wire::ChatCompletions => follow(response, &mut answer, asked, patience, emit).await,
        }
    }

    /// What the server says of itself; `None` if that is no JSON.
    pub(super) async fn question(&self, question: &Question) -> Result<Option<Value>, Unreached> {
        let (url, body) = match question {
            Question::Chat(path) => (self.at(path), None),
            Question::Root(path) => (Ok(self.at_root(path)), None),
            Question::RootWith(path, body) => (Ok(self.at_root(path)), Some(body.to_string())),
        };
        let (url, headers) = (url.map_err(|_| Unreached)?, self.headers().map_err(|_| Unreached)?);
        let request = match body {
            None => self.client.get(url),
            Some(body) => self.client.post(url).body(body),
        };
        let request = request.headers(headers).timeout(QUESTION_TIMEOUT);
        let response = self.client.send(request).await.map_err(|_| Unreached)?;
        if !response.status().is_success() {
            return Ok(None);
        }
        let bytes = response.bytes().await.map_err(|_| Unreached)?;
        Ok(serde_json::from_slice(&bytes).ok())
    }

    /// The server as a person may see it.
    pub(super) fn shown(&self) -> String {
        shown(&self.base)
    }

    fn at(&self, path: &str) -> Result<reqwest::Url, Failure> {
        let mut url = self.base.join(path).map_err(|_| no_address())?;
        url.set_query(self.base.query());
        Ok(url)
    }

    /// Beside `/v1`, where servers keep what is their own.
    fn at_root(&self, path: &str) -> reqwest::Url {
        let root = self.base.path().trim_end_matches('/').trim_end_matches("/v1").to_owned();
        let mut url = self.base.clone();
        url.set_path(&format!("{root}/{path}"));
        url
    }

    fn headers(&self) -> Result<HeaderMap, Failure> {
        let mut headers = HeaderMap::new();
        if let Some(key) = &self.key {
            let mut value =
                HeaderValue::from_str(&format!("Bearer {}", key.expose().trim())).map_err(|_| {
                    let message = "The API key holds a character that no key has: copy it again.";
                    failure::hopeless(ModelErrorKind::Authentication, message.to_owned())
                })?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
        Ok(headers)
    }
}

/// Nobody answered at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unreached;

/// Something to be asked about the server.
#[derive(Clone, Debug)]
pub(super) enum Question {
    /// Beside chat completions.
    Chat(&'static str),
    Root(&'static str),
    RootWith(&'static str, Value),
}

fn no_address() -> Failure {
    failure::hopeless(ModelErrorKind::Unreachable, "The base URL of the model is no web address.".to_owned())
}

fn is_json(response: &reqwest::Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/json"))
}

async fn message(
    mut response: reqwest::Response,
    patience: Patience,
    emit: &Emit,
    asked: Asked<'_>,
) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    loop {
        let chunk = silence::wait(response.chunk(), patience, emit)
            .await
            .map_err(|Silent| failure::stalled(patience.limit.unwrap_or_default(), true))?
            .map_err(|error| failure::cut(&error.without_url().to_string(), true))?;
        let Some(chunk) = chunk else { break };
        bytes.extend_from_slice(&chunk);
        if bytes.len() > LONGEST_MESSAGE {
            return Err(failure::malformed("it does not end", asked));
        }
    }
    if bytes.is_empty() {
        return Err(failure::foreign(None, asked));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(written: &str, wanted: Option<(&str, &str)>) {
        let reached = Reached::new(Client::new().unwrap(), written, None).ok();
        let urls = reached.map(|reached| {
            let chat = reached.at("chat/completions").expect("a URL");
            (chat.to_string(), reached.at_root("api/show").to_string())
        });
        let urls = urls.as_ref().map(|(chat, root)| (chat.as_str(), root.as_str()));
        assert_eq!(urls, wanted, "{written}");
    }

    #[test]
    fn a_base_url_as_people_write_it() {
        let host = Some(("http://h:1/v1/chat/completions", "http://h:1/api/show"));
        check("http://h:1", host);
        check("http://h:1/", host);
        check("http://h:1/v1", host);
        check(" http://h:1/v1/ ", host);
        check("http://h:1/v1/chat/completions", host);
        check("https://h/api/v1", Some(("https://h/api/v1/chat/completions", "https://h/api/api/show")));
        check("https://h/openai", Some(("https://h/openai/chat/completions", "https://h/openai/api/show")));
        check(
            "https://h/openai/v1/?api-version=2",
            Some((
                "https://h/openai/v1/chat/completions?api-version=2",
                "https://h/openai/api/show?api-version=2",
            )),
        );
        check("http://h?a=b", Some(("http://h/v1/chat/completions?a=b", "http://h/api/show?a=b")));
        check("h:1", None);
        check("ftp://h", None);
    }
}
