//! Desks of a team on the real service: what one does is seen at the other, and what one did without a network is
//! merged.
//!
//! `FRONTDESK_LIVES` sets the number of random rounds, `FRONTDESK_SEED` the cases.

mod crossing;
mod interleaved;
mod without_teams;

use std::sync::Mutex;
use std::time::Duration;

use frontdesk::inbox::event::{FileWrite, Intent};
use frontdesk::model::account::Platform;
use frontdesk::model::ids::{ChannelId, ConversationId};
use frontdesk::model::local::{Assignment, LocalChange, LocalState, Tag, TagLocation};
use frontdesk::model::messages::{HistoryPosition, MessageAgent, MessageRow};
use frontdesk::model::news::News;
use frontdesk::model::outbox::content::Mail;
use frontdesk::model::outbox::{Lane, Operation, OutboxRow, RowState, StopVerdict};
use frontdesk::model::queries::{ConversationKey, HistoryQuery};
use frontdesk::model::secret::Secret;
use frontdesk::model::snooze::Snooze;
use frontdesk::model::stop_reasons::StopReason;
use frontdesk::model::team::{Activity, Presence};
use frontdesk::model::text::SafeText;
use frontdesk::model::time::{DAY, HOUR, SECOND, Timestamp};
use frontdesk::shell::clock::SystemClock;
use frontdesk::shell::effects;
use frontdesk::store::{Store, StoreOptions};
use frontdesk::sync::{ChannelSpec, Engine, Polling, TeamSpec};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use randomized::RandomCases;

use super::*;
use crate::waiting::until_found;

const CUSTOMER: &str = "+34600111222";
const RARELY: Duration = Duration::from_secs(3600);
const ROUNDS: u32 = 3;
const STEPS: usize = 12;
/// Hold of a reply, in microseconds: longer than a busy machine takes for a colleague's answer and its event.
const REPLY_HOLD: i64 = 30 * SECOND;

fn chats() -> ChannelId {
    ChannelId::from("chats")
}

/// A person's desk: its files, and an engine while it runs.
struct TeamDesk {
    name: &'static str,
    spec: TeamSpec,
    key: String,
    folder: tempfile::TempDir,
    store: Option<Store>,
    engine: Option<Engine>,
    news: Arc<Mutex<Vec<News>>>,
    polling: Duration,
}

impl TeamDesk {
    async fn start(team: &Team, name: &'static str, role: Role) -> Self {
        Self::start_at(&format!("{}/v1", team.base_url), team, name, (role, "whatsapp")).await
    }

    /// Starts the desk of an agent whose only tab is of this channel.
    async fn start_on(team: &Team, name: &'static str, channel: &str) -> Self {
        Self::start_at(&format!("{}/v1", team.base_url), team, name, (Role::Agent, channel)).await
    }

    /// Starts a desk that reaches the service at an address of its own.
    async fn start_at(
        base_url: &str,
        team: &Team,
        name: &'static str,
        (role, channel): (Role, &str),
    ) -> Self {
        let colleague = team.sign_in(name, role).await;
        let spec = TeamSpec {
            base_url: base_url.to_owned(),
            session: Secret::new(&colleague.session),
            person: SafeText::line(name),
            channels: vec![chats()],
            new_channels: None,
        };
        let key = colleague.key(channel).to_owned();
        let folder = tempfile::tempdir().expect("a folder");
        let news = Arc::default();
        let mut desk = Self { name, spec, key, folder, store: None, engine: None, news, polling: RARELY };
        desk.connect().await;
        desk
    }

    /// Starts the engine. Unless told otherwise it polls once an hour: what comes sooner was reported by an event.
    async fn connect(&mut self) {
        let options = StoreOptions { owner: self.name.to_owned(), ..StoreOptions::default() };
        let store = Store::open_with(self.folder.path(), options).expect("the files open");
        let channel = ChannelSpec {
            id: chats(),
            name: "Chats".to_owned(),
            base_url: self.spec.base_url.clone(),
            key: Secret::new(&self.key),
            read_only: false,
            draft_only: false,
        };
        let log = self.news.clone();
        let engine = Engine::start(
            tokio::runtime::Handle::current(),
            store.clone(),
            vec![channel],
            Arc::new(SystemClock),
            Arc::new(move |news| log.lock().expect("no panic").push(news)),
            Polling { visible: self.polling, background: self.polling },
        );
        engine.join_team(Some(self.spec.clone())).expect("joined");
        engine.focus(Some((chats(), None)));
        (self.store, self.engine) = (Some(store), Some(engine));
    }

