//! The books of one file.

use std::fs;
use std::io;
use std::path::Path;

use crate::book::Book;

/// Books, in the order of their file.
pub struct Shelf {
    books: Vec<Book>,
}

impl Shelf {
    pub fn load(path: &Path) -> io::Result<Shelf> {
        let text = fs::read_to_string(path)?;
        Ok(Shelf { books: text.lines().filter_map(Book::parse).collect() })
    }

    pub fn find(&self, title: &str) -> Option<&Book> {
        self.books.iter().find(|book| book.title == title)
    }

    pub fn books(&self) -> &[Book] {
        &self.books
    }
}
