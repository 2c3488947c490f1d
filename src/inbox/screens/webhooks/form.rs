//! Registering a webhook: where deliveries go, what is told, and the secret
//! they are signed with, which is made here and shown this once.

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
use model::account::Platform;
use model::outbox::Operation;
use model::secret::Secret;
use model::text::SafeText;
use model::webhooks;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookForm {
    pub url: TextLine,
    /// The events of the channel, with what each tells, and whether it is
    /// wanted.
    pub events: Vec<(&'static str, &'static str, bool)>,
    /// What deliveries are signed with, once it was made.
    pub secret: Option<Secret>,
    pub signs: bool,
    /// The place with the keyboard: the address, the events, the secret.
    pub focus: usize,
    /// Whether it was tried to go on.
    pub tried: bool,
    /// Whether the secret was copied.
    pub copied: bool,
}

impl WebhookForm {
    /// A form in which all events are wanted.
    pub fn new(platform: &Platform) -> Self {
        let events = webhooks::events_of(platform).iter().map(|(name, what)| (*name, *what, true)).collect();
        Self {
            url: TextLine::new("https://"),
            events,
            secret: None,
            signs: true,
            focus: 0,
            tried: false,
            copied: false,
        }
    }

    /// The address. A whole one that was pasted behind the `https://` that
    /// stands there is that one.
    pub fn address(&self) -> &str {
        let url = self.url.text().trim();
        let pasted = url.strip_prefix("https://").map(str::trim_start);
        let is_whole = |text: &&str| text.starts_with("https://") || text.starts_with("http://");
        pasted.filter(is_whole).unwrap_or(url)
    }

    pub fn wrong(&self) -> Option<String> {
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
            return Some("no event is chosen: nothing would be told".to_owned());
        }
        None
    }

    /// The names of the events that are wanted.
    pub fn chosen_events(&self) -> Vec<String> {
        self.events.iter().filter(|event| event.2).map(|event| event.0.to_owned()).collect()
    }
}

impl Overlay for WebhookForm {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        match FormKey::of(key, &mut self.focus, 0..self.events.len() + 2) {
            FormKey::Leave => return KeyOutcome::Done,
            FormKey::Moved => (),
            FormKey::Submit => {
                self.tried = true;
                match self.wrong() {
                    None => {
                        inbox.context.open(WebhookQuestion { form: self.clone() });
                        return KeyOutcome::Done;
                    }
                    Some(why) => inbox.context.warn(format!("not yet: {why}")),
                }
            }
            FormKey::Field if self.focus == 0 => drop(self.url.key(key)),
            FormKey::Field if key.code == KeyCode::Char(' ') => match self.events.get_mut(self.focus - 1) {
                Some(event) => event.2 = !event.2,
                None => self.signs = !self.signs,
            },
            FormKey::Field => (),
        }
        KeyOutcome::Stay
    }

    fn input(&self) -> OverlayInput {
        if self.focus == 0 { OverlayInput::Letters } else { OverlayInput::Keys }
    }
}

pub(crate) fn secret_made(context: &mut Context, secret: Secret) {
    if let Some(form) = context.layers.top_mut::<WebhookForm>() {
        form.secret.get_or_insert(secret);
    }
}

impl Desk {
    fn register_webhook(&mut self, form: &WebhookForm, secret: Option<Secret>, context: &mut Context) {
        let url = form.address().to_owned();
        let operation = Operation::AddWebhook { url, events: form.chosen_events() };
        let Some(intent) = self.webhook_intent(operation) else {
            return context.warn("not registered: the channel of this tab is not known yet");
        };
        context.push(FileWrite::Register { intent: Box::new(intent), secret });
        context.say("registering; the server asks the endpoint for its challenge now");
    }
}

/// Shows the secret of a webhook, and asks whether to register it.
#[derive(Debug)]
pub(crate) struct WebhookQuestion {
    pub(crate) form: WebhookForm,
}

impl WebhookQuestion {
    fn lines(&self) -> Vec<DialogLine> {
        let form = &self.form;
        let mut lines = vec![
            DialogLine::strong(SafeText::line(form.address()).to_string()),
            DialogLine::plain(format!("is told of {}.", form.chosen_events().join(", "))),
            DialogLine::gap(),
        ];
        match form.secret.as_ref().filter(|_| form.signs) {
            Some(secret) => {
                lines.push(DialogLine::plain(
                    "Its deliveries are signed with this secret. It is shown only here:",
                ));
                lines.push(DialogLine::new(secret.expose(), Tone::Own));
                let copied = if form.copied { "copied" } else { "not copied yet" };
                lines.push(DialogLine::dim(format!("Put it where the endpoint reads it first ({copied}).")));
            }
            None => lines.push(DialogLine::new(
                "Its deliveries are NOT signed: whoever knows the address can make them up.",
                Tone::Waiting,
            )),
        }
        lines.push(DialogLine::gap());
        lines.push(DialogLine::plain(
        "The server asks the address for a challenge at once: GET with ?challenge=VALUE, to be answered with the VALUE \
         alone as plain text.",
    ));
        lines.push(DialogLine::gap());
        let keys = [("c", "copy the secret"), ("y", "REGISTER"), ("Esc", "back")];
        lines.push(DialogLine::keys(&keys[usize::from(!form.signs)..]));
        lines
    }
}

impl Overlay for WebhookQuestion {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        match (key.typed(), self.form.secret.clone().filter(|_| self.form.signs)) {
            (Some('y'), secret) => inbox.desk.register_webhook(&self.form, secret, &mut inbox.context),
            (Some('c'), Some(secret)) => {
                let effect = TerminalOrder::Copy(secret.expose().to_owned(), "the secret".to_owned());
                inbox.context.push(effect);
                return KeyOutcome::Stay;
            }
            _ if key.code == KeyCode::Esc => inbox.context.layers.push(self.form.clone()),
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
            assert_eq!(form.wrong().is_some(), wrong, "{url}");
        }
        form.events.iter_mut().for_each(|event| event.2 = false);
        assert!(form.wrong().is_some_and(|wrong| wrong.contains("no event")));
        assert_eq!(WebhookForm::new(&Platform::Email).chosen_events()[0], "email.received");
    }
}