    /// Stops the engine; the files stay open.
    async fn disconnect(&mut self) {
        if let Some(engine) = self.engine.take() {
            engine.shutdown().await;
        }
    }

    /// Ends the process: files are closed.
    async fn close(&mut self) {
        self.disconnect().await;
        self.store = None;
    }

    fn store(&self) -> &Store {
        self.store.as_ref().expect("open files")
    }

    /// Queues a message.
    fn enqueue(&self, intent: Intent) {
        let write = FileWrite::Enqueue { intents: vec![intent], clears_draft: false };
        effects::write(self.store(), write, SystemClock.now());
        if let Some(engine) = &self.engine {
            engine.wake_outbox();
        }
    }

    /// Newest stored message of a conversation.
    fn newest(&self, conversation: &str) -> Option<HistoryPosition> {
        let lane = Lane::Conversation(conversation.into());
        self.store().newest_position(&chats(), &lane).expect("read")
    }

    async fn rows(&self) -> Vec<OutboxRow> {
        let rows = self.store().lane_rows(&chats()).await.expect("read");
        rows.into_iter().map(|row| row.row).collect()
    }

    /// Decides about a stopped row, with everything stored on screen.
    fn decide(&self, row: &OutboxRow, verdict: StopVerdict) {
        let seen = row.lane.conversation().and_then(|conversation| self.newest(conversation.as_str()));
        self.store().decide(&row.id, verdict, seen, SystemClock.now()).expect("decided").expect("stopped");
        if let Some(engine) = &self.engine {
            engine.wake_outbox();
        }
    }

    /// Waits until nothing is left to send.
    async fn until_sent(&self) {
        until_found(&format!("{}: everything sent", self.name), async || {
            let rows = self.rows().await;
            if rows.is_empty() { Ok(()) } else { Err(format!("{rows:?}")) }
        })
        .await;
    }

    /// Waits until the desk asks about a crossing answer; returns the row and the reason.
    async fn until_asked(&self) -> (OutboxRow, String) {
        until_found(&format!("{}: the question", self.name), async || {
            let rows = self.rows().await;
            let asking = rows.iter().find_map(|row| match &row.state {
                RowState::Stopped(StopReason::ReplyConflict, why) => Some((row.clone(), why.to_string())),
                _ => None,
            });
            asking.ok_or_else(|| format!("{rows:?}"))
        })
        .await
    }

    fn wake(&self) {
        if let Some(engine) = &self.engine {
            engine.wake_team();
        }
    }

    fn change(&self, change: LocalChange) {
        self.store().change_local(&chats(), change).expect("stored");
        self.wake();
    }

    fn claim(&self, conversation: &str) {
        let claim = Assignment { agent: SafeText::line(self.name), at: SystemClock.now() };
        self.change(LocalChange::Claim(vec![(conversation.into(), Some(claim))]));
    }

    fn release(&self, conversation: &str) {
        self.change(LocalChange::Claim(vec![(conversation.into(), None)]));
    }

    fn add_note(&self, conversation: &str, text: &str) -> String {
        let conversation = ConversationId::from(conversation);
        let note =
            self.store().insert_note(&chats(), &conversation, text, SystemClock.now()).expect("stored");
        self.wake();
        note.id.to_string()
    }

    fn tag(&self, conversation: &str, word: &str) {
        let tag = Tag { word: SafeText::line(word), location: TagLocation::Local };
        self.change(LocalChange::Tags(vec![(conversation.into(), vec![tag])]));
    }

    fn snooze(&self, conversation: &str, until: Option<Timestamp>) {
        let snooze = Snooze::new(until, false, None, SystemClock.now());
        self.change(LocalChange::Snooze(vec![(conversation.into(), Some(snooze))]));
    }

    fn local(&self, conversation: &str) -> Option<LocalState> {
        let key = ConversationKey { channel: chats(), conversation: conversation.into() };
        let reader = self.store().reader().expect("a reader");
        reader.conversation_rows(&[key]).expect("read").pop().map(|row| row.local)
    }

