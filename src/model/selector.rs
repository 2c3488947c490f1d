//! Resolves typed text to a conversation, on the screen and in scripts.
//!
//! The shape of the text decides which field it is compared with; no other field counts, so a
//! customer who uses a phone number as a name is not found by that number. Names must be marked as
//! names and must be unique. Several matches are an error that lists them.

use std::fmt;

use crate::account::{Environment, Platform};
use crate::conversations::{ConversationRow, ConversationStatus};
use crate::ids::ConversationId;
use crate::phones;
use crate::text::{SafeText, is_digits};

/// Prefix of a name on the screen's command line.
pub const NAME_PREFIX: &str = "--name ";
/// Prefix of an id that looks like another kind of selector.
const ID_PREFIX: &str = "id:";
const MAX_LISTED_CANDIDATES: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selector {
    /// Phone number without separators.
    Phone(String),
    Email(String),
    /// Id of a bot chat: digits, with a leading minus for groups.
    ChatId(String),
    /// User name on the bot platform, without `@`.
    Handle(String),
    Id(ConversationId),
    /// A name, marked as such.
    Name(String),
}

impl Selector {
    /// Parses text by its shape; never yields a name.
    pub fn from_shape(text: &str) -> Self {
        let text = text.trim();
        if let Some(id) = text.strip_prefix(ID_PREFIX) {
            return Self::Id(ConversationId::from(id));
        }
        let plain = phones::strip_separators(text);
        if plain.strip_prefix('+').is_some_and(is_digits) {
            return Self::Phone(plain);
        }
        if is_digits(text.strip_prefix('-').unwrap_or(text)) {
            return Self::ChatId(text.to_owned());
        }
        if let Some(handle) = text.strip_prefix('@') {
            return Self::Handle(handle.to_owned());
        }
        if text.contains('@') {
            return Self::Email(text.to_owned());
        }
        Self::Id(ConversationId::from(text))
    }

    pub fn name(text: &str) -> Self {
        Self::Name(SafeText::line(text).to_string())
    }

    /// Parses the screen's command line, where [`NAME_PREFIX`] marks a name.
    pub fn from_command_line(text: &str) -> Self {
        text.strip_prefix(NAME_PREFIX).map_or_else(|| Self::from_shape(text), Self::name)
    }

