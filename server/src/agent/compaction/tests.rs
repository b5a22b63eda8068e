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
async fn the_newest_prompt_is_kept_word_for_word() {
    let fixture = Fixture::new(&[]);
    let model = ScriptedModel::new(vec![vec![text(SUMMARY)]]);
    let mut params = stage::params(&fixture, model.clone(), CancellationToken::new());
    let newest = Message::from(user(clock()(), vec![ContentBlock::text("and now this")]));
    params.messages.extend([answered(0), newest.clone()]);
    let view = params.messages.clone();
    let how = Compaction::Manual { instructions: "the tests".into() };
    let compacted = made(&params, &view, how).await;
    assert_eq!(compacted.messages.last(), Some(&newest));
    let [request] = model.requests().try_into().unwrap();
    let question = words(request.messages.last().unwrap());
    assert!(
        question.ends_with("in the summary:\nthe tests") && !question.contains("and now this"),
        "{question}"
    );
}

/// More than is kept of a conversation otherwise.
fn long_prompt() -> String {
    format!("FIRST WORDS {} LAST WORDS", "please look at this line of the log 12345\n".repeat(1_600))
}

/// The requests of a task with a long prompt behind an answered one. `kept`: `context.kept_tokens`.
async fn asked_with_a_long_prompt(kept: u64, tokens: u64, script: Vec<Vec<Piece>>) -> Vec<ModelRequest> {
    let fixture = Fixture::new(&[]);
    let model = ScriptedModel::new(script);
    let mut params = stage::params(&fixture, model.clone(), CancellationToken::new());
    let settings = crate::config::ContextSettings::default().with(ContextNumber::KeptTokens, kept);
    params.context = Arc::new(crate::agent::session_context::SessionContext::new(settings, None));
    params.messages.extend([answered(tokens), prompt(&long_prompt())]);
    let (lines, requests) = played(params, &model).await;
    assert!(lines.last().is_some_and(|line| line.starts_with("done completed")), "{lines:?}");
    requests
}

#[tokio::test]
async fn a_long_prompt_is_sent_word_for_word_behind_a_summary_of_what_came_before() {
    for kept in [1, 10_000] {
        let done = || vec![text("done")];
        let full = asked_with_a_long_prompt(kept, 168_000, vec![vec![text(SUMMARY)], done()]).await;
        let refused = vec![vec![Piece::Fail(ModelErrorKind::PromptTooLong)], vec![text(SUMMARY)], done()];
        let refused = asked_with_a_long_prompt(kept, 1_000, refused).await;
        for requests in [full, refused] {
            let [.., question, last] = requests.as_slice() else { panic!("two requests: {requests:?}") };
            assert!(is_question(question) && !format!("{question:?}").contains("LAST WORDS"), "{question:?}");
            let [last] = last.messages.as_slice() else { panic!("the user alone: {last:?}") };
            assert!(words(last).contains("1. All of it") && words(last).ends_with(&long_prompt()));
        }
    }
}

#[tokio::test]
async fn a_long_prompt_stays_while_the_work_on_it_is_summed_up_again_and_again() {
    let script = vec![
        call("t1", 168_000),
        vec![text(SUMMARY)],
        call("t2", 168_000),
        vec![text(SUMMARY)],
        vec![text("done")],
    ];
    let requests = asked_with_a_long_prompt(10_000, 1_000, script).await;
    assert_eq!(
        requests.iter().map(is_question).collect::<Vec<_>>(),
        [false, true, false, true, false],
        "{requests:?}"
    );
    for request in [&requests[2], &requests[4]] {
        let [first] = request.messages.as_slice() else { panic!("the user alone: {request:?}") };
        let words = words(first);
        assert!(words.contains(&long_prompt()) && words.contains("word for word"), "{words}");
    }
}

#[tokio::test]
async fn a_prompt_stays_without_the_picture_that_may_have_been_refused() {
    let fixture = Fixture::new(&[]);
    let model = ScriptedModel::new(vec![vec![text(SUMMARY)]]);
    let mut params = stage::params(&fixture, model.clone(), CancellationToken::new());
    let image = ImageSource { media_type: "image/png".into(), data: "AAAA".into() };
    let content = vec![ContentBlock::text(long_prompt()), ContentBlock::Image(image)];
    params.messages.extend([answered(0), Message::from(user(clock()(), content))]);
    let view = params.messages.clone();
    let compacted = made(&params, &view, Compaction::Reactive { over_by: None }).await;
    let Some(Message::User(last)) = compacted.messages.last() else { panic!("the prompt: {compacted:?}") };
    let (ContentBlock::Text { text: first }, ContentBlock::Text { text: second }) =
        (&last.content[0], &last.content[1])
    else {
        panic!("texts: {last:?}")
    };
    assert_eq!((first.as_str(), second.as_str()), (long_prompt().as_str(), "[There was an image here.]"));
    let Message::System(boundary) = &compacted.messages[0] else { panic!("a boundary: {compacted:?}") };
    assert!(
        boundary
            .compaction
            .as_ref()
            .is_some_and(|said| said.without_images && said.kept == [last.id.clone()])
    );
}

#[tokio::test]
async fn words_that_leave_no_room_for_a_summary_go_and_the_user_is_told() {
    let fixture = Fixture::new(&[]);
    let model = ScriptedModel::new(vec![vec![text(SUMMARY)], vec![text(SUMMARY)]]);
    let mut params = stage::params(&fixture, model.clone(), CancellationToken::new());
    let long = prompt(&"long ".repeat(150_000));
    let is_told = |messages: &[Message]| {
        messages
            .iter()
            .any(|message| matches!(message, Message::System(system) if system.text == WORDS_TOO_LONG))
    };
    // Work on it was done, and there is no room for both.
    params.messages = vec![long.clone(), called("t1"), prompt("and this")];
    let view = params.messages.clone();
    let compacted = made(&params, &view, Compaction::Auto).await;
    assert!(is_told(&compacted.messages) && !compacted.messages.contains(&long));
    assert!(compacted.messages.contains(&view[2]), "the newest stays");
    // It is all there is, and was refused.
    let compacted = made(&params, std::slice::from_ref(&long), Compaction::Reactive { over_by: None }).await;
    assert!(is_told(&compacted.messages) && !compacted.messages.contains(&long));
}

fn called(id: &str) -> Message {
    let Message::Assistant(mut answer) = answered(0) else { unreachable!("it is an answer") };
    let block =
        ContentBlock::ToolUse { id: ToolUseId(id.to_owned()), name: "Look".to_owned(), input: json!({}) };
    Arc::make_mut(&mut answer).content = vec![block];
    Message::Assistant(answer)
}

#[tokio::test]
async fn a_prompt_alone_that_has_no_room_is_told_of_and_not_summed_up() {
    let fixture = Fixture::new(&[]);
    let model = ScriptedModel::new(Vec::new());
    let mut params = stage::params(&fixture, model.clone(), CancellationToken::new());
    params.messages = vec![prompt(&"long ".repeat(150_000))];
    let (lines, requests) = played(params, &model).await;
    assert!(lines[0].starts_with("error What you have sent takes 250"), "{lines:?}");
    assert_eq!((lines[1].as_str(), requests.len()), ("done blocking_limit after 1", 0));
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
