use crate::Inbox;
use crate::actions;
use crate::components::picker::{Picker, PickerOutcome};
use crate::context::Context;
use crate::desk::Desk;
use crate::event::Effect;
use crate::keys::KeyPress;
use crate::outside::OutsideRequest;
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::screens::composer::ComposerMode;
use crate::screens::composer::canned::{ReplyPicker, next_open_field, open_fields};
use crate::screens::connections::ConnectionAnswers;
use crate::screens::mail::compose_header::BODY_FOCUS;
use crate::screens::mail::reading::update::answered_mail;
use crate::screens::mail::writing::update as writing;
use crate::tab::Focus;
use model::replies::{self, ReplyVariables};

impl Overlay for ReplyPicker {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let found = inbox.desk.canned.search(&self.picker.query, inbox.desk.tab());
        match self.picker.key(key, found.len()) {
            PickerOutcome::Stay => return KeyOutcome::Stay,
            PickerOutcome::Selected(index) => {
                let reply = found[index].clone();
                let facts = inbox.connections.reply_variables(&inbox.desk, &inbox.context);
                let subject = reply.subject.as_ref().map(|subject| replies::fill_fields(subject, &facts));
                writing::apply_reply_options(&mut inbox.desk, subject, reply.quote, &inbox.context);
                let text = replies::fill_fields(&reply.body, &facts);
                inbox.connections.insert_reply(&text, &mut inbox.desk, &mut inbox.context);
            }
            PickerOutcome::Cancelled => {
                if self.picker.query.is_empty() {
                    insert_text(&mut inbox.desk, self.opener, &mut inbox.context);
                }
                if let Some(back) = self.previous_focus {
                    inbox.desk.tab_mut().focus = back;
                }
            }
        }
        KeyOutcome::Done
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Letters
    }
}

/// Opens the picker; `opener` is the typed text that returns if nothing is picked.
pub(crate) fn open_reply_picker(context: &mut Context, opener: &'static str) {
    context.push(Effect::Request(OutsideRequest::Replies));
    context.open(ReplyPicker { picker: Picker::default(), opener, previous_focus: None });
}

pub(crate) fn open_canned_replies(desk: &mut Desk, context: &mut Context) {
    let back = Some(desk.tab().focus);
    if !actions::open(desk, Focus::Composer, context) {
        return;
    }
    if let Some(composer) = &mut desk.tab_mut().composer {
        composer.mode = ComposerMode::Reply;
    }
    context.push(Effect::Request(OutsideRequest::Replies));
    context.open(ReplyPicker { picker: Picker::default(), opener: "", previous_focus: back });
}

/// Opens the picker for `/` in an empty text or a second `:`; returns true if it did.
pub(crate) fn open_replies_on_key(desk: &mut Desk, key: KeyPress, context: &mut Context) -> bool {
    let now = context.moment;
    let Some(composer) = &mut desk.tab_mut().composer else { return false };
    let opener = match key.typed() {
        Some('/') if composer.buffer().is_empty() => "/",
        Some(':') if composer.buffer().before_cursor().ends_with(':') => {
            composer.change(now, |composer| composer.replace_before(1, ""));
            "::"
        }
        _ => return false,
    };
    open_reply_picker(context, opener);
    true
}

pub(crate) fn insert_text(desk: &mut Desk, text: &str, context: &mut Context) {
    let now = context.moment;
    if !text.is_empty()
        && let Some(composer) = &mut desk.tab_mut().composer
        && !composer.paste(text, now)
    {
        context.show_warning("the text was too long and has been cut");
    }
}

/// Moves to the next open field. Returns false if there is none.
pub(crate) fn go_to_open_field(desk: &mut Desk, context: &Context) -> bool {
    let now = context.moment;
    let Some(composer) = &mut desk.tab_mut().composer else { return false };
    let Some(((line, character), _)) = next_open_field(composer) else { return false };
    composer.edit_header(now, |composer| composer.focus = BODY_FOCUS);
    composer.change(now, |composer| composer.move_to(line, character));
    true
}

