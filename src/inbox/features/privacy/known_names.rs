//! Whose names the screen can show now: from every list, page, history, card
//! and question that is open.

use crate::Inbox;
use crate::features::privacy::names::NameIndex;
use crate::overlays::search::SearchResult;
use crate::pages::PageKind;
use crate::screens::cards::PageCard;
use crate::screens::history::History;
use crate::screens::history::lines::HistoryItem;
use crate::tab::Tab;
use model::conversations::ConversationRow;
use model::text::SafeText;
use model::trigger_events::TriggerKind;

pub fn all(inbox: &Inbox) -> NameIndex {
    let mut names = NameIndex::default();
    for tab in &inbox.desk.tabs {
        of_tab(tab, &mut names);
    }
    inbox.desk.all.page.rows.iter().for_each(|row| of_row(row, &mut names));
    if let Some(second) = inbox.desk.second() {
        of_history(&second.history, &mut names);
    }
    of_pages(inbox, &mut names);
    of_card(inbox, &mut names);
    for found in &inbox.features.search.found {
        match found {
            SearchResult::Person(row) => of_row(row, &mut names),
            SearchResult::Note(hit) => names.add(hit.title.as_str()),
            SearchResult::Message(hit) => names.add(hit.title.as_str()),
            SearchResult::Contact(contact) => names.add(contact.name.as_str()),
        }
    }
    inbox.context.layers.iter().for_each(|layer| layer.names(inbox, &mut names));
    names
}

pub(crate) fn of_row(row: &ConversationRow, names: &mut NameIndex) {
    let conversation = &row.conversation;
    names.add(conversation.title().as_str());
    if let Some(user) = &conversation.username {
        names.add_user(user.as_str());
    }
}

fn of_tab(tab: &Tab, names: &mut NameIndex) {
    tab.list.page.rows.iter().for_each(|row| of_row(row, names));
    if let Some(history) = &tab.history {
        of_history(history, names);
    }
    let offered =
        tab.composer.iter().filter_map(|composer| composer.head.as_ref()).flat_map(|head| &head.offered);
    optional(offered.filter_map(|correspondent| correspondent.name.as_ref()), names);
}

fn of_history(history: &History, names: &mut NameIndex) {
    if let Some(row) = &history.row {
        of_row(row, names);
        // What the customer says stands behind the first word of the name.
        let title = row.conversation.title();
        title.as_str().split_whitespace().take(1).for_each(|word| names.add_word(word));
    }
    let letters = history.items.iter().filter_map(HistoryItem::letter);
    optional(letters.filter_map(|letter| letter.from_name.as_ref()), names);
}

fn of_pages(inbox: &Inbox, names: &mut NameIndex) {
    optional(inbox.people.rows.rows.iter().filter_map(|row| row.contact.name.as_ref()), names);
    optional(inbox.outbox.rows.rows.iter().map(|row| &row.title), names);
    optional(inbox.outbox.drafts.rows.iter().map(|row| &row.title), names);
    optional(inbox.outbox.proposals.rows.iter().map(|row| &row.title), names);
    optional(inbox.outbox.reviews.rows.rows.iter().map(|row| &row.title), names);
    if let Some((_, detail)) = &inbox.broadcasts.detail {
        optional(detail.recipients.iter().filter_map(|recipient| recipient.name.as_ref()), names);
    }
    // Events say in fields of their own who somebody is.
    let about_people = |page_card: &&PageCard| page_card.kind != TriggerKind::Campaign.label();
    for card in
        inbox.cards.cards.rows.iter().filter(about_people).filter(|_| inbox.desk.page == PageKind::Events)
    {
        let named = card.lines.iter().filter(|(label, _)| is_name_field(label.as_str()));
        optional(named.map(|(_, words)| words), names);
    }
}

/// Whether a field of an event holds a person's name.
fn is_name_field(label: &str) -> bool {
    let label = label.to_lowercase();
    let of_thing = ["item", "product", "file", "service"].iter().any(|text| label.contains(text));
    label.ends_with("name") && !of_thing
}

fn of_card(inbox: &Inbox, names: &mut NameIndex) {
    let Some(card) = inbox.desk.current_card() else { return };
    optional(card.contact.iter().filter_map(|contact| contact.name.as_ref()), names);
    optional(card.elsewhere.iter().map(|elsewhere| &elsewhere.title), names);
}

fn optional<'a>(all: impl Iterator<Item = &'a SafeText>, names: &mut NameIndex) {
    all.for_each(|entry| names.add(entry.as_str()));
}
