//! Names that resolve to forbidden addresses, and connections that end at other peers than
//! requested.

use std::future::pending;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::time::Instant;

use crate::guard::network::Connected;
use crate::guard::resolve::LOOKUP_TIMEOUT;
use crate::guard::tests::bench::{Server, Stub, Tripwire, ok};
use crate::guard::tests::{DEVELOPMENT, PUBLIC, certificate};
use crate::guard::{
    FetchError, FetchLimits, Guard, GuardedNetwork, Policy, Request, SystemNetwork, Unreachable,
};

const HOOK: &str = "https://hooks.example/in";

async fn fetch(guard: &Guard, url: &str) -> Result<u16, FetchError> {
    let url = guard.vet(url).expect(url);
    guard.fetch(&url, Request::get(), FetchLimits::DELIVERY).await.map(|fetch| fetch.status)
}

fn refused(reason: Unreachable) -> Result<u16, FetchError> {
    Err(FetchError::Unreachable(reason))
}

#[tokio::test]
async fn one_forbidden_address_refuses_the_name() {
    for addresses in [
        &["93.184.216.34", "127.0.0.1"] as &[&str],
        &["127.0.0.1", "93.184.216.34"],
        &["93.184.216.34", "93.184.216.35", "93.184.216.36", "93.184.216.37", "93.184.216.38", "10.0.0.1"],
        &["169.254.169.254"],
        &["10.1.2.3"],
        &["::ffff:127.0.0.1"],
        &["2606:2800:220:1::1", "::1"],
        &["64:ff9b::7f00:1"],
        &["0.0.0.0"],
    ] {
        let server = Server::tls(|_| ok("")).await;
        for policy in [PUBLIC, DEVELOPMENT] {
            let (guard, stub) = Stub::new(&[("hooks.example", addresses)]).leading_to(&server).guard(policy);
            assert_eq!(fetch(&guard, HOOK).await, refused(Unreachable::Forbidden), "{addresses:?}");
            assert_eq!((stub.dialled(), server.accepted()), (vec![], 0), "{addresses:?}");
        }
    }
}

#[tokio::test]
async fn a_name_that_turns_private_is_refused_at_the_next_fetch() {
    let server = Server::tls(|_| ok("")).await;
    let stub = Stub::new(&[("hooks.example", &["93.184.216.34"])])
        .then("hooks.example", &["127.0.0.1"])
        .leading_to(&server);
    let (guard, stub) = stub.guard(PUBLIC);
    assert_eq!(fetch(&guard, HOOK).await, Ok(200));
    let vetted: SocketAddr = "93.184.216.34:443".parse().expect("an address");
    assert_eq!(
        (stub.dialled(), stub.lookups()),
        (vec![vetted], 1),
        "looked up once, for judging and for use"
    );
    assert_eq!(fetch(&guard, HOOK).await, refused(Unreachable::Forbidden), "no connection was kept");
    assert_eq!((stub.dialled(), stub.lookups(), server.accepted()), (vec![vetted], 2, 1));
}

#[tokio::test]
async fn each_fetch_has_a_lookup_and_a_connection_of_its_own() {
    let server = Server::tls(|_| ok("")).await;
    let (guard, stub) = Stub::new(&[("hooks.example", &["93.184.216.34"])]).leading_to(&server).guard(PUBLIC);
    for _ in 0..3 {
        assert_eq!(fetch(&guard, HOOK).await, Ok(200));
    }
    assert_eq!((server.accepted(), stub.lookups()), (3, 3));
}

#[tokio::test]
async fn host_and_sni_stay_the_name_and_the_peer_the_address() {
    let server = Server::tls(|_| ok("")).await;
    let stub = Stub::new(&[("hooks.example", &["::ffff:93.184.216.34"])]).leading_to(&server);
    let (guard, stub) = stub.guard(PUBLIC);
    assert_eq!(fetch(&guard, "https://hooks.example:8443/in?a=b").await, Ok(200));
    assert_eq!(stub.dialled(), ["93.184.216.34:8443".parse().expect("an address")], "as it was judged");
    let requests = server.requests();
    assert_eq!(requests[0], "SNI hooks.example");
    assert!(requests[1].starts_with("GET /in?a=b HTTP/1.1\r\n"), "{}", requests[1]);
    assert!(requests[1].contains("host: hooks.example:8443\r\n"), "{}", requests[1]);
    assert!(requests[1].contains("connection: close\r\n"), "{}", requests[1]);
}

