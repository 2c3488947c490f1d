//! The raw view: an item as the server sent it, indented. Accepts any text, also invalid JSON.

use crate::components::text_view::TextView;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::SyncOrder;
use crate::screens::history::details;
use crate::screens::history::message_of;
use crate::tab::Focus;
use model::account::Platform;
use model::fetches::Fetch;
use model::ids::MessageId;
use model::messages::MessageRow;
use model::text::SafeText;
use model::unreadable;

/// The selected message in the history, otherwise the conversation: title, JSON and row.
pub(crate) fn current_item(desk: &Desk) -> Option<(String, &str, Option<&MessageRow>)> {
    let tab = desk.tab();
    let selected = match (&tab.history, tab.focus) {
        (Some(history), Focus::History) => history.selected_item().and_then(message_of),
        _ => None,
    };
    match (selected, desk.current_conversation()) {
        (Some(row), _) => Some((format!("message {}", row.message.id), &row.message.raw, Some(row))),
        (None, Some(row)) => {
            Some((format!("conversation {}", row.conversation.id), &row.conversation.raw, None))
        }
        (None, None) => None,
    }
}

/// Opens the raw view; a message is also requested anew from the server.
pub(crate) fn open_raw_view(desk: &mut Desk, context: &mut Context) {
    let Some((title, lines, message)) = raw_view_content(desk, context) else { return };
    context.open(TextView::new(title, lines));
    let reads = desk.tab().platform().is_some_and(Platform::can_take_over);
    if let Some(message) = message.filter(|_| reads) {
        context.push(SyncOrder::Fetch(desk.tab().channel.id.clone(), Fetch::Message { message }));
    }
}

pub(crate) fn show_unreadable(desk: &mut Desk, context: &mut Context) {
    let tab = desk.tab();
    let mut lines = Vec::new();
    if tab.counts.unreadable > 0 {
        let words = context.fill_in_keys("The list of conversations has an entry for each; {raw} shows it.");
        lines.extend([SafeText::line(&words), SafeText::default()]);
    }
    for (list, rows) in &tab.unreadable {
        for raw in rows {
            lines.push(SafeText::line(&format!("{}:", list.label())));
            lines.extend(format_json(raw).lines().map(SafeText::block));
            lines.push(SafeText::default());
        }
    }
    let title = unreadable::describe_unreadable(tab.unreadable_count());
    context.open(TextView::new(title, lines));
}

pub(crate) fn refresh_raw_view(desk: &mut Desk, context: &mut Context) {
    let Some((title, lines, Some(_))) = raw_view_content(desk, context) else { return };
    if let Some(view) = context.overlays.top_mut::<TextView>().filter(|top_mut| top_mut.title == title) {
        view.lines = lines;
    }
}

fn raw_view_content(desk: &Desk, context: &Context) -> Option<(String, Vec<SafeText>, Option<MessageId>)> {
    let tab = desk.tab();
    let selected = match (&tab.history, tab.focus) {
        (Some(history), Focus::History) => history.selected_item().and_then(message_of),
        _ => None,
    };
    let (title, raw, row) = match (selected, desk.current_conversation()) {
        (Some(row), _) => (format!("message {}", row.message.id), &row.message.raw, Some(row)),
        (None, Some(row)) => (format!("conversation {}", row.conversation.id), &row.conversation.raw, None),
        (None, None) => return None,
    };
    let text = format_json(raw);
    let lines: Vec<&str> = text.lines().collect();
    let zone = &context.settings.zone;
    let above = row.map(|row| details::message_details(row, &lines, zone)).unwrap_or_default();
    let is_mail = tab.is_mail();
    let marked = lines.iter().map(|line| details::mark_unknown(line, is_mail));
    let lines = above.into_iter().chain(marked).map(|text| SafeText::block(&text)).collect();
    let title = SafeText::line(&title).to_string();
    Some((title, lines, row.map(|row| row.message.id.clone())))
}

fn format_json(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len() * 2);
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    let newline = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', depth.min(40) * 2));
    };
    for character in raw.chars() {
        if quoted {
            out.push(character);
            quoted = escaped || character != '"';
            escaped = character == '\\' && !escaped;
            continue;
        }
        match character {
            '"' => {
                quoted = true;
                out.push(character);
            }
            '{' | '[' => {
                depth += 1;
                out.push(character);
                newline(&mut out, depth);
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                newline(&mut out, depth);
                out.push(character);
            }
            ',' => {
                out.push(character);
                newline(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ if character.is_whitespace() => (),
            _ => out.push(character),
        }
    }
    out
}
