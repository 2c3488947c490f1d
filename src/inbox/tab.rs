//! One tab: a channel key with its list, the current conversation and the composer.

use std::collections::BTreeMap;

use crate::resource::{LoadTimeouts, Resource};
use crate::screens::composer::reply_conflict::ReadProgress;
use crate::screens::composer::rich_forms::RichForm;
use crate::screens::composer::{Composer, ComposerMode};
use crate::screens::conversations::ConversationList;
use crate::screens::conversations::saved_views::SavedView;
use crate::screens::history::History;
use crate::screens::mail::MailState;
use crate::screens::mail::compose_header::{BODY_FOCUS, ComposeHeader};
use crate::screens::phone::CallForm;
use crate::screens::templates::submitting::NewTemplateForm;
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

/// Reason for an empty pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmptyPaneReason {
    /// The key may not read the list.
    NotForThisKey(SafeText),
    /// The server does not offer the list.
    NotOnThisServer(SafeText),
}

impl EmptyPaneReason {
    pub fn server_reason(&self) -> &SafeText {
        match self {
            Self::NotForThisKey(why) | Self::NotOnThisServer(why) => why,
        }
    }

    pub fn describe(&self) -> String {
        match self {
            Self::NotForThisKey(why) => format!("NOT FOR THIS KEY: {why}"),
            Self::NotOnThisServer(why) => why.to_string(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    List,
    History,
    Composer,
}

#[derive(Debug)]
pub struct Tab {
    pub channel: ChannelInfo,
    /// As last read; from the cache at first.
    pub account: Option<Account>,
    pub health: Health,
    /// True while a refresh a person asked for is in flight.
    pub is_refreshing: bool,
    /// The process that sends this tab's outbox rows.
    pub leader: Leader,
    /// Process that takes over sending when this one ends.
    pub successor: Option<SafeText>,
    pub counts: TabCounts,
    /// Percent of the read budget in use.
    pub budget_percent: u8,
    /// State of webhook deliveries, if this desk receives any.
    pub webhook_status: Option<WebhookStatus>,
    pub empty_reason: Option<EmptyPaneReason>,
    /// Rows of other lists that could not be parsed, as received.
    pub unreadable: BTreeMap<UnreadableList, Vec<String>>,
    pub list: ConversationList,
    pub history: Option<History>,
    pub composer: Option<Composer>,
    /// A filled-in call that was not placed.
    pub call: Option<CallForm>,
    pub mail: MailState,
    /// A filled-in form that was not sent.
    pub form: Option<RichForm>,
    /// Markup of new texts, `None` to send them as typed.
    pub markup: Option<Markup>,
    /// JSON that was written and not sent.
    pub json: Option<String>,
    pub read_progress: ReadProgress,
    pub focus: Focus,
    /// The approved templates, as far as read.
    pub templates: Templates,
    /// Progress of reading the templates.
    pub templates_page: Resource<()>,
    /// A begun template that was not submitted.
    pub new_template: Option<NewTemplateForm>,
    /// Conversations in which the person chose to send without pausing the AI.
    pub send_without_pause: Vec<ConversationId>,
}

impl Tab {
    /// A tab of which only the configuration is known.
    pub fn new(channel: ChannelInfo) -> Self {
        Self {
            account: None,
            health: Health::Connecting,
            is_refreshing: false,
            leader: Leader::Unknown,
            successor: None,
            counts: TabCounts::default(),
            budget_percent: 0,
            webhook_status: None,
            empty_reason: None,
            unreadable: BTreeMap::new(),
            list: ConversationList::new(Some(channel.id.clone()), SavedView::inbox()),
            history: None,
            composer: None,
            call: None,
            mail: MailState::default(),
            form: None,
            markup: None,
            json: None,
            read_progress: ReadProgress::default(),
            focus: Focus::List,
            templates: Templates::default(),
            templates_page: Resource::with_query(LoadTimeouts::SERVER, ()),
            new_template: None,
            send_without_pause: Vec::new(),
            channel,
        }
    }

    pub fn needs_person_count(&self) -> u32 {
        self.counts.needs_reply
    }

    /// Number of rows in all lists that could not be parsed.
    pub fn unreadable_count(&self) -> usize {
        let conversations = usize::try_from(self.counts.unreadable).unwrap_or(usize::MAX);
        self.unreadable.values().map(Vec::len).sum::<usize>().saturating_add(conversations)
    }

    /// `None` until the account was read.
    pub fn platform(&self) -> Option<&Platform> {
        self.account.as_ref().map(|account| &account.platform)
    }

    /// Live or test; the key's prefix is known before the account.
    pub fn environment(&self) -> Option<Environment> {
        match (&self.account, self.channel.environment) {
            (_, Some(environment)) => Some(environment),
            (Some(account), None) => Some(account.environment),
            (None, None) => None,
        }
    }

    /// True for a tab with conversations, or as long as the platform is unknown.
    pub fn is_inbox(&self) -> bool {
        self.platform().is_none_or(Platform::has_conversations)
    }

    pub fn key_of(&self, conversation: &ConversationId) -> ConversationKey {
        ConversationKey { channel: self.channel.id.clone(), conversation: conversation.clone() }
    }

    /// True unless the AI is known to be off in the conversation.
    pub fn ai_may_answer(row: &ConversationRow) -> bool {
        let off = row.conversation.automation == Automation::Off || row.automation_pending == Some(false);
        let wakes = row.automation_pending == Some(true);
        (!off || wakes) && row.conversation.automation != Automation::NotApplicable
    }

    /// True if a conversation is closed or a close is pending.
    pub fn is_closed(row: &ConversationRow) -> bool {
        row.conversation.status == ConversationStatus::Closed || row.close_pending
    }

    /// True for a mail account, whose conversations are threads.
    pub fn is_mail(&self) -> bool {
        self.platform() == Some(&Platform::Email)
    }

    /// True for an account that is known to have no mail.
    pub(crate) fn has_no_mail(&self) -> bool {
        self.platform().is_some_and(|platform| *platform != Platform::Email)
    }

    /// True if there is no composer below the history; a mail tab shows one only while writing.
    pub fn hides_composer(&self) -> bool {
        self.is_mail() && self.focus != Focus::Composer
    }

    /// True while a mail is written, which needs most of the screen.
    pub fn is_writing_mail(&self) -> bool {
        let writes = self.composer.as_ref().is_some_and(|composer| composer.mode == ComposerMode::Reply);
        self.is_mail() && self.focus == Focus::Composer && writes
    }

    pub fn compose_header(&self) -> Option<&ComposeHeader> {
        self.composer.as_ref().filter(|composer| composer.mode == ComposerMode::Reply)?.header.as_ref()
    }

    /// True if keys go to the text and not to a field of the head.
    pub fn is_writing_text(&self) -> bool {
        self.compose_header().is_none_or(|mail_head| mail_head.focus == BODY_FOCUS)
    }

    pub fn own_addresses(&self) -> Vec<String> {
        self.mail.account.iter().flat_map(model::email::MailAccount::own_addresses).collect()
    }

    /// True for a phone number; the content of its calls is not reported.
    pub fn is_phone(&self) -> bool {
        self.platform() == Some(&Platform::Voip)
    }
}
