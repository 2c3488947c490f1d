//! Server access for scripts: the channels' steps, run one at a time.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::cli::scripting::{Files, FoundConversation};
use crate::cli::unfinished::{ChannelErrors, RemainingState, Unfinished};
use crate::cli::{desk, print};
use crate::config::ChannelConfig;
use client::{Deadline, FailureCause, ReadError, RequestFailure};
use model::account::Platform;
use model::email::MailAccount;
use model::fetches::{Fetch, FetchResult};
use model::ids::ChannelId;
use model::messages::HistoryPosition;
use model::news::{Health, News};
use model::outbox::Lane;
use model::text::SafeText;
use model::time::{Moment, SECOND, Timestamp, Zone};
use model::unreadable::{self, UnreadableList};
use store::leases::LeaseOwner;
use store::{Reader, Store};
use sync::{ChannelSync, PullOutcome, process_names};

mod labels;
mod reading;
mod sending;

use reading::ChannelProgress;
pub use sending::SendStep;

const MAX_READ_RETRIES: u32 = 2;
/// Maximum consecutive waits for rate limits without progress.
const MAX_RATE_WAITS: u32 = 10;
/// Delay between two parts of a list behind its top.
pub(super) const PAGE_PAUSE: Duration = Duration::from_millis(250);

/// Configured channels without an inbox.
pub struct Session {
    pub files: Files,
    pub runtime: tokio::runtime::Runtime,
    pub reader: Reader,
    /// Lease owner name of this process.
    owner: String,
    /// Time limit of the command, in microseconds.
    pub timeout: i64,
    /// Time at which all requests of the command end.
    pub deadline: Deadline,
    channels: Vec<Arc<ChannelSync>>,
    progress: RefCell<HashMap<ChannelId, ChannelProgress>>,
    news: Arc<std::sync::Mutex<Vec<News>>>,
    /// Time of the last account read for the rules of waves.
    account_at: RefCell<HashMap<ChannelId, Moment>>,
    /// Remaining waits for rate limits beyond the time limit before something progresses; 0 for commands that
    /// end with their time limit.
    rate_waits_left: Cell<u32>,
    waits_for_rate_limits: Cell<bool>,
    /// Progress text shown while waiting.
    progress_text: RefCell<String>,
    /// Channels whose account was requested because it was unknown for their key.
    asked_accounts: RefCell<BTreeSet<ChannelId>>,
}

impl Session {
    /// Name of the person for claims, as the inbox has it.
    pub fn agent(&self) -> SafeText {
        SafeText::line(&self.files.person)
    }

    /// Zone of the user who runs the script.
    pub fn zone(&self) -> &Zone {
        self.files.store.zone()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        for words in self.unreadable() {
            // A failing standard error must not keep the leases.
            let _ = print::print_progress(&words);
        }
        for channel in &self.channels {
            let kept = self.runtime.block_on(channel.store_calls(&process_names::process_name("script")));
            drop(kept.inspect_err(|error| tracing::warn!(%error, "requests were not kept")));
        }
        if let Err(error) = self.runtime.block_on(self.files.store.release_leases(&self.owner)) {
            tracing::error!(%error, "the leases could not be given up");
        }
    }
}

/// Extent of a reading step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadAmount {
    /// Everything due.
    All,
    /// Only the urgent part; more is left.
    First,
}

impl Session {
    /// Fetches the keys and sets up the channels: all, or the named one, so that no other key is needed.
    /// `patience` is the time limit, in microseconds.
    pub fn open(files: Files, name: Option<&str>, patience: i64) -> Result<Self> {
        let wanted = files.channel(name)?;
        let deadline = Deadline::default();
        deadline.set(files.moment().plus(patience));
        let reader = files.store.reader().context("could not open this desk's files")?;
        let told: Arc<std::sync::Mutex<Vec<News>>> = Arc::default();
        let mut channels = Vec::new();
        let mut progress = HashMap::new();
        let is_wanted = |channel: &&ChannelConfig| wanted.as_ref().is_none_or(|id| channel.id() == *id);
        for channel in files.config.channels.iter().filter(is_wanted) {
            let spec = desk::spec(channel)?;
            let ears = told.clone();
            let tell = Arc::new(move |news: News| {
                ears.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(news);
            });
            let name = spec.name.clone();
            let made = ChannelSync::new(spec, files.store.clone(), files.clock.clone(), tell);
            let made = made.with_context(|| format!("channel {name:?}"))?;
            progress.insert(made.spec().id.clone(), ChannelProgress::new(files.now()));
            channels.push(Arc::new(made.with_deadline(deadline.clone())));
        }
        let runtime = desk::runtime()?;
        let owner = process_names::owner_name(&files.store);
        let (progress, account_at, asked_accounts) =
            (RefCell::new(progress), RefCell::default(), RefCell::default());
        Ok(Self {
            files,
            runtime,
            reader,
            owner,
            timeout: patience,
            deadline,
            channels,
            progress,
            news: told,
            account_at,
            asked_accounts,
            rate_waits_left: Cell::new(0),
            waits_for_rate_limits: Cell::new(false),
            progress_text: RefCell::default(),
        })
    }

