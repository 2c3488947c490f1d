//! The loops: start, wake-up, and end. Steps are tested elsewhere; this module only waits for news.

use std::sync::{Arc, Mutex};

use frontdesk::model::ids::{ChannelId, ConversationId};
use frontdesk::model::news::{Health, News};
use frontdesk::sync::{ChannelSpec, Engine, Polling};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::hands::server::{Answer, Request};
use crate::hands::{Hands, conversation, message, page, quiet, until};
use crate::waiting::within;

fn chat(request: &Request) -> Answer {
    match request.route().as_str() {
        "GET /conversations" => Answer::ok(page(&[conversation("c1", 1, 0)], None)),
        "GET /conversations/c1/messages" => Answer::ok(page(&[message("m1", "c1", "inbound", 0)], None)),
        "POST /messages/send" => Answer::ok(serde_json::json!({
            "messageId": "sent-1", "status": "sent", "creditsUsed": 1, "creditsRemaining": 7
        })),
        _ => quiet(request),
    }
}

fn start(hands: &Hands, more: Vec<ChannelSpec>) -> (Engine, UnboundedReceiver<News>) {
    let (told, news) = unbounded_channel();
    let told = Mutex::new(told);
    let tell = Arc::new(move |news: News| {
        // The receiver may be dropped.
        let _ = told.lock().expect("no one failed").send(news);
    });
    let handle = tokio::runtime::Handle::current();
    let channels = std::iter::once(hands.channel.spec().clone()).chain(more).collect();
    let clock = hands.clock.clone();
    (Engine::start(handle, hands.store.clone(), channels, clock, tell, Polling::default()), news)
}

#[tokio::test]
async fn everything_is_read_once_at_the_start_and_a_queued_row_leaves() {
    let hands = Hands::on(chat).await;
    let (engine, mut news) = start(&hands, Vec::new());
    engine.focus(Some((crate::hands::id(), Some(ConversationId::from("c1")))));
    until(&mut news, "the account", |news| matches!(news, News::Account(..))).await;
    until(&mut news, "the history", |news| matches!(news, News::History(_, id) if id.as_str() == "c1")).await;
    hands.queue_text("c1", "Hello");
    engine.wake_outbox();
    until(&mut news, "the balance", |news| *news == News::Credits(crate::hands::id(), 7.0)).await;
    within("the end of the loops", engine.shutdown()).await;
    assert_eq!(hands.messages("c1"), ["m1", "sent-1"]);
}

#[tokio::test]
async fn a_stopped_tab_starts_again_when_a_person_asks() {
    let hands = Hands::on(|_| Answer::refusal(401, "INVALID_KEY", "unknown key")).await;
    let (engine, mut news) = start(&hands, Vec::new());
    until(&mut news, "the refusal", |news| matches!(news, News::Health(_, Health::Refused { .. }))).await;
    hands.server.now(chat);
    engine.refresh(crate::hands::id());
    until(&mut news, "it lives", |news| matches!(news, News::Health(_, Health::Live { .. }))).await;
    within("the end of the loops", engine.shutdown()).await;
}

#[tokio::test]
async fn a_tab_that_cannot_work_says_so_and_the_others_go_on() {
    let hands = Hands::on(chat).await;
    let bad = ChannelSpec {
        id: ChannelId::from("bad"),
        base_url: "http://api.example.com/v1".to_owned(),
        ..hands.channel.spec().clone()
    };
    let (engine, mut news) = start(&hands, vec![bad]);
    let mut wrong = None;
    until(&mut news, "it is said", |news| match news {
        News::Health(id, Health::Misconfigured { why }) => {
            wrong = Some((id.to_string(), why.to_string()));
            true
        }
        _ => false,
    })
    .await;
    let (id, why) = wrong.expect("told");
    assert!(id == "bad" && why.contains("must begin with https://"), "{id}: {why}");
    until(&mut news, "the other", |news| matches!(news, News::Account(id, _) if *id == crate::hands::id()))
        .await;
    engine.fetch_older(ChannelId::from("bad"), ConversationId::from("c1"));
    within("the end of the loops", engine.shutdown()).await;
}

#[tokio::test]
async fn with_the_server_unreachable_everything_on_disk_is_there_at_once() {
    let hands = Hands::on(chat).await;
    hands.pull().await;
    let kept = hands.queue_text("c1", "later");
    let gone = ChannelSpec { base_url: "http://127.0.0.1:1/v1".to_owned(), ..hands.channel.spec().clone() };
    let store = frontdesk::store::Store::open(hands.folder.path()).expect("the files open");
    let (told, mut news) = unbounded_channel();
    let told = Mutex::new(told);
    let tell = Arc::new(move |news: News| drop(told.lock().expect("no one failed").send(news)));
    let handle = tokio::runtime::Handle::current();
    let engine = Engine::start(handle, store, vec![gone], hands.clock.clone(), tell, Polling::default());
    engine.focus(Some((crate::hands::id(), Some(ConversationId::from("c1")))));
    // The screen's data, before any answer and after none came.
    for answered in [false, true] {
        assert_eq!(hands.list().rows.len(), 1);
        assert_eq!(hands.messages("c1"), ["m1"]);
        assert_eq!(hands.history("c1").outbox.len(), 1, "what is queued is shown");
        let account = hands.store.reader().expect("a reader").account(&crate::hands::id()).expect("read");
        assert!(account.is_some());
        if !answered {
            until(&mut news, "it says so", |news| matches!(news, News::Health(_, Health::Offline { .. })))
                .await;
        }
    }
    within("the end of the loops", engine.shutdown()).await;
    let rows = hands.store.lane_rows(&crate::hands::id()).await.expect("read");
    assert_eq!((rows.len(), &rows[0].row.id), (1, &kept.id), "nothing is lost");
}
