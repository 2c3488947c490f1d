//! A mail that was read of the mailbox: somebody's, a server's report, or the
//! mailbox's own.

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

/// What came into the inbox is noted under this name.
pub const INBOX: &str = "inbox";

/// A mail that was read of a mailbox.
#[derive(Debug, Clone, Default)]
pub struct ArrivedMail {
    pub mail: InboundMail,
    pub files: Vec<ParcelFile>,
    /// The same, once it lies here.
    pub kept: Vec<MediaRow>,
    pub direction: MailDirection,
    /// Its number in the inbox, behind what it counts under; none of a mail
    /// whose `Message-ID` says nothing.
    pub number: Option<(u32, u32)>,
    /// What it reports of a mail that was sent from here.
    pub returned: Option<MailReturn>,
    /// How it lay in the mailbox before that was connected; `None` for news.
    pub earlier: Option<EarlierArrival>,
}

/// What a server reports of a mail it had taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailReturn {
    /// The `Message-ID` of that mail.
    pub header_id: String,
    /// Whether it does not arrive; otherwise it is only late, or arrived.
    pub has_failed: bool,
    pub why: String,
}

/// Takes a mail in, once.
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
    // A sender who answers a mail has got it.
    for answered in mail.in_reply_to.iter().chain(&mail.references) {
        has_left(work, channel, answered)?;
    }
    let received = receive::receive(work, channel, &mail)?;
    filing::keep_among_spam(work, channel, &received.thread)?;
    // Who an answer goes to has written it themselves: nobody else is told
    // what the assistant knows of them.
    if !mail.is_automatic && mail.is_answerable() && mail.answers_go_to == AnswerTarget::Author {
        answering::expect(work, &received.thread)?;
    }
    Ok(())
}

fn keep(work: &Work<'_>, channel: &ChannelRow, files: Vec<MediaRow>) -> Result<(), DatabaseError> {
    files.into_iter().try_for_each(|it| {
        media::insert(work.db, &MediaRow { workspace: channel.workspace.clone(), ..it }, work.now)
    })
}

/// A mail that was sent from the mailbox: from here, which is known by its
/// name, or by another program.
fn own(
    work: &Work<'_>,
    channel: &ChannelRow,
    mail: InboundMail,
    kept: Vec<MediaRow>,
) -> Result<(), ApiError> {
    let header_id = mail.header_id.clone().unwrap_or_default();
    let id = header_id.trim_start_matches('<').split('@').next().unwrap_or_default();
    let ours = egress::read(work.db, id)?.is_some_and(|it| it.channel == channel.id);
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

/// A mail from here has certainly left, whatever its attempt was answered.
fn has_left(work: &Work<'_>, channel: &ChannelRow, header_id: &str) -> Result<(), ApiError> {
    let found = emails::find(work.db, &channel.id, header_id)?;
    let Some(mail) = found.filter(|it| it.direction == "outbound" && it.status == UNKNOWN) else {
        return Ok(());
    };
    let row = egress::read(work.db, &mail.id)?.filter(|it| it.state == EgressState::Unknown.word());
    let Some(row) = row else { return Ok(()) };
    carried::confirm(
        work,
        &row,
        CarryOutcome::Taken { platform_id: header_id.to_owned(), fate: Fate::Sent, reached: None },
    )
}

/// A server reports of a mail from here.
fn come_back(work: &Work<'_>, channel: &ChannelRow, returned: &MailReturn) -> Result<(), ApiError> {
    has_left(work, channel, &returned.header_id)?;
    let found = emails::find(work.db, &channel.id, &returned.header_id)?;
    if let Some(mail) = found.filter(|it| it.direction == "outbound" && returned.has_failed) {
        tracing::info!(mail = mail.id, why = returned.why, "a mail came back");
        emails::fail(work.db, &mail.id)?;
        threads::prioritize(work.db, &mail.thread, "high")?;
    }
    Ok(())
}
