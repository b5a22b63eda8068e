//! An answer onto a connection: HTTP/1.1 with a chunked body of server-sent events.

use std::io;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::Answer;
use super::answer::{Content, Part};

/// Characters of a call's input in one delta.
const INPUT_PIECE: usize = 10;

/// Plays `answer`. An error: the other side left before it was over. `number` makes the ids unique.
pub(super) async fn play(connection: &mut TcpStream, answer: &Answer, number: usize) -> io::Result<()> {
    connection.set_nodelay(true)?;
    rest(connection, answer.delay).await?;
    match &answer.content {
        Content::Body(body) => {
            let head = head(answer, "application/json", &format!("content-length: {}", body.len()));
            connection.write_all(format!("{head}{body}").as_bytes()).await?;
            connection.shutdown().await
        }
        Content::Stream { parts, stop_reason } => {
            let head = head(answer, "text/event-stream", "transfer-encoding: chunked");
            connection.write_all(head.as_bytes()).await?;
            let mut stream = EventStream { connection, pieces: answer.pieces, number, blocks: 0 };
            stream.play(parts, stop_reason.as_deref()).await
        }
        Content::Bytes(bytes) | Content::CutBytes(bytes) => {
            let head = head(answer, "text/event-stream", "transfer-encoding: chunked");
            connection.write_all(head.as_bytes()).await?;
            let mut stream = EventStream { connection, pieces: answer.pieces, number, blocks: 0 };
            stream.write(bytes).await?;
            match answer.content {
                // Without the last chunk, HTTP itself says that the response is not whole.
                Content::CutBytes(_) => stream.connection.shutdown().await,
                _ => stream.end().await,
            }
        }
    }
}

fn head(answer: &Answer, content_type: &str, framing: &str) -> String {
    let mut head = format!("HTTP/1.1 {} Scripted\r\n{framing}\r\nconnection: close\r\n", answer.status);
    if !answer.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        head.extend(["content-type: ", content_type, "\r\n"]);
    }
    for (name, value) in &answer.headers {
        head.extend([name, ": ", value, "\r\n"]);
    }
    head + "\r\n"
}

struct EventStream<'a> {
    connection: &'a mut TcpStream,
    pieces: Option<usize>,
    number: usize,
    blocks: usize,
}

impl EventStream<'_> {
    async fn play(&mut self, parts: &[Part], stop_reason: Option<&str>) -> io::Result<()> {
        self.event(&json!({ "type": "message_start", "message": {
            "id": format!("msg_{}", self.number), "type": "message", "role": "assistant", "model": "scripted",
            "content": [], "stop_reason": null, "stop_sequence": null,
            "usage": { "input_tokens": 100, "output_tokens": 1 },
        }}))
        .await?;
        for part in parts {
            match part {
                Part::Text(text) => self.text(text, Close::Yes).await?,
                Part::HalfText(text) => self.text(text, Close::No).await?,
                Part::Thinking(thought) => self.thinking(thought).await?,
                Part::Call { name, input } => self.call(name, input).await?,
                Part::Raw(event) => self.write(format!("{event}\n\n").as_bytes()).await?,
                Part::Error { error_type, message } => {
                    let error = json!({ "type": error_type, "message": message });
                    self.event(&json!({ "type": "error", "error": error })).await?;
                    return self.end().await;
                }
                Part::Pause(pause) => rest(self.connection, *pause).await?,
                Part::Stall => return stay(self.connection).await,
                // Without the last chunk, HTTP itself says that the response is not whole.
                Part::Cut => return self.connection.shutdown().await,
                Part::End => return self.end().await,
            }
        }
        let calls = parts.iter().any(|part| matches!(part, Part::Call { .. }));
        let reason = stop_reason.unwrap_or(if calls { "tool_use" } else { "end_turn" });
        self.event(&json!({
            "type": "message_delta",
            "delta": { "stop_reason": reason, "stop_sequence": null },
            "usage": { "output_tokens": 10 },
        }))
        .await?;
        self.event(&json!({ "type": "message_stop" })).await?;
        self.end().await
    }

    async fn text(&mut self, text: &str, close: Close) -> io::Result<()> {
        let index = self.open(json!({ "type": "text", "text": "" })).await?;
        for word in text.split_inclusive(' ') {
            self.delta(index, json!({ "type": "text_delta", "text": word })).await?;
        }
        match close {
            Close::Yes => self.close(index).await,
            Close::No => Ok(()),
        }
    }

    async fn thinking(&mut self, thought: &str) -> io::Result<()> {
        let index = self.open(json!({ "type": "thinking", "thinking": "" })).await?;
        self.delta(index, json!({ "type": "thinking_delta", "thinking": thought })).await?;
        let signature = format!("signed-{}-{index}", self.number);
        self.delta(index, json!({ "type": "signature_delta", "signature": signature })).await?;
        self.close(index).await
    }

    async fn call(&mut self, name: &str, input: &Value) -> io::Result<()> {
        let id = format!("toolu_{}_{}", self.number, self.blocks);
        let index = self.open(json!({ "type": "tool_use", "id": id, "name": name, "input": {} })).await?;
        self.delta(index, json!({ "type": "input_json_delta", "partial_json": "" })).await?;
        let input: Vec<char> = input.to_string().chars().collect();
        for piece in input.chunks(INPUT_PIECE) {
            let piece: String = piece.iter().collect();
            self.delta(index, json!({ "type": "input_json_delta", "partial_json": piece })).await?;
        }
        self.close(index).await
    }

    async fn open(&mut self, block: Value) -> io::Result<usize> {
        let index = self.blocks;
        self.blocks += 1;
        self.event(&json!({ "type": "content_block_start", "index": index, "content_block": block })).await?;
        Ok(index)
    }

    async fn delta(&mut self, index: usize, delta: Value) -> io::Result<()> {
        self.event(&json!({ "type": "content_block_delta", "index": index, "delta": delta })).await
    }

    async fn close(&mut self, index: usize) -> io::Result<()> {
        self.event(&json!({ "type": "content_block_stop", "index": index })).await
    }

    async fn event(&mut self, data: &Value) -> io::Result<()> {
        let name = data["type"].as_str().unwrap_or_default();
        self.write(format!("event: {name}\ndata: {data}\n\n").as_bytes()).await
    }

    async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let pieces = self.pieces.unwrap_or(bytes.len()).max(1);
        for piece in bytes.chunks(pieces) {
            let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
            chunk.extend_from_slice(piece);
            chunk.extend_from_slice(b"\r\n");
            self.connection.write_all(&chunk).await?;
            if self.pieces.is_some() {
                // A chunk of its own, also for the reader.
                tokio::task::yield_now().await;
            }
        }
        Ok(())
    }

    async fn end(&mut self) -> io::Result<()> {
        self.connection.write_all(b"0\r\n\r\n").await?;
        self.connection.shutdown().await
    }
}

/// Whether a block is finished.
#[derive(Clone, Copy)]
enum Close {
    Yes,
    No,
}

/// Waits that long; an error if the other side leaves meanwhile.
async fn rest(connection: &mut TcpStream, time: Duration) -> io::Result<()> {
    tokio::time::timeout(time, stay(connection)).await.unwrap_or(Ok(()))
}

/// Waits until the other side leaves.
async fn stay(connection: &mut TcpStream) -> io::Result<()> {
    let mut nothing = [0; 16];
    while connection.read(&mut nothing).await? > 0 {}
    Err(io::ErrorKind::ConnectionReset.into())
}
