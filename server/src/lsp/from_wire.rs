//! What a client of the custom methods sends, as the core has it.

use copydesk_protocol as wire;
use serde_json::Value;
use tower_lsp::jsonrpc::Error;

use super::failure::{refused, unknown};
use crate::agent::TaskContext;
use crate::conversation::{ContentBlock, ImageSource};
use crate::documents::{AbsPath, Workspace, to_path};
use crate::editor::{Diagnostic, FileDiagnostics, Place, Places, Position, Range, Severity};
use crate::permissions::{
    AnsweredBy, Behavior, How, Keep, PermissionAnswer, PermissionMode, PermissionUpdate, Rule, SettingsFile,
    Update,
};
use crate::review::{Decide, Decision, HunkId, HunkRef, Take, Target};

/// A prompt that says something.
pub(super) fn prompt(
    blocks: Vec<wire::ContentBlock>,
    workspace: &Workspace,
) -> Result<Vec<ContentBlock>, Error> {
    let blocks = blocks.into_iter().map(|block| content_block(block, workspace));
    let blocks: Vec<_> = blocks.filter_map(Result::transpose).collect::<Result<_, _>>()?;
    if blocks.is_empty() {
        return Err(refused("emptyPrompt", "The prompt is empty".to_owned(), "Say what is to be done."));
    }
    Ok(blocks)
}

pub(super) fn context(context: wire::EditorContext) -> Result<TaskContext, Error> {
    Ok(TaskContext {
        path: path(&context.uri)?,
        range: context.range.map(range),
        diagnostics: context.diagnostics.iter().filter_map(diagnostic).collect(),
    })
}

/// The path of a `file:` URI.
pub(super) fn path(uri: &str) -> Result<AbsPath, Error> {
    to_path(uri).map_err(|ignored| unknown("File", uri, &ignored.why))
}

/// Where a decision is about what is pending.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Pending {
    Hunk(HunkRef),
    In(AbsPath),
    /// Of the file what is beside its hunks.
    Beside(AbsPath),
    Everywhere,
}

pub(super) fn pending(target: &wire::DecideTarget) -> Result<Pending, Error> {
    let wire::DecideTarget { all, uri, whole, hunk_id, revision, lines: _ } = target;
    match (hunk_id, uri) {
        (Some(id), _) => Ok(Pending::Hunk(HunkRef { id: HunkId(id.clone()), revision: *revision })),
        (None, Some(uri)) if *whole => Ok(Pending::Beside(path(uri)?)),
        (None, Some(uri)) => Ok(Pending::In(path(uri)?)),
        (None, None) if *all => Ok(Pending::Everywhere),
        (None, None) => {
            let hint = "Name a hunkId, a uri, or all.";
            Err(refused("noTarget", "The decision is about nothing".to_owned(), hint))
        }
    }
}

pub(super) fn decide(params: wire::DecideParams) -> Decide {
    let wire::DecideTarget { hunk_id, lines, .. } = params.target;
    match (params.decision, lines.filter(|_| hunk_id.is_some())) {
        (wire::Decision::Accept, None) => Decide::Accept,
        (wire::Decision::Accept, Some(lines)) => {
            Decide::AcceptLines { minus: indexes(lines.removed), plus: indexes(lines.added) }
        }
        (wire::Decision::Reject, None) => Decide::Reject { reason: params.reason },
        (wire::Decision::Reject, Some(lines)) => {
            Decide::RejectLines { minus: indexes(lines.removed), plus: indexes(lines.added) }
        }
        (wire::Decision::TakeMine, _) => Decide::Resolve(Take::Mine),
        (wire::Decision::TakeAgents, _) => Decide::Resolve(Take::Agents),
        (wire::Decision::Redo, _) => Decide::Resolve(Take::Redo),
    }
}

pub(super) fn amendment(params: wire::ProposalAmendParams) -> Decision {
    let hunk = HunkRef { id: HunkId(params.hunk_id), revision: Some(params.revision) };
    Decision { decide: Decide::Amend { text: params.text }, target: Target::Hunk(hunk) }
}

pub(super) fn permission_answer(params: wire::PermissionAnswerParams) -> (String, PermissionAnswer) {
    let wire::PermissionAnswerParams {
        request_id,
        option_id,
        feedback,
        updated_input,
        interrupt,
        updated_permissions,
        unattended,
    } = params;
    (
        request_id,
        PermissionAnswer {
            option_id,
            feedback,
            updated_input,
            interrupt: interrupt.unwrap_or_default(),
            updates: updated_permissions.into_iter().map(permission_update).collect(),
            by: if unattended == Some(true) { AnsweredBy::Nobody } else { AnsweredBy::Person },
        },
    )
}

