//! The file or folder a call names.

use camino::Utf8Path;

use super::{ToolError, ToolUseContext};
use crate::documents::{AbsPath, Place, Workspace, names_in};

/// How many names a missing file's error offers.
const NAMES: usize = 5;

/// A path as a model may write it: neither empty nor holding a NUL.
pub(super) fn check_path(field: &str, path: &str) -> Result<(), ToolError> {
    if path.trim().is_empty() {
        return Err(ToolError(format!("`{field}` is empty: name a file or folder.")));
    }
    if path.contains('\0') {
        return Err(ToolError(format!("`{field}` holds a NUL character, which no path can.")));
    }
    Ok(())
}

/// The path a model means by `path`.
pub(super) fn resolve(workspace: &Workspace, path: &str) -> Result<AbsPath, ToolError> {
    workspace
        .resolve(path)
        .ok_or_else(|| ToolError(format!("No folder is open, so `{path}` must be an absolute path.")))
}

/// The place that a call means by `path`, followed once for the whole of it.
pub(super) fn place(context: &ToolUseContext, path: &str) -> Result<Place, ToolError> {
    Ok(context.places.of(&resolve(&context.workspace, path)?, &context.documents))
}

/// The file that a call means by `path`, by its real path: behind all links, also those that commands have made, which the
/// workspace does not have.
///
/// What leads out of the workspace that way is refused: a command can't be given a file outside by it, so nobody should be.
pub(super) fn file(context: &ToolUseContext, path: &str) -> Result<AbsPath, ToolError> {
    let place = place(context, path)?;
    let target = led(context, &place)?;
    Ok(target.unwrap_or(place).opened().clone())
}

/// The file as the call names it, and where links that commands have made lead. One that leads out is refused by [`file`],
/// whatever the rules say.
pub(super) fn places(context: &ToolUseContext, path: &str) -> Vec<Place> {
    let Ok(place) = place(context, path) else { return Vec::new() };
    let target = led(context, &place).ok().flatten();
    std::iter::once(place).chain(target).collect()
}

/// The same, as they are spelled.
pub(super) fn names(context: &ToolUseContext, path: &str) -> Vec<AbsPath> {
    places(context, path).into_iter().map(|place| place.spelled).collect()
}

/// Where links that commands have made lead; `None`: there are none on the way.
fn led(context: &ToolUseContext, place: &Place) -> Result<Option<Place>, ToolError> {
    let Some(led) = context.shell.led_by_links(place.opened().as_path()) else { return Ok(None) };
    let target = AbsPath::new(&led).map(|target| context.places.of(&target, &context.documents));
    let is_inside = |target: &Place| {
        target.spelled != *place.opened()
            && target.real.as_ref().is_some_and(|real| context.workspace.holds(real))
    };
    match target.filter(is_inside) {
        Some(target) => Ok(Some(target)),
        None => Err(ToolError(format!(
            "{} is a symbolic link that a command made, and leads to {led}, which is not in the workspace, so nothing was \
             done. Name a file of the workspace, or remove the link.",
            context.workspace.display(&place.spelled)
        ))),
    }
}

/// The error for a file that is not there, with names like it in the same folder.
pub(super) fn missing(workspace: &Workspace, path: &AbsPath) -> ToolError {
    let names = similar_names(path);
    let name = workspace.display(path);
    ToolError(if names.is_empty() {
        format!("{name} does not exist.")
    } else {
        format!("{name} does not exist. In the same folder there is: {}.", names.join(", "))
    })
}

/// Files of the same folder whose names differ little: in case, in the extension, or by a few letters.
fn similar_names(path: &AbsPath) -> Vec<String> {
    let wanted = path.file_name().to_lowercase();
    let folder = path.parent().map(|folder| names_in(&folder)).unwrap_or_default();
    let mut names: Vec<(usize, String)> = folder
        .into_iter()
        .filter_map(|name| Some((distance(&wanted, &name.to_lowercase())?, name)))
        .collect();
    names.sort();
    names.into_iter().take(NAMES).map(|(_, name)| name).collect()
}

/// `None`: too far apart to be worth a word.
fn distance(wanted: &str, name: &str) -> Option<usize> {
    let stem = |name: &str| Utf8Path::new(name).file_stem().unwrap_or_default().to_owned();
    let shared = wanted.chars().zip(name.chars()).take_while(|(a, b)| a == b).count();
    let longest = wanted.chars().count().max(name.chars().count());
    if stem(wanted) == stem(name) || name.contains(wanted) {
        Some(0)
    } else {
        (shared * 2 > longest).then_some(longest - shared)
    }
}

#[cfg(test)]
mod tests;
