//! Faults of an attempt in the outbox model, and a server that keeps idempotency keys for a day.

use crate::tests::outbox_world::{Kept, World};
use client::errors::ErrorCode;
use client::{ApiRefusal, NotSent, Unclear, WriteOutcome};
use model::ids::{IdempotencyKey, MessageId};
use model::text::SafeText;
use model::time::{DAY, SECOND};
use store::lane::LaneRow;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    Answered,
    AnswerLost,
    NeverArrived,
    Offline,
    Refused,
    NoCredits,
    Window,
    Revoked,
    Limited,
    Failed,
    InProgress,
    /// kill -9 after the claim, before a byte was sent.
    KilledBefore,
    /// kill -9 after the server executed it, before the outcome was recorded.
    KilledAfter,
    /// The answer is processed much later.
    Stalled,
    /// A refusal is processed much later.
    StalledRefused,
    /// Executed; the lost answer is noticed much later.
    StalledUnclear,
    /// Not sent, which is noticed much later.
    StalledOffline,
}

impl World {
    /// Result at the server and the outcome the client sees.
    pub(super) fn meet(&mut self, claimed: &LaneRow, fault: Fault) -> WriteOutcome<MessageId> {
        let told = |status: u16, code: &str| ApiRefusal {
            code: ErrorCode::from_word(code),
            word: SafeText::line(code),
            status,
            message: SafeText::line("no"),
            docs: None,
            retry_after: None,
        };
        let refusal = |status: u16, code: &str| WriteOutcome::Refused(told(status, code));
        let unclear = || WriteOutcome::Unknown(Unclear::new("no answer", None));
        let unsettled = |status: u16, code: &str| {
            let refusal = Some(told(status, code));
            WriteOutcome::Unknown(Unclear { refusal, ..Unclear::new("no", Some(status)) })
        };
        let known = self.recognises(&claimed.row.key);
        match fault {
            Fault::Offline | Fault::StalledOffline => {
                WriteOutcome::NotSent(NotSent::Offline(SafeText::line("no route")))
            }
            Fault::NeverArrived => unclear(),
            Fault::Revoked if claimed.row.attempts > 1 => unsettled(401, "REVOKED_KEY"),
            Fault::Revoked => refusal(401, "REVOKED_KEY"),
            Fault::Limited => WriteOutcome::NotSent(NotSent::Limited(told(429, "RATE_LIMIT_EXCEEDED"))),
            Fault::InProgress => unsettled(409, "IDEMPOTENCY_IN_PROGRESS"),
            // A known key repeats its first answer, whatever fails now.
            Fault::Refused | Fault::StalledRefused if !known => refusal(400, "VALIDATION_ERROR"),
            Fault::NoCredits if !known => refusal(402, "INSUFFICIENT_CREDITS"),
            Fault::Window if !known => refusal(400, "SESSION_EXPIRED"),
            Fault::Failed if !known => WriteOutcome::Unknown(Unclear::new("boom", Some(500))),
            Fault::AnswerLost | Fault::StalledUnclear => {
                self.deliver(claimed);
                unclear()
            }
            _ => WriteOutcome::Done(self.deliver(claimed)),
        }
    }

    pub(super) fn recognises(&self, key: &IdempotencyKey) -> bool {
        self.server.get(key.as_str()).is_some_and(|kept| (self.truth - kept.at) * SECOND < DAY)
    }

    /// Executes once while the key is kept.
    pub(super) fn deliver(&mut self, claimed: &LaneRow) -> MessageId {
        let key = claimed.row.key.as_str();
        if let Some(kept) = self.server.get(key).filter(|_| self.recognises(&claimed.row.key)) {
            assert_eq!(kept.body, self.bytes[key], "a conflict");
            return kept.message.clone();
        }
        let count = self.deliveries.entry(key.to_owned()).or_default();
        *count += 1;
        // Setting a state twice is harmless.
        let matters = claimed.row.operation.is_customer_message();
        assert!(*count == 1 || !matters, "done twice under one key");
        let wish = &mut self.wishes[self.rows[&claimed.row.id]];
        wish.delivered += 1;
        assert!(wish.delivered <= 1 + wish.anew || !matters, "done twice without a person's word");
        let message = MessageId::new(format!("{}-{key}", self.channel));
        let kept = Kept { body: self.bytes[key].clone(), at: self.truth, message: message.clone() };
        self.server.insert(key.to_owned(), kept);
        message
    }
}
