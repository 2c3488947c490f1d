//! Charging credits for a write (docs/choices.md, "Credits").

use crate::auth::Caller;
use crate::database::workspaces;
use crate::errors::ApiError;
use crate::write::WriteContext;
use wire::errors::ErrorCode;

/// Result of a charge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Payment {
    /// Credits charged; 0 for a test key.
    pub used: i64,
    /// Balance after the charge.
    pub remaining: i64,
}

/// Charges the price of a write, identified by `reference`. A test key is not charged.
///
/// # Errors
/// `INSUFFICIENT_CREDITS` if the balance is lower than the price.
pub fn pay(
    work: &WriteContext<'_>,
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
