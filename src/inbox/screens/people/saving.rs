//! The keys of a person's form, and what becomes of what it wanted: queued,
//! refused and back in the form, or done.

use crate::Inbox;
use crate::event::{Effect, Intent, Load};
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::Layer;
use crate::pages::PageKind;
use crate::screens::people::form::{Opening, PersonField, PersonForm};
use model::contacts::PersonDetail;
use model::fetches::Fetch;
use model::ids::{ChannelId, ConversationId};
use model::outbox::{Operation, OutboxRow, RowState, StopVerdict};
use model::text;

impl Inbox {
    pub(crate) fn new_person(&mut self) {
        let begun = self.people.begun.take();
        let form = begun.unwrap_or_else(|| Box::new(PersonForm::new(None, PersonField::Phone)));
        self.open_layer(Layer::PersonForm(form));
    }

    /// Opens the form of the chosen person once it has been read whole; the
    /// server is asked for what is newer.
    pub(crate) fn edit_person(&mut self, at: PersonField) {
        let Some(phone) = self.people.rows.chosen().map(|it| it.phone.clone()) else { return };
        let channel = self.tab().channel.id.clone();
        self.people.opening = Opening { form: Some((phone.clone(), at)), ..Opening::default() };
        self.context.push(Effect::Load(Load::Person(channel.clone(), phone.clone())));
        self.context.push(Effect::Fetch(channel, Fetch::Person { phone }));
    }

    /// A person has been read.
    pub(crate) fn person_loaded(&mut self, channel: &ChannelId, phone: &str, detail: Option<PersonDetail>) {
        if self.tab().channel.id != *channel {
            return;
        }
        let Some(detail) = detail else {
            self.people.opening = Opening::default();
            let untouched = matches!(self.layers.last(), Some(Layer::PersonForm(form))
                if form.before.phone == phone && form.change().is_some_and(|it| it.is_empty()));
            if untouched {
                self.layers.pop();
            }
            return self.warn(format!("{phone} is no contact any more"));
        };
        let opening = std::mem::take(&mut self.people.opening);
        if let Some((_, at)) = opening.form.filter(|(it, _)| it == phone) {
            let mut form = PersonForm::new(Some(detail), at);
            // What was refused before is what the person wants still.
            if let Some((change, row, why)) = self.refused_change(phone) {
                form = form.refused(&change, row, &why);
            }
            self.open_layer(Layer::PersonForm(Box::new(form)));
        } else if opening.delete.as_deref() == Some(phone) {
            self.open_delete(detail);
        } else {
            self.refresh_form(&detail);
        }
    }

    /// What the server told since the form was opened joins it, as long as
    /// nothing was typed.
    fn refresh_form(&mut self, detail: &PersonDetail) {
        if let Some(Layer::PersonForm(form)) = self.layers.last_mut()
            && !form.is_new
            && form.before.phone == detail.phone
            && form.before != *detail
            && form.change().is_some_and(|it| it.is_empty())
        {
            let focus = form.focus;
            **form = PersonForm::new(Some(detail.clone()), PersonField::at(focus));
            form.focus = focus.min(form.values.len() - 1);
        }
    }

    fn refused_change(
        &self,
        phone: &str,
    ) -> Option<(model::contacts::ContactChange, model::ids::RowId, String)> {
        let row = self.row_about(phone)?;
        match (&row.operation, &row.state) {
            (Operation::ChangeContact(change), RowState::Stopped(_, why)) => {
                Some((change.as_ref().clone(), row.id.clone(), why.to_string()))
            }
            _ => None,
        }
    }

    /// A change that left a form from here and was refused brings its form
    /// back, with what the server said.
    pub(crate) fn bring_refused_back(&mut self) {
        if !self.layers.is_empty() || self.page != PageKind::People {
            return;
        }
        let saving = self.people.saving.clone();
        let refused = self
            .outbox
            .rows
            .iter()
            .map(|it| &it.row)
            .find(|it| saving.contains(&it.id) && matches!(it.state, RowState::Stopped(..)));
        let Some(row) = refused.cloned() else { return };
        self.people.saving.retain(|it| *it != row.id);
        let (Operation::ChangeContact(change), RowState::Stopped(_, why)) = (&row.operation, &row.state)
        else {
            return;
        };
        let known = self.people.rows.rows.iter().any(|it| it.phone == change.phone);
        if known {
            // Its form needs all of the person, which is read first.
            self.people.opening.form = Some((change.phone.clone(), PersonField::Name));
            let load = Load::Person(row.channel.clone(), change.phone.clone());
            self.context.push(Effect::Load(load));
        } else {
            let form =
                PersonForm::new(None, PersonField::Phone).refused(change, row.id.clone(), why.as_str());
            self.open_layer(Layer::PersonForm(Box::new(form)));
        }
    }

