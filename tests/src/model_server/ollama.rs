//! The rules of Ollama's own wire: those of chat completions where the two are the same, and what only `/api/chat` has.

use serde_json::{Map, Value, json};

use super::{Request, chat_completions};

/// What `request` breaks, each in a line that begins with the rule's name.
pub(super) fn faults(request: &Request) -> Vec<String> {
    let mut faults = Vec::new();
    if (request.method.as_str(), request.path.as_str()) != ("POST", "/api/chat") {
        faults.push(format!("{} {} is no address of the API", request.method, request.path));
    }
    if !request.body["options"]["num_ctx"].is_u64() {
        faults.push("O-16: without `options.num_ctx` a long prompt is cut without a word".to_owned());
    }
    let calls = request.messages().iter().filter_map(|message| message["tool_calls"].as_array()).flatten();
    let written = calls.filter(|call| !call["function"]["arguments"].is_object());
    faults.extend(written.map(|call| format!("M4: the arguments are no object: {call}")));
    faults.extend(chat_completions::faults(&as_chat_completions(request)));
    faults
}

/// The same request on the other wire.
fn as_chat_completions(request: &Request) -> Request {
    let mut body = request.body.as_object().cloned().unwrap_or_default();
    body.remove("options");
    let messages: Vec<Value> = request.messages().iter().map(message).collect();
    body.insert("messages".to_owned(), Value::from(messages));
    let body = Value::Object(body);
    let path = "/v1/chat/completions".to_owned();
    Request { path, bytes: body.to_string().into_bytes(), body, ..request.clone() }
}

fn message(native: &Value) -> Value {
    let mut chat: Map<String, Value> = native.as_object().cloned().unwrap_or_default();
    if let Some(thinking) = chat.remove("thinking") {
        chat.insert("reasoning_content".to_owned(), thinking);
    }
    if let Some(images) = chat.remove("images") {
        chat.insert("content".to_owned(), images);
    }
    for call in chat.get_mut("tool_calls").and_then(Value::as_array_mut).into_iter().flatten() {
        let arguments = call["function"]["arguments"].to_string();
        call["function"]["arguments"] = json!(arguments);
    }
    Value::Object(chat)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the rules that a body breaks.
    #[track_caller]
    fn check(body: Value, wanted: &[&str]) {
        let (method, path) = ("POST".to_owned(), "/api/chat".to_owned());
        let bytes = body.to_string().into_bytes();
        let faults = faults(&Request { method, path, headers: Vec::new(), bytes, body });
        let rules: Vec<&str> = faults.iter().filter_map(|fault| fault.split(':').next()).collect();
        assert_eq!(rules, wanted, "{faults:#?}");
    }

    fn calling(arguments: Value) -> Value {
        json!([
            { "role": "user", "content": "x" },
            { "role": "assistant", "content": "", "tool_calls": [
                { "id": "a", "type": "function", "function": { "name": "Read", "arguments": arguments } },
            ] },
            { "role": "tool", "tool_call_id": "a", "content": "x" },
        ])
    }

    #[test]
    fn each_rule_is_seen_when_it_is_broken() {
        let options = json!({ "num_ctx": 8_192 });
        check(json!({ "model": "m", "options": options, "messages": calling(json!({ "f": 1 })) }), &[]);
        check(json!({ "model": "m", "messages": calling(json!({})) }), &["O-16"]);
        check(json!({ "model": "m", "options": options, "messages": calling(json!("{}")) }), &["M4", "M4"]);
        check(json!({ "model": "m", "options": options, "messages": [] }), &["M7"]);
        check(
            json!({ "model": "m", "options": options, "messages": calling(json!({})), "max_tokens": 1, "format": 2 }),
            &["fields"],
        );
    }
}
