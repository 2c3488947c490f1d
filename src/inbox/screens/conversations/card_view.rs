//! The card: who the customer is, as far as the conversation, the contact and
//! the other tabs tell.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::paint_view::Sides;
use crate::layout::Area;
use crate::screens::connections;
use crate::theme_view::Theme;
use crate::wrap;
use model::account::Platform;
use model::conversations::{ConversationRow, ServiceWindow};
use model::local::TagLocation;
use model::service_window::remaining_window;
use model::snooze;
use model::targets::TargetState;
use model::text::SafeText;
use model::time::{HOUR, MINUTE, format_ago, format_short_span};

/// Cells of a label and the gap behind it.
const LABELS: u16 = 10;

/// Lines one fact takes at most.
const MOST: usize = 4;

/// Draws the card of the current conversation, from the line on it was
/// scrolled to.
pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let inner = area.inner();
    let lines = inbox
        .desk
        .current_conversation()
        .map(|current_conversation| lines(inbox, theme, current_conversation, inner.width))
        .unwrap_or_default();
    let height = usize::from(inner.height);
    let first = inbox.desk.card_scroll().min(lines.len().saturating_sub(height));
    let below = lines.len().saturating_sub(first + height);
    let more = match (below, first) {
        (0, 0) => String::new(),
        (0, _) => " PgUp goes back ".to_owned(),
        (below, _) => format!(" {below} more · PgDn "),
    };
    let title = (&[("Card", theme.strong())][..], &[(more.as_str(), theme.quiet())][..]);
    let title = if more.is_empty() { (title.0, &[][..]) } else { title };
    paint_view::frame(buffer, area, theme, false, Sides::All, title);
    for (y, (label, words, style)) in (inner.y..inner.y + inner.height).zip(lines.into_iter().skip(first)) {
        if words.is_empty() {
            paint_view::text(buffer, inner.x + 1, y, inner.width.saturating_sub(1), &label, theme.strong());
        } else {
            paint_view::text(buffer, inner.x + 1, y, LABELS, &label, theme.quiet());
            paint_view::text(buffer, inner.x + 1 + LABELS, y, width(inner.width), &words, style);
        }
    }
}

/// Cells for words beside a label.
fn width(inner: u16) -> u16 {
    inner.saturating_sub(LABELS + 2)
}

/// The facts as lines, with a gap before each heading.
fn lines(inbox: &Inbox, theme: Theme, row: &ConversationRow, inner: u16) -> Vec<(String, String, Style)> {
    let mut lines = Vec::new();
    for (label, words, style) in facts(inbox, theme, row) {
        if words.is_empty() {
            lines.push((String::new(), String::new(), style));
            lines.push((label, words, style));
            continue;
        }
        let parts = wrap::wrap(&words, usize::from(width(inner)));
        for (number, part) in parts.into_iter().take(MOST).enumerate() {
            let label = if number == 0 { label.clone() } else { String::new() };
            lines.push((label, words[part].trim_end().to_owned(), style));
        }
    }
    lines
}

/// Label, words and style of each line; no words makes a heading.
fn facts(inbox: &Inbox, theme: Theme, row: &ConversationRow) -> Vec<(String, String, Style)> {
    let conversation = &row.conversation;
    let mut facts = vec![("name".to_owned(), conversation.title().to_string(), theme.strong())];
    let mut add = |label: &str, words: Option<String>| {
        if let Some(words) = words {
            facts.push((label.to_owned(), words, Style::new()));
        }
    };
    let safe = |text: &String| SafeText::line(text).to_string();
    add("address", conversation.address.as_ref().map(safe));
    add("user name", conversation.username.as_ref().map(|username| format!("@{username}")));
    // Of mail, the address is that already.
    let email = conversation.email.as_ref().map(ToString::to_string);
    add("email", email.filter(|email| conversation.address.as_ref() != Some(email)));
    add("status", Some(safe(&conversation.status.word().to_owned())));
    let zone = &inbox.context.settings.zone;
    let first = conversation.first_message_at.or(conversation.created_at);
    let since = first.map(|time| format!(" since {}", time.day_name(zone)));
    add("messages", Some(format!("{}{}", conversation.message_count, since.unwrap_or_default())));
    add(
        "last",
        conversation.last_message_at.map(|last_message| format_ago(inbox.context.now.since(last_message))),
    );
    add(
        "waits",
        row.waiting_since.map(|waiting_since| format_short_span(inbox.context.now.since(waiting_since))),
    );
    add("AI", Some(conversation.automation.label().to_owned()).filter(|text| !text.is_empty()));
    for (number, line) in conversation.escalation.lines().enumerate() {
        add(if number == 0 { "failing" } else { "" }, Some(line.to_owned()));
    }
    add("trouble", row.describe_trouble_score(inbox.context.now));
    add("answer", target(inbox, row));
    add("lease", lease(inbox, row));
    add("claimed", claim(inbox, row));
    add("tags", tags(row));
    let snooze = row.local.snooze.as_ref();
    add("snoozed", snooze.map(|snooze| snooze.describe(inbox.context.now, zone)));
    add("window", window(inbox, row));
    facts.extend(connections::view::facts(inbox, theme, row));
    facts.extend(contact(inbox, row));
    facts.extend(elsewhere(inbox));
    facts.extend(referral(row));
    facts
}

fn heading(words: &str) -> (String, String, Style) {
    (words.to_owned(), String::new(), Style::new())
}

fn fact(label: &str, words: impl Into<String>) -> (String, String, Style) {
    (label.to_owned(), words.into(), Style::new())
}

