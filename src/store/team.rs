//! State that a team shares: the local view of it, and the changes that wait for the team's service.
//!
//! The local view of a conversation is its claim, tags, snooze and notes in the outbox file. In a channel of the team
//! every change of them by this desk adds a row of `team_change` in the same transaction. A row is removed when the
//! service has answered. State of the service replaces a part of the local view only while no row of that part waits.

use rusqlite::{Connection, TransactionBehavior, params};

use crate::{Store, StoreError};
use model::ids::{ChannelId, ConversationId, NoteId};
use model::local::{Assignment, Tag, TagLocation};
use model::snooze::Snooze;
use model::team::{
    AppliedShared, SharedClaim, SharedNote, SharedPart, SharedSnooze, SharedState, TeamAction, TeamAnswer,
    TeamChange, UNTIL_REPLY,
};
use model::text::SafeText;
use model::time::Timestamp;
use sqlite::{Queries, Row, only_cell};

/// Maximum number of conversations that are remembered until a list shows them.
const MAX_UNPLACED: u32 = 2_000;
/// Maximum number of conversations that are placed later in one step.
const MAX_PLACED: u32 = 100;
/// Tables of the local view with a conversation's channel.
const VIEWS: [&str; 4] = ["claim", "snooze", "tag", "team_change"];

/// Words of the column `part` of `team_change`.
const CLAIM: &str = "claim";
const NOTE: &str = "note";
const TAGS: &str = "tags";
const SNOOZE: &str = "snooze";

impl Store {
    /// Sets the channels of the team; none if this desk has joined no team. State of other channels that a team has
    /// shared is removed; own notes that were not shared yet are kept. Blocks.
    pub fn set_team(&self, channels: &[ChannelId]) -> Result<(), StoreError> {
        let channels = channels.to_vec();
        self.outbox().call(move |connection| {
            let known: Vec<ChannelId> =
                connection.all("SELECT channel FROM team_channel", [], |row| row.get("channel"))?;
            let is_same = known.len() == channels.len() && known.iter().all(|id| channels.contains(id));
            if is_same {
                return Ok(());
            }
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for left in known.iter().filter(|id| !channels.contains(id)) {
                clear_channel(&change, left)?;
            }
            if channels.is_empty() {
                change.execute("DELETE FROM team_unplaced", [])?;
                change.execute("DELETE FROM team_reply", [])?;
            }
            for channel in &channels {
                change.execute("INSERT OR IGNORE INTO team_channel (channel) VALUES (?1)", [channel])?;
            }
            Ok(change.commit()?)
        })
    }

    /// Returns the oldest change that the team's service has not accepted yet.
    pub async fn next_team_change(&self) -> Result<Option<TeamChange>, StoreError> {
        let next = self
            .outbox()
            .call_async(|connection| {
                let sql = "SELECT number, channel, conversation, part, item, action, text, until, version, at
                     FROM team_change ORDER BY number LIMIT 1";
                Ok(connection.first(sql, [], change_from_row)?)
            })
            .await?;
        let Some(next) = next else { return Ok(None) };
        let shared_id = self.find_shared_id(next.channel.clone(), next.conversation.clone()).await?;
        Ok(Some(TeamChange { shared_id, ..next }))
    }

    /// Returns a conversation's id at the service. Differs from the local id only on phone
    /// channels, where that is the customer's number.
    pub async fn find_shared_id(
        &self,
        channel: ChannelId,
        conversation: ConversationId,
    ) -> Result<ConversationId, StoreError> {
        let sql = "SELECT raw ->> '$.id' FROM conversation WHERE channel = ?1 AND id = ?2 AND id LIKE '+%'
                 AND json_valid(raw) AND raw ->> '$.id' IS NOT NULL";
        let find = move |cache: &Connection| {
            let found = cache.first(sql, params![channel, conversation], only_cell)?;
            Ok(found.unwrap_or(conversation))
        };
        self.cache().call_async(move |cache| find(&cache.connection)).await
    }

