//! What the editor's language servers have found in the files of a session since the model was last told.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::outbox::attachment;
use super::state::RoundContext;
use crate::conversation::{AttachmentKind, Message};
use crate::documents::{AbsPath, Stamp, to_path};
use crate::editor::{Diagnostic, Editor, FileDiagnostics, Severity};

/// The most that is told of one file at a time: the rest mostly follows from it.
const MOST_OF_A_FILE: usize = 20;

/// What a model was told of each file. One for each session.
pub(super) struct Diagnosed {
    editor: Arc<dyn Editor>,
    told: Mutex<HashMap<AbsPath, BTreeSet<String>>>,
}

impl Diagnosed {
    pub(super) fn new(editor: Arc<dyn Editor>) -> Self {
        Self { editor, told: Mutex::default() }
    }

    /// Errors and warnings that are new, a file each. Only of files that the model has seen, and only what was said of the
    /// very text that the editor shows now: anything older is about another text.
    pub(super) async fn news(&self, context: &RoundContext, at: SystemTime) -> Vec<Message> {
        let seen = context.seen.paths();
        if seen.is_empty() {
            return Vec::new();
        }
        let files = self.editor.diagnostics(None).await.unwrap_or_default();
        let mut all: HashMap<AbsPath, BTreeSet<String>> = HashMap::new();
        let current = files.into_iter().filter_map(|file| Some((current(&file, context)?, file)));
        for (path, file) in current.filter(|(path, _)| seen.contains(path)) {
            let lines = file.diagnostics.iter().filter_map(line);
            all.entry(path).or_default().extend(lines);
        }
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let mut messages = Vec::new();
        for (path, now) in all {
            let name = context.workspace.display(&path);
            let before = told.insert(path, now.clone()).unwrap_or_default();
            let new: Vec<String> = now.difference(&before).cloned().collect();
            messages.extend(in_words(&name, &new));
        }
        messages.sort();
        messages.into_iter().map(|text| attachment(at, AttachmentKind::Diagnostics, text)).collect()
    }
}

/// The path of a file whose diagnostics are of the text that is open now.
fn current(file: &FileDiagnostics, context: &RoundContext) -> Option<AbsPath> {
    let path = context.documents.real_path(&to_path(&file.uri).ok()?);
    let snapshot = context.documents.snapshot(&path).ok()?;
    match snapshot.stamp {
        Stamp::Open { version, .. } if file.version == Some(version) => Some(snapshot.path),
        Stamp::Open { .. } | Stamp::Disk { .. } => None,
    }
}

/// Lines are padded so that they sort as they stand.
fn line(diagnostic: &Diagnostic) -> Option<String> {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => return None,
    };
    let source = diagnostic.source.as_ref().map(|source| format!(" ({source})")).unwrap_or_default();
    let message = diagnostic.message.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(format!("line {:>4}: {severity}: {message}{source}", diagnostic.range.start.line + 1))
}

