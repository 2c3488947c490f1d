//! Address, scheme and host of a request's client.

use std::net::{IpAddr, Ipv6Addr};

use axum::extract::Request;
use axum::http::uri::Authority;
use axum::http::{Extensions, header};

use crate::forwarded::{Forwarded, Network};
use crate::hosts::Hosts;

/// Remote address of a connection; the server adds it to each request as an extension.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub IpAddr);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientInfo {
    pub address: IpAddr,
    /// `http` or `https`.
    pub scheme: &'static str,
    /// Host the client named, with the port if there is one.
    pub host: String,
}

impl ClientInfo {
    /// Reads the client from a request, trusting forwarding headers of listed proxies only. Returns `None` if
    /// the named host is not one of the service: this stops web pages that point their own domain at this
    /// machine (DNS rebinding).
    pub fn of(request: &Request, hosts: &Hosts, proxies: &[Network]) -> Option<Self> {
        let mut values = request.headers().get_all(header::HOST).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return None };
        let peer = peer(request.extensions());
        let forwarded = Forwarded::from_peer(peer, request.headers(), proxies);
        let address = forwarded.as_ref().map_or(peer, |forwarded| forwarded.address);
        let scheme = forwarded.as_ref().and_then(|forwarded| forwarded.scheme).unwrap_or("http");
        if let Some(host) = forwarded.and_then(|forwarded| forwarded.host) {
            // A proxy may reach the service by another name than its clients do.
            return hosts.accepts(&host).then_some(Self { address, scheme, host });
        }
        let host = value.to_str().ok()?;
        // An absolute request URI names a host, too.
        let line = request.uri().authority().map(Authority::as_str);
        let meant = [Some(host), line].into_iter().flatten().all(|text| hosts.accepts(text));
        meant.then(|| Self { address, scheme, host: host.to_owned() })
    }
}

/// Returns the remote address of the connection; the unspecified address without one.
pub fn peer(extensions: &Extensions) -> IpAddr {
    extensions.get::<Peer>().map_or(IpAddr::from([0, 0, 0, 0]), |extension| extension.0.to_canonical())
}

/// Returns the address by which one client is counted: for IPv6 its /64 network, all of which belongs to one
/// client.
pub fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into()
        }
        address => address,
    }
}
