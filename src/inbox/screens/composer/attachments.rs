//! A file or a link that goes with an answer: naming it, what it is sent as
//! and costs, and sending it with the text as its caption.
//!
//! What was found comes in.

use crate::Inbox;
use crate::changes::Changes;
use crate::command::Command;
use crate::components::text_line::TextLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, Load, SyncOrder};
use crate::outside::OutsideRequest;
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

/// What a path or link that is typed turned out to be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AttachmentCheck {
    /// Nothing is typed.
    #[default]
    Nothing,
    Looking,
    /// It can be sent, as far as is known here.
    Thing(ReplyAttachment),
    /// It cannot be sent.
    Wrong(String),
}

/// A file or link being named.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AttachForm {
    pub line: TextLine,
    pub found: AttachmentCheck,
    /// What it shall be sent as, where a person chose.
    pub kind: Option<MediaKind>,
    /// How the path goes on, where there is one way only.
    pub(super) longer: Option<String>,
    /// What lies at the service already.
    pub shelf: Vec<ReplyAttachment>,
    /// The one of them that was chosen.
    picked: Option<usize>,
    /// A text that was pasted and is this path; it goes back if nothing is
    /// attached.
    pub(super) instead: Option<String>,
}

impl AttachForm {
    pub fn thing(&self) -> Option<ReplyAttachment> {
        let AttachmentCheck::Thing(found) = &self.found else { return None };
        Some(ReplyAttachment { kind: self.kind.unwrap_or(found.kind), ..found.clone() })
    }

    /// Why it cannot go with what is being written.
    pub fn refusal(&self, tab: &Tab) -> Option<String> {
        let thing = self.thing()?;
        let Some(head) = tab.mail_head() else { return thing.rejection_reason(tab.platform()) };
        let file = ReplyAttachment { kind: MediaKind::Document, ..thing };
        let together = [head.files.clone(), vec![with_mail(&file)]].concat();
        file.rejection_reason(tab.platform()).or_else(|| describe_excess(&together))
    }

    /// Puts a pasted path or link in place of what was typed.
    pub(super) fn put(&mut self, outside: &str) {
        match attachments::parse_pasted_path(outside) {
            Some(path) => self.line.set(path),
            None => self.line.insert(text::clean_pasted(outside).trim()),
        }
    }

    /// Takes the next or the one before of what lies at the service.
    pub(super) fn pick(&mut self, forwards: bool) {
        let count = self.shelf.len();
        let next = match self.picked {
            _ if count == 0 => return,
            Some(at) if forwards => (at + 1) % count,
            Some(at) => (at + count - 1) % count,
            None if forwards => 0,
            None => count - 1,
        };
        self.picked = Some(next);
        if let attachments::AttachmentSource::Uploaded(url) = &self.shelf[next].source {
            self.line.set(url.clone());
        }
        self.inspect_typed();
    }

    /// What was typed is asked about; a link is known at once.
    pub(super) fn inspect_typed(&mut self) -> Option<OutsideRequest> {
        let typed = self.line.text().trim();
        (self.kind, self.longer) = (None, None);
        let shelved = self.shelf.iter().find(|reply_attachment| {
            reply_attachment.source == attachments::AttachmentSource::Uploaded(typed.to_owned())
        });
        if typed.is_empty() {
            self.found = AttachmentCheck::Nothing;
        } else if let Some(shelved) = shelved {
            self.found = AttachmentCheck::Thing(shelved.clone());
        } else if links::host_of(typed).is_some() {
            self.found = match attachments::link_rejection_reason(typed) {
                Some(why) => AttachmentCheck::Wrong(why),
                None => AttachmentCheck::Thing(ReplyAttachment::link(typed)),
            };
        } else {
            self.found = AttachmentCheck::Looking;
            return Some(OutsideRequest::File { path: typed.to_owned(), pasted: false });
        }
        None
    }
}

impl Tab {
    /// What the current answer costs, and the messages it leaves as.
    pub fn reply_price(&self) -> (usize, Price) {
        let Some(composer) = &self.composer else { return (1, self.text_price(1)) };
        let text = composer.reply_text();
        let Some(attachment) = &composer.attachment else {
            let parts = self.messages_of(&text).len().max(1);
            return (parts, self.text_price(parts));
        };
        let apart = !attachment.allows_caption(self.platform()) && !text.trim().is_empty();
        let parts = if apart { self.messages_of(&text).len() } else { 0 };
        (
            1,
            attachment
                .price()
                .plus(Price::exactly(prices::TEXT_CREDITS).times(i64::try_from(parts).unwrap_or(0))),
        )
    }

    /// The answer measured against its bound: a caption's is smaller.
    pub fn count_reply(&self, composer: &Composer) -> TextLength {
        let count = self.count(&composer.text());
        match &composer.attachment {
            Some(it) if composer.mode == ComposerMode::Reply && it.allows_caption(self.platform()) => {
                TextLength { limit: bounds::MAX_CAPTION_CHARS, ..count }
            }
            _ => count,
        }
    }

