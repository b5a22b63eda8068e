//! The strings of a message that is no JSON, as far as they can be made out.

/// What stands between each two quotes in turn, strings and what is between strings alike: where quotes are missing, nobody can
/// tell the one from the other. `None`: it can't be read.
pub(super) struct Pieces(Vec<Option<String>>);

/// In UTF-8, or in UTF-16 if it looks like that.
pub(super) fn of(body: &[u8]) -> Pieces {
    let text = match body {
        [0xff, 0xfe, rest @ ..] => utf_16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf_16(rest, u16::from_be_bytes),
        [b'{' | b'[', 0, ..] => utf_16(body, u16::from_le_bytes),
        [0, b'{' | b'[', ..] => utf_16(body, u16::from_be_bytes),
        _ => String::from_utf8_lossy(body).into_owned(),
    };
    let quotes = quotes(&text);
    let piece = |pair: &[usize]| match pair {
        [from, to] => text.get(*from..=*to).and_then(|quoted| serde_json::from_str(quoted).ok()),
        _ => None,
    };
    Pieces(quotes.windows(2).map(piece).collect())
}

impl Pieces {
    pub(super) fn strings(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flatten().map(String::as_str)
    }

    /// The strings that are said to be `name`, in order. `None`: something of that name can't be read.
    pub(super) fn values_of(&self, name: &str) -> Vec<Option<&str>> {
        let named = self.0.iter().enumerate().filter(|(_, piece)| piece.as_deref() == Some(name));
        let rest = named.map(|(at, _)| self.0.get(at + 1..).unwrap_or_default());
        let readable = |value: &&str| !value.contains('\u{fffd}');
        let values =
            rest.filter(|rest| is_behind_a_name(rest)).map(|rest| rest.get(1).and_then(Option::as_deref));
        values.map(|value| value.filter(readable)).collect()
    }
}

/// A colon follows, or the message ends there.
fn is_behind_a_name(rest: &[Option<String>]) -> bool {
    match rest {
        [] | [_] => true,
        [between, ..] => between.as_ref().is_some_and(|between| between.trim() == ":"),
    }
}

/// Where quotes stand that begin or end something: one within a string has a backslash before it.
fn quotes(text: &str) -> Vec<usize> {
    let mut quotes = Vec::new();
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' if !escaped => quotes.push(at),
            _ => {}
        }
        escaped = byte == b'\\' && !escaped;
    }
    quotes
}

fn utf_16(body: &[u8], unit: impl Fn([u8; 2]) -> u16) -> String {
    let units: Vec<u16> = body.as_chunks().0.iter().map(|pair| unit(*pair)).collect();
    String::from_utf16_lossy(&units)
}
