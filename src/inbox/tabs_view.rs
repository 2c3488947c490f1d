//! Line 1: a tab per channel key, with LIVE or TEST and who waits.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::connection_view;
use crate::features::credits::Balance;
use crate::keys::Pointer;
use crate::layout::Area;
use crate::strokes_view::BorderSet;
use crate::tab::Tab;
use crate::tab_names;
use crate::tab_names::VisibleTabs;
use crate::theme_view::Theme;
use crate::wrap;
use model::account::Environment;
use model::prices;

/// Columns of the place of all tabs.
const ALL: usize = 5;

/// Draws the tab line.
pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let credits = credits(inbox);
    let room = room(inbox, area.width);
    let shown = shown(inbox, usize::from(room));
    let (separator, before) = if theme.ascii { ("|", "<") } else { ("│", "‹") };
    let mut x = area.x + all(inbox, theme, area, buffer);
    if shown.first > 0 {
        x += paint_view::text(buffer, x, area.y, 1, before, theme.quiet());
    }
    for (index, (tab, name)) in inbox.desk.tabs.iter().zip(&shown.names).enumerate().skip(shown.first) {
        if x > area.x {
            x += paint_view::text(buffer, x, area.y, 1, separator, theme.quiet());
        }
        let start = x;
        let (label, label_style) = environment(tab, theme);
        let number = format!("{} ", index + 1);
        let count = count(tab);
        let active = index == inbox.desk.active && !inbox.desk.everywhere;
        // The ground alone would be colour alone.
        let name_style = if active { theme.strong() } else { Style::new() };
        let runs =
            [(number.as_str(), theme.quiet()), (name, name_style), (" ", Style::new()), (label, label_style)];
        x += paint_view::runs(buffer, x, area.y, room.saturating_sub(x - area.x), &runs);
        x += paint_view::text(
            buffer,
            x,
            area.y,
            room.saturating_sub(x - area.x),
            &count,
            theme.needs_a_person(),
        );
        if active {
            paint_view::stripe(
                buffer,
                Area { x: start, y: area.y, width: x - start, height: 1 },
                theme.selected(),
            );
        }
    }
    if area.width >= 100 {
        paint_view::runs_right(
            buffer,
            area.x,
            area.y,
            area.width.saturating_sub(1),
            &[(&credits, theme.quiet())],
        );
    }
}

/// Draws the place of all tabs in one list, if there are several; returns the
/// columns it took.
fn all(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) -> u16 {
    if inbox.desk.tabs.len() < 2 {
        return 0;
    }
    let used =
        paint_view::runs(buffer, area.x, area.y, area.width, &[("0 ", theme.quiet()), ("All", Style::new())]);
    if inbox.desk.everywhere {
        paint_view::stripe(buffer, Area { width: used, height: 1, ..area }, theme.selected());
    }
    used
}

/// Columns for the tabs; a wide screen keeps some for the balance.
fn room(inbox: &Inbox, width: u16) -> u16 {
    let credits = u16::try_from(wrap::cells(&credits(inbox))).unwrap_or(0);
    width.saturating_sub(if width < 100 { 0 } else { credits + 2 })
}

/// What a click on a tab's column does.
pub fn tab_at(inbox: &Inbox, x: u16) -> Option<Pointer> {
    let room = usize::from(room(inbox, inbox.context.size.0));
    let mut end = if inbox.desk.tabs.len() < 2 { 0 } else { ALL + 1 };
    if usize::from(x) < end {
        return Some(Pointer::AllTabs);
    }
    let shown = shown(inbox, room);
    end += if shown.first > 0 { tab_names::BEFORE } else { 0 };
    for (index, (tab, name)) in inbox.desk.tabs.iter().zip(&shown.names).enumerate().skip(shown.first) {
        end += wrap::cells(name) + beside(tab);
        if usize::from(x) < end.min(room) {
            return Some(Pointer::Tab(index));
        }
    }
    None
}

/// The balance of the active tab's workspace.
pub fn credits(inbox: &Inbox) -> String {
    match &inbox.desk.tab().account {
        Some(account) => {
            let word = match inbox.features.credits.balance(inbox.desk.tab(), &inbox.desk, &inbox.context) {
                Balance::Fine => "",
                Balance::Low => "LOW, ",
                Balance::Empty => "EMPTY, ",
            };
            format!("{word}{} credits", prices::format_balance(account.credits))
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
        None => ("?", theme.quiet()),
    }
}

/// Who waits, and the state of the connection where that needs a look.
fn count(tab: &Tab) -> String {
    let waiting = match tab.counts.needs_reply {
        0 => String::new(),
        waiting => format!(" {waiting}"),
    };
    let waiting = match tab.counts.proposals.len() {
        0 => waiting,
        proposals => format!("{waiting} ?{proposals}"),
    };
    match connection_view::mark(&tab.health) {
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
fn shown(inbox: &Inbox, room: usize) -> VisibleTabs {
    let names: Vec<&str> = inbox.desk.tabs.iter().map(|tab| tab.channel.name.as_str()).collect();
    let rest: Vec<usize> = inbox.desk.tabs.iter().map(beside).collect();
    let all = if inbox.desk.tabs.len() > 1 { ALL + 1 } else { 0 };
    // No line follows the last one.
    tab_names::shown(&names, &rest, inbox.desk.active, (room + 1).saturating_sub(all))
}
