//! Resolves an audience to recipients from the stored contacts and conversations. An empty audience
//! never means everyone; for everyone only a count is returned, no ids.

use std::collections::HashSet;

use rusqlite::{Connection, params};

use crate::people::search_condition;
use crate::{Reader, StoreError};
use model::bounds::NO_MARKETING_TAG;
use model::contacts::PeopleQuery;
use model::ids::{CampaignId, ChannelId, ContactId};
use model::queries::ConversationKey;
use model::waves::audience::{AudienceLine, ResolvedAudience, describe_invalid_line};
use sqlite::{Queries, only_cell};

/// Maximum number of invalid lines reported.
const MAX_SHOWN_LINES: usize = 5;

struct AudienceBuilder {
    found: ResolvedAudience,
    seen: HashSet<ContactId>,
    named: HashSet<String>,
    /// Contacts with an open service window, as last read.
    open: HashSet<ContactId>,
    /// Contacts who want no marketing messages.
    no_marketing: HashSet<ContactId>,
}

/// SQL condition on the tags of a contact with alias `k`; they are a JSON list.
fn no_marketing_condition() -> String {
    format!("instr(k.tags, '\"{NO_MARKETING_TAG}\"') > 0")
}

fn contacts_without_marketing(
    connection: &Connection,
    channel: &ChannelId,
) -> Result<HashSet<ContactId>, StoreError> {
    let condition = no_marketing_condition();
    let sql = format!("SELECT k.id FROM contact k WHERE k.channel = ?1 AND k.id IS NOT NULL AND {condition}");
    Ok(connection.all(&sql, [channel], only_cell)?)
}

impl AudienceBuilder {
    fn new(connection: &Connection, channel: &ChannelId) -> Result<Self, StoreError> {
        let sql =
            "SELECT k.id FROM conversation c JOIN contact k ON k.channel = c.channel AND k.phone = c.address
                   WHERE c.channel = ?1 AND c.service_window = 'open' AND k.id IS NOT NULL";
        let open = connection.all(sql, [channel], only_cell)?;
        Ok(Self {
            found: ResolvedAudience::default(),
            seen: HashSet::new(),
            named: HashSet::new(),
            open,
            no_marketing: contacts_without_marketing(connection, channel)?,
        })
    }

    fn add_contact(&mut self, id: ContactId) {
        if !self.seen.insert(id.clone()) {
            self.found.duplicates += 1;
            return;
        }
        if self.open.contains(&id) {
            self.found.open += 1;
        } else {
            self.found.closed += 1;
        }
        self.found.no_marketing += usize::from(self.no_marketing.contains(&id));
        self.found.ids.push(id);
    }

    fn add_invalid_line(&mut self, why: String) {
        self.found.without_phone += 1;
        if self.found.invalid.len() < MAX_SHOWN_LINES {
            self.found.invalid.push(why);
        }
    }

    fn add_phone(
        &mut self,
        connection: &Connection,
        channel: &ChannelId,
        phone: &str,
    ) -> Result<(), StoreError> {
        let sql = "SELECT id FROM contact WHERE channel = ?1 AND phone = ?2 AND id IS NOT NULL";
        let id = connection.first(sql, params![channel, phone], only_cell)?;
        match id {
            Some(id) => self.add_contact(id),
            None if self.named.insert(phone.to_owned()) => self.found.not_read.push(phone.to_owned()),
            None => self.found.duplicates += 1,
        }
        Ok(())
    }
}

impl Reader {
    /// Returns the stored contacts who want no marketing messages.
    pub fn contacts_without_marketing(&self, channel: &ChannelId) -> Result<HashSet<ContactId>, StoreError> {
        contacts_without_marketing(&self.connection, channel)
    }

    pub fn audience_of_conversations(
        &self,
        channel: &ChannelId,
        keys: &[ConversationKey],
    ) -> Result<ResolvedAudience, StoreError> {
        let mut gathered = AudienceBuilder::new(&self.connection, channel)?;
        for key in keys.iter().filter(|key| key.channel == *channel) {
            let sql = "SELECT address FROM conversation WHERE channel = ?1 AND id = ?2";
            let address: Option<Option<String>> =
                self.connection.first(sql, params![key.channel, key.conversation], only_cell)?;
            match address.flatten().filter(|address| address.starts_with('+')) {
                Some(phone) => gathered.add_phone(&self.connection, channel, &phone)?,
                None => gathered.found.without_phone += 1,
            }
        }
        Ok(gathered.found)
    }

