//! What commands run on here, and why on nothing better.

use camino::Utf8PathBuf;
use etcetera::BaseStrategy as _;

use super::Finding;
use crate::config::TrialTreeChoice;
use crate::shell::{Best, CallFilter, Ground, TrialMode, WallKind, ground, not_as_wanted, own_program};

/// Tries it where sessions keep their files: what a file system lets be done depends on the place. `choice` is the setting
/// `shell.trial_tree`.
pub async fn look(choice: TrialTreeChoice) -> Vec<Finding> {
    let state = etcetera::choose_base_strategy().ok();
    let state = state.map(|places| places.state_dir().unwrap_or_else(|| places.data_dir()).join("copydesk"));
    let made = state.filter(|state| std::fs::create_dir_all(state).is_ok());
    let folder = made.map_or_else(tempfile::tempdir, tempfile::tempdir_in).ok();
    let path = folder.as_ref().and_then(|folder| Utf8PathBuf::from_path_buf(folder.path().to_owned()).ok());
    match path {
        Some(path) => told(choice, &ground(&own_program(), &path, &[], Best::of(choice)).await),
        None => vec![Finding::bad("commands can't run: no temporary folder can be made")],
    }
}

fn told(choice: TrialTreeChoice, ground: &Ground) -> Vec<Finding> {
    if let Some(why) = not_as_wanted(choice, ground) {
        return vec![Finding::bad(format!("commands don't run: {why}"))];
    }
    let tree = match ground.mode {
        TrialMode::Overlay => Finding::good("commands run on a layer over the workspace (overlay)"),
        TrialMode::Copy => Finding::good("commands run on a copy of the workspace (copy)"),
        TrialMode::Direct | TrialMode::Real => Finding::bad("commands run on your files themselves (direct)"),
    };
    let walls = match ground.walls {
        WallKind::Namespaces => Finding::good("in a sandbox of namespaces and Landlock"),
        WallKind::Rights => Finding::good("in a sandbox of Landlock alone: they can see other processes"),
        WallKind::Open => Finding::bad("without a sandbox: this system has neither namespaces nor Landlock"),
    };
    let calls = match (ground.walls, ground.filter) {
        (WallKind::Open, _) => None,
        (_, CallFilter::On) => Some(Finding::good("what they may ask of the kernel is filtered (seccomp)")),
        (_, CallFilter::Off) => {
            Some(Finding::bad("what they ask of the kernel is not filtered (no seccomp)"))
        }
    };
    let set = match choice {
        TrialTreeChoice::Auto => None,
        TrialTreeChoice::Overlay | TrialTreeChoice::Copy | TrialTreeChoice::Direct => {
            Some(Finding::note(format!("as `shell.trial_tree` = \"{}\" says", choice.name())))
        }
    };
    let why = ground.why.iter().map(|why| Finding::note(format!("because: {why}")));
    [tree, walls].into_iter().chain(calls).chain(set).chain(why).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(mode: TrialMode, walls: WallKind, filter: CallFilter, why: Option<&str>, wanted: &[&str]) {
        let found = told(TrialTreeChoice::Auto, &Ground { mode, walls, filter, why: why.map(str::to_owned) });
        assert_eq!(found.len(), wanted.len(), "{found:?}");
        for (finding, wanted) in found.iter().zip(wanted) {
            assert!(finding.text.contains(wanted), "{finding:?}");
        }
    }

    #[test]
    fn the_mode_is_told_with_its_reason() {
        check(
            TrialMode::Overlay,
            WallKind::Namespaces,
            CallFilter::On,
            None,
            &["(overlay)", "namespaces", "is filtered"],
        );
        check(
            TrialMode::Copy,
            WallKind::Rights,
            CallFilter::Off,
            Some("no overlay"),
            &["(copy)", "Landlock alone", "is not filtered", "no overlay"],
        );
        check(
            TrialMode::Direct,
            WallKind::Open,
            CallFilter::Off,
            Some("no Landlock"),
            &["(direct)", "without a sandbox", "no Landlock"],
        );
    }

    #[test]
    fn the_setting_is_told_and_what_it_rules_out() {
        let ground = |mode| Ground {
            mode,
            walls: WallKind::Namespaces,
            filter: CallFilter::On,
            why: (mode != TrialMode::Overlay).then(|| "no overlay (refused)".to_owned()),
        };
        let texts = |choice, mode| {
            told(choice, &ground(mode)).into_iter().map(|finding| finding.text).collect::<Vec<_>>()
        };
        let copy = texts(TrialTreeChoice::Copy, TrialMode::Copy);
        assert!(copy.iter().any(|text| text == "as `shell.trial_tree` = \"copy\" says"), "{copy:?}");
        let refused = texts(TrialTreeChoice::Overlay, TrialMode::Copy);
        assert_eq!(
            refused,
            [
                "commands don't run: `shell.trial_tree` is \"overlay\", which can't be had here: no overlay (refused). \
              With \"auto\" commands run on the next best, which is \"copy\""
            ]
        );
        assert!(texts(TrialTreeChoice::Overlay, TrialMode::Overlay)[0].contains("(overlay)"));
    }
}
