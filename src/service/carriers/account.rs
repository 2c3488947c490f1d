//! Periodic copy of a channel account's state at the platform: templates, quality rating and messaging limit.

use crate::carriers::watch;
use crate::database::DatabaseError;
use crate::database::connected::{self as stored, ConnectedRow};
use crate::database::session::DbSession;
use crate::database::templates::{self};
use crate::errors::ApiError;
use crate::operators::ConnectedChannel;
use crate::state::Service;
use model::time::{Clock, MINUTE, Timestamp};
use platforms::{PlatformDescription, PlatformError, Template};

/// Age at which the copy is refreshed, in microseconds.
const MAX_DESCRIPTION_AGE: i64 = 10 * MINUTE;
/// Duration of a process's exclusive lease for the refresh, in microseconds.
const DESCRIPTION_LEASE: i64 = 2 * MINUTE;

/// Refreshes the copy if it is due and no other process does so.
pub async fn refresh_description(
    service: &Service,
    connected: &ConnectedChannel,
    me: &str,
) -> Result<Option<PlatformError>, ApiError> {
    let Some(asking) = connected.platform.describe_account() else { return Ok(None) };
    let now = service.clock.now();
    let (channel, version) = (connected.channel.clone(), connected.version.clone());
    let found: Result<_, DatabaseError> = service.database.read(move |db| stored::read(db, &channel)).await;
    let due =
        found?.filter(|connected_row| connected_row.version == version && is_due(&connected_row.mark, now));
    let Some(row) = due else { return Ok(None) };
    let (channel, reader) = (row.channel.clone(), me.to_owned());
    let scope = service.database.scope_of_channel(&row.channel).await?;
    let mine: Result<bool, DatabaseError> = service
        .database
        .write_in(scope.clone(), move |db| {
            stored::acquire_lease(db, (&channel, &version), &reader, now, now.plus(DESCRIPTION_LEASE))
        })
        .await;
    if !mine? {
        return Ok(None);
    }
    let description = match asking.await {
        Ok(description) => description,
        Err(trouble) => return Ok(Some(trouble)),
    };
    let kept: Result<(), DatabaseError> = service
        .database
        .write_in(scope, move |db| {
            let PlatformDescription { settings, templates } = description;
            let mark = description_mark(now);
            // If the account changed meanwhile, nothing is stored and the next round asks again.
            if stored::store_description(db, (&row.channel, &row.version), &row.mark, (&mark, &settings))? {
                replace_templates(db, &row.channel, &templates)?;
            }
            Ok(())
        })
        .await;
    kept?;
    Ok(None)
}

/// Asks the platform for settings that an earlier version did not store, and stores them.
pub async fn complete_settings(service: &Service, connected: &ConnectedChannel) -> Result<(), ApiError> {
    let Some(asking) = connected.platform.complete_settings() else { return Ok(()) };
    let settings = match asking.await {
        Ok(settings) => settings,
        Err(PlatformError { why, .. }) => {
            tracing::warn!(why, "the settings of a channel could not be completed; next try later");
            return Ok(());
        }
    };
    let (channel, version) = (connected.channel.clone(), connected.version.clone());
    let scope = service.database.scope_of_channel(&channel).await?;
    let kept: Result<(), DatabaseError> = service
        .database
        .write_in(scope, move |db| {
            let row = stored::read(db, &channel)?.filter(|row| row.version == version);
            match row {
                // With the new version, all processes open the channel again.
                Some(row) => {
                    stored::put(db, &ConnectedRow { settings, version: watch::new_version(), ..row })
                }
                None => Ok(()),
            }
        })
        .await;
    Ok(kept?)
}

/// Returns the mark of a copy made at `now`.
pub fn description_mark(now: Timestamp) -> String {
    now.micros().to_string()
}

/// Returns true for an old mark, and for any that is not a time.
fn is_due(mark: &str, now: Timestamp) -> bool {
    let at = mark.parse().map(Timestamp::from_micros);
    !at.is_ok_and(|at| (0..MAX_DESCRIPTION_AGE).contains(&now.since(at)))
}

pub fn replace_templates(db: &dyn DbSession, channel: &str, all: &[Template]) -> Result<(), DatabaseError> {
    let before = templates::list(db, channel)?;
    for template in all {
        let old = before.iter().find(|old| is_same_template(old, template));
        let reason = old.and_then(|old| reported_reason(old, template)).or_else(|| template.reason.clone());
        let template = Template { reason, ..template.clone() };
        if old != Some(&template) {
            templates::put(db, channel, &template)?;
        }
    }
    let is_there = |old: &Template| all.iter().any(|template| is_same_template(old, template));
    for old in before.iter().filter(|template| !is_there(template)) {
        templates::remove(db, channel, &old.name, &old.language)?;
    }
    Ok(())
}

fn is_same_template(one: &Template, other: &Template) -> bool {
    one.name == other.name && one.language == other.language
}

/// Returns the stored reason if a report has explained it further than the list does.
fn reported_reason(old: &Template, listed: &Template) -> Option<String> {
    let word = listed.reason.as_deref().unwrap_or_default();
    old.reason.clone().filter(|reason| old.status == listed.status && reason.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explained_reason_is_kept_while_the_status_stays() {
        let told = |status: &str, reason: Option<&str>| Template {
            status: status.to_owned(),
            reason: reason.map(str::to_owned),
            ..Template::default()
        };
        let old = told("REJECTED", Some("INVALID_FORMAT: two variables touch"));
        let kept = |listed: Template| reported_reason(&old, &listed);
        assert_eq!(kept(told("REJECTED", Some("INVALID_FORMAT"))), old.reason);
        assert_eq!(kept(told("REJECTED", None)), old.reason);
        assert_eq!(kept(told("REJECTED", Some("SCAM"))), None);
        assert_eq!(kept(told("APPROVED", None)), None);
    }

    #[test]
    fn an_account_is_asked_for_once_in_a_while_and_when_it_has_changed() {
        let at = Timestamp::from_micros(MAX_DESCRIPTION_AGE);
        let now = |span| at.plus(span);
        assert!(is_due("", at) && is_due("changed 5", at));
        assert!(
            !is_due(&description_mark(at), at)
                && !is_due(&description_mark(at), now(MAX_DESCRIPTION_AGE - 1))
        );
        assert!(
            is_due(&description_mark(at), now(MAX_DESCRIPTION_AGE)) && is_due(&description_mark(at), now(-1)),
            "a clock that was put back"
        );
    }
}
