//! What commands told of their changes: as lines, and as a desk would have it pending.

use std::collections::BTreeMap;
use std::fs;

use copydesk::shell::{ChangeKind, FileContent, FileView, TreeChange};

use crate::place::Place;

/// Changes as lines: path and what became of it.
pub(crate) fn told(place: &Place, changes: &[TreeChange]) -> Vec<String> {
    let told = changes.iter().map(|change| {
        let path = change.path.strip_prefix(&place.root).unwrap();
        match &change.kind {
            ChangeKind::Written(bytes) => format!("{path}: {}", String::from_utf8_lossy(bytes).trim_end()),
            ChangeKind::Bytes(made) => format!("{path} Bytes {{ size: {} }}", made.size()),
            other => format!("{path} {other:?}"),
        }
    });
    told.collect()
}

/// A file as it was told: what a desk would have pending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    pub(crate) content: Option<FileContent>,
    pub(crate) mode: Option<u32>,
}

pub(crate) type Drafts = BTreeMap<String, Draft>;

pub(crate) fn views(drafts: &Drafts) -> Vec<FileView> {
    let view = |(path, draft): (&String, &Draft)| FileView {
        path: path.into(),
        content: draft.content.clone().unwrap_or(FileContent::Real),
        mode: draft.mode,
    };
    drafts.iter().map(view).collect()
}

/// Keeps what was told, as a desk does: bytes that are no text in files of their own.
pub(crate) fn keep(place: &Place, drafts: &mut Drafts, changes: &[TreeChange]) {
    for change in changes {
        let draft = drafts.entry(change.path.to_string()).or_default();
        match &change.kind {
            ChangeKind::Written(bytes) => draft.content = Some(FileContent::Bytes(bytes.clone())),
            ChangeKind::Bytes(made) => {
                let kept = place.base.join(format!("kept-{}", uuid::Uuid::new_v4().simple()));
                let copied = std::io::copy(&mut made.open().unwrap(), &mut fs::File::create(&kept).unwrap());
                assert_eq!(copied.unwrap(), made.size());
                draft.content = Some(FileContent::Kept(kept));
            }
            ChangeKind::Deleted => {
                *draft = Draft { content: Some(FileContent::Absent), mode: None };
            }
            ChangeKind::Mode(mode) => draft.mode = Some(*mode),
            ChangeKind::UsualMode => draft.mode = None,
            ChangeKind::Whole { .. } => {}
            other => panic!("{other:?}"),
        }
    }
}
