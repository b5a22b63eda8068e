//! `copydesk try`: a whole task on a sample project, through the real server.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::Exit;
use super::arguments::asked_by_default;
use super::editor::{Editor, Interrupt};
use super::review::{Decider, Review};
use super::sample;
use super::task::{Show, follow};
use super::temporary;
use super::terminal::{Look, Terminal, visible};
use crate::config::Override;
use crate::doctor::on_path;
use crate::documents::{AbsPath, Workspace, from_path};

pub(super) async fn try_it(terminal: &mut Terminal, overrides: Vec<Override>) -> Result<Exit> {
    let temporary = temporary::folder("copydesk-try-")?;
    let folder = temporary
        .path()
        .to_str()
        .and_then(AbsPath::new)
        .context("the temporary folder's name is not UTF-8")?;
    sample::write(&folder)?;
    let workspace = Workspace::new(vec![folder.clone()], false);
    let mut interrupt = Interrupt::listen()?;
    let mut editor = Editor::start(&folder, &asked_by_default(overrides)).await?;

    terminal.styled(Look::Heading, &format!("A sample project in {folder}"));
    terminal.line(&format!(
        "{} is open in an editor, with text that is not saved: a new function, and the comment\n\
         `// copydesk: {}`. On that line the editor offers a code action.",
        sample::OPEN_FILE,
        sample::TASK,
    ));
    let path = folder.join(sample::OPEN_FILE);
    let uri = from_path(&path);
    let (text, line) = sample::unsaved();
    editor.open(&uri, "rust", &text).await?;
    let action = start(&mut editor, &uri, line).await?;
    terminal.styled(Look::Heading, &visible(&format!("\n> {action}")));

    let ended = follow(&mut editor, terminal, &mut interrupt, None, &mut Show::progress()).await?;
    if ended.cancelled {
        editor.close().await;
        terminal.note("Cancelled.");
        return Ok(Exit::Cancelled);
    }
    if !ended.is_success() && !ended.proposed {
        editor.close().await;
        if !ended.offline {
            terminal.line(&format!(
                "`{} try --offline` shows a whole task without a language model.",
                own_name()
            ));
        }
        return Ok(Exit::Failed);
    }
    let decider =
        if terminal.interactive { Decider::Person } else { Decider::Example { unwanted: sample::UNWANTED } };
    if !terminal.interactive {
        terminal.line("\nNobody is here to decide, so all changes are accepted but the one of a word that means something else.");
    }
    let mut review = Review { editor: &mut editor, terminal, workspace: &workspace, session: &ended.session };
    let tally = review.decide_each(decider, &mut interrupt).await?;
    terminal.styled(Look::Heading, &format!("\n{}", tally.words()));
    editor.save(&uri, &path).await?;
    editor.close().await;

    show_files(terminal, &folder);
    terminal.styled(Look::Heading, "\nWhat now");
    terminal.line(&what_now(folder.as_str(), &own_name()));
    if terminal.is_heard() {
        terminal
            .line(&format!("\nThe sample project stays in {folder}: delete it when you have seen enough."));
        let _ = temporary.keep();
    }
    Ok(match (ended.is_success(), tally.cancelled) {
        (_, true) => Exit::Cancelled,
        (false, false) => Exit::Failed,
        (true, false) => Exit::Done,
    })
}

/// Commands to go on with, `program` being how this one is started.
fn what_now(folder: &str, program: &str) -> String {
    let folder = shell_word(folder);
    format!(
        "  cd {folder} && {program} run \"add a doc comment to find\"\n  \
         {program} setup helix|nvim|vscode|emacs     the same in your editor\n  \
         {program} doctor                            which model answers, and what is missing"
    )
}

/// How this program is started from a shell: where the shell does not find it, by its path.
fn own_name() -> String {
    let own = std::env::current_exe().ok().filter(|_| on_path("copydesk").is_none());
    own.map_or_else(|| "copydesk".to_owned(), |path| shell_word(&path.to_string_lossy()))
}

/// As a shell takes it for one word.
fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@".contains(c);
    if text.chars().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Starts the task as an editor does: by the code action on the marker comment. Gives its title.
async fn start(editor: &mut Editor, uri: &str, line: u32) -> Result<String> {
    let at = json!({ "line": line, "character": 7 });
    let actions: Value = editor
        .call(
            "textDocument/codeAction",
            json!({
                "textDocument": { "uri": uri },
                "range": { "start": at, "end": at },
                "context": { "diagnostics": [] },
            }),
        )
        .await?;
    let title = |action: &Value| action.get("title").and_then(Value::as_str).map(str::to_owned);
    let action = actions
        .as_array()
        .into_iter()
        .flatten()
        .find(|action| title(action).is_some_and(|title| title.contains(sample::TASK)))
        .context("the server offers no action on the marker comment")?;
    let command = action.get("command").context("the action has no command")?;
    let params = json!({ "command": command.get("command"), "arguments": command.get("arguments") });
    let _: Value = editor.call("workspace/executeCommand", params).await?;
    Ok(title(action).unwrap_or_default())
}

/// The files as they are now, if they were changed.
fn show_files(terminal: &mut Terminal, folder: &AbsPath) {
    for name in sample::names() {
        let now = std::fs::read_to_string(folder.join(name).as_path()).unwrap_or_default();
        if now != sample::original(name) {
            terminal.styled(Look::Heading, &format!("\n{name} now"));
            terminal.print(&visible(&now));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_to_go_on_with_can_be_pasted() {
        let told = what_now("/tmp/a b", "/home/me/copydesk");
        assert!(told.contains("cd '/tmp/a b' && /home/me/copydesk run \"add"), "{told}");
        assert!(told.lines().skip(1).all(|line| line.starts_with("  /home/me/copydesk ")), "{told}");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
    }
}
