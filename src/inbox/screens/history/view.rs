//! The message history: sender, time, text, and how far each message came.
//!
//! It draws the window the inbox gives.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::command::Command;
use crate::components::loading_view;
use crate::components::paint_view;
use crate::components::paint_view::{Run, Sides};
use crate::desk::SecondConversation;
use crate::layout::Area;
use crate::loads::Pane;
use crate::screens::composer::{Composer, ComposerMode};
use crate::screens::conversations::draft_only::view as draft_view;
use crate::screens::history::History;
use crate::screens::history::lines;
use crate::screens::history::lines::{HistoryItem, HistoryLine};
use crate::screens::history::pictures_view;
use crate::screens::history::text_view;
use crate::screens::mail;
use crate::screens::mail::header_view;
use crate::screens::outbox::row_state_view;
use crate::tab::{Focus, Tab};
use crate::tabs_view;
use crate::theme_view::Theme;
use crate::wrap;
use model::conversations::{Automation, ConversationRow, ConversationStatus, ServiceWindow};
use model::messages::MessageRow;
use model::outbox::OutboxRow;
use model::service_window::window_label;
use model::text::SafeText;
use model::time::{MINUTE, format_short_span};

/// How long before its end a pause says when it ends.
const LEASE_NEAR: i64 = 30 * MINUTE;

/// Draws the history with its frame; the composer closes it below.
pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let tab = inbox.desk.tab();
    let focused = tab.focus == Focus::History && inbox.context.layers.is_empty();
    let Some(history) = &tab.history else {
        paint_view::frame_of(buffer, area, tabs_view::line(tab, theme, focused), Sides::Open, (&[], &[]));
        return;
    };
    let title = title(history);
    let state = state(inbox, theme, tab);
    let state: Vec<Run<'_>> = state.iter().map(|(words, style)| (words.as_str(), *style)).collect();
    let (sides, border) = if tab.hides_composer() { (Sides::All, 2) } else { (Sides::Open, 1) };
    let line = tabs_view::line(tab, theme, focused);
    paint_view::frame_of(buffer, area, line, sides, (&[(&title, theme.strong())], &state));
    let inner = Area { height: area.height.saturating_sub(border), ..area.inner() };
    if !history.loaded {
        paint_view::text(
            buffer,
            inner.x + 1,
            inner.y + inner.height.saturating_sub(1),
            inner.width,
            &loading_view::empty_pane_text(inbox, Pane::History),
            theme.quiet(),
        );
    }
    for (place, line) in history.lines_in(inner) {
        draw_line(inbox, theme, history, line, place, buffer);
    }
    if history.below > 0 {
        let words = format!(" {} new below · G ", history.below);
        let y = inner.y + inner.height.saturating_sub(1);
        paint_view::runs_right(buffer, inner.x, y, inner.width, &[(&words, theme.selected())]);
    }
}

/// Draws the conversation that is kept beside the first: only to be read.
pub fn draw_second(
    inbox: &Inbox,
    theme: Theme,
    second: &SecondConversation,
    area: Area,
    buffer: &mut Buffer,
) {
    let history = &second.history;
    let tab = inbox.desk.tabs.iter().find(|tab| tab.channel.id == second.key.channel);
    let name = tab.map_or("", |tab| tab.channel.name.as_str());
    let title = title(history);
    let right = [(name, theme.quiet()), (" · beside", theme.quiet())];
    let line = tab.map_or_else(
        || ((theme.border_set(), theme.joints()), theme.border(false)),
        |tab| tabs_view::line(tab, theme, false),
    );
    paint_view::frame_of(buffer, area, line, Sides::All, (&[(&title, theme.strong())], &right));
    let inner = area.inner();
    if !history.loaded {
        paint_view::text(
            buffer,
            inner.x + 1,
            inner.y + inner.height.saturating_sub(1),
            inner.width,
            &loading_view::empty_pane_text(inbox, Pane::Beside),
            theme.quiet(),
        );
    }
    for (place, line) in history.lines_in(inner) {
        draw_line(inbox, theme, history, line, place, buffer);
    }
}

/// Who it is: name and address.
fn title(history: &History) -> String {
    let Some(row) = &history.row else { return mail::view::title_of_new(history) };
    let conversation = &row.conversation;
    if let Some(thread) = &row.thread {
        return mail::view::title(row, thread);
    }
    let title = conversation.title();
    match &conversation.address {
        Some(address) if title.as_str() != address => {
            let address = model::text::SafeText::line(address);
            format!("{title} · {address}")
        }
        _ => title.to_string(),
    }
}

