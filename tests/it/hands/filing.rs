//! Filing of threads: a change counts only once a read shows it, as the API does not report which
//! fields can be changed; one the server ignores stays local.

use std::sync::{Arc, Mutex};

use frontdesk::client::prepare;
use frontdesk::model::account::Platform;
use frontdesk::model::conversations::ConversationStatus;
use frontdesk::model::email::{Thread, ThreadField};
use frontdesk::model::news::News;
use frontdesk::model::outbox::content::{ThreadChange, ThreadPlace};
use frontdesk::model::outbox::{Operation, RowState};
use frontdesk::store::outbox::NewRow;
use frontdesk::sync::PushStep;
use serde_json::{Value, json};

use crate::hands::server::{Answer, Request};
use crate::hands::{Hands, account, id, page, quiet, time};

const ALL: &[&str] = &["isRead", "isStarred", "archived", "category", "priority"];

/// The server's thread with one mail.
type Kept = Arc<Mutex<Value>>;

fn stored_thread() -> Kept {
    Arc::new(Mutex::new(json!({
        "id": "t1", "subject": "Order 2001", "contactEmail": "ana@ruiz.example", "contactName": "Ana",
        "lastMessageAt": time(0), "messageCount": 1, "isRead": false, "isStarred": false,
        "category": "orders", "priority": "normal", "folder": "inbox", "messages": [mail("m1", 0)]
    })))
}

fn mail(id: &str, at: i64) -> Value {
    json!({"id": id, "from": "ana@ruiz.example", "text": "Hi", "createdAt": time(at), "direction": "inbound"})
}

/// A mailbox that accepts only some fields and does not report it.
fn mailbox(kept: &Kept, takes: &'static [&'static str]) -> impl FnMut(&Request) -> Answer + Send + 'static {
    let kept = kept.clone();
    move |request| {
        let mut thread = kept.lock().expect("no one failed");
        match request.route().as_str() {
            "GET /account" => Answer::ok(account("EMAIL")),
            "GET /email/account" => Answer::ok(json!({"emailAddress": "hello@harbor.example"})),
            "GET /email/threads" => {
                let mut listed = thread.clone();
                listed.as_object_mut().expect("an object").remove("messages");
                Answer::ok(page(&[listed], None))
            }
            "GET /email/threads/t1" => Answer::ok(thread.clone()),
            "PATCH /email/threads/t1" => {
                let asked: Value = serde_json::from_slice(&request.body).expect("JSON");
                for (name, value) in asked.as_object().expect("an object") {
                    match name.as_str() {
                        other if !takes.contains(&other) => {}
                        "archived" => {
                            thread["folder"] = json!(if *value == true { "archive" } else { "inbox" });
                        }
                        name => thread[name] = value.clone(),
                    }
                }
                Answer::ok(json!({"success": true})).rated()
            }
            _ => quiet(request),
        }
    }
}

async fn at(answering: impl FnMut(&Request) -> Answer + Send + 'static) -> Hands {
    let hands = Hands::on(answering).await;
    hands.pull().await;
    hands.pass(5);
    hands.server.seen();
    hands.news();
    hands
}

async fn file(hands: &Hands, change: ThreadChange) -> PushStep {
    let operation = Operation::ChangeThread { thread: "t1".into(), change };
    let lane = frontdesk::model::outbox::Lane::Conversation("t1".into());
    let request = prepare(&Platform::Email, &lane, &operation).expect("can be sent");
    let row =
        NewRow { channel: id(), lane, operation, request, hold_micros: 0, seen: None, planned_at: None };
    hands.store.enqueue(row, hands.now()).expect("queued");
    hands.push().await
}

fn read(is_read: bool) -> ThreadChange {
    ThreadChange { is_read: Some(is_read), ..ThreadChange::default() }
}

fn archived_and_read() -> ThreadChange {
    ThreadChange { place: Some(ThreadPlace::Archived(true)), ..read(true) }
}

/// The thread as shown, with its local fields in order.
fn shown(hands: &Hands) -> (Thread, ConversationStatus) {
    let row = hands.list().rows.remove(0);
    let mut thread = *row.thread.expect("a thread");
    thread.only_here.sort();
    (thread, row.conversation.status)
}

fn notices(hands: &Hands) -> Vec<String> {
    let news = hands.news().into_iter();
    news.filter_map(|news| if let News::Notice(_, _, why) = news { Some(why.to_string()) } else { None })
        .collect()
}

const FILED: &str = "PATCH /email/threads/t1";
const READ_BACK: &str = "GET /email/threads/t1";

