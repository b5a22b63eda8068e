//! The input of a call that was no JSON object: kept as text in an object, so that it is legal to send back and no tool
//! takes it for an input.

use serde_json::{Map, Value};

/// The one field of such an object.
const FIELD: &str = "unparsed_input";

/// `raw`, as the model wrote it, as an input.
pub fn unparsed_input(raw: &str) -> Value {
    Value::Object(Map::from_iter([(FIELD.to_owned(), Value::String(raw.to_owned()))]))
}

/// What the model wrote, if `input` was made by `unparsed_input`.
pub fn raw_of_unparsed(input: &Value) -> Option<&str> {
    let object = input.as_object().filter(|object| object.len() == 1)?;
    object.get(FIELD)?.as_str()
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
    }
}
