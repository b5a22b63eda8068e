//! Schedules that once broke an invariant, in few words. Numbers count places, lines or hunks from 0.

use copydesk::review::Take;

use super::editor::Units;
use super::rules::{self, Rule};
use super::schedule::Op::{AgentDeletes, AgentEdit, AgentWrite, Disk, User};
use super::schedule::{Echo, Op, Schedule, Typing};

const ALL: [Rule; 10] = [
    rules::only_the_editor_changes_the_buffer,
    rules::hunks_are_the_difference,
    rules::accepts_commute,
    rules::edits_outside_leave_hunks_alone,
    rules::typed_text_survives_accepts,
    rules::reject_all_leaves_no_trace,
    rules::bytes_outside_accepted_hunks_are_kept,
    rules::edit_lists_are_sound,
    rules::states_have_no_memory,
    rules::refusals_change_nothing,
];

#[track_caller]
fn check(start: &str, ops: impl IntoIterator<Item = Op>) {
    let schedule = Schedule { start: Some(start.to_owned()), ops: ops.into_iter().collect(), dice: [0; 4] };
    for rule in ALL {
        if let Err(why) = rules::run(&schedule, rule) {
            panic!("{why}");
        }
    }
}

fn write(text: &str) -> Op {
    AgentWrite(text.to_owned())
}

fn edit(at: u16, length: u16, new: &str) -> Op {
    AgentEdit { at, length, new: new.to_owned() }
}

fn disk(text: &str) -> Op {
    Disk(Some(text.to_owned()))
}

fn types(at: u16, length: u16, text: &str) -> Op {
    User(vec![Typing { at, length, text: text.to_owned(), marked: false }])
}

#[test]
fn an_emptied_file_with_a_rewritten_draft_takes_another_edit() {
    check("  a\na\na\n", [edit(6, 1, ""), disk(""), write("  a\nb\n"), edit(4, 2, "\nc")]);
}

#[test]
fn a_write_over_a_conflict_is_exact() {
    check("a", [write(" "), disk("a\na"), write("}\n")]);
}

#[test]
fn typing_into_a_deleted_file_survives_its_second_creation() {
    let typed = Typing { at: 0, length: 0, text: String::new(), marked: true };
    check("", [AgentDeletes, User(vec![typed]), write("")]);
}

#[test]
fn a_deletion_at_the_end_below_an_insertion_keeps_edits_in_order() {
    check("x \nb\na\né\né😀", [write("b\nb\na"), types(3, 2, "a")]);
}

#[test]
fn lines_accepted_into_an_emptied_file_are_echoed_once() {
    let accept = Op::Accept { hunks: vec![0], echo: Echo::AtOnce(Units::Utf8) };
    check("", [types(0, 0, "a\n"), edit(0, 0, "b"), Op::Undo, accept]);
}

#[test]
fn choosing_no_line_of_a_hunk_is_refused() {
    check("  a\na\n", [edit(3, 3, ""), Op::AcceptLines { hunk: 0, minus: 0, plus: 0 }]);
}

#[test]
fn two_deletions_at_the_end_are_one() {
    check("  a\na\nx \n", [edit(3, 6, ""), types(3, 4, "\nx"), Op::Undo]);
}

#[test]
fn lines_appended_below_a_last_empty_line_are_echoed_there() {
    for echo in [Echo::AtOnce(Units::Utf16), Echo::OneByOne(Units::Utf16)] {
        check("x\n", [write("x\n\nfn\n"), Op::Accept { hunks: vec![0], echo }]);
        check("  a\n", [write("a\n\na\nca\n"), Op::Accept { hunks: vec![1], echo }]);
    }
}

#[test]
fn the_last_lines_accepted_before_the_first_leave_the_first_pending() {
    check("\n!\na", [write("a\n")]);
}

#[test]
fn typing_in_the_last_empty_line_and_taking_it_back_leaves_an_appended_line_pending() {
    check("a\n", [edit(1, 1, "\na")]);
}

#[test]
fn a_conflict_over_the_whole_text_is_echoed_whole() {
    let resolve = Op::Resolve { hunk: 0, take: Take::Agents };
    check("  a\né😀", [Op::Reindent, write("\na\na"), types(0, 10, "a\n"), resolve]);
}

#[test]
fn an_insertion_and_a_deletion_that_touch_at_the_end_are_one() {
    check("\na\r\naa\na\n", [write("  a\n\n"), disk("a\r\na")]);
}

#[test]
fn the_break_before_the_last_hunk_may_change() {
    check("é\n  a\n\n  a", [write(""), types(8, 0, "a\r\n")]);
}

#[test]
fn typing_in_the_last_empty_line_and_taking_it_back_leaves_its_removal_pending() {
    check("a\n", [write("a")]);
}

#[test]
fn choosing_no_line_of_a_hunk_that_is_shown_elsewhere_changes_nothing() {
    check("a\na\nb\na", [write("a\nb\naa\n"), Op::AcceptLines { hunk: 0, minus: 0, plus: 0 }]);
}

#[test]
fn a_conflict_and_an_insertion_that_touch_at_the_end_are_one() {
    check("  a\na\nb\na", [write("a\n"), types(0, 12, "é\néa\n")]);
}

#[test]
fn equal_texts_have_no_hunks() {
    let moves = Op::AgentMoves { line: 0, to: 1 };
    check("a\na\na\n  a\na\n", [moves, types(5, 1, "")]);
    check("a\na\na\n  a\na\n", [write("a\na\na\na\n  a\n"), types(5, 1, "")]);
}

#[test]
fn deletions_above_leave_a_deletion_at_the_end_alone() {
    let start = "a!\n\n   a?\naa\na\n\n\na\n";
    check(start, [edit(9, 3, ""), edit(13, 4, ""), edit(0, 0, "b")]);
    check(start, [edit(9, 3, ""), edit(12, 5, "\nb"), write("ba!\n\n   a?\na\n")]);
    check(start, [edit(9, 3, ""), edit(13, 5, "b"), write("ba!\n\n   a?\na\n")]);
}

#[test]
fn typing_in_a_line_whose_break_the_agent_changes_is_taken_back_whole() {
    check("a\né\n\na\r\né😀", [edit(6, 1, "\na"), types(0, 0, "a\n"), Op::Undo]);
    check("a\né\n\na\r\né😀", [edit(6, 1, "\na"), types(6, 0, "a\n"), Op::Undo]);
}
