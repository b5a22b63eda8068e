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
    /// Tokens of an answer that are worth asking for where the conversation leaves no room for more.
    pub least_output: u32,
}

/// Overloads in a row after which another model is asked, if there is one.
const OVERLOADS_BEFORE_FALLBACK: u32 = 3;

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
            least_output: 3_000,
        }
    }
}

impl RetryPolicy {
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
    /// The stream broke before a block was finished.
    Cut,
    /// The stream fell silent before a block was finished.
    Stalled,
    /// The same request with an answer of at most `room` tokens fits into the window.
    NoRoom { room: u64 },
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
    let is_last = tries.failed + 1 >= policy.attempts;
    let is_overloaded = failure.error.kind == ModelErrorKind::Overloaded;
    let wait = match failure.class {
        FailureClass::Stalled if tries.stalls < policy.after_stalls => backoff,
        FailureClass::Final | FailureClass::Stalled => return Decision::GiveUp,
        _ if is_last || is_overloaded && tries.overloads + 1 >= policy.overloads => return Decision::GiveUp,
        FailureClass::NoRoom { room } => return less(room, tries.max_tokens, policy.least_output),
        FailureClass::Transient { retry_after: Some(wanted) } if wanted > policy.longest_retry_after => {
            return Decision::GiveUp;
        }
        FailureClass::Transient { retry_after } => retry_after.unwrap_or(backoff),
        FailureClass::Cut if tries.cuts >= policy.after_cuts => return Decision::GiveUp,
        FailureClass::Cut => backoff,
    };
    Decision::Retry(wait + wait.mul_f64(jitter.clamp(0.0, 1.0) / 4.0))
}

