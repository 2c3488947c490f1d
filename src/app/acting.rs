//! Marking, and acting on all that is marked: the plan first, then a hold or
//! a question by how many there are, then what became of each.
//!
//! Knows nothing of which conversations a wish fits; that is `bulk`.

use crate::app::App;
use crate::app::bulk::{Batch, HELD, Plan, Wish};
use crate::app::commands::Command;
use crate::app::event::{Effect, Intent, Load, Spread};
use crate::app::layers::Layer;
use crate::app::marks::{MOST, Marks};
use crate::app::snoozing;
use crate::app::tab::Focus;
use crate::app::undoing::What;
use crate::model::conversations::ConversationRow;
use crate::model::ids::{ChannelId, ConversationId, RowId};
use crate::model::outbox::{Operation, OutboxRow};
use crate::model::queries::{Anchor, ConversationQuery, Fate};
use crate::model::time::SECOND;

/// What waits for the rows of what is marked.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Asked {
    /// A wish for all of them.
    Wish(Wish),
    /// The menu that says until when.
    Snooze,
    /// The line in which tags are edited.
    Tags,
}

/// What acting on many remembers.
#[derive(Debug, Clone, Default)]
pub(super) struct Acting {
    asked: Option<Asked>,
    /// What was acted on last.
    before: Marks,
}

impl App {
    /// Whether keys act on what is marked.
    pub fn acts_on_marks(&self) -> bool {
        let tab = self.tab();
        self.is_inbox_shown() && tab.focus == Focus::List && !tab.marks.is_empty()
    }

    /// What was acted on last.
    pub(super) fn acted_on(&self) -> &Marks {
        &self.acting.before
    }

    /// Commands that set marks.
    pub(super) fn mark_command(&mut self, command: Command, effects: &mut Vec<Effect>) {
        let visible = self.list_rows(&self.areas());
        let Some(selected) = self.tab().list.selected.clone() else { return };
        match command {
            Command::Mark => {
                let fits = self.tab_mut().marks.toggle(&selected);
                self.tab_mut().list.step(1, visible);
                if !fits {
                    self.warn(format!("mark: {MOST} are marked; more are not acted on at once"));
                }
            }
            Command::MarkRange => {
                self.tab_mut().marks.toggle_range(&selected);
                let ranging = self.tab().marks.is_ranging();
                self.say(if ranging {
                    "move to the end of the range; v again ends it"
                } else {
                    "range marked"
                });
            }
            Command::MarkAgain => {
                let before = self.acting.before.clone();
                self.tab_mut().marks = before;
            }
            Command::MarkAll => self.ask_spread(Spread::All, effects),
            _ => self.ask_spread(Spread::Invert, effects),
        }
    }

    /// Takes all marks away.
    pub(super) fn mark_none(&mut self) {
        let tab = self.tab_mut();
        if tab.marks.is_empty() {
            return;
        }
        let before = std::mem::take(&mut tab.marks);
        let channel = tab.channel.id.clone();
        let words = match before.len() {
            1 => "took 1 mark away".to_owned(),
            count => format!("took {count} marks away"),
        };
        self.say(format!("{words} · z brings them back"));
        self.note_done(channel, &words, What::Marks(before));
    }

    /// Asks for all conversations of the list, also those that are not loaded.
    fn ask_spread(&mut self, how: Spread, effects: &mut Vec<Effect>) {
        let query = self.tab().list.query();
        let query = ConversationQuery { anchor: Anchor::Top, limit: MOST, ..query };
        effects.push(Effect::Load(Load::Spread(query, how)));
    }

    /// All conversations of a list have come.
    pub(super) fn spread(
        &mut self,
        query: &ConversationQuery,
        how: Spread,
        ids: Vec<ConversationId>,
        more: bool,
    ) {
        let Some(tab) = self.tab_of(&query.channel) else { return };
        if tab.list.query().filter != query.filter {
            return;
        }
        let ids = ids.into_iter().filter(|it| how == Spread::All || !tab.marks.contains(it));
        let marks = Marks::of(ids);
        let (words, count) = (query.filter.label(), marks.len());
        tab.marks = marks;
        if more {
            self.warn(format!("marked the newest {count} of {words}: more are not acted on at once"));
        } else {
            self.say(match how {
                Spread::All => format!("marked all {count}"),
                Spread::Invert => format!("marked the other {count}"),
            });
        }
    }

