//! Changes of cells: the notebook's text before and after, and how little of it they touch.

use serde_json::{Value, json};

use super::*;
use crate::documents::Text;

const TEXT: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "a",
   "metadata": {},
   "source": [
    "# T"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 2,
   "id": "b",
   "metadata": {},
   "outputs": [
    {
     "output_type": "stream"
    }
   ],
   "source": [
    "x=1\n",
    "gr\u00f6\u00dfe = 2\n",
    "print(x)"
   ]
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
"##;

fn changed(text: &str, changes: &[Change]) -> String {
    for pair in changes.windows(2) {
        assert!(pair[0].range.end <= pair[1].range.start, "in order, without overlap: {changes:?}");
    }
    Text::from(text).with_edits(changes).to_string()
}

/// The lines that are only in the text before (`-`) or only in the one after (`+`), from the first to the last that differs.
fn differing(before: &str, after: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let part = |lines: &[&str], mark: &str| -> Vec<String> {
        lines[head..lines.len() - tail].iter().map(|line| format!("{mark}{line}")).collect()
    };
    [part(&old, "-"), part(&new, "+")].concat()
}

#[track_caller]
fn check(change: impl Fn(&str, &Notebook) -> Vec<Change>, want: &[&str]) {
    for text in [TEXT.to_owned(), TEXT.replace('\n', "\r\n")] {
        let after = changed(&text, &change(&text, &Notebook::of(&text).unwrap()));
        assert!(serde_json::from_str::<Value>(&after).is_ok(), "{after}");
        assert_eq!(differing(&text, &after), want);
        let endings = |text: &str| text.matches("\r\n").count() == text.matches('\n').count();
        assert_eq!(endings(&after), endings(&text), "{after:?}");
    }
}

#[test]
fn a_source_is_replaced_line_by_line() {
    let source = "x=1\ngröße = 2\nprint(x, größe)\nx";
    check(
        |text, notebook| replace(text, notebook, 1, source, None),
        &["-    \"print(x)\"", "+    \"print(x, größe)\\n\",", "+    \"x\""],
    );
    check(|text, notebook| replace(text, notebook, 1, "x=1\ngröße = 2\nprint(x)", None), &[]);
}

#[test]
fn an_emptied_source_is_an_empty_list() {
    check(
        |text, notebook| replace(text, notebook, 0, "", None),
        &["-   \"source\": [", "-    \"# T\"", "-   ]", "+   \"source\": []"],
    );
}

#[test]
fn a_cell_of_another_kind_has_its_members() {
    check(
        |text, notebook| replace(text, notebook, 0, "# T", Some(CellKind::Code)),
        &[
            "-   \"cell_type\": \"markdown\",",
            "-   \"id\": \"a\",",
            "-   \"metadata\": {},",
            "-   \"source\": [",
            "-    \"# T\"",
            "-   ]",
            "+   \"cell_type\": \"code\",",
            "+   \"id\": \"a\",",
            "+   \"metadata\": {},",
            "+   \"source\": [",
            "+    \"# T\"",
            "+   ],",
            "+   \"execution_count\": null,",
            "+   \"outputs\": []",
        ],
    );
    let notebook = Notebook::of(TEXT).unwrap();
    let after = changed(TEXT, &replace(TEXT, &notebook, 1, "text", Some(CellKind::Raw)));
    assert_eq!(
        serde_json::from_str::<Value>(&after).unwrap()["cells"][1],
        json!({"cell_type": "raw", "id": "b", "metadata": {}, "source": ["text"]})
    );
}

#[test]
fn members_are_taken_out_wherever_they_stand() {
    let text = r#"{"cells": [{"outputs": [], "execution_count": 1, "cell_type": "code", "source": "x"}]}"#;
    let notebook = Notebook::of(text).unwrap();
    let after = changed(text, &replace(text, &notebook, 0, "y", Some(CellKind::Markdown)));
    assert_eq!(after, r#"{"cells": [{"cell_type": "markdown", "source": "y"}]}"#);
    let text = r#"{"cells": [{"execution_count": 1, "source": "x", "outputs": []}]}"#;
    let notebook = Notebook::of(text).unwrap();
    let after = changed(text, &replace(text, &notebook, 0, "y", Some(CellKind::Markdown)));
    assert_eq!(after, r#"{"cells": [{"source": "y", "cell_type": "markdown"}]}"#);
}

#[test]
fn a_cell_is_inserted_behind_another_or_first() {
    let new = [
        "+   \"cell_type\": \"code\",",
        "+   \"execution_count\": null,",
        "+   \"id\": \"n\",",
        "+   \"metadata\": {},",
        "+   \"outputs\": [],",
        "+   \"source\": [",
        "+    \"print(1)\"",
        "+   ]",
        "+  },",
        "+  {",
    ];
    let first =
        |text: &str, notebook: &Notebook| insert(text, notebook, None, CellKind::Code, "print(1)", "n");
    check(first, &new);
    let notebook = Notebook::of(TEXT).unwrap();
    let after = changed(TEXT, &insert(TEXT, &notebook, Some(0), CellKind::Code, "print(1)", "n"));
    assert_eq!(differing(TEXT, &after).len(), new.len());
    let ids: Vec<String> = Notebook::of(&after).unwrap().cells.into_iter().map(|cell| cell.id).collect();
    assert_eq!(ids, ["a", "n", "b"]);
}

#[test]
fn a_cell_is_deleted_with_its_comma() {
    for (at, left) in [(0, "b"), (1, "a")] {
        let after = changed(TEXT, &delete(&Notebook::of(TEXT).unwrap(), at));
        let ids: Vec<String> = Notebook::of(&after).unwrap().cells.into_iter().map(|cell| cell.id).collect();
        assert_eq!(ids, [left]);
        let lines = TEXT.lines().count() - after.lines().count();
        assert_eq!(differing(TEXT, &after).len(), lines, "nothing but lines that are gone: {after}");
    }
    let one = r#"{"cells": [{"source": "x"}], "nbformat": 4}"#;
    assert_eq!(changed(one, &delete(&Notebook::of(one).unwrap(), 0)), r#"{"cells": [], "nbformat": 4}"#);
}

#[test]
fn the_first_cell_of_an_empty_notebook_takes_its_layout() {
    let spread = "{\n  \"cells\": [],\n  \"nbformat\": 4\n}\n";
    let after = changed(
        spread,
        &insert(spread, &Notebook::of(spread).unwrap(), None, CellKind::Markdown, "# T\nx", "n"),
    );
    assert_eq!(
        after,
        "{\n  \"cells\": [\n    {\n      \"cell_type\": \"markdown\",\n      \"metadata\": {},\n      \"source\": [\n        \
         \"# T\\n\",\n        \"x\"\n      ]\n    }\n  ],\n  \"nbformat\": 4\n}\n"
    );
    let line = r#"{"cells": [], "nbformat": 4, "nbformat_minor": 5}"#;
    let after =
        changed(line, &insert(line, &Notebook::of(line).unwrap(), None, CellKind::Markdown, "x", "n"));
    assert_eq!(
        after,
        r#"{"cells": [{"cell_type": "markdown", "id": "n", "metadata": {}, "source": ["x"]}], "nbformat": 4, "nbformat_minor": 5}"#
    );
}
