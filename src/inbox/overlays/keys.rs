//! What a key means to the topmost layer.
//!
//! A question is answered by a letter of its own, never by Enter and never by
//! the key that opened it.

use crate::Inbox;
use crate::event::Load;
use crate::features::privacy::known_names;
use crate::features::privacy::names::NameIndex;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::Layer;
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayBody};

impl Overlay for Layer {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let asked = self.is_question().then(|| self.clone());
        let layer = self.clone();
        if let Some(layer) = inbox.connection_layer_key(layer, key) {
            inbox.layer_key(layer, key);
        }
        // Letters of these act without changing what is asked.
        let has_letters = matches!(asked, Some(Self::Flight(_)));
        if asked.is_some() && !has_letters && inbox.layers.top::<Self>() == asked.as_ref() {
            inbox.went_astray(key);
        }
        KeyOutcome::Done
    }

    fn body<'a>(&'a self, _inbox: &'a Inbox) -> OverlayBody<'a> {
        OverlayBody::Drawn(self)
    }

    fn is_question(&self) -> bool {
        self.asks()
    }

    fn takes_text(&self) -> bool {
        self.writes()
    }

    fn takes_pastes(&self) -> bool {
        self.pastes()
    }

    fn names(&self, _inbox: &Inbox, names: &mut NameIndex) {
        known_names::of_layer(self, names);
    }

    fn shows(&self, load: &Load) -> bool {
        self.is_read_from(load)
    }

    fn has_left(&mut self, inbox: &mut Inbox) {
        inbox.form_has_left(self);
    }
}

impl Inbox {
    fn layer_key(&mut self, layer: Layer, key: KeyPress) {
        let leaves = key.code == KeyCode::Esc;
        match (layer, key.typed()) {
            (Layer::TemplateForm(form), _) => self.form_key(form, key),
            (Layer::Attach(form), _) => self.attach_key(form, key),
            (Layer::Later { typed }, _) => self.later_key(typed, key),
            (Layer::Form(form), _) => self.form_field_key(form, key),
            (Layer::PersonForm(form), _) => self.person_form_key(form, key),
            (Layer::WebhookForm(form), _) => self.webhook_form_key(form, key),
            (Layer::BroadcastForm(form), _) => self.broadcast_form_key(form, key),
            (Layer::Flight(flight), _) => self.flight_key(flight, key),
            (Layer::AskContinue(asked), _) => self.continue_key(asked, key),
            (Layer::AskDeletePerson(asked), _) => self.delete_key(asked, key),
            (layer @ Layer::Json { .. }, _) => self.json_key(layer, key),
            (Layer::Snooze { rows, typed, stays }, _) => self.snooze_key(rows, typed, stays, key),
            (Layer::Tags { rows, line }, _) => self.tags_key(rows, line, key),
            (Layer::Number { typed, .. }, _) => self.number_key(typed, key),
            (Layer::MailFile(line), _) => self.file_key(line, key),
            (Layer::Call(form), _) => self.call_key(form, key),
            (_, _) if leaves => (),
            (layer, _) => self.layers.push(layer),
        }
    }
}
