//! Resolves a vetted URL to vetted addresses and connects to one of them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::guard::network::{Connected, GuardedNetwork};
use crate::guard::request::{FetchError, Unreachable};
use crate::guard::urls::{Destination, VettedUrl};

pub const LOOKUP_TIMEOUT: Duration = Duration::from_secs(5);

/// Timeout of one address before the next is tried.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// Maximum number of a name's addresses tried; all are vetted.
const MAX_TRIED_ADDRESSES: usize = 4;

/// Returns the permitted addresses of a URL. One forbidden address refuses them all: a name with
/// public and private addresses is an attack or a mistake.
pub async fn addresses(url: &VettedUrl, network: &dyn GuardedNetwork) -> Result<Vec<SocketAddr>, FetchError> {
    let found = match url.destination() {
        Destination::Address(address) => vec![*address],
        Destination::Localhost => vec![IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)],
        Destination::Name(name) => match timeout(LOOKUP_TIMEOUT, network.lookup(name)).await {
            Ok(Ok(found)) => found,
            Ok(Err(_)) | Err(_) => return Err(Unreachable::NoAddress.into()),
        },
    };
    let mut vetted: Vec<SocketAddr> = Vec::new();
    for address in found {
        // A mapped address is connected to in the form in which it is vetted.
        let address = address.to_canonical();
        if !url.is_admitted(address) {
            return Err(Unreachable::Forbidden.into());
        }
        let address = SocketAddr::new(address, url.port());
        if !vetted.contains(&address) {
            vetted.push(address);
        }
    }
    if vetted.is_empty() { Err(Unreachable::NoAddress.into()) } else { Ok(vetted) }
}

/// Connects to the first vetted address that answers. Fails if the peer is not the requested
/// address.
pub async fn connect(url: &VettedUrl, network: &dyn GuardedNetwork) -> Result<TcpStream, FetchError> {
    for address in addresses(url, network).await?.into_iter().take(MAX_TRIED_ADDRESSES) {
        let Ok(Ok(Connected { stream, peer })) = timeout(CONNECT_TIMEOUT, network.connect(address)).await
        else {
            continue;
        };
        if peer.ip().to_canonical() != address.ip() || peer.port() != address.port() {
            return Err(Unreachable::Forbidden.into());
        }
        return Ok(stream);
    }
    Err(Unreachable::NoAnswer.into())
}
