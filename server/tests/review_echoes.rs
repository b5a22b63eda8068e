//! Worked examples on echoes, existence, undo under auto-accept, and size: what the editor really did decides.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test ends where it can't go on"
)]

use copydesk::conversation::ToolUseId;
use copydesk::documents::{Change, Text};
use copydesk::review::{Draft, Existence, HunkRef, HunkState, HunkView, Reason, Take, ToldWhat};

const START: &str = "a\nb\nc\nd\ne\n";

#[test]
fn i3_an_echo_after_the_claim_expired_still_settles_it() {
    let mut draft = drafted(START, &[("b", "B")]);
    let edits = accept_all(&mut draft);
    assert_eq!(draft.claims_expired().len(), 1);
    check(&draft, "a\nb\nc\nd\ne\n", "a\nB\nc\nd\ne\n", "1: b -> B Pending");
    draft.buffer_changed(&edits);
    check(&draft, "a\nB\nc\nd\ne\n", "a\nB\nc\nd\ne\n", "");
    assert_eq!(told(&mut draft), ["accepted"]);
}

#[test]
fn i4_one_accept_may_come_back_in_two_changes() {
    let mut draft = drafted(START, &[("b", "B"), ("d", "D")]);
    let edits = accept_all(&mut draft);
    draft.buffer_changed(&edits[1..]);
    check(&draft, "a\nb\nc\nD\ne\n", "a\nB\nc\nD\ne\n", "1: b -> B Applying");
    draft.buffer_changed(&edits[..1]);
    check(&draft, "a\nB\nc\nD\ne\n", "a\nB\nc\nD\ne\n", "");
    assert_eq!(told(&mut draft), ["accepted", "accepted"]);
}

#[test]
fn i5_half_an_echo_is_no_edit_of_the_users() {
    let mut draft = drafted("let a=1; let b=2;", &[("let a=1; let b=2;", "let a=7; let b=8;")]);
    accept_all(&mut draft);
    draft.buffer_changed(&[change(15, 1, "8")]);
    check(
        &draft,
        "let a=1; let b=8;",
        "let a=7; let b=8;",
        "0: let a=1; let b=8; -> let a=7; let b=8; Applying",
    );
    draft.buffer_changed(&[change(6, 1, "7")]);
    check(&draft, "let a=7; let b=8;", "let a=7; let b=8;", "");
}

#[test]
fn i7_an_insertion_applied_twice_is_noticed_and_can_be_taken_back() {
    let mut draft = drafted("a\nc\n", &[("a\nc", "a\nN\nc")]);
    let edits = accept_all(&mut draft);
    draft.buffer_changed(&edits);
    assert_eq!(draft.take_warnings(), []);
    draft.buffer_changed(&edits);
    check(&draft, "a\nN\nN\nc\n", "a\nN\nN\nc\n", "");
    let warnings = draft.take_warnings();
    assert!(warnings[0].message.contains("twice"), "{warnings:?}");
    draft.buffer_changed(warnings[0].inverse.as_ref().unwrap());
    check(&draft, "a\nN\nc\n", "a\nN\nc\n", "");
}

#[test]
fn i8_an_edit_that_the_editor_moved_along_settles_the_hunk() {
    let mut draft = drafted(START, &[("b", "B")]);
    accept_all(&mut draft);
    draft.buffer_changed(&[change(0, 0, "U\n")]);
    draft.buffer_changed(&[change(4, 1, "B")]);
    check(&draft, "U\na\nB\nc\nd\ne\n", "U\na\nB\nc\nd\ne\n", "");
    assert_eq!(draft.take_warnings(), []);
}

#[test]
fn i9_an_edit_at_the_wrong_line_is_noticed_and_can_be_taken_back() {
    let mut draft = drafted(START, &[("b", "B")]);
    accept_all(&mut draft);
    draft.buffer_changed(&[change(0, 0, "U\n")]);
    draft.buffer_changed(&[change(2, 1, "B")]);
    draft.claims_expired();
    check(&draft, "U\nB\nb\nc\nd\ne\n", "U\nB\nB\nc\nd\ne\n", "2: b -> B Pending");
    let warnings = draft.take_warnings();
    assert!(warnings[0].message.contains("wrong place"), "{warnings:?}");
    draft.buffer_changed(warnings[0].inverse.as_ref().unwrap());
    check(&draft, "U\na\nb\nc\nd\ne\n", "U\na\nB\nc\nd\ne\n", "2: b -> B Pending");
}

