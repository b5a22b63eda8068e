//! A model on this machine: whichever server answers on its usual port, and the offline model while none does.

use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt, join_all};
use futures::stream::{self, BoxStream, StreamExt};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::sync::OnceCell;

use super::http::LazyClient;
use super::openai::{can_chat, model_ids, server_on};
use super::{
    ModelError, ModelRequest, OfflineModel, OpenAi, OpenAiConfig, Provider, ProviderEvent, ProviderInfo,
};
use crate::config::ChatServer;

/// Ollama, llama.cpp, vLLM and LM Studio, each where it listens unless told otherwise.
pub(super) const USUAL_PORTS: [u16; 4] = [11_434, 8_080, 8_000, 1_234];

/// Nobody on one's own machine takes longer to take a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(300);
/// Until the models are named.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// The first server that answers. Nothing is asked before `look` or the first request.
#[derive(Clone)]
pub struct LocalModel {
    search: Arc<Search>,
    offline: OfflineModel,
}

struct Search {
    ports: Vec<u16>,
    /// What is asked of whichever server is found; its address and kind are not known yet.
    template: OpenAiConfig,
    client: LazyClient,
    found: OnceCell<OpenAi>,
}

impl LocalModel {
    /// `template` has the model's name, if one is wanted, and all settings but the address.
    pub fn new(ports: impl Into<Vec<u16>>, template: OpenAiConfig) -> Self {
        let search =
            Search { ports: ports.into(), template, client: LazyClient::default(), found: OnceCell::new() };
        Self { search: Arc::new(search), offline: OfflineModel::new(OfflineModel::NATURAL_PACE) }
    }

    /// Looks for a server now. What is found stays; where nothing is, the next request looks again.
    pub async fn look(&self) -> Option<OpenAi> {
        self.search.found().await
    }
}

impl Provider for LocalModel {
    fn info(&self) -> ProviderInfo {
        self.search.found.get().map_or_else(|| self.offline.info(), Provider::info)
    }

    fn settled(&self) -> BoxFuture<'static, ()> {
        let search = self.search.clone();
        async move {
            search.found().await;
        }
        .boxed()
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ProviderEvent, ModelError>> {
        let Self { search, offline } = self.clone();
        stream::once(async move {
            match search.found().await {
                Some(model) => model.stream(request),
                None => offline.stream(request),
            }
        })
        .flatten()
        .boxed()
    }
}

impl Search {
    async fn found(&self) -> Option<OpenAi> {
        let found = self.found.get_or_try_init(|| async {
            let answers = join_all(self.ports.iter().map(|&port| self.at(port))).await;
            answers.into_iter().flatten().next().ok_or(())
        });
        found.await.ok().cloned()
    }

    async fn at(&self, port: u16) -> Option<OpenAi> {
        // Without a listener this costs next to nothing, which an HTTP client does not.
        tokio::time::timeout(CONNECT_TIMEOUT, TcpStream::connect(("127.0.0.1", port))).await.ok()?.ok()?;
        let base_url = format!("http://127.0.0.1:{port}/v1");
        let client = self.client.get().ok()?;
        let request = client.get(format!("{base_url}/models")).timeout(ANSWER_TIMEOUT);
        let response = client.send(request).await.ok().filter(|response| response.status().is_success())?;
        let models: Value = serde_json::from_slice(&response.bytes().await.ok()?).ok()?;
        let first = model_ids(&models).into_iter().find(|model| can_chat(model))?;
        let template = self.template.clone();
        Some(OpenAi::new(OpenAiConfig {
            base_url,
            key: None,
            model: template.model.or(Some(first)),
            server: template.server.or_else(|| Some(server_of(&models, port))),
            ..template
        }))
    }
}

/// The servers name themselves as owners of their models.
fn server_of(models: &Value, port: u16) -> ChatServer {
    match models.pointer("/data/0/owned_by").and_then(Value::as_str) {
        Some("vllm") => ChatServer::Vllm,
        Some("llamacpp") => ChatServer::LlamaCpp,
        Some("library") => ChatServer::Ollama,
        Some("organization_owner") => ChatServer::LmStudio,
        Some(_) | None => server_on(port),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[test]
    fn a_server_is_known_by_what_it_says_before_its_port() {
        let check = |owner: &str, port, wanted| {
            assert_eq!(server_of(&json!({ "data": [{ "id": "m", "owned_by": owner }] }), port), wanted);
        };
        check("vllm", 8_080, ChatServer::Vllm);
        check("llamacpp", 8_000, ChatServer::LlamaCpp);
        check("library", 8_080, ChatServer::Ollama);
        check("me", 8_080, ChatServer::LlamaCpp);
        check("me", 9_999, ChatServer::Generic);
    }

    #[tokio::test]
    async fn where_nobody_listens_the_offline_model_answers() {
        let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|taken| taken.local_addr());
        let model = LocalModel::new([free.expect("a port").port()], OpenAiConfig::new(""));
        assert!(model.look().await.is_none());
        assert!(model.info().offline);
    }

    #[tokio::test]
    async fn who_is_found_is_named_before_the_first_request() {
        let server = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = server.local_addr().expect("an address").port();
        let serving = tokio::spawn(async move {
            loop {
                let Ok((mut connection, _)) = server.accept().await else { return };
                tokio::spawn(async move {
                    let body = r#"{"data":[{"id":"qwen3"}]}"#;
                    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
                    let mut asked = [0; 1024];
                    if connection.read(&mut asked).await.is_ok_and(|read| read > 0) {
                        connection.write_all(head.as_bytes()).await.expect("a reader");
                    }
                });
            }
        });
        let model = LocalModel::new([port], OpenAiConfig::new(""));
        assert!(model.info().offline, "nobody has looked yet");
        model.settled().await;
        assert_eq!((model.info().label.as_str(), model.info().offline), ("qwen3", false));
        serving.abort();
    }
}
