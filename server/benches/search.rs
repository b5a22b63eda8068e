//! Grep and Glob over a hundred thousand files, beside `rg` on the same files, where there is one.
//!
//! Each pair is measured in turn, so that what else the machine does falls on both.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use copydesk::config::TrialTreeChoice;
use copydesk::conversation::{SessionId, ToolUseId};
use copydesk::documents::{AbsPath, FileStateCache, Workspace};
use copydesk::editor::{ApplyReply, Editor, EditorFeatures, FileEdit, Loudness, Range};
use copydesk::permissions::{Policy, SessionMode};
use copydesk::review::DeskHandle;
use copydesk::shell::{Best, Caps, Limits, Network, Shell, ShellSettings, TextRule, Times};
use copydesk::tools::{Choice, Chosen, Glob, Grep, Person, Tool, ToolUseContext};
use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

const FILES: usize = 100_000;
const ROUNDS: usize = 7;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list" || argument == "--test") {
        return;
    }
    let measured = measure();
    if let Err(why) = measured {
        report(&format!("search: not measured, {why}"));
    }
}

fn measure() -> Result<(), String> {
    let text = |error: std::io::Error| error.to_string();
    let folder = tempfile::tempdir().map_err(text)?;
    let root = folder.path().canonicalize().map_err(text)?;
    make_files(&root).map_err(text)?;
    let runtime = Runtime::new().map_err(text)?;
    let root = root.to_str().and_then(AbsPath::new).ok_or("the temporary folder has an odd name")?;
    let context = runtime.block_on(async { context(&root) });
    let there_is_rg = Command::new("rg").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !there_is_rg {
        report("search: there is no `rg` to compare with");
    }
    let rare = json!({"pattern": "needle_[0-9]+", "output_mode": "content"});
    let absent = json!({"pattern": "nothing says this"});
    let all = json!({"pattern": "compute", "output_mode": "count"});
    let rows: [(&str, &dyn Tool, Value, &[&str]); 4] = [
        ("Grep, a few lines", &Grep, rare, &["-n", "needle_[0-9]+"]),
        ("Grep, nothing", &Grep, absent, &["-l", "nothing says this"]),
        ("Grep, count of all", &Grep, all, &["-c", "compute"]),
        (
            "Glob, one file in ten",
            &Glob,
            json!({"pattern": "**/*_7.rs"}),
            &["--files", "-uu", "-g", "*_7.rs"],
        ),
    ];
    for (name, tool, input, arguments) in rows {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            ours.push(time(|| {
                black_box(runtime.block_on(tool.call(input.clone(), context.clone())).ok());
            }));
            if there_is_rg {
                theirs.push(time(|| rg(&root, arguments)));
            }
        }
        let (ours, theirs) = (median(ours), median(theirs));
        let beside = theirs.map_or(String::new(), |theirs| {
            let ratio = ours.unwrap_or_default().as_secs_f64() / theirs.as_secs_f64();
            format!(", rg {:.0} ms, {ratio:.2} times", theirs.as_secs_f64() * 1e3)
        });
        report(&format!("{name}: {:.0} ms{beside}", ours.unwrap_or_default().as_secs_f64() * 1e3));
    }
    Ok(())
}

/// Small files as source trees have them, in a thousand folders.
fn make_files(root: &Path) -> std::io::Result<()> {
    let line = |number: usize| format!("    let value_{number:08} = compute({number:06});\n");
    let text: String = (0..40).map(line).collect();
    for folder in 0..FILES / 100 {
        let path = root.join(format!("group_{:03}/part_{folder:04}", folder / 10));
        fs::create_dir_all(&path)?;
        for file in 0..100 {
            let marked = folder % 100 == 0 && file == 50;
            let extra = if marked { format!("fn needle_{folder}() {{}}\n") } else { String::new() };
            fs::write(path.join(format!("file_{file}_{}.rs", file % 10)), format!("{text}{extra}"))?;
        }
    }
    Ok(())
}

fn rg(root: &AbsPath, arguments: &[&str]) {
    let output = Command::new("rg").args(arguments).current_dir(root.as_path()).stdin(Stdio::null()).output();
    black_box(output.ok());
}

fn time(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}

fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort();
    times.get(times.len() / 2).copied()
}

#[allow(clippy::print_stdout, reason = "a benchmark's figures are its output")]
fn report(line: &str) {
    println!("{line}");
}

fn context(root: &AbsPath) -> ToolUseContext {
    let workspace = Arc::new(Workspace::new(vec![root.clone()], false));
    let documents = Arc::new(FileStateCache::new());
    let editor: Arc<dyn Editor> = Arc::new(NoEditor);
    ToolUseContext {
        session: SessionId("s_1".to_owned()),
        tool_use_id: ToolUseId("toolu_1".to_owned()),
        desk: DeskHandle::start(documents.clone(), workspace.clone(), editor.clone()),
        policy: Arc::new(Policy::of(workspace.clone())),
        workspace,
        documents,
        seen: Arc::default(),
        messages: Arc::new([]),
        cancel: tokio_util::sync::CancellationToken::new(),
        mode: SessionMode::default(),
        progress: Arc::new(|_| {}),
        plan: Arc::new(|_| {}),
        person: Arc::new(Nobody),
        editor,
        small_model: None,
        searcher: None,
        shell: Arc::new(shell(root)),
    }
}

/// No command is run here.
fn shell(root: &AbsPath) -> Shell {
    let settings = ShellSettings {
        program: "/nonexistent/copydesk".into(),
        home: None,
        own: Vec::new(),
        writable: Vec::new(),
        pass_through: Vec::new(),
        passed: Vec::new(),
        network: Network::None,
        times: Times::default(),
        limits: Limits::default(),
        caps: Caps::default(),
        text: TextRule { largest: 0, is_text: |_| false },
        trial_tree: TrialTreeChoice::Auto,
        best: Best::ALL,
        largest_copy: 0,
    };
    Shell::new(Arc::new(settings), vec![root.as_path().to_owned()], root.join("state").as_path().to_owned())
}

struct NoEditor;

impl Editor for NoEditor {
    fn features(&self) -> EditorFeatures {
        EditorFeatures::default()
    }

    fn apply_edit(&self, _: FileEdit) -> BoxFuture<'static, ApplyReply> {
        ready(ApplyReply { applied: false, reason: None }).boxed()
    }

    fn show_message(&self, _: Loudness, _: String) {}

    fn show_document(&self, _: String, _: Option<Range>) {}

    fn ask(&self, _: String, _: Vec<String>) -> BoxFuture<'static, Option<String>> {
        ready(None).boxed()
    }
}

struct Nobody;

impl Person for Nobody {
    fn choose(&self, _: Choice) -> BoxFuture<'static, Chosen> {
        ready(Chosen::Declined(None)).boxed()
    }
}
