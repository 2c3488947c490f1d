//! Tests of the store with real files.

mod absences;
mod attention;
mod board;
mod broadcast_messages;
mod broadcast_only;
mod broadcasts;
mod campaigns;
mod copies;
mod decisions;
mod draft_only;
mod failing;
mod files;
mod filters;
mod histories;
mod local;
mod model_usage;
mod operations;
mod outbox;
mod person;
mod proposals;
mod queue;
mod reviews;
mod search;
mod sending_accounts;
mod since;
mod steps;
mod team;
mod threads;
mod versions;
mod windows;
mod wiping;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::Connection;

use crate::Store;
use crate::outbox::NewRow;
use model::account::Platform;
use model::conversations::{Conversation, ServiceWindow};
use model::ids::{ChannelId, ConversationId, MessageId};
use model::messages::{DeliveryStatus, Direction, Message, Sender};
use model::outbox::{Lane, Operation, PreparedRequest, WriteMethod};
use model::text::SafeText;
use model::time::{SECOND, Timestamp};

/// Counts SQLite's virtual machine steps on a connection from now on.
pub(crate) fn count_steps(connection: &mut Connection) -> Arc<AtomicU64> {
    let counted = Arc::new(AtomicU64::new(0));
    let counts = Arc::clone(&counted);
    let count = move || {
        counts.fetch_add(1, Ordering::Relaxed);
        false
    };
    connection.progress_handler(1, Some(count)).unwrap();
    counted
}

pub(crate) fn channel() -> ChannelId {
    ChannelId::from("harbor")
}

pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_micros(1_700_000_000 * SECOND + seconds * SECOND)
}

pub(crate) fn conversation(id: &str, active_at: i64) -> Conversation {
    Conversation {
        address: Some("+34600111222".to_owned()),
        name: Some(SafeText::line("Maria")),
        message_count: 1,
        preview: SafeText::line("hello"),
        last_message_at: Some(at(active_at)),
        created_at: Some(at(0)),
        window: ServiceWindow::Open,
        raw: "{}".to_owned(),
        ..Conversation::stand_in(ConversationId::from(id), true)
    }
}

pub(crate) fn message(conversation: &str, id: &str, seconds: i64, direction: Direction) -> Message {
    Message {
        direction,
        sender: if direction == Direction::Inbound { Sender::Customer } else { Sender::Ai },
        content: SafeText::block(id),
        delivery: DeliveryStatus::Sent,
        created_at: Some(at(seconds)),
        raw: format!("{id} sent"),
        ..Message::stand_in(MessageId::from(id), ConversationId::from(conversation))
    }
}

pub(crate) fn send(conversation: &str, text: &str, hold_micros: i64) -> NewRow {
    let operation = Operation::SendText { to: "+34600111222".into(), text: text.into(), reply_to: None };
    row(conversation, operation, hold_micros)
}

pub(crate) fn row(conversation: &str, operation: Operation, hold_micros: i64) -> NewRow {
    NewRow {
        channel: channel(),
        lane: Lane::Conversation(conversation.into()),
        operation,
        request: PreparedRequest::json(WriteMethod::Post, "/messages/send", b"{}".to_vec()),
        hold_micros,
        seen: None,
        planned_at: None,
    }
}

pub(crate) async fn list(store: &Store, page: Vec<Conversation>) {
    let snapshot = store.snapshot();
    store.apply_conversations(&channel(), page, snapshot, true, Vec::new()).await.unwrap();
}

pub(crate) async fn add(store: &Store, messages: Vec<Message>) {
    store.apply_messages(&channel(), messages, Platform::Whatsapp, Vec::new()).await.unwrap();
}