    pub fn audience_of_phones(
        &self,
        channel: &ChannelId,
        phones: &[String],
    ) -> Result<ResolvedAudience, StoreError> {
        let mut gathered = AudienceBuilder::new(&self.connection, channel)?;
        for phone in phones {
            gathered.add_phone(&self.connection, channel, phone)?;
        }
        Ok(gathered.found)
    }

    pub fn audience_of_search(
        &self,
        channel: &ChannelId,
        search: &str,
    ) -> Result<ResolvedAudience, StoreError> {
        let query = PeopleQuery { channel: channel.clone(), text: search.to_owned(), limit: u32::MAX };
        let (condition, bound) = search_condition(&query);
        let sql = format!(
            "SELECT p.id FROM contact p WHERE p.channel = ? AND p.id IS NOT NULL{condition} ORDER BY p.phone"
        );
        let ids: Vec<_> = self.connection.all(&sql, rusqlite::params_from_iter(bound.iter()), only_cell)?;
        self.audience_of_ids(channel, ids.into_iter())
    }

    pub fn audience_of_lines(
        &self,
        channel: &ChannelId,
        lines: &[(usize, AudienceLine)],
    ) -> Result<ResolvedAudience, StoreError> {
        let mut gathered = AudienceBuilder::new(&self.connection, channel)?;
        for (line, wanted) in lines {
            match wanted {
                AudienceLine::Contact(id) => gathered.add_contact(id.clone()),
                AudienceLine::Phone(phone) if model::bounds::is_e164(phone) => {
                    gathered.add_phone(&self.connection, channel, phone)?;
                }
                AudienceLine::Phone(phone) => gathered.add_invalid_line(format!(
                    "line {line}: {phone} is not a phone number in the form +34600111222"
                )),
                AudienceLine::Invalid(word) => {
                    gathered.add_invalid_line(format!("line {line}: {}", describe_invalid_line(word)))
                }
            }
        }
        Ok(gathered.found)
    }

    /// Returns the recipients a campaign did not reach, as far as messages show.
    pub fn audience_of_failed(
        &self,
        channel: &ChannelId,
        id: &CampaignId,
    ) -> Result<ResolvedAudience, StoreError> {
        let detail = self.board_detail(&model::board::BoardId::Campaign(id.clone()))?;
        self.audience_of_ids(
            channel,
            detail.failed_recipients().map(|recipient_status| recipient_status.contact.clone()),
        )
    }

    /// Counts the stored contacts of the workspace without returning ids.
    pub fn everyone_read(&self, channel: &ChannelId) -> Result<ResolvedAudience, StoreError> {
        let counted = |open: &str| -> Result<usize, StoreError> {
            let sql =
                format!("SELECT count(*) FROM contact k WHERE k.channel = ?1 AND k.id IS NOT NULL {open}");
            let count: i64 = self.connection.scalar(&sql, [channel.as_str()])?;
            Ok(usize::try_from(count).unwrap_or(0))
        };
        let all = counted("")?;
        let open = counted(
            "AND EXISTS (SELECT 1 FROM conversation c WHERE c.channel = k.channel AND c.address = k.phone
                 AND c.service_window = 'open')",
        )?;
        let no_marketing = counted(&format!("AND {}", no_marketing_condition()))?;
        Ok(ResolvedAudience { open, closed: all - open, no_marketing, ..ResolvedAudience::default() })
    }

    fn audience_of_ids(
        &self,
        channel: &ChannelId,
        ids: impl Iterator<Item = ContactId>,
    ) -> Result<ResolvedAudience, StoreError> {
        let mut gathered = AudienceBuilder::new(&self.connection, channel)?;
        for id in ids {
            gathered.add_contact(id);
        }
        Ok(gathered.found)
    }
}
