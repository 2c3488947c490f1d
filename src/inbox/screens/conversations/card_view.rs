//! The card: facts about the customer from the conversation, the contact and the other tabs.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::command::Command;
use crate::components::paint_view;
use crate::components::paint_view::Sides;
use crate::layout::Area;
use crate::screens::connections;
use crate::screens::conversations::card::update as card;
use crate::theme_view::Theme;
use crate::wrap;
use model::account::Platform;
use model::conversations::{Automation, ConversationRow, ConversationStatus, ServiceWindow};
use model::local::TagLocation;
use model::service_window::window_label;
use model::snooze;
use model::targets::TargetState;
use model::text::SafeText;
use model::time::{format_ago, format_short_span};

/// Width of a label with its gap, in cells.
const LABEL_WIDTH: u16 = 10;

/// Maximum lines per fact.
const MAX_FIELD_LINES: usize = 4;

pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let inner = area.inner();
    let lines = inbox
        .desk
        .current_conversation()
        .map(|current_conversation| lines(inbox, theme, current_conversation, inner.width))
        .unwrap_or_default();
    let height = usize::from(inner.height);
    let first = card::card_scroll(&inbox.desk).min(lines.len().saturating_sub(height));
    let below = lines.len().saturating_sub(first + height);
    let more = match (below, first) {
        (0, 0) => String::new(),
        (0, _) => " PgUp back ".to_owned(),
        (below, _) => format!(" {below} more · PgDn "),
    };
    let title = (&[("Card", theme.strong())][..], &[(more.as_str(), theme.dim())][..]);
    let title = if more.is_empty() { (title.0, &[][..]) } else { title };
    paint_view::frame(buffer, area, theme, false, Sides::All, title);
    for (y, (label, words, style)) in (inner.y..inner.y + inner.height).zip(lines.into_iter().skip(first)) {
        if words.is_empty() {
            paint_view::text(buffer, inner.x + 1, y, inner.width.saturating_sub(1), &label, theme.strong());
        } else {
            paint_view::text(buffer, inner.x + 1, y, LABEL_WIDTH, &label, theme.dim());
            paint_view::text(buffer, inner.x + 1 + LABEL_WIDTH, y, value_width(inner.width), &words, style);
        }
    }
}

fn value_width(inner: u16) -> u16 {
    inner.saturating_sub(LABEL_WIDTH + 2)
}

fn lines(inbox: &Inbox, theme: Theme, row: &ConversationRow, inner: u16) -> Vec<(String, String, Style)> {
    let mut lines = Vec::new();
    for (label, words, style) in card_fields(inbox, theme, row) {
        if words.is_empty() {
            lines.push((String::new(), String::new(), style));
            lines.push((label, words, style));
            continue;
        }
        let parts = wrap::wrap(&words, usize::from(value_width(inner)));
        for (number, part) in parts.into_iter().take(MAX_FIELD_LINES).enumerate() {
            let label = if number == 0 { label.clone() } else { String::new() };
            lines.push((label, words[part].trim_end().to_owned(), style));
        }
    }
    lines
}

/// Label, text and style per fact; an empty text makes a heading.
fn card_fields(inbox: &Inbox, theme: Theme, row: &ConversationRow) -> Vec<(String, String, Style)> {
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
    // The address of a mail conversation is already shown.
    let email = conversation.email.as_ref().map(ToString::to_string);
    add("email", email.filter(|email| conversation.address.as_ref() != Some(email)));
    let is_normal = conversation.status == ConversationStatus::Open;
    add("status", (!is_normal).then(|| SafeText::line(conversation.status.word()).to_string()));
    add("closed", conversation.closed_at.map(|at| format_ago(inbox.context.now.since(at))));
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
    add("AI", describe_automation(inbox, row));
    for (number, line) in conversation.escalation.lines().enumerate() {
        add(if number == 0 { "failing" } else { "" }, Some(line.to_owned()));
    }
    add("trouble", row.describe_trouble_score(inbox.context.now));
    add("answer", describe_target(inbox, row));
    add("reminder", describe_reminder(inbox, row));
    add("taken", describe_claim(inbox, row));
    add("tags", describe_tags(inbox, row));
    let snooze = row.local.snooze.as_ref();
    add("snoozed", snooze.map(|snooze| snooze.describe(inbox.context.now, zone)));
    add("reply", describe_window(inbox, row));
    facts.extend(connections::view::card_fields(inbox, theme, row));
    facts.extend(private_note_fields(inbox));
    facts.extend(contact_fields(inbox, row));
    facts.extend(other_tab_fields(inbox));
    facts.extend(referral_fields(row));
    facts
}

