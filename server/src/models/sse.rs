//! Server-sent events out of bytes that the network cuts anywhere (WHATWG HTML, "Server-sent events").

use std::io;

use futures::stream::{Stream, StreamExt};
use sse_stream::SseByteStream;

/// One event: what a `data` field joined with LF says, and its `event` name, which vendors repeat in the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SseEvent {
    pub(super) name: Option<String>,
    pub(super) data: String,
}

/// The events in `bytes`, in order; an event that was not closed by an empty line is none. The stream ends after its
/// first error: one of `bytes`, or data that is not UTF-8.
pub(super) fn events<S, B>(bytes: S) -> impl Stream<Item = io::Result<SseEvent>> + Send
where
    S: Stream<Item = io::Result<B>> + Send,
    B: AsRef<[u8]> + Send,
{
    let buffers = bytes.map(|chunk| chunk.map(io::Cursor::new));
    SseByteStream::new(buffers).filter_map(|event| async {
        match event {
            Ok(event) => event.data.map(|data| Ok(SseEvent { name: event.event, data })),
            Err(sse_stream::Error::Body(error)) => Some(Err(match error.downcast::<io::Error>() {
                Ok(error) => *error,
                Err(error) => io::Error::other(error),
            })),
            Err(error) => Some(Err(io::Error::new(io::ErrorKind::InvalidData, error.to_string()))),
        }
    })
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use futures::stream;
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
