//! Creates clients for a channel key, and refuses addresses that a key must not be sent to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderValue};

use crate::account::key_fingerprint;
use crate::answer_hashes::{AppliedAnswers, UnchangedFilter};
use crate::budget::SharedRetryBudget;
use crate::calls::{PendingReads, RequestRing};
use crate::contacts::NumberSearch;
use crate::deadline::Deadline;
use crate::local_listener::ListenerCheck;
use crate::pace::{RateBudget, RateSlot, ReadPriority};
use crate::pages::PageSize;
use crate::server_clock::ServerClock;
use crate::transport::{SocketTransport, Transport, UploadProgress};
use model::calls::Call;
use model::ids::{ChannelId, MessageId};
use model::outbox;
use model::secret::Secret;
use model::time::{Clock, Moment, Timestamp};

#[derive(Debug, Clone, Copy)]
pub struct ClientTimeouts {
    pub connect: Duration,
    /// Longest pause while receiving a response.
    pub idle: Duration,
    pub read_total: Duration,
    pub write_total: Duration,
    /// Maximum size of a response body after decompression, in bytes.
    pub body: usize,
}

impl Default for ClientTimeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            idle: Duration::from_secs(15),
            read_total: Duration::from_secs(30),
            write_total: Duration::from_secs(45),
            body: 16 * 1024 * 1024,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// Not a URL, or one with a part that is not allowed.
    #[error("base_url {url:?} cannot be used: {why}; it should look like https://api.example.com/v1")]
    BadUrl {
        /// As configured.
        url: String,
        why: String,
    },
    /// The key would be sent over a network without encryption.
    #[error(
        "base_url {url:?} must begin with https://, or http:// on this machine (127.0.0.1, [::1] and \
         localhost): otherwise the key would be sent unencrypted"
    )]
    Insecure {
        /// As configured.
        url: String,
    },
    /// The key has characters that are invalid in a header.
    #[error("the channel key contains invalid characters; copy it again")]
    BadKey,
}

/// Client of one server with one channel key. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    pub(crate) shared: Arc<ClientState>,
    pub(crate) urgency: ReadPriority,
    pub(crate) retries: SharedRetryBudget,
    /// Distinguishes the tabs that share the rate budget.
    pub(crate) rate_slot: RateSlot,
    pub(crate) applied: AppliedAnswers,
    /// Set to skip a response equal to the last one applied.
    pub(crate) unchanged_filter: Option<UnchangedFilter>,
    pub(crate) progress: Option<UploadProgress>,
    pub(crate) deadline: Deadline,
    /// Newest message that the writer has seen.
    pub(crate) seen: Option<HeaderValue>,
}

pub(crate) struct ClientState {
    pub(crate) transport: Arc<dyn Transport>,
    /// Headers of every request, including the key.
    pub(crate) headers: HeaderMap,
    /// Distinguishes keys without revealing them.
    pub(crate) key_fingerprint: String,
    /// Without a trailing slash.
    pub(crate) base_url: String,
    pub(crate) bounds: ClientTimeouts,
    pub(crate) pace: Mutex<RateBudget>,
    pub(crate) page_size: Mutex<PageSize>,
    next_rate_slot: AtomicU32,
    pub(crate) number_search: OnceLock<NumberSearch>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) server_clock: Mutex<ServerClock>,
    pub(crate) calls: RequestRing,
    pub(crate) unanswered: PendingReads,
    /// Number of responses received.
    pub(crate) answers: AtomicU64,
    warning: Option<String>,
}

impl Client {
    /// Creates a client. `clock` serves the rate budget and dates sent by the server. Fails if the
    /// address or the key is unusable; the error says what to change.
    pub fn new(base_url: &str, key: &Secret, clock: Arc<dyn Clock>) -> Result<Self, ClientError> {
        Self::with_timeouts(base_url, key, clock, ClientTimeouts::default())
    }

    pub fn with_timeouts(
        base_url: &str,
        key: &Secret,
        clock: Arc<dyn Clock>,
        bounds: ClientTimeouts,
    ) -> Result<Self, ClientError> {
        let address = check(base_url)?;
        let transport = Arc::new(SocketTransport::new(&address, bounds));
        Self::from_parts(transport, address, key, clock, bounds)
    }

