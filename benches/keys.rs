//! Keys that the benches press, and the key of their channel. `tests/it/benches.rs` looks both up in the
//! program.

use frontdesk::inbox::command::{Command, CommandScope};
use frontdesk::inbox::keys::{KeyCode, KeyPress};

/// Key of a channel whose server is not reachable.
pub const CHANNEL_KEY: &str = "svc_live_feelfeelfeelfeelfeelfeel01";

const LIST: &[CommandScope] = &[CommandScope::List, CommandScope::Conversation, CommandScope::Desk];
const HISTORY: &[CommandScope] = &[CommandScope::History, CommandScope::Conversation, CommandScope::Desk];
const COMPOSER: &[CommandScope] = &[CommandScope::Composer];
const MAIL_TRIAGE: &[CommandScope] =
    &[CommandScope::Triage, CommandScope::History, CommandScope::Conversation, CommandScope::Desk];
const WEBHOOKS: &[CommandScope] =
    &[CommandScope::Webhooks, CommandScope::Deck, CommandScope::Rows, CommandScope::Desk];
const BROADCASTS: &[CommandScope] = &[CommandScope::Broadcasts, CommandScope::Rows, CommandScope::Desk];

pub const DOWN: BenchKeys = BenchKeys::new(LIST, "j", Command::Down);
pub const UP: BenchKeys = BenchKeys::new(LIST, "k", Command::Up);
pub const HALF_DOWN: BenchKeys = BenchKeys::new(LIST, "Ctrl-D", Command::HalfDown);
pub const TOP: BenchKeys = BenchKeys::new(LIST, "g g", Command::Top);
pub const BOTTOM: BenchKeys = BenchKeys::new(LIST, "G", Command::Bottom);
pub const OPEN: BenchKeys = BenchKeys::new(LIST, "Enter", Command::Open);
pub const NEXT_URGENT: BenchKeys = BenchKeys::new(LIST, "w", Command::NextUrgent);
pub const SORT_BY_ACTIVITY: BenchKeys = BenchKeys::new(LIST, ", a", Command::SortByActivity);
pub const SORT_BY_WAITING: BenchKeys = BenchKeys::new(LIST, ", w", Command::SortByWaiting);
pub const SORT_BY_WINDOW: BenchKeys = BenchKeys::new(LIST, ", x", Command::SortByWindow);
pub const SORT_BY_NAME: BenchKeys = BenchKeys::new(LIST, ", n", Command::SortByName);
pub const SORT_BY_PRIORITY: BenchKeys = BenchKeys::new(LIST, ", p", Command::SortByPriority);
pub const CHOOSE_VIEW: BenchKeys = BenchKeys::new(LIST, "v", Command::ChooseView);
pub const FILTER: BenchKeys = BenchKeys::new(LIST, "f", Command::FilterList);
pub const SEARCH: BenchKeys = BenchKeys::new(LIST, "/", Command::SearchAll);
pub const PALETTE: BenchKeys = BenchKeys::new(LIST, "Ctrl-P", Command::OpenPalette);
pub const ALL_TABS: BenchKeys = BenchKeys::new(LIST, "0", Command::GoToAll);
pub const FIRST_TAB: BenchKeys = BenchKeys::new(LIST, "1", Command::GoToTab);
pub const NEXT_TAB: BenchKeys = BenchKeys::new(LIST, "]", Command::NextTab);
pub const PREVIOUS_TAB: BenchKeys = BenchKeys::new(LIST, "[", Command::PreviousTab);
pub const REPLY: BenchKeys = BenchKeys::new(LIST, "r", Command::Reply);
pub const START_TRIAGE: BenchKeys = BenchKeys::new(LIST, "Ctrl-T", Command::Triage);
pub const GO_TO_WEBHOOKS: BenchKeys = BenchKeys::new(LIST, "g w", Command::GoToWebhooks);
pub const GO_TO_BROADCASTS: BenchKeys = BenchKeys::new(LIST, "g b", Command::GoToBroadcasts);

