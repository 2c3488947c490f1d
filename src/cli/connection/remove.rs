//! `frontdesk connection remove`: removes a connection from its file, and its credential.

use anyhow::{Context, anyhow};
use serde_json::json;

use crate::cli::connection::RemoveArguments;
use crate::cli::connection::store::ConnectionStore;
use crate::cli::{CliError, print};
use crate::shell::prompt;

pub fn run(arguments: &RemoveArguments) -> Result<(), CliError> {
    let store = ConnectionStore::open()?;
    let connection = store.named(&arguments.name)?;
    let name = &connection.name;
    if !arguments.yes {
        if !prompt::can_ask() {
            return Err(CliError::Usage("no terminal to ask for confirmation: add --yes".to_owned()));
        }
        let question = format!("Remove {name:?} ({}) and its credential? y/n", connection.base_url);
        let answer = prompt::ask_line(&question).context("could not ask for confirmation")?;
        if !answer.eq_ignore_ascii_case("y") {
            return Err(CliError::Failed(anyhow!("nothing was removed")));
        }
    }
    store.remove(name)?;
    if arguments.json {
        return Ok(print::json(&json!({"name": name, "removed": true}))?);
    }
    Ok(print::line(&format!("{name:?} and its credential are removed"))?)
}
