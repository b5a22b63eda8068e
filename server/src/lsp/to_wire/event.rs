//! What a session does, as `copydesk/event` and its like carry it.

use copydesk_protocol as wire;

use crate::agent::{
    CompactionStatus, Cost, LoopEvent, SessionEvent, SessionInfo, SessionState, Spending, TaskAccount,
    Terminal, ToolCallStatus, ToolCallUpdate,
};
use crate::conversation::{ContentBlock, Message, SessionId, Usage};
use crate::documents::from_path;
use crate::lsp::surface::ToReview;
use crate::models::{BlockDelta, ProviderEvent};
use crate::permissions::{
    PermissionDenial, PermissionMode, PermissionOptionKind, PermissionRequest, on_one_line,
};
use crate::tools::{PlanEntry, ToolKind};

/// `event` for an editor; `None` for what has a notification of its own, or nothing to show. `call`: the id of the call
/// whose input grows. `left`: what waits at the end of a task that has left changes.
pub(in crate::lsp) fn event(
    event: &SessionEvent,
    call: Option<&str>,
    left: Option<&ToReview>,
) -> Option<wire::Event> {
    match event {
        SessionEvent::Loop(LoopEvent::RequestStart { turn, model, offline }) => {
            Some(wire::Event::RequestStart { model: model.clone(), turn: *turn, offline: *offline })
        }
        SessionEvent::Loop(LoopEvent::Stream(streamed)) => stream(streamed, call),
        SessionEvent::Loop(LoopEvent::Message(message)) => {
            Some(wire::Event::Message { message: record(message) })
        }
        SessionEvent::Loop(LoopEvent::Tombstone { message_id }) => {
            Some(wire::Event::Tombstone { message_id: message_id.to_string() })
        }
        SessionEvent::Loop(LoopEvent::ToolUseSummary { summary, tool_use_ids }) => {
            Some(wire::Event::ToolUseSummary {
                summary: summary.clone(),
                tool_use_ids: tool_use_ids.iter().map(ToString::to_string).collect(),
            })
        }
        SessionEvent::Loop(LoopEvent::Done(terminal)) => Some(wire::Event::Terminal {
            reason: terminal.reason.as_str().to_owned(),
            turns: terminal.turns,
            usage: usage(terminal.spent.total()),
            cost: terminal.cost.as_ref().map(cost),
            message: terminal.message.clone(),
            permission_denials: terminal.denials.iter().map(denial).collect(),
            account: account(terminal),
            to_review: left.map(to_review),
        }),
        SessionEvent::Transition(why) => Some(wire::Event::Transition { reason: why.as_str().to_owned() }),
        SessionEvent::Compaction(status) => Some(wire::Event::Compaction {
            status: match status {
                CompactionStatus::Started => "started",
                CompactionStatus::Done => "done",
                CompactionStatus::Failed(_) => "failed",
            }
            .to_owned(),
            reason: match status {
                CompactionStatus::Failed(why) => why.clone(),
                CompactionStatus::Started | CompactionStatus::Done => None,
            },
        }),
        SessionEvent::ToolCall(update) => Some(tool_call(update)),
        SessionEvent::Plan(entries) => {
            Some(wire::Event::Plan { entries: entries.iter().map(plan_entry).collect() })
        }
        SessionEvent::PermissionAsked(_)
        | SessionEvent::PermissionResolved { .. }
        | SessionEvent::Spent(_)
        | SessionEvent::SessionChanged(_) => None,
    }
}

pub(in crate::lsp) fn session_info(info: &SessionInfo) -> wire::SessionInfo {
    wire::SessionInfo {
        session_id: info.session.to_string(),
        title: info.title.clone(),
        state: match info.state {
            SessionState::Idle => wire::SessionState::Idle,
            SessionState::Running => wire::SessionState::Running,
            SessionState::Waiting => wire::SessionState::Waiting,
        },
        model: info.model.clone(),
        offline: info.offline,
        mode: mode(info.mode),
        usage: usage(info.spent.total()),
        cost: info.cost.as_ref().map(cost),
    }
}

pub(in crate::lsp) fn session_usage(info: &SessionInfo) -> wire::SessionUsageResult {
    wire::SessionUsageResult {
        usage: usage(info.spent.total()),
        cost: info.cost.as_ref().map(cost),
        models: by_model(&info.spent),
    }
}

fn account(terminal: &Terminal) -> wire::TaskAccount {
    let TaskAccount { waited, stop_reason, errors } = &terminal.account;
    wire::TaskAccount {
        model_ms: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
        models: by_model(&terminal.spent),
        stop_reason: stop_reason.as_ref().map(|reason| reason.as_str().to_owned()),
        errors: errors.clone(),
    }
}

