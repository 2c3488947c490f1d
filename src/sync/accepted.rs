//! Records the answer to an accepted outbox row. It is stored at once because no later reading returns
//! all of it.

use crate::ChannelSync;
use crate::report::PullError;
use client::{Receipt, ReceiptKind};
use model::account::Platform;
use model::conversations::Automation;
use model::ids::MessageId;
use model::messages::{DeliveryStatus, Direction, Message, Sender};
use model::news::News;
use model::outbox::content::{BroadcastContent, ChatContent};
use model::outbox::{Lane, Operation, OutboxRow, StopReason};
use model::spending;
use model::text::SafeText;
use store::lane::{AttemptResult, LaneRow};
use store::receipts::StoredReceipt;

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
                tracing::error!(row = %claimed.row.id, %error, "what was accepted could not be shown");
                otherwise
            }
        };
        if let Some(why) = differs {
            return self.stop_row(claimed, StopReason::Refused, SafeText::line(&why)).await;
        }
        let automation = match receipt.kind {
            ReceiptKind::Automation(told) => told,
            _ => None,
        };
        let made = receipt.kind.created_id().map(str::to_owned);
        self.settle(claimed, AttemptResult::Done { made, automation, replayed: receipt.replayed }).await
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
            ReceiptKind::Automation(told) => {
                self.with_state(|sync_state| sync_state.switches += 1);
                let enabled = told.unwrap_or_else(|| enables_ai(&row.operation));
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
            ReceiptKind::Saved { contact, told } => {
                return self.verify_contact(row, receipt, contact.as_ref(), told.as_deref()).await;
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
            ChatContent::Marked { .. } => ("text", None),
            ChatContent::Media(media) => (media.kind.word(), Some(SafeText::line(&media.link))),
            ChatContent::Template(_) => ("template", None),
            ChatContent::Interactive(_) => ("interactive", None),
            ChatContent::Location(_) => ("location", None),
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
        operation => operation.summary(),
    }
}

fn enables_ai(operation: &Operation) -> bool {
    matches!(operation, Operation::SetAutomation { enabled: true })
}

/// Error text if the server accepted the switch but reports the opposite state: texts queued behind a
/// pause must not be sent then.
fn describe_opposite_switch(operation: &Operation, kind: &ReceiptKind) -> Option<String> {
    let ReceiptKind::Automation(Some(told)) = kind else { return None };
    match (told, enables_ai(operation)) {
        (true, false) => Some("the server took the change, but says that the AI still answers".to_owned()),
        (false, true) => Some("the server took the change, but says that the AI is still paused".to_owned()),
        _ => None,
    }
}
