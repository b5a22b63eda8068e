use super::*;

/// `lines` is `comment -> about`, in numbers as an editor shows them (from one, both included); the cursor stands on `|`.
#[track_caller]
fn check(language: &str, text: &str, instruction: &str, lines: &str) {
    let line = text.lines().position(|line| line.contains('|')).unwrap_or(0);
    let found = marker_at(&Text::from(text.replace('|', "")), language, "x", line);
    let shown = found.map(|marker| {
        let lines = |range: &Range<usize>| format!("{}-{}", range.start + 1, range.end);
        (marker.instruction, format!("{} -> {}", lines(&marker.comment), lines(&marker.about)))
    });
    assert_eq!(shown, Some((instruction.to_owned(), lines.to_owned())));
}

#[track_caller]
fn check_none(language: &str, text: &str) {
    assert_eq!(marker_at(&Text::from(text), language, "x", 0), None);
}

#[test]
fn a_comment_line_is_about_the_block_below_it() {
    check(
        "rust",
        "use std::fs;\n\n// copydesk: make this async|\nfn load() {\n    read();\n\n    parse();\n}\n\nfn save() {}\n",
        "make this async",
        "3-3 -> 3-8",
    );
    check(
        "python",
        "# copydesk: add types|\ndef f(a):\n    return a\n\ndef g(): pass\n",
        "add types",
        "1-1 -> 1-3",
    );
    check("ruby", "# copydesk: rename to b|\ndef a\n  1\nend\n", "rename to b", "1-1 -> 1-4");
    check("c", "/* copydesk: no globals| */\nint f(void)\n{\n    return g;\n}\n", "no globals", "1-1 -> 1-5");
}

#[test]
fn a_comment_behind_code_is_about_its_line() {
    check("go", "x := 1 // copydesk: name this better|\ny := 2\n", "name this better", "1-1 -> 1-1");
    check("sql", "select * from t -- copydesk: only the ids|\n", "only the ids", "1-1 -> 1-1");
}

#[test]
fn each_language_has_its_own_comments() {
    for (language, comment) in [
        ("rust", "/// copydesk: do it"),
        ("typescript", "// @copydesk: do it"),
        ("shellscript", "# Copydesk: do it"),
        ("lua", "-- copydesk: do it"),
        ("lua", "--[[ copydesk: do it ]]"),
        ("haskell", "{- copydesk: do it -}"),
        ("clojure", ";; copydesk: do it"),
        ("latex", "% copydesk: do it"),
        ("html", "<!-- copydesk: do it -->"),
        ("markdown", "<!-- copydesk: do it -->"),
        ("css", "/* copydesk: do it */"),
        ("ocaml", "(* copydesk: do it *)"),
        ("vim", "\" copydesk: do it"),
        ("vb", "' copydesk: do it"),
        ("bat", "REM copydesk: do it"),
        ("fortran", "! copydesk: do it"),
        ("php", "# copydesk: do it"),
    ] {
        let found = marker_at(&Text::from(comment), language, "x", 0);
        assert_eq!(found.map(|marker| marker.instruction), Some("do it".to_owned()), "{language}: {comment}");
    }
}

#[test]
fn a_block_comment_may_take_several_lines() {
    check(
        "javascript",
        "/*\n * copydesk: make this\n * async and| quick\n */\nfunction f() {\n}\n",
        "make this async and quick",
        "1-4 -> 1-6",
    );
}

#[test]
fn the_file_name_helps_where_the_language_is_unknown() {
    let found = marker_at(&Text::from("# copydesk: pin it"), "", "Dockerfile", 0);
    assert_eq!(found.map(|marker| marker.instruction), Some("pin it".to_owned()));
    assert_eq!(marker_at(&Text::from("# copydesk: pin it"), "plaintext", "notes.txt", 0), None);
}

#[test]
fn other_text_is_no_marker() {
    check_none("rust", "let a = \"// copydesk: not this\";");
    check_none("rust", "// copydesk:");
    check_none("rust", "// see copydesk: the manual");
    check_none("rust", "let copydesk: u32 = 1;");
    check_none("python", "url = \"http://x/#copydesk: no\"");
    check_none("css", "// copydesk: no comment in css");
    check_none("bat", "echo bistrem copydesk: no");
}
