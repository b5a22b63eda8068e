//! One answer of a model, put together from what streams in: a record for each finished block, and the calls it makes.

use std::time::SystemTime;

use crate::agent::executor::ToolCall;
use crate::conversation::{AssistantMessage, ContentBlock, Message, MessageId, StopReason, ToolUseId, Usage};
use crate::models::ProviderEvent;

/// What has come in so far. Only finished blocks count: what was cut off is not part of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Answer {
    response_id: String,
    request_id: Option<String>,
    pub(super) records: Vec<AssistantMessage>,
    pub(super) calls: Vec<ToolCall>,
    pub(super) usage: Usage,
    /// Of the attempts that came to nothing before this one.
    void_usage: Usage,
    pub(super) stop_reason: Option<StopReason>,
    /// The provider said that this was all.
    pub(super) ended: bool,
}

impl Answer {
    /// Takes one event in; a finished block gives its record. `model`: the one that was asked, which may name itself in
    /// another way. `is_known`: whether an earlier call has that id, since some servers count from zero in each answer.
    pub(super) fn take(
        &mut self,
        event: ProviderEvent,
        model: &str,
        is_known: impl Fn(&ToolUseId) -> bool,
        at: SystemTime,
    ) -> Option<AssistantMessage> {
        match event {
            ProviderEvent::MessageStart { response_id, request_id, model: _, usage } => {
                self.response_id = response_id;
                self.request_id = request_id;
                self.usage = usage;
                None
            }
            ProviderEvent::BlockStop { block, .. } => self.finished(block, model, is_known, at),
            ProviderEvent::MessageDelta { stop_reason, usage } => {
                self.usage = usage;
                self.stop_reason = stop_reason.or(self.stop_reason.take());
                patch(self.records.last_mut(), self.stop_reason.as_ref(), usage);
                None
            }
            ProviderEvent::MessageStop => {
                self.ended = true;
                None
            }
            // What came before it is void, and was paid for.
            ProviderEvent::Retry { .. } => {
                self.void_usage += std::mem::take(&mut self.usage);
                None
            }
            ProviderEvent::BlockStart { .. }
            | ProviderEvent::BlockDelta { .. }
            | ProviderEvent::Silence { .. } => None,
        }
    }

    /// Whether this is worth keeping if nothing more comes: a thought alone is not, nor is a blank text.
    pub(super) fn has_substance(&self) -> bool {
        self.records.iter().flat_map(|record| &record.content).any(|block| match block {
            ContentBlock::Thinking { .. } | ContentBlock::RedactedThinking { .. } => false,
            ContentBlock::Text { text } => !text.trim().is_empty(),
            ContentBlock::ToolUse { .. }
            | ContentBlock::ToolResult { .. }
            | ContentBlock::Image(_)
            | ContentBlock::ServerToolUse { .. }
            | ContentBlock::ServerToolResult { .. }
            | ContentBlock::Compaction { .. } => true,
        })
    }

    /// Whether nothing is missing: the end came, or all but its last bytes.
    pub(super) fn is_whole(&self) -> bool {
        self.ended || self.stop_reason.is_some()
    }

    pub(super) fn messages(&self) -> impl Iterator<Item = Message> {
        self.records.iter().cloned().map(Message::from)
    }

    pub(super) fn record_ids(&self) -> Vec<MessageId> {
        self.records.iter().map(|record| record.id.clone()).collect()
    }

    /// The records without those of calls, and the ids of those.
    pub(super) fn without_calls(&self) -> (Vec<Message>, Vec<MessageId>) {
        let is_call = |record: &AssistantMessage| {
            record.content.iter().any(|block| matches!(block, ContentBlock::ToolUse { .. }))
        };
        let (calls, rest): (Vec<_>, Vec<_>) = self.records.iter().partition(|record| is_call(record));
        (
            rest.into_iter().cloned().map(Message::from).collect(),
            calls.into_iter().map(|record| record.id.clone()).collect(),
        )
    }

    pub(super) fn ends_with_a_call(&self) -> bool {
        let last = self.records.last().and_then(|record| record.content.last());
        matches!(last, Some(ContentBlock::ToolUse { .. }))
    }

