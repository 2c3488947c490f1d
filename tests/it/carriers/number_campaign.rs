//! Random faults and kill -9 between the service and the business chat platform, which reports
//! statuses in any order: nothing is lost or sent twice.

use std::collections::BTreeMap;
use std::path::Path;

use frontdesk::platforms::Channel;
use frontdesk::service::admin::ChannelChoice;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::bots::webp;
use super::campaign::{
    self, FAULTS, KILLS, VOICE_NOTE, file_key, inbound, many_credits, of_kind, price, random_plan, rows,
    sent_text, setting, split_files, wait_for_file,
};
use super::number_events::{self, NumberEvents, is_earlier};
use super::number_server::{ACCOUNT, APP_SECRET, NUMBER, NumberServer, PHONE, Reports, TOKEN, VERIFY};
use super::numbers::text_to;
use super::stand_in::Wrong;
use super::{Served, StandIn, dashboard};
use crate::binary::Binary;
use crate::waiting::{aside, until, until_found, until_so};

const CUSTOMERS: usize = 12;
/// First word of texts that the business sends with its phone.
const FROM_PHONE: &str = "phone";
const MISSED_CALL: &str = "[missed call]";
/// Id of the picture that the business sends with its phone.
const PICTURE: &str = "9";

fn customer(number: usize) -> String {
    format!("+3460000{number:04}")
}

fn count(number: &NumberServer, text: &str) -> usize {
    number.reached().iter().filter(|reached| reached.text == text).count()
}

/// Checks that the status shown for a text agrees with its outcome.
#[track_caller]
fn judge(number: &NumberServer, shown: &[&str], text: &str) {
    match count(number, text) {
        0 => assert_eq!(shown, ["unknown"], "{text} reached nobody"),
        1 => assert_eq!(shown, ["read"], "{text} was reported as read"),
        more => panic!("{text} reached somebody {more} times"),
    }
}

/// A customer writes these words or presses a button with them, by turns.
fn write_or_press(number: &NumberServer, turn: usize, from: &str, words: &str) {
    if turn.is_multiple_of(2) {
        number.says(from, words);
    } else {
        let reply = json!({"type": "button_reply", "button_reply": {"id": words, "title": words}});
        number.sends(from, "interactive", reply, json!({}));
    }
}

/// The business writes with its phone, or sends a picture with these words by turns. No two texts are the same.
fn send_from_phone(number: &NumberServer, turn: usize, to: &str, words: &str) {
    let id = format!("wamid.{}", words.replace(' ', "-"));
    let mut echo = json!({"id": id, "from": PHONE.trim_start_matches('+'), "to": to.trim_start_matches('+'),
        "timestamp": "1", "type": "text", "text": {"body": words}});
    if turn.is_multiple_of(2) {
        number.put_file(PICTURE, b"\x89PNG\r\n\x1a\nowner");
        echo["type"] = "image".into();
        echo["image"] = json!({"id": PICTURE, "mime_type": "image/png", "caption": words});
    }
    number.report("smb_message_echoes", json!({ "message_echoes": [echo] }));
}

/// A customer who calls and writes nothing.
fn caller() -> String {
    customer(CUSTOMERS + 2)
}

/// A customer calls and nobody takes the call. Its end comes before its beginning by turns.
fn call_in_vain(number: &NumberServer, turn: usize) {
    let call = |event: &str| {
        let call = json!({"id": format!("wacid.{turn}"), "from": caller().trim_start_matches('+'),
            "to": PHONE.trim_start_matches('+'), "event": event, "direction": "USER_INITIATED", "timestamp": "1"});
        number.report("calls", json!({ "calls": [call] }));
    };
    let events = if turn.is_multiple_of(2) { ["connect", "terminate"] } else { ["terminate", "connect"] };
    events.into_iter().for_each(call);
}

/// Returns the words of a message from the phone, without the address of a picture that could not be fetched.
fn phone_words(content: &str) -> &str {
    content.split_once(" [").map_or(content, |(words, _)| words)
}

fn is_from_phone(text: &str) -> bool {
    text.starts_with(FROM_PHONE)
}

