use crate::changes::Changes;
use crate::command::Command;
use crate::components::marks::{MAX_MARKS, Marks};
use crate::conditions;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Intent, Load, MarkMode};
use crate::features::undo::UndoTarget;
use crate::keymap::update as keymap;
use crate::notice::StatusNotice;
use crate::overlays::line;
use crate::screens::conversations::bulk_actions::PendingBulkAction;
use crate::screens::conversations::bulk_plan::update as bulk_plan;
use crate::screens::conversations::bulk_plan::{Batch, BulkAction, BulkPlan, MAX_UNCONFIRMED};
use crate::screens::conversations::done::{self, Ending};
use crate::screens::conversations::snooze;
use crate::screens::conversations::tags;
use crate::screens::mail::triage::TriageDecision;
use crate::screens::mail::triage::update as triage;
use crate::tab::Focus;
use model::conversations::ConversationRow;
use model::ids::{ChannelId, ConversationId, RowId};
use model::local::LocalChange;
use model::outbox::Operation;
use model::queries::{Anchor, ConversationKey, ConversationQuery, OutboxOutcome};
use model::time::SECOND;

pub fn acts_on_marks(desk: &Desk) -> bool {
    desk.is_inbox_shown() && desk.tab().focus == Focus::List && !desk.list().marks.is_empty()
}

/// Toggles the mark of the selected row and moves down.
pub(crate) fn toggle_mark(desk: &mut Desk, context: &mut Context) {
    let visible = desk.list_rows(&desk.areas(context));
    let list = desk.list_mut();
    let Some(selected) = list.selected.clone() else { return };
    let fits = list.marks.toggle(&selected);
    list.step(1, visible);
    if !fits {
        context.show_warning(format!("mark: {MAX_MARKS} are marked, the most at once"));
    }
}

/// Starts a range at the selected row, or ends it there.
pub(crate) fn mark_range(desk: &mut Desk, context: &mut Context) {
    let list = desk.list_mut();
    let Some(selected) = list.selected.clone() else { return };
    list.marks.toggle_range(&selected);
    let ranging = list.marks.has_range();
    context.show_notice(match ranging {
        true => context.fill_in_keys("go to the end of the range, then {mark-range}"),
        false => "range marked".to_owned(),
    });
}

pub(crate) fn load_list_keys(desk: &mut Desk, how: MarkMode, context: &mut Context) {
    let query = ConversationQuery { anchor: Anchor::Top, limit: MAX_MARKS, ..desk.list().query() };
    context.push(Effect::Load(Load::MarkList(query, how)));
}

pub(crate) fn set_marks(
    desk: &mut Desk,
    query: &ConversationQuery,
    how: MarkMode,
    keys: Vec<ConversationKey>,
    more: bool,
    context: &mut Context,
) {
    let list = desk.list_mut();
    let now = list.query();
    if (&now.filter, &now.channel) != (&query.filter, &query.channel) {
        return;
    }
    let keys = keys.into_iter().filter(|key| how == MarkMode::All || !list.marks.contains(key));
    list.marks = Marks::of(keys);
    let count = list.marks.len();
    if more {
        return context.show_warning(format!("marked the first {count}, the most at once"));
    }
    context.show_notice(match how {
        MarkMode::All => format!("marked all {count}"),
        MarkMode::Invert => format!("marked the other {count}"),
    });
}

pub(crate) fn extend_range(desk: &mut Desk) {
    let list = desk.list_mut();
    if let Some(selected) = &list.selected
        && list.marks.has_range()
    {
        list.marks.extend_range(&list.page.rows, selected);
    }
}

