//! Threads and letters as columns and JSON, and back.
//!
//! Text is made safe again when it is read.

use serde_json::{Map, Value, json};

use crate::rows::operation;
use model::email::{LetterFile, MailAccount, MailMessage, Thread, ThreadField};
use model::outbox::Operation;
use model::outbox::content::{ThreadChange, ThreadPlace};
use model::text::SafeText;
use model::time::Timestamp;
use sqlite::{Row, read_row};

/// Joins threads to a conversation called `c`.
pub(crate) const JOIN: &str = "LEFT JOIN thread h ON h.channel = c.channel AND h.id = c.id";

/// The columns [`read`] expects; `desk` is the outbox. What is on
/// its way, and what holds only here, comes as lines.
pub(crate) const COLUMNS: &str = "h.id IS NOT NULL AS is_thread, h.subject, h.is_read, h.is_starred, h.category, h.priority,
     h.folder,
     iif(h.id IS NULL, NULL, (SELECT group_concat(l.field || '=' || l.value, char(10)) FROM desk.thread_local l
         WHERE l.channel = c.channel AND l.thread = c.id)) AS kept_here,
     iif(h.id IS NULL, NULL, (SELECT group_concat(o.payload, char(10) ORDER BY o.sequence) FROM desk.outbox o
         WHERE o.channel = c.channel AND o.conversation = c.id AND o.operation = 'thread'
         AND o.state <> 'stopped')) AS leaving";

/// Reads the columns above.
pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Option<Box<Thread>>> {
    if !row.get::<bool>("is_thread")? {
        return Ok(None);
    }
    let mut thread = told(row)?;
    let kept: Option<String> = row.get("kept_here")?;
    for line in kept.iter().flat_map(|it| it.lines()) {
        let Some((field, value)) = line.split_once('=') else { continue };
        if let Some(field) = ThreadField::from_word(field) {
            let told = thread.clone();
            set(&mut thread, field, value);
            // No label where the server tells the same by now.
            if thread != told {
                thread.only_here.push(field);
            }
        }
    }
    let pending: Option<String> = row.get("leaving")?;
    for line in pending.iter().flat_map(|it| it.lines()) {
        if let Some(Operation::ChangeThread { change, .. }) = operation::read("thread", line) {
            values(&change).into_iter().for_each(|(field, value)| set(&mut thread, field, &value));
        }
    }
    Ok(Some(Box::new(thread)))
}

/// What the server told of a thread, from the columns of its row.
pub(crate) fn told(row: &Row<'_>) -> rusqlite::Result<Thread> {
    Ok(read_row!(row, Thread {
        subject: optional_line, is_read, is_starred, category: optional_line, priority: optional_line,
        folder: optional_line; only_here: Vec::new()
    }))
}

/// What a change wants, field by field, as it is kept.
pub(crate) fn values(change: &ThreadChange) -> Vec<(ThreadField, String)> {
    let word = |it: bool| it.to_string();
    let place = change.place.as_ref().map(|it| match it {
        ThreadPlace::Archived(true) => "archive".to_owned(),
        ThreadPlace::Archived(false) => "inbox".to_owned(),
        ThreadPlace::Folder(name) => name.clone(),
    });
    [
        (ThreadField::Read, change.is_read.map(word)),
        (ThreadField::Star, change.is_starred.map(word)),
        (ThreadField::Place, place),
        (ThreadField::Category, change.category.clone()),
        (ThreadField::Priority, change.priority.clone()),
    ]
    .into_iter()
    .filter_map(|(field, value)| Some((field, value?)))
    .collect()
}

/// Sets one field of a thread to what was kept for it.
pub(crate) fn set(thread: &mut Thread, field: ThreadField, value: &str) {
    let line = || SafeText::optional_line(Some(value));
    match field {
        ThreadField::Read => thread.is_read = Some(value == "true"),
        ThreadField::Star => thread.is_starred = Some(value == "true"),
        ThreadField::Place => thread.folder = line(),
        ThreadField::Category => thread.category = line(),
        ThreadField::Priority => thread.priority = line(),
    }
}