/// Returns how many stickers and voice notes reached somebody.
fn count_files(number: &NumberServer) -> usize {
    number.reached().iter().filter(|reached| ["sticker", "audio"].contains(&reached.kind.as_str())).count()
}

/// Checks that each file of the rounds is shown by its outcome.
async fn check_files(number: &NumberServer, served: &Served, round: usize) {
    let history = served
        .waits(&customer(CUSTOMERS + 1), "all files", |history| {
            let known = history.iter().filter(|value| value["status"] == "read").count();
            history.len() == round + 2
                && history[2..].iter().all(|value| value["status"] != "queued")
                && known == count_files(number)
        })
        .await;
    let count = |status: &str| history[2..].iter().filter(|value| value["status"] == status).count();
    assert_eq!(count("read") + count("unknown"), round, "{history:?}");
    assert_eq!(count("read"), count_files(number));
}

/// A customer sends a sticker.
fn send_sticker(number: &NumberServer) {
    number.put_file("7", &webp(512));
    number.sends(&customer(CUSTOMERS + 1), "sticker", json!({"id": "7"}), json!({}));
}

/// A customer sends a voice note.
fn send_voice_note(number: &NumberServer) {
    number.put_file("8", VOICE_NOTE);
    number.sends(&customer(CUSTOMERS + 1), "audio", json!({"id": "8", "voice": true}), json!({}));
}

/// A sticker or a voice note by turns. The links are those of the sticker and of the voice note.
fn file_to(to: &str, number: usize, links: &[String; 2]) -> Value {
    match number % 2 {
        0 => json!({"to": to, "type": "image", "image": {"link": links[0], "sticker": true}}),
        _ => json!({"to": to, "type": "audio", "audio": {"link": links[1], "voice": true}}),
    }
}

