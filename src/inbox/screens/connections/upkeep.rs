//! Connections that are there: giving one another credential, which is kept
//! only once it was taken, and removing one.

use crate::Inbox;
use crate::components::confirm::Confirm;
use crate::components::dialog::{Dialog, DialogLine};
use crate::components::form::FormKey;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::Effect;
use crate::features::macros::Macros;
use crate::keys::KeyPress;
use crate::outside::OutsideRequest;
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::overlays::view::OverlayView;
use crate::screens::connections::ConnectionAnswers;
use crate::screens::connections::errands::ConnectionRequest;
use crate::screens::connections::wizard::{Hidden, secret_label};
use crate::screens::connections::wizard_keys;
use model::connections::{Connection, ContactFacts};
use model::secret::Secret;
use model::text;
use model::text::SafeText;

/// Another credential for a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CredentialForm {
    pub connection: String,
    pub label: &'static str,
    /// What is typed, behind dots.
    pub secret: Hidden,
    /// The contact it is tried with.
    pub with: String,
    facts: ContactFacts,
    /// Whether it is being tried.
    pub waits: bool,
    /// Why it was not taken.
    pub wrong: Option<String>,
}

impl Overlay for CredentialForm {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        match FormKey::of(key, &mut 0, 0..1) {
            FormKey::Leave => {
                let words =
                    if self.waits { "it is kept if it is taken" } else { "the credential is as it was" };
                inbox.context.say(words);
                return KeyOutcome::Done;
            }
            _ if self.waits => (),
            FormKey::Submit if self.secret.0.is_empty() => {
                self.wrong = Some(format!("type the {} first", self.label));
            }
            FormKey::Submit => {
                (self.waits, self.wrong) = (true, None);
                let errand = ConnectionRequest::Credential {
                    connection: self.connection.clone(),
                    secret: Secret::new(self.secret.0.text()),
                    facts: self.facts.clone(),
                };
                inbox.context.push(Effect::Ask(OutsideRequest::Connections(Box::new(errand))));
            }
            FormKey::Moved => (),
            FormKey::Field => {
                if self.secret.0.key(key) {
                    self.wrong = None;
                }
            }
        }
        KeyOutcome::Stay
    }

    fn paste(&mut self, _inbox: &mut Inbox, outside: &str) -> bool {
        self.secret.0.insert(text::clean_pasted(outside).trim());
        true
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Text
    }
}

impl OverlayView for CredentialForm {
    fn dialog(&self, _inbox: &Inbox) -> Dialog {
        let title = SafeText::line(&format!("Credential of {}", self.connection)).to_string();
        let dots = |text: &str| "•".repeat(text.chars().count());
        let (before, after) = (dots(self.secret.0.before()), dots(self.secret.0.after()));
        let field = DialogLine::field(self.label, 15, (&before, &after), !self.waits);
        let mut lines = vec![field, DialogLine::gap()];
        lines.push(DialogLine::dim("Not shown, kept sealed once it was taken, and never shown again."));
        lines.extend(self.wrong.iter().map(|text| DialogLine::error(SafeText::line(text).to_string())));
        lines.push(DialogLine::gap());
        let with = SafeText::line(&self.with);
        let with = if with.is_empty() { String::new() } else { format!(" with {with}") };
        let keys = match self.waits {
            true => "asking it now…".to_owned(),
            false => format!("Enter tries it{with} · Esc back, nothing changes"),
        };
        lines.push(DialogLine::strong(keys));
        Dialog::new(title, lines)
    }
}

/// `:connection` and what is to be done with one.
pub(crate) fn connection_line(inbox: &mut Inbox, words: &str) -> Result<(), String> {
    let (what, name) = words.split_once(' ').map_or((words, ""), |(what, name)| (what, name.trim()));
    match (what, name) {
        ("add", "") => wizard_keys::add_connection(inbox),
        ("credential", name) => inbox.features.macros.ask_credential(name, &inbox.desk, &mut inbox.context),
        ("remove", name) => {
            let name = connection_named(&inbox.context, name)?.name.clone();
            ask_remove_connection(&mut inbox.context, name);
            Ok(())
        }
        _ => Err("connection takes add, credential NAME or remove NAME".to_owned()),
    }
}