fn in_words(name: &str, new: &[String]) -> Option<String> {
    let shown: Vec<&str> = new.iter().take(MOST_OF_A_FILE).map(String::as_str).collect();
    let more = match new.len().saturating_sub(MOST_OF_A_FILE) {
        0 => String::new(),
        more => format!("\n… and {more} more"),
    };
    (!shown.is_empty())
        .then(|| format!("New in {name}, say the editor's language servers:\n{}{more}", shown.join("\n")))
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use futures::FutureExt as _;
    use futures::future::{self, BoxFuture};
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::agent::fixture::ScriptedModel;
    use crate::agent::query::stage;
    use crate::documents::{Text, from_path};
    use crate::editor::{ApplyReply, EditorFeatures, FileEdit, Loudness, Position, Range};
    use crate::tools::fixture::Fixture;

    /// An editor that says this, whatever it is asked.
    struct Saying(Mutex<Vec<FileDiagnostics>>);

    impl Editor for Saying {
        fn features(&self) -> EditorFeatures {
            EditorFeatures::default()
        }

        fn apply_edit(&self, _: FileEdit) -> BoxFuture<'static, ApplyReply> {
            future::ready(ApplyReply { applied: false, reason: None }).boxed()
        }

        fn show_message(&self, _: Loudness, _: String) {}

        fn show_document(&self, _: String, _: Option<Range>) {}

        fn ask(&self, _: String, _: Vec<String>) -> BoxFuture<'static, Option<String>> {
            future::ready(None).boxed()
        }

        fn diagnostics(&self, _: Option<String>) -> BoxFuture<'static, Option<Vec<FileDiagnostics>>> {
            future::ready(Some(self.0.lock().unwrap().clone())).boxed()
        }
    }

    fn said(line: u32, severity: Severity, message: &str) -> Diagnostic {
        let at = Position::new(line, 0);
        Diagnostic {
            range: Range::new(at, at),
            severity,
            source: Some("rustc".into()),
            message: message.into(),
        }
    }

    /// What the model is told in turn where the editor says this of `a.rs`, which is open at version 1 and was seen.
    async fn check(rounds: Vec<(Option<i32>, Vec<Diagnostic>)>, wanted: &[&[&str]]) {
        let fixture = Fixture::new(&[]);
        fixture.open("a.rs", "one\ntwo\n");
        let path = fixture.path("a.rs");
        fixture.seen.show(&path, &Text::from("one\ntwo\n"), None, 0..2);
        let params = stage::params(&fixture, ScriptedModel::new(Vec::new()), CancellationToken::new());
        let editor = Arc::new(Saying(Mutex::default()));
        let diagnosed = Diagnosed::new(editor.clone());
        for ((version, diagnostics), wanted) in rounds.into_iter().zip(wanted) {
            let unseen = FileDiagnostics {
                uri: from_path(&fixture.path("b.rs")),
                version: Some(1),
                diagnostics: vec![said(0, Severity::Error, "unseen")],
            };
            let file = FileDiagnostics { uri: from_path(&path), version, diagnostics };
            *editor.0.lock().unwrap() = vec![unseen, file];
            let news = diagnosed.news(&params.tool_use_context, UNIX_EPOCH).await;
            let texts: Vec<String> = news
                .iter()
                .map(|message| match message {
                    Message::Attachment(attachment) => attachment.text.clone(),
                    other => panic!("no attachment: {other:?}"),
                })
                .collect();
            assert_eq!(texts, *wanted);
        }
    }

    #[tokio::test]
    async fn what_is_new_is_told_once_and_again_when_it_comes_back() {
        let wrong = || said(1, Severity::Error, "mismatched\n  types");
        let unused = || said(0, Severity::Warning, "unused");
        let head = "New in a.rs, say the editor's language servers:\n";
        let error = format!("{head}line    2: error: mismatched types (rustc)");
        let warning = format!("{head}line    1: warning: unused (rustc)");
        check(
            vec![
                (Some(1), vec![wrong(), said(0, Severity::Hint, "shorter")]),
                (Some(1), vec![wrong(), unused()]),
                (Some(1), vec![]),
                (Some(1), vec![wrong()]),
            ],
            &[&[&error], &[&warning], &[], &[&error]],
        )
        .await;
    }

    #[tokio::test]
    async fn what_was_said_of_another_text_is_not_told() {
        let wrong = || vec![said(1, Severity::Error, "wrong")];
        check(vec![(Some(0), wrong()), (None, wrong()), (Some(2), wrong())], &[&[], &[], &[]]).await;
    }

    #[test]
    fn of_very_many_the_first_are_told() {
        let lines: Vec<String> = (0..25).map(|n| format!("line {n:>4}: error: x")).collect();
        let words = in_words("a.rs", &lines).unwrap();
        assert_eq!(words.lines().count(), MOST_OF_A_FILE + 2);
        assert!(words.ends_with("… and 5 more"), "{words}");
        assert_eq!(in_words("a.rs", &[]), None);
    }
}
