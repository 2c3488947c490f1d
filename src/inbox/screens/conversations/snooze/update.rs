use crate::Inbox;
use crate::changes::Changes;
use crate::components::dialog::{Dialog, DialogLine, Tone};
use crate::components::text_line::TextLine;
use crate::components::time_prompt;
use crate::components::time_prompt::TimePromptState;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::FileWrite;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::overlays::view::OverlayView;
use crate::screens::conversations::bulk_actions::update as bulk_actions;
use crate::screens::conversations::bulk_plan::{BulkAction, BulkPlan};
use crate::screens::conversations::snooze::{EndedSnoozes, MenuField, SnoozeMenu};
use crate::tab::Focus;
use crate::wrap;
use model::conversations::ConversationRow;
use model::ids::ConversationId;
use model::local::LocalChange;
use model::snooze::{self, Snooze};
use model::text::SafeText;
use model::time::Timestamp;

const MAX_SHOWN_NOTE_CELLS: usize = 48;

impl SnoozeMenu {
    fn lines(&self, inbox: &Inbox) -> Vec<DialogLine> {
        match &self.typed {
            Some((MenuField::Until, typed)) => time_lines(typed, inbox),
            Some((MenuField::Note, typed)) => vec![
                DialogLine::prompt("Note: ", typed),
                DialogLine::dim("optional, such as: call at 5"),
                DialogLine::blank(),
                DialogLine::keys(&[("Enter", "keep"), ("Esc", "back")]),
            ],
            None => self.menu_lines(inbox),
        }
    }

    fn menu_lines(&self, inbox: &Inbox) -> Vec<DialogLine> {
        let (now, zone) = (inbox.context.now, &inbox.context.settings.zone);
        let moment = |at| snooze::format_time(at, now, zone);
        let key = |key: &str, words: String| DialogLine::keys(&[(key, words)]).with_tone(Tone::Plain);
        let mut lines = vec![
            key("r", "until the customer writes".to_owned()),
            key("h", format!("for an hour, until {}", moment(snooze::after_an_hour(now)))),
            key("t", format!("until {}", moment(snooze::tomorrow_morning(now, zone)))),
            key("m", format!("until {}", time_prompt::next_monday_examples(now, zone))),
            key("c", "until another time…".to_owned()),
        ];
        if let Some(at) = inbox.features.snoozed.repeat_snooze(&self.rows, &inbox.context) {
            lines.insert(0, key("s", format!("same as last time, until {}", moment(at))));
        }
        if self.rows.iter().any(|row| row.local.is_asleep()) {
            lines.push(key("x", "bring back now".to_owned()));
        }
        lines.push(DialogLine::blank());
        let note = wrap::cut(if self.note.is_empty() { "none" } else { &self.note }, MAX_SHOWN_NOTE_CELLS);
        lines.push(key("n", format!("note: {note}")));
        let (word, tone) = if self.stays { ("NO", Tone::NeedsAttention) } else { ("yes", Tone::Plain) };
        lines.push(key("k", format!("back earlier if the customer writes: {word}")).with_tone(tone));
        let is_shared = inbox.context.settings.is_in_team;
        lines.push(DialogLine::dim(if is_shared {
            "Shared with the team."
        } else {
            "Kept on this desk only."
        }));
        lines
    }

    fn handle_typed_key(
        &mut self,
        inbox: &mut Inbox,
        typed: (MenuField, TextLine),
        key: KeyPress,
    ) -> KeyOutcome {
        let (field, text) = typed;
        if field == MenuField::Note {
            self.typed = self.type_note(text, key);
            return KeyOutcome::Stay;
        }
        match time_prompt::type_key(text, key) {
            TimePromptState::Cancelled => (),
            TimePromptState::Typing(text) => self.typed = Some((field, text)),
            TimePromptState::Submitted(text) => {
                let zone = &inbox.context.settings.zone;
                if let Some(at) = snooze::parse(text.text(), inbox.context.now, zone) {
                    return self.snooze_rows(inbox, Some(at));
                }
                self.typed = Some((field, text));
            }
        }
        KeyOutcome::Stay
    }

    /// Returns the field as long as it is typed in.
    fn type_note(&mut self, mut text: TextLine, key: KeyPress) -> Option<(MenuField, TextLine)> {
        match key.code {
            KeyCode::Enter => text.text().trim().clone_into(&mut self.note),
            KeyCode::Esc => (),
            KeyCode::Char('c') if key.ctrl => (),
            _ => {
                let is_full = text.text().chars().count() >= snooze::MAX_NOTE_CHARS;
                if key.typed().is_none() || !is_full {
                    text.key(key);
                }
                return Some((MenuField::Note, text));
            }
        }
        None
    }

    fn snooze_rows(&mut self, inbox: &mut Inbox, until: Option<Timestamp>) -> KeyOutcome {
        let stays = self.stays && until.is_some();
        let note = Some(SafeText::line(&self.note)).filter(|note| !note.is_empty());
        inbox.changes.plan_bulk_action(
            BulkAction::Snooze { until, stays, note },
            std::mem::take(&mut self.rows),
            &mut inbox.desk,
            &mut inbox.context,
        );
        KeyOutcome::Done
    }
}

fn time_lines(typed: &TextLine, inbox: &Inbox) -> Vec<DialogLine> {
    let (now, zone) = (inbox.context.now, &inbox.context.settings.zone);
    let moment = |at| snooze::format_time(at, now, zone);
    let named = snooze::parse(typed.text(), now, zone).map(|at| format!("comes back {}", moment(at)));
    let mut lines = vec![DialogLine::prompt("Until: ", typed)];
    let examples = "2h, 45m, 3d, 14:30, fri 9:00, tomorrow 14:00";
    lines.push(time_prompt::preview_line(typed, named, examples));
    lines.extend([DialogLine::blank(), DialogLine::keys(&[("Enter", "snooze"), ("Esc", "back")])]);
    lines
}