/// The AI's state and the window's, at the right of the title.
fn state(inbox: &Inbox, theme: Theme, tab: &Tab) -> Vec<(String, Style)> {
    let Some(history) = &tab.history else { return Vec::new() };
    let Some(row) = &history.row else { return Vec::new() };
    if let Some(thread) = &row.thread {
        return mail::view::state(theme, history, thread);
    }
    let mut out = vec![ai(inbox, theme, history, row)];
    let window = match row.conversation.window {
        ServiceWindow::NotApplicable => String::new(),
        ServiceWindow::Closed => "window closed".to_owned(),
        ServiceWindow::Unknown => "window ?".to_owned(),
        ServiceWindow::Open => {
            match window_label(ServiceWindow::Open, row.last_inbound_at, inbox.context.now).as_str() {
                "open" => "window open".to_owned(),
                left => format!("window open {left}"),
            }
        }
    };
    if !window.is_empty() {
        let closed = row.conversation.window == ServiceWindow::Closed;
        out.push((" · ".to_owned(), theme.quiet()));
        out.push((window, if closed { theme.error() } else { Style::new() }));
    }
    if row.conversation.status == ConversationStatus::Closed {
        out.push((" · ".to_owned(), theme.quiet()));
        out.push(("closed".to_owned(), theme.strong()));
    } else if row.close_pending {
        out.push((" · ".to_owned(), theme.quiet()));
        let held = inbox.changes.holds_close(&row.channel, &row.conversation.id, &inbox.context);
        let words = if held {
            format!("closing, {} keeps it open", inbox.desk.undo_key(&inbox.context))
        } else {
            "closing".to_owned()
        };
        out.push((words, theme.under_way()));
    }
    let (drafts, style) = draft_view::state(theme, row);
    if !drafts.is_empty() {
        let is_answered = tab.composer.as_ref().is_some_and(Composer::has_reply);
        let keys = if draft_view::has_ready_draft(row) && !is_answered {
            inbox.context.keyed(", {write} {suggest-draft}")
        } else {
            String::new()
        };
        out.push((format!(" · {drafts}{keys}"), style));
    }
    // What is proposed waits now, whatever time is shown.
    if tab.counts.proposals.contains(&history.conversation) {
        let words = format!(" · proposal, {}", inbox.context.key_of(Command::ShowProposals));
        out.push((words, theme.needs_a_person()));
    }
    out.retain(|(words, _)| !words.is_empty());
    out
}

fn ai(inbox: &Inbox, theme: Theme, history: &History, row: &ConversationRow) -> (String, Style) {
    let now = inbox.context.now;
    match (row.automation_pending, row.conversation.automation) {
        (Some(_), Automation::NotApplicable) => (String::new(), Style::new()),
        (Some(_), _) if history.switch_is_unclear() => {
            ("AI on or off? asking…".to_owned(), theme.under_way())
        }
        (Some(false), _) => ("AI pausing…".to_owned(), theme.under_way()),
        (Some(true), _) => ("AI waking…".to_owned(), theme.under_way()),
        (None, Automation::Off) => {
            (format!("AI OFF by {}", paused_by(inbox, row)), theme.ai_off(row.paused_here))
        }
        (None, Automation::On) => match row.unanswered_since(now) {
            Some(since) => {
                let span = format_short_span(now.since(since));
                (format!("AI ON · SILENT {span} since you handed back"), theme.error())
            }
            None if row.is_failing() => ("AI ON · AI failing".to_owned(), theme.error()),
            None => ("AI ON".to_owned(), theme.ai_on()),
        },
        (None, other) => (other.label().to_owned(), theme.quiet()),
    }
}

/// Who paused the AI, and how long ago, where that is known.
pub fn paused_by(inbox: &Inbox, row: &ConversationRow) -> String {
    let now = inbox.context.now;
    if !row.paused_here {
        return "someone else".to_owned();
    }
    let agent = &inbox.context.settings.agent;
    let other = row.paused.as_ref().map(|pair| &pair.0).filter(|text| !text.is_empty() && *text != agent);
    let who = other.map_or("you", SafeText::as_str);
    let age = row.paused.as_ref().map(|(_, since)| now.since(*since)).filter(|number| *number >= MINUTE);
    let age = age.map_or_else(String::new, |age| format!(" {}", format_short_span(age)));
    let lease = lease_words(inbox, row).map_or_else(String::new, |text| format!(", {text}"));
    format!("{who}{age}{lease}")
}

/// When the lease of a pause made here ends, once that is near.
fn lease_words(inbox: &Inbox, row: &ConversationRow) -> Option<String> {
    let lease = inbox.context.settings.pause_lease;
    let ends = row.lease_from.filter(|_| lease > 0)?.plus(lease);
    match ends.since(inbox.context.now) {
        left if left <= 0 => Some("over".to_owned()),
        left if left <= LEASE_NEAR.min(lease / 2) => Some(format!("ends in {}", format_short_span(left))),
        _ => None,
    }
}

