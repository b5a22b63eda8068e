//! Whole tasks of the offline model, against tools that keep a few files in memory.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::StreamExt;
use serde_json::json;

use super::OfflineModel;
use crate::conversation::{ApiMessage, ContentBlock, Role, StopReason, ToolResultContent};
use crate::models::{BlockDelta, ModelRequest, Provider, ProviderEvent, ToolDefinition};

/// Runs `prompt` (and a context block, unless empty) to its end. Gives the texts of its answers, the calls it made and
/// the files as its edits leave them.
async fn run(files: &[(&str, &str)], prompt: &str, context: &str) -> Run {
    let mut files: BTreeMap<String, String> =
        files.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())).collect();
    let words =
        [prompt, context].into_iter().filter(|text| !text.is_empty()).map(ContentBlock::text).collect();
    let mut messages = vec![ApiMessage { role: Role::User, content: words }];
    let mut said = Vec::new();
    let mut calls = Vec::new();
    for _ in 0..20 {
        let answer = answer(&messages).await;
        let mut results = Vec::new();
        for block in &answer {
            match block {
                ContentBlock::Text { text } => said.push(text.clone()),
                ContentBlock::ToolUse { id, name, input } => {
                    calls.push(format!("{name} {input}"));
                    let (text, is_error) = match run_tool(&mut files, name, input) {
                        Ok(text) => (text, false),
                        Err(text) => (text, true),
                    };
                    let content = vec![ToolResultContent::Text(text)];
                    results.push(ContentBlock::ToolResult { tool_use_id: id.clone(), content, is_error });
                }
                other => panic!("an offline answer holds {other:?}"),
            }
        }
        messages.push(ApiMessage { role: Role::Assistant, content: answer });
        if results.is_empty() {
            return Run { said, calls, files };
        }
        messages.push(ApiMessage { role: Role::User, content: results });
    }
    panic!("no end after 20 turns: {calls:#?}");
}

struct Run {
    said: Vec<String>,
    calls: Vec<String>,
    files: BTreeMap<String, String>,
}

impl Run {
    #[track_caller]
    fn check(&self, path: &str, wanted: &str) -> &Self {
        assert_eq!(self.files.get(path).map(String::as_str), Some(wanted), "{:#?}", self.said);
        self
    }

    #[track_caller]
    fn last_words(&self, wanted: &str) {
        assert_eq!(self.said.last().map(String::as_str), Some(wanted));
    }
}

#[tokio::test]
async fn a_rename_goes_through_all_files_and_spares_longer_words() {
    let files = [
        ("src/a.rs", "fn load() {}\nfn reload() {\n    load();\n    load();\n}\n"),
        ("src/b.rs", "// preload\n"),
        ("src/c.rs", "use a::load;\r\nload()"),
    ];
    let run = run(&files, "rename load to open", "").await;
    run.check("src/a.rs", "fn open() {}\nfn reload() {\n    open();\n    open();\n}\n")
        .check("src/b.rs", "// preload\n")
        .check("src/c.rs", "use a::open;\r\nopen()");
    assert_eq!(
        run.calls,
        [
            r#"Grep {"pattern":"\\bload\\b","output_mode":"files_with_matches"}"#,
            r#"Read {"file_path":"src/a.rs"}"#,
            r#"Read {"file_path":"src/c.rs"}"#,
            r#"Edit {"file_path":"src/a.rs","old_string":"fn load() {}","new_string":"fn open() {}","description":"rename load to open"}"#,
            r#"Edit {"file_path":"src/a.rs","old_string":"fn reload() {\n    load();","new_string":"fn reload() {\n    open();","description":"rename load to open"}"#,
            r#"Edit {"file_path":"src/a.rs","old_string":"    load();","new_string":"    open();","description":"rename load to open"}"#,
            r#"Edit {"file_path":"src/c.rs","old_string":"use a::load;","new_string":"use a::open;","description":"rename load to open"}"#,
            r#"Edit {"file_path":"src/c.rs","old_string":"load()","new_string":"open()","description":"rename load to open"}"#,
        ]
    );
    run.last_words(
        "Done: 5 edits in 2 files:\n\n- `src/a.rs`: 3\n- `src/c.rs`: 2\n\n\
         `load` also stands inside a longer word in 1 place, which I left alone.",
    );
}

