//! Recorded streams, from their bytes on: the same wherever they are cut.

use futures::StreamExt;
use futures::executor::block_on;
use proptest::prelude::*;
use serde_json::json;

use super::super::{Answer, StopReason, ToolCallFormat};
use super::{Told, call, text, thought, told};
use crate::conversation::ContentBlock;
use crate::models::follow::Accumulate;
use crate::models::sse;

/// One for each way of writing them.
const RECORDED: [&[u8]; 4] = [
    include_bytes!("../../fixtures/openai.sse"),
    include_bytes!("../../fixtures/openrouter.sse"),
    include_bytes!("../../fixtures/llama_cpp.sse"),
    include_bytes!("../../fixtures/vllm.sse"),
];

/// What the bytes of a stream come to, in these chunks.
fn recorded(chunks: Vec<&[u8]>) -> Told {
    let mut answer = Answer::new("m", ToolCallFormat::Native);
    let bytes = futures::stream::iter(chunks.into_iter().map(|chunk| Ok(chunk.to_vec())));
    let mut events = Vec::new();
    for event in block_on(sse::events(bytes).collect::<Vec<_>>()) {
        events.extend(answer.take(&event.expect("an event").data).expect("a legal chunk"));
    }
    events.extend(answer.end());
    told(events)
}

#[test]
fn recorded_streams_in_every_form_of_server_sent_events() {
    let read = |f: &str| call("call_a", "Read", json!({ "file_path": f }));
    let wanted: [(Vec<ContentBlock>, StopReason, u64); 4] = [
        (
            vec![text("héllo 世界"), read("größe.rs"), call("call_b", "Grep", json!({ "pattern": "x" }))],
            StopReason::ToolUse,
            9,
        ),
        (vec![thought("Hm 🌍."), text("Yes.")], StopReason::EndTurn, 7),
        (vec![text("Done.")], StopReason::MaxTokens, 0),
        (vec![read("a.rs")], StopReason::ToolUse, 5),
    ];
    for (bytes, (blocks, reason, output)) in RECORDED.into_iter().zip(wanted) {
        let told = recorded(vec![bytes]);
        assert_eq!(
            (told.blocks, told.stop_reason, told.usage.output_tokens, told.stopped),
            (blocks, Some(reason), output, true)
        );
    }
}

#[test]
fn a_recorded_stream_is_the_same_wherever_it_is_cut() {
    for bytes in RECORDED {
        let whole = recorded(vec![bytes]);
        for cut in 0..=bytes.len() {
            let (first, second) = bytes.split_at(cut);
            assert_eq!(recorded(vec![first, second]), whole, "cut at {cut}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_recorded_stream_is_the_same_in_any_pieces(which in 0..4_usize, cuts in prop::collection::btree_set(1..2_000_usize, 0..40)) {
        let bytes = RECORDED[which];
        let mut chunks = Vec::new();
        let mut from = 0;
        for cut in cuts.into_iter().filter(|&cut| cut < bytes.len()).chain([bytes.len()]) {
            chunks.push(&bytes[from..cut]);
            from = cut;
        }
        prop_assert_eq!(recorded(chunks), recorded(vec![bytes]));
    }
}
