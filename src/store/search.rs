//! Full-text index of the cache: its entries, its queries and its construction for an older cache.
//!
//! Schema triggers update it in the transaction that changes a message or a name. It stores each
//! word once per message, without positions, so a hit is checked against the text before it is
//! shown.

use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, TransactionBehavior, params};

use crate::{Store, StoreError, filter};
use model::ids::ChannelId;
use model::search::{Term, Terms, WordKind, split_words};
use sqlite::Queries;

/// Messages indexed per batch; other jobs wait for a batch.
const INDEX_BATCH: i64 = 500;

/// Longest prefix, in characters, that the index stores by itself (`prefix` in the schema). Shorter
/// prefixes are walked from the newest message; longer ones are collected completely before the
/// first hit.
pub(crate) const MAX_PREFIX_CHARS: usize = 4;

/// Registers the functions used by the cache's triggers.
pub(crate) fn install(connection: &Connection) -> rusqlite::Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("search_words", 3, flags, |arguments| {
        let text = arguments.get_raw(0).as_str_or_null()?.unwrap_or("");
        let channel = arguments.get_raw(1).as_str()?;
        Ok(index_text(text, channel, arguments.get(2)?))
    })?;
    filter::install_order(connection)
}

/// Returns the indexed form of a text: its words, and marks for the channel and the conversation.
fn index_text(text: &str, channel: &str, conversation: i64) -> String {
    let mut out = format!("{} {}", channel_mark(channel), conversation_mark(conversation));
    for word in split_words(text) {
        match word.kind {
            WordKind::Spaced | WordKind::Picture => {
                out.push(' ');
                out.push_str(&word.folded);
            }
            WordKind::Run => push_pairs(&word.folded, &mut out),
        }
    }
    out
}

/// Appends all pairs of neighbours and the last character, so that every character begins an
/// indexed word.
fn push_pairs(run: &str, out: &mut String) {
    let mut rest = run.chars().peekable();
    while let Some(character) = rest.next() {
        out.push(' ');
        out.push(character);
        out.extend(rest.peek());
    }
}

/// Encodes a mark as private-use characters, which safe text never contains.
fn encode_mark(area: u32, bytes: &str) -> String {
    bytes.bytes().filter_map(|byte| char::from_u32(area + u32::from(byte))).collect()
}

fn channel_mark(channel: &str) -> String {
    encode_mark(0xe100, channel)
}

fn conversation_mark(number: i64) -> String {
    encode_mark(0xe200, &number.to_string())
}

/// Returns the FTS query. All input is quoted, so none of it can act as an operator.
pub(crate) fn expression(terms: &Terms, channel: Option<&ChannelId>, conversation: Option<i64>) -> String {
    let mut parts: Vec<String> = terms.iter().flat_map(term_expressions).collect();
    parts.extend(conversation.map(|conversation| quote(&conversation_mark(conversation))));
    parts.extend(channel.map(|channel| quote(&channel_mark(channel.as_str()))));
    parts.join(" AND ")
}

fn term_expressions(term: &Term) -> Vec<String> {
    let characters: Vec<char> = term.text.chars().collect();
    match term.kind {
        WordKind::Picture => vec![quote(&term.text)],
        WordKind::Spaced if term.is_letter() => vec![quote(&term.text)],
        WordKind::Run if characters.len() > 1 => {
            characters.windows(2).map(|pair| quote(&pair.iter().collect::<String>())).collect()
        }
        WordKind::Spaced | WordKind::Run => vec![format!("{} *", quote(&term.text))],
    }
}

fn quote(word: &str) -> String {
    format!("\"{}\"", word.replace('"', "\"\""))
}

/// True if messages are still to be indexed.
pub(crate) fn is_partial(connection: &Connection) -> Result<bool, StoreError> {
    Ok(connection.scalar("SELECT below > 0 FROM search_progress", [])?)
}

/// Indexes one batch of older messages; returns true if there are more. Runs while the writer is
/// idle.
pub(crate) fn add_slice(connection: &mut Connection) -> Result<bool, StoreError> {
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let below: i64 = change.scalar("SELECT below FROM search_progress", [])?;
    if below <= 0 {
        return Ok(false);
    }
    let from = below - INDEX_BATCH;
    // The trigger assigns position and words to messages without them.
    change
        .prepare_cached("UPDATE message SET place = NULL WHERE rowid >= ?1 AND rowid < ?2 AND place IS NULL")?
        .execute(params![from, below])?;
    change.prepare_cached("UPDATE search_progress SET below = ?1")?.execute([from.max(0)])?;
    change.commit()?;
    Ok(from > 0)
}

impl Store {
    /// Indexes all remaining messages, batch by batch.
    pub fn finish_index(&self) -> Result<(), StoreError> {
        while self.cache().call(|cache| add_slice(&mut cache.connection))? {}
        Ok(())
    }
}
