//! Content of the last line: keys of the current place at the left, news at the right.
//!
//! News is what is not normal or what just happened; a desk on which all is well says nothing. A notice
//! takes the place of the keys for its time, and so does the tutor.

use crate::Inbox;
use crate::command::Command;
use crate::components::dialog::Tone;
use crate::connection_state;
use crate::features::credits::BalanceLevel;
use crate::features::tutor;
use crate::hints;
use crate::hints::Hint;
use crate::keymap::update as keymap;
use crate::layout::Area;
use crate::loads::update as loads;
use crate::notice::update as notice;
use crate::tab::Tab;
use crate::wrap;
use model::news::Health;
use model::prices;
use model::unreadable;

/// Used share of the key's rate limit from which it is shown, in percent.
const MIN_BUDGET_PERCENT: u8 = 80;
/// Columns from which the line of tabs has room for the balance.
pub(crate) const BALANCE_MIN_WIDTH: u16 = 100;
pub(crate) const SEPARATOR: &str = " · ";
pub(crate) const SEPARATOR_CELLS: u16 = 3;
/// Minimum cells of a text whose end is cut off.
const MIN_CUT_CELLS: u16 = 30;
/// Minimum cells between the keys and the news.
const GAP_CELLS: u16 = 2;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LineStart {
    Text(String, Tone),
    /// Keys, each with its first column.
    Keys(Vec<(u16, Hint)>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StatusLine {
    pub(crate) start: LineStart,
    /// Parts at the right end, separated by dots.
    pub(crate) news: Vec<(String, Tone)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct NewsItem {
    text: String,
    /// Text for a narrow screen.
    short_text: Option<String>,
    tone: Tone,
    /// True if it gets its room before the keys.
    is_required: bool,
    /// True if its end may be cut off.
    is_cut: bool,
}

impl NewsItem {
    fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), short_text: None, tone, is_required: true, is_cut: false }
    }

    fn or_short(self, text: impl Into<String>) -> Self {
        Self { short_text: Some(text.into()), ..self }
    }

    fn if_room(self) -> Self {
        Self { is_required: false, ..self }
    }

    fn or_cut(self) -> Self {
        Self { is_cut: true, ..self }
    }

    fn text_that_fits(&self, room: u16) -> Option<String> {
        if text_cells(&self.text) > room && self.is_cut && room >= MIN_CUT_CELLS {
            return Some(wrap::cut(&self.text, usize::from(room)));
        }
        let all = [Some(&self.text), self.short_text.as_ref()];
        all.into_iter().flatten().find(|text| text_cells(text) <= room).cloned()
    }
}

fn text_cells(text: &str) -> u16 {
    u16::try_from(wrap::cells(text)).unwrap_or(u16::MAX)
}

/// The line for an area: a notice or the tutor keeps its room, keys give way to news that somebody must
/// know.
pub(crate) fn status_line(inbox: &Inbox, area: Area) -> StatusLine {
    let (from, end) = (area.x + 1, area.x + area.width.saturating_sub(1));
    let width = end.saturating_sub(from);
    let text = start_text(inbox);
    let hints = if text.is_some() { Vec::new() } else { hints::line_hints(inbox) };
    let (least, most) = match &text {
        Some((text, _)) => (text_cells(text), text_cells(text)),
        None => hints::line_cells(&hints),
    };
    let room_beside = |cells: u16| width.saturating_sub(if cells == 0 { 0 } else { cells + GAP_CELLS });
    let news = fit_news(&news(inbox, area.width), room_beside(least), room_beside(most));
    let start = match text {
        Some((text, tone)) => LineStart::Text(text, tone),
        None => {
            let taken = news_cells(&news);
            let end = if taken == 0 { end } else { end.saturating_sub(taken + GAP_CELLS) };
            LineStart::Keys(hints::place_hints(hints, from, end))
        }
    };
    StatusLine { start, news }
}

/// Text in place of the keys: a warning, the tutor, or another notice.
fn start_text(inbox: &Inbox) -> Option<(String, Tone)> {
    let notice = notice::current_notice(inbox);
    let tutor = tutor::line(inbox).map(|text| (text, Tone::Strong));
    match notice {
        Some((text, true)) => Some((text, Tone::NeedsAttention)),
        Some((text, false)) => tutor.or(Some((text, Tone::Strong))),
        None => tutor.filter(|_| !hints::has_pressing_hints(inbox)),
    }
}

