//! Outcome of a row: what the answer of an accepted one stores, what a later read verifies, the balance
//! before and after an unknown one, and its settling.

use std::time::Duration;

use crate::ChannelSync;
use crate::report::PullError;
use client::retry::RetryStep;
use client::{Receipt, ReceiptKind, Unclear, WriteOutcome};
use model::account::Platform;
use model::conversations::{Automation, ConversationStatus};
use model::ids::{ConversationId, MessageId, WebhookId};
use model::messages::{DeliveryStatus, Direction, Message, Sender};
use model::news::News;
use model::outbox::content::{BroadcastContent, ChatContent, ThreadChange, ThreadPlace};
use model::outbox::{Lane, Operation, OutboxRow, RetryClass, StopReason};
use model::spending;
use model::text::SafeText;
use model::time::{MINUTE, Timestamp};
use store::lane::{AttemptResult, LaneRow};
use store::receipts::StoredReceipt;

/// Attempts to record an outcome, and the pause between them: each waits for a lock itself, and all
/// together end before a claim lapses.
const MAX_SETTLE_ATTEMPTS: u32 = 8;
const SETTLE_RETRY_DELAY: Duration = Duration::from_secs(1);

impl ChannelSync {
    /// Stops a row for a decision and announces the reason.
    pub(crate) async fn stop_row(
        &self,
        row: &LaneRow,
        stop: StopReason,
        why: SafeText,
    ) -> Result<(), PullError> {
        if row.row.operation.is_automatic() {
            return self.drop_automatic(row, stop, why).await;
        }
        if let (StopReason::Refused, Operation::ChangeThread { change, .. }) = (stop, &row.row.operation) {
            let what = describe_unfiled(change);
            return self.drop_refused(row, &what, why).await;
        }
        tracing::info!(
            channel = %self.id(),
            row = %row.row.id,
            stop = stop.word(),
            "an outbox row needs a decision"
        );
        self.settle(row, AttemptResult::Stop(stop, why.clone())).await?;
        let title = self.store.lane_title(self.id(), &row.row.lane).await?;
        let words = describe_stopped(&row.row.operation, title.as_str(), stop);
        let words = SafeText::line(&words);
        self.publish(News::Stopped(self.id().clone(), row.row.id.clone(), stop, words, why));
        Ok(())
    }

    /// Drops an automatic row, which never asks a person.
    async fn drop_automatic(&self, row: &LaneRow, stop: StopReason, why: SafeText) -> Result<(), PullError> {
        tracing::info!(
            channel = %self.id(),
            row = %row.row.id,
            stop = stop.word(),
            %why,
            "an automatic change was dropped"
        );
        if stop == StopReason::Refused {
            self.apply_change_locally(&row.row).await?;
        }
        self.settle(row, AttemptResult::Dropped(why)).await
    }

    /// Drops a refused thread change with a notice: it is easily repeated, so no decision is needed.
    async fn drop_refused(&self, row: &LaneRow, what: &str, why: SafeText) -> Result<(), PullError> {
        tracing::info!(channel = %self.id(), row = %row.row.id, %why, "a mail thread was not changed");
        let words = SafeText::line(&format!("{what}: the server refused it ({why})"));
        self.settle(row, AttemptResult::Dropped(why)).await?;
        self.publish(News::Notice(self.id().clone(), row.row.lane.conversation().cloned(), words));
        Ok(())
    }

    /// Records the outcome of a row and announces it.
    pub(crate) async fn settle(&self, row: &LaneRow, settlement: AttemptResult) -> Result<(), PullError> {
        let leaves = match &settlement {
            AttemptResult::Dropped(_) | AttemptResult::Done { .. } | AttemptResult::Found(_) => true,
            AttemptResult::Wait { .. } | AttemptResult::Retry { .. } | AttemptResult::Stop(..) => false,
        };
        if !self.try_settle(row, settlement).await? {
            tracing::warn!(row = %row.row.id, "an outcome arrived after the claim on its row had expired");
        }
        if leaves {
            self.publish(News::RowRemoved(self.id().clone(), row.row.id.clone()));
        }
        if let Some(conversation) = row.row.lane.conversation() {
            self.publish(News::History(self.id().clone(), conversation.clone()));
        }
        self.publish(News::Conversations(self.id().clone()));
        Ok(())
    }

    /// Records the outcome, with retries while the database fails, for as long as the claim holds.
    async fn try_settle(&self, row: &LaneRow, settlement: AttemptResult) -> Result<bool, PullError> {
        for _ in 0..MAX_SETTLE_ATTEMPTS {
            match self.store.settle(row, settlement.clone()).await {
                Ok(settled) => return Ok(settled),
                Err(error) => {
                    tracing::error!(row = %row.row.id, %error, "an outcome could not be stored");
                    tokio::time::sleep(SETTLE_RETRY_DELAY).await;
                }
            }
        }
        Ok(self.store.settle(row, settlement).await?)
    }
}

