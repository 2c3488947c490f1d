//! A suggestion above the composer, or in the middle where none is open: what is
//! claimed without support, whether somebody wrote meanwhile, who made it.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::Inbox;
use crate::components::paint_view::{self, Run, Sides};
use crate::layout::Area;
use crate::overlays::view::{OverlayView, centered, toned};
use crate::screens::composer::suggesting::{SuggestionLine, SuggestionPanel, SuggestionState};
use crate::screens::history::History;
use crate::tabs_view;
use crate::theme_view::Theme;
use model::ids::MessageId;
use model::suggestions::{SuggestedBy, SuggestionKind};

/// Columns of a suggestion at most where it does not stand above the composer.
const WIDTH: u16 = 100;

impl OverlayView for SuggestionPanel {
    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let newest = newest(inbox);
        let area = self.area(inbox, newest.as_ref());
        let (title, by) = self.titles();
        let by: Vec<Run<'_>> = by.iter().map(|text| (text.as_str(), theme.quiet())).collect();
        paint_view::popup(buffer, area, theme, (&[(title.as_str(), theme.strong())], &by));
        self.draw_lines(theme, newest.as_ref(), area.inner(), buffer);
        None
    }
}

/// Draws the brief that takes no keys; the composer closes it below.
pub(crate) fn draw_brief(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let Some(brief) = inbox.desk.current_history().and_then(|current_history| current_history.brief.as_ref())
    else {
        return;
    };
    let is_overtaken = brief.is_overtaken(newest(inbox).as_ref());
    let (title, by) = brief.titles();
    let since = is_overtaken.then_some(("somebody wrote since · ", theme.needs_a_person()));
    let by = by.iter().map(|entry| (entry.as_str(), theme.quiet()));
    let right: Vec<Run<'_>> = since.into_iter().chain(by).collect();
    let line = tabs_view::line(inbox.desk.tab(), theme, false);
    let frame = Area { height: area.height + 1, ..area };
    paint_view::frame_of(buffer, frame, line, Sides::Joined, (&[(title.as_str(), theme.strong())], &right));
    brief.draw_lines(theme, brief.made_from(), frame.inner(), buffer);
}

/// The newest message of the conversation that is looked at.
fn newest(inbox: &Inbox) -> Option<MessageId> {
    inbox.desk.current_history().and_then(History::newest_message)
}

impl SuggestionPanel {
    /// Above the composer, over the messages where there is no room for both;
    /// without a composer in the middle.
    fn area(&self, inbox: &Inbox, newest: Option<&MessageId>) -> Area {
        let areas = inbox.desk.areas(&inbox.context);
        match (areas.suggestion, areas.composer) {
            (Some(area), _) => area,
            (None, Some(below)) => {
                let height = self.rows(newest, below.width).min(below.y.saturating_sub(1));
                Area { y: below.y - height, height, ..below }
            }
            (None, None) => {
                let width = WIDTH.min(inbox.context.size.0.saturating_sub(2));
                centered(inbox, width, self.rows(newest, width))
            }
        }
    }

    /// Whether there is more of it than is seen at once.
    pub(super) fn is_long(&self, inbox: &Inbox) -> bool {
        let newest = newest(inbox);
        let area = self.area(inbox, newest.as_ref());
        self.rows(newest.as_ref(), area.width) > area.height
    }

    fn draw_lines(&self, theme: Theme, newest: Option<&MessageId>, inner: Area, buffer: &mut Buffer) {
        let mut inner = Area { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
        let first = if self.is_draft() { 0 } else { self.chosen };
        for SuggestionLine { chosen, words, tone } in self.lines(newest).into_iter().skip(first) {
            if inner.height == 0 {
                return;
            }
            let mark = match (chosen, theme.ascii) {
                (None, _) => "",
                (Some(false), _) => "  ",
                (Some(true), true) => "> ",
                (Some(true), false) => "▸ ",
            };
            let style = toned(theme, tone);
            let indent = paint_view::text(buffer, inner.x, inner.y, inner.width, mark, style);
            let text = Area { x: inner.x + indent, width: inner.width.saturating_sub(indent), ..inner };
            let rows = paint_view::paragraph(buffer, text, &words, style);
            inner = Area { y: inner.y + rows, height: inner.height - rows, ..inner };
        }
    }

    /// What it is, and who made it.
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
            SuggestedBy::Rules => "by rules".to_owned(),
        };
        (title, Some(by))
    }
}
