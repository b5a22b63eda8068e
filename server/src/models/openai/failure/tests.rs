//! What is told for what servers answer instead.

use serde_json::json;

use super::*;

const ASKED: Asked<'_> = Asked { model: "m", url: "http://host:1", api: API };

fn refusal(status: u16, body: Value) -> Refusal {
    Refusal { status, body: body.to_string(), ..Refusal::default() }
}

#[track_caller]
fn check(status: u16, body: Value, kind: ModelErrorKind, again: bool) {
    let failure = refused(&refusal(status, body), ASKED);
    let told = (failure.error.kind, failure.class != FailureClass::Final);
    assert_eq!(told, (kind, again), "{}", failure.error.message);
}

#[track_caller]
fn check_too_long(status: u16, body: Value, over_by: Option<u64>) {
    let failure = refused(&refusal(status, body), ASKED);
    assert_eq!(
        (failure.error.kind, failure.error.over_by, failure.class),
        (ModelErrorKind::PromptTooLong, over_by, FailureClass::Final),
        "{}",
        failure.error.message
    );
}

#[test]
fn each_status_has_its_kind() {
    let error = |message: &str| json!({ "error": { "message": message } });
    check(400, error("bad"), ModelErrorKind::InvalidRequest, false);
    check(401, error("No auth credentials found"), ModelErrorKind::Authentication, false);
    check(402, error("Insufficient credits"), ModelErrorKind::Billing, false);
    check(403, error("flagged"), ModelErrorKind::Permission, false);
    check(404, error("The model `x` does not exist"), ModelErrorKind::UnknownModel, false);
    check(408, error("timed out"), ModelErrorKind::Server, true);
    check(413, error("too large"), ModelErrorKind::RequestTooLarge, false);
    check(422, json!({ "detail": [{ "msg": "extra field" }] }), ModelErrorKind::InvalidRequest, false);
    check(429, error("slow down"), ModelErrorKind::RateLimit, true);
    check(500, error("oops"), ModelErrorKind::Server, true);
    check(502, error("bad gateway"), ModelErrorKind::Server, true);
    check(
        503,
        json!({ "error": { "message": "Loading model", "type": "unavailable_error" } }),
        ModelErrorKind::Overloaded,
        true,
    );
}

#[test]
fn a_spent_account_is_not_asked_again() {
    let spent = json!({ "error": { "message": "You exceeded your quota", "code": "insufficient_quota" } });
    check(429, spent, ModelErrorKind::Billing, false);
}

#[test]
fn errors_in_every_form_keep_their_words() {
    for body in [
        json!({ "error": { "message": "no luck", "type": "x", "code": null } }),
        json!({ "error": "no luck" }),
        json!({ "object": "error", "message": "no luck", "code": 400 }),
        json!({ "message": "no luck" }),
        json!({ "detail": "no luck" }),
    ] {
        let told = refused(&refusal(400, body.clone()), ASKED).error.message;
        assert_eq!(
            told,
            "The model's service refused the request (400): no luck. Check the model and the settings for it.",
            "{body}"
        );
    }
    let page = Refusal { status: 502, body: "<html>Bad gateway</html>".into(), ..Refusal::default() };
    let told = refused(&page, ASKED).error.message;
    assert_eq!(told, "The model's service failed (502): <html>Bad gateway</html>. Try again in a while.");
    let behind =
        json!({ "error": { "message": "Provider returned error", "metadata": { "raw": "out of memory" } } });
    let told = refused(&refusal(400, behind), ASKED).error.message;
    assert!(told.contains("Provider returned error: out of memory"), "{told}");
}

#[test]
fn a_request_that_is_too_long_is_known_by_its_many_names() {
    let openai =
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.";
    check_too_long(
        400,
        json!({ "error": { "message": openai, "code": "context_length_exceeded" } }),
        Some(808),
    );
    let llama = json!({ "error": {
        "code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": 5000, "n_ctx": 4096,
        "message": "the request exceeds the available context size, try increasing it",
    } });
    check_too_long(400, llama.clone(), Some(904));
    check_too_long(500, llama, Some(904));
    let vllm = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion).";
    check_too_long(400, json!({ "object": "error", "message": vllm, "code": 400 }), Some(904));
    let studio = "Trying to keep the first 6000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. The number of tokens is greater than the context length.";
    check_too_long(400, json!({ "error": studio }), Some(1_904));
    check_too_long(400, json!({ "error": { "message": "prompt is too long" } }), None);
}

#[test]
fn a_conversation_that_fits_leaves_room_for_a_shorter_answer() {
    let said = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (3000 in the messages, 2000 in the completion).";
    let failure = refused(&refusal(400, json!({ "object": "error", "message": said })), ASKED);
    assert_eq!(failure.class, FailureClass::NoRoom { room: 1_096, window: Some(4_096) });
}

#[test]
fn a_model_without_tools_is_told_with_what_to_do() {
    let said = json!({ "error": { "message": "registry.ollama.ai/library/m does not support tools" } });
    let failure = refused(&refusal(400, said), ASKED);
    assert_eq!(
        failure.error.message,
        "The model `m` can't call tools at http://host:1: registry.ollama.ai/library/m does not support tools. \
         Choose a model that can, turn tool calls on at the server (llama.cpp: --jinja; vLLM: --enable-auto-tool-choice), \
         or set `model.tool_calls = \"prompt\"`."
    );
    let jinja = json!({ "error": { "code": 500, "message": "tools param requires --jinja flag" } });
    check(500, jinja, ModelErrorKind::Server, false);
    let vllm = json!({ "message": "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set" });
    check(400, vllm, ModelErrorKind::InvalidRequest, false);
}

#[test]
fn an_error_in_the_stream_is_tried_again_only_early() {
    let fault = |body: Value| Fault::in_chunk(&body).expect("a fault");
    let busy = || fault(json!({ "error": { "code": 502, "message": "busy" } }));
    assert_eq!(faulty(busy(), ASKED, true).class, FailureClass::Cut);
    let late = faulty(busy(), ASKED, false);
    assert_eq!((late.class, late.error.kind), (FailureClass::Final, ModelErrorKind::Server));
    assert_eq!(
        late.error.message,
        "The model's service failed in the middle of the answer: busy. Try again in a while."
    );
    let limited = fault(json!({ "error": { "code": "rate_limit_exceeded", "message": "slow" } }));
    assert_eq!(faulty(limited, ASKED, true).error.kind, ModelErrorKind::RateLimit);
    let refused = fault(json!({ "object": "error", "message": "bad", "code": 400 }));
    assert_eq!(faulty(refused, ASKED, true).class, FailureClass::Final);
}
