//! Generated conversations, reproducible from a seed.
//!
//! Each conversation depends only on the seed and its number.

use model::account::{Account, Environment, Platform};
use model::chance::Chance;
use model::conversations::{Automation, Conversation, ConversationStatus, Escalation, ServiceWindow};
use model::ids::{ConversationId, MessageId};
use model::messages::{DeliveryStatus, Direction, Message, Sender};
use model::text::SafeText;
use model::time::{HOUR, MINUTE, SECOND, Timestamp};

/// Time of the newest message: 2026-11-20T10:00:00Z, in microseconds.
const NEWEST_MESSAGE_AT: i64 = 1_795_168_800 * SECOND;

const FIRST_NAMES: [&str; 16] = [
    "Maria", "João", "Amara", "Jürgen", "Yuki", "Fatima", "Olena", "Wei", "Priya", "Tomás", "Ingrid", "Omar",
    "Chloé", "Min-jun", "Zoë", "Luca",
];
const LAST_NAMES: [&str; 16] = [
    "Lopez", "Pereira", "Okafor", "Vogt", "Tanaka", "Haddad", "Koval", "Chen", "Sharma", "Novák", "Larsen",
    "Farouk", "Martin", "Park", "Jansen", "Rossi",
];
const WORDS: [&str; 64] = [
    "order",
    "parcel",
    "refund",
    "invoice",
    "delivery",
    "address",
    "Tuesday",
    "please",
    "thanks",
    "where",
    "still",
    "waiting",
    "broken",
    "handle",
    "blue",
    "size",
    "change",
    "cancel",
    "receipt",
    "shop",
    "open",
    "today",
    "tomorrow",
    "voucher",
    "price",
    "colour",
    "missing",
    "arrived",
    "hello",
    "help",
    "number",
    "again",
    "pedido",
    "gracias",
    "envío",
    "dirección",
    "obrigado",
    "entrega",
    "bestellung",
    "danke",
    "rechnung",
    "commande",
    "merci",
    "livraison",
    "ordine",
    "grazie",
    "注文",
    "配送",
    "谢谢",
    "订单",
    "دليل",
    "طلب",
    "заказ",
    "спасибо",
    "주문",
    "감사",
    "return",
    "label",
    "courier",
    "charge",
    "twice",
    "card",
    "window",
    "box",
];

#[derive(Debug)]
pub struct GeneratedData {
    seed: u64,
    conversations: u64,
    messages: u64,
}

impl GeneratedData {
    /// `messages` is the total over all conversations.
    pub fn new(seed: u64, conversations: u32, messages: u64) -> Self {
        Self { seed, conversations: u64::from(conversations), messages }
    }

    pub fn conversations(&self) -> u32 {
        u32::try_from(self.conversations).unwrap_or(u32::MAX)
    }

    pub fn account(&self) -> Account {
        Account {
            id: "account".to_owned(),
            workspace_id: "workspace".to_owned(),
            workspace_name: Some(SafeText::line("Harbor")),
            assistant_name: Some(SafeText::line("Ada")),
            platform: Platform::Whatsapp,
            environment: Environment::Test,
            number: Some(SafeText::line("+34600000000")),
            credits: 1000.0,
            messaging_tier: None,
            quality_rating: None,
            takes_buttons: false,
            takes_voice: false,
            takes_stickers: false,
            takes_contacts: false,
            takes_link_preview: false,
        }
    }

    /// Number of messages in all earlier conversations.
    fn messages_before(&self, index: u64) -> u64 {
        let share = u128::from(self.messages) * u128::from(index) / u128::from(self.conversations.max(1));
        u64::try_from(share).unwrap_or(u64::MAX)
    }

    /// One conversation and its messages, newest first.
    pub fn conversation(&self, index: u32) -> (Conversation, Vec<Message>) {
        let number = u64::from(index);
        let chance = Chance::seeded(self.seed ^ (number << 24));
        let id = ConversationId::new(format!("fill{index:08}"));
        let newest = NEWEST_MESSAGE_AT - i64::from(index) * (40 * SECOND);
        let count = self.messages_before(number + 1) - self.messages_before(number);
        let mut messages = Vec::new();
        let mut at = newest;
        for place in (0..count).rev() {
            messages.push(message(&chance, &id, place, Timestamp::from_micros(at)));
            at -= i64::try_from(chance.below(40)).unwrap_or(0) * MINUTE + SECOND;
        }
        let preview = match messages.first() {
            Some(newest) => newest.content.clone(),
            None => SafeText::line(&sentence(&chance)),
        };
        let name = format!("{} {}", pick(&chance, &FIRST_NAMES), pick(&chance, &LAST_NAMES));
        let conversation = Conversation {
            address: Some(format!("+346{:08}", 10_000_000 + number)),
            name: (chance.below(5) > 0).then(|| SafeText::line(&name)),
            status: if chance.below(4) == 0 { ConversationStatus::Closed } else { ConversationStatus::Open },
            message_count: count,
            preview,
            last_message_at: Some(Timestamp::from_micros(newest)),
            created_at: Some(Timestamp::from_micros(at - HOUR)),
            window: if chance.below(3) == 0 { ServiceWindow::Closed } else { ServiceWindow::Open },
            automation: if chance.below(8) == 0 { Automation::Off } else { Automation::On },
            escalation: Escalation::None,
            raw: "{}".to_owned(),
            ..Conversation::stand_in(id, true)
        };
        (conversation, messages)
    }
}

fn message(chance: &Chance, conversation: &ConversationId, place: u64, at: Timestamp) -> Message {
    let inbound = chance.below(2) == 0;
    let direction = if inbound { Direction::Inbound } else { Direction::Outbound };
    let sender = if inbound { Sender::Customer } else { Sender::Ai };
    let delivery = if inbound { DeliveryStatus::Other("received".to_owned()) } else { DeliveryStatus::Read };
    Message {
        direction,
        sender,
        content: SafeText::line(&sentence(chance)),
        delivery,
        created_at: Some(at),
        raw: "{}".to_owned(),
        ..Message::stand_in(
            MessageId::new(format!("{}-{place}", conversation.as_str())),
            conversation.clone(),
        )
    }
}

/// Three to fourteen words, sometimes followed by an order number.
fn sentence(chance: &Chance) -> String {
    let mut words: Vec<String> = (0..3 + chance.below(12)).map(|_| pick(chance, &WORDS).to_owned()).collect();
    if chance.below(3) == 0 {
        words.push((1000 + chance.below(90_000)).to_string());
    }
    words.join(" ")
}

fn pick<'a>(chance: &Chance, from: &[&'a str]) -> &'a str {
    let count = u64::try_from(from.len()).unwrap_or(1);
    usize::try_from(chance.below(count)).ok().and_then(|at| from.get(at)).copied().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_one_world_and_every_message_is_dealt() {
        let (one, same, other) =
            (GeneratedData::new(7, 30, 100), GeneratedData::new(7, 30, 100), GeneratedData::new(8, 30, 100));
        let dealt: usize = (0..30).map(|number| one.conversation(number).1.len()).sum();
        assert_eq!(dealt, 100);
        assert_eq!(one.conversation(11), same.conversation(11));
        assert_ne!(one.conversation(11).1, other.conversation(11).1);
        let (conversation, messages) = one.conversation(3);
        assert_eq!(conversation.last_message_at, messages[0].created_at);
        assert!(
            messages.windows(2).all(|window| window[0].created_at > window[1].created_at),
            "newest first"
        );
    }
}
