//! The end of a service while others do not answer it: a platform, a model, a receiver of events.

use std::sync::Arc;

use serde_json::json;

use super::{CUSTOMER, Operated, subscribe};
use crate::assistant::Gate;
use crate::assistant::standin::StandIn;
use crate::binary::free_port;
use crate::carriers::number_server::{self, NumberServer};
use crate::waiting::{aside, until_found};

const OTHER_CUSTOMER: &str = "+34600111333";

fn connect(operated: &Operated, number: &NumberServer) {
    let url = number.url();
    let ids = ["--phone-number-id", number_server::NUMBER, "--business-account-id", number_server::ACCOUNT];
    let secrets = [number_server::TOKEN, number_server::APP_SECRET, number_server::VERIFY].join("\n");
    let connect = [&["channel", "connect", "whatsapp", "--api-url", url.as_str()], &ids[..]].concat();
    operated.admin(&connect, &format!("{secrets}\n"));
}

async fn history(operated: &Operated, wanted: usize, status: &str) -> serde_json::Value {
    until_found(status, async || {
        // A call may be above the limit.
        let key = operated.key("whatsapp");
        let (_, told) = operated.process().ask("/v1/messages", &key, None, None).await;
        let Some(rows) = told["data"].as_array() else { return Err(told.to_string()) };
        let is_there = rows.iter().any(|row| row["status"] == status);
        if rows.len() == wanted && is_there { Ok(told) } else { Err(told.to_string()) }
    })
    .await
}

/// The platform and the model answer only after the service has ended, which gives them 10 seconds. What was under
/// way is unknown and not sent again; the model is asked anew.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn service_ends_while_platform_and_model_do_not_answer() {
    for mut operated in Operated::each().await {
        let (number, gate) = (NumberServer::start(), Arc::new(Gate::default()));
        let held = Arc::clone(&gate);
        let model = StandIn::start(move |_| {
            held.wait();
            (200, json!({"choices": [{"message": {"role": "assistant", "content": "At nine."}}]}).to_string())
        });
        let url = model.url();
        // The platform calls the service at an address that it knows before the start.
        let address = format!("127.0.0.1:{}", free_port());
        let public = format!("http://{address}");
        let arguments = [
            "--assistant-url",
            &url,
            "--assistant-model",
            "small",
            "--listen",
            &address,
            "--public-url",
            &public,
        ];
        operated.serve("first", &arguments);
        connect(&operated, &number);
        number.calls(&public);
        number.waits_until_followed();
        number.says(CUSTOMER, "hello");
        history(&operated, 1, "received").await;
        number.says(OTHER_CUSTOMER, "when do you open?");
        until_found("the model is asked for the other customer", async || {
            let asked = model.requests();
            let is_it =
                asked.iter().any(|request| String::from_utf8_lossy(&request.body).contains("when do you"));
            if is_it { Ok(()) } else { Err(asked.len()) }
        })
        .await;
        number.hold(true);
        let (http, key) = (operated.process().http.clone(), operated.key("whatsapp"));
        let address = format!("{public}/v1/messages/send");
        let body = json!({"to": CUSTOMER, "type": "text", "text": {"body": "on its way"}}).to_string();
        let send = http.post(address).bearer_auth(key).header("content-type", "application/json").body(body);
        let sending = tokio::spawn(send.send());
        let (number, reached) = aside(move || {
            let reached = number.waits_for("on its way");
            (number, reached)
        })
        .await;
        assert_eq!(operated.stop().await, Some(0), "both still hold their answers");
        let answer = sending.await.expect("no panic").expect("answered before the end");
        assert_eq!(answer.status().as_u16(), 200);
        number.hold(false);
        gate.open();
        operated.serve("second", &arguments);
        number.calls(&public);
        number.reports(&reached, "delivered");
        history(&operated, 4, "delivered").await;
        let (number, answers) = aside(move || {
            number.waits_for("At nine.");
            let reached = number.reached();
            (number, reached)
        })
        .await;
        let texts: Vec<&str> = answers.iter().map(|reached| reached.text.as_str()).collect();
        assert_eq!(texts, ["on its way", "At nine."], "each once");
        assert_eq!(operated.stop().await, Some(0));
        drop(number);
    }
}

/// A delivery that was under way is repeated after the next start.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn service_ends_while_a_receiver_of_events_does_not_answer() {
    for mut operated in Operated::each().await {
        let gate = Arc::new(Gate::default());
        let held = Arc::clone(&gate);
        let receiver = StandIn::start(move |request| match request.challenge() {
            Some(value) => (200, value.to_owned()),
            None => {
                held.wait();
                (200, String::new())
            }
        });
        operated.serve("first", &["--dev", "--simulate"]);
        subscribe(&operated, &format!("http://{}/hook", receiver.address)).await;
        receiver.take_requests();
        operated.process().inbound(CUSTOMER, "hello").await;
        until_found("a delivery", async || if receiver.requests().is_empty() { Err("none") } else { Ok(()) })
            .await;
        assert_eq!(operated.stop().await, Some(0), "it still holds its answer");
        gate.open();
        operated.serve("second", &["--dev", "--simulate"]);
        until_found("the outcome", async || {
            operated.process().switch("clock", json!({"advance_seconds": 60})).await;
            let listed = operated.admin_json(&["webhook", "deliveries", "--limit", "1"]);
            if listed[0]["outcome"] == "arrived" { Ok(()) } else { Err(listed) }
        })
        .await;
        let ids: Vec<String> = receiver
            .take_requests()
            .into_iter()
            .map(|request| request.headers["webhook-id"].clone())
            .collect();
        assert!(ids.len() >= 2 && ids.iter().all(|id| *id == ids[0]), "receivers can tell it: {ids:?}");
    }
}
