//! Random faults and kill -9 between the service and real mail servers: nothing is lost or sent
//! twice.
//! `FRONTDESK_MAIL_FAULTS` and `FRONTDESK_MAIL_KILLS` set their numbers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::campaign::{ask, is_accepted, live_key, many_credits, serve, setting};
use super::mail_folders::{holds, mail, now};
use super::mail_gate::{MailGate, MailWrong};
use super::mail_invitations::{answer, invites, outlook};
use super::mail_server::{TestMailbox, password, servers};
use super::mails::{customer, mails_of};
use super::{Served, StandIn};
use crate::binary::Binary;
use crate::waiting::{until, until_found, until_so};

const FAULTS: usize = 24;
const KILLS: usize = 3;
const PEOPLE: usize = 6;
/// Rounds with the same subject.
const ROUNDS: usize = 25;
const SEND: &str = "/v1/email/send";
/// Folder that a rule of the mail server sorts mail into.
const FOLDER: &str = "Suppliers";

fn people() -> Vec<String> {
    (0..PEOPLE).map(|_| format!("maria-{}@mail.example", uuid::Uuid::new_v4().simple())).collect()
}

/// Subject of a round; a thread shows only its newest mails.
fn talk(round: usize) -> String {
    format!("Talk {}", round / ROUNDS)
}

/// A rule of the mail server sorts a mail into the folder.
fn sort_into_folder(mailbox: &TestMailbox, from: &str, text: &str) {
    let id = uuid::Uuid::new_v4().simple().to_string();
    holds(mailbox, FOLDER, "", now(), mail(from, &id, text));
}

/// A new organizer invites the mailbox; returns their address.
fn is_invited(mailbox: &TestMailbox) -> String {
    let organizer = customer();
    let event = outlook("REQUEST", &organizer, &mailbox.address, 0);
    invites(mailbox, &organizer, "Test ride", "REQUEST", &event);
    organizer
}

/// Accepts the invitation of an organizer, with this text.
async fn accept(served: &Served, organizer: &str, text: &str) -> (u16, Value) {
    let thread = served.thread(organizer, "an invitation", |thread| mails_of(thread).len() == 1).await;
    let mut body = answer(&thread, organizer, "accepted");
    body["text"] = text.into();
    served.send(body, Some(&format!("{text} {organizer}").replace(' ', "-"))).await
}

fn count(mailbox: &TestMailbox, to: &str, text: &str) -> usize {
    mailbox.reached(to).iter().filter(|entry| entry.lines().any(|line| line.trim_end() == text)).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_faults_lose_no_mail_and_send_none_twice() {
    let Some(servers) = servers() else { return };
    let faults = setting("FRONTDESK_MAIL_FAULTS", FAULTS);
    let mut mailbox = servers.mailbox();
    let gate = MailGate::before(mailbox.submission());
    mailbox.smtp_port = gate.port;
    mailbox.elsewhere(&[&format!("a CREATE {FOLDER}")]);
    mailbox.folders = vec![FOLDER.to_owned()];
    let (supplier, mut organizers) = (customer(), Vec::new());
    let served = Served::bounded(StandIn::Mailbox(&mailbox)).await;
    many_credits(&served).await;
    let (before, people) = (served.balance().await, people());
    let mut random = StdRng::seed_from_u64(setting("FRONTDESK_SEED", 20_261_123) as u64);
    let done = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&done);
    gate.plan(move || {
        if counted.load(Ordering::SeqCst) >= faults || random.random_bool(0.5) {
            return None;
        }
        counted.fetch_add(1, Ordering::SeqCst);
        Some(MailWrong::ALL[random.random_range(0..MailWrong::ALL.len())])
    });
    let mut outcomes: BTreeMap<(String, String), (u16, Value)> = BTreeMap::new();
    let mut round = 0;
    while done.load(Ordering::SeqCst) < faults {
        round += 1;
        for person in &people {
            mailbox.hears(person, &talk(round), &format!("says {round}"), "");
        }
        sort_into_folder(&mailbox, &supplier, &format!("in the folder {round}"));
        organizers.push(is_invited(&mailbox));
        if round % 3 == 0 {
            mailbox.cut();
        }
        let sends = people.iter().map(|to| {
            let (text, served) = (format!("answer {round}"), &served);
            async move {
                let body = json!({"to": to, "subject": talk(round), "text": text});
                let told = served.send(body, Some(&format!("{text} {to}").replace(' ', "-"))).await;
                ((to.clone(), text), told)
            }
        });
        outcomes.extend(futures_util::future::join_all(sends).await);
        let (organizer, text) = (organizers[round - 1].clone(), format!("accepted {round}"));
        let told = accept(&served, &organizer, &text).await;
        outcomes.insert((organizer, text), told);
    }
    gate.nothing_goes_wrong();
    let mut paid = 0;
    for (organizer, number) in organizers.iter().zip(1..) {
        let (mails, text) = (settled(&served, organizer, 1).await, format!("accepted {number}"));
        let (status, told) = &outcomes[&(organizer.clone(), text.clone())];
        paid += judge(&mailbox, organizer, &text, (*status, told), &mails);
        let answers = mailbox.reached(organizer);
        assert!(answers.iter().all(|mail| mail.contains("method=REPLY")), "{answers:?}");
    }
    let mails = settled(&served, &supplier, round).await;
    let mut sorted: Vec<&str> = texts(&mails, "inbound");
    sorted.sort_unstable();
    let mut wanted: Vec<String> = (1..=round).map(|number| format!("in the folder {number}")).collect();
    wanted.sort_unstable();
    assert_eq!(sorted, wanted, "all that was sorted into the folder, once");
    for person in &people {
        let mails = settled(&served, person, round).await;
        let inbound: Vec<&str> = texts(&mails, "inbound");
        let wanted: Vec<String> = (1..=round).map(|number| format!("says {number}")).collect();
        assert_eq!(inbound, wanted, "all that was written, once, in order");
        for number in 1..=round {
            let text = format!("answer {number}");
            let (status, told) = &outcomes[&(person.clone(), text.clone())];
            paid += judge(&mailbox, person, &text, (*status, told), &mails);
        }
    }
    assert_eq!(served.balance().await, before - paid, "what was refused is given back");
}

