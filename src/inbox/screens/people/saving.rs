//! Keys of the person form, and the fate of its change.

use crate::Inbox;
use crate::components::form::FormKey;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Intent, Load, SyncOrder, TerminalOrder};
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::pages::PageKind;
use crate::screens::outbox::OutboxScreen;
use crate::screens::people::People;
use crate::screens::people::deleting;
use crate::screens::people::form::{PendingPersonAction, PersonField, PersonForm};
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
            inbox.people.form_in_editor = Some(Box::new(self.clone()));
            return KeyOutcome::Done;
        }
        match FormKey::of(key, &mut self.focus, first..self.values.len()) {
            FormKey::Leave => {
                inbox.people.leave_form(self, &mut inbox.context);
                return KeyOutcome::Done;
            }
            FormKey::FocusMoved => (),
            FormKey::Submit => {
                self.shows_all_errors = true;
                match self.first_error() {
                    None => return inbox.people.save_person(self, &inbox.desk, &mut inbox.context),
                    Some((field, why)) => {
                        self.focus = field;
                        inbox.context.show_warning(format!(
                            "not saved: {} {why}",
                            PersonField::from_index(field).label()
                        ));
                    }
                }
            }
            FormKey::FieldInput => {
                let focus = self.focus;
                if self.values.get_mut(focus).is_some_and(|value| value.key(key)) {
                    self.server_error = self.server_error.take().filter(|pair| pair.0 != focus);
                }
                self.add_empty_line();
            }
        }
        KeyOutcome::Stay
    }

    fn paste(&mut self, _inbox: &mut Inbox, outside: &str) -> bool {
        if let Some(value) = self.values.get_mut(self.focus) {
            value.insert(text::clean_pasted(outside).trim());
        }
        self.add_empty_line();
        true
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Text
    }
}

impl People {
    pub(crate) fn new_person(&mut self, context: &mut Context) {
        let begun = self.unfinished_form.take();
        let form = begun.unwrap_or_else(|| Box::new(PersonForm::new(None, PersonField::Phone)));
        context.open(*form);
    }

    /// Opens the form of the selected person once loaded, and asks the server for a newer state.
    pub(crate) fn edit_person(&mut self, at: PersonField, desk: &Desk, context: &mut Context) {
        let Some(phone) = self.rows.chosen().map(|chosen| chosen.phone.clone()) else { return };
        let channel = desk.tab().channel.id.clone();
        self.opening =
            PendingPersonAction { form: Some((phone.clone(), at)), ..PendingPersonAction::default() };
        context.push(Effect::Load(Load::Person(channel.clone(), phone.clone())));
        context.push(SyncOrder::Fetch(channel, Fetch::Person { phone }));
    }

    fn leave_form(&mut self, form: &PersonForm, context: &mut Context) {
        if form.is_new && form.replaces.is_none() && form.has_text() {
            self.unfinished_form = Some(Box::new(form.clone()));
            return context.show_notice(context.fill_in_keys("not saved; {new-person} continue"));
        }
        if form.change().is_none_or(|change| !change.is_empty()) {
            context.show_notice("not saved; nothing was changed");
        }
    }

    fn save_person(&mut self, form: &PersonForm, desk: &Desk, context: &mut Context) -> KeyOutcome {
        let Some(change) = form.change() else { return KeyOutcome::Done };
        if change.is_empty() && !form.is_new {
            context.show_notice("no changes to save");
            return KeyOutcome::Done;
        }
        let name = if form.text(1).is_empty() { change.phone.clone() } else { form.text(1).to_owned() };
        let phone = change.phone.clone();
        let Some(intent) = contact_intent(desk, &phone, Operation::ChangeContact(Box::new(change)), 0) else {
            context.show_warning("not saved: the channel has not answered yet");
            return KeyOutcome::Stay;
        };
        if let Some(row) = form.replaces.clone() {
            context.push(FileWrite::Decide(row, StopVerdict::Drop, None));
        }
        context.push(FileWrite::Enqueue { intents: vec![intent], clears_draft: false });
        self.opening.choose = Some(phone);
        context.show_notice(format!("saving {name}"));
        KeyOutcome::Done
    }

    /// Remembers queued changes of contacts; at most 20.
    pub(crate) fn record_queued_changes(&mut self, rows: &[OutboxRow]) {
        let follows = |outbox_row: &&OutboxRow| {
            matches!(outbox_row.operation, Operation::ChangeContact(_) | Operation::DeleteContact { .. })
        };
        let saved = rows.iter().filter(follows);
        self.pending_changes.extend(saved.map(|outbox_row| outbox_row.id.clone()));
        let over = self.pending_changes.len().saturating_sub(20);
        self.pending_changes.drain(..over);
    }

