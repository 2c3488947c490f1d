//! The last look before a mail leaves: what it is, what is odd about it, and
//! one letter for each thing that can be done. The server holds nothing back,
//! so the desk does.

use crate::Inbox;
use crate::changes::Changes;
use crate::command::Command;
use crate::components::confirm::Confirm;
use crate::components::dialog::DialogLine;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{Effect, FileWrite, Intent};
use crate::keys::{KeyCode, KeyPress};
use crate::outside::OutsideRequest;
use crate::overlays::overlay::{KeyOutcome, Overlay, OverlayInput};
use crate::screens::mail::head::{BODY, SUBJECT};
use crate::screens::mail::markdown;
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

/// Mails remembered as they were written, to be taken back.
const REMEMBERED: usize = 20;

/// What is odd about a mail, each worth a question.
pub fn doubts(written: &ComposedMail) -> Vec<String> {
    let mut doubts = Vec::new();
    if written.is_missing_file() {
        doubts.push("The text speaks of an attached file, and none is attached.".to_owned());
    }
    if let Some(key) = key_hint_in(&written.body) {
        doubts.push(format!("{key} in the text is a channel key: who has it can write as you."));
    }
    let count = written.recipient_count();
    if count > MANY_RECIPIENTS {
        doubts.push(format!("It goes to {count} addresses; all of To and Cc see each other."));
    }
    doubts
}

/// The last look before a mail leaves.
#[derive(Debug)]
pub(crate) struct MailReview {
    /// Whether what leaves is shown whole.
    pub(crate) preview: bool,
    /// First row on screen.
    pub(crate) first: usize,
}

