//! `broadcast`: reviewed, confirmed by the number of people, sent once, watched to its end.

use std::collections::BTreeSet;
use std::sync::Mutex;

use frontdesk::model::time::{Clock, SECOND};
use frontdesk::shell::clock::SystemClock;
use serde_json::{Value, json};

use crate::faults::world::World;
use crate::proxy::script::{Give, Script as Answer};
use crate::proxy::{Door, Proxy, answers};
use crate::scripting::Script;
use crate::scripting::failing::configured;
use crate::waiting::aside;

const ANA: &str = "+34600111222";
const BO: &str = "+34600333444";
/// Wait that a refusal demands, in seconds: longer than the timeout of the refused command.
const REFUSED_SECONDS: u32 = 25;

/// A desk with two customers, and a file that names both.
fn two() -> (Script, String) {
    let script = Script::new();
    for (phone, name) in [(ANA, "Ana"), (BO, "Bo")] {
        script.desk.customer("whatsapp", phone, name, "Hello?");
    }
    let path = file(&script, &format!("{ANA}\n\n{BO} # the tall one\n{ANA}\n"));
    (script, path)
}

fn file(script: &Script, text: &str) -> String {
    let path = script.folder.path().join("people.txt");
    std::fs::write(&path, text).expect("written");
    path.to_string_lossy().into_owned()
}

