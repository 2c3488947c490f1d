//! What comes back: loads, news from the hands, and the fate of writes.

use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Load, Loaded};
use crate::features::cheapest_way;
use crate::features::credits::Credits;
use crate::features::undo::update as undo;
use crate::features::undo_send::Early;
use crate::fetching;
use crate::loads::update as loads;
use crate::overlays::palette;
use crate::screens::broadcasts::update as broadcasts;
use crate::screens::composer::Composer;
use crate::screens::composer::returned_texts::{DraftPlace, Returned};
use crate::screens::conversations::draft_only::update as draft_only;
use crate::screens::conversations::tags;
use crate::screens::history::History;
use crate::screens::mail::rules::update as rules;
use crate::screens::mail::update as mail;
use crate::screens::outbox::deciding;
use crate::screens::people::saving;
use crate::tab::PaneNote;
use crate::tab::{Focus, Tab};
use crate::{Held, Inbox};
use model::conversations::ServiceWindow;
use model::ids::{ChannelId, RowId};
use model::news::News;
use model::outbox::{Operation, OutboxRow};
use model::queries::{
    ConversationPage, ConversationQuery, HistoryPage, HistoryQuery, OutboxOutcome, TabCounts,
};
use model::time::HOUR;

/// No upload takes longer.
const UPLOAD: i64 = HOUR;

/// A load has ended; of a time that is not shown, or where it would go
/// elsewhere and nobody waits for that any more, it is dropped.
pub(crate) fn read(inbox: &mut Inbox, load: Load, read: Result<Loaded, String>) {
    if !inbox.keyboard.ahead.read_ended(&load) {
        return;
    }
    match read {
        Ok(found) => {
            inbox.loads.answered(&load);
            loaded(inbox, found);
        }
        Err(why) => {
            loads::load_failed(inbox, load, &why);
        }
    }
}

/// A load came back; what is no longer wanted is dropped.
pub(crate) fn loaded(inbox: &mut Inbox, loaded: Loaded) {
    match loaded {
        Loaded::Conversations(query, page) => inbox.desk.conversations_loaded(&query, page, &inbox.context),
        Loaded::History(query, page) => history_loaded(inbox, &query, *page),
        Loaded::Counts(channel, counts) => counted(inbox, &channel, counts),
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
        Loaded::Question(question) => deciding::ask_to_decide(inbox, question),
        Loaded::Pauses(channel, pauses) => {
            inbox.keyboard.end_pauses(&channel, pauses, &mut inbox.desk, &mut inbox.context)
        }
        Loaded::Spread(query, how, ids, more) => {
            inbox.desk.spread(&query, how, ids, more, &mut inbox.context)
        }
        Loaded::Marked(rows) => inbox.changes.marked(rows, &mut inbox.desk, &mut inbox.context),
        Loaded::Fates(fates) => fates_known(inbox, fates),
        Loaded::Paused(paused) => inbox.features.pauses.paused(paused, &mut inbox.context),
        Loaded::Tags(known) => tags::tags_known(&mut inbox.context, known),
        Loaded::Search(query, page) => {
            inbox.features.search.searched(&query, *page, &mut inbox.desk, &mut inbox.context)
        }
        Loaded::Depth(channel, conversation, _, depth) => {
            inbox.desk.depth_known(&channel, &conversation, depth, &mut inbox.context);
        }
        Loaded::Names(names) => {
            inbox.connections.names_of_calls(&names, &inbox.context);
            palette::names_known(&mut inbox.context, names);
        }
        Loaded::Lookup(Ok(key)) => {
            inbox.desk.visit(&key.channel, &key.conversation, Focus::History, &mut inbox.context);
        }
        Loaded::Lookup(Err(why)) => inbox.context.warn(why.to_string()),
        Loaded::ViewCounts(counts) => inbox.desk.counted = Some(counts),
        Loaded::Shelf(channel, shelf) => inbox.desk.shelf_known(&channel, shelf, &mut inbox.context),
        Loaded::Spent(spent) => inbox.features.credits.spent = spent,
        Loaded::ModelUsage(rows) => inbox.features.credits.model = rows,
        Loaded::Unpaid(entries) => inbox.features.credits.unpaid(entries),
        Loaded::Triage(query, rows) => inbox.desk.triage_loaded(&query, rows, &mut inbox.context),
        Loaded::Ahead(query, page) => inbox.desk.ahead_loaded(&query, *page),
        Loaded::Mailbox(channel, account, words) => inbox.desk.mailbox_known(&channel, account, words),
        Loaded::Correspondents(channel, text, found) => {
            inbox.desk.correspondents_known(&channel, &text, found, &mut inbox.context)
        }
        Loaded::Digest(digest) => inbox.features.absence.digest_loaded(*digest, &mut inbox.context),
        Loaded::Attention(answer) => {
            inbox.features.attention.answered(*answer, &mut inbox.desk, &mut inbox.context)
        }
        Loaded::ServiceLevels(query, report) => {
            inbox.features.service_levels.measured(&query, *report);
        }
        Loaded::Macros(macros) => inbox.features.macros.macros_known(macros, &inbox.context),
        Loaded::ContactWays(query, page) => cheapest_way::received(inbox, &query, *page),
        // Taken out of its time before.
        Loaded::Echo(number) => inbox.features.macros.echoed(number),
        Loaded::DueDrafts(found) => draft_only::due(inbox, found),
        Loaded::Needing(scope, rows) => inbox.desk.most_urgent(scope, rows, &mut inbox.context),
        Loaded::Rules(query, page) => rules::loaded(inbox, query, *page),
        Loaded::Templates(channel, templates) => {
            inbox.desk.templates_loaded(&channel, templates, &mut inbox.context)
        }
        Loaded::People(query, page) => inbox.people.people_loaded(&query, page),
        Loaded::Person(channel, phone, detail) => {
            saving::person_loaded(inbox, &channel, &phone, detail.map(|detail| *detail));
        }
        Loaded::Elsewhere(key, found) => inbox.desk.go_elsewhere(&key, &found, &mut inbox.context),
        Loaded::Card(key, card) => inbox.desk.card_loaded(&key, *card),
        Loaded::Broadcasts(told) => broadcasts::broadcasts_told(inbox, *told),
    }
}

