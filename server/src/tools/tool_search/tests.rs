//! ToolSearch: what is found, and what a request holds before and after.

use serde_json::json;

use super::*;
use crate::tools::Tools;
use crate::tools::fixture::Fixture;

/// A tool that is known by name only.
struct Remote(&'static str, &'static str);

impl Tool for Remote {
    fn name(&self) -> &'static str {
        self.0
    }

    fn description(&self) -> String {
        self.1.to_owned()
    }

    fn should_defer(&self) -> bool {
        true
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Other
    }

    fn input_schema(&self) -> Value {
        json!({"type": "object", "properties": {}})
    }

    fn validate(&self, _: &Value) -> Result<(), ToolError> {
        Ok(())
    }

    fn title(&self, _: &Value) -> String {
        self.0.to_owned()
    }

    fn call(&self, _: Value, _: ToolUseContext) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        async { Ok(ToolResult::text("done")) }.boxed()
    }
}

const ISSUES: &str = "mcp__tracker__list_issues";

fn tools(wire: SearchWire) -> Tools {
    let mut tools: Vec<Arc<dyn Tool>> = (0..60)
        .map(|number| -> Arc<dyn Tool> {
            Arc::new(Remote(format!("mcp__x__tool_{number:02}").leak(), "Does one of sixty things."))
        })
        .collect();
    tools.push(Arc::new(Remote(ISSUES, "Lists the issues of a project.")));
    tools.push(Arc::new(Remote("mcp__mail__send", "Sends a letter to a project's people.")));
    tools.push(Arc::new(crate::tools::Read));
    Tools::new(tools).deferring(&Loaded::default(), wire)
}

async fn search(tools: &Tools, input: Value) -> Result<Vec<ToolResultContent>, String> {
    let tool = tools.find("ToolSearch").unwrap();
    tool.validate(&input).map_err(|error| error.0)?;
    Ok(tool.call(input, Fixture::new(&[]).context()).await.map_err(|error| error.0)?.content)
}

fn sent(tools: &Tools) -> Vec<String> {
    tools.definitions().iter().map(|tool| tool.name.clone()).collect()
}

#[tokio::test]
async fn what_is_asked_for_is_sent_from_then_on_at_the_end() {
    let tools = tools(SearchWire::Schemas);
    assert_eq!(sent(&tools), ["Read", "ToolSearch"]);
    assert!(tools.find("ToolSearch").unwrap().description().contains("mcp__x__tool_59"), "names are told");
    assert!(!tools.is_known(ISSUES) && tools.is_known("Read"));
    let found = search(&tools, json!({"query": format!("select:{ISSUES},mcp__x__tool_07")})).await.unwrap();
    let text = format!("These tools can be called from your next answer on: {ISSUES}, mcp__x__tool_07.");
    assert_eq!(found, [ToolResultContent::Text(text)]);
    assert_eq!(sent(&tools), ["Read", "ToolSearch", ISSUES, "mcp__x__tool_07"]);
    search(&tools, json!({"query": "select:mcp__x__tool_01"})).await.unwrap();
    assert_eq!(sent(&tools), ["Read", "ToolSearch", ISSUES, "mcp__x__tool_07", "mcp__x__tool_01"]);
    assert!(tools.is_known(ISSUES));
}

#[tokio::test]
async fn where_the_service_expands_references_all_are_sent_and_marked() {
    let tools = tools(SearchWire::References);
    let before = tools.definitions();
    assert_eq!(before.len(), 64);
    let shown: Vec<&str> =
        before.iter().filter(|tool| !tool.deferred).map(|tool| tool.name.as_str()).collect();
    assert_eq!(shown, ["Read", "ToolSearch"]);
    let found = search(&tools, json!({"query": format!("select:{ISSUES}")})).await.unwrap();
    assert_eq!(found, [ToolResultContent::ToolReference(ISSUES.into())]);
    assert_eq!(tools.definitions(), before, "the cached prefix stays");
    assert!(tools.is_known(ISSUES));
}

#[tokio::test]
async fn words_are_ranked_and_some_have_to_be_there() {
    let tools = tools(SearchWire::References);
    let names = async |query: &str, most: usize| -> Vec<String> {
        let found = search(&tools, json!({"query": query, "max_results": most})).await.unwrap();
        let name = |content| match content {
            ToolResultContent::ToolReference(name) => name,
            other => format!("{other:?}"),
        };
        found.into_iter().map(name).collect()
    };
    assert_eq!(names("project issues", 9).await, [ISSUES, "mcp__mail__send"]);
    assert_eq!(names("project issues", 1).await, [ISSUES]);
    assert_eq!(names("project +letter", 9).await, ["mcp__mail__send"]);
    assert_eq!(names("sixty", 5).await.len(), 5);
    let none = names("sunshine", 5).await;
    assert!(none[0].contains("No tool matches `sunshine`"), "{none:?}");
    let error = search(&tools, json!({"query": " "})).await.unwrap_err();
    assert!(error.contains("`query` is empty"), "{error}");
}

#[test]
fn without_a_tool_to_defer_there_is_no_search() {
    let tools = Tools::built_in().deferring(&Loaded::default(), SearchWire::Schemas);
    assert!(tools.find("ToolSearch").is_none());
}