    /// The range follows the selection.
    pub(super) fn reach_range(&mut self) {
        let tab = self.tab_mut();
        if let Some(selected) = &tab.list.selected
            && tab.marks.is_ranging()
        {
            tab.marks.reach(&tab.list.page.rows, selected);
        }
    }

    /// Asks for the rows of what is marked, to act on them.
    pub(super) fn act_on_marked(&mut self, wish: Wish, effects: &mut Vec<Effect>) {
        self.ask_marked(Asked::Wish(wish), effects);
    }

    /// Asks until when what is marked shall be put aside.
    pub(super) fn snooze_marked(&mut self, effects: &mut Vec<Effect>) {
        self.ask_marked(Asked::Snooze, effects);
    }

    /// Asks which tags what is marked shall have.
    pub(super) fn tag_marked(&mut self, effects: &mut Vec<Effect>) {
        self.ask_marked(Asked::Tags, effects);
    }

    fn ask_marked(&mut self, asked: Asked, effects: &mut Vec<Effect>) {
        let tab = self.tab();
        let load = Load::Marked(tab.channel.id.clone(), tab.marks.ids());
        self.acting.asked = Some(asked);
        effects.push(Effect::Load(load));
    }

    /// The rows of what is marked have come.
    pub(super) fn marked(
        &mut self,
        channel: &ChannelId,
        rows: Vec<ConversationRow>,
        effects: &mut Vec<Effect>,
    ) {
        let Some(asked) = self.acting.asked.take() else { return };
        if self.tab().channel.id != *channel {
            return;
        }
        match asked {
            Asked::Snooze => self.open_layer(Layer::Snooze { channel: channel.clone(), rows, typed: None }),
            Asked::Tags => self.open_tags(channel.clone(), rows, effects),
            Asked::Wish(wish) => self.plan(channel, wish, rows, effects),
        }
    }

    /// Acts on these, or asks first if they are many.
    pub(super) fn plan(
        &mut self,
        channel: &ChannelId,
        wish: Wish,
        rows: Vec<ConversationRow>,
        effects: &mut Vec<Effect>,
    ) {
        let many = rows.len() > 1;
        let plan = Plan::new(wish, rows);
        if plan.apply.is_empty() {
            let reasons: Vec<String> = plan
                .reasons()
                .iter()
                .map(|(count, why)| if many { format!("{count} {why}") } else { (*why).to_owned() })
                .collect();
            let reasons = if reasons.is_empty() {
                "nothing is known of them any more".into()
            } else {
                reasons.join(", ")
            };
            return self.warn(format!("{}: {reasons}", plan.wish.verb()));
        }
        if plan.apply.len() > HELD {
            return self.open_layer(Layer::AskBulk { channel: channel.clone(), plan: Box::new(plan) });
        }
        self.carry_out(channel, &plan, effects);
    }

    /// Acts on all that a plan applies to.
    pub(super) fn carry_out(&mut self, channel: &ChannelId, plan: &Plan, effects: &mut Vec<Effect>) {
        self.journal.join(true);
        let group = self.journal.group();
        // A close cannot be turned round: a few are held, many are asked about.
        let held = plan.wish == Wish::Close && plan.apply.len() <= HELD;
        let hold = if held { self.settings.hold } else { 0 };
        match &plan.wish {
            Wish::Pause => {
                self.enqueue_all(channel, plan, &Operation::SetAutomation { enabled: false }, hold, effects)
            }
            Wish::HandBack => {
                self.enqueue_all(channel, plan, &Operation::SetAutomation { enabled: true }, hold, effects)
            }
            Wish::Close => self.enqueue_all(channel, plan, &Operation::Close, hold, effects),
            Wish::Snooze(_) | Wish::Wake => self.snooze_all(channel, plan, effects),
            Wish::Tag { .. } => self.tag_all(channel, plan, effects),
            Wish::Claim(_) => self.claim_all(channel, plan, effects),
        }
        if plan.apply.len() + plan.skipped.len() > 1 {
            self.batch = Some(Batch::new(channel.clone(), group, plan));
        }
        self.say(self.told(plan, hold));
        if let Some(tab) = self.tab_of(channel) {
            let marks = std::mem::take(&mut tab.marks);
            if !marks.is_empty() {
                self.acting.before = marks;
            }
        }
    }

