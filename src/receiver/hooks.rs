//! Webhook paths, one per channel, and the responses to deliveries. Each delivery is reported once.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use crate::signature::{self, Signature};
use api::events;
use model::ids::{ChannelId, ConversationId};
use model::secret::Secret;
use model::webhook_status::{DeliveryCounts, DeliverySubject, ReceivedDelivery};

/// Number of deliveries per channel kept for detecting repetitions. A later repetition only
/// causes one more read.
const HISTORY_LIMIT: usize = 4096;
const MAX_CHALLENGE_BYTES: usize = 1024;
/// Size of the unguessable part of a path, in bytes before hex encoding.
const PATH_TOKEN_BYTES: usize = 16;

/// Callback for each new delivery, with the channel's counters.
pub type DeliveryCallback = Box<dyn Fn(&ChannelId, ReceivedDelivery, DeliveryCounts) + Send + Sync>;

#[derive(Debug)]
pub enum IncomingDelivery<'a> {
    /// A `GET` whose `challenge` parameter must be echoed.
    Challenge(&'a str),
    /// Signature headers and raw body.
    Delivery(&'a [&'a [u8]], &'a [u8]),
    TooLarge,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryResponse {
    Echo(String),
    /// Accepted, now or as an earlier delivery (200).
    Accepted,
    /// HTTP status of a refusal.
    Refused(u16),
}

pub struct WebhookRoutes {
    routes: HashMap<String, RegisteredHook>,
    on_delivery: DeliveryCallback,
}

struct RegisteredHook {
    channel: ChannelId,
    secret: Secret,
    history: Mutex<DeliveryHistory>,
}

#[derive(Debug, Default)]
struct DeliveryHistory {
    seen: HashSet<Signature>,
    order: VecDeque<Signature>,
    counts: DeliveryCounts,
}

/// Returns the path segment for the deliveries of a channel: a readable name and an HMAC.
///
/// The HMAC is unguessable, does not reveal the secret, and stays the same as long as the
/// secret does.
pub fn webhook_path(channel: &ChannelId, secret: &Secret) -> String {
    let word = |character: char| {
        if character.is_ascii_alphanumeric() { character.to_ascii_lowercase() } else { '-' }
    };
    let plain: String = channel.as_str().chars().map(word).take(32).collect();
    let mark = signature::compute_signature(secret, format!("path of {channel}").as_bytes());
    let mark: String = mark.iter().take(PATH_TOKEN_BYTES).map(|byte| format!("{byte:02x}")).collect();
    format!("{plain}-{mark}")
}

impl WebhookRoutes {
    pub fn new(channels: Vec<(ChannelId, Secret)>, on_delivery: DeliveryCallback) -> Self {
        let hook = |(channel, secret): (ChannelId, Secret)| {
            (webhook_path(&channel, &secret), RegisteredHook { channel, secret, history: Mutex::default() })
        };
        Self { routes: channels.into_iter().map(hook).collect(), on_delivery }
    }

    /// Answers a request. Only the last path segment counts: a proxy may add a prefix.
    pub fn answer(&self, path: &str, asked: IncomingDelivery<'_>) -> DeliveryResponse {
        let last = path.rsplit('/').find(|part| !part.is_empty()).unwrap_or_default();
        let Some(hook) = self.routes.get(last) else { return DeliveryResponse::Refused(404) };
        let (answer, news) = hook.receive(asked);
        if let Some((delivery, counts)) = news {
            (self.on_delivery)(&hook.channel, delivery, counts);
        }
        answer
    }
}

impl RegisteredHook {
    fn receive(
        &self,
        asked: IncomingDelivery<'_>,
    ) -> (DeliveryResponse, Option<(ReceivedDelivery, DeliveryCounts)>) {
        let mut past = self.history.lock().unwrap_or_else(PoisonError::into_inner);
        match asked {
            IncomingDelivery::Challenge(value) if value.is_empty() || value.len() > MAX_CHALLENGE_BYTES => {
                (DeliveryResponse::Refused(400), None)
            }
            // Needs no signature: the response reveals nothing about deliveries.
            IncomingDelivery::Challenge(value) => (DeliveryResponse::Echo(value.to_owned()), None),
            IncomingDelivery::TooLarge => past.record_refusal(413),
            IncomingDelivery::Delivery(signatures, body) => {
                // Several signature headers are ambiguous.
                let [signature] = signatures else { return past.record_refusal(401) };
                let Some(print) = signature::check(&self.secret, body, signature) else {
                    return past.record_refusal(401);
                };
                let Ok(body) = events::read(body) else { return past.record_refusal(400) };
                if !past.is_new(print) {
                    past.counts.repeated += 1;
                    return (DeliveryResponse::Accepted, None);
                }
                let told = DeliverySubject::from_event(&body.event);
                match told {
                    DeliverySubject::Unknown => past.counts.unknown += 1,
                    _ => past.counts.accepted += 1,
                }
                let delivery = ReceivedDelivery {
                    subject: told,
                    conversation: body
                        .data
                        .conversation_id
                        .filter(|id| !id.is_empty())
                        .map(ConversationId::new),
                    at: body.timestamp,
                };
                (DeliveryResponse::Accepted, Some((delivery, past.counts)))
            }
        }
    }
}

impl DeliveryHistory {
    fn record_refusal(
        &mut self,
        status: u16,
    ) -> (DeliveryResponse, Option<(ReceivedDelivery, DeliveryCounts)>) {
        self.counts.refused += 1;
        (DeliveryResponse::Refused(status), None)
    }

    fn is_new(&mut self, print: Signature) -> bool {
        if !self.seen.insert(print) {
            return false;
        }
        self.order.push_back(print);
        if self.order.len() > HISTORY_LIMIT
            && let Some(oldest) = self.order.pop_front()
        {
            self.seen.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_path_tells_the_channel_and_is_known_only_with_its_secret() {
        let of = |channel: &str, secret: &str| webhook_path(&ChannelId::new(channel), &Secret::new(secret));
        let path = of("harbor chat", "one");
        assert!(path.starts_with("harbor-chat-"));
        assert_eq!(path, of("harbor chat", "one"), "the same after a restart");
        for (channel, secret) in [("harbor-chat", "one"), ("harbor chat", "two"), ("harbor chat", "")] {
            assert_ne!(path, of(channel, secret), "{channel} {secret}");
        }
        assert!((64..70).contains(&of(&"ü".repeat(400), "one").len()));
    }

    #[test]
    fn a_delivery_has_one_signature_and_is_told_once() {
        let (channel, secret) = (ChannelId::new("harbor"), Secret::new("one"));
        let told = Arc::new(Mutex::new(Vec::new()));
        let tells = told.clone();
        let heard: DeliveryCallback = Box::new(move |_, delivery, counts| {
            tells.lock().unwrap().push((delivery.conversation, counts));
        });
        let path = webhook_path(&channel, &secret);
        let hooks = WebhookRoutes::new(vec![(channel, secret.clone())], heard);
        let signed = |body: &[u8]| -> String {
            signature::compute_signature(&secret, body).iter().map(|byte| format!("{byte:02x}")).collect()
        };
        let deliver = |signatures: &[&str], body: &[u8]| {
            let signatures: Vec<&[u8]> = signatures.iter().map(|signature| signature.as_bytes()).collect();
            hooks.answer(&path, IncomingDelivery::Delivery(&signatures, body))
        };
        let first = br#"{"event":"message.received","data":{"conversationId":"c1"}}"#;
        let second = br#"{"event":"message.received","data":{"conversationId":"c2"}}"#;
        let (right, wrong) = (signed(first), signed(second));
        // Two signature headers are ambiguous, even if both are valid.
        let refused: [&[&str]; 6] =
            [&[], &[&wrong], &[&right, &wrong], &[&wrong, &right], &[&right, &right], &[&right, ""]];
        for signatures in refused {
            assert_eq!(deliver(signatures, first), DeliveryResponse::Refused(401), "{signatures:?}");
        }
        assert!(told.lock().unwrap().is_empty());
        for (signature, body) in [(&right, first), (&right, first), (&wrong, second), (&right, first)] {
            assert_eq!(deliver(&[signature], body), DeliveryResponse::Accepted);
        }
        let counts = |taken, repeated| DeliveryCounts { accepted: taken, repeated, unknown: 0, refused: 6 };
        let conversation = |text| Some(ConversationId::from(text));
        let expected = [(conversation("c1"), counts(1, 0)), (conversation("c2"), counts(2, 1))];
        assert_eq!(*told.lock().unwrap(), expected);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut past = DeliveryHistory::default();
        let print = |number: usize| {
            let mut print = [0; 32];
            print[..8].copy_from_slice(&number.to_be_bytes());
            print
        };
        for number in 0..HISTORY_LIMIT + 10 {
            assert!(past.is_new(print(number)));
        }
        assert_eq!((past.seen.len(), past.order.len()), (HISTORY_LIMIT, HISTORY_LIMIT));
        assert!(!past.is_new(print(HISTORY_LIMIT)) && past.is_new(print(0)));
    }
}
