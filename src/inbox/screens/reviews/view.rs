//! Draws the review queue: what was asked, what the AI said, and how often
//! people agreed, week by week.

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use ratatui::symbols::bar;
use ratatui::widgets::{Sparkline, Widget};

use crate::Inbox;
use crate::components::paint_view;
use crate::layout::Area;
use crate::screens::broadcasts::charts_view::ASCII;
use crate::screens::outbox::view::{choose, each, frame, tab_name};
use crate::screens::reviews::REVIEW_LINES;
use crate::theme_view::Theme;
use model::reviews::{ReviewEntry, ReviewWeek};
use model::text::SafeText;
use model::time::format_short_span;

/// Columns of who said it.
const WHO: u16 = 10;
/// Lines of an answer's text.
const ANSWER: u16 = 2;
/// Rows of the chart with its title, and the rows a page needs to show it.
const CHART: u16 = 4;
const TALL: u16 = 14;

/// The rows of the page, and the chart below them where there is one.
pub(crate) fn areas(inbox: &Inbox, body: Area) -> (Area, Option<Area>) {
    if body.height < TALL || inbox.outbox.reviews.weeks.is_empty() {
        return (body, None);
    }
    let rows = Area { height: body.height - CHART, ..body };
    let inner = body.inner();
    let chart =
        Area { x: inner.x + 1, y: rows.y + rows.height, width: inner.width.saturating_sub(2), height: CHART };
    (rows, Some(chart))
}

/// Draws the page.
pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let page = &inbox.outbox.reviews.rows;
    let empty = "Nothing waits for a review. Some of what the AI answers comes here, drawn by chance, so that people \
                 say whether it can stand.";
    let (rows, chart) = areas(inbox, area);
    frame(inbox, theme, rows, "Review queue", (page, "", empty), buffer);
    each(page, rows, REVIEW_LINES, |entry, place, chosen| {
        answer_row(inbox, theme, entry, place, buffer);
        choose(theme, place, chosen, buffer);
    });
    if let Some(chart) = chart {
        agreement(theme, &inbox.outbox.reviews.weeks, chart, buffer);
    }
}

fn answer_row(inbox: &Inbox, theme: Theme, entry: &ReviewEntry, area: Area, buffer: &mut Buffer) {
    let (indent, width) = (area.x + 2, area.width.saturating_sub(3));
    let tab = tab_name(inbox, inbox.outbox.reviews.rows.all_tabs, &entry.channel);
    let age = format!("{tab}{}", format_short_span(inbox.context.now.since(entry.at)));
    let used = paint_view::runs_right(buffer, indent, area.y, width, &[(&age, theme.quiet())]);
    let room = width.saturating_sub(used + 1);
    paint_view::text(buffer, indent, area.y, room, entry.title.as_str(), theme.strong());
    let line = |text: &SafeText| SafeText::line(text.as_str());
    let asked = line(&entry.question);
    let asked = if asked.is_empty() { "nothing was asked before it" } else { asked.as_str() };
    let text = Area { x: indent + WHO, width: width.saturating_sub(WHO), ..area };
    if area.height > 1 {
        paint_view::text(buffer, indent, area.y + 1, WHO, "Customer", theme.quiet());
        paint_view::text(buffer, text.x, area.y + 1, text.width, asked, Style::new());
    }
    if area.height > 2 {
        paint_view::text(buffer, indent, area.y + 2, WHO, "AI", theme.quiet());
        let place = Area { y: area.y + 2, height: (area.height - 2).min(ANSWER), ..text };
        paint_view::paragraph(buffer, place, line(&entry.answer).as_str(), Style::new());
    }
}

/// The share of good answers, a column a week.
fn agreement(theme: Theme, weeks: &[ReviewWeek], area: Area, buffer: &mut Buffer) {
    let (good, all) =
        weeks.iter().fold((0, 0), |(good, all), week| (good + week.good, all + week.good + week.bad));
    let percent = (good * 100).checked_div(all).unwrap_or(0);
    let count = if all == 1 { "1 answer".to_owned() } else { format!("{all} answers") };
    let title = format!("Good answers by week, the newest at the right · {percent} % of {count}");
    paint_view::text(buffer, area.x, area.y, area.width, &title, theme.quiet());
    // Three columns a week stand out more than one.
    let data: Vec<u64> = spread(weeks).into_iter().flat_map(|number| [number, number, 0]).collect();
    let set = if theme.ascii { ASCII } else { bar::NINE_LEVELS };
    let chart = Sparkline::default().data(data).max(100).bar_set(set).style(theme.own());
    let place = Area { y: area.y + 1, height: 2, ..area };
    chart.render(paint_view::rect(place), buffer);
    let newest = weeks.last().and_then(ReviewWeek::good_percent).unwrap_or(0);
    let words = format!("{newest} % in the newest week");
    let wide = u16::try_from(weeks_shown(weeks) * 3).unwrap_or(u16::MAX).min(area.width);
    let place = (area.x + wide + 1, area.width.saturating_sub(wide + 1));
    paint_view::text(buffer, place.0, area.y + 2, place.1, &words, Style::new());
}

fn weeks_shown(weeks: &[ReviewWeek]) -> usize {
    spread(weeks).len()
}

/// Percent of each week from the first to the last; none where nobody looked.
fn spread(weeks: &[ReviewWeek]) -> Vec<u64> {
    let (Some(first), Some(last)) = (weeks.first(), weeks.last()) else { return Vec::new() };
    let first = first.week.max(last.week - 11);
    let percent = |week: i64| {
        weeks
            .iter()
            .find(|review_week| review_week.week == week)
            .and_then(ReviewWeek::good_percent)
            .unwrap_or(0)
    };
    (first..=last.week).map(|entry| u64::from(percent(entry))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_in_which_nobody_looked_are_empty_columns() {
        let week = |week, good, bad| ReviewWeek { week, good, bad };
        assert_eq!(spread(&[week(5, 1, 1), week(7, 3, 1)]), [50, 0, 75]);
        assert_eq!(spread(&[week(1, 1, 0), week(100, 1, 3)]).len(), 12, "a year ago is left out");
        assert!(spread(&[]).is_empty());
    }
}
