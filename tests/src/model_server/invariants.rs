//! The rules that every request to a model keeps, M1 to M7, and the few that the API has beside them.

use std::collections::HashSet;

use serde_json::Value;

use super::Request;

/// What `request` breaks, each in a line that begins with the rule's name.
pub(super) fn faults(request: &Request) -> Vec<String> {
    let mut faults = Vec::new();
    if (request.method.as_str(), request.path.as_str()) != ("POST", "/v1/messages") {
        faults.push(format!("{} {} is no address of the API", request.method, request.path));
    }
    if request.header("anthropic-version").is_none() {
        faults.push("the header anthropic-version is missing".to_owned());
    }
    if request.header("x-api-key").is_some() == request.header("authorization").is_some() {
        faults.push("a request carries either a key or a token".to_owned());
    }
    // A lone surrogate escape is refused by the parser too.
    if let Err(error) = serde_json::from_slice::<Value>(&request.bytes) {
        faults.push(format!("M6: the body is no UTF-8 JSON: {error}"));
        return faults;
    }
    if request.messages().is_empty() {
        faults.push("M7: there are no messages".to_owned());
    }
    faults.extend(roles(request.messages()));
    faults.extend(blank(request.messages()));
    faults.extend(ids(request.messages()));
    faults.extend(pairs(request.messages()));
    faults
}

fn roles(messages: &[Value]) -> Vec<String> {
    let expected = ["user", "assistant"].into_iter().cycle();
    let wrong = messages.iter().zip(expected).position(|(message, role)| message["role"] != role);
    wrong.map(|at| format!("M7: message {at} is from the {}", messages[at]["role"])).into_iter().collect()
}

fn blank(messages: &[Value]) -> Vec<String> {
    let is_blank = |text: &Value| text.as_str().is_some_and(|text| text.trim().is_empty());
    let mut faults = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        if blocks(message).is_empty() && !message["content"].is_string() {
            faults.push(format!("M3: message {at} is empty"));
        }
        if is_blank(&message["content"]) || blocks(message).iter().any(|block| is_blank(&block["text"])) {
            faults.push(format!("M3: message {at} has a blank text: {}", message["content"]));
        }
    }
    faults
}

fn ids(messages: &[Value]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut seen = HashSet::new();
    for call in messages.iter().flat_map(|message| of_type(message, "tool_use")) {
        let id = call["id"].as_str().unwrap_or_default();
        let legal = !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        if !legal || !seen.insert(id) {
            faults.push(format!("M5: the id {id:?} is not legal, or used twice"));
        }
        if !call["input"].is_object() {
            faults.push(format!("M4: the input of {id:?} is no object: {}", call["input"]));
        }
    }
    faults
}

fn pairs(messages: &[Value]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut asked: Vec<&str> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let answered = texts(of_type(message, "tool_result"), "tool_use_id");
        for id in &asked {
            let results = answered.iter().filter(|answered| answered == &id).count();
            if results != 1 {
                faults.push(format!("M1: the call {id:?} has {results} results in message {at}"));
            }
        }
        for id in answered.iter().filter(|id| !asked.contains(id)) {
            faults.push(format!(
                "M2: message {at} has a result for {id:?}, which the message before did not call"
            ));
        }
        let kinds = blocks(message).iter().map(|block| block["type"] == "tool_result");
        if kinds.collect::<Vec<_>>().windows(2).any(|pair| pair == [false, true]) {
            faults.push(format!("M1: in message {at} a result stands behind other content"));
        }
        asked = texts(of_type(message, "tool_use"), "id");
    }
    faults.extend(asked.into_iter().map(|id| format!("M1: the call {id:?} has no result at all")));
    faults
}

fn blocks(message: &Value) -> &[Value] {
    message["content"].as_array().map_or(&[], Vec::as_slice)
}

fn of_type<'a>(message: &'a Value, block_type: &str) -> Vec<&'a Value> {
    blocks(message).iter().filter(|block| block["type"] == block_type).collect()
}

fn texts<'a>(blocks: Vec<&'a Value>, field: &str) -> Vec<&'a str> {
    blocks.into_iter().map(|block| block[field].as_str().unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Compares the rules that messages break.
    #[track_caller]
    fn check(messages: Value, wanted: &[&str]) {
        let body = json!({ "messages": messages });
        let headers =
            ["x-api-key", "anthropic-version"].map(|name| (name.to_owned(), "x".to_owned())).to_vec();
        let (method, path) = ("POST".to_owned(), "/v1/messages".to_owned());
        let request = Request { method, path, headers, bytes: body.to_string().into_bytes(), body };
        let faults = faults(&request);
        let rules: Vec<&str> = faults.iter().filter_map(|fault| fault.split(':').next()).collect();
        assert_eq!(rules, wanted, "{faults:#?}");
    }

    fn user(content: Value) -> Value {
        json!({ "role": "user", "content": content })
    }

    fn assistant(content: Value) -> Value {
        json!({ "role": "assistant", "content": content })
    }

    fn text() -> Value {
        json!({ "type": "text", "text": "x" })
    }

    fn call(id: &str) -> Value {
        json!({ "type": "tool_use", "id": id, "name": "Read", "input": {} })
    }

    fn result(id: &str) -> Value {
        json!({ "type": "tool_result", "tool_use_id": id, "content": "" })
    }

    #[test]
    fn a_legal_conversation_breaks_nothing() {
        check(
            json!([
                user(json!("hi")),
                assistant(json!([text(), call("a")])),
                user(json!([result("a"), text()]))
            ]),
            &[],
        );
    }

    #[test]
    fn each_rule_is_seen_when_it_is_broken() {
        let asked =
            |answer: Value| json!([user(json!([text()])), assistant(json!([call("a")])), user(answer)]);
        check(asked(json!([text()])), &["M1"]);
        check(asked(json!([result("a"), result("a")])), &["M1"]);
        check(asked(json!([text(), result("a")])), &["M1"]);
        check(asked(json!([result("a"), result("b")])), &["M2"]);
        check(json!([user(json!([text()])), assistant(json!([call("a")]))]), &["M1"]);
        check(json!([user(json!([{ "type": "text", "text": " \n" }]))]), &["M3"]);
        check(json!([user(json!([]))]), &["M3"]);
        let twice = json!([call("a"), call("a")]);
        check(json!([user(json!([text()])), assistant(twice), user(json!([result("a")]))]), &["M5"]);
        let bad = json!([{ "type": "tool_use", "id": "a:b", "name": "Read", "input": "x" }]);
        check(json!([user(json!([text()])), assistant(bad), user(json!([result("a:b")]))]), &["M5", "M4"]);
        check(json!([assistant(json!([text()]))]), &["M7"]);
        check(json!([user(json!("a")), user(json!("b"))]), &["M7"]);
        check(json!([]), &["M7"]);
    }
}
