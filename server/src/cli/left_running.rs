//! What still runs in the background when a task is done and nobody will come back to it.

use anyhow::Result;
use copydesk_protocol::{EndedCommand, SessionEndCommandsParams, SessionEndCommandsResult, methods};

use super::editor::Editor;
use super::terminal::{Terminal, visible};

/// Ends it, and tells of each. What it had changed is among what is pending after that.
pub(super) async fn end(editor: &mut Editor, terminal: &mut Terminal, session: &str) -> Result<()> {
    let params = SessionEndCommandsParams { session_id: session.to_owned() };
    let ended: SessionEndCommandsResult = editor.call(methods::SESSION_END_COMMANDS, params).await?;
    for command in &ended.commands {
        terminal.note(&told(command));
    }
    Ok(())
}

fn told(EndedCommand { command, changed, .. }: &EndedCommand) -> String {
    let changes = match changed {
        // It may have changed something before, which was proposed when another command began.
        0 => String::new(),
        1 => " What it had changed by then (1 file) waits for you.".to_owned(),
        many => format!(" What it had changed by then ({many} files) waits for you."),
    };
    visible(&format!("`{command}` still ran in the background, so it was ended.{changes}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_told_with_what_it_changed() {
        let told =
            |changed| told(&EndedCommand { id: "b1".to_owned(), command: "make watch".to_owned(), changed });
        let begin = "`make watch` still ran in the background, so it was ended.";
        assert_eq!(told(0), begin);
        assert_eq!(told(1), format!("{begin} What it had changed by then (1 file) waits for you."));
        assert_eq!(told(2), format!("{begin} What it had changed by then (2 files) waits for you."));
    }
}
