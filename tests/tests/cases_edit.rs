//! The cases of tool calls and of what happens between them: see `cases/README.md`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where it can't go on"
)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use copydesk_tests::cases::{bytes, case, list};
use copydesk_tests::client::Home;
use copydesk_tests::puppet::{Outcome, Puppets};
use serde_json::{Map, Value, json};

/// Who sees the files: nobody but the disk, or the editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Surface {
    Closed,
    Open,
}

/// One run of one variant, with everything that was not as wanted.
struct Run<'a> {
    puppets: Puppets,
    variant: &'a Value,
    surface: Surface,
    /// What has to be told until the end, by session.
    to_be_told: Vec<(String, Value)>,
    /// All that was told, by session.
    told: BTreeMap<String, String>,
    faults: Vec<String>,
    /// What calls were answered with that were errors.
    errors: Vec<String>,
}

/// Runs every variant of a case on every surface, and fails with all that was wrong.
async fn check(name: &str) {
    let case = case(name);
    let (mut runs, mut faults) = (0, Vec::new());
    for variant in list(&case["variants"]).iter().chain(&decoded_variants(&case)) {
        for surface in surfaces(&case, variant) {
            runs += 1;
            for fault in run(&case, variant, surface).await {
                faults.push(format!("{name}, {} ({surface:?}): {fault}", variant["name"]));
            }
        }
    }
    for choice in ["accept_any", "accept_any_missing"] {
        for surface in surfaces(&case, &Value::Null) {
            let mut all = Vec::new();
            let mut held = list(&case[choice]).is_empty();
            for variant in list(&case[choice]) {
                runs += 1;
                let found = run(&case, variant, surface).await;
                held |= found.is_empty();
                all.extend(found);
            }
            if !held {
                faults.push(format!("{name} ({surface:?}): no outcome of {choice} came: {all:#?}"));
            }
        }
    }
    assert!(runs > 0, "{name} has nothing that was run");
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

/// The variants that the Shift-JIS case writes in a shape of its own: one for the open document, one for the closed file.
fn decoded_variants(case: &Value) -> Vec<Value> {
    let Some(open) = case.get("open_variant") else { return Vec::new() };
    let mut open = open.clone();
    open["name"] = json!("open");
    open["surface"] = json!("open");
    let mut closed = open.clone();
    closed["name"] = json!("closed");
    closed["surface"] = json!("closed");
    closed["final"] = case["closed_accept_any"][1]["final"].clone();
    vec![open, closed]
}

fn surfaces(case: &Value, variant: &Value) -> Vec<Surface> {
    let named = |name: &Value| if name == "open" { Surface::Open } else { Surface::Closed };
    match (variant.get("surface"), case.get("surfaces")) {
        (Some(surface), _) => vec![named(surface)],
        (None, Some(surfaces)) => list(surfaces).iter().map(named).collect(),
        (None, None) => vec![Surface::Closed],
    }
}

async fn run(case: &Value, variant: &Value, surface: Surface) -> Vec<String> {
    let home = Home::new();
    lay_out(case, &home);
    let puppets = Puppets::start(home).await;
    let mut run = Run {
        puppets,
        variant,
        surface,
        to_be_told: Vec::new(),
        told: BTreeMap::new(),
        faults: Vec::new(),
        errors: Vec::new(),
    };
    run.open_documents(case);
    for step in list(&variant["steps"]) {
        match step.get("tool") {
            Some(tool) => run.call(tool.as_str().unwrap(), step).await,
            None => run.event(step),
        }
    }
    for (session, mentions) in std::mem::take(&mut run.to_be_told) {
        let last = run.puppets.told(&session).await;
        let told = run.told.entry(session).or_default();
        told.push_str(&last);
        let told = told.clone();
        run.mentions("what is told", &told, &mentions);
    }
    run.ends_as_wanted(case);
    let Run { puppets, mut faults, .. } = run;
    let before: Vec<_> = file_names(&puppets.home);
    let home = puppets.end().await;
    if file_names(&home) != before {
        faults.push("files came or went when the program ended".to_owned());
    }
    faults
}

impl Run<'_> {
    fn open_documents(&mut self, case: &Value) {
        let opened: Vec<String> = match self.variant.get("open_documents") {
            Some(names) => list(names).iter().map(|name| name.as_str().unwrap().to_owned()).collect(),
            None if self.surface == Surface::Open => list(&case["workspace"])
                .iter()
                .map(|file| file["path"].as_str().unwrap().to_owned())
                .collect(),
            None => Vec::new(),
        };
        for name in opened {
            let text = match self.variant.get("didOpen_text") {
                Some(text) => text.as_str().unwrap().to_owned(),
                None => String::from_utf8(fs::read(self.puppets.home.path(&name)).unwrap()).unwrap(),
            };
            let uri = self.puppets.home.uri(&name);
            self.puppets.client.did_open(&uri, "plaintext", &text);
        }
    }

    async fn call(&mut self, tool: &str, step: &Value) {
        let session = step.get("session").and_then(Value::as_str).unwrap_or("A").to_owned();
        let wanted = step.get("want").and_then(Value::as_str).unwrap_or("ok");
        let mut outcome = self.puppets.call(&session, tool, self.input(step)).await;
        if wanted == "ok_or_one_stale_error_then_ok_after_read" && outcome.is_error {
            self.puppets.call(&session, "Read", json!({ "file_path": self.input(step)["file_path"] })).await;
            outcome = self.puppets.call(&session, tool, self.input(step)).await;
        }
        self.told.entry(session.clone()).or_default().push_str(&outcome.told);
        if outcome.is_error {
            self.errors.push(outcome.text.clone());
        }
        if outcome.is_error != (wanted == "error") {
            self.fault(format!("{step}: {} where {wanted} was wanted", outcome.text));
        }
        self.looks_right(step, &outcome);
        self.while_pending(step);
        self.decide(&session, step).await;
        for absent in list(&step["absent_after"]) {
            if self.puppets.home.path(absent.as_str().unwrap()).exists() {
                self.fault(format!("{step}: {absent} is there"));
            }
        }
    }

    /// The tool's input: the step without what is the driver's, and with the whole path.
    fn input(&self, step: &Value) -> Value {
        let ours = [
            "tool",
            "path",
            "want",
            "user",
            "session",
            "policy",
            "absent_after",
            "while_pending",
            "told_mentions_any",
            "error_mentions_any",
            "result_mentions_any",
            "output_must_contain",
            "output_must_not_contain",
            "diff_must_contain_times",
        ];
        let mut input: Map<String, Value> = step.as_object().unwrap().clone();
        input.retain(|key, _| !ours.contains(&key.as_str()));
        let path = self.puppets.home.path(step["path"].as_str().unwrap());
        input.insert("file_path".to_owned(), json!(path.to_str().unwrap()));
        Value::Object(input)
    }

    fn looks_right(&mut self, step: &Value, outcome: &Outcome) {
        for wanted in list(&step["output_must_contain"]) {
            if !outcome.text.contains(wanted.as_str().unwrap()) {
                self.fault(format!("{step}: {wanted} is not in {:?}", outcome.text));
            }
        }
        for unwanted in list(&step["output_must_not_contain"]) {
            if outcome.text.contains(unwanted.as_str().unwrap()) {
                self.fault(format!("{step}: {unwanted} is in {:?}", outcome.text));
            }
        }
        for mentions in ["error_mentions_any", "result_mentions_any"] {
            if let Some(words) = step.get(mentions) {
                self.mentions(&step.to_string(), &outcome.text, words);
            }
        }
        for (text, times) in step["diff_must_contain_times"].as_object().into_iter().flatten() {
            let shown = outcome.event["content"].to_string();
            if shown.matches(text.as_str()).count() as u64 != times.as_u64().unwrap() {
                self.fault(format!("{step}: {text:?} is not shown {times} times in {shown}"));
            }
        }
    }

    /// What has to hold between the proposal and the decision.
    fn while_pending(&mut self, step: &Value) {
        let pending = &step["while_pending"];
        let path = step["path"].as_str().unwrap();
        let uri = self.puppets.home.uri(path);
        if pending["event"] == "didSave" {
            self.puppets.client.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
        }
        if let Some(disk) = pending.get("disk") {
            let found = fs::read_to_string(self.puppets.home.path(path)).unwrap();
            self.equal("the disk while it is pending", &json!(found), disk);
        }
        if let Some(buffer) = pending.get("buffer") {
            let found = self.puppets.client.text(&uri).to_owned();
            self.equal("the buffer while it is pending", &json!(found), buffer);
        }
    }

    async fn decide(&mut self, session: &str, step: &Value) {
        let rejects = step["user"] == "reject";
        let decision = if rejects { "reject" } else { "accept" };
        let results = self.puppets.decide(decision, json!({ "all": true })).await;
        let wanted = if rejects { "rejected" } else { "accepted" };
        if let Some(other) = results.iter().find(|result| result["outcome"] != wanted) {
            self.fault(format!("{step}: {other}"));
        }
        if let Some(mentions) = step.get("told_mentions_any") {
            self.to_be_told.push((session.to_owned(), mentions.clone()));
        }
    }

    fn event(&mut self, step: &Value) {
        let path = |field: &str| step[field].as_str().unwrap_or_default().to_owned();
        let file = self.puppets.home.path(&path("path"));
        match step["event"].as_str().unwrap() {
            "touch" => {
                let later =
                    fs::metadata(&file).unwrap().modified().unwrap() + std::time::Duration::from_secs(5);
                fs::File::options().write(true).open(&file).unwrap().set_modified(later).unwrap();
            }
            "rewrite_same" => {
                let other = file.with_extension("new");
                fs::copy(&file, &other).unwrap();
                fs::rename(&other, &file).unwrap();
            }
            "disk_write" => fs::write(&file, path("content")).unwrap(),
            "didChange_full" => {
                let uri = self.puppets.home.uri(&path("path"));
                self.puppets.client.replace(&uri, &path("text"));
            }
            "rename" => {
                let (from, to) = (path("from"), path("to"));
                let (old, new) = (self.puppets.home.uri(&from), self.puppets.home.uri(&to));
                let text = self.puppets.client.text(&old).to_owned();
                fs::rename(self.puppets.home.path(&from), self.puppets.home.path(&to)).unwrap();
                self.puppets.client.did_close(&old);
                self.puppets.client.did_open(&new, "plaintext", &text);
            }
            other => panic!("no such event: {other}"),
        }
    }

    fn ends_as_wanted(&mut self, case: &Value) {
        if let Some(most) = self.variant.get("max_stale_errors").and_then(Value::as_u64) {
            if self.errors.len() as u64 > most {
                self.fault(format!("more errors than {most}: {:#?}", self.errors));
            }
            if self.errors.iter().any(|told| told.contains("has not been read")) {
                self.fault(format!("a change is told as a file that was never read: {:#?}", self.errors));
            }
        }
        for (path, wanted) in self.variant["final"].as_object().into_iter().flatten() {
            let disk = fs::read(self.puppets.home.path(path)).ok();
            let wanted = wanted.as_str().map(bytes);
            let uri = self.puppets.home.uri(path);
            let shown = self.puppets.client.shows(&uri).map(|text| text.as_bytes().to_vec());
            // What the editor has open is its own to save.
            let only_disk = self.variant.get("final_buffer").is_some();
            let found = if only_disk { disk } else { shown.or(disk) };
            self.equal(path, &json!(found.map(text_of)), &json!(wanted.map(text_of)));
        }
        if let Some(wanted) = self.variant.get("final_buffer").filter(|_| self.surface == Surface::Open) {
            let path =
                case["workspace"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap());
            let open = path
                .map(|path| self.puppets.home.uri(path))
                .filter_map(|uri| self.puppets.client.shows(&uri));
            let shown: Vec<String> = open.map(str::to_owned).collect();
            if !shown.iter().any(|text| wanted == text.as_str()) {
                self.fault(format!("the editor shows {shown:?}, wanted {wanted}"));
            }
        }
        if self.surface == Surface::Open {
            for file in list(&case["workspace"]) {
                let (path, start) =
                    (file["path"].as_str().unwrap(), bytes(file["hex"].as_str().unwrap_or_default()));
                let written_by_test = self.variant["steps"].to_string().contains("disk_write");
                if let Ok(disk) = fs::read(self.puppets.home.path(path))
                    && disk != start
                    && !written_by_test
                {
                    self.fault(format!("{path} was written though it is open"));
                }
            }
        }
        for (path, wanted) in self.variant["final_modes"].as_object().into_iter().flatten() {
            let mode = fs::metadata(self.puppets.home.path(path)).unwrap().permissions().mode() & 0o7777;
            self.equal("the mode", &json!(format!("{mode:04o}")), wanted);
        }
        for (path, target) in self.variant["final_symlinks"].as_object().into_iter().flatten() {
            let found = fs::read_link(self.puppets.home.path(path)).ok();
            self.equal("the link", &json!(found.map(|link| link.to_string_lossy().into_owned())), target);
        }
        for pair in list(&self.variant["should_same_inode"]) {
            let inode =
                |name: &Value| fs::metadata(self.puppets.home.path(name.as_str().unwrap())).unwrap().ino();
            if inode(&pair[0]) != inode(&pair[1]) {
                self.fault(format!("{pair} are no longer one file"));
            }
        }
        if self.variant["no_extra_files"] == true
            && file_names(&self.puppets.home).len() != list(&case["workspace"]).len()
        {
            self.fault(format!("extra files: {:?}", file_names(&self.puppets.home)));
        }
    }

    fn mentions(&mut self, what: &str, text: &str, words: &Value) {
        let text = text.to_lowercase();
        if !list(words).iter().any(|word| text.contains(&word.as_str().unwrap().to_lowercase())) {
            self.fault(format!("{what}: none of {words} is in {text:?}"));
        }
    }

    fn equal(&mut self, what: &str, found: &Value, wanted: &Value) {
        if found != wanted {
            self.fault(format!("{what}: {found}, wanted {wanted}"));
        }
    }

    fn fault(&mut self, fault: String) {
        self.faults.push(fault);
    }
}

