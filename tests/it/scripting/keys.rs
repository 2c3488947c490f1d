//! `--idempotency-key`: repeating a command does nothing twice.

use serde_json::{Value, json};

use crate::faults::world::World;
use crate::proxy::fault::Fault;
use crate::proxy::script::{Give, Script};
use crate::proxy::{Asked, Door, Proxy};
use crate::scripting::failing::{configured, last_error};
use crate::scripting::rest::{json_output, scene};
use crate::waiting::aside;

const ANA: &str = "+34600111222";

#[test]
fn send_reports_status_credits_and_row_and_repeats_them_under_its_key() {
    let (desk, binary) = scene();
    let id = desk.customer("whatsapp", ANA, "Ana", "Hello?");
    let send = ["send", &id, "A person here.", "--pause", "--idempotency-key", "order-1041"];
    let first = json_output(&binary, &send);
    assert_eq!((&first["status"], &first["creditsUsed"]), (&json!("sent"), &json!(1.0)), "{first}");
    assert_eq!((&first["creditsRemaining"], &first["repeated"]), (&json!(999.0), &json!(false)), "{first}");
    assert!(first["row"].is_string() && first["messageId"].is_string(), "{first}");
    // The request uses the command's key.
    assert_eq!(desk.outbound()[0]["idempotencyKey"], "order-1041");
    let again = json_output(&binary, &send);
    assert_eq!(again["repeated"], true, "{again}");
    for field in ["row", "messageId", "status", "creditsUsed", "conversation", "done", "address"] {
        assert_eq!(again[field], first[field], "{field}");
    }
    assert!(binary.ok(&send, "").starts_with("sent: +34600111222 on Harbor chat"));
    assert_eq!(desk.outbound().len(), 1);
    // Another change with the same key is refused.
    let other = ["send", &id, "Another.", "--beside-ai", "--idempotency-key", "order-1041"];
    let error = last_error(&binary.run(&[&other[..], &["--json"]].concat(), ""));
    assert_eq!(
        (&error["exit"], &error["error"]["code"]),
        (&json!(1), &json!("IDEMPOTENCY_CONFLICT")),
        "{error}"
    );
    assert!(binary.fails(1, &other, "").contains("order-1041"));
    for key in ["", "a key with blanks", &"k".repeat(201)] {
        let ended = binary.run(&["send", &id, "Hi", "--beside-ai", "--idempotency-key", key], "");
        assert_eq!(ended.code, Some(2), "{}", ended.err);
    }
    assert_eq!(desk.outbound().len(), 1);
}

#[test]
fn every_kind_of_change_is_made_once_under_its_key() {
    let (desk, binary) = scene();
    let id = desk.customer("whatsapp", ANA, "Ana", "Hello?");
    let message = desk.get("whatsapp", "/messages")["data"][0]["id"].as_str().expect("an id").to_owned();
    let mail = |subject: &str| {
        let told = json!({"channel": "email", "from": "bo@mail.example", "name": "Bo", "subject": subject, "text": "See."});
        desk.dev("inbound", told)["threadId"].as_str().expect("a thread").to_owned()
    };
    let (thread, other) = (mail("A wheel"), mail("A plan"));
    let file = binary.folder().join("offer.txt");
    std::fs::write(&file, "An offer.").expect("written");
    let people = binary.folder().join("people.txt");
    std::fs::write(&people, format!("{ANA}\n")).expect("written");
    let (file, people) = (file.display().to_string(), people.display().to_string());
    let commands: Vec<Vec<&str>> = vec![
        vec!["react", &id, &message, "👍"],
        vec!["pause", &id],
        vec!["resume", &id],
        vec!["take", &id],
        vec!["sms", ANA, "Ready at five."],
        vec!["call", ANA, "--yes"],
        vec!["upload", &file, "--channel", "Harbor chat"],
        vec!["mail", "send", "Hello", "--to", "bo@mail.example", "--subject", "A"],
        vec!["mail", "reply", &thread, "We mend it."],
        vec!["mail", "forward", &thread, "For you.", "--to", "carla@mail.example"],
        vec!["mail", "change", &thread, "--star", "true"],
        vec!["mail", "move", &thread, &other, "--to", "Suppliers"],
        vec!["contacts", "create", "+447700900123", "--name", "Ann"],
        vec!["contacts", "edit", "+447700900123", "--tag", "vip"],
        vec!["contacts", "delete", "+447700900123", "--confirm", "0123"],
        vec!["broadcast", "send", "We open at 9.", "--to", &people, "--confirm", "1"],
        vec!["close", &id],
    ];
    for (at, command) in commands.iter().enumerate() {
        let key = format!("key-{at}");
        let keyed = [&command[..], &["--idempotency-key", &key]].concat();
        let (first, again) = (json_output(&binary, &keyed), json_output(&binary, &keyed));
        let items = |told: &Value| told.as_array().cloned().unwrap_or_else(|| vec![told.clone()]);
        for (one, other) in items(&first).iter().zip(items(&again)) {
            assert_eq!(
                (&one["repeated"], &other["repeated"]),
                (&json!(false), &json!(true)),
                "{command:?}: {again}"
            );
            assert_eq!(one["row"], other["row"], "{command:?}");
        }
    }
    let sent = desk.outbound();
    for content in ["Ready at five.", "We open at 9."] {
        let times = sent.iter().filter(|sent| sent["content"].to_string().contains(content)).count();
        assert!(times <= 1, "{content}: {sent:?}");
    }
    let answers = sent.iter().filter(|sent| sent["content"].to_string().starts_with("\"Re: A wheel"));
    assert_eq!(answers.count(), 1, "{sent:?}");
}

