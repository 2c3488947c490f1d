//! The conversation list, two lines per row. In the inbox each section has a header in a line of the
//! frame.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::command::Command;
use crate::components::loading_view;
use crate::components::paint_view;
use crate::components::paint_view::Sides;
use crate::layout::Area;
use crate::loads::Pane;
use crate::overlays::line::LinePrompt;
use crate::screens::conversations::{ConversationList, ListEntry, ROW_LINES, row_view};
use crate::tab::{Focus, Tab};
use crate::tabs_view;
use crate::theme_view::Theme;
use crate::wrap;
use model::filter::{self, Sort};
use model::news::Health;
use model::queries::{MAX_COUNTED_ROWS, TabCounts};
use model::queue::Section;

/// Columns of a title row that are neither its name nor its hint.
const TITLE_EDGES: usize = 6;

pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let (tab, list) = (inbox.desk.tab(), inbox.desk.list());
    let typing = inbox.context.overlays.top::<LinePrompt>().is_some();
    let focused = tab.focus == Focus::List && (inbox.context.overlays.is_empty() || typing);
    let title = title(inbox);
    let typed = filter_runs(list, theme);
    let named = wrap::cells(&title) + typed.iter().map(|(words, _)| wrap::cells(words)).sum::<usize>();
    let room = usize::from(area.width).saturating_sub(named + TITLE_EDGES);
    let up = rows_above_hint(inbox, list, focused, room);
    let has_room = up.is_empty() && list.typed.is_empty();
    let count = match list.sort {
        // Each section has its own count.
        Sort::Queue => String::new(),
        _ => format!("{}{}", hidden_counts(inbox, has_room), row_count_label(list)),
    };
    let marked = match (list.marks.len(), count.is_empty()) {
        (0, _) => String::new(),
        (marked, true) => format!("{marked} marked"),
        (marked, false) => format!("{marked} marked · "),
    };
    let is_last = marked.is_empty() && count.is_empty();
    let up = if is_last { up.trim_end() } else { up.as_str() };
    let typed = typed.iter().map(|(words, style)| (words.as_str(), *style));
    let left: Vec<paint_view::Run<'_>> =
        [(title.as_str(), theme.strong())].into_iter().chain(typed).collect();
    let right = [(up, theme.strong()), (marked.as_str(), theme.strong()), (count.as_str(), Style::new())];
    let right: Vec<paint_view::Run<'_>> = right.into_iter().filter(|(words, _)| !words.is_empty()).collect();
    let line = match inbox.desk.shows_all_tabs {
        true => ((theme.border_set(), theme.border_joints()), theme.border(focused)),
        false => tabs_view::pane_border(inbox.desk.tab(), theme, focused),
    };
    paint_view::draw_frame(buffer, area, line, Sides::All, (&left, &right));
    let inner = area.inner();
    if list.page.rows.is_empty() {
        paint_view::paragraph(buffer, inset(inner), &empty_text(inbox), theme.dim());
        return;
    }
    for (entry, top) in list.layout(inner.height) {
        let y = inner.y + top;
        let row = match entry {
            ListEntry::Row(index) => &list.page.rows[index],
            ListEntry::Header(section) => {
                let title = section_title(inbox, section);
                paint_view::divider(buffer, Area { y, ..area }, line, &[(title.as_str(), theme.strong())]);
                continue;
            }
        };
        let place = Area { y, height: ROW_LINES.min(inner.y + inner.height - y), ..inner };
        row_view::draw(inbox, theme, row, place, buffer);
        if list.selected.as_ref().is_some_and(|key| row.has_key(key)) {
            paint_view::stripe(buffer, place, theme.selected());
            row_view::mark_selected(theme, row, place, buffer);
        }
    }
}

fn section_title(inbox: &Inbox, section: Section) -> String {
    let (name, count) = section_texts(inbox, section);
    format!("{} {count}", name.to_uppercase())
}

