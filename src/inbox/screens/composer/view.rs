//! The composer and its border: TEST, the price and the character count.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;
use ratatui::widgets::Widget;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::paint_view::Sides;
use crate::connection_state;
use crate::layout::Area;
use crate::screens::composer::attachments_view;
use crate::screens::composer::pickers_view;
use crate::screens::composer::{Composer, ComposerMode};
use crate::screens::history::lines::HistoryItem;
use crate::screens::mail;
use crate::tab::{Focus, Tab};
use crate::tabs_view;
use crate::theme_view::Theme;
use crate::wrap;
use model::attachments::ReplyAttachment;
use model::conversations::ServiceWindow;
use model::counting::TextLength;
use model::news::Health;
use model::outbox::Operation;
use model::outbox::content::ChatContent;
use model::prices::Price;

const MAX_LANGUAGE_WIDTH: usize = 20;

/// Draws the composer; returns the cursor's cell if it has the keyboard.
pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) -> Option<Position> {
    let tab = inbox.desk.tab();
    let composer = tab.composer.as_ref()?;
    let focused = tab.focus == Focus::Composer && inbox.context.overlays.is_empty();
    if let Some(head) = tab.compose_header() {
        return mail::view::draw(inbox, theme, composer, head, area, buffer);
    }
    let note = composer.mode == ComposerMode::Note;
    let locked = if note { None } else { lock_reason(tab) };
    draw_border(inbox, theme, composer, area, buffer);
    draw_wait(inbox, theme, area, buffer);
    let mut inner = area.inner();
    if let Some(quoted) = describe_quote(tab).filter(|_| !note) {
        paint_view::text(buffer, inner.x, inner.y, inner.width, &quoted, theme.dim());
        inner = Area { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
    }
    if !composer.attachments.is_empty() && !note {
        draw_attachments(tab, theme, &composer.attachments, inner, buffer);
        inner = Area { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
    }
    if composer.text().is_empty() && !focused {
        let words = match (locked.is_some(), !composer.attachments.is_empty()) {
            (true, _) => "",
            (false, true) => "Press {reply} to write a caption and send",
            (false, false) => "Press {reply} to reply",
        };
        paint_view::text(
            buffer,
            inner.x,
            inner.y,
            inner.width,
            &inbox.context.fill_in_keys(words),
            theme.dim(),
        );
        return None;
    }
    composer.text_area().render(paint_view::rect(inner), buffer);
    if !note {
        pickers_view::highlight_fields(buffer, inner, theme);
    }
    if note {
        let place = Area { height: inner.height, ..inner };
        buffer.set_style(paint_view::rect(place), theme.private_note());
    }
    focused.then(|| cursor_cell(composer, inner))
}

/// Draws the frame: TEST, the price and the count at the top, what a text waits for at the bottom.
fn draw_border(inbox: &Inbox, theme: Theme, composer: &Composer, area: Area, buffer: &mut Buffer) {
    let tab = inbox.desk.tab();
    let focused = tab.focus == Focus::Composer && inbox.context.overlays.is_empty();
    if composer.mode == ComposerMode::Note {
        let left = [
            ("Note", theme.private_note().patch(theme.strong())),
            (" · private, never sent", theme.private_note()),
        ];
        let set = theme.note_border_set();
        return paint_view::draw_frame(
            buffer,
            area,
            (set, theme.private_note()),
            Sides::Joined,
            (&left, &[]),
        );
    }
    let count = tab.count_reply(composer);
    let (counted, count_style) = format_count(theme, count);
    let right = [(counted.as_str(), count_style)];
    let parts = title_parts(tab, composer, theme);
    let mut left = Vec::new();
    for (text, style) in &parts {
        if !left.is_empty() {
            left.push((" · ", theme.dim()));
        }
        left.push((text.as_str(), *style));
    }
    let line = tabs_view::pane_border(tab, theme, focused);
    paint_view::draw_frame(buffer, area, line, Sides::Joined, (&left, &right));
}

/// Parts of the title: what is written, and its price or the reason why it cannot be sent.
fn title_parts(tab: &Tab, composer: &Composer, theme: Theme) -> Vec<(String, Style)> {
    let mut parts = Vec::new();
    if composer.is_shared {
        parts.push(("Also open in another window".to_owned(), theme.soon()));
    }
    if let Some(why) = lock_reason(tab) {
        parts.push((why, theme.soon()));
        return parts;
    }
    let (count, price) = tab.reply_price();
    if let Some(why) = tab.payment_error(price) {
        parts.push((format!("Cannot send: {why} · kept as a draft"), theme.urgent()));
        return parts;
    }
    let quoting = if composer.reply_to.is_some() { ", quoting" } else { "" };
    let language = composer.translated().map_or_else(String::new, |translated| match &translated.language {
        Some(language) => format!(" in {}", wrap::cut(language.as_str(), MAX_LANGUAGE_WIDTH)),
        None => ", translated".to_owned(),
    });
    let markup = tab.markup_label().map_or_else(String::new, |markup| format!(" as {markup}"));
    let preview = composer.link_preview.filter(|_| tab.takes_link_preview());
    let preview =
        preview.map_or("", |is_shown| if is_shown { ", link preview" } else { ", no link preview" });
    parts.push((format!("Reply{language}{markup}{quoting}{preview}"), theme.strong()));
    let (label, label_style) = tabs_view::environment_label(tab, theme);
    if !label.is_empty() {
        parts.push((label.to_owned(), label_style));
    }
    parts.push(price_label(tab, theme, (count, price)));
    parts
}

/// Price of the text, with the number of messages if it is split.
fn price_label(tab: &Tab, theme: Theme, (count, price): (usize, Price)) -> (String, Style) {
    let price = match (tab.is_simulated(), tab.has_price()) {
        (true, _) => "simulated, 0 credits".to_owned(),
        (false, true) => price.describe(),
        (false, false) => "price unknown".to_owned(),
    };
    match count {
        ..=1 => (price, Style::new()),
        count => (format!("{count} messages · {price}"), theme.soon()),
    }
}

/// Formats the count: near the limit with the characters left, above it with the excess.
fn format_count(theme: Theme, count: TextLength) -> (String, Style) {
    let TextLength { length, limit: most, .. } = count;
    let mut words = format!("{length}/{most}");
    if count.escaped {
        words.push_str(" as sent");
    }
    if let Some(segments) = count.segments.filter(|segment| *segment > 0) {
        words.push_str(&format!(" · {segments} SMS"));
    }
    if count.is_over() {
        (format!("{words} · {} TOO LONG", length - most), theme.urgent())
    } else if count.is_near() {
        (format!("{words} · {} left", most - length), theme.soon())
    } else {
        (words, theme.dim())
    }
}

fn draw_attachments(tab: &Tab, theme: Theme, attached: &[ReplyAttachment], area: Area, buffer: &mut Buffer) {
    let runs = attachments_view::attachment_runs(tab, theme, attached);
    let runs = attachments_view::as_runs(&runs);
    let prices = attachments_view::describe_prices(theme, attached);
    let right = [(prices.as_str(), theme.dim())];
    let taken = paint_view::runs_right(buffer, area.x, area.y, area.width.saturating_sub(1), &right) + 2;
    paint_view::runs(buffer, area.x, area.y, area.width.saturating_sub(taken), &runs);
}

/// The cursor's cell, clamped to the composer.
fn cursor_cell(composer: &Composer, inner: Area) -> Position {
    let (row, column) = composer.cursor_cell();
    Position {
        x: inner.x + column.min(inner.width.saturating_sub(1)),
        y: inner.y + row.min(inner.height.saturating_sub(1)),
    }
}

/// Describes an upload in progress, or the reason why a text still waits before it is sent.
fn describe_wait(inbox: &Inbox, theme: Theme, tab: &Tab) -> Option<String> {
    let history = tab.history.as_ref()?;
    let row = history.row.as_ref()?;
    let percent =
        history.rows().find_map(|row| inbox.desk.uploads.get(&row.id).filter(|_| row.can_withdraw()));
    if let Some(percent) = percent {
        return Some(format!("Uploading {}", attachments_view::progress_bar(*percent, theme)));
    }
    let words = match row.automation_pending {
        Some(false) if history.is_switch_unknown() => "AI: checking the pause…",
        Some(false) => "AI: pausing…",
        _ if history.has_due_text(inbox.context.now)
            && let Some(stop) = history.pause_stop_reason() =>
        {
            if stop.is_ambiguous() {
                "Not sent yet: the AI pause is not confirmed · {decide} decide"
            } else {
                "Not sent yet: pausing the AI failed · {decide} decide"
            }
        }
        _ if row.paused_here && history.has_due_text(inbox.context.now) => {
            return Some(describe_reload(inbox, tab));
        }
        _ => return None,
    };
    Some(inbox.context.fill_in_keys(words))
}

/// Describes why the conversation a text waits for has not been read again.
fn describe_reload(inbox: &Inbox, tab: &Tab) -> String {
    let health =
        connection_state::connection_label(&tab.health, inbox.context.now, &inbox.context.settings).0;
    match &tab.health {
        Health::Live { .. } => "Reading the conversation again…".to_owned(),
        Health::Connecting | Health::Silent { .. } => format!("Reading the conversation again: {health}"),
        Health::Offline { .. }
        | Health::Trouble { .. }
        | Health::Limited { .. }
        | Health::Refused { .. }
        | Health::Misconfigured { .. } => {
            format!("Not sent yet: the conversation could not be read · {health}")
        }
    }
}

/// Reason why nothing can be sent.
fn lock_reason(tab: &Tab) -> Option<String> {
    if tab.channel.read_only {
        return Some("Read-only · nothing can be sent".to_owned());
    }
    let row = tab.history.as_ref()?.row.as_ref()?;
    if row.conversation.address.is_none() {
        return Some("No address to reply to".to_owned());
    }
    if let Some(words) = row.conversation.describe_no_messages() {
        return Some(with_draft_label(tab, &words));
    }
    if row.conversation.window == ServiceWindow::Closed && awaits_reply(tab) {
        return Some(with_draft_label(tab, "Template sent · waiting for a reply to reopen"));
    }
    if row.conversation.window == ServiceWindow::Closed {
        return Some(with_draft_label(tab, "Reply window closed · only templates can be sent"));
    }
    None
}

/// Adds "draft kept" if there is a draft.
fn with_draft_label(tab: &Tab, words: &str) -> String {
    match tab.composer.as_ref().is_some_and(Composer::has_reply) {
        true => format!("{words} · draft kept"),
        false => words.to_owned(),
    }
}

fn awaits_reply(tab: &Tab) -> bool {
    let newest = tab
        .history
        .as_ref()
        .and_then(|history| history.items.iter().rev().find(|item| !matches!(item, HistoryItem::Note(_))));
    match newest {
        Some(HistoryItem::Message(row)) => row.sent_here && row.message.content_type == "template",
        Some(HistoryItem::Outbox(row, _)) => {
            matches!(row.operation, Operation::SendContent { content: ChatContent::Template(_), .. })
                && !row.is_stopped()
        }
        _ => false,
    }
}

fn describe_quote(tab: &Tab) -> Option<String> {
    let composer = tab.composer.as_ref()?;
    let reply_to = composer.reply_to.as_ref()?;
    let history = tab.history.as_ref()?;
    let row = history
        .items
        .iter()
        .filter_map(crate::screens::history::message_of)
        .find(|message_row| message_row.message.id == *reply_to)?;
    let words = row.message.content.as_str().replace('\n', " ");
    Some(wrap::cut(&format!("↪ {words}"), 300))
}

/// Shows at the bottom of the frame what a text waits for.
fn draw_wait(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let Some(reason) = describe_wait(inbox, theme, inbox.desk.tab()) else { return };
    let y = area.y + area.height.saturating_sub(1);
    let width = area.width.saturating_sub(2);
    paint_view::runs_right(buffer, area.x + 1, y, width, &[(&format!(" {reason} "), theme.soon())]);
}
