//! The data of a year, and the paths that are asked.

use std::collections::BTreeMap;

use frontdesk::model::time::{Clock, DAY};
use frontdesk::shell::clock::SystemClock;
use serde_json::{Value, json};

use super::{end, serve};
use crate::binary::Binary;

/// Messages of a conversation or thread.
const TURNS: usize = 20;

/// A path with words in braces that each call replaces.
#[derive(Debug, Clone)]
pub struct Path {
    pub channel: &'static str,
    pub text: &'static str,
    /// True if each page is followed by the next one.
    pub is_paged: bool,
}

const fn page(channel: &'static str, text: &'static str) -> Path {
    Path { channel, text, is_paged: true }
}

const fn one(channel: &'static str, text: &'static str) -> Path {
    Path { channel, text, is_paged: false }
}

const CHAT: &str = "whatsapp";
const BOT: &str = "telegram";
const MAIL: &str = "email";
const PHONE: &str = "voip";
/// A person's session instead of a key.
const PERSON: &str = "person";

/// Every list with its filters, every search, every trigger, and what a desk asks.
pub const PATHS: &[Path] = &[
    one(CHAT, "/v1/account"),
    page(CHAT, "/v1/conversations?limit=50"),
    page(CHAT, "/v1/conversations?limit=50&status=open"),
    page(CHAT, "/v1/conversations?limit=50&status=closed"),
    one(CHAT, "/v1/conversations/{conversation}"),
    page(CHAT, "/v1/conversations/{conversation}/messages?limit=50"),
    page(CHAT, "/v1/messages?limit=50"),
    page(CHAT, "/v1/messages?limit=50&direction=inbound"),
    page(CHAT, "/v1/messages?limit=50&direction=outbound"),
    page(CHAT, "/v1/messages?limit=50&status=failed"),
    page(CHAT, "/v1/messages?limit=50&status=read"),
    page(CHAT, "/v1/messages?limit=50&direction=outbound&status=failed"),
    page(CHAT, "/v1/messages?limit=50&direction=inbound&status=failed"),
    page(CHAT, "/v1/messages?limit=50&conversationId={conversation}"),
    page(CHAT, "/v1/messages?limit=50&conversationId={conversation}&direction=outbound&status=failed"),
    page(CHAT, "/v1/contacts?limit=50"),
    page(CHAT, "/v1/contacts?limit=50&search=customer"),
    page(CHAT, "/v1/contacts?limit=50&search=customer%20{number}"),
    page(CHAT, "/v1/contacts?limit=50&search={phone}"),
    page(CHAT, "/v1/contacts?limit=50&search=nobody%20at%20all"),
    one(CHAT, "/v1/contacts/{contact}"),
    one(CHAT, "/v1/templates"),
    one(CHAT, "/v1/webhooks"),
    one(CHAT, "/v1/triggers/new-message"),
    one(CHAT, "/v1/triggers/new-contact"),
    one(CHAT, "/v1/triggers/new-order"),
    one(CHAT, "/v1/triggers/new-appointment"),
    one(CHAT, "/v1/triggers/campaign-completed"),
    page(BOT, "/v1/telegram/conversations?limit=50"),
    page(BOT, "/v1/telegram/conversations?limit=50&status=closed"),
    page(BOT, "/v1/telegram/conversations/{chat}/messages?limit=50"),
    one(BOT, "/v1/triggers/new-message"),
    page(MAIL, "/v1/email/threads?limit=50"),
    page(MAIL, "/v1/email/threads?limit=50&folder=inbox"),
    page(MAIL, "/v1/email/threads?limit=50&category=billing"),
    page(MAIL, "/v1/email/threads?limit=50&isRead=false"),
    page(MAIL, "/v1/email/threads?limit=50&folder=inbox&isRead=false"),
    page(MAIL, "/v1/email/threads?limit=50&folder=archive&category=billing&isRead=false"),
    one(MAIL, "/v1/email/threads/{thread}"),
    page(MAIL, "/v1/email/contacts?limit=50"),
    page(MAIL, "/v1/email/contacts?limit=50&search=writer%20{number}"),
    page(MAIL, "/v1/email/contacts?limit=50&search=nobody%20at%20all"),
    one(MAIL, "/v1/triggers/new-message"),
    page(PHONE, "/v1/voip/conversations?limit=50"),
    one(PERSON, "/desk/v1/conversations?ids={conversation}"),
    one(PERSON, "/desk/v1/conversations?changedAfter={changed}"),
    one(PERSON, "/desk/v1/replies"),
];

/// Sizes and keys of the data: a tenth of the conversations each is bot-chat and mail.
pub struct Year {
    pub messages: usize,
    chats: usize,
    bots: usize,
    threads: usize,
    /// Time of a recent change.
    changed: String,
    keys: BTreeMap<String, String>,
}