    /// Creates a client with another transport than sockets, such as a simulation in this process.
    pub fn with_transport(
        transport: Arc<dyn Transport>,
        base_url: &str,
        key: &Secret,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ClientError> {
        Self::from_parts(transport, check(base_url)?, key, clock, ClientTimeouts::default())
    }

    fn from_parts(
        transport: Arc<dyn Transport>,
        address: Address,
        key: &Secret,
        clock: Arc<dyn Clock>,
        bounds: ClientTimeouts,
    ) -> Result<Self, ClientError> {
        let mut bearer =
            HeaderValue::from_str(&format!("Bearer {}", key.expose())).map_err(|_| ClientError::BadKey)?;
        bearer.set_sensitive(true);
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, bearer);
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        Ok(Self {
            shared: Arc::new(ClientState {
                transport,
                headers,
                key_fingerprint: key_fingerprint(key),
                base_url: address.url,
                bounds,
                pace: Mutex::new(RateBudget::default()),
                page_size: Mutex::default(),
                server_clock: Mutex::default(),
                next_rate_slot: AtomicU32::new(1),
                number_search: OnceLock::new(),
                clock,
                calls: RequestRing::default(),
                unanswered: PendingReads::default(),
                answers: AtomicU64::default(),
                warning: address.warning,
            }),
            urgency: ReadPriority::Background,
            retries: SharedRetryBudget::default(),
            rate_slot: 0,
            applied: AppliedAnswers::default(),
            unchanged_filter: None,
            progress: None,
            deadline: Deadline::default(),
            seen: None,
        })
    }

    /// Returns the recent requests, oldest first, labelled with `channel`.
    pub fn calls(&self, channel: &ChannelId) -> Vec<Call> {
        self.shared.calls.list(channel)
    }

    /// Returns the requests since the last call, to be stored for other processes.
    pub fn take_fresh_calls(&self, channel: &ChannelId) -> Vec<Call> {
        self.shared.calls.take_fresh(channel)
    }

    /// Returns the number of responses received, whatever their status.
    pub fn answer_count(&self) -> u64 {
        self.shared.answers.load(Ordering::Relaxed)
    }

    /// Returns when the oldest read without a response was sent.
    pub fn unanswered_since(&self) -> Option<Moment> {
        self.shared.unanswered.oldest()
    }

    /// Returns a client for reads a person waits for; it may use the share of the rate budget that
    /// polling leaves.
    #[must_use]
    pub fn for_person(&self) -> Self {
        Self { urgency: ReadPriority::Person, ..self.clone() }
    }

    #[must_use]
    pub fn with_deadline(&self, deadline: Deadline) -> Self {
        Self { deadline, ..self.clone() }
    }

    /// Returns `most`, shortened to the time left until the deadline.
    pub(crate) fn bounded_timeout(&self, most: Duration) -> Duration {
        self.deadline.bound(most, self.moment())
    }

    /// Returns a client whose writes name the newest message that their writer has seen: a service with a team
    /// refuses one that crosses a colleague's answer.
    #[must_use]
    pub fn with_seen(&self, message: &MessageId) -> Self {
        Self { seen: HeaderValue::from_str(message.as_str()).ok(), ..self.clone() }
    }

    #[must_use]
    pub fn with_progress(&self, progress: UploadProgress) -> Self {
        Self { progress: Some(progress), ..self.clone() }
    }

    #[must_use]
    pub fn with_retries(&self, retries: SharedRetryBudget) -> Self {
        Self { retries, ..self.clone() }
    }

    pub fn retries(&self) -> &SharedRetryBudget {
        &self.retries
    }

    /// Without a trailing slash.
    pub fn base_url(&self) -> &str {
        &self.shared.base_url
    }

    /// Returns a client for another tab with the same server and key; both share one rate budget.
    #[must_use]
    pub fn for_other_tab(&self) -> Self {
        let seat = self.shared.next_rate_slot.fetch_add(1, Ordering::Relaxed);
        Self { rate_slot: seat, applied: AppliedAnswers::default(), ..self.clone() }
    }

    /// Returns a warning about an unusual address.
    pub fn warning(&self) -> Option<&str> {
        self.shared.warning.as_deref()
    }

    /// Returns the share of the read budget in use, in percent of 300 per minute.
    pub fn budget_used_percent(&self) -> u8 {
        let now = self.moment();
        self.with_rate_budget(|pace| pace.percent_used(now))
    }

    /// Returns the server's time at `moment`; `None` if no response has given it yet.
    pub fn server_time(&self, moment: outbox::ClockTimes) -> Option<Timestamp> {
        self.with_server_clock(|server_clock| server_clock.at(moment))
    }

