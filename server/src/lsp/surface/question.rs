//! How a permission question is put to the person.
