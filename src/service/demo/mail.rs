//! Sample mail of the demo shop, with times relative to now.

use serde_json::Value;

use crate::database::channels::{self, ChannelRow};
use crate::database::emails::{self, EmailRow};
use crate::database::media::{self, MediaRow};
use crate::database::threads::{self, ThreadRow};
use crate::database::{DatabaseError, correspondents, workspaces};
use crate::demo::values::{is_on, list, text, texts, time_of};
use crate::mail::receive::new_thread;
use crate::media::files::MediaStore;
use crate::media::names;
use crate::world::letters::{self, ScriptedCorrespondent};
use crate::write::WriteContext;
use api::email::AttachmentBody;
use platforms::Channel;
use platforms::mail::topics;

const MAIL: &str = include_str!("../../../assets/demo/email.json");
/// Content of the sample attachments: a picture and a PDF.
const PHOTO: &[u8] = include_bytes!("../../../assets/demo/files/photo.jpg");
const PAGE: &[u8] = include_bytes!("../../../assets/demo/files/page.pdf");

pub fn seed(work: &WriteContext<'_>) -> Result<(), DatabaseError> {
    let Some(channel) = channels::find_by_kind(work.db, Channel::Email)? else { return Ok(()) };
    let world: Value = serde_json::from_str(MAIL).unwrap_or(Value::Null);
    list(&world, "threads").iter().try_for_each(|value| seed_thread(work, &channel, value))
}

fn seed_thread(work: &WriteContext<'_>, channel: &ChannelRow, told: &Value) -> Result<(), DatabaseError> {
    let Some(contact) = text(told, "contact_email") else { return Ok(()) };
    let said = list(told, "messages");
    let began = said.first().map_or(work.now, |value| time_of(value, work.now));
    let id = work.service.ids.new_id("thread", began);
    let subject = text(told, "subject").unwrap_or_default();
    let row = ThreadRow {
        contact_name: text(told, "contact_name"),
        category: text(told, "category"),
        priority: text(told, "priority").unwrap_or_else(|| "normal".to_owned()),
        ..new_thread(id, channel, &subject, &contact, began)
    };
    threads::insert(work.db, &row)?;
    let mut last: Option<String> = None;
    for message in said {
        last = Some(seed_mail(work, channel, &row, message, last)?);
    }
    // The sample states the thread's flags, whatever its mails set.
    let told_marks = ThreadRow {
        is_read: is_on(told, "is_read"),
        is_starred: is_on(told, "is_starred"),
        folder: text(told, "folder").unwrap_or_else(|| "inbox".to_owned()),
        ..row
    };
    threads::update(work.db, &told_marks)?;
    let writer = ScriptedCorrespondent {
        thread: told_marks.id,
        live: texts(told, "live"),
        replies: texts(told, "replies"),
    };
    letters::store_correspondent(work.db, &writer)
}

/// Stores one mail and returns its `Message-ID`.
fn seed_mail(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    thread: &ThreadRow,
    told: &Value,
    answers: Option<String>,
) -> Result<String, DatabaseError> {
    let at = time_of(told, work.now);
    let id = work.service.ids.new_id("mail", at);
    let inbound = is_on(told, "from_customer");
    let own = channel.address.clone().unwrap_or_default();
    let own_name = workspaces::read(work.db, &channel.workspace)?.name;
    let (sender, recipient) =
        if inbound { (thread.contact_email.clone(), own) } else { (own, thread.contact_email.clone()) };
    let domain = sender.rsplit('@').next().unwrap_or("mail.example").to_owned();
    let subject =
        if answers.is_some() { topics::reply_subject(&thread.subject) } else { thread.subject.clone() };
    let files = list(told, "attachments").iter().zip(1..);
    let attachments =
        files.map(|(entry, place)| store_file(work, channel, entry, &format!("med_{id}_{place}")));
    let attachments = attachments.collect::<Result<_, _>>()?;
    let row = EmailRow {
        header_id: format!("<{id}@{domain}>"),
        id,
        thread: thread.id.clone(),
        channel: channel.id.clone(),
        direction: if inbound { "inbound" } else { "outbound" }.to_owned(),
        sender_name: if inbound { thread.contact_name.clone() } else { own_name },
        sender,
        recipients: vec![recipient],
        subject,
        text: text(told, "text"),
        html: text(told, "html"),
        attachments,
        headers: "{}".to_owned(),
        in_reply_to: answers,
        status: if inbound { "received" } else { "opened" }.to_owned(),
        cost: i64::from(!inbound),
        created_at: at,
        opened_at: (!inbound).then_some(at),
        ..EmailRow::default()
    };
    emails::insert(work.db, &row)?;
    threads::touch(work.db, &thread.id, inbound, at)?;
    let name = thread.contact_name.as_deref();
    correspondents::record_mail(work.db, &channel.id, &thread.contact_email, name, at)?;
    Ok(row.header_id)
}

/// Stores an attachment. Its URL is relative to the interface, since the port may change between runs.
fn store_file(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    told: &Value,
    id: &str,
) -> Result<AttachmentBody, DatabaseError> {
    let filename = text(told, "filename").unwrap_or_default();
    let mime_type = text(told, "content_type").unwrap_or_default();
    let bytes = if mime_type.starts_with("image/") { PHOTO } else { PAGE };
    match &work.service.media {
        MediaStore::Folder(files) => files.store(id, bytes)?,
        MediaStore::Database => media::insert_bytes(work.db, id, bytes)?,
    }
    let row = MediaRow {
        id: id.to_owned(),
        workspace: channel.workspace.clone(),
        mime_type: mime_type.clone(),
        size: i64::try_from(bytes.len()).unwrap_or(i64::MAX),
        filename: filename.clone(),
    };
    media::insert(work.db, &row, work.now)?;
    Ok(AttachmentBody {
        url: Some(format!("/media/{id}/{}", names::safe_name(&filename))),
        filename,
        content_type: Some(mime_type),
        size: u64::try_from(bytes.len()).ok(),
    })
}
