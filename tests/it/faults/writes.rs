//! Writes of the API: how each is requested, and how its effects are counted.

use frontdesk::client::{Attachments, prepare_with};
use frontdesk::model::account::Platform;
use frontdesk::model::ids::{ContactId, ConversationId, MessageId, ThreadId, WebhookId};
use frontdesk::model::outbox::content::{Audience, BroadcastContent, ContactPatch, Mail, ThreadChange};
use frontdesk::model::outbox::{Lane, Operation, PreparedRequest};
use serde_json::{Value, json};

use crate::faults::world::World;

const FILE: &[u8] = b"\x89PNG\r\n\x1a\n and so on";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Write {
    /// Method and path of the operation.
    pub name: &'static str,
    /// Channel whose key is needed.
    pub channel: &'static str,
}

const fn write(name: &'static str, channel: &'static str) -> Write {
    Write { name, channel }
}

pub const WRITES: [Write; 18] = [
    write("POST /messages/send", "whatsapp"),
    write("POST /messages/{messageId}/react", "whatsapp"),
    write("PATCH /conversations/{conversationId}", "whatsapp"),
    write("POST /conversations/{conversationId}/close", "whatsapp"),
    write("POST /contacts", "whatsapp"),
    write("DELETE /contacts/{contactId}", "whatsapp"),
    write("POST /broadcast", "whatsapp"),
    write("POST /media", "whatsapp"),
    write("POST /telegram/send", "telegram"),
    write("POST /telegram/messages/{messageId}/react", "telegram"),
    write("POST /email/send", "email"),
    write("PATCH /email/threads/{threadId}", "email"),
    write("POST /email/webhooks", "email"),
    write("DELETE /email/webhooks/{webhookId}", "email"),
    write("POST /webhooks", "whatsapp"),
    write("DELETE /webhooks/{webhookId}", "whatsapp"),
    write("POST /voip/calls", "voip"),
    write("POST /voip/sms", "voip"),
];

/// A write with objects of its own.
pub struct Wish {
    pub lane: Lane,
    pub operation: Operation,
    pub request: PreparedRequest,
    /// Query that counts its effects; `?1` is `subject`.
    effects: &'static str,
    subject: String,
}

impl Wish {
    pub fn effects(&self, world: &World) -> i64 {
        world.number(self.effects, [&self.subject])
    }
}

/// Operation and the query for its effects.
struct Wanted {
    operation: Operation,
    conversation: Option<ConversationId>,
    effects: &'static str,
    subject: String,
}

impl Write {
    /// Creates the objects and the wish; `number` is unique.
    pub async fn wish(self, world: &World, number: usize) -> Wish {
        let wanted = match self.name.split(['/', ' ']).nth(2) {
            Some("messages" | "conversations" | "telegram") => self.chat(world, number).await,
            Some("email") if !self.name.contains("webhooks") => self.mail(world, number).await,
            Some("voip") => self.voice(number),
            _ => self.other(world, number).await,
        };
        let Wanted { operation, conversation, effects, subject } = wanted;
        let lane = operation.lane(conversation.as_ref()).expect("a lane");
        let files = Attachments { files: &[FILE], ..Attachments::default() };
        let enclosed =
            if matches!(operation, Operation::Upload { .. }) { files } else { Attachments::default() };
        let request = prepare_with(&self.platform(), &lane, &operation, enclosed).expect("can be sent");
        Wish { lane, operation, request, effects, subject }
    }

    fn platform(self) -> Platform {
        match self.channel {
            "telegram" => Platform::Telegram,
            "email" => Platform::Email,
            "voip" => Platform::Voip,
            _ => Platform::Whatsapp,
        }
    }

    async fn chat(self, world: &World, number: usize) -> Wanted {
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
        Wanted { operation, conversation: Some(ConversationId::new(conversation)), effects, subject }
    }

