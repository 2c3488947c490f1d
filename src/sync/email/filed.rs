//! Follow-up of an accepted thread change (`updateEmailThread`). The answer does not show which fields
//! were applied, so a change counts once a reading confirms it.

use crate::ChannelSync;
use crate::report::PullError;
use client::ReadError;
use model::email::{Thread, ThreadField};
use model::ids::{ConversationId, ThreadId};
use model::news::News;
use model::outbox::content::{ThreadChange, ThreadPlace};
use model::outbox::{Operation, OutboxRow};
use model::text::SafeText;
use model::time::Timestamp;
use store::ThreadChangeOutcome;

/// Result of reading a change back.
enum ReadBack {
    Compared(ThreadChangeOutcome),
    /// The thread no longer exists.
    Removed,
    /// Could not be read now.
    Unread,
}

impl ChannelSync {
    /// Records an accepted change: fields not yet confirmed to work are read back, and fields the server
    /// ignored are kept locally.
    pub(crate) async fn record_thread_change(&self, row: &OutboxRow, test: bool) -> Result<(), PullError> {
        let Operation::ChangeThread { thread, change } = &row.operation else { return Ok(()) };
        let id = ConversationId::new(thread.as_str());
        let filed = match self.read_back(&id, change, test).await? {
            ReadBack::Compared(filed) => filed,
            ReadBack::Removed => return Ok(()),
            // Assumed applied; the next change reads back again.
            ReadBack::Unread => return Ok(self.store.apply_thread_change(self.id(), &id, change).await?),
        };
        let first = self.store.record_thread_change(self.id(), &id, change, &filed, self.clock.now()).await?;
        self.store.apply_thread_change(self.id(), &id, &without_fields(change, &filed.ignored)).await?;
        if let (true, Some(place)) = (filed.ignored.contains(&ThreadField::Place), &change.place) {
            let archived = match place {
                ThreadPlace::Archived(archived) => *archived,
                ThreadPlace::Folder(name) => model::email::is_archive(name),
            };
            self.store.move_thread_here(self.id(), &id, archived).await?;
        }
        if let Some(field) = first.first() {
            let is_folder = *field == ThreadField::Place && names_folder(change);
            let name = if is_folder { "folder" } else { field.wire_name() };
            let words = format!("on this desk only: the server did not accept `{name}`");
            self.publish(News::Notice(self.id().clone(), Some(id), SafeText::line(&words)));
        }
        Ok(())
    }

    /// Keeps an automatic change that was refused locally, so that it is not queued again.
    pub(crate) async fn apply_change_locally(&self, row: &OutboxRow) -> Result<(), PullError> {
        let Operation::ChangeThread { thread, change } = &row.operation else { return Ok(()) };
        let id = ConversationId::new(thread.as_str());
        let filed = ThreadChangeOutcome { ignored: changed_fields(change), ..ThreadChangeOutcome::default() };
        self.store.record_thread_change(self.id(), &id, change, &filed, self.clock.now()).await?;
        Ok(())
    }

    /// Compares the fields of a change with a reading.
    async fn read_back(
        &self,
        id: &ConversationId,
        change: &ThreadChange,
        test: bool,
    ) -> Result<ReadBack, PullError> {
        let asked = changed_fields(change);
        if test {
            // Requests with a test key change nothing.
            return Ok(ReadBack::Compared(ThreadChangeOutcome {
                ignored: asked,
                ..ThreadChangeOutcome::default()
            }));
        }
        let works = self.store.working_fields(self.id()).await?;
        // Support for archiving does not imply support for every folder.
        if asked.iter().all(|thread_field| works.contains(thread_field)) && !names_folder(change) {
            return Ok(ReadBack::Compared(ThreadChangeOutcome::default()));
        }
        let before = self.store.reported_thread(self.id(), id).await?;
        match self.client.for_person().email_thread(&ThreadId::new(id.as_str()), None).await {
            Ok(whole) => {
                let seen = whole.mails.iter().filter_map(|mail| mail.message.created_at).max();
                let seen = seen.or(whole.conversation.last_message_at).or(Some(Timestamp::default()));
                let ignored = differing_fields(change, &whole.thread);
                let proved = differing_fields(change, &before)
                    .into_iter()
                    .filter(|thread_field| !ignored.contains(thread_field));
                Ok(ReadBack::Compared(ThreadChangeOutcome { accepted: proved.collect(), ignored, seen }))
            }
            Err(ReadError::NotFound(_)) => Ok(ReadBack::Removed),
            Err(error) => {
                tracing::info!(channel = %self.id(), %error, "a changed thread could not be read back");
                Ok(ReadBack::Unread)
            }
        }
    }

