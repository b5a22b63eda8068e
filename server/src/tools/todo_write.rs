//! TodoWrite: the steps of the task, which the person sees as they are done.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{PlanEntry, PlanStatus, Tool, ToolError, ToolKind, ToolResult, ToolUseContext, input};
use crate::permissions::Access;

/// More steps than anybody reads.
const MOST: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TodoStatus {
    Pending,
    InProgress,
    Completed,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Todo {
    /// The step, in the imperative: "Run the tests".
    content: String,
    /// Where it stands.
    status: TodoStatus,
    /// The same while it is done: "Running the tests".
    #[serde(rename = "activeForm")]
    active_form: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TodoWriteInput {
    /// The whole list, in order, in the place of the one before.
    todos: Vec<Todo>,
}

#[derive(Debug)]
pub struct TodoWrite;

impl Tool for TodoWrite {
    fn name(&self) -> &'static str {
        "TodoWrite"
    }

    fn description(&self) -> String {
        include_str!("todo_write/description.md").trim_end().to_owned()
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Think
    }

    fn input_schema(&self) -> Value {
        input::schema::<TodoWriteInput>()
    }

    fn validate(&self, input: &Value) -> Result<(), ToolError> {
        let input: TodoWriteInput = input::parse("TodoWrite", input)?;
        if input.todos.len() > MOST {
            return Err(ToolError(format!("`todos` has {} steps: {MOST} at most.", input.todos.len())));
        }
        match input.todos.iter().position(|todo| todo.content.trim().is_empty()) {
            Some(at) => Err(ToolError(format!("`todos[{at}].content` is empty: say what the step is."))),
            None => Ok(()),
        }
    }

    fn title(&self, input: &Value) -> String {
        let count = input.get("todos").and_then(Value::as_array).map_or(0, Vec::len);
        format!("Plan {count} steps")
    }

    fn is_read_only(&self, _input: &Value) -> bool {
        true
    }

    fn access(&self, _input: &Value, _context: &ToolUseContext) -> Access {
        Access::Nothing
    }

    fn call(
        &self,
        input: Value,
        context: ToolUseContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        async move { Ok(write(input::parse("TodoWrite", &input)?, &context)) }.boxed()
    }
}

fn write(input: TodoWriteInput, context: &ToolUseContext) -> ToolResult {
    let entries: Vec<PlanEntry> = input.todos.iter().map(PlanEntry::from).collect();
    let count = |status| entries.iter().filter(|entry| entry.status == status).count();
    let done = count(PlanStatus::Completed);
    let text = if entries.len() == done {
        "All steps are done, so the list is empty again. Tell the user what came of them.".to_owned()
    } else if count(PlanStatus::InProgress) > 1 {
        "The list is written. Only one step should be in progress: mark the others as pending, and go on."
            .to_owned()
    } else {
        "The list is written. Go on with the step in progress, and keep the list up to date.".to_owned()
    };
    let data = json!({"type": "plan", "steps": entries.len(), "completed": done});
    (context.plan)(if entries.len() == done { Vec::new() } else { entries });
    ToolResult { data, ..ToolResult::text(text) }
}

impl From<&Todo> for PlanEntry {
    fn from(todo: &Todo) -> Self {
        let (content, status) = match todo.status {
            TodoStatus::Pending => (&todo.content, PlanStatus::Pending),
            TodoStatus::InProgress if todo.active_form.trim().is_empty() => {
                (&todo.content, PlanStatus::InProgress)
            }
            TodoStatus::InProgress => (&todo.active_form, PlanStatus::InProgress),
            TodoStatus::Completed => (&todo.content, PlanStatus::Completed),
        };
        Self { content: content.clone(), status }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::tools::fixture::Fixture;

    async fn written(todos: Value) -> (String, Vec<Vec<PlanEntry>>) {
        let fixture = Fixture::new(&[]);
        let shown = Arc::new(Mutex::new(Vec::new()));
        let (sink, mut context) = (shown.clone(), fixture.context());
        context.plan = Arc::new(move |entries| sink.lock().unwrap().push(entries));
        let input = json!({"todos": todos});
        TodoWrite.validate(&input).unwrap();
        let result = TodoWrite.call(input, context).await.unwrap();
        let text = super::super::fixture::said(&result);
        let shown = shown.lock().unwrap().clone();
        (text, shown)
    }

    fn todo(content: &str, status: &str) -> Value {
        json!({"content": content, "status": status, "activeForm": format!("{content}…")})
    }

    #[tokio::test]
    async fn the_list_is_shown_whole_each_time() {
        let (text, shown) =
            written(json!([todo("a", "completed"), todo("b", "in_progress"), todo("c", "pending")])).await;
        let entry = |content: &str, status| PlanEntry { content: content.into(), status };
        assert_eq!(
            shown,
            [vec![
                entry("a", PlanStatus::Completed),
                entry("b…", PlanStatus::InProgress),
                entry("c", PlanStatus::Pending)
            ]]
        );
        assert!(text.contains("Go on with the step in progress"), "{text}");
        let (text, _) = written(json!([todo("a", "in_progress"), todo("b", "in_progress")])).await;
        assert!(text.contains("Only one step should be in progress"), "{text}");
    }

    #[tokio::test]
    async fn a_list_that_is_all_done_is_cleared() {
        let (text, shown) = written(json!([todo("a", "completed"), todo("b", "completed")])).await;
        assert_eq!(shown, [Vec::new()]);
        assert!(text.contains("All steps are done"), "{text}");
    }

    #[test]
    fn a_step_says_what_it_is() {
        let check = |todos: Value, want: &str| {
            let error = TodoWrite.validate(&json!({"todos": todos})).unwrap_err().0;
            assert!(error.contains(want), "{error}");
        };
        check(json!([todo(" ", "pending")]), "`todos[0].content` is empty");
        check(
            json!([{"content": "a", "status": "done", "activeForm": "b"}]),
            "at `todos[0].status`: unknown variant `done`",
        );
        check(json!(vec![todo("a", "pending"); 101]), "has 101 steps");
    }
}
