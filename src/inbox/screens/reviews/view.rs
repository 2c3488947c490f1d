//! Draws the review queue and the weekly share of good answers.

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use ratatui::symbols::bar;
use ratatui::widgets::{Sparkline, Widget};

use crate::Inbox;
use crate::components::paint_view;
use crate::components::spoken::{SpokenPage, SpokenRow};
use crate::layout::Area;
use crate::screens::broadcasts::charts_view::ASCII_BARS;
use crate::screens::outbox::view::{describe_rows, draw_frame, draw_selection, for_each_visible, tab_name};
use crate::screens::reviews::REVIEW_LINES;
use crate::theme_view::Theme;
use model::reviews::{ReviewEntry, ReviewWeek};
use model::text::SafeText;
use model::time::format_short_span;

const SENDER_WIDTH: u16 = 10;
const ANSWER_LINES: u16 = 2;
/// Rows of the chart, with its title.
const CHART_ROWS: u16 = 4;
const MIN_CHART_PAGE_ROWS: u16 = 14;

/// Areas of the rows and of the chart; no chart if there is no data or no room.
pub(crate) fn split_areas(inbox: &Inbox, body: Area) -> (Area, Option<Area>) {
    if body.height < MIN_CHART_PAGE_ROWS || inbox.outbox.reviews.weeks.is_empty() {
        return (body, None);
    }
    let rows = Area { height: body.height - CHART_ROWS, ..body };
    let inner = body.inner();
    let chart = Area {
        x: inner.x + 1,
        y: rows.y + rows.height,
        width: inner.width.saturating_sub(2),
        height: CHART_ROWS,
    };
    (rows, Some(chart))
}

const NO_ANSWERS: &str = "No answers to review. A random sample of the AI's answers appears here for you to \
                          rate.";

pub(crate) fn describe(inbox: &Inbox) -> SpokenPage {
    let reviews = &inbox.outbox.reviews;
    let page = describe_rows(inbox, "Review queue", (&reviews.rows, "", NO_ANSWERS), |entry| {
        let (question, answer) = answer_texts(entry);
        let facts = [entry.title.to_string(), format!("Customer: {question}"), format!("AI: {answer}")];
        SpokenRow::new(facts).with_times(age_text(inbox, entry))
    });
    match reviews.weeks.is_empty() {
        true => page,
        false => page.text(agreement_text(&reviews.weeks)).text(newest_week_text(&reviews.weeks)),
    }
}

/// Question and answer of a row.
fn answer_texts(entry: &ReviewEntry) -> (SafeText, SafeText) {
    let line = |text: &SafeText| SafeText::line(text.as_str());
    let asked = line(&entry.question);
    let asked = if asked.is_empty() { SafeText::line("no question before it") } else { asked };
    (asked, line(&entry.answer))
}

fn age_text(inbox: &Inbox, entry: &ReviewEntry) -> String {
    let tab = tab_name(inbox, inbox.outbox.reviews.rows.all_tabs, &entry.channel);
    format!("{tab}{}", format_short_span(inbox.context.now.since(entry.at)))
}

pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let page = &inbox.outbox.reviews.rows;
    let (rows, chart) = split_areas(inbox, area);
    draw_frame(inbox, theme, rows, "Review queue", (page, "", NO_ANSWERS), buffer);
    for_each_visible(page, rows, REVIEW_LINES, |entry, place, chosen| {
        draw_answer_row(inbox, theme, entry, place, buffer);
        draw_selection(theme, place, chosen, buffer);
    });
    if let Some(chart) = chart {
        draw_agreement_chart(theme, &inbox.outbox.reviews.weeks, chart, buffer);
    }
}

fn draw_answer_row(inbox: &Inbox, theme: Theme, entry: &ReviewEntry, area: Area, buffer: &mut Buffer) {
    let (indent, width) = (area.x + 2, area.width.saturating_sub(3));
    let age = age_text(inbox, entry);
    let used = paint_view::runs_right(buffer, indent, area.y, width, &[(&age, theme.dim())]);
    let room = width.saturating_sub(used + 1);
    paint_view::text(buffer, indent, area.y, room, entry.title.as_str(), theme.strong());
    let (asked, answer) = answer_texts(entry);
    let text = Area { x: indent + SENDER_WIDTH, width: width.saturating_sub(SENDER_WIDTH), ..area };
    if area.height > 1 {
        paint_view::text(buffer, indent, area.y + 1, SENDER_WIDTH, "Customer", theme.dim());
        paint_view::text(buffer, text.x, area.y + 1, text.width, asked.as_str(), Style::new());
    }
    if area.height > 2 {
        paint_view::text(buffer, indent, area.y + 2, SENDER_WIDTH, "AI", theme.dim());
        let place = Area { y: area.y + 2, height: (area.height - 2).min(ANSWER_LINES), ..text };
        paint_view::paragraph(buffer, place, answer.as_str(), Style::new());
    }
}

/// Share of good answers over all weeks.
fn agreement_text(weeks: &[ReviewWeek]) -> String {
    let (good, all) =
        weeks.iter().fold((0, 0), |(good, all), week| (good + week.good, all + week.good + week.bad));
    let percent = (good * 100).checked_div(all).unwrap_or(0);
    let count = if all == 1 { "1 answer".to_owned() } else { format!("{all} answers") };
    format!("Good answers by week, the newest at the right · {percent} % of {count}")
}

fn newest_week_text(weeks: &[ReviewWeek]) -> String {
    let newest = weeks.last().and_then(ReviewWeek::good_percent).unwrap_or(0);
    format!("{newest} % in the newest week")
}

fn draw_agreement_chart(theme: Theme, weeks: &[ReviewWeek], area: Area, buffer: &mut Buffer) {
    paint_view::text(buffer, area.x, area.y, area.width, &agreement_text(weeks), theme.dim());
    // Three columns per week are easier to see than one.
    let data: Vec<u64> =
        weekly_percentages(weeks).into_iter().flat_map(|number| [number, number, 0]).collect();
    let set = if theme.ascii { ASCII_BARS } else { bar::NINE_LEVELS };
    let chart = Sparkline::default().data(data).max(100).bar_set(set).style(theme.good());
    let place = Area { y: area.y + 1, height: 2, ..area };
    chart.render(paint_view::rect(place), buffer);
    let words = newest_week_text(weeks);
    let wide = u16::try_from(weeks_shown(weeks) * 3).unwrap_or(u16::MAX).min(area.width);
    let place = (area.x + wide + 1, area.width.saturating_sub(wide + 1));
    paint_view::text(buffer, place.0, area.y + 2, place.1, &words, Style::new());
}

fn weeks_shown(weeks: &[ReviewWeek]) -> usize {
    weekly_percentages(weeks).len()
}

/// Percentage per week, for at most 12 weeks; 0 for a week without reviews.
fn weekly_percentages(weeks: &[ReviewWeek]) -> Vec<u64> {
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
        assert_eq!(weekly_percentages(&[week(5, 1, 1), week(7, 3, 1)]), [50, 0, 75]);
        assert_eq!(weekly_percentages(&[week(1, 1, 0), week(100, 1, 3)]).len(), 12, "a year ago is left out");
        assert!(weekly_percentages(&[]).is_empty());
    }
}
