//! What follows when the server has accepted a row: its answer is remembered
//! at once, because the interface will not tell all of it again.
//!
//! Knows nothing of rows that were not accepted.

use std::sync::atomic::Ordering;

use crate::client::{Outcome, Receipt, ReceiptKind, Unclear};
use crate::model::account::Platform;
use crate::model::conversations::Automation;
use crate::model::ids::MessageId;
use crate::model::messages::{Delivery, Direction, Message, Sender};
use crate::model::news::News;
use crate::model::outbox::{Operation, OutboxRow, Stop};
use crate::model::text::SafeText;
use crate::store::lane::{LaneRow, Settlement};
use crate::sync::Channel;
use crate::sync::report::Trouble;

impl Channel {
    /// Looks for itself when the answer to a switch of the AI said nothing of
    /// its state: success is what the server tells, not what was asked.
    pub(crate) async fn verified(&self, claimed: &LaneRow, outcome: Outcome<Receipt>) -> Outcome<Receipt> {
        let Outcome::Done(Receipt { kind: ReceiptKind::Automation(None), replayed, server_time }) = outcome
        else {
            return outcome;
        };
        let Some(conversation) = claimed.row.lane.conversation() else {
            return Outcome::Done(Receipt { kind: ReceiptKind::Automation(None), replayed, server_time });
        };
        let told = self.client.for_person().conversation(conversation).await;
        let enabled = match told.as_ref().map(|it| it.automation) {
            Ok(Automation::On) => true,
            Ok(Automation::Off) => false,
            Ok(Automation::Unknown | Automation::NotApplicable) => {
                return Outcome::Unknown(Unclear::new(
                    "the server does not tell whether the AI answers",
                    None,
                ));
            }
            Err(error) => {
                let words = format!("whether the AI answers could not be read: {error}");
                return Outcome::Unknown(Unclear::new(&words, None));
            }
        };
        Outcome::Done(Receipt { kind: ReceiptKind::Automation(Some(enabled)), replayed, server_time })
    }

    /// Remembers what the server accepted. The cache goes first: if this
    /// desk ends in between, the row asks again with the same key and is told
    /// the same.
    pub(crate) async fn accepted(&self, claimed: &LaneRow, receipt: Receipt) -> Result<(), Trouble> {
        let row = &claimed.row;
        // What lists said before is merged anew into what follows here.
        self.forget_answers();
        let (mut made, mut automation) = (None, None);
        match receipt.kind.clone() {
            ReceiptKind::Sent { message, credits, .. } => {
                self.remember(row, &receipt).await?;
                // Answered: the AI may ask for nobody any more.
                if let Some(conversation) = row.lane.conversation() {
                    self.wanted.note(conversation, self.clock.now());
                }
                if let Some(credits) = credits {
                    self.store.apply_credits(self.id(), credits).await?;
                    self.tell(News::Credits(self.id().clone(), credits));
                }
                made = Some(message.as_str().to_owned());
            }
            ReceiptKind::Automation(told) => {
                let wish = matches!(row.operation, Operation::SetAutomation { enabled: true });
                let enabled = told.unwrap_or(wish);
                let state = Automation::from_enabled(Some(enabled));
                if let Some(conversation) = row.lane.conversation() {
                    self.store.set_automation(self.id(), conversation, state).await?;
                }
                self.switches.fetch_add(1, Ordering::SeqCst);
                if enabled != wish {
                    return self.switched_otherwise(claimed, enabled).await;
                }
                automation = told;
            }
            ReceiptKind::Closed => {
                if let Some(conversation) = row.lane.conversation() {
                    self.store.set_closed(self.id(), conversation).await?;
                }
            }
            ReceiptKind::Reacted => {}
        }
        let done = Settlement::Done { made, automation, replayed: receipt.replayed };
        self.settle(claimed, done).await
    }

    /// The server took the switch and tells the opposite: what waits behind a
    /// pause must not leave.
    async fn switched_otherwise(&self, claimed: &LaneRow, enabled: bool) -> Result<(), Trouble> {
        let words = if enabled { "the AI still answers" } else { "the AI is still paused" };
        let why = format!("the server took the change, but says that {words}");
        self.stop_row(claimed, Stop::Refused, SafeText::line(&why)).await
    }

    /// Shows a text that was sent before the server lists it.
    async fn remember(&self, row: &OutboxRow, receipt: &Receipt) -> Result<(), Trouble> {
        let platform = self.platform().await?.unwrap_or(Platform::Whatsapp);
        if let Some(message) = self.sent_message(row, receipt) {
            self.store.remember_sent(self.id(), message, platform).await?;
        }
        Ok(())
    }

    fn sent_message(&self, row: &OutboxRow, receipt: &Receipt) -> Option<Message> {
        let ReceiptKind::Sent { message, platform_id, status, .. } = &receipt.kind else {
            return None;
        };
        let Operation::SendText { text, reply_to, .. } = &row.operation else {
            return None;
        };
        Some(Message {
            id: MessageId::new(message.as_str()),
            conversation: row.lane.conversation()?.clone(),
            platform_id: platform_id.clone(),
            direction: Direction::Outbound,
            sender: Sender::Api,
            content: SafeText::block(text),
            content_type: "text".to_owned(),
            media_url: None,
            delivery: Delivery::from_word(status),
            // The server's time if it told; the list brings the real one.
            created_at: Some(receipt.server_time.unwrap_or_else(|| self.clock.now())),
            delivered_at: None,
            read_at: None,
            quotes: reply_to.clone(),
            unreadable: false,
            raw: String::new(),
        })
    }
}
