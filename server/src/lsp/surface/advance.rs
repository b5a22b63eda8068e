//! Where the cursor goes after a decision: to the next hunk, and into the next file when this one is done.
