//! JSON-RPC over a pair of pipes, in LSP's frames: the client's end.

use std::collections::VecDeque;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// One end of the line to a language server.
pub(super) struct Client<R, W> {
    reader: R,
    writer: W,
    /// Bytes read and not yet a whole message.
    buffer: Vec<u8>,
    last_id: i64,
}

/// What the server says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Incoming {
    Response { id: i64, result: Result<Value, ServerError> },
    Request { id: Value, method: String, params: Value },
    Notification { method: String, params: Value },
}

/// The server's answer was an error; the message is for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(super) struct ServerError {
    pub(super) code: i64,
    pub(super) message: String,
}

/// No answer at all.
#[derive(Debug, thiserror::Error)]
pub(super) enum LineError {
    #[error("the server has ended")]
    Ended,
    #[error("the server does not speak LSP: {0}")]
    NotLsp(String),
    #[error("the line to the server broke: {0}")]
    Broken(#[from] std::io::Error),
}

/// A header longer than this is none.
const LONGEST_HEADER: usize = 4096;

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Client<R, W> {
    pub(super) fn new(reader: R, writer: W) -> Self {
        Self { reader, writer, buffer: Vec::new(), last_id: 0 }
    }

    /// Sends a request; its response comes out of `next` under the id.
    pub(super) async fn request(&mut self, method: &str, params: Value) -> Result<i64, LineError> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await?;
        Ok(id)
    }

    pub(super) async fn notify(&mut self, method: &str, params: Value) -> Result<(), LineError> {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params })).await
    }

    pub(super) async fn respond(
        &mut self,
        id: Value,
        result: Result<Value, ServerError>,
    ) -> Result<(), LineError> {
        let message = match result {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(ServerError { code, message }) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
            }
        };
        self.send(&message).await
    }

    /// The next message. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Result<Incoming, LineError> {
        loop {
            if let Some(body) = take_frame(&mut self.buffer)? {
                let message =
                    serde_json::from_slice(&body).map_err(|error| LineError::NotLsp(error.to_string()))?;
                return incoming(message);
            }
            if self.reader.read_buf(&mut self.buffer).await? == 0 {
                return Err(LineError::Ended);
            }
        }
    }

    async fn send(&mut self, message: &Value) -> Result<(), LineError> {
        let body = message.to_string();
        let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.writer.write_all(frame.as_bytes()).await?;
        Ok(self.writer.flush().await?)
    }
}

/// Takes the first whole message out of `buffer` (LSP "Base Protocol").
fn take_frame(buffer: &mut Vec<u8>) -> Result<Option<Vec<u8>>, LineError> {
    const END: &[u8] = b"\r\n\r\n";
    let Some(header_end) = buffer.windows(END.len()).position(|window| window == END) else {
        if buffer.len() > LONGEST_HEADER {
            return Err(LineError::NotLsp("a header without an end".to_owned()));
        }
        return Ok(None);
    };
    let header = String::from_utf8_lossy(buffer.get(..header_end).unwrap_or_default()).into_owned();
    let length = header
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, length)| length.trim().parse::<usize>().ok())
        .ok_or_else(|| LineError::NotLsp(format!("no Content-Length in {header:?}")))?;
    let start = header_end + END.len();
    let end = start.saturating_add(length);
    if buffer.len() < end {
        return Ok(None);
    }
    let body = buffer.get(start..end).unwrap_or_default().to_vec();
    buffer.drain(..end);
    Ok(Some(body))
}

fn incoming(mut message: Value) -> Result<Incoming, LineError> {
    let mut take = |name: &str| message.get_mut(name).map(Value::take);
    let (method, id, params) = (take("method"), take("id"), take("params").unwrap_or_default());
    match (method, id) {
        (Some(Value::String(method)), None) => Ok(Incoming::Notification { method, params }),
        (Some(Value::String(method)), Some(id)) => Ok(Incoming::Request { id, method, params }),
        (None, Some(id)) => {
            let id =
                id.as_i64().ok_or_else(|| LineError::NotLsp(format!("an answer to no request: {id}")))?;
            let result = match take("error") {
                Some(error) if !error.is_null() => Err(server_error(&error)),
                _ => Ok(take("result").unwrap_or_default()),
            };
            Ok(Incoming::Response { id, result })
        }
        _ => Err(LineError::NotLsp(format!("no message of JSON-RPC: {message}"))),
    }
}