fn texts<'a>(mails: &'a [Value], direction: &str) -> Vec<&'a str> {
    let of = mails.iter().filter(|mail| mail["direction"] == direction);
    of.map(|value| value["text"].as_str().unwrap_or("").trim()).collect()
}

/// Mails of a person, once all are there and settled.
async fn settled(served: &Served, person: &str, round: usize) -> Vec<Value> {
    until_found("all is there and settled", async || {
        let (mut all, mut path) = (Vec::new(), "/email/threads?limit=100".to_owned());
        loop {
            let page = served.get(&path).await;
            for listed in page["data"].as_array().expect("a list") {
                if listed["contactEmail"] == person {
                    let path = format!("/email/threads/{}", listed["id"].as_str().expect("an id"));
                    all.extend(
                        served.get(&path).await["messages"].as_array().expect("mails").iter().cloned(),
                    );
                }
            }
            match page["nextCursor"].as_str() {
                Some(next) => path = format!("/email/threads?limit=100&cursor={next}"),
                None => break,
            }
        }
        all.sort_by(|a, b| a["createdAt"].as_str().cmp(&b["createdAt"].as_str()));
        let inbound = all.iter().filter(|value| value["direction"] == "inbound").count();
        let open = all.iter().filter(|value| value["status"] == "queued").count();
        if inbound == round && open == 0 {
            Ok(all)
        } else {
            Err(format!("{inbound} of {round}, {open} open"))
        }
    })
    .await
}