fn describe_bulk_progress(desk: &Desk, plan: &BulkPlan, context: &Context) -> String {
    let many = plan.apply.len() + plan.skipped.len() > 1;
    let what = match (&plan.action, many) {
        (BulkAction::Done, false) => plan.apply.first().map_or_else(String::new, |row| {
            format!("{} · {}", done::ending(row).past_verb(), row.conversation.title())
        }),
        (BulkAction::Snooze { until, stays, note }, _) => {
            snooze::describe_snooze((*until, *stays), note.clone(), context.now, &context.settings.zone)
        }
        (BulkAction::Assign { colleague, .. }, false) => format!("{colleague} has it now"),
        (wish, false) => wish.past_verb().to_owned(),
        (wish, true) if wish.needs_server() => wish.verb().to_owned(),
        (wish, true) => wish.past_verb().to_owned(),
    };
    let count = if many { format!(" {}", plan.describe()) } else { String::new() };
    // Filing is undone as one step; other server changes one by one, from the results.
    let leaves = plan.action.needs_server();
    let undo = format!(" · {}", keymap::undo_hint(desk, context));
    let is_undone_as_one = matches!(
        plan.action,
        BulkAction::File(_) | BulkAction::Take | BulkAction::Assign { .. } | BulkAction::Done
    );
    let undo = if !leaves || is_undone_as_one { &undo } else { "" };
    let results = format!(" · {} shows each", context.key_of(Command::ShowResults));
    let (colon, results) = match (leaves, many) {
        (true, true) => (":", results.as_str()),
        (false, true) => (":", ""),
        (_, false) => ("", ""),
    };
    format!("{what}{colon}{count}{undo}{results}")
}

/// The change of a conversation; `None` until its tab's account was read.
pub(crate) fn intent_for(
    desk: &Desk,
    row: &ConversationRow,
    operation: Operation,
    hold: i64,
) -> Option<Intent> {
    let tab = desk.tabs.iter().find(|tab| tab.channel.id == row.channel)?;
    Some(Intent {
        channel: row.channel.clone(),
        platform: tab.platform()?.clone(),
        conversation: row.conversation.id.clone(),
        operation,
        hold,
        seen: None,
        planned_at: None,
    })
}

pub(crate) fn enqueue_all(
    desk: &mut Desk,
    plan: &BulkPlan,
    operation: &Operation,
    hold: i64,
    context: &mut Context,
) {
    let intent = |row: &ConversationRow| intent_for(desk, row, operation.clone(), hold);
    let intents: Vec<Intent> = plan.apply.iter().filter_map(intent).collect();
    context.push(FileWrite::Enqueue { intents, clears_draft: false });
}

impl Changes {
    /// Removes all marks; without marks, drops the filter.
    pub(crate) fn clear_marks(&mut self, desk: &mut Desk, context: &mut Context) {
        let before = std::mem::take(&mut desk.list_mut().marks);
        if before.is_empty() {
            return line::remove_filter(desk, context);
        }
        let words = match before.len() {
            1 => "1 mark removed".to_owned(),
            count => format!("{count} marks removed"),
        };
        context.show_notice(format!("{words} · {}", keymap::undo_hint(desk, context)));
        let channel = desk.tab().channel.id.clone();
        self.record_change(channel, &words, UndoTarget::Marks(before, desk.shows_all_tabs), context);
    }

    /// Loads the marked rows, to act on them.
    pub(crate) fn act_on_marked(&mut self, wish: BulkAction, desk: &Desk, context: &mut Context) {
        self.load_marked(PendingBulkAction::Action(wish), desk, context);
    }

    pub(crate) fn snooze_marked(&mut self, desk: &Desk, context: &mut Context) {
        self.load_marked(PendingBulkAction::Snooze, desk, context);
    }

    pub(crate) fn tag_marked(&mut self, desk: &Desk, context: &mut Context) {
        self.load_marked(PendingBulkAction::Tags, desk, context);
    }

    /// Loads these rows, to act on them.
    pub(crate) fn start_bulk_action(
        &mut self,
        keys: Vec<ConversationKey>,
        wish: BulkAction,
        context: &mut Context,
    ) {
        self.bulk.pending = Some(PendingBulkAction::Action(wish));
        context.push(Effect::Load(Load::Marked(keys)));
    }

