//! The attachment form, and the line about the attachment in the composer.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::command::Command;
use crate::components::paint_view::Run;
use crate::components::spoken::SpokenPage;
use crate::overlays::view::{Lines, OverlayView, blank_line, dialog, plain_line};
use crate::screens::composer::attachments as composer_attachments;
use crate::screens::composer::attachments::{AttachForm, AttachmentCheck};
use crate::tab::Tab;
use crate::theme_view::Theme;
use crate::wrap;
use model::attachments::{self, AttachmentSource, ReplyAttachment};
use model::outbox::content::MediaKind;
use model::prices::{self, Price};
use model::text::SafeText;

const TITLE: &str = "Attach a file or a link";
/// Characters shown of the path before the cursor.
const MAX_PATH_CHARS: usize = 64;
/// Width of a progress bar, in cells.
const PROGRESS_WIDTH: u8 = 10;

impl OverlayView for AttachForm {
    fn describe(&self, inbox: &Inbox) -> SpokenPage {
        let path = SafeText::line(self.line.text());
        let page = SpokenPage::new([TITLE]).chosen_row(&format!("path or link {path}"));
        // The first line is the path.
        let lines = form_lines(inbox, Theme::PLAIN, self).into_iter().skip(1);
        lines.fold(page, |page, (words, _)| match words.starts_with('[') {
            true => page.key_line(words.replace("   ", ", ")),
            false => page.text(words),
        })
    }

    fn draw(&self, inbox: &Inbox, theme: Theme, buffer: &mut Buffer) -> Option<Position> {
        dialog(inbox, theme, TITLE, &form_lines(inbox, theme, self), buffer);
        None
    }
}

fn form_lines(inbox: &Inbox, theme: Theme, form: &AttachForm) -> Lines {
    let tab = inbox.desk.tab();
    let cursor = if theme.ascii { "_" } else { "▏" };
    let (before, after) = (SafeText::line(form.line.before()), SafeText::line(form.line.after()));
    let skip = before.as_str().chars().count().saturating_sub(MAX_PATH_CHARS);
    let before: String = before.as_str().chars().skip(skip).collect();
    let mut lines = vec![plain_line(format!("{before}{cursor}{after}"))];
    let found = form.attachments();
    lines.push(match (&form.check, found.as_slice()) {
        (AttachmentCheck::Rejected(why), _) => (SafeText::line(why).to_string(), theme.urgent()),
        (AttachmentCheck::Checking, _) => ("looking…".to_owned(), theme.dim()),
        (_, []) => {
            let words = "a path, such as ~/photos/bell.jpg or ~/photos/*.jpg, or an https link";
            (words.to_owned(), theme.dim())
        }
        (_, found) => match form.rejection_reason(tab) {
            Some(why) => (SafeText::line(&why).to_string(), theme.urgent()),
            None if found.len() == 1 => (SafeText::line(&found[0].describe()).to_string(), Style::new()),
            None => {
                let names = SafeText::line(&attachments::describe_all(found));
                (wrap::cut(names.as_str(), MAX_PATH_CHARS), Style::new())
            }
        },
    });
    let warning = found.iter().find_map(ReplyAttachment::delivery_warning);
    lines.extend(warning.map(|text| (text.to_owned(), theme.soon())));
    lines.push(blank_line());
    if tab.compose_header().is_some() {
        lines.push(plain_line("Attached to the mail; the price stays the same."));
        lines.push(blank_line());
        let enter = if found.is_empty() { "close" } else { "attach" };
        lines.push((format!("[Enter] {enter}   [Tab] complete   [Esc] back"), theme.strong()));
        return lines;
    }
    let key = inbox.context.settings.keymap.key_name_in_text(Command::Attach);
    match found.as_slice() {
        [] => lines.extend(price_comparison(tab, theme, None, MediaKind::Image)),
        [thing] => {
            let kind = thing.kind;
            let others = MediaKind::ALL
                .into_iter()
                .filter(|media_kind| *media_kind != kind && tab.can_send_as(thing, *media_kind));
            let others: Vec<&str> = others.map(MediaKind::label).collect();
            let turn = if others.is_empty() { String::new() } else { format!(" · {key} changes: ") };
            lines.push(plain_line(format!("Sent as {}{turn}{}", kind.label(), others.join(", "))));
            lines.extend(price_comparison(tab, theme, Some(thing), kind));
        }
        several => {
            let (kinds, turn) = match form.kind {
                Some(kind) => (kind.label().to_owned(), "as their own kinds"),
                None => (kinds_of(several), "all as documents"),
            };
            let count = several.len();
            lines.push(plain_line(format!("{count} messages, sent as {kinds} · {key} changes: {turn}")));
            let price = tab.describe_price(attachments::total_price(several));
            lines.push((format!("Together {price}"), theme.strong()));
        }
    }
    let is_sticker = found.first().is_some_and(|first| first.kind == MediaKind::Sticker);
    let caption = found.first().is_none_or(|first| first.allows_caption(tab.platform()));
    lines.push((
        match (caption, found.len()) {
            (true, ..=1) => "Caption: the text in the composer, at most 1024 characters.",
            (true, _) => "Caption of the first: the text in the composer, at most 1024 characters.",
            (false, ..=1) if is_sticker => "A sticker has no caption: the text is sent as a second message.",
            (false, _) if is_sticker => "A sticker has no caption: the text is sent as the last message.",
            (false, ..=1) => "No captions for sound here: the text is sent as a second message.",
            (false, _) => "No captions for sound here: the text is sent as the last message.",
        }
        .to_owned(),
        theme.dim(),
    ));
    lines.push(blank_line());
    let enter = if found.is_empty() { "attach nothing" } else { "attach" };
    if !inbox.context.settings.record_command.is_empty() {
        lines.push(("[Ctrl-R] record a voice note; Ctrl-C ends it".to_owned(), theme.strong()));
    }
    if !form.uploaded_files.is_empty() {
        let names: Vec<&str> = form.uploaded_files.iter().take(3).map(ReplyAttachment::name).collect();
        let more = if form.uploaded_files.len() > 3 { ", …" } else { "" };
        let words = format!("[Up] [Down] uploaded before: {}{more}", SafeText::line(&names.join(", ")));
        lines.push((words, theme.strong()));
    }
    lines.push((format!("[Enter] {enter}   [Tab] complete   [Esc] back"), theme.strong()));
    lines
}

