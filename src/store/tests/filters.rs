//! Filters and sort orders: their results, and that they walk only an index.

use crate::reader::conversations;
use crate::tests::{add, at, channel, conversation, list, message};
use crate::{Reader, Store};
use model::conversations::{Automation, Conversation, ConversationStatus, Escalation, ServiceWindow};
use model::filter::{ConversationFilter, Sort, parse};
use model::ids::ChannelId;
use model::messages::{DeliveryStatus, Direction::Inbound, Direction::Outbound};
use model::queries::{Anchor, ConversationKey, ConversationPage, ConversationQuery, Draft};
use model::text::SafeText;
use sqlite::Queries;

/// Time of the queries, in seconds.
const NOW: i64 = 100_000;

fn one(id: &str, name: &str, address: &str, change: impl FnOnce(&mut Conversation)) -> Conversation {
    let mut row = conversation(id, 10);
    row.name = SafeText::optional_line(Some(name));
    row.address = Some(address.to_owned());
    row.preview = SafeText::line("nothing special");
    change(&mut row);
    row
}

fn query(filter: ConversationFilter, sort: Sort) -> ConversationQuery {
    ConversationQuery { sort, at: at(NOW), ..ConversationQuery::first(channel(), filter, 50) }
}

fn ids(page: &ConversationPage) -> Vec<&str> {
    page.rows.iter().map(|row| row.conversation.id.as_str()).collect()
}

/// Stores six conversations; each filter matches some of them.
async fn world(store: &Store) {
    let page = vec![
        one("maria", "Maria López", "+34600111222", |conversation| {
            conversation.automation = Automation::Off;
            conversation.preview = SafeText::line("Where is order 1041?");
            conversation.raw = r#"{"tags":["VIP","harbor"]}"#.into();
        }),
        one("joao", "João Pereira", "+351910000111", |conversation| {
            conversation.automation = Automation::On;
            conversation.last_message_at = Some(at(30));
            conversation.preview = SafeText::line("order my refund, 1041 times");
        }),
        one("ken", "田中健", "+447700900123", |conversation| {
            conversation.last_message_at = Some(at(20));
            conversation.preview = SafeText::line("注文はどこですか");
            conversation.escalation = Escalation::Requested(SafeText::line("asks for a person"));
        }),
        one("old", "Ana", "+34600999888", |conversation| {
            conversation.status = ConversationStatus::Closed;
            conversation.raw = "not json but \"tags\"".into();
        }),
        one("shut", "Zoë", "447700900999", |conversation| conversation.window = ServiceWindow::Closed),
        one("none", "", "", |conversation| {
            conversation.address = None;
            conversation.last_message_at = None;
        }),
    ];
    list(store, page).await;
    let inbound = |id: &str, seconds| message(id, &format!("{id} {seconds}"), seconds, Inbound);
    let mut media = inbound("joao", NOW - 22 * 3600 - 1800);
    media.media_url = Some(SafeText::line("https://x.example/a.jpg"));
    let mut failed = message("shut", "f", 60, Outbound);
    failed.delivery = DeliveryStatus::Failed;
    add(store, vec![media, failed, inbound("maria", NOW - 3600), inbound("ken", NOW - 90_000)]).await;
    let draft = Draft { text: "half".into(), ..Draft::default() };
    store.save_draft(&channel(), &"shut".into(), Some(draft)).unwrap();
}

#[tokio::test]
async fn each_word_finds_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    world(&store).await;
    let reader = store.reader().unwrap();
    let cases: &[(&str, &[&str])] = &[
        ("status:closed", &["old"]),
        ("-status:closed ai:off", &["maria"]),
        ("ai:unknown status:open is:failing has:draft", &["shut"]),
        ("window:closed", &["shut"]),
        ("window:<2h", &["joao"]),
        ("window:>2h", &["maria"]),
        ("from:+34", &["maria", "old"]),
        ("from:34600", &["maria", "old"]),
        ("from:+44", &["ken"]),
        ("from:447700", &["ken", "shut"]),
        ("from:lopez", &["maria"]),
        ("from:order", &[]),
        ("tag:vip", &["maria"]),
        ("-tag:vip from:+3", &["joao", "old"]),
        ("has:media", &["joao"]),
        ("has:file", &["joao"]),
        ("after:today -status:closed", &["maria"]),
        ("before:yesterday from:+44", &[]),
        ("after:2023-11-15 before:2023-11-16 from:+44", &["ken"]),
        ("subject:order", &[]),
        ("to:order", &[]),
        ("has:failed", &["shut"]),
        ("is:unseen from:ma", &["maria"]),
        ("is:waiting from:jo", &["joao"]),
        ("is:failing", &["shut", "ken"]),
        ("is:snoozed", &[]),
        ("-is:claimed status:closed", &["old"]),
        ("is:paused", &[]),
        ("joao", &["joao"]),
        ("zoe", &["shut"]),
        ("田中", &["ken"]),
        ("中健田", &[]),
        ("+3516", &[]),
        ("910000", &[]),
        ("351910000111", &["joao"]),
        ("\"nothing spe", &["old", "none"]),
        ("\"special nothing", &[]),
        ("-nothing status:closed", &[]),
    ];
    for (line, wanted) in cases {
        let parsed = parse(line);
        assert_eq!(parsed.mistakes, vec![], "{line}");
        let page = reader.conversations(&query(parsed.filter, Sort::Activity)).unwrap();
        let (mut found, mut wanted) = (ids(&page), wanted.to_vec());
        found.sort_unstable();
        wanted.sort_unstable();
        assert_eq!((&found, page.total), (&wanted, Some(wanted.len() as u64)), "{line}");
    }
}

