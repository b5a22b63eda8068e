//! Lists the books of a file, or looks for one.

mod book;
mod shelf;

use std::path::Path;

use shelf::Shelf;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or_else(|| "books.txt".to_owned());

    // Fails if there is no such file: load does not make one.
    let shelf = Shelf::load(Path::new(&file))?;

    match arguments.next() {
        Some(title) => match shelf.find(&title) {
            Some(book) => println!("{} ({}), by {}", book.title, book.year, book.author),
            None => println!("{title} is not on the shelf"),
        },
        None => {
            for book in shelf.books() {
                println!("{}\t{}\t{}", book.title, book.author, book.year);
            }
        }
    }
    Ok(())
}