fn history_loaded(inbox: &mut Inbox, query: &HistoryQuery, page: HistoryPage) {
    inbox.desk.history_loaded(query, page.clone(), &mut inbox.context);
    inbox.desk.keep_history(query, page);
}

fn fates_known(inbox: &mut Inbox, fates: Vec<(RowId, OutboxOutcome)>) {
    inbox.broadcasts.rehearsal_fates(&fates);
    inbox.changes.fates_of_done(&fates);
    inbox.changes.fates(fates);
}

/// Takes a tab's new counts. Unpaid rows are counted among the stopped
/// ones.
fn counted(inbox: &mut Inbox, channel: &ChannelId, counts: TabCounts) {
    if let Some(tab) = inbox.desk.tab_of(channel) {
        let before = std::mem::replace(&mut tab.counts, counts);
        inbox.features.prepared_drafts.stale |= before.draft_only != tab.counts.draft_only;
        if before.stopped != tab.counts.stopped {
            inbox.context.push(Effect::Load(Load::Unpaid));
        }
    }
    deciding::leave_when_handed_back(inbox);
}

/// The hands told something.
pub(crate) fn news(inbox: &mut Inbox, news: News) {
    match news {
        News::Health(channel, health) => {
            on_tab(inbox, &channel, |tab| {
                tab.health = health;
                tab.asked = false;
            });
        }
        News::Account(channel, account) => {
            inbox.features.credits.account(&channel, *account, &mut inbox.desk, &mut inbox.context)
        }
        News::Credits(channel, credits) => {
            inbox.features.credits.credits(&channel, credits, &mut inbox.desk, &mut inbox.context)
        }
        News::Conversations(channel) => {
            inbox.conversations_changed(&channel);
            rules::changed(inbox, &channel);
        }
        News::History(channel, conversation) => inbox.history_changed(channel, &conversation),
        News::Inbound(channel, conversation) => {
            inbox.features.bursts.ring(&channel, &conversation, &inbox.desk, &mut inbox.context)
        }
        News::NotForThisKey(channel, why) => {
            on_tab(inbox, &channel, |tab| tab.note = Some(PaneNote::NotForThisKey(why)))
        }
        News::NotOnThisServer(channel, why) => {
            on_tab(inbox, &channel, |tab| tab.note = Some(PaneNote::NotOnThisServer(why)))
        }
        News::Stopped(_, row, stop, words, why) if stop.is_ambiguous() => {
            crate::notice::update::row_is_unknown(&mut inbox.context, row, &words, &why)
        }
        News::Notice(channel, _, text) | News::Stopped(channel, _, _, _, text) => {
            let here = inbox.desk.tab().channel.id == channel;
            let name = inbox.desk.tab_of(&channel).map(|tab| tab.channel.name.clone()).unwrap_or_default();
            inbox.context.warn(if here { text.to_string() } else { format!("{name}: {text}") });
        }
        News::RowRemoved(_, row) => {
            drop(inbox.context.notice.take_if(|notice| notice.about.as_ref() == Some(&row)))
        }
        News::Campaigns(channel) => {
            broadcasts::board_changed(inbox);
            inbox.context.push(Effect::Load(Load::Counts(channel)));
        }
        News::Alarm(channel, text) => inbox.desk.alarmed(&channel, &text, &mut inbox.context),
        News::FoundContacts(channel, words, found) => {
            inbox.features.search.contacts_found(&channel, &words, found)
        }
        News::RowCompleted(_, row, words) => {
            if inbox.people.saving.contains(&row) {
                inbox.context.say(words.to_string());
            }
        }
        News::Webhooks(channel) => inbox.cards.webhooks_changed(&channel),
        News::WebhookStatus(channel, reception) => {
            on_tab(inbox, &channel, |tab| tab.reception = Some(*reception))
        }
        News::Fetched(channel, fetch, fetched) => fetching::fetched(inbox, &channel, &fetch, fetched),
        News::Mailbox(channel, account) => inbox.desk.mailbox_told(&channel, *account),
        News::Correspondents(channel, text) => {
            inbox.context.push(Effect::Load(Load::Correspondents(channel, text)));
        }
        News::Mailed(channel, before, thread) => mail::mailed(inbox, &channel, &before, &thread),
        News::Unreadable(channel, list, rows) => {
            on_tab(inbox, &channel, |tab| drop(tab.unreadable.insert(list, rows)));
        }
        News::Templates(channel) => inbox.context.push(Effect::Load(Load::Templates(channel))),
        News::Uploading(_, row, percent) => inbox.changes.uploading(row, percent, &mut inbox.desk),
        News::Leader(channel, leader) => on_tab(inbox, &channel, |tab| tab.leader = leader),
        News::Successor(channel, successor) => on_tab(inbox, &channel, |tab| tab.successor = successor),
        News::Budget(channel, percent) => on_tab(inbox, &channel, |tab| tab.budget = percent),
    }
}

