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
        let is_the_folder_s = matches!(file, SettingsFile::Local | SettingsFile::Project);
        let trust = self.trust();
        if is_the_folder_s && self.leads_astray(&target, &trust) {
            return Err(failed(format!("the folder has a link to {target} in its place")));
        }
        let text = match std::fs::read_to_string(target.as_path()) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(error.to_string())),
        };
        let written: Vec<String> = rules.iter().map(ToString::to_string).collect();
        let text = save::with_rules(&text, behavior.list(), &written).map_err(failed)?;
        // Whether it is trusted was asked before there is more that could need it.
        replace(&target, &text).map_err(|error| failed(error.to_string()))?;
        if is_the_folder_s && behavior == Behavior::Allow {
            self.count_on(rules, trust)?;
        }
        *self.lock() = None;
        Ok(())
    }

    /// Whether a rule that is meant for the folder would count elsewhere: in the user's own settings, or wherever whoever made
    /// a folder that nobody trusts wants it.
    fn leads_astray(&self, target: &AbsPath, trust: &Trust) -> bool {
        let own = self.places.home.as_ref().and_then(|home| home.join(PROJECT_FILE).followed());
        let is_within =
            |root: &AbsPath| root.followed().is_some_and(|root| target.as_path().starts_with(root.as_path()));
        own.as_ref() == Some(target)
            || (matches!(trust, Trust::None) && !self.places.root.as_ref().is_some_and(is_within))
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
