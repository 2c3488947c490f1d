//! Line 1: all tabs and one tab per channel key, each with the number of conversations that need a
//! person; the balance at the right.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::borders_view::BorderSet;
use crate::components::dialog::Tone;
use crate::components::paint_view;
use crate::connection_state;
use crate::keys::Pointer;
use crate::layout::Area;
use crate::overlays::view::tone_style;
use crate::status;
use crate::tab::Tab;
use crate::tab_names;
use crate::tab_names::HIDDEN_TABS_MARK_CELLS;
use crate::theme_view::Theme;
use crate::wrap;
use model::account::Environment;
use model::news::Health;

/// Cells between two entries.
const GAP_CELLS: usize = 3;
const TEST_LABEL: &str = "TEST";

/// An entry of the line, with its first column and its columns.
struct TabEntry {
    /// `None` for all tabs.
    tab: Option<usize>,
    name: String,
    x: u16,
    width: u16,
}

/// Entries that fit into `room` cells, and true if tabs before them are hidden.
fn place_entries(inbox: &Inbox, room: u16) -> (Vec<TabEntry>, bool) {
    let room = usize::from(room);
    let mut x = 1;
    let mut entries = Vec::new();
    let mut add = |tab: Option<usize>, name: String, x: &mut usize, cells: usize| {
        let first = u16::try_from(*x).unwrap_or(u16::MAX);
        entries.push(TabEntry { tab, name, x: first, width: u16::try_from(cells).unwrap_or(u16::MAX) });
        *x += cells + GAP_CELLS;
    };
    if inbox.desk.tabs.len() > 1 {
        let cells = "All".len() + count_cells(total_count(inbox));
        add(None, "All".to_owned(), &mut x, cells);
    }
    let names: Vec<&str> = inbox.desk.tabs.iter().map(|tab| tab.channel.name.as_str()).collect();
    let beside: Vec<usize> = inbox.desk.tabs.iter().map(|tab| cells_beside_name(tab) + GAP_CELLS).collect();
    // The last tab has no gap behind it.
    let fitted =
        tab_names::fit_tabs(&names, &beside, inbox.desk.active, (room + GAP_CELLS).saturating_sub(x + 1));
    if fitted.first > 0 {
        x += HIDDEN_TABS_MARK_CELLS + 1;
    }
    for (index, (tab, name)) in inbox.desk.tabs.iter().zip(fitted.names).enumerate().skip(fitted.first) {
        let cells = wrap::cells(&name) + cells_beside_name(tab);
        add(Some(index), name, &mut x, cells);
    }
    entries.retain(|entry| usize::from(entry.x) < room);
    (entries, fitted.first > 0)
}

pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let balance = shown_balance(inbox, area.width);
    let room = tabs_room(balance.as_ref(), area.width);
    let (entries, hides_tabs) = place_entries(inbox, room);
    let end = area.x + room;
    for entry in &entries {
        let x = area.x + entry.x;
        let room = end.saturating_sub(x);
        let used = match entry.tab {
            None => {
                if hides_tabs {
                    let mark = if theme.ascii { "<" } else { "‹" };
                    paint_view::text(buffer, x + entry.width + 2, area.y, 1, mark, theme.dim());
                }
                let count = count_label(total_count(inbox));
                let is_active = inbox.desk.shows_all_tabs;
                let runs = [("All", name_style(theme, is_active)), (&count, theme.strong())];
                paint_view::runs(buffer, x, area.y, room, &runs)
            }
            Some(index) => draw_tab(inbox, theme, (index, &entry.name), (x, area.y, room), buffer),
        };
        if is_active(inbox, entry.tab) {
            let stripe = Area { x: x - 1, y: area.y, width: (used + 2).min(end - (x - 1)), height: 1 };
            paint_view::stripe(buffer, stripe, theme.selected());
        }
    }
    if let Some((text, tone)) = balance {
        let width = area.width.saturating_sub(1);
        paint_view::runs_right(buffer, area.x, area.y, width, &[(&text, tone_style(theme, tone))]);
    }
}

