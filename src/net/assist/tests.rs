//! Tests with endpoints that answer, refuse, send too much, break off and stay silent.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::*;

const KEY: &str = "sk-very-secret";

/// Starts a server that answers successive connections with these bytes and returns the requests.
/// For an empty answer it stays silent until the client disconnects.
fn stand_in(answers: Vec<String>) -> (Endpoint, Receiver<String>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let (tell, told) = channel();
    std::thread::spawn(move || {
        for (answer, stream) in answers.into_iter().zip(listener.incoming()) {
            let mut stream = stream.expect("a connection");
            // The receiver may have been dropped.
            let _ = tell.send(request_of(&mut stream));
            match answer.as_str() {
                "" => drop(stream.read_to_end(&mut Vec::new())),
                answer => drop(stream.write_all(answer.as_bytes())),
            }
        }
    });
    (Endpoint { url, model: "small".to_owned(), key: Some(Secret::new(KEY)) }, told)
}

fn request_of(stream: &mut TcpStream) -> String {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.split("content-length: ").nth(1).and_then(|part| part.lines().next());
            if body.len() >= length.and_then(|length| length.trim().parse().ok()).unwrap_or(0) {
                return String::from_utf8(bytes).expect("text");
            }
        }
        match stream.read(&mut buffer) {
            Ok(count) if count > 0 => bytes.extend_from_slice(&buffer[..count]),
            _ => return text,
        }
    }
}

fn answer(status: u16, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
}

fn body_of(request: &str) -> Value {
    serde_json::from_str(request.split_once("\r\n\r\n").expect("a body").1).expect("JSON")
}

fn question() -> Value {
    json!({"messages": [{"role": "user", "content": "Where is my order?"}]})
}

fn client(endpoint: Endpoint) -> ModelClient {
    ModelClient::new(endpoint, ModelLimits::default()).expect("an endpoint")
}

