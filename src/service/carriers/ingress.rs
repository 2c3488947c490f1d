//! Receive loop: stores the platforms' updates as they came and processes them, in order within each chat. A
//! repeated update is ignored.

use std::collections::HashSet;
use std::pin::pin;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use rand::RngExt;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::carriers::files::{self, FetchedFiles, MissingFile};
use crate::carriers::{businesses, changes};
use crate::chat::{earlier, keywords, people, receive};
use crate::database::channels::{self, ChannelRow};
use crate::database::ingress::{self as stored, IngressRow};
use crate::database::media::MediaRow;
use crate::database::session::DbSession;
use crate::database::{DatabaseError, connected, conversations, messages, templates};
use crate::errors::ApiError;
use crate::mail::{arriving, filing};
use crate::media::names;
use crate::operators::ConnectedChannel;
use crate::sending::report;
use crate::state::{Service, ServiceState};
use crate::write::WriteContext;
use api::email::AttachmentBody;
use model::keywords::Keyword;
use model::time::{Clock, HOUR, MINUTE, SECOND, Timestamp};
use platforms::Channel;
use platforms::mail::ArrivedMail;
use platforms::{ArrivedMedia, ArrivedMessage, FileFetchError, InboundUpdate, PlatformEvent, REACTION_KIND};

/// Maximum number of updates in processing, including those that wait for a file.
const MAX_CONCURRENT_UPDATES: usize = 64;
/// Maximum number of retries of storing a mail's attachments; then the mail is stored without them.
const MAX_FILE_ATTEMPTS: i64 = 4;
/// Maximum number of retries of a report while the send it is about has no answer yet.
const MAX_EARLY_RETRIES: i64 = 8;
/// Maximum number of retries of a mailbox update while a folder change of this service is in flight.
const MAX_FILING_RETRIES: i64 = 3;
/// Time for which processed updates are kept to detect repeated ones, in microseconds.
const UPDATE_RETENTION: i64 = 7 * 24 * HOUR;

/// Queues updates in their order.
pub fn store_updates(
    db: &dyn DbSession,
    service: &ServiceState,
    channel: &str,
    pieces: &[InboundUpdate],
) -> Result<(), DatabaseError> {
    for InboundUpdate { name, lane, body } in pieces {
        let stamp = service.ids.next_stamp(service.clock.now(), service.clock.reliable_wall_time());
        stored::insert(db, channel, (name, lane, body), stamp)?;
    }
    Ok(())
}

/// Processes updates until the service stops.
pub async fn run(service: Service, mut stop: watch::Receiver<bool>) {
    let mut working = FuturesUnordered::new();
    let mut busy: HashSet<(String, String)> = HashSet::new();
    loop {
        let mut committed = pin!(service.committed.notified());
        committed.as_mut().enable();
        let now = service.clock.now();
        let look: Result<_, DatabaseError> = service
            .database
            .read(move |db| {
                let count = i64::try_from(MAX_CONCURRENT_UPDATES).unwrap_or(16);
                Ok((stored::list_due(db, now, count)?, stored::next_due(db, now)?))
            })
            .await;
        let next = match look {
            Ok((due, next)) => {
                for row in due {
                    if working.len() < MAX_CONCURRENT_UPDATES
                        && busy.insert((row.channel.clone(), row.lane.clone()))
                    {
                        working.push(process_update(&service, row));
                    }
                }
                next
            }
            Err(error) => {
                tracing::error!(%error, "incoming events cannot be processed right now");
                Some(now.plus(SECOND))
            }
        };
        let wait = next.map_or(MINUTE, |at: Timestamp| at.since(service.clock.now()).clamp(0, MINUTE));
        tokio::select! {
            Some(lane) = working.next(), if !working.is_empty() => { busy.remove(&lane); }
            () = committed => {}
            () = sleep(Duration::from_micros(u64::try_from(wait).unwrap_or(0))) => {}
            _ = stop.changed() => return,
        }
    }
}

/// Processes one update and returns its lane, which is free afterwards.
async fn process_update(service: &Service, row: IngressRow) -> (String, String) {
    let lane = (row.channel.clone(), row.lane.clone());
    if let Err(error) = try_update(service, row).await {
        tracing::error!(%error.message, "an incoming event could not be processed; next try soon");
        sleep(Duration::from_secs(1)).await;
    }
    lane
}

