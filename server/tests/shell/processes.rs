//! How a command is started, heard and ended.

use std::time::{Duration, Instant};

use copydesk::shell::{Best, Caps, How, Request, Sandbox, ShellSettings, TrialMode, WallKind};

use crate::place::{Place, code, is_running, request, settings};

/// With the best walls, with rights alone, and without any.
const ALL: [Best; 3] = [
    Best::ALL,
    Best { mode: TrialMode::Copy, walls: WallKind::Rights },
    Best { mode: TrialMode::Copy, walls: WallKind::Open },
];

fn place(best: Best) -> Place {
    Place::with(&[("a.txt", "a\n")], |base| ShellSettings { best, ..settings(base) })
}

#[tokio::test]
async fn output_and_errors_come_in_order() {
    for best in ALL {
        let (output, outcome) =
            place(best).run("echo 1; echo 2 >&2; echo 3; ls nowhere; echo 5 >&2; exit 7", vec![]).await;
        let lines: Vec<&str> = output.lines().collect();
        assert_eq!((&lines[..3], lines[4]), (["1", "2", "3"].as_slice(), "5"), "{best:?}");
        assert_eq!(code(&outcome), 7);
    }
}

#[tokio::test]
async fn a_session_that_is_left_takes_its_trial_tree_along() {
    for best in ALL {
        let place = place(best);
        let folder = place.base.join("state/s_1");
        place.run("mkdir target && echo x > target/big", vec![]).await;
        assert!(folder.join("lock").exists(), "{best:?}");
        place.shell.leave().await;
        for made in ["tree", "commands", "tmp"] {
            assert!(!folder.join(made).exists(), "{best:?}: {made}");
        }
    }
}

#[tokio::test]
async fn a_stopped_command_leaves_nothing_within_a_second() {
    for best in ALL {
        let place = place(best);
        place.shell.ground().await;
        for (at, command) in
            ["sleep N", "trap '' TERM INT; sleep N; sleep N", "sh -c 'sleep N & wait'", "setsid sleep N"]
                .iter()
                .enumerate()
        {
            let mark = format!("{}.{at}", 60_000 + std::process::id());
            let task = place.start(&command.replace('N', &mark), vec![]).await;
            let wanted = format!("sleep {mark}");
            let begun = Instant::now();
            while !is_running(&wanted) {
                assert!(begun.elapsed() < Duration::from_secs(20), "{best:?} {command} does not begin");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            task.stop();
            task.stop();
            let stopped = Instant::now();
            let outcome = task.ended().await;
            assert_eq!(outcome.how, How::Stopped);
            assert!(
                stopped.elapsed() < Duration::from_secs(2),
                "{best:?} {command}: {:?}",
                stopped.elapsed()
            );
            assert!(!is_running(&wanted), "{best:?} {command}");
        }
    }
}

#[tokio::test]
async fn a_command_is_killed_with_its_server() {
    let place = place(Best::ALL);
    let mark = format!("sleep {}.77", 60_000 + std::process::id());
    let task = place.start(&mark, vec![]).await;
    while !is_running(&mark) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    drop(place);
    let dropped = Instant::now();
    while is_running(&mark) {
        assert!(dropped.elapsed() < Duration::from_secs(5));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    drop(task);
}

#[tokio::test]
async fn an_endless_output_is_ended_and_its_ends_are_kept() {
    let place = Place::with(&[], |base| {
        let caps = Caps { most: 1 << 20, saved: 1 << 16, ..Caps::default() };
        ShellSettings { caps, ..settings(base) }
    });
    let task = place.start("echo begin; yes", vec![]).await;
    assert_eq!(task.ended().await.how, How::Flood);
    let shown = task.shown(30_000);
    assert!(shown.text.starts_with("begin\ny\n") && shown.text.contains("bytes omitted"), "{}", shown.text);
    assert_eq!(std::fs::metadata(shown.saved.unwrap()).unwrap().len(), 1 << 16);
}

#[tokio::test]
async fn a_command_of_a_megabyte_runs_or_says_why_not() {
    let place = place(Best::ALL);
    let words = "x".repeat(1_000_000);
    let (output, outcome) = place.run(&format!("echo {words} | wc -c"), vec![]).await;
    assert_eq!((output.trim(), code(&outcome)), ("1000001", 0));
    let characters = "é".repeat(150_000);
    let (output, _) = place.run(&format!("echo {characters} | wc -c"), vec![]).await;
    assert_eq!(output.trim(), "300001");
    let longer = request(&format!("echo {}", "y".repeat(3_000_000)), vec![]);
    let refused = place.shell.start(longer).await.unwrap_err().to_string();
    assert!(refused.contains("1500000 are the most"), "{refused}");
}

#[tokio::test]
async fn what_one_command_puts_into_the_temporary_folder_leads_no_other_out_of_the_sandbox() {
    let place = place(Best::ALL);
    let victim = place.root.join("victim.txt");
    std::fs::write(&victim, "mine\n").unwrap();
    let links =
        format!("for n in 0 1 2 3 4 5; do ln -sfn {victim} /tmp/.cwd-$n; ln -sfn {victim} /tmp/cwd-$n; done");
    assert_eq!(code(&place.run(&links, vec![]).await.1), 0);
    let real = Request { sandbox: Sandbox::Without, ..request("cd /; echo $#", vec![]) };
    let task = place.shell.start(real).await.unwrap();
    let outcome = task.ended().await;
    assert_eq!((code(&outcome), task.shown(100).text.trim()), (0, "0"));
    assert_eq!(place.read("victim.txt").as_deref(), Some("mine\n"));
}

#[tokio::test]
async fn a_command_without_a_shell_is_refused_in_words() {
    let place = place(Best::ALL);
    let hidden = Request { text: "true".into(), ..request("true", vec![]) };
    let task = place.shell.start(hidden).await.unwrap();
    assert_eq!(code(task.ended().await.as_ref()), 0);
    let broken = Place::with(&[], |base| ShellSettings { program: "/nonexistent".into(), ..settings(base) });
    let refused = broken.shell.start(request("true", vec![])).await.unwrap_err().to_string();
    assert!(refused.contains("No such file"), "{refused}");
}

#[tokio::test]
async fn without_the_sandbox_it_is_the_real_folder() {
    let place = place(Best::ALL);
    let real = Request { sandbox: Sandbox::Without, ..request("echo real >made.txt; pwd", vec![]) };
    let task = place.shell.start(real).await.unwrap();
    let outcome = task.ended().await;
    assert_eq!(code(&outcome), 0);
    assert_eq!(place.read("made.txt").as_deref(), Some("real\n"));
    assert_eq!(task.shown(100).text.trim(), place.root.as_str());
}
