//! Results: loads, news from sync, and the ends of writes.

use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Load, Loaded};
use crate::features::cheapest_way;
use crate::features::credits::Credits;
use crate::features::notifications;
use crate::features::service_levels;
use crate::features::team;
use crate::features::undo::update as undo;
use crate::features::undo_send::EarlyDecision;
use crate::fetching;
use crate::loads::update as loads;
use crate::notice::update as notice;
use crate::overlays::palette;
use crate::screens::broadcasts::update as broadcasts;
use crate::screens::composer::Composer;
use crate::screens::composer::attachments;
use crate::screens::composer::returned_texts::{DraftStorage, ReturnedText};
use crate::screens::composer::sending;
use crate::screens::composer::suggestions::update as suggestions;
use crate::screens::conversations::bulk_actions::update as bulk_actions;
use crate::screens::conversations::card::update as card;
use crate::screens::conversations::draft_only::update as draft_only;
use crate::screens::conversations::tags;
use crate::screens::conversations::urgency::update as urgency;
use crate::screens::history::History;
use crate::screens::history::find::update as find;
use crate::screens::history::prefetch::update as prefetch;
use crate::screens::history::raw;
use crate::screens::history::reading;
use crate::screens::mail::menus;
use crate::screens::mail::rules::update as rules;
use crate::screens::mail::triage::update as triage;
use crate::screens::mail::update as mail;
use crate::screens::outbox::decision_actions;
use crate::screens::people::saving;
use crate::screens::templates::form;
use crate::tab::EmptyPaneReason;
use crate::tab::{Focus, Tab};
use crate::{HeldRow, Inbox};
use model::conversations::ServiceWindow;
use model::ids::{ChannelId, RowId};
use model::news::News;
use model::outbox::{Operation, OutboxRow};
use model::queries::{
    ConversationPage, ConversationQuery, HistoryPage, HistoryQuery, OutboxOutcome, TabCounts,
};
use model::time::HOUR;

/// Maximum time of an upload, in microseconds.
const MAX_UPLOAD_TIME: i64 = HOUR;

/// Handles a load. Dropped if it would navigate for a person who no longer waits for it.
pub(crate) fn receive_load(inbox: &mut Inbox, load: Load, read: Result<Loaded, String>) {
    if !inbox.keyboard.reads.end_read(&load) {
        return;
    }
    match read {
        Ok(found) => {
            inbox.loads.remove_obsolete(&load);
            store_loaded(inbox, found);
        }
        Err(why) => {
            loads::load_failed(inbox, load, &why);
        }
    }
}

