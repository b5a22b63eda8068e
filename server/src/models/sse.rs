//! Server-sent events out of bytes that the network cuts anywhere (WHATWG HTML, "Server-sent events").

use std::io;

use futures::stream::{self, Stream, StreamExt};
use sse_stream::SseByteStream;

/// One event: what a `data` field joined with LF says, and its `event` name, which vendors repeat in the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SseEvent {
    pub(super) name: Option<String>,
    pub(super) data: String,
}

/// Something of a stream that is longer than any answer has it.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("it does not end")]
pub(super) struct Endless;

impl Endless {
    /// Whether this is what `error` holds.
    pub(super) fn is_in(error: &io::Error) -> bool {
        let Some(held) = error.get_ref() else { return false };
        held.is::<Self>()
    }
}

/// No event of an answer has more bytes, nor any line of it.
const LONGEST: usize = 16 * 1024 * 1024;

/// The events in `bytes`, in order; an event that was not closed by an empty line is none. The stream ends after its
/// first error: one of `bytes`, data that is not UTF-8, or an event that does not end.
pub(super) fn events<S, B>(bytes: S) -> impl Stream<Item = io::Result<SseEvent>> + Send
where
    S: Stream<Item = io::Result<B>> + Send,
    B: AsRef<[u8]> + Send,
{
    SseByteStream::new(bounded(bytes, LONGEST).map(|chunk| chunk.map(io::Cursor::new))).filter_map(
        |event| async {
            match event {
                Ok(event) => event.data.map(|data| Ok(SseEvent { name: event.event, data })),
                Err(sse_stream::Error::Body(error)) => Some(Err(match error.downcast::<io::Error>() {
                    Ok(error) => *error,
                    Err(error) => io::Error::other(error),
                })),
                Err(error) => Some(Err(io::Error::new(io::ErrorKind::InvalidData, error.to_string()))),
            }
        },
    )
}

/// `bytes` up to the first event with more than `most` of them.
fn bounded<S, B>(bytes: S, most: usize) -> impl Stream<Item = io::Result<B>> + Send
where
    S: Stream<Item = io::Result<B>> + Send,
    B: AsRef<[u8]> + Send,
{
    let state = Some((Box::pin(bytes), Open::default()));
    stream::unfold(state, move |state| async move {
        let (mut bytes, mut open) = state?;
        match bytes.next().await? {
            Ok(chunk) if open.longest(chunk.as_ref()) > most => Some((Err(io::Error::other(Endless)), None)),
            chunk => Some((chunk, Some((bytes, open)))),
        }
    })
}

/// The event that is coming in.
#[derive(Clone, Copy, Debug, Default)]
struct Open {
    bytes: usize,
    /// Nothing stands in its last line yet.
    at_line_start: bool,
    after_return: bool,
}

impl Open {
    /// Goes on with `chunk`: the most bytes that an event had meanwhile.
    fn longest(&mut self, chunk: &[u8]) -> usize {
        let mut longest = 0;
        for &byte in chunk {
            self.bytes += 1;
            longest = longest.max(self.bytes);
            let is_second_half = byte == b'\n' && self.after_return;
            self.after_return = byte == b'\r';
            match byte {
                // Of a line break that was counted with its CR.
                _ if is_second_half => {}
                b'\r' | b'\n' if self.at_line_start => self.bytes = 0,
                b'\r' | b'\n' => self.at_line_start = true,
                _ => self.at_line_start = false,
            }
        }
        longest
    }
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use proptest::prelude::*;

    use super::*;

    const RECORDED: &[u8] = include_bytes!("fixtures/cut_anywhere.sse");

    /// The data of each event in `bytes`, fed in those chunks.
    fn parsed<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<SseEvent> {
        let chunks: Vec<io::Result<Vec<u8>>> = chunks.into_iter().map(|chunk| Ok(chunk.to_vec())).collect();
        block_on(events(stream::iter(chunks)).map(|event| event.expect("an event")).collect())
    }

    #[track_caller]
    fn check(bytes: &str, wanted: &[(Option<&str>, &str)]) {
        let wanted: Vec<SseEvent> = wanted
            .iter()
            .map(|&(name, data)| SseEvent { name: name.map(str::to_owned), data: data.to_owned() })
            .collect();
        for cut in 0..=bytes.len() {
            let (first, second) = bytes.as_bytes().split_at(cut);
            assert_eq!(parsed([first, second]), wanted, "cut at {cut}");
        }
    }

