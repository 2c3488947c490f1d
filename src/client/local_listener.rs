//! Checks which user owns a local port before an API key is sent there unencrypted.
//!
//! Accepted owners are the current user, root and the configured `service_uid`. Any local
//! user could bind a port that is free. The check reads `/proc/net/tcp` and
//! `/proc/net/tcp6`; on systems other than Linux every connection is accepted.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use tower::{BoxError, Layer, Service};

/// Number of lookups without a listener before the port counts as unused.
#[cfg(target_os = "linux")]
const MIN_EMPTY_CHECKS: u32 = 3;

/// Configured service users, by port.
static TRUSTED_USERS: Mutex<BTreeMap<u16, u32>> = Mutex::new(BTreeMap::new());

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ForeignListener {
    #[error(
        "port {0} of this machine belongs to another user (uid {1}), so the key was not sent; if that is \
         your service, set service_uid = {1} in its channel"
    )]
    User(u16, u32),
    /// No listener is left on the port of the new connection.
    #[error("no process listens on port {0} of this machine any more; the key was not sent")]
    NoListener(u16),
}

/// Accepts `uid` as the owner of the local service at `base_url`.
pub fn trust_user(base_url: &str, uid: u32) {
    let url = reqwest::Url::parse(base_url.trim()).ok();
    let Some(port) = url.and_then(|url| url.port_or_known_default()) else { return };
    TRUSTED_USERS.lock().unwrap_or_else(PoisonError::into_inner).insert(port, uid);
}

/// Checks the owner of a port after connecting to it.
fn inspect_listener(check: ListenerCheck) -> Result<(), ForeignListener> {
    #[cfg(target_os = "linux")]
    {
        let mut found = inspect_once(check);
        for _ in 1..MIN_EMPTY_CHECKS {
            // The kernel writes the table in pieces and may skip an existing row if other sockets
            // close meanwhile.
            if !matches!(found, Err(ForeignListener::NoListener(_))) {
                break;
            }
            found = inspect_once(check);
        }
        found
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = check;
        Ok(())
    }
}

#[cfg(target_os = "linux")]
fn inspect_once(check: ListenerCheck) -> Result<(), ForeignListener> {
    let mut listeners = parse_listeners("/proc/net/tcp");
    // A listener bound to an IPv4 address takes precedence over one bound to all of IPv6.
    if !check.is_ipv4 || !listeners.iter().any(|listener| listener.0 == check.port) {
        listeners.extend(parse_listeners("/proc/net/tcp6"));
    }
    let known = TRUSTED_USERS.lock().unwrap_or_else(PoisonError::into_inner).get(&check.port).copied();
    judge(&listeners, check.port, &[Some(0), Some(rustix::process::geteuid().as_raw()), known])
}

/// Returns port and user id of each listener in a table under `/proc/net`.
#[cfg(target_os = "linux")]
fn parse_listeners(table: &str) -> Vec<(u16, u32)> {
    // Reads one row at a time: each further row may make the kernel walk all connections.
    const ROW_BYTES: usize = 150;
    std::fs::File::open(table)
        .map(|file| listeners(BufReader::with_capacity(ROW_BYTES, file)))
        .unwrap_or_default()
}

/// Returns the listeners reachable on loopback; the kernel lists listeners before connections.
fn listeners(table: impl BufRead) -> Vec<(u16, u32)> {
    let rows = table.lines().skip(1).map_while(Result::ok);
    rows.map_while(|row| is_listening(&row).then(|| listener(&row))).flatten().collect()
}

/// Fails if a listener on `port` belongs to none of `own`, or if there is no listener. An empty
/// table passes.
fn judge(listeners: &[(u16, u32)], port: u16, own: &[Option<u32>]) -> Result<(), ForeignListener> {
    let mut here = listeners.iter().filter(|listener| listener.0 == port).peekable();
    // An empty table means that the system hides its sockets.
    if here.peek().is_none() && !listeners.is_empty() {
        return Err(ForeignListener::NoListener(port));
    }
    match here.find(|pair| !own.contains(&Some(pair.1))) {
        Some((_, uid)) => Err(ForeignListener::User(port, *uid)),
        None => Ok(()),
    }
}

