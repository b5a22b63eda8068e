//! The base protocol's framing (LSP "Base Protocol"): `Content-Length` headers, a blank line, a body.

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// Larger bodies are no messages any more.
const LARGEST_BODY: u64 = 1 << 30;
/// Longer lines are no headers any more.
const LONGEST_LINE: u64 = 1 << 14;

const LENGTH: &str = "content-length:";

/// Why the bytes are no frame. Reading can go on: it continues at the next thing that looks like one.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct BadFrame(String);

/// Reads the next frame's body. `Ok(None)`: the input has ended.
pub(super) async fn read(
    input: &mut (impl AsyncBufRead + Unpin),
) -> std::io::Result<Option<Result<Vec<u8>, BadFrame>>> {
    let mut length = None;
    let mut junk = None;
    loop {
        let mut line = Vec::new();
        if (&mut *input).take(LONGEST_LINE).read_until(b'\n', &mut line).await? == 0 {
            return Ok(None);
        }
        match header(&line) {
            // The blank line before a body; elsewhere it is the rest of something broken.
            Header::Blank => match (length.take(), junk.take()) {
                (Some(length), _) => return body(input, length).await,
                (None, Some(junk)) => return Ok(Some(Err(junk))),
                (None, None) => {}
            },
            Header::Length(wanted) if wanted <= LARGEST_BODY => length = Some(wanted),
            Header::Length(wanted) => {
                junk = Some(BadFrame(format!("a message of {wanted} bytes is too long")));
            }
            Header::Other => {}
            Header::Junk(what) => junk = Some(what),
        }
    }
}

enum Header {
    Blank,
    Length(u64),
    /// `Content-Type` and whatever may come: only UTF-8 is ever used.
    Other,
    Junk(BadFrame),
}

fn header(line: &[u8]) -> Header {
    let line = String::from_utf8_lossy(line);
    let line = line.trim_end();
    if line.is_empty() {
        return Header::Blank;
    }
    // A body shorter or longer than announced leaves its rest before the next header, on the same line.
    if let Some(at) = line.to_ascii_lowercase().rfind(LENGTH) {
        let number = line.get(at + LENGTH.len()..).unwrap_or_default().trim();
        return match number.parse() {
            Ok(length) => Header::Length(length),
            Err(_) => Header::Junk(BadFrame(format!("`{number}` is no Content-Length"))),
        };
    }
    match line.split_once(':') {
        Some((name, _)) if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') => {
            Header::Other
        }
        _ => Header::Junk(BadFrame("expected a Content-Length header".to_owned())),
    }
}

async fn body(
    input: &mut (impl AsyncBufRead + Unpin),
    length: u64,
) -> std::io::Result<Option<Result<Vec<u8>, BadFrame>>> {
    // Grows with what really arrives, whatever the header promised.
    let mut body = Vec::new();
    let read = input.take(length).read_to_end(&mut body).await?;
    Ok((read as u64 == length).then_some(Ok(body)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All frames of `input`, bodies and faults as text.
    #[track_caller]
    fn check(input: &str, wanted: &[&str]) {
        let frames = futures::executor::block_on(async {
            let mut input = input.as_bytes();
            let mut frames = Vec::new();
            while let Some(frame) = read(&mut input).await.unwrap() {
                frames.push(match frame {
                    Ok(body) => String::from_utf8(body).unwrap(),
                    Err(fault) => format!("! {fault}"),
                });
            }
            frames
        });
        assert_eq!(frames, wanted);
    }

    #[test]
    fn frames_are_read_one_after_the_other() {
        check("Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n[1]", &["{}", "[1]"]);
        check("Content-Length: 0\r\n\r\n", &[""]);
        check(
            "content-length:2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\nX-Odd: 1\r\n\r\n{}",
            &["{}"],
        );
        check("Content-Length: 2\n\n{}", &["{}"]);
    }

    #[test]
    fn an_input_that_ends_early_has_no_last_frame() {
        check("", &[]);
        check("Content-Length: 5\r\n\r\n{}", &[]);
        check("Content-Length: 5\r\n", &[]);
    }

    #[test]
    fn after_a_broken_frame_reading_goes_on() {
        let next = "Content-Length: 2\r\n\r\n{}";
        check(&format!("Content-Length: two\r\n\r\n{next}"), &["! `two` is no Content-Length", "{}"]);
        check(&format!("Content-Length: -1\r\n\r\n{next}"), &["! `-1` is no Content-Length", "{}"]);
        check(&format!("hello there\r\n\r\n{next}"), &["! expected a Content-Length header", "{}"]);
        check(&format!("{{\"a\":1}}{next}"), &["{}"]);
        check(
            &format!("Content-Length: 99999999999\r\n\r\n{next}"),
            &["! a message of 99999999999 bytes is too long", "{}"],
        );
    }
}
