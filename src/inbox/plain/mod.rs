//! The inbox as lines of text, for screen readers and simple terminals: what is new since the last
//! lines, in a stable order. Each page and popup returns its own text.

mod ai_switches;
pub mod help;
pub mod input;
pub mod pages;
pub mod snapshot;

use std::collections::HashMap;

use crate::Inbox;
use crate::components::spoken::SpokenPage;
use crate::connection_state;
use crate::features::{team, tutor};
use crate::notice::Notice;
use crate::notice::update as notice;
use crate::pages::PageKind;
use crate::plain::ai_switches::AnnouncedSwitch;
use crate::plain::pages::{SpokenPopup, describe_list, describe_page};
use crate::screens::composer::ComposerMode;
use crate::screens::conversations;
use crate::screens::history::History;
use crate::screens::history::lines;
use crate::screens::history::lines::{AlbumPlace, HistoryItem, ItemKey};
use crate::screens::outbox::row_state_view;
use crate::tab::Focus;
use crate::tabs_view;
use crate::theme_view::Theme;
use model::conversations::{Automation, ConversationRow, PauseOrigin};
use model::ids::ConversationId;
use model::messages::{DeliveryStatus, Direction};
use model::news::Health;
use model::outbox::OutboxRow;
use model::queries::ConversationKey;
use model::service_window::describe_notable_window;
use model::spending;
use model::targets::TargetState;
use model::text::SafeText;
use model::time::{Timestamp, format_short_span};

/// Maximum number of messages read out when a conversation is opened.
const MAX_OPENING_MESSAGES: usize = 5;
/// Marks in ASCII, without colours.
const THEME: Theme = Theme::PLAIN;

/// State that was read out already.
#[derive(Debug, Default)]
pub struct PlainOutput {
    tab: Option<usize>,
    page: Option<PageKind>,
    focus: Option<Focus>,
    /// Text that was read out for an empty list.
    empty_text: Option<String>,
    /// True if the number of waiting conversations of the tab was read out.
    waiting_announced: bool,
    /// The selected conversation with the name that was read out.
    selected: Option<(ConversationId, String)>,
    open: Option<ConversationId>,
    items: HashMap<ItemKey, String>,
    /// Time of the newest inbound message of each conversation of the tab, and of all.
    last_inbound: HashMap<ConversationId, Option<Timestamp>>,
    newest_inbound: Option<Timestamp>,
    /// True if the tab's list was read from its server.
    list_was_read: bool,
    /// Conversations in the order of the numbers that were read out.
    listed: Vec<ConversationKey>,
    switches: HashMap<ConversationKey, AnnouncedSwitch>,
    is_welcomed: bool,
    notice: Option<Notice>,
    /// Activity of colleagues in the open or selected conversation.
    presence: Option<(ConversationKey, Option<String>)>,
    /// Step of the tutor.
    tutor_step: Option<String>,
    popup: Option<SpokenPopup>,
    /// Text of the page, if it is not the inbox.
    page_text: Option<SpokenPage>,
    health: Option<&'static str>,
}

impl PlainOutput {
    pub fn listed(&self) -> &[ConversationKey] {
        &self.listed
    }

    /// Returns the new lines, and records them as read out.
    pub fn collect_new_lines(&mut self, inbox: &Inbox) -> Vec<String> {
        let mut lines = Vec::new();
        let popup = SpokenPopup::of(inbox);
        if popup.is_none() && self.popup.is_some() {
            // The popup is closed: the place below it is read out again.
            self.focus = None;
        }
        self.announce_tab(inbox, &mut lines);
        self.announce_arrivals(inbox, &mut lines);
        self.announce_switches(inbox, &mut lines);
        self.announce_place(inbox, &mut lines);
        self.announce_history(inbox, &mut lines);
        self.announce_presence(inbox, &mut lines);
        if self.notice != inbox.context.notice {
            lines.extend(notice::current_notice(inbox).map(|pair| pair.0));
            self.notice.clone_from(&inbox.context.notice);
        }
        if let Some(popup) = &popup {
            lines.extend(popup.new_lines(self.popup.as_ref()));
            if self.popup.is_none() && popup.accepts_text {
                lines.push(help::FIELD_HELP.to_owned());
            }
        }
        self.popup = popup;
        if !self.is_welcomed && inbox.desk.list().loaded {
            let offer = match inbox.keyboard.offers_tutor(&inbox.context) {
                true => "; tutor teaches the keys",
                false => "",
            };
            lines.push(format!("Type list, a number, help or quit{offer}"));
            self.is_welcomed = true;
        }
        self.announce_tutor(inbox, &mut lines);
        clean_lines(&lines)
    }