/// Cells of the news with their separators.
fn news_cells(news: &[(String, Tone)]) -> u16 {
    let separators = u16::try_from(news.len().saturating_sub(1)).unwrap_or(0) * SEPARATOR_CELLS;
    news.iter().map(|(text, _)| text_cells(text)).sum::<u16>() + separators
}

/// Chooses the texts that fit: required ones first, in `room`; others only in `room_beside_keys`.
fn fit_news(items: &[NewsItem], room: u16, room_beside_keys: u16) -> Vec<(String, Tone)> {
    let mut kept: Vec<Option<String>> = vec![None; items.len()];
    let mut taken = 0;
    for (is_required, room) in [(true, room), (false, room_beside_keys)] {
        for (item, kept) in items.iter().zip(&mut kept).filter(|(item, _)| item.is_required == is_required) {
            let before = if taken == 0 { 0 } else { taken + SEPARATOR_CELLS };
            *kept = item.text_that_fits(room.saturating_sub(before));
            taken = kept.as_ref().map_or(taken, |text| before + text_cells(text));
        }
    }
    let shown = items.iter().zip(kept);
    shown.filter_map(|(item, text)| Some((text?, item.tone))).collect()
}

/// All news, the most urgent first.
fn news(inbox: &Inbox, width: u16) -> Vec<NewsItem> {
    let mut items = Vec::new();
    if let Some(seconds) = inbox.changes.slow_write_seconds(&inbox.context) {
        items.push(NewsItem::new(format!("Saving… {seconds}s"), Tone::Strong));
    }
    if inbox.changes.unsaved_drafts() > 0 {
        items.push(NewsItem::new("Draft not saved on disk", Tone::Error));
    }
    items.extend(connection_news(inbox));
    items.extend(outbox_news(inbox));
    items.extend(attention_news(inbox));
    items.extend(progress_news(inbox));
    if inbox.desk.tab().channel.read_only {
        items.push(NewsItem::new("Read-only", Tone::Plain).if_room());
    }
    if let Some((text, tone)) =
        balance_label(inbox).filter(|(_, tone)| *tone != Tone::Dim && width < BALANCE_MIN_WIDTH)
    {
        items.push(NewsItem::new(text, tone));
    }
    let budget = inbox.desk.tab().budget_percent;
    if budget >= MIN_BUDGET_PERCENT {
        items.push(NewsItem::new(format!("Key budget {budget}% of 300/min"), Tone::NeedsAttention).if_room());
    }
    items.extend(new_needs_item(inbox));
    items
}

/// State of the tab's connection, unless it is as it should be.
fn connection_news(inbox: &Inbox) -> Option<NewsItem> {
    let tab = inbox.desk.tab();
    let is_up = matches!(tab.health, Health::Live { .. } | Health::Connecting);
    // The screen may be outdated whatever the state of the connection.
    if let Some(why) = loads::outdated_reason(inbox).filter(|_| is_up) {
        return Some(NewsItem::new(why, Tone::NeedsAttention).or_cut());
    }
    if let Some(reason) = tab.empty_reason.as_ref().filter(|_| is_up) {
        return Some(NewsItem::new(reason.describe(), Tone::NeedsAttention).or_cut());
    }
    if connection_state::is_normal(&tab.health, inbox.context.now) {
        return None;
    }
    let (text, tone) =
        connection_state::connection_label(&tab.health, inbox.context.now, &inbox.context.settings);
    let short = text.split_once(": ").map(|(short, _)| short.to_owned());
    let item = NewsItem::new(text, tone).or_cut();
    Some(match short {
        Some(short) => item.or_short(short),
        None => item,
    })
}

/// Messages that need a decision, and those that wait while the server cannot be reached.
fn outbox_news(inbox: &Inbox) -> Vec<NewsItem> {
    let sum = |count: fn(&Tab) -> u32| inbox.desk.tabs.iter().map(count).sum::<u32>();
    let mut items = Vec::new();
    let stopped = sum(|tab| tab.counts.stopped);
    if stopped > 0 {
        let verb = if stopped == 1 { "needs" } else { "need" };
        let open = inbox.context.key_of(Command::GoToOutbox);
        let text = format!("Outbox: {stopped} {verb} you");
        items.push(NewsItem::new(format!("{text} · {open}"), Tone::Error).or_short(text));
    }
    let queued = sum(|tab| match tab.health {
        Health::Connecting | Health::Live { .. } => 0,
        _ => tab.counts.outbox,
    });
    if queued > 0 {
        items.push(NewsItem::new(format!("{queued} waiting to send"), Tone::Plain));
    }
    if inbox.check_enabled(Command::SendUnpaid).is_ok() {
        let key = keymap::key_from_here(&inbox.desk, Command::SendUnpaid, &inbox.context);
        let unpaid = inbox.features.credits.describe_unpaid(&inbox.desk, &inbox.context);
        items.push(NewsItem::new(format!("{key} sends {unpaid}"), Tone::Strong));
    }
    items
}