#[tokio::test]
async fn a_file_without_a_final_newline_keeps_its_end() {
    let run = run(&[("a.rs", "fn load() {}\r\nload();")], "rename load to open in a.rs", "").await;
    run.check("a.rs", "fn open() {}\r\nopen();").last_words("Done: 2 edits in `a.rs`.");
}

#[tokio::test]
async fn nothing_stays_of_a_file_all_of_whose_lines_are_deleted() {
    for text in ["x\n", "x"] {
        run(&[("a.rs", text)], "delete line 1 in a.rs", "").await.check("a.rs", "");
        run(&[("a.rs", text)], "delete the line \"x\" in a.rs", "").await.check("a.rs", "");
    }
    run(&[("a.rs", "x\nx\n")], "delete the line \"x\" in a.rs", "").await.check("a.rs", "");
}

#[tokio::test]
async fn a_replacement_is_taken_as_it_is() {
    let run = run(&[("a.txt", "x $& y\n")], "replace \"$&\" by \"\\1 $$\" in a.txt", "").await;
    run.check("a.txt", "x \\1 $$ y\n");
}

#[tokio::test]
async fn it_works_where_the_user_stands() {
    let context = "<editor-context path=\"a.rs\" lines=\"2-2\">\nfn b(n: u8) {}\n</editor-context>";
    let files = [("a.rs", "fn a() {}\nfn b(n: u8) {}\n")];
    run(&files, "document", context).await.check("a.rs", "fn a() {}\n/// B: takes `n`.\nfn b(n: u8) {}\n");
    run(&files, "make this async", context).await.check("a.rs", "fn a() {}\nasync fn b(n: u8) {}\n");
    run(&files, "delete the line \"fn a() {}\"", context).await.check("a.rs", "fn b(n: u8) {}\n");
    let explained = run(&files, "explain", context).await;
    assert_eq!(
        explained.said.last().map(String::as_str),
        Some(
            "This is line 2 of 2 in `a.rs`. What is defined there:\n\n- line 2: the function `b`, which takes `n`\n\n\
             What the code is meant to do, only a language model could say."
        )
    );
}

#[tokio::test]
async fn it_says_what_it_is_and_what_it_understands() {
    let run = run(&[], "write me a poem", "").await;
    let [said] = run.said.as_slice() else { panic!("one answer: {:?}", run.said) };
    assert!(said.starts_with("Offline model, no language model"), "{said}");
    assert!(said.contains("rename load to open"), "{said}");
    assert!(OfflineModel::new(Duration::ZERO).info().label.starts_with("offline model"));
}

#[tokio::test]
async fn what_can_not_be_done_is_said() {
    let missing = run(&[], "rename load to open in a.rs", "").await;
    missing.last_words("Nothing was changed.\n\n`a.rs` could not be read: a.rs does not exist");
    let nowhere = run(&[("a.rs", "x")], "rename load to open", "").await;
    nowhere.last_words("No file of the workspace has `load` in it, so there is nothing to do.");
    let unread = run(&[("secret/a.rs", "load")], "rename load to open", "").await;
    unread
        .last_words("No file of the workspace that may be read has `load` in it, so there is nothing to do.");
    let not_there =
        run(&[("b.rs", "x\n"), ("c.rs", "load\n")], "rename load to open in b.rs and c.rs", "").await;
    not_there.last_words("Done: one edit in `c.rs`.\n\n`load` does not occur in `b.rs`.");
    let not_there = run(&[("b.rs", "x\n")], "rename nothing to some in b.rs", "").await;
    not_there.last_words("Nothing was changed.\n\n`nothing` does not occur in `b.rs`.");
    let undefined = run(&[("a.rs", "x")], "make load async", "").await;
    undefined.last_words("No file of the workspace has a definition of `load`, so there is nothing to do.");
    let no_file = run(&[], "delete line 3", "").await;
    assert!(no_file.said.concat().ends_with("Which file? Say `… in src/a.rs`, or ask from within the file."));
}

