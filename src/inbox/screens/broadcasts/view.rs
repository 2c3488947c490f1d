//! The board: one line per broadcast, and the selected one below or beside it with its waves and its course
//! over time.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::command::Command;
use crate::components::loading_view;
use crate::components::paint_view;
use crate::components::paint_view::Sides;
use crate::components::spoken::{SpokenPage, SpokenRow, join_facts};
use crate::layout::Area;
use crate::loads::Pane;
use crate::loads::update as loads;
use crate::overlays::view::{Lines, plain_line};
use crate::pages::update as pages;
use crate::resource::LoadState;
use crate::screens::broadcasts::completed;
use crate::screens::broadcasts::control::describe_wave;
use crate::screens::broadcasts::update as broadcasts;
use crate::screens::history::pending_sends;
use crate::screens::outbox::row_state_view;
use crate::screens::people::view::draw_divider;
use crate::theme_view::Theme;
use model::board::BoardEntry;
use model::broadcast_report::describe_charge;
use model::prices;
use model::time::{format_ago, format_short_span};
use model::waves::{Campaign, CampaignPhase, RecipientCounts, Wave, recipient_price};

/// Commands of the page, most useful first.
pub const HINTS: &[Command] = &[
    Command::ShowRecipients,
    Command::PauseBroadcast,
    Command::ContinueBroadcast,
    Command::StopBroadcast,
    Command::RetryFailed,
    Command::ExportReport,
    Command::AllTabs,
    Command::LeaveRows,
    Command::Help,
    Command::Quit,
];
/// Cells of a bar: normally, and where there is little room.
const BAR_WIDTHS: (u16, u16) = (16, 8);
/// Minimum columns of a row with room for all parts.
const WIDE_LAYOUT_WIDTH: u16 = 76;
pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let (list, detail) = pages::page_areas(inbox);
    draw_frame(inbox, theme, area, buffer);
    if let Some(words) = empty_text(inbox) {
        let place = Area { x: list.x + 1, width: list.width.saturating_sub(2), ..list };
        paint_view::paragraph(buffer, place, &words, theme.dim());
        return;
    }
    let rows = &inbox.broadcasts.rows;
    let chosen = rows.index();
    for (index, entry) in rows.rows.iter().enumerate().skip(rows.first_visible).take(usize::from(list.height))
    {
        let y = list.y + u16::try_from(index - rows.first_visible).unwrap_or(0);
        let place = Area { y, height: 1, ..list };
        draw_row(inbox, theme, entry, place, buffer);
        if chosen == Some(index) {
            paint_view::stripe(buffer, place, theme.selected());
            paint_view::text(buffer, place.x, y, 1, theme.selection_mark(), theme.strong());
        }
    }
    if let (Some(area), Some(entry)) = (detail, rows.chosen()) {
        draw_divider(theme, list, area, buffer);
        draw_details(inbox, theme, entry, area, buffer);
    }
}

/// Returns the text of the page for plain mode.
pub(crate) fn describe(inbox: &Inbox) -> SpokenPage {
    let rows = &inbox.broadcasts.rows;
    let (title, counts) = frame_titles(inbox);
    let page = SpokenPage::new([title, counts]).text(empty_text(inbox).unwrap_or_default());
    let page = page.rows(rows.rows.iter().map(|entry| describe_row(inbox, entry)), rows.index());
    let Some(entry) = rows.chosen() else { return page };
    let summary = summary_lines(inbox, Theme::PLAIN, entry).into_iter().map(|(words, _)| words);
    let waves = entry.campaign().into_iter().flat_map(|campaign| campaign.waves.iter().enumerate());
    let waves = waves.map(|(index, wave)| wave_text(index, wave));
    summary.chain(waves).fold(page, |page, words| page.detail(words))
}

