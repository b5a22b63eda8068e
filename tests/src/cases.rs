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

/// Whether the case has that file.
pub fn has(name: &str, path: &str) -> bool {
    std::fs::exists(format!("{}/cases/{name}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap_or_default()
}

/// What two hexadecimal digits a byte stand for.
pub fn bytes(hex: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal digits");
    (0..hex.len()).step_by(2).map(byte).collect()
}

/// A list, or nothing where there is none.
pub fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
