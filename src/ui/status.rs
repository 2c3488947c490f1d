//! The last two lines: how things stand, and the keys of the focus.
//!
//! Knows nothing of what the keys do.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::app::App;
use crate::app::commands::{self, Command};
use crate::app::layout::Area;
use crate::app::pages::Page;
use crate::app::tab::{Focus, Tab};
use crate::app::wrap;
use crate::ui::connection;
use crate::ui::paint::{self, Run};
use crate::ui::tabs;
use crate::ui::theme::Theme;

/// Draws the status line: a notice while there is one, else how the tab
/// fares; behind it what is under way, where it fits.
pub fn draw_status(app: &App, theme: Theme, area: Area, buffer: &mut Buffer) {
    let x = area.x + 1;
    let width = area.width.saturating_sub(2);
    let under_way = under_way(app, theme, area.width < 100);
    let under_way: Vec<Run<'_>> = under_way.iter().map(|(words, style)| (words.as_str(), *style)).collect();
    if let Some(notice) = &app.notice {
        let style = if notice.warning { theme.waiting() } else { theme.strong() };
        let used = paint::text(buffer, x, area.y, width, &notice.text, style);
        let room = width.saturating_sub(used);
        if paint::cells(&under_way) <= room {
            paint::runs(buffer, x + used, area.y, room, &under_way);
        }
        return;
    }
    let tab = app.tab();
    let (health, style) = connection::words(&tab.health, app.now, app.settings.offset_minutes, theme);
    let used = paint::text(buffer, x, area.y, width, &health, style);
    let room = width.saturating_sub(used);
    let budget = if tab.budget > 0 { format!(" · key {}% of 300/min", tab.budget) } else { String::new() };
    let wide = u16::try_from(wrap::cells(&budget)).unwrap_or(0);
    // The budget gives way first.
    let budget = if paint::cells(&under_way) + wide <= room { budget } else { String::new() };
    let used = used + paint::text(buffer, x + used, area.y, room, &budget, Style::new());
    paint::runs(buffer, x + used, area.y, width.saturating_sub(used), &under_way);
}

/// What waits to leave and what asks, where no AI answers, and a slow disk.
fn under_way(app: &App, theme: Theme, with_credits: bool) -> Vec<(String, Style)> {
    let sum = |count: fn(&Tab) -> u32| app.tabs.iter().map(count).sum::<u32>();
    let plain = Style::new();
    let mut runs = Vec::new();
    if let Some(seconds) = app.saving_for() {
        runs.push((format!(" · SAVING… {seconds}s"), theme.waiting()));
    }
    if app.unsaved_drafts() > 0 {
        runs.push((" · DRAFT NOT ON DISK".to_owned(), theme.error()));
    }
    let asks = sum(|it| it.counts.stopped);
    runs.push((format!(" · outbox {}", sum(|it| it.counts.outbox) + asks), plain));
    match asks {
        0 => (),
        1 => runs.push((" (1 ASKS)".to_owned(), theme.error())),
        asks => runs.push((format!(" ({asks} ASK)"), theme.error())),
    }
    runs.push((format!(" · AI paused by you {}", sum(|it| it.counts.paused_here)), plain));
    let credits = tabs::credits(app);
    if with_credits && !credits.is_empty() {
        runs.push((format!(" · {credits}"), plain));
    }
    if app.settings.demo {
        runs.push((" · demo".to_owned(), plain));
    }
    runs
}

/// Draws the hints: the keys of the focus, or the rest of a key sequence.
pub fn draw_hints(app: &App, theme: Theme, area: Area, buffer: &mut Buffer) {
    let mut x = area.x + 1;
    let end = area.x + area.width.saturating_sub(1);
    for (key, word) in hints(app) {
        let wide = paint::cells(&[(key.as_str(), Style::new()), (word, Style::new())]) + 1;
        if x + wide > end {
            break;
        }
        x += paint::text(buffer, x, area.y, end - x, &key, theme.strong());
        x += 1;
        x += paint::text(buffer, x, area.y, end - x, word, theme.dim());
        x += 2;
    }
}

/// Keys and words, most useful first.
fn hints(app: &App) -> Vec<(String, &'static str)> {
    use Command as C;
    if !app.pressed.is_empty() {
        let mut hints = commands::continuations(&app.places(), &app.pressed);
        hints.push(("Esc".to_owned(), "cancel"));
        return hints;
    }
    let tab = app.tab();
    let asks = matches!(app.row_at_hand(), Some(row) if row.is_stopped());
    let list: &[Command] = match tab.focus {
        _ if app.page == Page::Outbox && asks => {
            &[C::DecideRow, C::DecideAll, C::GoToRow, C::AllTabs, C::LeaveRows, C::GoToTab, C::Help, C::Quit]
        }
        _ if app.page == Page::Outbox => {
            &[C::RowNow, C::RowBack, C::GoToRow, C::AllTabs, C::LeaveRows, C::GoToTab, C::Help, C::Quit]
        }
        _ if app.page == Page::Drafts => {
            &[C::GoToRow, C::AllTabs, C::LeaveRows, C::GoToTab, C::Help, C::Quit]
        }
        _ if !tab.is_inbox() => &[C::NextTab, C::GoToTab, C::Refresh, C::Help, C::Quit],
        Focus::List => &[
            C::Open,
            C::Reply,
            C::PauseAi,
            C::HandBack,
            C::Close,
            C::NextWaiting,
            C::CycleFilter,
            C::Undo,
            C::GoToTab,
            C::Help,
            C::Quit,
        ],
        Focus::History if asks => {
            &[C::Decide, C::Reply, C::PauseAi, C::HandBack, C::Undo, C::GoToOutbox, C::Back, C::Help]
        }
        Focus::History => &[
            C::Reply,
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
        ],
        Focus::Composer => &[C::Send, C::NewLine, C::UndoEdit, C::DeleteWord, C::Leave, C::HelpInText],
    };
    list.iter().map(|it| (commands::key_of(*it).to_owned(), commands::row(*it).word)).collect()
}
