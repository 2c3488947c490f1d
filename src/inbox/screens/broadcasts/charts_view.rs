//! Bar charts of a broadcast: its progress, and its course over time.

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use ratatui::symbols::bar;
use ratatui::widgets::{Sparkline, Widget};

use crate::components::paint_view;
use crate::layout::Area;
use crate::theme_view::Theme;
use model::board::{BoardDetail, BoardSample};

pub(crate) const ASCII_BARS: bar::Set<'static> = bar::Set {
    full: "#",
    seven_eighths: "#",
    three_quarters: "*",
    five_eighths: "+",
    half: "=",
    three_eighths: "-",
    one_quarter: ":",
    one_eighth: ".",
    empty: " ",
};

/// Draws a bar of delivered, failed and remaining messages.
pub fn draw_progress(
    theme: Theme,
    (delivered, failed, people): (i64, i64, i64),
    area: Area,
    buffer: &mut Buffer,
) {
    let wide = i64::from(area.width.saturating_sub(2));
    let cells = |count: i64| u16::try_from((count * wide / people.max(1)).clamp(0, wide)).unwrap_or(0);
    let lost = if failed > 0 { cells(failed).max(1) } else { 0 };
    let came = cells(delivered).min(area.width.saturating_sub(2 + lost));
    let (full, part, rest) = if theme.ascii { ("#", "!", "-") } else { ("█", "▒", "·") };
    let left = usize::from(area.width.saturating_sub(2 + lost + came));
    let runs = [
        ("[".to_owned(), theme.dim()),
        (full.repeat(usize::from(came)), theme.good()),
        (part.repeat(usize::from(lost)), theme.urgent()),
        (rest.repeat(left), theme.dim()),
        ("]".to_owned(), theme.dim()),
    ];
    let runs: Vec<(&str, Style)> = runs.iter().map(|(words, style)| (words.as_str(), *style)).collect();
    paint_view::runs(buffer, area.x, area.y, area.width, &runs);
}

/// Label, value and style of a line.
type ChartLine = (&'static str, fn(&BoardSample) -> i64, Style);

/// Draws delivered and failed messages over time, and the newest number of pending ones. Returns the first row
/// below.
pub fn draw(theme: Theme, detail: &BoardDetail, area: Area, buffer: &mut Buffer) -> u16 {
    let tall = if area.height >= 12 { 3 } else { 1 };
    if area.height < 2 * tall + 1 {
        return area.y;
    }
    let label = 11;
    let wide = usize::from(area.width.saturating_sub(label + 8));
    let kinds: [ChartLine; 2] = [
        ("delivered", |sample| sample.counts.delivered, theme.good()),
        ("failed", |sample| sample.counts.failed, theme.urgent()),
    ];
    // One scale for all lines: a single failure of many is no full bar.
    let people = detail.samples.last().map_or(0, |sample| {
        sample.counts.recipients.max(sample.counts.delivered + sample.counts.failed + sample.counts.pending)
    });
    let scale = u64::try_from(people).unwrap_or(0).max(1);
    let newest = |value: fn(&BoardSample) -> i64| detail.samples.last().map(value).unwrap_or_default();
    let draw_newest = |count: i64, style: Style, y: u16, buffer: &mut Buffer| {
        let style = if count == 0 { theme.dim() } else { style };
        paint_view::text(buffer, area.x + area.width.saturating_sub(7), y, 7, &count.to_string(), style);
    };
    let mut y = area.y;
    for (name, value, style) in kinds {
        let least = scale.div_ceil(8 * u64::from(tall));
        let data = resample(&detail.samples, wide, value);
        let data = data.into_iter().map(|count| if count == 0 { 0 } else { count.max(least) });
        paint_view::text(buffer, area.x, y, label, name, theme.dim());
        let set = if theme.ascii { ASCII_BARS } else { bar::NINE_LEVELS };
        let line = Sparkline::default().data(data).max(scale).bar_set(set).style(style);
        let place = Area { x: area.x + label, y, width: u16::try_from(wide).unwrap_or(0), height: tall };
        line.render(paint_view::rect(place), buffer);
        draw_newest(newest(value), style, y + tall - 1, buffer);
        y += tall;
    }
    paint_view::text(buffer, area.x, y, label, "pending", theme.dim());
    draw_newest(newest(|sample| sample.counts.pending), Style::new(), y, buffer);
    y + 1
}

/// Resamples to this many columns, each with the newest sample of its time.
fn resample(samples: &[BoardSample], columns: usize, value: fn(&BoardSample) -> i64) -> Vec<u64> {
    let (Some(first), Some(last)) = (samples.first(), samples.last()) else { return Vec::new() };
    let span = last.at.since(first.at).max(1);
    let columns = columns.max(2);
    let mut place = 0;
    let mut told = Vec::with_capacity(columns);
    for column in 0..columns {
        let share = i64::try_from(column).unwrap_or(0);
        let at = first.at.plus(span / i64::try_from(columns - 1).unwrap_or(1) * share);
        while place + 1 < samples.len() && (samples[place + 1].at <= at || column + 1 == columns) {
            place += 1;
        }
        told.push(u64::try_from(value(&samples[place])).unwrap_or(0));
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color_depth::ColorDepth;
    use crate::theme_table_view::{Role, ThemeName};
    use model::time::{SECOND, Timestamp};
    use model::waves::RecipientCounts;
    use ratatui::layout::Rect;

    #[test]
    fn samples_are_spread_over_the_columns_by_their_time() {
        let sample = |seconds: i64, delivered| BoardSample {
            at: Timestamp::from_micros(seconds * SECOND),
            counts: RecipientCounts { delivered, ..RecipientCounts::default() },
        };
        let samples = [sample(0, 0), sample(10, 50), sample(100, 90)];
        assert_eq!(
            resample(&samples, 11, |sample| sample.counts.delivered),
            [0, 50, 50, 50, 50, 50, 50, 50, 50, 50, 90]
        );
        assert!(resample(&[], 11, |sample| sample.counts.delivered).is_empty());
    }

    #[test]
    fn each_colour_of_a_chart_has_one_meaning_and_a_first_failure_is_a_small_bar() {
        let sample = |seconds: i64, delivered, failed| BoardSample {
            at: Timestamp::from_micros(seconds * SECOND),
            counts: RecipientCounts { recipients: 42, delivered, failed, pending: 42 - delivered - failed },
        };
        let detail =
            BoardDetail { samples: vec![sample(0, 0, 1), sample(10, 5, 1)], ..BoardDetail::default() };
        let theme = Theme::new(ThemeName::Dark, false).in_depth(ColorDepth::Direct);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 60, 12));
        draw(theme, &detail, Area { x: 0, y: 0, width: 60, height: 12 }, &mut buffer);
        let bars = |rows: std::ops::Range<u16>| -> Vec<_> {
            let cells = rows.flat_map(|y| (11..52).map(move |x| (x, y)));
            let cells = cells.map(|place| &buffer[place]).filter(|cell| !cell.symbol().trim().is_empty());
            cells.map(|cell| (cell.symbol().to_owned(), cell.fg)).collect()
        };
        for (rows, role) in [(0..3, Role::Good), (3..6, Role::Urgent)] {
            let bars = bars(rows);
            assert!(
                !bars.is_empty() && bars.iter().all(|bar| bar.1 == theme.color(role)),
                "{role:?}: {bars:?}"
            );
        }
        assert!(bars(3..6).iter().all(|bar| bar.0 == "▁"), "{:?}", bars(3..6));
        assert!(bars(6..12).is_empty(), "what is pending is a number: {:?}", bars(6..12));
    }
}
