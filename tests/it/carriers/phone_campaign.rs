//! Random faults and kill -9 between the service and the platform of texts, which does not repeat
//! failed webhook calls: nothing is lost or sent twice.

use std::collections::BTreeMap;

use frontdesk::model::secret::Secret;
use frontdesk::model::time::Clock;
use frontdesk::service::carriers::dashboard::PhoneAccess;
use frontdesk::shell::clock::SystemClock;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rusqlite::Connection;
use serde_json::Value;

use super::campaign::{self, FAULTS, KILLS, inbound, many_credits, random_plan, rows, setting};
use super::phone_server::{ACCOUNT, NUMBER, PhoneServer, SERVICE, TOKEN, TextReports};
use super::phones::text_to;
use super::{Served, StandIn, dashboard};
use crate::binary::Binary;
use crate::waiting::until_so;

const CUSTOMERS: usize = 12;
const SEND: &str = "/v1/voip/sms";
const MISSED_CALL: &str = "Missed call";
/// Public URL the platform signs.
const PUBLIC: [&str; 2] = ["--public-url", "https://desk.example"];

fn customer(number: usize) -> String {
    format!("+3460000{number:04}")
}

/// A customer who calls and writes nothing.
fn caller() -> String {
    customer(CUSTOMERS + 1)
}

/// Numbers that texts go through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Through {
    OneNumber,
    /// Numbers of a messaging service.
    Service,
}

impl Through {
    fn says(self, phone: &PhoneServer, from: &str, text: &str) {
        match self {
            Self::OneNumber => phone.says(from, text),
            Self::Service => phone.says_to_service(from, text),
        };
    }

    /// Starts a service that is connected to the platform.
    async fn connect(self, phone: &PhoneServer) -> Served {
        let served = Served::bounded(StandIn::Phone(phone)).await;
        if self == Self::Service {
            let access = PhoneAccess {
                api: phone.url(),
                account: ACCOUNT.to_owned(),
                number: NUMBER.to_owned(),
                messaging_service: Some(SERVICE.to_owned()),
                token: Secret::new(TOKEN),
            };
            let admin = dashboard(&served.options).await;
            admin.connect_phone(&access, SystemClock.now()).await.expect("connected");
            admin.close();
            phone.waits_until_service_followed();
        }
        served
    }
}

fn missed_calls(database: &str) -> usize {
    inbound(database).iter().filter(|text| *text == MISSED_CALL).count()
}

fn count(phone: &PhoneServer, text: &str) -> usize {
    phone.texts().iter().filter(|carried| carried.text == text).count()
}

