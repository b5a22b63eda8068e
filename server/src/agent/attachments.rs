//! What the model is told between rounds of what the person did, once and net.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use super::briefing::{MemoryChanges, memory_texts, unread_memory_texts};
use super::outbox::{attachment, notice};
use super::session_context::SessionContext;
use super::state::RoundContext;
use crate::config::ContextNumber;
use crate::conversation::{AttachmentKind, Message};
use crate::documents::{AbsPath, Begun, ReadError, Text, Workspace};
use crate::review::{HalfMove, Told, ToldWhat, unified_diff};

/// The text of each file when the model was last told of a change there. One for each session.
#[derive(Debug, Default)]
pub(super) struct Noticed {
    files: Mutex<HashMap<AbsPath, Option<Text>>>,
}

/// The time for which files are looked at here; those that are left then go to another thread.
const LOOK_HERE: Duration = Duration::from_micros(200);

/// The longest diff of a changed file.
pub(super) const DIFF_LINES: usize = 60;

/// What came up since the last time: decisions on the agent's changes, and changes of files that it has seen, of the
/// project's instructions, and of the date. What takes too long to find out is told the next time.
pub(super) async fn collect(
    context: &RoundContext,
    noticed: &Noticed,
    session: &SessionContext,
    at: SystemTime,
) -> Vec<Message> {
    let deadline =
        Instant::now() + Duration::from_millis(session.settings.number(ContextNumber::AttachmentsMs));
    let most_chars = session.settings.size(ContextNumber::MemoryFileChars);
    // Beside each other: the model waits for the slower of them, not for their sum.
    let (mut told, looked) = tokio::join!(
        context.desk.take_told(&context.session),
        in_time_or_nothing(deadline, look(context, most_chars)),
    );
    let mut memory = MemoryChanges::default();
    if let Some(Some(Looked { same, memory_texts })) = looked {
        memory = session.memory_changes(&context.workspace, memory_texts, at);
        in_time_or_nothing(deadline, notice_changes(context, noticed, &same, &mut told)).await;
    }
    let memory_file = |text| attachment(at, AttachmentKind::MemoryFile, text);
    let commands = context.shell.take_notices().into_iter();
    let commands = commands.flat_map(|told| {
        let notes = told.notes.into_iter().map(|note| notice(at, &note));
        notes.chain([attachment(at, AttachmentKind::TaskStatus, told.text)]).collect::<Vec<_>>()
    });
    let date = memory.date.map(|text| attachment(at, AttachmentKind::DateChange, text));
    let memory = memory.files.into_iter().map(memory_file).chain(date);
    of_told(&told, &context.workspace, at).into_iter().chain(commands).chain(memory).collect()
}

/// Adds what changed in files that were seen, but for those that say the `same`.
async fn notice_changes(
    context: &RoundContext,
    noticed: &Noticed,
    same: &HashSet<AbsPath>,
    told: &mut Vec<Told>,
) {
    let is_told = |told: &[Told], path: &AbsPath| told.iter().any(|told| told.path == *path);
    for (path, Begun { seen, on }) in context.seen.take_begun() {
        let before = noticed.put(path.clone(), Some(on.clone()), seen);
        let change = difference(before.as_ref(), Some(&on)).map(|diff| Told {
            path,
            what: ToldWhat::FileChanged { by: "the user or another program", diff },
        });
        told.splice(0..0, change);
    }
    for path in context.seen.paths() {
        if same.contains(&path) && !is_told(told, &path) {
            continue;
        }
        let (now, drafted) = match context.desk.agent_view(&context.session, &path).await {
            Ok(view) => (view.text, view.drafted),
            Err(ReadError::Missing { .. }) => (None, false),
            Err(_) => continue,
        };
        let Some(seen) = context.seen.get(&path) else { continue };
        if is_told(told, &path) {
            noticed.put(path, now, seen.text);
        } else if !drafted && now.as_ref() != Some(&seen.text) {
            // Where the agent has changes of its own, the desk tells what others change.
            let before = noticed.put(path.clone(), now.clone(), seen.text);
            told.extend(difference(before.as_ref(), now.as_ref()).map(|diff| Told {
                path,
                what: ToldWhat::FileChanged { by: "the user or another program", diff },
            }));
        }
    }
}

/// What the disk and the editor say.
struct Looked {
    /// The seen files that say what was seen; the desk is asked of each of the others.
    same: HashSet<AbsPath>,
    memory_texts: BTreeMap<AbsPath, String>,
}

