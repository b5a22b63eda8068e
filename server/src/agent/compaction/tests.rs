//! Compaction against a scripted model: when it is asked, what it is asked, and what stands afterwards.

use std::sync::{Arc, Mutex};

use futures::FutureExt as _;
use futures::future::{self, BoxFuture};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::agent::fixture::{Piece, ScriptedModel, clock, line, text, tool};
use crate::agent::outbox::user;
use crate::agent::params::{Instead, QueryParams};
use crate::agent::query::{query, stage};
use crate::agent::{Hooks, SessionEvent};
use crate::conversation::{
    ApiMessage, AssistantMessage, ImageSource, MessageId, Role, SessionId, StopReason, ToolUseId,
};
use crate::documents::Text;
use crate::tools::Tools;
use crate::tools::fixture::Fixture;

mod words;

const SUMMARY: &str = "<analysis>hm</analysis><summary>1. All of it</summary>";

/// An answer with a call, after which the conversation takes that many tokens.
fn call(id: &str, tokens: u64) -> Vec<Piece> {
    vec![tool(id, "Look", json!({})), Piece::Tokens(tokens)]
}

/// Plays the script; gives the lines that are no calls, and what was asked.
async fn played(params: QueryParams, model: &ScriptedModel) -> (Vec<String>, Vec<ModelRequest>) {
    let lines: Vec<String> = query(params).filter_map(|event| future::ready(line(&event))).collect().await;
    let told = lines.into_iter().filter(|line| {
        ["compaction", "transition", "done", "error"].iter().any(|start| line.starts_with(start))
    });
    (told.collect(), model.requests())
}

fn is_question(request: &ModelRequest) -> bool {
    request.tool_choice == ToolChoice::None
}

fn words(message: &ApiMessage) -> String {
    let texts = message.content.iter().map(|block| match block {
        ContentBlock::Text { text } => text.clone(),
        ContentBlock::ToolUse { id, .. } => format!("call {id}"),
        ContentBlock::ToolResult { tool_use_id, .. } => format!("result {tool_use_id}"),
        other => format!("{other:?}"),
    });
    texts.collect::<Vec<_>>().join(" | ")
}

fn prompt(words: &str) -> Message {
    Message::from(user(clock()(), vec![ContentBlock::text(words)]))
}

/// An answer that calls nothing, behind which the conversation takes that many tokens.
fn answered(tokens: u64) -> Message {
    Message::from(AssistantMessage {
        id: MessageId::fresh(),
        at: clock()(),
        response_id: "r0".to_owned(),
        request_id: None,
        model: "scripted".to_owned(),
        content: vec![ContentBlock::text("That is done.")],
        stop_reason: Some(StopReason::EndTurn),
        usage: Usage { input_tokens: tokens, ..Usage::default() },
        is_api_error: false,
        is_virtual: false,
    })
}

/// A summary of `view`, made without a task around it.
async fn made(params: &QueryParams, view: &[Message], how: Compaction) -> Compacted {
    let context = &params.tool_use_context;
    let allowed = allowed(params, view, how, context).await.unwrap();
    compact(params, view, allowed, context).await.unwrap()
}

#[track_caller]
fn check(script: Vec<Vec<Piece>>, want: &[&str], questions: &[bool]) -> Vec<ModelRequest> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (lines, requests) = runtime.block_on(async {
        let fixture = Fixture::new(&[]);
        let model = ScriptedModel::new(script);
        let params = stage::params(&fixture, model.clone(), CancellationToken::new());
        played(params, &model).await
    });
    assert_eq!(lines, want);
    assert_eq!(requests.iter().map(is_question).collect::<Vec<_>>(), questions);
    requests
}