    /// Announces what colleagues do in the open or selected conversation, once it changes.
    fn announce_presence(&mut self, inbox: &Inbox, lines: &mut Vec<String>) {
        let current = inbox.desk.current_conversation().map(|row| {
            let activity = team::describe_activity(inbox, &row.conversation.id);
            (row.key(), activity, row.conversation.title())
        });
        let Some((key, activity, title)) = current else {
            self.presence = None;
            return;
        };
        // Of another conversation it is part of its description.
        let before = self.presence.as_ref().filter(|(same, _)| *same == key);
        if before.is_some_and(|(_, before)| *before != activity) {
            lines.push(format!("{title}: {}", activity.as_deref().unwrap_or("no colleague is here now")));
        }
        self.presence = Some((key, activity));
    }

    /// Announces each step of the tutor once, and again after the tutor was stopped.
    fn announce_tutor(&mut self, inbox: &Inbox, lines: &mut Vec<String>) {
        if !inbox.keyboard.tutor.is_shown {
            self.tutor_step = None;
        }
        if let Some(step) = tutor::line(inbox).filter(|step| self.tutor_step.as_ref() != Some(step)) {
            lines.push(step.clone());
            self.tutor_step = Some(step);
        }
    }

    /// Forgets the current place, so that it is read out again.
    pub fn forget_place(&mut self) {
        (self.page, self.focus, self.selected, self.open) = (None, None, None, None);
        self.popup = None;
    }

    fn announce_tab(&mut self, inbox: &Inbox, lines: &mut Vec<String>) {
        let tab = inbox.desk.tab();
        if self.tab != Some(inbox.desk.active) {
            let (label, _) = tabs_view::environment_label(tab, THEME);
            let (at, of, name) = (inbox.desk.active + 1, inbox.desk.tabs.len(), &tab.channel.name);
            self.waiting_announced = tab.counts.needs_reply > 0 || tab.health != Health::Connecting;
            let waiting = match self.waiting_announced {
                true => format!("{} waiting", tab.counts.needs_reply),
                false => "asking the server".to_owned(),
            };
            let label = if label.is_empty() { String::new() } else { format!(", {label}") };
            lines.push(format!("Tab {at} of {of}: {name}{label}, {waiting}"));
            (self.tab, self.selected, self.open) = (Some(inbox.desk.active), None, None);
            self.listed.clear();
            self.last_inbound.clear();
            (self.newest_inbound, self.list_was_read) = (None, false);
        }
        let is_read = matches!(tab.health, Health::Live { .. })
            && tab.list.loaded
            && tab.counts.list_was_read
            && !tab.list.page.is_unread;
        if !self.waiting_announced && is_read && (tab.counts.needs_reply > 0 || tab.list.page.rows.is_empty())
        {
            lines.push(format!("{} waiting", tab.counts.needs_reply));
            self.waiting_announced = true;
        }
        let mark = connection_state::status_word(&tab.health);
        if self.health != Some(mark) {
            let known = self.health.replace(mark);
            if known.is_some() || !mark.is_empty() {
                lines.push(
                    connection_state::connection_label(
                        &tab.health,
                        inbox.context.now,
                        &inbox.context.settings,
                    )
                    .0,
                );
            }
        }
    }

