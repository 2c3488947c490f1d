//! Files and links attached to a reply: the form that names them, their kinds and prices, and sending them.
//! Each is a message of its own, in order; the text is the caption of the first.

use crate::Inbox;
use crate::changes::Changes;
use crate::command::Command;
use crate::components::text_line::TextLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load, SyncOrder};
use crate::outside::OutsideRequest;
use crate::screens::composer::typing;
use crate::screens::composer::{Composer, ComposerMode};
use crate::tab::Tab;
use model::account::Platform;
use model::attachments::{self, ReplyAttachment};
use model::bounds;
use model::counting::TextLength;
use model::email::attached::{DraftFile, describe_excess};
use model::ids::{ChannelId, RowId};
use model::links;
use model::outbox::Operation;
use model::outbox::content::MediaKind;
use model::prices::{self, Price};
use model::text;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AttachmentCheck {
    #[default]
    Empty,
    Checking,
    /// Can be sent, as far as this desk knows; at least one.
    Sendable(Vec<ReplyAttachment>),
    Rejected(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AttachForm {
    pub line: TextLine,
    pub check: AttachmentCheck,
    /// Kind the user chose for all, overriding the detected ones.
    pub kind: Option<MediaKind>,
    /// Completed path, if there is only one completion.
    pub(super) completion: Option<String>,
    /// Files already uploaded to the service.
    pub uploaded_files: Vec<ReplyAttachment>,
    picked_index: Option<usize>,
    /// Pasted text this path came from; it returns to the reply if nothing is attached.
    pub(super) pasted_text: Option<String>,
}

impl AttachForm {
    /// Returns what can be sent, with the chosen kind; empty before it is checked.
    pub fn attachments(&self) -> Vec<ReplyAttachment> {
        let AttachmentCheck::Sendable(found) = &self.check else { return Vec::new() };
        let with_kind = |found: &ReplyAttachment| ReplyAttachment {
            kind: self.kind.unwrap_or(found.kind),
            source: found.source.clone(),
        };
        found.iter().map(with_kind).collect()
    }

    /// Returns the reason why they cannot go with the current reply or mail.
    pub fn rejection_reason(&self, tab: &Tab) -> Option<String> {
        let found = self.attachments();
        let Some(head) = tab.compose_header() else { return rejection_of_all(&found, tab.platform()) };
        let documents: Vec<ReplyAttachment> = found
            .into_iter()
            .map(|attachment| ReplyAttachment { kind: MediaKind::Document, ..attachment })
            .collect();
        let refused = documents.iter().find_map(|document| document.rejection_reason(tab.platform()));
        let added = documents.iter().map(to_draft_file).collect();
        refused.or_else(|| describe_excess(&[head.files.clone(), added].concat()))
    }

    /// Inserts a paste: paths are added to those that were found, or replace the line; other text is
    /// inserted.
    pub(super) fn insert_pasted(&mut self, outside: &str) {
        let cleaned = text::clean_pasted(outside);
        let path = attachments::parse_pasted_path(outside).filter(|_| !attachments::is_path_list(outside));
        let pasted = match &path {
            Some(path) => attachments::quote_path(path),
            None if attachments::is_path_list(outside) => cleaned.trim().to_owned(),
            None => return self.line.insert(cleaned.trim()),
        };
        self.line.set(match &self.check {
            AttachmentCheck::Sendable(found) => format!("{} {pasted}", list_locations(found)),
            _ => pasted,
        });
    }

    pub(super) fn pick_uploaded(&mut self, forwards: bool) {
        let count = self.uploaded_files.len();
        let next = match self.picked_index {
            _ if count == 0 => return,
            Some(at) if forwards => (at + 1) % count,
            Some(at) => (at + count - 1) % count,
            None if forwards => 0,
            None => count - 1,
        };
        self.picked_index = Some(next);
        if let attachments::AttachmentSource::Uploaded(url) = &self.uploaded_files[next].source {
            self.line.set(url.clone());
        }
        self.inspect_typed();
    }

    /// Checks the typed text: a link or an uploaded file at once, paths and lists by the returned request.
    pub(super) fn inspect_typed(&mut self) -> Option<OutsideRequest> {
        let typed = self.line.text().trim();
        (self.kind, self.completion) = (None, None);
        let shelved = self.uploaded_files.iter().find(|reply_attachment| {
            reply_attachment.source == attachments::AttachmentSource::Uploaded(typed.to_owned())
        });
        if typed.is_empty() {
            self.check = AttachmentCheck::Empty;
        } else if let Some(shelved) = shelved {
            self.check = AttachmentCheck::Sendable(vec![shelved.clone()]);
        } else if links::host_of(typed).is_some() && !typed.contains(char::is_whitespace) {
            self.check = match attachments::link_rejection_reason(typed) {
                Some(why) => AttachmentCheck::Rejected(why),
                None => AttachmentCheck::Sendable(vec![ReplyAttachment::link(typed)]),
            };
        } else {
            self.check = AttachmentCheck::Checking;
            return Some(OutsideRequest::File { path: typed.to_owned(), pasted: false });
        }
        None
    }
}

impl Tab {
    pub(crate) fn takes_voice(&self) -> bool {
        self.account.as_ref().is_some_and(|account| account.takes_voice)
    }

    fn takes_stickers(&self) -> bool {
        self.account.as_ref().is_some_and(|account| account.takes_stickers)
    }

    /// True if an attachment can be sent as this kind here.
    pub(crate) fn can_send_as(&self, attachment: &ReplyAttachment, kind: MediaKind) -> bool {
        let is_offered = match kind {
            MediaKind::Voice => self.takes_voice(),
            MediaKind::Sticker => self.takes_stickers(),
            MediaKind::Image | MediaKind::Audio | MediaKind::Video | MediaKind::Document => true,
        };
        is_offered && attachment.can_send_as(kind, self.platform())
    }

    /// Returns found sound as a voice note and a found picture as a sticker where it can be one.
    fn with_default_kind(&self, found: ReplyAttachment) -> ReplyAttachment {
        let found = if self.takes_voice() { found.voice_or_same() } else { found };
        if self.takes_stickers() { found.sticker_or_same(self.platform()) } else { found }
    }

    /// Returns the number of messages the current reply takes, and their price.
    pub fn reply_price(&self) -> (usize, Price) {
        let Some(composer) = &self.composer else { return (1, self.text_price(1)) };
        let text = composer.reply_text();
        let Some(first) = composer.attachments.first() else {
            let parts = self.split_messages(&text).len().max(1);
            return (parts, self.text_price(parts));
        };
        let apart = !first.allows_caption(self.platform()) && !text.trim().is_empty();
        let parts = if apart { self.split_messages(&text).len() } else { 0 };
        let texts = Price::exactly(prices::TEXT_CREDITS).times(i64::try_from(parts).unwrap_or(0));
        let count = match composer.attachments.len() {
            1 => 1,
            several => several + parts,
        };
        (count, attachments::total_price(&composer.attachments).plus(texts))
    }

    /// Measures the reply; as a caption it has a smaller limit.
    pub fn count_reply(&self, composer: &Composer) -> TextLength {
        let count = self.measure_text(&composer.text());
        match composer.attachments.first() {
            Some(first) if composer.mode == ComposerMode::Reply && first.allows_caption(self.platform()) => {
                TextLength { limit: bounds::MAX_CAPTION_CHARS, ..count }
            }
            _ => count,
        }
    }

    /// Returns the reason why the attachments cannot be sent with their text.
    fn attachment_rejection(&self, composer: &Composer) -> Option<String> {
        let first = composer.attachments.first()?;
        let count = self.count_reply(composer);
        let caption = first.allows_caption(self.platform());
        rejection_of_all(&composer.attachments, self.platform()).or_else(|| {
            let over = caption && count.is_over();
            over.then(|| {
                format!(
                    "a caption has at most {} characters, this has {}",
                    bounds::MAX_CAPTION_CHARS,
                    count.length
                )
            })
        })
    }

    /// Operations of a reply with attachments; text that is no caption becomes separate messages after them.
    pub(crate) fn attachment_operations(
        &self,
        composer: &Composer,
        to: &str,
        preview: Option<bool>,
    ) -> Vec<Operation> {
        let text = composer.reply_text();
        let mut text = Some(text).filter(|text| !text.trim().is_empty());
        let mut quoted = composer.reply_to.clone();
        let Some((first, others)) = composer.attachments.split_first() else { return Vec::new() };
        let caption = if first.allows_caption(self.platform()) { text.take() } else { None };
        let markup = self.markup().filter(|_| first.allows_caption(self.platform()));
        let mut operations = vec![first.to_operation(to, caption, markup, quoted.take())];
        operations.extend(others.iter().map(|other| other.to_operation(to, None, None, None)));
        let message = |text| Operation::chat_text(to, text, None, preview);
        let texts = text.map(|text| self.split_messages(&text)).unwrap_or_default();
        operations.extend(texts.into_iter().map(message));
        operations
    }
}

pub(crate) fn open_attach_form(desk: &mut Desk, context: &mut Context) {
    let attached = desk.tab().composer.as_ref().map(|composer| composer.attachments.clone());
    let mut form = AttachForm::default();
    if let Some(attached) = attached.filter(|attached| !attached.is_empty()) {
        form.line.set(list_locations(&attached));
        context.effects.extend(form.inspect_typed().map(Effect::Request));
        let kind = attached[0].kind;
        let is_of_all = attached.iter().all(|one| one.kind == kind);
        form.kind =
            Some(kind).filter(|kind| attached.len() == 1 || is_of_all && *kind == MediaKind::Document);
        if attached.iter().any(|one| matches!(one.source, attachments::AttachmentSource::Uploaded(_))) {
            form.check = AttachmentCheck::Sendable(attached);
        }
    }
    if desk.tab().compose_header().is_none() {
        context.push(Effect::Load(Load::UploadedFiles(desk.tab().channel.id.clone())));
    }
    context.open(form);
}

pub(crate) fn set_uploaded_files(
    desk: &mut Desk,
    channel: &ChannelId,
    shelf: Vec<ReplyAttachment>,
    context: &mut Context,
) {
    let here = desk.tab().channel.id == *channel;
    if let Some(form) = context.overlays.top_mut::<AttachForm>().filter(|_| here) {
        form.uploaded_files = shelf;
    }
}

/// Takes the result of a file check, unless another path was typed meanwhile.
pub(crate) fn receive_file_check(
    desk: &mut Desk,
    path: String,
    pasted: bool,
    found: Result<Vec<ReplyAttachment>, String>,
    longer: Option<String>,
    context: &mut Context,
) {
    if pasted {
        return attach_pasted_file(desk, &path, found, context);
    }
    let Some(form) = context.overlays.top_mut::<AttachForm>() else { return };
    if form.check != AttachmentCheck::Checking || form.line.text().trim() != path {
        return;
    }
    form.completion = longer;
    let (uploaded, tab) = (&form.uploaded_files, desk.tab());
    let or_uploaded = |found: ReplyAttachment| {
        let known = uploaded.iter().find(|uploaded| uploaded.location() == found.location());
        known.cloned().unwrap_or_else(|| tab.with_default_kind(found))
    };
    let found = found.map(|found| found.into_iter().map(or_uploaded).collect());
    form.check = found.map_or_else(AttachmentCheck::Rejected, AttachmentCheck::Sendable);
}

/// Moves pasted paths from the reply to the attachment form, if nothing was typed since.
fn attach_pasted_file(
    desk: &mut Desk,
    path: &str,
    found: Result<Vec<ReplyAttachment>, String>,
    context: &mut Context,
) {
    let now = context.moment;
    let free =
        context.overlays.is_empty() && desk.is_typing() && typing::composer_mode(desk) == ComposerMode::Reply;
    let (Ok(found), true) = (found, free) else { return };
    let found: Vec<_> = found.into_iter().map(|found| desk.tab().with_default_kind(found)).collect();
    let Some(composer) = &mut desk.tab_mut().composer else { return };
    let length = path.chars().count();
    let before = composer.buffer().before_cursor();
    // Terminals add a space behind a dropped path.
    let spaces = before.chars().count() - before.trim_end().chars().count();
    if !before.trim_end().ends_with(path) {
        return;
    }
    composer.change(now, |composer| composer.replace_before(length + spaces, ""));
    let (line, instead) = (TextLine::new(list_locations(&found)), Some(path.to_owned()));
    let check = AttachmentCheck::Sendable(found);
    context.open(AttachForm { line, check, pasted_text: instead, ..AttachForm::default() });
}

/// Adds a recording to the attachment form.
pub(crate) fn receive_recording(inbox: &mut Inbox, recorded: Result<String, String>) {
    let path = match recorded {
        Ok(path) => path,
        Err(why) => return inbox.context.show_warning(format!("not recorded: {why}")),
    };
    match inbox.context.overlays.top_mut::<AttachForm>() {
        Some(form) => {
            form.insert_pasted(&attachments::quote_path(&path));
            let asked = form.inspect_typed();
            inbox.context.effects.extend(asked.map(Effect::Request));
        }
        None => inbox.context.show_warning(format!("not attached: the form is closed; recorded in {path}")),
    }
}

/// Returns true if the attachment can be sent now; otherwise shows the reason.
pub(crate) fn check_attachment(desk: &mut Desk, context: &mut Context) -> bool {
    let tab = desk.tab();
    let Some(composer) = &tab.composer else { return false };
    let refused = tab.attachment_rejection(composer);
    let unpaid = tab.payment_error(tab.reply_price().1);
    match (refused, unpaid) {
        (None, None) => true,
        (Some(why), _) => {
            context.show_warning(format!("nothing was sent: {why}"));
            false
        }
        (None, Some(why)) => {
            context.push(SyncOrder::Refresh(tab.channel.id.clone()));
            context.show_warning(format!("nothing was sent: {why} · draft kept"));
            false
        }
    }
}

pub(crate) fn check_pasted_path(inbox: &mut Inbox, pasted: &str) {
    let writes = typing::composer_mode(&inbox.desk) == ComposerMode::Reply;
    // A new mail has no conversation yet, but takes files.
    let takes = inbox.desk.tab().compose_header().is_some() || inbox.check_enabled(Command::Attach).is_ok();
    let possible = writes && takes;
    if attachments::is_pasted_path(pasted) && possible {
        inbox
            .context
            .push(Effect::Request(OutsideRequest::File { path: pasted.trim().to_owned(), pasted: true }));
    }
}

impl Changes {
    /// Records upload progress in percent; `None` means the upload is finished.
    pub(crate) fn record_upload_progress(&mut self, row: RowId, percent: Option<u8>, desk: &mut Desk) {
        match percent {
            Some(percent) => {
                desk.uploads.insert(row, percent);
            }
            None => {
                // The send starts now and can no longer be undone.
                self.held.retain(|held| held.row != row);
                desk.uploads.remove(&row);
            }
        }
    }
}

pub(super) fn to_draft_file(thing: &ReplyAttachment) -> (DraftFile, Option<u64>) {
    match &thing.source {
        attachments::AttachmentSource::File(file) => (DraftFile::Typed(file.path.clone()), Some(file.size)),
        attachments::AttachmentSource::Link(url) | attachments::AttachmentSource::Uploaded(url) => {
            (DraftFile::Typed(url.clone()), None)
        }
    }
}

/// Writes paths and URLs as a list that can be edited.
fn list_locations(attached: &[ReplyAttachment]) -> String {
    let words: Vec<String> =
        attached.iter().map(|attachment| attachments::quote_path(attachment.location())).collect();
    words.join(" ")
}

/// Reason of the first that cannot be sent, or of all together.
pub(super) fn rejection_of_all(attached: &[ReplyAttachment], platform: Option<&Platform>) -> Option<String> {
    let is_one = attached.len() == 1;
    let refused = attached.iter().find_map(|attachment| {
        let why = attachment.rejection_reason(platform)?;
        Some(if is_one { why } else { format!("{}: {why}", attachment.name()) })
    });
    refused.or_else(|| attachments::excess_reason(attached))
}

/// Next kind to send as: of one attachment each that it can have, of several their own or documents.
pub(super) fn next_kind(form: &AttachForm, tab: &Tab) -> Option<MediaKind> {
    let found = form.attachments();
    let [thing] = found.as_slice() else {
        let may_turn = form.kind.is_none() && !found.is_empty();
        return may_turn.then_some(MediaKind::Document);
    };
    let at = MediaKind::ALL.iter().position(|media_kind| *media_kind == thing.kind)?;
    let mut turned = MediaKind::ALL.into_iter().cycle().skip(at + 1).take(MediaKind::ALL.len() - 1);
    turned.find(|media_kind| tab.can_send_as(thing, *media_kind)).or(form.kind)
}
