//! A desk with everything around it: a folder, a fake editor whose changes reach the desk as a client's do, and a clock
//! that stands still unless everybody waits.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use crate::conversation::{SessionId, ToolUseId};
use crate::documents::{AbsPath, Change, ContentChange, FileStateCache, Text, Workspace, from_path};
use crate::editor::PositionEncoding;
use crate::editor::fake::{DidChange, FakeEditor};
use crate::review::{
    Acceptance, Decide, Decision, DecisionResult, DeskHandle, Extent, FileKind, HunkRef, HunkState,
    MakeProposal, ModeChange, Outcome, Proposal, ProposeError, Proposed, Reason, Target, Told, ToldWhat,
    WholeBytes, WholeChange, WholeFile,
};

pub(super) const ABCD: &str = "a\nb\nc\nd\n";

pub(super) struct Bench {
    folder: tempfile::TempDir,
    pub documents: Arc<FileStateCache>,
    pub editor: Arc<FakeEditor>,
    pub desk: DeskHandle,
}

impl Bench {
    pub(super) fn new() -> Self {
        Self::with_encoding(PositionEncoding::Utf16)
    }

    pub(super) fn with_encoding(encoding: PositionEncoding) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let documents = Arc::new(FileStateCache::new());
        let (editor, mut incoming) = FakeEditor::new(encoding);
        let editor = Arc::new(editor);
        let root = AbsPath::new(folder.path().canonicalize().unwrap().to_str().unwrap()).unwrap();
        let workspace = Arc::new(Workspace::new(vec![root], false));
        let desk = DeskHandle::start(documents.clone(), workspace, editor.clone());
        let (cache, handle) = (documents.clone(), desk.clone());
        tokio::spawn(async move {
            while let Some(DidChange { uri, version, changes }) = incoming.recv().await {
                let changes: Vec<ContentChange> = changes
                    .into_iter()
                    .map(|(range, text)| ContentChange { range: Some(range), text })
                    .collect();
                if let Ok(changed) = cache.change(&uri, version, &changes, encoding) {
                    handle.changed(changed);
                }
            }
        });
        Self { folder, documents, editor, desk }
    }

    /// The time that messages on their way need.
    pub(super) async fn moment(&self) {
        self.wait(1).await;
    }

    pub(super) async fn wait(&self, milliseconds: u64) {
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
        self.desk.settled().await;
    }

    /// Session `A` needs no person's word any more.
    pub(super) fn accept_as_they_come(&self) {
        self.desk.set_acceptance(SessionId("A".to_owned()), Acceptance::AsTheyCome);
    }

    // Files.

    pub(super) fn path(&self, name: &str) -> AbsPath {
        let folder = self.folder.path().canonicalize().unwrap();
        AbsPath::new(folder.join(name).to_str().unwrap()).unwrap()
    }

    pub(super) fn put(&self, name: &str, text: &str) {
        std::fs::write(self.path(name).as_path(), text).unwrap();
    }

    pub(super) fn remove(&self, name: &str) {
        std::fs::remove_file(self.path(name).as_path()).unwrap();
    }

    pub(super) fn disk(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.path(name).as_path()).ok()
    }

    /// Somebody writes the file, and the server hears of it.
    pub(super) async fn changed_outside(&self, name: &str, text: &str) {
        self.put(name, text);
        self.desk.disk_changed(vec![self.path(name)]);
        self.moment().await;
    }

    // The editor.

    pub(super) fn uri(&self, name: &str) -> String {
        from_path(&self.path(name))
    }

    /// Opens a file that says the same on disk.
    pub(super) async fn open(&self, name: &str, text: &str) {
        self.put(name, text);
        self.open_unsaved(name, text).await;
    }

    pub(super) async fn open_unsaved(&self, name: &str, text: &str) {
        let uri = self.uri(name);
        let version = self.editor.open(&uri, text);
        self.desk.opened(self.documents.open(&uri, "text", version, text).unwrap());
        self.moment().await;
    }

    pub(super) async fn close(&self, name: &str) {
        self.editor.close(&self.uri(name));
        self.desk.closed(self.documents.close(&self.uri(name)).unwrap());
        self.moment().await;
    }

    pub(super) async fn save(&self, name: &str) {
        self.put(name, &self.text(name));
        self.desk.saved(self.documents.saved(&self.uri(name)).unwrap());
        self.moment().await;
    }

    /// The user types over columns of a line.
    pub(super) async fn types(&self, name: &str, line: u32, columns: std::ops::Range<u32>, text: &str) {
        self.editor.types(&self.uri(name), line, columns, text);
        self.moment().await;
    }

    /// What the editor shows.
    pub(super) fn text(&self, name: &str) -> String {
        self.editor.text(&self.uri(name))
    }

    // The agent.

    pub(super) async fn propose(
        &self,
        session: &str,
        name: &str,
        summary: &str,
        make: MakeProposal,
    ) -> Result<Proposed, ProposeError> {
        self.propose_for(session, name, reason(summary), make).await
    }

    /// A whole text that only the person may accept.
    pub(super) async fn write_asked(&self, session: &str, name: &str, content: &str, seen: Option<&str>) {
        let proposal = Proposal::Write { content: content.to_owned(), seen: seen.map(Text::from) };
        let reason = Reason { must_ask: Some("It says what programs run.".to_owned()), ..reason("asked") };
        self.propose_for(session, name, reason, Box::new(move |_| Ok(proposal))).await.unwrap();
    }

    async fn propose_for(
        &self,
        session: &str,
        name: &str,
        reason: Reason,
        make: MakeProposal,
    ) -> Result<Proposed, ProposeError> {
        self.desk.propose(&SessionId(session.to_owned()), &self.path(name), reason, make).await
    }

    /// Edit of a unique `old`; its summary is `old>new`.
    pub(super) async fn edit(&self, session: &str, name: &str, old: &str, new: &str) {
        self.try_edit(session, name, old, new).await.unwrap();
    }

    pub(super) async fn try_edit(
        &self,
        session: &str,
        name: &str,
        old: &str,
        new: &str,
    ) -> Result<Proposed, ProposeError> {
        let (old_string, new_string) = (old.to_owned(), new.to_owned());
        let make: MakeProposal = Box::new(move |view| {
            let text = view.text.as_ref().ok_or("no such file")?.to_string();
            match text.match_indices(&old_string).map(|(at, _)| at).collect::<Vec<_>>()[..] {
                [at] => {
                    let range = at..at + old_string.len();
                    Ok(Proposal::Edit(vec![Change { range, text: new_string }]))
                }
                _ if view.rejected.iter().any(|text| text.contains(&old_string)) => {
                    Err("the user rejected that text".to_owned())
                }
                _ => Err("no match".to_owned()),
            }
        });
        self.propose(session, name, &format!("{}>{}", old.trim_end(), new.trim_end()), make).await
    }

    /// Write of a whole file by somebody who has seen `seen`.
    pub(super) async fn write(
        &self,
        session: &str,
        name: &str,
        content: &str,
        seen: Option<&str>,
    ) -> Result<Proposed, ProposeError> {
        let proposal = Proposal::Write { content: content.to_owned(), seen: seen.map(Text::from) };
        self.propose(session, name, "write", Box::new(move |_| Ok(proposal))).await
    }

    /// What a command made of a whole file that it began from.
    pub(super) async fn made(
        &self,
        session: &str,
        name: &str,
        content: &str,
        from: Option<&str>,
        extent: Extent,
    ) {
        let proposal = Proposal::Made { content: content.to_owned(), from: from.map(Text::from), extent };
        self.propose(session, name, "run", Box::new(move |_| Ok(proposal))).await.unwrap();
    }

    pub(super) async fn delete(&self, session: &str, name: &str) {
        self.propose(session, name, "delete", Box::new(|_| Ok(Proposal::Delete))).await.unwrap();
    }

    /// A change of a file as a whole that a command made.
    pub(super) async fn propose_whole(
        &self,
        session: &str,
        name: &str,
        change: WholeChange,
    ) -> Result<Option<WholeFile>, ProposeError> {
        let session = SessionId(session.to_owned());
        self.desk.propose_whole(&session, &self.path(name), reason("run"), change).await
    }

    /// Where bytes are kept until they are decided on.
    pub(super) fn keeping(&self) -> AbsPath {
        let folder = self.folder.path().canonicalize().unwrap();
        AbsPath::new(folder.join(".kept").to_str().unwrap()).unwrap()
    }

    /// The file as the session's agent has it.
    pub(super) async fn agents(&self, session: &str, name: &str) -> Option<String> {
        let view = self.desk.agent_view(&SessionId(session.to_owned()), &self.path(name)).await;
        view.ok()?.text.map(|text| text.to_string())
    }

    /// What the session is told, a line each, as `file: what: summary`.
    pub(super) async fn told(&self, session: &str) -> Vec<String> {
        let told = self.desk.take_told(&SessionId(session.to_owned())).await;
        told.iter().map(|Told { path, what }| format!("{}: {}", path.file_name(), in_short(what))).collect()
    }

    // The person.

    /// One line for each file that differs as a whole and for each hunk:
    /// `file [session] line old -> new state`.
    pub(super) async fn review(&self) -> String {
        let mut shown = String::new();
        for file in &self.desk.settled().await.files {
            let name = file.path.file_name();
            let session = &file.session;
            let differs = if file.disk_differs { " (disk differs)" } else { "" };
            match &file.kind {
                FileKind::Modify => {}
                FileKind::Create => writeln!(shown, "{name} [{session}] create{differs}").unwrap(),
                FileKind::Delete => writeln!(shown, "{name} [{session}] delete{differs}").unwrap(),
                FileKind::Rename { to } => {
                    writeln!(shown, "{name} [{session}] rename to {}{differs}", to.file_name()).unwrap();
                }
            }
            for hunk in &*file.hunks {
                let lines = |text: &str| text.trim_end_matches('\n').replace('\n', "|");
                let (line, old, new) = (hunk.lines.start, lines(&hunk.removed), lines(&hunk.added));
                let state = match hunk.state {
                    HunkState::Pending if hunk.undone => "undone",
                    HunkState::Pending => "pending",
                    HunkState::Applying => "applying",
                    HunkState::Conflicted => "conflicted",
                };
                writeln!(shown, "{name} [{session}] {line} {old} -> {new} {state}{differs}").unwrap();
            }
            if let Some(whole) = &file.whole {
                writeln!(shown, "{name} [{session}] whole: {}", whole_in_short(whole)).unwrap();
            }
        }
        shown
    }

    pub(super) fn hunk(&self, name: &str, session: &str, number: usize) -> HunkRef {
        let view = self.desk.view();
        let file =
            view.files.iter().find(|file| file.path == self.path(name) && file.session.as_str() == session);
        let hunk = &file.unwrap().hunks[number];
        HunkRef { id: hunk.id.clone(), revision: Some(hunk.revision) }
    }

    /// What `session` offers for `name` as it is now.
    pub(super) async fn offer(&self, name: &str, session: &str) -> Target {
        let view = self.desk.settled().await;
        let path = self.path(name);
        let file =
            view.files.iter().find(|file| file.path == path && file.session.as_str() == session).unwrap();
        Target::Offer { path, session: file.session.clone(), offer: file.offer() }
    }

    pub(super) async fn decide(&self, decide: Decide, target: Target) -> Vec<DecisionResult> {
        let results = self.desk.decide(Decision { decide, target }).await;
        self.moment().await;
        results
    }

    /// Of session `A`.
    pub(super) async fn accept(&self, name: &str, number: usize) -> Vec<DecisionResult> {
        self.decide(Decide::Accept, Target::Hunk(self.hunk(name, "A", number))).await
    }

    pub(super) async fn accept_all(&self) -> Vec<DecisionResult> {
        self.decide(Decide::Accept, Target::All { session: None }).await
    }

    pub(super) async fn reject(&self, name: &str, number: usize) -> Vec<DecisionResult> {
        let hunk = self.hunk(name, "A", number);
        self.decide(Decide::Reject { reason: None }, Target::Hunk(hunk)).await
    }
}

