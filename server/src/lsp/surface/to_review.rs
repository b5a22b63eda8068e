//! What waits for a decision, in one line: how much, where, and how to get there.

use super::item::items;
use super::words::one_line;
use crate::documents::{AbsPath, Workspace};
use crate::editor::EditorFeatures;
use crate::review::ReviewView;

/// So many files are named; of more it is said how many others there are.
const MOST_NAMES: usize = 3;

/// The action that leads there, in short: some editors cut the line.
const WAY: &str = "Review: …";

/// Everything that waits, at the end of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToReview {
    pub changes: usize,
    /// In the order of the review.
    pub files: Vec<AbsPath>,
}

impl ToReview {
    /// `None`: nothing waits.
    pub fn of(review: &ReviewView) -> Option<Self> {
        let mut files: Vec<AbsPath> = Vec::new();
        let mut changes = 0;
        for item in items(review) {
            changes += 1;
            if files.last() != Some(&item.file.path) {
                files.push(item.file.path.clone());
            }
        }
        (changes > 0).then_some(Self { changes, files })
    }

    /// `3 changes to review in 2 files: a.rs, b.rs; code action "Review: …"`. An editor that can't be sent
    /// there is told no way but the names.
    pub fn in_words(&self, workspace: &Workspace, features: &EditorFeatures) -> String {
        let count =
            if self.changes == 1 { "1 change".to_owned() } else { format!("{} changes", self.changes) };
        let name = |path| one_line(&workspace.display(path)).into_owned();
        let names: Vec<String> = self.files.iter().take(MOST_NAMES).map(name).collect();
        let more = match self.files.len().saturating_sub(MOST_NAMES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let names = names.join(", ");
        let places = match self.files.len() {
            1 => names,
            files => format!("{files} files: {names}{more}"),
        };
        let way = if features.show_document { format!("; code action \"{WAY}\"") } else { String::new() };
        format!("{count} to review in {places}{way}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::Scene;
    use super::super::sample::{file, hunk, scene, scene_of};
    use super::*;
    use crate::review::{FileKind, FileReview};

    #[track_caller]
    fn check(scene: &Scene, wanted: Option<&str>) {
        let told = ToReview::of(&scene.review).map(|left| left.in_words(&scene.workspace, &scene.features));
        assert_eq!(told.as_deref(), wanted);
    }

    fn changed(name: &str) -> FileReview {
        file(name, "a\n", vec![hunk("a\n", 0..1, "b\n", "")])
    }

    #[test]
    fn the_files_are_named_and_the_way_there_where_there_is_one() {
        let mut sample = scene();
        check(&sample, Some("4 changes to review in 2 files: src/store.rs, src/util.rs"));
        sample.features.show_document = true;
        check(
            &sample,
            Some("4 changes to review in 2 files: src/store.rs, src/util.rs; code action \"Review: …\""),
        );
        check(&scene_of(Vec::new()), None);
        check(&scene_of(vec![changed("a.rs")]), Some("1 change to review in a.rs"));
        check(&scene_of(vec![changed("a\u{202e}.rs")]), Some("1 change to review in a\\u{202e}.rs"));
    }

    #[test]
    fn of_many_files_three_are_named_and_the_others_counted() {
        let many = ["a.rs", "b.rs", "c.rs", "d.rs", "e.rs"].map(changed).into_iter().collect();
        check(&scene_of(many), Some("5 changes to review in 5 files: a.rs, b.rs, c.rs and 2 more"));
    }

    #[test]
    fn a_file_without_lines_to_compare_is_one_change() {
        let gone = FileReview { kind: FileKind::Delete, ..file("old.bin", "", Vec::new()) };
        check(&scene_of(vec![changed("a.rs"), gone]), Some("2 changes to review in 2 files: a.rs, old.bin"));
    }
}