fn permission_update(update: wire::PermissionUpdate) -> PermissionUpdate {
    let rules = |how, rules: Vec<wire::PermissionRule>, behavior| Update::Rules {
        how,
        behavior: match behavior {
            wire::PermissionBehavior::Allow => Behavior::Allow,
            wire::PermissionBehavior::Deny => Behavior::Deny,
            wire::PermissionBehavior::Ask => Behavior::Ask,
        },
        rules: rules.into_iter().map(permission_rule).collect(),
    };
    let (what, destination) = match update {
        wire::PermissionUpdate::AddRules { rules: list, behavior, destination } => {
            (rules(How::Add, list, behavior), destination)
        }
        wire::PermissionUpdate::ReplaceRules { rules: list, behavior, destination } => {
            (rules(How::Replace, list, behavior), destination)
        }
        wire::PermissionUpdate::RemoveRules { rules: list, behavior, destination } => {
            (rules(How::Remove, list, behavior), destination)
        }
        wire::PermissionUpdate::SetMode { mode: wanted, destination } => {
            (Update::Mode(mode(wanted)), destination)
        }
        wire::PermissionUpdate::AddDirectories { directories, destination } => {
            (Update::Folders { how: How::Add, folders: directories }, destination)
        }
        wire::PermissionUpdate::RemoveDirectories { directories, destination } => {
            (Update::Folders { how: How::Remove, folders: directories }, destination)
        }
    };
    let keep = match destination {
        wire::PermissionDestination::Session | wire::PermissionDestination::CliArg => Keep::Session,
        wire::PermissionDestination::UserSettings => Keep::File(SettingsFile::User),
        wire::PermissionDestination::ProjectSettings => Keep::File(SettingsFile::Project),
        wire::PermissionDestination::LocalSettings => Keep::File(SettingsFile::Local),
    };
    PermissionUpdate { what, keep }
}

/// `Tool(*)` is `Tool`.
fn permission_rule(rule: wire::PermissionRule) -> Rule {
    Rule {
        tool: rule.tool_name,
        spec: rule.rule_content.filter(|spec| !spec.trim().is_empty() && spec != "*"),
    }
}

pub(super) const fn mode(mode: wire::PermissionMode) -> PermissionMode {
    match mode {
        wire::PermissionMode::Default => PermissionMode::Default,
        wire::PermissionMode::AcceptEdits => PermissionMode::AcceptEdits,
        wire::PermissionMode::Plan => PermissionMode::Plan,
        wire::PermissionMode::DontAsk => PermissionMode::DontAsk,
        wire::PermissionMode::BypassPermissions => PermissionMode::BypassPermissions,
    }
}

/// Blank text is no block: vendors refuse it.
fn content_block(block: wire::ContentBlock, workspace: &Workspace) -> Result<Option<ContentBlock>, Error> {
    Ok(match block {
        wire::ContentBlock::Text { text } => (!text.trim().is_empty()).then(|| ContentBlock::text(text)),
        wire::ContentBlock::ResourceLink { uri, range } => {
            let file = to_path(&uri).map_or(uri, |path| workspace.display(&path));
            Some(ContentBlock::text(match range {
                Some(range) => {
                    // An end before the first character of a line leaves that line out.
                    let whole = range.end.character == 0 && range.end.line > range.start.line;
                    let last = if whole { range.end.line } else { range.end.line + 1 };
                    format!("`{file}`, lines {} to {last}", range.start.line + 1)
                }
                None => format!("`{file}`"),
            }))
        }
        wire::ContentBlock::Image { mime_type, data } => {
            let image = ImageSource { media_type: mime_type, data };
            if !image.is_legal() {
                let hint = "Send the bytes of the image in padded base64 (RFC 4648), without line breaks and without `data:` in front.";
                return Err(refused("brokenImage", "The data of an image is no base64".to_owned(), hint));
            }
            Some(ContentBlock::Image(image))
        }
    })
}

/// An LSP `Diagnostic` as `line: message`.
fn diagnostic(diagnostic: &Value) -> Option<String> {
    let line = diagnostic.pointer("/range/start/line")?.as_u64()?;
    let message = diagnostic.get("message")?.as_str()?;
    Some(format!("{}: {message}", line + 1))
}

/// What the editor's language servers say of a file. What has no place or no words is left out.
pub(super) fn file_diagnostics(file: wire::FileDiagnostics) -> FileDiagnostics {
    let diagnostics = file.diagnostics.iter().filter_map(whole_diagnostic).collect();
    FileDiagnostics { uri: file.uri, version: file.version, diagnostics }
}