/// What can follow `:connection`.
pub(crate) fn connection_words(inbox: &Inbox) -> Vec<String> {
    let names = || inbox.context.settings.connections.iter().map(|connection| connection.name.as_str());
    let with = |word: &'static str| names().map(move |name| format!("{word} {name}"));
    std::iter::once("add".to_owned()).chain(with("credential")).chain(with("remove")).collect()
}

fn connection_named<'a>(context: &'a Context, name: &str) -> Result<&'a Connection, String> {
    let all = &context.settings.connections;
    if let Some(found) = all.iter().find(|connection| connection.name == name) {
        return Ok(found);
    }
    let names: Vec<&str> = all.iter().map(|connection| connection.name.as_str()).collect();
    Err(match names.as_slice() {
        [] => "there is no connection yet; :connection add makes one".to_owned(),
        names => format!("no connection is called {name:?}; there are {}", names.join(", ")),
    })
}

fn ask_remove_connection(context: &mut Context, name: String) {
    let lines = vec![
        DialogLine::plain(SafeText::line(&name).to_string()),
        DialogLine::gap(),
        DialogLine::plain("It is taken out of connections.toml, and its credential is forgotten."),
        DialogLine::plain("Canned replies that name its fields leave them to be filled in."),
    ];
    let remove = |inbox: &mut Inbox| {
        let request = ConnectionRequest::Remove(name);
        inbox.context.push(Effect::Ask(OutsideRequest::Connections(Box::new(request))));
    };
    let question = Confirm::new("REMOVE this connection?", lines);
    context.open(question.answer('y', "remove it", remove).no("keep it"));
}

impl Macros {
    fn ask_credential(&mut self, name: &str, desk: &Desk, context: &mut Context) -> Result<(), String> {
        self.may_type_credential()?;
        let connection = connection_named(context, name)?;
        if !connection.auth.needs_secret() {
            return Err(format!("{name} takes no credential: its authentication is none"));
        }
        let label = secret_label(connection.auth.word());
        let connection = connection.name.clone();
        let (facts, with) = desk.tried_with();
        let (secret, waits, wrong) = (Hidden::default(), false, None);
        let form = CredentialForm { connection, label, secret, with, facts, waits, wrong };
        context.open(form);
        Ok(())
    }
}

impl ConnectionAnswers {
    /// Another credential was tried.
    pub(crate) fn credential_tried(&mut self, name: &str, tried: Result<u16, String>, context: &mut Context) {
        let form = context
            .layers
            .top_mut::<CredentialForm>()
            .filter(|top_mut| top_mut.waits && top_mut.connection == name);
        match (tried, form) {
            (Ok(status), form) => {
                if form.is_some() {
                    context.layers.pop();
                }
                self.seen = None;
                context.say(format!("{name} took the credential (status {status}); it is kept"));
            }
            (Err(why), Some(form)) => {
                (form.waits, form.wrong) = (false, Some(why));
                form.secret.begin_anew();
            }
            (Err(why), None) => context.warn(format!("the credential of {name} is as it was: {why}")),
        }
    }

    /// A connection is forgotten, or not.
    pub(crate) fn connection_removed(
        &mut self,
        removed: Result<(String, Vec<Connection>), String>,
        context: &mut Context,
    ) {
        match removed {
            Ok((name, left)) => {
                self.answers.retain(|slot, _| slot.connection != name);
                context.settings.connections = left;
                context.say(format!("{name} is removed, and its credential forgotten"));
            }
            Err(why) => context.warn(why),
        }
    }
}
