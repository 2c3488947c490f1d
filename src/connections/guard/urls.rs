//! Which URLs may be fetched for a customer, judged by their text alone.
//!
//! No network: what a name stands for is judged when it is resolved,
//! in `resolve.rs`, at each fetch.

use std::fmt;
use std::net::IpAddr;

use hyper::Uri;
use url::{Host, Position, Url};

use model::addresses::{is_loopback, is_private, is_public};

/// Bytes a URL may have, as given and as the parser writes it.
pub const MAX_URL_BYTES: usize = 2_048;

/// Ports that may be reached.
pub const ALLOWED_PORTS: [u16; 2] = [443, 8443];

/// The one text for all that is wrong with an address, whether the URL names
/// it or a name stands for it: who asks learns nothing about our network.
pub const ADDRESS_REFUSED: &str = "the URL must name a host on the public internet that answers";

/// Endings of names that belong to some private network.
const PRIVATE_NAMES: [&str; 4] = [".localhost", ".local", ".internal", ".home.arpa"];

/// What is allowed besides the public internet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Policy {
    /// Literal loopback addresses and `localhost`, over http as well as
    /// https, on any port. For development; a name that merely resolves to
    /// loopback stays refused.
    pub allow_loopback_http: bool,
}

/// Why a URL is refused, in words for the developer who gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UrlRefusal {
    /// Longer than [`MAX_URL`].
    #[error("the URL is longer than 2,048 bytes")]
    TooLong,
    /// Not a URL, or one that different readers would read differently.
    #[error("this is not a valid URL")]
    Malformed,
    #[error("the URL must start with https://")]
    Scheme,
    /// Nothing between the scheme and the path.
    #[error("the URL names no host")]
    NoHost,
    /// A user name or password.
    #[error("the URL must not carry a user name or password")]
    UserInfo,
    /// A fragment, even an empty one.
    #[error("the URL must not have a fragment")]
    Fragment,
    /// A port that is not in [`PORTS`].
    #[error("the port must be 443 or 8443")]
    Port,
    /// A host that is not on the public internet.
    #[error("{ADDRESS_REFUSED}")]
    Address,
}

/// Where a URL leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A literal address, in whatever spelling; IPv4 if it is a mapped one.
    Address(IpAddr),
    /// `localhost`, which is never looked up.
    Localhost,
    Name(String),
}

/// A URL that passed [`vet`]. Do not keep it: keep the text and vet it again
/// before each use, since the policy may change.
#[derive(Clone, PartialEq, Eq)]
pub struct VettedUrl {
    url: Url,
    target: Uri,
    destination: Destination,
    port: u16,
    reach: UrlReach,
}

/// Which addresses a URL may lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UrlReach {
    /// The public internet.
    Public,
    /// Loopback, in development.
    Loopback,
    /// Also private networks: a configuration names this very host.
    Named,
}

impl fmt::Debug for VettedUrl {
    /// Only the origin: paths and queries of webhooks often hold secrets.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "VettedUrl({}…)", &self.url[..Position::BeforePath])
    }
}

impl VettedUrl {
    /// The URL as the parser writes it.
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// Where it leads.
    pub fn destination(&self) -> &Destination {
        &self.destination
    }

    /// The port to connect to.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Whether it is reached over TLS.
    pub fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Whether an address may be connected to for this URL: a public one, a
    /// loopback one if the URL names loopback and the policy allowed it, or a
    /// private one if the configuration names the host.
    pub fn is_admitted(&self, address: IpAddr) -> bool {
        match self.reach {
            UrlReach::Public => is_public(address),
            UrlReach::Loopback => is_loopback(address),
            UrlReach::Named => is_public(address) || is_private(address),
        }
    }

    /// Scheme, host and port: what a credential may be sent to again.
    pub fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// Where a redirect from here leads, not judged yet.
    pub fn resolve_redirect(&self, location: &str) -> Option<String> {
        let mut url = self.url.join(location).ok()?;
        url.set_fragment(None);
        Some(url.into())
    }

    /// The value of the Host header: the host, and the port if it is unusual.
    pub fn host_header(&self) -> &str {
        &self.url[Position::BeforeHost..Position::AfterPort]
    }

    /// The path and query to ask for.
    pub fn target(&self) -> &Uri {
        &self.target
    }

    /// The same URL with one more query parameter, percent-encoded; the query
    /// it has is kept as it is.
    ///
    /// # Errors
    /// [`UrlRefusal::Malformed`] if the result cannot be asked for.
    pub fn with_query(&self, name: &str, value: &str) -> Result<Self, UrlRefusal> {
        let mut url = self.url.clone();
        url.query_pairs_mut().append_pair(name, value);
        let target = request_target(&url)?;
        Ok(Self { url, target, ..self.clone() })
    }
}

/// Judges a URL by its text: https, no user name, ports 443 and 8443, at most
/// 2,048 bytes, no fragment, and a host that is not known to be private.
///
/// # Errors
/// See [`UrlRefusal`].
pub fn vet(text: &str, policy: Policy) -> Result<VettedUrl, UrlRefusal> {
    vet_with_hosts(text, policy, &[])
}

/// The same, with hosts that a configuration names and that may be in private
/// networks, over http and on any port: `orders.internal`, `10.0.0.5`, or
/// `127.0.0.1:8080` for one port only.
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
        // Named or not: some addresses are nobody's to name.
        (UrlReach::Named, Destination::Address(address)) if !is_public(*address) && !is_private(*address) => {
            return Err(UrlRefusal::Address);
        }
        _ => {}
    }
    let target = request_target(&url)?;
    Ok(VettedUrl { url, target, destination, port, reach })
}

/// True if an address leads to this machine by its text: a loopback address or
/// `localhost`.
pub fn is_loopback_address(text: &str) -> bool {
    Url::parse(text)
        .ok()
        .and_then(|url| destination_of(&url).ok())
        .is_some_and(|to| is_loopback_destination(&to))
}

/// Whether a configuration's word for a host, perhaps with a port, is this
/// URL's.
fn is_named(url: &Url, port: u16, word: &str) -> bool {
    let host = url.host_str().unwrap_or("").trim_end_matches('.');
    let word = word.to_ascii_lowercase();
    let with_port = format!("{host}:{port}");
    !host.is_empty() && (word == host || word == with_port)
}

/// What the parser would quietly mend or drop is refused before it is asked:
/// spaces, controls, backslashes, missing slashes, an empty user name.
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

/// Labels of 1 to 63 letters, digits, hyphens and underscores, at most 253
/// bytes, perhaps with a dot at the end. The parser has folded the case.
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

/// Refuses what is private without asking anyone. A name without a dot is
/// never public, and search lists would complete it.
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
