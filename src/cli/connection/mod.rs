//! `frontdesk connection`: Data Connections of this desk. A connection or another credential is stored only
//! after a live call with it has worked.
//!
//! Credentials are entered at a prompt or read from standard input or the environment, never from an argument,
//! which other users of the machine can see.

mod add;
pub mod contact;
mod credential;
mod description;
mod list;
pub mod print_call;
mod remove;
mod store;
mod test;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use clap_complete::engine::ArgValueCandidates;

use crate::cli::connection::contact::ContactArguments;
use crate::cli::{CliError, completing};
use model::connections::Auth;

/// The commands about Data Connections.
#[derive(Debug, Subcommand)]
pub enum ConnectionAction {
    /// Add a connection with one endpoint, after a live test call.
    ///
    /// Asks for everything that no option gives. The credential is asked for without being shown,
    /// or read from the first line of standard input or from the environment, and stored encrypted.
    /// You choose the fields that the card shows from the answer of the test call.
    #[command(alias = "create")]
    Add(Box<AddArguments>),
    /// List the connections of this desk, without their credentials.
    List(ListArguments),
    /// Call an endpoint of a connection, and show the answer.
    Test(TestArguments),
    /// Replace the credential of a connection, after a live test call.
    ///
    /// The credential is asked for without being shown, or read from the first line of standard
    /// input or from the environment.
    Credential(CredentialArguments),
    /// Remove a connection and its credential.
    #[command(alias = "delete")]
    Remove(RemoveArguments),
}

/// The switches of `connection add`.
#[derive(Debug, Args)]
pub struct AddArguments {
    /// Name of letters, digits, _ and -; {name.field} in a reply stands for a field of its answer.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Address before every path, such as https://api.example.com/v1.
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// Host in your own network that may be called, such as orders.internal:8080.
    #[arg(long, value_name = "HOST")]
    pub private_host: Option<String>,
    #[command(flatten)]
    pub auth: AuthArguments,
    #[command(flatten)]
    pub credential: CredentialSource,
    #[command(flatten)]
    pub endpoint: EndpointArguments,
    #[command(flatten)]
    pub trial: TrialArguments,
    /// Field of the answer that the card shows, such as $.orders; may be given
    /// several times.
    #[arg(long = "field", value_name = "PATH")]
    pub fields: Vec<String>,
    /// Call it only on request, not whenever a conversation is opened.
    #[arg(long)]
    pub by_hand: bool,
    /// Print JSON instead of lines.
    #[arg(long)]
    pub json: bool,
}

/// Kind of authentication.
#[derive(Debug, Args, Default)]
pub struct AuthArguments {
    /// Authentication of the calls; bearer by default.
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(Auth::WORDS))]
    pub auth: Option<String>,
    /// Name of the header, for api_key_header and custom_header.
    #[arg(long, value_name = "NAME")]
    pub header: Option<String>,
    /// Name of the parameter, for api_key_query.
    #[arg(long, value_name = "NAME")]
    pub parameter: Option<String>,
    /// User name, for basic_auth.
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// Client id, for oauth2_client_credentials.
    #[arg(long, value_name = "ID")]
    pub client_id: Option<String>,
    /// Address of the token endpoint, for oauth2_client_credentials: https://login.example.com/token.
    #[arg(long, value_name = "URL")]
    pub token_url: Option<String>,
}

/// Source of a credential.
#[derive(Debug, Args)]
pub struct CredentialSource {
    /// Read the credential from this environment variable, and store it encrypted.
    #[arg(long, value_name = "VARIABLE")]
    pub credential_env: Option<String>,
}

/// First endpoint of a connection.
#[derive(Debug, Args, Default)]
pub struct EndpointArguments {
    /// Name of the endpoint, such as plan or deliveries; orders by default.
    #[arg(long, value_name = "NAME")]
    pub endpoint: Option<String>,
    /// Path below the base address; {phone}, {email} or {chat_id} stands for the customer.
    #[arg(long, value_name = "PATH")]
    pub path: Option<String>,
    /// Query, as name=value&name=value; {phone} and the like stand for the customer.
    #[arg(long, value_name = "QUERY")]
    pub query: Option<String>,
}

/// Contact of a test call.
#[derive(Debug, Args, Default)]
pub struct TrialArguments {
    #[command(flatten)]
    pub contact: ContactArguments,
    /// Metadata of that customer, as name=value; may be given several times.
    #[arg(long, value_name = "NAME=VALUE")]
    pub metadata: Vec<String>,
}

/// The switches of `connection list`.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// Print one JSON array instead of lines.
    #[arg(long)]
    pub json: bool,
}

/// The switches of `connection test`.
#[derive(Debug, Args)]
pub struct TestArguments {
    /// Name of the connection.
    #[arg(add = ArgValueCandidates::new(completing::connections))]
    pub name: String,
    /// Endpoint to call; without it, the first that can be read for this customer.
    #[arg(long, value_name = "NAME")]
    pub endpoint: Option<String>,
    #[command(flatten)]
    pub trial: TrialArguments,
    /// Value that the endpoint needs, as name=value; may be given several times.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub answers: Vec<String>,
    /// Print JSON instead of lines.
    #[arg(long)]
    pub json: bool,
}

/// The switches of `connection credential`.
#[derive(Debug, Args)]
pub struct CredentialArguments {
    /// Name of the connection.
    #[arg(add = ArgValueCandidates::new(completing::connections))]
    pub name: String,
    #[command(flatten)]
    pub credential: CredentialSource,
    #[command(flatten)]
    pub trial: TrialArguments,
    /// Print JSON instead of lines.
    #[arg(long)]
    pub json: bool,
}

/// The switches of `connection remove`.
#[derive(Debug, Args)]
pub struct RemoveArguments {
    /// Name of the connection.
    #[arg(add = ArgValueCandidates::new(completing::connections))]
    pub name: String,
    /// Do not ask for confirmation.
    #[arg(long)]
    pub yes: bool,
    /// Print JSON instead of lines.
    #[arg(long)]
    pub json: bool,
}

/// # Errors
/// Usage errors if the arguments do not fit, else as text.
pub fn run(action: &ConnectionAction) -> Result<(), CliError> {
    match action {
        ConnectionAction::Add(arguments) => add::run(arguments),
        ConnectionAction::List(arguments) => Ok(list::run(arguments)?),
        ConnectionAction::Test(arguments) => test::run(arguments),
        ConnectionAction::Credential(arguments) => credential::run(arguments),
        ConnectionAction::Remove(arguments) => remove::run(arguments),
    }
}
