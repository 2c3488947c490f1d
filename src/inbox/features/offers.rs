//! What suggests itself after something else: one key does it, any other
//! thing lets it be. It lies over nothing and takes no key from anything.

use crate::Inbox;
use crate::event::Intent;
use crate::screens::conversations::bulk_plan::BulkWish;
use model::conversations::ServiceWindow;
use model::outbox::Operation;
use model::outbox::content::ChatContent;
use model::queries::ConversationKey;
use model::time::{MINUTE, Timestamp};

/// How long an offer stands.
const STANDS: i64 = 2 * MINUTE;

/// What one key would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Offer {
    what: OfferedAction,
    until: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum OfferedAction {
    /// Only the customer can open the window again: out of sight until then.
    SnoozeUntilReply(ConversationKey),
}

impl Inbox {
    /// What is offered now, in words behind its key: what was done last
    /// suggests it, or else there are credits for what waits for them.
    pub fn offered(&self) -> Option<String> {
        match self.offer.as_ref().map(|it| &it.what) {
            Some(OfferedAction::SnoozeUntilReply(_)) => Some("snoozes until the reply".to_owned()),
            None => self.has_unpaid().then(|| format!("sends {}", self.unpaid_words())),
        }
    }

    /// A template leaves into a closed window: nothing else can be done there
    /// until the customer answers.
    pub(crate) fn offer_after_sending(&mut self, sends: &[Intent]) {
        let is_template = |it: &Intent| {
            matches!(&it.operation, Operation::SendContent { content: ChatContent::Template(_), .. })
        };
        let Some(sent) = sends.iter().find(|it| is_template(it)) else { return };
        let shut = self.at_hand().is_some_and(|it| {
            it.conversation.window == ServiceWindow::Closed && it.conversation.id == sent.conversation
        });
        if shut {
            let key =
                ConversationKey { channel: sent.channel.clone(), conversation: sent.conversation.clone() };
            self.offer = Some(Offer {
                what: OfferedAction::SnoozeUntilReply(key),
                until: self.context.now.plus(STANDS),
            });
        }
    }

    /// An offer ends with its time, and when the person turns to something
    /// else.
    pub(crate) fn follow_offer(&mut self) {
        let Some(offer) = &self.offer else { return };
        let stays = match &offer.what {
            OfferedAction::SnoozeUntilReply(key) => self.at_hand().is_some_and(|it| {
                it.is(key) && it.conversation.window == ServiceWindow::Closed && !it.local.is_asleep()
            }),
        };
        if !stays || offer.until <= self.context.now {
            self.offer = None;
        }
    }

    /// Does what is offered.
    pub(crate) fn take_offer(&mut self) {
        match self.offer.take().map(|it| it.what) {
            None => self.ask_unpaid(),
            Some(OfferedAction::SnoozeUntilReply(key)) => {
                self.act_on(vec![key], BulkWish::Snooze { until: None, stays: false });
            }
        }
    }

    /// What was offered does not suggest itself any more.
    pub(crate) fn let_be(&mut self) {
        self.offer = None;
    }

    /// When what is offered ends.
    pub(crate) fn offer_due(&self) -> Option<Timestamp> {
        self.offer.as_ref().map(|it| it.until)
    }
}