    pub(crate) fn with_server_clock<R>(&self, look: impl FnOnce(&mut ServerClock) -> R) -> R {
        look(&mut self.shared.server_clock.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.shared.clock.now()
    }

    /// Monotonic time, for pacing and measuring requests.
    pub(crate) fn moment(&self) -> Moment {
        self.shared.clock.moment()
    }

    pub(crate) fn with_page_size<R>(&self, look: impl FnOnce(&mut PageSize) -> R) -> R {
        let mut size = self.shared.page_size.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        look(&mut size)
    }

    pub(crate) fn with_rate_budget<R>(&self, look: impl FnOnce(&mut RateBudget) -> R) -> R {
        let mut pace = self.shared.pace.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        look(&mut pace)
    }
}

/// A server address that a key may be sent to.
#[derive(Debug)]
pub(crate) struct Address {
    url: String,
    pub(crate) is_loopback: bool,
    /// Set for http only: check of the local process behind the port.
    pub(crate) listener: Option<ListenerCheck>,
    warning: Option<String>,
}

impl Address {
    /// Returns the loopback addresses, used for `localhost` instead of a resolver's answer.
    pub(crate) fn loopback_addresses(&self) -> [SocketAddr; 2] {
        [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)]
            .map(|ip_addr| SocketAddr::new(ip_addr, 0))
    }
}

/// Fails if a key must not be sent to `base_url`; the text says what to change.
pub fn check_usable(base_url: &str) -> Result<(), ClientError> {
    check(base_url).map(drop)
}

fn check(base_url: &str) -> Result<Address, ClientError> {
    const SCHEME_MESSAGE: &str = "it must begin with https://, or http:// on this machine";
    let shown = || base_url.trim().to_owned();
    let bad = |why: &str| ClientError::BadUrl { url: shown(), why: why.to_owned() };
    let url = Url::parse(base_url.trim()).map_err(|error| match error {
        url::ParseError::RelativeUrlWithoutBase => bad(SCHEME_MESSAGE),
        other => bad(&other.to_string()),
    })?;
    if !url.username().is_empty() || url.password().is_some() {
        // Not shown: it may hold a password.
        return Err(ClientError::BadUrl {
            url: "…".into(),
            why: "it contains a user name or password".into(),
        });
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(bad("it contains a query (?) or a fragment (#)"));
    }
    if !matches!(url.scheme(), "https" | "http") {
        return Err(bad(SCHEME_MESSAGE));
    }
    let is_loopback = match url.host() {
        Some(host) => is_loopback(&host.to_string()),
        None => return Err(bad("it has no host name")),
    };
    if url.scheme() == "http" && !is_loopback {
        return Err(ClientError::Insecure { url: shown() });
    }
    let text = url.as_str().trim_end_matches('/').to_owned();
    let warning = (!text.ends_with("/v1"))
        .then(|| format!("base_url {text} does not end in /v1; requests may fail with 404"));
    let is_ipv4 = matches!(url.host(), Some(url::Host::Ipv4(_)));
    let port = url.port_or_known_default().filter(|_| url.scheme() == "http");
    let listener = port.map(|port| ListenerCheck { port, is_ipv4 });
    Ok(Address { url: text, is_loopback, listener, warning })
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|ip_addr| ip_addr.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_a_key_may_be_sent_to() {
        let good = [
            ("https://api.example.com/v1", "https://api.example.com/v1", false),
            (" https://api.example.com/v1/ ", "https://api.example.com/v1", false),
            ("http://127.0.0.1:8787/v1", "http://127.0.0.1:8787/v1", true),
            ("http://127.9.9.9/v1", "http://127.9.9.9/v1", true),
            ("http://[::1]:80/v1", "http://[::1]/v1", true),
            ("http://localhost:1/v1", "http://localhost:1/v1", true),
        ];
        for (url, text, loopback) in good {
            let address = check(url).expect(url);
            assert_eq!((address.url.as_str(), address.is_loopback), (text, loopback));
            assert!(address.warning.is_none());
        }
        assert!(check("https://api.example.com/").expect("usable").warning.is_some());
        for url in
            ["http://api.example.com/v1", "http://127.0.0.1.example.com/v1", "http://localhost.evil/v1"]
        {
            assert!(matches!(check(url), Err(ClientError::Insecure { .. })), "{url}");
        }
        for url in
            ["", "api.example.com/v1", "ftp://x/v1", "https://u:p@h/v1", "https://h/v1?a=b", "https://h/v1#a"]
        {
            assert!(matches!(check(url), Err(ClientError::BadUrl { .. })), "{url}");
        }
    }
}
