//! The trial trees of all roots of a workspace, of whatever kind they are here.

use std::fs;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};

use super::super::TrialMode;
use super::super::order::Tree;
use super::copy::CopyTree;
use super::overlay::OverlayTree;
use super::{FileView, Others, TextRule, TreeChange};

#[derive(Debug, Default)]
pub(in crate::shell) enum Trees {
    /// Commands run on the files themselves, or none has run yet.
    #[default]
    None,
    Overlay(Vec<OverlayTree>),
    Copy(Vec<CopyTree>),
}

impl Trees {
    /// Whether copies of all roots have at most so many bytes.
    pub(in crate::shell) fn fits_a_copy(roots: &[Utf8PathBuf], most: u64) -> bool {
        let left = outer(roots).try_fold(most, |left, root| left.checked_sub(CopyTree::size(root, left)?));
        left.is_some()
    }

    /// Makes the trees of the roots below `folder`, if they are not there yet.
    pub(in crate::shell) fn begin(
        &mut self,
        mode: TrialMode,
        roots: &[Utf8PathBuf],
        folder: &Utf8Path,
    ) -> io::Result<()> {
        if !matches!(self, Self::None) {
            return Ok(());
        }
        let numbered = outer(roots).enumerate().map(|(number, root)| (root, folder.join(number.to_string())));
        *self = match mode {
            TrialMode::Overlay => Self::Overlay(
                numbered.map(|(root, at)| OverlayTree::new(root, &at)).collect::<io::Result<_>>()?,
            ),
            TrialMode::Copy => {
                Self::Copy(numbered.map(|(root, at)| CopyTree::new(root, &at)).collect::<io::Result<_>>()?)
            }
            TrialMode::Direct | TrialMode::Real => Self::None,
        };
        Ok(())
    }

    /// `others`: commands that work on the trees meanwhile.
    pub(in crate::shell) fn put(&mut self, views: &[FileView], others: Others) -> io::Result<()> {
        match self {
            Self::None => Ok(()),
            Self::Overlay(trees) => trees.iter_mut().try_for_each(|tree| tree.put(views, others)),
            Self::Copy(trees) => trees.iter_mut().try_for_each(|tree| tree.put(views)),
        }
    }

    pub(in crate::shell) fn changes(&mut self, rule: TextRule) -> Vec<TreeChange> {
        match self {
            Self::None => Vec::new(),
            Self::Overlay(trees) => trees.iter_mut().flat_map(|tree| tree.changes(rule)).collect(),
            Self::Copy(trees) => trees.iter_mut().flat_map(|tree| tree.changes(rule)).collect(),
        }
    }

    /// As they are mounted for one command, which has the folder `work` to itself.
    pub(in crate::shell) fn mounts(&self, work: &Utf8Path) -> io::Result<Vec<Tree>> {
        match self {
            Self::None => Ok(Vec::new()),
            Self::Overlay(trees) => {
                let mount = |(number, tree): (usize, &OverlayTree)| {
                    let work = work.join(format!("work{number}"));
                    fs::create_dir_all(&work)?;
                    Ok(Tree::Overlay { at: tree.root().to_owned(), upper: tree.upper().to_owned(), work })
                };
                trees.iter().enumerate().map(mount).collect()
            }
            Self::Copy(trees) => {
                let mount =
                    |tree: &CopyTree| Tree::Copy { at: tree.root().to_owned(), copy: tree.copy().to_owned() };
                Ok(trees.iter().map(mount).collect())
            }
        }
    }

    /// The folders of the copies.
    pub(in crate::shell) fn copies(&self) -> Vec<Utf8PathBuf> {
        match self {
            Self::None | Self::Overlay(_) => Vec::new(),
            Self::Copy(trees) => trees.iter().map(|tree| tree.copy().to_owned()).collect(),
        }
    }

    /// Where a command begins that is to begin in the folder `wanted` of the workspace: there, or at its root if the trees
    /// do not have the folder. Copies that are not put in the place of the workspace have other names.
    pub(in crate::shell) fn begin_in(&self, wanted: Utf8PathBuf, is_seen_at_its_place: bool) -> Utf8PathBuf {
        let place = |root: &Utf8Path, layer: &Utf8Path, is_layer_enough: bool| {
            let inside = wanted.strip_prefix(root).ok()?;
            let is_there = layer.join(inside).is_dir() || (!is_layer_enough && wanted.is_dir());
            let inside = if is_there { inside } else { Utf8Path::new("") };
            // Joined with nothing, a path would end in a slash.
            let at = |base: &Utf8Path| {
                if inside.as_str().is_empty() { base.to_owned() } else { base.join(inside) }
            };
            Some(if is_layer_enough && !is_seen_at_its_place { at(layer) } else { at(root) })
        };
        let found = match self {
            Self::None => None,
            Self::Overlay(trees) => trees.iter().find_map(|tree| place(tree.root(), tree.upper(), false)),
            Self::Copy(trees) => trees.iter().find_map(|tree| place(tree.root(), tree.copy(), true)),
        };
        found.unwrap_or(wanted)
    }

    /// The name that `path` of a tree has in the workspace.
    pub(in crate::shell) fn real_path(&self, path: &Utf8Path) -> Utf8PathBuf {
        let of_copy = |tree: &CopyTree| Some(tree.root().join(path.strip_prefix(tree.copy()).ok()?));
        let real = match self {
            Self::None | Self::Overlay(_) => None,
            Self::Copy(trees) => trees.iter().find_map(of_copy),
        };
        real.unwrap_or_else(|| path.to_owned())
    }
}

/// Roots that do not lie in another one.
pub(in crate::shell) fn outer(roots: &[Utf8PathBuf]) -> impl Iterator<Item = &Utf8PathBuf> {
    roots.iter().filter(move |root| !roots.iter().any(|other| other != *root && root.starts_with(other)))
}