    pub(crate) fn snooze_rows(&mut self, keys: Vec<ConversationKey>, context: &mut Context) {
        self.bulk.pending = Some(PendingBulkAction::Snooze);
        context.push(Effect::Load(Load::Marked(keys)));
    }

    fn load_marked(&mut self, asked: PendingBulkAction, desk: &Desk, context: &mut Context) {
        self.bulk.pending = Some(asked);
        context.push(Effect::Load(Load::Marked(desk.list().marks.keys())));
    }

    /// Continues the pending action with the loaded rows.
    pub(crate) fn receive_marked(
        &mut self,
        rows: Vec<ConversationRow>,
        desk: &mut Desk,
        context: &mut Context,
    ) {
        match self.bulk.pending.take() {
            None => (),
            Some(PendingBulkAction::Snooze) => {
                context.open(crate::screens::conversations::snooze::SnoozeMenu::new(rows))
            }
            Some(PendingBulkAction::Tags) => tags::open_tag_editor(context, rows),
            Some(PendingBulkAction::Action(wish)) => self.plan_bulk_action(wish, rows, desk, context),
        }
    }

    pub(crate) fn plan_bulk_action(
        &mut self,
        wish: BulkAction,
        rows: Vec<ConversationRow>,
        desk: &mut Desk,
        context: &mut Context,
    ) {
        let many = rows.len() > 1;
        let may = |row: &ConversationRow| {
            let tab = desk.tabs.iter().find(|tab| tab.channel.id == row.channel);
            tab.map_or_else(|| Err("its channel was removed".to_owned()), conditions::check_tab_writable)
        };
        let mut plan = BulkPlan::new(wish, rows, may);
        for (_, why) in &mut plan.skipped {
            *why = context.fill_in_keys(why);
        }
        if plan.apply.is_empty() {
            let words = |(count, why): &(usize, &str)| {
                if many { format!("{count} {why}") } else { (*why).to_owned() }
            };
            let reasons: Vec<String> = plan.reasons().iter().map(words).collect();
            let reasons = if reasons.is_empty() { "no longer here".to_owned() } else { reasons.join(", ") };
            return context.show_warning(format!("{}: {reasons}", plan.action.verb()));
        }
        let work = self.open_work_lines(&plan, desk);
        if plan.apply.len() > MAX_UNCONFIRMED {
            return bulk_plan::ask_bulk(context, plan, work);
        }
        if !work.is_empty() {
            return done::ask_before_finishing_many(plan, work, context);
        }
        self.run_plan(&plan, desk, context);
    }

