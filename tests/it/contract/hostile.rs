//! Hostile requests: always the Error shape or a closed connection, never a failure of the service.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::connections::hasty;
use super::*;

/// Lines of the corpus about the service, and their tests.
const HELD: [(&str, &str); 41] = [
    ("json-depth-128", "json_that_is_refused"),
    ("json-depth-100k", "json_that_is_refused"),
    ("dup-keys", "json_that_is_refused"),
    ("nul-in-string", "json_that_is_refused"),
    ("lone-surrogate", "json_that_is_refused"),
    ("body-4097", "sending.rs"),
    ("filename-257", "sending.rs, bot.rs"),
    ("name-201", "contacts"),
    ("subject-999", "email"),
    ("sms-0-1601", "voip"),
    ("attachments-21", "email"),
    ("sql-in-search", "contacts"),
    ("fts-syntax", "contacts"),
    ("regex-bomb", "contacts"),
    ("email-bad", "email"),
    ("media-25MB-plus-1", "media"),
    ("multipart-no-boundary", "media"),
    ("multipart-10k-parts", "media"),
    ("multipart-huge-header", "media"),
    ("multipart-two-files", "media"),
    ("mime-lie", "media"),
    ("polyglot-zip-bomb", "media"),
    ("slowloris-header", "connections.rs"),
    ("slow-body", "connections.rs"),
    ("pipelining", "connections.rs"),
    ("http09", "heads_that_are_refused"),
    ("host-missing", "hosts_that_are_not_meant"),
    ("browser-csrf", "a_web_page_gets_nothing"),
    ("bearer-forms", "account.rs"),
    ("key-prefix-only", "account.rs"),
    ("key-timing", "keys are looked up by hash only"),
    ("idem-key-forms", "idempotency.rs"),
    ("idem-json-reordered", "idempotency.rs"),
    ("idem-at-24h", "idempotency.rs"),
    ("idem-concurrent-64", "idempotency.rs"),
    ("credits-race", "credits.rs"),
    ("react-emoji-forms", "messages.rs, bot.rs"),
    ("webhook-secret-empty", "webhooks"),
    ("metadata-huge", "contacts"),
    ("tags-dup", "contacts"),
    ("template-components-deep", "json_that_is_refused"),
];

#[test]
fn every_line_of_the_corpus_has_a_place() {
    let text = include_str!("../../hostile.jsonl");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let names: Vec<String> = lines
        .filter(|line| line["group"] == "server-input")
        .map(|line| line["name"].as_str().expect("a name").to_owned())
        .collect();
    assert_eq!(names, HELD.map(|(name, _)| name));
}

/// Sends bytes and reads until the service closes: status and body, `None` without an answer.
async fn raw(world: &World, bytes: &[u8]) -> Option<(u16, Vec<u8>)> {
    let mut stream = TcpStream::connect(world.address()).await.expect("connects");
    // The service may close during the write.
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    split(&answer)
}

pub fn split(answer: &[u8]) -> Option<(u16, Vec<u8>)> {
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some((status, answer[end + 4..].to_vec()))
}

fn head(world: &World, line: &str, more: &str) -> String {
    format!(
        "{line}\r\nhost: {}\r\nauthorization: Bearer {}\r\nconnection: close\r\n{more}\r\n",
        world.address(),
        world.live("whatsapp")
    )
}