fn heading_field(words: &str) -> (String, String, Style) {
    (words.to_owned(), String::new(), Style::new())
}

fn text_field(label: &str, words: impl Into<String>) -> (String, String, Style) {
    (label.to_owned(), words.into(), Style::new())
}

fn contact_fields(inbox: &Inbox, row: &ConversationRow) -> Vec<(String, String, Style)> {
    let has_contacts = inbox.desk.tab().platform().is_some_and(Platform::has_contacts);
    let Some(card) = card::current_card(&inbox.desk).filter(|_| has_contacts) else { return Vec::new() };
    let mut facts = vec![heading_field("Contact")];
    let Some(contact) = &card.contact else {
        facts.push(text_field("", "not read yet"));
        return facts;
    };
    if contact.id.is_none() {
        facts.push(text_field("", "no contact with this number"));
        return facts;
    }
    let other = |told: &Option<SafeText>, known: &Option<SafeText>| told.clone().filter(|_| told != known);
    if let Some(name) = other(&contact.name, &row.conversation.name) {
        facts.push(text_field("name", name.to_string()));
    }
    if let Some(email) = other(&contact.email, &row.conversation.email) {
        facts.push(text_field("email", email.to_string()));
    }
    for (name, value) in &contact.metadata {
        facts.push(text_field(&wrap::cut(name.as_str(), usize::from(LABEL_WIDTH) - 1), value.to_string()));
    }
    facts.push(text_field("as of", format_ago(inbox.context.now.since(contact.read_at))));
    facts
}

/// The newest private notes, each with its age and its author in the team.
fn private_note_fields(inbox: &Inbox) -> Vec<(String, String, Style)> {
    let notes = card::current_card(&inbox.desk).map(|card| card.notes.as_slice()).unwrap_or_default();
    if notes.is_empty() {
        return Vec::new();
    }
    let mut facts = vec![heading_field("Notes")];
    for note in notes {
        let age = format_short_span(inbox.context.now.since(note.at));
        let text = note.text.as_str().split_whitespace().collect::<Vec<_>>().join(" ");
        let author = note.author.as_ref().map_or_else(String::new, |author| format!("{author}: "));
        facts.push(text_field(&age, format!("{author}{text}")));
    }
    facts
}

/// Conversations with the same number or mail address in other tabs.
fn other_tab_fields(inbox: &Inbox) -> Vec<(String, String, Style)> {
    let others = card::current_card(&inbox.desk)
        .map(|current_card| current_card.elsewhere.as_slice())
        .unwrap_or_default();
    if others.is_empty() {
        return Vec::new();
    }
    let key = inbox.context.key_of(Command::Elsewhere);
    let mut facts = vec![heading_field(&format!("On other channels · {key}"))];
    for it in others {
        let tab = inbox.desk.tabs.iter().find(|tab| tab.channel.id == it.key.channel);
        let name = tab.map_or_else(|| it.key.channel.to_string(), |tab| tab.channel.name.clone());
        let last = it.last_at.map(|at| format!(" · {}", format_ago(inbox.context.now.since(at))));
        facts.push(text_field("also", format!("{name}: {}{}", it.title, last.unwrap_or_default())));
    }
    facts
}

/// The ad that brought the customer here; every field is optional.
fn referral_fields(row: &ConversationRow) -> Vec<(String, String, Style)> {
    let Some(referral) = &row.conversation.referral else { return Vec::new() };
    let told = [
        ("source", &referral.source_type),
        ("headline", &referral.headline),
        ("text", &referral.body),
        ("link", &referral.source_url),
    ];
    let told =
        told.into_iter().filter_map(|(label, text)| Some(text_field(label, text.as_ref()?.to_string())));
    std::iter::once(heading_field("Came from an ad")).chain(told).collect()
}