/// Replaces the field under the cursor with the typed character; false if there is none.
pub(crate) fn fill_field(desk: &mut Desk, key: KeyPress, context: &Context) -> bool {
    let now = context.moment;
    let Some(composer) = &mut desk.tab_mut().composer else { return false };
    let at = composer.buffer().cursor();
    let field = open_fields(composer).into_iter().find(|(place, _)| *place == at);
    let (Some(character), Some((_, length))) = (key.typed(), field) else { return false };
    composer.change(now, |sheet| sheet.replace_after(length, character.encode_utf8(&mut [0; 4])));
    true
}

/// Returns the reason if the text has open fields.
pub(crate) fn open_field_error(desk: &Desk, context: &Context) -> Option<String> {
    let text = desk.tab().composer.as_ref()?.reply_text();
    let names = context.settings.connections.iter().map(|connection| format!("{{{}.", connection.name));
    if let Some(at) = names.filter_map(|name| text.find(&name)).min() {
        let field = text[at..].split_inclusive('}').next().unwrap_or("");
        return Some(format!("{field} is not filled in: Tab fills it once it is looked up"));
    }
    let composer = desk.tab().composer.as_ref()?;
    let field = match next_open_field(composer) {
        Some(((line, character), length)) => {
            composer.text_area().lines()[line].chars().skip(character).take(length).collect()
        }
        None => text[replies::unfilled_fields(&text).into_iter().next()?].to_owned(),
    };
    Some(format!("{field} is not filled in: Tab goes there"))
}

/// Subject, date and sender of the mail being answered.
fn mail_variables(desk: &Desk, context: &Context) -> Option<[String; 3]> {
    let row = answered_mail(desk)?;
    let letter = row.mail.as_ref()?;
    let zone = &context.settings.zone;
    let when = row.written_at().map_or_else(String::new, |written| written.day_name(zone));
    let subject = letter.subject.as_ref().map_or_else(String::new, ToString::to_string);
    Some([subject, when, letter.from.to_string()])
}

impl ConnectionAnswers {
    pub fn reply_variables(&self, desk: &Desk, context: &Context) -> ReplyVariables {
        let row = desk.tab().history.as_ref().and_then(|history| history.row.as_ref());
        let contact = row.and_then(|row| row.conversation.name.as_ref()).map(ToString::to_string);
        let (agent, looked_up) = (desk.agent.clone(), self.field_values(desk, context));
        ReplyVariables { contact, agent, mail: mail_variables(desk, context), looked_up }
    }

    /// Inserts a reply and moves to its first open field.
    fn insert_reply(&mut self, text: &str, desk: &mut Desk, context: &mut Context) {
        let now = context.moment;
        let open = !replies::unfilled_fields(text).is_empty();
        let before = desk.tab().composer.as_ref().map(|composer| composer.buffer().cursor());
        insert_text(desk, text, context);
        let Some((line, character)) = before.filter(|_| open) else { return };
        if let Some(composer) = &mut desk.tab_mut().composer {
            composer.change(now, |composer| composer.move_to(line, character));
        }
        self.fill_or_go_to_field(desk, context);
    }

    /// Replaces the first `{connection.field}` that is known. Returns false if there is none.
    fn fill_connection_field(&mut self, desk: &mut Desk, context: &Context) -> bool {
        let (now, known) = (context.moment, self.field_values(desk, context));
        let Some(composer) = &mut desk.tab_mut().composer else { return false };
        let found = composer.text_area().lines().iter().enumerate().find_map(|(number, line)| {
            known.iter().find_map(|(name, value)| {
                let field = [format!("{{{name}}}"), format!("{{{name}?}}")].into_iter();
                field
                    .filter_map(|field| Some((number, line.find(&field)?, field.chars().count(), value)))
                    .next()
            })
        });
        let Some((line, at, length, value)) = found else { return false };
        let start = composer.text_area().lines()[line][..at].chars().count();
        composer.change(now, |sheet| {
            sheet.move_to(line, start);
            sheet.replace_after(length, value);
        });
        true
    }

    /// Fills in known fields and moves to the next open one. Returns false if there was none.
    pub(crate) fn fill_or_go_to_field(&mut self, desk: &mut Desk, context: &Context) -> bool {
        let mut filled = false;
        while self.fill_connection_field(desk, context) {
            filled = true;
        }
        go_to_open_field(desk, context) || filled
    }
}
