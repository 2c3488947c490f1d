//! Draws a suggestion above the composer, or centred without one.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::Inbox;
use crate::components::paint_view::{self, Run, Sides};
use crate::components::spoken::SpokenPage;
use crate::layout::Area;
use crate::overlays::overlay::Overlay;
use crate::overlays::view::{OverlayView, centered, tone_style};
use crate::screens::composer::suggestions::{SuggestionLine, SuggestionPanel, SuggestionState};
use crate::screens::history::History;
use crate::tabs_view;
use crate::theme_view::Theme;
use crate::wrap;
use model::ids::MessageId;
use model::suggestions::{SuggestedBy, SuggestionKind};

/// Maximum width of a centred suggestion, in columns.
const MAX_WIDTH: u16 = 100;

impl OverlayView for SuggestionPanel {
    fn describe(&self, inbox: &Inbox) -> SpokenPage {
        let (title, by) = self.titles();
        let page = SpokenPage::new([title, by.unwrap_or_default()]);
        let lines = self.lines(newest_message(inbox).as_ref());
        let page = lines.into_iter().fold(page, |page, line| match line.chosen {
            Some(true) => page.chosen_row(&line.text),
            Some(false) | None => page.text(line.text),
        });
        let keys = self.hints(inbox).unwrap_or_default();
        let keys: Vec<String> = keys.into_iter().map(|(key, word)| format!("[{key}] {word}")).collect();
        page.key_line(keys.join(", "))
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let newest = newest_message(inbox);
        let area = self.area(inbox, newest.as_ref());
        let (title, by) = self.titles();
        let by: Vec<Run<'_>> = by.iter().map(|text| (text.as_str(), theme.dim())).collect();
        let style = if self.is_outdated(newest.as_ref()) { theme.dim() } else { theme.strong() };
        paint_view::popup(buffer, area, theme, (&[(title.as_str(), style)], &by));
        self.draw_lines(theme, newest.as_ref(), area.inner(), buffer);
        None
    }
}

/// Draws the summary that takes no keys; the composer closes its frame.
pub(crate) fn draw_brief(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let Some(brief) = inbox.desk.current_history().and_then(|current_history| current_history.brief.as_ref())
    else {
        return;
    };
    let is_overtaken = brief.is_outdated(newest_message(inbox).as_ref());
    let (title, by) = brief.titles();
    let since = is_overtaken.then_some(("new messages since · ", theme.dim()));
    let style = if is_overtaken { theme.dim() } else { theme.strong() };
    let keys = if inbox.desk.is_typing() { "{leave} {brief}" } else { "{brief}" };
    let keys = inbox.context.fill_in_keys(keys);
    let key = format!("{keys} {} · ", if brief.is_folded { "unfold" } else { "fold" });
    let by = [key.as_str()].into_iter().chain(by.as_deref()).map(|entry| (entry, theme.dim()));
    let right: Vec<Run<'_>> = since.into_iter().chain(by).collect();
    let line = tabs_view::pane_border(inbox.desk.tab(), theme, false);
    let frame = Area { height: area.height + 1, ..area };
    paint_view::draw_frame(buffer, frame, line, Sides::Joined, (&[(title.as_str(), style)], &right));
    brief.draw_lines(theme, brief.source_message(), frame.inner(), buffer);
}

fn newest_message(inbox: &Inbox) -> Option<MessageId> {
    inbox.desk.current_history().and_then(History::newest_message)
}

impl SuggestionPanel {
    /// Above the composer, over the messages if there is no room for both.
    fn area(&self, inbox: &Inbox, newest: Option<&MessageId>) -> Area {
        let areas = inbox.desk.areas(&inbox.context);
        match (areas.suggestion, areas.composer) {
            (Some(area), _) => area,
            (None, Some(below)) => {
                let height = self.rows(newest, below.width).min(below.y.saturating_sub(1));
                Area { y: below.y - height, height, ..below }
            }
            (None, None) => {
                let width = MAX_WIDTH.min(inbox.context.size.0.saturating_sub(2));
                centered(inbox, width, self.rows(newest, width))
            }
        }
    }

    pub(super) fn is_long(&self, inbox: &Inbox) -> bool {
        let newest = newest_message(inbox);
        let area = self.area(inbox, newest.as_ref());
        self.rows(newest.as_ref(), area.width) > area.height
    }

    fn draw_lines(&self, theme: Theme, newest: Option<&MessageId>, inner: Area, buffer: &mut Buffer) {
        let mut inner = Area { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
        let first = if self.is_draft() { 0 } else { self.chosen };
        for SuggestionLine { chosen, text: words, tone } in self.lines(newest).into_iter().skip(first) {
            if inner.height == 0 {
                return;
            }
            let mark = match (chosen, theme.ascii) {
                (None, _) => "",
                (Some(false), _) => "  ",
                (Some(true), true) => "> ",
                (Some(true), false) => "▸ ",
            };
            let style = tone_style(theme, tone);
            let indent = paint_view::text(buffer, inner.x, inner.y, inner.width, mark, style);
            let text = Area { x: inner.x + indent, width: inner.width.saturating_sub(indent), ..inner };
            let rows = match self.is_folded {
                true => {
                    let cut = wrap::cut(&words, usize::from(text.width));
                    paint_view::text(buffer, text.x, text.y, text.width, &cut, style);
                    1
                }
                false => paint_view::paragraph(buffer, text, &words, style),
            };
            inner = Area { y: inner.y + rows, height: inner.height - rows, ..inner };
        }
    }

    fn titles(&self) -> (String, Option<String>) {
        let title = match (self.id.kind, self.language()) {
            (SuggestionKind::Draft, _) => "Suggested draft".to_owned(),
            (SuggestionKind::Brief, _) => "Brief".to_owned(),
            (SuggestionKind::Summary, _) => "Summary".to_owned(),
            (SuggestionKind::Translation, _) => "Translation".to_owned(),
            (SuggestionKind::Transcript, _) => "Transcript".to_owned(),
            (SuggestionKind::OwnText, Some(language)) => format!("In {language}"),
            (SuggestionKind::OwnText, None) => "In the customer's language".to_owned(),
        };
        let SuggestionState::Ready(found) = &self.state else { return (title, None) };
        let by = match &found.by {
            SuggestedBy::Model(percent) => format!("by your model · {percent} % of today's tokens used"),
            SuggestedBy::Reply(title) => format!("your canned reply: {title}"),
            SuggestedBy::Rules => "Automatic summary".to_owned(),
        };
        (title, Some(by))
    }
}