    pub(crate) fn run_plan(&mut self, plan: &BulkPlan, desk: &mut Desk, context: &mut Context) {
        self.journal.set_joining(true);
        let group = self.journal.next_group();
        // A close cannot be undone: a few are held, many need a confirmation.
        let closes = match plan.action {
            BulkAction::Close => true,
            BulkAction::Done => plan.apply.iter().any(|row| done::ending(row) == Ending::Close),
            _ => false,
        };
        let hold = if closes && plan.apply.len() <= MAX_UNCONFIRMED { context.settings.hold } else { 0 };
        match &plan.action {
            BulkAction::Take => {
                let agent = context.settings.agent.clone();
                self.apply_take(plan, &agent, None, desk, context);
            }
            BulkAction::Assign { colleague, note } => {
                self.apply_take(plan, colleague, note.as_deref(), desk, context);
            }
            BulkAction::Done => self.apply_done(plan, hold, desk, context),
            BulkAction::Pause => {
                enqueue_all(desk, plan, &Operation::SetAutomation { enabled: false }, hold, context)
            }
            BulkAction::HandBack => {
                enqueue_all(desk, plan, &Operation::SetAutomation { enabled: true }, hold, context)
            }
            BulkAction::Close => enqueue_all(desk, plan, &Operation::Close, hold, context),
            BulkAction::Snooze { .. } | BulkAction::Wake => {
                self.apply_snooze(plan, context);
                triage::record_triage_decision(desk, TriageDecision::Snoozed, Some(group), context);
            }
            BulkAction::Tag { .. } => self.apply_tag_plan(plan, desk, context),
            BulkAction::Claim(_) => self.apply_claims(plan, context),
            BulkAction::DraftOnly(is_on) => self.apply_draft_only(plan, *is_on, desk, context),
            BulkAction::Seen(_) => self.apply_seen(plan, context),
            BulkAction::File(filing) => {
                let change = |row: &ConversationRow| filing.to_change(row);
                self.file_threads(plan.apply.clone(), plan.action.past_verb(), &change, desk, context);
            }
        }
        if plan.apply.len() + plan.skipped.len() > 1 {
            self.batch = Some(Batch::new(group, plan));
        }
        match hold / SECOND {
            0 => context.show_notice(describe_bulk_progress(desk, plan, context)),
            _ => {
                self.pending_groups.expect_held(&context.effects);
                let until = context.moment.plus(hold);
                context.show_status(StatusNotice::Held { until, what: self.describe_hold(plan) });
            }
        }
        let marks = std::mem::take(&mut desk.list_mut().marks);
        if !marks.is_empty() {
            self.bulk.previous_marks = marks;
        }
    }

    /// Stores a local change for every row of the plan, per channel, with its undo.
    pub(crate) fn store_local_changes<T>(
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
            context.push(FileWrite::ChangeLocal(channel.clone(), keep(after)));
            self.record_local_change(&channel, &plan.describe_done(), keep(was), context);
        }
    }

    /// Loads open outcomes of the last bulk action and reports its end once.
    pub(crate) fn update_batch(&mut self, context: &mut Context) {
        let Some(batch) = &mut self.batch else { return };
        let rows = batch.open_rows();
        if std::mem::take(&mut batch.stale) && !rows.is_empty() {
            context.push(Effect::Load(Load::RowOutcomes(rows)));
        }
        if batch.is_reported || batch.is_running() {
            return;
        }
        batch.is_reported = true;
        let (done, all) = (batch.count(|batch| *batch == OutboxOutcome::Done), batch.progress().1);
        let asks = batch.count(|batch| matches!(batch, OutboxOutcome::NeedsDecision(_)));
        let refused = batch.count(|batch| matches!(batch, OutboxOutcome::Refused(_)));
        let mut words = format!("{} {done} of {all}", batch.action.past_verb());
        if refused > 0 {
            words.push_str(&format!(", {refused} refused"));
        }
        if asks > 0 {
            words.push_str(&format!(", {asks} {}", if asks == 1 { "asks" } else { "ask" }));
        }
        let is_undone_as_one =
            matches!(batch.action, BulkAction::File(_) | BulkAction::Take | BulkAction::Assign { .. });
        let undo = if is_undone_as_one { context.fill_in_keys(" · {undo} undo") } else { String::new() };
        let words = format!("{words}{undo} · {} shows each", context.key_of(Command::ShowResults));
        if asks + refused > 0 { context.show_warning(words) } else { context.show_notice(words) }
    }

    /// Recalls the rows of the last bulk action that have not been sent.
    pub(crate) fn cancel_batch(&mut self, context: &mut Context) {
        let Some(batch) = &mut self.batch else { return };
        let waiting = batch.items.iter().filter(|item| item.outcome == Ok(OutboxOutcome::Waiting));
        let rows: Vec<RowId> = waiting.filter_map(|bulk_item| bulk_item.row.clone()).collect();
        if rows.is_empty() {
            return context.show_notice("nothing left to stop");
        }
        context.show_notice(format!("stopping {} not sent yet", rows.len()));
        context.push_all(rows.into_iter().map(FileWrite::Recall));
    }
}
