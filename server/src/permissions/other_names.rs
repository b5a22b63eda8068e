//! Hard links: the other names of a file, under which it is still the file that a rule or protection is about.
//!
//! A file with one name costs a look at its number of names. Only for another one is the workspace gone through.

use std::collections::{HashMap, HashSet};
use std::fs::{self, Metadata};
use std::sync::OnceLock;

use ignore::WalkBuilder;

use super::behavior::Behavior;
use super::matching::Subject;
use super::policy::Policy;
use super::protected;
use crate::documents::AbsPath;
use crate::shell::secret_places;

/// What a repository keeps has names of its own there.
pub(super) const OBJECTS: &str = ".git/objects";

/// Files and folders of the workspace that are gone through.
const MOST_LOOKED_AT: usize = 200_000;
/// The same of the places in the user's home where secrets are, and how deep below them.
const MOST_SECRETS: usize = 2_000;
const DEEPEST_SECRET: usize = 3;

/// Which file it is, whatever it is called: the device and the number there.
type Identity = (u64, u64);

/// What has more than one name, of all that rules and protection are about: gone through once, the first time that it is
/// asked. A copy of it begins anew, since it may be for other rules.
#[derive(Debug, Default)]
pub struct OtherNames {
    limited: OnceLock<HashMap<Identity, Vec<AbsPath>>>,
}

impl Clone for OtherNames {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Policy {
    /// The other names of the file at `path`, links followed, that a rule or protection is about.
    pub(super) fn other_names(&self, path: &AbsPath) -> Vec<AbsPath> {
        self.other_names_of(path, fs::metadata(path.as_path()).ok().as_ref())
    }

