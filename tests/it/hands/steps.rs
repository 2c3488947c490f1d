//! Steps of a tab: which requests are sent when, which are not, and the cost of an idle desk.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use frontdesk::client::{Client, ReadError, prepare};
use frontdesk::model::account::Platform;
use frontdesk::model::ids::ConversationId;
use frontdesk::model::news::{Health, News};
use frontdesk::model::outbox::content::{Audience, BroadcastContent};
use frontdesk::model::outbox::{Lane, Operation};
use frontdesk::model::queries::Draft;
use frontdesk::model::time::{Clock, SECOND};
use frontdesk::store::Store;
use frontdesk::store::outbox::NewRow;
use frontdesk::sync::{Loop, Polling, TabLoop, TabSync};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::hands::server::{Answer, Request};
use crate::hands::{Hands, conversation, detail, message, page, quiet};

fn tab(hands: &Hands) -> (Arc<TabSync>, [TabLoop; 5]) {
    let channel = crate::hands::open(hands.channel.spec().clone(), &hands.store, &hands.clock, &hands.news);
    let tab = Arc::new(TabSync::new(channel, Polling::default()));
    let loops = tab.loops();
    (tab, loops)
}

/// Takes all due steps.
async fn turn(hands: &Hands, loops: &mut [TabLoop; 5]) {
    for _ in 0..2 {
        for one in &mut *loops {
            let mut steps = 0;
            while one.step(hands.clock.now()).await == 0 {
                steps += 1;
                assert!(steps < 100, "{:?} finds no end", one.loop_kind());
            }
        }
    }
}

fn chat(request: &Request) -> Answer {
    match request.route().as_str() {
        "GET /conversations" => Answer::ok(page(&[conversation("c1", 1, 0)], None)),
        "GET /conversations/c1/messages" => Answer::ok(page(&[message("m1", "c1", "inbound", 0)], None)),
        "GET /triggers/new-message" => Answer::ok(page(&[message("m1", "c1", "inbound", 0)], None)),
        "POST /messages/send" => Answer::ok(json!({
            "messageId": "sent-1", "status": "sent", "creditsUsed": 1, "creditsRemaining": 7
        })),
        _ => quiet(request),
    }
}

fn revoked(_: &Request) -> Answer {
    Answer::refusal(401, "REVOKED_KEY", "the key was revoked")
}

#[tokio::test]
async fn a_key_that_is_not_taken_is_tried_once_by_all_loops_together() {
    let hands = Hands::on(revoked).await;
    let (draft, to) = (
        Draft { text: "half a thought".into(), reply_to: None, note: String::new(), attachments: Vec::new() },
        ConversationId::from("c1"),
    );
    hands.store.save_draft(&crate::hands::id(), &to, Some(draft.clone())).expect("kept");
    hands.queue_text("c1", "Hello");
    let (tab, mut loops) = tab(&hands);
    tab.focus(true, Some(to.clone()));
    tab.fetch_older(to.clone());
    for _ in 0..20 {
        // Concurrently, as the loops do.
        let now = hands.clock.now();
        let [poll, open, push, ..] = &mut loops;
        tokio::join!(push.step(now), open.step(now), poll.step(now));
        turn(&hands, &mut loops).await;
        hands.pass(4);
    }
    assert_eq!(hands.server.routes(), ["GET /account"]);
    assert!(matches!(hands.health(), Some(Health::Refused { .. })));
    // A key that is revoked while all is well: also a single call.
    hands.server.now(chat);
    tab.refresh();
    turn(&hands, &mut loops).await;
    let health = hands.health();
    assert!(matches!(health, Some(Health::Live { .. })), "{health:?}");
    assert!(hands.server.routes().contains(&"POST /messages/send".to_owned()), "what waited has left");
    hands.queue_text("c1", "And more");
    hands.server.now(revoked);
    hands.pass(60);
    tab.refresh();
    for _ in 0..20 {
        turn(&hands, &mut loops).await;
        hands.pass(40);
    }
    assert_eq!(hands.server.routes().len(), 1);
    let rows = hands.store.lane_rows(&crate::hands::id()).await.expect("read");
    assert_eq!(rows.len(), 1, "the outbox is kept");
    let kept = hands.store.reader().expect("a reader").draft(&crate::hands::id(), &to).expect("read");
    assert_eq!(kept, Some(draft));
}

