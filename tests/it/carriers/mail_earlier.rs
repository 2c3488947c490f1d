//! Mail that was in a mailbox before the mailbox was connected: it becomes threads with flags and
//! attachments, without events, answers or costs.
//!
//! `FRONTDESK_OLD_MAILS` sets the number of mails of a campaign, `FRONTDESK_OLD_KILLS` the number
//! of kills.

use std::collections::{BTreeMap, BTreeSet};

use frontdesk::model::time::{Clock, DAY, HOUR, SECOND, Timestamp};
use frontdesk::service::AssistantChoice;
use frontdesk::service::carriers::dashboard::{MailImportProgress, MailSince};
use frontdesk::shell::clock::{SystemClock, instant};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::campaign::{live_key, serve, setting};
use super::mail_line::MailLine;
use super::mail_server::{OldMail, TestMailbox, password, servers};
use super::mails::{customer, mails_of, quiet};
use super::story::shows;
use super::{Served, connect_mailbox, dashboard};
use crate::binary::Binary;
use crate::desk::Desk;
use crate::postgres::cluster;
use crate::waiting::{until_found, until_so};

const MAILS: usize = 60;
const KILLS: usize = 4;
/// Mails per thread in a campaign: three from the customer, one answer.
const OF_THREAD: usize = 4;

fn ago(span: i64) -> Timestamp {
    Timestamp::from_micros(SystemClock.now().micros() / SECOND * SECOND - span)
}

/// A mail from a customer; `more` are headers.
fn written(mailbox: &TestMailbox, from: &str, id: &str, subject: &str, text: &str, more: &str) -> String {
    format!(
        "From: Maria Lopez <{from}>\nTo: {}\nSubject: {subject}\nMessage-ID: <{id}>\n{more}\n{text}\n",
        mailbox.address
    )
}

fn answered(mailbox: &TestMailbox, to: &str, id: &str, subject: &str, text: &str, more: &str) -> String {
    format!("From: {}\nTo: {to}\nSubject: {subject}\nMessage-ID: <{id}>\n{more}\n{text}\n", mailbox.address)
}

fn inbox(flags: &'static str, at: Timestamp, text: String) -> OldMail {
    OldMail { folder: "INBOX", flags, at, text }
}

fn sent(at: Timestamp, text: String) -> OldMail {
    OldMail { folder: "Sent", flags: "\\Seen", at, text }
}

async fn standing(served: &Served) -> MailImportProgress {
    let admin = dashboard(&served.options).await;
    let all = admin.channels(SystemClock.now()).await.expect("a list");
    admin.close();
    all.into_iter().find_map(|channel| channel.earlier).expect("mail from before becomes threads")
}

async fn filed(served: &Served, count: u64) {
    until_found("all is filed", async || {
        let now = standing(served).await;
        if now.is_finished && now.filed >= count { Ok(()) } else { Err(format!("{now:?}")) }
    })
    .await;
}

