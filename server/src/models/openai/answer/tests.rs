//! What comes out for what servers send, each in its own way.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::conversation::{ContentBlock, ToolUseId, unparsed_input};
use crate::models::BlockDelta;

mod recorded;

/// What a stream comes to.
#[derive(Debug, Default, PartialEq)]
struct Told {
    blocks: Vec<ContentBlock>,
    stop_reason: Option<StopReason>,
    usage: Usage,
    stopped: bool,
}

fn told(events: Vec<ProviderEvent>) -> Told {
    let mut told = Told::default();
    let mut blocks = Vec::new();
    for event in events {
        match event {
            ProviderEvent::BlockStop { index, block } => blocks.push((index, block)),
            ProviderEvent::MessageDelta { stop_reason, usage } => {
                (told.stop_reason, told.usage) = (stop_reason, usage);
            }
            ProviderEvent::MessageStop => told.stopped = true,
            _ => {}
        }
    }
    blocks.sort_by_key(|(index, _)| *index);
    told.blocks = blocks.into_iter().map(|(_, block)| block).collect();
    told
}

/// Feeds chunks, then the end.
fn fed_as(format: ToolCallFormat, chunks: &[Value]) -> Vec<ProviderEvent> {
    let mut answer = Answer::new("m", format);
    let mut events: Vec<ProviderEvent> =
        chunks.iter().flat_map(|chunk| answer.take(&chunk.to_string()).expect("a legal chunk")).collect();
    events.extend(answer.end());
    events
}

fn fed(chunks: &[Value]) -> Told {
    told(fed_as(ToolCallFormat::Native, chunks))
}

