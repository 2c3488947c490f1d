//! Shared state of a team as model types: answers and events of the service, and changes of this
//! desk.

use api::team::{
    AnnouncePresence, ClaimBody, ClaimRequest, Doing, NewNote, NoteBody, NotePatch, PersonStats,
    PresenceEvent, ReplyBody, SetReply, SetSnooze, SetTags, SharedConversation, SnoozeBody, TeamMember,
};

use crate::connect::Client;
use crate::errors::{ReadError, WriteOutcome};
use crate::team::ClaimAnswer;
use crate::team_events::TeamEvent;
use model::ids::{ConversationId, NoteId};
use model::replies::SharedReply;
use model::team::{
    Activity, PersonStatistics, Presence, ReplyChange, SharedClaim, SharedNote, SharedPart, SharedSnooze,
    SharedState, TeamAction, TeamAnswer, TeamChange, TeamPerson, TeamStatistics,
};
use model::text::{SafeText, is_plain};
use model::time::{SECOND, Timestamp};

/// One millisecond, in microseconds.
const MILLISECOND: i64 = 1_000;
/// Time before every change.
const BEGINNING: &str = "1970-01-01T00:00:00Z";

/// An event of the team's stream, for this desk.
#[derive(Debug, Clone, PartialEq)]
pub enum TeamSignal {
    /// Messages or the state of a conversation changed and have to be read. Without the word of its
    /// channel, the conversation was erased.
    Changed {
        conversation: ConversationId,
        channel: Option<String>,
        is_message: bool,
    },
    Shared(ConversationId, SharedPart),
    /// A person is in a conversation.
    Presence(Presence),
    /// A person has left a conversation.
    Left(SafeText, Option<ConversationId>),
    /// Read everything again.
    Reset,
    /// The people of the team changed: read them.
    People,
    /// Canned replies of the team changed: read them.
    Replies,
}

fn parse_time(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap_or_default()
}

fn to_claim(body: ClaimBody) -> SharedClaim {
    SharedClaim { agent: SafeText::line(&body.person.name), at: parse_time(&body.at), version: body.version }
}

fn to_snooze(body: SnoozeBody) -> SharedSnooze {
    let note = body.note.as_deref().map(SafeText::line).filter(|note| !note.is_empty());
    SharedSnooze { until: parse_time(&body.until), note }
}

fn to_note(body: NoteBody) -> SharedNote {
    SharedNote {
        id: NoteId::new(body.id),
        author: SafeText::line(&body.person.name),
        text: SafeText::block(&body.text),
        mentions: body.mentions.iter().map(|person| SafeText::line(&person.name)).collect(),
        at: parse_time(&body.at),
        edited_at: body.edited_at.as_deref().map(parse_time),
    }
}

fn to_tags(words: Vec<String>) -> Vec<SafeText> {
    words.iter().map(|word| SafeText::line(word)).collect()
}

fn to_state(body: SharedConversation) -> SharedState {
    SharedState {
        conversation: ConversationId::new(body.id),
        claim: body.claim.map(to_claim),
        tags: to_tags(body.tags),
        snooze: body.snooze.map(to_snooze),
        notes: body.notes.into_iter().map(to_note).collect(),
        changed_at: parse_time(&body.changed_at),
    }
}

fn to_activity(doing: Doing) -> Activity {
    match doing {
        Doing::Looking => Activity::Looking,
        Doing::Typing => Activity::Typing,
        Doing::Sending => Activity::Sending,
    }
}

impl TeamEvent {
    /// Converts the event. `now` is the time of its arrival.
    pub fn into_signal(self, now: Timestamp) -> TeamSignal {
        let shared = |conversation: String, part| TeamSignal::Shared(ConversationId::new(conversation), part);
        match self {
            Self::Message(event) => TeamSignal::Changed {
                conversation: ConversationId::new(event.conversation),
                channel: event.channel,
                is_message: true,
            },
            Self::Status(event) => TeamSignal::Changed {
                conversation: ConversationId::new(event.conversation),
                channel: event.channel,
                is_message: false,
            },
            Self::Conversation(event) => TeamSignal::Changed {
                conversation: ConversationId::new(event.id),
                channel: event.channel,
                is_message: false,
            },
            Self::Claim(event) => shared(event.conversation, SharedPart::Claim(event.claim.map(to_claim))),
            Self::Note(event) => {
                shared(event.conversation, SharedPart::Note(NoteId::new(event.id), event.note.map(to_note)))
            }
            Self::Tag(event) => shared(event.conversation, SharedPart::Tags(to_tags(event.tags))),
            Self::Snooze(event) => {
                shared(event.conversation, SharedPart::Snooze(event.snooze.map(to_snooze), now))
            }
            Self::Presence(PresenceEvent { person, conversation, doing, leaves_in_ms }) => {
                let (person, conversation) =
                    (SafeText::line(&person.name), conversation.map(ConversationId::new));
                let leaves_at = leaves_in_ms.map(|millis| now.plus(i64::from(millis) * MILLISECOND));
                let activity = doing.map(to_activity);
                match activity {
                    Some(activity) => {
                        TeamSignal::Presence(Presence { person, conversation, activity, leaves_at })
                    }
                    None => TeamSignal::Left(person, conversation),
                }
            }
            Self::Reset => TeamSignal::Reset,
            Self::Person(_) => TeamSignal::People,
            Self::Reply(_) => TeamSignal::Replies,
        }
    }
}