/// Waits until the messages of a customer are there and settled. Checks those of the customer and of the phone.
async fn check_history(number: &NumberServer, served: &Served, index: usize, round: usize) -> Vec<Value> {
    let settled =
        |text: &str, status: &str| status == if count(number, text) == 0 { "unknown" } else { "read" };
    let mut from_phone: Vec<String> = (1..=round)
        .filter(|round| answers_with_phone(*round, index))
        .map(|round| phone_text(round, index))
        .collect();
    from_phone.sort();
    let content = |value: &Value| value["content"].as_str().unwrap_or("").to_owned();
    let is_ours = |value: &&Value| value["direction"] == "outbound" && !is_from_phone(&content(value));
    let history = served
        .waits(&customer(index), "all is there and settled", |history| {
            let outbound = history.iter().filter(|value| value["direction"] == "outbound").count();
            history.iter().filter(|value| value["direction"] == "inbound").count() > round
                && outbound == round + from_phone.len()
                && history.iter().filter(is_ours).count() == round
                && history.iter().filter(is_ours).all(|value| {
                    settled(
                        sent_text(value["content"].as_str().unwrap_or("")),
                        value["status"].as_str().unwrap_or(""),
                    )
                })
        })
        .await;
    let said = |direction: &str| -> Vec<&str> {
        let wanted = history.iter().filter(|value| value["direction"] == direction);
        wanted.map(|value| value["content"].as_str().unwrap_or("")).collect()
    };
    let wanted: Vec<String> = (1..=round).map(|round| format!("{index} says {round}")).collect();
    assert_eq!(said("inbound")[1..], wanted, "customer {index}");
    let mut shown_from_phone: Vec<&str> =
        said("outbound").into_iter().filter(|text| is_from_phone(text)).map(phone_words).collect();
    shown_from_phone.sort_unstable();
    assert_eq!(shown_from_phone, from_phone, "customer {index}");
    history
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_faults_lose_nothing_and_all_that_left_is_known() {
    let faults = setting("FRONTDESK_CARRIER_FAULTS", FAULTS);
    let number = NumberServer::start();
    number.report_all(Reports::Shuffled);
    let served = Served::bounded(StandIn::Number(&number)).await;
    for index in 1..=CUSTOMERS {
        number.says(&customer(index), &format!("{index} begins"));
        served.waits(&customer(index), "the first message", |entry| entry.len() == 1).await;
    }
    send_sticker(&number);
    send_voice_note(&number);
    let history = served.waits(&customer(CUSTOMERS + 1), "both files", |entry| entry.len() == 2).await;
    let links = [0, 1].map(|index: usize| history[index]["mediaUrl"].as_str().expect("a link").to_owned());
    many_credits(&served).await;
    let before = served.balance().await;
    let (mut plan, done) = random_plan(setting("FRONTDESK_SEED", 20_261_123) as u64, faults);
    let mut events = NumberEvents::new(&number);
    // A service that is asked for a pause reads the account a minute later.
    number.plan(move |method| {
        let is_read = ["record", "message_templates", "subscribed_apps"].contains(&method);
        plan(method).filter(|wrong| *wrong != Wrong::TooMany || !is_read)
    });
    let spoilt = || done.lock().expect("no one failed").values().sum::<usize>();
    let mut answers: BTreeMap<String, (u16, Value)> = BTreeMap::new();
    let mut round = 0;
    while spoilt() < faults {
        round += 1;
        for index in 1..=CUSTOMERS {
            write_or_press(&number, round + index, &customer(index), &format!("{index} says {round}"));
            if answers_with_phone(round, index) {
                send_from_phone(&number, round, &customer(index), &phone_text(round, index));
            }
        }
        events.happen();
        events.submit_template(&served).await;
        call_in_vain(&number, round);
        let sends = (1..=CUSTOMERS).map(|number| {
            let text = format!("answer {round} to {number}");
            let served = &served;
            let body = of_kind(round + number, text_to(&customer(number), &text), &text);
            async move {
                let told = served.send(body, Some(&text.replace(' ', "-"))).await;
                (text, told)
            }
        });
        answers.extend(futures_util::future::join_all(sends).await);
        let body = file_to(&customer(CUSTOMERS + 1), round, &links);
        let (status, told) = served.send(body, Some(&file_key(round))).await;
        assert_eq!(status, 200, "{told}");
    }
    number.nothing_goes_wrong();
    let calls = served.waits(&caller(), "every missed call, once", |history| history.len() == round).await;
    assert!(calls.iter().all(|call| call["content"] == MISSED_CALL), "{calls:?}");
    for index in 1..=CUSTOMERS {
        let history = check_history(&number, &served, index, round).await;
        for round in 1..=round {
            let text = format!("answer {round} to {index}");
            let shown: Vec<&str> = history
                .iter()
                .filter(|value| sent_text(value["content"].as_str().unwrap_or("")) == text)
                .map(|value| value["status"].as_str().unwrap_or(""))
                .collect();
            judge(&number, &shown, &text);
            let (status, told) = &answers[&text];
            let word = told["status"].as_str().unwrap_or("");
            assert!(
                *status == 200 && ["sent", "unknown", "queued"].contains(&word),
                "{text}: {status} {told}"
            );
        }
    }
    check_files(&number, &served, round).await;
    check_events(&number, &served, &events).await;
    let paid = i64::try_from(round * (CUSTOMERS + 2)).expect("few");
    assert_eq!(served.balance().await, before - paid);
}

/// Checks the earlier messages, what was withdrawn, and the templates.
async fn check_events(number: &NumberServer, served: &Served, events: &NumberEvents<'_>) {
    let (place, rounds) = (served.options.database.clone(), events.round_count());
    aside(move || number_events::check(&place, rounds)).await;
    let wanted = events.checked_templates();
    // A template whose submission got no answer is found when the list is read the next time.
    number.changes("message_template_status_update");
    until_found("the templates of the platform", async || {
        let admin = dashboard(&served.options).await;
        let listed = admin.templates(ChannelChoice::Kind(Channel::Whatsapp)).await.expect("listed");
        admin.close();
        let mut known: Vec<_> = listed.into_iter().map(|template| (template.name, template.status)).collect();
        known.sort();
        if known == wanted { Ok(()) } else { Err(format!("{known:?} instead of {wanted:?}")) }
    })
    .await;
}

/// Returns true for about a third of the customers in each round.
fn answers_with_phone(round: usize, index: usize) -> bool {
    (round + index).is_multiple_of(3)
}

fn phone_text(round: usize, index: usize) -> String {
    format!("{FROM_PHONE} {round} to {index}")
}

/// Body of a send. Its idempotency key says which file it is, or which kind of text.
fn body_of(idem: &str, to: &str, links: &[String; 2]) -> String {
    let number = idem.rsplit('-').next().and_then(|number| number.parse().ok()).expect("a number");
    if idem.starts_with("file-") {
        return file_to(to, number, links).to_string();
    }
    of_kind(number, text_to(to, idem), idem).to_string()
}

#[test]
fn kills_lose_nothing_and_all_that_left_is_known() {
    let kills = setting("FRONTDESK_CARRIER_KILLS", KILLS);
    let (binary, number) = (Binary::new(), NumberServer::start());
    number.report_all(Reports::Shuffled);
    let path = |name: &str| binary.folder().join(name).to_str().expect("words").to_owned();
    let (database, ready) = (path("service.db"), path("ready.json"));
    let public = ["--public-url", "http://127.0.0.1:9"];
    drop(campaign::serve(&binary, &database, &ready, &public));
    let key = campaign::live_key(&ready, "whatsapp");
    connect_by_command(&binary, &database, &number);
    binary.ok(&["admin", "--db", &database, "credits", "--set", "1000000"], "");
    let start = || {
        let running = campaign::serve(&binary, &database, &ready, &public);
        number.calls(&format!("http://{}", running.address));
        running
    };
    let mut running = start();
    for index in 1..=CUSTOMERS {
        number.says(&customer(index), &format!("{index} begins"));
    }
    send_sticker(&number);
    let sticker = wait_for_file(&database, "");
    send_voice_note(&number);
    let links = [sticker.clone(), wait_for_file(&database, &sticker)];
    let begun = CUSTOMERS + 2;
    until_so("all have begun", || inbound(&database).len() >= begun);
    let mut random = StdRng::seed_from_u64(setting("FRONTDESK_SEED", 20_261_123) as u64);
    let mut open: Vec<(String, String)> = Vec::new();
    let (mut said, mut from_phone) = (Vec::new(), Vec::new());
    let mut events = NumberEvents::new(&number);
    for kill in 0..kills {
        events.happen();
        if let Some(name) = events.next_template() {
            submit_by_command(&binary, &database, &name);
            events.template_was_accepted(name);
        }
        let index = random.random_range(1..=CUSTOMERS);
        said.push(format!("{index} says in life {kill}"));
        write_or_press(&number, kill, &customer(index), said.last().expect("one"));
        call_in_vain(&number, kill);
        if answers_with_phone(kill, 0) {
            from_phone.push(phone_text(kill, index));
            send_from_phone(&number, kill, &customer(index), from_phone.last().expect("one"));
        }
        open.extend(
            (0..4).map(|number| {
                (format!("text-{kill}-{number}"), customer(random.random_range(1..=CUSTOMERS)))
            }),
        );
        open.push((file_key(kill), customer(CUSTOMERS + 1)));
        let ask = |(idem, to): &(String, String)| {
            let body = body_of(idem, to, &links);
            let (address, key, idem) = (running.address.clone(), key.clone(), idem.clone());
            std::thread::spawn(move || campaign::ask(&address, &key, "/v1/messages/send", &idem, &body))
        };
        let before = number.requests();
        let askers: Vec<_> = open.iter().map(ask).collect();
        // At a random point of the work.
        number.waits_for_requests(before + random.random_range(1..=4));
        drop(running);
        open = campaign::left_open(open, askers);
        running = start();
    }
    for (idem, to) in &open {
        let body = body_of(idem, to, &links);
        let send = || campaign::ask(&running.address, &key, "/v1/messages/send", idem, &body);
        until_so(idem, || campaign::is_accepted(idem, send()));
    }
    let arrived = said.len() + begun + events.messages();
    campaign::settle(&database, arrived);
    number.waits_until_told();
    campaign::settle(&database, arrived);
    number.changes("message_template_status_update");
    check_events_by_command(&binary, &database, &events);
    drop(running);
    check(&number, &database, kills, (&said, &from_phone));
}

fn connect_by_command(binary: &Binary, database: &str, number: &NumberServer) {
    let url = number.url();
    let connect = ["admin", "--db", database, "channel", "connect", "whatsapp", "--api-url", &url];
    let ids = ["--phone-number-id", NUMBER, "--business-account-id", ACCOUNT];
    binary.ok(&[&connect[..], &ids].concat(), &format!("{TOKEN}\n{APP_SECRET}\n{VERIFY}\n"));
}

/// Checks the earlier messages, what was withdrawn, and the templates that commands list.
fn check_events_by_command(binary: &Binary, database: &str, events: &NumberEvents<'_>) {
    number_events::check(&Path::new(database).to_owned().into(), events.round_count());
    let wanted = events.checked_templates();
    until("the templates of the platform", || {
        let known = listed_templates(binary, database);
        if known == wanted { Ok(()) } else { Err(format!("{known:?} instead of {wanted:?}")) }
    });
}

/// Submits a template by command, which the platform accepts whether the service runs or not.
fn submit_by_command(binary: &Binary, database: &str, name: &str) {
    let file = binary.folder().join("late.json");
    std::fs::write(&file, r#"[{"type": "BODY", "text": "Your order is late."}]"#).expect("written");
    let file = file.display().to_string();
    let said = binary.ok(&["admin", "--db", database, "template", "submit", name, "en_US", &file], "");
    assert!(said.contains("PENDING"), "{said}");
}

/// Names and states of the templates that the service has.
fn listed_templates(binary: &Binary, database: &str) -> Vec<(String, String)> {
    let listed = binary.ok(&["admin", "--db", database, "template", "list", "--json"], "");
    let listed: Value = serde_json::from_str(&listed).expect("JSON");
    let word = |value: &Value| value.as_str().expect("a word").to_owned();
    let each = listed.as_array().expect("a list").iter();
    let mut known: Vec<_> =
        each.map(|template| (word(&template["name"]), word(&template["status"]))).collect();
    known.sort();
    known
}

/// Checks what the customers said and what was sent with the phone, too.
fn check(number: &NumberServer, database: &str, kills: usize, (said, from_phone): (&[String], &[String])) {
    let arrived = inbound(database);
    let missed = arrived.iter().filter(|text| *text == MISSED_CALL).count();
    assert_eq!(missed, kills, "each missed call is one line");
    for text in said {
        assert_eq!(arrived.iter().filter(|entry| *entry == text).count(), 1, "{text}");
    }
    let mut sent = rows(database, "outbound");
    sent.retain(|(text, _)| !is_earlier(text));
    let (by_phone, ours): (Vec<_>, Vec<_>) = sent.into_iter().partition(|(text, _)| is_from_phone(text));
    let by_phone: Vec<&str> = by_phone.iter().map(|(text, _)| phone_words(text)).collect();
    assert_eq!(by_phone.len(), from_phone.len(), "{by_phone:?}");
    assert!(from_phone.iter().all(|text| by_phone.contains(&text.as_str())), "{by_phone:?}");
    let (files, sent) = split_files(ours);
    assert_eq!((files.len(), sent.len()), (kills, kills * 4), "each is in the history");
    let files_arrived = count_files(number);
    let known = files.iter().filter(|status| *status == "read").count();
    let unknown = files.iter().filter(|status| *status == "unknown").count();
    assert_eq!((known, known + unknown), (files_arrived, kills), "{files:?}");
    for (text, status) in &sent {
        judge(number, &[status], sent_text(text));
    }
    let tried: usize = sent.iter().map(|(text, _)| count(number, sent_text(text))).sum();
    assert_eq!(
        tried + files_arrived,
        number.reached().len(),
        "nothing reached anybody that nobody asked for"
    );
    let db = Connection::open(database).expect("opens");
    let paid: i64 = db
        .query_row("SELECT -sum(amount) FROM ledger WHERE reason IN ('message', 'refund')", [], |row| {
            row.get(0)
        })
        .expect("reads");
    assert_eq!(paid, price(sent.len(), files.len()), "each is paid once");
}
