//! Data Connections in the inbox: what the business's own systems know of
//! the customer, beside the conversation.
//!
//! | file | what |
//! |---|---|
//! | `errands.rs` | what is wanted of connections, and what comes back |
//! | `asking.rs` | any endpoint by hand: which, with what |
//! | `wizard.rs`, `wizard_keys.rs` | a new connection |
//! | `upkeep.rs` | another credential for one, and removing one |
//! | `log.rs` | the log of calls |
//!
//! Answers are kept for a minute and shown with their age; nothing ever waits
//! for one.

pub mod asking;
pub mod errands;
pub(crate) mod log;
pub mod upkeep;
pub(crate) mod view;
pub mod wizard;
pub(crate) mod wizard_keys;

use std::collections::HashMap;

use crate::Inbox;
use crate::commands::Command;
use crate::event::Effect;
use crate::outside::OutsideRequest;
use crate::overlays::Layer;
use crate::screens::connections::errands::{AnswerKey, ConnectionRequest, ConnectionResult};
use crate::tab::{Focus, Tab};
use model::account::Platform;
use model::connections::{CallLine, Connection, ConnectionEndpoint, ContactFacts, Mapped};
use model::conversations::ConversationRow;
use model::queries::ConversationKey;
use model::text::SafeText;
use model::time::{MINUTE, Timestamp};

/// Answers that are kept.
const KEPT: usize = 300;
/// How long an answer is not asked for again by itself.
const FRESH: i64 = MINUTE;
/// Lines of an answer that are shown in a layer.
const LINES: usize = 200;

/// What is known of one answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EndpointAnswer {
    asked_at: Timestamp,
    /// Whether it is on its way.
    pub waits: bool,
    /// The last one that came.
    pub mapped: Option<Mapped>,
    /// Why the last one did not come.
    pub failed: Option<SafeText>,
}

/// What is known of connections.
#[derive(Debug, Default)]
pub struct ConnectionAnswers {
    answers: HashMap<AnswerKey, EndpointAnswer>,
    /// The conversation that was looked at last.
    seen: Option<ConversationKey>,
    pub(crate) calls: Vec<CallLine>,
    /// How the conversations those were about are called.
    names: HashMap<String, String>,
    /// A new connection that was begun and left; it ends with this run.
    begun: Option<Box<crate::screens::connections::wizard::Wizard>>,
}

impl Inbox {
    /// Each endpoint with its connection, in the configuration's order.
    fn every_endpoint(&self) -> impl Iterator<Item = (&Connection, &ConnectionEndpoint)> {
        let connections = self.context.settings.connections.iter();
        connections.flat_map(|it| it.endpoints.iter().map(move |at| (it, at)))
    }

    /// The answers that are about a conversation, in the connections' order,
    /// each with its connection's and endpoint's name.
    pub fn connected(&self, row: &ConversationRow) -> Vec<(&str, &str, &EndpointAnswer)> {
        let key = row.key();
        let all = self.every_endpoint();
        all.filter_map(|(connection, endpoint)| {
            let slot = slot(&key, &connection.name, endpoint);
            Some((connection.name.as_str(), endpoint.name.as_str(), self.connections.answers.get(&slot)?))
        })
        .collect()
    }

    /// What is known of the contact of a conversation: what its channel proves
    /// of them, and their metadata.
    pub(crate) fn contact_facts(&self, row: &ConversationRow) -> ContactFacts {
        let proven = self.platform_of(row).zip(row.conversation.address.as_deref());
        let facts = proven.map(|(platform, address)| ContactFacts::of(platform, address)).unwrap_or_default();
        let contact = self.card_at_hand().and_then(|it| it.contact.as_ref());
        let metadata = contact.map_or_else(Vec::new, |it| {
            it.metadata.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
        });
        facts.with_metadata(metadata)
    }

    fn platform_of(&self, row: &ConversationRow) -> Option<&Platform> {
        let key = row.key();
        self.tabs.iter().find(|it| it.channel.id == key.channel).and_then(Tab::platform)
    }

    /// Asks by itself when another conversation is opened.
    pub(crate) fn follow_connections(&mut self) {
        if self.context.settings.connections.is_empty() || self.tab().focus == Focus::List {
            return;
        }
        // What a channel proves of people is known once its platform is.
        let row = self.at_hand().filter(|it| self.platform_of(it).is_some());
        let key = row.map(ConversationRow::key);
        if key.is_some() && self.connections.seen != key {
            self.connections.seen = key;
            self.ask_about(|it| it.automatic, FRESH, false);
        }
    }

    /// A command about connections; false if it is about something else.
    pub(crate) fn connection_command(&mut self, command: Command) -> bool {
        match command {
            Command::LookUp => self.look_up(),
            Command::AskConnection => self.pick_endpoint(),
            Command::ShowConnectionCalls => self.show_connection_calls(),
            _ => return false,
        }
        true
    }

