//! Pictures of a desk: the whole screen, or the regions of it that a story is
//! about. Where a region lies says the app's own layout, and what is drawn over
//! the screen says itself where it stands: no test counts columns.

use frontdesk::inbox::layout::Area;
use frontdesk::inbox::overlays;
use frontdesk::inbox::pages::PageKind;
use frontdesk::inbox::wrap;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;

use crate::desk::{Desk, in_any_zone};

/// What no screen draws.
const UNTOUCHED: &str = "\u{e000}";
/// What a row without words is made of: its frame, and the one beside it.
const FRAME: &str = " │┆|:";

/// A part of the screen that changes for reasons of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Region {
    /// Line 1: the tabs, and the balance at its end.
    Tabs,
    /// The line about the mail account.
    Header,
    /// The conversation list.
    List,
    /// The open conversation.
    History,
    /// What is being written.
    Composer,
    /// The card beside the conversation.
    Card,
    /// All between tabs and status of a screen that is no inbox.
    Page,
    /// What lies over the screen: a question, form, menu, list or search.
    Overlay,
    /// The last two lines: the status, or a command being typed, and the hints.
    Status,
}

/// Compares regions, or the whole screen, with their snapshot at the size the
/// desk has.
macro_rules! photograph {
    ($desk:expr, $name:expr $(, $region:ident)*) => {{
        let (columns, rows) = $desk.app.context.size;
        let picture = $desk.photograph(&[$(crate::regions::Region::$region),*]);
        insta::assert_snapshot!(format!("{}_{columns}x{rows}", $name), picture);
    }};
}

/// Compares regions, or the whole screen, with their snapshots at 80x24 and at
/// 120x40, and leaves the desk at the size it had. What is the same at both is
/// one snapshot without a size in its name.
macro_rules! photographs {
    ($desk:expr, $name:expr $(, $region:ident)*) => {{
        let size = $desk.app.context.size;
        $desk.resize((80, 24));
        let small = $desk.photograph(&[$(crate::regions::Region::$region),*]);
        $desk.resize((120, 40));
        let large = $desk.photograph(&[$(crate::regions::Region::$region),*]);
        $desk.resize(size);
        if small == large {
            insta::assert_snapshot!($name, small);
        } else {
            insta::assert_snapshot!(concat!($name, "_80x24"), small);
            insta::assert_snapshot!(concat!($name, "_120x40"), large);
        }
    }};
}

impl Desk {
    /// The picture of some regions, one below the other, or of the whole screen
    /// where none is named.
    #[track_caller]
    pub fn photograph(&self, regions: &[Region]) -> String {
        let mut picture = match regions {
            [] => self.picture(),
            regions => {
                let buffer = self.buffer();
                let texts: Vec<String> = regions.iter().map(|region| self.region(*region, &buffer)).collect();
                texts.join("\n")
            }
        };
        // The service's port is another in every run.
        if let Some((_, port)) = self.dev_url.trim_end_matches("/dev").rsplit_once(':') {
            picture = picture.replace(&format!(":{port}"), &format!(":{}", "0".repeat(port.len())));
        }
        in_any_zone(&picture)
    }

    #[track_caller]
    fn region(&self, region: Region, buffer: &Buffer) -> String {
        match self.area_of(region) {
            Some(area) => without_repetition(&rows_of(buffer, area)),
            None if region == Region::Overlay => panic!("nothing lies over:\n{}", self.picture()),
            None => format!("({region:?} is not on screen)"),
        }
    }

    fn area_of(&self, region: Region) -> Option<Area> {
        let areas = self.app.desk.areas(&self.app.context);
        let pane = |area: Option<Area>| area.filter(|_| self.app.desk.page == PageKind::Inbox);
        match region {
            Region::Tabs => Some(areas.tabs),
            Region::Header => pane(areas.header),
            Region::List => pane(areas.list),
            Region::History => pane(areas.history),
            Region::Composer => pane(areas.composer),
            Region::Card => pane(areas.card),
            Region::Page => Some(areas.body),
            Region::Overlay => self.overlay(),
            Region::Status => Some(Area { height: areas.status.height + areas.hints.height, ..areas.status }),
        }
    }

    /// Where the topmost layer stands: the cells it draws where nothing else is
    /// drawn.
    fn overlay(&self) -> Option<Area> {
        let (width, height) = self.app.context.size;
        let mut buffer = Buffer::filled(Rect::new(0, 0, width, height), Cell::new(UNTOUCHED));
        overlays::view::draw(&self.app, self.theme, &mut buffer);
        let body = self.app.desk.areas(&self.app.context).body;
        overlays::which_key_view::draw(&self.app, self.theme, body, &mut buffer);
        let cells = buffer.content.iter().enumerate().filter(|(_, cell)| cell.symbol() != UNTOUCHED);
        let places: Vec<(u16, u16)> = cells.map(|(index, _)| buffer.pos_of(index)).collect();
        let left = places.iter().map(|place| place.0).min()?;
        let right = places.iter().map(|place| place.0).max()?;
        let (top, bottom) = (places.first()?.1, places.last()?.1);
        Some(Area { x: left, y: top, width: right - left + 1, height: bottom - top + 1 })
    }
}

/// The text of each row of an area; the cell after a wide character adds
/// nothing.
pub fn rows_of(buffer: &Buffer, area: Area) -> Vec<String> {
    let row = |y: u16| {
        let mut line = String::new();
        let mut skip = 0;
        for x in area.x..area.x + area.width {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            skip = wrap::cells(symbol).saturating_sub(1);
        }
        line.trim_end().to_owned()
    };
    (area.y..area.y + area.height).map(row).collect()
}

/// Rows without a word are told once and counted, so that a region is as long
/// as what it says.
fn without_repetition(rows: &[String]) -> String {
    let is_blank = |text: &String| text.chars().all(|character| FRAME.contains(character));
    let mut lines = Vec::new();
    for same in rows.chunk_by(|one, next| one == next && is_blank(one)) {
        lines.push(same[0].clone());
        if same.len() > 1 {
            lines.push(format!("({} more of it)", same.len() - 1));
        }
    }
    lines.join("\n")
}

#[test]
fn a_region_is_where_the_app_draws_it() {
    let mut desk = Desk::new(120, 40);
    desk.customer("whatsapp", "+34600111222", "Maria Lopez", "Where is my order 1041?");
    desk.settle().keys("<Enter>");
    let told = |desk: &Desk, region| desk.photograph(&[region]);
    assert!(told(&desk, Region::List).starts_with("┌ Inbox · open"));
    assert!(told(&desk, Region::List).contains("│\n(32 more of it)\n└"), "{}", told(&desk, Region::List));
    assert!(!told(&desk, Region::History).contains("Inbox"));
    assert!(told(&desk, Region::Composer).contains("r to reply"));
    assert_eq!(told(&desk, Region::Status).lines().count(), 2);
    assert_eq!(told(&desk, Region::Card), "(Card is not on screen)");
    assert_eq!(desk.photograph(&[]), desk.picture());
    // What lies over it is found at any size, whatever it is drawn by.
    for (keys, title) in [("+", "React · free"), ("?", "Keys"), ("g/", "Search"), ("<Ctrl-P>", "Go to")] {
        desk.keys(keys).shows(title);
        for size in [(80, 24), (120, 40), (60, 20)] {
            desk.resize(size);
            let overlay = told(&desk, Region::Overlay);
            assert!(overlay.starts_with(&format!("┌ {title}")) && overlay.ends_with('┘'), "{overlay}");
        }
        desk.keys("<Esc>");
    }
}
