//! Broadcasts in waves for scripts: started, followed, paused, continued, stopped.
//!
//! The following process runs the campaign; if it is killed, the next one, or an inbox, continues it.

use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use serde_json::{Value, json};

use crate::cli::print;
use crate::cli::scripting::broadcast_status::unfinished;
use crate::cli::scripting::session::SendStep;
use crate::cli::scripting::{Common, Files, Session};
use crate::cli::unfinished::CommandRefusal;
use client::FailureCause;
use model::ids::CampaignId;
use model::time::SECOND;
use model::waves::{Campaign, CampaignPhase, RecipientCounts, Wave, WavePlan, WaveRowState, content_title};
use sync::ChannelSync;

/// Interval between checks of the progress.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// The switches of waves.
#[derive(Debug, Args)]
pub struct WaveArguments {
    /// Send in waves: size of the first wave, then of the others. Waits and counts between waves,
    /// and pauses if too many failed.
    #[arg(long, value_name = "CANARY,SIZE", value_parser = sizes)]
    pub waves: Option<(usize, usize)>,
    /// Seconds between the end of a wave and the next.
    #[arg(long, default_value_t = 60, value_name = "SECONDS", requires = "waves")]
    pub wait: u32,
    /// Pause when more than this percentage of a wave, or of all recipients, failed.
    #[arg(long, default_value_t = 5, value_name = "PERCENT", requires = "waves",
        value_parser = clap::value_parser!(u8).range(0..=100))]
    pub stop_above: u8,
    /// Pause before a wave that would leave fewer credits than this.
    #[arg(long, value_name = "CREDITS", requires = "waves")]
    pub keep_credits: Option<u32>,
}