#[test]
fn at_the_threshold_one_summary_is_made_and_the_next_request_begins_with_it() {
    // Of `Window::USUAL`: 200,000 less 20,000 for an answer, less 13,000. The call's result takes a few tokens itself.
    let requests = check(
        vec![call("t1", 167_001), vec![text(SUMMARY)], vec![text("done")]],
        &["transition next_turn", "compaction Started", "compaction Done", "done completed after 2"],
        &[false, true, false],
    );
    let question = requests[1].messages.last().unwrap();
    assert!(words(question).starts_with("result t1 | The conversation above"), "{}", words(question));
    assert_eq!((&requests[1].system, &requests[1].tools), (&requests[0].system, &requests[0].tools));
    let [first] = requests[2].messages.as_slice() else { panic!("a summary alone: {:?}", requests[2]) };
    assert_eq!(first.role, Role::User);
    let words = words(first);
    assert!(words.contains("1. All of it") && !words.contains("hm") && words.contains("Go on"), "{words}");
    let below = 166_900;
    check(
        vec![call("t1", below), vec![text("done")]],
        &["transition next_turn", "done completed after 2"],
        &[false, false],
    );
}

#[test]
fn a_summary_that_fails_is_tried_three_times_in_a_session() {
    let fails = || vec![Piece::Fail(ModelErrorKind::Server)];
    let next = "transition next_turn";
    let failed = ["compaction Started", "compaction Failed"];
    let full = |id: &str| call(id, 170_000);
    check(
        vec![full("t1"), fails(), full("t2"), fails(), full("t3"), fails(), full("t4"), vec![text("done")]],
        &[
            [next].as_slice(),
            &failed,
            &[next],
            &failed,
            &[next],
            &failed,
            &[next],
            &["done completed after 5"],
        ]
        .concat(),
        &[false, true, false, true, false, true, false, false],
    );
}

#[test]
fn a_conversation_too_long_to_be_summarised_loses_its_oldest_rounds_three_times() {
    let too_long = || vec![Piece::Fail(ModelErrorKind::PromptTooLong)];
    let rounds = (1..=4).map(|n| call(&format!("t{n}"), 1_000));
    let requests = check(
        rounds.chain([too_long(), too_long(), too_long(), vec![text(SUMMARY)], vec![text("done")]]).collect(),
        &[
            "transition next_turn",
            "transition next_turn",
            "transition next_turn",
            "transition next_turn",
            "compaction Started",
            "compaction Done",
            "transition reactive_compact_retry",
            "done completed after 5",
        ],
        &[false, false, false, false, false, true, true, true, false],
    );
    let lengths: Vec<usize> = requests[5..8].iter().map(|request| request.messages.len()).collect();
    assert_eq!(lengths, [9, 7, 5], "a round goes each time, and the user still begins");
}

#[test]
fn what_no_summary_helps_ends_with_the_error_that_was_held_back() {
    let too_long = || vec![Piece::Fail(ModelErrorKind::PromptTooLong)];
    let rounds = (1..=5).map(|n| call(&format!("t{n}"), 1_000));
    let next = "transition next_turn";
    let end = [
        "compaction Started",
        "compaction Failed",
        "error the model failed.",
        "done prompt_too_long after 6",
    ];
    check(
        rounds.chain(std::iter::repeat_with(too_long).take(9)).collect(),
        &[[next; 5].as_slice(), &end].concat(),
        &[false, false, false, false, false, false, true, true, true, true],
    );
}

/// Notes what it is told around a summary.
#[derive(Default)]
struct Noting {
    told: Arc<Mutex<Vec<String>>>,
}

impl Noting {
    fn note(&self, line: String) {
        self.told.lock().unwrap().push(line);
    }
}

impl Hooks for Noting {
    fn before_compact(&self, input: CompactInput) -> BoxFuture<'static, CompactVerdict> {
        self.note(format!("before {:?}: {}", input.trigger, input.instructions));
        future::ready(CompactVerdict::Pass("keep the names".into())).boxed()
    }

    fn start_after_compact(&self, _: SessionId) -> BoxFuture<'static, Vec<String>> {
        self.note("start".into());
        future::ready(vec!["the branch is main".into()]).boxed()
    }

    fn after_compact(&self, input: CompactInput, summary: String) -> BoxFuture<'static, ()> {
        self.note(format!("after {:?}: {summary}", input.trigger));
        future::ready(()).boxed()
    }
}