    /// Takes metadata back from the external editor. Returns false if it was not for a form.
    pub(crate) fn metadata_edited(&mut self, edited: &Result<String, String>, context: &mut Context) -> bool {
        let Some(mut form) = self.form_in_editor.take() else { return false };
        let read = edited.clone().map_err(|why| format!("the editor: {why}"));
        let taken = read.and_then(|entry| form.set_json(&text::clean_pasted(&entry)));
        match taken {
            Ok(()) => context.show_notice("metadata updated; Enter saves"),
            Err(why) => context.show_warning(format!("{why}; the metadata is as it was")),
        }
        context.open(*form);
        true
    }
}

/// Opens the form or question that waits for this person, or refreshes an open form.
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
        inbox.people.opening = PendingPersonAction::default();
        let is_untouched = |person_form: &PersonForm| {
            person_form.before.phone == phone && person_form.change().is_some_and(|change| change.is_empty())
        };
        if inbox.context.overlays.top::<PersonForm>().is_some_and(is_untouched) {
            inbox.context.overlays.pop();
        }
        return inbox.context.show_warning(format!("{phone} is no longer a contact"));
    };
    let opening = std::mem::take(&mut inbox.people.opening);
    if let Some((_, at)) = opening.form.filter(|(text, _)| text == phone) {
        let mut form = PersonForm::new(Some(detail), at);
        // A refused change is still what the user wants.
        if let Some((change, row, why)) = inbox.outbox.refused_change(phone, &inbox.desk) {
            form = form.with_refusal(&change, row, &why);
        }
        inbox.context.open(form);
    } else if opening.delete.as_deref() == Some(phone) {
        deleting::open_delete_prompt(&mut inbox.context, detail);
    } else {
        refresh_form(&mut inbox.context, &detail);
    }
}

/// Reopens the form of a refused change with the server's error.
pub(crate) fn reopen_refused_form(inbox: &mut Inbox) {
    if !inbox.context.overlays.is_empty() || inbox.desk.page != PageKind::People {
        return;
    }
    let saving = inbox.people.pending_changes.clone();
    let refused = inbox.outbox.rows.rows.iter().map(|row| &row.row).find(|outbox_row| {
        saving.contains(&outbox_row.id) && matches!(outbox_row.state, RowState::Stopped(..))
    });
    let Some(row) = refused.cloned() else { return };
    inbox.people.pending_changes.retain(|row_id| *row_id != row.id);
    let (Operation::ChangeContact(change), RowState::Stopped(_, why)) = (&row.operation, &row.state) else {
        return;
    };
    let known = inbox.people.rows.rows.iter().any(|row| row.phone == change.phone);
    if known {
        // The form needs the whole person, so load it first.
        inbox.people.opening.form = Some((change.phone.clone(), PersonField::Name));
        let load = Load::Person(row.channel.clone(), change.phone.clone());
        inbox.context.push(Effect::Load(load));
    } else {
        let form =
            PersonForm::new(None, PersonField::Phone).with_refusal(change, row.id.clone(), why.as_str());
        inbox.context.open(form);
    }
}

/// Updates an open form with newer data, unless something was typed.
fn refresh_form(context: &mut Context, detail: &PersonDetail) {
    if let Some(form) = context.overlays.top_mut::<PersonForm>()
        && !form.is_new
        && form.before.phone == detail.phone
        && form.before != *detail
        && form.change().is_some_and(|change| change.is_empty())
    {
        let focus = form.focus;
        *form = PersonForm::new(Some(detail.clone()), PersonField::from_index(focus));
        form.focus = focus.min(form.values.len() - 1);
    }
}

impl OutboxScreen {
    fn refused_change(
        &self,
        phone: &str,
        desk: &Desk,
    ) -> Option<(model::contacts::ContactChange, model::ids::RowId, String)> {
        let row = self.change_of(phone, desk)?;
        match (&row.operation, &row.state) {
            (Operation::ChangeContact(change), RowState::Stopped(_, why)) => {
                Some((change.as_ref().clone(), row.id.clone(), why.to_string()))
            }
            _ => None,
        }
    }
}

pub(crate) fn contact_intent(desk: &Desk, phone: &str, operation: Operation, hold: i64) -> Option<Intent> {
    let tab = desk.tab();
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
