//! What comes back: loads, news from the hands, and the fate of writes.

use crate::event::{Effect, Load, Loaded};
use crate::features::undo_send::Early;
use crate::screens::composer::Composer;
use crate::screens::composer::draft_conflict;
use crate::screens::composer::returned_texts::{DraftPlace, Returned};
use crate::screens::history::History;
use crate::tab::PaneNote;
use crate::tab::{Focus, Tab};
use crate::{Held, Inbox};
use model::conversations::ServiceWindow;
use model::ids::{ChannelId, ConversationId, RowId};
use model::news::News;
use model::outbox::{Operation, OutboxRow};
use model::queries::{ConversationPage, ConversationQuery, HistoryPage, HistoryQuery, TabCounts};
use model::time::HOUR;

/// No upload takes longer.
const UPLOAD: i64 = HOUR;

impl Inbox {
    /// A load came back; what is no longer wanted is dropped.
    pub(crate) fn loaded(&mut self, loaded: Loaded) {
        match loaded {
            Loaded::Conversations(query, page) => self.conversations_loaded(&query, page),
            Loaded::History(query, page) => self.history_loaded(&query, *page),
            Loaded::Counts(channel, counts) => self.counted(&channel, counts),
            Loaded::Draft(channel, conversation, draft, aside) => {
                self.draft_loaded(channel, conversation, draft, aside);
            }
            Loaded::Account(channel, account) => {
                if let (Some(tab), Some(account)) = (self.tab_of(&channel), account) {
                    tab.account.get_or_insert(*account);
                }
            }
            Loaded::Outbox(query, page) => self.outbox.receive(&query, page.entries, page.more),
            Loaded::Drafts(query, drafts, more) => self.drafts.receive(&query, drafts, more),
            Loaded::Entry(entry) => self.ask_to_decide(entry),
            Loaded::Pauses(channel, pauses) => self.end_pauses(&channel, pauses),
            Loaded::Spread(query, how, ids, more) => self.spread(&query, how, ids, more),
            Loaded::Marked(rows) => self.marked(rows),
            Loaded::Fates(fates) => {
                self.rehearsal_fates(&fates);
                self.fates_of_done(&fates);
                self.fates(fates);
            }
            Loaded::Paused(paused) => self.paused(paused),
            Loaded::Tags(known) => self.tags_known(known),
            Loaded::Search(query, page) => self.searched(&query, *page),
            Loaded::Depth(channel, conversation, _, depth) => {
                self.depth_known(&channel, &conversation, depth);
            }
            Loaded::Names(names) => {
                self.names_of_calls(&names);
                self.names_known(names);
            }
            Loaded::Lookup(Ok(key)) => {
                self.visit(&key.channel, &key.conversation, Focus::History);
            }
            Loaded::Lookup(Err(why)) => self.warn(why.to_string()),
            Loaded::ViewCounts(counts) => self.counted = Some(counts),
            Loaded::Shelf(channel, shelf) => self.shelf_known(&channel, shelf),
            Loaded::Spent(spent) => self.purse.spent = spent,
            Loaded::Unpaid(entries) => self.unpaid(entries),
            Loaded::Triage(query, rows) => self.triage_loaded(&query, rows),
            Loaded::Ahead(query, page) => self.ahead_loaded(&query, *page),
            Loaded::Mailbox(channel, account, words) => self.mailbox_known(&channel, account, words),
            Loaded::Correspondents(channel, text, found) => self.correspondents_known(&channel, &text, found),
            Loaded::Macros(macros) => self.macros_known(macros),
            Loaded::Echo(number) => self.echoed(number),
            Loaded::Needing(scope, rows) => self.most_urgent(scope, rows),
            Loaded::Templates(channel, templates) => self.templates_loaded(&channel, templates),
            Loaded::People(query, page) => self.people_loaded(&query, page),
            Loaded::Person(channel, phone, detail) => {
                self.person_loaded(&channel, &phone, detail.map(|it| *it));
            }
            Loaded::Elsewhere(key, found) => self.go_elsewhere(&key, &found),
            Loaded::Card(key, card) => self.card_loaded(&key, *card),
            Loaded::Broadcasts(told) => self.broadcasts_told(*told),
        }
    }

    /// Takes a tab's new counts. Unpaid rows are counted among the stopped
    /// ones.
    fn counted(&mut self, channel: &ChannelId, counts: TabCounts) {
        if let Some(tab) = self.tab_of(channel) {
            let before = std::mem::replace(&mut tab.counts, counts);
            if before.stopped != tab.counts.stopped {
                self.context.push(Effect::Load(Load::Unpaid));
            }
        }
        self.leave_when_handed_back();
    }