/// Makes the case's start files, links and modes.
fn lay_out(case: &Value, home: &Home) {
    for file in list(&case["workspace"]) {
        let path = home.path(file["path"].as_str().unwrap());
        if let Some(target) = file.get("symlink_to") {
            symlink(target.as_str().unwrap(), path).unwrap();
            continue;
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes(file["hex"].as_str().unwrap())).unwrap();
        if let Some(mode) = file.get("mode") {
            let mode = u32::from_str_radix(mode.as_str().unwrap(), 8).unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    }
    for pair in list(&case["hard_links"]) {
        fs::hard_link(home.path(pair[0].as_str().unwrap()), home.path(pair[1].as_str().unwrap())).unwrap();
    }
}

fn file_names(home: &Home) -> Vec<String> {
    let entries = fs::read_dir(home.path("")).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Bytes as a failure's text can show them: text where it is some, else numbers.
fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| format!("{:02x?}", error.into_bytes()))
}

/// A test for each case of this driver.
macro_rules! cases {
    ($($test:ident: $case:literal),* $(,)?) => {
        $(
            #[tokio::test]
            async fn $test() {
                check($case).await;
            }
        )*
    };
}

cases! {
    an_lf_old_string_matches_a_crlf_file: "01-crlf-lf-old-string",
    an_edit_of_line_ends_alone_is_no_false_success: "03-eol-only-edit-no-false-success",
    a_byte_order_mark_survives_unseen: "04-bom-crlf-first-line",
    tabs_are_kept_and_named: "05-tabs-kept-and-named",
    a_missing_final_newline_stays_missing: "06-no-final-newline",
    shift_jis_open_and_closed: "08-shift-jis-open-and-closed",
    replacement_text_is_literal: "09-replacement-metacharacters",
    an_old_string_that_is_not_unique: "11-old-string-not-unique",
    an_empty_old_string: "12-empty-old-string",
    html_entities_are_not_decoded: "13-html-entities-raw",
    mode_and_hard_links_survive: "14-mode-bits-and-hard-links",
    a_link_is_written_through: "15-symlink-write-through",
    a_read_only_file_is_refused: "16-read-only-file",
    a_rejected_creation_and_a_rename: "20-rejected-create-and-rename-state",
    touched_is_not_changed: "22-touched-but-not-changed",
    a_formatter_after_the_accept: "24-formatter-after-accept",
    a_change_on_disk_from_outside: "26-external-change-on-disk",
    two_sessions_and_one_file: "27-two-sessions-one-file",
    an_unsaved_buffer_is_fine: "28-dirty-buffer-is-fine",
    a_closed_file_needs_approval_too: "65-closed-file-needs-approval-too",
}
