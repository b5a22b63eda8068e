//! Files and folders for a while, and what to do where none can be made.

use anyhow::{Context, Result};
use tempfile::{NamedTempFile, TempDir};

/// A new folder whose name begins with `prefix`.
pub(super) fn folder(prefix: &str) -> Result<TempDir> {
    tempfile::Builder::new().prefix(prefix).tempdir().with_context(unusable)
}

/// A new file with an extension that an editor knows it by.
pub(super) fn file(prefix: &str, suffix: &str) -> Result<NamedTempFile> {
    tempfile::Builder::new().prefix(prefix).suffix(suffix).tempfile().with_context(unusable)
}

fn unusable() -> String {
    format!(
        "nothing can be made in the temporary folder {}: make it, or set TMPDIR to a folder that you can write to",
        std::env::temp_dir().display()
    )
}
