//! The tutor of the demo: one step after the other, shown in the last line until it has happened.

use crate::Inbox;
use crate::context::Context;
use crate::features::undo::UndoTarget;
use crate::keyboard::Keyboard;
use crate::overlays::help::Help;
use crate::overlays::search::SearchPrompt;
use crate::screens::broadcasts::form::BroadcastForm;
use crate::screens::conversations::takeover::is_taken;
use crate::tab::{Focus, Tab};
use model::local::LocalChange;
use model::time::Moment;

/// Event that completes a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Goal {
    Taken,
    Held,
    /// The held answer is in the composer again.
    TakenBack,
    Done,
    PutOff,
    Found,
    MailRead,
    BroadcastBegun,
    HelpRead,
}

/// Steps, with keys by command name; each fits the last line at 60 columns.
const STEPS: [(Goal, &str); 10] = [
    (Goal::Taken, "{next-urgent} finds who needs you, {take} takes over"),
    (Goal::Held, "write a reply, {send} sends it after 5 s"),
    (Goal::TakenBack, "{undo-in-text} undo: the reply comes back"),
    (Goal::Held, "{send} sends it after all"),
    (Goal::Done, "{done-in-text} done: closed, back to the AI, next one"),
    (Goal::PutOff, "{later} later, then t: comes back tomorrow"),
    (Goal::Found, "{back} to the list, {search-all} and a few letters search"),
    (Goal::MailRead, "{mail-tab} opens the mail, {open} reads one"),
    (Goal::BroadcastBegun, "{chat-tab} opens chat, {mark} marks people, {broadcast} writes"),
    (Goal::HelpRead, "{help} shows the keys of the place you are in"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tutor {
    /// Index of the next step.
    step: usize,
    pub(crate) is_shown: bool,
    /// True once it was started; it is not offered again.
    pub(crate) was_started: bool,
    began_at: Moment,
    /// Newest group of the journal when the step began.
    journal_group: u64,
}

impl Tutor {
    pub(crate) fn started() -> Self {
        Self { is_shown: true, was_started: true, ..Self::default() }
    }
}

impl Keyboard {
    /// Shows or hides the tutor; it continues where it was left.
    pub(crate) fn turn_tutor(&mut self, context: &mut Context) -> Result<(), String> {
        if !context.settings.demo {
            return Err("the tutor runs only in the demo: `frontdesk demo`, then :tutor".to_owned());
        }
        let tutor = &mut self.tutor;
        (tutor.is_shown, tutor.was_started) = (!tutor.is_shown, true);
        if !tutor.is_shown {
            let (step, count) = (tutor.step + 1, STEPS.len());
            context.show_notice(format!("Tutor stopped at {step} of {count} · :tutor continues"));
        }
        Ok(())
    }

    /// True on the first day of a demo, until the tutor was started once.
    pub(crate) fn offers_tutor(&self, context: &Context) -> bool {
        let is_first_day = context.settings.tutor_offered_until.is_some_and(|until| context.now < until);
        is_first_day && !self.tutor.was_started
    }
}

/// Text of the current step for the last line.
pub(crate) fn line(inbox: &Inbox) -> Option<String> {
    let tutor = inbox.keyboard.tutor;
    let is_free = inbox.context.overlays.last().is_none_or(|layer| layer.is_question());
    let (_, words) = STEPS.get(tutor.step).filter(|_| tutor.is_shown && is_free)?;
    let number = |is_wanted: fn(&Tab) -> bool| {
        let index = inbox.desk.tabs.iter().position(is_wanted);
        index.map_or_else(String::new, |index| (index + 1).to_string())
    };
    let chat = |tab: &Tab| tab.platform().is_some_and(|platform| platform.is_chat());
    let words = words.replace("{mail-tab}", &number(Tab::is_mail)).replace("{chat-tab}", &number(chat));
    let words = inbox.context.fill_in_keys(&words);
    Some(format!("Tutor {}/{} · {words}", tutor.step + 1, STEPS.len()))
}

/// Continues with the next step once the current one has happened.
pub(crate) fn advance(inbox: &mut Inbox) {
    let tutor = inbox.keyboard.tutor;
    let Some((goal, _)) = STEPS.get(tutor.step).filter(|_| tutor.is_shown) else { return };
    let hold_ends = tutor.began_at.plus(inbox.context.settings.hold);
    let is_sent = inbox.changes.held.is_empty() && !has_text(inbox) && inbox.context.moment >= hold_ends;
    let has_left = *goal == Goal::TakenBack && is_sent;
    let step = match (has_happened(inbox, *goal), has_left) {
        (true, _) => tutor.step + 1,
        // The hold was over before it was taken back: another answer.
        (false, true) => tutor.step - 1,
        (false, false) => return,
    };
    let is_over = step == STEPS.len();
    let step = if is_over { 0 } else { step };
    let journal_group = inbox.changes.journal.newest_group();
    inbox.keyboard.tutor =
        Tutor { step, is_shown: !is_over, began_at: inbox.context.moment, journal_group, ..tutor };
    if is_over {
        let words = inbox.context.fill_in_keys("Done. {open-palette} finds any command");
        inbox.context.show_notice(words);
    }
}

fn has_happened(inbox: &Inbox, goal: Goal) -> bool {
    let (desk, changes) = (&inbox.desk, &inbox.changes);
    let overlays = &inbox.context.overlays;
    let done = changes.journal.newest_since(inbox.keyboard.tutor.journal_group);
    match goal {
        Goal::Taken => {
            desk.current_conversation().is_some_and(|row| is_taken(row, &inbox.context.settings.agent))
        }
        Goal::Held => !changes.held.is_empty(),
        Goal::TakenBack => changes.held.is_empty() && has_text(inbox),
        Goal::Done => matches!(done, Some(UndoTarget::Act(_))),
        Goal::PutOff => matches!(done, Some(UndoTarget::Local(LocalChange::Snooze(_)))),
        Goal::Found => {
            overlays.all_of::<SearchPrompt>().next().is_some() && inbox.features.search.count() > 0
        }
        Goal::MailRead => desk.is_inbox_shown() && desk.tab().is_mail() && desk.tab().focus != Focus::List,
        Goal::BroadcastBegun => overlays.all_of::<BroadcastForm>().next().is_some(),
        Goal::HelpRead => overlays.all_of::<Help>().next().is_some(),
    }
}

fn has_text(inbox: &Inbox) -> bool {
    inbox.desk.tab().composer.as_ref().is_some_and(|composer| composer.has_reply())
}
