//! Notes reads that failed, and reads again.

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

/// A read failed: exactly what asked for it says so and asks again, or
/// gives up where a key asked for it.
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
            gave_up(&mut inbox.context, "no way was looked for", &why);
        }
        Load::Counts(_)
        | Load::Draft(..)
        | Load::Account(_)
        | Load::Card(_)
        | Load::Tags(_)
        | Load::Spent
        | Load::ModelUsage(_)
        | Load::Unpaid
        | Load::Macros
        | Load::Digest(_)
        | Load::ServiceLevels(..)
        | Load::Attention(_)
        | Load::Paused(_)
        | Load::Fates(_)
        | Load::Mailbox(_)
        | Load::Correspondents(..)
        | Load::Ahead(_)
        | Load::Templates(_)
        | Load::Shelf(_)
        | Load::Names
        | Load::ViewCounts(..)
        | Load::Search(_)
        | Load::Depth(..)
        | Load::Broadcasts(
            BroadcastQuery::Detail(_) | BroadcastQuery::Audience(_) | BroadcastQuery::Running,
        ) => {
            inbox.loads.note_failure(load, &why, now);
        }
        // What changes next asks again.
        Load::DueDrafts(..) => inbox.features.prepared_drafts.failed(),
        Load::Marked(_) => {
            inbox.changes.forget_marked();
            gave_up(&mut inbox.context, "nothing was changed", &why);
        }
        Load::Pauses(_) => {
            inbox.keyboard.leaving = false;
            gave_up(&mut inbox.context, "the AI was not handed back", &why);
        }
        Load::Person(..) => {
            inbox.people.opening = crate::screens::people::form::Opening::default();
            gave_up(&mut inbox.context, "the contact was not opened", &why);
        }
        Load::Question(..)
        | Load::Elsewhere(_)
        | Load::Triage(_)
        | Load::Rules(_)
        | Load::Spread(..)
        | Load::Needing(_)
        | Load::Lookup(_)
        | Load::Echo(_)
        | Load::Broadcasts(BroadcastQuery::Handover(..)) => {
            gave_up(&mut inbox.context, "nothing was done", &why)
        }
    }
}

impl Desk {
    /// Whether somebody still waits for it: many keys at once pass over
    /// conversations that need not be read.
    pub fn still_wants(&self, load: &Load) -> bool {
        let tab = |channel: &ChannelId| self.tabs.iter().find(|tab| tab.channel.id == *channel);
        if let Load::History(query) = load {
            let is_it = |history: &History| history.conversation == query.conversation;
            return tab(&query.channel).and_then(|tab| tab.history.as_ref()).is_some_and(is_it)
                || self.second().is_some_and(|second| is_it(&second.history));
        }
        if let Load::Draft(channel, conversation) = load {
            let composer = tab(channel).and_then(|tab| tab.composer.as_ref());
            return composer.is_some_and(|composer| composer.conversation == *conversation);
        }
        true
    }

    /// Whether the next frame would lack it: what only brings up to date or
    /// lies ahead of the cursor comes when it comes.
    pub fn lacks(&self, load: &Load) -> bool {
        let tab = |channel: &ChannelId| self.tabs.iter().find(|tab| tab.channel.id == *channel);
        if let Load::Conversations(query) = load {
            let list = match &query.channel {
                Some(channel) => tab(channel).map(|tab| &tab.list),
                None => Some(&self.all),
            };
            return list.is_some_and(|list| !list.has_selection());
        }
        if let Load::History(query) = load {
            let mut shown = tab(&query.channel).and_then(|tab| tab.history.as_ref()).into_iter();
            let mut beside = self.second().map(|second| &second.history).into_iter();
            let is_empty = |history: &History| history.conversation == query.conversation && !history.loaded;
            return shown.any(is_empty) || beside.any(is_empty);
        }
        false
    }
}

/// How it stands with what a part of the screen shows.
pub fn shown(inbox: &Inbox, pane: Pane) -> LoadState<'_> {
    let now = inbox.context.moment;
    match pane {
        Pane::List => inbox.desk.list().resource.shown(now),
        Pane::History => {
            inbox.desk.tab().history.as_ref().map_or(LoadState::Well, |history| history.resource.shown(now))
        }
        Pane::Beside => {
            inbox.desk.second().map_or(LoadState::Well, |second| second.history.resource.shown(now))
        }
        Pane::Card => inbox.loads.shown(now, |load| matches!(load, Load::Card(_))),
        Pane::Page => page_shown(inbox),
        Pane::Layer => inbox.loads.layer_shown(&inbox.context),
    }
}