    /// A key in the form.
    pub(crate) fn person_form_key(&mut self, mut form: Box<PersonForm>, key: KeyPress) {
        let count = form.values.len().max(1);
        let first = usize::from(!form.is_new);
        match key.code {
            KeyCode::Esc => return self.leave_form(form),
            KeyCode::Char('c') if key.ctrl => return self.leave_form(form),
            KeyCode::Tab | KeyCode::Down => form.focus = (form.focus + 1) % count,
            KeyCode::BackTab | KeyCode::Up if form.focus <= first => form.focus = count - 1,
            KeyCode::BackTab | KeyCode::Up => form.focus -= 1,
            KeyCode::Char('g') if key.ctrl => {
                self.context.push(Effect::Edit(form.json()));
                self.people.lent = Some(form);
                return;
            }
            KeyCode::Enter => {
                form.tried = true;
                match form.first_wrong() {
                    None => return self.save_person(form),
                    Some((field, why)) => {
                        form.focus = field;
                        self.warn(format!("not saved: {} {why}", PersonField::at(field).label()));
                    }
                }
            }
            _ => {
                let focus = form.focus;
                if let Some(value) = form.values.get_mut(focus)
                    && value.key(key)
                {
                    form.told = form.told.take().filter(|it| it.0 != focus);
                }
                form.grow();
            }
        }
        form.focus = form.focus.max(first);
        self.layers.push(Layer::PersonForm(form));
    }

    fn leave_form(&mut self, form: Box<PersonForm>) {
        if form.is_new && form.replaces.is_none() && form.has_words() {
            self.people.begun = Some(form);
            return self.say(self.keyed("not saved; {new-person} goes on with it"));
        }
        if form.change().is_none_or(|it| !it.is_empty()) {
            self.say("not saved; nothing was changed");
        }
    }

    fn save_person(&mut self, form: Box<PersonForm>) {
        let Some(change) = form.change() else { return };
        if change.is_empty() && !form.is_new {
            return self.say("nothing differs; nothing was saved");
        }
        let name = if form.text(1).is_empty() { change.phone.clone() } else { form.text(1).to_owned() };
        let phone = change.phone.clone();
        let Some(intent) = self.contact_intent(&phone, Operation::ChangeContact(Box::new(change)), 0) else {
            self.warn("not saved: the channel of this tab is not known yet");
            return self.layers.push(Layer::PersonForm(form));
        };
        if let Some(row) = form.replaces.clone() {
            self.context.push(Effect::Decide(row, StopVerdict::Drop, None));
        }
        self.context.push(Effect::Enqueue { intents: vec![intent], clears_draft: false });
        self.people.opening.choose = Some(phone);
        self.say(format!("saving {name}"));
    }

    /// A change of a contact of the tab at hand, before it has bytes.
    pub(crate) fn contact_intent(&self, phone: &str, operation: Operation, hold: i64) -> Option<Intent> {
        let tab = self.tab();
        Some(Intent {
            channel: tab.channel.id.clone(),
            platform: tab.platform()?.clone(),
            conversation: ConversationId::new(phone),
            operation,
            hold,
            seen: None,
            planned_at: None,
        })
    }

    /// Rows were queued: those of a form are followed.
    pub(crate) fn follow_saving(&mut self, rows: &[OutboxRow]) {
        let follows = |it: &&OutboxRow| {
            matches!(it.operation, Operation::ChangeContact(_) | Operation::DeleteContact { .. })
        };
        let saved = rows.iter().filter(follows);
        self.people.saving.extend(saved.map(|it| it.id.clone()));
        let over = self.people.saving.len().saturating_sub(20);
        self.people.saving.drain(..over);
    }

    /// The editor has ended with a form's metadata; true if it was for one.
    pub(crate) fn metadata_edited(&mut self, edited: &Result<String, String>) -> bool {
        let Some(mut form) = self.people.lent.take() else { return false };
        let read = edited.clone().map_err(|why| format!("the editor: {why}"));
        let taken = read.and_then(|it| form.set_json(&text::pasted(&it)));
        match taken {
            Ok(()) => self.say("metadata taken over; Enter saves"),
            Err(why) => self.warn(format!("{why}; the metadata is as it was")),
        }
        self.open_layer(Layer::PersonForm(form));
        true
    }
}
