//! The guard: every request to a URL that a customer gave goes through here,
//! so that it reaches the public internet and nothing else. Used for webhooks,
//! media links and Data Connections. Of the latter, a configuration may name
//! the very hosts of a private network that may be reached.
//!
//! | step | file | what it refuses |
//! |---|---|---|
//! | the text | `urls.rs` | schemes, ports, user names, private literals |
//! | the name | `resolve.rs` | a name with any private address |
//! | the connection | `resolve.rs` | another end than the vetted address |
//! | the answer | `exchange.rs` | too much, too slow; redirects end here |
//!
//! Each fetch starts anew with a lookup and a connection of its own: nothing
//! is pooled, so that an answer about a name is never older than its use. No
//! proxy is asked, whatever the environment says.

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

/// The certificates the system trusts, read when something is first asked over
/// https: there are hundreds of files of them.
type SystemTrust = Arc<OnceLock<Option<Arc<ClientConfig>>>>;

/// What may be reached, and how. Cheap to clone.
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
    /// With the system's resolver, sockets and trusted certificates. Without
    /// trusted certificates it works, but every https fetch fails.
    pub fn system(policy: Policy) -> Self {
        Self { policy, named: Arc::from([]), network: Arc::new(SystemNetwork), trust: SystemTrust::default() }
    }

    /// With another network and other trusted certificates.
    pub fn with_network(policy: Policy, network: Arc<dyn GuardedNetwork>, trust: Arc<ClientConfig>) -> Self {
        Self { policy, named: Arc::from([]), network, trust: Arc::new(OnceLock::from(Some(trust))) }
    }

    /// The same guard, which also lets through to these hosts in private
    /// networks.
    #[must_use]
    pub fn allow_hosts(&self, hosts: &[String]) -> Self {
        Self { named: Arc::from(hosts), ..self.clone() }
    }

    /// Judges a URL by its text, under this guard's policy; see [`vet`].
    pub fn vet(&self, text: &str) -> Result<VettedUrl, UrlRefusal> {
        vet_with_hosts(text, self.policy, &self.named)
    }

    /// Sends one request to a vetted URL, over a connection of its own to an
    /// address that was vetted as well. An answer of any status is `Ok`.
    ///
    /// # Errors
    /// Why there is no answer, see [`FetchError`].
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
