//! An accept of many files that ended at one which failed: what was done before that, and the one action that takes it back.

use super::words::listed;
use crate::documents::{AbsPath, Workspace};
use crate::lsp::commands::{AcceptedFile, Command};
use crate::review::{DecisionResult, FileKind, HunkState, Outcome, ReviewView};

/// Stands until the next decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HalfDone {
    /// The files, as a person reads them.
    names: Vec<String>,
    files: Vec<AcceptedFile>,
}

impl HalfDone {
    /// `None`: all went well, nothing was done, or only what has no way back: files that were made, removed or moved.
    /// `before`: what was under review.
    pub fn of(results: &[DecisionResult], before: &ReviewView, workspace: &Workspace) -> Option<Self> {
        let failed = results.iter().any(|result| result.message.is_some() && !is_left_alone(result, before));
        let has_a_way_back = |path: &AbsPath| {
            let mut of_file = before.files.iter().filter(|file| file.path == *path);
            of_file.all(|file| file.kind == FileKind::Modify)
        };
        let done = results
            .iter()
            .filter(|result| failed && result.outcome == Outcome::Accepted && has_a_way_back(&result.path));
        let mut half_done = Self { names: Vec::new(), files: Vec::new() };
        for result in done {
            let Some(hunk) = &result.hunk else { continue };
            let hunk = hunk.0.clone();
            if let Some(file) = half_done.files.iter_mut().find(|file| file.path == result.path) {
                file.hunks.push(hunk);
            } else {
                half_done.names.push(workspace.display(&result.path));
                half_done.files.push(AcceptedFile { path: result.path.clone(), hunks: vec![hunk] });
            }
        }
        (!half_done.files.is_empty()).then_some(half_done)
    }

    /// `Undo what was accepted in a.rs and b.rs`.
    pub fn title(&self) -> String {
        format!("Undo what was accepted in {}", listed(&self.names))
    }

    pub fn command(&self) -> Command {
        Command::TakeBack { files: self.files.clone() }
    }

    /// With what is left of it.
    pub fn only(&self, left: &[AcceptedFile]) -> Option<Self> {
        let left_of = |path: &AbsPath| left.iter().find(|file| file.path == *path).cloned();
        let both = self.names.iter().zip(&self.files);
        let (names, files): (Vec<_>, Vec<_>) =
            both.filter_map(|(name, file)| Some((name.clone(), left_of(&file.path)?))).unzip();
        (!files.is_empty()).then_some(Self { names, files })
    }

    pub fn files(&self) -> &[AcceptedFile] {
        &self.files
    }
}

/// Bulk decisions leave such by rule; that is no failure.
fn is_left_alone(result: &DecisionResult, before: &ReviewView) -> bool {
    let mut of_file = before.files.iter().filter(|file| file.path == result.path);
    match &result.hunk {
        None => of_file.any(|file| {
            let in_conflict = file.whole.as_ref().is_some_and(|whole| whole.conflict);
            file.lost || (in_conflict && result.outcome == Outcome::Conflicted)
        }),
        Some(id) => of_file
            .flat_map(|file| &*file.hunks)
            .any(|hunk| hunk.id == *id && (hunk.undone || hunk.state == HunkState::Conflicted)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::sample::file;
    use super::*;
    use crate::review::{FileReview, HunkId, WholeFile};

    fn result(file: &str, hunk: Option<&str>, outcome: Outcome, message: Option<&str>) -> DecisionResult {
        DecisionResult {
            path: AbsPath::new(format!("/project/{file}")).unwrap(),
            hunk: hunk.map(|hunk| HunkId(hunk.to_owned())),
            outcome,
            message: message.map(str::to_owned),
        }
    }

    #[track_caller]
    fn check(results: &[DecisionResult], wanted: Option<&str>) {
        let workspace = Workspace::new(AbsPath::new("/project").into_iter().collect(), false);
        let of_kind = |name, kind| Arc::new(FileReview { kind, ..file(name, "a\n", Vec::new()) });
        let changed = ["a.rs", "b.rs", "c.rs"].map(|name| of_kind(name, FileKind::Modify));
        let others = [of_kind("new.rs", FileKind::Create), of_kind("gone.rs", FileKind::Delete)];
        let before = ReviewView { files: changed.into_iter().chain(others).collect(), revision: 1 };
        let half_done = HalfDone::of(results, &before, &workspace);
        assert_eq!(half_done.map(|half_done| half_done.title()).as_deref(), wanted);
    }

    #[test]
    fn a_conflict_that_was_left_alone_is_no_failure() {
        let workspace = Workspace::new(AbsPath::new("/project").into_iter().collect(), false);
        let whole = |conflict| WholeFile { bytes: None, mode: None, revision: 1, conflict };
        let of = |outcome, conflict| {
            let in_conflict = FileReview { whole: Some(whole(conflict)), ..file("b.png", "", Vec::new()) };
            let files = vec![Arc::new(file("a.rs", "a\n", Vec::new())), Arc::new(in_conflict)];
            let before = ReviewView { files, revision: 1 };
            let results = [
                result("a.rs", Some("h_1"), Outcome::Accepted, None),
                result("b.png", None, outcome, Some("b.png: no")),
            ];
            HalfDone::of(&results, &before, &workspace).is_some()
        };
        assert!(!of(Outcome::Conflicted, true));
        assert!(of(Outcome::Pending, true) && of(Outcome::Conflicted, false));
    }

    #[test]
    fn what_was_done_before_a_file_failed_is_named() {
        let done = |file, hunk| result(file, Some(hunk), Outcome::Accepted, None);
        let failed = || result("c.rs", Some("h_9"), Outcome::Pending, Some("c.rs: locked"));
        check(
            &[done("a.rs", "h_1"), done("a.rs", "h_2"), done("b.rs", "h_3"), failed()],
            Some("Undo what was accepted in a.rs and b.rs"),
        );
        check(&[done("a.rs", "h_1"), done("b.rs", "h_3")], None);
        check(&[failed()], None);
        check(&[done("new.rs", "h_1"), done("gone.rs", "h_2"), failed()], None);
    }
}
