//! The loop against scripts: the exact events, the requests, and the one Terminal.

mod calls;
mod stages;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::BoxFuture;
use futures::pin_mut;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::invariants::assert_valid;
use super::stage::{CountingHooks, Play, params, play};
use super::*;
use crate::agent::fixture::{
    Does, Piece, ScriptedModel, TestTool, clock, limit, line, text, thought, tool, tools,
};
use crate::agent::outbox::user;
use crate::agent::params::Limits;
use crate::conversation::{ContentBlock, StopReason, ToolResultContent, ToolUseId};
use crate::models::{ModelErrorKind, Provider, ProviderEvent};
use crate::tools::fixture::Fixture;
use crate::tools::{Tool, Tools};

/// Plays the script to its end and compares every event; checks what every request must hold.
#[track_caller]
fn check(script: Vec<Vec<Piece>>, want: &[&str]) {
    let played = play(Play { model: script, ..Play::default() });
    assert_eq!(played.lines, want);
    for (_, request) in &played.requests {
        assert_valid(request);
    }
}

#[test]
fn an_answer_without_calls_ends_the_task() {
    check(vec![vec![text("hello")]], &["request 1", "model hello", "done completed after 1"]);
}

#[test]
fn calls_are_run_and_told_until_there_are_none() {
    check(
        vec![vec![text("let me see"), tool("t1", "Look", json!({"at": "a"}))], vec![text("seen")]],
        &[
            "request 1",
            "model let me see",
            "model Look as t1",
            "call t1 Pending",
            "call t1 InProgress",
            "call t1 Completed",
            "user t1: {\"at\":\"a\"}",
            "transition next_turn",
            "request 2",
            "model seen",
            "done completed after 2",
        ],
    );
}

#[test]
fn the_most_turns_end_the_task_after_the_calls_of_the_last() {
    let call = |id: &str| vec![tool(id, "Act", json!({}))];
    let turn = |number: usize| {
        let id = format!("t{number}");
        vec![
            format!("request {number}"),
            format!("model Act as {id}"),
            format!("call {id} Pending"),
            format!("call {id} InProgress"),
            format!("call {id} Completed"),
            format!("user {id}: {{}}"),
        ]
    };
    let next = || vec!["transition next_turn".to_owned()];
    let end = vec!["attachment MaxTurnsReached".to_owned(), "done max_turns after 2".to_owned()];
    let played = play(Play {
        model: vec![call("t1"), call("t2"), call("t3")],
        limits: Some(Limits { max_turns: 2, ..Limits::default() }),
        ..Play::default()
    });
    assert_eq!(played.lines, [turn(1), next(), turn(2), end].concat());
}

#[test]
fn one_round_is_told_as_one() {
    let limits = Some(Limits { max_turns: 1, ..Limits::default() });
    let model = vec![vec![tool("t1", "Act", json!({}))]];
    let played = play(Play { model, limits, ..Play::default() });
    let history = format!("{:?}", played.history);
    assert!(history.contains("stopped after 1 round of tool calls"), "{history}");
}

#[test]
fn a_model_error_is_shown_once_and_ends_the_task() {
    check(
        vec![vec![Piece::Fail(ModelErrorKind::Authentication)]],
        &["request 1", "error the model failed.", "done model_error after 1"],
    );
    check(
        vec![
            vec![Piece::Fail(ModelErrorKind::PromptTooLong)],
            vec![Piece::Fail(ModelErrorKind::PromptTooLong)],
        ],
        &[
            "request 1",
            "compaction Started",
            "compaction Failed",
            "error the model failed.",
            "done prompt_too_long after 1",
        ],
    );
}

#[test]
fn a_stream_cut_after_finished_blocks_keeps_them_and_runs_their_calls() {
    let notice = "notice The answer may be incomplete: the stream broke off.";
    check(
        vec![vec![text("first"), Piece::Cut]],
        &["request 1", "model first", notice, "done completed after 1"],
    );
    check(
        vec![vec![tool("t1", "Look", json!({})), Piece::Cut]],
        &[
            "request 1",
            "model Look as t1",
            notice,
            "call t1 Pending",
            "call t1 InProgress",
            "call t1 Completed",
            "user t1: {}",
            "transition next_turn",
            "request 2",
            "model done",
            "done completed after 2",
        ],
    );
}

#[test]
fn a_stream_cut_after_a_thought_is_asked_for_again_twice() {
    let cut = || vec![thought("hm"), Piece::Cut];
    check(
        vec![cut(), vec![text("well")]],
        &["request 1", "model (hm)", "tombstone", "model well", "done completed after 1"],
    );
    check(
        vec![cut(), cut(), cut()],
        &[
            "request 1",
            "model (hm)",
            "tombstone",
            "model (hm)",
            "tombstone",
            "model (hm)",
            "tombstone",
            "error the stream broke off.",
            "done model_error after 1",
        ],
    );
}