    /// A window of a list has come. One that is on screen goes on showing its
    /// first row while the cursor rests there.
    fn conversations_loaded(&mut self, query: &ConversationQuery, page: ConversationPage) {
        let (now, visible) = (self.context.now, self.list_rows(&self.areas()));
        let follows = self.list_follows && self.layers.is_empty();
        let rests = |tab: &Tab| follows && tab.focus == Focus::List;
        let follow = match &query.channel {
            Some(channel) => self.tabs.iter().any(|it| it.channel.id == *channel && rests(it)),
            None => rests(self.tab()),
        };
        let list = match &query.channel {
            Some(channel) => self.tab_of(channel).map(|it| &mut it.list),
            None => Some(&mut self.all),
        };
        if let Some(list) = list {
            list.receive(query, page, (visible, follow), now);
        }
    }

    /// A history has come; a window that opens again is told to whoever has
    /// something to send through it.
    fn history_loaded(&mut self, query: &HistoryQuery, page: HistoryPage) {
        self.second_loaded(query, &page);
        let Some(tab) = self.tab_of(&query.channel) else { return };
        let Some(history) = &mut tab.history else { return };
        let window = |it: &History| it.row.as_ref().map(|row| row.conversation.window);
        let before = window(history);
        history.receive(query, page);
        if history.row.as_ref().is_some_and(|it| !Tab::ai_may_answer(it)) {
            tab.send_beside_ai.retain(|it| *it != query.conversation);
        }
        let opens = before == Some(ServiceWindow::Closed) && window(history) == Some(ServiceWindow::Open);
        let has_draft = tab.composer.as_ref().is_some_and(Composer::has_reply);
        if opens && has_draft && self.tab().channel.id == query.channel {
            self.say(self.keyed("the window is open again: your draft is here, {write} goes on with it"));
        }
        self.follow_raw();
    }

    /// The hands told something.
    pub(crate) fn news(&mut self, news: News) {
        match news {
            News::Health(channel, health) => {
                if let Some(tab) = self.tab_of(&channel) {
                    tab.health = health;
                    tab.asked = false;
                }
            }
            News::Account(channel, account) => self.account(&channel, *account),
            News::Credits(channel, credits) => self.credits(&channel, credits),
            News::Conversations(channel) => self.conversations_changed(&channel),
            News::History(channel, conversation) => self.history_changed(channel, &conversation),
            News::Inbound(channel, conversation) => self.ring(&channel, &conversation),
            News::NotForThisKey(channel, why) => {
                if let Some(tab) = self.tab_of(&channel) {
                    tab.note = Some(PaneNote::NotForThisKey(why));
                }
            }
            News::NotOnThisServer(channel, why) => {
                if let Some(tab) = self.tab_of(&channel) {
                    tab.note = Some(PaneNote::NotOnThisServer(why));
                }
            }
            News::Notice(channel, _, text) => {
                let here = self.tab().channel.id == channel;
                let name = self.tab_of(&channel).map(|it| it.channel.name.clone()).unwrap_or_default();
                self.warn(if here { text.to_string() } else { format!("{name}: {text}") });
            }
            News::Campaigns(channel) => {
                self.board_changed();
                self.context.push(Effect::Load(Load::Counts(channel)));
            }
            News::Alarm(channel, text) => self.alarmed(&channel, &text),
            News::FoundContacts(channel, words, found) => self.contacts_found(&channel, &words, found),
            News::Told(_, row, words) => {
                if self.people.saving.contains(&row) {
                    self.say(words.to_string());
                }
            }
            News::Webhooks(channel) => self.webhooks_changed(&channel),
            News::Reception(channel, reception) => {
                if let Some(tab) = self.tab_of(&channel) {
                    tab.reception = Some(*reception);
                }
            }
            News::Fetched(channel, fetch, fetched) => self.fetched(&channel, &fetch, fetched),
            News::Mailbox(channel, account) => self.mailbox_told(&channel, *account),
            News::Correspondents(channel, text) => {
                self.context.push(Effect::Load(Load::Correspondents(channel, text)));
            }
            News::Mailed(channel, before, thread) => self.mailed(&channel, &before, &thread),
            News::Unreadable(channel, list, rows) => {
                if let Some(tab) = self.tab_of(&channel) {
                    tab.unreadable.insert(list, rows);
                }
            }
            News::Templates(channel) => self.context.push(Effect::Load(Load::Templates(channel))),
            News::Uploading(_, row, percent) => self.uploading(row, percent),
            News::Leader(channel, leader) => {
                if let Some(tab) = self.tab_of(&channel) {
                    tab.leader = leader;
                }
            }
            News::Budget(channel, percent) => {
                if let Some(tab) = self.tab_of(&channel) {
                    tab.budget = percent;
                }
            }
        }
    }

