//! Where the next change is, seen from a place in any file.

use std::ops::RangeInclusive;

use super::item::{Item, items, shown_lines};
use crate::documents::AbsPath;
use crate::lsp::commands::Place;
use crate::review::{HunkState, ReviewView};

/// The next change behind these lines of the file at `path`: below them, in the files behind it, then from the top. One that
/// lies on them is here already. What was taken back comes after all others. `None`: there is no other.
pub(super) fn next_change(
    review: &ReviewView,
    path: &AbsPath,
    lines: RangeInclusive<usize>,
) -> Option<Place> {
    let here = (path, *lines.end());
    let others: Vec<_> = items(review)
        .filter(|item| item.hunk.is_none_or(|hunk| hunk.state != HunkState::Applying))
        .map(|item| (is_undone(&item), &item.file.path, shown(&item)))
        .filter(|(_, file, (first, last))| *file != path || last < lines.start() || first > lines.end())
        .collect();
    let next = others.iter().min_by_key(|(undone, file, (first, _))| {
        let is_above = (*file, *first) < here;
        (*undone, is_above, *file, *first)
    });
    next.map(|(_, file, (first, _))| {
        let line = u32::try_from(*first).unwrap_or(u32::MAX);
        Place { path: (*file).clone(), start: line, end: line }
    })
}

fn is_undone(item: &Item<'_>) -> bool {
    item.hunk.is_some_and(|hunk| hunk.undone)
}

/// What is beside a file's hunks is shown above its first line.
fn shown(item: &Item<'_>) -> (usize, usize) {
    item.hunk.map_or((0, 0), shown_lines)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::sample::{file, path, scene, scene_of};
    use super::*;
    use crate::review::{FileKind, FileReview};

    /// `file:line` (from one) of the next change behind line `line` of `from`.
    #[track_caller]
    fn check(review: &ReviewView, from: &str, line: usize, wanted: Option<&str>) {
        let next = next_change(review, &path(from), line - 1..=line - 1);
        let next =
            next.map(|place| format!("{}:{}", &place.path.as_str()["/project/".len()..], place.start + 1));
        assert_eq!(next.as_deref(), wanted, "from {from}:{line}");
    }

    #[test]
    fn below_then_in_the_files_behind_then_from_the_top() {
        let review = scene().review;
        check(&review, "src/store.rs", 1, Some("src/store.rs:9"));
        check(&review, "src/store.rs", 9, Some("src/store.rs:15"));
        check(&review, "src/store.rs", 16, Some("src/store.rs:24"));
        check(&review, "src/store.rs", 24, Some("src/util.rs:2"));
        check(&review, "src/util.rs", 2, Some("src/store.rs:9"));
        check(&review, "README.md", 1, Some("src/store.rs:9"));
        check(&review, "src/tail.rs", 7, Some("src/util.rs:2"));
        check(&review, "zzz.rs", 7, Some("src/store.rs:9"));
        check(&ReviewView::default(), "zzz.rs", 7, None);
    }

    #[test]
    fn a_file_that_goes_is_a_change_too_and_the_only_one_leads_nowhere_else() {
        let gone = FileReview { kind: FileKind::Delete, draft: None, ..file("old.rs", "", Vec::new()) };
        let review = scene_of(vec![gone]).review;
        check(&review, "a.rs", 3, Some("old.rs:1"));
        check(&review, "old.rs", 1, None);
    }

    #[test]
    fn what_was_taken_back_is_the_last() {
        let mut file = (*scene().review.files[0]).clone();
        Arc::make_mut(&mut file.hunks)[1].undone = true;
        let review = ReviewView { files: vec![Arc::new(file)], revision: 2 };
        check(&review, "src/store.rs", 9, Some("src/store.rs:24"));
        check(&review, "src/store.rs", 24, Some("src/store.rs:9"));
    }
}
