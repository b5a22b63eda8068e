//! An answer onto a connection: HTTP/1.1 with a chunked body of server-sent events.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::Answer;
use super::answer::{Content, Part};
use super::wire::{Close, Voice, Wire};

/// Plays `answer`. An error: the other side left before it was over. `number` makes the ids unique.
pub(super) async fn play(
    connection: &mut TcpStream,
    answer: &Answer,
    wire: Wire,
    number: usize,
) -> io::Result<()> {
    connection.set_nodelay(true)?;
    rest(connection, answer.delay).await?;
    match &answer.content {
        Content::Body(body) => {
            let head = head(answer, "application/json", &format!("content-length: {}", body.len()));
            connection.write_all(format!("{head}{body}").as_bytes()).await?;
            connection.shutdown().await
        }
        Content::Stream { parts, stop_reason } => {
            let head = head(answer, wire.content_type(), "transfer-encoding: chunked");
            connection.write_all(head.as_bytes()).await?;
            let mut stream =
                EventStream { connection, pieces: answer.pieces, voice: Voice::new(wire, number) };
            stream.play(parts, stop_reason.as_deref()).await
        }
        Content::Bytes(bytes) | Content::CutBytes(bytes) => {
            let head = head(answer, wire.content_type(), "transfer-encoding: chunked");
            connection.write_all(head.as_bytes()).await?;
            let mut stream =
                EventStream { connection, pieces: answer.pieces, voice: Voice::new(wire, number) };
            stream.write_bytes(bytes).await?;
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
    voice: Voice,
}

impl EventStream<'_> {
    async fn play(&mut self, parts: &[Part], stop_reason: Option<&str>) -> io::Result<()> {
        self.write(self.voice.begin()).await?;
        for part in parts {
            let events = match part {
                Part::Text(text) => self.voice.text(text, Close::Yes),
                Part::HalfText(text) => self.voice.text(text, Close::No),
                Part::Thinking(thought) => self.voice.thinking(thought),
                Part::Call { name, input } => self.voice.call(name, input),
                Part::Raw(event) => vec![format!("{event}\n\n")],
                Part::Error { error_type, message } => {
                    self.write(self.voice.error(error_type, message)).await?;
                    return self.end().await;
                }
                Part::Pause(pause) => {
                    rest(self.connection, *pause).await?;
                    continue;
                }
                Part::Stall => return stay(self.connection).await,
                // Without the last chunk, HTTP itself says that the response is not whole.
                Part::Cut => return self.connection.shutdown().await,
                Part::End => return self.end().await,
            };
            self.write(events).await?;
        }
        let calls = parts.iter().any(|part| matches!(part, Part::Call { .. }));
        let reason = stop_reason.unwrap_or(if calls { "tool_use" } else { "end_turn" });
        self.write(self.voice.end(reason)).await?;
        self.end().await
    }

    /// An event at a time, or in pieces.
    async fn write(&mut self, events: Vec<String>) -> io::Result<()> {
        for event in events {
            self.write_bytes(event.as_bytes()).await?;
        }
        Ok(())
    }

    async fn write_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
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