#[test]
fn i10_an_editor_with_its_own_line_ends_settles_the_hunk() {
    let mut draft = drafted("a\r\nb\r\n", &[("b", "B\nN")]);
    let mut edits = accept_all(&mut draft);
    edits[0].text = edits[0].text.replace('\n', "\r\n");
    draft.buffer_changed(&edits);
    check(&draft, "a\r\nB\r\nN\r\n", "a\r\nB\r\nN\r\n", "");
    assert_eq!(told(&mut draft), ["accepted"]);
}

#[test]
fn g10_an_editor_that_ends_every_text_with_a_line_break_settles_the_hunk() {
    let mut draft = Draft::new(Some(Text::from("")));
    draft.write("N\n", &reason());
    let mut edits = accept_all(&mut draft);
    edits[0].text.push('\n');
    draft.buffer_changed(&edits);
    check(&draft, "N\n\n", "N\n\n", "");
}

#[test]
fn i12_accepting_an_older_offer_leaves_the_rest_pending() {
    let mut draft = drafted(START, &[("b", "B")]);
    let eager = eager_edit(&draft);
    edit(&mut draft, "B", "B2");
    draft.buffer_changed(&[eager]);
    check(&draft, "a\nB\nc\nd\ne\n", "a\nB2\nc\nd\ne\n", "1: B -> B2 Pending");
    assert_eq!(draft.hunks()[0].revision, 2);
}

#[test]
fn i12_the_older_offer_may_be_part_of_a_joined_hunk() {
    let mut draft = drafted(START, &[("b", "B")]);
    let eager = eager_edit(&draft);
    edit(&mut draft, "B\nc", "B2\nC");
    draft.buffer_changed(&[eager]);
    check(&draft, "a\nB\nc\nd\ne\n", "a\nB2\nC\nd\ne\n", "1: B|c -> B2|C Pending");
}

#[test]
fn i13_a_decision_on_an_older_revision_decides_nothing() {
    let mut draft = drafted(START, &[("b", "B")]);
    let shown = named(&draft.hunks()[0]);
    edit(&mut draft, "B", "B2");
    let refusal = draft.reject(std::slice::from_ref(&shown), None).unwrap_err().to_string();
    assert_eq!(refusal, "h_1 has changed since it was shown. Look at it again, then decide.");
    assert!(draft.accept(&[shown]).is_err());
    check(&draft, START, "a\nB2\nc\nd\ne\n", "1: b -> B2 Pending");
}

#[test]
fn i14_typing_while_an_accept_is_on_its_way_is_a_conflict_in_the_end() {
    let mut draft = drafted(START, &[("b", "B")]);
    accept_all(&mut draft);
    draft.buffer_changed(&[change(3, 0, "x")]);
    draft.claims_expired();
    check(&draft, "a\nbx\nc\nd\ne\n", "a\nB\nc\nd\ne\n", "1: bx -> B Conflicted");
}

#[test]
fn j8_both_create_the_file_with_other_text() {
    let mut draft = Draft::new(None);
    draft.write("N\n", &reason());
    assert_eq!(draft.existence(), Existence::Create);
    draft.buffer_replaced(Some(Text::from("U\n")));
    check(&draft, "U\n", "N\n", "0: U -> N Conflicted");
    assert!(draft.accept(&[named(&draft.hunks()[0])]).is_err());
}

#[test]
fn j9_both_create_the_file_with_the_same_text() {
    let mut draft = Draft::new(None);
    draft.write("N\n", &reason());
    draft.buffer_replaced(Some(Text::from("N\n")));
    check(&draft, "N\n", "N\n", "");
    assert_eq!(draft.existence(), Existence::Same);
}

#[test]
fn j10_the_user_edits_what_the_agent_deletes() {
    let mut draft = Draft::new(Some(Text::from("a\n")));
    draft.delete(&reason());
    assert_eq!(draft.existence(), Existence::Delete);
    draft.buffer_changed(&[change(1, 0, "!")]);
    assert_eq!(draft.existence(), Existence::DeleteConflict);
    assert!(draft.accept(&[named(&draft.hunks()[0])]).is_err());
    draft.buffer_changed(&[change(1, 1, "")]);
    assert_eq!(draft.existence(), Existence::Delete, "a conflict that is typed away is gone");
    draft.reject(&[named(&draft.hunks()[0])], None).unwrap();
    check(&draft, "a\n", "a\n", "");
}

