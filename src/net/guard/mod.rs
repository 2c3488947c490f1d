//! Fetches URLs given by customers (webhooks, media links, data connections) and lets requests
//! reach only the public internet. For data connections, a configuration may name hosts of private
//! networks that are allowed.
//!
//! | step | file | refuses |
//! |---|---|---|
//! | text | `urls.rs` | schemes, ports, user names, private literals |
//! | name | `resolve.rs` | names with any private address |
//! | connection | `resolve.rs` | a peer other than the vetted address |
//! | response | `exchange.rs` | too large, too slow; redirects are not followed |
//!
//! Each fetch makes its own lookup and connection. Nothing is pooled, so that a name is never
//! resolved earlier than it is used. Proxies from the environment are ignored.

use std::fmt;
use std::sync::{Arc, OnceLock};

use rustls::ClientConfig;
use tokio::time::timeout;

pub mod challenge;
mod exchange;
pub mod network;
pub mod request;
pub mod resolve;
#[cfg(test)]
pub(crate) mod tests;
mod tls;
pub mod urls;

pub use challenge::ChallengeError;
pub use network::{GuardedNetwork, SystemNetwork};
pub use request::{
    FetchError, FetchLimits, Fetched, HeaderError, OversizePolicy, Request, Unreachable, vet_header,
};
pub use tls::system_trust;
pub use urls::{ADDRESS_REFUSED, Policy, UrlRefusal, VettedUrl, is_loopback_address, vet, vet_with_hosts};

/// System certificates, loaded at the first https fetch because there are hundreds of files.
type SystemTrust = Arc<OnceLock<Option<Arc<ClientConfig>>>>;

/// Rules and network of guarded fetches. Cheap to clone.
#[derive(Clone)]
pub struct Guard {
    policy: Policy,
    named: Arc<[String]>,
    network: Arc<dyn GuardedNetwork>,
    trust: SystemTrust,
}

impl fmt::Debug for Guard {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Guard").field("policy", &self.policy).finish_non_exhaustive()
    }
}

impl Guard {
    /// Uses the system's resolver, sockets and certificates. Without certificates only https
    /// fetches fail.
    pub fn system(policy: Policy) -> Self {
        Self { policy, named: Arc::from([]), network: Arc::new(SystemNetwork), trust: SystemTrust::default() }
    }

    pub fn with_network(policy: Policy, network: Arc<dyn GuardedNetwork>, trust: Arc<ClientConfig>) -> Self {
        Self { policy, named: Arc::from([]), network, trust: Arc::new(OnceLock::from(Some(trust))) }
    }

    /// Returns a guard that also allows these hosts in private networks.
    #[must_use]
    pub fn allow_hosts(&self, hosts: &[String]) -> Self {
        Self { named: Arc::from(hosts), ..self.clone() }
    }

    /// Vets a URL by its text with this guard's policy; see [`vet`].
    pub fn vet(&self, text: &str) -> Result<VettedUrl, UrlRefusal> {
        vet_with_hosts(text, self.policy, &self.named)
    }

    /// Sends one request to a vetted URL, over a new connection to a vetted address. Returns `Ok`
    /// for a response of any status.
    pub async fn fetch(
        &self,
        url: &VettedUrl,
        request: Request,
        limits: FetchLimits,
    ) -> Result<Fetched, FetchError> {
        let fetched = match timeout(limits.total, self.fetch_untimed(url, request, limits)).await {
            Ok(fetched) => fetched,
            Err(_) => Err(FetchError::TimedOut),
        };
        if let Err(error) = &fetched {
            tracing::debug!(reason = ?error, "a guarded fetch failed");
        }
        fetched
    }

    fn trust(&self) -> Option<Arc<ClientConfig>> {
        let read = || {
            let none = "no trusted certificates: webhooks and media links over https will fail";
            tls::system_trust().inspect_err(|error| tracing::warn!(%error, none)).ok()
        };
        self.trust.get_or_init(read).clone()
    }

    async fn fetch_untimed(
        &self,
        url: &VettedUrl,
        request: Request,
        limits: FetchLimits,
    ) -> Result<Fetched, FetchError> {
        let stream = resolve::connect(url, self.network.as_ref()).await?;
        if !url.is_https() {
            return exchange::exchange(stream, url, request, limits).await;
        }
        let stream = tls::connect(stream, url, self.trust().ok_or(FetchError::Tls)?).await?;
        exchange::exchange(stream, url, request, limits).await
    }
}
