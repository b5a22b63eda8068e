//! What a model is sent for histories that went wrong in the ways histories do.

use std::sync::Arc;
use std::time::UNIX_EPOCH;

use serde_json::{Value, json};

use super::{ApiMessage, ContentBlock, Growing, Message, Role, normalize, normalize_for, without_thinking};
use crate::conversation::{
    AssistantMessage, Attachment, AttachmentKind, ImageSource, MessageId, ProgressMessage, SystemKind,
    SystemMessage, ToolResultContent, ToolUseId, Usage, UserMessage,
};

mod property;

/// The messages of a long task that are not made anew for its next request.
#[test]
fn of_a_conversation_that_grows_only_the_end_is_made_anew() {
    let round = |n: usize| {
        let (id, response) = (format!("t{n}"), format!("r{n}"));
        [
            answer(&response, [thinking("hm", "S")]),
            answer(&response, [call(&id, "Read")]),
            user([result(&id, "A")]),
            attachment("note"),
        ]
    };
    let mut history = vec![user([text("go")])];
    let mut growing = Growing::default();
    let mut before = Vec::new();
    for n in 0..20 {
        history.extend(round(n));
        let messages = growing.normalize_for(&history, "m1");
        let same = messages.iter().zip(&before).take_while(|(one, other)| Arc::ptr_eq(one, other)).count();
        let wanted = if n < 2 { 0 } else { 2 * n - 1 };
        assert_eq!(same, wanted, "all but the round before and this one");
        before = messages;
    }
}

/// Compares the messages for `history`, one a line: `user: text "hi" | result t1 "A" | error t2 "no"`.
#[track_caller]
fn check(history: &[Message], wanted: &[&str]) {
    assert_eq!(drawn(&normalize(history)), wanted);
}