    /// What is being done, in words.
    fn told(&self, plan: &Plan, hold: i64) -> String {
        let many = plan.apply.len() + plan.skipped.len() > 1;
        let what = match (&plan.wish, many) {
            (Wish::Snooze(until), _) => snoozing::told(*until, self.now, self.settings.offset_minutes),
            (wish, false) => wish.past().to_owned(),
            (wish, true) if wish.leaves() => wish.verb().to_owned(),
            (wish, true) => wish.past().to_owned(),
        };
        let count = if many { format!(" {}", plan.words()) } else { String::new() };
        let seconds = hold / SECOND;
        match plan.wish.leaves() {
            true if seconds > 0 => format!("{what}:{count}, in {seconds} s · z stops it"),
            true => format!("{what}:{count} · g r shows each"),
            false if many => format!("{what}:{count} · z undoes"),
            false => format!("{what} · z undoes"),
        }
    }

    fn enqueue_all(
        &mut self,
        channel: &ChannelId,
        plan: &Plan,
        operation: &Operation,
        hold: i64,
        effects: &mut Vec<Effect>,
    ) {
        let Some(platform) = self.tab_of(channel).and_then(|it| it.platform().cloned()) else { return };
        let intent = |row: &ConversationRow| Intent {
            channel: channel.clone(),
            platform: platform.clone(),
            conversation: row.conversation.id.clone(),
            operation: operation.clone(),
            hold,
            seen: None,
        };
        let intents = plan.apply.iter().map(intent).collect();
        effects.push(Effect::Enqueue { intents, clears_draft: false });
    }

    /// Rows of the last action on many are in the outbox.
    pub(super) fn batch_queued(&mut self, group: u64, rows: &[OutboxRow]) {
        let Some(batch) = self.batch.as_mut().filter(|it| it.group == group) else { return };
        for row in rows {
            let item = batch.items.iter_mut().find(|it| {
                it.row.is_none() && it.fate.is_ok() && row.lane.conversation() == Some(&it.conversation)
            });
            if let Some(item) = item {
                item.row = Some(row.id.clone());
            }
        }
        batch.stale = true;
    }

    /// Asks what became of the last action on many, and tells its end.
    pub(super) fn follow_batch(&mut self, effects: &mut Vec<Effect>) {
        let Some(batch) = &mut self.batch else { return };
        let rows = batch.open_rows();
        if std::mem::take(&mut batch.stale) && !rows.is_empty() {
            effects.push(Effect::Load(Load::Fates(rows)));
        }
        if batch.told || batch.is_under_way() {
            return;
        }
        batch.told = true;
        let (done, all) = (batch.count(|it| *it == Fate::Done), batch.progress().1);
        let asks = batch.count(|it| matches!(it, Fate::Asks(_)));
        let mut words = format!("{} {done} of {all}", batch.wish.past());
        if asks > 0 {
            words.push_str(&format!(", {asks} {}", if asks == 1 { "asks" } else { "ask" }));
        }
        let words = format!("{words} · g r shows each");
        if asks > 0 { self.warn(words) } else { self.say(words) }
    }

    /// What became of rows has come.
    pub(super) fn fates(&mut self, fates: Vec<(RowId, Fate)>) {
        let Some(batch) = &mut self.batch else { return };
        for (row, fate) in fates {
            if let Some(item) = batch.items.iter_mut().find(|it| it.row.as_ref() == Some(&row)) {
                item.fate = Ok(fate);
            }
        }
    }

    /// Takes back what of the last action on many has not left.
    pub(super) fn cancel_batch(&mut self, effects: &mut Vec<Effect>) {
        let Some(batch) = &mut self.batch else { return };
        let waiting = batch.items.iter().filter(|it| it.fate == Ok(Fate::Waiting));
        let rows: Vec<RowId> = waiting.filter_map(|it| it.row.clone()).collect();
        if rows.is_empty() {
            return self.say("nothing of it waits any more");
        }
        self.say(format!("stopping {} that have not left", rows.len()));
        effects.extend(rows.into_iter().map(Effect::Recall));
    }
}
