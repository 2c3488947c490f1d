//! Answers to invitations: accepts, declines or tentatively accepts the one on screen. The answer is held
//! like any mail, and goes to the organizer.

use crate::Inbox;
use crate::command::Reason;
use crate::components::confirm::Confirm;
use crate::components::dialog::DialogLine;
use crate::conditions::{check_tab_writable, on_mail, writable_conversation};
use crate::context::Context;
use crate::desk::Desk;
use crate::event::{FileWrite, Intent};
use crate::keymap::update as keymap;
use crate::screens::history::message_of;
use crate::screens::mail::reading::update::answered_mail;
use crate::tab::Focus;
use model::email::MailMessage;
use model::email::invitations::{Invitation, InvitationAnswer, answer_invitation};
use model::ids::{ConversationId, ThreadId};
use model::messages::MessageRow;
use model::outbox::Operation;
use model::outbox::content::Mail;
use model::prices::{self, Price};
use model::time::SECOND;

fn has_invitation(row: &MessageRow) -> bool {
    row.mail.as_ref().is_some_and(|mail| mail.invitation.is_some())
}

/// Mail whose invitation is answered: the selected one, else the newest of the open thread with one.
fn invitation_mail(desk: &Desk) -> Option<(&MailMessage, &Invitation)> {
    let history = desk.tab().history.as_ref().filter(|history| history.loaded)?;
    let selected = answered_mail(desk).filter(|row| has_invitation(row));
    let newest = || history.items.iter().rev().filter_map(message_of).find(|row| has_invitation(row));
    let letter = selected.or_else(newest)?.mail.as_ref()?;
    Some((letter, letter.invitation.as_ref()?))
}

pub(crate) fn may_answer(inbox: &Inbox) -> Result<(), Reason> {
    on_mail(inbox)?;
    writable_conversation(inbox)?;
    if inbox.desk.tab().focus == Focus::List {
        return Err("open the mail first".into());
    }
    let (_, invitation) = invitation_mail(&inbox.desk).ok_or("this thread has no invitation")?;
    invitation.organizer_to_answer().map(drop)
}

/// Answers the invitation on screen. Asks first if the answer goes to somebody else than the sender.
pub(crate) fn answer(inbox: &mut Inbox, answer: InvitationAnswer) {
    let Some(conversation) = inbox.desk.tab().history.as_ref().map(|history| history.conversation.clone())
    else {
        return;
    };
    let Some((letter, invitation)) = invitation_mail(&inbox.desk) else { return };
    let is_over = invitation.is_over(inbox.context.now);
    let mail = match answer_invitation(letter, ThreadId::new(conversation.as_str()), answer, "") {
        Ok(mail) => mail,
        Err(why) => return inbox.context.show_warning(why),
    };
    let organizer = mail.to.first().cloned().unwrap_or_default();
    let is_known = |address: &str| address.eq_ignore_ascii_case(&organizer);
    if is_known(letter.from.as_str()) || letter.reply_addresses().into_iter().any(is_known) {
        return send(&mut inbox.desk, mail, conversation, is_over, &mut inbox.context);
    }
    let lines = vec![
        DialogLine::plain(format!("The answer goes to the organizer, {organizer}.")),
        DialogLine::plain(format!("The invitation was sent by {}.", letter.from)),
    ];
    let question = Confirm::new("Answer this invitation?", lines).answer('y', "answer", move |inbox| {
        send(&mut inbox.desk, mail, conversation, is_over, &mut inbox.context);
    });
    inbox.context.open(question.no("cancel"));
}

/// Enqueues the answer with the hold of a mail.
fn send(desk: &mut Desk, mail: Mail, conversation: ConversationId, is_over: bool, context: &mut Context) {
    let tab = desk.tab();
    if let Err(why) = check_tab_writable(tab) {
        return context.show_warning(why);
    }
    if let Some(why) = tab.payment_error(Price::exactly(prices::EMAIL_CREDITS)) {
        return context.show_warning(format!("nothing was sent: {why}"));
    }
    let Some(platform) = tab.platform().cloned() else { return };
    let (channel, hold) = (tab.channel.id.clone(), context.settings.mail_hold);
    let words = mail.invitation_response.map_or("Answered", InvitationAnswer::label);
    let operation = Operation::SendMail(Box::new(mail));
    let intent = Intent { channel, platform, conversation, operation, hold, seen: None, planned_at: None };
    let intent = desk.with_read_position(intent);
    if let Some(history) = &mut desk.tab_mut().history {
        history.follow_newest();
    }
    context.push(FileWrite::Enqueue { intents: vec![intent], clears_draft: false });
    let when = match hold / SECOND {
        0 => "sending".to_owned(),
        seconds => format!("sending in {seconds} s · {}", keymap::undo_hint(desk, context)),
    };
    match is_over {
        true => context.show_warning(format!("{words}, but the event is over · {when}")),
        false => context.show_notice(format!("{words} · {when}")),
    }
}
