//! The checked-in TypeScript and JSON Schema are those of the types. `COPYDESK_WRITE_GENERATED=1` writes them anew.

#![allow(clippy::unwrap_used, reason = "a test ends where it can't go on")]

use std::path::Path;

#[track_caller]
fn check(file: &str, wanted: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("generated").join(file);
    if std::env::var_os("COPYDESK_WRITE_GENERATED").is_some() {
        std::fs::write(&path, wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == wanted,
        "{} is not what the types say: run COPYDESK_WRITE_GENERATED=1 cargo test -p copydesk-protocol",
        path.display()
    );
}

#[test]
fn typescript_is_up_to_date() {
    check("copydesk.ts", &copydesk_protocol::generate::typescript());
}

#[test]
fn json_schema_is_up_to_date() {
    check("copydesk.schema.json", &copydesk_protocol::generate::json_schema());
}
