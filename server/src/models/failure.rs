//! What can go wrong between us and a model's service, whatever its wire: in words for a person, with the next step.

mod words;

use std::error::Error as _;
use std::net::IpAddr;
use std::time::{Duration, SystemTime};

use self::words::{cause, in_words, next_step, quoted};
use super::overflow::{Overflow, overflow};
use super::redact::redacted;
use super::retry::{Failure, FailureClass};
use super::{ModelError, ModelErrorKind};
use crate::config::ApiKey;

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
    let message = format!("{cause} ({}{reference}){} {step}", refusal.status, quoted(said));
    let over_by = match overflow(said) {
        Some(Overflow::Prompt { over_by }) => over_by,
        Some(Overflow::Answer { .. } | Overflow::Output { .. }) | None => None,
    };
    ModelError { over_by, ..ModelError::new(kind, message) }
}

/// Whether a refused request is worth another try, and when. The service knows better than the status.
pub(super) fn class(refusal: &Refusal, said: &str) -> FailureClass {
    match overflow(said) {
        Some(Overflow::Answer { room, window }) => {
            return FailureClass::NoRoom { room, window: Some(window) };
        }
        Some(Overflow::Output { most }) => return FailureClass::NoRoom { room: most, window: None },
        Some(Overflow::Prompt { .. }) => return FailureClass::Final,
        None => {}
    }
    let again = refusal.should_retry.unwrap_or_else(|| {
        matches!(refusal.status, 408 | 409 | 429 | 500..) || said.to_lowercase().contains("overloaded")
    });
    if again { FailureClass::Transient { retry_after: refusal.retry_after } } else { FailureClass::Final }
}

/// What a person sees of a body that may be a web page.
pub(super) fn plain(body: &str) -> String {
    if !body.trim_start().starts_with('<') {
        return body.to_owned();
    }
    body.split('<')
        .filter_map(|part| part.split_once('>'))
        .map(|(_tag, text)| text)
        .collect::<Vec<_>>()
        .join(" ")
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

/// There is more of one line or event than any answer has.
pub(super) fn endless(asked: Asked<'_>) -> Failure {
    let (url, api) = (asked.url, asked.api.name);
    let message = format!(
        "The answer of {url} is no answer: one line or event of it does not end. Check that the base URL leads to the {api}."
    );
    hopeless(ModelErrorKind::StreamCut, message)
}

/// Nothing came for too long.
pub(super) fn stalled(silence: Duration, early: bool) -> Failure {
    let message = format!("The model sent nothing for {}. Try again.", in_words(silence));
    let class = if early { FailureClass::Stalled } else { FailureClass::Final };
    Failure { error: ModelError::new(ModelErrorKind::Stalled, message), class }
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
    let untrusted = chain.contains("certificate");
    let no_tls = chain.contains("corrupt message");
    if chain.contains("dns error") || chain.contains("failed to lookup address") {
        return nameless(asked);
    }
    let is_here = reqwest::Url::parse(asked.url).is_ok_and(|url| url.host_str().is_some_and(is_this_machine));
    if is_here && error.is_connect() && !untrusted && !no_tls {
        return nobody_here(asked);
    }
    let (why, step) = if untrusted {
        (last, "The certificate is not trusted: check the base URL, or the proxy in between.")
    } else if no_tls {
        (last, "It does not speak TLS: does its address begin with http://?")
    } else if error.is_timeout() {
        ("no answer in time".to_owned(), "Check the network, the proxy settings and the base URL.")
    } else {
        (last, "Check the network, the proxy settings and the base URL.")
    };
    let message = format!("{} could not be reached: {why}. {step}", asked.url);
    let again = FailureClass::Transient { retry_after: None };
    let class = if untrusted || no_tls { FailureClass::Final } else { again };
    Failure { error: ModelError::new(ModelErrorKind::Unreachable, message), class }
}

/// Whether `host` of a web address is this machine.
pub(super) fn is_this_machine(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost"
        || host.ends_with(".localhost")
        || address.is_ok_and(|address| address.is_loopback() || address.is_unspecified())
}

/// On one's own machine nobody listens until somebody starts it: there is nothing to wait for.
fn nobody_here(asked: Asked<'_>) -> Failure {
    let message =
        format!("Nothing answers at {}. Start the model's server, or choose another model.", asked.url);
    hopeless(ModelErrorKind::Unreachable, message)
}

fn nameless(asked: Asked<'_>) -> Failure {
    let parsed = reqwest::Url::parse(asked.url).ok();
    let host = parsed.as_ref().and_then(reqwest::Url::host_str).unwrap_or(asked.url);
    let message = format!(
        "{} could not be reached: the name `{host}` is not known. Check the base URL, and whether this machine is online.",
        asked.url
    );
    Failure { error: ModelError::new(ModelErrorKind::Unreachable, message), class: FailureClass::Nameless }
}

/// Something that no request will mend.
pub(super) fn hopeless(kind: ModelErrorKind, message: String) -> Failure {
    Failure { error: ModelError::new(kind, message), class: FailureClass::Final }
}

/// An error that no request will mend.
pub(super) fn hopeless_error(error: ModelError) -> Failure {
    Failure { error, class: FailureClass::Final }
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

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    #[tokio::test]
    async fn a_name_that_is_not_known_is_told_as_that() {
        let url = "http://model.invalid:8080";
        let error = reqwest::Client::builder().no_proxy().build().unwrap().get(url).send().await.unwrap_err();
        let asked = Asked { model: "m", url, api: Api { name: "Messages API", key: "K" } };
        let failure = unreachable(&error.without_url(), asked);
        assert_eq!(failure.class, FailureClass::Nameless);
        assert_eq!(
            failure.error.message,
            "http://model.invalid:8080 could not be reached: the name `model.invalid` is not known. Check the base URL, and whether this machine is online."
        );
    }

    #[tokio::test]
    async fn where_nobody_listens_on_this_machine_nothing_is_waited_for() {
        for host in ["127.0.0.1", "[::1]", "localhost", "0.0.0.0"] {
            let url = format!("http://{host}:9");
            let client = reqwest::Client::builder().no_proxy().build().unwrap();
            let error = client.get(&url).send().await.unwrap_err();
            let asked = Asked { model: "m", url: &url, api: Api { name: "Messages API", key: "K" } };
            let failure = unreachable(&error.without_url(), asked);
            assert_eq!(failure.class, FailureClass::Final, "{url}");
            let told =
                format!("Nothing answers at {url}. Start the model's server, or choose another model.");
            assert_eq!(failure.error.message, told);
        }
        assert!(!is_this_machine("192.168.1.1") && !is_this_machine("localhost.example"));
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
}
