//! The rules that every chat-completions request keeps: what M1 to M7 are for the Messages API, and what strict servers
//! add.

use std::collections::HashSet;

use serde_json::Value;

use super::Request;

/// Fields that every server knows. Another one is refused by the strict ones.
const FIELDS: [&str; 8] = [
    "model",
    "messages",
    "max_tokens",
    "max_completion_tokens",
    "stream",
    "stream_options",
    "tools",
    "tool_choice",
];

/// The same of a message, by its role.
fn fields_of(role: &str) -> &'static [&'static str] {
    match role {
        "system" | "developer" | "user" => &["role", "content"],
        "assistant" => &["role", "content", "tool_calls", "reasoning_content"],
        "tool" => &["role", "content", "tool_call_id"],
        _ => &[],
    }
}

/// What `request` breaks, each in a line that begins with the rule's name.
pub(super) fn faults(request: &Request) -> Vec<String> {
    let mut faults = Vec::new();
    if (request.method.as_str(), request.path.as_str()) != ("POST", "/v1/chat/completions") {
        faults.push(format!("{} {} is no address of the API", request.method, request.path));
    }
    if let Err(error) = serde_json::from_slice::<Value>(&request.bytes) {
        faults.push(format!("M6: the body is no UTF-8 JSON: {error}"));
        return faults;
    }
    let body = request.body.as_object();
    let unknown =
        body.into_iter().flat_map(|body| body.keys()).filter(|name| !FIELDS.contains(&name.as_str()));
    faults.extend(unknown.map(|name| format!("fields: `{name}` is not known everywhere")));
    faults.extend(roles(request.messages()));
    faults.extend(contents(request.messages()));
    faults.extend(calls(request.messages()));
    faults.extend(answers(request.messages()));
    faults.extend(schemas(&request.body["tools"]));
    faults
}

fn role(message: &Value) -> &str {
    message["role"].as_str().unwrap_or_default()
}

/// The system speaks first and once, then the user; after that, roles alternate but for results.
fn roles(messages: &[Value]) -> Vec<String> {
    let spoken: Vec<&Value> = messages
        .iter()
        .skip_while(|message| matches!(role(message), "system" | "developer"))
        .filter(|message| role(message) != "tool")
        .collect();
    let mut faults = Vec::new();
    if messages.iter().skip(1).any(|message| matches!(role(message), "system" | "developer")) {
        faults.push("M7: the system speaks later than first".to_owned());
    }
    if spoken.first().is_none_or(|message| role(message) != "user") {
        faults.push("M7: the user does not begin".to_owned());
    }
    for (at, message) in messages.iter().enumerate() {
        let names = message.as_object().into_iter().flat_map(|message| message.keys());
        let unknown = names.filter(|name| !fields_of(role(message)).contains(&name.as_str()));
        faults.extend(
            unknown.map(|name| format!("fields: message {at} of role {:?} has `{name}`", role(message))),
        );
    }
    for (at, pair) in messages.windows(2).enumerate() {
        let roles = (role(&pair[0]), role(&pair[1]));
        if matches!(
            roles,
            ("user", "user") | ("assistant", "assistant") | ("user" | "system" | "developer", "tool")
        ) {
            faults.push(format!("M7: message {} of role {:?} follows one of {:?}", at + 1, roles.1, roles.0));
        }
    }
    faults
}

fn contents(messages: &[Value]) -> Vec<String> {
    let mut faults = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let calls = message["tool_calls"].as_array().is_some_and(|calls| !calls.is_empty());
        let blank = match &message["content"] {
            Value::String(text) => text.trim().is_empty(),
            Value::Array(parts) => parts.is_empty(),
            _ => true,
        };
        if message.get("content").is_none() || (blank && !(role(message) == "assistant" && calls)) {
            faults.push(format!("M3: message {at} is blank: {message}"));
        }
    }
    faults
}

