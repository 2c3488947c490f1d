//! The last two lines: how things stand, and the keys of the focus.
//!
//! Knows nothing of what the keys do.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::app::App;
use crate::app::commands::{self, Command};
use crate::app::layout::Area;
use crate::app::tab::{Focus, Tab};
use crate::app::wrap;
use crate::model::news::Health;
use crate::model::time::{SECOND, short_span};
use crate::ui::paint;
use crate::ui::tabs;
use crate::ui::theme::Theme;

/// Draws the status line: a notice while there is one, else how the tab
/// fares; behind it what is under way, where it fits.
pub fn draw_status(app: &App, theme: Theme, area: Area, buffer: &mut Buffer) {
    let x = area.x + 1;
    let width = area.width.saturating_sub(2);
    let under_way = under_way(app, area.width < 100);
    if let Some(notice) = &app.notice {
        let style = if notice.warning { theme.waiting() } else { theme.strong() };
        let used = paint::text(buffer, x, area.y, width, &notice.text, style);
        let room = width.saturating_sub(used);
        if wrap::cells(&under_way) <= usize::from(room) {
            paint::text(buffer, x + used, area.y, room, &under_way, theme.dim());
        }
        return;
    }
    let tab = app.tab();
    let (health, style) = health(app, theme, tab);
    let used = paint::text(buffer, x, area.y, width, &health, style);
    let budget = if tab.budget > 0 { format!(" · key {}% of 300/min", tab.budget) } else { String::new() };
    let words = format!("{budget}{under_way}");
    paint::text(buffer, x + used, area.y, width.saturating_sub(used), &words, Style::new());
}

/// What waits to leave, what could not, and where no AI answers.
fn under_way(app: &App, with_credits: bool) -> String {
    let sum = |count: fn(&Tab) -> u32| app.tabs.iter().map(count).sum::<u32>();
    let mut words = format!(" · outbox {}", sum(|it| it.counts.outbox));
    let stopped = sum(|it| it.counts.stopped);
    if stopped > 0 {
        words.push_str(&format!(" · {stopped} NOT SENT"));
    }
    words.push_str(&format!(" · AI paused by you {}", sum(|it| it.counts.paused_here)));
    let credits = tabs::credits(app);
    if with_credits && !credits.is_empty() {
        words.push_str(&format!(" · {credits}"));
    }
    if app.settings.demo {
        words.push_str(" · demo");
    }
    words
}

/// How the tab's connection fares, in words.
fn health(app: &App, theme: Theme, tab: &Tab) -> (String, Style) {
    let offset = app.settings.offset_minutes;
    match &tab.health {
        Health::Connecting => ("connecting".to_owned(), theme.dim()),
        Health::Live { at } => match app.now.since(*at) {
            age if age < 20 * SECOND => ("live".to_owned(), theme.own()),
            age => (format!("last answer {} ago", short_span(age)), theme.waiting()),
        },
        Health::Offline { since, why } => {
            (format!("OFFLINE since {}: {why}", since.clock_face(offset)), theme.error())
        }
        Health::Trouble { since, why } => {
            (format!("SERVER TROUBLE since {}: {why}", since.clock_face(offset)), theme.error())
        }
        Health::Limited { until } => {
            let seconds = (until.since(app.now) / SECOND + 1).max(1);
            (format!("asked to wait {seconds} s by the server"), theme.waiting())
        }
        Health::Refused { code, why } => (format!("KEY NOT TAKEN: {code}: {why}"), theme.error()),
        Health::Misconfigured { why } => (format!("CANNOT WORK: {why}"), theme.error()),
    }
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
        return vec![("g".to_owned(), "top"), ("n".to_owned(), "first unseen"), ("Esc".to_owned(), "cancel")];
    }
    let tab = app.tab();
    let list: &[Command] = match tab.focus {
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
