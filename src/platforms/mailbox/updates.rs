//! Stored form of an update of a mailbox before it is processed: a line of JSON, and the
//! mail as it came.

use crate::contract::{InboundUpdate, PlatformError};
use api::carriers::MailUpdateHeader;

/// All updates of a mailbox are processed in the order in which they were read.
const MAILBOX_LANE: &str = "mailbox";

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

/// Splits a stored update into its header and the mail.
pub fn split_update(piece: &[u8]) -> Option<(MailUpdateHeader, &[u8])> {
    let end = piece.iter().position(|byte| *byte == b'\n')?;
    Some((serde_json::from_slice(&piece[..end]).ok()?, &piece[end + 1..]))
}
