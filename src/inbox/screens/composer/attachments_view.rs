//! The form in which a file or link is named, and the line that says what
//! goes with an answer.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::command::Command;
use crate::components::paint_view::Run;
use crate::overlays::view::{Lines, OverlayView, dialog, gap, plain};
use crate::screens::composer::attachments::{AttachForm, AttachmentCheck};
use crate::tab::Tab;
use crate::theme_view::Theme;
use model::attachments::{self, AttachmentSource, ReplyAttachment};
use model::outbox::content::MediaKind;
use model::prices::{self, Price};
use model::text::SafeText;

/// Cells of a typed path that are shown; its end is what is being typed.
const SHOWN: usize = 64;
/// Tenths of a bar.
const BAR: u8 = 10;

impl OverlayView for AttachForm {
    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        dialog(inbox, theme, "Attach a file or a link", &form(inbox, theme, self), buffer);
        None
    }
}

fn form(inbox: &Inbox, theme: Theme, form: &AttachForm) -> Lines {
    let tab = inbox.desk.tab();
    let cursor = if theme.ascii { "_" } else { "▏" };
    let (before, after) = (SafeText::line(form.line.before()), SafeText::line(form.line.after()));
    let skip = before.as_str().chars().count().saturating_sub(SHOWN);
    let before: String = before.as_str().chars().skip(skip).collect();
    let mut lines = vec![plain(format!("{before}{cursor}{after}"))];
    lines.push(match (&form.found, form.thing()) {
        (AttachmentCheck::Wrong(why), _) => (SafeText::line(why).to_string(), theme.error()),
        (AttachmentCheck::Looking, _) => ("looking…".to_owned(), theme.quiet()),
        (_, None) => {
            ("a path, such as ~/photos/bell.jpg, or an https link of your own".to_owned(), theme.quiet())
        }
        (_, Some(thing)) => match form.refusal(tab) {
            Some(why) => (SafeText::line(&why).to_string(), theme.error()),
            None => (SafeText::line(&thing.describe()).to_string(), theme.own()),
        },
    });
    let thing = form.thing();
    lines.extend(
        thing
            .as_ref()
            .and_then(ReplyAttachment::delivery_warning)
            .map(|text| (text.to_owned(), theme.needs_a_person())),
    );
    lines.push(gap());
    if tab.mail_head().is_some() {
        lines.push(plain("It goes with the mail, whose price stays the same."));
        lines.push(gap());
        let enter = if thing.is_some() { "attaches, sends nothing" } else { "closes" };
        lines.push((format!("[Enter] {enter}   [Tab] completes   [Esc] back"), theme.strong()));
        return lines;
    }
    let kind = thing.as_ref().map_or(MediaKind::Image, |thing| thing.kind);
    if let Some(thing) = &thing {
        let others = MediaKind::ALL
            .into_iter()
            .filter(|media_kind| *media_kind != kind && thing.can_send_as(*media_kind, tab.platform()));
        let others: Vec<&str> = others.map(MediaKind::word).collect();
        let key = inbox.context.settings.keymap.named_in_text(Command::Attach);
        let turn = if others.is_empty() { String::new() } else { format!(" · {key} changes: ") };
        lines.push(plain(format!("Sent as {}{turn}{}", kind.word(), others.join(", "))));
    }
    lines.extend(prices_beside(tab, theme, thing.as_ref(), kind));
    let caption = thing.as_ref().is_none_or(|thing| thing.allows_caption(tab.platform()));
    lines.push((
        if caption {
            "The text in the composer is its caption, 1024 characters at most."
        } else {
            "Sound takes no caption here: the text in the composer is a message after it."
        }
        .to_owned(),
        theme.quiet(),
    ));
    lines.push(gap());
    let enter = if thing.is_some() { "attaches, sends nothing" } else { "without a path attaches nothing" };
    if !form.shelf.is_empty() {
        let names: Vec<&str> = form.shelf.iter().take(3).map(ReplyAttachment::name).collect();
        let more = if form.shelf.len() > 3 { ", …" } else { "" };
        let words = format!("[Up] [Down] uploaded before: {}{more}", SafeText::line(&names.join(", ")));
        lines.push((words, theme.strong()));
    }
    lines.push((format!("[Enter] {enter}   [Tab] completes   [Esc] back"), theme.strong()));
    lines
}

/// Both ways with their prices; that of the current thing stands out.
fn prices_beside(tab: &Tab, theme: Theme, thing: Option<&ReplyAttachment>, kind: MediaKind) -> Lines {
    let uploaded = attachments::upload_price(kind);
    let own = Price::exactly(prices::LINKED_MEDIA_CREDITS);
    let is_own = thing.map(|thing| matches!(thing.source, AttachmentSource::Link(_)));
    let line = |words: &str, price: Price, chosen: Option<bool>| {
        let mark = if chosen == Some(true) { theme.mark() } else { " " };
        let style = if chosen == Some(true) { theme.strong() } else { Style::new() };
        (format!("{mark} {words:<26}{}", tab.price_words(price)), style)
    };
    let beside = if thing.is_none() && kind == MediaKind::Image {
        format!("; a video {}", attachments::upload_price(MediaKind::Video).describe())
    } else {
        String::new()
    };
    let (first, style) = line("a file, uploaded for free", uploaded, is_own.map(|entry| !entry));
    vec![(format!("{first}{beside}"), style), line("your own link, any type", own, is_own)]
}

/// What goes with the answer, on one line of the composer.
pub fn chip(tab: &Tab, theme: Theme, attachment: &ReplyAttachment) -> Vec<(String, Style)> {
    let mark = if theme.ascii { "+" } else { "▣" };
    let kind = attachment.kind.word();
    let name = SafeText::line(&attachment.describe());
    let mut runs = vec![(format!("{mark} [{kind}] "), theme.own()), (name.to_string(), Style::new())];
    if let Some(why) = attachment.rejection_reason(tab.platform()) {
        runs.push((format!(" · {}", SafeText::line(&why)), theme.error()));
    }
    runs
}

/// Both prices for the right end of that line.
pub fn chip_prices(theme: Theme, attachment: &ReplyAttachment) -> String {
    let (own, uploaded) =
        (prices::LINKED_MEDIA_CREDITS, attachments::upload_price(attachment.kind).describe());
    let bar = if theme.ascii { "|" } else { "│" };
    match attachment.source {
        AttachmentSource::Link(_) => format!("own link {own} {bar} uploaded {uploaded}"),
        AttachmentSource::File(_) | AttachmentSource::Uploaded(_) => {
            format!("uploaded {uploaded} {bar} own link {own}")
        }
    }
}

/// Runs as the strokes take them.
pub fn borrowed(runs: &[(String, Style)]) -> Vec<Run<'_>> {
    runs.iter().map(|(words, style)| (words.as_str(), *style)).collect()
}

/// How far a file has come, as a bar and a number.
pub fn progress(percent: u8, theme: Theme) -> String {
    let done = usize::from(percent.min(100) / (100 / BAR));
    let left = usize::from(BAR) - done;
    let (full, empty) = if theme.ascii { ("#", ".") } else { ("▰", "▱") };
    format!("{}{} {percent} %", full.repeat(done), empty.repeat(left))
}
