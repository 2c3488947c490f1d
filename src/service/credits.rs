//! Paying for a write: a refusal that says what is needed and what there is.
//! Interface: Limits, Credit costs; Errors, INSUFFICIENT_CREDITS.

use crate::auth::Caller;
use crate::database::workspaces;
use crate::errors::ApiError;
use crate::write::Work;
use wire::errors::ErrorCode;

/// What a paid write cost and left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Payment {
    /// Credits taken; none for a test key.
    pub used: i64,
    /// The balance after it.
    pub remaining: i64,
}

/// Takes the price of something with an id. Test keys pay nothing.
///
/// # Errors
/// `INSUFFICIENT_CREDITS` when the balance is lower than the price.
pub fn pay(
    work: &Work<'_>,
    caller: &Caller,
    price: i64,
    what: &str,
    reference: &str,
) -> Result<Payment, ApiError> {
    if work.test {
        let remaining = workspaces::read(work.db, &caller.workspace)?.balance;
        return Ok(Payment { used: 0, remaining });
    }
    match workspaces::charge(work.db, &caller.workspace, price, what, reference, work.now)? {
        Ok(remaining) => Ok(Payment { used: price, remaining }),
        Err(balance) => Err(ApiError::new(
            ErrorCode::InsufficientCredits,
            format!("this costs more than there is: required {price} credits, available {balance}"),
        )),
    }
}
