//! Sending for a script, or waiting for the process that sends.

use anyhow::{Context, Result};

use crate::cli::scripting::Session;
use crate::cli::scripting::session::reading::ChannelProgress;
use client::RequestFailure;
use model::time::{MINUTE, Timestamp};
use store::leases::{LEASE_LIFETIME, LeaseOwner, LeaseRequest, OtherProcess, ProcessRank, RENEW_INTERVAL};
use sync::{ChannelSync, LeaseStatus, PullOutcome, PushStep, process_names};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendStep {
    /// Another process sends; with its last published state.
    Elsewhere(OtherProcess),
    /// Progress was made; there may be more.
    Moved,
    /// Nothing can be done now.
    Waits,
    /// Sending stops until a person acts.
    Halted,
}

impl SendStep {
    /// Reason nothing is sent by the other process, as last published.
    pub fn failure(&self) -> Option<RequestFailure> {
        match self {
            Self::Elsewhere(other) => other.health.health.as_ref().and_then(RequestFailure::of_health),
            Self::Moved | Self::Waits | Self::Halted => None,
        }
    }
}

impl Session {
    /// Runs one step of sending: uploads, waves, rows; none while another process sends. `kind` is this
    /// process's name for waiting ones.
    pub fn run_send_step(&self, channel: &ChannelSync, kind: &'static str) -> Result<SendStep> {
        if channel.spec().read_only {
            return Ok(SendStep::Halted);
        }
        if let LeaseOwner::Other(other) = self.acquire_lease(channel, kind)? {
            return Ok(SendStep::Elsewhere(other));
        }
        self.advance_waves(channel)?;
        let ChannelProgress { push, uploads, .. } = &mut *self.progress(channel);
        let step = self.runtime.block_on(async {
            channel.upload_once(uploads, self.now()).await;
            channel.push_once(push, self.now()).await
        });
        Ok(match step {
            PushStep::Moved => SendStep::Moved,
            PushStep::Halted => SendStep::Halted,
            PushStep::Due(_) | PushStep::Idle => SendStep::Waits,
        })
    }

    /// Takes or renews the lease for sending.
    fn acquire_lease(&self, channel: &ChannelSync, kind: &'static str) -> Result<LeaseOwner> {
        let (store, now) = (&self.files.store, self.now());
        let name = process_names::sending_name(channel.spec());
        let fresh = |until: &Timestamp| until.since(now) > LEASE_LIFETIME - RENEW_INTERVAL;
        let held = match self.runtime.block_on(store.load_lease(&self.owner, &name, now))? {
            Some(LeaseOwner::This(until)) if fresh(&until) => LeaseOwner::This(until),
            _ => {
                let (id, vitals) = (channel.spec().id.clone(), channel.lease_health());
                let wanted = LeaseRequest {
                    name,
                    channel: id,
                    sends: true,
                    rank: ProcessRank::Script,
                    kind,
                    health: vitals,
                };
                let held = self.runtime.block_on(store.acquire_leases(&self.owner, vec![wanted], now))?;
                held.into_iter().next().context("no lease came back")?
            }
        };
        channel.set_send_lease(match &held {
            LeaseOwner::This(until) => LeaseStatus::Until(*until),
            LeaseOwner::Other(_) => LeaseStatus::Other,
        });
        Ok(held)
    }

    /// Advances broadcasts in waves. Their rules need the balance and the quality rating, so nothing happens
    /// without these.
    fn advance_waves(&self, channel: &ChannelSync) -> Result<()> {
        let id = &channel.spec().id;
        let running = self.runtime.block_on(self.files.store.running_campaigns(id))?;
        if running.is_empty() || channel.is_stopped() {
            return Ok(());
        }
        let is_known =
            self.account_at.borrow().get(id).is_some_and(|entry| self.moment().since(*entry) < MINUTE);
        if !is_known {
            if self.runtime.block_on(channel.pull_account()) != PullOutcome::Done {
                return Ok(());
            }
            self.account_at.borrow_mut().insert(id.clone(), self.moment());
        }
        let waves = &mut self.progress(channel).waves;
        self.runtime.block_on(channel.step_campaigns(waves, self.now()));
        Ok(())
    }
}
