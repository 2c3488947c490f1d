//! Erases a person from every table of a service.
//!
//! [`TABLES`] lists each table of both engines. The erasure goes through them in order;
//! [`is_own_table`] reads the list, too. A test fails if a table is missing.

use std::collections::HashSet;

use serde_json::Value;

use crate::database::rows::{bound, single_cell};
use crate::database::session::DbSession;
use crate::database::team::changes;
use crate::database::{DatabaseError, contacts, conversations, correspondents, ingress};
use api::extras::MessageExtras;
use model::time::Timestamp;
use sqlite::read_row;

/// Answer stored in place of one that names an erased person.
const ERASED_ANSWER: &[u8] = br#"{"code":"NOT_FOUND","message":"this person was erased"}"#;
/// Text in place of the words an erased person wrote to several people.
const ERASED: &str = "[erased]";
const ERASED_ADDRESS: &str = "erased@erased.invalid";
/// Path of uploaded files in their URLs.
const MEDIA_PATH: &str = "/media/";

/// Handling of a person's data in a table.
#[derive(Clone, Copy)]
pub enum Erasure {
    Nothing,
    /// Rows are deleted with those of another table.
    With(&'static str),
    By(fn(&dyn DbSession, &ErasedPerson) -> Result<(), DatabaseError>),
    /// Part of the data stays, for the given reason.
    Stays(&'static str),
}

pub struct ServiceTable {
    pub name: &'static str,
    pub erasure: Erasure,
    /// True if only a PostgreSQL database has it.
    pub is_of_servers: bool,
}

const fn table(name: &'static str, erasure: Erasure) -> ServiceTable {
    ServiceTable { name, erasure, is_of_servers: false }
}

const fn server_table(name: &'static str, erasure: Erasure) -> ServiceTable {
    ServiceTable { name, erasure, is_of_servers: true }
}

/// All tables; a table follows those that refer to it.
pub const TABLES: [ServiceTable; 53] = [
    table("outbound", Erasure::By(erase_outbound)),
    table("events", Erasure::By(erase_events)),
    table("deliveries", Erasure::With("events")),
    table("idempotency", Erasure::By(erase_answers)),
    table("egress", Erasure::By(erase_queued_messages)),
    table("ingress", Erasure::By(erase_inbound_updates)),
    table("arrivals", Erasure::By(erase_arrivals)),
    table("opt_outs", Erasure::Stays("who asked for no more texts gets none afterwards either")),
    table("due", Erasure::By(erase_timers)),
    table("recipients", Erasure::By(erase_recipients)),
    table("connection_calls", Erasure::By(erase_calls_of_connections)),
    table("happenings", Erasure::By(erase_trigger_events)),
    table("media", Erasure::By(erase_files)),
    server_table("media_parts", Erasure::With("media")),
    table("thread_automation", Erasure::By(erase_thread_automation)),
    // Found by the texts of contacts and correspondents.
    table("search_parts", Erasure::By(erase_search_parts)),
    table("correspondents", Erasure::By(erase_correspondents)),
    table("peer_aliases", Erasure::By(erase_aliases)),
    table("calls", Erasure::With("messages")),
    // Messages of erased conversations are deleted with these.
    table("messages", Erasure::By(erase_said_in_groups)),
    table("escalation_summaries", Erasure::With("conversations")),
    table("proposals", Erasure::With("conversations")),
    table("characters", Erasure::With("conversations")),
    table("conversations", Erasure::By(erase_conversations)),
    // Mails of erased threads are deleted with these.
    table("emails", Erasure::By(erase_named_in_mails)),
    table("letter_writers", Erasure::With("threads")),
    table("threads", Erasure::By(erase_threads)),
    table("contacts", Erasure::By(erase_contacts)),
    table("team_notes", Erasure::With("team_conversations")),
    table("team_conversations", Erasure::By(erase_team_marks)),
    // Texts of the business.
    table("team_replies", Erasure::Nothing),
    table("broadcasts", Erasure::Nothing),
    table("templates", Erasure::Nothing),
    table("webhooks", Erasure::Nothing),
    table("connections", Erasure::Nothing),
    table("connected_channels", Erasure::Nothing),
    table("team_tokens", Erasure::Nothing),
    table("team_sessions", Erasure::Nothing),
    table("team_people", Erasure::Nothing),
    table("channels", Erasure::Nothing),
    table("keys", Erasure::Nothing),
    table("workspaces", Erasure::Nothing),
    // Only ids and numbers.
    table("ledger", Erasure::Nothing),
    table("delivery_attempts", Erasure::Nothing),
    table("team_changes", Erasure::Nothing),
    table("team_actions", Erasure::Nothing),
    table("team_work", Erasure::Nothing),
    table("assistant_usage", Erasure::Nothing),
    table("meta", Erasure::Nothing),
    server_table("commit_order", Erasure::Nothing),
    server_table("leases", Erasure::Nothing),
    server_table("processes", Erasure::Nothing),
    server_table("shared_state", Erasure::Nothing),
];

pub fn is_own_table(name: &str) -> bool {
    TABLES.iter().any(|table| table.name == name)
}

pub fn tables_of_persons() -> impl Iterator<Item = &'static str> {
    let is_touched = |table: &&ServiceTable| matches!(table.erasure, Erasure::By(_) | Erasure::With(_));
    TABLES.iter().filter(is_touched).map(|table| table.name)
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ErasedPerson {
    workspace: String,
    contacts: Vec<String>,
    addresses: Vec<String>,
    conversations: Vec<ErasedConversation>,
    threads: Vec<String>,
    messages: Vec<String>,
    /// Ids of files used nowhere else.
    files: HashSet<String>,
    said_in_groups: Vec<GroupMessage>,
    /// Mails in threads of others that the person wrote or that name the person.
    named_in: Vec<NamingMail>,
}

/// Ids of everything about a person, except files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PersonIds {
    pub contacts: Vec<String>,
    pub conversations: Vec<String>,
    pub threads: Vec<String>,
    /// Messages and mails of these, and those in [`said_in_groups`](Self::said_in_groups).
    pub messages: Vec<String>,
    pub said_in_groups: Vec<String>,
    /// Mails in threads of others.
    pub named_in: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct GroupMessage {
    id: String,
    conversation: String,
    created_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct NamingMail {
    id: String,
    thread: String,
    sender: String,
    recipients: String,
    copies: String,
    blind_copies: String,
    headers: String,
    attachments: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct ErasedConversation {
    id: String,
    channel: String,
    peer: String,
}

struct MessageFile {
    id: String,
    direction: String,
    file: Option<String>,
}

impl ErasedPerson {
    fn is_in_mails(&self) -> bool {
        !(self.threads.is_empty() && self.named_in.is_empty())
    }

    /// Finds all data of a person by their addresses, on some channels of a workspace.
    pub fn find(
        db: &dyn DbSession,
        workspace: &str,
        channels: &[String],
        (contacts, addresses): (Vec<String>, Vec<String>),
    ) -> Result<Self, DatabaseError> {
        let mut person = Self { workspace: workspace.to_owned(), contacts, addresses, ..Self::default() };
        for channel in channels {
            for address in person.addresses.clone() {
                person.add_conversations(db, channel, &address)?;
                let sql = "SELECT id FROM threads WHERE channel = ?1 AND contact = ?2";
                let threads: Vec<String> = db.fetch_all(sql, bound![channel, address], single_cell)?;
                person.threads.extend(threads);
            }
        }
        person.add_messages(db)?;
        for channel in channels {
            person.add_said_in_groups(db, channel)?;
            person.add_mails_of_others(db, channel)?;
        }
        Ok(person)
    }

    /// Ids of the files to remove once the erasure is committed.
    pub fn files(&self) -> impl Iterator<Item = &String> {
        self.files.iter()
    }

    pub fn is_unknown(&self) -> bool {
        let is_elsewhere = !self.said_in_groups.is_empty() || !self.named_in.is_empty();
        !is_elsewhere && self.contacts.is_empty() && self.conversations.is_empty() && self.threads.is_empty()
    }

    pub fn ids(&self) -> PersonIds {
        PersonIds {
            contacts: self.contacts.clone(),
            conversations: self.conversations.iter().map(|erased| erased.id.clone()).collect(),
            threads: self.threads.clone(),
            messages: self.messages.clone(),
            said_in_groups: self.said_in_groups.iter().map(|message| message.id.clone()).collect(),
            named_in: self.named_in.iter().map(|mail| mail.id.clone()).collect(),
        }
    }

    pub fn workspace(&self) -> &str {
        &self.workspace
    }

    pub fn addresses(&self) -> &[String] {
        &self.addresses
    }

    /// Channel and peer of each conversation.
    pub fn peers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.conversations.iter().map(|erased| (erased.channel.as_str(), erased.peer.as_str()))
    }

    pub fn history_count(&self) -> usize {
        self.conversations.len() + self.threads.len()
    }

    fn add_conversations(
        &mut self,
        db: &dyn DbSession,
        channel: &str,
        address: &str,
    ) -> Result<(), DatabaseError> {
        // Topics of a chat have the peer `CHAT/TOPIC`; `0` is the character after `/`.
        let (topics, behind) = (format!("{address}/"), format!("{address}0"));
        let sql =
            "SELECT id, channel, peer, platform_peer FROM conversations WHERE channel = ?1 AND (peer = ?2
                   OR (peer > ?3 AND peer < ?4) OR peer IN (SELECT peer_aliases.peer FROM peer_aliases
                   WHERE peer_aliases.channel = ?1 AND peer_aliases.alias = ?2))";
        let found: Vec<(ErasedConversation, Option<String>)> =
            db.fetch_all(sql, bound![channel, address, topics, behind], |row| {
                Ok((read_row!(row, ErasedConversation { id, channel, peer }), row.get("platform_peer")?))
            })?;
        for (conversation, platform_peer) in found {
            if self.conversations.iter().any(|known| known.id == conversation.id) {
                continue;
            }
            self.addresses.push(conversation.peer.clone());
            self.addresses.extend(platform_peer);
            self.conversations.push(conversation);
        }
        Ok(())
    }

    fn add_messages(&mut self, db: &dyn DbSession) -> Result<(), DatabaseError> {
        let mut found: Vec<MessageFile> = Vec::new();
        for conversation in &self.conversations {
            let sql = "SELECT id, direction, media_url AS file FROM messages WHERE conversation = ?1";
            let messages: Vec<_> = db.fetch_all(sql, bound![conversation.id], |row| {
                Ok(read_row!(row, MessageFile { id, direction, file }))
            })?;
            found.extend(messages);
        }
        for MessageFile { id, direction, file } in found {
            if let Some(link) = file
                && (direction == "inbound" || !is_used_elsewhere(db, &link, &self.conversations)?)
            {
                self.files.extend(file_ids(&link));
            }
            self.messages.push(id);
        }
        for thread in &self.threads {
            let sql = "SELECT id, attachments FROM emails WHERE thread = ?1";
            let mails: Vec<(String, String)> =
                db.fetch_all(sql, bound![thread], |row| Ok((row.get("id")?, row.get("attachments")?)))?;
            for (id, attachments) in mails {
                self.messages.push(id);
                self.files.extend(file_ids(&attachments));
            }
        }
        Ok(())
    }

    fn add_said_in_groups(&mut self, db: &dyn DbSession, channel: &str) -> Result<(), DatabaseError> {
        let sql = "SELECT id, conversation, created_at, media_url, extras FROM messages
                   WHERE channel = ?1 AND extras IS NOT NULL
                       AND (instr(extras, '\"writtenBy\"') > 0 OR instr(extras, '\"by\"') > 0)";
        let mut found: Vec<(GroupMessage, Option<String>)> = Vec::new();
        db.for_each_row(sql, bound![channel], |row| {
            let extras: Option<String> = row.get("extras")?;
            let extras = MessageExtras::read(extras.as_deref());
            let authors = extras.written_by.iter().chain(extras.reaction.iter().map(|origin| &origin.by));
            if authors.into_iter().any(|author| self.addresses.contains(author)) {
                found.push((
                    read_row!(row, GroupMessage { id, conversation, created_at }),
                    row.get("media_url")?,
                ));
            }
            Ok::<_, DatabaseError>(())
        })?;
        for (message, file) in found {
            if self.conversations.iter().any(|erased| erased.id == message.conversation) {
                continue;
            }
            self.files.extend(file.iter().flat_map(|link| file_ids(link)));
            self.messages.push(message.id.clone());
            self.said_in_groups.push(message);
        }
        Ok(())
    }

    /// Adds mails in threads of others that name one of the person's addresses.
    fn add_mails_of_others(&mut self, db: &dyn DbSession, channel: &str) -> Result<(), DatabaseError> {
        let sql =
            "SELECT id, thread, sender, recipients, copies, blind_copies, headers, attachments FROM emails
                   WHERE channel = ?1
                       AND instr(lower(sender || recipients || copies || blind_copies || headers), ?2) > 0";
        for address in self.addresses.clone().iter().filter(|address| address.contains('@')) {
            let found: Vec<NamingMail> = db.fetch_all(sql, bound![channel, address], |row| {
                Ok(read_row!(
                    row,
                    NamingMail { id, thread, sender, recipients, copies, blind_copies, headers, attachments }
                ))
            })?;
            for mail in found {
                let is_known = self.named_in.iter().any(|known| known.id == mail.id);
                if is_known || self.threads.contains(&mail.thread) {
                    continue;
                }
                if self.wrote(&mail) {
                    self.files.extend(file_ids(&mail.attachments));
                    self.messages.push(mail.id.clone());
                }
                self.named_in.push(mail);
            }
        }
        Ok(())
    }

    fn wrote(&self, mail: &NamingMail) -> bool {
        self.addresses.contains(&mail.sender.to_lowercase())
    }

    fn history_ids(&self) -> impl Iterator<Item = &String> {
        self.conversations.iter().map(|conversation| &conversation.id).chain(&self.threads)
    }

    /// Returns true if a text names the person or one of their files.
    fn is_named_in(&self, text: &[u8]) -> bool {
        let names = self.contacts.iter().chain(&self.addresses).chain(self.history_ids());
        let holds = |name: &String| text.windows(name.len().max(1)).any(|part| part == name.as_bytes());
        names.into_iter().any(holds)
            || std::str::from_utf8(text).is_ok_and(|text| file_ids(text).any(|id| self.files.contains(&id)))
    }
}

pub fn file_ids(text: &str) -> impl Iterator<Item = String> {
    let rests = text.split(MEDIA_PATH).skip(1);
    let ids = rests.map(|rest| rest.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_'));
    ids.filter_map(|mut parts| parts.next().filter(|id| !id.is_empty()).map(str::to_owned))
        .collect::<Vec<_>>()
        .into_iter()
}

/// Returns true if another conversation or a broadcast uses a file.
fn is_used_elsewhere(
    db: &dyn DbSession,
    link: &str,
    erased: &[ErasedConversation],
) -> Result<bool, DatabaseError> {
    let holders: Vec<String> = db.fetch_all(
        "SELECT DISTINCT conversation FROM messages WHERE media_url = ?1",
        bound![link],
        single_cell,
    )?;
    if holders.iter().any(|holder| !erased.iter().any(|conversation| conversation.id == *holder)) {
        return Ok(true);
    }
    db.fetch_scalar("SELECT EXISTS (SELECT 1 FROM broadcasts WHERE media_url = ?1)", bound![link])
}

/// Erases a person from every table, within the caller's transaction. The caller removes the files
/// once that is committed.
pub fn erase(db: &dyn DbSession, person: &ErasedPerson) -> Result<(), DatabaseError> {
    TABLES.iter().try_for_each(|table| match table.erasure {
        Erasure::By(erase) => erase(db, person),
        Erasure::Nothing | Erasure::With(_) | Erasure::Stays(_) => Ok(()),
    })
}

fn erase_outbound(db: &dyn DbSession, person: &ErasedPerson) -> Result<(), DatabaseError> {
    // A mail has several recipients in one column.
    let sql = "DELETE FROM outbound WHERE recipient = ?1 OR (channel = 'email' AND instr(lower(recipient), ?1) > 0)";
    person.addresses.iter().try_for_each(|address| db.change_later(sql, bound![address]))
}

fn erase_events(db: &dyn DbSession, person: &ErasedPerson) -> Result<(), DatabaseError> {
    person
        .history_ids()
        .try_for_each(|id| db.change_later("DELETE FROM events WHERE subject = ?1", bound![id]))
}

/// Replaces stored answers, so that a retry is refused and creates nothing.
fn erase_answers(db: &dyn DbSession, person: &ErasedPerson) -> Result<(), DatabaseError> {
    let sql = "SELECT api_key, name, body FROM idempotency WHERE api_key IN (SELECT keys.id FROM keys
               JOIN channels ON channels.id = keys.channel WHERE channels.workspace = ?1)";
    let mut named: Vec<(String, String)> = Vec::new();
    db.for_each_row(sql, bound![person.workspace], |row| {
        let body: Vec<u8> = row.get("body")?;
        if person.is_named_in(&body) {
            named.push((row.get("api_key")?, row.get("name")?));
        }
        Ok::<_, DatabaseError>(())
    })?;
    let sql = "UPDATE idempotency SET status = 404, body = ?3 WHERE api_key = ?1 AND name = ?2";
    named.iter().try_for_each(|(key, name)| db.change_later(sql, bound![key, name, ERASED_ANSWER]))
}

fn erase_queued_messages(db: &dyn DbSession, person: &ErasedPerson) -> Result<(), DatabaseError> {
    person.history_ids().try_for_each(|id| db.change_later("DELETE FROM egress WHERE lane = ?1", bound![id]))
}

/// Deletes updates that were not processed. Processed ones hold only the platform's id, which
/// detects repeats.
fn erase_inbound_updates(db: &dyn DbSession, person: &ErasedPerson) -> Result<(), DatabaseError> {
    let of_chat = "DELETE FROM ingress WHERE channel = ?1 AND lane = ?2 AND done_at IS NULL";
    let of_files = "DELETE FROM ingress WHERE channel = ?1 AND lane > ?2 AND lane < ?3 AND done_at IS NULL";
    for ErasedConversation { id, channel, peer } in &person.conversations {
        db.change_later(of_files, bound![channel, format!("{id}/"), format!("{id}0")])?;
        for lane in person.addresses.iter().chain([peer]) {
            db.change_later(of_chat, bound![channel, lane])?;
        }
    }
    // Files of mails that are not fetched yet.
    person.files.iter().try_for_each(|id| ingress::cancel_file(db, id))
}

fn erase_arrivals(db: &dyn DbSession, person: &ErasedPerson) -> Result<(), DatabaseError> {
    let sql = "DELETE FROM arrivals WHERE channel = ?1 AND peer = ?2";
    for conversation in &person.conversations {
        person
            .addresses
            .iter()
            .try_for_each(|peer| db.change_later(sql, bound![conversation.channel, peer]))?;
    }
    Ok(())
}

fn erase_timers(db: &dyn DbSession, person: &ErasedPerson) -> Result<(), DatabaseError> {
    let kinds: Vec<String> = db.fetch_all("SELECT DISTINCT kind FROM due", &[], single_cell)?;
    for id in person.history_ids().chain(&person.messages) {
        for kind in &kinds {
            db.change_later("DELETE FROM due WHERE kind = ?1 AND subject = ?2", bound![kind, id])?;
        }
    }
    Ok(())
}

/// Keeps outcomes without contact and phone; a pending recipient is then no contact any more.
fn erase_recipients(db: &dyn DbSession, person: &ErasedPerson) -> Result<(), DatabaseError> {
    let sql = "UPDATE recipients SET contact = '', phone = '' WHERE contact = ?1";
    person.contacts.iter().try_for_each(|contact| db.change_later(sql, bound![contact]))
}

fn erase_calls_of_connections(db: &dyn DbSession, person: &ErasedPerson) -> Result<(), DatabaseError> {
    let sql = "UPDATE connection_calls SET contact = '' WHERE contact = ?1";
    person
        .addresses
        .iter()
        .chain(person.history_ids())
        .try_for_each(|name| db.change_later(sql, bound![name]))
}

fn erase_trigger_events(db: &dyn DbSession, person: &ErasedPerson) -> Result<(), DatabaseError> {
    let sql = "DELETE FROM happenings WHERE workspace = ?1 AND instr(data, ?2) > 0";
    let names = person.addresses.iter().chain(&person.contacts);
    names.into_iter().try_for_each(|name| db.change_later(sql, bound![person.workspace, name]))
}

fn erase_files(db: &dyn DbSession, person: &ErasedPerson) -> Result<(), DatabaseError> {
    let sql = "DELETE FROM media WHERE id = ?1 AND workspace = ?2";
    person.files.iter().try_for_each(|id| db.change_later(sql, bound![id, person.workspace]))
}

fn erase_thread_automation(db: &dyn DbSession, person: &ErasedPerson) -> Result<(), DatabaseError> {
    let sql = "DELETE FROM thread_automation WHERE thread = ?1";
    person.threads.iter().try_for_each(|thread| db.change_later(sql, bound![thread]))
}

fn erase_team_marks(db: &dyn DbSession, person: &ErasedPerson) -> Result<(), DatabaseError> {
    let chats = person.conversations.iter().map(|conversation| &conversation.id);
    chats.chain(&person.threads).try_for_each(|id| {
        db.change_later("DELETE FROM team_conversations WHERE id = ?1", bound![id])?;
        changes::log_erased(db, &person.workspace, id)
    })
}

fn erase_search_parts(db: &dyn DbSession, person: &ErasedPerson) -> Result<(), DatabaseError> {
    let workspace = &person.workspace;
    person.contacts.iter().try_for_each(|id| contacts::remove_from_search(db, workspace, id))?;
    if !person.is_in_mails() {
        return Ok(());
    }
    person.addresses.iter().try_for_each(|address| correspondents::remove_from_search(db, workspace, address))
}

fn erase_correspondents(db: &dyn DbSession, person: &ErasedPerson) -> Result<(), DatabaseError> {
    if !person.is_in_mails() {
        return Ok(());
    }
    let sql = "DELETE FROM correspondents WHERE address = ?1
               AND channel IN (SELECT channels.id FROM channels WHERE channels.workspace = ?2)";
    person.addresses.iter().try_for_each(|address| db.change_later(sql, bound![address, person.workspace]))
}

fn erase_aliases(db: &dyn DbSession, person: &ErasedPerson) -> Result<(), DatabaseError> {
    let sql = "DELETE FROM peer_aliases WHERE channel = ?1 AND peer = ?2";
    let conversations = &person.conversations;
    conversations.iter().try_for_each(|erased| db.change_later(sql, bound![erased.channel, erased.peer]))
}

/// Replaces the person's messages in group conversations. Deletes the events about them and the
/// summary of such a conversation.
fn erase_said_in_groups(db: &dyn DbSession, person: &ErasedPerson) -> Result<(), DatabaseError> {
    let words =
        "UPDATE messages SET content = ?2, kind = 'text', media_url = NULL, details = NULL, extras = NULL
                 WHERE id = ?1";
    for GroupMessage { id, conversation, created_at } in &person.said_in_groups {
        db.change_later(words, bound![id, ERASED])?;
        conversations::update_preview(db, conversation, ERASED, *created_at)?;
        db.change_later("DELETE FROM escalation_summaries WHERE conversation = ?1", bound![conversation])?;
        erase_events_of(db, conversation, id)?;
    }
    Ok(())
}

/// Deletes the events of a conversation or thread that mention a message.
fn erase_events_of(db: &dyn DbSession, subject: &str, message: &str) -> Result<(), DatabaseError> {
    let mut telling: Vec<String> = Vec::new();
    db.for_each_row("SELECT id, body FROM events WHERE subject = ?1", bound![subject], |row| {
        let body: Vec<u8> = row.get("body")?;
        if body.windows(message.len().max(1)).any(|part| part == message.as_bytes()) {
            telling.push(row.get("id")?);
        }
        Ok::<_, DatabaseError>(())
    })?;
    telling.iter().try_for_each(|id| db.change_later("DELETE FROM events WHERE id = ?1", bound![id]))
}

/// Replaces the person's addresses in mails of others, and the mails the person wrote in their
/// threads.
fn erase_named_in_mails(db: &dyn DbSession, person: &ErasedPerson) -> Result<(), DatabaseError> {
    let addresses =
        "UPDATE emails SET recipients = ?2, copies = ?3, blind_copies = ?4, headers = ?5 WHERE id = ?1";
    let own = "UPDATE emails SET sender = ?2, sender_name = NULL, body_text = ?3, body_html = NULL, attachments = '[]'
               WHERE id = ?1";
    for mail in &person.named_in {
        let [recipients, copies, blind_copies, headers] =
            [&mail.recipients, &mail.copies, &mail.blind_copies, &mail.headers]
                .map(|text| without_addresses(text, &person.addresses));
        db.change_later(addresses, bound![mail.id, recipients, copies, blind_copies, headers])?;
        if person.wrote(mail) {
            db.change_later(own, bound![mail.id, ERASED_ADDRESS, ERASED])?;
        }
        erase_events_of(db, &mail.thread, &mail.id)?;
    }
    Ok(())
}

/// Replaces every text in a JSON value that holds one of the addresses.
fn without_addresses(json: &str, addresses: &[String]) -> String {
    fn replace(value: &mut Value, addresses: &[String]) {
        match value {
            Value::String(text) if addresses.iter().any(|address| names(text, address)) => {
                *text = ERASED_ADDRESS.to_owned();
            }
            Value::Array(items) => items.iter_mut().for_each(|item| replace(item, addresses)),
            Value::Object(fields) => fields.values_mut().for_each(|field| replace(field, addresses)),
            _ => {}
        }
    }
    let Ok(mut value) = serde_json::from_str(json) else { return json.to_owned() };
    replace(&mut value, addresses);
    value.to_string()
}

/// Returns true if a text holds a mail address, alone or among others.
fn names(text: &str, address: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || "@.!#$%&'*+/=?^_`{|}~-".contains(letter);
    address.contains('@') && text.to_lowercase().split(|letter| !is_part(letter)).any(|word| word == address)
}

fn erase_conversations(db: &dyn DbSession, person: &ErasedPerson) -> Result<(), DatabaseError> {
    let sql = "DELETE FROM conversations WHERE id = ?1";
    person.conversations.iter().try_for_each(|erased| db.change_later(sql, bound![erased.id]))
}

fn erase_threads(db: &dyn DbSession, person: &ErasedPerson) -> Result<(), DatabaseError> {
    person.threads.iter().try_for_each(|id| db.change_later("DELETE FROM threads WHERE id = ?1", bound![id]))
}

fn erase_contacts(db: &dyn DbSession, person: &ErasedPerson) -> Result<(), DatabaseError> {
    person
        .contacts
        .iter()
        .try_for_each(|id| db.change_later("DELETE FROM contacts WHERE id = ?1", bound![id]))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::database::{Database, Durability};

    #[test]
    fn every_table_of_a_file_says_how_a_person_leaves_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("service.db");
        drop(Database::open(&path.clone().into(), Durability::Simulated, Arc::default()).expect("it opens"));
        let db = rusqlite::Connection::open(&path).expect("it opens");
        let db: &dyn DbSession = &db;
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'";
        let there: HashSet<String> = db.fetch_all(sql, &[], single_cell).expect("read");
        let listed = TABLES.iter().filter(|table| !table.is_of_servers);
        let listed: HashSet<String> = listed.map(|table| table.name.to_owned()).collect();
        assert_eq!(there, listed);
        for table in &TABLES {
            if let Erasure::With(parent) = table.erasure {
                let is_erased =
                    |other: &ServiceTable| other.name == parent && !matches!(other.erasure, Erasure::Nothing);
                assert!(TABLES.iter().any(is_erased), "{} goes with {parent}", table.name);
                let deleted = "SELECT count(*) FROM pragma_foreign_key_list(?1) WHERE \"table\" = ?2 AND on_delete = 'CASCADE'";
                let count: i64 = db.fetch_scalar(deleted, bound![table.name, parent]).expect("read");
                assert!(count == 1 || table.is_of_servers, "{} is not removed with {parent}", table.name);
            }
        }
    }

    #[test]
    fn addresses_of_a_person_alone_are_replaced() {
        let json = r#"{"Cc":"Ana <ANA@mail.example>, bo@mail.example","To":["mariana@mail.example","ana@mail.example"]}"#;
        let kept = r#"{"Cc":"erased@erased.invalid","To":["mariana@mail.example","erased@erased.invalid"]}"#;
        assert_eq!(without_addresses(json, &["ana@mail.example".to_owned(), "34600".to_owned()]), kept);
    }

    #[test]
    fn addresses_of_files_are_found_in_texts() {
        let text = r#"[{"url":"/media/med_1/a.pdf"},{"url":"http://h/media/med_2/b"}] /media/ /other/med_3"#;
        assert_eq!(file_ids(text).collect::<Vec<_>>(), ["med_1", "med_2"]);
    }
}