fn draw_line(
    inbox: &Inbox,
    theme: Theme,
    history: &History,
    line: &HistoryLine,
    area: Area,
    buffer: &mut Buffer,
) {
    let gutter = u16::try_from(crate::desk::Desk::gutter(usize::from(area.width))).unwrap_or(18);
    let text_x = area.x + gutter;
    let text_width = area.width.saturating_sub(gutter);
    match line {
        HistoryLine::Day(name) => centered(buffer, area, name, theme.quiet()),
        HistoryLine::Note(words) => centered(buffer, area, words, theme.quiet()),
        HistoryLine::Divider => divider(buffer, area, theme),
        HistoryLine::Quote(_, words) => {
            paint_view::text(buffer, text_x, area.y, text_width, words, theme.quiet());
        }
        HistoryLine::Made(_, words) => {
            paint_view::text(buffer, text_x, area.y, text_width, words, theme.quiet());
        }
        HistoryLine::Gap => (),
        HistoryLine::MailFrom(item) => {
            if let Some(found) = history.items.get(*item) {
                header_view::from(inbox, theme, history, found, area, buffer);
            }
        }
        HistoryLine::MailField(_, words) => header_view::field(theme, words, area, buffer),
        HistoryLine::Text { item, part, first, last } => {
            if let Some(found) = history.items.get(*item) {
                text_view::draw(inbox, theme, history, found, (part, *first, *last), area, buffer);
            }
        }
        HistoryLine::Reaction(item) => {
            if let Some(HistoryItem::Message(row)) = history.items.get(*item) {
                let words = reaction(row);
                paint_view::text(buffer, text_x, area.y, text_width, &words, theme.own());
            }
        }
        HistoryLine::Picture { item, row } => {
            if let Some(item) = history.items.get(*item) {
                let room = crate::desk::Desk::text_width(usize::from(area.width));
                let width = u16::try_from(room).unwrap_or(text_width);
                pictures_view::draw_row(inbox, theme, item, *row, Area { x: text_x, width, ..area }, buffer);
            }
        }
        HistoryLine::State(item) => {
            if let Some(HistoryItem::Outbox(row, _)) = history.items.get(*item) {
                let back = format!("{} takes it back", inbox.desk.undo_key(&inbox.context));
                let told = |keys: &str| row_state_view::line(inbox, row, history.rows(), theme, keys);
                let now = if send_sends_it(inbox, row) { " · {send} sends now" } else { "" };
                let (whole, style) = told(&format!("{back}{now}"));
                // Where there is no room for both keys, the one that takes it back stays.
                let fits = wrap::cells(&whole) <= usize::from(text_width);
                let words = if fits { whole } else { told(&back).0 };
                paint_view::text(buffer, text_x, area.y, text_width, &words, style);
            }
        }
    }
    if let Some(item) = lines::item_of(line)
        && history.selected.is_some()
        && history.selected_index() == Some(item)
    {
        paint_view::text(buffer, area.x, area.y, 1, theme.mark(), theme.strong());
    }
}

/// Whether the key that sends ends the hold of a message: only on an empty
/// answer that has the keyboard.
fn send_sends_it(inbox: &Inbox, row: &OutboxRow) -> bool {
    let tab = inbox.desk.tab();
    let is_empty = |composer: &Composer| composer.mode == ComposerMode::Reply && !composer.has_reply();
    tab.focus == Focus::Composer
        && row.operation.is_customer_message()
        && tab.composer.as_ref().is_some_and(is_empty)
        && inbox.changes.is_sent_now(row, &inbox.desk)
}

fn centered(buffer: &mut Buffer, area: Area, words: &str, style: Style) {
    let wide = u16::try_from(wrap::cells(words)).unwrap_or(0).min(area.width);
    let x = area.x + (area.width - wide) / 2;
    paint_view::text(buffer, x, area.y, wide, words, style);
}

fn divider(buffer: &mut Buffer, area: Area, theme: Theme) {
    let across = theme.border_set()[4];
    for x in area.x + 1..area.x + area.width.saturating_sub(1) {
        paint_view::text(buffer, x, area.y, 1, across, theme.quiet());
    }
    paint_view::text(buffer, area.x + 3, area.y, area.width, " new since you looked ", theme.strong());
}

fn reaction(row: &MessageRow) -> String {
    match (&row.reaction, &row.reaction_pending) {
        (_, Some(pending)) if pending.is_empty() => "your reaction: being removed".to_owned(),
        (_, Some(pending)) => format!("your reaction: {pending} (on its way)"),
        (Some(reaction), None) => format!("your reaction: {reaction}"),
        (None, None) => String::new(),
    }
}
