//! Review of a mail before it is sent: content, warnings, and one letter per action. The server
//! cannot hold a mail, so this desk does.

use crate::Inbox;
use crate::changes::Changes;
use crate::components::confirm::Confirm;
use crate::components::dialog::DialogLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Intent};
use crate::keymap::update as keymap;
use crate::keys::{KeyCode, KeyPress};
use crate::outside::OutsideRequest;
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::screens::composer::attachments;
use crate::screens::composer::canned::update as canned;
use crate::screens::composer::sending;
use crate::screens::mail::compose_header::{BODY_FOCUS, SUBJECT_FIELD};
use crate::screens::mail::markdown;
use crate::screens::mail::review_layout;
use crate::screens::mail::triage::update as triage;
use crate::screens::mail::writing::update as writing;
use crate::tab::Focus;
use model::email::NEW_MAIL_PREFIX as NEW;
use model::email::attached::{DraftFile, ReceivedFile, describe_excess};
use model::email::compose::{ComposedMail, MANY_RECIPIENTS};
use model::ids::{ChannelId, ConversationId, ThreadId};
use model::outbox::Operation;
use model::outbox::content::{Mail, MailAttachmentSource};
use model::prices::{self, Price};
use model::replies;
use model::secret::key_hint_in;
use model::time::SECOND;

/// Sent mails kept as they were written, for recalls.
const MAX_SENT_MAILS: usize = 20;

pub fn send_warnings(written: &ComposedMail) -> Vec<String> {
    let mut doubts = Vec::new();
    if written.is_missing_file() {
        doubts.push("The text mentions an attachment, but no file is attached.".to_owned());
    }
    if let Some(key) = key_hint_in(&written.body) {
        doubts.push(format!("The text contains the channel key {key}: anyone with it can write as you."));
    }
    let count = written.recipient_count();
    if count > MANY_RECIPIENTS {
        doubts.push(format!("{count} addresses; all of To and Cc see each other."));
    }
    doubts
}

#[derive(Debug)]
pub(crate) struct MailReview {
    /// True shows the whole mail.
    pub(crate) preview: bool,
    pub(crate) first: usize,
}

impl Overlay for MailReview {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let now = inbox.context.moment;
        match (key.typed(), key.code) {
            (Some('y'), _) => send_unless_warned(&mut inbox.desk, &mut inbox.context),
            (Some('e'), _) | (_, KeyCode::Esc) => inbox.desk.tab_mut().focus = Focus::Composer,
            (Some('p'), _) => {
                writing::leave_mail(&mut inbox.desk, &mut inbox.context);
                inbox.context.show_notice(
                    inbox.context.fill_in_keys("kept as a draft; {go-to-drafts} lists the drafts"),
                );
            }
            (Some('n'), _) => inbox.changes.discard_mail(&mut inbox.desk, &mut inbox.context),
            // These letters change the mail but keep the review open.
            (typed, _) => {
                match typed {
                    Some('a') => attachments::open_attach_form(&mut inbox.desk, &mut inbox.context),
                    Some('d') => remove_last_file(&mut inbox.desk, &mut inbox.context),
                    Some('m') => {
                        if let Some(composer) = &mut inbox.desk.tab_mut().composer {
                            composer.edit_header(now, |composer| composer.html = !composer.html);
                        }
                    }
                    Some('v') => *self = Self { preview: !self.preview, first: 0 },
                    _ => {
                        let moved = review_layout::lay_out_review(&inbox.desk, self.preview, &inbox.context)
                            .and_then(|last_look| last_look.first_row_after_key(self.first, key));
                        self.first = moved.unwrap_or(self.first);
                    }
                }
                return KeyOutcome::Stay;
            }
        }
        KeyOutcome::Done
    }

    fn input(&self) -> OverlayInput {
        OverlayInput::Answer
    }
}