/// Looks at all files: here as long as they did not change and it takes no time to speak of, at the rest of them in one go
/// on a thread that may wait for the disk. To go there and come back takes longer than to look at most files.
async fn look(context: &RoundContext, most_chars: usize) -> Option<Looked> {
    let (seen, documents, workspace) =
        (context.seen.clone(), context.documents.clone(), context.workspace.clone());
    let begun = std::time::Instant::now();
    let (mut same, mut rest) = (HashSet::new(), Vec::new());
    for path in seen.paths() {
        let unread = if begun.elapsed() < LOOK_HERE { documents.unread(&path) } else { None };
        match unread {
            None => rest.push(path),
            Some(Ok(now)) if seen.still_says(&path, &now.text) == Some(true) => {
                same.insert(path);
            }
            Some(_) => {}
        }
    }
    let unread = unread_memory_texts(&workspace, &documents, most_chars);
    if let Some(memory_texts) = unread.filter(|_| rest.is_empty()) {
        return Some(Looked { same, memory_texts });
    }
    let looking = tokio::task::spawn_blocking(move || {
        let says_the_same = |path: &AbsPath| {
            documents.snapshot(path).is_ok_and(|now| seen.still_says(path, &now.text) == Some(true))
        };
        same.extend(rest.into_iter().filter(says_the_same));
        Looked { same, memory_texts: memory_texts(&workspace, &documents, most_chars) }
    });
    looking.await.ok()
}

async fn in_time_or_nothing<T>(deadline: Instant, work: impl Future<Output = T>) -> Option<T> {
    let done = tokio::time::timeout_at(deadline, work).await.ok();
    if done.is_none() {
        tracing::warn!("looking for changes takes too long: some are told later");
    }
    done
}

fn difference(before: Option<&Text>, now: Option<&Text>) -> Option<String> {
    match (before, now) {
        (Some(before), Some(now)) => unified_diff(before, now, DIFF_LINES),
        (Some(_), None) => Some("It was deleted.".to_owned()),
        (None, Some(_)) => Some("It was deleted and is there again: read it.".to_owned()),
        (None, None) => None,
    }
}

impl Noticed {
    /// Gives what was noticed before; the first time, that is what was seen.
    fn put(&self, path: AbsPath, now: Option<Text>, seen: Text) -> Option<Text> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).insert(path, now).unwrap_or(Some(seen))
    }
}

/// All decisions as one attachment, then each change of a file as one of its own.
fn of_told(told: &[Told], workspace: &Workspace, at: SystemTime) -> Vec<Message> {
    let lines: Vec<(AttachmentKind, String)> =
        told.iter().map(|told| said(&workspace.display(&told.path), &told.what, workspace)).collect();
    let of_kind =
        |wanted| lines.iter().filter(move |(kind, _)| *kind == wanted).map(|(_, text)| text.clone());
    let decisions: Vec<String> = of_kind(AttachmentKind::Decisions).collect();
    let decided = (!decisions.is_empty()).then(|| {
        let text = format!("What became of changes you proposed:\n{}", decisions.join("\n"));
        attachment(at, AttachmentKind::Decisions, text)
    });
    let changed =
        of_kind(AttachmentKind::FileChanged).map(|text| attachment(at, AttachmentKind::FileChanged, text));
    decided.into_iter().chain(changed).collect()
}

fn said(name: &str, what: &ToldWhat, workspace: &Workspace) -> (AttachmentKind, String) {
    let decision = |text| (AttachmentKind::Decisions, text);
    let change = |text| (AttachmentKind::FileChanged, text);
    match what {
        ToldWhat::Accepted { summary } => decision(format!("- accepted in {name}: {summary}")),
        ToldWhat::AcceptedOver { summary, mine, by_others } => {
            let whose = if *by_others { "text that came in meanwhile" } else { "the user's text" };
            decision(format!(
                "- accepted in {name}, over {whose}: {summary}\n  What was there instead{}",
                quoted(mine)
            ))
        }
        ToldWhat::AcceptedByHand { summary } => {
            decision(format!("- made by hand, as you proposed it, in {name}: {summary}"))
        }
        ToldWhat::Rejected { summary, reason, text, half } => {
            let reason = reason.as_ref().map(|reason| format!("\n  The user's reason: {reason}"));
            let text = Some(text).filter(|text| !text.trim().is_empty());
            let text = text.map(|text| format!("\n  The file does not have this text:\n{}", indented(text)));
            let half = half.map_or("", |half| match half {
                HalfMove::Twice => "\n  The lines were to be moved: where they would go is pending still, so your text has them twice now.",
                HalfMove::Nowhere => "\n  The lines were to be moved: that they go is pending still, so your text has them nowhere now.",
            });
            decision(format!(
                "- REJECTED in {name}: {summary}{}{}{half}",
                reason.unwrap_or_default(),
                text.unwrap_or_default()
            ))
        }
        ToldWhat::Amended { summary, diff } => decision(format!(
            "- put in other words by the user, and pending still, in {name}: {summary}\n{}",
            indented(diff)
        )),
        ToldWhat::Altered { summary, diff } => decision(format!(
            "- accepted with the user's own changes in {name}: {summary}\n{}",
            indented(diff)
        )),
        ToldWhat::Undone { summary } => decision(format!(
            "- taken back after it had been accepted, so pending again, in {name}: {summary}"
        )),
        ToldWhat::Conflicted { summary, mine, agents, amended, by_others } => {
            let (with, theirs) = if *by_others {
                ("text that came in meanwhile", "The text there now")
            } else {
                ("what the user wrote meanwhile", "The user's text")
            };
            let yours = if *amended { "Yours, as the user put it" } else { "Yours" };
            decision(format!(
                "- in CONFLICT with {with} in {name}: {summary}\n  {theirs}{}\n  {yours}{}",
                quoted(mine),
                quoted(agents)
            ))
        }
        ToldWhat::Overtaken { summary } => decision(format!(
            "- in CONFLICT with the disk in {name}, where the file is not the one any more that your command began from, so it \
             can't be accepted: {summary}\n  Run the command again if it is still wanted."
        )),
        ToldWhat::FileChanged { by, diff } => change(format!(
            "{name} was changed by {by} since you last saw it. The change is meant: do not undo it.\n{diff}"
        )),
        ToldWhat::FileRenamed { to } => {
            change(format!("{name} was renamed to {}: use the new name.", workspace.display(to)))
        }
    }
}

