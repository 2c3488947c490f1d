//! Identity of the contact a call is about, and the parameter values derived from it.
//!
//! Only facts proven by the channel identify a contact. A name, a user name or a mail address given
//! in a chat is chosen by its sender and is never sent as an identity.

use crate::account::Platform;
use crate::bounds;
use crate::connections::ConnectionEndpoint;
use crate::connections::parameters::{FilledParameter, Parameter, ParameterSource};

pub const MAX_VALUE_CHARS: usize = 1_000;
const MAX_CHAT_ID_DIGITS: usize = 19;

/// Fact about a contact that can be sent.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum ContactField {
    /// The sender's number on business chat, voice and SMS.
    #[default]
    Phone,
    /// The sender's address on the mail channel.
    Email,
    /// Id of the private chat on the bot channel.
    ChatId,
    /// Entry of the contact's metadata with this name.
    Metadata(String),
}

impl ContactField {
    /// Fields proven by a channel.
    pub const VERIFIED: [Self; 3] = [Self::Phone, Self::Email, Self::ChatId];

    /// Parses `phone` or `metadata.customer_id`.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::VERIFIED.into_iter().find(|contact_field| contact_field.word() == word).or_else(|| {
            let name = word.strip_prefix("metadata.").filter(|text| !text.is_empty())?;
            Some(Self::Metadata(name.to_owned()))
        })
    }

    pub fn word(&self) -> String {
        match self {
            Self::Phone => "phone".to_owned(),
            Self::Email => "email".to_owned(),
            Self::ChatId => "chat_id".to_owned(),
            Self::Metadata(name) => format!("metadata.{name}"),
        }
    }

    pub fn is_verified(&self) -> bool {
        Self::VERIFIED.contains(self)
    }
}

/// Known facts about a contact: at most one identity, proven by the channel, and metadata.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContactFacts {
    identity: Option<(ContactField, String)>,
    metadata: Vec<(String, String)>,
}

impl ContactFacts {
    /// Derives the identity from the address of a conversation. None if the address does not have
    /// the channel's own form: a group's chat id is no person, and a mail address counts on the
    /// mail channel only.
    pub fn from_address(platform: &Platform, address: &str) -> Self {
        let proven = match platform {
            Platform::Whatsapp | Platform::Voip => bounds::is_e164(address).then_some(ContactField::Phone),
            Platform::Email => bounds::is_email(address).then_some(ContactField::Email),
            Platform::Telegram => is_private_chat(address).then_some(ContactField::ChatId),
            Platform::Web | Platform::Other(_) => None,
        };
        Self { identity: proven.map(|field| (field, address.to_owned())), metadata: Vec::new() }
    }

    #[must_use]
    pub fn with_metadata(self, metadata: Vec<(String, String)>) -> Self {
        Self { metadata, ..self }
    }

    /// Returns the value of a field, if known and not empty.
    pub fn get(&self, field: &ContactField) -> Option<&str> {
        let known = match field {
            ContactField::Metadata(name) => {
                self.metadata.iter().find(|pair| pair.0 == *name).map(|pair| pair.1.trim())
            }
            _ => self
                .identity
                .as_ref()
                .filter(|identity| identity.0 == *field)
                .map(|identity| identity.1.as_str()),
        };
        known.filter(|text| !text.is_empty())
    }

    fn proven_identity(&self, fields: &[ContactField]) -> Option<&str> {
        fields.iter().filter(|field| field.is_verified()).find_map(|field| self.get(field))
    }
}

/// True for the chat id of a person; ids of groups and channels have a minus or a name.
fn is_private_chat(address: &str) -> bool {
    let digits = address.bytes().all(|byte| byte.is_ascii_digit());
    digits && !address.starts_with('0') && (1..=MAX_CHAT_ID_DIGITS).contains(&address.len())
}

impl ConnectionEndpoint {
    /// Returns the fields that may identify the contact in this parameter; empty if it does not
    /// identify.
    pub fn identifying_fields<'a>(&'a self, parameter: &'a Parameter) -> &'a [ContactField] {
        match &parameter.source {
            ParameterSource::Contact => &self.contact,
            ParameterSource::ContactField(field) if field.is_verified() => std::slice::from_ref(field),
            _ => &[],
        }
    }

    /// Fills all parameters. Values from the contact are always required. Unless the endpoint is
    /// public, at least one value must be an identity proven by the channel; otherwise the call is
    /// refused. Optional values without input are omitted.
    pub fn fill_parameters(
        &self,
        facts: &ContactFacts,
        answers: &[(String, String)],
    ) -> Result<Vec<FilledParameter>, String> {
        let bound = |parameter: &Parameter| {
            self.identifying_fields(parameter).iter().any(|field| field.is_verified())
        };
        if !self.public && !self.parameters.iter().any(bound) {
            return Err("it was not called: no parameter identifies the customer".to_owned());
        }
        let mut filled = Vec::new();
        for parameter in &self.parameters {
            let value = match &parameter.source {
                ParameterSource::Contact => facts.proven_identity(&self.contact),
                ParameterSource::ContactField(field) => facts.get(field),
                ParameterSource::Constant(text) => Some(text.as_str()),
                ParameterSource::Asked(_) => {
                    answers.iter().find(|(name, _)| *name == parameter.name).map(|(_, value)| value.trim())
                }
            };
            let Some(value) = value.filter(|value| !value.is_empty()) else {
                if parameter.is_required() {
                    return Err(self.describe_missing(parameter));
                }
                continue;
            };
            if value.chars().count() > MAX_VALUE_CHARS {
                return Err(format!("{} is longer than {MAX_VALUE_CHARS} characters", parameter.name));
            }
            if let Some(wanted) = parameter.kind.check_text(value) {
                return Err(format!("{} must be {wanted}", parameter.name));
            }
            filled.push(FilledParameter {
                name: parameter.name.clone(),
                place: parameter.place,
                kind: parameter.kind,
                value: value.to_owned(),
            });
        }
        Ok(filled)
    }

    fn describe_missing(&self, parameter: &Parameter) -> String {
        match &parameter.source {
            ParameterSource::Contact => {
                let words: Vec<String> = self.contact.iter().map(ContactField::word).collect();
                format!("the contact's {} is not known", words.join(" or "))
            }
            ParameterSource::ContactField(field) => format!("the contact's {} is not known", field.word()),
            ParameterSource::Constant(_) => format!("{} has no value", parameter.name),
            ParameterSource::Asked(question) if question.is_empty() => {
                format!("{} is required", parameter.name)
            }
            ParameterSource::Asked(question) => format!("{question} is required"),
        }
    }
}

#[cfg(test)]
mod tests;
