//! What proves to the service who asks, and its renewal.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};

use crate::config::ApiKey;

/// A key or a token. `Debug` shows neither.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credential {
    /// Sent in `x-api-key`.
    Key(ApiKey),
    /// Sent as `authorization: Bearer …`, as gateways want it.
    Bearer(ApiKey),
}

/// Looks for a credential anew, where the configuration has it.
#[derive(Clone)]
pub struct Renewal(Arc<dyn Fn() -> Option<Credential> + Send + Sync>);

impl Credential {
    /// The token comes first: it is set on purpose for a gateway, while a key may merely stand in the environment.
    pub fn chosen(key: Option<ApiKey>, token: Option<ApiKey>) -> Option<Self> {
        token.map(Self::Bearer).or(key.map(Self::Key))
    }

    pub(super) fn secret(&self) -> &ApiKey {
        match self {
            Self::Key(secret) | Self::Bearer(secret) => secret,
        }
    }

    /// The header that carries it; `None` if it holds a character that no header can.
    pub(super) fn header(&self) -> Option<(HeaderName, HeaderValue)> {
        let (name, value) = match self {
            Self::Key(key) => (HeaderName::from_static("x-api-key"), key.expose().trim().to_owned()),
            Self::Bearer(token) => (AUTHORIZATION, format!("Bearer {}", token.expose().trim())),
        };
        let mut value = HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        Some((name, value))
    }
}

impl Renewal {
    pub fn new(look: impl Fn() -> Option<Credential> + Send + Sync + 'static) -> Self {
        Self(Arc::new(look))
    }
}

impl fmt::Debug for Renewal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Renewal")
    }
}

/// The credential in use.
#[derive(Debug)]
pub(super) struct Wallet {
    current: Mutex<Option<Credential>>,
    renewal: Option<Renewal>,
}

impl Wallet {
    pub(super) fn new(current: Option<Credential>, renewal: Option<Renewal>) -> Self {
        Self { current: Mutex::new(current), renewal }
    }

    pub(super) fn current(&self) -> Option<Credential> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Looks for another credential than `refused`; `false` if there is none.
    pub(super) async fn renew(&self, refused: Option<&Credential>) -> bool {
        let Some(Renewal(look)) = self.renewal.clone() else { return false };
        let found = tokio::task::spawn_blocking(move || look()).await.ok().flatten();
        let is_new = found.is_some() && found.as_ref() != refused;
        if is_new {
            *self.current.lock().unwrap_or_else(PoisonError::into_inner) = found;
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(credential: Credential, wanted: Option<(&str, &str)>) {
        let header = credential.header();
        let header = header
            .as_ref()
            .map(|(name, value)| (name.as_str(), value.to_str().expect("a text"), value.is_sensitive()));
        assert_eq!(header, wanted.map(|(name, value)| (name, value, true)));
    }

    #[test]
    fn each_kind_has_its_header() {
        check(Credential::Key(ApiKey::new(" k ")), Some(("x-api-key", "k")));
        check(Credential::Bearer(ApiKey::new("t")), Some(("authorization", "Bearer t")));
        check(Credential::Bearer(ApiKey::new("a\nb")), None);
    }

    #[tokio::test]
    async fn only_another_credential_is_worth_a_try() {
        let key = |name: &str| Credential::Key(ApiKey::new(name));
        let old = key("old");
        let wallet = |found: Option<Credential>| {
            Wallet::new(Some(old.clone()), Some(Renewal::new(move || found.clone())))
        };
        assert!(!wallet(None).renew(Some(&old)).await);
        assert!(!wallet(Some(old.clone())).renew(Some(&old)).await);
        assert!(!Wallet::new(Some(old.clone()), None).renew(Some(&old)).await);
        let renewed = wallet(Some(key("new")));
        assert!(renewed.renew(Some(&old)).await);
        assert_eq!(renewed.current(), Some(key("new")));
    }
}