/// Answers that are due, pauses that have ended, and rows that could not be read.
fn attention_news(inbox: &Inbox) -> Vec<NewsItem> {
    let mut items = Vec::new();
    let needs_you = inbox.context.key_of(Command::NeedsYou);
    if let Some((text, is_late)) = inbox.features.attention.due_words() {
        let tone = if is_late { Tone::Error } else { Tone::NeedsAttention };
        items.push(NewsItem::new(format!("{text} · {needs_you}"), tone).or_short(text));
    }
    if inbox.features.pauses.is_question_due(&inbox.desk, &inbox.context) {
        let text = "A pause has ended";
        items.push(NewsItem::new(format!("{text} · {needs_you}"), Tone::NeedsAttention).or_short(text));
    }
    let unreadable = inbox.desk.tabs.iter().map(Tab::unreadable_count).sum::<usize>();
    if unreadable > 0 {
        let open = inbox.context.key_of(Command::ShowUnreadable);
        let text = unreadable::describe_unreadable(unreadable);
        items.push(NewsItem::new(format!("{text} · {open}"), Tone::NeedsAttention).or_short(text));
    }
    items
}

/// Progress of a bulk action and of an import.
fn progress_news(inbox: &Inbox) -> Vec<NewsItem> {
    let mut items = Vec::new();
    if let Some(batch) = inbox.changes.batch.as_ref().filter(|batch| batch.is_running()) {
        let (finished, total) = batch.progress();
        items.push(NewsItem::new(format!("{} {finished}/{total}", batch.action.verb()), Tone::Strong));
    }
    if let Some(import) = &inbox.people.importing {
        let progress = &import.progress;
        let tone = if progress.stopped.is_some() { Tone::Error } else { Tone::Strong };
        items.push(NewsItem::new(format!("import {}/{}", progress.done, progress.rows), tone));
    }
    items
}

/// Conversations that began to need a person while the person looked elsewhere.
fn new_needs_item(inbox: &Inbox) -> Option<NewsItem> {
    match inbox.features.new_needs.count(&inbox.desk) {
        0 => None,
        1 => Some(NewsItem::new("1 new needs a person", Tone::Plain).or_short("1 new")),
        count => {
            let text = format!("{count} new need a person");
            Some(NewsItem::new(text, Tone::Plain).or_short(format!("{count} new")))
        }
    }
}

/// Balance of the tab's account, dim unless it is low.
pub(crate) fn balance_label(inbox: &Inbox) -> Option<(String, Tone)> {
    let account = inbox.desk.tab().account.as_ref()?;
    let credits = prices::format_balance(account.credits);
    Some(match inbox.features.credits.balance_level(inbox.desk.tab(), &inbox.desk, &inbox.context) {
        BalanceLevel::Fine => (format!("{credits} credits"), Tone::Dim),
        BalanceLevel::Low => (format!("Low balance: {credits} credits"), Tone::NeedsAttention),
        BalanceLevel::Empty => (format!("Balance used up: {credits} credits"), Tone::Error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn required_news_come_first_and_are_shortened_before_they_go() {
        let items = [
            NewsItem::new("Outbox: 1 needs you · g o", Tone::Error).or_short("Outbox: 1 needs you"),
            NewsItem::new("Read-only", Tone::Plain).if_room(),
            NewsItem::new("2 new need a person", Tone::Plain).or_short("2 new"),
        ];
        // Room beside few keys, room beside all keys, news.
        let cases: [(u16, u16, &[&str]); 6] = [
            (70, 70, &["Outbox: 1 needs you · g o", "Read-only", "2 new need a person"]),
            (70, 50, &["Outbox: 1 needs you · g o", "2 new need a person"]),
            (40, 10, &["Outbox: 1 needs you · g o", "2 new"]),
            (25, 0, &["Outbox: 1 needs you · g o"]),
            (19, 0, &["Outbox: 1 needs you"]),
            (5, 0, &["2 new"]),
        ];
        for (room, beside_keys, expected) in cases {
            let news = fit_news(&items, room, beside_keys);
            let texts: Vec<&str> = news.iter().map(|(text, _)| text.as_str()).collect();
            assert_eq!(texts, expected, "{room} {beside_keys}");
            assert!(news_cells(&news) <= room.max(beside_keys));
        }
    }
}
