//! What the Messages API says went wrong.

use serde_json::Value;

use super::answer::Fault;
use crate::models::ModelErrorKind;
use crate::models::failure::{self, Api, Asked, Refusal};
use crate::models::retry::{Failure, FailureClass};

pub(super) const API: Api = Api { name: "Messages API", key: "ANTHROPIC_API_KEY" };

/// Maps a status and body (Messages API, "Errors").
pub(super) fn refused(refusal: &Refusal, asked: Asked<'_>) -> Failure {
    let body: Value = serde_json::from_str(&refusal.body).unwrap_or_default();
    let error_type = body.pointer("/error/type").and_then(Value::as_str);
    let said = body.pointer("/error/message").and_then(Value::as_str).unwrap_or(&refusal.body);
    let kind = kind(refusal.status, error_type, said);
    let spent = body.pointer("/error/details/error_code").or_else(|| body.pointer("/details/error_code"));
    let spent = spent.and_then(Value::as_str) == Some("enforced_spend_limit_reached");
    let kind = if spent { ModelErrorKind::Billing } else { kind };
    let class = if spent { FailureClass::Final } else { failure::class(refusal, said) };
    Failure { error: failure::refused(kind, said, refusal, asked), class }
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

/// Whether the service refuses the signature of thinking it is shown: without thinking, it takes the rest.
pub(super) fn is_about_thinking(failure: &Failure) -> bool {
    let said = failure.error.message.to_lowercase();
    failure.error.kind == ModelErrorKind::InvalidRequest
        && said.contains("signature")
        && said.contains("thinking")
}

fn kind(status: u16, error_type: Option<&str>, said: &str) -> ModelErrorKind {
    let said = said.to_lowercase();
    if said.contains("prompt is too long") {
        return ModelErrorKind::PromptTooLong;
    }
    if said.contains("credit balance") {
        return ModelErrorKind::Billing;
    }
    match (error_type.unwrap_or_default(), status) {
        ("invalid_request_error", _) => ModelErrorKind::InvalidRequest,
        ("authentication_error", _) | (_, 401) => ModelErrorKind::Authentication,
        ("billing_error", _) | (_, 402) => ModelErrorKind::Billing,
        ("permission_error", _) | (_, 403) => ModelErrorKind::Permission,
        ("not_found_error", _) | (_, 404) => ModelErrorKind::UnknownModel,
        ("request_too_large", _) | (_, 413) => ModelErrorKind::PromptTooLong,
        ("rate_limit_error", _) | (_, 429) => ModelErrorKind::RateLimit,
        ("overloaded_error", _) | (_, 529) => ModelErrorKind::Overloaded,
        ("api_error" | "timeout_error", _) | (_, 408 | 500..) => ModelErrorKind::Server,
        _ => ModelErrorKind::InvalidRequest,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::models::ModelError;

    const ASKED: Asked<'_> = Asked { model: "claude-x", url: "https://api.example", api: API };
    const AGAIN: FailureClass = FailureClass::Transient { retry_after: None };

    fn refusal(status: u16, error_type: &str, message: &str) -> Refusal {
        let body =
            serde_json::json!({ "type": "error", "error": { "type": error_type, "message": message } });
        Refusal { status, body: body.to_string(), ..Refusal::default() }
    }

    #[track_caller]
    fn check(refusal: &Refusal, kind: ModelErrorKind, class: FailureClass, message: &str) {
        let error = ModelError::new(kind, message);
        assert_eq!(refused(refusal, ASKED), Failure { error, class });
    }

    #[test]
    fn each_status_says_what_to_do() {
        check(
            &refusal(401, "authentication_error", "invalid x-api-key"),
            ModelErrorKind::Authentication,
            FailureClass::Final,
            "https://api.example refused the API key (401): invalid x-api-key. Check the key in the configuration or in ANTHROPIC_API_KEY.",
        );
        check(
            &Refusal {
                request_id: Some("req_1".into()),
                ..refusal(404, "not_found_error", "model: claude-x")
            },
            ModelErrorKind::UnknownModel,
            FailureClass::Final,
            "There is no model `claude-x` at https://api.example (404, request req_1): model: claude-x. Check the model's name and the base URL in the configuration.",
        );
        check(
            &refusal(529, "overloaded_error", "Overloaded"),
            ModelErrorKind::Overloaded,
            AGAIN,
            "The model is overloaded (529): Overloaded. Try again in a while.",
        );
        check(
            &refusal(400, "invalid_request_error", "prompt is too long: 205000 tokens > 200000 maximum"),
            ModelErrorKind::PromptTooLong,
            FailureClass::Final,
            "The conversation is longer than the model takes (400): prompt is too long: 205000 tokens > 200000 maximum. Start a new session, or ask about less.",
        );
        check(
            &Refusal { status: 502, body: "<html>\n<b>Bad gateway</b>".into(), ..Refusal::default() },
            ModelErrorKind::Server,
            AGAIN,
            "The model's service failed (502): <html> <b>Bad gateway</b>. Try again in a while.",
        );
        check(
            &Refusal { status: 307, ..Refusal::default() },
            ModelErrorKind::InvalidRequest,
            FailureClass::Final,
            "The model's service refused the request (307). https://api.example only leads elsewhere: put the final address into the base URL.",
        );
    }

    #[test]
    fn a_rate_limit_says_how_long_and_a_spend_limit_is_final() {
        let day = Some(Duration::from_secs(86_400));
        let limited = Refusal { retry_after: day, ..refusal(429, "rate_limit_error", "Slow down") };
        check(
            &limited,
            ModelErrorKind::RateLimit,
            FailureClass::Transient { retry_after: day },
            "The rate limit is reached (429): Slow down. Try again in 24 hours.",
        );
        let body = r#"{"error":{"type":"rate_limit_error","message":"Spent","details":{"error_code":"enforced_spend_limit_reached"}}}"#;
        let spent = Refusal { status: 429, body: body.into(), ..Refusal::default() };
        check(
            &spent,
            ModelErrorKind::Billing,
            FailureClass::Final,
            "The account has no credit left, or reached its spend limit (429): Spent. Check the plan and the limits of the account.",
        );
    }

    #[test]
    fn the_service_may_know_better_than_the_status() {
        let class = |status, should_retry| {
            refused(&Refusal { status, should_retry, ..Refusal::default() }, ASKED).class
        };
        assert_eq!(class(400, Some(true)), AGAIN);
        assert_eq!(class(529, Some(false)), FailureClass::Final);
        assert_eq!([400, 401, 403, 404, 413].map(|status| class(status, None)), [FailureClass::Final; 5]);
        assert_eq!([408, 409, 429, 500, 503, 504, 529].map(|status| class(status, None)), [AGAIN; 7]);
    }

    #[test]
    fn a_fault_in_the_stream_is_tried_again_only_early() {
        let overloaded =
            || Fault::Reported { error_type: "overloaded_error".into(), message: "Overloaded".into() };
        assert_eq!(faulty(overloaded(), ASKED, true).class, FailureClass::Cut);
        let late = faulty(overloaded(), ASKED, false);
        assert_eq!((late.class, late.error.kind), (FailureClass::Final, ModelErrorKind::Overloaded));
        assert_eq!(
            late.error.message,
            "The model is overloaded in the middle of the answer: Overloaded. Try again in a while."
        );
    }
}
