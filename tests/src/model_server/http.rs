//! One HTTP/1.1 request off a connection.

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::Request;

/// Reads one request; `None` if the other side leaves before it is whole.
pub(super) async fn read(connection: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        read_more(connection, &mut bytes).await?;
    };
    let head = String::from_utf8_lossy(bytes.get(..head_end)?).into_owned();
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let header =
        |name: &str| headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str());
    let length: usize = header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    if header("expect").is_some() {
        connection.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await.ok()?;
    }
    while bytes.len() < head_end + length {
        read_more(connection, &mut bytes).await?;
    }
    let bytes = bytes.get(head_end..head_end + length)?.to_vec();
    let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    Some(Request { method, path, headers, bytes, body })
}

async fn read_more(connection: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<()> {
    let read = connection.read_buf(bytes).await.ok()?;
    (read > 0).then_some(())
}
