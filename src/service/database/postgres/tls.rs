//! TLS to a database server, verified by the system's certificates or those of a file, for the host
//! name in the URL.

use std::fmt;
use std::future::Future;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream as Stream;

#[derive(Clone)]
pub struct ServerTls {
    trust: Arc<ClientConfig>,
}

pub struct NamedTls {
    trust: Arc<ClientConfig>,
    name: ServerName<'static>,
}

pub struct Encrypted<S>(Stream<S>);

impl ServerTls {
    pub fn trusting(file: Option<&Path>) -> Result<Self, String> {
        let Some(file) = file else {
            return Ok(Self { trust: net::guard::system_trust().map_err(|error| error.to_string())? });
        };
        let unfit =
            |why: &dyn fmt::Display| format!("could not read {} (sslrootcert): {why}", file.display());
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_file_iter(file).map_err(|error| unfit(&error))? {
            roots.add(certificate.map_err(|error| unfit(&error))?).map_err(|error| unfit(&error))?;
        }
        if roots.is_empty() {
            return Err(unfit(&"it contains no certificate"));
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self { trust: Arc::new(config) })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for ServerTls {
    type Stream = Encrypted<S>;
    type TlsConnect = NamedTls;
    type Error = io::Error;

    fn make_tls_connect(&mut self, domain: &str) -> io::Result<NamedTls> {
        let name = ServerName::try_from(domain.to_owned()).map_err(io::Error::other)?;
        Ok(NamedTls { trust: Arc::clone(&self.trust), name })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for NamedTls {
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        let Self { trust, name } = self;
        Box::pin(async move { Ok(Encrypted(TlsConnector::from(trust).connect(name, stream).await?)) })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
