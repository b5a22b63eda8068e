//! The input of a call that was no JSON object, or too long: kept as text in an object, so that it is legal to send back and
//! no tool takes it for an input.

use serde_json::{Map, Value};

/// Bytes of the longest input. A service takes 32 MB in a request, and the input goes back with every one that follows.
pub const LONGEST_INPUT: usize = 8 * 1024 * 1024;

/// The one field of an object that stands for what was no input.
const FIELD: &str = "unparsed_input";
/// Where it was too long, this stands beside it.
const BYTES: &str = "bytes_in_all";

/// `raw`, as the model wrote it, as an input.
pub fn unparsed_input(raw: &str) -> Value {
    Value::Object(Map::from_iter([(FIELD.to_owned(), Value::String(raw.to_owned()))]))
}

/// What the model wrote, if `input` was made by `unparsed_input`.
pub fn raw_of_unparsed(input: &Value) -> Option<&str> {
    let object = input.as_object().filter(|object| object.len() == 1)?;
    object.get(FIELD)?.as_str()
}

/// An input of so many `bytes`, which is too long: its `beginning` stands for it.
pub fn overlong_input(beginning: &str, bytes: usize) -> Value {
    let fields = [(FIELD, Value::from(beginning)), (BYTES, Value::from(bytes))];
    Value::Object(fields.map(|(name, value)| (name.to_owned(), value)).into_iter().collect())
}

/// How long the input was that `input` stands for, if that was made by `overlong_input`.
pub fn bytes_of_overlong(input: &Value) -> Option<u64> {
    let object = input.as_object().filter(|object| object.len() == 2 && object.contains_key(FIELD))?;
    object.get(BYTES)?.as_u64()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_was_kept_as_text_is_found_again() {
        assert_eq!(raw_of_unparsed(&unparsed_input("{\"a")), Some("{\"a"));
        assert_eq!(raw_of_unparsed(&json!({})), None);
        assert_eq!(raw_of_unparsed(&json!({"unparsed_input": "x", "path": "a"})), None);
        assert_eq!(raw_of_unparsed(&json!("x")), None);
        assert_eq!(raw_of_unparsed(&overlong_input("{\"a", 9)), None);
    }

    #[test]
    fn what_was_too_long_tells_how_long_it_was() {
        assert_eq!(bytes_of_overlong(&overlong_input("{\"a", 9)), Some(9));
        assert_eq!(bytes_of_overlong(&unparsed_input("{\"a")), None);
        assert_eq!(bytes_of_overlong(&json!({"bytes_in_all": 9, "path": "a"})), None);
    }
}