/// Stores a load; unwanted ones are dropped.
#[expect(clippy::too_many_lines, reason = "one arm for each load")]
pub(crate) fn store_loaded(inbox: &mut Inbox, loaded: Loaded) {
    match loaded {
        Loaded::Conversations(query, page) => inbox.desk.conversations_loaded(&query, page, &inbox.context),
        Loaded::History(query, page) => history_loaded(inbox, &query, *page),
        Loaded::Counts(channel, counts) => receive_counts(inbox, &channel, counts),
        Loaded::Draft(channel, conversation, draft, aside) => {
            let Inbox { changes, desk, context, .. } = inbox;
            changes.draft_loaded(channel, conversation, draft, aside, desk, context);
        }
        Loaded::Account(channel, account) => {
            if let (Some(tab), Some(account)) = (inbox.desk.tab_of(&channel), account) {
                tab.account.get_or_insert(*account);
            }
        }
        Loaded::Outbox(query, page) => inbox.outbox.rows.receive(&query, page.entries, page.more),
        Loaded::Drafts(query, drafts, more) => inbox.outbox.drafts.receive(&query, drafts, more),
        Loaded::Proposals(query, entries, more) => inbox.outbox.proposals.receive(&query, entries, more),
        Loaded::Reviews(query, page) => inbox.outbox.reviews.receive(&query, page),
        Loaded::Question(question) => decision_actions::open_question(inbox, question),
        Loaded::Pauses(channel, pauses) => {
            inbox.keyboard.end_pauses(&channel, pauses, &mut inbox.desk, &mut inbox.context)
        }
        Loaded::MarkList(query, how, ids, more) => {
            bulk_actions::set_marks(&mut inbox.desk, &query, how, ids, more, &mut inbox.context)
        }
        Loaded::Marked(rows) => inbox.changes.receive_marked(rows, &mut inbox.desk, &mut inbox.context),
        Loaded::RowOutcomes(outcomes) => receive_outcomes(inbox, outcomes),
        Loaded::PausedConversations(paused) => {
            inbox.features.pauses.receive_pauses(paused, &mut inbox.context)
        }
        Loaded::Tags(known) => tags::receive_known_tags(&mut inbox.context, known),
        Loaded::Search(query, page) => {
            inbox.features.search.receive_page(&query, *page, &mut inbox.desk, &mut inbox.context)
        }
        Loaded::ViewMatches(query, rows) => inbox.features.search.receive_view_rows(&query, rows),
        Loaded::NewerMessages(channel, conversation, _, depth) => {
            find::receive_depth(&mut inbox.desk, &channel, &conversation, depth, &mut inbox.context);
        }
        Loaded::ConversationNames(names) => {
            inbox.connections.set_contact_names(&names, &inbox.context);
            palette::add_conversations(&mut inbox.context, names);
        }
        Loaded::Lookup(Ok(key)) => {
            inbox.desk.open_conversation(&key.channel, &key.conversation, Focus::History, &mut inbox.context);
        }
        Loaded::Lookup(Err(why)) => inbox.context.show_warning(why.to_string()),
        Loaded::ViewCounts(counts) => inbox.desk.view_counts = Some(counts),
        Loaded::UploadedFiles(channel, shelf) => {
            attachments::set_uploaded_files(&mut inbox.desk, &channel, shelf, &mut inbox.context)
        }
        Loaded::Spending(spent) => inbox.features.credits.spent = spent,
        Loaded::ModelUsage(rows) => inbox.features.credits.model_usage = rows,
        Loaded::Unpaid(entries) => inbox.features.credits.store_unpaid(entries),
        Loaded::Triage(query, rows) => {
            triage::triage_loaded(&mut inbox.desk, &query, rows, &mut inbox.context)
        }
        Loaded::HistoryPrefetch(query, page) => prefetch::receive_prefetched(&mut inbox.desk, &query, *page),
        Loaded::Mailbox(channel, account, words) => {
            mail::receive_cached_account(&mut inbox.desk, &channel, account, words)
        }
        Loaded::Correspondents(channel, text, found) => {
            menus::receive_correspondents(&mut inbox.desk, &channel, &text, found, &mut inbox.context)
        }
        Loaded::NeedsYou(page) => {
            inbox.features.absence.announce(&page, &mut inbox.context);
            inbox.features.attention.loaded(*page, &mut inbox.context);
        }
        Loaded::Alarms(alarms, until) => {
            inbox.features.attention.alarms_loaded(*alarms, until, &mut inbox.desk, &mut inbox.context)
        }
        Loaded::ServiceLevels(query, report) => {
            inbox.features.service_levels.receive_report(&query, *report);
        }
        Loaded::ContactWays(query, page) => cheapest_way::receive_ways(inbox, &query, *page),
        // Handled before.
        Loaded::Barrier(number) => inbox.features.macros.complete_barrier(number),
        Loaded::DueDrafts(found) => draft_only::receive_due_drafts(inbox, found),
        Loaded::NeedsPerson(rows) => urgency::open_most_urgent(&mut inbox.desk, rows, &mut inbox.context),
        Loaded::OpenWork(counts) => {
            for (channel, counts) in counts {
                receive_counts(inbox, &channel, counts);
            }
            inbox.changes.ask_quit(&mut inbox.desk, &mut inbox.context);
        }
        Loaded::Rules(query, page) => rules::receive_rules(inbox, query, *page),
        Loaded::Templates(channel, templates) => {
            form::templates_loaded(&mut inbox.desk, &channel, templates, &mut inbox.context)
        }
        Loaded::People(query, page) => inbox.people.receive_people(&query, page),
        Loaded::Person(channel, phone, detail) => {
            saving::person_loaded(inbox, &channel, &phone, detail.map(|detail| *detail));
        }
        Loaded::SamePerson(key, found) => {
            reading::go_to_other_conversation(&mut inbox.desk, &key, &found, &mut inbox.context)
        }
        Loaded::Card(key, card) => card::card_loaded(&mut inbox.desk, &key, *card),
        Loaded::Broadcasts(told) => broadcasts::receive_result(inbox, *told),
    }
}