fn by_model(spent: &Spending) -> Vec<wire::ModelUsage> {
    let of_model =
        |(model, spent): (&str, _)| wire::ModelUsage { model: model.to_owned(), usage: usage(spent) };
    spent.by_model().map(of_model).collect()
}

pub(in crate::lsp) fn permission_asked(
    session: &SessionId,
    request: &PermissionRequest,
    kind: ToolKind,
) -> wire::PermissionAskedParams {
    let option = |option: &crate::permissions::PermissionOption| wire::PermissionOption {
        id: option.id.clone(),
        kind: match option.kind {
            PermissionOptionKind::AllowOnce => wire::PermissionOptionKind::AllowOnce,
            PermissionOptionKind::AllowAlways => wire::PermissionOptionKind::AllowAlways,
            PermissionOptionKind::RejectOnce => wire::PermissionOptionKind::RejectOnce,
            PermissionOptionKind::RejectAlways => wire::PermissionOptionKind::RejectAlways,
        },
        name: option.name.clone(),
    };
    wire::PermissionAskedParams {
        request_id: request.id.clone(),
        session_id: session.to_string(),
        agent: None,
        tool_call: wire::PermissionToolCall {
            id: request.tool_use_id.to_string(),
            title: request.title.clone(),
            kind: tool_kind(kind),
            command: request.command.clone(),
            input: Some(request.input.clone()),
        },
        options: request.options.iter().map(option).collect(),
        explanation: request.explanation.clone(),
        rules: request.rules.iter().map(|rule| on_one_line(&rule.to_string())).collect(),
    }
}

fn denial(denial: &PermissionDenial) -> wire::PermissionDenial {
    wire::PermissionDenial {
        tool_name: denial.tool.clone(),
        tool_use_id: denial.tool_use_id.to_string(),
        tool_input: denial.input.clone(),
    }
}

/// What grows on the screen. The rest of a vendor's stream comes again, whole, as messages.
fn to_review(left: &ToReview) -> wire::ToReview {
    wire::ToReview {
        changes: u32::try_from(left.changes).unwrap_or(u32::MAX),
        uris: left.files.iter().map(from_path).collect(),
    }
}

fn stream(event: &ProviderEvent, call: Option<&str>) -> Option<wire::Event> {
    let delta = |delta| Some(wire::Event::Stream { delta });
    match event {
        ProviderEvent::BlockDelta { delta: BlockDelta::Text(text), .. } => {
            delta(wire::Delta::Text { text: text.clone() })
        }
        ProviderEvent::BlockDelta { delta: BlockDelta::Thinking(text), .. } => {
            delta(wire::Delta::Thinking { text: text.clone() })
        }
        ProviderEvent::BlockDelta { delta: BlockDelta::InputJson(json), .. } => {
            delta(wire::Delta::ToolInput { id: call.unwrap_or_default().to_owned(), json: json.clone() })
        }
        ProviderEvent::Retry { attempt, max, delay, reason } => Some(wire::Event::Retry {
            attempt: *attempt,
            max: *max,
            delay_ms: u64::try_from(delay.as_millis()).unwrap_or(u64::MAX),
            reason: reason.clone(),
        }),
        ProviderEvent::BlockDelta {
            delta: BlockDelta::Signature(_) | BlockDelta::Citation(_) | BlockDelta::Compaction(_),
            ..
        }
        | ProviderEvent::Silence { .. }
        | ProviderEvent::MessageStart { .. }
        | ProviderEvent::BlockStart { .. }
        | ProviderEvent::BlockStop { .. }
        | ProviderEvent::MessageDelta { .. }
        | ProviderEvent::MessageStop => None,
    }
}

fn record(message: &Message) -> wire::MessageRecord {
    let (id, role, text) = match message {
        Message::User(message) => (&message.id, wire::MessageRole::User, text_of(&message.content)),
        Message::Assistant(message) => (&message.id, wire::MessageRole::Assistant, text_of(&message.content)),
        Message::System(message) => (&message.id, wire::MessageRole::System, message.text.clone()),
        Message::Attachment(message) => (&message.id, wire::MessageRole::Attachment, message.text.clone()),
        Message::Progress(message) => (&message.id, wire::MessageRole::Progress, message.text.clone()),
    };
    wire::MessageRecord { id: id.to_string(), role, text }
}

