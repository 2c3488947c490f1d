//! The status line: how things stand.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::command::Command;
use crate::components::paint_view;
use crate::connection_view;
use crate::layout::Area;
use crate::loads::update as loads;
use crate::notice::update as notice;
use crate::tab::Tab;
use crate::tabs_view;
use crate::theme_view::Theme;
use crate::wrap;
use model::news::Health;
use model::unreadable;
use model::webhook_status::WebhookDeliveryState;

/// The state of the tab's connection, and what its key may not do.
fn connected(inbox: &Inbox, theme: Theme) -> (String, Style) {
    let tab = inbox.desk.tab();
    let (words, style) =
        connection_view::connection_label(&tab.health, inbox.context.now, &inbox.context.settings, theme);
    let is_instant =
        tab.reception.as_ref().is_some_and(|reception| reception.state == WebhookDeliveryState::Instant);
    let words = match words.strip_prefix("live") {
        Some(age) if is_instant => format!("instant{age}"),
        _ => words,
    };
    let (words, style) = match loads::unread(inbox) {
        // What is on screen may be old whatever the state of the connection.
        Some(why) if matches!(tab.health, Health::Live { .. } | Health::Connecting) => {
            (why, theme.needs_a_person())
        }
        _ => (words, style),
    };
    let words = if tab.channel.read_only { format!("READ-ONLY · {words}") } else { words };
    match &tab.note {
        Some(note) if matches!(tab.health, Health::Live { .. }) => {
            (format!("{} · {words}", note.describe()), theme.needs_a_person())
        }
        _ => (words, style),
    }
}

/// Words of the status line behind its first.
struct StatusSegment {
    words: String,
    style: Style,
    /// Whether only a notice makes it give way for want of room.
    needed: bool,
    /// What is left of it where all of it has no room.
    short: Option<String>,
}

impl StatusSegment {
    /// As much of it as fits into the room: all, or what is left of it.
    fn fitting(&self, room: u16) -> Option<&str> {
        let all = [Some(&self.words), self.short.as_ref()];
        all.into_iter().flatten().find(|text| wide(text) <= room).map(String::as_str)
    }
}

fn wide(words: &str) -> u16 {
    u16::try_from(wrap::cells(words)).unwrap_or(u16::MAX)
}

/// Draws the status line: a notice while there is one, else how the tab
/// fares; behind it what is under way, as far as there is room. What asks for
/// a person has room before the rest, and before all but what has just
/// happened: that goes away by itself and stands whole until then.
pub fn draw_status(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let x = area.x + 1;
    let width = area.width.saturating_sub(2);
    let noticed = notice::noticed(inbox);
    let passes = noticed.is_some() && !inbox.context.states_fact();
    let (first, style) = match noticed {
        Some((text, true)) => (text, theme.needs_a_person()),
        Some((text, false)) => (text, theme.strong()),
        None => connected(inbox, theme),
    };
    let mut items = under_way(inbox, theme, area.width < 100);
    let room_for = |items: &[StatusSegment]| {
        items.iter().filter(|item| item.needed).map(|item| wide(&item.words)).sum::<u16>()
    };
    if !passes && width.saturating_sub(room_for(&items)) < wide(&first) {
        for item in &mut items {
            item.words = item.short.take().unwrap_or_else(|| std::mem::take(&mut item.words));
        }
    }
    let reserved = if passes { 0 } else { room_for(&items) };
    let used = paint_view::text(buffer, x, area.y, width.saturating_sub(reserved), &first, style);
    let mut room = width.saturating_sub(used);
    let mut kept: Vec<Option<&str>> = vec![None; items.len()];
    for is_needed in [true, false] {
        for (item, kept) in
            items.iter().zip(&mut kept).filter(|(status_segment, _)| status_segment.needed == is_needed)
        {
            *kept = item.fitting(room);
            room -= kept.map_or(0, wide);
        }
    }
    let mut x = x + used;
    for (item, words) in items.iter().zip(kept) {
        x += paint_view::text(buffer, x, area.y, area.x + area.width - x, words.unwrap_or(""), item.style);
    }
}

