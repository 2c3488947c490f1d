//! Outcomes verified by a read: the server's state counts, not the request or a repeated answer.

use crate::ChannelSync;
use crate::report::PullError;
use client::{Receipt, ReceiptKind, Unclear, WriteOutcome};
use model::conversations::{Automation, ConversationStatus};
use model::ids::{ConversationId, WebhookId};
use model::outbox::{Operation, OutboxRow};
use model::time::{MINUTE, Timestamp};
use store::lane::LaneRow;

/// True if a refusal may mean that the conversation is already closed.
fn is_maybe_closed(outcome: &WriteOutcome<Receipt>) -> bool {
    let refusal = outcome.refusal();
    refusal.is_some_and(|refusal| matches!(refusal.status, 400 | 409) && !refusal.is_idempotency_error())
}

/// Tolerated difference between the server's clock and the local one when a registration is searched for,
/// in microseconds.
const CLOCK_TOLERANCE: i64 = 10 * MINUTE;

impl ChannelSync {
    /// Replaces an outcome by the verified state where needed.
    pub(crate) async fn verify_outcome(
        &self,
        claimed: &LaneRow,
        outcome: WriteOutcome<Receipt>,
    ) -> WriteOutcome<Receipt> {
        let row = &claimed.row;
        let Some(conversation) = row.lane.conversation() else { return outcome };
        match (&row.operation, outcome) {
            (
                Operation::SetAutomation { .. },
                WriteOutcome::Done(
                    receipt @ Receipt { kind: ReceiptKind::Automation(None), test: false, .. },
                ),
            ) => self.verify_switch(conversation, receipt).await,
            // Refused because it is already closed?
            (Operation::Close, outcome) if is_maybe_closed(&outcome) => {
                match self.client.for_person().conversation(conversation).await {
                    Ok(told) if told.status == ConversationStatus::Closed => {
                        WriteOutcome::Done(Receipt::from_kind(ReceiptKind::Closed))
                    }
                    _ => outcome,
                }
            }
            (_, outcome) => outcome,
        }
    }

    /// Reads the conversation if the answer to an AI switch omitted its state: the server's state
    /// decides, not the request.
    async fn verify_switch(&self, conversation: &ConversationId, receipt: Receipt) -> WriteOutcome<Receipt> {
        let told = self.client.for_person().conversation(conversation).await;
        let enabled = match told.as_ref().map(|conversation| conversation.automation) {
            Ok(Automation::On) => true,
            Ok(Automation::Off) => false,
            Ok(Automation::Unknown | Automation::NotApplicable) => {
                return WriteOutcome::Unknown(Unclear::new(
                    "the server does not tell whether the AI answers",
                    None,
                ));
            }
            Err(error) => {
                let words = format!("whether the AI answers could not be read: {error}");
                return WriteOutcome::Unknown(Unclear::new(&words, None));
            }
        };
        WriteOutcome::Done(Receipt { kind: ReceiptKind::Automation(Some(enabled)), ..receipt })
    }

    /// Searches for a webhook that an earlier attempt may have registered, before the request is
    /// repeated.
    pub(crate) async fn find_registered(&self, row: &OutboxRow) -> Result<Option<Receipt>, PullError> {
        let (Operation::AddWebhook { url, events }, Some(first)) = (&row.operation, row.first_attempt_at)
        else {
            return Ok(None);
        };
        let Some(platform) = self.platform().await? else { return Ok(None) };
        let listed = self.client.for_person().webhooks(&platform).await?;
        let since = first.plus(-CLOCK_TOLERANCE);
        let found = listed.items.into_iter().find(|item| {
            let created = item.created_at.as_deref().and_then(Timestamp::parse_any);
            let same = events.is_empty() || events.iter().all(|event| item.events.contains(event));
            item.url == *url && same && created.is_some_and(|at| at >= since)
        });
        Ok(found.map(|webhook_body| {
            Receipt::from_kind(ReceiptKind::Registered(Some(WebhookId::new(webhook_body.id))))
        }))
    }
}
