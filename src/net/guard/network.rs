//! Network access of the guard: name resolution and connections, replaceable in tests. Makes no
//! decisions; the guard vets its results.

use std::io;
use std::net::{IpAddr, SocketAddr};

use futures_util::future::BoxFuture;
use tokio::net::TcpStream;

#[derive(Debug)]
pub struct Connected {
    pub stream: TcpStream,
    pub peer: SocketAddr,
}

/// Resolver and connector, called by the guard only.
pub trait GuardedNetwork: Send + Sync {
    /// Returns all addresses of a name, in order of preference.
    fn lookup<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;

    /// Connects to exactly this address, without a proxy.
    fn connect(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<Connected>>;
}

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
