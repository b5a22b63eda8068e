//! The body of a Messages API request, in bytes that stay the same from turn to turn.
//!
//! Invariant: messages come last, and one more message changes nothing before the moved cache marker, so that the
//! provider finds its cached prefix again (Messages API, "Prompt caching").

mod wire;
mod written;

use std::collections::HashSet;

use self::wire::{
    ContextManagement, Edit, Head, Marked, Message, Offered, OutputConfig, Thinking, Tool, TypeOnly,
};
pub(super) use self::written::Written;
use self::written::{raw, write};
use super::thinking::ThinkingForm;
use crate::conversation::{ApiMessage, ContentBlock, Role};
use crate::models::{ContextEdit, ModelRequest, ServerTool, ToolChoice, ToolDefinition};

/// Bytes of what stands before the messages, beside the tools, that there is room for at once.
const USUAL_HEAD: usize = 16 * 1024;

/// Longest name of a tool.
const LONGEST_NAME: usize = 64;

/// What a request is written for, beside what is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form<'a> {
    pub(super) model: &'a str,
    /// In place of what the request asks for.
    pub(super) max_tokens: u32,
    pub(super) thinking: Option<ThinkingForm>,
    pub(super) effort: Option<&'static str>,
}

/// `written`: what was written of the request before, and now of this one. It makes no difference to the bytes.
pub(super) fn body(request: &ModelRequest, form: &Form<'_>, written: &Written) -> Vec<u8> {
    written_for(Wanted::Answer, request, form, written)
}

/// The same for the question how many tokens it would take: without what is about its answer alone.
pub(super) fn body_to_count(request: &ModelRequest, form: &Form<'_>) -> Vec<u8> {
    written_for(Wanted::Count, request, form, &Written::default())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Answer,
    Count,
}

fn written_for(wanted: Wanted, request: &ModelRequest, form: &Form<'_>, written: &Written) -> Vec<u8> {
    let is_asked = wanted == Wanted::Answer;
    let tools = match request.server_tools.as_slice() {
        [] => written.tools(&request.tools),
        server => Some(raw(&offered(&request.tools, server))),
    };
    let head = Head {
        model: form.model,
        max_tokens: is_asked.then_some(form.max_tokens),
        stream: is_asked.then_some(true),
        thinking: form.thinking.map(Thinking::from),
        output_config: form.effort.filter(|_| is_asked).map(|effort| OutputConfig { effort }),
        context_management: ContextManagement::of(edits(&request.context_edits, form.thinking))
            .filter(|_| is_asked),
        tool_choice: match request.tool_choice {
            ToolChoice::None if tools.is_some() => Some(TypeOnly { kind: "none" }),
            ToolChoice::Any if tools.is_some() => Some(TypeOnly { kind: "any" }),
            ToolChoice::None | ToolChoice::Any | ToolChoice::Auto => None,
        },
        tools: tools.as_deref(),
        system: system(&request.system),
    };
    let mut json = Vec::with_capacity(tools.as_ref().map_or(0, |tools| tools.get().len()) + USUAL_HEAD);
    write(&mut json, &head);
    // The brace that closes it: messages come last, in bytes that lie ready.
    json.pop();
    json.extend_from_slice(br#","messages":["#);
    if let Some((last, before)) = request.messages.split_last() {
        written.put_behind(&mut json, before);
        write(&mut json, &message(last, Marker::AtTheEnd));
    }
    json.extend_from_slice(b"]}");
    json
}

/// The service's own tools behind ours.
fn offered<'a>(ours: &'a [ToolDefinition], server: &'a [ServerTool]) -> Vec<Offered<'a>> {
    tools(ours).into_iter().map(Offered::Ours).chain(server.iter().map(Offered::from)).collect()
}

/// Clearing of thinking comes first, as the API wants it, and needs a model that thinks.
fn edits(edits: &[ContextEdit], thinking: Option<ThinkingForm>) -> Vec<Edit<'_>> {
    let thinks = matches!(thinking, Some(ThinkingForm::Adaptive | ThinkingForm::Enabled { .. }));
    let of_thinking = |edit: &&ContextEdit| matches!(edit, ContextEdit::ClearThinking { .. });
    let first = edits.iter().filter(of_thinking).filter(|_| thinks);
    first.chain(edits.iter().filter(|edit| !of_thinking(edit))).map(Edit::from).collect()
}

/// Built-in tools come first, so the marker behind the last of them holds whatever MCP servers come and go. A name that
/// the API does not take, or takes only once, would cost the whole request: such a tool is left out.
fn tools(tools: &[ToolDefinition]) -> Vec<Marked<Tool<'_>>> {
    let mut names = HashSet::new();
    let mut written: Vec<Marked<Tool<'_>>> = tools
        .iter()
        .filter(|tool| {
            let is_legal = is_legal(&tool.name) && names.insert(tool.name.as_str());
            if !is_legal {
                tracing::warn!(tool = tool.name, "a tool has a name that can't be sent");
            }
            is_legal
        })
        .map(|tool| Marked::not(Tool::from(tool)))
        .collect();
    if let Some(last_built_in) =
        written.iter_mut().rfind(|tool| !tool.inner.name.starts_with("mcp__") && !tool.inner.is_deferred())
    {
        last_built_in.mark();
    }
    written
}

/// `^[a-zA-Z0-9_-]{1,64}$`
fn is_legal(name: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    (1..=LONGEST_NAME).contains(&name.len()) && name.chars().all(legal)
}

fn system(sections: &[String]) -> Vec<Marked<wire::Block<'_>>> {
    let mut blocks: Vec<_> = sections
        .iter()
        .filter(|section| !section.trim().is_empty())
        .map(|text| Marked::not(wire::Block::Text { text }))
        .collect();
    if let Some(last) = blocks.last_mut() {
        last.mark();
    }
    blocks
}

/// Whether the cached prefix may end with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marker {
    No,
    /// The one moving marker, which the last message has.
    AtTheEnd,
}

fn message(message: &ApiMessage, marker: Marker) -> Message<'_> {
    let mut content: Vec<_> =
        message.content.iter().map(|block| Marked::not(wire::Block::from(block))).collect();
    let end = message.content.iter().rposition(can_be_marked).filter(|_| marker == Marker::AtTheEnd);
    if let Some(block) = end.and_then(|end| content.get_mut(end)) {
        block.mark();
    }
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    Message { role, content }
}

/// Thinking can't carry a marker.
fn can_be_marked(block: &ContentBlock) -> bool {
    !matches!(block, ContentBlock::Thinking { .. } | ContentBlock::RedactedThinking { .. })
}

#[cfg(test)]
mod tests;
