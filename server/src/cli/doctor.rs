//! `copydesk doctor`: what works here, what does not, and what to do next.

mod examination;

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use camino::Utf8PathBuf;

use super::Exit;
use super::config::{places, written_rules};
use super::editor::Editor;
use super::temporary;
use super::terminal::{Look, Terminal};
use crate::config::{Override, load};
use crate::doctor::{Finding, Mark, Rules, checkup, look_at_commands, on_path};
use crate::documents::AbsPath;
use crate::permissions::TrustBy;

/// A server that takes longer to start is broken.
const LONGEST_START: Duration = Duration::from_secs(10);

pub(super) use self::examination::examine_model;

pub(super) async fn doctor(terminal: &mut Terminal, overrides: Vec<Override>) -> Result<Exit> {
    let server = match time_to_start(&overrides).await {
        Ok(time) => Finding::good(format!("the server starts and answers in {} ms", time.as_millis())),
        Err(error) => Finding::bad(format!("the server does not work: {error:#}")),
    };
    let loaded = load(&places(&overrides));
    let commands = look_at_commands(loaded.settings.shell.trial_tree.value).await;
    let rules = Rules::of(&written_rules(&loaded), TrustBy::Flag);
    let found = checkup(&loaded, &rules, server, commands, on_path);
    for section in &found.sections {
        terminal.styled(Look::Heading, section.title);
        for finding in &section.findings {
            tell(terminal, finding);
        }
    }
    terminal.styled(Look::Heading, "Next");
    for step in &found.next {
        terminal.line(&format!("  - {step}"));
    }
    Ok(if found.fine { Exit::Done } else { Exit::Failed })
}

fn tell(terminal: &mut Terminal, finding: &Finding) {
    let mark = match finding.mark {
        Mark::Good => terminal.paint(Look::Good, "✓") + " ",
        Mark::Bad => terminal.paint(Look::Bad, "✗") + " ",
        Mark::Note => String::new(),
    };
    terminal.line(&format!("  {mark}{}", finding.text));
}

async fn time_to_start(overrides: &[Override]) -> Result<Duration> {
    let folder = temporary::folder("copydesk-doctor-")?;
    let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).ok().and_then(AbsPath::new);
    let root = root.context("the temporary folder's name is not UTF-8")?;
    let begun = Instant::now();
    let editor = tokio::time::timeout(LONGEST_START, Editor::start(&root, overrides)).await;
    let editor = editor.context("it did not answer in ten seconds")??;
    let time = begun.elapsed();
    editor.close().await;
    Ok(time)
}
