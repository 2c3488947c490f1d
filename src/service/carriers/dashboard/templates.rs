//! Administration of templates: those of a connected number are submitted and deleted at its platform,
//! others are stored here alone.

use serde_json::Value;

use crate::admin::{Admin, AdminError, ChannelChoice};
use crate::audit::{self, CONSOLE};
use crate::carriers::dashboard::{accounts, describe_unconnected, refused_error};
use crate::database::channels::ChannelRow;
use crate::database::connected::{self as stored, ConnectedRow};
use crate::database::session::DbSession;
use crate::database::{DatabaseError, templates};
use model::time::Timestamp;
use platforms::whatsapp::{NumberPlatform, SubmissionError, SubmittedTemplate};
use platforms::{Channel, Template};

/// Place from which [`Admin::remove_template`] removed a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateRemoval {
    /// This service alone, as the channel is not connected or its platform does not have the template.
    Here,
    /// Also the platform, for all numbers of the account.
    Platform,
}

impl Admin {
    /// Lists a channel's templates of every status.
    pub async fn templates(&self, channel: ChannelChoice) -> Result<Vec<Template>, AdminError> {
        let workspace = self.workspace.clone();
        self.database.read(move |db| Ok(templates::list(db, &workspace.channel(db, &channel)?.id)?)).await
    }

    /// Adds a template, or replaces the one with its name and language.
    ///
    /// # Errors
    /// When the components are malformed (see [`check_components`]), or the database fails.
    pub async fn put_template(
        &self,
        channel: ChannelChoice,
        template: Template,
        now: Timestamp,
    ) -> Result<(), AdminError> {
        check_components(&template.components).map_err(AdminError::Refused)?;
        let workspace = self.workspace.clone();
        self.database
            .write(move |db| {
                let channel = workspace.channel(db, &channel)?;
                templates::put(db, &channel.id, &template)?;
                let action = ("template put", template.name.as_str());
                Ok(audit::record(db, &channel.workspace, CONSOLE, action, now)?)
            })
            .await
    }

    /// Submits a template of a connected number to its platform for review, and stores it with the status
    /// and category that the platform returned.
    ///
    /// # Errors
    /// If the channel is not connected, with the platform's refusal, or if the outcome is not known.
    pub async fn submit_template(
        &self,
        channel: ChannelChoice,
        template: Template,
        now: Timestamp,
    ) -> Result<SubmittedTemplate, AdminError> {
        parse_components(&template.components).map_err(AdminError::Refused)?;
        let (channel, row) = self.find_connection(&channel).await?;
        if channel.kind != Channel::Whatsapp {
            let word = channel.word();
            return Err(AdminError::Refused(format!(
                "the channel {word} has no templates; only WhatsApp numbers have them"
            )));
        }
        let Some(row) = row else {
            return Err(AdminError::Refused(format!(
                "{}, or store the template in this service alone with `admin template put`",
                describe_unconnected(&channel)
            )));
        };
        let number = self.open_number(&row).await?;
        let submitted = match number.submit_template(&template).await {
            Ok(submitted) => submitted,
            Err(SubmissionError::Refused(why)) => return Err(AdminError::Refused(why)),
            Err(SubmissionError::Unknown(why)) => {
                // The next refresh shows whether the template was stored.
                let requested: Result<(), AdminError> =
                    self.database.write(move |db| Ok(request_descriptions(db, &channel, &row, now)?)).await;
                if let Err(cause) = requested {
                    tracing::warn!(%cause, "the account's templates could not be scheduled for reading");
                }
                return Err(AdminError::Unknown(why));
            }
        };
        let template = submitted.template.clone();
        let stored: Result<(), AdminError> = self
            .database
            .write(move |db| {
                templates::put(db, &channel.id, &template)?;
                request_descriptions(db, &channel, &row, now)?;
                let action = ("template submit", template.name.as_str());
                Ok(audit::record(db, &channel.workspace, CONSOLE, action, now)?)
            })
            .await;
        match stored {
            Ok(()) => Ok(submitted),
            Err(why) => Err(not_stored("accepted", &why)),
        }
    }

