//! What commands run on here, and why on nothing better.

use camino::Utf8PathBuf;
use etcetera::BaseStrategy as _;

use super::Finding;
use crate::shell::{Best, Ground, TrialMode, WallKind, ground, own_program};

/// Tries it where sessions keep their files: what a file system lets be done depends on the place.
pub async fn look() -> Vec<Finding> {
    let state = etcetera::choose_base_strategy().ok();
    let state = state.map(|places| places.state_dir().unwrap_or_else(|| places.data_dir()).join("copydesk"));
    let made = state.filter(|state| std::fs::create_dir_all(state).is_ok());
    let folder = made.map_or_else(tempfile::tempdir, tempfile::tempdir_in).ok();
    let path = folder.as_ref().and_then(|folder| Utf8PathBuf::from_path_buf(folder.path().to_owned()).ok());
    match path {
        Some(path) => told(&ground(&own_program(), &path, &[], Best::ALL).await),
        None => vec![Finding::bad("commands can't run: no temporary folder can be made")],
    }
}

fn told(ground: &Ground) -> Vec<Finding> {
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
    let why = ground.why.iter().map(|why| Finding::note(format!("because: {why}")));
    [tree, walls].into_iter().chain(why).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(mode: TrialMode, walls: WallKind, why: Option<&str>, wanted: &[&str]) {
        let found = told(&Ground { mode, walls, why: why.map(str::to_owned) });
        assert_eq!(found.len(), wanted.len(), "{found:?}");
        for (finding, wanted) in found.iter().zip(wanted) {
            assert!(finding.text.contains(wanted), "{finding:?}");
        }
    }

    #[test]
    fn the_mode_is_told_with_its_reason() {
        check(TrialMode::Overlay, WallKind::Namespaces, None, &["(overlay)", "namespaces"]);
        check(
            TrialMode::Copy,
            WallKind::Rights,
            Some("no overlay"),
            &["(copy)", "Landlock alone", "no overlay"],
        );
    }
}
