//! An answer of the script, told like a story.

use std::time::Duration;

use serde_json::{Value, json};

/// One answer: what comes in it, in order, and how it is delivered.
#[derive(Clone, Debug)]
#[must_use]
pub struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) content: Content,
    /// Before the first byte.
    pub(super) delay: Duration,
    /// Bytes written at a time; `None`: an event at a time.
    pub(super) pieces: Option<usize>,
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    /// A response that is no stream.
    Body(String),
    /// The bytes of a stream as they are, up to the end of the response.
    Bytes(Vec<u8>),
    /// The same, behind which the connection breaks.
    CutBytes(Vec<u8>),
    /// A message in parts, and its stop reason if it is not the usual one.
    Stream { parts: Vec<Part>, stop_reason: Option<String> },
}

/// What happens in a stream.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Text(String),
    /// A text block that is opened and not closed.
    HalfText(String),
    Thinking(String),
    Call {
        name: String,
        input: Value,
    },
    /// An event as it is written, whatever it is.
    Raw(String),
    Error {
        error_type: String,
        message: String,
    },
    /// Nothing, for that long.
    Pause(Duration),
    /// Nothing any more: the connection stays open.
    Stall,
    /// The connection breaks.
    Cut,
    /// The response ends, properly as HTTP, in the middle as a message.
    End,
}

impl Answer {
    /// A message without content yet.
    pub fn new() -> Self {
        Self {
            status: 200,
            headers: Vec::new(),
            content: Content::Stream { parts: Vec::new(), stop_reason: None },
            delay: Duration::ZERO,
            pieces: None,
        }
    }

    /// A message that begins with this text.
    pub fn says(text: impl Into<String>) -> Self {
        Self::new().saying(text)
    }

    /// A message that begins with this call.
    pub fn calls(name: impl Into<String>, input: Value) -> Self {
        Self::new().calling(name, input)
    }

    /// A response with this status and an error as the API writes it.
    pub fn refusal(status: u16, error_type: &str, message: &str) -> Self {
        let error = json!({ "type": "error", "error": { "type": error_type, "message": message } });
        Self { status, content: Content::Body(error.to_string()), ..Self::new() }
    }

    /// A response with this status and body.
    pub fn response(status: u16, body: impl Into<String>) -> Self {
        Self { status, content: Content::Body(body.into()), ..Self::new() }
    }

    /// A stream of these bytes, whatever they are.
    pub fn stream(bytes: impl Into<Vec<u8>>) -> Self {
        Self { content: Content::Bytes(bytes.into()), ..Self::new() }
    }

    /// A stream of these bytes, behind which the connection breaks.
    pub fn cut_stream(bytes: impl Into<Vec<u8>>) -> Self {
        Self { content: Content::CutBytes(bytes.into()), ..Self::new() }
    }

    pub fn saying(self, text: impl Into<String>) -> Self {
        self.with(Part::Text(text.into()))
    }

    pub fn calling(self, name: impl Into<String>, input: Value) -> Self {
        self.with(Part::Call { name: name.into(), input })
    }

    pub fn thinking(self, thought: impl Into<String>) -> Self {
        self.with(Part::Thinking(thought.into()))
    }

    /// Begins a text and does not finish it; what follows is usually the reason.
    pub fn beginning_to_say(self, text: impl Into<String>) -> Self {
        self.with(Part::HalfText(text.into()))
    }

    /// An event of the stream, written as it is: `event: ping\ndata: {"type":"ping"}`.
    pub fn raw(self, event: impl Into<String>) -> Self {
        self.with(Part::Raw(event.into()))
    }

    /// An `error` event in the middle of the stream.
    pub fn failing(self, error_type: &str, message: &str) -> Self {
        self.with(Part::Error { error_type: error_type.to_owned(), message: message.to_owned() })
    }

    pub fn pausing(self, pause: Duration) -> Self {
        self.with(Part::Pause(pause))
    }

    /// Says nothing more and keeps the connection.
    pub fn stalling(self) -> Self {
        self.with(Part::Stall)
    }

    /// Breaks the connection.
    pub fn cut(self) -> Self {
        self.with(Part::Cut)
    }

    /// Ends the response without ending the message.
    pub fn ending_early(self) -> Self {
        self.with(Part::End)
    }

    /// Instead of `tool_use` after a call and `end_turn` otherwise.
    pub fn stopping_for(mut self, reason: &str) -> Self {
        if let Content::Stream { stop_reason, .. } = &mut self.content {
            *stop_reason = Some(reason.to_owned());
        }
        self
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Waits before the first byte.
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Writes that many bytes at a time, so that characters and events are split anywhere.
    pub fn in_pieces_of(mut self, bytes: usize) -> Self {
        self.pieces = Some(bytes.max(1));
        self
    }

    fn with(mut self, part: Part) -> Self {
        match &mut self.content {
            Content::Stream { parts, .. } => parts.push(part),
            Content::Body(_) | Content::Bytes(_) | Content::CutBytes(_) => {
                panic!("a response that is written whole has no parts")
            }
        }
        self
    }
}

impl Default for Answer {
    fn default() -> Self {
        Self::new()
    }
}
