//! Thread that reads from the files for the inbox, in order.

use std::collections::VecDeque;
use std::sync::mpsc::Receiver;

use crate::shell::campaigning;
use crate::shell::event_queue::EventQueue;
use inbox::event::{Event, Load, Loaded, MarkMode};
use model::attention::AttentionQuery;
use model::conversations::ConversationRow;
use model::filter::{ConversationFilter, Sort, parse};
use model::ids::{ChannelId, ConversationId};
use model::queries::{Anchor, ConversationKey, ConversationQuery, DeskQuery};
use model::queue::Section;
use model::selector::{Selector, Unresolved};
use model::text::SafeText;
use model::time::Timestamp;
use store::{Reader, StoreError};

/// Maximum conversations examined that need a person, most urgent first.
const MAX_ATTENTION_ROWS: u32 = 1_000;

/// Maximum conversations matched by a name.
const MAX_NAMED_ROWS: u32 = 50;
/// Maximum folders and categories offered.
const MAX_THREAD_LABELS: u32 = 40;
/// Maximum correspondents offered.
const MAX_CORRESPONDENTS: u32 = 200;

/// Query for the first rows of one tab, or of all.
fn first_rows(
    channel: Option<&ChannelId>,
    filter: ConversationFilter,
    sort: Sort,
    at: Timestamp,
    limit: u32,
) -> ConversationQuery {
    ConversationQuery { channel: channel.cloned(), filter, sort, at, anchor: Anchor::Top, limit }
}

/// Finds the conversation a person names. An id that is not found is tried as a name or the beginnings of its
/// words; the newest match wins.
fn lookup(reader: &Reader, who: &Selector) -> Result<Result<ConversationKey, SafeText>, StoreError> {
    let found = reader.resolve(who)?;
    let Err(Unresolved::Nobody(Selector::Id(id))) = &found else {
        return Ok(found.map_err(|why| SafeText::line(&why.to_string())));
    };
    let wanted = id.as_str().trim().to_lowercase();
    let typed = format!("status:any \"{}\"", wanted.replace('"', " "));
    let query = first_rows(None, parse(&typed).filter, Sort::Activity, Timestamp::default(), MAX_NAMED_ROWS);
    let rows = reader.conversations(&query)?.rows;
    let is_called = |conversation_row: &&ConversationRow| {
        let name = conversation_row.conversation.name.as_ref().map(|name| name.as_str().to_lowercase());
        name.is_some_and(|name| name.starts_with(&wanted) || name.contains(&format!(" {wanted}")))
    };
    let newest = rows.iter().filter(|_| !wanted.is_empty()).find(is_called).map(ConversationRow::key);
    Ok(newest
        .ok_or_else(|| SafeText::line(&format!("no conversation has the id or the name {:?}", id.as_str()))))
}

fn view_counts(
    reader: &Reader,
    channel: Option<&ChannelId>,
    filters: &[ConversationFilter],
    at: Timestamp,
) -> Result<Loaded, StoreError> {
    let count = |filter: &ConversationFilter| {
        let query = first_rows(channel, filter.clone(), Sort::Activity, at, 1);
        reader.conversations(&query).map(|page| page.total)
    };
    filters.iter().map(count).collect::<Result<Vec<_>, _>>().map(Loaded::ViewCounts)
}

fn reviews(reader: &Reader, query: &DeskQuery, one_in: u32, now: Timestamp) -> Result<Loaded, StoreError> {
    let page = reader.review_page(query.channel.as_ref(), one_in, now)?;
    Ok(Loaded::Reviews(query.clone(), page))
}

/// Keys of all conversations of a list, for marking.
fn load_all_rows(reader: &Reader, query: &ConversationQuery, how: MarkMode) -> Result<Loaded, StoreError> {
    let page = reader.conversations(query)?;
    let ids = page.rows.iter().map(ConversationRow::key).collect();
    Ok(Loaded::MarkList(query.clone(), how, ids, !page.reaches_bottom))
}

/// Draft-only conversations without a draft for the latest message.
fn due_drafts(
    reader: &Reader,
    channels: &[ChannelId],
    open: Option<&ConversationKey>,
    now: Timestamp,
) -> Result<Loaded, StoreError> {
    reader.due_drafts(channels, open, now).map(Loaded::DueDrafts)
}

/// Draft of a conversation, and the one set aside for it.
fn draft(reader: &Reader, channel: &ChannelId, conversation: &ConversationId) -> Result<Loaded, StoreError> {
    let draft = reader.draft(channel, conversation)?;
    let aside = reader.draft_set_aside(channel, conversation)?;
    Ok(Loaded::Draft(channel.clone(), conversation.clone(), draft, aside))
}

