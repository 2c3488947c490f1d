//! Take, done and later on every channel, by keys and by words of plain mode: each is one act, undone as a
//! whole.

use frontdesk::inbox::command::{Command, CommandScope, TABLE};
use frontdesk::model::conversations::ConversationRow;
use frontdesk::model::queries::ConversationKey;

use crate::desk::Desk;
use crate::regions::Region;

const SECOND: i64 = 1_000_000;
/// Key of the tab, kind of the channel, and address of a customer.
const CHANNELS: [(&str, &str, &str); 4] = [
    ("1", "whatsapp", "+34600111222"),
    ("2", "telegram", "48211"),
    ("3", "email", "ana@ruiz.example"),
    ("4", "voip", "+34600111222"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Keys,
    /// Lines of plain mode.
    Words,
}

impl Way {
    /// Gives a command, or an answer of one letter.
    #[track_caller]
    fn press(self, desk: &mut Desk, word: &str) {
        let key = match word {
            "take" => "t",
            "done" => "d",
            "later" => "s",
            "undo" => "z",
            "back" => "<Esc>",
            letter => letter,
        };
        match self {
            Self::Keys => {
                desk.keys(key);
            }
            Self::Words => assert_eq!(desk.says(word), None, "{word}\n{}", desk.picture()),
        }
    }
}

/// A desk with all channels, on the tab of one whose customer has written.
fn desk((tab, kind, address): (&str, &str, &str)) -> Desk {
    let mut desk = Desk::with_all_tabs(120, 40);
    desk.customer(kind, address, "Ana Ruiz", "Hello?");
    for _ in 0..4 {
        desk.wait(2 * SECOND);
        desk.settle();
    }
    desk.keys(tab).settle().keys("gg").settle();
    desk
}

fn row_of<'a>(desk: &'a Desk, key: &ConversationKey) -> Option<&'a ConversationRow> {
    desk.app.desk.list().page.rows.iter().find(|row| row.has_key(key))
}

fn is_claimed(desk: &Desk, key: &ConversationKey) -> bool {
    row_of(desk, key).is_some_and(|row| row.local.claim.is_some())
}

/// True if the conversation is in the list and is not about to leave it.
fn is_open(desk: &Desk, key: &ConversationKey) -> bool {
    row_of(desk, key).is_some_and(|row| !row.close_pending && !row.local.is_asleep())
}

/// Number of acts of this name in the list of what was done.
fn count_acts(desk: &mut Desk, name: &str) -> usize {
    desk.run_command("show-done");
    let list = desk.photograph(&[Region::Overlay]);
    desk.keys("<Esc>");
    list.matches(name).count()
}

#[track_caller]
fn has_undone_all(desk: &mut Desk) {
    desk.keys("z").shows("nothing to undo");
    desk.wait(10 * SECOND);
    desk.settle().has_queued(0).has_paused(0);
}

#[test]
fn each_act_is_one_undo_on_every_channel() {
    for way in [Way::Keys, Way::Words] {
        for channel in CHANNELS {
            let mut desk = desk(channel);
            let key = desk.app.desk.current_conversation().expect("a conversation").key();
            check_take(&mut desk, way, &key);
            check_done(&mut desk, way, &key);
            check_later(&mut desk, way, &key);
        }
    }
}

#[track_caller]
fn check_take(desk: &mut Desk, way: Way, key: &ConversationKey) {
    way.press(desk, "take");
    desk.settle();
    assert!(desk.app.desk.is_typing(), "{key:?}\n{}", desk.picture());
    way.press(desk, "back");
    desk.settle();
    assert!(is_claimed(desk, key), "{key:?}\n{}", desk.picture());
    let history = desk.photograph(&[Region::History]);
    assert_eq!(history.matches("you took over").count(), 1, "{key:?}:\n{history}");
    assert_eq!(count_acts(desk, "taken · "), 1, "{key:?}");
    way.press(desk, "undo");
    desk.settle().settle();
    assert!(is_open(desk, key) && !is_claimed(desk, key), "{key:?}\n{}", desk.picture());
    has_undone_all(desk);
}

#[track_caller]
fn check_done(desk: &mut Desk, way: Way, key: &ConversationKey) {
    way.press(desk, "done");
    if desk.has_overlay() {
        desk.shows("No answer to");
        way.press(desk, "d");
    }
    desk.settle();
    assert!(!is_open(desk, key), "{key:?}\n{}", desk.picture());
    assert_eq!(count_acts(desk, "done · "), 1, "{key:?}");
    way.press(desk, "undo");
    for _ in 0..3 {
        desk.settle();
    }
    assert!(is_open(desk, key), "{key:?}\n{}", desk.picture());
    has_undone_all(desk);
    assert!(is_open(desk, key), "{key:?}\n{}", desk.picture());
}

#[track_caller]
fn check_later(desk: &mut Desk, way: Way, key: &ConversationKey) {
    desk.keys("<Esc><Esc>gg").settle();
    way.press(desk, "later");
    way.press(desk, "r");
    desk.shows("later: until a reply").settle();
    assert!(!is_open(desk, key), "{key:?}\n{}", desk.picture());
    assert_eq!(count_acts(desk, "snoozed · "), 1, "{key:?}");
    way.press(desk, "undo");
    desk.settle();
    assert!(is_open(desk, key), "{key:?}\n{}", desk.picture());
    has_undone_all(desk);
}

/// On a channel that closes conversations, done is held as a whole and leaves as a whole.
#[test]
fn done_is_one_hold() {
    let mut desk = desk(CHANNELS[0]);
    desk.keys("t").settle().keys("<Esc>").settle().has_queued(0).has_paused(1);
    let key = desk.app.desk.current_conversation().expect("a conversation").key();
    desk.keys("dd").settle().has_queued(2).has_paused(1);
    desk.wait(4 * SECOND);
    desk.settle().has_queued(2);
    desk.wait(2 * SECOND);
    desk.settle().settle().has_queued(0).has_paused(0);
    let conversation = desk.get("whatsapp", &format!("/conversations/{}", key.conversation.as_str()));
    assert_eq!(conversation["status"], "closed");
}

#[test]
fn each_act_is_one_row_of_the_command_table() {
    let acts = [(Command::Take, "take", "t"), (Command::Done, "done", "d"), (Command::Later, "later", "s")];
    for (command, word, key) in acts {
        let named = TABLE.iter().filter(|row| row.place == CommandScope::Conversation && row.word == word);
        let named: Vec<_> = named.map(|row| (row.command, row.keys)).collect();
        assert_eq!(named, [(command, &[key][..])], "{word}");
    }
}
