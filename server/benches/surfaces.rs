//! What a cursor move and a redraw cost with many pending hunks.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use copydesk::conversation::{SessionId, ToolUseId};
use copydesk::documents::{AbsPath, Change, OpenDocument, Text, Workspace};
use copydesk::editor::{EditorFeatures, Position, PositionEncoding, Range};
use copydesk::lsp::commands::CommandIds;
use copydesk::lsp::surface::{ActionRequest, Scene, SurfaceSettings, code_actions, diagnostics, hover};
use copydesk::review::{Accept, FileKind, FileReview, HunkId, HunkState, HunkView, Reason, ReviewView};
use criterion::{Criterion, criterion_group, criterion_main};

const HUNKS: usize = 1_000;
/// Each hunk replaces two lines of ten.
const BLOCK: &str = "fn load(path: &Path) -> io::Result<Store> {\n    let text = fs::read_to_string(path)?;\n    let mut entries = BTreeMap::new();\n    for line in text.lines() {\n        if let Some((key, value)) = line.split_once('=') {\n            entries.insert(key.to_string(), value.to_string());\n        }\n    }\n    Ok(Store { entries })\n}\n";
const ADDED: &str = "fn open(path: impl AsRef<Path>) -> io::Result<Store> {\n    let text = fs::read_to_string(path.as_ref())?;\n";

/// One open file with a thousand hunks, in the encoding that costs most.
fn scene(path: &AbsPath) -> Option<Scene> {
    let buffer = Text::from(BLOCK.repeat(HUNKS));
    let hunks: Vec<_> = (0..HUNKS).map(|at| hunk(&buffer, at)).collect();
    let edits: Vec<_> = hunks.iter().map(|hunk| hunk.accept_edit(&buffer)).collect();
    let file = FileReview {
        path: path.clone(),
        session: SessionId("s_1".to_owned()),
        kind: FileKind::Modify,
        open: Some(("file:///bench/store.rs".to_owned(), 7)),
        draft: Some(buffer.with_edits(&edits)),
        buffer: Some(buffer),
        hunks: Arc::new(hunks),
        reasons: Vec::new(),
        disk_differs: false,
        lost: false,
        held_back: None,
        whole: None,
    };
    Some(Scene {
        review: Arc::new(ReviewView { files: vec![Arc::new(file)], revision: 1 }),
        features: EditorFeatures {
            position_encoding: PositionEncoding::Utf16,
            document_changes: true,
            apply_edit: true,
            ..EditorFeatures::default()
        },
        workspace: Arc::new(Workspace::new(vec![path.parent()?], false)),
        settings: SurfaceSettings::default(),
        own_actions: Arc::default(),
        questions: Vec::new(),
        review_files: Vec::new(),
        half_done: None,
        running: true,
        asks_for_trust: false,
        commands: CommandIds::default(),
    })
}

fn hunk(buffer: &Text, at: usize) -> HunkView {
    let lines = at * 10..at * 10 + 2;
    let range = buffer.line_start(lines.start)..buffer.line_start(lines.end);
    HunkView {
        id: HunkId(format!("h_{at}")),
        revision: 1,
        draft_lines: lines.clone(),
        lines,
        removed: buffer.slice(range.clone()).into(),
        added: ADDED.into(),
        inline: [].into(),
        state: HunkState::Pending,
        undone: false,
        reasons: [Reason {
            tool_use_id: ToolUseId("toolu_1".to_owned()),
            summary: "rename load to open".to_owned(),
            agent: None,
            by_user: false,
            must_ask: None,
        }]
        .into(),
        moved: None,
        line_ends_only: false,
        accept: Accept::new(Change { range, text: ADDED.to_owned() }, buffer, at * 10),
    }
}

fn surfaces(criterion: &mut Criterion) {
    let Some(path) = AbsPath::new("/bench/store.rs") else { return };
    let Some(scene) = scene(&path) else { return };
    let document = OpenDocument {
        path,
        uri: "file:///bench/store.rs".to_owned(),
        language: "rust".to_owned(),
        version: 7,
        text: Text::from(BLOCK.repeat(HUNKS)),
        dirty: true,
        lost: false,
    };
    let at = Position::new(5_000, 4);
    let request =
        ActionRequest { document: &document, range: Range::new(at, at), only: &[], diagnostics: &[] };
    criterion.bench_function("codeAction on a hunk of 1000", |bencher| {
        bencher.iter(|| black_box(code_actions(&scene, &request)));
    });
    let Ok(uri) = document.uri.parse() else { return };
    criterion.bench_function("hover on a hunk of 1000", |bencher| {
        bencher.iter(|| black_box(hover(&scene, &uri, 5_000)));
    });
    criterion.bench_function("diagnostics of 1000 hunks", |bencher| {
        bencher.iter(|| black_box(diagnostics(&scene, std::slice::from_ref(&document))));
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    targets = surfaces
}
criterion_main!(benches);