fn texts(thread: &Value) -> Vec<&str> {
    mails_of(thread).iter().map(|mail| mail["text"].as_str().unwrap_or("").trim()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mail_from_before_becomes_threads_and_no_news() {
    let Some(servers) = servers() else { return };
    let (mut mailbox, maria, other, older) = (servers.mailbox(), customer(), customer(), customer());
    (mailbox.since, mailbox.auto_reply) = (MailSince::Span(30 * DAY), true);
    let file = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n";
    let with_file = "--b\nContent-Type: text/plain\n\nSee the picture.\n--b\nContent-Type: image/png\n\
        Content-Disposition: attachment; filename=photo.png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n--b--";
    let (first, last, picture) = (ago(20 * DAY), ago(2 * DAY), ago(5 * DAY));
    mailbox.holds([
        inbox("\\Seen", ago(40 * DAY), written(&mailbox, &older, "o.1", "Old", "Too old.", "")),
        inbox("\\Seen", first, written(&mailbox, &maria, "m.1", "Order 1042", "Where is it?", "")),
        sent(
            ago(19 * DAY),
            answered(&mailbox, &maria, "a.1", "Re: Order 1042", "On its way.", "In-Reply-To: <m.1>\n"),
        ),
        inbox(
            "\\Flagged",
            last,
            written(
                &mailbox,
                &maria,
                "m.2",
                "Re: Order 1042",
                "Not here.",
                "In-Reply-To: <a.1>\nReferences: <m.1> <a.1>\n",
            ),
        ),
        inbox("\\Seen", picture, written(&mailbox, &other, "p.1", "Brakes", with_file, file)),
    ]);
    let served = Served::mailbox(&mailbox, AssistantChoice::Scripted).await;
    let sql = "INSERT INTO webhooks (id, channel, url, events, created_at)
        SELECT 'wh_kept', id, 'https://127.0.0.1:9/', '[\"email.received\", \"email.thread.categorized\"]', 0
        FROM channels WHERE kind = 'email' RETURNING id";
    assert_eq!(cluster::column(&served.options.database, sql), ["wh_kept"]);
    let before = served.balance().await;
    filed(&served, 4).await;
    let thread = served.thread(&maria, "the whole thread", |thread| mails_of(thread).len() == 3).await;
    assert_eq!(texts(&thread), ["Where is it?", "On its way.", "Not here."]);
    assert_eq!(
        (&thread["subject"], &thread["isRead"], &thread["isStarred"], &thread["folder"]),
        (&json!("Order 1042"), &json!(false), &json!(true), &json!("inbox"))
    );
    let times =
        |mail: &Value| mail["createdAt"].as_str().and_then(Timestamp::parse).expect("a time").seconds();
    let told: Vec<i64> = mails_of(&thread).iter().map(times).collect();
    assert_eq!((told[0], told[2]), (first.seconds(), last.seconds()), "the time of arrival");
    assert_eq!(mails_of(&thread)[1]["direction"], "outbound");
    let brakes = served.thread(&other, "a thread with a file", |thread| mails_of(thread).len() == 1).await;
    assert_eq!((&brakes["isRead"], &brakes["isStarred"]), (&json!(true), &json!(false)));
    let link = mails_of(&brakes)[0]["attachments"][0]["url"].as_str().expect("an address");
    let bytes = reqwest::get(link).await.expect("served").bytes().await.expect("bytes");
    assert_eq!(&bytes[..4], b"\x89PNG");
    let all = served.threads().await;
    let contacts: Vec<_> = all.iter().map(|thread| thread["contactEmail"].as_str().expect("one")).collect();
    assert_eq!(contacts, [&maria, &other], "newest activity first, and nothing older");
    // A new mail is answered; everything before it is settled by then.
    let new = customer();
    mailbox.hears(&new, "A question", "What are your opening hours?", "");
    mailbox.waits_for(&new, "Auto-Submitted: auto-replied");
    assert!(mailbox.reached(&maria).is_empty() && mailbox.reached(&other).is_empty(), "nobody is answered");
    assert_eq!(served.events(), ["email.received", "email.thread.categorized"], "of the new one alone");
    let polled = served.get("/triggers/new-message").await;
    assert_eq!(polled["data"].as_array().map(Vec::len), Some(1), "{polled}");
    assert_eq!(served.balance().await, before);
    // From now on changes made elsewhere are picked up.
    mailbox.elsewhere(&["a SELECT INBOX", "a STORE 1:* +FLAGS (\\Seen)"]);
    served.thread(&maria, "read elsewhere", |thread| thread["isRead"] == true).await;
    mailbox.elsewhere(&["a SELECT INBOX", "a UID MOVE 4 Archive"]);
    served.thread(&other, "archived elsewhere", |thread| thread["folder"] == "archive").await;
    mailbox.hears(
        &maria,
        "Re: Order 1042",
        "It came.",
        "In-Reply-To: <m.2>\nReferences: <m.1> <a.1> <m.2>\n",
    );
    served.thread(&maria, "the thread goes on", |thread| mails_of(thread).len() == 4).await;
}

/// Threads of four mails each in the last 29 days: the mails, and the contact of each thread.
fn old_threads(mailbox: &TestMailbox, mails: usize) -> (Vec<OldMail>, Vec<String>) {
    let people: Vec<String> = (0..mails.div_ceil(OF_THREAD)).map(|_| customer()).collect();
    let count = i64::try_from(people.len()).expect("few");
    let mut all = Vec::new();
    for (index, person) in (0_i64..).zip(&people) {
        let at = |hours: i64| ago(29 * DAY - index * 27 * DAY / count - hours * HOUR);
        let id = |mail: usize| format!("{mail}.{person}");
        let subject = format!("Order {index}");
        let text =
            |mail: usize| format!("Text {mail} of {index}. {}", "More words of a usual mail. ".repeat(60));
        let after = |mail: usize| format!("In-Reply-To: <{}>\nReferences: <{}>\n", id(mail), id(1));
        all.push(inbox("\\Seen", at(0), written(mailbox, person, &id(1), &subject, &text(1), "")));
        all.push(sent(
            at(1),
            answered(mailbox, person, &id(2), &format!("Re: {subject}"), &text(2), &after(1)),
        ));
        all.push(inbox(
            "\\Seen",
            at(2),
            written(mailbox, person, &id(3), &format!("Re: {subject}"), &text(3), &after(2)),
        ));
        // A reply without references; only the subject matches.
        all.push(inbox("", at(3), written(mailbox, person, &id(4), &format!("Re: {subject}"), &text(4), "")));
    }
    (all, people)
}

fn faults(rows: &[String], people: &[String]) -> Vec<String> {
    let mut mails: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut threads: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in rows {
        let [person, thread, id] = row.split('|').collect::<Vec<_>>()[..] else { panic!("{row}") };
        mails.entry(person).or_default().push(id);
        threads.entry(person).or_default().insert(thread);
    }
    let mut faults = Vec::new();
    for person in people {
        let wanted: Vec<String> = (1..=OF_THREAD).map(|mail| format!("<{mail}.{person}>")).collect();
        if mails.get(person.as_str()).is_none_or(|found| *found != wanted) {
            faults.push(format!("{person}: {:?}", mails.get(person.as_str())));
        }
        if threads.get(person.as_str()).is_some_and(|all| all.len() > 1) {
            faults.push(format!("{person} has several threads"));
        }
    }
    faults
}

const FILED: &str = "SELECT contact || '|' || thread || '|' || header_id FROM emails
    JOIN threads ON threads.id = emails.thread WHERE header_id NOT LIKE '<new%' ORDER BY contact, header_id";

/// A large mailbox: measures the import, and the delay of a mail that arrives meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mailbox_is_filed_while_new_mail_goes_on_being_read() {
    let Some(servers) = servers() else { return };
    let count = setting("FRONTDESK_OLD_MAILS", MAILS);
    let mut mailbox = servers.mailbox();
    mailbox.since = MailSince::Span(30 * DAY);
    let (mails, people) = old_threads(&mailbox, count);
    let total = mails.len();
    mailbox.holds(mails);
    let begun = instant();
    let served = quiet(&mailbox).await;
    // Of two processes on one server exactly one reads the mailbox.
    let second = match served.options.database.file() {
        Some(_) => None,
        None => Some(frontdesk::service::start(served.options.clone()).await.expect("a second one")),
    };
    let (mut slowest, mut news) = (std::time::Duration::ZERO, 0);
    loop {
        let is_finished = standing(&served).await.is_finished;
        let (new, sent_at) = (customer(), instant());
        mailbox.hears(&new, "A new one", "Hello?", &format!("X-Number: {news}\n"));
        let thread = served.thread(&new, "new mail", |thread| mails_of(thread).len() == 1).await;
        assert_eq!(mails_of(&thread)[0].get("imported"), None, "{thread}");
        (slowest, news) = (slowest.max(sent_at.elapsed()), news + 1);
        if is_finished {
            break;
        }
    }
    let now = standing(&served).await;
    let took = begun.elapsed();
    eprintln!("{total} mails filed within {took:?}; the slowest of {news} new mails took {slowest:?}");
    assert_eq!((now.filed, now.total), (total as u64, total as u64));
    let rows = cluster::column(&served.options.database, FILED);
    let rows: Vec<String> =
        rows.into_iter().filter(|row| people.iter().any(|person| row.starts_with(person))).collect();
    assert_eq!((faults(&rows, &people), rows.len()), (Vec::new(), total));
    let unread = served.get("/email/threads?isRead=false&limit=1").await;
    assert_eq!(unread["data"][0]["isRead"], false);
    until_found("names are forgotten", async || {
        let sql = "SELECT peer FROM arrivals WHERE peer LIKE 'named %'";
        let left = cluster::column(&served.options.database, sql);
        if left.is_empty() { Ok(()) } else { Err(left.len()) }
    })
    .await;
    if let Some(second) = second {
        second.shutdown().await;
    }
}

#[test]
fn kills_neither_double_nor_lose_mail_from_before() {
    let Some(servers) = servers() else { return };
    let (kills, binary) = (setting("FRONTDESK_OLD_KILLS", KILLS), Binary::new());
    let mailbox = servers.mailbox();
    let (mails, people) = old_threads(&mailbox, 2 * MAILS.max(20 * kills));
    let total = mails.len();
    mailbox.holds(mails);
    let path = |name: &str| binary.folder().join(name).to_str().expect("words").to_owned();
    let (database, ready) = (path("service.db"), path("ready.json"));
    drop(serve(&binary, &database, &ready, &[]));
    drop(live_key(&ready, "email"));
    let (imap, smtp) = (mailbox.imap_url(), mailbox.smtp_url());
    let account = ["--address", &mailbox.address, "--imap", &imap, "--smtp", &smtp, "--since", "30d"];
    let connect = ["admin", "--db", &database, "channel", "connect", "email"];
    binary.ok(&[&connect[..], &account[..]].concat(), &format!("{}\n", password()));
    let count = |sql: &str| {
        let db = Connection::open(&database).expect("opens");
        db.query_row(sql, [], |row| row.get::<_, i64>(0)).expect("reads")
    };
    let list = || -> Value {
        let told = binary.ok(&["admin", "--db", &database, "channel", "list", "--json"], "");
        let all: Value = serde_json::from_str(&told).expect("JSON");
        all.as_array()
            .expect("a list")
            .iter()
            .find(|value| value["channel"] == "email")
            .expect("mail")
            .clone()
    };
    for kill in 1..=kills {
        let running = serve(&binary, &database, &ready, &[]);
        let wanted = i64::try_from(total * kill / (kills + 1)).expect("few");
        until_so("some are filed", || count("SELECT count(*) FROM emails") >= wanted);
        drop(running);
    }
    let running = serve(&binary, &database, &ready, &[]);
    until_so("all is filed", || list()["earlier"]["finished"] == true);
    assert_eq!(list()["earlier"]["filed"], total);
    drop(running);
    let db = Connection::open(&database).expect("opens");
    let mut statement = db.prepare(FILED).expect("a question");
    let rows = statement.query_map([], |row| row.get(0)).expect("reads");
    let rows: Vec<String> = rows.collect::<Result<_, _>>().expect("rows");
    assert_eq!((faults(&rows, &people), rows.len()), (Vec::new(), total));
}

/// A server that renumbers at each login and reports no next UID, while mails are removed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn filing_goes_on_at_servers_that_number_mails_anew() {
    let Some(servers) = servers() else { return };
    let mut mailbox = servers.mailbox();
    mailbox.since = MailSince::Span(30 * DAY);
    let (mails, people) = old_threads(&mailbox, MAILS);
    mailbox.holds(mails);
    let line = MailLine::changing(mailbox.imap_port, |connection, text| {
        if text.contains("[UIDNEXT") {
            return String::new();
        }
        renumbered(&text, connection)
    });
    mailbox.imap_port = line.port;
    let served = quiet(&mailbox).await;
    for round in 0..3 {
        let new = customer();
        mailbox.hears(&new, "A new one", &format!("Round {round}"), "");
        served.mails(&new, 1).await;
        mailbox.cut();
        // Mail of the first people is removed while it may be in transit.
        let remove = format!("a UID STORE {} +FLAGS (\\Deleted)", round + 1);
        mailbox.elsewhere(&["a SELECT INBOX", &remove, "a EXPUNGE"]);
    }
    filed(&served, 1).await;
    let rows = cluster::column(&served.options.database, FILED);
    let ids: BTreeSet<&str> = rows.iter().filter_map(|row| row.rsplit('|').next()).collect();
    assert_eq!(ids.len(), rows.len(), "nothing is there twice: {rows:?}");
    let last: Vec<String> = people[people.len() / 2..].to_vec();
    let rows: Vec<String> =
        rows.into_iter().filter(|row| last.iter().any(|text| row.starts_with(text))).collect();
    assert_eq!(faults(&rows, &last), Vec::<String>::new());
}

