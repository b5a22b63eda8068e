//! The calls of an answer: when they begin, what each of them gives, and what becomes of it.

use super::*;
use crate::conversation::{Overlong, overlong_input};
use crate::tools::{Loaded, SearchWire, ToolError, ToolKind, ToolResult, ToolUseContext};

/// A tool that is known by name only, and takes an object with `at`.
struct Remote;

impl Tool for Remote {
    fn name(&self) -> &'static str {
        "mcp__map__find"
    }

    fn description(&self) -> String {
        "Finds a place.".to_owned()
    }

    fn should_defer(&self) -> bool {
        true
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Search
    }

    fn input_schema(&self) -> serde_json::Value {
        json!({"type": "object", "properties": {"at": {"type": "string"}}})
    }

    fn validate(&self, input: &serde_json::Value) -> Result<(), ToolError> {
        input["at"].is_string().then_some(()).ok_or_else(|| ToolError("`at` is missing".to_owned()))
    }

    fn title(&self, _: &serde_json::Value) -> String {
        "Find a place".to_owned()
    }

    fn call(
        &self,
        _: serde_json::Value,
        _: ToolUseContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        future::ready(Ok(ToolResult::text("found"))).boxed()
    }
}

#[tokio::test]
async fn a_call_of_a_tool_that_was_never_loaded_is_answered_with_how_to_load_it() {
    let fixture = Fixture::new(&[]);
    let name = "mcp__map__find";
    let model = ScriptedModel::new(vec![
        vec![tool("t1", name, json!({"where": 1}))],
        vec![tool("t2", "ToolSearch", json!({"query": format!("select:{name}")}))],
        vec![tool("t3", name, json!({"where": 1}))],
        vec![tool("t4", name, json!({"at": "home"}))],
    ]);
    let deferring = Tools::new(vec![Arc::new(TestTool::new(Does::Look)), Arc::new(Remote)])
        .deferring(&Loaded::default(), SearchWire::Schemas);
    let params =
        QueryParams { tools: deferring, ..params(&fixture, model.clone(), CancellationToken::new()) };
    let lines: Vec<String> = query(params).filter_map(|event| future::ready(line(&event))).collect().await;
    let results: Vec<&str> =
        lines.iter().map(String::as_str).filter(|line| line.starts_with("user t")).collect();
    assert_eq!(
        results,
        [
            "user t1 failed: You know `mcp__map__find` by name only, so nothing was done. Load it first: ToolSearch with `select:mcp__map__find`.",
            "user t2: These tools can be called from your next answer on: mcp__map__find.",
            "user t3 failed: `at` is missing",
            "user t4: found",
        ]
    );
    let told: Vec<Vec<String>> = model
        .requests()
        .iter()
        .map(|request| request.tools.iter().map(|tool| tool.name.clone()).collect())
        .collect();
    assert_eq!(told[1], ["Look", "ToolSearch"]);
    assert_eq!(told[2], ["Look", "ToolSearch", name]);
}

#[test]
fn every_way_a_call_can_fail_is_a_result() {
    check(
        vec![vec![
            tool("t1", "Nothing", json!({})),
            tool("t2", "Look", json!(7)),
            tool("t3", "Refuse", json!({})),
            tool("t4", "Panic", json!({})),
            tool("t5", "Look", json!({})),
        ]],
        &[
            "request 1",
            "model Nothing as t1",
            "model Look as t2",
            "model Refuse as t3",
            "model Panic as t4",
            "model Look as t5",
            "call t1 Failed",
            "user t1 failed: There is no tool `Nothing`. The tools are: Act, Add, Ask, Hang, Look, Panic, Refuse, Run, Wait.",
            "call t2 Pending",
            "call t2 Failed",
            "user t2 failed: the input is no object",
            "call t3 Pending",
            "call t3 Rejected",
            "user t3 failed: It is forbidden.",
            "call t4 Pending",
            "call t4 InProgress",
            "call t4 Failed",
            "user t4 failed: Panic failed: there is a fault in the tool itself.",
            "call t5 Pending",
            "call t5 InProgress",
            "call t5 Completed",
            "user t5: {}",
            "transition next_turn",
            "request 2",
            "model done",
            "done completed after 2",
        ],
    );
}

#[test]
fn a_model_is_told_that_an_input_is_too_long() {
    check(
        vec![vec![tool("t1", "Act", overlong_input("{\"a", Overlong { bytes: 30 << 20, most: 8 << 20 }))]],
        &[
            "request 1",
            "model Act as t1",
            "call t1 Pending",
            "call t1 Failed",
            "user t1 failed: The input of Act has 30720 kB, and no call may have more than 8192 kB, so nothing was done. Do it in several calls with a part each.",
            "transition next_turn",
            "request 2",
            "model done",
            "done completed after 2",
        ],
    );
}

