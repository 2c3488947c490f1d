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
use model::outbox::{Lane, Operation, OutboxRow, Stop};
use model::spending;
use model::text::SafeText;
use store::lane::{LaneRow, Settlement};
use store::receipts::ReceiptNote;

impl ChannelSync {
    /// Writes the receipt into the cache before the row is settled: if the process ends in between, the
    /// row is sent again with the same key and gets the same answer. A failing cache is logged and does not
    /// undo the acceptance.
    pub(crate) async fn accepted(&self, claimed: &LaneRow, receipt: Receipt) -> Result<(), PullError> {
        // Lists read earlier must be merged again with the changes below.
        self.forget_answers();
        let otherwise = switched_otherwise(&claimed.row.operation, &receipt.kind);
        let differs = match self.remember(claimed, &receipt).await {
            Ok(differs) => otherwise.or(differs),
            Err(error) => {
                tracing::error!(row = %claimed.row.id, %error, "what was accepted could not be shown");
                otherwise
            }
        };
        if let Some(why) = differs {
            return self.stop_row(claimed, Stop::Refused, SafeText::line(&why)).await;
        }
        let automation = match receipt.kind {
            ReceiptKind::Automation(told) => told,
            _ => None,
        };
        let made = receipt.kind.made().map(str::to_owned);
        self.settle(claimed, Settlement::Done { made, automation, replayed: receipt.replayed }).await
    }

    /// Writes a receipt into the cache. Returns a message if the server's state differs from the
    /// requested one.
    async fn remember(&self, claimed: &LaneRow, receipt: &Receipt) -> Result<Option<String>, PullError> {
        let row = &claimed.row;
        if let Some(credits) = receipt.credits.filter(|_| !receipt.test) {
            self.store.apply_credits(self.id(), credits).await?;
            self.tell(News::Credits(self.id().clone(), credits));
        }
        self.note_charge(row, receipt).await?;
        let (credits_used, credits_remaining) = (receipt.cost, receipt.credits);
        let status = receipt.kind.status().map(str::to_owned);
        self.store.note_receipt(&row.id, ReceiptNote { status, credits_used, credits_remaining }).await?;
        match &receipt.kind {
            ReceiptKind::Sent { .. } | ReceiptKind::Called { .. } => self.said(row, receipt).await?,
            ReceiptKind::Automation(told) => {
                self.state(|sync_state| sync_state.switches += 1);
                let enabled = told.unwrap_or_else(|| wishes_ai(&row.operation));
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
                self.tell(News::Webhooks(self.id().clone()));
            }
            ReceiptKind::Deleted => self.gone(row).await?,
            ReceiptKind::Registered(_) => self.tell(News::Webhooks(self.id().clone())),
            ReceiptKind::Saved { contact, told } => {
                return self.read_contact_back(row, receipt, contact.as_ref(), told.as_deref()).await;
            }
            // Nothing to cache: the audit keeps the receipt and these lists are read again when shown.
            ReceiptKind::Mailed { thread, .. } => self.mailed(row, thread.as_ref()).await?,
            ReceiptKind::Filed => self.filed(row, receipt.test).await?,
            ReceiptKind::Broadcasting { broadcast, .. } => {
                if let Some(before) = claimed.credits_before.filter(|_| !receipt.test) {
                    self.store.note_broadcast_balance(self.id(), broadcast, before).await?;
                }
                if let (Operation::Broadcast { to, content }, false) = (&row.operation, receipt.test) {
                    // Stored before the broadcast's messages are read. Other content is read from the
                    // server.
                    if let BroadcastContent::Text(text) = content {
                        let now = self.clock.now();
                        self.store.note_broadcast_text(self.id(), broadcast, text, now).await?;
                    }
                    self.store.note_broadcast_recipients(self.id(), to, row.created_at).await?;
                }
            }
            ReceiptKind::Uploaded { .. } | ReceiptKind::Reacted => {}
        }
        Ok(None)
    }

