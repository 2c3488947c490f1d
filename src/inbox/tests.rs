//! Decisions of the mind on their own: no store, no service, no screen.

use crate::screens::conversations::ConversationList;
use crate::screens::conversations::saved_views::SavedView;
use crate::screens::history::History;
use crate::screens::history::lines::TextWidths;
use model::conversations::{Automation, Conversation, ConversationRow, Escalation, ServiceWindow};
use model::ids::{ChannelId, ConversationId, MessageId};
use model::messages::{ContentChange, Message, MessageFileInfo, MessageRow};
use model::queries::{ConversationKey, ConversationPage, HistoryPage};
use model::text::SafeText;
use model::time::{ClockReading, MINUTE, Moment, Timestamp, Zone};

/// Rows of the list on screen.
const VISIBLE: usize = 5;

pub(crate) fn at(minutes: i64) -> Timestamp {
    Timestamp::from_micros(minutes * MINUTE)
}

fn moment(minutes: i64) -> Moment {
    Moment::from_micros(minutes * MINUTE)
}

fn key(id: &str) -> ConversationKey {
    ConversationKey { channel: ChannelId::from("chat"), conversation: ConversationId::from(id) }
}

pub(crate) fn row(id: &str, waits: bool) -> ConversationRow {
    let conversation = Conversation {
        address: Some("+34600111222".into()),
        name: SafeText::optional_line(Some(id)),
        message_count: 1,
        preview: SafeText::line("hello"),
        last_message_at: Some(at(0)),
        window: ServiceWindow::Open,
        automation: Automation::On,
        escalation: Escalation::None,
        ..Conversation::stand_in(ConversationId::from(id), true)
    };
    let bare = ConversationRow::without_facts(ChannelId::from("chat"), conversation);
    ConversationRow { waiting_since: waits.then(|| at(0)), ..bare }
}

fn page(ids: &[&str]) -> ConversationPage {
    let rows = ids.iter().map(|text| row(text, text.starts_with('w'))).collect();
    ConversationPage { rows, reaches_top: true, reaches_bottom: true, total: None }
}

fn receive(list: &mut ConversationList, ids: &[&str], minute: i64) {
    list.mark_stale();
    let query = list.take_query(ClockReading::default()).expect("a query is due");
    assert!(list.receive(&query, page(ids), (VISIBLE, false), moment(minute)));
}

fn list(ids: &[&str]) -> ConversationList {
    let mut list = ConversationList::new(Some(ChannelId::from("chat")), SavedView::all_open());
    receive(&mut list, ids, 0);
    list
}

#[test]
fn the_selection_stays_where_it_is_on_screen() {
    let mut list = list(&["a", "b", "c", "d", "e", "f", "g", "h"]);
    list.step(2, VISIBLE);
    assert_eq!((list.index(), list.first), (Some(2), 0));
    // Two new rows above: the selected one is still the third on screen.
    receive(&mut list, &["y", "z", "a", "b", "c", "d", "e", "f", "g", "h"], 1);
    assert_eq!(list.selected, Some(key("c")));
    assert_eq!((list.index(), list.first), (Some(4), 2));
    assert!(list.more_above());
    assert_eq!(list.moved_at, None);
}

#[test]
fn a_list_that_rests_on_its_first_row_follows_the_top() {
    let follow = |list: &mut ConversationList, ids: &[&str]| {
        list.mark_stale();
        let query = list.take_query(ClockReading::default()).expect("a query is due");
        assert!(list.receive(&query, page(ids), (VISIBLE, true), moment(1)));
    };
    let mut list = list(&["a", "b"]);
    follow(&mut list, &["w1", "a", "b"]);
    assert_eq!((list.selected.clone(), list.moved_at), (Some(key("w1")), Some(moment(1))));
    // A touched row stays selected; rows that arrive above it are counted.
    list.touch();
    follow(&mut list, &["x", "w2", "w1", "a", "b"]);
    assert_eq!(list.selected, Some(key("w1")));
    list.top(VISIBLE);
    assert_eq!(list.arrived(), (0, 0));
    follow(&mut list, &["w3", "x", "w2", "w1", "a", "b"]);
    assert_eq!(list.selected, Some(key("w3")), "back at the top, it follows again");
}

#[test]
fn a_row_that_leaves_gives_its_place_to_its_neighbour_and_says_so() {
    let mut list = list(&["a", "b", "c"]);
    list.step(1, VISIBLE);
    receive(&mut list, &["a", "c"], 1);
    assert_eq!(list.selected, Some(key("c")));
    assert_eq!(list.moved_at, Some(moment(1)));
    list.step(-1, VISIBLE);
    assert_eq!(list.moved_at, None, "a key makes the selection the person's own again");
}

