//! When a failed request is worth another try, and how long to wait before it.

use std::time::Duration;

use super::generate::Emit;
use super::{ModelError, ModelErrorKind, ModelRequest, OnOverload, ProviderEvent, Purpose};

/// Limits of trying again. The defaults are those of the vendors' own clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Requests at most, the first one included.
    pub attempts: u32,
    /// The first wait; each further one is twice as long.
    pub first_wait: Duration,
    /// No wait of our own is longer.
    pub longest_wait: Duration,
    /// A service that asks for more than this is not waited for: the person decides.
    pub longest_retry_after: Duration,
    /// New requests after streams that broke before a block was finished.
    pub after_cuts: u32,
    /// The same after streams that fell silent. They are not counted among the attempts.
    pub after_stalls: u32,
    /// Overloads in a row, after which the service is left alone.
    pub overloads: u32,
    /// Nobody is there who could decide: throttles and overloads are waited out however long they last.
    pub unattended: bool,
    /// Tokens of an answer that are worth asking for where the conversation leaves no room for more; a fifth of the window,
    /// if that is less: small ones have little to spare.
    pub least_output: u32,
}

/// Overloads in a row after which another model is asked, if there is one.
const OVERLOADS_BEFORE_FALLBACK: u32 = 3;

/// Where nobody is there, for what is neither a throttle nor an overload.
const UNATTENDED_ATTEMPTS: u32 = 300;
const LONGEST_UNATTENDED_WAIT: Duration = Duration::from_secs(300);
const LONGEST_UNATTENDED_RETRY_AFTER: Duration = Duration::from_secs(7 * 24 * 3_600);

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 10,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(32),
            longest_retry_after: Duration::from_secs(120),
            after_cuts: 5,
            after_stalls: 1,
            overloads: u32::MAX,
            unattended: false,
            least_output: 3_000,
        }
    }
}

impl RetryPolicy {
    /// The limits where nobody is there who could ask again.
    #[must_use]
    pub fn unattended(self) -> Self {
        Self {
            attempts: UNATTENDED_ATTEMPTS,
            longest_wait: LONGEST_UNATTENDED_WAIT,
            longest_retry_after: LONGEST_UNATTENDED_RETRY_AFTER,
            unattended: true,
            ..self
        }
    }

    /// Tokens of an answer that are worth asking for in that window; `None`: where nothing would make room for more.
    fn least_output(&self, window: Option<u64>) -> u64 {
        window.map_or(1, |window| u64::from(self.least_output).min(window / 5))
    }

    /// The limits for a request of that kind.
    pub(super) fn for_request(self, request: &ModelRequest) -> Self {
        let overloads = match (request.purpose, request.on_overload) {
            (Purpose::Background, OnOverload::Wait | OnOverload::Yield) => 1,
            (Purpose::Main, OnOverload::Yield) => OVERLOADS_BEFORE_FALLBACK,
            (Purpose::Main, OnOverload::Wait) => self.overloads,
        };
        Self { overloads: self.overloads.min(overloads), ..self }
    }
}

/// How a request failed, and what that means for another try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) error: ModelError,
    pub(super) class: FailureClass,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FailureClass {
    /// Asking again would give the same, or give a finished part of the answer twice.
    Final,
    /// Throttled, overloaded or out of reach. `retry_after`: what the service asked for.
    Transient { retry_after: Option<Duration> },
    /// The service's name is not known, which another try seldom changes.
    Nameless,
    /// The stream broke before a block was finished.
    Cut,
    /// The stream fell silent before a block was finished.
    Stalled,
    /// The same request with an answer of at most `room` tokens fits into the `window`; `None`: the model gives no more,
    /// whatever the conversation takes.
    NoRoom { room: u64, window: Option<u64> },
}

/// What was tried before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tries {
    pub(super) failed: u32,
    pub(super) cuts: u32,
    pub(super) stalls: u32,
    /// In a row, up to the last try.
    pub(super) overloads: u32,
    /// Tokens asked for as an answer.
    pub(super) max_tokens: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Retry(Duration),
    /// At once, for an answer of so many tokens.
    AskForLess(u32),
    GiveUp,
}

