//! Bash: a command, tried on the workspace as it would be with everything pending in it.

mod changes;
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
use self::report::{Report, report};
use self::time_limit::{AtLimit, at_limit};
use self::views::Views;
use super::{InterruptBehavior, Tool, ToolError, ToolKind, ToolResult, ToolUseContext, input, summary};
use crate::documents::AbsPath;
use crate::permissions::Access;
use crate::shell::{Network, Request, Sandbox, StopOnDrop, Task};

/// Milliseconds a command may take if the model says nothing, and at most.
const DEFAULT_TIMEOUT: u64 = 120_000;
const LONGEST_TIMEOUT: u64 = 600_000;
/// How often the person is told what a command has written, at first and later.
const NEWS_EVERY: Duration = Duration::from_millis(250);
const LATER_NEWS_EVERY: u32 = 4;
const AT_FIRST: u32 = 40;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BashInput {
    /// The command line, for bash.
    command: String,
    /// Milliseconds it may take: 120000 if left out, 600000 at most.
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
            direct: false,
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
    let views = Views::of(&context).await;
    let request = Request {
        id: context.tool_use_id.0.clone(),
        text: input.command.clone(),
        views: views.files().await,
        network: Network::None,
        sandbox,
    };
    let started = context.shell.start(request).await;
    let task = started.map_err(|refusal| ToolError(format!("The command could not be run: {refusal}.")))?;
    if input.run_in_background == Some(true) {
        return Ok(in_background(task, views, summary, context, Report::Started));
    }
    let running = StopOnDrop::new(task.clone());
    let limit = Duration::from_millis(input.timeout.unwrap_or(DEFAULT_TIMEOUT).clamp(1, LONGEST_TIMEOUT));
    match wait(&task, &context, limit).await {
        Waited::Ended => {}
        Waited::Limit => match at_limit(&input.command) {
            AtLimit::Background => {
                running.let_go();
                return Ok(in_background(task, views, summary, context, Report::MovedToBackground(limit)));
            }
            AtLimit::Stop => task.stop(),
        },
    }
    let outcome = task.ended().await;
    let proposed = propose(&context, &views, &summary, &outcome.changes).await;
    Ok(report(&context, &task, &outcome, &proposed, Some(limit)))
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
                if told < AT_FIRST || told.is_multiple_of(LATER_NEWS_EVERY) {
                    if let Some(news) = task.news() {
                        (context.progress)(news);
                    }
                }
            }
        }
    }
}

/// Lets the command run on. What it changed is proposed when it ends, and the model is told.
fn in_background(
    task: Arc<Task>,
    views: Views,
    summary: String,
    context: ToolUseContext,
    how: Report,
) -> ToolResult {
    let result = report::running(&task, how);
    tokio::spawn(async move {
        let outcome = task.ended().await;
        let proposed = propose(&context, &views, &summary, &outcome.changes).await;
        let ended = report(&context, &task, &outcome, &proposed, None);
        context.shell.notice(report::notice(&task, &ended));
    });
    result
}

#[cfg(test)]
mod tests;