#[test]
fn a_plain_conversation_passes_unchanged() {
    check(
        &[user([text("hi")]), answer("r1", [text("hello")]), user([text("bye")])],
        &[r#"user: text "hi""#, r#"assistant: text "hello""#, r#"user: text "bye""#],
    );
    check(&[], &[]);
}

#[test]
fn an_interrupted_call_is_answered_before_the_users_next_words() {
    let asked = || [user([text("go")]), answer("r1", [text("ok"), call("t1", "Read"), call("t2", "Bash")])];
    let [prompt, calls] = asked();
    check(
        &[prompt, calls, user([result("t1", "A")]), user([text("stop, do X")])],
        &[
            r#"user: text "go""#,
            r#"assistant: text "ok" | call t1 Read {} | call t2 Bash {}"#,
            r#"user: result t1 "A" | error t2 "The call was cancelled before it gave a result." | text "stop, do X""#,
        ],
    );
    let [prompt, calls] = asked();
    check(
        &[prompt, calls, user([text("stop, do X")])],
        &[
            r#"user: text "go""#,
            r#"assistant: text "ok" | call t1 Read {} | call t2 Bash {}"#,
            r#"user: error t1 "The call was cancelled before it gave a result." | error t2 "The call was cancelled before it gave a result." | text "stop, do X""#,
        ],
    );
}

#[test]
fn a_history_that_ends_in_a_call_is_closed() {
    check(
        &[user([text("go")]), answer("r1", [call("t1", "Read")])],
        &[
            r#"user: text "go""#,
            "assistant: call t1 Read {}",
            r#"user: error t1 "The call was cancelled before it gave a result.""#,
        ],
    );
}

#[test]
fn blank_text_is_left_out_and_so_is_what_then_is_empty() {
    check(
        &[
            user([text("hi")]),
            answer("r1", [text(""), call("t1", "Bash")]),
            user([result("t1", ""), text("  \n")]),
            answer("r2", [text("\n")]),
            user([text("next")]),
        ],
        &[r#"user: text "hi""#, "assistant: call t1 Bash {}", r#"user: result t1 | text "next""#],
    );
}

fn left_without_thinking(history: &[Message]) -> Vec<ApiMessage> {
    let sent: Vec<Arc<ApiMessage>> = normalize(history).into_iter().map(Arc::new).collect();
    without_thinking(&sent).into_iter().map(Arc::unwrap_or_clone).collect()
}

#[test]
fn thinking_goes_back_untouched_to_the_model_that_signed_it() {
    let history = [
        user([text("q")]),
        answer(
            "r1",
            [thinking("step 1 \u{2028} end ", "S1"), redacted("R1"), text("ok"), call("t1", "Read")],
        ),
        user([result("t1", "A")]),
    ];
    let kept = [
        r#"user: text "q""#,
        r#"assistant: thinking "step 1 \u{2028} end " S1 | redacted R1 | text "ok" | call t1 Read {}"#,
        r#"user: result t1 "A""#,
    ];
    let dropped =
        [r#"user: text "q""#, r#"assistant: text "ok" | call t1 Read {}"#, r#"user: result t1 "A""#];
    check(&history, &kept);
    assert_eq!(drawn(&normalize_for(&history, "m1")), kept);
    assert_eq!(drawn(&normalize_for(&history, "m2")), dropped);
    assert_eq!(drawn(&left_without_thinking(&history)), dropped);
}

#[test]
fn thinking_that_was_cut_off_or_leads_nowhere_is_dropped() {
    check(
        &[user([text("q")]), answer("r1", [thinking("half", "")]), user([text("again")])],
        &[r#"user: text "q" | text "again""#],
    );
    check(
        &[user([text("q")]), answer("r1", [thinking("whole", "S")]), user([text("again")])],
        &[r#"user: text "q" | text "again""#],
    );
    check(
        &[user([text("q")]), answer("r1", [text("a"), thinking("whole", "S")]), user([text("again")])],
        &[r#"user: text "q""#, r#"assistant: text "a""#, r#"user: text "again""#],
    );
}

#[test]
fn ids_used_twice_are_told_apart_and_each_keeps_its_result() {
    check(
        &[
            user([text("q")]),
            answer("r1", [call("call_0", "Bash")]),
            user([result("call_0", "1")]),
            answer("r2", [call("call_0", "Bash")]),
            user([result("call_0", "2")]),
        ],
        &[
            r#"user: text "q""#,
            "assistant: call call_0 Bash {}",
            r#"user: result call_0 "1""#,
            "assistant: call call_0_2 Bash {}",
            r#"user: result call_0_2 "2""#,
        ],
    );
}

#[test]
fn a_call_repeated_within_one_answer_is_one_call() {
    let wanted = [r#"user: text "q""#, "assistant: call toolu_1 Bash {}", r#"user: result toolu_1 "done""#];
    check(
        &[
            user([text("q")]),
            answer("r1", [call("toolu_1", "Bash"), call("toolu_1", "Bash")]),
            user([result("toolu_1", "done"), result("toolu_1", "twice")]),
        ],
        &wanted,
    );
    check(
        &[
            user([text("q")]),
            answer("r1", [call("toolu_1", "Bash")]),
            answer("r1", [call("toolu_1", "Bash")]),
            user([result("toolu_1", "done")]),
        ],
        &wanted,
    );
}

#[test]
fn ids_and_names_get_the_apis_alphabet_on_both_sides() {
    check(
        &[
            user([text("q")]),
            answer("r1", [call("functions.bash:0", "fs.read"), call("", "")]),
            user([result("functions.bash:0", "A"), result("", "B")]),
        ],
        &[
            r#"user: text "q""#,
            "assistant: call functions_bash_0 fs_read {} | call call unknown {}",
            r#"user: result functions_bash_0 "A" | result call "B""#,
        ],
    );
}

#[test]
fn an_input_is_an_object() {
    let input =
        |input: Value| ContentBlock::ToolUse { id: ToolUseId("t".into()), name: "Read".into(), input };
    check(
        &[user([text("q")]), answer("r1", [input(json!(null))]), user([result("t", "A")])],
        &[r#"user: text "q""#, "assistant: call t Read {}", r#"user: result t "A""#],
    );
    check(
        &[user([text("q")]), answer("r1", [input(json!("{\"a\": "))]), user([result("t", "A")])],
        &[r#"user: text "q""#, r#"assistant: call t Read {"input":"{\"a\": "}"#, r#"user: result t "A""#],
    );
}

#[test]
fn records_of_one_answer_are_one_message_though_results_lie_between_them() {
    check(
        &[
            user([text("q")]),
            answer("r1", [text("both")]),
            answer("r1", [call("t1", "Read")]),
            user([result("t1", "A")]),
            answer("r1", [call("t2", "Read")]),
            user([result("t2", "B")]),
        ],
        &[
            r#"user: text "q""#,
            r#"assistant: text "both" | call t1 Read {} | call t2 Read {}"#,
            r#"user: result t1 "A" | result t2 "B""#,
        ],
    );
}

#[test]
fn results_come_before_text_in_the_order_of_their_calls() {
    check(
        &[
            user([text("q")]),
            answer("r1", [call("t1", "Read"), call("t2", "Read")]),
            user([text("meanwhile"), result("t2", "B")]),
            user([result("t1", "A")]),
        ],
        &[
            r#"user: text "q""#,
            "assistant: call t1 Read {} | call t2 Read {}",
            r#"user: result t1 "A" | result t2 "B" | text "meanwhile""#,
        ],
    );
}

#[test]
fn a_result_nobody_asked_for_is_dropped() {
    check(
        &[user([result("t0", "?"), text("q")]), answer("r1", [text("a")]), user([result("t0", "?")])],
        &[r#"user: text "q""#, r#"assistant: text "a""#],
    );
}

#[test]
fn attachments_stand_right_behind_results_as_reminders() {
    check(
        &[
            attachment("note one"),
            user([text("q")]),
            answer("r1", [call("t1", "Read")]),
            user([result("t1", "A")]),
            user([text("and then?")]),
            attachment("a.rs changed"),
        ],
        &[
            r#"user: text "<system-reminder>\nnote one\n</system-reminder>" | text "q""#,
            "assistant: call t1 Read {}",
            r#"user: result t1 "A" | text "<system-reminder>\na.rs changed\n</system-reminder>" | text "and then?""#,
        ],
    );
}

#[test]
fn what_is_only_for_people_is_not_sent() {
    let Message::User(mut shown) = user([text("shown only")]) else { unreachable!() };
    Arc::make_mut(&mut shown).is_virtual = true;
    let Message::Assistant(mut failure) = answer("r0", [text("API error")]) else { unreachable!() };
    Arc::make_mut(&mut failure).is_api_error = true;
    check(
        &[
            user([text("q")]),
            Message::User(shown),
            Message::Assistant(failure),
            system(SystemKind::ApiRetry, "Retrying"),
            system(SystemKind::LocalCommand, "$ ls"),
            progress("reading"),
        ],
        &[r#"user: text "q" | text "$ ls""#],
    );
}

#[test]
fn the_user_begins() {
    check(
        &[answer("r1", [text("a")])],
        &[r#"user: text "(The conversation begins before this point.)""#, r#"assistant: text "a""#],
    );
}

#[test]
fn an_error_is_never_empty_and_carries_text_only() {
    let picture = ImageSource { media_type: "image/png".into(), data: "AAAA".into() };
    let failed = ContentBlock::ToolResult {
        tool_use_id: ToolUseId("t".into()),
        content: vec![ToolResultContent::Image(picture), ToolResultContent::Text(" ".into())],
        is_error: true,
    };
    check(
        &[user([text("q")]), answer("r1", [call("t", "Read")]), user([failed])],
        &[
            r#"user: text "q""#,
            "assistant: call t Read {}",
            r#"user: error t "The call failed without a message.""#,
        ],
    );
}

#[test]
fn an_image_that_would_be_refused_is_named_instead() {
    let image = |media_type: &str, bytes: usize| {
        ContentBlock::Image(ImageSource { media_type: media_type.into(), data: "A".repeat(bytes) })
    };
    check(
        &[user([image("image/png", 4), image("image/tiff", 4), image("image/png", 10 * 1024 * 1024 + 1)])],
        &[
            r#"user: image image/png | text "[An image was left out: no model takes image/tiff.]" | text "[An image was left out: it is larger than the 10 MB a model takes.]""#,
        ],
    );
}

#[test]
fn of_too_many_images_the_newest_stay() {
    let image = || ContentBlock::Image(ImageSource { media_type: "image/png".into(), data: "AAAA".into() });
    let messages = normalize(&[user(vec![image(); 60]), answer("r1", [text("a")]), user(vec![image(); 60])]);
    let images = |message: &ApiMessage| {
        message.content.iter().filter(|block| matches!(block, ContentBlock::Image(_))).count()
    };
    assert_eq!(messages.iter().map(images).collect::<Vec<_>>(), [40, 0, 60]);
    assert!(matches!(&messages[0].content[0], ContentBlock::Text { text } if text.contains("left out")));
}

#[test]
fn an_image_with_too_many_points_is_named_instead() {
    let image =
        |data: &str| ContentBlock::Image(ImageSource { media_type: "image/png".into(), data: data.into() });
    // 9,000 by 1, and 3,000 by 10.
    let (long, wide) = (
        image("iVBORw0KGgoAAAANSUhEUgAAIygAAAABCAIAAAA="),
        image("iVBORw0KGgoAAAANSUhEUgAAC7gAAAAKCAIAAAA="),
    );
    check(
        &[user([long, wide.clone()])],
        &[
            r#"user: text "[An image was left out: it has 9000 by 1 points, and a model takes 8000 along each side.]" | image image/png"#,
        ],
    );
    let images = |others: usize| {
        let messages = normalize(&[user([vec![wide.clone()], vec![image("AAAA"); others]].concat())]);
        messages[0].content.iter().filter(|block| matches!(block, ContentBlock::Image(_))).count()
    };
    assert_eq!((images(19), images(20)), (20, 20), "the wide one is one too many among 21");
}

#[test]
fn an_id_used_in_every_answer_is_made_its_own() {
    let rounds =
        (0..4).flat_map(|n| [answer(&format!("r{n}"), [call("c", "Read")]), user([result("c", "A")])]);
    let messages = normalize(&[vec![user([text("q")])], rounds.collect()].concat());
    let ids: Vec<&str> = messages
        .iter()
        .flat_map(|message| &message.content)
        .filter_map(|block| match block {
            ContentBlock::ToolUse { id, .. } => Some(id.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(ids, ["c", "c_2", "c_3", "c_4"]);
}

#[test]
fn a_providers_own_call_goes_back_only_with_its_result() {
    let called = |id: &str| ContentBlock::ServerToolUse {
        id: ToolUseId(id.into()),
        name: "web_search".into(),
        input: json!({}),
    };
    let found =
        |id: &str| ContentBlock::ServerToolResult { tool_use_id: ToolUseId(id.into()), raw: json!({"n": 1}) };
    check(
        &[user([text("q")]), answer("r1", [called("s1"), found("s1"), called("s2"), found("s3"), text("a")])],
        &[r#"user: text "q""#, r#"assistant: server call s1 | server result s1 | text "a""#],
    );
}

fn text(text: &str) -> ContentBlock {
    ContentBlock::text(text)
}

fn call(id: &str, name: &str) -> ContentBlock {
    ContentBlock::ToolUse { id: ToolUseId(id.to_owned()), name: name.to_owned(), input: json!({}) }
}

fn result(id: &str, text: &str) -> ContentBlock {
    ContentBlock::ToolResult {
        tool_use_id: ToolUseId(id.to_owned()),
        content: vec![ToolResultContent::Text(text.to_owned())],
        is_error: false,
    }
}

fn thinking(thinking: &str, signature: &str) -> ContentBlock {
    ContentBlock::Thinking { thinking: thinking.to_owned(), signature: signature.to_owned() }
}

fn redacted(data: &str) -> ContentBlock {
    ContentBlock::RedactedThinking { data: data.to_owned() }
}

fn user(content: impl Into<Vec<ContentBlock>>) -> Message {
    Message::from(UserMessage {
        id: MessageId::fresh(),
        at: UNIX_EPOCH,
        content: content.into(),
        is_meta: false,
        is_virtual: false,
        is_compact_summary: false,
        tool_use_result: None,
        source_tool_assistant: None,
        mcp_meta: None,
    })
}

fn answer(response_id: &str, content: impl Into<Vec<ContentBlock>>) -> Message {
    Message::from(AssistantMessage {
        id: MessageId::fresh(),
        at: UNIX_EPOCH,
        response_id: response_id.to_owned(),
        request_id: None,
        model: "m1".to_owned(),
        content: content.into(),
        stop_reason: None,
        usage: Usage::default(),
        is_api_error: false,
        is_virtual: false,
    })
}

fn attachment(text: &str) -> Message {
    Message::from(Attachment {
        id: MessageId::fresh(),
        at: UNIX_EPOCH,
        kind: AttachmentKind::FileChanged,
        text: text.to_owned(),
    })
}

fn system(kind: SystemKind, text: &str) -> Message {
    Message::from(SystemMessage {
        id: MessageId::fresh(),
        at: UNIX_EPOCH,
        kind,
        text: text.to_owned(),
        compaction: None,
    })
}

fn progress(text: &str) -> Message {
    Message::from(ProgressMessage {
        id: MessageId::fresh(),
        at: UNIX_EPOCH,
        tool_use_id: ToolUseId("t1".to_owned()),
        text: text.to_owned(),
    })
}

fn drawn(messages: &[ApiMessage]) -> Vec<String> {
    messages
        .iter()
        .map(|message| {
            let role = match message.role {
                Role::User => "user",
                Role::Assistant => "assistant",
            };
            let blocks: Vec<String> = message.content.iter().map(drawn_block).collect();
            format!("{role}: {}", blocks.join(" | "))
        })
        .collect()
}

fn drawn_block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text { text } => format!("text {text:?}"),
        ContentBlock::Thinking { thinking, signature } => format!("thinking {thinking:?} {signature}"),
        ContentBlock::RedactedThinking { data } => format!("redacted {data}"),
        ContentBlock::ToolUse { id, name, input } => format!("call {id} {name} {input}"),
        ContentBlock::ToolResult { tool_use_id, content, is_error } => {
            let kind = if *is_error { "error" } else { "result" };
            let parts: String = content
                .iter()
                .map(|part| match part {
                    ToolResultContent::Text(text) => format!(" {text:?}"),
                    ToolResultContent::Image(image) => format!(" image {}", image.media_type),
                    ToolResultContent::ToolReference(tool) => format!(" tool {tool}"),
                })
                .collect();
            format!("{kind} {tool_use_id}{parts}")
        }
        ContentBlock::Image(image) => format!("image {}", image.media_type),
        ContentBlock::ServerToolUse { id, .. } => format!("server call {id}"),
        ContentBlock::ServerToolResult { tool_use_id, .. } => format!("server result {tool_use_id}"),
        ContentBlock::Compaction { content } => format!("compaction {content:?}"),
    }
}
