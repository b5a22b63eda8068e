//! Monitor: a command in the background whose lines the model is told as they come.

use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

use super::{Bash, Tool, ToolError, ToolKind, ToolResult, ToolUseContext, bash, input};
use crate::permissions::Access;
use crate::shell::Notice;

/// Milliseconds it is watched if the model says nothing, and at most.
const DEFAULT_TIMEOUT: u64 = 300_000;
const LONGEST_TIMEOUT: u64 = 3_600_000;
/// Lines that come within so long are told together.
const TOGETHER: Duration = Duration::from_secs(1);

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MonitorInput {
    /// The command line, for bash. What it writes is what you are told, so let it write little: filter with `grep --line-buffered`.
    command: String,
    /// What is watched, in a few words: it heads everything you are told.
    description: String,
    /// Milliseconds after which the watch ends: 300000 if left out, 3600000 at most.
    timeout_ms: Option<u64>,
    /// Watch until the session ends or TaskStop is called.
    persistent: Option<bool>,
}

#[derive(Debug)]
pub struct Monitor;

impl Tool for Monitor {
    fn name(&self) -> &'static str {
        "Monitor"
    }

    fn description(&self) -> String {
        "Watches something with a command in the background, such as a log or the state of a build. Returns at once; each \
         line that the command writes is told to you before your next request. TaskStop ends the watch. The command runs as \
         with Bash: on the draft, in the sandbox."
            .to_owned()
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Execute
    }

    fn input_schema(&self) -> Value {
        input::schema::<MonitorInput>()
    }

    fn validate(&self, input: &Value) -> Result<(), ToolError> {
        let input: MonitorInput = input::parse("Monitor", input)?;
        Bash.validate(&json!({ "command": input.command }))
    }

    fn title(&self, input: &Value) -> String {
        input::text(input, "command").to_owned()
    }

    fn access(&self, input: &Value, context: &ToolUseContext) -> Access {
        Bash.access(&json!({ "command": input::text(input, "command") }), context)
    }

    fn call(
        &self,
        input: Value,
        context: ToolUseContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        async move { monitor(input::parse("Monitor", &input)?, context).await }.boxed()
    }
}

async fn monitor(input: MonitorInput, context: ToolUseContext) -> Result<ToolResult, ToolError> {
    let (task, views) = bash::start(&context, &input.command).await?;
    let id = task.id().to_owned();
    let wait = Duration::from_millis(input.timeout_ms.unwrap_or(DEFAULT_TIMEOUT).min(LONGEST_TIMEOUT));
    let deadline = (input.persistent != Some(true)).then(|| Instant::now() + wait);
    let (watched, shell, description) = (task.clone(), context.shell.clone(), input.description.clone());
    tokio::spawn(async move {
        let mut ticks = interval(TOGETHER);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let limit = async {
                match deadline {
                    Some(deadline) => sleep_until(deadline).await,
                    None => std::future::pending().await,
                }
            };
            let ended = tokio::select! {
                _ = watched.ended() => true,
                () = limit => {
                    watched.stop();
                    watched.ended().await;
                    true
                }
                _ = ticks.tick() => false,
            };
            if let Some(news) = watched.news() {
                let text = format!("{description} ({}):\n{}", watched.id(), news.trim_end());
                shell.notice(Notice { text, notes: Vec::new() });
            }
            if ended {
                return;
            }
        }
    });
    bash::look_after(task, views, input.description, context);
    let text = format!("Watching as {id}. You are told what it writes; TaskStop ends it.");
    Ok(ToolResult { data: json!({ "taskId": id }), ..ToolResult::text(text) })
}