    fn owner(&self, conversation: &str) -> Option<String> {
        self.local(conversation)?.claim.map(|claim| claim.agent.to_string())
    }

    /// Texts of messages and notes.
    fn texts(&self, conversation: &str) -> (Vec<String>, Vec<String>) {
        let reader = self.store().reader().expect("a reader");
        let query = HistoryQuery { channel: chats(), conversation: conversation.into(), limit: 50 };
        let page = reader.history(&query).expect("read");
        (
            page.messages.iter().map(|row| row.message.content.to_string()).collect(),
            page.notes.iter().map(|note| note.text.to_string()).collect(),
        )
    }

    async fn until(&self, what: &str, mut is_so: impl FnMut(&Self) -> bool) {
        until_found(&format!("{}: {what}", self.name), async || is_so(self).then_some(()).ok_or("not yet"))
            .await;
    }

    /// Waits until the team's events are reported to this desk.
    async fn until_events(&self) {
        self.until("events", |desk| {
            desk.engine.as_ref().is_some_and(|engine| engine.has_live_events(&chats()))
        })
        .await;
    }

    async fn until_listed(&self, conversation: &str) {
        self.until("the conversation", |desk| desk.local(conversation).is_some()).await;
    }

    /// Waits until nothing is left to share.
    async fn until_shared(&self) {
        self.until("everything shared", |desk| desk.store().count_team_changes().expect("read") == 0).await;
    }

    fn notices(&self) -> Vec<String> {
        let news = self.news.lock().expect("no panic");
        let notice = |news: &News| match news {
            News::Notice(_, _, words) => Some(words.to_string()),
            _ => None,
        };
        news.iter().filter_map(notice).collect()
    }

    fn present(&self) -> Vec<Presence> {
        let news = self.news.lock().expect("no panic");
        let newest = news.iter().rev().find_map(|news| match news {
            News::Present(present) => Some(present.clone()),
            _ => None,
        });
        newest.unwrap_or_default()
    }
}

fn intent(
    platform: Platform,
    conversation: &str,
    operation: Operation,
    seen: Option<HistoryPosition>,
    hold: i64,
) -> Intent {
    let conversation = ConversationId::from(conversation);
    Intent { channel: chats(), platform, conversation, operation, hold, seen, planned_at: None }
}

async fn shared(team: &Team, desk: &TeamDesk, conversation: &str) -> Value {
    let path = format!("/desk/v1/conversations?ids={conversation}");
    let body = team.call(desk.spec.session.expose(), "GET", &path, Value::Null).await.ok();
    body["data"][0].clone()
}

