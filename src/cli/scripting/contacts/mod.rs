//! `contacts`: lists, shows, changes, deletes and imports contacts of a WhatsApp channel. Changes are queued
//! in the outbox and awaited until the server confirms.

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::cli::scripting::writing::{self, Answer, KeyArgument, WriteKey};
use crate::cli::scripting::{Common, Session, channel_selection};
use crate::cli::unfinished::CommandRefusal;
use crate::cli::{CliError, UsageError, print};
use client::Attachments;
use model::account::Platform;
use model::contacts::{ContactChange, PeopleQuery, Person, PersonDetail, server_search_text};
use model::fetches::Fetch;
use model::json as mind_json;
use model::outbox::Operation;
use model::outbox::content::Json;
use model::phones;
use sync::ChannelSync;

mod importing;

pub use importing::{ContactImportArguments, dry_run};

/// The commands about contacts.
#[derive(Debug, Subcommand)]
pub enum ContactsAction {
    /// List contacts, newest activity first.
    List(ContactListArguments),
    /// Show one contact.
    Show(ContactArguments),
    /// Create a contact; a contact that already has the number is changed.
    Create(ContactEditArguments),
    /// Edit a contact; fields that are not given stay as they are.
    Edit(ContactEditArguments),
    /// Delete a contact and its conversation history.
    Delete(ContactDeleteArguments),
    /// Import contacts from a CSV file; continues where it was interrupted.
    Import(ContactImportArguments),
}

