//! The ways in which chat-completions servers differ, in one table.

use std::time::Duration;

use super::reasoning::SentBack;
use crate::config::ChatServer;
use crate::models::failure::is_this_machine;

/// What one server takes and does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quirks {
    /// For people.
    pub(super) name: &'static str,
    pub(super) wire: Wire,
    pub(super) limit: LimitField,
    /// The role of the first message.
    pub(super) system: &'static str,
    pub(super) usage: UsageOption,
    pub(super) beside_calls: BesideCalls,
    pub(super) after_results: AfterResults,
    pub(super) call_ids: CallIds,
    pub(super) forced: ForcedCall,
    pub(super) schemas: SchemaDialect,
    pub(super) reasoning: SentBack,
    pub(super) window: WindowSource,
    /// Silence after which a stream counts as dead. A model on one's own machine may read a long prompt for minutes.
    pub(super) patience: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wire {
    ChatCompletions,
    /// `/api/chat`: Ollama's other wire does not let a request say how long its window is.
    Ollama,
}

/// What the limit of an answer is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LimitField {
    MaxTokens,
    MaxCompletionTokens,
}

/// Whether `stream_options` asks for usage figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UsageOption {
    Asked,
    /// They come unasked, or the field is refused.
    Left,
}

/// What `content` is in a message that has calls and no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BesideCalls {
    Null,
    Empty,
}

/// Where a user's text behind results goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterResults {
    /// Into a message of its own.
    Own,
    /// Into the last result: a user's turn behind a tool's is refused.
    Folded,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallIds {
    Any,
    /// Nine letters and digits.
    Nine,
}

/// How a call is demanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ForcedCall {
    /// `required`
    Required,
    /// The tool by its name, where there is only one.
    Named,
}

/// What a tool's JSON Schema may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SchemaDialect {
    Full,
    /// No references, no unions with null, no annotations.
    Plain,
}

/// Who says how long the model's window is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WindowSource {
    /// Nobody.
    Unknown,
    /// `GET /v1/models`: `max_model_len` or `context_length`.
    Models,
    /// `GET /props`: `default_generation_settings.n_ctx`.
    Props,
    /// `POST /api/show`: `model_info.*.context_length`.
    Show,
    /// `GET /api/v0/models`: `loaded_context_length`.
    LmStudio,
}

const MINUTES: u64 = 60;
const REMOTE: Duration = Duration::from_secs(5 * MINUTES);
const LOCAL: Duration = Duration::from_secs(30 * MINUTES);

/// The ways of `server` with `model`, whose name may have ways of its own.
pub(super) fn quirks(server: ChatServer, model: &str) -> Quirks {
    use ChatServer::{
        DeepSeek, Generic, Kimi, LlamaCpp, LmStudio, Mistral, Ollama, OpenAi, OpenRouter, Vllm,
    };
    use LimitField::{MaxCompletionTokens, MaxTokens};
    use SchemaDialect::{Full, Plain};
    use UsageOption::{Asked, Left};
    use Wire::ChatCompletions as Chat;
    let (own, folded) = (AfterResults::Own, AfterResults::Folded);
    let (any, nine) = (CallIds::Any, CallIds::Nine);
    let (null, empty) = (BesideCalls::Null, BesideCalls::Empty);
    let (required, named) = (ForcedCall::Required, ForcedCall::Named);
    let (never, with_calls) = (SentBack::Never, SentBack::WithCalls);
    #[rustfmt::skip]
    let (name, wire, limit, system, usage, beside_calls, after_results, call_ids, forced, schemas, reasoning, window, patience) = match server {
        OpenAi     => ("OpenAI",     Chat,         MaxCompletionTokens, "developer", Asked, null,  own,    any,  required, Full,  never,      WindowSource::Unknown,  REMOTE),
        OpenRouter => ("OpenRouter", Chat,         MaxTokens,           "system",    Asked, null,  own,    any,  required, Full,  never,      WindowSource::Models,   REMOTE),
        Ollama     => ("Ollama",     Wire::Ollama, MaxTokens,           "system",    Left,  empty, own,    any,  required, Plain, never,      WindowSource::Show,     LOCAL),
        LlamaCpp   => ("llama.cpp",  Chat,         MaxTokens,           "system",    Asked, null,  own,    any,  required, Plain, never,      WindowSource::Props,    LOCAL),
        LmStudio   => ("LM Studio",  Chat,         MaxTokens,           "system",    Asked, empty, own,    any,  required, Plain, never,      WindowSource::LmStudio, LOCAL),
        Vllm       => ("vLLM",       Chat,         MaxTokens,           "system",    Asked, null,  own,    any,  named,    Plain, never,      WindowSource::Models,   LOCAL),
        DeepSeek   => ("DeepSeek",   Chat,         MaxTokens,           "system",    Asked, empty, own,    any,  required, Full,  with_calls, WindowSource::Unknown,  REMOTE),
        Mistral    => ("Mistral",    Chat,         MaxTokens,           "system",    Left,  empty, folded, nine, required, Full,  never,      WindowSource::Models,   REMOTE),
        Kimi       => ("Kimi",       Chat,         MaxTokens,           "system",    Asked, empty, own,    any,  named,    Plain, with_calls, WindowSource::Models,   REMOTE),
        Generic    => ("the server", Chat,         MaxTokens,           "system",    Asked, empty, own,    any,  named,    Plain, never,      WindowSource::Models,   LOCAL),
    };
    // The first of DeepSeek's reasoning models refuses what the later ones demand.
    let reasoning = if model.contains("deepseek-reasoner") { SentBack::Never } else { reasoning };
    Quirks {
        name,
        wire,
        limit,
        system,
        usage,
        beside_calls,
        after_results,
        call_ids,
        forced,
        schemas,
        reasoning,
        window,
        patience,
    }
}

