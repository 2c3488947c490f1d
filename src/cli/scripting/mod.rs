//! Scripting commands: one command, one answer. Exit code 0 only if the server confirmed.
//!
//! They share the inbox's data folder. While an inbox runs, it polls and sends, and a command queues its rows
//! and waits; otherwise the command polls and sends itself.

mod audience;
mod broadcast;
mod broadcast_report;
mod broadcast_status;
mod change;
mod channel_selection;
mod confirming;
mod contacts;
mod content;
mod export;
mod files;
mod finding;
mod listings;
mod mail;
mod message;
mod outbox;
mod phone;
mod proposals;
mod review;
pub mod search;
mod session;
mod show;
pub mod stats;
mod top;
mod upload;
pub mod waiting;
mod waves;
mod writing;

pub use broadcast::{BroadcastAction, BroadcastArguments, WatchArguments};
pub use change::{ChangeArguments, ReactArguments, SendArguments};
pub use contacts::ContactsAction;
pub use export::ExportArguments;
pub use files::Files;
pub use finding::{ConversationArguments, FoundConversation};
pub use listings::{ReadArguments, WebhooksAction};
pub use mail::MailAction;
pub use message::MessageArguments;
pub use outbox::OutboxAction;
pub use phone::{CallArguments, SmsArguments};
pub use proposals::ProposalsAction;
pub use review::ReviewAction;
pub use search::SearchArguments;
pub use session::Session;
pub use show::{ListArguments, ListStatus, ShowArguments};
pub use stats::StatsArguments;
pub use upload::UploadArguments;

use clap::{Args, Subcommand};
use clap_complete::engine::ArgValueCandidates;

use crate::cli::{CliError, completing};
use model::waves::CampaignPhase;

/// What all scripting commands have.
#[derive(Debug, Args)]
pub struct Common {
    /// Only this channel, by its configured name.
    #[arg(long, value_name = "NAME", add = ArgValueCandidates::new(completing::channels))]
    pub channel: Option<String>,
    /// JSON instead of lines.
    #[arg(long)]
    pub json: bool,
    /// Give up after so many seconds without the server's word, such as 60 or 0.5.
    #[arg(long, default_value = "60", value_name = "SECONDS", value_parser = seconds)]
    pub timeout: i64,
}

/// Longest time limit, in seconds.
const MAX_TIMEOUT: f64 = 3600.0;

/// Parses seconds, with decimals, into microseconds.
pub fn seconds(text: &str) -> Result<i64, String> {
    let wanted = || format!("give seconds, from 0.001 to {MAX_TIMEOUT}");
    let seconds: f64 = text.parse().map_err(|_| wanted())?;
    if !(0.001..=MAX_TIMEOUT).contains(&seconds) {
        return Err(wanted());
    }
    let span = std::time::Duration::from_secs_f64(seconds);
    i64::try_from(span.as_micros()).map_err(|_| wanted())
}

