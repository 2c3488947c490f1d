//! Balance before and after a costly operation with an unknown outcome, as evidence for the person who
//! decides.

use crate::ChannelSync;
use crate::report::PullError;
use model::outbox::RetryClass;
use model::text::SafeText;
use store::lane::LaneRow;

impl ChannelSync {
    /// Records the balance before the first attempt at a costly operation.
    pub(crate) async fn record_balance(&self, row: &LaneRow) -> Result<(), PullError> {
        if row.row.operation.retry_class() == RetryClass::Guarded
            && row.row.attempts == 0
            && let Some(account) = self.store.account(self.id()).await?
        {
            self.store.record_credits_before(&row.row.id, account.credits).await?;
        }
        Ok(())
    }

    /// Appends the balance before and after to the reason a costly row was stopped.
    pub(crate) async fn with_balance_change(&self, row: &LaneRow, why: SafeText) -> SafeText {
        // A refused key is not tried again here.
        if row.row.operation.retry_class() != RetryClass::Guarded || self.is_stopped() {
            return why;
        }
        // Read now, so that the figure is not older than the attempt.
        let after = self.client.for_person().account().await.ok().map(|account| account.credits);
        SafeText::line(&format!("{why}; {}", describe_balance(row.credits_before, after)))
    }
}

fn describe_balance(before: Option<f64>, after: Option<f64>) -> String {
    match (before, after) {
        (Some(before), Some(after)) if before == after => format!("the balance is {after} credits as before"),
        (Some(before), Some(after)) => format!("the balance was {before} credits and is {after}"),
        (Some(before), None) => format!("the balance was {before} credits and cannot be read now"),
        (None, Some(after)) => format!("the balance is {after} credits"),
        (None, None) => "the balance cannot be read now".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_balance_in_words() {
        let cases = [
            (Some(412.0), Some(212.0), "the balance was 412 credits and is 212"),
            (Some(412.5), Some(412.5), "the balance is 412.5 credits as before"),
            (Some(412.0), None, "the balance was 412 credits and cannot be read now"),
            (None, Some(3.0), "the balance is 3 credits"),
            (None, None, "the balance cannot be read now"),
        ];
        for (before, after, words) in cases {
            assert_eq!(describe_balance(before, after), words);
        }
    }
}
