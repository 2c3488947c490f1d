//! Vets URLs given by customers, by their text alone and without network access. Resolved addresses
//! are checked in `resolve.rs` at each fetch.

use std::fmt;
use std::net::IpAddr;

use hyper::Uri;
use url::{Host, Position, Url};

use model::addresses::{is_loopback, is_private, is_public};

/// Maximum length of a URL in bytes, as given and as the parser writes it.
pub const MAX_URL_BYTES: usize = 2_048;

pub const ALLOWED_PORTS: [u16; 2] = [443, 8443];

/// Error text for every bad host, so that a caller learns nothing about the internal network.
pub const ADDRESS_REFUSED: &str = "the URL must name a host on the public internet that can be reached";

const PRIVATE_NAMES: [&str; 4] = [".localhost", ".local", ".internal", ".home.arpa"];

/// Exceptions to the restriction to the public internet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Policy {
    /// Allows literal loopback addresses and `localhost`, over http and https and on any port, for
    /// development. A name that merely resolves to loopback stays refused.
    pub allow_loopback_http: bool,
}

/// Reason for refusing a URL, with a text for the developer who gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UrlRefusal {
    /// Longer than [`MAX_URL_BYTES`].
    #[error("the URL is longer than 2,048 bytes")]
    TooLong,
    /// Not a URL, or one that parsers read differently.
    #[error("this is not a valid URL")]
    Malformed,
    #[error("the URL must start with https://")]
    Scheme,
    #[error("the URL has no host")]
    NoHost,
    #[error("the URL must not carry a user name or password")]
    UserInfo,
    /// Includes an empty fragment.
    #[error("the URL must not have a fragment")]
    Fragment,
    #[error("the port must be 443 or 8443")]
    Port,
    #[error("{ADDRESS_REFUSED}")]
    Address,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A literal address in any spelling; a mapped IPv6 address becomes IPv4.
    Address(IpAddr),
    /// `localhost`; never resolved.
    Localhost,
    Name(String),
}

/// A URL that passed [`vet`]. Do not store it: store the text and vet it before each use, since the
/// policy may change.
#[derive(Clone, PartialEq, Eq)]
pub struct VettedUrl {
    url: Url,
    target: Uri,
    destination: Destination,
    port: u16,
    reach: UrlReach,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UrlReach {
    Public,
    /// Loopback only, for development.
    Loopback,
    /// Also private networks, because the configuration names the host.
    Named,
}

impl fmt::Debug for VettedUrl {
    /// Shows only the origin: paths and queries of webhooks often hold secrets.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "VettedUrl({}…)", &self.url[..Position::BeforePath])
    }
}

