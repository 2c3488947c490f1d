//! `GET /metrics`: correct values in Prometheus format, for permitted callers only.

use std::collections::BTreeMap;

use super::*;
use crate::carriers::bot_server::{BotServer, TOKEN};
use crate::waiting::{until, until_so};

/// Labels of a sample, sorted.
type Labels = BTreeMap<String, String>;

/// A page as a strict scraper reads it.
struct Scraped {
    kinds: BTreeMap<String, String>,
    samples: BTreeMap<(String, Labels), f64>,
}

impl Scraped {
    fn read(text: &str) -> Self {
        let mut page = Self { kinds: BTreeMap::new(), samples: BTreeMap::new() };
        let mut family = String::new();
        assert!(text.ends_with('\n'), "the last line ends");
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# HELP ") {
                assert!(rest.split_once(' ').is_some_and(|pair| !pair.1.is_empty()), "{line}");
            } else if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').expect(line);
                assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
                assert!(page.kinds.insert(name.to_owned(), kind.to_owned()).is_none(), "twice: {line}");
                assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
                assert!(name.starts_with("frontdesk_"), "{line}");
                family = name.to_owned();
            } else {
                let (name, labels, value) = sample(line);
                let stem = if page.kinds.get(&family).is_some_and(|kind| kind == "histogram") {
                    ["_bucket", "_sum", "_count"].iter().find_map(|text| name.strip_suffix(text)).expect(line)
                } else {
                    name.as_str()
                };
                assert_eq!(stem, family, "{line}");
                assert!(page.samples.insert((name, labels), value).is_none(), "twice: {line}");
            }
        }
        page.histograms_hold();
        page
    }

    /// Buckets increase, and the last is the total.
    fn histograms_hold(&self) {
        for family in self.kinds.iter().filter(|kind| kind.1 == "histogram").map(|kind| kind.0) {
            let bucket = format!("{family}_bucket");
            let mut series: BTreeMap<Labels, Vec<(f64, f64)>> = BTreeMap::new();
            for ((_, labels), value) in self.samples.iter().filter(|sample| sample.0.0 == bucket) {
                let mut labels = labels.clone();
                let bound = labels.remove("le").expect("a bound");
                let bound = if bound == "+Inf" { f64::INFINITY } else { bound.parse().expect("a bound") };
                series.entry(labels).or_default().push((bound, *value));
            }
            assert!(!series.is_empty(), "{family}");
            for (labels, mut buckets) in series {
                buckets.sort_by(|one, two| one.0.total_cmp(&two.0));
                assert!(buckets.windows(2).all(|window| window[0].1 <= window[1].1), "{buckets:?}");
                let (bound, all) = *buckets.last().expect("some");
                assert!(bound.is_infinite());
                assert_eq!(self.samples[&(format!("{family}_count"), labels.clone())], all);
                assert!(self.samples[&(format!("{family}_sum"), labels)] >= 0.0);
            }
        }
    }

    fn value(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let labels = labels.iter().map(|(name, label)| ((*name).to_owned(), (*label).to_owned())).collect();
        *self.samples.get(&(name.to_owned(), labels)).unwrap_or_else(|| panic!("{name}: {:?}", self.samples))
    }
}

fn is_name(text: &str) -> bool {
    let begins = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    begins && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn sample(line: &str) -> (String, Labels, f64) {
    let end = line.find(['{', ' ']).expect(line);
    let (name, rest) = line.split_at(end);
    assert!(is_name(name), "{line}");
    let mut labels = Labels::new();
    let mut rest = rest;
    if let Some(inner) = rest.strip_prefix('{') {
        rest = inner;
        loop {
            let (label, after) = rest.split_once("=\"").expect(line);
            assert!(is_name(label) && !label.starts_with("__"), "{line}");
            let mut value = String::new();
            let mut letters = after.char_indices();
            let end = loop {
                match letters.next().expect(line) {
                    (at, '"') => break at + 1,
                    (_, '\\') => value.push(match letters.next().expect(line).1 {
                        'n' => '\n',
                        character @ ('"' | '\\') => character,
                        other => panic!("\\{other}: {line}"),
                    }),
                    (_, character) => value.push(character),
                }
            };
            assert!(labels.insert(label.to_owned(), value).is_none(), "{line}");
            rest = &after[end..];
            if let Some(after) = rest.strip_prefix('}') {
                rest = after;
                break;
            }
            rest = rest.strip_prefix(',').expect(line);
        }
    }
    let value = rest.strip_prefix(' ').expect(line).parse().expect(line);
    (name.to_owned(), labels, value)
}

fn scraped(serving: &Serving) -> Scraped {
    let answer = serving.ask("GET", "/metrics", &[], b"");
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.head.contains("content-type: text/plain; version=0.0.4"), "{answer:?}");
    assert!(answer.head.contains("cache-control: no-store"), "{answer:?}");
    Scraped::read(&answer.body)
}

/// A page that includes the database's values, which may time out.
fn measured(serving: &Serving) -> Scraped {
    until("the figures of the database", || {
        let page = scraped(serving);
        let up = page.value("frontdesk_database_up", &[]);
        if up == 1.0 { Ok(page) } else { Err(up) }
    })
}