/// The scripting commands.
#[derive(Debug, Subcommand)]
pub enum Script {
    /// List conversations.
    List(ListArguments),
    /// Show the newest messages of a conversation.
    Show(ShowArguments),
    /// Search every message, name, subject and newest SMS this desk has seen; works
    /// offline.
    Search(SearchArguments),
    /// Tell how fast customers are answered, by whom, and how often a person takes
    /// over; works offline.
    Stats(StatsArguments),
    /// What people said of the AI's answers.
    #[command(subcommand)]
    Review(ReviewAction),
    /// Write a conversation's whole history.
    Export(ExportArguments),
    /// Send a text, file, link, place or template to a conversation.
    Send(SendArguments),
    /// React to a message; an empty emoji removes the reaction.
    React(ReactArguments),
    /// Show one message as the server has it now.
    Message(MessageArguments),
    /// Send a text to a phone.
    Sms(SmsArguments),
    /// Let the AI call a phone; the price is not known before.
    Call(CallArguments),
    /// Send mail, mark and file threads, look up correspondents and the account.
    #[command(subcommand)]
    Mail(MailAction),
    /// Upload a file; tells the address to send it by.
    Upload(UploadArguments),
    /// Pause the AI in a conversation.
    Pause(ChangeArguments),
    /// Hand a conversation back to the AI.
    Resume(ChangeArguments),
    /// Close a conversation.
    Close(ChangeArguments),
    /// The people of a business chat channel: list, show, make, change, delete, import.
    #[command(subcommand)]
    Contacts(ContactsAction),
    /// One message to many contacts: send it, watch how it goes.
    #[command(subcommand)]
    Broadcast(BroadcastAction),
    /// Who else is told of what happens: list, register, remove.
    #[command(subcommand)]
    Webhooks(WebhooksAction),
    /// What the triggers tell: messages, contacts, orders, appointments, campaigns.
    Events(ReadArguments),
    /// The approved templates, and what is filled in.
    Templates(ReadArguments),
    /// The account behind each key: balance, number, tier, quality.
    Account(ReadArguments),
    /// What has not left yet: list it, decide over what waits for you.
    #[command(subcommand)]
    Outbox(OutboxAction),
    /// Proposals of an assistant of yours: list them, send them, drop them.
    #[command(subcommand)]
    Proposals(ProposalsAction),
}

pub fn run(script: Script) -> Result<(), CliError> {
    if let Script::Contacts(action) = &script
        && let Some(arguments) = contacts::dry_run_arguments(action)
    {
        return contacts::dry_run(arguments);
    }
    let files = Files::open()?;
    let open = |files, common: &Common| Session::open(files, common.timeout);
    let done = match script {
        Script::Search(arguments) => search::run(files, &arguments),
        Script::Stats(arguments) => stats::run(&files, &arguments),
        Script::Review(action) => review::run(&files, &action),
        Script::Outbox(action) => outbox::run(files, &action),
        Script::Proposals(action) => return proposals::run(files, &action),
        Script::List(arguments) => show::list(&open(files, &arguments.common)?, &arguments),
        Script::Show(arguments) => show::show(&open(files, &arguments.common)?, &arguments),
        Script::Export(arguments) => export::run(&open(files, &arguments.common)?, &arguments),
        Script::Send(arguments) => return change::send(&open(files, &arguments.common)?, &arguments),
        Script::Broadcast(BroadcastAction::Pause(arguments)) => {
            waves::halt(&files, &arguments, CampaignPhase::Paused)
        }
        Script::Broadcast(BroadcastAction::Stop(arguments)) => {
            waves::halt(&files, &arguments, CampaignPhase::Stopped)
        }
        Script::Broadcast(action) => {
            return broadcast::run(&open(files, action.common())?, &action);
        }
        Script::React(arguments) => change::react(&open(files, &arguments.common)?, &arguments),
        Script::Contacts(action) => {
            return contacts::run(&open(files, contacts::common(&action))?, &action);
        }
        Script::Message(arguments) => message::run(&open(files, &arguments.common)?, &arguments),
        Script::Upload(arguments) => upload::run(&open(files, &arguments.common)?, &arguments),
        Script::Sms(arguments) => return phone::sms(&open(files, &arguments.common)?, &arguments),
        Script::Call(arguments) => return phone::call(&open(files, &arguments.common)?, &arguments),
        Script::Mail(action) => return mail::run(&open(files, action.common())?, &action),
        Script::Webhooks(action) => listings::webhooks(&open(files, action.common())?, &action),
        Script::Events(arguments) => listings::events(&open(files, &arguments.common)?, &arguments),
        Script::Templates(arguments) => listings::templates(&open(files, &arguments.common)?, &arguments),
        Script::Account(arguments) => listings::account(&open(files, &arguments.common)?, &arguments),
        Script::Pause(arguments) => change::switch(&open(files, &arguments.common)?, &arguments, false),
        Script::Resume(arguments) => change::switch(&open(files, &arguments.common)?, &arguments, true),
        Script::Close(arguments) => change::close(&open(files, &arguments.common)?, &arguments),
    };
    Ok(done?)
}
