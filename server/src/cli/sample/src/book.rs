//! A book, as one line of the file has it.

pub struct Book {
    pub title: String,
    pub author: String,
    pub year: u16,
}

impl Book {
    pub fn parse(line: &str) -> Option<Book> {
        let mut parts = line.split('\t');
        Some(Book {
            title: parts.next()?.to_owned(),
            author: parts.next()?.to_owned(),
            year: parts.next()?.parse().ok()?,
        })
    }
}
