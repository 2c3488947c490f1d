//! Sending at a time: the menu that says when, and putting the message into
//! the outbox for then.
//!
//! It leaves only while frontdesk runs, and says so.

use crate::Inbox;
use crate::components::text_line::TextLine;
use crate::components::time_prompt;
use crate::components::time_prompt::TypedLine;
use crate::event::Intent;
use crate::keys::KeyPress;
use crate::overlays::Layer;
use model::snooze;
use model::time::{Timestamp, Zone};

/// The time a wish names: as snoozes are wished for, with or without `in`, or
/// one of the letters the menu shows.
pub fn when(wish: &str, now: Timestamp, zone: &Zone) -> Option<Timestamp> {
    let wish = wish.trim();
    match wish {
        "h" => return Some(snooze::in_an_hour(now)),
        "t" => return Some(snooze::tomorrow(now, zone)),
        "m" => return Some(snooze::monday(now, zone)),
        _ => (),
    }
    let wish = wish.strip_prefix("in ").or_else(|| wish.strip_prefix("at ")).unwrap_or(wish);
    snooze::parse(wish, now, zone)
}

impl Inbox {
    /// Asks when what the composer holds shall leave.
    pub(crate) fn ask_when(&mut self) {
        let Some(composer) = &self.tab().composer else { return };
        if !composer.has_reply() {
            return self.warn("there is nothing to send later: the composer is empty");
        }
        if self.may_leave_later() {
            self.open_layer(Layer::Later { typed: TextLine::default() });
        }
    }

    /// A key goes to the line. It is read whole, and only when it ends: a text
    /// that begins like one of the letters is none of them.
    pub(crate) fn later_key(&mut self, text: TextLine, key: KeyPress) {
        let (now, zone) = (self.context.now, self.context.settings.zone.clone());
        match time_prompt::type_key(text, key) {
            TypedLine::Ended => (),
            TypedLine::More(text) => self.layers.push(Layer::Later { typed: text }),
            TypedLine::Whole(text) => match when(text.text(), now, &zone) {
                Some(at) => self.send_later(at),
                None => self.layers.push(Layer::Later { typed: text }),
            },
        }
    }

    /// Puts what the composer holds into the outbox for a time. Whether the
    /// AI may answer then, nobody knows now: it is looked at when it leaves.
    fn send_later(&mut self, at: Timestamp) {
        let intents: Vec<Intent> =
            self.reply_operations().into_iter().filter_map(|it| self.intent(it, 0)).collect();
        if intents.is_empty() {
            return;
        }
        let intents = intents.into_iter().map(|it| Intent { planned_at: Some(at), ..it }).collect();
        self.commit_send(intents, true);
        let moment = snooze::moment(at, self.context.now, &self.context.settings.zone);
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
            ("tuesday 14:00", Some("2026-11-24T14:00:00Z")),
            ("t", Some("2026-11-21T09:00:00Z")),
            ("h", Some("2026-11-20T11:00:00Z")),
            ("m", Some("2026-11-23T09:00:00Z")),
            ("tu", None),
            ("in", None),
            ("yesterday", None),
        ];
        for (wish, expected) in cases {
            assert_eq!(when(wish, now, &Zone::UTC), expected.map(at), "{wish}");
        }
    }
}
