//! Builds every part and joins them; no logic.
