//! Decisions of the inbox alone: no store, no service, no screen.

mod alignment;
mod modelled_desk;

use crate::screens::conversations::saved_views::SavedView;
use crate::screens::conversations::{ConversationList, ListEntry};
use crate::screens::history::History;
use crate::screens::history::lines::TextWidths;
use model::conversations::{Automation, Conversation, ConversationRow, Escalation, ServiceWindow};
use model::ids::{ChannelId, ConversationId, MessageId};
use model::messages::{ContentChange, Message, MessageFileInfo, MessageRow};
use model::queries::{ConversationKey, ConversationPage, HistoryPage};
use model::queue::{Place, Section};
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
    let place = Place { section: Section::NeedsPerson, rank: 4, time: at(0) };
    ConversationRow { waiting_since: waits.then(|| at(0)), place: waits.then_some(place), ..bare }
}

fn page(ids: &[&str]) -> ConversationPage {
    let rows = ids.iter().map(|text| row(text, text.starts_with('w'))).collect();
    ConversationPage { rows, reaches_top: true, reaches_bottom: true, ..ConversationPage::default() }
}

fn receive(list: &mut ConversationList, ids: &[&str], minute: i64) {
    list.mark_stale();
    let query = list.take_query(ClockReading::default()).expect("a query is due");
    assert!(list.receive(&query, page(ids), (VISIBLE, false, false), moment(minute)));
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
    // Two new rows above: the selected one stays the third on screen.
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
        assert!(list.receive(&query, page(ids), (VISIBLE, true, false), moment(1)));
    };
    let mut list = list(&["a", "b"]);
    follow(&mut list, &["w1", "a", "b"]);
    assert_eq!((list.selected.clone(), list.moved_at), (Some(key("w1")), Some(moment(1))));
    // A touched row stays selected; rows that arrive above it are counted.
    list.mark_touched();
    follow(&mut list, &["x", "w2", "w1", "a", "b"]);
    assert_eq!(list.selected, Some(key("w1")));
    list.top(VISIBLE);
    assert_eq!(list.count_arrivals(), (0, 0));
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
    // (change in between, undone, selected row)
    let nothing: fn(&mut ConversationList) = |_| ();
    let cases = [
        (nothing, true, "b"),
        (nothing, false, "c"),
        (|list| list.step(-1, VISIBLE), true, "a"),
        (|list| list.mark_touched(), true, "c"),
    ];
    for (between, undone, expected) in cases {
        let mut list = list(&["a", "b", "c"]);
        list.step(1, VISIBLE);
        receive(&mut list, &["a", "c"], 1);
        between(&mut list);
        if undone {
            list.expect_return(&key("b").conversation, moment(2));
        }
        receive(&mut list, &["a", "b", "c"], 3);
        assert_eq!(list.selected, Some(key(expected)), "{undone}");
    }
}

#[test]
fn open_conversation_stays_selected_when_its_row_leaves() {
    let leave = |list: &mut ConversationList, ids: &[&str]| {
        list.mark_stale();
        let query = list.take_query(ClockReading::default()).expect("a query is due");
        assert!(list.receive(&query, page(ids), (VISIBLE, false, true), moment(1)));
    };
    for (rows, expected) in [(1, "c"), (-1, "a")] {
        let mut list = list(&["a", "b", "c"]);
        list.step(1, VISIBLE);
        leave(&mut list, &["a", "c"]);
        assert_eq!((list.selected.clone(), list.index()), (Some(key("b")), None));
        // Back in the list, too, until a key moves on from the place it had.
        receive(&mut list, &["a", "c"], 2);
        assert_eq!((list.selected.clone(), list.moved_at), (Some(key("b")), None));
        list.step(rows, VISIBLE);
        assert_eq!(list.selected, Some(key(expected)));
    }
}

#[test]
fn an_answer_to_an_older_question_is_dropped() {
    let mut list = list(&["a", "b"]);
    list.mark_stale();
    let old = list.take_query(ClockReading::default()).expect("a query is due");
    list.set_typed_filter("status:closed");
    assert!(!list.receive(&old, page(&["x"]), (VISIBLE, false, false), moment(1)));
    let new = list.take_query(ClockReading::default()).expect("the new question is asked at once");
    assert!(list.receive(&new, page(&["x"]), (VISIBLE, false, false), moment(1)));
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
        album: None,
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
    history.set_layout(TextWidths::default(), 10, &Zone::UTC);
    answer(&mut history, stored);
    history
}

