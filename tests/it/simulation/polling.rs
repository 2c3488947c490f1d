//! The corpus of hostile polling, one test per case.

use std::collections::BTreeSet;

use frontdesk::model::conversations::Automation;
use frontdesk::model::ids::ConversationId;
use frontdesk::model::messages::{DeliveryStatus, Message};
use frontdesk::model::outbox::{Operation, RowState};
use frontdesk::model::stop_reasons::{StopReason, StopVerdict};
use frontdesk::model::time::{Clock, HOUR, MINUTE, SECOND};
use frontdesk::service::AssistantChoice;
use serde_json::Value;

use crate::simulation::crowd::{Crowd, Setting, text};
use crate::simulation::human::stopped_rows;
use crate::simulation::line::{Fault, Seen};
use crate::simulation::town::{Happening, phone};

/// Each case of the corpus with a test.
const HELD: [&str; 11] = [
    "burst-51",
    "burst-5000",
    "late-commit",
    "deleted-while-paging",
    "offline-8h",
    "429-storm",
    "dup-delivery-webhook-and-poll",
    "status-regress",
    "ai-replies-while-typing",
    "takeover-ambiguous",
    "two-machines-one-key",
];

#[test]
fn every_line_of_the_corpus_has_a_test() {
    let text = include_str!("../../hostile.jsonl");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let names: Vec<String> = lines
        .filter(|line| line["group"] == "polling")
        .map(|line| line["name"].as_str().expect("a name").to_owned())
        .collect();
    assert_eq!(names, HELD);
    let here = include_str!("polling.rs");
    for name in HELD {
        let function = format!("async fn {}()", function_of(name));
        assert!(here.contains(&function), "{function}");
    }
}

/// Name of the test for a case.
fn function_of(name: &str) -> String {
    let name = name.replace('-', "_");
    if name.starts_with(|name: char| name.is_ascii_digit()) { format!("storm_of_{name}") } else { name }
}

fn all(crowd: &Crowd, desk: usize) -> Vec<Message> {
    let rows = crowd.list(desk);
    rows.iter().flat_map(|row| crowd.messages(desk, &row.conversation.id)).collect()
}

/// Checks that every inbound message is stored once, notified, and in the server's order.
async fn complete(crowd: &Crowd, desk: usize, count: usize) {
    let held = all(crowd, desk);
    let inbound: Vec<_> =
        held.iter().filter(|message| message.content.as_str().starts_with("Question")).collect();
    let ids: BTreeSet<_> = inbound.iter().map(|message| message.id.as_str()).collect();
    assert_eq!((inbound.len(), ids.len()), (count, count), "each once");
    rang(crowd, desk, &ids);
    let town = crowd.town.lock().await;
    let mut statement = town
        .sql()
        .prepare("SELECT id FROM messages WHERE conversation = ?1 ORDER BY created_at, id")
        .expect("prepared");
    for row in crowd.list(desk) {
        let id = &row.conversation.id;
        let served = statement.query_map([id.as_str()], |row| row.get::<_, String>(0)).expect("rows");
        let served: Vec<_> = served.map(|result| result.expect("an id")).collect();
        let held: Vec<_> =
            crowd.messages(desk, id).into_iter().map(|message| message.id.to_string()).collect();
        assert_eq!(held, served, "in order");
    }
}

/// Checks that each message notified and none twice.
fn rang(crowd: &Crowd, desk: usize, ids: &BTreeSet<&str>) {
    let notices = crowd.desks[desk].notices.lock().expect("no one failed");
    assert!(notices.doubled.is_empty(), "{:?}", notices.doubled);
    assert!(ids.iter().all(|text| notices.has(text)), "each rang");
}

fn request_count(seen: &[Seen], prefix: &str) -> usize {
    seen.iter().filter(|seen| seen.path.starts_with(prefix)).count()
}

/// Maximum number of requests within any span.
fn busiest(seen: &[Seen], span: i64) -> usize {
    let mut most = 0;
    let mut first = 0;
    for (index, request) in seen.iter().enumerate() {
        while request.at - seen[first].at >= span {
            first += 1;
        }
        most = most.max(index + 1 - first);
    }
    most
}

#[tokio::test]
async fn burst_51() {
    let mut crowd = Crowd::gather(Setting::one()).await;
    crowd.town(async |crowd| drop(crowd.customers_write((0..60).collect()).await)).await;
    crowd.pass(2 * MINUTE).await;
    crowd.desks[0].line.seen();
    crowd.town(async |crowd| drop(crowd.customers_write((0..51).collect()).await)).await;
    crowd.pass(15 * SECOND).await;
    let seen = crowd.desks[0].line.seen();
    assert!(request_count(&seen, "/messages?") > 0, "the gap is found and closed: {seen:#?}");
    complete(&crowd, 0, 60 + 51).await;
}