    /// Announces customers who wrote in conversations that are not open. Messages of the first read of
    /// the list are not announced.
    fn announce_arrivals(&mut self, inbox: &Inbox, lines: &mut Vec<String>) {
        let tab = inbox.desk.tab();
        let rows = &tab.list.page.rows;
        let known = self.list_was_read;
        self.list_was_read |=
            matches!(tab.health, Health::Live { .. }) && tab.list.loaded && !rows.is_empty();
        // The name comes with the list, a moment after the message.
        for row in rows.iter().filter(|row| is_named(row)).rev() {
            // Messages from us, the AI or a broadcast are not announced.
            let (id, at) = (&row.conversation.id, row.last_inbound_at);
            let is_new = match self.last_inbound.get(id) {
                Some(before) => at > *before,
                None => at >= self.newest_inbound,
            };
            if known && is_new && row.unread == 0 {
                // A message from us, or one that is counted a moment later.
                continue;
            }
            // Until the history is read, the newest message may be the customer's.
            self.last_inbound.insert(id.clone(), at.or(row.conversation.last_message_at));
            self.newest_inbound = self.newest_inbound.max(at);
            let reading = self.open.as_ref() == Some(id) && tab.focus != Focus::List;
            if known && is_new && !reading {
                lines.push(format!("NEW {}, {}", tab.channel.name, describe_conversation(row, inbox)));
            }
        }
    }

    /// Announces the page, the selected row or the text field, once it changes.
    fn announce_place(&mut self, inbox: &Inbox, lines: &mut Vec<String>) {
        let tab = inbox.desk.tab();
        let moved = self.page != Some(inbox.desk.page);
        if !inbox.desk.is_inbox_shown() {
            let page = describe_page(inbox);
            match self.page_text.as_ref().filter(|_| !moved) {
                Some(before) if before.has_rows() == page.has_rows() => {
                    // Its text is known already.
                    if page.is_pending() && !page.has_rows() {
                        return;
                    }
                    if before.is_pending() {
                        lines.extend(page.changes_since(before));
                    } else if before.chosen_text() != page.chosen_text() {
                        lines.extend(page.chosen_lines());
                    }
                }
                // Another page, or its rows are loaded now.
                _ => lines.extend(page.to_lines()),
            }
            (self.page, self.page_text) = (Some(inbox.desk.page), Some(page));
            return;
        }
        let focus = tab.focus;
        let refocused = moved || self.focus != Some(focus);
        (self.page, self.focus) = (Some(inbox.desk.page), Some(focus));
        let selected = inbox.desk.list().selected_row();
        // The wait may be known only once the history was read.
        let waits = |conversation_row: &ConversationRow| {
            if conversation_row.waiting_since.is_some() { ", waiting" } else { "" }
        };
        let selected = selected.map(|conversation_row| {
            (
                conversation_row.conversation.id.clone(),
                format!("{}{}", conversation_row.conversation.title(), waits(conversation_row)),
            )
        });
        match focus {
            Focus::List if refocused || self.selected != selected => {
                (self.selected, self.empty_text) = (selected, None);
                match inbox.desk.list().selected_row() {
                    // The name is not known yet.
                    Some(row) if !is_named(row) => self.selected = None,
                    Some(row) => lines.push(describe_conversation(row, inbox)),
                    None => self.announce_empty_list(inbox, lines),
                }
            }
            Focus::List if selected.is_none() => self.announce_empty_list(inbox, lines),
            Focus::Composer if refocused => {
                let how = "a line is sent; a backslash at its end continues it, an empty line leaves";
                let row = inbox
                    .desk
                    .current_conversation()
                    .map(|current_conversation| current_conversation.conversation.title().to_string());
                let note = tab.composer.as_ref().is_some_and(|composer| composer.mode == ComposerMode::Note);
                let to = match (note, row) {
                    (true, _) => " a private note, never sent".to_owned(),
                    (false, Some(title)) => format!(" to {title}"),
                    (false, None) => String::new(),
                };
                let so_far =
                    tab.composer.as_ref().map(|composer| composer.buffer().text()).unwrap_or_default();
                let barred = inbox.desk.current_conversation().filter(|_| !note);
                lines.extend(barred.and_then(|row| row.conversation.describe_no_messages()));
                lines.push(match so_far.trim() {
                    "" => format!("Write{to}: {how}"),
                    text => format!("Continue writing{to} after \"{}\": {how}", shorten(text)),
                });
            }
            _ => (),
        }
    }

