//! Processes on one database are killed in the middle of what they are asked,
//! and what they are asked is asked again at the other one.

use serde_json::json;

use super::cluster;
use super::together::{Process, Two, UNLIMITED};

/// Kills of a run; `FRONTDESK_POSTGRES_KILLS` asks for more.
const KILLS: usize = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_lose_nothing_and_double_nothing() {
    let Some(server) = cluster::server() else { return };
    let kills =
        std::env::var("FRONTDESK_POSTGRES_KILLS").ok().and_then(|it| it.parse().ok()).unwrap_or(KILLS);
    let mut two = Two::start(server, "", &UNLIMITED).await;
    two.one.inbound("+34600111222", "hi").await;
    two.one.switch("credits", json!({"balance": 1_000_000})).await;
    let key = two.key().to_owned();
    let url = two.url.clone();
    let path = "/v1/messages/send";
    let text = |idem: &str| json!({"to": "+34600111222", "type": "text", "text": {"body": idem}});
    let mut all = Vec::new();
    for kill in 0..kills {
        let mut sends = Vec::new();
        for number in 0..12 {
            let idem = format!("send-{kill}-{number}");
            all.push(idem.clone());
            let process = two.turn(number);
            let request = process.http.post(format!("http://{}{path}", process.address)).bearer_auth(&key);
            let request = request.header("content-type", "application/json").header("idempotency-key", &idem);
            let request = request.body(text(&idem).to_string());
            sends.push(tokio::spawn(async move {
                (request.send().await.is_ok_and(|it| it.status() == 200), idem)
            }));
        }
        // Somewhere among them, whichever comes first.
        let (first, _, rest) = futures_util::future::select_all(sends).await;
        let killed = if kill.is_multiple_of(2) { &mut two.one } else { &mut two.other };
        killed.child.kill().expect("killed");
        killed.child.wait().expect("ended");
        let told = futures_util::future::join_all(rest).await.into_iter().chain([first]);
        let left = two.turn(kill + 1);
        for (is_done, idem) in told.map(|it| it.expect("no one failed")) {
            if !is_done {
                let (status, told) = left.ask(path, &key, Some(&idem), Some(text(&idem))).await;
                assert_eq!(status, 200, "{told}");
            }
        }
        let arguments = [&["--db", url.as_str()], &UNLIMITED[..]].concat();
        let again = Process::reached(Process::begin(&two.binary, "again", &arguments));
        *(if kill.is_multiple_of(2) { &mut two.one } else { &mut two.other }) = again;
    }
    for idem in &all {
        assert_eq!(
            two.count(&format!("SELECT count(*) FROM messages WHERE content = '{idem}'")),
            1,
            "{idem}"
        );
    }
    let kept = "SELECT balance - (SELECT sum(amount) FROM ledger) FROM workspaces";
    assert_eq!(two.count(kept), 0, "the ledger explains the balance");
}