    /// What the model said in it.
    pub(super) fn text(&self) -> String {
        let texts: Vec<&str> = self
            .records
            .iter()
            .flat_map(|record| &record.content)
            .filter_map(|block| match block {
                ContentBlock::Text { text } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        texts.join("\n")
    }

    /// All that was paid for it, attempts that came to nothing included.
    pub(super) fn paid(&self) -> Usage {
        let mut paid = self.usage;
        paid += self.void_usage;
        paid
    }

    fn finished(
        &mut self,
        block: ContentBlock,
        model: &str,
        is_known: impl Fn(&ToolUseId) -> bool,
        at: SystemTime,
    ) -> Option<AssistantMessage> {
        let record = MessageId::fresh();
        let block = match block {
            ContentBlock::ToolUse { id, name, input } => {
                let twin = self.calls.iter().find(|call| call.id == id);
                if twin.is_some_and(|twin| twin.name == name && twin.input == input) {
                    return None;
                }
                let taken = twin.is_some() || is_known(&id);
                let id = if taken { self.free_id(&id, is_known) } else { id };
                self.calls.push(ToolCall {
                    id: id.clone(),
                    name: name.clone(),
                    input: input.clone(),
                    assistant: record.clone(),
                });
                ContentBlock::ToolUse { id, name, input }
            }
            other => other,
        };
        let message = AssistantMessage {
            id: record,
            at,
            response_id: self.response_id.clone(),
            request_id: self.request_id.clone(),
            model: model.to_owned(),
            content: vec![block],
            stop_reason: self.stop_reason.clone(),
            usage: self.usage,
            is_api_error: false,
            is_virtual: false,
        };
        self.records.push(message.clone());
        Some(message)
    }

    /// The first of `id_2`, `id_3` and so on that no call has: the same history always gives the same bytes.
    fn free_id(&self, id: &ToolUseId, is_known: impl Fn(&ToolUseId) -> bool) -> ToolUseId {
        let is_taken = |id: &ToolUseId| is_known(id) || self.calls.iter().any(|call| call.id == *id);
        let mut number = 2_u64;
        loop {
            let next = ToolUseId(format!("{id}_{number}"));
            if !is_taken(&next) {
                return next;
            }
            number += 1;
        }
    }
}

/// The figures come after the blocks: they go into the last record of the answer.
pub(in crate::agent) fn patch(
    record: Option<&mut AssistantMessage>,
    stop_reason: Option<&StopReason>,
    usage: Usage,
) {
    if let Some(record) = record {
        record.usage = usage;
        record.stop_reason = stop_reason.cloned().or(record.stop_reason.take());
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use serde_json::json;

    use super::*;

    fn call(id: &str, input: &serde_json::Value) -> ProviderEvent {
        let block =
            ContentBlock::ToolUse { id: ToolUseId(id.into()), name: "Read".into(), input: input.clone() };
        ProviderEvent::BlockStop { index: 0, block }
    }

    fn answer(events: Vec<ProviderEvent>, known: &[&str]) -> Answer {
        let is_known = |id: &ToolUseId| known.contains(&id.as_str());
        let mut answer = Answer::default();
        for event in events {
            answer.take(event, "m", is_known, UNIX_EPOCH);
        }
        answer
    }

    #[test]
    fn each_block_is_a_record_and_the_figures_go_into_the_last() {
        let usage = Usage { output_tokens: 7, ..Usage::default() };
        let start = ProviderEvent::MessageStart {
            response_id: "r".into(),
            request_id: None,
            model: "m".into(),
            usage: Usage::default(),
        };
        let text = |text: &str| ProviderEvent::BlockStop { index: 0, block: ContentBlock::text(text) };
        let delta = ProviderEvent::MessageDelta { stop_reason: Some(StopReason::EndTurn), usage };
        let answer = answer(vec![start, text("a"), text("b"), delta, ProviderEvent::MessageStop], &[]);
        let got: Vec<_> = answer
            .records
            .iter()
            .map(|record| {
                (record.response_id.as_str(), record.usage.output_tokens, record.stop_reason.clone())
            })
            .collect();
        assert_eq!(got, [("r", 0, None), ("r", 7, Some(StopReason::EndTurn))]);
        assert!(answer.ended);
    }

    #[test]
    fn the_same_call_twice_runs_once_and_a_used_id_is_made_new() {
        let answer = answer(
            vec![
                call("call_0", &json!({"a": 1})),
                call("call_0", &json!({"a": 1})),
                call("call_0", &json!({"a": 2})),
                call("call_1", &json!({})),
            ],
            &["call_1", "call_1_2"],
        );
        let ids: Vec<&str> = answer.calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(ids, ["call_0", "call_0_2", "call_1_3"], "the same in each run");
    }
}
