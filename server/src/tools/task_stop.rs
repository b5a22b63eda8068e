//! TaskStop: ends a command in the background.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::task_output::{find, named};
use super::{Tool, ToolError, ToolKind, ToolResult, ToolUseContext, input};
use crate::permissions::Access;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TaskStopInput {
    /// The id that the command was given when it went to the background.
    #[serde(alias = "shell_id")]
    task_id: String,
}

#[derive(Debug)]
pub struct TaskStop;

impl Tool for TaskStop {
    fn name(&self) -> &'static str {
        "TaskStop"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["KillShell"]
    }

    fn description(&self) -> String {
        "Ends a command in the background and every process that it started.".to_owned()
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Execute
    }

    fn input_schema(&self) -> Value {
        input::schema::<TaskStopInput>()
    }

    fn validate(&self, input: &Value) -> Result<(), ToolError> {
        input::parse::<TaskStopInput>("TaskStop", input).map(|_| ())
    }

    fn title(&self, input: &Value) -> String {
        format!("Stop {}", named(input, &["task_id", "shell_id"]))
    }

    fn access(&self, _input: &Value, _context: &ToolUseContext) -> Access {
        Access::Nothing
    }

    fn call(
        &self,
        input: Value,
        context: ToolUseContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        async move {
            let input: TaskStopInput = input::parse("TaskStop", &input)?;
            let task = find(&context, &input.task_id)?;
            let was_running = task.outcome().is_none();
            task.stop();
            let outcome = task.ended().await;
            let text = if was_running {
                format!("Stopped {} (`{}`) after {} s.", task.id(), task.command(), outcome.took.as_secs())
            } else {
                format!("{} (`{}`) had ended already.", task.id(), task.command())
            };
            let data = json!({ "taskId": task.id(), "command": task.command() });
            Ok(ToolResult { data, ..ToolResult::text(text) })
        }
        .boxed()
    }
}