    /// Records the cost by kind of operation. Template prices are stated in two ways; the amount charged
    /// counts.
    async fn note_charge(&self, row: &OutboxRow, receipt: &Receipt) -> Result<(), PullError> {
        if let Some(cost) = receipt.cost.filter(|cost| !receipt.test && *cost > 0.0) {
            let action = spending::action(&row.operation);
            self.store.note_spent(self.id(), action, cost, self.clock.now()).await?;
            if let ReceiptKind::Broadcasting { broadcast, .. } = &receipt.kind {
                self.store.note_broadcast_charge(self.id(), broadcast, cost).await?;
            }
        }
        let is_template =
            matches!(row.operation, Operation::SendContent { content: ChatContent::Template(_), .. });
        let whole = receipt.cost.filter(|cost| is_template && !receipt.test && cost.fract() == 0.0);
        // Prices are small numbers; the search is bounded by 1,000 credits.
        let Some(cost) = whole.and_then(|whole| (0..1_000).find(|cost| f64::from(*cost) >= whole)) else {
            return Ok(());
        };
        self.store.note_template_charge(self.id(), i64::from(cost)).await?;
        self.tell(News::Templates(self.id().clone()));
        Ok(())
    }

    /// Stores a sent message before the server lists it.
    async fn said(&self, row: &OutboxRow, receipt: &Receipt) -> Result<(), PullError> {
        let Some(conversation) = row.lane.conversation() else {
            // The conversation is not known until the server lists it.
            return Ok(());
        };
        let platform = self.platform().await?.unwrap_or(Platform::Whatsapp);
        if let Some(message) = self.sent_message(row, receipt) {
            self.store.remember_sent(self.id(), message, platform).await?;
        }
        // The conversation is answered: a request for a person is over.
        let now = self.clock.now();
        self.state(|entry| entry.details.want(conversation, now));
        self.remember_sent_text(conversation, now);
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
        let (content_type, media_url) = shown_as(&row.operation)?;
        Some(Message {
            platform_id,
            direction: Direction::Outbound,
            sender: Sender::Api,
            content: shown_text(&row.operation),
            content_type: content_type.to_owned(),
            media_url,
            delivery: DeliveryStatus::from_word(status),
            // Server time if the receipt has one; the list brings the final value.
            created_at: Some(receipt.server_time.unwrap_or_else(|| self.clock.now())),
            quotes: row.operation.quotes().cloned(),
            ..Message::stand_in(MessageId::new(id), row.lane.conversation()?.clone())
        })
    }

    /// Deleting a contact also deletes the history of its conversation.
    async fn gone(&self, row: &OutboxRow) -> Result<(), PullError> {
        let Operation::DeleteContact { phone, .. } = &row.operation else { return Ok(()) };
        let words = SafeText::line(&format!("deleted: {phone}"));
        self.tell(News::Told(self.id().clone(), row.id.clone(), words));
        for conversation in self.store.forget_person(self.id(), phone).await? {
            self.tell(News::History(self.id().clone(), conversation));
        }
        Ok(())
    }
}

/// Content type and media address shown for an operation.
fn shown_as(operation: &Operation) -> Option<(&'static str, Option<SafeText>)> {
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
fn shown_text(operation: &Operation) -> SafeText {
    match operation {
        Operation::SendContent { content: ChatContent::Media(media), .. } => {
            SafeText::block(media.caption.as_deref().unwrap_or(""))
        }
        operation => operation.summary(),
    }
}

fn wishes_ai(operation: &Operation) -> bool {
    matches!(operation, Operation::SetAutomation { enabled: true })
}

/// Error text if the server accepted the switch but reports the opposite state: texts queued behind a
/// pause must not be sent then.
fn switched_otherwise(operation: &Operation, kind: &ReceiptKind) -> Option<String> {
    let ReceiptKind::Automation(Some(told)) = kind else { return None };
    match (told, wishes_ai(operation)) {
        (true, false) => Some("the server took the change, but says that the AI still answers".to_owned()),
        (false, true) => Some("the server took the change, but says that the AI is still paused".to_owned()),
        _ => None,
    }
}
