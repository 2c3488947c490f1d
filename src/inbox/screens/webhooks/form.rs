//! Registering a webhook: where deliveries go, what is told, and the secret
//! they are signed with, which is made here and shown this once.

use crate::Inbox;
use crate::components::text_line::TextLine;
use crate::event::Effect;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::Layer;
use model::account::Platform;
use model::outbox::Operation;
use model::secret::Secret;
use model::webhooks;

/// The form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookForm {
    /// Where deliveries go.
    pub url: TextLine,
    /// The events of the channel, with what each tells, and whether it is
    /// wanted.
    pub events: Vec<(&'static str, &'static str, bool)>,
    /// What deliveries are signed with, once it was made.
    pub secret: Option<Secret>,
    /// Whether they are to be signed.
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
        let events = webhooks::events(platform).iter().map(|(name, what)| (*name, *what, true)).collect();
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
        let is_whole = |it: &&str| it.starts_with("https://") || it.starts_with("http://");
        pasted.filter(is_whole).unwrap_or(url)
    }

    /// What is wrong.
    pub fn wrong(&self) -> Option<String> {
        let url = self.address();
        let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
        if !rest.is_some_and(|it| {
            it.starts_with(|sign: char| sign.is_alphanumeric() || sign == '[')
                && !url.contains(char::is_whitespace)
                && !it.contains("://")
        }) {
            return Some("the address must begin with https:// and name a host".to_owned());
        }
        if !self.events.iter().any(|it| it.2) {
            return Some("no event is chosen: nothing would be told".to_owned());
        }
        None
    }

    /// The names of the events that are wanted.
    pub fn wanted(&self) -> Vec<String> {
        self.events.iter().filter(|it| it.2).map(|it| it.0.to_owned()).collect()
    }
}

impl Inbox {
    /// A secret was made.
    pub(crate) fn secret_made(&mut self, secret: Secret) {
        if let Some(Layer::WebhookForm(form)) = self.layers.last_mut() {
            form.secret.get_or_insert(secret);
        }
    }

    /// A key in the form.
    pub(crate) fn webhook_form_key(&mut self, mut form: Box<WebhookForm>, key: KeyPress) {
        let places = form.events.len() + 2;
        match key.code {
            KeyCode::Esc => return,
            KeyCode::Char('c') if key.ctrl => return,
            KeyCode::Tab | KeyCode::Down => form.focus = (form.focus + 1) % places,
            KeyCode::BackTab | KeyCode::Up => form.focus = (form.focus + places - 1) % places,
            KeyCode::Enter => {
                form.tried = true;
                match form.wrong() {
                    None => return self.open_layer(Layer::AskWebhook(form)),
                    Some(why) => self.warn(format!("not yet: {why}")),
                }
            }
            KeyCode::Char(' ') if form.focus > 0 => {
                let place = form.focus - 1;
                match form.events.get_mut(place) {
                    Some(event) => event.2 = !event.2,
                    None => form.signs = !form.signs,
                }
            }
            _ if form.focus == 0 => drop(form.url.key(key)),
            _ => (),
        }
        self.layers.push(Layer::WebhookForm(form));
    }

    /// An answer to the question whether to register it.
    pub(crate) fn ask_webhook_key(&mut self, form: Box<WebhookForm>, key: KeyPress) {
        match (key.typed(), form.secret.clone().filter(|_| form.signs)) {
            (Some('y'), secret) => return self.register(&form, secret),
            (Some('c'), Some(secret)) => {
                self.context.push(Effect::Copy(secret.expose().to_owned(), "the secret".to_owned()));
            }
            _ if key.code == KeyCode::Esc => return self.layers.push(Layer::WebhookForm(form)),
            _ => (),
        }
        self.layers.push(Layer::AskWebhook(form));
    }

    fn register(&mut self, form: &WebhookForm, secret: Option<Secret>) {
        let url = form.address().to_owned();
        let operation = Operation::AddWebhook { url, events: form.wanted() };
        let Some(intent) = self.webhook_intent(operation) else {
            return self.warn("not registered: the channel of this tab is not known yet");
        };
        self.context.push(Effect::Register { intent: Box::new(intent), secret });
        self.say("registering; the server asks the endpoint for its challenge now");
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
        form.events.iter_mut().for_each(|it| it.2 = false);
        assert!(form.wrong().is_some_and(|it| it.contains("no event")));
        assert_eq!(WebhookForm::new(&Platform::Email).wanted()[0], "email.received");
    }
}