fn page_shown(inbox: &Inbox) -> LoadState<'_> {
    let (now, channel) = (inbox.context.moment, &inbox.desk.tab().channel.id);
    match inbox.desk.page {
        PageKind::Inbox => LoadState::Well,
        PageKind::Outbox => inbox.outbox.rows.resource.shown(now),
        PageKind::Drafts => inbox.outbox.drafts.resource.shown(now),
        PageKind::Proposals => inbox.outbox.proposals.resource.shown(now),
        PageKind::Reviews => inbox.outbox.reviews.rows.resource.shown(now),
        PageKind::People => match inbox.people.rows.resource.shown(now) {
            LoadState::Well => inbox.people.load_state(channel, now),
            shown => shown,
        },
        PageKind::Broadcasts => match inbox.broadcasts.rows.resource.shown(now) {
            LoadState::Well => {
                inbox.loads.shown(now, |load| matches!(load, Load::Broadcasts(BroadcastQuery::Detail(_))))
            }
            shown => shown,
        },
        PageKind::Wall => inbox
            .loads
            .shown(now, |load| matches!(load, Load::Broadcasts(BroadcastQuery::Running) | Load::Counts(_))),
        PageKind::Events => {
            inbox.cards.events.get(channel).map_or(LoadState::Well, |event| event.page.shown(now))
        }
        PageKind::Webhooks => {
            inbox.cards.webhooks.get(channel).map_or(LoadState::Well, |webhook| webhook.page.shown(now))
        }
        PageKind::Templates => {
            let of = |load: &Load| matches!(load, Load::Templates(of) if of == channel);
            match inbox.loads.shown(now, of) {
                LoadState::Well => inbox.desk.tab().templates_page.shown(now),
                shown => shown,
            }
        }
        PageKind::Account => inbox.loads.shown(now, |load| {
            matches!(load, Load::Spent | Load::Unpaid) || matches!(load, Load::Account(of) if of == channel)
        }),
    }
}

/// Why something that is shown may not be what the files hold now: then
/// nothing on screen is called live.
pub fn unread(inbox: &Inbox) -> Option<String> {
    let panes = Pane::ALL
        .into_iter()
        .filter(|pane| inbox.desk.has_pane(*pane, &inbox.context))
        .map(|pane| shown(inbox, pane));
    panes.chain([inbox.loads.shown(inbox.context.moment, |_| true)]).find_map(LoadState::describe)
}

/// When a read is tried again, or the seconds of a slow one turn.
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
            rows.into_iter().chain(inbox.people.told_due(channel, now)).min()
        }
        PageKind::Broadcasts => inbox.broadcasts.rows.resource.due(now),
        PageKind::Events => inbox.cards.events.get(channel).and_then(|event| event.page.due(now)),
        PageKind::Webhooks => inbox.cards.webhooks.get(channel).and_then(|webhook| webhook.page.due(now)),
        PageKind::Templates => inbox.desk.tab().templates_page.due(now),
    };
    let list = inbox.desk.list().resource.due(now);
    let history = inbox.desk.tab().history.as_ref().and_then(|history| history.resource.due(now));
    let beside = inbox.desk.second().and_then(|second| second.history.resource.due(now));
    let all = [page, list, history, beside, inbox.loads.due(now)];
    // What is past is only asked for again once it is on screen.
    all.into_iter().flatten().filter(|moment| *moment > now).min()
}

/// What a key asked for is not carried out later, when the person looks
/// elsewhere.
fn gave_up(context: &mut Context, what: &str, why: &SafeText) {
    context.warn(format!("{what}: this desk's files could not be read: {why}"));
}

impl Desk {
    fn list_failed(&mut self, query: &ConversationQuery, why: &SafeText, context: &Context) {
        let now = context.moment;
        let list = match &query.channel {
            Some(channel) => self.tab_of(channel).map(|tab| &mut tab.list),
            None => Some(&mut self.all),
        };
        if let Some(list) = list {
            list.resource.fail(query, why, now);
        }
    }

    fn history_failed(&mut self, query: &HistoryQuery, why: &SafeText, context: &Context) {
        let now = context.moment;
        if let Some(beside) = &mut self.beside {
            beside.history.resource.fail(query, why, now);
        }
        if let Some(history) = self.tab_of(&query.channel).and_then(|tab| tab.history.as_mut()) {
            history.resource.fail(query, why, now);
        }
    }

    /// Whether a part of the screen is there now.
    fn has_pane(&self, pane: Pane, context: &Context) -> bool {
        let areas = self.areas(context);
        let inbox = self.is_inbox_shown();
        match pane {
            Pane::List => inbox && areas.list.is_some(),
            Pane::History => inbox && areas.history.is_some(),
            Pane::Beside => inbox && areas.beside.is_some(),
            Pane::Card => inbox && areas.card.is_some(),
            Pane::Page => self.page != PageKind::Inbox,
            Pane::Layer => !context.layers.is_empty(),
        }
    }
}

impl Loads {
    fn layer_shown(&self, context: &Context) -> LoadState<'_> {
        match context.layers.last() {
            Some(overlay) => self.shown(context.moment, |entry| overlay.shows(entry)),
            None => LoadState::Well,
        }
    }
}
