//! The card: facts about the customer from the conversation, the contact and the other tabs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::Inbox;
use crate::command::Command;
use crate::components::paint_view;
use crate::components::paint_view::Sides;
use crate::layout::Area;
use crate::screens::connections;
use crate::screens::conversations::card::update as card;
use crate::screens::history::view::describe_pause_elsewhere;
use crate::tab::Focus;
use crate::theme_view::Theme;
use crate::wrap;
use model::account::Platform;
use model::conversations::{
    Automation, ConversationRow, ConversationStatus, NoMessagesReason, ServiceWindow,
};
use model::local::TagLocation;
use model::queries::ConversationKey;
use model::service_window::window_label;
use model::snooze;
use model::targets::TargetState;
use model::text::SafeText;
use model::time::{format_ago, format_short_span};

/// Width of a label with its gap, in cells.
const LABEL_WIDTH: u16 = 10;

const MAX_FIELD_LINES: usize = 4;

/// A fact of the card; without a text, a heading.
pub struct CardField {
    label: String,
    text: String,
    style: Style,
    /// Index of the conversation on another channel that the field names.
    conversation: Option<usize>,
}

impl CardField {
    pub fn heading(label: &str) -> Self {
        Self::text(label, String::new())
    }

    pub fn text(label: &str, text: impl Into<String>) -> Self {
        Self { label: label.to_owned(), text: text.into(), style: Style::new(), conversation: None }
    }

    pub fn styled(self, style: Style) -> Self {
        Self { style, ..self }
    }
}

pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let inner = area.inner();
    let (lines, first) = visible_lines(inbox, theme, area);
    let below = lines.len().saturating_sub(first + usize::from(inner.height));
    let more = match (below, first) {
        (0, 0) => String::new(),
        (0, _) => " PgUp back ".to_owned(),
        (below, _) => format!(" {below} more · PgDn "),
    };
    let title = (&[("Card", theme.strong())][..], &[(more.as_str(), theme.dim())][..]);
    let title = if more.is_empty() { (title.0, &[][..]) } else { title };
    let focused = card::has_focus(&inbox.desk) && inbox.context.overlays.is_empty();
    paint_view::frame(buffer, area, theme, focused, Sides::All, title);
    let selected = card::selected_conversation(&inbox.desk).map(|(index, _)| index);
    for (y, line) in (inner.y..inner.y + inner.height).zip(lines.into_iter().skip(first)) {
        if line.text.is_empty() {
            let width = inner.width.saturating_sub(1);
            paint_view::text(buffer, inner.x + 1, y, width, &line.label, theme.strong());
            continue;
        }
        if line.conversation.is_some() && line.conversation == selected {
            buffer.set_style(Rect::new(inner.x, y, inner.width, 1), theme.selected());
        }
        paint_view::text(buffer, inner.x + 1, y, LABEL_WIDTH, &line.label, theme.dim());
        let width = value_width(inner.width);
        paint_view::text(buffer, inner.x + 1 + LABEL_WIDTH, y, width, &line.text, line.style);
    }
}

/// The conversation on another channel at a row of the screen.
pub(crate) fn conversation_at(inbox: &Inbox, area: Area, y: u16) -> Option<ConversationKey> {
    let (lines, first) = visible_lines(inbox, Theme::default(), area);
    let row = usize::from(y.checked_sub(area.inner().y)?);
    let index = lines.get(first + row)?.conversation?;
    Some(card::current_card(&inbox.desk)?.elsewhere.get(index)?.key.clone())
}

/// All lines of the card, and the index of the first on screen.
fn visible_lines(inbox: &Inbox, theme: Theme, area: Area) -> (Vec<CardField>, usize) {
    let inner = area.inner();
    let lines = inbox
        .desk
        .current_conversation()
        .map(|current_conversation| lines(inbox, theme, current_conversation, inner.width))
        .unwrap_or_default();
    let height = usize::from(inner.height);
    let first = card::card_scroll(&inbox.desk).min(lines.len().saturating_sub(height));
    let selected = card::selected_conversation(&inbox.desk).filter(|_| card::follows_selection(&inbox.desk));
    let row = selected.and_then(|(index, _)| lines.iter().rposition(|line| line.conversation == Some(index)));
    let first = row.map_or(first, |row| first.max((row + 1).saturating_sub(height)).min(row));
    (lines, first)
}

fn value_width(inner: u16) -> u16 {
    inner.saturating_sub(LABEL_WIDTH + 2)
}

fn lines(inbox: &Inbox, theme: Theme, row: &ConversationRow, inner: u16) -> Vec<CardField> {
    let mut lines = Vec::new();
    for field in card_fields(inbox, theme, row) {
        if field.text.is_empty() {
            lines.push(CardField::heading(""));
            lines.push(field);
            continue;
        }
        let parts = wrap::wrap(&field.text, usize::from(value_width(inner)));
        for (number, part) in parts.into_iter().take(MAX_FIELD_LINES).enumerate() {
            let label = if number == 0 { field.label.clone() } else { String::new() };
            let text = field.text[part].trim_end().to_owned();
            lines.push(CardField { label, text, ..field });
        }
    }
    lines
}

