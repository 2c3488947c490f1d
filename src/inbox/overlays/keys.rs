//! What a key means to the topmost layer.
//!
//! A question is answered by a letter of its own, never by Enter and never by
//! the key that opened it.

use crate::Inbox;
use crate::event::Effect;
use crate::keys::{KeyCode, KeyPress};
use crate::outside::OutsideRequest;
use crate::overlays::{AROUND, Layer};
use crate::tab::Focus;

impl Inbox {
    pub(crate) fn open_layer(&mut self, layer: Layer) {
        self.guard.raise();
        self.layers.push(layer);
    }

    /// A key goes to the topmost layer; true if there is one.
    pub(crate) fn layer_takes(&mut self, key: KeyPress) -> bool {
        let Some(layer) = self.layers.last() else { return false };
        let asked = layer.is_question().then(|| layer.clone());
        if asked.is_some() && !self.guard_lets(key) {
            return true;
        }
        let Some(layer) = self.layers.pop() else { return false };
        if let Some(layer) = self.connection_layer_key(layer, key) {
            self.layer_key(layer, key);
        }
        // Letters of these act without changing what is asked.
        let has_letters = matches!(asked, Some(Layer::MailReview { .. } | Layer::Flight(_)));
        if asked.is_some() && !has_letters && self.layers.last() == asked.as_ref() {
            self.went_astray(key);
        }
        true
    }

    /// The wheel turned over the topmost layer: texts scroll, questions stay.
    pub(crate) fn layer_scrolls(&mut self, key: KeyPress) {
        if self.layers.last().is_some_and(|it| !it.is_question()) {
            self.layer_takes(key);
        }
    }

    fn layer_key(&mut self, layer: Layer, key: KeyPress) {
        let leaves = key.code == KeyCode::Esc;
        match (layer, key.typed()) {
            (Layer::Line(line), _) => self.line_key(line, key),
            (Layer::Palette(palette), _) => self.palette_key(palette, key),
            (Layer::Search, _) => self.search_key(key),
            (Layer::Views { chosen }, _) => self.views_key(chosen, key),
            (Layer::Help(help), _) => self.help_key(*help, key),
            (Layer::Raw { title, lines, first }, _) => {
                let moved = scrolled(first, key, usize::from(self.context.size.1), lines.len());
                self.layers.extend(moved.map(|first| Layer::Raw { title, lines, first }));
            }
            (layer @ Layer::Replies { .. }, _) => self.replies_key(layer, key),
            (Layer::Emoji { picker, typed }, _) => self.emoji_key(picker, typed, key),
            (Layer::Templates { picker }, _) => self.templates_key(picker, key),
            (Layer::TemplateForm(form), _) => self.form_key(form, key),
            (Layer::Attach(form), _) => self.attach_key(form, key),
            (Layer::Later { typed }, _) => self.later_key(typed, key),
            (Layer::Form(form), _) => self.form_field_key(form, key),
            (Layer::PersonForm(form), _) => self.person_form_key(form, key),
            (Layer::WebhookForm(form), _) => self.webhook_form_key(form, key),
            (Layer::AskWebhook(form), _) => self.ask_webhook_key(form, key),
            (Layer::AskRemoveWebhook(webhook), Some('y')) => self.remove_webhook(&webhook),
            (Layer::BroadcastForm(form), _) => self.broadcast_form_key(form, key),
            (Layer::Flight(flight), _) => self.flight_key(flight, key),
            (Layer::AskContinue(asked), _) => self.continue_key(asked, key),
            (Layer::AskStop { id, .. }, Some('y')) => self.stop_broadcast(id),
            (Layer::AskDeletePerson(asked), _) => self.delete_key(asked, key),
            (layer @ Layer::Json { .. }, _) => self.json_key(layer, key),
            (Layer::Menu { chosen }, _) => self.menu_key(chosen, key),
            (layer @ Layer::React { .. }, _) => self.reaction_key(layer, key),
            (Layer::Snooze { rows, typed, stays }, _) => self.snooze_key(rows, typed, stays, key),
            (Layer::Tags { rows, line }, _) => self.tags_key(rows, line, key),
            (Layer::Macros { chosen, records }, _) => self.macros_key(chosen, records, key),
            (Layer::List { kind, chosen }, _) => self.list_key(kind, chosen, key),
            (Layer::AskLease { over }, Some('h')) => self.hand_back_all(&over),
            (Layer::AskLease { .. }, Some('e')) => self.extend_leases(),
            (Layer::AskBulk { plan }, Some('y')) => self.carry_out(&plan),
            (layer @ Layer::AskPause { .. }, Some(it @ ('y' | 's'))) => {
                self.send_beside_or_pause(layer, it == 'y');
            }
            (Layer::AskSplit { .. }, Some('y')) => self.send_unless_crossed(),
            (Layer::AskCrossed { crossed, .. }, Some('y')) => self.send_after_crossing(&crossed, true),
            (Layer::AskCrossed { crossed, .. }, _) if leaves => {
                self.send_after_crossing(&crossed, false);
            }
            (Layer::Decide { entry, answers }, Some(it)) if answers.iter().any(|answer| answer.key == it) => {
                self.decided_on(&entry, answers, it);
            }
            (Layer::DecideAll { go, price, .. }, Some('y')) => self.send_all(go, price.is_some()),
            (Layer::Number { typed, .. }, _) => self.number_key(typed, key),
            (Layer::MailMenu(menu), _) => self.mail_menu_key(menu, key),
            (Layer::AskSame { .. }, Some('y')) => self.same_for_all(),
            (Layer::MailReview { preview, first }, _) => self.review_key((preview, first), key),
            (Layer::MailDoubt { .. }, Some('y')) => self.send_mail(),
            (Layer::MailDoubt { .. }, it) if leaves || it == Some('e') => {
                self.tab_mut().focus = Focus::Composer;
            }
            (Layer::MailFile(line), _) => self.file_key(line, key),
            (Layer::AskBrowser { raw }, Some('y')) => {
                self.context.push(Effect::Ask(OutsideRequest::ShowMail(raw)))
            }
            (Layer::Call(form), _) => self.call_key(form, key),
            (Layer::AskCall { operation, .. }, Some('y')) => self.place_call(operation),
            (Layer::AskCall { form, .. }, it) if leaves || it == Some('n') => {
                self.open_layer(Layer::Call(form));
            }
            (Layer::AskImport { source, found }, Some('y')) => self.start_import(source, &found),
            (Layer::AskOpen { url, .. }, Some('y')) => self.context.push(Effect::OpenOutside(url)),
            (Layer::AskPicture { url, host }, Some('y')) => self.agree_to_picture(&url, host),
            (Layer::AskPipe { command, json, .. }, Some('y')) => self.run_pipe(command, json),
            (it, Some('n')) if says_no(&it) => (),
            (Layer::AskQuit { .. }, Some('y')) => self.quit(),
            (Layer::AskQuit { paused, .. }, Some('h')) if paused > 0 => self.hand_all_back(),
            (_, _) if leaves => (),
            (layer, _) => self.layers.push(layer),
        }
    }

