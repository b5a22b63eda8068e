//! What a person writes behind a command, in a key binding or on an editor's command line. Lines count from one there.

use serde_json::Value;

use super::{BadCommand, Command, Place, Verb, What};
use crate::documents::AbsPath;

/// Reads the arguments of `verb`, known to the person as `id`.
pub(super) fn parse(
    verb: Verb,
    id: &str,
    arguments: &[Value],
    resolve: impl Fn(&str) -> Option<AbsPath>,
) -> Result<Command, BadCommand> {
    let path = |written: &str| {
        if written.is_empty() {
            return Err(BadCommand(format!(
                "`{id}` is for a file, and this buffer has no name: save it first"
            )));
        }
        resolve(written)
            .ok_or_else(|| BadCommand(format!("`{written}` is no path of a file in the workspace")))
    };
    let place = |written: &str, first: &Value, last: &Value| {
        path(written).and_then(|path| lines(path, id, first, last))
    };

    match (verb, arguments) {
        (Verb::Ask, []) => Ok(ask(None, None)),
        (Verb::Ask, [Value::String(text)]) => Ok(ask(Some(text), None)),
        // What is asked in a buffer without a name is about no place.
        (
            Verb::Ask,
            [Value::String(file), Value::Number(_), Value::String(text)]
            | [Value::String(file), Value::Number(_), Value::Number(_), Value::String(text)],
        ) if file.is_empty() => Ok(ask(Some(text), None)),
        (Verb::Ask, [Value::String(file), line @ Value::Number(_)]) => {
            Ok(ask(None, Some(place(file, line, line)?)))
        }
        (Verb::Ask, [Value::String(file), line @ Value::Number(_), Value::String(text)]) => {
            let at = place(file, line, line)?;
            Ok(ask(Some(text), Some(Place { end: at.start, ..at })))
        }
        (
            Verb::Ask,
            [Value::String(file), first @ Value::Number(_), last @ Value::Number(_), Value::String(text)],
        ) => Ok(ask(Some(text), Some(place(file, first, last)?))),
        (Verb::Accept, [Value::String(file), line @ Value::Number(_)]) => {
            Ok(Command::Accept { what: What::At(place(file, line, line)?) })
        }
        (Verb::Reject, [Value::String(file), line @ Value::Number(_)]) => {
            Ok(Command::Reject { what: What::At(place(file, line, line)?), reason: None })
        }
        (Verb::Reject, [Value::String(file), line @ Value::Number(_), Value::String(reason)]) => {
            Ok(Command::Reject { what: What::At(place(file, line, line)?), reason: Some(reason.clone()) })
        }
        (Verb::AcceptAll, []) => Ok(Command::Accept { what: What::All }),
        (Verb::AcceptAll, [Value::String(file)]) => Ok(Command::Accept { what: What::File(path(file)?) }),
        (Verb::RejectAll, []) => Ok(Command::Reject { what: What::All, reason: None }),
        (Verb::RejectAll, [Value::String(file)]) => {
            Ok(Command::Reject { what: What::File(path(file)?), reason: None })
        }
        (Verb::ShowDiff, []) => Ok(Command::ShowDiff { place: None }),
        (Verb::ShowDiff, [Value::String(file)]) => {
            Ok(Command::ShowDiff { place: Some(Place { path: path(file)?, start: 0, end: 0 }) })
        }
        (Verb::ShowDiff, [Value::String(file), line @ Value::Number(_)]) => {
            Ok(Command::ShowDiff { place: Some(place(file, line, line)?) })
        }
        (Verb::OpenChat, []) => Ok(Command::OpenChat),
        (Verb::Send, []) => Ok(Command::Send),
        (Verb::Cancel, []) => Ok(Command::Cancel { task: None }),
        (Verb::Cancel, [Value::String(task)]) => Ok(Command::Cancel { task: Some(task.clone()) }),
        (Verb::Answer, [Value::String(option)]) => {
            Ok(Command::Answer { request: None, option: option.clone() })
        }
        (Verb::Answer, [Value::String(request), Value::String(option)]) => {
            Ok(Command::Answer { request: Some(request.clone()), option: option.clone() })
        }
        (Verb::SetMode, [Value::String(mode)]) => Ok(Command::SetMode { mode: mode.clone() }),
        (Verb::Trust, []) => Ok(Command::Trust { trusted: true }),
        (Verb::Distrust, []) => Ok(Command::Trust { trusted: false }),
        (verb, _) => Err(BadCommand(format!("`{id}` takes {}", forms(verb)))),
    }
}

fn ask(text: Option<&String>, place: Option<Place>) -> Command {
    let text = text.map(|text| text.trim()).filter(|text| !text.is_empty()).map(str::to_owned);
    Command::Ask { text, place, diagnostics: Vec::new() }
}

/// From the first to the last line, both of them included, in either order.
fn lines(path: AbsPath, id: &str, first: &Value, last: &Value) -> Result<Place, BadCommand> {
    let line = |value: &Value| {
        value
            .as_u64()
            .and_then(|line| u32::try_from(line).ok())
            .filter(|line| *line > 0)
            .ok_or_else(|| BadCommand(format!("`{id}`: {value} is no line number; the first line is 1")))
    };
    let (first, last) = (line(first)?, line(last)?);
    Ok(Place { path, start: first.min(last) - 1, end: first.max(last) })
}

/// The right forms, for an error.
const fn forms(verb: Verb) -> &'static str {
    match verb {
        Verb::Ask => r#""text", or "path" line "text", or "path" first-line last-line "text""#,
        Verb::Accept => r#""path" line"#,
        Verb::Reject => r#""path" line, and a "reason" if you like"#,
        Verb::AcceptAll | Verb::RejectAll => r#"nothing, for all files, or "path""#,
        Verb::ShowDiff => r#"nothing, or "path", or "path" line"#,
        Verb::OpenChat | Verb::Send | Verb::Trust | Verb::Distrust => "nothing",
        Verb::SetMode => r#"a "mode": default, acceptEdits, plan, dontAsk or bypassPermissions"#,
        Verb::Cancel => r#"nothing, for all tasks, or "task""#,
        Verb::Answer => {
            r#""once", "session", "save" or "no", with the question's "id" before it if there are several"#
        }
        Verb::Do => "what Copydesk's own code actions put there",
    }
}
