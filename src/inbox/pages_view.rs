//! Pages of tabs that are no inbox of conversations yet: what the key is
//! good for, said honestly.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::paint_view::Sides;
use crate::connection_view;
use crate::layout::Area;
use crate::theme_view::Theme;
use model::account::Platform;
use model::prices;

/// Draws the account page of the active tab.
pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) {
    let tab = inbox.desk.tab();
    let title = [(tab.channel.name.as_str(), theme.strong())];
    paint_view::frame(buffer, area, theme, true, Sides::All, (&title, &[]));
    let Some(account) = &tab.account else { return };
    let inner = area.inner();
    let place = Area {
        x: inner.x + 2,
        y: inner.y + 1,
        width: inner.width.saturating_sub(4),
        height: inner.height.saturating_sub(2),
    };
    let words = match &account.platform {
        Platform::Web => "This channel has no operations in the interface.",
        _ => "This version does not know this channel.",
    };
    let mut y = place.y + paint_view::paragraph(buffer, place, words, Style::new()) + 1;
    let (health, _) =
        connection_view::connection_label(&tab.health, inbox.context.now, &inbox.context.settings, theme);
    let facts = [
        ("workspace", account.workspace_name.as_ref().map(ToString::to_string)),
        ("assistant", account.assistant_name.as_ref().map(ToString::to_string)),
        ("channel", Some(account.platform.label().to_owned())),
        ("number", account.number.as_ref().map(ToString::to_string)),
        ("key", Some(account.environment.label().to_owned())),
        ("credits", Some(prices::format_balance(account.credits))),
        ("connection", Some(health)),
    ];
    for (label, words) in facts {
        let Some(words) = words.filter(|_| y < place.y + place.height) else { continue };
        paint_view::text(buffer, place.x, y, 12, label, theme.quiet());
        paint_view::text(buffer, place.x + 12, y, place.width.saturating_sub(12), &words, Style::new());
        y += 1;
    }
}
