//! What went wrong, in words for a person with the next step, and whether it is worth another try.

use std::error::Error as _;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::answer::Fault;
use crate::models::retry::{Failure, FailureClass};
use crate::models::{ModelError, ModelErrorKind};

/// Characters of the service's own words that are passed on.
const LONGEST_QUOTE: usize = 400;

/// A response that is no answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) body: String,
    pub(super) retry_after: Option<Duration>,
    /// `x-should-retry`: the service knows better than the status.
    pub(super) should_retry: Option<bool>,
    pub(super) request_id: Option<String>,
}

/// Whom was asked for what, for the words of an error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    pub(super) model: &'a str,
    /// Without user name, password or query.
    pub(super) url: &'a str,
}

/// Maps a status and body (Messages API, "Errors").
pub(super) fn refused(refusal: &Refusal, asked: Asked<'_>) -> Failure {
    let body: Value = serde_json::from_str(&refusal.body).unwrap_or_default();
    let error_type = body.pointer("/error/type").and_then(Value::as_str);
    let said = body.pointer("/error/message").and_then(Value::as_str).unwrap_or(&refusal.body);
    let kind = kind(refusal.status, error_type, said);
    let spent = body.pointer("/error/details/error_code").or_else(|| body.pointer("/details/error_code"));
    let spent = spent.and_then(Value::as_str) == Some("enforced_spend_limit_reached");
    let kind = if spent { ModelErrorKind::Billing } else { kind };
    let reference = refusal.request_id.as_ref().map(|id| format!(", request {id}")).unwrap_or_default();
    let cause = cause(kind, asked);
    let step = next_step(kind, asked, refusal);
    let message = format!("{cause} ({}{reference}){} {step}", refusal.status, quoted(said));
    let again = refusal.should_retry.unwrap_or_else(|| {
        matches!(refusal.status, 408 | 409 | 429 | 500..) || said.to_lowercase().contains("overloaded")
    });
    let class = if again && !spent {
        FailureClass::Transient { retry_after: refusal.retry_after }
    } else {
        FailureClass::Final
    };
    Failure { error: ModelError::new(kind, message), class }
}

/// Maps a fault of the stream. `early`: no block of the answer was finished.
pub(super) fn faulty(fault: Fault, asked: Asked<'_>, early: bool) -> Failure {
    let (kind, message, again) = match fault {
        Fault::Reported { error_type, message } => {
            let kind = kind(0, Some(&error_type), &message);
            let step = next_step(kind, asked, &Refusal::default());
            let again = matches!(
                kind,
                ModelErrorKind::Overloaded | ModelErrorKind::Server | ModelErrorKind::RateLimit
            );
            (
                kind,
                format!("{} in the middle of the answer{} {step}", cause(kind, asked), quoted(&message)),
                again,
            )
        }
        Fault::Malformed(why) => (ModelErrorKind::Malformed, not_the_api(&why, asked), false),
    };
    let class = if again && early { FailureClass::Cut } else { FailureClass::Final };
    Failure { error: ModelError::new(kind, message), class }
}

/// A response that says it is an answer and holds none, such as a web page. `content_type`: what it calls itself.
pub(super) fn foreign(content_type: Option<&str>, asked: Asked<'_>) -> Failure {
    let what = content_type.map_or_else(|| "it is empty".to_owned(), |kind| format!("it is `{kind}`"));
    hopeless(ModelErrorKind::Malformed, not_the_api(&what, asked))
}

fn not_the_api(why: &str, asked: Asked<'_>) -> String {
    let url = asked.url;
    format!(
        "The answer of {url} is not what the Messages API sends: {why}. Check that the base URL leads to it."
    )
}

/// The connection ended before the answer did.
pub(super) fn cut(why: &str, early: bool) -> Failure {
    let message = format!("The connection broke before the answer was complete ({why}). Try again.");
    let class = if early { FailureClass::Cut } else { FailureClass::Final };
    Failure { error: ModelError::new(ModelErrorKind::StreamCut, message), class }
}

/// Nothing came for too long.
pub(super) fn stalled(silence: Duration, early: bool) -> Failure {
    let message = format!("The model sent nothing for {}. Try again.", in_words(silence));
    let class = if early { FailureClass::Stalled } else { FailureClass::Final };
    Failure { error: ModelError::new(ModelErrorKind::StreamCut, message), class }
}

/// No response at all.
pub(super) fn unreachable(error: &reqwest::Error, asked: Asked<'_>) -> Failure {
    let mut causes = Vec::new();
    let mut source = error.source();
    while let Some(cause) = source {
        causes.push(cause.to_string());
        source = cause.source();
    }
    let chain = causes.join(": ").to_lowercase();
    // Each cause names the next one too; the last says what really happened.
    let last = causes.pop().unwrap_or_else(|| "no cause given".to_owned());
    let untrusted = chain.contains("certificate") || chain.contains("tls handshake");
    let (why, step) = if untrusted {
        (last, "The certificate is not trusted: check the base URL, or the proxy in between.")
    } else if error.is_timeout() {
        ("no answer in time".to_owned(), "Check the network, the proxy settings and the base URL.")
    } else {
        (last, "Check the network, the proxy settings and the base URL.")
    };
    let message = format!("{} could not be reached: {why}. {step}", asked.url);
    let class = if untrusted { FailureClass::Final } else { FailureClass::Transient { retry_after: None } };
    Failure { error: ModelError::new(ModelErrorKind::Unreachable, message), class }
}

