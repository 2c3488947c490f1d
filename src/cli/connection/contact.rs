//! Contact of a test call: given by switches, or asked for at a terminal as far as the endpoint takes it.

use clap::Args;

use crate::cli::asking::{Question, repeat};
use crate::cli::connection::TrialArguments;
use crate::cli::{CliError, UsageError};
use crate::shell::prompt;
use model::account::Platform;
use model::connections::{ConnectionEndpoint, ContactFacts, ContactField, ParameterSource};

/// Contact of a test call, by the one identity that a channel proves.
#[derive(Debug, Args, Default)]
pub struct ContactArguments {
    /// Phone number of the customer to call it for.
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["email", "chat_id"])]
    phone: Option<String>,
    /// Mail address of the customer to call it for.
    #[arg(long, value_name = "ADDRESS", conflicts_with = "chat_id")]
    email: Option<String>,
    /// Bot chat id of the customer to call it for.
    #[arg(long, value_name = "ID")]
    chat_id: Option<String>,
}

/// Switch of an identity, question for it, and form of its value.
fn describe_identity(field: &ContactField) -> (&'static str, &'static str, &'static str) {
    match field {
        ContactField::Email => ("--email", "Mail address of a customer, for the test call", "a mail address"),
        ContactField::ChatId => {
            ("--chat-id", "Chat id of a customer, for the test call", "the id of a private chat")
        }
        ContactField::Phone | ContactField::Metadata(_) => {
            ("--phone", "Phone number of a customer, for the test call", "a number such as +34600111222")
        }
    }
}

/// Facts that the channel of an identity proves; the error names the form of its value.
fn parse_identity(field: &ContactField, value: &str) -> Result<ContactFacts, UsageError> {
    let platform = match field {
        ContactField::Email => Platform::Email,
        ContactField::ChatId => Platform::Telegram,
        ContactField::Phone | ContactField::Metadata(_) => Platform::Whatsapp,
    };
    let facts = ContactFacts::from_address(&platform, value);
    if facts == ContactFacts::default() {
        let (switch, _, wanted) = describe_identity(field);
        return Err(UsageError(format!("{switch} {value:?}: give {wanted}")));
    }
    Ok(facts)
}

impl ContactArguments {
    /// # Errors
    /// If the value is no address of its channel.
    pub fn facts(&self) -> Result<ContactFacts, UsageError> {
        let given = [&self.phone, &self.email, &self.chat_id];
        let named = ContactField::VERIFIED.iter().zip(given);
        let found = named.filter_map(|(field, value)| Some((field, value.as_deref()?))).next();
        found.map_or_else(|| Ok(ContactFacts::default()), |(field, value)| parse_identity(field, value))
    }
}

impl TrialArguments {
    /// Facts of the switches; at a terminal, those that the endpoint takes beside them are asked for.
    pub fn facts(&self, endpoint: &ConnectionEndpoint) -> Result<ContactFacts, CliError> {
        let usage = |error: UsageError| CliError::Usage(error.to_string());
        let mut facts = self.contact.facts().map_err(usage)?;
        let mut metadata = pairs("--metadata", &self.metadata).map_err(usage)?;
        if prompt::can_ask() {
            for field in endpoint.parameters.iter().filter_map(|parameter| match &parameter.source {
                ParameterSource::Contact => endpoint.contact.first(),
                ParameterSource::ContactField(field) => Some(field),
                ParameterSource::Constant(_) | ParameterSource::Asked(_) => None,
            }) {
                match field {
                    ContactField::Metadata(name) if metadata.iter().all(|(known, _)| known != name) => {
                        let text = format!("Metadata {name} of that customer");
                        let question = Question { text: &text, switch: "--metadata", default: None };
                        metadata.push((name.clone(), question.resolve(None)?));
                    }
                    ContactField::Phone | ContactField::Email | ContactField::ChatId
                        if facts == ContactFacts::default() =>
                    {
                        facts = ask_identity(field)?;
                    }
                    _ => {}
                }
            }
        }
        Ok(facts.with_metadata(metadata))
    }
}

fn ask_identity(field: &ContactField) -> Result<ContactFacts, CliError> {
    let (switch, text, _) = describe_identity(field);
    let question = Question { text, switch, default: None };
    repeat(true, |_| {
        let answer = question.resolve(None)?;
        Ok(parse_identity(field, &answer).map_err(|error| CliError::Usage(error.to_string())))
    })
}

/// Splits values of a switch into names and values.
pub fn pairs(switch: &str, values: &[String]) -> Result<Vec<(String, String)>, UsageError> {
    let pair = |text: &String| match text.split_once('=') {
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err(UsageError(format!("{switch} {text:?}: write it as name=value"))),
    };
    values.iter().map(pair).collect()
}
