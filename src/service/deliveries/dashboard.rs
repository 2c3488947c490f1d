//! Administration of webhooks, for `frontdesk admin webhook`: the log of deliveries, replay, and switching an
//! endpoint off and on. A running service delivers what was replayed within a minute.

use crate::admin::{Admin, AdminError, WorkspaceChoice};
use crate::audit::{self, CONSOLE};
use crate::database::delivery_log::{self, AttemptRow, DeadLetter};
use crate::database::session::DbSession;
use crate::database::webhooks::{self, EndReason, WebhookRow};
use crate::database::{channels, events};
use model::time::Timestamp;
use platforms::Channel;

/// Prefix of the id of a webhook; anything else names a delivery.
const WEBHOOK_PREFIX: &str = "wh_";

impl Admin {
    /// Lists the workspace's webhook subscriptions with their channels, oldest first within a channel.
    pub async fn webhooks(&self) -> Result<Vec<(Channel, WebhookRow)>, AdminError> {
        let workspace = self.workspace.clone();
        self.database.read(move |db| list(db, &workspace)).await
    }

    /// Lists the active webhooks of the whole service whose deliveries fail.
    pub async fn failing_webhooks(&self) -> Result<Vec<WebhookRow>, AdminError> {
        Ok(self.database.read(|db| webhooks::failing(db)).await?)
    }

    /// Lists the attempts to deliver to one webhook, or to all of the workspace, newest first.
    pub async fn delivery_attempts(
        &self,
        webhook: Option<&str>,
        only_failed: bool,
        limit: u32,
    ) -> Result<Vec<AttemptRow>, AdminError> {
        let (workspace, webhook) = (self.workspace.clone(), webhook.map(str::to_owned));
        self.database
            .read(move |db| {
                let mut found = Vec::new();
                for row in select(db, &workspace, webhook.as_deref())? {
                    found.extend(delivery_log::list(db, &row.id, only_failed, limit)?);
                }
                found.sort_by_key(|attempt: &AttemptRow| std::cmp::Reverse(attempt.at));
                found.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
                Ok(found)
            })
            .await
    }

    /// Lists the dead letters of one webhook, or of all of the workspace, oldest first.
    pub async fn dead_letters(
        &self,
        webhook: Option<&str>,
        limit: u32,
    ) -> Result<Vec<DeadLetter>, AdminError> {
        let (workspace, webhook) = (self.workspace.clone(), webhook.map(str::to_owned));
        self.database
            .read(move |db| {
                let mut found = Vec::new();
                for row in select(db, &workspace, webhook.as_deref())? {
                    found.extend(delivery_log::list_dead(db, &row.id, limit)?);
                }
                found.sort_by_key(|letter: &DeadLetter| letter.at);
                found.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
                Ok(found)
            })
            .await
    }

    /// Delivers again: one delivery by its id, or all dead letters of a webhook. Returns their number.
    ///
    /// # Errors
    /// If the webhook is switched off, or the delivery waits already or is no longer stored.
    pub async fn replay_deliveries(&self, named: &str, now: Timestamp) -> Result<u64, AdminError> {
        let (workspace, named) = (self.workspace.clone(), named.to_owned());
        self.database
            .write(move |db| {
                let webhook = if named.starts_with(WEBHOOK_PREFIX) {
                    named.clone()
                } else {
                    delivery_log::find_webhook(db, &named)?.ok_or_else(|| no_delivery_error(&named))?
                };
                let webhook = find(db, &workspace, &webhook)?;
                if !webhook.active {
                    let id = &webhook.id;
                    return Err(AdminError::Refused(format!(
                        "{id} is switched off; run `admin webhook enable {id}` first"
                    )));
                }
                let count = if named == webhook.id {
                    delivery_log::replay_dead(db, &named, now)?
                } else if delivery_log::replay(db, &named, now)? {
                    1
                } else {
                    return Err(AdminError::Refused(format!("{named} waits for its next attempt already")));
                };
                audit::record_in_channel(db, &webhook.channel, CONSOLE, ("webhook replay", &named), now)?;
                Ok(count)
            })
            .await
    }

    /// Switches a webhook off or on. Deliveries that wait for one that is switched off become dead letters.
    pub async fn switch_webhook(&self, id: &str, active: bool, now: Timestamp) -> Result<(), AdminError> {
        let (workspace, id) = (self.workspace.clone(), id.to_owned());
        self.database
            .write(move |db| {
                let webhook = find(db, &workspace, &id)?;
                let action = if active {
                    webhooks::activate(db, &id)?;
                    "webhook enable"
                } else {
                    webhooks::deactivate(db, &id, EndReason::Operator)?;
                    events::cancel_deliveries(db, &id)?;
                    "webhook disable"
                };
                Ok(audit::record_in_channel(db, &webhook.channel, CONSOLE, (action, &id), now)?)
            })
            .await
    }
}

fn list(db: &dyn DbSession, workspace: &WorkspaceChoice) -> Result<Vec<(Channel, WebhookRow)>, AdminError> {
    let mut all = Vec::new();
    for channel in channels::list_by_workspace(db, &workspace.find(db)?.id)? {
        let rows = webhooks::list(db, &channel.id)?;
        all.extend(rows.into_iter().map(|row| (channel.kind, row)));
    }
    Ok(all)
}

/// Returns the named webhook, or all of the workspace.
fn select(
    db: &dyn DbSession,
    workspace: &WorkspaceChoice,
    id: Option<&str>,
) -> Result<Vec<WebhookRow>, AdminError> {
    match id {
        Some(id) => Ok(vec![find(db, workspace, id)?]),
        None => Ok(list(db, workspace)?.into_iter().map(|(_, row)| row).collect()),
    }
}

fn find(db: &dyn DbSession, workspace: &WorkspaceChoice, id: &str) -> Result<WebhookRow, AdminError> {
    list(db, workspace)?.into_iter().map(|(_, row)| row).find(|row| row.id == id).ok_or_else(|| {
        AdminError::Absent(format!(
            "this workspace has no webhook {id:?}; `admin webhook list` shows their ids"
        ))
    })
}

fn no_delivery_error(id: &str) -> AdminError {
    AdminError::Absent(format!(
        "there is no webhook or delivery {id:?}; `admin webhook list` and `admin webhook deliveries` show their \
         ids, and deliveries are kept for a limited time"
    ))
}
