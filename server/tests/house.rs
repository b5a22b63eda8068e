//! The house keeps its shape: imports point down, outer crates stay in their rooms, each file says what it is.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it can't go on")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The floors, lowest first. A module uses what stands on a lower floor, nothing beside it or above.
const FLOORS: &[&[&str]] = &[
    &["conversation", "config", "editor"],
    &["documents", "shell"],
    &["review", "permissions", "models"],
    &["tools", "context", "doctor"],
    &["agent"],
    &["lsp", "cli"],
    &["wiring", "main"],
];

/// Crates that only one room may name, and that room.
const ROOMS: &[(&str, &str)] = &[
    ("ropey", "documents/text.rs"),
    ("tower_lsp", "lsp"),
    ("copydesk_protocol", "lsp, cli"),
    ("similar", "review"),
    ("encoding_rs", "documents"),
    ("sse_stream", "models"),
    ("reqwest", "models, tools/web_fetch/fetch.rs"),
    ("htmd", "tools"),
    ("lopdf", "tools"),
    ("tree_sitter", "shell/command/reading.rs"),
    ("tree_sitter_bash", "shell/command/reading.rs"),
    ("landlock", "shell"),
    ("libc", "shell/confined/kernel.rs"),
    ("grep_searcher", "tools"),
    ("grep_regex", "tools"),
    ("grep_matcher", "tools"),
];

/// One source file: its path below `src`, and its text without test modules.
struct Source {
    path: String,
    text: String,
}

impl Source {
    /// The top module it belongs to.
    fn room(&self) -> &str {
        let first = self.path.split('/').next().unwrap_or_default();
        first.strip_suffix(".rs").unwrap_or(first)
    }

    /// The top modules that are named after `crate::`, alone or in a braced list.
    fn rooms_used(&self) -> Vec<String> {
        self.named_behind("crate::")
    }

    /// Of a room of several files: the module that this file belongs to, and those beside it that it names.
    fn modules(&self) -> Option<(String, Vec<String>)> {
        let (room, inside) = self.path.split_once('/')?;
        let up = "super::".repeat(inside.matches('/').count() + 1);
        let used =
            [format!("crate::{room}::"), up].iter().flat_map(|prefix| self.named_behind(prefix)).collect();
        Some((leading_name(inside), used))
    }

    fn named_behind(&self, prefix: &str) -> Vec<String> {
        let code: String = self
            .text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect::<Vec<_>>()
            .join(" ");
        let mut found = Vec::new();
        for (at, prefix) in code.match_indices(prefix) {
            let rest = &code[at + prefix.len()..];
            match rest.strip_prefix('{') {
                Some(list) => found.extend(heads_of_list(list)),
                None => found.push(leading_name(rest)),
            }
        }
        found
    }
}

/// The first name of each entry of a braced list whose opening brace is already gone.
fn heads_of_list(list: &str) -> Vec<String> {
    let mut heads = Vec::new();
    let mut depth = 0;
    let mut entry = true;
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => entry = true,
            c if entry && !c.is_whitespace() => {
                heads.push(leading_name(&list[at..]));
                entry = false;
            }
            _ => {}
        }
    }
    heads
}

fn leading_name(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let whole = fs::read_to_string(&path).unwrap();
                let text = whole.split("\n#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned();
                let path = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
                files.push(Source { path, text });
            }
        }
    }
    files.retain(|source| !source.path.contains("/tests/") && !source.path.ends_with("/tests.rs"));
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn floor_of() -> BTreeMap<&'static str, usize> {
    FLOORS
        .iter()
        .enumerate()
        .flat_map(|(height, rooms)| rooms.iter().map(move |room| (*room, height)))
        .collect()
}

#[track_caller]
fn assert_none(faults: Vec<String>) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn imports_point_down() {
    let floors = floor_of();
    let mut faults = Vec::new();
    for source in sources().iter().filter(|source| source.path != "lib.rs") {
        let Some(&own) = floors.get(source.room()) else {
            faults.push(format!("{}: stands on no floor", source.path));
            continue;
        };
        for used in source.rooms_used() {
            match floors.get(used.as_str()) {
                Some(_) if used == source.room() => {}
                Some(&height) if height < own => {}
                Some(_) => faults.push(format!("{}: uses {used}, which is not below it", source.path)),
                None => {}
            }
        }
    }
    assert_none(faults);
}

/// Inside a room modules stand on each other, too: none rests on what rests on it.
#[test]
fn the_modules_of_the_agent_form_no_circle() {
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, used) in
        sources().iter().filter(|source| source.room() == "agent").filter_map(Source::modules)
    {
        uses.entry(module).or_default().extend(used);
    }
    let modules: BTreeSet<String> = uses.keys().cloned().collect();
    assert!(modules.contains("query") && uses["query"].contains("executor"), "{uses:#?}");
    for (module, used) in &mut uses {
        used.retain(|other| other != module && modules.contains(other));
    }
    // What rests on nothing that is left is in no circle.
    while let Some(module) = uses.iter().find(|(_, used)| used.is_empty()).map(|(module, _)| module.clone()) {
        uses.remove(&module);
        for used in uses.values_mut() {
            used.remove(&module);
        }
    }
    assert_none(uses.iter().map(|(module, used)| format!("agent/{module}: uses {used:?}")).collect());
}

#[test]
fn outer_crates_stay_in_their_rooms() {
    let mut faults = Vec::new();
    for source in sources() {
        for (outer, rooms) in ROOMS {
            let at_home = rooms.split(", ").any(|room| source.path == room || source.room() == room);
            if !at_home
                && source
                    .text
                    .lines()
                    .any(|line| line.contains(&format!("{outer}::")) && !line.trim_start().starts_with("//"))
            {
                faults.push(format!("{}: names {outer}, which belongs to {rooms}", source.path));
            }
        }
    }
    assert_none(faults);
}

#[test]
fn each_file_says_what_it_is() {
    let faults = sources()
        .iter()
        .filter(|source| !source.text.starts_with("//! "))
        .map(|source| format!("{}: does not open with a `//!` sentence", source.path))
        .collect();
    assert_none(faults);
}

#[test]
fn no_file_is_named_for_nothing() {
    let banned = ["utils", "util", "helpers", "helper", "common", "misc", "manager", "mod"];
    let faults = sources()
        .iter()
        .filter(|source| {
            let name = source.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
            banned.contains(&name) || name.ends_with("_manager")
        })
        .map(|source| format!("{}: the name does not say what it is", source.path))
        .collect();
    assert_none(faults);
}