fn on_tab(inbox: &mut Inbox, channel: &ChannelId, change: impl FnOnce(&mut Tab)) {
    if let Some(tab) = inbox.desk.tab_of(channel) {
        change(tab);
    }
}

/// Rows were put into the outbox: what is held can be taken back.
pub(crate) fn enqueued(inbox: &mut Inbox, rows: Vec<OutboxRow>) {
    let queued = inbox.changes.queueing.settle();
    inbox.people.follow_saving(&rows);
    inbox.broadcasts.follow_rehearsal(&rows);
    if let Some(queued) = queued {
        if !queued.quiet {
            undo::note_rows(inbox, queued.group, &rows);
        }
        inbox.changes.batch_queued(queued.group, &rows);
    }
    if rows.is_empty() {
        inbox.context.say("it was decided over already; nothing was sent");
    }
    let early = queued.and_then(|queued| queued.early);
    // What came together goes together: the newest is taken back first.
    let mut recalls = Vec::new();
    for row in rows {
        inbox.row_changed(&row);
        let uploads = matches!(row.operation, Operation::SendFile(_));
        if row.remaining_hold(inbox.context.now).is_none() && !uploads {
            continue;
        }
        match early {
            Some(Early::Recall) => recalls.insert(0, FileWrite::Recall(row.id).into()),
            Some(Early::SendNow) => inbox.context.push(FileWrite::SendNow(row.id)),
            None => inbox.changes.held.push(Held {
                row: row.id,
                channel: row.channel,
                lane: row.lane,
                // A file can be taken back as long as it is on its way.
                until: inbox.context.moment_of(row.not_before).plus(if uploads { UPLOAD } else { 0 }),
            }),
        }
    }
    inbox.context.effects.extend(recalls);
}