#[tokio::test]
async fn an_answer_streams_in_small_pieces_that_join_to_the_whole() {
    let messages = [ApiMessage {
        role: Role::User,
        content: vec![ContentBlock::text("rename load to open in src/a_rather_long_name.rs")],
    }];
    let events = stream(&messages).await;
    assert!(matches!(events.first(), Some(ProviderEvent::MessageStart { .. })), "{events:?}");
    let [
        ..,
        ProviderEvent::MessageDelta { stop_reason: Some(StopReason::ToolUse), .. },
        ProviderEvent::MessageStop,
    ] = events.as_slice()
    else {
        panic!("{events:?}")
    };
    let mut text = String::new();
    let mut json = String::new();
    for event in &events {
        match event {
            ProviderEvent::BlockDelta { delta: BlockDelta::Text(piece), .. } => text.push_str(piece),
            ProviderEvent::BlockDelta { delta: BlockDelta::InputJson(piece), .. } => {
                assert!(piece.chars().count() <= 24);
                json.push_str(piece);
            }
            ProviderEvent::BlockStop { block: ContentBlock::Text { text: whole }, .. } => {
                assert_eq!(&text, whole);
            }
            ProviderEvent::BlockStop { block: ContentBlock::ToolUse { input, .. }, .. } => {
                assert_eq!(json, input.to_string());
            }
            _ => {}
        }
    }
    assert!(!text.is_empty() && !json.is_empty());
}

#[tokio::test(start_paused = true)]
async fn its_pace_is_the_one_it_was_given() {
    let messages = [ApiMessage { role: Role::User, content: vec![ContentBlock::text("hello there")] }];
    let started = tokio::time::Instant::now();
    let pace = Duration::from_millis(10);
    let events: Vec<_> = OfflineModel::new(pace).stream(request(&messages)).collect().await;
    let pieces = events.iter().filter(|event| matches!(event, Ok(ProviderEvent::BlockDelta { .. }))).count();
    assert!(pieces > 10);
    assert_eq!(started.elapsed(), pace * u32::try_from(pieces).expect("few"));
}

async fn answer(messages: &[ApiMessage]) -> Vec<ContentBlock> {
    stream(messages)
        .await
        .into_iter()
        .filter_map(|event| match event {
            ProviderEvent::BlockStop { block, .. } => Some(block),
            _ => None,
        })
        .collect()
}

async fn stream(messages: &[ApiMessage]) -> Vec<ProviderEvent> {
    let events = OfflineModel::new(Duration::ZERO).stream(request(messages));
    events.map(|event| event.expect("an event")).collect().await
}

fn request(messages: &[ApiMessage]) -> ModelRequest {
    let tool = |name: &str| ToolDefinition {
        name: name.to_owned(),
        description: String::new(),
        input_schema: json!({ "type": "object" }),
        deferred: false,
    };
    let tools = ["Edit", "Glob", "Grep", "Read", "Write"].map(tool).to_vec();
    ModelRequest::new(Vec::new(), tools, messages.to_vec(), 8_000)
}

