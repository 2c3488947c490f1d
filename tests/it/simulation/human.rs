//! A person at a desk for part of the day: takes over, answers, hands back, decides.

use std::collections::BTreeMap;

use frontdesk::client::prepare;
use frontdesk::model::account::Platform;
use frontdesk::model::chance::Chance;
use frontdesk::model::filter::ConversationFilter;
use frontdesk::model::ids::ConversationId;
use frontdesk::model::messages::HistoryPosition;
use frontdesk::model::outbox::{Lane, Operation, OutboxRow, StopVerdict};
use frontdesk::model::queries::{ConversationQuery, HistoryPage, HistoryQuery};
use frontdesk::model::time::{Clock, SECOND};
use frontdesk::store::outbox::NewRow;

use crate::simulation::desk::Desk;

/// Rows of a list or a history on screen.
const SCREEN: u32 = 40;

pub struct Human {
    /// Sessions on the true clock.
    sessions: Vec<(i64, i64)>,
    pub next: i64,
    chance: Chance,
    open: Option<ConversationId>,
    texts: u64,
    /// Texts written and not dropped, with the number of times each was sent again.
    pub written: BTreeMap<String, u32>,
    /// Texts dropped by the person.
    pub dropped: BTreeMap<String, u32>,
    /// Number of reactions sent.
    pub reacted: u64,
}

impl Human {
    pub fn new(sessions: Vec<(i64, i64)>, chance: Chance) -> Self {
        let next = sessions.first().map_or(i64::MAX, |session| session.0);
        Self {
            sessions,
            next,
            chance,
            open: None,
            texts: 0,
            written: BTreeMap::new(),
            dropped: BTreeMap::new(),
            reacted: 0,
        }
    }

    pub fn visit(&mut self, session: (i64, i64)) {
        self.sessions.push(session);
        self.next = self.next.min(session.0);
    }

    /// Takes the next action at a running desk.
    pub fn act(&mut self, desk: &mut Desk, now: i64) {
        let here = self.sessions.iter().any(|(from, to)| (*from..*to).contains(&now));
        if !here {
            self.open = None;
            desk.focus(None, now);
            let later = self.sessions.iter().map(|session| session.0).filter(|from| *from > now).min();
            self.next = later.unwrap_or(i64::MAX);
            return;
        }
        match (&self.open, self.chance.below(10)) {
            (None, _) | (_, 0..=2) => self.open_another(desk, now),
            (Some(open), choice) => {
                let open = open.clone();
                self.work_on(desk, &open, choice, now);
            }
        }
        let pause = 5 + self.chance.below(120);
        self.next = now + i64::try_from(pause).expect("small") * SECOND;
    }

    fn open_another(&mut self, desk: &mut Desk, now: i64) {
        let filter = if self.chance.below(2) == 0 {
            ConversationFilter::needing_person()
        } else {
            ConversationFilter::open()
        };
        let query = ConversationQuery::first(desk.channel().clone(), filter, SCREEN);
        let rows = desk.body().reader.conversations(&query).expect("a list").rows;
        let index = self.chance.below(rows.len().max(1) as u64);
        let row = rows.get(usize::try_from(index).expect("small"));
        self.open = row.map(|row| row.conversation.id.clone());
        desk.focus(Some(self.open.clone()), now);
    }

    fn work_on(&mut self, desk: &mut Desk, open: &ConversationId, choice: u64, now: i64) {
        let page = history(desk, open, SCREEN);
        let Some(newest) = page.messages.last() else { return };
        let Some(at) = newest.message.created_at else { return };
        let seen = (at, newest.message.id.clone());
        desk.store().mark_seen(desk.channel(), open, seen.clone()).expect("noted");
        for row in &page.outbox {
            if row.is_stopped() {
                self.decide(desk, row);
            }
        }
        let address =
            page.conversation.as_ref().and_then(|conversation| conversation.conversation.address.clone());
        let Some(to) = address else { return };
        match choice {
            3..=5 => {
                let text = self.text(desk.number);
                let pause = Operation::SetAutomation { enabled: false };
                let reply = Operation::SendText { to, text, reply_to: None };
                self.queue(desk, open, &seen, vec![pause, reply]);
            }
            6 => {
                let text = self.text(desk.number);
                let quoted = Some(newest.message.id.clone());
                self.queue(desk, open, &seen, vec![Operation::SendText { to, text, reply_to: quoted }]);
            }
            7 => self.queue(desk, open, &seen, vec![Operation::SetAutomation { enabled: true }]),
            8 => self.queue(desk, open, &seen, vec![Operation::Close]),
            _ => {
                let message = newest.message.id.clone();
                self.reacted += 1;
                self.queue(desk, open, &seen, vec![Operation::React { message, emoji: "👍".to_owned() }]);
            }
        }
        desk.wake_outbox(now);
    }

    fn text(&mut self, desk: usize) -> String {
        self.texts += 1;
        let text = format!("Answer {} from desk {desk}", self.texts);
        self.written.insert(text.clone(), 0);
        text
    }

    fn queue(&self, desk: &Desk, open: &ConversationId, seen: &HistoryPosition, operations: Vec<Operation>) {
        let lane = Lane::Conversation(open.clone());
        let rows = operations.into_iter().map(|operation| {
            let request = prepare(&Platform::Whatsapp, &lane, &operation).expect("can be sent");
            let (channel, lane, seen) = (desk.channel().clone(), lane.clone(), Some(seen.clone()));
            NewRow { channel, lane, operation, request, hold_micros: 0, seen, planned_at: None }
        });
        let rows = rows.collect();
        desk.store().enqueue_many(rows, false, desk.clock.now()).expect("queued");
    }

    fn decide(&mut self, desk: &Desk, row: &OutboxRow) {
        let say = |verdict| desk.store().decide(&row.id, verdict, None, desk.clock.now()).expect("decided");
        let tried = match self.chance.below(4) {
            0 => None,
            _ => desk.store().retry_stopped(&row.id, None, desk.clock.now()).expect("decided"),
        };
        let after = tried.and_then(|applied_decision| applied_decision.after);
        if after.is_none() {
            say(StopVerdict::Drop);
        }
        let Operation::SendText { text, .. } = &row.operation else { return };
        match after {
            Some(after) if after.key != row.key => *self.written.entry(text.clone()).or_default() += 1,
            Some(_) => {}
            None => {
                let resent = self.written.remove(text).unwrap_or_default();
                self.dropped.insert(text.clone(), resent);
            }
        }
    }

    pub async fn clear_desk(&mut self, desk: &Desk) {
        for row in stopped_rows(desk).await {
            self.decide(desk, &row);
        }
    }
}

pub fn history(desk: &Desk, conversation: &ConversationId, limit: u32) -> HistoryPage {
    let query = HistoryQuery { channel: desk.channel().clone(), conversation: conversation.clone(), limit };
    desk.body().reader.history(&query).expect("a history")
}

pub async fn stopped_rows(desk: &Desk) -> Vec<OutboxRow> {
    let rows = desk.store().lane_rows(desk.channel()).await.expect("rows");
    rows.into_iter().map(|row| row.row).filter(OutboxRow::is_stopped).collect()
}