fn history_loaded(inbox: &mut Inbox, query: &HistoryQuery, page: HistoryPage) {
    inbox.desk.history_loaded(query, page.clone(), &mut inbox.context);
    prefetch::cache_history(&mut inbox.desk, query, page);
    suggestions::request_awaited_brief(inbox);
}

fn receive_outcomes(inbox: &mut Inbox, outcomes: Vec<(RowId, OutboxOutcome)>) {
    inbox.changes.store_journal_outcomes(&outcomes);
    inbox.changes.record_outcomes(outcomes);
}

/// Stores a tab's new counts. Unpaid rows count as stopped.
fn receive_counts(inbox: &mut Inbox, channel: &ChannelId, counts: TabCounts) {
    if let Some(tab) = inbox.desk.tab_of(channel) {
        let before = std::mem::replace(&mut tab.counts, counts);
        inbox.features.prepared_drafts.stale |= before.draft_only != tab.counts.draft_only;
        if before.stopped != tab.counts.stopped {
            inbox.context.push(Effect::Load(Load::Unpaid));
        }
    }
    decision_actions::quit_when_handed_back(inbox);
}

pub(crate) fn handle_news(inbox: &mut Inbox, news: News) {
    match news {
        News::Health(channel, health) => {
            update_tab(inbox, &channel, |tab| {
                tab.health = health;
                tab.is_refreshing = false;
            });
        }
        News::Account(channel, account) => {
            inbox.features.credits.receive_account(&channel, *account, &mut inbox.desk, &mut inbox.context)
        }
        News::Credits(channel, credits) => {
            inbox.features.credits.store_balance(&channel, credits, &mut inbox.desk, &mut inbox.context)
        }
        News::Conversations(channel) => {
            inbox.conversations_changed(&channel);
            rules::reload_rules(inbox, &channel);
        }
        News::History(channel, conversation) => inbox.history_changed(channel, &conversation),
        News::Inbound(channel, conversation) => {
            inbox.features.bell.ring(&channel, &conversation, &inbox.desk, &mut inbox.context)
        }
        News::Mention(channel, conversation, author) => {
            team::report_mention(inbox, &channel, &conversation, &author)
        }
        News::Present(present) => inbox.desk.present = present,
        News::SharedReplies => team::refresh_replies(inbox),
        News::People(people) => inbox.features.team.receive_people(people),
        News::TeamStatistics { since, read } => service_levels::receive_statistics(inbox, since, read),
        News::NotForThisKey(channel, why) => {
            update_tab(inbox, &channel, |tab| tab.empty_reason = Some(EmptyPaneReason::NotForThisKey(why)))
        }
        News::NotOnThisServer(channel, why) => {
            update_tab(inbox, &channel, |tab| tab.empty_reason = Some(EmptyPaneReason::NotOnThisServer(why)))
        }
        News::Stopped(channel, row, stop, words, why) if stop.is_ambiguous() => {
            crate::notice::update::warn_of_unknown_outcome(inbox, &channel, row, &words, &why)
        }
        News::Notice(channel, _, text) | News::Stopped(channel, _, _, _, text) => {
            let name = notice::name_elsewhere(&inbox.desk, &channel);
            inbox.context.show_warning(format!("{name}{text}"));
        }
        News::RowRemoved(_, row) => {
            drop(inbox.context.notice.take_if(|notice| notice.row.as_ref() == Some(&row)))
        }
        News::Campaigns(channel) => {
            broadcasts::mark_board_stale(inbox);
            inbox.context.push(Effect::Load(Load::Counts(channel)));
        }
        News::Alarm(channel, text) => {
            notifications::report_alarm(&mut inbox.desk, &channel, &text, &mut inbox.context)
        }
        News::FoundContacts(channel, words, found) => {
            inbox.features.search.receive_contacts(&channel, &words, found)
        }
        News::RowCompleted(_, row, words) => {
            if inbox.people.pending_changes.contains(&row) {
                inbox.context.show_notice(words.to_string());
            }
        }
        News::Webhooks(channel) => inbox.cards.mark_webhooks_stale(&channel),
        News::WebhookStatus(channel, reception) => {
            update_tab(inbox, &channel, |tab| tab.webhook_status = Some(*reception))
        }
        News::Fetched(channel, fetch, fetched) => fetching::receive_fetched(inbox, &channel, &fetch, fetched),
        News::Mailbox(channel, account) => mail::receive_account(&mut inbox.desk, &channel, *account),
        News::Correspondents(channel, text) => {
            inbox.context.push(Effect::Load(Load::Correspondents(channel, text)));
        }
        News::Mailed(channel, before, thread) => mail::show_sent_thread(inbox, &channel, &before, &thread),
        News::Unreadable(channel, list, rows) => {
            update_tab(inbox, &channel, |tab| drop(tab.unreadable.insert(list, rows)));
        }
        News::Templates(channel) => inbox.context.push(Effect::Load(Load::Templates(channel))),
        News::Uploading(_, row, percent) => {
            inbox.changes.record_upload_progress(row, percent, &mut inbox.desk)
        }
        News::Leader(channel, leader) => update_tab(inbox, &channel, |tab| tab.leader = leader),
        News::Successor(channel, successor) => update_tab(inbox, &channel, |tab| tab.successor = successor),
        News::Budget(channel, percent) => update_tab(inbox, &channel, |tab| tab.budget_percent = percent),
    }
}

