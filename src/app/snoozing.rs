//! Putting conversations aside: the menu that says until when, and their
//! coming back.
//!
//! Knows nothing of what else is kept of them.

use crate::app::App;
use crate::app::bulk::{Plan, Wish};
use crate::app::event::Effect;
use crate::app::keys::{Key, KeyCode};
use crate::app::layers::Layer;
use crate::app::tab::Focus;
use crate::model::conversations::ConversationRow;
use crate::model::ids::ConversationId;
use crate::model::local::Keep;
use crate::model::snooze::{self, Snooze};
use crate::model::time::Timestamp;

/// Characters a wish can have.
const WISH: usize = 30;

/// What was done, in words.
pub(super) fn told(until: Option<Timestamp>, now: Timestamp, offset_minutes: i32) -> String {
    match until {
        None => "snoozed until a reply".to_owned(),
        Some(until) => format!("snoozed until {}", snooze::moment(until, now, offset_minutes)),
    }
}

impl App {
    /// Opens the menu for what is marked, or for the conversation at hand.
    pub(super) fn ask_snooze(&mut self, effects: &mut Vec<Effect>) {
        if self.acts_on_marks() {
            return self.snooze_marked(effects);
        }
        let Some(row) = self.at_hand().cloned() else { return };
        self.open_layer(Layer::Snooze { rows: vec![row], typed: None });
    }

    /// A key goes to the menu.
    pub(super) fn snooze_key(
        &mut self,
        rows: Vec<ConversationRow>,
        typed: Option<String>,
        key: Key,
        effects: &mut Vec<Effect>,
    ) {
        let (now, offset) = (self.now, self.settings.offset_minutes);
        if let Some(text) = typed {
            return self.snooze_typing(rows, text, key, effects);
        }
        let wish = match key.typed() {
            Some('r') => Wish::Snooze(None),
            Some('h') => Wish::Snooze(Some(snooze::in_an_hour(now))),
            Some('t') => Wish::Snooze(Some(snooze::tomorrow(now, offset))),
            Some('m') => Wish::Snooze(Some(snooze::monday(now, offset))),
            Some('x') => Wish::Wake,
            Some('c') => {
                return self.layers.push(Layer::Snooze { rows, typed: Some(String::new()) });
            }
            _ if key.code == KeyCode::Esc || key.typed() == Some('q') => return,
            _ => return self.layers.push(Layer::Snooze { rows, typed: None }),
        };
        self.plan(wish, rows, effects);
    }

    fn snooze_typing(
        &mut self,
        rows: Vec<ConversationRow>,
        mut text: String,
        key: Key,
        effects: &mut Vec<Effect>,
    ) {
        let mut typed = None;
        match (key.code, key.typed()) {
            (KeyCode::Enter, _) => {
                if let Some(at) = snooze::parse(&text, self.now, self.settings.offset_minutes) {
                    return self.plan(Wish::Snooze(Some(at)), rows, effects);
                }
                typed = Some(text);
            }
            (KeyCode::Esc, _) => (),
            (KeyCode::Backspace, _) => {
                text.pop();
                typed = Some(text);
            }
            (_, Some(it)) if text.chars().count() < WISH => {
                text.push(it);
                typed = Some(text);
            }
            _ => typed = Some(text),
        }
        self.layers.push(Layer::Snooze { rows, typed });
    }

    /// Puts aside, or brings back, all a plan applies to.
    pub(super) fn snooze_all(&mut self, plan: &Plan, effects: &mut Vec<Effect>) {
        let set_at = self.now;
        let wanted = |row: &ConversationRow| match plan.wish {
            // Whatever came since the row was read brings it back at once.
            Wish::Snooze(until) => {
                let after = row.last_inbound_at.unwrap_or_default();
                Some(Snooze { until, after, set_at, woken: None })
            }
            _ => None,
        };
        self.keep_all(plan, wanted, |row| row.local.snooze.clone(), Keep::Snooze, effects);
    }

    /// Brings back those whose time has come, with one bell; and takes the
    /// mark from one that is being looked at.
    pub(super) fn come_back(&mut self, effects: &mut Vec<Effect>) {
        let now = self.now;
        let mut back = false;
        for tab in &mut self.tabs {
            if tab.counts.next_wake.is_some_and(|at| at <= now) {
                tab.counts.next_wake = None;
                back = true;
                effects.push(Effect::Keep(tab.channel.id.clone(), Keep::Wake(now)));
            }
        }
        if back {
            self.say("back: the time of a snoozed conversation has come");
            self.ring_back(effects);
        }
        if let Some(seen) = self.looked_at_again() {
            let channel = self.tab().channel.id.clone();
            if let Some(row) = self.tab_mut().history.as_mut().and_then(|it| it.row.as_mut()) {
                row.local.snooze = None;
            }
            effects.push(Effect::Keep(channel, Keep::Snooze(vec![(seen, None)])));
        }
    }

    /// The conversation that is open and came back.
    fn looked_at_again(&self) -> Option<ConversationId> {
        let tab = self.tab();
        let history = tab.history.as_ref().filter(|it| it.opened && it.shows_end())?;
        let looking = self.focused && self.is_inbox_shown() && tab.focus != Focus::List;
        let row = history.row.as_ref().filter(|_| looking)?;
        let woken = row.local.snooze.as_ref().is_some_and(|it| !it.is_asleep());
        woken.then(|| row.conversation.id.clone())
    }
}
