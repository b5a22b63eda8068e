//! A `didOpen` or `didChange` that can't be read: dropped in silence, it would leave the server with another text than the
//! editor's.

mod pieces;

use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::Request;
use tower_lsp::ls_types::{Range, Uri, VersionedTextDocumentIdentifier};

/// What such a message is handled as; no method of the protocol.
pub(super) const METHOD: &str = "copydesk/_lostChange";

const OPENING: &str = "textDocument/didOpen";
const CHANGE: &str = "textDocument/didChange";

/// What is left of it.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(in crate::lsp) struct LostChange {
    /// The document it was about, as far as it says.
    pub(in crate::lsp) uri: Option<String>,
    /// It was the document's `didOpen`.
    pub(in crate::lsp) opening: bool,
    pub(in crate::lsp) cause: String,
}

/// Borrowed, so that the look at a large text copies nothing.
#[derive(Deserialize)]
struct ReadableOpening<'a> {
    #[serde(borrow, rename = "textDocument")]
    _document: ReadableDocument<'a>,
}

#[derive(Deserialize)]
struct ReadableDocument<'a> {
    #[serde(rename = "uri")]
    _uri: Uri,
    #[serde(rename = "languageId")]
    _language: &'a str,
    #[serde(rename = "version")]
    _version: i32,
    #[serde(rename = "text")]
    _text: &'a str,
}

#[derive(Deserialize)]
struct Readable<'a> {
    #[serde(rename = "textDocument")]
    _document: VersionedTextDocumentIdentifier,
    #[serde(borrow, rename = "contentChanges")]
    _changes: Vec<ReadableChange<'a>>,
}

#[derive(Deserialize)]
struct ReadableChange<'a> {
    #[serde(rename = "range")]
    _range: Option<Range>,
    #[serde(rename = "rangeLength")]
    _length: Option<u32>,
    #[serde(rename = "text")]
    _text: &'a str,
}

/// Gives `request`, or what is handled in the place of a `didOpen` or `didChange` that can't be read.
pub(super) fn or_lost(request: Request) -> Request {
    let params = request.params().unwrap_or(&Value::Null);
    let read = match request.method() {
        OPENING => ReadableOpening::deserialize(params).map(|_| ()),
        CHANGE => Readable::deserialize(params).map(|_| ()),
        _ => return request,
    };
    let Err(error) = read else { return request };
    lost(uri_in(params), request.method() == OPENING, &error.to_string())
}

/// What is handled in the place of `body`, which is no JSON because of `cause`, for each `didOpen` and `didChange` that was to
/// be in it: whose they were is read off its pieces.
pub(super) fn in_broken(body: &[u8], cause: &str) -> Vec<Request> {
    let pieces = pieces::of(body);
    let openings: Vec<bool> = pieces
        .strings()
        .filter(|string| matches!(*string, OPENING | CHANGE))
        .map(|method| method == OPENING)
        .collect();
    let uris = pieces.values_of("uri");
    match &*openings {
        [] => Vec::new(),
        [opening] => vec![lost(uris.first().copied().flatten(), *opening, cause)],
        several if several.len() == uris.len() => {
            uris.iter().zip(several).map(|(uri, opening)| lost(*uri, *opening, cause)).collect()
        }
        _ => vec![lost(None, false, cause)],
    }
}

/// The same for a message that is JSON, and yet not one that is taken because of `cause`.
pub(super) fn in_refused(message: &serde_json::Map<String, Value>, cause: &str) -> Option<Request> {
    let method = message.get("method").and_then(Value::as_str)?;
    let uri = message.get("params").and_then(uri_in);
    matches!(method, OPENING | CHANGE).then(|| lost(uri, method == OPENING, cause))
}

fn uri_in(params: &Value) -> Option<&str> {
    params.pointer("/textDocument/uri").and_then(Value::as_str)
}