/// Expected final status of a text.
fn expected_status(phone: &PhoneServer, text: &str) -> &'static str {
    match count(phone, text) {
        0 => "unknown",
        1 => "delivered",
        more => panic!("{text} reached somebody {more} times"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_faults_lose_nothing_and_all_that_left_is_known() {
    run_with_faults(Through::OneNumber).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_faults_lose_nothing_that_goes_through_a_messaging_service() {
    run_with_faults(Through::Service).await;
}

async fn run_with_faults(through: Through) {
    let faults = setting("FRONTDESK_CARRIER_FAULTS", FAULTS);
    let phone = PhoneServer::start();
    phone.report_all(TextReports::Shuffled);
    let served = through.connect(&phone).await;
    for index in 1..=CUSTOMERS {
        through.says(&phone, &customer(index), &format!("{index} begins"));
        served.waits(&customer(index), "the first message", |entry| entry.len() == 1).await;
    }
    many_credits(&served).await;
    let before = served.balance().await;
    let (plan, done) = random_plan(setting("FRONTDESK_SEED", 20_261_123) as u64, faults);
    phone.plan(plan);
    let spoilt = || done.lock().expect("no one failed").values().sum::<usize>();
    let mut answers: BTreeMap<String, (u16, Value)> = BTreeMap::new();
    let mut round = 0;
    while spoilt() < faults {
        round += 1;
        for index in 1..=CUSTOMERS {
            through.says(&phone, &customer(index), &format!("{index} says {round}"));
        }
        phone.is_called(&caller(), "no-answer");
        let sends = (1..=CUSTOMERS).map(|number| {
            let text = format!("answer {round} to {number}");
            let served = &served;
            async move {
                let told =
                    served.send(text_to(&customer(number), &text), Some(&text.replace(' ', "-"))).await;
                (text, told)
            }
        });
        answers.extend(futures_util::future::join_all(sends).await);
    }
    phone.nothing_goes_wrong();
    let calls = served.waits(&caller(), "every missed call, once", |history| history.len() == round).await;
    assert!(calls.iter().all(|call| call["content"] == MISSED_CALL), "{calls:?}");
    for index in 1..=CUSTOMERS {
        let history = served
            .waits(&customer(index), "all is there and settled", |history| {
                let of = |direction: &str| {
                    history
                        .iter()
                        .filter(|value| value["direction"] == direction)
                        .cloned()
                        .collect::<Vec<_>>()
                };
                let is_settled = |value: &Value| {
                    value["status"] == expected_status(&phone, value["content"].as_str().unwrap_or(""))
                };
                of("inbound").len() > round
                    && of("outbound").len() == round
                    && of("outbound").iter().all(is_settled)
            })
            .await;
        let said = |direction: &str| -> Vec<&str> {
            let wanted = history.iter().filter(|value| value["direction"] == direction);
            wanted.map(|value| value["content"].as_str().unwrap_or("")).collect()
        };
        let all: Vec<String> = (1..=round).map(|round| format!("{index} says {round}")).collect();
        assert_eq!(said("inbound")[1..], all, "customer {index}");
        for round in 1..=round {
            let text = format!("answer {round} to {index}");
            assert_eq!(said("outbound").iter().filter(|entry| **entry == text).count(), 1, "{text}");
            let (status, told) = &answers[&text];
            let word = told["status"].as_str().unwrap_or("");
            assert!(
                *status == 200 && ["sent", "unknown", "queued"].contains(&word),
                "{text}: {status} {told}"
            );
        }
    }
    let paid = i64::try_from(round * CUSTOMERS).expect("few");
    assert_eq!(served.balance().await, before - paid);
}

#[test]
fn kills_lose_nothing_and_all_that_left_is_known() {
    run_with_kills(Through::OneNumber);
}

#[test]
fn kills_lose_nothing_that_goes_through_a_messaging_service() {
    run_with_kills(Through::Service);
}

fn run_with_kills(through: Through) {
    let kills = setting("FRONTDESK_CARRIER_KILLS", KILLS);
    let (binary, phone) = (Binary::new(), PhoneServer::start());
    phone.report_all(TextReports::Shuffled);
    let path = |name: &str| binary.folder().join(name).to_str().expect("words").to_owned();
    let (database, ready) = (path("service.db"), path("ready.json"));
    drop(campaign::serve(&binary, &database, &ready, &PUBLIC));
    let key = campaign::live_key(&ready, "voip");
    let (url, db) = (phone.url(), database.as_str());
    let connect = ["admin", "--db", db, "channel", "connect", "voip", "--account-sid", ACCOUNT];
    let service: &[&str] = match through {
        Through::OneNumber => &[],
        Through::Service => &["--messaging-service", SERVICE],
    };
    let connect = [&connect[..], &["--number", NUMBER, "--api-url", &url], service].concat();
    binary.ok(&connect, &format!("{TOKEN}\n"));
    binary.ok(&["admin", "--db", db, "credits", "--set", "1000000"], "");
    let start = || {
        let running = campaign::serve(&binary, &database, &ready, &PUBLIC);
        phone.is_proxied_to(&format!("http://{}", running.address));
        running
    };
    let mut running = start();
    for index in 1..=CUSTOMERS {
        through.says(&phone, &customer(index), &format!("{index} begins"));
    }
    until_so("all have begun", || inbound(&database).len() >= CUSTOMERS);
    let mut random = StdRng::seed_from_u64(setting("FRONTDESK_SEED", 20_261_123) as u64);
    let mut open: Vec<(String, String)> = Vec::new();
    let mut said = Vec::new();
    for kill in 0..kills {
        let index = random.random_range(1..=CUSTOMERS);
        said.push(format!("{index} says in life {kill}"));
        through.says(&phone, &customer(index), said.last().expect("one"));
        phone.is_called(&caller(), "no-answer");
        open.extend(
            (0..4).map(|number| {
                (format!("text-{kill}-{number}"), customer(random.random_range(1..=CUSTOMERS)))
            }),
        );
        let ask = |(idem, to): &(String, String)| {
            let body = text_to(to, idem).to_string();
            let (address, key, idem) = (running.address.clone(), key.clone(), idem.clone());
            std::thread::spawn(move || campaign::ask(&address, &key, SEND, &idem, &body))
        };
        let before = phone.asked_to_send();
        let askers: Vec<_> = open.iter().map(ask).collect();
        // At a random point of the work.
        phone.waits_for_sends(before + random.random_range(1..=3));
        drop(running);
        open = campaign::left_open(open, askers);
        running = start();
    }
    for (idem, to) in &open {
        let body = text_to(to, idem).to_string();
        let send = || campaign::ask(&running.address, &key, SEND, idem, &body);
        until_so(idem, || campaign::is_accepted(idem, send()));
    }
    campaign::settle(&database, said.len() + CUSTOMERS);
    phone.waits_until_told();
    // Missed webhook calls are in the lists.
    until_so("every missed call is known", || missed_calls(&database) >= kills);
    until_so("all that left is known", || {
        let sent = rows(&database, "outbound");
        sent.len() == kills * 4 && sent.iter().all(|(text, status)| *status == expected_status(&phone, text))
    });
    drop(running);
    assert_eq!(missed_calls(&database), kills, "each is one line");
    check(&phone, &database, &said);
}

fn check(phone: &PhoneServer, database: &str, said: &[String]) {
    let arrived = inbound(database);
    for text in said {
        assert_eq!(arrived.iter().filter(|entry| *entry == text).count(), 1, "{text}");
    }
    let sent = rows(database, "outbound");
    let reached: usize = sent.iter().map(|(text, _)| count(phone, text)).sum();
    assert_eq!(reached, phone.texts().len(), "nothing reached anybody that nobody asked for");
    let db = Connection::open(database).expect("opens");
    let paid: i64 = db
        .query_row("SELECT -sum(amount) FROM ledger WHERE reason IN ('message', 'refund')", [], |row| {
            row.get(0)
        })
        .expect("reads");
    assert_eq!(paid, i64::try_from(sent.len()).expect("few"), "each is paid once");
}