fn server_error(error: &Value) -> ServerError {
    let text = |pointer: &str| error.pointer(pointer).and_then(Value::as_str);
    let message = text("/message").unwrap_or("the server gave no reason");
    let message = match text("/data/hint") {
        Some(hint) if !hint.is_empty() => format!("{message} {hint}"),
        _ => message.to_owned(),
    };
    ServerError { code: error.get("code").and_then(Value::as_i64).unwrap_or_default(), message }
}

/// Reads a value of the protocol out of an answer.
pub(super) fn read<T: DeserializeOwned>(value: Value, what: &str) -> Result<T, LineError> {
    serde_path_to_error::deserialize(value).map_err(|error| LineError::NotLsp(format!("{what}: {error}")))
}

/// Messages that came while something else was waited for.
pub(super) type Backlog = VecDeque<(String, Value)>;

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(message: &Value) -> Vec<u8> {
        let body = message.to_string();
        format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
    }

    #[tokio::test]
    async fn messages_come_whole_however_the_bytes_are_cut() {
        let messages = [
            json!({"jsonrpc": "2.0", "method": "a", "params": {"text": "ä中😀"}}),
            json!({"jsonrpc": "2.0", "id": "s1", "method": "b"}),
            json!({"jsonrpc": "2.0", "id": 1, "result": null}),
            json!({"jsonrpc": "2.0", "id": 2, "error": {"code": -31002, "message": "It changed.", "data": {"kind": "stale", "hint": "Look again."}}}),
        ];
        let bytes: Vec<u8> = messages.iter().flat_map(framed).collect();
        for size in [1, 7, bytes.len()] {
            let (mut server, reader) = tokio::io::duplex(1 << 16);
            for piece in bytes.chunks(size) {
                server.write_all(piece).await.unwrap();
            }
            drop(server);
            let mut client = Client::new(reader, tokio::io::sink());
            assert_eq!(
                client.next().await.unwrap(),
                Incoming::Notification { method: "a".into(), params: json!({"text": "ä中😀"}) }
            );
            let request = Incoming::Request { id: json!("s1"), method: "b".into(), params: Value::Null };
            assert_eq!(client.next().await.unwrap(), request);
            assert_eq!(client.next().await.unwrap(), Incoming::Response { id: 1, result: Ok(Value::Null) });
            let error = ServerError { code: -31002, message: "It changed. Look again.".into() };
            assert_eq!(client.next().await.unwrap(), Incoming::Response { id: 2, result: Err(error) });
            assert!(matches!(client.next().await, Err(LineError::Ended)));
        }
    }

    #[tokio::test]
    async fn what_is_no_lsp_is_an_error() {
        for wrong in
            ["Content-Length: x\r\n\r\n{}", "Content-Length: 2\r\n\r\n[]", "Content-Length: 1\r\n\r\n{"]
        {
            let mut client = Client::new(wrong.as_bytes(), tokio::io::sink());
            assert!(matches!(client.next().await, Err(LineError::NotLsp(_))), "{wrong}");
        }
    }

    #[tokio::test]
    async fn requests_are_numbered_and_framed() {
        let mut sent = Vec::new();
        let mut client = Client::new(tokio::io::empty(), &mut sent);
        assert_eq!(client.request("m", json!({})).await.unwrap(), 1);
        assert_eq!(client.request("m", json!({})).await.unwrap(), 2);
        client.respond(json!("s1"), Ok(Value::Null)).await.unwrap();
        let want = [
            json!({"jsonrpc": "2.0", "id": 1, "method": "m", "params": {}}),
            json!({"jsonrpc": "2.0", "id": 2, "method": "m", "params": {}}),
            json!({"jsonrpc": "2.0", "id": "s1", "result": null}),
        ];
        assert_eq!(sent, want.iter().flat_map(framed).collect::<Vec<_>>());
    }
}
