//! Misbehaving hosts: redirects, large, slow and invalid responses, over loopback as in
//! development.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use crate::guard::tests::bench::{Answer, Server, Tripwire, ok};
use crate::guard::tests::{DEVELOPMENT, certificate};
use crate::guard::{
    FetchError, FetchLimits, Fetched, Guard, HeaderError, OversizePolicy, Request, SystemNetwork, vet_header,
};

const SHORT: FetchLimits =
    FetchLimits { max_body: 64, oversize: OversizePolicy::Refuse, total: Duration::from_millis(300) };
const SMALL: FetchLimits = FetchLimits { total: Duration::from_secs(10), ..SHORT };
const CUT: FetchLimits = FetchLimits { oversize: OversizePolicy::Cut, ..SMALL };

fn guard() -> Guard {
    Guard::with_network(DEVELOPMENT, Arc::new(SystemNetwork), certificate::trust())
}

async fn ask(server: &Server, limits: FetchLimits) -> Result<Fetched, FetchError> {
    let guard = guard();
    let url = guard.vet(&server.url("/in")).expect("a URL for development");
    guard.fetch(&url, Request::get(), limits).await
}

/// Returns a response with the body in chunks of 16 bytes.
fn chunked(head: &str, body: &[u8]) -> Answer {
    let mut answer = format!("HTTP/1.1 200 OK\r\n{head}transfer-encoding: chunked\r\n\r\n").into_bytes();
    for chunk in body.chunks(16) {
        answer.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        answer.extend_from_slice(chunk);
        answer.extend_from_slice(b"\r\n");
    }
    answer.extend_from_slice(b"0\r\n\r\n");
    Answer::Whole(answer)
}

#[tokio::test]
async fn redirects_are_answers() {
    let wire = Tripwire::set();
    let address = wire.address();
    let server = Server::plain(move |request| {
        let status = request.split('/').nth(1).and_then(|part| part.split(' ').next()).expect("a status");
        let location = format!("http://{address}/latest/meta-data/");
        let head = format!("location: {location}\r\nrefresh: 0; url={location}\r\ncontent-length: 0\r\n");
        Answer::from(format!("HTTP/1.1 {status} Elsewhere\r\n{head}\r\n").as_str())
    })
    .await;
    let guard = guard();
    for status in [300, 301, 302, 303, 307, 308] {
        let url = guard.vet(&server.url(&format!("/{status}"))).expect("a URL");
        let answer = guard.fetch(&url, Request::post("{}"), FetchLimits::DELIVERY).await.expect("an answer");
        assert_eq!(answer.status, status);
    }
    assert!(wire.is_untouched());
    assert_eq!(server.accepted(), 6, "one connection each");
}

/// Runs `redirects_are_answers` in a process whose environment names a proxy.
#[test]
fn a_proxy_in_the_environment_is_not_asked() {
    let wire = Tripwire::set();
    let mut child = Command::new(std::env::current_exe().expect("this program"));
    child.args(["--exact", "guard::tests::answers::redirects_are_answers"]);
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        child.env(name, format!("http://{}", wire.address()));
    }
    child.env_remove("NO_PROXY").env_remove("no_proxy");
    let output = child.output().expect("a child");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    assert!(wire.is_untouched());
}

