//! What the triggers tell: new messages, contacts, orders, appointments,
//! completed campaigns. The shapes of all but the first are not told by the
//! interface, so an item is a heading and its fields, whatever they are.
//!
//! Interface: Triggers.

use crate::ids::ConversationId;
use crate::text::SafeText;
use crate::time::Timestamp;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TriggerKind {
    /// A customer wrote.
    Message,
    /// Someone became a contact.
    Contact,
    /// An order came in.
    Order,
    /// An appointment was made.
    Appointment,
    /// A campaign was completed.
    Campaign,
}

impl TriggerKind {
    pub const ALL: [Self; 5] = [Self::Message, Self::Contact, Self::Order, Self::Appointment, Self::Campaign];

    /// What one of its items is called.
    pub fn label(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Contact => "contact",
            Self::Order => "order",
            Self::Appointment => "appointment",
            Self::Campaign => "campaign",
        }
    }
}

/// One item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriggerEvent {
    pub trigger: TriggerKind,
    /// Its id, or a print of it: names it.
    pub id: String,
    /// When, as far as it tells.
    pub at: Option<Timestamp>,
    pub title: SafeText,
    /// The number of whom it is about, if it tells one.
    pub phone: Option<String>,
    /// The conversation it is about, if it tells one.
    pub conversation: Option<ConversationId>,
    /// All of its fields: names, dotted where they are nested, and values.
    pub fields: Vec<(SafeText, SafeText)>,
}

/// What the triggers told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TriggerEvents {
    /// The items of all of them, the newest first.
    pub items: Vec<TriggerEvent>,
    /// Triggers that told nothing, and why.
    pub errors: Vec<(TriggerKind, SafeText)>,
}
