//! The interface's writes: how each is asked for, and how its effects are
//! counted in the service's file.

use frontdesk::model::account::Platform;
use frontdesk::model::ids::{ConversationId, MessageId};
use frontdesk::model::outbox::Operation;
use serde_json::Value;

use crate::faults::world::World;

/// A write of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Write {
    /// Method and path as the interface names it.
    pub name: &'static str,
    /// Whose key it needs.
    pub channel: &'static str,
}

const fn write(name: &'static str, channel: &'static str) -> Write {
    Write { name, channel }
}

/// All of them.
pub const WRITES: [Write; 6] = [
    write("POST /messages/send", "whatsapp"),
    write("POST /messages/{messageId}/react", "whatsapp"),
    write("PATCH /conversations/{conversationId}", "whatsapp"),
    write("POST /conversations/{conversationId}/close", "whatsapp"),
    write("POST /telegram/send", "telegram"),
    write("POST /telegram/messages/{messageId}/react", "telegram"),
];

/// A write that is about to be asked for, on things of its own.
pub struct Wish {
    pub conversation: ConversationId,
    pub platform: Platform,
    pub operation: Operation,
    /// Counts its effects: `?1` is `subject`.
    effects: &'static str,
    subject: String,
}

impl Wish {
    /// How often it has had its effect.
    pub fn effects(&self, world: &World) -> i64 {
        world.number(self.effects, [&self.subject])
    }
}

impl Write {
    /// Makes what it is about, and the wish; `number` is nobody else's.
    pub async fn wish(self, world: &World, number: usize) -> Wish {
        let peer = if self.channel == "telegram" { format!("7{number:07}") } else { phone(number) };
        let inbound = world.inbound(self.channel, &peer).await;
        let (conversation, message) = (text(&inbound, "conversationId"), text(&inbound, "messageId"));
        let content = format!("text of cell {number}");
        let (operation, effects, subject) = match self.name {
            "POST /messages/send" | "POST /telegram/send" => (
                Operation::SendText { to: peer, text: content.clone(), reply_to: None },
                "SELECT count(*) FROM outbound WHERE content = ?1",
                content,
            ),
            "PATCH /conversations/{conversationId}" => (
                Operation::SetAutomation { enabled: false },
                "SELECT count(*) FROM conversations WHERE id = ?1 AND automation = 0",
                conversation.clone(),
            ),
            "POST /conversations/{conversationId}/close" => (
                Operation::Close,
                "SELECT count(*) FROM conversations WHERE id = ?1 AND status = 'closed'",
                conversation.clone(),
            ),
            _ => (
                Operation::React { message: MessageId::from(message.as_str()), emoji: "👍".into() },
                "SELECT count(*) FROM messages WHERE id = ?1 AND reaction = '👍'",
                message,
            ),
        };
        let platform = if self.channel == "telegram" { Platform::Telegram } else { Platform::Whatsapp };
        Wish { conversation: ConversationId::new(conversation), platform, operation, effects, subject }
    }
}

/// A number whose messages arrive.
pub fn phone(number: usize) -> String {
    format!("+34{number:05}1111")
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_else(|| panic!("{name} in {value}")).to_owned()
}
