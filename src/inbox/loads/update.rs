//! Records failed loads and retries them.

use crate::Inbox;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::Load;
use crate::loads::{Loads, Pane};
use crate::pages::PageKind;
use crate::resource::LoadState;
use crate::screens::broadcasts::BroadcastQuery;
use crate::screens::history::History;
use model::ids::ChannelId;
use model::queries::{ConversationQuery, HistoryQuery};
use model::text::SafeText;
use model::time::Moment;

/// Handles a failed load: its owner shows it and retries; one requested by a key is given up.
pub(crate) fn load_failed(inbox: &mut Inbox, load: Load, why: &str) {
    let (now, why) = (inbox.context.moment, SafeText::line(why));
    match load {
        Load::Conversations(query) => inbox.desk.list_failed(&query, &why, &inbox.context),
        Load::History(query) => inbox.desk.history_failed(&query, &why, &inbox.context),
        Load::Outbox(query) => inbox.outbox.rows.resource.fail(&query, &why, now),
        Load::Drafts(query) => inbox.outbox.drafts.resource.fail(&query, &why, now),
        Load::Proposals(query) => inbox.outbox.proposals.resource.fail(&query, &why, now),
        Load::Reviews(query, ..) => inbox.outbox.reviews.rows.resource.fail(&query, &why, now),
        Load::People(query) => inbox.people.rows.resource.fail(&query, &why, now),
        Load::Broadcasts(BroadcastQuery::Rows(query)) => {
            inbox.broadcasts.rows.resource.fail(&query, &why, now);
        }
        Load::ContactWays(_) => {
            report_given_up(&mut inbox.context, "the cheapest channel was not found", &why);
        }
        // Quitting is possible whatever cannot be read.
        Load::OpenWork(_) => inbox.changes.ask_quit(&mut inbox.desk, &mut inbox.context),
        Load::Counts(_)
        | Load::Draft(..)
        | Load::Account(_)
        | Load::Card(_)
        | Load::Tags(_)
        | Load::Spending
        | Load::ModelUsage(_)
        | Load::Unpaid
        | Load::NeedsYou(_)
        | Load::ServiceLevels(..)
        | Load::Alarms(..)
        | Load::PausedConversations(_)
        | Load::RowOutcomes(_)
        | Load::Mailbox(_)
        | Load::Correspondents(..)
        | Load::HistoryPrefetch(_)
        | Load::Templates(_)
        | Load::UploadedFiles(_)
        | Load::ConversationNames
        | Load::ViewCounts(..)
        | Load::Search(_)
        | Load::ViewMatches(_)
        | Load::NewerMessages(..)
        | Load::Broadcasts(
            BroadcastQuery::Detail(_) | BroadcastQuery::Audience(_) | BroadcastQuery::Running,
        ) => {
            inbox.loads.record_failure(load, &why, now);
        }
        // The next change asks again.
        Load::DueDrafts(..) => inbox.features.prepared_drafts.record_load_failure(),
        Load::Marked(_) => {
            inbox.changes.drop_pending_action();
            report_given_up(&mut inbox.context, "nothing was changed", &why);
        }
        Load::Pauses(_) => {
            inbox.keyboard.quits_after_hand_back = false;
            report_given_up(&mut inbox.context, "the AI was not handed back", &why);
        }
        Load::Person(..) => {
            inbox.people.opening = crate::screens::people::form::PendingPersonAction::default();
            report_given_up(&mut inbox.context, "the contact was not opened", &why);
        }
        Load::Question(..)
        | Load::SamePerson(_)
        | Load::Triage(_)
        | Load::Rules(_)
        | Load::MarkList(..)
        | Load::NeedsPerson
        | Load::Lookup(_)
        | Load::Barrier(_)
        | Load::Broadcasts(BroadcastQuery::Handover(..)) => {
            report_given_up(&mut inbox.context, "nothing was done", &why)
        }
    }
}

