//! The last two lines: how things stand, and the keys of the focus.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::broadcasts;
use crate::connection;
use crate::email;
use crate::paint;
use crate::search;
use crate::tabs;
use crate::theme::Theme;
use app::App;
use app::availability;
use app::commands::{self, Command};
use app::composer::ComposerMode;
use app::deck::is_deck;
use app::email::triage::Triage;
use app::layers::Layer;
use app::layout::Area;
use app::listing::ListKind;
use app::pages::PageKind;
use app::tab::{Focus, Tab};
use app::wrap;
use model::news::Health;
use model::reception::ReceptionState;
use model::unreadable;

/// How the tab's connection fares, and what its key may not do.
fn connected(app: &App, theme: Theme) -> (String, Style) {
    let tab = app.tab();
    let (words, style) = connection::words(&tab.health, app.context.now, &app.context.settings, theme);
    let is_instant = tab.reception.as_ref().is_some_and(|it| it.state == ReceptionState::Instant);
    let words = match words.strip_prefix("live") {
        Some(age) if is_instant => format!("instant{age}"),
        _ => words,
    };
    let (words, style) = match app.unread() {
        // What is on screen may be old however the connection fares.
        Some(why) if matches!(tab.health, Health::Live { .. } | Health::Connecting) => (why, theme.waiting()),
        _ => (words, style),
    };
    let words = if tab.channel.read_only { format!("READ-ONLY · {words}") } else { words };
    match &tab.note {
        Some(note) if matches!(tab.health, Health::Live { .. }) => {
            (format!("{} · {words}", note.words()), theme.waiting())
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
pub fn draw_status(app: &App, theme: Theme, area: Area, buffer: &mut Buffer) {
    let x = area.x + 1;
    let width = area.width.saturating_sub(2);
    let noticed = app.noticed();
    let passes = noticed.is_some() && !app.states_fact();
    let (first, style) = match noticed {
        Some((text, true)) => (text, theme.waiting()),
        Some((text, false)) => (text, theme.strong()),
        None => connected(app, theme),
    };
    let mut items = under_way(app, theme, area.width < 100);
    let room_for =
        |items: &[StatusSegment]| items.iter().filter(|it| it.needed).map(|it| wide(&it.words)).sum::<u16>();
    if !passes && width.saturating_sub(room_for(&items)) < wide(&first) {
        for item in &mut items {
            item.words = item.short.take().unwrap_or_else(|| std::mem::take(&mut item.words));
        }
    }
    let reserved = if passes { 0 } else { room_for(&items) };
    let used = paint::text(buffer, x, area.y, width.saturating_sub(reserved), &first, style);
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
        x += paint::text(buffer, x, area.y, area.x + area.width - x, words.unwrap_or(""), item.style);
    }
}

/// What waits to leave and what asks, where no AI answers, and a slow disk;
/// what gives way first stands last but for the budget.
fn under_way(app: &App, theme: Theme, with_credits: bool) -> Vec<StatusSegment> {
    let sum = |count: fn(&Tab) -> u32| app.tabs.iter().map(count).sum::<u32>();
    let plain = |words: String| StatusSegment { words, style: Style::new(), needed: false, short: None };
    let loud = |words: String, style: Style| StatusSegment { words, style, needed: true, short: None };
    let asking =
        |words: String, short: String| StatusSegment { short: Some(short), ..loud(words, theme.error()) };
    let mut items = Vec::new();
    if let Some(seconds) = app.saving_for() {
        items.push(loud(format!(" · SAVING… {seconds}s"), theme.waiting()));
    }
    if app.unsaved_drafts() > 0 {
        items.push(loud(" · DRAFT NOT ON DISK".to_owned(), theme.error()));
    }
    let asks = sum(|it| it.counts.stopped);
    let open = app.key_of(Command::GoToOutbox);
    let outbox = format!(" · outbox {}", sum(|it| it.counts.outbox) + asks);
    match asks {
        0 => items.push(plain(outbox)),
        1 => items.push(asking(format!("{outbox} (1 needs you · {open})"), " · 1 needs you".to_owned())),
        asks => {
            items.push(asking(format!("{outbox} ({asks} need you · {open})"), format!(" · {asks} need you")));
        }
    }
    let unreadable = app.tabs.iter().map(Tab::unreadable_count).sum::<usize>();
    if unreadable > 0 {
        let (open, words) = (app.key_of(Command::ShowUnreadable), unreadable::words(unreadable));
        let long =
            StatusSegment { short: Some(format!(" · {words}")), ..loud(String::new(), theme.waiting()) };
        items.push(StatusSegment { words: format!(" · {words}: {open}"), ..long });
    }
    if let Some((letter, steps)) = app.is_recording() {
        let words = format!(" · RECORDING {letter}, {steps} · {} ends", app.key_of(Command::RecordMacro));
        items.push(loud(words, theme.waiting()));
    }
    if app.lease_waits() {
        items.push(loud(app.keyed(" · a pause is over · {show-paused}"), theme.waiting()));
    }
    if let Some(offered) = app.offered() {
        items.push(loud(format!(" · {} {offered}", app.key_from_here(Command::TakeOffer)), theme.strong()));
    }
    items.push(plain(format!(" · AI paused by you {}", sum(|it| it.counts.paused_here))));
    if let Some(batch) = app.batch.as_ref().filter(|it| it.is_under_way()) {
        let (finished, total) = batch.progress();
        items.push(loud(format!(" · {} {finished}/{total}", batch.wish.verb()), theme.waiting()));
    }
    if let Some(running) = &app.importing {
        let progress = &running.progress;
        let words = format!(" · import {}/{}", progress.done, progress.rows);
        let style = if progress.stopped.is_some() { theme.error() } else { theme.waiting() };
        items.push(loud(words, style));
    }
    let credits = tabs::credits(app);
    if with_credits && !credits.is_empty() {
        items.push(plain(format!(" · {credits}")));
    }
    if app.context.settings.demo {
        items.push(plain(" · demo".to_owned()));
    }
    let budget = app.tab().budget;
    if budget > 0 && app.notice.is_none() {
        items.push(plain(format!(" · key {budget}% of 300/min")));
    }
    items
}

/// Draws the hints: the keys of the focus, or the rest of a key sequence.
pub fn draw_hints(app: &App, theme: Theme, area: Area, buffer: &mut Buffer) {
    let mut x = area.x + 1;
    let end = area.x + area.width.saturating_sub(1);
    if let Some(words) = app.tutor_line() {
        paint::text(buffer, x, area.y, end - x, &words, theme.strong());
        return;
    }
    let wide = |key: &str, word: &str| paint::cells(&[(key, Style::new()), (word, Style::new())]) + 1;
    let hints = hints(app);
    let is_help = |word: &str| word == commands::row(Command::Help).word;
    // Whatever does not fit is in the help, so its key always does.
    let help = hints.iter().find(|(_, word)| is_help(word)).map_or(0, |(key, word)| wide(key, word) + 2);
    let mut left_out = false;
    for (key, word) in &hints {
        let kept = if is_help(word) { 0 } else { help };
        if x + wide(key, word) + kept > end || (left_out && !is_help(word)) {
            left_out = true;
            continue;
        }
        x += paint::text(buffer, x, area.y, end - x, key, theme.strong());
        x += 1;
        x += paint::text(buffer, x, area.y, end - x, word, theme.dim());
        x += 2;
    }
}

/// Keys and words, most useful first.
fn hints(app: &App) -> Vec<(String, &'static str)> {
    if app.layers.last() == Some(&Layer::Search) {
        return search::hints();
    }
    if let Some(Layer::List { kind: ListKind::Calls, .. }) = app.layers.last() {
        let words = app.calls_head().1.split(" · ");
        return words.filter_map(|it| it.split_once(' ')).map(|(key, word)| (key.to_owned(), word)).collect();
    }
    if !app.pressed.is_empty() {
        let mut hints = app.context.settings.keymap.continuations(&app.places(), &app.pressed);
        hints.push(("Esc".to_owned(), "cancel"));
        return hints;
    }
    let keymap = &app.context.settings.keymap;
    let acts = |it: &&Command| !keymap.keys(**it).is_empty() && !is_elsewhere(app, **it);
    let has_key = offered(app).iter().filter(acts);
    has_key.map(|it| (keymap.first(*it), word(app, *it))).collect()
}

/// Whether it never acts on this tab: its channel does not do it, or nothing
/// is changed from here.
fn is_elsewhere(app: &App, command: Command) -> bool {
    use Command as C;
    let tab = app.tab();
    let takes_over = matches!(command, C::PauseAi | C::HandBack | C::Close);
    let sends = matches!(command, C::Reply | C::Write | C::WriteNumber | C::Call);
    let reacts = matches!(command, C::React | C::RemoveReaction);
    let cannot = tab.platform().is_some_and(|it| it.is_chat() && !it.can_take_over());
    let is_off = (takes_over && cannot) || (tab.channel.read_only && (takes_over || sends || reacts));
    app.page == PageKind::Inbox && !app.everywhere && is_off
}

/// What a key does where it is pressed now.
fn word(app: &App, command: Command) -> &'static str {
    match command {
        Command::Close if app.tab().is_mail() => "archive",
        Command::Unseen if app.tab().is_mail() => "unread",
        Command::GoToRow if app.page == PageKind::Wall => "what failed",
        _ => commands::row(command).word,
    }
}

/// What is offered where rows of the outbox or drafts are shown.
fn offered_of_rows(app: &App, asks: bool) -> &'static [Command] {
    use Command as C;
    let several = availability::check(app, C::DecideAll).is_ok();
    match app.page {
        PageKind::Webhooks => {
            &[C::NewWebhook, C::RemoveWebhook, C::SearchRows, C::LeaveRows, C::GoToTab, C::Help, C::Quit]
        }
        PageKind::Account => &[C::SearchRows, C::LeaveRows, C::GoToTab, C::Help, C::Quit],
        PageKind::Broadcasts => broadcasts::HINTS,
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
fn offered(app: &App) -> &'static [Command] {
    use Command as C;
    let tab = app.tab();
    let asks = matches!(app.row_at_hand(), Some(row) if row.is_stopped());
    match tab.focus {
        _ if app.page != PageKind::Inbox => offered_of_rows(app, asks),
        _ if !tab.is_inbox() => &[C::NextTab, C::GoToTab, C::Refresh, C::Help, C::Quit],
        Focus::Composer if tab.writes_mail() => email::WRITING_HINTS,
        _ if tab.triage().is_some_and(Triage::is_over) => email::OVER_HINTS,
        Focus::List | Focus::History if tab.is_in_triage() => email::TRIAGE_HINTS,
        Focus::List if tab.is_mail() && !app.acts_on_marks() => email::LIST_HINTS,
        Focus::History if tab.is_mail() && !asks => email::HISTORY_HINTS,
        Focus::List if tab.is_phone() => {
            &[C::Open, C::Write, C::WriteNumber, C::Call, C::Raw, C::Undo, C::Help, C::Quit]
        }
        Focus::History if tab.is_phone() && !asks => {
            &[C::Write, C::Call, C::WriteNumber, C::WriteNote, C::Undo, C::Raw, C::Back, C::Help]
        }
        Focus::List if app.acts_on_marks() => &[
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
