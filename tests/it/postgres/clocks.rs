//! Processes on hosts with different clocks.

use std::sync::Arc;

use frontdesk::model::time::{Clock, SECOND, Timestamp};
use frontdesk::service::{self, Options};
use frontdesk::shell::clock::SystemClock;

use super::{cluster, options};

/// A clock with an offset, in microseconds.
struct Skewed(i64);

impl Clock for Skewed {
    fn now(&self) -> Timestamp {
        SystemClock.now().plus(self.0)
    }
}

/// Hosts whose clocks differ by more than a window share one limit.
#[tokio::test]
async fn limits_follow_the_servers_clock() {
    let Some(server) = cluster::server() else { return };
    let (url, folder) = (cluster::database(server).await, tempfile::tempdir().expect("a folder"));
    frontdesk::client::install_tls();
    let mut running = Vec::new();
    for skew in [0, 90 * SECOND, -90 * SECOND] {
        let clock = Arc::new(Skewed(skew));
        let options = Options { unlimited: false, by_hand: false, clock, ..options(&url, &folder) };
        running.push(service::start(options).await.expect("it starts"));
    }
    let is_key = |issued_key: &&service::IssuedKey| {
        issued_key.channel == "whatsapp" && issued_key.environment.word() == "live"
    };
    let key = running[0].keys.iter().find(is_key).expect("a key").key.expose().to_owned();
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    // All at once, so that no call leaves the window before the last one comes.
    let calls = (0..30).map(|number| {
        let url = format!("{}/broadcast", running[number % 3].base_url);
        let request = http.post(url).bearer_auth(&key).header("content-type", "application/json").body("{}");
        async move { request.send().await.expect("an answer").status().as_u16() }
    });
    let told = futures_util::future::join_all(calls).await;
    assert_eq!(told.iter().filter(|status| **status != 429).count(), 10, "{told:?}");
    for running in running {
        running.shutdown().await;
    }
}