#[tokio::test]
async fn twelve_safe_calls_run_ten_at_once_and_answer_in_order() {
    let fixture = Fixture::new(&[]);
    let look = Arc::new(TestTool::new(Does::Look));
    let calls = (0..12).map(|n| tool(&format!("t{n}"), "Look", json!({"n": n}))).collect();
    let model = ScriptedModel::new(vec![calls]);
    let params = QueryParams {
        tools: Tools::new(vec![look.clone() as Arc<dyn Tool>]),
        ..params(&fixture, model, CancellationToken::new())
    };
    let lines: Vec<String> = query(params).filter_map(|event| future::ready(line(&event))).collect().await;
    assert_eq!(look.peak.load(Ordering::SeqCst), 10);
    let answered: Vec<&String> = lines.iter().filter(|line| line.starts_with("user t")).collect();
    let want: Vec<String> = (0..12).map(|n| format!("user t{n}: {{\"n\":{n}}}")).collect();
    assert_eq!(answered, want.iter().collect::<Vec<_>>());
}

#[tokio::test]
async fn dropping_the_stream_drops_the_running_calls() {
    let fixture = Fixture::new(&[]);
    let model = ScriptedModel::new(vec![vec![tool("t1", "Hang", json!({}))]]);
    let params = params(&fixture, model.clone(), CancellationToken::new());
    let mut events = Box::pin(query(params));
    while let Some(event) = events.next().await {
        if line(&event).as_deref() == Some("call t1 InProgress") {
            break;
        }
    }
    drop(events);
    assert_eq!(Arc::strong_count(&model), 1, "nothing holds the model any more");
}

#[tokio::test]
async fn a_call_begins_when_its_block_is_whole_and_its_result_is_shown_at_once() {
    let fixture = Fixture::new(&[]);
    let act = Arc::new(TestTool::new(Does::Act));
    let answer = vec![tool("t1", "Act", json!({})), Piece::Until(act.done.clone()), text("after it")];
    let model = ScriptedModel::new(vec![answer]);
    let params = QueryParams {
        tools: Tools::new(vec![act as Arc<dyn Tool>]),
        ..params(&fixture, model.clone(), CancellationToken::new())
    };
    let lines: Vec<String> = query(params).filter_map(|event| future::ready(line(&event))).collect().await;
    assert_eq!(
        lines,
        [
            "request 1",
            "model Act as t1",
            "call t1 Pending",
            "call t1 InProgress",
            "call t1 Completed",
            "user t1: {}",
            "model after it",
            "transition next_turn",
            "request 2",
            "model done",
            "done completed after 2",
        ]
    );
    let request = &model.requests()[1];
    assert_valid(request);
    assert_eq!(request.messages[1].content.len(), 2, "both blocks are one answer again");
}

#[test]
fn what_an_abandoned_answers_calls_gave_is_taken_back_with_it() {
    let first = vec![
        text("I look"),
        tool("t1", "Look", json!({})),
        Piece::Pause,
        Piece::Break(ModelErrorKind::Overloaded),
    ];
    let second = vec![text("mine")];
    let played = play(Play { model: vec![first], others: vec![vec![second]], ..Play::default() });
    assert_eq!(
        played.lines,
        [
            "request 1",
            "model I look",
            "model Look as t1",
            "call t1 Pending",
            "call t1 InProgress",
            "call t1 Completed",
            "user t1: {}",
            "tombstone",
            "tombstone",
            "tombstone",
            "notice the model gave up. For the rest of this task, second answers instead of scripted.",
            "request 1 to second",
            "model mine",
            "done completed after 1",
        ]
    );
    let left: Vec<&Message> =
        played.history.iter().filter(|message| !matches!(message, Message::System(_))).collect();
    assert_eq!(left.len(), 2, "the prompt and the answer of the other model: {left:?}");
}

#[test]
fn a_siblings_error_names_the_call_that_failed() {
    let calls = vec![
        tool("t1", "Run", json!({"exit": 1})),
        tool("t2", "Run", json!({"sleep": true})),
        tool("t3", "Act", json!({})),
    ];
    let played = play(Play { model: vec![calls], ..Play::default() });
    let results: Vec<&String> = played.lines.iter().filter(|line| line.starts_with("user t")).collect();
    let cancelled = "Cancelled, because a call of the same answer failed: Run {\"exit\":1}.";
    assert_eq!(
        results,
        [
            "user t1 failed: exit 1",
            &format!("user t2 failed: {cancelled}"),
            &format!("user t3 failed: {cancelled}"),
        ]
    );
}