/// The switches of what is done to a campaign.
#[derive(Debug, Args)]
pub struct CampaignArguments {
    /// Id of the broadcast in waves, as shown by `broadcast list`.
    pub id: String,
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `broadcast continue`.
#[derive(Debug, Args)]
pub struct ContinueArguments {
    #[command(flatten)]
    pub campaign: CampaignArguments,
    /// From now on, pause when more than this percentage failed.
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub stop_above: Option<u8>,
}

fn sizes(text: &str) -> Result<(usize, usize), String> {
    let wanted = || {
        "give two numbers such as 10,110: size of the first wave, then of the others; 0,1000 has no small first \
         wave".to_owned()
    };
    let (canary, wave) = text.split_once(',').ok_or_else(wanted)?;
    let number = |text: &str| text.trim().parse::<usize>().map_err(|_| wanted());
    Ok((number(canary)?, number(wave)?))
}

impl WaveArguments {
    /// Wave plan, `None` without `--waves`.
    pub fn plan(&self) -> Result<Option<WavePlan>, String> {
        let Some((canary, wave)) = self.waves else { return Ok(None) };
        let mut plan = WavePlan::suggest(0);
        plan.canary = canary;
        plan.wave = wave;
        plan.wait = i64::from(self.wait) * SECOND;
        plan.rules.failed_percent = self.stop_above;
        plan.rules.floor = self.keep_credits.map(i64::from);
        plan.rejection_reason().map_or(Ok(Some(plan)), Err)
    }
}

/// Follows a campaign to its end and runs it while no other process does.
pub fn follow(session: &Session, channel: &ChannelSync, id: &CampaignId, json: bool) -> Result<()> {
    let mut before = None;
    let mut moved_at = session.moment();
    // No time limit: the campaign takes as long as its waves.
    session.deadline.clear();
    loop {
        let work = session.run_send_step(channel, "broadcast")?;
        let campaign = find(session.store().campaign(id)?, id)?;
        let stands = (campaign.phase, campaign.started_waves(), campaign.counts());
        if before.as_ref() != Some(&stands) {
            // The campaign is unfinished, so a reader who has gone is a failure here.
            print_campaign(&channel.spec().name, &campaign, json)
                .map_err(|why| anyhow!("{why:#}; continue with `frontdesk broadcast watch {id}`"))?;
            (before, moved_at) = (Some(stands), session.moment());
        }
        match campaign.phase {
            CampaignPhase::Finished => return Ok(()),
            CampaignPhase::Paused => {
                let why = format!(
                    "paused: {}; continue with `frontdesk broadcast continue {id}`",
                    describe_wait(&campaign)
                );
                return Err(unfinished(channel, id, (FailureCause::Undecided, &why)));
            }
            CampaignPhase::Stopped | CampaignPhase::Recalled => bail!("it was {}", campaign.phase.word()),
            CampaignPhase::Running => (),
        }
        if session.moment().since(moved_at) > session.timeout + campaign.plan.pause() {
            let failure = channel.failure().or_else(|| work.failure());
            let why = failure.map_or_else(String::new, |failure| format!(": {}", failure.why));
            let why = format!("no progress for a while{why}");
            return Err(unfinished(channel, id, (FailureCause::NoAnswer, &why)));
        }
        if work != SendStep::Moved {
            session.sleep(POLL_INTERVAL);
        }
    }
}

fn describe_wait(campaign: &Campaign) -> String {
    if campaign.why.is_empty() { "a person paused it".to_owned() } else { campaign.why.to_string() }
}

/// `broadcast pause`, `broadcast stop`
pub fn halt(files: &Files, arguments: &CampaignArguments, phase: CampaignPhase) -> Result<()> {
    let id = CampaignId::from(arguments.id.as_str());
    let campaign = find(files.store.campaign(&id)?, &id)?;
    if !files.store.halt_campaign(&id, phase)? {
        bail!("it is already {}", campaign.phase.word());
    }
    let campaign = find(files.store.campaign(&id)?, &id)?;
    print_campaign(&files.name_of(&campaign.channel), &campaign, arguments.common.json)
}

/// `broadcast continue`
pub fn resume(session: &Session, channel: &ChannelSync, arguments: &ContinueArguments) -> Result<()> {
    let CampaignArguments { id, common } = &arguments.campaign;
    let id = CampaignId::from(id.as_str());
    let account = session.runtime.block_on(session.store().account(&channel.spec().id))?;
    let quality = account.and_then(|account| account.quality_rating);
    if !session.store().continue_campaign(&id, arguments.stop_above, quality)? {
        let campaign = find(session.store().campaign(&id)?, &id)?;
        bail!("it is {}, not paused", campaign.phase.word());
    }
    follow(session, channel, &id, common.json)
}

pub fn find(found: Option<Campaign>, id: &CampaignId) -> Result<Campaign> {
    found.ok_or_else(|| not_found(id.as_str()).into())
}

/// Error for an unknown broadcast.
pub fn not_found(id: &str) -> CommandRefusal {
    CommandRefusal::not_found(format!(
        "this desk has no broadcast {id}; `frontdesk broadcast list` shows them"
    ))
}

/// Prints the state of a campaign in one line.
pub fn print_campaign(name: &str, campaign: &Campaign, json: bool) -> Result<()> {
    if json {
        return print::json(&as_json(name, campaign));
    }
    let RecipientCounts { delivered, failed, pending, .. } = campaign.counts();
    let people = match campaign.count {
        1 => "1 person".to_owned(),
        count => format!("{count} people"),
    };
    let words = [
        campaign.id.to_string(),
        name.to_owned(),
        campaign.phase.word().to_owned(),
        format!("wave {} of {}", campaign.started_waves(), campaign.waves.len()),
        format!("{people}: {delivered} delivered, {failed} failed, {pending} pending"),
        content_title(&campaign.content).to_string(),
    ];
    print::line(&print::columns(&words)).context("could not print the progress")
}

pub fn as_json(name: &str, campaign: &Campaign) -> Value {
    let RecipientCounts { recipients, delivered, failed, pending } = campaign.counts();
    let wave = |wave: &Wave| {
        let counts = wave.reading.as_ref().map(RecipientCounts::from_reading).unwrap_or_default();
        json!({
            "people": wave.size,
            "row": wave.row.as_ref().map(ToString::to_string),
            "broadcastId": match &wave.row_state { WaveRowState::Sent(Some(id)) => Some(id.to_string()), _ => None },
            "delivered": counts.delivered, "failed": counts.failed, "pending": counts.pending,
        })
    };
    json!({
        "id": campaign.id.as_str(),
        "channel": name,
        "status": campaign.phase.word(),
        "why": campaign.why.as_str(),
        "finished": !campaign.phase.is_open(),
        "people": campaign.count,
        "recipients": recipients,
        "delivered": delivered,
        "failed": failed,
        "pending": pending,
        "waves": campaign.waves.iter().map(wave).collect::<Vec<_>>(),
        "createdAt": campaign.created_at.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_two_numbers() {
        assert_eq!(sizes("10,110"), Ok((10, 110)));
        assert_eq!(sizes(" 0 , 1000 "), Ok((0, 1_000)));
        for wrong in ["10", "ten,110", "10,110,5", ""] {
            assert!(sizes(wrong).is_err(), "{wrong}");
        }
    }
}
