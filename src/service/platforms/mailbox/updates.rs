//! Stored form of an update of a mailbox before it is processed: a line of JSON, and the
//! mail as it came.

use crate::carriers::{InboundUpdate, PlatformError};
use wire::carriers::MailUpdateHeader;

/// All pieces of a mailbox are worked on in the order they were read.
const MAILBOX_LANE: &str = "mailbox";

/// A piece as it is kept.
pub fn build_update(
    name: String,
    head: &MailUpdateHeader,
    mail: &[u8],
) -> Result<InboundUpdate, PlatformError> {
    let mut body = serde_json::to_vec(head).map_err(|why| PlatformError::transient(why.to_string()))?;
    body.push(b'\n');
    body.extend_from_slice(mail);
    Ok(InboundUpdate { name, lane: MAILBOX_LANE.to_owned(), body })
}

/// Reads what was kept, and the mail behind it.
pub fn split_update(piece: &[u8]) -> Option<(MailUpdateHeader, &[u8])> {
    let end = piece.iter().position(|byte| *byte == b'\n')?;
    Some((serde_json::from_slice(&piece[..end]).ok()?, &piece[end + 1..]))
}
