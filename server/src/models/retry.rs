//! When a failed request is worth another try, and how long to wait before it.

use std::time::Duration;

use super::generate::Emit;
use super::{ModelError, ProviderEvent};

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
    /// The same after streams that fell silent.
    pub after_stalls: u32,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 10,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(32),
            longest_retry_after: Duration::from_secs(120),
            after_cuts: 5,
            after_stalls: 1,
        }
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
}

/// What was tried before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tries {
    pub(super) failed: u32,
    pub(super) cuts: u32,
    pub(super) stalls: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Retry(Duration),
    GiveUp,
}

/// Whether to try again after `class`, with `tries` failures before it. `jitter`, from 0 to 1, spreads the waits of
/// many clients: it makes each up to a quarter longer.
pub(super) fn decide(class: FailureClass, tries: Tries, policy: &RetryPolicy, jitter: f64) -> Decision {
    if tries.failed + 1 >= policy.attempts {
        return Decision::GiveUp;
    }
    let doubled = policy.first_wait.saturating_mul(2_u32.saturating_pow(tries.failed));
    let backoff = doubled.min(policy.longest_wait);
    let wait = match class {
        FailureClass::Final => return Decision::GiveUp,
        FailureClass::Transient { retry_after: Some(wanted) } if wanted > policy.longest_retry_after => {
            return Decision::GiveUp;
        }
        FailureClass::Transient { retry_after } => retry_after.unwrap_or(backoff),
        FailureClass::Cut if tries.cuts >= policy.after_cuts => return Decision::GiveUp,
        FailureClass::Stalled if tries.stalls >= policy.after_stalls => return Decision::GiveUp,
        FailureClass::Cut | FailureClass::Stalled => backoff,
    };
    Decision::Retry(wait + wait.mul_f64(jitter.clamp(0.0, 1.0) / 4.0))
}

/// Makes `attempt` until it succeeds or no further try is worth it, and announces each wait.
pub(super) async fn with_retries<A, F>(
    policy: RetryPolicy,
    jitter: fn() -> f64,
    emit: &Emit,
    mut attempt: A,
) -> Result<(), ModelError>
where
    A: FnMut() -> F,
    F: Future<Output = Result<(), Failure>>,
{
    let mut tries = Tries::default();
    loop {
        let Err(failure) = attempt().await else { return Ok(()) };
        let Decision::Retry(delay) = decide(failure.class, tries, &policy, jitter()) else {
            return Err(given_up(failure.error, tries.failed + 1));
        };
        tries = tries.and(failure.class);
        let reason = failure.error.message;
        emit.event(ProviderEvent::Retry { attempt: tries.failed + 1, max: policy.attempts, delay, reason })
            .await;
        tokio::time::sleep(delay).await;
    }
}

impl Tries {
    fn and(self, class: FailureClass) -> Self {
        let cut = u32::from(class == FailureClass::Cut);
        let stall = u32::from(class == FailureClass::Stalled);
        Self { failed: self.failed + 1, cuts: self.cuts + cut, stalls: self.stalls + stall }
    }
}

/// From 0 to 1, to spread the retries of many clients.
pub(super) fn random_fraction() -> f64 {
    let bits = (uuid::Uuid::new_v4().as_u128() >> 96) as u32;
    f64::from(bits) / f64::from(u32::MAX)
}

fn given_up(mut error: ModelError, attempts: u32) -> ModelError {
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

    #[track_caller]
    fn check(class: FailureClass, tries: Tries, jitter: f64, wanted: Option<u64>) {
        let wanted = wanted.map_or(Decision::GiveUp, |millis| Decision::Retry(Duration::from_millis(millis)));
        assert_eq!(decide(class, tries, &RetryPolicy::default(), jitter), wanted);
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
        check(FailureClass::Cut, Tries { failed: 4, cuts: 4, stalls: 0 }, 0.0, Some(8_000));
        check(FailureClass::Cut, Tries { failed: 5, cuts: 5, stalls: 0 }, 0.0, None);
        check(FailureClass::Stalled, failed(0), 0.0, Some(500));
        check(FailureClass::Stalled, Tries { failed: 1, cuts: 0, stalls: 1 }, 0.0, None);
        check(FailureClass::Final, failed(0), 0.0, None);
    }

    /// Runs attempts that fail in those ways, and then succeeds. Gives the seconds at which each was made.
    async fn attempts(failures: Vec<FailureClass>) -> (Vec<f64>, Vec<ProviderEvent>, Option<String>) {
        let started = Instant::now();
        let made = Arc::new(Mutex::new((Vec::new(), VecDeque::from(failures))));
        let shared = made.clone();
        let stream = generate(|emit| async move {
            with_retries(
                RetryPolicy::default(),
                || 0.0,
                &emit,
                || {
                    let mut made = shared.lock().expect("one at a time");
                    made.0.push(started.elapsed().as_secs_f64());
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
        let error = items.last().and_then(|item| item.as_ref().err()).map(|error| error.message.clone());
        let events = items.into_iter().filter_map(Result::ok).collect();
        let at = made.lock().expect("done").0.clone();
        (at, events, error)
    }

    #[tokio::test(start_paused = true)]
    async fn a_throttle_and_an_overload_are_waited_out() {
        let asked = FailureClass::Transient { retry_after: Some(Duration::from_secs(7)) };
        let (at, events, error) = attempts(vec![asked, TRANSIENT]).await;
        assert_eq!((at, error), (vec![0.0, 7.0, 8.0], None));
        let delay = Duration::from_secs(7);
        let reason = "Overloaded.".to_owned();
        assert_eq!(events.first(), Some(&ProviderEvent::Retry { attempt: 2, max: 10, delay, reason }));
    }

    #[tokio::test(start_paused = true)]
    async fn an_endless_overload_ends_after_ten_requests() {
        let (at, events, error) = attempts(vec![TRANSIENT; 20]).await;
        assert_eq!((at.len(), events.len()), (10, 9));
        assert_eq!(error.as_deref(), Some("Overloaded. (10 attempts were made.)"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_final_failure_is_told_at_once() {
        let (at, events, error) = attempts(vec![FailureClass::Final]).await;
        assert_eq!((at, events, error.as_deref()), (vec![0.0], vec![], Some("Overloaded.")));
    }

    #[tokio::test(start_paused = true)]
    async fn dropping_the_stream_ends_the_waiting() {
        let attempts = Arc::new(AtomicU32::new(0));
        let counted = attempts.clone();
        let mut stream = generate(|emit| async move {
            with_retries(
                RetryPolicy::default(),
                || 0.0,
                &emit,
                || {
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