/// Draws number, name, TEST, count and a connection's problem; returns the cells used.
fn draw_tab(
    inbox: &Inbox,
    theme: Theme,
    (index, name): (usize, &str),
    (x, y, room): (u16, u16, u16),
    buffer: &mut Buffer,
) -> u16 {
    let Some(tab) = inbox.desk.tabs.get(index) else { return 0 };
    let (label, label_style) = environment_label(tab, theme);
    let number = format!("{} ", index + 1);
    let count = count_label(tab.needs_person_count());
    let problem = problem_label(tab);
    let problem_style = match tab.health {
        Health::Silent { .. } | Health::Limited { .. } => theme.soon(),
        _ => theme.urgent(),
    };
    let runs = [
        (number.as_str(), theme.dim()),
        // A background alone would rely on colour.
        (name, name_style(theme, is_active(inbox, Some(index)))),
        (if label.is_empty() { "" } else { " " }, Style::new()),
        (label, label_style),
        (&count, theme.strong()),
        (&problem, problem_style),
    ];
    paint_view::runs(buffer, x, y, room, &runs)
}

fn is_active(inbox: &Inbox, tab: Option<usize>) -> bool {
    match tab {
        None => inbox.desk.shows_all_tabs,
        Some(index) => index == inbox.desk.active && !inbox.desk.shows_all_tabs,
    }
}

fn name_style(theme: Theme, is_active: bool) -> Style {
    if is_active { theme.strong() } else { Style::new() }
}

/// The balance at the right, unless the screen is narrow.
fn shown_balance(inbox: &Inbox, width: u16) -> Option<(String, Tone)> {
    (width >= status::BALANCE_MIN_WIDTH).then(|| status::balance_label(inbox)).flatten()
}

/// Cells left of the balance and its gap.
fn tabs_room(balance: Option<&(String, Tone)>, width: u16) -> u16 {
    let taken = balance.map_or(0, |(text, _)| u16::try_from(wrap::cells(text)).unwrap_or(0) + 2);
    width.saturating_sub(taken)
}

pub fn tab_at(inbox: &Inbox, x: u16) -> Option<Pointer> {
    let width = inbox.context.size.0;
    let (entries, _) = place_entries(inbox, tabs_room(shown_balance(inbox, width).as_ref(), width));
    let hit = |entry: &&TabEntry| (entry.x.saturating_sub(1)..=entry.x + entry.width).contains(&x);
    entries.iter().find(hit).map(|entry| entry.tab.map_or(Pointer::AllTabs, Pointer::Tab))
}

/// Border of a tab's panes; its shape distinguishes test from live keys.
pub fn pane_border(tab: &Tab, theme: Theme, focused: bool) -> ((BorderSet, [&'static str; 2]), Style) {
    let set = match tab.environment() {
        Some(Environment::Test) => theme.test_border_set(),
        _ => (theme.border_set(), theme.border_joints()),
    };
    (set, theme.border(focused))
}

/// TEST for a test key; nothing for a live key, or until the environment is known.
pub fn environment_label(tab: &Tab, theme: Theme) -> (&'static str, Style) {
    match tab.environment() {
        Some(Environment::Test) => (TEST_LABEL, theme.test()),
        Some(Environment::Live) | None => ("", Style::new()),
    }
}

fn total_count(inbox: &Inbox) -> u32 {
    inbox.desk.tabs.iter().map(Tab::needs_person_count).sum()
}

fn count_label(count: u32) -> String {
    if count == 0 { String::new() } else { format!(" {count}") }
}

fn count_cells(count: u32) -> usize {
    wrap::cells(&count_label(count))
}

fn problem_label(tab: &Tab) -> String {
    match connection_state::status_word(&tab.health) {
        "" => String::new(),
        word => format!(" {word}"),
    }
}

/// Cells of a tab beside its name: number, TEST, count and a connection's problem.
fn cells_beside_name(tab: &Tab) -> usize {
    let label = if tab.environment() == Some(Environment::Test) { TEST_LABEL.len() + 1 } else { 0 };
    2 + label + count_cells(tab.needs_person_count()) + wrap::cells(&problem_label(tab))
}
