//! Invalid items and pages: the other items are still shown, and no walk is endless.

use frontdesk::model::ids::ConversationId;
use frontdesk::sync::PullOutcome;
use serde_json::{Value, json};

use crate::hands::api_response::{chat, client, history_of, ready};
use crate::hands::server::{Answer, Request};
use crate::hands::{Hands, message, page, quiet, time};

const TRIGGER: &str = "GET /triggers/new-message";
const HISTORY: &str = "GET /conversations/c1/messages";

/// A page of three items with this one in the middle.
fn around(middle: &str) -> String {
    let good = [message("m2", "c1", "inbound", 2), message("m3", "c1", "inbound", 3)];
    format!(r#"{{"data":[{},{middle},{}],"hasMore":false}}"#, good[1], good[0])
}

/// Ids of the history, and the number of placeholder rows.
async fn shown(body: String) -> (Vec<String>, usize) {
    let hands = history_of(body).await;
    let rows = hands.history("c1").messages;
    let stand_ins = rows.iter().filter(|row| row.message.unreadable).count();
    let ids = rows.iter().filter(|row| !row.message.unreadable).map(|row| row.message.id.to_string());
    (ids.filter(|ids| ids != "m1").collect(), stand_ins)
}

pub async fn lone_surrogate_message() {
    let (ids, stand_ins) = shown(around(r#"{"id":"2","content":"bad \ud800"}"#)).await;
    assert_eq!((ids, stand_ins), (["2", "m2", "m3"].map(str::to_owned).to_vec(), 0), "it is mended");
}

pub async fn content_null() {
    let item = format!(r#"{{"id":"2","content":null,"createdAt":"{}"}}"#, time(1));
    let hands = history_of(around(&item)).await;
    assert_eq!(hands.messages("c1"), ["m1", "2", "m2", "m3"]);
    let rows = hands.history("c1").messages;
    assert_eq!(rows[1].message.content.as_str(), "(no content)");
}

pub async fn id_number() {
    let (ids, stand_ins) = shown(around(r#"{"id":4,"content":"four"}"#)).await;
    assert_eq!((ids, stand_ins), (["4", "m2", "m3"].map(str::to_owned).to_vec(), 0), "it is read as a text");
}

pub async fn id_missing() {
    let (ids, stand_ins) = shown(around("{}")).await;
    assert_eq!((ids, stand_ins), (vec!["m2".to_owned(), "m3".to_owned()], 1), "in a history it is seen");
    let hands = ready().await;
    hands.server.now(move |_| Answer::raw(200, "application/json", around("{}").as_bytes()));
    let listed = client(&hands).new_messages().await.expect("a page");
    assert_eq!((listed.items.len(), listed.unreadable.len()), (2, 1), "elsewhere it is counted");
}

pub async fn duplicate_ids_in_page() {
    let hands = ready().await;
    hands.server.now(|request| {
        if request.route() != TRIGGER {
            return chat(request);
        }
        let mut twice = [message("m7", "c1", "inbound", 20), message("m7", "c1", "inbound", 20)];
        twice[1]["content"] = json!("another");
        Answer::ok(page(&twice, None))
    });
    assert_eq!(hands.pull_trigger().await, PullOutcome::Done);
    assert_eq!(hands.messages("c1"), ["m1", "m7"], "one row");
    assert_eq!(hands.rings(), ["c1"], "and one notice");
}

pub async fn extra_fields_deep() {
    let deep = format!("{}1{}", r#"{"a":"#.repeat(100_000), "}".repeat(100_000));
    // An unread field is skipped at any depth; the item is valid.
    let item = format!(r#"{{"id":"2","content":"x","createdAt":"{}","more":{deep}}}"#, time(1));
    let hands = history_of(around(&item)).await;
    assert_eq!(hands.messages("c1"), ["m1", "2", "m2", "m3"]);
    // In place of a text it spoils only its own item.
    let (ids, stand_ins) = shown(around(&format!(r#"{{"id":"2","content":{deep}}}"#))).await;
    assert_eq!((ids, stand_ins), (vec!["m2".to_owned(), "m3".to_owned()], 1));
}

/// The page with the huge item is too large; with a smaller limit the pages before it are read.
pub async fn huge_string() {
    let hands = ready().await;
    hands.server.now(|request| {
        if request.route() != HISTORY {
            return chat(request);
        }
        let limit: i64 = request.query["limit"].parse().expect("a number");
        let rows: Vec<Value> = (0..limit.min(20))
            .map(|number| message(&format!("h{number:02}"), "c1", "inbound", 100 - number))
            .collect();
        let mut body = page(&rows, None);
        if let Some(huge) = body["data"].get_mut(15) {
            huge["content"] = Value::from("x".repeat(17 << 20));
        }
        Answer::ok(body)
    });
    let conversation = ConversationId::from("c1");
    assert_eq!(hands.channel.pull_history(&conversation).await, PullOutcome::Failed);
    assert_eq!(hands.messages("c1"), ["m1"]);
    hands.pass(15);
    assert_eq!(hands.channel.pull_history(&conversation).await, PullOutcome::Done);
    let asked: Vec<_> = hands
        .server
        .seen()
        .into_iter()
        .filter(|request| request.route() == HISTORY)
        .map(|request| request.query["limit"].clone())
        .collect();
    assert_eq!(asked, ["50", "10"]);
    assert_eq!(hands.messages("c1").len(), 11);
}

/// Walks a history with these cursors; returns the requests, and true if its start is reached.
async fn walked(next: impl Fn(&Request) -> Value + Send + 'static) -> (usize, bool) {
    let hands = ready().await;
    hands.server.now(move |request| match request.route().as_str() {
        HISTORY => Answer::ok(next(request)),
        _ => chat(request),
    });
    hands.channel.pull_older(&ConversationId::from("c1")).await;
    hands.channel.pull_history(&ConversationId::from("c1")).await;
    let asked = hands.server.seen().iter().filter(|request| request.route() == HISTORY).count();
    (asked, !hands.history("c1").more_on_server)
}

fn new_rows(request: &Request) -> Vec<Value> {
    let name = request.cursor().unwrap_or("first");
    vec![
        message(&format!("{name}-1"), "c1", "inbound", 50),
        message(&format!("{name}-2"), "c1", "inbound", 49),
    ]
}

/// Sync with an unknown history.
async fn fresh(next: impl Fn(&Request) -> Value + Send + 'static) -> Hands {
    let hands = Hands::on(move |request| match request.route().as_str() {
        "GET /conversations" => Answer::ok(page(&[crate::hands::conversation("c1", 9, 0)], None)),
        HISTORY => Answer::ok(next(request)),
        _ => quiet(request),
    })
    .await;
    hands.channel.pull_account().await;
    hands
}

async fn histories_asked(hands: &Hands) -> usize {
    hands.channel.pull_history(&ConversationId::from("c1")).await;
    hands.server.seen().iter().filter(|request| request.route() == HISTORY).count()
}

pub async fn cursor_loop() {
    let (asked, whole) = walked(|request| page(&new_rows(request), Some("same"))).await;
    assert!(asked <= 4 && !whole, "{asked} {whole}");
    let hands = fresh(|request| page(&new_rows(request), Some("same"))).await;
    let asked = histories_asked(&hands).await;
    assert!(asked <= 3, "{asked}");
}

pub async fn cursor_cycle() {
    let other = |request: &Request| if request.cursor() == Some("A") { "B" } else { "A" };
    let (asked, whole) = walked(move |request| page(&new_rows(request), Some(other(request)))).await;
    assert!(asked <= 6 && !whole, "{asked} {whole}");
    let hands = fresh(move |request| page(&new_rows(request), Some(other(request)))).await;
    let asked = histories_asked(&hands).await;
    assert!(asked <= 4, "{asked}");
}

pub async fn empty_page_with_more() {
    let onward = |request: &Request| {
        let count: u32 = request.cursor().and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
        page(&[], Some(&(count + 1).to_string()))
    };
    let hands = fresh(onward).await;
    let asked = histories_asked(&hands).await;
    assert!((2..=4).contains(&asked), "three empty pages at most: {asked}");
    // Some empty pages before the rows are walked through.
    let hands = fresh(|entry| match entry.cursor() {
        None => page(&[], Some("1")),
        Some("1") => page(&[], Some("2")),
        Some(_) => page(&[message("m5", "c1", "inbound", 5)], None),
    })
    .await;
    assert_eq!(histories_asked(&hands).await, 3);
    assert_eq!(hands.messages("c1"), ["m5"]);
}

pub async fn pagination_in_both_places() {
    let hands = ready().await;
    let cases = [
        (json!({"hasMore": false, "pagination": {"hasMore": true, "nextCursor": "c"}}), Some("c")),
        (json!({"hasMore": true, "nextCursor": "t", "pagination": {"hasMore": false}}), Some("t")),
        (
            json!({"hasMore": true, "nextCursor": "t", "pagination": {"hasMore": true, "nextCursor": "c"}}),
            Some("t"),
        ),
        (
            json!({"hasMore": false, "nextCursor": "t", "pagination": {"hasMore": false, "nextCursor": "c"}}),
            None,
        ),
        (json!({"hasMore": true, "nextCursor": null, "pagination": {"hasMore": true}}), None),
    ];
    for (mut body, next) in cases {
        body["data"] = json!([]);
        let told = body.clone();
        hands.server.now(move |_| Answer::ok(told.clone()));
        let listed = client(&hands).inbound(None).await.expect("a page");
        assert_eq!(listed.next_cursor.as_deref(), next, "{body}");
    }
}

pub async fn cursor_with_specials() {
    let cursor = "a+b/c==&x=1#";
    let hands = ready().await;
    hands.server.now(move |_| Answer::ok(page(&[], Some(cursor))));
    let client = client(&hands);
    let listed = client.inbound(None).await.expect("a page");
    assert_eq!(listed.next_cursor.as_deref(), Some(cursor));
    client.inbound(listed.next_cursor.as_deref()).await.expect("a page");
    let asked = hands.server.seen().pop().expect("asked");
    assert_eq!(asked.cursor(), Some("a%2Bb%2Fc%3D%3D%26x%3D1%23"));
    assert_eq!(asked.query.len(), 3, "and nothing else was asked: {:?}", asked.query);
}

pub async fn time_offset() {
    let at = |id: &str, text: &str| {
        let mut row = message(id, "c1", "inbound", 0);
        row["createdAt"] = json!(text);
        row
    };
    // Newest first by instant, not by text.
    let rows = [
        at("third", "2026-11-20T11:00:00Z"),
        at("second", "2026-11-21T00:30:00+14:00"),
        at("first", "2026-11-20T00:15:00-10:00"),
    ];
    let hands = history_of(page(&rows, None).to_string()).await;
    assert_eq!(hands.messages("c1"), ["m1", "first", "second", "third"]);
}