/// Prices of uploading and of linking, with the current way highlighted.
fn price_comparison(tab: &Tab, theme: Theme, thing: Option<&ReplyAttachment>, kind: MediaKind) -> Lines {
    let uploaded = attachments::upload_price(kind);
    let own = Price::exactly(prices::LINKED_MEDIA_CREDITS);
    let is_own = thing.map(|thing| matches!(thing.source, AttachmentSource::Link(_)));
    let line = |words: &str, price: Price, chosen: Option<bool>| {
        let mark = if chosen == Some(true) { theme.selection_mark() } else { " " };
        let style = if chosen == Some(true) { theme.strong() } else { Style::new() };
        (format!("{mark} {words:<26}{}", tab.describe_price(price)), style)
    };
    let beside = if thing.is_none() && kind == MediaKind::Image {
        format!("; a video {}", attachments::upload_price(MediaKind::Video).describe())
    } else {
        String::new()
    };
    let (first, style) = line("a file, uploaded for free", uploaded, is_own.map(|entry| !entry));
    vec![(format!("{first}{beside}"), style), line("your own link, any type", own, is_own)]
}

/// Kinds in their order, `image, video`.
fn kinds_of(attached: &[ReplyAttachment]) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    for attachment in attached {
        if !kinds.contains(&attachment.kind.label()) {
            kinds.push(attachment.kind.label());
        }
    }
    kinds.join(", ")
}

pub fn attachment_runs(tab: &Tab, theme: Theme, attached: &[ReplyAttachment]) -> Vec<(String, Style)> {
    let mark = if theme.ascii { "+" } else { "▣" };
    let label = match attached {
        [one] => format!("{mark} [{}] ", one.kind.label()),
        several => format!("{mark} {} files: ", several.len()),
    };
    let name = SafeText::line(&attachments::describe_all(attached));
    let mut runs = vec![(label, theme.dim()), (name.to_string(), Style::new())];
    if let Some(why) = composer_attachments::rejection_of_all(attached, tab.platform()) {
        runs.push((format!(" · {}", SafeText::line(&why)), theme.urgent()));
    }
    runs
}

/// Both prices of an attachment or the price of several, for the right end of that line.
pub fn describe_prices(theme: Theme, attached: &[ReplyAttachment]) -> String {
    let [attachment] = attached else { return attachments::total_price(attached).describe() };
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

pub fn as_runs(runs: &[(String, Style)]) -> Vec<Run<'_>> {
    runs.iter().map(|(words, style)| (words.as_str(), *style)).collect()
}

pub fn progress_bar(percent: u8, theme: Theme) -> String {
    let done = usize::from(percent.min(100) / (100 / PROGRESS_WIDTH));
    let left = usize::from(PROGRESS_WIDTH) - done;
    let (full, empty) = if theme.ascii { ("#", ".") } else { ("▰", "▱") };
    format!("{}{} {percent} %", full.repeat(done), empty.repeat(left))
}