fn chunk(delta: Value) -> Value {
    json!({ "id": "c1", "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] })
}

fn ending(reason: &str) -> Value {
    json!({ "id": "c1", "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })
}

fn calling(calls: Value) -> Value {
    chunk(json!({ "tool_calls": calls }))
}

fn text(text: &str) -> ContentBlock {
    ContentBlock::text(text)
}

fn thought(thinking: &str) -> ContentBlock {
    ContentBlock::Thinking { thinking: thinking.to_owned(), signature: String::new() }
}

fn call(id: &str, name: &str, input: Value) -> ContentBlock {
    ContentBlock::ToolUse { id: ToolUseId(id.to_owned()), name: name.to_owned(), input }
}

/// Compares the blocks of an answer that these chunks and an ordinary end make.
#[track_caller]
fn check(chunks: &[Value], wanted: &[ContentBlock]) {
    let mut chunks = chunks.to_vec();
    chunks.push(ending("stop"));
    assert_eq!(fed(&chunks).blocks, wanted);
}

/// Compares names and inputs of calls whose ids are made up here, and looks that these are filled and differ.
#[track_caller]
fn check_calls(chunks: &[Value], wanted: &[(&str, Value)]) {
    let mut chunks = chunks.to_vec();
    chunks.push(ending("tool_calls"));
    let mut ids = Vec::new();
    let calls: Vec<(String, Value)> = fed(&chunks)
        .blocks
        .into_iter()
        .map(|block| match block {
            ContentBlock::ToolUse { id, name, input } => {
                ids.push(id.0);
                (name, input)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    let wanted: Vec<(String, Value)> =
        wanted.iter().map(|(name, input)| ((*name).to_owned(), input.clone())).collect();
    assert_eq!(calls, wanted);
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert!(ids.len() == count && ids.iter().all(|id| !id.is_empty()), "{ids:?}");
}

#[test]
fn text_and_its_events() {
    let events = fed_as(
        ToolCallFormat::Native,
        &[
            chunk(json!({ "role": "assistant", "content": "" })),
            chunk(json!({ "content": "Hel" })),
            chunk(json!({ "content": "lo" })),
            ending("stop"),
        ],
    );
    let usage = Usage::default();
    assert_eq!(
        events,
        [
            ProviderEvent::MessageStart {
                response_id: "c1".into(),
                request_id: None,
                model: "m".into(),
                usage
            },
            ProviderEvent::BlockStart { index: 0, block: text("") },
            ProviderEvent::BlockDelta { index: 0, delta: BlockDelta::Text("Hel".into()) },
            ProviderEvent::BlockDelta { index: 0, delta: BlockDelta::Text("lo".into()) },
            ProviderEvent::BlockStop { index: 0, block: text("Hello") },
            ProviderEvent::MessageDelta { stop_reason: Some(StopReason::EndTurn), usage },
            ProviderEvent::MessageStop,
        ]
    );
}

#[test]
fn usage_comes_in_a_chunk_of_its_own_in_every_one_or_never() {
    let said = || chunk(json!({ "content": "x" }));
    let usage = |input_tokens, output_tokens| Usage { input_tokens, output_tokens, ..Usage::default() };
    let figures = |prompt: u64, answer: u64| json!({ "prompt_tokens": prompt, "completion_tokens": answer });
    let with = |mut chunk: Value, figures: Value| {
        chunk["usage"] = figures;
        chunk
    };
    let own = json!({ "id": "c1", "choices": [], "usage": figures(10, 3) });
    let told = fed(&[with(said(), Value::Null), ending("stop"), own]);
    assert_eq!((told.usage, told.blocks), (usage(10, 3), vec![text("x")]));
    let each =
        [with(said(), figures(10, 1)), with(said(), figures(10, 2)), with(ending("stop"), figures(10, 2))];
    assert_eq!(fed(&each).usage, usage(10, 2));
    assert_eq!(fed(&[said(), ending("stop")]).usage, Usage::default(), "then the caller estimates");
    let cached = json!({ "prompt_tokens": 10, "completion_tokens": 3, "prompt_tokens_details": { "cached_tokens": 8 } });
    let told = fed(&[said(), with(ending("stop"), cached)]);
    assert_eq!(told.usage, Usage { cache_read_input_tokens: 8, ..usage(2, 3) });
    let zeros = fed(&[with(said(), figures(10, 3)), with(ending("stop"), figures(0, 0))]);
    assert_eq!(zeros.usage, usage(10, 3), "a zero says nothing");
}

#[test]
fn two_calls_that_come_in_turns() {
    check(
        &[
            calling(
                json!([{ "index": 0, "id": "a", "type": "function", "function": { "name": "Read", "arguments": "" } }]),
            ),
            calling(
                json!([{ "index": 1, "id": "b", "type": "function", "function": { "name": "Grep", "arguments": "{\"p\"" } }]),
            ),
            calling(json!([{ "index": 0, "function": { "arguments": "{\"f\":" } }])),
            calling(
                json!([{ "index": 1, "function": { "arguments": ":2}" } }, { "index": 0, "function": { "arguments": "1}" } }]),
            ),
        ],
        &[call("a", "Read", json!({ "f": 1 })), call("b", "Grep", json!({ "p": 2 }))],
    );
}

#[test]
fn numbers_that_are_missing_or_always_zero() {
    let one = |id: &str, name: &str| json!({ "id": id, "function": { "name": name, "arguments": "{}" } });
    let two = [("A", json!({})), ("B", json!({}))];
    check_calls(&[calling(json!([one("a", "A"), one("b", "B")]))], &two);
    check_calls(&[calling(json!([one("a", "A")])), calling(json!([one("b", "B")]))], &two);
    let zero = |mut call: Value| {
        call["index"] = json!(0);
        call
    };
    check_calls(&[calling(json!([zero(one("a", "A")), zero(one("b", "B"))]))], &two);
    check_calls(&[calling(json!([zero(one("a", "A"))])), calling(json!([zero(one("b", "B"))]))], &two);
}

#[test]
fn ids_that_come_once_or_anew_with_each_piece() {
    let first =
        || calling(json!([{ "index": 0, "id": "a", "function": { "name": "Read", "arguments": "{\"f\"" } }]));
    let wanted = [call("a", "Read", json!({ "f": 1 }))];
    for id in [json!(null), json!(""), json!("a"), json!("b")] {
        let more = calling(json!([{ "index": 0, "id": id, "function": { "arguments": ":1}" } }]));
        check(&[first(), more], &wanted);
    }
    // Without numbers an id alone tells whose piece it is.
    let unnumbered =
        |id: &str, arguments: &str| calling(json!([{ "id": id, "function": { "arguments": arguments } }]));
    let begin = calling(json!([{ "id": "a", "function": { "name": "Read", "arguments": "{\"f\"" } }]));
    check(&[begin.clone(), unnumbered("a", ":1}")], &wanted);
    check(&[begin, unnumbered("z", ":1}")], &wanted);
}

#[test]
fn ids_that_never_come_or_come_twice() {
    let one = |name: &str| json!({ "function": { "name": name, "arguments": "{\"x\":1}" } });
    let two = [("A", json!({ "x": 1 })), ("B", json!({ "x": 1 }))];
    check_calls(&[calling(json!([one("A"), one("B")]))], &two);
    check_calls(&[calling(json!([one("A")])), calling(json!([one("B")]))], &two);
    let same = |index: u64, name: &str| json!({ "index": index, "id": "call_0", "function": { "name": name, "arguments": "{\"x\":1}" } });
    check_calls(&[calling(json!([same(0, "A"), same(1, "B")]))], &two);
}

/// A call in pieces, under that number and id, as a gateway says it that streams once and then repeats.
fn in_pieces(index: Option<u64>, id: Option<&str>, pieces: &[&str]) -> Vec<Value> {
    let piece = |(at, arguments): (usize, &&str)| {
        let mut piece = json!({ "function": { "arguments": arguments } });
        if let Some(index) = index {
            piece["index"] = json!(index);
        }
        if at == 0 {
            piece["function"]["name"] = json!("Bash");
        }
        // Without a number an id alone tells whose piece it is.
        if let Some(id) = id.filter(|_| at == 0 || index.is_none()) {
            piece["id"] = json!(id);
        }
        calling(json!([piece]))
    };
    pieces.iter().enumerate().map(piece).collect()
}

#[test]
fn a_call_that_is_said_again_is_one_call() {
    let pieces = ["{\"command\"", ":\"date", "\"}"];
    let once = [("Bash", json!({ "command": "date" }))];
    let said = |index, id, pieces: &[&str]| in_pieces(index, id, pieces);
    for (first, again) in [
        ((Some(0), Some("a")), (Some(1), Some("a"))),
        ((Some(0), Some("a")), (Some(0), Some("a"))),
        ((None, Some("a")), (None, Some("a"))),
        ((Some(0), None), (Some(1), None)),
        ((Some(0), None), (Some(0), None)),
    ] {
        let (first, again) = (said(first.0, first.1, &pieces), said(again.0, again.1, &pieces));
        check_calls(&[first.clone(), again.clone()].concat(), &once);
        if first != again {
            let in_turns: Vec<Value> =
                first.iter().zip(&again).flat_map(|(one, two)| [one.clone(), two.clone()]).collect();
            check_calls(&in_turns, &once);
        }
    }
    // One of the two broke off, or comes in one piece, or says it in other blanks.
    let broken = |index| said(Some(index), Some("a"), &pieces[..2]);
    let whole = |index| said(Some(index), Some("a"), &["{ \"command\": \"date\" }"]);
    let usual = |index| said(Some(index), Some("a"), &pieces);
    check_calls(&[broken(0), usual(1)].concat(), &once);
    check_calls(&[usual(0), broken(1)].concat(), &once);
    check_calls(&[usual(0), whole(1)].concat(), &once);
    check_calls(&[usual(0), said(Some(1), Some("a"), &[""])].concat(), &once);
    let nameless = calling(json!([{ "index": 1, "id": "a", "function": { "arguments": pieces.concat() } }]));
    check_calls(&[usual(0), vec![nameless]].concat(), &once);
}

#[test]
fn another_call_under_a_used_id_is_a_call_of_its_own() {
    let date = in_pieces(Some(0), Some("a"), &["{\"command\"", ":\"date\"}"]);
    let wanted = [("Bash", json!({ "command": "date" })), ("Bash", json!({ "command": "ls" }))];
    for index in [0, 1] {
        let list = in_pieces(Some(index), Some("a"), &["{\"command\"", ":\"ls\"}"]);
        check_calls(&[date.clone(), list.clone()].concat(), &wanted);
        check_calls(&[date.clone(), list.clone(), date.clone(), list].concat(), &wanted);
    }
}

#[test]
fn names_that_are_repeated_and_calls_that_come_whole() {
    let piece = |arguments: &str| {
        calling(json!([{ "index": 0, "id": "a", "function": { "name": "Read", "arguments": arguments } }]))
    };
    check(&[piece("{\"f\""), piece(":1"), piece("}"), piece("")], &[call("a", "Read", json!({ "f": 1 }))]);
    check(&[piece("{\"f\":1}")], &[call("a", "Read", json!({ "f": 1 }))]);
}

#[test]
fn arguments_in_every_form() {
    let check = |arguments: Value, input: Value| {
        let calls =
            json!([{ "index": 0, "id": "a", "function": { "name": "Read", "arguments": arguments } }]);
        check(&[calling(calls)], &[call("a", "Read", input)]);
    };
    check(Value::Null, json!({}));
    check(json!(""), json!({}));
    check(json!({ "f": [1] }), json!({ "f": [1] }));
    check(json!("\"{\\\"f\\\":1}\""), json!({ "f": 1 }));
    check(json!("{\"f\":1,}"), json!({ "f": 1 }));
    check(json!("{\"file_path\":\"/etc/pas"), unparsed_input("{\"file_path\":\"/etc/pas"));
}

#[test]
fn why_it_ended_is_told_by_the_calls() {
    let called =
        || calling(json!([{ "index": 0, "id": "a", "function": { "name": "Read", "arguments": "{}" } }]));
    let check = |chunks: &[Value], wanted: StopReason| {
        assert_eq!(fed(chunks).stop_reason, Some(wanted), "{chunks:?}");
    };
    check(&[called(), ending("stop")], StopReason::ToolUse);
    check(&[called(), ending("tool_calls")], StopReason::ToolUse);
    check(&[called(), ending("function_call")], StopReason::ToolUse);
    check(&[called(), ending("")], StopReason::ToolUse);
    let said = || chunk(json!({ "content": "x" }));
    check(&[said(), ending("stop")], StopReason::EndTurn);
    check(&[said(), ending("tool_calls")], StopReason::EndTurn);
    check(&[said(), ending("length")], StopReason::MaxTokens);
    check(&[said(), ending("content_filter")], StopReason::Refusal);
    check(&[chunk(json!({ "refusal": "No." })), ending("stop")], StopReason::Refusal);
    check(&[said(), ending("moon")], StopReason::Other("moon".into()));
}

#[test]
fn a_call_that_the_limit_cut_is_left_out() {
    let whole = json!({ "index": 0, "id": "a", "function": { "name": "Read", "arguments": "{}" } });
    let half = json!({ "index": 1, "id": "b", "function": { "name": "Edit", "arguments": "{\"f\":[1" } });
    let told = fed(&[calling(json!([whole, half])), ending("length")]);
    assert_eq!(
        (told.blocks, told.stop_reason),
        (vec![call("a", "Read", json!({}))], Some(StopReason::MaxTokens))
    );
}

#[test]
fn the_last_words_may_come_with_the_reason() {
    let last = json!({ "id": "c2", "choices": [{ "delta": { "content": "lo" }, "finish_reason": "stop" }] });
    let told = fed(&[
        chunk(json!({ "content": "Hel" })),
        last,
        json!({ "id": "", "choices": [{ "finish_reason": null }] }),
    ]);
    assert_eq!((told.blocks, told.stopped), (vec![text("Hello")], true));
}

#[test]
fn thinking_in_a_field_or_between_tags_is_told_apart() {
    for field in ["reasoning_content", "reasoning"] {
        check(
            &[
                chunk(json!({ field: "h" })),
                chunk(json!({ field: "m", "content": null })),
                chunk(json!({ "content": "Yes." })),
            ],
            &[thought("hm"), text("Yes.")],
        );
    }
    check(
        &[
            chunk(json!({ "reasoning_details": [{ "type": "reasoning.text", "text": "hm" }] })),
            chunk(json!({ "content": "Yes." })),
        ],
        &[thought("hm"), text("Yes.")],
    );
    check(
        &[
            chunk(json!({ "content": "<thi" })),
            chunk(json!({ "content": "nk>hm</th" })),
            chunk(json!({ "content": "ink>\n\nYes." })),
        ],
        &[thought("hm"), text("Yes.")],
    );
}

#[test]
fn content_may_be_a_list_of_parts() {
    check(
        &[
            chunk(
                json!({ "content": [{ "type": "thinking", "thinking": [{ "type": "text", "text": "hm" }] }] }),
            ),
            chunk(json!({ "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }] })),
        ],
        &[thought("hm"), text("ab")],
    );
}

#[test]
fn blank_text_around_calls_is_no_text() {
    let called =
        calling(json!([{ "index": 0, "id": "a", "function": { "name": "Read", "arguments": "{}" } }]));
    check(&[chunk(json!({ "content": "\n\n" })), called], &[call("a", "Read", json!({}))]);
    check(&[chunk(json!({ "content": "\n" })), chunk(json!({ "content": " x" }))], &[text("\n x")]);
}

#[test]
fn the_end_is_done_or_the_end_of_the_stream_behind_a_reason() {
    let said = chunk(json!({ "content": "x" })).to_string();
    let ends = |lines: &[&str]| {
        let mut answer = Answer::new("m", ToolCallFormat::Native);
        let events: Vec<_> = lines.iter().flat_map(|line| answer.take(line).expect("legal")).collect();
        (told(events).stopped, answer.is_whole(), !answer.end().is_empty())
    };
    assert_eq!(ends(&[&said, &ending("stop").to_string(), DONE]), (true, true, false));
    assert_eq!(ends(&[&said, &ending("stop").to_string()]), (false, true, true));
    assert_eq!(ends(&[&said, DONE]), (true, true, false));
    assert_eq!(ends(&[&said]), (false, false, false));
    assert_eq!(ends(&[DONE]), (false, false, false));
}

#[test]
fn errors_in_the_stream_and_nonsense_are_faults() {
    let fault =
        |data: Value| Answer::new("m", ToolCallFormat::Native).take(&data.to_string()).expect_err("a fault");
    for error in [
        json!({ "error": { "message": "busy", "code": 502 } }),
        json!({ "error": "busy" }),
        json!({ "object": "error", "message": "busy", "code": 400 }),
        json!({ "choices": [{ "delta": {}, "finish_reason": "error" }] }),
    ] {
        assert!(matches!(fault(error.clone()), Fault::Reported(_)), "{error}");
    }
    assert!(matches!(fault(json!({ "type": "message_start" })), Fault::Malformed(_)));
    assert!(matches!(Answer::new("m", ToolCallFormat::Native).take("<html>"), Err(Fault::Malformed(_))));
}

#[test]
fn what_servers_add_is_passed_over() {
    let mut last = ending("stop");
    last["timings"] = json!({ "prompt_n": 5, "predicted_per_second": 3.2 });
    last["system_fingerprint"] = json!("f");
    let told = fed(&[
        json!({ "choices": [], "prompt_filter_results": [] }),
        json!({ "id": "c1", "choices": null }),
        chunk(json!({ "content": "x", "audio": null })),
        json!({ "id": "c1", "choices": null }),
        json!({ "id": "c1", "choices": [null] }),
        json!({ "id": "c1", "object": "chat.completion.chunk" }),
        last,
    ]);
    assert_eq!((told.blocks, told.usage), (vec![text("x")], Usage::default()));
}

#[test]
fn a_character_that_is_cut_between_two_chunks_is_whole() {
    let mut answer = Answer::new("m", ToolCallFormat::Native);
    let piece = |text: &str| format!(r#"{{"id":"c1","choices":[{{"delta":{{"content":"{text}"}}}}]}}"#);
    let mut events = Vec::new();
    for data in [piece(r"so \ud83d"), piece(""), piece(r"\ude00!"), ending("stop").to_string()] {
        events.extend(answer.take(&data).expect("a legal chunk"));
    }
    assert_eq!(told(events).blocks, [text("so 😀!")]);
}

#[test]
fn calls_in_the_text_are_calls_where_that_is_asked_for() {
    let chunks = [
        chunk(json!({ "content": "I look.\n<tool_call>{\"name\": \"Read\", \"argu" })),
        chunk(json!({ "content": "ments\": {\"f\": 1}}</tool_call>" })),
        ending("stop"),
    ];
    let told = told(fed_as(ToolCallFormat::Prompt, &chunks));
    assert_eq!(told.stop_reason, Some(StopReason::ToolUse));
    let [said, ContentBlock::ToolUse { name, input, .. }] = told.blocks.as_slice() else {
        panic!("{told:?}")
    };
    assert_eq!((said, name.as_str(), input), (&text("I look.\n"), "Read", &json!({ "f": 1 })));
    assert_eq!(fed(&chunks).stop_reason, Some(StopReason::EndTurn), "else they are text");
}

#[test]
fn a_message_that_did_not_stream_is_an_answer_too() {
    let message = json!({ "id": "c1", "object": "chat.completion", "choices": [{
        "index": 0,
        "message": { "role": "assistant", "content": "Hi.", "tool_calls": [{ "id": "a", "type": "function", "function": { "name": "Read", "arguments": "{}" } }] },
        "finish_reason": "tool_calls",
    }], "usage": { "prompt_tokens": 4, "completion_tokens": 2 } });
    let told = fed(&[message]);
    assert_eq!(told.blocks, [text("Hi."), call("a", "Read", json!({}))]);
    assert_eq!((told.usage.input_tokens, told.stop_reason), (4, Some(StopReason::ToolUse)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Whatever a server numbers, names and cuts as it likes, each call has a name and an id of its own.
    #[test]
    fn calls_are_legal_whatever_comes(
        pieces in prop::collection::vec(
            (prop::option::of(0..3_u64), prop::option::of("[ab]?"), prop::option::of("[AB]?"), prop::option::of("[{}\":1]{0,4}")),
            0..8,
        ),
        reason in "stop|length|tool_calls",
    ) {
        let chunks = pieces.iter().map(|(index, id, name, arguments)| {
            calling(json!([{ "index": index, "id": id, "function": { "name": name, "arguments": arguments } }]))
        });
        let told = fed(&chunks.chain([ending(&reason)]).collect::<Vec<_>>());
        let mut ids = Vec::new();
        for block in told.blocks {
            let ContentBlock::ToolUse { id, name, input } = block else { panic!("{block:?}") };
            prop_assert!(!name.is_empty() && !id.0.is_empty() && input.is_object());
            prop_assert!(!ids.contains(&id));
            ids.push(id);
        }
        prop_assert!(told.stopped);
    }
}

#[test]
fn what_comes_again_behind_the_end_changes_nothing() {
    let call = |id: &str| {
        json!({ "id": "c", "choices": [{ "delta": { "tool_calls": [
            { "index": 0, "id": id, "function": { "name": "Read", "arguments": "{}" } },
        ] }, "finish_reason": null }] })
    };
    let end = json!({ "id": "c", "choices": [{ "delta": {}, "finish_reason": "tool_calls" }] });
    let figures =
        json!({ "id": "c", "choices": [], "usage": { "prompt_tokens": 7, "completion_tokens": 2 } });
    let once = fed(&[call("a"), end.clone(), figures.clone()]);
    let again =
        fed(&[call("a"), call("a"), end.clone(), call("b"), call("a"), end.clone(), figures.clone(), end]);
    assert_eq!(again.blocks.len(), 1, "the call is made once");
    assert_eq!((again.blocks, again.usage), (once.blocks, once.usage));
}
