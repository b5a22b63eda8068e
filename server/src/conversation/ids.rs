//! Names of things in a conversation: opaque strings on every wire.

/// Makes a string newtype.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id!(
    /// One conversation.
    SessionId
);
id!(
    /// One run of the query loop within a session: from a prompt to its Terminal.
    TaskId
);
id!(
    /// One local message record.
    MessageId
);
id!(
    /// A tool call, as the model named it (Messages API `tool_use.id`).
    ToolUseId
);
