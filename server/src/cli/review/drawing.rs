//! How changes stand on the terminal, and in the bytes that a program reads.

use anyhow::Result;
use copydesk_protocol::{File, FileKind, Hunk, ProposalShowParams, ProposalShowResult, methods};

use super::{Item, Review};
use crate::cli::diff::{self, DiffLine, Names};
use crate::cli::patch::patch;
use crate::cli::terminal::{Look, told};
use crate::documents::to_path;
use crate::permissions::{has_hidden, on_one_line, visible};
use crate::review::{ModeChange, WholeBytes};

impl Review<'_> {
    /// All that is pending. Gives what a patch of it can't hold, in lines for a person.
    pub(in crate::cli) async fn print_all(&mut self) -> Result<Vec<String>> {
        let mut lacks = Vec::new();
        for file in self.files().await? {
            let texts = self.texts(&file).await?;
            lacks.extend(self.print(&file, &texts));
        }
        Ok(lacks)
    }

    /// A file's changes: in colour for a person, as a patch in the file's own bytes for a program, with what that lacks.
    pub(in crate::cli) fn print(&mut self, file: &File, texts: &ProposalShowResult) -> Vec<String> {
        if self.terminal.is_screen {
            diff::print(self.terminal, &self.whole_diff(file, texts));
            return Vec::new();
        }
        let (old, new) = self.names(file);
        let on_disk = to_path(&file.uri).ok().and_then(|path| std::fs::read(path.as_path()).ok());
        let texts = [texts.buffer.as_deref(), texts.draft.as_deref()];
        let patch = patch(&with_mode(file), Names { old: &old, new: &new }, texts, on_disk.as_deref());
        self.terminal.print_bytes(&patch.bytes);
        let beside = beside_text(file);
        let name = if beside.is_empty() { old } else { format!("{old} ({})", beside.join(", ")) };
        patch.lacks.into_iter().map(|lack| format!("{name}: {lack}")).collect()
    }

    pub(super) async fn show(&mut self, item: &Item, number: &str) -> Result<()> {
        let (path, new_path) = self.names(&item.file);
        let why = item.file.must_ask.as_ref().or(item.file.held_back.as_ref());
        let diff = if let Some(hunk) = &item.hunk {
            let reason = &hunk.reason;
            let reason = if has_hidden(reason) { on_one_line(reason) } else { reason.clone() };
            self.terminal.styled(Look::Heading, &format!("\n{}  {number}  {reason}", visible(&path)));
            self.warn(std::slice::from_ref(hunk), item.file.kind, [&path, &new_path]);
            let texts = self.texts(&item.file).await?;
            diff::one_hunk(hunk, texts.buffer.as_deref())
        } else {
            let beside = beside_text(&item.file);
            let what: Vec<String> = self.what_becomes_of(&item.file).into_iter().chain(beside).collect();
            let title = format!("\n{}  {number}  {}", visible(&path), what.join(", "));
            self.terminal.styled(Look::Heading, &title);
            self.warn(&item.file.hunks, item.file.kind, [&path, &new_path]);
            self.diff_of(&item.file).await?
        };
        diff::print(self.terminal, &diff);
        if let Some(why) = why {
            self.terminal.line(&told(why));
        }
        Ok(())
    }

    /// What is written out on the screen may be overlooked there, and what is hidden in a name as well.
    fn warn(&mut self, hunks: &[Hunk], kind: FileKind, [old, new]: [&str; 2]) {
        let named_anew = matches!(kind, FileKind::Create | FileKind::Rename) && has_hidden(new);
        if named_anew || hunks.iter().any(|hunk| hunk.hidden_characters) {
            self.terminal.styled(Look::Bad, "It adds characters that can't be seen.");
        }
        if has_hidden(old) || has_hidden(new) {
            self.terminal.styled(Look::Bad, "The file's name holds characters that can't be seen.");
        }
    }

    fn what_becomes_of(&self, file: &File) -> Option<String> {
        match file.kind {
            FileKind::Create => Some("new file".to_owned()),
            FileKind::Delete => Some("deleted file".to_owned()),
            FileKind::Rename => Some(format!("renamed to {}", visible(&self.names(file).1))),
            FileKind::Modify => None,
        }
    }

    async fn diff_of(&mut self, file: &File) -> Result<Vec<DiffLine>> {
        let texts = self.texts(file).await?;
        Ok(self.whole_diff(file, &texts))
    }

    fn whole_diff(&self, file: &File, texts: &ProposalShowResult) -> Vec<DiffLine> {
        let (old, new) = self.names(file);
        let names = Names { old: &old, new: &new };
        diff::whole_file(&with_mode(file), names, texts.buffer.as_deref(), texts.draft.as_deref())
    }

    async fn texts(&mut self, file: &File) -> Result<ProposalShowResult> {
        let params = ProposalShowParams { uri: file.uri.clone(), session_id: Some(self.session.to_owned()) };
        self.editor.call(methods::PROPOSAL_SHOW, params).await
    }

    fn names(&self, file: &File) -> (String, String) {
        let old = self.name_of(&file.uri);
        let new = file.new_uri.as_deref().map_or_else(|| old.clone(), |uri| self.name_of(uri));
        (old, new)
    }
}

/// With the permissions, as git names them, that a file to be deleted still has.
fn with_mode(file: &File) -> File {
    let mut file = file.clone();
    if file.kind == FileKind::Delete {
        let on_disk = to_path(&file.uri).ok().and_then(|path| std::fs::metadata(path.as_path()).ok());
        let to = on_disk.filter(can_be_run).map_or("644", |_| "755");
        file.mode = Some(copydesk_protocol::ModeChange { from: None, to: to.to_owned() });
    }
    file
}

#[cfg(unix)]
fn can_be_run(file: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn can_be_run(_file: &std::fs::Metadata) -> bool {
    false
}

/// What becomes of a file beside its text: `binary, 12 kB → 14 kB`, `mode 644 → 755`.
fn beside_text(file: &File) -> Vec<String> {
    let bytes = file.size.and_then(|size| match (size.from, size.to) {
        (Some(from), Some(to)) => Some(WholeBytes::Changed { from, to }),
        (None, Some(size)) => Some(WholeBytes::Made { size }),
        (Some(from), None) => Some(WholeBytes::Deleted { from }),
        (None, None) => None,
    });
    let bits = |digits: &str| u32::from_str_radix(digits, 8).ok();
    let mode = file
        .mode
        .as_ref()
        .and_then(|mode| Some(ModeChange { from: mode.from.as_deref().and_then(bits), to: bits(&mode.to)? }));
    bytes.map(|bytes| bytes.to_string()).into_iter().chain(mode.map(|mode| mode.to_string())).collect()
}