    /// Announces why a list is empty, once that is known or the reason changes.
    fn announce_empty_list(&mut self, inbox: &Inbox, lines: &mut Vec<String>) {
        let list = inbox.desk.list();
        if (list.loaded || list.resource.has_failed()) && list.page.rows.is_empty() {
            let words = empty_list_text(inbox);
            if self.empty_text.as_ref() != Some(&words) {
                lines.push(words.clone());
                self.empty_text = Some(words);
            }
        }
    }

    /// Announces messages of the open conversation, and changes of their delivery.
    fn announce_history(&mut self, inbox: &Inbox, lines: &mut Vec<String>) {
        let tab = inbox.desk.tab();
        let Some(history) = tab.history.as_ref().filter(|history| history.loaded && tab.focus != Focus::List)
        else {
            return;
        };
        let opened = self.open.as_ref() != Some(&history.conversation);
        if opened {
            self.items.clear();
            self.open = Some(history.conversation.clone());
            lines.extend(history.row.as_ref().map(|row| describe_conversation(row, inbox)));
        }
        let from = history.items.len().saturating_sub(MAX_OPENING_MESSAGES);
        for (at, item) in history.items.iter().enumerate() {
            let state = describe_progress(item, history, inbox);
            let known = self.items.insert(item.key(), state.clone());
            match known {
                None if opened && at < from => (),
                None => lines.push(describe_item((at, item), history, inbox, &state)),
                Some(before) if before != state && !state.is_empty() => {
                    lines.push(format!("{}: {state}", shorten(item.text())));
                }
                Some(_) => (),
            }
        }
    }
}

/// Explains an empty list, in one line.
fn empty_list_text(inbox: &Inbox) -> String {
    conversations::view::empty_text(inbox).replace("\n\n", " ")
}

/// Returns the lines as safe text, without empty ones.
fn clean_lines(lines: &[String]) -> Vec<String> {
    lines.iter().map(|text| SafeText::line(text).to_string()).filter(|text| !text.is_empty()).collect()
}

/// State of the AI; empty if it answers as usual, and if nothing is known on a channel without a switch.
fn automation_text(row: &ConversationRow, inbox: &Inbox) -> String {
    let origin = row.conversation.paused_by.as_ref();
    let describe =
        |origin: &PauseOrigin| format!("AI off, paused {}", origin.describe(inbox.context.team_name()));
    let words = match (row.automation_pending, row.conversation.automation) {
        (_, Automation::NotApplicable) => return origin.map(describe).unwrap_or_default(),
        (None, Automation::On | Automation::Unknown) => "",
        (Some(false), _) => "AI: pausing…",
        (Some(true), _) => "AI: resuming…",
        (None, Automation::Off) if row.paused_here => "AI off, paused here",
        (None, Automation::Off) => {
            return origin.map_or_else(|| "AI off, paused by a colleague".to_owned(), describe);
        }
    };
    words.to_owned()
}

fn is_named(row: &ConversationRow) -> bool {
    row.conversation.name.is_some() || row.conversation.address.is_some()
}

fn describe_conversation(row: &ConversationRow, inbox: &Inbox) -> String {
    let conversation = &row.conversation;
    let mut facts = vec![conversation.title().to_string()];
    let mut add = |words: String| {
        if !words.is_empty() {
            facts.push(words);
        }
    };
    if let Some(since) = row.waiting_since {
        add(format!("waiting {}", format_short_span(inbox.context.now.since(since))));
    }
    let now = inbox.context.now;
    match row.target_state(now, inbox.context.settings.targets_of(&row.channel)) {
        Some(TargetState::OnTime(left) | TargetState::Near(left)) => {
            add(format!("{} left to answer", format_short_span(left)));
        }
        Some(TargetState::Missed(late)) => add(format!("the answer is {} late", format_short_span(late))),
        None => (),
    }
    if row.is_failing() {
        add("Asked for a person".to_owned());
    }
    if let Some(words) = row.describe_trouble(inbox.context.now) {
        add(format!("trouble: {words}"));
    }
    if row.unread > 0 {
        add(format!("{} unread", row.unread));
    }
    add(automation_text(row, inbox));
    add(conversation.describe_no_messages().unwrap_or_default());
    add(team::describe_activity(inbox, &conversation.id).unwrap_or_default());
    if let Some(words) = describe_notable_window(conversation.window, row.last_inbound_at, now) {
        add(words);
    }
    if row.draft.is_some() {
        add("draft".to_owned());
    }
    format!("{}: {}", facts.join(", "), conversation.preview)
}

