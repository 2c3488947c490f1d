//! The overview page: a line for each channel, and the running broadcasts below.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::paint_view::Sides;
use crate::components::spoken::{SpokenPage, SpokenRow, join_facts};
use crate::connection_state;
use crate::layout::Area;
use crate::overlays::view::tone_style;
use crate::screens::broadcasts;
use crate::screens::overview::MIN_HIGHLIGHTED_ERRORS;
use crate::tab::Tab;
use crate::tabs_view;
use crate::theme_view::Theme;
use crate::wrap;
use model::prices;
use model::time::format_short_span;

/// Column and heading of each field, beside names of [`NAME_WIDTH`].
const COLUMNS: [(u16, &str); 7] = [
    (2, "channel"),
    (24, "needs"),
    (31, "oldest"),
    (39, "outbox"),
    (46, "errors/min"),
    (58, "rate limit"),
    (70, "credits"),
];

const TITLE: &str = "Wall";
/// Columns of a channel's number and name on a narrow screen.
const NAME_WIDTH: u16 = 15;
/// Column of the label of the environment, beside names of [`NAME_WIDTH`].
const ENVIRONMENT_COLUMN: u16 = 18;
/// Columns inside the frame that the fields need beside names of [`NAME_WIDTH`].
const FIELDS_WIDTH: u16 = 78;

/// Returns the text of the page for plain mode.
pub(crate) fn describe(inbox: &Inbox) -> SpokenPage {
    let rows = inbox.desk.tabs.iter().enumerate().map(|(index, tab)| {
        let cells = line_cells(inbox, Theme::PLAIN, (index, tab)).map(|(words, _)| words);
        let named = |at: usize| match cells[at].is_empty() {
            true => String::new(),
            false => format!("{} {}", COLUMNS[at].1, cells[at]),
        };
        let (label, _) = tabs_view::environment_label(tab, Theme::PLAIN);
        let problem = describe_problem(inbox, Theme::PLAIN, tab).map(|(words, _)| words);
        let facts = [cells[0].clone(), label.to_owned(), named(1), named(3), problem.unwrap_or_default()];
        SpokenRow::new(facts).with_times(join_facts([named(2), named(4), named(5), named(6)]))
    });
    let page = SpokenPage::new([TITLE]).rows(rows, Some(inbox.overview.chosen)).text(broadcasts_title(inbox));
    inbox.overview.broadcasts.iter().fold(page, |page, entry| {
        let row = broadcasts::view::describe_row(inbox, entry);
        page.text(join_facts([row.facts, row.times]))
    })
}

fn broadcasts_title(inbox: &Inbox) -> String {
    match inbox.overview.broadcasts.len() {
        0 => "No running broadcasts.".to_owned(),
        count => format!("Running broadcasts: {count}"),
    }
}

pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let clock = inbox.context.now.hour_and_minute(&inbox.context.settings.zone);
    let title = [(TITLE, theme.strong())];
    paint_view::frame(
        buffer,
        area,
        theme,
        inbox.context.overlays.is_empty(),
        Sides::All,
        (&title, &[(&clock, Style::new())]),
    );
    let inner = area.inner();
    let end = inner.y + inner.height;
    let extra = extra_name_width(inbox, inner.width);
    for (index, (x, word)) in COLUMNS.into_iter().enumerate() {
        let x = if index == 0 { x } else { x + extra };
        paint_view::text(buffer, inner.x + x, inner.y, inner.width.saturating_sub(x), word, theme.dim());
    }
    let mut y = inner.y + 1;
    for (index, tab) in inbox.desk.tabs.iter().enumerate() {
        if y >= end {
            return;
        }
        let place = Area { y, height: 1, ..inner };
        draw_line(inbox, theme, (index, tab), extra, place, buffer);
        if index == inbox.overview.chosen {
            paint_view::stripe(buffer, place, theme.selected());
            paint_view::text(buffer, place.x, y, 1, theme.selection_mark(), theme.strong());
        }
        y += 1;
        if let Some((words, style)) = describe_problem(inbox, theme, tab).filter(|_| y < end) {
            paint_view::text(buffer, inner.x + 4, y, inner.width.saturating_sub(5), &words, style);
            y += 1;
        }
    }
    y += 1;
    if y >= end {
        return;
    }
    let title = broadcasts_title(inbox);
    paint_view::text(buffer, inner.x + 2, y, inner.width.saturating_sub(3), &title, theme.dim());
    for entry in &inbox.overview.broadcasts {
        y += 1;
        if y >= end {
            return;
        }
        broadcasts::view::draw_row(inbox, theme, entry, Area { y, height: 1, ..inner }, buffer);
    }
}

