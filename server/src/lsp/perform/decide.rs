//! Decisions about hunks, and what the person is told of them.

use crate::conversation::SessionId;
use crate::editor::{Editor, Loudness};
use crate::lsp::commands::{Offer, Place, What, Whole};
use crate::lsp::shown_so_far::ShownSoFar;
use crate::lsp::stage::Stage;
use crate::lsp::surface::advance::{Decided, advance};
use crate::lsp::surface::{Fate, items, shown_lines};
use crate::review::{Decide, Decision, DecisionResult, HunkRef, Outcome, ReviewView, Take, Target};

use super::{half_done, warn};

/// A message has room for so many.
const MOST_CAUSES: usize = 3;

pub(super) fn accept(stage: Stage, what: What) {
    tokio::spawn(decide(stage, Decide::Accept, what));
}

pub(super) fn reject(stage: Stage, what: What, reason: Option<String>) {
    tokio::spawn(decide(stage, Decide::Reject { reason }, what));
}

pub(super) fn resolve(stage: Stage, hunk: HunkRef, take: Take) {
    tokio::spawn(decide(stage, Decide::Resolve(take), What::Hunk(hunk.into())));
}

/// The editor has the edits already; the desk waits for their echo and says so if none comes.
pub(super) fn claimed(stage: &Stage, hunks: Vec<HunkRef>, place: Place) {
    for hunk in &hunks {
        stage.review_files.decided(&hunk.id, Fate::Accepted);
    }
    stage.core.desk.claimed(hunks.clone());
    go_on(stage, Decided { path: place.path, line: place.start as usize, hunks });
}

/// To the next hunk, if the user wants that.
fn go_on(stage: &Stage, decided: Decided) {
    if stage.configuration.surfaces().advance {
        let (desk, documents) = (stage.core.desk.clone(), stage.core.documents.clone());
        tokio::spawn(advance(decided, desk, documents, stage.editor.clone()));
    }
}

/// Decides, goes on to the next hunk and says what did not work out.
pub(super) async fn decide(stage: Stage, decide: Decide, what: What) -> Vec<DecisionResult> {
    let target = match what {
        What::All => stage.shown.target(&stage.core.desk.settled().await.files),
        What::File(path) => {
            let view = stage.core.desk.settled().await;
            let path = view.meant(path, |path| stage.core.documents.real_path(path));
            stage.shown.target(view.files.iter().filter(|file| file.path == path))
        }
        What::Offer(Offer { path, session, offer }) => {
            Target::Offer { path, session: SessionId(session), offer }
        }
        What::Whole(Whole { path, session, revision }) => {
            Target::Whole { path, session: SessionId(session), revision }
        }
        What::Hunk(hunk) => Target::Hunk(hunk.into()),
        What::At(place) => {
            let view = stage.core.desk.settled().await;
            let Some(target) = hunk_at(&view, &place, &stage.shown) else {
                let file = stage.core.workspace.display(&place.path);
                warn(&stage, format!("nothing is pending at {file}:{}", place.start + 1));
                return Vec::new();
            };
            target
        }
    };
    let decided = place_of(stage.core.desk.settled().await.as_ref(), &target);
    let (results, half_done) = stage.decide(Decision { decide, target }).await;
    if let Some(decided) = decided {
        go_on(&stage, decided);
    }
    for result in &results {
        if let (Some(hunk), Some(fate)) = (&result.hunk, fate(result.outcome)) {
            stage.review_files.decided(hunk, fate);
        }
    }
    stage.redraw();
    if let Some(half_done) = half_done {
        half_done::tell(&stage, &half_done, &results);
    } else if let Some((loudness, text)) = report(&results) {
        stage.editor.show_message(loudness, format!("Copydesk: {text}"));
    }
    results
}

/// What is on that line, as it was last shown: a hunk, or a file as a whole.
fn hunk_at(view: &ReviewView, place: &Place, shown: &ShownSoFar) -> Option<Target> {
    let line = place.start as usize;
    items(view).filter(|item| item.file.path == place.path).find_map(|item| match item.hunk {
        Some(hunk) => {
            let (first, last) = shown_lines(hunk);
            // One that was never shown has no revision that anybody saw.
            let revision = shown.revision(&hunk.id).or(Some(0));
            let name = HunkRef { id: hunk.id.clone(), revision };
            (first..=last).contains(&line).then_some(Target::Hunk(name))
        }
        // What is beside hunks is shown above the first line.
        None if !item.file.hunks.is_empty() => {
            (line == 0).then(|| shown.whole(&item.file.path, &item.file.session)).flatten()
        }
        None => Some(shown.target(view.files.iter().filter(|file| file.path == place.path))),
    })
}

