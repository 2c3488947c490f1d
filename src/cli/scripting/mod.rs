//! Scripting commands: one command, one answer. Exit code 0 only if the server confirmed.
//!
//! They share the inbox's data folder. While an inbox runs, it polls and sends, and a command queues its rows
//! and waits; otherwise the command polls and sends itself.

mod acts;
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

pub use acts::LaterArguments;
pub use broadcast::{BroadcastAction, BroadcastArguments, WatchArguments};
pub use change::{ChangeArguments, ReactArguments, SendArguments};
pub use contacts::ContactsAction;
pub use export::ExportArguments;
pub use files::Files;
pub use finding::{ConversationArguments, FoundConversation};
pub use listings::{ReadArguments, SubmitTemplateArguments, WebhooksAction};
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
    /// Print JSON instead of lines.
    #[arg(long)]
    pub json: bool,
    /// Seconds to wait for the server before giving up, such as 60 or 0.5.
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
    /// Search all messages, names and subjects and the newest SMS stored on this desk; works
    /// offline.
    Search(SearchArguments),
    /// Show how fast customers are answered, by whom, and how often a person takes over; works
    /// offline.
    Stats(StatsArguments),
    /// Export reviews of the AI's answers.
    #[command(subcommand)]
    Review(ReviewAction),
    /// Export a conversation's whole history.
    Export(ExportArguments),
    /// Send a text, file, link, location or template to a conversation.
    Send(SendArguments),
    /// React to a message; an empty emoji removes the reaction.
    React(ReactArguments),
    /// Show one message as the server has it now.
    Message(MessageArguments),
    /// Send an SMS to a phone number.
    Sms(SmsArguments),
    /// Let the AI call a phone number; the price is not known in advance.
    Call(CallArguments),
    /// Send mail, change threads, manage rules, list correspondents, show the account.
    #[command(subcommand)]
    Mail(MailAction),
    /// Upload a file, and print the address to send it by.
    Upload(UploadArguments),
    /// Take a conversation over: pause the AI and claim it under your name.
    Take(ChangeArguments),
    /// Be done with a conversation: hand back to the AI, release and close it. Mail is
    /// archived; where nothing can be closed, it is put away until the customer writes.
    Done(ChangeArguments),
    /// Put a conversation off on this desk until a time or a reply.
    Later(LaterArguments),
    /// Pause the AI in a conversation.
    Pause(ChangeArguments),
    /// Hand a conversation back to the AI.
    Resume(ChangeArguments),
    /// Close a conversation.
    Close(ChangeArguments),
    /// Manage the contacts of a business chat channel: list, show, create, edit, delete, import.
    #[command(subcommand)]
    Contacts(ContactsAction),
    /// Send one message to many contacts, and follow its progress.
    #[command(subcommand)]
    Broadcast(BroadcastAction),
    /// Manage webhooks: list, create, delete.
    #[command(subcommand)]
    Webhooks(WebhooksAction),
    /// List trigger events: messages, contacts, orders, appointments, campaigns.
    Events(ReadArguments),
    /// List the approved templates and their placeholders.
    Templates(ReadArguments),
    /// Submit a template to the platform for review; `templates` lists it once it is approved.
    SubmitTemplate(SubmitTemplateArguments),
    /// Show the account behind each key: balance, number, tier, quality.
    Account(ReadArguments),
    /// Manage unconfirmed changes: list, send-anyway, send-from-here, retry, drop.
    #[command(subcommand)]
    Outbox(OutboxAction),
    /// Manage the proposals of your own assistant: list, send, drop.
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
    let open = |files, common: &Common| Session::open(files, common.channel.as_deref(), common.timeout);
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
        Script::SubmitTemplate(arguments) => {
            listings::submit_template(&open(files, &arguments.common)?, &arguments)
        }
        Script::Account(arguments) => listings::account(&open(files, &arguments.common)?, &arguments),
        Script::Take(arguments) => acts::take(&open(files, &arguments.common)?, &arguments),
        Script::Done(arguments) => acts::done(&open(files, &arguments.common)?, &arguments),
        Script::Later(arguments) => return acts::later(&open(files, &arguments.common)?, &arguments),
        Script::Pause(arguments) => change::switch(&open(files, &arguments.common)?, &arguments, false),
        Script::Resume(arguments) => change::switch(&open(files, &arguments.common)?, &arguments, true),
        Script::Close(arguments) => change::close(&open(files, &arguments.common)?, &arguments),
    };
    Ok(done?)
}