/// A line of the server with the UIDVALIDITY of a connection.
fn renumbered(text: &str, connection: usize) -> String {
    let Some((before, after)) = text.split_once("UIDVALIDITY ") else { return text.to_owned() };
    let rest = after.trim_start_matches(|digit: char| digit.is_ascii_digit());
    format!("{before}UIDVALIDITY {}{rest}", 1_000 + connection)
}

/// A mail without `Message-ID` is recognised by its content, and later mail is still read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mail_without_an_id_is_there_once_when_numbers_change() {
    let Some(servers) = servers() else { return };
    let (mailbox, maria) = (servers.mailbox(), customer());
    let served = quiet(&mailbox).await;
    let bare =
        format!("From: {maria}\nTo: {}\nSubject: Without an id\n\nNobody named me.\n", mailbox.address);
    mailbox.holds([inbox("", SystemClock.now().plus(HOUR), bare)]);
    served.mails(&maria, 1).await;
    for round in 0..3 {
        if round % 2 == 0 {
            mailbox.numbered_anew();
        } else {
            mailbox.numbered_anew_unnoticed();
        }
        for mail in ["first", "second"] {
            let new = customer();
            mailbox.hears(&new, "After a change", &format!("The {mail} of {round}"), "");
            served.mails(&new, 1).await;
        }
    }
    assert_eq!(served.mails(&maria, 1).await.len(), 1);
    let contacts: Vec<Value> = served.threads().await;
    let own = contacts.iter().filter(|thread| thread["contactEmail"] == maria.as_str()).count();
    assert_eq!((own, contacts.len()), (1, 7), "nothing is there twice");
}

