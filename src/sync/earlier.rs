//! Messages and mails from before the channel was connected, which the service imports at their own times and without
//! an event. They are far below the top of the list, where no poll looks: when the account reports more of them than at
//! the last reading, the whole list is read again. The next audit finds those of known conversations by the counts of
//! the list.

use crate::ChannelSync;
use crate::audit::AUDITED_AT_MARK;
use crate::conversations::{REMAINING_FROM_MARK, REST, SINCE};
use crate::report::PullError;
use crate::trigger::time_to_mark;
use model::account::EarlierImport;
use model::time::Timestamp;

/// Mark: number of imported messages when the whole list was last read, and true if no more waited.
const IMPORTED_MARK: &str = "imported";

impl ChannelSync {
    /// Requests a reading of the whole list if messages were imported since the last one.
    pub(crate) async fn reread_after_import(&self, import: EarlierImport) -> Result<(), PullError> {
        let EarlierImport { filed, is_finished } = import;
        let read_now = (IMPORTED_MARK, Some(format!("{filed} {is_finished}")));
        if self.time_mark(SINCE).await?.is_none() {
            // The first reading of a new installation lists them, too.
            return Ok(self.store.set_meta(self.id(), vec![read_now]).await?);
        }
        let known = self.store.meta(self.id(), IMPORTED_MARK).await?;
        let (seen, had_finished) =
            known.as_deref().and_then(|text| text.split_once(' ')).unwrap_or(("0", "false"));
        let seen: u64 = seen.parse().unwrap_or(0);
        // While the import runs, only a large increase counts.
        let is_more = filed / 2 >= seen.max(1) || (is_finished && filed > seen);
        let is_news = is_more || (is_finished && had_finished != "true" && filed > 0);
        let is_being_read = self.store.meta(self.id(), REST).await?.is_some();
        if !is_news || is_being_read {
            return Ok(());
        }
        let marks = vec![
            read_now,
            (REST, Some(String::new())),
            (REMAINING_FROM_MARK, None),
            (AUDITED_AT_MARK, Some(time_to_mark(Some(Timestamp::default())))),
        ];
        Ok(self.store.set_meta(self.id(), marks).await?)
    }
}
