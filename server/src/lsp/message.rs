//! JSON-RPC messages as they come in (JSON-RPC 2.0, sections 4 and 5; LSP "Base Protocol").

use serde_json::Value;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Request, Response};

use super::lost_change;
use crate::models::lone_surrogates;

/// One message from the editor.
#[derive(Debug, PartialEq)]
pub(super) enum Incoming {
    /// A request, or without an id a notification.
    Request(Request),
    /// The answer to a request of ours.
    Answer { id: i64, result: Result<Value, Error> },
    /// No message at all: this is what to answer.
    Invalid(Response),
    /// No message, but changes of documents were to be in it: what is handled in their place, and what is answered.
    Lost(Vec<Request>, Option<Response>),
}

/// Reads one body. Editors written in JavaScript send half a character where somebody cut one: it counts as one unit of
/// UTF-16, as U+FFFD does, so positions hold.
pub(super) fn decode(body: &[u8]) -> Incoming {
    let message = match std::str::from_utf8(body) {
        Ok(text) => lone_surrogates::parsed(text).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    match message {
        Ok(Value::Object(message)) => object(message),
        Ok(Value::Array(messages)) => batch(&messages),
        Ok(_) => invalid(Id::Null, "a message is a JSON object"),
        Err(cause) => match lost_change::in_broken(body, &cause) {
            lost if lost.is_empty() => Incoming::Invalid(parse_error(&cause)),
            lost => Incoming::Lost(lost, None),
        },
    }
}

/// What is answered to bytes that are no JSON.
pub(super) fn parse_error(cause: &str) -> Response {
    Response::from_error(Id::Null, error(ErrorCode::ParseError, format!("Parse error: {cause}")))
}

/// An error of the JSON-RPC layer with our own words.
pub(super) fn error(code: ErrorCode, message: String) -> Error {
    Error { code, message: message.into(), data: None }
}

fn batch(messages: &[Value]) -> Incoming {
    let cause = "LSP has no batches of messages: send them one by one";
    let objects = messages.iter().filter_map(Value::as_object);
    or_lost(objects.filter_map(|message| lost_change::in_refused(message, cause)), Id::Null, cause)
}

fn object(mut message: serde_json::Map<String, Value>) -> Incoming {
    let id = match message.remove("id") {
        None => None,
        Some(Value::Null) => Some(Id::Null),
        Some(Value::String(id)) => Some(Id::String(id)),
        Some(Value::Number(id)) if id.is_i64() => Some(Id::Number(id.as_i64().unwrap_or_default())),
        Some(_) => return refused(&message, Id::Null, "an id is a string or a whole number"),
    };
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return refused(&message, id.unwrap_or_default(), "expected `\"jsonrpc\": \"2.0\"`");
    }
    if id == Some(Id::Null) && message.contains_key("method") {
        return refused(&message, Id::Null, "the id of a request is not null");
    }
    if let Some(id) = &id
        && lost_change::in_refused(&message, "").is_some()
    {
        return refused(&message, id.clone(), "a change of a document is a notification, which has no id");
    }
    match (message.remove("method"), id) {
        (Some(Value::String(method)), id) => {
            let mut request = Request::build(method);
            if let Some(params) = message.remove("params") {
                request = request.params(params);
            }
            if let Some(id) = id {
                request = request.id(id);
            }
            Incoming::Request(request.finish())
        }
        (Some(_), id) => invalid(id.unwrap_or_default(), "a method is a string"),
        (None, Some(Id::Number(id))) => Incoming::Answer { id, result: answer(&mut message) },
        // Nobody asked: an answer with such an id, or to an error of ours, which has none.
        (None, Some(Id::String(_) | Id::Null)) if is_answer(&message) => {
            Incoming::Answer { id: -1, result: answer(&mut message) }
        }
        (None, id) => invalid(id.unwrap_or_default(), "a message has a method, a result or an error"),
    }
}

fn is_answer(message: &serde_json::Map<String, Value>) -> bool {
    message.contains_key("result") || message.contains_key("error")
}

/// Some clients leave out a `result` that is null.
fn answer(message: &mut serde_json::Map<String, Value>) -> Result<Value, Error> {
    match message.remove("error") {
        None | Some(Value::Null) => Ok(message.remove("result").unwrap_or_default()),
        Some(fault) => Err(serde_json::from_value(fault).unwrap_or_else(|cause| {
            error(ErrorCode::InternalError, format!("an error that can't be read: {cause}"))
        })),
    }
}

fn refused(message: &serde_json::Map<String, Value>, id: Id, cause: &str) -> Incoming {
    or_lost(lost_change::in_refused(message, cause).into_iter(), id, cause)
}

