//! The table of scripts: what a model, its tools, hooks and user do, and what the loop makes of it: its transitions, its end,
//! and the requests it sends.
//!
//! `cargo test -p copydesk --lib agent::query::scripts -- --nocapture` prints the table.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex};

use serde_json::json;

use super::invariants::assert_valid;
use super::stage::{Play, play};
use crate::agent::fixture::{Asked, Piece, limit, text, thought, tool};
use crate::agent::params::Limits;
use crate::agent::{CompactVerdict, Continue, StopVerdict, TerminalReason};
use crate::config::Dollars;
use crate::conversation::{ApiMessage, ContentBlock, Role, StopReason, ToolResultContent, unparsed_input};
use crate::models::ModelErrorKind;

/// A script and what comes of it.
struct Row {
    name: &'static str,
    play: Play,
    transitions: &'static [&'static str],
    terminal: &'static str,
    /// Each request as its messages in short: the prompt `go`, `"words"` of the model, `Look#t1` a call of it, `t1` a
    /// result, `t1!` an error, `summary` what stands for an earlier part, `on` other words of the program. In front, the model if it is another one, and the most tokens if they are not the usual ones.
    requests: &'static [&'static str],
}

fn calls(id: &str, name: &str) -> Vec<Piece> {
    vec![tool(id, name, json!({}))]
}

fn says(words: &str) -> Vec<Piece> {
    vec![text(words)]
}

fn fails(kind: ModelErrorKind) -> Vec<Piece> {
    vec![Piece::Fail(kind)]
}

fn of(model: Vec<Vec<Piece>>) -> Play {
    Play { model, ..Play::default() }
}

const TOO_LONG: ModelErrorKind = ModelErrorKind::PromptTooLong;