async fn two_desks(team: &Team) -> (TeamDesk, TeamDesk, String) {
    let id = team.inbound("whatsapp", CUSTOMER, "Hola").await;
    let (ana, ben) =
        (TeamDesk::start(team, "Ana", Role::Agent).await, TeamDesk::start(team, "Ben", Role::Agent).await);
    for desk in [&ana, &ben] {
        desk.until_listed(&id).await;
    }
    (ana, ben, id)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn team_shares_what_it_does_on_the_phone() {
    let team = Team::start().await;
    team.inbound("voip", CUSTOMER, "Is my bike ready?").await;
    let mut ana = TeamDesk::start_on(&team, "Ana", "voip").await;
    let mut ben = TeamDesk::start_on(&team, "Ben", "voip").await;
    for desk in [&ana, &ben] {
        desk.until_listed(CUSTOMER).await;
    }
    ana.claim(CUSTOMER);
    ana.add_note(CUSTOMER, "Calls back at five");
    ben.until("the claim", |desk| desk.owner(CUSTOMER).as_deref() == Some("Ana")).await;
    ben.until("the note", |desk| desk.texts(CUSTOMER).1 == ["Calls back at five"]).await;
    ana.engine.as_ref().expect("it runs").focus(Some((chats(), Some(CUSTOMER.into()))));
    ben.until("Ana at the number", |desk| {
        let is_there = |presence: &Presence| presence.conversation == Some(CUSTOMER.into());
        desk.present().iter().any(is_there)
    })
    .await;
    ana.release(CUSTOMER);
    ben.until("the release", |desk| desk.owner(CUSTOMER).is_none()).await;
    ana.until_shared().await;
    assert_eq!(ana.notices(), [""; 0]);
    ana.close().await;
    ben.close().await;
    team.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn message_names_its_person_at_every_desk() {
    let team = Team::start().await;
    let (mut ana, mut ben, id) = two_desks(&team).await;
    let agents = |desk: &TeamDesk| {
        let reader = desk.store().reader().expect("a reader");
        let query = HistoryQuery { channel: chats(), conversation: id.as_str().into(), limit: 50 };
        let page = reader.history(&query).expect("read");
        let of_row = |row: MessageRow| (row.message.content.to_string(), row.message.agent);
        page.messages.into_iter().map(of_row).find(|(text, _)| text == "On my way").and_then(|found| found.1)
    };
    for desk in [&ana, &ben] {
        desk.engine.as_ref().expect("it runs").focus(Some((chats(), Some(id.as_str().into()))));
    }
    // From another machine of Ana.
    let body = json!({"to": CUSTOMER, "type": "text", "text": {"body": "On my way"}});
    team.call(&ana.key, "POST", "/v1/messages/send", body).await.ok();
    let name = SafeText::line("Ana");
    let expected = Some(MessageAgent { name: name.clone(), is_self: false });
    ben.until("the reply of Ana", |desk| agents(desk) == expected).await;
    let expected = Some(MessageAgent { name, is_self: true });
    ana.until("her own reply", |desk| agents(desk) == expected).await;
    ana.close().await;
    ben.close().await;
    team.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shared_state_of_one_desk_is_seen_at_the_other() {
    let team = Team::start().await;
    let (mut ana, mut ben, id) = two_desks(&team).await;
    ana.claim(&id);
    ben.until("Ana's claim", |desk| desk.owner(&id).as_deref() == Some("Ana")).await;
    ana.add_note(&id, "@Ben call him at five");
    ben.until("the note", |desk| desk.texts(&id).1 == ["@Ben call him at five"]).await;
    ben.until("the bell", |desk| {
        let news = desk.news.lock().expect("no panic");
        news.iter().filter(|news| matches!(news, News::Mention(_, _, who) if who.as_str() == "Ana")).count()
            == 1
    })
    .await;
    ana.tag(&id, "vip");
    ben.until("the tag", |desk| {
        desk.local(&id).is_some_and(|local| local.tags.iter().any(|tag| tag.word.as_str() == "vip"))
    })
    .await;
    ana.snooze(&id, None);
    ben.until("the snooze", |desk| {
        desk.local(&id).and_then(|local| local.snooze).is_some_and(|snooze| snooze.until.is_none())
    })
    .await;
    ana.change(LocalChange::Snooze(vec![(id.as_str().into(), None)]));
    ben.until("no snooze", |desk| desk.local(&id).is_some_and(|local| local.snooze.is_none())).await;
    ana.release(&id);
    ben.until("no claim", |desk| desk.owner(&id).is_none()).await;
    ben.claim(&id);
    ana.until("Ben's claim", |desk| desk.owner(&id).as_deref() == Some("Ben")).await;

    for desk in [&mut ana, &mut ben] {
        desk.close().await;
        let session = desk.spec.session.expose().as_bytes().to_vec();
        for entry in std::fs::read_dir(desk.folder.path()).expect("a folder") {
            let bytes = std::fs::read(entry.expect("an entry").path()).expect("a file");
            assert!(!bytes.windows(session.len()).any(|window| window == session), "a session is in a file");
        }
    }
    team.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_made_without_a_network_are_merged_and_the_loser_is_told() {
    let team = Team::start().await;
    let (mut ana, mut ben, id) = two_desks(&team).await;
    ben.disconnect().await;
    ben.claim(&id);
    ben.add_note(&id, "from the train");
    ben.tag(&id, "late");
    assert_eq!(ben.owner(&id).as_deref(), Some("Ben"), "at once, without a network");
    ana.claim(&id);
    ana.add_note(&id, "from the office");
    ana.until_shared().await;
    ben.close().await;
    ben.connect().await;
    ben.until_shared().await;
    ben.until("Ana's claim", |desk| desk.owner(&id).as_deref() == Some("Ana")).await;
    ben.until("the notice", |desk| desk.notices().iter().any(|words| words == "Ana took it first")).await;
    for desk in [&ana, &ben] {
        desk.until("both notes", |desk| {
            let mut notes = desk.texts(&id).1;
            notes.sort();
            notes == ["from the office", "from the train"]
        })
        .await;
        desk.until("the tag", |desk| desk.local(&id).is_some_and(|local| local.tags.len() == 1)).await;
    }
    assert!(ana.notices().is_empty(), "{:?}", ana.notices());
    ana.close().await;
    ben.close().await;
    team.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn canned_replies_are_shared_and_stay_without_a_network() {
    let team = Team::start().await;
    let (mut ana, mut ben, _) = two_desks(&team).await;
    let texts = |desk: &TeamDesk| {
        let replies = desk.store().shared_replies().expect("read").into_iter();
        replies.map(|reply| (reply.name, reply.text, reply.author.to_string())).collect::<Vec<_>>()
    };
    let reply = |text: &str, author: &str| vec![("hours".to_owned(), text.to_owned(), author.to_owned())];
    assert!(ana.store().change_shared_reply("hours", Some("9 to 5")).expect("stored"));
    ana.wake();
    ben.until("the reply", |desk| texts(desk) == reply("9 to 5", "Ana")).await;
    assert!(ben.store().change_shared_reply("hours", Some("9 to 6")).expect("stored"));
    ben.wake();
    ana.until("the change", |desk| texts(desk) == reply("9 to 6", "Ben")).await;
    // Without a network the last known ones stay, and a change waits.
    ben.disconnect().await;
    assert_eq!(texts(&ben), reply("9 to 6", "Ben"));
    assert!(ben.store().change_shared_reply("hours", None).expect("stored"));
    assert!(!ben.store().change_shared_reply("hours", None).expect("stored"), "deleted already");
    assert!(texts(&ben).is_empty());
    ben.close().await;
    ben.connect().await;
    ana.until("no reply", |desk| texts(desk).is_empty()).await;
    ben.until_shared().await;
    ana.close().await;
    ben.close().await;
    team.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn viewer_shares_no_reply_and_is_told() {
    let team = Team::start().await;
    let mut lea = TeamDesk::start(&team, "Lea", Role::Viewer).await;
    assert!(lea.store().change_shared_reply("hours", Some("9 to 5")).expect("stored"));
    lea.wake();
    lea.until("the refusal", |desk| {
        desk.notices().iter().any(|words| words.starts_with("hours is not shared:"))
    })
    .await;
    lea.until_shared().await;
    assert!(lea.store().shared_replies().expect("read").is_empty());
    lea.close().await;
    team.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_and_what_they_have_are_asked_of_the_service() {
    let team = Team::start().await;
    let (mut ana, mut ben, id) = two_desks(&team).await;
    team.add("Cid", Role::Agent).await;
    let mail = team.inbound("email", "maria@mail.example", "Hello").await;
    ana.claim(&id);
    ana.until_shared().await;
    // In a channel that Ben's desk does not have.
    let path = format!("/desk/v1/conversations/{mail}/claim");
    team.call(ana.spec.session.expose(), "PUT", &path, json!({})).await.ok();
    let held = |desk: &TeamDesk| {
        let news = desk.news.lock().expect("no panic");
        let people = news.iter().rev().find_map(|news| match news {
            News::People(Ok(people)) => Some(people.clone()),
            _ => None,
        });
        let people = people.unwrap_or_default().into_iter();
        people.map(|person| (person.name.to_string(), person.held.len())).collect::<Vec<_>>()
    };
    let expected = [("Ana".to_owned(), 2), ("Ben".to_owned(), 0), ("Cid".to_owned(), 0)];
    ben.engine.as_ref().expect("it runs").read_people();
    ben.until("who has what", |desk| held(desk) == expected).await;
    ana.close().await;
    ben.close().await;
    team.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_of_two_desks_are_asked_of_the_service() {
    let team = Team::start().await;
    let (mut ana, mut ben, id) = two_desks(&team).await;
    ana.claim(&id);
    ana.until_shared().await;
    team.advance(90).await;
    for (desk, text) in [(&ana, "On my way"), (&ben, "She is on her way")] {
        let body = json!({"to": CUSTOMER, "type": "text", "text": {"body": text}});
        team.call(&desk.key, "POST", "/v1/messages/send", body).await.ok();
    }
    let since = team.clock.now().plus(-DAY);
    let numbers = |desk: &TeamDesk| {
        let news = desk.news.lock().expect("no panic");
        let people = news.iter().rev().find_map(|news| match news {
            News::TeamStatistics { since: asked, read: Ok(statistics) } if *asked == since => {
                Some(statistics.people.clone())
            }
            _ => None,
        });
        let people = people.unwrap_or_default().into_iter();
        people
            .map(|person| (person.taken, person.answers, person.median, person.claim_count))
            .collect::<Vec<_>>()
    };
    let expected = [(1, 1, Some(90 * SECOND), 1), (0, 1, None, 0)];
    for desk in [&ana, &ben] {
        desk.engine.as_ref().expect("it runs").read_team_statistics(since);
        desk.until("the numbers of both", |desk| numbers(desk) == expected).await;
    }
    // A removed person is refused, and the desk says so.
    team.admin.remove_person("Ben", team.clock.now()).await.expect("removed");
    ben.engine.as_ref().expect("it runs").read_team_statistics(since);
    ben.until("the end of the session", |desk| {
        let news = desk.news.lock().expect("no panic");
        news.iter().any(|news| matches!(news, News::TeamStatistics { read: Err(_), .. }))
    })
    .await;
    ana.close().await;
    ben.close().await;
    team.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handing_over_is_taken_back_everywhere() {
    let team = Team::start().await;
    let (mut ana, mut ben, id) = two_desks(&team).await;
    ana.claim(&id);
    ben.until("Ana's claim", |desk| desk.owner(&id).as_deref() == Some("Ana")).await;
    let assign = |agent: &str| {
        let claim = Assignment { agent: SafeText::line(agent), at: SystemClock.now() };
        LocalChange::Claim(vec![(id.as_str().into(), Some(claim))])
    };
    ana.change(assign("Ben"));
    ben.until("his claim", |desk| desk.owner(&id).as_deref() == Some("Ben")).await;
    ana.until_shared().await;
    ana.change(assign("Ana"));
    ben.until("Ana's claim again", |desk| desk.owner(&id).as_deref() == Some("Ana")).await;
    assert!(ana.notices().is_empty(), "{:?}", ana.notices());
    ana.close().await;
    ben.close().await;
    team.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_arrive_by_events_and_presence_is_seen() {
    let team = Team::start().await;
    let (mut ana, mut ben, id) = two_desks(&team).await;
    ben.until_events().await;
    assert_eq!(team.inbound("whatsapp", CUSTOMER, "Are you there?").await, id);
    ben.until("the message", |desk| desk.texts(&id).0.iter().any(|text| text == "Are you there?")).await;
    // A customer whom no list has shown.
    let other = team.inbound("whatsapp", "+34600999888", "First time").await;
    ben.until_listed(&other).await;
    let engine = ana.engine.as_ref().expect("it runs");
    engine.focus(Some((chats(), Some(id.as_str().into()))));
    let is_at = |desk: &TeamDesk, activity: Activity| {
        desk.present().iter().any(|presence| {
            presence.person.as_str() == "Ana"
                && presence.conversation == Some(id.as_str().into())
                && presence.activity == activity
        })
    };
    ben.until("Ana looks", |desk| is_at(desk, Activity::Looking)).await;
    engine.set_activity(Activity::Typing, None);
    ben.until("Ana types", |desk| is_at(desk, Activity::Typing)).await;
    ana.close().await;
    ben.close().await;
    team.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repeated_note_is_not_doubled() {
    let team = Team::start().await;
    let (mut ana, mut ben, id) = two_desks(&team).await;
    ana.disconnect().await;
    let note = ana.add_note(&id, "once");
    // The request arrived, and the process was killed before the answer.
    let body = json!({"id": note, "text": "once"});
    let path = format!("/desk/v1/conversations/{id}/notes");
    team.call(ana.spec.session.expose(), "POST", &path, body).await.ok();
    ana.close().await;
    ana.connect().await;
    ana.until_shared().await;
    let notes = shared(&team, &ana, &id).await["notes"].clone();
    assert_eq!(notes.as_array().map(Vec::len), Some(1), "{notes}");
    ben.until("one note", |desk| desk.texts(&id).1 == ["once"]).await;
    assert_eq!(ana.texts(&id).1, ["once"]);
    ana.close().await;
    ben.close().await;
    team.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leaving_removes_what_the_team_shares_and_keeps_own_notes() {
    let team = Team::start().await;
    let (mut ana, mut ben, id) = two_desks(&team).await;
    ben.claim(&id);
    ben.add_note(&id, "of the team");
    ana.until("the note", |desk| desk.texts(&id).1 == ["of the team"]).await;
    ana.disconnect().await;
    ana.add_note(&id, "mine, never shared");
    ana.store().set_team(&[]).expect("left");
    assert_eq!(ana.texts(&id).1, ["mine, never shared"]);
    assert_eq!(ana.owner(&id), None);
    assert_eq!(ana.store().count_team_changes().expect("read"), 0);
    ana.claim(&id);
    assert_eq!(ana.store().count_team_changes().expect("read"), 0, "nothing is shared any more");
    ana.close().await;
    ben.close().await;
    team.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ended_session_is_said_once() {
    let team = Team::start().await;
    let (mut ana, mut ben, _) = two_desks(&team).await;
    team.admin.remove_person("Ana", team.clock.now()).await.expect("removed");
    let is_told = |words: &String| words.contains("no longer in the team");
    ana.until("the notice", |desk| desk.notices().iter().any(is_told)).await;
    ana.wake();
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(ana.notices().iter().filter(|words| is_told(words)).count(), 1);
    ana.close().await;
    ben.close().await;
    team.shutdown().await;
}

/// Makes a random change at a desk. Returns the text of a note.
fn change_at_random(
    desk: &TeamDesk,
    random: &mut StdRng,
    conversation: &str,
    number: usize,
) -> Option<String> {
    match random.random_range(0..6) {
        0 | 1 => desk.claim(conversation),
        2 => desk.release(conversation),
        3 => {
            let text = format!("note {number} of {}", desk.name);
            desk.add_note(conversation, &text);
            return Some(text);
        }
        4 => desk.tag(conversation, &format!("tag{number}")),
        _ => desk.snooze(conversation, Some(SystemClock.now().plus(HOUR))),
    }
    None
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn desks_agree_with_the_service_after_random_interleavings() {
    let cases = RandomCases::new(ROUNDS);
    let mut random = StdRng::seed_from_u64(cases.seed);
    for round in 0..cases.cases {
        let team = Team::start().await;
        let (mut ana, mut ben, id) = two_desks(&team).await;
        let mut notes = Vec::new();
        for number in 0..STEPS {
            let desk = if random.random_bool(0.5) { &mut ana } else { &mut ben };
            match (random.random_range(0..6), desk.engine.is_some()) {
                (0, true) => desk.disconnect().await,
                (0 | 1, false) => {
                    desk.close().await;
                    desk.connect().await;
                }
                _ => notes.extend(change_at_random(desk, &mut random, &id, number)),
            }
        }
        for desk in [&mut ana, &mut ben] {
            if desk.engine.is_none() {
                desk.close().await;
                desk.connect().await;
            }
        }
        ana.until_shared().await;
        ben.until_shared().await;
        let truth = shared(&team, &ana, &id).await;
        let owner = truth["claim"]["person"]["name"].as_str().map(str::to_owned);
        for desk in [&ana, &ben] {
            desk.until(&format!("the state of round {round}: {truth}"), |desk| {
                let Some(local) = desk.local(&id) else { return false };
                let tags: Vec<&str> = local.tags.iter().map(|tag| tag.word.as_str()).collect();
                desk.owner(&id) == owner
                    && json!(tags) == truth["tags"]
                    && local.snooze.is_none() == truth["snooze"].is_null()
                    && desk.texts(&id).1.len() == truth["notes"].as_array().map_or(0, Vec::len)
            })
            .await;
            for note in &notes {
                assert!(desk.texts(&id).1.contains(note), "round {round}: {note} is lost");
            }
        }
        ana.close().await;
        ben.close().await;
        team.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn held_reply_stops_when_a_colleague_answers_first() {
    let team = Team::start().await;
    let (mut ana, mut ben, id) = two_desks(&team).await;
    ana.until_events().await;
    ana.until("the history", |desk| !desk.texts(&id).0.is_empty()).await;
    let seen = ana.newest(&id);
    assert!(seen.is_some());
    let operation = Operation::SendText { to: CUSTOMER.to_owned(), text: "Late".to_owned(), reply_to: None };
    ana.enqueue(intent(Platform::Whatsapp, &id, operation, seen, REPLY_HOLD));
    team.advance(1).await;
    let body = json!({"to": CUSTOMER, "type": "text", "text": {"body": "First"}});
    team.call(&ben.key, "POST", "/v1/messages/send", body).await.ok();
    ana.until_asked().await;
    let path = format!("/v1/conversations/{id}/messages");
    let list = team.call(&ben.key, "GET", &path, Value::Null).await.ok();
    let sent = list["data"].as_array().expect("a list").iter().filter(|item| item["direction"] == "outbound");
    assert_eq!(sent.count(), 1, "{list}");
    ana.close().await;
    ben.close().await;
    team.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn held_mail_stops_when_a_colleague_answers_first() {
    const MARIA: &str = "maria@mail.example";
    let team = Team::start().await;
    let thread = team.inbound("email", MARIA, "Hola").await;
    let mut ana = TeamDesk::start_on(&team, "Ana", "email").await;
    let ben = team.sign_in("Ben", Role::Agent).await;
    ana.until_events().await;
    ana.until("the thread", |desk| !desk.texts(&thread).0.is_empty()).await;
    let mail = Mail {
        to: vec![MARIA.to_owned()],
        subject: "Re: Hola".to_owned(),
        text: Some("Late".to_owned()),
        thread: Some(thread.as_str().into()),
        ..Mail::default()
    };
    let operation = Operation::SendMail(Box::new(mail));
    ana.enqueue(intent(Platform::Email, &thread, operation, ana.newest(&thread), REPLY_HOLD));
    team.advance(1).await;
    let body = json!({"to": [MARIA], "subject": "Re: Hola", "text": "First", "threadId": thread});
    team.call(ben.key("email"), "POST", "/v1/email/send", body).await.ok();
    let (row, _) = ana.until_asked().await;
    // The question shows the answer, and sending anyway needs no second one.
    ana.until("the answer", |desk| desk.texts(&thread).0.iter().any(|text| text == "First")).await;
    let path = format!("/v1/email/threads/{thread}");
    let sent = async || {
        let body = team.call(ben.key("email"), "GET", &path, Value::Null).await.ok();
        let mails = body["messages"].as_array().expect("a list").iter();
        mails
            .filter(|mail| mail["direction"] == "outbound")
            .map(|mail| text(&mail["text"]))
            .collect::<Vec<_>>()
    };
    assert_eq!(sent().await, ["First"]);
    ana.decide(&row, StopVerdict::SendAnyway);
    ana.until_sent().await;
    assert_eq!(sent().await, ["First", "Late"]);
    ana.close().await;
    team.shutdown().await;
}

/// The interface has no history of SMS: only the service knows what a colleague wrote.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sms_behind_a_colleagues_is_refused_and_names_the_colleague() {
    let team = Team::start().await;
    team.inbound("voip", CUSTOMER, "Hola").await;
    let mut ana = TeamDesk::start_on(&team, "Ana", "voip").await;
    let ben = team.sign_in("Ben", Role::Agent).await;
    ana.until_listed(CUSTOMER).await;
    let send = |words: &str| {
        let operation = Operation::SendSms { to: CUSTOMER.to_owned(), body: words.to_owned(), via: None };
        ana.enqueue(intent(Platform::Voip, CUSTOMER, operation, ana.newest(CUSTOMER), 0));
    };
    send("First of Ana");
    ana.until_sent().await;
    assert!(ana.newest(CUSTOMER).is_some(), "her own SMS");
    team.advance(1).await;
    let body = json!({"to": CUSTOMER, "body": "From Ben"});
    team.call(ben.key("voip"), "POST", "/v1/voip/sms", body).await.ok();
    let count = async || {
        let list = team.call(ben.key("voip"), "GET", "/v1/voip/conversations", Value::Null).await.ok();
        list["data"][0]["messageCount"].as_u64()
    };
    assert_eq!(count().await, Some(3));
    send("Second of Ana");
    let (row, why) = ana.until_asked().await;
    assert!(why.contains("Ben answered"), "{why}");
    assert_eq!(count().await, Some(3), "nothing was sent");
    ana.decide(&row, StopVerdict::SendAnyway);
    ana.until_sent().await;
    assert_eq!(count().await, Some(4));
    // Ben's SMS is older than her newest one.
    send("Third of Ana");
    ana.until_sent().await;
    assert_eq!(count().await, Some(5));
    ana.close().await;
    team.shutdown().await;
}
