//! Mail read from the mailbox: from customers, reports of mail servers, and mail sent from the mailbox by
//! other programs.

use crate::carriers::settle as carried;
use crate::carriers::{CarryOutcome, Fate, ParcelFile};
use crate::database::channels::ChannelRow;
use crate::database::egress::{self, EgressState};
use crate::database::emails;
use crate::database::media::{self, MediaRow};
use crate::database::threads::{self, ThreadRow};
use crate::database::{DatabaseError, ingress};
use crate::errors::ApiError;
use crate::mail::answer_target::AnswerTarget;
use crate::mail::earlier::{self, EarlierArrival};
use crate::mail::receive::{self, InboundMail};
use crate::mail::settle::{self, SENT, UNKNOWN};
use crate::mail::{answering, filing, repeats};
use crate::platforms::mailbox::MailDirection;
use crate::takeover::{self, Subject};
use crate::write::Work;

/// Name under which ids of the inbox are recorded.
pub const INBOX: &str = "inbox";

/// Mail read from a mailbox.
#[derive(Debug, Clone, Default)]
pub struct ArrivedMail {
    pub mail: InboundMail,
    pub files: Vec<ParcelFile>,
    /// Attachments after they were stored.
    pub kept: Vec<MediaRow>,
    pub direction: MailDirection,
    /// UIDVALIDITY and UID in the inbox; `None` for a mail with an unreliable `Message-ID`.
    pub number: Option<(u32, u32)>,
    /// Report about a mail sent by this service.
    pub returned: Option<MailReturn>,
    /// State in the mailbox before it was connected; `None` for new mail.
    pub earlier: Option<EarlierArrival>,
}

/// Report of a mail server about a mail it had accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailReturn {
    /// `Message-ID` of the reported mail.
    pub header_id: String,
    /// False for mail that is delayed or was delivered.
    pub has_failed: bool,
    pub why: String,
}

/// Stores a mail, once.
pub fn arrive(work: &Work<'_>, channel: &ChannelRow, arrived: ArrivedMail) -> Result<(), ApiError> {
    if let Some(arrival) = arrived.earlier {
        return earlier::file(work, channel, arrived, arrival);
    }
    let ArrivedMail { mut mail, kept, direction, number, returned, .. } = arrived;
    let id = mail.header_id.clone().unwrap_or_default();
    if let Some((validity, uid)) = number {
        ingress::is_new(work.db, &channel.id, &filing::numbered(validity, uid), &id)?;
    }
    match direction {
        MailDirection::SentToSelf => return Ok(()),
        MailDirection::Sent => return own(work, channel, mail, kept),
        MailDirection::Inbound => {}
    }
    if !repeats::is_new(work, channel, INBOX, &mail)? {
        return Ok(());
    }
    keep(work, channel, kept)?;
    if let Some(returned) = &returned {
        mail.in_reply_to = Some(returned.header_id.clone());
        come_back(work, channel, returned)?;
    }
    // A mail that is answered has arrived.
    for answered in mail.in_reply_to.iter().chain(&mail.references) {
        has_left(work, channel, answered)?;
    }
    let received = receive::receive(work, channel, &mail)?;
    filing::keep_among_spam(work, channel, &received.thread)?;
    // Only the author's own address is answered automatically: nobody else may learn what the assistant knows
    // about the customer.
    if !mail.is_automatic && mail.is_answerable() && mail.answers_go_to == AnswerTarget::Author {
        answering::expect(work, channel, &received.thread)?;
    }
    Ok(())
}

fn keep(work: &Work<'_>, channel: &ChannelRow, files: Vec<MediaRow>) -> Result<(), DatabaseError> {
    files.into_iter().try_for_each(|file| {
        media::insert(work.db, &MediaRow { workspace: channel.workspace.clone(), ..file }, work.now)
    })
}

/// Stores a mail sent from the mailbox, unless this service sent it, as its `Message-ID` shows.
fn own(
    work: &Work<'_>,
    channel: &ChannelRow,
    mail: InboundMail,
    kept: Vec<MediaRow>,
) -> Result<(), ApiError> {
    let header_id = mail.header_id.clone().unwrap_or_default();
    let id = header_id.trim_start_matches('<').split('@').next().unwrap_or_default();
    let ours = egress::read(work.db, id)?.is_some_and(|egress_row| egress_row.channel == channel.id);
    let is_new = repeats::is_new(work, channel, SENT, &mail)?;
    if ours || !is_new {
        return has_left(work, channel, &header_id);
    }
    keep(work, channel, kept)?;
    let people: Vec<&str> = mail.to.iter().chain(&mail.copies).map(String::as_str).collect();
    let answered = receive::answered(work, channel, &mail, &people)?;
    let stamp = work.stamp();
    let thread = match answered {
        Some((_, thread)) => thread,
        None => {
            let is_other = |text: &&&str| !text.eq_ignore_ascii_case(&mail.from);
            let contact = people.iter().find(is_other).copied().unwrap_or(mail.from.as_str());
            let made = receive::fresh(work.id("thread", stamp), channel, &mail.subject, contact, stamp);
            let made = ThreadRow { folder: SENT.to_owned(), is_read: true, ..made };
            threads::insert(work.db, &made)?;
            made
        }
    };
    if !mail.is_automatic {
        takeover::person_answered(work, Subject::Thread(&thread.id))?;
    }
    let row = receive::sent_row(work.id("mail", stamp), &thread.id, channel, &mail, stamp);
    Ok(settle::put(work, channel, &row)?)
}

/// Settles a mail of unknown outcome as sent.
fn has_left(work: &Work<'_>, channel: &ChannelRow, header_id: &str) -> Result<(), ApiError> {
    let found = emails::find(work.db, &channel.id, header_id)?;
    let Some(mail) =
        found.filter(|email_row| email_row.direction == "outbound" && email_row.status == UNKNOWN)
    else {
        return Ok(());
    };
    let row =
        egress::read(work.db, &mail.id)?.filter(|egress_row| egress_row.state == EgressState::Unknown.word());
    let Some(row) = row else { return Ok(()) };
    carried::confirm(
        work,
        &row,
        CarryOutcome::Taken { platform_id: header_id.to_owned(), fate: Fate::Sent, reached: None },
    )
}

/// Applies a server's report about a mail of this service.
fn come_back(work: &Work<'_>, channel: &ChannelRow, returned: &MailReturn) -> Result<(), ApiError> {
    has_left(work, channel, &returned.header_id)?;
    let found = emails::find(work.db, &channel.id, &returned.header_id)?;
    if let Some(mail) = found.filter(|email_row| email_row.direction == "outbound" && returned.has_failed) {
        tracing::info!(mail = mail.id, why = returned.why, "a mail came back");
        emails::fail(work.db, &mail.id)?;
        threads::prioritize(work.db, &mail.thread, "high")?;
    }
    Ok(())
}
