//! Bytes that are no HTTP request are refused in the Error shape.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;
use crate::contract::hostile::split;

#[tokio::test]
async fn bytes_that_are_no_request_are_refused_in_words() {
    let world = World::new().await;
    let host = world.address();
    let requests = [
        format!(
            "POST /v1/messages/send HTTP/1.1\r\nhost: {host}\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{{}}"
        ),
        format!("GET /v1/account HTTP/1.1\r\nhost: {host}\r\nno colon here\r\n\r\n"),
        "what is this\r\n\r\n".to_owned(),
        format!("GET /v1/account HTTP/1.1\r\nhost: {host}\r\nx-long: {}\r\n\r\n", "x".repeat(200_000)),
    ];
    for request in requests {
        let mut stream = TcpStream::connect(&host).await.expect("connects");
        // The service may close during the write.
        let _ = stream.write_all(request.as_bytes()).await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        let named = &request[..request.len().min(80)];
        let Some((status, body)) = split(&answer) else {
            assert!(request.len() > 100_000, "nothing was answered to {named}");
            continue;
        };
        assert!(matches!(status, 400 | 431), "{named}: {status}");
        let body: Value = serde_json::from_slice(&body).expect("JSON");
        assert_eq!(body["code"], "VALIDATION_ERROR", "{named}");
        assert!(body["message"].as_str().is_some_and(|words| words.contains("request")), "{body}");
    }
    world.get("/account").await.ok();
}

#[tokio::test]
async fn body_behind_a_byte_order_mark_is_read() {
    let world = World::new().await;
    world.inbound("whatsapp", ANA, "hi").await;
    let body = json!({"to": ANA, "type": "text", "text": {"body": "x"}}).to_string();
    let call = world.call("POST", "/messages/send").raw("application/json", format!("\u{feff}{body}"));
    call.send().await.ok();
}