#[tokio::test]
async fn a_poll_that_brings_nothing_costs_no_transaction() {
    let hands = Hands::on(chat).await;
    let (tab, mut loops) = tab(&hands);
    tab.focus(true, Some(ConversationId::from("c1")));
    // Another connection sees every commit.
    let other = Store::open(hands.folder.path()).expect("the files open");
    for _ in 0..40 {
        turn(&hands, &mut loops).await;
        hands.pass(3);
    }
    let (settled, told) = (other.versions().await.expect("read"), hands.news().len());
    hands.server.seen();
    for _ in 0..40 {
        turn(&hands, &mut loops).await;
        hands.pass(3);
    }
    assert!(told > 0 && hands.server.seen().len() > 80, "it goes on asking");
    assert_eq!(other.versions().await.expect("read"), settled);
    let news = hands.news();
    let quiet = |news: &News| matches!(news, News::Health(..) | News::Budget(..));
    assert!(news.iter().all(quiet), "{news:?}");
    // An unchanged answer is not merged again: a row deleted from the files stays deleted.
    other.remove_conversation(&crate::hands::id(), &ConversationId::from("c1")).await.expect("removed");
    turn(&hands, &mut loops).await;
    hands.pass(3);
    turn(&hands, &mut loops).await;
    assert!(hands.list().rows.is_empty());
    // New messages are still found with the same requests.
    hands.server.now(|request| match request.route().as_str() {
        "GET /triggers/new-message" => {
            let new = message("m2", "c1", "inbound", 300);
            Answer::ok(page(&[new, message("m1", "c1", "inbound", 0)], None))
        }
        _ => chat(request),
    });
    hands.pass(3);
    turn(&hands, &mut loops).await;
    assert_eq!(hands.messages("c1"), ["m1", "m2"]);
    assert_eq!(hands.rings(), ["c1"]);
}

#[tokio::test]
async fn an_answer_is_the_same_only_once_it_was_applied_and_until_all_is_forgotten() {
    let hands = Hands::on(chat).await;
    let spec = hands.channel.spec();
    let client = Client::new(&spec.base_url, &spec.key, hands.clock.clone()).expect("a client");
    let read = |client: Client| async move {
        client.new_messages().await.map(|new_message| new_message.items.len())
    };
    let (first, late) = (client.skipping_unchanged(), client.skipping_unchanged());
    assert_eq!(read(first.clone()).await, Ok(1));
    assert_eq!(read(client.skipping_unchanged()).await, Ok(1), "it was not applied yet");
    first.record_applied();
    assert_eq!(read(client.skipping_unchanged()).await, Err(ReadError::Same));
    assert_eq!(read(client.clone()).await, Ok(1), "for who did not ask to be spared");
    assert_eq!(
        client.skipping_unchanged().history(&Platform::Whatsapp, &"c1".into(), None).await.map(|_| ()),
        Ok(())
    );
    client.forget_answers();
    assert_eq!(read(late.clone()).await, Ok(1));
    late.record_applied();
    assert_eq!(read(client.skipping_unchanged()).await, Ok(1), "it was on its way when all was forgotten");
}

#[tokio::test]
async fn the_same_answer_after_a_change_from_here_is_taken_in() {
    // The server reports AI on before and after; in between it is paused and handed back.
    let hands = Hands::on(|request| match request.route().as_str() {
        "PATCH /conversations/c1" => {
            Answer::ok(json!({"success": true, "id": "c1", "automationEnabled": false, "status": "active"}))
        }
        "GET /conversations/c1" => Answer::ok(detail("c1", true)),
        _ => chat(request),
    })
    .await;
    let (tab, mut loops) = tab(&hands);
    tab.focus(true, Some(ConversationId::from("c1")));
    let automation = |hands: &Hands| {
        let row = hands.history("c1").conversation.expect("it is there");
        row.conversation.automation
    };
    for _ in 0..4 {
        turn(&hands, &mut loops).await;
        hands.pass(10);
    }
    hands.queue("c1", Operation::SetAutomation { enabled: false });
    loops[Loop::Push as usize].step(hands.clock.now()).await;
    assert_eq!(automation(&hands), frontdesk::model::conversations::Automation::Off);
    for _ in 0..4 {
        hands.pass(10);
        turn(&hands, &mut loops).await;
    }
    assert_eq!(automation(&hands), frontdesk::model::conversations::Automation::On);
}