/// The switches of `contacts list`.
#[derive(Debug, Args)]
pub struct ContactListArguments {
    /// Only contacts whose name or number matches, as the server searches.
    #[arg(long, value_name = "WORDS")]
    pub search: Option<String>,
    /// Maximum number.
    #[arg(long, default_value_t = 100, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub limit: u32,
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `contacts show`.
#[derive(Debug, Args)]
pub struct ContactArguments {
    /// Phone number with + and the country code.
    pub phone: String,
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `contacts create` and `contacts edit`.
#[derive(Debug, Args)]
pub struct ContactEditArguments {
    /// Phone number with + and the country code.
    pub phone: String,
    /// Name; empty removes it.
    #[arg(long)]
    pub name: Option<String>,
    /// Mail address; empty removes it.
    #[arg(long)]
    pub email: Option<String>,
    /// Add this tag; may be given several times.
    #[arg(long = "tag", value_name = "TAG")]
    pub add: Vec<String>,
    /// Remove this tag; may be given several times.
    #[arg(long = "untag", value_name = "TAG")]
    pub remove: Vec<String>,
    /// Set this metadata: `name=text`, or `name:=JSON`; may be given several times.
    #[arg(long = "set", value_name = "NAME=TEXT")]
    pub set: Vec<String>,
    /// Remove this metadata; may be given several times.
    #[arg(long = "unset", value_name = "NAME")]
    pub unset: Vec<String>,
    #[command(flatten)]
    pub key: KeyArgument,
    #[command(flatten)]
    pub common: Common,
}

/// The switches of `contacts delete`.
#[derive(Debug, Args)]
pub struct ContactDeleteArguments {
    /// Phone number with + and the country code.
    pub phone: String,
    /// Last four digits of the number, as confirmation.
    #[arg(long, value_name = "DIGITS")]
    pub confirm: String,
    #[command(flatten)]
    pub key: KeyArgument,
    #[command(flatten)]
    pub common: Common,
}

pub fn common(action: &ContactsAction) -> &Common {
    match action {
        ContactsAction::List(arguments) => &arguments.common,
        ContactsAction::Show(arguments) => &arguments.common,
        ContactsAction::Create(arguments) | ContactsAction::Edit(arguments) => &arguments.common,
        ContactsAction::Delete(arguments) => &arguments.common,
        ContactsAction::Import(arguments) => &arguments.common,
    }
}

/// Arguments of a dry run, which needs neither server nor configuration.
pub fn dry_run_arguments(action: &ContactsAction) -> Option<&ContactImportArguments> {
    match action {
        ContactsAction::Import(arguments) if arguments.dry_run => Some(arguments),
        _ => None,
    }
}

pub fn run(session: &Session, action: &ContactsAction) -> Result<(), CliError> {
    let channel =
        channel_selection::resolve_channel(session, common(action), "business chat", Platform::has_contacts)?;
    Ok(match action {
        ContactsAction::List(arguments) => list(session, &channel, arguments),
        ContactsAction::Show(arguments) => show(session, &channel, arguments),
        ContactsAction::Create(arguments) => change(session, &channel, arguments, true),
        ContactsAction::Edit(arguments) => change(session, &channel, arguments, false),
        ContactsAction::Delete(arguments) => return delete(session, &channel, arguments),
        ContactsAction::Import(arguments) => importing::run(session, &channel, arguments),
    }?)
}

fn list(session: &Session, channel: &ChannelSync, arguments: &ContactListArguments) -> Result<()> {
    let search = arguments.search.clone().unwrap_or_default();
    let query =
        PeopleQuery { channel: channel.spec().id.clone(), text: search.clone(), limit: arguments.limit };
    let mut more = false;
    loop {
        let fetch = Fetch::People { search: server_search_text(&search), more };
        let read = session.read(channel, "could not read contacts", async || channel.fetch(&fetch).await);
        let page = session.reader.people(&query)?;
        if let Err(error) = read {
            if more || channel.has_people_broken_off() {
                print_people(&page.people, arguments.common.json, false)?;
            }
            return Err(error);
        }
        if page.people.len() as u64 >= u64::from(arguments.limit) || !channel.has_more_people() {
            return print_people(&page.people, arguments.common.json, true);
        }
        more = true;
    }
}

fn print_people(people: &[Person], json: bool, is_whole: bool) -> Result<()> {
    if json {
        let marked = |item| if is_whole { item } else { print::mark_incomplete(item) };
        let all: Vec<Value> = people.iter().map(person_json).map(marked).collect();
        return print::json(&Value::Array(all));
    }
    people.iter().try_for_each(|person| {
        let tags: Vec<&str> = person.contact.tags.iter().map(|tag| tag.as_str()).collect();
        let email = person.contact.email.as_ref().map_or("-", |email| email.as_str());
        let name = person.contact.name.as_ref().map_or("-", |name| name.as_str());
        print::line(&print::columns(&[person.phone.as_str(), name, email, &tags.join(",")]))
    })
}

fn person_json(person: &Person) -> Value {
    let metadata: serde_json::Map<String, Value> = person
        .contact
        .metadata
        .iter()
        .map(|(name, value)| (name.to_string(), value.as_str().into()))
        .collect();
    json!({
        "id": person.contact.id.as_ref().map(|contact_id| contact_id.as_str()),
        "phone": person.phone,
        "name": person.contact.name.as_ref().map(|name| name.as_str()),
        "email": person.contact.email.as_ref().map(|email| email.as_str()),
        "tags": person.contact.tags.iter().map(|tag| tag.as_str()).collect::<Vec<_>>(),
        "metadata": metadata,
        "conversation": person.conversation.as_ref().map(|conversation| conversation.as_str()),
        "lastMessageAt": person.last_at.map(|time| time.to_string()),
    })
}

/// Reads one contact from the server.
fn read(session: &Session, channel: &ChannelSync, phone: &str) -> Result<Option<PersonDetail>> {
    let fetch = Fetch::Person { phone: phone.to_owned() };
    session.read(channel, "could not read the contact", async || channel.fetch(&fetch).await)?;
    Ok(session.reader.person(&channel.spec().id, phone)?)
}

fn show(session: &Session, channel: &ChannelSync, arguments: &ContactArguments) -> Result<()> {
    let phone = phones::strip_separators(&arguments.phone);
    let found = read(session, channel, &phone)?.ok_or_else(|| not_found(&phone))?;
    if arguments.common.json {
        return print::json(&detail_json(&found));
    }
    let told = [("phone", &found.phone), ("name", &found.name), ("email", &found.email)];
    told.iter().try_for_each(|(what, text)| print::line(&print::columns(&[what, text.as_str()])))?;
    print::line(&print::columns(&["tags", &found.tags.join(",")]))?;
    found.fields.iter().try_for_each(|field| print::line(&print::columns(&[&field.name, &field.text])))
}

fn detail_json(found: &PersonDetail) -> Value {
    let value = |metadata_field: &model::contacts::MetadataField| match metadata_field.is_text {
        true => Value::String(metadata_field.text.clone()),
        false => serde_json::from_str(&metadata_field.text).unwrap_or(Value::Null),
    };
    let metadata: serde_json::Map<String, Value> =
        found.fields.iter().map(|field| (field.name.clone(), value(field))).collect();
    json!({
        "id": found.id.as_ref().map(|contact_id| contact_id.as_str()), "phone": found.phone, "name": found.name,
        "email": found.email, "tags": found.tags, "metadata": metadata,
        "conversation": found.conversation.as_ref().map(|conversation| conversation.as_str()),
    })
}

fn change(
    session: &Session,
    channel: &ChannelSync,
    arguments: &ContactEditArguments,
    create: bool,
) -> Result<()> {
    let phone = phones::strip_separators(&arguments.phone);
    let common = &arguments.common;
    let Some(key) = writing::claim_key(session, common, arguments.key(&phone, create))? else {
        return Ok(());
    };
    let pair = |text: &String| {
        let written = text.split_once('=');
        let (name, value) = written.ok_or_else(|| UsageError(format!("--set {text:?}: write name=text")))?;
        let json = match name.strip_suffix(':') {
            Some(name) if mind_json::is_value(value) => (name.to_owned(), Json(value.to_owned())),
            Some(name) => return Err(UsageError(format!("--set {name}:= needs JSON, not {value:?}"))),
            None => (name.to_owned(), Json(mind_json::quote(value))),
        };
        Ok(json)
    };
    let change = ContactChange {
        phone: phone.clone(),
        name: arguments.name.clone(),
        email: arguments.email.clone(),
        add: arguments.add.clone(),
        remove: arguments.remove.clone(),
        set: arguments.set.iter().map(pair).collect::<Result<_, UsageError>>()?,
        unset: arguments.unset.clone(),
    };
    if !create {
        if change.is_empty() {
            let told = "nothing to change; give --name, --email, --tag, --untag, --set or --unset";
            return Err(UsageError(told.to_owned()).into());
        }
        read(session, channel, &phone)?.ok_or_else(|| not_found(&phone))?;
    }
    let answer = Answer::new("saved", &phone).with_field("phone", phone.as_str());
    let operation = Operation::ChangeContact(Box::new(change));
    let outcome =
        writing::run_operation(session, channel, operation, Attachments::default(), (&answer, &key))?;
    writing::print_outcome(session, channel, common, &answer, &outcome)
}

impl ContactEditArguments {
    fn key(&self, phone: &str, create: bool) -> WriteKey {
        let command = if create { "contacts create" } else { "contacts edit" };
        let Self { name, email, add, remove, set, unset, .. } = self;
        let change = format!("{name:?} {email:?} {add:?} {remove:?} {set:?} {unset:?}");
        WriteKey::of(&self.key, command, &self.common, &[phone, &change])
    }
}

fn not_found(phone: &str) -> CommandRefusal {
    CommandRefusal::not_found(format!("no contact has the number {phone}"))
}

fn delete(
    session: &Session,
    channel: &ChannelSync,
    arguments: &ContactDeleteArguments,
) -> Result<(), CliError> {
    let phone = phones::strip_separators(&arguments.phone);
    if phone.len() < 4 || !phone.ends_with(&arguments.confirm) || arguments.confirm.len() != 4 {
        return Err(CliError::Usage(
            "deleting a contact also deletes its conversation: confirm with --confirm and the last four digits of \
             the number"
                .to_owned(),
        ));
    }
    let common = &arguments.common;
    let key = WriteKey::of(&arguments.key, "contacts delete", common, &[&phone]);
    let Some(key) = writing::claim_key(session, common, key)? else { return Ok(()) };
    let found = read(session, channel, &phone)?.ok_or_else(|| anyhow::Error::from(not_found(&phone)))?;
    let contact = found.id.context("the server gave no id for this contact")?;
    let answer = Answer::new("deleted", &phone).with_field("phone", phone.as_str());
    let operation = Operation::DeleteContact { contact, phone };
    let outcome =
        writing::run_operation(session, channel, operation, Attachments::default(), (&answer, &key))?;
    Ok(writing::print_outcome(session, channel, common, &answer, &outcome)?)
}

pub(super) fn writable(session: &Session, channel: &ChannelSync) -> Result<Platform> {
    writing::refuse_read_only(channel)?;
    session.platform(channel)
}