fn calls(messages: &[Value]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut seen = HashSet::new();
    for call in messages.iter().filter_map(|message| message["tool_calls"].as_array()).flatten() {
        let id = call["id"].as_str().unwrap_or_default();
        if id.is_empty() || !seen.insert(id) {
            faults.push(format!("M5: the id {id:?} is empty, or used twice"));
        }
        let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
        if !serde_json::from_str::<Value>(arguments).is_ok_and(|arguments| arguments.is_object()) {
            faults.push(format!("M4: the arguments of {id:?} are no object in a text: {call}"));
        }
        if call["type"] != "function" || call["function"]["name"].as_str().is_none_or(str::is_empty) {
            faults.push(format!("M4: {id:?} is no call of a function"));
        }
    }
    faults
}

/// Each call is answered by a message of its own, directly behind, in the order of the calls.
fn answers(messages: &[Value]) -> Vec<String> {
    let mut faults = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let calls = message["tool_calls"].as_array().map_or(&[][..], Vec::as_slice);
        let asked: Vec<&str> = calls.iter().filter_map(|call| call["id"].as_str()).collect();
        if role(message) == "tool" {
            continue;
        }
        let answered: Vec<&str> = messages[at + 1..]
            .iter()
            .take_while(|message| role(message) == "tool")
            .filter_map(|message| message["tool_call_id"].as_str())
            .collect();
        if asked != answered {
            faults.push(format!("M1: behind message {at}, the calls {asked:?} are answered by {answered:?}"));
        }
    }
    faults
}

fn schemas(tools: &Value) -> Vec<String> {
    let tools = tools.as_array().map_or(&[][..], Vec::as_slice);
    let wrong = tools.iter().filter(|tool| {
        let parameters = &tool["function"]["parameters"];
        parameters["type"] != "object" || !parameters["properties"].is_object()
    });
    wrong.map(|tool| format!("O-18: a tool's parameters name no properties: {tool}")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Compares the rules that messages break.
    #[track_caller]
    fn check(messages: Value, wanted: &[&str]) {
        let body = json!({ "model": "m", "messages": messages });
        let (method, path) = ("POST".to_owned(), "/v1/chat/completions".to_owned());
        let request =
            Request { method, path, headers: Vec::new(), bytes: body.to_string().into_bytes(), body };
        let faults = faults(&request);
        let rules: Vec<&str> = faults.iter().filter_map(|fault| fault.split(':').next()).collect();
        assert_eq!(rules, wanted, "{faults:#?}");
    }

    fn said(role: &str) -> Value {
        json!({ "role": role, "content": "x" })
    }

    fn calling(ids: &[&str]) -> Value {
        let calls: Vec<Value> = ids
            .iter()
            .map(|id| json!({ "id": id, "type": "function", "function": { "name": "Read", "arguments": "{}" } }))
            .collect();
        json!({ "role": "assistant", "content": null, "tool_calls": calls })
    }

    fn result(id: &str) -> Value {
        json!({ "role": "tool", "tool_call_id": id, "content": "x" })
    }

    #[test]
    fn a_legal_conversation_breaks_nothing() {
        check(
            json!([
                said("system"),
                said("user"),
                calling(&["a", "b"]),
                result("a"),
                result("b"),
                said("user"),
                said("assistant")
            ]),
            &[],
        );
        check(json!([said("user"), calling(&["a"]), result("a"), said("assistant")]), &[]);
    }

    #[test]
    fn each_rule_is_seen_when_it_is_broken() {
        check(json!([]), &["M7"]);
        check(json!([said("assistant")]), &["M7"]);
        check(json!([said("user"), said("user")]), &["M7"]);
        check(json!([said("user"), said("assistant"), said("assistant")]), &["M7"]);
        check(json!([said("user"), said("system")]), &["M7"]);
        check(json!([said("system"), said("user"), said("system")]), &["M7"]);
        check(json!([said("user"), calling(&["a", "b"]), result("b"), result("a")]), &["M1"]);
        check(json!([said("user"), calling(&["a"]), said("user")]), &["M1"]);
        check(json!([said("user"), result("a")]), &["M7", "M1"]);
        check(json!([said("user"), calling(&["a", "a"]), result("a"), result("a")]), &["M5"]);
        check(json!([{ "role": "user", "content": " " }]), &["M3"]);
        check(json!([{ "role": "user", "content": "x", "name": "me" }]), &["fields"]);
        check(json!([said("user"), { "role": "assistant", "tool_calls": [] }]), &["M3"]);
    }
}