impl Client {
    /// Reads the conversations changed after the cursor, from the beginning without one. Returns them with the
    /// cursor behind them, `None` if nothing changed.
    pub async fn read_shared_changes(
        &self,
        cursor: Option<&str>,
    ) -> Result<(Vec<SharedState>, Option<String>), ReadError> {
        let found = self.shared_changes(cursor.unwrap_or(BEGINNING)).await?;
        let cursor = found.last().map(|last| last.changed_at.clone());
        Ok((found.into_iter().map(to_state).collect(), cursor))
    }

    pub async fn read_shared(&self, ids: &[ConversationId]) -> Result<Vec<SharedState>, ReadError> {
        let ids: Vec<&str> = ids.iter().map(ConversationId::as_str).collect();
        Ok(self.shared_conversations(&ids).await?.into_iter().map(to_state).collect())
    }

    pub async fn read_people(&self) -> Result<Vec<TeamPerson>, ReadError> {
        let to_person = |member: TeamMember| TeamPerson {
            name: SafeText::line(&member.name),
            seen_at: parse_time(&member.seen_at),
            claim_count: member.claim_count,
            held: member.claims.iter().map(|claim| SafeText::line(&claim.title)).collect(),
        };
        Ok(self.team_members().await?.into_iter().map(to_person).collect())
    }

    /// Reads the work of each person in a period, and their conversations now. An `until` of `None`
    /// is now by the service's clock.
    pub async fn read_team_statistics(
        &self,
        since: Timestamp,
        until: Option<Timestamp>,
    ) -> Result<TeamStatistics, ReadError> {
        let until = until.map(|until| until.to_string());
        let stats = self.team_stats(&since.to_string(), until.as_deref()).await?;
        let micros = |seconds: Option<i64>| seconds.map(|seconds| seconds.saturating_mul(SECOND));
        let to_person = |person: PersonStats| PersonStatistics {
            name: SafeText::line(&person.name),
            is_removed: person.removed,
            taken: person.taken,
            answers: person.answers,
            waits: person.first_answer.count,
            median: micros(person.first_answer.median),
            p90: micros(person.first_answer.p90),
            done: person.done,
            handed_back: person.handed_back,
            claim_count: person.claim_count,
        };
        let (since, until) = (parse_time(&stats.from), parse_time(&stats.to));
        Ok(TeamStatistics { since, until, people: stats.data.into_iter().map(to_person).collect() })
    }

    /// Reads the canned replies of the team. Replies without a usable name are left out.
    pub async fn read_replies(&self) -> Result<Vec<SharedReply>, ReadError> {
        let to_reply = |body: ReplyBody| SharedReply {
            name: body.name,
            text: body.text,
            author: SafeText::line(&body.person.name),
        };
        let replies = self.shared_replies().await?.into_iter().map(to_reply);
        Ok(replies.filter(|reply| is_plain(&reply.name) && !reply.name.trim().is_empty()).collect())
    }

    pub async fn send_reply_change(&self, change: &ReplyChange) -> WriteOutcome<()> {
        match &change.text {
            Some(text) => {
                let reply = SetReply { text: text.as_str().into() };
                self.set_shared_reply(&change.name, &reply).await.map(|_| ())
            }
            None => self.delete_shared_reply(&change.name).await.map(|_| ()),
        }
    }

