//! `admin template`: manages templates, which may be sent outside the service window.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

use crate::cli::admin::read_file;
use crate::cli::print;
use crate::shell::clock::SystemClock;
use model::time::Clock;
use platforms::Template;
use service::admin::Admin;

/// What can be done with templates.
#[derive(Debug, Subcommand)]
pub enum TemplateAction {
    /// List all templates, approved or not.
    List,
    /// Add a template, or replace the one with its name and language.
    Put(PutArguments),
    /// Remove a template.
    Remove {
        /// Name.
        name: String,
        /// Language code, such as en or pt_BR.
        language: String,
    },
}

/// A template, as the command line gives it.
#[derive(Debug, Args)]
pub struct PutArguments {
    /// Name.
    name: String,
    /// Language code, such as en or pt_BR.
    language: String,
    /// File with the components as a JSON list; - reads standard input.
    components: PathBuf,
    /// Category.
    #[arg(long, value_enum, default_value = "utility")]
    category: TemplateCategory,
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
        TemplateAction::List => list(admin, json).await,
        TemplateAction::Put(arguments) => {
            let components = read(&arguments.components)?;
            let upper = |value: Option<clap::builder::PossibleValue>| {
                value.map(|possible_value| possible_value.get_name().to_uppercase()).unwrap_or_default()
            };
            let template = Template {
                name: arguments.name,
                language: arguments.language,
                category: upper(arguments.category.to_possible_value()),
                status: upper(arguments.status.to_possible_value()),
                components,
            };
            let Template { name, language, status, .. } = &template;
            let item = json!({"name": name, "language": language, "status": status});
            let told = format!("{name}\t{language}\t{status}");
            admin.put_template(template, SystemClock.now()).await.context("could not store the template")?;
            if json { print::json(&item) } else { print::line(&told) }
        }
        TemplateAction::Remove { name, language } => {
            admin
                .remove_template(&name, &language, SystemClock.now())
                .await
                .context("could not remove the template")?;
            if json {
                return print::json(&json!({"name": name, "language": language, "removed": true}));
            }
            print::line(&format!("{name}\t{language}\tremoved"))
        }
    }
}

fn read(path: &Path) -> Result<String> {
    if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("could not read standard input")?;
        return Ok(text);
    }
    read_file(path)
}

async fn list(admin: &Admin, json: bool) -> Result<()> {
    let templates = admin.templates().await.context("could not list the templates")?;
    if json {
        let items: Vec<_> = templates
            .iter()
            .map(|template| {
                let components: Value = serde_json::from_str(&template.components).unwrap_or(Value::Null);
                json!({
                    "name": template.name, "language": template.language, "category": template.category,
                    "status": template.status, "components": components,
                })
            })
            .collect();
        return print::json(&Value::Array(items));
    }
    for it in templates {
        print::line(&format!("{}\t{}\t{}\t{}", it.name, it.language, it.category, it.status))?;
    }
    Ok(())
}
