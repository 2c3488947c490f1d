//! Treatment of one request, as data.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

/// Part of a request that is read first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Read {
    Head,
    /// The head and half of the body.
    Half,
    Whole,
}

/// Part of a request that is forwarded to the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forward {
    Nothing,
    /// The part that was read, then the end of the connection.
    Part,
    /// Everything; the answer is awaited.
    Whole,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Close,
    Reset,
}

/// Part of the service's answer that is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// Half of the head.
    Head,
    /// The head and half of the body.
    Body,
}

/// Answer to the client.
#[derive(Debug, Clone)]
pub enum Give {
    /// The service's answer, after these bytes and this delay.
    Answer(Vec<u8>, Duration),
    /// The service's answer with `Connection: close`.
    Last,
    /// The service's answer, byte by byte with this delay.
    Drip(Duration),
    Part(Cut, End),
    /// These bytes, then the end of the connection.
    Bytes(Vec<u8>),
    Nothing(End),
    /// No answer; the connection stays open.
    Silence,
}

/// A point at which a request waits for the test.
#[derive(Debug, Clone)]
pub struct Gate {
    /// Gets a permit when a request arrives.
    pub reached: Arc<Semaphore>,
    /// A permit lets a request continue.
    pub go: Arc<Semaphore>,
}

impl Gate {
    /// A closed gate.
    pub fn shut() -> Self {
        Self { reached: Arc::new(Semaphore::new(0)), go: Arc::new(Semaphore::new(0)) }
    }

    pub async fn reached(&self) {
        self.reached.acquire().await.expect("it stays").forget();
    }

    pub fn open(&self) {
        self.go.add_permits(1);
    }

    pub(crate) async fn pass(&self) {
        self.reached.add_permits(1);
        self.go.acquire().await.expect("it stays").forget();
    }
}

#[derive(Debug, Clone)]
pub struct Script {
    pub read: Read,
    /// Waits after the read, before anything is forwarded.
    pub before: Option<Gate>,
    pub forward: Forward,
    /// Waits after the service's answer.
    pub after: Option<Gate>,
    pub give: Give,
}

impl Script {
    pub fn pass() -> Self {
        Self::done(Give::Answer(Vec::new(), Duration::ZERO))
    }

    /// The service handles the request, the client gets `give`.
    pub fn done(give: Give) -> Self {
        Self { read: Read::Whole, before: None, forward: Forward::Whole, after: None, give }
    }

    /// The service does not get the request, the client gets `give`.
    pub fn withhold(give: Give) -> Self {
        Self { forward: Forward::Nothing, ..Self::done(give) }
    }

    pub fn either(done: bool, give: Give) -> Self {
        if done { Self::done(give) } else { Self::withhold(give) }
    }
}
