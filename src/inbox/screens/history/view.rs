//! The message history: sender, time, text and delivery state of the lines in the current window.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::command::Command;
use crate::components::loading_view;
use crate::components::paint_view;
use crate::components::paint_view::{Run, Sides};
use crate::features::team::describe_presence;
use crate::keymap::update as keymap;
use crate::layout::Area;
use crate::loads::Pane;
use crate::screens::composer::{Composer, ComposerMode};
use crate::screens::conversations::card::update as card;
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
use model::service_window::describe_notable_window;
use model::text::SafeText;
use model::time::{MINUTE, Timestamp, format_short_span};

/// Time before the end of a pause at which the end is shown, in microseconds.
const LEASE_WARNING_TIME: i64 = 30 * MINUTE;

/// Draws the history with its frame; the composer closes it below.
pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let tab = inbox.desk.tab();
    let focused =
        tab.focus == Focus::History && !card::has_focus(&inbox.desk) && inbox.context.overlays.is_empty();
    let Some(history) = &tab.history else {
        paint_view::draw_frame(
            buffer,
            area,
            tabs_view::pane_border(tab, theme, focused),
            Sides::NoBottom,
            (&[], &[]),
        );
        return;
    };
    let title = title(history);
    let state = state_runs(inbox, theme, tab);
    let state: Vec<Run<'_>> = state.iter().map(|(words, style)| (words.as_str(), *style)).collect();
    let (sides, border) = if tab.hides_composer() { (Sides::All, 2) } else { (Sides::NoBottom, 1) };
    let line = tabs_view::pane_border(tab, theme, focused);
    paint_view::draw_frame(buffer, area, line, sides, (&[(&title, theme.strong())], &state));
    let inner = Area { height: area.height.saturating_sub(border), ..area.inner() };
    if !history.loaded {
        paint_view::text(
            buffer,
            inner.x + 1,
            inner.y + inner.height.saturating_sub(1),
            inner.width,
            &loading_view::empty_pane_text(inbox, Pane::History),
            theme.dim(),
        );
    }
    for (place, line) in history.lines_in(inner) {
        draw_line(inbox, theme, history, line, place, buffer);
    }
    if history.arrived_below > 0 {
        let words = format!(" {} new below · G ", history.arrived_below);
        let y = inner.y + inner.height.saturating_sub(1);
        paint_view::runs_right(buffer, inner.x, y, inner.width, &[(&words, theme.strong())]);
    }
}