fn reason(summary: &str) -> Reason {
    Reason {
        tool_use_id: ToolUseId("toolu_1".to_owned()),
        summary: summary.to_owned(),
        agent: None,
        by_user: false,
        must_ask: None,
    }
}

/// The outcomes alone.
pub(super) fn outcomes(results: &[DecisionResult]) -> Vec<Outcome> {
    results.iter().map(|result| result.outcome).collect()
}

/// The one message of the results.
#[track_caller]
pub(super) fn message(results: &[DecisionResult]) -> &str {
    let mut messages = results.iter().filter_map(|result| result.message.as_deref());
    messages.next().expect("a message")
}

fn whole_in_short(whole: &WholeFile) -> String {
    let bytes = whole.bytes.map(|bytes| match bytes {
        WholeBytes::Made { size } => format!("made {size}"),
        WholeBytes::Changed { from, to } => format!("changed {from}>{to}"),
        WholeBytes::Deleted { from } => format!("deleted {from}"),
    });
    let mode = whole.mode.map(|ModeChange { from, to }| match from {
        Some(from) => format!("mode {from:o}>{to:o}"),
        None => format!("mode {to:o}"),
    });
    let parts: Vec<String> = [bytes, mode].into_iter().flatten().collect();
    format!("{}{}", parts.join(", "), if whole.conflict { " (conflict)" } else { "" })
}

fn in_short(what: &ToldWhat) -> String {
    match what {
        ToldWhat::Accepted { summary } => format!("accepted: {summary}"),
        ToldWhat::AcceptedOver { summary, mine, .. } => {
            format!("accepted over {}: {summary}", mine.trim_end())
        }
        ToldWhat::AcceptedByHand { summary } => format!("accepted by hand: {summary}"),
        ToldWhat::Rejected { summary, .. } => format!("rejected: {summary}"),
        ToldWhat::Amended { summary, .. } => format!("amended: {summary}"),
        ToldWhat::Altered { summary, .. } => format!("altered: {summary}"),
        ToldWhat::Undone { summary } => format!("undone: {summary}"),
        ToldWhat::Conflicted { summary, amended, by_others, .. } => {
            let amended = if *amended { " (amended)" } else { "" };
            let others = if *by_others { " (with others)" } else { "" };
            format!("conflicted: {summary}{amended}{others}")
        }
        ToldWhat::Overtaken { summary } => format!("overtaken: {summary}"),
        ToldWhat::FileChanged { by, .. } => format!("changed by {by}"),
        ToldWhat::FileRenamed { to } => format!("renamed to {}", to.file_name()),
    }
}