    async fn mail(self, world: &World, number: usize) -> Wanted {
        let address = format!("customer{number}@mail.example");
        if self.name == "POST /email/send" {
            let subject = format!("mail of cell {number}");
            let body = Some("hello".to_owned());
            let mail = Mail { to: vec![address], subject: subject.clone(), text: body, ..Mail::default() };
            let effects = "SELECT count(*) FROM emails WHERE subject = ?1 AND direction = 'outbound'";
            return Wanted {
                operation: Operation::SendMail(Box::new(mail)),
                conversation: None,
                effects,
                subject,
            };
        }
        let thread = text(&world.inbound("email", &address).await, "threadId");
        let change = ThreadChange { is_starred: Some(true), ..ThreadChange::default() };
        Wanted {
            operation: Operation::ChangeThread { thread: ThreadId::from(thread.as_str()), change },
            conversation: None,
            effects: "SELECT count(*) FROM threads WHERE id = ?1 AND is_starred = 1",
            subject: thread,
        }
    }

    fn voice(self, number: usize) -> Wanted {
        let to = phone(number);
        let (operation, effects, subject) = if self.name == "POST /voip/sms" {
            let body = format!("sms of cell {number}");
            (
                Operation::SendSms { to, body: body.clone(), via: None },
                "SELECT count(*) FROM outbound WHERE content = ?1",
                body,
            )
        } else {
            (
                Operation::Call { to: to.clone(), via: None, context: None },
                "SELECT count(*) FROM calls JOIN conversations c ON c.id = conversation WHERE c.peer = ?1",
                to,
            )
        };
        Wanted { operation, conversation: None, effects, subject }
    }

    async fn other(self, world: &World, number: usize) -> Wanted {
        let phone = phone(number);
        let contact = async || {
            let made = world.post("whatsapp", "/contacts", json!({ "phone": phone.clone() })).await;
            text(&made, "id")
        };
        let url = format!("{}?cell={number}", world.receiver.url);
        let (operation, effects, subject) = match self.name {
            "POST /contacts" => {
                let wish = ContactPatch { phone: phone.clone(), ..ContactPatch::default() };
                (
                    Operation::SaveContact(Box::new(wish)),
                    "SELECT count(*) FROM contacts WHERE phone = ?1",
                    phone.clone(),
                )
            }
            "DELETE /contacts/{contactId}" => {
                let id = contact().await;
                let phone = phone.clone();
                let operation = Operation::DeleteContact { contact: ContactId::from(id.as_str()), phone };
                (operation, "SELECT 1 - count(*) FROM contacts WHERE id = ?1", id)
            }
            "POST /broadcast" => {
                let to = Audience::Contacts(vec![ContactId::new(contact().await)]);
                let content = format!("broadcast of cell {number}");
                let operation = Operation::Broadcast { to, content: BroadcastContent::Text(content.clone()) };
                (operation, "SELECT count(*) FROM broadcasts WHERE content = ?1", content)
            }
            "POST /media" => {
                let filename = format!("cell{number}.png");
                let size = u64::try_from(FILE.len()).expect("small");
                let mime_type = "image/png".to_owned();
                let operation = Operation::Upload { filename: filename.clone(), mime_type, size };
                (operation, "SELECT count(*) FROM media WHERE filename = ?1", filename)
            }
            "POST /webhooks" | "POST /email/webhooks" => (
                Operation::AddWebhook { url: url.clone(), events: Vec::new() },
                "SELECT count(*) FROM webhooks WHERE url = ?1",
                url,
            ),
            _ => {
                let path = if self.channel == "email" { "/email/webhooks" } else { "/webhooks" };
                let id = text(&world.post(self.channel, path, json!({ "url": url })).await, "id");
                let operation = Operation::RemoveWebhook { webhook: WebhookId::from(id.as_str()), url };
                (operation, "SELECT 1 - count(*) FROM webhooks WHERE id = ?1", id)
            }
        };
        Wanted { operation, conversation: None, effects, subject }
    }
}

/// A number that receives messages.
pub fn phone(number: usize) -> String {
    format!("+34{number:05}1111")
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_else(|| panic!("{name} in {value}")).to_owned()
}
