//! Marks conversations, and plans and carries out what is done to all of them.

use crate::changes::Changes;
use crate::command::Command;
use crate::components::marks::{MOST, Marks};
use crate::conditions;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Intent, Load, Spread};
use crate::features::undo::UndoTarget;
use crate::notice::Fact;
use crate::screens::conversations::bulk_actions::PendingBulkAction;
use crate::screens::conversations::bulk_plan::update as bulk_plan;
use crate::screens::conversations::bulk_plan::{Batch, BulkPlan, BulkWish, HELD};
use crate::screens::conversations::snooze;
use crate::screens::conversations::tags;
use crate::screens::mail::triage::TriageDecision;
use crate::tab::Focus;
use model::conversations::ConversationRow;
use model::ids::{ChannelId, ConversationId, RowId};
use model::local::LocalChange;
use model::outbox::Operation;
use model::queries::{Anchor, ConversationKey, ConversationQuery, OutboxOutcome};
use model::time::SECOND;

impl Desk {
    /// Whether keys act on what is marked.
    pub fn acts_on_marks(&self) -> bool {
        self.is_inbox_shown() && self.tab().focus == Focus::List && !self.list().marks.is_empty()
    }

    /// Marks the row, or takes its mark away, and goes down.
    pub(crate) fn mark(&mut self, context: &mut Context) {
        let visible = self.list_rows(&self.areas(context));
        let list = self.list_mut();
        let Some(selected) = list.selected.clone() else { return };
        let fits = list.marks.toggle(&selected);
        list.step(1, visible);
        if !fits {
            context.warn(format!("mark: {MOST} are marked; more are not acted on at once"));
        }
    }

    /// Begins a range at the row, or ends it there.
    pub(crate) fn mark_range(&mut self, context: &mut Context) {
        let list = self.list_mut();
        let Some(selected) = list.selected.clone() else { return };
        list.marks.toggle_range(&selected);
        let ranging = list.marks.is_ranging();
        context.say(match ranging {
            true => context.keyed("move to the end of the range; {mark-range} again ends it"),
            false => "range marked".to_owned(),
        });
    }

    /// Asks for all conversations of the list, also those that are not loaded.
    pub(crate) fn ask_spread(&mut self, how: Spread, context: &mut Context) {
        let query = ConversationQuery { anchor: Anchor::Top, limit: MOST, ..self.list().query() };
        context.push(Effect::Load(Load::Spread(query, how)));
    }

