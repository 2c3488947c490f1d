//! Further kinds of events in the random world of a number: messages from before it was connected, messages that
//! customers withdraw, and templates that are submitted and reviewed.

use std::collections::BTreeMap;

use frontdesk::service::DatabaseLocation;
use frontdesk::service::admin::AdminError;
use serde_json::{Value, json};

use super::Served;
use super::earlier_messages::{OWN, share, text, thread};
use super::number_server::NumberServer;
use super::templates::{draft, submit};
use crate::postgres::cluster;
use crate::waiting::until;

/// Customer of the earlier messages.
const BEFORE: &str = "+34600990001";
/// Customer who withdraws messages.
const UNSURE: &str = "+34600990002";
/// Maximum number of templates.
const MAX_TEMPLATES: usize = 20;
/// First word of earlier messages of the business.
const THEN: &str = "then";

pub(super) struct NumberEvents<'a> {
    number: &'a NumberServer,
    rounds: usize,
    /// Outcome of each submitted template, by name.
    submissions: BTreeMap<String, Submission>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Submission {
    Accepted,
    Refused(String),
    Unknown,
}

/// True for a message of the business from before the number was connected.
pub(super) fn is_earlier(text: &str) -> bool {
    text.starts_with(THEN)
}

fn template_name(round: usize) -> String {
    format!("order_late_{round}")
}

impl<'a> NumberEvents<'a> {
    pub(super) fn new(number: &'a NumberServer) -> Self {
        Self { number, rounds: 0, submissions: BTreeMap::new() }
    }

    pub(super) fn round_count(&self) -> usize {
        self.rounds
    }

    /// Number of messages that customers have written, now or before.
    pub(super) fn messages(&self) -> usize {
        3 * self.rounds
    }

    /// A piece of the earlier messages comes, and the one before once more. A customer writes, withdraws it and
    /// writes again.
    pub(super) fn happen(&mut self) {
        self.rounds += 1;
        let piece = |round: usize| {
            let after = 100 * i64::try_from(round).expect("few");
            let asked = text(&format!("wamid.B{round}"), BEFORE, after, &format!("before {round}"));
            let answered = text(&format!("wamid.T{round}"), OWN, after + 50, &format!("{THEN} {round}"));
            let chunk = i64::try_from(round).expect("few");
            share(self.number, chunk, &[thread(BEFORE, &[asked, answered])]);
        };
        let round = self.rounds;
        piece(round);
        if round > 1 {
            piece(round - 1);
        }
        let mistake = self.number.says(UNSURE, &format!("mistake {round}"));
        self.number.sends(UNSURE, "revoke", json!({ "original_message_id": mistake }), json!({}));
        self.number.says(UNSURE, &format!("instead {round}"));
    }

    /// Name of the template to submit in this round, if there are not too many.
    pub(super) fn next_template(&self) -> Option<String> {
        (self.rounds <= MAX_TEMPLATES).then(|| template_name(self.rounds))
    }

    /// Submits a template; the platform reviews it if it has it.
    pub(super) async fn submit_template(&mut self, served: &Served) {
        let Some(name) = self.next_template() else { return };
        let submission = match submit(served, draft(&name, "Your order is late.")).await {
            Ok(_) => Submission::Accepted,
            Err(AdminError::Refused(why)) => Submission::Refused(why),
            Err(AdminError::Unknown(_)) => Submission::Unknown,
            Err(other) => panic!("{name}: {other:?}"),
        };
        self.record_submission(name, submission);
    }

    /// Notes a template that was submitted by command.
    pub(super) fn template_was_accepted(&mut self, name: String) {
        self.record_submission(name, Submission::Accepted);
    }

    fn record_submission(&mut self, name: String, submission: Submission) {
        if self.number.templates().iter().any(|template| template["name"] == *name) {
            let (status, reason) =
                if self.rounds.is_multiple_of(2) { ("APPROVED", "NONE") } else { ("REJECTED", "SCAM") };
            self.number.reviews(&name, status, reason, &Value::Null);
        }
        self.submissions.insert(name, submission);
    }

    /// The templates that the platform has, each with its status, after checking them against the answers.
    pub(super) fn checked_templates(&self) -> Vec<(String, String)> {
        let word = |value: &Value| value.as_str().expect("a word").to_owned();
        let all = self.number.templates();
        let mut templates: Vec<(String, String)> =
            all.iter().map(|template| (word(&template["name"]), word(&template["status"]))).collect();
        templates.sort();
        for (name, submission) in &self.submissions {
            let count = templates.iter().filter(|(known, _)| known == name).count();
            let is_right = match submission {
                Submission::Accepted => count == 1,
                Submission::Refused(_) => count == 0,
                Submission::Unknown => count <= 1,
            };
            assert!(is_right, "{name}: {submission:?}, and the platform has {count}");
        }
        templates
    }
}

/// Waits until the messages of all rounds are in the database, each once and in their order.
pub(super) fn check(place: &DatabaseLocation, rounds: usize) {
    let before = (1..=rounds).flat_map(|round| [format!("before {round}"), format!("{THEN} {round}")]);
    let unsure = (1..=rounds).flat_map(|round| ["[withdrawn]".to_owned(), format!("instead {round}")]);
    for (peer, wanted) in [(BEFORE, before.collect::<Vec<_>>()), (UNSURE, unsure.collect())] {
        let sql = format!(
            "SELECT messages.content FROM messages JOIN conversations ON conversations.id = messages.conversation
             WHERE peer = '{peer}' ORDER BY coalesce(messages.sent_at, messages.created_at), messages.id"
        );
        until("earlier and withdrawn messages", || {
            let found = cluster::column(place, &sql);
            if found == wanted { Ok(()) } else { Err(format!("{peer}: {found:?}")) }
        });
    }
}
