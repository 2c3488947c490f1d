//! Rows written for one business are never sent with the key of another.

use frontdesk::model::account::Platform;
use frontdesk::model::chance::Chance;
use frontdesk::model::outbox::content::{Audience, BroadcastContent, ContactPatch, Mail, ThreadChange};
use frontdesk::model::outbox::{Lane, Operation, RowState, StopReason, StopVerdict};
use frontdesk::model::secret::Secret;
use frontdesk::model::time::Clock;
use frontdesk::store::outbox::NewRow;
use frontdesk::sync::PushStep;
use serde_json::{Value, json};

use crate::hands::server::{Answer, Request};
use crate::hands::{Hands, Steps, account, conversation, open, page, quiet, send_text};

const FIRST_KEY: &str = "svc_live_0123456789";
const OTHER_KEY: &str = "svc_live_9876543210";

/// The account of a key: the first key's is Harbor's, any other the shop's.
fn account_of(request: &Request) -> Value {
    let mut told = account("WHATSAPP");
    if !request.headers["authorization"].ends_with(FIRST_KEY) {
        told["workspace"] = json!({"id": "ws-shop", "name": "Other Shop", "email": null});
        told["assistantId"] = json!("as-shop");
    }
    told
}

/// Accepts everything and returns each key's account.
fn two_businesses(request: &Request) -> Answer {
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/account") => Answer::ok(account_of(request)),
        ("GET", _) => quiet(request),
        _ => Answer::ok(json!({
            "messageId": "m", "id": "x", "broadcastId": "b", "callId": "c", "url": "https://f.example/a",
            "success": true, "status": "closed", "automationEnabled": false, "deleted": "ct"
        })),
    }
}

impl Hands {
    /// Reopens the same files with another key.
    fn with_key(self, key: &str) -> Self {
        let Self { channel, store, clock, news, server, folder, .. } = self;
        let mut spec = channel.spec().clone();
        spec.key = Secret::new(key);
        drop((channel, store));
        let store = frontdesk::store::Store::open(folder.path()).expect("the files open");
        let channel = open(spec, &store, &clock, &news);
        let steps = tokio::sync::Mutex::new(Steps::new(clock.now()));
        Self { channel, steps, store, clock, news, server, folder }
    }

    async fn stop_of(&self, row: usize) -> Option<(StopReason, String)> {
        let rows = self.store.lane_rows(&crate::hands::id()).await.expect("rows");
        match &rows.get(row)?.row.state {
            RowState::Stopped(stop, why) => Some((*stop, why.to_string())),
            _ => None,
        }
    }

    /// Writes with the key of the other business.
    fn left_from_shop(&self) -> Vec<String> {
        let writes = self.server.seen().into_iter().filter(|request| request.method != "GET");
        let from_shop = writes.filter(|request| request.headers["authorization"].ends_with(OTHER_KEY));
        from_shop.map(|shop| shop.route()).collect()
    }
}

/// Each operation that is sent without a person.
fn operations() -> Vec<Operation> {
    let phone = || "+34600111222".to_owned();
    let contact = ContactPatch { phone: phone(), ..ContactPatch::default() };
    let mail = Mail {
        to: vec!["maria@mail.example".into()],
        subject: "Hello".into(),
        text: Some("Hello".into()),
        ..Mail::default()
    };
    vec![
        send_text("For Harbor's customers"),
        Operation::SetAutomation { enabled: false },
        Operation::Close,
        Operation::React { message: "m1".into(), emoji: "👍".into() },
        Operation::SendMail(Box::new(mail)),
        Operation::ChangeThread {
            thread: "t1".into(),
            change: ThreadChange { is_read: Some(true), ..ThreadChange::default() },
        },
        Operation::SendSms { to: phone(), body: "hi".into(), via: None },
        Operation::Call { to: phone(), via: None, context: None },
        Operation::Broadcast { to: Audience::Everyone, content: BroadcastContent::Text("hi".into()) },
        Operation::SaveContact(Box::new(contact)),
        Operation::DeleteContact { contact: "ct".into(), phone: phone() },
        Operation::AddWebhook { url: "https://h.example".into(), events: Vec::new() },
        Operation::RemoveWebhook { webhook: "wh".into(), url: "https://h.example".into() },
    ]
}