#[test]
fn a_refusal_is_no_success_and_nothing_of_it_stays() {
    check(
        vec![vec![text("I sh"), Piece::Stop(StopReason::Refusal)]],
        &[
            "request 1",
            "model I sh",
            "tombstone",
            "error The model declined to answer this. Say it in other words, or choose another model.",
            "done model_error after 1",
        ],
    );
}

/// An answer is taken back before the first word of the one in its stead, and is in no later request.
#[tokio::test]
async fn a_void_answer_is_taken_back_before_the_next_begins() {
    let fixture = Fixture::new(&[]);
    let refused = vec![text("I sh"), Piece::Stop(StopReason::Refusal)];
    let model = ScriptedModel::new(vec![refused]);
    let mut params = params(&fixture, model.clone(), CancellationToken::new());
    params.fallbacks =
        [model.beside("second", vec![vec![tool("t1", "Look", json!({}))], vec![text("seen")]])
            as Arc<dyn Provider>]
        .into();
    let events: Vec<SessionEvent> = query(params).collect().await;
    let at = |what: &str, is_it: &dyn Fn(&LoopEvent) -> bool| {
        let found =
            events.iter().position(|event| matches!(event, SessionEvent::Loop(event) if is_it(event)));
        found.unwrap_or_else(|| panic!("no {what} in {events:#?}"))
    };
    let said = |event: &LoopEvent| match event {
        LoopEvent::Message(message @ Message::Assistant(_)) => Some(message.id().clone()),
        _ => None,
    };
    let shown = at("answer", &|event| said(event).is_some());
    let SessionEvent::Loop(void) = &events[shown] else { unreachable!() };
    let taken_back = at("tombstone", &|event| match event {
        LoopEvent::Tombstone { message_id } => said(void).as_ref() == Some(message_id),
        _ => false,
    });
    let next = events
        .iter()
        .enumerate()
        .skip(shown)
        .find(|(_, event)| {
            matches!(event, SessionEvent::Loop(LoopEvent::Stream(ProviderEvent::MessageStart { .. })))
        })
        .map(|(at, _)| at);
    assert!(shown < taken_back && Some(taken_back) < next, "{shown} {taken_back} {next:?}");
    let requests = model.all_requests();
    assert_eq!(requests.len(), 3);
    assert!(requests.iter().all(|(_, request)| !format!("{:?}", request.messages).contains("I sh")));
}

#[test]
fn a_call_that_was_taken_back_leaves_its_id_to_nobody() {
    let refused = vec![tool("t1", "Look", json!({})), Piece::Pause, Piece::Stop(StopReason::Refusal)];
    let again = vec![vec![tool("t1", "Look", json!({}))], vec![text("seen")]];
    let played = play(Play { model: vec![refused], others: vec![again], ..Play::default() });
    let begun: Vec<&str> = played.lines.iter().filter_map(|line| line.strip_suffix(" InProgress")).collect();
    let [first, second] = begun.as_slice() else { panic!("{:#?}", played.lines) };
    assert_eq!(*first, "call t1");
    assert!(second.starts_with("call t1_"), "{second}");
}

#[test]
fn an_empty_answer_is_no_success() {
    let empty = Vec::new;
    check(
        vec![empty(), empty(), empty()],
        &[
            "request 1",
            "user Continue.",
            "transition next_turn",
            "request 2",
            "user Continue.",
            "transition next_turn",
            "request 3",
            "error The model's answer was empty. Try again, or say it in other words.",
            "done model_error after 3",
        ],
    );
}

/// Cancels at the event that reads `at` and gives the lines from there on.
async fn cancelled_at(script: Vec<Vec<Piece>>, at: &str) -> Vec<String> {
    let fixture = Fixture::new(&[]);
    let cancel = CancellationToken::new();
    let events = query(params(&fixture, ScriptedModel::new(script), cancel.clone()));
    pin_mut!(events);
    let mut lines = Vec::new();
    while let Some(event) = events.next().await {
        if cancel.is_cancelled() {
            lines.extend(line(&event));
        } else if line(&event).is_some_and(|line| line == at) {
            cancel.cancel();
        }
    }
    lines
}

#[tokio::test]
async fn a_cancel_while_streaming_answers_the_finished_calls() {
    let script = vec![vec![text("a"), tool("t1", "Hang", json!({})), Piece::Stall]];
    assert_eq!(
        cancelled_at(script, "model Hang as t1").await,
        [
            "call t1 Pending",
            "call t1 InProgress",
            "call t1 Failed",
            "user t1 failed: The user interrupted the task before this call was finished.",
            "user [The user interrupted the task here.]",
            "done aborted_streaming after 1",
        ]
    );
}

