//! Sending at a time: the menu that says when, and putting the message into
//! the outbox for then.
//!
//! It leaves only while frontdesk runs, and says so.

use crate::Inbox;
use crate::components::dialog::DialogLine;
use crate::components::text_line::TextLine;
use crate::components::text_prompt::TextPrompt;
use crate::components::time_prompt;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::Intent;
use crate::screens::composer::sending;
use model::snooze;
use model::time::{Timestamp, Zone};

/// The time a wish names: as snoozes are wished for, with or without `in`, or
/// one of the letters the menu shows.
pub fn when(wish: &str, now: Timestamp, zone: &Zone) -> Option<Timestamp> {
    let wish = wish.trim();
    match wish {
        "h" => return Some(snooze::after_an_hour(now)),
        "t" => return Some(snooze::tomorrow_morning(now, zone)),
        "m" => return Some(snooze::monday_morning(now, zone)),
        _ => (),
    }
    let wish = wish.strip_prefix("in ").or_else(|| wish.strip_prefix("at ")).unwrap_or(wish);
    snooze::parse(wish, now, zone)
}

/// Asks when what the composer holds shall leave.
pub(crate) fn ask_when(inbox: &mut Inbox) {
    let Some(composer) = &inbox.desk.tab().composer else { return };
    if !composer.has_reply() {
        return inbox.context.warn("there is nothing to send later: the composer is empty");
    }
    if sending::may_leave_later(inbox) {
        // It is read whole, and only when it ends: a text that begins like
        // one of the letters is none of them.
        inbox.context.open(TextPrompt::new("Send when?", "When: ", below, |inbox, typed| {
            let (now, zone) = (inbox.context.now, inbox.context.settings.zone.clone());
            inbox.desk.send_later(when(typed, now, &zone).ok_or("")?, &mut inbox.context);
            Ok(())
        }));
    }
}

impl Desk {
    /// Puts what the composer holds into the outbox for a time. Whether the
    /// AI may answer then, nobody knows now: it is looked at when it leaves.
    fn send_later(&mut self, at: Timestamp, context: &mut Context) {
        let intents: Vec<Intent> = self
            .reply_operations()
            .into_iter()
            .filter_map(|reply_operation| self.intent(reply_operation, 0))
            .collect();
        if intents.is_empty() {
            return;
        }
        let intents = intents.into_iter().map(|intent| Intent { planned_at: Some(at), ..intent }).collect();
        self.commit_send(intents, true, context);
        let moment = snooze::format_time(at, context.now, &context.settings.zone);
        let undo = self.undo_key(context);
        context.say(format!("planned for {moment}: leaves only while frontdesk runs · {undo} takes it back"));
    }
}

/// What the line names, and when it leaves.
fn below(inbox: &Inbox, typed: &TextLine) -> Vec<DialogLine> {
    let (now, zone) = (inbox.context.now, &inbox.context.settings.zone);
    let moment = |at| snooze::format_time(at, now, zone);
    let named = when(typed.text(), now, zone).map(|at| format!("leaves {}", moment(at)));
    let needs = "It leaves only while frontdesk runs. It asks instead if its time has passed by more than two \
                 minutes, if the conversation has moved, or if the window has closed.";
    let (hour, tomorrow) = (moment(snooze::after_an_hour(now)), moment(snooze::tomorrow_morning(now, zone)));
    let monday = time_prompt::monday(now, zone);
    vec![
        time_prompt::answer(typed, named, "in 2h, 45m, 14:30, tuesday 14:00, tomorrow 9:00"),
        DialogLine::plain(format!("h in an hour, {hour}   t {tomorrow}   m {monday}")),
        DialogLine::gap(),
        DialogLine::dim(needs),
        DialogLine::gap(),
        DialogLine::keys(&[("Enter", "send then"), ("Esc", "back")]),
    ]
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