#[tokio::test]
async fn hooks_have_a_say_before_a_summary_and_behind_it() {
    let fixture = Fixture::new(&[]);
    let model = ScriptedModel::new(vec![call("t1", 167_001), vec![text(SUMMARY)], vec![text("done")]]);
    let (hooks, mut params) =
        (Noting::default(), stage::params(&fixture, model.clone(), CancellationToken::new()));
    let told = hooks.told.clone();
    params.hooks = Arc::new(hooks);
    let (_, requests) = played(params, &model).await;
    let told = told.lock().unwrap().clone();
    assert_eq!(
        told.iter().map(|line| line.split(": ").next().unwrap()).collect::<Vec<_>>(),
        ["before Auto", "start", "after Auto"]
    );
    assert!(told[2].contains("1. All of it"), "{told:?}");
    let question = words(requests[1].messages.last().unwrap());
    assert!(question.contains("keep the names"), "{question}");
    let begun = words(&requests[2].messages[0]);
    assert!(begun.contains("1. All of it") && begun.contains("the branch is main"), "{begun}");
}

#[tokio::test]
async fn a_summary_that_the_user_wants_and_a_hook_forbids_is_not_made() {
    struct No;
    impl Hooks for No {
        fn before_compact(&self, _: CompactInput) -> BoxFuture<'static, CompactVerdict> {
            future::ready(CompactVerdict::Block("not now".into())).boxed()
        }
    }
    let fixture = Fixture::new(&[]);
    let model = ScriptedModel::new(Vec::new());
    let params = stage::params(&fixture, model.clone(), CancellationToken::new());
    let params =
        QueryParams { hooks: Arc::new(No), instead: Some(Instead::Summary(String::new())), ..params };
    let (lines, requests) = played(params, &model).await;
    assert_eq!((lines, requests), (vec!["done hook_stopped after 0".to_owned()], Vec::new()));
}

#[test]
fn an_empty_summary_is_none() {
    check(
        vec![vec![Piece::Fail(ModelErrorKind::PromptTooLong)], vec![text("<analysis>only this</analysis>")]],
        &[
            "compaction Started",
            "compaction Failed",
            "error the model failed.",
            "done prompt_too_long after 1",
        ],
        &[false, true],
    );
}

#[test]
fn a_conversation_that_even_summarised_is_too_long_is_not_summarised_again() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (lines, requests) = runtime.block_on(async {
        let fixture = Fixture::new(&[]);
        let model = ScriptedModel::new(vec![vec![text(SUMMARY)]]);
        let mut params = stage::params(&fixture, model.clone(), CancellationToken::new());
        params.system = vec!["long ".repeat(150_000)];
        params.messages.extend([answered(0), prompt("and this")]);
        played(params, &model).await
    });
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert!(
        lines[2].starts_with("error Even summarised") && lines[3].starts_with("done blocking_limit"),
        "{lines:?}"
    );
    assert_eq!(requests.len(), 1, "the summary alone");
}

#[test]
fn without_automatic_summaries_what_can_not_fit_is_not_sent() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (lines, requests) = runtime.block_on(async {
        let fixture = Fixture::new(&[]);
        let model = ScriptedModel::new(Vec::new());
        let mut settings = crate::config::ContextSettings::default();
        settings.auto_compact.value = false;
        let params = QueryParams {
            system: vec!["long ".repeat(150_000)],
            context: Arc::new(crate::agent::session_context::SessionContext::new(settings, None)),
            ..stage::params(&fixture, model.clone(), CancellationToken::new())
        };
        played(params, &model).await
    });
    assert!(lines[0].starts_with("error The conversation takes 250"), "{lines:?}");
    assert_eq!((lines[1].as_str(), requests.len()), ("done blocking_limit after 1", 0));
}

