//! Compaction against a scripted model: what it is asked, and what stands afterwards.
