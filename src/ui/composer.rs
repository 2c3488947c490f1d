//! The composer with what stands on the key: LIVE or TEST, the price, the
//! balance, the count.
//!
//! Knows nothing of editing.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;
use ratatui::widgets::Widget;

use crate::app::App;
use crate::app::composer::Composer;
use crate::app::layout::Area;
use crate::app::tab::{Focus, Tab};
use crate::app::wrap;
use crate::model::account::Environment;
use crate::model::bounds;
use crate::model::conversations::ServiceWindow;
use crate::model::prices;
use crate::model::time::SECOND;
use crate::ui::paint::{self, Sides};
use crate::ui::tabs;
use crate::ui::theme::Theme;

/// Draws the composer; if it has the keyboard, says where the cursor stands.
pub fn draw(app: &App, theme: Theme, area: Area, buffer: &mut Buffer) -> Option<Position> {
    let tab = app.tab();
    let composer = tab.composer.as_ref()?;
    let focused = tab.focus == Focus::Composer && app.layers.is_empty();
    let (label, label_style) = tabs::environment(tab, theme);
    let price = price(tab);
    let locked = lock(tab);
    let length = tab.counted_length(&composer.text());
    let count = format!("{length}/{}", bounds::TEXT);
    let count_style = if length > bounds::TEXT { theme.error() } else { theme.dim() };
    let word = if composer.reply_to.is_some() { "Reply, quoting · " } else { "Reply · " };
    match &locked {
        Some(why) => {
            let left = [(why.as_str(), theme.error())];
            paint::frame(buffer, area, theme, focused, Sides::Joined, (&left, &[(&count, count_style)]));
        }
        None => {
            let left = [(word, theme.strong()), (label, label_style), (&price, Style::new())];
            paint::frame(buffer, area, theme, focused, Sides::Joined, (&left, &[(&count, count_style)]));
        }
    }
    bottom(app, theme, area, focused, locked.is_some(), buffer);
    let mut inner = area.inner();
    if let Some(quoted) = quoted(tab) {
        paint::text(buffer, inner.x, inner.y, inner.width, &quoted, theme.dim());
        inner = Area { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
    }
    if composer.text().is_empty() && !focused {
        let words = if locked.is_some() { "" } else { "r to reply" };
        paint::text(buffer, inner.x, inner.y, inner.width, words, theme.dim());
        return None;
    }
    composer.area().render(paint::rect(inner), buffer);
    focused.then(|| cursor(composer, inner))
}

/// The cell of the cursor, inside the composer whatever it holds.
fn cursor(composer: &Composer, inner: Area) -> Position {
    let (row, column) = composer.cursor_cell();
    Position {
        x: inner.x + column.min(inner.width.saturating_sub(1)),
        y: inner.y + row.min(inner.height.saturating_sub(1)),
    }
}

/// What a text waits for so that person and AI do not cross.
fn guard(app: &App, tab: &Tab) -> Option<&'static str> {
    let history = tab.history.as_ref()?;
    let row = history.row.as_ref()?;
    match row.automation_pending {
        Some(false) if history.switch_is_unclear() => {
            Some("AI unknown: asking whether the pause came through…")
        }
        Some(false) => Some("pausing the AI…"),
        _ if history.pause_asks() && history.has_due_text(app.now) => {
            Some("the pause failed, so the text waits: a decides over the pause")
        }
        _ if row.paused_here && history.has_due_text(app.now) => Some("reading the thread again…"),
        _ => None,
    }
}

/// The price of a text and the balance, as the title tells them.
fn price(tab: &Tab) -> String {
    if tab.environment() == Some(Environment::Test) {
        return " · simulated, 0 credits".to_owned();
    }
    let cost = if prices::TEXT == 1 { "1 credit".to_owned() } else { format!("{} credits", prices::TEXT) };
    match &tab.account {
        Some(account) => format!(" · {cost} · {} left", tabs::number(account.credits)),
        None => format!(" · {cost}"),
    }
}

/// Why nothing can be sent from here; the draft is kept all the same.
fn lock(tab: &Tab) -> Option<String> {
    if tab.channel.read_only {
        return Some("read-only · nothing can be sent".to_owned());
    }
    let row = tab.history.as_ref()?.row.as_ref()?;
    if row.conversation.address.is_none() {
        return Some("no address to answer to".to_owned());
    }
    if row.conversation.window == ServiceWindow::Closed {
        return Some("Window closed · only templates may be sent · draft kept".to_owned());
    }
    None
}

/// The quoted message on one line.
fn quoted(tab: &Tab) -> Option<String> {
    let composer = tab.composer.as_ref()?;
    let reply_to = composer.reply_to.as_ref()?;
    let history = tab.history.as_ref()?;
    let row = history
        .items
        .iter()
        .filter_map(crate::app::history::message_of)
        .find(|it| it.message.id == *reply_to)?;
    let words = row.message.content.as_str().replace('\n', " ");
    Some(wrap::cut(&format!("↪ {words}"), 300))
}

/// On the bottom border: the keys that matter here, and what a text waits
/// for, which goes before the keys where there is no room for both.
fn bottom(app: &App, theme: Theme, area: Area, focused: bool, locked: bool, buffer: &mut Buffer) {
    let y = area.y + area.height.saturating_sub(1);
    let width = area.width.saturating_sub(2);
    let waits = guard(app, app.tab()).map_or_else(String::new, |it| format!(" {it} "));
    let taken = paint::runs_right(buffer, area.x + 1, y, width, &[(&waits, theme.waiting())]);
    let words = match (locked, app.settings.hold / SECOND) {
        (true, _) => " Esc leave, draft kept ".to_owned(),
        (false, 0) => " Enter send at once · Ctrl-J new line · Esc leave ".to_owned(),
        (false, seconds) => format!(" Enter send, held {seconds} s · Ctrl-J new line · Esc leave "),
    };
    let fits = wrap::cells(&words) <= usize::from(width.saturating_sub(taken));
    if focused && (taken == 0 || fits) {
        paint::text(buffer, area.x + 1, y, width, &words, theme.dim());
    }
}
