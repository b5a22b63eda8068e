//! What chat-completions servers say went wrong, each in a form of its own.

use serde_json::Value;

use crate::models::ModelErrorKind;
use crate::models::failure::{self, Api, Asked, Refusal};
use crate::models::retry::{Failure, FailureClass};

pub(super) const API: Api = Api { name: "chat completions API", key: "OPENAI_API_KEY" };

/// What a server says in place of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Complaint {
    /// The server's own name for it, from `code` or `type`.
    names: Vec<String>,
    message: String,
    status: Option<u16>,
    too_long: Option<TooLong>,
}

/// By how much a request is longer than the window, where the server says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TooLong {
    asked: u64,
    window: u64,
}

/// What the stream itself says went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Reported(Complaint),
    /// No JSON, or a chunk without what it must have.
    Malformed(String),
}

impl Fault {
    /// An error in place of a chunk.
    pub(super) fn in_chunk(chunk: &Value) -> Option<Self> {
        let is_error = chunk.get("error").is_some_and(|error| !error.is_null())
            || chunk.get("object").and_then(Value::as_str) == Some("error");
        is_error.then(|| Self::Reported(Complaint::of(chunk)))
    }

    /// Reasons to end that are failures of the server.
    pub(super) fn in_finish_reason(reason: &str) -> Option<Self> {
        matches!(reason, "error" | "insufficient_system_resource").then(|| {
            let message = format!("it ended the answer with `{reason}`");
            Self::Reported(Complaint { message, status: Some(500), ..Complaint::default() })
        })
    }
}

/// Maps a response that is no answer.
pub(super) fn refused(refusal: &Refusal, asked: Asked<'_>) -> Failure {
    let body: Value = serde_json::from_str(&refusal.body).unwrap_or_default();
    let mut complaint = Complaint::of(&body);
    if complaint.message.is_empty() {
        complaint.message.clone_from(&refusal.body);
    }
    complaint.status = Some(refusal.status);
    let kind = complaint.kind();
    let class = match (kind, complaint.room()) {
        (_, Some((room, window))) => FailureClass::NoRoom { room, window: Some(window) },
        (ModelErrorKind::Billing | ModelErrorKind::PromptTooLong | ModelErrorKind::UnknownModel, None) => {
            FailureClass::Final
        }
        _ if complaint.is_about_tools() => FailureClass::Final,
        _ => failure::class(refusal, &complaint.message),
    };
    let mut error = failure::refused(kind, &complaint.message, refusal, asked);
    error.over_by = complaint.over_by();
    if complaint.is_about_tools() {
        error.message = without_tools(&complaint.message, asked);
    }
    Failure { error, class }
}

/// Maps a fault of the stream. `early`: no block of the answer was finished.
pub(super) fn faulty(fault: Fault, asked: Asked<'_>, early: bool) -> Failure {
    match fault {
        Fault::Reported(complaint) => {
            let mut failure = failure::reported(complaint.kind(), &complaint.message, asked, early);
            failure.error.over_by = complaint.over_by();
            failure
        }
        Fault::Malformed(why) => failure::malformed(&why, asked),
    }
}

fn without_tools(said: &str, asked: Asked<'_>) -> String {
    format!(
        "The model `{}` can't call tools at {}: {}. Choose a model that can, turn tool calls on at the server \
         (llama.cpp: --jinja; vLLM: --enable-auto-tool-choice), or set `model.tool_calls = \"prompt\"`.",
        asked.model,
        asked.url,
        said.trim_end_matches('.')
    )
}

impl Complaint {
    /// `{"error": {…}}`, `{"error": "…"}`, `{"message": …}`, `{"detail": …}` and vLLM's `{"object": "error", …}`.
    fn of(body: &Value) -> Self {
        let error = body.get("error").filter(|error| !error.is_null()).unwrap_or(body);
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        let message = match error {
            Value::String(message) => message.clone(),
            _ => ["message", "detail", "msg"]
                .into_iter()
                .find_map(|name| error.get(name))
                .map(text)
                .unwrap_or_default(),
        };
        let raw = error.pointer("/metadata/raw").map(text).filter(|raw| !raw.is_empty());
        let message = raw.map_or_else(|| message.clone(), |raw| format!("{message}: {raw}"));
        let names = ["code", "type"].into_iter().filter_map(|name| error.get(name)).map(text).collect();
        let status = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
        let figure = |name: &str| error.get(name).and_then(Value::as_u64);
        let too_long = figure("n_prompt_tokens")
            .zip(figure("n_ctx"))
            .map(|(asked, window)| TooLong { asked, window })
            .or_else(|| TooLong::in_words(&message));
        Self { names, message, status, too_long }
    }

