//! Numbers for what is compared again and again: things that are equal have the same one.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use crate::conversation::ToolResultContent;

/// Of a long text, so many bytes at either end are looked at before it is compared whole.
const LOOKED_AT: usize = 64;

/// The things that have a number so far, by a rough look at each.
#[derive(Clone, Debug)]
pub(super) struct Numbers<T> {
    known: HashMap<u64, Vec<(T, usize)>>,
    given: usize,
}

impl<T> Numbers<T> {
    /// The number of `thing`. `rough` is the same for things that are equal.
    pub(super) fn of(&mut self, rough: u64, thing: T, is_equal: impl Fn(&T, &T) -> bool) -> usize {
        let alike = self.known.entry(rough).or_default();
        if let Some((_, number)) = alike.iter().find(|(known, _)| is_equal(known, &thing)) {
            return *number;
        }
        let number = self.given;
        alike.push((thing, number));
        self.given += 1;
        number
    }
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Self { known: HashMap::new(), given: 0 }
    }
}

/// A rough look at a call.
pub(super) fn rough_call(name: &str, input: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    look_at_value(input, &mut hasher);
    hasher.finish()
}

/// A rough look at what a call of the kind with that number gave.
pub(super) fn rough_result(kind: usize, content: &[ToolResultContent], is_error: bool) -> u64 {
    let mut hasher = DefaultHasher::new();
    (kind, content.len(), is_error).hash(&mut hasher);
    for part in content {
        match part {
            ToolResultContent::Text(text) | ToolResultContent::ToolReference(text) => {
                look_at(text, &mut hasher);
            }
            ToolResultContent::Image(image) => look_at(&image.data, &mut hasher),
        }
    }
    hasher.finish()
}

fn look_at(text: &str, hasher: &mut DefaultHasher) {
    let bytes = text.as_bytes();
    bytes.len().hash(hasher);
    bytes.get(..LOOKED_AT).unwrap_or(bytes).hash(hasher);
    bytes.get(bytes.len().saturating_sub(LOOKED_AT)..).hash(hasher);
}

fn look_at_value(value: &Value, hasher: &mut DefaultHasher) {
    match value {
        Value::Null => 0.hash(hasher),
        Value::Bool(yes) => yes.hash(hasher),
        Value::Number(number) => number.hash(hasher),
        Value::String(text) => look_at(text, hasher),
        Value::Array(values) => {
            values.len().hash(hasher);
            for value in values {
                look_at_value(value, hasher);
            }
        }
        // Two objects are equal in whatever order their fields are.
        Value::Object(fields) => {
            let of_field = |(name, value): (&String, &Value)| {
                let mut hasher = DefaultHasher::new();
                name.hash(&mut hasher);
                look_at_value(value, &mut hasher);
                hasher.finish()
            };
            fields.iter().map(of_field).fold(0, u64::wrapping_add).hash(hasher);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_equal_has_the_same_number() {
        let mut numbers = Numbers::default();
        let long = |middle: &str| json!({"text": format!("{0}{middle}{0}", "x".repeat(LOOKED_AT))});
        let things = [
            (json!({"a": 1, "b": [2, "c"]}), 0),
            (json!({"b": [2, "c"], "a": 1}), 0),
            (json!({"a": 1, "b": [2, "d"]}), 1),
            (long("one"), 2),
            (long("two"), 3),
            (long("one"), 2),
            (json!({}), 4),
            (json!({"a": null}), 5),
        ];
        for (thing, wanted) in things {
            let rough = rough_call("Read", &thing);
            assert_eq!(numbers.of(rough, thing.clone(), |one, other| one == other), wanted, "{thing}");
        }
    }
}
