//! OpenAI's chat completions, as OpenAI and a dozen other servers speak them.
//!
//! Invariant: the key leaves this module in one request header, to the one address it was set for, and nowhere else;
//! every text that comes back is cleared of it.

mod answer;
mod arguments;
mod call_id;
mod calls;
mod exchange;
mod failure;
mod messages;
mod ollama;
mod quirks;
mod reasoning;
mod request;
mod schema;
mod speech;
mod text_calls;
mod window;

use std::sync::Arc;
use std::time::Duration;

use futures::stream::BoxStream;
use serde_json::{Map, Value};
use tokio::sync::OnceCell;

use self::answer::Answer;
use self::exchange::{Question, Reached, Unreached};
use self::failure::API;
pub(in crate::models) use self::quirks::server_on;
use self::quirks::{Quirks, Wire, quirks, server_at};
use self::request::Asking;
pub(in crate::models) use self::window::model_ids;
use super::call_input::LongestInput;
use super::failure::{Asked, cleared, hopeless};
use super::generate::{Emit, generate};
use super::http::LazyClient;
use super::retry::{Failure, RetryPolicy, random_fraction, with_retries};
use super::{
    ContextEditing, ModelError, ModelErrorKind, ModelRequest, Patience, Provider, ProviderEvent,
    ProviderInfo, Window,
};
use crate::config::{ApiKey, ChatServer, ToolCallFormat};

/// Where OpenAI's own API is.
pub const OPENAI_URL: &str = "https://api.openai.com/v1";

/// The model that OpenAI is asked for where none is named. Other servers are asked for the first one they have.
pub const OPENAI_MODEL: &str = "gpt-5";

/// Characters of a request that make a token, at least: code and JSON are dense. Where a server cuts a prompt that is too
/// long without a word, we have to notice, so the estimate is rather too high.
const CHARACTERS_PER_TOKEN: u64 = 3;

/// Of a small window, tokens of an answer that are worth asking for.
const LEAST_OUTPUT: u32 = 256;

/// How a server is reached, and which model is asked.
#[derive(Clone, Debug)]
pub struct OpenAiConfig {
    /// Without `/chat/completions`; `/v1` may be left out.
    pub base_url: String,
    /// Sent as a bearer token. Servers on one's own machine need none.
    pub key: Option<ApiKey>,
    /// `None`: the server's first, or OpenAI's usual one.
    pub model: Option<String>,
    /// `None`: told by the address.
    pub server: Option<ChatServer>,
    pub tool_calls: ToolCallFormat,
    /// Tokens of a request and its answer; `None`: what the server says.
    pub window: Option<u64>,
    /// Silence after which a stream counts as dead; zero: never; `None`: as long as such a server may take.
    pub idle_timeout: Option<Duration>,
    pub retry: RetryPolicy,
}

impl OpenAiConfig {
    pub fn new(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            key: None,
            model: None,
            server: None,
            tool_calls: ToolCallFormat::Native,
            window: None,
            idle_timeout: None,
            retry: RetryPolicy { least_output: LEAST_OUTPUT, ..RetryPolicy::default() },
        }
    }
}

/// A chat-completions server. Cheap to clone.
#[derive(Clone, Debug)]
pub struct OpenAi {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    config: OpenAiConfig,
    server: ChatServer,
    client: LazyClient,
    /// Asked for with the first request.
    known: OnceCell<Known>,
}

/// What the server said of the model.
#[derive(Clone, Debug)]
struct Known {
    model: String,
    window: Option<u64>,
}

impl OpenAi {
    pub fn new(config: OpenAiConfig) -> Self {
        let server = config.server.unwrap_or_else(|| server_at(&config.base_url));
        Self {
            inner: Arc::new(Inner { config, server, client: LazyClient::default(), known: OnceCell::new() }),
        }
    }
}

impl Provider for OpenAi {
    fn info(&self) -> ProviderInfo {
        let Inner { config, known, .. } = &*self.inner;
        let known = known.get();
        let model = known.map(|known| known.model.clone()).or_else(|| self.inner.named());
        let window = known.and_then(|known| known.window).or(config.window);
        ProviderInfo {
            label: model.clone().unwrap_or_else(|| self.inner.quirks("").name.to_owned()),
            model: model.unwrap_or_default(),
            offline: false,
            window: window.map_or(Window::USUAL, |context| Window { context, ..Window::USUAL }),
            context_edits: ContextEditing::Client,
            tool_references: false,
        }
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ProviderEvent, ModelError>> {
        let inner = self.inner.clone();
        generate(move |emit| async move {
            let config = &inner.config;
            let clear = |failure| cleared(failure, config.key.as_ref());
            let reached = inner.reached().map_err(|failure| clear(failure).error)?;
            let known = inner.known(&reached).await.map_err(|failure| clear(failure).error)?;
            let policy = config.retry.for_request(&request);
            with_retries(policy, request.max_tokens, random_fraction, &emit, async |max_tokens| {
                inner.exchange(&reached, &known, &request, max_tokens, &emit).await.map_err(clear)
            })
            .await
        })
    }
}

impl Inner {
    fn quirks(&self, model: &str) -> Quirks {
        quirks(self.server, model)
    }