impl Overlay for MailReview {
    fn key(&mut self, inbox: &mut Inbox, key: KeyPress) -> KeyOutcome {
        let now = inbox.context.moment;
        match (key.typed(), key.code) {
            (Some('y'), _) => inbox.desk.send_unless_doubted(&mut inbox.context),
            (Some('e'), _) | (_, KeyCode::Esc) => inbox.desk.tab_mut().focus = Focus::Composer,
            (Some('p'), _) => {
                inbox.desk.leave_mail(&mut inbox.context);
                inbox.context.say(inbox.context.keyed("kept as a draft; {go-to-drafts} lists the drafts"));
            }
            (Some('n'), _) => inbox.changes.discard_mail(&mut inbox.desk, &mut inbox.context),
            // Its letters act without changing what is asked: none goes astray.
            (typed, _) => {
                match typed {
                    Some('a') => inbox.desk.open_attach(&mut inbox.context),
                    Some('d') => inbox.desk.drop_file(&mut inbox.context),
                    Some('m') => {
                        if let Some(composer) = &mut inbox.desk.tab_mut().composer {
                            composer.change_head(now, |composer| composer.html = !composer.html);
                        }
                    }
                    Some('v') => *self = Self { preview: !self.preview, first: 0 },
                    _ => {
                        let moved = inbox
                            .desk
                            .last_look(self.preview, &inbox.context)
                            .and_then(|last_look| last_look.scrolled(self.first, key));
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

impl Desk {
    /// Opens the review, or goes to what is wrong.
    pub(crate) fn review_mail(&mut self, context: &mut Context) {
        let (own, now) = (self.tab().own_addresses(), context.moment);
        let thread = self.thread_written_in();
        let Some(composer) = self.tab_mut().composer.as_mut() else { return };
        let Some(written) = composer.written() else { return };
        if let Err((at, why)) = written.to_mail(thread, &own) {
            composer.change_head(now, |composer| {
                composer.at = at.min(BODY);
                composer.wrong = Some(why.clone());
            });
            return context.warn(why);
        }
        if let Some(field) = replies::unfilled_fields(&written.subject).into_iter().next() {
            let why = format!("Subject: {} is still to be filled in", &written.subject[field]);
            composer.change_head(now, |composer| composer.at = SUBJECT);
            return context.warn(why);
        }
        if let Some(why) = self.unfilled(context) {
            self.go_to_field(context);
            // Tab has another meaning in a mail; the cursor is there already.
            return context.warn(why.split(": Tab").next().unwrap_or(&why));
        }
        let Some(composer) = self.tab_mut().composer.as_mut() else { return };
        if let Some(why) = composer.head.as_ref().and_then(|head| describe_excess(&head.files)) {
            let takes_off = "Shift-Tab goes to the files, Del takes one off";
            return context.warn(format!("{why} · {takes_off}"));
        }
        for file in &written.files {
            if let DraftFile::Typed(path) = file
                && !file.is_fetched_by_service()
            {
                context.push(Effect::Ask(OutsideRequest::FileSize(path.clone())));
            }
        }
        context.open(MailReview { preview: false, first: 0 });
    }

    fn thread_written_in(&self) -> Option<ThreadId> {
        let composer = self.tab().composer.as_ref()?;
        let id = composer.conversation.as_str();
        (!id.starts_with(NEW)).then(|| ThreadId::new(id))
    }

    /// Takes the last file away.
    fn drop_file(&mut self, context: &mut Context) {
        let now = context.moment;
        let gone = self
            .tab_mut()
            .composer
            .as_mut()
            .and_then(|composer| composer.change_head(now, |head| head.files.pop()));
        match gone.flatten() {
            Some((file, _)) => context.say(format!("{} does not go with it any more", file.name())),
            None => context.warn("nothing is attached"),
        }
    }

    fn send_unless_doubted(&mut self, context: &mut Context) {
        let written = self.tab().composer.as_ref().and_then(|composer| composer.written());
        let doubts = written.as_ref().map(doubts).unwrap_or_default();
        if doubts.is_empty() {
            return self.send_mail(context);
        }
        let lines = doubts.into_iter().map(DialogLine::plain).collect();
        let back = |inbox: &mut Inbox| inbox.desk.tab_mut().focus = Focus::Composer;
        let question = Confirm::new("Send it so?", lines)
            .answer('y', "send it so", |inbox: &mut Inbox| inbox.desk.send_mail(&mut inbox.context));
        context.open(question.answer('e', "back to the mail", back).left(back));
    }

    /// Queues the mail; it is held here, because the server holds nothing.
    pub(crate) fn send_mail(&mut self, context: &mut Context) {
        let tab = self.tab();
        if let Err(why) = crate::conditions::tab_writable(tab) {
            return context.warn(why);
        }
        let price = Price::exactly(prices::EMAIL_CREDITS);
        if let Some(why) = tab.cannot_pay(price) {
            return context.warn(format!("nothing was sent: {why} · draft kept"));
        }
        let (own, thread) = (tab.own_addresses(), self.thread_written_in());
        let Some(composer) = &tab.composer else { return };
        let Some(written) = composer.written() else { return };
        if let Some(why) = composer.head.as_ref().and_then(|head| describe_excess(&head.files)) {
            return context.warn(why);
        }
        let mut mail = match written.to_mail(thread, &own) {
            Ok(mail) => mail,
            Err((_, why)) => return context.warn(why),
        };
        if written.html {
            mail.html = Some(markdown::to_html(&written.full_text()));
        }
        let (channel, conversation) = (tab.channel.id.clone(), composer.conversation.clone());
        let Some(platform) = tab.platform().cloned() else { return };
        let hold = context.settings.mail_hold;
        let tab = self.tab_mut();
        if tab.mail.leaving.len() == REMEMBERED {
            tab.mail.leaving.remove(0);
        }
        tab.mail.leaving.push((mail.clone(), written.to_draft_text()));
        if let Some(composer) = &mut tab.composer {
            composer.clear();
        }
        if let Some(history) = &mut tab.history {
            history.follow();
        }
        tab.focus = Focus::History;
        let operation = Operation::SendMail(Box::new(mail));
        let intent =
            Intent { channel, platform, conversation, operation, hold, seen: None, planned_at: None };
        context.push(FileWrite::Enqueue { intents: vec![intent], clears_draft: true });
        let is_in_triage = self.tab().is_in_triage();
        match hold / SECOND {
            0 => context.say("sending"),
            seconds => {
                context
                    .say(format!("sending in {seconds} s · {} takes it back", context.key_of(Command::Undo)));
            }
        }
        if is_in_triage {
            self.triage_decided(crate::screens::mail::triage::TriageDecision::Answered, None, context);
        }
    }

    /// A mail as it was written, before it was put together to be sent, and
    /// whether files were among it that have to be attached again.
    pub(crate) fn as_written(&self, channel: &ChannelId, mail: &Mail) -> (ComposedMail, bool) {
        let leaving = self.tabs.iter().find(|tab| tab.channel.id == *channel).map(|tab| &tab.mail.leaving);
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

    /// A mail that was thrown away comes back.
    pub(crate) fn undiscard(
        &mut self,
        channel: &ChannelId,
        conversation: &ConversationId,
        text: &str,
        context: &mut Context,
    ) {
        let now = context.moment;
        let Some(written) = ComposedMail::from_draft_text(text) else { return };
        self.visit_written(channel, conversation, context);
        let tab = self.tab_mut();
        tab.focus = Focus::Composer;
        if let Some(composer) = &mut tab.composer {
            composer.receive_draft(None);
            composer.begin_mail(written, now);
        }
    }

    /// How large a file is has come, or why it cannot be read.
    pub(crate) fn file_sized(
        &mut self,
        path: String,
        size: Result<(String, u64), String>,
        context: &mut Context,
    ) {
        let now = context.moment;
        let (whole, size) = match size {
            Ok(it) => it,
            Err(why) => return context.warn(format!("{path}: {why}")),
        };
        let Some(composer) = &mut self.tab_mut().composer else { return };
        composer.change_head(now, |head| {
            let known = |pair: &&mut (DraftFile, Option<u64>)| {
                matches!(&pair.0, DraftFile::Typed(typed) if *typed == whole || *typed == path)
            };
            if let Some(file) = head.files.iter_mut().find(known) {
                *file = (DraftFile::Typed(whole), Some(size));
            }
        });
    }
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
            let what = crate::features::undo::UndoTarget::Discarded(conversation, text);
            self.note_done(channel, "discarded a mail", what, context);
        }
        desk.leave_mail(context);
        context.say(format!("discarded · {} brings it back", context.key_of(Command::Undo)));
    }
}

/// The mail as it was written, from what leaves; its enclosed files are not
/// known any more.
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
