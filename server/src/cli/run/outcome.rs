//! What came of a run: its exit code, and the report that programs read.

use std::time::Duration;

use copydesk_protocol::{File, HunkState};
use serde_json::{Value, json};

use crate::cli::Exit;
use crate::cli::arguments::Decide;
use crate::cli::tally::Tally;
use crate::cli::task::Ended;
use crate::models::wants_only_words;

pub(super) fn exit(ended: &Ended, files: &[File], tally: &Tally, decide: Decide) -> Exit {
    if tally.cancelled || ended.reason.starts_with("aborted") {
        Exit::Cancelled
    } else if !ended.is_success() {
        Exit::Failed
    } else if tally.not_applied > 0 {
        Exit::NotAllApplied
    } else if files.is_empty() || tally.accepted > 0 || decide == Decide::ShowOnly {
        Exit::Done
    } else {
        Exit::NothingApplied
    }
}

/// Whether a change was asked for and is not there: only the offline model's prompts can be told apart.
pub(super) fn not_done(ended: &Ended, prompt: &str) -> bool {
    ended.offline && !ended.proposed && !wants_only_words(prompt)
}

/// The object of `--output json`, and the last one of `stream-json`: the files that were proposed as the protocol has them,
/// but for the state of each hunk, and of each file without one, which is what became of it.
pub(super) fn report(ended: &Ended, lasted: Duration, files: Vec<File>, tally: &Tally) -> Value {
    let with_outcomes = |file: File| {
        let state = |name: &str, before: HunkState| match tally.outcomes.get(name) {
            Some(outcome) => json!(outcome),
            None => json!(before),
        };
        let states: Vec<Value> = file.hunks.iter().map(|hunk| state(&hunk.id, hunk.state)).collect();
        let has_own = states.is_empty() || file.has_whole();
        let whole = has_own.then(|| state(&file.uri, HunkState::Pending));
        let mut file = json!(file);
        if let (Some(whole), Some(fields)) = (whole, file.as_object_mut()) {
            fields.insert("state".to_owned(), whole);
        }
        let hunks = file.get_mut("hunks").and_then(Value::as_array_mut);
        for (hunk, state) in hunks.into_iter().flatten().zip(states) {
            hunk["state"] = state;
        }
        file
    };
    json!({
        "type": "result",
        "subtype": subtype(ended),
        "isError": !ended.is_success(),
        "durationMs": u64::try_from(lasted.as_millis()).unwrap_or(u64::MAX),
        "durationApiMs": ended.account.model_ms,
        "turns": ended.turns,
        "stopReason": ended.account.stop_reason,
        "usage": ended.usage,
        "cost": ended.cost,
        "modelUsage": by_model(ended),
        "sessionId": ended.session,
        "reason": ended.reason,
        "message": ended.message,
        "errors": ended.account.errors,
        "text": ended.text,
        "files": files.into_iter().map(with_outcomes).collect::<Vec<_>>(),
        "accepted": tally.accepted,
        "rejected": tally.rejected,
        "notApplied": tally.failed,
        "permissionDenials": ended.denials,
    })
}

/// Tokens by the name of the model.
fn by_model(ended: &Ended) -> serde_json::Map<String, Value> {
    ended.account.models.iter().map(|spent| (spent.model.clone(), json!(spent.usage))).collect()
}

/// How it ended, as programs tell ends apart: well, at a limit that somebody set, or by an error.
fn subtype(ended: &Ended) -> &'static str {
    match ended.reason.as_str() {
        _ if ended.is_success() => "success",
        "max_turns" => "error_max_turns",
        "budget_exhausted" => "error_max_budget_usd",
        _ => "error_during_execution",
    }
}

#[cfg(test)]
mod tests {
    use copydesk_protocol::{DecideOutcome, ModelUsage, TaskAccount, Usage};

    use super::*;

    fn ended(reason: &str) -> Ended {
        let (session, reason) = ("s".to_owned(), reason.to_owned());
        let usage = Usage { input_tokens: 7, ..Usage::default() };
        let (text, message, cost, denials) = ("Done.".to_owned(), None, None, Vec::new());
        Ended {
            session,
            reason,
            message,
            text,
            denials,
            cancelled: false,
            offline: false,
            proposed: false,
            turns: 2,
            usage,
            cost,
            account: TaskAccount {
                model_ms: 900,
                models: vec![ModelUsage { model: "m".to_owned(), usage }],
                stop_reason: Some("end_turn".to_owned()),
                errors: Vec::new(),
            },
        }
    }