    /// The model that needs no asking.
    fn named(&self) -> Option<String> {
        let usual = || (self.server == ChatServer::OpenAi).then(|| OPENAI_MODEL.to_owned());
        self.config.model.clone().or_else(usual)
    }

    fn reached(&self) -> Result<Reached, Failure> {
        if self.server == ChatServer::OpenAi && self.config.key.is_none() {
            let message = "There is no key for the model: set OPENAI_API_KEY, or choose another model.";
            return Err(hopeless(ModelErrorKind::Authentication, message.to_owned()));
        }
        let client = self.client.get().map_err(|error| hopeless(error.kind, error.message))?;
        Reached::new(client.clone(), &self.config.base_url, self.config.key.clone())
    }

    /// Asked once, and again only if nobody answered.
    async fn known(&self, reached: &Reached) -> Result<Known, Failure> {
        if let Some(known) = self.known.get() {
            return Ok(known.clone());
        }
        let model = match self.named() {
            Some(model) => model,
            None => first_model(reached).await?,
        };
        let window = match self.config.window {
            Some(window) => Ok(Some(window)),
            None => window::discover(reached, self.quirks(&model).window, &model).await,
        };
        let known = Known { model, window: window.unwrap_or_default() };
        if window.is_ok() {
            // Two first requests at once find the same.
            let _ = self.known.set(known.clone());
        }
        Ok(known)
    }

    async fn exchange(
        &self,
        reached: &Reached,
        known: &Known,
        request: &ModelRequest,
        max_tokens: u32,
        emit: &Emit,
    ) -> Result<(), Failure> {
        let quirks = self.quirks(&known.model);
        let limit = self.config.idle_timeout.unwrap_or(quirks.patience);
        let patience =
            Patience { limit: Some(limit).filter(|limit| !limit.is_zero()), ..Patience::default() };
        let body = self.body(known, &quirks, request, max_tokens)?;
        let longest_input = LongestInput(request.longest_input);
        let answer = Answer::new(&known.model, self.config.tool_calls).taking_up_to(longest_input);
        let url = reached.shown();
        let asked = Asked { model: &known.model, url: &url, api: API };
        reached.ask(&body, quirks.wire, answer, asked, patience, emit).await
    }

    /// The body within the window: a shorter answer where the conversation leaves no room for the one that is wanted, and
    /// an error where it leaves none at all.
    fn body(
        &self,
        known: &Known,
        quirks: &Quirks,
        request: &ModelRequest,
        max_tokens: u32,
    ) -> Result<Map<String, Value>, Failure> {
        let format = self.config.tool_calls;
        let written = |max_tokens| {
            let asking = Asking { model: &known.model, quirks, format, max_tokens };
            request::body(request, asking)
        };
        let body = written(max_tokens);
        let Some(window) = known.window else { return Ok(body) };
        let prompt = exchange::written(&body).len() as u64 / CHARACTERS_PER_TOKEN;
        let room = window.saturating_sub(prompt);
        let least = u64::from(LEAST_OUTPUT.min(max_tokens));
        let body = match u32::try_from(room) {
            Ok(room) if room < max_tokens && u64::from(room) >= least => written(room),
            Ok(room) if u64::from(room) < least => match quirks.wire {
                // Nobody else would say so.
                Wire::Ollama => return Err(too_long(prompt, window, least)),
                Wire::ChatCompletions => written(max_tokens.min(LEAST_OUTPUT)),
            },
            Ok(_) | Err(_) => body,
        };
        Ok(match quirks.wire {
            Wire::ChatCompletions => body,
            Wire::Ollama => ollama::body(body, known.window),
        })
    }
}

async fn first_model(reached: &Reached) -> Result<String, Failure> {
    let answer = reached.question(&Question::Chat("models")).await.map_err(|Unreached| {
        let message =
            format!("Nothing answers at {}. Start the model's server, or choose another.", reached.shown());
        hopeless(ModelErrorKind::Unreachable, message)
    })?;
    let models = answer.as_ref().map(model_ids).unwrap_or_default();
    models.into_iter().find(|model| can_chat(model)).ok_or_else(|| {
        let message = format!(
            "{} names no model that could be asked. Start its server with one, or name one in `model.name`.",
            reached.shown()
        );
        hopeless(ModelErrorKind::UnknownModel, message)
    })
}

/// Servers list the models that make embeddings among the others.
pub(super) fn can_chat(model: &str) -> bool {
    let name = model.to_lowercase();
    !["embed", "rerank", "whisper", "tts"].iter().any(|other| name.contains(other))
}

fn too_long(prompt: u64, window: u64, least: u64) -> Failure {
    let message = format!(
        "The conversation is longer than the model takes: about {prompt} tokens, and its window has {window}. \
         Start a new session, ask about less, or set a larger `model.context_window`."
    );
    let mut failure = hopeless(ModelErrorKind::PromptTooLong, message);
    failure.error.over_by = Some((prompt + least).saturating_sub(window));
    failure
}