#[tokio::test]
async fn burst_5000() {
    let mut crowd = Crowd::gather(Setting::one()).await;
    crowd.town(async |crowd| drop(crowd.customers_write(vec![0]).await)).await;
    crowd.pass(MINUTE).await;
    let from = crowd.now() + SECOND;
    let parts =
        (0..20).map(|part| (from + part * SECOND / 5, Happening::Burst { count: 250, customers: 400 }));
    let parts = parts.collect();
    crowd.town(async |crowd| crowd.plan(parts)).await;
    crowd.pass(20 * MINUTE).await;
    complete(&crowd, 0, 5001).await;
    let seen = crowd.desks[0].line.seen();
    assert!(busiest(&seen, MINUTE) <= 300 && busiest(&seen, SECOND) <= 20, "within the budget");
}

#[tokio::test]
async fn late_commit() {
    let mut crowd = Crowd::gather(Setting::one()).await;
    crowd.town(async |crowd| drop(crowd.customers_write((0..5).collect()).await)).await;
    crowd.pass(MINUTE).await;
    crowd.town(async |crowd| drop(crowd.customers_write(vec![0, 1, 2]).await)).await;
    crowd.pass(MINUTE).await;
    // Written before those three, committed only now.
    let late = crowd.town(async |crowd| crowd.customers_write(vec![0]).await.remove(0)).await;
    crowd.town(async |crowd| crowd.backdate(&late, 90 * SECOND).await).await;
    crowd.pass(MINUTE).await;
    complete(&crowd, 0, 9).await;
    let here = crowd.with(0, &phone(0)).expect("listed").conversation.id;
    let messages = crowd.messages(0, &here);
    assert_eq!(messages[1].id.as_str(), late, "it stands where it belongs");
}

#[tokio::test]
async fn deleted_while_paging() {
    let mut crowd = Crowd::gather(Setting { polling: (3, 60), ..Setting::one() }).await;
    let now = crowd.now();
    crowd.desks[0].end();
    crowd.town(async |crowd| drop(crowd.customers_write((0..170).collect()).await)).await;
    crowd.pass(40 * MINUTE).await;
    // All conversations have moved: reading the list takes several pages, with deletions between.
    crowd.town(async |crowd| drop(crowd.customers_write((0..170).collect()).await)).await;
    let from = crowd.now();
    let plan = (0..60)
        .map(|number| (from + number * SECOND / 20, Happening::Deletion { customer: number as usize * 2 }));
    let plan = plan.collect();
    crowd.town(async |crowd| crowd.plan(plan)).await;
    crowd.desks[0].start(now.max(from));
    crowd.pass(30 * MINUTE).await;
    let gone = crowd.town(async |crowd| crowd.deleted.clone()).await;
    assert_eq!(gone.len(), 60);
    // A person who opens one of them finds it gone.
    for id in &gone {
        let now = crowd.now();
        crowd.desks[0].focus(Some(Some(ConversationId::new(id.as_str()))), now);
        crowd.pass(8 * SECOND).await;
    }
    let left: Vec<_> = crowd
        .list(0)
        .into_iter()
        .map(|conversation_row| conversation_row.conversation.id.to_string())
        .collect();
    assert!(left.iter().all(|text| !gone.contains(text)), "removed, and not there again");
    assert_eq!(left.len(), 110, "the others stay");
}

#[tokio::test]
async fn offline_8h() {
    let mut crowd = Crowd::gather(Setting::one()).await;
    crowd.town(async |crowd| drop(crowd.customers_write((0..40).collect()).await)).await;
    crowd.pass(2 * MINUTE).await;
    crowd.desks[0].line.dead(true);
    let from = crowd.now();
    let plan = (0..2_960).map(|number| {
        (from + number * 8 * HOUR / 2_960, Happening::Writes { customer: (number * 7 % 40) as usize })
    });
    let plan = plan.collect();
    crowd.town(async |crowd| crowd.plan(plan)).await;
    crowd.pass(8 * HOUR).await;
    crowd.desks[0].line.seen();
    crowd.desks[0].line.dead(false);
    crowd.pass(15 * MINUTE).await;
    complete(&crowd, 0, 3000).await;
    let seen = crowd.desks[0].line.seen();
    assert!(busiest(&seen, MINUTE) <= 300 && busiest(&seen, SECOND) <= 20, "within the budget");
}

