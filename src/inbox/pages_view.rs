//! Pages of tabs without conversations: the capabilities of the key.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::components::paint_view;
use crate::components::paint_view::Sides;
use crate::components::spoken::SpokenPage;
use crate::connection_state;
use crate::layout::Area;
use crate::theme_view::Theme;
use model::account::{Account, Platform};
use model::prices;

/// Returns the text of the page for plain mode.
pub(crate) fn describe(inbox: &Inbox) -> SpokenPage {
    let tab = inbox.desk.tab();
    let page = SpokenPage::new([&tab.channel.name]);
    let Some(account) = &tab.account else { return page };
    let page = page.text(explain_platform(&account.platform));
    account_facts(inbox, account)
        .into_iter()
        .fold(page, |page, (label, words)| page.text(format!("{label} {words}")))
}

fn explain_platform(platform: &Platform) -> &'static str {
    match platform {
        Platform::Web => "Nothing can be shown or done on this channel.",
        _ => "Unknown kind of channel. A newer frontdesk may know it.",
    }
}

/// Labels and texts; facts that are not known are left out.
fn account_facts(inbox: &Inbox, account: &Account) -> Vec<(&'static str, String)> {
    let tab = inbox.desk.tab();
    let (health, _) =
        connection_state::connection_label(&tab.health, inbox.context.now, &inbox.context.settings);
    let facts = [
        ("workspace", account.workspace_name.as_ref().map(ToString::to_string)),
        ("assistant", account.assistant_name.as_ref().map(ToString::to_string)),
        ("channel", Some(account.platform.label().to_owned())),
        ("number", account.number.as_ref().map(ToString::to_string)),
        ("key", Some(account.environment.label().to_owned())),
        ("credits", Some(prices::format_balance(account.credits))),
        ("connection", Some(health)),
    ];
    facts.into_iter().filter_map(|(label, words)| Some((label, words?))).collect()
}

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
    let words = explain_platform(&account.platform);
    let top = place.y + paint_view::paragraph(buffer, place, words, Style::new()) + 1;
    for (y, (label, words)) in (top..place.y + place.height).zip(account_facts(inbox, account)) {
        paint_view::text(buffer, place.x, y, 12, label, theme.dim());
        paint_view::text(buffer, place.x + 12, y, place.width.saturating_sub(12), &words, Style::new());
    }
}