/// Mail account with the folders and categories of its threads.
fn mail_account(reader: &Reader, channel: &ChannelId) -> Result<Loaded, StoreError> {
    let account = reader.mailbox(channel)?;
    let words = reader.folders_and_categories(channel, MAX_THREAD_LABELS)?;
    Ok(Loaded::Mailbox(channel.clone(), account.map(Box::new), words))
}

/// Answers one load.
///
/// # Errors
/// When the files cannot be read; a damaged cache is made anew at the next start.
pub fn load(reader: &mut Reader, load: &Load) -> Result<Loaded, String> {
    read(reader, load).map_err(|error| {
        tracing::error!(%error, "the cache could not be read");
        reader.record_damage(&error);
        error.to_string()
    })
}

#[expect(clippy::too_many_lines, reason = "one arm for each load")]
fn read(reader: &mut Reader, load: &Load) -> Result<Loaded, StoreError> {
    match load {
        Load::Conversations(query) => {
            reader.conversations(query).map(|page| Loaded::Conversations(query.clone(), page))
        }
        Load::History(query) => {
            reader.history(query).map(|page| Loaded::History(query.clone(), Box::new(page)))
        }
        Load::Counts(channel) => reader.counts(channel).map(|counts| Loaded::Counts(channel.clone(), counts)),
        Load::Draft(channel, conversation) => draft(reader, channel, conversation),
        Load::Account(channel) => {
            reader.account(channel).map(|account| Loaded::Account(channel.clone(), account.map(Box::new)))
        }
        Load::Outbox(query) => reader.outbox(query).map(|page| Loaded::Outbox(query.clone(), page)),
        Load::SamePerson(key) => {
            reader.other_conversations(key).map(|found| Loaded::SamePerson(key.clone(), found))
        }
        Load::Card(key) => reader.card(key).map(|card| Loaded::Card(key.clone(), Box::new(card))),
        Load::Question(row, now) => {
            reader.outbox_question(row, *now).map(|found| Loaded::Question(found.map(Box::new)))
        }
        Load::Proposals(query) => {
            reader.proposals(query).map(|(entries, more)| Loaded::Proposals(query.clone(), entries, more))
        }
        Load::Reviews(query, one_in, now) => reviews(reader, query, *one_in, *now),
        Load::Drafts(query) => {
            reader.drafts(query).map(|(drafts, more)| Loaded::Drafts(query.clone(), drafts, more))
        }
        Load::Search(query) => reader.search(query).map(|page| Loaded::Search(query.clone(), Box::new(page))),
        Load::ViewMatches(query) => {
            reader.conversations(query).map(|page| Loaded::ViewMatches(query.clone(), page.rows))
        }
        Load::NewerMessages(channel, conversation, message) => {
            reader.count_from_newest(channel, conversation, message).map(|depth| {
                Loaded::NewerMessages(channel.clone(), conversation.clone(), message.clone(), depth)
            })
        }
        Load::ConversationNames => reader.names().map(Loaded::ConversationNames),
        Load::ViewCounts(channel, filters, at) => view_counts(reader, channel.as_ref(), filters, *at),
        Load::Lookup(who) => lookup(reader, who).map(Loaded::Lookup),
        Load::DueDrafts(channels, open, now) => due_drafts(reader, channels, open.as_ref(), *now),
        Load::NeedsPerson => {
            let filter = ConversationFilter::section(Some(Section::NeedsPerson));
            let query = first_rows(None, filter, Sort::Queue, Timestamp::default(), MAX_ATTENTION_ROWS);
            reader.conversations(&query).map(|page| Loaded::NeedsPerson(page.rows))
        }
        Load::OpenWork(channels) => channels
            .iter()
            .map(|channel| Ok((channel.clone(), reader.counts(channel)?)))
            .collect::<Result<_, _>>()
            .map(Loaded::OpenWork),
        Load::Triage(query) => {
            reader.conversations(query).map(|page| Loaded::Triage(query.clone(), page.rows))
        }
        Load::HistoryPrefetch(query) => {
            reader.history(query).map(|page| Loaded::HistoryPrefetch(query.clone(), Box::new(page)))
        }
        Load::Mailbox(channel) => mail_account(reader, channel),
        Load::Correspondents(channel, text) => reader
            .correspondents(channel, text, MAX_CORRESPONDENTS)
            .map(|found| Loaded::Correspondents(channel.clone(), text.clone(), found)),
        Load::Rules(query) => reader.rules(query).map(|rule| Loaded::Rules(query.clone(), Box::new(rule))),
        Load::Templates(channel) => {
            reader.templates(channel).map(|templates| Loaded::Templates(channel.clone(), templates))
        }
        Load::People(query) => reader.people(query).map(|page| Loaded::People(query.clone(), page)),
        Load::Person(channel, phone) => reader
            .person(channel, phone)
            .map(|found| Loaded::Person(channel.clone(), phone.clone(), found.map(Box::new))),
        Load::Pauses(channel) => reader.pauses(channel).map(|pauses| Loaded::Pauses(channel.clone(), pauses)),
        Load::MarkList(query, how) => load_all_rows(reader, query, *how),
        Load::Marked(marked) => reader.conversation_rows(marked).map(Loaded::Marked),
        Load::UploadedFiles(channel) => {
            reader.uploaded_files(channel).map(|shelf| Loaded::UploadedFiles(channel.clone(), shelf))
        }
        Load::Spending => reader.spending_by_channel().map(Loaded::Spending),
        Load::ModelUsage(since) => reader.model_usage(*since).map(Loaded::ModelUsage),
        Load::Unpaid => reader.unpaid_rows().map(Loaded::Unpaid),
        Load::NeedsYou(query) => reader.needs_you(query).map(|page| Loaded::NeedsYou(Box::new(page))),
        Load::ServiceLevels(query, zone) => reader
            .service_levels(query, zone)
            .map(|service_level| Loaded::ServiceLevels(query.clone(), Box::new(service_level))),
        Load::Alarms(query, since) => alarms(reader, query, *since),
        Load::Barrier(number) => Ok(Loaded::Barrier(*number)),
        Load::ContactWays(query) => {
            reader.person_page(query).map(|page| Loaded::ContactWays(query.clone(), Box::new(page)))
        }
        Load::RowOutcomes(rows) => reader.row_outcomes(rows).map(Loaded::RowOutcomes),
        Load::Tags(limit) => reader.used_tags(*limit).map(Loaded::Tags),
        Load::PausedConversations(limit) => reader.paused_entries(*limit).map(Loaded::PausedConversations),
        Load::Broadcasts(wanted) => campaigning::load(reader, wanted),
    }
}

