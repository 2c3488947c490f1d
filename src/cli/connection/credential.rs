//! `frontdesk connection credential`: replaces a credential once an endpoint has answered with the new one.

use anyhow::Result;
use serde_json::json;

use crate::cli::asking::{MAX_RETRIES, ask_secret, prompt_error};
use crate::cli::connection::store::{ConnectionStore, check_secret, is_about_credential};
use crate::cli::connection::{CredentialArguments, CredentialSource};
use crate::cli::unfinished::CommandRefusal;
use crate::cli::{CliError, print};
use crate::shell::prompt;
use model::connections::{Connection, ConnectionEndpoint, ContactFacts, EndpointMethod};
use model::secret::Secret;
use net::connections::CallError;

/// Maximum endpoints on which a new credential is tested.
const MAX_TRIED_ENDPOINTS: usize = 5;

impl CredentialSource {
    /// Credential that a connection takes; `None` if it takes none.
    pub fn read(&self, connection: &Connection) -> Result<Option<Secret>, CliError> {
        if !connection.auth.needs_secret() {
            let why = format!("{} needs no credential: its authentication is none", connection.name);
            return if self.credential_env.is_some() { Err(CliError::Usage(why)) } else { Ok(None) };
        }
        let text = match &self.credential_env {
            Some(variable) => std::env::var(variable)
                .map_err(|_| CliError::Usage(format!("the environment variable {variable} is not set")))?,
            None => {
                let question = format!("{} of {}", connection.auth.secret_name(), connection.name);
                ask_secret(&question, "--credential-env")?
            }
        };
        let secret = Secret::new(&text);
        check_secret(connection, &secret).map_err(CliError::Usage)?;
        Ok(Some(secret))
    }

    /// Number of further credentials that may be typed after a refused one.
    pub fn max_retries(&self) -> u32 {
        if self.credential_env.is_none() && prompt::can_ask() { MAX_RETRIES } else { 0 }
    }
}

pub fn run(arguments: &CredentialArguments) -> Result<(), CliError> {
    let store = ConnectionStore::open()?;
    let connection = store.named(&arguments.name)?;
    let name = &connection.name;
    if !connection.auth.needs_secret() {
        return Err(CliError::Usage(format!("{name} needs no credential: its authentication is none")));
    }
    let facts = match connection.endpoints.iter().find(|endpoint| endpoint.method == EndpointMethod::Get) {
        Some(endpoint) => arguments.trial.facts(endpoint)?,
        None => ContactFacts::default(),
    };
    let endpoints: Vec<&ConnectionEndpoint> = connection
        .endpoints
        .iter()
        .filter(|endpoint| endpoint.is_readable_with(&facts))
        .take(MAX_TRIED_ENDPOINTS)
        .collect();
    if endpoints.is_empty() {
        return Err(CliError::Usage(format!(
            "no endpoint of {name} can be called with the values given: give --phone, --email, --chat-id or \
             --metadata of a customer it knows"
        )));
    }
    let mut retries = arguments.credential.max_retries();
    let status = loop {
        let Some(secret) = arguments.credential.read(connection)? else { return Ok(()) };
        match try_endpoints(&store, connection, &endpoints, &secret, &facts) {
            Ok(status) => {
                store.store_credential(connection, &secret)?;
                break status;
            }
            Err(error) if retries > 0 && is_about_credential(&error) => {
                retries -= 1;
                let again = format!("{error}. Enter another credential; the stored one is unchanged.");
                prompt::print_wrapped(&again).map_err(prompt_error)?;
            }
            Err(error) => {
                let why = format!("the credential of {name} is unchanged: {error}");
                return Err(CliError::Failed(CommandRefusal::refused(why).into()));
            }
        }
    };
    if arguments.json {
        return Ok(print::json(&json!({"name": name, "status": status}))?);
    }
    Ok(print::line(&format!("{name} accepted the credential (status {status}); it is stored"))?)
}

/// Status of the first endpoint that answers, else the first error. One answer proves the credential: other
/// endpoints may not know this customer.
fn try_endpoints(
    store: &ConnectionStore,
    connection: &Connection,
    endpoints: &[&ConnectionEndpoint],
    secret: &Secret,
    facts: &ContactFacts,
) -> Result<u16, CallError> {
    let mut result = Err(CallError::NoCredential);
    for (index, endpoint) in endpoints.iter().enumerate() {
        match store.call(connection, endpoint, Some(secret), facts, &[]).answer {
            Ok(answer) => return Ok(answer.status),
            Err(error) if index == 0 => result = Err(error),
            Err(_) => {}
        }
    }
    result
}
