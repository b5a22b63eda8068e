//! Keys and passwords: never shown, never logged, never given to a child process.

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

/// `url` as it may be shown: without a user's name and password, and without a query, which may hold a key too.
pub fn shown_url(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (authority, path) = rest.find('/').map_or((rest, ""), |end| rest.split_at(end));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{scheme}://{host}{path}")
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

    #[test]
    fn an_address_is_shown_without_its_secrets() {
        for (url, wanted) in [
            ("https://api.example.com", "https://api.example.com"),
            ("http://localhost:1/a/b@c", "http://localhost:1/a/b@c"),
            ("http://me:pass@host:1/v1?key=FAKE#FAKE", "http://host:1/v1"),
            ("https://a@b:FAKE@host", "https://host"),
            ("https://host?key=FAKE", "https://host"),
        ] {
            assert_eq!(shown_url(url), wanted);
        }
    }
}
