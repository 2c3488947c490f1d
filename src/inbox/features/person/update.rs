//! Opens the timeline of a person, moves in it, and writes to them on the way
//! that costs least.

use crate::Inbox;
use crate::command::{Command, Reason};
use crate::conditions::{on_conversation, tab_writable};
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Insight, Load, SyncOrder};
use crate::features::person::view::{rows_of, width_of};
use crate::features::person::{MOST, PersonTimeline, STEP};
use crate::features::privacy::names::NameIndex;
use crate::keys::{KeyCode, KeyPress};
use crate::overlays::overlay::{KeyOutcome, Overlay};
use crate::pages::PageKind;
use crate::screens::composer::commands as composer;
use crate::screens::mail::update as mail;
use crate::tab::{Focus, Tab};
use model::account::Platform;
use model::conversations::ServiceWindow;
use model::email::MailWish;
use model::fetches::Fetch;
use model::ids::ConversationId;
use model::person::{ContactWay, PersonPage, PersonQuery, Reach, cheapest, ways_words};
use model::queries::ConversationKey;

/// Where a way leads.
#[derive(Debug, Clone, PartialEq, Eq)]
enum WayTarget {
    /// A conversation that is there.
    Conversation(usize),
    /// A text to a number, from this tab.
    Number(usize, String),
    /// A new mail to an address, from this tab.
    Mail(usize, String),
}

pub(crate) fn show_person(inbox: &mut Inbox, _: KeyPress) {
    let Some(key) = inbox.desk.current_conversation().map(|current_conversation| current_conversation.key())
    else {
        return;
    };
    inbox.context.open(PersonTimeline::new(key));
}

pub(crate) fn may_write_cheapest(inbox: &Inbox) -> Result<(), Reason> {
    on_conversation(inbox)
}

/// Reads which ways there are, then writes on one.
pub(crate) fn write_cheapest(inbox: &mut Inbox, _: KeyPress) {
    let Some(key) = inbox.desk.current_conversation().map(|current_conversation| current_conversation.key())
    else {
        return;
    };
    let query = PersonQuery { key, limit: 0 };
    inbox.features.cheapest.wanted = Some(query.clone());
    inbox.context.push(Effect::Load(Load::Insight(Insight::Timeline(query))));
}

/// What was said with a person has come.
pub(crate) fn received(inbox: &mut Inbox, query: &PersonQuery, page: PersonPage) {
    let here = inbox
        .desk
        .current_conversation()
        .is_some_and(|current_conversation| current_conversation.is(&query.key));
    if inbox.features.cheapest.wanted.take_if(|person_query| person_query == query).is_some() && here {
        write_on(inbox, &page);
        return;
    }
    let Inbox { desk, context, .. } = inbox;
    let (columns, rows, zone) = (width_of(context), rows_of(context), context.settings.zone.clone());
    if let Some(timeline) =
        context.layers.of_mut::<PersonTimeline>().find(|person_timeline| person_timeline.query == *query)
    {
        let asks = if timeline.page.is_none() { fetches(desk, &page) } else { Vec::new() };
        timeline.page = Some(page);
        timeline.lay_out(columns, &zone, &desk.tabs);
        timeline.reveal(rows);
        context.effects.extend(asks);
    }
}

/// What the servers may know that joins them: contacts with these numbers, and
/// correspondents with these addresses, or of this name.
fn fetches(desk: &Desk, page: &PersonPage) -> Vec<Effect> {
    let name =
        page.conversations.first().and_then(|conversation| conversation.row.conversation.name.as_ref());
    let searched: Vec<String> = match page.emails.is_empty() {
        false => page.emails.clone(),
        true => name.map(ToString::to_string).into_iter().collect(),
    };
    let of_tab = |tab: &Tab| -> Vec<Fetch> {
        match tab.platform() {
            Some(platform) if platform.has_contacts() => {
                page.phones.iter().map(|phone| Fetch::Person { phone: phone.clone() }).collect()
            }
            Some(Platform::Email) => {
                let wish = |text: &String| Fetch::Mail(MailWish::Correspondents(text.clone()));
                searched.iter().map(wish).collect()
            }
            _ => Vec::new(),
        }
    };
    let all = desk.tabs.iter().map(|tab| (tab.channel.id.clone(), of_tab(tab)));
    all.flat_map(|(id, all)| all.into_iter().map(move |fetch| SyncOrder::Fetch(id.clone(), fetch).into()))
        .collect()
}

/// Something was said somewhere.
pub(crate) fn mark_stale(context: &mut Context) {
    context.layers.of_mut::<PersonTimeline>().for_each(|person_timeline| person_timeline.stale = true);
}

