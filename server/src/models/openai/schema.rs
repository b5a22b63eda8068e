//! Tool schemas without what a server's grammar does not understand.

use serde_json::{Map, Value, json};

use super::quirks::SchemaDialect;

/// References within references that are followed before a schema counts as endless.
const DEEPEST: usize = 12;

/// What some grammars refuse, and what is only for people.
const ANNOTATIONS: [&str; 8] =
    ["$schema", "$id", "$defs", "definitions", "title", "format", "default", "additionalProperties"];

/// `schema` of a tool's input in `dialect`. In every dialect it is an object that names its properties.
pub(super) fn sanitized(schema: &Value, dialect: SchemaDialect) -> Value {
    let mut schema = match dialect {
        SchemaDialect::Full => schema.clone(),
        SchemaDialect::Plain => plain(schema, schema, 0),
    };
    with_properties(&mut schema);
    if !schema.is_object() {
        return json!({ "type": "object", "properties": {} });
    }
    schema
}

/// References replaced by what they stand for, unions with null by the other part, annotations gone.
fn plain(schema: &Value, root: &Value, depth: usize) -> Value {
    let Some(fields) = schema.as_object() else { return schema.clone() };
    if depth > DEEPEST {
        return json!({});
    }
    if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
        let target = reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
        let mut meant = target.map_or_else(|| json!({}), |target| plain(target, root, depth + 1));
        if let (Some(meant), Some(description)) = (meant.as_object_mut(), fields.get("description")) {
            meant.insert("description".to_owned(), description.clone());
        }
        return meant;
    }
    let mut kept = Map::new();
    for (name, value) in fields {
        match (name.as_str(), value) {
            (annotation, _) if ANNOTATIONS.contains(&annotation) => {}
            ("type", Value::Array(types)) => {
                kept.insert("type".to_owned(), one_type(types));
            }
            ("const", value) => {
                kept.insert("enum".to_owned(), json!([value]));
            }
            ("anyOf" | "oneOf", Value::Array(choices)) => {
                let choices: Vec<Value> = choices
                    .iter()
                    .filter(|choice| choice.get("type").and_then(Value::as_str) != Some("null"))
                    .map(|choice| plain(choice, root, depth + 1))
                    .collect();
                match choices.as_slice() {
                    [Value::Object(only)] => {
                        // What the property itself says of it goes first.
                        for (name, value) in only {
                            kept.entry(name.clone()).or_insert_with(|| value.clone());
                        }
                    }
                    _ => {
                        kept.insert("anyOf".to_owned(), Value::Array(choices));
                    }
                }
            }
            ("allOf", Value::Array(parts)) if parts.len() == 1 => {
                for part in parts.iter().map(|part| plain(part, root, depth + 1)) {
                    kept.extend(part.as_object().cloned().unwrap_or_default());
                }
            }
            // Properties may be called as keywords are.
            ("properties", Value::Object(properties)) => {
                let properties =
                    properties.iter().map(|(name, schema)| (name.clone(), plain(schema, root, depth + 1)));
                kept.insert("properties".to_owned(), Value::Object(properties.collect()));
            }
            ("enum", Value::Array(values)) => {
                let values = values.iter().filter(|value| !value.is_null()).cloned().collect();
                kept.insert("enum".to_owned(), Value::Array(values));
            }
            (_, Value::Object(_)) => {
                kept.insert(name.clone(), plain(value, root, depth + 1));
            }
            (_, Value::Array(parts)) => {
                let parts = parts.iter().map(|part| plain(part, root, depth + 1)).collect();
                kept.insert(name.clone(), Value::Array(parts));
            }
            _ => {
                kept.insert(name.clone(), value.clone());
            }
        }
    }
    Value::Object(kept)
}

fn one_type(types: &[Value]) -> Value {
    let mut others: Vec<Value> = types.iter().filter(|name| name.as_str() != Some("null")).cloned().collect();
    if others.len() == 1 { others.remove(0) } else { Value::Array(others) }
}

/// Every object names its properties, even if there are none.
fn with_properties(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            for value in fields.values_mut() {
                with_properties(value);
            }
            if fields.get("type").and_then(Value::as_str) == Some("object") {
                fields.entry("properties").or_insert_with(|| json!({}));
            }
        }
        Value::Array(parts) => parts.iter_mut().for_each(with_properties),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(dialect: SchemaDialect, schema: Value, wanted: Value) {
        assert_eq!(sanitized(&schema, dialect), wanted);
    }

    #[test]
    fn an_object_names_its_properties_everywhere() {
        for dialect in [SchemaDialect::Full, SchemaDialect::Plain] {
            check(dialect, json!({ "type": "object" }), json!({ "type": "object", "properties": {} }));
            check(dialect, Value::Null, json!({ "type": "object", "properties": {} }));
        }
        check(
            SchemaDialect::Full,
            json!({ "type": "object", "properties": { "a": { "type": ["string", "null"], "format": "uri" } } }),
            json!({ "type": "object", "properties": { "a": { "type": ["string", "null"], "format": "uri" } } }),
        );
    }

    #[test]
    fn what_grammars_refuse_is_gone() {
        check(
            SchemaDialect::Plain,
            json!({
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "title": "EditInput",
                "type": "object",
                "properties": {
                    "offset": { "type": ["integer", "null"], "format": "uint32", "minimum": 0, "description": "From." },
                    "mode": { "anyOf": [{ "$ref": "#/$defs/Mode" }, { "type": "null" }], "description": "How." },
                    "format": { "type": "string", "default": "x" },
                    "edits": { "type": "array", "items": { "$ref": "#/$defs/Edit" } },
                    "either": { "anyOf": [{ "type": "string" }, { "type": "integer" }] },
                },
                "required": ["mode"],
                "additionalProperties": false,
                "$defs": {
                    "Mode": { "type": "string", "enum": ["a", "b", null] },
                    "Edit": { "type": "object", "title": "Edit" },
                },
            }),
            json!({
                "type": "object",
                "properties": {
                    "offset": { "type": "integer", "minimum": 0, "description": "From." },
                    "mode": { "type": "string", "enum": ["a", "b"], "description": "How." },
                    "format": { "type": "string" },
                    "edits": { "type": "array", "items": { "type": "object", "properties": {} } },
                    "either": { "anyOf": [{ "type": "string" }, { "type": "integer" }] },
                },
                "required": ["mode"],
            }),
        );
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema = json!({
            "type": "object",
            "properties": { "child": { "$ref": "#" } },
        });
        let deep = sanitized(&schema, SchemaDialect::Plain).to_string();
        assert!(!deep.contains("$ref") && deep.len() < 2_000, "{deep}");
        check(SchemaDialect::Plain, json!({ "$ref": "#/nowhere" }), json!({}));
    }
}
