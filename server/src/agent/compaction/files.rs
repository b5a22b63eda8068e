//! Files that the model worked with, shown again after a summary: as they are now, with the user's unsaved text and the
//! agent's own drafts.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::json;

use crate::agent::attachments::DIFF_LINES;
use crate::agent::outbox::attachment;
use crate::agent::params::QueryParams;
use crate::agent::state::{RoundContext, Ways};
use crate::config::ContextNumber;
use crate::context::Thresholds;
use crate::conversation::{
    AttachmentKind, ContentBlock, Message, ToolResultContent, ToolUseId, content_tokens, text_tokens,
};
use crate::documents::{AbsPath, Places, SeenFile, Text};
use crate::review::unified_diff;
use crate::tools::ToolUseContext;

/// The files that were read last, each if it fits. All others count as not seen any more. A file that the kept messages still
/// show is only told of where it has changed since.
pub(super) async fn shown_again(
    params: &QueryParams,
    context: &RoundContext,
    kept: &[Message],
    thresholds: Thresholds,
) -> Vec<Message> {
    let settings = &params.context.settings;
    let most_of_one = settings.number(ContextNumber::ReattachedFileTokens).min(thresholds.effective / 20);
    let mut room = settings.number(ContextNumber::ReattachedTokens).min(thresholds.effective / 4);
    let in_sight = in_sight(kept, context);
    let latest = context.seen.latest();
    let wanted = settings.size(ContextNumber::ReattachedFiles);
    let mut shown = Vec::new();
    for (at, path) in latest.iter().enumerate() {
        let Some(before) = context.seen.get(path) else { continue };
        if !in_sight.contains(path) {
            context.seen.forget(path);
        }
        if at >= wanted {
            continue;
        }
        let text = if in_sight.contains(path) {
            changes(&before, path, context).await
        } else {
            again(&before, path, most_of_one.min(room), params, context).await
        };
        if let Some(text) = text {
            let message = attachment((params.clock)(), AttachmentKind::ReattachedFile, text);
            room = room.saturating_sub(content_tokens(std::slice::from_ref(&message)));
            shown.push(message);
        }
    }
    shown
}

/// The file's text now, from where the model last looked, if all of it fits; else what has changed in it since, if that
/// fits; else as many lines as do.
async fn again(
    before: &SeenFile,
    path: &AbsPath,
    most: u64,
    params: &QueryParams,
    context: &RoundContext,
) -> Option<String> {
    let name = context.workspace.display(path);
    let now = context.desk.agent_view(&context.session, path).await.ok()?.text?;
    let whole = text_tokens(&now.to_string());
    if whole > most
        && let Some(diff) =
            unified_diff(&before.text, &now, DIFF_LINES).filter(|diff| text_tokens(diff) <= most)
    {
        return Some(format!(
            "{name} is too long to be shown again. This has changed in it since you last read it:\n{diff}"
        ));
    }
    let first = if whole > most { before.lines.first().map_or(0, |lines| lines.start) } else { 0 };
    let lines = lines_that_fit(&now, first, most);
    if lines == 0 {
        return None;
    }
    let input = json!({"file_path": path.as_str(), "offset": first + 1, "limit": lines});
    let call = context.for_call(&ToolUseId("reattached".to_owned()), Ways::to_nobody());
    let call = ToolUseContext { places: Arc::new(Places::judged(path)), ..call };
    let result = params.tools.find("Read")?.call(input, call).await.ok()?;
    let texts: Vec<String> = result
        .content
        .into_iter()
        .filter_map(|part| match part {
            ToolResultContent::Text(text) => Some(text),
            ToolResultContent::Image(_) | ToolResultContent::ToolReference(_) => None,
        })
        .collect();
    Some(format!("{name}, which you read before the summary, as it is now:\n{}", texts.join("\n")))
}

async fn changes(before: &SeenFile, path: &AbsPath, context: &RoundContext) -> Option<String> {
    let now = context.desk.agent_view(&context.session, path).await.ok()?.text?;
    let diff = unified_diff(&before.text, &now, DIFF_LINES)?;
    Some(format!("{} has changed since you read it:\n{diff}", context.workspace.display(path)))
}

fn lines_that_fit(text: &Text, first: usize, most: u64) -> usize {
    /// A line's number and the tab behind it.
    const NUMBER: u64 = 7;
    /// Characters of a token, as the padded estimate has it.
    const CHARS: u64 = 3;
    let mut room = most.saturating_mul(CHARS);
    let lines = (first..text.line_count()).take_while(|line| {
        let needed = (text.line_end(*line) - text.line_start(*line)) as u64 + NUMBER;
        let fits = needed <= room;
        room = room.saturating_sub(needed);
        fits
    });
    lines.count()
}

/// Files that a result among `kept` shows.
fn in_sight(kept: &[Message], context: &RoundContext) -> HashSet<AbsPath> {
    let mut asked: HashSet<(&ToolUseId, &str)> = HashSet::new();
    let mut answered: HashSet<&ToolUseId> = HashSet::new();
    for message in kept {
        let content = match message {
            Message::Assistant(answer) => &answer.content,
            Message::User(user) => &user.content,
            Message::System(_) | Message::Attachment(_) | Message::Progress(_) => continue,
        };
        for block in content {
            match block {
                ContentBlock::ToolUse { id, name, input } if name == "Read" => {
                    asked
                        .extend(input.get("file_path").and_then(|path| path.as_str()).map(|path| (id, path)));
                }
                ContentBlock::ToolResult { tool_use_id, is_error: false, .. } => {
                    answered.insert(tool_use_id);
                }
                _ => {}
            }
        }
    }
    let shown = asked.into_iter().filter(|(id, _)| answered.contains(id));
    let resolved = shown.filter_map(|(_, path)| context.workspace.resolve(path));
    resolved.map(|path| context.documents.real_path(&path)).collect()
}
