//! Handlers of the email channel.

use axum::Extension;
use axum::extract::State;

use crate::auth::Caller;
use crate::carriers::watch;
use crate::client_info::ClientInfo;
use crate::database::media::{self, MediaRow};
use crate::database::session::DbSession;
use crate::database::team::changes;
use crate::database::team::work::WorkKind;
use crate::database::thread_automation::{self, ThreadPause};
use crate::database::threads::{self, Filter, ThreadRow};
use crate::database::{DatabaseError, channels, connected, correspondents, emails, workspaces};
use crate::errors::ApiError;
use crate::handlers::account::credits_as_f64;
use crate::handlers::mail_bodies as bodies;
use crate::mail::content::MailSendRequest;
use crate::mail::{attachments, filing, invitations};
use crate::reply::Reply;
use crate::request::{ReadRequest, WriteRequest};
use crate::sending::accept::QUEUED_STATUS;
use crate::sending::mail::{MailAuthor, accept_mail};
use crate::state::{Service, ServiceState};
use crate::team;
use crate::write::WriteContext;
use api::email::{AttachmentBody, EmailAccountBody, SentEmail, ThreadPatch};
use api::fields::Filled;
use api::request::FieldError;
use model::prices;
use model::time::Clock;

/// Maximum number of mails shown of a thread; the newest.
const MAX_SHOWN_MAILS: i64 = 100;
/// Maximum size of the bodies of a thread's shown mails, in bytes.
const MAX_SHOWN_BYTES: usize = 8 * 1024 * 1024;
const ARCHIVE_FOLDER: &str = "archive";
const IS_READ_VALUES: [&str; 2] = ["true", "false"];

/// Handles `getEmailAccount`.
pub async fn account(State(service): State<Service>, request: ReadRequest) -> Result<Reply, ApiError> {
    let (caller, now, state) = (request.caller, service.clock.now(), service.clone());
    service
        .database
        .read(move |db| {
            let channel = channels::read(db, &caller.channel_id)?;
            let address = state.platforms.address(&channel)?.to_owned();
            let name = workspaces::read(db, &caller.workspace)?.name;
            let Some(behind) = state.platforms.connected(&channel.id) else {
                return Reply::ok(&EmailAccountBody {
                    email_address: address,
                    display_name: name,
                    provider: Some("simulated".to_owned()),
                    sync_status: Some("active".to_owned()),
                    // The simulated mailbox is always up to date.
                    last_sync_at: Some(now.to_string()),
                    ai_auto_reply: Some(false),
                    aliases: Vec::new(),
                });
            };
            let trouble = connected::read(db, &channel.id)?.is_some_and(|row| row.trouble.is_some());
            let read_at = connected::lease_end(db, &channel.id)?.map(|time| time.plus(-watch::READ_LEASE));
            Reply::ok(&EmailAccountBody {
                email_address: address,
                display_name: behind.platform.display_name().or(name),
                provider: Some("imap".to_owned()),
                sync_status: Some(if trouble { "error" } else { "active" }.to_owned()),
                last_sync_at: read_at.map(|time| time.to_string()),
                ai_auto_reply: Some(behind.platform.answers_mail() && state.assistant.is_some()),
                aliases: behind.platform.other_addresses(),
            })
        })
        .await
}

/// Handles `sendEmail`.
pub async fn send(State(service): State<Service>, mut request: WriteRequest) -> Result<Reply, ApiError> {
    let mut asked = MailSendRequest::of(request.read_body()?)?;
    let wanted = std::mem::take(&mut asked.attachments);
    if service.platforms.connected(&request.caller.channel_id).is_none() || request.caller.is_test() {
        let told = attachments::inspect_attachments(&service, &mut request, wanted).await?;
        return service
            .write(request, move |work, caller| send_in(work, caller, asked, told, Vec::new()))
            .await;
    }
    let (told, kept) = attachments::fetch_attachments(&service, &mut request, wanted).await?;
    let ids: Vec<String> = kept.iter().map(|media_row| media_row.id.clone()).collect();
    let outcome = service.write(request, move |work, caller| send_in(work, caller, asked, told, kept)).await;
    if !matches!(&outcome, Ok(reply) if !reply.replayed && reply.status == 200) {
        attachments::remove_files(&service, ids).await;
    }
    outcome
}

fn send_in(
    work: &WriteContext<'_>,
    caller: &Caller,
    asked: MailSendRequest,
    attached: Vec<AttachmentBody>,
    kept: Vec<MediaRow>,
) -> Result<Reply, ApiError> {
    let channel = channels::read(work.db, &caller.channel_id)?;
    work.service.platforms.address(&channel)?;
    let id = work.id("mail", work.stamp());
    let paid = work.pay(caller, prices::EMAIL_CREDITS, "email", &id)?;
    kept.iter().try_for_each(|media_row| media::insert(work.db, media_row, work.now))?;
    let author = MailAuthor { sender: "api", cost: paid.used };
    let row = accept_mail(work, &channel, id, asked, attached, author)?;
    let carried = (row.status == QUEUED_STATUS).then(|| row.id.clone());
    let reply = Reply::ok(&SentEmail {
        message_id: row.id,
        thread_id: row.thread,
        status: row.status,
        credits_used: credits_as_f64(paid.used),
        credits_remaining: credits_as_f64(paid.remaining),
    })?;
    Ok(reply.awaiting(carried))
}

