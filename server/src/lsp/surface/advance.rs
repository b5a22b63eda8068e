//! Where the cursor goes after the user's own decision: to the next hunk, and into the next file when this one is done.

use std::sync::Arc;
use std::time::Duration;

use super::place::{hunk_range, uri_of};
use crate::documents::{AbsPath, FileStateCache};
use crate::editor::{Editor, EditorFeatures, Position, Range};
use crate::review::{DeskHandle, FileReview, HunkRef, HunkState, HunkView, ReviewView};

/// An editor that has just applied an edit still moves its own cursor.
const PAUSE: Duration = Duration::from_millis(150);
/// A decision that takes longer is not followed: the person is somewhere else by then.
const PATIENCE: Duration = Duration::from_secs(2);

/// A decision, as it was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    pub path: AbsPath,
    /// The zero-based line where the hunk stood.
    pub line: usize,
    /// Empty: all of the file.
    pub hunks: Vec<HunkRef>,
}

/// A place to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    pub uri: String,
    pub range: Range,
}

/// The next place to decide on after `line` of `path`: below it, in the files behind it, then from the top. What the user
/// took back before is left alone.
pub fn next_stop(
    review: &ReviewView,
    features: &EditorFeatures,
    path: &AbsPath,
    line: usize,
) -> Option<Stop> {
    let is_open = |hunk: &&HunkView| !hunk.undone && hunk.state != HunkState::Applying;
    let first_of = |file: &FileReview| file.hunks.iter().find(is_open).cloned();
    let files = || review.files.iter().map(Arc::as_ref);
    let here = files().find(|file| &file.path == path);
    let below = here.and_then(|file| {
        let hunk = file.hunks.iter().filter(is_open).find(|hunk| hunk.lines.start >= line)?;
        Some((file, hunk.clone()))
    });
    let behind = || files().filter(|file| &file.path > path).find_map(|file| Some((file, first_of(file)?)));
    let before = || files().filter(|file| &file.path <= path).find_map(|file| Some((file, first_of(file)?)));
    let (file, hunk) = below.or_else(behind).or_else(before)?;
    let start = hunk_range(file, &hunk, features.position_encoding).start;
    let at = Position::new(start.line, start.character);
    Some(Stop { uri: uri_of(file)?.as_str().to_owned(), range: Range::new(at, at) })
}

/// Shows the next hunk once the decision is carried out, unless the document changes in between or nothing is left.
/// Where a late answer takes the command line from the person, it comes before anybody can have opened one: the editor
/// has applied its edit by then.
/// Spawn it; it waits.
pub async fn advance(
    decided: Decided,
    desk: DeskHandle,
    documents: Arc<FileStateCache>,
    editor: Arc<dyn Editor>,
) {
    let done = tokio::time::timeout(PATIENCE, is_done(&decided, &desk)).await;
    if done.is_err() {
        return;
    }
    let features = editor.features();
    if !features.shows_at_once {
        let version = || documents.open_document(&decided.path).map(|document| document.version);
        let before = version();
        tokio::time::sleep(PAUSE).await;
        if version() != before {
            return;
        }
    }
    if let Some(stop) = next_stop(&desk.view(), &features, &decided.path, decided.line) {
        editor.show_document(stop.uri, Some(stop.range));
    }
}

async fn is_done(decided: &Decided, desk: &DeskHandle) {
    let mut views = desk.watch();
    let is_left = |review: &Arc<ReviewView>| {
        let files = review.files.iter().filter(|file| file.path == decided.path);
        files.flat_map(|file| &*file.hunks).any(|hunk| {
            if decided.hunks.is_empty() {
                hunk.state == HunkState::Applying
            } else {
                decided.hunks.iter().any(|named| named.id == hunk.id)
            }
        })
    };
    // An error means that the desk has ended: then there is nothing to show either.
    drop(views.wait_for(|review| !is_left(review)).await);
}

#[cfg(test)]
mod tests {
    use super::super::sample::{path, scene};
    use super::*;

    /// `file:line` (from one) of the next stop after a decision in `file` at `line`, with the hunks in `gone` decided.
    #[track_caller]
    fn check(gone: &[&str], file: &str, line: usize, want: Option<&str>) {
        let scene = scene();
        let mut files = Vec::new();
        for file in &scene.review.files {
            let mut file = (**file).clone();
            Arc::make_mut(&mut file.hunks).retain(|hunk| !gone.contains(&hunk.id.0.as_str()));
            if !file.hunks.is_empty() {
                files.push(Arc::new(file));
            }
        }
        let review = ReviewView { files, revision: 2 };
        let stop = next_stop(&review, &scene.features, &path(file), line - 1);
        let stop = stop.map(|stop| {
            format!("{}:{}", stop.uri.trim_start_matches("file:///project/"), stop.range.start.line + 1)
        });
        assert_eq!(stop.as_deref(), want);
    }

    #[test]
    fn the_next_hunk_below_then_the_next_file_then_from_the_top() {
        check(&["h_1"], "src/store.rs", 9, Some("src/store.rs:15"));
        check(&["h_1", "h_2"], "src/store.rs", 15, Some("src/store.rs:24"));
        check(&["h_1", "h_2", "h_3"], "src/store.rs", 24, Some("src/util.rs:2"));
        check(&["h_3"], "src/store.rs", 24, Some("src/util.rs:2"));
        check(&["h_4"], "src/util.rs", 2, Some("src/store.rs:9"));
        check(&["h_1", "h_2", "h_3", "h_4"], "src/util.rs", 2, None);
    }

    #[test]
    fn what_was_taken_back_is_left_alone() {
        let mut scene = scene();
        let mut file = (*scene.review.files[0]).clone();
        let hunks = Arc::make_mut(&mut file.hunks);
        hunks.truncate(2);
        hunks[1].undone = true;
        scene.review = Arc::new(ReviewView { files: vec![Arc::new(file)], revision: 2 });
        let next = next_stop(&scene.review, &scene.features, &path("src/store.rs"), 14);
        assert_eq!(next.map(|stop| stop.range.start.line), Some(8));
    }
}