impl Desk {
    /// True if a load is still needed: fast keys pass over conversations that need not be read.
    pub fn is_still_needed(&self, load: &Load) -> bool {
        let tab = |channel: &ChannelId| self.tabs.iter().find(|tab| tab.channel.id == *channel);
        if let Load::History(query) = load {
            let is_it = |history: &History| history.conversation == query.conversation;
            return tab(&query.channel).and_then(|tab| tab.history.as_ref()).is_some_and(is_it);
        }
        if let Load::Draft(channel, conversation) = load {
            let composer = tab(channel).and_then(|tab| tab.composer.as_ref());
            return composer.is_some_and(|composer| composer.conversation == *conversation);
        }
        true
    }

    /// True if the next frame lacks this load; refreshes and reads ahead can wait.
    pub fn is_missing(&self, load: &Load) -> bool {
        let tab = |channel: &ChannelId| self.tabs.iter().find(|tab| tab.channel.id == *channel);
        if let Load::Conversations(query) = load {
            let list = match &query.channel {
                Some(channel) => tab(channel).map(|tab| &tab.list),
                None => Some(&self.all_tabs_list),
            };
            return list.is_some_and(|list| !list.has_selection());
        }
        if let Load::History(query) = load {
            let mut shown = tab(&query.channel).and_then(|tab| tab.history.as_ref()).into_iter();
            let is_empty = |history: &History| history.conversation == query.conversation && !history.loaded;
            return shown.any(is_empty);
        }
        false
    }
}

pub fn pane_state(inbox: &Inbox, pane: Pane) -> LoadState<'_> {
    let now = inbox.context.moment;
    match pane {
        Pane::List => inbox.desk.list().resource.state(now),
        Pane::History => inbox
            .desk
            .tab()
            .history
            .as_ref()
            .map_or(LoadState::Current, |history| history.resource.state(now)),
        Pane::Card => inbox.loads.state(now, |load| matches!(load, Load::Card(_))),
        Pane::Page => page_state(inbox),
        Pane::Overlay => inbox.loads.overlay_state(&inbox.context),
    }
}

fn page_state(inbox: &Inbox) -> LoadState<'_> {
    let (now, channel) = (inbox.context.moment, &inbox.desk.tab().channel.id);
    match inbox.desk.page {
        PageKind::Inbox => LoadState::Current,
        PageKind::Outbox => inbox.outbox.rows.resource.state(now),
        PageKind::Drafts => inbox.outbox.drafts.resource.state(now),
        PageKind::Proposals => inbox.outbox.proposals.resource.state(now),
        PageKind::Reviews => inbox.outbox.reviews.rows.resource.state(now),
        PageKind::People => match inbox.people.rows.resource.state(now) {
            LoadState::Current => inbox.people.load_state(channel, now),
            shown => shown,
        },
        PageKind::Broadcasts => match inbox.broadcasts.rows.resource.state(now) {
            LoadState::Current => {
                inbox.loads.state(now, |load| matches!(load, Load::Broadcasts(BroadcastQuery::Detail(_))))
            }
            shown => shown,
        },
        PageKind::Wall => inbox
            .loads
            .state(now, |load| matches!(load, Load::Broadcasts(BroadcastQuery::Running) | Load::Counts(_))),
        PageKind::Events => {
            inbox.cards.events.get(channel).map_or(LoadState::Current, |event| event.resource.state(now))
        }
        PageKind::Webhooks => inbox
            .cards
            .webhooks
            .get(channel)
            .map_or(LoadState::Current, |webhook| webhook.resource.state(now)),
        PageKind::Templates => {
            let of = |load: &Load| matches!(load, Load::Templates(of) if of == channel);
            match inbox.loads.state(now, of) {
                LoadState::Current => inbox.desk.tab().templates_page.state(now),
                shown => shown,
            }
        }
        PageKind::Account => inbox.loads.state(now, |load| {
            matches!(load, Load::Spending | Load::Unpaid)
                || matches!(load, Load::Account(of) if of == channel)
        }),
    }
}