    pub fn store(&self) -> &Store {
        &self.files.store
    }

    pub fn now(&self) -> Timestamp {
        self.files.now()
    }

    /// Steady clock, which measures the command's time.
    pub fn moment(&self) -> Moment {
        self.files.moment()
    }

    pub fn is_timed_out(&self) -> bool {
        self.moment() >= self.deadline.at()
    }

    pub fn restart_timeout(&self) {
        self.deadline.set(self.moment().plus(self.timeout));
    }

    /// Waits for rate limits as long as the server asks. The time limit then counts only without progress,
    /// and progress goes to standard error.
    pub fn wait_for_rate_limits(&self) {
        self.waits_for_rate_limits.set(true);
        self.reset_rate_waits();
    }

    /// True if the next rate limit is waited for beyond the time limit.
    pub fn is_waiting_for_rate_limits(&self) -> bool {
        self.rate_waits_left.get() > 0
    }

    /// Resets the waits for rate limits after progress.
    fn reset_rate_waits(&self) {
        self.rate_waits_left.set(if self.waits_for_rate_limits.get() { MAX_RATE_WAITS } else { 0 });
    }

    pub fn set_progress_text(&self, words: &str) {
        *self.progress_text.borrow_mut() = format!("; {words}");
    }

    /// Waits for a rate limit; false if that exceeds the time limit.
    pub fn wait_for_rate(&self, wait: i64) -> bool {
        let left = self.rate_waits_left.get();
        let is_patient = self.is_waiting_for_rate_limits();
        if !is_patient && self.moment().plus(wait) >= self.deadline.at() {
            return false;
        }
        self.rate_waits_left.set(left.saturating_sub(1));
        if is_patient && wait >= SECOND {
            let seconds = (wait + SECOND - 1) / SECOND;
            let progress = self.progress_text.borrow();
            // A failing standard error is no reason to stop.
            let _ = print::print_progress(&format!(
                "waiting {seconds} s for the rate limit of this key{progress}"
            ));
        }
        self.sleep(Duration::from_micros(wait.unsigned_abs()));
        if is_patient {
            self.restart_timeout();
        }
        true
    }

    /// Repeats a reading step until its urgent part is read, within the time limit: it may come in parts or
    /// wait for the rate budget. Returns the extent that was read.
    pub fn read(
        &self,
        channel: &ChannelSync,
        what: &str,
        mut step: impl AsyncFnMut() -> PullOutcome,
    ) -> Result<ReadAmount> {
        // A stopped channel sends no request and reports why it stopped.
        if !channel.is_stopped() {
            channel.forget_failure();
        }
        let mut failures = 0;
        loop {
            let wait = match self.runtime.block_on(step()) {
                PullOutcome::Skipped if !channel.is_stopped() && channel.failure().is_some() => {
                    return Err(self.failed(channel, what));
                }
                PullOutcome::Done | PullOutcome::Skipped if !channel.is_stopped() => {
                    return Ok(ReadAmount::All);
                }
                PullOutcome::Later(_) => return Ok(ReadAmount::First),
                PullOutcome::More if !self.is_timed_out() => continue,
                PullOutcome::More => 0,
                PullOutcome::Failed
                    if failures < MAX_READ_RETRIES && !channel.is_stopped() && is_transient(channel) =>
                {
                    failures += 1;
                    i64::from(failures) * (SECOND / 4)
                }
                PullOutcome::Paced(wait) if self.wait_for_rate(wait) => continue,
                PullOutcome::Done | PullOutcome::Skipped | PullOutcome::Failed | PullOutcome::Paced(_) => {
                    return Err(self.failed(channel, what));
                }
            };
            if self.moment().plus(wait) >= self.deadline.at() {
                return Err(self.failed(channel, what));
            }
            self.sleep(Duration::from_micros(wait.unsigned_abs()));
        }
    }