impl Year {
    /// Makes a service's file in the folder and fills it.
    pub async fn make(binary: &Binary, messages: usize) -> Self {
        let file = binary.folder().join("service.db");
        let place = file.to_str().expect("words");
        let process = serve(binary, place);
        let added = binary.ok(&["admin", "--db", place, "person", "add", "Ana", "--json"], "");
        let added: Value = serde_json::from_str(&added).expect("JSON");
        let wanted = json!({"token": added["token"], "device": "a desk"});
        let (status, signed_in) = process.ask("/desk/v1/sign-in", "none", None, Some(wanted)).await;
        assert_eq!(status, 200, "{signed_in}");
        end(process);
        let ready = std::fs::read_to_string(binary.folder().join("year.json")).expect("ready");
        let ready: Value = serde_json::from_str(&ready).expect("JSON");
        let live = ready["keys"].as_array().expect("keys").iter().filter(|key| key["environment"] == "live");
        let text = |value: &Value| value.as_str().expect("text").to_owned();
        let mut keys: BTreeMap<String, String> =
            live.map(|key| (text(&key["channel"]), text(&key["key"]))).collect();
        keys.insert(PERSON.to_owned(), text(&signed_in["session"]));
        let conversations = messages / TURNS;
        let (bots, threads) = (conversations / 10, conversations / 10);
        let now = SystemClock.now();
        let changed = now.plus(-DAY).to_string().replace(':', "%3A");
        let year = Self { messages, chats: conversations - bots - threads, bots, threads, changed, keys };
        year.fill_file(&file, now.micros());
        year
    }

    pub fn key(&self, channel: &str) -> &str {
        &self.keys[channel]
    }

    /// Phone number of a customer.
    pub fn phone(&self, number: usize) -> String {
        format!("+346{:08}", number % self.chats)
    }

    /// Replaces the words in braces for a call.
    pub fn fill(&self, text: &str, call: usize) -> String {
        // Calls walk over all of the data.
        let pick = |count: usize| call.wrapping_mul(7_919) % count;
        let chat = pick(self.chats);
        text.replace("{conversation}", &format!("conv_{chat:022x}"))
            .replace("{contact}", &format!("contact_{chat:022x}"))
            .replace("{number}", &chat.to_string())
            .replace("{phone}", &self.phone(chat)[1..])
            .replace("{chat}", &format!("chat_{:022x}", pick(self.bots)))
            .replace("{thread}", &format!("thread_{:022x}", pick(self.threads)))
            .replace("{changed}", &self.changed)
    }

