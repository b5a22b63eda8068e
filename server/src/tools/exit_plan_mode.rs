//! ExitPlanMode: puts the plan to the person, who begins the work, or has it planned further.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Choice, Chosen, InterruptBehavior, Tool, ToolError, ToolKind, ToolResult, ToolUseContext, input,
};
use crate::permissions::{Access, PermissionMode};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ExitPlanModeInput {
    /// The plan in Markdown: what will be changed, where, and how it will be tested.
    plan: String,
}

#[derive(Debug)]
pub struct ExitPlanMode;

const ACCEPT_EDITS: &str = "Begin, and accept its changes as they come";
const REVIEW: &str = "Begin, and review each change";

impl Tool for ExitPlanMode {
    fn name(&self) -> &'static str {
        "ExitPlanMode"
    }

    fn description(&self) -> String {
        include_str!("exit_plan_mode/description.md").trim_end().to_owned()
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Think
    }

    fn input_schema(&self) -> Value {
        input::schema::<ExitPlanModeInput>()
    }

    fn validate(&self, input: &Value) -> Result<(), ToolError> {
        let input: ExitPlanModeInput = input::parse("ExitPlanMode", input)?;
        if input.plan.trim().is_empty() {
            return Err(ToolError("`plan` is empty: write down what you will do.".to_owned()));
        }
        Ok(())
    }

    fn title(&self, _input: &Value) -> String {
        "Begin with the plan".to_owned()
    }

    fn is_read_only(&self, _input: &Value) -> bool {
        true
    }

    /// What the user writes instead of an answer is a wish for the plan.
    fn interrupt_behavior(&self) -> InterruptBehavior {
        InterruptBehavior::Cancel
    }

    fn access(&self, _input: &Value, _context: &ToolUseContext) -> Access {
        Access::Person
    }

    fn call(
        &self,
        input: Value,
        context: ToolUseContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        async move { exit(input::parse("ExitPlanMode", &input)?, context).await }.boxed()
    }
}

async fn exit(input: ExitPlanModeInput, context: ToolUseContext) -> Result<ToolResult, ToolError> {
    if context.mode.get() != PermissionMode::Plan {
        return Err(ToolError(
            "You are not planning, so there is nothing to leave: go on with the work.".to_owned(),
        ));
    }
    let choice = Choice {
        title: "Begin with this plan".to_owned(),
        explanation: input.plan.trim().to_owned(),
        options: vec![REVIEW.to_owned(), ACCEPT_EDITS.to_owned()],
        decline: "Keep planning".to_owned(),
    };
    let data = |approved: bool| json!({"type": "plan_decision", "approved": approved, "plan": input.plan});
    let (at, words) = match context.person.choose(choice).await {
        Chosen::Option(at, words) => (at, words),
        Chosen::Nobody => {
            let text = "Nobody is here to agree to the plan, so nothing may be changed: end with the plan as your answer.";
            return Ok(ToolResult { declined: true, data: data(false), ..ToolResult::text(text) });
        }
        Chosen::Declined(words) => {
            let words = words.map_or(String::new(), |words| format!(" They say: {words}"));
            let text = format!("The user wants you to keep planning: change nothing yet.{words}");
            return Ok(ToolResult { declined: true, data: data(false), ..ToolResult::text(text) });
        }
    };
    let before = context.mode.leave_plan();
    if at == 1 {
        context.mode.set(PermissionMode::AcceptEdits).map_err(ToolError)?;
    } else if before == PermissionMode::AcceptEdits {
        context.mode.set(PermissionMode::Default).map_err(ToolError)?;
    }
    let how =
        if at == 1 { "Your changes are accepted as they come." } else { "The user reviews each change." };
    let words = words.map_or(String::new(), |words| format!(" They say: {words}"));
    let text = format!("The user has agreed to the plan: begin. {how}{words}");
    Ok(ToolResult { data: data(true), ..ToolResult::text(text) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::fixture::{Answers, Fixture, said};

    #[track_caller]
    fn check(before: PermissionMode, answer: Chosen, after: PermissionMode, declined: bool, want: &str) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let fixture = Fixture::new(&[]);
            let person = Answers::new(vec![answer]);
            let mut context = fixture.context();
            context.person = person.clone();
            context.mode.set(before).unwrap();
            context.mode.set(PermissionMode::Plan).unwrap();
            let mode = context.mode.clone();
            let result = ExitPlanMode.call(json!({"plan": "1. a\n2. b\n"}), context).await.unwrap();
            assert_eq!((mode.get(), result.declined), (after, declined));
            assert!(said(&result).contains(want), "{}", said(&result));
            assert_eq!(person.asked()[0].explanation, "1. a\n2. b");
        });
    }

    #[test]
    fn the_person_says_how_the_work_begins() {
        use PermissionMode::{AcceptEdits, Default, Plan};
        check(Default, Chosen::Option(0, None), Default, false, "The user reviews each change.");
        check(AcceptEdits, Chosen::Option(0, None), Default, false, "The user reviews each change.");
        check(Default, Chosen::Option(1, None), AcceptEdits, false, "accepted as they come");
        check(
            Default,
            Chosen::Declined(Some("smaller".into())),
            Plan,
            true,
            "keep planning: change nothing yet. They say: smaller",
        );
        check(Default, Chosen::Nobody, Plan, true, "end with the plan as your answer");
    }

    #[tokio::test]
    async fn who_does_not_plan_has_nothing_to_leave() {
        let fixture = Fixture::new(&[]);
        let error = fixture.call(&ExitPlanMode, json!({"plan": "x"})).await.unwrap_err();
        assert!(error.contains("You are not planning"), "{error}");
        let error = fixture.call(&ExitPlanMode, json!({"plan": " "})).await.unwrap_err();
        assert!(error.contains("`plan` is empty"), "{error}");
    }
}
