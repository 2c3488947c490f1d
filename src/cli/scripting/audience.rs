//! Recipients of a broadcast, from a file or a switch: contact ids, and phone numbers looked up on the
//! server.
//!
//! An empty audience and everyone are distinct values that no code path mixes.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Read;

use anyhow::{Context, Result, anyhow, bail};

use crate::cli::CliError;
use crate::cli::print;
use crate::cli::scripting::Session;
use crate::cli::unfinished::CommandRefusal;
use model::bounds;
use model::ids::ContactId;
use model::waves::audience::{AudienceLine, describe_invalid_line, parse_lines};
use model::waves::{CampaignAudience, FrozenContacts};
use sync::ChannelSync;

const MAX_REPORTED_LINES: usize = 5;
/// Maximum numbers looked up one by one; above it the list of contacts is read, which needs fewer requests.
const MAX_SINGLE_LOOKUPS: usize = 20;
/// Numbers between two lines of progress.
const PROGRESS_STEP: usize = 100;

#[derive(Debug)]
pub struct Recipients {
    pub aim: CampaignAudience,
    /// Lines that repeat a recipient.
    pub doubled: usize,
    /// Recipients who want no marketing messages.
    pub no_marketing: usize,
}

/// Contacts with a number, as read from the server.
#[derive(Debug, Default)]
struct NumberedContacts {
    by_number: BTreeMap<String, ContactId>,
    /// Those who want no marketing messages.
    no_marketing: HashSet<ContactId>,
}

impl NumberedContacts {
    fn add(&mut self, number: &str, id: ContactId, tags: &[String]) {
        if wants_no_marketing(tags) {
            self.no_marketing.insert(id.clone());
        }
        self.by_number.insert(number.to_owned(), id);
    }
}

fn wants_no_marketing(tags: &[String]) -> bool {
    tags.iter().any(|tag| tag == bounds::NO_MARKETING_TAG)
}

/// Recipients named in a file's text.
///
/// # Errors
/// When there are none or more than `most`, or a number has no contact.
pub fn parse_recipients(
    session: &Session,
    channel: &ChannelSync,
    (path, text): (&str, &str),
    most: usize,
) -> Result<Recipients, CliError> {
    let lines = parse_lines(text);
    if lines.is_empty() {
        return Err(CliError::Usage(format!(
            "{path} has no recipients: write one contact id or phone number per line"
        )));
    }
    let phones: BTreeSet<&str> = lines
        .iter()
        .filter_map(|(_, wanted)| match wanted {
            AudienceLine::Phone(phone) if bounds::is_e164(phone) => Some(phone.as_str()),
            _ => None,
        })
        .collect();
    let NumberedContacts { by_number, mut no_marketing } = find_contacts(session, channel, &phones)?;
    let stored = session.reader.contacts_without_marketing(&channel.spec().id);
    let stored = stored.context("could not read this desk's files")?;
    let (mut ids, mut wrong) = (Vec::new(), Vec::new());
    for (line, wanted) in &lines {
        let found = match wanted {
            AudienceLine::Contact(id) => {
                no_marketing.extend(stored.get(id).cloned());
                Ok(id.clone())
            }
            AudienceLine::Invalid(word) => Err(format!("line {line}: {}", describe_invalid_line(word))),
            AudienceLine::Phone(phone) if !bounds::is_e164(phone) => {
                Err(format!("line {line}: {phone} is not a phone number in the form +34600111222"))
            }
            AudienceLine::Phone(phone) => by_number
                .get(phone)
                .cloned()
                .ok_or_else(|| format!("line {line}: no contact has the number {phone}")),
        };
        match found {
            Ok(id) => ids.push(id),
            Err(why) => wrong.push(why),
        }
    }
    if !wrong.is_empty() {
        let more = wrong.len().saturating_sub(MAX_REPORTED_LINES);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        let told = wrong.iter().take(MAX_REPORTED_LINES).cloned().collect::<Vec<_>>().join("; ");
        return Err(anyhow!("{path}: {told}{more}; nothing was sent").into());
    }
    let Some((frozen, doubled)) = FrozenContacts::from_ids(ids) else {
        return Err(CliError::Usage(format!("{path} has no recipients")));
    };
    let count = frozen.ids().len();
    if count > most {
        return Err(CliError::Usage(format!(
            "{path} has {count} recipients, but one broadcast has at most {most}: send it in waves with --waves \
             10,{most}"
        )));
    }
    let no_marketing = frozen.ids().iter().filter(|id| no_marketing.contains(*id)).count();
    Ok(Recipients { aim: CampaignAudience::Contacts(frozen), doubled, no_marketing })
}

