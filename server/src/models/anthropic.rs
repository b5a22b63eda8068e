//! Anthropic's Messages API as a provider.
//!
//! Invariant: the key leaves this module in one request header and nowhere else; every text that comes back is cleared
//! of it.

mod answer;
mod betas;
mod cache_watch;
mod catalogue;
mod counting;
mod credential;
mod exchange;
mod failure;
mod mending;
mod refused_thinking;
mod request;
mod thinking;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::{BoxFuture, FutureExt as _};
use futures::stream::BoxStream;

use self::betas::StickyBetas;
use self::cache_watch::{CacheWatch, Prefix};
use self::catalogue::{Known, ThinkingAbility};
use self::counting::counted;
use self::credential::Wallet;
pub use self::credential::{Credential, Renewal};
use self::exchange::Exchange;
use self::mending::Mended;
use self::refused_thinking::RefusedThinking;
use self::request::{Form, Written};
use self::thinking::ThinkingForm;
use super::call_input::LongestInput;
use super::failure::{cleared, hopeless_error};
use super::generate::{Emit, generate};
use super::http::LazyClient;
use super::retry::{Failure, RetryPolicy, random_fraction, with_retries};
use super::{
    ContextEdit, ContextEditing, ModelError, ModelRequest, Patience, Provider, ProviderEvent, ProviderInfo,
    SearchesWeb, Thinking, Window,
};
use crate::config::Effort;
use crate::conversation::{ContentBlock, without_thinking};

/// Where the API is unless told otherwise.
pub const ANTHROPIC_URL: &str = "https://api.anthropic.com";

/// How the API is reached, and which model is asked.
#[derive(Clone, Debug)]
pub struct AnthropicConfig {
    /// Without `/v1/messages`.
    pub base_url: String,
    /// Without one, each request fails with words that say so.
    pub credential: Option<Credential>,
    /// Where another one is looked for if that is refused.
    pub renewal: Option<Renewal>,
    /// Such as `claude-sonnet-5`.
    pub model: String,
    /// Tokens of a request and its answer; `None`: as the model is known for.
    pub context_window: Option<u64>,
    /// `None`: models that think as much as they like do, others don't.
    pub thinking: Option<Thinking>,
    /// `None`: the model's own default.
    pub effort: Option<Effort>,
    /// Of a stream that has begun. Until then, ten minutes are waited.
    pub patience: Patience,
    pub retry: RetryPolicy,
}

