//! Routing of keys: topmost popup, composer, or key map.

pub(crate) mod awaited_reads;
pub(crate) mod bursts;
pub(crate) mod input;

use crate::command::CommandScope;
use crate::desk::Desk;
use crate::features::tutor::Tutor;
use crate::keyboard::awaited_reads::AwaitedReads;
use crate::keys::KeyPress;
use crate::pages::PageKind;
use crate::screens::cards::is_card_page;
use crate::tab::Focus;
use model::time::Moment;

#[derive(Debug, Default)]
pub struct Keyboard {
    pub pressed: Vec<KeyPress>,
    /// Reads that input waits for.
    pub(crate) reads: AwaitedReads,
    /// Command lines said before, newest last.
    pub(crate) command_history: Vec<String>,
    /// Commands of earlier pipes, newest last.
    pub(crate) pipe_history: Vec<String>,
    pub(crate) interrupted_at: Option<Moment>,
    /// True if the desk ends once no pause made here is left.
    pub(crate) quits_after_hand_back: bool,
    /// True if the editor's text is JSON of the person.
    pub(crate) edits_json: bool,
    pub(crate) tutor: Tutor,
}

impl Desk {
    /// Scopes whose keys are active, nearest first.
    pub fn active_scopes(&self) -> Vec<CommandScope> {
        let tab = self.tab();
        match tab.focus {
            _ if self.page == PageKind::Outbox => {
                vec![CommandScope::Outbox, CommandScope::Rows, CommandScope::Desk]
            }
            _ if self.page == PageKind::Proposals => {
                vec![CommandScope::Proposals, CommandScope::Rows, CommandScope::Desk]
            }
            _ if self.page == PageKind::Reviews => {
                vec![CommandScope::Reviews, CommandScope::Rows, CommandScope::Desk]
            }
            _ if self.page == PageKind::Drafts => vec![CommandScope::Rows, CommandScope::Desk],
            _ if self.page == PageKind::Webhooks => {
                vec![CommandScope::Webhooks, CommandScope::Deck, CommandScope::Rows, CommandScope::Desk]
            }
            _ if self.page == PageKind::Broadcasts => {
                vec![CommandScope::Broadcasts, CommandScope::Rows, CommandScope::Desk]
            }
            _ if self.page == PageKind::Wall => vec![CommandScope::Rows, CommandScope::Desk],
            _ if is_card_page(self.page) => vec![CommandScope::Deck, CommandScope::Rows, CommandScope::Desk],
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
