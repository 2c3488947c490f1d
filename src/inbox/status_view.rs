//! The last two lines: how things stand, and the keys of the focus.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::command;
use crate::command::Command;
use crate::components::paint_view;
use crate::connection_view;
use crate::layout::Area;
use crate::loads::update as loads;
use crate::notice::update as notice;
use crate::pages::PageKind;
use crate::screens::broadcasts;
use crate::screens::cards::is_deck;
use crate::screens::composer::ComposerMode;
use crate::screens::mail;
use crate::screens::mail::triage::Triage;
use crate::tab::{Focus, Tab};
use crate::tabs_view;
use crate::theme_view::Theme;
use crate::wrap;
use model::news::Health;
use model::reception::ReceptionState;
use model::unreadable;

/// How the tab's connection fares, and what its key may not do.
fn connected(inbox: &Inbox, theme: Theme) -> (String, Style) {
    let tab = inbox.desk.tab();
    let (words, style) =
        connection_view::words(&tab.health, inbox.context.now, &inbox.context.settings, theme);
    let is_instant = tab.reception.as_ref().is_some_and(|it| it.state == ReceptionState::Instant);
    let words = match words.strip_prefix("live") {
        Some(age) if is_instant => format!("instant{age}"),
        _ => words,
    };
    let (words, style) = match loads::unread(inbox) {
        // What is on screen may be old however the connection fares.
        Some(why) if matches!(tab.health, Health::Live { .. } | Health::Connecting) => {
            (why, theme.needs_a_person())
        }
        _ => (words, style),
    };
    let words = if tab.channel.read_only { format!("READ-ONLY · {words}") } else { words };
    match &tab.note {
        Some(note) if matches!(tab.health, Health::Live { .. }) => {
            (format!("{} · {words}", note.words()), theme.needs_a_person())
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
        all.into_iter().flatten().find(|it| wide(it) <= room).map(String::as_str)
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
    let room_for =
        |items: &[StatusSegment]| items.iter().filter(|it| it.needed).map(|it| wide(&it.words)).sum::<u16>();
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
        for (item, kept) in items.iter().zip(&mut kept).filter(|(it, _)| it.needed == is_needed) {
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
    let asks = sum(|it| it.counts.stopped);
    let open = inbox.context.key_of(Command::GoToOutbox);
    let outbox = format!(" · outbox {}", sum(|it| it.counts.outbox) + asks);
    match asks {
        0 => items.push(plain(outbox)),
        1 => items.push(asking(format!("{outbox} (1 needs you · {open})"), " · 1 needs you".to_owned())),
        asks => {
            items.push(asking(format!("{outbox} ({asks} need you · {open})"), format!(" · {asks} need you")));
        }
    }
    let unreadable = inbox.desk.tabs.iter().map(Tab::unreadable_count).sum::<usize>();
    if unreadable > 0 {
        let (open, words) = (inbox.context.key_of(Command::ShowUnreadable), unreadable::words(unreadable));
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
    items.push(plain(format!(" · AI paused by you {}", sum(|it| it.counts.paused_here))));
    if let Some(batch) = inbox.changes.batch.as_ref().filter(|it| it.is_under_way()) {
        let (finished, total) = batch.progress();
        items.push(loud(format!(" · {} {finished}/{total}", batch.wish.verb()), theme.under_way()));
    }
    if let Some(running) = &inbox.people.importing {
        let progress = &running.progress;
        let words = format!(" · import {}/{}", progress.done, progress.rows);
        let style = if progress.stopped.is_some() { theme.error() } else { theme.under_way() };
        items.push(loud(words, style));
    }
    let credits = tabs_view::credits(inbox);
    if with_credits && !credits.is_empty() {
        items.push(plain(format!(" · {credits}")));
    }
    if inbox.context.settings.demo {
        items.push(plain(" · demo".to_owned()));
    }
    let budget = inbox.desk.tab().budget;
    if budget > 0 && inbox.context.notice.is_none() {
        items.push(plain(format!(" · key {budget}% of 300/min")));
    }
    items
}

/// Draws the hints: the keys of the focus, or the rest of a key sequence.
pub fn draw_hints(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let mut x = area.x + 1;
    let end = area.x + area.width.saturating_sub(1);
    if let Some(words) = inbox.keyboard.tutor_line(&inbox.context) {
        paint_view::text(buffer, x, area.y, end - x, &words, theme.strong());
        return;
    }
    let wide = |key: &str, word: &str| paint_view::cells(&[(key, Style::new()), (word, Style::new())]) + 1;
    let hints = hints(inbox);
    let is_help = |word: &str| word == command::row(Command::Help).word;
    // Whatever does not fit is in the help, so its key always does.
    let help = hints.iter().find(|(_, word)| is_help(word)).map_or(0, |(key, word)| wide(key, word) + 2);
    let mut left_out = false;
    for (key, word) in &hints {
        let kept = if is_help(word) { 0 } else { help };
        if x + wide(key, word) + kept > end || (left_out && !is_help(word)) {
            left_out = true;
            continue;
        }
        x += paint_view::text(buffer, x, area.y, end - x, key, theme.strong());
        x += 1;
        x += paint_view::text(buffer, x, area.y, end - x, word, theme.quiet());
        x += 2;
    }
}

/// Keys and words, most useful first.
fn hints(inbox: &Inbox) -> Vec<(String, &'static str)> {
    if let Some(hints) = inbox.context.layers.last().and_then(|it| it.hints(inbox)) {
        return hints;
    }
    if !inbox.keyboard.pressed.is_empty() {
        // What can follow stands above, in the list of continuations.
        return vec![("Esc".to_owned(), "cancel")];
    }
    let keymap = &inbox.context.settings.keymap;
    let acts = |it: &&Command| !keymap.keys(**it).is_empty() && !is_elsewhere(inbox, **it);
    let has_key = offered(inbox).iter().filter(acts);
    has_key.map(|it| (keymap.first(*it), word(inbox, *it))).collect()
}

/// Whether it never acts on this tab: its channel does not do it, or nothing
/// is changed from here.
fn is_elsewhere(inbox: &Inbox, command: Command) -> bool {
    use Command as C;
    let tab = inbox.desk.tab();
    let takes_over = matches!(command, C::PauseAi | C::HandBack | C::Close);
    let sends = matches!(command, C::Reply | C::Write | C::WriteNumber | C::Call);
    let reacts = matches!(command, C::React | C::RemoveReaction);
    let cannot = tab.platform().is_some_and(|it| it.is_chat() && !it.can_take_over());
    let is_off = (takes_over && cannot) || (tab.channel.read_only && (takes_over || sends || reacts));
    inbox.desk.page == PageKind::Inbox && !inbox.desk.everywhere && is_off
}

/// What a key does where it is pressed now.
fn word(inbox: &Inbox, command: Command) -> &'static str {
    let (is_mail, is_wall) = (inbox.desk.tab().is_mail(), inbox.desk.page == PageKind::Wall);
    let other = [
        (Command::Close, is_mail, "archive"),
        (Command::Unseen, is_mail, "unread"),
        (Command::GoToRow, is_wall, "what failed"),
    ];
    let here = other.into_iter().find(|(one, applies, _)| *applies && *one == command);
    here.map_or(command::row(command).word, |(_, _, word)| word)
}

/// What is offered where rows of the outbox or drafts are shown.
fn offered_of_rows(inbox: &Inbox, asks: bool) -> &'static [Command] {
    use Command as C;
    let several = inbox.enabled(C::DecideAll).is_ok();
    match inbox.desk.page {
        PageKind::Webhooks => {
            &[C::NewWebhook, C::RemoveWebhook, C::SearchRows, C::LeaveRows, C::GoToTab, C::Help, C::Quit]
        }
        PageKind::Account => &[C::SearchRows, C::LeaveRows, C::GoToTab, C::Help, C::Quit],
        PageKind::Broadcasts => broadcasts::view::HINTS,
        PageKind::Wall => &[C::GoToRow, C::RowDown, C::RowUp, C::LeaveRows, C::GoToTab, C::Help, C::Quit],
        page if is_deck(page) => &[C::GoToRow, C::SearchRows, C::LeaveRows, C::GoToTab, C::Help, C::Quit],
        PageKind::People => &[
            C::GoToRow,
            C::SearchRows,
            C::MarkPerson,
            C::BroadcastPeople,
            C::NewPerson,
            C::EditPerson,
            C::TagPerson,
            C::DeletePerson,
            C::LeaveRows,
            C::GoToTab,
            C::Help,
            C::Quit,
        ],
        PageKind::Drafts => &[C::GoToRow, C::AllTabs, C::LeaveRows, C::GoToTab, C::Help, C::Quit],
        _ if several => {
            &[C::DecideRow, C::DecideAll, C::GoToRow, C::AllTabs, C::LeaveRows, C::GoToTab, C::Help, C::Quit]
        }
        _ if asks => &[C::DecideRow, C::GoToRow, C::AllTabs, C::LeaveRows, C::GoToTab, C::Help, C::Quit],
        _ => &[C::RowNow, C::RowBack, C::GoToRow, C::AllTabs, C::LeaveRows, C::GoToTab, C::Help, C::Quit],
    }
}

/// The commands hints are given for, most useful first.
fn offered(inbox: &Inbox) -> &'static [Command] {
    use Command as C;
    let tab = inbox.desk.tab();
    let asks = matches!(inbox.outbox.current_row(&inbox.desk), Some(row) if row.is_stopped());
    match tab.focus {
        _ if inbox.desk.page != PageKind::Inbox => offered_of_rows(inbox, asks),
        _ if !tab.is_inbox() => &[C::NextTab, C::GoToTab, C::Refresh, C::Help, C::Quit],
        Focus::Composer if tab.writes_mail() => mail::view::WRITING_HINTS,
        _ if tab.triage().is_some_and(Triage::is_over) => mail::view::OVER_HINTS,
        Focus::List | Focus::History if tab.is_in_triage() => mail::view::TRIAGE_HINTS,
        Focus::List if tab.is_mail() && !inbox.desk.acts_on_marks() => mail::view::LIST_HINTS,
        Focus::History if tab.is_mail() && !asks => mail::view::HISTORY_HINTS,
        Focus::List if tab.is_phone() => {
            &[C::Open, C::Write, C::WriteNumber, C::Call, C::Raw, C::Undo, C::Help, C::Quit]
        }
        Focus::History if tab.is_phone() && !asks => {
            &[C::Write, C::Call, C::WriteNumber, C::WriteNote, C::Undo, C::Raw, C::Back, C::Help]
        }
        Focus::List if inbox.desk.acts_on_marks() => &[
            C::Mark,
            C::PauseAi,
            C::HandBack,
            C::Close,
            C::Snooze,
            C::Tags,
            C::Broadcast,
            C::Claim,
            C::MarkAll,
            C::MarkNone,
            C::Help,
        ],
        Focus::List => &[
            C::Open,
            C::Reply,
            C::PauseAi,
            C::HandBack,
            C::Close,
            C::FilterList,
            C::NextWaiting,
            C::Snooze,
            C::Mark,
            C::ChooseView,
            C::Undo,
            C::GoToTab,
            C::Help,
            C::Quit,
            C::SearchAll,
            C::OpenPalette,
            C::CommandLine,
        ],
        Focus::History if asks => {
            &[C::Decide, C::Reply, C::PauseAi, C::HandBack, C::Undo, C::GoToOutbox, C::Back, C::Help]
        }
        Focus::History => &[
            C::Reply,
            C::WriteNote,
            C::PauseAi,
            C::HandBack,
            C::React,
            C::RemoveReaction,
            C::Close,
            C::Undo,
            C::NextConversation,
            C::Card,
            C::Back,
            C::Help,
            C::FindInHistory,
            C::SearchAll,
        ],
        Focus::Composer if tab.composer.as_ref().is_some_and(|it| it.mode == ComposerMode::Note) => {
            &[C::SwitchMode, C::NewLine, C::UndoEdit, C::DeleteWord, C::Leave, C::HelpInText]
        }
        Focus::Composer => {
            &[C::Send, C::SwitchMode, C::NewLine, C::UndoEdit, C::DeleteWord, C::Leave, C::HelpInText]
        }
    }
}
