//! The system prompt: fixed sections first, then what differs by session, always in one order, so that the bytes a provider
//! has cached stay the same.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::SystemTime;

use crate::conversation::{ContentBlock, Message, MessageId, UserMessage};

/// What a session tells the model of where it works. Taken once, when the session begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// Absolute paths; the first is where relative ones start.
    pub roots: Vec<String>,
    /// `linux`, `macos`, `windows`.
    pub platform: String,
    /// `2026-03-01`.
    pub date: String,
    /// As the editor calls itself; empty if it has not said.
    pub editor: String,
}

/// The id of what stands before everything else.
const USER_CONTEXT: &str = "user-context";

const IDENTITY: &str = include_str!("prompts/identity.md");
const REVIEW: &str = include_str!("prompts/review.md");
const WORK: &str = include_str!("prompts/work.md");
const ANSWERS: &str = include_str!("prompts/answers.md");

/// The sections in order: those every session has, then the one of this session.
pub fn system_prompt(environment: &Environment) -> Vec<String> {
    let fixed = [IDENTITY, REVIEW, WORK, ANSWERS].map(|section| section.trim_end().to_owned());
    fixed.into_iter().chain([described(environment)]).collect()
}

fn described(environment: &Environment) -> String {
    let mut text = "# Where you work\n".to_owned();
    // Writing to a string can't fail.
    for (index, root) in environment.roots.iter().enumerate() {
        let role = if index == 0 { "Workspace (relative paths start here)" } else { "Also in the workspace" };
        let _ = write!(text, "\n- {role}: {root}");
    }
    let _ = write!(text, "\n- Platform: {}", environment.platform);
    if !environment.editor.is_empty() {
        let _ = write!(text, "\n- The user's editor: {}", environment.editor);
    }
    let _ = write!(text, "\n- Date when the session began: {}", environment.date);
    text
}

/// The view with `context` before everything else, as words of the program's own. The view of an earlier round has it
/// already.
pub(super) fn with_user_context(view: Arc<[Message]>, context: &str, now: SystemTime) -> Arc<[Message]> {
    let has_it = view.first().is_some_and(is_user_context);
    if has_it || context.is_empty() {
        return view;
    }
    let first = Message::User(UserMessage {
        id: MessageId(USER_CONTEXT.to_owned()),
        at: now,
        content: vec![ContentBlock::text(format!(
            "<system-reminder>\n{}\n</system-reminder>",
            context.trim_end()
        ))],
        is_meta: true,
        is_virtual: false,
        is_compact_summary: false,
        tool_use_result: None,
        source_tool_assistant: None,
        mcp_meta: None,
    });
    [first].into_iter().chain(view.iter().cloned()).collect()
}

/// Whether the message is what stands before everything else, which is no part of the conversation.
pub fn is_user_context(message: &Message) -> bool {
    message.id().as_str() == USER_CONTEXT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(editor: &str) -> Environment {
        Environment {
            roots: vec!["/w/app".into(), "/w/lib".into()],
            platform: "linux".into(),
            date: "2026-03-01".into(),
            editor: editor.into(),
        }
    }

    #[test]
    fn what_differs_comes_last() {
        let one = system_prompt(&environment("Helix"));
        let other = system_prompt(&environment(""));
        assert_eq!(one.len(), 5);
        assert_eq!(one[..4], other[..4]);
        assert_eq!(
            one[4],
            "# Where you work\n\n- Workspace (relative paths start here): /w/app\n- Also in the workspace: /w/lib\n\
             - Platform: linux\n- The user's editor: Helix\n- Date when the session began: 2026-03-01"
        );
    }

    #[test]
    fn the_same_environment_gives_the_same_bytes() {
        assert_eq!(system_prompt(&environment("Helix")), system_prompt(&environment("Helix")));
    }

    #[test]
    fn no_section_is_blank() {
        assert!(system_prompt(&environment("")).iter().all(|section| section.starts_with("# ")));
    }
}
