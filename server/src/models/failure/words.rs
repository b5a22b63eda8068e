//! The words of an error: what happened, what the service says of it, and what to do.

use std::time::Duration;

use super::{Asked, Refusal};
use crate::models::ModelErrorKind;

/// Characters of the service's own words that are passed on.
const LONGEST_QUOTE: usize = 400;

pub(super) fn cause(kind: ModelErrorKind, asked: Asked<'_>) -> String {
    match kind {
        ModelErrorKind::Authentication => format!("{} refused the API key", asked.url),
        ModelErrorKind::Permission => "The API key may not do this".to_owned(),
        ModelErrorKind::Billing => "The account has no credit left, or reached its spend limit".to_owned(),
        ModelErrorKind::UnknownModel => format!("There is no model `{}` at {}", asked.model, asked.url),
        ModelErrorKind::RateLimit => "The rate limit is reached".to_owned(),
        ModelErrorKind::Overloaded => "The model is overloaded".to_owned(),
        ModelErrorKind::Server => "The model's service failed".to_owned(),
        ModelErrorKind::PromptTooLong => "The conversation is longer than the model takes".to_owned(),
        ModelErrorKind::RequestTooLarge => "The request is larger than the service takes".to_owned(),
        ModelErrorKind::MediaRefused => "The service refused an image or a document".to_owned(),
        ModelErrorKind::InvalidRequest
        | ModelErrorKind::Unreachable
        | ModelErrorKind::StreamCut
        | ModelErrorKind::Stalled
        | ModelErrorKind::Malformed => "The model's service refused the request".to_owned(),
    }
}

pub(super) fn next_step(kind: ModelErrorKind, asked: Asked<'_>, refusal: &Refusal) -> String {
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
        ModelErrorKind::MediaRefused => "Send a smaller one, or none.".to_owned(),
        ModelErrorKind::PromptTooLong | ModelErrorKind::RequestTooLarge => {
            "Start a new session, or ask about less.".to_owned()
        }
        ModelErrorKind::InvalidRequest if (300..400).contains(&refusal.status) => {
            format!("{} only leads elsewhere: put the final address into the base URL.", asked.url)
        }
        ModelErrorKind::InvalidRequest
        | ModelErrorKind::Unreachable
        | ModelErrorKind::StreamCut
        | ModelErrorKind::Stalled
        | ModelErrorKind::Malformed => "Check the model and the settings for it.".to_owned(),
    }
}

/// The service's own words on one line, cut where they get long.
pub(super) fn quoted(said: &str) -> String {
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

pub(super) fn in_words(time: Duration) -> String {
    let (count, unit) = match time.as_secs() {
        0 => return "a moment".to_owned(),
        seconds @ 1..=119 => (seconds, "second"),
        seconds @ 120..=7_199 => (seconds.div_ceil(60), "minute"),
        seconds => (seconds.div_ceil(3_600), "hour"),
    };
    if count == 1 { format!("1 {unit}") } else { format!("{count} {unit}s") }
}
