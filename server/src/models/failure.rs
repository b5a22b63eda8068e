//! What can go wrong between us and a model's service, whatever its wire: in words for a person, with the next step.

use std::error::Error as _;
use std::time::{Duration, SystemTime};

use super::redact::redacted;
use super::retry::{Failure, FailureClass};
use super::{ModelError, ModelErrorKind};
use crate::config::ApiKey;

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
    pub(super) api: Api,
}

/// What an API and its key are called.
#[derive(Clone, Copy, Debug)]
pub(super) struct Api {
    pub(super) name: &'static str,
    /// The variable that holds a key.
    pub(super) key: &'static str,
}

/// The service refused the request with these words, which mean `kind`.
pub(super) fn refused(kind: ModelErrorKind, said: &str, refusal: &Refusal, asked: Asked<'_>) -> ModelError {
    let reference = refusal.request_id.as_ref().map(|id| format!(", request {id}")).unwrap_or_default();
    let (cause, step) = (cause(kind, asked), next_step(kind, asked, refusal));
    ModelError::new(kind, format!("{cause} ({}{reference}){} {step}", refusal.status, quoted(said)))
}

/// Whether a refused request is worth another try, and when. The service knows better than the status.
pub(super) fn class(refusal: &Refusal, said: &str) -> FailureClass {
    let again = refusal.should_retry.unwrap_or_else(|| {
        matches!(refusal.status, 408 | 409 | 429 | 500..) || said.to_lowercase().contains("overloaded")
    });
    if again { FailureClass::Transient { retry_after: refusal.retry_after } } else { FailureClass::Final }
}

/// The stream itself says that it failed, with words that mean `kind`. `early`: no block of the answer was finished.
pub(super) fn reported(kind: ModelErrorKind, said: &str, asked: Asked<'_>, early: bool) -> Failure {
    let (cause, step) = (cause(kind, asked), next_step(kind, asked, &Refusal::default()));
    let message = format!("{cause} in the middle of the answer{} {step}", quoted(said));
    let again =
        matches!(kind, ModelErrorKind::Overloaded | ModelErrorKind::Server | ModelErrorKind::RateLimit);
    let class = if again && early { FailureClass::Cut } else { FailureClass::Final };
    Failure { error: ModelError::new(kind, message), class }
}

/// What came is no answer of this API.
pub(super) fn malformed(why: &str, asked: Asked<'_>) -> Failure {
    hopeless(ModelErrorKind::Malformed, not_the_api(why, asked))
}

/// A response that says it is an answer and holds none, such as a web page. `content_type`: what it calls itself.
pub(super) fn foreign(content_type: Option<&str>, asked: Asked<'_>) -> Failure {
    let what = content_type.map_or_else(|| "it is empty".to_owned(), |kind| format!("it is `{kind}`"));
    hopeless(ModelErrorKind::Malformed, not_the_api(&what, asked))
}

fn not_the_api(why: &str, asked: Asked<'_>) -> String {
    let (url, api) = (asked.url, asked.api.name);
    format!("The answer of {url} is not what the {api} sends: {why}. Check that the base URL leads to it.")
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

/// `failure` without `key` in its words.
pub(super) fn cleared(mut failure: Failure, key: Option<&ApiKey>) -> Failure {
    if let Some(key) = key {
        failure.error.message = redacted(&failure.error.message, key);
    }
    failure
}

/// How long a `retry-after` header asks to wait: seconds, or a date (RFC 9110, 10.2.3).
pub(super) fn retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    let seconds =
        header.trim().parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let until = || httpdate::parse_http_date(header.trim()).ok();
    seconds.or_else(|| until().map(|date| date.duration_since(now).unwrap_or_default()))
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
            format!("Check the key in the configuration or in {}.", asked.api.key)
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
}
