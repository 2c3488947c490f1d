//! Contacts of a tab as last read: windows for the page, single contacts to edit, and list pages to
//! merge.

use rusqlite::types::Value as Bound;
use rusqlite::{params, params_from_iter};
use serde_json::{Map, Value};

use crate::contacts::{contact_from_row, write};
use crate::{Reader, Store, StoreError};
use model::contacts::{
    MetadataField, PeoplePage, PeopleQuery, Person, PersonDetail, ReceivedContact, parse_tag_term,
};
use model::ids::ChannelId;
use model::time::Timestamp;
use sqlite::{Queries, Row, read_row};

/// Joins each contact with a conversation of its number.
const FROM_CONTACTS: &str = "FROM contact p
    LEFT JOIN conversation c ON c.number = (
        SELECT n.number FROM conversation n WHERE n.address = p.phone AND n.channel = p.channel LIMIT 1)
    WHERE p.channel = ? AND p.id IS NOT NULL";

impl Store {
    pub async fn apply_people(
        &self,
        channel: &ChannelId,
        people: Vec<(String, ReceivedContact)>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let channel = channel.clone();
        self.cache()
            .change_async(move |change| {
                for (phone, told) in &people {
                    write(change, &channel, phone, told, now)?;
                }
                Ok(())
            })
            .await
    }

    /// Removes contacts not read since a time.
    pub async fn remove_people_before(&self, channel: &ChannelId, at: Timestamp) -> Result<(), StoreError> {
        let channel = channel.clone();
        self.cache()
            .call_async(move |cache| {
                let sql = "DELETE FROM contact WHERE channel = ?1 AND id IS NOT NULL AND read_at < ?2";
                cache.connection.execute(sql, params![channel, at])?;
                Ok(())
            })
            .await
    }
}

impl Reader {
    /// Returns matching contacts, newest activity first.
    pub fn people(&self, query: &PeopleQuery) -> Result<PeoplePage, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        let (condition, mut bound) = search_condition(query);
        let total: i64 = moment.scalar(
            &format!("SELECT count(*) FROM contact p WHERE p.channel = ? AND p.id IS NOT NULL{condition}"),
            params_from_iter(bound.iter()),
        )?;
        let sql = format!(
            "SELECT p.name, p.email, p.read_at, p.id, p.tags, p.metadata, p.phone, c.id AS conversation,
                 c.last_message_at
             {FROM_CONTACTS}{condition}
             ORDER BY c.sort_at IS NULL, c.sort_at DESC, name_key(p.name, NULL, p.phone, NULL), p.phone LIMIT ?"
        );
        bound.push(i64::from(query.limit).into());
        let people = moment.all(&sql, params_from_iter(bound.iter()), person_from_row)?;
        Ok(PeoplePage { people, total: u64::try_from(total).unwrap_or(0) })
    }

    pub fn person(&self, channel: &ChannelId, phone: &str) -> Result<Option<PersonDetail>, StoreError> {
        let sql = "SELECT p.name, p.email, p.id, p.tags, p.metadata,
                (SELECT c.id FROM conversation c WHERE c.address = p.phone AND c.channel = p.channel LIMIT 1)
                AS conversation
             FROM contact p WHERE p.channel = ?1 AND p.phone = ?2 AND p.id IS NOT NULL";
        Ok(self.connection.first(sql, params![channel, phone], |row| detail_from_row(row, phone))?)
    }
}

/// Returns the SQL condition of a search: words of a name, mail address or tag, digits of a number,
/// or a whole tag (see [`parse_tag_term`]).
pub(crate) fn search_condition(query: &PeopleQuery) -> (String, Vec<Bound>) {
    let mut sql = String::new();
    let mut bound: Vec<Bound> = vec![query.channel.as_str().to_owned().into()];
    for word in query.text.split_whitespace() {
        if let Some(tag) = parse_tag_term(word) {
            sql.push_str(" AND EXISTS (SELECT 1 FROM json_each(p.tags) j WHERE lower(j.value) = ?)");
            bound.push(tag.to_lowercase().into());
            continue;
        }
        let digits: String = word.chars().filter(char::is_ascii_digit).collect();
        let number = word.chars().all(|character| character.is_ascii_digit() || "+-()".contains(character))
            && !digits.is_empty();
        bound.push(word.to_owned().into());
        if number {
            sql.push_str(
                " AND (has_words(concat_ws(' ', p.name, p.email, p.tags), ?, 0) OR instr(p.phone, ?))",
            );
            bound.push(digits.into());
        } else {
            sql.push_str(" AND has_words(concat_ws(' ', p.name, p.email, p.tags), ?, 0)");
        }
    }
    (sql, bound)
}

fn person_from_row(row: &Row<'_>) -> rusqlite::Result<Person> {
    Ok(
        read_row!(row, Person { phone, conversation, last_at = last_message_at; contact: contact_from_row(row)? }),
    )
}

fn detail_from_row(row: &Row<'_>, phone: &str) -> rusqlite::Result<PersonDetail> {
    let text = |name| row.get::<Option<String>>(name).map(Option::unwrap_or_default);
    let metadata: Map<String, Value> = row.json("metadata")?;
    let field = |(name, value): (&String, &Value)| MetadataField {
        name: name.clone(),
        text: value.as_str().map_or_else(|| value.to_string(), str::to_owned),
        is_text: value.is_string(),
    };
    Ok(read_row!(row, PersonDetail {
        id, tags: json, conversation;
        phone: phone.to_owned(),
        name: text("name")?,
        email: text("email")?,
        fields: metadata.iter().map(field).collect()
    }))
}
