//! `admin proposal`: lists, carries out and drops changes proposed by the assistant.

use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Subcommand;
use serde_json::{Map, Value, json};

use crate::cli::print;
use crate::cli::unfinished::OutcomeUnknown;
use crate::shell::clock::SystemClock;
use model::text::SafeText;
use model::time::Clock;
use service::admin::Admin;
use service::database::proposals::ProposalRow;

/// What can be done with proposals.
#[derive(Debug, Subcommand)]
pub enum ProposalAction {
    /// List the proposals, newest first.
    List,
    /// Make the proposed call for its customer. A retry uses the same idempotency key.
    CarryOut {
        /// Id, as shown by `list`.
        id: String,
    },
    /// Drop a proposal.
    Drop {
        /// Id, as shown by `list`.
        id: String,
    },
}

pub async fn run(admin: &Admin, action: ProposalAction, json: bool) -> Result<()> {
    match action {
        ProposalAction::List => {
            let all = admin.proposals().await.context("could not list the proposals")?;
            if json {
                return print::json(&Value::Array(all.iter().map(item).collect()));
            }
            print::empty(all.is_empty(), "proposals");
            all.iter().try_for_each(|proposal_row| print::line(&describe_proposal(proposal_row)))
        }
        ProposalAction::CarryOut { id } => {
            let called = admin
                .execute_proposal(&id, Arc::new(SystemClock))
                .await
                .context("could not carry out the proposal")?;
            match called.answer {
                Ok(answer) if json => print::json(&json!({"id": id, "done": true, "status": answer.status})),
                Ok(answer) => print::line(&format!("{id}\tdone\tstatus {}", answer.status)),
                Err(why) => {
                    let words = format!("outcome of {id} is unknown: {why}; carry it out again or drop it");
                    Err(OutcomeUnknown(words).into())
                }
            }
        }
        ProposalAction::Drop { id } => {
            admin.drop_proposal(&id, SystemClock.now()).await.context("could not drop the proposal")?;
            if json {
                return print::json(&json!({"id": id, "dropped": true}));
            }
            print::line(&format!("{id}\tdropped"))
        }
    }
}

fn describe_proposal(proposal: &ProposalRow) -> String {
    let values: Vec<String> =
        proposal.answers.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let outcome = proposal.outcome.as_deref().unwrap_or("");
    let line = [
        &proposal.id,
        &proposal.created_at.to_string(),
        &proposal.conversation,
        &format!("{} · {}", proposal.connection, proposal.endpoint),
        &values.join(" "),
        proposal.state.word(),
        outcome,
    ]
    .map(|text| SafeText::line(text).to_string());
    line.join("\t").trim_end().to_owned()
}

fn item(proposal: &ProposalRow) -> Value {
    let values: Map<String, Value> =
        proposal.answers.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
    json!({
        "id": proposal.id, "at": proposal.created_at.to_string(), "conversation": proposal.conversation,
        "connection": proposal.connection, "endpoint": proposal.endpoint, "values": values,
        "state": proposal.state.word(), "outcome": proposal.outcome,
    })
}
