//! Kills of processes on one database during requests, which are repeated at the others.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use serde_json::json;

use super::cluster;
use super::together::{Process, Two, UNLIMITED};
use crate::service::receiver::Receiver;
use crate::waiting::until_found;

/// Kills of a run; `FRONTDESK_POSTGRES_KILLS` overrides it.
const KILLS: usize = 6;

const LEDGER: &str = "SELECT balance - (SELECT sum(amount) FROM ledger) FROM workspaces";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_lose_nothing_and_double_nothing() {
    let Some(server) = cluster::server() else { return };
    let kills =
        std::env::var("FRONTDESK_POSTGRES_KILLS").ok().and_then(|var| var.parse().ok()).unwrap_or(KILLS);
    let two = Two::start(server, "", &UNLIMITED).await;
    let served = cluster::served(&two.url);
    let arguments = [&["--db", served.as_str()], &UNLIMITED[..]].concat();
    let third = Process::reached(Process::begin(&two.binary, "third", &arguments));
    two.one.inbound("+34600111222", "hi").await;
    two.one.switch("credits", json!({"balance": 1_000_000})).await;
    let (receiver, key) = (Receiver::start().await, two.key().to_owned());
    let hook = json!({"url": receiver.url, "events": ["message.received"]});
    let (status, told) = two.one.ask("/v1/webhooks", &key, None, Some(hook)).await;
    assert!(status == 200 || status == 201, "{told}");
    let Two { one, other, binary, url, .. } = two;
    let mut processes = [one, other, third];
    let place = url.parse().expect("an address");
    let count = |sql: &str| cluster::count(&place, sql);
    let path = "/v1/messages/send";
    let text = |idem: &str| json!({"to": "+34600111222", "type": "text", "text": {"body": idem}});
    let (mut all, mut again) = (Vec::new(), 0);
    for kill in 0..kills {
        let mut sends = Vec::new();
        for number in 0..12 {
            let idem = format!("send-{kill}-{number}");
            all.push(idem.clone());
            let process = &processes[number % processes.len()];
            let request = process.http.post(format!("http://{}{path}", process.address)).bearer_auth(&key);
            let request = request.header("content-type", "application/json").header("idempotency-key", &idem);
            let request = request.body(text(&idem).to_string());
            sends.push(tokio::spawn(async move {
                (request.send().await.is_ok_and(|send| send.status() == 200), idem)
            }));
        }
        // At whichever answer comes first.
        let (first, _, rest) = futures_util::future::select_all(sends).await;
        let killed = kill % processes.len();
        processes[killed].child.kill().expect("killed");
        processes[killed].child.wait().expect("ended");
        let left = &processes[(kill + 1) % processes.len()];
        left.inbound(&format!("+346001{kill:04}1"), &format!("inbound-{kill}")).await;
        let told = futures_util::future::join_all(rest).await.into_iter().chain([first]);
        for (is_done, idem) in told.map(|result| result.expect("no one failed")) {
            if !is_done {
                again += 1;
                asked_again(left, path, &key, &idem).await;
            }
        }
        processes[killed] = Process::reached(Process::begin(&binary, "again", &arguments));
        if (kill + 1) % 50 == 0 {
            let (done, sends) = (kill + 1, all.len());
            let line = format!("{done} kills, {sends} sends, {again} of them asked again");
            writeln!(std::io::stderr(), "{line}").expect("told");
        }
    }
    for idem in &all {
        assert_eq!(count(&format!("SELECT count(*) FROM messages WHERE content = '{idem}'")), 1, "{idem}");
    }
    assert_eq!(count(LEDGER), 0, "the ledger explains the balance");
    // Events are delivered once they exist, even if the delivering process is killed.
    let undelivered = "SELECT count(*) FROM deliveries WHERE delivered_at IS NULL";
    until_found("deliveries", async || match count(undelivered) {
        0 => Ok(()),
        left => Err(left),
    })
    .await;
    told_as_one_each(&receiver, kills);
    // Each is answered once by the assistant: no number here is refused by the simulated platform.
    let otherwise = "SELECT count(*) FROM conversations WHERE peer <> '+34600111222' AND 1 <>
                     (SELECT count(*) FROM messages WHERE conversation = conversations.id AND sender = 'ai')";
    until_found("answers", async || match count(otherwise) {
        0 => Ok(()),
        left => Err(left),
    })
    .await;
}

/// Checks for one event per message; a kill may repeat it with the same id and body.
fn told_as_one_each(receiver: &Receiver, kills: usize) {
    let mut told: BTreeMap<String, BTreeSet<(String, Vec<u8>)>> = BTreeMap::new();
    for delivery in receiver.deliveries() {
        let content = delivery.json()["data"]["content"].as_str().expect("a text").to_owned();
        told.entry(content).or_default().insert((delivery.headers["webhook-id"].clone(), delivery.body));
    }
    let mut ids = BTreeSet::new();
    for kill in 0..kills {
        let events = told.remove(&format!("inbound-{kill}")).unwrap_or_default();
        assert_eq!(events.len(), 1, "inbound-{kill}: {events:?}");
        ids.extend(events.into_iter().map(|event| event.0));
    }
    assert_eq!((ids.len(), told.len()), (kills, 0), "each event has an id of its own, and no other is told");
}

/// Repeats a request until the claim of the killed process expires.
async fn asked_again(process: &Process, path: &str, key: &str, idem: &str) {
    let text = json!({"to": "+34600111222", "type": "text", "text": {"body": idem}});
    until_found("it is done", async || {
        let (status, told) = process.ask(path, key, Some(idem), Some(text.clone())).await;
        match status {
            200 => Ok(()),
            409 if told["code"] == "IDEMPOTENCY_IN_PROGRESS" => Err(told),
            _ => panic!("{status} {told}"),
        }
    })
    .await;
}