/// What the server keeps of the person beside the conversation.
fn contact(inbox: &Inbox, row: &ConversationRow) -> Vec<(String, String, Style)> {
    let has_contacts = inbox.desk.tab().platform().is_some_and(Platform::has_contacts);
    let Some(card) = inbox.desk.current_card().filter(|_| has_contacts) else { return Vec::new() };
    let mut facts = vec![heading("Contact")];
    let Some(contact) = &card.contact else {
        facts.push(fact("", "not read yet"));
        return facts;
    };
    if contact.id.is_none() {
        facts.push(fact("", "the server has none with this number"));
        return facts;
    }
    let other = |told: &Option<SafeText>, known: &Option<SafeText>| told.clone().filter(|_| told != known);
    if let Some(name) = other(&contact.name, &row.conversation.name) {
        facts.push(fact("name", name.to_string()));
    }
    if let Some(email) = other(&contact.email, &row.conversation.email) {
        facts.push(fact("email", email.to_string()));
    }
    for (name, value) in &contact.metadata {
        facts.push(fact(&wrap::cut(name.as_str(), usize::from(LABELS) - 1), value.to_string()));
    }
    facts.push(fact("read", format_ago(inbox.context.now.since(contact.read_at))));
    facts
}

/// The same number or mail address in other tabs.
fn elsewhere(inbox: &Inbox) -> Vec<(String, String, Style)> {
    let others =
        inbox.desk.current_card().map(|current_card| current_card.elsewhere.as_slice()).unwrap_or_default();
    if others.is_empty() {
        return Vec::new();
    }
    let mut facts = vec![heading("Same person elsewhere")];
    for it in others {
        let tab = inbox.desk.tabs.iter().find(|tab| tab.channel.id == it.key.channel);
        let name = tab.map_or_else(|| it.key.channel.to_string(), |tab| tab.channel.name.clone());
        let last = it.last_at.map(|at| format!(" · {}", format_ago(inbox.context.now.since(at))));
        facts.push(fact("g x", format!("{name}: {}{}", it.title, last.unwrap_or_default())));
    }
    facts
}

/// The ad that brought the person here; no single field is certain.
fn referral(row: &ConversationRow) -> Vec<(String, String, Style)> {
    let Some(referral) = &row.conversation.referral else { return Vec::new() };
    let told = [
        ("source", &referral.source_type),
        ("headline", &referral.headline),
        ("text", &referral.body),
        ("link", &referral.source_url),
    ];
    let told = told.into_iter().filter_map(|(label, text)| Some(fact(label, text.as_ref()?.to_string())));
    std::iter::once(heading("Came from an ad")).chain(told).collect()
}

/// The window, with the countdown called what it is.
fn window(inbox: &Inbox, row: &ConversationRow) -> Option<String> {
    match row.conversation.window {
        ServiceWindow::NotApplicable => None,
        ServiceWindow::Unknown => Some("not told".to_owned()),
        ServiceWindow::Closed => Some("closed: only templates".to_owned()),
        ServiceWindow::Open => Some(match remaining_window(row.last_inbound_at, inbox.context.now) {
            Some(left) => format!("open, about {}h {}m left (estimate)", left / HOUR, left % HOUR / MINUTE),
            None => "open".to_owned(),
        }),
    }
}

/// Until when an answer is wanted.
fn target(inbox: &Inbox, row: &ConversationRow) -> Option<String> {
    let now = inbox.context.now;
    Some(match row.target_state(now, inbox.context.settings.targets_of(&row.channel))? {
        TargetState::OnTime(left) | TargetState::Near(left) => format!("within {}", format_short_span(left)),
        TargetState::Missed(late) => format!("{} late", format_short_span(late)),
    })
}

/// When the lease of a pause made here ends.
fn lease(inbox: &Inbox, row: &ConversationRow) -> Option<String> {
    let (now, settings) = (inbox.context.now, &inbox.context.settings);
    let ends = row.lease_from.filter(|_| settings.pause_lease > 0)?.plus(settings.pause_lease);
    let who =
        row.paused.as_ref().map(|pair| &pair.0).filter(|text| !text.is_empty() && **text != settings.agent);
    let who = who.map_or_else(String::new, |text| format!(" (paused by {text})"));
    Some(match ends.since(now) {
        left if left <= 0 => format!("over since {}{who}", snooze::format_time(ends, now, &settings.zone)),
        left => {
            format!(
                "until {}, {} left{who}",
                snooze::format_time(ends, now, &settings.zone),
                format_short_span(left)
            )
        }
    })
}

/// Who takes care of it, and since when.
fn claim(inbox: &Inbox, row: &ConversationRow) -> Option<String> {
    let claim = row.local.claim.as_ref()?;
    Some(format!(
        "by {} for {} (noted on this desk)",
        claim.agent,
        format_short_span(inbox.context.now.since(claim.at))
    ))
}

/// The tags; those that are not with the server's contact say where they are.
fn tags(row: &ConversationRow) -> Option<String> {
    let of = |kept: TagLocation| {
        let tags = row.local.tags.iter().filter(|tag| tag.location == kept);
        tags.map(|tag| tag.word.as_str()).collect::<Vec<_>>().join(", ")
    };
    let parts = [
        (TagLocation::Server, ""),
        (TagLocation::Pending, " (leaving)"),
        (TagLocation::Local, " (here only)"),
    ];
    let parts = parts.map(|(kept, note)| (of(kept), note));
    let words: Vec<String> = parts
        .iter()
        .filter(|part| !part.0.is_empty())
        .map(|(words, note)| format!("{words}{note}"))
        .collect();
    (!words.is_empty()).then(|| words.join("; "))
}
