//! The outside network as the guard sees it: names become addresses, and an
//! address becomes a connection. Tests put their own in its place.
//!
//! Judges nothing; it does what the guard asks, and the guard looks again at
//! what it did.

use std::io;
use std::net::{IpAddr, SocketAddr};

use futures_util::future::BoxFuture;
use tokio::net::TcpStream;

/// A connection, and who is at its other end.
#[derive(Debug)]
pub struct Connected {
    pub stream: TcpStream,
    /// The address at the other end.
    pub peer: SocketAddr,
}

/// What reaches the outside. The guard is the only caller.
pub trait GuardedNetwork: Send + Sync {
    /// All addresses a name stands for, in the order to try them.
    fn lookup<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;

    /// A new connection to exactly this address, through no proxy.
    fn connect(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<Connected>>;
}

/// The system's resolver and sockets.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemNetwork;

impl GuardedNetwork for SystemNetwork {
    fn lookup<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            Ok(tokio::net::lookup_host((name, 0)).await?.map(|lookup_host| lookup_host.ip()).collect())
        })
    }

    fn connect(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<Connected>> {
        Box::pin(async move {
            let stream = TcpStream::connect(to).await?;
            let peer = stream.peer_addr()?;
            Ok(Connected { stream, peer })
        })
    }
}