/// Returns a row for plain mode.
pub(crate) fn describe_row(inbox: &Inbox, entry: &BoardEntry) -> SpokenRow {
    let (state, _) = state_label(inbox, Theme::PLAIN, entry);
    let is_held = entry
        .campaign()
        .is_some_and(|campaign| campaign.phase == CampaignPhase::Running && campaign.started_waves() == 0);
    // The seconds of a hold count down.
    let (word, countdown) = if is_held { ("held".to_owned(), state) } else { (state, String::new()) };
    let facts = [entry.title().to_string(), word, settled_text(entry), failed_text(entry)];
    SpokenRow::new(facts).with_times(join_facts([countdown, age_text(inbox, entry)]))
}

/// Number of recipients whose message was delivered or failed, of all.
fn settled_text(entry: &BoardEntry) -> String {
    let counts = entry.counts();
    format!("{}/{}", counts.delivered + counts.failed, entry.recipient_count())
}

fn failed_text(entry: &BoardEntry) -> String {
    let counts = entry.counts();
    let percent = counts.failed * 100 / counts.recipients.max(1);
    if counts.failed > 0 { format!("{} failed ({percent} %) ", counts.failed) } else { String::new() }
}

fn age_text(inbox: &Inbox, entry: &BoardEntry) -> String {
    let age = entry.started_at().map(|begun| format_short_span(inbox.context.now.since(begun)));
    age.unwrap_or_default()
}

fn wave_text(index: usize, wave: &Wave) -> String {
    format!("wave {:>2}  {:>11}  {}", index + 1, prices::format_people(wave.size), describe_wave(wave))
}

/// Title of the page, and its counts.
fn frame_titles(inbox: &Inbox) -> (String, String) {
    let rows = &inbox.broadcasts.rows;
    let place = if rows.all_tabs { "all channels" } else { inbox.desk.tab().channel.name.as_str() };
    let title = format!("Broadcasts · {place}");
    let is_paused = |board_entry: &&BoardEntry| {
        board_entry.campaign().is_some_and(|campaign| campaign.phase == CampaignPhase::Paused)
    };
    let paused = rows.rows.iter().filter(is_paused).count();
    let running = rows.rows.iter().filter(|row| row.is_open()).count() - paused;
    let counts = [(running, "running"), (paused, "paused"), (rows.rows.len(), "in all")];
    let counts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    (title, counts.collect::<Vec<_>>().join(" · "))
}

fn draw_frame(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let (title, right) = frame_titles(inbox);
    let titles = ([(title.as_str(), theme.strong())], [(right.as_str(), Style::new())]);
    paint_view::frame(
        buffer,
        area,
        theme,
        inbox.context.overlays.is_empty(),
        Sides::All,
        (&titles.0, &titles.1),
    );
    if loads::pane_state(inbox, Pane::Page) != LoadState::Current {
        return;
    }
    let words = " Sent from this desk, or followed here ";
    let y = area.y + area.height.saturating_sub(1);
    paint_view::text(buffer, area.x + 2, y, area.width.saturating_sub(4), words, theme.dim());
}

fn empty_text(inbox: &Inbox) -> Option<String> {
    let rows = &inbox.broadcasts.rows;
    if !rows.rows.is_empty() {
        return None;
    }
    if !broadcasts::has_broadcasts(&inbox.desk) && !rows.all_tabs {
        let text = "Broadcasts go out on business chat only. {all-tabs} all channels";
        return Some(inbox.context.fill_in_keys(text));
    }
    Some(match rows.loaded {
        false => loading_view::empty_pane_text(inbox, Pane::Page),
        true => inbox.context.fill_in_keys(
            "No broadcasts yet. Mark people ({go-to-people}) or conversations, then {broadcast}; :broadcast \
             track ID follows one sent elsewhere.",
        ),
    })
}

