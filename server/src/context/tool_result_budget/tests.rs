//! Sizes in, fates out; and the same bytes ever after.

use camino::Utf8PathBuf;
use serde_json::json;

use super::*;
use crate::context::fixture::{Setting, answered, call, called, failed, results, view};
use crate::context::log::ContextLog;
use crate::context::view::Known;
use crate::conversation::{ContentBlock, Message, ToolResultContent};

fn lines(chars: usize) -> String {
    "0123456789abcde\n".repeat(chars / 16) + &"x".repeat(chars % 16)
}

fn step(messages: Arc<[Message]>, setting: &Setting) -> (Arc<[Message]>, Report) {
    let (view, report) = tool_result_budget(Known::default().grown(messages, &setting.log), &setting.input());
    (view.messages, report)
}

/// One round of calls of `name` with results of so many characters; gives each one's length afterwards.
#[track_caller]
fn check(name: &str, sizes: &[usize], want: impl Fn(&[usize]) -> bool) {
    let answer = sizes.iter().enumerate().map(|(n, _)| call("r", &format!("t{n}"), name, json!({"n": n})));
    let given = sizes.iter().enumerate().map(|(n, size)| answered(&format!("t{n}"), &lines(*size)));
    let setting = Setting::new();
    let (after, report) = step(view(answer.chain(given)), &setting);
    let got: Vec<usize> = results(&after).iter().map(|(_, text)| text.chars().count()).collect();
    assert!(want(&got), "{got:?}");
    assert_eq!(report.decisions.len(), sizes.len(), "each is decided on");
}

#[test]
fn a_long_result_goes_to_a_file_and_its_beginning_stays() {
    let setting = Setting::new();
    let whole = lines(60_000);
    let (after, report) = step(view(called("t1", "Bash", json!({}), &whole)), &setting);
    let [(_, shown)] = results(&after).try_into().unwrap();
    let path = Utf8PathBuf::from("/state/tool-results/t1.txt");
    assert!(shown.contains("60.0 kB long") && shown.contains(path.as_str()), "{shown}");
    let preview = shown.split("It begins:\n\n").nth(1).unwrap().split("\n[…").next().unwrap();
    assert!(preview.len() <= 2_000 && preview.ends_with("abcde"), "cut at a line's end: {}", preview.len());
    assert_eq!(report.saves, [Save { path, text: whole }]);
}

#[test]
fn what_fits_is_not_touched() {
    check("Bash", &[49_000], |sizes| sizes == [49_000]);
    check("Bash", &[50_000; 4], |sizes| sizes == [50_000; 4]);
}

#[test]
fn of_a_round_that_is_too_long_the_largest_go_until_the_rest_fits() {
    check("Bash", &[42_000; 6], |sizes| {
        sizes.iter().sum::<usize>() <= 200_000 && sizes.iter().filter(|size| **size == 42_000).count() == 4
    });
    check("Bash", &[49_000, 48_000, 47_000, 46_000, 1_000, 30_000], |sizes| {
        sizes[0] < 3_000 && sizes[1..] == [48_000, 47_000, 46_000, 1_000, 30_000]
    });
}

#[test]
fn a_tool_that_bounds_itself_is_never_saved() {
    check("Read", &[90_000], |sizes| sizes == [90_000]);
    check("Read", &[90_000; 3], |sizes| sizes == [90_000; 3]);
}

#[test]
fn a_long_failure_keeps_its_head_and_tail_and_no_file() {
    let setting = Setting::new();
    let text = format!("first {} last", lines(20_000));
    let failure = [call("r", "t1", "Bash", json!({})), failed("t1", &text)];
    let (after, report) = step(view(failure), &setting);
    let [(_, shown)] = results(&after).try_into().unwrap();
    assert!(shown.starts_with("first ") && shown.ends_with(" last"), "{shown}");
    assert!(shown.contains("[… 10011 characters left out …]") && shown.chars().count() < 10_100);
    assert_eq!(report.saves, []);
}

#[test]
fn an_empty_result_says_so() {
    let setting = Setting::new();
    let (after, _) = step(view(called("t1", "Bash", json!({}), " \n")), &setting);
    assert_eq!(results(&after), [("t1".to_owned(), "Bash finished without output.".to_owned())]);
}

#[test]
fn without_a_folder_a_long_result_is_cut() {
    let setting = Setting { folder: None, ..Setting::new() };
    let (after, report) = step(view(called("t1", "Bash", json!({}), &lines(60_000))), &setting);
    let [(_, shown)] = results(&after).try_into().unwrap();
    assert!(shown.contains("[… 50000 characters left out …]"), "{shown}");
    assert_eq!(report.saves, []);
}

#[test]
fn several_texts_are_saved_as_json_under_a_name_that_is_a_name() {
    let mut messages = called("../../t:1", "Bash", json!({}), "");
    let Message::User(user) = &mut messages[1] else { unreachable!() };
    let texts = [lines(30_000), lines(30_000)];
    let content = texts.iter().cloned().map(ToolResultContent::Text).collect();
    Arc::make_mut(user).content = vec![ContentBlock::ToolResult {
        tool_use_id: crate::conversation::ToolUseId("../../t:1".into()),
        content,
        is_error: false,
    }];
    let (_, report) = step(view(messages), &Setting::new());
    let [save] = report.saves.try_into().unwrap();
    assert_eq!(save.path, "/state/tool-results/______t_1.json");
    assert_eq!(serde_json::from_str::<Vec<String>>(&save.text).unwrap(), texts);
}

#[test]
fn the_same_view_gives_the_same_bytes_again_and_after_a_restart() {
    let mut setting = Setting::new();
    let round = |n: usize| called(&format!("t{n}"), "Bash", json!({}), &lines(60_000 - n));
    let history: Vec<Message> = (0..3).flat_map(round).collect();
    let (first, report) = step(view(history.clone()), &setting);
    setting.log.record(report.decisions.clone());
    let again = |setting: &Setting, messages: Arc<[Message]>| {
        let (after, report) = step(messages, setting);
        assert_eq!((report.decisions, report.saves), (vec![], vec![]), "nothing is decided twice");
        after
    };
    assert_eq!(again(&setting, first.clone()), first);
    assert_eq!(results(&again(&setting, view(history.clone()))), results(&first));
    // Other settings do not change what was decided.
    let restarted = Setting {
        log: ContextLog::from_decisions(report.decisions),
        settings: crate::config::ContextSettings::default().with(ContextNumber::ResultChars, 10),
        ..Setting::new()
    };
    assert_eq!(results(&again(&restarted, view(history))), results(&first));
}

#[test]
fn a_longer_history_keeps_the_bytes_of_the_shorter_one() {
    let mut setting = Setting::new();
    let mut history: Vec<Message> = called("t0", "Bash", json!({}), &lines(60_000)).into();
    let (first, report) = step(view(history.clone()), &setting);
    setting.log.record(report.decisions);
    history.extend(called("t1", "Bash", json!({}), &lines(70_000)));
    let (second, report) = step(view(history), &setting);
    assert_eq!(results(&second)[..1], results(&first));
    assert_eq!(report.decisions.len(), 1);
}
