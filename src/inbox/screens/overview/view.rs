//! The wall: a line for each channel, the broadcasts that go on below them.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::paint_view::Sides;
use crate::connection_view;
use crate::layout::Area;
use crate::screens::broadcasts;
use crate::screens::overview::LOUD;
use crate::tab::Tab;
use crate::tabs_view;
use crate::theme_view::Theme;
use model::prices;
use model::time::format_short_span;

/// Where the columns begin, and what stands over them.
const COLUMNS: [(u16, &str); 7] = [
    (2, "channel"),
    (24, "needs"),
    (31, "oldest"),
    (39, "outbox"),
    (47, "errors/min"),
    (60, "key"),
    (66, "credits"),
];

/// Draws the page.
pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let clock = inbox.context.now.hour_and_minute(&inbox.context.settings.zone);
    let title = [("Wall", theme.strong())];
    paint_view::frame(
        buffer,
        area,
        theme,
        inbox.context.layers.is_empty(),
        Sides::All,
        (&title, &[(&clock, Style::new())]),
    );
    let inner = area.inner();
    let end = inner.y + inner.height;
    for (x, word) in COLUMNS {
        paint_view::text(buffer, inner.x + x, inner.y, inner.width.saturating_sub(x), word, theme.quiet());
    }
    let mut y = inner.y + 1;
    for (index, tab) in inbox.desk.tabs.iter().enumerate() {
        if y >= end {
            return;
        }
        let place = Area { y, height: 1, ..inner };
        line(inbox, theme, (index, tab), place, buffer);
        if index == inbox.overview.chosen {
            paint_view::stripe(buffer, place, theme.selected());
            paint_view::text(buffer, place.x, y, 1, theme.mark(), theme.strong());
        }
        y += 1;
        if let Some((words, style)) = trouble(inbox, theme, tab).filter(|_| y < end) {
            paint_view::text(buffer, inner.x + 4, y, inner.width.saturating_sub(5), &words, style);
            y += 1;
        }
    }
    y += 1;
    if y >= end {
        return;
    }
    let title = match inbox.overview.broadcasts.len() {
        0 => "No broadcast goes on.".to_owned(),
        count => format!("Broadcasts that go on: {count}"),
    };
    paint_view::text(buffer, inner.x + 2, y, inner.width.saturating_sub(3), &title, theme.quiet());
    for entry in &inbox.overview.broadcasts {
        y += 1;
        if y >= end {
            return;
        }
        broadcasts::view::row(inbox, theme, entry, Area { y, height: 1, ..inner }, buffer);
    }
}

fn line(inbox: &Inbox, theme: Theme, (index, tab): (usize, &Tab), area: Area, buffer: &mut Buffer) {
    let failures = inbox.features.request_log.failures_of(&tab.channel.id, &inbox.context);
    let (label, label_style) = tabs_view::environment(tab, theme);
    let name = format!("{} {}", index + 1, tab.channel.name);
    let name = crate::wrap::cut(&name, 15);
    let oldest = tab
        .counts
        .waiting_since
        .map(|waiting_since| format_short_span(inbox.context.now.since(waiting_since)))
        .unwrap_or_default();
    let waiting = if tab.counts.needs_reply > 0 { theme.needs_a_person() } else { theme.quiet() };
    let outbox = match tab.counts.stopped {
        0 => tab.counts.outbox.to_string(),
        asks => format!("{} +{asks}!", tab.counts.outbox),
    };
    let loud = failures.count >= LOUD;
    let credits =
        tab.account.as_ref().map(|account| prices::format_balance(account.credits)).unwrap_or_default();
    let cells = [
        (name, theme.strong()),
        (tab.counts.needs_reply.to_string(), waiting),
        (oldest, waiting),
        (outbox, if tab.counts.stopped > 0 { theme.error() } else { Style::new() }),
        (failures.count.to_string(), if loud { theme.error() } else { Style::new() }),
        (format!("{}%", tab.budget), Style::new()),
        (credits, Style::new()),
    ];
    for ((x, _), (words, style)) in COLUMNS.iter().zip(&cells) {
        paint_view::text(buffer, area.x + x, area.y, area.width.saturating_sub(*x), words, *style);
    }
    paint_view::text(buffer, area.x + 18, area.y, 5, label, label_style);
}

/// What is wrong with a tab, if anything: its connection, or what its server
/// refuses often.
fn trouble(inbox: &Inbox, theme: Theme, tab: &Tab) -> Option<(String, Style)> {
    let failures = inbox.features.request_log.failures_of(&tab.channel.id, &inbox.context);
    if failures.count >= LOUD {
        let since = failures
            .since
            .map(|entry| entry.hour_and_minute(&inbox.context.settings.zone))
            .unwrap_or_default();
        let most = failures.most.unwrap_or_default();
        return Some((
            format!("{most} {}/min since {since} · Enter shows them", failures.count),
            theme.error(),
        ));
    }
    let (words, style) =
        connection_view::connection_label(&tab.health, inbox.context.now, &inbox.context.settings, theme);
    let live = matches!(tab.health, model::news::Health::Live { .. });
    (!live).then_some((words, style))
}
