//! Grounds are for what is selected and for nothing else.

use std::collections::BTreeSet;

use frontdesk::inbox::color_depth::ColorDepth;
use frontdesk::inbox::theme_table_view::{Role, ThemeName};
use frontdesk::inbox::theme_view::Theme;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

use crate::desk::Desk;
use crate::looks::calm::first_screen;

/// Keys from the inbox of the first tab to places of the demo.
const PLACES: [&str; 22] = [
    "", "j", "0", "3", "<Enter>", "t", "r", ";", "gn", "gp", "gb", "go", "gt", "ga", "gw", "g", "?",
    "<Ctrl-P>", "/", "v", "s", "T",
];
/// Maximum number of lines with a ground: the tabs, a row of a list, a message, and a row of a popup.
const MAX_SELECTED_LINES: usize = 6;

type Cells = BTreeSet<(u16, u16)>;

fn cells(buffer: &Buffer, holds: impl Fn(Color, Modifier) -> bool) -> Cells {
    let area = buffer.area;
    let all = (0..area.height).flat_map(|y| (0..area.width).map(move |x| (x, y)));
    all.filter(|place| holds(buffer[*place].bg, buffer[*place].modifier)).collect()
}

/// Checks the screen in each theme; returns the number of lines with a ground.
fn check(desk: &mut Desk, place: &str) -> usize {
    desk.theme = Theme::new(ThemeName::Terminal, false);
    let reversed = cells(&desk.buffer(), |_, modifier| modifier.contains(Modifier::REVERSED));
    assert_eq!(cells(&desk.buffer(), |ground, _| ground != Color::Reset), Cells::new(), "{place}");
    for name in [ThemeName::Dark, ThemeName::Light] {
        for depth in [ColorDepth::Direct, ColorDepth::Indexed] {
            desk.theme = Theme::new(name, false).in_depth(depth);
            let (buffer, selection) = (desk.buffer(), desk.theme.color(Role::Selection));
            let ground = cells(&buffer, |ground, _| ground != Color::Reset);
            assert_eq!(ground, cells(&buffer, |ground, _| ground == selection), "{place} in {name:?}");
            assert_eq!(ground, reversed, "{place} in {name:?}");
            let still = cells(&buffer, |_, modifier| modifier.contains(Modifier::REVERSED));
            assert_eq!(still, Cells::new(), "{place} in {name:?}");
            let own: Vec<_> = ground.iter().filter(|cell| buffer[**cell].fg == Color::Reset).collect();
            assert!(own.is_empty(), "{place} in {name:?}: words on a ground have a colour for it: {own:?}");
        }
    }
    let lines = reversed.iter().map(|cell| cell.1).collect::<BTreeSet<_>>();
    assert!(lines.len() <= MAX_SELECTED_LINES, "{place}: {lines:?}\n{}", desk.picture());
    lines.len()
}

#[test]
fn only_what_is_selected_has_a_ground() {
    let mut desk = first_screen(120, 40);
    for (columns, rows) in [(120, 40), (80, 24), (200, 50)] {
        desk.resize((columns, rows));
        let mut seen = Vec::new();
        for place in PLACES {
            desk.keys("<Esc><Esc>gi1").settle();
            desk.keys(place).settle();
            seen.push(check(&mut desk, &format!("{place:?} at {columns}x{rows}")));
        }
        // Each screen selects at least its tab.
        assert!(seen.iter().all(|lines| *lines > 0), "{seen:?}");
    }
}
