//! The line being typed, in the last line; errors or completions are above it.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::{Modifier, Style};

use crate::Inbox;
use crate::command::VERBS;
use crate::components::paint_view;
use crate::components::spoken::SpokenPage;
use crate::components::text_line::TextLine;
use crate::layout::Area;
use crate::overlays::line::{LinePrompt, LinePromptKind};
use crate::overlays::view::OverlayView;
use crate::pages::PageKind;
use crate::theme_view::Theme;
use crate::wrap;
use model::filter;
use model::text::SafeText;

impl OverlayView for LinePrompt {
    fn describe(&self, inbox: &Inbox) -> SpokenPage {
        let title = match self.kind {
            LinePromptKind::Filter(_) => "Filter the list",
            LinePromptKind::FindInHistory(_) => "Find in the conversation",
            LinePromptKind::SearchRows(_) => "Search the rows",
            LinePromptKind::Command { .. } => "Command",
        };
        let typed = format!("{}{}", prompt(&self.kind), SafeText::line(self.text.text()));
        let errors = filter_errors(self);
        let page = SpokenPage::new([title]).chosen_row(&typed);
        match errors.first() {
            Some(error) => page.text(&error.message),
            None => page.keys(&help_text(inbox, self)),
        }
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let line = self;
        let last = inbox.desk.areas(&inbox.context).status;
        let above = Area { y: last.y.saturating_sub(1), ..last };
        paint_view::blank(buffer, last);
        paint_view::blank(buffer, above);
        let place = Area { x: last.x + 1, width: last.width.saturating_sub(2), ..last };
        let mistakes = filter_errors(line);
        let cursor = draw_input(prompt(&line.kind), &line.text, &mistakes, place, theme, buffer);
        let hints = Area { x: above.x + 1, width: above.width.saturating_sub(2), ..above };
        match mistakes.first() {
            Some(mistake) => {
                paint_view::text(buffer, hints.x, hints.y, hints.width, &mistake.message, theme.urgent())
            }
            None => {
                paint_view::text(buffer, hints.x, hints.y, hints.width, &help_text(inbox, line), theme.dim())
            }
        };
        Some(cursor)
    }
}

fn prompt(kind: &LinePromptKind) -> &'static str {
    match kind {
        LinePromptKind::Filter(_) => "filter / ",
        LinePromptKind::FindInHistory(_) => "find ",
        LinePromptKind::SearchRows(_) => "search / ",
        LinePromptKind::Command { .. } => ":",
    }
}

fn filter_errors(line: &LinePrompt) -> Vec<filter::FilterError> {
    match line.kind {
        LinePromptKind::Filter(_) => filter::parse(line.text.text()).mistakes,
        LinePromptKind::FindInHistory(_) | LinePromptKind::SearchRows(_) | LinePromptKind::Command { .. } => {
            Vec::new()
        }
    }
}

fn help_text(inbox: &Inbox, line: &LinePrompt) -> String {
    match &line.kind {
        LinePromptKind::Filter(_) => {
            filter_help(line.text.text(), inbox.desk.tab().is_mail() && !inbox.desk.shows_all_tabs)
        }
        LinePromptKind::FindInHistory(_) => {
            let find = inbox.desk.tab().history.as_ref().and_then(|history| history.find.as_ref());
            let place =
                find.map_or_else(|| "words or their beginnings".to_owned(), |find| find.position_label());
            format!("{place} · Enter keeps, then n older, N newer · Esc back")
        }
        LinePromptKind::SearchRows(_) => {
            format!("{} · Enter keeps · Esc shows all", searched_fields(inbox.desk.page))
        }
        LinePromptKind::Command { completing, .. } => {
            command_help(inbox, line.text.text(), completing.as_ref())
        }
    }
}

fn searched_fields(page: PageKind) -> &'static str {
    match page {
        PageKind::Events => "any words of an event",
        PageKind::Webhooks => "addresses and events of webhooks",
        PageKind::Templates => "names, languages and texts of templates",
        PageKind::Account => "any words of the account",
        _ => "names, mail addresses, numbers, tag:WORD",
    }
}

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
        return "Tab completes · Up history · help keys · quit".to_owned();
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

/// Draws prompt and text, scrolled to the cursor, with marks for errors and the replaced part.
fn draw_input(
    prompt: &str,
    text: &TextLine,
    mistakes: &[filter::FilterError],
    place: Area,
    theme: Theme,
    buffer: &mut Buffer,
) -> Position {
    let used = paint_view::text(buffer, place.x, place.y, place.width, prompt, theme.strong());
    let room = place.width.saturating_sub(used + 1);
    let skipped = hidden_prefix_bytes(text.before(), usize::from(room));
    let mut x = place.x + used;
    for (at, character) in text.text().char_indices().skip_while(|(at, _)| *at < skipped) {
        let wrong = mistakes.iter().any(|mistake| mistake.at.contains(&at));
        let given = at >= text.replaced_from();
        let style = match (wrong, given) {
            (true, _) => theme.urgent().add_modifier(Modifier::UNDERLINED),
            (false, true) => theme.selected(),
            (false, false) => Style::new(),
        };
        let left = (place.x + place.width).saturating_sub(x);
        x += paint_view::text(buffer, x, place.y, left, character.encode_utf8(&mut [0; 4]), style);
    }
    let before = wrap::cells(&text.before()[skipped..]);
    Position { x: place.x + used + u16::try_from(before).unwrap_or(0).min(room), y: place.y }
}

/// Bytes scrolled out at the left.
fn hidden_prefix_bytes(before: &str, room: usize) -> usize {
    let too_wide = |at: &usize| wrap::cells(&before[*at..]) > room;
    let starts = before.char_indices().map(|(at, _)| at);
    starts
        .take_while(too_wide)
        .last()
        .map_or(0, |at| before[at..].char_indices().nth(1).map_or(before.len(), |(next, _)| at + next))
}
