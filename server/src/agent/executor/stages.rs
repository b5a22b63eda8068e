//! The stages of one call's life, told as they come.

use serde_json::Value;

use super::ToolCall;
use crate::agent::outbox::Outbox;
use crate::agent::{ToolCallStatus, ToolCallUpdate};
use crate::conversation::{ToolResultContent, ToolUseId};
use crate::permissions::{in_sight, visible};
use crate::tools::{Tool, ToolKind, ToolResult, ToolUseContext};

/// One call's. Dropped before its end, it tells that nothing came of the call.
///
/// The stages are asked, running, progress (any number of times), and one of done, rejected and failed; each names the group
/// of calls that it can be shown with.
pub(super) struct Stages {
    update: ToolCallUpdate,
    outbox: Outbox,
    /// Somebody was told of the call and not of its end.
    open: bool,
}

const VOID: &str = "The answer that asked for this broke off, so the call was dropped.";

impl Stages {
    pub(super) fn of(call: &ToolCall, group: Option<ToolUseId>, outbox: &Outbox) -> Self {
        let update = ToolCallUpdate {
            id: call.id.clone(),
            tool: call.name.clone(),
            title: visible(&call.name),
            kind: ToolKind::Other,
            status: ToolCallStatus::Pending,
            locations: Vec::new(),
            text: None,
            data: Value::Null,
            group,
        };
        Self { update, outbox: outbox.clone(), open: false }
    }

    /// What is told of the call even if it ends before it is asked about: what it would do, if its input can be read.
    pub(super) fn named(&mut self, tool: &dyn Tool, input: &Value) {
        if tool.validate(input).is_ok() {
            self.update.title = visible(&tool.title(input));
        }
    }

    pub(super) fn asked(&mut self, tool: &dyn Tool, input: &Value, context: &ToolUseContext) {
        tool.name().clone_into(&mut self.update.tool);
        self.update.kind = tool.kind();
        self.update.locations = tool.locations(input, context);
        // A path is absolute or not as the model likes it; a command is what runs, to the letter.
        let paths = self.update.locations.iter().filter(|_| tool.kind() != ToolKind::Execute);
        let title = paths.fold(tool.title(input), |title, path| {
            title.replace(path.as_str(), &context.workspace.display(path))
        });
        self.update.title = in_sight(&title);
        self.tell();
    }

    pub(super) fn running(&mut self) {
        self.update.status = ToolCallStatus::InProgress;
        self.tell();
    }

    /// What tells of progress while the call runs.
    pub(super) fn progress(&self) -> impl Fn(String) + Send + Sync + 'static {
        let (update, outbox) = (self.update.clone(), self.outbox.clone());
        move |text| {
            let status = ToolCallStatus::InProgress;
            outbox.tool_call(ToolCallUpdate { status, text: Some(text), ..update.clone() });
        }
    }

    pub(super) fn ended(&mut self, status: ToolCallStatus, result: &ToolResult) {
        self.update.status = status;
        self.update.text = Some(texts(result)).filter(|text| !text.is_empty());
        self.update.data = result.data.clone();
        self.tell();
        self.open = false;
    }

    /// As a person reads it.
    pub(super) fn title(&self) -> &str {
        &self.update.title
    }

    fn tell(&mut self) {
        self.open = true;
        self.outbox.tool_call(self.update.clone());
    }
}

impl Drop for Stages {
    fn drop(&mut self) {
        if self.open {
            self.update.status = ToolCallStatus::Failed;
            self.update.text = Some(VOID.to_owned());
            self.outbox.tool_call(self.update.clone());
        }
    }
}

/// The text of a result.
pub(super) fn texts(result: &ToolResult) -> String {
    let texts: Vec<&str> = result
        .content
        .iter()
        .filter_map(|piece| match piece {
            ToolResultContent::Text(text) => Some(text.as_str()),
            ToolResultContent::Image(_) | ToolResultContent::ToolReference(_) => None,
        })
        .collect();
    texts.join("\n")
}
