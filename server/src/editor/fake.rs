//! An editor for tests: it keeps its own texts, shares no code with the server, and can misbehave as real ones do.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::mpsc;

use super::{
    ApplyReply, Editor, EditorFeatures, FileDiagnostics, FileEdit, HoverText, Lookup, Loudness, Places,
    Position, PositionEncoding, Range, TextEdit,
};

/// What the editor does with the next `workspace/applyEdit`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum OnApply {
    /// Applies it, tells of the change, answers.
    Apply,
    /// Answers at once; the change follows after a while (VS Code, Neovim).
    ApplyAfterReply(Duration),
    /// Applies it bottom first, one didChange for each edit, the reply between the first and the others (Neovim).
    BottomUp { pause: Duration },
    /// Answers `applied: false` with this reason.
    Refuse(&'static str),
    /// Neither applies it nor answers, ever.
    Ignore,
    /// Answers `applied: true` and does nothing (Neovim with a stale version).
    Pretend,
    /// Applies only the first so many edits.
    ApplySome(usize),
    /// The user has typed a line at the top that was not sent yet, and the edit is applied where it says (Neovim with
    /// version 0).
    Misplace,
    /// Applies it twice, one after the other.
    ApplyTwice,
    /// As before, but the edit is applied where it belongs by now (Zed).
    Rebase,
}

/// What the editor sends to the server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DidChange {
    pub uri: String,
    pub version: i32,
    pub changes: Vec<(Range, String)>,
}

pub(crate) struct FakeEditor {
    state: std::sync::Arc<Mutex<State>>,
    encoding: PositionEncoding,
}

#[derive(Debug)]
struct State {
    documents: BTreeMap<String, (i32, String)>,
    on_apply: Vec<OnApply>,
    /// Every edit that was asked for.
    asked: Vec<FileEdit>,
    messages: Vec<(Loudness, String)>,
    questions: Vec<(String, Vec<String>)>,
    answer: Option<String>,
    diagnostics: Option<Vec<FileDiagnostics>>,
    places: Option<Places>,
    hover: Option<HoverText>,
    outgoing: mpsc::UnboundedSender<DidChange>,
}

impl FakeEditor {
    pub(crate) fn new(encoding: PositionEncoding) -> (Self, mpsc::UnboundedReceiver<DidChange>) {
        let (outgoing, incoming) = mpsc::unbounded_channel();
        let state = State {
            documents: BTreeMap::new(),
            on_apply: Vec::new(),
            asked: Vec::new(),
            messages: Vec::new(),
            questions: Vec::new(),
            answer: None,
            diagnostics: None,
            places: None,
            hover: None,
            outgoing,
        };
        (Self { state: std::sync::Arc::new(Mutex::new(state)), encoding }, incoming)
    }

    /// Opens a document; the caller tells the server. Gives its version.
    pub(crate) fn open(&self, uri: &str, text: &str) -> i32 {
        self.state.lock().unwrap().documents.insert(uri.to_owned(), (1, text.to_owned()));
        1
    }

    pub(crate) fn close(&self, uri: &str) {
        self.state.lock().unwrap().documents.remove(uri);
    }

    pub(crate) fn text(&self, uri: &str) -> String {
        self.state.lock().unwrap().documents[uri].1.clone()
    }

    /// The user types; the server hears of it.
    pub(crate) fn types(&self, uri: &str, line: u32, columns: std::ops::Range<u32>, text: &str) {
        let range = Range::new(Position::new(line, columns.start), Position::new(line, columns.end));
        let edit = TextEdit { range, new_text: text.to_owned() };
        self.state.lock().unwrap().apply(uri, &[edit], self.encoding);
    }

    /// What it does with the edits to come, in order; after these it applies them.
    pub(crate) fn will(&self, on_apply: impl IntoIterator<Item = OnApply>) {
        self.state.lock().unwrap().on_apply.extend(on_apply);
    }

    /// What the person answers to every question.
    pub(crate) fn will_answer(&self, answer: &str) {
        self.state.lock().unwrap().answer = Some(answer.to_owned());
    }

    /// What its language servers say from now on.
    pub(crate) fn knows(
        &self,
        diagnostics: Option<Vec<FileDiagnostics>>,
        places: Option<Places>,
        hover: Option<HoverText>,
    ) {
        let mut state = self.state.lock().unwrap();
        (state.diagnostics, state.places, state.hover) = (diagnostics, places, hover);
    }

    /// The edits that were asked for so far.
    pub(crate) fn asked_edits(&self) -> Vec<FileEdit> {
        self.state.lock().unwrap().asked.clone()
    }

    /// What the person was told so far.
    pub(crate) fn messages(&self) -> Vec<String> {
        self.state.lock().unwrap().messages.iter().map(|(_, text)| text.clone()).collect()
    }

    pub(crate) fn questions(&self) -> Vec<(String, Vec<String>)> {
        self.state.lock().unwrap().questions.clone()
    }
}

impl Editor for FakeEditor {
    fn features(&self) -> EditorFeatures {
        EditorFeatures {
            name: "fake".to_owned(),
            position_encoding: self.encoding,
            apply_edit: true,
            document_changes: true,
            safe_questions: true,
            ..EditorFeatures::default()
        }
    }