/// Handles `listEmailThreads`.
pub async fn threads(State(service): State<Service>, request: ReadRequest) -> Result<Reply, ApiError> {
    let ReadRequest { caller, query, .. } = request;
    let filter = Filter {
        folder: query.text("folder").map(str::to_owned),
        category: query.text("category").map(str::to_owned),
        is_read: query.word("isRead", &IS_READ_VALUES)?.map(|text| text == "true"),
    };
    let asked = |name: &str| query.text(name).map_or_else(String::new, |text| format!("={text}"));
    let (folder, category, is_read) = (asked("folder"), asked("category"), asked("isRead"));
    let page =
        query.page(&service.cursors, &["threads", &caller.channel_id, &folder, &category, &is_read])?;
    let state = service.clone();
    service
        .database
        .read(move |db| {
            let rows = threads::list(db, &caller.channel_id, &filter, &page.after, page.rows_to_read())?;
            let rows = with_pauses(db, &state, &caller.channel_id, rows)?;
            page.reply(&state.cursors, rows, |(row, _)| row.page_position(), bodies::thread_body)
        })
        .await
}

/// Handles `getEmailThread`.
pub async fn thread(
    State(service): State<Service>,
    Extension(client): Extension<ClientInfo>,
    request: ReadRequest,
) -> Result<Reply, ApiError> {
    let id = request.segment("threadId")?;
    let caller = request.caller;
    let base = service.hosts.base_url(client.scheme, &client.host);
    let state = service.clone();
    service
        .database
        .read_consistent(move |db| {
            let row = threads::read(db, &caller.channel_id, &id)?.ok_or_else(not_found)?;
            let mails = emails::list_thread(db, &row.id, MAX_SHOWN_MAILS, MAX_SHOWN_BYTES)?;
            let found = invitations::describe_all(db, &caller.channel_id, &mails)?;
            let thread = with_pause(db, &state, row)?;
            Reply::ok(&bodies::full_thread_body(thread, mails, found, &base))
        })
        .await
}

/// Handles `updateEmailThread`; accepts any folder, category and priority.
pub async fn patch(State(service): State<Service>, mut request: WriteRequest) -> Result<Reply, ApiError> {
    let id = request.segment("threadId")?;
    let change: ThreadPatch = request.read_body()?;
    if change.folder.is_some() && change.archived.is_some() {
        return Err(FieldError::new("archived", "and folder must not both be present").into());
    }
    service
        .write(request, move |work, caller| {
            let mut row = threads::read(work.db, &caller.channel_id, &id)?.ok_or_else(not_found)?;
            let was = row.clone();
            apply(change, &mut row);
            threads::update(work.db, &row)?;
            changes::log_thread(work.db, &row.id, work.now)?;
            let channel = channels::read(work.db, &caller.channel_id)?;
            filing::request_filing(work, &channel, &was, &row)?;
            if row.folder == ARCHIVE_FOLDER && was.folder != ARCHIVE_FOLDER {
                team::work::record_done(work, &caller.workspace, WorkKind::Closed, &row.id)?;
            }
            Reply::ok(&bodies::filed_thread_body(with_pause(work.db, work.service, row)?))
        })
        .await
}

/// Adds the pauses of the assistant, none for a mailbox without one.
fn with_pauses(
    db: &dyn DbSession,
    service: &ServiceState,
    channel: &str,
    rows: Vec<ThreadRow>,
) -> Result<Vec<(ThreadRow, ThreadPause)>, DatabaseError> {
    let connected = service.platforms.connected(channel);
    let has_assistant =
        service.assistant.is_some() && connected.is_some_and(|entry| entry.platform.answers_mail());
    let ids: Vec<String> =
        if has_assistant { rows.iter().map(|row| row.id.clone()).collect() } else { Vec::new() };
    let mut pauses = thread_automation::list_pauses(db, &ids)?;
    let with_own = |row: ThreadRow| {
        let pause = pauses.remove(&row.id).unwrap_or_default();
        (row, pause)
    };
    Ok(rows.into_iter().map(with_own).collect())
}

/// Adds the pause of the assistant to one thread.
fn with_pause(
    db: &dyn DbSession,
    service: &ServiceState,
    row: ThreadRow,
) -> Result<(ThreadRow, ThreadPause), ApiError> {
    let channel = row.channel.clone();
    with_pauses(db, service, &channel, vec![row])?.pop().ok_or_else(not_found)
}

fn apply(change: ThreadPatch, row: &mut ThreadRow) {
    let archive = |folder: &str| match (change.archived, folder) {
        (Some(true), _) => ARCHIVE_FOLDER.to_owned(),
        (Some(false), ARCHIVE_FOLDER) => "inbox".to_owned(),
        _ => folder.to_owned(),
    };
    row.folder = change.folder.map_or_else(|| archive(&row.folder), Filled::into_string);
    row.is_read = change.is_read.unwrap_or(row.is_read);
    row.is_starred = change.is_starred.unwrap_or(row.is_starred);
    row.category = change.category.map(Filled::into_string).or_else(|| row.category.take());
    row.priority = change.priority.map_or_else(|| std::mem::take(&mut row.priority), Filled::into_string);
}

/// Handles `listEmailContacts`.
pub async fn contacts(State(service): State<Service>, request: ReadRequest) -> Result<Reply, ApiError> {
    let ReadRequest { caller, query, .. } = request;
    let search = query.text("search").filter(|text| !text.is_empty()).map(str::to_owned);
    let page = query
        .page(&service.cursors, &["mail contacts", &caller.channel_id, search.as_deref().unwrap_or("")])?;
    let state = service.clone();
    let is_search = search.is_some();
    let read = move |db: &dyn DbSession| {
        let rows = correspondents::list(
            db,
            &caller.channel_id,
            search.as_deref(),
            &page.after,
            page.rows_to_read(),
        )?;
        page.reply(
            &state.cursors,
            rows,
            correspondents::CorrespondentRow::page_position,
            bodies::contact_body,
        )
    };
    if is_search { service.database.search(read).await } else { service.database.read(read).await }
}

fn not_found() -> ApiError {
    ApiError::not_found("this thread")
}