pub(crate) fn section_texts(inbox: &Inbox, section: Section) -> (&'static str, String) {
    let has_ai =
        inbox.desk.shows_all_tabs || inbox.desk.tab().platform().is_none_or(|platform| platform.is_chat());
    let name = match section {
        Section::Mine => "Mine",
        Section::NeedsPerson => "Needs a person",
        Section::WithAi if has_ai => "With the AI",
        // Mail and phone have no switch for an AI.
        Section::WithAi => "Others",
    };
    match inbox.desk.list().page.sections.of(section) {
        MAX_COUNTED_ROWS.. => (name, format!("{MAX_COUNTED_ROWS}+")),
        count => (name, count.to_string()),
    }
}

/// Hint for rows above the screen or new above the cursor, with the key that goes there; as much of it as there is
/// room for.
fn rows_above_hint(inbox: &Inbox, list: &ConversationList, focused: bool, room: usize) -> String {
    let (new, need) = list.count_arrivals();
    if new == 0 {
        return if list.more_above() { "↑ more  ".to_owned() } else { String::new() };
    }
    let key = if focused { format!(" · {}", inbox.context.key_of(Command::Top)) } else { String::new() };
    let verb = if need == 1 { "needs" } else { "need" };
    let need = if need == 0 { String::new() } else { format!(", {need} {verb} you") };
    let hints = [format!("↑ {new} new{need}{key}  "), format!("↑ {new} new{key}  "), format!("↑ {new}  ")];
    hints.into_iter().find(|hint| wrap::cells(hint) <= room).unwrap_or_default()
}

fn inset(area: Area) -> Area {
    Area { x: area.x + 1, width: area.width.saturating_sub(2), ..area }
}

/// Number of hidden snoozed and, if there is room, broadcast-only conversations.
fn hidden_counts(inbox: &Inbox, has_room: bool) -> String {
    let list = inbox.desk.list();
    let snoozed = sum_tab_counts(inbox, |tab_counts| tab_counts.snoozed);
    let broadcast_only = sum_tab_counts(inbox, |tab_counts| tab_counts.broadcast_only);
    let mut words = String::new();
    if has_room && broadcast_only > 0 && list.excludes_broadcasts() {
        words.push_str(&format!("{broadcast_only} broadcast only · "));
    }
    if snoozed > 0 && !list.is_showing_snoozed() {
        words.push_str(&format!("{snoozed} snoozed · "));
    }
    words
}

fn sum_tab_counts(inbox: &Inbox, count: fn(&TabCounts) -> u32) -> u32 {
    match inbox.desk.shows_all_tabs {
        true => inbox.desk.tabs.iter().map(|tab| count(&tab.counts)).sum(),
        false => count(&inbox.desk.tab().counts),
    }
}

fn row_count_label(list: &ConversationList) -> String {
    let rows = list.page.rows.len();
    match list.page.total {
        Some(total) => total.to_string(),
        None if list.page.reaches_bottom && list.page.reaches_top => rows.to_string(),
        None if list.loaded => format!("{MAX_COUNTED_ROWS}+"),
        None => format!("{rows}+"),
    }
}

/// Text of an empty list until the server has answered.
const ASKING: &str = "Asking the server…";

/// True if a server that can be reached has not sent its list yet.
fn awaits_list(tab: &Tab) -> bool {
    let is_asked = tab.is_inbox() && tab.empty_reason.is_none() && !tab.list.resource.has_failed();
    let is_reached = matches!(tab.health, Health::Connecting | Health::Live { .. } | Health::Limited { .. });
    is_asked
        && is_reached
        && (tab.health == Health::Connecting || !tab.counts.list_was_read || tab.list.page.is_unread)
}