fn card_fields(inbox: &Inbox, theme: Theme, row: &ConversationRow) -> Vec<CardField> {
    let conversation = &row.conversation;
    let mut facts = vec![CardField::text("name", conversation.title().to_string()).styled(theme.strong())];
    if let Some(words) = conversation.takes_no_messages.map(NoMessagesReason::label) {
        facts.push(CardField::text("texts", format!("none: {words}")).styled(theme.soon()));
    }
    let mut add = |label: &str, words: Option<String>| {
        if let Some(words) = words {
            facts.push(CardField::text(label, words));
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
    facts.extend(other_tab_fields(inbox, row));
    facts.extend(referral_fields(row));
    facts
}

fn contact_fields(inbox: &Inbox, row: &ConversationRow) -> Vec<CardField> {
    let has_contacts = inbox.desk.tab().platform().is_some_and(Platform::has_contacts);
    let Some(card) = card::current_card(&inbox.desk).filter(|_| has_contacts) else { return Vec::new() };
    let mut facts = vec![CardField::heading("Contact")];
    let Some(contact) = &card.contact else {
        facts.push(CardField::text("", "not read yet"));
        return facts;
    };
    if contact.id.is_none() {
        facts.push(CardField::text("", "no contact with this number"));
        return facts;
    }
    let other = |told: &Option<SafeText>, known: &Option<SafeText>| told.clone().filter(|_| told != known);
    if let Some(name) = other(&contact.name, &row.conversation.name) {
        facts.push(CardField::text("name", name.to_string()));
    }
    if let Some(email) = other(&contact.email, &row.conversation.email) {
        facts.push(CardField::text("email", email.to_string()));
    }
    for (name, value) in &contact.metadata {
        facts.push(CardField::text(
            &wrap::cut(name.as_str(), usize::from(LABEL_WIDTH) - 1),
            value.to_string(),
        ));
    }
    facts.push(CardField::text("as of", format_ago(inbox.context.now.since(contact.read_at))));
    facts
}

/// The newest private notes, each with its age and its author in the team.
fn private_note_fields(inbox: &Inbox) -> Vec<CardField> {
    let notes = card::current_card(&inbox.desk).map(|card| card.notes.as_slice()).unwrap_or_default();
    if notes.is_empty() {
        return Vec::new();
    }
    let mut facts = vec![CardField::heading("Notes")];
    for note in notes {
        let age = format_short_span(inbox.context.now.since(note.at));
        let text = note.text.as_str().split_whitespace().collect::<Vec<_>>().join(" ");
        let author = note.author.as_ref().map_or_else(String::new, |author| format!("{author}: "));
        facts.push(CardField::text(&age, format!("{author}{text}")));
    }
    facts
}

/// Conversations with the same number or mail address in other tabs.
fn other_tab_fields(inbox: &Inbox, row: &ConversationRow) -> Vec<CardField> {
    let others = card::current_card(&inbox.desk)
        .map(|current_card| current_card.elsewhere.as_slice())
        .unwrap_or_default();
    if others.is_empty() {
        return Vec::new();
    }
    let key = match (card::has_focus(&inbox.desk), inbox.desk.tab().focus) {
        (true, _) => inbox.context.key_of(Command::CardOpen),
        (false, Focus::History) => inbox.context.key_of(Command::NextPane),
        (false, _) => inbox.context.key_of(Command::Elsewhere),
    };
    let mut facts = vec![CardField::heading(&format!("On other channels · {key}"))];
    for (index, other) in others.iter().enumerate() {
        let tab = inbox.desk.tabs.iter().find(|tab| tab.channel.id == other.key.channel);
        let name = tab.map_or_else(|| other.key.channel.to_string(), |tab| tab.channel.name.clone());
        let last = other.last_at.map(|at| format!(" · {}", format_ago(inbox.context.now.since(at))));
        let text = format!("{name}{}", last.unwrap_or_default());
        facts.push(CardField { conversation: Some(index), ..CardField::text("also", text) });
        if other.title != row.conversation.title() {
            let title = CardField::text("", other.title.to_string());
            facts.push(CardField { conversation: Some(index), ..title });
        }
    }
    facts
}

/// The ad that brought the customer here; every field is optional.
fn referral_fields(row: &ConversationRow) -> Vec<CardField> {
    let Some(referral) = &row.conversation.referral else { return Vec::new() };
    let told = [
        ("source", &referral.source_type),
        ("headline", &referral.headline),
        ("text", &referral.body),
        ("link", &referral.source_url),
    ];
    let told =
        told.into_iter().filter_map(|(label, text)| Some(CardField::text(label, text.as_ref()?.to_string())));
    std::iter::once(CardField::heading("Came from an ad")).chain(told).collect()
}

/// Says why the AI does not answer the customer; `None` if it does, or if nothing is known on a channel without a
/// switch.
fn describe_automation(inbox: &Inbox, row: &ConversationRow) -> Option<String> {
    let (pending, automation) = (row.automation_pending, row.conversation.automation);
    let claim = row.local.claim.as_ref().filter(|claim| claim.agent != inbox.context.settings.agent);
    let colleague = claim.map(|claim| claim.agent.clone());
    Some(match (pending, automation) {
        (_, Automation::NotApplicable) if row.conversation.paused_by.is_some() => {
            describe_pause_elsewhere(inbox, row)
        }
        (_, Automation::NotApplicable) | (None, Automation::On) => return None,
        (Some(false), _) => "AI: pausing…".to_owned(),
        (Some(true), _) => "AI: resuming…".to_owned(),
        (None, Automation::Unknown) => "AI: checking…".to_owned(),
        (None, Automation::Off) if colleague.is_some() => format!("{} has it", colleague.unwrap_or_default()),
        (None, Automation::Off) if !row.paused_here => describe_pause_elsewhere(inbox, row),
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
