//! Who gets a key: the topmost layer, the composer, or the key map.
//!
//! Knows nothing of what commands do.

use crate::app::App;
use crate::app::availability;
use crate::app::commands::{self, Command, Place, Resolution, TABLE};
use crate::app::event::Effect;
use crate::app::keys::{Key, KeyCode};
use crate::app::layers::{Layer, TYPE_AHEAD};
use crate::app::tab::Focus;
use crate::model::reactions;

impl App {
    /// The places whose keys act now, nearest first.
    pub fn places(&self) -> Vec<Place> {
        let tab = self.tab();
        match tab.focus {
            Focus::Composer => vec![Place::Composer],
            _ if !tab.is_inbox() => vec![Place::Desk],
            Focus::List => vec![Place::List, Place::Conversation, Place::Desk],
            Focus::History => vec![Place::History, Place::Conversation, Place::Desk],
        }
    }

    /// A key was pressed.
    pub(super) fn key(&mut self, key: Key, effects: &mut Vec<Effect>) {
        if let Some(layer) = self.layers.last() {
            let too_early = self.now.since(self.layer_opened_at) < TYPE_AHEAD;
            if !(layer.is_question() && too_early) {
                self.layer_key(key, effects);
            }
            return;
        }
        if self.tab().focus == Focus::Composer {
            return self.composer_key(key, effects);
        }
        self.pressed.push(key);
        match commands::resolve(&self.places(), &self.pressed) {
            Resolution::Pending => (),
            Resolution::Matched(command) => {
                self.pressed.clear();
                self.command(command, key, effects);
            }
            Resolution::Unknown => {
                let names: Vec<String> = self.pressed.drain(..).map(|it| it.to_string()).collect();
                if names != ["Esc"] {
                    self.warn(format!("{} is not a key here; ? shows the keys", names.join(" ")));
                }
            }
        }
    }

    /// Runs a command, or says why it cannot be done.
    fn command(&mut self, command: Command, key: Key, effects: &mut Vec<Effect>) {
        match availability::check(self, command) {
            Ok(()) => self.perform(command, key, effects),
            Err(reason) => self.warn(format!("{}: {reason}", commands::row(command).word)),
        }
    }

    fn composer_key(&mut self, key: Key, effects: &mut Vec<Effect>) {
        let now = self.now;
        match commands::resolve(&[Place::Composer], &[key]) {
            Resolution::Matched(Command::Send) => self.send(effects),
            Resolution::Matched(Command::Leave) => self.tab_mut().focus = Focus::History,
            Resolution::Matched(Command::HelpInText) => self.open_layer(Layer::Help { first: 0 }),
            Resolution::Matched(Command::DropQuote) => {
                if let Some(composer) = &mut self.tab_mut().composer {
                    composer.reply_to = None;
                }
            }
            Resolution::Matched(command) => {
                if let Some(composer) = &mut self.tab_mut().composer {
                    composer.edit(command, now);
                }
            }
            Resolution::Pending | Resolution::Unknown => {
                let known = self.tab_mut().composer.as_mut().is_some_and(|it| it.key(key, now));
                if !known {
                    self.warn(format!("{key} is not a key here; F1 shows the keys"));
                }
            }
        }
    }

    /// Pasted text is text in the composer and nothing anywhere else.
    pub(super) fn paste(&mut self, text: &str) {
        let now = self.now;
        if !self.layers.is_empty() || self.tab().focus != Focus::Composer {
            return self.warn("pasted text was ignored: press r first to write");
        }
        let fits = self.tab_mut().composer.as_mut().is_none_or(|it| it.paste(text, now));
        if !fits {
            self.warn("the pasted text was too long and has been cut");
        }
    }

    fn layer_key(&mut self, key: Key, effects: &mut Vec<Effect>) {
        let Some(layer) = self.layers.pop() else { return };
        let plain = key.typed();
        match layer {
            Layer::Help { first } => {
                let total = TABLE.len() + Place::ALL.len();
                if let Some(first) = scrolled(first, key, usize::from(self.size.1), total) {
                    self.layers.push(Layer::Help { first });
                }
            }
            Layer::Raw { title, lines, first } => {
                if let Some(first) = scrolled(first, key, usize::from(self.size.1), lines.len()) {
                    self.layers.push(Layer::Raw { title, lines, first });
                }
            }
            Layer::AskPause { send, pause } => match plain {
                Some('y') => self.pause_and_send(*pause, *send, effects),
                Some('s') => self.send_beside_ai(*send, effects),
                _ if key.code == KeyCode::Esc => (),
                _ => self.layers.push(Layer::AskPause { send, pause }),
            },
            Layer::AskQuit { open } => match plain {
                Some('y') => self.quit(effects),
                _ if key.code == KeyCode::Esc || plain == Some('n') => (),
                _ => self.layers.push(Layer::AskQuit { open }),
            },
            Layer::React { channel, conversation, message, chosen } => {
                let count = reactions::QUICK.len();
                let moved = match key.code {
                    KeyCode::Left | KeyCode::Up | KeyCode::BackTab => Some((chosen + count - 1) % count),
                    KeyCode::Right | KeyCode::Down | KeyCode::Tab => Some((chosen + 1) % count),
                    KeyCode::Char('h' | 'k') => Some((chosen + count - 1) % count),
                    KeyCode::Char('l' | 'j') => Some((chosen + 1) % count),
                    _ => None,
                };
                let digit = plain.and_then(|it| it.to_digit(10)).and_then(|it| usize::try_from(it).ok());
                let picked = match (key.code, digit) {
                    (KeyCode::Enter, _) => Some(chosen),
                    (_, Some(number)) if (1..=count).contains(&number) => Some(number - 1),
                    _ => None,
                };
                match (picked, moved) {
                    (Some(index), _) => {
                        let emoji = reactions::QUICK[index];
                        self.react(&channel, &conversation, &message, emoji, effects);
                    }
                    (None, Some(chosen)) => {
                        self.layers.push(Layer::React { channel, conversation, message, chosen });
                    }
                    (None, None) if key.code == KeyCode::Esc || plain == Some('q') => (),
                    (None, None) => self.layers.push(Layer::React { channel, conversation, message, chosen }),
                }
            }
        }
    }
}

/// Where a text layer of so many lines is after a key; `None` closes it.
fn scrolled(first: usize, key: Key, rows: usize, total: usize) -> Option<usize> {
    // Two rows stay free around a layer, two are its border.
    let shown = rows.saturating_sub(4).max(1);
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
