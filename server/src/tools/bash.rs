//! Bash: a command, tried on the workspace as it would be with everything pending in it.

mod changes;
mod extents;
mod report;
mod time_limit;
mod views;

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

use self::changes::propose;
use self::report::{Apart, Report, report};
use self::time_limit::{AtLimit, at_limit};
pub(super) use self::views::Views;
use super::{InterruptBehavior, Tool, ToolError, ToolKind, ToolResult, ToolUseContext, input, summary};
use crate::documents::AbsPath;
use crate::permissions::Access;
use crate::shell::{Exit, Ground, How, Notice, Request, Sandbox, StopOnDrop, Task, TrialMode, WallKind};

/// How often the person is told what a command has written, at first and later.
const NEWS_EVERY: Duration = Duration::from_millis(250);
const LATER_NEWS_EVERY: u32 = 4;
const AT_FIRST: u32 = 40;
const STILL_RUNS: &str =
    "A command still ran in the background, so this may be half of a change that it makes.";

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BashInput {
    /// The command line, for bash.
    command: String,
    /// Milliseconds it may take, if not the usual time: 120000 and at most 600000, unless the user has set others.
    timeout: Option<u64>,
    /// What it does, for the user: five to ten words in the imperative.
    description: Option<String>,
    /// Return at once and let it run: `TaskOutput` tells what it writes, and you are told when it ends.
    run_in_background: Option<bool>,
    /// Run it on the real files, without the sandbox. The user is always asked.
    #[serde(rename = "dangerouslyDisableSandbox")]
    dangerously_disable_sandbox: Option<bool>,
}

#[derive(Debug)]
pub struct Bash;

impl Tool for Bash {
    fn name(&self) -> &'static str {
        "Bash"
    }

    fn description(&self) -> String {
        include_str!("bash/description.md").trim_end().to_owned()
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Execute
    }

    fn input_schema(&self) -> Value {
        input::schema::<BashInput>()
    }

    fn validate(&self, input: &Value) -> Result<(), ToolError> {
        let input: BashInput = input::parse("Bash", input)?;
        if input.command.trim().is_empty() {
            return Err(ToolError("`command` is empty: name a command to run.".to_owned()));
        }
        if input.command.contains('\0') {
            return Err(ToolError("`command` holds a NUL character, which no command line can.".to_owned()));
        }
        Ok(())
    }

    fn title(&self, input: &Value) -> String {
        input::text(input, "command").to_owned()
    }

    fn interrupt_behavior(&self) -> InterruptBehavior {
        InterruptBehavior::Cancel
    }

    fn cancels_siblings_on_error(&self) -> bool {
        true
    }

    /// It bounds its results itself.
    fn max_result_chars(&self) -> Option<usize> {
        None
    }

    fn access(&self, input: &Value, context: &ToolUseContext) -> Access {
        let Some(cwd) = AbsPath::new(context.shell.cwd()) else { return Access::Unknown };
        Access::Command {
            text: input::text(input, "command").to_owned(),
            cwd,
            unsandboxed: input.get("dangerouslyDisableSandbox").and_then(Value::as_bool) == Some(true),
            direct: context.shell.known_ground().is_some_and(Ground::is_exposed),
        }
    }

    fn call(
        &self,
        input: Value,
        context: ToolUseContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        async move { bash(input::parse("Bash", &input)?, context).await }.boxed()
    }
}

async fn bash(input: BashInput, context: ToolUseContext) -> Result<ToolResult, ToolError> {
    let sandbox = match input.dangerously_disable_sandbox {
        Some(true) => Sandbox::Without,
        Some(false) | None => Sandbox::Walled,
    };
    let summary = summary::of_command(input.description.as_deref(), &input.command);
    let (task, views) = start_with(&context, &input.command, sandbox).await?;
    if input.run_in_background == Some(true) {
        let result = report::running(&task, Report::Started);
        look_after(task, views, summary, context);
        return Ok(result);
    }
    let running = StopOnDrop::new(task.clone());
    let cancelled = Cancelled { task: task.clone(), context: Some(context.clone()) };
    let times = context.shell.times();
    let wanted = input.timeout.map_or(times.usual, Duration::from_millis);
    let limit = wanted.max(Duration::from_millis(1)).min(times.longest);
    match wait(&task, &context, limit).await {
        Waited::Ended => {}
        Waited::Limit => match at_limit(&input.command) {
            AtLimit::Background => {
                running.let_go();
                cancelled.no_more();
                let result = report::running(&task, Report::MovedToBackground(limit));
                look_after(task, views, summary, context);
                return Ok(result);
            }
            AtLimit::Stop => task.stop(),
        },
    }
    let result = finish(&task, &views, &summary, &context, Some(limit)).await;
    cancelled.no_more();
    Ok(result)
}

/// Tells the model, when nobody waits for the command any more, that what it changed is gone: half of what was wanted, by
/// somebody who was told to stop, is nothing to review. Unless it may be the work of another one, that goes on.
struct Cancelled {
    task: Arc<Task>,
    /// `None`: it is not cancelled any more.
    context: Option<ToolUseContext>,
}

impl Cancelled {
    fn no_more(mut self) {
        self.context = None;
    }
}

