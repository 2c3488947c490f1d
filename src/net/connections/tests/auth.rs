//! Bytes received by the server for every kind of authentication.

use crate::connections::CallError;
use crate::connections::tests::{HandClock, call, caller, failed, to};
use crate::guard::tests::bench::{Server, ok};
use model::connections::{
    Auth, CallResult, EndpointMethod, Parameter, ParameterPlace, ParameterSource, ValueKind,
};
use model::time::MINUTE;

fn text(text: &str) -> String {
    text.to_owned()
}

#[tokio::test]
async fn every_kind_says_who_asks_in_its_own_way() {
    let target = "GET /api/orders?phone=%2B34600111222";
    let basic = "authorization: Basic ZGVzazpzM2NyZXQ=";
    for (auth, first, header) in [
        (Auth::None, format!("{target} HTTP/1.1\r\n"), None),
        (Auth::Bearer, format!("{target} HTTP/1.1\r\n"), Some("authorization: Bearer s3cret")),
        (
            Auth::ApiKeyHeader { header: text("X-Api-Key") },
            format!("{target} HTTP/1.1\r\n"),
            Some("x-api-key: s3cret"),
        ),
        (Auth::ApiKeyQuery { parameter: text("key") }, format!("{target}&key=s3cret HTTP/1.1\r\n"), None),
        (Auth::Basic { user: text("desk") }, format!("{target} HTTP/1.1\r\n"), Some(basic)),
        (
            Auth::CustomHeader { header: text("Authorization"), prefix: text("Token ") },
            format!("{target} HTTP/1.1\r\n"),
            Some("authorization: Token s3cret"),
        ),
    ] {
        let server = Server::plain(|_| ok("{\"orders\":[1041]}")).await;
        let connection = to(&server, auth.clone());
        let secret = if auth.needs_secret() { "s3cret" } else { "" };
        let called = call(&caller(&HandClock::new()), &connection, secret).await;
        assert_eq!(called.answer.as_ref().expect("an answer").body["orders"][0], 1041, "{auth:?}");
        let asked = server.requests().concat();
        assert!(asked.starts_with(&first), "{auth:?}: {asked}");
        match header {
            Some(header) => assert!(asked.contains(&format!("{header}\r\n")), "{auth:?}: {asked}"),
            None => assert!(!asked.to_lowercase().contains("authorization"), "{auth:?}: {asked}"),
        }
        let line = &called.line;
        assert_eq!((line.result.clone(), line.bytes), (CallResult::Status(200), 17));
        assert_eq!((line.connection.as_str(), line.endpoint.as_str()), ("shop", "orders"));
    }
}

#[tokio::test]
async fn without_its_credential_nothing_leaves() {
    let server = Server::plain(|_| ok("{}")).await;
    let called = call(&caller(&HandClock::new()), &to(&server, Auth::Bearer), "").await;
    assert_eq!((failed(&called), server.accepted()), (CallError::NoCredential, 0));
}

#[tokio::test]
async fn path_query_and_body_hold_what_they_are_given() {
    let server = Server::plain(|_| ok("{}")).await;
    let mut connection = to(&server, Auth::None);
    let parameter = |name: &str, place, kind, value: &str| Parameter {
        name: text(name),
        place,
        kind,
        required: true,
        source: ParameterSource::Constant(text(value)),
    };
    connection.endpoints[0].method = EndpointMethod::Post;
    connection.endpoints[0].path = text("/orders/{id}/notes");
    connection.endpoints[0].parameters = vec![
        parameter("id", ParameterPlace::Path, ValueKind::Text, "../../admin"),
        parameter("q", ParameterPlace::Query, ValueKind::Text, "a&admin=1#"),
        parameter("count", ParameterPlace::Body, ValueKind::Integer, "3"),
        parameter("paid", ParameterPlace::Body, ValueKind::Boolean, "true"),
        parameter("note", ParameterPlace::Body, ValueKind::Text, "\"quoted\" é"),
        Parameter {
            source: ParameterSource::Contact,
            ..parameter("customer", ParameterPlace::Body, ValueKind::Text, "")
        },
    ];
    call(&caller(&HandClock::new()), &connection, "").await.answer.expect("an answer");
    let asked = server.requests().concat();
    let first = "POST /api/orders/..%2F..%2Fadmin/notes?q=a%26admin%3D1%23 HTTP/1.1\r\n";
    assert!(asked.starts_with(first), "{asked}");
    assert!(asked.to_ascii_lowercase().contains("\r\nidempotency-key: "), "{asked}");
    assert!(
        asked.ends_with(
            "{\"count\":3,\"customer\":\"+34600111222\",\"note\":\"\\\"quoted\\\" é\",\"paid\":true}"
        ),
        "{asked}"
    );
}

#[tokio::test]
async fn the_limit_is_the_connections_own_and_exact() {
    let server = Server::plain(|_| ok("{}")).await;
    let clock = HandClock::new();
    let caller = caller(&clock);
    let connection = model::connections::Connection { per_minute: 3, ..to(&server, Auth::None) };
    for _ in 0..3 {
        assert!(call(&caller, &connection, "").await.answer.is_ok());
        clock.advance(MINUTE / 6);
    }
    let called = call(&caller, &connection, "").await;
    assert_eq!((failed(&called), server.accepted()), (CallError::Limited(30), 3));
    let other = model::connections::Connection { name: text("other"), ..connection.clone() };
    assert!(call(&caller, &other, "").await.answer.is_ok(), "another connection has its own");
    clock.advance(MINUTE / 2 - 1);
    assert!(call(&caller, &connection, "").await.answer.is_err());
    clock.advance(1);
    assert!(call(&caller, &connection, "").await.answer.is_ok());
}