    /// All conversations of a list have come.
    pub(crate) fn spread(
        &mut self,
        query: &ConversationQuery,
        how: Spread,
        keys: Vec<ConversationKey>,
        more: bool,
        context: &mut Context,
    ) {
        let list = self.list_mut();
        let now = list.query();
        if (&now.filter, &now.channel) != (&query.filter, &query.channel) {
            return;
        }
        let keys = keys.into_iter().filter(|key| how == Spread::All || !list.marks.contains(key));
        list.marks = Marks::of(keys);
        let count = list.marks.len();
        if more {
            return context.warn(format!("marked the first {count}: more are not acted on at once"));
        }
        context.say(match how {
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

    /// What is being done, in words.
    fn describe_bulk_progress(&self, plan: &BulkPlan, context: &Context) -> String {
        let many = plan.apply.len() + plan.skipped.len() > 1;
        let what = match (&plan.wish, many) {
            (BulkWish::Snooze { until, stays }, _) => {
                snooze::describe_snooze((*until, *stays), context.now, &context.settings.zone)
            }
            (wish, false) => wish.past().to_owned(),
            (wish, true) if wish.leaves() => wish.verb().to_owned(),
            (wish, true) => wish.past().to_owned(),
        };
        let count = if many { format!(" {}", plan.describe()) } else { String::new() };
        // Filing is undone as one step; other changes for the server one by one, from their results.
        let leaves = plan.wish.leaves();
        let undo = format!(" · {} undoes", self.undo_key(context));
        let undo = if !leaves || matches!(plan.wish, BulkWish::File(_)) { &undo } else { "" };
        let results = format!(" · {} shows each", context.key_of(Command::ShowResults));
        let (colon, results) = match (leaves, many) {
            (true, _) => (":", results.as_str()),
            (false, true) => (":", ""),
            (false, false) => ("", ""),
        };
        format!("{what}{colon}{count}{undo}{results}")
    }

    pub(crate) fn enqueue_all(
        &mut self,
        plan: &BulkPlan,
        operation: &Operation,
        hold: i64,
        context: &mut Context,
    ) {
        let intent = |row: &ConversationRow| {
            let tab = self.tabs.iter().find(|tab| tab.channel.id == row.channel)?;
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
        context.push(FileWrite::Enqueue { intents, clears_draft: false });
    }
}

impl Changes {
    /// Takes all marks away; without any, the filter.
    pub(crate) fn mark_none(&mut self, desk: &mut Desk, context: &mut Context) {
        let before = std::mem::take(&mut desk.list_mut().marks);
        if before.is_empty() {
            return desk.drop_filter(context);
        }
        let words = match before.len() {
            1 => "took 1 mark away".to_owned(),
            count => format!("took {count} marks away"),
        };
        context.say(format!("{words} · {} brings them back", context.key_of(Command::Undo)));
        let channel = desk.tab().channel.id.clone();
        self.note_done(channel, &words, UndoTarget::Marks(before, desk.everywhere), context);
    }

    /// Asks for the rows of what is marked, to act on them.
    pub(crate) fn act_on_marked(&mut self, wish: BulkWish, desk: &Desk, context: &mut Context) {
        self.ask_marked(PendingBulkAction::Wish(wish), desk, context);
    }

    /// Asks until when what is marked shall be put aside.
    pub(crate) fn snooze_marked(&mut self, desk: &Desk, context: &mut Context) {
        self.ask_marked(PendingBulkAction::Snooze, desk, context);
    }

    /// Asks which tags what is marked shall have.
    pub(crate) fn tag_marked(&mut self, desk: &Desk, context: &mut Context) {
        self.ask_marked(PendingBulkAction::Tags, desk, context);
    }

    /// Asks for the rows of these, to act on them.
    pub(crate) fn act_on(&mut self, keys: Vec<ConversationKey>, wish: BulkWish, context: &mut Context) {
        self.bulk.asked = Some(PendingBulkAction::Wish(wish));
        context.push(Effect::Load(Load::Marked(keys)));
    }

    /// Asks until when these shall be put aside.
    pub(crate) fn snooze_these(&mut self, keys: Vec<ConversationKey>, context: &mut Context) {
        self.bulk.asked = Some(PendingBulkAction::Snooze);
        context.push(Effect::Load(Load::Marked(keys)));
    }

    fn ask_marked(&mut self, asked: PendingBulkAction, desk: &Desk, context: &mut Context) {
        self.bulk.asked = Some(asked);
        context.push(Effect::Load(Load::Marked(desk.list().marks.keys())));
    }

    /// The rows of what is marked have come.
    pub(crate) fn marked(&mut self, rows: Vec<ConversationRow>, desk: &mut Desk, context: &mut Context) {
        match self.bulk.asked.take() {
            None => (),
            Some(PendingBulkAction::Snooze) => context
                .open(crate::screens::conversations::snooze::SnoozeMenu { rows, typed: None, stays: false }),
            Some(PendingBulkAction::Tags) => tags::open_tags(context, rows),
            Some(PendingBulkAction::Wish(wish)) => self.plan(wish, rows, desk, context),
        }
    }

    /// Acts on these, or asks first if they are many.
    pub(crate) fn plan(
        &mut self,
        wish: BulkWish,
        rows: Vec<ConversationRow>,
        desk: &mut Desk,
        context: &mut Context,
    ) {
        let many = rows.len() > 1;
        let may = |row: &ConversationRow| {
            let tab = desk.tabs.iter().find(|tab| tab.channel.id == row.channel);
            tab.map_or_else(|| Err("its tab is gone".to_owned()), conditions::tab_writable)
        };
        let mut plan = BulkPlan::new(wish, rows, may);
        for (_, why) in &mut plan.skipped {
            *why = context.keyed(why);
        }
        if plan.apply.is_empty() {
            let words = |(count, why): &(usize, &str)| {
                if many { format!("{count} {why}") } else { (*why).to_owned() }
            };
            let reasons: Vec<String> = plan.reasons().iter().map(words).collect();
            let reasons =
                if reasons.is_empty() { "not known any more".to_owned() } else { reasons.join(", ") };
            return context.warn(format!("{}: {reasons}", plan.wish.verb()));
        }
        if plan.apply.len() > HELD {
            return bulk_plan::ask_bulk(context, plan);
        }
        self.carry_out(&plan, desk, context);
    }

    /// Acts on all that a plan applies to.
    pub(crate) fn carry_out(&mut self, plan: &BulkPlan, desk: &mut Desk, context: &mut Context) {
        self.journal.join(true);
        let group = self.journal.group();
        // A close cannot be turned round: a few are held, many are asked about.
        let held = plan.wish == BulkWish::Close && plan.apply.len() <= HELD;
        let hold = if held { context.settings.hold } else { 0 };
        match &plan.wish {
            BulkWish::Pause => {
                desk.enqueue_all(plan, &Operation::SetAutomation { enabled: false }, hold, context)
            }
            BulkWish::HandBack => {
                desk.enqueue_all(plan, &Operation::SetAutomation { enabled: true }, hold, context)
            }
            BulkWish::Close => desk.enqueue_all(plan, &Operation::Close, hold, context),
            BulkWish::Snooze { .. } | BulkWish::Wake => {
                self.snooze_all(plan, context);
                desk.triage_decided(TriageDecision::Snoozed, Some(group), context);
            }
            BulkWish::Tag { .. } => self.tag_all(plan, desk, context),
            BulkWish::Claim(_) => self.claim_all(plan, context),
            BulkWish::DraftOnly(is_on) => self.draft_only_all(plan, *is_on, desk, context),
            BulkWish::Seen(_) => self.seen_all(plan, context),
            BulkWish::File(filing) => {
                let change = |row: &ConversationRow| filing.change(row);
                self.file(plan.apply.clone(), plan.wish.past(), &change, desk, context);
            }
        }
        if plan.apply.len() + plan.skipped.len() > 1 {
            self.batch = Some(Batch::new(group, plan));
        }
        match hold / SECOND {
            0 => context.say(desk.describe_bulk_progress(plan, context)),
            _ => {
                self.queueing.expect(&context.effects);
                let until = context.moment.plus(hold);
                context.state(Fact::Held { until, what: self.held_words(plan), back: "stops it" });
            }
        }
        let marks = std::mem::take(&mut desk.list_mut().marks);
        if !marks.is_empty() {
            self.bulk.before = marks;
        }
    }

    /// Changes what this desk keeps of all a plan applies to, tab by tab.
    pub(crate) fn keep_all<T>(
        &mut self,
        plan: &BulkPlan,
        wanted: impl Fn(&ConversationRow) -> T,
        before: impl Fn(&ConversationRow) -> T,
        keep: impl Fn(Vec<(ConversationId, T)>) -> LocalChange,
        context: &mut Context,
    ) {
        let mut channels: Vec<ChannelId> =
            plan.apply.iter().map(|conversation_row| conversation_row.channel.clone()).collect();
        channels.sort();
        channels.dedup();
        for channel in channels {
            let rows = || plan.apply.iter().filter(|conversation_row| conversation_row.channel == channel);
            let id = |row: &ConversationRow| row.conversation.id.clone();
            let after = rows().map(|row| (id(row), wanted(row))).collect();
            let was = rows().map(|row| (id(row), before(row))).collect();
            context.push(FileWrite::Keep(channel.clone(), keep(after)));
            self.note_kept(&channel, &plan.named(), keep(was), context);
        }
    }

    /// Asks what became of the last action on many, and tells its end.
    pub(crate) fn follow_batch(&mut self, context: &mut Context) {
        let Some(batch) = &mut self.batch else { return };
        let rows = batch.open_rows();
        if std::mem::take(&mut batch.stale) && !rows.is_empty() {
            context.push(Effect::Load(Load::Fates(rows)));
        }
        if batch.told || batch.is_under_way() {
            return;
        }
        batch.told = true;
        let (done, all) = (batch.count(|batch| *batch == OutboxOutcome::Done), batch.progress().1);
        let asks = batch.count(|batch| matches!(batch, OutboxOutcome::NeedsDecision(_)));
        let refused = batch.count(|batch| matches!(batch, OutboxOutcome::Refused(_)));
        let mut words = format!("{} {done} of {all}", batch.wish.past());
        if refused > 0 {
            words.push_str(&format!(", {refused} refused"));
        }
        if asks > 0 {
            words.push_str(&format!(", {asks} {}", if asks == 1 { "asks" } else { "ask" }));
        }
        let is_undone_as_one = matches!(batch.wish, BulkWish::File(_));
        let undo = if is_undone_as_one { context.keyed(" · {undo} undoes") } else { String::new() };
        let words = format!("{words}{undo} · {} shows each", context.key_of(Command::ShowResults));
        if asks + refused > 0 { context.warn(words) } else { context.say(words) }
    }

    /// Takes back what of the last action on many has not left.
    pub(crate) fn cancel_batch(&mut self, context: &mut Context) {
        let Some(batch) = &mut self.batch else { return };
        let waiting = batch.items.iter().filter(|item| item.fate == Ok(OutboxOutcome::Waiting));
        let rows: Vec<RowId> = waiting.filter_map(|bulk_item| bulk_item.row.clone()).collect();
        if rows.is_empty() {
            return context.say("nothing of it waits any more");
        }
        context.say(format!("stopping {} that have not left", rows.len()));
        context.push_all(rows.into_iter().map(FileWrite::Recall));
    }
}