fn update_tab(inbox: &mut Inbox, channel: &ChannelId, change: impl FnOnce(&mut Tab)) {
    if let Some(tab) = inbox.desk.tab_of(channel) {
        change(tab);
    }
}

/// Handles new outbox rows: held ones can be withdrawn.
pub(crate) fn receive_enqueued(inbox: &mut Inbox, rows: Vec<OutboxRow>) {
    let queued = inbox.changes.pending_groups.remove_oldest();
    inbox.people.record_queued_changes(&rows);
    let mut early = None;
    if let Some(queued) = queued {
        early = queued.decision;
        if !queued.is_unjournaled && undo::record_rows(inbox, queued.group, &rows) {
            early = Some(EarlyDecision::Recall);
        }
        inbox.changes.link_queued_rows(queued.group, &rows);
    }
    if rows.is_empty() {
        inbox.context.show_notice("already decided; nothing was sent");
    }
    // Rows created together are undone together, newest first.
    let mut recalls = Vec::new();
    for row in rows {
        inbox.row_changed(&row);
        let uploads = matches!(row.operation, Operation::SendFile(_));
        if row.remaining_hold(inbox.context.now).is_none() && !uploads {
            continue;
        }
        match early {
            Some(EarlyDecision::Recall) => recalls.insert(0, FileWrite::Recall(row.id).into()),
            Some(EarlyDecision::SendNow) => inbox.context.push(FileWrite::SendNow(row.id)),
            None => inbox.changes.held.push(HeldRow {
                row: row.id,
                channel: row.channel,
                lane: row.lane,
                // An upload can be withdrawn while it is in progress.
                held_until: inbox.context.moment_of(row.not_before).plus(if uploads {
                    MAX_UPLOAD_TIME
                } else {
                    0
                }),
            }),
        }
    }
    inbox.context.effects.extend(recalls);
}