impl VettedUrl {
    /// Returns the URL as the parser writes it.
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    pub fn destination(&self) -> &Destination {
        &self.destination
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// True if the address may be connected to for this URL: a public one, a loopback one if the
    /// URL names loopback and the policy allows it, or a private one if the configuration names the
    /// host.
    pub fn is_admitted(&self, address: IpAddr) -> bool {
        match self.reach {
            UrlReach::Public => is_public(address),
            UrlReach::Loopback => is_loopback(address),
            UrlReach::Named => is_public(address) || is_private(address),
        }
    }

    /// Returns scheme, host and port; credentials must not be sent to another origin.
    pub fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// Returns the target of a redirect from here, not vetted.
    pub fn resolve_redirect(&self, location: &str) -> Option<String> {
        let mut url = self.url.join(location).ok()?;
        url.set_fragment(None);
        Some(url.into())
    }

    pub fn host_header(&self) -> &str {
        &self.url[Position::BeforeHost..Position::AfterPort]
    }

    pub fn target(&self) -> &Uri {
        &self.target
    }

    /// Returns the URL with one more percent-encoded query parameter; the existing query is
    /// unchanged. Fails if the result is not a valid request target.
    pub fn with_query(&self, name: &str, value: &str) -> Result<Self, UrlRefusal> {
        let mut url = self.url.clone();
        url.query_pairs_mut().append_pair(name, value);
        let target = request_target(&url)?;
        Ok(Self { url, target, ..self.clone() })
    }
}

/// Vets a URL by its text: https, no user name or password, no fragment, port 443 or 8443, at most
/// 2,048 bytes, and a host that is not known to be private.
pub fn vet(text: &str, policy: Policy) -> Result<VettedUrl, UrlRefusal> {
    vet_with_hosts(text, policy, &[])
}

/// Like [`vet`], but also allows the hosts of `named` in private networks, over http and on any
/// port: `orders.internal`, `10.0.0.5`, or `127.0.0.1:8080` for one port only.
pub fn vet_with_hosts(text: &str, policy: Policy, named: &[String]) -> Result<VettedUrl, UrlRefusal> {
    check_text(text)?;
    let url = Url::parse(text).map_err(|_| UrlRefusal::Malformed)?;
    if url.as_str().len() > MAX_URL_BYTES {
        return Err(UrlRefusal::TooLong);
    }
    if url.fragment().is_some() {
        return Err(UrlRefusal::Fragment);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(UrlRefusal::UserInfo);
    }
    let destination = destination_of(&url)?;
    let port = url.port_or_known_default().unwrap_or(0);
    let reach = match policy.allow_loopback_http && is_loopback_destination(&destination) {
        true => UrlReach::Loopback,
        false if named.iter().any(|text| is_named(&url, port, text)) => UrlReach::Named,
        false => UrlReach::Public,
    };
    if url.scheme() != "https" && !(reach != UrlReach::Public && url.scheme() == "http") {
        return Err(UrlRefusal::Scheme);
    }
    if port == 0 || !(reach != UrlReach::Public || ALLOWED_PORTS.contains(&port)) {
        return Err(UrlRefusal::Port);
    }
    match (reach, &destination) {
        (UrlReach::Public, _) => check_public(&destination)?,
        // Some addresses are refused even if named.
        (UrlReach::Named, Destination::Address(address)) if !is_public(*address) && !is_private(*address) => {
            return Err(UrlRefusal::Address);
        }
        _ => {}
    }
    let target = request_target(&url)?;
    Ok(VettedUrl { url, target, destination, port, reach })
}

/// True if the URL names a loopback address or `localhost`.
pub fn is_loopback_address(text: &str) -> bool {
    Url::parse(text)
        .ok()
        .and_then(|url| destination_of(&url).ok())
        .is_some_and(|to| is_loopback_destination(&to))
}

/// True if a configured host, with or without a port, is the host of the URL.
fn is_named(url: &Url, port: u16, word: &str) -> bool {
    let host = url.host_str().unwrap_or("").trim_end_matches('.');
    let word = word.to_ascii_lowercase();
    let with_port = format!("{host}:{port}");
    !host.is_empty() && (word == host || word == with_port)
}

/// Refuses text that the parser would silently correct: spaces, control characters, backslashes,
/// missing slashes, an empty user name.
fn check_text(text: &str) -> Result<(), UrlRefusal> {
    if text.len() > MAX_URL_BYTES {
        return Err(UrlRefusal::TooLong);
    }
    if text.chars().any(|character| character.is_control() || character.is_whitespace() || character == '\\')
    {
        return Err(UrlRefusal::Malformed);
    }
    let (scheme, rest) = text.split_once("://").ok_or(UrlRefusal::Scheme)?;
    if !(scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http")) {
        return Err(UrlRefusal::Scheme);
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
    if authority.is_empty() {
        return Err(UrlRefusal::NoHost);
    }
    if authority.contains('@') {
        return Err(UrlRefusal::UserInfo);
    }
    Ok(())
}

fn destination_of(url: &Url) -> Result<Destination, UrlRefusal> {
    match url.host().ok_or(UrlRefusal::NoHost)? {
        Host::Ipv4(address) => Ok(Destination::Address(IpAddr::V4(address))),
        Host::Ipv6(address) => Ok(Destination::Address(IpAddr::V6(address).to_canonical())),
        Host::Domain("localhost" | "localhost.") => Ok(Destination::Localhost),
        Host::Domain(name) if is_host_name(name) => Ok(Destination::Name(name.to_owned())),
        Host::Domain(_) => Err(UrlRefusal::Malformed),
    }
}

/// Accepts labels of 1 to 63 letters, digits, hyphens and underscores, at most 253 bytes in all,
/// optionally with a final dot. The parser has converted the name to lower case.
fn is_host_name(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
    let label = |text: &str| (1..=63).contains(&text.len()) && text.bytes().all(letter);
    name.len() <= 253 && name.split('.').all(label)
}

fn is_loopback_destination(destination: &Destination) -> bool {
    match destination {
        Destination::Address(address) => is_loopback(*address),
        Destination::Localhost => true,
        Destination::Name(_) => false,
    }
}

/// Refuses private hosts without a lookup. Also refuses a name without a dot: it is never public,
/// and the resolver would complete it from its search list.
fn check_public(destination: &Destination) -> Result<(), UrlRefusal> {
    let public = match destination {
        Destination::Address(address) => is_public(*address),
        Destination::Localhost => false,
        Destination::Name(name) => {
            let name = name.strip_suffix('.').unwrap_or(name);
            name.contains('.') && !PRIVATE_NAMES.iter().any(|ending| name.ends_with(ending))
        }
    };
    if public { Ok(()) } else { Err(UrlRefusal::Address) }
}

fn request_target(url: &Url) -> Result<Uri, UrlRefusal> {
    url[Position::BeforePath..Position::AfterQuery].parse().map_err(|_| UrlRefusal::Malformed)
}
