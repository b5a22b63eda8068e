//! NotebookEdit against a real desk.

use serde_json::json;

use super::*;
use crate::tools::fixture::Fixture;
use crate::tools::{Edit, Read};

const NOTEBOOK: &str = "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"id\": \"a\",\n   \"source\": [\n    \"x = 1\"\n   ]\n  }\n ],\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n";

async fn read(fixture: &Fixture) {
    fixture.call(&Read, json!({"file_path": "n.ipynb"})).await.unwrap();
}

fn edit(fields: Value) -> Value {
    let mut input = json!({"notebook_path": "n.ipynb"});
    input.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    input
}

#[tokio::test]
async fn cells_are_changed_in_the_draft_and_the_disk_waits() {
    let fixture = Fixture::new(&[("n.ipynb", NOTEBOOK)]);
    read(&fixture).await;
    let replaced =
        fixture.call(&NotebookEdit, edit(json!({"cell_id": "a", "new_source": "x = 2"}))).await.unwrap();
    assert_eq!(
        replaced,
        "Replaced the source of the cell a in n.ipynb. Pending review as hunk h_1: the user decides."
    );
    let insert =
        json!({"edit_mode": "insert", "cell_id": "a", "cell_type": "markdown", "new_source": "# End"});
    fixture.call(&NotebookEdit, edit(insert)).await.unwrap();
    let draft: Value = serde_json::from_str(&fixture.draft("n.ipynb").await.unwrap()).unwrap();
    assert_eq!(draft["cells"][0]["source"], json!(["x = 2"]));
    assert_eq!(draft["cells"][1]["source"], json!(["# End"]));
    assert_eq!(fixture.on_disk("n.ipynb").unwrap(), NOTEBOOK);
    fixture.call(&NotebookEdit, edit(json!({"edit_mode": "delete", "cell_id": "a"}))).await.unwrap();
    let draft: Value = serde_json::from_str(&fixture.draft("n.ipynb").await.unwrap()).unwrap();
    assert_eq!(draft["cells"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_cell_that_the_user_changed_is_not_overwritten() {
    let fixture = Fixture::new(&[("n.ipynb", NOTEBOOK)]);
    read(&fixture).await;
    fixture.open("n.ipynb", &NOTEBOOK.replace("x = 1", "x = 7"));
    let error =
        fixture.call(&NotebookEdit, edit(json!({"cell_id": "a", "new_source": "x = 2"}))).await.unwrap_err();
    assert_eq!(
        error,
        "The cell `a` of n.ipynb was changed since you read it, so nothing was done. It now says:\nx = 7"
    );
    read(&fixture).await;
    fixture.call(&NotebookEdit, edit(json!({"cell_id": "a", "new_source": "x = 2"}))).await.unwrap();
}

#[tokio::test]
async fn what_can_not_be_done_is_said() {
    let fixture = Fixture::new(&[("n.ipynb", NOTEBOOK), ("bad.ipynb", "[]")]);
    let unread =
        fixture.call(&NotebookEdit, edit(json!({"cell_id": "a", "new_source": ""}))).await.unwrap_err();
    assert_eq!(unread, "n.ipynb has not been read in this session. Read it before you edit it.");
    read(&fixture).await;
    for (fields, want) in [
        (json!({"cell_id": "z", "new_source": ""}), "n.ipynb: There is no cell `z`. The cells are: a."),
        (json!({"cell_id": "a", "new_source": "x = 1"}), "The cell has exactly this source already"),
        (json!({"new_source": ""}), "`cell_id` is missing"),
        (json!({"cell_id": "a"}), "`new_source` is missing"),
        (json!({"edit_mode": "insert", "new_source": ""}), "`cell_type` is missing"),
        (json!({"notebook_path": "a.txt", "cell_id": "a", "new_source": ""}), "names no notebook"),
        (
            json!({"notebook_path": "none.ipynb", "cell_id": "a", "new_source": ""}),
            "none.ipynb does not exist",
        ),
        (
            json!({"edit_mode": "move", "cell_id": "a", "new_source": ""}),
            "at `edit_mode`: unknown variant `move`",
        ),
    ] {
        let error = fixture.call(&NotebookEdit, edit(fields.clone())).await.unwrap_err();
        assert!(error.contains(want), "{fields}: {error}");
    }
    let as_text = json!({"file_path": "n.ipynb", "old_string": "x = 1", "new_string": "x = 2"});
    let error = fixture.call(&Edit, as_text).await.unwrap_err();
    assert!(error.contains("use NotebookEdit"), "{error}");
}

#[test]
fn each_call_names_its_cell_in_its_own_way() {
    assert_eq!(new_id(&ToolUseId("toolu_01AbCdEfGhIjKlMn".into())), "cell-cdefghijklmn");
    assert_eq!(new_id(&ToolUseId("ü".into())), "cell-");
}
