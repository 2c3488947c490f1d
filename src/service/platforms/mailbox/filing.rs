//! What is changed in the mailbox: marks, folders, the copy of what was sent.
//! All of it may be done twice.

use std::sync::atomic::Ordering;

use crate::carriers::{CarryOutcome, Fate, PlatformTrouble};
use crate::platforms::mailbox::MailboxPlatform;
use crate::platforms::mailbox::imap::{INBOX, ImapLink, timed};
use wire::carriers::{MailEnvelope, MailFiling};

const SEEN: &str = "\\Seen";
const FLAGGED: &str = "\\Flagged";
const ANSWERED: &str = "\\Answered";

/// Something that is done in the mailbox.
#[derive(Clone, Copy)]
enum Chore<'a> {
    Change(&'a MailFiling),
    Copy(&'a MailEnvelope, &'a [u8]),
}

impl Chore<'_> {
    async fn does(self, link: &mut ImapLink) -> Result<(), PlatformTrouble> {
        match self {
            Self::Change(filing) => change(link, filing).await,
            Self::Copy(envelope, bytes) => copy(link, envelope, bytes).await,
        }
    }
}

impl MailboxPlatform {
    /// Changes mails as they are in the interface.
    pub(super) async fn file(&self, filing: &MailFiling) -> CarryOutcome {
        let done = self.with_worker(Chore::Change(filing)).await;
        // What others do to the same mails meanwhile is not missed.
        self.changed.store(true, Ordering::SeqCst);
        match done {
            Ok(()) => CarryOutcome::Taken { platform_id: String::new(), fate: Fate::Sent, reached: None },
            Err(PlatformTrouble { why, pause }) => CarryOutcome::Later { after: pause, why },
        }
    }

    /// Puts a mail that was taken among those that were sent, and marks the one
    /// it answers. The mail has left, whatever becomes of that.
    pub(super) async fn keep_copy(&self, envelope: &MailEnvelope, bytes: &[u8]) {
        for attempt in 1..=2 {
            match self.with_worker(Chore::Copy(envelope, bytes)).await {
                Ok(()) => return,
                Err(why) => {
                    tracing::warn!(%why, attempt, "the copy of a mail that was sent could not be kept")
                }
            }
        }
    }

    /// Does something over the second connection, which is made where it is
    /// missing and given up where it fails.
    async fn with_worker(&self, chore: Chore<'_>) -> Result<(), PlatformTrouble> {
        let mut place = self.worker.lock().await;
        if let Some(mut link) = place.take()
            && timed(link.session.noop()).await.is_ok()
            && chore.does(&mut link).await.is_ok()
        {
            *place = Some(link);
            return Ok(());
        }
        let mut link = ImapLink::open(&self.imap_server, &self.login, &self.trust).await?;
        chore.does(&mut link).await?;
        *place = Some(link);
        Ok(())
    }
}

async fn change(link: &mut ImapLink, filing: &MailFiling) -> Result<(), PlatformTrouble> {
    let goes = match filing.folder.as_deref() {
        Some(word) => timed(link.folder_made(word)).await?,
        None => None,
    };
    // A mail that a person has put elsewhere is not looked for.
    let lay = filing.lay.as_deref().filter(|lay| *lay != "sent");
    let mut folders: Vec<String> = Vec::new();
    for word in ["inbox", "archive", "trash", "spam"].into_iter().chain(lay) {
        folders.extend(link.folder(word).filter(|folder| !folders.contains(folder)));
    }
    for folder in folders {
        timed(link.enter(&folder)).await?;
        let mut all = Vec::new();
        for (index, id) in filing.mails.iter().enumerate() {
            for uid in timed(link.find(id)).await? {
                all.push((index, uid));
            }
        }
        let every: Vec<u32> = all.iter().map(|pair| pair.1).collect();
        let newest: Vec<u32> = all.iter().filter(|pair| pair.0 == 0).map(|pair| pair.1).collect();
        for (flag, wanted, set, unset) in
            [(SEEN, filing.seen, &every, &newest), (FLAGGED, filing.flagged, &newest, &every)]
        {
            match wanted {
                Some(true) => timed(link.flag(set, flag, true)).await?,
                Some(false) => timed(link.flag(unset, flag, false)).await?,
                None => {}
            }
        }
        if let Some(goes) = goes.as_ref().filter(|text| **text != folder) {
            timed(link.move_to(&every, goes)).await?;
        }
    }
    Ok(())
}

async fn copy(link: &mut ImapLink, envelope: &MailEnvelope, bytes: &[u8]) -> Result<(), PlatformTrouble> {
    let sent = link.sent.clone();
    timed(link.enter(&sent)).await?;
    // Some servers keep what they send by themselves.
    if timed(link.find(&envelope.header_id)).await?.is_empty() {
        timed(link.session.append(&sent, Some("(\\Seen)"), None, bytes)).await?;
    }
    if let Some(answered) = &envelope.answers {
        timed(link.enter(INBOX)).await?;
        let uids = timed(link.find(answered)).await?;
        timed(link.flag(&uids, &format!("{ANSWERED} {SEEN}"), true)).await?;
    }
    Ok(())
}
