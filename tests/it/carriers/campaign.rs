//! Random faults and kill -9 between the service and a platform: nothing is lost or sent twice.
//! `FRONTDESK_CARRIER_FAULTS` and `FRONTDESK_CARRIER_KILLS` set their numbers.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use frontdesk::model::time::Clock;
use frontdesk::service::admin::CreditChange;
use frontdesk::shell::clock::SystemClock;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rusqlite::Connection;
use serde_json::{Value, json};

use super::bot_events::{self, BotEvents};
use super::bot_server::{BotServer, TOKEN};
use super::bots::webp;
use super::stand_in::Wrong;
use super::{Served, StandIn, dashboard, text_to};
use crate::binary::{Binary, free_port};
use crate::waiting::{aside, until_so};

pub const FAULTS: usize = 60;
pub const KILLS: usize = 5;
/// More than any campaign sends.
const CREDITS: i64 = 1_000_000;
const CHATS: i64 = 12;
const BOT_SEND: &str = "/v1/telegram/send";
/// Number of all contact cards.
const CARD_PHONE: &str = "+34600111222";
/// Beginning of a voice note in its format.
pub const VOICE_NOTE: &[u8] = b"OggS\0\x02......OpusHead";

pub fn setting(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|var| var.parse().ok()).unwrap_or(default)
}

type Spoilt = Arc<Mutex<HashMap<Wrong, usize>>>;

/// Plans faults for about half of the calls, up to a number.
pub fn random_plan(seed: u64, faults: usize) -> (impl FnMut(&str) -> Option<Wrong> + Send, Spoilt) {
    let mut random = StdRng::seed_from_u64(seed);
    let done: Spoilt = Arc::default();
    let counted = Arc::clone(&done);
    let mut left = faults;
    let plan = move |_: &str| {
        if left == 0 || random.random_bool(0.5) {
            return None;
        }
        left -= 1;
        let wrong = Wrong::ALL[random.random_range(0..Wrong::ALL.len())];
        *counted.lock().expect("no one failed").entry(wrong).or_default() += 1;
        Some(wrong)
    };
    (plan, done)
}

pub async fn many_credits(served: &Served) {
    let admin = dashboard(&served.options).await;
    admin.credits(Some(CreditChange::Set(CREDITS)), SystemClock.now()).await.expect("enough for all of it");
    admin.close();
}

/// A text, a text with a link preview, a contact card or a question with buttons with these words, by turns.
pub fn of_kind(number: usize, plain: Value, words: &str) -> Value {
    let mut body = plain;
    let is_for_number = body["text"].is_object();
    let text = if is_for_number { &mut body["text"] } else { &mut body };
    match number % 4 {
        0 => {}
        1 => text["linkPreview"] = true.into(),
        2 => text["contact"] = json!({"name": words, "phone": CARD_PHONE}),
        _ if is_for_number => {
            let button = json!({"type": "reply", "reply": {"id": "yes", "title": "Yes"}});
            let interactive =
                json!({"type": "button", "body": {"text": words}, "action": {"buttons": [button]}});
            body = json!({"to": body["to"], "type": "interactive", "interactive": interactive});
        }
        _ => text["buttons"] = json!([[{"text": "Yes"}, {"text": "No", "data": "no"}]]),
    }
    body
}

