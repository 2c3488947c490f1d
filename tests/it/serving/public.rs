//! Host names the service answers to, and the public URL of links.

use super::*;

pub const FORM: &str = "content-type: multipart/form-data; boundary=b0";
pub const FILE: &[u8] =
    b"--b0\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nhello\r\n--b0--\r\n";

fn upload(serving: &Serving, headers: &[&str]) -> String {
    let answer = serving.call("POST", "/v1/media", &[&[FORM], headers].concat(), FILE);
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["url"].as_str().expect("a link").to_owned()
}

#[test]
fn requests_are_accepted_for_configured_host_names() {
    let binary = Binary::new();
    let serving = Serving::start(&binary, &["--host", "desk.example", "--host", "10.1.2.3"]);
    for (host, status) in [
        ("host: desk.example", 200),
        ("host: DESK.example:8787", 200),
        ("host: 10.1.2.3", 200),
        ("host: other.example", 400),
    ] {
        let answer = serving.call("GET", "/v1/account", &[host], b"");
        assert_eq!(answer.status, status, "{host} {answer:?}");
        assert_eq!(answer.body.contains("--host"), status == 400, "{answer:?}");
    }
    let link = upload(&serving, &["host: desk.example:8787"]);
    assert!(link.starts_with("http://desk.example:8787/v1/media/med_"), "{link}");
    let link = upload(&serving, &[]);
    assert!(link.starts_with(&format!("http://{}/v1/media/med_", serving.address())), "{link}");
    // Clients can forge these headers.
    let said = ["x-forwarded-host: other.example", "x-forwarded-proto: https"];
    assert_eq!(upload(&serving, &said)[..8], link[..8]);
}

#[test]
fn links_use_the_public_address_and_are_recognised() {
    let binary = Binary::new();
    let old = {
        let serving = Serving::start(&binary, &["--dev", "--host", "old.example"]);
        let keys = std::fs::read(binary.folder().join("ready.json")).expect("keys");
        std::fs::write(binary.folder().join("keys.json"), keys).expect("kept");
        upload(&serving, &["host: old.example:8787"])
    };
    let public = ["--dev", "--host", "old.example", "--public-url", "https://desk.example/chat/"];
    let mut serving = Serving::start(&binary, &public);
    serving.ready = binary.folder().join("keys.json");
    assert!(serving.line.starts_with("listening on http://127.0.0.1:"), "{}", serving.line);
    let link = upload(&serving, &["host: desk.example"]);
    assert!(link.starts_with("https://desk.example/chat/v1/media/med_"), "{link}");
    assert!(upload(&serving, &[]).starts_with("https://desk.example/chat/"), "whoever asks");
    let inbound = br#"{"channel": "whatsapp", "from": "+34600111222", "text": "hi"}"#;
    let json = "content-type: application/json";
    assert_eq!(serving.ask("POST", "/dev/inbound", &[json], inbound).status, 200);
    // An uploaded file costs 2; an unknown link would be fetched elsewhere.
    for link in [link, old] {
        let image = format!(r#"{{"to": "+34600111222", "type": "image", "image": {{"link": "{link}"}}}}"#);
        let sent = serving.call("POST", "/v1/messages/send", &[json], image.as_bytes());
        assert_eq!(sent.json()["creditsUsed"], 2.0, "{link} {sent:?}");
    }
    // `/dev` needs no key and answers only on a loopback name.
    let refused = serving.ask("POST", "/dev/inbound", &[json, "host: desk.example"], inbound);
    assert_eq!(refused.status, 403, "{refused:?}");
}

#[test]
fn listening_on_all_addresses_prints_a_local_address_and_needs_host_names() {
    let binary = Binary::new();
    let mut serving = Serving::start(&binary, &["--listen", "0.0.0.0:0"]);
    assert!(serving.line.starts_with("listening on http://127.0.0.1:"), "{}", serving.line);
    assert_eq!(serving.call("GET", "/v1/account", &[], b"").status, 200);
    serving.child.kill().expect("killed");
    let mut said = String::new();
    serving.child.stderr.take().expect("its errors").read_to_string(&mut said).expect("text");
    assert!(said.contains("name its hosts with --host or --public-url"), "{said}");
}

#[test]
fn invalid_host_is_wrong_usage() {
    let binary = Binary::new();
    for arguments in [
        ["--host", "https://desk.example"],
        ["--host", "desk.example:443"],
        ["--public-url", "http://desk.example"],
        ["--public-url", "desk.example"],
    ] {
        let ended = binary.run(&[&["serve"], &arguments[..]].concat(), "");
        assert_eq!(ended.code, Some(2), "{arguments:?} {}", ended.err);
        assert!(ended.err.contains("such as"), "{}", ended.err);
    }
}
