//! EnterPlanMode: from here on nothing is changed until the person has agreed to a plan.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Choice, Chosen, Tool, ToolError, ToolKind, ToolResult, ToolUseContext, input};
use crate::permissions::{Access, PermissionMode};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EnterPlanModeInput {}

#[derive(Debug)]
pub struct EnterPlanMode;

impl Tool for EnterPlanMode {
    fn name(&self) -> &'static str {
        "EnterPlanMode"
    }

    fn description(&self) -> String {
        include_str!("enter_plan_mode/description.md").trim_end().to_owned()
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Think
    }

    fn input_schema(&self) -> Value {
        input::schema::<EnterPlanModeInput>()
    }

    fn validate(&self, input: &Value) -> Result<(), ToolError> {
        input::parse::<EnterPlanModeInput>("EnterPlanMode", input).map(|_| ())
    }

    fn title(&self, _input: &Value) -> String {
        "Plan before anything is changed".to_owned()
    }

    fn is_read_only(&self, _input: &Value) -> bool {
        true
    }

    fn access(&self, _input: &Value, _context: &ToolUseContext) -> Access {
        Access::Person
    }

    fn call(
        &self,
        _input: Value,
        context: ToolUseContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        enter(context).boxed()
    }
}

async fn enter(context: ToolUseContext) -> Result<ToolResult, ToolError> {
    match context.mode.get() {
        PermissionMode::Plan => return Err(ToolError("You are planning already.".to_owned())),
        PermissionMode::DontAsk => {
            return Err(ToolError(
                "In this mode nobody is asked, so nobody could agree to a plan.".to_owned(),
            ));
        }
        PermissionMode::Default | PermissionMode::AcceptEdits | PermissionMode::BypassPermissions => {}
    }
    let choice = Choice {
        title: "Plan first".to_owned(),
        explanation: "The agent wants to look around and write a plan before it changes anything.".to_owned(),
        options: vec!["Plan first".to_owned()],
        decline: "Start at once".to_owned(),
    };
    match context.person.choose(choice).await {
        Chosen::Option(..) => {
            context.mode.set(PermissionMode::Plan).map_err(ToolError)?;
            Ok(ToolResult::text(
                "You are planning now: look around, change nothing. When the plan is ready, call ExitPlanMode with it.",
            ))
        }
        Chosen::Nobody => {
            let text = "Nobody is here to agree to a plan: start with the work.";
            Ok(ToolResult { declined: true, ..ToolResult::text(text) })
        }
        Chosen::Declined(words) => {
            let words = words.map_or(String::new(), |words| format!(" They say: {words}"));
            let text = format!("The user wants no plan first: start with the work.{words}");
            Ok(ToolResult { declined: true, ..ToolResult::text(text) })
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tools::fixture::{Answers, Fixture, said};

    #[tokio::test]
    async fn planning_begins_when_the_person_agrees() {
        let fixture = Fixture::new(&[]);
        for (answer, mode, declined) in [
            (Chosen::Declined(None), PermissionMode::Default, true),
            (Chosen::Nobody, PermissionMode::Default, true),
            (Chosen::Option(0, None), PermissionMode::Plan, false),
        ] {
            let mut context = fixture.context();
            context.person = Answers::new(vec![answer]);
            let session = context.mode.clone();
            let result = EnterPlanMode.call(json!({}), context).await.unwrap();
            assert_eq!((session.get(), result.declined), (mode, declined), "{}", said(&result));
        }
    }

    #[tokio::test]
    async fn who_plans_need_not_begin_again() {
        let fixture = Fixture::new(&[]);
        let context = fixture.context();
        context.mode.set(PermissionMode::Plan).unwrap();
        assert_eq!(EnterPlanMode.call(json!({}), context).await.unwrap_err().0, "You are planning already.");
    }
}
