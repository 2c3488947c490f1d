//! The card: who the customer is, as far as the conversation tells.
//!
//! Knows nothing of contacts.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::app::App;
use crate::app::layout::Area;
use crate::model::conversations::{ConversationRow, Escalation, ServiceWindow, window_left};
use crate::model::time::{HOUR, MINUTE, short_span};
use crate::ui::paint::{self, Sides};
use crate::ui::theme::Theme;

/// Draws the card of the conversation at hand.
pub fn draw(app: &App, theme: Theme, area: Area, buffer: &mut Buffer) {
    paint::frame(buffer, area, theme, false, Sides::All, (&[("Card", theme.strong())], &[]));
    let Some(row) = app.at_hand() else { return };
    let inner = area.inner();
    let mut y = inner.y;
    for (label, words, style) in facts(app, theme, row) {
        if y >= inner.y + inner.height {
            return;
        }
        if words.is_empty() {
            y += 1;
            paint::text(buffer, inner.x + 1, y, inner.width, label, theme.strong());
            y += 1;
            continue;
        }
        paint::text(buffer, inner.x + 1, y, 10, label, theme.dim());
        let place = Area {
            x: inner.x + 11,
            y,
            width: inner.width.saturating_sub(12),
            height: (inner.y + inner.height - y).min(4),
        };
        y += paint::paragraph(buffer, place, &words, style).max(1);
    }
}

/// Label, words and style of each line; no words makes a heading.
fn facts<'a>(app: &App, theme: Theme, row: &ConversationRow) -> Vec<(&'a str, String, Style)> {
    let plain = Style::new();
    let conversation = &row.conversation;
    let mut facts = vec![("name", conversation.title().to_string(), theme.strong())];
    let mut add = |label, words: Option<String>| {
        if let Some(words) = words {
            facts.push((label, words, plain));
        }
    };
    let safe = |it: &String| crate::model::text::SafeText::line(it).to_string();
    add("address", conversation.address.as_ref().map(safe));
    add("user name", conversation.username.as_ref().map(|it| format!("@{it}")));
    add("email", conversation.email.as_ref().map(ToString::to_string));
    add("status", Some(safe(&conversation.status.word().to_owned())));
    add("messages", Some(conversation.message_count.to_string()));
    let offset = app.settings.offset_minutes;
    add("since", conversation.created_at.map(|it| it.day_name(offset)));
    let ago = |it| match short_span(app.now.since(it)).as_str() {
        "now" => "just now".to_owned(),
        span => format!("{span} ago"),
    };
    add("last", conversation.last_message_at.map(ago));
    add("waits", row.waiting_since.map(|it| short_span(app.now.since(it))));
    add("AI", Some(conversation.automation.label().to_owned()).filter(|it| !it.is_empty()));
    if let Escalation::Asks(why) = &conversation.escalation {
        add("AI failing", Some(why.to_string()));
    }
    add("trouble", row.trouble_sum(app.now));
    add("claimed", claim(app, row));
    add("tags", tags(row));
    let snooze = row.local.snooze.as_ref();
    add("snoozed", snooze.map(|it| it.words(app.now, offset)));
    add("window", window(app, row));
    if let Some(referral) = &conversation.referral {
        add("Came from an ad", Some(String::new()));
        add("source", referral.source_type.as_ref().map(ToString::to_string));
        add("headline", referral.headline.as_ref().map(ToString::to_string));
        add("text", referral.body.as_ref().map(ToString::to_string));
        add("link", referral.source_url.as_ref().map(ToString::to_string));
    }
    facts
}

/// The window, with the countdown called what it is.
fn window(app: &App, row: &ConversationRow) -> Option<String> {
    match row.conversation.window {
        ServiceWindow::NotApplicable => None,
        ServiceWindow::Unknown => Some("not told".to_owned()),
        ServiceWindow::Closed => Some("closed: only templates".to_owned()),
        ServiceWindow::Open => Some(match window_left(row.last_inbound_at, app.now) {
            Some(left) => format!("open, about {}h {}m left (estimate)", left / HOUR, left % HOUR / MINUTE),
            None => "open".to_owned(),
        }),
    }
}

/// Who takes care of it, and since when.
fn claim(app: &App, row: &ConversationRow) -> Option<String> {
    let claim = row.local.claim.as_ref()?;
    Some(format!("by {} for {} (noted on this desk)", claim.agent, short_span(app.now.since(claim.at))))
}

/// The tags; those the server does not know are marked.
fn tags(row: &ConversationRow) -> Option<String> {
    let tags = &row.local.tags;
    let words: Vec<&str> = tags.iter().map(|it| it.word.as_str()).collect();
    let here = tags.iter().filter(|it| !it.shared).count();
    let note = match here {
        0 => String::new(),
        _ if here == tags.len() => " (only on this desk)".to_owned(),
        here => format!(" ({here} only on this desk)"),
    };
    (!words.is_empty()).then(|| format!("{}{note}", words.join(", ")))
}