    /// Returns the ids under which lists of the team's channels show the conversations. An id in no
    /// list is returned unchanged.
    pub async fn find_listed_ids(&self, ids: Vec<ConversationId>) -> Result<Vec<ConversationId>, StoreError> {
        let find = move |cache: &Connection| {
            let places = find_places(cache, &ids)?;
            Ok(ids
                .into_iter()
                .zip(places)
                .map(|(id, place)| place.map_or(id, |(_, listed)| listed))
                .collect())
        };
        self.cache().call_async(move |cache| find(&cache.connection)).await
    }

    /// Number of changes that the team's service has not accepted yet. Blocks.
    pub fn count_team_changes(&self) -> Result<u32, StoreError> {
        self.outbox().call(|connection| Ok(connection.scalar("SELECT (SELECT count(*) FROM team_change) + (SELECT count(*) FROM team_reply WHERE pending > 0)", [])?))
    }

    /// Records that a request with the change leaves now.
    pub async fn mark_team_change_tried(&self, number: i64) -> Result<(), StoreError> {
        self.outbox()
            .change_async(move |change| {
                change.execute("UPDATE team_change SET tried = 1 WHERE number = ?1", [number])?;
                Ok(())
            })
            .await
    }

    /// Removes an answered change and stores the answer. `None` for a change that was refused: its conversation has
    /// to be read again.
    pub async fn settle_team_change(
        &self,
        settled: TeamChange,
        answer: Option<TeamAnswer>,
    ) -> Result<AppliedShared, StoreError> {
        let owner = self.owner().to_owned();
        self.outbox()
            .change_async(move |change| {
                change.execute("DELETE FROM team_change WHERE number = ?1", [settled.number])?;
                let view = View {
                    change,
                    channel: &settled.channel,
                    conversation: &settled.conversation,
                    owner: &owner,
                };
                let mut applied = AppliedShared::default();
                match answer {
                    Some(TeamAnswer::Changed(part)) => view.apply_part(&part, false, &mut applied)?,
                    Some(TeamAnswer::Claimed(claim)) => view.apply_claim(claim.as_ref(), &mut applied)?,
                    None => {}
                }
                Ok(applied)
            })
            .await
    }

    /// Stores states of conversations as the service has them now.
    pub async fn apply_shared(&self, states: Vec<SharedState>) -> Result<AppliedShared, StoreError> {
        let parts =
            states.into_iter().map(|state| (state.conversation.clone(), SharedPart::State(Box::new(state))));
        self.apply_shared_parts(parts.collect()).await
    }

    /// Stores parts of states as the service has them now. Conversations that no list has shown yet
    /// are remembered.
    pub async fn apply_shared_parts(
        &self,
        parts: Vec<(ConversationId, SharedPart)>,
    ) -> Result<AppliedShared, StoreError> {
        let ids: Vec<ConversationId> = parts.iter().map(|(id, _)| id.clone()).collect();
        let places = self.cache().call_async(move |cache| find_places(&cache.connection, &ids)).await?;
        let owner = self.owner().to_owned();
        self.outbox()
            .change_async(move |change| {
                let mut applied = AppliedShared::default();
                for ((shared_id, part), place) in parts.iter().zip(places) {
                    let Some((channel, conversation)) = place else {
                        change.execute(
                            "INSERT OR IGNORE INTO team_unplaced (conversation) SELECT ?1
                                 WHERE (SELECT count(*) FROM team_unplaced) < ?2",
                            params![shared_id, MAX_UNPLACED],
                        )?;
                        continue;
                    };
                    let sql = "SELECT read_at IS NOT NULL FROM team_channel WHERE channel = ?1";
                    let rings = change.first(sql, [&channel], only_cell)?.unwrap_or(false);
                    let view = View { change, channel: &channel, conversation: &conversation, owner: &owner };
                    view.apply_part(part, rings, &mut applied)?;
                }
                Ok(applied)
            })
            .await
    }

    /// Records that everything the team shares was read: notes that arrive later ring.
    pub async fn record_team_read(&self, now: Timestamp) -> Result<(), StoreError> {
        self.outbox()
            .change_async(move |change| {
                change.execute("UPDATE team_channel SET read_at = ?1 WHERE read_at IS NULL", [now])?;
                Ok(())
            })
            .await
    }

