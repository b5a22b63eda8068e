//! What a command changed in the trial tree, as proposals for the user to decide on.

mod whole;

use super::super::{ToolUseContext, proposing};
use super::extents::Extents;
use super::views::Views;
use crate::documents::{AbsPath, Place, Text, text_of};
use crate::permissions::{ChangeVerdict, decide_change};
use crate::review::{Proposal, ProposeError, Proposed, Reason, WholeFile};
use crate::shell::{ChangeKind, LARGEST_KEPT, TreeChange, Whole};

/// What became of one change.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Told {
    pub(super) path: String,
    pub(super) what: What,
    /// Only the person can accept it, for this reason.
    pub(super) must_ask: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    Created(Proposed),
    Changed(Proposed),
    Deleted(Proposed),
    /// It waits for the person as a whole, or its permissions do.
    Whole(WholeFile),
    /// What was pending is undone.
    AsOnDisk,
    /// Why, for the model and for the person.
    NotProposed(String),
}

/// Puts each change on the desk, if the rules let it be made; `summary` says what `command` was for.
/// `unfinished`: why the command may have left things half done.
pub(super) async fn propose(
    context: &ToolUseContext,
    views: &Views,
    (command, summary): (&str, &str),
    changes: &[TreeChange],
    unfinished: Option<&str>,
) -> Vec<Told> {
    let extents = Extents::of(views, command, changes);
    let mut told = Vec::new();
    for change in changes {
        let Some(path) = AbsPath::new(&change.path) else { continue };
        let mut reason = proposing::reason(context, summary.to_owned());
        reason.must_ask = unfinished.map(str::to_owned);
        let verdict = match &change.kind {
            ChangeKind::Written(_)
            | ChangeKind::Bytes(_)
            | ChangeKind::Deleted
            | ChangeKind::Mode(_)
            | ChangeKind::UsualMode => {
                // What is judged from here on is the path itself, and it is opened through no link.
                if Place::of(path.clone()).is_led() {
                    let what = What::NotProposed(led(&path, &change.kind));
                    told.push(Told { path: context.workspace.display(&path), what, must_ask: None });
                    continue;
                }
                decide_change(&path, &context.policy)
            }
            // These are never proposed.
            ChangeKind::Whole { .. } | ChangeKind::Overtaken | ChangeKind::Repository => ChangeVerdict::Free,
        };
        let denied = match verdict {
            ChangeVerdict::Free => None,
            ChangeVerdict::Asked(why) => {
                reason.must_ask = Some(why);
                None
            }
            ChangeVerdict::Denied(why) => {
                Some(What::NotProposed(format!("undone. {}", why.trim_end_matches('.'))))
            }
        };
        let must_ask = reason.must_ask.clone();
        let what = match (&change.kind, denied) {
            (_, Some(denied)) => denied,
            (ChangeKind::Written(bytes), None) => {
                let base = views.before(change);
                let (what, form) = written(context, reason, (&path, bytes), base, &extents).await;
                if let Some(what) = form {
                    told.push(Told { path: context.workspace.display(&path), what, must_ask: None });
                }
                what
            }
            (ChangeKind::Bytes(made), None) => whole::made(context, reason, &path, made).await,
            (ChangeKind::Deleted, None) => deleted(context, views, reason, &path).await,
            (ChangeKind::Mode(mode), None) => whole::mode(context, reason, &path, Some(*mode)).await,
            (ChangeKind::UsualMode, None) => whole::mode(context, reason, &path, None).await,
            (ChangeKind::Whole { what, size }, None) => What::NotProposed(not_kept(*what, *size)),
            (ChangeKind::Overtaken, None) => What::NotProposed(
                "the user changed the file while the command ran: run the command again if it is still wanted"
                    .to_owned(),
            ),
            (ChangeKind::Repository, None) => What::NotProposed(
                "the repository itself can't be changed from here, so this was undone; what was done with git is gone"
                    .to_owned(),
            ),
        };
        let path = context.workspace.display(&path);
        let is_more = |last: &mut Told| last.path == path && matches!(last.what, What::Whole(_));
        if matches!(what, What::Whole(_)) {
            // What waits for the person now has all of it.
            told.pop_if(is_more);
        }
        told.push(Told { path, what, must_ask });
    }
    told
}

