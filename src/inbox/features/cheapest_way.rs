//! Writes to a person in the cheapest way: conversations on all tabs, numbers, mail addresses.

use crate::Inbox;
use crate::command::Reason;
use crate::conditions::{check_tab_writable, on_conversation};
use crate::desk::Desk;
use crate::event::{Effect, Load};
use crate::keys::{KeyCode, KeyPress};
use crate::pages::PageKind;
use crate::screens::composer::commands as composer;
use crate::screens::mail::update as mail;
use crate::screens::phone::update as phone;
use crate::tab::{Focus, Tab};
use model::account::Platform;
use model::conversations::ServiceWindow;
use model::ids::ConversationId;
use model::person::{ContactWay, PersonPage, PersonQuery, Reachability, cheapest_way, describe_ways};

/// Query whose answer decides the way.
#[derive(Debug, Default)]
pub(crate) struct CheapestWay {
    pending_query: Option<PersonQuery>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum WayTarget {
    Conversation(usize),
    /// A text to a number, from this tab.
    Number(usize, String),
    /// A new mail to an address, from this tab.
    Mail(usize, String),
}

pub(crate) fn may_write_cheapest(inbox: &Inbox) -> Result<(), Reason> {
    on_conversation(inbox)
}

pub(crate) fn write_cheapest(inbox: &mut Inbox, _: KeyPress) {
    let Some(key) = inbox.desk.current_conversation().map(|current_conversation| current_conversation.key())
    else {
        return;
    };
    let query = PersonQuery { key };
    inbox.features.cheapest_way.pending_query = Some(query.clone());
    inbox.context.push(Effect::Load(Load::ContactWays(query)));
}

/// Writes on the cheapest way, unless another conversation is open by now.
pub(crate) fn receive_ways(inbox: &mut Inbox, query: &PersonQuery, page: PersonPage) {
    let here = inbox
        .desk
        .current_conversation()
        .is_some_and(|current_conversation| current_conversation.has_key(&query.key));
    if inbox.features.cheapest_way.pending_query.take_if(|person_query| person_query == query).is_some()
        && here
    {
        write_to_cheapest(inbox, &page);
    }
}

fn contact_ways(desk: &Desk, page: &PersonPage) -> Vec<(ContactWay, WayTarget)> {
    let mut ways = Vec::new();
    for (at, entry) in page.conversations.iter().enumerate() {
        let Some(tab) = desk.tabs.iter().find(|tab| tab.channel.id == entry.row.channel) else { continue };
        // Of several threads with one address the newest is the way.
        let is_first = |pair: &(ContactWay, WayTarget)| pair.0.name == tab.channel.name;
        if tab.is_mail() && ways.iter().any(is_first) {
            continue;
        }
        let conversation = &entry.row.conversation;
        let reach = match conversation.address.is_none() && !tab.is_mail() {
            true => Reachability::Unreachable("no address".to_owned()),
            false => reachability(tab, conversation.window, entry.bar),
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
        let reach = reachability(tab, ServiceWindow::NotApplicable, None);
        ways.push((ContactWay { name: tab.channel.name.clone(), reach, last_at: None }, target));
    }
    ways
}

fn reachability(
    tab: &Tab,
    window: ServiceWindow,
    bar: Option<model::person::UnreachableReason>,
) -> Reachability {
    if let Err(why) = check_tab_writable(tab) {
        return Reachability::Unreachable(why);
    }
    if tab.is_simulated() {
        return Reachability::Simulated;
    }
    let text = tab.has_price().then(|| tab.text_price(1));
    let reach = Reachability::from_window(window, bar, text);
    let price = match &reach {
        Reachability::Open(price) => *price,
        Reachability::Template(price) => Some(*price),
        Reachability::Simulated | Reachability::Unreachable(_) => None,
    };
    match price.and_then(|price| tab.payment_error(price)) {
        Some(why) => Reachability::Unreachable(why),
        None => reach,
    }
}

/// Opens the composer on the cheapest way, with the reason for it.
fn write_to_cheapest(inbox: &mut Inbox, page: &PersonPage) {
    let (ways, targets): (Vec<_>, Vec<_>) = contact_ways(&inbox.desk, page).into_iter().unzip();
    let Some(best) = cheapest_way(&ways) else {
        return inbox.context.show_warning(format!("no channel reaches them now: {}", describe_ways(&ways)));
    };
    match &targets[best] {
        WayTarget::Conversation(at) => {
            let row = page.conversations[*at].row.clone();
            let key = row.key();
            inbox.desk.open_conversation(&key.channel, &key.conversation, Focus::History, &mut inbox.context);
            if let Some(history) = &mut inbox.desk.tab_mut().history {
                history.row.get_or_insert(row);
            }
            if let Err(why) = composer::may_write(inbox) {
                return inbox.context.show_warning(inbox.context.fill_in_keys(&why));
            }
            composer::reply(inbox, KeyPress::plain(KeyCode::Enter));
        }
        WayTarget::Number(at, number) => {
            go_to_tab(inbox, *at);
            phone::write_to(&mut inbox.desk, &ConversationId::new(number.clone()), &mut inbox.context);
        }
        WayTarget::Mail(at, address) => {
            go_to_tab(inbox, *at);
            mail::new_mail_to(inbox, address.clone());
        }
    }
    let why = match ways.len() {
        1 => format!("only channel: {}", describe_ways(&ways)),
        _ => format!("cheapest channel: {} · {}", ways[best].name, describe_ways(&ways)),
    };
    inbox.context.show_notice(why);
}

fn go_to_tab(inbox: &mut Inbox, at: usize) {
    inbox.desk.page = PageKind::Inbox;
    inbox.keyboard.go_to_tab(at, &mut inbox.desk);
}