fn numbered_name(index: usize, tab: &Tab) -> String {
    format!("{} {}", index + 1, tab.channel.name)
}

/// Columns that the widest name takes beyond [`NAME_WIDTH`], as far as the page has room.
fn extra_name_width(inbox: &Inbox, width: u16) -> u16 {
    let names = inbox.desk.tabs.iter().enumerate().map(|(index, tab)| numbered_name(index, tab));
    let widest = names.map(|name| wrap::cells(&name)).max().unwrap_or(0);
    let wanted = u16::try_from(widest).unwrap_or(u16::MAX).saturating_sub(NAME_WIDTH);
    wanted.min(width.saturating_sub(FIELDS_WIDTH))
}

/// Texts of a channel's columns, in the order of [`COLUMNS`].
fn line_cells(inbox: &Inbox, theme: Theme, (index, tab): (usize, &Tab)) -> [(String, Style); 7] {
    let failures = inbox.features.request_log.failure_summary(&tab.channel.id, &inbox.context);
    let name = numbered_name(index, tab);
    let oldest = tab
        .counts
        .waiting_since
        .map(|waiting_since| format_short_span(inbox.context.now.since(waiting_since)))
        .unwrap_or_default();
    let waiting = if tab.counts.needs_reply > 0 { theme.soon() } else { theme.dim() };
    let outbox = match tab.counts.stopped {
        0 => tab.counts.outbox.to_string(),
        asks => format!("{} +{asks}!", tab.counts.outbox),
    };
    let loud = failures.count >= MIN_HIGHLIGHTED_ERRORS;
    let credits =
        tab.account.as_ref().map(|account| prices::format_balance(account.credits)).unwrap_or_default();
    [
        (name, theme.strong()),
        (tab.counts.needs_reply.to_string(), waiting),
        (oldest, waiting),
        (outbox, if tab.counts.stopped > 0 { theme.urgent() } else { Style::new() }),
        (failures.count.to_string(), if loud { theme.urgent() } else { Style::new() }),
        (format!("{}%", tab.budget_percent), Style::new()),
        (credits, Style::new()),
    ]
}

/// Draws the line of a channel; its name takes `extra` columns beyond [`NAME_WIDTH`].
fn draw_line(
    inbox: &Inbox,
    theme: Theme,
    (index, tab): (usize, &Tab),
    extra: u16,
    area: Area,
    buffer: &mut Buffer,
) {
    let mut cells = line_cells(inbox, theme, (index, tab));
    cells[0].0 = wrap::cut(&cells[0].0, usize::from(NAME_WIDTH + extra));
    let (label, label_style) = tabs_view::environment_label(tab, theme);
    for (column, ((x, _), (words, style))) in COLUMNS.iter().zip(&cells).enumerate() {
        let x = if column == 0 { *x } else { x + extra };
        paint_view::text(buffer, area.x + x, area.y, area.width.saturating_sub(x), words, *style);
    }
    paint_view::text(buffer, area.x + ENVIRONMENT_COLUMN + extra, area.y, 5, label, label_style);
}

/// Describes what is wrong with a tab: frequent failures, or its connection.
fn describe_problem(inbox: &Inbox, theme: Theme, tab: &Tab) -> Option<(String, Style)> {
    let failures = inbox.features.request_log.failure_summary(&tab.channel.id, &inbox.context);
    if failures.count >= MIN_HIGHLIGHTED_ERRORS {
        let since = failures
            .since
            .map(|entry| entry.hour_and_minute(&inbox.context.settings.zone))
            .unwrap_or_default();
        let most = failures.most_frequent.unwrap_or_default();
        return Some((
            format!("{most} {}/min since {since} · Enter shows them", failures.count),
            theme.urgent(),
        ));
    }
    let (words, tone) =
        connection_state::connection_label(&tab.health, inbox.context.now, &inbox.context.settings);
    let live = matches!(tab.health, model::news::Health::Live { .. });
    (!live).then(|| (words, tone_style(theme, tone)))
}
