//! Bodies of requests: the memory that they may take together, and how they are
//! read.
//!
//! A body of at most [`FREE_BYTES`] is read as it comes. A longer one asks for
//! room for its whole length as soon as more than that has come, so that two
//! half-read bodies never wait for each other. Room is shared out by these
//! rules:
//!
//! - All rooms together, those of one API key, those of one address without a
//!   key, and those of all addresses without a key each have a maximum.
//! - Who asks first is served first. A body that waits for its own share holds
//!   nobody else back; one that waits for the sum holds back only other large ones.
//! - A body that comes slower than [`MIN_RATE`] is refused.
//! - A body that comes slower than [`CONTENDED_RATE`] gives way when another
//!   waits that its room would help.
//!
//! | file | knows |
//! |---|---|
//! | `ledger.rs` | who holds and who waits; decides, and has no clock |
//! | `budget.rs` | waiting for room, and giving it back |
//! | `reader.rs` | a body as it comes in |

mod budget;
mod ledger;
mod reader;

pub use budget::{BodyBudget, BodyRoom};
pub use ledger::BodyOwner;
pub use reader::{BodyReader, BodyRules, LARGE_PATIENCE};

/// Size up to which a body needs no room, in bytes.
pub const FREE_BYTES: usize = 16 * 1024;
/// Maximum of all rooms together, in bytes: two keys with a mail of the largest
/// size each.
const TOTAL_BYTES: usize = 80 * 1024 * 1024;
/// Maximum of the rooms of one API key, in bytes: one mail of the largest size.
const KEY_BYTES: usize = 40 * 1024 * 1024;
/// Maximum of the rooms of one address without a key, in bytes: two of the
/// largest calls of a platform.
const ADDRESS_BYTES: usize = 8 * 1024 * 1024;
/// Maximum of the rooms of all addresses without a key, in bytes.
const ADDRESSES_BYTES: usize = 16 * 1024 * 1024;
/// Size up to which a body does not wait behind a larger one, in bytes.
const MEDIUM_BYTES: usize = 1024 * 1024;
/// Bytes a second that a body with room must have had on average.
const MIN_RATE: i64 = 1024;
/// Seconds after which [`MIN_RATE`] holds.
const MIN_RATE_AFTER: i64 = 10;
/// The same where another body waits for the room.
const CONTENDED_RATE: i64 = 64 * 1024;
/// Seconds after which [`CONTENDED_RATE`] holds.
const CONTENDED_RATE_AFTER: i64 = 5;
