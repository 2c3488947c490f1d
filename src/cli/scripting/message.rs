//! `message`: one message, read from the server.

use anyhow::Result;
use clap::Args;

use crate::cli::scripting::{Common, Session};
use crate::cli::{UsageError, print};
use model::fetches::{Fetch, FetchResult};
use model::ids::MessageId;

/// The switches of `message`.
#[derive(Debug, Args)]
pub struct MessageArguments {
    /// The message's id.
    pub message: String,
    #[command(flatten)]
    pub common: Common,
}

pub fn run(session: &Session, arguments: &MessageArguments) -> Result<()> {
    let fetch = Fetch::Message { message: MessageId::from(arguments.message.as_str()) };
    let mut why = None;
    for channel in session.unmirrored_channels(arguments.common.channel.as_deref())? {
        match session.platform(&channel) {
            Ok(platform) if platform.can_take_over() => {}
            Ok(_) => continue,
            Err(error) => {
                why = Some(error);
                continue;
            }
        }
        match session.fetch(&channel, "could not read the message", &fetch) {
            Ok(FetchResult::Message(message)) if arguments.common.json => {
                return print::json(&print::message_json(&message));
            }
            Ok(FetchResult::Message(message)) => {
                return print::line(&print::message_line(&message, session.zone()));
            }
            Ok(_) => (),
            Err(error) => why = Some(error),
        }
    }
    match why {
        Some(why) => Err(why),
        None => {
            let words = "no business chat channel is configured; only its messages can be read by id";
            Err(UsageError(words.to_owned()).into())
        }
    }
}