/// Finds the contacts of these numbers. Waits for the rate limit however many there are: the command's time
/// limit restarts with each answer, and progress is written to standard error.
fn find_contacts(
    session: &Session,
    channel: &ChannelSync,
    phones: &BTreeSet<&str>,
) -> Result<NumberedContacts> {
    let mut found = NumberedContacts::default();
    if phones.len() > MAX_SINGLE_LOOKUPS {
        search_contact_list(session, channel, phones, &mut found)?;
    }
    let is_left = |phone: &&str| !found.by_number.contains_key(*phone);
    let left: Vec<&str> = phones.iter().copied().filter(is_left).collect();
    for (done, phone) in left.iter().enumerate() {
        let progress = format!("looked up {done} of {} numbers", left.len());
        if done > 0 && done % PROGRESS_STEP == 0 {
            print::print_progress(&progress)?;
        }
        session.set_progress_text(&progress);
        session.restart_timeout();
        let contact = session.ask(channel, "could not look up a contact", async || {
            channel.client.contact_by_phone(phone).await
        })?;
        if let Some(contact) = contact
            && let Some(id) = contact.id
        {
            found.add(phone, id, &contact.tags);
        }
    }
    session.restart_timeout();
    session.set_progress_text("all numbers were looked up");
    Ok(found)
}

/// Reads the list of contacts until all numbers are found or it ends, at most one page a number.
fn search_contact_list(
    session: &Session,
    channel: &ChannelSync,
    phones: &BTreeSet<&str>,
    found: &mut NumberedContacts,
) -> Result<()> {
    let mut cursor = None;
    for _ in 0..phones.len() {
        session.restart_timeout();
        let progress = format!("found {} of {} numbers", found.by_number.len(), phones.len());
        session.set_progress_text(&progress);
        let page = session.ask(channel, "could not read the contacts", async || {
            channel.client.contacts(None, cursor.as_deref()).await
        })?;
        for contact in page.items {
            if let Some(phone) = contact.phone
                && phones.contains(phone.as_str())
            {
                found.add(&phone, ContactId::from(contact.id.as_str()), &contact.tags);
            }
        }
        if found.by_number.len() == phones.len() || page.next_cursor.is_none() {
            break;
        }
        cursor = page.next_cursor;
    }
    Ok(())
}

/// All contacts of the workspace, counted page by page.
pub fn count_everyone(session: &Session, channel: &ChannelSync) -> Result<Recipients> {
    let (mut count, mut no_marketing) = (0, 0);
    let (mut cursor, mut pages) = (None, BTreeSet::new());
    loop {
        let page = session.ask(channel, "could not count the contacts", async || {
            channel.client.contacts(None, cursor.as_deref()).await
        })?;
        count += page.items.len();
        no_marketing += page.items.iter().filter(|contact| wants_no_marketing(&contact.tags)).count();
        match page.next_cursor {
            Some(next) if pages.insert(next.clone()) => cursor = Some(next),
            Some(_) => bail!("could not count the contacts: the server's pages repeat"),
            None => {
                return Ok(Recipients { aim: CampaignAudience::Everyone(count), doubled: 0, no_marketing });
            }
        }
    }
}

/// Reads a recipients file; `-` is standard input.
pub fn read(path: &str) -> Result<String> {
    if path != "-" {
        let read = std::fs::read_to_string(path);
        return read.map_err(|why| CommandRefusal::unreadable(path, format!("could not read {path}: {why}")));
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("could not read contacts from standard input")?;
    Ok(text)
}