    /// Why what is attached cannot leave with its text.
    fn attachment_refusal(&self, composer: &Composer) -> Option<String> {
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

    /// The wishes an answer with something attached becomes.
    pub(crate) fn attached_operations(
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
        let texts = text.map(|text| self.messages_of(&text)).unwrap_or_default();
        let mut operations = vec![attachment.to_operation(to, None, None, quoted)];
        operations.extend(texts.into_iter().map(message));
        operations
    }
}

impl Desk {
    /// Opens the form with what is attached already.
    pub(crate) fn open_attach(&mut self, context: &mut Context) {
        let attached = self.tab().composer.as_ref().and_then(|composer| composer.attachment.clone());
        let mut form = AttachForm::default();
        if let Some(attached) = attached {
            form.line.set(match &attached.source {
                attachments::AttachmentSource::File(it) => it.path.clone(),
                attachments::AttachmentSource::Link(url) | attachments::AttachmentSource::Uploaded(url) => {
                    url.clone()
                }
            });
            context.effects.extend(form.inspect_typed().map(Effect::Ask));
            form.kind = Some(attached.kind);
            if matches!(attached.source, attachments::AttachmentSource::Uploaded(_)) {
                form.found = AttachmentCheck::Thing(attached);
            }
        }
        if self.tab().mail_head().is_none() {
            context.push(Effect::Load(Load::Shelf(self.tab().channel.id.clone())));
        }
        context.open(form);
    }

    /// What lies at the service has come.
    pub(crate) fn shelf_known(
        &mut self,
        channel: &ChannelId,
        shelf: Vec<ReplyAttachment>,
        context: &mut Context,
    ) {
        let here = self.tab().channel.id == *channel;
        if let Some(form) = context.layers.top_mut::<AttachForm>().filter(|_| here) {
            form.shelf = shelf;
        }
    }

    /// What a path is was found out.
    pub(crate) fn file_seen(
        &mut self,
        path: String,
        pasted: bool,
        found: Result<FileFacts, String>,
        longer: Option<String>,
        context: &mut Context,
    ) {
        if pasted {
            return self.pasted_file(&path, found, context);
        }
        let Some(form) = context.layers.top_mut::<AttachForm>() else { return };
        if form.found != AttachmentCheck::Looking || form.line.text().trim() != path {
            return;
        }
        form.longer = longer;
        form.found = found.map_or_else(AttachmentCheck::Wrong, |file_facts| {
            AttachmentCheck::Thing(ReplyAttachment::file(file_facts))
        });
    }

    /// A pasted text is a file's path: it leaves the text and stands in the
    /// form, if nothing was typed since.
    fn pasted_file(&mut self, path: &str, found: Result<FileFacts, String>, context: &mut Context) {
        let now = context.moment;
        let free =
            context.layers.is_empty() && self.is_typing() && self.composer_mode() == ComposerMode::Reply;
        let (Ok(facts), true) = (found, free) else { return };
        let Some(composer) = &mut self.tab_mut().composer else { return };
        let length = path.chars().count();
        if !composer.sheet().before_cursor().ends_with(path) {
            return;
        }
        composer.change(now, |composer| composer.replace_before(length, ""));
        let (line, instead) = (TextLine::new(facts.path.clone()), Some(path.to_owned()));
        let found = AttachmentCheck::Thing(ReplyAttachment::file(facts));
        context.open(AttachForm { line, found, instead, ..AttachForm::default() });
    }

    /// Whether what is attached may leave now; why not is said.
    pub(crate) fn may_attach(&mut self, context: &mut Context) -> bool {
        let tab = self.tab();
        let Some(composer) = &tab.composer else { return false };
        let refused = tab.attachment_refusal(composer);
        let unpaid = tab.cannot_pay(tab.reply_price().1);
        match (refused, unpaid) {
            (None, None) => true,
            (Some(why), _) => {
                context.warn(format!("nothing was sent: {why}"));
                false
            }
            (None, Some(why)) => {
                context.push(SyncOrder::Refresh(tab.channel.id.clone()));
                context.warn(format!("nothing was sent: {why} · draft kept"));
                false
            }
        }
    }
}

/// A text that was pasted may be the path of a file: it is looked at.
pub(crate) fn recognise_path(inbox: &mut Inbox, pasted: &str) {
    let writes = inbox.desk.composer_mode() == ComposerMode::Reply;
    // A new mail has no conversation yet, and takes files.
    let takes = inbox.desk.tab().mail_head().is_some() || inbox.enabled(Command::Attach).is_ok();
    let possible = writes && takes;
    if attachments::parse_pasted_path(pasted).is_some() && possible {
        inbox
            .context
            .push(Effect::Ask(OutsideRequest::File { path: pasted.trim().to_owned(), pasted: true }));
    }
}

impl Changes {
    /// A file has come so far on its way.
    pub(crate) fn uploading(&mut self, row: RowId, percent: Option<u8>, desk: &mut Desk) {
        match percent {
            Some(percent) => {
                desk.uploads.insert(row, percent);
            }
            None => {
                // It is the send's now, which leaves at once.
                self.held.retain(|held| held.row != row);
                desk.uploads.remove(&row);
            }
        }
    }
}

/// As it goes with a mail, with its size where it is known.
pub(super) fn with_mail(thing: &ReplyAttachment) -> (DraftFile, Option<u64>) {
    match &thing.source {
        attachments::AttachmentSource::File(it) => (DraftFile::Typed(it.path.clone()), Some(it.size)),
        attachments::AttachmentSource::Link(url) | attachments::AttachmentSource::Uploaded(url) => {
            (DraftFile::Typed(url.clone()), None)
        }
    }
}

/// The next kind a thing can be sent as.
pub(super) fn next_kind(form: &AttachForm, platform: Option<&Platform>) -> Option<MediaKind> {
    let thing = form.thing()?;
    let at = MediaKind::ALL.iter().position(|media_kind| *media_kind == thing.kind)?;
    let turned = MediaKind::ALL.into_iter().cycle().skip(at + 1).take(MediaKind::ALL.len() - 1);
    turned.into_iter().find(|media_kind| thing.can_send_as(*media_kind, platform))
}
