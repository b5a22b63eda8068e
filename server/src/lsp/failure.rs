//! Errors of our own: a code, a sentence for the person, and what to do next (`ErrorData`).

use copydesk_protocol::{ErrorData, error_code};
use serde_json::json;
use tower_lsp::jsonrpc::{Error, ErrorCode};

/// There is no session, task, file or question of that name.
pub(super) fn unknown(what: &str, name: &str, hint: &str) -> Error {
    failure(
        error_code::UNKNOWN,
        &format!("unknown{what}"),
        format!("There is no {} `{name}`", words(what)),
        hint,
    )
}

/// Part of the protocol, but not of this version.
pub(super) fn not_available(method: &str) -> Error {
    let message = format!("`{method}` is not available yet");
    failure(error_code::NOT_AVAILABLE, "notAvailable", message, "A later version of Copydesk will answer it.")
}

/// The same of something that a method is asked for: `what` is named with an article.
pub(super) fn part_not_available(what: &str, hint: &str) -> Error {
    failure(error_code::NOT_AVAILABLE, "notAvailable", format!("{what} is not available yet"), hint)
}

/// Understood, and refused for this reason.
pub(super) fn refused(kind: &str, message: String, hint: &str) -> Error {
    failure(error_code::REFUSED, kind, message, hint)
}

/// A fault of ours.
pub(super) fn internal(message: String) -> Error {
    Error { code: ErrorCode::InternalError, message: message.into(), data: None }
}

fn failure(code: i64, kind: &str, message: String, hint: &str) -> Error {
    let data = ErrorData { kind: kind.to_owned(), hint: hint.to_owned() };
    Error { code: ErrorCode::ServerError(code), message: message.into(), data: Some(json!(data)) }
}

/// `RunningTask` as a person says it.
fn words(what: &str) -> String {
    let mut words = String::new();
    for letter in what.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_has_a_code_a_sentence_and_a_next_step() {
        let error = unknown("RunningTask", "t_1", "It may have ended.");
        assert_eq!(
            serde_json::to_value(error).unwrap(),
            json!({
                "code": error_code::UNKNOWN,
                "message": "There is no running task `t_1`",
                "data": {"kind": "unknownRunningTask", "hint": "It may have ended."},
            })
        );
    }
}
