//! A suggestion above the composer, or in the middle where none is open: what is
//! claimed without support, whether somebody wrote meanwhile, who made it.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::layout::Area;
use crate::overlays::view::{OverlayView, centered};
use crate::screens::composer::suggesting::update::current_history;
use crate::screens::composer::suggesting::{SuggestionPopup, SuggestionState, newest};
use crate::theme_view::Theme;
use crate::wrap;
use model::suggestions::{SuggestedBy, Suggestion, SuggestionKind};

/// Columns of a suggestion at most.
const WIDTH: u16 = 100;
/// Rows below which it does not stand above the composer.
const ROWS: u16 = 8;

impl OverlayView for SuggestionPopup {
    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        let title = match self.id.kind {
            SuggestionKind::Draft => "Suggested draft",
            SuggestionKind::Brief => "Brief",
            SuggestionKind::Summary => "Summary",
            SuggestionKind::Translation => "Translation",
            SuggestionKind::OwnText => "In the customer's language",
        };
        let lines = self.lines(inbox, theme);
        let by = match &self.state {
            SuggestionState::Ready(found) => Some(made_by(found)),
            SuggestionState::Waiting | SuggestionState::Failed(_) => None,
        };
        let area = area(inbox, &lines);
        paint_view::popup(
            buffer,
            area,
            theme,
            (
                &[(title, theme.strong())],
                &by.iter().map(|it| (it.as_str(), theme.quiet())).collect::<Vec<_>>(),
            ),
        );
        let mut inner = text_area(area);
        for line in &lines {
            paint_view::text(buffer, inner.x, inner.y, inner.width, line.mark, line.style);
            let rows = paint_view::paragraph(buffer, line.area(inner), &line.words, line.style);
            inner = Area { y: inner.y + rows, height: inner.height - rows, ..inner };
        }
        None
    }
}

impl SuggestionPopup {
    fn lines(&self, inbox: &Inbox, theme: Theme) -> Vec<SuggestionLine> {
        let line = |words: &str, style| SuggestionLine { mark: "", words: words.to_owned(), style };
        let found = match &self.state {
            SuggestionState::Waiting => return vec![line("Thinking… Esc cancels.", theme.quiet())],
            SuggestionState::Failed(why) => {
                return vec![line(&format!("Nothing is suggested: {why}"), theme.error())];
            }
            SuggestionState::Ready(found) => found,
        };
        let mut lines = Vec::new();
        if let Some(why) = &found.instead {
            lines.push(line(&format!("The model did not answer: {why}"), theme.error()));
        }
        let can_be_overtaken = self.id.kind != SuggestionKind::Translation;
        if can_be_overtaken && current_history(&inbox.desk).and_then(newest) != self.id.newest {
            let words = "OUT OF DATE: somebody wrote meanwhile. r suggests anew.";
            lines.push(line(words, theme.needs_a_person()));
        }
        for (at, sentence) in found.sentences.iter().enumerate() {
            let chosen = at == self.chosen;
            let doubt = if sentence.is_unsupported { "? " } else { "" };
            let style = match (sentence.is_unsupported, chosen && self.is_draft()) {
                (true, _) => theme.needs_a_person(),
                (false, true) => theme.strong(),
                (false, false) => Style::new(),
            };
            let mark = match (self.is_draft(), chosen, theme.ascii) {
                (false, ..) => "",
                (true, false, _) => "  ",
                (true, true, true) => "> ",
                (true, true, false) => "▸ ",
            };
            let words = format!("{doubt}{}", sentence.text.as_str().trim_end());
            lines.push(SuggestionLine { mark, words, style });
        }
        if let Some(remark) = &found.remark {
            lines.push(line(remark.as_str(), theme.quiet()));
        }
        if found.sentences.iter().any(|it| it.is_unsupported) {
            lines.push(line("", Style::new()));
            let words = "? stands in no message, on no card and in no canned reply: check it.";
            lines.push(line(words, theme.quiet()));
        }
        lines
    }
}

/// A line of the popup, wrapped beside its mark.
struct SuggestionLine {
    mark: &'static str,
    words: String,
    style: Style,
}

impl SuggestionLine {
    /// What its words have of the space that is left.
    fn area(&self, rest: Area) -> Area {
        let beside = u16::try_from(wrap::cells(self.mark)).unwrap_or(0);
        Area { x: rest.x + beside, width: rest.width.saturating_sub(beside), ..rest }
    }

    fn rows(&self, rest: Area) -> usize {
        wrap::wrap(&self.words, usize::from(self.area(rest).width)).len().max(1)
    }
}

fn made_by(found: &Suggestion) -> String {
    match &found.by {
        SuggestedBy::Model(percent) => format!("by your model · {percent} % of today's tokens used"),
        SuggestedBy::Reply(title) => format!("your canned reply: {title}"),
        SuggestedBy::Rules => "by rules".to_owned(),
    }
}

/// Above the composer where there is room, else in the middle.
fn area(inbox: &Inbox, lines: &[SuggestionLine]) -> Area {
    let composer = inbox.desk.areas(&inbox.context).composer.filter(|it| it.y > ROWS);
    let width = composer.map_or(WIDTH, |it| it.width).min(inbox.context.size.0);
    let inside = text_area(Area { x: 0, y: 0, width, height: u16::MAX });
    let rows: usize = lines.iter().map(|it| it.rows(inside)).sum();
    let height = u16::try_from(rows + 2).unwrap_or(u16::MAX);
    match composer {
        Some(it) => {
            let height = height.min(it.y - 1);
            Area { x: it.x, y: it.y - height, width, height }
        }
        None => centered(inbox, width, height),
    }
}

fn text_area(area: Area) -> Area {
    let inner = area.inner();
    Area { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner }
}
