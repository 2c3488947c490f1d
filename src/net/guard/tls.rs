//! TLS for guarded connections. Server name and certificate must match the name in the URL,
//! whatever the address.

use std::net::IpAddr;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::guard::request::FetchError;
use crate::guard::urls::{Destination, VettedUrl};

pub fn system_trust() -> Result<Arc<ClientConfig>, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_platform_verifier()?
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// Performs the TLS handshake with the URL's host. Every failure is [`FetchError::Tls`].
pub async fn connect(
    stream: TcpStream,
    url: &VettedUrl,
    trust: Arc<ClientConfig>,
) -> Result<TlsStream<TcpStream>, FetchError> {
    let name = server_name(url.destination()).ok_or(FetchError::Tls)?;
    TlsConnector::from(trust).connect(name, stream).await.map_err(|_| FetchError::Tls)
}

fn server_name(destination: &Destination) -> Option<ServerName<'static>> {
    match destination {
        Destination::Address(address) => Some(IpAddr::into(*address)),
        Destination::Localhost => ServerName::try_from("localhost").ok(),
        // Certificates contain names without the final dot.
        Destination::Name(name) => ServerName::try_from(name.trim_end_matches('.').to_owned()).ok(),
    }
}
