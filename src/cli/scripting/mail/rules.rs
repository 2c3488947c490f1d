//! `mail rules`: lists, creates, switches and removes mail rules. A running inbox or engine applies them.

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::cli::print;
use crate::cli::scripting::listings::ReadArguments;
use crate::cli::scripting::{Common, Session, channel_selection};
use crate::cli::unfinished::CommandRefusal;
use model::email::addresses;
use model::email::rules::{MailRule, RuleAction, RulesPage, RulesQuery, rule_address};
use model::ids::ChannelId;
use model::local::LocalChange;

/// The commands about rules.
#[derive(Debug, Subcommand)]
pub enum MailRulesAction {
    /// List the rules, with the number of threads each has acted on.
    List(ReadArguments),
    /// Add a rule for all new mail of an address.
    Add(MailRuleArguments),
    /// Turn a rule off or on.
    Switch(MailRuleSwitchArguments),
    /// Remove a rule; threads it acted on stay as they are.
    Remove(MailRuleArguments),
}

/// The switches of `mail rules add` and `remove`.
#[derive(Debug, Args)]
pub struct MailRuleArguments {
    /// Mail address of the sender.
    #[arg(value_name = "ADDRESS", value_parser = address)]
    pub sender: String,
    /// Action of the rule: archive, read, star, delete, spam, category:WORD or folder:NAME.
    #[arg(value_name = "ACTION", value_parser = action)]
    pub action: RuleAction,
    /// Common options.
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `mail rules switch`.
#[derive(Debug, Args)]
pub struct MailRuleSwitchArguments {
    /// Mail address of the sender.
    #[arg(value_name = "ADDRESS", value_parser = address)]
    pub sender: String,
    /// Action of the rule, as for `add`.
    #[arg(value_name = "ACTION", value_parser = action)]
    pub action: RuleAction,
    /// New state of the rule.
    #[arg(value_name = "on|off", value_parser = ["on", "off"])]
    pub state: String,
    /// Common options.
    #[command(flatten)]
    pub common: Common,
}

impl MailRulesAction {
    pub fn common(&self) -> &Common {
        match self {
            Self::List(arguments) => &arguments.common,
            Self::Add(arguments) | Self::Remove(arguments) => &arguments.common,
            Self::Switch(arguments) => &arguments.common,
        }
    }
}

fn address(text: &str) -> Result<String, String> {
    match addresses::parse_list(text).as_slice() {
        [addresses::TypedAddress::Address(address)] => Ok(rule_address(address)),
        _ => Err("not a mail address; a rule needs the address, not a name".to_owned()),
    }
}

fn action(text: &str) -> Result<RuleAction, String> {
    let known = "archive, read, star, delete, spam, category:WORD or folder:NAME";
    RuleAction::from_stored(text).ok_or_else(|| format!("use {known}"))
}

pub fn run(session: &Session, action: &MailRulesAction) -> Result<()> {
    let common = action.common();
    let channel = channel_selection::resolve_channel(session, common, "mail", super::is_mail)?;
    let id = &channel.spec().id;
    match action {
        MailRulesAction::List(_) => list(session, id, common),
        MailRulesAction::Add(arguments) => {
            let page = read(session, id, Some((arguments.sender.clone(), arguments.action.clone())))?;
            if page.rules.iter().any(|rule| rule.is_for(&arguments.sender, &arguments.action)) {
                bail!(
                    "this rule already exists: always {} {}",
                    arguments.action.describe(),
                    arguments.sender
                );
            }
            let now = session.now();
            let rule = MailRule {
                sender: arguments.sender.clone(),
                action: arguments.action.clone(),
                is_on: true,
                made_at: now,
                // Mail not read yet does not count as new.
                after: page.newest.max(now),
                applied_count: 0,
            };
            session.store().change_local(id, LocalChange::Rule(rule.clone(), true))?;
            let fits = page.threads.iter().filter(|thread| thread.1.is_none()).count();
            print_rule(common, "made", &rule, Some(fits))
        }
        MailRulesAction::Switch(arguments) => {
            let (rule, newest) = find(session, id, &arguments.sender, &arguments.action)?;
            let rule = MailRule { is_on: arguments.state == "on", after: rule.after.max(newest), ..rule };
            session.store().change_local(id, LocalChange::Rule(rule.clone(), true))?;
            print_rule(common, if rule.is_on { "switched on" } else { "switched off" }, &rule, None)
        }
        MailRulesAction::Remove(arguments) => {
            let (rule, _) = find(session, id, &arguments.sender, &arguments.action)?;
            session.store().change_local(id, LocalChange::Rule(rule.clone(), false))?;
            print_rule(common, "removed", &rule, None)
        }
    }
}

fn read(session: &Session, channel: &ChannelId, example: Option<(String, RuleAction)>) -> Result<RulesPage> {
    Ok(session.reader.rules(&RulesQuery { channel: channel.clone(), example, applied: None })?)
}

fn find(
    session: &Session,
    channel: &ChannelId,
    sender: &str,
    action: &RuleAction,
) -> Result<(MailRule, model::time::Timestamp)> {
    let page = read(session, channel, None)?;
    match page.rules.into_iter().find(|rule| rule.is_for(sender, action)) {
        Some(rule) => Ok((rule, page.newest)),
        None => {
            let words = action.describe();
            let words =
                format!("there is no rule: always {words} {sender}; `frontdesk mail rules list` lists them");
            Err(CommandRefusal::not_found(words).into())
        }
    }
}

fn rule_to_json(rule: &MailRule) -> Value {
    json!({"sender": rule.sender, "action": rule.action.as_stored(), "on": rule.is_on,
        "madeAt": rule.made_at.to_string(), "acted": rule.applied_count})
}

fn list(session: &Session, channel: &ChannelId, common: &Common) -> Result<()> {
    let rules = read(session, channel, None)?.rules;
    if common.json {
        return print::json(&Value::Array(rules.iter().map(rule_to_json).collect()));
    }
    print::empty(rules.is_empty(), "rules");
    for rule in rules {
        let is_on = if rule.is_on { "on" } else { "off" };
        let acted = rule.applied_count.to_string();
        print::line(&print::columns(&[is_on, &rule.sender, &rule.action.as_stored(), &acted]))?;
    }
    Ok(())
}

fn print_rule(common: &Common, done: &str, rule: &MailRule, fits: Option<usize>) -> Result<()> {
    if common.json {
        let mut all = json!({"ok": true, "done": done, "rule": rule_to_json(rule)});
        if let Some(fits) = fits {
            all["fitsNow"] = fits.into();
        }
        return print::json(&all);
    }
    let fits = match fits {
        None => String::new(),
        Some(1) => " (1 existing thread matches and stays as it is)".to_owned(),
        Some(count) => format!(" ({count} existing threads match and stay as they are)"),
    };
    print::line(&format!("{done}: always {} {}{fits}", rule.action.describe(), rule.sender))
}
