//! The `.diff` files that were shown, and how a new one is written.

use std::io;
use std::sync::{Arc, Mutex};

use super::{Fate, ReviewFile, render};
use crate::documents::Workspace;
use crate::lsp::surface::own_folder::{make_own_folder, own_folder, refuse_link};
use crate::review::{HunkId, ReviewView};

/// Every `.diff` file that was shown, oldest first.
#[derive(Debug, Default)]
pub struct ReviewFiles {
    shown: Mutex<Vec<Arc<ReviewFile>>>,
}

impl ReviewFiles {
    /// The review of now as a file: the last one if it says the same, else a new one under a new name. Blocking.
    pub fn show(&self, review: &ReviewView, workspace: &Workspace) -> io::Result<Arc<ReviewFile>> {
        let folder = own_folder(workspace)
            .ok_or_else(|| io::Error::other("there is no workspace folder to put it in"))?;
        make_own_folder(&folder)?;
        let folder = folder.join("review");
        refuse_link(&folder)?;
        std::fs::create_dir_all(folder.as_path())?;
        let task = review.files.first().map_or("review", |file| file.session.as_str());
        let task: String =
            task.chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '_' }).collect();
        let mut shown = self.lock();
        let mut number = shown.len() + 1;
        loop {
            let drawn = render(review, workspace, folder.join(format!("{task}-{number}.diff")));
            let last =
                shown.last().filter(|last| last.text() == drawn.text() && last.path().as_path().exists());
            if let Some(last) = last {
                return Ok(last.clone());
            }
            match std::fs::File::create_new(drawn.path().as_path()) {
                Ok(mut file) => {
                    io::Write::write_all(&mut file, drawn.text().to_string().as_bytes())?;
                    let drawn = Arc::new(drawn);
                    shown.push(drawn.clone());
                    return Ok(drawn);
                }
                // Of an earlier run: an editor may still show it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    pub fn all(&self) -> Vec<Arc<ReviewFile>> {
        self.lock().clone()
    }

    /// The person decided on `hunk`: every file that shows it will say so.
    pub fn decided(&self, hunk: &HunkId, fate: Fate) {
        for file in self.lock().iter() {
            file.decided(hunk, fate);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<ReviewFile>>> {
        self.shown.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