fn describe_item(
    (index, item): (usize, &HistoryItem),
    history: &History,
    inbox: &Inbox,
    state: &str,
) -> String {
    let who = item.sender(history.customer().as_str(), &inbox.context.settings.senders);
    let at = item.at().map(|time| time.hour_and_minute(&inbox.context.settings.zone)).unwrap_or_default();
    let media = match item {
        HistoryItem::Message(row) => {
            lines::media_label(row).map(|media_label| format!(" {media_label}")).unwrap_or_default()
        }
        HistoryItem::Outbox(..) | HistoryItem::Note(_) => String::new(),
    };
    let held = match item {
        HistoryItem::Outbox(row, _) => {
            row.remaining_hold(inbox.context.now).map(|seconds| describe_hold(inbox, row, seconds))
        }
        HistoryItem::Message(_) | HistoryItem::Note(_) => None,
    };
    let state = held.unwrap_or_else(|| state.to_owned());
    let state = if state.is_empty() { String::new() } else { format!(", {state}") };
    let album = match lines::album_at(&history.items, index) {
        Some(AlbumPlace::First(count)) => format!(", album of {count}"),
        Some(AlbumPlace::Later) => ", same album".to_owned(),
        None => String::new(),
    };
    let forwarded = match item {
        HistoryItem::Message(row) if row.message.marks.is_forwarded => ", forwarded",
        HistoryItem::Message(_) | HistoryItem::Outbox(..) | HistoryItem::Note(_) => "",
    };
    format!("{who} {at}{state}{album}{forwarded}: {}{media}", item.text())
}

/// Returns how long the row is held, and its price.
fn describe_hold(inbox: &Inbox, row: &OutboxRow, seconds: i64) -> String {
    let tab = inbox.desk.tab();
    let price = spending::price(&row.operation, tab.template_price());
    let price = price.filter(|_| tab.has_price()).map_or("price unknown".to_owned(), |price| {
        match tab.is_simulated() {
            true => "simulated, 0 credits".to_owned(),
            false => price.describe(),
        }
    });
    format!("held {seconds} s, {price}, undo")
}

/// Returns how far the message came, without countdowns.
fn describe_progress(item: &HistoryItem, history: &History, inbox: &Inbox) -> String {
    match item {
        HistoryItem::Message(row) if row.message.direction == Direction::Outbound => {
            match &row.message.delivery {
                DeliveryStatus::Other(_) => String::new(),
                delivery => delivery.word().to_owned(),
            }
        }
        HistoryItem::Message(_) | HistoryItem::Note(_) => String::new(),
        HistoryItem::Outbox(row, _) if row.is_stopped() => {
            let others = history.items.iter().filter_map(|item| match item {
                HistoryItem::Outbox(row, _) => Some(&**row),
                HistoryItem::Message(_) | HistoryItem::Note(_) => None,
            });
            row_state_view::state_line(inbox, row, others, THEME, "").0
        }
        HistoryItem::Outbox(row, _) => {
            row_state_view::state_label(row, inbox.context.now, THEME).0.to_owned()
        }
    }
}

fn shorten(text: &str) -> String {
    crate::wrap::cut(text, 40)
}

impl PlainOutput {
    /// Returns the conversations with their numbers, and records the numbers.
    pub fn list_conversations(&mut self, inbox: &Inbox) -> Vec<String> {
        self.listed = inbox.desk.list().page.rows.iter().map(ConversationRow::key).collect();
        clean_lines(&describe_list(inbox).to_lines())
    }
}