async fn try_update(service: &Service, row: IngressRow) -> Result<(), ApiError> {
    let Some(connected) = service.platforms.connected(&row.channel) else {
        // Processed when the channel is connected again.
        return postpone(service, row, 30 * SECOND).await;
    };
    if files::is_file(&row) {
        return files::attempt(service, &connected, row).await;
    }
    let mut events = connected.platform.parse_updates(&row.body);
    if let Some(delay) = businesses::add_connection(service, &connected, row.attempts, &mut events).await? {
        return postpone(service, row, delay).await;
    }
    let mut fetched = Vec::with_capacity(events.len());
    for event in &mut events {
        let mut files = FetchedFiles::default();
        let brought = match event {
            PlatformEvent::Message(message) => {
                files = fetch_media(service, &connected, message).await;
                Ok(())
            }
            PlatformEvent::SentElsewhere(sent) => {
                let link = (&mut sent.media_url, &mut sent.details);
                files = fetch_file(service, &connected, sent.media.as_ref(), link).await;
                Ok(())
            }
            PlatformEvent::Earlier(thread) => {
                if let [message] = thread.messages.as_mut_slice() {
                    let link = (&mut message.media_url, &mut message.details);
                    files = fetch_file(service, &connected, message.media.as_ref(), link).await;
                }
                Ok(())
            }
            PlatformEvent::Edited { changed, message } if message.media.is_some() => {
                let size = message.media.as_ref().and_then(|media| media.size);
                // An unchanged file is not fetched again.
                if !changes::is_recorded(service, &row.channel, changed, size).await? {
                    files = fetch_media(service, &connected, message).await;
                }
                Ok(())
            }
            PlatformEvent::Mail(mail) => store_files(service, mail, &mut files.stored).await,
            _ => Ok(()),
        };
        if let Err(why) = brought {
            if row.attempts < MAX_FILE_ATTEMPTS {
                tracing::warn!(%why, "the media of a message could not be fetched; next try soon");
                return postpone(service, row, 2 * SECOND).await;
            }
            tracing::warn!(%why, "the media of a message could not be fetched");
        }
        fetched.push(files);
    }
    let (state, scope) = (service.clone(), service.database.scope_of_channel(&row.channel).await?);
    service
        .database
        .write_in(scope, move |db| {
            let work = WriteContext::of_service(db, &state, state.clock.now());
            let channel = channels::read(db, &row.channel)?;
            let waits = row.attempts < MAX_EARLY_RETRIES && is_early(&work, &channel, &events)?;
            if waits || is_in_flight(&work, &channel, &events)? {
                return Ok(stored::postpone(db, &row, work.now.plus(3 * SECOND))?);
            }
            let filed = events.iter().any(|event| matches!(event, PlatformEvent::Filed(_)));
            if filed && row.attempts < MAX_FILING_RETRIES && filing::is_early(&work, &channel)? {
                return Ok(stored::postpone(db, &row, work.now.plus(SECOND))?);
            }
            if !stored::finish(db, &row, work.now)? {
                return Ok(());
            }
            for (event, files) in events.into_iter().zip(fetched) {
                apply_event(&work, &channel, event, files)?;
            }
            stored::delete_done(db, state.clock.retention_time().plus(-UPDATE_RETENTION))?;
            Ok::<_, ApiError>(())
        })
        .await
}

