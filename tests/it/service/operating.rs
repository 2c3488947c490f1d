//! Operating a service: delivery log, dead letters, replay, audit, suspension, retention.

use std::collections::BTreeSet;

use frontdesk::model::connections::Connection;
use frontdesk::model::time::{DAY, Timestamp};
use frontdesk::service::admin::{Admin, CreditChange};
use frontdesk::service::retention::Retention;
use serde_json::json;

use super::erasing::{execute, files_with, tables_with, upload};
use super::receiver::Receiver;
use super::{Desk, cluster, fetch, options, texts};
use crate::waiting::until;

const LIVE: &str = "whatsapp live";
const CUSTOMER: &str = "+34600111222";

/// Runs an administration beside the service, as `frontdesk admin` does.
async fn administer<T: Send + 'static>(
    desk: &Desk,
    act: impl FnOnce(&Admin, &tokio::runtime::Runtime) -> T + Send + 'static,
) -> T {
    let (place, key) = (desk.place.clone(), desk.database.with_file_name("service.key"));
    let acting = tokio::task::spawn_blocking(move || {
        let admin = Admin::open(&place, Some(&key)).expect("it opens");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let done = act(&admin, &runtime);
        admin.close();
        done
    });
    acting.await.expect("no panic")
}

/// [`administer`], for the workspace with this name.
async fn administer_in<T: Send + 'static>(
    desk: &Desk,
    workspace: &str,
    act: impl FnOnce(&Admin, &tokio::runtime::Runtime) -> T + Send + 'static,
) -> T {
    let (place, key) = (desk.place.clone(), desk.database.with_file_name("service.key"));
    let workspace = workspace.to_owned();
    let acting = tokio::task::spawn_blocking(move || {
        let admin = Admin::open(&place, Some(&key)).expect("it opens").in_workspace(Some(workspace));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let done = act(&admin, &runtime);
        admin.close();
        done
    });
    acting.await.expect("no panic")
}

