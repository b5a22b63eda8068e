//! The arguments of a call as models write them, made into the input of a tool.
//!
//! Invariant: what is mended is its form alone. A text that breaks off within a word is never completed: the tool does not
//! run, and the model is shown what it wrote.

use serde_json::{Map, Value};

use crate::conversation::unparsed_input;
use crate::models::lone_surrogates;

/// The input that `written` stands for: an object, or what `unparsed_input` makes of text that is none.
pub(super) fn input(written: &str) -> Value {
    object(written).map_or_else(|| unparsed_input(written), Value::Object)
}

/// Whether `written` is a whole object as it stands.
pub(super) fn is_whole(written: &str) -> bool {
    written.trim_end().ends_with('}') && matches!(lone_surrogates::parsed(written), Ok(Value::Object(_)))
}

/// Whether `more` can only go on with an object, whatever came of it: nothing begins like that.
pub(super) fn goes_on(more: &str) -> bool {
    more.trim_start().starts_with([',', ':', '}', ']'])
}

fn object(written: &str) -> Option<Map<String, Value>> {
    if written.trim().is_empty() {
        return Some(Map::new());
    }
    let parsed =
        lone_surrogates::parsed(written).ok().or_else(|| lone_surrogates::parsed(&mended(written)?).ok())?;
    match parsed {
        Value::Object(input) => Some(input),
        Value::Null => Some(Map::new()),
        // JSON within JSON.
        Value::String(inner) => serde_json::from_str(&inner).ok(),
        Value::Array(_) | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// `written` without a code fence around it and without commas behind the last of a list, with line breaks in texts
/// escaped and with the brackets that are still open closed; `None` if it ends within a text or a word.
fn mended(written: &str) -> Option<String> {
    let written = without_fence(written);
    let mut mended = String::with_capacity(written.len());
    let mut open = Vec::new();
    let mut in_text = false;
    let mut escaped = false;
    for character in written.chars() {
        if in_text {
            match character {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => in_text = false,
                '\n' | '\r' | '\t' => {
                    mended.push('\\');
                    mended.push(match character {
                        '\n' => 'n',
                        '\r' => 'r',
                        _ => 't',
                    });
                    continue;
                }
                _ => {}
            }
            mended.push(character);
            continue;
        }
        match character {
            '"' => in_text = true,
            '{' => open.push('}'),
            '[' => open.push(']'),
            '}' | ']' => {
                (open.pop() == Some(character)).then_some(())?;
                drop_comma(&mut mended);
            }
            _ => {}
        }
        mended.push(character);
    }
    let last = mended.trim_end().chars().last()?;
    // A number or a word may go on, and a text surely does.
    if in_text || (!open.is_empty() && !matches!(last, '"' | '}' | ']' | ',')) {
        return None;
    }
    drop_comma(&mut mended);
    mended.extend(open.into_iter().rev());
    Some(mended)
}

fn without_fence(written: &str) -> &str {
    let trimmed = written.trim();
    let Some(inside) = trimmed.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) else {
        return trimmed;
    };
    inside.strip_prefix("json").unwrap_or(inside).trim()
}

fn drop_comma(text: &mut String) {
    let kept = text.trim_end();
    if let Some(without) = kept.strip_suffix(',') {
        text.truncate(without.len());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(written: &str, wanted: Value) {
        assert_eq!(input(written), wanted, "{written}");
    }

    #[track_caller]
    fn check_unparsed(written: &str) {
        check(written, unparsed_input(written));
    }

    #[test]
    fn nothing_null_and_json_within_json() {
        check("", json!({}));
        check(" \n", json!({}));
        check("null", json!({}));
        check(r#"{"a":1}"#, json!({ "a": 1 }));
        check(r#""{\"a\":{\"b\":[1]}}""#, json!({ "a": { "b": [1] } }));
    }

    #[test]
    fn the_form_is_mended() {
        check(r#"{"a":1,}"#, json!({ "a": 1 }));
        check(r#"{"a":[1,2,],"b":{"c":"x",},}"#, json!({ "a": [1, 2], "b": { "c": "x" } }));
        check(r#"{"a":{"b":["x"]"#, json!({ "a": { "b": ["x"] } }));
        check(r#"{"a":"x","#, json!({ "a": "x" }));
        check("{\"a\":\"one\n\ttwo\"}", json!({ "a": "one\n\ttwo" }));
        check("```json\n{\"a\":1}\n```", json!({ "a": 1 }));
        check(r#"{"a":"}, \" ,]"}"#, json!({ "a": "}, \" ,]" }));
    }

    #[test]
    fn half_a_character_costs_that_character_alone() {
        check(r#"{"a":"x\ud83d","b":1}"#, json!({ "a": "x\u{fffd}", "b": 1 }));
    }

    #[test]
    fn what_would_be_a_guess_is_left_as_it_was_written() {
        check_unparsed(r#"{"file_path":"/etc/pas"#);
        check_unparsed(r#"{"limit":12"#);
        check_unparsed(r#"{"a":tru"#);
        check_unparsed(r#"{"a":"#);
        check_unparsed("{");
        check_unparsed(r#"{"a""#);
        check_unparsed(r#"{"a":1}{"b":2}"#);
        check_unparsed("[1]");
        check_unparsed("12");
        check_unparsed("use a.rs");
        check_unparsed(r#"{"a":]}"#);
        check_unparsed(r#""not json""#);
    }
}