    /// Sends a change of this desk. `person` is the person of the session.
    pub async fn send_team_change(&self, change: &TeamChange, person: &SafeText) -> WriteOutcome<TeamAnswer> {
        let id = change.shared_id.as_str();
        let at = || Some(change.at.to_string().as_str().into());
        let whole =
            |body: SharedConversation| TeamAnswer::Changed(SharedPart::State(Box::new(to_state(body))));
        let changed_note = |body: NoteBody| {
            TeamAnswer::Changed(SharedPart::Note(NoteId::new(body.id.clone()), Some(to_note(body))))
        };
        match &change.action {
            TeamAction::Claim { agent, version, force } => {
                let taker = (agent != person).then(|| agent.as_str().into());
                let request = ClaimRequest { version: *version, force: force.then_some(true), person: taker };
                self.claim(id, &request).await.map(claim_answer)
            }
            TeamAction::Release { version } => {
                let request = ClaimRequest { version: *version, ..ClaimRequest::default() };
                self.release(id, &request).await.map(claim_answer)
            }
            TeamAction::AddNote { id: new, text } => {
                let request = NewNote { id: new.as_str().into(), text: text.as_str().into() };
                self.add_shared_note(id, &request).await.map(changed_note)
            }
            TeamAction::EditNote { id: edited, text } => {
                let patch = NotePatch { text: text.as_str().into() };
                self.edit_shared_note(id, edited.as_str(), &patch).await.map(changed_note)
            }
            TeamAction::DeleteNote { id: deleted } => {
                let gone = TeamAnswer::Changed(SharedPart::Note(deleted.clone(), None));
                self.delete_shared_note(id, deleted.as_str()).await.map(|_| gone)
            }
            TeamAction::Tags(words) => {
                let request = SetTags { tags: words.clone(), at: at() };
                self.set_shared_tags(id, &request).await.map(whole)
            }
            TeamAction::Snooze(wanted) => {
                let request = SetSnooze {
                    until: wanted.as_ref().map(|wanted| wanted.until.to_string().as_str().into()),
                    note: wanted
                        .as_ref()
                        .and_then(|wanted| wanted.note.as_ref())
                        .map(|note| note.as_str().into()),
                    at: at(),
                };
                self.set_shared_snooze(id, &request).await.map(whole)
            }
        }
    }

    /// Reports where this desk's person is. `leaves_in` is the remaining hold of a reply, in
    /// microseconds.
    pub async fn post_presence(
        &self,
        conversation: Option<&ConversationId>,
        activity: Activity,
        leaves_in: Option<i64>,
    ) -> WriteOutcome<()> {
        let doing = match activity {
            Activity::Looking => Doing::Looking,
            Activity::Typing => Doing::Typing,
            Activity::Sending => Doing::Sending,
        };
        let conversation = conversation.map(|conversation| conversation.as_str().into());
        let leaves_in_ms = leaves_in.and_then(|left| u32::try_from(left / MILLISECOND).ok());
        let presence = AnnouncePresence { conversation, doing, leaves_in_ms };
        self.announce_presence(&presence).await.map(|_| ())
    }
}

fn claim_answer(answer: ClaimAnswer) -> TeamAnswer {
    match answer {
        ClaimAnswer::Changed(body) => TeamAnswer::Changed(SharedPart::State(Box::new(to_state(*body)))),
        ClaimAnswer::Claimed(error) => TeamAnswer::Claimed(error.claim.map(to_claim)),
    }
}

/// Adds a presence to a list of who is here, in place of the person's earlier one in the conversation.
pub fn add_presence(present: &mut Vec<Presence>, new: Presence) {
    remove_presence(present, &new.person, new.conversation.as_ref());
    if present.len() < model::team::MAX_PRESENT {
        present.push(new);
        present.sort_by(|one, other| one.person.as_str().cmp(other.person.as_str()));
    }
}

pub fn remove_presence(
    present: &mut Vec<Presence>,
    person: &SafeText,
    conversation: Option<&ConversationId>,
) {
    present.retain(|known| known.person != *person || known.conversation.as_ref() != conversation);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presence_of_a_person_in_a_conversation_is_one_entry() {
        let mut present = Vec::new();
        let add = |present: &mut Vec<Presence>, person: &str, activity| {
            let (person, conversation) = (SafeText::line(person), Some("c".into()));
            add_presence(present, Presence { person, conversation, activity, leaves_at: None });
        };
        add(&mut present, "Ben", Activity::Looking);
        add(&mut present, "Ana", Activity::Looking);
        add(&mut present, "Ana", Activity::Typing);
        let words: Vec<String> =
            present.iter().map(|presence| presence.describe(Timestamp::default())).collect();
        assert_eq!(words, ["Ana is typing", "Ben is looking"]);
        remove_presence(&mut present, &SafeText::line("Ana"), None);
        remove_presence(&mut present, &SafeText::line("Ana"), Some(&"c".into()));
        assert_eq!(present.len(), 1);
    }
}
