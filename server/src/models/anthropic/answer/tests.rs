//! What comes out for what the API sends.

use futures::StreamExt;
use futures::executor::block_on;

use super::*;
use crate::models::sse;

const START: &str = r#"{"type":"message_start","message":{"id":"msg_1","model":"m","usage":{"input_tokens":5,"cache_read_input_tokens":40,"output_tokens":1}}}"#;

/// Feeds the data of events, each on a line of its own.
fn fed(lines: &str) -> (Answer, Vec<ProviderEvent>) {
    let mut answer = Answer::default();
    let events = lines.lines().flat_map(|data| answer.take(data).expect("a legal event")).collect();
    (answer, events)
}

/// Compares the blocks that are finished after `lines`.
#[track_caller]
fn check_blocks(lines: &str, wanted: &[ContentBlock]) {
    let blocks: Vec<ContentBlock> = fed(lines)
        .1
        .into_iter()
        .filter_map(|event| match event {
            ProviderEvent::BlockStop { block, .. } => Some(block),
            _ => None,
        })
        .collect();
    assert_eq!(blocks, wanted);
}

fn tool_use(pieces: &[&str]) -> String {
    let mut lines = vec![
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"Read","input":{}}}"#
            .to_owned(),
    ];
    lines.extend(pieces.iter().map(|piece| {
        json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "input_json_delta", "partial_json": piece } })
            .to_string()
    }));
    lines.push(r#"{"type":"content_block_stop","index":1}"#.to_owned());
    lines.join("\n")
}

#[track_caller]
fn check_input(pieces: &[&str], wanted: Value) {
    let call =
        ContentBlock::ToolUse { id: ToolUseId("t1".to_owned()), name: "Read".to_owned(), input: wanted };
    check_blocks(&tool_use(pieces), &[call]);
}

#[test]
fn text_and_its_events() {
    let (answer, events) = fed(&format!(
        "{START}\n{}\n{}\n{}\n{}\n{}\n{}\n{}",
        r#"{"type":"ping"}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9,"input_tokens":0}}"#,
        r#"{"type":"message_stop"}"#,
    ));
    let started =
        Usage { input_tokens: 5, output_tokens: 1, cache_read_input_tokens: 40, ..Usage::default() };
    let ended = Usage { output_tokens: 9, ..started };
    assert_eq!(
        events,
        [
            ProviderEvent::MessageStart {
                response_id: "msg_1".into(),
                request_id: None,
                model: "m".into(),
                usage: started
            },
            ProviderEvent::BlockStart { index: 0, block: ContentBlock::text("") },
            ProviderEvent::BlockDelta { index: 0, delta: BlockDelta::Text("Hel".into()) },
            ProviderEvent::BlockDelta { index: 0, delta: BlockDelta::Text("lo".into()) },
            ProviderEvent::BlockStop { index: 0, block: ContentBlock::text("Hello") },
            ProviderEvent::MessageDelta { stop_reason: Some(StopReason::EndTurn), usage: ended },
            ProviderEvent::MessageStop,
        ]
    );
    assert!(answer.is_whole());
}

#[test]
fn a_calls_input_is_joined_and_parsed_at_the_end() {
    check_input(&["", "{\"a", "\":1}"], json!({ "a": 1 }));
    check_input(&[], json!({}));
    check_input(&[""], json!({}));
    check_input(&["{\"a\": "], json!({ "unparsed_input": "{\"a\": " }));
    check_input(&["[1]"], json!({ "unparsed_input": "[1]" }));
}

#[test]
fn thinking_keeps_every_character_and_its_signature() {
    check_blocks(
        concat!(
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}"#,
            "\n",
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":" a\u2028 "}}"#,
            "\n",
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"S="}}"#,
            "\n",
            r#"{"type":"content_block_stop","index":0}"#,
            "\n",
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"R"}}"#,
            "\n",
            r#"{"type":"content_block_stop","index":1}"#,
        ),
        &[
            ContentBlock::Thinking { thinking: " a\u{2028} ".into(), signature: "S=".into() },
            ContentBlock::RedactedThinking { data: "R".into() },
        ],
    );
}

#[test]
fn what_the_api_may_add_one_day_is_passed_over() {
    let (_, events) = fed(concat!(
        r#"{"type":"foo","index":0}"#,
        "\n",
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"hologram"}}"#,
        "\n",
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"hologram_delta"}}"#,
        "\n",
        r#"{"type":"content_block_stop","index":0}"#,
    ));
    assert_eq!(events, []);
}

#[test]
fn an_error_in_the_stream_and_nonsense_are_faults() {
    let mut answer = Answer::default();
    assert_eq!(
        answer.take(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#),
        Err(Fault::Reported { error_type: "overloaded_error".into(), message: "Overloaded".into() })
    );
    assert!(matches!(answer.take("{\"type\":"), Err(Fault::Malformed(_))));
    assert!(matches!(answer.take(r#"{"type":"content_block_stop"}"#), Err(Fault::Malformed(_))));
}

/// What a recorded stream comes to: its text, and whether it is a whole answer.
fn recorded(bytes: &'static [u8]) -> (String, bool, bool) {
    let mut answer = Answer::default();
    let mut text = String::new();
    let mut take = |events: Vec<ProviderEvent>| {
        for event in events {
            if let ProviderEvent::BlockDelta { delta: BlockDelta::Text(piece), .. } = event {
                text.push_str(&piece);
            }
        }
    };
    let chunks = futures::stream::iter(bytes.chunks(3).map(Ok));
    for event in block_on(sse::events(chunks).collect::<Vec<_>>()) {
        if let Ok(events) = answer.take(&event.expect("an event").data) {
            take(events);
        }
    }
    let ended = answer.end();
    take(ended);
    (text, answer.is_whole(), answer.has_finished_blocks())
}

#[test]
fn recorded_streams_are_whole_or_not() {
    let check =
        |bytes, text: &str, whole, finished| assert_eq!(recorded(bytes), (text.to_owned(), whole, finished));
    check(include_bytes!("../../fixtures/cut_anywhere.sse"), "héllo 世界 🌍\u{2028}end", true, true);
    check(include_bytes!("../../fixtures/cut_in_text.sse"), "The answer is", false, false);
    check(include_bytes!("../../fixtures/cut_after_call.sse"), "", false, true);
    check(include_bytes!("../../fixtures/error_in_text.sse"), "Half", false, false);
    check(include_bytes!("../../fixtures/cut_after_stop_reason.sse"), "Done.", true, true);
}