/// An open desk shows threads of old mail, however old they are, and rings for none of them.
#[test]
fn an_open_desk_shows_mail_from_before_and_rings_for_none() {
    let Some(servers) = servers() else { return };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut mailbox = servers.mailbox();
    let (old, new) = (customer(), customer());
    // The oldest is below the first page of the list.
    mailbox.holds([inbox("", ago(20 * DAY), written(&mailbox, &old, "old.1", "Brakes", "They squeak.", ""))]);
    mailbox.holds((0..60).map(|index| {
        let (from, id) = (customer(), format!("above.{index}"));
        inbox(
            "\\Seen",
            ago(DAY + index * HOUR),
            written(&mailbox, &from, &id, &format!("Order {index}"), "Hm.", ""),
        )
    }));
    let served = runtime.block_on(quiet(&mailbox));
    let key = served.keys["email live"].clone();
    let mut desk = Desk::with_tab("Harbor mail", &served.running.base_url, &key);
    desk.resize((120, 180));
    desk.settle();
    mailbox.hears(&new, "Chain", "It is loose.", "");
    shows(&mut desk, "Chain");
    let bells = desk.bells;
    mailbox.since = MailSince::Span(30 * DAY);
    runtime.block_on(connect_mailbox(&served.options, &mailbox));
    runtime.block_on(filed(&served, 61));
    shows(&mut desk, "Brakes");
    desk.wait(30_000_000);
    desk.settle();
    assert_eq!(desk.bells, bells, "{}", desk.picture());
}
