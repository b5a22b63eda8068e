//! What comes out for what the API sends.

use futures::StreamExt;
use futures::executor::block_on;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::conversation::{ContentBlock, Overlong, ToolUseId, overlong_input};
use crate::models::sse;

const START: &str = r#"{"type":"message_start","message":{"id":"msg_1","model":"m-20990101","usage":{"input_tokens":5,"cache_read_input_tokens":40,"output_tokens":1}}}"#;

/// Feeds the data of events, each on a line of its own.
fn fed(lines: &str) -> (Answer, Vec<ProviderEvent>) {
    let mut answer = Answer::of("m", Some("req_1"));
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
                request_id: Some("req_1".into()),
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
fn a_call_that_is_said_again_under_its_number_is_one_call() {
    let call = |input| ContentBlock::ToolUse { id: ToolUseId("t1".into()), name: "Read".into(), input };
    let once = tool_use(&["{\"a\":", "1}"]);
    check_blocks(&format!("{once}\n{once}"), &[call(json!({ "a": 1 }))]);
    // Under another number the loop knows it by its id; without ids it is known by its words.
    let nameless = |index: &str, input: &str| {
        tool_use(&[input]).replace("\"t1\"", "\"\"").replace("\"index\":1", &format!("\"index\":{index}"))
    };
    let lines = [nameless("0", "{}"), nameless("1", "{}"), nameless("2", "{\"a\":1}")].join("\n");
    let ids: Vec<String> = fed(&lines)
        .1
        .into_iter()
        .filter_map(|event| match event {
            ProviderEvent::BlockStop { block: ContentBlock::ToolUse { id, .. }, .. } => Some(id.0),
            _ => None,
        })
        .collect();
    assert!(ids.len() == 3 && ids[0] == ids[1] && ids[1] != ids[2], "{ids:?}");
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
fn of_an_input_of_thirty_megabytes_the_beginning_is_kept() {
    let piece = "x".repeat(1 << 20);
    let pieces: Vec<&str> = (0..30).map(|_| piece.as_str()).collect();
    check_input(&pieces, overlong_input(&"x".repeat(200), Overlong { bytes: 30 << 20, most: 8 << 20 }));
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

/// One answer with every kind of block and delta that the API documents, and some that it does not.
const EVERYTHING: &[&str] = &[
    START,
    r#"{"type":"ping"}"#,
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"compaction","content":null}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"compaction_delta","content":"Until now: größe."}}"#,
    r#"{"type":"content_block_stop","index":0}"#,
    r#"{"type":"content_block_start","index":1,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
    r#"{"type":"content_block_delta","index":1,"delta":{"type":"thinking_delta","thinking":"Hm 🌍"}}"#,
    r#"{"type":"content_block_delta","index":1,"delta":{"type":"signature_delta","signature":"S1="}}"#,
    r#"{"type":"content_block_stop","index":1}"#,
    r#"{"type":"content_block_start","index":2,"content_block":{"type":"redacted_thinking","data":"R1"}}"#,
    r#"{"type":"content_block_stop","index":2}"#,
    r#"{"type":"content_block_start","index":3,"content_block":{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{}}}"#,
    r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"query\":"}}"#,
    r#"{"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"\"世界\"}"}}"#,
    r#"{"type":"content_block_stop","index":3}"#,
    r#"{"type":"content_block_start","index":4,"content_block":{"type":"web_search_tool_result","tool_use_id":"srv_1","content":[{"title":"T"}]}}"#,
    r#"{"type":"content_block_stop","index":4}"#,
    r#"{"type":"content_block_start","index":5,"content_block":{"type":"text","text":"","citations":[]}}"#,
    r#"{"type":"content_block_delta","index":5,"delta":{"type":"text_delta","text":"As \ud83d\ude00 "}}"#,
    r#"{"type":"content_block_delta","index":5,"delta":{"type":"text_delta","text":"says"}}"#,
    r#"{"type":"content_block_delta","index":5,"delta":{"type":"citations_delta","citation":{"url":"u"}}}"#,
    r#"{"type":"content_block_delta","index":5,"delta":{"type":"hologram_delta","hologram":"?"}}"#,
    r#"{"type":"content_block_stop","index":5}"#,
    r#"{"type":"novelty","index":5}"#,
    r#"{"type":"content_block_start","index":6,"content_block":{"type":"tool_use","id":"t1","name":"Read","input":{}}}"#,
    r#"{"type":"content_block_delta","index":6,"delta":{"type":"input_json_delta","partial_json":""}}"#,
    r#"{"type":"content_block_delta","index":6,"delta":{"type":"input_json_delta","partial_json":"{\"a"}}"#,
    r#"{"type":"content_block_delta","index":6,"delta":{"type":"input_json_delta","partial_json":"\":1}"}}"#,
    r#"{"type":"content_block_stop","index":6}"#,
    r#"{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":77}}"#,
    r#"{"type":"message_stop"}"#,
];

