//! Channels without a platform, and simulated platforms.

use serde_json::json;

use super::*;

const JSON: &str = "content-type: application/json";

/// Requests that would reach a customer: channel, method, path, body.
fn sends() -> [(&'static str, &'static str, &'static str, Value); 8] {
    let text = json!({"to": "+34600111222", "type": "text", "text": {"body": "hi"}});
    let mail = json!({"to": ["ana@mail.example"], "subject": "Hi", "text": "Hi"});
    [
        ("whatsapp", "POST", "/v1/messages/send", text),
        ("whatsapp", "POST", "/v1/broadcast", json!({"message": {"type": "text", "text": {"body": "hi"}}})),
        ("whatsapp", "POST", "/v1/messages/msg_1/react", json!({"emoji": "👍"})),
        ("telegram", "POST", "/v1/telegram/send", json!({"chatId": 7, "text": "hi"})),
        ("email", "POST", "/v1/email/send", mail),
        ("email", "GET", "/v1/email/account", Value::Null),
        ("voip", "POST", "/v1/voip/calls", json!({"to": "+34600111222"})),
        ("voip", "POST", "/v1/voip/sms", json!({"to": "+34600111222", "body": "hi"})),
    ]
}

fn ask(
    serving: &Serving,
    (channel, environment): (&str, &str),
    (method, path): (&str, &str),
    body: &Value,
) -> Answer {
    let key = format!("authorization: Bearer {}", serving.key(channel, environment));
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    serving.ask(method, path, &[&key, JSON], &body)
}

/// Starts another service on the same database; keys are printed only once.
fn again(binary: &Binary, serving: Serving, arguments: &[&str]) -> Serving {
    let keys = binary.folder().join("keys.json");
    if !keys.exists() {
        std::fs::copy(&serving.ready, &keys).expect("kept");
    }
    drop(serving);
    let mut next = Serving::start(binary, arguments);
    next.ready = keys;
    next
}

#[test]
fn unconnected_channel_refuses_without_cost() {
    let binary = Binary::new();
    let mut serving = Serving::start(&binary, &[]);
    for (channel, method, path, body) in sends() {
        for environment in ["live", "test"] {
            let answer = ask(&serving, (channel, environment), (method, path), &body);
            let code = (answer.status, answer.json()["code"].clone());
            assert_eq!(code, (400, "NOT_CONFIGURED".into()), "{environment} {path} {answer:?}");
            assert!(answer.body.contains("is not connected"), "{answer:?}");
        }
    }
    let account = serving.call("GET", "/v1/account", &[], b"");
    let told = account.json();
    assert_eq!((&told["creditsBalance"], &told["whatsappNumber"]), (&json!(1000), &Value::Null), "{told}");
    assert!(!account.body.contains("Harbor"), "a business is not the sample shop: {account:?}");
    let templates = serving.call("GET", "/v1/templates", &[], b"").json();
    assert!(templates["data"].as_array().is_some_and(|array| array.len() >= 3), "{templates}");
    serving.child.kill().expect("killed");
    let mut said = String::new();
    serving.child.stderr.take().expect("its errors").read_to_string(&mut said).expect("text");
    assert!(said.contains("no channel is connected") && said.contains("--simulate"), "{said}");
}

#[test]
fn simulated_platforms_accept_messages_while_simulated() {
    let binary = Binary::new();
    let serving = Serving::start(&binary, &[]);
    let mut serving = again(&binary, serving, &["--simulate"]);
    let listed = serving.call("GET", "/v1/conversations", &[], b"").json();
    assert_eq!(listed["data"], json!([]), "no sample world");
    assert_eq!(serving.ask("POST", "/dev/outbound", &[JSON], b"{}").status, 404);
    let number = serving.call("GET", "/v1/account", &[], b"").json()["whatsappNumber"].clone();
    assert!(number.as_str().is_some_and(|number| number.starts_with('+')), "{number}");
    for (channel, method, path, body) in sends() {
        let answer = ask(&serving, (channel, "live"), (method, path), &body);
        assert_ne!(answer.json()["code"], "NOT_CONFIGURED", "{path} {answer:?}");
    }
    let sms = json!({"to": "+34600111222", "body": "hi"});
    let sent = ask(&serving, ("voip", "live"), ("POST", "/v1/voip/sms"), &sms);
    assert_eq!((sent.status, &sent.json()["status"]), (200, &json!("sent")), "{sent:?}");
    // The number of the simulation is not connected.
    serving = again(&binary, serving, &[]);
    let sent = ask(&serving, ("voip", "live"), ("POST", "/v1/voip/sms"), &sms);
    assert_eq!(sent.json()["code"], "NOT_CONFIGURED", "{sent:?}");
    let account = serving.call("GET", "/v1/account", &[], b"").json();
    assert_eq!(account["whatsappNumber"], Value::Null, "{account}");
}
