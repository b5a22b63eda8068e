//! How a command is to be run: on which files, with which words and variables, and within which walls.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use super::super::ground::{Ground, WallKind};
use super::super::order::{Namespaces, Order, Rights, Walls};
use super::super::trial_tree::{FileView, is_ignored};
use super::super::{Refusal, TrialMode, sandbox};
use super::places::Places;
use super::{Request, Shell, TREE, failed};

const SHELL: &str = "bash";
/// Longer ones go into a file: a system takes no argument of more than 128 KiB.
const LONGEST_ARGUMENT: usize = 100_000;
/// Tells at the end where it is, and runs what `CLAUDE_ENV_FILE` names before.
const BEFORE: &str = r#"__cwd=$1; trap 'pwd -P >"$__cwd"' EXIT
if [ -n "${CLAUDE_ENV_FILE-}" ] && [ -r "$CLAUDE_ENV_FILE" ]; then . "$CLAUDE_ENV_FILE"; fi
"#;
const RUN_ARGUMENT: &str = r#"eval "$2""#;
const RUN_FILE: &str = r#". "$2""#;
/// Where the temporary folder is for a command in namespaces.
const TEMPORARY: &str = "/tmp";

impl Shell {
    /// Puts what is pending into the trees, and says how the command is to be run on them.
    pub(super) async fn order(
        &self,
        request: &Request,
        ground: &Ground,
        places: &Places,
    ) -> Result<Order, Refusal> {
        let (mode, roots) = (ground.mode, self.roots.clone());
        let views = match ground.walls {
            // A right on a folder is one on all that is in it: what must not be read there is not there.
            WallKind::Rights => without(&request.views, &request.hidden),
            WallKind::Namespaces | WallKind::Open => request.views.clone(),
        };
        let (folder, work, begin) = (self.folder.join(TREE), places.folder.clone(), self.cwd());
        let is_seen_at_its_place = ground.walls == WallKind::Namespaces;
        let put = self.with_trees(move |trees| {
            if mode == TrialMode::Real {
                return Ok((Vec::new(), Vec::new(), begin));
            }
            trees.begin(mode, &roots, &folder)?;
            trees.put(&views)?;
            let cwd = trees.begin_in(begin, is_seen_at_its_place);
            Ok((trees.mounts(&work)?, trees.copies(), cwd))
        });
        let (trees, copies, cwd) = put.await.map_err(|error| failed("trial tree", &error))?;
        let is_walled = ground.walls != WallKind::Open;
        let seen = if is_seen_at_its_place { Utf8Path::new(TEMPORARY) } else { &places.temporary };
        let mut environment = sandbox::environment(variables(), request.sandbox, &self.settings.passed);
        if is_walled {
            environment.retain(|(name, _)| name != "TMPDIR");
            environment.push(("TMPDIR".to_owned(), seen.to_string()));
        }
        let (run, argument) = if request.text.len() > LONGEST_ARGUMENT {
            let written = places.write_command(&request.text);
            let name = written.map_err(|error| failed("folder of the command", &error))?;
            (RUN_FILE, seen.join(name).into_string())
        } else {
            (RUN_ARGUMENT, request.text.clone())
        };
        let told = seen.join(&places.cwd);
        let script = format!("{BEFORE}{run}");
        let words = [SHELL, "-c", &script, SHELL, told.as_str(), &argument];
        let mut hidden = sandbox::hidden(self.settings.home.as_deref(), &self.settings.own);
        hidden.extend(request.hidden.iter().cloned());
        // Without a trial tree the files themselves are what a command works on.
        let real = if ground.mode == TrialMode::Direct { self.roots.clone() } else { Vec::new() };
        let passed = pass_through(&self.roots, &self.settings.pass_through);
        let writable = [self.settings.writable.clone(), passed, real].concat();
        let network = self.settings.network;
        let walls = match ground.walls {
            WallKind::Namespaces => Walls::Namespaces(Namespaces {
                trees,
                temporary: places.temporary.clone(),
                scratch: places.scratch(),
                hidden,
                writable,
                network,
            }),
            WallKind::Rights => {
                let writable = [writable, copies, vec![places.temporary.clone()]].concat();
                Walls::Rights(Rights { writable, hidden, network })
            }
            WallKind::Open => Walls::Open,
        };
        let argv = words.map(str::to_owned).to_vec();
        Ok(Order { argv, cwd, environment, walls, filter: ground.filter, limits: self.settings.limits })
    }
}

/// The real folders that commands are to have. A link could lead anywhere, and what git does not ignore is reviewed.
fn pass_through(roots: &[Utf8PathBuf], names: &[Utf8PathBuf]) -> Vec<Utf8PathBuf> {
    let of_root = |root: &Utf8PathBuf| {
        let passes = |name: &&Utf8PathBuf| {
            let is_plain = name.components().all(|part| matches!(part, Utf8Component::Normal(_)));
            let at = root.join(name);
            is_plain
                && at.canonicalize_utf8().is_ok_and(|real| real == at && real.is_dir())
                && is_ignored(root, name)
        };
        names.iter().filter(passes).map(|name| root.join(name)).collect::<Vec<_>>()
    };
    roots.iter().flat_map(of_root).collect()
}

/// `views`, and that there are none of the files `hidden`.
fn without(views: &[FileView], hidden: &[Utf8PathBuf]) -> Vec<FileView> {
    let real = |path: &Utf8PathBuf| path.canonicalize_utf8().unwrap_or_else(|_| path.clone());
    let hidden: Vec<Utf8PathBuf> = hidden.iter().map(real).collect();
    let others = views.iter().filter(|view| !hidden.contains(&view.path)).cloned();
    others.chain(hidden.iter().map(|path| FileView { path: path.clone(), bytes: None })).collect()
}

fn variables() -> impl Iterator<Item = (String, String)> {
    // What is no UTF-8 is nothing that a command needs.
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
}
