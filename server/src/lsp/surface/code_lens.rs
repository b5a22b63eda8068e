//! `Accept 2/5 | Reject` above each hunk, for editors that ask for lenses.

use tower_lsp::ls_types::{CodeLens, Range, Uri};

use super::Scene;
use super::code_actions::{whole_file, whole_file_titles};
use super::item::{Item, items_where};
use super::place::{hunk_name, hunk_range, uri_of};
use crate::lsp::commands::{Command, Place, What};
use crate::review::HunkState;

/// Two lenses for each hunk of the file that can be accepted; a conflict gets the way to look at it. They are commands:
/// a lens can't carry an edit.
pub fn code_lenses(scene: &Scene, uri: &Uri) -> Vec<CodeLens> {
    let Some(file) = items_where(&scene.review, |file| uri_of(file).as_ref() == Some(uri)) else {
        return Vec::new();
    };
    let lenses = file.all().flat_map(|item| {
        let Some(hunk) = item.hunk else { return of_whole_file(scene, &item) };
        let range = hunk_range(item.file, hunk, scene.features.position_encoding);
        let lens = |title: String, command: &Command| CodeLens {
            range,
            command: Some(scene.commands.make(title, command)),
            data: None,
        };
        let what = What::Hunk(hunk_name(hunk));
        match hunk.state {
            HunkState::Pending => vec![
                lens(format!("Accept {}", item.number), &Command::Accept { what: what.clone() }),
                lens("Reject".to_owned(), &Command::Reject { what, reason: None }),
            ],
            HunkState::Conflicted => {
                let place =
                    Place { path: item.file.path.clone(), start: range.start.line, end: range.start.line };
                vec![lens(
                    format!("Conflict {}: show", item.number),
                    &Command::ShowDiff { place: Some(place) },
                )]
            }
            HunkState::Applying => Vec::new(),
        }
    });
    lenses.collect()
}

/// Above the first line.
fn of_whole_file(scene: &Scene, item: &Item<'_>) -> Vec<CodeLens> {
    let Some((accept, reject)) = whole_file_titles(item, &scene.workspace) else { return Vec::new() };
    let lens = |title: String, command: &Command| CodeLens {
        range: Range::default(),
        command: Some(scene.commands.make(title, command)),
        data: None,
    };
    let what = whole_file(item.file);
    let accept = item.can_be_accepted().then(|| lens(accept, &Command::Accept { what: what.clone() }));
    accept.into_iter().chain([lens(reject, &Command::Reject { what, reason: None })]).collect()
}
