//! `events`, `webhooks`, `templates` and `account`: the data of the inbox pages of these names, for scripts.

use std::path::Path;

use anyhow::{Context, Result};
use clap::{Args, Subcommand, ValueHint};
use serde_json::{Value, json};

use crate::cli::scripting::writing::{self, Answer, KeyArgument, WriteKey};
use crate::cli::scripting::{Common, Session, channel_selection};
use crate::cli::unfinished::{CommandRefusal, Unfinished};
use crate::cli::{UsageError, print};
use client::Attachments;
use model::account::Platform;
use model::fetches::{Fetch, FetchResult};
use model::ids::{ConversationId, WebhookId};
use model::outbox::Operation;
use model::outbox::content::Json;
use model::prices;
use model::secret::Secret;
use model::templates::{NewTemplate, NewTemplateCategory};
use model::text::SafeText;
use model::trigger_events::TriggerEvent;
use model::webhooks::{self, Webhook};
use sync::ChannelSync;

/// The switches of what only reads.
#[derive(Debug, Args)]
pub struct ReadArguments {
    #[command(flatten)]
    pub common: Common,
}

/// The commands about webhooks.
#[derive(Debug, Subcommand)]
pub enum WebhooksAction {
    /// List the webhooks of each channel.
    List(ReadArguments),
    /// Create a webhook; its secret is read from an environment variable.
    #[command(alias = "add")]
    Create(WebhookCreateArguments),
    /// Delete a webhook.
    #[command(alias = "remove")]
    Delete(WebhookDeleteArguments),
}

