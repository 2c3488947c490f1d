//! What is done to one request, as data.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

/// How much of a request is read before anything is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Read {
    /// Its head.
    Head,
    /// Its head and half of its body.
    Half,
    /// All of it.
    Whole,
}

/// How much of it the service is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forward {
    /// Nothing: the service never hears of it.
    Nothing,
    /// What was read of it, and then the end of the connection.
    Part,
    /// All of it, and its answer is waited for.
    Whole,
}

/// How a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// FIN.
    Close,
    /// RST.
    Reset,
}

/// How much of the service's answer is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// Half of its head.
    Head,
    /// Its head and half of its body.
    Body,
}

/// What the client is given.
#[derive(Debug, Clone)]
pub enum Give {
    /// The service's answer, after these bytes and this delay.
    Answer(Vec<u8>, Duration),
    /// The service's answer, and then the end of the connection, as it says.
    Last,
    /// The service's answer, byte by byte with so much between them.
    Drip(Duration),
    /// A part of the service's answer.
    Part(Cut, End),
    /// These bytes, and then the end.
    Bytes(Vec<u8>),
    /// Nothing.
    Nothing(End),
    /// Nothing as long as the client waits.
    Silence,
}

/// A point at which the proxy says that it is there and waits to go on.
#[derive(Debug, Clone)]
pub struct Gate {
    /// Gets a permit when a request is there.
    pub reached: Arc<Semaphore>,
    /// A permit lets a request go on.
    pub go: Arc<Semaphore>,
}

impl Gate {
    /// A gate that is shut.
    pub fn shut() -> Self {
        Self { reached: Arc::new(Semaphore::new(0)), go: Arc::new(Semaphore::new(0)) }
    }

    /// Waits until a request is there.
    pub async fn reached(&self) {
        self.reached.acquire().await.expect("it stays").forget();
    }

    /// Lets the request go on.
    pub fn open(&self) {
        self.go.add_permits(1);
    }

    pub(crate) async fn pass(&self) {
        self.reached.add_permits(1);
        self.go.acquire().await.expect("it stays").forget();
    }
}

/// What is done to one request.
#[derive(Debug, Clone)]
pub struct Script {
    pub read: Read,
    /// Stops here when it was read, before anything is passed on.
    pub before: Option<Gate>,
    pub forward: Forward,
    /// Stops here when the service has answered.
    pub after: Option<Gate>,
    pub give: Give,
}

impl Script {
    /// Passes everything on.
    pub fn pass() -> Self {
        Self::done(Give::Answer(Vec::new(), Duration::ZERO))
    }

    /// The service does its work, and the client is given this.
    pub fn done(give: Give) -> Self {
        Self { read: Read::Whole, before: None, forward: Forward::Whole, after: None, give }
    }

    /// The service never hears of it, and the client is given this.
    pub fn kept(give: Give) -> Self {
        Self { forward: Forward::Nothing, ..Self::done(give) }
    }

    /// The service does its work or not, and the client is given this.
    pub fn either(done: bool, give: Give) -> Self {
        if done { Self::done(give) } else { Self::kept(give) }
    }
}