    fn reaction_key(&mut self, layer: Layer, key: KeyPress) {
        let Layer::React { channel, conversation, message, chosen } = layer else { return };
        let offered = self.quick_reactions(&channel);
        let count = offered.len();
        let moved = match key.code {
            KeyCode::Left | KeyCode::Up | KeyCode::BackTab => Some((chosen + count - 1) % count),
            KeyCode::Right | KeyCode::Down | KeyCode::Tab => Some((chosen + 1) % count),
            KeyCode::Char('h' | 'k') => Some((chosen + count - 1) % count),
            KeyCode::Char('l' | 'j') => Some((chosen + 1) % count),
            _ => None,
        };
        let digit = key.typed().and_then(|it| it.to_digit(10)).and_then(|it| usize::try_from(it).ok());
        let picked = match (key.code, digit) {
            (KeyCode::Enter, _) => Some(chosen),
            (_, Some(number)) if (1..=count).contains(&number) => Some(number - 1),
            _ => None,
        };
        match (picked, moved) {
            (Some(index), _) => {
                self.react(&channel, &conversation, &message, offered[index]);
            }
            (None, None) if key.code == KeyCode::Esc || key.typed() == Some('q') => (),
            (None, moved) => {
                let chosen = moved.unwrap_or(chosen);
                self.layers.push(Layer::React { channel, conversation, message, chosen });
            }
        }
    }
}

/// Whether `n` answers it, and leaves all as it is.
fn says_no(layer: &Layer) -> bool {
    use Layer as L;
    matches!(
        layer,
        L::AskRemoveWebhook(_)
            | L::AskRemoveConnection(_)
            | L::AskBrowser { .. }
            | L::AskBulk { .. }
            | L::AskImport { .. }
            | L::AskOpen { .. }
            | L::AskPicture { .. }
            | L::AskPipe { .. }
            | L::AskQuit { .. }
            | L::AskSame { .. }
            | L::AskStop { .. }
    )
}

/// Where a text layer of so many lines is after a key; `None` closes it.
pub(crate) fn scrolled(first: usize, key: KeyPress, rows: usize, total: usize) -> Option<usize> {
    // Some rows stay free around a layer, two are its border.
    let shown = rows.saturating_sub(usize::from(AROUND) + 2).max(1);
    let page = shown.saturating_sub(2).max(1);
    let last = total.saturating_sub(shown);
    let moved = match key.code {
        KeyCode::Char('j') | KeyCode::Down => Some(first + 1),
        KeyCode::Char('k') | KeyCode::Up => Some(first.saturating_sub(1)),
        KeyCode::PageDown | KeyCode::Char(' ') => Some(first + page),
        KeyCode::PageUp => Some(first.saturating_sub(page)),
        KeyCode::Char('d') if key.ctrl => Some(first + page / 2),
        KeyCode::Char('u') if key.ctrl => Some(first.saturating_sub(page / 2)),
        KeyCode::Home | KeyCode::Char('g') => Some(0),
        KeyCode::End | KeyCode::Char('G') => Some(last),
        _ => None,
    };
    moved.map(|it| it.min(last))
}
