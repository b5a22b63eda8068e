//! What a rule for files is about: a pattern as in `.gitignore`, and the folder it starts at.

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::Behavior;
use crate::documents::{AbsPath, PathCase};

/// The folders that patterns start at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Starts {
    /// For `/src`: the folder that the settings belong to.
    pub settings: AbsPath,
    /// For `src` and `./src`.
    pub cwd: AbsPath,
    /// For `~/src`.
    pub home: Option<AbsPath>,
    pub case: PathCase,
}

/// The files that one rule is about.
#[derive(Clone, Debug)]
pub(super) struct PathSpec {
    /// As it is spelled, and with its links followed.
    bases: Vec<AbsPath>,
    /// With a slash before it if it begins at a base.
    written: String,
    pattern: Gitignore,
    case: PathCase,
}

impl PathSpec {
    /// Reads `//from/the/root`, `~/from/home`, `/from/the/settings` and `from/here`. A name without a slash forbids at any
    /// depth, and allows only here.
    pub(super) fn new(written: &str, behavior: Behavior, starts: &Starts) -> Result<Self, String> {
        let (base, pattern) = if let Some(rest) = written.strip_prefix("//") {
            (AbsPath::root(), format!("/{rest}"))
        } else if let Some(rest) = written.strip_prefix("~/") {
            let home = starts.home.clone().ok_or_else(|| "the home folder is not known".to_owned())?;
            (home, format!("/{rest}"))
        } else if written.starts_with('/') {
            (starts.settings.clone(), written.to_owned())
        } else if let Some(rest) = written.strip_prefix("./") {
            (starts.cwd.clone(), format!("/{rest}"))
        } else if written.trim_end_matches('/').contains('/') || behavior == Behavior::Allow {
            (starts.cwd.clone(), format!("/{written}"))
        } else {
            (AbsPath::root(), written.to_owned())
        };
        let mut builder = GitignoreBuilder::new(base.as_path());
        let built = builder
            .case_insensitive(starts.case == PathCase::Insensitive)
            .and_then(|builder| builder.add_line(None, &pattern))
            .and_then(|builder| builder.build());
        match built {
            Ok(built) if built.num_ignores() == 1 => {
                let real = base.followed().filter(|real| *real != base);
                let bases = std::iter::once(base).chain(real).collect();
                Ok(Self { bases, written: pattern, pattern: built, case: starts.case })
            }
            Ok(_) => Err(format!("`{written}` is no pattern for files")),
            Err(error) => Err(format!("`{written}` is no pattern for files: {error}")),
        }
    }

    /// Whether it is about `path`, or a folder that `path` lies in. Links are not followed.
    pub(super) fn covers(&self, path: &AbsPath) -> bool {
        self.covers_file(path) || (path.as_path().is_dir() && self.covers_folder(path))
    }

    /// The same of what is known to be no folder, without a look at the disk.
    pub(super) fn covers_file(&self, path: &AbsPath) -> bool {
        self.covers_as(path, false)
    }

    /// The same of what is known to be a folder.
    pub(super) fn covers_folder(&self, path: &AbsPath) -> bool {
        self.covers_as(path, true)
    }

    /// The one file that it is about, if it spells one rather than taking it in with others.
    pub(super) fn only_file(&self) -> Option<AbsPath> {
        let below = self.written.strip_prefix('/')?;
        let is_plain = !below.contains(['*', '?', '[', '\\', '!']) && !below.ends_with('/');
        is_plain.then(|| self.bases.first().map(|base| base.join(below))).flatten()
    }

    fn covers_as(&self, path: &AbsPath, is_dir: bool) -> bool {
        let below = self.case.key(path);
        self.bases.iter().any(|base| {
            let base = self.case.key(base);
            let Ok(relative) = below.as_path().strip_prefix(base.as_path()) else { return false };
            !relative.as_str().is_empty()
                && self.pattern.matched_path_or_any_parents(relative, is_dir).is_ignore()
        })
    }
}