fn lost(uri: Option<&str>, opening: bool, cause: &str) -> Request {
    Request::build(METHOD).params(json!({ "uri": uri, "opening": opening, "cause": cause })).finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `None`: it can be read.
    #[track_caller]
    fn check(params: Value, wanted: Option<(Option<&str>, &str)>) {
        let read = or_lost(Request::build("textDocument/didChange").params(params.clone()).finish());
        match wanted {
            None => {
                assert_eq!((read.method(), read.params()), ("textDocument/didChange", Some(&params)));
                let whole = tower_lsp::ls_types::DidChangeTextDocumentParams::deserialize(&params);
                assert!(whole.is_ok(), "{whole:?}");
            }
            Some((uri, cause)) => {
                assert_eq!(read.method(), METHOD);
                let lost = LostChange::deserialize(read.params().unwrap()).unwrap();
                assert_eq!(lost.uri.as_deref(), uri);
                assert!(lost.cause.contains(cause), "{lost:?}");
            }
        }
    }

    #[test]
    fn an_opening_that_cannot_be_read_is_lost_with_its_cause() {
        let opening = |version: Value| {
            let document = json!({"uri": "file:///a", "languageId": "x", "version": version, "text": "a"});
            or_lost(Request::build("textDocument/didOpen").params(json!({"textDocument": document})).finish())
        };
        assert_eq!(opening(json!(1)).method(), "textDocument/didOpen");
        let lost = LostChange::deserialize(opening(Value::Null).params().unwrap()).unwrap();
        assert_eq!((lost.uri.as_deref(), lost.opening), (Some("file:///a"), true));
        assert!(lost.cause.contains("null"), "{lost:?}");
    }

    #[test]
    fn a_change_that_can_be_read_goes_on_and_another_is_lost_with_its_cause() {
        let document = |version: Value| json!({"uri": "file:///a", "version": version});
        let at = json!({"line": 0, "character": 0});
        let change = json!([{"range": {"start": at, "end": at}, "rangeLength": 0, "text": "x"}]);
        check(json!({"textDocument": document(json!(2)), "contentChanges": change}), None);
        check(json!({"textDocument": document(json!(2)), "contentChanges": [{"text": "x"}]}), None);
        check(json!({"textDocument": document(json!(2)), "contentChanges": []}), None);
        check(
            json!({"textDocument": document(Value::Null), "contentChanges": change}),
            Some((Some("file:///a"), "null")),
        );
        check(json!({"textDocument": document(json!(2))}), Some((Some("file:///a"), "contentChanges")));
        check(
            json!({"textDocument": document(json!(2)), "contentChanges": [{"range": 7, "text": "x"}]}),
            Some((Some("file:///a"), "7")),
        );
        check(json!({"contentChanges": change}), Some((None, "textDocument")));
        for length in [json!(-1), json!(1.5), json!("3"), json!(99_999_999_999_u64), json!([])] {
            let change = json!([{"range": {"start": at, "end": at}, "rangeLength": length, "text": "x"}]);
            let params = json!({"textDocument": document(json!(2)), "contentChanges": change});
            check(params, Some((Some("file:///a"), "")));
        }
    }

    /// Each document, and whether it was its opening.
    #[track_caller]
    fn check_broken(body: &[u8], wanted: &[(Option<&str>, bool)]) {
        let lost: Vec<LostChange> = in_broken(body, "it ends early")
            .into_iter()
            .map(|request| {
                assert_eq!(request.method(), METHOD);
                LostChange::deserialize(request.params().unwrap()).unwrap()
            })
            .collect();
        let lost: Vec<_> = lost.iter().map(|lost| (lost.uri.as_deref(), lost.opening)).collect();
        assert_eq!(lost, wanted);
    }

    #[test]
    fn a_change_that_is_no_json_is_lost_for_its_document() {
        check_broken(
            b"{\"method\":\"textDocument/didChange\",\"params\":{\"textDocument\":{\"uri\": \"file:///a\",\"version\":2},\"contentChanges\":[{\"text\":\"\xff",
            &[(Some("file:///a"), false)],
        );
        check_broken(b"{\"method\":\"textDocument/didOpen\",\"params\":{\"te", &[(None, true)]);
        check_broken(b"{\"uri\":\"file:///\xff\",\"method\":\"textDocument/didChange\"", &[(None, false)]);
        check_broken(br#"{"method":"textDocument/hover","params":"textDocument/didChange\""#, &[]);
    }

    #[test]
    fn it_is_lost_however_its_method_is_spelled() {
        check_broken(br#"{"method":"textDocument\/didChange","uri":"file:\/\/\/a"#, &[(None, false)]);
        check_broken(
            br#"{"method":"textDocument\/didChange","uri":"file:\/\/\/a","#,
            &[(Some("file:///a"), false)],
        );
        check_broken(
            br#"{"uri" : "file:///a","text":"a"b","method":"\u0074extDocument/did\u0043hange""#,
            &[(Some("file:///a"), false)],
        );
    }

    #[test]
    fn each_document_of_a_broken_batch_is_lost() {
        let of = |method: &str, uri: &str| format!(r#"{{"method":"textDocument/{method}","uri":"{uri}"}}"#);
        let batch = format!("[{},{},", of("didChange", "file:///a"), of("didOpen", "file:///b"));
        check_broken(batch.as_bytes(), &[(Some("file:///a"), false), (Some("file:///b"), true)]);
        let torn = format!("[{},{}", of("didChange", "file:///a"), r#"{"method":"textDocument/didChange","#);
        check_broken(torn.as_bytes(), &[(None, false)]);
    }

    #[test]
    fn a_change_in_utf_16_is_lost() {
        let text = r#"{"method":"textDocument/didChange","uri":"file:///a","text":"x"}"#;
        let units: Vec<u16> = text.encode_utf16().collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        for body in [&little, &big, &[b"\xff\xfe", &*little].concat(), &[b"\xfe\xff", &*big].concat()] {
            check_broken(body, &[(Some("file:///a"), false)]);
        }
    }
}