#[test]
fn metrics_count_what_happened() {
    let binary = Binary::new();
    let serving = Serving::start(&binary, &["--dev"]);
    for _ in 0..3 {
        assert_eq!(serving.call("GET", "/v1/account", &[], b"").status, 200);
    }
    assert_eq!(serving.call("GET", "/v1/conversations/cv_no\"one", &[], b"").status, 404);
    assert_eq!(serving.ask("GET", "/nothing/here", &[], b"").status, 404);
    let json = "content-type: application/json";
    let inbound = br#"{"channel": "whatsapp", "from": "+34600111222", "text": "hi"}"#;
    assert_eq!(serving.ask("POST", "/dev/inbound", &[json], inbound).status, 200);
    let text = br#"{"to": "+34600111222", "type": "text", "text": {"body": "hello"}}"#;
    assert_eq!(serving.call("POST", "/v1/messages/send", &[json], text).status, 200);
    // A request is in flight until its answer was written, and the process may lead a moment later.
    let page = until("an idle service that leads", || {
        let page = measured(&serving);
        let figures = ["requests_in_flight", "background_leader", "processes"]
            .map(|name| page.value(&format!("frontdesk_{name}"), &[]));
        if figures == [0.0, 1.0, 1.0] { Ok(page) } else { Err(format!("{figures:?}")) }
    });
    let requests = |method, path, status| {
        page.value("frontdesk_requests_total", &[("method", method), ("path", path), ("status", status)])
    };
    assert_eq!(requests("GET", "/v1/account", "200"), 3.0);
    assert_eq!(requests("GET", "/v1/conversations/{conversationId}", "404"), 1.0);
    assert_eq!(requests("GET", "other", "404"), 1.0);
    let took = [("method", "GET"), ("path", "/v1/account")];
    assert_eq!(page.value("frontdesk_request_duration_seconds_count", &took), 3.0);
    assert_eq!(page.value("frontdesk_credits", &[("workspace", "ws_1")]), 999.0);
    assert_eq!(page.value("frontdesk_database_connections", &[("pool", "read")]), 3.0);
    // The text may still be on its way.
    let busy = || scraped(&serving).value("frontdesk_database_connections_busy", &[("pool", "write")]);
    until_so("a writer with nothing to do", || busy() == 0.0);
    assert!(page.value("frontdesk_database_transactions_total", &[]) >= 3.0);
    for queue in ["egress", "ingress", "deliveries", "timers"] {
        assert!(page.value("frontdesk_queue_age_seconds", &[("queue", queue)]) >= 0.0);
    }
}

#[test]
fn platform_requests_are_counted() {
    let (binary, bot) = (Binary::new(), BotServer::start());
    let serving = Serving::start(&binary, &[]);
    let database = binary.folder().join("service.db");
    let connect =
        ["admin", "--db", path_text(&database), "channel", "connect", "telegram", "--api-url", &bot.url()];
    binary.ok(&connect, &format!("{TOKEN}\n"));
    bot.says(7, "hello");
    let key = format!("authorization: Bearer {}", serving.key("telegram", "live"));
    let send = || {
        let body = br#"{"chatId": 7, "type": "text", "text": "an answer"}"#;
        let headers = ["content-type: application/json", key.as_str()];
        serving.ask("POST", "/v1/telegram/send", &headers, body).status
    };
    until_so("the chat", || send() == 200);
    // A send that waits too long for the platform is answered before it is sent.
    let page = until("what has left", || {
        let page = measured(&serving);
        let left = ["waiting", "claimed"].map(|text| page.value("frontdesk_lanes", &[("state", text)]));
        if left == [0.0; 2] { Ok(page) } else { Err(format!("{left:?}")) }
    });
    let taken = [("channel", "telegram"), ("outcome", "taken")];
    assert_eq!(page.value("frontdesk_platform_outcomes_total", &taken), 1.0);
    let channel = [("channel", "telegram"), ("workspace", "ws_1"), ("id", "ch_telegram")];
    assert_eq!(page.value("frontdesk_channel_up", &channel), 1.0);
    assert_eq!(page.value("frontdesk_lanes", &[("state", "waiting")]), 0.0);
    assert_eq!(page.value("frontdesk_queue_length", &[("queue", "egress")]), 0.0);
}

#[test]
fn metrics_need_this_machine_or_the_token() {
    let binary = Binary::new();
    let file = binary.folder().join("metrics.token");
    std::fs::write(&file, "0123456789abcdef0123\n").expect("written");
    let mode = |mode| {
        let private = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(&file, private).expect("set");
    };
    mode(0o644);
    let database = binary.folder().join("service.db");
    let serve = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--db",
        path_text(&database),
        "--metrics-token-file",
        path_text(&file),
    ];
    let refused = binary.fails(1, &serve, "");
    assert!(refused.contains("; run: chmod 600"), "{refused}");
    mode(0o600);
    std::fs::write(&file, "short").expect("written");
    let refused = binary.fails(1, &serve, "");
    assert!(refused.contains("a token has at least 16 letters"), "{refused}");
    std::fs::write(&file, "0123456789abcdef0123\n").expect("written");
    let serving = Serving::start(&binary, &["--metrics-token-file", path_text(&file)]);
    let right = "authorization: Bearer 0123456789abcdef0123";
    let asked = |headers: &[&str]| serving.ask("GET", "/metrics", headers, b"").status;
    for (other, status) in [
        ("host: 10.9.8.7", 403),
        ("x-forwarded-for: 10.9.8.7", 403),
        ("origin: http://localhost", 403),
        ("x: y", 200),
    ] {
        assert_eq!(asked(&[other]), status, "{other}");
        assert_eq!(asked(&[other, right]), 200, "{other}");
        let wrong = asked(&[other, "authorization: Bearer 0123456789abcdef012"]);
        assert_eq!(wrong, status, "{other}");
    }
    let answer = serving.ask("POST", "/metrics", &[right], b"");
    assert_eq!(answer.status, 405, "{answer:?}");
}
