//! What a key means to the topmost layer.
//!
//! A question is answered by a letter of its own, never by Enter and never by
//! the key that opened it.

use crate::Inbox;
use crate::event::Load;
use crate::features::privacy::known_names;
use crate::features::privacy::names::NameIndex;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::line::LineKind;
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayBody};
use crate::overlays::{AROUND, Layer};

impl Overlay for Layer {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let asked = self.is_question().then(|| self.clone());
        let layer = std::mem::replace(self, Self::Search);
        if let Some(layer) = inbox.connection_layer_key(layer, key) {
            inbox.layer_key(layer, key);
        }
        // Letters of these act without changing what is asked.
        let has_letters = matches!(asked, Some(Self::MailReview { .. } | Self::Flight(_)));
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

    fn is_recorded(&self) -> bool {
        match self {
            Self::Palette(_) => false,
            Self::Line(line) => !matches!(line.kind, LineKind::Command { .. }),
            it => !it.asks(),
        }
    }

    fn names(&self, inbox: &Inbox, names: &mut NameIndex) {
        known_names::of_layer(inbox, self, names);
    }

    fn shows(&self, load: &Load) -> bool {
        self.is_read_from(load)
    }

    fn has_left(&mut self, inbox: &mut Inbox) {
        inbox.form_has_left(self);
    }

    fn is_read_out(&self) -> bool {
        !matches!(self, Self::Line(_) | Self::Palette(_) | Self::Search)
    }
}

impl Inbox {
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
                if let Some(first) = moved {
                    self.layers.push(Layer::Raw { title, lines, first });
                }
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
            (Layer::BroadcastForm(form), _) => self.broadcast_form_key(form, key),
            (Layer::Flight(flight), _) => self.flight_key(flight, key),
            (Layer::AskContinue(asked), _) => self.continue_key(asked, key),
            (Layer::AskDeletePerson(asked), _) => self.delete_key(asked, key),
            (layer @ Layer::Json { .. }, _) => self.json_key(layer, key),
            (Layer::Menu { chosen }, _) => self.menu_key(chosen, key),
            (layer @ Layer::React { .. }, _) => self.reaction_key(layer, key),
            (Layer::Snooze { rows, typed, stays }, _) => self.snooze_key(rows, typed, stays, key),
            (Layer::Tags { rows, line }, _) => self.tags_key(rows, line, key),
            (Layer::Macros { chosen, records }, _) => self.macros_key(chosen, records, key),
            (Layer::List { kind, chosen }, _) => self.list_key(kind, chosen, key),
            (Layer::Number { typed, .. }, _) => self.number_key(typed, key),
            (Layer::MailMenu(menu), _) => self.mail_menu_key(menu, key),
            (Layer::MailReview { preview, first }, _) => self.review_key((preview, first), key),
            (Layer::MailFile(line), _) => self.file_key(line, key),
            (Layer::Call(form), _) => self.call_key(form, key),
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
