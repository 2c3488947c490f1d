//! The attachment form, and the line about the attachment in the composer.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::Inbox;
use crate::command::Command;
use crate::components::paint_view::Run;
use crate::components::spoken::SpokenPage;
use crate::overlays::view::{Lines, OverlayView, blank_line, dialog, plain_line};
use crate::screens::composer::attachments::{AttachForm, AttachmentCheck};
use crate::tab::Tab;
use crate::theme_view::Theme;
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
    lines.push(match (&form.check, form.attachment()) {
        (AttachmentCheck::Rejected(why), _) => (SafeText::line(why).to_string(), theme.urgent()),
        (AttachmentCheck::Checking, _) => ("looking…".to_owned(), theme.dim()),
        (_, None) => {
            ("a path, such as ~/photos/bell.jpg, or an https link of your own".to_owned(), theme.dim())
        }
        (_, Some(thing)) => match form.rejection_reason(tab) {
            Some(why) => (SafeText::line(&why).to_string(), theme.urgent()),
            None => (SafeText::line(&thing.describe()).to_string(), Style::new()),
        },
    });
    let thing = form.attachment();
    lines.extend(
        thing
            .as_ref()
            .and_then(ReplyAttachment::delivery_warning)
            .map(|text| (text.to_owned(), theme.soon())),
    );
    lines.push(blank_line());
    if tab.compose_header().is_some() {
        lines.push(plain_line("Attached to the mail; the price stays the same."));
        lines.push(blank_line());
        let enter = if thing.is_some() { "attach" } else { "close" };
        lines.push((format!("[Enter] {enter}   [Tab] complete   [Esc] back"), theme.strong()));
        return lines;
    }
    let kind = thing.as_ref().map_or(MediaKind::Image, |thing| thing.kind);
    if let Some(thing) = &thing {
        let others = MediaKind::ALL
            .into_iter()
            .filter(|media_kind| *media_kind != kind && thing.can_send_as(*media_kind, tab.platform()));
        let others: Vec<&str> = others.map(MediaKind::word).collect();
        let key = inbox.context.settings.keymap.key_name_in_text(Command::Attach);
        let turn = if others.is_empty() { String::new() } else { format!(" · {key} changes: ") };
        lines.push(plain_line(format!("Sent as {}{turn}{}", kind.word(), others.join(", "))));
    }
    lines.extend(price_comparison(tab, theme, thing.as_ref(), kind));
    let caption = thing.as_ref().is_none_or(|thing| thing.allows_caption(tab.platform()));
    lines.push((
        if caption {
            "Caption: the text in the composer, at most 1024 characters."
        } else {
            "No captions for audio here: the text is sent as a second message."
        }
        .to_owned(),
        theme.dim(),
    ));
    lines.push(blank_line());
    let enter = if thing.is_some() { "attach" } else { "attach nothing" };
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

pub fn attachment_runs(tab: &Tab, theme: Theme, attachment: &ReplyAttachment) -> Vec<(String, Style)> {
    let mark = if theme.ascii { "+" } else { "▣" };
    let kind = attachment.kind.word();
    let name = SafeText::line(&attachment.describe());
    let mut runs = vec![(format!("{mark} [{kind}] "), theme.dim()), (name.to_string(), Style::new())];
    if let Some(why) = attachment.rejection_reason(tab.platform()) {
        runs.push((format!(" · {}", SafeText::line(&why)), theme.urgent()));
    }
    runs
}

/// Both prices, for the right end of that line.
pub fn describe_prices(theme: Theme, attachment: &ReplyAttachment) -> String {
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