fn run_tool(
    files: &mut BTreeMap<String, String>,
    name: &str,
    input: &serde_json::Value,
) -> Result<String, String> {
    let field = |name: &str| input[name].as_str().unwrap_or_default().to_owned();
    match name {
        "Grep" => {
            let pattern = regex::Regex::new(&field("pattern")).map_err(|error| error.to_string())?;
            let found: Vec<&str> = files
                .iter()
                .filter(|(path, text)| !path.starts_with("secret") && pattern.is_match(text))
                .map(|(path, _)| path.as_str())
                .collect();
            let hidden = files.keys().any(|path| path.starts_with("secret"));
            Ok(match (found.is_empty(), hidden) {
                (true, true) => {
                    "No matches in what may be read: rules keep other files from being read.".to_owned()
                }
                (true, false) => "No matches.".to_owned(),
                (false, _) => found.join("\n"),
            })
        }
        "Read" => {
            let path = field("file_path");
            let text = files.get(&path).ok_or_else(|| format!("{path} does not exist"))?;
            let lines: Vec<String> =
                text.lines().enumerate().map(|(at, line)| format!("{:>6}\t{line}", at + 1)).collect();
            Ok(lines.join("\n"))
        }
        "Edit" => {
            let path = field("file_path");
            if path.starts_with("locked") {
                return Err("A rule forbids this call. Do it another way, or ask the user.".to_owned());
            }
            let text = files.get_mut(&path).ok_or_else(|| format!("{path} does not exist"))?;
            let crlf = text.contains("\r\n");
            let plain = text.replace("\r\n", "\n");
            let (old, new) = (field("old_string"), field("new_string"));
            match plain.matches(&old).count() {
                1 => {
                    let changed = plain.replacen(&old, &new, 1);
                    *text = if crlf { changed.replace('\n', "\r\n") } else { changed };
                    Ok("1 change is pending".to_owned())
                }
                found => Err(format!("old_string occurs {found} times")),
            }
        }
        other => Err(format!("no tool {other}")),
    }
}

#[tokio::test]
async fn what_is_forbidden_is_not_tried_again_and_told_once() {
    let files = [("locked.rs", "fn load() {}\nload();\nload();\n")];
    let run = run(&files, "rename load to open in locked.rs", "").await;
    assert_eq!(run.calls.iter().filter(|call| call.starts_with("Read")).count(), 1, "{:#?}", run.calls);
    run.last_words("Nothing was changed.\n\n3 changes did not go in: A rule forbids this call.");
}

#[tokio::test]
async fn an_instruction_in_a_comment_takes_the_comment_with_it() {
    let words = "rename load to open in src/a.rs\n\n\
                 This is asked for in the comment on line 1. Remove that comment as well.";
    let files = [("src/a.rs", "// copydesk: rename load to open in src/a.rs\nfn load() {}\n")];
    let run = run(&files, words, "<editor-context path=\"src/a.rs\" lines=\"1-2\">").await;
    run.check("src/a.rs", "fn open() {}\n");
}

#[tokio::test]
async fn the_file_one_stands_in_needs_no_folder() {
    let context = "<editor-context path=\"src/a.rs\" lines=\"1\">";
    let run = run(&[("src/a.rs", "load();\n")], "rename load to open in a.rs", context).await;
    run.check("src/a.rs", "open();\n");
}

#[tokio::test]
async fn a_prompt_that_begins_with_a_place_is_for_that_file() {
    let files = [("a.rs", "fn load() {}\nfn b(n: u8) {}\n"), ("b.rs", "load();\n")];
    let renamed = run(&files, "In `a.rs`, line 1: rename load to open", "").await;
    renamed.check("a.rs", "fn open() {}\nfn b(n: u8) {}\n").check("b.rs", "open();\n");
    run(&files, "In `a.rs`, lines 2 to 2:\n\nmake this async", "")
        .await
        .check("a.rs", "fn load() {}\nasync fn b(n: u8) {}\n");
    run(&files, "In `a.rs`, line 1:\n\nIn `b.rs`, line 1:\ndelete line 2", "")
        .await
        .check("a.rs", "fn load() {}\n")
        .check("b.rs", "load();\n");
}