    /// Takes conversations with shared state that a list has shown since.
    pub async fn take_placed(&self) -> Result<Vec<ConversationId>, StoreError> {
        let sql =
            "SELECT u.conversation FROM desk.team_unplaced u WHERE EXISTS (SELECT 1 FROM desk.team_channel t
                 CROSS JOIN conversation c ON c.channel = t.channel AND (c.id = u.conversation OR c.id > '+'
                     AND c.id < ',' AND json_valid(c.raw) AND c.raw ->> '$.id' = u.conversation)) LIMIT ?1";
        let placed: Vec<ConversationId> = self
            .cache()
            .call_async(move |cache| {
                Ok(cache.connection.all(sql, [MAX_PLACED], |row| row.get("conversation"))?)
            })
            .await?;
        if !placed.is_empty() {
            let taken = placed.clone();
            self.outbox()
                .change_async(move |change| {
                    for id in &taken {
                        change.execute("DELETE FROM team_unplaced WHERE conversation = ?1", [id])?;
                    }
                    Ok(())
                })
                .await?;
        }
        Ok(placed)
    }
}

/// Finds the channel of the team whose list shows each conversation, and the conversation's id in
/// it, which on phone channels is the customer's number.
fn find_places(
    cache: &Connection,
    ids: &[ConversationId],
) -> Result<Vec<Option<(ChannelId, ConversationId)>>, StoreError> {
    let sql = "SELECT c.channel, c.id FROM desk.team_channel t
             CROSS JOIN conversation c ON c.channel = t.channel AND c.id = ?1
         UNION ALL SELECT c.channel, c.id FROM desk.team_channel t
             CROSS JOIN conversation c ON c.channel = t.channel AND c.id > '+' AND c.id < ','
                 AND json_valid(c.raw) AND c.raw ->> '$.id' = ?1 LIMIT 1";
    let find = |id: &ConversationId| {
        let place = cache.first(sql, [id], |row| Ok((row.get("channel")?, row.get("id")?)))?;
        Ok(place)
    };
    ids.iter().map(find).collect()
}

fn clear_channel(change: &Connection, channel: &ChannelId) -> rusqlite::Result<()> {
    change.execute(
        "UPDATE note SET author = NULL WHERE channel = ?1 AND id IN
             (SELECT item FROM team_change WHERE channel = ?1 AND part = 'note' AND action = 'add')",
        [channel],
    )?;
    change.execute("DELETE FROM note WHERE channel = ?1 AND author IS NOT NULL", [channel])?;
    for table in VIEWS {
        change.execute(&format!("DELETE FROM {table} WHERE channel = ?1"), [channel])?;
    }
    change.execute("DELETE FROM team_channel WHERE channel = ?1", [channel])?;
    Ok(())
}

fn change_from_row(row: &Row<'_>) -> rusqlite::Result<TeamChange> {
    let (part, action): (String, String) = (row.get("part")?, row.get("action")?);
    let text: Option<String> = row.get("text")?;
    let text = text.unwrap_or_default();
    let (id, version) = (NoteId::new(row.get::<String>("item")?), row.get("version")?);
    let action = match (part.as_str(), action.as_str()) {
        (CLAIM, "release") => TeamAction::Release { version },
        (CLAIM, action) => {
            TeamAction::Claim { agent: SafeText::line(&text), version, force: action == "take over" }
        }
        (NOTE, "add") => TeamAction::AddNote { id, text },
        (NOTE, "edit") => TeamAction::EditNote { id, text },
        (NOTE, _) => TeamAction::DeleteNote { id },
        (TAGS, _) => TeamAction::Tags(text.lines().map(str::to_owned).collect()),
        _ => {
            let note = Some(SafeText::line(&text)).filter(|note| !note.is_empty());
            let until: Option<Timestamp> = row.get("until")?;
            TeamAction::Snooze(until.map(|until| SharedSnooze { until, note }))
        }
    };
    Ok(TeamChange {
        number: row.get("number")?,
        channel: row.get("channel")?,
        conversation: row.get("conversation")?,
        shared_id: row.get("conversation")?,
        action,
        at: row.get("at")?,
    })
}

pub(crate) fn is_team_channel(change: &Connection, channel: &str) -> rusqlite::Result<bool> {
    change.scalar("SELECT EXISTS (SELECT 1 FROM team_channel WHERE channel = ?1)", [channel])
}

