//! `sms` and `call`: a text to a phone, and a call by the AI.

use clap::Args;

use crate::cli::CliError;
use crate::cli::scripting::{Common, Session, single};
use client::Enclosed;
use model::account::Platform;
use model::bounds;
use model::outbox::Operation;
use model::outbox::content::Json;
use model::phones;

/// The switches of `sms`.
#[derive(Debug, Args)]
pub struct SmsArguments {
    /// The number, with its country code.
    pub to: String,
    /// The text; `-` reads it from standard input.
    pub text: String,
    /// The sending channel, where the service has more than one.
    #[arg(long, value_name = "ID")]
    pub via: Option<String>,
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `call`.
#[derive(Debug, Args)]
pub struct CallArguments {
    /// The number, with its country code.
    pub to: String,
    /// What the AI is told, as a JSON object.
    #[arg(long, value_name = "JSON")]
    pub context: Option<String>,
    /// The calling channel, where the service has more than one.
    #[arg(long, value_name = "ID")]
    pub via: Option<String>,
    /// Call, although the price is not known before.
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    pub common: Common,
}

fn number(typed: &str) -> Result<String, CliError> {
    let number = phones::plain(typed);
    if bounds::is_e164(&number) {
        return Ok(number);
    }
    Err(CliError::Usage(format!("{typed:?} is no phone number with its country code, such as +34600111222")))
}

/// `frontdesk sms`
pub fn sms(session: &Session, arguments: &SmsArguments) -> Result<(), CliError> {
    let to = number(&arguments.to)?;
    let body = single::text(&arguments.text)?;
    let channel = single::channel(session, &arguments.common, "phone", |it| *it == Platform::Voip)?;
    let operation = Operation::SendSms { to: to.clone(), body, via: arguments.via.clone() };
    let made = single::carry_out(session, &channel, operation, Enclosed::default())?;
    let made = made.map(|it| ("messageId", it));
    Ok(single::said(session, &channel, &arguments.common, "sent", ("to", &to), made)?)
}

/// `frontdesk call`
pub fn call(session: &Session, arguments: &CallArguments) -> Result<(), CliError> {
    let to = number(&arguments.to)?;
    if !arguments.yes {
        let unsocial = phones::zone_of(&to).filter(|it| phones::is_unsocial(session.now(), it));
        let there = unsocial.map(|it| format!("; it is {} there", session.now().clock_face(&it)));
        return Err(CliError::Usage(format!(
            "the AI would call {to} now, at a price by the minute that is not published{}; add --yes to call",
            there.unwrap_or_default()
        )));
    }
    let context = arguments.context.as_deref().map(|text| match serde_json::from_str(text) {
        Ok(serde_json::Value::Object(_)) => Ok(Json(text.to_owned())),
        Ok(_) => Err(CliError::Usage("--context must be a JSON object".to_owned())),
        Err(error) => Err(CliError::Usage(format!("--context: {error}"))),
    });
    let context = context.transpose()?;
    let channel = single::channel(session, &arguments.common, "phone", |it| *it == Platform::Voip)?;
    let operation = Operation::Call { to: to.clone(), via: arguments.via.clone(), context };
    let made = single::carry_out(session, &channel, operation, Enclosed::default())?;
    let made = made.map(|it| ("callId", it));
    Ok(single::said(session, &channel, &arguments.common, "called", ("to", &to), made)?)
}
