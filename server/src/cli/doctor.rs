//! `copydesk doctor`: what works here, what does not, and what to do next.

mod model;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use camino::Utf8PathBuf;

use super::Exit;
use super::config::places;
use super::editor::Editor;
use super::terminal::{Look, Terminal};
use crate::config::{Override, choose_model, load};
use crate::documents::AbsPath;

/// A server that takes longer to start is broken.
const LONGEST_START: Duration = Duration::from_secs(10);

/// Editors, by the program that is looked for, and what `copydesk setup` calls them.
const EDITORS: [(&str, &str, &str); 7] = [
    ("Neovim", "nvim", "nvim"),
    ("Helix", "hx", "helix"),
    ("Helix", "helix", "helix"),
    ("VS Code", "code", "vscode"),
    ("VSCodium", "codium", "vscode"),
    ("Emacs", "emacs", "emacs"),
    ("Kakoune", "kak", ""),
];

pub(super) async fn doctor(terminal: &mut Terminal, overrides: Vec<Override>) -> Result<Exit> {
    let loaded = load(&places(&overrides));
    let choice = choose_model(&loaded.settings);
    let mut next = Vec::new();

    terminal.styled(Look::Heading, "Program");
    terminal.line(&format!("  copydesk {}", env!("CARGO_PKG_VERSION")));
    let server = time_to_start(&overrides).await;
    match &server {
        Ok(time) => good(terminal, &format!("the server starts and answers in {} ms", time.as_millis())),
        Err(error) => bad(terminal, &format!("the server does not work: {error:#}")),
    }

    terminal.styled(Look::Heading, "Model");
    let usable = model::tell(terminal, &choice, &mut next);

    terminal.styled(Look::Heading, "Editors");
    let found: Vec<_> =
        EDITORS.iter().filter_map(|editor| on_path(editor.1).map(|path| (editor, path))).collect();
    for ((name, _, setup), path) in &found {
        good(terminal, &format!("{name} ({})", path.display()));
        if !setup.is_empty() {
            next.push(format!("`copydesk setup {setup}` prints what {name} needs to know"));
        }
    }
    if found.is_empty() {
        terminal.line("  none found on the PATH; any editor that speaks LSP will do");
    }
    match on_path("copydesk") {
        Some(path) => good(terminal, &format!("they can start {}", path.display())),
        None => next.push("put `copydesk` on your PATH, so that editors can start it".to_owned()),
    }

    terminal.styled(Look::Heading, "Configuration");
    for (path, found) in &loaded.files {
        terminal.line(&format!("  {path}{}", if *found { "" } else { " (not there, which is fine)" }));
    }
    for diagnostic in &loaded.diagnostics {
        bad(terminal, &diagnostic.to_string());
    }
    if !loaded.diagnostics.is_empty() {
        next.push("mend the lines above; the rest of the configuration works".to_owned());
    }

    next.push("`copydesk try` shows a whole task".to_owned());
    terminal.styled(Look::Heading, "Next");
    next.dedup();
    for step in &next {
        terminal.line(&format!("  - {step}"));
    }
    let fine = server.is_ok() && loaded.diagnostics.is_empty() && usable;
    Ok(if fine { Exit::Done } else { Exit::Failed })
}

async fn time_to_start(overrides: &[Override]) -> Result<Duration> {
    let folder = tempfile::tempdir()?;
    let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).ok().and_then(AbsPath::new);
    let root = root.context("the temporary folder's name is not UTF-8")?;
    let begun = Instant::now();
    let editor = tokio::time::timeout(LONGEST_START, Editor::start(&root, overrides)).await;
    let editor = editor.context("it did not answer in ten seconds")??;
    let time = begun.elapsed();
    editor.close().await;
    Ok(time)
}

/// The first program of that name on the `PATH`.
fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let program = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).map(|folder| folder.join(&program)).find(|path| path.is_file())
}

fn good(terminal: &mut Terminal, text: &str) {
    let mark = terminal.paint(Look::Good, "✓");
    terminal.line(&format!("  {mark} {text}"));
}

fn bad(terminal: &mut Terminal, text: &str) {
    let mark = terminal.paint(Look::Bad, "✗");
    terminal.line(&format!("  {mark} {text}"));
}
