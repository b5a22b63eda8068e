//! The sample project of `copydesk try`: a few small files of real code, and a task for them.

use anyhow::{Context, Result};

use crate::documents::AbsPath;

/// The file that is open while the task runs.
pub(super) const OPEN_FILE: &str = "src/shelf.rs";

/// What the marker comment in it asks for.
pub(super) const TASK: &str = "rename load to open";

/// Where the word that the task renames is an ordinary word: a change that a reader would reject.
pub(super) const UNWANTED: &str = "Mind the load";

/// Each file's path and text.
const FILES: [(&str, &str); 6] = [
    ("Cargo.toml", include_str!("sample/Cargo.toml.txt")),
    ("README.md", include_str!("sample/README.md")),
    ("books.txt", include_str!("sample/books.txt")),
    ("src/book.rs", include_str!("sample/src/book.rs")),
    ("src/main.rs", include_str!("sample/src/main.rs")),
    (OPEN_FILE, include_str!("sample/src/shelf.rs")),
];

/// Writes the project into `folder`.
pub(super) fn write(folder: &AbsPath) -> Result<()> {
    for (name, text) in FILES {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent.as_path()).with_context(|| format!("{parent} can't be made"))?;
        }
        std::fs::write(path.as_path(), text).with_context(|| format!("{path} can't be written"))?;
    }
    Ok(())
}

/// The open file as it stands in the editor, unsaved: with the marker comment, and a function that is not on disk. And the
/// comment's line.
pub(super) fn unsaved() -> (String, u32) {
    const BEFORE: &str = "    pub fn load(";
    const AFTER: &str = "    pub fn books(&self)";
    let disk = include_str!("sample/src/shelf.rs");
    let text = disk.replacen(BEFORE, &format!("    // copydesk: {TASK}\n{BEFORE}"), 1).replacen(
        AFTER,
        &format!("    pub fn is_empty(&self) -> bool {{\n        self.books.is_empty()\n    }}\n\n{AFTER}"),
        1,
    );
    let line = text.lines().position(|line| line.contains("// copydesk:")).unwrap_or_default();
    (text, u32::try_from(line).unwrap_or_default())
}

/// The files that the task is about, in the order they are shown at the end.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FILES.into_iter().map(|(name, _)| name)
}

/// What `name` said at the beginning.
pub(super) fn original(name: &str) -> &'static str {
    FILES.into_iter().find(|(file, _)| *file == name).map_or("", |(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_place_has_the_word_in_another_sense() {
        assert!(FILES.iter().any(|(_, text)| text.contains(UNWANTED)));
    }

    #[test]
    fn the_unsaved_text_has_the_task_above_the_function() {
        let (text, line) = unsaved();
        let lines: Vec<_> = text.lines().skip(line as usize).take(2).collect();
        assert_eq!(lines[0].trim(), "// copydesk: rename load to open");
        assert!(lines[1].contains("pub fn load("));
        assert!(text.contains("is_empty") && !original(OPEN_FILE).contains("is_empty"));
    }
}
