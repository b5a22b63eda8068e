//! The LSP door: the only place, with its folder, that names LSP types.