    /// Looks the customer up now, and shows the card.
    pub(crate) fn look_up(&mut self) {
        if self.areas().card.is_none() {
            self.card = Some(true);
        }
        match self.ask_about(ConnectionEndpoint::needs_nobody, 0, true) {
            0 => self.say("nothing can be asked with what is known of this contact"),
            1 => self.say("asking"),
            count => self.say(format!("asking {count} endpoints")),
        }
    }

    /// Asks all of these endpoints about the conversation at hand whose last
    /// answer is older; how many.
    fn ask_about(&mut self, wanted: fn(&ConnectionEndpoint) -> bool, older: i64, by_hand: bool) -> usize {
        let Some((key, facts)) = self.at_hand().map(|it| (it.key(), self.contact_facts(it))) else {
            return 0;
        };
        let slots: Vec<AnswerKey> = self
            .every_endpoint()
            .filter(|(_, it)| wanted(it) && it.reads_with(&facts))
            .map(|(connection, endpoint)| slot(&key, &connection.name, endpoint))
            .collect();
        let now = self.context.now;
        let due = slots.into_iter().filter(|slot| {
            let kept = self.connections.answers.get(slot);
            kept.is_none_or(|it| !it.waits && now.since(it.asked_at) >= older)
        });
        let due: Vec<AnswerKey> = due.collect();
        for slot in &due {
            let facts = facts.clone();
            self.call_endpoint(ConnectionRequest::Call {
                slot: slot.clone(),
                facts,
                answers: Vec::new(),
                by_hand,
            });
        }
        due.len()
    }

    fn call_endpoint(&mut self, errand: ConnectionRequest) {
        if let ConnectionRequest::Call { slot, .. } = &errand {
            let now = self.context.now;
            let answers = &mut self.connections.answers;
            if answers.len() >= KEPT
                && let Some(oldest) = answers.iter().min_by_key(|(_, it)| it.asked_at).map(|it| it.0.clone())
            {
                answers.remove(&oldest);
            }
            let answer = answers.entry(slot.clone()).or_default();
            (answer.asked_at, answer.waits) = (now, true);
        }
        self.context.push(Effect::Ask(OutsideRequest::Connections(Box::new(errand))));
    }

    /// Something that was wanted has come back.
    pub(crate) fn errand_done(&mut self, outcome: ConnectionResult) {
        match outcome {
            ConnectionResult::Called { slot, by_hand, mapped } => {
                self.endpoint_answered(slot, by_hand, mapped)
            }
            ConnectionResult::Tried(attempt, tried) => self.connection_tried(attempt, tried),
            ConnectionResult::Saved(saved) => self.connection_saved(saved),
            ConnectionResult::Accepted(name, tried) => self.credential_tried(&name, tried),
            ConnectionResult::Removed(removed) => self.connection_removed(removed),
            ConnectionResult::Log(calls) => self.connections.calls = calls,
        }
    }

    fn endpoint_answered(&mut self, slot: AnswerKey, by_hand: bool, mapped: Result<Mapped, String>) {
        let name = format!("{} · {}", slot.connection, slot.endpoint);
        let is_shown = matches!(self.layers.last(), Some(Layer::Answer { slot: asked }) if *asked == slot);
        let answer = self.connections.answers.entry(slot.clone()).or_default();
        answer.waits = false;
        match mapped {
            Ok(mapped) => {
                if is_shown {
                    self.layers.pop();
                    let lines = mapped.lines(LINES);
                    let lines = if lines.is_empty() {
                        vec!["It answered, and none of its fields is there.".to_owned()]
                    } else {
                        lines
                    };
                    let lines = lines.iter().map(|it| SafeText::line(it)).collect();
                    self.open_layer(Layer::Raw { title: name, lines, first: 0 });
                }
                let answer = self.connections.answers.entry(slot).or_default();
                (answer.mapped, answer.failed) = (Some(mapped), None);
            }
            Err(why) => {
                answer.failed = Some(SafeText::line(&why));
                if is_shown {
                    self.layers.pop();
                }
                if by_hand {
                    self.warn(format!("{name}: {why}"));
                }
            }
        }
    }

    /// What `{connection.field}` stands for in the conversation at hand.
    pub(crate) fn looked_up(&self) -> Vec<(String, String)> {
        let Some(row) = self.at_hand() else { return Vec::new() };
        let mut found: Vec<(String, String)> = Vec::new();
        for (connection, _, answer) in self.connected(row) {
            let fields = answer.mapped.iter().flat_map(|it| &it.fields);
            found.extend(fields.map(|it| (format!("{connection}.{}", it.name), it.line())));
        }
        found.retain(|(_, value)| !value.is_empty());
        found
    }
}

fn slot(key: &ConversationKey, connection: &str, endpoint: &ConnectionEndpoint) -> AnswerKey {
    AnswerKey { key: Some(key.clone()), connection: connection.to_owned(), endpoint: endpoint.name.clone() }
}
