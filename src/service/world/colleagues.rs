//! Simulated colleagues of the demo: people of the sample shop who take conversations, write notes, answer, and hand
//! back to the assistant.
//!
//! A turn begins with a claim ([`take`]) and continues with one due task for each [`Step`]. A turn ends without another
//! act once somebody else has the conversation or has answered it: colleagues never act on what the person at the
//! desk has.

use crate::auth::Member;
use crate::database::conversations::{self, Pauser};
use crate::database::messages;
use crate::database::savepoint::in_savepoint;
use crate::database::team::changes::{self, ChangeKind};
use crate::database::team::conversations::{self as stored, TeamConversation};
use crate::database::team::people::{self, Person};
use crate::database::{DatabaseError, channels, due};
use crate::demo::script::{self, DemoColleague};
use crate::demo::{DESK_PERSON, DESK_PERSON_ID};
use crate::errors::ApiError;
use crate::sending::accept::{ComposedMessage, accept_send};
use crate::takeover::{self, AutomationSubject};
use crate::team::{conversations as team, notes, person_name};
use crate::voice;
use crate::world::{JobKind, customers};
use crate::write::WriteContext;
use api::extras::MessageExtras;
use api::team::{ClaimRequest, Doing, NewNote, Role, StoredPresence};
use model::time::SECOND;
use platforms::Channel;

/// Maximum number of conversations that a colleague has at once.
const MAX_CLAIMS: usize = 2;
/// Number of latest messages searched for an answer of somebody else.
const MAX_SEARCHED_MESSAGES: i64 = 8;
/// Turns per note, and per turn in which a colleague takes their time.
const TURNS_PER_NOTE: i64 = 3;
const TURNS_PER_LONG_ONE: i64 = 4;
/// Bounds of the time from claim to typing, in microseconds.
const READING: (i64, i64) = (3 * SECOND, 8 * SECOND);
/// Bounds of the time from claim to typing of a slow colleague, in microseconds.
const LONG_READING: (i64, i64) = (60 * SECOND, 150 * SECOND);
/// Bounds of the time of typing, in microseconds.
const TYPING: (i64, i64) = (5 * SECOND, 12 * SECOND);
/// Time for which a typed answer is held, in microseconds.
const HOLD: i64 = 4 * SECOND;
const HOLD_MILLISECONDS: u32 = 4_000;

model::words! {
    /// Next act of a turn.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Step {
        Type = "type",
        Hold = "hold",
        /// Sends the answer, hands back and releases.
        Send = "send",
    }
}

/// Adds the person at the desk and the colleagues to the team, unless they were added before.
pub fn add_people(work: &WriteContext<'_>) -> Result<(), DatabaseError> {
    let Some(channel) = channels::find_by_kind(work.db, Channel::Whatsapp)? else { return Ok(()) };
    let colleagues =
        script::demo_colleagues().iter().map(|person| (person.id.as_str(), person.name.as_str()));
    for (id, name) in std::iter::once((DESK_PERSON_ID, DESK_PERSON)).chain(colleagues) {
        if people::name(work.db, id)?.is_some() || people::find(work.db, &channel.workspace, name)?.is_some()
        {
            continue;
        }
        let person =
            Person { id: id.to_owned(), name: name.to_owned(), role: Role::Agent, seen_at: work.now };
        people::insert(work.db, &channel.workspace, &person, work.now)?;
        changes::log(work.db, &channel.workspace, ChangeKind::Person, (id, ""), work.now)?;
    }
    Ok(())
}

/// Returns a colleague as a signed-in member, with the workspace.
fn member(
    work: &WriteContext<'_>,
    workspace: &str,
    colleague: &DemoColleague,
) -> Result<Option<Member>, DatabaseError> {
    let person = people::find(work.db, workspace, &colleague.id)?;
    let session = format!("demo {}", colleague.id);
    Ok(person.map(|person| Member { session, workspace: workspace.to_owned(), person, suspended: false }))
}

/// Lets the colleague who speaks the customer's language, else the first one, take a conversation. Returns false
/// if somebody has it or looks at it, or if the colleague is busy.
pub fn take(work: &WriteContext<'_>, id: &str, is_hurried: bool) -> Result<bool, ApiError> {
    let Some((channel, _)) = conversations::with_channel(work.db, id)? else { return Ok(false) };
    let language = read_language(work, id)?;
    let all = script::demo_colleagues();
    let speaks = |colleague: &&DemoColleague| colleague.languages.contains(&language);
    let Some(colleague) = all.iter().find(speaks).or_else(|| all.first()) else { return Ok(false) };
    let Some(member) = member(work, &channel.workspace, colleague)? else { return Ok(false) };
    let is_claimed = stored::read(work.db, id)?.is_some_and(|row| row.person.is_some());
    let is_busy = stored::claimed_by(work.db, &member.person.id)?.len() >= MAX_CLAIMS;
    if is_claimed || is_busy || is_visited(work, &channel.workspace, id) {
        return Ok(false);
    }
    team::claim(work, &member, id, &ClaimRequest::default())?;
    let pauser = Pauser { person: Some(colleague.name.as_str()), place: None };
    takeover::switch(work.db, AutomationSubject::Chat(id), (false, pauser), work.now)?;
    act(work, &member, id, Doing::Looking)?;
    if work.service.ids.random_between(1, TURNS_PER_NOTE) == 1
        && let Some(text) = customers::pick(work, &script::colleague_notes())
    {
        let note = NewNote { id: work.id("note", work.stamp()).as_str().into(), text: text.as_str().into() };
        notes::add(work, &member, id, &note)?;
    }
    let is_long = !is_hurried && work.service.ids.random_between(1, TURNS_PER_LONG_ONE) == 1;
    schedule(work, id, Step::Type, if is_long { LONG_READING } else { READING })?;
    Ok(true)
}