/// Checks that the answer to a send agrees with its outcome; returns the price.
#[track_caller]
fn judge(mailbox: &TestMailbox, to: &str, text: &str, told: (u16, &Value), mails: &[Value]) -> i64 {
    let reached = count(mailbox, to, text);
    let shown: Vec<&str> = mails
        .iter()
        .filter(|mail| {
            mail["direction"] == "outbound" && mail["text"].as_str().is_some_and(|entry| entry.trim() == text)
        })
        .map(|mail| mail["status"].as_str().unwrap_or(""))
        .collect();
    match (told.0, told.1["status"].as_str(), &shown[..]) {
        (200, Some("sent" | "queued"), ["sent"]) => {
            until_so("what was taken arrives", || count(mailbox, to, text) >= 1);
            assert_eq!(count(mailbox, to, text), 1, "{text}");
            1
        }
        (200, Some("unknown" | "queued"), ["unknown"]) => {
            assert!(reached <= 1, "{text}: {reached}");
            1
        }
        (200, Some("queued"), ["failed"]) | (502, None, []) => {
            assert_eq!(reached, 0, "{text}");
            0
        }
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn kills_lose_no_mail_and_send_none_twice() {
    let Some(servers) = servers() else { return };
    let kills = setting("FRONTDESK_MAIL_KILLS", KILLS);
    let (binary, mailbox, people) = (Binary::new(), servers.mailbox(), people());
    let path = |name: &str| binary.folder().join(name).to_str().expect("words").to_owned();
    let (database, ready) = (path("service.db"), path("ready.json"));
    drop(serve(&binary, &database, &ready, &[]));
    let key = live_key(&ready, "email");
    let (imap, smtp) = (mailbox.imap_url(), mailbox.smtp_url());
    mailbox.elsewhere(&[&format!("a CREATE {FOLDER}")]);
    let account = ["--address", &mailbox.address, "--imap", &imap, "--smtp", &smtp, "--read", FOLDER];
    let connect = ["admin", "--db", &database, "channel", "connect", "email"];
    binary.ok(&[&connect[..], &account[..]].concat(), &format!("{}\n", password()));
    binary.ok(&["admin", "--db", &database, "credits", "--set", "1000000"], "");
    let mut random = StdRng::seed_from_u64(setting("FRONTDESK_SEED", 20_261_123) as u64);
    let mut running = serve(&binary, &database, &ready, &[]);
    let (mut open, mut said): (Vec<(String, String)>, Vec<String>) = (Vec::new(), Vec::new());
    let invitations = invitations(&mailbox, &database, kills);
    let body = |text: &str, to: &str| match invitations.iter().find(|(organizer, _)| organizer == to) {
        Some((_, thread)) => {
            let mut body = answer(&json!({ "id": thread }), to, "accepted");
            body["text"] = text.into();
            body.to_string()
        }
        None => json!({"to": to, "subject": "A talk", "text": text}).to_string(),
    };
    for (kill, (organizer, _)) in invitations.iter().enumerate() {
        let person = &people[random.random_range(0..PEOPLE)];
        said.push(format!("says in life {kill}"));
        mailbox.hears(person, "A talk", said.last().expect("one"), "");
        said.push(format!("in the folder in life {kill}"));
        sort_into_folder(&mailbox, person, said.last().expect("one"));
        open.push((format!("accepted-{kill}"), organizer.clone()));
        open.extend(
            (0..3).map(|number| {
                (format!("text-{kill}-{number}"), people[random.random_range(0..PEOPLE)].clone())
            }),
        );
        let askers: Vec<_> = open
            .iter()
            .cloned()
            .map(|(text, to)| {
                let (address, key, body) = (running.address.clone(), key.clone(), body(&text, &to));
                std::thread::spawn(move || (ask(&address, &key, SEND, &text, &body), text, to))
            })
            .collect();
        // At a random point of the work.
        let reached = || open.iter().filter(|(text, to)| count(&mailbox, to, text) > 0).count();
        let wanted = reached() + usize::from(random.random_bool(0.7));
        until_so("something leaves", || reached() >= wanted.min(open.len()));
        drop(running);
        open = askers
            .into_iter()
            .filter_map(|asker| {
                let (answer, text, to) = asker.join().expect("no one failed");
                (!is_accepted(&text, answer)).then_some((text, to))
            })
            .collect();
        running = serve(&binary, &database, &ready, &[]);
    }
    for (text, to) in &open {
        let send = || ask(&running.address, &key, SEND, text, &body(text, to));
        until_so(text, || is_accepted(text, send()));
    }
    let db = Connection::open(&database).expect("opens");
    let number = |sql: &str| db.query_row(sql, [], |row| row.get::<_, i64>(0)).expect("reads");
    until_so("the last of it", || {
        number(
            "SELECT (SELECT count(*) FROM egress WHERE settled_at IS NULL) + (SELECT count(*) FROM ingress WHERE done_at IS NULL)",
        ) == 0
            && number("SELECT count(*) FROM emails WHERE direction = 'inbound'")
                >= (said.len() + kills) as i64
    });
    drop(running);
    check(&mailbox, &db, kills, &said);
}

/// Waits for this many invitations; returns the organizer and the thread of each.
fn invitations(mailbox: &TestMailbox, database: &str, count: usize) -> Vec<(String, String)> {
    let db = Connection::open(database).expect("opens");
    let organizers: Vec<String> = (0..count).map(|_| is_invited(mailbox)).collect();
    let thread = |organizer: &String| {
        let sql = "SELECT thread FROM emails WHERE direction = 'inbound' AND sender = ?1";
        until("the thread of an invitation", || db.query_row(sql, [organizer], |row| row.get::<_, String>(0)))
    };
    organizers.into_iter().map(|organizer| (organizer.clone(), thread(&organizer))).collect()
}

fn check(mailbox: &TestMailbox, db: &Connection, kills: usize, said: &[String]) {
    let rows = |direction: &str| -> Vec<(String, String, String)> {
        let sql = "SELECT body_text, status, recipients FROM emails WHERE direction = ?1 ORDER BY created_at";
        let mut statement = db.prepare(sql).expect("a question");
        let rows = statement
            .query_map([direction], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .expect("reads");
        rows.collect::<Result<_, _>>().expect("rows")
    };
    let arrived = rows("inbound");
    for text in said {
        assert_eq!(arrived.iter().filter(|entry| entry.0.trim() == text).count(), 1, "{text}");
    }
    let sent = rows("outbound");
    assert_eq!(sent.len(), kills * 4, "each text is in a thread: {sent:?}");
    for (text, status, to) in &sent {
        let to = to.trim_matches(['[', ']', '"']);
        match status.as_str() {
            "sent" => {
                until_so("what was taken arrives", || count(mailbox, to, text) >= 1);
                assert_eq!(count(mailbox, to, text), 1, "{text}");
            }
            "unknown" => assert!(count(mailbox, to, text) <= 1, "{text}"),
            other => panic!("{text} is {other}"),
        }
    }
    let paid: i64 = db
        .query_row("SELECT coalesce(-sum(amount), 0) FROM ledger WHERE reason = 'email'", [], |row| {
            row.get(0)
        })
        .expect("reads");
    assert_eq!(paid, i64::try_from(sent.len()).expect("few"), "each is paid once");
}
