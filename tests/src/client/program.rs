//! The program under test as a process, in a home of its own: no setting, key or log of this machine gets in or out.

use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::mpsc;

use super::{DEADLINE, wire};

/// A key that opens nothing.
pub const FAKE_KEY: &str = "sk-ant-FAKE-0123456789abcdef";

/// A home folder with a project in it.
pub struct Home {
    folder: TempDir,
    /// Variables of the program's environment.
    pub environment: Vec<(String, String)>,
    /// The file that takes the server's standard error; `None`: it is this test's.
    pub errors: Option<PathBuf>,
}

/// A running program.
pub struct Program {
    child: Child,
    input: Option<ChildStdin>,
}

impl Default for Home {
    fn default() -> Self {
        Self::new()
    }
}

impl Home {
    pub fn new() -> Self {
        Self::below(&std::env::temp_dir())
    }

    /// In a folder that lives as long, made below this one.
    pub fn below(folder: &Path) -> Self {
        let folder = tempfile::tempdir_in(folder).expect("a temporary folder");
        std::fs::create_dir(folder.path().join("project")).expect("a project folder");
        Self { folder, environment: Vec::new(), errors: None }
    }

    /// The program asks the Anthropic model at `url` from now on, with the fake key.
    pub fn asks(&mut self, url: &str) {
        let variables = [("ANTHROPIC_API_KEY", FAKE_KEY), ("ANTHROPIC_BASE_URL", url)];
        self.environment.extend(variables.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    /// The project, or a file of it.
    pub fn path(&self, file: &str) -> PathBuf {
        // The system's temporary folder may be a link, and the server names real paths.
        let project = self.folder.path().canonicalize().expect("it is there").join("project");
        if file.is_empty() { project } else { project.join(file) }
    }

    /// Where the program keeps its log.
    pub fn state(&self) -> PathBuf {
        self.folder.path().join("state").join("copydesk")
    }

    /// The `file:` URI of a file of the project.
    pub fn uri(&self, file: &str) -> String {
        let path = self.path(file);
        format!("file://{}", path.to_str().expect("UTF-8").replace(' ', "%20"))
    }

    /// Writes a file of the project.
    pub fn write(&self, file: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, bytes).expect("written");
    }

    /// `arguments` of the program, to be run in the project.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let home = self.folder.path();
        let mut command = Command::new(binary());
        command
            .args(arguments)
            .current_dir(self.path(""))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home)
            .env("XDG_STATE_HOME", home.join("state"))
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("XDG_CACHE_HOME", home.join("cache"))
            .env("XDG_DATA_HOME", home.join("data"))
            // What happens to listen on this machine has no say in a test.
            .env("COPYDESK_DETECT_LOCAL", "false")
            .envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }
}

impl Program {
    /// Starts the server. What it sends comes out of the receiver, which ends with it.
    pub(super) fn start(home: &Home) -> (Self, mpsc::UnboundedReceiver<Value>) {
        let mut command = home.command(&["--stdio"]);
        let errors = home.errors.as_ref().map(|file| std::fs::File::create(file).expect("made"));
        let errors = errors.map_or_else(Stdio::inherit, Stdio::from);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors);
        let mut child = command.spawn().expect("the program starts");
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, messages) = mpsc::unbounded_channel();
        std::thread::spawn(move || {
            while let Some(message) = wire::read(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take();
        (Self { child, input }, messages)
    }

    /// A program that has ended takes nothing; then the answer that a test waits for will not come.
    pub(super) fn send(&mut self, message: &Value) {
        if let Some(input) = &mut self.input {
            drop(wire::write(input, message));
        }
    }

    /// `VmRSS` of the process.
    pub(super) fn resident_mib(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
        let kib: f64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
        kib / 1024.0
    }

    pub(super) fn send_raw(&mut self, bytes: &[u8]) {
        if let Some(input) = &mut self.input {
            drop(input.write_all(bytes).and_then(|()| input.flush()));
        }
    }

    pub(super) fn hang_up(&mut self) {
        self.input = None;
    }

    pub(super) async fn exit_code(&mut self) -> i32 {
        let end = async {
            loop {
                if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                    return status.code().expect("no signal ended it");
                }
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(DEADLINE, end).await.expect("the server ends")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The program: `$COPYDESK`, else what was built beside this test.
pub fn binary() -> PathBuf {
    if let Some(named) = std::env::var_os("COPYDESK") {
        return named.into();
    }
    let test = std::env::current_exe().expect("a path");
    let folder = test.parent().and_then(Path::parent).expect("target/debug");
    let binary = folder.join(format!("copydesk{}", std::env::consts::EXE_SUFFIX));
    assert!(binary.exists(), "{} is not there: run `cargo build` first", binary.display());
    binary
}
