//! Deleting a person together with the conversation's history. The user confirms with the last four
//! digits of the number and can export the transcript first.

use crate::Inbox;
use crate::components::dialog::{Dialog, DialogLine, Tone};
use crate::components::form::FormKey;
use crate::components::text_line::TextLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Load};
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::overlays::view::OverlayView;
use crate::screens::people::People;
use crate::screens::people::form::PendingPersonAction;
use crate::screens::people::saving;
use model::contacts::PersonDetail;
use model::outbox::Operation;
use model::queries::{ConversationKey, TranscriptFormat};
use model::text::SafeText;
use model::time::SECOND;

const CONFIRMATION_DIGITS: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletePersonPrompt {
    pub person: PersonDetail,
    pub typed: TextLine,
    /// File name of the requested transcript.
    pub exported: Option<String>,
}

impl DeletePersonPrompt {
    pub fn confirmation_digits(&self) -> &str {
        let phone = &self.person.phone;
        &phone[phone.len().saturating_sub(CONFIRMATION_DIGITS)..]
    }
}

impl Overlay for DeletePersonPrompt {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        match FormKey::of(key, &mut 0, 0..1) {
            FormKey::Leave => {
                inbox.context.show_notice("kept; nothing was deleted");
                return KeyOutcome::Done;
            }
            FormKey::Submit if self.typed.text() == self.confirmation_digits() => {
                delete_person(&mut inbox.desk, self, &mut inbox.context);
                return KeyOutcome::Done;
            }
            FormKey::Submit => inbox.context.show_warning(format!(
                "not deleted: type {}, the last {CONFIRMATION_DIGITS} digits of {}",
                self.confirmation_digits(),
                self.person.phone
            )),
            FormKey::FieldInput if key.ctrl && key.code == KeyCode::Char('e') => {
                export_transcript(&mut inbox.desk, self, &mut inbox.context)
            }
            FormKey::FieldInput => drop(self.typed.key(key)),
            FormKey::FocusMoved => (),
        }
        KeyOutcome::Stay
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::TypedAnswer
    }
}

impl OverlayView for DeletePersonPrompt {
    fn dialog(&self, _inbox: &Inbox) -> Dialog {
        let person = &self.person;
        let name = if person.name.is_empty() { String::new() } else { format!("{} · ", person.name) };
        let who = SafeText::line(&format!("{name}{}", person.phone));
        let mut lines = vec![DialogLine::strong(who.to_string())];
        let history = if person.conversation.is_some() {
            "Deletes the contact and the whole conversation from the server. This cannot be undone."
        } else {
            "Deletes the contact from the server. There is no conversation. This cannot be undone."
        };
        lines.push(DialogLine::error(history));
        lines.push(DialogLine::blank());
        match (&self.exported, &person.conversation) {
            (Some(file), _) => lines.push(DialogLine::plain(format!(
                "Writing the transcript to {file}; the status line shows the result."
            ))),
            (None, Some(_)) => {
                let words = "first save the transcript, as far as read here";
                lines.push(DialogLine::keys(&[("Ctrl-E", words)]).with_tone(Tone::Plain));
            }
            (None, None) => (),
        }
        lines.push(DialogLine::blank());
        let typed = self.typed.text();
        let words = format!("Type the last four digits of the number to DELETE: {typed}_");
        lines.push(DialogLine::strong(words));
        lines.push(DialogLine::keys(&[("Enter", "DELETE"), ("Esc", "keep")]));
        Dialog::new("DELETE this person?", lines)
    }
}

impl People {
    pub(crate) fn ask_delete_person(&mut self, desk: &Desk, context: &mut Context) {
        let Some(phone) = self.rows.chosen().map(|chosen| chosen.phone.clone()) else { return };
        self.opening = PendingPersonAction { delete: Some(phone.clone()), ..PendingPersonAction::default() };
        context.push(Effect::Load(Load::Person(desk.tab().channel.id.clone(), phone)));
    }
}

pub(crate) fn open_delete_prompt(context: &mut Context, person: PersonDetail) {
    let typed = TextLine::default();
    context.open(DeletePersonPrompt { person, typed, exported: None });
}

/// Exports the locally stored part of the transcript.
fn export_transcript(desk: &mut Desk, asked: &mut DeletePersonPrompt, context: &mut Context) {
    let Some(conversation) = asked.person.conversation.clone() else {
        return context.show_warning("no conversation to export");
    };
    let digits: String = asked.person.phone.chars().filter(char::is_ascii_digit).collect();
    let file = format!("{digits}.md");
    let tab = desk.tab();
    let (name, channel) = (tab.channel.name.clone(), tab.channel.id.clone());
    let key = ConversationKey { channel, conversation };
    context.push(FileWrite::Export { key, name, format: TranscriptFormat::Markdown, file: file.clone() });
    asked.exported = Some(file);
}

fn delete_person(desk: &mut Desk, asked: &DeletePersonPrompt, context: &mut Context) {
    let phone = asked.person.phone.clone();
    let Some(contact) = asked.person.id.clone() else { return };
    let hold = context.settings.hold;
    let operation = Operation::DeleteContact { contact, phone: phone.clone() };
    let Some(intent) = saving::contact_intent(desk, &phone, operation, hold) else { return };
    context.push(FileWrite::Enqueue { intents: vec![intent], clears_draft: false });
    match hold / SECOND {
        0 => context.show_notice(format!("deleting {phone}")),
        seconds => context
            .show_notice(context.fill_in_keys(&format!("deleting {phone} in {seconds} s · {{undo}} undo"))),
    }
}
