//! A look at every file that an accept of many would change, before the first of them is changed: if one can't be, nothing
//! goes in. What is only found out while a file is written ends the accept there.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::actor::Desk;
use super::file::{File, Hand, LOST, Source};
use super::part::{Act, Part, result};
use crate::documents::{AbsPath, Intended, WriteError};
use crate::review::{DecisionResult, HunkRef, HunkState, Outcome};

/// A file that can't be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub path: AbsPath,
    pub outcome: Outcome,
    /// A sentence that names the file, the cause and the next step.
    pub why: String,
}

impl Desk {
    /// What can't be done of these parts, which are carried out in this order.
    pub(super) async fn check_all(&mut self, parts: &[Part]) -> Vec<Refused> {
        let (mut refused, mut leaving) = (Vec::new(), Arc::<BTreeSet<AbsPath>>::default());
        for part in parts {
            if let Some(cause) = self.refusal(part, &leaving).await {
                let (path, why) = (part.path.clone(), format!("{}: {cause}.", self.display(&part.path)));
                refused.push(Refused { path, outcome: Outcome::Pending, why });
            }
            if matches!(self.intended(part), Some(Intended::Deleted | Intended::Moved { .. })) {
                Arc::make_mut(&mut leaving).insert(part.path.clone());
            }
        }
        refused
    }

    /// Nothing goes in: each file that refuses with its cause, and every other one with why it was left.
    pub(super) fn nothing_accepted(&self, refused: Vec<Refused>, parts: &[Part]) -> Vec<DecisionResult> {
        let mut names: Vec<String> = refused.iter().map(|refused| self.display(&refused.path)).collect();
        names.dedup();
        results(refused, parts.iter().map(|part| &part.path), &names)
    }

    /// Why a part can't be done, without a stop at its end.
    async fn refusal(&mut self, part: &Part, leaving: &Arc<BTreeSet<AbsPath>>) -> Option<String> {
        let path = &part.path;
        // What is proposed beside the text was held against the disk when it became a part.
        if !matches!(part.act, Act::Whole(_)) {
            if self.files.get(path).is_some_and(File::is_open) {
                return self.kept_from_the_editor(part);
            }
            if matches!(self.files.get(path), Some(File { source: Source::Closing { .. }, .. })) {
                self.end_closing(path).await;
            }
            let looked = self.refresh(path, Hand::Disk).await;
            let cause = match looked {
                Ok(()) => self.changed_meanwhile(part).or_else(|| self.conflicts_now(part)),
                Err(error) => Some(error.to_string()),
            };
            if cause.is_some() {
                return cause;
            }
        }
        let intended = self.intended(part)?;
        self.look_ahead(path, intended, Arc::clone(leaving)).await.err().map(|error| cause(path, error))
    }

    /// Why the editor can't be handed this part of an open file.
    pub(super) fn kept_from_the_editor(&self, part: &Part) -> Option<String> {
        if !self.editor.features().apply_edit {
            let cause = "this editor takes no edits from a server; accept change by change with code actions";
            return Some(cause.to_owned());
        }
        if self.files.get(&part.path).is_some_and(|file| file.lost) {
            return Some(format!("{LOST}, then accept"));
        }
        let stays =
            self.draft_of(part).is_some_and(|draft| draft.draft.text().is_some() && draft.rename.is_none());
        // The editor would go on showing, and could save again, what is deleted or moved below it.
        (!stays).then(|| {
            "it is open in the editor, which would go on showing it. Close it there, then accept".to_owned()
        })
    }

    /// What the part does to a file that the server itself changes; `None`: nothing.
    fn intended(&self, part: &Part) -> Option<Intended> {
        if matches!(part.act, Act::Whole(_)) {
            return self.whole_intended(&(part.path.clone(), part.session.clone()));
        }
        let file = self.files.get(&part.path)?;
        let draft = self.draft_of(part)?;
        let is_there = match file.source {
            Source::Disk { hash } => hash.is_some(),
            Source::Open { .. } => return None,
            Source::Closing { .. } => file.buffer.is_some(),
        };
        let hunks = part.act.hunks();
        if let Some(rename) = draft.rename.as_ref().filter(|_| hunks.is_empty()) {
            return Some(Intended::Moved { to: rename.to.clone() });
        }
        match (draft.draft.text().is_some(), is_there) {
            (true, true) => {
                let all = draft.draft.hunks();
                let taken = all.iter().filter(|hunk| hunks.iter().any(|taken| taken.id == hunk.id));
                Some(Intended::Text { added: taken.map(|hunk| &*hunk.added).collect() })
            }
            (true, false) => Some(Intended::Made(None)),
            (false, true) => Some(Intended::Deleted),
            (false, false) => None,
        }
    }

