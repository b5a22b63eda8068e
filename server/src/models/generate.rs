//! A stream written as a plain async function that sends its items, without a task of its own: dropping it stops all.

use futures::future::FutureExt;
use futures::stream::{self, BoxStream, StreamExt};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use super::{ModelError, ProviderEvent};

/// Where such a function sends its events.
#[derive(Clone)]
pub(super) struct Emit(mpsc::Sender<Result<ProviderEvent, ModelError>>);

impl Emit {
    /// Waits until the consumer wants it.
    pub(super) async fn event(&self, event: ProviderEvent) {
        // The receiver lives in the same stream as the sender, so it is there as long as anybody polls.
        let _ = self.0.send(Ok(event)).await;
    }
}

/// The events that `work` sends, in order, and its error last if it fails.
pub(super) fn generate<W, F>(work: W) -> BoxStream<'static, Result<ProviderEvent, ModelError>>
where
    W: FnOnce(Emit) -> F,
    F: Future<Output = Result<(), ModelError>> + Send + 'static,
{
    let (sender, receiver) = mpsc::channel(1);
    let errors = sender.clone();
    let work = work(Emit(sender));
    let run = async move {
        if let Err(error) = work.await {
            let _ = errors.send(Err(error)).await;
        }
    };
    // Polled for its effects alone: it yields nothing itself.
    let effects = run.into_stream().filter_map(|()| async { None });
    stream::select(ReceiverStream::new(receiver), effects).boxed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::ModelErrorKind;

    #[tokio::test]
    async fn events_come_in_order_and_the_error_last() {
        let failure = ModelError::new(ModelErrorKind::StreamCut, "cut");
        let fails = failure.clone();
        let events: Vec<_> = generate(|emit| async move {
            emit.event(ProviderEvent::MessageStop).await;
            emit.event(ProviderEvent::MessageStop).await;
            Err(fails)
        })
        .collect()
        .await;
        assert_eq!(events, [Ok(ProviderEvent::MessageStop), Ok(ProviderEvent::MessageStop), Err(failure)]);
    }
}
