//! Putting conversations aside: the menu that says until when, and their
//! coming back.

use crate::Inbox;
use crate::components::text_line::TextLine;
use crate::components::time_prompt;
use crate::components::time_prompt::TypedLine;
use crate::event::Effect;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::Layer;
use crate::screens::conversations::bulk_plan::{BulkPlan, BulkWish};
use crate::tab::Focus;
use model::conversations::ConversationRow;
use model::ids::ConversationId;
use model::local::Keep;
use model::queries::ConversationKey;
use model::snooze::{self, Snooze};
use model::time::{Timestamp, Zone};

/// Those that came back and were looked at, remembered at most.
const SLEPT: usize = 100;

/// What came back and was looked at, so that the same time can be offered
/// again; the newest last.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slept(Vec<(ConversationKey, Snooze)>);

impl Slept {
    fn note(&mut self, key: ConversationKey, snooze: Snooze) {
        self.0.retain(|it| it.0 != key);
        if self.0.len() == SLEPT {
            self.0.remove(0);
        }
        self.0.push((key, snooze));
    }

    fn of(&self, key: &ConversationKey) -> Option<&Snooze> {
        self.0.iter().find(|it| it.0 == *key).map(|it| &it.1)
    }
}

/// What was done, in words.
pub(crate) fn told((until, stays): (Option<Timestamp>, bool), now: Timestamp, zone: &Zone) -> String {
    format!("snoozed {}", Snooze::new(until, stays, None, now).words(now, zone))
}

impl Inbox {
    /// Opens the menu for what is marked, or for the conversation at hand.
    pub(crate) fn ask_snooze(&mut self) {
        if self.acts_on_marks() {
            return self.snooze_marked();
        }
        let Some(row) = self.at_hand().cloned() else { return };
        self.open_layer(Layer::Snooze { rows: vec![row], typed: None, stays: false });
    }

    /// The time one was put aside until before, once more.
    pub fn snooze_again(&self, rows: &[ConversationRow]) -> Option<Timestamp> {
        let [row] = rows else { return None };
        let woken = row.local.snooze.as_ref().filter(|it| !it.is_asleep());
        woken.or_else(|| self.slept.of(&row.key()))?.again(self.context.now, &self.context.settings.zone)
    }

    /// A key goes to the menu.
    pub(crate) fn snooze_key(
        &mut self,
        rows: Vec<ConversationRow>,
        typed: Option<TextLine>,
        stays: bool,
        key: KeyPress,
    ) {
        let (now, zone) = (self.context.now, self.context.settings.zone.clone());
        if let Some(text) = typed {
            return self.snooze_typing((rows, stays), text, key);
        }
        let until = match (key.typed(), self.snooze_again(&rows)) {
            (Some('r'), _) => None,
            (Some('h'), _) => Some(snooze::in_an_hour(now)),
            (Some('t'), _) => Some(snooze::tomorrow(now, &zone)),
            (Some('m'), _) => Some(snooze::monday(now, &zone)),
            (Some('s'), Some(again)) => Some(again),
            (Some('x'), _) => return self.plan(BulkWish::Wake, rows),
            (Some('c'), _) => {
                return self.layers.push(Layer::Snooze { rows, typed: Some(TextLine::default()), stays });
            }
            (Some(it), _) if it.is_ascii_digit() => {
                let typed = Some(TextLine::new(it));
                return self.layers.push(Layer::Snooze { rows, typed, stays });
            }
            (Some('k'), _) => return self.layers.push(Layer::Snooze { rows, typed: None, stays: !stays }),
            _ if key.code == KeyCode::Esc || key.typed() == Some('q') => return,
            _ => return self.layers.push(Layer::Snooze { rows, typed: None, stays }),
        };
        self.plan(BulkWish::Snooze { until, stays: stays && until.is_some() }, rows);
    }

    fn snooze_typing(&mut self, (rows, stays): (Vec<ConversationRow>, bool), text: TextLine, key: KeyPress) {
        let (now, zone) = (self.context.now, self.context.settings.zone.clone());
        match time_prompt::type_key(text, key) {
            TypedLine::Ended => self.layers.push(Layer::Snooze { rows, typed: None, stays }),
            TypedLine::More(text) => self.layers.push(Layer::Snooze { rows, typed: Some(text), stays }),
            TypedLine::Whole(text) => match snooze::parse(text.text(), now, &zone) {
                Some(at) => self.plan(BulkWish::Snooze { until: Some(at), stays }, rows),
                None => self.layers.push(Layer::Snooze { rows, typed: Some(text), stays }),
            },
        }
    }

    /// Puts aside, or brings back, all a plan applies to.
    pub(crate) fn snooze_all(&mut self, plan: &BulkPlan) {
        let now = self.context.now;
        let wanted = |row: &ConversationRow| match plan.wish {
            // Whatever came since the row was read brings it back at once.
            BulkWish::Snooze { until, stays } => Some(Snooze::new(until, stays, row.last_inbound_at, now)),
            _ => None,
        };
        self.keep_all(plan, wanted, |row| row.local.snooze.clone(), Keep::Snooze);
    }

    /// Brings back those whose time has come, with one bell; and takes the
    /// mark from one that is being looked at.
    pub(crate) fn come_back(&mut self) {
        let now = self.context.now;
        let mut back = false;
        for tab in &mut self.tabs {
            if tab.counts.next_wake.is_some_and(|at| at <= now) {
                tab.counts.next_wake = None;
                back = true;
                self.context.push(Effect::Keep(tab.channel.id.clone(), Keep::Wake(now)));
            }
        }
        if back {
            self.say("back: the time of a snoozed conversation has come");
            self.ring_back();
        }
        if let Some(seen) = self.looked_at_again() {
            let channel = self.tab().channel.id.clone();
            let row = self.tab_mut().history.as_mut().and_then(|it| it.row.as_mut());
            let slept = row.and_then(|row| Some((row.key(), row.local.snooze.take()?)));
            if let Some((key, snooze)) = slept {
                self.slept.note(key, snooze);
            }
            self.context.push(Effect::Keep(channel, Keep::Snooze(vec![(seen, None)])));
        }
    }

    /// The conversation that is open and came back.
    fn looked_at_again(&self) -> Option<ConversationId> {
        let tab = self.tab();
        let history = tab.history.as_ref().filter(|it| it.opened && it.shows_end())?;
        let looking = self.context.focused && self.is_inbox_shown() && tab.focus != Focus::List;
        let row = history.row.as_ref().filter(|_| looking)?;
        let woken = row.local.snooze.as_ref().is_some_and(|it| !it.is_asleep());
        woken.then(|| row.conversation.id.clone())
    }
}
