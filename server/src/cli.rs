//! The command line: what `copydesk` does when a person runs it.
