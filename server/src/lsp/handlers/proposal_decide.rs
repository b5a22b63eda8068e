//! `copydesk/proposal/decide`: answered when the editor's own text shows it, or after about a second as pending.

use copydesk_protocol::{DecideParams, ProposalDecideResult};
use tower_lsp::jsonrpc::Result;

use crate::lsp::backend::Backend;
use crate::lsp::failure::{internal, refused};
use crate::lsp::from_wire::{self, Pending};
use crate::lsp::perform::tell_half_done;
use crate::lsp::shown_so_far::ShownSoFar;
use crate::lsp::stage::Stage;
use crate::lsp::to_wire;
use crate::review::{Decision, HunkId, HunkRef, Target};

pub(in crate::lsp) async fn proposal_decide(
    backend: &Backend,
    params: DecideParams,
) -> Result<ProposalDecideResult> {
    let pending = from_wire::pending(&params.target)?;
    let decide = from_wire::decide(params);
    let target = target(backend.stage(), pending).await?;
    carry_out(backend, Decision { decide, target }).await
}

/// On a task of its own: a cancelled request must not leave a decision half done.
pub(super) async fn carry_out(backend: &Backend, decision: Decision) -> Result<ProposalDecideResult> {
    let stage = backend.stage().clone();
    let decided = tokio::spawn(async move {
        let (results, half_done) = stage.decide(decision).await;
        let way_back = half_done.map(|half_done| {
            // The client may be a program that shows the person nothing of the answer.
            tell_half_done(&stage, &half_done, &results);
            stage.redraw();
            stage.commands.make(half_done.title(), &half_done.command())
        });
        (results, way_back)
    });
    let (results, way_back) =
        decided.await.map_err(|error| internal(format!("the decision was not carried out: {error}")))?;
    Ok(to_wire::decide_results(results, way_back))
}

/// What is meant, as this client was shown it.
async fn target(stage: &Stage, pending: Pending) -> Result<Target> {
    let view = stage.core.desk.settled().await;
    match pending {
        Pending::Hunk(hunk) => known(&stage.shown, hunk, |id| {
            view.files.iter().any(|file| file.hunks.iter().any(|hunk| hunk.id == *id))
        }),
        Pending::In(path) => {
            let path = view.meant(path, |path| stage.core.documents.real_path(path));
            let mut files = view.files.iter().filter(|file| file.path == path).peekable();
            if files.peek().is_none() {
                // The desk says that nothing is pending there.
                return Ok(Target::File(path));
            }
            Ok(stage.shown.target(files))
        }
        Pending::Beside(path) => {
            let path = view.meant(path, |path| stage.core.documents.real_path(path));
            let mut files = view.files.iter().filter(|file| file.path == path && file.whole.is_some());
            let shown = files.find_map(|file| stage.shown.whole(&path, &file.session));
            shown.ok_or_else(|| {
                let message =
                    format!("Nothing beside its text is pending in {path}, or it was not shown yet");
                refused("notShown", message, "Ask for `copydesk/proposal/list`, then decide.")
            })
        }
        Pending::Everywhere => Ok(stage.shown.target(&view.files)),
    }
}

/// With the revision that was shown, if none was named.
fn known(shown: &ShownSoFar, hunk: HunkRef, is_pending: impl Fn(&HunkId) -> bool) -> Result<Target> {
    let revision = hunk.revision.or_else(|| shown.revision(&hunk.id));
    if revision.is_none() && is_pending(&hunk.id) {
        let message = format!("The change `{}` was not shown to this client yet", hunk.id.0);
        let hint = "Ask for `copydesk/proposal/list`, then decide; or name the `revision` that was shown.";
        return Err(refused("notShown", message, hint));
    }
    Ok(Target::Hunk(HunkRef { revision, ..hunk }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_that_nobody_was_shown_needs_its_revision_named() {
        let decided = |revision, is_pending| {
            let hunk = HunkRef { id: HunkId("h_1".to_owned()), revision };
            known(&ShownSoFar::default(), hunk, |_| is_pending).map_err(|error| error.message.into_owned())
        };
        let named = |revision| Ok(Target::Hunk(HunkRef { id: HunkId("h_1".to_owned()), revision }));
        assert_eq!(decided(Some(2), true), named(Some(2)));
        assert_eq!(decided(None, false), named(None), "the desk says that there is none");
        assert_eq!(decided(None, true), Err("The change `h_1` was not shown to this client yet".to_owned()));
    }
}