fn title(history: &History) -> String {
    let Some(row) = &history.row else { return mail::view::new_mail_title(history) };
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

/// Parts of the title about an unusual state.
fn state_runs(inbox: &Inbox, theme: Theme, tab: &Tab) -> Vec<(String, Style)> {
    let Some(history) = &tab.history else { return Vec::new() };
    let Some(row) = &history.row else { return Vec::new() };
    let presence = describe_presence(inbox, &history.conversation).map(|words| (words, theme.colleague()));
    if let Some(thread) = &row.thread {
        let mut runs = mail::view::state_runs(theme, history, thread);
        if let Some(presence) = presence {
            let between = (!runs.is_empty()).then(|| (" · ".to_owned(), theme.dim()));
            runs.splice(0..0, std::iter::once(presence).chain(between));
        }
        return runs;
    }
    let mut parts: Vec<(String, Style)> = Vec::new();
    parts.extend(presence);
    parts.extend(automation_state(inbox, theme, history, row));
    parts.extend(window_state(theme, row, inbox.context.now));
    if row.conversation.status == ConversationStatus::Closed {
        parts.push(("Closed".to_owned(), theme.strong()));
    } else if row.close_pending {
        let is_held = inbox.changes.has_held_close(&row.channel, &row.conversation.id, &inbox.context);
        let words = match is_held {
            true => format!("Closing · {}", keymap::undo_hint(&inbox.desk, &inbox.context)),
            false => "Closing".to_owned(),
        };
        parts.push((words, theme.strong()));
    }
    let (drafts, style) = draft_view::draft_state(theme, row);
    if !drafts.is_empty() {
        let is_answered = tab.composer.as_ref().is_some_and(Composer::has_reply);
        let keys = if draft_view::has_ready_draft(row) && !is_answered {
            inbox.context.fill_in_keys(", {write} {suggest-draft}")
        } else {
            String::new()
        };
        parts.push((format!("{drafts}{keys}"), style));
    }
    if tab.counts.proposals.contains(&history.conversation) {
        let is_outdated = row.proposed_at.is_some_and(|at| Some(at) < row.conversation.last_message_at);
        let (word, style) =
            if is_outdated { ("Proposal too old", theme.dim()) } else { ("Proposal", Style::new()) };
        parts.push((format!("{word} · {}", inbox.context.key_of(Command::NeedsYou)), style));
    }
    let mut runs = Vec::new();
    for part in parts {
        if !runs.is_empty() {
            runs.push((" · ".to_owned(), theme.dim()));
        }
        runs.push(part);
    }
    runs
}

/// State of the AI, `None` if it answers as usual.
fn automation_state(
    inbox: &Inbox,
    theme: Theme,
    history: &History,
    row: &ConversationRow,
) -> Option<(String, Style)> {
    let now = inbox.context.now;
    let colleague = describe_colleague(inbox, row).map(|words| (words, theme.colleague()));
    match (row.automation_pending, row.conversation.automation) {
        (_, Automation::NotApplicable) => colleague,
        (Some(_), _) if history.is_switch_unknown() => Some(("AI: checking…".to_owned(), theme.strong())),
        (Some(false), _) => Some(("AI: pausing…".to_owned(), theme.strong())),
        (Some(true), _) => Some(("AI: resuming…".to_owned(), theme.strong())),
        (None, Automation::Off) => Some((describe_holder(inbox, row), theme.ai_off(row.paused_here))),
        (None, Automation::On) => match row.unanswered_since(now) {
            Some(since) => {
                let span = format_short_span(now.since(since));
                Some((format!("AI silent for {span} since you handed back"), theme.urgent()))
            }
            None if colleague.is_some() => colleague,
            None if row.is_failing() => Some(("Asked for a person".to_owned(), theme.urgent())),
            None => None,
        },
        (None, other) => Some((other.label().to_owned(), theme.dim())),
    }
}

/// Service window, if it is closed, unknown or about to close.
fn window_state(theme: Theme, row: &ConversationRow, now: Timestamp) -> Option<(String, Style)> {
    let window = row.conversation.window;
    let words = describe_notable_window(window, row.last_inbound_at, now)?;
    let style = match window {
        ServiceWindow::Closed => theme.strong(),
        ServiceWindow::Open => theme.soon(),
        ServiceWindow::Unknown | ServiceWindow::NotApplicable => theme.dim(),
    };
    Some((words, style))
}

/// Names the colleague who has the conversation.
fn describe_colleague(inbox: &Inbox, row: &ConversationRow) -> Option<String> {
    let claim = row.local.claim.as_ref().filter(|claim| claim.agent != inbox.context.settings.agent)?;
    Some(format!("{} has it", claim.agent))
}

/// Says who paused the AI, or where, if it was not on this desk.
pub(crate) fn describe_pause_elsewhere(inbox: &Inbox, row: &ConversationRow) -> String {
    match &row.conversation.paused_by {
        Some(origin) => format!("AI paused {}", origin.describe(inbox.context.team_name())),
        None => "Paused by a colleague".to_owned(),
    }
}

/// Says who has the conversation while the AI is paused, with the end of the pause once it is near.
fn describe_holder(inbox: &Inbox, row: &ConversationRow) -> String {
    if let Some(holder) = describe_colleague(inbox, row) {
        return format!("AI paused · {holder}");
    }
    if !row.paused_here {
        return describe_pause_elsewhere(inbox, row);
    }
    let holder = match row.paused_by_other(&inbox.context.settings.agent) {
        Some(name) => format!(" · {name} has it"),
        // A pause alone claims nothing.
        None if row.local.claim.is_none() => String::new(),
        None => " · you have it".to_owned(),
    };
    let lease = describe_lease(inbox, row).map_or_else(String::new, |text| format!(" · {text}"));
    format!("AI paused{holder}{lease}")
}

/// Names who paused the AI, with the age of the pause and its lease if known.
pub fn describe_pause(inbox: &Inbox, row: &ConversationRow) -> String {
    let now = inbox.context.now;
    if !row.paused_here {
        return "someone else".to_owned();
    }
    let other = row.paused_by_other(&inbox.context.settings.agent);
    let who = other.map_or("you", SafeText::as_str);
    let age = row.paused.as_ref().map(|(_, since)| now.since(*since)).filter(|number| *number >= MINUTE);
    let age = age.map_or_else(String::new, |age| format!(" {}", format_short_span(age)));
    let lease = describe_lease(inbox, row).map_or_else(String::new, |text| format!(", {text}"));
    format!("{who}{age}{lease}")
}

/// Remaining lease of a pause made here, once its end is near.
fn describe_lease(inbox: &Inbox, row: &ConversationRow) -> Option<String> {
    let lease = inbox.context.settings.pause_lease;
    let ends = row.lease_from.filter(|_| lease > 0)?.plus(lease);
    match ends.since(inbox.context.now) {
        left if left <= 0 => Some("reminder due".to_owned()),
        left if left <= LEASE_WARNING_TIME.min(lease / 2) => {
            Some(format!("reminder in {}", format_short_span(left)))
        }
        _ => None,
    }
}

/// Draws the kind and the time of a listed call or text where messages have author and time.
fn draw_kind_and_time(theme: Theme, (kind, time): (&str, String), gutter: Area, buffer: &mut Buffer) {
    let time_x = gutter.x + gutter.width.saturating_sub(7);
    let room = time_x.saturating_sub(gutter.x + 2);
    paint_view::text(buffer, gutter.x + 1, gutter.y, room, kind, theme.dim());
    paint_view::text(buffer, time_x, gutter.y, 5, &time, theme.dim());
}

fn draw_line(
    inbox: &Inbox,
    theme: Theme,
    history: &History,
    line: &HistoryLine,
    area: Area,
    buffer: &mut Buffer,
) {
    let gutter = u16::try_from(crate::desk::Desk::gutter_width(usize::from(area.width))).unwrap_or(18);
    let text_x = area.x + gutter;
    let text_width = area.width.saturating_sub(gutter);
    match line {
        HistoryLine::Day(name) => draw_centered(buffer, area, name, theme.dim()),
        HistoryLine::Note(words) => draw_centered(buffer, area, words, theme.dim()),
        HistoryLine::Event(event) => {
            let time = event.at.hour_and_minute(&inbox.context.settings.zone);
            let words = format!(" {time} {} ", event.describe(&inbox.context.settings.agent));
            draw_rule(buffer, area, theme, theme.border(false));
            draw_centered(buffer, area, &words, theme.dim());
        }
        HistoryLine::Divider => draw_divider(buffer, area, theme),
        HistoryLine::Quote(_, words) => {
            paint_view::text(buffer, text_x, area.y, text_width, words, theme.dim());
        }
        HistoryLine::Generated(_, words) => {
            paint_view::text(buffer, text_x, area.y, text_width, words, theme.dim());
        }
        HistoryLine::Listed(head, words) => {
            if let Some((at, kind)) = head {
                let head = (kind.as_str(), at.hour_and_minute(&inbox.context.settings.zone));
                draw_kind_and_time(theme, head, Area { width: gutter, ..area }, buffer);
            }
            paint_view::text(buffer, text_x, area.y, text_width, words, Style::new());
        }
        HistoryLine::Gap => (),
        HistoryLine::Album(item, count) => {
            if let Some(found) = history.items.get(*item) {
                text_view::draw_sender(inbox, theme, history, found, area, buffer);
                let words = format!("Album of {count}");
                paint_view::text(buffer, text_x, area.y, text_width, &words, theme.dim());
            }
        }
        HistoryLine::MailFrom(item) => {
            if let Some(found) = history.items.get(*item) {
                header_view::draw_sender(inbox, theme, history, found, area, buffer);
            }
        }
        HistoryLine::MailField(_, line) => header_view::draw_field(theme, line, area, buffer),
        HistoryLine::Text { item, part, first, last } => {
            if let Some(found) = history.items.get(*item) {
                text_view::draw(inbox, theme, history, found, (part, *first, *last), area, buffer);
            }
        }
        HistoryLine::Reaction(item) => {
            if let Some(HistoryItem::Message(row)) = history.items.get(*item) {
                let words = describe_reactions(row);
                paint_view::text(buffer, text_x, area.y, text_width, &words, theme.dim());
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
                let (words, style) = state_line(inbox, theme, history, row, usize::from(text_width));
                paint_view::text(buffer, text_x, area.y, text_width, &words, style);
            }
        }
    }
    if let Some(item) = lines::item_index(line)
        && history.selected.is_some()
        && history.selected_index() == Some(item)
    {
        paint_view::text(buffer, area.x, area.y, 1, theme.selection_mark(), theme.strong());
    }
}

/// State of an outbox row, with the keys that fit into `width` columns.
fn state_line(
    inbox: &Inbox,
    theme: Theme,
    history: &History,
    row: &OutboxRow,
    width: usize,
) -> (String, Style) {
    let back = keymap::undo_hint(&inbox.desk, &inbox.context);
    let line = |keys: &str| row_state_view::state_line(inbox, row, history.rows(), theme, keys);
    let send = inbox.context.settings.keymap.key_name_in_text(Command::Send);
    let now = if is_sent_by_send_key(inbox, row) { format!(" · {send} sends now") } else { String::new() };
    let (whole, style) = line(&format!("{back}{now}"));
    // Without room for both keys, keep the one that recalls.
    let words = if wrap::cells(&whole) <= width { whole } else { line(&back).0 };
    (words, style)
}

/// True if a key here ends the hold of this message: only from an empty, focused reply.
fn is_sent_by_send_key(inbox: &Inbox, row: &OutboxRow) -> bool {
    let tab = inbox.desk.tab();
    let is_empty = |composer: &Composer| composer.mode == ComposerMode::Reply && !composer.has_reply();
    tab.focus == Focus::Composer
        && row.operation.is_customer_message()
        && tab.composer.as_ref().is_some_and(is_empty)
        && inbox.changes.ends_hold_on_send(row, &inbox.desk)
}

fn draw_centered(buffer: &mut Buffer, area: Area, words: &str, style: Style) {
    let wide = u16::try_from(wrap::cells(words)).unwrap_or(0).min(area.width);
    let x = area.x + (area.width - wide) / 2;
    paint_view::text(buffer, x, area.y, wide, words, style);
}

fn draw_rule(buffer: &mut Buffer, area: Area, theme: Theme, style: Style) {
    let across = theme.border_set()[4];
    for x in area.x + 1..area.x + area.width.saturating_sub(1) {
        paint_view::text(buffer, x, area.y, 1, across, style);
    }
}

fn draw_divider(buffer: &mut Buffer, area: Area, theme: Theme) {
    draw_rule(buffer, area, theme, theme.dim());
    paint_view::text(buffer, area.x + 3, area.y, area.width, " new since you looked ", theme.strong());
}

fn describe_reactions(row: &MessageRow) -> String {
    match (&row.reaction, &row.reaction_pending) {
        (_, Some(pending)) if pending.is_empty() => "your reaction: being removed".to_owned(),
        (_, Some(pending)) => format!("your reaction: {pending} (sending)"),
        (Some(reaction), None) => format!("your reaction: {reaction}"),
        (None, None) => String::new(),
    }
}
