//! `X-Forwarded-*` headers, trusted from listed proxies only, since any client can write them.

use std::net::IpAddr;
use std::str::FromStr;

use axum::http::HeaderMap;

const FORWARDED_FOR: &str = "x-forwarded-for";
const FORWARDED_PROTO: &str = "x-forwarded-proto";
const FORWARDED_HOST: &str = "x-forwarded-host";

/// Network such as `10.0.0.0/8`, or a single address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    prefix: IpAddr,
    bits: u32,
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is neither an address nor a network, such as 10.0.0.0/8");
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u32>().map_err(|_| wrong())?)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let (begins, all) = (address.to_canonical(), address_bits(address));
        let bits = bits.unwrap_or(all);
        // An IPv4 network may be written as mapped IPv6.
        let shorter = all - address_bits(begins);
        if bits > all || bits < shorter {
            return Err(wrong());
        }
        Ok(Self { prefix: begins, bits: bits - shorter })
    }
}

impl Network {
    pub fn contains(&self, address: IpAddr) -> bool {
        let begin = |address: IpAddr| {
            let (number, all) = match address {
                IpAddr::V4(ip) => (u128::from(ip.to_bits()), 32),
                IpAddr::V6(ip) => (ip.to_bits(), 128),
            };
            number.checked_shr(all - self.bits).unwrap_or(0)
        };
        let address = address.to_canonical();
        address.is_ipv4() == self.prefix.is_ipv4() && begin(address) == begin(self.prefix)
    }
}

/// Returns the length of an address of this kind, in bits.
fn address_bits(address: IpAddr) -> u32 {
    if address.is_ipv4() { 32 } else { 128 }
}

/// Client of a proxied request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forwarded {
    /// The client's address: the first one, from the end, that is no listed proxy.
    pub address: IpAddr,
    /// Scheme the client used, if the proxy says so.
    pub scheme: Option<&'static str>,
    /// Host the client named, if the proxy says so.
    pub host: Option<String>,
}

impl Forwarded {
    /// Reads the headers of a listed proxy; `None` for any other peer.
    pub fn from_peer(peer: IpAddr, headers: &HeaderMap, listed: &[Network]) -> Option<Self> {
        let is_listed = |ip_addr: IpAddr| listed.iter().any(|network| network.contains(ip_addr));
        if !is_listed(peer) {
            return None;
        }
        let mut address = peer;
        // Each proxy appends the peer it saw: entries before the first unlisted address were written by the
        // client.
        for entry in entries(headers, FORWARDED_FOR).rev() {
            let Some(before) = address_of(entry) else { break };
            address = before;
            if !is_listed(before) {
                break;
            }
        }
        let scheme = entries(headers, FORWARDED_PROTO).next_back().map(|entry| match entry {
            entry if entry.eq_ignore_ascii_case("https") => "https",
            _ => "http",
        });
        let host = entries(headers, FORWARDED_HOST).next_back().map(str::to_owned);
        Some(Self { address, scheme, host })
    }
}

pub fn is_forwarded(headers: &HeaderMap) -> bool {
    [FORWARDED_FOR, FORWARDED_PROTO, FORWARDED_HOST, "forwarded"]
        .iter()
        .any(|text| headers.contains_key(*text))
}

/// Returns the comma-separated entries of all headers of a name, in order; a header that is not text counts
/// as one empty entry.
fn entries<'a>(headers: &'a HeaderMap, name: &str) -> impl DoubleEndedIterator<Item = &'a str> {
    let values: Vec<&str> = headers
        .get_all(name)
        .iter()
        .flat_map(|header_value| header_value.to_str().unwrap_or("").split(',').map(str::trim))
        .collect();
    values.into_iter()
}

