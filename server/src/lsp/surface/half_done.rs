//! An accept of many files that ended at one which failed: what was done before that, and the one action that takes it back.

use super::words::listed;
use crate::documents::Workspace;
use crate::lsp::commands::{AcceptedFile, Command};
use crate::review::{DecisionResult, Outcome};

/// Stands until the next decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HalfDone {
    /// The files, as a person reads them.
    names: Vec<String>,
    files: Vec<AcceptedFile>,
}

impl HalfDone {
    /// `None`: all went well, nothing was done, or only what has no way back: files that were made, removed or moved.
    pub fn of(results: &[DecisionResult], workspace: &Workspace) -> Option<Self> {
        let failed = results.iter().any(|result| result.message.is_some());
        let mut half_done = Self { names: Vec::new(), files: Vec::new() };
        for result in results.iter().filter(|result| failed && result.outcome == Outcome::Accepted) {
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

    pub fn files(&self) -> &[AcceptedFile] {
        &self.files
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::AbsPath;
    use crate::review::HunkId;

    fn result(file: &str, hunk: Option<&str>, outcome: Outcome, message: Option<&str>) -> DecisionResult {
        DecisionResult {
            path: AbsPath::new(format!("/w/{file}")).unwrap(),
            hunk: hunk.map(|hunk| HunkId(hunk.to_owned())),
            outcome,
            message: message.map(str::to_owned),
        }
    }

    #[track_caller]
    fn check(results: &[DecisionResult], wanted: Option<&str>) {
        let workspace = Workspace::new(AbsPath::new("/w").into_iter().collect(), false);
        assert_eq!(HalfDone::of(results, &workspace).map(|half_done| half_done.title()).as_deref(), wanted);
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
        check(&[result("new.rs", None, Outcome::Accepted, None), failed()], None);
    }
}
