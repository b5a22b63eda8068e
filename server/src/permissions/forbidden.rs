//! The files that rules keep from being read, as they lie on disk now.

use ignore::WalkBuilder;

use super::behavior::Behavior;
use super::matching::{Family, Subject};
use super::other_names::{OBJECTS, all_names};
use super::policy::{Policy, SettledRule};
use crate::documents::AbsPath;

/// Files and folders that one search looks at.
const MOST_LOOKED_AT: usize = 50_000;
/// Files that are kept from one command.
const MOST_HIDDEN: usize = 500;

/// What was found below a folder.
pub(super) struct Search<'r> {
    /// Each with the rule that is about it.
    pub(super) found: Vec<(AbsPath, &'r SettledRule)>,
    /// Everything was looked at, or enough was found.
    pub(super) is_whole: bool,
}

/// Files of the workspace that a rule forbids to read, or that are secrets of the user's home by another name, for the walls
/// around a command; not all of them in a workspace of very many files.
pub fn forbidden_files(policy: &Policy) -> Vec<AbsPath> {
    let denials: Vec<&SettledRule> = policy
        .rules
        .iter()
        .filter(|settled| settled.behavior == Behavior::Deny && limits_reading(settled))
        .collect();
    let mut found: Vec<AbsPath> = Vec::new();
    if !denials.is_empty() {
        let below = policy.workspace.roots.iter().flat_map(|root| search(root, &denials, MOST_HIDDEN).found);
        found.extend(below.map(|(path, _)| path));
    }
    let names = all_names(policy, &found);
    found.extend(names);
    found.sort();
    found.dedup();
    found.truncate(MOST_HIDDEN);
    found
}

pub(super) fn limits_reading(settled: &SettledRule) -> bool {
    settled.behavior != Behavior::Allow
        && matches!(&settled.subject, Subject::Files { family: Family::Reading, .. })
}

/// Files below `folder` that one of `limits` is about, `enough` at most. Links are not followed.
pub(super) fn search<'r>(folder: &AbsPath, limits: &[&'r SettledRule], enough: usize) -> Search<'r> {
    let mut search = Search { found: Vec::new(), is_whole: true };
    let real = folder.followed().unwrap_or_else(|| folder.clone());
    let walk = WalkBuilder::new(real.as_path())
        .standard_filters(false)
        .follow_links(false)
        .filter_entry(|entry| !entry.path().ends_with(OBJECTS))
        .build();
    for (number, entry) in walk.filter_map(Result::ok).enumerate() {
        if search.found.len() >= enough {
            return search;
        }
        if number >= MOST_LOOKED_AT {
            search.is_whole = false;
            return search;
        }
        let below = entry.path().strip_prefix(real.as_path()).ok().and_then(|below| below.to_str());
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let Some(below) = below.filter(|below| !below.is_empty() && !is_folder) else { continue };
        let is_link = entry.file_type().is_some_and(|kind| kind.is_symlink());
        let path = folder.join(below);
        let names =
            [Some(path.clone()), (real != *folder).then(|| real.join(below)), real_of(&path, is_link)];
        let is_about = |settled: &&&SettledRule| match &settled.subject {
            Subject::Files { spec, .. } => names.iter().flatten().any(|name| spec.covers_file(name)),
            Subject::Tool(_) | Subject::Command(_) | Subject::Domain { .. } | Subject::Parameter { .. } => {
                false
            }
        };
        if let Some(rule) = limits.iter().find(is_about) {
            search.found.push((path, *rule));
        }
    }
    search
}

/// Where a link leads.
fn real_of(path: &AbsPath, is_link: bool) -> Option<AbsPath> {
    if is_link { path.followed() } else { None }
}
