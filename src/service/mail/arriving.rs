//! Mail read from the mailbox: from customers, reports of mail servers, and mail sent from the mailbox by
//! other programs.

use crate::carriers::files;
use crate::database::channels::ChannelRow;
use crate::database::egress::{self, EgressState};
use crate::database::emails;
use crate::database::media::{self, MediaRow};
use crate::database::threads::{self, ThreadRow};
use crate::database::{DatabaseError, ingress};
use crate::errors::ApiError;
use crate::mail::earlier::{self};
use crate::mail::receive::{self};
use crate::mail::{answering, filing, repeats};
use crate::sending::mail::{self as sent, SENT_NAME, UNKNOWN_STATUS};
use crate::sending::outcome;
use crate::takeover::{self, AutomationSubject};
use crate::write::WriteContext;
use api::carriers::PendingFile;
use model::messages::AnswerPlace;
use platforms::mail::answer_target::AnswerTarget;
use platforms::mail::{ArrivedMail, BounceReport, InboundMail};
use platforms::mailbox::MailDirection;
use platforms::{SendOutcome, SimulatedDelivery};

/// Name under which ids of the inbox are recorded.
pub const INBOX_NAME: &str = "inbox";

/// Stores a mail, once; `kept` are its attachments after their bytes were stored.
pub fn receive_arrived(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    arrived: ArrivedMail,
    kept: Vec<MediaRow>,
) -> Result<(), ApiError> {
    if let Some(arrival) = arrived.earlier {
        return earlier::file_earlier_mail(work, channel, arrived, kept, arrival);
    }
    let ArrivedMail { mut mail, direction, number, bounce: returned, left, .. } = arrived;
    let id = mail.header_id.clone().unwrap_or_default();
    if let Some((validity, uid)) = number {
        ingress::record_arrival(work.db, &channel.id, &filing::number_name(validity, uid), &id)?;
    }
    match direction {
        MailDirection::SentToSelf => return Ok(()),
        MailDirection::Sent => return record_own_mail(work, channel, mail, (kept, left)),
        MailDirection::Inbound => {}
    }
    if !repeats::record_mail(work, channel, INBOX_NAME, &mail)? {
        return Ok(());
    }
    store_files(work, channel, kept)?;
    if let Some(returned) = &returned {
        mail.in_reply_to = Some(returned.header_id.clone());
        record_bounce(work, channel, returned)?;
    }
    // A mail that is answered has arrived.
    for answered in mail.in_reply_to.iter().chain(&mail.references) {
        confirm_sent(work, channel, answered)?;
    }
    let received = receive::receive(work, channel, &mail)?;
    files::store_left_files(work, (&channel.id, &received.thread, &received.message), left)?;
    filing::move_to_spam(work, channel, &received.thread)?;
    // Only the author's own address is answered automatically: nobody else may learn what the assistant knows
    // about the customer.
    if !mail.is_automatic && mail.is_answerable() && mail.answers_go_to == AnswerTarget::Author {
        answering::schedule_answer(work, channel, &received.thread)?;
    }
    Ok(())
}

fn store_files(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    files: Vec<MediaRow>,
) -> Result<(), DatabaseError> {
    files.into_iter().try_for_each(|file| {
        media::insert(work.db, &MediaRow { workspace: channel.workspace.clone(), ..file }, work.now)
    })
}

/// Stores a mail sent from the mailbox, unless this service sent it, as its `Message-ID` shows.
fn record_own_mail(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    mut mail: InboundMail,
    (kept, left): (Vec<MediaRow>, Vec<PendingFile>),
) -> Result<(), ApiError> {
    let header_id = mail.header_id.clone().unwrap_or_default();
    let id = header_id.trim_start_matches('<').split('@').next().unwrap_or_default();
    let ours = egress::read(work.db, id)?.is_some_and(|egress_row| egress_row.channel == channel.id);
    let is_new = repeats::record_mail(work, channel, SENT_NAME, &mail)?;
    if ours || !is_new {
        return confirm_sent(work, channel, &header_id);
    }
    store_files(work, channel, kept)?;
    let people: Vec<&str> = mail.to.iter().chain(&mail.copies).map(String::as_str).collect();
    let answered = receive::find_answered_mail(work, channel, &mail, &people)?;
    let stamp = work.stamp();
    let thread = match answered {
        Some((_, thread)) => thread,
        None => {
            let is_other = |text: &&&str| !text.eq_ignore_ascii_case(&mail.from);
            let contact = people.iter().find(is_other).copied().unwrap_or(mail.from.as_str());
            let made = receive::new_thread(work.id("thread", stamp), channel, &mail.subject, contact, stamp);
            let made = ThreadRow { folder: SENT_NAME.to_owned(), is_read: true, ..made };
            threads::insert(work.db, &made)?;
            made
        }
    };
    if !mail.is_automatic {
        let (subject, place) = (AutomationSubject::Thread(&thread.id), AnswerPlace::MailProgram);
        takeover::record_person_answer(work, channel, subject, Some(place))?;
        mail.headers.insert(sent::PLACE_KEY.to_owned(), place.word().into());
    }
    let row = receive::sent_row(work.id("mail", stamp), &thread.id, channel, &mail, stamp);
    files::store_left_files(work, (&channel.id, &thread.id, &row.id), left)?;
    Ok(sent::store_sent_mail(work, channel, &row)?)
}

/// Settles a mail of unknown outcome as sent.
fn confirm_sent(work: &WriteContext<'_>, channel: &ChannelRow, header_id: &str) -> Result<(), ApiError> {
    let found = emails::find(work.db, &channel.id, header_id)?;
    let Some(mail) =
        found.filter(|email_row| email_row.direction == "outbound" && email_row.status == UNKNOWN_STATUS)
    else {
        return Ok(());
    };
    let row =
        egress::read(work.db, &mail.id)?.filter(|egress_row| egress_row.state == EgressState::Unknown.word());
    let Some(row) = row else { return Ok(()) };
    outcome::record_reported_outcome(
        work,
        &row,
        SendOutcome::Taken {
            platform_id: header_id.to_owned(),
            fate: SimulatedDelivery::Sent,
            reached: None,
        },
    )
}

/// Applies a server's report about a mail of this service.
fn record_bounce(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    returned: &BounceReport,
) -> Result<(), ApiError> {
    confirm_sent(work, channel, &returned.header_id)?;
    let found = emails::find(work.db, &channel.id, &returned.header_id)?;
    if let Some(mail) = found.filter(|email_row| email_row.direction == "outbound" && returned.has_failed) {
        tracing::info!(mail = mail.id, why = returned.why, "a sent mail was returned as undeliverable");
        emails::mark_failed(work.db, &mail.id, work.now)?;
        threads::prioritize(work.db, &mail.thread, "high")?;
    }
    Ok(())
}
