//! Frames of the base protocol, as a client reads and writes them.

use std::io::{BufRead, Write};

use serde_json::Value;

pub(super) fn write(output: &mut impl Write, message: &Value) -> std::io::Result<()> {
    let body = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    output.flush()
}

/// `None`: the output has ended. Anything that is no frame is a fault of the server.
pub(super) fn read(input: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).expect("headers are text") == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        let number = line.strip_prefix("Content-Length: ").map(|number| number.trim().parse::<usize>());
        length = Some(number.unwrap_or_else(|| panic!("no frame on stdout: {line:?}")).expect("a number"));
    }
    let mut body = vec![0; length.expect("a Content-Length")];
    input.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).expect("the server sends JSON"))
}
