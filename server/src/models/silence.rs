//! Waiting for what may never come: said aloud when it takes long, given up when it takes too long.

use std::pin::pin;
use std::time::Duration;

use tokio::time::Instant;

use super::ProviderEvent;
use super::generate::Emit;

/// How long silence is borne.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// After so long, and each time it has lasted so much longer, the person is told. `None`: never.
    pub notice: Option<Duration>,
    /// After so long it counts as dead. `None`: never, since a model on one's own machine may take its time.
    pub limit: Option<Duration>,
}

impl Default for Patience {
    fn default() -> Self {
        Self { notice: Some(Duration::from_secs(20)), limit: Some(Duration::from_secs(300)) }
    }
}

/// The limit was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Silent;

/// What `next` comes to. Silence is announced as `ProviderEvent::Silence`.
pub(super) async fn wait<F: Future>(next: F, patience: Patience, emit: &Emit) -> Result<F::Output, Silent> {
    let begun = Instant::now();
    let mut next = pin!(next);
    let mut told = Duration::ZERO;
    loop {
        let notice = patience.notice.filter(|notice| !notice.is_zero()).map(|notice| told + notice);
        let until = match (notice, patience.limit) {
            (None, None) => return Ok(next.await),
            (Some(notice), Some(limit)) => notice.min(limit),
            (Some(one), None) | (None, Some(one)) => one,
        };
        tokio::select! {
            biased;
            output = &mut next => return Ok(output),
            () = tokio::time::sleep_until(begun + until) => {}
        }
        if patience.limit.is_some_and(|limit| until >= limit) {
            return Err(Silent);
        }
        told = until;
        emit.event(ProviderEvent::Silence { lasted: told }).await;
    }
}

#[cfg(test)]
mod tests {
    use futures::StreamExt;

    use super::*;
    use crate::models::generate::generate;

    /// Seconds of the announced silences, and whether the wait was given up.
    async fn waited(notice: Option<u64>, limit: Option<u64>, comes_after: u64) -> (Vec<u64>, bool) {
        let patience =
            Patience { notice: notice.map(Duration::from_secs), limit: limit.map(Duration::from_secs) };
        let (given_up, told) = tokio::sync::oneshot::channel();
        let events: Vec<_> = generate(|emit| async move {
            let next = tokio::time::sleep(Duration::from_secs(comes_after));
            let _ = given_up.send(wait(next, patience, &emit).await.is_err());
            Ok(())
        })
        .collect()
        .await;
        let seconds = events.into_iter().map(|event| match event {
            Ok(ProviderEvent::Silence { lasted }) => lasted.as_secs(),
            other => panic!("{other:?}"),
        });
        (seconds.collect(), told.await.expect("it was told"))
    }

    #[tokio::test(start_paused = true)]
    async fn silence_is_told_and_then_given_up() {
        assert_eq!(waited(Some(20), Some(300), 10).await, (vec![], false));
        assert_eq!(waited(Some(20), Some(300), 50).await, (vec![20, 40], false));
        assert_eq!(waited(Some(20), Some(70), 1_000).await, (vec![20, 40, 60], true));
        assert_eq!(waited(Some(20), Some(20), 1_000).await, (vec![], true));
        assert_eq!(waited(None, Some(300), 1_000).await, (vec![], true));
        assert_eq!(waited(None, None, 100_000).await, (vec![], false));
        assert_eq!(waited(Some(20), None, 41).await, (vec![20, 40], false));
    }
}
