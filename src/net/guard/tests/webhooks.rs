use std::sync::Arc;

use crate::guard::tests::bench::{Answer, Server, Stub, ok};
use crate::guard::tests::{DEVELOPMENT, PUBLIC, certificate};
use crate::guard::{ChallengeError, FetchError, Guard, SystemNetwork};

const VALUE: &str = "Zm9v-bar_0123456789";

/// Returns the text after `mark`, up to the next space.
fn after<'a>(request: &'a str, mark: &str) -> &'a str {
    request.split_once(mark).and_then(|(_, rest)| rest.split(' ').next()).unwrap_or("")
}

async fn challenge(path: &str, server: &Server) -> Result<(), ChallengeError> {
    let guard = Guard::with_network(DEVELOPMENT, Arc::new(SystemNetwork), certificate::trust());
    let url = guard.vet(&server.url(path)).expect("a URL");
    guard.challenge(&url, VALUE).await
}

#[tokio::test]
async fn an_endpoint_that_echoes_the_value_passes() {
    for end in ["", "\n"] {
        let server = Server::plain(move |text| ok(format!("{}{end}", after(text, "challenge=")))).await;
        assert_eq!(challenge("/in?team=a%20b", &server).await, Ok(()));
        let request = server.requests().concat();
        assert!(
            request.starts_with(&format!("GET /in?team=a%20b&challenge={VALUE} HTTP/1.1\r\n")),
            "{request}"
        );
    }
}

#[tokio::test]
async fn an_endpoint_that_answers_otherwise_fails() {
    let reflected = |text: &str| ok(format!("<html>{}</html>", after(text, "?")));
    let failed = ChallengeError::Other;
    assert_eq!(challenge("/", &Server::plain(reflected).await).await, Err(failed));
    let query = |text: &str| ok(after(text, "?"));
    assert_eq!(challenge("/", &Server::plain(query).await).await, Err(failed), "the query is not the value");
    assert_eq!(challenge("/", &Server::plain(|_| ok("")).await).await, Err(failed));

    let long = |text: &str| ok(format!("{}{}", after(text, "challenge="), " ".repeat(1024)));
    let failed = ChallengeError::NoAnswer(FetchError::TooLarge);
    assert_eq!(challenge("/", &Server::plain(long).await).await, Err(failed));

    for status in [302, 404, 500] {
        let server = Server::plain(move |text| {
            let body = after(text, "challenge=").to_owned();
            let head = format!("HTTP/1.1 {status} X\r\nlocation: /\r\ncontent-length: {}\r\n", body.len());
            Answer::Whole(format!("{head}\r\n{body}").into_bytes())
        })
        .await;
        assert_eq!(challenge("/", &server).await, Err(ChallengeError::Status(status)));
        assert_eq!(server.accepted(), 1);
    }
}

#[tokio::test]
async fn the_challenge_goes_over_tls_to_the_vetted_address() {
    let server = Server::tls(|text| ok(after(text, "challenge="))).await;
    let (guard, stub) = Stub::new(&[("hooks.example", &["93.184.216.34"])]).leading_to(&server).guard(PUBLIC);
    let url = guard.vet("https://hooks.example/in").expect("a URL");
    assert_eq!(guard.challenge(&url, VALUE).await, Ok(()));
    assert_eq!(stub.dialled(), ["93.184.216.34:443".parse().expect("an address")]);
}

#[tokio::test]
async fn a_value_is_encoded_on_its_way() {
    let server = Server::plain(|entry| ok(after(entry, "challenge="))).await;
    let guard = Guard::with_network(DEVELOPMENT, Arc::new(SystemNetwork), certificate::trust());
    let url = guard.vet(&server.url("/")).expect("a URL");
    assert_eq!(guard.challenge(&url, "a&b=c").await, Err(ChallengeError::Other), "echoed as it was written");
    assert!(server.requests().concat().contains("/?challenge=a%26b%3Dc HTTP"));
}
