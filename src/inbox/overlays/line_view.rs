//! The line being typed at the foot of the screen: where the status was, with
//! what is wrong or what may follow where the hints were.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::command::VERBS;
use crate::components::paint_view;
use crate::components::text_line::TextLine;
use crate::layout::Area;
use crate::overlays::line::{LineKind, LinePrompt};
use crate::overlays::view::OverlayView;
use crate::pages::PageKind;
use crate::theme_view::Theme;
use crate::wrap;
use model::filter;

impl OverlayView for LinePrompt {
    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let line = self;
        let mut areas = inbox.desk.areas(&inbox.context);
        if areas.hints.height == 0 {
            // What it says below the line takes the status's row.
            areas.hints = areas.status;
            areas.status.y = areas.status.y.saturating_sub(1);
        }
        paint_view::blank(buffer, areas.status);
        paint_view::blank(buffer, areas.hints);
        let place =
            Area { x: areas.status.x + 1, width: areas.status.width.saturating_sub(2), ..areas.status };
        let mistakes = mistakes(line);
        let cursor = typed(prompt(&line.kind), &line.text, &mistakes, place, theme, buffer);
        let hints = Area { x: areas.hints.x + 1, width: areas.hints.width.saturating_sub(2), ..areas.hints };
        match mistakes.first() {
            Some(mistake) => {
                paint_view::text(buffer, hints.x, hints.y, hints.width, &mistake.message, theme.error())
            }
            None => {
                paint_view::text(buffer, hints.x, hints.y, hints.width, &help(inbox, line), theme.quiet())
            }
        };
        Some(cursor)
    }
}

fn prompt(kind: &LineKind) -> &'static str {
    match kind {
        LineKind::Filter(_) => "filter / ",
        LineKind::Find(_) => "find / ",
        LineKind::Rows(_) => "search / ",
        LineKind::Command { .. } => ":",
    }
}

fn mistakes(line: &LinePrompt) -> Vec<filter::FilterError> {
    match line.kind {
        LineKind::Filter(_) => filter::parse(line.text.text()).mistakes,
        LineKind::Find(_) | LineKind::Rows(_) | LineKind::Command { .. } => Vec::new(),
    }
}

/// What may follow.
fn help(inbox: &Inbox, line: &LinePrompt) -> String {
    match &line.kind {
        LineKind::Filter(_) => {
            filter_help(line.text.text(), inbox.desk.tab().is_mail() && !inbox.desk.everywhere)
        }
        LineKind::Find(_) => {
            let find = inbox.desk.tab().history.as_ref().and_then(|history| history.find.as_ref());
            let place = find.map_or_else(|| "beginnings of words".to_owned(), |find| find.place());
            format!("{place} · Enter keeps, then n older, N newer · Esc back")
        }
        LineKind::Rows(_) => format!("{} · Enter keeps · Esc shows all", looked_for(inbox.desk.page)),
        LineKind::Command { completing, .. } => command_help(inbox, line.text.text(), completing.as_ref()),
    }
}

/// What a page is searched for.
fn looked_for(page: PageKind) -> &'static str {
    match page {
        PageKind::Events => "all words of an event",
        PageKind::Webhooks => "addresses and events of webhooks",
        PageKind::Templates => "names, languages and texts of templates",
        PageKind::Account => "all words of the account",
        _ => "names, mail addresses, numbers, tag:WORD",
    }
}

/// What a command takes, or what the words begun can become.
fn command_help(inbox: &Inbox, text: &str, completing: Option<&(String, usize)>) -> String {
    let begun = completing.map_or(text, |(begun, _)| begun.as_str());
    let name = text.split(' ').next().unwrap_or("");
    let verb = VERBS.iter().find(|verb| verb.name == name && text.contains(' '));
    let all = inbox.completions(begun);
    if let Some(verb) = verb.filter(|_| completing.is_none() || all.len() < 2) {
        let known =
            inbox.completions(text).into_iter().map(|completion| completion[name.len() + 1..].to_owned());
        let known: Vec<String> = known.filter(|entry| entry.trim() != text[name.len()..].trim()).collect();
        let words = if known.is_empty() { String::new() } else { format!(": {}", known.join("  ")) };
        return format!("{} · {}{words}", verb.takes, verb.doc);
    }
    if begun.is_empty() {
        return "Tab completes · Up brings back · help lists the keys · quit leaves".to_owned();
    }
    let place = completing.map_or(0, |(_, at)| *at);
    all.iter().cycle().skip(place).take(all.len()).map(|text| text.trim()).collect::<Vec<_>>().join("  ")
}

fn filter_help(text: &str, is_mail: bool) -> String {
    let word = text.rsplit(' ').next().unwrap_or("").trim_start_matches('-');
    let field = word.split_once(':').map(|(field, _)| field);
    match field.map(|field| (field, filter::known_values(field))) {
        Some((field, known @ [_, ..])) => format!("{field}: {}", known.join("  ")),
        _ if is_mail => {
            "Enter keeps · Esc clears · from: to: subject: after: before: has:file is: · -not · \"a phrase\""
                .to_owned()
        }
        _ => "Enter keeps · Esc clears · status: ai: window: from: tag: has: is: · -not · \"a phrase\""
            .to_owned(),
    }
}

/// Draws prompt and text, scrolled so that the cursor is seen; what is wrong
/// is marked, and so is what the next character replaces.
fn typed(
    prompt: &str,
    text: &TextLine,
    mistakes: &[filter::FilterError],
    place: Area,
    theme: Theme,
    buffer: &mut Buffer,
) -> Position {
    let used = paint_view::text(buffer, place.x, place.y, place.width, prompt, theme.strong());
    let room = place.width.saturating_sub(used + 1);
    let skipped = skipped(text.before(), usize::from(room));
    let mut x = place.x + used;
    for (at, it) in text.text().char_indices().skip_while(|(at, _)| *at < skipped) {
        let wrong = mistakes.iter().any(|mistake| mistake.at.contains(&at));
        let given = at >= text.replaced_from();
        let style = match (wrong, given) {
            (true, _) => theme.error().patch(theme.selected()),
            (false, true) => theme.selected(),
            (false, false) => Style::new(),
        };
        let left = (place.x + place.width).saturating_sub(x);
        x += paint_view::text(buffer, x, place.y, left, it.encode_utf8(&mut [0; 4]), style);
    }
    let before = wrap::cells(&text.before()[skipped..]);
    Position { x: place.x + used + u16::try_from(before).unwrap_or(0).min(room), y: place.y }
}

/// Bytes that are scrolled out of sight at the left.
fn skipped(before: &str, room: usize) -> usize {
    let too_wide = |at: &usize| wrap::cells(&before[*at..]) > room;
    let starts = before.char_indices().map(|(at, _)| at);
    starts
        .take_while(too_wide)
        .last()
        .map_or(0, |at| before[at..].char_indices().nth(1).map_or(before.len(), |(next, _)| at + next))
}
