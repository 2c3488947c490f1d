//! `frontdesk connection test`: calls an endpoint of a connection and shows its answer.

use crate::cli::connection::store::ConnectionStore;
use crate::cli::connection::{TestArguments, contact, print_call};
use crate::cli::unfinished::CommandRefusal;
use crate::cli::{CliError, print};
use model::connections::{Connection, ConnectionEndpoint, EndpointMethod};
use net::connections::FinishedCall;

pub fn run(arguments: &TestArguments) -> Result<(), CliError> {
    let store = ConnectionStore::open()?;
    let connection = store.named(&arguments.name)?;
    let answers =
        contact::pairs("--set", &arguments.answers).map_err(|error| CliError::Usage(error.to_string()))?;
    let endpoint = find_endpoint(connection, arguments)?;
    let facts = arguments.trial.facts(endpoint)?;
    if let Err(why) = endpoint.fill_parameters(&facts, &answers) {
        return Err(CliError::Usage(format!(
            "{why}: give --phone, --email, --chat-id, --metadata or --set for the test call"
        )));
    }
    let secret = store.credential(connection)?;
    let FinishedCall { line, answer } = store.call(connection, endpoint, secret.as_ref(), &facts, &answers);
    let answer = answer.map_err(|error| {
        let why = format!("test call of {} / {} failed: {error}", connection.name, endpoint.name);
        CliError::Failed(CommandRefusal::refused(why).into())
    })?;
    if arguments.json {
        let mut item = print_call::call_json(&line);
        item["answer"] = answer.body;
        return Ok(print::json(&item)?);
    }
    print::line(&print_call::call_line(&line))?;
    Ok(print_call::print_answer(&answer, endpoint)?)
}

/// Endpoint of the switch, else the first for which the switches suffice, else the first.
fn find_endpoint<'a>(
    connection: &'a Connection,
    arguments: &TestArguments,
) -> Result<&'a ConnectionEndpoint, CliError> {
    let name = &connection.name;
    let found = match &arguments.endpoint {
        Some(endpoint) => connection.endpoint(endpoint).ok_or_else(|| {
            let known: Vec<&str> =
                connection.endpoints.iter().map(|endpoint| endpoint.name.as_str()).collect();
            format!("{name} has no endpoint {endpoint:?}; there are: {}", known.join(", "))
        }),
        None => {
            let facts = arguments.trial.contact.facts().unwrap_or_default();
            let readable = connection.endpoints.iter().find(|endpoint| endpoint.is_readable_with(&facts));
            readable.or_else(|| connection.endpoints.first()).ok_or_else(|| format!("{name} has no endpoint"))
        }
    };
    let endpoint = found.map_err(|why| CliError::Failed(CommandRefusal::not_found(why).into()))?;
    if endpoint.method != EndpointMethod::Get {
        return Err(CliError::Usage(format!(
            "{} of {name} may change data ({}) and is not called from here; press `!` in the inbox to call it",
            endpoint.name,
            endpoint.method.word()
        )));
    }
    Ok(endpoint)
}
