//! The cases of `cases/`, as their drivers read them.

use serde_json::Value;

/// The `case.json` of the case of that name.
pub fn case(name: &str) -> Value {
    let text = file(name, "case.json");
    serde_json::from_slice(&text).unwrap_or_else(|error| panic!("case {name}: {error}"))
}

/// A file of the case.
pub fn file(name: &str, path: &str) -> Vec<u8> {
    let path = format!("{}/cases/{name}/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A list, or nothing where there is none.
pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