/// Where a name stands, by the editor's language servers.
pub(super) fn places(result: wire::PlacesResult) -> Places {
    // A place without a range is its whole file: its beginning.
    let place =
        |place: wire::Location| Place { uri: place.uri, range: range(place.range.unwrap_or_default()) };
    Places { version: result.version, places: result.places.into_iter().map(place).collect() }
}

fn whole_diagnostic(diagnostic: &Value) -> Option<Diagnostic> {
    let place = serde_json::from_value(diagnostic.get("range")?.clone()).ok()?;
    Some(Diagnostic {
        range: range(place),
        // A client decides what none means (LSP `Diagnostic`): the worst.
        severity: match diagnostic.get("severity").and_then(Value::as_u64) {
            Some(2) => Severity::Warning,
            Some(3) => Severity::Information,
            Some(4) => Severity::Hint,
            Some(_) | None => Severity::Error,
        },
        source: diagnostic.get("source").and_then(Value::as_str).map(str::to_owned),
        message: diagnostic.get("message")?.as_str()?.to_owned(),
    })
}

fn range(range: wire::Range) -> Range {
    let position = |position: wire::Position| Position::new(position.line, position.character);
    Range::new(position(range.start), position(range.end))
}

fn indexes(indexes: Vec<u32>) -> Vec<usize> {
    indexes.into_iter().map(|index| index as usize).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(params: Value, wanted: Result<(Decide, Pending), &str>) {
        let params: wire::DecideParams = serde_json::from_value(params).unwrap();
        let read = pending(&params.target).map(|pending| (decide(params), pending));
        assert_eq!(read.map_err(|error| error.message.into_owned()), wanted.map_err(str::to_owned));
    }

    #[test]
    fn a_decision_names_what_it_is_about() {
        let hunk = |revision| Pending::Hunk(HunkRef { id: HunkId("h_1".to_owned()), revision });
        check(
            json!({"decision": "accept", "target": {"hunkId": "h_1", "revision": 2, "uri": "file:///a"}}),
            Ok((Decide::Accept, hunk(Some(2)))),
        );
        check(
            json!({"decision": "accept", "target": {"hunkId": "h_1", "lines": {"removed": [0], "added": [1, 2]}}}),
            Ok((Decide::AcceptLines { minus: vec![0], plus: vec![1, 2] }, hunk(None))),
        );
        check(
            json!({"decision": "reject", "target": {"uri": "file:///a%20b"}, "reason": "no"}),
            Ok((
                Decide::Reject { reason: Some("no".to_owned()) },
                Pending::In(AbsPath::new("/a b").unwrap()),
            )),
        );
        check(
            json!({"decision": "takeMine", "target": {"all": true}}),
            Ok((Decide::Resolve(Take::Mine), Pending::Everywhere)),
        );
        check(json!({"decision": "accept", "target": {}}), Err("The decision is about nothing"));
        check(json!({"decision": "accept", "target": {"uri": "git:/a"}}), Err("There is no file `git:/a`"));
    }

    #[test]
    fn an_image_that_is_no_base64_is_refused_with_what_to_send() {
        let workspace = Workspace::new(vec![AbsPath::new("/w").unwrap()], false);
        let image = |data: &str| {
            let block = json!({"type": "image", "mimeType": "image/png", "data": data});
            prompt(serde_json::from_value(json!([block])).unwrap(), &workspace)
        };
        assert_eq!(image("AAAA").map(|blocks| blocks.len()), Ok(1));
        for broken in ["", "not base64!", "AAA", "data:image/png;base64,AAAA"] {
            let error = image(broken).unwrap_err();
            assert_eq!(error.message, "The data of an image is no base64");
            assert!(error.data.is_some_and(|data| data["hint"].as_str().unwrap().contains("padded base64")));
        }
    }

    #[test]
    fn a_prompt_without_words_is_refused() {
        let workspace = Workspace::new(vec![AbsPath::new("/w").unwrap()], false);
        let blocks = |blocks: Value| prompt(serde_json::from_value(blocks).unwrap(), &workspace);
        assert!(blocks(json!([])).is_err());
        assert!(blocks(json!([{"type": "text", "text": " \n"}])).is_err());
        let link = json!({"type": "resource_link", "uri": "file:///w/a.rs", "range":
            {"start": {"line": 2, "character": 0}, "end": {"line": 4, "character": 1}}});
        assert_eq!(blocks(json!([link])), Ok(vec![ContentBlock::text("`a.rs`, lines 3 to 5")]));
        let whole = json!({"type": "resource_link", "uri": "file:///w/a.rs", "range":
            {"start": {"line": 2, "character": 0}, "end": {"line": 4, "character": 0}}});
        assert_eq!(blocks(json!([whole])), Ok(vec![ContentBlock::text("`a.rs`, lines 3 to 4")]));
    }
}
