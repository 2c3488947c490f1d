//! Converts threads from and to columns.

use crate::rows::operation;
use model::email::rules::RuleAction;
use model::email::{Thread, ThreadField};
use model::outbox::Operation;
use model::outbox::content::{ThreadChange, ThreadPlace};
use model::text::SafeText;
use sqlite::{Row, read_row};

pub(crate) const JOIN: &str = "LEFT JOIN thread h ON h.channel = c.channel AND h.id = c.id";

/// Columns for [`read`]; `desk` is the outbox. Pending changes are returned as lines, as are local
/// fields together with the last rule action.
pub(crate) const COLUMNS: &str =
    "h.id IS NOT NULL AS is_thread, h.subject, h.is_read, h.is_starred, h.category, h.priority,
     h.folder,
     iif(h.id IS NULL, NULL, concat_ws(char(10),
         (SELECT group_concat(l.field || '=' || l.value, char(10)) FROM desk.thread_local l
             WHERE l.channel = c.channel AND l.thread = c.id),
         (SELECT 'rule=' || r.action FROM desk.rule_action r WHERE r.channel = c.channel AND r.thread = c.id
             ORDER BY r.mail_at DESC LIMIT 1))) AS kept_here,
     iif(h.id IS NULL, NULL, (SELECT group_concat(o.payload, char(10) ORDER BY o.sequence) FROM desk.outbox o
         WHERE o.channel = c.channel AND o.conversation = c.id AND o.operation = 'thread'
         AND o.state <> 'stopped')) AS leaving";

pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Option<Box<Thread>>> {
    if !row.get::<bool>("is_thread")? {
        return Ok(None);
    }
    let mut thread = thread_from_row(row)?;
    let kept: Option<String> = row.get("kept_here")?;
    let mut by_rule = None;
    for line in kept.iter().flat_map(|text| text.lines()) {
        let Some((field, value)) = line.split_once('=') else { continue };
        if field == "rule" {
            by_rule = RuleAction::from_stored(value);
        } else if let Some(field) = ThreadField::from_word(field) {
            let told = thread.clone();
            set_field(&mut thread, field, value);
            // The field is not local any more once the server has the same value.
            if thread != told {
                thread.only_here.push(field);
            }
        }
    }
    let pending: Option<String> = row.get("leaving")?;
    for line in pending.iter().flat_map(|text| text.lines()) {
        if let Some(Operation::ChangeThread { change, .. }) = operation::read("thread", line) {
            change_values(&change)
                .into_iter()
                .for_each(|(field, value)| set_field(&mut thread, field, &value));
        }
    }
    thread.by_rule = by_rule.filter(|by_rule| shows_action(&thread, by_rule));
    Ok(Some(Box::new(thread)))
}

/// True if the rule's action still shows in the thread.
fn shows_action(thread: &Thread, action: &RuleAction) -> bool {
    let same =
        |entry: &Option<SafeText>, wanted: &str| entry.as_ref().is_some_and(|text| text.as_str() == wanted);
    match action {
        RuleAction::Archive => thread.is_archived(),
        RuleAction::Read => thread.is_read == Some(true),
        RuleAction::Star => thread.is_starred == Some(true),
        RuleAction::Category(category) => same(&thread.category, category),
        RuleAction::Folder(folder) => same(&thread.folder, folder),
    }
}

pub(crate) fn thread_from_row(row: &Row<'_>) -> rusqlite::Result<Thread> {
    Ok(read_row!(row, Thread {
        subject: optional_line, is_read, is_starred, category: optional_line, priority: optional_line,
        folder: optional_line; only_here: Vec::new(), by_rule: None
    }))
}

/// Returns the fields of a change in their stored form.
pub(crate) fn change_values(change: &ThreadChange) -> Vec<(ThreadField, String)> {
    let word = |flag: bool| flag.to_string();
    let place = change.place.as_ref().map(|place| match place {
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

/// Sets a field from its stored form.
pub(crate) fn set_field(thread: &mut Thread, field: ThreadField, value: &str) {
    let line = || SafeText::optional_line(Some(value));
    match field {
        ThreadField::Read => thread.is_read = Some(value == "true"),
        ThreadField::Star => thread.is_starred = Some(value == "true"),
        ThreadField::Place => thread.folder = line(),
        ThreadField::Category => thread.category = line(),
        ThreadField::Priority => thread.priority = line(),
    }
}
