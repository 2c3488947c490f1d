//! Marking, and acting on all that is marked: the plan first, then a hold or
//! a question by how many there are, then what became of each.

use crate::Inbox;
use crate::availability;
use crate::commands::Command;
use crate::components::marks::{MOST, Marks};
use crate::event::{Effect, Intent, Load, Spread};
use crate::features::undo::UndoTarget;
use crate::notice::Fact;
use crate::overlays::Layer;
use crate::screens::conversations::bulk_plan::{Batch, BulkPlan, BulkWish, HELD};
use crate::screens::conversations::snooze;
use crate::screens::mail::triage::TriageDecision;
use crate::tab::Focus;
use model::conversations::ConversationRow;
use model::ids::{ChannelId, ConversationId, RowId};
use model::local::Keep;
use model::outbox::{Operation, OutboxRow};
use model::queries::{Anchor, ConversationKey, ConversationQuery, OutboxFate};
use model::time::SECOND;

/// What waits for the rows of what is marked.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PendingBulkAction {
    /// A wish for all of them.
    Wish(BulkWish),
    /// The menu that says until when.
    Snooze,
    /// The line in which tags are edited.
    Tags,
}

/// What acting on many remembers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Acting {
    asked: Option<PendingBulkAction>,
    /// What was acted on last.
    before: Marks,
}

impl Inbox {
    /// Whether keys act on what is marked.
    pub fn acts_on_marks(&self) -> bool {
        self.is_inbox_shown() && self.tab().focus == Focus::List && !self.list().marks.is_empty()
    }

    /// What was acted on last.
    pub(crate) fn acted_on(&self) -> &Marks {
        &self.acting.before
    }

    /// Commands that set marks; without a row there is nothing to mark.
    pub(crate) fn mark_command(&mut self, command: Command) -> bool {
        let selected = self.list().selected.clone();
        match command {
            Command::Mark => selected.into_iter().for_each(|it| self.mark(&it)),
            Command::MarkRange => selected.into_iter().for_each(|it| self.mark_range(&it)),
            Command::MarkAgain => {
                if selected.is_some() {
                    let before = self.acting.before.clone();
                    self.list_mut().marks = before;
                }
            }
            Command::MarkAll | Command::MarkInverted => {
                if selected.is_some() {
                    let all = command == Command::MarkAll;
                    self.ask_spread(if all { Spread::All } else { Spread::Invert });
                }
            }
            _ => return false,
        }
        true
    }

    /// Marks a row, or takes its mark away, and goes down.
    fn mark(&mut self, selected: &ConversationKey) {
        let visible = self.list_rows(&self.areas());
        let list = self.list_mut();
        let fits = list.marks.toggle(selected);
        list.step(1, visible);
        if !fits {
            self.warn(format!("mark: {MOST} are marked; more are not acted on at once"));
        }
    }

    /// Begins a range at a row, or ends it there.
    fn mark_range(&mut self, selected: &ConversationKey) {
        self.list_mut().marks.toggle_range(selected);
        let ranging = self.list().marks.is_ranging();
        self.say(match ranging {
            true => self.keyed("move to the end of the range; {mark-range} again ends it"),
            false => "range marked".to_owned(),
        });
    }

    /// Takes all marks away; without any, the filter.
    pub(crate) fn mark_none(&mut self) {
        let before = std::mem::take(&mut self.list_mut().marks);
        if before.is_empty() {
            return self.drop_filter();
        }
        let words = match before.len() {
            1 => "took 1 mark away".to_owned(),
            count => format!("took {count} marks away"),
        };
        self.say(format!("{words} · {} brings them back", self.key_of(Command::Undo)));
        let channel = self.tab().channel.id.clone();
        self.note_done(channel, &words, UndoTarget::Marks(before, self.everywhere));
    }

    /// Asks for all conversations of the list, also those that are not loaded.
    fn ask_spread(&mut self, how: Spread) {
        let query = ConversationQuery { anchor: Anchor::Top, limit: MOST, ..self.list().query() };
        self.context.push(Effect::Load(Load::Spread(query, how)));
    }

    /// All conversations of a list have come.
    pub(crate) fn spread(
        &mut self,
        query: &ConversationQuery,
        how: Spread,
        keys: Vec<ConversationKey>,
        more: bool,
    ) {
        let list = self.list_mut();
        let now = list.query();
        if (&now.filter, &now.channel) != (&query.filter, &query.channel) {
            return;
        }
        let keys = keys.into_iter().filter(|it| how == Spread::All || !list.marks.contains(it));
        list.marks = Marks::of(keys);
        let count = list.marks.len();
        if more {
            return self.warn(format!("marked the first {count}: more are not acted on at once"));
        }
        self.say(match how {
            Spread::All => format!("marked all {count}"),
            Spread::Invert => format!("marked the other {count}"),
        });
    }

    /// The range follows the selection.
    pub(crate) fn reach_range(&mut self) {
        let list = self.list_mut();
        if let Some(selected) = &list.selected
            && list.marks.is_ranging()
        {
            list.marks.reach(&list.page.rows, selected);
        }
    }

