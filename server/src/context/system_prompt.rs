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
    pub git: Option<GitSnapshot>,
}

/// The repository when the session began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitSnapshot {
    /// `None`: no branch is checked out.
    pub branch: Option<String>,
    /// The one that others are merged into.
    pub main_branch: Option<String>,
    /// As git knows the user.
    pub user: Option<String>,
    /// As `git status --porcelain` has it; `None`: it was not asked.
    pub status: Option<String>,
    /// The newest ones, as `git log --oneline` has them.
    pub commits: Vec<String>,
}

/// Instructions of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryFile {
    pub name: String,
    pub text: String,
}

/// The longest status, in characters.
const STATUS_CHARS: usize = 2_000;

/// The id of what stands before everything else.
const USER_CONTEXT: &str = "user-context";

const IDENTITY: &str = include_str!("prompts/identity.md");
const REVIEW: &str = include_str!("prompts/review.md");
const WORK: &str = include_str!("prompts/work.md");
const ANSWERS: &str = include_str!("prompts/answers.md");

/// The sections in order: those every session has, then the one of this session.
pub fn system_prompt(environment: &Environment) -> Vec<String> {
    let fixed = [IDENTITY, REVIEW, WORK, ANSWERS].map(|section| section.trim_end().to_owned());
    let repository = environment.git.as_ref().and_then(repository);
    fixed.into_iter().chain([described(environment)]).chain(repository).collect()
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

/// `None`: there is none to speak of.
fn repository(git: &GitSnapshot) -> Option<String> {
    if git.branch.is_none() && git.commits.is_empty() {
        return None;
    }
    let mut text =
        "# The repository\n\nThis is how it was when the session began. It has not been looked at since."
            .to_owned();
    let named =
        [("Branch", &git.branch), ("Main branch", &git.main_branch), ("The user's name in git", &git.user)];
    for (what, name) in named {
        if let Some(name) = name {
            let _ = write!(text, "\n- {what}: {name}");
        }
    }
    if let Some(status) = &git.status {
        let cut = status.char_indices().nth(STATUS_CHARS).map(|(at, _)| at);
        let shown = cut.and_then(|at| status.get(..at)).unwrap_or(status).trim_end();
        let shown = if shown.is_empty() { "(no changes)" } else { shown };
        let more = if cut.is_some() { "\n[… and more]" } else { "" };
        let _ = write!(text, "\n\nStatus:\n{shown}{more}");
    }
    if !git.commits.is_empty() {
        let _ = write!(text, "\n\nNewest commits:\n{}", git.commits.join("\n"));
    }
    Some(text)
}

/// What stands before a conversation: the project's instructions, and the date.
pub fn user_context(files: &[MemoryFile], date: &str) -> String {
    let mut text = String::new();
    if !files.is_empty() {
        text.push_str(
            "This project has instructions for you. Follow them where they bear on what the user asks.\n\n",
        );
    }
    for MemoryFile { name, text: instructions } in files {
        let _ = write!(text, "# {name}\n\n{}\n\n", instructions.trim_end());
    }
    let _ = write!(text, "# Today\n\nIt is {date}. Some of this may have no bearing on what the user asks.");
    text
}

/// The view with `context` before everything else, as words of the program's own. The view of an earlier round has it
/// already.
pub(super) fn with_user_context(view: Arc<[Message]>, context: &str, now: SystemTime) -> Arc<[Message]> {
    let has_it = view.first().is_some_and(is_user_context);
    if has_it || context.is_empty() {
        return view;
    }
    let first = Message::from(UserMessage {
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
            git: None,
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
    fn the_repository_comes_last_as_it_was() {
        let git = GitSnapshot {
            branch: Some("fix".into()),
            main_branch: Some("main".into()),
            user: None,
            status: Some(format!(" M a.rs\n{}", "x".repeat(3_000))),
            commits: vec!["abc1234 The first one".into()],
        };
        let sections = system_prompt(&Environment { git: Some(git), ..environment("") });
        let want = format!(
            "# The repository\n\nThis is how it was when the session began. It has not been looked at since.\n\
             - Branch: fix\n- Main branch: main\n\nStatus:\n M a.rs\n{}\n[… and more]\n\nNewest commits:\nabc1234 The first one",
            "x".repeat(1_992)
        );
        assert_eq!(sections.last(), Some(&want));
        let nothing = Environment { git: Some(GitSnapshot::default()), ..environment("") };
        assert_eq!(system_prompt(&nothing), system_prompt(&environment("")));
    }

    #[test]
    fn instructions_stand_before_the_date() {
        let file = MemoryFile { name: "CLAUDE.md".into(), text: "Be kind.\n".into() };
        assert_eq!(
            user_context(&[file], "2026-03-01"),
            "This project has instructions for you. Follow them where they bear on what the user asks.\n\n\
             # CLAUDE.md\n\nBe kind.\n\n# Today\n\nIt is 2026-03-01. Some of this may have no bearing on what the user asks."
        );
    }

    #[test]
    fn no_section_is_blank() {
        assert!(system_prompt(&environment("")).iter().all(|section| section.starts_with("# ")));
    }
}
