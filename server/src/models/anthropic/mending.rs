//! What a refused request is sent again without, at once and each only once: a key that expired, thinking that another
//! model signed, a way of thinking that the model does not know.

use super::credential::{Credential, Wallet};
use super::failure;
use crate::models::ModelErrorKind;
use crate::models::retry::Failure;

/// What is different from the request as it was meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mended {
    pub(super) renewed: bool,
    /// The thinking of earlier answers is left out.
    pub(super) without_shown_thinking: bool,
    /// The model is not asked to think.
    pub(super) without_asked_thinking: bool,
}

impl Mended {
    /// What may come through after `failure`; `None` if nothing is left to try. `used`: what was sent for a credential.
    pub(super) async fn after(
        self,
        failure: &Failure,
        wallet: &Wallet,
        used: Option<&Credential>,
    ) -> Option<Self> {
        if failure.error.kind == ModelErrorKind::Authentication && !self.renewed {
            return wallet.renew(used).await.then_some(Self { renewed: true, ..self });
        }
        if !failure::is_about_thinking(failure) {
            return None;
        }
        if !self.without_shown_thinking && failure::is_about_shown_thinking(failure) {
            return Some(Self { without_shown_thinking: true, ..self });
        }
        (!self.without_asked_thinking).then_some(Self { without_asked_thinking: true, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ApiKey;
    use crate::models::ModelError;
    use crate::models::anthropic::credential::Renewal;
    use crate::models::retry::FailureClass;

    async fn after(mended: Mended, kind: ModelErrorKind, said: &str) -> Option<Mended> {
        let renewal = Renewal::new(|| Some(Credential::Key(ApiKey::new("new"))));
        let failure = Failure { error: ModelError::new(kind, said), class: FailureClass::Final };
        mended.after(&failure, &Wallet::new(None, Some(renewal)), None).await
    }

    #[tokio::test]
    async fn each_thing_is_mended_once() {
        let refused = ModelErrorKind::Authentication;
        let renewed = after(Mended::default(), refused, "").await.expect("a new key");
        assert_eq!(after(renewed, refused, "").await, None);

        let invalid = ModelErrorKind::InvalidRequest;
        let signature = "Invalid `signature` in `thinking` block";
        let shown = after(Mended::default(), invalid, signature).await.expect("no shown thinking");
        assert!(shown.without_shown_thinking && !shown.without_asked_thinking);
        let plain = after(shown, invalid, signature).await.expect("no thinking at all");
        assert!(plain.without_shown_thinking && plain.without_asked_thinking);
        assert_eq!(after(plain, invalid, signature).await, None);

        let unknown = "adaptive thinking is not supported on this model";
        let plain = after(Mended::default(), invalid, unknown).await.expect("no asked thinking");
        assert!(!plain.without_shown_thinking && plain.without_asked_thinking);
        assert_eq!(after(plain, invalid, unknown).await, None);
    }

    #[tokio::test]
    async fn other_refusals_stand() {
        assert_eq!(
            after(Mended::default(), ModelErrorKind::InvalidRequest, "max_tokens: too large").await,
            None
        );
        assert_eq!(after(Mended::default(), ModelErrorKind::Overloaded, "thinking").await, None);
    }
}
