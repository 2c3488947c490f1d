//! Puts conversations aside and brings them back.

use crate::Inbox;
use crate::changes::Changes;
use crate::components::dialog::{Dialog, DialogLine, Tone};
use crate::components::text_line::TextLine;
use crate::components::time_prompt;
use crate::components::time_prompt::TypedLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::FileWrite;
use crate::features::privacy::known_names;
use crate::features::privacy::names::NameIndex;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::overlays::view::OverlayView;
use crate::screens::conversations::bulk_plan::{BulkPlan, BulkWish};
use crate::screens::conversations::snooze::{SnoozeMenu, SnoozeState};
use crate::tab::Focus;
use crate::wrap;
use model::conversations::ConversationRow;
use model::ids::ConversationId;
use model::local::LocalChange;
use model::snooze::{self, Snooze};
use model::time::Timestamp;

impl SnoozeMenu {
    fn lines(&self, inbox: &Inbox) -> Vec<DialogLine> {
        let (now, zone) = (inbox.context.now, &inbox.context.settings.zone);
        let moment = |at| snooze::format_time(at, now, zone);
        if let Some(typed) = &self.typed {
            let named = snooze::parse(typed.text(), now, zone).map(|at| format!("comes back {}", moment(at)));
            let mut lines = vec![DialogLine::prompt("Until: ", typed)];
            let examples = "2h, 45m, 3d, 14:30, fri 9:00, tomorrow 14:00";
            lines.push(time_prompt::answer(typed, named, examples));
            lines.extend([DialogLine::gap(), DialogLine::keys(&[("Enter", "snooze"), ("Esc", "back")])]);
            return lines;
        }
        let key = |key: &str, words: String| DialogLine::keys(&[(key, words)]).toned(Tone::Plain);
        let mut lines = vec![
            key("r", "until the customer writes".to_owned()),
            key("h", format!("for an hour, until {}", moment(snooze::after_an_hour(now)))),
            key("t", format!("until {}", moment(snooze::tomorrow_morning(now, zone)))),
            key("m", format!("until {}", time_prompt::monday(now, zone))),
            key("c", "until another time".to_owned()),
        ];
        if let Some(at) = inbox.features.snoozed.snooze_again(&self.rows, &inbox.context) {
            lines.insert(0, key("s", format!("the same again, until {}", moment(at))));
        }
        if self.rows.iter().any(|row| row.local.is_asleep()) {
            lines.push(key("x", "wake now".to_owned()));
        }
        lines.push(DialogLine::gap());
        let (word, tone) = if self.stays { ("NO", Tone::Waiting) } else { ("yes", Tone::Plain) };
        lines.push(key("k", format!("back also when the customer writes before: {word}")).toned(tone));
        lines.push(DialogLine::dim("Kept on this desk only."));
        lines
    }

    fn type_key(&mut self, inbox: &mut Inbox, text: TextLine, key: KeyPress) -> KeyOutcome {
        match time_prompt::type_key(text, key) {
            TypedLine::Ended => (),
            TypedLine::More(text) => self.typed = Some(text),
            TypedLine::Whole(text) => {
                let zone = &inbox.context.settings.zone;
                if let Some(at) = snooze::parse(text.text(), inbox.context.now, zone) {
                    return self.put_aside(inbox, Some(at));
                }
                self.typed = Some(text);
            }
        }
        KeyOutcome::Stay
    }

    fn put_aside(&mut self, inbox: &mut Inbox, until: Option<Timestamp>) -> KeyOutcome {
        let stays = self.stays && until.is_some();
        inbox.changes.plan(
            BulkWish::Snooze { until, stays },
            std::mem::take(&mut self.rows),
            &mut inbox.desk,
            &mut inbox.context,
        );
        KeyOutcome::Done
    }
}

