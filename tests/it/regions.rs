//! Pictures of a desk: the whole screen, or regions from the app's own layout. Overlays are found
//! by drawing them alone: no test counts columns.

use frontdesk::inbox::layout::Area;
use frontdesk::inbox::overlays;
use frontdesk::inbox::pages::PageKind;
use frontdesk::inbox::wrap;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;

use crate::desk::{Desk, in_any_zone};

/// A symbol no screen draws.
const UNTOUCHED: &str = "\u{e000}";
/// Characters of a row without text: its own frame and the neighbour's.
const FRAME: &str = " │┆|:";

/// A part of the screen that changes independently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Region {
    /// Line 1: the tabs and the balance.
    Tabs,
    Header,
    List,
    History,
    Composer,
    Card,
    /// Everything between tabs and status on a page other than the inbox.
    Page,
    /// A question, form, menu, list or search over the screen.
    Overlay,
    /// The last line: keys or a notice, and news.
    Status,
}

/// Compares regions, or the whole screen, with their snapshot at the desk's size.
macro_rules! photograph {
    ($desk:expr, $name:expr $(, $region:ident)*) => {{
        let (columns, rows) = $desk.app.context.size;
        let picture = $desk.photograph(&[$(crate::regions::Region::$region),*]);
        insta::assert_snapshot!(format!("{}_{columns}x{rows}", $name), picture);
    }};
}

/// Compares regions, or the screen, with their snapshot at 80x24, the smallest usual terminal.
macro_rules! photographs {
    ($desk:expr, $name:expr $(, $region:ident)*) => {{
        let size = $desk.app.context.size;
        $desk.resize((80, 24));
        let picture = $desk.photograph(&[$(crate::regions::Region::$region),*]);
        $desk.resize(size);
        insta::assert_snapshot!($name, picture);
    }};
}

impl Desk {
    /// The picture of some regions, one below the other, or of the whole screen if none is named.
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
        // The service's port differs in each run.
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
            Region::Status => Some(areas.status),
        }
    }

    /// True if a question, form, menu, list or search lies over the screen.
    pub fn has_overlay(&self) -> bool {
        self.overlay().is_some()
    }

    /// Area of the topmost overlay: the cells it draws on an empty screen.
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

/// The text of each row of an area; the cell after a wide character adds nothing.
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

/// Replaces repeated rows without text by one and a count.
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
    assert!(
        told(&desk, Region::List).contains("│\n(") && told(&desk, Region::List).contains(" more of it)\n"),
        "{}",
        told(&desk, Region::List)
    );
    assert!(!told(&desk, Region::History).contains("Inbox"));
    assert!(told(&desk, Region::Composer).contains("r to reply"));
    assert_eq!(told(&desk, Region::Status).lines().count(), 1);
    assert_eq!(told(&desk, Region::Card), "(Card is not on screen)");
    assert_eq!(desk.photograph(&[]), desk.picture());
    // Overlays are found at any size, whatever draws them.
    for (keys, title) in [
        ("+", "React · free"),
        ("?", "Keys"),
        (":search-all<Enter>", "Search"),
        ("<Ctrl-P>", "Find a command"),
    ] {
        desk.keys(keys).shows(title);
        for size in [(80, 24), (120, 40), (60, 20)] {
            desk.resize(size);
            let overlay = told(&desk, Region::Overlay);
            assert!(overlay.starts_with(&format!("┌ {title}")) && overlay.ends_with('┘'), "{overlay}");
        }
        desk.keys("<Esc>");
    }
}