#[rustfmt::skip]
fn table() -> Vec<Row> {
    let cut = || vec![text("half"), limit()];
    let five_cuts = || vec![cut(), cut(), cut(), cut(), cut()];
    let blocked = |why: &str| StopVerdict::Blocking(vec![why.to_owned()]);
    let pause = || vec![text("searching"), Piece::Stop(StopReason::PauseTurn)];
    let full = |id| vec![tool(id, "Act", json!({})), Piece::Tokens(185_000)];
    let forbidden = || CompactVerdict::Block("not now".to_owned());
    let own_limit = Limits { max_output_tokens: Some(500), ..Limits::default() };
    vec![
        Row { name: "plain",
            play: of(vec![says("hello")]),
            transitions: &[], terminal: "completed",
            requests: &["go"] },
        Row { name: "one tool",
            play: of(vec![calls("t1", "Look"), says("seen")]),
            transitions: &["next_turn"], terminal: "completed",
            requests: &["go", "go / Look#t1 / t1"] },
        Row { name: "text and a tool, and a stop reason that denies it",
            play: of(vec![vec![text("I look"), tool("t1", "Look", json!({})), Piece::Stop(StopReason::EndTurn)]]),
            transitions: &["next_turn"], terminal: "completed",
            requests: &["go", "go / \"I look\" Look#t1 / t1"] },
        Row { name: "parallel safe",
            play: of(vec![vec![tool("t1", "Look", json!({})), tool("t2", "Look", json!({})), tool("t3", "Act", json!({}))]]),
            transitions: &["next_turn"], terminal: "completed",
            requests: &["go", "go / Look#t1 Look#t2 Act#t3 / t1 t2 t3"] },
        Row { name: "a command's failure ends its siblings",
            play: of(vec![vec![tool("t1", "Run", json!({"exit": 1})), tool("t2", "Run", json!({"sleep": true})), tool("t3", "Act", json!({}))]]),
            transitions: &["next_turn"], terminal: "completed",
            requests: &["go", "go / Run#t1 Run#t2 Act#t3 / t1! t2! t3!"] },
        Row { name: "another tool's failure does not",
            play: of(vec![vec![tool("t1", "Look", json!({"exit": 1})), tool("t2", "Look", json!({}))]]),
            transitions: &["next_turn"], terminal: "completed",
            requests: &["go", "go / Look#t1 Look#t2 / t1! t2"] },
        Row { name: "an input that is no JSON, one of the wrong type, an unknown tool",
            play: of(vec![vec![tool("t1", "Act", unparsed_input("{\"a")), tool("t2", "Look", json!(7)), tool("t3", "None", json!({}))]]),
            transitions: &["next_turn"], terminal: "completed",
            requests: &["go", "go / Act#t1 Look#t2 None#t3 / t1! t2! t3!"] },
        Row { name: "a tool adds a message",
            play: of(vec![vec![tool("t1", "Add", json!({})), tool("t2", "Look", json!({}))]]),
            transitions: &["next_turn"], terminal: "completed",
            requests: &["go", "go / Add#t1 Look#t2 / t1 t2 by the way"] },
        Row { name: "cut, escalated, done",
            play: of(vec![cut(), says("whole")]),
            transitions: &["max_output_tokens_escalate"], terminal: "completed",
            requests: &["go", "32000: go"] },
        Row { name: "cut again and again",
            play: of(five_cuts()),
            transitions: &["max_output_tokens_escalate", "max_output_tokens_recovery", "max_output_tokens_recovery", "max_output_tokens_recovery"],
            terminal: "model_error",
            requests: &["go", "32000: go", "go / \"half\" / on", "go / \"half\" / on / \"half\" / on", "go / \"half\" / on / \"half\" / on / \"half\" / on"] },
        Row { name: "cut, and the user has set a limit",
            play: Play { limits: Some(own_limit), ..of(vec![cut(), says("the rest")]) },
            transitions: &["max_output_tokens_recovery"], terminal: "completed",
            requests: &["500: go", "500: go / \"half\" / on"] },
        Row { name: "cut in the middle of its only call",
            play: of(vec![vec![text("I write"), tool("t1", "Act", unparsed_input("{\"a")), limit()], calls("t2", "Act")]),
            transitions: &["max_output_tokens_escalate", "next_turn"], terminal: "completed",
            requests: &["go", "32000: go", "go / Act#t2 / t2"] },
        Row { name: "cut behind a call without an input that has acted: it is not made twice",
            play: of(vec![vec![tool("t1", "Act", json!({})), Piece::Pause, limit()], says("done")]),
            transitions: &["next_turn"], terminal: "completed",
            requests: &["go", "go / Act#t1 / t1"] },
        Row { name: "the window is full behind a call without an input that has acted",
            play: of(vec![vec![tool("t1", "Act", json!({})), Piece::Pause, Piece::Stop(StopReason::ContextWindowExceeded)], says("done")]),
            transitions: &["next_turn"], terminal: "completed",
            requests: &["go", "go / Act#t1 / t1"] },
        Row { name: "cut behind a whole call",
            play: of(vec![vec![tool("t1", "Act", json!({})), tool("t2", "Act", unparsed_input("{\"a")), limit()]]),
            transitions: &["next_turn"], terminal: "completed",
            requests: &["go", "go / Act#t1 Act#t2 / t1 t2!"] },
        Row { name: "a turn gives new recoveries",
            play: of(vec![cut(), cut(), calls("t1", "Look"), cut(), says("done")]),
            transitions: &["max_output_tokens_escalate", "max_output_tokens_recovery", "next_turn", "max_output_tokens_escalate"],
            terminal: "completed",
            requests: &["go", "32000: go", "go / \"half\" / on", "go / \"half\" / on / Look#t1 / t1", "32000: go / \"half\" / on / Look#t1 / t1"] },
        Row { name: "too long, and a fold that waited is room enough",
            play: Play { staged: true, ..of(vec![fails(TOO_LONG), says("now")]) },
            transitions: &["collapse_drain_retry"], terminal: "completed",
            requests: &["go", "go"] },
        Row { name: "too long, a fold, still too long, a summary, still too long",
            play: Play { staged: true, ..of(vec![fails(TOO_LONG), fails(TOO_LONG), says("<summary>all of it</summary>"), fails(TOO_LONG)]) },
            transitions: &["collapse_drain_retry", "reactive_compact_retry"], terminal: "prompt_too_long",
            requests: &["go", "go", "20000: go on", "summary"] },
        Row { name: "too long, and the summary fails",
            play: of(vec![calls("t1", "Act"), fails(TOO_LONG), fails(ModelErrorKind::Authentication)]),
            transitions: &["next_turn"], terminal: "prompt_too_long",
            requests: &["go", "go / Act#t1 / t1", "20000: go / Act#t1 / t1 on"] },
        Row { name: "too long, a summary, and on",
            play: of(vec![calls("t1", "Act"), fails(TOO_LONG), says("<summary>all of it</summary>"), says("done")]),
            transitions: &["next_turn", "reactive_compact_retry"], terminal: "completed",
            requests: &["go", "go / Act#t1 / t1", "20000: go / Act#t1 / t1 on", "summary go"] },
        Row { name: "full, a summary, and too long all the same: a second one would free nothing",
            play: of(vec![full("t1"), says("<summary>all of it</summary>"), fails(TOO_LONG)]),
            transitions: &["next_turn"], terminal: "prompt_too_long",
            requests: &["go", "20000: go / Act#t1 / t1 on", "summary go"] },
        Row { name: "full, and no summary is made without asking",
            play: Play { no_auto_compact: true, ..of(vec![full("t1"), says("too late")]) },
            transitions: &["next_turn"], terminal: "blocking_limit",
            requests: &["go"] },
        Row { name: "full, and a hook forbids the summary: it is sent as it is",
            play: Play { compact_hooks: vec![forbidden()], ..of(vec![full("t1"), says("done")]) },
            transitions: &["next_turn"], terminal: "completed",
            requests: &["go", "go / Act#t1 / t1"] },
        Row { name: "too long, and a hook forbids the summary: the error comes out",
            play: Play { compact_hooks: vec![forbidden()], ..of(vec![fails(TOO_LONG), says("too late")]) },
            transitions: &[], terminal: "prompt_too_long",
            requests: &["go"] },
        Row { name: "an image that is refused, a summary, and still refused",
            play: of(vec![fails(ModelErrorKind::MediaRefused), says("<summary>all of it</summary>"), fails(ModelErrorKind::MediaRefused)]),
            transitions: &["reactive_compact_retry"], terminal: "image_error",
            requests: &["go", "20000: go on", "summary"] },
        Row { name: "the window is full in the middle of an answer",
            play: of(vec![vec![text("half"), Piece::Stop(StopReason::ContextWindowExceeded)], says("<summary>all of it</summary>"), says("done")]),
            transitions: &["reactive_compact_retry"], terminal: "completed",
            requests: &["go", "20000: go on", "summary"] },
        Row { name: "a summary before a Stop hook is the only one until the next turn",
            play: Play { stop_hooks: vec![blocked("no")], ..of(vec![fails(TOO_LONG), says("<summary>all of it</summary>"), says("done"), fails(TOO_LONG)]) },
            transitions: &["reactive_compact_retry", "stop_hook_blocking"], terminal: "prompt_too_long",
            requests: &["go", "20000: go on", "summary", "summary / \"done\" / on"] },
        Row { name: "a Stop hook blocks once",
            play: Play { stop_hooks: vec![blocked("tests fail")], ..of(vec![says("done"), says("mended")]) },
            transitions: &["stop_hook_blocking"], terminal: "completed",
            requests: &["go", "go / \"done\" / on"] },
        Row { name: "a Stop hook blocks for ever",
            play: Play { stop_hooks: vec![blocked("no"); 99], limits: Some(Limits { stop_hook_blocks: 2, ..Limits::default() }), ..of(vec![says("a"), says("b"), says("c")]) },
            transitions: &["stop_hook_blocking", "stop_hook_blocking"], terminal: "completed",
            requests: &["go", "go / \"a\" / on", "go / \"a\" / on / \"b\" / on"] },
        Row { name: "a Stop hook ends it",
            play: Play { stop_hooks: vec![StopVerdict::Prevent("enough".into())], token_budget: Some(9_000), ..of(vec![says("done")]) },
            transitions: &[], terminal: "stop_hook_prevented",
            requests: &["go"] },
        Row { name: "a tool's hook ends it",
            play: Play { hook_stops_after: Some("Act"), ..of(vec![vec![tool("t1", "Act", json!({})), tool("t2", "Look", json!({}))]]) },
            transitions: &[], terminal: "hook_stopped",
            requests: &["go"] },
        Row { name: "a budget of tokens",
            play: Play { token_budget: Some(10_000), ..of(vec![vec![text("a"), Piece::Tokens(5_000)], vec![text("b"), Piece::Tokens(4_000)]]) },
            transitions: &["token_budget_continuation"], terminal: "completed",
            requests: &["go", "go / \"a\" / on"] },
        Row { name: "a budget of tokens that brings nothing more",
            play: Play { token_budget: Some(10_000), ..of(vec![says("a"), says("b"), says("c"), says("d"), says("e")]) },
            transitions: &["token_budget_continuation", "token_budget_continuation", "token_budget_continuation"], terminal: "completed",
            requests: &["go", "go / \"a\" / on", "go / \"a\" / on / \"b\" / on", "go / \"a\" / on / \"b\" / on / \"c\" / on"] },
        Row { name: "a budget of tokens that fills the window again and again",
            play: Play { token_budget: Some(500_000), ..of(vec![vec![text("a"), Piece::Tokens(185_000)], says("<summary>a</summary>"), vec![text("b"), Piece::Tokens(185_000)], says("<summary>b</summary>"), vec![text("c"), Piece::Tokens(185_000)]]) },
            transitions: &["token_budget_continuation", "token_budget_continuation"], terminal: "completed",
            requests: &["go", "20000: go / \"a\" / on on", "summary go", "20000: summary go / \"b\" / on on", "summary go"] },
        Row { name: "a budget of money: an answer costs a dollar",
            play: Play { limits: Some(Limits { max_budget: Some(Dollars::whole(2)), ..Limits::default() }), ..of(vec![calls("t1", "Act"), calls("t2", "Act"), says("done")]) },
            transitions: &["next_turn"], terminal: "budget_exhausted",
            requests: &["go", "go / Act#t1 / t1"] },
        Row { name: "the most turns",
            play: Play { limits: Some(Limits { max_turns: 2, ..Limits::default() }), ..of(vec![calls("t1", "Act"), calls("t2", "Act"), calls("t3", "Act")]) },
            transitions: &["next_turn"], terminal: "max_turns",
            requests: &["go", "go / Act#t1 / t1"] },
        Row { name: "cancelled while the answer comes in",
            play: Play { cancel_at: Some("model half"), ..of(vec![vec![text("half"), Piece::Stall]]) },
            transitions: &[], terminal: "aborted_streaming",
            requests: &["go"] },
        Row { name: "cancelled while a tool runs",
            play: Play { cancel_at: Some("call t1 InProgress"), ..of(vec![calls("t1", "Hang")]) },
            transitions: &[], terminal: "aborted_tools",
            requests: &["go"] },
        Row { name: "a message of the user's while a tool runs",
            play: Play { send_at: Some("call t1 InProgress"), ..of(vec![calls("t1", "Act"), says("both")]) },
            transitions: &["next_turn"], terminal: "completed",
            requests: &["go", "go / Act#t1 / t1 and this"] },
        Row { name: "a message of the user's ends a tool that makes way",
            play: Play { send_at: Some("call t1 InProgress"), ..of(vec![calls("t1", "Wait"), says("both")]) },
            transitions: &["next_turn"], terminal: "completed",
            requests: &["go", "go / Wait#t1 / t1! and this"] },
        Row { name: "nothing said, twice in a row",
            play: of(vec![Vec::new(), Vec::new(), says("at last")]),
            transitions: &["next_turn", "next_turn"], terminal: "completed",
            requests: &["go", "go on", "go on on"] },
        Row { name: "nothing said after a tool",
            play: of(vec![calls("t1", "Look"), Vec::new(), says("seen")]),
            transitions: &["next_turn", "next_turn"], terminal: "completed",
            requests: &["go", "go / Look#t1 / t1", "go / Look#t1 / t1 on"] },
        Row { name: "nothing said for ever",
            play: of(vec![Vec::new(), Vec::new(), Vec::new()]),
            transitions: &["next_turn", "next_turn"], terminal: "model_error",
            requests: &["go", "go on", "go on on"] },
        Row { name: "blanks said, then words",
            play: of(vec![says("  \n"), says("at last")]),
            transitions: &["next_turn"], terminal: "completed",
            requests: &["go", "go on"] },
        Row { name: "blanks said for ever",
            play: of(vec![says("  \n"), vec![thought("hm"), text("\u{2028}")], says("\n"), says("too late")]),
            transitions: &["next_turn", "next_turn"], terminal: "model_error",
            requests: &["go", "go on", "go on on"] },
        Row { name: "paused by the provider",
            play: of(vec![pause(), says("found")]),
            transitions: &["next_turn"], terminal: "completed",
            requests: &["go", "go / \"searching\""] },
        Row { name: "paused by the provider for ever",
            play: Play { limits: Some(Limits::default()), ..of(vec![pause(); 20]) },
            transitions: &["next_turn"; 5], terminal: "model_error",
            requests: &["go", "go / \"searching\"", "go / \"searching\" \"searching\"", "go / \"searching\" \"searching\" \"searching\"",
                "go / \"searching\" \"searching\" \"searching\" \"searching\"", "go / \"searching\" \"searching\" \"searching\" \"searching\" \"searching\""] },
        Row { name: "refused",
            play: of(vec![vec![text("I sh"), Piece::Stop(StopReason::Refusal)]]),
            transitions: &[], terminal: "model_error",
            requests: &["go"] },
        Row { name: "refused, and another model answers",
            play: Play { others: vec![vec![says("sure")]], ..of(vec![vec![thought("hm"), text("I sh"), Piece::Stop(StopReason::Refusal)]]) },
            transitions: &[], terminal: "completed",
            requests: &["go", "second go"] },
        Row { name: "overloaded, and another model answers to the end",
            play: Play { others: vec![vec![calls("t1", "Look"), says("seen")]], ..of(vec![fails(ModelErrorKind::Overloaded)]) },
            transitions: &["next_turn"], terminal: "completed",
            requests: &["go", "second go", "second go / Look#t1 / t1"] },
        Row { name: "overloaded behind a call that looks: the other model begins anew",
            play: Play { others: vec![vec![says("mine")]], ..of(vec![vec![thought("hm"), tool("t1", "Look", json!({})), Piece::Pause, Piece::Break(ModelErrorKind::Overloaded)]]) },
            transitions: &[], terminal: "completed",
            requests: &["go", "second go"] },
        Row { name: "overloaded behind a call that acts: it stands",
            play: Play { others: vec![vec![says("mine")]], ..of(vec![vec![tool("t1", "Act", json!({})), Piece::Pause, Piece::Break(ModelErrorKind::Overloaded)], says("acted")]) },
            transitions: &["next_turn"], terminal: "completed",
            requests: &["go", "go / Act#t1 / t1"] },
        Row { name: "overloaded behind a call that would act and has not begun: the other model begins anew",
            play: Play { others: vec![vec![says("mine")]], ..of(vec![vec![tool("t1", "Act", json!({})), Piece::Break(ModelErrorKind::Overloaded)]]) },
            transitions: &[], terminal: "completed",
            requests: &["go", "second go"] },
        Row { name: "three models overloaded",
            play: Play { others: vec![vec![fails(ModelErrorKind::Server)], vec![fails(ModelErrorKind::Overloaded)]], ..of(vec![fails(ModelErrorKind::Overloaded)]) },
            transitions: &[], terminal: "model_error",
            requests: &["go", "second go", "third go"] },
        Row { name: "a wrong key is no reason for another model",
            play: Play { others: vec![vec![says("mine")]], ..of(vec![fails(ModelErrorKind::Authentication)]) },
            transitions: &[], terminal: "model_error",
            requests: &["go"] },
        Row { name: "thought, and went to another model with the thought left out",
            play: Play { others: vec![vec![says("seen")]], ..of(vec![vec![thought("hm"), tool("t1", "Look", json!({}))], fails(ModelErrorKind::Overloaded)]) },
            transitions: &["next_turn"], terminal: "completed",
            requests: &["go", "go / (hm) Look#t1 / t1", "second go / Look#t1 / t1"] },
        Row { name: "broken off behind a text",
            play: of(vec![vec![text("half"), Piece::Cut]]),
            transitions: &[], terminal: "completed",
            requests: &["go"] },
        Row { name: "broken off behind a call",
            play: of(vec![vec![tool("t1", "Act", json!({})), text("and"), Piece::Cut], says("done")]),
            transitions: &["next_turn"], terminal: "completed",
            requests: &["go", "go / Act#t1 \"and\" / t1"] },
        Row { name: "broken off behind a thought",
            play: of(vec![vec![thought("hm"), Piece::Cut], says("well")]),
            transitions: &[], terminal: "completed",
            requests: &["go", "go"] },
        Row { name: "broken off behind a thought for ever",
            play: of(vec![vec![thought("hm"), Piece::Cut]; 9]),
            transitions: &[], terminal: "model_error",
            requests: &["go", "go", "go"] },
        Row { name: "silent behind a thought for ever",
            play: of(vec![vec![thought("hm"), Piece::Break(ModelErrorKind::Stalled)]; 9]),
            transitions: &[], terminal: "model_error",
            requests: &["go", "go"] },
        Row { name: "silent behind a thought and a text: what is finished stands",
            play: of(vec![vec![thought("hm"), text("half"), Piece::Break(ModelErrorKind::Stalled)]]),
            transitions: &[], terminal: "completed",
            requests: &["go"] },
        Row { name: "nonsense behind a text",
            play: of(vec![vec![text("half"), Piece::Break(ModelErrorKind::Malformed)], says("whole")]),
            transitions: &[], terminal: "completed",
            requests: &["go", "go"] },
        Row { name: "nonsense behind a call that acts",
            play: of(vec![vec![tool("t1", "Act", json!({})), Piece::Pause, Piece::Break(ModelErrorKind::Malformed)], says("done")]),
            transitions: &["next_turn"], terminal: "completed",
            requests: &["go", "go / Act#t1 / t1"] },
    ]
}