impl Overlay for SnoozeMenu {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        if let Some(text) = self.typed.take() {
            return self.type_key(inbox, text, key);
        }
        let (now, zone) = (inbox.context.now, inbox.context.settings.zone.clone());
        let until = match (key.typed(), inbox.features.snoozed.snooze_again(&self.rows, &inbox.context)) {
            (Some('r'), _) => None,
            (Some('h'), _) => Some(snooze::after_an_hour(now)),
            (Some('t'), _) => Some(snooze::tomorrow_morning(now, &zone)),
            (Some('m'), _) => Some(snooze::monday_morning(now, &zone)),
            (Some('s'), Some(again)) => Some(again),
            (Some('x'), _) => {
                inbox.changes.plan(
                    BulkWish::Wake,
                    std::mem::take(&mut self.rows),
                    &mut inbox.desk,
                    &mut inbox.context,
                );
                return KeyOutcome::Done;
            }
            _ if key.code == KeyCode::Esc || key.typed() == Some('q') => return KeyOutcome::Done,
            (typed, _) => {
                match typed {
                    Some('c') => self.typed = Some(TextLine::default()),
                    Some(it) if it.is_ascii_digit() => self.typed = Some(TextLine::new(it)),
                    Some('k') => self.stays = !self.stays,
                    _ => (),
                }
                return KeyOutcome::Stay;
            }
        };
        self.put_aside(inbox, until)
    }

    fn input(&self) -> OverlayInput {
        if self.typed.is_some() { OverlayInput::Letters } else { OverlayInput::Keys }
    }

    fn names(&self, _inbox: &Inbox, names: &mut NameIndex) {
        self.rows.iter().for_each(|row| known_names::of_row(row, names));
    }
}

impl OverlayView for SnoozeMenu {
    fn dialog(&self, inbox: &Inbox) -> Dialog {
        let title = match self.rows.as_slice() {
            [one] => format!("Snooze {}", wrap::cut(one.conversation.title().as_str(), 40)),
            many => format!("Snooze {} conversations", many.len()),
        };
        Dialog::new(title, self.lines(inbox))
    }
}

impl Changes {
    /// Opens the menu for what is marked, or for the current conversation.
    pub(crate) fn ask_snooze(&mut self, desk: &Desk, context: &mut Context) {
        if desk.acts_on_marks() {
            return self.snooze_marked(desk, context);
        }
        let Some(row) = desk.current_conversation().cloned() else { return };
        context.open(SnoozeMenu { rows: vec![row], typed: None, stays: false });
    }

    /// Puts aside, or brings back, all a plan applies to.
    pub(crate) fn snooze_all(&mut self, plan: &BulkPlan, context: &mut Context) {
        let now = context.now;
        let wanted = |row: &ConversationRow| match plan.wish {
            // Whatever came since the row was read brings it back at once.
            BulkWish::Snooze { until, stays } => Some(Snooze::new(until, stays, row.last_inbound_at, now)),
            _ => None,
        };
        self.keep_all(plan, wanted, |row| row.local.snooze.clone(), LocalChange::Snooze, context);
    }
}

impl SnoozeState {
    /// The time one was put aside until before, once more.
    pub fn snooze_again(&self, rows: &[ConversationRow], context: &Context) -> Option<Timestamp> {
        let [row] = rows else { return None };
        let woken = row.local.snooze.as_ref().filter(|snooze| !snooze.is_asleep());
        woken.or_else(|| self.of(&row.key()))?.repeat(context.now, &context.settings.zone)
    }

    /// Brings back those whose time has come, with one bell; and takes the
    /// mark from one that is being looked at.
    pub(crate) fn wake_due(&mut self, desk: &mut Desk, context: &mut Context) {
        let now = context.now;
        let mut back = false;
        for tab in &mut desk.tabs {
            if tab.counts.next_wake.is_some_and(|at| at <= now) {
                tab.counts.next_wake = None;
                back = true;
                context.push(FileWrite::Keep(tab.channel.id.clone(), LocalChange::Wake(now)));
            }
        }
        if back {
            context.say("back: the time of a snoozed conversation has come");
            context.ring_back();
        }
        if let Some(seen) = desk.looked_at_again(context) {
            let channel = desk.tab().channel.id.clone();
            let row = desk.tab_mut().history.as_mut().and_then(|history| history.row.as_mut());
            let slept = row.and_then(|row| Some((row.key(), row.local.snooze.take()?)));
            if let Some((key, snooze)) = slept {
                self.record(key, snooze);
            }
            context.push(FileWrite::Keep(channel, LocalChange::Snooze(vec![(seen, None)])));
        }
    }
}

impl Desk {
    /// The conversation that is open and came back.
    fn looked_at_again(&self, context: &Context) -> Option<ConversationId> {
        let tab = self.tab();
        let history = tab.history.as_ref().filter(|history| history.opened && history.shows_end())?;
        let looking = context.focused && self.is_inbox_shown() && tab.focus != Focus::List;
        let row = history.row.as_ref().filter(|_| looking)?;
        let woken = row.local.snooze.as_ref().is_some_and(|snooze| !snooze.is_asleep());
        woken.then(|| row.conversation.id.clone())
    }
}
