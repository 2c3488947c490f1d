//! Reads every list of the API with malformed items: rows, placeholders and counted items must add
//! up to the items of the server.

use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use proptest::prelude::*;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use crate::errors::ReadError;
use crate::tests::Still;
use crate::transport::{ExchangeError, IncomingResponse, OutgoingRequest, Transport};
use crate::{Client, ListPage};
use model::account::Platform;
use model::ids::ConversationId;
use model::secret::Secret;
use model::trigger_events;

#[derive(Default)]
struct OneBody(Mutex<Vec<u8>>);

impl Transport for OneBody {
    fn exchange(&self, _: OutgoingRequest) -> BoxFuture<'_, Result<IncomingResponse, ExchangeError>> {
        let body = self.0.lock().expect("a body").clone();
        Box::pin(async { Ok(IncomingResponse { status: 200, headers: HeaderMap::new(), body: Ok(body) }) })
    }
}

/// Numbers of items and of unreadable items, and the next cursor.
type Outcome = Result<(usize, usize, Option<String>), ReadError>;

fn outcome<T>(listed: Result<ListPage<T>, ReadError>) -> Outcome {
    listed.map(|listed| (listed.items.len(), listed.unreadable.len(), listed.next_cursor))
}

const LISTS: [(&str, &str); 14] = [
    ("chat", "conversation"),
    ("bot", "conversation"),
    ("phone", "conversation"),
    ("threads", "thread"),
    ("history", "message"),
    ("bot history", "message"),
    ("inbound", "message"),
    ("outbound", "message"),
    ("new messages", "message"),
    ("contacts", "contact"),
    ("people", "contact"),
    ("correspondents", "correspondent"),
    ("templates", "template"),
    ("webhooks", "webhook"),
];

async fn read(client: &Client, list: &str) -> Outcome {
    let conversation = ConversationId::from("c1");
    match list {
        "chat" => outcome(client.conversations(&Platform::Whatsapp, None).await),
        "bot" => outcome(client.conversations(&Platform::Telegram, None).await),
        "phone" => outcome(client.conversations(&Platform::Voip, None).await),
        "threads" => outcome(client.conversations(&Platform::Email, None).await),
        "history" => outcome(client.history(&Platform::Whatsapp, &conversation, None).await),
        "bot history" => outcome(client.history(&Platform::Telegram, &conversation, None).await),
        "inbound" => outcome(client.inbound(None).await),
        "outbound" => outcome(client.outbound(None).await),
        "new messages" => outcome(client.new_messages().await),
        "contacts" => outcome(client.contacts(None, None).await),
        "people" => outcome(client.people(None, None).await),
        "correspondents" => outcome(client.email_contacts(None, None).await),
        "templates" => outcome(client.templates().await.map(|listed| listed.approved)),
        "webhooks" => outcome(client.webhooks(&Platform::Whatsapp).await),
        _ => outcome(client.trigger_events(trigger_events::TriggerKind::Order).await),
    }
}

fn item(kind: &str, place: usize) -> Value {
    let id = format!("i{place}");
    match kind {
        "conversation" => json!({"id": id, "customerPhone": "+447700900123", "telegramChatId": "7",
            "customerName": "Ann", "status": "active", "messageCount": 2, "lastMessagePreview": "hi",
            "lastMessageAt": "2026-11-20T09:00:00Z", "referral": null, "serviceWindowOpen": true}),
        "thread" => json!({"id": id, "subject": "Order", "contactEmail": "a@x.example", "messageCount": 1,
            "isRead": false, "isStarred": true, "category": "orders", "priority": "high",
            "lastMessageAt": "2026-11-20T09:00:00Z"}),
        "message" => {
            json!({"id": id, "conversationId": "c1", "direction": "inbound", "senderType": "customer",
            "content": "hi", "contentType": "text", "mediaUrl": null, "status": "delivered",
            "createdAt": "2026-11-20T09:00:00Z", "deliveredAt": null})
        }
        "contact" => json!({"id": id, "phone": "+447700900123", "name": "Ann", "email": null, "tags": ["a"],
            "metadata": {"a": 1}}),
        "correspondent" => json!({"email": "a@x.example", "name": "Ann", "messageCount": 3,
            "lastContactDate": "2026-11-20T09:00:00Z", "linkedWhatsAppPhone": null}),
        "template" => json!({"name": id, "language": "en", "category": "UTILITY", "status": "APPROVED",
            "components": [{"type": "BODY", "text": "Hello"}]}),
        _ => json!({"id": id, "url": "https://x.example/hook", "events": ["message.received"],
            "isActive": true, "createdAt": "2026-11-20T09:00:00Z"}),
    }
}

