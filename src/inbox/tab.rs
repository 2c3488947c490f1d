//! One tab: a channel key with its list, the current conversation and the
//! composer.

use std::collections::BTreeMap;

use crate::resource::{LoadTimeouts, Resource};
use crate::screens::composer::reply_conflict::ReadProgress;
use crate::screens::composer::rich_forms::Form;
use crate::screens::composer::{Composer, ComposerMode};
use crate::screens::conversations::ConversationList;
use crate::screens::conversations::saved_views::SavedView;
use crate::screens::history::History;
use crate::screens::mail::MailState;
use crate::screens::mail::head::{BODY, Head};
use crate::screens::phone::CallForm;
use crate::settings::ChannelInfo;
use model::account::{Account, Environment, Platform};
use model::conversations::{Automation, ConversationRow, ConversationStatus};
use model::ids::ConversationId;
use model::leader::Leader;
use model::news::Health;
use model::outbox::content::Markup;
use model::queries::{ConversationKey, TabCounts};
use model::templates::Templates;
use model::text::SafeText;
use model::unreadable::UnreadableList;
use model::webhook_status::WebhookStatus;

/// Why a pane shows nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaneNote {
    /// Its list is not for this key.
    NotForThisKey(SafeText),
    /// Its list is not on this server.
    NotOnThisServer(SafeText),
}

impl PaneNote {
    /// The reason alone.
    pub fn why(&self) -> &SafeText {
        match self {
            Self::NotForThisKey(why) | Self::NotOnThisServer(why) => why,
        }
    }

    /// As the status line says it.
    pub fn describe(&self) -> String {
        match self {
            Self::NotForThisKey(why) => format!("NOT FOR THIS KEY: {why}"),
            Self::NotOnThisServer(why) => why.to_string(),
        }
    }
}

/// Which pane has the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    List,
    History,
    Composer,
}

/// A tab's state.
#[derive(Debug)]
pub struct Tab {
    /// As configured.
    pub channel: ChannelInfo,
    /// As the server last told; from the cache at first.
    pub account: Option<Account>,
    pub health: Health,
    /// Whether a person asked the server and nothing has come back.
    pub asked: bool,
    /// The process that sends this tab's outbox rows.
    pub leader: Leader,
    /// Which other process sends for it once this one ends.
    pub successor: Option<SafeText>,
    pub counts: TabCounts,
    /// Percent of the read budget in use.
    pub budget: u8,
    /// The state of webhook deliveries, where this desk receives any.
    pub reception: Option<WebhookStatus>,
    /// Why a pane shows nothing.
    pub note: Option<PaneNote>,
    /// What of its other lists could not be read, as it came.
    pub unreadable: BTreeMap<UnreadableList, Vec<String>>,
    pub list: ConversationList,
    /// Whether its first view was chosen by what the account is.
    pub has_first_view: bool,
    pub history: Option<History>,
    pub composer: Option<Composer>,
    /// A call that was filled in and not placed.
    pub call: Option<CallForm>,
    /// What only a mail tab has.
    pub mail: MailState,
    /// A form that was filled in and not sent.
    pub form: Option<Form>,
    /// How texts are to be read, where not as they are typed.
    pub markup: Option<Markup>,
    /// JSON that was written and not sent.
    pub json: Option<String>,
    /// How far its writer has looked.
    pub looked: ReadProgress,
    pub focus: Focus,
    /// The approved templates, as far as they were read.
    pub templates: Templates,
    /// How the server is asked for them.
    pub templates_page: Resource<()>,
    /// Conversations in which the person chose to send beside the AI.
    pub send_beside_ai: Vec<ConversationId>,
}

impl Tab {
    /// A tab of which only the configuration is known.
    pub fn new(channel: ChannelInfo) -> Self {
        Self {
            account: None,
            health: Health::Connecting,
            asked: false,
            leader: Leader::Unknown,
            successor: None,
            counts: TabCounts::default(),
            budget: 0,
            reception: None,
            note: None,
            unreadable: BTreeMap::new(),
            list: ConversationList::new(Some(channel.id.clone()), SavedView::needs_me()),
            has_first_view: false,
            history: None,
            composer: None,
            call: None,
            mail: MailState::default(),
            form: None,
            markup: None,
            json: None,
            looked: ReadProgress::default(),
            focus: Focus::List,
            templates: Templates::default(),
            templates_page: Resource::of(LoadTimeouts::SERVER, ()),
            send_beside_ai: Vec::new(),
            channel,
        }
    }

    /// Rows of all its lists that could not be read.
    pub fn unreadable_count(&self) -> usize {
        let conversations = usize::try_from(self.counts.unreadable).unwrap_or(usize::MAX);
        self.unreadable.values().map(Vec::len).sum::<usize>().saturating_add(conversations)
    }

    /// The platform; unknown until the account was read once.
    pub fn platform(&self) -> Option<&Platform> {
        self.account.as_ref().map(|account| &account.platform)
    }

    /// Live or test; the key's prefix tells before the account does.
    pub fn environment(&self) -> Option<Environment> {
        match (&self.account, self.channel.environment) {
            (_, Some(environment)) => Some(environment),
            (Some(account), None) => Some(account.environment),
            (None, None) => None,
        }
    }

    /// Whether this tab is an inbox of conversations, as far as is known.
    pub fn is_inbox(&self) -> bool {
        self.platform().is_none_or(Platform::has_conversations)
    }

    /// Names a conversation of this tab among those of all tabs.
    pub fn key_of(&self, conversation: &ConversationId) -> ConversationKey {
        ConversationKey { channel: self.channel.id.clone(), conversation: conversation.clone() }
    }

    /// Whether the AI may answer in a conversation: it is on, or nothing has
    /// told that it is off.
    pub fn ai_may_answer(row: &ConversationRow) -> bool {
        let off = row.conversation.automation == Automation::Off || row.automation_pending == Some(false);
        let wakes = row.automation_pending == Some(true);
        (!off || wakes) && row.conversation.automation != Automation::NotApplicable
    }

    /// Whether a conversation is closed or about to be.
    pub fn is_closed(row: &ConversationRow) -> bool {
        row.conversation.status == ConversationStatus::Closed || row.close_pending
    }

    /// Whether it is a mail account's: conversations are threads of mails.
    pub fn is_mail(&self) -> bool {
        self.platform() == Some(&Platform::Email)
    }

    /// Whether there is no composer below the history: it is there only while
    /// something is written.
    pub fn hides_composer(&self) -> bool {
        self.is_mail() && self.focus != Focus::Composer
    }

    /// Whether a mail is being written, which wants most of the screen.
    pub fn writes_mail(&self) -> bool {
        let writes = self.composer.as_ref().is_some_and(|composer| composer.mode == ComposerMode::Reply);
        self.is_mail() && self.focus == Focus::Composer && writes
    }

    /// The head of the mail being written.
    pub fn mail_head(&self) -> Option<&Head> {
        self.composer.as_ref().filter(|composer| composer.mode == ComposerMode::Reply)?.head.as_ref()
    }

    /// Whether keys go to the text itself, not to a field over it.
    pub fn writes_text(&self) -> bool {
        self.mail_head().is_none_or(|mail_head| mail_head.at == BODY)
    }

    /// The addresses of the account.
    pub fn own_addresses(&self) -> Vec<String> {
        self.mail.account.iter().map(|entry| entry.address.to_string()).collect()
    }

    /// Whether it is a phone's: conversations are numbers, and what was said
    /// in them is told nowhere.
    pub fn is_phone(&self) -> bool {
        self.platform() == Some(&Platform::Voip)
    }
}
