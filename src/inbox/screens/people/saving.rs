//! The keys of a person's form, and what becomes of what it wanted: queued,
//! refused and back in the form, or done.

use crate::Inbox;
use crate::components::form::FormKey;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Intent, Load, SyncOrder, TerminalOrder};
use crate::features::privacy::names::NameIndex;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::pages::PageKind;
use crate::screens::outbox::OutboxScreen;
use crate::screens::people::People;
use crate::screens::people::deleting;
use crate::screens::people::form::{Opening, PersonField, PersonForm};
use model::contacts::PersonDetail;
use model::fetches::Fetch;
use model::ids::{ChannelId, ConversationId};
use model::outbox::{Operation, OutboxRow, RowState, StopVerdict};
use model::text;

impl Overlay for PersonForm {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let first = usize::from(!self.is_new);
        if key.ctrl && key.code == KeyCode::Char('g') {
            inbox.context.push(TerminalOrder::Edit(self.json()));
            inbox.people.lent = Some(Box::new(self.clone()));
            return KeyOutcome::Done;
        }
        match FormKey::of(key, &mut self.focus, first..self.values.len()) {
            FormKey::Leave => {
                inbox.people.leave_form(self, &mut inbox.context);
                return KeyOutcome::Done;
            }
            FormKey::Moved => (),
            FormKey::Submit => {
                self.tried = true;
                match self.first_wrong() {
                    None => return inbox.people.save_person(self, &inbox.desk, &mut inbox.context),
                    Some((field, why)) => {
                        self.focus = field;
                        inbox.context.warn(format!("not saved: {} {why}", PersonField::at(field).label()));
                    }
                }
            }
            FormKey::Field => {
                let focus = self.focus;
                if self.values.get_mut(focus).is_some_and(|value| value.key(key)) {
                    self.told = self.told.take().filter(|pair| pair.0 != focus);
                }
                self.grow();
            }
        }
        KeyOutcome::Stay
    }

    fn paste(&mut self, _inbox: &mut Inbox, outside: &str) -> bool {
        if let Some(value) = self.values.get_mut(self.focus) {
            value.insert(text::clean_pasted(outside).trim());
        }
        self.grow();
        true
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Text
    }

    fn names(&self, _inbox: &Inbox, names: &mut NameIndex) {
        names.add(&self.before.name);
        self.values.get(PersonField::Name.place()).into_iter().for_each(|value| names.add(value.text()));
    }
}

impl People {
    pub(crate) fn new_person(&mut self, context: &mut Context) {
        let begun = self.begun.take();
        let form = begun.unwrap_or_else(|| Box::new(PersonForm::new(None, PersonField::Phone)));
        context.open(*form);
    }

    /// Opens the form of the chosen person once it has been read whole; the
    /// server is asked for what is newer.
    pub(crate) fn edit_person(&mut self, at: PersonField, desk: &Desk, context: &mut Context) {
        let Some(phone) = self.rows.chosen().map(|chosen| chosen.phone.clone()) else { return };
        let channel = desk.tab().channel.id.clone();
        self.opening = Opening { form: Some((phone.clone(), at)), ..Opening::default() };
        context.push(Effect::Load(Load::Person(channel.clone(), phone.clone())));
        context.push(SyncOrder::Fetch(channel, Fetch::Person { phone }));
    }

    fn leave_form(&mut self, form: &PersonForm, context: &mut Context) {
        if form.is_new && form.replaces.is_none() && form.has_words() {
            self.begun = Some(Box::new(form.clone()));
            return context.say(context.keyed("not saved; {new-person} goes on with it"));
        }
        if form.change().is_none_or(|change| !change.is_empty()) {
            context.say("not saved; nothing was changed");
        }
    }

    fn save_person(&mut self, form: &PersonForm, desk: &Desk, context: &mut Context) -> KeyOutcome {
        let Some(change) = form.change() else { return KeyOutcome::Done };
        if change.is_empty() && !form.is_new {
            context.say("nothing differs; nothing was saved");
            return KeyOutcome::Done;
        }
        let name = if form.text(1).is_empty() { change.phone.clone() } else { form.text(1).to_owned() };
        let phone = change.phone.clone();
        let Some(intent) = desk.contact_intent(&phone, Operation::ChangeContact(Box::new(change)), 0) else {
            context.warn("not saved: the channel of this tab is not known yet");
            return KeyOutcome::Stay;
        };
        if let Some(row) = form.replaces.clone() {
            context.push(FileWrite::Decide(row, StopVerdict::Drop, None));
        }
        context.push(FileWrite::Enqueue { intents: vec![intent], clears_draft: false });
        self.opening.choose = Some(phone);
        context.say(format!("saving {name}"));
        KeyOutcome::Done
    }