/// State, bar, counts and title in one line.
pub(crate) fn draw_row(inbox: &Inbox, theme: Theme, entry: &BoardEntry, area: Area, buffer: &mut Buffer) {
    let (mut x, end) = (area.x + 2, area.x + area.width.saturating_sub(1));
    let (state, style) = state_label(inbox, theme, entry);
    paint_view::text(buffer, x, area.y, 12, &state, style);
    x += 13;
    let counts = entry.counts();
    let people = entry.recipient_count().max(1);
    let is_wide = area.width >= WIDE_LAYOUT_WIDTH;
    let bar = if is_wide { BAR_WIDTHS.0 } else { BAR_WIDTHS.1 };
    crate::screens::broadcasts::charts_view::draw_progress(
        theme,
        (counts.delivered, counts.failed, people),
        Area { x, y: area.y, width: bar, height: 1 },
        buffer,
    );
    x += bar + 1;
    let told = settled_text(entry);
    x += paint_view::text(buffer, x, area.y, 11, &told, Style::new()).max(if is_wide { 9 } else { 7 }) + 1;
    if counts.failed > 0 {
        let words = failed_text(entry);
        x += paint_view::text(buffer, x, area.y, end.saturating_sub(x), &words, theme.urgent());
    }
    let when = age_text(inbox, entry);
    let room = end.saturating_sub(x);
    let right = paint_view::runs_right(buffer, x, area.y, room, &[(&when, theme.dim())]);
    let title = entry.title();
    paint_view::text(buffer, x, area.y, room.saturating_sub(right + 1), title.as_str(), Style::new());
}

fn state_label(inbox: &Inbox, theme: Theme, entry: &BoardEntry) -> (String, Style) {
    let Some(campaign) = entry.campaign() else {
        let style = if entry.is_open() { theme.strong() } else { theme.dim() };
        return (entry.status_label().to_string(), style);
    };
    match campaign.phase {
        CampaignPhase::Running
            if pending_sends::channel_wait_reason(&inbox.desk, &campaign.channel, &inbox.context)
                .is_some() =>
        {
            ("WAITS".to_owned(), theme.urgent())
        }
        CampaignPhase::Running if campaign.started_waves() == 0 => {
            let left = campaign.starts_at.since(inbox.context.now).max(0) / 1_000_000;
            (format!("HELD {left}s"), theme.strong())
        }
        CampaignPhase::Running => {
            (format!("wave {}/{}", campaign.started_waves(), campaign.waves.len()), theme.strong())
        }
        CampaignPhase::Paused => ("PAUSED".to_owned(), theme.urgent()),
        _ => (campaign.phase.label().to_owned(), theme.dim()),
    }
}

/// Draws the selected broadcast: its state, charts and waves.
fn draw_details(inbox: &Inbox, theme: Theme, entry: &BoardEntry, area: Area, buffer: &mut Buffer) {
    let below = area.x <= inbox.desk.areas(&inbox.context).body.inner().x;
    let top = area.y + u16::from(below);
    let (x, width) = (area.x + 1, area.width.saturating_sub(2));
    let end = area.y + area.height;
    let mut y = top;
    // Beside its row there is little room for what it says.
    let says = (!below).then(|| (entry.title().to_string(), theme.strong()));
    for (words, style) in says.into_iter().chain(summary_lines(inbox, theme, entry)) {
        if y >= end {
            return;
        }
        let place = Area { x, y, width, height: (end - y).min(3) };
        y += paint_view::paragraph(buffer, place, &words, style).max(1);
    }
    if let Some(detail) =
        inbox.broadcasts.selected_detail().filter(|board_detail| board_detail.samples.len() > 1)
    {
        y = crate::screens::broadcasts::charts_view::draw(
            theme,
            detail,
            Area { x, y, width, height: end.saturating_sub(y) },
            buffer,
        );
    }
    let Some(campaign) = entry.campaign() else { return };
    // The newest waves matter most where there is little room.
    let room = usize::from(end.saturating_sub(y));
    let shown = campaign.waves.len().min(room);
    let first =
        campaign.started_waves().saturating_sub(shown.saturating_sub(1)).min(campaign.waves.len() - shown);
    for (number, wave) in campaign.waves.iter().enumerate().skip(first).take(shown) {
        let words = wave_text(number, wave);
        let style = if wave.row.is_some() { Style::new() } else { theme.dim() };
        paint_view::text(buffer, x, y, width, &words, style);
        y += 1;
    }
}

