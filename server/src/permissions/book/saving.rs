//! Rules that are kept for good: a file of settings with one more.

use super::trust::{self, on_one_line};
use super::{LOCAL_FILE, PROJECT_FILE, RuleBook, Trust, allowing};
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
        let written: Vec<String> = rules.iter().map(ToString::to_string).collect();
        let text = save::with_rules(&text, behavior.list(), &written).map_err(failed)?;
        // Whether it is trusted is asked before there is more that could need it.
        let trust = self.trust();
        replace(&target, &text).map_err(|error| failed(error.to_string()))?;
        if matches!(file, SettingsFile::Local | SettingsFile::Project) && behavior == Behavior::Allow {
            self.count_on(rules, trust)?;
        }
        *self.lock() = None;
        Ok(())
    }

    /// What the person themselves has put into the settings of a folder that they trust counts.
    fn count_on(&self, rules: &[Rule], trust: Trust) -> Result<(), String> {
        let demands = rules.iter().map(allowing);
        match trust {
            Trust::None => {}
            Trust::Given(mut given) => {
                given.extend(demands.map(|demand| on_one_line(&demand)));
                if let (Some(file), Some(root)) = (&self.places.trusted, &self.places.root) {
                    trust::set(file, root, Some(given))?;
                }
            }
            Trust::AsItBegan(_) => self.known().begun_with.get_or_insert_default().extend(demands),
        }
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