fn less(room: u64, asked: u32, least: u32) -> Decision {
    match u32::try_from(room) {
        Ok(room) if room >= least && room < asked => Decision::AskForLess(room),
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
    if let FailureClass::NoRoom { room } = failure.class {
        error.over_by = Some(u64::from(policy.least_output).saturating_sub(room));
    }
    let attempts = tries.made() + 1;
    if attempts > 1 {
        error.message = format!("{} ({attempts} attempts were made.)", error.message);
    }
    error
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::{Arc, Mutex};

    use futures::StreamExt;
    use tokio::time::Instant;

    use super::*;
    use crate::models::ModelErrorKind;
    use crate::models::generate::generate;

    const TRANSIENT: FailureClass = FailureClass::Transient { retry_after: None };

    fn failure(kind: ModelErrorKind, class: FailureClass) -> Failure {
        Failure { error: ModelError::new(kind, "Failed."), class }
    }

    #[track_caller]
    fn check(class: FailureClass, tries: Tries, jitter: f64, wanted: Option<u64>) {
        let wanted = wanted.map_or(Decision::GiveUp, |millis| Decision::Retry(Duration::from_millis(millis)));
        let failure = failure(ModelErrorKind::Server, class);
        assert_eq!(decide(&failure, tries, &RetryPolicy::default(), jitter), wanted);
    }

    fn failed(failed: u32) -> Tries {
        Tries { failed, ..Tries::default() }
    }

    #[test]
    fn waits_double_up_to_a_cap_and_jitter_makes_them_longer() {
        check(TRANSIENT, failed(0), 0.0, Some(500));
        check(TRANSIENT, failed(1), 0.0, Some(1_000));
        check(TRANSIENT, failed(1), 1.0, Some(1_250));
        check(TRANSIENT, failed(6), 0.0, Some(32_000));
        check(TRANSIENT, failed(8), 0.0, Some(32_000));
        check(TRANSIENT, failed(9), 0.0, None);
    }

    #[test]
    fn what_the_service_asks_for_is_kept_unless_it_is_too_long() {
        let asked = |seconds| FailureClass::Transient { retry_after: Some(Duration::from_secs(seconds)) };
        check(asked(7), failed(0), 0.0, Some(7_000));
        check(asked(7), failed(5), 1.0, Some(8_750));
        check(asked(120), failed(0), 0.0, Some(120_000));
        check(asked(86_400), failed(0), 0.0, None);
    }

    #[test]
    fn broken_and_silent_streams_have_limits_of_their_own() {
        check(FailureClass::Cut, Tries { cuts: 4, ..failed(4) }, 0.0, Some(8_000));
        check(FailureClass::Cut, Tries { cuts: 5, ..failed(5) }, 0.0, None);
        check(FailureClass::Stalled, failed(0), 0.0, Some(500));
        check(FailureClass::Stalled, failed(9), 0.0, Some(32_000));
        check(FailureClass::Stalled, Tries { stalls: 1, ..failed(0) }, 0.0, None);
        check(FailureClass::Final, failed(0), 0.0, None);
    }

    #[test]
    fn an_answer_that_has_no_room_is_asked_for_in_fewer_tokens_if_that_is_worth_it() {
        let check = |room, asked, tries, wanted| {
            let failure = failure(ModelErrorKind::PromptTooLong, FailureClass::NoRoom { room });
            let tries = Tries { max_tokens: asked, ..tries };
            assert_eq!(decide(&failure, tries, &RetryPolicy::default(), 0.0), wanted, "{room} of {asked}");
        };
        check(10_000, 20_000, failed(0), Decision::AskForLess(10_000));
        check(3_000, 20_000, failed(0), Decision::AskForLess(3_000));
        check(2_999, 20_000, failed(0), Decision::GiveUp);
        check(20_000, 20_000, failed(0), Decision::GiveUp);
        check(u64::MAX, 20_000, failed(0), Decision::GiveUp);
        check(10_000, 20_000, failed(9), Decision::GiveUp);
    }

    #[test]
    fn overloads_in_a_row_are_enough_where_somebody_else_can_be_asked_or_nobody_waits() {
        let request = ModelRequest::new(Vec::new(), Vec::new(), Vec::new(), 1);
        let check = |purpose, on_overload, overloads, gives_up| {
            let request = ModelRequest { purpose, on_overload, ..request.clone() };
            let policy = RetryPolicy::default().for_request(&request);
            let overloaded = failure(ModelErrorKind::Overloaded, TRANSIENT);
            let decision = decide(&overloaded, Tries { overloads, ..failed(overloads) }, &policy, 0.0);
            assert_eq!(decision == Decision::GiveUp, gives_up, "{request:?} after {overloads}");
            let busy = failure(ModelErrorKind::RateLimit, TRANSIENT);
            assert_ne!(decide(&busy, failed(0), &policy, 0.0), Decision::GiveUp);
        };
        check(Purpose::Main, OnOverload::Wait, 8, false);
        check(Purpose::Main, OnOverload::Yield, 1, false);
        check(Purpose::Main, OnOverload::Yield, 2, true);
        check(Purpose::Background, OnOverload::Wait, 0, true);
        check(Purpose::Background, OnOverload::Yield, 0, true);
        let one = Tries::default().and(&failure(ModelErrorKind::Overloaded, TRANSIENT));
        assert_eq!((one.failed, one.overloads), (1, 1));
        assert_eq!(one.and(&failure(ModelErrorKind::Server, TRANSIENT)).overloads, 0, "not in a row");
    }

    /// Runs attempts that fail in those ways, and then succeeds.
    struct Attempts {
        /// The seconds at which each was made.
        at: Vec<f64>,
        events: Vec<ProviderEvent>,
        error: Option<ModelError>,
        /// What the last one asked for.
        max_tokens: u32,
    }

    async fn attempts(failures: Vec<FailureClass>) -> Attempts {
        let started = Instant::now();
        let made = Arc::new(Mutex::new((Vec::new(), VecDeque::from(failures), 0)));
        let shared = made.clone();
        let stream = generate(|emit| async move {
            with_retries(
                RetryPolicy::default(),
                20_000,
                || 0.0,
                &emit,
                |max_tokens| {
                    let mut made = shared.lock().expect("one at a time");
                    made.0.push(started.elapsed().as_secs_f64());
                    made.2 = max_tokens;
                    let outcome = made.1.pop_front().map_or(Ok(()), |class| {
                        let error = ModelError::new(ModelErrorKind::Overloaded, "Overloaded.");
                        Err(Failure { error, class })
                    });
                    async move { outcome }
                },
            )
            .await
        });
        let items: Vec<_> = stream.collect().await;
        let error = items.last().and_then(|item| item.as_ref().err()).cloned();
        let events = items.into_iter().filter_map(Result::ok).collect();
        let made = made.lock().expect("done");
        Attempts { at: made.0.clone(), events, error, max_tokens: made.2 }
    }

    #[track_caller]
    fn check_error(attempts: &Attempts, message: Option<&str>) {
        assert_eq!(attempts.error.as_ref().map(|error| error.message.as_str()), message);
    }

    #[tokio::test(start_paused = true)]
    async fn a_throttle_and_an_overload_are_waited_out() {
        let asked = FailureClass::Transient { retry_after: Some(Duration::from_secs(7)) };
        let made = attempts(vec![asked, TRANSIENT]).await;
        check_error(&made, None);
        assert_eq!(made.at, [0.0, 7.0, 8.0]);
        let delay = Duration::from_secs(7);
        let reason = "Overloaded.".to_owned();
        assert_eq!(made.events.first(), Some(&ProviderEvent::Retry { attempt: 2, max: 10, delay, reason }));
    }

    #[tokio::test(start_paused = true)]
    async fn an_endless_overload_ends_after_ten_requests() {
        let made = attempts(vec![TRANSIENT; 20]).await;
        assert_eq!((made.at.len(), made.events.len()), (10, 9));
        check_error(&made, Some("Overloaded. (10 attempts were made.)"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_final_failure_is_told_at_once() {
        let made = attempts(vec![FailureClass::Final]).await;
        assert_eq!((made.at.as_slice(), made.events.len()), ([0.0].as_slice(), 0));
        check_error(&made, Some("Overloaded."));
    }

    #[tokio::test(start_paused = true)]
    async fn a_shorter_answer_is_asked_for_at_once_and_what_is_missing_is_told() {
        let made = attempts(vec![FailureClass::NoRoom { room: 10_000 }]).await;
        check_error(&made, None);
        assert_eq!((made.at.as_slice(), made.max_tokens), ([0.0, 0.0].as_slice(), 10_000));
        let made =
            attempts(vec![FailureClass::NoRoom { room: 10_000 }, FailureClass::NoRoom { room: 100 }]).await;
        assert_eq!(made.error.and_then(|error| error.over_by), Some(2_900));
        assert_eq!(made.at.len(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn dropping_the_stream_ends_the_waiting() {
        let attempts = Arc::new(AtomicU32::new(0));
        let counted = attempts.clone();
        let mut stream = generate(|emit| async move {
            with_retries(
                RetryPolicy::default(),
                1,
                || 0.0,
                &emit,
                |_| {
                    counted.fetch_add(1, Ordering::SeqCst);
                    async {
                        let error = ModelError::new(ModelErrorKind::Overloaded, "");
                        Err(Failure { error, class: TRANSIENT })
                    }
                },
            )
            .await
        });
        assert!(matches!(stream.next().await, Some(Ok(ProviderEvent::Retry { .. }))));
        drop(stream);
        tokio::time::sleep(Duration::from_secs(600)).await;
        assert_eq!(attempts.load(Ordering::SeqCst), 1);
    }
}