fn or_lost(lost: impl Iterator<Item = Request>, id: Id, cause: &str) -> Incoming {
    let lost: Vec<Request> = lost.collect();
    let answer = invalid_request(id, cause);
    if lost.is_empty() { Incoming::Invalid(answer) } else { Incoming::Lost(lost, Some(answer)) }
}

fn invalid(id: Id, cause: &str) -> Incoming {
    Incoming::Invalid(invalid_request(id, cause))
}

fn invalid_request(id: Id, cause: &str) -> Response {
    Response::from_error(id, error(ErrorCode::InvalidRequest, format!("Invalid request: {cause}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check_error(body: &str, wanted: Value) {
        let Incoming::Invalid(response) = decode(body.as_bytes()) else {
            panic!("{body} was taken for a message")
        };
        let mut response = serde_json::to_value(response).unwrap();
        response["error"].as_object_mut().unwrap().remove("message");
        assert_eq!(response, wanted);
    }

    #[test]
    fn what_is_no_json_is_a_parse_error() {
        let wanted = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32700}});
        check_error("{\"jsonrpc\":\"2.0\",\"method\":", wanted.clone());
        check_error("", wanted.clone());
        check_error("Content-Length: 2", wanted);
    }

    #[test]
    fn what_is_no_message_is_an_invalid_request() {
        let with_id = |id: Value| json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32600}});
        check_error("17", with_id(Value::Null));
        check_error("[]", with_id(Value::Null));
        check_error("{}", with_id(Value::Null));
        check_error(r#"{"jsonrpc":"2.0","id":{},"method":"a"}"#, with_id(Value::Null));
        check_error(r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, with_id(Value::Null));
        check_error(r#"{"jsonrpc":"2.0","id":7,"method":3}"#, with_id(json!(7)));
        check_error(r#"{"jsonrpc":"1.0","id":7,"method":"a"}"#, with_id(json!(7)));
        check_error(r#"{"id":"x","method":"a"}"#, with_id(json!("x")));
    }

    #[test]
    fn a_change_in_a_broken_message_is_lost_and_not_forgotten() {
        let body = br#"{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"text":"#;
        check_lost(body, 1, None);
    }

    /// How many changes are lost, and the id and code of what is answered besides.
    #[track_caller]
    fn check_lost(body: &[u8], count: usize, answered: Option<(Value, i64)>) {
        let Incoming::Lost(lost, answer) = decode(body) else {
            panic!("nothing is lost in {}", String::from_utf8_lossy(body))
        };
        assert_eq!(lost.len(), count);
        assert!(lost.iter().all(|lost| lost.method() == lost_change::METHOD), "{lost:?}");
        let answer = answer.map(|answer| serde_json::to_value(answer).unwrap());
        let answer = answer.map(|answer| (answer["id"].clone(), answer["error"]["code"].as_i64().unwrap()));
        assert_eq!(answer, answered);
    }

    #[test]
    fn a_change_in_a_message_that_is_refused_is_lost_too() {
        let change = r#"{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a"}}}"#;
        check_lost(
            format!(r#"[{change},{change},{{"id":1,"method":"a"}}]"#).as_bytes(),
            2,
            Some((Value::Null, -32600)),
        );
        let other = change.replace("2.0", "1.0");
        check_lost(other.as_bytes(), 1, Some((Value::Null, -32600)));
        let with_id = change.replacen('{', r#"{"id":null,"#, 1);
        check_lost(with_id.as_bytes(), 1, Some((Value::Null, -32600)));
        let asked = change.replacen('{', r#"{"id":7,"#, 1);
        check_lost(asked.as_bytes(), 1, Some((json!(7), -32600)));
    }

    #[test]
    fn half_a_character_costs_no_message() {
        let body = br#"{"jsonrpc":"2.0","method":"a","params":["top\ud83dx"]}"#;
        let request = Request::build("a").params(json!(["top\u{fffd}x"])).finish();
        assert_eq!(decode(body), Incoming::Request(request));
    }

    #[test]
    fn answers_are_told_from_requests() {
        let request = Request::build("a").id(7).params(json!([1])).finish();
        assert_eq!(
            decode(br#"{"jsonrpc":"2.0","id":7,"method":"a","params":[1]}"#),
            Incoming::Request(request)
        );
        assert_eq!(
            decode(br#"{"jsonrpc":"2.0","id":7,"result":null}"#),
            Incoming::Answer { id: 7, result: Ok(Value::Null) }
        );
        assert_eq!(
            decode(br#"{"jsonrpc":"2.0","id":7}"#),
            Incoming::Answer { id: 7, result: Ok(Value::Null) }
        );
        let fault = error(ErrorCode::MethodNotFound, "no".to_owned());
        assert_eq!(
            decode(br#"{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no"}}"#),
            Incoming::Answer { id: 7, result: Err(fault) }
        );
    }
}
