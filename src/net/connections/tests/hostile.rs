//! Hostile servers and addresses: no request reaches a forbidden address, and every call ends in
//! time.

use std::sync::Arc;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::connections::answers::ResponseError;
use crate::connections::review::review_secret;
use crate::connections::tests::{HandClock, call, caller, failed, orders, to};
use crate::connections::{CallError, EndpointCaller, review};
use crate::guard::tests::bench::{Answer, Server, Stub, Tripwire, ok};
use crate::guard::tests::{certificate, corpus};
use crate::guard::{FetchError, Guard, Policy, SystemNetwork, Unreachable};
use model::addresses::is_public;
use model::connections::{Auth, CallResult, Connection, EndpointMethod};

fn public(base_url: &str) -> Connection {
    Connection { endpoints: vec![orders()], per_minute: 6_000, ..Connection::new("shop", base_url) }
}

#[tokio::test]
async fn the_whole_corpus_of_urls_is_refused_as_a_base_and_as_a_redirect() {
    let (guard, stub) = Stub::new(&[("127.0.0.1.nip.io", &["127.0.0.1"])]).guard(Policy::default());
    let caller = EndpointCaller::new(guard, HandClock::new());
    let hosts = corpus("ssrf-url");
    for url in &hosts {
        let connection = public(url);
        let called = call(&caller, &connection, "").await;
        assert!(called.answer.is_err(), "{url}");
        if !url.contains("nip.io") {
            assert!(!review(&connection, Policy::default()).is_empty(), "{url} could be saved");
        }
    }
    assert_eq!(stub.dialled(), [], "no packet to anyone");

    // The redirecting server is permitted; its targets are not.
    for url in hosts
        .into_iter()
        .filter(|host| !host.contains(['\n', '\r', '\t']) && host.is_ascii() && host.len() < 2_048)
    {
        let leads = url.clone();
        let server = Server::plain(move |_| {
            Answer::from(
                format!("HTTP/1.1 302 Found\r\nlocation: {leads}\r\ncontent-length: 0\r\n\r\n").as_str(),
            )
        })
        .await;
        let called = call(&caller_of_everyone(), &to(&server, Auth::None), "").await;
        assert!(called.answer.is_err(), "{url}");
        // Relative targets stay on the server.
        assert!(server.accepted() <= 4, "{url}");
    }
}

fn caller_of_everyone() -> EndpointCaller {
    caller(&HandClock::new())
}

#[tokio::test]
async fn a_redirect_to_this_machine_reaches_nobody() {
    let wire = Tripwire::set();
    let port = wire.address().port();
    for leads in [
        format!("http://127.0.0.1:{port}/"),
        format!("http://localhost:{port}/x"),
        format!("//[::1]:{port}/"),
    ] {
        let server = Server::plain(move |_| {
            Answer::from(
                format!("HTTP/1.1 307 No\r\nlocation: {leads}\r\ncontent-length: 0\r\n\r\n").as_str(),
            )
        })
        .await;
        let called = call(&caller_of_everyone(), &to(&server, Auth::Bearer), "s3cret").await;
        assert!(matches!(failed(&called), CallError::Fetch(FetchError::Url(_))), "{called:?}");
        assert!(wire.is_untouched());
    }
}

