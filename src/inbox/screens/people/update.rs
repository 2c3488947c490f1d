use crate::Inbox;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load, SyncOrder};
use crate::pages::PageKind;
use crate::pages::update as pages;
use crate::screens::outbox::OutboxScreen;
use crate::screens::people::saving;
use crate::screens::people::{People, SEARCH_DELAY, WINDOW_ROWS};
use crate::tab::Focus;
use model::account::Platform;
use model::contacts::{PeopleQuery, server_search_text};
use model::fetches::{Fetch, FetchOutcome, FetchResult};
use model::ids::ChannelId;
use model::outbox::{Lane, OutboxRow};
use model::time::Moment;

/// True if the active tab's platform has contacts, or is not known yet.
pub fn has_people(desk: &Desk) -> bool {
    desk.tab().platform().is_none_or(Platform::has_contacts)
}

impl People {
    pub(crate) fn people_due(&self, desk: &Desk) -> Option<Moment> {
        let asked = self.fetches.get(&desk.tab().channel.id)?;
        let waits =
            desk.page == PageKind::People && asked.search() != Some(&*server_search_text(&self.search));
        waits.then(|| self.typed_at.plus(SEARCH_DELAY))
    }

    /// Opens the page and selects the person of the current conversation.
    pub(crate) fn go_to_people(&mut self, desk: &mut Desk) {
        let current_conversation = desk
            .current_conversation()
            .and_then(|current_conversation| current_conversation.conversation.address.clone());
        desk.page = PageKind::People;
        self.rows.mark_stale();
        self.search.clear();
        self.opening.choose = current_conversation;
    }

    pub(crate) fn people_fetched(
        &mut self,
        channel: &ChannelId,
        fetch: &Fetch,
        fetched: FetchOutcome,
        context: &Context,
    ) {
        let now = context.moment;
        let Some(asked) = self.fetches.get_mut(channel) else { return };
        match fetched {
            Ok(fetched) => {
                if asked.page.receive(fetch)
                    && let FetchResult::People { more } = fetched
                {
                    asked.more = more;
                }
            }
            Err(why) => asked.page.fail(fetch, &why, now),
        }
    }

    pub(crate) fn search_people(&mut self, text: &str, context: &Context) {
        if self.search != text {
            self.search = text.to_owned();
            self.typed_at = context.moment;
            self.wanted = WINDOW_ROWS;
        }
    }

    pub(crate) fn go_to_person(&mut self, desk: &mut Desk, context: &mut Context) {
        let channel = desk.tab().channel.id.clone();
        let Some(person) = self.rows.chosen() else { return };
        match person.conversation.clone() {
            Some(conversation) => desk.open_conversation(&channel, &conversation, Focus::History, context),
            None => {
                let words = format!(
                    "{} has not written yet; only a template or a broadcast can be sent",
                    person.title()
                );
                context.show_warning(words);
            }
        }
    }
}

/// Loads outdated rows, and asks the server if that is due.
pub(crate) fn load_people(inbox: &mut Inbox) {
    if !has_people(&inbox.desk) {
        return;
    }
    let channel = inbox.desk.tab().channel.id.clone();
    let (visible, now) = (pages::visible_rows(inbox), inbox.context.moment);
    let people = &mut inbox.people;
    people.rows.reveal(visible);
    let last = people.rows.first_visible + visible;
    people.wanted = people.wanted.max(WINDOW_ROWS);
    if last + visible >= people.rows.rows.len() && people.total > u64::from(people.wanted) {
        people.wanted += WINDOW_ROWS;
    }
    let query =
        PeopleQuery { channel: channel.clone(), text: people.search.trim().to_owned(), limit: people.wanted };
    let same_tab = |old: &PeopleQuery, new: &PeopleQuery| old.channel == new.channel;
    people.rows.set_query(query, same_tab);
    inbox.context.effects.extend(
        people.rows.resource.take_due_query(now).map(|resource| Effect::Load(Load::People(resource))),
    );
    let due = if inbox.desk.tab().account.is_some() {
        inbox.people.take_due_fetch(&channel, last, now)
    } else {
        None
    };
    inbox.context.push_all(due.map(|due| SyncOrder::Fetch(channel.clone(), due)));
    // Pending changes are shown beside their person.
    inbox
        .context
        .effects
        .extend(inbox.outbox.rows.take_query(&channel, now).map(|query| Effect::Load(Load::Outbox(query))));
    saving::reopen_refused_form(inbox);
}

impl OutboxScreen {
    pub fn change_of(&self, phone: &str, desk: &Desk) -> Option<&OutboxRow> {
        let channel = &desk.tab().channel.id;
        let rows =
            self.rows.rows.iter().map(|row| &row.row).filter(|outbox_row| outbox_row.channel == *channel);
        let mut about = rows.filter(|row| matches!(&row.lane, Lane::Contact(of) if of == phone));
        about.next_back()
    }
}
