//! What a client may send that the protocol's own types would refuse whole, put into a form that they take.

use serde_json::{Value, json};
use tower_lsp::jsonrpc::Request;

/// Gives `request` a form that can be read.
///
/// - `initialize`: one capability of a newer protocol would make the whole of it invalid. So it is carried inside
///   `initializationOptions`, which may be anything, and read there by `Hello`.
/// - URIs: editors send `file:///pages/[id].tsx`, which RFC 3986 forbids; the message would be dropped and the buffers
///   would differ from then on. The forbidden characters are percent-encoded, which every editor decodes.
pub(super) fn read_kindly(request: Request) -> Request {
    let (method, id, params) = request.into_parts();
    let params = match (method.as_ref(), params) {
        ("initialize", params) => {
            Some(json!({"capabilities": {}, "initializationOptions": params.unwrap_or_default()}))
        }
        (_, Some(mut params)) => {
            encode_uris(&mut params);
            Some(params)
        }
        // Ours all take an object, and none of its fields may be needed.
        (method, None) if method.starts_with("copydesk/") => Some(json!({})),
        (_, None) => None,
    };
    let mut request = Request::build(method);
    if let Some(params) = params {
        request = request.params(params);
    }
    match id {
        Some(id) => request.id(id).finish(),
        None => request.finish(),
    }
}

fn encode_uris(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(uri) if matches!(name.as_str(), "uri" | "oldUri" | "newUri") => {
                        if !uri.bytes().all(is_legal) {
                            *uri = encoded(uri);
                        }
                    }
                    value => encode_uris(value),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(encode_uris),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn encoded(uri: &str) -> String {
    uri.bytes()
        .map(|byte| if is_legal(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// RFC 3986 section 2, without the brackets, which are only for IPv6 hosts.
fn is_legal(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&'()*+,;=%".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(uri: &str, wanted: &str) {
        let request =
            Request::build("textDocument/didOpen").params(json!({"textDocument": {"uri": uri, "text": uri}}));
        let read = read_kindly(request.finish());
        assert_eq!(read.params(), Some(&json!({"textDocument": {"uri": wanted, "text": uri}})));
        assert!(wanted.parse::<tower_lsp::ls_types::Uri>().is_ok());
    }

    #[test]
    fn uris_that_editors_send_can_be_read() {
        check("file:///w/a.rs", "file:///w/a.rs");
        check("file:///w/a%20b.rs", "file:///w/a%20b.rs");
        check("file:///pages/[id].tsx", "file:///pages/%5Bid%5D.tsx");
        check("file:///w/a b|ü.rs", "file:///w/a%20b%7C%C3%BC.rs");
        check("git:/repo/a.rs?ref=HEAD", "git:/repo/a.rs?ref=HEAD");
    }

    #[test]
    fn initialize_is_carried_whole() {
        let params = json!({"capabilities": {"workspace": "from the year 2040"}});
        let read = read_kindly(Request::build("initialize").params(params.clone()).id(1).finish());
        assert_eq!(read.params(), Some(&json!({"capabilities": {}, "initializationOptions": params})));
    }
}
