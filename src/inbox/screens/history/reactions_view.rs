use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::spoken::{SpokenPage, SpokenRow};
use crate::keys::{KeyCode, KeyPress};
use crate::layout::Area;
use crate::overlays::overlay::PopupTarget;
use crate::overlays::view::{OverlayView, centered};
use crate::screens::history::reactions;
use crate::screens::history::reactions::ReactionPicker;
use crate::theme_view::Theme;
use crate::wrap;

const TITLE: &str = "React · free";
const KEYS: &str = "1-8 or Enter chooses · arrows move · Esc back";
const POPUP_WIDTH: u16 = 56;
const POPUP_HEIGHT: u16 = 4;

impl ReactionPicker {
    fn reaction_areas(&self, inbox: &Inbox) -> Vec<(KeyPress, String, Area)> {
        let inner = centered(inbox, POPUP_WIDTH, POPUP_HEIGHT).inner();
        let mut x = inner.x + 1;
        let place = |(key, emoji): (char, &&str)| {
            let words = format!("{key} {emoji} ");
            let width = u16::try_from(wrap::cells(&words)).unwrap_or(u16::MAX);
            let place = Area { x, width, height: 1, ..inner };
            x += width + 1;
            (KeyPress::plain(KeyCode::Char(key)), words, place)
        };
        ('1'..).zip(reactions::quick_reactions(&inbox.desk, &self.channel).iter()).map(place).collect()
    }
}

impl OverlayView for ReactionPicker {
    fn describe(&self, inbox: &Inbox) -> SpokenPage {
        let offered = ('1'..).zip(reactions::quick_reactions(&inbox.desk, &self.channel));
        let rows = offered.map(|(key, emoji)| SpokenRow::new([format!("{key} {emoji}")]));
        SpokenPage::new([TITLE]).rows(rows, Some(self.chosen)).keys(KEYS)
    }

    fn target_at(&self, inbox: &Inbox, cell: (u16, u16)) -> Option<PopupTarget> {
        let found = self.reaction_areas(inbox).into_iter().find(|(_, _, place)| place.contains(cell));
        found.map(|(key, _, _)| PopupTarget::Key(key))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let area = centered(inbox, POPUP_WIDTH, POPUP_HEIGHT);
        let title = [(TITLE, theme.strong())];
        paint_view::popup(buffer, area, theme, (&title, &[]));
        let inner = area.inner();
        let placed = self.reaction_areas(inbox);
        let pointed =
            placed.iter().position(|(key, _, _)| inbox.context.is_second_click(PopupTarget::Key(*key)));
        for (index, (_, words, place)) in placed.iter().enumerate() {
            let is_chosen = index == pointed.unwrap_or(self.chosen);
            let style = if is_chosen { theme.selected() } else { Style::new() };
            let room = (inner.x + inner.width).saturating_sub(place.x);
            paint_view::text(buffer, place.x, place.y, room, words, style);
        }
        paint_view::text(buffer, inner.x + 1, inner.y + 1, inner.width.saturating_sub(2), KEYS, theme.dim());
        None
    }
}