pub(crate) fn receive_recalled(inbox: &mut Inbox, row: &RowId, taken: Option<Box<OutboxRow>>) {
    inbox.changes.record_upload_progress(row.clone(), None, &mut inbox.desk);
    let Some(taken) = taken else {
        return inbox.context.show_warning("too late: already sent");
    };
    inbox.changes.mark_recalled(row);
    let returned = ReturnedText::of(&taken.operation);
    match (returned, taken.lane.conversation()) {
        (Some(returned), Some(conversation)) => {
            sending::reset_pause_answer(&mut inbox.desk, &taken.channel, conversation);
            let is_there = inbox.changes.return_text(
                &taken.channel,
                conversation,
                returned,
                DraftStorage::Stored,
                &mut inbox.desk,
                &mut inbox.context,
            );
            inbox.context.show_notice(match is_there {
                true => "undone: back in the composer".to_owned(),
                false => inbox.context.fill_in_keys("undone: kept as a draft · {go-to-drafts} drafts"),
            });
        }
        _ if inbox.changes.undone_act(row).is_some() => {
            let act = inbox.changes.undone_act(row).unwrap_or_default();
            inbox.context.show_notice(format!("undone: {act}"));
        }
        _ if taken.operation == Operation::Close => inbox.context.show_notice("kept open"),
        _ => inbox.context.show_notice("undone"),
    }
    inbox.row_changed(&taken);
}

impl Desk {
    /// Stores a page of a list; the list stays at its first row while the cursor is there.
    fn conversations_loaded(&mut self, query: &ConversationQuery, page: ConversationPage, context: &Context) {
        let (now, visible) = (context.moment, self.list_rows(&self.areas(context)));
        let follows = self.list_follows && context.overlays.is_empty();
        let rests = |tab: &Tab| follows && tab.focus == Focus::List;
        let follow = match &query.channel {
            Some(channel) => self.tabs.iter().any(|tab| tab.channel.id == *channel && rests(tab)),
            None => rests(self.tab()),
        };
        let tab = query
            .channel
            .as_ref()
            .map_or(Some(self.tab()), |channel| self.tabs.iter().find(|tab| tab.channel.id == *channel));
        let open = tab.filter(|tab| tab.focus != Focus::List);
        let open = open.and_then(|tab| Some(tab.key_of(&tab.history.as_ref()?.conversation)));
        let list = match &query.channel {
            Some(channel) => self.tab_of(channel).map(|tab| &mut tab.list),
            None => Some(&mut self.all_tabs_list),
        };
        if let Some(list) = list {
            let is_open = open.is_some() && list.selected == open;
            list.receive(query, page, (visible, follow, is_open), now);
        }
    }

    /// Stores a history; a reopened service window is reported to a person with a waiting text.
    pub(crate) fn history_loaded(&mut self, query: &HistoryQuery, page: HistoryPage, context: &mut Context) {
        let Some(tab) = self.tab_of(&query.channel) else { return };
        let Some(history) = &mut tab.history else { return };
        let window = |history: &History| history.row.as_ref().map(|row| row.conversation.window);
        let before = window(history);
        history.receive(query, page);
        if history.row.as_ref().is_some_and(|row| !Tab::ai_may_answer(row)) {
            tab.send_without_pause.retain(|send_beside_ai| *send_beside_ai != query.conversation);
        }
        let opens = before == Some(ServiceWindow::Closed) && window(history) == Some(ServiceWindow::Open);
        let has_draft = tab.composer.as_ref().is_some_and(Composer::has_reply);
        if opens && has_draft && self.tab().channel.id == query.channel {
            context
                .show_notice(context.fill_in_keys("reply window open again · {write} continue your draft"));
        }
        raw::refresh_raw_view(self, context);
    }
}

impl Credits {
    fn receive_account(
        &mut self,
        channel: &ChannelId,
        account: model::account::Account,
        desk: &mut Desk,
        context: &mut Context,
    ) {
        let Some(tab) = desk.tab_of(channel) else { return };
        let disagrees = tab.channel.environment.is_some_and(|environment| environment != account.environment);
        if disagrees {
            let label = account.environment.label();
            let name = tab.channel.name.clone();
            tab.channel.read_only = true;
            context.show_warning(format!(
                "{name}: the server reports a {label} key, but its prefix differs; the channel is read-only"
            ));
        }
        let credits = account.credits;
        if let Some(tab) = desk.tab_of(channel) {
            let before = tab.account.replace(account).map(|account| account.credits);
            // Tabs of the same workspace share the balance.
            self.store_balance(channel, credits, desk, context);
            self.receive_balance(before, credits, context);
        }
    }
}
