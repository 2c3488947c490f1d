//! Unreadable items of lists: a placeholder row at their position, without requests or changes.

use std::sync::{Arc, Mutex};

use frontdesk::model::fetches::Fetch;
use frontdesk::model::news::News;
use frontdesk::model::unreadable::UnreadableList;
use frontdesk::sync::PullOutcome;
use serde_json::{Value, json};

use crate::hands::server::{Answer, Request};
use crate::hands::{Hands, conversation, id, page, quiet};

const LISTED: &str = "GET /conversations";

fn listing(rows: &Arc<Mutex<Vec<Value>>>) -> impl FnMut(&Request) -> Answer + Send + 'static {
    let rows = rows.clone();
    move |request| match request.route().as_str() {
        LISTED => Answer::ok(page(&rows.lock().expect("no one failed"), None)),
        _ => quiet(request),
    }
}

fn titles(hands: &Hands) -> Vec<String> {
    let rows = hands.list().rows;
    rows.iter()
        .map(
            |row| {
                if row.conversation.id.is_stand_in() {
                    "?".to_owned()
                } else {
                    row.conversation.id.to_string()
                }
            },
        )
        .collect()
}

#[tokio::test]
async fn a_row_stands_in_until_the_item_can_be_read() {
    let good = [conversation("c3", 0, 30), conversation("c2", 0, 20), conversation("c1", 0, 10)];
    let broken = json!({"customerName": "Ann", "id": {"of": "an object"}});
    let rows = vec![good[0].clone(), broken, good[2].clone(), Value::Null];
    let rows = Arc::new(Mutex::new(rows));
    let hands = Hands::on(listing(&rows)).await;
    hands.pull().await;
    let mut shown = titles(&hands);
    assert_eq!(shown.iter().filter(|text| *text == "?").count(), 2, "{shown:?}");
    shown.retain(|text| text != "?");
    assert_eq!(shown, ["c3", "c1"]);
    let counts = hands.store.reader().expect("a reader").counts(&id()).expect("counts");
    assert_eq!(counts.unreadable, 2);
    // Shown as received, without a request.
    let stand_in = hands.list().rows.into_iter().find(|row| row.conversation.id.is_stand_in()).expect("one");
    assert!(stand_in.conversation.raw == "null" || stand_in.conversation.raw.contains("an object"));
    assert_eq!(stand_in.conversation.address, None);
    hands.server.seen();
    assert_eq!(hands.channel.pull_history(&stand_in.conversation.id).await, PullOutcome::Done);
    assert!(
        hands.server.routes().iter().all(|route| !route.contains("unreadable")),
        "nothing is asked of it"
    );
    // The server recovers.
    *rows.lock().expect("no one failed") = good.to_vec();
    hands.pass(30);
    hands.pull().await;
    assert_eq!(titles(&hands), ["c3", "c2", "c1"]);
}

#[tokio::test]
async fn lists_without_stand_ins_tell_what_they_left_out() {
    let hands = Hands::on(|request: &Request| match request.route().as_str() {
        "GET /templates" => Answer::ok(json!({"data": [{"name": "hello", "language": "en"}, 7]})),
        "GET /contacts" => {
            Answer::ok(page(&[json!({"id": "ct1"}), json!({"id": 2, "phone": "+34600111222"})], None))
        }
        "GET /webhooks" => Answer::ok(json!({"data": [{}, {"id": 1, "url": "https://x.example"}]})),
        "GET /triggers/new-order" => Answer::ok(json!({"data": ["x", {"id": 3}]})),
        _ => quiet(request),
    })
    .await;
    hands.pull().await;
    hands.news();
    for fetch in [
        Fetch::Templates,
        Fetch::People { search: String::new(), more: false },
        Fetch::Webhooks,
        Fetch::Events,
    ] {
        assert_eq!(hands.channel.fetch(&fetch).await, PullOutcome::Done, "{fetch:?}");
    }
    let told: Vec<_> = hands
        .news()
        .into_iter()
        .filter_map(|news| if let News::Unreadable(_, list, rows) = news { Some((list, rows)) } else { None })
        .collect();
    let row = |raw: &str| vec![raw.to_owned()];
    let wanted = [
        (UnreadableList::Templates, row("7")),
        (UnreadableList::Contacts, row(r#"{"id":"ct1"}"#)),
        (UnreadableList::Webhooks, row("{}")),
        (UnreadableList::Events, row(r#""x""#)),
    ];
    assert_eq!(told, wanted);
}

#[tokio::test]
async fn a_list_this_server_does_not_have_is_a_note_and_no_trouble() {
    let page = |_: &Request| Answer::raw(404, "text/html", b"<html>Cannot GET</html>");
    let refused = |_: &Request| Answer::refusal(404, "NOT_FOUND", "no such route");
    for missing in [page as fn(&Request) -> Answer, refused] {
        let hands = Hands::on(move |request: &Request| match request.route().as_str() {
            "GET /contacts" | "GET /templates" | "GET /webhooks" => missing(request),
            _ => quiet(request),
        })
        .await;
        hands.pull().await;
        hands.pass(10);
        hands.news();
        for fetch in [Fetch::Templates, Fetch::People { search: String::new(), more: false }, Fetch::Webhooks]
        {
            hands.channel.fetch(&fetch).await;
            hands.pass(4);
            hands.channel.fetch(&fetch).await;
        }
        hands.pass(4);
        hands.pull().await;
        let news = hands.news();
        let said: Vec<String> = news
            .iter()
            .filter_map(|entry| match entry {
                News::NotOnThisServer(_, why) | News::Fetched(_, _, Err(why)) => Some(why.to_string()),
                News::Health(_, health) => {
                    assert!(matches!(health, frontdesk::model::news::Health::Live { .. }), "{health:?}");
                    None
                }
                _ => None,
            })
            .collect();
        for what in ["templates", "contacts", "webhooks"] {
            assert!(said.contains(&format!("this server does not offer {what}")), "{what}: {said:?}");
        }
    }
}
