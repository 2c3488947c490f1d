//! Queries the business's own systems about the customer, and stores their answers.

use crate::components::text_view::TextView;
use crate::context::Context;
use crate::desk::Desk;
use crate::event::Effect;
use crate::notice::StatusNotice;
use crate::outside::OutsideRequest;
use crate::screens::connections::endpoint_form::AwaitedAnswer;
use crate::screens::connections::requests::{AnswerKey, ConnectionRequest, ConnectionResult};
use crate::screens::connections::{
    ConnectionAnswers, EndpointAnswer, MAX_ANSWERS, MAX_SHOWN_LINES, REFRESH_INTERVAL, answer_key,
};
use crate::screens::conversations::card::update as card;
use crate::tab::{Focus, Tab};
use model::account::Platform;
use model::connections::{Connection, ConnectionEndpoint, ContactFacts, MappedAnswer};
use model::conversations::ConversationRow;
use model::text::SafeText;

/// Each endpoint with its connection, in the configuration's order.
pub(crate) fn all_endpoints(context: &Context) -> impl Iterator<Item = (&Connection, &ConnectionEndpoint)> {
    let connections = context.settings.connections.iter();
    connections.flat_map(|connection| connection.endpoints.iter().map(move |at| (connection, at)))
}

impl ConnectionAnswers {
    /// Answers about a conversation in the order of the connections, each with the names of its connection
    /// and endpoint.
    pub fn answers_about<'a>(
        &'a self,
        row: &ConversationRow,
        context: &'a Context,
    ) -> Vec<(&'a str, &'a str, &'a EndpointAnswer)> {
        let key = row.key();
        let all = all_endpoints(context);
        all.filter_map(|(connection, endpoint)| {
            let slot = answer_key(&key, &connection.name, endpoint);
            Some((connection.name.as_str(), endpoint.name.as_str(), self.answers.get(&slot)?))
        })
        .collect()
    }

    /// Requests answers automatically when another conversation is opened.
    pub(crate) fn request_for_opened(&mut self, desk: &Desk, context: &mut Context) {
        if context.settings.connections.is_empty() || desk.tab().focus == Focus::List {
            return;
        }
        // Facts proven by a channel are known once its platform is.
        let row = desk
            .current_conversation()
            .filter(|current_conversation| platform_of(desk, current_conversation).is_some());
        let key = row.map(ConversationRow::key);
        if key.is_some() && self.last_viewed != key {
            self.last_viewed = key;
            self.request_answers(
                |connection_endpoint| connection_endpoint.automatic,
                REFRESH_INTERVAL,
                false,
                desk,
                context,
            );
        }
    }

    /// Requests the data of the customer now, and shows the card.
    pub(crate) fn look_up(&mut self, desk: &mut Desk, context: &mut Context) {
        if desk.areas(context).card.is_none() {
            desk.panes.card = Some(true);
        }
        match self.request_answers(ConnectionEndpoint::needs_no_input, 0, true, desk, context) {
            0 => context.show_notice("too little is known about this contact to ask"),
            _ => context.show_status(StatusNotice::QueryingConnections),
        }
    }

    /// Calls the matching endpoints about the current conversation whose last answer is older; returns their
    /// number.
    fn request_answers(
        &mut self,
        wanted: fn(&ConnectionEndpoint) -> bool,
        older: i64,
        by_hand: bool,
        desk: &Desk,
        context: &mut Context,
    ) -> usize {
        let Some((key, facts)) = desk.current_conversation().map(|current_conversation| {
            (current_conversation.key(), contact_facts(desk, current_conversation))
        }) else {
            return 0;
        };
        let slots: Vec<AnswerKey> = all_endpoints(context)
            .filter(|(_, endpoint)| wanted(endpoint) && endpoint.is_readable_with(&facts))
            .map(|(connection, endpoint)| answer_key(&key, &connection.name, endpoint))
            .collect();
        let now = context.moment;
        let due = slots.into_iter().filter(|slot| {
            let kept = self.answers.get(slot);
            kept.is_none_or(|endpoint_answer| {
                !endpoint_answer.is_pending && now.since(endpoint_answer.asked_at) >= older
            })
        });
        let due: Vec<AnswerKey> = due.collect();
        for slot in &due {
            let facts = facts.clone();
            self.call_endpoint(
                ConnectionRequest::Call { slot: slot.clone(), facts, answers: Vec::new(), by_hand },
                context,
            );
        }
        due.len()
    }

    pub(crate) fn call_endpoint(&mut self, errand: ConnectionRequest, context: &mut Context) {
        if let ConnectionRequest::Call { slot, .. } = &errand {
            let now = context.moment;
            let answers = &mut self.answers;
            if answers.len() >= MAX_ANSWERS
                && let Some(oldest) =
                    answers.iter().min_by_key(|(_, answer)| answer.asked_at).map(|answer| answer.0.clone())
            {
                answers.remove(&oldest);
            }
            let answer = answers.entry(slot.clone()).or_default();
            (answer.asked_at, answer.is_pending) = (now, true);
        }
        context.push(Effect::Request(OutsideRequest::Connections(Box::new(errand))));
    }

    /// Describes the number of pending requests.
    pub(crate) fn describe_pending(&self) -> Option<String> {
        match self.answers.values().filter(|answer| answer.is_pending).count() {
            0 => None,
            1 => Some("asking".to_owned()),
            count => Some(format!("asking {count} endpoints")),
        }
    }

    pub(crate) fn receive_result(&mut self, outcome: ConnectionResult, context: &mut Context) {
        match outcome {
            ConnectionResult::Called { slot, by_hand, mapped } => {
                self.receive_answer(slot, by_hand, mapped, context)
            }
            ConnectionResult::Log(calls) => self.calls = calls,
        }
    }

    fn receive_answer(
        &mut self,
        slot: AnswerKey,
        by_hand: bool,
        mapped: Result<MappedAnswer, String>,
        context: &mut Context,
    ) {
        let name = format!("{} · {}", slot.connection, slot.endpoint);
        let is_shown = context.overlays.top::<AwaitedAnswer>().is_some_and(|top| top.slot == slot);
        let answer = self.answers.entry(slot.clone()).or_default();
        answer.is_pending = false;
        match mapped {
            Ok(mapped) => {
                if is_shown {
                    context.overlays.pop();
                    let lines = mapped.to_lines(MAX_SHOWN_LINES);
                    let lines = if lines.is_empty() {
                        vec!["The answer has none of the chosen fields.".to_owned()]
                    } else {
                        lines
                    };
                    let lines = lines.iter().map(|text| SafeText::line(text)).collect();
                    context.open(TextView::new(name, lines));
                }
                let answer = self.answers.entry(slot).or_default();
                (answer.mapped, answer.error) = (Some(mapped), None);
            }
            Err(why) => {
                answer.error = Some(SafeText::line(&why));
                if is_shown {
                    context.overlays.pop();
                }
                if by_hand {
                    context.show_warning(format!("{name}: {why}"));
                }
            }
        }
    }

    /// Values of `{connection.field}` in the current conversation.
    pub(crate) fn field_values(&self, desk: &Desk, context: &Context) -> Vec<(String, String)> {
        let Some(row) = desk.current_conversation() else { return Vec::new() };
        let mut found: Vec<(String, String)> = Vec::new();
        for (connection, _, answer) in self.answers_about(row, context) {
            let fields = answer.mapped.iter().flat_map(|mapped| &mapped.fields);
            found.extend(fields.map(|field| (format!("{connection}.{}", field.name), field.to_line())));
        }
        found.retain(|(_, value)| !value.is_empty());
        found
    }
}

/// Facts about the contact of a conversation: those its channel proves, and its metadata.
pub(crate) fn contact_facts(desk: &Desk, row: &ConversationRow) -> ContactFacts {
    let proven = platform_of(desk, row).zip(row.conversation.address.as_deref());
    let facts =
        proven.map(|(platform, address)| ContactFacts::from_address(platform, address)).unwrap_or_default();
    let contact = card::current_card(desk).and_then(|current_card| current_card.contact.as_ref());
    let metadata = contact.map_or_else(Vec::new, |contact| {
        contact.metadata.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    });
    facts.with_metadata(metadata)
}

fn platform_of<'a>(desk: &'a Desk, row: &ConversationRow) -> Option<&'a Platform> {
    let key = row.key();
    desk.tabs.iter().find(|tab| tab.channel.id == key.channel).and_then(Tab::platform)
}