    /// Reads the thread of an accepted mail at once, so that the mail is shown.
    pub(crate) async fn read_sent_mail(
        &self,
        row: &OutboxRow,
        thread: Option<&ThreadId>,
    ) -> Result<(), PullError> {
        let Some(thread) = thread else { return Ok(()) };
        let id = ConversationId::new(thread.as_str());
        let turn = self.wait_for_history().await;
        let read = self.read_thread(&turn, &self.client.for_person(), &id).await;
        drop(turn);
        if let Err(error) = read {
            // The next list brings it.
            tracing::info!(channel = %self.id(), %error, "a thread could not be read after a send");
        }
        if let Some(before) = row.lane.conversation() {
            self.publish(News::Mailed(self.id().clone(), before.clone(), id));
        }
        Ok(())
    }
}

fn names_folder(change: &ThreadChange) -> bool {
    matches!(change.place, Some(ThreadPlace::Folder(_)))
}

fn changed_fields(change: &ThreadChange) -> Vec<ThreadField> {
    let asked = [
        (ThreadField::Read, change.is_read.is_some()),
        (ThreadField::Star, change.is_starred.is_some()),
        (ThreadField::Place, change.place.is_some()),
        (ThreadField::Category, change.category.is_some()),
        (ThreadField::Priority, change.priority.is_some()),
    ];
    asked.into_iter().filter(|pair| pair.1).map(|pair| pair.0).collect()
}

/// Fields of a change that a reading shows with another value or not at all.
fn differing_fields(change: &ThreadChange, reported: &Thread) -> Vec<ThreadField> {
    let same = |reported: &Option<SafeText>, wanted: &str| {
        reported
            .as_ref()
            .is_some_and(|text| text.as_str().eq_ignore_ascii_case(SafeText::line(wanted).as_str()))
    };
    let shows = |field: &ThreadField| match field {
        ThreadField::Read => reported.is_read == change.is_read,
        ThreadField::Star => reported.is_starred == change.is_starred,
        ThreadField::Category => {
            change.category.as_ref().is_some_and(|category| same(&reported.category, category))
        }
        ThreadField::Priority => {
            change.priority.as_ref().is_some_and(|priority| same(&reported.priority, priority))
        }
        ThreadField::Place => match &change.place {
            Some(ThreadPlace::Archived(wanted)) => {
                reported.folder.is_some() && reported.is_archived() == *wanted
            }
            Some(ThreadPlace::Folder(name)) => same(&reported.folder, name),
            None => true,
        },
    };
    changed_fields(change).into_iter().filter(|field| !shows(field)).collect()
}

fn without_fields(change: &ThreadChange, ignored: &[ThreadField]) -> ThreadChange {
    let keeps = |field| !ignored.contains(&field);
    ThreadChange {
        is_read: change.is_read.filter(|_| keeps(ThreadField::Read)),
        is_starred: change.is_starred.filter(|_| keeps(ThreadField::Star)),
        place: change.place.clone().filter(|_| keeps(ThreadField::Place)),
        category: change.category.clone().filter(|_| keeps(ThreadField::Category)),
        priority: change.priority.clone().filter(|_| keeps(ThreadField::Priority)),
        unasked: change.unasked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_reading_does_not_show_was_ignored() {
        let wanted = ThreadChange {
            is_read: Some(true),
            is_starred: Some(true),
            place: Some(ThreadPlace::Archived(true)),
            category: Some("Orders".to_owned()),
            priority: None,
            unasked: false,
        };
        let told = Thread {
            is_read: Some(true),
            is_starred: Some(true),
            folder: Some(SafeText::line("archive")),
            category: Some(SafeText::line("orders")),
            ..Thread::default()
        };
        let cases = [
            (told.clone(), vec![]),
            (Thread { is_read: None, ..told.clone() }, vec![ThreadField::Read]),
            (Thread { is_starred: Some(false), ..told.clone() }, vec![ThreadField::Star]),
            (Thread { folder: None, ..told.clone() }, vec![ThreadField::Place]),
            (
                Thread { folder: Some(SafeText::line("inbox")), category: None, ..told },
                vec![ThreadField::Place, ThreadField::Category],
            ),
        ];
        for (told, fields) in cases {
            assert_eq!(differing_fields(&wanted, &told), fields, "{told:?}");
        }
        assert_eq!(without_fields(&wanted, &ThreadField::ALL), ThreadChange::default());
    }
}
