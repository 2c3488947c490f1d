//! The composer with what stands on the key: LIVE or TEST, the price, the
//! balance after it, the count.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;
use ratatui::widgets::Widget;

use crate::Inbox;
use crate::command::Command;
use crate::components::paint_view;
use crate::components::paint_view::Sides;
use crate::connection_view;
use crate::layout::Area;
use crate::screens::composer::attachments_view;
use crate::screens::composer::pickers_view;
use crate::screens::composer::{Composer, ComposerMode};
use crate::screens::history::lines::HistoryItem;
use crate::screens::mail;
use crate::tab::{Focus, Tab};
use crate::tabs_view;
use crate::theme_view::Theme;
use crate::wrap;
use model::attachments::ReplyAttachment;
use model::conversations::ServiceWindow;
use model::counting::TextLength;
use model::news::Health;
use model::outbox::Operation;
use model::outbox::content::ChatContent;
use model::prices;
use model::time::SECOND;

/// Cells of a language's name on the key.
const LANGUAGE: usize = 20;

/// Draws the composer; if it has the keyboard, says where the cursor stands.
pub fn draw(inbox: &Inbox, theme: Theme, area: Area, buffer: &mut Buffer) -> Option<Position> {
    let tab = inbox.desk.tab();
    let composer = tab.composer.as_ref()?;
    let focused = tab.focus == Focus::Composer && inbox.context.layers.is_empty();
    if let Some(head) = tab.mail_head() {
        return mail::view::compose(inbox, theme, composer, head, area, buffer);
    }
    let note = composer.mode == ComposerMode::Note;
    let locked = if note { None } else { lock(tab) };
    let foot = foot(inbox, theme, composer, area, locked.is_some());
    border(inbox, theme, composer, (area, foot.keys.is_some()), buffer);
    bottom(theme, &foot, area, buffer);
    let mut inner = area.inner();
    if let Some(quoted) = quoted(tab).filter(|_| !note) {
        paint_view::text(buffer, inner.x, inner.y, inner.width, &quoted, theme.quiet());
        inner = Area { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
    }
    if let Some(attachment) = composer.attachment.as_ref().filter(|_| !note) {
        attached(tab, theme, attachment, inner, buffer);
        inner = Area { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
    }
    if composer.text().is_empty() && !focused {
        let words = match (locked.is_some(), composer.attachment.is_some()) {
            (true, _) => "",
            (false, true) => "{reply} to write its caption and send it",
            (false, false) => "{reply} to reply",
        };
        paint_view::text(buffer, inner.x, inner.y, inner.width, &inbox.context.keyed(words), theme.quiet());
        return None;
    }
    composer.area().render(paint_view::rect(inner), buffer);
    if !note {
        pickers_view::fields(buffer, inner, theme);
    }
    if note {
        let place = Area { height: inner.height, ..inner };
        buffer.set_style(paint_view::rect(place), theme.private_note());
    }
    focused.then(|| cursor(composer, inner))
}

/// The frame with what is written, and how long it is; the price, too, where
/// it is not said with the keys below.
fn border(
    inbox: &Inbox,
    theme: Theme,
    composer: &Composer,
    (area, keys_shown): (Area, bool),
    buffer: &mut Buffer,
) {
    let tab = inbox.desk.tab();
    let focused = tab.focus == Focus::Composer && inbox.context.layers.is_empty();
    if composer.mode == ComposerMode::Note {
        let left = [
            ("NOTE", theme.private_note().patch(theme.strong())),
            (" · private, never sent", theme.private_note()),
        ];
        let set = theme.note_border_set();
        return paint_view::frame_of(buffer, area, (set, theme.private_note()), Sides::Joined, (&left, &[]));
    }
    let count = tab.count_reply(composer);
    let (counted, count_style) = counted(theme, count);
    let right = [(counted.as_str(), count_style)];
    let (label, label_style) = tabs_view::environment(tab, theme);
    let price = if keys_shown { String::new() } else { price(tab) };
    let word = if composer.reply_to.is_some() { "Reply, quoting · " } else { "Reply · " };
    let locked = lock(tab);
    let mut left = Vec::new();
    if composer.shared {
        left.push(("also open in another window · ", theme.needs_a_person()));
    }
    match &locked {
        Some(why) => left.push((why.as_str(), theme.error())),
        None => left.extend([(word, theme.strong()), (label, label_style), (&price, Style::new())]),
    }
    paint_view::frame_of(buffer, area, tabs_view::line(tab, theme, focused), Sides::Joined, (&left, &right));
}

/// The count in words: from four fifths of the bound what is left, beyond it
/// what is too much.
fn counted(theme: Theme, count: TextLength) -> (String, Style) {
    let TextLength { length, limit: most, .. } = count;
    let mut words = format!("{length}/{most}");
    if count.escaped {
        words.push_str(" as sent");
    }
    if let Some(segments) = count.segments.filter(|segment| *segment > 0) {
        words.push_str(&format!(" · {segments} SMS"));
    }
    if count.is_over() {
        (format!("{words} · {} TOO LONG", length - most), theme.error())
    } else if count.is_near() {
        (format!("{words} · {} left", most - length), theme.needs_a_person())
    } else {
        (words, theme.quiet())
    }
}

/// What goes with the answer: what it is, and at the right what either way
/// costs.
fn attached(tab: &Tab, theme: Theme, attachment: &ReplyAttachment, area: Area, buffer: &mut Buffer) {
    let runs = attachments_view::chip(tab, theme, attachment);
    let runs = attachments_view::borrowed(&runs);
    let prices = attachments_view::chip_prices(theme, attachment);
    let right = [(prices.as_str(), theme.quiet())];
    let taken = paint_view::runs_right(buffer, area.x, area.y, area.width.saturating_sub(1), &right) + 2;
    paint_view::runs(buffer, area.x, area.y, area.width.saturating_sub(taken), &runs);
}

/// The cell of the cursor, inside the composer whatever it holds.
fn cursor(composer: &Composer, inner: Area) -> Position {
    let (row, column) = composer.cursor_cell();
    Position {
        x: inner.x + column.min(inner.width.saturating_sub(1)),
        y: inner.y + row.min(inner.height.saturating_sub(1)),
    }
}

/// What is on its way here: a file, or what a text waits for so that person
/// and AI do not cross.
fn guard(inbox: &Inbox, theme: Theme, tab: &Tab) -> Option<String> {
    let history = tab.history.as_ref()?;
    let row = history.row.as_ref()?;
    let percent =
        history.rows().find_map(|row| inbox.desk.uploads.get(&row.id).filter(|_| row.can_withdraw()));
    if let Some(percent) = percent {
        return Some(format!("uploading {}", attachments_view::progress(*percent, theme)));
    }
    let words = match row.automation_pending {
        Some(false) if history.switch_is_unclear() => "AI on or off? asking whether the pause came through…",
        Some(false) => "pausing the AI…",
        _ if history.has_due_text(inbox.context.now)
            && let Some(stop) = history.pause_asks() =>
        {
            if stop.is_ambiguous() {
                "is the AI off? not known, so the text waits: {decide} decides over the pause"
            } else {
                "the pause failed, so the text waits: {decide} decides over the pause"
            }
        }
        _ if row.paused_here && history.has_due_text(inbox.context.now) => {
            return Some(read_again(inbox, theme, tab));
        }
        _ => return None,
    };
    Some(inbox.context.keyed(words))
}

/// Why a text has not left that waits for its thread to be read again.
fn read_again(inbox: &Inbox, theme: Theme, tab: &Tab) -> String {
    let health =
        connection_view::connection_label(&tab.health, inbox.context.now, &inbox.context.settings, theme).0;
    match &tab.health {
        Health::Live { .. } => "reading the thread again…".to_owned(),
        Health::Connecting | Health::Silent { .. } => format!("reading the thread again: {health}"),
        Health::Offline { .. }
        | Health::Trouble { .. }
        | Health::Limited { .. }
        | Health::Refused { .. }
        | Health::Misconfigured { .. } => format!("the text waits for its thread to be read: {health}"),
    }
}

/// The price of a text and the balance, as the title of a composer at rest
/// tells them.
fn price(tab: &Tab) -> String {
    if tab.is_simulated() {
        return " · simulated, 0 credits".to_owned();
    }
    let cost = if tab.has_price() { tab.reply_price().1.describe() } else { "price unknown".to_owned() };
    match &tab.account {
        Some(account) => format!(" · {cost} · {} left", prices::format_balance(account.credits)),
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
    if row.conversation.window == ServiceWindow::Closed && awaits_reply(tab) {
        return Some(kept_draft_text(tab, "Template sent · waiting for a reply to reopen"));
    }
    if row.conversation.window == ServiceWindow::Closed {
        return Some(kept_draft_text(tab, "Window closed · only templates may be sent"));
    }
    None
}

/// Says of a draft, where there is one, that it is not lost.
fn kept_draft_text(tab: &Tab, words: &str) -> String {
    match tab.composer.as_ref().is_some_and(Composer::has_reply) {
        true => format!("{words} · draft kept"),
        false => words.to_owned(),
    }
}

/// Whether the newest that was said is a template.
fn awaits_reply(tab: &Tab) -> bool {
    let newest = tab
        .history
        .as_ref()
        .and_then(|history| history.items.iter().rev().find(|item| !matches!(item, HistoryItem::Note(_))));
    match newest {
        Some(HistoryItem::Message(row)) => row.sent_here && row.message.content_type == "template",
        Some(HistoryItem::Outbox(row, _)) => {
            matches!(row.operation, Operation::SendContent { content: ChatContent::Template(_), .. })
                && !row.is_stopped()
        }
        _ => false,
    }
}

/// The quoted message on one line.
fn quoted(tab: &Tab) -> Option<String> {
    let composer = tab.composer.as_ref()?;
    let reply_to = composer.reply_to.as_ref()?;
    let history = tab.history.as_ref()?;
    let row = history
        .items
        .iter()
        .filter_map(crate::screens::history::message_of)
        .find(|message_row| message_row.message.id == *reply_to)?;
    let words = row.message.content.as_str().replace('\n', " ");
    Some(wrap::cut(&format!("↪ {words}"), 300))
}

/// What stands on the bottom border.
struct Foot {
    /// What a text waits for.
    waits: String,
    /// The keys that matter here with what they cost; they give way where there
    /// is no room for both.
    keys: Option<(String, Style)>,
}

fn foot(inbox: &Inbox, theme: Theme, composer: &Composer, area: Area, locked: bool) -> Foot {
    let tab = inbox.desk.tab();
    let focused = tab.focus == Focus::Composer && inbox.context.layers.is_empty();
    let waits = guard(inbox, theme, tab).map_or_else(String::new, |guard| format!(" {guard} "));
    let room = usize::from(area.width.saturating_sub(2)).saturating_sub(wrap::cells(&waits));
    let keys = focused.then(|| keys(inbox, tab, composer, (locked, room), theme));
    Foot { keys: keys.filter(|(words, _)| waits.is_empty() || wrap::cells(words) <= room), waits }
}

fn bottom(theme: Theme, foot: &Foot, area: Area, buffer: &mut Buffer) {
    let y = area.y + area.height.saturating_sub(1);
    let width = area.width.saturating_sub(2);
    paint_view::runs_right(buffer, area.x + 1, y, width, &[(&foot.waits, theme.needs_a_person())]);
    if let Some((words, style)) = &foot.keys {
        paint_view::text(buffer, area.x + 1, y, width, words, *style);
    }
}

/// What Enter does and costs, and the other keys, in so many cells.
fn keys(
    inbox: &Inbox,
    tab: &Tab,
    composer: &Composer,
    (locked, room): (bool, usize),
    theme: Theme,
) -> (String, Style) {
    if composer.mode == ComposerMode::Note {
        let words = " {send} keeps the note here · {switch-mode} answer · {leave} leave ";
        return (inbox.context.keyed(words), theme.private_note());
    }
    if locked {
        let words = kept_draft_text(tab, " {menu} t template · {switch-mode} note · {leave} leave");
        return (format!("{} ", inbox.context.keyed(&words)), theme.quiet());
    }
    let (parts, price) = tab.reply_price();
    if let Some(why) = tab.cannot_pay(price) {
        return (format!(" cannot send: {why} · kept as a draft "), theme.error());
    }
    let price = tab.price_words(price);
    let send = inbox.context.key_of(Command::Send);
    if parts > 1 {
        return (format!(" {send} offers to split into {parts} messages · {price} "), theme.needs_a_person());
    }
    let held = match inbox.context.settings.hold / SECOND {
        0 => "at once".to_owned(),
        seconds => format!("held {seconds} s"),
    };
    let (more, leave) = (inbox.context.key_of(Command::Menu), inbox.context.key_of(Command::Leave));
    let (markup, turn) = match tab.markup_words() {
        Some(markup) => {
            (format!(" as {markup}"), format!("{} markup", inbox.context.key_of(Command::TurnMarkup)))
        }
        None => (String::new(), String::new()),
    };
    let language =
        composer.translated().map_or_else(String::new, |translated_reply| match &translated_reply.language {
            Some(language) => format!(" in {}", wrap::cut(language.as_str(), LANGUAGE)),
            None => " the translation".to_owned(),
        });
    let parts = [
        format!("{send} send{language}{markup}"),
        price,
        held,
        turn,
        format!("{more} more"),
        format!("{leave} leave"),
    ];
    (fitting(parts.to_vec(), &[2, 3, 4, 5], room), theme.quiet())
}

/// The parts in one line; of those that may go, as many as must, in their
/// order.
fn fitting(mut parts: Vec<String>, may_go: &[usize], room: usize) -> String {
    let line = |parts: &[String]| {
        let there: Vec<&str> = parts.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
        format!(" {} ", there.join(" · "))
    };
    for part in may_go {
        if wrap::cells(&line(&parts)) > room
            && let Some(part) = parts.get_mut(*part)
        {
            part.clear();
        }
    }
    line(&parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_less_gives_way() {
        let parts = ["Enter send", "1 credit", "held 5 s", "F3 HTML", "Esc leave"].map(str::to_owned);
        let cases = [
            (80, " Enter send · 1 credit · held 5 s · F3 HTML · Esc leave "),
            (50, " Enter send · 1 credit · F3 HTML · Esc leave "),
            (30, " Enter send · 1 credit · Esc leave "),
        ];
        for (room, expected) in cases {
            assert_eq!(fitting(parts.to_vec(), &[2, 3], room), expected);
        }
    }
}