/// Reads what is missing of the timeline on screen.
pub(crate) fn follow(desk: &Desk, context: &mut Context) {
    let (columns, rows, zone) = (width_of(context), rows_of(context), context.settings.zone.clone());
    let Some(timeline) = context.layers.top_mut::<PersonTimeline>() else { return };
    if timeline.columns != columns {
        timeline.lay_out(columns, &zone, &desk.tabs);
        timeline.reveal(rows);
    }
    let asks = want_older(timeline, rows);
    let load =
        std::mem::take(&mut timeline.stale).then(|| Load::Insight(Insight::Timeline(timeline.query.clone())));
    context.effects.extend(load.map(Effect::Load));
    context.effects.extend(asks.into_iter().map(|conversation_key| {
        SyncOrder::FetchOlder(conversation_key.channel, conversation_key.conversation).into()
    }));
}

/// Widens the window near its top; where nothing older is stored, says which
/// conversations the servers are to be asked about.
fn want_older(timeline: &mut PersonTimeline, rows: usize) -> Vec<ConversationKey> {
    let Some(page) = &timeline.page else { return Vec::new() };
    let near_top = timeline.first < rows && timeline.lines.len() > rows || page.messages.len() < rows / 2;
    if !near_top || timeline.query.limit >= MOST {
        return Vec::new();
    }
    let whole = usize::try_from(timeline.query.limit).unwrap_or(usize::MAX);
    if page.more_stored {
        if page.messages.len() >= whole {
            timeline.query.limit += STEP;
            timeline.stale = true;
        }
        return Vec::new();
    }
    if timeline.asked_at == Some(page.messages.len()) {
        return Vec::new();
    }
    timeline.asked_at = Some(page.messages.len());
    // What is older than the newest of these gaps is not the whole story.
    page.conversations
        .iter()
        .filter(|conversation| conversation.more_on_server)
        .map(|conversation| conversation.row.key())
        .collect()
}

/// The ways to reach the person, each with where it leads.
fn ways(desk: &Desk, page: &PersonPage) -> Vec<(ContactWay, WayTarget)> {
    let mut ways = Vec::new();
    for (at, it) in page.conversations.iter().enumerate() {
        let Some(tab) = desk.tabs.iter().find(|tab| tab.channel.id == it.row.channel) else { continue };
        // Of several threads with one address the newest is the way.
        let is_first = |pair: &(ContactWay, WayTarget)| pair.0.name == tab.channel.name;
        if tab.is_mail() && ways.iter().any(is_first) {
            continue;
        }
        let conversation = &it.row.conversation;
        let reach = match conversation.address.is_none() && !tab.is_mail() {
            true => Reach::Barred("no address".to_owned()),
            false => reach(tab, conversation.window, it.bar),
        };
        let way = ContactWay { name: tab.channel.name.clone(), reach, last_at: conversation.last_message_at };
        ways.push((way, WayTarget::Conversation(at)));
    }
    for (at, tab) in desk.tabs.iter().enumerate() {
        if ways.iter().any(|way| way.0.name == tab.channel.name) {
            continue;
        }
        let target = match tab.platform() {
            Some(Platform::Voip) => page.phones.first().map(|phone| WayTarget::Number(at, phone.clone())),
            Some(Platform::Email) => page.emails.first().map(|email| WayTarget::Mail(at, email.clone())),
            Some(Platform::Whatsapp | Platform::Telegram | Platform::Web | Platform::Other(_)) | None => None,
        };
        let Some(target) = target else { continue };
        let reach = reach(tab, ServiceWindow::NotApplicable, None);
        ways.push((ContactWay { name: tab.channel.name.clone(), reach, last_at: None }, target));
    }
    ways
}

/// Whether a tab reaches somebody whose window stands so.
fn reach(tab: &Tab, window: ServiceWindow, bar: Option<model::person::ContactBar>) -> Reach {
    if let Err(why) = tab_writable(tab) {
        return Reach::Barred(why);
    }
    if tab.is_simulated() {
        return Reach::Simulated;
    }
    let text = tab.has_price().then(|| tab.text_price(1));
    let reach = Reach::of(window, bar, text);
    let price = match &reach {
        Reach::Open(price) => *price,
        Reach::Template(price) => Some(*price),
        Reach::Simulated | Reach::Barred(_) => None,
    };
    match price.and_then(|price| tab.cannot_pay(price)) {
        Some(why) => Reach::Barred(why),
        None => reach,
    }
}