    fn file() -> File {
        serde_json::from_value(json!({
            "uri": "file:///w/a", "version": null, "kind": "modify", "binary": false, "sessionId": "s", "hunks": [],
        }))
        .unwrap()
    }

    #[test]
    fn the_report_tells_how_it_ended_and_what_it_took() {
        let report = |reason: &str| {
            report(&ended(reason), Duration::from_millis(1_500), Vec::new(), &Tally::default())
        };
        let told = report("completed");
        assert_eq!(
            (&told["type"], &told["subtype"], &told["isError"]),
            (&json!("result"), &json!("success"), &json!(false))
        );
        assert_eq!(
            (&told["turns"], &told["durationMs"], &told["text"]),
            (&json!(2), &json!(1_500), &json!("Done."))
        );
        assert_eq!(told["usage"]["inputTokens"], 7);
        assert_eq!(
            (&told["durationApiMs"], &told["stopReason"], &told["errors"]),
            (&json!(900), &json!("end_turn"), &json!([]))
        );
        assert_eq!(told["modelUsage"]["m"]["inputTokens"], 7);
        for (reason, subtype) in [
            ("hook_stopped", "success"),
            ("max_turns", "error_max_turns"),
            ("budget_exhausted", "error_max_budget_usd"),
            ("model_error", "error_during_execution"),
            ("prompt_too_long", "error_during_execution"),
        ] {
            assert_eq!(
                (report(reason)["subtype"].as_str(), report(reason)["isError"].as_bool()),
                (Some(subtype), Some(subtype != "success"))
            );
        }
    }

    #[test]
    fn exit_codes() {
        let none = Tally::default();
        let accepted = Tally { accepted: 1, rejected: 1, ..Tally::default() };
        let rejected = Tally { rejected: 2, ..Tally::default() };
        let failed = Tally { accepted: 1, not_applied: 1, ..Tally::default() };
        let check = |reason: &str, files: &[File], tally: &Tally, decide, want: Exit| {
            assert_eq!(exit(&ended(reason), files, tally, decide), want, "{reason} {tally:?} {decide:?}");
        };
        let files = [file()];
        check("completed", &files, &accepted, Decide::Ask, Exit::Done);
        check("completed", &[], &none, Decide::Ask, Exit::Done);
        check("completed", &files, &none, Decide::ShowOnly, Exit::Done);
        check("completed", &files, &rejected, Decide::Ask, Exit::NothingApplied);
        check("completed", &files, &none, Decide::Ask, Exit::NothingApplied);
        check("completed", &files, &failed, Decide::AcceptAll, Exit::NotAllApplied);
        check("model_error", &[], &none, Decide::Ask, Exit::Failed);
        check("hook_stopped", &[], &none, Decide::Ask, Exit::Done);
        check("aborted_streaming", &[], &none, Decide::Ask, Exit::Cancelled);
        let cancelled = Tally { cancelled: true, ..Tally::default() };
        check("completed", &files, &cancelled, Decide::Ask, Exit::Cancelled);
    }

    #[test]
    fn what_became_of_each_hunk_is_in_the_report() {
        let hunk = |id: &str| {
            json!({
                "id": id, "revision": 1, "index": 1, "count": 1, "removed": "a", "added": "b", "inline": [],
                "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}},
                "state": "pending", "reason": "r", "sessionId": "s",
            })
        };
        let mut file = json!(file());
        file["hunks"] = json!([hunk("h_1"), hunk("h_2")]);
        let files = vec![serde_json::from_value(file).unwrap()];
        let outcomes = [("h_1".to_owned(), DecideOutcome::Accepted)].into();
        let report = report(
            &ended("completed"),
            Duration::ZERO,
            files,
            &Tally { accepted: 1, outcomes, ..Tally::default() },
        );
        let hunks = report["files"][0]["hunks"].as_array().unwrap();
        let states: Vec<_> = hunks.iter().map(|hunk| &hunk["state"]).collect();
        assert_eq!(states, ["accepted", "pending"]);
        assert_eq!(report["accepted"], 1);
    }

    #[test]
    fn only_the_offline_model_is_known_to_have_been_asked_for_a_change() {
        let offline = Ended { offline: true, ..ended("completed") };
        assert!(not_done(&offline, "rename load to open"));
        assert!(not_done(&offline, "write me a poem"));
        assert!(!not_done(&offline, "explain src/a.rs"));
        assert!(!not_done(&ended("completed"), "rename load to open"));
    }
}