fn changes(asked: &Asked) -> bool {
    asked.method != "GET"
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rerun_after_an_unknown_outcome_sends_nothing_twice() {
    let world = World::start().await;
    let id = world.inbound("whatsapp", ANA).await["conversationId"].as_str().expect("an id").to_owned();
    let proxy = Proxy::start(world.address(), Door::Open).await;
    let key = world.key("whatsapp").expose().to_owned();
    let binary = std::sync::Arc::new(configured(&[("Harbor chat", &proxy.base_url(), &key)]));
    let run = async |text: &'static str, name: &'static str| {
        let (binary, id) = (binary.clone(), id.clone());
        aside(move || {
            let send = ["send", &id, text, "--beside-ai", "--idempotency-key", name, "--json"];
            binary.run(&send, "")
        })
        .await
    };
    // Carried out, but the answer is a redirect: unknown outcome.
    let trap = proxy.trap();
    proxy.plan(move |asked| match changes(asked) {
        true => Script { give: Fault::Redirect.script(0, trap).give, ..Script::done(Give::Last) },
        false => Script::pass(),
    });
    let unknown = last_error(&run("Once.", "once").await);
    assert_eq!(unknown["exit"], 3, "{unknown}");
    // The repeated command finds its row, which the server's history settles.
    let row = unknown["error"]["row"].clone();
    let ended = run("Once.", "once").await;
    let done: Value = serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("{}", ended.err));
    assert_eq!((ended.code, &done["repeated"], &done["row"]), (Some(0), &json!(true), &row), "{done}");
    let sent = world.dev("/outbound", json!({})).await;
    assert_eq!(sent["data"].as_array().map(Vec::len), Some(1), "{sent}");
    // A text that never arrived has the same result on the second run.
    let trap = proxy.trap();
    proxy.plan(move |asked| if changes(asked) { Fault::Redirect.script(0, trap) } else { Script::pass() });
    let unknown = last_error(&run("Never.", "never").await);
    let again = last_error(&run("Never.", "never").await);
    assert_eq!((&unknown["exit"], &again["exit"]), (&json!(3), &json!(3)), "{again}");
    assert_eq!(unknown["error"]["row"], again["error"]["row"]);
    let (desk, left) = (binary.clone(), again["error"]["row"].as_str().expect("a row").to_owned());
    proxy.plan(|_| Script::pass());
    aside(move || desk.ok(&["outbox", "retry", &left], "")).await;
    let ended = run("Never.", "never").await;
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    // A refused change was not carried out: the key can be reused.
    world.dev("/credits", json!({"balance": 0})).await;
    assert_eq!(last_error(&run("Paid.", "paid").await)["exit"], 1);
    world.dev("/credits", json!({"balance": 10})).await;
    let ended = run("Paid.", "paid").await;
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let sent = world.dev("/outbound", json!({})).await;
    let last = sent["data"].as_array().and_then(|all| all.last()).expect("a message").clone();
    assert_eq!((&last["content"], &last["idempotencyKey"]), (&json!("Paid."), &json!("paid.2")));
    // Reports a dropped change that may have been carried out.
    let trap = proxy.trap();
    proxy.plan(move |asked| if changes(asked) { Fault::Redirect.script(0, trap) } else { Script::pass() });
    let unknown = last_error(&run("Gone.", "gone").await);
    let (desk, left) = (binary.clone(), unknown["error"]["row"].as_str().expect("a row").to_owned());
    aside(move || desk.ok(&["outbox", "drop", &left], "")).await;
    let refused = last_error(&run("Gone.", "gone").await);
    assert_eq!((&refused["exit"], &refused["error"]["code"]), (&json!(1), &json!("IDEMPOTENCY_GIVEN_UP")));
}

#[test]
fn a_format_that_contradicts_json_is_refused_and_a_timeout_takes_fractions() {
    let (desk, binary) = scene();
    let id = desk.customer("whatsapp", ANA, "Ana", "Hello?");
    for format in ["text", "md"] {
        let ended = binary.run(&["export", &id, "--format", format, "--json"], "");
        assert_eq!(
            (ended.code, &last_error(&ended)["error"]["code"]),
            (Some(2), &json!("USAGE")),
            "{format}"
        );
    }
    let lines = binary.ok(&["export", &id, "--format", "jsonl", "--json"], "");
    assert_eq!(lines, binary.ok(&["export", &id, "--format", "jsonl"], ""));
    assert!(
        lines
            .lines()
            .all(|line| serde_json::from_str::<Value>(line).is_ok_and(|item| item["id"].is_string()))
    );
    for (seconds, code) in [("30.5", 0), ("0", 2), ("-1", 2), ("x", 2), ("3601", 2), ("nan", 2)] {
        let ended = binary.run(&["list", &format!("--timeout={seconds}")], "");
        assert_eq!(ended.code, Some(code), "{seconds}: {}", ended.err);
    }
}
