//! What is made of the recorded `initialize` of real editors.

use super::*;

/// The params that the editor sends, as recorded.
fn recorded(params: &str) -> Hello {
    Hello::read(&serde_json::from_str(params).unwrap())
}

const HELIX_25_01: &str = include_str!("../../../tests/fixtures/initialize/helix-25.01.json");
const HELIX_MASTER: &str = include_str!("../../../tests/fixtures/initialize/helix-master.json");
const NEOVIM_0_11: &str = include_str!("../../../tests/fixtures/initialize/neovim-0.11.4.json");
const VSCODE_1_100: &str = include_str!("../../../tests/fixtures/initialize/vscode-1.100.json");

#[test]
fn helix_25_01_and_the_release_25_07() {
    insta::assert_debug_snapshot!(features(&recorded(HELIX_25_01)));
}

#[test]
fn helix_master() {
    insta::assert_debug_snapshot!(features(&recorded(HELIX_MASTER)));
}

#[test]
fn neovim_without_our_plug_in() {
    insta::assert_debug_snapshot!(features(&recorded(NEOVIM_0_11)));
}

#[test]
fn vscode() {
    insta::assert_debug_snapshot!(features(&recorded(VSCODE_1_100)));
}

#[test]
fn what_the_server_offers() {
    let offered = server_capabilities(&features(&recorded(VSCODE_1_100)), &CommandIds::new("mine"));
    insta::assert_json_snapshot!(offered);
}

#[test]
fn helix_25_01_is_asked_for_whole_texts() {
    let change = |hello: &Hello| match server_capabilities(&features(hello), &CommandIds::default())
        .text_document_sync
    {
        Some(TextDocumentSyncCapability::Options(options)) => options.change,
        other => panic!("{other:?}"),
    };
    let mut hello = recorded(HELIX_25_01);
    assert_eq!(change(&hello), Some(TextDocumentSyncKind::FULL));
    hello.version = "25.07.1".to_owned();
    assert_eq!(change(&hello), Some(TextDocumentSyncKind::INCREMENTAL));
}

#[test]
fn our_plug_in_makes_questions_safe_in_neovim() {
    let mut hello = recorded(NEOVIM_0_11);
    hello.capabilities["experimental"] = json!({"copydesk": {"version": 1, "permissions": true, "newer": 7}});
    let features = features(&hello);
    assert!(features.safe_questions);
    assert_eq!(features.copydesk, CopydeskFeatures { permissions: true, ..CopydeskFeatures::default() });
}

#[test]
fn bytes_are_counted_where_the_editor_counts_them() {
    let encoding = |offered: Value| position_encoding(Some(&offered));
    assert_eq!(encoding(json!(["utf-16", "utf-8"])), PositionEncoding::Utf8);
    assert_eq!(encoding(json!(["utf-16", "utf-32"])), PositionEncoding::Utf16);
    assert_eq!(encoding(json!(["utf-32"])), PositionEncoding::Utf32);
    assert_eq!(encoding(json!([])), PositionEncoding::Utf16);
    assert_eq!(encoding(json!("utf-8")), PositionEncoding::Utf16);
    assert_eq!(position_encoding(None), PositionEncoding::Utf16);
}

#[test]
fn an_editor_that_says_nothing_is_asked_nothing() {
    assert_eq!(features(&Hello::default()), EditorFeatures::default());
}