/// Returns true if an event is about a message whose platform id is not known yet.
fn is_early(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    events: &[PlatformEvent],
) -> Result<bool, ApiError> {
    for event in events {
        let is_early = match event {
            PlatformEvent::Status(told) => report::is_early(work, channel, told)?,
            PlatformEvent::Call(told) => report::is_call_early(work, channel, told)?,
            _ => false,
        };
        if is_early {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns true if an event may be about a message that is being sent now; its id is known soon.
fn is_in_flight(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    events: &[PlatformEvent],
) -> Result<bool, ApiError> {
    for event in events {
        if report::is_in_flight(work, channel, event)? {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn postpone(service: &Service, row: IngressRow, span: i64) -> Result<(), ApiError> {
    let at = service.clock.now().plus(span);
    let scope = service.database.scope_of_channel(&row.channel).await?;
    let put: Result<(), DatabaseError> =
        service.database.write_in(scope, move |db| stored::postpone(db, &row, at)).await;
    Ok(put?)
}

async fn fetch_media(
    service: &Service,
    connected: &ConnectedChannel,
    message: &mut ArrivedMessage,
) -> FetchedFiles {
    let link = (&mut message.inbound.media_url, &mut message.inbound.details);
    fetch_file(service, connected, message.media.as_ref(), link).await
}

/// Fetches a message's file and sets its URL and details, or records why it is missing.
async fn fetch_file(
    service: &Service,
    connected: &ConnectedChannel,
    media: Option<&ArrivedMedia>,
    (url, details): (&mut Option<String>, &mut Option<String>),
) -> FetchedFiles {
    let mut files = FetchedFiles::default();
    let Some(media) = media else { return files };
    let brought = match files::fetch_new(connected, media).await {
        Ok(bytes) => store_file(service, &media.name, bytes)
            .await
            .map_err(|error| FileFetchError::transient(error.message)),
        Err(trouble) => Err(trouble),
    };
    match brought {
        Ok((row, stored_url)) => {
            let facts =
                serde_json::json!({"mimeType": row.mime_type, "size": row.size, "filename": row.filename});
            (*url, *details) = (Some(stored_url), Some(facts.to_string()));
            files.stored.push(row);
        }
        Err(trouble) => {
            tracing::warn!(why = trouble.why, "the file of a message could not be fetched");
            files.missing = Some(MissingFile::new(service, media.clone(), trouble));
        }
    }
    files
}

/// Stores a mail's attachments and adds their rows to `stored`. Attachments that stay in the mailbox get the URL at
/// which they are fetched.
pub async fn store_files(
    service: &Service,
    mail: &mut ArrivedMail,
    stored: &mut Vec<MediaRow>,
) -> Result<(), String> {
    for file in std::mem::take(&mut mail.files) {
        let (row, url) = store_file(service, &file.name, file.bytes).await.map_err(|error| error.message)?;
        mail.mail.attachments.push(AttachmentBody {
            filename: row.filename.clone(),
            content_type: Some(file.mime_type),
            size: u64::try_from(row.size).ok(),
            url: Some(url),
        });
        stored.push(row);
    }
    for file in &mut mail.left {
        file.id = media_id();
        file.name = names::display_name(&file.name);
        file.address = media_address(service, &file.id, &file.name);
        mail.mail.attachments.push(AttachmentBody {
            filename: file.name.clone(),
            content_type: file.mime_type.clone(),
            size: file.size.and_then(|size| u64::try_from(size).ok()),
            url: Some(file.address.clone()),
        });
    }
    Ok(())
}

/// Stores a file. Returns its row, which belongs to no workspace yet, and its URL.
pub async fn store_file(
    service: &Service,
    name: &str,
    bytes: Vec<u8>,
) -> Result<(MediaRow, String), ApiError> {
    let id = media_id();
    let row = store_file_as(service, &id, name, bytes).await?;
    let url = media_address(service, &id, &row.filename);
    Ok((row, url))
}

/// Returns a new unguessable file id.
pub fn media_id() -> String {
    let random: [u8; 16] = rand::rng().random();
    let id: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("med_{id}")
}

pub fn media_address(service: &Service, id: &str, filename: &str) -> String {
    let base = service.hosts.base_url("http", "");
    format!("{base}/media/{id}/{}", names::safe_name(filename))
}

/// Stores a file under an id and returns its row, which belongs to no workspace yet.
pub async fn store_file_as(
    service: &Service,
    id: &str,
    name: &str,
    bytes: Vec<u8>,
) -> Result<MediaRow, ApiError> {
    let filename = names::display_name(name);
    let row = MediaRow {
        id: id.to_owned(),
        workspace: String::new(),
        mime_type: model::files::mime_type(&bytes, &filename).to_owned(),
        size: i64::try_from(bytes.len()).unwrap_or(i64::MAX),
        filename,
    };
    service.store_media(&row.id, bytes).await?;
    Ok(row)
}

fn apply_event(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    event: PlatformEvent,
    files: FetchedFiles,
) -> Result<(), ApiError> {
    match event {
        PlatformEvent::Message(message) => receive_message(work, channel, *message, files),
        PlatformEvent::Moved { from, to, for_good } => {
            stored::move_peer(work.db, &channel.id, (&from, &to), for_good)?;
            Ok(people::change_phone(work, channel, &from, &to)?)
        }
        PlatformEvent::Status(report) => report::apply_status_report(work, channel, report),
        PlatformEvent::SentElsewhere(sent) => report::record_sent_elsewhere(work, channel, *sent, files),
        PlatformEvent::Earlier(thread) => earlier::store_thread(work, channel, thread, files),
        PlatformEvent::EarlierPart { is_last } => Ok(earlier::record_part(work, channel, is_last)?),
        PlatformEvent::Mail(mail) => arriving::receive_arrived(work, channel, *mail, files.stored),
        PlatformEvent::Filed(facts) => Ok(filing::apply_facts(work, channel, &facts)?),
        PlatformEvent::Call(report) => report::apply_call_report(work, channel, report),
        PlatformEvent::AccountChanged => {
            Ok(connected::request_description(work.db, &channel.id, work.stamp())?)
        }
        PlatformEvent::TemplateReviewed(report) => Ok(templates::set_review(work.db, &channel.id, &report)?),
        PlatformEvent::IdChanged { from, to } => Ok(people::change_id(work, channel, &from, &to)?),
        PlatformEvent::BusinessConnection { id, owner, may_answer } => {
            if let Some(owner) = owner {
                people::continue_business_chats(work, channel, &owner, &id)?;
            }
            Ok(keywords::apply_connection(work, channel, &id, may_answer)?)
        }
        PlatformEvent::Renamed { peer, name } => {
            if let Some(found) = conversations::find_by_peer(work.db, &channel.id, &peer)? {
                conversations::update_names(work.db, &found.id, Some(&name), None, None)?;
            }
            Ok(())
        }
        PlatformEvent::Edited { changed, message } => {
            if changes::edit(work, channel, &changed, &message, files.stored.first())? || changed.is_own {
                return Ok(());
            }
            // The original is older than this database, so the edit is stored as a new message.
            let mut message = *message;
            message.inbound.extras.edited_at = changed.at.map(|at| at.to_string());
            receive_message(work, channel, message, files)
        }
        PlatformEvent::Withdrawn(changed) => changes::withdraw(work, channel, &changed),
    }
}

fn receive_message(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    message: ArrivedMessage,
    files: FetchedFiles,
) -> Result<(), ApiError> {
    let ArrivedMessage { mut inbound, quoted, .. } = message;
    if channel.kind == Channel::Telegram
        && inbound.keyword == Some(Keyword::Start)
        && conversations::find_by_peer(work.db, &channel.id, &inbound.from)?.is_none()
    {
        // A bot that is added to a group for the first time comes back to nobody.
        return Ok(keywords::allow_messages(work, channel, &inbound.from)?);
    }
    let platform_id = inbound.platform_id.clone().unwrap_or_default();
    if !stored::record_arrival(work.db, &channel.id, &inbound.from, &platform_id)? {
        return Ok(());
    }
    if let Some(quoted) = quoted {
        if channel.kind == Channel::Telegram
            && inbound.kind == REACTION_KIND
            && let Some(topic) = conversations::find_by_message(work.db, &channel.id, &inbound.from, &quoted)?
        {
            // A reaction update lacks the topic of its message.
            inbound.from = topic.peer;
            (inbound.name, inbound.username) = (None, None);
        }
        if let Some(conversation) = conversations::find_by_peer(work.db, &channel.id, &inbound.from)? {
            let found = messages::read_within(work.db, &conversation.id, &quoted)?;
            inbound.reply_to = found.map(|row| row.id);
        }
    }
    if inbound.kind == REACTION_KIND {
        let message = ArrivedMessage { inbound, ..ArrivedMessage::default() };
        let known = conversations::find_by_peer(work.db, &channel.id, &message.inbound.from)?;
        let is_done = match known {
            Some(conversation) => changes::apply_reaction(work, &conversation, &message)?,
            None => message.inbound.text.is_empty(),
        };
        if is_done {
            return Ok(());
        }
        inbound = message.inbound;
    }
    let missing = files.store(work, &channel.workspace)?;
    let received = receive::receive(work, channel, &inbound)?;
    files::store_file_request(work, (&channel.id, &received.conversation, &received.message), missing)
}
