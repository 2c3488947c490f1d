//! Who gets a key: the topmost layer, the composer, or the key map.

use crate::command::CommandScope;
use crate::desk::Desk;
use crate::keys::KeyPress;
use crate::pages::PageKind;
use crate::screens::cards::is_deck;
use crate::tab::Focus;
use model::time::Timestamp;

/// What the keyboard is in the middle of.
#[derive(Debug, Default)]
pub struct Keyboard {
    /// The start of a key sequence.
    pub pressed: Vec<KeyPress>,
    /// Command lines said before, newest last.
    pub(crate) command_history: Vec<String>,
    /// Commands that were piped to, the newest last.
    pub(crate) piped: Vec<String>,
    /// When the first Ctrl-C was pressed.
    pub(crate) interrupted_at: Option<Timestamp>,
    /// Whether the desk ends as soon as nothing is paused from here.
    pub(crate) leaving: bool,
    /// Whether what comes back from the editor is JSON of the person's own.
    pub(crate) edits_json: bool,
    /// The next step of the exercise, while one goes on.
    pub(crate) tutor: Option<usize>,
}

impl Desk {
    /// The places whose keys act now, nearest first.
    pub fn places(&self) -> Vec<CommandScope> {
        let tab = self.tab();
        match tab.focus {
            _ if self.page == PageKind::Outbox => {
                vec![CommandScope::Outbox, CommandScope::Rows, CommandScope::Desk]
            }
            _ if self.page == PageKind::Drafts => vec![CommandScope::Rows, CommandScope::Desk],
            _ if self.page == PageKind::Webhooks => {
                vec![CommandScope::Webhooks, CommandScope::Deck, CommandScope::Rows, CommandScope::Desk]
            }
            _ if self.page == PageKind::Broadcasts => {
                vec![CommandScope::Broadcasts, CommandScope::Rows, CommandScope::Desk]
            }
            _ if self.page == PageKind::Wall => vec![CommandScope::Rows, CommandScope::Desk],
            _ if is_deck(self.page) => vec![CommandScope::Deck, CommandScope::Rows, CommandScope::Desk],
            _ if self.page == PageKind::People => {
                vec![CommandScope::People, CommandScope::Deck, CommandScope::Rows, CommandScope::Desk]
            }
            Focus::Composer => vec![CommandScope::Composer],
            _ if tab.is_in_triage() => vec![
                CommandScope::Triage,
                CommandScope::History,
                CommandScope::Conversation,
                CommandScope::Desk,
            ],
            _ if !tab.is_inbox() => vec![CommandScope::Desk],
            Focus::List => vec![CommandScope::List, CommandScope::Conversation, CommandScope::Desk],
            Focus::History => vec![CommandScope::History, CommandScope::Conversation, CommandScope::Desk],
        }
    }
}