/// Lines above the charts.
fn summary_lines(inbox: &Inbox, theme: Theme, entry: &BoardEntry) -> Lines {
    let RecipientCounts { recipients, delivered, failed, pending } = entry.counts();
    let mut lines = Vec::new();
    if let Some(campaign) = entry.campaign().filter(|campaign| !campaign.why.is_empty()) {
        lines.push((
            inbox.context.fill_in_keys(&format!("{} · {{continue-broadcast}} continues", campaign.why)),
            theme.urgent(),
        ));
    }
    let running = entry.campaign().filter(|campaign| campaign.phase == CampaignPhase::Running);
    let still = running.and_then(|campaign| row_state_view::describe_channel_wait(inbox, &campaign.channel));
    lines.extend(still.iter().map(|text| (text.clone(), theme.urgent())));
    let odd = if recipients > 0 && delivered + failed + pending != recipients {
        format!(" · the counts do not add up to {recipients}")
    } else {
        String::new()
    };
    lines.push(plain_line(format!(
        "{} people, {recipients} accepted · {delivered} delivered · {failed} failed · {pending} pending{odd}",
        entry.recipient_count()
    )));
    let mut second = Vec::new();
    if entry.is_open()
        && entry.campaign().is_none_or(|campaign| campaign.phase == CampaignPhase::Running)
        && still.is_none()
        && let Some((rate, minutes)) = inbox
            .broadcasts
            .selected_detail()
            .and_then(|board_detail| board_detail.pace(entry.recipient_count()))
    {
        second.push(format!("{rate}/min"));
        second.extend(minutes.map(|minute| format!("about {minute} min left")));
    }
    second.extend(entry.campaign().and_then(|campaign| describe_cost(inbox, campaign)));
    second.extend(
        entry.started_at().map(|begun| format!("started {}", format_ago(inbox.context.now.since(begun)))),
    );
    lines.push((second.join(" · "), theme.dim()));
    lines.extend(completed_lines(inbox, theme, entry));
    lines
}

/// Lines about completed campaigns: this broadcast's, and those of others.
fn completed_lines(inbox: &Inbox, theme: Theme, entry: &BoardEntry) -> Lines {
    let (of_it, others) = completed::completed_campaigns(inbox, entry);
    let waves = entry.campaign().map_or(1, |campaign| campaign.waves.len());
    let told = of_it.iter().map(|happening| happening.at).max().map(|last| {
        let when = last.map(|at| format!(" {}", format_ago(inbox.context.now.since(at)))).unwrap_or_default();
        plain_line(match waves {
            1 => format!("event: completed{when}"),
            _ => format!("events: {} so far, the last{when}", describe_wave_count(of_it.len())),
        })
    });
    let more = (others > 0).then(|| {
        let are = if others == 1 { "campaign is" } else { "campaigns are" };
        let words = format!("{others} completed {are} not listed here · {{go-to-events}} shows them");
        (inbox.context.fill_in_keys(&words), theme.dim())
    });
    told.into_iter().chain(more).collect()
}

fn describe_wave_count(count: usize) -> String {
    if count == 1 { "1 completed wave".to_owned() } else { format!("{count} completed waves") }
}

/// Credits charged so far, or the cost by known prices, against the balance.
fn describe_cost(inbox: &Inbox, campaign: &Campaign) -> Option<String> {
    let tab = inbox.desk.tabs.iter().find(|tab| tab.channel.id == campaign.channel)?;
    let sent = campaign.counts().recipients - campaign.counts().failed;
    let detail = inbox.broadcasts.selected_detail();
    let used = match detail.and_then(|detail| describe_charge(detail.charged, detail.balance_drop)) {
        Some(charged) => charged,
        None => {
            format!(
                "{} used",
                recipient_price(&campaign.content, tab.templates.charged).times(sent.max(0)).describe()
            )
        }
    };
    let left =
        tab.account.as_ref().map(|account| format!(", {} left", prices::format_balance(account.credits)));
    Some(format!("{used}{}", left.unwrap_or_default()))
}