#[tokio::test]
async fn redirects_are_followed_for_reads_and_lose_the_credential_elsewhere() {
    let elsewhere = Server::plain(|_| ok("{\"from\":\"elsewhere\"}")).await;
    let leads = elsewhere.url("/there");
    let server = Server::plain(move |asked| {
        let to = if asked.starts_with("GET /api/orders") { "/api/moved" } else { &leads };
        Answer::from(format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n").as_str())
    })
    .await;
    let mut connection = to(&server, Auth::Bearer);
    connection.private_hosts.push(elsewhere.address.to_string());
    let called = call(&caller_of_everyone(), &connection, "s3cret").await;
    assert_eq!(called.answer.expect("an answer").body["from"], "elsewhere");
    let sent: Vec<bool> = server.requests().iter().map(|request| request.contains("Bearer s3cret")).collect();
    assert_eq!(sent, [true, true], "on its own host it is sent again");
    assert!(!elsewhere.requests().concat().contains("s3cret"), "elsewhere it is not");

    connection.endpoints[0].method = EndpointMethod::Post;
    let called = call(&caller_of_everyone(), &connection, "s3cret").await;
    assert!(matches!(failed(&called), CallError::Redirected(_)));
    assert_eq!((server.accepted(), elsewhere.accepted()), (3, 1), "a change is not sent twice");

    let loops =
        Server::plain(|_| "HTTP/1.1 302 F\r\nlocation: /api/orders\r\ncontent-length: 0\r\n\r\n".into())
            .await;
    let called = call(&caller_of_everyone(), &to(&loops, Auth::None), "").await;
    assert_eq!((failed(&called), loops.accepted()), (CallError::Redirected("too often"), 4));
}

/// Names that resolve to public addresses when vetted and private ones when used, in random order.
#[tokio::test]
async fn no_name_that_changes_its_address_leads_inside() {
    const INSIDE: [&str; 6] =
        ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.1", "fd00::1"];
    let mut random = StdRng::seed_from_u64(11);
    let mut outside = 0;
    for round in 0..10_000 {
        let mut stub = Stub::default();
        for _ in 0..random.random_range(1..5) {
            let inside = INSIDE[random.random_range(0..INSIDE.len())];
            let addresses: &[&str] = match random.random_range(0..4) {
                0 => &["93.184.216.34"],
                1 => &[inside],
                2 => &["93.184.216.34", inside],
                _ => &[inside, "93.184.216.34"],
            };
            stub = stub.then("hooks.example", addresses);
        }
        if random.random_bool(0.2) {
            stub = stub.impersonated_by("127.0.0.1:443");
        }
        let (guard, stub) = stub.guard(Policy::default());
        let caller = EndpointCaller::new(guard, HandClock::new());
        let connection = public("https://hooks.example/api");
        for _ in 0..3 {
            assert!(call(&caller, &connection, "").await.answer.is_err());
        }
        let dialled = stub.dialled();
        assert!(dialled.iter().all(|socket_addr| is_public(socket_addr.ip())), "round {round}: {dialled:?}");
        outside += dialled.len();
    }
    assert!(outside > 1_000, "the public ones are tried");
}

#[tokio::test]
async fn a_named_host_is_reached_and_no_other() {
    let server = Server::plain(|_| ok("{}")).await;
    let port = server.address.port();
    let names: &[(&str, &[&str])] = &[
        ("orders.internal", &["10.0.0.5"]),
        ("other.internal", &["10.0.0.6"]),
        ("metadata.internal", &["169.254.169.254"]),
    ];
    for (host, named, reached) in [
        ("orders.internal", "orders.internal", true),
        ("orders.internal", "ORDERS.internal:8080", true),
        ("orders.internal", "orders.internal:8081", false),
        ("other.internal", "orders.internal", false),
        ("metadata.internal", "metadata.internal", false),
    ] {
        let (guard, stub) = Stub::new(names).leading_to(&server).guard(Policy::default());
        let base = format!("http://{host}:8080/api");
        let connection = Connection { private_hosts: vec![named.to_owned()], ..public(&base) };
        let called = call(&EndpointCaller::new(guard, HandClock::new()), &connection, "").await;
        assert_eq!(
            (called.answer.is_ok(), stub.dialled().len()),
            (reached, usize::from(reached)),
            "{host} {named}"
        );
    }
    // By address, with and without the port.
    for (named, reached) in
        [(format!("127.0.0.1:{port}"), true), ("127.0.0.1".to_owned(), true), ("127.0.0.2".to_owned(), false)]
    {
        let connection = Connection { private_hosts: vec![named], ..public(&server.url("/api")) };
        assert_eq!(call(&caller_of_everyone(), &connection, "").await.answer.is_ok(), reached);
    }
}

#[tokio::test]
async fn answers_that_are_too_much_are_refused() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let endless = "HTTP/1.1 200 OK\r\n\r\n".to_owned() + &"[".repeat(1_500_000);
    let cases: Vec<(Vec<u8>, CallError)> = vec![
        (endless.into_bytes(), CallError::Fetch(FetchError::TooLarge)),
        (
            b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n".to_vec(),
            CallError::Fetch(FetchError::TooLarge),
        ),
        (whole(&deep(65)), CallError::Unusable(ResponseError::TooDeep)),
        (whole("{\"a\":"), CallError::Unusable(ResponseError::NotJson)),
        (whole("<html>"), CallError::Unusable(ResponseError::NotJson)),
        (whole("\u{1f}\u{8b}"), CallError::Unusable(ResponseError::NotJson)),
        (b"SSH-2.0-OpenSSH\r\n".to_vec(), CallError::Fetch(FetchError::Broken)),
        (b"".to_vec(), CallError::Fetch(FetchError::Broken)),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}".to_vec(), CallError::Fetch(FetchError::Broken)),
        (b"HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n".to_vec(), CallError::Status(500)),
        (b"HTTP/1.1 302 No\r\ncontent-length: 0\r\n\r\n".to_vec(), CallError::Redirected("nowhere")),
    ];
    for (bytes, expected) in cases {
        let server = Server::plain(move |_| Answer::Whole(bytes.clone())).await;
        let called = call(&caller_of_everyone(), &to(&server, Auth::None), "").await;
        assert_eq!(failed(&called), expected);
        assert!(!called.line.result.is_success());
    }
    for body in
        [deep(64), String::new(), "null".to_owned(), "7".to_owned(), format!("\"{}\"", "[".repeat(200))]
    {
        let bytes = whole(&body);
        let server = Server::plain(move |_| Answer::Whole(bytes.clone())).await;
        assert!(call(&caller_of_everyone(), &to(&server, Auth::None), "").await.answer.is_ok(), "{body}");
    }
}

