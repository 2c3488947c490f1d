//! Whom a broadcast goes to, as a file or a switch says: ids of contacts, and
//! numbers that the server is asked about.
//!
//! Knows nothing of what is sent. Nobody is never everyone: the two have no
//! way in common.

use std::collections::BTreeSet;
use std::io::Read;

use anyhow::{Context, Result, anyhow, bail};

use crate::cli::CliError;
use crate::cli::scripting::Session;
use crate::model::bounds;
use crate::model::ids::ContactId;
use crate::model::outbox::content::Audience;
use crate::sync::Channel;

/// Lines of a file that are wrong, told at most.
const TOLD: usize = 5;

/// One line of an audience.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Wanted {
    /// A contact by its id.
    Contact(ContactId),
    /// Whoever has this number.
    Phone(String),
}

/// Whom it goes to, counted.
#[derive(Debug)]
pub struct Recipients {
    /// Whom.
    pub to: Audience,
    /// How many they are.
    pub count: usize,
    /// Lines that named somebody again.
    pub doubled: usize,
}

/// What stands in a file: one id or number a line; empty lines and what
/// follows a `#` say nothing.
fn read_lines(text: &str) -> Vec<(usize, Wanted)> {
    let lines = text.lines().enumerate().filter_map(|(at, line)| {
        let word = line.split('#').next().unwrap_or("").trim();
        let wanted = match word {
            "" => return None,
            phone if phone.starts_with('+') => {
                let number = phone.chars().filter(|it| !matches!(it, ' ' | '-' | '(' | ')' | '/'));
                Wanted::Phone(number.collect())
            }
            id => Wanted::Contact(ContactId::new(id)),
        };
        Some((at + 1, wanted))
    });
    lines.collect()
}

/// The people a file names; `-` is standard input.
///
/// # Errors
/// When it cannot be read, names nobody or too many, or a number nobody has.
pub fn of_file(session: &Session, channel: &Channel, path: &str) -> Result<Recipients, CliError> {
    let lines = read_lines(&read(path)?);
    if lines.is_empty() {
        return Err(CliError::Usage(format!("{path} names nobody: one contact id or phone number a line")));
    }
    let (mut ids, mut seen, mut wrong) = (Vec::new(), BTreeSet::new(), Vec::new());
    let total = lines.len();
    for (line, wanted) in lines {
        let found = match wanted {
            Wanted::Contact(id) => Ok(id),
            Wanted::Phone(phone) if !bounds::is_e164(&phone) => {
                Err(format!("line {line}: {phone} is no phone number"))
            }
            Wanted::Phone(phone) => session
                .ask("looking for a contact", async || channel.client.contact_with(&phone).await)?
                .and_then(|it| it.id)
                .ok_or_else(|| format!("line {line}: no contact has {phone}")),
        };
        match found {
            Ok(id) => {
                if seen.insert(id.clone()) {
                    ids.push(id);
                }
            }
            Err(why) => wrong.push(why),
        }
    }
    if !wrong.is_empty() {
        let more = wrong.len().saturating_sub(TOLD);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        let told = wrong.iter().take(TOLD).cloned().collect::<Vec<_>>().join("; ");
        return Err(anyhow!("{path}: {told}{more}; nothing was sent").into());
    }
    if ids.len() > bounds::BROADCAST_CONTACTS {
        let (count, most) = (ids.len(), bounds::BROADCAST_CONTACTS);
        return Err(CliError::Usage(format!(
            "{path} names {count} contacts; {most} are the most of one broadcast: send it in parts"
        )));
    }
    let count = ids.len();
    Ok(Recipients { to: Audience::Contacts(ids), count, doubled: total - count })
}

/// Every contact of the workspace, counted page by page.
///
/// # Errors
/// When the server does not tell.
pub fn everyone(session: &Session, channel: &Channel) -> Result<Recipients> {
    let (mut count, mut cursor, mut pages) = (0, None, BTreeSet::new());
    loop {
        let page = session
            .ask("counting the contacts", async || channel.client.contacts(None, cursor.as_deref()).await)?;
        count += page.items.len();
        match page.next_cursor {
            Some(next) if pages.insert(next.clone()) => cursor = Some(next),
            Some(_) => bail!("counting the contacts: the server's pages lead back to themselves"),
            None => return Ok(Recipients { to: Audience::Everyone, count, doubled: 0 }),
        }
    }
}

fn read(path: &str) -> Result<String> {
    if path != "-" {
        return std::fs::read_to_string(path).with_context(|| format!("reading {path}"));
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("reading contacts from standard input")?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_an_audience() {
        let text = "ct_1\n\n  +34 600-111 222  # Maria\n# nobody\nct_1\r\n";
        let expected = [
            (1, Wanted::Contact("ct_1".into())),
            (3, Wanted::Phone("+34600111222".to_owned())),
            (5, Wanted::Contact("ct_1".into())),
        ];
        assert_eq!(read_lines(text), expected);
        assert!(read_lines(" \n#\n").is_empty());
    }
}
