//! Tests of the guard with the corpus of hostile URLs and with misbehaving hosts, over real sockets
//! on loopback. [`bench::Stub`] stands in for public addresses and routes their connections to a
//! local server.

mod answers;
pub mod bench;
pub mod certificate;
mod hosts;
mod webhooks;

use crate::guard::urls::{Destination, MAX_URL_BYTES};
use crate::guard::{ADDRESS_REFUSED, FetchError, Policy, Unreachable, UrlRefusal, resolve, vet};

const PUBLIC: Policy = Policy { allow_loopback_http: false };
const DEVELOPMENT: Policy = Policy { allow_loopback_http: true };

/// Returns the URLs of a group of the corpus, with described ones generated.
pub fn corpus(group: &str) -> Vec<String> {
    let lines = include_str!("../../../../tests/hostile.jsonl").lines();
    let cases = lines.map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    let found: Vec<String> = cases
        .filter(|case| case["group"] == group)
        .map(|case| case["input_or_description"].as_str().expect("text").to_owned())
        .map(|url| url.replace("GEN 9,000-byte path", &format!("hooks.example/{}", "p".repeat(9_000))))
        .collect();
    assert!(found.len() > 50, "the corpus has lost its {group}");
    found
}

#[tokio::test]
async fn the_whole_corpus_is_refused() {
    for policy in [PUBLIC, DEVELOPMENT] {
        let stub = bench::Stub::new(&[("127.0.0.1.nip.io", &["127.0.0.1"])]);
        for url in corpus("ssrf-url") {
            let Ok(vetted) = vet(&url, policy) else { continue };
            match vetted.destination() {
                Destination::Name(name) => {
                    assert_eq!(name, "127.0.0.1.nip.io", "only this one is judged by its address");
                    let refused = resolve::addresses(&vetted, &stub).await;
                    assert_eq!(refused, Err(FetchError::Unreachable(Unreachable::Forbidden)), "{url}");
                }
                loopback => {
                    assert_eq!(policy, DEVELOPMENT, "{url} leads to {loopback:?}");
                    let found = resolve::addresses(&vetted, &stub).await.expect(&url);
                    assert!(found.iter().all(|entry| entry.ip().is_loopback()), "{url} leads to {found:?}");
                }
            }
        }
        assert_eq!(stub.dialled(), [], "no packet to anyone");
    }
}

#[test]
fn good_urls_are_taken() {
    let long = format!("https://hooks.example/{}", "p".repeat(MAX_URL_BYTES - 22));
    for (url, host, target) in [
        ("https://hooks.example", "hooks.example", "/"),
        ("https://hooks.example/", "hooks.example", "/"),
        ("HTTPS://Hooks.Example/In?a=b&c", "hooks.example", "/In?a=b&c"),
        ("https://hooks.example:443/x", "hooks.example", "/x"),
        ("https://hooks.example:8443/x", "hooks.example:8443", "/x"),
        ("https://hooks.example./x", "hooks.example.", "/x"),
        ("https://a.b-c.my_team.example/x/../y", "a.b-c.my_team.example", "/y"),
        ("https://bücher.example/ä?ö=@", "xn--bcher-kva.example", "/%C3%A4?%C3%B6=@"),
        ("https://localhost.example/", "localhost.example", "/"),
        ("https://internal.example/", "internal.example", "/"),
        ("https://hooks.example/@user:pw", "hooks.example", "/@user:pw"),
        ("https://hooks.example/?to=http://127.0.0.1/", "hooks.example", "/?to=http://127.0.0.1/"),
        ("https://hooks.example/{id}|'\"<>^`", "hooks.example", "/%7Bid%7D|'%22%3C%3E^%60"),
        ("https://93.184.216.34/x", "93.184.216.34", "/x"),
        ("https://[2606:2800:220:1::1]:8443/", "[2606:2800:220:1::1]:8443", "/"),
        ("https://[::ffff:93.184.216.34]/", "[::ffff:5db8:d822]", "/"),
        (&long, "hooks.example", &long[21..]),
    ] {
        let vetted = vet(url, PUBLIC).unwrap_or_else(|refusal| panic!("{url}: {refusal}"));
        assert_eq!((vetted.host_header(), vetted.target().to_string().as_str()), (host, target), "{url}");
        assert!(vetted.is_https() && matches!(vetted.port(), 443 | 8443));
    }
}

