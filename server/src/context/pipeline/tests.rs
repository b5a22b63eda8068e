//! The steps together: their order, what they count, and what they lead to.

use serde_json::json;

use super::*;
use crate::config::ContextNumber;
use crate::context::CompactState;
use crate::context::fixture::{Setting, called, counting, filler, prompt, results, said, view};
use crate::conversation::{CompactMetadata, CompactTrigger, MessageId, SystemMessage, normalize};

#[track_caller]
fn check(counted: u64, setting: &Setting, want: &str) {
    let messages = view([prompt("go"), counting(counted, said("r1", "yes"))]);
    let verdict = prepare(messages, &mut Known::default(), &setting.input(), |_| {}).verdict;
    let got = match &verdict {
        Verdict::Send => "send",
        Verdict::Compact => "compact",
        Verdict::Blocked(why) => why,
    };
    assert!(got.contains(want), "{got}");
}

#[test]
fn the_steps_run_in_order_on_every_iteration_and_the_prompt_is_put_in() {
    let setting = Setting { system: vec!["be brief".to_owned()], ..Setting::new() };
    let mut view: Arc<[Message]> = view([prompt("go")]);
    for _ in 0..3 {
        let mut steps = Vec::new();
        let prepared = prepare(view, &mut Known::default(), &setting.input(), |step| steps.push(step));
        assert_eq!(steps, Step::ORDER);
        assert_eq!(prepared.system, ["be brief"]);
        view = prepared.messages;
    }
}

#[test]
fn at_the_threshold_a_summary_is_asked_for() {
    check(166_999, &Setting::new(), "send");
    check(167_001, &Setting::new(), "compact");
}

#[test]
fn after_three_failures_none_is_asked_for_until_nothing_fits() {
    let failing = |failures| {
        let state = CompactState { consecutive_failures: failures, ..CompactState::default() };
        Setting { state, ..Setting::new() }
    };
    check(170_000, &failing(2), "compact");
    check(170_000, &failing(3), "send");
    check(178_000, &failing(3), "The conversation takes 178000 tokens");
}

#[test]
fn a_summary_that_does_not_help_is_not_repeated() {
    let after = |rounds| {
        let state = CompactState { rounds_since: Some(rounds), ..CompactState::default() };
        Setting { state, ..Setting::new() }
    };
    check(170_000, &after(0), "Even summarised");
    check(170_000, &after(1), "compact");
    let counted = CompactState { rounds_since: Some(1), still_full: true, ..CompactState::default() };
    check(170_000, &Setting { state: counted, ..Setting::new() }, "Even summarised");
    let refilled = CompactState { rounds_since: Some(2), rapid_refills: 3, ..CompactState::default() };
    check(170_000, &Setting { state: refilled, ..Setting::new() }, "full again each time");
}

#[test]
fn only_what_stands_behind_the_last_boundary_is_prepared() {
    let boundary = Message::from(SystemMessage {
        id: MessageId("b".into()),
        at: std::time::UNIX_EPOCH,
        kind: SystemKind::CompactBoundary,
        text: String::new(),
        compaction: Some(CompactMetadata {
            trigger: CompactTrigger::Auto,
            tokens_before: 1,
            kept: Vec::new(),
            without_images: false,
        }),
    });
    let messages = view([prompt("old"), counting(190_000, said("r1", "old")), boundary, prompt("new")]);
    let prepared = prepare(messages, &mut Known::default(), &Setting::new().input(), |_| {});
    assert_eq!((prepared.messages.len(), prepared.verdict), (2, Verdict::Send));
}

#[test]
fn what_is_freed_is_counted_once() {
    let mut setting = Setting::new();
    let test = |id: &str| called(id, "Bash", json!({"command": "test"}), &"red ".repeat(8_000));
    let mut history: Vec<Message> =
        [prompt("go")].into_iter().chain(test("t1")).chain(filler(11)).chain(test("t2")).collect();
    history.push(counting(168_000, said("last", "hm")));
    let first = prepare(view(history.clone()), &mut Known::default(), &setting.input(), |_| {});
    assert!(first.tokens_freed > 10_000, "{}", first.tokens_freed);
    assert_eq!(first.tokens, 168_000 - first.tokens_freed);
    assert_eq!(first.verdict, Verdict::Send, "so no summary is needed");
    setting.log.record(first.new_decisions.clone());
    // The next answer's count knows of it; and a new task begins from the stored history.
    history.push(counting(158_000, said("later", "so")));
    let second = prepare(view(history), &mut Known::default(), &setting.input(), |_| {});
    assert_eq!((second.tokens, second.tokens_freed), (158_000, 0));
    assert_eq!(results(&second.messages), results(&first.messages));
}

#[test]
fn what_a_model_is_sent_around_the_conversation_counts_too() {
    let setting = Setting { system: vec!["x".repeat(400_000)], ..Setting::new() };
    let input = PipelineInput { tools_tokens: 40_000, ..setting.input() };
    let prepared = prepare(view([prompt("go")]), &mut Known::default(), &input, |_| {});
    assert!((173_333..174_000).contains(&prepared.tokens), "{}", prepared.tokens);
    assert_eq!(prepared.verdict, Verdict::Compact);
}

#[test]
fn the_context_of_the_user_stands_first_once() {
    let setting = Setting { user_context: "Be kind.".to_owned(), ..Setting::new() };
    let first = prepare(view([prompt("go")]), &mut Known::default(), &setting.input(), |_| {});
    let again = prepare(first.messages.clone(), &mut Known::default(), &setting.input(), |_| {});
    assert_eq!(again.messages, first.messages);
    let messages = normalize(&again.messages);
    let [message] = messages.as_slice() else { panic!("one turn: {messages:?}") };
    assert_eq!(
        message.content,
        [
            crate::conversation::ContentBlock::text("<system-reminder>\nBe kind.\n</system-reminder>"),
            crate::conversation::ContentBlock::text("go"),
        ]
    );
}

/// However a conversation grows, a request begins with the bytes of the one before, as long as nothing is cleared.
#[test]
fn a_growing_conversation_keeps_its_beginning() {
    let mut setting = Setting::new();
    setting.settings = setting.settings.with(ContextNumber::ResultChars, 100);
    let mut history = vec![prompt("go")];
    let mut before = Vec::new();
    for n in 0..8 {
        history.extend(called(&format!("t{n}"), "Bash", json!({"n": n}), &"line\n".repeat(n * 20)));
        let prepared = prepare(view(history.clone()), &mut Known::default(), &setting.input(), |_| {});
        setting.log.record(prepared.new_decisions);
        let messages = normalize(&prepared.messages);
        assert_eq!(before, messages[..before.len()]);
        before = messages;
    }
}