fn quoted(text: &str) -> String {
    if text.is_empty() {
        ": nothing, the lines are deleted".to_owned()
    } else {
        format!(":\n{}", indented(text))
    }
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("    {line}")).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;
    use crate::documents::AbsPath;

    #[track_caller]
    fn check(whats: Vec<ToldWhat>, want: &[&str]) {
        let root = AbsPath::new("/w").unwrap();
        let told: Vec<Told> = whats.into_iter().map(|what| Told { path: root.join("a.rs"), what }).collect();
        let workspace = Workspace::new(vec![root], false);
        let texts: Vec<String> = of_told(&told, &workspace, UNIX_EPOCH)
            .into_iter()
            .map(|message| match message {
                Message::Attachment(attachment) => attachment.text.clone(),
                other => panic!("no attachment: {other:?}"),
            })
            .collect();
        assert_eq!(texts, want);
    }

    #[test]
    fn decisions_come_together() {
        let summary = "rename load to open".to_owned();
        check(
            vec![
                ToldWhat::Accepted { summary: summary.clone() },
                ToldWhat::Rejected {
                    summary,
                    reason: Some("too long".into()),
                    text: "fn open_it() {}\n".into(),
                    half: None,
                },
            ],
            &["What became of changes you proposed:\n\
               - accepted in a.rs: rename load to open\n\
               - REJECTED in a.rs: rename load to open\n  The user's reason: too long\n  \
               The file does not have this text:\n    fn open_it() {}"],
        );
    }

    #[test]
    fn both_texts_of_a_conflict_are_told_and_what_is_deleted_as_such() {
        let (summary, agents) = ("add a guard".to_owned(), "if a {}\n".to_owned());
        check(
            vec![ToldWhat::Conflicted {
                summary,
                mine: String::new(),
                agents,
                amended: false,
                by_others: false,
            }],
            &["What became of changes you proposed:\n\
               - in CONFLICT with what the user wrote meanwhile in a.rs: add a guard\n  \
               The user's text: nothing, the lines are deleted\n  Yours:\n    if a {}"],
        );
    }

    #[test]
    fn what_an_accept_went_over_is_told() {
        let over = |by_others| ToldWhat::AcceptedOver {
            summary: "add a guard".to_owned(),
            mine: "if b {}\n".to_owned(),
            by_others,
        };
        check(
            vec![over(false), over(true)],
            &["What became of changes you proposed:\n\
               - accepted in a.rs, over the user's text: add a guard\n  What was there instead:\n    if b {}\n\
               - accepted in a.rs, over text that came in meanwhile: add a guard\n  What was there instead:\n    \
               if b {}"],
        );
    }

    #[test]
    fn a_conflict_with_another_sessions_text_is_none_with_the_users() {
        let conflict = ToldWhat::Conflicted {
            summary: "add a guard".to_owned(),
            mine: "if b {}\n".to_owned(),
            agents: "if a {}\n".to_owned(),
            amended: true,
            by_others: true,
        };
        check(
            vec![conflict],
            &["What became of changes you proposed:\n\
               - in CONFLICT with text that came in meanwhile in a.rs: add a guard\n  The text there now:\n    \
               if b {}\n  Yours, as the user put it:\n    if a {}"],
        );
    }

    #[test]
    fn each_changed_file_comes_alone_and_nothing_told_is_nothing_said() {
        check(
            vec![ToldWhat::FileChanged { by: "the user", diff: "@@ -1 +1 @@\n-a\n+b".into() }],
            &["a.rs was changed by the user since you last saw it. The change is meant: do not undo it.\n\
               @@ -1 +1 @@\n-a\n+b"],
        );
        check(Vec::new(), &[]);
    }
}
