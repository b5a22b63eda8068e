//! Conversations in a few words, and an input for the steps, for tests.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use camino::Utf8PathBuf;
use serde_json::{Value, json};

use super::compact_state::CompactState;
use super::log::ContextLog;
use super::step::PipelineInput;
use crate::config::ContextSettings;
use crate::conversation::{
    AssistantMessage, ContentBlock, Message, MessageId, ToolResultContent, ToolUseId, Usage, UserMessage,
};
use crate::models::{ContextEditing, Window};

/// What a `PipelineInput` borrows.
pub(super) struct Setting {
    pub(super) settings: ContextSettings,
    pub(super) log: ContextLog,
    pub(super) window: Window,
    pub(super) editing: ContextEditing,
    pub(super) now: SystemTime,
    pub(super) state: CompactState,
    pub(super) folder: Option<Utf8PathBuf>,
    pub(super) system: Vec<String>,
    pub(super) user_context: String,
}

impl Setting {
    pub(super) fn new() -> Self {
        Self {
            settings: ContextSettings::default(),
            log: ContextLog::default(),
            window: Window { context: 200_000, max_output: 64_000 },
            editing: ContextEditing::Client,
            now: UNIX_EPOCH,
            state: CompactState::default(),
            folder: Some("/state/tool-results".into()),
            system: Vec::new(),
            user_context: String::new(),
        }
    }

    pub(super) fn input(&self) -> PipelineInput<'_> {
        PipelineInput {
            system: &self.system,
            user_context: &self.user_context,
            window: self.window,
            editing: self.editing,
            log: &self.log,
            now: self.now,
            settings: &self.settings,
            state: self.state,
            tools_tokens: 0,
            result_limit: &|name| (name != "Read").then_some(50_000),
            results_folder: self.folder.as_deref(),
        }
    }
}

pub(super) fn view(messages: impl IntoIterator<Item = Message>) -> Arc<[Message]> {
    messages.into_iter().collect()
}

pub(super) fn prompt(text: &str) -> Message {
    Message::from(user(text, ContentBlock::text(text)))
}

pub(super) fn said(answer: &str, text: &str) -> Message {
    Message::from(record(answer, vec![ContentBlock::text(text)]))
}

/// An answer of one call, and its result.
pub(super) fn called(id: &str, name: &str, input: Value, result: &str) -> [Message; 2] {
    [call(&format!("answer-{id}"), id, name, input), answered(id, result)]
}

pub(super) fn call(answer: &str, id: &str, name: &str, input: Value) -> Message {
    let block = ContentBlock::ToolUse { id: ToolUseId(id.into()), name: name.into(), input };
    Message::from(record(answer, vec![block]))
}

pub(super) fn answered(id: &str, result: &str) -> Message {
    Message::from(result_of(id, result, false))
}

pub(super) fn failed(id: &str, result: &str) -> Message {
    Message::from(result_of(id, result, true))
}

/// A Read of `path`, whole, and its result.
pub(super) fn read(id: &str, path: &str, text: &str) -> [Message; 2] {
    let lines = text.lines().count();
    let data = json!({"type": "text", "file": {"filePath": path, "numLines": lines, "totalLines": lines}});
    let result = UserMessage { tool_use_result: Some(data), ..result_of(id, text, false) };
    let input = json!({"file_path": path});
    [call(&format!("answer-{id}"), id, "Read", input), Message::from(result)]
}

/// Rounds of calls that nothing can shorten, each of its own.
pub(super) fn filler(rounds: usize) -> impl Iterator<Item = Message> {
    (0..rounds).flat_map(|n| called(&format!("filler{n}"), "Note", json!({"n": n}), "noted"))
}

/// The same answer with what the provider counted.
pub(super) fn counting(tokens: u64, message: Message) -> Message {
    match message {
        Message::Assistant(answer) => {
            let usage = Usage { input_tokens: tokens, ..Usage::default() };
            Message::from(AssistantMessage { usage, ..Arc::unwrap_or_clone(answer) })
        }
        other => other,
    }
}

/// Every result of a view: the id and the text.
pub(super) fn results(view: &[Message]) -> Vec<(String, String)> {
    let blocks = view.iter().filter_map(|message| match message {
        Message::User(user) => Some(&user.content),
        _ => None,
    });
    blocks
        .flatten()
        .filter_map(|block| match block {
            ContentBlock::ToolResult { tool_use_id, content, .. } => Some((
                tool_use_id.to_string(),
                content
                    .iter()
                    .map(|part| match part {
                        ToolResultContent::Text(text) => text.as_str(),
                        ToolResultContent::Image(_) | ToolResultContent::ToolReference(_) => "?",
                    })
                    .collect(),
            )),
            _ => None,
        })
        .collect()
}

fn record(answer: &str, content: Vec<ContentBlock>) -> AssistantMessage {
    AssistantMessage {
        id: MessageId(format!("{answer}-record")),
        at: UNIX_EPOCH,
        response_id: answer.to_owned(),
        request_id: None,
        model: "m".to_owned(),
        content,
        stop_reason: None,
        usage: Usage::default(),
        is_api_error: false,
        is_virtual: false,
    }
}

fn result_of(id: &str, result: &str, is_error: bool) -> UserMessage {
    let content = vec![ToolResultContent::Text(result.to_owned())];
    let block = ContentBlock::ToolResult { tool_use_id: ToolUseId(id.into()), content, is_error };
    user(&format!("result-{id}"), block)
}

fn user(id: &str, block: ContentBlock) -> UserMessage {
    UserMessage {
        id: MessageId(id.to_owned()),
        at: UNIX_EPOCH,
        content: vec![block],
        is_meta: false,
        is_virtual: false,
        is_compact_summary: false,
        tool_use_result: None,
        source_tool_assistant: None,
        mcp_meta: None,
    }
}