/// Summary of a stopped row without the reason.
fn describe_stopped(operation: &Operation, title: &str, stop: StopReason) -> String {
    let what = match operation {
        Operation::SendMail(_) => Some("mail"),
        Operation::SendFile(_) => Some("file"),
        other if other.is_customer_message() || matches!(other, Operation::SendSms { .. }) => Some("text"),
        _ => None,
    };
    match (what, stop.is_ambiguous()) {
        (Some(what), true) => format!("your {what} to {title}: may or may not have been sent"),
        (Some(what), false) => format!("your {what} to {title}: {}", stop.label()),
        (None, true) => format!("{title}: {} may or may not have worked", operation.describe_doing()),
        (None, false) => format!("{title}: {}: {}", operation.describe_doing(), stop.label()),
    }
}

/// Summary of a thread change that was not made.
fn describe_unfiled(change: &ThreadChange) -> String {
    match &change.place {
        Some(ThreadPlace::Folder(name)) => format!("not moved to {name}"),
        Some(ThreadPlace::Archived(true)) => "not archived".to_owned(),
        Some(ThreadPlace::Archived(false)) => "not moved out of the archive".to_owned(),
        None => "not changed".to_owned(),
    }
}

/// Settlement of a row that is not done; `None` for one that is.
pub(crate) fn result_of_retry(next: RetryStep, now: Timestamp) -> Option<AttemptResult> {
    Some(match next {
        RetryStep::Done => return None,
        RetryStep::Wait(wait) => AttemptResult::Wait { not_before: now.plus(wait) },
        RetryStep::AskAgain { after, counted } => {
            AttemptResult::Retry { not_before: now.plus(after), counted }
        }
        RetryStep::Stop(stop, why) => AttemptResult::Stop(stop, why),
        RetryStep::Halt(_) => AttemptResult::Wait { not_before: now },
    })
}

impl ChannelSync {
    /// Writes the receipt into the cache before the row is settled: if the process ends in between, the
    /// row is sent again with the same key and gets the same answer. A failing cache is logged and does not
    /// undo the acceptance.
    pub(crate) async fn record_accepted(&self, claimed: &LaneRow, receipt: Receipt) -> Result<(), PullError> {
        // Lists read earlier must be merged again with the changes below.
        self.reset_seen_answers();
        let otherwise = describe_opposite_switch(&claimed.row.operation, &receipt.kind);
        let differs = match self.apply_receipt(claimed, &receipt).await {
            Ok(differs) => otherwise.or(differs),
            Err(error) => {
                tracing::error!(row = %claimed.row.id, %error, "an accepted message could not be shown");
                otherwise
            }
        };
        if let Some(why) = differs {
            return self.stop_row(claimed, StopReason::Refused, SafeText::line(&why)).await;
        }
        let automation = match receipt.kind {
            ReceiptKind::Automation(reported) => reported,
            _ => None,
        };
        let made = receipt.kind.created_id().map(str::to_owned);
        self.settle(claimed, AttemptResult::Done { created_id: made, automation, replayed: receipt.replayed })
            .await
    }

