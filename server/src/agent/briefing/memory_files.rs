//! Files in which a project tells agents how to work there: `CLAUDE.md` and `AGENTS.md` of the workspace's roots.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::context::{MemoryFile, user_context};
use crate::documents::{AbsPath, FileStateCache, Snapshot, Workspace};

const NAMES: [&str; 2] = ["CLAUDE.md", "AGENTS.md"];

/// What the model was last told of each file and of the date. One for each session.
#[derive(Debug, Default)]
pub(in crate::agent) struct MemoryFiles {
    told: Mutex<Told>,
}

#[derive(Debug, Default)]
struct Told {
    texts: BTreeMap<AbsPath, String>,
    date: String,
}

impl MemoryFiles {
    /// All of them as they are now, and the date, in the words that stand before a conversation.
    pub(in crate::agent) async fn tell(
        &self,
        workspace: &Arc<Workspace>,
        documents: &Arc<FileStateCache>,
        most_chars: usize,
        date: String,
    ) -> String {
        let (of, now) = (workspace.clone(), documents.clone());
        let reading = tokio::task::spawn_blocking(move || memory_texts(&of, &now, most_chars));
        let texts = reading.await.unwrap_or_default();
        let files: Vec<MemoryFile> = texts
            .iter()
            .map(|(path, text)| MemoryFile { name: workspace.display(path), text: text.clone() })
            .collect();
        let words = user_context(&files, &date);
        *self.lock() = Told { texts, date };
        words
    }

    /// What has changed since: a text for each file, and one for a new day. `now`: what the files say.
    pub(in crate::agent) fn changes(
        &self,
        workspace: &Workspace,
        now: BTreeMap<AbsPath, String>,
        date: &str,
    ) -> MemoryChanges {
        let mut told = self.lock();
        let gone = told.texts.keys().filter(|path| !now.contains_key(*path));
        let gone =
            gone.map(|path| format!("{} is gone: what it said no longer holds.", workspace.display(path)));
        let changed = now.iter().filter(|(path, text)| told.texts.get(*path) != Some(*text));
        let changed = changed.map(|(path, text)| {
            format!("{} has changed. From now on this holds:\n{text}", workspace.display(path))
        });
        let files = gone.chain(changed).collect();
        let new_day = told.date != date && !told.date.is_empty();
        *told = Told { texts: now, date: date.to_owned() };
        MemoryChanges { files, date: new_day.then(|| format!("It is {date} by now.")) }
    }

    fn lock(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::agent) struct MemoryChanges {
    pub(in crate::agent) files: Vec<String>,
    pub(in crate::agent) date: Option<String>,
}

/// What the files say now, by real path, so that a link and its target are told once. What can't be read says nothing. It
/// reads the disk.
pub(in crate::agent) fn memory_texts(
    workspace: &Workspace,
    documents: &FileStateCache,
    most_chars: usize,
) -> BTreeMap<AbsPath, String> {
    let files = existing_files(workspace, documents);
    texts(files.iter().filter_map(|path| documents.snapshot(path).ok()), most_chars)
}

/// The same where no file has to be read for it.
pub(in crate::agent) fn unread_memory_texts(
    workspace: &Workspace,
    documents: &FileStateCache,
    most_chars: usize,
) -> Option<BTreeMap<AbsPath, String>> {
    let files = existing_files(workspace, documents);
    let known: Option<Vec<Snapshot>> = files.iter().map(|path| documents.unread(path)?.ok()).collect();
    Some(texts(known?, most_chars))
}

/// Those of the files of instructions that there are, by the real paths that they were judged by.
fn existing_files(workspace: &Workspace, documents: &FileStateCache) -> Vec<AbsPath> {
    // Asked before every request, and mostly there is none: then the way to it need not be followed.
    let is_there = |path: &AbsPath| documents.is_open(path) || path.as_path().symlink_metadata().is_ok();
    let roots = workspace.real_roots();
    let names = NAMES.iter().flat_map(|name| roots.iter().map(move |root| root.join(name)));
    let real = names.filter(is_there).map(|path| documents.real_path(&path));
    real.filter(|real| workspace.holds(real)).collect()
}

fn texts(files: impl IntoIterator<Item = Snapshot>, most_chars: usize) -> BTreeMap<AbsPath, String> {
    files
        .into_iter()
        .map(|snapshot| (snapshot.path, cut(&snapshot.text.to_string(), most_chars)))
        .filter(|(_, text)| !text.trim().is_empty())
        .collect()
}

fn cut(text: &str, most_chars: usize) -> String {
    match text.char_indices().nth(most_chars) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}\n[… cut here: it is longer]", text.get(..at).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::fixture::Fixture;

    const MOST: usize = 40;

    fn told(fixture: &Fixture, files: &MemoryFiles, date: &str) -> MemoryChanges {
        let now = memory_texts(&fixture.workspace, &fixture.documents, MOST);
        files.changes(&fixture.workspace, now, date)
    }

    #[tokio::test]
    async fn what_changes_is_told_once() {
        let fixture = Fixture::new(&[("CLAUDE.md", "Be kind.\n")]);
        let files = MemoryFiles::default();
        let words = files.tell(&fixture.workspace, &fixture.documents, MOST, "2026-03-01".into()).await;
        assert!(
            words.contains("Be kind.") && words.contains("CLAUDE.md") && words.contains("2026-03-01"),
            "{words}"
        );
        assert_eq!(told(&fixture, &files, "2026-03-01"), MemoryChanges::default());

        fixture.write("CLAUDE.md", "Be brief.\n");
        fixture.write("AGENTS.md", &"long ".repeat(20));
        let changes = told(&fixture, &files, "2026-03-02");
        assert_eq!(
            changes.files,
            [
                format!(
                    "AGENTS.md has changed. From now on this holds:\n{}\n[… cut here: it is longer]",
                    "long ".repeat(8)
                ),
                "CLAUDE.md has changed. From now on this holds:\nBe brief.\n".to_owned(),
            ]
        );
        assert_eq!(changes.date.as_deref(), Some("It is 2026-03-02 by now."));
        assert_eq!(told(&fixture, &files, "2026-03-02"), MemoryChanges::default());

        std::fs::remove_file(fixture.path("CLAUDE.md").as_path()).unwrap();
        let changes = told(&fixture, &files, "2026-03-02");
        assert_eq!(changes.files, ["CLAUDE.md is gone: what it said no longer holds."]);
    }

    #[tokio::test]
    async fn unsaved_text_counts_and_a_link_to_elsewhere_does_not() {
        let fixture = Fixture::new(&[("AGENTS.md", "On disk.\n")]);
        fixture.open("AGENTS.md", "In the editor.\n");
        #[cfg(unix)]
        {
            std::fs::write(fixture.outside("secret.md").as_path(), "secret").unwrap();
            std::os::unix::fs::symlink(
                fixture.outside("secret.md").as_path(),
                fixture.path("CLAUDE.md").as_path(),
            )
            .unwrap();
        }
        let files = MemoryFiles::default();
        let words = files.tell(&fixture.workspace, &fixture.documents, MOST, "2026-03-01".into()).await;
        assert!(words.contains("In the editor.") && !words.contains("secret"), "{words}");
    }
}