/// Which server answers at `base_url`, as far as an address tells.
pub(super) fn server_at(base_url: &str) -> ChatServer {
    let Ok(url) = reqwest::Url::parse(base_url) else { return ChatServer::Generic };
    let host = url.host_str().unwrap_or_default();
    let is_of = |domain: &str| host == domain || host.ends_with(&format!(".{domain}"));
    match url.port() {
        _ if is_of("openai.com") => ChatServer::OpenAi,
        _ if is_of("openrouter.ai") => ChatServer::OpenRouter,
        _ if is_of("deepseek.com") => ChatServer::DeepSeek,
        _ if is_of("mistral.ai") => ChatServer::Mistral,
        _ if is_of("moonshot.ai") || is_of("moonshot.cn") || is_of("kimi.com") => ChatServer::Kimi,
        _ if is_of("ollama.com") => ChatServer::Ollama,
        Some(port) if is_this_machine(host) => server_on(port),
        // These two numbers mean nothing else.
        Some(11_434) => ChatServer::Ollama,
        Some(1_234) => ChatServer::LmStudio,
        Some(_) | None => ChatServer::Generic,
    }
}

/// Which server usually listens there on one's own machine.
pub(in crate::models) fn server_on(port: u16) -> ChatServer {
    match port {
        11_434 => ChatServer::Ollama,
        8_080 => ChatServer::LlamaCpp,
        8_000 => ChatServer::Vllm,
        1_234 => ChatServer::LmStudio,
        _ => ChatServer::Generic,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(base_url: &str, server: ChatServer) {
        assert_eq!(server_at(base_url), server, "{base_url}");
    }

    #[test]
    fn an_address_tells_the_server() {
        check("https://api.openai.com/v1", ChatServer::OpenAi);
        check("https://openrouter.ai/api/v1", ChatServer::OpenRouter);
        check("https://api.deepseek.com", ChatServer::DeepSeek);
        check("https://api.mistral.ai/v1", ChatServer::Mistral);
        check("https://api.moonshot.cn/v1", ChatServer::Kimi);
        check("http://localhost:11434", ChatServer::Ollama);
        check("http://studio.lan:11434/v1", ChatServer::Ollama);
        check("http://127.0.0.1:8080/v1", ChatServer::LlamaCpp);
        check("http://[::1]:8000/v1", ChatServer::Vllm);
        check("http://localhost:1234/v1", ChatServer::LmStudio);
        check("http://elsewhere.example:8080/v1", ChatServer::Generic);
        check("https://notopenai.com/v1", ChatServer::Generic);
        check("nonsense", ChatServer::Generic);
    }

    #[test]
    fn a_models_name_may_have_ways_of_its_own() {
        let back = |server, model| quirks(server, model).reasoning;
        assert_eq!(back(ChatServer::DeepSeek, "deepseek-v4"), SentBack::WithCalls);
        assert_eq!(back(ChatServer::DeepSeek, "deepseek-reasoner"), SentBack::Never);
        assert_eq!(back(ChatServer::Kimi, "kimi-k2-thinking"), SentBack::WithCalls);
        assert_eq!(back(ChatServer::OpenAi, "gpt-x"), SentBack::Never);
    }
}