fn read_language(work: &WriteContext<'_>, id: &str) -> Result<String, DatabaseError> {
    let customer = customers::read_customer(work.db, id)?;
    Ok(customer.map_or_else(|| "en".to_owned(), |customer| customer.language))
}

/// Returns true if somebody is at a conversation.
fn is_visited(work: &WriteContext<'_>, workspace: &str, id: &str) -> bool {
    let present = work.service.team.presence.list(workspace, work.now.micros());
    present.iter().any(|presence| presence.conversation.as_deref() == Some(id))
}

/// Makes the colleague active, and announces their action to the team.
fn act(work: &WriteContext<'_>, member: &Member, id: &str, doing: Doing) -> Result<(), DatabaseError> {
    people::set_seen(work.db, &member.person.id, work.now)?;
    // Services that share a database would overwrite it with their shared state.
    if !work.service.database.is_shared() {
        let presence = StoredPresence {
            session: member.session.clone(),
            person: person_name(&member.person),
            conversation: Some(id.to_owned()),
            doing,
            leaves_in_ms: (doing == Doing::Sending).then_some(HOLD_MILLISECONDS),
            until: 0,
        };
        work.service.team.presence.set(&member.workspace, presence, work.now.micros());
    }
    Ok(())
}

fn schedule(
    work: &WriteContext<'_>,
    id: &str,
    step: Step,
    (shortest, longest): (i64, i64),
) -> Result<(), DatabaseError> {
    let wait = work.service.ids.random_between(shortest, longest);
    due::add(work.db, work.now.plus(wait), JobKind::Colleague.word(), id, step.word())
}

/// Performs the next step of a turn.
pub fn advance(work: &WriteContext<'_>, id: &str, step: &str) -> Result<(), ApiError> {
    let (Some(step), Some(row)) = (Step::from_word(step), stored::read(work.db, id)?) else { return Ok(()) };
    let Some((channel, _)) = conversations::with_channel(work.db, id)? else { return Ok(()) };
    let is_owner = |colleague: &&DemoColleague| row.person.as_deref() == Some(colleague.id.as_str());
    let Some(colleague) = script::demo_colleagues().iter().find(is_owner) else { return Ok(()) };
    let Some(member) = member(work, &channel.workspace, colleague)? else { return Ok(()) };
    if is_answered_by_another(work, &row, colleague)? {
        // The assistant stays off: whoever answered has the conversation.
        team::release(work, &member, id, &ClaimRequest::default())?;
        return Ok(());
    }
    match step {
        Step::Type => {
            act(work, &member, id, Doing::Typing)?;
            schedule(work, id, Step::Hold, TYPING)?;
        }
        Step::Hold => {
            act(work, &member, id, Doing::Sending)?;
            schedule(work, id, Step::Send, (HOLD, HOLD))?;
        }
        Step::Send => {
            act(work, &member, id, Doing::Looking)?;
            answer(work, &member, id)?;
            takeover::switch(work.db, AutomationSubject::Chat(id), (true, Pauser::default()), work.now)?;
            team::release(work, &member, id, &ClaimRequest::default())?;
        }
    }
    Ok(())
}

/// Returns true if a person other than the colleague has answered since the claim.
fn is_answered_by_another(
    work: &WriteContext<'_>,
    row: &TeamConversation,
    colleague: &DemoColleague,
) -> Result<bool, DatabaseError> {
    let claimed_at = row.claimed_at.unwrap_or_default();
    let newest = messages::newest(work.db, &row.id, MAX_SEARCHED_MESSAGES)?;
    Ok(newest.iter().any(|message| {
        let agent = MessageExtras::read(message.extras.as_deref()).agent;
        let is_own = agent.is_some_and(|agent| agent.id == colleague.id);
        message.created_at > claimed_at && matches!(message.sender.as_str(), "agent" | "api") && !is_own
    }))
}

/// Answers in the customer's language. A conversation that cannot be answered, for example because its reply window
/// is closed, is closed.
fn answer(work: &WriteContext<'_>, member: &Member, id: &str) -> Result<(), ApiError> {
    let Some((channel, row)) = conversations::with_channel(work.db, id)? else { return Ok(()) };
    let content = script::team_answer(&read_language(work, id)?).unwrap_or_default();
    let agent = person_name(&member.person);
    let as_colleague =
        WriteContext { agent: Some(&agent), ..WriteContext::of_service(work.db, work.service, work.now) };
    let answered = in_savepoint(work.db, || {
        let kind = voice::conversation_mode(work.db, &channel, id)?;
        let outgoing = ComposedMessage { sender: "agent", content, kind, ..ComposedMessage::default() };
        accept_send(&as_colleague, &channel, &row, work.id("msg", work.stamp()), outgoing).map(|_| ())
    });
    if let Err(error) = answered {
        tracing::info!(%error.message, "a colleague could not answer in the demo");
        conversations::set_status(work.db, id, "closed")?;
    }
    Ok(())
}