/// Opens the review, or goes to the first error.
pub(crate) fn review_mail(desk: &mut Desk, context: &mut Context) {
    let (own, now) = (desk.tab().own_addresses(), context.moment);
    let thread = draft_thread(desk);
    let Some(composer) = desk.tab_mut().composer.as_mut() else { return };
    let Some(written) = composer.composed_mail() else { return };
    if let Err((at, why)) = written.to_mail(thread, &own) {
        composer.edit_header(now, |composer| {
            composer.focus = at.min(BODY_FOCUS);
            composer.error = Some(why.clone());
        });
        return context.show_warning(why);
    }
    if let Some(field) = replies::unfilled_fields(&written.subject).into_iter().next() {
        let why = format!("Subject: {} is not filled in", &written.subject[field]);
        composer.edit_header(now, |composer| composer.focus = SUBJECT_FIELD);
        return context.show_warning(why);
    }
    if let Some(why) = canned::open_field_error(desk, context) {
        canned::go_to_open_field(desk, context);
        // Tab moves between fields in a mail; the cursor is already in place.
        return context.show_warning(why.split(": Tab").next().unwrap_or(&why));
    }
    let Some(composer) = desk.tab_mut().composer.as_mut() else { return };
    if let Some(why) = composer.header.as_ref().and_then(|head| describe_excess(&head.files)) {
        let takes_off = "Shift-Tab goes to the files, Del takes one off";
        return context.show_warning(format!("{why} · {takes_off}"));
    }
    for file in &written.files {
        if let DraftFile::Typed(path) = file
            && !file.is_fetched_by_service()
        {
            context.push(Effect::Request(OutsideRequest::FileSize(path.clone())));
        }
    }
    context.open(MailReview { preview: false, first: 0 });
}

fn draft_thread(desk: &Desk) -> Option<ThreadId> {
    let composer = desk.tab().composer.as_ref()?;
    let id = composer.conversation.as_str();
    (!id.starts_with(NEW)).then(|| ThreadId::new(id))
}

fn remove_last_file(desk: &mut Desk, context: &mut Context) {
    let now = context.moment;
    let gone = desk
        .tab_mut()
        .composer
        .as_mut()
        .and_then(|composer| composer.edit_header(now, |head| head.files.pop()));
    match gone.flatten() {
        Some((file, _)) => context.show_notice(format!("{} is no longer attached", file.name())),
        None => context.show_warning("nothing is attached"),
    }
}

fn send_unless_warned(desk: &mut Desk, context: &mut Context) {
    let written = desk.tab().composer.as_ref().and_then(|composer| composer.composed_mail());
    let doubts = written.as_ref().map(send_warnings).unwrap_or_default();
    if doubts.is_empty() {
        return sending::send_unless_conflict(desk, context);
    }
    let lines = doubts.into_iter().map(DialogLine::plain).collect();
    let back = |inbox: &mut Inbox| inbox.desk.tab_mut().focus = Focus::Composer;
    let send = |inbox: &mut Inbox| sending::send_unless_conflict(&mut inbox.desk, &mut inbox.context);
    let question = Confirm::new("Send anyway?", lines).answer('y', "send anyway", send);
    context.open(question.answer('e', "back to the mail", back).on_cancel(back));
}

/// Enqueues the mail with this desk's own hold. The caller has confirmed warnings and crossing answers.
pub(crate) fn send_mail(desk: &mut Desk, context: &mut Context) {
    let tab = desk.tab();
    if let Err(why) = crate::conditions::check_tab_writable(tab) {
        return context.show_warning(why);
    }
    let price = Price::exactly(prices::EMAIL_CREDITS);
    if let Some(why) = tab.payment_error(price) {
        return context.show_warning(format!("nothing was sent: {why} · draft kept"));
    }
    let (own, thread) = (tab.own_addresses(), draft_thread(desk));
    let Some(composer) = &tab.composer else { return };
    let Some(written) = composer.composed_mail() else { return };
    if let Some(why) = composer.header.as_ref().and_then(|head| describe_excess(&head.files)) {
        return context.show_warning(why);
    }
    let mut mail = match written.to_mail(thread, &own) {
        Ok(mail) => mail,
        Err((_, why)) => return context.show_warning(why),
    };
    if written.html {
        mail.html = Some(markdown::to_html(&written.full_text()));
    }
    let (channel, conversation) = (tab.channel.id.clone(), composer.conversation.clone());
    let Some(platform) = tab.platform().cloned() else { return };
    let hold = context.settings.mail_hold;
    let operation = Operation::SendMail(Box::new(mail.clone()));
    let intent = Intent { channel, platform, conversation, operation, hold, seen: None, planned_at: None };
    let intent = desk.with_read_position(intent);
    let tab = desk.tab_mut();
    if tab.mail.sent_mails.len() == MAX_SENT_MAILS {
        tab.mail.sent_mails.remove(0);
    }
    tab.mail.sent_mails.push((mail, written.to_draft_text()));
    if let Some(composer) = &mut tab.composer {
        composer.clear();
    }
    if let Some(history) = &mut tab.history {
        history.follow_newest();
    }
    tab.focus = Focus::History;
    context.push(FileWrite::Enqueue { intents: vec![intent], clears_draft: true });
    let is_in_triage = desk.tab().is_in_triage();
    match hold / SECOND {
        0 => context.show_notice("sending"),
        seconds => {
            context.show_notice(format!("sending in {seconds} s · {}", keymap::undo_hint(desk, context)));
        }
    }
    if is_in_triage {
        triage::record_triage_decision(
            desk,
            crate::screens::mail::triage::TriageDecision::Answered,
            None,
            context,
        );
    }
}

