//! What the context pipeline costs before a request, in a short conversation and in a long one. The time of a message must
//! not grow with their number.

#![allow(clippy::print_stdout, clippy::cast_precision_loss, reason = "it prints a ratio")]

use std::cell::RefCell;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use copydesk::config::ContextSettings;
use copydesk::context::{CompactState, ContextLog, Known, PipelineInput, prepare};
use copydesk::conversation::{
    AssistantMessage, ContentBlock, Message, MessageId, ToolResultContent, ToolUseId, Usage, UserMessage,
    estimate_tokens, normalize_for,
};
use copydesk::models::{ContextEditing, Window};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    targets = steps, ratio
}
criterion_main!(benches);

const ROUNDS: [usize; 2] = [100, 2_000];

fn steps(criterion: &mut Criterion) {
    for rounds in ROUNDS {
        let stage = Stage::of(rounds);
        criterion.bench_function(&format!("prepare, {rounds} rounds"), |bench| {
            bench.iter(|| stage.prepare());
        });
        criterion.bench_function(&format!("prepare the next, {rounds} rounds"), |bench| {
            bench.iter(|| stage.prepare_next());
        });
        criterion.bench_function(&format!("estimate, {rounds} rounds"), |bench| {
            bench.iter(|| black_box(estimate_tokens(&stage.view)));
        });
        criterion.bench_function(&format!("normalize, {rounds} rounds"), |bench| {
            bench.iter(|| black_box(normalize_for(&stage.view, "m")));
        });
    }
}

/// Prints the time of a message in the long conversation over that in the short one.
fn ratio(_: &mut Criterion) {
    // A test runner asks for the names of the benchmarks, or for one quick turn of each.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    for (name, work) in [
        ("prepare", Stage::prepare as fn(&Stage)),
        ("prepare the next", Stage::prepare_next),
        ("normalize", |stage: &Stage| drop(black_box(normalize_for(&stage.view, "m")))),
    ] {
        let of_a_message = ROUNDS.map(|rounds| {
            let stage = Stage::of(rounds);
            let best = (0..20)
                .map(|_| {
                    let begun = Instant::now();
                    work(&stage);
                    begun.elapsed()
                })
                .min();
            best.unwrap_or_default().as_secs_f64() / stage.view.len() as f64
        });
        let [short, long] = of_a_message;
        println!(
            "{name}: {:.0} ns a message in {} rounds, {:.0} ns in {}; ratio {:.2}",
            short * 1e9,
            ROUNDS[0],
            long * 1e9,
            ROUNDS[1],
            long / short
        );
    }
}

/// A conversation that was prepared before, so that all is decided but the newest round.
struct Stage {
    view: Arc<[Message]>,
    log: ContextLog,
    settings: ContextSettings,
    known: RefCell<Known>,
}

impl Stage {
    fn of(rounds: usize) -> Self {
        let mut messages = vec![user("prompt", ContentBlock::text("go"))];
        for n in 0..rounds {
            let id = ToolUseId(format!("t{n}"));
            let (name, input) = match n % 3 {
                0 => ("Read", json!({"file_path": format!("/w/{}.rs", n % 50)})),
                1 => ("Grep", json!({"pattern": format!("word{n}")})),
                _ => ("Bash", json!({"command": "cargo test"})),
            };
            messages.push(answer(n, ContentBlock::ToolUse { id: id.clone(), name: name.to_owned(), input }));
            let content = vec![ToolResultContent::Text(format!("line {n} of the result\n").repeat(20))];
            let result = ContentBlock::ToolResult { tool_use_id: id, content, is_error: false };
            messages.push(user(&format!("result{n}"), result));
        }
        let (log, settings) = (ContextLog::default(), ContextSettings::default());
        let mut stage = Self { view: messages.into(), log, settings, known: RefCell::default() };
        let prepared = prepare(stage.view.clone(), &mut Known::default(), &stage.input(), |_| {});
        stage.log.record(prepared.new_decisions);
        stage.view = prepared.messages;
        stage
    }

    /// As for the first request of a task.
    fn prepare(&self) {
        black_box(prepare(self.view.clone(), &mut Known::default(), &self.input(), |_| {}));
    }

    /// As for each that follows.
    fn prepare_next(&self) {
        black_box(prepare(self.view.clone(), &mut self.known.borrow_mut(), &self.input(), |_| {}));
    }

    fn input(&self) -> PipelineInput<'_> {
        PipelineInput {
            system: &[],
            user_context: "",
            window: Window { context: 10_000_000, max_output: 64_000 },
            editing: ContextEditing::Server,
            log: &self.log,
            now: SystemTime::UNIX_EPOCH,
            settings: &self.settings,
            state: CompactState::default(),
            tools_tokens: 0,
            result_limit: &|_| Some(50_000),
            results_folder: None,
        }
    }
}

fn answer(n: usize, block: ContentBlock) -> Message {
    Message::from(AssistantMessage {
        id: MessageId(format!("answer{n}")),
        at: SystemTime::UNIX_EPOCH,
        response_id: format!("r{n}"),
        request_id: None,
        model: "m".to_owned(),
        content: vec![block],
        stop_reason: None,
        usage: Usage::default(),
        is_api_error: false,
        is_virtual: false,
    })
}

fn user(id: &str, block: ContentBlock) -> Message {
    Message::from(UserMessage {
        id: MessageId(id.to_owned()),
        at: SystemTime::UNIX_EPOCH,
        content: vec![block],
        is_meta: false,
        is_virtual: false,
        is_compact_summary: false,
        tool_use_result: None,
        source_tool_assistant: None,
        mcp_meta: None,
    })
}
