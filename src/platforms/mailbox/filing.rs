//! Changes in the mailbox: flags, moves, and the copy of sent mail. All of them may be repeated.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::sleep;

use crate::contract::{PlatformError, SendOutcome, SimulatedDelivery};
use crate::mailbox::MailboxPlatform;
use crate::mailbox::imap::{COMMAND_TIMEOUT, INBOX, ImapLink, with_timeout, with_timeout_unless_refused};
use api::carriers::{MailEnvelope, MailFiling};

const SEEN: &str = "\\Seen";
const FLAGGED: &str = "\\Flagged";
const ANSWERED: &str = "\\Answered";
/// How often a server is asked for the copy of a mail that it stores itself, and the time between.
const SENT_COPY_TRIES: u32 = 6;
const SENT_COPY_PAUSE: Duration = Duration::from_millis(700);

#[derive(Clone, Copy)]
enum FolderTask<'a> {
    /// With the further folders that are read.
    Change(&'a MailFiling, &'a [String]),
    Copy(&'a MailEnvelope, &'a [u8]),
}

impl FolderTask<'_> {
    async fn run(self, link: &mut ImapLink) -> Result<(), PlatformError> {
        match self {
            Self::Change(filing, further) => apply_filing(link, filing, further).await,
            Self::Copy(envelope, bytes) => append_sent_copy(link, envelope, bytes).await,
        }
    }
}

impl MailboxPlatform {
    pub(super) async fn file(&self, filing: &MailFiling) -> SendOutcome {
        let done = self.run_on_worker(FolderTask::Change(filing, &self.settings.folders)).await;
        // Forces a full read of the flags, so that simultaneous changes by others are noticed.
        self.changed.store(true, Ordering::SeqCst);
        match done {
            Ok(()) => SendOutcome::Taken {
                platform_id: String::new(),
                fate: SimulatedDelivery::Sent,
                reached: None,
            },
            Err(PlatformError { why, pause }) => SendOutcome::Later { after: pause, why },
        }
    }

    /// Stores a copy of a sent mail and flags the mail it answers. A failure does not change the
    /// outcome of the send.
    pub(super) async fn store_sent_copy(&self, envelope: &MailEnvelope, bytes: &[u8]) {
        for attempt in 1..=2 {
            match self.run_on_worker(FolderTask::Copy(envelope, bytes)).await {
                Ok(()) => return,
                Err(why) => {
                    tracing::warn!(%why, attempt, "the copy of a sent mail could not be stored")
                }
            }
        }
    }

    /// Runs a task on the second connection, which is opened on demand and dropped on failure.
    async fn run_on_worker(&self, chore: FolderTask<'_>) -> Result<(), PlatformError> {
        let mut place = self.worker.lock().await;
        if let Some(mut link) = place.take()
            && with_timeout(link.session.noop()).await.is_ok()
            && chore.run(&mut link).await.is_ok()
        {
            *place = Some(link);
            return Ok(());
        }
        let mut link = ImapLink::open(&self.imap_server, &self.login, &self.trust).await?;
        chore.run(&mut link).await?;
        *place = Some(link);
        Ok(())
    }
}

async fn apply_filing(
    link: &mut ImapLink,
    filing: &MailFiling,
    further: &[String],
) -> Result<(), PlatformError> {
    let goes = match filing.folder.as_deref() {
        Some(word) => with_timeout(link.ensure_named_folder(word)).await?,
        None => None,
    };
    // A mail that a person moved to another folder is not searched for.
    let lay = filing.lay.as_deref().filter(|lay| *lay != "sent");
    let mut folders: Vec<String> = Vec::new();
    for word in ["inbox", "archive", "trash", "spam"].into_iter().chain(lay) {
        folders.extend(link.folder_name(word).filter(|folder| !folders.contains(folder)));
    }
    for name in further {
        if !folders.contains(name) {
            folders.push(name.clone());
        }
    }
    for folder in folders {
        let is_further = further.contains(&folder);
        match is_further {
            // A further folder may have been removed.
            true => match with_timeout_unless_refused(COMMAND_TIMEOUT, link.enter(&folder)).await? {
                Some(_) => {}
                None => continue,
            },
            false => drop(with_timeout(link.enter(&folder)).await?),
        }
        let mut all = Vec::new();
        for (index, id) in filing.mails.iter().enumerate() {
            for uid in with_timeout(link.find(id)).await? {
                all.push((index, uid));
            }
        }
        let every: Vec<u32> = all.iter().map(|pair| pair.1).collect();
        let newest: Vec<u32> = all.iter().filter(|pair| pair.0 == 0).map(|pair| pair.1).collect();
        for (flag, wanted, set, unset) in
            [(SEEN, filing.seen, &every, &newest), (FLAGGED, filing.flagged, &newest, &every)]
        {
            match wanted {
                Some(true) => with_timeout(link.flag(set, flag, true)).await?,
                Some(false) => with_timeout(link.flag(unset, flag, false)).await?,
                None => {}
            }
        }
        // Mail of a further folder is shown in the inbox without being moved there.
        let stays = |goes: &String| *goes == folder || (is_further && goes == INBOX);
        if let Some(goes) = goes.as_ref().filter(|goes| !stays(goes)) {
            with_timeout(link.move_to(&every, goes)).await?;
        }
    }
    Ok(())
}

/// Returns true if the server has stored a copy itself. Waits a while for it where servers are known to do so.
async fn has_sent_copy(
    link: &mut ImapLink,
    sent: &str,
    envelope: &MailEnvelope,
) -> Result<bool, PlatformError> {
    let tries = if link.stores_sent { SENT_COPY_TRIES } else { 1 };
    for attempt in 1..=tries {
        with_timeout(link.enter(sent)).await?;
        if !with_timeout(link.find(&envelope.header_id)).await?.is_empty() {
            return Ok(true);
        }
        if attempt < tries {
            sleep(SENT_COPY_PAUSE).await;
        }
    }
    Ok(false)
}

async fn append_sent_copy(
    link: &mut ImapLink,
    envelope: &MailEnvelope,
    bytes: &[u8],
) -> Result<(), PlatformError> {
    let sent = link.sent.clone();
    if !has_sent_copy(link, &sent, envelope).await? {
        with_timeout(link.session.append(&sent, Some("(\\Seen)"), None, bytes)).await?;
    }
    if let Some(answered) = &envelope.answers {
        with_timeout(link.enter(INBOX)).await?;
        let uids = with_timeout(link.find(answered)).await?;
        with_timeout(link.flag(&uids, &format!("{ANSWERED} {SEEN}"), true)).await?;
    }
    Ok(())
}