#[tokio::test]
async fn storm_of_429_storm() {
    let mut crowd = Crowd::gather(Setting::one()).await;
    let now = crowd.now();
    crowd.desks[0].focus(Some(None), now);
    crowd.pass(MINUTE).await;
    crowd.desks[0].line.script((0..400).map(|number| (number % 2 == 0).then_some(Fault::TooMany)));
    let from = crowd.now();
    let plan = (0..300)
        .map(|number| (from + number * 6 * SECOND, Happening::Writes { customer: number as usize % 30 }));
    let plan = plan.collect();
    crowd.town(async |crowd| crowd.plan(plan)).await;
    crowd.desks[0].line.seen();
    crowd.pass(90 * MINUTE).await;
    complete(&crowd, 0, 300).await;
    let seen = crowd.desks[0].line.seen();
    let refused = seen.iter().filter(|seen| seen.status == Some(429)).count();
    assert!(refused >= 150, "{refused} were refused");
    assert!(busiest(&seen, MINUTE) <= 300 && busiest(&seen, SECOND) <= 20, "within the budget");
}

/// Trigger, history and another process bring the same message in any order.
#[tokio::test]
async fn dup_delivery_webhook_and_poll() {
    let mut crowd = Crowd::gather(Setting { desks: 2, shared: true, ..Setting::one() }).await;
    crowd.town(async |crowd| drop(crowd.customers_write(vec![0]).await)).await;
    crowd.pass(MINUTE).await;
    let here = crowd.with(0, &phone(0)).expect("listed").conversation.id;
    for round in 0..6 {
        crowd.town(async |crowd| drop(crowd.customers_write(vec![0]).await)).await;
        let (first, second) = (round % 2, (round + 1) % 2);
        let (told, read) = if round < 3 { (first, second) } else { (second, first) };
        if round >= 3 {
            crowd.desks[read].tab().channel().pull_history(&here).await;
        }
        let (channel, steps) = crowd.desks[told].by_hand();
        channel.pull_trigger(&mut steps.trigger).await;
        if round < 3 {
            crowd.desks[read].tab().channel().pull_history(&here).await;
        }
        crowd.pass(20 * SECOND).await;
    }
    complete(&crowd, 0, 7).await;
    complete(&crowd, 1, 7).await;
    let rings = crowd.desks[0].notices.lock().expect("no one failed").count;
    assert_eq!(rings, 7, "one notice for each");
}

#[tokio::test]
async fn status_regress() {
    let mut crowd = Crowd::gather(Setting::one()).await;
    crowd.town(async |crowd| drop(crowd.customers_write(vec![0]).await)).await;
    crowd.pass(MINUTE).await;
    let here = crowd.with(0, &phone(0)).expect("listed").conversation.id;
    let seen = crowd.newest(0, &here);
    crowd.queue(0, &here, seen, vec![text(&phone(0), "Hello")]);
    crowd.desks[0].line.keep_everything();
    // Read until the replayed answer says only `sent`.
    crowd.pass(SECOND).await;
    crowd.desks[0].tab().channel().pull_history(&here).await;
    let status = |crowd: &Crowd| crowd.messages(0, &here).pop().expect("sent").delivery;
    assert_eq!(status(&crowd), DeliveryStatus::Sent);
    crowd.pass_in_town(MINUTE).await;
    crowd.desks[0].line.keep_nothing_more();
    crowd.desks[0].tab().channel().pull_history(&here).await;
    assert_eq!(status(&crowd), DeliveryStatus::Read);
    crowd.desks[0].line.seen();
    crowd.desks[0].line.script([Some(Fault::Stale)]);
    crowd.desks[0].tab().channel().pull_history(&here).await;
    assert!(crowd.desks[0].line.seen()[0].was_kept, "the old page came");
    assert_eq!(status(&crowd), DeliveryStatus::Read, "it stays read");
}