#[tokio::test]
async fn a_request_is_sent_as_it_was_given() {
    let server = Server::plain(|_| {
        "HTTP/1.1 503 Busy\r\nretry-after: 30\r\nContent-Type: text/plain\r\ncontent-length: 2\r\n\r\nno"
            .into()
    })
    .await;
    let guard = guard();
    let url = guard.vet(&server.url("/in?a=b")).expect("a URL");
    let request = Request::post(r#"{"a": 1}"#).header("x-service-signature", "abc").expect("a good header");
    let answer = guard.fetch(&url, request, FetchLimits::DELIVERY).await.expect("an answer");
    let expected = Fetched {
        status: 503,
        location: None,
        retry_after: Some("30".to_owned()),
        content_type: Some("text/plain".to_owned()),
        body: b"no".to_vec(),
    };
    assert_eq!(answer, expected);
    let request = server.requests().concat();
    assert!(
        request.starts_with("POST /in?a=b HTTP/1.1\r\n") && request.ends_with("\r\n\r\n{\"a\": 1}"),
        "{request}"
    );
    let host = format!("host: {}\r\n", server.address);
    for line in
        [host.as_str(), "content-length: 8\r\n", "x-service-signature: abc\r\n", "user-agent: frontdesk/"]
    {
        assert!(request.contains(line), "{line} in {request}");
    }
    assert!(!request.contains("accept-encoding"), "nothing compressed is asked for: {request}");
}

#[tokio::test]
async fn long_bodies_stop_at_the_limit() {
    for (name, length, refused) in
        [("at the limit", 64, false), ("one more", 65, true), ("much", 900_000, true)]
    {
        for way in ["content-length", "chunked", "until the end"] {
            let server = Server::plain(move |_| match way {
                "content-length" => ok(vec![b'x'; length]),
                "chunked" => chunked("", &vec![b'x'; length]),
                _ => format!("HTTP/1.1 200 OK\r\n\r\n{}", "x".repeat(length)).as_str().into(),
            })
            .await;
            let strict = ask(&server, SMALL).await.map(|ask| ask.body.len());
            let expected = if refused { Err(FetchError::TooLarge) } else { Ok(64) };
            assert_eq!(strict, expected, "{name}, {way}");
            let cut = ask(&server, CUT).await.expect("cut, not refused");
            assert_eq!((cut.status, cut.body.len()), (200, 64), "{name}, {way}");
        }
    }
    // A body announced as too long is not read.
    let server =
        Server::plain(|_| Answer::Silence(b"HTTP/1.1 200 OK\r\ncontent-length: 9000000000\r\n\r\n".to_vec()))
            .await;
    assert_eq!(ask(&server, SMALL).await, Err(FetchError::TooLarge));
}

#[tokio::test]
async fn compressed_bodies_stay_compressed() {
    // Starts like gzip; the guard never decompresses.
    let body: Vec<u8> = [0x1f, 0x8b, 0x08, 0x00].into_iter().chain([0xff; 36]).collect();
    let sent = body.clone();
    let server = Server::plain(move |_| chunked("content-encoding: gzip\r\n", &sent)).await;
    assert_eq!(ask(&server, SMALL).await.map(|ask| ask.body), Ok(body));
}

#[tokio::test]
async fn slow_answers_end_at_the_total_time() {
    for (name, dripping, start) in [
        ("silent from the start", false, String::new()),
        ("silent in the head", false, "HTTP/1.1 200 OK\r\ncontent-le".to_owned()),
        ("silent in the body", false, "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx".to_owned()),
        ("slow in the head", true, "HTTP/1.1 200 OK\r\nx: ".to_owned()),
        ("interim for ever", false, "HTTP/1.1 102 Wait\r\n\r\n".repeat(50)),
    ] {
        let server = Server::plain(move |_| {
            let start = start.clone().into_bytes();
            if dripping { Answer::Drip(start) } else { Answer::Silence(start) }
        })
        .await;
        assert_eq!(ask(&server, SHORT).await, Err(FetchError::TimedOut), "{name}");
    }
    // Each byte arrives soon after the last, so that only the total timeout applies.
    let server = Server::plain(|_| Answer::Drip(b"HTTP/1.1 200 OK\r\n\r\n".to_vec())).await;
    let patient = FetchLimits { max_body: 1_000_000, ..SHORT };
    assert_eq!(ask(&server, patient).await, Err(FetchError::TimedOut));
}

#[tokio::test]
async fn what_is_not_an_answer_is_broken() {
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "x: y\r\n".repeat(5_000));
    let wide = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "y".repeat(100_000));
    for answer in [
        "",
        "220 mail.example ESMTP\r\n",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nshort",
        "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 99 Low\r\n\r\n",
        &many,
        &wide,
    ] {
        let owned = answer.to_owned();
        let server = Server::plain(move |_| owned.as_str().into()).await;
        let start: String = answer.chars().take(60).collect();
        assert_eq!(ask(&server, SMALL).await, Err(FetchError::Broken), "{start:?}");
    }
}

#[tokio::test]
async fn interim_answers_are_skipped_and_upgrades_are_not_made() {
    let server = Server::plain(|_| {
        let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n";
        format!("{interim}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").as_str().into()
    })
    .await;
    assert_eq!(ask(&server, SMALL).await.map(|ask| (ask.status, ask.body)), Ok((200, b"ok".to_vec())));
    let server = Server::plain(|_| {
        "HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\nframes".into()
    })
    .await;
    let answer = ask(&server, SMALL).await;
    assert!(
        answer.as_ref().map_or(true, |answer| answer.status == 101 && answer.body.is_empty()),
        "{answer:?}"
    );
}

#[test]
fn headers_cannot_change_where_or_what_a_request_is() {
    for (name, value, expected) in [
        ("authorization", "Bearer x", None),
        ("X-Api-Key", "x", None),
        ("x", "a\r\nX: y", Some(HeaderError::Value)),
        ("x", "a\nb", Some(HeaderError::Value)),
        ("x", "a\0", Some(HeaderError::Value)),
        ("x y", "a", Some(HeaderError::Name)),
        ("x\r\ny", "a", Some(HeaderError::Name)),
        ("", "a", Some(HeaderError::Name)),
        ("Host", "127.0.0.1", Some(HeaderError::Reserved)),
        ("Content-Length", "0", Some(HeaderError::Reserved)),
        ("Transfer-Encoding", "chunked", Some(HeaderError::Reserved)),
        ("TE", "trailers", Some(HeaderError::Reserved)),
        ("Connection", "keep-alive", Some(HeaderError::Reserved)),
        ("Accept-Encoding", "gzip", Some(HeaderError::Reserved)),
        ("Expect", "100-continue", Some(HeaderError::Reserved)),
    ] {
        assert_eq!(vet_header(name, value).err(), expected, "{name:?}: {value:?}");
    }
}