#[tokio::test]
async fn what_a_server_ignores_holds_on_this_desk_only_and_is_said_once() {
    let kept = stored_thread();
    let hands = at(mailbox(&kept, &[])).await;
    assert_eq!(file(&hands, archived_and_read()).await, PushStep::Idle);
    assert_eq!(hands.server.routes(), [FILED, READ_BACK]);
    let (thread, status) = shown(&hands);
    assert_eq!(
        (thread.is_read, thread.is_archived(), status.clone()),
        (Some(true), true, ConversationStatus::Closed)
    );
    assert_eq!(thread.only_here, [ThreadField::Read, ThreadField::Place]);
    assert!(hands.history("t1").outbox.is_empty(), "nothing waits for it");
    let said = notices(&hands);
    assert_eq!(said.len(), 1);
    assert!(said[0].contains("did not accept") && said[0].contains("on this desk only"), "{said:?}");
    // Reads keep returning the old value, also after a restart.
    let hands = hands.reopen();
    hands.pass(30);
    hands.pull().await;
    assert_eq!(shown(&hands), (thread, status));
    // Undone, server and desk agree, which proves nothing.
    file(&hands, ThreadChange { place: Some(ThreadPlace::Archived(false)), ..read(false) }).await;
    let (thread, status) = shown(&hands);
    assert_eq!(
        (thread.is_read, thread.is_archived(), status),
        (Some(false), false, ConversationStatus::Open)
    );
    assert_eq!(thread.only_here, []);
    hands.server.seen();
    notices(&hands);
    file(&hands, read(true)).await;
    assert_eq!(hands.server.routes(), [FILED, READ_BACK]);
    assert_eq!(
        (shown(&hands).0.only_here, notices(&hands)),
        (vec![ThreadField::Read], vec![]),
        "known by now"
    );
}

#[tokio::test]
async fn what_a_server_takes_is_read_back_once_for_each_field() {
    let kept = stored_thread();
    let hands = at(mailbox(&kept, ALL)).await;
    file(&hands, archived_and_read()).await;
    assert_eq!(hands.server.routes(), [FILED, READ_BACK]);
    file(&hands, read(false)).await;
    assert_eq!(hands.server.routes(), [FILED]);
    let star = ThreadChange { is_starred: Some(true), ..ThreadChange::default() };
    file(&hands, star.clone()).await;
    assert_eq!(hands.server.routes(), [FILED, READ_BACK]);
    let about = ThreadChange { category: Some("refund".to_owned()), is_starred: Some(false), ..star };
    file(&hands, about).await;
    assert_eq!(hands.server.routes(), [FILED, READ_BACK]);
    let (thread, status) = shown(&hands);
    assert_eq!(
        (thread.is_read, thread.is_starred, status),
        (Some(false), Some(false), ConversationStatus::Closed)
    );
    assert_eq!(
        (thread.category.as_ref().map(|category| category.as_str()), thread.only_here),
        (Some("refund"), vec![])
    );
    assert_eq!(notices(&hands), [""; 0]);
    assert_eq!(kept.lock().expect("no one failed")["folder"], "archive");
}

#[tokio::test]
async fn fields_are_told_apart_and_a_server_that_learns_is_believed() {
    let kept = stored_thread();
    let hands = at(mailbox(&kept, &["isRead"])).await;
    file(&hands, archived_and_read()).await;
    assert_eq!(shown(&hands).0.only_here, [ThreadField::Place]);
    assert!(notices(&hands)[0].contains("`archived`"));
    hands.server.now(mailbox(&kept, ALL));
    file(&hands, archived_and_read()).await;
    let (thread, status) = shown(&hands);
    assert_eq!((thread.only_here, status), (vec![], ConversationStatus::Closed));
}

#[tokio::test]
async fn a_later_mail_ends_what_would_hide_it() {
    let kept = stored_thread();
    let hands = at(mailbox(&kept, &[])).await;
    let star = ThreadChange { is_starred: Some(true), ..archived_and_read() };
    file(&hands, star).await;
    assert_eq!(shown(&hands).0.only_here, [ThreadField::Read, ThreadField::Star, ThreadField::Place]);
    hands.pass(30);
    {
        let mut thread = kept.lock().expect("no one failed");
        thread["messages"] = json!([mail("m1", 0), mail("m2", 30)]);
        (thread["messageCount"], thread["lastMessageAt"]) = (json!(2), json!(time(30)));
    }
    hands.pull().await;
    let (thread, status) = shown(&hands);
    assert_eq!(
        (thread.is_read, thread.is_archived(), status),
        (Some(false), false, ConversationStatus::Open)
    );
    assert_eq!(
        (thread.is_starred, thread.only_here),
        (Some(true), vec![ThreadField::Star]),
        "a star hides nothing"
    );
}

