//! A call's input: parsed into the tool's own type, or refused in words that name the field.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::ToolError;

/// `input` as the tool's own type. The error names the field, what it holds and what it should hold.
pub(super) fn parse<T: DeserializeOwned>(tool: &str, input: &Value) -> Result<T, ToolError> {
    serde_path_to_error::deserialize(input).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." { String::new() } else { format!(" at `{path}`") };
        ToolError(format!("The input of {tool} is not valid{place}: {}. Nothing was done.", error.inner()))
    })
}

/// The JSON Schema of `T`, as every provider understands it: one flat object, no references, an optional field simply
/// not required.
pub(super) fn schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    plain(&mut schema);
    if let Some(object) = schema.as_object_mut() {
        object.remove("title");
        object.remove("description");
    }
    schema
}

/// The text in `field`, for a title: empty if the input has no such text.
pub(super) fn text<'input>(input: &'input Value, field: &str) -> &'input str {
    input.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// Takes out what some servers' grammars refuse: `null` among the types, number formats, and defaults of `null`.
fn plain(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.remove("format");
            if object.get("default").is_some_and(Value::is_null) {
                object.remove("default");
            }
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    object.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(values)) = object.get_mut("enum") {
                values.retain(|value| !value.is_null());
            }
            object.values_mut().for_each(plain);
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        /// Where.
        path: String,
        /// How many.
        limit: Option<u64>,
    }

    #[track_caller]
    fn check(input: Value, want: &str) {
        let error = parse::<Sample>("Sample", &input).expect_err("not valid");
        assert_eq!(error.0, want);
    }

    #[test]
    fn an_error_names_the_field_and_what_it_should_hold() {
        check(
            json!({"path": "a", "limit": "ten"}),
            "The input of Sample is not valid at `limit`: invalid type: string \"ten\", expected u64. Nothing was done.",
        );
        check(
            json!({"limit": 1}),
            "The input of Sample is not valid: missing field `path`. Nothing was done.",
        );
        check(
            json!({"path": "a", "line": 1}),
            "The input of Sample is not valid at `line`: unknown field `line`, expected `path` or `limit`. Nothing was done.",
        );
        check(
            json!("a"),
            "The input of Sample is not valid: invalid type: string \"a\", expected struct Sample. Nothing was done.",
        );
    }

    #[test]
    fn null_is_an_absent_optional_field() {
        let sample: Sample = parse("Sample", &json!({"path": "a", "limit": null})).expect("valid");
        assert_eq!((sample.path.as_str(), sample.limit), ("a", None));
    }

    #[test]
    fn the_schema_is_plain() {
        assert_eq!(
            schema::<Sample>(),
            json!({
                "type": "object",
                "properties": {
                    "path": {"description": "Where.", "type": "string"},
                    "limit": {"description": "How many.", "type": "integer", "minimum": 0},
                },
                "additionalProperties": false,
                "required": ["path"],
            })
        );
    }
}
