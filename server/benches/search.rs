//! Grep and Glob over a hundred thousand files, beside `rg` and `fd` on the same files, where there are any.
//!
//! They are measured in turn, so that what else the machine does falls on all. Grep minds ignore files, as `rg` does unasked.
//! Glob does not, looks when each match was changed, and puts the newest first: `--files` is what is faster than that,
//! `--files -uu` finds the same files, and `--files -uu --sort modified` finds them in the same order.

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
use copydesk::permissions::{Behavior, Policy, Rule, SessionMode, SettledRule, Source};
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
    let limited = limited(&context)?;
    let there: Vec<&str> = ["rg", "fd", "fdfind"].into_iter().filter(|program| is_there(program)).collect();
    if !there.contains(&"rg") {
        report("search: there is no `rg` to compare with");
    }
    let rare = json!({"pattern": "needle_[0-9]+", "output_mode": "content"});
    let absent = json!({"pattern": "nothing says this"});
    let all = json!({"pattern": "compute", "output_mode": "count"});
    let glob = json!({"pattern": "**/*_7.rs"});
    let of_rg = |arguments: &[&'static str]| vec![[&["rg"], arguments].concat()];
    let of_files = vec![
        vec!["rg", "--files", "-g", "*_7.rs"],
        vec!["rg", "--files", "-uu", "-g", "*_7.rs"],
        vec!["rg", "--files", "-uu", "--sort", "modified", "-g", "*_7.rs"],
        vec!["fd", "-u", "--type", "f", "--glob", "*_7.rs"],
        vec!["fdfind", "-u", "--type", "f", "--glob", "*_7.rs"],
    ];
    let row = |name, tool, input, context, others| Row { name, tool, input, context, others };
    let (with_lines, names) = (of_rg(&["-n", "needle_[0-9]+"]), of_rg(&["-l", "nothing says this"]));
    let rows = [
        row("Grep, a few lines", &Grep as &dyn Tool, &rare, &context, with_lines),
        row("Grep, nothing", &Grep, &absent, &context, names.clone()),
        row("Grep, nothing, with a file that is denied", &Grep, &absent, &limited, names),
        row("Grep, count of all", &Grep, &all, &context, of_rg(&["-c", "compute"])),
        row("Glob, one file in ten", &Glob, &glob, &context, of_files.clone()),
        row("Glob, with a file that is denied", &Glob, &glob, &limited, of_files),
    ];
    for Row { name, tool, input, context, mut others } in rows {
        others.retain(|other| other.first().is_some_and(|program| there.contains(program)));
        let mut ours = Vec::new();
        let mut theirs = vec![Vec::new(); others.len()];
        for _ in 0..ROUNDS {
            ours.push(time(|| {
                black_box(runtime.block_on(tool.call(input.clone(), context.clone())).ok());
            }));
            for (other, times) in others.iter().zip(&mut theirs) {
                times.push(time(|| run(&root, other)));
            }
        }
        let ours = median(ours);
        report(&format!("{name}: {:.0} ms", millis(ours)));
        for (other, times) in others.iter().zip(theirs) {
            let theirs = median(times);
            let ratio = millis(ours) / millis(theirs);
            report(&format!("    {ratio:.2} times of `{}`, {:.0} ms", other.join(" "), millis(theirs)));
        }
    }
    Ok(())
}

/// One search of ours, and the commands that are like it.
struct Row<'a> {
    name: &'static str,
    tool: &'a dyn Tool,
    input: &'a Value,
    context: &'a ToolUseContext,
    others: Vec<Vec<&'static str>>,
}

/// The same with a rule about a file that is nowhere.
fn limited(context: &ToolUseContext) -> Result<ToolUseContext, String> {
    let mut policy = Policy::clone(&context.policy);
    let rule = Rule::parse("Read(secret.txt)")?;
    let denied = SettledRule::new(Behavior::Deny, rule, Source::User, "the benchmark", &policy.starts())?;
    policy.rules.push(denied);
    Ok(ToolUseContext { policy: Arc::new(policy), ..context.clone() })
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok()
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

fn run(root: &AbsPath, command: &[&str]) {
    let Some((program, arguments)) = command.split_first() else { return };
    let output =
        Command::new(program).args(arguments).current_dir(root.as_path()).stdin(Stdio::null()).output();
    black_box(output.ok());
}

fn time(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
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
        places: Arc::default(),
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
