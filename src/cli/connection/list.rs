//! `frontdesk connection list`: connections of this desk, without a request.

use anyhow::Result;
use serde_json::Value;

use crate::cli::connection::store::ConnectionStore;
use crate::cli::connection::{ListArguments, print_call};
use crate::cli::print;

pub fn run(arguments: &ListArguments) -> Result<()> {
    let store = ConnectionStore::open()?;
    let mut items = Vec::new();
    for connection in &store.setup.connections {
        let has_credential = store.setup.credentials.has(connection);
        if arguments.json {
            items.push(print_call::connection_json(connection, has_credential));
        } else {
            print::line(&print_call::connection_line(connection, has_credential))?;
        }
    }
    if arguments.json { print::json(&Value::Array(items)) } else { Ok(()) }
}
