//! A workspace on disk and a shell for it.

use std::fs;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use copydesk::config::TrialTreeChoice;
use copydesk::shell::{
    Best, Caps, FileContent, FileView, How, Limits, Network, Outcome, Request, Sandbox, Shell, ShellSettings,
    Task, TextRule, Times,
};

pub(crate) struct Place {
    _folder: tempfile::TempDir,
    pub(crate) base: Utf8PathBuf,
    /// The workspace.
    pub(crate) root: Utf8PathBuf,
    pub(crate) shell: Arc<Shell>,
}

impl Place {
    /// Whether commands have another folder in the place of the one that all of this lies in: what is written there goes
    /// nowhere, and is not refused.
    pub(crate) fn is_in_temporary(&self) -> bool {
        ["/tmp", "/var/tmp"].iter().any(|temporary| self.base.starts_with(temporary))
    }

    /// A workspace of these files, in a home of its own.
    pub(crate) fn with(files: &[(&str, &str)], settings: impl FnOnce(&Utf8Path) -> ShellSettings) -> Self {
        // Not in `/tmp`, which commands have of their own, unless all of the project lies there.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let base = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        let root = base.join("ws");
        fs::create_dir(&root).unwrap();
        for (name, text) in files {
            write(&root.join(name), text);
        }
        let shell = Shell::new(Arc::new(settings(&base)), vec![root.clone()], base.join("state/s_1"));
        Self { _folder: folder, base, root, shell: Arc::new(shell) }
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        write(&self.root.join(name), text);
    }

    pub(crate) fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.root.join(name)).ok()
    }

    pub(crate) fn view(&self, name: &str, text: Option<&str>) -> FileView {
        let content = text.map_or(FileContent::Absent, |text| FileContent::Bytes(text.as_bytes().to_vec()));
        FileView { path: self.root.join(name), content, mode: None }
    }

    pub(crate) async fn start(&self, command: &str, views: Vec<FileView>) -> Arc<Task> {
        self.shell.start(request(command, views)).await.expect("it starts")
    }

    /// Runs to the end: what it wrote, and what came of it.
    pub(crate) async fn run(&self, command: &str, views: Vec<FileView>) -> (String, Arc<Outcome>) {
        let task = self.start(command, views).await;
        let outcome = task.ended().await;
        (task.shown(30_000).text, outcome)
    }
}

pub(crate) fn request(command: &str, views: Vec<FileView>) -> Request {
    Request {
        id: format!("toolu_{}", uuid::Uuid::new_v4().simple()),
        text: command.to_owned(),
        views,
        hidden: Vec::new(),
        sandbox: Sandbox::Walled,
    }
}

pub(crate) fn settings(base: &Utf8Path) -> ShellSettings {
    ShellSettings {
        program: env!("CARGO_BIN_EXE_copydesk").into(),
        home: Some(base.join("home")),
        own: vec![base.join("config")],
        writable: Vec::new(),
        pass_through: Vec::new(),
        passed: Vec::new(),
        network: Network::None,
        times: Times::default(),
        limits: Limits::default(),
        caps: Caps::default(),
        text: TextRule {
            largest: 50 << 20,
            is_text: |bytes| std::str::from_utf8(bytes).is_ok() && !bytes.contains(&0),
        },
        trial_tree: TrialTreeChoice::Auto,
        best: Best::ALL,
        largest_copy: 1 << 30,
    }
}

pub(crate) fn write(path: &Utf8Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

pub(crate) fn code(outcome: &Outcome) -> i32 {
    match &outcome.how {
        How::Exited(exit) => exit.code(),
        other => panic!("{other:?}"),
    }
}

/// Whether a process with exactly these words runs anywhere on this machine.
pub(crate) fn is_running(words: &str) -> bool {
    let wanted: Vec<u8> = words.split(' ').flat_map(|word| [word.as_bytes(), b"\0"].concat()).collect();
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    processes
        .map(|entry| entry.path().join("cmdline"))
        .any(|path| fs::read(path).is_ok_and(|line| line == wanted))
}
