//! `admin template`: manages templates, which may be sent outside the service window.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

use crate::cli::admin::read_file;
use crate::cli::print;
use crate::shell::clock::SystemClock;
use model::templates::explain_rejection;
use model::time::Clock;
use platforms::Template;
use platforms::whatsapp::SubmittedTemplate;
use service::admin::{Admin, ChannelChoice};
use service::carriers::dashboard::TemplateRemoval;

/// What can be done with templates.
#[derive(Debug, Subcommand)]
pub enum TemplateAction {
    /// List all templates, approved or not.
    List(TemplateChannel),
    /// Store a template in this service alone, or replace the one with its name and language. The templates
    /// of a connected number are those of its platform; see `submit`.
    Put(PutArguments),
    /// Submit a template of a connected number to its platform for review.
    Submit(TemplateContent),
    /// Remove a template in one language. On a connected number it is deleted at the platform, too, for all
    /// numbers of the account.
    Remove {
        /// Name of the template.
        name: String,
        /// Language code, such as en or pt_BR.
        language: String,
        #[command(flatten)]
        channel: TemplateChannel,
    },
}

/// The channel that templates belong to.
#[derive(Debug, Args)]
pub struct TemplateChannel {
    /// Channel of the templates: whatsapp, or the name of a further number.
    #[arg(long, value_name = "CHANNEL", default_value = "whatsapp")]
    channel: ChannelChoice,
}

/// A template, as the command line gives it.
#[derive(Debug, Args)]
pub struct TemplateContent {
    /// Name of the template.
    name: String,
    /// Language code, such as en or pt_BR.
    language: String,
    /// File with the components as a JSON list; - reads standard input.
    components: PathBuf,
    /// Category.
    #[arg(long, value_enum, default_value = "utility")]
    category: TemplateCategory,
    #[command(flatten)]
    channel: TemplateChannel,
}

/// A template with its status.
#[derive(Debug, Args)]
pub struct PutArguments {
    #[command(flatten)]
    content: TemplateContent,
    /// Status; only approved templates are offered and sent.
    #[arg(long, value_enum, default_value = "approved")]
    status: TemplateApproval,
}

/// A template's category.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum TemplateCategory {
    /// Follows up on something the customer did.
    Utility,
    /// Advertising.
    Marketing,
    /// One-time codes.
    Authentication,
}

/// How far a template's approval has come.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum TemplateApproval {
    /// Can be sent.
    Approved,
    /// In review.
    Pending,
    /// Cannot be sent.
    Rejected,
}

pub async fn run(admin: &Admin, action: TemplateAction, json: bool) -> Result<()> {
    match action {
        TemplateAction::List(of) => list(admin, of.channel, json).await,
        TemplateAction::Put(arguments) => {
            let (channel, template) = arguments.content.read(word(arguments.status))?;
            let Template { name, language, status, .. } = &template;
            let item = json!({"name": name, "language": language, "status": status});
            let told = print::columns(&[name, language, status]);
            let put = admin.put_template(channel, template, SystemClock.now());
            put.await.context("could not store the template")?;
            if json { print::json(&item) } else { print::line(&told) }
        }
        TemplateAction::Submit(content) => submit(admin, content, json).await,
        TemplateAction::Remove { name, language, channel } => {
            let removed = admin.remove_template(channel.channel, (&name, &language), SystemClock.now());
            let removed = removed.await.context("could not remove the template")?;
            let is_at_platform = removed == TemplateRemoval::Platform;
            if json {
                return print::json(&json!({
                    "name": name, "language": language, "removed": true, "atPlatform": is_at_platform,
                }));
            }
            let place = if is_at_platform { "removed, also at the platform" } else { "removed" };
            print::line(&print::columns(&[name.as_str(), &language, place]))
        }
    }
}

async fn submit(admin: &Admin, content: TemplateContent, json: bool) -> Result<()> {
    let (channel, template) = content.read(String::new())?;
    let submitted = admin.submit_template(channel, template, SystemClock.now());
    let SubmittedTemplate { id, template } = submitted.await.context("could not submit the template")?;
    let Template { name, language, category, status, .. } = &template;
    if json {
        return print::json(&json!({
            "id": id, "name": name, "language": language, "category": category, "status": status,
        }));
    }
    print::line(&print::columns(&[name, language, category, status]))
}

impl TemplateContent {
    /// Reads the components; returns the channel and the template.
    fn read(self, status: String) -> Result<(ChannelChoice, Template)> {
        let template = Template {
            name: self.name,
            language: self.language,
            category: word(self.category),
            status,
            components: read(&self.components)?,
            reason: None,
        };
        Ok((self.channel.channel, template))
    }
}

/// Word of the platform for a value of the command line.
fn word(value: impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_uppercase()).unwrap_or_default()
}

fn read(path: &Path) -> Result<String> {
    if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("could not read standard input")?;
        return Ok(text);
    }
    read_file(path)
}

async fn list(admin: &Admin, channel: ChannelChoice, json: bool) -> Result<()> {
    let templates = admin.templates(channel).await.context("could not list the templates")?;
    if json {
        let items: Vec<_> = templates
            .iter()
            .map(|template| {
                let components: Value = serde_json::from_str(&template.components).unwrap_or(Value::Null);
                json!({
                    "name": template.name, "language": template.language, "category": template.category,
                    "status": template.status, "reason": template.reason, "components": components,
                })
            })
            .collect();
        return print::json(&Value::Array(items));
    }
    print::empty(templates.is_empty(), "templates");
    for template in templates {
        let Template { name, language, category, status, reason, .. } = &template;
        let reason = reason.as_deref().map(explain_rejection);
        let columns = [name, language, category, status].into_iter().chain(&reason);
        print::line(&print::columns(&columns.map(String::as_str).collect::<Vec<_>>()))?;
    }
    Ok(())
}