fn alarms(reader: &Reader, query: &AttentionQuery, since: Timestamp) -> Result<Loaded, StoreError> {
    reader.alarms(query, since).map(|alarms| Loaded::Alarms(Box::new(alarms), query.now))
}

/// Answers loads in order until the queue closes; reads ahead come last.
pub(super) fn run_loads(mut reader: Reader, queue: &Receiver<Load>, mailbox: &EventQueue) {
    let mut waiting = VecDeque::new();
    loop {
        if waiting.is_empty() {
            let Ok(first) = queue.recv() else { return };
            waiting.push_back(first);
        }
        waiting.extend(queue.try_iter());
        let Some(wanted) = next(&mut waiting) else { continue };
        reader.follow_cache();
        let loaded = load(&mut reader, &wanted);
        mailbox.result(Event::Loaded(wanted, loaded));
    }
}

/// Takes the next load. Loads replaced by a newer one are skipped.
fn next(waiting: &mut VecDeque<Load>) -> Option<Load> {
    while let Some(at) = waiting.iter().position(|load| !matches!(load, Load::HistoryPrefetch(_))) {
        let wanted = waiting.remove(at)?;
        if !waiting.iter().skip(at).any(|load| load.replaces(&wanted)) {
            return Some(wanted);
        }
    }
    // The newest is the most likely to be still wanted.
    waiting.pop_back()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::queries::HistoryQuery;

    #[test]
    fn what_is_read_ahead_comes_last_and_the_newest_of_each_thing_is_enough() {
        let query = |conversation: &str| HistoryQuery {
            channel: "harbor".into(),
            conversation: conversation.into(),
            limit: 100,
        };
        let mut waiting = VecDeque::from([
            Load::HistoryPrefetch(query("c2")),
            Load::History(query("c1")),
            Load::Counts("harbor".into()),
            Load::HistoryPrefetch(query("c3")),
            Load::History(query("c1")),
        ]);
        let taken: Vec<Load> = std::iter::from_fn(|| next(&mut waiting)).collect();
        let expected = [
            Load::Counts("harbor".into()),
            Load::History(query("c1")),
            Load::HistoryPrefetch(query("c3")),
            Load::HistoryPrefetch(query("c2")),
        ];
        assert_eq!(taken, expected);
    }

    #[test]
    fn two_histories_of_a_channel_are_both_read() {
        let history = |channel: &str, conversation: &str, limit| {
            Load::History(HistoryQuery { channel: channel.into(), conversation: conversation.into(), limit })
        };
        let older = history("harbor", "c1", 50);
        let cases = [
            (history("harbor", "c1", 100), true),
            (history("harbor", "c2", 50), false),
            (history("other", "c1", 50), false),
            (Load::Counts("harbor".into()), false),
        ];
        for (newer, expected) in cases {
            assert_eq!(newer.replaces(&older), expected, "{newer:?}");
        }
    }
}
