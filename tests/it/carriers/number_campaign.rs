//! Random faults and kill -9 between the service and the business chat platform, which reports
//! statuses in any order: nothing is lost or sent twice.

use std::collections::BTreeMap;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::bots::webp;
use super::campaign::{
    self, FAULTS, KILLS, inbound, many_credits, of_kind, price, random_plan, rows, sent_text, setting,
    split_stickers, sticker_key, wait_for_file,
};
use super::number_server::{ACCOUNT, APP_SECRET, NUMBER, NumberServer, Reports, TOKEN, VERIFY};
use super::numbers::text_to;
use super::{Served, StandIn};
use crate::binary::Binary;
use crate::waiting::until_so;

const CUSTOMERS: usize = 12;

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

/// Checks that each sticker of the rounds is shown by its outcome.
async fn check_stickers(number: &NumberServer, served: &Served, round: usize) {
    let reached = || number.reached().iter().filter(|reached| reached.kind == "sticker").count();
    let history = served
        .waits(&customer(CUSTOMERS + 1), "all stickers", |history| {
            let known = history.iter().filter(|value| value["status"] == "read").count();
            history.len() == round + 1
                && history[1..].iter().all(|value| value["status"] != "queued")
                && known == reached()
        })
        .await;
    let count = |status: &str| history[1..].iter().filter(|value| value["status"] == status).count();
    assert_eq!(count("read") + count("unknown"), round, "{history:?}");
    assert_eq!(count("read"), reached());
}

/// Has a customer send a sticker; returns the request that sends it back.
async fn echoed_sticker(number: &NumberServer, served: &Served) -> Value {
    let to = customer(CUSTOMERS + 1);
    number.put_file("7", &webp(512));
    number.sends(&to, "sticker", json!({"id": "7"}), json!({}));
    let history = served.waits(&to, "a sticker", |history| history.len() == 1).await;
    sticker_to(&to, history[0]["mediaUrl"].as_str().expect("a link"))
}

fn sticker_to(to: &str, link: &str) -> Value {
    json!({"to": to, "type": "image", "image": {"link": link, "sticker": true}})
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
    let sticker = echoed_sticker(&number, &served).await;
    many_credits(&served).await;
    let before = served.balance().await;
    let (plan, done) = random_plan(setting("FRONTDESK_SEED", 20_261_123) as u64, faults);
    number.plan(plan);
    let spoilt = || done.lock().expect("no one failed").values().sum::<usize>();
    let mut answers: BTreeMap<String, (u16, Value)> = BTreeMap::new();
    let mut round = 0;
    while spoilt() < faults {
        round += 1;
        for index in 1..=CUSTOMERS {
            number.says(&customer(index), &format!("{index} says {round}"));
        }
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
        let (status, told) = served.send(sticker.clone(), Some(&format!("sticker-{round}"))).await;
        assert_eq!(status, 200, "{told}");
    }
    number.nothing_goes_wrong();
    for index in 1..=CUSTOMERS {
        let settled =
            |text: &str, status: &str| status == if count(&number, text) == 0 { "unknown" } else { "read" };
        let history = served
            .waits(&customer(index), "all is there and settled", |history| {
                history.iter().filter(|value| value["direction"] == "inbound").count() > round
                    && history.iter().filter(|value| value["direction"] == "outbound").count() == round
                    && history.iter().filter(|value| value["direction"] == "outbound").all(|value| {
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
    check_stickers(&number, &served, round).await;
    let paid = i64::try_from(round * (CUSTOMERS + 2)).expect("few");
    assert_eq!(served.balance().await, before - paid);
}

/// Body of a send. Its idempotency key says if it is the sticker with this link, or which kind of text.
fn body_of(idem: &str, to: &str, sticker: &str) -> String {
    if idem.starts_with("sticker-") {
        return sticker_to(to, sticker).to_string();
    }
    let number = idem.rsplit('-').next().and_then(|number| number.parse().ok()).expect("a number");
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
    let url = number.url();
    let connect = [
        "admin",
        "--db",
        &database,
        "channel",
        "connect",
        "whatsapp",
        "--phone-number-id",
        NUMBER,
        "--business-account-id",
        ACCOUNT,
        "--api-url",
        &url,
    ];
    binary.ok(&connect, &format!("{TOKEN}\n{APP_SECRET}\n{VERIFY}\n"));
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
    number.put_file("7", &webp(512));
    number.sends(&customer(CUSTOMERS + 1), "sticker", json!({"id": "7"}), json!({}));
    let sticker = wait_for_file(&database);
    let begun = CUSTOMERS + 1;
    until_so("all have begun", || inbound(&database).len() >= begun);
    let mut random = StdRng::seed_from_u64(setting("FRONTDESK_SEED", 20_261_123) as u64);
    let mut open: Vec<(String, String)> = Vec::new();
    let mut said = Vec::new();
    for kill in 0..kills {
        let index = random.random_range(1..=CUSTOMERS);
        said.push(format!("{index} says in life {kill}"));
        number.says(&customer(index), said.last().expect("one"));
        open.extend(
            (0..4).map(|number| {
                (format!("text-{kill}-{number}"), customer(random.random_range(1..=CUSTOMERS)))
            }),
        );
        open.push((sticker_key(kill), customer(CUSTOMERS + 1)));
        let ask = |(idem, to): &(String, String)| {
            let body = body_of(idem, to, &sticker);
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
        let body = body_of(idem, to, &sticker);
        let send = || campaign::ask(&running.address, &key, "/v1/messages/send", idem, &body);
        until_so(idem, || campaign::is_accepted(idem, send()));
    }
    campaign::settle(&database, said.len() + begun);
    number.waits_until_told();
    campaign::settle(&database, said.len() + begun);
    drop(running);
    check(&number, &database, kills, &said);
}

fn check(number: &NumberServer, database: &str, kills: usize, said: &[String]) {
    let arrived = inbound(database);
    for text in said {
        assert_eq!(arrived.iter().filter(|entry| *entry == text).count(), 1, "{text}");
    }
    let (stickers, sent) = split_stickers(rows(database, "outbound"));
    assert_eq!((stickers.len(), sent.len()), (kills, kills * 4), "each is in the history");
    let stickers_arrived = number.reached().iter().filter(|reached| reached.kind == "sticker").count();
    let known = stickers.iter().filter(|status| *status == "read").count();
    let unknown = stickers.iter().filter(|status| *status == "unknown").count();
    assert_eq!((known, known + unknown), (stickers_arrived, kills), "{stickers:?}");
    for (text, status) in &sent {
        judge(number, &[status], sent_text(text));
    }
    let tried: usize = sent.iter().map(|(text, _)| count(number, sent_text(text))).sum();
    assert_eq!(
        tried + stickers_arrived,
        number.reached().len(),
        "nothing reached anybody that nobody asked for"
    );
    let db = Connection::open(database).expect("opens");
    let paid: i64 = db
        .query_row("SELECT -sum(amount) FROM ledger WHERE reason IN ('message', 'refund')", [], |row| {
            row.get(0)
        })
        .expect("reads");
    assert_eq!(paid, price(sent.len(), stickers.len()), "each is paid once");
}