    /// After a look at the disk: why what is to be accepted is not what was shown.
    pub(super) fn changed_meanwhile(&self, part: &Part) -> Option<String> {
        let now = self.hunks_of(&part.path, &part.session);
        let stands = |wanted: &HunkRef| now.iter().any(|hunk| hunk.id == wanted.id);
        if part.act.hunks().iter().all(stands) {
            return None;
        }
        let gone = self.files.get(&part.path).is_some_and(|file| file.buffer.is_none());
        let cause = if gone {
            "it is not on disk any more. Bring it back and look at its changes again, or reject them"
        } else {
            "it was changed on disk just now. Look at its changes again, then accept"
        };
        Some(cause.to_owned())
    }

    /// After a look at the disk: what is to be accepted was pending before it.
    fn conflicts_now(&self, part: &Part) -> Option<String> {
        let now = self.hunks_of(&part.path, &part.session);
        let conflicts = |wanted: &HunkRef| {
            now.iter().any(|hunk| hunk.id == wanted.id && hunk.state == HunkState::Conflicted)
        };
        let cause = "it was changed on disk just now, in the same lines. Choose your text or the agent's there, then accept again";
        part.act.hunks().iter().any(conflicts).then(|| cause.to_owned())
    }
}

/// `names`: of those that refuse, as a person reads them.
fn results<'a>(
    refused: Vec<Refused>,
    all: impl Iterator<Item = &'a AbsPath>,
    names: &[String],
) -> Vec<DecisionResult> {
    let mut results: Vec<DecisionResult> = Vec::new();
    for Refused { path, outcome, why } in refused {
        let refusal = result(&path, None, outcome, Some(format!("{why} Nothing was accepted.")));
        // The words of a file and what is beside them may be refused for one cause.
        if !results.contains(&refusal) {
            results.push(refusal);
        }
    }
    let because = match names {
        [only] => format!("{only} can't be"),
        [first, others @ ..] => format!("{first} and {} more can't be", others.len()),
        [] => return results,
    };
    let why = format!(
        "Not accepted, because {because}: put that right or reject it there, then accept all again, or accept this by itself."
    );
    for path in all {
        if !results.iter().any(|result| result.path == *path) {
            results.push(result(path, None, Outcome::Pending, Some(why.clone())));
        }
    }
    results
}

/// The rest of a sentence about `path`, without its name where that is all that the error says.
fn cause(path: &AbsPath, error: WriteError) -> String {
    match &error {
        WriteError::ReadOnly { .. } => "it is read-only; make it writable and accept again".to_owned(),
        WriteError::Marked { path: marked } => {
            let what = if marked == path { "it is".to_owned() } else { format!("its folder {marked} is") };
            format!(
                "{what} marked as immutable or append-only; take the mark away (`chattr -i -a`) and accept again"
            )
        }
        WriteError::FolderReadOnly { folder, .. } => {
            format!("its folder {folder} takes no change; make that writable and accept again")
        }
        WriteError::Foreign { .. } => {
            "it belongs to another user, who alone can do that to it; have it made yours and accept again"
                .to_owned()
        }
        WriteError::Open { .. }
        | WriteError::Changed { .. }
        | WriteError::Exists { .. }
        | WriteError::Unmappable { .. }
        | WriteError::Linked { .. }
        | WriteError::Read(_)
        | WriteError::NoFolder { .. }
        | WriteError::Full { .. }
        | WriteError::Io { .. } => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_that_refuses_is_named_with_its_cause_and_every_other_one_with_them() {
        let path = |name: &str| AbsPath::new(format!("/w/{name}")).unwrap();
        let refused =
            |name: &str, outcome| Refused { path: path(name), outcome, why: format!("{name}: no.") };
        let all = ["a", "b", "b", "c", "d"].map(path);
        let twice = vec![refused("b", Outcome::Pending), refused("b", Outcome::Pending)];
        let told = |refused: Vec<Refused>, names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let results = results(refused, all.iter(), &names).into_iter();
            let one = |result: DecisionResult| {
                (result.path.file_name().to_owned(), result.outcome, result.message.unwrap())
            };
            results.map(one).collect::<Vec<_>>()
        };
        let no =
            |name: &str, outcome| (name.to_owned(), outcome, format!("{name}: no. Nothing was accepted."));
        let left = |name: &str, because: &str| {
            let way = "put that right or reject it there, then accept all again, or accept this by itself";
            (name.to_owned(), Outcome::Pending, format!("Not accepted, because {because} can't be: {way}."))
        };
        assert_eq!(
            told(twice, &["b"]),
            [no("b", Outcome::Pending), left("a", "b"), left("c", "b"), left("d", "b")]
        );
        let two = vec![refused("c", Outcome::Conflicted), refused("a", Outcome::Pending)];
        let because = "c and 1 more";
        assert_eq!(
            told(two, &["c", "a"]),
            [no("c", Outcome::Conflicted), no("a", Outcome::Pending), left("b", because), left("d", because)]
        );
    }
}