/// A row prepared as by the screen for its platform.
fn row_of(operation: Operation) -> NewRow {
    let platform = match operation {
        Operation::SendMail(_) | Operation::ChangeThread { .. } => Platform::Email,
        Operation::SendSms { .. } | Operation::Call { .. } => Platform::Voip,
        _ => Platform::Whatsapp,
    };
    let lane = operation.lane(Some(&"c1".into())).unwrap_or(Lane::Media);
    let request = frontdesk::client::prepare(&platform, &lane, &operation).expect("can be sent");
    NewRow::without_delay(crate::hands::id(), lane, operation, request)
}

#[tokio::test]
async fn no_operation_leaves_with_the_key_of_another_business() {
    for operation in operations() {
        let name = operation.word();
        let hands = Hands::on(two_businesses).await;
        hands.channel.pull_account().await;
        hands.store.enqueue(row_of(operation), hands.now()).expect("queued");
        let hands = hands.with_key(OTHER_KEY);
        hands.push().await;
        hands.pass(3600);
        hands.push().await;
        assert_eq!(hands.left_from_shop(), Vec::<String>::new(), "{name}");
        let (stop, why) = hands.stop_of(0).await.unwrap_or_else(|| panic!("{name} asks nobody"));
        assert_eq!(stop, StopReason::Account, "{name}: {why}");
        assert_eq!(why, "written for Harbor; this tab now belongs to Other Shop", "{name}");
    }
}

#[tokio::test]
async fn conversations_of_another_business_are_put_away() {
    let hands = Hands::on(|request| match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/conversations") if request.headers["authorization"].ends_with(FIRST_KEY) => {
            Answer::ok(page(&[conversation("c1", 1, 1)], None))
        }
        _ => two_businesses(request),
    })
    .await;
    hands.channel.pull_account().await;
    hands.pull_conversations().await;
    assert_eq!(hands.list().rows.len(), 1);
    let hands = hands.with_key(OTHER_KEY);
    assert_eq!(hands.list().rows.len(), 1, "nothing is known of the key yet");
    hands.channel.pull_account().await;
    assert_eq!(hands.list().rows.len(), 0);
    let hands = hands.with_key(FIRST_KEY);
    hands.channel.pull_account().await;
    hands.pull_conversations().await;
    assert_eq!(hands.list().rows.len(), 1, "read again for whom it belongs to");
}

#[tokio::test]
async fn a_row_leaves_once_its_own_key_is_back() {
    let hands = Hands::on(two_businesses).await;
    hands.channel.pull_account().await;
    let row = hands.queue_text("c1", "For Harbor's customers");
    let hands = hands.with_key(OTHER_KEY);
    hands.push().await;
    assert!(hands.stop_of(0).await.is_some());
    let hands = hands.with_key(FIRST_KEY);
    hands.channel.pull_account().await;
    assert_eq!(hands.push().await, PushStep::Idle);
    let posts = hands.server.posts();
    assert_eq!(posts.len(), 1);
    assert_eq!(posts[0].key(), row.key.as_str());
    assert!(posts[0].headers["authorization"].ends_with(FIRST_KEY));
}

#[tokio::test]
async fn a_person_sends_it_from_here_under_a_new_idempotency_key() {
    let hands = Hands::on(two_businesses).await;
    hands.channel.pull_account().await;
    let row = hands.queue_text("c1", "For whoever");
    let hands = hands.with_key(OTHER_KEY);
    hands.push().await;
    hands.store.retry_stopped(&row.id, None, hands.now()).expect("written");
    hands.push().await;
    assert_eq!(hands.left_from_shop(), Vec::<String>::new(), "trying again is no decision about that");
    let decided = hands.store.decide(&row.id, StopVerdict::SendFromHere, None, hands.now()).expect("written");
    assert!(decided.is_some());
    hands.push().await;
    let posts = hands.server.posts();
    assert_eq!(posts.len(), 1);
    assert_ne!(posts[0].key(), row.key.as_str());
    assert!(posts[0].headers["authorization"].ends_with(OTHER_KEY));
}

