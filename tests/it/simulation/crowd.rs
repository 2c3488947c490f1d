//! A town with some desks, for tests that script each event.

use std::ops::AsyncFnOnce;
use std::sync::Arc;

use frontdesk::client::prepare;
use frontdesk::model::account::Platform;
use frontdesk::model::chance::Chance;
use frontdesk::model::conversations::ConversationRow;
use frontdesk::model::filter::ConversationFilter;
use frontdesk::model::ids::ConversationId;
use frontdesk::model::messages::{HistoryPosition, Message};
use frontdesk::model::outbox::{Lane, Operation, OutboxRow};
use frontdesk::model::queries::ConversationQuery;
use frontdesk::model::time::{Clock, SECOND};
use frontdesk::service::AssistantChoice;
use frontdesk::store::outbox::NewRow;

use crate::desk::HandClock;
use crate::simulation::clock::Skewed;
use crate::simulation::desk::{self, Desk, Made};
use crate::simulation::human::history;
use crate::simulation::line::Line;
use crate::simulation::town::{Terms, Town};
use crate::simulation::trace::Trace;

pub struct Setting {
    pub desks: usize,
    /// True for one folder shared by all desks.
    pub shared: bool,
    pub polling: (u64, u64),
    pub assistant: AssistantChoice,
    pub seed: u64,
}

impl Setting {
    /// One desk with default polling, without an assistant.
    pub fn one() -> Self {
        Self { desks: 1, shared: false, polling: (3, 10), assistant: AssistantChoice::Off, seed: 1 }
    }
}

pub struct Crowd {
    pub clock: Arc<HandClock>,
    pub town: Arc<tokio::sync::Mutex<Town>>,
    pub desks: Vec<Desk>,
    _folders: Vec<tempfile::TempDir>,
}

impl Crowd {
    /// A town without messages; every desk has read it.
    pub async fn gather(setting: Setting) -> Self {
        let clock = HandClock::new();
        let trace = Trace::recording();
        let mut folders = vec![tempfile::tempdir().expect("a folder")];
        let terms = Terms { seed: setting.seed, skew: 40 * SECOND, assistant: setting.assistant };
        let town = Town::found(folders[0].path(), terms, clock.clone(), trace.clone()).await;
        let spec = desk::spec(&town.service.base_url, town.key("whatsapp"));
        let town = Arc::new(tokio::sync::Mutex::new(town));
        let mut desks: Vec<Desk> = Vec::new();
        for number in 0..setting.desks {
            if number == 0 || !setting.shared {
                folders.push(tempfile::tempdir().expect("a folder"));
            }
            let seed = setting.seed * 100 + number as u64;
            let line = Line::new(town.clone(), Chance::seeded(seed), trace.clone());
            line.listen();
            let mut desk = Desk::new(Made {
                number,
                folder: folders.last().expect("a folder").path().to_owned(),
                spec: spec.clone(),
                polling: setting.polling,
                shared: setting.shared,
                clock: Skewed::new(clock.clone(), 0),
                line,
                chance: Chance::seeded(seed + 50),
                trace: trace.clone(),
            });
            if setting.shared
                && let Some(first) = desks.first()
            {
                desk.notices = first.notices.clone();
            }
            desks.push(desk);
        }
        let mut crowd = Self { clock, town, desks, _folders: folders };
        for index in 0..crowd.desks.len() {
            let now = crowd.now();
            crowd.desks[index].start(now);
            crowd.pass(2 * SECOND).await;
        }
        crowd
    }

    pub fn now(&self) -> i64 {
        self.clock.now().micros()
    }

    pub async fn pass(&mut self, span: i64) {
        let until = self.now() + span;
        loop {
            let next = self.desks.iter().enumerate().map(|(index, desk)| (desk.due(), index)).min();
            let Some((at, index)) = next.filter(|(at, _)| *at <= until) else { break };
            self.town.lock().await.pass_until(at).await;
            let clock = self.clock.clone();
            assert!(self.desks[index].step(|| clock.now().micros()).await, "nothing crashes here");
        }
        self.town.lock().await.pass_until(until).await;
    }

    pub async fn pass_in_town(&self, span: i64) {
        let until = self.now() + span;
        self.town.lock().await.pass_until(until).await;
    }

    pub async fn town<R>(&self, act: impl AsyncFnOnce(&mut Town) -> R) -> R {
        act(&mut *self.town.lock().await).await
    }

    pub fn list(&self, desk: usize) -> Vec<ConversationRow> {
        let desk = &self.desks[desk];
        let query = ConversationQuery::first(desk.channel().clone(), ConversationFilter::all(), 1000);
        desk.body().reader.conversations(&query).expect("a list").rows
    }

    pub fn with(&self, desk: usize, number: &str) -> Option<ConversationRow> {
        self.list(desk)
            .into_iter()
            .find(|conversation_row| conversation_row.conversation.address.as_deref() == Some(number))
    }

    pub fn messages(&self, desk: usize, conversation: &ConversationId) -> Vec<Message> {
        let page = history(&self.desks[desk], conversation, 10_000);
        page.messages.into_iter().map(|message| message.message).collect()
    }

    pub fn newest(&self, desk: usize, conversation: &ConversationId) -> Option<HistoryPosition> {
        let newest = history(&self.desks[desk], conversation, 1).messages.pop()?.message;
        Some((newest.created_at?, newest.id))
    }

    pub fn queue(
        &mut self,
        desk: usize,
        conversation: &ConversationId,
        seen: Option<HistoryPosition>,
        operations: Vec<Operation>,
    ) -> Vec<OutboxRow> {
        let now = self.now();
        let desk = &mut self.desks[desk];
        let lane = Lane::Conversation(conversation.clone());
        let rows = operations.into_iter().map(|operation| {
            let request = prepare(&Platform::Whatsapp, &lane, &operation).expect("can be sent");
            let (channel, lane, seen) = (desk.channel().clone(), lane.clone(), seen.clone());
            NewRow { channel, lane, operation, request, hold_micros: 0, seen, planned_at: None }
        });
        let rows = rows.collect();
        let queued = desk.store().enqueue_many(rows, false, desk.clock.now()).expect("queued");
        desk.wake_outbox(now);
        queued
    }

    /// Recipient and content of everything that reached the platform, oldest first.
    pub async fn arrived(&self) -> Vec<(String, String)> {
        let town = self.town.lock().await;
        let sql = "SELECT recipient, content FROM outbound ORDER BY seq";
        let mut statement = town.sql().prepare(sql).expect("sql");
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
        rows.map(|row| row.expect("a row")).collect()
    }
}

pub fn text(to: &str, text: &str) -> Operation {
    Operation::SendText { to: to.to_owned(), text: text.to_owned(), reply_to: None }
}
