//! The desk in lines of words, for screen readers and for terminals that can
//! do no more: what is new since it was last read out, in a stable order.
//!
//! What has no words of its own here is read from its frame, so that no screen
//! is left out.

pub(crate) mod frames_view;
pub mod help;
pub mod input;
mod switching;
pub mod unsaid;

use std::collections::HashMap;

use crate::Inbox;
use crate::connection_view;
use crate::notice::Notice;
use crate::notice::update as notice;
use crate::pages::PageKind;
use crate::plain::frames_view::{layer_lines, page_lines};
use crate::plain::switching::AnnouncedSwitch;
use crate::screens::composer::ComposerMode;
use crate::screens::conversations;
use crate::screens::history::History;
use crate::screens::history::lines;
use crate::screens::history::lines::{HistoryItem, ItemKey};
use crate::screens::outbox::row_state_view;
use crate::tab::Focus;
use crate::tabs_view;
use crate::theme_view::Theme;
use model::conversations::ConversationRow;
use model::ids::ConversationId;
use model::messages::{DeliveryStatus, Direction};
use model::news::Health;
use model::outbox::OutboxRow;
use model::queries::ConversationKey;
use model::service_window::window_label;
use model::spending;
use model::targets::TargetState;
use model::text::SafeText;
use model::time::{Timestamp, format_short_span};

/// Messages read out when a conversation is opened.
const LATEST: usize = 5;
/// Conversations a list reads out.
const LISTED: usize = 20;
/// Lines and marks in ASCII, without colours.
pub(crate) const THEME: Theme = Theme::PLAIN;

/// What has been read out already.
#[derive(Debug, Default)]
pub struct Spoken {
    tab: Option<usize>,
    page: Option<PageKind>,
    focus: Option<Focus>,
    /// What was said of a list without conversations.
    empty: Option<String>,
    /// Whether it was said how many of the tab wait.
    counted: bool,
    /// The selected conversation under the name it was called by.
    selected: Option<(ConversationId, String)>,
    open: Option<ConversationId>,
    items: HashMap<ItemKey, String>,
    /// When each conversation of the tab was last heard from, and the newest of
    /// them.
    seen: HashMap<ConversationId, Option<Timestamp>>,
    newest: Option<Timestamp>,
    /// Whether the tab's list has been read from its server.
    read_once: bool,
    /// The conversations that were read out with their numbers.
    listed: Vec<ConversationKey>,
    switches: HashMap<ConversationKey, AnnouncedSwitch>,
    welcomed: bool,
    notice: Option<Notice>,
    layer: Vec<String>,
    /// The chosen line of a page.
    chosen: Vec<String>,
    health: Option<&'static str>,
}

impl Spoken {
    /// The conversations that were read out with their numbers.
    pub fn listed(&self) -> &[ConversationKey] {
        &self.listed
    }

    /// The lines that are new.
    pub fn hear(&mut self, inbox: &Inbox) -> Vec<String> {
        let mut lines = Vec::new();
        let layer = layer_lines(inbox);
        if layer.is_empty() && !self.layer.is_empty() {
            // What was asked or filled in is gone: where is one now?
            self.focus = None;
        }
        self.tab(inbox, &mut lines);
        self.arrivals(inbox, &mut lines);
        self.switches(inbox, &mut lines);
        self.place(inbox, &mut lines);
        self.history(inbox, &mut lines);
        if self.notice != inbox.context.notice {
            lines.extend(notice::noticed(inbox).map(|pair| pair.0));
            self.notice.clone_from(&inbox.context.notice);
        }
        if self.layer != layer {
            lines.extend(layer.iter().cloned());
            if self.layer.is_empty() && inbox.context.layers.last().is_some_and(|layer| layer.takes_text()) {
                lines.push("A line goes into this field; back leaves it".to_owned());
            }
            self.layer = layer;
        }
        if !self.welcomed && inbox.desk.list().loaded {
            lines.push("Say list, a number, help or quit".to_owned());
            self.welcomed = true;
        }
        lines.iter().map(|text| SafeText::line(text).to_string()).filter(|text| !text.is_empty()).collect()
    }

    /// Forgets where the person is, so that it is read out again.
    pub fn again(&mut self) {
        (self.page, self.focus, self.selected, self.open) = (None, None, None, None);
        self.layer.clear();
    }