    fn kind(&self) -> ModelErrorKind {
        let said = self.message.to_lowercase();
        let named = |name: &str| self.names.iter().any(|other| other == name);
        if self.is_too_long() {
            return ModelErrorKind::PromptTooLong;
        }
        if named("insufficient_quota") || named("billing_hard_limit_reached") {
            return ModelErrorKind::Billing;
        }
        let is_unknown =
            ["not found", "does not exist", "no such model"].iter().any(|words| said.contains(words));
        if named("model_not_found") || (said.contains("model") && is_unknown) {
            return ModelErrorKind::UnknownModel;
        }
        match self.status {
            Some(401) => ModelErrorKind::Authentication,
            Some(402) => ModelErrorKind::Billing,
            Some(403) => ModelErrorKind::Permission,
            Some(404) => ModelErrorKind::UnknownModel,
            Some(413) => ModelErrorKind::RequestTooLarge,
            Some(429) => ModelErrorKind::RateLimit,
            // llama.cpp says so while it loads a model.
            Some(503 | 529) => ModelErrorKind::Overloaded,
            Some(408 | 500..) => ModelErrorKind::Server,
            Some(_) => ModelErrorKind::InvalidRequest,
            None if named("rate_limit_exceeded") => ModelErrorKind::RateLimit,
            None if named("invalid_request_error") || named("BadRequestError") => {
                ModelErrorKind::InvalidRequest
            }
            None if said.contains("overloaded") => ModelErrorKind::Overloaded,
            None => ModelErrorKind::Server,
        }
    }

    fn is_too_long(&self) -> bool {
        const WORDS: [&str; 6] = [
            "maximum context length",
            "context length exceeded",
            "exceeds the available context size",
            "greater than the context length",
            "context window",
            "prompt is too long",
        ];
        let said = self.message.to_lowercase();
        let named = |name: &str| self.names.iter().any(|other| other == name);
        named("context_length_exceeded")
            || named("exceed_context_size_error")
            || WORDS.iter().any(|words| said.contains(words))
    }

    fn over_by(&self) -> Option<u64> {
        let TooLong { asked, window } = self.too_long.filter(|_| self.is_too_long())?;
        asked.checked_sub(window).filter(|&over| over > 0)
    }

    /// Tokens that are left for an answer, and those of the whole window, where the conversation alone would fit. vLLM says
    /// what each of them takes.
    fn room(&self) -> Option<(u64, u64)> {
        let window = self.too_long.filter(|_| self.is_too_long())?.window;
        let (before, _) = self.message.split_once(" in the messages")?;
        let digits: String = before.chars().rev().take_while(char::is_ascii_digit).collect();
        let messages: u64 = digits.chars().rev().collect::<String>().parse().ok()?;
        window.checked_sub(messages).filter(|&room| room > 0).map(|room| (room, window))
    }

    /// The model or its server takes no tools.
    fn is_about_tools(&self) -> bool {
        const WORDS: [&str; 4] = [
            "does not support tools",
            "tool choice requires --enable-auto-tool-choice",
            "requires --jinja",
            "no endpoints found that support tool use",
        ];
        let said = self.message.to_lowercase().replace('"', "");
        WORDS.iter().any(|words| said.contains(words))
    }
}

impl TooLong {
    /// The two figures of a sentence such as "maximum context length is 4096 tokens. However, you requested 5000 tokens".
    fn in_words(said: &str) -> Option<Self> {
        let figures: Vec<u64> = said
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|digits| digits.parse().ok())
            .filter(|&figure| figure >= 256)
            .collect();
        let (&first, &second) = (figures.first()?, figures.get(1)?);
        // Whichever comes first, too long is the larger one.
        Some(Self { asked: first.max(second), window: first.min(second) })
    }
}

#[cfg(test)]
mod tests;
