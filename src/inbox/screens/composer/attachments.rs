//! A file or link attached to a reply: the form that names it, its kind and price, and sending it
//! with the text as caption.

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
use model::attachments::{self, FileFacts, ReplyAttachment};
use model::bounds;
use model::counting::TextLength;
use model::email::attached::{DraftFile, describe_excess};
use model::ids::{ChannelId, MessageId, RowId};
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
    /// Can be sent, as far as this desk knows.
    Sendable(ReplyAttachment),
    Rejected(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AttachForm {
    pub line: TextLine,
    pub check: AttachmentCheck,
    /// Kind the user chose, overriding the detected one.
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
    pub fn attachment(&self) -> Option<ReplyAttachment> {
        let AttachmentCheck::Sendable(found) = &self.check else { return None };
        Some(ReplyAttachment { kind: self.kind.unwrap_or(found.kind), ..found.clone() })
    }

    /// Returns the reason why it cannot go with the current reply or mail.
    pub fn rejection_reason(&self, tab: &Tab) -> Option<String> {
        let thing = self.attachment()?;
        let Some(head) = tab.compose_header() else { return thing.rejection_reason(tab.platform()) };
        let file = ReplyAttachment { kind: MediaKind::Document, ..thing };
        let together = [head.files.clone(), vec![to_draft_file(&file)]].concat();
        file.rejection_reason(tab.platform()).or_else(|| describe_excess(&together))
    }

    /// Inserts a paste: a path replaces the line, other text is inserted.
    pub(super) fn insert_pasted(&mut self, outside: &str) {
        match attachments::parse_pasted_path(outside) {
            Some(path) => self.line.set(path),
            None => self.line.insert(text::clean_pasted(outside).trim()),
        }
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

    /// Checks the typed text: links and uploaded files at once, paths by the returned request.
    pub(super) fn inspect_typed(&mut self) -> Option<OutsideRequest> {
        let typed = self.line.text().trim();
        (self.kind, self.completion) = (None, None);
        let shelved = self.uploaded_files.iter().find(|reply_attachment| {
            reply_attachment.source == attachments::AttachmentSource::Uploaded(typed.to_owned())
        });
        if typed.is_empty() {
            self.check = AttachmentCheck::Empty;
        } else if let Some(shelved) = shelved {
            self.check = AttachmentCheck::Sendable(shelved.clone());
        } else if links::host_of(typed).is_some() {
            self.check = match attachments::link_rejection_reason(typed) {
                Some(why) => AttachmentCheck::Rejected(why),
                None => AttachmentCheck::Sendable(ReplyAttachment::link(typed)),
            };
        } else {
            self.check = AttachmentCheck::Checking;
            return Some(OutsideRequest::File { path: typed.to_owned(), pasted: false });
        }
        None
    }
}

impl Tab {
    /// Returns the number of messages the current reply takes, and their price.
    pub fn reply_price(&self) -> (usize, Price) {
        let Some(composer) = &self.composer else { return (1, self.text_price(1)) };
        let text = composer.reply_text();
        let Some(attachment) = &composer.attachment else {
            let parts = self.split_messages(&text).len().max(1);
            return (parts, self.text_price(parts));
        };
        let apart = !attachment.allows_caption(self.platform()) && !text.trim().is_empty();
        let parts = if apart { self.split_messages(&text).len() } else { 0 };
        (
            1,
            attachment
                .price()
                .plus(Price::exactly(prices::TEXT_CREDITS).times(i64::try_from(parts).unwrap_or(0))),
        )
    }

    /// Measures the reply; as a caption it has a smaller limit.
    pub fn count_reply(&self, composer: &Composer) -> TextLength {
        let count = self.measure_text(&composer.text());
        match &composer.attachment {
            Some(attachment)
                if composer.mode == ComposerMode::Reply && attachment.allows_caption(self.platform()) =>
            {
                TextLength { limit: bounds::MAX_CAPTION_CHARS, ..count }
            }
            _ => count,
        }
    }

    /// Returns the reason why the attachment cannot be sent with its text.
    fn attachment_rejection(&self, composer: &Composer) -> Option<String> {
        let attachment = composer.attachment.as_ref()?;
        let count = self.count_reply(composer);
        let caption = attachment.allows_caption(self.platform());
        attachment.rejection_reason(self.platform()).or_else(|| {
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

    /// Operations of a reply with an attachment; text that is no caption becomes separate messages.
    pub(crate) fn attachment_operations(
        &self,
        composer: &Composer,
        attachment: &ReplyAttachment,
        to: &str,
    ) -> Vec<Operation> {
        let text = composer.reply_text();
        let text = Some(text).filter(|text| !text.trim().is_empty());
        let quoted = composer.reply_to.clone();
        if attachment.allows_caption(self.platform()) {
            return vec![attachment.to_operation(to, text, self.markup(), quoted)];
        }
        let message = |text| Operation::SendText { to: to.to_owned(), text, reply_to: None::<MessageId> };
        let texts = text.map(|text| self.split_messages(&text)).unwrap_or_default();
        let mut operations = vec![attachment.to_operation(to, None, None, quoted)];
        operations.extend(texts.into_iter().map(message));
        operations
    }
}

pub(crate) fn open_attach_form(desk: &mut Desk, context: &mut Context) {
    let attached = desk.tab().composer.as_ref().and_then(|composer| composer.attachment.clone());
    let mut form = AttachForm::default();
    if let Some(attached) = attached {
        form.line.set(match &attached.source {
            attachments::AttachmentSource::File(file) => file.path.clone(),
            attachments::AttachmentSource::Link(url) | attachments::AttachmentSource::Uploaded(url) => {
                url.clone()
            }
        });
        context.effects.extend(form.inspect_typed().map(Effect::Request));
        form.kind = Some(attached.kind);
        if matches!(attached.source, attachments::AttachmentSource::Uploaded(_)) {
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
    found: Result<FileFacts, String>,
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
    form.check = found.map_or_else(AttachmentCheck::Rejected, |file_facts| {
        AttachmentCheck::Sendable(ReplyAttachment::file(file_facts))
    });
}

/// Moves a pasted path from the reply to the attachment form, if nothing was typed since.
fn attach_pasted_file(desk: &mut Desk, path: &str, found: Result<FileFacts, String>, context: &mut Context) {
    let now = context.moment;
    let free =
        context.overlays.is_empty() && desk.is_typing() && typing::composer_mode(desk) == ComposerMode::Reply;
    let (Ok(facts), true) = (found, free) else { return };
    let Some(composer) = &mut desk.tab_mut().composer else { return };
    let length = path.chars().count();
    if !composer.buffer().before_cursor().ends_with(path) {
        return;
    }
    composer.change(now, |composer| composer.replace_before(length, ""));
    let (line, instead) = (TextLine::new(facts.path.clone()), Some(path.to_owned()));
    let found = AttachmentCheck::Sendable(ReplyAttachment::file(facts));
    context.open(AttachForm { line, check: found, pasted_text: instead, ..AttachForm::default() });
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
    if attachments::parse_pasted_path(pasted).is_some() && possible {
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

pub(super) fn next_kind(form: &AttachForm, platform: Option<&Platform>) -> Option<MediaKind> {
    let thing = form.attachment()?;
    let at = MediaKind::ALL.iter().position(|media_kind| *media_kind == thing.kind)?;
    let turned = MediaKind::ALL.into_iter().cycle().skip(at + 1).take(MediaKind::ALL.len() - 1);
    turned.into_iter().find(|media_kind| thing.can_send_as(*media_kind, platform))
}