#[tokio::test]
async fn a_cancel_while_a_tool_runs_answers_every_call() {
    let calls =
        vec![tool("t1", "Look", json!({})), tool("t2", "Hang", json!({})), tool("t3", "Act", json!({}))];
    assert_eq!(
        cancelled_at(vec![calls], "call t2 InProgress").await,
        [
            "call t2 Failed",
            "user t2 failed: The user interrupted the task before this call was finished.",
            "call t3 Failed",
            "user t3 failed: The user interrupted the task before this call was finished.",
            "user [The user interrupted the task here.]",
            "done aborted_tools after 1",
        ]
    );
}

#[tokio::test]
async fn what_the_user_sends_meanwhile_comes_after_the_results() {
    let fixture = Fixture::new(&[]);
    let model = ScriptedModel::new(vec![vec![tool("t1", "Look", json!({}))]]);
    let calls = AtomicUsize::new(0);
    let params = QueryParams {
        take_queued: Box::new(move || {
            let first = calls.fetch_add(1, Ordering::SeqCst) == 0;
            let queued =
                if first { vec![] } else { vec![user(clock()(), vec![ContentBlock::text("and b")])] };
            future::ready(queued).boxed()
        }),
        ..params(&fixture, model.clone(), CancellationToken::new())
    };
    query(params).for_each(|_| future::ready(())).await;
    let last = model.requests()[1].messages.last().unwrap().content.clone();
    let result = ContentBlock::ToolResult {
        tool_use_id: ToolUseId("t1".into()),
        content: vec![ToolResultContent::Text("{}".into())],
        is_error: false,
    };
    assert_eq!(last, [result, ContentBlock::text("and b")]);
}

#[tokio::test]
async fn the_prefix_of_the_next_request_is_the_last_one() {
    let fixture = Fixture::new(&[]);
    let model = ScriptedModel::new(vec![vec![tool("t1", "Look", json!({}))]]);
    query(params(&fixture, model.clone(), CancellationToken::new())).for_each(|_| future::ready(())).await;
    let [first, second] = model.requests().try_into().expect("two requests");
    assert_eq!((&first.system, &first.tools), (&second.system, &second.tools));
    assert_eq!(first.messages, second.messages[..first.messages.len()]);
}

#[tokio::test]
async fn a_tool_that_comes_while_the_task_runs_is_there_in_the_next_round() {
    let fixture = Fixture::new(&[]);
    let model =
        ScriptedModel::new(vec![vec![tool("t1", "Look", json!({}))], vec![tool("t2", "Act", json!({}))]]);
    let rounds = AtomicUsize::new(0);
    let params = QueryParams {
        refresh_tools: Some(Box::new(move || match rounds.fetch_add(1, Ordering::SeqCst) {
            0 => Tools::new(vec![Arc::new(TestTool::new(Does::Look))]),
            _ => tools(),
        })),
        ..params(&fixture, model.clone(), CancellationToken::new())
    };
    let lines: Vec<String> = query(params).filter_map(|event| future::ready(line(&event))).collect().await;
    assert!(lines.contains(&"user t2: {}".to_owned()), "{lines:?}");
    let told: Vec<usize> = model.requests().iter().map(|request| request.tools.len()).collect();
    assert_eq!(told, [1, tools().names().len(), tools().names().len()]);
}

#[test]
fn an_error_that_recovery_mends_is_never_shown() {
    let played = play(Play { model: vec![vec![text("half"), limit()]], ..Play::default() });
    let told = |line: &&String| line.starts_with("error") || line.starts_with("notice");
    assert_eq!(played.lines.iter().filter(told).count(), 0, "{:?}", played.lines);
    let cuts = vec![vec![text("half"), limit()]; 5];
    let played = play(Play { model: cuts, ..Play::default() });
    assert_eq!(played.lines.iter().filter(told).count(), 1, "{:?}", played.lines);
    assert_eq!(played.terminal.reason, TerminalReason::ModelError);
    assert!(played.terminal.message.is_some_and(|message| message.contains("cut off")));
}

#[tokio::test]
async fn stop_hooks_are_asked_at_an_end_and_told_of_a_failure_instead() {
    for (script, stops, failures) in [
        (vec![vec![text("done")]], 1, 0),
        (vec![vec![Piece::Fail(ModelErrorKind::Server)]], 0, 1),
        (vec![vec![Piece::Fail(ModelErrorKind::PromptTooLong)]; 2], 0, 1),
    ] {
        let fixture = Fixture::new(&[]);
        let hooks = Arc::new(CountingHooks::default());
        let model = ScriptedModel::new(script);
        let params =
            QueryParams { hooks: hooks.clone(), ..params(&fixture, model, CancellationToken::new()) };
        query(params).for_each(|_| future::ready(())).await;
        let told = hooks.failures.lock().unwrap().len();
        assert_eq!((hooks.stops.load(Ordering::SeqCst), told), (stops, failures));
    }
}