    /// Removes a template in one language; of a connected number also at its platform, first.
    ///
    /// # Errors
    /// If it is nowhere, with the platform's explanation if nothing was removed, or if the database fails.
    pub async fn remove_template(
        &self,
        channel: ChannelChoice,
        (name, language): (&str, &str),
        now: Timestamp,
    ) -> Result<TemplateRemoval, AdminError> {
        let (channel, row) = self.find_connection(&channel).await?;
        let connection = row.filter(|_| channel.kind == Channel::Whatsapp);
        let removal = match &connection {
            Some(row) => {
                let number = self.open_number(row).await?;
                let deleted = number.delete_template(name, language).await.map_err(refused_error)?;
                if deleted { TemplateRemoval::Platform } else { TemplateRemoval::Here }
            }
            None => TemplateRemoval::Here,
        };
        let (name, language) = (name.to_owned(), language.to_owned());
        let removed = self
            .database
            .write(move |db| {
                let was_here = templates::remove(db, &channel.id, &name, &language)?;
                if !was_here && removal == TemplateRemoval::Here {
                    return Err(AdminError::Absent(format!("there is no template {name} in {language}")));
                }
                if let Some(row) = &connection {
                    request_descriptions(db, &channel, row, now)?;
                }
                let action = ("template remove", name.as_str());
                audit::record(db, &channel.workspace, CONSOLE, action, now)?;
                Ok(())
            })
            .await;
        match (removed, removal) {
            (Ok(()), removal) => Ok(removal),
            (Err(why), TemplateRemoval::Platform) => Err(not_stored("deleted", &why)),
            (Err(why), TemplateRemoval::Here) => Err(why),
        }
    }

    async fn open_number(&self, row: &ConnectedRow) -> Result<NumberPlatform, AdminError> {
        let secrets = self.open_secrets(row).await?;
        NumberPlatform::open(&row.settings, &secrets).map_err(AdminError::Refused)
    }
}

/// Error for a change that the platform has carried out and this service could not store.
fn not_stored(change: &str, why: &AdminError) -> AdminError {
    AdminError::Unknown(format!(
        "the platform has {change} the template, but the change could not be stored here: {why}; the service \
         stores it within ten minutes, when it reads the account's templates"
    ))
}

/// Requests a new reading of the account for each of its numbers. A reading in progress, which does not
/// know the change, is discarded.
fn request_descriptions(
    db: &dyn DbSession,
    channel: &ChannelRow,
    row: &ConnectedRow,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    let mut all = accounts::sharing_channels(db, &channel.id, channel.kind, &row.settings)?;
    all.push(channel.id.clone());
    all.iter().try_for_each(|id| stored::request_description(db, id, now))
}

/// Parses components: a JSON list with at least one part.
fn parse_components(text: &str) -> Result<Vec<Value>, String> {
    let parts: Value =
        serde_json::from_str(text).map_err(|error| format!("the components are not JSON: {error}"))?;
    match parts {
        Value::Array(parts) if !parts.is_empty() => Ok(parts),
        _ => Err("the components must be a list: [{\"type\": \"BODY\", \"text\": \"…\"}]".to_owned()),
    }
}

/// Checks that components are a JSON list of parts with a known type, one of which is a body with text.
fn check_components(text: &str) -> Result<(), String> {
    const COMPONENT_TYPES: [&str; 4] = ["HEADER", "BODY", "FOOTER", "BUTTONS"];
    let parts = parse_components(text)?;
    for (place, part) in parts.iter().enumerate() {
        let kind = part["type"].as_str().unwrap_or_default();
        if !COMPONENT_TYPES.contains(&kind) {
            return Err(format!(
                "component {place} has the type {kind:?}; use one of {}",
                COMPONENT_TYPES.join(", ")
            ));
        }
    }
    let body = parts.iter().find(|part| part["type"] == "BODY").and_then(|part| part["text"].as_str());
    match body {
        Some(text) if !text.trim().is_empty() => Ok(()),
        _ => Err("a template needs a BODY component with text".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_checked_before_they_are_kept() {
        let cases = [
            (r#"[{"type":"BODY","text":"Hi {{1}}"}]"#, ""),
            (r#"[{"type":"HEADER"},{"type":"BODY","text":"Hi"}]"#, ""),
            ("[", "not JSON"),
            ("{}", "must be a list"),
            (r#"[{"type":"BODYS","text":"Hi"}]"#, "component 0 has the type \"BODYS\""),
            (r#"[{"type":"BODY","text":" "}]"#, "needs a BODY"),
            ("[]", "must be a list"),
        ];
        for (text, problem) in cases {
            match check_components(text) {
                Ok(()) => assert_eq!(problem, "", "{text}"),
                Err(said) => assert!(!problem.is_empty() && said.contains(problem), "{text}: {said}"),
            }
        }
    }
}
