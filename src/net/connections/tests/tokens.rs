//! Token fetching: once for all callers, until the token expires or is refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;

use crate::connections::CallError;
use crate::connections::tests::{HandClock, call, caller, failed, to};
use crate::guard::tests::bench::{Answer, Server, ok};
use model::connections::{Auth, Connection};
use model::time::SECOND;

/// Starts a server that issues tokens `tok-1`, `tok-2`, … and returns orders for those that `takes`
/// accepts.
async fn server(answer: &'static str, takes: fn(&str) -> bool) -> Server {
    let made = Arc::new(AtomicUsize::new(0));
    Server::plain(move |asked| {
        if asked.starts_with("POST /token ") {
            std::thread::sleep(Duration::from_millis(20));
            let number = made.fetch_add(1, Ordering::SeqCst) + 1;
            return match answer {
                "" => "HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n".into(),
                answer => ok(answer.replace("TOKEN", &format!("tok-{number}"))),
            };
        }
        let token = asked.split("Bearer ").nth(1).and_then(|part| part.split("\r\n").next()).unwrap_or("");
        if takes(token) { ok("{}") } else { Answer::from("HTTP/1.1 401 No\r\ncontent-length: 0\r\n\r\n") }
    })
    .await
}

fn connection(server: &Server) -> Connection {
    let auth = Auth::ClientCredentials {
        token_url: server.url("/token"),
        client_id: "desk:1".to_owned(),
        scope: Some("orders read".to_owned()),
    };
    to(server, auth)
}

fn fetched(server: &Server) -> usize {
    server.requests().iter().filter(|request| request.starts_with("POST /token")).count()
}

const HOUR: &str = r#"{"access_token":"TOKEN","token_type":"Bearer","expires_in":3600}"#;

#[tokio::test]
async fn a_hundred_callers_fetch_one_token() {
    let server = server(HOUR, |text| text == "tok-1").await;
    let (connection, caller) = (connection(&server), caller(&HandClock::new()));
    let all = join_all((0..100).map(|_| call(&caller, &connection, "s3cret"))).await;
    assert!(
        all.iter().all(|called| called.answer.is_ok()),
        "{:?}",
        all.iter().find(|called| called.answer.is_err())
    );
    assert_eq!((fetched(&server), server.accepted()), (1, 101));
    let asked =
        server.requests().into_iter().find(|request| request.starts_with("POST /token")).expect("one");
    assert!(asked.ends_with("\r\n\r\ngrant_type=client_credentials&scope=orders%20read"), "{asked}");
    assert!(asked.contains("authorization: Basic ZGVzayUzQTE6czNjcmV0\r\n"), "{asked}");
}

#[tokio::test]
async fn a_hundred_callers_of_a_broken_server_ask_it_once() {
    let server = server("", |_| true).await;
    let (connection, caller) = (connection(&server), caller(&HandClock::new()));
    let all = join_all((0..100).map(|_| call(&caller, &connection, "s3cret"))).await;
    let said = CallError::Token("could not fetch a token: the server answered with status 503".to_owned());
    assert!(all.iter().all(|called| failed(called) == said));
    assert_eq!(fetched(&server), 1);
    // The next caller tries again.
    assert_eq!((failed(&call(&caller, &connection, "s3cret").await), fetched(&server)), (said, 2));
}

#[tokio::test]
async fn a_token_is_used_until_it_expires() {
    let server = server(HOUR, |text| text.starts_with("tok-")).await;
    let clock = HandClock::new();
    let (connection, caller) = (connection(&server), caller(&clock));
    for (pass, count) in [(0, 1), (3_594 * SECOND, 1), (2 * SECOND, 2), (SECOND, 2), (3_600 * SECOND, 3)] {
        clock.advance(pass);
        assert!(call(&caller, &connection, "s3cret").await.answer.is_ok());
        assert_eq!(fetched(&server), count, "after {pass} more");
    }
    // A client with another secret does not get this token.
    assert!(call(&caller, &connection, "another").await.answer.is_ok());
    assert_eq!(fetched(&server), 4);
}

#[tokio::test]
async fn a_refused_token_is_renewed_once() {
    let revoked = server(HOUR, |entry| entry == "tok-2").await;
    let caller = caller(&HandClock::new());
    assert!(call(&caller, &connection(&revoked), "s3cret").await.answer.is_ok());
    assert_eq!((fetched(&revoked), revoked.accepted()), (2, 4));
    let never = server(HOUR, |_| false).await;
    let called = call(&caller, &connection(&never), "s3cret").await;
    assert_eq!(failed(&called), CallError::Status(401));
    assert_eq!((fetched(&never), never.accepted()), (2, 4), "once and not again");
}

#[tokio::test]
async fn tokens_that_are_none_are_told() {
    for (answer, said) in [
        ("{}", "no access_token"),
        ("{\"access_token\":\" \"}", "no access_token"),
        ("{\"access_token\":7}", "no access_token"),
        ("<html>", "not JSON"),
        ("{\"access_token\":\"TOKEN\",\"token_type\":\"mac\"}", "not a bearer token"),
        ("{\"access_token\":\"a\\r\\nX: y\"}", "a header cannot have"),
    ] {
        let server = server(answer, |_| true).await;
        let called = call(&caller(&HandClock::new()), &connection(&server), "s3cret").await;
        let why = failed(&called).to_string();
        assert!(why.contains(said), "{answer}: {why}");
        assert_eq!(server.accepted(), 1, "{answer}: nothing was asked without a token");
    }
}
