//! Lines out of bytes that the network cuts anywhere: a JSON object each (newline-delimited JSON).

use std::collections::VecDeque;
use std::io;

use futures::stream::{Stream, StreamExt};

use super::sse::Endless;

/// No line of an answer is longer.
const LONGEST: usize = 16 * 1024 * 1024;

/// The lines in `bytes` that are not blank, in order; the last one needs no line break. The stream ends after its first
/// error: one of `bytes`, or a line that is not UTF-8 or does not end.
pub(super) fn lines<S, B>(bytes: S) -> impl Stream<Item = io::Result<String>> + Send
where
    S: Stream<Item = io::Result<B>> + Send,
    B: AsRef<[u8]> + Send,
{
    let state = Reading { bytes: Some(Box::pin(bytes)), partial: Vec::new(), whole: VecDeque::new() };
    futures::stream::unfold(state, |mut reading| async move {
        loop {
            if let Some(line) = reading.whole.pop_front() {
                if line.is_err() {
                    (reading.bytes, reading.whole) = (None, VecDeque::new());
                }
                return Some((line, reading));
            }
            let next = reading.bytes.as_mut()?.next().await;
            match next {
                Some(Ok(chunk)) => reading.take(chunk.as_ref()),
                Some(Err(error)) => reading.whole.push_back(Err(error)),
                None => {
                    reading.bytes = None;
                    reading.take(b"\n");
                }
            }
        }
    })
}

struct Reading<S> {
    bytes: Option<S>,
    partial: Vec<u8>,
    whole: VecDeque<io::Result<String>>,
}

impl<S> Reading<S> {
    fn take(&mut self, chunk: &[u8]) {
        for piece in chunk.split_inclusive(|&byte| byte == b'\n') {
            self.partial.extend_from_slice(piece);
            if self.partial.len() > LONGEST {
                self.whole.push_back(Err(io::Error::other(Endless)));
                return;
            }
            if piece.ends_with(b"\n") {
                let line = String::from_utf8(std::mem::take(&mut self.partial));
                match line {
                    Ok(line) if line.trim().is_empty() => {}
                    Ok(line) => self.whole.push_back(Ok(line.trim().to_owned())),
                    Err(error) => {
                        self.whole.push_back(Err(io::Error::new(io::ErrorKind::InvalidData, error)));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use futures::stream;

    use super::*;

    #[track_caller]
    fn check(text: &str, wanted: &[&str]) {
        for cut in 0..=text.len() {
            let (first, second) = text.as_bytes().split_at(cut);
            let chunks = [first, second].map(|chunk| Ok(chunk.to_vec()));
            let read: Vec<String> =
                block_on(lines(stream::iter(chunks)).map(|line| line.expect("a line")).collect());
            assert_eq!(read, wanted, "cut at {cut}");
        }
    }

    #[test]
    fn lines_wherever_they_are_cut() {
        check(
            "{\"a\":1}\n{\"b\":\"世界🌍\"}\r\n\n{\"c\":3}",
            &["{\"a\":1}", "{\"b\":\"世界🌍\"}", "{\"c\":3}"],
        );
        check("\n \n", &[]);
        check("", &[]);
    }

    #[test]
    fn the_first_error_ends_it() {
        let chunks = [Ok(b"a\n\xff\nb\n".to_vec()), Ok(b"c\n".to_vec())];
        let read: Vec<_> = block_on(lines(stream::iter(chunks)).collect());
        let kinds: Vec<_> = read.iter().map(|line| line.as_deref().map_err(io::Error::kind)).collect();
        assert_eq!(kinds, [Ok("a"), Err(io::ErrorKind::InvalidData)]);
    }
}