#[test]
fn every_documented_kind_of_block() {
    let server_call = ToolUseId("srv_1".into());
    let raw =
        json!({ "type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [{ "title": "T" }] });
    check_blocks(
        &EVERYTHING.join("\n"),
        &[
            ContentBlock::Compaction { content: "Until now: größe.".into() },
            ContentBlock::Thinking { thinking: "Hm 🌍".into(), signature: "S1=".into() },
            ContentBlock::RedactedThinking { data: "R1".into() },
            ContentBlock::ServerToolUse {
                id: server_call.clone(),
                name: "web_search".into(),
                input: json!({ "query": "世界" }),
            },
            ContentBlock::ServerToolResult { tool_use_id: server_call, raw },
            ContentBlock::text("As 😀 says"),
            ContentBlock::ToolUse {
                id: ToolUseId("t1".into()),
                name: "Read".into(),
                input: json!({ "a": 1 }),
            },
        ],
    );
    let (answer, events) = fed(&EVERYTHING.join("\n"));
    assert!(answer.is_whole());
    let cited = BlockDelta::Citation(json!({ "url": "u" }));
    assert!(events.contains(&ProviderEvent::BlockDelta { index: 5, delta: cited }));
}

/// `EVERYTHING` over the wire, cut at those places.
fn cut_at(cuts: &[usize]) -> Vec<ProviderEvent> {
    let bytes: Vec<u8> = EVERYTHING
        .iter()
        .enumerate()
        .flat_map(|(number, data)| {
            let end = ["\n\n", "\r\n\r\n", "\r\r"][number % 3];
            format!("event: whatever\ndata: {data}{end}").into_bytes()
        })
        .collect();
    let mut chunks = Vec::new();
    let mut rest = bytes.as_slice();
    let mut done = 0;
    for &cut in cuts {
        let (chunk, after) = rest.split_at((cut.max(done) - done).min(rest.len()));
        chunks.push(Ok(chunk));
        (rest, done) = (after, cut.max(done));
    }
    chunks.push(Ok(rest));
    let mut answer = Answer::of("m", None);
    block_on(sse::events(futures::stream::iter(chunks)).collect::<Vec<_>>())
        .into_iter()
        .flat_map(|event| answer.take(&event.expect("an event").data).expect("a legal event"))
        .collect()
}

proptest! {
    #[test]
    fn where_the_network_cuts_the_bytes_does_not_matter(
        cuts in prop::collection::btree_set(0..4_500_usize, 0..40),
    ) {
        let cuts: Vec<usize> = cuts.into_iter().collect();
        prop_assert_eq!(cut_at(&cuts), cut_at(&[]));
    }
}

#[test]
fn a_cut_at_any_single_byte_does_not_matter_either() {
    let whole = cut_at(&[]);
    for cut in (0..4_500).step_by(7) {
        assert_eq!(cut_at(&[cut, cut + 1]), whole, "cut at {cut}");
    }
}

#[test]
fn thinking_that_is_not_shown_keeps_its_signature() {
    check_blocks(
        concat!(
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}"#,
            "\n",
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"S"}}"#,
            "\n",
            r#"{"type":"content_block_stop","index":0}"#,
        ),
        &[ContentBlock::Thinking { thinking: String::new(), signature: "S".into() }],
    );
}