impl AnthropicConfig {
    /// The public API with the usual limits.
    pub fn new(credential: Option<Credential>, model: impl Into<String>) -> Self {
        Self {
            base_url: ANTHROPIC_URL.to_owned(),
            credential,
            renewal: None,
            model: model.into(),
            context_window: None,
            thinking: None,
            effort: None,
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
    known: Option<Known>,
    client: LazyClient,
    wallet: Wallet,
    betas: StickyBetas,
    written: Written,
    cache_watch: CacheWatch,
    refused_thinking: RefusedThinking,
    /// The model has refused every way in which it was asked to think.
    asks_plainly: AtomicBool,
}

impl Anthropic {
    pub fn new(config: AnthropicConfig) -> Self {
        Self {
            inner: Arc::new(Inner {
                known: catalogue::known(&config.model),
                client: LazyClient::default(),
                wallet: Wallet::new(config.credential.clone(), config.renewal.clone()),
                betas: StickyBetas::default(),
                written: Written::default(),
                cache_watch: CacheWatch::default(),
                refused_thinking: RefusedThinking::default(),
                asks_plainly: AtomicBool::new(false),
                config,
            }),
        }
    }
}

impl Provider for Anthropic {
    fn info(&self) -> ProviderInfo {
        let Inner { config, known, .. } = &*self.inner;
        let usual = known.map_or(Window::USUAL, |known| known.window);
        ProviderInfo {
            label: config.model.clone(),
            model: config.model.clone(),
            offline: false,
            window: Window { context: config.context_window.unwrap_or(usual.context), ..usual },
            // Gateways in between seldom know the feature.
            tool_references: config.base_url == ANTHROPIC_URL,
            context_edits: if config.base_url == ANTHROPIC_URL {
                ContextEditing::Server
            } else {
                ContextEditing::Client
            },
        }
    }

    fn searches_web(&self) -> SearchesWeb {
        if self.inner.config.base_url == ANTHROPIC_URL { SearchesWeb::Yes } else { SearchesWeb::Perhaps }
    }

    fn count(&self, request: ModelRequest) -> BoxFuture<'static, Option<u64>> {
        let inner = self.inner.clone();
        async move { inner.count(&inner.without_refused_thinking(request)).await }.boxed()
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ProviderEvent, ModelError>> {
        let inner = self.inner.clone();
        generate(move |emit| async move {
            let request = inner.without_refused_thinking(request);
            let mended = Mutex::new(Mended {
                without_asked_thinking: inner.asks_plainly.load(Ordering::Relaxed),
                ..Mended::default()
            });
            let policy = inner.config.retry.for_request(&request);
            let most = inner.known.map_or(u32::MAX, |known| known.window.max_output);
            with_retries(policy, request.max_tokens.min(most), random_fraction, &emit, async |max_tokens| {
                inner.attempt(&request, max_tokens, &mended, &emit).await
            })
            .await
        })
    }
}

impl Inner {
    /// Asks once, and again at once for what can be mended. `mended`: what this request goes without so far.
    async fn attempt(
        &self,
        request: &ModelRequest,
        max_tokens: u32,
        mended: &Mutex<Mended>,
        emit: &Emit,
    ) -> Result<(), Failure> {
        let client = self.client.get().map_err(hopeless_error)?;
        let longest_input = LongestInput(request.longest_input);
        let exchange = Exchange { client, config: &self.config, emit, longest_input };
        let read = || *mended.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let (now, credential) = (read(), self.wallet.current());
            let thinking = self.thinking(request, max_tokens, now);
            let betas = self.betas.header(&self.needed_betas(request, thinking));
            let body = self.body(request, max_tokens, now);
            let settings = (betas.clone(), thinking, self.effort(now));
            // While the service thinks, rather than before it is asked: the connection's task writes the request first.
            let prefix = async {
                tokio::task::yield_now().await;
                Prefix::of(request, &settings)
            };
            let failure = match futures::join!(exchange.run(body, credential.as_ref(), betas), prefix) {
                (Ok(usage), prefix) => {
                    if now.without_shown_thinking {
                        self.refused_thinking.note(&request.messages);
                    }
                    self.cache_watch.note(request, prefix, usage);
                    return Ok(());
                }
                (Err(failure), _) => failure,
            };
            let next = now.after(&failure, &self.wallet, credential.as_ref()).await;
            // What makes no difference is not worth a request.
            let next = next.filter(|next| {
                self.wallet.current() != credential
                    || self.body(request, max_tokens, *next) != self.body(request, max_tokens, now)
            });
            let Some(next) = next else {
                return Err(cleared(failure, credential.as_ref().map(Credential::secret)));
            };
            *mended.lock().unwrap_or_else(PoisonError::into_inner) = next;
            // Thinking that is shown belongs to one conversation; what a model can't do, it can't do in any.
            let never = next.without_asked_thinking && !failure::is_about_shown_thinking(&failure);
            self.asks_plainly.fetch_or(never, Ordering::Relaxed);
        }
    }

    fn without_refused_thinking(&self, request: ModelRequest) -> ModelRequest {
        match self.refused_thinking.left_out_of(&request.messages) {
            Some(messages) => ModelRequest { messages, ..request },
            None => request,
        }
    }

    async fn count(&self, request: &ModelRequest) -> Option<u64> {
        let client = self.client.get().ok()?;
        let form = self.form(request, request.max_tokens, Mended::default());
        let body = request::body_to_count(request, &form);
        counted(client, &self.config, self.wallet.current().as_ref(), body).await
    }

    fn form(&self, request: &ModelRequest, max_tokens: u32, mended: Mended) -> Form<'_> {
        Form {
            model: &self.config.model,
            max_tokens,
            thinking: self.thinking(request, max_tokens, mended),
            effort: self.effort(mended).map(Effort::name),
        }
    }

    fn body(&self, request: &ModelRequest, max_tokens: u32, mended: Mended) -> Vec<u8> {
        let form = self.form(request, max_tokens, mended);
        if mended.without_shown_thinking {
            let messages = without_thinking(&request.messages);
            return request::body(&ModelRequest { messages, ..request.clone() }, &form, &self.written);
        }
        request::body(request, &form, &self.written)
    }

    fn thinking(&self, request: &ModelRequest, max_tokens: u32, mended: Mended) -> Option<ThinkingForm> {
        let ability = self.known.map(|known| known.thinking);
        let form = thinking::form(request.thinking, self.config.thinking, ability, max_tokens);
        form.filter(|_| !mended.without_asked_thinking)
    }

    fn effort(&self, mended: Mended) -> Option<Effort> {
        let takes_it = self.known.is_none_or(|known| known.effort) && !mended.without_asked_thinking;
        self.config.effort.filter(|_| takes_it)
    }

    fn needed_betas(&self, request: &ModelRequest, thinking: Option<ThinkingForm>) -> Vec<&'static str> {
        let by_budget = self.known.is_some_and(|known| known.thinking == ThinkingAbility::Budget)
            && matches!(thinking, Some(ThinkingForm::Enabled { .. }));
        let blocks = request.messages.iter().flat_map(|message| &message.content);
        let asks_for_summary =
            request.context_edits.iter().any(|edit| matches!(edit, ContextEdit::Compact { .. }));
        let has_summary = |block: &ContentBlock| matches!(block, ContentBlock::Compaction { .. });
        [
            (!request.context_edits.is_empty(), betas::CONTEXT_MANAGEMENT),
            (by_budget && !request.tools.is_empty(), betas::INTERLEAVED_THINKING),
            (self.known.is_some_and(|known| known.window_end_is_beta), betas::WINDOW_EXCEEDED),
            (asks_for_summary || blocks.into_iter().any(has_summary), betas::COMPACTION),
        ]
        .into_iter()
        .filter_map(|(needed, name)| needed.then_some(name))
        .collect()
    }
}
