//! What is tried again, when, and how often.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use futures::StreamExt;
use tokio::time::Instant;

use super::*;
use crate::conversation::ApiMessage;
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
fn a_name_that_is_not_known_is_looked_up_once_more() {
    check(FailureClass::Nameless, failed(0), 0.0, Some(500));
    check(FailureClass::Nameless, failed(1), 0.0, None);
}

#[test]
fn where_nobody_is_there_throttles_and_overloads_are_waited_out() {
    let policy = RetryPolicy::default().unattended();
    let check = |kind, retry_after: Option<u64>, tries, seconds: Option<u64>| {
        let retry_after = retry_after.map(Duration::from_secs);
        let failure = failure(kind, FailureClass::Transient { retry_after });
        let wanted =
            seconds.map_or(Decision::GiveUp, |seconds| Decision::Retry(Duration::from_secs(seconds)));
        assert_eq!(decide(&failure, failed(tries), &policy, 0.0), wanted, "{kind:?} after {tries}");
    };
    check(ModelErrorKind::RateLimit, None, 1, Some(1));
    check(ModelErrorKind::RateLimit, None, 5_000, Some(300));
    check(ModelErrorKind::Overloaded, None, 5_000, Some(300));
    check(ModelErrorKind::RateLimit, Some(86_400), 3, Some(86_400));
    check(ModelErrorKind::Server, None, 298, Some(300));
    check(ModelErrorKind::Server, None, 299, None);
    let spent = failure(ModelErrorKind::RateLimit, FailureClass::Final);
    assert_eq!(decide(&spent, failed(0), &policy, 0.0), Decision::GiveUp, "a spend limit does not pass");
}

#[test]
fn an_answer_that_has_no_room_is_asked_for_in_fewer_tokens_if_that_is_worth_it() {
    let check_in = |window, room, asked, tries, wanted| {
        let failure = failure(ModelErrorKind::PromptTooLong, FailureClass::NoRoom { room, window });
        let tries = Tries { max_tokens: asked, ..tries };
        assert_eq!(decide(&failure, tries, &RetryPolicy::default(), 0.0), wanted, "{room} of {asked}");
    };
    let check = |room, asked, tries, wanted| check_in(Some(200_000), room, asked, tries, wanted);
    check(10_000, 20_000, failed(0), Decision::AskForLess(10_000));
    check(3_000, 20_000, failed(0), Decision::AskForLess(3_000));
    check(2_999, 20_000, failed(0), Decision::GiveUp);
    check(20_000, 20_000, failed(0), Decision::GiveUp);
    check(u64::MAX, 20_000, failed(0), Decision::GiveUp);
    check(10_000, 20_000, failed(9), Decision::GiveUp);
    check_in(Some(1_000), 300, 400, failed(0), Decision::AskForLess(300));
    check_in(Some(1_000), 199, 400, failed(0), Decision::GiveUp);
    check_in(None, 2_048, 20_000, failed(0), Decision::AskForLess(2_048));
}

#[test]
fn overloads_in_a_row_are_enough_where_somebody_else_can_be_asked_or_nobody_waits() {
    let request = ModelRequest::new(Vec::new(), [], Vec::<ApiMessage>::new(), 1);
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
    let room = |room| FailureClass::NoRoom { room, window: Some(200_000) };
    let made = attempts(vec![room(10_000)]).await;
    check_error(&made, None);
    assert_eq!((made.at.as_slice(), made.max_tokens), ([0.0, 0.0].as_slice(), 10_000));
    let made = attempts(vec![room(10_000), room(100)]).await;
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