    /// Error of the last reading of a channel.
    fn failed(&self, channel: &ChannelSync, what: &str) -> anyhow::Error {
        let failure = channel.failure().unwrap_or_else(|| {
            let cause = if self.is_timed_out() { FailureCause::NoAnswer } else { FailureCause::Trouble };
            RequestFailure::new(cause, &self.last_failure_text())
        });
        let (channel, what) = (channel.spec().name.clone(), what.to_owned());
        Unfinished { failure, remaining: RemainingState::Nothing, channel, what }.into()
    }

    pub fn incomplete_list_error(&self, channel: &ChannelSync, what: &str) -> anyhow::Error {
        let why = "the server's list is incomplete: it refused or repeated a page; the part before is shown";
        let failure = RequestFailure::new(FailureCause::Trouble, why);
        let (channel, what) = (channel.spec().name.clone(), what.to_owned());
        Unfinished { failure, remaining: RemainingState::Nothing, channel, what }.into()
    }

    /// Sends a request within the time limit. Waits for rate limits and retries after a bad answer.
    pub fn ask<T>(
        &self,
        channel: &ChannelSync,
        what: &str,
        question: impl AsyncFn() -> Result<T, ReadError>,
    ) -> Result<T> {
        let mut failures = 0;
        loop {
            let error = match self.runtime.block_on(question()) {
                Ok(answer) => {
                    self.reset_rate_waits();
                    return Ok(answer);
                }
                Err(error) => error,
            };
            let wait = match &error {
                ReadError::Paced(wait) | ReadError::Limited(wait) if self.wait_for_rate(*wait) => continue,
                ReadError::Offline(_) | ReadError::Trouble(_) if failures < MAX_READ_RETRIES => {
                    failures += 1;
                    Some(i64::from(failures) * (SECOND / 4))
                }
                _ => None,
            };
            match wait.filter(|wait| self.moment().plus(*wait) < self.deadline.at()) {
                Some(wait) => self.sleep(Duration::from_micros(wait.unsigned_abs())),
                None => {
                    let failure = RequestFailure::of_read(&error);
                    let failure = failure
                        .unwrap_or_else(|| RequestFailure::new(FailureCause::Trouble, &error.to_string()));
                    let (channel, what) = (channel.spec().name.clone(), what.to_owned());
                    return Err(
                        Unfinished { failure, remaining: RemainingState::Nothing, channel, what }.into()
                    );
                }
            }
        }
    }

    /// Runs `with` for each channel, also after failures.
    pub fn for_each_channel(
        &self,
        channels: Vec<Arc<ChannelSync>>,
        mut with: impl FnMut(&Arc<ChannelSync>) -> Result<()>,
    ) -> Result<()> {
        let mut failed = Vec::new();
        for channel in &channels {
            match with(channel) {
                Ok(()) => {}
                // The output of the others would not arrive either.
                Err(error) if print::is_output_lost(&error) => return Err(error),
                Err(error) => failed.push(error),
            }
        }
        match failed.len() {
            0 => Ok(()),
            1 => failed.pop().map_or(Ok(()), Err),
            _ => Err(ChannelErrors(failed).into()),
        }
    }

    pub fn fetch(&self, channel: &ChannelSync, what: &str, fetch: &Fetch) -> Result<FetchResult> {
        self.read(channel, what, async || channel.fetch(fetch).await)?;
        let told = self.news.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let found = told.iter().rev().find_map(|news| match news {
            News::Fetched(id, of, Ok(fetched)) if *id == channel.spec().id && of == fetch => {
                Some(fetched.clone())
            }
            _ => None,
        });
        found.with_context(|| format!("{}: {what}: the server gave no result", channel.spec().name))
    }

    /// Latest account of a mail key.
    pub fn mailbox(&self, channel: &ChannelSync) -> Option<MailAccount> {
        let told = self.news.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        told.iter().rev().find_map(|news| match news {
            News::Mailbox(id, account) if *id == channel.spec().id => Some((**account).clone()),
            _ => None,
        })
    }

    /// The named channel, or all.
    pub fn channels(&self, name: Option<&str>) -> Result<Vec<Arc<ChannelSync>>> {
        let wanted = self.files.channel(name)?;
        let all = self.channels.iter();
        let wanted: Vec<_> = all
            .filter(|channel_sync| wanted.as_ref().is_none_or(|id| channel_sync.spec().id == *id))
            .cloned()
            .collect();
        wanted.iter().try_for_each(|channel| self.confirm_account(channel))?;
        Ok(wanted)
    }