#[test]
fn reading_back_stays_on_its_line_and_counts_what_comes() {
    let mut history = history(1..=50);
    history.scroll(-20);
    let seen = history.visible_lines().to_vec();
    answer(&mut history, 1..=53);
    let texts = |lines: &[crate::screens::history::lines::HistoryLine]| lines.len();
    assert_eq!((texts(history.visible_lines()), history.arrived_below), (texts(&seen), 3));
    assert_eq!(history.visible_lines(), seen);
    history.follow_newest();
    assert_eq!(history.arrived_below, 0);
}

#[test]
fn going_up_asks_the_store_first_and_the_server_last() {
    let mut history = history(101..=250);
    history.top();
    assert!(!history.request_older(), "the store has more");
    answer(&mut history, 101..=250);
    history.top();
    assert!(history.request_older(), "now only the server can have more");
    assert!(!history.request_older(), "it is asked once");
    answer(&mut history, 1..=250);
    history.top();
    assert!(!history.request_older());
    assert_eq!(history.items.len(), 250);
}

/// A list in sections; the first letter of an id names the section.
fn inbox(ids: &[&str]) -> ConversationList {
    let mut list = ConversationList::new(Some(ChannelId::from("chat")), SavedView::inbox());
    receive_sections(&mut list, ids);
    list
}

fn receive_sections(list: &mut ConversationList, ids: &[&str]) {
    let placed = |id: &&str| {
        let section = match id.as_bytes().first() {
            Some(b'm') => Section::Mine,
            Some(b'n') => Section::NeedsPerson,
            _ => Section::WithAi,
        };
        let place = Some(Place { section, rank: 1, time: at(0) });
        ConversationRow { place, ..row(id, false) }
    };
    let rows = ids.iter().map(placed).collect();
    list.mark_stale();
    let query = list.take_query(ClockReading::default()).expect("a query is due");
    let page = ConversationPage { rows, ..page(&[]) };
    assert!(list.receive(&query, page, (VISIBLE, false, false), moment(1)));
}

/// Lines of the list: `#` is a header, a name the first line of a row.
fn lines(list: &ConversationList, height: u16) -> String {
    let name = |entry: &ListEntry| match entry {
        ListEntry::Header(_) => "#".to_owned(),
        ListEntry::Row(index) => list.page.rows[*index].conversation.id.to_string(),
    };
    list.layout(height).iter().map(|(entry, line)| format!("{line}{} ", name(entry))).collect()
}

#[test]
fn sections_have_headers_between_their_rows() {
    let list = inbox(&["m1", "n1", "n2", "a1", "a2"]);
    assert_eq!(lines(&list, 20), "0m1 2# 3n1 5n2 7# 8a1 10a2 ");
    // A row may be cut, a header never stands alone.
    assert_eq!(lines(&list, 6), "0m1 2# 3n1 5n2 ");
    assert_eq!(lines(&list, 8), "0m1 2# 3n1 5n2 ");
    assert_eq!(lines(&list, 9), "0m1 2# 3n1 5n2 7# 8a1 ");
    let at = |line| list.row_at(line, 20);
    assert_eq!(
        [0, 1, 2, 3, 4, 5, 7, 8].map(at),
        [Some(0), Some(0), None, Some(1), Some(1), Some(2), None, Some(3)]
    );
}

#[test]
fn the_selected_row_is_completely_on_screen_below_its_headers() {
    let mut list = inbox(&["m1", "n1", "n2", "a1", "a2", "a3"]);
    let height = u16::try_from(VISIBLE * 2).expect("a few");
    for _ in 0..6 {
        let index = list.index().expect("a row");
        let entries = list.layout(height);
        let line = entries.iter().find(|(entry, _)| *entry == ListEntry::Row(index)).map(|pair| pair.1);
        assert!(line.is_some_and(|line| line + 2 <= height), "{index}: {}", lines(&list, height));
        list.step(1, VISIBLE);
    }
    assert_eq!(lines(&list, height), "0n2 2# 3a1 5a2 7a3 ");
    list.top(VISIBLE);
    assert_eq!(list.first, 0);
}

#[test]
fn rows_that_arrive_above_leave_the_selected_row_at_its_line_or_the_one_above() {
    let mut list = inbox(&["m1", "n1", "a1", "a2", "a3"]);
    list.step(2, VISIBLE);
    assert_eq!(lines(&list, 10), "0m1 2# 3n1 5# 6a1 8a2 ");
    receive_sections(&mut list, &["m1", "n1", "n2", "n3", "a1", "a2", "a3"]);
    assert_eq!(list.selected, Some(key("a1")));
    // A header less on screen is one line.
    assert_eq!(lines(&list, 10), "0n2 2n3 4# 5a1 7a2 9a3 ");
}
