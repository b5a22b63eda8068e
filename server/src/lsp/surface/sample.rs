//! A small review to draw, and the drawing of diagnostics into the text they lie on.

use std::ops::Range;
use std::sync::Arc;

use super::{Scene, SurfaceSettings, diagnostics};
use crate::conversation::{SessionId, ToolUseId};
use crate::documents::{AbsPath, Change, OpenDocument, Text, Workspace};
use crate::editor::{DiagnosticStyle, EditorFeatures};
use crate::lsp::commands::CommandIds;
use crate::review::{Accept, FileKind, FileReview, HunkId, HunkState, HunkView, Reason, ReviewView};

pub(super) const STORE: &str = "\
use std::fs;

pub struct Store {
    path: PathBuf,
}

impl Store {
    /// Reads the store.
    pub fn load(path: &Path) -> io::Result<Store> {
        let text = fs::read_to_string(path)?;
        parse(text)
    }

    pub fn get(&self, key: &str) -> Option<&str> {
        let found = self.entries.get(key);
        match found {
            Some(value) => Some(value.as_str()),
            None => None,
        }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }
}
";

/// Three hunks in `src/store.rs`, which is open, and one in `src/util.rs`, which is not.
pub(in crate::lsp) fn scene() -> Scene {
    let store = open(file(
        "src/store.rs",
        STORE,
        vec![
            hunk(
                STORE,
                8..9,
                "    pub fn open(path: impl AsRef<Path>) -> io::Result<Store> {\n",
                "rename load to open",
            ),
            hunk(
                STORE,
                14..19,
                "        self.entries.get(key).map(String::as_str)\n",
                "use map instead of the match",
            ),
            hunk(
                STORE,
                24..24,
                "\n    pub fn is_empty(&self) -> bool {\n        self.len() == 0\n    }\n",
                "add is_empty",
            ),
        ],
    ));
    let util = "fn main() {\n    Store::load(path);\n}\n";
    let util =
        file("src/util.rs", util, vec![hunk(util, 1..2, "    Store::open(path);\n", "follow the rename")]);
    scene_of(vec![store, util])
}

pub(in crate::lsp) fn scene_of(mut files: Vec<FileReview>) -> Scene {
    let mut next = 0;
    for hunk in files.iter_mut().flat_map(|file| Arc::make_mut(&mut file.hunks)) {
        next += 1;
        hunk.id = HunkId(format!("h_{next}"));
    }
    Scene {
        review: Arc::new(ReviewView { files: files.into_iter().map(Arc::new).collect(), revision: 1 }),
        features: EditorFeatures { document_changes: true, ..EditorFeatures::default() },
        workspace: Arc::new(Workspace::new(vec![path("")], false)),
        settings: SurfaceSettings::default(),
        own_actions: Arc::default(),
        questions: Vec::new(),
        review_files: Vec::new(),
        half_done: None,
        running: false,
        asks_for_trust: false,
        commands: CommandIds::default(),
    }
}

pub(super) fn path(relative: &str) -> AbsPath {
    AbsPath::new("/project").expect("absolute").join(relative)
}

pub(in crate::lsp) fn file(name: &str, buffer: &str, hunks: Vec<HunkView>) -> FileReview {
    let buffer = Text::from(buffer);
    let edits: Vec<Change> = hunks.iter().map(|hunk| hunk.accept_edit(&buffer)).collect();
    FileReview {
        path: path(name),
        session: SessionId("s_1".to_owned()),
        kind: FileKind::Modify,
        open: None,
        draft: Some(buffer.with_edits(&edits)),
        buffer: Some(buffer),
        hunks: Arc::new(hunks),
        reasons: Vec::new(),
        disk_differs: false,
        lost: false,
        held_back: None,
        whole: None,
    }
}

pub(super) fn open(file: FileReview) -> FileReview {
    FileReview { open: Some((format!("file://{}", file.path), 7)), ..file }
}

pub(in crate::lsp) fn hunk(buffer: &str, lines: Range<usize>, added: &str, summary: &str) -> HunkView {
    let buffer = Text::from(buffer);
    let first = lines.start;
    let range = buffer.line_start(first)..buffer.line_start(lines.end);
    HunkView {
        id: HunkId(String::new()),
        revision: 1,
        draft_lines: lines.start..lines.start + added.lines().count(),
        lines,
        removed: buffer.slice(range.clone()).into(),
        added: added.into(),
        inline: [].into(),
        state: HunkState::Pending,
        undone: false,
        reasons: [reason(summary)].into(),
        moved: None,
        line_ends_only: false,
        accept: Accept::new(Change { range, text: added.to_owned() }, &buffer, first),
    }
}

pub(super) fn reason(summary: &str) -> Reason {
    Reason {
        tool_use_id: ToolUseId("toolu_1".to_owned()),
        summary: summary.to_owned(),
        agent: None,
        by_user: false,
        must_ask: None,
    }
}

pub(super) fn document(name: &str, language: &str, text: &str) -> OpenDocument {
    OpenDocument {
        path: path(name),
        uri: format!("file://{}", path(name)),
        language: language.to_owned(),
        version: 7,
        text: Text::from(text),
        dirty: true,
        lost: false,
    }
}

pub(super) fn styled(scene: Scene, diagnostic_style: DiagnosticStyle) -> Scene {
    Scene { features: EditorFeatures { diagnostic_style, ..scene.features.clone() }, ..scene }
}

/// Every file with diagnostics: a `● first-last` line (columns as `line:column`) with severity, code and tags, and the
/// message below it.
pub(super) fn draw(scene: &Scene, open: &[OpenDocument]) -> String {
    let mut drawn = String::new();
    for (uri, list) in diagnostics(scene, open) {
        drawn.push_str(uri.as_str().trim_start_matches("file:///project/"));
        drawn.push('\n');
        for diagnostic in list {
            let (start, end) = (diagnostic.range.start, diagnostic.range.end);
            let severity = format!("{:?}", diagnostic.severity.expect("a severity"));
            let code = serde_json::to_string(&diagnostic.code).expect("json");
            let tags = if diagnostic.tags.is_some() { " faded" } else { "" };
            let place = format!("{}:{}-{}:{}", start.line + 1, start.character, end.line + 1, end.character);
            drawn = drawn + "● " + &place + " " + &severity + " " + &code + tags + "\n";
            for line in diagnostic.message.lines() {
                drawn = drawn + "  │" + &line.replace('\u{a0}', "·") + "│\n";
            }
        }
    }
    drawn
}