#[test]
fn every_end_leaves_a_conversation_that_can_be_gone_on_with_and_no_call_running() {
    let ends = [
        Play { cancel_at: Some("model Hang as t1"), ..Play::default() },
        Play { cancel_at: Some("call t1 InProgress"), ..Play::default() },
        Play { limits: Some(Limits { max_turns: 0, ..Limits::default() }), ..Play::default() },
        Play { hook_stops_after: Some("Act"), ..Play::default() },
    ];
    for end in ends {
        let model = vec![vec![tool("t0", "Act", json!({})), tool("t1", "Hang", json!({}))]];
        let played = play(Play { model, ..end });
        assert_valid(&crate::models::ModelRequest::new(
            Vec::new(),
            Vec::new(),
            crate::conversation::normalize(&played.history),
            1,
        ));
        let begun = played.lines.iter().filter(|line| line.ends_with(" InProgress")).count();
        let ended = |line: &&String| line.ends_with(" Completed") || line.ends_with(" Failed");
        let ended = played.lines.iter().filter(|line| line.starts_with("call ")).filter(ended).count();
        assert!(begun <= ended, "{:?}", played.lines);
    }
}

#[test]
fn a_summary_of_calls_comes_when_it_is_made_and_is_waited_for_by_nobody() {
    let model = vec![vec![tool("t1", "Look", json!({}))], vec![Piece::Pause, text("seen")]];
    let made = Play { small: Some(vec![vec![text("\"Looked around.\"\n")]]), model, ..Play::default() };
    let lines = play(made.clone()).lines;
    assert_eq!(lines[lines.len() - 3..], ["model seen", "summary Looked around", "done completed after 2"]);

    let never = Play { small: Some(vec![vec![Piece::Stall]]), ..made.clone() };
    let refused = Play { small: Some(vec![vec![Piece::Fail(ModelErrorKind::Overloaded)]]), ..made };
    for other in [never, refused] {
        let lines = play(other).lines;
        assert_eq!(lines[lines.len() - 2..], ["model seen", "done completed after 2"], "{lines:?}");
    }
}

#[test]
fn an_answer_is_counted_once_and_an_abandoned_one_too() {
    let answer = vec![text("a"), text("b"), tool("t1", "Look", json!({})), Piece::Tokens(7)];
    let again = vec![thought("hm"), Piece::Tokens(5), Piece::Cut];
    let played = play(Play { model: vec![answer, again, vec![text("done")]], ..Play::default() });
    let spent = played.terminal.spent.total();
    assert_eq!((spent.input_tokens, spent.output_tokens), (30, 7 + 5 + 1));
    let cost = played.terminal.cost.expect("a cost");
    assert_eq!(cost.amount.to_string(), "13.00003");
}

#[test]
fn the_end_tells_how_the_asking_went() {
    let broken = vec![vec![tool("t1", "Look", json!({})), Piece::Pause, text("half"), Piece::Cut]];
    let account = play(Play { model: broken, ..Play::default() }).terminal.account;
    assert_eq!(account.stop_reason, Some(StopReason::EndTurn), "of the answer behind it");
    let [why] = account.errors.as_slice() else { panic!("one thing went wrong: {:?}", account.errors) };
    assert!(why.starts_with("The answer may be incomplete: "), "{why}");

    let refused = play(Play { model: vec![vec![Piece::Fail(ModelErrorKind::Server)]], ..Play::default() });
    assert_eq!(refused.terminal.account.errors, [refused.terminal.message.unwrap()]);
}

#[tokio::test]
async fn behind_a_summary_of_the_provider_no_file_counts_as_visible() {
    let fixture = Fixture::new(&[("a.rs", "fn a() {}\n")]);
    let path = fixture.path("a.rs");
    let read = fixture.documents.snapshot(&path).unwrap();
    fixture.seen.show(&read.path, &read.text, Some(read.stamp), 0..1);
    let summary = ContentBlock::Compaction { content: "So far.".into() };
    let model = ScriptedModel::new(vec![vec![Piece::Block(summary), text("on")]]);
    query(params(&fixture, model, CancellationToken::new())).for_each(|_| future::ready(())).await;
    assert_eq!(fixture.seen.get(&read.path).map(|seen| seen.lines), Some(Vec::new()));
}