#[tokio::test]
async fn what_may_have_been_sent_is_not_asked_about_with_another_key() {
    let hands = Hands::on(|request: &Request| match request.method.as_str() {
        "POST" => Answer::Cut,
        _ => two_businesses(request),
    })
    .await;
    hands.channel.pull_account().await;
    hands.queue_text("c1", "Only once");
    hands.push().await;
    assert_eq!(hands.server.posts().len(), 1);
    hands.server.now(two_businesses);
    let hands = hands.with_key(OTHER_KEY);
    hands.pass(60);
    hands.push().await;
    assert_eq!(hands.left_from_shop(), Vec::<String>::new());
    let (stop, why) = hands.stop_of(0).await.expect("it asks");
    assert_eq!(stop, StopReason::Expired, "it may have been sent");
    assert_eq!(why, "it was first sent from Harbor; this tab now belongs to Other Shop");
}

#[tokio::test]
async fn a_changed_key_sends_nothing_until_its_account_was_read() {
    let hands = Hands::on(two_businesses).await;
    hands.channel.pull_account().await;
    hands.queue_text("c1", "For Harbor's customers");
    let hands = hands.with_key("svc_live_rotated_0000");
    hands.server.now(|request| match request.path.as_str() {
        "/account" => Answer::refusal(500, "INTERNAL_ERROR", "not now"),
        _ => two_businesses(request),
    });
    for _ in 0..4 {
        assert!(matches!(hands.push().await, PushStep::Due(_)));
        hands.pass(20);
    }
    assert_eq!(hands.server.posts().len(), 0);
    // Another key of the same business may send earlier rows.
    hands.server.now(|request| match request.path.as_str() {
        "/account" => Answer::ok(account("WHATSAPP")),
        _ => two_businesses(request),
    });
    hands.push().await;
    assert_eq!(hands.server.posts().len(), 1);
}

#[tokio::test]
async fn a_key_that_was_confirmed_before_sends_without_a_new_reading() {
    let hands = Hands::on(two_businesses).await;
    hands.channel.pull_account().await;
    hands.queue_text("c1", "Again with the same key");
    let hands = hands.reopen();
    hands.server.now(|request| match request.path.as_str() {
        "/account" => Answer::refusal(500, "INTERNAL_ERROR", "not now"),
        _ => two_businesses(request),
    });
    assert_eq!(hands.push().await, PushStep::Idle);
    assert_eq!(hands.server.posts().len(), 1);
    let asked = hands.server.seen().into_iter().any(|request| request.path == "/account");
    assert!(!asked);
}

/// Keys change at random; rows are sent by the business that was on screen when written.
#[tokio::test]
async fn keys_that_change_at_random_send_nothing_for_another() {
    for seed in 0..12_u64 {
        let chance = Chance::seeded(seed);
        let mut hands = Hands::on(two_businesses).await;
        hands.channel.pull_account().await;
        let mut here = FIRST_KEY;
        let mut known = FIRST_KEY;
        let mut written = Vec::new();
        for step in 0..30 {
            match chance.below(4) {
                0 => {
                    here = if chance.below(2) == 0 { FIRST_KEY } else { OTHER_KEY };
                    hands = hands.with_key(here);
                }
                1 => {
                    hands.channel.pull_account().await;
                    known = here;
                }
                2 => {
                    let text = format!("text {step}");
                    hands.queue_text(&format!("c{step}"), &text);
                    written.push((text, known));
                }
                _ => {
                    hands.push().await;
                    let is_confirmed = hands.channel.has_confirmed_account().await.expect("read");
                    known = if is_confirmed { here } else { known };
                }
            }
            hands.pass(1);
        }
        for post in hands.server.posts() {
            let body = String::from_utf8_lossy(&post.body).into_owned();
            let (text, wanted) =
                written.iter().find(|(text, _)| body.contains(&format!("\"{text}\""))).expect("written here");
            let sender = &post.headers["authorization"];
            assert!(sender.ends_with(wanted), "seed {seed}: {text} left with {sender}");
        }
    }
}
