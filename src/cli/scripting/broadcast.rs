//! `broadcast`: one message to many contacts, with a check before it is sent.
//!
//! Confirmed by the number of recipients, or by a phrase.

use std::sync::Arc;

use anyhow::{Context, Result};
use clap::{Args, Subcommand, ValueHint};

use crate::cli::scripting::audience::{self, Recipients};
use crate::cli::scripting::waves::{self, CampaignArguments, ContinueArguments, WaveArguments};
use crate::cli::scripting::writing::{self, Answer, KeyArgument, WriteKey};
use crate::cli::scripting::{Common, Session};
use crate::cli::scripting::{broadcast_report, broadcast_status};
use crate::cli::{CliError, UsageError, print};
use model::account::{Account, Environment, Platform};
use model::bounds;
use model::ids::CampaignId;
use model::outbox::content::{Audience, BroadcastContent, FilledTemplate, Json};
use model::outbox::{Lane, Operation};
use model::prices;
use model::waves::{CampaignAudience, CampaignPhase, NewCampaign, WavePlan, recipient_price};
use store::outbox::NewRow;
use sync::ChannelSync;

/// Maximum recipients of a broadcast in waves.
const MAX_RECIPIENTS: usize = 100_000;

/// What can be done with broadcasts.
#[derive(Debug, Subcommand)]
pub enum BroadcastAction {
    /// Send one message to many contacts; shows their number and the price first.
    Send(Box<BroadcastArguments>),
    /// Follow a broadcast until it is finished; sends the next waves of one in waves.
    Watch(WatchArguments),
    /// Pause a broadcast in waves: no further wave is sent.
    Pause(CampaignArguments),
    /// Continue a paused broadcast in waves, and follow it.
    Continue(ContinueArguments),
    /// Stop a broadcast in waves for good; messages already sent stay sent.
    Stop(CampaignArguments),
    /// Follow a broadcast that was sent elsewhere.
    Track(WatchArguments),
    /// Show the results of a broadcast: sent, delivered, read, answered, failed by reason, credits,
    /// duration.
    Report(WatchArguments),
    /// List the broadcasts sent or followed from this desk; refreshes unfinished ones.
    List(Common),
}

