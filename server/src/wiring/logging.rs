//! The log: a file a day under the state folder, and what is urgent on stderr. Never stdout, which is the protocol's.

use std::sync::Arc;

use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::filter::{EnvFilter, LevelFilter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt, reload};

use crate::config::LogLevel;

/// Older files go.
const DAYS_KEPT: usize = 7;

/// Sets how much is written to the file from now on.
pub(super) type SetLevel = Arc<dyn Fn(LogLevel) + Send + Sync>;

/// What waits to be written is written when this goes.
pub(super) struct Log {
    pub(super) set_level: SetLevel,
    _guard: Option<WorkerGuard>,
}

/// Starts logging what is at least as urgent as `level`.
pub(super) fn start(level: LogLevel) -> Log {
    let urgent = fmt::layer().with_writer(std::io::stderr).with_ansi(false).with_filter(LevelFilter::WARN);
    let file = super::state_folder().and_then(|folder| {
        std::fs::create_dir_all(&folder).ok()?;
        RollingFileAppender::builder()
            .rotation(Rotation::DAILY)
            .filename_prefix("copydesk")
            .filename_suffix("log")
            .max_log_files(DAYS_KEPT)
            .build(folder)
            .ok()
    });
    let (file, guard) = file.map(tracing_appender::non_blocking).unzip();
    let (filter, handle) = reload::Layer::new(wanted(level));
    let file = file.map(|file| fmt::layer().with_writer(file).with_ansi(false).with_filter(filter));
    // Fails only if a log was started before: then that one goes on.
    drop(tracing_subscriber::registry().with(urgent).with(file).try_init());
    std::panic::set_hook(Box::new(|panic| tracing::error!(%panic, "a panic")));
    // Fails only without a log.
    let set_level = move |level| drop(handle.reload(wanted(level)));
    Log { set_level: Arc::new(set_level), _guard: guard }
}

fn wanted(level: LogLevel) -> EnvFilter {
    // The libraries below log whole messages, and those hold the user's text.
    EnvFilter::builder().parse_lossy(format!("warn,copydesk={}", level.name()))
}