    /// Rows were queued: those of a form are followed.
    pub(crate) fn follow_saving(&mut self, rows: &[OutboxRow]) {
        let follows = |outbox_row: &&OutboxRow| {
            matches!(outbox_row.operation, Operation::ChangeContact(_) | Operation::DeleteContact { .. })
        };
        let saved = rows.iter().filter(follows);
        self.saving.extend(saved.map(|outbox_row| outbox_row.id.clone()));
        let over = self.saving.len().saturating_sub(20);
        self.saving.drain(..over);
    }

    /// The editor has ended with a form's metadata; true if it was for one.
    pub(crate) fn metadata_edited(&mut self, edited: &Result<String, String>, context: &mut Context) -> bool {
        let Some(mut form) = self.lent.take() else { return false };
        let read = edited.clone().map_err(|why| format!("the editor: {why}"));
        let taken = read.and_then(|entry| form.set_json(&text::clean_pasted(&entry)));
        match taken {
            Ok(()) => context.say("metadata taken over; Enter saves"),
            Err(why) => context.warn(format!("{why}; the metadata is as it was")),
        }
        context.open(*form);
        true
    }
}

/// A person has been read.
pub(crate) fn person_loaded(
    inbox: &mut Inbox,
    channel: &ChannelId,
    phone: &str,
    detail: Option<PersonDetail>,
) {
    if inbox.desk.tab().channel.id != *channel {
        return;
    }
    let Some(detail) = detail else {
        inbox.people.opening = Opening::default();
        let is_untouched = |person_form: &PersonForm| {
            person_form.before.phone == phone && person_form.change().is_some_and(|change| change.is_empty())
        };
        if inbox.context.layers.top::<PersonForm>().is_some_and(is_untouched) {
            inbox.context.layers.pop();
        }
        return inbox.context.warn(format!("{phone} is no contact any more"));
    };
    let opening = std::mem::take(&mut inbox.people.opening);
    if let Some((_, at)) = opening.form.filter(|(text, _)| text == phone) {
        let mut form = PersonForm::new(Some(detail), at);
        // What was refused before is what the person wants still.
        if let Some((change, row, why)) = inbox.outbox.refused_change(phone, &inbox.desk) {
            form = form.refused(&change, row, &why);
        }
        inbox.context.open(form);
    } else if opening.delete.as_deref() == Some(phone) {
        deleting::open_delete(&mut inbox.context, detail);
    } else {
        refresh_form(&mut inbox.context, &detail);
    }
}

/// A change that left a form from here and was refused brings its form
/// back, with what the server said.
pub(crate) fn bring_refused_back(inbox: &mut Inbox) {
    if !inbox.context.layers.is_empty() || inbox.desk.page != PageKind::People {
        return;
    }
    let saving = inbox.people.saving.clone();
    let refused = inbox.outbox.rows.rows.iter().map(|row| &row.row).find(|outbox_row| {
        saving.contains(&outbox_row.id) && matches!(outbox_row.state, RowState::Stopped(..))
    });
    let Some(row) = refused.cloned() else { return };
    inbox.people.saving.retain(|row_id| *row_id != row.id);
    let (Operation::ChangeContact(change), RowState::Stopped(_, why)) = (&row.operation, &row.state) else {
        return;
    };
    let known = inbox.people.rows.rows.iter().any(|row| row.phone == change.phone);
    if known {
        // Its form needs all of the person, which is read first.
        inbox.people.opening.form = Some((change.phone.clone(), PersonField::Name));
        let load = Load::Person(row.channel.clone(), change.phone.clone());
        inbox.context.push(Effect::Load(load));
    } else {
        let form = PersonForm::new(None, PersonField::Phone).refused(change, row.id.clone(), why.as_str());
        inbox.context.open(form);
    }
}

/// What the server told since the form was opened joins it, as long as
/// nothing was typed.
fn refresh_form(context: &mut Context, detail: &PersonDetail) {
    if let Some(form) = context.layers.top_mut::<PersonForm>()
        && !form.is_new
        && form.before.phone == detail.phone
        && form.before != *detail
        && form.change().is_some_and(|change| change.is_empty())
    {
        let focus = form.focus;
        *form = PersonForm::new(Some(detail.clone()), PersonField::at(focus));
        form.focus = focus.min(form.values.len() - 1);
    }
}

impl OutboxScreen {
    fn refused_change(
        &self,
        phone: &str,
        desk: &Desk,
    ) -> Option<(model::contacts::ContactChange, model::ids::RowId, String)> {
        let row = self.row_about(phone, desk)?;
        match (&row.operation, &row.state) {
            (Operation::ChangeContact(change), RowState::Stopped(_, why)) => {
                Some((change.as_ref().clone(), row.id.clone(), why.to_string()))
            }
            _ => None,
        }
    }
}

impl Desk {
    /// A change of a contact of the active tab, before it has bytes.
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
}
