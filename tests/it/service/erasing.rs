//! An erased person is in no table, no file and no pending event.

use frontdesk::model::time::Timestamp;
use std::collections::BTreeSet;
use std::path::Path;

use frontdesk::service::admin::Admin;
use frontdesk::service::database::erasing::{Erasure, TABLES};
use serde_json::{Value, json};

use super::receiver::Receiver;
use super::{Answer, Desk, texts};
use crate::postgres::cluster;
use crate::waiting::until_so;

const LIVE: &str = "whatsapp live";
const QUAGGA: &str = "+34600999888";
const MAIL: &str = "quagga@zyzzyva.example";
const CHAT: &str = "4711999888";
/// Words unique to the person.
const WORDS: [&str; 6] = ["Quagga", "quagga", "Zyzzyva", "zyzzyva", "600999888", CHAT];
/// Tables without searchable text.
const WITHOUT_WORDS: [&str; 3] = ["deliveries", "media_parts", "opt_outs"];

pub(super) fn tables_with(desk: &Desk, words: &[&str]) -> BTreeSet<String> {
    let holds = |text: &str| words.iter().any(|word| text.contains(word));
    if desk.place.file().is_none() {
        let tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()";
        let has_words = |table: &String| {
            // Bytes in escape format.
            let columns = format!(
                "SELECT CASE data_type WHEN 'bytea' THEN 'encode(' || quote_ident(column_name) || ', ''escape'')'
                 ELSE quote_ident(column_name) || '::TEXT' END FROM information_schema.columns
                 WHERE table_schema = current_schema() AND table_name = '{table}'"
            );
            let columns = cluster::column(&desk.place, &columns).join(", ");
            let rows = format!("SELECT concat_ws(' ', {columns}) FROM \"{table}\"");
            cluster::column(&desk.place, &rows).iter().any(|row| holds(row))
        };
        return cluster::column(&desk.place, tables).into_iter().filter(has_words).collect();
    }
    let db = desk.sql();
    let mut tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").expect("prepared");
    let tables = tables.query_map([], |row| row.get::<_, String>(0)).expect("read");
    let has_words = |table: &String| {
        let mut rows = db.prepare(&format!("SELECT * FROM {table}")).expect("prepared");
        let count = rows.column_count();
        let text = |row: &rusqlite::Row<'_>| {
            let cell = |place| match row.get_ref(place)? {
                rusqlite::types::ValueRef::Text(bytes) | rusqlite::types::ValueRef::Blob(bytes) => {
                    Ok(String::from_utf8_lossy(bytes).into_owned())
                }
                _ => Ok::<_, rusqlite::Error>(String::new()),
            };
            Ok((0..count).map(cell).collect::<Result<Vec<_>, _>>()?.join(" "))
        };
        rows.query_map([], text).expect("read").any(|row| holds(&row.expect("a row")))
    };
    tables.map(|name| name.expect("a name")).filter(has_words).collect()
}

pub(super) fn files_with(folder: &Path, words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files_with(&path, words));
            continue;
        }
        let bytes = std::fs::read(&path).expect("read");
        for word in words {
            if bytes.windows(word.len()).any(|part| part == word.as_bytes()) {
                found.push(format!("{word} in {}", path.display()));
            }
        }
    }
    found
}

pub(super) async fn execute(desk: &Desk, sql: &str) {
    match desk.place.clone() {
        frontdesk::service::DatabaseLocation::Server(url) => {
            cluster::run(&url.client_url(), sql).await.expect(sql);
        }
        frontdesk::service::DatabaseLocation::File(_) => desk.sql().execute_batch(sql).expect(sql),
    }
}

pub(super) async fn upload(desk: &Desk, name: &str, bytes: &str) -> Value {
    let body = format!(
        "--b0\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n{bytes}\r\n--b0--\r\n"
    );
    let headers = [("content-type", "multipart/form-data; boundary=b0"), ("idempotency-key", "upload")];
    let url = format!("{}/media", desk.running.base_url);
    desk.send(LIVE, "POST", &url, &headers, body.into_bytes()).await.good(200)
}

async fn fetch(desk: &Desk, url: &str) -> Answer {
    desk.send("", "GET", url, &[], Vec::new()).await
}

