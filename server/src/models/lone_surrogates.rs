//! JSON with halves of characters in it: `"\ud83d"` is no text, and some services write it where they cut an emoji.

use std::borrow::Cow;

use serde_json::Value;

/// Stands for half a character.
const REPLACEMENT: &str = "\\ufffd";

/// Parses `json`; a lone surrogate in it becomes U+FFFD, so that the rest is not lost.
pub(super) fn parsed(json: &str) -> serde_json::Result<Value> {
    serde_json::from_str(json).or_else(|error| match without_lone_surrogates(json) {
        Cow::Owned(mended) => serde_json::from_str(&mended),
        Cow::Borrowed(_) => Err(error),
    })
}

fn without_lone_surrogates(json: &str) -> Cow<'_, str> {
    let mut mended = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(backslash) = json.get(at..).and_then(|rest| rest.find('\\')).map(|found| at + found) {
        let unit = unit(json, backslash);
        at = backslash + if unit.is_some() { 6 } else { 2 };
        match unit {
            Some(0xD800..=0xDBFF) if matches!(self::unit(json, at), Some(0xDC00..=0xDFFF)) => at += 6,
            Some(0xD800..=0xDFFF) => {
                mended.push_str(json.get(copied..backslash).unwrap_or_default());
                mended.push_str(REPLACEMENT);
                copied = at;
            }
            _ => {}
        }
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    mended.push_str(json.get(copied..).unwrap_or_default());
    Cow::Owned(mended)
}

/// The UTF-16 unit that is escaped at `at`.
fn unit(json: &str, at: usize) -> Option<u16> {
    let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, wanted: Option<Value>) {
        assert_eq!(parsed(text).ok(), wanted, "{text}");
    }

    #[test]
    fn halves_are_replaced_and_wholes_stay() {
        check(r#"{"a":"x\ud83dy"}"#, Some(json!({ "a": "x\u{fffd}y" })));
        check(r#""\ude00""#, Some(json!("\u{fffd}")));
        check(r#""\ud83d\ud83d\ude00""#, Some(json!("\u{fffd}😀")));
        check(r#""\uD83D\uDE00 \ud83d\n""#, Some(json!("😀 \u{fffd}\n")));
        check(r#""größe \\ud83d""#, Some(json!("größe \\ud83d")));
        check(r#""世\ud83d界""#, Some(json!("世\u{fffd}界")));
    }

    #[test]
    fn what_is_no_json_stays_none() {
        check("{\"a\":", None);
        check(r#""\ud83d"#, None);
        check(r#""\u12"#, None);
    }
}