    fn tab(&mut self, inbox: &Inbox, lines: &mut Vec<String>) {
        let tab = inbox.desk.tab();
        if self.tab != Some(inbox.desk.active) {
            let (label, _) = tabs_view::environment(tab, THEME);
            let (at, of, name) = (inbox.desk.active + 1, inbox.desk.tabs.len(), &tab.channel.name);
            self.counted = tab.counts.needs_reply > 0 || tab.health != Health::Connecting;
            let waiting = match self.counted {
                true => format!("{} waiting", tab.counts.needs_reply),
                false => "asking the server".to_owned(),
            };
            lines.push(format!("Tab {at} of {of}: {name}, {label}, {waiting}"));
            (self.tab, self.selected, self.open) = (Some(inbox.desk.active), None, None);
            self.listed.clear();
            self.seen.clear();
            (self.newest, self.read_once) = (None, false);
        }
        let is_live = matches!(tab.health, Health::Live { .. }) && tab.list.loaded;
        if !self.counted && is_live && (tab.counts.needs_reply > 0 || tab.list.page.rows.is_empty()) {
            lines.push(format!("{} waiting", tab.counts.needs_reply));
            self.counted = true;
        }
        let mark = connection_view::mark(&tab.health);
        if self.health != Some(mark) {
            let known = self.health.replace(mark);
            if known.is_some() || !mark.is_empty() {
                lines.push(
                    connection_view::connection_label(
                        &tab.health,
                        inbox.context.now,
                        &inbox.context.settings,
                        THEME,
                    )
                    .0,
                );
            }
        }
    }

    /// Customers who wrote in conversations that are not open. What was there
    /// when the list was first read is no news.
    fn arrivals(&mut self, inbox: &Inbox, lines: &mut Vec<String>) {
        let tab = inbox.desk.tab();
        let rows = &tab.list.page.rows;
        let known = self.read_once;
        self.read_once |= matches!(tab.health, Health::Live { .. }) && tab.list.loaded && !rows.is_empty();
        // Who it is comes with the list, a moment after the message.
        for row in rows.iter().filter(|row| is_named(row)).rev() {
            // What we, the AI or a broadcast said is no news of a customer.
            let (id, at) = (&row.conversation.id, row.last_inbound_at);
            let is_new = match self.seen.get(id) {
                Some(before) => at > *before,
                None => at >= self.newest,
            };
            if known && is_new && row.unread == 0 {
                // What we said, or what is counted a moment later.
                continue;
            }
            self.seen.insert(id.clone(), at);
            self.newest = self.newest.max(at);
            let reading = self.open.as_ref() == Some(id) && tab.focus != Focus::List;
            if known && is_new && !reading {
                lines.push(format!("NEW {}, {}", tab.channel.name, describe(row, inbox)));
            }
        }
    }

    /// Where the person is.
    fn place(&mut self, inbox: &Inbox, lines: &mut Vec<String>) {
        let tab = inbox.desk.tab();
        let moved = self.page != Some(inbox.desk.page);
        if !inbox.desk.is_inbox_shown() {
            let page = page_lines(inbox);
            let chosen = page.iter().filter(|text| text.starts_with('>')).cloned().collect::<Vec<_>>();
            if moved || self.chosen != chosen {
                lines.extend(if moved { page } else { chosen.clone() });
            }
            (self.page, self.chosen) = (Some(inbox.desk.page), chosen);
            return;
        }
        let focus = tab.focus;
        let refocused = moved || self.focus != Some(focus);
        (self.page, self.focus) = (Some(inbox.desk.page), Some(focus));
        let selected = inbox.desk.list().selected_row();
        // That its customer waits may be known only once its history was read.
        let waits = |conversation_row: &ConversationRow| {
            if conversation_row.waiting_since.is_some() { ", waits" } else { "" }
        };
        let selected = selected.map(|conversation_row| {
            (
                conversation_row.conversation.id.clone(),
                format!("{}{}", conversation_row.conversation.title(), waits(conversation_row)),
            )
        });
        match focus {
            Focus::List if refocused || self.selected != selected => {
                (self.selected, self.empty) = (selected, None);
                match inbox.desk.list().selected_row() {
                    // Who it is comes a moment later.
                    Some(row) if !is_named(row) => self.selected = None,
                    Some(row) => lines.push(describe(row, inbox)),
                    None => self.none(inbox, lines),
                }
            }
            Focus::List if selected.is_none() => self.none(inbox, lines),
            Focus::Composer if refocused => {
                let how = "one line is sent, a backslash at its end goes on, an empty line leaves";
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
                    tab.composer.as_ref().map(|composer| composer.sheet().text()).unwrap_or_default();
                lines.push(match so_far.trim() {
                    "" => format!("Write{to}: {how}"),
                    text => format!("Write on{to} after \"{}\": {how}", cut(text)),
                });
            }
            _ => (),
        }
    }

    /// Why a list has no conversations, once that is known or another reason.
    fn none(&mut self, inbox: &Inbox, lines: &mut Vec<String>) {
        let list = inbox.desk.list();
        if (list.loaded || list.resource.has_failed()) && list.page.rows.is_empty() {
            let words = no_conversations(inbox);
            if self.empty.as_ref() != Some(&words) {
                lines.push(words.clone());
                self.empty = Some(words);
            }
        }
    }

