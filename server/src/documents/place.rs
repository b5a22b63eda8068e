//! Where a path led when its links were followed: that is judged, and that is opened.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::{AbsPath, FileStateCache, links};

/// A path as somebody spells it, and the real path behind its links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub spelled: AbsPath,
    /// `None`: it leads nowhere.
    pub real: Option<AbsPath>,
}

impl Place {
    /// Follows the links as they are now. What is not there yet is where its folder says.
    pub fn of(spelled: AbsPath) -> Self {
        let real = links::follow(&spelled).ok();
        Self { spelled, real }
    }

    /// `path`: a real one, which is opened as it stands.
    pub fn judged(path: AbsPath) -> Self {
        Self { real: Some(path.clone()), spelled: path }
    }

    /// Whether a link is on the way.
    pub fn is_led(&self) -> bool {
        self.real.as_ref() != Some(&self.spelled)
    }

    /// What is opened: through no link, so a path that leads nowhere is opened nowhere else.
    pub fn opened(&self) -> &AbsPath {
        self.real.as_ref().unwrap_or(&self.spelled)
    }
}

/// The places that one call is about. Each path is followed once, so that the call opens what was judged.
#[derive(Debug, Default)]
pub struct Places {
    followed: Mutex<HashMap<AbsPath, Place>>,
}

impl Places {
    /// `path`: a real one, which was judged before.
    pub fn judged(path: &AbsPath) -> Self {
        let place = Place::judged(path.clone());
        Self { followed: Mutex::new(HashMap::from([(path.clone(), place)])) }
    }

    /// The place of `spelled`, followed at the first time that it is asked for.
    pub fn of(&self, spelled: &AbsPath, documents: &FileStateCache) -> Place {
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = followed.get(spelled) {
            return place.clone();
        }
        let mut place = Place::of(spelled.clone());
        place.real = place.real.map(|real| documents.known_as(real));
        followed.insert(spelled.clone(), place.clone());
        place
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_was_followed_once_is_not_followed_again() {
        let folder = tempfile::tempdir().unwrap();
        let root = AbsPath::new(folder.path().canonicalize().unwrap().to_str().unwrap()).unwrap();
        let (link, places, documents) = (root.join("link"), Places::default(), FileStateCache::new());
        symlink("one", link.as_path()).unwrap();
        assert_eq!(places.of(&link, &documents).real, Some(root.join("one")));
        std::fs::remove_file(link.as_path()).unwrap();
        symlink("other", link.as_path()).unwrap();
        assert_eq!(places.of(&link, &documents).real, Some(root.join("one")));
        assert_eq!(Places::default().of(&link, &documents).real, Some(root.join("other")));
        assert_eq!(Places::judged(&link).of(&link, &documents).real, Some(link));
    }
}