#[tokio::test]
async fn json_that_is_refused() {
    let world = World::new().await;
    world.inbound("whatsapp", ANA, "hi").await;
    let before = world.outbound().await.len();
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let within = |inside: &str| format!(r#"{{"to":"{ANA}","type":"text","text":{{"body":{inside}}}}}"#);
    let deep = format!("{}1{}", r#"{"a":"#.repeat(100), "}".repeat(100));
    let deep_parts = format!(
        r#"{{"to":"{ANA}","type":"template","template":{{"name":"hello_again","components":[{deep}]}}}}"#
    );
    let bodies: Vec<(&str, Vec<u8>)> = vec![
        ("depth 128", nested(128).into()),
        ("depth 100,000", "[".repeat(100_000).into()),
        ("objects 100,000", r#"{"a":"#.repeat(100_000).into()),
        ("depth in a field", within(&nested(100_000)).into()),
        ("deep components", deep_parts.into()),
        (
            "same key twice",
            format!(r#"{{"to":"{ANA}","to":"+1666","type":"text","text":{{"body":"x"}}}}"#).into(),
        ),
        ("same key inside", within(r#""x","body":"y""#).into()),
        ("same key escaped", within(r#""x","\u0062ody":"y""#).into()),
        ("NUL", within(r#""a\u0000b""#).into()),
        ("NUL byte", within("\"a\u{0}b\"").into()),
        ("lone surrogate", within(r#""\ud800""#).into()),
        ("swapped surrogates", within(r#""\udc00\ud800""#).into()),
        ("bad UTF-8", [within("\"").as_bytes(), b"\xff\xfe"].concat()),
        (
            "overlong UTF-8",
            within("\"\u{1}\"")
                .replace('\u{1}', "x")
                .into_bytes()
                .iter()
                .flat_map(|byte| if *byte == b'x' { vec![0xc0, 0x80] } else { vec![*byte] })
                .collect(),
        ),
        ("NaN", within("NaN").into()),
        ("1e400", within("1e400").into()),
        ("a comment", within("/*x*/\"x\"").into()),
        ("a trailing comma", br#"{"to":1,}"#.to_vec()),
        ("two values", b"{} {}".to_vec()),
        ("half a value", br#"{"to":"#.to_vec()),
        (
            "two byte order marks",
            [b"\xef\xbb\xbf\xef\xbb\xbf".as_slice(), within("\"x\"").as_bytes()].concat(),
        ),
        ("a raw line break", within("\"a\nb\"").into()),
        ("nothing", Vec::new()),
        ("white space", b" \n".to_vec()),
        ("null", b"null".to_vec()),
        ("a number", b"7".to_vec()),
        ("10,000 keys and no address", {
            let keys: Vec<String> = (0..10_000).map(|number| format!(r#""k{number}":1"#)).collect();
            format!("{{{}}}", keys.join(",")).into()
        }),
    ];
    for (name, body) in bodies {
        for path in ["/messages/send", "/messages/x/react"] {
            let answer = world.call("POST", path).raw("application/json", body.clone()).send().await;
            assert!(answer.status == 400, "{name}: {answer:?}");
            answer.refused(400, "VALIDATION_ERROR");
        }
        let request = world.http.post(format!("{}/inbound", world.dev_url));
        let switch = Call { http: world.http.clone(), request, key: None };
        switch.raw("application/json", body).send().await.refused(400, "VALIDATION_ERROR");
    }
    assert_eq!(world.outbound().await.len(), before);
}

#[tokio::test]
async fn bodies_of_another_size_or_kind() {
    let world = World::new().await;
    world.inbound("whatsapp", ANA, "hi").await;
    let sized = |bytes: usize| {
        let mut body = json!({"to": ANA, "type": "text", "text": {"body": "x"}, "pad": ""}).to_string();
        let pad = "y".repeat(bytes - body.len());
        body = body.replace(r#""pad":"""#, &format!(r#""pad":"{pad}""#));
        body
    };
    let post = || world.call("POST", "/messages/send");
    post().raw("application/json", sized(1 << 20)).send().await.ok();
    for bytes in [(1 << 20) + 1, 3 << 20, 10 << 20] {
        post().raw("application/json", sized(bytes)).send().await.refused(413, "PAYLOAD_TOO_LARGE");
        let parts: Vec<Result<Vec<u8>, std::io::Error>> =
            sized(bytes).into_bytes().chunks(60_000).map(|chunk| Ok(chunk.to_vec())).collect();
        let chunked = reqwest::Body::wrap_stream(futures_util::stream::iter(parts));
        post().raw("application/json", chunked).send().await.refused(413, "PAYLOAD_TOO_LARGE");
    }
    let body = text_to(ANA, "x").to_string();
    for kind in
        ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "text/json", "", ";", "é"]
    {
        post().raw(kind, body.clone()).send().await.refused(400, "VALIDATION_ERROR");
    }
    for kind in ["application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.x+json"] {
        post().raw(kind, body.clone()).send().await.ok();
    }
    let squeezed = post().header("content-encoding", "gzip").raw("application/json", vec![0x1f, 0x8b, 8]);
    squeezed.send().await.refused(400, "VALIDATION_ERROR");
    let twice = post().header("content-type", "text/plain").raw("application/json", body);
    twice.send().await.refused(400, "VALIDATION_ERROR");
}

#[tokio::test]
async fn heads_that_are_refused() {
    let world = hasty().await;
    let long = "x".repeat(70_000);
    let many: String = (0..101).map(|number| format!("x-{number}: y\r\n")).collect();
    let account = "GET /v1/account HTTP/1.1";
    let send = "POST /v1/messages/send HTTP/1.1";
    let cases = [
        ("HTTP/0.9", "GET /\r\n\r\n".to_owned()),
        ("no version", head(&world, "GET /v1/account", "")),
        ("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned()),
        ("a version nobody knows", head(&world, "GET /v1/account HTTP/7.0", "")),
        ("TLS", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}".to_owned()),
        ("garbage", "\u{0}\u{1}\u{2}\r\n\r\n".to_owned()),
        ("no method", head(&world, " /v1/account HTTP/1.1", "")),
        ("a space in the path", head(&world, "GET /v1/a b HTTP/1.1", "")),
        ("a long path", head(&world, &format!("GET /v1/{long} HTTP/1.1"), "")),
        ("a long query", head(&world, &format!("GET /v1/account?x={} HTTP/1.1", &long[..9_000]), "")),
        ("a long header", head(&world, account, &format!("x: {long}\r\n"))),
        ("40 KB of headers", head(&world, account, &format!("x: {}\r\n", &long[..40_000]))),
        ("many headers", head(&world, account, &many)),
        ("a folded header", head(&world, account, "x: a\r\n b\r\n")),
        ("a header without a name", head(&world, account, ": a\r\n")),
        ("NUL in a header", head(&world, account, "x: a\u{0}b\r\n")),
        ("two lengths", head(&world, send, "content-length: 2\r\ncontent-length: 3\r\n") + "{}x"),
        ("a negative length", head(&world, send, "content-length: -1\r\n")),
        ("a length that is no number", head(&world, send, "content-length: 2x\r\n") + "{}"),
        ("a huge length", head(&world, send, "content-length: 99999999999999999999\r\n")),
        (
            "a bad chunk",
            head(&world, send, "content-type: application/json\r\ntransfer-encoding: chunked\r\n") + "zz\r\n",
        ),
        ("a coding nobody knows", head(&world, send, "transfer-encoding: gzip\r\n") + "{}"),
        ("CONNECT", head(&world, "CONNECT evil.example:443 HTTP/1.1", "")),
        (
            "half a body",
            head(&world, send, "content-type: application/json\r\ncontent-length: 100\r\n") + "{\"to\":",
        ),
        (
            "half a chunk",
            head(&world, send, "content-type: application/json\r\ntransfer-encoding: chunked\r\n")
                + "ff\r\n{",
        ),
        ("half a head", head(&world, account, "")[..40].to_owned()),
    ];
    for (name, bytes) in cases {
        if let Some((status, body)) = raw(&world, bytes.as_bytes()).await {
            assert!((400..500).contains(&status), "{name}: {status}");
            if !body.is_empty() {
                let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
                assert!(body["code"].is_string() && body["message"].is_string(), "{name}: {status} {body}");
            }
        }
        world.get("/account").await.ok();
    }
    assert!(world.outbound().await.is_empty());
}

#[tokio::test]
async fn paths_that_are_spelled_oddly() {
    let world = World::new().await;
    let (id, _) = world.inbound("whatsapp", ANA, "hi").await;
    for path in [
        "/v1/../v1/account",
        "/v1/./account",
        "/v1/%2e%2e/dev/outbound",
        "/v1//account",
        "/V1/account",
        "/v1/account;x=1",
        "/v1/account/%00",
        "/v1\\account",
        "/v1/conversations/%ff",
        "/v1/%zz",
        "/v1/messages/%",
        "/v1/conversations/a%2F..%2Fb",
        "/v1/conversations/'%20OR%201=1--",
        "*",
        "/v1/account%3Fx",
        "/%76%31/nowhere",
    ] {
        let answer = raw(&world, head(&world, &format!("GET {path} HTTP/1.1"), "").as_bytes()).await;
        if let Some((status, body)) = answer {
            assert!([400, 404, 405].contains(&status), "{path}: {status}");
            if !body.is_empty() {
                let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
                assert!(body["code"].is_string(), "{path}: {status} {body}");
            }
        }
    }
    // An escaped id is the same id; unknown methods are refused.
    let escaped = format!("/v1/conversations/%63{}", &id[1..]);
    let answer = raw(&world, head(&world, &format!("GET {escaped} HTTP/1.1"), "").as_bytes()).await;
    assert_eq!(answer.expect("answered").0, 200);
    for method in ["FOO", "get", "M-SEARCH", "!#$%&'*+-.^_`|~"] {
        let answer =
            raw(&world, head(&world, &format!("{method} /v1/account HTTP/1.1"), "").as_bytes()).await;
        assert_eq!(answer.expect("answered").0, 405, "{method}");
    }
    let absolute = format!("GET http://{}/v1/account HTTP/1.1", world.address());
    assert_eq!(raw(&world, head(&world, &absolute, "").as_bytes()).await.expect("answered").0, 200);
}

#[tokio::test]
async fn hosts_that_are_not_meant() {
    let world = World::with(|options| options.hosts = vec!["desk.example".parse().expect("a host")]).await;
    let ask = |hosts: &str, path: &str| {
        let key = world.live("whatsapp");
        let bytes =
            format!("GET {path} HTTP/1.1\r\n{hosts}authorization: Bearer {key}\r\nconnection: close\r\n\r\n");
        let world = &world;
        async move { raw(world, bytes.as_bytes()).await }
    };
    for (hosts, status) in [
        ("host: 127.0.0.1\r\n", 200),
        ("host: localhost:80\r\n", 200),
        ("host: [::1]:80\r\n", 200),
        ("host: DESK.example\r\n", 200),
        ("", 400),
        ("host: \r\n", 400),
        ("host: evil.example\r\n", 400),
        ("host: 127.0.0.1\r\nhost: 127.0.0.1\r\n", 400),
        ("host: 127.0.0.1\r\nhost: evil.example\r\n", 400),
        ("host: 127.0.0.1.evil.example\r\n", 400),
        ("host: user@127.0.0.1\r\n", 400),
        ("host: 127.0.0.1:x\r\n", 400),
        ("host: 2130706433\r\n", 400),
    ] {
        for path in ["/v1/account", "/dev/nowhere", "/elsewhere"] {
            let (got, body) = ask(hosts, path).await.expect("answered");
            let wanted = match (status, path) {
                // `/dev` needs no key and answers only on a loopback name.
                (200, "/dev/nowhere") if hosts.contains("example") => 403,
                (200, "/dev/nowhere" | "/elsewhere") => 404,
                (status, _) => status,
            };
            assert_eq!(got, wanted, "{hosts:?} {path} {}", String::from_utf8_lossy(&body));
        }
    }
    // The host in the request line is ignored.
    let (status, _) = ask("host: 127.0.0.1\r\n", "http://evil.example/v1/account").await.expect("answered");
    assert_eq!(status, 400);
}

#[tokio::test]
async fn a_web_page_gets_nothing() {
    let world = World::new().await;
    for kind in ["text/plain", "application/json"] {
        let call = world.call("POST", "/messages/send").keyless().header("origin", "http://evil.example");
        call.raw(kind, text_to(ANA, "x").to_string()).send().await.refused(401, "INVALID_AUTH");
    }
    let preflight = world.call("OPTIONS", "/messages/send").keyless().header("origin", "http://evil.example");
    let answer = preflight.header("access-control-request-method", "POST").send().await;
    assert_eq!(answer.refused(401, "INVALID_AUTH").header("access-control-allow-methods"), None);
}