    /// Asks for the rows of what is marked, to act on them.
    pub(crate) fn act_on_marked(&mut self, wish: BulkWish) {
        self.ask_marked(PendingBulkAction::Wish(wish));
    }

    /// Asks until when what is marked shall be put aside.
    pub(crate) fn snooze_marked(&mut self) {
        self.ask_marked(PendingBulkAction::Snooze);
    }

    /// Asks which tags what is marked shall have.
    pub(crate) fn tag_marked(&mut self) {
        self.ask_marked(PendingBulkAction::Tags);
    }

    /// Asks for the rows of these, to act on them.
    pub(crate) fn act_on(&mut self, keys: Vec<ConversationKey>, wish: BulkWish) {
        self.acting.asked = Some(PendingBulkAction::Wish(wish));
        self.context.push(Effect::Load(Load::Marked(keys)));
    }

    fn ask_marked(&mut self, asked: PendingBulkAction) {
        self.acting.asked = Some(asked);
        self.context.push(Effect::Load(Load::Marked(self.list().marks.keys())));
    }

    /// They could not be read.
    pub(crate) fn forget_marked(&mut self) {
        self.acting.asked = None;
    }

    /// The rows of what is marked have come.
    pub(crate) fn marked(&mut self, rows: Vec<ConversationRow>) {
        match self.acting.asked.take() {
            None => (),
            Some(PendingBulkAction::Snooze) => {
                self.open_layer(Layer::Snooze { rows, typed: None, stays: false })
            }
            Some(PendingBulkAction::Tags) => self.open_tags(rows),
            Some(PendingBulkAction::Wish(wish)) => self.plan(wish, rows),
        }
    }

    /// Acts on these, or asks first if they are many.
    pub(crate) fn plan(&mut self, wish: BulkWish, rows: Vec<ConversationRow>) {
        let many = rows.len() > 1;
        let may = |row: &ConversationRow| {
            let tab = self.tabs.iter().find(|it| it.channel.id == row.channel);
            tab.map_or_else(|| Err("its tab is gone".to_owned()), availability::tab_writable)
        };
        let mut plan = BulkPlan::new(wish, rows, may);
        for (_, why) in &mut plan.skipped {
            *why = self.keyed(why);
        }
        if plan.apply.is_empty() {
            let words = |(count, why): &(usize, &str)| {
                if many { format!("{count} {why}") } else { (*why).to_owned() }
            };
            let reasons: Vec<String> = plan.reasons().iter().map(words).collect();
            let reasons =
                if reasons.is_empty() { "not known any more".to_owned() } else { reasons.join(", ") };
            return self.warn(format!("{}: {reasons}", plan.wish.verb()));
        }
        if plan.apply.len() > HELD {
            return self.open_layer(Layer::AskBulk { plan: Box::new(plan) });
        }
        self.carry_out(&plan);
    }

    /// Acts on all that a plan applies to.
    pub(crate) fn carry_out(&mut self, plan: &BulkPlan) {
        self.journal.join(true);
        let group = self.journal.group();
        // A close cannot be turned round: a few are held, many are asked about.
        let held = plan.wish == BulkWish::Close && plan.apply.len() <= HELD;
        let hold = if held { self.context.settings.hold } else { 0 };
        match &plan.wish {
            BulkWish::Pause => self.enqueue_all(plan, &Operation::SetAutomation { enabled: false }, hold),
            BulkWish::HandBack => self.enqueue_all(plan, &Operation::SetAutomation { enabled: true }, hold),
            BulkWish::Close => self.enqueue_all(plan, &Operation::Close, hold),
            BulkWish::Snooze { .. } | BulkWish::Wake => {
                self.snooze_all(plan);
                self.triage_decided(TriageDecision::Snoozed);
            }
            BulkWish::Tag { .. } => self.tag_all(plan),
            BulkWish::Claim(_) => self.claim_all(plan),
            BulkWish::Seen(_) => self.seen_all(plan),
        }
        if plan.apply.len() + plan.skipped.len() > 1 {
            self.batch = Some(Batch::new(group, plan));
        }
        match hold / SECOND {
            0 => self.say(self.told(plan)),
            _ => {
                self.queueing.expect(&self.context.effects);
                let until = self.context.now.plus(hold);
                self.state(Fact::Held { until, what: self.held_words(plan), back: "stops it" });
            }
        }
        let marks = std::mem::take(&mut self.list_mut().marks);
        if !marks.is_empty() {
            self.acting.before = marks;
        }
    }