#[tokio::test]
async fn what_cannot_be_read_back_is_looked_at_the_next_time() {
    let kept = stored_thread();
    let mut inner = mailbox(&kept, &[]);
    let hands = at(mailbox(&kept, &[])).await;
    hands.server.now(move |request| match request.route().as_str() {
        READ_BACK => Answer::refusal(500, "INTERNAL_ERROR", "not now"),
        _ => inner(request),
    });
    file(&hands, read(true)).await;
    let (thread, _) = shown(&hands);
    assert_eq!((thread.is_read, thread.only_here), (Some(true), vec![]), "believed");
    hands.server.now(mailbox(&kept, &[]));
    hands.pass(30);
    hands.pull().await;
    assert_eq!(shown(&hands).0.is_read, Some(false), "until a reading tells");
    hands.server.seen();
    file(&hands, read(true)).await;
    assert_eq!(hands.server.routes(), [FILED, READ_BACK]);
    assert_eq!(shown(&hands).0.only_here, [ThreadField::Read]);
}

#[tokio::test]
async fn refusals_are_told_and_wait_for_nobody_and_unclear_answers_ask_again_with_its_key() {
    let refusals =
        [(400, "VALIDATION_ERROR"), (404, "NOT_FOUND"), (405, "NOT_ALLOWED"), (422, "UNKNOWN_FIELD")];
    for (status, code) in refusals {
        let kept = stored_thread();
        let hands = at(mailbox(&kept, ALL)).await;
        hands.server.now(move |_| Answer::refusal(status, code, "not that"));
        file(&hands, archived_and_read()).await;
        assert!(hands.history("t1").outbox.is_empty(), "{status}: nothing asks for ever");
        let said = notices(&hands);
        assert!(said.len() == 1 && said[0].starts_with("not archived: the server refused it"), "{said:?}");
        let (thread, _) = shown(&hands);
        assert_eq!((thread.is_read, thread.is_archived()), (Some(false), false), "{status}");
    }
    let unclear: [fn() -> Answer; 3] = [
        || Answer::Cut,
        || Answer::refusal(500, "INTERNAL_ERROR", "oops"),
        // Not from the API: none of its usual fields is present.
        || Answer::raw(200, "text/html", b"<p>Sign in</p>"),
    ];
    for answer in unclear {
        let kept = stored_thread();
        let hands = at(mailbox(&kept, ALL)).await;
        hands.server.now(move |_| answer());
        file(&hands, archived_and_read()).await;
        assert_eq!(hands.history("t1").outbox[0].state, RowState::Uncertain);
        hands.server.now(mailbox(&kept, ALL));
        hands.pass(60);
        assert_eq!(hands.push().await, PushStep::Idle);
        let seen = hands.server.seen();
        let keys: Vec<&str> =
            seen.iter().filter(|request| request.method == "PATCH").map(Request::key).collect();
        assert!(keys.len() == 2 && keys[0] == keys[1], "{keys:?}");
        assert_eq!(shown(&hands).0.only_here, []);
    }
}

#[tokio::test]
async fn a_test_key_files_on_this_desk_only() {
    let kept = stored_thread();
    let hands = at(mailbox(&kept, ALL)).await;
    hands.server.now(|_| Answer::ok(json!({"test": true, "success": true})).rated());
    file(&hands, read(true)).await;
    assert_eq!(hands.server.routes(), [FILED], "nothing was changed that could be read back");
    let (thread, _) = shown(&hands);
    assert_eq!((thread.is_read, thread.only_here), (Some(true), vec![ThreadField::Read]));
}

/// A refusal of the mark set by opening a thread needs no decision, and is not repeated.
#[tokio::test]
async fn what_nobody_asked_for_never_asks() {
    type Make = fn() -> Answer;
    let refusals: [Make; 3] = [
        || Answer::refusal(400, "VALIDATION_ERROR", "no such field"),
        || Answer::refusal(403, "FORBIDDEN", "not for this key"),
        || Answer::refusal(404, "NOT_FOUND", "no such route"),
    ];
    for make in refusals {
        let kept = stored_thread();
        let mut answers = mailbox(&kept, ALL);
        let hands = at(move |request| if request.route() == FILED { make() } else { answers(request) }).await;
        file(&hands, ThreadChange { unasked: true, ..read(true) }).await;
        assert!(hands.history("t1").outbox.is_empty(), "no row is left");
        assert_eq!(notices(&hands), [""; 0], "nor is it said");
        assert_eq!(shown(&hands).0.is_read, Some(true), "it holds on this desk");
        // A refused change by a person is reported.
        file(&hands, read(true)).await;
        assert!(hands.history("t1").outbox.is_empty(), "no row is left");
        assert_eq!(notices(&hands).len(), 1);
    }
}