/// Groups and threads of others that mention the person.
fn among_others(group: &str, thread: &str) -> String {
    let message =
        "INSERT INTO messages (id, conversation, channel, platform_id, direction, sender, content, kind,
        media_url, details, status, created_at, extras) VALUES";
    let mail = "INSERT INTO emails (id, thread, channel, header_id, direction, sender, sender_name, recipients, copies,
        blind_copies, subject, body_text, attachments, headers, status, created_at) VALUES";
    format!(
        r#"{message} ('m_group', '{group}', 'ch_whatsapp', 'wamid.group', 'inbound', 'customer', 'Quagga: of Zyzzyva',
             'image', '/media/med_group/quagga.png', '{{"name": "quagga.png"}}', 'received', 9000000000000000,
             '{{"writtenBy":["{QUAGGA}","ES.1"]}}');
         {message} ('m_reaction', '{group}', 'ch_whatsapp', 'reaction-1', 'inbound', 'customer', 'Quagga: 👍',
             'reaction', NULL, NULL, 'received', 8000000000000000,
             '{{"reaction":{{"to":"wamid.1","by":"{QUAGGA}"}}}}');
         UPDATE conversations SET preview = 'Quagga: of Zyzzyva', last_at = 9000000000000000 WHERE id = '{group}';
         {mail} ('e_others', '{thread}', 'ch_email', '<1@mail.example>', 'inbound', 'bo@mail.example', 'Bo',
             '["Quagga@Zyzzyva.example"]', '["{MAIL}", "cy@mail.example"]', '["{MAIL}"]', 'Prices', 'Words of Bo',
             '[]', '{{"Reply-To":"Quagga <{MAIL}>"}}', 'received', 1);
         {mail} ('e_own', '{thread}', 'ch_email', '<2@mail.example>', 'inbound', '{MAIL}', 'Quagga',
             '["bo@mail.example"]', '[]', '[]', 'Prices', 'Words of Quagga', '[]', '{{}}', 'received', 2);"#
    )
}

/// Rows the simulated world does not create.
fn rest_of(desk: &Desk, conversation: &str, thread: &str) -> String {
    let bytes =
        if desk.place.file().is_none() { "'Quagga writes'::BYTEA" } else { "CAST('Quagga writes' AS BLOB)" };
    format!(
        "INSERT INTO egress (id, channel, lane, place, parcel, draft, state, due_at, fence, claimed_until, told)
             VALUES ('e1', 'ch_whatsapp', '{conversation}', 1, 'to Quagga', 'Quagga', 'unknown', 0, 0, 0, FALSE);
         INSERT INTO ingress (channel, name, lane, place, body, due_at, attempts)
             VALUES ('ch_whatsapp', 'piece', '{QUAGGA}', 1, {bytes}, 9000000000000000, 0);
         INSERT INTO arrivals (channel, peer, platform_id) VALUES ('ch_whatsapp', '{QUAGGA}', 'p1');
         INSERT INTO peer_aliases (channel, alias, peer) VALUES ('ch_whatsapp', 'id.of.quagga', '{QUAGGA}');
         INSERT INTO escalation_summaries (conversation, summary) VALUES ('{conversation}', 'Quagga is angry');
         INSERT INTO proposals (id, conversation, connection, endpoint, answers, state, created_at)
             VALUES ('p1', '{conversation}', 'shop', 'refund', '{{\"to\": \"Quagga\"}}', 'proposed', 1);
         INSERT INTO characters (conversation, language, live, replies) VALUES ('{conversation}', 'en', '[\"Quagga\"]', '[]');
         INSERT INTO letter_writers (thread, live, replies) VALUES ('{thread}', '[\"Zyzzyva\"]', '[]');
         INSERT INTO connection_calls (at, connection, endpoint, contact, millis, bytes) VALUES (1, 'shop', 'orders', '{QUAGGA}', 1, 1);
         INSERT INTO team_people (id, workspace, name, folded, role, created_at, seen_at)
             VALUES ('prs_1', 'ws_1', 'Ana', 'ana', 'agent', 1, 1);
         INSERT INTO team_conversations (id, workspace, version, tags, tagged_at, snooze_note, snooze_set_at, changed_at)
             VALUES ('{conversation}', 'ws_1', 0, '[\"Zyzzyva\"]', 1, 'for Quagga', 1, 1);
         INSERT INTO team_notes (conversation, id, person, text, mentions, created_at)
             VALUES ('{conversation}', 'n1', 'prs_1', 'Quagga again', '[]', 1);
         INSERT INTO due (at, kind, subject, data) VALUES (9000000000000000, 'customer', '{conversation}', 'Quagga');"
    )
}