/// What waits to leave and what asks, where no AI answers, and a slow disk;
/// what gives way first stands last but for the budget.
fn under_way(inbox: &Inbox, theme: Theme, with_credits: bool) -> Vec<StatusSegment> {
    let sum = |count: fn(&Tab) -> u32| inbox.desk.tabs.iter().map(count).sum::<u32>();
    let plain = |words: String| StatusSegment { words, style: Style::new(), needed: false, short: None };
    let loud = |words: String, style: Style| StatusSegment { words, style, needed: true, short: None };
    let asking =
        |words: String, short: String| StatusSegment { short: Some(short), ..loud(words, theme.error()) };
    let mut items = Vec::new();
    if let Some(seconds) = inbox.changes.saving_for(&inbox.context) {
        items.push(loud(format!(" · SAVING… {seconds}s"), theme.under_way()));
    }
    if inbox.changes.unsaved_drafts() > 0 {
        items.push(loud(" · DRAFT NOT ON DISK".to_owned(), theme.error()));
    }
    let proposals: usize = inbox.desk.tabs.iter().map(|tab| tab.counts.proposals.len()).sum();
    if proposals > 0 {
        let words = format!(" · {proposals} {}", if proposals == 1 { "proposal" } else { "proposals" });
        let key = inbox.context.key_of(Command::ShowProposals);
        items.push(asking(format!("{words} · {key}"), words));
    }
    let asks = sum(|tab| tab.counts.stopped);
    let open = inbox.context.key_of(Command::GoToOutbox);
    let outbox = format!(" · outbox {}", sum(|tab| tab.counts.outbox) + asks);
    match asks {
        0 => items.push(plain(outbox)),
        1 => items.push(asking(format!("{outbox} (1 needs you · {open})"), " · 1 needs you".to_owned())),
        asks => {
            items.push(asking(format!("{outbox} ({asks} need you · {open})"), format!(" · {asks} need you")));
        }
    }
    if let Some((words, is_late)) = inbox.features.attention.due_words() {
        let style = if is_late { theme.error() } else { theme.needs_a_person() };
        let open = inbox.context.key_of(Command::NeedsYou);
        let short = Some(format!(" · {words}"));
        items.push(StatusSegment { words: format!(" · {words} · {open}"), style, needed: true, short });
    }
    let unreadable = inbox.desk.tabs.iter().map(Tab::unreadable_count).sum::<usize>();
    if unreadable > 0 {
        let (open, words) =
            (inbox.context.key_of(Command::ShowUnreadable), unreadable::describe_unreadable(unreadable));
        let long = StatusSegment {
            short: Some(format!(" · {words}")),
            ..loud(String::new(), theme.needs_a_person())
        };
        items.push(StatusSegment { words: format!(" · {words}: {open}"), ..long });
    }
    if let Some((letter, steps)) = inbox.features.macros.is_recording() {
        let words =
            format!(" · RECORDING {letter}, {steps} · {} ends", inbox.context.key_of(Command::RecordMacro));
        items.push(loud(words, theme.needs_a_person()));
    }
    if inbox.features.pauses.lease_waits(&inbox.desk, &inbox.context) {
        items.push(loud(inbox.context.keyed(" · a pause is over · {show-paused}"), theme.needs_a_person()));
    }
    if let Some(offered) = inbox.features.credits.offered(&inbox.desk, &inbox.context) {
        items.push(loud(
            format!(" · {} {offered}", inbox.desk.key_from_here(Command::TakeOffer, &inbox.context)),
            theme.strong(),
        ));
    }
    items.push(plain(format!(" · AI paused by you {}", sum(|tab| tab.counts.paused_here))));
    if let Some(batch) = inbox.changes.batch.as_ref().filter(|batch| batch.is_under_way()) {
        let (finished, total) = batch.progress();
        items.push(loud(format!(" · {} {finished}/{total}", batch.wish.verb()), theme.under_way()));
    }
    items.extend(import(inbox, theme).map(|(words, style)| loud(words, style)));
    let credits = tabs_view::credits(inbox);
    if with_credits && !credits.is_empty() {
        items.push(plain(format!(" · {credits}")));
    }
    if inbox.context.settings.demo {
        items.push(plain(" · demo".to_owned()));
    }
    items.extend(rate_budget(inbox).map(plain));
    items
}

/// Progress of an import of people.
fn import(inbox: &Inbox, theme: Theme) -> Option<(String, Style)> {
    let progress = &inbox.people.importing.as_ref()?.progress;
    let style = if progress.stopped.is_some() { theme.error() } else { theme.under_way() };
    Some((format!(" · import {}/{}", progress.done, progress.rows), style))
}

/// Share of the key's rate limit that is used, unless a notice needs the room.
fn rate_budget(inbox: &Inbox) -> Option<String> {
    let budget = inbox.desk.tab().budget;
    (budget > 0 && inbox.context.notice.is_none()).then(|| format!(" · key {budget}% of 300/min"))
}
