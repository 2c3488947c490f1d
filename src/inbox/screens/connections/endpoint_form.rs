//! Calling any endpoint by hand: picking it, filling in its parameters, and showing its answer.

use crate::Inbox;
use crate::components::dialog::{Dialog, DialogLine};
use crate::components::form::FormKey;
use crate::components::picker::{Picker, PickerOutcome};
use crate::components::text_line::TextLine;
use crate::context::Context;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::overlays::view::OverlayView;
use crate::screens::connections::requests::{AnswerKey, ConnectionRequest};
use crate::screens::connections::update as connections;
use model::connections::{Connection, ConnectionEndpoint, EndpointMethod, ParameterSource};
use model::text;
use model::text::SafeText;

const LABEL_WIDTH: usize = 30;

/// Form for the values that an endpoint needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointForm {
    pub connection: String,
    pub endpoint: ConnectionEndpoint,
    /// One line for each parameter that is typed.
    pub values: Vec<TextLine>,
    pub focus: usize,
    /// Error of the last attempt.
    pub error: Option<String>,
}

impl EndpointForm {
    /// Question and kind of each line.
    pub fn labels(&self) -> Vec<(String, String)> {
        let label = |parameter: &model::connections::Parameter| {
            let question = match &parameter.source {
                ParameterSource::Asked(question) if !question.is_empty() => question.clone(),
                _ => parameter.name.clone(),
            };
            let kind = parameter.kind.word();
            let more = if parameter.required { kind.to_owned() } else { format!("{kind}, optional") };
            (question, more)
        };
        self.endpoint.asked_parameters().map(label).collect()
    }

    pub fn changes_data(&self) -> bool {
        self.endpoint.method != EndpointMethod::Get
    }

    fn parameter_values(&self) -> Vec<(String, String)> {
        let names = self.endpoint.asked_parameters().map(|parameter| parameter.name.clone());
        names.zip(self.values.iter().map(|value| value.text().trim().to_owned())).collect()
    }
}

/// Waits for the answer of an endpoint called by hand, which replaces it.
#[derive(Debug)]
pub(crate) struct AwaitedAnswer {
    pub(crate) slot: AnswerKey,
}

impl Overlay for AwaitedAnswer {
    fn key(&mut self, _inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        if key.code == KeyCode::Esc { KeyOutcome::Done } else { KeyOutcome::Ignored }
    }
}

impl OverlayView for AwaitedAnswer {
    fn dialog(&self, _inbox: &Inbox) -> Dialog {
        let name = format!("{} · {}", self.slot.connection, self.slot.endpoint);
        let lines = vec![
            DialogLine::plain(format!("Calling {}…", SafeText::line(&name))),
            DialogLine::blank(),
            DialogLine::strong("Esc back, the call continues"),
        ];
        Dialog::new("Asking", lines)
    }
}

#[derive(Debug, Default)]
pub(crate) struct EndpointPicker {
    pub(crate) picker: Picker,
}

impl Overlay for EndpointPicker {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let found = matching_endpoints(&inbox.context, &self.picker.query);
        let index = match self.picker.key(key, found.len()) {
            PickerOutcome::Stay => return KeyOutcome::Stay,
            PickerOutcome::Cancelled => return KeyOutcome::Done,
            PickerOutcome::Selected(index) => index,
        };
        let (connection, endpoint) = (found[index].0.name.clone(), found[index].1.clone());
        let values = vec![TextLine::default(); endpoint.asked_parameters().count()];
        let mut form = EndpointForm { connection, endpoint, values, focus: 0, error: None };
        match form.values.is_empty() && !form.changes_data() {
            true => return form.send(inbox),
            false => inbox.context.open(form),
        }
        KeyOutcome::Done
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Letters
    }
}

impl EndpointForm {
    fn send(&mut self, inbox: &mut Inbox) -> KeyOutcome {
        let about = inbox.desk.current_conversation().map(|current_conversation| {
            (current_conversation.key(), connections::contact_facts(&inbox.desk, current_conversation))
        });
        let (key, facts) = about.map_or((None, Default::default()), |(key, facts)| (Some(key), facts));
        let answers = self.parameter_values();
        if let Err(why) = self.endpoint.fill_parameters(&facts, &answers) {
            if self.values.is_empty() {
                inbox.context.show_warning(format!("{} · {}: {why}", self.connection, self.endpoint.name));
                return KeyOutcome::Done;
            }
            self.error = Some(why);
            return KeyOutcome::Stay;
        }
        let (connection, endpoint) = (self.connection.clone(), self.endpoint.name.clone());
        let slot = AnswerKey { key, connection, endpoint };
        inbox.context.open(AwaitedAnswer { slot: slot.clone() });
        inbox.connections.call_endpoint(
            ConnectionRequest::Call { slot, facts, answers, by_hand: true },
            &mut inbox.context,
        );
        KeyOutcome::Done
    }
}

impl Overlay for EndpointForm {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        match FormKey::of(key, &mut self.focus, 0..self.values.len()) {
            FormKey::Leave => return KeyOutcome::Done,
            FormKey::Submit => return self.send(inbox),
            FormKey::FocusMoved => (),
            FormKey::FieldInput => {
                if self.values.get_mut(self.focus).is_some_and(|value| value.key(key)) {
                    self.error = None;
                }
            }
        }
        KeyOutcome::Stay
    }

    fn paste(&mut self, _inbox: &mut Inbox, outside: &str) -> bool {
        if let Some(line) = self.values.get_mut(self.focus) {
            line.insert(text::clean_pasted(outside).trim());
        }
        true
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Text
    }
}

impl OverlayView for EndpointForm {
    fn dialog(&self, _inbox: &Inbox) -> Dialog {
        let title = SafeText::line(&format!("{} · {}", self.connection, self.endpoint.name)).to_string();
        let mut lines: Vec<DialogLine> = Vec::new();
        if !self.endpoint.instructions.is_empty() {
            lines.push(DialogLine::dim(SafeText::line(&self.endpoint.instructions).to_string()));
            lines.push(DialogLine::blank());
        }
        for (place, ((label, kind), value)) in self.labels().iter().zip(&self.values).enumerate() {
            let label = format!("{} ({kind})", SafeText::line(label));
            let text = (value.before(), value.after());
            lines.push(DialogLine::field(&label, LABEL_WIDTH, text, place == self.focus));
        }
        if self.changes_data() {
            lines.push(DialogLine::blank());
            let method = self.endpoint.method.word();
            lines.push(DialogLine::error(format!("{method} CHANGES data there.")));
        }
        lines.extend(self.error.iter().map(|text| DialogLine::error(SafeText::line(text).to_string())));
        lines.push(DialogLine::blank());
        lines.push(DialogLine::strong("Enter call · Tab next field · Esc back"));
        Dialog::new(title, lines)
    }
}

pub fn matching_endpoints<'a>(
    context: &'a Context,
    query: &str,
) -> Vec<(&'a Connection, &'a ConnectionEndpoint)> {
    let words = query.to_lowercase();
    connections::all_endpoints(context)
        .filter(|(connection, endpoint)| {
            let text =
                format!("{} {} {}", connection.name, endpoint.name, endpoint.instructions).to_lowercase();
            words.split_whitespace().all(|word| text.contains(word))
        })
        .collect()
}

pub(crate) fn open_endpoint_picker(context: &mut Context) {
    context.open(EndpointPicker::default());
}