    /// Changes what this desk keeps of all a plan applies to, tab by tab.
    pub(crate) fn keep_all<T>(
        &mut self,
        plan: &BulkPlan,
        wanted: impl Fn(&ConversationRow) -> T,
        before: impl Fn(&ConversationRow) -> T,
        keep: impl Fn(Vec<(ConversationId, T)>) -> Keep,
    ) {
        let mut channels: Vec<ChannelId> = plan.apply.iter().map(|it| it.channel.clone()).collect();
        channels.sort();
        channels.dedup();
        for channel in channels {
            let rows = || plan.apply.iter().filter(|it| it.channel == channel);
            let id = |row: &ConversationRow| row.conversation.id.clone();
            let after = rows().map(|it| (id(it), wanted(it))).collect();
            let was = rows().map(|it| (id(it), before(it))).collect();
            self.context.push(Effect::Keep(channel.clone(), keep(after)));
            self.note_kept(&channel, &plan.named(), keep(was));
        }
    }

    /// What is held, in words.
    fn held_words(&self, plan: &BulkPlan) -> String {
        match plan.apply.len() + plan.skipped.len() > 1 {
            true => format!("{}: {},", plan.wish.verb(), plan.words()),
            false => format!("{},", plan.wish.past()),
        }
    }

    /// What is being done, in words.
    fn told(&self, plan: &BulkPlan) -> String {
        let many = plan.apply.len() + plan.skipped.len() > 1;
        let what = match (&plan.wish, many) {
            (BulkWish::Snooze { until, stays }, _) => {
                snooze::told((*until, *stays), self.context.now, &self.context.settings.zone)
            }
            (wish, false) => wish.past().to_owned(),
            (wish, true) if wish.leaves() => wish.verb().to_owned(),
            (wish, true) => wish.past().to_owned(),
        };
        let count = if many { format!(" {}", plan.words()) } else { String::new() };
        let undo = self.undo_key();
        match plan.wish.leaves() {
            true => format!("{what}:{count} · {} shows each", self.key_of(Command::ShowResults)),
            false if many => format!("{what}:{count} · {undo} undoes"),
            false => format!("{what} · {undo} undoes"),
        }
    }

    fn enqueue_all(&mut self, plan: &BulkPlan, operation: &Operation, hold: i64) {
        let intent = |row: &ConversationRow| {
            let tab = self.tabs.iter().find(|it| it.channel.id == row.channel)?;
            Some(Intent {
                channel: row.channel.clone(),
                platform: tab.platform()?.clone(),
                conversation: row.conversation.id.clone(),
                operation: operation.clone(),
                hold,
                seen: None,
                planned_at: None,
            })
        };
        let intents: Vec<Intent> = plan.apply.iter().filter_map(intent).collect();
        self.context.push(Effect::Enqueue { intents, clears_draft: false });
    }

    /// Rows of the last action on many are in the outbox.
    pub(crate) fn batch_queued(&mut self, group: u64, rows: &[OutboxRow]) {
        let Some(batch) = self.batch.as_mut().filter(|it| it.group == group) else { return };
        for row in rows {
            let item = batch.items.iter_mut().find(|it| {
                let key = (&it.key.channel, Some(&it.key.conversation));
                it.row.is_none() && it.fate.is_ok() && (&row.channel, row.lane.conversation()) == key
            });
            if let Some(item) = item {
                item.row = Some(row.id.clone());
            }
        }
        batch.stale = true;
    }

    /// Asks what became of the last action on many, and tells its end.
    pub(crate) fn follow_batch(&mut self) {
        let Some(batch) = &mut self.batch else { return };
        let rows = batch.open_rows();
        if std::mem::take(&mut batch.stale) && !rows.is_empty() {
            self.context.push(Effect::Load(Load::Fates(rows)));
        }
        if batch.told || batch.is_under_way() {
            return;
        }
        batch.told = true;
        let (done, all) = (batch.count(|it| *it == OutboxFate::Done), batch.progress().1);
        let asks = batch.count(|it| matches!(it, OutboxFate::Asks(_)));
        let mut words = format!("{} {done} of {all}", batch.wish.past());
        if asks > 0 {
            words.push_str(&format!(", {asks} {}", if asks == 1 { "asks" } else { "ask" }));
        }
        let words = format!("{words} · {} shows each", self.key_of(Command::ShowResults));
        if asks > 0 { self.warn(words) } else { self.say(words) }
    }

    /// What became of rows has come.
    pub(crate) fn fates(&mut self, fates: Vec<(RowId, OutboxFate)>) {
        let Some(batch) = &mut self.batch else { return };
        for (row, fate) in fates {
            if let Some(item) = batch.items.iter_mut().find(|it| it.row.as_ref() == Some(&row)) {
                item.fate = Ok(fate);
            }
        }
    }

    /// Takes back what of the last action on many has not left.
    pub(crate) fn cancel_batch(&mut self) {
        let Some(batch) = &mut self.batch else { return };
        let waiting = batch.items.iter().filter(|it| it.fate == Ok(OutboxFate::Waiting));
        let rows: Vec<RowId> = waiting.filter_map(|it| it.row.clone()).collect();
        if rows.is_empty() {
            return self.say("nothing of it waits any more");
        }
        self.say(format!("stopping {} that have not left", rows.len()));
        self.context.effects.extend(rows.into_iter().map(Effect::Recall));
    }
}
