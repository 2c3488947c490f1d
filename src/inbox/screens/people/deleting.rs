//! Deleting a person: behind the last four digits of the number, with the
//! transcript offered first. It takes the conversation's history with it.

use crate::Inbox;
use crate::components::text_line::TextLine;
use crate::event::{Effect, Load};
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::Layer;
use crate::screens::people::form::Opening;
use model::contacts::PersonDetail;
use model::outbox::Operation;
use model::queries::{ConversationKey, TranscriptFormat};
use model::time::SECOND;

/// Digits that are to be typed.
const DIGITS: usize = 4;

/// The question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deleting {
    /// Who.
    pub person: PersonDetail,
    /// What was typed.
    pub typed: TextLine,
    /// The file the transcript was asked to be written into.
    pub exported: Option<String>,
}

impl Deleting {
    /// The digits that agree to it.
    pub fn wanted(&self) -> &str {
        let phone = &self.person.phone;
        &phone[phone.len().saturating_sub(DIGITS)..]
    }
}

impl Inbox {
    /// Reads the chosen person, then asks.
    pub(crate) fn ask_delete_person(&mut self) {
        let Some(phone) = self.people.rows.chosen().map(|it| it.phone.clone()) else { return };
        self.people.opening = Opening { delete: Some(phone.clone()), ..Opening::default() };
        self.context.push(Effect::Load(Load::Person(self.tab().channel.id.clone(), phone)));
    }

    pub(crate) fn open_delete(&mut self, person: PersonDetail) {
        let typed = TextLine::default();
        self.open_layer(Layer::AskDeletePerson(Box::new(Deleting { person, typed, exported: None })));
    }

    /// A key goes to the question.
    pub(crate) fn delete_key(&mut self, mut asked: Box<Deleting>, key: KeyPress) {
        match key.code {
            KeyCode::Esc => return self.say("kept; nothing was deleted"),
            KeyCode::Char('c') if key.ctrl => return self.say("kept; nothing was deleted"),
            KeyCode::Char('e') if key.ctrl => self.export_before(&mut asked),
            KeyCode::Enter if asked.typed.text() == asked.wanted() => return self.delete(&asked),
            KeyCode::Enter => self.warn(format!(
                "not deleted: type {}, the last {DIGITS} digits of {}",
                asked.wanted(),
                asked.person.phone
            )),
            _ => drop(asked.typed.key(key)),
        }
        self.layers.push(Layer::AskDeletePerson(asked));
    }

    /// Writes the transcript as far as it was read here.
    fn export_before(&mut self, asked: &mut Deleting) {
        let Some(conversation) = asked.person.conversation.clone() else {
            return self.warn("there is no conversation to export");
        };
        let digits: String = asked.person.phone.chars().filter(char::is_ascii_digit).collect();
        let file = format!("{digits}.md");
        let tab = self.tab();
        let (name, channel) = (tab.channel.name.clone(), tab.channel.id.clone());
        let key = ConversationKey { channel, conversation };
        self.context.push(Effect::Export {
            key,
            name,
            format: TranscriptFormat::Markdown,
            file: file.clone(),
        });
        asked.exported = Some(file);
    }

    fn delete(&mut self, asked: &Deleting) {
        let phone = asked.person.phone.clone();
        let Some(contact) = asked.person.id.clone() else { return };
        let hold = self.context.settings.hold;
        let operation = Operation::DeleteContact { contact, phone: phone.clone() };
        let Some(intent) = self.contact_intent(&phone, operation, hold) else { return };
        self.context.push(Effect::Enqueue { intents: vec![intent], clears_draft: false });
        match hold / SECOND {
            0 => self.say(format!("deleting {phone}")),
            seconds => self.say(self.keyed(&format!("deleting {phone} in {seconds} s · {{undo}} keeps it"))),
        }
    }
}
