//! `sms` and `call`: a text to a phone number, and a call by the AI.

use clap::Args;

use crate::cli::CliError;
use crate::cli::scripting::writing::{self, Answer, KeyArgument, WriteKey};
use crate::cli::scripting::{Common, Session, channel_selection};
use crate::cli::unfinished::CommandRefusal;
use client::Attachments;
use model::account::Platform;
use model::bounds;
use model::outbox::Operation;
use model::outbox::content::Json;
use model::phones;

/// The switches of `sms`.
#[derive(Debug, Args)]
pub struct SmsArguments {
    /// Phone number with its country code.
    pub to: String,
    /// The text; `-` reads it from standard input.
    pub text: String,
    /// Id of the sending channel, if the service has several.
    #[arg(long, value_name = "ID")]
    pub via: Option<String>,
    #[command(flatten)]
    pub key: KeyArgument,
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `call`.
#[derive(Debug, Args)]
pub struct CallArguments {
    /// Phone number with its country code.
    pub to: String,
    /// Context for the AI, as a JSON object.
    #[arg(long, value_name = "JSON")]
    pub context: Option<String>,
    /// Id of the calling channel, if the service has several.
    #[arg(long, value_name = "ID")]
    pub via: Option<String>,
    /// Call although the price is not known in advance.
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    pub key: KeyArgument,
    #[command(flatten)]
    pub common: Common,
}

fn number(typed: &str) -> Result<String, CliError> {
    let number = phones::strip_separators(typed);
    if bounds::is_e164(&number) {
        return Ok(number);
    }
    Err(CliError::Usage(format!("{typed:?} is not a phone number with country code, such as +34600111222")))
}

pub fn sms(session: &Session, arguments: &SmsArguments) -> Result<(), CliError> {
    let to = number(&arguments.to)?;
    let body = channel_selection::text(&arguments.text)?;
    let common = &arguments.common;
    let wish = [to.as_str(), &body, arguments.via.as_deref().unwrap_or_default()];
    let key = WriteKey::of(&arguments.key, "sms", common, &wish);
    let Some(key) = writing::claim_key(session, common, key)? else { return Ok(()) };
    let channel =
        channel_selection::resolve_channel(session, common, "phone", |platform| *platform == Platform::Voip)?;
    // Another channel may send to a customer who wrote STOP to this one.
    if arguments.via.is_none()
        && let Some(why) = session.describe_no_messages(&channel, &to)?
    {
        let refusal = CommandRefusal::unreachable(&channel.spec().name, &why);
        return Err(anyhow::Error::from(refusal).into());
    }
    let answer = Answer::new("sent", &to).with_field("to", to.as_str()).with_created_field("messageId");
    let operation = Operation::SendSms { to, body, via: arguments.via.clone() };
    let outcome =
        writing::run_operation(session, &channel, operation, Attachments::default(), (&answer, &key))?;
    Ok(writing::print_outcome(session, &channel, common, &answer, &outcome)?)
}

pub fn call(session: &Session, arguments: &CallArguments) -> Result<(), CliError> {
    let to = number(&arguments.to)?;
    if !arguments.yes {
        let unsocial =
            phones::zone_of(&to).filter(|zone| phones::is_outside_calling_hours(session.now(), zone));
        let there = unsocial
            .map(|unsocial| format!("; local time there: {}", session.now().hour_and_minute(&unsocial)));
        return Err(CliError::Usage(format!(
            "not called: the price per minute of a call to {to} is not published{}; add --yes to call now",
            there.unwrap_or_default()
        )));
    }
    let context = arguments.context.as_deref().map(|text| match serde_json::from_str(text) {
        Ok(serde_json::Value::Object(_)) => Ok(Json(text.to_owned())),
        Ok(_) => Err(CliError::Usage("--context must be a JSON object".to_owned())),
        Err(error) => Err(CliError::Usage(format!("--context: {error}"))),
    });
    let context = context.transpose()?;
    let common = &arguments.common;
    let told = arguments.context.as_deref().unwrap_or_default();
    let wish = [to.as_str(), told, arguments.via.as_deref().unwrap_or_default()];
    let key = WriteKey::of(&arguments.key, "call", common, &wish);
    let Some(key) = writing::claim_key(session, common, key)? else { return Ok(()) };
    let channel =
        channel_selection::resolve_channel(session, common, "phone", |platform| *platform == Platform::Voip)?;
    let answer = Answer::new("called", &to).with_field("to", to.as_str()).with_created_field("callId");
    let operation = Operation::Call { to, via: arguments.via.clone(), context };
    let outcome =
        writing::run_operation(session, &channel, operation, Attachments::default(), (&answer, &key))?;
    Ok(writing::print_outcome(session, &channel, common, &answer, &outcome)?)
}
