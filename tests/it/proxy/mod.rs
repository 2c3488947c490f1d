//! A faulty proxy to a service: listens on loopback, forwards requests, and treats each as planned.
//! [`fault`] has the faults by name, [`script`] the treatment of a request.

pub mod answers;
pub mod fault;
pub mod relay;
pub mod script;

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use frontdesk::shell::clock::instant;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use script::Script;

/// Time after which a closed port is free at the latest.
const FREED: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub method: String,
    pub target: String,
    pub key: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub asked: Asked,
    /// The part of the body that was read.
    pub body: Vec<u8>,
    /// Status of the service's answer.
    pub answered: Option<u16>,
}

pub type Plan = Arc<Mutex<dyn FnMut(&Asked) -> Script + Send>>;

/// State shared by all connections.
pub struct Shared {
    upstream: Mutex<SocketAddr>,
    plan: Mutex<Plan>,
    seen: Mutex<Vec<Seen>>,
    /// Target of redirects; no client may connect to it.
    pub trap: SocketAddr,
    /// A change ends all open connections.
    ended: watch::Sender<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    Open,
    /// Connections are refused: nothing listens.
    Refused,
    /// Connections are neither accepted nor refused: the backlog is full.
    Full,
}

/// Listens until dropped.
pub struct Proxy {
    pub address: SocketAddr,
    shared: Arc<Shared>,
    behind: Mutex<Behind>,
    trapped: Arc<AtomicUsize>,
    trapping: JoinHandle<()>,
}

enum Behind {
    Accepting(JoinHandle<()>),
    Bound(TcpSocket),
    Queue(TcpListener, Vec<TcpStream>),
    Nothing,
}

impl Proxy {
    /// Starts a proxy that forwards everything until a plan is set.
    pub async fn start(upstream: SocketAddr, door: Door) -> Self {
        let trap = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
        let trapped = Arc::new(AtomicUsize::new(0));
        let plan: Plan = Arc::new(Mutex::new(|_: &Asked| Script::pass()));
        let shared = Arc::new(Shared {
            upstream: Mutex::new(upstream),
            plan: Mutex::new(plan),
            seen: Mutex::default(),
            trap: trap.local_addr().expect("an address"),
            ended: watch::channel(0).0,
        });
        let count = trapped.clone();
        let trapping = tokio::spawn(async move {
            while trap.accept().await.is_ok() {
                count.fetch_add(1, Ordering::SeqCst);
            }
        });
        let socket = bind((Ipv4Addr::LOCALHOST, 0).into()).await;
        let address = socket.local_addr().expect("an address");
        let proxy = Self { address, shared, behind: Mutex::new(Behind::Bound(socket)), trapped, trapping };
        proxy.door(door).await;
        proxy
    }

    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Opens or closes the port. Open connections stay.
    pub async fn door(&self, door: Door) {
        let before = std::mem::replace(&mut *self.behind.lock().expect("no one failed"), Behind::Nothing);
        let socket = match before {
            Behind::Accepting(task) if door == Door::Open => {
                *self.behind.lock().expect("no one failed") = Behind::Accepting(task);
                return;
            }
            Behind::Accepting(task) => {
                task.abort();
                // The listener is closed only when the task has ended.
                let _ = task.await;
                bind(self.address).await
            }
            Behind::Bound(socket) => socket,
            Behind::Queue(listener, fillers) => {
                drop((listener, fillers));
                bind(self.address).await
            }
            Behind::Nothing => bind(self.address).await,
        };
        let behind = match door {
            Door::Refused => Behind::Bound(socket),
            Door::Open => {
                let listener = socket.listen(1024).expect("it listens");
                Behind::Accepting(tokio::spawn(accept(listener, self.shared.clone())))
            }
            Door::Full => {
                let listener = socket.listen(1).expect("it listens");
                let mut fillers = Vec::new();
                // Fills the backlog until a connection is not accepted any more.
                while let Ok(Ok(filler)) =
                    tokio::time::timeout(Duration::from_millis(50), TcpStream::connect(self.address)).await
                {
                    fillers.push(filler);
                }
                Behind::Queue(listener, fillers)
            }
        };
        *self.behind.lock().expect("no one failed") = behind;
    }

    /// Ends all open connections.
    pub fn cut(&self) {
        self.shared.ended.send_modify(|number| *number += 1);
    }

    pub fn toward(&self, upstream: SocketAddr) {
        *self.shared.upstream.lock().expect("no one failed") = upstream;
    }

    pub fn plan(&self, plan: impl FnMut(&Asked) -> Script + Send + 'static) {
        *self.shared.plan.lock().expect("no one failed") = Arc::new(Mutex::new(plan));
    }

    pub fn pass(&self) {
        self.plan(|_| Script::pass());
    }

    /// Returns and clears the requests so far.
    pub fn seen(&self) -> Vec<Seen> {
        std::mem::take(&mut *self.shared.seen.lock().expect("no one failed"))
    }

    pub fn trap(&self) -> SocketAddr {
        self.shared.trap
    }

    /// Number of clients that followed a redirect.
    pub fn trapped(&self) -> usize {
        self.trapped.load(Ordering::SeqCst)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.trapping.abort();
        if let Ok(Behind::Accepting(task)) = self.behind.get_mut() {
            task.abort();
        }
        self.cut();
    }
}

/// Binds an address that may just have been closed. A process forked by another test holds a copy
/// of every socket until its exec.
async fn bind(address: SocketAddr) -> TcpSocket {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_reuseaddr(true).expect("the option is taken");
    let since = instant();
    loop {
        match socket.bind(address) {
            Err(error) if error.kind() == ErrorKind::AddrInUse && since.elapsed() < FREED => {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            bound => {
                bound.unwrap_or_else(|error| panic!("{address} after {:?}: {error}", since.elapsed()));
                return socket;
            }
        }
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept().await {
        let mut ended = shared.ended.subscribe();
        ended.mark_unchanged();
        let shared = shared.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = relay::converse(stream, &shared) => {}
                _ = ended.changed() => {}
            }
        });
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_port_is_taken_again_also_while_processes_start() {
    let proxy = Proxy::start((Ipv4Addr::LOCALHOST, 9).into(), Door::Open).await;
    let enough = Arc::new(AtomicUsize::new(0));
    let until = enough.clone();
    let starting = std::thread::spawn(move || {
        while until.load(Ordering::SeqCst) == 0 {
            std::process::Command::new("true").status().expect("it runs");
        }
    });
    for _ in 0..500 {
        proxy.door(Door::Refused).await;
        proxy.door(Door::Open).await;
    }
    enough.store(1, Ordering::SeqCst);
    starting.join().expect("no panic");
    TcpStream::connect(proxy.address).await.expect("it listens");
}
