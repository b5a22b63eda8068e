//! Deleting and renaming a closed file: the entry in its folder, whatever it says.

use super::spot::Spot;
use super::write::{failed, found};
use super::{AbsPath, WriteError, hash_while_copying, io_error};

/// Deletes the file at `path` if its bytes still have `hash`.
pub(in crate::documents) fn delete(path: &AbsPath, hash: u64) -> Result<(), WriteError> {
    unchanged(path, hash)?.delete().map_err(|error| failed(path, &error))
}

/// Renames the file at `from` if its bytes still have `hash`. Folders on the way are made; an existing file at `to` is never
/// replaced.
pub(in crate::documents) fn rename(from: &AbsPath, to: &AbsPath, hash: u64) -> Result<(), WriteError> {
    let here = unchanged(from, hash)?;
    let there = Spot::make(to).map_err(|error| failed(to, &error))?;
    here.move_to(&there).map_err(|error| failed(to, &error))
}

fn unchanged(path: &AbsPath, hash: u64) -> Result<Spot, WriteError> {
    let (mut file, _, spot) = found(path)?;
    let read = hash_while_copying(&mut file, &mut std::io::sink());
    let (now, _) = read.map_err(|error| io_error(path, &error))?;
    if now == hash { Ok(spot) } else { Err(WriteError::Changed { path: path.clone() }) }
}
