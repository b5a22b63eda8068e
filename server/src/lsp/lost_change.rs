//! A `didOpen` or `didChange` that can't be read: dropped in silence, it would leave the server with another text than the
//! editor's.

use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::Request;
use tower_lsp::ls_types::{Range, Uri, VersionedTextDocumentIdentifier};

/// What such a message is handled as; no method of the protocol.
pub(super) const METHOD: &str = "copydesk/_lostChange";

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
    #[serde(rename = "text")]
    _text: &'a str,
}

/// Gives `request`, or what is handled in the place of a `didOpen` or `didChange` that can't be read.
pub(super) fn or_lost(request: Request) -> Request {
    let params = request.params().unwrap_or(&Value::Null);
    let (opening, read) = match request.method() {
        "textDocument/didOpen" => (true, ReadableOpening::deserialize(params).map(|_| ())),
        "textDocument/didChange" => (false, Readable::deserialize(params).map(|_| ())),
        _ => return request,
    };
    let Err(error) = read else { return request };
    let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
    let params = json!({ "uri": uri, "opening": opening, "cause": error.to_string() });
    Request::build(METHOD).params(params).finish()
}

/// What is handled in the place of `body`, which is no JSON because of `cause`, if it was to be a `didOpen` or `didChange`:
/// whose it was is read off its pieces.
pub(super) fn in_broken(body: &[u8], cause: &str) -> Option<Request> {
    let text = String::from_utf8_lossy(body);
    // A quote within a string has a backslash before it, so these are no words of a document.
    let opening = text.contains(r#""textDocument/didOpen""#);
    if !opening && !text.contains(r#""textDocument/didChange""#) {
        return None;
    }
    let after = text.split_once(r#""uri""#).and_then(|(_, rest)| rest.trim_start().strip_prefix(':'));
    let value = after.and_then(|rest| {
        serde_json::Deserializer::from_str(rest).into_iter::<String>().next().and_then(Result::ok)
    });
    let uri = value.filter(|uri| !uri.contains('\u{fffd}'));
    let params = json!({ "uri": uri, "opening": opening, "cause": cause });
    Some(Request::build(METHOD).params(params).finish())
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
    }

    /// The document, and whether it was its opening; `None`: it was about no document's text.
    #[track_caller]
    fn check_broken(body: &[u8], wanted: Option<(Option<&str>, bool)>) {
        let lost = in_broken(body, "it ends early").map(|request| {
            assert_eq!(request.method(), METHOD);
            LostChange::deserialize(request.params().unwrap()).unwrap()
        });
        let of = |lost: &'_ LostChange| (lost.uri.clone(), lost.opening, lost.cause.clone());
        let wanted =
            wanted.map(|(uri, opening)| (uri.map(str::to_owned), opening, "it ends early".to_owned()));
        assert_eq!(lost.as_ref().map(of), wanted);
    }

    #[test]
    fn a_change_that_is_no_json_is_lost_for_its_document() {
        check_broken(
            b"{\"method\":\"textDocument/didChange\",\"params\":{\"textDocument\":{\"uri\": \"file:///a\",\"version\":2},\"contentChanges\":[{\"text\":\"\xff",
            Some((Some("file:///a"), false)),
        );
        check_broken(b"{\"method\":\"textDocument/didOpen\",\"params\":{\"te", Some((None, true)));
        check_broken(b"{\"uri\":\"file:///\xff\",\"method\":\"textDocument/didChange\"", Some((None, false)));
        check_broken(br#"{"method":"textDocument/hover","params":"textDocument/didChange\""#, None);
    }
}