#[tokio::test]
async fn an_answer_comes_with_its_tokens_and_the_question_with_key_and_bounds() {
    let said = r#"{"choices":[{"message":{"content":"On its way."}}],"usage":{"total_tokens":60}}"#;
    let untold = r#"{"choices":[{"message":{"content":"On its way."}}]}"#;
    let (endpoint, told) = stand_in(vec![answer(200, said), answer(200, untold), answer(200, "{}")]);
    let client = client(endpoint);
    let reply = client.ask(&mut question(), 400).await.expect("an answer");
    assert_eq!((reply.message["content"].as_str(), reply.tokens()), (Some("On its way."), 60));
    let request = told.recv().expect("a request");
    assert!(request.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{request}");
    assert!(request.contains(&format!("authorization: Bearer {KEY}\r\n")), "{request}");
    let asked = body_of(&request);
    assert_eq!(
        (&asked["model"], &asked["stream"], &asked["max_tokens"]),
        (&json!("small"), &json!(false), &json!(400))
    );
    let mut body = question();
    let reply = client.ask(&mut body, 400).await.expect("an answer");
    let bytes = u64::try_from(body.to_string().len() + untold.len()).expect("a length");
    assert!(reply.tokens().abs_diff(bytes / 4) <= 1, "guessed by what went and what came");
    assert_eq!(client.ask(&mut question(), 400).await.expect("an answer").message, Value::Null);
}

#[tokio::test]
async fn an_endpoint_that_counts_thinking_is_asked_so_from_then_on() {
    let refused = answer(400, r#"{"error":"max_tokens is not supported"}"#);
    let said = answer(200, r#"{"choices":[{"message":{"content":"Yes."}}]}"#);
    let (endpoint, told) = stand_in(vec![refused, said.clone(), said]);
    let client = client(endpoint);
    for _ in 0..2 {
        client.ask(&mut question(), 400).await.expect("an answer");
    }
    let asked: Vec<Value> = told.iter().take(3).map(|entry| body_of(&entry)).collect();
    assert!(asked[0]["max_completion_tokens"].is_null() && asked[0]["max_tokens"] == 400);
    for later in &asked[1..] {
        assert!(later["max_tokens"].is_null() && later["max_completion_tokens"] == 2_000, "{later}");
    }
}

#[tokio::test]
async fn one_that_is_busy_is_asked_again_when_it_says_so_and_not_for_ever() {
    let busy = |status: u16, after: &str| {
        format!(
            "HTTP/1.1 {status} X\r\nretry-after: {after}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        )
    };
    let said = answer(
        200,
        r#"{"choices":[{"message":{"content":"Yes."}}],
        "usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9}}"#,
    );
    let (endpoint, told) = stand_in(vec![busy(429, "0"), busy(503, "0"), said.clone()]);
    let reply = client(endpoint).ask(&mut question(), 400).await.expect("an answer");
    assert_eq!(
        (reply.tokens_in, reply.tokens_out, reply.token_count_source),
        (7, 2, TokenCountSource::Apart)
    );
    assert_eq!(told.iter().take(3).count(), 3);
    // Busy three times, for too long, or until a date: the error is returned.
    for answers in [
        vec![busy(429, "0"), busy(429, "0"), busy(429, "0"), said.clone()],
        vec![busy(429, "3600"), said.clone()],
        vec![busy(429, "Fri, 20 Nov 2026 10:00:00 GMT"), said.clone()],
    ] {
        let (endpoint, _told) = stand_in(answers);
        let why = client(endpoint).ask(&mut question(), 400).await.expect_err("it is busy").to_string();
        assert_eq!(why, "it answered with status 429");
    }
}

#[tokio::test]
async fn a_voice_note_becomes_a_text_and_nothing_else_is_told() {
    let heard = r#"{"text":" Where is my order? ","duration":3.2}"#;
    let (mut endpoint, told) = stand_in(vec![answer(200, heard), answer(200, "{}"), answer(500, "{}")]);
    endpoint.url = format!("{}?version=2", endpoint.url);
    let client = client(endpoint);
    let file = VoiceFile { name: "note.ogg", content_type: "audio/ogg", bytes: b"OggS\r\n--frontdesk" };
    let transcript = client.transcribe("whisper", &file).await.expect("a text");
    assert_eq!((transcript.text.as_str(), transcript.seconds), ("Where is my order?", Some(4)));
    let request = told.recv().expect("a request");
    assert!(request.starts_with("POST /v1/audio/transcriptions?version=2 HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("content-type: multipart/form-data; boundary=frontdesk-"), "{request}");
    assert!(
        request.contains("name=\"model\"\r\n\r\nwhisper\r\n") && request.contains("filename=\"note.ogg\"")
    );
    let why = client.transcribe("whisper", &file).await.expect_err("no text").to_string();
    assert_eq!(why, "its answer contains no text");
    assert_eq!(
        client.transcribe("whisper", &file).await.expect_err("failing").to_string(),
        "it answered with status 500"
    );
}

#[tokio::test]
async fn what_goes_wrong_is_an_error_that_tells_neither_key_nor_address() {
    let refused = answer(401, &format!("no such key: {KEY}"));
    let cases = [
        ("refused", refused, "it answered with status 401"),
        ("failing", answer(500, "{}"), "it answered with status 500"),
        ("no JSON", answer(200, "<html>"), "its answer is not JSON"),
        ("huge", answer(200, &" ".repeat(300 * 1024)), ""),
        ("cut", "HTTP/1.1 200 X\r\ncontent-length: 1000\r\n\r\n{\"choices\":".to_owned(), ""),
        (
            "stream that is cut",
            "HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n9\r\n{\"choices\r\n".to_owned(),
            "",
        ),
        (
            "stream of events",
            answer(200, "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\ndata: [DONE]\n\n"),
            "its answer is not JSON",
        ),
        ("no HTTP", "hello\r\n\r\n".to_owned(), ""),
        ("silent", String::new(), ""),
    ];
    for (name, answer, words) in cases {
        let (endpoint, told) = stand_in(vec![answer]);
        let host = endpoint.url.trim_start_matches("http://").to_owned();
        // Only the silent server runs into the timeout.
        let time = if name == "silent" { Duration::from_millis(100) } else { Duration::from_secs(45) };
        let client = ModelClient::new(endpoint, ModelLimits { time, ..ModelLimits::default() });
        let why = client.expect("an endpoint").ask(&mut question(), 400).await.expect_err(name).to_string();
        assert!(words.is_empty() || why == words, "{name}: {why}");
        assert!(!why.is_empty() && !why.contains(KEY) && !why.contains(&host), "{name}: {why}");
        told.recv().expect("it was asked");
    }
}

#[test]
fn addresses_that_can_be_asked() {
    let made = |url: &str, key: Option<&str>| {
        let endpoint = Endpoint { url: url.to_owned(), model: "m".to_owned(), key: key.map(Secret::new) };
        ModelClient::new(endpoint, ModelLimits::default())
    };
    for (url, asked) in [
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1/chat/completions"),
        ("https://llm.example/v1/", "https://llm.example/v1/chat/completions"),
        ("https://llm.example/v1/chat/completions", "https://llm.example/v1/chat/completions"),
        ("https://llm.example/v1?version=2", "https://llm.example/v1/chat/completions?version=2"),
    ] {
        assert_eq!(made(url, None).expect(url).url.as_str(), asked);
    }
    for url in ["", "llm.example", "ftp://llm.example/v1", "http://llm.example/v1"] {
        assert!(made(url, None).is_err(), "{url}");
    }
    let why = made("http://ana:hidden@llm.example/v1?key=hidden", None).expect_err("no https").to_string();
    assert!(why.contains("http://llm.example/v1/chat/completions") && !why.contains("hidden"), "{why}");
    assert_eq!(made("https://llm.example/v1", Some("a\nb")).expect_err("a key"), EndpointError::Key);
}

#[tokio::test]
async fn no_key_leaves_with_a_question_and_an_answer_that_breaks_off_says_so() {
    let cut = r#"{"choices":[{"message":{"content":"On its"},"finish_reason":"length"}]}"#;
    let whole = r#"{"choices":[{"message":{"content":"On its way."},"finish_reason":"stop"}]}"#;
    let (endpoint, told) = stand_in(vec![answer(200, cut), answer(200, whole)]);
    let channel = format!("svc_live_{}", "a1b2".repeat(12));
    let provider = format!("xoxb-{}", "1234".repeat(8));
    let content = format!("{channel} {provider}");
    let tools = json!([{"function": {"name": "lookup", "description": KEY}}]);
    let mut body = json!({"messages": [{"role": "user", "content": content}], "tools": tools});
    let client = client(endpoint);
    let reply = client.ask(&mut body, 400).await.expect("an answer");
    assert_eq!((reply.is_cut, reply.token_count_source), (true, TokenCountSource::Not));
    let sent = body_of(&told.recv().expect("it was asked")).to_string();
    for key in [channel.as_str(), &provider, KEY] {
        assert!(!sent.contains(key), "{key}: {sent}");
    }
    assert!(!client.ask(&mut body, 400).await.expect("an answer").is_cut);
}