impl Drop for Cancelled {
    fn drop(&mut self) {
        let (Some(context), task) = (self.context.take(), self.task.clone()) else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            let outcome = task.ended().await;
            let notice = if context.shell.another_runs(&task) && !outcome.changes.is_empty() {
                let summary = summary::of_command(None, task.command());
                let views = Views::of(&context).await;
                let from = (task.command(), summary.as_str());
                let told = propose(&context, &views, from, &outcome.changes, Some(STILL_RUNS)).await;
                Some(report::cancelled_beside_others(&task, &told))
            } else {
                report::undone(&context, &task, &outcome).map(|text| Notice { text, notes: Vec::new() })
            };
            if let Some(notice) = notice {
                context.shell.notice(notice);
            }
        });
    }
}

/// Starts a command in the sandbox, on what the session has pending.
pub(super) async fn start(context: &ToolUseContext, command: &str) -> Result<(Arc<Task>, Views), ToolError> {
    start_with(context, command, Sandbox::Walled).await
}

/// Lets the command run on. What it changed is proposed when it ends, and the model is told.
pub(super) fn look_after(task: Arc<Task>, views: Views, summary: String, context: ToolUseContext) {
    task.goes_to_background();
    tokio::spawn(async move {
        let ended = finish(&task, &views, &summary, &context, None).await;
        context.shell.notice(report::notice(&task, ended));
        task.taken_care_of();
    });
}

async fn start_with(
    context: &ToolUseContext,
    command: &str,
    sandbox: Sandbox,
) -> Result<(Arc<Task>, Views), ToolError> {
    let was_known = context.shell.known_ground().is_some();
    let refused = |refusal| ToolError(format!("The command could not be run: {refusal}."));
    let ground = match sandbox {
        Sandbox::Walled => context.shell.ground_as_wanted().await.map_err(refused)?,
        Sandbox::Without => context.shell.ground().await,
    };
    if ground.is_exposed() && sandbox == Sandbox::Walled && !was_known {
        // The person was asked about a command on the draft.
        let why = ground.why.as_deref().unwrap_or("there is nothing else");
        return Err(ToolError(format!(
            "Nothing was run: on this machine nothing keeps a command from the user's files themselves ({why}). Call it \
             again if it is needed, and the user is asked about that."
        )));
    }
    take_in(context).await;
    let views = Views::of(context).await;
    let request = Request {
        id: context.tool_use_id.0.clone(),
        text: command.to_owned(),
        views: views.files().await,
        hidden: views.hidden().iter().map(|path| path.as_path().to_owned()).collect(),
        sandbox,
    };
    let started = context.shell.start(request).await;
    Ok((started.map_err(refused)?, views))
}

/// Proposes what commands in the background have changed up to now, and tells the model: the next command is to see it, with
/// what else is pending.
async fn take_in(context: &ToolUseContext) {
    let (running, changes) = context.shell.unseen().await;
    if changes.is_empty() {
        return;
    }
    let commands: Vec<&str> = running.iter().map(|task| task.command()).collect();
    let summary = summary::of_command(None, &commands.join("; "));
    let views = Views::of(context).await;
    let told = propose(context, &views, (&commands.join("\n"), &summary), &changes, Some(STILL_RUNS)).await;
    context.shell.notice(report::up_to_now(&running, &told));
}

/// Waits for the end; what the command changed goes to the desk.
async fn finish(
    task: &Task,
    views: &Views,
    summary: &str,
    context: &ToolUseContext,
    limit: Option<Duration>,
) -> ToolResult {
    let outcome = task.ended().await;
    let unseen = match task.ground().mode {
        TrialMode::Overlay | TrialMode::Copy => Vec::new(),
        TrialMode::Direct | TrialMode::Real => {
            // Any known file may say something else by now.
            let open = context.documents.open_documents().into_iter().map(|document| document.path);
            let known = context.seen.paths().into_iter().chain(open).chain(views.paths().cloned());
            context.desk.command_changed(context.session.clone(), known.collect());
            views.paths().map(|path| context.workspace.display(path)).collect()
        }
    };
    let unfinished = match &outcome.how {
        // What that one has written so far lies in the same layer.
        How::Exited(Exit::Code(_)) if context.shell.another_runs(task) => Some(STILL_RUNS),
        How::Exited(Exit::Code(_)) | How::Refused(_) => None,
        How::Exited(Exit::Signal(_)) | How::Stopped | How::Flood => {
            Some("The command was ended before it was done, so this may be half a change.")
        }
    };
    let changes = propose(context, views, (task.command(), summary), &outcome.changes, unfinished).await;
    let hidden = if task.ground().walls == WallKind::Open { &[][..] } else { views.hidden() };
    report(context, task, &outcome, &changes, &Apart { unseen: &unseen, hidden }, limit)
}

enum Waited {
    Ended,
    Limit,
}

/// Waits for the end, telling the person what the command writes meanwhile.
async fn wait(task: &Task, context: &ToolUseContext, limit: Duration) -> Waited {
    let deadline = Instant::now() + limit;
    let mut ticks = interval(NEWS_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut told = 0_u32;
    loop {
        tokio::select! {
            _ = task.ended() => return Waited::Ended,
            () = sleep_until(deadline) => return Waited::Limit,
            _ = ticks.tick() => {
                told += 1;
                let is_time = told < AT_FIRST || told.is_multiple_of(LATER_NEWS_EVERY);
                if let Some(news) = is_time.then(|| task.news()).flatten() {
                    (context.progress)(news);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
