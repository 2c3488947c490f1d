//! Sending at a time: the menu that says when, and putting the message into
//! the outbox for then.
//!
//! Knows nothing of clocks beyond the time of this turn. It leaves only while
//! frontdesk runs, and says so.

use crate::app::App;
use crate::app::event::{Effect, Intent};
use crate::app::keys::{Key, KeyCode};
use crate::app::layers::Layer;
use crate::app::text_line::TextLine;
use crate::app::wishing::{self, Typed};
use crate::model::snooze;
use crate::model::time::{Timestamp, Zone};

/// The time a wish names: as snoozes are wished for, with or without `in`.
pub fn when(wish: &str, now: Timestamp, zone: &Zone) -> Option<Timestamp> {
    let wish = wish.trim();
    let wish = wish.strip_prefix("in ").or_else(|| wish.strip_prefix("at ")).unwrap_or(wish);
    snooze::parse(wish, now, zone)
}

impl App {
    /// Asks when what the composer holds shall leave.
    pub(super) fn ask_when(&mut self, effects: &mut Vec<Effect>) {
        let Some(composer) = &self.tab().composer else { return };
        if !composer.has_reply() {
            return self.warn("there is nothing to send later: the composer is empty");
        }
        if self.may_leave_later(effects) {
            self.open_layer(Layer::Later { typed: None });
        }
    }

    /// A key goes to the menu.
    pub(super) fn later_key(&mut self, typed: Option<TextLine>, key: Key, effects: &mut Vec<Effect>) {
        let (now, zone) = (self.now, self.settings.zone.clone());
        let Some(text) = typed else {
            let at = match key.typed() {
                Some('h') => snooze::in_an_hour(now),
                Some('t') => snooze::tomorrow(now, &zone),
                Some('m') => snooze::monday(now, &zone),
                Some('c') => return self.layers.push(Layer::Later { typed: Some(TextLine::default()) }),
                _ if key.code == KeyCode::Esc || key.typed() == Some('q') => return,
                _ => return self.layers.push(Layer::Later { typed: None }),
            };
            return self.send_later(at, effects);
        };
        match wishing::type_key(text, key) {
            Typed::Ended => self.layers.push(Layer::Later { typed: None }),
            Typed::More(text) => self.layers.push(Layer::Later { typed: Some(text) }),
            Typed::Whole(text) => match when(text.text(), now, &zone) {
                Some(at) => self.send_later(at, effects),
                None => self.layers.push(Layer::Later { typed: Some(text) }),
            },
        }
    }

    /// Puts what the composer holds into the outbox for a time. Whether the
    /// AI may answer then, nobody knows now: it is looked at when it leaves.
    fn send_later(&mut self, at: Timestamp, effects: &mut Vec<Effect>) {
        let intents: Vec<Intent> =
            self.reply_operations().into_iter().filter_map(|it| self.intent(it, 0)).collect();
        if intents.is_empty() {
            return;
        }
        let intents = intents.into_iter().map(|it| Intent { planned_at: Some(at), ..it }).collect();
        self.commit_send(intents, true, effects);
        let moment = snooze::moment(at, self.now, &self.settings.zone);
        let undo = self.undo_key();
        self.say(format!("planned for {moment}: leaves only while frontdesk runs · {undo} takes it back"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_as_people_say_them() {
        let at = |text: &str| Timestamp::parse(text).expect("a time");
        let now = at("2026-11-20T10:00:00Z");
        let cases = [
            ("in 2h", Some("2026-11-20T12:00:00Z")),
            ("2h", Some("2026-11-20T12:00:00Z")),
            ("at 14:30", Some("2026-11-20T14:30:00Z")),
            ("tomorrow 9:00", Some("2026-11-21T09:00:00Z")),
            ("in", None),
            ("yesterday", None),
        ];
        for (wish, expected) in cases {
            assert_eq!(when(wish, now, &Zone::UTC), expected.map(at), "{wish}");
        }
    }
}