#[test]
fn each_stop_reason_has_its_meaning() {
    let reason = |reason: &str| {
        let delta = json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": {} });
        fed(&format!("{START}\n{delta}")).0.stop_reason
    };
    for (name, wanted) in [
        ("end_turn", StopReason::EndTurn),
        ("tool_use", StopReason::ToolUse),
        ("max_tokens", StopReason::MaxTokens),
        ("stop_sequence", StopReason::StopSequence),
        ("pause_turn", StopReason::PauseTurn),
        ("refusal", StopReason::Refusal),
        ("model_context_window_exceeded", StopReason::ContextWindowExceeded),
        ("compaction", StopReason::Compaction),
        ("novelty", StopReason::Other("novelty".into())),
    ] {
        assert_eq!(reason(name), Some(wanted));
    }
}

#[test]
fn usage_of_the_end_replaces_what_it_names() {
    let usage = |end: Value| {
        let delta = json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": end });
        fed(&format!("{START}\n{delta}")).0.usage
    };
    let started =
        Usage { input_tokens: 5, output_tokens: 1, cache_read_input_tokens: 40, ..Usage::default() };
    assert_eq!(usage(json!({ "output_tokens": 9 })), Usage { output_tokens: 9, ..started });
    let nothing = json!({ "output_tokens": 9, "input_tokens": 0, "cache_read_input_tokens": null });
    assert_eq!(usage(nothing), Usage { output_tokens: 9, ..started });
    let more = json!({ "output_tokens": 9, "input_tokens": 7, "cache_creation_input_tokens": 3 });
    assert_eq!(
        usage(more),
        Usage { input_tokens: 7, output_tokens: 9, cache_creation_input_tokens: 3, ..started }
    );
}

#[test]
fn a_call_without_an_id_gets_one_and_half_a_character_is_replaced() {
    let start =
        r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","name":"Read"}}"#;
    let delta = r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"a\":\"\\ud83d\"}"}}"#;
    let stop = r#"{"type":"content_block_stop","index":2}"#;
    let id = ToolUseId("call_msg_1_2".into());
    let input = json!({ "a": "\u{fffd}" });
    check_blocks(
        &[START, start, delta, stop].join("\n"),
        &[ContentBlock::ToolUse { id, name: "Read".into(), input }],
    );
    let text = concat!(
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a\ud83d!"}}"#,
        "\n",
        r#"{"type":"content_block_stop","index":0}"#,
    );
    check_blocks(text, &[ContentBlock::text("a\u{fffd}!")]);
}

#[track_caller]
fn check_fault(lines: &str, wanted: &str) {
    let mut answer = Answer::of("m", None);
    let fault = lines.lines().find_map(|data| answer.take(data).err());
    assert_eq!(fault, Some(Fault::Malformed(wanted.to_owned())));
}

#[test]
fn a_stream_that_repeats_itself_is_no_answer() {
    check_fault(&format!("{START}\n{START}"), "a second message begins in the middle of the first");
    let block = r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
    let stop = r#"{"type":"content_block_stop","index":0}"#;
    check_fault(&format!("{block}\n{block}"), "block 0 begins twice");
    check_fault(&format!("{block}\n{stop}\n{block}"), "block 0 begins twice");
    let piece = "x".repeat(1024 * 1024);
    let delta = format!(
        r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{piece}"}}}}"#
    );
    let mut answer = Answer::of("m", None);
    let fault = (0..70).find_map(|_| answer.take(&delta).err());
    assert_eq!(fault, Some(Fault::Malformed("it does not end".to_owned())));
}
