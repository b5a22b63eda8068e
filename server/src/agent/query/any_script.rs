//! Whatever models, tools, hooks and users do: every request keeps the rules, and the task ends.

use std::collections::HashMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::invariants::assert_valid;
use super::stage::{Play, play};
use crate::agent::fixture::{Piece, limit, text, thought, tool};
use crate::agent::{StopVerdict, ToolCallStatus};
use crate::conversation::{StopReason, normalize, unparsed_input};
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
        let mut begun: HashMap<&str, u32> = HashMap::new();
        for line in &played.lines {
            if let Some(id) = line.strip_suffix(" InProgress") {
                *begun.entry(id).or_default() += 1;
            }
        }
        prop_assert!(begun.values().all(|times| *times == 1), "{begun:?}");
    }
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