/// What became of the text that was made of `base`, and what is to be said besides of the bytes that it is written in.
async fn written(
    context: &ToolUseContext,
    reason: Reason,
    (path, bytes): (&AbsPath, &[u8]),
    base: Option<Text>,
    extents: &Extents,
) -> (What, Option<What>) {
    let Some(text) = text_of(bytes).filter(|_| !whole::is_no_text(context, path)) else {
        return (whole::written(context, reason, path, bytes).await, None);
    };
    // A text keeps the encoding of its file, and a new one has none of its own.
    let keeps_form = context.documents.bytes_of(path, &text) == bytes;
    // What the user typed since then is merged in.
    let is_new = base.is_none();
    let extent = extents.at(path, is_new);
    if !keeps_form && base.as_ref() == Some(&text) {
        let why = "only its byte order mark or its encoding was changed, which can't be proposed";
        return (What::NotProposed(why.to_owned()), None);
    }
    let form = if is_new {
        "it will be UTF-8 without a byte order mark, which is not what the command wrote"
    } else {
        "its byte order mark or its encoding was changed too, which can't be proposed: it keeps the one it has"
    };
    let form = (!keeps_form).then(|| What::NotProposed(form.to_owned()));
    let content = text.to_string();
    let make = Box::new(move |view: &crate::review::AgentView| match (&view.text, base) {
        (None, Some(_)) => Err("the file was deleted meanwhile".to_owned()),
        (now, base) => {
            Ok(Proposal::Made { content, from: base.or_else(|| same(now.as_ref(), &text)), extent })
        }
    });
    let what = match context.desk.propose(&context.session, path, reason, make).await {
        Ok(proposed) if is_new => What::Created(proposed),
        Ok(proposed) => {
            proposing::began(context, path, &proposed);
            What::Changed(proposed)
        }
        Err(error) => refused(error),
    };
    (what, form)
}

/// Somebody may have made the file meanwhile, just as the command did.
fn same(now: Option<&Text>, text: &Text) -> Option<Text> {
    now.filter(|now| *now == text).cloned()
}

async fn deleted(context: &ToolUseContext, views: &Views, reason: Reason, path: &AbsPath) -> What {
    let is_made_whole = views.is_whole(path) && !path.as_path().exists();
    if is_made_whole || whole::is_no_text(context, path) {
        return whole::deleted(context, reason, path).await;
    }
    let make = Box::new(|_: &crate::review::AgentView| Ok(Proposal::Delete));
    match context.desk.propose(&context.session, path, reason, make).await {
        Ok(proposed) => What::Deleted(proposed),
        Err(error) => refused(error),
    }
}

/// Why nothing is proposed at a path where the workspace has a link.
fn led(path: &AbsPath, kind: &ChangeKind) -> String {
    let is_itself = path.as_path().is_symlink();
    match kind {
        ChangeKind::Deleted if is_itself => {
            "deleted, which can't be proposed of a symbolic link: it stays as it is for the user".to_owned()
        }
        _ if is_itself => {
            "made a file in the place of a symbolic link, which can't be proposed: it is there for the next command only"
                .to_owned()
        }
        _ => "not proposed: a symbolic link is in the way, so this would be another file".to_owned(),
    }
}

fn refused(error: ProposeError) -> What {
    let why = proposing::refused(error).0;
    What::NotProposed(format!("not proposed: {}", why.trim_end_matches('.')))
}

fn not_kept(what: Whole, size: u64) -> String {
    let kind = match what {
        Whole::Huge => {
            return format!(
                "{size} bytes, and {LARGEST_KEPT} are the most that can be proposed: it is there for the next command only"
            );
        }
        Whole::Link => "a symbolic link",
        Whole::Special => "a pipe, socket or device",
        Whole::Deep => {
            return "this folder lies in so many others that nothing in it can be proposed".to_owned();
        }
        Whole::OddName => return "its name is not UTF-8, so nothing of it can be proposed".to_owned(),
    };
    format!("{kind}, which can't be proposed: it is there for the next command only")
}
