//! The conversation list: two lines a row, from the current window.

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
use crate::screens::conversations::{ConversationList, row_view};
use crate::tab::Focus;
use crate::tabs_view;
use crate::theme_view::Theme;
use model::filter;
use model::news::Health;
use model::queries::{MAX_COUNTED_ROWS, TabCounts};

/// Columns below which a list's title says less.
const NARROW: u16 = 50;

/// Draws the list with its frame.
pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let (tab, list) = (inbox.desk.tab(), inbox.desk.list());
    let typing = inbox.context.layers.top::<LinePrompt>().is_some();
    let focused = tab.focus == Focus::List && (inbox.context.layers.is_empty() || typing);
    let title = title(inbox);
    let typed = typed(list, theme);
    let marked = match list.marks.len() {
        0 => String::new(),
        marked => format!("{marked} marked · "),
    };
    let up = above(inbox, list, focused, area.width);
    let has_room = up.is_empty() && list.typed.is_empty();
    let count = format!("{}{}", aside(inbox, has_room), count(list));
    let typed = typed.iter().map(|(words, style)| (words.as_str(), *style));
    let left: Vec<paint_view::Run<'_>> =
        [(title.as_str(), theme.strong())].into_iter().chain(typed).collect();
    let titles = (
        left,
        [
            (up.as_str(), theme.needs_a_person()),
            (marked.as_str(), theme.strong()),
            (count.as_str(), Style::new()),
        ],
    );
    let line = match inbox.desk.everywhere {
        true => ((theme.border_set(), theme.joints()), theme.border(focused)),
        false => tabs_view::line(inbox.desk.tab(), theme, focused),
    };
    paint_view::frame_of(buffer, area, line, Sides::All, (&titles.0, &titles.1));
    let inner = area.inner();
    if list.page.rows.is_empty() {
        paint_view::paragraph(buffer, padded(inner), &empty_words(inbox), theme.quiet());
        return;
    }
    let rows = list.page.rows.iter().skip(list.first).take(usize::from(inner.height / 2).max(1));
    for (index, row) in rows.enumerate() {
        let y = inner.y + u16::try_from(index * 2).unwrap_or(0);
        let place = Area { y, height: 2.min(inner.y + inner.height - y), ..inner };
        let selected = list.selected.as_ref().is_some_and(|conversation_key| row.has_key(conversation_key));
        row_view::draw(inbox, theme, row, place, buffer);
        if selected {
            paint_view::stripe(buffer, place, if focused { theme.selected() } else { theme.strong() });
            row_view::mark_selected(theme, row, place, buffer);
        }
    }
}

/// What stands above the screen or came to stand above the cursor, and the key
/// that goes there.
fn above(inbox: &Inbox, list: &ConversationList, focused: bool, width: u16) -> String {
    let (new, need) = list.arrived();
    if new == 0 {
        return if list.more_above() { "↑ more  ".to_owned() } else { String::new() };
    }
    let key = if focused { format!(" · {}", inbox.context.key_of(Command::Top)) } else { String::new() };
    let verb = if need == 1 { "needs" } else { "need" };
    match need {
        0 => format!("↑ {new} new{key}  "),
        _ if width < NARROW => format!("↑ {new} new, {need} for you{key}  "),
        _ => format!("↑ {new} new, {need} {verb} you{key}  "),
    }
}

fn padded(area: Area) -> Area {
    Area { x: area.x + 1, width: area.width.saturating_sub(2), ..area }
}

/// How many were put aside or are nothing but a broadcast, where they are not
/// what is shown; the second only where nothing more urgent needs the room.
fn aside(inbox: &Inbox, has_room: bool) -> String {
    let list = inbox.desk.list();
    let snoozed = count_of(inbox, |tab_counts| tab_counts.snoozed);
    let broadcast_only = count_of(inbox, |tab_counts| tab_counts.broadcast_only);
    let mut words = String::new();
    if has_room && broadcast_only > 0 && list.leaves_out_broadcasts() {
        words.push_str(&format!("{broadcast_only} broadcast only · "));
    }
    if snoozed > 0 && !list.is_showing_snoozed() {
        words.push_str(&format!("{snoozed} snoozed · "));
    }
    words
}

/// A count of the tab on screen, or of all where all are shown.
fn count_of(inbox: &Inbox, count: fn(&TabCounts) -> u32) -> u32 {
    match inbox.desk.everywhere {
        true => inbox.desk.tabs.iter().map(|tab| count(&tab.counts)).sum(),
        false => count(&inbox.desk.tab().counts),
    }
}