#[tokio::test]
async fn a_sweep_finds_what_the_top_of_the_list_does_not_show() {
    // 120 conversations, a minute apart; the 70th changes late, in place.
    let name = Arc::new(AtomicI64::new(0));
    let changed = name.clone();
    let hands = Hands::on(move |request| {
        let row = |number: i64| {
            // All within ten minutes, so that a sweep reads three pages.
            let mut row = conversation(&format!("k{number:03}"), 1, -4 * number);
            if number == 70 {
                row["customerName"] = json!(format!("name {}", changed.load(Ordering::SeqCst)));
            }
            row
        };
        match request.route().as_str() {
            "GET /conversations" => {
                let from: i64 = request.cursor().map_or(0, |cursor| cursor.parse().expect("a cursor"));
                let to = (from + 50).min(120);
                let rows: Vec<Value> = (from..to).map(row).collect();
                Answer::ok(page(&rows, (to < 120).then(|| to.to_string()).as_deref()))
            }
            path if path.ends_with("/messages") => Answer::ok(page(&[], None)),
            path if path.starts_with("GET /conversations/k") => {
                let mut read =
                    row(path.trim_start_matches("GET /conversations/k").parse().expect("a number"));
                read["automationEnabled"] = json!(true);
                Answer::ok(read)
            }
            _ => quiet(request),
        }
    })
    .await;
    let (_, mut loops) = tab(&hands);
    let named = |hands: &Hands| {
        let row = hands.history("k070").conversation.expect("it is there");
        row.conversation.title().to_string()
    };
    for _ in 0..100 {
        turn(&hands, &mut loops).await;
        hands.pass(3);
    }
    assert_eq!(named(&hands), "name 0");
    hands.server.seen();
    name.store(1, Ordering::SeqCst);
    for _ in 0..105 {
        turn(&hands, &mut loops).await;
        hands.pass(3);
    }
    assert_eq!(named(&hands), "name 1", "five minutes later at the most");
}

#[tokio::test]
async fn a_machine_that_slept_asks_for_everything_at_once() {
    let hands = Hands::on(chat).await;
    let (_, mut loops) = tab(&hands);
    for _ in 0..5 {
        turn(&hands, &mut loops).await;
        hands.pass(10);
    }
    for (slept, asked) in [(9, false), (3_600, true), (-86_400, true), (61, true)] {
        turn(&hands, &mut loops).await;
        hands.server.seen();
        hands.pass(slept);
        turn(&hands, &mut loops).await;
        let routes = hands.server.routes();
        let all = ["GET /account", "GET /triggers/new-message", "GET /conversations"];
        assert_eq!(all.iter().all(|text| routes.iter().any(|at| at == text)), asked, "{slept}: {routes:?}");
    }
}

#[tokio::test]
async fn once_a_day_what_is_short_of_messages_is_read_whole() {
    // Page one has the newest; m3 was committed late among older ones.
    let late = Arc::new(AtomicU64::new(0));
    let is_late = late.clone();
    let hands = Hands::on(move |request| {
        let late = is_late.load(Ordering::SeqCst) > 0;
        let all: Vec<Value> = (0..60)
            .rev()
            .filter(|number| late || *number != 3)
            .map(|number| message(&format!("m{number:02}"), "c1", "inbound", number))
            .collect();
        match request.route().as_str() {
            "GET /conversations" => Answer::ok(page(&[conversation("c1", all.len() as u64, 59)], None)),
            "GET /conversations/c1" => {
                let mut read = detail("c1", true);
                read["messageCount"] = json!(all.len());
                read["lastMessageAt"] = json!(crate::hands::time(59));
                Answer::ok(read)
            }
            "GET /conversations/c1/messages" => match request.cursor() {
                None => Answer::ok(page(&all[..50], Some("older"))),
                Some(_) => Answer::ok(page(&all[50..], None)),
            },
            _ => quiet(request),
        }
    })
    .await;
    let (tab, mut loops) = tab(&hands);
    let to = ConversationId::from("c1");
    tab.focus(true, Some(to.clone()));
    turn(&hands, &mut loops).await;
    tab.fetch_older(to);
    turn(&hands, &mut loops).await;
    assert_eq!(hands.messages("c1").len(), 59, "read to its start");
    late.store(1, Ordering::SeqCst);
    for _ in 0..20 {
        hands.pass(10);
        turn(&hands, &mut loops).await;
    }
    assert_eq!(hands.messages("c1").len(), 59, "the newest page does not show it");
    hands.pass(86_400);
    for _ in 0..3 {
        turn(&hands, &mut loops).await;
        hands.pass(10);
    }
    assert_eq!(hands.messages("c1").len(), 60);
}

