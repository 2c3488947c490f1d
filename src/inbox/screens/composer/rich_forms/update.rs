use crate::Inbox;
use crate::components::form::FormKey;
use crate::context::Context;
use crate::desk::Desk;
use crate::keys::KeyPress;
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::screens::composer::rich_forms::{RichForm, RichFormKind};
use crate::screens::composer::sending;
use model::contact_cards::ContactToSend;
use model::outbox::Operation;
use model::outbox::content::ChatContent;
use model::places;
use model::prices::{self, Price};
use model::text;

impl Overlay for RichForm {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        match FormKey::of(key, &mut self.focus, 0..self.values.len()) {
            // The form is kept for its next opening.
            FormKey::Leave => {
                inbox.desk.tab_mut().form = Some(self.clone());
                return KeyOutcome::Done;
            }
            FormKey::FocusMoved => (),
            FormKey::Submit => {
                self.shows_all_errors = true;
                match (self.first_error(), self.content()) {
                    (None, Some(content)) => return send_form_content(inbox, content, self),
                    (Some((field, why)), _) => {
                        self.focus = field;
                        inbox.context.show_warning(format!("not sent: {} {why}", self.kind.label(field)));
                    }
                    (None, None) => (),
                }
            }
            FormKey::FieldInput => {
                self.values[self.focus].key(key);
                self.add_empty_row();
            }
        }
        KeyOutcome::Stay
    }

    /// Coordinates or a map link fill both fields of a location, a name with a number those of a contact.
    fn paste(&mut self, _inbox: &mut Inbox, outside: &str) -> bool {
        let clean = text::clean_pasted(outside);
        if let (RichFormKind::Location, 0 | 1, Some((latitude, longitude))) =
            (self.kind, self.focus, places::parse_coordinates(&clean))
        {
            self.values[0].set(latitude);
            self.values[1].set(longitude);
            self.focus = 2;
            return true;
        }
        if let (RichFormKind::Contact, 0, Ok(card)) =
            (self.kind, self.focus, ContactToSend::parse(&clean, None))
        {
            self.values[0].set(card.name);
            self.values[1].set(card.phone);
            self.focus = 2;
            return true;
        }
        if let Some(value) = self.values.get_mut(self.focus) {
            value.insert(clean.trim());
        }
        self.add_empty_row();
        true
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Text
    }

    fn on_sent(&mut self, inbox: &mut Inbox) {
        let now = inbox.context.moment;
        let draft = inbox.desk.tab_mut().composer.as_mut().filter(|composer| composer.has_reply());
        let words = match draft {
            None => "queued",
            Some(draft) if self.matches_reply(&draft.reply_text()) => {
                draft.clear_reply(now);
                "queued, with your draft as its text"
            }
            Some(_) => "queued; your draft is kept",
        };
        inbox.context.show_notice(words);
    }
}

pub fn form_price(_inbox: &Inbox) -> Price {
    Price::exactly(prices::TEXT_CREDITS)
}

/// Sends the content of a form or of the JSON editor; the form stays open if it cannot.
pub(crate) fn send_form_content(
    inbox: &mut Inbox,
    content: ChatContent,
    form: &mut dyn Overlay,
) -> KeyOutcome {
    let tab = inbox.desk.tab();
    let row = tab.history.as_ref().and_then(|history| history.row.as_ref());
    let to = row.and_then(|row| row.conversation.address.clone());
    let may_send = match &content {
        ChatContent::Interactive(_) => sending::check_may_send_choices(inbox),
        ChatContent::Contact(_) => sending::check_may_send_contact(inbox),
        _ => sending::check_may_send_content(inbox),
    };
    let refused = match may_send {
        Err(why) => Some(why),
        Ok(()) => tab.payment_error(form_price(inbox)),
    };
    match (to, refused) {
        (Some(to), None) => {
            let reply_to = tab.composer.as_ref().and_then(|composer| composer.reply_to.clone());
            sending::send_form_operation(inbox, Operation::SendContent { to, content, reply_to }, form)
        }
        (_, why) => {
            let why = why.unwrap_or_else(|| "no address to send to".to_owned());
            inbox.context.show_warning(format!("not sent: {why}"));
            KeyOutcome::Stay
        }
    }
}

/// Opens a form; buttons and lists start with the reply as text.
pub(crate) fn open_form(desk: &mut Desk, kind: RichFormKind, context: &mut Context) {
    let kept = desk.tab().form.as_ref().filter(|form| form.kind == kind).cloned();
    let body = desk.tab().composer.as_ref().map(|composer| composer.reply_text()).unwrap_or_default();
    let form = kept.unwrap_or_else(|| RichForm::new(kind, &body));
    desk.tab_mut().form = None;
    context.open(form);
}