#[tokio::test]
async fn another_end_than_the_vetted_address_is_refused() {
    for impostor in ["127.0.0.1:443", "93.184.216.35:443", "93.184.216.34:8443"] {
        let server = Server::tls(|_| ok("")).await;
        let stub = Stub::new(&[("hooks.example", &["93.184.216.34"])]).leading_to(&server);
        let (guard, _) = stub.impersonated_by(impostor).guard(PUBLIC);
        assert_eq!(fetch(&guard, HOOK).await, refused(Unreachable::Forbidden), "{impostor}");
        assert_eq!(server.requests(), [] as [&str; 0], "nothing was said to it");
    }
}

#[tokio::test]
async fn the_next_address_is_tried_when_one_is_dead() {
    let server = Server::tls(|_| ok("")).await;
    let names: &[(&str, &[&str])] = &[("hooks.example", &["2606:2800:220:1::1", "93.184.216.34"])];
    let stub = Stub::new(names).leading_to(&server).without("2606:2800:220:1::1");
    let (guard, stub) = stub.guard(PUBLIC);
    assert_eq!(fetch(&guard, HOOK).await, Ok(200));
    assert_eq!(stub.dialled().len(), 2);

    let (guard, stub) = Stub::new(names).guard(PUBLIC);
    assert_eq!(fetch(&guard, HOOK).await, refused(Unreachable::NoAnswer));
    assert_eq!(stub.dialled().len(), 2, "each was tried once");
}

#[tokio::test]
async fn names_without_addresses_are_refused_in_the_same_words() {
    let (guard, stub) = Stub::new(&[("empty.example", &[])]).guard(PUBLIC);
    for url in ["https://empty.example/", "https://unknown.example/"] {
        assert_eq!(fetch(&guard, url).await, refused(Unreachable::NoAddress), "{url}");
    }
    assert_eq!(stub.dialled(), []);
}

#[tokio::test]
async fn a_certificate_for_another_name_is_refused() {
    let server = Server::tls(|_| ok("")).await;
    let (guard, _) = Stub::new(&[("other.example", &["93.184.216.34"])]).leading_to(&server).guard(PUBLIC);
    assert_eq!(fetch(&guard, "https://other.example/").await, Err(FetchError::Tls));
    let plain = Server::plain(|_| ok("")).await;
    let (guard, _) = Stub::new(&[("hooks.example", &["93.184.216.34"])]).leading_to(&plain).guard(PUBLIC);
    assert_eq!(fetch(&guard, HOOK).await, Err(FetchError::Tls), "https is never spoken in the clear");
    assert_eq!((server.requests().len(), plain.requests().len()), (0, 0));
}

/// The test certificate is not among the system's, even if there are any.
#[tokio::test]
async fn the_system_does_not_trust_just_anyone() {
    let server = Server::tls(|_| ok("")).await;
    let guard = Guard::system(DEVELOPMENT);
    let url = format!("https://localhost:{}/", server.address.port());
    assert_eq!(fetch(&guard, &url).await, Err(FetchError::Tls));
    assert_eq!(server.requests().iter().filter(|request| request.contains("HTTP")).count(), 0);
}

/// A resolver that never answers.
struct Mute;

impl GuardedNetwork for Mute {
    fn lookup<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(pending())
    }

    fn connect(&self, _: SocketAddr) -> BoxFuture<'_, io::Result<Connected>> {
        panic!("there is no address to connect to")
    }
}

#[tokio::test(start_paused = true)]
async fn a_resolver_that_never_answers_is_given_up_after_five_seconds() {
    let guard = Guard::with_network(PUBLIC, Arc::new(Mute), certificate::trust());
    let start = Instant::now();
    assert_eq!(fetch(&guard, HOOK).await, refused(Unreachable::NoAddress));
    assert!(start.elapsed() >= LOOKUP_TIMEOUT && start.elapsed() < LOOKUP_TIMEOUT * 2);
}

/// Loopback addresses, such as the service's own, are reached by their literal in development only.
#[tokio::test]
async fn loopback_is_reached_only_by_its_own_name_and_only_in_development() {
    let wire = Tripwire::set();
    let port = wire.address().port();
    let guard = Guard::with_network(PUBLIC, Arc::new(SystemNetwork), certificate::trust());
    assert!(guard.vet(&format!("http://127.0.0.1:{port}/")).is_err());
    assert!(guard.vet(&format!("https://localhost:{port}/")).is_err());
    assert!(wire.is_untouched());

    let server = Server::plain(|_| ok("")).await;
    let port = server.address.port();
    let development = Policy { allow_loopback_http: true };
    let guard = Guard::with_network(development, Arc::new(SystemNetwork), certificate::trust());
    for host in ["127.0.0.1", "localhost", "0x7f.1", "[::ffff:127.0.0.1]"] {
        assert_eq!(fetch(&guard, &format!("http://{host}:{port}/")).await, Ok(200), "{host}");
    }
    assert_eq!(server.accepted(), 4);
}