    fn conversations_changed(&mut self, channel: &ChannelId) {
        self.second_changed(channel, None);
        self.rows_changed();
        self.contact.mark_stale();
        self.all.mark_stale();
        if let Some(tab) = self.tabs.iter_mut().find(|it| it.channel.id == *channel) {
            tab.list.mark_stale();
            self.context.effects.extend(draft_conflict::compare(tab));
            // Its title tells what the row tells.
            if let Some(history) = &mut tab.history {
                history.mark_stale();
            }
            self.context.push(Effect::Load(Load::Counts(channel.clone())));
        }
        self.load_mailbox(channel);
    }

    fn account(&mut self, channel: &ChannelId, account: model::account::Account) {
        let Some(tab) = self.tab_of(channel) else { return };
        let disagrees = tab.channel.environment.is_some_and(|it| it != account.environment);
        if disagrees {
            let label = account.environment.label();
            let name = tab.channel.name.clone();
            tab.channel.read_only = true;
            self.warn(format!(
                "{name}: the server calls this key {label}, its prefix says otherwise; read-only"
            ));
        }
        let credits = account.credits;
        if let Some(tab) = self.tab_of(channel) {
            let before = tab.account.replace(account).map(|it| it.credits);
            self.balance_told(before, credits);
        }
    }

    /// A row of the outbox has changed.
    pub(crate) fn row_changed(&mut self, row: &OutboxRow) {
        match row.lane.conversation() {
            Some(conversation) => self.history_changed(row.channel.clone(), conversation),
            None => self.news(News::Conversations(row.channel.clone())),
        }
    }

    pub(crate) fn history_changed(&mut self, channel: ChannelId, conversation: &ConversationId) {
        self.rows_changed();
        self.all.mark_stale();
        self.ahead_changed(&channel, conversation);
        self.second_changed(&channel, Some(conversation));
        let Some(tab) = self.tab_of(&channel) else { return };
        if let Some(history) = &mut tab.history
            && history.conversation == *conversation
        {
            history.mark_stale();
        }
        tab.list.mark_stale();
        self.context.push(Effect::Load(Load::Counts(channel)));
    }

    /// Rows were put into the outbox: what is held can be taken back.
    pub(crate) fn enqueued(&mut self, rows: Vec<OutboxRow>) {
        let queued = self.queueing.settle();
        self.follow_saving(&rows);
        self.follow_rehearsal(&rows);
        if let Some(queued) = queued.filter(|it| !it.quiet) {
            self.note_rows(queued.group, &rows);
            self.batch_queued(queued.group, &rows);
        }
        let early = queued.and_then(|it| it.early);
        // What came together goes together: the newest is taken back first.
        let mut recalls = Vec::new();
        for row in rows {
            self.row_changed(&row);
            let uploads = matches!(row.operation, Operation::SendFile(_));
            if row.hold_left(self.context.now).is_none() && !uploads {
                continue;
            }
            match early {
                Some(Early::Recall) => recalls.insert(0, Effect::Recall(row.id)),
                Some(Early::SendNow) => self.context.push(Effect::SendNow(row.id)),
                None => self.undo.push(Held {
                    row: row.id,
                    channel: row.channel,
                    lane: row.lane,
                    // A file can be taken back as long as it is on its way.
                    until: if uploads { row.not_before.plus(UPLOAD) } else { row.not_before },
                }),
            }
        }
        self.context.effects.extend(recalls);
    }

    /// A row was taken back, or had already left.
    pub(crate) fn recalled(&mut self, row: &RowId, taken: Option<Box<OutboxRow>>) {
        self.uploading(row.clone(), None);
        let Some(taken) = taken else {
            return self.warn("too late: it has already left");
        };
        self.note_recalled(row);
        let returned = Returned::of(&taken.operation);
        match (returned, taken.lane.conversation()) {
            (Some(returned), Some(conversation)) => {
                self.forget_beside_ai(&taken.channel, conversation);
                let at_hand = self.give_back(&taken.channel, conversation, returned, DraftPlace::AsDraft);
                self.say(match at_hand {
                    true => "taken back into the composer; nothing was sent".to_owned(),
                    false => self.keyed("taken back as a draft; nothing was sent · {go-to-drafts}"),
                });
            }
            _ if taken.operation == Operation::Close => self.say("kept open"),
            _ => self.say("taken back"),
        }
        self.row_changed(&taken);
    }
}
