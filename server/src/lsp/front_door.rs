//! The service every message goes through: it keeps the order and survives a handler's panic.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll, Waker};

use futures::FutureExt;
use futures::future::{self, BoxFuture};
use tower::Service;
use tower_lsp::jsonrpc::{ErrorCode, Id, Request, Response};

use super::message;

/// Wraps the language service.
///
/// Invariant: when `call` returns, the part of the handler before its first `await` has run. So messages take effect in
/// the order they were sent, whatever runs the futures afterwards.
pub(super) struct FrontDoor<S> {
    service: S,
    shut_down: bool,
}

impl<S> FrontDoor<S> {
    pub(super) fn new(service: S) -> Self {
        Self { service, shut_down: false }
    }

    pub(super) fn service(&self) -> &S {
        &self.service
    }

    /// `shutdown` was asked for and granted (LSP "Shutdown Request").
    pub(super) fn is_shut_down(&self) -> bool {
        self.shut_down
    }
}

impl<S> Service<Request> for FrontDoor<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Option<Response>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Option<Response>, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let (method, id) = (request.method().to_owned(), request.id().cloned());
        if let Some(id) = id.clone().filter(|_| method.starts_with("$/")) {
            // The service takes it for a notification that may be ignored; a request waits for its answer.
            let error = message::error(ErrorCode::MethodNotFound, format!("Method not found: {method}"));
            return future::ok(Some(Response::from_error(id, error))).boxed();
        }
        let handler = match catch_unwind(AssertUnwindSafe(|| self.service.call(request))) {
            Ok(handler) => handler,
            Err(panic) => return future::ok(after_panic(&method, id, panic.as_ref())).boxed(),
        };
        let panicked = (method.clone(), id);
        let mut handler = AssertUnwindSafe(handler)
            .catch_unwind()
            .map(move |result| {
                result.unwrap_or_else(|panic| Ok(after_panic(&panicked.0, panicked.1, panic.as_ref())))
            })
            .boxed();
        match handler.poll_unpin(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => {
                let granted = matches!(&result, Ok(Some(response)) if response.is_ok());
                self.shut_down |= method == "shutdown" && granted;
                future::ready(result).boxed()
            }
            Poll::Pending => {
                // What is not granted is refused at once.
                self.shut_down |= method == "shutdown";
                handler
            }
        }
    }
}

/// A panic is a fault of ours: it is logged, the request fails, the server goes on.
fn after_panic(method: &str, id: Option<Id>, panic: &(dyn Any + Send)) -> Option<Response> {
    let cause = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("unknown cause");
    tracing::error!(method, cause, "a handler panicked");
    let told = format!(
        "Copydesk failed inside ({method}). Its log says why; your files and buffers are as they were."
    );
    id.map(|id| Response::from_error(id, message::error(ErrorCode::InternalError, told)))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::{Arc, Mutex};

    use serde_json::json;
    use tower::service_fn;

    use super::*;

    /// A service that writes down what it did: the method, and again behind an await.
    fn noting(
        notes: Arc<Mutex<Vec<String>>>,
    ) -> impl Service<
        Request,
        Response = Option<Response>,
        Error = Infallible,
        Future = BoxFuture<'static, Result<Option<Response>, Infallible>>,
    > {
        service_fn(move |request: Request| {
            let notes = notes.clone();
            async move {
                let (method, id, _) = request.into_parts();
                assert_ne!(method, "panic at once");
                notes.lock().unwrap().push(method.to_string());
                tokio::task::yield_now().await;
                assert_ne!(method, "panic later");
                notes.lock().unwrap().push(format!("{method} later"));
                Ok(id.map(|id| Response::from_ok(id, json!(null))))
            }
            .boxed()
        })
    }

    #[tokio::test]
    async fn handlers_begin_in_order_before_any_of_them_is_awaited() {
        let notes = Arc::default();
        let mut door = FrontDoor::new(noting(Arc::clone(&notes)));
        let (first, second) =
            (door.call(Request::build("a").finish()), door.call(Request::build("b").finish()));
        assert_eq!(*notes.lock().unwrap(), ["a", "b"]);
        second.await.unwrap();
        first.await.unwrap();
        assert_eq!(*notes.lock().unwrap(), ["a", "b", "b later", "a later"]);
    }

    #[tokio::test]
    async fn a_panic_is_an_internal_error_and_the_next_request_is_served() {
        let mut door = FrontDoor::new(noting(Arc::default()));
        for method in ["panic at once", "panic later"] {
            let response = door.call(Request::build(method).id(7).finish()).await.unwrap().unwrap();
            assert_eq!(response.error().unwrap().code, ErrorCode::InternalError);
        }
        let response = door.call(Request::build("a").id(8).finish()).await.unwrap();
        assert_eq!(response, Some(Response::from_ok(8.into(), json!(null))));
    }
}