/// Where the cursor goes on from after a decision about one hunk or one file.
fn place_of(view: &ReviewView, target: &Target) -> Option<Decided> {
    match target {
        Target::File(path) | Target::Offer { path, .. } | Target::Whole { path, .. } => {
            Some(Decided { path: path.clone(), line: 0, hunks: Vec::new() })
        }
        Target::Shown(files) => match files.as_slice() {
            [file] => Some(Decided { path: file.path.clone(), line: 0, hunks: Vec::new() }),
            _ => None,
        },
        Target::All { .. } => None,
        Target::Hunk(name) => items(view).find_map(|item| {
            let hunk = item.hunk.filter(|hunk| hunk.id == name.id)?;
            Some(Decided { path: item.file.path.clone(), line: hunk.lines.start, hunks: vec![name.clone()] })
        }),
    }
}

const fn fate(outcome: Outcome) -> Option<Fate> {
    match outcome {
        Outcome::Accepted => Some(Fate::Accepted),
        Outcome::Rejected => Some(Fate::Rejected),
        Outcome::Amended | Outcome::Pending | Outcome::Conflicted | Outcome::Stale => None,
    }
}

/// One message for the whole decision. A hunk that went as the person wanted needs none: the text shows it.
pub(super) fn report(results: &[DecisionResult]) -> Option<(Loudness, String)> {
    if results.is_empty() {
        return Some((Loudness::Info, "nothing is pending there".to_owned()));
    }
    let said: Vec<_> = results.iter().filter(|result| fate(result.outcome).is_none()).collect();
    let first = said.iter().find_map(|result| result.message.clone());
    match said.len() {
        0 => {
            results.iter().find_map(|result| result.message.clone()).map(|message| (Loudness::Info, message))
        }
        1 => Some((
            Loudness::Warning,
            first.unwrap_or_else(|| unexplained(said.first().map(|result| result.outcome))),
        )),
        left => {
            let done = results.len() - left;
            let why = causes(&said);
            Some((Loudness::Warning, format!("{done} of {} decided, {left} left: {why}", results.len())))
        }
    }
}

/// Each cause once, in the order in which they come.
fn causes(said: &[&DecisionResult]) -> String {
    let mut causes: Vec<String> = Vec::new();
    for result in said {
        let cause = result.message.clone().unwrap_or_else(|| unexplained(Some(result.outcome)));
        if !causes.contains(&cause) {
            causes.push(cause);
        }
    }
    let more = causes.len().saturating_sub(MOST_CAUSES);
    causes.truncate(MOST_CAUSES);
    let more = if more > 0 { format!(" And {more} more.") } else { String::new() };
    causes.join(" ") + &more
}

fn unexplained(outcome: Option<Outcome>) -> String {
    match outcome {
        Some(Outcome::Conflicted) => "You changed the same lines: choose which to keep.".to_owned(),
        Some(Outcome::Stale) => "That has changed since it was shown: look at it again.".to_owned(),
        Some(Outcome::Amended) => "The change is as you wrote it.".to_owned(),
        Some(Outcome::Pending | Outcome::Accepted | Outcome::Rejected) | None => {
            "The editor has not applied it: it is pending still.".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::AbsPath;

    fn result(outcome: Outcome, message: Option<&str>) -> DecisionResult {
        let path = AbsPath::new("/w/a.rs").unwrap();
        DecisionResult { path, hunk: None, outcome, message: message.map(str::to_owned) }
    }

    #[track_caller]
    fn check(results: &[DecisionResult], wanted: Option<&str>) {
        assert_eq!(report(results).map(|(_, text)| text).as_deref(), wanted);
    }

    #[test]
    fn what_went_well_is_not_talked_about() {
        check(&[result(Outcome::Accepted, None), result(Outcome::Rejected, None)], None);
        check(&[], Some("nothing is pending there"));
    }

    #[test]
    fn what_is_left_is_said_once_with_its_causes() {
        check(
            &[result(Outcome::Stale, None)],
            Some("That has changed since it was shown: look at it again."),
        );
        check(&[result(Outcome::Pending, Some("a.rs is read-only"))], Some("a.rs is read-only"));
        check(
            &[
                result(Outcome::Accepted, None),
                result(Outcome::Conflicted, None),
                result(Outcome::Pending, Some("x")),
            ],
            Some("1 of 3 decided, 2 left: You changed the same lines: choose which to keep. x"),
        );
        let left = |why| result(Outcome::Pending, Some(why));
        check(&[left("x."), left("x."), result(Outcome::Accepted, None)], Some("1 of 3 decided, 2 left: x."));
        check(&["a.", "b.", "c.", "d."].map(left), Some("0 of 4 decided, 4 left: a. b. c. And 1 more."));
    }
}
