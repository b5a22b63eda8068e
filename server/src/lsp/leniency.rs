//! What a client may send that the protocol's own types would refuse whole, put into a form that they take.

use serde_json::{Number, Value, json};
use tower_lsp::jsonrpc::Request;

/// Gives `request` a form that can be read.
///
/// - `initialize`: one capability of a newer protocol would make the whole of it invalid. So it is carried inside
///   `initializationOptions`, which may be anything, and read there by `Hello`.
/// - URIs: editors send `file:///pages/[id].tsx`, which RFC 3986 forbids; the message would be dropped and the buffers
///   would differ from then on. The forbidden characters are percent-encoded, which every editor decodes.
/// - Positions: a line or column that is negative, broken or too large would lose the message in the same way. It becomes
///   the nearest that can be, and is clamped to the text later as any other.
pub(super) fn read_kindly(request: Request) -> Request {
    let (method, id, params) = request.into_parts();
    let params = match (method.as_ref(), params) {
        ("initialize", params) => {
            Some(json!({"capabilities": {}, "initializationOptions": params.unwrap_or_default()}))
        }
        (_, Some(mut params)) => {
            mend(&mut params);
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

fn mend(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(uri) if matches!(name.as_str(), "uri" | "oldUri" | "newUri") => {
                        if !is_legal(uri) {
                            *uri = encoded(uri);
                        }
                    }
                    Value::Number(place) if matches!(name.as_str(), "line" | "character") => {
                        *place = nearest(place).into();
                    }
                    value => mend(value),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(mend),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The nearest number that LSP allows as a line or column (LSP "uinteger").
fn nearest(place: &Number) -> u32 {
    let place = place.as_f64().unwrap_or_default();
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` goes to the nearest bound"
    )]
    let nearest = place as u32;
    nearest
}

fn is_legal(uri: &str) -> bool {
    bytes(uri).all(|(_, legal)| legal)
}

fn encoded(uri: &str) -> String {
    bytes(uri)
        .map(|(byte, legal)| if legal { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// Each byte, and whether it may stand where it does (RFC 3986 section 2; brackets are only for IPv6 hosts).
fn bytes(uri: &str) -> impl Iterator<Item = (u8, bool)> {
    uri.bytes().enumerate().map(|(at, byte)| {
        let legal = match byte {
            b'%' => {
                uri.as_bytes().get(at + 1..at + 3).is_some_and(|code| code.iter().all(u8::is_ascii_hexdigit))
            }
            byte => byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&'()*+,;=".contains(&byte),
        };
        (byte, legal)
    })
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
        check("file:///w/100%.rs", "file:///w/100%25.rs");
        check("file:///w/[a]%20%2x%", "file:///w/%5Ba%5D%20%252x%25");
        check("git:/repo/a.rs?ref=HEAD", "git:/repo/a.rs?ref=HEAD");
    }

    #[test]
    fn positions_that_cannot_be_become_the_nearest_that_can() {
        let read = |place: Value| {
            let request = Request::build("textDocument/didChange");
            let params = json!({"range": {"start": {"line": place, "character": 2}}, "text": "a"});
            read_kindly(request.params(params).finish()).params().cloned()
        };
        for (sent, wanted) in [
            (json!(7), json!(7)),
            (json!(-1), json!(0)),
            (json!(2.0), json!(2)),
            (json!(1.5), json!(1)),
            (json!(u64::MAX), json!(u32::MAX)),
            (json!(1e99), json!(u32::MAX)),
            (json!("7"), json!("7")),
        ] {
            let wanted = json!({"range": {"start": {"line": wanted, "character": 2}}, "text": "a"});
            assert_eq!(read(sent), Some(wanted));
        }
    }

    #[test]
    fn initialize_is_carried_whole() {
        let params = json!({"capabilities": {"workspace": "from the year 2040"}});
        let read = read_kindly(Request::build("initialize").params(params.clone()).id(1).finish());
        assert_eq!(read.params(), Some(&json!({"capabilities": {}, "initializationOptions": params})));
    }
}