    /// Writes a receipt into the cache. Returns a message if the server's state differs from the
    /// requested one.
    async fn apply_receipt(&self, claimed: &LaneRow, receipt: &Receipt) -> Result<Option<String>, PullError> {
        let row = &claimed.row;
        if let Some(credits) = receipt.credits.filter(|_| !receipt.test) {
            self.store.apply_credits(self.id(), credits).await?;
            self.publish(News::Credits(self.id().clone(), credits));
        }
        self.record_charge(row, receipt).await?;
        let (credits_used, credits_remaining) = (receipt.cost, receipt.credits);
        let status = receipt.kind.status().map(str::to_owned);
        self.store.record_receipt(&row.id, StoredReceipt { status, credits_used, credits_remaining }).await?;
        match &receipt.kind {
            ReceiptKind::Sent { .. } | ReceiptKind::Called { .. } => self.show_accepted(row, receipt).await?,
            ReceiptKind::Automation(reported) => {
                self.with_state(|sync_state| sync_state.switches += 1);
                let enabled = reported.unwrap_or_else(|| enables_ai(&row.operation));
                if let Some(conversation) = row.lane.conversation() {
                    let state = Automation::from_enabled(Some(enabled));
                    self.store.set_automation(self.id(), conversation, state).await?;
                }
            }
            ReceiptKind::Closed => {
                if let Some(conversation) = row.lane.conversation() {
                    self.store.set_closed(self.id(), conversation).await?;
                }
            }
            ReceiptKind::Deleted if row.lane == Lane::Webhooks => {
                self.publish(News::Webhooks(self.id().clone()));
            }
            ReceiptKind::Deleted => self.remove_contact_history(row).await?,
            ReceiptKind::Registered(_) => self.publish(News::Webhooks(self.id().clone())),
            ReceiptKind::Saved { contact, reported } => {
                return self.verify_contact(row, receipt, contact.as_ref(), reported.as_deref()).await;
            }
            // Nothing to cache: the audit keeps the receipt and these lists are read again when shown.
            ReceiptKind::Mailed { thread, .. } => self.read_sent_mail(row, thread.as_ref()).await?,
            ReceiptKind::Filed => self.record_thread_change(row, receipt.test).await?,
            ReceiptKind::Broadcasting { broadcast, .. } => {
                if let Some(before) = claimed.credits_before.filter(|_| !receipt.test) {
                    self.store.record_balance_before(self.id(), broadcast, before).await?;
                }
                if let (Operation::Broadcast { to, content }, false) = (&row.operation, receipt.test) {
                    // Stored before the broadcast's messages are read. Other content is read from the
                    // server.
                    if let BroadcastContent::Text(text) = content {
                        let now = self.clock.now();
                        self.store.record_accepted_broadcast(self.id(), broadcast, text, now).await?;
                    }
                    self.store.record_broadcast_recipients(self.id(), to, row.created_at).await?;
                }
            }
            // If this fails, the page reads them when it is shown.
            ReceiptKind::Submitted { .. } => drop(self.read_templates().await),
            ReceiptKind::Uploaded { .. } | ReceiptKind::Reacted => {}
        }
        Ok(None)
    }

    /// Records the cost by kind of operation. Template prices are stated in two ways; the amount charged
    /// counts.
    async fn record_charge(&self, row: &OutboxRow, receipt: &Receipt) -> Result<(), PullError> {
        if let Some(cost) = receipt.cost.filter(|cost| !receipt.test && *cost > 0.0) {
            let action = spending::action_name(&row.operation);
            self.store.record_spending(self.id(), action, cost, self.clock.now()).await?;
            if let ReceiptKind::Broadcasting { broadcast, .. } = &receipt.kind {
                self.store.record_broadcast_charge(self.id(), broadcast, cost).await?;
            }
        }
        let is_template =
            matches!(row.operation, Operation::SendContent { content: ChatContent::Template(_), .. });
        let whole = receipt.cost.filter(|cost| is_template && !receipt.test && cost.fract() == 0.0);
        // Prices are small numbers; the search is bounded by 1,000 credits.
        let Some(cost) = whole.and_then(|whole| (0..1_000).find(|cost| f64::from(*cost) >= whole)) else {
            return Ok(());
        };
        self.store.record_template_charge(self.id(), i64::from(cost)).await?;
        self.publish(News::Templates(self.id().clone()));
        Ok(())
    }

    /// Stores a sent message before the server lists it.
    async fn show_accepted(&self, row: &OutboxRow, receipt: &Receipt) -> Result<(), PullError> {
        let Some(conversation) = row.lane.conversation() else {
            // The conversation is not known until the server lists it.
            return Ok(());
        };
        let platform = self.platform().await?.unwrap_or(Platform::Whatsapp);
        if let Some(message) = self.sent_message(row, receipt) {
            self.store.insert_sent_message(self.id(), message, platform).await?;
        }
        // The conversation is answered: a request for a person is over.
        let now = self.clock.now();
        self.with_state(|entry| entry.details.request_read(conversation, now));
        self.record_sent_text(conversation, now);
        Ok(())
    }

    fn sent_message(&self, row: &OutboxRow, receipt: &Receipt) -> Option<Message> {
        let (id, platform_id, status) = match &receipt.kind {
            ReceiptKind::Sent { message, platform_id, status } => {
                (message.as_str(), platform_id.clone(), status)
            }
            ReceiptKind::Called { call, status } => (call.as_str(), None, status),
            _ => return None,
        };
        let (content_type, media_url) = message_type_and_media(&row.operation)?;
        Some(Message {
            platform_id,
            direction: Direction::Outbound,
            sender: Sender::Api,
            content: provisional_text(&row.operation),
            content_type: content_type.to_owned(),
            media_url,
            delivery: DeliveryStatus::from_word(status),
            // Server time if the receipt has one; the list brings the final value.
            created_at: Some(receipt.server_time.unwrap_or_else(|| self.clock.now())),
            quotes: row.operation.quoted_message().cloned(),
            ..Message::stand_in(MessageId::new(id), row.lane.conversation()?.clone())
        })
    }