/// Says why the AI does not answer the customer; `None` if it does, or has no switch on the channel.
fn describe_automation(inbox: &Inbox, row: &ConversationRow) -> Option<String> {
    let (pending, automation) = (row.automation_pending, row.conversation.automation);
    let claim = row.local.claim.as_ref().filter(|claim| claim.agent != inbox.context.settings.agent);
    let colleague = claim.map(|claim| claim.agent.clone());
    Some(match (pending, automation) {
        (_, Automation::NotApplicable) | (None, Automation::On) => return None,
        (Some(false), _) => "AI: pausing…".to_owned(),
        (Some(true), _) => "AI: resuming…".to_owned(),
        (None, Automation::Unknown) => "AI: checking…".to_owned(),
        (None, Automation::Off) if colleague.is_some() => format!("{} has it", colleague.unwrap_or_default()),
        (None, Automation::Off) if !row.paused_here => "Paused by a colleague".to_owned(),
        (None, Automation::Off) => match row.paused_by_other(&inbox.context.settings.agent) {
            Some(name) => format!("{name} has it"),
            None if row.local.claim.is_none() => "AI paused".to_owned(),
            None => "You have it".to_owned(),
        },
    })
}

/// State of the service window; the remaining time is an estimate.
fn describe_window(inbox: &Inbox, row: &ConversationRow) -> Option<String> {
    let label = window_label(row.conversation.window, row.last_inbound_at, inbox.context.now);
    match row.conversation.window {
        ServiceWindow::NotApplicable => None,
        ServiceWindow::Unknown => Some("window unknown".to_owned()),
        ServiceWindow::Closed => Some("window closed, only templates".to_owned()),
        ServiceWindow::Open => Some(format!("window {label}")),
    }
}

/// Time left until the reply target, or the delay after it.
fn describe_target(inbox: &Inbox, row: &ConversationRow) -> Option<String> {
    let now = inbox.context.now;
    Some(match row.target_state(now, inbox.context.settings.targets_of(&row.channel))? {
        TargetState::OnTime(left) | TargetState::Near(left) => format!("within {}", format_short_span(left)),
        TargetState::Missed(late) => format!("{} late", format_short_span(late)),
    })
}

/// Time at which a pause made here is over and the desk reminds of it.
fn describe_reminder(inbox: &Inbox, row: &ConversationRow) -> Option<String> {
    let (now, settings) = (inbox.context.now, &inbox.context.settings);
    let ends = row.lease_from.filter(|_| settings.pause_lease > 0)?.plus(settings.pause_lease);
    let time = snooze::format_time(ends, now, &settings.zone);
    Some(if ends.since(now) <= 0 { format!("due since {time}") } else { format!("at {time}") })
}

fn describe_claim(inbox: &Inbox, row: &ConversationRow) -> Option<String> {
    let claim = row.local.claim.as_ref()?;
    let is_own = claim.agent == inbox.context.settings.agent;
    Some(format!("by {}", if is_own { "you" } else { claim.agent.as_str() }))
}

/// Tags, grouped by where they are kept.
fn describe_tags(inbox: &Inbox, row: &ConversationRow) -> Option<String> {
    let local = if inbox.context.settings.is_in_team { "" } else { " (here only)" };
    let of = |kept: TagLocation| {
        let tags = row.local.tags.iter().filter(|tag| tag.location == kept);
        tags.map(|tag| tag.word.as_str()).collect::<Vec<_>>().join(", ")
    };
    let parts =
        [(TagLocation::Server, ""), (TagLocation::Pending, " (leaving)"), (TagLocation::Local, local)];
    let parts = parts.map(|(kept, note)| (of(kept), note));
    let words: Vec<String> = parts
        .iter()
        .filter(|part| !part.0.is_empty())
        .map(|(words, note)| format!("{words}{note}"))
        .collect();
    (!words.is_empty()).then(|| words.join("; "))
}
