//! JSON with halves of characters in it: `"\ud83d"` is no text, and some services and editors write it where they cut an
//! emoji, in one piece or between two of them.

use std::borrow::Cow;

use serde_json::Value;

/// Stands for half a character.
const REPLACEMENT: &str = "\\ufffd";

/// Parses `json`; a lone surrogate in it becomes U+FFFD, so that the rest is not lost.
pub(crate) fn parsed(json: &str) -> serde_json::Result<Value> {
    serde_json::from_str(json).or_else(|error| match without_lone_surrogates(json, &mut Halves::Replaced) {
        Cow::Owned(mended) => serde_json::from_str(&mended),
        Cow::Borrowed(_) => Err(error),
    })
}

/// What becomes of half a character at the end of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halves {
    Replaced,
    /// It waits for its other half, which may begin a text of a later piece; this one waits.
    Joined(Option<u16>),
}

impl Default for Halves {
    fn default() -> Self {
        Self::Joined(None)
    }
}

impl Halves {
    /// As `parsed`, for the next piece of one stream.
    pub(super) fn parsed(&mut self, json: &str) -> serde_json::Result<Value> {
        serde_json::from_str(json).or_else(|error| match without_lone_surrogates(json, self) {
            Cow::Owned(mended) => serde_json::from_str(&mended),
            Cow::Borrowed(_) => Err(error),
        })
    }

    /// What is written for the lone `unit`. `begins`, `ends`: it does so in its text.
    fn written(&mut self, unit: u16, begins: bool, ends: bool) -> Cow<'static, str> {
        match *self {
            Self::Joined(Some(first)) if begins && is_second(unit) => {
                *self = Self::Joined(None);
                Cow::Owned(format!("\\u{first:04x}\\u{unit:04x}"))
            }
            Self::Joined(_) if ends && !is_second(unit) => {
                *self = Self::Joined(Some(unit));
                Cow::Borrowed("")
            }
            Self::Joined(_) | Self::Replaced => Cow::Borrowed(REPLACEMENT),
        }
    }
}

fn without_lone_surrogates<'a>(json: &'a str, halves: &mut Halves) -> Cow<'a, str> {
    let mut mended = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(backslash) = json.get(at..).and_then(|rest| rest.find('\\')).map(|found| at + found) {
        let begins =
            backslash > at.max(copied) && json.get(..backslash).is_some_and(|text| text.ends_with('"'));
        let unit = unit(json, backslash);
        at = backslash + if unit.is_some() { 6 } else { 2 };
        match unit {
            Some(0xD800..=0xDBFF) if self::unit(json, at).is_some_and(is_second) => at += 6,
            Some(unit @ 0xD800..=0xDFFF) => {
                let ends = json.get(at..).is_some_and(|rest| rest.starts_with('"'));
                mended.push_str(json.get(copied..backslash).unwrap_or_default());
                mended.push_str(&halves.written(unit, begins, ends));
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

const fn is_second(unit: u16) -> bool {
    matches!(unit, 0xDC00..=0xDFFF)
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

    /// The texts of `pieces`, one behind the other.
    #[track_caller]
    fn check_joined(pieces: &[&str], wanted: &str) {
        let mut halves = Halves::default();
        let texts = pieces.iter().map(|piece| {
            let value = halves.parsed(&format!("{{\"text\":\"{piece}\"}}")).unwrap();
            value["text"].as_str().unwrap().to_owned()
        });
        assert_eq!(texts.collect::<String>(), wanted);
    }

    #[test]
    fn a_character_cut_between_two_pieces_is_put_together() {
        check_joined(&[r"see \ud83d", r"\ude00 there"], "see 😀 there");
        check_joined(&[r"\ud83d", "", r"\ude00\ud83d", r"\ude01"], "😀😁");
        check_joined(&[r"\ud83d\ude00", r"\ude01"], "😀\u{fffd}");
        check_joined(&[r"\ud83d!", r"\ude00"], "\u{fffd}!\u{fffd}");
        check_joined(&[r"\ud83d", r#"said \"\ude00"#], "said \"\u{fffd}");
    }
}