/// The switches of `webhooks create`.
#[derive(Debug, Args)]
pub struct WebhookCreateArguments {
    /// Address that receives the deliveries.
    pub url: String,
    /// Event to deliver; may be given several times. Without it, all events of the channel.
    #[arg(long = "event", value_name = "NAME")]
    pub events: Vec<String>,
    /// Environment variable that holds the secret with which deliveries are signed.
    #[arg(long, value_name = "VARIABLE")]
    pub secret_env: Option<String>,
    #[command(flatten)]
    pub key: KeyArgument,
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `webhooks delete`.
#[derive(Debug, Args)]
pub struct WebhookDeleteArguments {
    /// Id of the webhook, as shown by `webhooks list`.
    pub webhook: String,
    #[command(flatten)]
    pub key: KeyArgument,
    #[command(flatten)]
    pub common: Common,
}

impl WebhooksAction {
    pub fn common(&self) -> &Common {
        match self {
            Self::List(arguments) => &arguments.common,
            Self::Create(arguments) => &arguments.common,
            Self::Delete(arguments) => &arguments.common,
        }
    }
}

pub fn webhooks(session: &Session, action: &WebhooksAction) -> Result<()> {
    match action {
        WebhooksAction::List(arguments) => list(session, &arguments.common),
        WebhooksAction::Create(arguments) => create(session, arguments),
        WebhooksAction::Delete(arguments) => delete(session, arguments),
    }
}

fn list(session: &Session, common: &Common) -> Result<()> {
    let (mut items, mut count) = (Vec::new(), 0_usize);
    let channels = session.unmirrored_channels(common.channel.as_deref())?;
    let gathered = session.for_each_channel(channels, |channel| {
        let name = &channel.spec().name;
        if is_skipped(session, common, channel)? {
            return Ok(());
        }
        for webhook in read_webhooks(session, channel)? {
            count += 1;
            if common.json {
                let events: Vec<&str> = webhook.events.iter().map(|event| event.as_str()).collect();
                items.push(
                    json!({"channel": name, "id": webhook.id.as_str(), "url": webhook.url, "events": events,
                    "isActive": webhook.is_active, "createdAt": webhook.created_at.map(|at| at.to_string())}),
                );
            } else {
                let events: Vec<&str> = webhook.events.iter().map(|event| event.as_str()).collect();
                let state = if webhook.is_active { "active" } else { "inactive" };
                print::line(&print::columns(&[
                    webhook.id.as_str(),
                    name,
                    state,
                    &webhook.url,
                    &events.join(","),
                ]))?;
            }
        }
        Ok(())
    });
    print::empty(!common.json && count == 0 && gathered.is_ok(), "webhooks");
    print::list(common.json, items, gathered)
}

/// True if a channel is skipped: it has no webhooks and was not named.
fn is_skipped(session: &Session, common: &Common, channel: &ChannelSync) -> Result<bool> {
    let has_webhooks = session.platform(channel)?.has_webhooks();
    Ok(common.channel.is_none() && !has_webhooks)
}

fn read_webhooks(session: &Session, channel: &ChannelSync) -> Result<Vec<Webhook>> {
    match session.fetch(channel, "could not read webhooks", &Fetch::Webhooks)? {
        FetchResult::Webhooks(all) => Ok(all),
        _ => Ok(Vec::new()),
    }
}

fn create(session: &Session, arguments: &WebhookCreateArguments) -> Result<()> {
    let common = &arguments.common;
    let events = arguments.events.join(" ");
    let wish = [arguments.url.as_str(), &events, arguments.secret_env.as_deref().unwrap_or_default()];
    let key = WriteKey::of(&arguments.key, "webhooks create", common, &wish);
    let Some(key) = writing::claim_key(session, common, key)? else { return Ok(()) };
    let channel = channel_selection::resolve_channel(
        session,
        &arguments.common,
        "chat or mail",
        Platform::has_webhooks,
    )?;
    let secret = match &arguments.secret_env {
        None => None,
        Some(name) => {
            let text = std::env::var(name).with_context(|| format!("--secret-env: {name} is not set"))?;
            Some(Secret::new(&text))
        }
    };
    let operation = Operation::AddWebhook { url: arguments.url.clone(), events: arguments.events.clone() };
    let enclosed = Attachments { files: &[], secret: secret.as_ref() };
    let answer = Answer::new("registered", &arguments.url)
        .with_field("url", arguments.url.as_str())
        .with_created_field("id");
    let done = writing::run_operation(session, &channel, operation, enclosed, (&answer, &key));
    let outcome = match done {
        Err(error) => return Err(with_endpoint_advice(error)),
        Ok(outcome) => outcome,
    };
    writing::print_outcome(session, &channel, common, &answer, &outcome)
}

/// Adds a checklist to the error of a failed challenge.
fn with_endpoint_advice(error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<Unfinished>() {
        Ok(mut unfinished) if webhooks::is_challenge_failure(unfinished.failure.why.as_str()) => {
            let checklist = webhooks::CHALLENGE_CHECKLIST.join("; ");
            let why = format!("{}; check that {checklist}", unfinished.failure.why);
            unfinished.failure.why = SafeText::line(&why);
            unfinished.into()
        }
        Ok(unfinished) => unfinished.into(),
        Err(error) => error,
    }
}

fn delete(session: &Session, arguments: &WebhookDeleteArguments) -> Result<()> {
    let common = &arguments.common;
    let key = WriteKey::of(&arguments.key, "webhooks delete", common, &[&arguments.webhook]);
    let Some(key) = writing::claim_key(session, common, key)? else { return Ok(()) };
    let id = WebhookId::from(arguments.webhook.as_str());
    for channel in session.unmirrored_channels(common.channel.as_deref())? {
        if is_skipped(session, common, &channel)? {
            continue;
        }
        let all = read_webhooks(session, &channel)?;
        if let Some(found) = all.into_iter().find(|webhook| webhook.id == id) {
            let answer = Answer::new("removed", &found.url)
                .with_field("webhook", id.as_str())
                .with_field("url", found.url.as_str());
            let operation = Operation::RemoveWebhook { webhook: id, url: found.url };
            let outcome = writing::run_operation(
                session,
                &channel,
                operation,
                Attachments::default(),
                (&answer, &key),
            )?;
            return writing::print_outcome(session, &channel, common, &answer, &outcome);
        }
    }
    let words = format!("there is no webhook {id}; `frontdesk webhooks list` shows them");
    Err(CommandRefusal::not_found(words).into())
}

pub fn events(session: &Session, arguments: &ReadArguments) -> Result<()> {
    let mut items = Vec::new();
    let channels = session.unmirrored_channels(arguments.common.channel.as_deref())?;
    let gathered = session.for_each_channel(channels, |channel| {
        let name = &channel.spec().name;
        session.platform(channel)?;
        let FetchResult::Events(told) = session.fetch(channel, "could not read events", &Fetch::Events)?
        else {
            return Ok(());
        };
        for event in told.items {
            if arguments.common.json {
                items.push(event_json(name, &event));
            } else {
                let at = event.at.map_or_else(|| "-".to_owned(), |at| at.to_string());
                let phone = event.phone.as_deref().unwrap_or("-");
                let conversation = event.conversation.as_ref().map_or("-", ConversationId::as_str);
                print::line(&print::columns(&[
                    &at,
                    name,
                    event.trigger.label(),
                    phone,
                    conversation,
                    event.title.as_str(),
                ]))?;
            }
        }
        Ok(())
    });
    print::list(arguments.common.json, items, gathered)
}

fn event_json(channel: &str, event: &TriggerEvent) -> Value {
    let fields: serde_json::Map<String, Value> =
        event.fields.iter().map(|(name, value)| (name.to_string(), value.as_str().into())).collect();
    json!({
        "channel": channel, "trigger": event.trigger.label(), "id": event.id, "at": event.at.map(|at| at.to_string()),
        "title": event.title.as_str(), "phone": event.phone,
        "conversation": event.conversation.as_ref().map(|conversation| conversation.as_str()), "fields": fields,
    })
}

pub fn templates(session: &Session, arguments: &ReadArguments) -> Result<()> {
    let mut items = Vec::new();
    let channels = session.unmirrored_channels(arguments.common.channel.as_deref())?;
    let gathered = session.for_each_channel(channels, |channel| {
        let name = &channel.spec().name;
        if !session.platform(channel)?.has_contacts() {
            return Ok(());
        }
        session.read(channel, "could not read templates", async || channel.pull_templates().await)?;
        for template in session.reader.templates(&channel.spec().id)?.all {
            if arguments.common.json {
                let components: Value = serde_json::from_str(&template.raw).unwrap_or(Value::Null);
                items.push(json!({"channel": name, "name": template.name, "language": template.language,
                    "category": template.category, "status": "APPROVED", "components": components}));
            } else {
                let slots: Vec<String> = template.slots().into_iter().map(|slot| slot.label).collect();
                let slots = slots.join(",");
                let columns = [template.name.as_str(), &template.language, &template.category, name, &slots];
                print::line(&print::columns(&columns))?;
            }
        }
        Ok(())
    });
    print::list(arguments.common.json, items, gathered)
}

/// The switches of `submit-template`.
#[derive(Debug, Args)]
pub struct SubmitTemplateArguments {
    /// Name of the template: lower-case letters, digits and underscores.
    pub name: String,
    /// Language code, such as en or pt_BR.
    pub language: String,
    /// Text of a template that has no other parts and no variables.
    #[arg(required_unless_present = "components", conflicts_with = "components")]
    pub text: Option<String>,
    /// File with the components as a JSON list; - reads standard input.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub components: Option<String>,
    /// Category: utility, marketing or authentication.
    #[arg(long, value_name = "CATEGORY", default_value = "utility", value_parser = template_category)]
    pub category: NewTemplateCategory,
    #[command(flatten)]
    pub key: KeyArgument,
    #[command(flatten)]
    pub common: Common,
}

fn template_category(text: &str) -> Result<NewTemplateCategory, String> {
    NewTemplateCategory::from_word(text)
        .ok_or_else(|| format!("{text:?} is none of {}", NewTemplateCategory::WORDS.join(", ")))
}

impl SubmitTemplateArguments {
    fn template(&self) -> Result<NewTemplate> {
        let (name, language, category) = (self.name.clone(), self.language.clone(), self.category);
        let template = match (&self.text, &self.components) {
            (Some(text), _) => NewTemplate::of_text(&name, &language, category, text),
            (None, path) => {
                let path = path.as_deref().unwrap_or("-");
                let read = match path {
                    "-" => std::io::read_to_string(std::io::stdin()),
                    path => disk::read_text(Path::new(path)),
                };
                let text = read.with_context(|| format!("could not read {path}"))?;
                NewTemplate { name, language, category, components: Json(text) }
            }
        };
        match template.problem() {
            Some(problem) => Err(UsageError(problem.to_owned()).into()),
            None => Ok(template),
        }
    }
}

pub fn submit_template(session: &Session, arguments: &SubmitTemplateArguments) -> Result<()> {
    let common = &arguments.common;
    let template = arguments.template()?;
    let wish = [template.name.as_str(), &template.language, template.category.word(), &template.components.0];
    let key = WriteKey::of(&arguments.key, "submit-template", common, &wish);
    let Some(key) = writing::claim_key(session, common, key)? else { return Ok(()) };
    let channel =
        channel_selection::resolve_channel(session, common, "business chat", Platform::has_contacts)?;
    let answer = Answer::new("submitted", &format!("{} ({})", template.name, template.language))
        .with_field("template", template.name.as_str())
        .with_field("language", template.language.as_str());
    let operation = Operation::SubmitTemplate(Box::new(template));
    let outcome =
        writing::run_operation(session, &channel, operation, Attachments::default(), (&answer, &key))?;
    writing::print_outcome(session, &channel, common, &answer, &outcome)
}

pub fn account(session: &Session, arguments: &ReadArguments) -> Result<()> {
    let mut items = Vec::new();
    let channels = session.channels(arguments.common.channel.as_deref())?;
    let gathered = session.for_each_channel(channels, |channel| {
        let name = &channel.spec().name;
        session.read(channel, "could not read the account", async || channel.pull_account().await)?;
        let account = session.runtime.block_on(session.store().account(&channel.spec().id))?;
        let account = account.with_context(|| format!("{name}: the server gave no account"))?;
        let text = |text: &Option<SafeText>| text.as_ref().map(ToString::to_string);
        if arguments.common.json {
            items.push(json!({
                "channel": name, "id": account.id, "platform": account.platform.word(),
                "environment": account.environment.word(), "workspace": text(&account.workspace_name),
                "assistant": text(&account.assistant_name), "number": text(&account.number),
                "credits": account.credits, "messagingTier": text(&account.messaging_tier),
                "qualityRating": text(&account.quality_rating),
            }));
        } else {
            let none = || "-".to_owned();
            let columns = [
                name.clone(),
                account.platform.label().to_owned(),
                account.environment.label().to_owned(),
                print::count(prices::format_balance(account.credits), "credit"),
                text(&account.number).unwrap_or_else(none),
                text(&account.messaging_tier).unwrap_or_else(none),
                text(&account.quality_rating).unwrap_or_else(none),
            ];
            print::line(&print::columns(&columns))?;
        }
        Ok(())
    });
    print::list(arguments.common.json, items, gathered)
}