/// A row was taken back, or had already left.
pub(crate) fn recalled(inbox: &mut Inbox, row: &RowId, taken: Option<Box<OutboxRow>>) {
    inbox.changes.uploading(row.clone(), None, &mut inbox.desk);
    let Some(taken) = taken else {
        return inbox.context.warn("too late: it has already left");
    };
    inbox.changes.note_recalled(row);
    let returned = Returned::of(&taken.operation);
    match (returned, taken.lane.conversation()) {
        (Some(returned), Some(conversation)) => {
            inbox.desk.forget_beside_ai(&taken.channel, conversation);
            let is_there = inbox.changes.give_back(
                &taken.channel,
                conversation,
                returned,
                DraftPlace::AsDraft,
                &mut inbox.desk,
                &mut inbox.context,
            );
            inbox.context.say(match is_there {
                true => "taken back into the composer; nothing was sent".to_owned(),
                false => inbox.context.keyed("taken back as a draft; nothing was sent · {go-to-drafts}"),
            });
        }
        _ if taken.operation == Operation::Close => inbox.context.say("kept open"),
        _ => inbox.context.say("taken back"),
    }
    inbox.row_changed(&taken);
}

impl Desk {
    /// A window of a list has come. One that is on screen goes on showing its
    /// first row while the cursor rests there.
    fn conversations_loaded(&mut self, query: &ConversationQuery, page: ConversationPage, context: &Context) {
        let (now, visible) = (context.moment, self.list_rows(&self.areas(context)));
        let follows = self.list_follows && context.layers.is_empty();
        let rests = |tab: &Tab| follows && tab.focus == Focus::List;
        let follow = match &query.channel {
            Some(channel) => self.tabs.iter().any(|tab| tab.channel.id == *channel && rests(tab)),
            None => rests(self.tab()),
        };
        let tab = query
            .channel
            .as_ref()
            .map_or(Some(self.tab()), |channel| self.tabs.iter().find(|tab| tab.channel.id == *channel));
        let read = tab.filter(|tab| tab.focus != Focus::List);
        let read = read.and_then(|tab| Some(tab.key_of(&tab.history.as_ref()?.conversation)));
        let list = match &query.channel {
            Some(channel) => self.tab_of(channel).map(|tab| &mut tab.list),
            None => Some(&mut self.all),
        };
        if let Some(list) = list {
            list.read_on(read.as_ref());
            list.receive(query, page, (visible, follow), now);
        }
    }

    /// A history has come; a window that opens again is told to whoever has
    /// something to send through it.
    pub(crate) fn history_loaded(&mut self, query: &HistoryQuery, page: HistoryPage, context: &mut Context) {
        self.second_loaded(query, &page);
        let Some(tab) = self.tab_of(&query.channel) else { return };
        let Some(history) = &mut tab.history else { return };
        let window = |history: &History| history.row.as_ref().map(|row| row.conversation.window);
        let before = window(history);
        history.receive(query, page);
        if history.row.as_ref().is_some_and(|row| !Tab::ai_may_answer(row)) {
            tab.send_beside_ai.retain(|send_beside_ai| *send_beside_ai != query.conversation);
        }
        let opens = before == Some(ServiceWindow::Closed) && window(history) == Some(ServiceWindow::Open);
        let has_draft = tab.composer.as_ref().is_some_and(Composer::has_reply);
        if opens && has_draft && self.tab().channel.id == query.channel {
            context
                .say(context.keyed("the window is open again: your draft is here, {write} goes on with it"));
        }
        self.follow_raw(context);
    }
}

impl Credits {
    fn account(
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
            context.warn(format!(
                "{name}: the server calls this key {label}, its prefix says otherwise; read-only"
            ));
        }
        let credits = account.credits;
        if let Some(tab) = desk.tab_of(channel) {
            let before = tab.account.replace(account).map(|account| account.credits);
            // The other tabs of the workspace draw on the same balance.
            self.credits(channel, credits, desk, context);
            self.balance_told(before, credits, context);
        }
    }
}