/// Returns a sent mail as it was written, and true if attachments were lost.
pub(crate) fn written_form(desk: &Desk, channel: &ChannelId, mail: &Mail) -> (ComposedMail, bool) {
    let leaving = desk.tabs.iter().find(|tab| tab.channel.id == *channel).map(|tab| &tab.mail.sent_mails);
    let same = |kept: &Mail| kept.to == mail.to && kept.subject == mail.subject && kept.text == mail.text;
    let kept = leaving.and_then(|pairs| pairs.iter().rev().find(|(kept, _)| same(kept)));
    match kept.and_then(|(_, draft)| ComposedMail::from_draft_text(draft)) {
        Some(written) => (written, false),
        None => {
            let lost = mail
                .attachments
                .iter()
                .any(|attachment| matches!(attachment.source, MailAttachmentSource::Enclosed(_)));
            (from_mail(mail), lost)
        }
    }
}

pub(crate) fn restore_discarded(
    desk: &mut Desk,
    channel: &ChannelId,
    conversation: &ConversationId,
    text: &str,
    context: &mut Context,
) {
    let now = context.moment;
    let Some(written) = ComposedMail::from_draft_text(text) else { return };
    writing::open_draft(desk, channel, conversation, context);
    let tab = desk.tab_mut();
    tab.focus = Focus::Composer;
    if let Some(composer) = &mut tab.composer {
        composer.receive_draft(None);
        composer.start_mail(written, now);
    }
}

/// Records the size of an attachment, or warns that it cannot be read.
pub(crate) fn receive_file_size(
    desk: &mut Desk,
    path: String,
    size: Result<(String, u64), String>,
    context: &mut Context,
) {
    let now = context.moment;
    let (whole, size) = match size {
        Ok(measured) => measured,
        Err(why) => return context.show_warning(format!("{path}: {why}")),
    };
    let Some(composer) = &mut desk.tab_mut().composer else { return };
    composer.edit_header(now, |head| {
        let known = |pair: &&mut (DraftFile, Option<u64>)| {
            matches!(&pair.0, DraftFile::Typed(typed) if *typed == whole || *typed == path)
        };
        if let Some(file) = head.files.iter_mut().find(known) {
            *file = (DraftFile::Typed(whole), Some(size));
        }
    });
}

impl Changes {
    fn discard_mail(&mut self, desk: &mut Desk, context: &mut Context) {
        let tab = desk.tab_mut();
        let channel = tab.channel.id.clone();
        let Some(composer) = &mut tab.composer else { return };
        let (conversation, text) = (composer.conversation.clone(), composer.draft().map(|draft| draft.text));
        composer.clear();
        let kept = composer.draft();
        context.push(FileWrite::SaveDraft(channel.clone(), conversation.clone(), kept));
        if let Some(text) = text {
            let what = crate::features::undo::UndoTarget::DiscardedDraft(conversation, text);
            self.record_change(channel, "discarded a mail", what, context);
        }
        writing::leave_mail(desk, context);
        context.show_notice(format!("discarded · {}", keymap::undo_hint(desk, context)));
    }
}

/// Rebuilds the written mail from a sent one; enclosed files are lost.
fn from_mail(mail: &Mail) -> ComposedMail {
    let links = mail.attachments.iter().filter_map(|mail_attachment| match &mail_attachment.source {
        MailAttachmentSource::Link(mail_attachment) | MailAttachmentSource::File(mail_attachment) => {
            Some(DraftFile::Typed(mail_attachment.clone()))
        }
        MailAttachmentSource::Received(..) => {
            Some(DraftFile::Received(ReceivedFile { attachment: mail_attachment.clone(), size: None }))
        }
        MailAttachmentSource::Enclosed(_) => None,
    });
    ComposedMail {
        to: mail.to.join(", "),
        cc: mail.cc.join(", "),
        bcc: mail.bcc.join(", "),
        subject: mail.subject.clone(),
        from: mail.from.clone(),
        in_reply_to: mail.in_reply_to.clone(),
        html: mail.html.is_some(),
        files: links.collect(),
        body: mail.text.clone().unwrap_or_default(),
        ..ComposedMail::default()
    }
}