/// Whether to try again after `failure`, with `tries` before it. `jitter`, from 0 to 1, spreads the waits of many
/// clients: it makes each up to a quarter longer.
pub(super) fn decide(failure: &Failure, tries: Tries, policy: &RetryPolicy, jitter: f64) -> Decision {
    let doubled = policy.first_wait.saturating_mul(2_u32.saturating_pow(tries.failed));
    let backoff = doubled.min(policy.longest_wait);
    let is_overloaded = failure.error.kind == ModelErrorKind::Overloaded;
    let will_pass = is_overloaded || failure.error.kind == ModelErrorKind::RateLimit;
    let is_last = tries.failed + 1 >= policy.attempts && !(policy.unattended && will_pass);
    let wait = match failure.class {
        FailureClass::Stalled if tries.stalls < policy.after_stalls => backoff,
        FailureClass::Final | FailureClass::Stalled => return Decision::GiveUp,
        _ if is_last || is_overloaded && tries.overloads + 1 >= policy.overloads => return Decision::GiveUp,
        FailureClass::NoRoom { room, window } => {
            return less(room, tries.max_tokens, policy.least_output(window));
        }
        FailureClass::Transient { retry_after: Some(wanted) } if wanted > policy.longest_retry_after => {
            return Decision::GiveUp;
        }
        FailureClass::Transient { retry_after } => retry_after.unwrap_or(backoff),
        FailureClass::Nameless if tries.failed > 0 => return Decision::GiveUp,
        FailureClass::Cut if tries.cuts >= policy.after_cuts => return Decision::GiveUp,
        FailureClass::Nameless | FailureClass::Cut => backoff,
    };
    Decision::Retry(wait.saturating_add(wait.mul_f64(jitter.clamp(0.0, 1.0) / 4.0)))
}

fn less(room: u64, asked: u32, least: u64) -> Decision {
    match u32::try_from(room) {
        Ok(fewer) if room >= least && fewer < asked => Decision::AskForLess(fewer),
        Ok(_) | Err(_) => Decision::GiveUp,
    }
}

/// Makes `attempt`, told how many tokens to ask for, until it succeeds or no further try is worth it; announces each wait.
/// `max_tokens`: what the first attempt asks for.
pub(super) async fn with_retries<A, F>(
    policy: RetryPolicy,
    max_tokens: u32,
    jitter: fn() -> f64,
    emit: &Emit,
    mut attempt: A,
) -> Result<(), ModelError>
where
    A: FnMut(u32) -> F,
    F: Future<Output = Result<(), Failure>>,
{
    let mut tries = Tries { max_tokens, ..Tries::default() };
    loop {
        let Err(failure) = attempt(tries.max_tokens).await else { return Ok(()) };
        let (delay, max_tokens) = match decide(&failure, tries, &policy, jitter()) {
            Decision::Retry(delay) => (delay, tries.max_tokens),
            Decision::AskForLess(fewer) => (Duration::ZERO, fewer),
            Decision::GiveUp => return Err(given_up(failure, tries, &policy)),
        };
        tries = Tries { max_tokens, ..tries.and(&failure) };
        let attempt = (tries.made() + 1).min(policy.attempts);
        let reason = failure.error.message;
        emit.event(ProviderEvent::Retry { attempt, max: policy.attempts, delay, reason }).await;
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
    }
}

impl Tries {
    fn and(self, failure: &Failure) -> Self {
        let cut = u32::from(failure.class == FailureClass::Cut);
        let stall = u32::from(failure.class == FailureClass::Stalled);
        let is_overloaded = failure.error.kind == ModelErrorKind::Overloaded;
        Self {
            // A stream that fell silent costs no attempt.
            failed: self.failed + 1 - stall,
            cuts: self.cuts + cut,
            stalls: self.stalls + stall,
            overloads: if is_overloaded { self.overloads + 1 } else { 0 },
            ..self
        }
    }

    fn made(self) -> u32 {
        self.failed + self.stalls
    }
}

/// From 0 to 1, to spread the retries of many clients.
pub(super) fn random_fraction() -> f64 {
    let bits = (uuid::Uuid::new_v4().as_u128() >> 96) as u32;
    f64::from(bits) / f64::from(u32::MAX)
}

fn given_up(failure: Failure, tries: Tries, policy: &RetryPolicy) -> ModelError {
    let mut error = failure.error;
    if let FailureClass::NoRoom { room, window } = failure.class {
        error.over_by = Some(policy.least_output(window).saturating_sub(room));
    }
    let attempts = tries.made() + 1;
    if attempts > 1 {
        error.message = format!("{} ({attempts} attempts were made.)", error.message);
    }
    error
}

#[cfg(test)]
mod tests;