#[test]
#[allow(clippy::print_stdout, reason = "the table is a report too")]
fn every_script_plays_as_the_table_says() {
    let mut wrong = Vec::new();
    for Row { name, play: script, transitions, terminal, requests } in table() {
        let played = play(script);
        let went: Vec<&str> = played.transitions.iter().map(|reason| reason.as_str()).collect();
        let drawn: Vec<String> = played.requests.iter().map(draw).collect();
        let end = played.terminal.reason.as_str();
        println!("{name}\n    transitions  {}\n    terminal     {end}", went.join(", "));
        for request in &drawn {
            println!("    request      {request}");
        }
        for (_, request) in &played.requests {
            assert_valid(request);
        }
        if went != transitions || end != terminal || drawn != requests {
            wrong.push(format!("{name}: {went:?} {end} {drawn:#?}\n{:#?}", played.lines));
        }
    }
    assert!(wrong.is_empty(), "{} scripts went another way:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_table_shows_every_way_on_and_every_end() {
    let table = table();
    let ways: BTreeSet<&str> = table.iter().flat_map(|row| row.transitions).copied().collect();
    assert_eq!(ways, Continue::ALL.map(Continue::as_str).into());
    let ends: BTreeSet<&str> = table.iter().map(|row| row.terminal).collect();
    assert_eq!(ends, TerminalReason::ALL.map(TerminalReason::as_str).into());
}

/// Whoever looks for why a task stopped finds it in the log.
#[test]
fn every_end_leaves_a_line_in_the_log_with_its_reason() {
    // Where there is only one subscriber, whether a line is wanted at all is asked of the thread that comes to it first, and a
    // test beside this one has none.
    let _second = tracing::Dispatch::new(tracing::subscriber::NoSubscriber::default());
    for Row { name, play: script, terminal, .. } in table() {
        let lines = Lines::default();
        let written = lines.clone();
        let log = tracing_subscriber::fmt().with_ansi(false).with_writer(move || written.clone()).finish();
        tracing::subscriber::with_default(log, || play(script));
        let text = String::from_utf8(std::mem::take(&mut lines.0.lock().unwrap())).unwrap();
        let ends: Vec<&str> = text.lines().filter(|line| line.contains("the task ended")).collect();
        let [end] = ends.as_slice() else { panic!("{name}: {text}") };
        assert!(end.contains(&format!("reason=\"{terminal}\"")), "{name}: {end}");
    }
}

/// What was logged.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn draw((model, request): &Asked) -> String {
    let messages: Vec<String> = request.messages.iter().map(|message| draw_message(message)).collect();
    let mut drawn = messages.join(" / ");
    if request.max_tokens != Limits::default().first_output_tokens {
        drawn = format!("{}: {drawn}", request.max_tokens);
    }
    if *model == "scripted" { drawn } else { format!("{model} {drawn}") }
}

fn draw_message(message: &ApiMessage) -> String {
    let block = |block: &ContentBlock| match block {
        ContentBlock::Text { text } if message.role == Role::Assistant => format!("\"{text}\""),
        ContentBlock::Text { text } if ["go", "and this", "by the way"].contains(&text.as_str()) => {
            text.clone()
        }
        ContentBlock::Text { text } if text.starts_with("This conversation goes on") => "summary".to_owned(),
        ContentBlock::Text { .. } => "on".to_owned(),
        ContentBlock::Thinking { thinking, .. } => format!("({thinking})"),
        ContentBlock::ToolUse { id, name, .. } => format!("{name}#{id}"),
        ContentBlock::ToolResult { tool_use_id, content, is_error } => {
            assert!(content.iter().all(|piece| matches!(piece, ToolResultContent::Text(_))));
            format!("{tool_use_id}{}", if *is_error { "!" } else { "" })
        }
        other => format!("{other:?}"),
    };
    message.content.iter().map(block).collect::<Vec<_>>().join(" ")
}