#[test]
fn j7_the_file_is_gone_while_a_change_is_pending_and_comes_back() {
    let mut draft = drafted(START, &[("b", "B")]);
    draft.buffer_replaced(None);
    assert_eq!(draft.existence(), Existence::EditConflict);
    assert!(draft.accept(&[named(&draft.hunks()[0])]).is_err());
    draft.buffer_replaced(Some(Text::from(START)));
    check(&draft, START, "a\nB\nc\nd\ne\n", "1: b -> B Pending");
}

#[test]
fn r15_an_empty_file_that_both_fill_is_a_conflict() {
    let mut draft = Draft::new(Some(Text::from("")));
    draft.write("N\n", &reason());
    draft.buffer_changed(&[change(0, 0, "U")]);
    assert_eq!(draft.hunks()[0].state, HunkState::Conflicted);
}

#[test]
fn k12_what_the_user_undid_is_not_accepted_again_unasked() {
    let mut draft = drafted(START, &[("b", "B")]);
    assert_eq!(draft.auto_acceptable(std::slice::from_ref(&(1..2))), [], "somebody types there");
    assert_eq!(draft.auto_acceptable(std::slice::from_ref(&(4..5))).len(), 1);
    let edits = accept_all(&mut draft);
    draft.buffer_changed(&edits);
    draft.buffer_changed(&[change(2, 1, "b")]);
    check(&draft, START, "a\nB\nc\nd\ne\n", "1: b -> B Pending");
    assert!(draft.hunks()[0].undone);
    assert_eq!(draft.auto_acceptable(&[]), []);
    assert_eq!(told(&mut draft), ["undone"]);
}

#[test]
fn k16_a_key_in_a_rewritten_half_of_a_huge_file_makes_one_conflict() {
    let old = numbered("old");
    let new = numbered("new");
    let mut draft = Draft::new(Some(Text::from(old.as_str())));
    draft.write(&new, &reason());
    assert_eq!(draft.hunks().len(), 1);
    let at = old.find("old 25000\n").unwrap();
    draft.buffer_changed(&[change(at, 0, "x")]);
    let states: Vec<_> = draft.hunks().iter().map(|hunk| (hunk.lines.len(), hunk.state)).collect();
    let wanted = [(25_000, HunkState::Pending), (1, HunkState::Conflicted), (24_999, HunkState::Pending)];
    assert_eq!(states, wanted);
}

#[test]
fn k17_a_word_in_a_line_of_megabytes_is_sent_as_a_word() {
    let line = format!("{}NEEDLE{}", "a".repeat(2_500_000), "a".repeat(2_500_000));
    let draft = drafted(&line, &[("NEEDLE", "NAIL")]);
    let hunks = draft.hunks();
    assert_eq!(hunks.len(), 1);
    assert_eq!(eager_edit(&draft), change(2_500_001, 5, "AIL"));
}

#[test]
fn a11_the_neighbours_of_an_insertion_come_back() {
    let mut draft = drafted("a\nb\nc\nd\n", &[("b\nc", "b\nN\nc")]);
    draft.buffer_changed(&[change(2, 4, "")]);
    check(&draft, "a\nd\n", "a\nN\nd\n", "1:  -> N Conflicted");
    draft.buffer_changed(&[change(2, 0, "b\nc\n")]);
    check(&draft, "a\nb\nc\nd\n", "a\nb\nN\nc\nd\n", "2:  -> N Pending");
}

#[test]
fn r12_the_halves_of_a_move_know_each_other() {
    let mut draft = Draft::new(Some(Text::from("1\n2\n3\n4\n5\n")));
    draft.write("4\n1\n2\n3\n5\n", &reason());
    let hunks = draft.hunks();
    assert_eq!(hunks[0].moved.as_ref(), Some(&hunks[1].id));
    assert_eq!(hunks[1].moved.as_ref(), Some(&hunks[0].id));
    draft.reject(&[named(&hunks[1])], None).unwrap();
    assert!(draft.take_warnings()[0].message.contains("one half of a moved block"));
}