/// Returns the text that [`of_kind`] was given for a message.
pub fn sent_text(content: &str) -> &str {
    content.strip_suffix(&format!(" · {CARD_PHONE}")).unwrap_or(content)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_faults_lose_nothing_and_send_nothing_twice() {
    let faults = setting("FRONTDESK_CARRIER_FAULTS", FAULTS);
    let bot = BotServer::start();
    let served = Served::bounded(StandIn::Bot(&bot)).await;
    for chat in 1..=CHATS {
        bot.says(chat, &format!("{chat} begins"));
        served.waits(chat, "the first message", |entry| entry.len() == 1).await;
    }
    send_sticker(&bot);
    send_voice_note(&bot);
    let history = served.waits(CHATS + 1, "both files", |entry| entry.len() == 2).await;
    let links = [0, 1].map(|index: usize| history[index]["mediaUrl"].as_str().expect("a link").to_owned());
    many_credits(&served).await;
    let before = served.balance().await;
    let seed = setting("FRONTDESK_SEED", 20_261_123) as u64;
    let (plan, done) = random_plan(seed, faults);
    let mut events = BotEvents::new(&bot);
    events.happen();
    let place = served.options.database.clone();
    aside(move || bot_events::check(&place, 1)).await;
    bot.plan(plan);
    let spoilt = || done.lock().expect("no one failed").values().sum::<usize>();
    let mut outcomes: BTreeMap<String, (u16, Value)> = BTreeMap::new();
    let mut round = 0;
    while spoilt() < faults {
        round += 1;
        for chat in 1..=CHATS {
            bot.says(chat, &format!("{chat} says {round}"));
        }
        events.happen();
        let sends = (1..=CHATS).map(|chat| {
            let text = format!("answer {round} to {chat}");
            let served = &served;
            let body = of_kind(round + usize::try_from(chat).expect("few"), text_to(chat, &text), &text);
            async move {
                let told = served.send(body, Some(&text.replace(' ', "-"))).await;
                (text, told)
            }
        });
        outcomes.extend(futures_util::future::join_all(sends).await);
        let (status, told) = served.send(file_to(CHATS + 1, round, &links), Some(&file_key(round))).await;
        assert_eq!(status, 200, "{told}");
    }
    bot.nothing_goes_wrong();
    let settled = |entry: &[Value]| entry.iter().all(|value| value["status"] != "queued");
    let history =
        served.waits(CHATS + 1, "all files", |entry| entry.len() == round + 2 && settled(entry)).await;
    let count = |status: &str| history[2..].iter().filter(|value| value["status"] == status).count();
    assert_eq!(count("sent") + count("unknown"), round, "{history:?}");
    // Each once, or at most once if nobody knows.
    let reached = count_files(&bot);
    assert!((count("sent")..=round).contains(&reached), "{reached} of {history:?}");
    let mut paid = 2 * i64::try_from(round).expect("few");
    for chat in 1..=CHATS {
        // Every message once, in order.
        let wanted: Vec<String> = (1..=round).map(|number| format!("{chat} says {number}")).collect();
        let history = served
            .waits(chat, "all is there and settled", |entry| {
                entry.iter().filter(|value| value["direction"] == "inbound").count() > round
                    && entry.iter().all(|value| value["status"] != "queued")
            })
            .await;
        let inbound: Vec<&str> = history
            .iter()
            .filter(|value| value["direction"] == "inbound")
            .map(|value| value["content"].as_str().unwrap_or(""))
            .collect();
        assert_eq!(inbound[1..], wanted, "chat {chat}");
        for number in 1..=round {
            paid += judge(&bot, &outcomes, &history, &format!("answer {number} to {chat}"));
        }
    }
    let (place, rounds) = (served.options.database.clone(), events.round_count());
    aside(move || bot_events::check(&place, rounds)).await;
    assert_eq!(served.balance().await, before - paid, "what was refused is given back");
    assert_eq!(bot.most_readers(), 1);
}

/// Checks that the answer to a send agrees with its outcome; returns the price.
#[track_caller]
fn judge(bot: &BotServer, outcomes: &BTreeMap<String, (u16, Value)>, history: &[Value], text: &str) -> i64 {
    let (status, told) = &outcomes[text];
    let reached = bot.reached().iter().filter(|reached| reached.text == text).count();
    let shown: Vec<&str> = history
        .iter()
        .filter(|value| sent_text(value["content"].as_str().unwrap_or("")) == text)
        .map(|value| value["status"].as_str().unwrap_or(""))
        .collect();
    match (status, told["status"].as_str()) {
        (200, Some("sent")) => assert_eq!((reached, shown), (1, vec!["sent"]), "{text}"),
        (200, Some("unknown")) => {
            assert!(reached <= 1 && shown == ["unknown"], "{text}: {reached} {shown:?}")
        }
        (200, Some("queued")) => match shown[..] {
            ["sent"] => assert_eq!(reached, 1, "{text}"),
            ["unknown"] => assert!(reached <= 1, "{text}"),
            _ => panic!("{text}: {shown:?}"),
        },
        other => panic!("{text}: {other:?}"),
    }
    1
}

/// The binary on a database.
pub struct Killed {
    child: Child,
    pub address: String,
}

impl Drop for Killed {
    fn drop(&mut self) {
        // SIGKILL; the process may be dead already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn serve(binary: &Binary, database: &str, ready: &str, more: &[&str]) -> Killed {
    // A unique port: a platform keeps calling the port of a killed service.
    let listen = format!("127.0.0.1:{}", free_port());
    let arguments = ["serve", "--listen", &listen, "--db", database, "--ready-file", ready];
    let mut child =
        binary.command(&[&arguments, more].concat()).stderr(Stdio::null()).spawn().expect("it runs");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
    let (_, rest) = line.trim().split_once("http://").expect("where it is");
    Killed { address: rest.trim_end_matches("/v1").to_owned(), child }
}

pub fn live_key(ready: &str, channel: &str) -> String {
    let told: Value = serde_json::from_str(&std::fs::read_to_string(ready).expect("ready")).expect("JSON");
    let keys = told["keys"].as_array().expect("keys");
    let found = keys.iter().find(|key| key["channel"] == channel && key["environment"] == "live");
    found.expect("a key")["key"].as_str().expect("text").to_owned()
}

/// Sends a request; `None` if the service went away.
pub fn ask(address: &str, key: &str, path: &str, idem: &str, body: &str) -> Option<(u16, Value)> {
    let mut stream = TcpStream::connect(address).ok()?;
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\nauthorization: Bearer {key}\r\n\
         content-type: application/json\r\nidempotency-key: {idem}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let status = answer.split(' ').nth(1)?.parse().ok()?;
    let body = answer.split_once("\r\n\r\n")?.1;
    Some((status, serde_json::from_str(body).ok()?))
}

/// Returns true if a send was accepted, false if it must be repeated: there was no answer, or too many were
/// sent at once.
#[track_caller]
pub fn is_accepted(idem: &str, answer: Option<(u16, Value)>) -> bool {
    match answer {
        Some((200, _)) => true,
        None | Some((429, _)) => false,
        Some(refusal) => panic!("{idem}: {refusal:?}"),
    }
}

/// Returns the sends that must be repeated, by key and recipient.
pub fn left_open(
    open: Vec<(String, String)>,
    askers: Vec<JoinHandle<Option<(u16, Value)>>>,
) -> Vec<(String, String)> {
    let answers = askers.into_iter().map(|asker| asker.join().expect("no one failed"));
    let asked = open.into_iter().zip(answers);
    asked.filter_map(|(pair, answer)| (!is_accepted(&pair.0, answer)).then_some(pair)).collect()
}

/// Idempotency key of a file that is sent in a round or before a kill.
pub fn file_key(number: usize) -> String {
    format!("file-{number}")
}

/// The bot's customer sends a sticker.
fn send_sticker(bot: &BotServer) {
    bot.put_file("bell", &webp(512));
    bot.sends(CHATS + 1, json!({"sticker": {"file_id": "bell"}}));
}

/// The bot's customer sends a voice note.
fn send_voice_note(bot: &BotServer) {
    bot.put_file("spoken", VOICE_NOTE);
    bot.sends(CHATS + 1, json!({"voice": {"file_id": "spoken", "mime_type": "audio/ogg"}}));
}

/// A sticker or a voice note by turns. The links are those of the sticker and of the voice note.
fn file_to(chat: i64, number: usize, links: &[String; 2]) -> Value {
    match number % 2 {
        0 => json!({"chatId": chat, "type": "photo", "url": links[0], "sticker": true}),
        _ => json!({"chatId": chat, "type": "audio", "url": links[1], "voice": true}),
    }
}

/// Returns how many stickers and voice notes reached somebody.
fn count_files(bot: &BotServer) -> usize {
    let is_file = |method: &str| ["sendSticker", "sendVoice"].contains(&method);
    bot.reached().iter().filter(|reached| is_file(&reached.method)).count()
}

/// Body of a send. Its idempotency key says which file it is, or which kind of text.
fn body_of(idem: &str, chat: i64, links: &[String; 2]) -> String {
    let number = idem.rsplit('-').next().and_then(|number| number.parse().ok()).expect("a number");
    if idem.starts_with("file-") {
        return file_to(chat, number, links).to_string();
    }
    of_kind(number, text_to(chat, idem), idem).to_string()
}

/// Waits for a customer's file other than the one with this link; returns its link.
pub fn wait_for_file(database: &str, other: &str) -> String {
    let db = Connection::open(database).expect("opens");
    let sql = "SELECT media_url FROM messages WHERE direction = 'inbound' AND media_url <> ?1";
    let link = || db.query_row(sql, [other], |row| row.get::<_, String>(0));
    until_so("a file", || link().is_ok());
    link().expect("it is there")
}

#[test]
fn kills_lose_nothing_and_send_nothing_twice() {
    let kills = setting("FRONTDESK_CARRIER_KILLS", KILLS);
    let (binary, bot) = (Binary::new(), BotServer::start());
    let path = |name: &str| binary.folder().join(name).to_str().expect("words").to_owned();
    let (database, ready) = (path("service.db"), path("ready.json"));
    // Links to files begin with it: the same after each start.
    let public = ["--public-url", "http://127.0.0.1:9"];
    drop(serve(&binary, &database, &ready, &public));
    let key = live_key(&ready, "telegram");
    let url = bot.url();
    let connect = ["admin", "--db", &database, "channel", "connect", "telegram", "--api-url", &url];
    binary.ok(&connect, &format!("{TOKEN}\n"));
    binary.ok(&["admin", "--db", &database, "credits", "--set", "1000000"], "");
    let mut running = serve(&binary, &database, &ready, &public);
    for chat in 1..=CHATS {
        bot.says(chat, &format!("{chat} begins"));
    }
    send_sticker(&bot);
    let sticker = wait_for_file(&database, "");
    send_voice_note(&bot);
    let voice_note = wait_for_file(&database, &sticker);
    let links = [sticker, voice_note];
    let begun = usize::try_from(CHATS + 2).expect("few");
    let mut events = BotEvents::new(&bot);
    events.happen();
    until_so("all have begun", || inbound(&database).len() >= begun + events.messages());
    let mut random = StdRng::seed_from_u64(setting("FRONTDESK_SEED", 20_261_123) as u64);
    let mut open: Vec<(String, i64)> = Vec::new();
    let mut said = Vec::new();
    for kill in 0..kills {
        let chat = random.random_range(1..=CHATS);
        said.push(format!("{chat} says in life {kill}"));
        bot.says(chat, said.last().expect("one"));
        events.happen();
        open.extend((0..4).map(|number| (format!("text-{kill}-{number}"), random.random_range(1..=CHATS))));
        open.push((file_key(kill), CHATS + 1));
        let address = running.address.clone();
        let askers: Vec<_> = open
            .iter()
            .cloned()
            .map(|(idem, chat)| {
                let (address, key) = (address.clone(), key.clone());
                let body = body_of(&idem, chat, &links);
                std::thread::spawn(move || (ask(&address, &key, BOT_SEND, &idem, &body), idem, chat))
            })
            .collect();
        // At a random point of the work.
        bot.waits_for_requests(bot.requests() + random.random_range(1..6));
        drop(running);
        open = askers
            .into_iter()
            .filter_map(|asker| {
                let (answer, idem, chat) = asker.join().expect("no one failed");
                (!is_accepted(&idem, answer)).then_some((idem, chat))
            })
            .collect();
        running = serve(&binary, &database, &ready, &public);
    }
    for (idem, chat) in &open {
        let send = || ask(&running.address, &key, BOT_SEND, idem, &body_of(idem, *chat, &links));
        until_so(idem, || is_accepted(idem, send()));
    }
    settle(&database, said.len() + begun + events.messages());
    bot_events::check(&Path::new(&database).to_owned().into(), events.round_count());
    drop(running);
    check(&bot, &database, kills, &said);
}

pub fn settle(database: &str, wanted: usize) {
    let db = Connection::open(database).expect("opens");
    let open = "SELECT (SELECT count(*) FROM egress WHERE settled_at IS NULL)
                + (SELECT count(*) FROM ingress WHERE done_at IS NULL)";
    until_so("the last of it", || {
        let under_way: i64 = db.query_row(open, [], |row| row.get(0)).expect("reads");
        under_way == 0 && inbound(database).len() >= wanted
    });
}

pub fn rows(database: &str, direction: &str) -> Vec<(String, String)> {
    let db = Connection::open(database).expect("opens");
    let sql = "SELECT content, status FROM messages WHERE direction = ?1 ORDER BY created_at";
    let mut statement = db.prepare(sql).expect("a question");
    let rows = statement.query_map([direction], |row| Ok((row.get(0)?, row.get(1)?))).expect("reads");
    rows.collect::<Result<_, _>>().expect("rows")
}

/// Separates the statuses of files, which have no text, from the rows of texts.
pub fn split_files(rows: Vec<(String, String)>) -> (Vec<String>, Vec<(String, String)>) {
    let (files, texts): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(text, _)| text.is_empty());
    (files.into_iter().map(|(_, status)| status).collect(), texts)
}

/// Credits for texts and files.
pub fn price(texts: usize, files: usize) -> i64 {
    i64::try_from(texts + 2 * files).expect("few")
}

pub fn inbound(database: &str) -> Vec<String> {
    rows(database, "inbound").into_iter().map(|row| row.0).collect()
}

fn check(bot: &BotServer, database: &str, kills: usize, said: &[String]) {
    let arrived = inbound(database);
    for text in said {
        assert_eq!(arrived.iter().filter(|entry| *entry == text).count(), 1, "{text}");
    }
    let (files, sent) = split_files(rows(database, "outbound"));
    let reached = bot.reached();
    assert_eq!((files.len(), sent.len()), (kills, kills * 4), "each is in the history");
    let files_arrived = count_files(bot);
    let known = files.iter().filter(|status| *status == "sent").count();
    let unknown = files.iter().filter(|status| *status == "unknown").count();
    assert_eq!(known + unknown, kills, "{files:?}");
    assert!((known..=kills).contains(&files_arrived), "{files_arrived} arrived of {files:?}");
    let mut tried = 0;
    for (text, status) in &sent {
        let count = reached.iter().filter(|reached| reached.text == sent_text(text)).count();
        match status.as_str() {
            "sent" => assert_eq!(count, 1, "{text}"),
            "unknown" => assert!(count <= 1, "{text}: {count}"),
            other => panic!("{text} is {other}"),
        }
        tried += count;
    }
    assert_eq!(tried + files_arrived, reached.len(), "nothing reached anybody that nobody asked for");
    let db = Connection::open(database).expect("opens");
    let paid: i64 = db
        .query_row("SELECT -sum(amount) FROM ledger WHERE reason = 'message'", [], |row| row.get(0))
        .expect("reads");
    assert_eq!(paid, price(sent.len(), files.len()), "each is paid once");
}