/// Row of `team_change` without its number and time.
#[derive(Default)]
struct NewChange<'a> {
    part: &'static str,
    item: &'a str,
    action: &'static str,
    text: Option<&'a str>,
    until: Option<Timestamp>,
    version: Option<i64>,
}

/// Adds a change of a channel of the team. It replaces an earlier one of the same part, except notes.
fn add_change(
    change: &Connection,
    channel: &str,
    conversation: &ConversationId,
    new: &NewChange<'_>,
) -> rusqlite::Result<()> {
    if new.part != NOTE {
        change.execute(
            "DELETE FROM team_change WHERE channel = ?1 AND conversation = ?2 AND part = ?3",
            params![channel, conversation, new.part],
        )?;
    }
    change
        .prepare_cached(
            "INSERT INTO team_change (channel, conversation, part, item, action, text, until, version, at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, desk_now())",
        )?
        .execute(params![
            channel,
            conversation,
            new.part,
            new.item,
            new.action,
            new.text,
            new.until,
            new.version
        ])?;
    Ok(())
}

/// Claim of a conversation before it changes.
pub(crate) struct FormerClaim {
    agent: String,
    version: Option<i64>,
}

pub(crate) fn former_claim(
    change: &Connection,
    channel: &str,
    conversation: &ConversationId,
) -> rusqlite::Result<Option<FormerClaim>> {
    let sql = "SELECT agent, version FROM claim WHERE channel = ?1 AND conversation = ?2";
    change.first(sql, params![channel, conversation], |row| {
        Ok(FormerClaim { agent: row.get("agent")?, version: row.get("version")? })
    })
}

/// Adds the change of a claim that this desk made. Called after the claim was stored.
pub(crate) fn share_claim(
    change: &Connection,
    (channel, conversation): (&str, &ConversationId),
    former: Option<FormerClaim>,
    wanted: Option<&Assignment>,
) -> rusqlite::Result<()> {
    if !is_team_channel(change, channel)? {
        return Ok(());
    }
    let version = former.as_ref().and_then(|former| former.version);
    if let (Some(former), Some(wanted)) = (&former, wanted)
        && former.agent == wanted.agent.as_str()
    {
        // The team's own claim stays.
        change.execute(
            "UPDATE claim SET version = ?3 WHERE channel = ?1 AND conversation = ?2",
            params![channel, conversation, version],
        )?;
        if version.is_some() {
            return Ok(());
        }
    }
    let action = if wanted.is_some() { "claim" } else { "release" };
    let text = wanted.map(|wanted| wanted.agent.as_str());
    add_change(
        change,
        channel,
        conversation,
        &NewChange { part: CLAIM, action, text, version, ..NewChange::default() },
    )
}

/// Adds a change for each claim of a channel that `who` is about to take over from others.
pub(crate) fn share_take_over(
    change: &Connection,
    channel: &str,
    who: &SafeText,
    from: Option<&SafeText>,
) -> rusqlite::Result<()> {
    if !is_team_channel(change, channel)? {
        return Ok(());
    }
    let sql = "SELECT conversation, version FROM claim
         WHERE channel = ?1 AND agent <> ?2 AND (?3 IS NULL OR agent = ?3)";
    let taken: Vec<(ConversationId, Option<i64>)> = change
        .all(sql, params![channel, who, from], |row| Ok((row.get("conversation")?, row.get("version")?)))?;
    for (conversation, version) in &taken {
        let (action, text, version) = ("take over", Some(who.as_str()), *version);
        let new = NewChange { part: CLAIM, action, text, version, ..NewChange::default() };
        add_change(change, channel, conversation, &new)?;
    }
    Ok(())
}

pub(crate) fn share_tags(
    change: &Connection,
    channel: &str,
    conversation: &ConversationId,
    wanted: &[Tag],
) -> rusqlite::Result<()> {
    if !is_team_channel(change, channel)? {
        return Ok(());
    }
    let local = wanted.iter().filter(|tag| tag.location == TagLocation::Local);
    let lines: Vec<&str> = local.map(|tag| tag.word.as_str()).collect();
    let text = lines.join("\n");
    let new = NewChange { part: TAGS, action: "set", text: Some(&text), ..NewChange::default() };
    add_change(change, channel, conversation, &new)
}

