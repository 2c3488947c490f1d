//! Makes offers, and does what one offers.

use crate::Inbox;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::Intent;
use crate::features::absence::update as absence;
use crate::features::credits::Credits;
use crate::features::offers::{Offer, OfferedAction, STANDS, STANDS_AFTER_ABSENCE};
use crate::screens::conversations::bulk_plan::BulkWish;
use model::conversations::ServiceWindow;
use model::outbox::Operation;
use model::outbox::content::ChatContent;
use model::queries::ConversationKey;
use model::time::Moment;

impl Credits {
    /// What is offered now, in words behind its key: what was done last
    /// suggests it, or else there are credits for what waits for them.
    pub fn offered(&self, desk: &Desk, context: &Context) -> Option<String> {
        match context.offer.as_ref().map(|offer| &offer.what) {
            Some(OfferedAction::SnoozeUntilReply(_)) => Some("snoozes until the reply".to_owned()),
            Some(OfferedAction::ShowDigest(count)) if *count > 0 => {
                Some(format!("shows {count} since you left"))
            }
            None | Some(OfferedAction::ShowDigest(_)) => {
                self.has_unpaid(desk, context).then(|| format!("sends {}", self.unpaid_words(desk, context)))
            }
        }
    }
}

impl Desk {
    /// A template leaves into a closed window: nothing else can be done there
    /// until the customer answers.
    pub(crate) fn offer_after_sending(&mut self, sends: &[Intent], context: &mut Context) {
        let is_template = |intent: &Intent| {
            matches!(&intent.operation, Operation::SendContent { content: ChatContent::Template(_), .. })
        };
        let Some(sent) = sends.iter().find(|send| is_template(send)) else { return };
        let shut = self.current_conversation().is_some_and(|current_conversation| {
            current_conversation.conversation.window == ServiceWindow::Closed
                && current_conversation.conversation.id == sent.conversation
        });
        if shut {
            let key =
                ConversationKey { channel: sent.channel.clone(), conversation: sent.conversation.clone() };
            context.offer = Some(Offer {
                what: OfferedAction::SnoozeUntilReply(key),
                until: context.moment.plus(STANDS),
            });
        }
    }

    /// An offer ends with its time, and when the person turns to something
    /// else.
    pub(crate) fn follow_offer(&mut self, context: &mut Context) {
        let Some(offer) = &context.offer else { return };
        let stays = match &offer.what {
            OfferedAction::SnoozeUntilReply(key) => {
                self.current_conversation().is_some_and(|current_conversation| {
                    current_conversation.has_key(key)
                        && current_conversation.conversation.window == ServiceWindow::Closed
                        && !current_conversation.local.is_asleep()
                })
            }
            OfferedAction::ShowDigest(_) => true,
        };
        if !stays || offer.until <= context.moment {
            context.offer = None;
        }
    }
}

pub(crate) fn take_offer(inbox: &mut Inbox) {
    match inbox.context.offer.take().map(|offer| offer.what) {
        Some(OfferedAction::ShowDigest(count)) if count > 0 => absence::show_digest(inbox),
        None | Some(OfferedAction::ShowDigest(_)) => {
            inbox.features.credits.ask_unpaid(&inbox.desk, &mut inbox.context)
        }
        Some(OfferedAction::SnoozeUntilReply(key)) => {
            inbox.changes.act_on(
                vec![key],
                BulkWish::Snooze { until: None, stays: false },
                &mut inbox.context,
            );
        }
    }
}

/// When what is offered ends.
pub(crate) fn offer_due(context: &Context) -> Option<Moment> {
    context.offer.as_ref().map(|offer| offer.until)
}

/// Offers what happened while nobody was here, once it is known that something
/// did.
pub(crate) fn offer_digest(context: &mut Context) {
    let until = context.moment.plus(STANDS_AFTER_ABSENCE);
    context.offer = Some(Offer { what: OfferedAction::ShowDigest(0), until });
}

pub(crate) fn offers_digest(context: &Context) -> bool {
    context.offer.as_ref().is_some_and(|offer| matches!(offer.what, OfferedAction::ShowDigest(_)))
}

/// So much happened.
pub(crate) fn count_digest(context: &mut Context, found: usize) {
    if let Some(Offer { what: OfferedAction::ShowDigest(count), .. }) = &mut context.offer {
        *count = found;
    }
}

/// It was looked at.
pub(crate) fn end_digest_offer(context: &mut Context) {
    if offers_digest(context) {
        context.offer = None;
    }
}