    fn diagnostics(&self, uri: Option<String>) -> BoxFuture<'static, Option<Vec<FileDiagnostics>>> {
        let mut known = self.state.lock().unwrap().diagnostics.clone();
        if let Some(files) = &mut known {
            files.retain(|file| uri.as_ref().is_none_or(|uri| *uri == file.uri));
        }
        futures::future::ready(known).boxed()
    }

    fn places(&self, _: Lookup, _: String, _: Position) -> BoxFuture<'static, Option<Places>> {
        futures::future::ready(self.state.lock().unwrap().places.clone()).boxed()
    }

    fn hover(&self, _: String, _: Position) -> BoxFuture<'static, Option<HoverText>> {
        futures::future::ready(self.state.lock().unwrap().hover.clone()).boxed()
    }

    fn apply_edit(&self, edit: FileEdit) -> BoxFuture<'static, ApplyReply> {
        let (state, encoding) = (self.state.clone(), self.encoding);
        let on_apply = {
            let mut state = state.lock().unwrap();
            state.asked.push(edit.clone());
            if state.on_apply.is_empty() { OnApply::Apply } else { state.on_apply.remove(0) }
        };
        async move {
            let apply = |edits: &[TextEdit]| state.lock().unwrap().apply(&edit.uri, edits, encoding);
            let stale = {
                let state = state.lock().unwrap();
                let now = state.documents.get(&edit.uri).map(|(version, _)| *version);
                edit.version.is_some() && edit.version != now
            };
            if stale {
                return ApplyReply { applied: false, reason: Some("document has changed".to_owned()) };
            }
            match on_apply {
                OnApply::Apply => apply(&edit.edits),
                OnApply::ApplyAfterReply(wait) => {
                    let (state, edit) = (state.clone(), edit.clone());
                    tokio::spawn(async move {
                        tokio::time::sleep(wait).await;
                        state.lock().unwrap().apply(&edit.uri, &edit.edits, encoding);
                    });
                }
                OnApply::BottomUp { pause } => {
                    let mut edits = edit.edits.clone();
                    if let Some(last) = edits.pop() {
                        apply(&[last]);
                    }
                    let (state, uri) = (state.clone(), edit.uri.clone());
                    tokio::spawn(async move {
                        for edit in edits.into_iter().rev() {
                            tokio::time::sleep(pause).await;
                            state.lock().unwrap().apply(&uri, &[edit], encoding);
                        }
                    });
                }
                OnApply::Refuse(reason) => {
                    return ApplyReply { applied: false, reason: Some(reason.to_owned()) };
                }
                OnApply::Pretend => {}
                OnApply::Ignore => futures::future::pending().await,
                OnApply::ApplySome(count) => apply(&edit.edits[..count]),
                OnApply::Misplace => {
                    apply(&[line_at_the_top()]);
                    apply(&edit.edits);
                }
                OnApply::ApplyTwice => {
                    apply(&edit.edits);
                    apply(&edit.edits);
                }
                OnApply::Rebase => {
                    apply(&[line_at_the_top()]);
                    apply(&one_line_down(&edit.edits));
                }
            }
            ApplyReply { applied: true, reason: None }
        }
        .boxed()
    }

    fn show_message(&self, loudness: Loudness, text: String) {
        self.state.lock().unwrap().messages.push((loudness, text));
    }

    fn show_document(&self, _uri: String, _range: Option<Range>) {}

    fn ask(&self, text: String, choices: Vec<String>) -> BoxFuture<'static, Option<String>> {
        let mut state = self.state.lock().unwrap();
        state.questions.push((text, choices));
        let answer = state.answer.clone();
        async move { answer }.boxed()
    }
}

impl State {
    /// All edits against the text as it is; one didChange, bottom first.
    fn apply(&mut self, uri: &str, edits: &[TextEdit], encoding: PositionEncoding) {
        let Some((version, text)) = self.documents.get_mut(uri) else { return };
        let mut changes = Vec::new();
        for edit in edits.iter().rev() {
            let start = offset(text, edit.range.start, encoding);
            let end = offset(text, edit.range.end, encoding);
            text.replace_range(start..end, &edit.new_text);
            changes.push((edit.range, edit.new_text.clone()));
        }
        *version += 1;
        let _ = self.outgoing.send(DidChange { uri: uri.to_owned(), version: *version, changes });
    }
}

fn line_at_the_top() -> TextEdit {
    let top = Range::new(Position::new(0, 0), Position::new(0, 0));
    TextEdit { range: top, new_text: "U\n".to_owned() }
}

fn one_line_down(edits: &[TextEdit]) -> Vec<TextEdit> {
    let down = |position: Position| Position::new(position.line + 1, position.character);
    let shift = |edit: &TextEdit| TextEdit {
        range: Range::new(down(edit.range.start), down(edit.range.end)),
        new_text: edit.new_text.clone(),
    };
    edits.iter().map(shift).collect()
}

/// Counts characters one by one; past the end of its line or of the text it is that end.
fn offset(text: &str, position: Position, encoding: PositionEncoding) -> usize {
    let mut start = 0;
    for _ in 0..position.line {
        match text[start..].find(['\n', '\r']) {
            Some(at) if text[start + at..].starts_with("\r\n") => start += at + 2,
            Some(at) => start += at + 1,
            None => return text.len(),
        }
    }
    let mut column = 0;
    let line = text[start..].split(['\n', '\r']).next().unwrap_or_default();
    for (at, character) in line.char_indices() {
        if column >= position.character {
            return start + at;
        }
        column += match encoding {
            PositionEncoding::Utf8 => character.len_utf8() as u32,
            PositionEncoding::Utf16 => character.len_utf16() as u32,
            PositionEncoding::Utf32 => 1,
        };
    }
    start + line.len()
}