/// Parses an address with or without a port.
fn address_of(entry: &str) -> Option<IpAddr> {
    let bare = match entry.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?.0,
        None if entry.matches(':').count() == 1 => entry.split_once(':')?.0,
        None => entry,
    };
    bare.parse::<IpAddr>().ok().map(|ip_addr| ip_addr.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn networks_hold_what_begins_as_they_do() {
        let cases = [
            ("10.0.0.0/8", "10.255.1.2", true),
            ("10.1.2.3/8", "10.255.1.2", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("10.0.0.0/8", "::ffff:10.1.1.1", true),
            ("::ffff:10.0.0.0/104", "10.1.1.1", true),
            ("127.0.0.1", "127.0.0.1", true),
            ("127.0.0.1", "127.0.0.2", false),
            ("0.0.0.0/0", "203.0.113.1", true),
            ("0.0.0.0/0", "::1", false),
            ("fd00::/8", "fd12::1", true),
            ("fd00::/8", "fe80::1", false),
            ("::/0", "2001:db8::1", true),
            ("::1", "::1", true),
        ];
        for (network, member, holds) in cases {
            let network: Network = network.parse().expect("a network");
            assert_eq!(network.contains(address(member)), holds, "{network:?} {member}");
        }
        for text in
            ["", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0/8", "::/129", "::ffff:10.0.0.0/8", "proxy", "a/8"]
        {
            assert!(text.parse::<Network>().is_err(), "{text}");
        }
    }

    #[test]
    fn only_what_listed_proxies_wrote_is_believed() {
        let listed = ["10.0.0.0/8", "127.0.0.1"].map(|entry| entry.parse::<Network>().expect("a network"));
        let cases: [(&str, &[&str], &str); 12] = [
            ("10.0.0.1", &["203.0.113.7"], "203.0.113.7"),
            ("10.0.0.1", &["198.51.100.1, 203.0.113.7"], "203.0.113.7"),
            ("10.0.0.1", &["198.51.100.1", "203.0.113.7,10.0.0.2"], "203.0.113.7"),
            ("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["203.0.113.7:4711"], "203.0.113.7"),
            ("10.0.0.1", &["[2001:db8::1]:4711"], "2001:db8::1"),
            ("10.0.0.1", &["2001:db8::1"], "2001:db8::1"),
            ("10.0.0.1", &["203.0.113.7, unknown"], "10.0.0.1"),
            ("10.0.0.1", &["203.0.113.7, unknown, 10.0.0.9"], "10.0.0.9"),
            ("10.0.0.1", &[""], "10.0.0.1"),
            ("::ffff:127.0.0.1", &["203.0.113.7"], "203.0.113.7"),
        ];
        for (peer, values, client) in cases {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(FORWARDED_FOR, HeaderValue::from_static(value));
            }
            let read = Forwarded::from_peer(address(peer), &headers, &listed).expect("a listed proxy");
            assert_eq!(read.address, address(client), "{values:?}");
            assert_eq!(Forwarded::from_peer(address("192.0.2.1"), &headers, &listed), None);
        }
    }

    #[test]
    fn the_last_scheme_and_host_count() {
        let listed = ["10.0.0.1".parse::<Network>().expect("a network")];
        let mut headers = HeaderMap::new();
        let mut add = |name: &'static str, value| {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        };
        add(FORWARDED_PROTO, "http, HTTPS");
        add(FORWARDED_HOST, "evil.example");
        add(FORWARDED_HOST, "desk.example");
        let read = Forwarded::from_peer(address("10.0.0.1"), &headers, &listed).expect("a listed proxy");
        assert_eq!((read.scheme, read.host.as_deref()), (Some("https"), Some("desk.example")));
        headers.insert(FORWARDED_PROTO, HeaderValue::from_static("gopher"));
        let read = Forwarded::from_peer(address("10.0.0.1"), &headers, &listed).expect("a listed proxy");
        assert_eq!(read.scheme, Some("http"));
        assert!(is_forwarded(&headers) && !is_forwarded(&HeaderMap::new()));
    }
}
