//! `copydesk/proposal/*`: pending changes, and decisions about them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::Range;

/// A file with pending changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct File {
    pub uri: String,
    /// The editor's version; null if the file is not open.
    pub version: Option<i32>,
    pub kind: FileKind,
    /// Where a renamed file goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub new_uri: Option<String>,
    /// Its bytes change, and are no text: it has no hunks, and is decided as a whole.
    pub binary: bool,
    /// Of a binary file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub size: Option<SizeChange>,
    /// A decision of its own, which may stand beside hunks; those about the whole file take it along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub mode: Option<ModeChange>,
    /// The file on disk is not the one that `binary` or `mode` began from: these can't be accepted.
    #[serde(default)]
    pub conflicted: bool,
    /// Open with unsaved text while the disk has something else.
    #[serde(default)]
    pub disk_differs: bool,
    pub session_id: String,
    /// Why the person should decide on this by itself, and not with everything else: it changes what programs run, or a rule
    /// says to ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub must_ask: Option<String>,
    /// Why it did not go in as it came, in a session where changes do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub held_back: Option<String>,
    pub hunks: Vec<Hunk>,
}

/// Bytes before and after; absent: there is no file on that side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct SizeChange {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub from: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub to: Option<u64>,
}

/// Permissions in octal digits, as `chmod` takes them: `755`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct ModeChange {
    /// Absent: a file that is made; it gets them with its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub from: Option<String>,
    pub to: String,
}

impl File {
    /// Something beside its hunks is a decision of its own: other bytes than text, or other permissions.
    pub fn has_whole(&self) -> bool {
        self.binary || self.mode.as_ref().is_some_and(|mode| mode.from.is_some())
    }

    /// How many decisions it takes: its hunks, and what is beside them. At least one.
    pub fn changes(&self) -> usize {
        let beside = self.has_whole() && matches!(self.kind, FileKind::Modify);
        (self.hunks.len() + usize::from(beside)).max(1)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum FileKind {
    Modify,
    Create,
    Delete,
    Rename,
}

/// A place where buffer and draft differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Hunk {
    pub id: String,
    /// Rises with every change of the agent's side; a decision names the revision it saw.
    pub revision: u32,
    /// One-based place among all pending hunks, and their number.
    pub index: u32,
    pub count: u32,
    /// The stretch of the buffer it replaces; empty for an insertion. All hunks of a file, applied together, make the draft.
    pub range: Range,
    /// The text of `range`, and what comes in its place: whole lines with their breaks. Where lines come or go at the end of
    /// a text, the break before them goes with them, so both may begin with one.
    pub removed: String,
    pub added: String,
    pub inline: Vec<InlineMark>,
    pub state: HunkState,
    /// Accepted once and taken back by the user.
    #[serde(default)]
    pub undone: bool,
    /// Adds characters that can't be seen.
    #[serde(default)]
    pub hidden_characters: bool,
    /// The other half of a moved block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub moved: Option<String>,
    pub reason: String,
    pub session_id: String,
    #[serde(default)]
    pub agent: Option<String>,
}

/// A stretch of changed words, in UTF-16 units of `removed` or `added`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct InlineMark {
    pub side: InlineSide,
    pub start: u32,
    pub end: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum InlineSide {
    Removed,
    Added,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum HunkState {
    Pending,
    /// An accept is on its way to the editor's text.
    Applying,
    Conflicted,
}

/// After every change of what is proposed of a file; no hunks, not `binary` and no `mode` means settled. The last three are as
/// in `File`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProposalChangedParams {
    pub uri: String,
    pub version: Option<i32>,
    #[serde(default)]
    pub binary: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub size: Option<SizeChange>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub mode: Option<ModeChange>,
    #[serde(default)]
    pub conflicted: bool,
    pub hunks: Vec<Hunk>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct ProposalListParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct ProposalListResult {
    pub files: Vec<File>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProposalShowParams {
    pub uri: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub session_id: Option<String>,
}

/// Both texts of a file. Null: there is no file on that side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct ProposalShowResult {
    /// Null if nothing is pending in it.
    pub file: Option<File>,
    pub buffer: Option<String>,
    pub draft: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProposalAcceptedParams {
    pub session_id: String,
}

/// What was written to files that are not open without asking, as the session's mode says: `buffer` is what was there,
/// `draft` what is there since. In the order it was written; a file that somebody else changed in between comes again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct ProposalAcceptedResult {
    pub files: Vec<ProposalShowResult>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct DecideParams {
    pub decision: Decision,
    pub target: DecideTarget,
    /// Why it was rejected: told to the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reason: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum Decision {
    Accept,
    Reject,
    /// Settle a conflict by the user's text.
    TakeMine,
    /// Settle a conflict by the agent's text.
    TakeAgents,
    /// Settle a conflict by asking the agent again.
    Redo,
}

/// What is decided about. The most particular field wins: `hunkId` (with `lines`), then `uri`, then `all`.
///
/// Nothing is decided that was not shown: where no `revision` says what was, it is what this client was sent last, by
/// `proposal/changed`, `list`, `show` or diagnostics. Anything else that is pending there by now makes the outcome `stale`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct DecideTarget {
    pub all: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub uri: Option<String>,
    /// Of the file at `uri` only what is beside its hunks: `binary` or `mode`.
    pub whole: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub hunk_id: Option<String>,
    /// The revision that was shown; absent: the one that this client was sent last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub revision: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub lines: Option<HunkLines>,
}

/// Some lines of a hunk: indexes into its old and its new lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(default)]
pub struct HunkLines {
    pub removed: Vec<u32>,
    pub added: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProposalDecideResult {
    pub results: Vec<DecideResult>,
    /// An accept ended at a file that failed, after it had changed others: the way back from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub half_done: Option<HalfDone>,
}

/// The one action that takes back what was accepted before a file failed, until the next decision. The server tells the
/// person of it by `window/showMessageRequest`, or by `window/showMessage` where questions are not safe: this is for clients
/// that show neither.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct HalfDone {
    /// As in the menu: `Undo what was accepted in a.rs and b.rs`.
    pub title: String,
    /// For `workspace/executeCommand`.
    pub command: String,
    #[ts(type = "Array<unknown>")]
    pub arguments: Vec<serde_json::Value>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct DecideResult {
    pub uri: String,
    /// Absent for a file as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub hunk_id: Option<String>,
    pub outcome: DecideOutcome,
    /// Why not, and what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub message: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum DecideOutcome {
    /// The editor's own text shows it, or the closed file was written.
    Accepted,
    Rejected,
    Amended,
    Pending,
    Conflicted,
    /// Nothing of that name, or not as it was shown last: ask for `proposal/list`, then decide.
    Stale,
}

/// The user changes the agent's side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProposalAmendParams {
    pub uri: String,
    /// Of the hunk as shown.
    pub revision: u32,
    pub hunk_id: String,
    /// Whole lines in the place of the hunk's added ones, with the line break before them if `added` begins with one.
    pub text: String,
}

/// LSP `TextEdit`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct TextEdit {
    pub range: Range,
    pub new_text: String,
}