fn whole(body: &str) -> Vec<u8> {
    match ok(body) {
        Answer::Whole(bytes) => bytes,
        _ => Vec::new(),
    }
}

/// The connection's own timeout ends every kind of slow response.
#[tokio::test]
async fn a_slow_server_is_given_up_in_time() {
    type Slow = fn() -> Answer;
    let slow: [Slow; 3] = [
        || Answer::Silence(Vec::new()),
        || Answer::Silence(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{".to_vec()),
        || Answer::Drip(b"HTTP/1.1 200 OK\r\n\r\n".to_vec()),
    ];
    let calls = slow.into_iter().map(|answer| async move {
        let server = Server::plain(move |_| answer()).await;
        let connection = Connection { timeout_seconds: 1, ..to(&server, Auth::None) };
        call(&caller_of_everyone(), &connection, "").await
    });
    for called in futures_util::future::join_all(calls).await {
        assert_eq!(failed(&called), CallError::Fetch(FetchError::TimedOut));
        assert!(matches!(called.line.result, CallResult::Failed(_)));
    }
}

#[tokio::test]
async fn the_rest_of_the_network_group() {
    // A credential with a line break is refused before it is stored.
    assert!(review_secret(&Auth::ApiKeyHeader { header: "X-Key".into() }, "a\r\nX: y").is_err());
    // A name with only private addresses, in any spelling.
    for address in ["127.0.0.1", "::ffff:127.0.0.1", "10.0.0.1", "::1"] {
        let (guard, stub) = Stub::new(&[("hooks.example", &[address])]).guard(Policy::default());
        let called =
            call(&EndpointCaller::new(guard, HandClock::new()), &public("https://hooks.example"), "").await;
        let forbidden = CallError::Fetch(FetchError::Unreachable(Unreachable::Forbidden));
        assert_eq!((failed(&called), stub.dialled()), (forbidden, vec![]), "{address}");
    }
    // One error text for every reason, so that nothing about the network leaks.
    let guard = Guard::with_network(Policy::default(), Arc::new(SystemNetwork), certificate::trust());
    let caller = EndpointCaller::new(guard, HandClock::new());
    let called = call(&caller, &public("https://127.0.0.1"), "").await;
    assert_eq!(failed(&called).to_string(), crate::guard::ADDRESS_REFUSED);
}
