//! Cost of user actions in steps of SQLite's virtual machine, which are the same on every computer.
//! The cost must not depend on the length of the list nor exceed the table.

use std::sync::atomic::Ordering;

use crate::tests::{add, at, channel, conversation, count_steps, list, message};
use crate::{Reader, Store};
use model::attention::AttentionQuery;
use model::conversations::Escalation;
use model::filter::{Sort, parse};
use model::messages::Direction::{Inbound, Outbound};
use model::queries::{Anchor, ConversationKey, ConversationQuery, HistoryQuery};
use model::service_levels::LevelsQuery;
use model::targets::ResponseTargets;
use model::text::SafeText;
use model::time::{SECOND, Zone};

/// Conversations of the shorter list; half of them need a person, which is more than a list counts.
const FEW: i64 = 2_400;
const MANY: i64 = 4 * FEW;
const MESSAGES: i64 = 300;
/// Conversations with messages during the absence; half of them need a person.
const HAPPENED: i64 = 40;
const ROWS: u32 = 40;

/// User actions with their maximum number of steps.
const GESTURES: [(Gesture, u64); 15] = [
    (Gesture::First("section:any", Sort::Queue, true), 46_388),
    (Gesture::First("section:any", Sort::Queue, false), 45_334),
    (Gesture::Around("section:any", Sort::Queue), 47_395),
    (Gesture::First("is:needed -is:snoozed", Sort::Urgency, true), 37_602),
    (Gesture::First("is:needed -is:snoozed", Sort::Urgency, false), 36_557),
    (Gesture::First("status:open -is:snoozed -is:broadcast", Sort::Activity, true), 44_165),
    (Gesture::Around("is:needed -is:snoozed", Sort::Urgency), 38_503),
    (Gesture::Around("status:open", Sort::Activity), 28_215),
    (Gesture::Last("status:open", Sort::Activity), 27_471),
    (Gesture::History(100), 5_205),
    (Gesture::History(200), 9_805),
    (Gesture::Draft, 11),
    (Gesture::Levels, 1_145),
    (Gesture::NeedsYou, 56_434),
    (Gesture::Alarms, 2_000),
];

#[derive(Debug, Clone, Copy)]
enum Gesture {
    /// First rows of a view, of one tab or of all.
    First(&'static str, Sort, bool),
    Around(&'static str, Sort),
    Last(&'static str, Sort),
    History(u32),
    Draft,
    Levels,
    /// Page "Needs you" after an absence.
    NeedsYou,
    Alarms,
}

fn id(number: i64) -> String {
    format!("c{number:06}")
}

async fn desk(conversations: i64) -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let one = |number: i64| {
        let mut one = conversation(&id(number), number);
        if number % 2 == 0 {
            one.escalation = Escalation::Requested(SafeText::line("asks for a person"));
        }
        one
    };
    list(&store, (0..conversations).map(one).collect()).await;
    let said = |number: i64| {
        let direction = if number % 2 == 0 { Inbound } else { Outbound };
        message(&id(conversations / 2), &format!("m{number:04}"), number, direction)
    };
    add(&store, (0..MESSAGES).map(said).collect()).await;
    for seconds in [conversations - HAPPENED - 1, 2 * MANY] {
        store.record_presence(at(seconds), SECOND).unwrap();
    }
    (folder, store)
}

fn attention(conversations: i64) -> AttentionQuery {
    let targets = ResponseTargets { first_response: SECOND, waiting: SECOND };
    let targets = vec![(channel(), targets)];
    AttentionQuery { channels: vec![channel()], now: at(conversations), lease: SECOND, targets }
}

fn perform(reader: &Reader, gesture: Gesture, conversations: i64) {
    let middle = || id(conversations / 2);
    let window = |line: &str, sort: Sort, anchor: Anchor| ConversationQuery {
        sort,
        anchor,
        ..ConversationQuery::first(channel(), parse(line).filter, ROWS)
    };
    let list = |query: &ConversationQuery| {
        let page = reader.conversations(query).unwrap();
        assert_eq!(page.rows.len(), ROWS as usize, "{gesture:?}");
    };
    let around =
        || Anchor::Around(ConversationKey { channel: channel(), conversation: middle().as_str().into() });
    match gesture {
        Gesture::First(line, sort, one_tab) => {
            let query = window(line, sort, Anchor::Top);
            list(&ConversationQuery { channel: query.channel.clone().filter(|_| one_tab), ..query });
        }
        Gesture::Around(line, sort) => list(&window(line, sort, around())),
        Gesture::Last(line, sort) => list(&window(line, sort, Anchor::Bottom)),
        Gesture::History(limit) => {
            let query = HistoryQuery { channel: channel(), conversation: middle().as_str().into(), limit };
            assert_eq!(reader.history(&query).unwrap().messages.len(), limit as usize);
        }
        Gesture::Levels => {
            let channels = vec![channel()];
            let since = at(conversations - HAPPENED);
            let query =
                LevelsQuery { channels, since, until: at(2 * MANY), now: at(2 * MANY), targets: Vec::new() };
            assert_eq!(reader.service_levels(&query, &Zone::UTC).unwrap().all.cases, 0);
        }
        Gesture::NeedsYou => {
            let page = reader.needs_you(&attention(conversations)).unwrap();
            assert!(page.more && page.has_events, "{}", page.entries.len());
            // Most events are those of entries above them.
            assert_eq!(page.entries.len(), 101);
        }
        Gesture::Alarms => assert!(reader.alarms(&attention(conversations), at(0)).is_ok()),
        Gesture::Draft => assert_eq!(reader.draft(&channel(), &middle().as_str().into()).unwrap(), None),
    }
}

async fn steps(conversations: i64) -> Vec<u64> {
    let (_folder, store) = desk(conversations).await;
    let mut reader = store.reader().unwrap();
    let counted = count_steps(&mut reader.connection);
    let taken = |gesture: &(Gesture, u64)| {
        // Runs once before counting, so that preparing statements is not counted.
        perform(&reader, gesture.0, conversations);
        counted.store(0, Ordering::Relaxed);
        perform(&reader, gesture.0, conversations);
        counted.load(Ordering::Relaxed)
    };
    GESTURES.iter().map(taken).collect()
}

#[tokio::test]
async fn a_gesture_takes_no_more_steps_on_a_longer_list_nor_than_it_did() {
    let (few, many) = (steps(FEW).await, steps(MANY).await);
    let mut wrong = Vec::new();
    for ((gesture, most), (few, many)) in GESTURES.iter().zip(few.into_iter().zip(many)) {
        assert_eq!(few, many, "{gesture:?}: of {FEW} and of {MANY} conversations");
        if few > *most {
            wrong.push(format!("{gesture:?} takes {few} steps, not {most}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
