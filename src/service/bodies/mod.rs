//! Request bodies: how they are read, and the memory they may use together.
//!
//! A body of at most [`MAX_UNRESERVED_BYTES`] is read without a reservation. A longer one reserves memory for its whole
//! length as soon as more than that has arrived, so that two half-read bodies never wait for each other:
//!
//! - Separate maxima hold for all reservations, for those of one API key, of one address without a key, and
//!   of all addresses without a key.
//! - Reservations are granted in order of request. A body that waits for its owner's share blocks nobody
//!   else; one that waits for the total blocks only bodies above [`MAX_MEDIUM_BYTES`].
//! - A body slower than [`MIN_RATE`] is refused.
//! - A body slower than [`MIN_CONTENDED_RATE`] yields its memory if a waiting body can use it.

mod budget;
mod ledger;
mod reader;

pub use budget::{BodyBudget, BodyReservation};
pub use ledger::BodyOwner;
pub use reader::{BodyReader, BodyRules, LARGE_BODY_TIMEOUT};

/// Maximum size of a body without a reservation, in bytes.
pub const MAX_UNRESERVED_BYTES: usize = 16 * 1024;
/// Maximum of all reservations, in bytes: the largest mail of two keys.
const MAX_TOTAL_BYTES: usize = 80 * 1024 * 1024;
/// Maximum of one API key's reservations, in bytes: one mail of the largest size.
const MAX_KEY_BYTES: usize = 40 * 1024 * 1024;
/// Maximum of the reservations of one address without a key, in bytes: two of a platform's largest webhooks.
const MAX_ADDRESS_BYTES: usize = 8 * 1024 * 1024;
/// Maximum of the reservations of all addresses without a key, in bytes.
const MAX_ALL_ADDRESSES_BYTES: usize = 16 * 1024 * 1024;
/// Maximum size of a body that may overtake a larger one in the queue, in bytes.
const MAX_MEDIUM_BYTES: usize = 1024 * 1024;
/// Minimum average rate of a body with a reservation, in bytes per second.
const MIN_RATE: i64 = 1024;
/// Seconds after which [`MIN_RATE`] applies.
const MIN_RATE_GRACE_SECONDS: i64 = 10;
/// Minimum average rate while another body waits for memory, in bytes per second.
const MIN_CONTENDED_RATE: i64 = 64 * 1024;
/// Seconds after which [`MIN_CONTENDED_RATE`] applies.
const CONTENDED_GRACE_SECONDS: i64 = 5;
