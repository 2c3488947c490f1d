//! Who asks, and by which name: put on each request at the door.

use std::net::{IpAddr, Ipv6Addr};

use axum::extract::Request;
use axum::http::uri::Authority;
use axum::http::{Extensions, header};

use crate::forwarded::{Forwarded, Network};
use crate::hosts::Hosts;

/// Where a connection comes from; put on each request by the server.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub IpAddr);

/// The other end of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientInfo {
    pub address: IpAddr,
    /// `http` or `https`.
    pub scheme: &'static str,
    /// The host it named, with the port if there is one.
    pub host: String,
}

impl ClientInfo {
    /// Reads it off a request, as its proxies tell it where they are listed;
    /// nothing where the host is none that is meant: a web page that points its
    /// own name at this machine is turned away.
    pub fn of(request: &Request, hosts: &Hosts, proxies: &[Network]) -> Option<Self> {
        let mut values = request.headers().get_all(header::HOST).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return None };
        let peer = peer(request.extensions());
        let forwarded = Forwarded::by(peer, request.headers(), proxies);
        let address = forwarded.as_ref().map_or(peer, |it| it.address);
        let scheme = forwarded.as_ref().and_then(|it| it.scheme).unwrap_or("http");
        if let Some(host) = forwarded.and_then(|it| it.host) {
            // The proxy may reach the service by another name than its clients do.
            return hosts.knows(&host).then_some(Self { address, scheme, host });
        }
        let host = value.to_str().ok()?;
        // A whole address in the request line names a host too.
        let line = request.uri().authority().map(Authority::as_str);
        let meant = [Some(host), line].into_iter().flatten().all(|it| hosts.knows(it));
        meant.then(|| Self { address, scheme, host: host.to_owned() })
    }
}

/// Where the connection comes from; the unspecified address without one.
pub fn peer(extensions: &Extensions) -> IpAddr {
    extensions.get::<Peer>().map_or(IpAddr::from([0, 0, 0, 0]), |it| it.0.to_canonical())
}

/// Returns an address as one client has it: of IPv6 the network of 64 bits, of
/// which a client has all.
pub fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into()
        }
        address => address,
    }
}