/// Reason why the screen may be outdated; then nothing is called live.
pub fn outdated_reason(inbox: &Inbox) -> Option<String> {
    let panes = Pane::ALL
        .into_iter()
        .filter(|pane| inbox.desk.has_pane(*pane, &inbox.context))
        .map(|pane| pane_state(inbox, pane));
    panes.chain([inbox.loads.state(inbox.context.moment, |_| true)]).find_map(LoadState::describe)
}

/// Time of the next retry, or of the next second of a slow load.
pub(crate) fn loads_due(inbox: &Inbox) -> Option<Moment> {
    let now = inbox.context.moment;
    let channel: &ChannelId = &inbox.desk.tab().channel.id;
    let page = match inbox.desk.page {
        PageKind::Inbox | PageKind::Wall | PageKind::Account => None,
        PageKind::Outbox => inbox.outbox.rows.resource.due(now),
        PageKind::Drafts => inbox.outbox.drafts.resource.due(now),
        PageKind::Proposals => inbox.outbox.proposals.resource.due(now),
        PageKind::Reviews => inbox.outbox.reviews.rows.resource.due(now),
        PageKind::People => {
            let rows = inbox.people.rows.resource.due(now);
            rows.into_iter().chain(inbox.people.next_fetch_at(channel, now)).min()
        }
        PageKind::Broadcasts => inbox.broadcasts.rows.resource.due(now),
        PageKind::Events => inbox.cards.events.get(channel).and_then(|event| event.resource.due(now)),
        PageKind::Webhooks => inbox.cards.webhooks.get(channel).and_then(|webhook| webhook.resource.due(now)),
        PageKind::Templates => inbox.desk.tab().templates_page.due(now),
    };
    let list = inbox.desk.list().resource.due(now);
    let history = inbox.desk.tab().history.as_ref().and_then(|history| history.resource.due(now));
    let all = [page, list, history, inbox.loads.due(now)];
    // Past times are retried once the pane is on screen.
    all.into_iter().flatten().filter(|moment| *moment > now).min()
}

/// Gives up a load requested by a key: the person may be elsewhere by the time of a retry.
fn report_given_up(context: &mut Context, what: &str, why: &SafeText) {
    context.show_warning(format!("{what}: this desk's files could not be read: {why}"));
}

impl Desk {
    fn list_failed(&mut self, query: &ConversationQuery, why: &SafeText, context: &Context) {
        let now = context.moment;
        let list = match &query.channel {
            Some(channel) => self.tab_of(channel).map(|tab| &mut tab.list),
            None => Some(&mut self.all_tabs_list),
        };
        if let Some(list) = list {
            list.resource.fail(query, why, now);
        }
    }

    fn history_failed(&mut self, query: &HistoryQuery, why: &SafeText, context: &Context) {
        let now = context.moment;
        if let Some(history) = self.tab_of(&query.channel).and_then(|tab| tab.history.as_mut()) {
            history.resource.fail(query, why, now);
        }
    }

    fn has_pane(&self, pane: Pane, context: &Context) -> bool {
        let areas = self.areas(context);
        let inbox = self.is_inbox_shown();
        match pane {
            Pane::List => inbox && areas.list.is_some(),
            Pane::History => inbox && areas.history.is_some(),
            Pane::Card => inbox && areas.card.is_some(),
            Pane::Page => self.page != PageKind::Inbox,
            Pane::Overlay => !context.overlays.is_empty(),
        }
    }
}

impl Loads {
    fn overlay_state(&self, context: &Context) -> LoadState<'_> {
        match context.overlays.last() {
            Some(overlay) => self.state(context.moment, |entry| overlay.shows_load(entry)),
            None => LoadState::Current,
        }
    }
}