    /// Channel with this id.
    ///
    /// # Errors
    /// When it is no longer configured, or the command is restricted to another one.
    pub fn channel_by_id(&self, id: &ChannelId) -> Result<Arc<ChannelSync>> {
        let Some(channel) = self.channels.iter().find(|channel| channel.spec().id == *id) else {
            let is_configured = self.files.config.channels.iter().any(|channel| channel.id() == *id);
            let why = if is_configured { "not the channel of --channel" } else { "no longer configured" };
            bail!("{} is {why}", self.files.name_of(id));
        };
        self.confirm_account(channel)?;
        Ok(channel.clone())
    }

    /// Reads the account of a new key once, before anything is queued for it. Without an answer, queued rows
    /// belong to the stored account.
    fn confirm_account(&self, channel: &ChannelSync) -> Result<()> {
        let id = &channel.spec().id;
        if self.asked_accounts.borrow_mut().insert(id.clone())
            && !self.runtime.block_on(channel.has_confirmed_account())?
        {
            self.runtime.block_on(channel.pull_account());
        }
        Ok(())
    }

    /// Platform of a channel, read from the server if unknown.
    pub fn platform(&self, channel: &ChannelSync) -> Result<Platform> {
        if self.runtime.block_on(channel.platform())?.is_none() {
            self.read(channel, "could not read the account", async || channel.pull_account().await)?;
        }
        match channel.known_platform() {
            Some(platform) => Ok(platform),
            None => Err(self.failed(channel, "could not read the account")),
        }
    }

    /// True if this process must poll the channel itself: no other process on the folder, such as an inbox,
    /// keeps the files fresh. One whose server does not answer does not count.
    pub fn is_polling_needed(&self, channel: &ChannelSync) -> Result<bool> {
        let (name, now) = (process_names::lease_name(channel.spec()), self.now());
        let held = self.runtime.block_on(self.files.store.load_lease(&self.owner, &name, now))?;
        Ok(!matches!(held, Some(LeaseOwner::Other(other)) if other.has_fresh_files(now)))
    }

    pub fn sleep(&self, time: Duration) {
        self.runtime.block_on(async { tokio::time::sleep(time).await });
    }

    pub fn newest(&self, found: &FoundConversation) -> Result<Option<HistoryPosition>> {
        let lane = Lane::Conversation(found.row.conversation.id.clone());
        Ok(self.files.store.newest_position(&found.channel.spec().id, &lane)?)
    }

    /// Describes the unreadable rows of each list.
    fn unreadable(&self) -> Vec<String> {
        let told = self.news.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut last = BTreeMap::new();
        for news in told.iter() {
            if let News::Unreadable(channel, list, rows) = news {
                last.insert((channel.clone(), *list), rows.len());
            }
        }
        let said = |((channel, list), count): ((ChannelId, UnreadableList), usize)| {
            let named = self.channels.iter().find(|channel_sync| channel_sync.spec().id == channel);
            let name =
                named.map_or_else(|| channel.to_string(), |channel_sync| channel_sync.spec().name.clone());
            format!("{name}: {}: {}", list.label(), unreadable::describe_unreadable(count))
        };
        last.into_iter().filter(|entry| entry.1 > 0).map(said).collect()
    }

    fn last_failure_text(&self) -> String {
        let told = self.news.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let why = told.iter().rev().find_map(|news| match news {
            News::Health(_, Health::Refused { code, why }) => Some(format!("{code}: {why}")),
            News::Health(
                _,
                Health::Offline { why, .. } | Health::Trouble { why, .. } | Health::Misconfigured { why },
            ) => Some(why.to_string()),
            News::Fetched(_, _, Err(why)) => Some(why.to_string()),
            News::NotForThisKey(_, why)
            | News::NotOnThisServer(_, why)
            | News::Notice(_, _, why)
            | News::Stopped(_, _, _, _, why) => Some(why.to_string()),
            _ => None,
        });
        why.unwrap_or_else(|| "unexpected answer from the server; see the log".to_owned())
    }
}

/// True if the failure may be temporary.
fn is_transient(channel: &ChannelSync) -> bool {
    channel.failure().is_none_or(|failure| {
        matches!(failure.cause, FailureCause::Offline | FailureCause::NoAnswer | FailureCause::Trouble)
    })
}
