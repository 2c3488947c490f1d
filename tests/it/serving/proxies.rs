//! Forwarded client addresses: trusted only from listed proxies.

use super::*;

/// Failed authentications per minute and address.
const FAILURES: usize = 30;

fn fails(serving: &Serving, client: &str) -> u16 {
    let forwarded = format!("x-forwarded-for: {client}");
    serving.ask("GET", "/v1/account", &[&forwarded], b"").status
}

#[test]
fn limits_follow_the_client_that_a_listed_proxy_tells() {
    let binary = Binary::new();
    let serving = Serving::start(&binary, &["--trust-proxy", "127.0.0.0/8", "--trust-proxy", "10.0.0.0/8"]);
    for _ in 0..FAILURES {
        assert_eq!(fails(&serving, "203.0.113.7"), 401);
    }
    assert_eq!(fails(&serving, "203.0.113.7"), 429);
    // Further proxies and client headers change nothing.
    assert_eq!(fails(&serving, "198.51.100.1, 203.0.113.7, 10.1.1.1"), 429);
    assert_eq!(fails(&serving, "203.0.113.8"), 401);
    assert_eq!(serving.call("GET", "/v1/account", &["x-forwarded-for: 203.0.113.7"], b"").status, 200);
}

#[test]
fn unlisted_proxy_is_not_trusted() {
    let binary = Binary::new();
    let serving = Serving::start(&binary, &["--trust-proxy", "10.0.0.0/8", "--host", "desk.example"]);
    // Local requests are not limited, whatever their headers.
    for _ in 0..=FAILURES {
        assert_eq!(fails(&serving, "203.0.113.7"), 401);
    }
    let said = ["x-forwarded-host: other.example", "host: desk.example"];
    assert_eq!(serving.call("GET", "/v1/account", &said, b"").status, 200);
    let said = ["x-forwarded-host: desk.example", "host: other.example"];
    assert_eq!(serving.call("GET", "/v1/account", &said, b"").status, 400);
}

#[test]
fn links_and_hosts_follow_the_proxy() {
    let binary = Binary::new();
    let serving = Serving::start(&binary, &["--dev", "--trust-proxy", "127.0.0.1", "--host", "desk.example"]);
    let by = |host: &str| {
        let host = format!("x-forwarded-host: {host}");
        let headers = ["host: backend:8787", "x-forwarded-proto: https", host.as_str(), public::FORM];
        serving.call("POST", "/v1/media", &headers, public::FILE)
    };
    let link = by("desk.example").json()["url"].as_str().expect("a link").to_owned();
    assert!(link.starts_with("https://desk.example/v1/media/med_"), "{link}");
    assert_eq!(by("other.example").status, 400);
    // A request through a proxy is not local.
    let json = "content-type: application/json";
    for said in ["x-forwarded-for: 203.0.113.7", "x-forwarded-proto: https"] {
        assert_eq!(serving.ask("POST", "/dev/outbound", &[json, said], b"{}").status, 403, "{said}");
    }
    assert_eq!(serving.ask("POST", "/dev/outbound", &[json], b"{}").status, 200);
}

#[test]
fn the_log_names_the_client_and_no_ids() {
    let mut binary = Binary::new();
    binary.set("FRONTDESK_LOG", "info");
    let mut serving = Serving::start(&binary, &["--trust-proxy", "127.0.0.1"]);
    let headers = ["x-forwarded-for: 203.0.113.7"];
    assert_eq!(serving.call("GET", "/v1/messages/msg_secret?search=words", &headers, b"").status, 404);
    assert_eq!(serving.ask("GET", "/v1/nowhere_secret", &headers, b"").status, 401);
    serving.child.kill().expect("killed");
    let mut said = String::new();
    serving.child.stderr.take().expect("its errors").read_to_string(&mut said).expect("text");
    let line = said.lines().find(|line| line.contains("/v1/messages/{messageId}")).expect("a line");
    for word in ["client=203.0.113.7", "method=GET", "status=404", "ms="] {
        assert!(line.contains(word), "{word}: {line}");
    }
    assert!(!said.contains("secret") && !said.contains("words") && !said.contains("svc_"), "{said}");
}

#[test]
fn invalid_network_is_wrong_usage() {
    let binary = Binary::new();
    for text in ["10.0.0.0/33", "proxy.example"] {
        let ended = binary.run(&["serve", "--trust-proxy", text], "");
        assert_eq!(ended.code, Some(2), "{text} {}", ended.err);
        assert!(ended.err.contains("such as 10.0.0.0/8"), "{}", ended.err);
    }
}