#[tokio::test]
async fn orders_are_stable_and_windows_join() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    world(&store).await;
    let reader = store.reader().unwrap();
    let orders: &[(Sort, &[&str])] = &[
        (Sort::Waiting, &["ken", "joao", "maria"]),
        (Sort::Window, &["joao", "maria"]),
        (Sort::Name, &["old", "joao", "maria", "shut", "ken", "none"]),
    ];
    for (sort, wanted) in orders {
        let whole = reader.conversations(&query(ConversationFilter::all(), *sort)).unwrap();
        let all = ids(&whole);
        assert_eq!(all.len(), 6, "{sort:?}");
        assert_eq!(&all[..wanted.len()], *wanted, "{sort:?}");
        // Windows of two around each row return the same rows.
        for (index, row) in whole.rows.iter().enumerate() {
            let anchor = Anchor::Around(row.key());
            let page = reader.conversations(&ConversationQuery {
                anchor,
                limit: 2,
                ..query(ConversationFilter::all(), *sort)
            });
            let page = page.unwrap();
            assert!(
                all.windows(2).any(|window| window == ids(&page)) && ids(&page).contains(&all[index]),
                "{sort:?}"
            );
        }
        let anchor = Anchor::Bottom;
        let page = reader.conversations(&ConversationQuery {
            anchor,
            limit: 2,
            ..query(ConversationFilter::all(), *sort)
        });
        assert_eq!(ids(&page.unwrap()), all[4..], "{sort:?}");
    }
}

#[tokio::test]
async fn all_tabs_make_one_list_though_their_ids_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let other = ChannelId::from("bot");
    list(&store, vec![conversation("a", 3), conversation("b", 1)]).await;
    let snapshot = store.snapshot();
    let page = vec![conversation("a", 2), conversation("b", 1)];
    store.apply_conversations(&other, page, snapshot, true, Vec::new()).await.unwrap();
    let reader = store.reader().unwrap();
    let everywhere = |anchor, limit| ConversationQuery {
        channel: None,
        anchor,
        limit,
        ..ConversationQuery::first(channel(), ConversationFilter::open(), 0)
    };
    let keys = |reader: &Reader, anchor, limit| -> Vec<String> {
        let rows = reader.conversations(&everywhere(anchor, limit)).unwrap().rows;
        rows.iter().map(|row| format!("{}/{}", row.channel, row.conversation.id)).collect()
    };
    assert_eq!(keys(&reader, Anchor::Top, 9), ["harbor/a", "bot/a", "harbor/b", "bot/b"]);
    let key = ConversationKey { channel: other, conversation: "b".into() };
    assert_eq!(keys(&reader, Anchor::Around(key), 2), ["harbor/b", "bot/b"]);
    assert_eq!(keys(&reader, Anchor::Bottom, 1), ["bot/b"]);
}

#[tokio::test]
async fn every_window_walks_one_index() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    world(&store).await;
    let reader = store.reader().unwrap();
    let plan = |query: &ConversationQuery| -> Vec<String> {
        let numbers = conversations::first_numbers(query);
        let sql = format!("EXPLAIN QUERY PLAN {}", numbers.sql);
        let values = rusqlite::params_from_iter(numbers.values);
        reader.connection.all(&sql, values, |row| row.get("detail")).unwrap()
    };
    let own = [
        ("", "conversation_all"),
        ("status:open", "conversation_by_state"),
        ("is:needed", "conversation_needs"),
    ];
    for (line, index) in own {
        let plan = plan(&query(parse(line).filter, Sort::Activity));
        assert!(plan.len() == 1 && plan[0].contains(index), "{line}: {plan:?}");
    }
    // The most urgent conversations are found without sorting all of them.
    for (channel, index) in [(true, "conversation_urgent "), (false, "conversation_urgent_anywhere")] {
        for line in ["is:needed", "is:needed -is:snoozed"] {
            let mut query = query(parse(line).filter, Sort::Urgency);
            query.channel = query.channel.filter(|_| channel);
            let plan = plan(&query);
            assert!(format!("{} ", plan[0]).contains(index), "{line}: {plan:?}");
            assert!(!plan.iter().any(|text| text.contains("TEMP B-TREE")), "{line}: {plan:?}");
        }
    }
    // The inbox walks its index, whatever narrows it.
    for (channel, index) in [(true, "conversation_queue "), (false, "conversation_queue_anywhere")] {
        for line in ["section:any", "section:needs", "section:any order is:unseen"] {
            let mut query = query(parse(line).filter, Sort::Queue);
            query.channel = query.channel.filter(|_| channel);
            let plan = plan(&query);
            assert!(format!("{} ", plan[0]).contains(index), "{line}: {plan:?}");
            assert!(!plan.iter().any(|text| text.contains("TEMP B-TREE")), "{line}: {plan:?}");
        }
    }
    // Snoozed conversations are read once, into a set.
    for (line, index) in [("status:open", "conversation_by_state"), ("is:needed", "conversation_needs")] {
        let plan = plan(&query(parse(&format!("{line} -is:snoozed")).filter, Sort::Activity));
        assert!(plan[0].contains(index) && plan[1].contains("LIST SUBQUERY"), "{line}: {plan:?}");
    }
    let lines = ["ai:off", "window:<2h status:open", "from:+34 is:unseen", "is:needed"];
    for line in lines {
        let everywhere = ConversationQuery { channel: None, ..query(parse(line).filter, Sort::Activity) };
        let plan = plan(&everywhere);
        assert_eq!(plan, ["SCAN c USING COVERING INDEX conversation_wide"], "{line}");
    }
    for sort in [Sort::Waiting, Sort::Window, Sort::Name] {
        let plan = plan(&query(parse("status:open order").filter, sort));
        assert!(plan[0].contains("COVERING INDEX conversation_wide"), "{sort:?}: {plan:?}");
    }
}
