//! TaskOutput: what a command in the background has written, and how it ended.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{InterruptBehavior, Tool, ToolError, ToolKind, ToolResult, ToolUseContext, input};
use crate::permissions::Access;
use crate::shell::{How, Task};

/// Milliseconds it waits for the end if the model says nothing, and at most.
const DEFAULT_WAIT: u64 = 30_000;
const LONGEST_WAIT: u64 = 600_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TaskOutputInput {
    /// The id that the command was given when it went to the background.
    #[serde(alias = "bash_id")]
    task_id: String,
    /// Wait for its end first; true if left out.
    block: Option<bool>,
    /// Milliseconds to wait at most: 30000 if left out.
    timeout: Option<u64>,
}

#[derive(Debug)]
pub struct TaskOutput;

impl Tool for TaskOutput {
    fn name(&self) -> &'static str {
        "TaskOutput"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["BashOutput"]
    }

    fn description(&self) -> String {
        "Shows what a command in the background has written up to now, and how it ended if it has. Waits for its end \
         unless `block` is false."
            .to_owned()
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Execute
    }

    fn input_schema(&self) -> Value {
        input::schema::<TaskOutputInput>()
    }

    fn validate(&self, input: &Value) -> Result<(), ToolError> {
        input::parse::<TaskOutputInput>("TaskOutput", input).map(|_| ())
    }

    fn title(&self, input: &Value) -> String {
        format!("Look at {}", named(input, &["task_id", "bash_id"]))
    }

    fn is_concurrency_safe(&self, _input: &Value) -> bool {
        true
    }

    fn is_read_only(&self, _input: &Value) -> bool {
        true
    }

    fn interrupt_behavior(&self) -> InterruptBehavior {
        InterruptBehavior::Cancel
    }

    /// It bounds its results itself.
    fn max_result_chars(&self) -> Option<usize> {
        None
    }

    fn access(&self, _input: &Value, _context: &ToolUseContext) -> Access {
        Access::Nothing
    }

    fn call(
        &self,
        input: Value,
        context: ToolUseContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        async move { task_output(input::parse("TaskOutput", &input)?, &context).await }.boxed()
    }
}

async fn task_output(input: TaskOutputInput, context: &ToolUseContext) -> Result<ToolResult, ToolError> {
    let task = find(context, &input.task_id)?;
    if input.block != Some(false) {
        let wait = Duration::from_millis(input.timeout.unwrap_or(DEFAULT_WAIT).min(LONGEST_WAIT));
        // Still running is an answer too.
        let _ = tokio::time::timeout(wait, task.ended()).await;
    }
    let shown = task.shown(task.caps().whole);
    let (status, exit) = match task.outcome().as_deref().map(|outcome| &outcome.how) {
        None => ("running".to_owned(), None),
        Some(How::Exited(exit)) => (format!("ended with exit code {}", exit.code()), Some(exit.code())),
        Some(How::Stopped) => ("stopped".to_owned(), None),
        Some(How::Flood) => ("stopped, because it wrote more than a command may".to_owned(), None),
        Some(How::Refused(refusal)) => (format!("could not be run: {refusal}"), None),
    };
    let text = format!("{} (`{}`): {status}\n{}", task.id(), task.command(), shown.text);
    let data = json!({ "taskId": task.id(), "status": status, "exitCode": exit, "output": shown.text });
    Ok(ToolResult { data, ..ToolResult::text(text.trim_end()) })
}

/// The command of this id.
pub(super) fn find(context: &ToolUseContext, id: &str) -> Result<Arc<Task>, ToolError> {
    context.shell.task(id).ok_or_else(|| {
        let ids = context.shell.tasks();
        ToolError(if ids.is_empty() {
            format!("There is no command `{id}`: none was started in this session.")
        } else {
            format!("There is no command `{id}`. There are: {}.", ids.join(", "))
        })
    })
}

/// The first of the fields that the input has.
pub(super) fn named<'input>(input: &'input Value, fields: &[&str]) -> &'input str {
    fields.iter().map(|field| input::text(input, field)).find(|text| !text.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::TaskStop;
    use crate::tools::fixture::Fixture;

    #[tokio::test]
    async fn a_command_that_is_not_there_is_named() {
        let fixture = Fixture::new(&[]);
        for (tool, input) in [
            (&TaskOutput as &dyn Tool, json!({"task_id": "b7"})),
            (&TaskOutput, json!({"bash_id": "b7", "block": false})),
            (&TaskStop, json!({"shell_id": "b7"})),
        ] {
            let error = fixture.call(tool, input).await.expect_err("there is none");
            assert!(error.contains("There is no command `b7`"), "{error}");
        }
        assert!(TaskStop.validate(&json!({})).is_err());
    }
}
