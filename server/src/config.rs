//! Settings: read from their layers, checked, and each with the place it came from.