    /// The same where it was looked at just now.
    pub(super) fn other_names_of(&self, path: &AbsPath, now: Option<&Metadata>) -> Vec<AbsPath> {
        let Some(identity) = now.and_then(identity) else { return Vec::new() };
        let limited = self.other_names.limited.get_or_init(|| limited(self));
        let names = limited.get(&identity).into_iter().flatten();
        names.filter(|name| *name != path).cloned().collect()
    }
}

/// All names in the workspace of what is secret in the user's home and of `files`, if one of those has more than one name.
pub(super) fn all_names(policy: &Policy, files: &[AbsPath]) -> Vec<AbsPath> {
    let wanted: HashSet<Identity> = secrets(policy).iter().chain(files).filter_map(of_many_names).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let numbers: HashSet<u64> = wanted.iter().map(|(_, number)| *number).collect();
    let mut names = Vec::new();
    go_through(policy, |path, number| {
        // What a listing says of the number costs nothing; only what may be meant is looked at.
        let may_be = number.is_none_or(|number| numbers.contains(&number));
        if may_be && of_many_names(path).is_some_and(|identity| wanted.contains(&identity)) {
            names.push(path.clone());
        }
    });
    names
}

fn of_many_names(path: &AbsPath) -> Option<Identity> {
    identity(&fs::metadata(path.as_path()).ok()?)
}

/// `None` for what is no file, or has one name only.
#[cfg(unix)]
fn identity(metadata: &Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.is_file() && metadata.nlink() > 1).then(|| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Option<Identity> {
    None
}

fn limited(policy: &Policy) -> HashMap<Identity, Vec<AbsPath>> {
    let limits = policy.rules.iter().filter(|settled| settled.behavior != Behavior::Allow);
    let specs: Vec<_> = limits
        .filter_map(|settled| match &settled.subject {
            Subject::Files { spec, .. } => Some(spec),
            Subject::Tool(_) | Subject::Command(_) | Subject::Domain { .. } | Subject::Parameter { .. } => {
                None
            }
        })
        .collect();
    let mut found: HashMap<Identity, Vec<AbsPath>> = HashMap::new();
    let mut take = |path: &AbsPath| {
        if let Some(identity) = of_many_names(path) {
            found.entry(identity).or_default().push(path.clone());
        }
    };
    go_through(policy, |path, _| {
        if protected::is_protected(path) || specs.iter().any(|spec| spec.covers_file(path)) {
            take(path);
        }
    });
    specs.iter().filter_map(|spec| spec.only_file()).for_each(|path| take(&path));
    secrets(policy).iter().for_each(&mut take);
    let of_home = policy.home.iter().flat_map(protected::in_folder);
    of_home.for_each(|path| take(&path));
    found
}

/// Every file below the roots, with its number where the listing tells it. Links are not followed.
fn go_through(policy: &Policy, mut each: impl FnMut(&AbsPath, Option<u64>)) {
    for root in &policy.workspace.roots {
        let real = root.followed().unwrap_or_else(|| root.clone());
        let walk = WalkBuilder::new(real.as_path())
            .standard_filters(false)
            .follow_links(false)
            .filter_entry(|entry| !entry.path().ends_with(OBJECTS))
            .build();
        for entry in walk.filter_map(Result::ok).take(MOST_LOOKED_AT) {
            if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                continue;
            }
            let below = entry.path().strip_prefix(real.as_path()).ok().and_then(|below| below.to_str());
            let Some(path) = below.map(|below| root.join(below)) else { continue };
            #[cfg(unix)]
            let number = entry.ino();
            #[cfg(not(unix))]
            let number = None;
            each(&path, number);
        }
    }
}

/// Files where secrets are kept in the user's home.
fn secrets(policy: &Policy) -> Vec<AbsPath> {
    let Some(home) = &policy.home else { return Vec::new() };
    let mut found = Vec::new();
    for place in secret_places(home.as_path()) {
        let Ok(metadata) = fs::symlink_metadata(&place) else { continue };
        if metadata.is_file() {
            found.extend(AbsPath::new(&place));
            continue;
        }
        let walk = WalkBuilder::new(&place)
            .standard_filters(false)
            .follow_links(false)
            .max_depth(Some(DEEPEST_SECRET))
            .build();
        for entry in walk.filter_map(Result::ok).take(MOST_SECRETS.saturating_sub(found.len())) {
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            let path = entry.path().to_str().filter(|_| is_file).and_then(AbsPath::new);
            found.extend(path);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::super::{
        Access, Call, ChangeVerdict, Rule, SettledRule, Source, Verdict, decide, decide_change,
        forbidden_files,
    };
    use super::*;
    use crate::documents::Place;
    use crate::documents::Workspace;

    /// A workspace and a home, with files of two names.
    struct Scene {
        _folder: tempfile::TempDir,
        root: AbsPath,
        home: AbsPath,
    }

    impl Scene {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let base = AbsPath::new(folder.path().canonicalize().unwrap().to_str().unwrap()).unwrap();
            let (root, home) = (base.join("w"), base.join("home"));
            for (name, text) in [
                ("w/.env", "KEY=x"),
                ("w/sub/.envrc", "e"),
                ("w/plain.txt", "p"),
                ("home/.ssh/id", "PRIVATE"),
            ] {
                let path = base.join(name);
                fs::create_dir_all(path.parent().unwrap().as_path()).unwrap();
                fs::write(path.as_path(), text).unwrap();
            }
            for (first, second) in [
                ("w/.env", "w/notes.txt"),
                ("w/sub/.envrc", "w/src.txt"),
                ("w/plain.txt", "w/copy.txt"),
                ("home/.ssh/id", "w/id.txt"),
            ] {
                fs::hard_link(base.join(first).as_path(), base.join(second).as_path()).unwrap();
            }
            Self { _folder: folder, root, home }
        }

        fn policy(&self, rules: &[&str]) -> Policy {
            let workspace = Arc::new(Workspace::new(vec![self.root.clone()], false));
            let mut policy = Policy { home: Some(self.home.clone()), ..Policy::of(workspace) };
            let starts = policy.starts();
            let settled = |rule: &&str| {
                let rule = Rule::parse(rule).unwrap();
                SettledRule::new(Behavior::Deny, rule, Source::User, "here", &starts).unwrap()
            };
            policy.rules = rules.iter().map(settled).collect();
            policy
        }

        #[track_caller]
        fn check(&self, rules: &[&str], tool: &str, what: &str, want: &str) {
            let path = self.root.join(what);
            let access = match tool {
                "Read" => Access::Read(vec![Place::of(path)]),
                "Edit" => Access::Edit(vec![Place::of(path)]),
                _ => Access::Command {
                    text: what.to_owned(),
                    cwd: self.root.clone(),
                    unsandboxed: false,
                    direct: false,
                },
            };
            let is_read_only = tool == "Read";
            let call = Call {
                tool: tool.into(),
                aliases: &[],
                title: what.into(),
                input: json!({}),
                access,
                is_read_only,
            };
            let got = match decide(&call, &self.policy(rules)) {
                Verdict::Allow => "allow".to_owned(),
                Verdict::Deny(_) => "deny".to_owned(),
                Verdict::Ask(question) => format!("ask: {}", question.explanation),
            };
            assert!(got.starts_with(want), "{rules:?} {tool} {what}: {got}");
        }
    }

    #[test]
    fn another_name_of_a_denied_file_is_that_file() {
        let scene = Scene::new();
        for rule in ["Read(.env)", "Read(./.env)", "Read(**/.env*)"] {
            for (tool, what) in [("Read", "notes.txt"), ("Edit", "notes.txt"), ("Bash", "cat notes.txt")] {
                scene.check(&[rule], tool, what, "deny");
                scene.check(&[], tool, what, "allow");
            }
            scene.check(&[rule], "Read", "copy.txt", "allow");
            scene.check(&[rule], "Bash", "cat copy.txt plain.txt", "allow");
            assert!(scene.policy(&[rule]).forbids_reading(&scene.root.join("notes.txt")), "{rule}");
        }
    }

    #[test]
    fn another_name_of_a_protected_file_is_asked_about() {
        let scene = Scene::new();
        scene.check(&[], "Edit", "src.txt", "ask: ");
        scene.check(&[], "Edit", "copy.txt", "allow");
        let verdict = decide_change(&scene.root.join("src.txt"), &scene.policy(&[]));
        let ChangeVerdict::Asked(why) = verdict else { panic!("{verdict:?}") };
        assert!(why.contains("src.txt is") && why.contains("sub/.envrc"), "{why}");
    }

    #[test]
    fn another_name_of_a_secret_in_the_home_is_outside_of_the_workspace() {
        let scene = Scene::new();
        scene.check(&[], "Read", "id.txt", "ask: ");
        scene.check(&[], "Edit", "id.txt", "ask: ");
        scene.check(&[], "Bash", "cat id.txt", "ask: ");
    }

    #[test]
    fn all_names_of_what_must_not_be_read_are_kept_from_a_command() {
        let scene = Scene::new();
        let hidden = |rules: &[&str]| {
            let mut names = forbidden_files(&scene.policy(rules));
            names.sort();
            names.dedup();
            names.iter().map(|name| name.file_name().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(hidden(&[]), ["id.txt"]);
        assert_eq!(hidden(&["Read(.env)"]), [".env", "id.txt", "notes.txt"]);
    }
}