    /// Deleting a contact also deletes the history of its conversation.
    async fn remove_contact_history(&self, row: &OutboxRow) -> Result<(), PullError> {
        let Operation::DeleteContact { phone, .. } = &row.operation else { return Ok(()) };
        let words = SafeText::line(&format!("deleted: {phone}"));
        self.publish(News::RowCompleted(self.id().clone(), row.id.clone(), words));
        for conversation in self.store.remove_person(self.id(), phone).await? {
            self.publish(News::History(self.id().clone(), conversation));
        }
        Ok(())
    }
}

/// Content type and media address shown for an operation.
fn message_type_and_media(operation: &Operation) -> Option<(&'static str, Option<SafeText>)> {
    match operation {
        Operation::SendText { .. } | Operation::SendSms { .. } => Some(("text", None)),
        Operation::Call { .. } => Some(("call", None)),
        Operation::SendContent { content, .. } => Some(match content {
            ChatContent::Marked { .. } | ChatContent::Text(_) => ("text", None),
            ChatContent::Media(media) => (media.kind.word(), Some(SafeText::line(&media.link))),
            ChatContent::Template(_) => ("template", None),
            ChatContent::Interactive(_) => ("interactive", None),
            ChatContent::Location(_) => ("location", None),
            ChatContent::Contact(_) => ("contact", None),
        }),
        _ => None,
    }
}

/// Text shown in the history until the server lists the message.
fn provisional_text(operation: &Operation) -> SafeText {
    match operation {
        Operation::SendContent { content: ChatContent::Media(media), .. } => {
            SafeText::block(media.caption.as_deref().unwrap_or(""))
        }
        Operation::SendContent { content: ChatContent::Contact(card), .. } => {
            SafeText::line(&card.describe())
        }
        operation => operation.summary(),
    }
}

fn enables_ai(operation: &Operation) -> bool {
    matches!(operation, Operation::SetAutomation { enabled: true })
}

/// Error text if the server accepted the switch but reports the opposite state: texts queued behind a
/// pause must not be sent then.
fn describe_opposite_switch(operation: &Operation, kind: &ReceiptKind) -> Option<String> {
    let ReceiptKind::Automation(Some(reported)) = kind else { return None };
    match (reported, enables_ai(operation)) {
        (true, false) => {
            Some("the server accepted the change, but reports that the AI still answers".to_owned())
        }
        (false, true) => {
            Some("the server accepted the change, but reports that the AI is still paused".to_owned())
        }
        _ => None,
    }
}

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
                    Ok(current) if current.status == ConversationStatus::Closed => {
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
        let answer = self.client.for_person().conversation(conversation).await;
        let enabled = match answer.as_ref().map(|conversation| conversation.automation) {
            Ok(Automation::On) => true,
            Ok(Automation::Off) => false,
            Ok(Automation::Unknown | Automation::NotApplicable) => {
                return WriteOutcome::Unknown(Unclear::new(
                    "the server does not report whether the AI answers",
                    None,
                ));
            }
            Err(error) => {
                let words = format!("could not read whether the AI answers: {error}");
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
        (Some(before), Some(after)) if before == after => {
            format!("the balance is unchanged at {after} credits")
        }
        (Some(before), Some(after)) => format!("the balance was {before} credits and is {after}"),
        (Some(before), None) => format!("the balance was {before} credits and cannot be read now"),
        (None, Some(after)) => format!("the balance is {after} credits"),
        (None, None) => "the balance cannot be read now".to_owned(),
    }
}

#[cfg(test)]
mod settling_tests {
    use super::*;

    #[test]
    fn what_asks_a_person_names_its_row() {
        let text = || Operation::SendText { to: "+1".into(), text: "hi".into(), reply_to: None };
        let pause = || Operation::SetAutomation { enabled: false };
        let cases = [
            (text(), StopReason::Unknown, "your text to Maria: may or may not have been sent"),
            (text(), StopReason::Credits, "your text to Maria: NOT SENT, out of credits"),
            (pause(), StopReason::KeyUnproven, "Maria: pausing the AI may or may not have worked"),
            (pause(), StopReason::Refused, "Maria: pausing the AI: NOT SENT"),
        ];
        for (operation, stop, words) in cases {
            assert_eq!(describe_stopped(&operation, "Maria", stop), words);
        }
    }
}

#[cfg(test)]
mod balance_check_tests {
    use super::*;

    #[test]
    fn the_balance_in_words() {
        let cases = [
            (Some(412.0), Some(212.0), "the balance was 412 credits and is 212"),
            (Some(412.5), Some(412.5), "the balance is unchanged at 412.5 credits"),
            (Some(412.0), None, "the balance was 412 credits and cannot be read now"),
            (None, Some(3.0), "the balance is 3 credits"),
            (None, None, "the balance cannot be read now"),
        ];
        for (before, after, words) in cases {
            assert_eq!(describe_balance(before, after), words);
        }
    }
}
