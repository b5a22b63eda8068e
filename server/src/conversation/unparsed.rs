//! The input of a call that was no JSON object, or too long: kept as text in an object, so that it is legal to send back and
//! no tool takes it for an input.

use serde_json::{Map, Value};

/// The one field of an object that stands for what was no input.
const FIELD: &str = "unparsed_input";
/// Where it was too long, these stand beside it.
const BYTES: &str = "bytes_in_all";
const MOST: &str = "bytes_at_most";

/// `raw`, as the model wrote it, as an input.
pub fn unparsed_input(raw: &str) -> Value {
    Value::Object(Map::from_iter([(FIELD.to_owned(), Value::String(raw.to_owned()))]))
}

/// What the model wrote, if `input` was made by `unparsed_input`.
pub fn raw_of_unparsed(input: &Value) -> Option<&str> {
    let object = input.as_object().filter(|object| object.len() == 1)?;
    object.get(FIELD)?.as_str()
}

/// How long an input was that is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlong {
    pub bytes: usize,
    /// The bytes that it may have.
    pub most: usize,
}

/// An input that is too long: its `beginning` stands for it.
pub fn overlong_input(beginning: &str, Overlong { bytes, most }: Overlong) -> Value {
    let fields = [(FIELD, Value::from(beginning)), (BYTES, Value::from(bytes)), (MOST, Value::from(most))];
    Value::Object(fields.map(|(name, value)| (name.to_owned(), value)).into_iter().collect())
}

/// How long the input was that `input` stands for, if that was made by `overlong_input`.
pub fn as_overlong(input: &Value) -> Option<Overlong> {
    let object = input.as_object().filter(|object| object.len() == 3 && object.contains_key(FIELD))?;
    let number = |name| usize::try_from(object.get(name)?.as_u64()?).ok();
    Some(Overlong { bytes: number(BYTES)?, most: number(MOST)? })
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
        assert_eq!(raw_of_unparsed(&overlong_input("{\"a", Overlong { bytes: 9, most: 5 })), None);
    }

    #[test]
    fn what_was_too_long_tells_how_long_it_was() {
        let overlong = Overlong { bytes: 9, most: 5 };
        assert_eq!(as_overlong(&overlong_input("{\"a", overlong)), Some(overlong));
        assert_eq!(as_overlong(&unparsed_input("{\"a")), None);
        assert_eq!(as_overlong(&json!({"bytes_in_all": 9, "bytes_at_most": 5, "path": "a"})), None);
    }
}