/// Malformed values, as JSON text.
const ODD: [&str; 16] = [
    "null",
    "7",
    "-1",
    "1e999",
    "true",
    "false",
    "\"\"",
    "\"none\"",
    r#""cut \ud83d""#,
    r#""\ude00\u0000""#,
    "[]",
    "[null,{}]",
    "{}",
    r#"{"state":"none"}"#,
    r#"{"a":1,"a":2}"#,
    "\"raw\tcontrol\"",
];

#[derive(Debug, Clone)]
enum Mutation {
    Whole,
    Instead(usize),
    Field(usize, usize),
    Without(usize),
    Added(usize),
    Twice,
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let odd = 0..ODD.len();
    prop_oneof![
        Just(Mutation::Whole),
        odd.clone().prop_map(Mutation::Instead),
        (0..16_usize, odd.clone()).prop_map(|(field, odd)| Mutation::Field(field, odd)),
        (0..16_usize).prop_map(Mutation::Without),
        odd.prop_map(Mutation::Added),
        Just(Mutation::Twice),
    ]
}

fn written(item: &Value, mutation: &Mutation) -> String {
    let fields = item.as_object().expect("an object");
    let mut pairs: Vec<(String, String)> = fields.iter().map(|(k, v)| (k.clone(), v.to_string())).collect();
    match mutation {
        Mutation::Whole => (),
        Mutation::Instead(odd) => return ODD[*odd].to_owned(),
        Mutation::Field(field, odd) => {
            let at = field % pairs.len();
            pairs[at].1 = ODD[*odd].to_owned();
        }
        Mutation::Without(field) => drop(pairs.remove(field % pairs.len())),
        Mutation::Added(odd) => {
            pairs.extend(["escalation", "new"].map(|text| (text.to_owned(), ODD[*odd].to_owned())))
        }
        Mutation::Twice => pairs.extend_from_within(..),
    }
    let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", pairs.join(","))
}

/// Returns a page's JSON, with the pagination beside the data or inside `pagination`.
fn page(items: &[String], more: &str, cursor: &str, inside: bool) -> String {
    let data = format!("\"data\":[{}]", items.join(","));
    let pages = format!("\"hasMore\":{more},\"nextCursor\":{cursor}");
    if inside { format!("{{{data},\"pagination\":{{{pages}}}}}") } else { format!("{{{data},{pages}}}") }
}

fn client() -> (Client, Arc<OneBody>) {
    let transport = Arc::new(OneBody::default());
    let key = Secret::new("svc_live_0123456789");
    let client = Client::with_transport(transport.clone(), "http://127.0.0.1:1/v1", &key, Arc::new(Still));
    (client.expect("a client"), transport)
}

/// Reads one list with a new client, so that no read waits for the rate budget.
fn reads(list: &str, body: &str) -> Outcome {
    let (client, transport) = client();
    *transport.0.lock().expect("a body") = body.as_bytes().to_vec();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(read(&client, list))
}

