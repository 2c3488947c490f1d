//! Scheduled sending: the prompt for the time, and enqueueing the message. It is sent only while
//! frontdesk runs, and the prompt says so.

use crate::Inbox;
use crate::components::dialog::DialogLine;
use crate::components::text_line::TextLine;
use crate::components::text_prompt::TextPrompt;
use crate::components::time_prompt;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::Intent;
use crate::keymap::update as keymap;
use crate::screens::composer::sending;
use model::snooze;
use model::time::{Timestamp, Zone};

/// Parses a time: a letter shown in the prompt, or a snooze time with an optional `in` or `at`.
pub fn parse_send_time(wish: &str, now: Timestamp, zone: &Zone) -> Option<Timestamp> {
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

pub(crate) fn ask_send_time(inbox: &mut Inbox) {
    let Some(composer) = &inbox.desk.tab().composer else { return };
    if !composer.has_reply() {
        return inbox.context.show_warning("nothing to schedule: the text is empty");
    }
    if sending::check_may_send_later(inbox) {
        // Parsed only on Enter, since a time may start with one of the letters.
        inbox.context.open(TextPrompt::new("Send when?", "When: ", prompt_lines, |inbox, typed| {
            let (now, zone) = (inbox.context.now, inbox.context.settings.zone.clone());
            send_later(&mut inbox.desk, parse_send_time(typed, now, &zone).ok_or("")?, &mut inbox.context);
            Ok(())
        }));
    }
}

/// Enqueues the composer's content for `at`. The state of the AI is checked when it is sent.
fn send_later(desk: &mut Desk, at: Timestamp, context: &mut Context) {
    let intents: Vec<Intent> = sending::reply_operations(desk, &context.settings)
        .into_iter()
        .filter_map(|reply_operation| sending::new_intent(desk, reply_operation, 0))
        .collect();
    if intents.is_empty() {
        return;
    }
    let intents = intents.into_iter().map(|intent| Intent { planned_at: Some(at), ..intent }).collect();
    sending::enqueue_sends(desk, intents, true, context);
    let moment = snooze::format_time(at, context.now, &context.settings.zone);
    let undo = keymap::undo_hint(desk, context);
    context.show_notice(format!("scheduled for {moment}; frontdesk must be running then · {undo}"));
}

fn prompt_lines(inbox: &Inbox, typed: &TextLine) -> Vec<DialogLine> {
    let (now, zone) = (inbox.context.now, &inbox.context.settings.zone);
    let moment = |at| snooze::format_time(at, now, zone);
    let named = parse_send_time(typed.text(), now, zone).map(|at| format!("sends {}", moment(at)));
    let needs = "Sent only while frontdesk runs. Needs a decision if it is more than two minutes late, if \
                 there are new messages, or if the reply window has closed.";
    let (hour, tomorrow) = (moment(snooze::after_an_hour(now)), moment(snooze::tomorrow_morning(now, zone)));
    let monday = time_prompt::next_monday_examples(now, zone);
    vec![
        time_prompt::preview_line(typed, named, "in 2h, 45m, 14:30, tuesday 14:00, tomorrow 9:00"),
        DialogLine::plain(format!("h in an hour, {hour}   t {tomorrow}   m {monday}")),
        DialogLine::blank(),
        DialogLine::dim(needs),
        DialogLine::blank(),
        DialogLine::keys(&[("Enter", "schedule"), ("Esc", "back")]),
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
            assert_eq!(parse_send_time(wish, now, &Zone::UTC), expected.map(at), "{wish}");
        }
    }
}