/// Something that no request will mend.
pub(super) fn hopeless(kind: ModelErrorKind, message: String) -> Failure {
    Failure { error: ModelError::new(kind, message), class: FailureClass::Final }
}

/// Whether the service refuses the signature of thinking it is shown: without thinking, it takes the rest.
pub(super) fn is_about_thinking(failure: &Failure) -> bool {
    let said = failure.error.message.to_lowercase();
    failure.error.kind == ModelErrorKind::InvalidRequest
        && said.contains("signature")
        && said.contains("thinking")
}

/// How long a `retry-after` header asks to wait: seconds, or a date (RFC 9110, 10.2.3).
pub(super) fn retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    let seconds =
        header.trim().parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let until = || httpdate::parse_http_date(header.trim()).ok();
    seconds.or_else(|| until().map(|date| date.duration_since(now).unwrap_or_default()))
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

fn cause(kind: ModelErrorKind, asked: Asked<'_>) -> String {
    match kind {
        ModelErrorKind::Authentication => format!("{} refused the API key", asked.url),
        ModelErrorKind::Permission => "The API key may not do this".to_owned(),
        ModelErrorKind::Billing => "The account has no credit left, or reached its spend limit".to_owned(),
        ModelErrorKind::UnknownModel => format!("There is no model `{}` at {}", asked.model, asked.url),
        ModelErrorKind::RateLimit => "The rate limit is reached".to_owned(),
        ModelErrorKind::Overloaded => "The model is overloaded".to_owned(),
        ModelErrorKind::Server => "The model's service failed".to_owned(),
        ModelErrorKind::PromptTooLong => "The conversation is longer than the model takes".to_owned(),
        ModelErrorKind::RequestTooLarge
        | ModelErrorKind::MediaRefused
        | ModelErrorKind::InvalidRequest
        | ModelErrorKind::Unreachable
        | ModelErrorKind::StreamCut
        | ModelErrorKind::Malformed => "The model's service refused the request".to_owned(),
    }
}

fn next_step(kind: ModelErrorKind, asked: Asked<'_>, refusal: &Refusal) -> String {
    match kind {
        ModelErrorKind::Authentication => {
            "Check the key in the configuration or in ANTHROPIC_API_KEY.".to_owned()
        }
        ModelErrorKind::Permission => "Check what the key is allowed, or use another one.".to_owned(),
        ModelErrorKind::Billing => "Check the plan and the limits of the account.".to_owned(),
        ModelErrorKind::UnknownModel => {
            "Check the model's name and the base URL in the configuration.".to_owned()
        }
        ModelErrorKind::RateLimit => match refusal.retry_after {
            Some(wait) => format!("Try again in {}.", in_words(wait)),
            None => "Try again in a while.".to_owned(),
        },
        ModelErrorKind::Overloaded | ModelErrorKind::Server => "Try again in a while.".to_owned(),
        ModelErrorKind::PromptTooLong => "Start a new session, or ask about less.".to_owned(),
        ModelErrorKind::InvalidRequest if (300..400).contains(&refusal.status) => {
            format!("{} only leads elsewhere: put the final address into the base URL.", asked.url)
        }
        ModelErrorKind::RequestTooLarge
        | ModelErrorKind::MediaRefused
        | ModelErrorKind::InvalidRequest
        | ModelErrorKind::Unreachable
        | ModelErrorKind::StreamCut
        | ModelErrorKind::Malformed => "Check the model and the settings for it.".to_owned(),
    }
}

/// The service's own words on one line, cut where they get long.
fn quoted(said: &str) -> String {
    let line = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line.chars().filter(|c| !c.is_control()).collect();
    let mut quote: String = line.chars().take(LONGEST_QUOTE).collect();
    if quote.is_empty() {
        return ".".to_owned();
    }
    if quote.len() < line.len() {
        quote.push('…');
    }
    format!(": {}.", quote.trim_end_matches('.'))
}

fn in_words(time: Duration) -> String {
    let (count, unit) = match time.as_secs() {
        0 => return "a moment".to_owned(),
        seconds @ 1..=119 => (seconds, "second"),
        seconds @ 120..=7_199 => (seconds.div_ceil(60), "minute"),
        seconds => (seconds.div_ceil(3_600), "hour"),
    };
    if count == 1 { format!("1 {unit}") } else { format!("{count} {unit}s") }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    const ASKED: Asked<'_> = Asked { model: "claude-x", url: "https://api.example" };
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
    fn retry_after_is_seconds_or_a_date() {
        let now = UNIX_EPOCH + Duration::from_secs(784_111_770);
        assert_eq!(retry_after("7", now), Some(Duration::from_secs(7)));
        assert_eq!(retry_after(" 0.5 ", now), Some(Duration::from_millis(500)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:37 GMT", now), Some(Duration::from_secs(7)));
        assert_eq!(retry_after("Sat, 06 Nov 1993 08:49:37 GMT", now), Some(Duration::ZERO));
        assert_eq!(retry_after("soon", now), None);
        assert_eq!(retry_after("-1", now), None);
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