/// Time of the tests' clock after some seconds.
fn at(seconds: i64) -> Timestamp {
    Timestamp::parse("2026-11-20T10:00:00Z").expect("a time").plus(seconds * 1_000_000)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failing_endpoint_is_switched_off_and_its_events_can_be_replayed() {
    let desk = Desk::start().await;
    let receiver = Receiver::start().await;
    let made =
        desk.post(LIVE, "/webhooks", json!({"url": receiver.url, "events": ["message.received"]})).await;
    let id = made["id"].as_str().expect("an id").to_owned();
    receiver.take();
    desk.inbound("whatsapp", CUSTOMER, "arrives").await;
    desk.advance(1.0).await;
    assert_eq!(receiver.deliveries().len(), 1);
    receiver.answer(500, "");
    desk.inbound("whatsapp", CUSTOMER, "is lost").await;
    desk.advance(3.9 * 86_400.0).await;
    let tried = receiver.deliveries();
    assert_eq!(tried.len(), 10);
    let shown = desk.get(LIVE, "/webhooks").await;
    shows_lost_event(&shown["data"][0]);

    let wanted = id.clone();
    let (attempts, failed, dead, refused) = administer(&desk, move |admin, runtime| {
        let listed = |only_failed| runtime.block_on(admin.delivery_attempts(Some(&wanted), only_failed, 100));
        let refused = runtime.block_on(admin.replay_deliveries(&wanted, at(400_000))).expect_err("it is off");
        let dead = runtime.block_on(admin.dead_letters(None, 100)).expect("listed");
        (listed(false).expect("listed"), listed(true).expect("listed"), dead, refused.to_string())
    })
    .await;
    assert!(refused.contains("admin webhook enable"), "{refused}");
    assert_eq!((attempts.len(), failed.len(), dead.len()), (11, 10, 1));
    let newest = &attempts[0];
    assert_eq!((newest.outcome.as_str(), newest.status, newest.attempt), ("given up", Some(500), 10));
    assert_eq!((newest.name.as_str(), newest.next_at), ("message.received", None));
    assert!(attempts[1].next_at.is_some() && attempts[1].outcome == "failed");
    assert_eq!((attempts[10].outcome.as_str(), attempts[10].status), ("arrived", Some(200)));
    assert_eq!((dead[0].attempts, &dead[0].event), (10, &newest.event));

    receiver.answer(204, "");
    let wanted = id.clone();
    let replayed = administer(&desk, move |admin, runtime| {
        runtime.block_on(admin.switch_webhook(&wanted, true, at(400_000))).expect("it is on");
        runtime.block_on(admin.replay_deliveries(&wanted, at(400_000))).expect("replayed")
    })
    .await;
    assert_eq!(replayed, 1);
    desk.advance(86_400.0).await;
    let again = receiver.deliveries();
    assert_eq!(again.len(), 1);
    assert_eq!(again[0].body, tried[0].body);
    assert_eq!(again[0].headers["webhook-id"], tried[0].headers["webhook-id"], "receivers can tell it");
    let page = metrics(&desk).await;
    for line in [
        format!("frontdesk_webhook_endpoint_attempts_total{{webhook=\"{id}\",outcome=\"given up\"}} 1"),
        format!("frontdesk_webhook_endpoint_deliveries{{webhook=\"{id}\",state=\"dead\"}} 0"),
    ] {
        assert!(page.lines().any(|found| found == line), "{line} in {page}");
    }

    let wanted = id.clone();
    let (dead, actions) = administer(&desk, move |admin, runtime| {
        let one = runtime.block_on(admin.delivery_attempts(None, false, 1)).expect("listed").remove(0);
        runtime.block_on(admin.replay_deliveries(&one.delivery, at(500_000))).expect("one that had arrived");
        runtime.block_on(admin.switch_webhook(&wanted, false, at(500_000))).expect("off");
        let dead = runtime.block_on(admin.dead_letters(Some(&wanted), 10)).expect("listed").len();
        let audit = runtime.block_on(admin.audit(None, 100)).expect("listed");
        let told = |entry: frontdesk::service::audit::AuditEntry| format!("{} {}", entry.actor, entry.action);
        (dead, audit.into_iter().map(told).collect::<Vec<_>>())
    })
    .await;
    assert_eq!(dead, 1, "what waits for an endpoint that is switched off can be replayed");
    let key = actions[0].split(' ').next().expect("an actor").to_owned();
    assert!(key.starts_with("key_"), "{actions:?}");
    let wanted = [
        format!("{key} webhook create"),
        "service webhook end".to_owned(),
        "admin webhook enable".to_owned(),
        "admin webhook replay".to_owned(),
        "admin webhook replay".to_owned(),
        "admin webhook disable".to_owned(),
    ];
    assert_eq!(actions, wanted);
}

#[track_caller]
fn shows_lost_event(endpoint: &serde_json::Value) {
    assert_eq!(endpoint["isActive"], json!(false), "three days without a success");
    assert_eq!(
        (&endpoint["endedWhy"], &endpoint["deadLetters"]),
        (&json!("failing"), &json!(1)),
        "{endpoint}"
    );
    assert_eq!(endpoint.get("waiting"), None, "{endpoint}");
}

async fn metrics(desk: &Desk) -> String {
    let root = desk.running.base_url.trim_end_matches("/v1");
    let page = desk.send("", "GET", &format!("{root}/metrics"), &[], Vec::new()).await;
    String::from_utf8_lossy(&page.body).into_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn suspended_workspace_only_reads() {
    let desk = Desk::start().await;
    let conversation = desk.inbound("whatsapp", CUSTOMER, "hello").await;
    let suspend = async |suspended: bool| {
        administer(&desk, move |admin, runtime| {
            let unnamed = runtime.block_on(admin.suspend_workspace(suspended, at(0))).expect_err("none");
            assert!(unnamed.to_string().contains("--workspace"));
        })
        .await;
        let (place, key) = (desk.place.clone(), desk.database.with_file_name("service.key"));
        let acting = tokio::task::spawn_blocking(move || {
            let admin = Admin::open(&place, Some(&key)).expect("it opens");
            let admin = admin.in_workspace(Some("ws_1".to_owned()));
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(admin.suspend_workspace(suspended, at(0))).expect("changed");
            let named = runtime.block_on(admin.workspaces()).expect("listed");
            admin.close();
            named[0].suspended_at
        });
        acting.await.expect("no panic")
    };
    let text = json!({"to": CUSTOMER, "type": "text", "text": {"body": "hi"}});
    desk.post(LIVE, "/messages/send", text.clone()).await;
    assert_eq!(suspend(true).await, Some(at(0)));
    let said = desk.call(LIVE, "POST", "/messages/send", text.clone()).await.refused(403, "FORBIDDEN");
    assert!(said.contains("suspended"), "{said}");
    desk.call(LIVE, "POST", &format!("/conversations/{conversation}/close"), json!({}))
        .await
        .refused(403, "FORBIDDEN");
    desk.inbound("whatsapp", CUSTOMER, "is anybody there?").await;
    let read = desk.get(LIVE, &format!("/conversations/{conversation}/messages")).await;
    assert_eq!(texts(&read, "content").len(), 3, "what comes in is stored and can be read");
    assert_eq!(suspend(false).await, None);
    desk.post(LIVE, "/messages/send", text).await;
}

async fn start_with(retention: Retention) -> Desk {
    let folder = tempfile::tempdir().expect("a folder");
    let database = folder.path().join("service.db");
    let mut options = options(database.clone());
    options.retention = retention;
    cluster::settle(&mut options).await;
    let place = options.database.clone();
    let running = frontdesk::service::start(options).await.expect("it starts");
    let keys = running
        .keys
        .iter()
        .map(|key| (format!("{} {}", key.channel, key.environment.word()), key.key.expose().to_owned()))
        .collect();
    Desk { running, keys, database, place, _folder: folder }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn old_data_leaves_as_the_configuration_says() {
    let retention = Retention { messages: Some(60 * DAY), ..Retention::default() };
    let desk = start_with(retention).await;
    let receiver = Receiver::start().await;
    desk.post(LIVE, "/webhooks", json!({"url": receiver.url, "events": ["message.received"]})).await;
    let first = desk.inbound("whatsapp", CUSTOMER, "long ago").await;
    let mail = desk.inbound("email", "ana@mail.example", "an old mail").await;
    desk.advance(40.0 * 86_400.0).await;
    let count = |sql: &str| cluster::count(&desk.place, sql);
    assert_eq!(count("SELECT count(*) FROM events"), 0, "events are kept for 30 days");
    assert_eq!(count("SELECT count(*) FROM delivery_attempts"), 0);
    assert_eq!(count("SELECT count(*) FROM messages"), 1, "messages are kept for 60");
    let second = desk.inbound("whatsapp", "+34600111333", "of late").await;
    desk.inbound("whatsapp", CUSTOMER, "again").await;
    let now = at(61 * 86_400);
    let plan = administer(&desk, move |admin, runtime| {
        runtime.block_on(admin.plan_retention(retention, now)).expect("counted")
    })
    .await;
    assert_eq!(plan.messages, 2, "{plan:?}");
    assert_eq!(count("SELECT count(*) FROM messages"), 3, "a plan removes nothing");
    desk.advance(21.0 * 86_400.0).await;
    assert_eq!(count("SELECT count(*) FROM messages"), 2);
    assert_eq!(count("SELECT count(*) FROM emails"), 0);
    assert_eq!(count("SELECT count(*) FROM threads"), 0, "{mail}");
    let left = desk.get(LIVE, &format!("/conversations/{first}")).await;
    assert_eq!(left["messageCount"], json!(1));
    desk.get(LIVE, &format!("/conversations/{second}")).await;
    desk.advance(60.0 * 86_400.0).await;
    assert_eq!(count("SELECT count(*) FROM conversations"), 0);
    let path = format!("{}/conversations/{first}", desk.running.base_url);
    let request = hyper::Request::builder()
        .method("GET")
        .header("authorization", format!("Bearer {}", desk.keys[LIVE]));
    fetch(&path, request, Vec::new()).await.refused(404, "NOT_FOUND");
    desk.check_ledger();
}

/// Word of everything that is old.
const OLD: &str = "marmalade";

/// Writes a word wherever a message puts it; returns the address of an uploaded file.
async fn write_everywhere(desk: &Desk) -> String {
    let contact = json!({"phone": CUSTOMER, "name": "Ana"});
    let made = desk.keyed(LIVE, "POST", "/contacts", contact, None).await.good(201);
    let conversation = desk.inbound("whatsapp", CUSTOMER, OLD).await;
    desk.inbound("voip", CUSTOMER, OLD).await;
    desk.inbound("telegram", "4711", OLD).await;
    let mail = json!({"channel": "email", "from": "ana@mail.example", "subject": OLD, "text": OLD});
    let thread = desk.switch("/inbound", mail).await["threadId"].clone();
    let answer = json!({"to": "ana@mail.example", "subject": format!("Re: {OLD}"), "text": OLD, "threadId": thread,
                        "attachments": [{"filename": format!("{OLD}.txt"), "content": "bWFybWFsYWRl"}]});
    desk.post("email live", "/email/send", answer).await;
    desk.post("voip live", "/voip/calls", json!({"to": CUSTOMER, "metadata": {"about": OLD}})).await;
    let file = upload(desk, &format!("{OLD}.pdf"), OLD).await["url"].as_str().expect("a URL").to_owned();
    let document = json!({"link": file, "caption": OLD});
    desk.post(LIVE, "/messages/send", json!({"to": CUSTOMER, "type": "document", "document": document}))
        .await;
    let broadcast = json!({"contactIds": [made["id"]], "message": {"type": "text", "text": {"body": OLD}}});
    desk.call(LIVE, "POST", "/broadcast", broadcast).await.good(202);
    desk.switch("/event", json!({"name": "order.created", "data": {"what": OLD}})).await;
    let marks = format!(
        "INSERT INTO escalation_summaries (conversation, summary) VALUES ('{conversation}', '{OLD}');
         INSERT INTO proposals (id, conversation, connection, endpoint, answers, state, created_at)
             VALUES ('p1', '{conversation}', 'shop', 'refund', '{{\"why\": \"{OLD}\"}}', 'proposed', 1);
         INSERT INTO team_people (id, workspace, name, folded, role, created_at, seen_at)
             VALUES ('prs_1', 'ws_1', 'Beatriz', 'beatriz', 'agent', 1, 1);
         INSERT INTO team_conversations (id, workspace, version, tags, tagged_at, snooze_note, snooze_set_at, changed_at)
             VALUES ('{conversation}', 'ws_1', 0, '[\"{OLD}\"]', 1, '{OLD}', 1, 1);
         INSERT INTO team_notes (conversation, id, person, text, mentions, created_at)
             VALUES ('{conversation}', 'n1', 'prs_1', '{OLD}', '[]', 1);"
    );
    execute(desk, &marks).await;
    file
}

/// Rows of each kind that a plan counts.
fn count_kinds(desk: &Desk) -> [i64; 6] {
    [
        "SELECT (SELECT count(*) FROM messages) + (SELECT count(*) FROM emails)",
        "SELECT count(*) FROM broadcasts",
        "SELECT count(*) FROM happenings",
        "SELECT count(*) FROM events",
        "SELECT count(*) FROM delivery_attempts",
        "SELECT count(*) FROM connection_calls",
    ]
    .map(|sql| cluster::count(&desk.place, sql))
}

/// Media, bodies of events, free pages and the log beside the file: old words are in none of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn old_words_are_in_no_table_and_no_byte_of_a_file_after_their_time() {
    let retention = Retention { messages: Some(60 * DAY), events: Some(60 * DAY), ..Retention::default() };
    let desk = start_with(Retention { deliveries: Some(60 * DAY), ..retention }).await;
    let receiver = Receiver::start().await;
    for (key, path) in [(LIVE, "/webhooks"), ("email live", "/email/webhooks")] {
        desk.post(key, path, json!({"url": receiver.url})).await;
    }
    let file = write_everywhere(&desk).await;
    desk.advance(600.0).await;
    let folder = desk.database.parent().expect("a folder").to_owned();
    let is_file = desk.place.file().is_some();
    assert!(tables_with(&desk, &[OLD]).contains("events"));
    assert!(!is_file || !files_with(&folder, &[OLD]).is_empty());
    if is_file {
        // More than one step returns to the file system.
        let more = format!(
            "INSERT INTO messages (id, conversation, channel, platform_id, direction, sender, content, kind, status, created_at)
             WITH RECURSIVE rows(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM rows WHERE number < 4000)
             SELECT 'm' || number, (SELECT id FROM conversations WHERE channel = 'ch_whatsapp'), 'ch_whatsapp', 'p' || number,
                 'inbound', 'customer', '{OLD}' || hex(zeroblob(2000)), 'text', 'received', 1795168800000000 FROM rows"
        );
        execute(&desk, &more).await;
    }
    let size = || std::fs::metadata(&desk.database).map_or(0, |file| file.len());
    desk.advance(59.0 * 86_400.0).await;
    desk.inbound("whatsapp", "+34600111333", "of late").await;
    // Its event arrives before anything is counted.
    desk.advance(1.0).await;
    // Written with `--dev` only.
    let secure = if is_file { "PRAGMA secure_delete = ON;" } else { "" };
    execute(&desk, &format!("{secure} DELETE FROM outbound")).await;
    let before = count_kinds(&desk);
    let now = at(600 + 59 * 86_400 + 2 * 86_400);
    let retention = Retention { deliveries: Some(60 * DAY), ..retention };
    let plan = administer(&desk, move |admin, runtime| {
        runtime.block_on(admin.plan_retention(retention, now)).expect("counted")
    })
    .await;
    let large = size();
    desk.advance(2.0 * 86_400.0).await;
    let after = count_kinds(&desk);
    let removed: Vec<i64> = before.iter().zip(&after).map(|(before, after)| before - after).collect();
    let planned =
        [plan.messages, plan.broadcasts, plan.trigger_events, plan.events, plan.attempts, plan.calls];
    assert_eq!(removed, planned, "{plan:?}");
    assert!(planned[..5].iter().all(|count| *count > 0), "{plan:?}");
    assert_eq!(tables_with(&desk, &[OLD]), BTreeSet::new());
    desk.send("", "GET", &file, &[], Vec::new()).await.refused(404, "NOT_FOUND");
    if is_file {
        until("a folder without old words", || match files_with(&folder, &[OLD]) {
            found if found.is_empty() => Ok(()),
            found => Err(found.join(", ")),
        });
        assert_eq!(cluster::count(&desk.place, "SELECT freelist_count FROM pragma_freelist_count"), 0);
        assert!(size() < large / 2, "{} and {large}", size());
    }
    assert_eq!(texts(&desk.get(LIVE, "/messages").await, "content"), ["of late"]);
    desk.check_ledger();
}

/// `events` and `deliveries` are limits of their own, whichever is longer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_that_did_not_arrive_are_kept_as_long_as_deliveries() {
    for (events, deliveries, left) in [(None, Some(30 * DAY), 1), (Some(30 * DAY), None, 1)] {
        let desk = start_with(Retention { events, deliveries, ..Retention::default() }).await;
        let receiver = Receiver::start().await;
        desk.post(LIVE, "/webhooks", json!({"url": receiver.url, "events": ["message.received"]})).await;
        desk.inbound("whatsapp", CUSTOMER, "arrives").await;
        desk.advance(1.0).await;
        receiver.answer(500, "");
        desk.inbound("whatsapp", CUSTOMER, "does not").await;
        desk.advance(20.0 * 86_400.0).await;
        let dead = "SELECT count(*) FROM deliveries WHERE delivered_at IS NULL AND due_at IS NULL";
        assert_eq!(cluster::count(&desk.place, dead), 1);
        desk.advance(20.0 * 86_400.0).await;
        assert_eq!(cluster::count(&desk.place, "SELECT count(*) FROM events"), left);
        let is_dead = cluster::count(&desk.place, dead) == 1;
        assert_eq!(is_dead, deliveries.is_none(), "{events:?} {deliveries:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn media_and_logs_have_limits_of_their_own() {
    let retention = Retention { media: Some(10 * DAY), logs: Some(20 * DAY), ..Retention::default() };
    let desk = start_with(retention).await;
    let file = upload(&desk, "prices.pdf", "prices").await["url"].as_str().expect("a URL").to_owned();
    desk.inbound("whatsapp", CUSTOMER, "the prices?").await;
    let document = json!({"to": CUSTOMER, "type": "document", "document": {"link": file}});
    desk.post(LIVE, "/messages/send", document).await;
    let called = "INSERT INTO connection_calls (workspace, at, connection, endpoint, contact, millis, bytes)
                  VALUES ('ws_1', 1795168800000000, 'shop', 'orders', '', 1, 1)";
    execute(&desk, called).await;
    let change = CreditChange::Add(1);
    administer(&desk, move |admin, runtime| {
        runtime.block_on(admin.credits(Some(change), at(0))).expect("changed");
    })
    .await;
    let count = |table: &str| cluster::count(&desk.place, &format!("SELECT count(*) FROM {table}"));
    let fetch = async || desk.send("", "GET", &file, &[], Vec::new()).await;
    desk.advance(9.0 * 86_400.0).await;
    assert_eq!((fetch().await.status, count("media"), count("team_actions")), (200, 1, 1));
    desk.advance(2.0 * 86_400.0).await;
    fetch().await.refused(404, "NOT_FOUND");
    assert_eq!((count("media"), count("team_actions"), count("connection_calls")), (0, 1, 1));
    assert_eq!(count("messages"), 2, "messages stay");
    desk.advance(10.0 * 86_400.0).await;
    assert_eq!((count("team_actions"), count("connection_calls")), (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn person_is_copied_before_being_erased() {
    let desk = Desk::start().await;
    let id = desk.inbound("whatsapp", CUSTOMER, "where is my order?").await;
    desk.inbound("whatsapp", "+34600111333", "somebody else").await;
    let (copy, erased, gone) = administer(&desk, |admin, runtime| {
        let copy = runtime.block_on(admin.export_person(CUSTOMER, at(1))).expect("copied");
        let erased = runtime.block_on(admin.erase(CUSTOMER, at(2))).expect("erased");
        let gone = runtime.block_on(admin.export_person(CUSTOMER, at(3))).expect_err("erased");
        (copy, erased, gone.to_string())
    })
    .await;
    let conversation = &copy["conversations"][0];
    assert_eq!(
        (&conversation["about"]["id"], &conversation["about"]["kind"]),
        (&json!(id), &json!("whatsapp"))
    );
    assert_eq!(conversation["messages"][0]["content"], json!("where is my order?"));
    assert!(
        conversation["messages"][0]["created_at"]
            .as_str()
            .is_some_and(|time| time.starts_with("2026-11-20T"))
    );
    assert_eq!(copy["contacts"][0]["phone"], json!(CUSTOMER));
    assert!(!copy.to_string().contains("somebody else"), "{copy}");
    assert_eq!((erased.histories, erased.messages, erased.contacts), (1, 1, 1));
    assert!(erased.id.starts_with("erasure_") && gone.contains("there is no customer"), "{gone}");
    let sql =
        format!("SELECT count(*) FROM team_actions WHERE action = 'erase' AND subject = '{}'", erased.id);
    assert_eq!(cluster::count(&desk.place, &sql), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_act_on_the_named_workspace_only() {
    const SECOND: &str = "Harbor Second";
    let desk = Desk::start().await;
    let conversation = desk.inbound("whatsapp", CUSTOMER, "hello").await;
    let (first_key, second_key) = administer(&desk, |admin, runtime| {
        let (_, keys) =
            runtime.block_on(admin.add_workspace(Some(SECOND.to_owned()), at(60))).expect("added");
        let shop = Connection::new("shop", "https://first.example");
        runtime.block_on(admin.put_connection(shop, None, at(0))).expect("stored");
        let first = runtime.block_on(admin.keys()).expect("listed").remove(0);
        (first.id, keys[0].key.expose().to_owned())
    })
    .await;
    let wanted = conversation.clone();
    administer_in(&desk, SECOND, move |admin, runtime| {
        assert_eq!(runtime.block_on(admin.connections()).expect("listed"), []);
        runtime.block_on(admin.connection("shop")).expect_err("of the other workspace");
        let shop = Connection::new("shop", "https://second.example");
        runtime.block_on(admin.put_connection(shop, None, at(61))).expect("stored");
        runtime.block_on(admin.revoke(&first_key, at(1))).expect_err("of the other workspace");
        runtime.block_on(admin.automation(&wanted)).expect_err("of the other workspace");
        runtime.block_on(admin.switch_automation(&wanted, false, at(1))).expect_err("the same");
        let audit = runtime.block_on(admin.audit(None, 100)).expect("listed");
        let actions: Vec<String> = audit.into_iter().map(|entry| entry.action).collect();
        assert_eq!(actions, ["workspace add", "connection put"]);
    })
    .await;
    let base_url = |admin: &Admin, runtime: &tokio::runtime::Runtime| {
        runtime.block_on(admin.connection("shop")).map(|(connection, _)| connection.base_url)
    };
    let of_first = administer(&desk, move |admin, runtime| base_url(admin, runtime)).await;
    assert_eq!(of_first.expect("stored"), "https://first.example");
    let of_second = administer_in(&desk, SECOND, move |admin, runtime| {
        let before = base_url(admin, runtime);
        runtime.block_on(admin.remove_connection("shop", at(2))).expect("removed");
        before
    })
    .await;
    assert_eq!(of_second.expect("stored"), "https://second.example");
    administer(&desk, move |admin, runtime| base_url(admin, runtime).expect("still there")).await;

    // Metrics name workspaces by their ids.
    desk.get(LIVE, "/account").await;
    let request =
        hyper::Request::builder().method("GET").header("authorization", format!("Bearer {second_key}"));
    fetch(&format!("{}/account", desk.running.base_url), request, Vec::new()).await.good(200);
    let ids = cluster::column(&desk.place, "SELECT id FROM workspaces ORDER BY created_at, id");
    let page = metrics(&desk).await;
    for id in &ids {
        for family in ["frontdesk_workspace_requests_total", "frontdesk_credits"] {
            let sample = format!("{family}{{workspace=\"{id}\"}}");
            assert!(page.contains(&sample), "{sample} in {page}");
        }
    }
    assert_eq!(ids.len(), 2);
    for secret in [SECOND, "first.example", CUSTOMER] {
        assert!(!page.contains(secret), "{secret} in {page}");
    }
}