/// Adds a person to every table; returns ids of contact, conversation, thread, and file paths.
async fn somebody(desk: &Desk) -> (String, String, String, Vec<String>) {
    let contact = json!({"phone": QUAGGA, "name": "Quagga", "email": MAIL, "tags": ["zyzzyva"],
                         "metadata": {"likes": "Zyzzyva"}});
    let made = desk.keyed(LIVE, "POST", "/contacts", contact, Some("made")).await.good(201);
    let conversation = desk.inbound("whatsapp", QUAGGA, "Quagga writes of Zyzzyva").await;
    desk.inbound("voip", QUAGGA, "a text of Quagga").await;
    desk.inbound("telegram", CHAT, "Zyzzyva in a chat").await;
    let mail = json!({"channel": "email", "from": MAIL, "name": "Quagga", "subject": "Zyzzyva",
                      "text": "a mail of Quagga"});
    let thread = desk.switch("/inbound", mail).await["threadId"].as_str().expect("an id").to_owned();
    let call = json!({"to": QUAGGA, "metadata": {"about": "Zyzzyva"}});
    desk.post("voip live", "/voip/calls", call).await;
    let file =
        upload(desk, "zyzzyva.pdf", "bytes for Quagga").await["url"].as_str().expect("a URL").to_owned();
    let body = json!({"to": QUAGGA, "type": "document", "document": {"link": file, "caption": "for Quagga"}});
    desk.post(LIVE, "/messages/send", body).await;
    let text = json!({"to": QUAGGA, "type": "text", "text": {"body": "Dear Quagga"}});
    desk.post(LIVE, "/messages/send", text).await;
    let answer = json!({"to": MAIL, "subject": "Re: Zyzzyva", "text": "Dear Quagga", "threadId": thread,
                        "attachments": [{"filename": "quagga.txt", "content": "UXVhZ2dh"}]});
    desk.post("email live", "/email/send", answer).await;
    let broadcast =
        json!({"contactIds": [made["id"]], "message": {"type": "text", "text": {"body": "Sale"}}});
    desk.call(LIVE, "POST", "/broadcast", broadcast).await.good(202);
    desk.switch("/event", json!({"name": "order.created", "data": {"by": QUAGGA, "name": "Quagga"}})).await;
    execute(desk, &rest_of(desk, &conversation, &thread)).await;
    (made["id"].as_str().expect("an id").to_owned(), conversation, thread, vec![file])
}

