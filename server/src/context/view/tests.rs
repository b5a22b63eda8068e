//! A view that grows from round to round knows what a look at all messages would show.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::config::{ContextNumber, ContextSettings};
use crate::context::fixture::{Setting, answered, call, failed, prompt, read, said};
use crate::context::pipeline::prepare;
use crate::models::Window;

/// What comes up in a round.
#[derive(Clone, Debug)]
enum Happening {
    Called {
        tool: usize,
        input: usize,
        result: usize,
    },
    /// Beside another call of the same answer.
    Twice {
        tool: usize,
        result: usize,
    },
    Unanswered,
    Failed,
    ReadWhole {
        file: usize,
        text: usize,
    },
    Answer(&'static str),
    Prompt(&'static str),
    Drained,
}

const TOOLS: [&str; 5] = ["Read", "Edit", "Bash", "Grep", "Note"];
const RESULTS: [&str; 5] = ["clean", "", "a word or two of a result that is rather longer", "  \n", "found"];

/// The messages of the happening with that number.
fn messages(happening: &Happening, number: usize) -> Vec<Message> {
    let (id, more) = (format!("t{number}"), format!("u{number}"));
    let record = format!("r{number}");
    let asked = |tool: usize, input: usize| {
        call(&record, &id, TOOLS[tool], json!({"file_path": format!("/w/{input}.rs"), "n": input}))
    };
    match *happening {
        Happening::Called { tool, input, result } => {
            vec![asked(tool, input), answered(&id, &RESULTS[result].repeat(1 + 9 * (input % 2)))]
        }
        Happening::Twice { tool, result } => vec![
            asked(tool, 0),
            call(&record, &more, TOOLS[tool], json!({"n": number})),
            answered(&more, RESULTS[result]),
            answered(&id, RESULTS[result]),
        ],
        Happening::Unanswered => vec![asked(0, 0), prompt("so what?")],
        Happening::Failed => vec![asked(2, 0), failed(&id, "it does not work")],
        Happening::ReadWhole { file, text } => {
            read(&id, &format!("/w/{file}.rs"), &"a line\n".repeat(1 + 5 * text)).to_vec()
        }
        Happening::Answer(text) => vec![said(&record, text)],
        Happening::Prompt(text) => vec![prompt(text)],
        Happening::Drained => Vec::new(),
    }
}

fn happening() -> impl Strategy<Value = Happening> {
    let words =
        prop::sample::select(vec!["ok", "yes", "a text that is far too long to be small talk, as it is"]);
    prop_oneof![
        6 => (0..TOOLS.len(), 0..3_usize, 0..RESULTS.len())
            .prop_map(|(tool, input, result)| Happening::Called { tool, input, result }),
        2 => (0..TOOLS.len(), 0..RESULTS.len()).prop_map(|(tool, result)| Happening::Twice { tool, result }),
        1 => Just(Happening::Unanswered),
        1 => Just(Happening::Failed),
        3 => (0..3_usize, 0..3_usize).prop_map(|(file, text)| Happening::ReadWhole { file, text }),
        2 => words.clone().prop_map(Happening::Answer),
        2 => words.prop_map(Happening::Prompt),
        1 => Just(Happening::Drained),
    ]
}

fn eager() -> ContextSettings {
    [
        (ContextNumber::RecentRounds, 2),
        (ContextNumber::SnipAtLeast, 5),
        (ContextNumber::ClearResultsAt, 6),
        (ContextNumber::ClearAtLeast, 8),
        (ContextNumber::KeptResults, 3),
        (ContextNumber::ResultChars, 200),
        (ContextNumber::FailedResultChars, 12),
        (ContextNumber::PreviewBytes, 20),
        (ContextNumber::SmallTalkChars, 20),
    ]
    .into_iter()
    .fold(ContextSettings::default(), |settings, (number, value)| settings.with(number, value))
}

proptest! {
    #[test]
    fn a_view_that_grows_is_the_one_that_is_made_anew(
        rounds in prop::collection::vec(prop::collection::vec(happening(), 1..3), 1..25),
        window in prop::sample::select(vec![24_000_u64, 200_000]),
        clears in any::<bool>(),
    ) {
        let mut setting = Setting {
            settings: eager(),
            window: Window { context: window, max_output: 20_000 },
            user_context: "Be kind.".to_owned(),
            ..Setting::new()
        };
        if !clears {
            setting.settings = setting.settings.with(ContextNumber::ClearResultsAt, 1_000);
        }
        let mut known = Known::default();
        let mut state = vec![prompt("go")];
        for (number, happenings) in rounds.iter().enumerate() {
            for (at, happening) in happenings.iter().enumerate() {
                state.extend(messages(happening, number * 10 + at));
            }
            let view: Arc<[Message]> = state.into();
            let grown = prepare(view.clone(), &mut known, &setting.input(), |_| {});
            let anew = prepare(view, &mut Known::default(), &setting.input(), |_| {});
            prop_assert_eq!(&grown, &anew, "in round {}", number);
            setting.log.record(grown.new_decisions);
            if happenings.iter().any(|happening| matches!(happening, Happening::Drained)) {
                setting.log.drain();
            }
            state = grown.messages.to_vec();
        }
    }
}

#[test]
fn another_log_or_another_history_is_looked_at_anew() {
    let mut setting = Setting::new();
    let mut known = Known::default();
    let history: Arc<[Message]> =
        [prompt("go")].into_iter().chain([call("r", "t", "Bash", json!({})), answered("t", "red")]).collect();
    let text = |known: &mut Known, setting: &Setting, history: &Arc<[Message]>| {
        let view = known.grown(history.clone(), &setting.log);
        let call = view.answered().first().and_then(|answered| view.call(answered));
        let text = call.and_then(|call| call.result.texts().map(|texts| texts.concat()));
        known.keep(view);
        text
    };
    assert_eq!(text(&mut known, &setting, &history).as_deref(), Some("red"));
    let words: Arc<str> = "gone".into();
    setting.log.record([crate::context::Decision::Result(ToolUseId("t".into()), Fate::Cleared(words))]);
    assert_eq!(text(&mut known, &setting, &history).as_deref(), Some("gone"));
    assert_eq!(text(&mut Known::default(), &setting, &history).as_deref(), Some("gone"));
    let mut other = Setting { log: setting.log.clone(), ..Setting::new() };
    other.log.record([crate::context::Decision::Committed]);
    assert_eq!(text(&mut known, &other, &history).as_deref(), Some("gone"));
    setting.log.keep_only(&[]);
    assert_eq!(text(&mut known, &setting, &history).as_deref(), Some("red"));
    assert_eq!(text(&mut known, &setting, &[prompt("other")].into()), None);
}
