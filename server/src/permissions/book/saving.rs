//! Rules that are kept for good: a file of settings with one more.

use super::{LOCAL_FILE, PROJECT_FILE, RuleBook};
use crate::documents::AbsPath;
use crate::permissions::{Behavior, Rule, SettingsFile, save};

impl RuleBook {
    /// Keeps rules in a file of settings. An error is for the person: nothing was written.
    pub fn save(&self, file: SettingsFile, behavior: Behavior, rules: &[Rule]) -> Result<(), String> {
        let (folder, name) = match file {
            SettingsFile::Local => (&self.places.root, LOCAL_FILE),
            SettingsFile::Project => (&self.places.root, PROJECT_FILE),
            SettingsFile::User => (&self.places.home, PROJECT_FILE),
        };
        let Some(folder) = folder else {
            return Err("There is no folder to save the rule in.".to_owned());
        };
        let path = folder.join(name);
        let failed =
            |why: String| format!("The rule can't be saved in {path}: {why}. It holds for this session.");
        let target = path.followed().ok_or_else(|| failed("the link leads nowhere".to_owned()))?;
        let text = match std::fs::read_to_string(target.as_path()) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(error.to_string())),
        };
        let rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
        let text = save::with_rules(&text, behavior.list(), &rules).map_err(failed)?;
        replace(&target, &text).map_err(|error| failed(error.to_string()))?;
        *self.lock() = None;
        Ok(())
    }
}

/// Whole or not at all, with the mode that the file has.
pub(super) fn replace(path: &AbsPath, text: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    let folder = path.parent().unwrap_or_else(AbsPath::root);
    std::fs::create_dir_all(folder.as_path())?;
    let mut new = tempfile::NamedTempFile::new_in(folder.as_path())?;
    new.write_all(text.as_bytes())?;
    if let Ok(metadata) = std::fs::metadata(path.as_path()) {
        new.as_file().set_permissions(metadata.permissions())?;
    }
    new.as_file().sync_all()?;
    new.persist(path.as_path())?;
    Ok(())
}