/// A letter as a JSON object.
pub(crate) fn write_letter(letter: &MailMessage) -> String {
    let texts = |all: &[SafeText]| all.iter().map(|it| Value::from(it.as_str())).collect::<Value>();
    let text = |it: &Option<SafeText>| it.as_ref().map(|it| it.as_str().to_owned());
    let files: Vec<Value> = letter
        .files
        .iter()
        .map(|it| {
            json!({"name": it.name.as_str(), "kind": text(&it.kind), "size": it.size, "url": it.url,
                "enclosed": it.enclosed})
        })
        .collect();
    json!({
        "from": letter.from.as_str(), "fromName": text(&letter.from_name), "to": texts(&letter.to),
        "cc": texts(&letter.cc), "replyTo": text(&letter.reply_to), "subject": text(&letter.subject),
        "headerId": letter.header_id, "plain": text(&letter.plain), "rich": text(&letter.rich),
        "links": texts(&letter.links), "files": files,
    })
    .to_string()
}

/// Reads a letter; what cannot be read of it is absent.
pub(crate) fn read_letter(facts: &str) -> MailMessage {
    let fields: Map<String, Value> = serde_json::from_str(facts).unwrap_or_default();
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let line = |name: &str| SafeText::optional_line(text(name));
    let lines = |name: &str| match fields.get(name) {
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).map(SafeText::line).collect(),
        _ => Vec::new(),
    };
    let files = fields.get("files").and_then(Value::as_array);
    MailMessage {
        from: SafeText::line(text("from").unwrap_or("")),
        from_name: line("fromName"),
        to: lines("to"),
        cc: lines("cc"),
        reply_to: line("replyTo"),
        subject: line("subject"),
        header_id: text("headerId").map(str::to_owned),
        plain: text("plain").map(SafeText::block),
        rich: text("rich").map(SafeText::block),
        links: lines("links"),
        files: files.map_or_else(Vec::new, |all| all.iter().map(read_file).collect()),
    }
}

fn read_file(value: &Value) -> LetterFile {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    LetterFile {
        name: SafeText::line(text("name").unwrap_or("unnamed")),
        kind: SafeText::optional_line(text("kind")),
        size: value.get("size").and_then(Value::as_u64),
        url: text("url").map(str::to_owned),
        enclosed: value.get("enclosed").and_then(Value::as_bool).unwrap_or(false),
    }
}

/// An account as a JSON object.
pub(crate) fn write_mailbox(account: &MailAccount) -> String {
    let text = |it: &Option<SafeText>| it.as_ref().map(|it| it.as_str().to_owned());
    json!({
        "address": account.address.as_str(), "name": text(&account.display_name),
        "provider": text(&account.provider), "status": text(&account.sync_status),
        "syncedAt": account.last_sync_at.map(Timestamp::micros), "autoReply": account.ai_auto_reply,
    })
    .to_string()
}

pub(crate) fn read_mailbox(facts: &str) -> MailAccount {
    let fields: Map<String, Value> = serde_json::from_str(facts).unwrap_or_default();
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    MailAccount {
        address: SafeText::line(text("address").unwrap_or("")),
        display_name: SafeText::optional_line(text("name")),
        provider: SafeText::optional_line(text("provider")),
        sync_status: SafeText::optional_line(text("status")),
        last_sync_at: fields.get("syncedAt").and_then(Value::as_i64).map(Timestamp::from_micros),
        ai_auto_reply: fields.get("autoReply").and_then(Value::as_bool),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_accounts_come_back_as_they_were() {
        let letter = MailMessage {
            from: SafeText::line("ana@y.example"),
            from_name: Some(SafeText::line("Ana")),
            to: vec![SafeText::line("shop@x.example")],
            reply_to: Some(SafeText::line("list@y.example")),
            header_id: Some("<1@y.example>".to_owned()),
            plain: Some(SafeText::block("Hi\nthere")),
            links: vec![SafeText::line("https://y.example/")],
            files: vec![LetterFile {
                name: SafeText::line("a.pdf"),
                size: Some(7),
                enclosed: true,
                ..LetterFile::default()
            }],
            ..MailMessage::default()
        };
        assert_eq!(read_letter(&write_letter(&letter)), letter);
        for wrong in ["", "[]", "{\"files\":[7]}", "{\"to\":7}"] {
            read_letter(wrong);
        }
        let account = MailAccount {
            address: SafeText::line("shop@x.example"),
            sync_status: Some(SafeText::line("active")),
            last_sync_at: Some(Timestamp::from_micros(5)),
            ai_auto_reply: Some(true),
            ..MailAccount::default()
        };
        assert_eq!(read_mailbox(&write_mailbox(&account)), account);
    }
}
