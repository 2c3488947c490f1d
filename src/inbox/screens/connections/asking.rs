//! Any endpoint by hand: it is picked, what it asks for is filled in, and its
//! answer is shown.

use crate::Inbox;
use crate::components::picker::{Picked, Picker};
use crate::components::text_line::TextLine;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::Layer;
use crate::screens::connections::errands::{AnswerKey, ConnectionRequest};
use model::connections::{Connection, ConnectionEndpoint, EndpointMethod, ParameterSource};

/// What an endpoint asks for, being filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointForm {
    /// The connection.
    pub connection: String,
    /// The endpoint.
    pub endpoint: ConnectionEndpoint,
    /// A line for each parameter it asks for.
    pub values: Vec<TextLine>,
    /// The line with the keyboard.
    pub focus: usize,
    /// What is wrong, once it was tried.
    pub wrong: Option<String>,
}

impl EndpointForm {
    /// Names and labels of the lines.
    pub fn labels(&self) -> Vec<(String, String)> {
        let label = |it: &model::connections::Parameter| {
            let question = match &it.source {
                ParameterSource::Asked(question) if !question.is_empty() => question.clone(),
                _ => it.name.clone(),
            };
            let kind = it.kind.word();
            let more = if it.required { kind.to_owned() } else { format!("{kind}, may stay empty") };
            (question, more)
        };
        self.endpoint.asked().map(label).collect()
    }

    /// Whether it changes something where it is asked.
    pub fn changes(&self) -> bool {
        self.endpoint.method != EndpointMethod::Get
    }

    fn answers(&self) -> Vec<(String, String)> {
        let names = self.endpoint.asked().map(|it| it.name.clone());
        names.zip(self.values.iter().map(|it| it.text().trim().to_owned())).collect()
    }
}

impl Inbox {
    /// The endpoints a question finds.
    pub fn endpoints(&self, query: &str) -> Vec<(&Connection, &ConnectionEndpoint)> {
        let words = query.to_lowercase();
        self.every_endpoint()
            .filter(|(connection, endpoint)| {
                let text =
                    format!("{} {} {}", connection.name, endpoint.name, endpoint.instructions).to_lowercase();
                words.split_whitespace().all(|it| text.contains(it))
            })
            .collect()
    }

    /// A key goes to a layer of connections; any other layer comes back.
    pub(crate) fn connection_layer_key(&mut self, layer: Layer, key: KeyPress) -> Option<Layer> {
        match layer {
            Layer::Endpoints { picker } => self.endpoints_key(picker, key),
            Layer::EndpointForm(form) => self.endpoint_form_key(form, key),
            Layer::Wizard(wizard) => self.wizard_key(wizard, key),
            Layer::Credential(form) => self.credential_key(form, key),
            Layer::AskRemoveConnection(name) if key.typed() == Some('y') => self.remove_connection(name),
            other => return Some(other),
        }
        None
    }

    /// Asks which endpoint.
    pub(crate) fn pick_endpoint(&mut self) {
        self.open_layer(Layer::Endpoints { picker: Picker::default() });
    }

    /// A key in the picker of endpoints.
    pub(crate) fn endpoints_key(&mut self, mut picker: Picker, key: KeyPress) {
        let found = self.endpoints(&picker.query);
        match picker.key(key, found.len()) {
            Picked::Stays => self.layers.push(Layer::Endpoints { picker }),
            Picked::Entry(index) => {
                let (connection, endpoint) = (found[index].0.name.clone(), found[index].1.clone());
                let values = vec![TextLine::default(); endpoint.asked().count()];
                let form = EndpointForm { connection, endpoint, values, focus: 0, wrong: None };
                if form.values.is_empty() && !form.changes() {
                    self.send_form(form);
                } else {
                    self.open_layer(Layer::EndpointForm(Box::new(form)));
                }
            }
            Picked::Left => (),
        }
    }

    /// A key in the form.
    pub(crate) fn endpoint_form_key(&mut self, mut form: Box<EndpointForm>, key: KeyPress) {
        let count = form.values.len().max(1);
        match key.code {
            KeyCode::Esc => return,
            KeyCode::Enter => return self.send_form(*form),
            KeyCode::Tab | KeyCode::Down => form.focus = (form.focus + 1) % count,
            KeyCode::BackTab | KeyCode::Up => form.focus = (form.focus + count - 1) % count,
            _ => {
                let focus = form.focus;
                if form.values.get_mut(focus).is_some_and(|it| it.key(key)) {
                    form.wrong = None;
                }
            }
        }
        self.layers.push(Layer::EndpointForm(form));
    }

    fn send_form(&mut self, mut form: EndpointForm) {
        let at_hand = self.at_hand().map(|it| (it.key(), self.contact_facts(it)));
        let (key, facts) = at_hand.map_or((None, Default::default()), |(key, facts)| (Some(key), facts));
        let answers = form.answers();
        if let Err(why) = form.endpoint.fill(&facts, &answers) {
            if form.values.is_empty() {
                return self.warn(format!("{} · {}: {why}", form.connection, form.endpoint.name));
            }
            form.wrong = Some(why);
            return self.open_layer(Layer::EndpointForm(Box::new(form)));
        }
        let slot = AnswerKey { key, connection: form.connection, endpoint: form.endpoint.name };
        self.open_layer(Layer::Answer { slot: slot.clone() });
        self.call_endpoint(ConnectionRequest::Call { slot, facts, answers, by_hand: true });
    }
}
