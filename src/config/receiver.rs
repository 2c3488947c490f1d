//! The `[receiver]` table: receiver of webhooks.

use std::net::SocketAddr;

use url::{Host, Url};

use crate::config::reading::Section;
use crate::config::{ConfigError, Mistakes};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiverConfig {
    pub listen: SocketAddr,
    /// URL at which the service reaches it.
    pub public_url: String,
}

/// Reads the table; a mistaken one counts as absent.
pub(crate) fn read(section: &Section<'_>, mistakes: &mut Mistakes) -> Option<ReceiverConfig> {
    mistakes.all(section.unknown());
    let listen = mistakes.collect(section.required("listen"));
    let public_url = mistakes.collect(section.required("public_url"));
    let (listen, public_url) = (listen?, public_url?);
    let address = mistakes.collect(address(section, &listen));
    let url = mistakes.collect(check_public_url(section, &public_url));
    Some(ReceiverConfig { listen: address?, public_url: url? })
}

fn address(section: &Section<'_>, text: &str) -> Result<SocketAddr, ConfigError> {
    text.trim().parse().map_err(|_| {
        section.error(
            "listen",
            &format!("listen = {text:?} is not an address with a port; write it as \"127.0.0.1:8790\""),
        )
    })
}

/// Checks the public URL: TLS is required outside loopback, and ends at the proxy in front.
fn check_public_url(section: &Section<'_>, text: &str) -> Result<String, ConfigError> {
    let wrong = |why: &str| section.error("public_url", &format!("public_url = {text:?} {why}"));
    let url = Url::parse(text.trim()).map_err(|error| wrong(&format!("is not an address: {error}")))?;
    let is_local = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => return Err(wrong("has no host")),
    };
    if url.scheme() != "https" && !(url.scheme() == "http" && is_local) {
        return Err(wrong("must begin with https://, except on loopback"));
    }
    if url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() {
        return Err(wrong("must be an address without query and user"));
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}
