//! The `.diff` files that were shown, and how a new one is written.

use std::fs::File;
use std::io;
use std::sync::{Arc, Mutex};

use super::{Fate, ReviewFile, left_over, render};
use crate::documents::Workspace;
use crate::lsp::surface::own_folder::{make_own_folder, own_folder, refuse_link};
use crate::review::{HunkId, ReviewView};

/// Every `.diff` file that was shown, oldest first.
#[derive(Debug, Default)]
pub struct ReviewFiles {
    shown: Mutex<Vec<Shown>>,
}

#[derive(Debug)]
struct Shown {
    file: Arc<ReviewFile>,
    /// Locked for as long as this program runs: no other takes it for left over.
    #[expect(dead_code, reason = "held, not read")]
    held: File,
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
        let mut drawn = render(review, workspace, folder.clone());
        let text = drawn.text().to_string();
        let mut shown = self.lock();
        let last = shown.last().map(|last| &last.file);
        if let Some(last) = last.filter(|last| last.text() == drawn.text() && last.path().as_path().exists())
        {
            return Ok(last.clone());
        }
        let mut number = shown.len() + 1;
        loop {
            drawn.path = folder.join(left_over::name(task, number, &text));
            match File::create_new(drawn.path().as_path()) {
                Ok(mut file) => {
                    // Where files can't be locked, nobody takes this one for left over either.
                    let _ = file.lock_shared();
                    io::Write::write_all(&mut file, text.as_bytes())?;
                    let drawn = Arc::new(drawn);
                    shown.push(Shown { file: drawn.clone(), held: file });
                    return Ok(drawn);
                }
                // Of an earlier run: an editor may still show it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    pub fn all(&self) -> Vec<Arc<ReviewFile>> {
        self.lock().iter().map(|shown| shown.file.clone()).collect()
    }

    /// Removes them all: the editor is going. Blocking.
    pub fn remove(&self, workspace: &Workspace) {
        let mut shown = self.lock();
        for gone in shown.drain(..) {
            left_over::remove(gone.file.path().as_path());
        }
        if let Some(folder) = left_over::folder(workspace) {
            left_over::remove_folder(&folder);
        }
    }

    /// The person decided on `hunk`: every file that shows it will say so.
    pub fn decided(&self, hunk: &HunkId, fate: Fate) {
        for shown in self.lock().iter() {
            shown.file.decided(hunk, fate);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Shown>> {
        self.shown.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
