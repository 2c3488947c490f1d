//! From a vetted URL to a connection with an address that was vetted too.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::guard::network::{Connected, GuardedNetwork};
use crate::guard::request::{FetchError, Unreachable};
use crate::guard::urls::{Destination, VettedUrl};

/// How long a name may take to resolve.
pub const LOOKUP_TIMEOUT: Duration = Duration::from_secs(5);

/// How long one address may take to answer before the next is tried.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// How many of a name's addresses are tried. All are judged.
const MAX_TRIED_ADDRESSES: usize = 4;

/// The addresses a URL leads to, each admitted. One that is not admitted
/// refuses them all: a name that mixes public and private addresses is an
/// attack or a mistake, and a part of it is not worth reaching.
///
/// # Errors
/// [`FetchError::Unreachable`], with one text for every reason.
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
        // A mapped address is connected to as what it was judged as.
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

/// A new connection to the first vetted address that answers.
///
/// # Errors
/// [`FetchError::Unreachable`], also if the other end turns out not to be
/// the address that was asked for.
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
