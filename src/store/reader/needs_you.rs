//! Page "Needs you", read in one transaction.

use rusqlite::Connection;

use crate::StoreError;
use crate::reader::{attention, desk, digest, row_outcomes};
use model::attention::AttentionQuery;
use model::needs_you::NeedsYouPage;

const MAX_PAUSES: u32 = 500;

pub(crate) fn load_page(connection: &Connection, query: &AttentionQuery) -> Result<NeedsYouPage, StoreError> {
    let (entries, more_entries) = attention::list(connection, query)?;
    let mut paused = row_outcomes::paused_entries(connection, MAX_PAUSES + 1)?;
    paused.retain(|pause| query.channels.contains(&pause.channel));
    let (paused, more_paused) = desk::truncate_rows(paused, MAX_PAUSES);
    let digest = digest::digest(connection, &query.channels)?;
    Ok(NeedsYouPage::from_parts(entries, paused, digest, more_entries || more_paused))
}