proptest! {
    #![proptest_config(randomized::config(400))]

    #[test]
    fn no_item_vanishes_and_none_hides_the_others(
        list in 0..=LISTS.len(),
        mutations in prop::collection::vec(mutation(), 1..6),
        more in prop::sample::select(vec!["true", "\"true\"", "1", "null", "[]", "\"yes\""]),
        cursor in prop::sample::select(vec!["\"c\"", "17", "null", "false", "true", "{}", "\"\""]),
        inside: bool,
    ) {
        let (name, kind) = LISTS.get(list).copied().unwrap_or(("events", "webhook"));
        let items: Vec<String> =
            mutations.iter().enumerate().map(|(at, mutation)| written(&item(kind, at), mutation)).collect();
        let body = page(&items, more, cursor, inside);
        let (rows, counted, next) = reads(name, &body).map_err(|error| TestCaseError::fail(format!("{error}: {body}")))?;
        prop_assert_eq!(rows + counted, items.len(), "{}: {}", name, body);
        let whole = mutations.iter().filter(|mutation| matches!(mutation, Mutation::Whole | Mutation::Twice)).count();
        prop_assert!(rows >= whole, "{}: {}", name, body);
        let expected = match cursor { "\"c\"" => Some("c"), "17" => Some("17"), _ => None };
        prop_assert_eq!(next.as_deref(), expected, "{}: {}", name, body);
    }
}

#[test]
fn what_can_be_read_is_read() {
    let cases = [
        ("chat", r#"{"id":7,"lastMessagePreview":"cut \ud83d","escalation":{"state":"none"}}"#),
        ("bot", r#"{"id":7,"telegramChatId":9}"#),
        ("threads", r#"{"id":7,"subject":"cut \ud83d"}"#),
        ("history", r#"{"id":7,"content":"cut \ud83d"}"#),
        ("new messages", r#"{"id":7,"conversationId":8,"content":"cut \ud83d"}"#),
        ("people", r#"{"id":7,"phone":"+447700900123","name":"\ud83d","metadata":null}"#),
        ("templates", r#"{"name":"t","language":{"code":"en"},"category":null,"components":{}}"#),
        ("webhooks", r#"{"id":7,"url":"https://x.example","isActive":"true","createdAt":12,"events":null}"#),
        ("correspondents", r#"{"email":"a@x.example","messageCount":"3"}"#),
        ("events", r#"{"id":7,"name":"\ud83d"}"#),
    ];
    for (list, item) in cases {
        assert_eq!(reads(list, &format!("[{item}]")), Ok((1, 0, None)), "{list}: {item}");
    }
}

#[test]
fn an_escalation_that_says_no_is_none() {
    use model::conversations::Escalation;
    let reads = |told: &str| {
        let (client, transport) = client();
        let body = format!(r#"{{"id":"c1","automationEnabled":true,"escalation":{told}}}"#);
        *transport.0.lock().expect("a body") = body.into_bytes();
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(client.conversation(&ConversationId::from("c1"))).expect("a conversation").escalation
    };
    for told in [
        "null",
        "false",
        "0",
        "\"\"",
        "\"none\"",
        "{}",
        "[]",
        r#"{"state":"none"}"#,
        r#"{"status":"NONE"}"#,
        r#"{"active":false,"reason":"asked before"}"#,
        r#"{"reason":null}"#,
        r#"{"escalated":"false"}"#,
        r#"{"reason":"x","resolvedAt":"2026-11-20T09:00:00Z"}"#,
    ] {
        assert_eq!(reads(told), Escalation::None, "{told}");
    }
    for (told, why) in [
        ("true", "the AI gave no reason"),
        ("\"asked for a person\"", "asked for a person"),
        (r#"{"reason":"angry","since":null}"#, "angry"),
        (r#"{"state":"pending"}"#, "pending"),
        (r#"{"active":true}"#, "the AI gave no reason"),
    ] {
        assert!(matches!(reads(told), Escalation::Requested(reason) if reason.as_str() == why), "{told}");
    }
}