/// Checks groups and mail of others after an erasure; on a server also that dead rows are vacuumed.
fn check_words_among_others(desk: &Desk, group: &str) {
    let said = cluster::column(
        &desk.place,
        "SELECT content FROM messages WHERE id IN ('m_group', 'm_reaction') ORDER BY id",
    );
    assert_eq!(said, ["[erased]", "[erased]"]);
    let preview = format!("SELECT preview FROM conversations WHERE id = '{group}'");
    assert_eq!(cluster::column(&desk.place, &preview), ["[erased]"]);
    let mails = "SELECT sender || ' ' || copies || ' ' || body_text FROM emails WHERE id IN ('e_others', 'e_own') ORDER BY id";
    assert_eq!(
        cluster::column(&desk.place, mails),
        [
            r#"bo@mail.example ["erased@erased.invalid","cy@mail.example"] Words of Bo"#,
            "erased@erased.invalid [] [erased]"
        ]
    );
    if desk.place.file().is_none() {
        let vacuumed = "SELECT relname FROM pg_stat_user_tables WHERE vacuum_count > 0 AND schemaname = current_schema()";
        until_so("dead rows are removed", || {
            let tables = cluster::column(&desk.place, vacuumed);
            ["messages", "emails", "contacts"].iter().all(|table| tables.iter().any(|found| found == table))
        });
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn erased_person_is_in_no_table_and_no_file() {
    let desk = Desk::start().await;
    // An endpoint that accepts nothing, so that all events stay pending.
    let receiver = Receiver::start().await;
    for (key, path) in
        [(LIVE, "/webhooks"), ("telegram live", "/webhooks"), ("email live", "/email/webhooks")]
    {
        desk.post(key, path, json!({"url": receiver.url})).await;
    }
    receiver.answer(500, "");
    let (contact, conversation, thread, files) = somebody(&desk).await;
    let group = desk.inbound("whatsapp", "+34600111222", "somebody else").await;
    let mail =
        json!({"channel": "email", "from": "bo@mail.example", "subject": "Prices", "text": "Words of Bo"});
    let others = desk.switch("/inbound", mail).await["threadId"].as_str().expect("an id").to_owned();
    execute(&desk, &among_others(&group, &others)).await;
    desk.advance(3.0).await;
    assert!(!receiver.deliveries().is_empty(), "events were tried");

    let ids = [contact.as_str(), &conversation, &thread];
    let known: Vec<&str> = WORDS.iter().copied().chain(ids).collect();
    let there = tables_with(&desk, &known);
    let is_server = desk.place.file().is_none();
    for table in TABLES {
        let is_left = matches!(table.erasure, Erasure::By(_) | Erasure::With(_));
        if is_left && !WITHOUT_WORDS.contains(&table.name) && (is_server || !table.is_of_servers) {
            assert!(there.contains(table.name), "the story puts nothing into {}", table.name);
        }
    }
    for url in &files {
        assert_eq!(fetch(&desk, url).await.status, 200);
    }

    desk.call(LIVE, "DELETE", &format!("/contacts/{contact}"), Value::Null).await.good(200);
    let key = desk.database.with_file_name("service.key");
    let place = desk.place.clone();
    let erasing = tokio::task::spawn_blocking(move || {
        let admin = Admin::open(&place, Some(&key)).expect("it opens");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let nobody = runtime
            .block_on(admin.erase("+34600000000", Timestamp::default()))
            .expect_err("nobody")
            .to_string();
        assert!(nobody.contains("nothing was erased"), "{nobody}");
        for address in [MAIL, CHAT] {
            let erased = runtime.block_on(admin.erase(address, Timestamp::default())).expect("erased");
            assert_eq!(erased.histories, 1, "{address}");
        }
        admin.close();
    });
    erasing.await.expect("no panic");

    assert_eq!(tables_with(&desk, &WORDS), BTreeSet::new());
    if !is_server {
        let folder = desk.database.parent().expect("a folder");
        assert_eq!(files_with(folder, &WORDS), [""; 0]);
    }
    for url in &files {
        fetch(&desk, url).await.refused(404, "NOT_FOUND");
    }
    check_words_among_others(&desk, &group);
    // A retry is refused and creates nothing.
    let again = json!({"phone": QUAGGA, "name": "Quagga", "email": MAIL, "tags": ["zyzzyva"],
                       "metadata": {"likes": "Zyzzyva"}});
    desk.keyed(LIVE, "POST", "/contacts", again, Some("made")).await.refused(404, "NOT_FOUND");
    // No further events about the person.
    receiver.take();
    receiver.answer(200, "");
    desk.advance(86_400.0).await;
    let told: Vec<String> = receiver
        .deliveries()
        .into_iter()
        .map(|delivery| String::from_utf8_lossy(&delivery.body).into_owned())
        .collect();
    assert!(told.iter().any(|body| body.contains("somebody else")), "{told:?}");
    assert!(!told.iter().any(|body| WORDS.iter().any(|word| body.contains(word))), "{told:?}");
    assert_eq!(tables_with(&desk, &WORDS), BTreeSet::new());
    let left = texts(&desk.get(LIVE, "/messages").await, "content");
    assert_eq!(left, ["[erased]", "[erased]", "somebody else"]);
}

#[tokio::test]
async fn a_file_of_several_people_stays_with_the_others() {
    let desk = Desk::start().await;
    let file = upload(&desk, "prices.pdf", "prices").await["url"].as_str().expect("a URL").to_owned();
    for phone in [QUAGGA, "+34600111222"] {
        desk.inbound("whatsapp", phone, "the prices?").await;
        let body = json!({"to": phone, "type": "document", "document": {"link": file}});
        desk.post(LIVE, "/messages/send", body).await;
    }
    for (phone, status) in [("600999888", 200), ("600111222", 404)] {
        let found = desk.get(LIVE, &format!("/contacts?search={phone}")).await;
        let id = texts(&found, "id").remove(0);
        desk.call(LIVE, "DELETE", &format!("/contacts/{id}"), Value::Null).await.good(200);
        assert_eq!(fetch(&desk, &file).await.status, status, "{phone}");
    }
}

/// The copy of a person holds what the erasure removes: every kind of data that the story made.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copy_of_a_person_holds_what_an_erasure_removes() {
    let desk = Desk::start().await;
    let (_, conversation, thread, files) = somebody(&desk).await;
    let group = desk.inbound("whatsapp", "+34600111222", "somebody else").await;
    let mail =
        json!({"channel": "email", "from": "bo@mail.example", "subject": "Prices", "text": "Words of Bo"});
    let others = desk.switch("/inbound", mail).await["threadId"].as_str().expect("an id").to_owned();
    execute(&desk, &among_others(&group, &others)).await;
    desk.advance(3.0).await;
    let extras = format!(
        "UPDATE messages SET extras = '{{\"former\":\"Quagga once\"}}' WHERE conversation = '{conversation}' AND direction = 'inbound';
         UPDATE emails SET headers = '{{\"Reply-To\":\"Quagga\"}}' WHERE thread = '{thread}';
         UPDATE connection_calls SET workspace = 'ws_1';
         INSERT INTO opt_outs (channel, peer, at) VALUES ('ch_voip', '{QUAGGA}', 1)"
    );
    execute(&desk, &extras).await;
    let (place, key) = (desk.place.clone(), desk.database.with_file_name("service.key"));
    let copying = tokio::task::spawn_blocking(move || {
        let admin = Admin::open(&place, Some(&key)).expect("it opens");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let copy = runtime.block_on(admin.export_person(QUAGGA, Timestamp::default())).expect("copied");
        admin.close();
        copy
    });
    let copy = copying.await.expect("no panic");
    let of_chat = copy["conversations"].as_array().expect("a list");
    let of_chat = of_chat.iter().find(|found| found["about"]["id"] == json!(conversation)).expect("it");
    let of_mail = &copy["threads"][0];
    for (part, words) in [
        (&copy["contacts"], "Zyzzyva"),
        (&copy["correspondents"], MAIL),
        (&copy["aliases"], "id.of.quagga"),
        (&copy["optOuts"], "voip"),
        (&of_chat["messages"], "Quagga writes of Zyzzyva"),
        (&of_chat["messages"], "Quagga once"),
        (&of_chat["messages"], "for Quagga"),
        (&of_chat["notes"], "Quagga again"),
        (&of_chat["marks"], "Zyzzyva"),
        (&of_chat["marks"], "for Quagga"),
        (&of_chat["summary"], "Quagga is angry"),
        (&of_chat["proposals"], "refund"),
        (&of_mail["messages"], "a mail of Quagga"),
        (&of_mail["messages"], "Reply-To"),
        (&of_mail["messages"], "quagga.txt"),
        (&copy["conversations"], "a text of Quagga"),
        (&copy["saidInGroups"], "of Zyzzyva"),
        (&copy["mailsOfOthers"], "bo@mail.example"),
        (&copy["broadcasts"], "Sale"),
        (&copy["triggerEvents"], "order.created"),
        (&copy["lookups"], "orders"),
    ] {
        assert!(part.to_string().contains(words), "{words} is not in {part}");
    }
    let calls =
        copy["conversations"].as_array().expect("a list").iter().map(|found| found["calls"].to_string());
    assert!(calls.collect::<String>().contains("Zyzzyva"), "what a call was about: {copy}");
    let (_, file) = files[0].split_once("/media/").expect("a file");
    let file = file.split('/').next().expect("an id");
    assert!(copy["files"].as_array().is_some_and(|ids| ids.contains(&json!(file))), "{copy}");
    for words in ["somebody else", "Words of Bo"] {
        assert!(!copy.to_string().contains(words), "{words} in {copy}");
    }
}

/// Rows for `/dev/outbound` are written only with `--dev`.
#[tokio::test]
async fn without_dev_switch_sent_messages_are_not_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = folder.path().join("service.db");
    let options = super::options(database.clone());
    let options = frontdesk::service::Options { dev: false, simulate: true, by_hand: false, ..options };
    let running = frontdesk::service::start(options).await.expect("it starts");
    let key = running.keys.iter().find(|key| key.channel == "voip").expect("a key").key.expose().to_owned();
    frontdesk::client::install_tls();
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let body = json!({"to": QUAGGA, "body": "hello"}).to_string();
    let request = client.post(format!("{}/voip/sms", running.base_url)).bearer_auth(key);
    let answer =
        request.header("content-type", "application/json").body(body).send().await.expect("an answer");
    assert_eq!(answer.status().as_u16(), 200);
    let place = database.into();
    assert_eq!(cluster::count(&place, "SELECT count(*) FROM messages"), 1);
    assert_eq!(cluster::count(&place, "SELECT count(*) FROM outbound"), 0);
    running.shutdown().await;
}
