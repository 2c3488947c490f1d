//! One search hit: name, tab, time, and text.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::spoken::SpokenRow;
use crate::layout::Area;
use crate::overlays::search::SearchResult;
use crate::theme_view::Theme;
use crate::wrap;
use model::conversations::ConversationRow;
use model::ids::ChannelId;
use model::messages::Sender;
use model::search::Snippet;
use model::text::SafeText;
use model::time::{Timestamp, format_short_span};

/// First line of a hit.
struct HitHead {
    title: SafeText,
    /// Text after the title; may be empty.
    beside: String,
    channel: ChannelId,
    at: Option<Timestamp>,
}

/// Second line of a hit.
enum HitText<'a> {
    Plain(String),
    Snippet(&'a Snippet),
}

/// Draws the hit in two lines.
pub fn draw(inbox: &Inbox, theme: Theme, found: &SearchResult, place: Area, buffer: &mut Buffer) {
    let second = Area { x: place.x + 2, y: place.y + 1, width: place.width.saturating_sub(3), height: 1 };
    let Some(head) = hit_head(found) else {
        if let SearchResult::Heading(title) = found {
            let (x, width) = (place.x + 1, place.width.saturating_sub(2));
            paint_view::text(buffer, x, place.y + 1, width, title, theme.dim());
        }
        return;
    };
    draw_head(inbox, theme, &head, place, buffer);
    match hit_text(found) {
        HitText::Plain(words) => {
            paint_view::text(buffer, second.x, second.y, second.width, &words, theme.dim());
        }
        HitText::Snippet(snippet) => draw_snippet(theme, snippet, second, buffer),
    }
}

/// Returns the row for plain mode.
pub(crate) fn describe(inbox: &Inbox, found: &SearchResult) -> SpokenRow {
    let text = match hit_text(found) {
        HitText::Plain(words) => words,
        HitText::Snippet(snippet) => snippet.text.to_string(),
    };
    let Some(head) = hit_head(found) else { return SpokenRow::new([text]) };
    let tab = tab_name(inbox, &head.channel);
    let facts = [head.title.to_string(), head.beside, tab, text];
    SpokenRow::new(facts).with_times(head.at.map(|at| format_when(inbox, Some(at))).unwrap_or_default())
}

/// Returns the first line; `None` for a heading.
fn hit_head(found: &SearchResult) -> Option<HitHead> {
    let (title, beside, channel, at) = match found {
        SearchResult::Heading(_) => return None,
        SearchResult::Person(row) => {
            let number = subtitle_number(row).to_string();
            (row.conversation.title(), number, &row.channel, row.conversation.last_message_at)
        }
        SearchResult::Contact(contact) => {
            let phone = if contact.name == contact.phone { "" } else { contact.phone.as_str() };
            (contact.name.clone(), phone.to_owned(), &contact.channel, None)
        }
        SearchResult::Note(hit) => {
            (hit.title.clone(), "note, never sent".to_owned(), &hit.channel, Some(hit.at))
        }
        SearchResult::Message(hit) => {
            let who = match (&hit.agent, &hit.sender) {
                (Some(agent), _) if agent.is_self => "from you".to_owned(),
                (Some(agent), _) => format!("from {}", agent.name),
                (None, Sender::Customer) => String::new(),
                (None, Sender::Ai) => "from the AI".to_owned(),
                (None, _) => "from us".to_owned(),
            };
            let subject = hit.subject.as_ref().map_or("", SafeText::as_str);
            let beside: Vec<&str> =
                [subject, who.as_str()].into_iter().filter(|text| !text.is_empty()).collect();
            (hit.title.clone(), beside.join(" · "), &hit.channel, hit.at)
        }
    };
    Some(HitHead { title, beside, channel: channel.clone(), at })
}

fn hit_text(found: &SearchResult) -> HitText<'_> {
    match found {
        SearchResult::Heading(title) => HitText::Plain(title.clone()),
        SearchResult::Person(row) => HitText::Plain(row.conversation.preview.to_string()),
        SearchResult::Contact(contact) => {
            let email = contact.email.as_ref().map(|email| format!(" · {email}")).unwrap_or_default();
            HitText::Plain(format!("contact, no conversation yet{email}"))
        }
        SearchResult::Note(hit) => HitText::Snippet(&hit.snippet),
        SearchResult::Message(hit) => HitText::Snippet(&hit.snippet),
    }
}

/// The number, unless it is the title.
fn subtitle_number(row: &ConversationRow) -> SafeText {
    let number = SafeText::line(row.conversation.address.as_deref().unwrap_or(""));
    if number == row.conversation.title() { SafeText::default() } else { number }
}

fn draw_head(
    inbox: &Inbox,
    theme: Theme,
    HitHead { title, beside, channel, at }: &HitHead,
    place: Area,
    buffer: &mut Buffer,
) {
    let (x, width) = (place.x + 1, place.width.saturating_sub(2));
    let right = format!("{} · {}", tab_name(inbox, channel), format_when(inbox, *at));
    let used = paint_view::runs_right(buffer, x, place.y, width, &[(&right, theme.dim())]);
    let room = width.saturating_sub(used + 1);
    let lead = if beside.is_empty() { "" } else { " · " };
    let runs = [(title.as_str(), theme.strong()), (lead, theme.dim()), (beside.as_str(), theme.dim())];
    paint_view::runs(buffer, x, place.y, room, &runs);
}

/// The text around the match, with the match highlighted.
fn draw_snippet(theme: Theme, snippet: &Snippet, place: Area, buffer: &mut Buffer) {
    let text = snippet.text.as_str();
    let mut at = 0;
    let mut x = place.x;
    let mut put = |words: &str, style: Style, x: &mut u16| {
        let room = (place.x + place.width).saturating_sub(*x);
        *x += paint_view::text(buffer, *x, place.y, room, words, style);
    };
    for mark in &snippet.marks {
        put(&text[at..mark.start], Style::new(), &mut x);
        put(&text[mark.clone()], theme.match_highlight(), &mut x);
        at = mark.end;
    }
    put(&text[at..], Style::new(), &mut x);
}

fn tab_name(inbox: &Inbox, channel: &ChannelId) -> String {
    let tab = inbox.desk.tabs.iter().find(|tab| tab.channel.id == *channel);
    tab.map_or_else(String::new, |tab| wrap::cut(&tab.channel.name, 16))
}

fn format_when(inbox: &Inbox, at: Option<Timestamp>) -> String {
    match at {
        Some(at) => match format_short_span(inbox.context.now.since(at).max(0)).as_str() {
            "now" => "now".to_owned(),
            span => format!("{span} ago"),
        },
        None => "-".to_owned(),
    }
}