#[test]
fn redo_hands_both_texts_to_the_agent() {
    let mut draft = drafted(START, &[("b", "B")]);
    draft.buffer_changed(&[change(3, 0, "x")]);
    draft.resolve(&named(&draft.hunks()[0]), Take::Redo).unwrap();
    check(&draft, "a\nbx\nc\nd\ne\n", "a\nbx\nc\nd\ne\n", "");
    let both = ToldWhat::Conflicted {
        summary: "try".to_owned(),
        mine: "bx\n".to_owned(),
        agents: "B\n".to_owned(),
        amended: false,
        by_others: false,
    };
    assert_eq!(draft.take_told(), [both]);
}

#[test]
fn two_edits_of_one_line_are_one_hunk() {
    let mut draft = Draft::new(Some(Text::from("x\na, a\ny\n")));
    draft.edit(&[change(2, 1, "b"), change(5, 1, "b")], &reason());
    check(&draft, "x\na, a\ny\n", "x\nb, b\ny\n", "1: a, a -> b, b Pending");
    assert_eq!(draft.hunks()[0].reasons.len(), 1);
}

fn numbered(word: &str) -> String {
    (0..50_000).map(|line| format!("{word} {line}\n")).collect::<Vec<_>>().concat()
}

fn drafted(start: &str, edits: &[(&str, &str)]) -> Draft {
    let mut draft = Draft::new(Some(Text::from(start)));
    for (old, new) in edits {
        edit(&mut draft, old, new);
    }
    draft
}

fn edit(draft: &mut Draft, old: &str, new: &str) {
    let text = draft.text().unwrap().to_string();
    let at = text.find(old).unwrap();
    draft.edit(&[change(at, old.len(), new)], &reason());
}

fn change(at: usize, len: usize, text: &str) -> Change {
    Change { range: at..at + len, text: text.to_owned() }
}

fn accept_all(draft: &mut Draft) -> Vec<Change> {
    let hunks: Vec<HunkRef> = draft.hunks().iter().map(named).collect();
    draft.accept(&hunks).unwrap()
}

fn named(hunk: &HunkView) -> HunkRef {
    HunkRef { id: hunk.id.clone(), revision: Some(hunk.revision) }
}

fn reason() -> Reason {
    Reason {
        tool_use_id: ToolUseId("call".to_owned()),
        summary: "try".to_owned(),
        agent: None,
        by_user: false,
        must_ask: None,
    }
}

fn told(draft: &mut Draft) -> Vec<&'static str> {
    let all = draft.take_told();
    all.iter()
        .map(|told| match told {
            ToldWhat::Accepted { .. } => "accepted",
            ToldWhat::AcceptedOver { .. } => "accepted over",
            ToldWhat::AcceptedByHand { .. } => "accepted by hand",
            ToldWhat::Rejected { .. } => "rejected",
            ToldWhat::Amended { .. } => "amended",
            ToldWhat::Altered { .. } => "altered",
            ToldWhat::Undone { .. } => "undone",
            ToldWhat::Conflicted { .. } => "conflicted",
            ToldWhat::Overtaken { .. } => "overtaken",
            ToldWhat::FileChanged { .. } => "file changed",
            ToldWhat::FileRenamed { .. } => "file renamed",
        })
        .collect()
}

/// `hunks` reads `line: old -> new State`, lines joined with `|`, hunks with `; `.
#[track_caller]
fn check(draft: &Draft, buffer: &str, text: &str, hunks: &str) {
    let lines = |lines: &str| lines.lines().collect::<Vec<_>>().join("|");
    let shown = draft.hunks();
    let shown = shown.iter().map(|hunk| {
        format!("{}: {} -> {} {:?}", hunk.lines.start, lines(&hunk.removed), lines(&hunk.added), hunk.state)
    });
    let got = (
        draft.buffer().unwrap().to_string(),
        draft.text().unwrap().to_string(),
        shown.collect::<Vec<_>>().join("; "),
    );
    assert_eq!(got, (buffer.to_owned(), text.to_owned(), hunks.to_owned()));
}

/// The edit in the code action that accepts the first hunk.
fn eager_edit(draft: &Draft) -> Change {
    draft.hunks()[0].accept_edit(&draft.buffer().unwrap_or_default())
}
