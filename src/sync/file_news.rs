//! Hears when a process writes the files, where the system tells.

use std::time::Duration;

use disk::FileWatch;

/// Writes so close together are heard of at once.
const TOGETHER: Duration = Duration::from_millis(30);

/// Who tells of the files.
pub(crate) struct FileNews {
    told: Option<FileWatch>,
    #[cfg(target_os = "linux")]
    events: Option<tokio::io::unix::AsyncFd<FileWatch>>,
    /// Whether something was heard that nobody was told of yet.
    heard: bool,
}

impl FileNews {
    /// What the system tells, if it tells anything.
    pub(crate) fn new(watch: Option<FileWatch>) -> Self {
        Self {
            told: watch,
            #[cfg(target_os = "linux")]
            events: None,
            heard: false,
        }
    }
}

#[cfg(target_os = "linux")]
impl FileNews {
    /// Begins to listen, on the runtime; tells whether anything will be heard.
    #[expect(
        deprecated,
        reason = "the descriptor belongs to the watch and is closed with it, as the other way demands"
    )]
    pub(crate) fn listen(&mut self) -> bool {
        self.events = self.told.take().and_then(|entry| tokio::io::unix::AsyncFd::new(entry).ok());
        self.events.is_some()
    }

    /// Ends when something has changed; false when nothing more will be heard. It
    /// may be given up and asked again.
    pub(crate) async fn changed(&mut self) -> bool {
        let Some(events) = &self.events else { return std::future::pending().await };
        let taken = loop {
            if self.heard {
                tokio::time::sleep(TOGETHER).await;
                break events.get_ref().take_changed();
            }
            let Ok(mut ready) = events.readable().await else { break Ok(false) };
            match events.get_ref().take_changed() {
                Ok(changed) => self.heard = changed,
                Err(error) => break Err(error),
            }
            ready.clear_ready();
        };
        let told = taken.is_ok() && self.heard;
        self.heard = false;
        if !told {
            self.events = None;
        }
        told
    }
}

#[cfg(not(target_os = "linux"))]
impl FileNews {
    /// Begins to listen, on the runtime; tells whether anything will be heard.
    pub(crate) fn listen(&mut self) -> bool {
        self.told.take().is_some()
    }

    /// Ends when something has changed; false when nothing more will be heard.
    pub(crate) async fn changed(&mut self) -> bool {
        std::future::pending().await
    }
}
