use serde_json::json;

use super::*;
use crate::tools::fixture::Fixture;

#[track_caller]
fn check(input: Value, wanted: &str) {
    let refused = Bash.validate(&input).expect_err("it is refused").0;
    assert!(refused.contains(wanted), "{refused}");
}

#[test]
fn an_input_that_no_shell_could_run_is_refused() {
    check(json!({"command": "a\0b"}), "NUL");
    check(json!({"command": " \n"}), "empty");
    check(json!({"command": "ls", "timeout": "long"}), "`timeout`");
    assert_eq!(Bash.validate(&json!({"command": "ls", "timeout": 999_999_999})), Ok(()));
}

#[tokio::test]
async fn without_the_program_to_build_walls_nothing_runs() {
    let fixture = Fixture::new(&[("a.txt", "a")]);
    let refused = fixture.call(&Bash, json!({"command": "touch made"})).await.expect_err("it can't run");
    assert!(refused.starts_with("Nothing was run: on this machine nothing keeps a command"), "{refused}");
    let refused = fixture.call(&Bash, json!({"command": "touch made"})).await.expect_err("it can't run");
    assert!(refused.contains("could not be run"), "{refused}");
    assert_eq!(fixture.on_disk("made"), None);
}
