//! What the Messages API says went wrong.

use serde_json::Value;

use crate::models::ModelErrorKind;
use crate::models::failure::{self, Api, Asked, Refusal};
use crate::models::overflow::{Overflow, overflow};
use crate::models::retry::{Failure, FailureClass};

pub(super) const API: Api = Api { name: "Messages API", key: "ANTHROPIC_API_KEY" };

/// What the stream itself says went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// An `error` event: the vendor's error type and message.
    Reported { error_type: String, message: String },
    /// No JSON, or an event without what it must have.
    Malformed(String),
}

/// Maps a status and body (Messages API, "Errors").
pub(super) fn refused(refusal: &Refusal, asked: Asked<'_>) -> Failure {
    let body: Value = serde_json::from_str(&refusal.body).unwrap_or_default();
    let error_type = body.pointer("/error/type").and_then(Value::as_str);
    let said = said(&body).map_or_else(|| failure::plain(&refusal.body), str::to_owned);
    let spent = body.pointer("/error/details/error_code").or_else(|| body.pointer("/details/error_code"));
    let spent = spent.and_then(Value::as_str) == Some("enforced_spend_limit_reached");
    let kind = if spent { ModelErrorKind::Billing } else { kind(refusal.status, error_type, &said) };
    let class = if spent { FailureClass::Final } else { failure::class(refusal, &said) };
    let named = body.get("request_id").and_then(Value::as_str).map(str::to_owned);
    let refusal = Refusal { request_id: refusal.request_id.clone().or(named), ..refusal.clone() };
    Failure { error: failure::refused(kind, &said, &refusal, asked), class }
}

/// The message of an error, in the API's own shape or in that of the gateways before it.
fn said(body: &Value) -> Option<&str> {
    ["/error/message", "/error", "/message", "/detail"]
        .into_iter()
        .find_map(|place| body.pointer(place).and_then(Value::as_str))
}

/// Maps a fault of the stream. `early`: no block of the answer was finished.
pub(super) fn faulty(fault: Fault, asked: Asked<'_>, early: bool) -> Failure {
    match fault {
        Fault::Reported { error_type, message } => {
            failure::reported(kind(0, Some(&error_type), &message), &message, asked, early)
        }
        Fault::Malformed(why) => failure::malformed(&why, asked),
    }
}

/// Whether the service refuses something about thinking: how the model is asked to think, or what it is shown of it.
pub(super) fn is_about_thinking(failure: &Failure) -> bool {
    let said = failure.error.message.to_lowercase();
    failure.error.kind == ModelErrorKind::InvalidRequest
        && ["thinking", "effort", "output_config"].iter().any(|field| said.contains(field))
}

/// Whether the service refuses thinking it is shown, its signature or its place: without thinking, it takes the rest.
pub(super) fn is_about_shown_thinking(failure: &Failure) -> bool {
    let said = failure.error.message.to_lowercase();
    is_about_thinking(failure) && (said.contains("signature") || said.contains("block"))
}

fn kind(status: u16, error_type: Option<&str>, said: &str) -> ModelErrorKind {
    match overflow(said) {
        Some(Overflow::Prompt { .. } | Overflow::Answer { .. }) => return ModelErrorKind::PromptTooLong,
        Some(Overflow::Output { .. }) | None => {}
    }
    let said = said.to_lowercase();
    if said.contains("credit balance") {
        return ModelErrorKind::Billing;
    }
    match (error_type.unwrap_or_default(), status) {
        ("invalid_request_error", _) if is_about_media(&said) => ModelErrorKind::MediaRefused,
        ("invalid_request_error", _) => ModelErrorKind::InvalidRequest,
        ("authentication_error", _) | (_, 401) => ModelErrorKind::Authentication,
        ("billing_error", _) | (_, 402) => ModelErrorKind::Billing,
        ("permission_error", _) | (_, 403) => ModelErrorKind::Permission,
        ("not_found_error", _) | (_, 404) => ModelErrorKind::UnknownModel,
        ("request_too_large", _) | (_, 413) => ModelErrorKind::RequestTooLarge,
        ("rate_limit_error", _) | (_, 429) => ModelErrorKind::RateLimit,
        ("overloaded_error", _) | (_, 529) => ModelErrorKind::Overloaded,
        ("api_error" | "timeout_error" | "conflict_error", _) | (_, 408 | 409 | 500..) => {
            ModelErrorKind::Server
        }
        _ => ModelErrorKind::InvalidRequest,
    }
}

/// `said` in lower case.
fn is_about_media(said: &str) -> bool {
    ["image", "document", "pdf"].iter().any(|medium| said.contains(medium))
        && ["exceed", "too large", "too many", "too big", "could not process", "not supported", "unsupported"]
            .iter()
            .any(|fault| said.contains(fault))
}

#[cfg(test)]
mod tests;
