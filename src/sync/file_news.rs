//! Notifications of writes to the data files, on systems that support them.

use std::time::Duration;

use disk::FileWatch;

/// Writes within this span are reported together.
const DEBOUNCE_INTERVAL: Duration = Duration::from_millis(30);

pub(crate) struct FileWatcher {
    watch: Option<FileWatch>,
    #[cfg(target_os = "linux")]
    events: Option<tokio::io::unix::AsyncFd<FileWatch>>,
    /// True if a change was seen but not yet reported.
    has_change: bool,
}

impl FileWatcher {
    /// Without a watch no change is ever reported.
    pub(crate) fn new(watch: Option<FileWatch>) -> Self {
        Self {
            watch,
            #[cfg(target_os = "linux")]
            events: None,
            has_change: false,
        }
    }
}

#[cfg(target_os = "linux")]
impl FileWatcher {
    /// Registers with the runtime. Returns true if changes will be reported.
    #[expect(
        deprecated,
        reason = "the descriptor belongs to the watch and is closed with it, as the other way demands"
    )]
    pub(crate) fn listen(&mut self) -> bool {
        self.events = self.watch.take().and_then(|entry| tokio::io::unix::AsyncFd::new(entry).ok());
        self.events.is_some()
    }

    /// Completes at the next change; false if no more will be reported. Cancel safe.
    pub(crate) async fn changed(&mut self) -> bool {
        let Some(events) = &self.events else { return std::future::pending().await };
        let taken = loop {
            if self.has_change {
                tokio::time::sleep(DEBOUNCE_INTERVAL).await;
                break events.get_ref().take_changed();
            }
            let Ok(mut ready) = events.readable().await else { break Ok(false) };
            match events.get_ref().take_changed() {
                Ok(changed) => self.has_change = changed,
                Err(error) => break Err(error),
            }
            ready.clear_ready();
        };
        let is_watched = taken.is_ok() && self.has_change;
        self.has_change = false;
        if !is_watched {
            self.events = None;
        }
        is_watched
    }
}

#[cfg(not(target_os = "linux"))]
impl FileWatcher {
    /// Registers with the runtime. Returns true if changes will be reported.
    pub(crate) fn listen(&mut self) -> bool {
        self.watch.take().is_some()
    }

    /// Completes at the next change; false if no more will be reported.
    pub(crate) async fn changed(&mut self) -> bool {
        std::future::pending().await
    }
}