    fn fill_file(&self, file: &std::path::Path, now: i64) {
        let Self { messages, chats, bots, threads, .. } = self;
        let (of_chats, of_bots, of_threads) = (chats * TURNS, bots * TURNS, threads * TURNS);
        let at = |place: &str, of: usize| time_sql(now, place, of);
        let last = |of: usize| at(&format!("(i + {of} * {})", TURNS - 1), of * TURNS);
        let words = WORDS;
        let status = "CASE WHEN i % 10 = 0 THEN 'closed' ELSE 'active' END";
        let chat_id = id_sql("conv_", "i");
        let bot_id = id_sql("chat_", "i");
        let thread_id = id_sql("thread_", "i");
        let sql = format!(
            "PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; PRAGMA foreign_keys = OFF; BEGIN;
             {chat_rows} INSERT INTO conversations (id, channel, peer, name, email, status, message_count, preview, last_at,
                     first_at, created_at, last_inbound_at)
                 SELECT {chat_id}, 'ch_whatsapp', '+346' || printf('%08d', i), 'Customer ' || i,
                     CASE WHEN i % 3 = 0 THEN 'c' || i || '@mail.example' END, {status}, {TURNS}, {words}, {chat_last},
                     {chat_first}, {chat_first}, {chat_last} FROM n;
             {bot_rows} INSERT INTO conversations (id, channel, peer, name, status, message_count, preview, last_at, first_at,
                     created_at, last_inbound_at)
                 SELECT {bot_id}, 'ch_telegram', CAST(1000000 + i AS TEXT), 'Customer ' || i, {status}, {TURNS}, {words},
                     {bot_last}, {bot_first}, {bot_first}, {bot_last} FROM n;
             {chat_rows} INSERT INTO contacts (id, workspace, phone, name, email, tags, metadata, created_at, updated_at,
                     last_at, folded)
                 SELECT {contact_id}, 'ws_1', '+346' || printf('%08d', i), 'Customer ' || i,
                     CASE WHEN i % 3 = 0 THEN 'c' || i || '@mail.example' END, '[]', '{{}}', {chat_first}, {chat_first},
                     {chat_last}, 'customer ' || i FROM n;
             {thread_rows} INSERT INTO threads (id, channel, subject, topic, contact, contact_email, contact_name, folder,
                     category, priority, is_read, is_starred, message_count, last_at, created_at)
                 SELECT {thread_id}, 'ch_email', 'Order ' || i, 'order ' || i, 'w' || i || '@mail.example',
                     'w' || i || '@mail.example', 'Writer ' || i, CASE WHEN i % 20 = 0 THEN 'inbox' ELSE 'archive' END,
                     CASE WHEN i % 40 = 0 THEN 'billing' END, 'normal', i % 60 <> 0, 0, {TURNS}, {thread_last}, {thread_first}
                     FROM n;
             {thread_rows} INSERT INTO correspondents (channel, address, email, name, folded_name, message_count, last_at)
                 SELECT 'ch_email', 'w' || i || '@mail.example', 'w' || i || '@mail.example', 'Writer ' || i,
                     'writer ' || i, {TURNS}, {thread_last} FROM n;
             {mail_rows} INSERT INTO emails (id, thread, channel, header_id, direction, sender, recipients, copies, blind_copies,
                     subject, body_text, attachments, headers, status, created_at)
                 SELECT 'mail_' || printf('%014x%08x', {mail_at}, i), 'thread_' || printf('%022x', i % {threads}), 'ch_email',
                     '<' || i || '@mail.example>', CASE WHEN i / {threads} % 2 = 0 THEN 'inbound' ELSE 'outbound' END,
                     'w' || (i % {threads}) || '@mail.example', '[]', '[]', '[]', 'Order ' || (i % {threads}), {words}, '[]',
                     '{{}}', CASE WHEN i / {threads} % 2 = 0 THEN 'received' ELSE 'sent' END, {mail_at} FROM n;
             {event_rows} INSERT INTO happenings (workspace, name, id, data, at)
                 SELECT 'ws_1', CASE WHEN i % 2 = 0 THEN 'order' ELSE 'appointment' END, 'h' || i, '{{}}', {event_at} FROM n;
             {campaign_rows} INSERT INTO broadcasts (id, channel, kind, content, price, total, status, created_at, completed_at)
                 SELECT 'bc_' || i, 'ch_whatsapp', 'text', 'hello', 1, 0, 'completed', {campaign_at}, {campaign_at} FROM n;
             {SEARCH_PARTS} {chat_messages} {bot_messages} COMMIT; ANALYZE; PRAGMA wal_checkpoint(TRUNCATE);",
            chat_rows = rows_sql(*chats),
            bot_rows = rows_sql(*bots),
            thread_rows = rows_sql(*threads),
            mail_rows = rows_sql(of_threads),
            event_rows = rows_sql(messages / 20),
            campaign_rows = rows_sql(messages / 2_000),
            contact_id = id_sql("contact_", "i"),
            chat_first = at("i", of_chats),
            chat_last = last(*chats),
            bot_first = at("i", of_bots),
            bot_last = last(*bots),
            thread_first = at("i", of_threads),
            thread_last = last(*threads),
            mail_at = at("i", of_threads),
            event_at = at("i", messages / 20),
            campaign_at = at("i", messages / 2_000),
            chat_messages = self.insert_messages(now, "conv_", *chats, "ch_whatsapp"),
            bot_messages = self.insert_messages(now, "chat_", *bots, "ch_telegram"),
        );
        rusqlite::Connection::open(file).expect("it opens").execute_batch(&sql).expect("filled");
    }
    /// SQL that inserts the messages of `of` conversations, by turns.
    fn insert_messages(&self, now: i64, prefix: &str, of: usize, channel: &str) -> String {
        let (rows, at) = (rows_sql(of * TURNS), time_sql(now, "i", of * TURNS));
        let conversation = id_sql(prefix, &format!("i % {of}"));
        let is_in = format!("i / {of} % 2 = 0");
        format!(
            "{rows} INSERT INTO messages (id, conversation, channel, platform_id, direction, sender, content, kind, status,
                 created_at)
             SELECT 'msg_' || printf('%014x%08x', {at}, i) || substr('{prefix}', 1, 2), {conversation}, '{channel}', '{prefix}' || i,
                 CASE WHEN {is_in} THEN 'inbound' ELSE 'outbound' END, CASE WHEN {is_in} THEN 'customer' ELSE 'ai' END,
                 {WORDS}, 'text',
                 CASE WHEN {is_in} THEN 'received' WHEN i % 5001 = 0 THEN 'failed' ELSE 'read' END, {at} FROM n;"
        )
    }
}

/// SQL of a text of 20 to 79 characters.
const WORDS: &str = "substr('hello where is my order número 1041 gracias the bicycle hello where is my order', 1, 20 + i % 60)";

/// SQL that fills the parts by which contacts are found.
const SEARCH_PARTS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 3 FROM n WHERE i < 40),
    texts(scope, subject, words) AS (SELECT workspace, id, folded FROM contacts
        UNION ALL SELECT workspace, id, phone FROM contacts
        UNION ALL SELECT channel, address, address FROM correspondents
        UNION ALL SELECT channel, address, folded_name FROM correspondents)
    INSERT OR IGNORE INTO search_parts
        SELECT scope, substr(words, i, 3), subject FROM texts JOIN n ON i <= length(words) - 2;";

/// SQL of a table `n` with the numbers `i` from 0.
fn rows_sql(count: usize) -> String {
    format!("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {count})")
}

/// SQL of the time of a row, over the year up to now.
fn time_sql(now: i64, place: &str, of: usize) -> String {
    let year = 365 * DAY;
    format!("({now} - {year} + {place} * ({year} / {of}))")
}

fn id_sql(prefix: &str, number: &str) -> String {
    format!("'{prefix}' || printf('%022x', {number})")
}
