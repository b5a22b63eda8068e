//! Each refusal of the service: its kind, whether it is tried again, and its words.

use std::time::Duration;

use super::*;

const ASKED: Asked<'_> = Asked { model: "claude-x", url: "https://api.example", api: API };
const AGAIN: FailureClass = FailureClass::Transient { retry_after: None };

fn refusal(status: u16, error_type: &str, message: &str) -> Refusal {
    let body = serde_json::json!({ "type": "error", "error": { "type": error_type, "message": message } });
    Refusal { status, body: body.to_string(), ..Refusal::default() }
}

#[track_caller]
fn check(refusal: &Refusal, kind: ModelErrorKind, class: FailureClass, message: &str) {
    let failure = refused(refusal, ASKED);
    assert_eq!((failure.error.kind, failure.class, failure.error.message.as_str()), (kind, class, message));
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
        &Refusal { request_id: Some("req_1".into()), ..refusal(404, "not_found_error", "model: claude-x") },
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
        "The model's service failed (502): Bad gateway. Try again in a while.",
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
    let class =
        |status, should_retry| refused(&Refusal { status, should_retry, ..Refusal::default() }, ASKED).class;
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

#[test]
fn every_status_and_type_has_its_kind() {
    let check = |status, error_type, said, kind| {
        let failure = refused(&refusal(status, error_type, said), ASKED);
        assert_eq!(failure.error.kind, kind, "{status} {error_type}: {said}");
    };
    check(400, "invalid_request_error", "max_tokens: must be at least 1", ModelErrorKind::InvalidRequest);
    check(400, "invalid_request_error", "Your credit balance is too low", ModelErrorKind::Billing);
    check(400, "invalid_request_error", "prompt is too long", ModelErrorKind::PromptTooLong);
    check(
        400,
        "invalid_request_error",
        "messages.0: image exceeds 10 MB maximum",
        ModelErrorKind::MediaRefused,
    );
    check(400, "invalid_request_error", "Could not process image", ModelErrorKind::MediaRefused);
    check(402, "billing_error", "", ModelErrorKind::Billing);
    check(403, "permission_error", "", ModelErrorKind::Permission);
    check(409, "conflict_error", "", ModelErrorKind::Server);
    check(413, "request_too_large", "", ModelErrorKind::RequestTooLarge);
    check(429, "rate_limit_error", "", ModelErrorKind::RateLimit);
    check(500, "api_error", "", ModelErrorKind::Server);
    check(504, "timeout_error", "", ModelErrorKind::Server);
    check(529, "overloaded_error", "", ModelErrorKind::Overloaded);
    check(418, "novelty_error", "", ModelErrorKind::InvalidRequest);
}

#[test]
fn lengths_are_read_out_of_the_words() {
    let length = |said| {
        let failure = refused(&refusal(400, "invalid_request_error", said), ASKED);
        (failure.error.kind, failure.error.over_by, failure.class)
    };
    assert_eq!(
        length("prompt is too long: 205000 tokens > 200000 maximum"),
        (ModelErrorKind::PromptTooLong, Some(5_000), FailureClass::Final)
    );
    assert_eq!(
        length("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"),
        (ModelErrorKind::PromptTooLong, None, FailureClass::NoRoom { room: 10_000, window: Some(200_000) })
    );
    assert_eq!(
        length("max_tokens: 90000 > 64000, which is the maximum allowed number of output tokens"),
        (ModelErrorKind::InvalidRequest, None, FailureClass::NoRoom { room: 64_000, window: None })
    );
}

#[test]
fn gateways_write_errors_in_shapes_of_their_own() {
    let message = |body: &str| {
        let refusal = Refusal { status: 503, body: body.to_owned(), ..Refusal::default() };
        refused(&refusal, ASKED).error.message
    };
    for body in
        [r#"{"error":"Busy."}"#, r#"{"message":"Busy"}"#, r#"{"detail":"Busy"}"#, " <h1>Busy</h1>", "Busy"]
    {
        assert_eq!(message(body), "The model's service failed (503): Busy. Try again in a while.");
    }
    let named = r#"{"error":{"message":"Busy"},"request_id":"req_7"}"#;
    assert_eq!(
        message(named),
        "The model's service failed (503, request req_7): Busy. Try again in a while."
    );
}