    pub fn kind(&self) -> &'static str {
        match self {
            Self::Phone(_) => "number",
            Self::Email(_) => "mail address",
            Self::ChatId(_) => "bot chat id",
            Self::Handle(_) => "user name",
            Self::Id(_) => "id",
            Self::Name(_) => "name",
        }
    }

    pub fn text(&self) -> &str {
        match self {
            Self::Phone(text)
            | Self::Email(text)
            | Self::ChatId(text)
            | Self::Handle(text)
            | Self::Name(text) => text,
            Self::Id(id) => id.as_str(),
        }
    }

    /// True if conversations of the platform can have this field.
    pub fn is_on(&self, platform: &Platform) -> bool {
        match self {
            Self::Phone(_) => matches!(platform, Platform::Whatsapp | Platform::Voip),
            Self::Email(_) => *platform == Platform::Email,
            Self::ChatId(_) | Self::Handle(_) => *platform == Platform::Telegram,
            Self::Id(_) | Self::Name(_) => platform.has_conversations(),
        }
    }

    /// True if several conversations can match, so that the whole list must be read before
    /// choosing. Ids and chat addresses are unique.
    pub fn is_ambiguous(&self) -> bool {
        matches!(self, Self::Email(_) | Self::Handle(_) | Self::Name(_))
    }

    pub fn matches(&self, candidate: &Candidate) -> bool {
        let conversation = &candidate.row.conversation;
        let address = conversation.address.as_deref();
        let field = |field: Option<&SafeText>, text: &str| {
            field.is_some_and(|field| field.as_str().eq_ignore_ascii_case(text))
        };
        self.is_on(&candidate.platform)
            && match self {
                Self::Phone(text) | Self::ChatId(text) => address == Some(text),
                Self::Email(email) => address.is_some_and(|address| address.eq_ignore_ascii_case(email)),
                Self::Handle(handle) => field(conversation.username.as_ref(), handle),
                Self::Id(id) => conversation.id == *id,
                Self::Name(name) => field(conversation.name.as_ref(), name),
            }
    }

    /// Returns the only match.
    ///
    /// # Errors
    /// Fails if there is no match or more than one.
    pub fn resolve(&self, all: Vec<Candidate>) -> Result<Candidate, Unresolved> {
        let mut left: Vec<Candidate> = all.into_iter().filter(|candidate| self.matches(candidate)).collect();
        // A TEST key lists the same conversations as the LIVE key of the account.
        let live: Vec<ConversationIdentity> =
            left.iter().filter(|candidate| !candidate.is_test()).map(Candidate::identity).collect();
        left.retain(|candidate| !candidate.is_test() || !live.contains(&candidate.identity()));
        if !matches!(self, Self::Name(_) | Self::Id(_)) {
            // Prefer chats and mail over calls and SMS with the same number.
            if left.iter().any(|candidate| candidate.platform.has_histories()) {
                left.retain(|candidate| candidate.platform.has_histories());
            }
            // Several conversations with the same customer on one channel: prefer the open one.
            let one_person = left.windows(2).all(|window| window[0].has_same_customer(&window[1]));
            if one_person && left.iter().any(Candidate::is_open) {
                left.retain(Candidate::is_open);
            }
        }
        match left.len() {
            0 => Err(Unresolved::Nobody(self.clone())),
            1 => left.pop().ok_or_else(|| Unresolved::Nobody(self.clone())),
            _ => Err(Unresolved::Several(self.clone(), left)),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub row: ConversationRow,
    pub platform: Platform,
    /// TEST if the channel's key only validates.
    pub environment: Environment,
    pub workspace: String,
}

/// Common identity of the LIVE and the TEST view of a conversation.
type ConversationIdentity = (String, Platform, ConversationId);

impl Candidate {
    pub fn is_test(&self) -> bool {
        self.environment == Environment::Test
    }

    fn is_open(&self) -> bool {
        self.row.conversation.status != ConversationStatus::Closed
    }

    fn identity(&self) -> ConversationIdentity {
        (self.workspace.clone(), self.platform.clone(), self.row.conversation.id.clone())
    }

    fn has_same_customer(&self, other: &Self) -> bool {
        let address = |entry: &Self| entry.row.conversation.address.clone();
        self.row.channel == other.row.channel && address(self).is_some() && address(self) == address(other)
    }
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Unresolved {
    Nobody(Selector),
    Several(Selector, Vec<Candidate>),
    /// Not every conversation has been read, so there may be other matches.
    Unread(Selector),
}

impl fmt::Display for Unresolved {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nobody(selector) => {
                write!(formatter, "no conversation has the {} {:?}", selector.kind(), selector.text())?;
                let is_id = matches!(selector, Selector::Id(_));
                if is_id { write!(formatter, "; names need --name") } else { Ok(()) }
            }
            Self::Several(selector, all) => {
                let (count, kind) = (all.len(), selector.kind());
                write!(formatter, "{count} conversations have the {kind} {:?}: ", selector.text())?;
                let listed: Vec<String> =
                    all.iter().take(MAX_LISTED_CANDIDATES).map(Candidate::describe).collect();
                formatter.write_str(&listed.join(", "))?;
                let more = count.saturating_sub(MAX_LISTED_CANDIDATES);
                if more > 0 { write!(formatter, " and {more} more") } else { Ok(()) }
            }
            Self::Unread(selector) => write!(
                formatter,
                "not all conversations have been read yet, and more than one may have the {} {:?}",
                selector.kind(),
                selector.text()
            ),
        }
    }
}

impl Candidate {
    /// Describes id, address and channel; never the name alone.
    fn describe(&self) -> String {
        let conversation = &self.row.conversation;
        let address = conversation.address.as_deref().unwrap_or("no address");
        let test = if self.is_test() { " (TEST)" } else { "" };
        SafeText::line(&format!("{} ({address}) on {}{test}", conversation.id, self.row.channel)).to_string()
    }
}

#[cfg(test)]
mod tests;