#[test]
fn refusals_say_what_to_mend() {
    use UrlRefusal::{Address, Fragment, Malformed, NoHost, Port, Scheme, TooLong, UserInfo};
    let long = format!("https://hooks.example/{}", "p".repeat(MAX_URL_BYTES));
    let grows = format!("https://hooks.example/{}", "ä".repeat(900));
    for (url, refusal) in [
        ("", Scheme),
        ("hooks.example", Scheme),
        ("http://hooks.example/", Scheme),
        ("ws://hooks.example/", Scheme),
        ("file:///etc/passwd", Scheme),
        ("https:hooks.example", Scheme),
        ("https:///hooks.example/", NoHost),
        ("https://?x", NoHost),
        ("https://@hooks.example/", UserInfo),
        ("https://:@hooks.example/", UserInfo),
        ("https://user@hooks.example/", UserInfo),
        ("https://hooks.example/#", Fragment),
        ("https://hooks.example/#x", Fragment),
        ("https://hooks.example:80/", Port),
        ("https://hooks.example:22/", Port),
        ("https://hooks.example:65536/", Malformed),
        ("https://hooks.example\\@127.0.0.1/", Malformed),
        ("https://hooks.example /", Malformed),
        ("https://hooks.example/\r\nx", Malformed),
        ("https://hooks.example/\u{2028}", Malformed),
        ("https://a..b/", Malformed),
        ("https://hooks.example../", Malformed),
        ("https://a.%00b/", Malformed),
        ("https://1.2.3.4.5/", Malformed),
        ("https://[fe80::1%25eth0]/", Malformed),
        ("https://%31%32%37.0.0.1/", Address),
        ("https://intranet/", Address),
        ("https://intranet./", Address),
        ("https://db.internal/", Address),
        ("https://printer.local./", Address),
        ("https://router.home.arpa/", Address),
        (&long, TooLong),
        (&grows, TooLong),
    ] {
        assert_eq!(vet(url, PUBLIC), Err(refusal), "{url:?}");
    }
    assert_eq!(UrlRefusal::Address.to_string(), ADDRESS_REFUSED);
    for reason in [Unreachable::NoAddress, Unreachable::Forbidden, Unreachable::NoAnswer] {
        assert_eq!(FetchError::from(reason).to_string(), ADDRESS_REFUSED, "one text for all");
    }
}

#[test]
fn development_adds_literal_loopback_and_nothing_else() {
    for (url, public, development) in [
        ("http://127.0.0.1:9000/x", false, true),
        ("http://127.8.9.1/", false, true),
        ("http://localhost:9000/x", false, true),
        ("http://LOCALHOST.:9000/x", false, true),
        ("https://localhost:9443/x", false, true),
        ("http://[::1]:9000/x", false, true),
        ("http://0x7f.1:9000/", false, true),
        ("http://user@localhost:9000/", false, false),
        ("http://localhost:9000/#x", false, false),
        ("http://localhost:0/", false, false),
        ("ftp://127.0.0.1:9000/", false, false),
        ("http://foo.localhost:9000/", false, false),
        ("http://0.0.0.0:9000/", false, false),
        ("http://[::127.0.0.1]:9000/", false, false),
        ("http://10.0.0.1:9000/", false, false),
        ("https://192.168.1.1/", false, false),
        ("http://hooks.example/", false, false),
        ("https://hooks.example:9000/", false, false),
        ("https://hooks.example/", true, true),
    ] {
        assert_eq!(vet(url, PUBLIC).is_ok(), public, "{url}");
        assert_eq!(vet(url, DEVELOPMENT).is_ok(), development, "{url} for development");
    }
}

#[test]
fn a_query_is_added_to_and_encoded() {
    for (url, value, target) in [
        ("https://hooks.example", "t", "/?challenge=t"),
        ("https://hooks.example/in?", "t", "/in?challenge=t"),
        ("https://hooks.example/in?a=%20b&&c", "t", "/in?a=%20b&&c&challenge=t"),
        ("https://hooks.example/in?challenge=mine", "t", "/in?challenge=mine&challenge=t"),
        ("https://hooks.example/in", "a&admin=1#é /", "/in?challenge=a%26admin%3D1%23%C3%A9+%2F"),
    ] {
        let more = vet(url, PUBLIC).expect(url).with_query("challenge", value).expect(url);
        assert_eq!(more.target().to_string(), target, "{url}");
    }
}

#[test]
fn a_url_in_a_log_shows_only_its_origin() {
    let vetted = vet("https://hooks.example:8443/secret?key=secret", PUBLIC).expect("a good URL");
    assert_eq!(format!("{vetted:?}"), "VettedUrl(https://hooks.example:8443…)");
}
