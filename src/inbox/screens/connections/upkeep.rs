//! Connections that are there: giving one another credential, which is kept
//! only once it was taken, and removing one.

use crate::Inbox;
use crate::event::Effect;
use crate::keys::{KeyCode, KeyPress};
use crate::outside::OutsideRequest;
use crate::overlays::Layer;
use crate::screens::connections::errands::ConnectionRequest;
use crate::screens::connections::wizard::{Hidden, secret_label};
use model::connections::{Connection, ContactFacts};
use model::secret::Secret;

/// Another credential for a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CredentialForm {
    /// The connection.
    pub connection: String,
    /// What the credential is called there.
    pub label: &'static str,
    /// What is typed, behind dots.
    pub secret: Hidden,
    /// Whom it is tried with.
    pub with: String,
    facts: ContactFacts,
    /// Whether it is being tried.
    pub waits: bool,
    /// Why it was not taken.
    pub wrong: Option<String>,
}

impl Inbox {
    /// `:connection` and what is to be done with one.
    pub(crate) fn connection_line(&mut self, words: &str) -> Result<(), String> {
        let (what, name) = words.split_once(' ').map_or((words, ""), |(what, name)| (what, name.trim()));
        match (what, name) {
            ("add", "") => self.add_connection(),
            ("credential", name) => self.ask_credential(name),
            ("remove", name) => {
                let name = self.connection_named(name)?.name.clone();
                self.open_layer(Layer::AskRemoveConnection(name));
                Ok(())
            }
            _ => Err("connection takes add, credential NAME or remove NAME".to_owned()),
        }
    }

    /// What can follow `:connection`.
    pub(crate) fn connection_view(&self) -> Vec<String> {
        let names = || self.context.settings.connections.iter().map(|it| it.name.as_str());
        let with = |word: &'static str| names().map(move |it| format!("{word} {it}"));
        std::iter::once("add".to_owned()).chain(with("credential")).chain(with("remove")).collect()
    }

    fn connection_named(&self, name: &str) -> Result<&Connection, String> {
        let all = &self.context.settings.connections;
        if let Some(found) = all.iter().find(|it| it.name == name) {
            return Ok(found);
        }
        let names: Vec<&str> = all.iter().map(|it| it.name.as_str()).collect();
        Err(match names.as_slice() {
            [] => "there is no connection yet; :connection add makes one".to_owned(),
            names => format!("no connection is called {name:?}; there are {}", names.join(", ")),
        })
    }

    fn ask_credential(&mut self, name: &str) -> Result<(), String> {
        self.may_type_credential()?;
        let connection = self.connection_named(name)?;
        if !connection.auth.wants_secret() {
            return Err(format!("{name} takes no credential: its authentication is none"));
        }
        let label = secret_label(connection.auth.word());
        let connection = connection.name.clone();
        let (facts, with) = self.tried_with();
        let (secret, waits, wrong) = (Hidden::default(), false, None);
        let form = CredentialForm { connection, label, secret, with, facts, waits, wrong };
        self.open_layer(Layer::Credential(Box::new(form)));
        Ok(())
    }

    /// A key while another credential is typed.
    pub(crate) fn credential_key(&mut self, mut form: Box<CredentialForm>, key: KeyPress) {
        match key.code {
            KeyCode::Esc if form.waits => return self.say("it is kept if it is taken"),
            KeyCode::Esc => return self.say("the credential is as it was"),
            _ if form.waits => (),
            KeyCode::Enter if form.secret.0.is_empty() => {
                form.wrong = Some(format!("type the {} first", form.label))
            }
            KeyCode::Enter => {
                (form.waits, form.wrong) = (true, None);
                let errand = ConnectionRequest::Credential {
                    connection: form.connection.clone(),
                    secret: Secret::new(form.secret.0.text()),
                    facts: form.facts.clone(),
                };
                self.context.push(Effect::Ask(OutsideRequest::Connections(Box::new(errand))));
            }
            _ => {
                if form.secret.0.key(key) {
                    form.wrong = None;
                }
            }
        }
        self.layers.push(Layer::Credential(form));
    }

    /// Another credential was tried.
    pub(crate) fn credential_tried(&mut self, name: &str, tried: Result<u16, String>) {
        let form = match self.layers.last_mut() {
            Some(Layer::Credential(form)) if form.waits && form.connection == name => Some(form),
            _ => None,
        };
        match (tried, form) {
            (Ok(status), form) => {
                if form.is_some() {
                    self.layers.pop();
                }
                self.connections.seen = None;
                self.say(format!("{name} took the credential (status {status}); it is kept"));
            }
            (Err(why), Some(form)) => {
                (form.waits, form.wrong) = (false, Some(why));
                form.secret.begin_anew();
            }
            (Err(why), None) => self.warn(format!("the credential of {name} is as it was: {why}")),
        }
    }

    /// The question whether to remove a connection was answered with yes.
    pub(crate) fn remove_connection(&mut self, name: String) {
        self.context
            .push(Effect::Ask(OutsideRequest::Connections(Box::new(ConnectionRequest::Remove(name)))));
    }

    /// A connection is forgotten, or not.
    pub(crate) fn connection_removed(&mut self, removed: Result<(String, Vec<Connection>), String>) {
        match removed {
            Ok((name, left)) => {
                self.connections.answers.retain(|slot, _| slot.connection != name);
                self.context.settings.connections = left;
                self.say(format!("{name} is removed, and its credential forgotten"));
            }
            Err(why) => self.warn(why),
        }
    }
}