#[tokio::test]
async fn a_cancel_while_a_summary_is_made_ends_the_task() {
    let fixture = Fixture::new(&[]);
    let cancel = CancellationToken::new();
    let model = ScriptedModel::new(vec![call("t1", 170_000), vec![Piece::Stall]]);
    let params = stage::params(&fixture, model.clone(), cancel.clone());
    let mut lines = Vec::new();
    let events = query(params);
    futures::pin_mut!(events);
    while let Some(event) = events.next().await {
        if matches!(event, SessionEvent::Compaction(crate::agent::CompactionStatus::Started)) {
            cancel.cancel();
        }
        lines.extend(line(&event));
    }
    assert_eq!(lines.last().map(String::as_str), Some("done aborted_streaming after 2"));
}

#[tokio::test]
async fn files_are_shown_again_as_they_are_now_and_others_count_as_not_seen() {
    let long = (0..2_000).fold(String::new(), |text, n| format!("{text}line {n} of a long file\n"));
    let fixture = Fixture::new(&[("a.rs", "one\ntwo\n"), ("long.txt", &long), ("old.rs", "old\n")]);
    let see = |name: &str, content: &str| {
        let text = Text::from(content);
        let lines = text.line_count();
        fixture.seen.show(&fixture.path(name), &text, None, 0..lines);
    };
    for n in 0..5 {
        see(&format!("gone{n}.rs"), "gone\n");
    }
    see("old.rs", "old\n");
    see("long.txt", &long.replacen("line 0 ", "the first line ", 1));
    see("a.rs", "zero\ntwo\n");
    let model = ScriptedModel::new(vec![vec![text(SUMMARY)]]);
    let mut params = stage::params(&fixture, model.clone(), CancellationToken::new());
    params.tools = Tools::built_in();
    params.messages.push(answered(0));
    let view = params.messages.clone();
    let compacted = made(&params, &view, Compaction::Auto).await;
    let texts: Vec<String> = compacted
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::Attachment(attachment) => Some(attachment.text.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(
        texts,
        [
            "a.rs, which you read before the summary, as it is now:\n     1\tone\n     2\ttwo\n",
            "long.txt is too long to be shown again. This has changed in it since you last read it:\n\
             @@ -1 +1 @@\n-the first line of a long file\n+line 0 of a long file",
            "old.rs, which you read before the summary, as it is now:\n     1\told\n",
        ]
    );
    assert_eq!(fixture.seen.paths(), [fixture.path("a.rs"), fixture.path("old.rs")]);
    let kinds: Vec<&str> = compacted
        .messages
        .iter()
        .map(|message| match message {
            Message::System(_) => "boundary",
            Message::User(user) if user.is_compact_summary => "summary",
            Message::User(_) | Message::Assistant(_) | Message::Progress(_) => "kept",
            Message::Attachment(_) => "file",
        })
        .collect();
    assert_eq!(kinds, ["boundary", "summary", "file", "file", "file"]);
}

#[tokio::test]
async fn a_summary_that_fails_says_why_once() {
    let fixture = Fixture::new(&[]);
    let fails = || vec![Piece::Fail(ModelErrorKind::Server)];
    let model = ScriptedModel::new(vec![call("t1", 168_000), fails(), vec![text("done")]]);
    let params = stage::params(&fixture, model.clone(), CancellationToken::new());
    let told = |events: Vec<SessionEvent>| -> Vec<SessionEvent> {
        let is_failure = |event: &SessionEvent| {
            matches!(event, SessionEvent::Compaction(crate::agent::CompactionStatus::Failed(_)))
        };
        events.into_iter().filter(is_failure).collect()
    };
    let failed = |why: Option<&str>| {
        vec![SessionEvent::Compaction(crate::agent::CompactionStatus::Failed(why.map(str::to_owned)))]
    };
    assert_eq!(told(query(params).collect().await), failed(Some("the model failed.")));
    // The end of a task that is nothing but a summary says it.
    let model = ScriptedModel::new(vec![fails()]);
    let mut params = stage::params(&fixture, model.clone(), CancellationToken::new());
    params.messages.push(answered(0));
    params.instead = Some(Instead::Summary(String::new()));
    let events: Vec<SessionEvent> = query(params).collect().await;
    let end = events.iter().filter_map(line).next_back();
    assert_eq!(told(events), failed(None));
    assert_eq!(end.as_deref(), Some("done model_error after 0"));
}