/// The switches of `broadcast send`.
#[derive(Debug, Args)]
pub struct BroadcastArguments {
    /// The text.
    #[arg(required_unless_present_any = ["image", "template"], conflicts_with_all = ["image", "template"])]
    pub text: Option<String>,
    /// Send the picture at this https address.
    #[arg(long, value_name = "URL", conflicts_with = "template")]
    pub image: Option<String>,
    /// Send this approved template.
    #[arg(long, value_name = "NAME", requires = "language")]
    pub template: Option<String>,
    /// The template's language code.
    #[arg(long, value_name = "CODE", requires = "template")]
    pub language: Option<String>,
    /// The template's components with their values, as a JSON array.
    #[arg(long, value_name = "JSON", requires = "template")]
    pub components: Option<String>,
    /// File with one contact id or phone number per line; `-` reads standard input.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::AnyPath, required_unless_present = "everyone")]
    pub to: Option<String>,
    /// Send to every contact of the workspace.
    #[arg(long, conflicts_with = "to")]
    pub everyone: bool,
    /// Number of recipients, or for everyone the phrase that is asked for; without it, nothing is
    /// sent.
    #[arg(long, value_name = "WORDS")]
    pub confirm: Option<String>,
    #[command(flatten)]
    pub key: KeyArgument,
    #[command(flatten)]
    pub waves: WaveArguments,
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `broadcast watch`, `track` and `report`.
#[derive(Debug, Args)]
pub struct WatchArguments {
    /// Id of the broadcast.
    pub id: String,
    #[command(flatten)]
    pub common: Common,
}

pub fn run(session: &Session, action: &BroadcastAction) -> Result<(), CliError> {
    match action {
        BroadcastAction::Send(arguments) => send(session, arguments),
        BroadcastAction::Watch(arguments) => Ok(broadcast_status::watch(session, arguments)?),
        BroadcastAction::Continue(arguments) => {
            let channel = channel_of(session, &arguments.campaign.id)?;
            Ok(waves::resume(session, &channel, arguments)?)
        }
        BroadcastAction::Pause(arguments) => {
            Ok(waves::halt(&session.files, arguments, CampaignPhase::Paused)?)
        }
        BroadcastAction::Stop(arguments) => {
            Ok(waves::halt(&session.files, arguments, CampaignPhase::Stopped)?)
        }
        BroadcastAction::Track(arguments) => {
            let channel = business_chat(session, arguments.common.channel.as_deref())?;
            Ok(broadcast_status::track(session, &channel, arguments)?)
        }
        BroadcastAction::Report(arguments) => Ok(broadcast_report::run(session, arguments)?),
        BroadcastAction::List(common) => Ok(broadcast_status::list(session, common)?),
    }
}

impl BroadcastAction {
    pub fn common(&self) -> &Common {
        match self {
            Self::Send(arguments) => &arguments.common,
            Self::Watch(arguments) | Self::Track(arguments) | Self::Report(arguments) => &arguments.common,
            Self::Pause(arguments) | Self::Stop(arguments) => &arguments.common,
            Self::Continue(arguments) => &arguments.campaign.common,
            Self::List(common) => common,
        }
    }
}

impl BroadcastArguments {
    fn content(&self) -> BroadcastContent {
        if let (Some(name), Some(language)) = (&self.template, &self.language) {
            let components = self.components.clone().map(Json);
            let (name, language) = (name.clone(), language.clone());
            return BroadcastContent::Template(FilledTemplate { name, language, components });
        }
        match &self.image {
            Some(link) => BroadcastContent::Image(link.clone()),
            None => BroadcastContent::Text(self.text.clone().unwrap_or_default()),
        }
    }
}

fn send(session: &Session, arguments: &BroadcastArguments) -> Result<(), CliError> {
    let common = &arguments.common;
    let people = arguments.to.as_deref().map(audience::read).transpose()?;
    let key = arguments.key(people.as_deref());
    session.wait_for_rate_limits();
    let Some(key) = writing::claim_key(session, common, key)? else { return Ok(()) };
    let channel = business_chat(session, common.channel.as_deref())?;
    let name = channel.spec().name.clone();
    writing::refuse_read_only(&channel)?;
    let content = arguments.content();
    let plan = arguments.waves.plan().map_err(|why| CliError::Usage(format!("--waves: {why}")))?;
    if plan.is_some() && arguments.everyone {
        let why = "--waves needs --to: a broadcast to everyone is one request and cannot be sent in waves";
        return Err(CliError::Usage(why.to_owned()));
    }
    let most = if plan.is_some() { MAX_RECIPIENTS } else { bounds::MAX_BROADCAST_CONTACTS };
    let recipients = match (&arguments.to, people) {
        (Some(path), Some(people)) => audience::parse_recipients(session, &channel, (path, &people), most)?,
        _ => audience::count_everyone(session, &channel)?,
    };
    // Invalid input is reported before any question.
    let operation = Operation::Broadcast { to: first_part(&recipients.aim), content: content.clone() };
    let request = client::prepare(&Platform::Whatsapp, &Lane::Broadcasts, &operation)
        .context("could not make the broadcast")?;
    let account = session.runtime.block_on(session.store().account(&channel.spec().id));
    let account = account.context("could not read this desk's files")?.context("the account is not known")?;
    let check = preflight_summary(&name, &account, &recipients, &content, plan.as_ref());
    let wanted = phrase(&recipients.aim);
    if arguments.confirm.as_deref() != Some(wanted.as_str()) {
        return Err(CliError::Usage(format!(
            "{check}; nothing was sent: add --confirm '{wanted}' to send it"
        )));
    }
    let id = channel.spec().id.clone();
    if let Some(plan) = plan {
        let new = NewCampaign { channel: id, content, audience: recipients.aim, plan, hold: 0 };
        let begun = writing::begin_campaign(session, new, account.quality_rating, &key)?;
        return Ok(waves::follow(session, &channel, &begun, common.json)?);
    }
    let count = recipients.aim.count();
    let mut words = format!("to {}", print::count(count, "contact"));
    if recipients.no_marketing > 0 {
        words.push_str(&format!(", opted out of marketing: {}", recipients.no_marketing));
    }
    let answer =
        Answer::new("sent", &words).with_field("recipients", count).with_created_field("broadcastId");
    let row = NewRow::without_delay(id, Lane::Broadcasts, operation, request);
    let outcome = writing::run_rows(session, &channel, vec![row], (&answer, &key))?;
    Ok(writing::print_outcome(session, &channel, common, &answer, &outcome)?)
}

impl BroadcastArguments {
    fn key(&self, people: Option<&str>) -> WriteKey {
        let parts = [&self.text, &self.image, &self.template, &self.language, &self.components];
        let mut wish: Vec<&str> = parts.map(|part| part.as_deref().unwrap_or_default()).to_vec();
        let waves = format!("{:?}", self.waves);
        wish.extend([people.unwrap_or("everyone"), &waves]);
        WriteKey::of(&self.key, "broadcast send", &self.common, &wish)
    }
}

/// The one channel a broadcast can use.
///
/// # Errors
/// When there is none, or several.
pub fn business_chat(session: &Session, name: Option<&str>) -> Result<Arc<ChannelSync>> {
    let mut found = Vec::new();
    for channel in session.channels(name)? {
        if session.platform(&channel)? == Platform::Whatsapp {
            found.push(channel);
        }
    }
    match (found.len(), name) {
        (0, Some(name)) => {
            Err(UsageError(format!("{name} is not a business chat channel; broadcasts need one")).into())
        }
        (0, None) => {
            let words = "no business chat channel is configured; broadcasts need one";
            Err(UsageError(words.to_owned()).into())
        }
        (1, _) => found.pop().context("one was found"),
        (count, _) => {
            let words = format!("there are {count} business chat channels; choose one with --channel");
            Err(UsageError(words).into())
        }
    }
}

pub fn channel_of(session: &Session, id: &str) -> Result<Arc<ChannelSync>> {
    let id = CampaignId::from(id);
    let campaign = waves::find(session.store().campaign(&id)?, &id)?;
    session.channel_by_id(&campaign.channel)
}

/// Recipients of the first request.
fn first_part(aim: &CampaignAudience) -> Audience {
    match aim {
        CampaignAudience::Everyone(_) => Audience::Everyone,
        CampaignAudience::Contacts(frozen) => {
            Audience::Contacts(frozen.ids().iter().take(bounds::MAX_BROADCAST_CONTACTS).cloned().collect())
        }
    }
}

fn preflight_summary(
    name: &str,
    account: &Account,
    to: &Recipients,
    content: &BroadcastContent,
    plan: Option<&WavePlan>,
) -> String {
    let count = to.aim.count();
    let price = recipient_price(content, None).times(i64::try_from(count).unwrap_or(i64::MAX));
    let mut parts = vec![
        format!("{} on {name} ({})", people(count), account.environment.label()),
        format!("{} of {}", price.describe(), prices::format_balance(account.credits)),
    ];
    if to.doubled > 0 {
        parts.push(format!("duplicates left out: {}", to.doubled));
    }
    if to.no_marketing > 0 {
        parts.push(format!("opted out of marketing: {}", to.no_marketing));
    }
    if account.environment == Environment::Live && price.max as f64 > account.credits {
        parts.push("the balance may be too low".to_owned());
    }
    if let Some(plan) = plan {
        parts.push(plan.describe(count));
    }
    let told = [("tier", &account.messaging_tier), ("quality", &account.quality_rating)];
    parts.extend(
        told.into_iter().filter_map(|(what, entry)| entry.as_ref().map(|text| format!("{what} {text}"))),
    );
    parts.join(", ")
}

/// Text that confirms a broadcast; everyone takes more than a number.
fn phrase(aim: &CampaignAudience) -> String {
    match aim {
        CampaignAudience::Everyone(count) => format!("SEND TO ALL {count}"),
        CampaignAudience::Contacts(frozen) => frozen.ids().len().to_string(),
    }
}

fn people(count: usize) -> String {
    print::count(count, "contact")
}