impl Overlay for SnoozeMenu {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        if let Some(text) = self.typed.take() {
            return self.handle_typed_key(inbox, text, key);
        }
        let (now, zone) = (inbox.context.now, inbox.context.settings.zone.clone());
        let until = match (key.typed(), inbox.features.snoozed.repeat_snooze(&self.rows, &inbox.context)) {
            (Some('r'), _) => None,
            (Some('h'), _) => Some(snooze::after_an_hour(now)),
            (Some('t'), _) => Some(snooze::tomorrow_morning(now, &zone)),
            (Some('m'), _) => Some(snooze::monday_morning(now, &zone)),
            (Some('s'), Some(again)) => Some(again),
            (Some('x'), _) => {
                inbox.changes.plan_bulk_action(
                    BulkAction::Wake,
                    std::mem::take(&mut self.rows),
                    &mut inbox.desk,
                    &mut inbox.context,
                );
                return KeyOutcome::Done;
            }
            _ if key.code == KeyCode::Esc || key.typed() == Some('q') => return KeyOutcome::Done,
            (typed, _) => {
                match typed {
                    Some('c') => self.typed = Some((MenuField::Until, TextLine::default())),
                    Some('n') => self.typed = Some((MenuField::Note, TextLine::new(self.note.as_str()))),
                    Some(digit) if digit.is_ascii_digit() => {
                        self.typed = Some((MenuField::Until, TextLine::new(digit)));
                    }
                    Some('k') => self.stays = !self.stays,
                    _ => (),
                }
                return KeyOutcome::Stay;
            }
        };
        self.snooze_rows(inbox, until)
    }

    fn input(&self) -> OverlayInput {
        if self.typed.is_some() { OverlayInput::Letters } else { OverlayInput::Keys }
    }
}

impl OverlayView for SnoozeMenu {
    fn dialog(&self, inbox: &Inbox) -> Dialog {
        let title = match self.rows.as_slice() {
            [one] => format!("Later: {}", wrap::cut(one.conversation.title().as_str(), 40)),
            many => format!("Later: {} conversations", many.len()),
        };
        Dialog::new(title, self.lines(inbox))
    }
}

impl Changes {
    pub(crate) fn open_snooze_menu(&mut self, desk: &Desk, context: &mut Context) {
        if bulk_actions::acts_on_marks(desk) {
            return self.snooze_marked(desk, context);
        }
        let Some(row) = desk.current_conversation().cloned() else { return };
        context.open(SnoozeMenu::new(vec![row]));
    }

    pub(crate) fn apply_snooze(&mut self, plan: &BulkPlan, context: &mut Context) {
        let now = context.now;
        let wanted = |row: &ConversationRow| match &plan.action {
            // A message newer than the loaded row wakes it at once.
            BulkAction::Snooze { until, stays, note } => {
                Some(Snooze::new(*until, *stays, row.last_inbound_at, now).with_note(note.clone()))
            }
            _ => None,
        };
        self.store_local_changes(plan, wanted, |row| row.local.snooze.clone(), LocalChange::Snooze, context);
    }
}

impl EndedSnoozes {
    /// Repeats the last snooze of a single conversation, with a new end.
    pub fn repeat_snooze(&self, rows: &[ConversationRow], context: &Context) -> Option<Timestamp> {
        let [row] = rows else { return None };
        let woken = row.local.snooze.as_ref().filter(|snooze| !snooze.is_asleep());
        woken.or_else(|| self.last_snooze(&row.key()))?.repeat(context.now, &context.settings.zone)
    }

    /// Wakes conversations whose snooze has ended, with one bell, and removes the mark of a woken
    /// conversation that is being read.
    pub(crate) fn wake_due(&mut self, desk: &mut Desk, context: &mut Context) {
        let now = context.now;
        let mut back = false;
        for tab in &mut desk.tabs {
            if tab.counts.next_wake.is_some_and(|at| at <= now) {
                tab.counts.next_wake = None;
                back = true;
                context.push(FileWrite::ChangeLocal(tab.channel.id.clone(), LocalChange::Wake(now)));
            }
        }
        if back {
            context.show_notice("back from later");
            context.ring_for_snoozed();
        }
        if let Some(seen) = woken_conversation_on_screen(desk, context) {
            let channel = desk.tab().channel.id.clone();
            let row = desk.tab_mut().history.as_mut().and_then(|history| history.row.as_mut());
            let slept = row.and_then(|row| Some((row.key(), row.local.snooze.take()?)));
            if let Some((key, snooze)) = slept {
                if let Some(note) = &snooze.note {
                    context.show_notice(format!("your note: {note}"));
                }
                self.record(key, snooze);
            }
            context.push(FileWrite::ChangeLocal(channel, LocalChange::Snooze(vec![(seen, None)])));
        }
    }
}

/// The open conversation, if it came back from a snooze and is being read.
fn woken_conversation_on_screen(desk: &Desk, context: &Context) -> Option<ConversationId> {
    let tab = desk.tab();
    let history = tab.history.as_ref().filter(|history| history.opened && history.is_at_end())?;
    let looking = context.focused && desk.is_inbox_shown() && tab.focus != Focus::List;
    let row = history.row.as_ref().filter(|_| looking)?;
    let woken = row.local.snooze.as_ref().is_some_and(|snooze| !snooze.is_asleep());
    woken.then(|| row.conversation.id.clone())
}