#[tokio::test]
async fn ai_replies_while_typing() {
    let mut crowd = Crowd::gather(Setting { assistant: AssistantChoice::Scripted, ..Setting::one() }).await;
    crowd.town(async |crowd| drop(crowd.customers_write(vec![0]).await)).await;
    crowd.pass(MINUTE).await;
    let here = crowd.with(0, &phone(0)).expect("listed").conversation.id;
    let on_screen = crowd.newest(0, &here);
    // The composer is open; the customer keeps writing and the AI answers.
    crowd.town(async |crowd| drop(crowd.customers_write(vec![0]).await)).await;
    crowd.pass_in_town(10 * SECOND).await;
    let pause = Operation::SetAutomation { enabled: false };
    crowd.queue(0, &here, on_screen, vec![pause, text(&phone(0), "As I was saying")]);
    crowd.pass(MINUTE).await;
    assert!(crowd.arrived().await.iter().all(|(_, text)| text != "As I was saying"), "it waits");
    let asking = stopped_rows(&crowd.desks[0]).await;
    assert_eq!(asking.len(), 1);
    assert!(matches!(asking[0].state, RowState::Stopped(StopReason::ReplyConflict, _)), "{asking:?}");
    let now = crowd.newest(0, &here);
    let desk = &crowd.desks[0];
    let said = desk.store().decide(&asking[0].id, StopVerdict::SendAnyway, now, desk.clock.now());
    assert!(said.expect("decided").is_some());
    let time = crowd.now();
    crowd.desks[0].wake_outbox(time);
    crowd.pass(MINUTE).await;
    let arrived = crowd.arrived().await;
    assert_eq!(arrived.iter().filter(|(_, text)| text == "As I was saying").count(), 1);
}

#[tokio::test]
async fn takeover_ambiguous() {
    let mut crowd = Crowd::gather(Setting::one()).await;
    crowd.town(async |crowd| drop(crowd.customers_write(vec![0]).await)).await;
    crowd.pass(MINUTE).await;
    let here = crowd.with(0, &phone(0)).expect("listed").conversation.id;
    let automation = |crowd: &Crowd| crowd.with(0, &phone(0)).expect("listed").conversation.automation;
    assert_eq!(automation(&crowd), Automation::On);
    for fault in [Fault::TimedOut, Fault::CutBefore] {
        let seen = crowd.newest(0, &here);
        crowd.desks[0].line.seen();
        let pause = Operation::SetAutomation { enabled: false };
        let words = format!("After {fault:?}");
        crowd.desks[0].line.script([Some(fault)]);
        let rows = crowd.queue(0, &here, seen, vec![pause, text(&phone(0), &words)]);
        let time = crowd.desks[0].clock.now();
        let (channel, steps) = crowd.desks[0].by_hand();
        channel.push_once(&mut steps.push, time).await;
        let row = crowd.with(0, &phone(0)).expect("listed");
        assert_eq!((row.automation_pending, row.conversation.automation), (Some(false), Automation::On));
        crowd.pass(3 * MINUTE).await;
        let seen = crowd.desks[0].line.seen();
        let patches: Vec<_> = seen.iter().filter(|seen| seen.method == "PATCH").collect();
        assert!(patches.len() >= 2 && patches.iter().all(|patch| patch.key == patches[0].key), "{patches:?}");
        assert_eq!(patches[0].key.as_deref(), Some(rows[0].key.as_str()));
        assert_eq!(automation(&crowd), Automation::Off);
        assert_eq!(crowd.arrived().await.iter().filter(|(_, text)| *text == words).count(), 1);
        let seen = crowd.newest(0, &here);
        crowd.queue(0, &here, seen, vec![Operation::SetAutomation { enabled: true }]);
        crowd.pass(MINUTE).await;
    }
}

#[tokio::test]
async fn two_machines_one_key() {
    let mut crowd = Crowd::gather(Setting { desks: 2, polling: (1, 1), ..Setting::one() }).await;
    crowd.town(async |crowd| drop(crowd.customers_write((0..30).collect()).await)).await;
    crowd.pass(2 * MINUTE).await;
    let from = crowd.now();
    let plan = (0..400)
        .map(|number| (from + number * 3 * SECOND, Happening::Writes { customer: number as usize % 30 }));
    let plan = plan.collect();
    crowd.town(async |crowd| crowd.plan(plan)).await;
    for (index, desk) in crowd.desks.iter_mut().enumerate() {
        desk.line.seen();
        let open = crowd.town.lock().await.conversation_of(&phone(index));
        desk.focus(Some(open.map(ConversationId::new)), from);
    }
    crowd.pass(20 * MINUTE).await;
    let seen: Vec<_> = crowd.desks.iter().map(|desk| desk.line.seen()).collect();
    let mut both: Vec<_> = seen.iter().flatten().cloned().collect();
    both.sort_by_key(|seen| seen.at);
    assert!(busiest(&both, SECOND) <= 40, "each keeps its own burst");
    let refused = both.iter().filter(|seen| seen.status == Some(429)).count();
    assert!(refused * 100 < both.len(), "{refused} of {} were refused", both.len());
    for (index, seen) in seen.iter().enumerate() {
        assert!(
            seen.len() * 3 > both.len(),
            "machine {index} is not starved: {} of {}",
            seen.len(),
            both.len()
        );
    }
    crowd.pass(5 * MINUTE).await;
    complete(&crowd, 0, 430).await;
    complete(&crowd, 1, 430).await;
}