    #[test]
    fn every_line_ending_and_every_field() {
        check("event: a\ndata: 1\n\n", &[(Some("a"), "1")]);
        check("event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", &[(Some("a"), "1"), (None, "2")]);
        check("event: a\rdata: 1\r\rdata: 2\r\r", &[(Some("a"), "1"), (None, "2")]);
        check("data:1\ndata: 2\ndata:  3\n\n", &[(None, "1\n2\n 3")]);
        check("\u{feff}: comment\n\n:\n\ndata: 1\nid: 7\nretry: 3\nunknown: x\n\n", &[(None, "1")]);
        check("data: 世界🌍\u{2028}end\n\n", &[(None, "世界🌍\u{2028}end")]);
        check("data\n\n", &[(None, "")]);
    }

    #[test]
    fn an_event_that_was_not_closed_is_none() {
        check("data: 1\n\ndata: 2\n", &[(None, "1")]);
        check("data: 1\n\ndata: 2", &[(None, "1")]);
        check("event: a\n\n", &[]);
    }

    #[test]
    fn a_recorded_stream_is_the_same_in_all_chunkings() {
        let whole = parsed([RECORDED]);
        assert_eq!(whole.len(), 8, "{whole:#?}");
        for size in [1, 2, 3, 5, 7] {
            assert_eq!(parsed(RECORDED.chunks(size)), whole, "in chunks of {size}");
        }
        for cut in 0..=RECORDED.len() {
            let (first, second) = RECORDED.split_at(cut);
            assert_eq!(parsed([first, second]), whole, "cut at {cut}");
        }
    }

    #[test]
    fn an_error_of_the_connection_comes_through_and_ends_it() {
        let chunks = [
            Ok(b"data: 1\n\nda".to_vec()),
            Err(io::Error::new(io::ErrorKind::ConnectionReset, "reset")),
            Ok(b"data: 2\n\n".to_vec()),
        ];
        let events: Vec<_> = block_on(events(stream::iter(chunks)).collect());
        let kinds: Vec<_> = events.iter().map(|event| event.as_ref().map_err(io::Error::kind)).collect();
        let one = SseEvent { name: None, data: "1".to_owned() };
        assert_eq!(kinds, [Ok(&one), Err(io::ErrorKind::ConnectionReset)]);
    }

    #[test]
    fn an_event_without_end_is_an_error() {
        let check = |bytes: &str, wanted: bool| {
            for size in [1, 3, 100] {
                let chunks: Vec<_> = bytes.as_bytes().chunks(size).map(Ok).collect();
                let read: Vec<_> = block_on(bounded(stream::iter(chunks), 10).collect());
                let ends = read.iter().position(|chunk| chunk.as_ref().is_err_and(Endless::is_in));
                assert_eq!(ends, wanted.then(|| read.len() - 1), "{bytes:?} in chunks of {size}");
            }
        };
        check("data: 1\n\ndata: 2\r\n\r\ndata: 3\r\rdata: 4\n\n", false);
        check("data: 12345", true);
        check("data: 1\ndata: 2\n", true);
        check("data: 1\n\ndata: 1\r\ndata", true);
        let whole: Vec<_> =
            [b"data: 1\n\ndata: ".to_vec(), vec![b'x'; LONGEST]].into_iter().map(Ok).collect();
        let read: Vec<_> = block_on(events(stream::iter(whole)).collect());
        assert!(read.last().unwrap().as_ref().is_err_and(Endless::is_in), "{:?}", read.len());
    }

    proptest! {
        #[test]
        fn where_the_bytes_are_cut_does_not_matter(
            lines in prop::collection::vec("(data|event|id|:|x)?:? ?[a世🌍:]{0,4}(\n|\r\n|\r)", 0..12),
            cuts in prop::collection::btree_set(0..80_usize, 0..8),
        ) {
            let bytes = lines.concat().into_bytes();
            let mut chunks = Vec::new();
            let mut from = 0;
            for cut in cuts.into_iter().filter(|&cut| cut < bytes.len()).chain([bytes.len()]) {
                chunks.push(&bytes[from..cut]);
                from = cut;
            }
            prop_assert_eq!(parsed(chunks), parsed([bytes.as_slice()]));
        }
    }
}
