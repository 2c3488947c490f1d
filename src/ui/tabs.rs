//! Line 1: a tab per channel key, with LIVE or TEST and who waits.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::connection;
use crate::paint;
use crate::tab_names::{self, VisibleTabs};
use crate::theme::{BorderSet, Theme};
use app::App;
use app::layout::Area;
use app::pointer::Pointer;
use app::purse::Balance;
use app::tab::Tab;
use app::wrap;
use model::account::Environment;
use model::prices;

/// Columns of the place of all tabs.
const ALL: usize = 5;

/// Draws the tab line.
pub fn draw(app: &App, theme: Theme, area: Area, buffer: &mut Buffer) {
    let credits = credits(app);
    let room = room(app, area.width);
    let shown = shown(app, usize::from(room));
    let (separator, before) = if theme.ascii { ("|", "<") } else { ("│", "‹") };
    let mut x = area.x + all(app, theme, area, buffer);
    if shown.first > 0 {
        x += paint::text(buffer, x, area.y, 1, before, theme.dim());
    }
    for (index, (tab, name)) in app.tabs.iter().zip(&shown.names).enumerate().skip(shown.first) {
        if x > area.x {
            x += paint::text(buffer, x, area.y, 1, separator, theme.dim());
        }
        let start = x;
        let (label, label_style) = environment(tab, theme);
        let number = format!("{} ", index + 1);
        let count = count(tab);
        let runs =
            [(number.as_str(), theme.dim()), (name, Style::new()), (" ", Style::new()), (label, label_style)];
        x += paint::runs(buffer, x, area.y, room.saturating_sub(x - area.x), &runs);
        x += paint::text(buffer, x, area.y, room.saturating_sub(x - area.x), &count, theme.waiting());
        if index == app.active && !app.everywhere {
            paint::stripe(
                buffer,
                Area { x: start, y: area.y, width: x - start, height: 1 },
                theme.selected(),
            );
        }
    }
    if area.width >= 100 {
        paint::runs_right(buffer, area.x, area.y, area.width.saturating_sub(1), &[(&credits, theme.dim())]);
    }
}

/// Draws the place of all tabs in one list, if there are several; returns the
/// columns it took.
fn all(app: &App, theme: Theme, area: Area, buffer: &mut Buffer) -> u16 {
    if app.tabs.len() < 2 {
        return 0;
    }
    let used = paint::runs(buffer, area.x, area.y, area.width, &[("0 ", theme.dim()), ("All", Style::new())]);
    if app.everywhere {
        paint::stripe(buffer, Area { width: used, height: 1, ..area }, theme.selected());
    }
    used
}

/// Columns for the tabs; a wide screen keeps some for the balance.
fn room(app: &App, width: u16) -> u16 {
    let credits = u16::try_from(wrap::cells(&credits(app))).unwrap_or(0);
    width.saturating_sub(if width < 100 { 0 } else { credits + 2 })
}

/// What a click on a tab's column does.
pub fn tab_at(app: &App, x: u16) -> Option<Pointer> {
    let room = usize::from(room(app, app.context.size.0));
    let mut end = if app.tabs.len() < 2 { 0 } else { ALL + 1 };
    if usize::from(x) < end {
        return Some(Pointer::AllTabs);
    }
    let shown = shown(app, room);
    end += if shown.first > 0 { tab_names::BEFORE } else { 0 };
    for (index, (tab, name)) in app.tabs.iter().zip(&shown.names).enumerate().skip(shown.first) {
        end += wrap::cells(name) + beside(tab);
        if usize::from(x) < end.min(room) {
            return Some(Pointer::Tab(index));
        }
    }
    None
}

/// The balance of the active tab's workspace.
pub fn credits(app: &App) -> String {
    match &app.tab().account {
        Some(account) => {
            let word = match app.balance(app.tab()) {
                Balance::Fine => "",
                Balance::Low => "LOW, ",
                Balance::Empty => "EMPTY, ",
            };
            format!("{word}{} credits", prices::credits(account.credits))
        }
        None => String::new(),
    }
}

/// The line of a tab's panes: its shape tells a test key from a live one.
pub fn line(tab: &Tab, theme: Theme, focused: bool) -> ((BorderSet, [&'static str; 2]), Style) {
    let set = match tab.environment() {
        Some(Environment::Test) => theme.test_border_set(),
        _ => (theme.border_set(), theme.joints()),
    };
    (set, theme.border(focused))
}

/// LIVE or TEST; a key that has not told yet has neither.
pub fn environment(tab: &Tab, theme: Theme) -> (&'static str, Style) {
    match tab.environment() {
        Some(Environment::Live) => ("LIVE", theme.live()),
        Some(Environment::Test) => ("TEST", theme.test()),
        None => ("?", theme.dim()),
    }
}

/// Who waits, and how the connection fares where that needs a look.
fn count(tab: &Tab) -> String {
    let waiting = match tab.counts.needs_reply {
        0 => String::new(),
        waiting => format!(" {waiting}"),
    };
    match connection::mark(&tab.health) {
        "" => waiting,
        mark => format!("{waiting} {mark}"),
    }
}

/// Cells of a tab beside its name: the number, a space, the label, the count
/// and the line after it.
fn beside(tab: &Tab) -> usize {
    let label = if tab.environment().is_some() { 4 } else { 1 };
    2 + 1 + label + wrap::cells(&count(tab)) + 1
}

/// Which tabs are seen, and what of their names.
fn shown(app: &App, room: usize) -> VisibleTabs {
    let names: Vec<&str> = app.tabs.iter().map(|it| it.channel.name.as_str()).collect();
    let rest: Vec<usize> = app.tabs.iter().map(beside).collect();
    let all = if app.tabs.len() > 1 { ALL + 1 } else { 0 };
    // No line follows the last one.
    tab_names::shown(&names, &rest, app.active, (room + 1).saturating_sub(all))
}
