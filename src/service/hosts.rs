//! Host names the service answers to, and the base URL it gives to others.
//!
//! A request must name a known host, because a web page can point its own domain at any address (DNS
//! rebinding). Links carry `--public-url`, else the host of the request, else the listening address.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use url::{Host, Url};

use model::addresses::is_loopback;

/// Path of the interface below a base address.
const INTERFACE_PATH: &str = "/v1";

/// Host name or address without scheme and port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostName(Host<String>);

impl FromStr for HostName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let name = text.strip_suffix('.').unwrap_or(text);
        let address = name.parse::<IpAddr>().map(|ip_addr| match ip_addr.to_canonical() {
            IpAddr::V4(ip_addr) => Host::Ipv4(ip_addr),
            IpAddr::V6(ip_addr) => Host::Ipv6(ip_addr),
        });
        // Only the usual spelling of an address: no decimal or hex forms, which `Host::parse` would accept.
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        let named = || {
            let parsed = Host::parse(name).ok();
            parsed.filter(|host| matches!(host, Host::Domain(name) if name.bytes().all(is_plain)))
        };
        address.ok().or_else(named).map(Self).ok_or_else(|| {
            format!("{text:?} is not a host; give only a name or an address, such as desk.example.com")
        })
    }
}

/// Base address under which others reach the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    /// Without a trailing slash.
    text: String,
    host: HostName,
}

impl FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |what: &str| format!("{text:?} {what}, such as https://desk.example.com");
        let url = Url::parse(text).map_err(|_| wrong("is not an address; give a complete one"))?;
        let Some(host) = url.host_str() else { return Err(wrong("has no host; give a complete address")) };
        let host: HostName = host.trim_start_matches('[').trim_end_matches(']').parse()?;
        match url.scheme() {
            "https" => {}
            "http" if host.is_loopback() => {}
            _ => return Err(wrong("must begin with https:// (http:// on loopback only)")),
        }
        let has_more = url.query().is_some() || url.fragment().is_some();
        if has_more || !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("must have no user name, query (?) or fragment (#)"));
        }
        Ok(Self { text: url.as_str().trim_end_matches('/').to_owned(), host })
    }
}

impl HostName {
    fn is_loopback(&self) -> bool {
        match &self.0 {
            Host::Domain(name) => name == "localhost",
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        }
    }
}

/// Parses the host of `host` or `host:port`.
fn host_of(authority: &str) -> Option<HostName> {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !host.ends_with(':') => host,
        _ => authority,
    };
    // Names with a trailing dot are not recognised, so that each name has one spelling.
    let bare = host.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(host);
    if bare.ends_with('.') { None } else { bare.parse().ok() }
}

/// Returns true if `host` or `host:port` is a loopback name or address.
pub fn is_this_machine(authority: &str) -> bool {
    host_of(authority).is_some_and(|host| host.is_loopback())
}

#[derive(Debug, Clone)]
pub struct Hosts {
    named: Vec<HostName>,
    public: Option<PublicUrl>,
    /// Listening address as this machine reaches it, with scheme.
    local: String,
}

impl Hosts {
    /// Collects the named hosts, the host of the public address, and the listening address.
    pub fn new(named: &[HostName], public: Option<&PublicUrl>, listening: SocketAddr) -> Self {
        let mut named = named.to_vec();
        named.extend(public.map(|public| public.host.clone()));
        if !listening.ip().is_unspecified() {
            // An address is safe: no web page can point a domain at it.
            named.extend(listening.ip().to_string().parse::<HostName>().ok());
        }
        Self { named, public: public.cloned(), local: format!("http://{}", reachable_address(listening)) }
    }

    /// Returns true if `host` or `host:port` belongs to this service; loopback always does.
    pub fn accepts(&self, authority: &str) -> bool {
        host_of(authority).is_some_and(|host| host.is_loopback() || self.named.contains(&host))
    }

    /// Returns true if only loopback hosts are known.
    pub fn is_local_only(&self) -> bool {
        self.named.iter().all(HostName::is_loopback)
    }

    /// Base URL of the interface for this machine.
    pub fn local_url(&self) -> String {
        format!("{}{INTERFACE_PATH}", self.local)
    }

    /// Base URL of the interface for a client that used `scheme` and `authority`.
    pub fn base_url(&self, scheme: &str, authority: &str) -> String {
        match &self.public {
            Some(public) => format!("{}{INTERFACE_PATH}", public.text),
            None if self.is_named(authority) => format!("{scheme}://{authority}{INTERFACE_PATH}"),
            None => self.local_url(),
        }
    }

    /// Public base address without a trailing slash, if configured.
    pub fn public_url(&self) -> Option<&str> {
        self.public.as_ref().map(|public| public.text.as_str())
    }