/// How many there are, as far as is known.
fn count(list: &ConversationList) -> String {
    let rows = list.page.rows.len();
    match list.page.total {
        Some(total) => total.to_string(),
        None if list.page.reaches_bottom && list.page.reaches_top => rows.to_string(),
        None if list.loaded => format!("{MAX_COUNTED_ROWS}+"),
        None => format!("{rows}+"),
    }
}

/// What an empty list says: why, and what to do.
pub(crate) fn empty_words(inbox: &Inbox) -> String {
    let (tab, list) = (inbox.desk.tab(), inbox.desk.list());
    if inbox.desk.everywhere || !list.typed.is_empty() {
        return if list.loaded {
            nothing_found(inbox, list)
        } else {
            loading_view::empty_pane_text(inbox, Pane::List)
        };
    }
    match &tab.health {
        _ if list.resource.has_failed() => loading_view::empty_pane_text(inbox, Pane::List),
        Health::Refused { code, why } => {
            format!(
                "The key of this tab is not taken: {code}. {why}\n\nDrafts and the outbox are kept. Put a valid key \
                 into the configuration and start again."
            )
        }
        Health::Misconfigured { why } => format!("This tab cannot work as configured: {why}"),
        Health::Offline { why, .. } => {
            format!(
                "The server cannot be reached: {why}\n\nAsking again by itself; nothing is lost meanwhile."
            )
        }
        Health::Trouble { why, .. } => {
            format!("The server answers, but not as it should: {why}\n\nAsking again by itself.")
        }
        _ if tab.note.is_some() => tab.note.as_ref().map_or_else(String::new, |note| note.why().to_string()),
        Health::Connecting => "Asking the server…".to_owned(),
        _ if !list.loaded => loading_view::empty_pane_text(inbox, Pane::List),
        _ => nothing_found(inbox, list),
    }
}

/// Why nothing is found, and where the others are.
fn nothing_found(inbox: &Inbox, list: &ConversationList) -> String {
    let label = &list.view.label;
    if !list.typed.is_empty() {
        let words = "is found by this filter. {filter-list} changes it, {choose-view} shows other views.";
        return format!("Nothing in \"{label}\" {}", inbox.context.keyed(words));
    }
    match list.view.name.as_str() {
        "All open" => {
            let closed = inbox.desk.views.iter().find(|view| view.name == "Closed").and_then(|view| view.key);
            let closed = closed.map_or_else(String::new, |character| format!(" {character}"));
            let words = "No open conversations. They appear here when customers write; {choose-view}";
            let words = format!("{}{closed} shows closed ones.", inbox.context.keyed(words));
            match count_of(inbox, |tab_counts| tab_counts.broadcast_only) {
                0 => words,
                many => {
                    let finds = inbox.context.keyed("{filter-list} is:broadcast");
                    format!("{words}\n\n{many} got nothing but a broadcast so far: {finds} shows them.")
                }
            }
        }
        "Snoozed" => inbox.context.keyed(
            "Nothing is snoozed. {snooze} puts a conversation aside; {choose-view} shows other views.",
        ),
        "Needs me" => {
            let all = inbox.desk.views.iter().find(|view| view.name == "All open").and_then(|view| view.key);
            let all = all.map_or_else(String::new, |character| format!(" {character}"));
            let words =
                inbox.context.keyed("No one needs you now. They appear here when they do; {choose-view}");
            format!("{words}{all} shows all open conversations.")
        }
        _ => format!(
            "No conversations in \"{label}\". {}",
            inbox.context.keyed("{choose-view} shows other views.")
        ),
    }
}

/// What the list shows.
fn title(inbox: &Inbox) -> String {
    let list = inbox.desk.list();
    let place = if inbox.desk.everywhere { "All tabs" } else { "Inbox" };
    let order = if list.sort == list.view.sort { String::new() } else { format!(" by {}", list.sort.word()) };
    format!("{place} · {}{order}", list.view.label)
}

/// What was typed to narrow the list; what of it is not known does not, and
/// says so.
fn typed(list: &ConversationList, theme: Theme) -> Vec<(String, Style)> {
    let typed = &list.typed;
    if typed.is_empty() {
        return Vec::new();
    }
    let mistakes = filter::parse(typed).mistakes;
    let mut runs = vec![(" /".to_owned(), theme.strong())];
    let mut at = 0;
    for mistake in &mistakes {
        runs.push((typed[at..mistake.at.start].to_owned(), theme.strong()));
        runs.push((format!("!{}", &typed[mistake.at.clone()]), theme.error()));
        at = mistake.at.end;
    }
    runs.push((typed[at..].to_owned(), theme.strong()));
    let told = match mistakes.len() {
        0 => "",
        1 => " is not known",
        _ => " are not known",
    };
    // The words stand behind the wrong word where that is the last.
    runs.push((told.to_owned(), theme.error()));
    runs
}
