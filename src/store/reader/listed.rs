//! Searches list entries: mail threads by subject, phone conversations by the newest call or text.
//! Their messages need not be stored.

use rusqlite::{Connection, params};

use crate::{StoreError, search};
use model::account::Platform;
use model::conversations::title_of;
use model::search::{ListedHit, SearchQuery, Snippet, Terms};
use sqlite::{Row, read_row};

pub(crate) fn find_listed(
    connection: &Connection,
    query: &SearchQuery,
) -> Result<Vec<ListedHit>, StoreError> {
    let terms = Terms::parse(&query.text);
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    // CROSS makes the index the outer loop.
    let sql =
        "SELECT c.channel, c.id, c.name, c.username, c.address, c.preview, c.last_message_at, a.platform
         FROM search_list s CROSS JOIN conversation c ON c.number = s.rowid
         CROSS JOIN account a ON a.channel = c.channel AND a.platform IN (?2, ?3)
         WHERE s.search_list MATCH ?1 ORDER BY c.sort_at DESC, c.id DESC";
    let mut statement = connection.prepare_cached(sql)?;
    let (mail, phone) = (Platform::Email, Platform::Voip);
    let expression = search::expression(&terms, query.channel.as_ref(), None);
    let mut rows = statement.query(params![expression, mail.word(), phone.word()])?;
    let mut hits = Vec::new();
    while let Some(row) = rows.next()? {
        let row = &Row::new(row);
        let told = row.line("preview")?;
        // The index also contains the customer's identity, which is not a hit here.
        let Some(found) = terms.find(told.as_str()) else { continue };
        let conversation = row.get("id")?;
        let address: Option<String> = row.get("address")?;
        let (name, username) = (row.optional_line("name")?, row.optional_line("username")?);
        hits.push(read_row!(row, ListedHit {
            channel, at = last_message_at;
            title: title_of(name.as_ref(), username.as_ref(), address.as_deref(), &conversation),
            conversation,
            is_mail: row.parse_word("platform", |row| row == mail.word())?,
            snippet: Snippet::around_match(&told, &found)
        }));
        if u32::try_from(hits.len()).is_ok_and(|entry| entry >= query.limit) {
            break;
        }
    }
    Ok(hits)
}
