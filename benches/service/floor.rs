//! The bare server: axum, SQLite and the same queries; no keys, no limits, no
//! idempotency, no sealed cursors, one transaction for each send.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use axum::extract::{Path as Segment, Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use frontdesk::api::pages::Page;
use frontdesk::model::time::Timestamp;
use frontdesk::platforms::Channel;
use frontdesk::service::cursors::PagePosition;
use frontdesk::service::database::conversations::{self, ConversationRow};
use frontdesk::service::database::messages::{self, Filter, MessageRow};
use frontdesk::service::database::{outbound, workspaces};
use frontdesk::service::handlers::bodies;
use rusqlite::{Connection, OpenFlags};
use serde::Serialize;
use serde_json::{Value, json};

/// The environment variable that makes this binary the bare server.
pub const PATH: &str = "FRONTDESK_BENCH_FLOOR";
const CHANNEL: &str = "ch_whatsapp";

type Parameters = Query<std::collections::HashMap<String, String>>;

struct Files {
    readers: Mutex<Vec<Connection>>,
    writer: Mutex<Connection>,
    serial: AtomicU64,
}

/// Serves until it is killed.
pub fn serve(path: &str) {
    let open = || {
        let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).expect("opens");
        db.execute_batch("PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;").expect("set");
        db
    };
    assert!(Path::new(path).exists());
    let files = Files {
        readers: Mutex::new((0..3).map(|_| open()).collect()),
        writer: Mutex::new(open()),
        serial: AtomicU64::new(0),
    };
    let router = Router::new()
        .route("/conversations", get(list))
        .route("/messages", get(all_messages))
        .route("/conversations/{id}/messages", get(history))
        .route("/messages/send", post(send))
        .with_state(Arc::new(files));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let mut out = std::io::stdout();
        writeln!(out, "listening on http://{address}").and_then(|()| out.flush()).expect("told");
        axum::serve(listener, router).await.expect("serves");
    });
}

/// Runs a query on a connection nobody uses.
async fn read<T: Send + 'static>(
    files: Arc<Files>,
    query: impl FnOnce(&Connection) -> T + Send + 'static,
) -> T {
    let job = move || {
        let db = loop {
            if let Some(db) = files.readers.lock().expect("no one failed").pop() {
                break db;
            }
            std::thread::yield_now();
        };
        let found = query(&db);
        files.readers.lock().expect("no one failed").push(db);
        found
    };
    tokio::task::spawn_blocking(job).await.expect("no panic")
}

fn after(parameters: &Parameters) -> PagePosition {
    let Some((at, id)) = parameters.get("cursor").and_then(|parameter| parameter.split_once('.')) else {
        return PagePosition::top();
    };
    PagePosition { at: at.parse().expect("a number"), id: id.to_owned() }
}

fn page<'a, T, B: Serialize>(
    rows: &'a [T],
    place: impl Fn(&T) -> PagePosition,
    body: impl Fn(&'a T) -> B,
) -> Response {
    let more = rows.len() > 50;
    let kept = &rows[..rows.len().min(50)];
    let last = kept.last().filter(|_| more).map(place);
    let next_cursor = last.map(|place| format!("{}.{}", place.at, place.id));
    Json(Page { data: kept.iter().map(body).collect(), has_more: more, next_cursor }).into_response()
}

async fn list(State(files): State<Arc<Files>>, parameters: Parameters) -> Response {
    let after = after(&parameters);
    let query = move |db: &Connection| conversations::list(db, CHANNEL, None, &after, 51).expect("listed");
    let rows = read(files, query).await;
    let now = Timestamp::from_micros(0);
    page(&rows, ConversationRow::page_position, |row| bodies::conversation_body(row, now))
}

async fn all_messages(State(files): State<Arc<Files>>, parameters: Parameters) -> Response {
    messages_of(files, after(&parameters), Filter::default()).await
}

async fn history(
    State(files): State<Arc<Files>>,
    Segment(id): Segment<String>,
    parameters: Parameters,
) -> Response {
    let filter = Filter { conversation: Some(id), ..Filter::default() };
    messages_of(files, after(&parameters), filter).await
}

async fn messages_of(files: Arc<Files>, after: PagePosition, filter: Filter) -> Response {
    let query = move |db: &Connection| messages::list(db, CHANNEL, &filter, &after, 51).expect("listed");
    let rows = read(files, query).await;
    page(&rows, MessageRow::page_position, |row| bodies::message_body(row, Channel::Whatsapp))
}

/// Stores a message, counts it and takes its price: one transaction each.
async fn send(State(files): State<Arc<Files>>, Json(body): Json<Value>) -> Json<Value> {
    let serial = files.serial.fetch_add(1, Ordering::Relaxed);
    let job = move || store(&files, serial, &body);
    tokio::task::spawn_blocking(job).await.expect("no panic")
}

fn store(files: &Files, serial: u64, body: &Value) -> Json<Value> {
    let text = body["text"]["body"].as_str().expect("a text").to_owned();
    let to = body["to"].as_str().expect("a number");
    let mut db = files.writer.lock().expect("no one failed");
    let change = db.transaction().expect("begun");
    let found = conversations::find_by_peer(&*change, CHANNEL, to).expect("found").expect("there");
    let at = Timestamp::from_micros(1_800_000_000_000_000 + i64::try_from(serial).expect("small"));
    let id = format!("msg_bare{serial:018x}");
    let row = MessageRow {
        id: id.clone(),
        conversation: found.id.clone(),
        channel: CHANNEL.to_owned(),
        platform_id: format!("bare{serial}"),
        direction: "outbound".to_owned(),
        sender: "api".to_owned(),
        content: text.clone(),
        kind: "text".to_owned(),
        media_url: None,
        details: None,
        status: "sent".to_owned(),
        reply_to: None,
        reaction: None,
        extras: None,
        cost: 1,
        created_at: at,
        sent_at: None,
        delivered_at: None,
        read_at: None,
        broadcast: None,
    };
    messages::insert(&*change, &row).expect("inserted");
    conversations::touch(&*change, &found.id, &text, false, at).expect("touched");
    let _ = workspaces::charge(&*change, "ws_1", 0, "message", &id, at).expect("charged");
    outbound::record(&*change, Channel::Whatsapp, to, &text, None, at).expect("noted");
    change.commit().expect("kept");
    Json(json!({"messageId": id, "status": "sent"}))
}
