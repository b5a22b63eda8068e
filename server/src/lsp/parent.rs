//! The process that started the server: when it is gone, so is the reason to run.

use std::time::Duration;

use rustix::process::{Pid, test_kill_process};

/// Without a notification from the system it is looked for this often.
const LOOK: Duration = Duration::from_secs(10);

/// Ends when process `id` has ended. A process that is not there in the first place (the editor runs in another
/// container) is never missed.
pub(super) async fn gone(id: u32) {
    let Some(process) = i32::try_from(id).ok().and_then(Pid::from_raw).filter(|process| lives(*process))
    else {
        tracing::info!(id, "the editor's process is not visible from here, so it is not watched");
        return std::future::pending().await;
    };
    #[cfg(target_os = "linux")]
    if notified(process).await {
        return;
    }
    while lives(process) {
        tokio::time::sleep(LOOK).await;
    }
}

/// Waits for the end of `process`; `false` if the system can't tell.
#[cfg(target_os = "linux")]
#[expect(
    deprecated,
    reason = "its successor is unsafe for descriptors that may be closed early; an OwnedFd is not"
)]
async fn notified(process: Pid) -> bool {
    let Ok(handle) = rustix::process::pidfd_open(process, rustix::process::PidfdFlags::NONBLOCK) else {
        return false;
    };
    let Ok(handle) = tokio::io::unix::AsyncFd::new(handle) else { return false };
    handle.readable().await.is_ok()
}

/// A process of another user lives too.
fn lives(process: Pid) -> bool {
    test_kill_process(process) != Err(rustix::io::Errno::SRCH)
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn the_end_of_the_process_is_noticed() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let watch = tokio::spawn(gone(child.id()));
        tokio::task::yield_now().await;
        assert!(!watch.is_finished());
        child.kill().unwrap();
        child.wait().unwrap();
        tokio::time::timeout(Duration::from_secs(30), watch).await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_process_that_never_was_is_not_missed() {
        assert_eq!(gone(u32::MAX).now_or_never(), None);
        assert_eq!(gone(i32::MAX as u32).now_or_never(), None);
    }
}