pub(crate) fn empty_text(inbox: &Inbox) -> String {
    let (tab, list) = (inbox.desk.tab(), inbox.desk.list());
    if inbox.desk.shows_all_tabs || !list.typed.is_empty() {
        return match list.loaded {
            true if list.typed.is_empty() && inbox.desk.tabs.iter().any(awaits_list) => ASKING.to_owned(),
            true => no_match_text(inbox, list),
            false => loading_view::empty_pane_text(inbox, Pane::List),
        };
    }
    match &tab.health {
        _ if list.resource.has_failed() => loading_view::empty_pane_text(inbox, Pane::List),
        Health::Refused { code, why } => {
            format!(
                "The server refused this channel's key: {code}. {why}\n\nDrafts and outbox are kept. Put a \
                 valid key into the configuration and restart."
            )
        }
        Health::Misconfigured { why } => format!("This channel cannot be used as configured: {why}"),
        Health::Offline { why, .. } => {
            format!("The server cannot be reached: {why}\n\nTrying again automatically; nothing is lost.")
        }
        Health::Trouble { why, .. } => {
            format!("Unexpected answer from the server: {why}\n\nTrying again automatically.")
        }
        _ if tab.empty_reason.is_some() => {
            tab.empty_reason.as_ref().map_or_else(String::new, |note| note.server_reason().to_string())
        }
        _ if awaits_list(tab) => ASKING.to_owned(),
        _ if !list.loaded => loading_view::empty_pane_text(inbox, Pane::List),
        _ => no_match_text(inbox, list),
    }
}

/// Explains an empty result and where other conversations are.
fn no_match_text(inbox: &Inbox, list: &ConversationList) -> String {
    let label = &list.view.label;
    if !list.typed.is_empty() {
        let words = "matches this filter. {filter-list} filter, {choose-view} other views";
        return format!("Nothing in \"{label}\" {}", inbox.context.fill_in_keys(words));
    }
    match list.view.name.as_str() {
        "Inbox" | "All open" => {
            let closed = inbox.desk.views.iter().find(|view| view.name == "Closed").and_then(|view| view.key);
            let closed = closed.map_or_else(String::new, |character| format!(" {character}"));
            let words = "No open conversations. They appear here when customers write; {choose-view}";
            let words = format!("{}{closed} shows closed ones.", inbox.context.fill_in_keys(words));
            match sum_tab_counts(inbox, |tab_counts| tab_counts.broadcast_only) {
                0 => words,
                many => {
                    let finds = inbox.context.fill_in_keys("{filter-list} is:broadcast");
                    format!("{words}\n\n{many} with only a broadcast: {finds} shows them.")
                }
            }
        }
        "Later" => inbox.context.fill_in_keys(
            "Nothing is snoozed. {snooze} snoozes a conversation; {choose-view} shows other views.",
        ),
        _ => format!(
            "No conversations in \"{label}\". {}",
            inbox.context.fill_in_keys("{choose-view} shows other views.")
        ),
    }
}

fn title(inbox: &Inbox) -> String {
    let list = inbox.desk.list();
    if let Some(section) = list.section_of(list.first) {
        return section_title(inbox, section);
    }
    list_title(inbox)
}

/// Returns the name of the list, with its view and order.
pub(crate) fn list_title(inbox: &Inbox) -> String {
    let list = inbox.desk.list();
    let place = if inbox.desk.shows_all_tabs { "All channels" } else { "Inbox" };
    if list.sort == Sort::Queue && list.view.sort == Sort::Queue {
        return place.to_owned();
    }
    let order = if list.sort == list.view.sort { String::new() } else { format!(" by {}", list.sort.word()) };
    format!("{place} · {}{order}", list.view.label)
}

/// The typed filter, with unknown words marked; they do not narrow the list.
fn filter_runs(list: &ConversationList, theme: Theme) -> Vec<(String, Style)> {
    let typed = &list.typed;
    if typed.is_empty() {
        return Vec::new();
    }
    let mistakes = filter::parse(typed).mistakes;
    let mut runs = vec![(" /".to_owned(), theme.strong())];
    let mut at = 0;
    for mistake in &mistakes {
        runs.push((typed[at..mistake.at.start].to_owned(), theme.strong()));
        runs.push((format!("!{}", &typed[mistake.at.clone()]), theme.urgent()));
        at = mistake.at.end;
    }
    runs.push((typed[at..].to_owned(), theme.strong()));
    let told = match mistakes.len() {
        0 => "",
        1 => " is not known",
        _ => " are not known",
    };
    // The remark follows the last word.
    runs.push((told.to_owned(), theme.urgent()));
    runs
}
