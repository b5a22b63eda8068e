//! Keys: never shown, never logged, never given to a child process.

use secrecy::{ExposeSecret, SecretString};

/// A key for a model. `Debug` hides it; there is no `Display`.
#[derive(Clone, Debug)]
pub struct ApiKey(SecretString);

impl ApiKey {
    pub fn new(key: impl Into<String>) -> Self {
        Self(SecretString::from(key.into()))
    }

    /// The key itself, for the one header it belongs in.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

impl PartialEq for ApiKey {
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}

impl Eq for ApiKey {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_shown() {
        let shown = format!("{:?}", ApiKey::new("sk-ant-FAKE-0123456789abcdef"));
        assert!(!shown.contains("FAKE"), "{shown}");
    }
}
