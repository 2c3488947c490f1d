//! Picks a canned reply and fills its fields.

use crate::Inbox;
use crate::components::picker::{Picked, Picker};
use crate::context::Context;
use crate::desk::Desk;
use crate::event::Effect;
use crate::keys::KeyPress;
use crate::outside::OutsideRequest;
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::screens::composer::ComposerMode;
use crate::screens::composer::canned::{ReplyPicker, fields, next_field};
use crate::screens::connections::ConnectionAnswers;
use crate::screens::mail::head::BODY;
use crate::screens::mail::reading::update::answered_letter;
use crate::tab::Focus;
use model::replies::{self, ReplyVariables};

impl Overlay for ReplyPicker {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let found = inbox.desk.canned.search(&self.picker.query, inbox.desk.tab());
        match self.picker.key(key, found.len()) {
            Picked::Stays => return KeyOutcome::Stay,
            Picked::Entry(index) => {
                let reply = found[index].clone();
                let facts = inbox.connections.facts(&inbox.desk, &inbox.context);
                let subject = reply.subject.as_ref().map(|subject| replies::fill_fields(subject, &facts));
                inbox.desk.begin_by_template(subject, reply.quote, &inbox.context);
                let text = replies::fill_fields(&reply.body, &facts);
                inbox.connections.insert_reply(&text, &mut inbox.desk, &mut inbox.context);
            }
            Picked::Left => {
                if self.picker.query.is_empty() {
                    inbox.desk.insert(self.opener, &mut inbox.context);
                }
                if let Some(back) = self.back {
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

/// Opens the picker over the composer; `opener` is what was typed to open
/// it, and comes back if nothing is picked.
pub(crate) fn pick_reply(context: &mut Context, opener: &'static str) {
    context.push(Effect::Ask(OutsideRequest::Replies));
    context.open(ReplyPicker { picker: Picker::default(), opener, back: None });
}

impl Desk {
    /// Opens the picker from the list or the history.
    pub(crate) fn canned(&mut self, context: &mut Context) {
        let back = Some(self.tab().focus);
        if !self.open(Focus::Composer, context) {
            return;
        }
        if let Some(composer) = &mut self.tab_mut().composer {
            composer.mode = ComposerMode::Reply;
        }
        context.push(Effect::Ask(OutsideRequest::Replies));
        context.open(ReplyPicker { picker: Picker::default(), opener: "", back });
    }

    /// A typed character that opens the picker: a stroke on an empty text, or
    /// a second colon.
    pub(crate) fn opens_replies(&mut self, key: KeyPress, context: &mut Context) -> bool {
        let now = context.moment;
        let Some(composer) = &mut self.tab_mut().composer else { return false };
        let opener = match key.typed() {
            Some('/') if composer.sheet().is_empty() => "/",
            Some(':') if composer.sheet().before_cursor().ends_with(':') => {
                composer.change(now, |composer| composer.replace_before(1, ""));
                "::"
            }
            _ => return false,
        };
        pick_reply(context, opener);
        true
    }

    /// Puts text at the cursor.
    pub(crate) fn insert(&mut self, text: &str, context: &mut Context) {
        let now = context.moment;
        if !text.is_empty()
            && let Some(composer) = &mut self.tab_mut().composer
            && !composer.paste(text, now)
        {
            context.warn("the text was too long and has been cut");
        }
    }

    /// Goes to the next open field of the text; false if there is none.
    pub(crate) fn go_to_field(&mut self, context: &Context) -> bool {
        let now = context.moment;
        let Some(composer) = &mut self.tab_mut().composer else { return false };
        let Some(((line, character), _)) = next_field(composer) else { return false };
        composer.change_head(now, |composer| composer.at = BODY);
        composer.change(now, |composer| composer.move_to(line, character));
        true
    }

    /// A character typed on a field takes its place.
    pub(crate) fn fills_field(&mut self, key: KeyPress, context: &Context) -> bool {
        let now = context.moment;
        let Some(composer) = &mut self.tab_mut().composer else { return false };
        let at = composer.sheet().cursor();
        let field = fields(composer).into_iter().find(|(place, _)| *place == at);
        let (Some(it), Some((_, length))) = (key.typed(), field) else { return false };
        composer.change(now, |sheet| sheet.replace_after(length, it.encode_utf8(&mut [0; 4])));
        true
    }

    /// Why a text with open fields does not leave.
    pub(crate) fn unfilled(&self, context: &Context) -> Option<String> {
        let text = self.tab().composer.as_ref()?.reply_text();
        let names = context.settings.connections.iter().map(|connection| format!("{{{}.", connection.name));
        if let Some(at) = names.filter_map(|name| text.find(&name)).min() {
            let field = text[at..].split_inclusive('}').next().unwrap_or("");
            return Some(format!("{field} is still to be filled in: Tab does, once it was looked up"));
        }
        let composer = self.tab().composer.as_ref()?;
        let field = match next_field(composer) {
            Some(((line, character), length)) => {
                composer.area().lines()[line].chars().skip(character).take(length).collect()
            }
            None => text[replies::unfilled_fields(&text).into_iter().next()?].to_owned(),
        };
        Some(format!("{field} is still to be filled in: Tab goes there"))
    }
}

/// The mail that is answered: its subject, when it was written, its sender.
fn mail_facts(desk: &Desk, context: &Context) -> Option<[String; 3]> {
    let row = answered_letter(desk)?;
    let letter = row.mail.as_ref()?;
    let zone = &context.settings.zone;
    let when = row.written_at().map_or_else(String::new, |written| written.day_name(zone));
    let subject = letter.subject.as_ref().map_or_else(String::new, ToString::to_string);
    Some([subject, when, letter.from.to_string()])
}

impl ConnectionAnswers {
    /// What fields are filled from here.
    pub fn facts(&self, desk: &Desk, context: &Context) -> ReplyVariables {
        let row = desk.tab().history.as_ref().and_then(|history| history.row.as_ref());
        let contact = row.and_then(|row| row.conversation.name.as_ref()).map(ToString::to_string);
        let (agent, looked_up) = (desk.agent.clone(), self.looked_up(desk, context));
        ReplyVariables { contact, agent, mail: mail_facts(desk, context), looked_up }
    }

    /// Puts a reply at the cursor, and the cursor on its first open field.
    fn insert_reply(&mut self, text: &str, desk: &mut Desk, context: &mut Context) {
        let now = context.moment;
        let open = !replies::unfilled_fields(text).is_empty();
        let before = desk.tab().composer.as_ref().map(|composer| composer.sheet().cursor());
        desk.insert(text, context);
        let Some((line, character)) = before.filter(|_| open) else { return };
        if let Some(composer) = &mut desk.tab_mut().composer {
            composer.change(now, |composer| composer.move_to(line, character));
        }
        self.next_field(desk, context);
    }

    /// Puts what connections told in place of the first `{connection.field}`
    /// that was typed; false if there is none.
    fn fill_looked_up(&mut self, desk: &mut Desk, context: &Context) -> bool {
        let (now, known) = (context.moment, self.looked_up(desk, context));
        let Some(composer) = &mut desk.tab_mut().composer else { return false };
        let found = composer.area().lines().iter().enumerate().find_map(|(number, line)| {
            known.iter().find_map(|(name, value)| {
                let field = [format!("{{{name}}}"), format!("{{{name}?}}")].into_iter();
                field
                    .filter_map(|field| Some((number, line.find(&field)?, field.chars().count(), value)))
                    .next()
            })
        });
        let Some((line, at, length, value)) = found else { return false };
        let start = composer.area().lines()[line][..at].chars().count();
        composer.change(now, |sheet| {
            sheet.move_to(line, start);
            sheet.replace_after(length, value);
        });
        true
    }

    /// Goes to the next field that is to be filled in, filling in what is
    /// known; false if there is none.
    pub(crate) fn next_field(&mut self, desk: &mut Desk, context: &Context) -> bool {
        let mut filled = false;
        while self.fill_looked_up(desk, context) {
            filled = true;
        }
        desk.go_to_field(context) || filled
    }
}