pub(crate) fn share_snooze(
    change: &Connection,
    channel: &str,
    conversation: &ConversationId,
    wanted: Option<&Snooze>,
) -> rusqlite::Result<()> {
    if !is_team_channel(change, channel)? {
        return Ok(());
    }
    let asleep = wanted.filter(|snooze| snooze.is_asleep());
    let text = asleep.and_then(|snooze| snooze.note.as_ref()).map(SafeText::as_str);
    let until = asleep.map(|snooze| snooze.until.unwrap_or(UNTIL_REPLY));
    let new = NewChange { part: SNOOZE, action: "set", text, until, ..NewChange::default() };
    add_change(change, channel, conversation, &new)
}

/// Names the author of a note that was stored in a channel of the team, and adds its change.
pub(crate) fn share_note(
    change: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
    (id, text, owner): (&NoteId, &str, &str),
) -> rusqlite::Result<bool> {
    if !is_team_channel(change, channel.as_str())? {
        return Ok(false);
    }
    change.execute("UPDATE note SET author = ?2 WHERE id = ?1", params![id, owner])?;
    let new =
        NewChange { part: NOTE, item: id.as_str(), action: "add", text: Some(text), ..NewChange::default() };
    add_change(change, channel.as_str(), conversation, &new)?;
    Ok(true)
}

/// Adds the deletion of a note of the team that is deleted here. A note that never left is only forgotten.
pub(crate) fn share_note_deletion(
    change: &Connection,
    channel: &ChannelId,
    conversation: &ConversationId,
    id: &NoteId,
) -> rusqlite::Result<()> {
    let sql = "SELECT author IS NOT NULL FROM note WHERE id = ?1";
    if !change.first(sql, [id], only_cell)?.unwrap_or(false) {
        return Ok(());
    }
    let untried = "DELETE FROM team_change WHERE part = 'note' AND item = ?1 AND tried = 0";
    let unsent = "SELECT EXISTS (SELECT 1 FROM team_change
         WHERE part = 'note' AND item = ?1 AND action = 'add' AND tried = 0)";
    let never_left: bool = change.scalar(unsent, [id])?;
    change.execute(untried, [id])?;
    if never_left {
        return Ok(());
    }
    let new = NewChange { part: NOTE, item: id.as_str(), action: "delete", ..NewChange::default() };
    add_change(change, channel.as_str(), conversation, &new)
}

fn in_millis(at: Timestamp) -> Timestamp {
    Timestamp::from_micros(at.micros() - at.micros().rem_euclid(1_000))
}

/// Local view of one conversation.
struct View<'a> {
    change: &'a Connection,
    channel: &'a ChannelId,
    conversation: &'a ConversationId,
    /// Person of this desk.
    owner: &'a str,
}

