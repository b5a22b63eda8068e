//! A streamed response followed to its end, whatever the wire: what is put together is told as it comes.

use std::io;
use std::time::Duration;

use futures::stream::{Stream, StreamExt, TryStreamExt};
use reqwest::header::CONTENT_TYPE;

use super::failure::{self, Asked};
use super::generate::Emit;
use super::http::watched;
use super::lines::lines;
use super::retry::Failure;
use super::silence::{self, Silent};
use super::sse::Endless;
use super::{Patience, ProviderEvent, sse};

/// An answer of one wire, put together from the data of its events.
pub(super) trait Accumulate {
    fn framing(&self) -> Framing {
        Framing::Events
    }

    /// Takes the data of one event; an error is what the stream itself says went wrong, or data that is none.
    fn accept(&mut self, data: &str, asked: Asked<'_>) -> Result<Vec<ProviderEvent>, Failure>;

    /// The stream is over. The end that is still owed, if the answer is whole but for its last event.
    fn end(&mut self) -> Vec<ProviderEvent>;

    /// Nothing of the answer is missing but, perhaps, its last event.
    fn is_whole(&self) -> bool;

    /// Whether a block of it was finished, so that asking again would give that block twice.
    fn has_finished_blocks(&self) -> bool;

    /// The last event has come.
    fn is_stopped(&self) -> bool;
}

/// How the data of one event is told from the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// Server-sent events.
    Events,
    /// A line each.
    Lines,
}

/// How long a whole answer is waited on for its last event, which some services never send.
const AFTERGLOW: Duration = Duration::from_secs(5);

/// How long the end of a response is waited for behind its last event.
const LAST_BYTES: Duration = Duration::from_secs(1);

/// A stream of bytes in which there is never an event counts as dead after so many times the limit of silence.
const EVENTLESS: u32 = 2;

/// Emits the events of `response` as they come.
pub(super) async fn follow(
    response: reqwest::Response,
    answer: &mut impl Accumulate,
    asked: Asked<'_>,
    patience: Patience,
    emit: &Emit,
) -> Result<(), Failure> {
    let content_type =
        response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let mut any = false;
    let mut body = Box::pin(response.bytes_stream());
    let bytes = body.by_ref().map_err(|error| io::Error::other(error.without_url()));
    let bytes = watched(bytes, patience, emit);
    let events = match answer.framing() {
        Framing::Events => sse::events(bytes).map(|event| event.map(|event| event.data)).left_stream(),
        Framing::Lines => lines(bytes).right_stream(),
    };
    let mut events = Box::pin(events);
    let for_event = Patience { notice: None, limit: patience.limit.map(|limit| limit * EVENTLESS) };
    loop {
        let for_last = Patience { notice: None, limit: Some(AFTERGLOW) };
        let patience_now = if answer.is_whole() { for_last } else { for_event };
        let event = silence::wait(events.next(), patience_now, emit).await;
        let Some(event) = event.unwrap_or_else(|Silent| Some(Err(io::ErrorKind::TimedOut.into()))) else {
            break;
        };
        let early = !answer.has_finished_blocks();
        any |= event.is_ok();
        let event = match event {
            Ok(event) => event,
            // The answer is complete; only its closing bytes are missing.
            Err(_) if answer.is_whole() => break,
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                return Err(failure::stalled(patience.limit.unwrap_or_default(), early));
            }
            Err(error) if Endless::is_in(&error) => {
                return Err(failure::endless(asked));
            }
            Err(error) => return Err(failure::cut(&error.to_string(), early)),
        };
        for event in answer.accept(&event, asked)? {
            emit.event(event).await;
        }
        if answer.is_stopped() {
            break;
        }
    }
    drop(events);
    if answer.is_stopped() {
        tokio::spawn(read_out(body));
    }
    for event in answer.end() {
        emit.event(event).await;
    }
    let is_stream = content_type.as_ref().is_some_and(|kind| kind.starts_with("text/event-stream"));
    if answer.is_whole() {
        Ok(())
    } else if !any && !is_stream {
        Err(failure::foreign(content_type.as_deref(), asked))
    } else {
        Err(failure::cut("the stream ended without a stop reason", !answer.has_finished_blocks()))
    }
}

/// Reads the last bytes of a response, behind its last event, so that the connection can carry the next request.
async fn read_out<B>(mut body: impl Stream<Item = reqwest::Result<B>> + Unpin) {
    let reading = async { while let Some(Ok(_)) = body.next().await {} };
    // Who still sends something after that is not worth a wait: the connection is closed.
    let _ = tokio::time::timeout(LAST_BYTES, reading).await;
}