#[tokio::test]
async fn the_open_conversation_is_read_while_another_has_no_answer() {
    let (asked, is_asked) = (Arc::new(Notify::new()), Arc::new(AtomicBool::new(false)));
    let (background, was_asked) = (asked.clone(), is_asked.clone());
    let hands = Hands::on(move |request| match request.route().as_str() {
        "GET /conversations" => Answer::ok(page(&[conversation("c2", 0, 0)], None)),
        "GET /conversations/c2" => {
            was_asked.store(true, Ordering::SeqCst);
            background.notify_one();
            Answer::Stall(Vec::new())
        }
        _ => chat(request),
    })
    .await;
    let (tab, [mut poll, mut open, ..]) = tab(&hands);
    tab.focus(true, Some(ConversationId::from("c1")));
    let now = hands.clock.now();
    // Ends when the step that sends the request is given up.
    let mut hanging = std::pin::pin!(async {
        while !is_asked.load(Ordering::SeqCst) {
            poll.step(now).await;
        }
    });
    tokio::select! {
        biased;
        () = &mut hanging => panic!("it has no answer"),
        () = asked.notified() => {}
    }
    let reading = async { while open.step(now).await == 0 {} };
    tokio::select! {
        biased;
        () = &mut hanging => panic!("the open one waited for the other"),
        () = reading => {}
    }
    assert!(hands.server.routes().contains(&"GET /conversations/c1".to_owned()), "it is read alone");
}

#[tokio::test]
async fn tabs_with_one_key_share_one_budget() {
    let hands = Hands::on(chat).await;
    let spec = hands.channel.spec();
    let one = Client::new(&spec.base_url, &spec.key, hands.clock.clone()).expect("a client");
    let other = one.for_other_tab();
    for _ in 0..12 {
        one.account().await.expect("answered");
    }
    assert_eq!(other.account().await, Err(ReadError::Paced(SECOND)));
    assert!(other.for_person().account().await.is_ok(), "a person need not wait");
    hands.pass(1);
    assert!(other.account().await.is_ok());
}

#[tokio::test]
async fn a_broadcast_is_watched_until_it_is_finished_also_over_a_restart() {
    let done = Arc::new(AtomicU64::new(0));
    let is_done = done.clone();
    let hands = Hands::on(move |request| match request.route().as_str() {
        "POST /broadcast" => Answer::status(
            202,
            json!({"broadcastId": "b1", "totalRecipients": 12, "creditsUsed": 12, "status": "sending"}),
        ),
        "GET /broadcast/b1" => {
            let done = is_done.load(Ordering::SeqCst) > 0;
            Answer::ok(json!({
                "id": "b1", "message": "Harbor opens", "totalRecipients": 12,
                "status": if done { "completed" } else { "sending" }, "createdAt": crate::hands::time(0),
                "completedAt": done.then(|| crate::hands::time(90)),
                "delivered": if done { 11 } else { 2 }, "failed": i32::from(done), "pending": 0
            }))
        }
        _ => chat(request),
    })
    .await;
    let looks = |hands: &Hands| {
        let routes = hands.server.routes();
        routes.iter().filter(|route| *route == "GET /broadcast/b1").count()
    };
    let (first, mut loops) = tab(&hands);
    first.focus(true, None);
    turn(&hands, &mut loops).await;
    let operation = Operation::Broadcast {
        to: Audience::Everyone,
        content: BroadcastContent::Text("Harbor opens".into()),
    };
    let request = prepare(&Platform::Whatsapp, &Lane::Broadcasts, &operation).expect("can be sent");
    let lane = Lane::Broadcasts;
    let row = NewRow {
        channel: crate::hands::id(),
        lane,
        operation,
        request,
        hold_micros: 0,
        seen: None,
        planned_at: None,
    };
    hands.store.enqueue(row, hands.clock.now()).expect("queued");
    let mut seconds = Vec::new();
    for second in 0..120 {
        turn(&hands, &mut loops).await;
        seconds.extend(std::iter::repeat_n(second, looks(&hands)));
        hands.pass(1);
    }
    let waits: Vec<i64> = seconds.windows(2).map(|window| window[1] - window[0]).collect();
    let planned = |looks: usize, wait: i64| std::iter::repeat_n(wait, looks);
    let wanted: Vec<i64> = planned(4, 2).chain(planned(10, 5)).chain(planned(3, 15)).collect();
    assert_eq!(waits[..17], wanted, "every few seconds, then less often");
    drop((first, loops));
    let (_, mut second) = tab(&hands);
    done.store(1, Ordering::SeqCst);
    turn(&hands, &mut second).await;
    assert_eq!(looks(&hands), 1, "another desk goes on");
    let said = hands.news().into_iter().find_map(|news| match news {
        News::Alarm(_, words) => Some(words.to_string()),
        _ => None,
    });
    assert_eq!(said.as_deref(), Some("broadcast to 12: 11 delivered, 1 failed"));
    let kept = hands.store.reader().expect("a reader").broadcasts(&crate::hands::id()).expect("read");
    assert!(kept.len() == 1 && kept[0].is_finished(), "{kept:?}");
    for mut desk in [second, tab(&hands).1] {
        hands.pass(100);
        turn(&hands, &mut desk).await;
        assert_eq!(looks(&hands), 0, "it is finished");
    }
}