/// What is said of the ways: of the cheapest, and of all.
pub(super) fn ways_lines(inbox: &Inbox, page: &PersonPage) -> (String, String) {
    let (ways, _): (Vec<_>, Vec<_>) = ways(&inbox.desk, page).into_iter().unzip();
    let key = inbox.context.key_of(Command::WriteCheapest);
    let best = match cheapest(&ways) {
        Some(at) => format!("{key} writes on the cheapest way: {}", ways[at].words()),
        None => "no way reaches them now".to_owned(),
    };
    (best, ways_words(&ways))
}

/// Opens the composer on the way that costs least, and says why it is that one.
fn write_on(inbox: &mut Inbox, page: &PersonPage) {
    let (ways, targets): (Vec<_>, Vec<_>) = ways(&inbox.desk, page).into_iter().unzip();
    let Some(best) = cheapest(&ways) else {
        return inbox.context.warn(format!("nothing reaches them now: {}", ways_words(&ways)));
    };
    match &targets[best] {
        WayTarget::Conversation(at) => {
            let row = page.conversations[*at].row.clone();
            let key = row.key();
            inbox.desk.visit(&key.channel, &key.conversation, Focus::History, &mut inbox.context);
            if let Some(history) = &mut inbox.desk.tab_mut().history {
                history.row.get_or_insert(row);
            }
            if let Err(why) = composer::may_write(inbox) {
                return inbox.context.warn(inbox.context.keyed(&why));
            }
            composer::reply(inbox, KeyPress::plain(KeyCode::Enter));
        }
        WayTarget::Number(at, number) => {
            go_to_tab(inbox, *at);
            inbox.desk.write_to(&ConversationId::new(number.clone()), &mut inbox.context);
        }
        WayTarget::Mail(at, address) => {
            go_to_tab(inbox, *at);
            mail::new_mail_to(inbox, address.clone());
        }
    }
    let why = match ways.len() {
        1 => format!("the only way: {}", ways_words(&ways)),
        _ => format!("the cheapest way: {} · {}", ways[best].name, ways_words(&ways)),
    };
    inbox.context.say(why);
}

fn go_to_tab(inbox: &mut Inbox, at: usize) {
    inbox.desk.page = PageKind::Inbox;
    inbox.keyboard.go_to_tab(at, &mut inbox.desk);
}

impl Overlay for PersonTimeline {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let cheapest = inbox.context.settings.keymap.keys(Command::WriteCheapest);
        let writes =
            cheapest.iter().any(|key_presses| key_presses.as_slice() == [key]) || key.typed() == Some('r');
        match key.code {
            KeyCode::Esc | KeyCode::Char('q') => return KeyOutcome::Done,
            KeyCode::Enter => return self.go_to(inbox),
            _ if writes => {
                let Some(page) = self.page.take() else { return KeyOutcome::Stay };
                write_on(inbox, &page);
                return KeyOutcome::Done;
            }
            _ => (),
        }
        let rows = rows_of(&inbox.context);
        let count = self.page.as_ref().map_or(0, |page| page.messages.len());
        match crate::components::list::chosen_after(key, self.index(), count, rows / 2) {
            Some(chosen) => self.choose(chosen, rows),
            None => return KeyOutcome::Ignored,
        }
        KeyOutcome::Stay
    }

    fn shows(&self, load: &Load) -> bool {
        matches!(load, Load::Insight(Insight::Timeline(_)))
    }

    fn names(&self, _inbox: &Inbox, names: &mut NameIndex) {
        for it in self.page.iter().flat_map(|person_page| &person_page.conversations) {
            let title = it.row.conversation.title();
            names.add(title.as_str());
            title.as_str().split_whitespace().take(1).for_each(|word| names.add_word(word));
        }
    }
}

impl PersonTimeline {
    fn choose(&mut self, index: usize, rows: usize) {
        let Some(page) = &self.page else { return };
        let chosen = page.messages.get(index).filter(|_| index + 1 < page.messages.len());
        self.chosen = chosen
            .map(|chosen| (page.conversations[chosen.conversation].row.key(), chosen.row.message.id.clone()));
        self.reveal(rows);
    }

    /// Goes to the chosen message in its conversation.
    fn go_to(&mut self, inbox: &mut Inbox) -> KeyOutcome {
        let index = self.index();
        let Some(page) = &self.page else { return KeyOutcome::Stay };
        let Some(found) = page.messages.get(index) else { return KeyOutcome::Stay };
        let key = page.conversations[found.conversation].row.key();
        let message = found.row.message.id.clone();
        inbox.desk.visit(&key.channel, &key.conversation, Focus::History, &mut inbox.context);
        inbox.desk.seek(message, &mut inbox.context);
        KeyOutcome::Done
    }
}