impl View<'_> {
    fn apply_part(
        &self,
        part: &SharedPart,
        rings: bool,
        applied: &mut AppliedShared,
    ) -> Result<(), StoreError> {
        match part {
            SharedPart::Claim(claim) => self.apply_claim(claim.as_ref(), applied),
            SharedPart::Note(_, Some(note)) => self.apply_note(note, rings, applied),
            SharedPart::Note(id, None) => self.remove_note(id, applied),
            SharedPart::Tags(tags) => self.apply_tags(tags, applied),
            SharedPart::Snooze(snooze, at) => self.apply_snooze(snooze.as_ref(), *at, applied),
            SharedPart::State(state) => {
                self.apply_claim(state.claim.as_ref(), applied)?;
                self.apply_tags(&state.tags, applied)?;
                self.apply_snooze(state.snooze.as_ref(), state.changed_at, applied)?;
                for note in &state.notes {
                    self.apply_note(note, rings, applied)?;
                }
                self.remove_other_notes(&state.notes, applied)
            }
        }
    }

    fn has_pending(&self, part: &str, item: &str) -> rusqlite::Result<bool> {
        self.change.scalar(
            "SELECT EXISTS (SELECT 1 FROM team_change
                 WHERE channel = ?1 AND conversation = ?2 AND part = ?3 AND item = ?4)",
            params![self.channel, self.conversation, part, item],
        )
    }

    fn record_changed(&self, applied: &mut AppliedShared) {
        let place = (self.channel.clone(), self.conversation.clone());
        if !applied.changed.contains(&place) {
            applied.changed.push(place);
        }
    }

    fn forget(&self, table: &str) -> rusqlite::Result<usize> {
        let sql = format!("DELETE FROM {table} WHERE channel = ?1 AND conversation = ?2");
        self.change.prepare_cached(&sql)?.execute(params![self.channel, self.conversation])
    }

    fn apply_claim(
        &self,
        claim: Option<&SharedClaim>,
        applied: &mut AppliedShared,
    ) -> Result<(), StoreError> {
        if self.has_pending(CLAIM, "")? {
            return Ok(());
        }
        let former = former_claim(self.change, self.channel.as_str(), self.conversation)?;
        let is_same = match (&former, claim) {
            (None, None) => true,
            (Some(former), Some(claim)) => {
                former.agent == claim.agent.as_str() && former.version == Some(claim.version)
            }
            _ => false,
        };
        if is_same {
            return Ok(());
        }
        self.forget("claim")?;
        if let Some(claim) = claim {
            self.change.execute(
                "INSERT INTO claim (channel, conversation, agent, at, version) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![self.channel, self.conversation, claim.agent, claim.at, claim.version],
            )?;
        }
        let was_mine = former.is_some_and(|former| former.agent == self.owner);
        if let Some(claim) = claim.filter(|claim| was_mine && claim.agent.as_str() != self.owner) {
            applied.lost.push((self.channel.clone(), self.conversation.clone(), claim.agent.clone()));
        }
        self.record_changed(applied);
        Ok(())
    }

    fn apply_tags(&self, tags: &[SafeText], applied: &mut AppliedShared) -> Result<(), StoreError> {
        if self.has_pending(TAGS, "")? {
            return Ok(());
        }
        let sql = "SELECT word FROM tag WHERE channel = ?1 AND conversation = ?2";
        let known: Vec<String> =
            self.change.all(sql, params![self.channel, self.conversation], |row| row.get("word"))?;
        if known.len() == tags.len() && tags.iter().all(|tag| known.iter().any(|word| word == tag.as_str())) {
            return Ok(());
        }
        self.forget("tag")?;
        let sql = "INSERT OR IGNORE INTO tag (channel, conversation, word, shared) VALUES (?1, ?2, ?3, 0)";
        for tag in tags.iter().filter(|tag| !tag.is_empty()) {
            self.change.execute(sql, params![self.channel, self.conversation, tag])?;
        }
        self.record_changed(applied);
        Ok(())
    }

    /// `at` is the time of the change: later messages of the customer end the snooze.
    fn apply_snooze(
        &self,
        snooze: Option<&SharedSnooze>,
        at: Timestamp,
        applied: &mut AppliedShared,
    ) -> Result<(), StoreError> {
        if self.has_pending(SNOOZE, "")? {
            return Ok(());
        }
        let sql = "SELECT until, note FROM snooze WHERE channel = ?1 AND conversation = ?2";
        let known = self.change.first(sql, params![self.channel, self.conversation], |row| {
            let until: Option<Timestamp> = row.get("until")?;
            Ok(SharedSnooze { until: until.unwrap_or(UNTIL_REPLY), note: row.optional_line("note")? })
        })?;
        let now: Timestamp = self.change.scalar("SELECT desk_now()", [])?;
        // Times are shared in milliseconds.
        let known = known.map(|known| SharedSnooze { until: in_millis(known.until), ..known });
        let is_over = known.is_none() && snooze.is_some_and(|snooze| snooze.until <= now);
        if known.as_ref() == snooze || is_over {
            return Ok(());
        }
        self.forget("snooze")?;
        if let Some(snooze) = snooze {
            let until = Some(snooze.until).filter(|until| *until != UNTIL_REPLY);
            self.change.execute(
                "INSERT INTO snooze (channel, conversation, until, after, set_at, note)
                 VALUES (?1, ?2, ?3, ?4, ?4, ?5)",
                params![self.channel, self.conversation, until, at, snooze.note],
            )?;
        }
        self.record_changed(applied);
        Ok(())
    }

    fn apply_note(
        &self,
        note: &SharedNote,
        rings: bool,
        applied: &mut AppliedShared,
    ) -> Result<(), StoreError> {
        if self.has_pending(NOTE, note.id.as_str())? {
            return Ok(());
        }
        let sql = "SELECT text FROM note WHERE id = ?1";
        let known: Option<String> = self.change.first(sql, [&note.id], only_cell)?;
        if known.as_deref() == Some(note.text.as_str()) {
            return Ok(());
        }
        self.change.execute(
            "INSERT INTO note (id, channel, conversation, text, created_at, author, edited_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (id) DO UPDATE SET text = excluded.text, edited_at = excluded.edited_at",
            params![
                note.id,
                self.channel,
                self.conversation,
                note.text,
                note.at,
                note.author,
                note.edited_at
            ],
        )?;
        let names_me = note.mentions.iter().any(|name| name.as_str() == self.owner);
        if known.is_none() && rings && names_me && note.author.as_str() != self.owner {
            applied.mentions.push((self.channel.clone(), self.conversation.clone(), note.author.clone()));
        }
        self.record_changed(applied);
        Ok(())
    }

    fn remove_note(&self, id: &NoteId, applied: &mut AppliedShared) -> Result<(), StoreError> {
        if self.has_pending(NOTE, id.as_str())? {
            return Ok(());
        }
        let sql = "DELETE FROM note WHERE id = ?1 AND author IS NOT NULL";
        if self.change.execute(sql, [id])? > 0 {
            self.record_changed(applied);
        }
        Ok(())
    }

    /// Removes notes of the team that the service no longer has.
    fn remove_other_notes(
        &self,
        notes: &[SharedNote],
        applied: &mut AppliedShared,
    ) -> Result<(), StoreError> {
        let sql = "SELECT id FROM note WHERE channel = ?1 AND conversation = ?2 AND author IS NOT NULL";
        let known: Vec<NoteId> =
            self.change.all(sql, params![self.channel, self.conversation], |row| row.get("id"))?;
        for id in known.iter().filter(|id| !notes.iter().any(|note| note.id == **id)) {
            self.remove_note(id, applied)?;
        }
        Ok(())
    }
}

