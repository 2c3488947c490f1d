//! One row of what was found: who, on which tab, when, and the words.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
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

/// Draws the row in its two lines.
pub fn draw(inbox: &Inbox, theme: Theme, found: &SearchResult, place: Area, buffer: &mut Buffer) {
    let second = Area { x: place.x + 2, y: place.y + 1, width: place.width.saturating_sub(3), height: 1 };
    match found {
        SearchResult::Person(row) => {
            let at = row.conversation.last_message_at;
            let number = number(row);
            head(
                inbox,
                theme,
                (&row.conversation.title(), number.as_str()),
                (&row.channel, at),
                place,
                buffer,
            );
            let preview = row.conversation.preview.as_str();
            paint_view::text(buffer, second.x, second.y, second.width, preview, theme.quiet());
        }
        SearchResult::Contact(contact) => {
            let beside = if contact.name == contact.phone { "" } else { contact.phone.as_str() };
            head(inbox, theme, (&contact.name, beside), (&contact.channel, None), place, buffer);
            let email = contact.email.as_ref().map(|email| format!(" · {email}")).unwrap_or_default();
            let words = format!("contact of the server, no conversation here{email}");
            paint_view::text(buffer, second.x, second.y, second.width, &words, theme.quiet());
        }
        SearchResult::Note(hit) => {
            head(inbox, theme, (&hit.title, "note, never sent"), (&hit.channel, Some(hit.at)), place, buffer);
            snippet(theme, &hit.snippet, second, buffer);
        }
        SearchResult::Message(hit) => {
            let who = match &hit.sender {
                Sender::Customer => "",
                Sender::Ai => "the AI said",
                _ => "this side said",
            };
            let subject = hit.subject.as_ref().map_or("", SafeText::as_str);
            let beside: Vec<&str> = [subject, who].into_iter().filter(|text| !text.is_empty()).collect();
            head(inbox, theme, (&hit.title, &beside.join(" · ")), (&hit.channel, hit.at), place, buffer);
            snippet(theme, &hit.snippet, second, buffer);
        }
    }
}

/// The number, unless it is the title.
fn number(row: &ConversationRow) -> SafeText {
    let number = SafeText::line(row.conversation.address.as_deref().unwrap_or(""));
    if number == row.conversation.title() { SafeText::default() } else { number }
}

fn head(
    inbox: &Inbox,
    theme: Theme,
    (title, beside): (&SafeText, &str),
    (channel, at): (&ChannelId, Option<Timestamp>),
    place: Area,
    buffer: &mut Buffer,
) {
    let (x, width) = (place.x + 1, place.width.saturating_sub(2));
    let right = format!("{} · {}", tab_name(inbox, channel), when(inbox, at));
    let used = paint_view::runs_right(buffer, x, place.y, width, &[(&right, theme.quiet())]);
    let room = width.saturating_sub(used + 1);
    let lead = if beside.is_empty() { "" } else { " · " };
    let runs = [(title.as_str(), theme.strong()), (lead, theme.quiet()), (beside, theme.quiet())];
    paint_view::runs(buffer, x, place.y, room, &runs);
}

/// The text around the words, which stand out.
fn snippet(theme: Theme, snippet: &Snippet, place: Area, buffer: &mut Buffer) {
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

fn when(inbox: &Inbox, at: Option<Timestamp>) -> String {
    match at {
        Some(at) => match format_short_span(inbox.context.now.since(at).max(0)).as_str() {
            "now" => "now".to_owned(),
            span => format!("{span} ago"),
        },
        None => "-".to_owned(),
    }
}