#[test]
fn a_row_that_undo_brings_back_is_selected_again() {
    // (what was done between, whether it was taken back, whether it is read, the selected row)
    let nothing: fn(&mut ConversationList) = |_| ();
    let cases = [
        (nothing, true, false, "b"),
        (nothing, false, true, "b"),
        (nothing, false, false, "c"),
        (|conversation_list| conversation_list.step(-1, VISIBLE), true, true, "a"),
        (|entry| entry.touch(), true, true, "c"),
    ];
    for (between, undone, read, expected) in cases {
        let mut list = list(&["a", "b", "c"]);
        list.step(1, VISIBLE);
        receive(&mut list, &["a", "c"], 1);
        between(&mut list);
        if undone {
            list.expect_back(&key("b").conversation, moment(2));
        }
        list.read_on(Some(&key("b")).filter(|_| read));
        receive(&mut list, &["a", "b", "c"], 3);
        assert_eq!(list.selected, Some(key(expected)), "{undone} {read}");
    }
}

#[test]
fn an_answer_to_an_older_question_is_dropped() {
    let mut list = list(&["a", "b"]);
    list.mark_stale();
    let old = list.take_query(ClockReading::default()).expect("a query is due");
    list.set_typed("status:closed");
    assert!(!list.receive(&old, page(&["x"]), (VISIBLE, false), moment(1)));
    let new = list.take_query(ClockReading::default()).expect("the new question is asked at once");
    assert!(list.receive(&new, page(&["x"]), (VISIBLE, false), moment(1)));
}

#[test]
fn next_waiting_goes_round() {
    let mut list = list(&["w1", "a", "w2", "b"]);
    assert_eq!(list.next_waiting(true), Some(key("w2")));
    assert_eq!(list.next_waiting(false), Some(key("w2")));
    list.select(&key("w2"), VISIBLE);
    assert_eq!(list.next_waiting(true), Some(key("w1")));
    assert_eq!(list.next_waiting(false), Some(key("w1")));
}

fn message(number: i64) -> MessageRow {
    MessageRow {
        message: Message {
            content: SafeText::block(&format!("line {number}")),
            created_at: Some(at(number)),
            ..Message::stand_in(MessageId::new(format!("m{number:04}")), ConversationId::from("a"))
        },
        sent_here: false,
        reaction: None,
        reaction_pending: None,
        mail: None,
        generated: Vec::new(),
        media: MessageFileInfo::default(),
        change: ContentChange::default(),
    }
}

/// A history of a server that holds messages 1 to `newest`.
pub(crate) fn answer(history: &mut History, stored: std::ops::RangeInclusive<i64>) {
    history.mark_stale();
    let query = history.take_query(Moment::default()).expect("a query is due");
    let newest = *stored.end();
    let oldest = (newest - i64::from(query.limit) + 1).max(*stored.start());
    let page = HistoryPage {
        conversation: Some(row("a", true)),
        messages: (oldest..=newest).map(message).collect(),
        more_stored: oldest > *stored.start(),
        more_on_server: *stored.start() > 1,
        ..HistoryPage::default()
    };
    assert!(history.receive(&query, page));
}

pub(crate) fn history(stored: std::ops::RangeInclusive<i64>) -> History {
    let mut history = History::new(ChannelId::from("chat"), ConversationId::from("a"));
    history.set_shape(TextWidths::default(), 10, &Zone::UTC);
    answer(&mut history, stored);
    history
}

#[test]
fn reading_back_stays_on_its_line_and_counts_what_comes() {
    let mut history = history(1..=50);
    history.scroll(-20);
    let seen = history.window().to_vec();
    answer(&mut history, 1..=53);
    let texts = |lines: &[crate::screens::history::lines::HistoryLine]| lines.len();
    assert_eq!((texts(history.window()), history.below), (texts(&seen), 3));
    assert_eq!(history.window(), seen);
    history.follow();
    assert_eq!(history.below, 0);
}

#[test]
fn going_up_asks_the_store_first_and_the_server_last() {
    let mut history = history(101..=250);
    history.top();
    assert!(!history.want_older(), "the store has more");
    answer(&mut history, 101..=250);
    history.top();
    assert!(history.want_older(), "now only the server can have more");
    assert!(!history.want_older(), "it is asked once");
    answer(&mut history, 1..=250);
    history.top();
    assert!(!history.want_older());
    assert_eq!(history.items.len(), 250);
}
