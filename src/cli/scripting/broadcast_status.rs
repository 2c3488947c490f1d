//! `broadcast watch`, `track` and `list`: state of broadcasts, read from the server and stored.

use std::collections::HashSet;
use std::fmt::Display;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::cli::print;
use crate::cli::scripting::broadcast::{WatchArguments, business_chat, channel_of};
use crate::cli::scripting::{Common, Session, waves};
use crate::cli::unfinished::{CommandRefusal, RemainingState, Unfinished};
use client::{FailureCause, ReadError, RequestFailure};
use model::broadcasts::Broadcast;
use model::ids::{BroadcastId, CampaignId};
use model::waves::{Campaign, WaveRowState};
use sync::ChannelSync;
use sync::plan::broadcast_poll_interval;

/// Reads and stores a broadcast; `None` if the server does not know it.
pub fn refresh_broadcast(
    session: &Session,
    channel: &ChannelSync,
    id: &BroadcastId,
) -> Result<Option<Broadcast>> {
    let told = session.ask(channel, "could not read the broadcast", async || {
        match channel.client.broadcast(id).await {
            Err(ReadError::NotFound(_)) => Ok(None),
            told => told.map(Some),
        }
    })?;
    if let Some(told) = &told {
        let kept = session.store().apply_broadcast(&channel.spec().id, told.clone());
        session.runtime.block_on(kept).context("could not store the progress")?;
        session.runtime.block_on(channel.try_balance_after(told));
    }
    Ok(told)
}

fn not_found(channel: &ChannelSync, id: &BroadcastId) -> CommandRefusal {
    let name = &channel.spec().name;
    CommandRefusal::not_found(format!(
        "{name}: the server does not know broadcast {id}; `frontdesk broadcast list` shows those of this desk"
    ))
}

pub fn watch(session: &Session, arguments: &WatchArguments) -> Result<()> {
    let campaign = CampaignId::from(arguments.id.as_str());
    if session.store().campaign(&campaign)?.is_some() {
        let channel = channel_of(session, &arguments.id)?;
        return waves::follow(session, &channel, &campaign, arguments.common.json);
    }
    let channel = business_chat(session, arguments.common.channel.as_deref())?;
    let id = BroadcastId::new(arguments.id.as_str());
    let (mut looks, mut before) = (0, None);
    loop {
        let Some(told) = refresh_broadcast(session, &channel, &id)? else {
            return Err(not_found(&channel, &id).into());
        };
        if before.as_ref() != Some(&told) {
            print_broadcast(&channel.spec().name, &told, arguments.common.json)?;
        }
        if told.is_finished() {
            return Ok(());
        }
        let wait = broadcast_poll_interval(looks);
        if session.moment().plus(wait) >= session.deadline.at() {
            return Err(unfinished(&channel, &id, (FailureCause::NoAnswer, "it is not finished yet")));
        }
        (looks, before) = (looks + 1, Some(told));
        session.sleep(Duration::from_micros(wait.unsigned_abs()));
    }
}

/// Error for a broadcast that continues without this command.
pub fn unfinished(
    channel: &ChannelSync,
    id: &impl Display,
    (cause, why): (FailureCause, &str),
) -> anyhow::Error {
    let left = RemainingState::GoesOn(format!("frontdesk broadcast watch {id}"));
    let (channel, what) = (channel.spec().name.clone(), "the broadcast".to_owned());
    Unfinished { failure: RequestFailure::new(cause, why), remaining: left, channel, what }.into()
}

pub fn track(session: &Session, channel: &ChannelSync, arguments: &WatchArguments) -> Result<()> {
    let id = BroadcastId::new(arguments.id.as_str());
    let name = &channel.spec().name;
    let Some(told) = refresh_broadcast(session, channel, &id)? else {
        return Err(not_found(channel, &id).into());
    };
    session.store().track_broadcast(&channel.spec().id, &id, session.now())?;
    if arguments.common.json {
        return print::json(&as_json(name, &told));
    }
    print::line(&format!("{id} on {name} is now followed: {}, {}", told.status.word(), told.summary()))
}

pub fn list(session: &Session, common: &Common) -> Result<()> {
    let (mut items, mut is_empty) = (Vec::new(), true);
    for channel in session.channels(common.channel.as_deref())? {
        let name = &channel.spec().name;
        let campaigns = session.reader.campaigns(Some(&channel.spec().id))?;
        for campaign in &campaigns {
            match common.json {
                true => items.push(waves::as_json(name, campaign)),
                false => waves::print_campaign(name, campaign, false)?,
            }
        }
        let unread = refresh_unfinished(session, &channel, &campaigns)?;
        let broadcasts = session.reader.broadcasts(&channel.spec().id)?;
        is_empty &= campaigns.is_empty() && broadcasts.is_empty() && unread.is_empty();
        for told in broadcasts {
            match common.json {
                true => items.push(as_json(name, &told)),
                false => print_broadcast(name, &told, false)?,
            }
        }
        for (id, why) in unread {
            match common.json {
                true => {
                    items.push(json!({"id": id.as_str(), "channel": name, "status": "unknown", "why": why}))
                }
                false => print::line(&print::columns(&[id.as_str(), name, "unknown", &why]))?,
            }
        }
    }
    print::empty(!common.json && is_empty, "broadcasts");
    if common.json { print::json(&Value::Array(items)) } else { Ok(()) }
}

/// Reads unfinished broadcasts until the server fails to answer. Returns those never read, with the reason.
/// Waves are covered by their campaign.
fn refresh_unfinished(
    session: &Session,
    channel: &ChannelSync,
    campaigns: &[Campaign],
) -> Result<Vec<(BroadcastId, String)>> {
    let waves: HashSet<&BroadcastId> = campaigns
        .iter()
        .flat_map(|campaign| &campaign.waves)
        .filter_map(|wave| if let WaveRowState::Sent(Some(id)) = &wave.row_state { Some(id) } else { None })
        .collect();
    let known: HashSet<BroadcastId> =
        session.reader.broadcasts(&channel.spec().id)?.into_iter().map(|broadcast| broadcast.id).collect();
    let mut unread = Vec::new();
    let mut silent = None;
    for id in session.reader.unfinished_broadcasts(&channel.spec().id)? {
        if waves.contains(&id) {
            continue;
        }
        let why = match &silent {
            Some(_) => format!("not read yet; `frontdesk broadcast watch {id}` reads it"),
            None => match refresh_broadcast(session, channel, &id) {
                Ok(Some(_)) => continue,
                Ok(None) => "the server does not know it".to_owned(),
                Err(error) => {
                    silent = Some(format!("{error:#}"));
                    format!("not read yet; `frontdesk broadcast watch {id}` reads it")
                }
            },
        };
        if !known.contains(&id) {
            unread.push((id, why));
        }
    }
    if let Some(why) = silent {
        print::print_progress(&format!("frontdesk: listing the last known state: {why}"))?;
    }
    Ok(unread)
}

fn print_broadcast(name: &str, told: &Broadcast, json: bool) -> Result<()> {
    if json {
        return print::json(&as_json(name, told));
    }
    print::line(&print::columns(&[told.id.as_str(), name, told.status.word(), told.summary().as_str()]))
}

fn as_json(name: &str, told: &Broadcast) -> Value {
    json!({
        "id": told.id.as_str(),
        "channel": name,
        "status": told.status.word(),
        "finished": told.is_finished(),
        "recipients": told.recipients,
        "delivered": told.delivered,
        "failed": told.failed,
        "pending": told.pending,
        "createdAt": told.created_at.map(|time| time.to_string()),
        "completedAt": told.completed_at.map(|time| time.to_string()),
    })
}
