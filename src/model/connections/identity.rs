//! Who a call is about: what a channel itself proves of the person who writes,
//! and the one function that gives a call its values.
//!
//! A name, a user name and a mail address told in a chat are chosen by their sender
//! writes. They identify nobody, and there is no way to send them as if they did.

use crate::account::Platform;
use crate::bounds;
use crate::connections::ConnectionEndpoint;
use crate::connections::parameters::{FilledParameter, Parameter, ParameterSource};

/// Characters a value may have.
pub const MAX_VALUE_CHARS: usize = 1_000;
/// Digits of a chat id at most.
const MAX_CHAT_ID_DIGITS: usize = 19;

/// What can be sent of a contact.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum ContactField {
    /// The number they write from, on business chat, voice and SMS.
    #[default]
    Phone,
    /// The address they write from, on the mail channel.
    Email,
    /// The id of their private chat, on the bot channel.
    ChatId,
    /// What the business keeps under a name in the contact's metadata.
    Metadata(String),
}

impl ContactField {
    /// The fields that a channel proves.
    pub const VERIFIED: [Self; 3] = [Self::Phone, Self::Email, Self::ChatId];

    /// The field of a word, as `phone` or `metadata.customer_id`.
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

    /// Whether a channel proves it.
    pub fn is_verified(&self) -> bool {
        Self::VERIFIED.contains(self)
    }
}

/// What is known of the contact a call is about: at most one identity, the one
/// that their channel proves, and metadata.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContactFacts {
    identity: Option<(ContactField, String)>,
    metadata: Vec<(String, String)>,
}

impl ContactFacts {
    /// What a channel proves of who writes there from an address. Nothing, where
    /// the address is not of the channel's own shape: a group's chat id is no
    /// person, and a `@` makes a mail address on the mail channel only.
    pub fn from_address(platform: &Platform, address: &str) -> Self {
        let proven = match platform {
            Platform::Whatsapp | Platform::Voip => bounds::is_e164(address).then_some(ContactField::Phone),
            Platform::Email => bounds::is_email(address).then_some(ContactField::Email),
            Platform::Telegram => is_private_chat(address).then_some(ContactField::ChatId),
            Platform::Web | Platform::Other(_) => None,
        };
        Self { identity: proven.map(|field| (field, address.to_owned())), metadata: Vec::new() }
    }

    /// The same with the contact's metadata, which identifies nobody by itself.
    #[must_use]
    pub fn with_metadata(self, metadata: Vec<(String, String)>) -> Self {
        Self { metadata, ..self }
    }

    /// One of them, if it is known.
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

    /// The identity, where it is one of these.
    fn proven_identity(&self, fields: &[ContactField]) -> Option<&str> {
        fields.iter().filter(|field| field.is_verified()).find_map(|field| self.get(field))
    }
}

/// Whether a chat id is that of a person: groups and channels have a minus or a
/// name.
fn is_private_chat(address: &str) -> bool {
    let digits = address.bytes().all(|byte| byte.is_ascii_digit());
    digits && !address.starts_with('0') && (1..=MAX_CHAT_ID_DIGITS).contains(&address.len())
}

impl ConnectionEndpoint {
    /// The fields one parameter may identify the contact with; none, where it
    /// does not.
    pub fn identifying_fields<'a>(&'a self, parameter: &'a Parameter) -> &'a [ContactField] {
        match &parameter.source {
            ParameterSource::Contact => &self.contact,
            ParameterSource::ContactField(field) if field.is_verified() => std::slice::from_ref(field),
            _ => &[],
        }
    }

    /// Gives each parameter its value. What comes from the contact is always
    /// required, and unless the endpoint is public at least one value is an
    /// identity that the contact's channel proves: otherwise nothing is asked.
    /// An optional value that was not filled in is left out.
    pub fn fill_parameters(
        &self,
        facts: &ContactFacts,
        answers: &[(String, String)],
    ) -> Result<Vec<FilledParameter>, String> {
        let bound = |parameter: &Parameter| {
            self.identifying_fields(parameter).iter().any(|field| field.is_verified())
        };
        if !self.public && !self.parameters.iter().any(bound) {
            return Err("nothing it is given says who the customer is, so it is not asked".to_owned());
        }
        let mut filled = Vec::new();
        for it in &self.parameters {
            let value = match &it.source {
                ParameterSource::Contact => facts.proven_identity(&self.contact),
                ParameterSource::ContactField(field) => facts.get(field),
                ParameterSource::Constant(text) => Some(text.as_str()),
                ParameterSource::Asked(_) => {
                    answers.iter().find(|(name, _)| *name == it.name).map(|(_, value)| value.trim())
                }
            };
            let Some(value) = value.filter(|value| !value.is_empty()) else {
                if it.is_required() {
                    return Err(self.describe_missing(it));
                }
                continue;
            };
            if value.chars().count() > MAX_VALUE_CHARS {
                return Err(format!("{} is longer than {MAX_VALUE_CHARS} characters", it.name));
            }
            if let Some(wanted) = it.kind.check_text(value) {
                return Err(format!("{} must be {wanted}", it.name));
            }
            filled.push(FilledParameter {
                name: it.name.clone(),
                place: it.place,
                kind: it.kind,
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
                format!("{} is wanted", parameter.name)
            }
            ParameterSource::Asked(question) => format!("{question} is wanted"),
        }
    }
}

#[cfg(test)]
mod tests;