    /// Returns the path below the interface of a link to this service.
    pub fn link_path<'a>(&self, link: &'a str) -> Option<&'a str> {
        let public = self.public.as_ref().map(|public| public.text.as_str());
        let known = public.into_iter().chain([self.local.as_str()]);
        let below = known.filter_map(|text| link.strip_prefix(text)).next();
        let rest = below.or_else(|| {
            let (_, rest) =
                link.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"))?;
            let (authority, _) = rest.split_once('/')?;
            self.is_named(authority).then(|| &rest[authority.len()..])
        })?;
        rest.strip_prefix(INTERFACE_PATH).filter(|text| text.starts_with('/'))
    }

    /// Returns true for a known host that is not loopback: a loopback link would lead each client to itself.
    fn is_named(&self, authority: &str) -> bool {
        host_of(authority).is_some_and(|host| !host.is_loopback() && self.named.contains(&host))
    }
}

/// Replaces the unspecified address by loopback.
fn reachable_address(listening: SocketAddr) -> SocketAddr {
    let ip = match listening.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::from([127, 0, 0, 1]),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]),
        ip => ip,
    };
    debug_assert!(is_loopback(ip) || ip == listening.ip());
    SocketAddr::new(ip, listening.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(named: &[&str], public: Option<&str>, listening: &str) -> Hosts {
        let named: Vec<HostName> = named.iter().map(|text| text.parse().expect("a host")).collect();
        let public: Option<PublicUrl> = public.map(|public| public.parse().expect("an address"));
        Hosts::new(&named, public.as_ref(), listening.parse().expect("an address"))
    }

    #[test]
    fn only_hosts_that_are_meant() {
        let hosts = hosts(
            &["Desk.example", "10.1.2.3", "fd00::7"],
            Some("https://public.example/desk/"),
            "192.168.7.7:8787",
        );
        let meant = [
            "127.0.0.1:8787",
            "127.0.0.1",
            "localhost:1",
            "LOCALHOST",
            "[::1]:8787",
            "desk.example:443",
            "DESK.EXAMPLE",
            "10.1.2.3:80",
            "[fd00::7]:8787",
            "public.example",
            "192.168.7.7:8787",
        ];
        for host in meant {
            assert!(hosts.accepts(host), "{host}");
        }
        let others = [
            "evil.example",
            "127.0.0.1.nip.io:80",
            "localhost.",
            "desk.example.",
            "",
            ":80",
            "10.1.2.4",
            "desk.example:x",
            "user@desk.example",
            "desk.example/",
            "[fd00::8]",
            "fd00::7::",
            "2130706433",
            "0x7f.1",
        ];
        for host in others {
            assert!(!hosts.accepts(host), "{host}");
        }
    }

    #[test]
    fn what_is_no_host_and_no_address_is_refused() {
        for text in ["", ".", "https://desk.example", "desk.example:80", "a b", "desk.example/x", "*"] {
            assert!(text.parse::<HostName>().is_err(), "{text}");
        }
        for text in [
            "desk.example",
            "http://desk.example",
            "ftp://desk.example",
            "https://me@desk.example",
            "https://desk.example/?a=b",
            "https://desk.example/#a",
            "https://",
        ] {
            assert!(text.parse::<PublicUrl>().is_err(), "{text}");
        }
        for text in ["http://127.0.0.1:9", "http://localhost:9/x/", "http://[::1]:9", "https://[fd00::7]"] {
            text.parse::<PublicUrl>().unwrap_or_else(|why| panic!("{why}"));
        }
    }

    #[test]
    fn links_carry_the_address_that_others_reach() {
        let plain = hosts(&["desk.example"], None, "0.0.0.0:8787");
        assert_eq!(plain.local_url(), "http://127.0.0.1:8787/v1");
        assert_eq!(plain.base_url("https", "desk.example"), "https://desk.example/v1");
        assert_eq!(plain.base_url("http", "desk.example:8787"), "http://desk.example:8787/v1");
        assert_eq!(plain.base_url("http", "localhost:9"), plain.local_url(), "theirs, not ours");
        assert_eq!(hosts(&[], None, "[::]:80").local_url(), "http://[::1]:80/v1");
        let public = hosts(&[], Some("https://public.example/desk/"), "127.0.0.1:8787");
        for authority in ["127.0.0.1:8787", "public.example", "elsewhere"] {
            assert_eq!(public.base_url("http", authority), "https://public.example/desk/v1");
        }
    }

    #[test]
    fn links_that_lead_here_are_known() {
        let hosts = hosts(&["old.example"], Some("https://public.example/desk"), "127.0.0.1:8787");
        for link in [
            "https://public.example/desk/v1/media/a/b",
            "http://127.0.0.1:8787/v1/media/a/b",
            "https://old.example/v1/media/a/b",
            "http://old.example:8787/v1/media/a/b",
        ] {
            assert_eq!(hosts.link_path(link), Some("/media/a/b"), "{link}");
        }
        for link in [
            "http://127.0.0.1:9999/v1/media/a/b",
            "https://old.example.evil.example/v1/media/a/b",
            "https://old.example@evil.example/v1/media/a/b",
            "https://evil.example/?https://old.example/v1/media/a/b",
            "ftp://old.example/v1/media/a/b",
            "https://old.example",
            "https://old.example/v1media/a/b",
            "https://public.example/v2/media/a/b",
        ] {
            assert_eq!(hosts.link_path(link), None, "{link}");
        }
    }
}