fn is_listening(row: &str) -> bool {
    row.split_whitespace().nth(3) == Some("0A")
}

/// Returns port and user id of a row if its address accepts loopback connections.
fn listener(row: &str) -> Option<(u16, u32)> {
    let fields: Vec<&str> = row.split_whitespace().collect();
    let (address, port) = fields.get(1)?.split_once(':')?;
    let reaches = address.bytes().all(|byte| byte == b'0')
        || (address.len() == 8 && address.ends_with("7F"))
        || address == "00000000000000000000000001000000"
        || (address.starts_with("0000000000000000FFFF0000") && address.ends_with("7F"));
    reaches.then(|| Some((u16::from_str_radix(port, 16).ok()?, fields.get(7)?.parse().ok()?))).flatten()
}

/// Connector layer that checks the owner of the port after each connect.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListenerCheck {
    pub(crate) port: u16,
    /// True if the host is an IPv4 address.
    pub(crate) is_ipv4: bool,
}

impl<S> Layer<S> for ListenerCheck {
    type Service = Connector<S>;

    fn layer(&self, inner: S) -> Connector<S> {
        Connector { inner, check: *self }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Connector<S> {
    inner: S,
    check: ListenerCheck,
}

impl<S, R> Service<R> for Connector<S>
where
    S: Service<R, Error = BoxError>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<S::Response, BoxError>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, to: R) -> Self::Future {
        let (made, check) = (self.inner.call(to), self.check);
        Box::pin(async move {
            let connection = made.await?;
            inspect_listener(check)?;
            Ok(connection)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLES: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
        0: 0100007F:2253 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0\n\
        1: 00000000:2254 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 2 1 0 100 0 0 10 0\n\
        3: 0501A8C0:2253 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 4 1 0 100 0 0 10 0\n\
        0: 00000000000000000000000000000000:2256 00000000000000000000000000000000:0000 0A 0:0 0:0 0  0 0 5 1 0\n\
        1: 00000000000000000000000001000000:2257 00000000000000000000000000000000:0000 0A 0:0 0:0 0  1001 0 6 1 0\n\
        2: 0000000000000000FFFF00000100007F:2258 00000000000000000000000000000000:0000 0A 0:0 0:0 0  1001 0 7 1 0\n\
        3: 0100007F:2255 0100007F:9999 01 00000000:00000000 00:00000000 00000000  1001        0 3 1 0 100 0 0 10 0\n";

    #[test]
    fn a_port_is_this_users_or_roots_or_refused() {
        let own = [Some(0), Some(1000), None];
        let cases = [
            (0x2253, Ok(())),
            (0x2254, Err(ForeignListener::User(0x2254, 1001))),
            (0x2255, Err(ForeignListener::NoListener(0x2255))),
            (0x2256, Ok(())),
            (0x2257, Err(ForeignListener::User(0x2257, 1001))),
            (0x2258, Err(ForeignListener::User(0x2258, 1001))),
            (0x2259, Err(ForeignListener::NoListener(0x2259))),
        ];
        let listeners = listeners(TABLES.as_bytes());
        for (port, judged) in cases {
            assert_eq!(judge(&listeners, port, &own), judged, "{port:x}");
        }
        assert_eq!(
            judge(&listeners, 0x2254, &[Some(0), Some(1000), Some(1001)]),
            Ok(()),
            "the configuration names them"
        );
        assert_eq!(judge(&[], 0x2254, &own), Ok(()), "a system that tells nothing");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_tells_who_listens() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        assert_eq!(inspect_listener(ListenerCheck { port, is_ipv4: true }), Ok(()));
        assert_eq!(inspect_listener(ListenerCheck { port, is_ipv4: false }), Ok(()));
    }
}
