//! `frontdesk channel list`: configured channels, without a request.

use anyhow::Result;
use serde_json::{Value, json};

use crate::cli::channel::{ChannelListArguments, ConfigFile};
use crate::cli::print;
use model::account::Environment;

pub fn run(arguments: &ChannelListArguments) -> Result<()> {
    let file = ConfigFile::read()?;
    let mut items = Vec::new();
    for channel in &file.config.channels {
        let key = channel.fetch_key();
        let (hint, environment, problem) = match &key {
            Ok(key) => (key.hint(), Environment::from_key(key.expose()), None),
            Err(error) => ("-".to_owned(), None, Some(error.problem.clone())),
        };
        if arguments.json {
            items.push(json!({
                "channel": channel.name,
                "baseUrl": channel.base_url,
                "key": key.is_ok().then_some(&hint),
                "keyFrom": channel.key.describe(),
                "environment": environment.map(Environment::word),
                "readOnly": channel.read_only,
                "problem": problem,
            }));
            continue;
        }
        let columns = [
            channel.name.clone(),
            environment.map_or("-", Environment::label).to_owned(),
            channel.base_url.clone(),
            hint,
            problem.unwrap_or_else(|| channel.key.describe()),
            if channel.read_only { "read-only" } else { "-" }.to_owned(),
        ];
        print::line(&print::columns(&columns))?;
    }
    if arguments.json { print::json(&Value::Array(items)) } else { Ok(()) }
}