    /// What was said in the open conversation, and how far each message came.
    fn history(&mut self, inbox: &Inbox, lines: &mut Vec<String>) {
        let tab = inbox.desk.tab();
        let Some(history) = tab.history.as_ref().filter(|history| history.loaded && tab.focus != Focus::List)
        else {
            return;
        };
        let opened = self.open.as_ref() != Some(&history.conversation);
        if opened {
            self.items.clear();
            self.open = Some(history.conversation.clone());
            lines.extend(history.row.as_ref().map(|row| describe(row, inbox)));
        }
        let from = history.items.len().saturating_sub(LATEST);
        for (at, item) in history.items.iter().enumerate() {
            let state = state(item, history, inbox);
            let known = self.items.insert(item.key(), state.clone());
            match known {
                None if opened && at < from => (),
                None => lines.push(said(item, history, inbox, &state)),
                Some(before) if before != state && !state.is_empty() => {
                    lines.push(format!("{}: {state}", cut(item.text())));
                }
                Some(_) => (),
            }
        }
    }
}

/// Why the list has no conversations.
fn no_conversations(inbox: &Inbox) -> String {
    conversations::view::empty_words(inbox).replace("\n\n", " ")
}

fn is_named(row: &ConversationRow) -> bool {
    row.conversation.name.is_some() || row.conversation.address.is_some()
}

fn describe(row: &ConversationRow, inbox: &Inbox) -> String {
    let conversation = &row.conversation;
    let mut facts = vec![conversation.title().to_string()];
    let mut add = |words: String| {
        if !words.is_empty() {
            facts.push(words);
        }
    };
    if let Some(since) = row.waiting_since {
        add(format!("waits {}", format_short_span(inbox.context.now.since(since))));
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
        add("AI failing".to_owned());
    }
    if let Some(words) = row.describe_trouble(inbox.context.now) {
        add(format!("trouble: {words}"));
    }
    if row.unread > 0 {
        add(format!("{} unread", row.unread));
    }
    add(conversation.automation.label().to_owned());
    let window = window_label(conversation.window, row.last_inbound_at, inbox.context.now);
    if !window.is_empty() {
        add(format!("window {window}"));
    }
    if row.draft.is_some() {
        add("draft".to_owned());
    }
    format!("{}: {}", facts.join(", "), conversation.preview)
}

fn said(item: &HistoryItem, history: &History, inbox: &Inbox, state: &str) -> String {
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
            row.remaining_hold(inbox.context.now).map(|seconds| held(inbox, row, seconds))
        }
        HistoryItem::Message(_) | HistoryItem::Note(_) => None,
    };
    let state = held.unwrap_or_else(|| state.to_owned());
    let state = if state.is_empty() { String::new() } else { format!(", {state}") };
    format!("{who} {at}{state}: {}{media}", item.text())
}

/// How long it is held, and what it costs once it leaves.
fn held(inbox: &Inbox, row: &OutboxRow, seconds: i64) -> String {
    let tab = inbox.desk.tab();
    let price = spending::price(&row.operation, tab.template_price());
    let price = price.filter(|_| tab.has_price()).map_or("price unknown".to_owned(), |price| {
        match tab.is_simulated() {
            true => "simulated, 0 credits".to_owned(),
            false => price.describe(),
        }
    });
    format!("held {seconds} s, {price}, undo takes it back")
}

/// How far it has come, in words that change only when it does.
fn state(item: &HistoryItem, history: &History, inbox: &Inbox) -> String {
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
            row_state_view::line(inbox, row, others, THEME, "").0
        }
        HistoryItem::Outbox(row, _) => row_state_view::word(row, inbox.context.now, THEME).0.to_owned(),
    }
}

fn cut(text: &str) -> String {
    crate::wrap::cut(text, 40)
}

impl Spoken {
    /// The conversations of the list with their numbers.
    pub fn list(&mut self, inbox: &Inbox) -> Vec<String> {
        let page = &inbox.desk.list().page.rows;
        let numbered = page.iter().take(LISTED).enumerate();
        let mut lines: Vec<String> =
            numbered.map(|(at, row)| format!("{} {}", at + 1, describe(row, inbox))).collect();
        match page.len() {
            0 => lines.push(no_conversations(inbox)),
            count if count > LISTED => lines.push(format!("and {} more", count - LISTED)),
            _ => (),
        }
        self.listed = page.iter().map(ConversationRow::key).collect();
        lines.iter().map(|text| SafeText::line(text).to_string()).collect()
    }
}
