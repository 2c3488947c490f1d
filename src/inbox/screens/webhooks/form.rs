//! Registering a webhook. The signing secret is generated here and shown once.

use crate::Inbox;
use crate::components::dialog::{Dialog, DialogLine, Tone};
use crate::components::form::FormKey;
use crate::components::text_line::TextLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{FileWrite, TerminalOrder};
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::overlays::view::OverlayView;
use crate::screens::webhooks::webhook_intent;
use model::account::Platform;
use model::outbox::Operation;
use model::secret::Secret;
use model::text::SafeText;
use model::webhooks;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookForm {
    pub url: TextLine,
    /// Name and description of each event; true if selected.
    pub events: Vec<(&'static str, &'static str, bool)>,
    pub secret: Option<Secret>,
    pub signs: bool,
    /// Focused place: the address, then the events, then the secret.
    pub focus: usize,
    pub shows_all_errors: bool,
    pub copied: bool,
}

impl WebhookForm {
    pub fn new(platform: &Platform) -> Self {
        let events = webhooks::events_of(platform).iter().map(|(name, what)| (*name, *what, true)).collect();
        Self {
            url: TextLine::new("https://"),
            events,
            secret: None,
            signs: true,
            focus: 0,
            shows_all_errors: false,
            copied: false,
        }
    }

    /// The address. A whole URL pasted behind the prefilled `https://` replaces it.
    pub fn address(&self) -> &str {
        let url = self.url.text().trim();
        let pasted = url.strip_prefix("https://").map(str::trim_start);
        let is_whole = |text: &&str| text.starts_with("https://") || text.starts_with("http://");
        pasted.filter(is_whole).unwrap_or(url)
    }

    pub fn first_error(&self) -> Option<String> {
        let url = self.address();
        let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
        if !rest.is_some_and(|text| {
            text.starts_with(|sign: char| sign.is_alphanumeric() || sign == '[')
                && !url.contains(char::is_whitespace)
                && !text.contains("://")
        }) {
            return Some("the address must begin with https:// and name a host".to_owned());
        }
        if !self.events.iter().any(|event| event.2) {
            return Some("choose at least one event".to_owned());
        }
        None
    }

    pub fn chosen_events(&self) -> Vec<String> {
        self.events.iter().filter(|event| event.2).map(|event| event.0.to_owned()).collect()
    }
}

impl Overlay for WebhookForm {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        match FormKey::of(key, &mut self.focus, 0..self.events.len() + 2) {
            FormKey::Leave => return KeyOutcome::Done,
            FormKey::FocusMoved => (),
            FormKey::Submit => {
                self.shows_all_errors = true;
                match self.first_error() {
                    None => {
                        inbox.context.open(WebhookQuestion { form: self.clone() });
                        return KeyOutcome::Done;
                    }
                    Some(why) => inbox.context.show_warning(format!("not yet: {why}")),
                }
            }
            FormKey::FieldInput if self.focus == 0 => drop(self.url.key(key)),
            FormKey::FieldInput if key.code == KeyCode::Char(' ') => {
                match self.events.get_mut(self.focus - 1) {
                    Some(event) => event.2 = !event.2,
                    None => self.signs = !self.signs,
                }
            }
            FormKey::FieldInput => (),
        }
        KeyOutcome::Stay
    }

    fn input(&self) -> OverlayInput {
        if self.focus == 0 { OverlayInput::Letters } else { OverlayInput::Keys }
    }
}

pub(crate) fn receive_secret(context: &mut Context, secret: Secret) {
    if let Some(form) = context.overlays.top_mut::<WebhookForm>() {
        form.secret.get_or_insert(secret);
    }
}

fn register_webhook(desk: &mut Desk, form: &WebhookForm, secret: Option<Secret>, context: &mut Context) {
    let url = form.address().to_owned();
    let operation = Operation::AddWebhook { url, events: form.chosen_events() };
    let Some(intent) = webhook_intent(desk, operation) else {
        return context.show_warning("not registered: the channel has not answered yet");
    };
    context.push(FileWrite::RegisterWebhook { intent: Box::new(intent), secret });
    context.show_notice("registering; the server asks the endpoint for its challenge now");
}

#[derive(Debug)]
pub(crate) struct WebhookQuestion {
    pub(crate) form: WebhookForm,
}

impl WebhookQuestion {
    fn lines(&self) -> Vec<DialogLine> {
        let form = &self.form;
        let mut lines = vec![
            DialogLine::strong(SafeText::line(form.address()).to_string()),
            DialogLine::plain(format!("receives {}.", form.chosen_events().join(", "))),
            DialogLine::blank(),
        ];
        match form.secret.as_ref().filter(|_| form.signs) {
            Some(secret) => {
                lines.push(DialogLine::plain(
                    "Its deliveries are signed with this secret. It is shown only here:",
                ));
                lines.push(DialogLine::new(secret.expose(), Tone::Own));
                let copied = if form.copied { "copied" } else { "not copied yet" };
                lines.push(DialogLine::dim(format!("Store it at the endpoint first ({copied}).")));
            }
            None => lines.push(DialogLine::new(
                "Its deliveries are NOT signed: anyone with the address can fake them.",
                Tone::NeedsAttention,
            )),
        }
        lines.push(DialogLine::blank());
        lines.push(DialogLine::plain(
        "The server asks the address for a challenge at once: GET with ?challenge=VALUE, to be answered with the VALUE \
         alone as plain text.",
    ));
        lines.push(DialogLine::blank());
        let keys = [("c", "copy the secret"), ("y", "REGISTER"), ("Esc", "back")];
        lines.push(DialogLine::keys(&keys[usize::from(!form.signs)..]));
        lines
    }
}

impl Overlay for WebhookQuestion {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        match (key.typed(), self.form.secret.clone().filter(|_| self.form.signs)) {
            (Some('y'), secret) => register_webhook(&mut inbox.desk, &self.form, secret, &mut inbox.context),
            (Some('c'), Some(secret)) => {
                let effect = TerminalOrder::Copy(secret.expose().to_owned(), "the secret".to_owned());
                inbox.context.push(effect);
                return KeyOutcome::Stay;
            }
            _ if key.code == KeyCode::Esc => inbox.context.overlays.push(self.form.clone()),
            _ => return KeyOutcome::Ignored,
        }
        KeyOutcome::Done
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Answer
    }
}

impl OverlayView for WebhookQuestion {
    fn dialog(&self, _inbox: &Inbox) -> Dialog {
        Dialog::new("REGISTER this webhook?", self.lines())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_said() {
        let mut form = WebhookForm::new(&Platform::Whatsapp);
        for (url, wrong) in
            [("https://", true), ("ftp://x", true), ("https://a b", true), ("https://hook.example/x", false)]
        {
            form.url.set(url);
            assert_eq!(form.first_error().is_some(), wrong, "{url}");
        }
        form.events.iter_mut().for_each(|event| event.2 = false);
        assert!(form.first_error().is_some_and(|wrong| wrong.contains("at least one event")));
        assert_eq!(WebhookForm::new(&Platform::Email).chosen_events()[0], "email.received");
    }
}