pub const NEXT_CONVERSATION: BenchKeys = BenchKeys::new(HISTORY, "J", Command::NextConversation);
pub const BACK: BenchKeys = BenchKeys::new(HISTORY, "h", Command::Back);

pub const SEND: BenchKeys = BenchKeys::new(COMPOSER, "Enter", Command::Send);
pub const SEND_MAIL: BenchKeys = BenchKeys::new(COMPOSER, "Ctrl-X", Command::Send);
pub const LEAVE: BenchKeys = BenchKeys::new(COMPOSER, "Esc", Command::Leave);

pub const ARCHIVE: BenchKeys = BenchKeys::new(MAIL_TRIAGE, "d", Command::Done);
pub const KEEP_UNREAD: BenchKeys = BenchKeys::new(MAIL_TRIAGE, "u", Command::Unseen);
pub const STAR: BenchKeys = BenchKeys::new(MAIL_TRIAGE, "*", Command::Star);
pub const SNOOZE: BenchKeys = BenchKeys::new(MAIL_TRIAGE, "s", Command::Later);
pub const ANSWER: BenchKeys = BenchKeys::new(MAIL_TRIAGE, "r", Command::Reply);

pub const GO_TO_INBOX: BenchKeys = BenchKeys::new(WEBHOOKS, "g i", Command::GoToInbox);

pub const ROW_DOWN: BenchKeys = BenchKeys::new(BROADCASTS, "j", Command::RowDown);
pub const ROW_UP: BenchKeys = BenchKeys::new(BROADCASTS, "k", Command::RowUp);
pub const LAST_ROW: BenchKeys = BenchKeys::new(BROADCASTS, "G", Command::Bottom);

/// All keys above. The compiler warns in the test about one that is missing here.
pub const ALL: &[BenchKeys] = &[
    DOWN,
    UP,
    HALF_DOWN,
    TOP,
    BOTTOM,
    OPEN,
    NEXT_URGENT,
    SORT_BY_ACTIVITY,
    SORT_BY_WAITING,
    SORT_BY_WINDOW,
    SORT_BY_NAME,
    SORT_BY_PRIORITY,
    CHOOSE_VIEW,
    FILTER,
    SEARCH,
    PALETTE,
    ALL_TABS,
    FIRST_TAB,
    NEXT_TAB,
    PREVIOUS_TAB,
    REPLY,
    START_TRIAGE,
    GO_TO_WEBHOOKS,
    GO_TO_BROADCASTS,
    NEXT_CONVERSATION,
    BACK,
    SEND,
    SEND_MAIL,
    LEAVE,
    ARCHIVE,
    KEEP_UNREAD,
    STAR,
    SNOOZE,
    ANSWER,
    GO_TO_INBOX,
    ROW_DOWN,
    ROW_UP,
    LAST_ROW,
];

/// Keys of a command in a place.
pub struct BenchKeys {
    /// Active scopes of the place, nearest first.
    pub scopes: &'static [CommandScope],
    /// Names of the keys, separated by spaces.
    pub names: &'static str,
    pub command: Command,
}

impl BenchKeys {
    const fn new(scopes: &'static [CommandScope], names: &'static str, command: Command) -> Self {
        Self { scopes, names, command }
    }

    pub fn presses(&self) -> Vec<KeyPress> {
        KeyPress::parse_sequence(self.names).expect("names of keys")
    }

    /// Returns what a terminal sends for these keys.
    pub fn bytes(&self) -> String {
        let byte = |key: KeyPress| match key.code {
            KeyCode::Char(letter) if key.ctrl => char::from(u8::try_from(letter).expect("ASCII") & 0x1f),
            KeyCode::Char(letter) => letter,
            KeyCode::Enter => '\r',
            KeyCode::Esc => '\x1b',
            other => panic!("no bench sends {other:?} to a terminal"),
        };
        self.presses().into_iter().map(byte).collect()
    }
}