/// What a person reads of a message. Calls and their results come as events of their own.
fn text_of(content: &[ContentBlock]) -> String {
    let texts: Vec<_> = content
        .iter()
        .filter_map(|block| match block {
            ContentBlock::Text { text } => Some(text.as_str()),
            ContentBlock::Thinking { .. }
            | ContentBlock::RedactedThinking { .. }
            | ContentBlock::ToolUse { .. }
            | ContentBlock::ToolResult { .. }
            | ContentBlock::Image(_)
            | ContentBlock::ServerToolUse { .. }
            | ContentBlock::ServerToolResult { .. }
            | ContentBlock::Compaction { .. } => None,
        })
        .collect();
    texts.join("\n\n")
}

fn tool_call(update: &ToolCallUpdate) -> wire::Event {
    let text = update.text.iter().map(|text| wire::ToolCallContent::Text { text: text.clone() });
    let data = (!update.data.is_null()).then(|| wire::ToolCallContent::Data { data: update.data.clone() });
    wire::Event::ToolCall {
        id: update.id.to_string(),
        title: update.title.clone(),
        kind: tool_kind(update.kind),
        status: match update.status {
            ToolCallStatus::Pending => wire::ToolCallStatus::Pending,
            ToolCallStatus::InProgress => wire::ToolCallStatus::InProgress,
            ToolCallStatus::Completed => wire::ToolCallStatus::Completed,
            ToolCallStatus::Failed => wire::ToolCallStatus::Failed,
            ToolCallStatus::Rejected => wire::ToolCallStatus::Rejected,
        },
        locations: update
            .locations
            .iter()
            .map(|path| wire::Location { uri: from_path(path), range: None })
            .collect(),
        content: text.chain(data).collect(),
        group: update.group.as_ref().map(ToString::to_string),
    }
}

const fn mode(mode: PermissionMode) -> wire::PermissionMode {
    match mode {
        PermissionMode::Default => wire::PermissionMode::Default,
        PermissionMode::AcceptEdits => wire::PermissionMode::AcceptEdits,
        PermissionMode::Plan => wire::PermissionMode::Plan,
        PermissionMode::DontAsk => wire::PermissionMode::DontAsk,
        PermissionMode::BypassPermissions => wire::PermissionMode::BypassPermissions,
    }
}

fn plan_entry(entry: &PlanEntry) -> wire::PlanEntry {
    wire::PlanEntry { content: entry.content.clone(), status: entry.status.name().to_owned() }
}

const fn tool_kind(kind: ToolKind) -> wire::ToolKind {
    match kind {
        ToolKind::Read => wire::ToolKind::Read,
        ToolKind::Edit => wire::ToolKind::Edit,
        ToolKind::Delete => wire::ToolKind::Delete,
        ToolKind::Move => wire::ToolKind::Move,
        ToolKind::Search => wire::ToolKind::Search,
        ToolKind::Execute => wire::ToolKind::Execute,
        ToolKind::Think => wire::ToolKind::Think,
        ToolKind::Fetch => wire::ToolKind::Fetch,
        ToolKind::Other => wire::ToolKind::Other,
    }
}

const fn usage(usage: Usage) -> wire::Usage {
    wire::Usage {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cache_creation_input_tokens: usage.cache_creation_input_tokens,
        cache_read_input_tokens: usage.cache_read_input_tokens,
    }
}

fn cost(cost: &Cost) -> wire::Cost {
    wire::Cost {
        amount: cost.amount.as_f64(),
        currency: "USD".to_owned(),
        unknown_models: cost.unknown.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::agent::Spending;
    use crate::config::Prices;

    #[test]
    fn a_session_tells_its_tokens_by_model_and_what_they_cost() {
        let mut spent = Spending::default();
        spent.add(
            "claude-sonnet-5",
            Usage { input_tokens: 1_000_000, output_tokens: 50_000, ..Usage::default() },
        );
        spent.add("llama", Usage { input_tokens: 5, ..Usage::default() });
        let info = SessionInfo {
            session: SessionId("s_1".into()),
            title: String::new(),
            state: SessionState::Idle,
            model: "claude-sonnet-5".into(),
            offline: false,
            mode: PermissionMode::AcceptEdits,
            cost: spent.cost(&Prices::default()),
            spent,
        };
        let told = serde_json::to_value(session_usage(&info)).expect("JSON");
        assert_eq!(told["cost"], json!({ "amount": 2.5, "currency": "USD", "unknownModels": ["llama"] }));
        assert_eq!(told["usage"]["inputTokens"], 1_000_005);
        let models: Vec<&str> = told["models"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|model| model["model"].as_str())
            .collect();
        assert_eq!(models, ["claude-sonnet-5", "llama"]);
        let changed = serde_json::to_value(session_info(&info)).expect("JSON");
        assert_eq!(changed["cost"]["amount"], 2.5);
        assert_eq!(changed["mode"], "acceptEdits");
    }
}
