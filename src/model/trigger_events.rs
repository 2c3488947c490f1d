//! Events of the triggers: messages, contacts, orders, appointments, completed campaigns. The
//! interface documents the format of messages only, so every item is kept as a title and fields.

use crate::ids::ConversationId;
use crate::text::SafeText;
use crate::time::Timestamp;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TriggerKind {
    Message,
    Contact,
    Order,
    Appointment,
    Campaign,
}

impl TriggerKind {
    pub const ALL: [Self; 5] = [Self::Message, Self::Contact, Self::Order, Self::Appointment, Self::Campaign];

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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriggerEvent {
    pub trigger: TriggerKind,
    /// Id of the item, or a hash of it.
    pub id: String,
    pub at: Option<Timestamp>,
    pub title: SafeText,
    pub phone: Option<String>,
    pub conversation: Option<ConversationId>,
    /// All fields with values; names of nested fields are dotted.
    pub fields: Vec<(SafeText, SafeText)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TriggerEvents {
    /// Items of all triggers, newest first.
    pub items: Vec<TriggerEvent>,
    /// Triggers that failed, with the reason.
    pub errors: Vec<(TriggerKind, SafeText)>,
}
