//! A service that stops while its platform does not answer.

use frontdesk::service::start;
use serde_json::json;

use super::number_server::NumberServer;
use super::{Served, StandIn};
use crate::postgres::cluster;
use crate::waiting::until_found;

const ANA: &str = "+34600111222";

/// The platform answers only after the service has ended, which gives it 10 seconds.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn message_at_a_slow_platform_is_unknown_when_the_service_stops_and_settled_by_the_report() {
    let number = NumberServer::start();
    let served = Served::bounded(StandIn::Number(&number)).await;
    number.says(ANA, "hello");
    served.waits(ANA, "a customer", |history| history.len() == 1).await;
    let before = served.balance().await;
    number.hold(true);
    let (http, key) = (served.http.clone(), served.keys["whatsapp live"].clone());
    let url = format!("{}/messages/send", served.running.base_url);
    let body = json!({"to": ANA, "type": "text", "text": {"body": "on its way"}}).to_string();
    let send = move || {
        let request = http.post(url.clone()).bearer_auth(&key).header("idempotency-key", "slow");
        request.header("content-type", "application/json").body(body.clone()).send()
    };
    let sending = tokio::spawn(send());
    let reached = number.waits_for("on its way");

    let sql = "SELECT status FROM messages WHERE content = 'on its way'";
    let options = served.running_options.clone();
    assert!(options.drain.as_secs() == 10 && options.answering < options.drain);
    let Served { running, keys, http, options: kept, running_options, channel, _folder } = served;
    running.shutdown().await;
    let answer = sending.await.expect("no panic").expect("answered before the end");
    assert_eq!(answer.status().as_u16(), 200);
    assert_eq!(cluster::column(&kept.database, sql), ["unknown"], "stored before the end");

    number.hold(false);
    let running = start(options).await.expect("it starts again");
    let served = Served { running, keys, http, options: kept, running_options, channel, _folder };
    number.reports(&reached, "delivered");
    let history = served
        .waits(ANA, "its report", |history| history.last().is_some_and(|row| row["status"] == "delivered"));
    assert_eq!(history.await.len(), 2);
    let again = until_found("an answer", async || send().await).await;
    assert_eq!(again.status().as_u16(), 200);
    assert_eq!(number.reached().len(), 1, "sent once");
    assert_eq!(served.balance().await, before - 1, "paid once");
}