impl Store {
    /// Deletes a note; in a channel of the team for everybody. Blocks.
    pub fn delete_note(&self, id: &NoteId) -> Result<(), StoreError> {
        let id = id.clone();
        self.outbox().change(move |change| {
            let sql = "SELECT channel, conversation FROM note WHERE id = ?1";
            let found: Option<(ChannelId, ConversationId)> =
                change.first(sql, [&id], |row| Ok((row.get("channel")?, row.get("conversation")?)))?;
            if let Some((channel, conversation)) = found {
                share_note_deletion(change, &channel, &conversation, &id)?;
                change.execute("DELETE FROM note WHERE id = ?1", [&id])?;
            }
            Ok(())
        })
    }

    /// Replaces the text of a note; in a channel of the team for everybody. Blocks.
    pub fn edit_note(&self, id: &NoteId, text: &str) -> Result<(), StoreError> {
        let (id, text) = (id.clone(), text.to_owned());
        self.outbox().change(move |change| {
            let sql = "SELECT channel, conversation, author IS NOT NULL AS is_shared FROM note WHERE id = ?1";
            let found = change.first(sql, [&id], |row| {
                Ok((
                    row.get::<ChannelId>("channel")?,
                    row.get::<ConversationId>("conversation")?,
                    row.get::<bool>("is_shared")?,
                ))
            })?;
            let Some((channel, conversation, is_shared)) = found else { return Ok(()) };
            let sql = "UPDATE note SET text = ?2, edited_at = desk_now() WHERE id = ?1";
            change.execute(sql, params![id, text])?;
            if !is_shared {
                return Ok(());
            }
            let sql = "UPDATE team_change SET text = ?2
                 WHERE part = 'note' AND item = ?1 AND action <> 'delete' AND tried = 0";
            if change.execute(sql, params![id, text])? == 0 {
                let (item, text) = (id.as_str(), Some(text.as_str()));
                let new = NewChange { part: NOTE, item, action: "edit", text, ..NewChange::default() };
                add_change(change, channel.as_str(), &conversation, &new)?;
            }
            Ok(())
        })
    }
}
