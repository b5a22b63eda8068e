//! Whatever models, tools, hooks and users do: every request keeps the rules, and the task ends.

use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::invariants::assert_valid;
use super::stage::{Play, play};
use crate::agent::fixture::{Piece, limit, text, thought, tool, tools};
use crate::agent::{StopVerdict, ToolCallStatus};
use crate::conversation::{ContentBlock, Message, StopReason, normalize, unparsed_input};
use crate::models::{ModelErrorKind, ModelRequest};

fn input() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => Just(json!({})),
        1 => Just(json!({"exit": 1})),
        1 => Just(json!({"sleep": true})),
        1 => Just(json!({"alone": true})),
        1 => Just(json!(7)),
        1 => Just(json!("text")),
        1 => Just(Value::Null),
        1 => Just(unparsed_input("{\"a")),
    ]
}

fn block() -> impl Strategy<Value = Piece> {
    let names = ["Look", "Act", "Hang", "Panic", "Ask", "Refuse", "Run", "Wait", "Add", "Nothing", "", "a b"];
    let ids = ["t1", "t2", "t3", "call_0", "", "a:b", "ü"];
    prop_oneof![
        2 => prop::sample::select(&["words", "", "  \n", "\u{2028}"][..]).prop_map(text),
        1 => Just(thought("hm")),
        2 => Just(Piece::Pause),
        4 => (prop::sample::select(ids.to_vec()), prop::sample::select(names.to_vec()), input())
            .prop_map(|(id, name, input)| tool(id, name, input)),
    ]
}

fn ending() -> impl Strategy<Value = Option<Piece>> {
    let kinds = [
        ModelErrorKind::Overloaded,
        ModelErrorKind::Server,
        ModelErrorKind::Malformed,
        ModelErrorKind::StreamCut,
        ModelErrorKind::PromptTooLong,
        ModelErrorKind::MediaRefused,
        ModelErrorKind::RateLimit,
    ];
    let reasons = [
        StopReason::EndTurn,
        StopReason::ToolUse,
        StopReason::StopSequence,
        StopReason::PauseTurn,
        StopReason::Refusal,
        StopReason::ContextWindowExceeded,
        StopReason::Other("novel".into()),
    ];
    prop_oneof![
        6 => Just(None),
        2 => Just(Some(limit())),
        1 => Just(Some(Piece::Cut)),
        1 => Just(Some(Piece::Stall)),
        2 => prop::sample::select(reasons.to_vec()).prop_map(|reason| Some(Piece::Stop(reason))),
        1 => prop::sample::select(kinds.to_vec()).prop_map(|kind| Some(Piece::Break(kind))),
        1 => prop::sample::select(kinds.to_vec()).prop_map(|kind| Some(Piece::Fail(kind))),
    ]
}

fn answers(most: usize) -> impl Strategy<Value = Vec<Vec<Piece>>> {
    let answer = (prop::collection::vec(block(), 0..4), ending())
        .prop_map(|(blocks, ending)| blocks.into_iter().chain(ending).collect::<Vec<_>>());
    prop::collection::vec(answer, 0..most)
}

fn any_play() -> impl Strategy<Value = Play> {
    let verdict = prop_oneof![
        2 => Just(StopVerdict::Pass),
        2 => Just(StopVerdict::Blocking(vec!["not yet".to_owned()])),
        1 => Just(StopVerdict::Prevent("enough".to_owned())),
    ];
    (
        answers(8),
        prop::collection::vec(answers(4), 0..3),
        prop::collection::vec(verdict, 0..12),
        prop::option::weighted(0.3, 0..10_000_u64),
        prop::option::weighted(0.4, 0..60_usize),
        prop::option::weighted(0.4, 0..60_usize),
        any::<bool>(),
    )
        .prop_map(|(model, others, stop_hooks, token_budget, cancel_after, send_after, staged)| Play {
            model,
            others,
            stop_hooks,
            token_budget,
            staged,
            cancel_after,
            send_after,
            ..Play::default()
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_request_is_legal_and_the_task_ends(script in any_play()) {
        let played = play(script);
        for (_, request) in &played.requests {
            assert_valid(request);
        }
        // What is left in the conversation can be gone on with: the next prompt makes a legal request of it.
        assert_valid(&ModelRequest::new(Vec::new(), Vec::new(), normalize(&played.history), 1));
        prop_assert!(played.lines.last().is_some_and(|line| line.starts_with("done ")));
        prop_assert_eq!(&calls_left_open(&played.lines), &Vec::<String>::new());
        prop_assert!(played.lines.iter().filter(|line| line.starts_with("error ")).count() <= 1);
    }

    #[test]
    fn a_call_that_acts_begins_once(script in any_play()) {
        let played = play(script);
        let mut begun = HashSet::new();
        for (at, line) in played.lines.iter().enumerate() {
            let Some(id) = line.strip_prefix("call ").and_then(|rest| rest.strip_suffix(" InProgress")) else {
                continue;
            };
            prop_assert!(begun.insert(id), "{id} began twice: {:#?}", played.lines);
            // What is asked for again may come again under another id.
            if acts(id, &played.lines) && !stands(id, &played.history) {
                let asked_again = played.lines.iter().skip(at).any(|line| line.starts_with("request "));
                prop_assert!(!asked_again, "{id} has acted, and its answer is void: {:#?}", played.lines);
            }
        }
    }
}

/// Whether the call of that id is one of a tool that changes something.
fn acts(id: &str, lines: &[String]) -> bool {
    let of_call = |line: &String| {
        let (name, called) = line.strip_prefix("model ")?.rsplit_once(" as ")?;
        (called == id).then(|| name.to_owned())
    };
    let name = lines.iter().find_map(of_call).expect("what runs was called");
    tools().find(&name).is_some_and(|tool| !tool.is_read_only(&Value::Null))
}

/// Whether the call of that id is in the conversation that is left.
fn stands(id: &str, history: &[Message]) -> bool {
    let is_it = |block: &ContentBlock| matches!(block, ContentBlock::ToolUse { id: called, .. } if called.as_str() == id);
    history
        .iter()
        .any(|message| matches!(message, Message::Assistant(answer) if answer.content.iter().any(is_it)))
}

/// The calls that were said to run and never to have ended.
fn calls_left_open(lines: &[String]) -> Vec<String> {
    let is_end = |status: &str| {
        [ToolCallStatus::Completed, ToolCallStatus::Failed, ToolCallStatus::Rejected]
            .iter()
            .any(|end| format!("{end:?}") == status)
    };
    let mut open = Vec::new();
    for line in lines {
        let Some((id, status)) = line.strip_prefix("call ").and_then(|rest| rest.rsplit_once(' ')) else {
            continue;
        };
        if is_end(status) {
            open.retain(|other| other != id);
        } else if status == "InProgress" {
            open.push(id.to_owned());
        }
    }
    open
}