#[test]
fn broadcast_is_confirmed_sent_once_and_followed_to_its_end() {
    let (script, people) = two();
    let said = script.fails(2, &["broadcast", "send", "We open at 9.", "--to", &people]);
    for part in
        ["2 contacts on Harbor chat (LIVE)", "2 credits of 1000", "duplicates left out: 1", "--confirm '2'"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    script.fails(2, &["broadcast", "send", "We open at 9.", "--to", &people, "--confirm", "3"]);
    assert!(script.desk.outbound().is_empty(), "nothing left without the right number");
    let send = ["broadcast", "send", "We open at 9.", "--to", &people, "--confirm", "2", "--json"];
    let told: Value = serde_json::from_str(&script.ok(&send)).expect("JSON");
    assert_eq!((told["ok"].as_bool(), told["recipients"].as_u64()), (Some(true), Some(2)));
    let id = told["broadcastId"].as_str().expect("an id");
    // Not watched yet: the server is asked.
    let listed: Value = serde_json::from_str(&script.ok(&["broadcast", "list", "--json"])).expect("JSON");
    assert_eq!((listed[0]["id"].as_str(), listed[0]["recipients"].as_u64()), (Some(id), Some(2)), "{listed}");
    let tracked = script.ok(&["broadcast", "track", id]);
    assert!(tracked.starts_with(id) && tracked.contains("Harbor chat"), "{tracked}");
    let said = script.fails(3, &["broadcast", "watch", id, "--timeout", "30"]);
    assert!(said.contains("not finished yet"), "{said}");
    for _ in 0..20 {
        script.desk.dev("clock", json!({"advance_seconds": 60}));
    }
    let watched = script.ok(&["broadcast", "watch", id, "--json"]);
    let last: Value = serde_json::from_str(watched.lines().last().expect("a line")).expect("JSON");
    assert_eq!((last["finished"].as_bool(), last["recipients"].as_u64()), (Some(true), Some(2)), "{last}");
    assert_eq!(script.desk.outbound().len(), 2, "each once");
    let listed = script.ok(&["broadcast", "list"]);
    assert!(listed.starts_with(id) && listed.lines().count() == 1, "{listed}");
}

#[test]
fn broadcast_counts_who_opted_out_of_marketing() {
    let (script, people) = two();
    let contact = json!({"phone": BO, "name": "Bo", "tags": ["no-marketing"]});
    script.desk.elsewhere("whatsapp", "POST", "/contacts", contact);
    let said = script.fails(2, &["broadcast", "send", "We open at 9.", "--to", &people]);
    assert!(said.contains("opted out of marketing: 1"), "{said}");
    let said = script.fails(2, &["broadcast", "send", "We open at 9.", "--everyone"]);
    assert!(said.contains("opted out of marketing: 1"), "{said}");
    let sent = script.ok(&["broadcast", "send", "We open at 9.", "--to", &people, "--confirm", "2"]);
    assert!(sent.contains("to 2 contacts, opted out of marketing: 1"), "{sent}");
    let only = file(&script, ANA);
    let said = script.fails(2, &["broadcast", "send", "We open at 9.", "--to", &only]);
    assert!(!said.contains("opted out"), "{said}");
}

#[test]
fn more_numbers_than_the_rate_limit_allows_are_looked_up_by_the_list() {
    let script = Script::new();
    let phones: Vec<String> = (0..350).map(|number| format!("+346001{number:05}")).collect();
    for phone in &phones {
        script.desk.customer("whatsapp", phone, "Ana", "Hello?");
    }
    let people = file(&script, &phones.join("\n"));
    let send = ["broadcast", "send", "We open at 9.", "--to", &people, "--timeout", "240"];
    let said = script.fails(2, &send);
    assert!(said.contains("350 contacts on Harbor chat"), "{said}");
    let people = file(&script, &format!("{}\n+34600999888", phones.join("\n")));
    let said = script.fails(1, &["broadcast", "send", "We open at 9.", "--to", &people]);
    assert!(said.contains("line 351: "), "{said}");
}

#[test]
fn broadcast_report_shows_its_results() {
    let (script, _) = two();
    let behind = SystemClock.now().since(script.desk.clock.now()) / SECOND;
    script.desk.dev("clock", json!({"advance_seconds": behind}));
    for (phone, name) in [(ANA, "Ana"), (BO, "Bo")] {
        script.desk.customer("whatsapp", phone, name, "Still there?");
    }
    // Ann has never written: only a template would reach her.
    let ann = "+447700900123";
    script.desk.elsewhere("whatsapp", "POST", "/contacts", json!({"phone": ann, "name": "Ann"}));
    let people = file(&script, &format!("{ANA}\n{BO}\n{ann}\n"));
    let said = script.fails(1, &["broadcast", "report", "bc_nothing"]);
    assert!(said.contains("bc_nothing"), "{said}");
    let send = ["broadcast", "send", "We open at 9.", "--to", &people, "--confirm", "3", "--waves", "0,3"];
    let output = script.run(&[&send[..], &["--wait", "0", "--timeout", "60"]].concat());
    assert_eq!(output.status.code(), Some(3), "the service tries nobody while its clock stands");
    let listed: Value = serde_json::from_str(&script.ok(&["broadcast", "list", "--json"])).expect("JSON");
    let id = listed[0]["id"].as_str().expect("an id").to_owned();
    let report = |script: &Script| -> Value {
        serde_json::from_str(&script.ok(&["broadcast", "report", &id, "--json"])).expect("JSON")
    };
    let early = report(&script);
    assert_eq!((early["finished"].as_bool(), early["charged"].as_f64()), (Some(false), Some(3.0)), "{early}");
    assert_eq!(
        (early["read"].as_i64(), early["answered"].as_i64()),
        (None, None),
        "nobody knows yet: {early}"
    );
    for _ in 0..20 {
        script.desk.dev("clock", json!({"advance_seconds": 60}));
    }
    script.desk.customer("whatsapp", ANA, "Ana", "Stop.");
    script.desk.customer("whatsapp", BO, "Bo", "At nine sharp?");
    script.ok(&["list"]);
    script.ok(&["show", ANA]);
    script.ok(&["show", BO]);
    let told = report(&script);
    for (field, count) in [
        ("people", 3),
        ("accepted", 3),
        ("sent", 2),
        ("delivered", 2),
        ("failed", 1),
        ("answered", 2),
        ("optedOut", 1),
    ] {
        assert_eq!(told[field].as_i64(), Some(count), "{field}: {told}");
    }
    assert_eq!((told["charged"].as_f64(), told["balanceFell"].as_f64()), (Some(3.0), Some(2.0)), "{told}");
    assert_eq!(
        told["failures"],
        json!([{"code": "SESSION_EXPIRED", "reason": "reply window closed: only templates are delivered", "count": 1}]),
        "{told}"
    );
    assert!(told["read"].is_i64() && told["seconds"].is_i64(), "{told}");
    let lines = script.ok(&["broadcast", "report", &id]);
    for line in [
        "sent\t2\n",
        "failed\t1\treply window closed: only templates are delivered (SESSION_EXPIRED)\n",
        "opted out\t1\n",
        "3 credits charged, balance down 2\n",
    ] {
        assert!(lines.contains(line), "{line}: {lines}");
    }
}

#[test]
fn broadcast_to_everyone_needs_a_phrase_and_an_empty_list_is_refused() {
    let (script, _) = two();
    let nobody = file(&script, "# not yet\n");
    let said = script.fails(2, &["broadcast", "send", "Hi", "--to", &nobody, "--confirm", "0"]);
    assert!(said.contains(&nobody), "{said}");
    assert_eq!(
        script.run(&["broadcast", "send", "Hi"]).status.code(),
        Some(2),
        "everyone is never meant silently"
    );
    let said = script.fails(2, &["broadcast", "send", "Hi", "--everyone", "--confirm", "2"]);
    assert!(said.contains("SEND TO ALL 2"), "{said}");
    let waves = ["broadcast", "send", "Hi", "--everyone", "--confirm", "SEND TO ALL 2", "--waves", "1,1"];
    let said = script.fails(2, &waves);
    assert!(said.contains("--waves"), "{said}");
    assert!(script.desk.outbound().is_empty(), "no wave was asked for in vain");
    let sent = script.ok(&["broadcast", "send", "Hi", "--everyone", "--confirm", "SEND TO ALL 2"]);
    assert!(sent.contains("to 2 contacts on Harbor chat"), "{sent}");
}

#[test]
fn broadcast_in_waves_is_started_paused_and_stopped() {
    let (script, people) = two();
    let send = ["broadcast", "send", "We open at 9.", "--to", &people, "--waves", "1,1", "--wait", "0"];
    let said = script.fails(2, &send);
    assert!(said.contains("first 1, then 1 wave of 1 after 0s · pauses above 5 % failed"), "{said}");
    assert!(said.contains("--confirm '2'"), "{said}");
    let mut confirmed = send.to_vec();
    // Enough time to look up the people and send the first wave on a busy machine.
    confirmed.extend(["--confirm", "2", "--timeout", "60"]);
    // The service sends nothing while its clock does not move.
    let output = script.run(&confirmed);
    let (out, err) = crate::scripting::texts(&output);
    assert_eq!(output.status.code(), Some(3), "{out}{err}");
    assert!(err.contains(" for a while") && out.contains("wave 1 of 2"), "{out}{err}");
    let listed: Value = serde_json::from_str(&script.ok(&["broadcast", "list", "--json"])).expect("JSON");
    let id = listed[0]["id"].as_str().expect("an id");
    assert_eq!((listed[0]["status"].as_str(), listed[0]["people"].as_u64()), (Some("running"), Some(2)));
    assert!(script.ok(&["broadcast", "pause", id]).contains("paused\twave 1 of 2"));
    let said = script.fails(3, &["broadcast", "watch", id]);
    assert!(said.contains("a person paused it"), "{said}");
    for end in ["pause", "stop"] {
        let output = script.run(&["broadcast", end, id, "--stop-above", "15"]);
        assert_eq!(output.status.code(), Some(2), "the limit belongs to a start");
    }
    assert!(script.ok(&["broadcast", "stop", id, "--json"]).contains("\"status\":\"stopped\""));
    for again in ["stop", "pause", "continue"] {
        script.fails(1, &["broadcast", again, id]);
    }
    let said = script.fails(1, &["broadcast", "pause", "nothing"]);
    assert!(said.contains("`frontdesk broadcast list`"), "{said}");
    let said = script.fails(1, &["broadcast", "track", "bc_other"]);
    assert!(said.contains("bc_other"), "{said}");
    let many: String = (0..2_001).map(|number| format!("ct_{number}\n")).collect();
    let said =
        script.fails(2, &["broadcast", "send", "Hi", "--to", &file(&script, &many), "--waves", "0,1000"]);
    assert!(said.contains("2001 contacts") && said.contains("3 waves of 1000, the last of 1"), "{said}");
    assert!(
        script
            .fails(2, &["broadcast", "send", "Hi", "--to", &people, "--waves", "1,1001"])
            .contains("1 to 1000")
    );
}

#[test]
fn errors_in_a_recipient_list_name_their_lines() {
    let (script, _) = two();
    let people = file(&script, &format!("{ANA}\n+34600999888\n+34 12\n"));
    let said = script.fails(1, &["broadcast", "send", "Hi", "--to", &people, "--confirm", "1"]);
    for part in ["line 2: ", "line 3: +3412", "nothing was sent"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    // A line that names nobody is refused with its number, and not counted.
    let people = file(&script, "contact\nct_1\nMaria Lopez\n600111222\nana@mail.example\n");
    let said = script.fails(1, &["broadcast", "send", "Hi", "--to", &people, "--confirm", "5"]);
    for part in [
        "line 1: \"contact\"",
        "line 3: \"Maria Lopez\"",
        "line 4: \"600111222\"",
        "line 5: \"ana@mail.example\"",
        "nothing was sent",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("line 2"), "{said}");
    let many: String = (0..1_001).map(|number| format!("ct_{number}\n")).collect();
    let said = script.fails(2, &["broadcast", "send", "Hi", "--to", &file(&script, &many)]);
    assert!(said.contains("--waves 10,1000"), "{said}");
    let said = script.fails(1, &["broadcast", "watch", "bc_nothing"]);
    assert!(said.contains("bc_nothing"), "{said}");
    assert!(script.desk.outbound().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rate_limit_is_waited_for_as_long_as_the_server_says() {
    let world = World::start().await;
    let phones: Vec<String> = (0..120).map(|number| format!("+346002{number:05}")).collect();
    for phone in &phones {
        world.post("whatsapp", "/contacts", json!({"phone": phone, "name": "Ana"})).await;
    }
    let proxy = Proxy::start(world.address(), Door::Open).await;
    let key = world.key("whatsapp").expose().to_owned();
    let binary = configured(&[("Harbor chat", &proxy.base_url(), &key)]);
    let people = binary.folder().join("people.txt");
    std::fs::write(&people, phones.join("\n")).expect("written");
    // The first request of each kind is refused for longer than the timeout.
    let refused = Mutex::new(BTreeSet::new());
    proxy.plan(move |asked| {
        let path = asked.target.split('?').next().unwrap_or_default();
        let is_counted = path.ends_with("/contacts") || path.ends_with("/broadcast");
        let is_first = is_counted && refused.lock().expect("no one failed").insert(path.to_owned());
        if is_first {
            Answer::withhold(Give::Bytes(answers::limited_for(REFUSED_SECONDS)))
        } else {
            Answer::pass()
        }
    });
    let (asked, answer) = (people.display().to_string(), "120");
    let ended = aside(move || {
        let send = ["broadcast", "send", "We open at 9.", "--to", &asked, "--confirm", answer];
        binary.run(&[&send[..], &["--timeout", "20.5", "--json"]].concat(), "")
    })
    .await;
    assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
    let told: Value = serde_json::from_str(&ended.out).expect("JSON");
    assert_eq!((&told["recipients"], &told["creditsUsed"]), (&json!(120), &json!(120.0)), "{told}");
    let waits = ended.err.lines().filter(|line| line.contains("for the rate limit of this key")).count();
    assert!(waits >= 2 && ended.err.contains("of 120 numbers"), "{}", ended.err);
}
