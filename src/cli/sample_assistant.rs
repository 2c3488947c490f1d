//! The demo's assistant: proposes an answer to one customer and prepares a draft for another, from the sample
//! replies. Shows `frontdesk mcp` and draft-only conversations without a model.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::shell::clock;
use crate::shell::replies::ReplyFolder;
use model::conversations::ConversationRow;
use model::filter::ConversationFilter;
use model::ids::{ChannelId, MessageId};
use model::local::LocalChange;
use model::proposals::ProposedChange;
use model::queries::{ConversationQuery, HistoryQuery};
use model::replies::{CannedReply, ReplyVariables};
use model::suggestions::{
    AskedBy, MAX_MESSAGES, SuggestionId, SuggestionKind, SuggestionRequest, speaker_and_text,
};
use model::text::SafeText;
use model::time::{Clock, Timestamp};
use net::assist::rules;
use store::proposals::NewProposal;
use store::{Store, StoreError, StoreOptions};

/// Interval between searches for suitable customers.
const POLL_INTERVAL: Duration = Duration::from_millis(700);
const MAX_POLLS: u32 = 90;
/// Conversations examined.
const MAX_ROWS: u32 = 30;

/// Starts the assistant beside the inbox.
pub fn start(
    runtime: &tokio::runtime::Handle,
    folder: PathBuf,
    replies: PathBuf,
    channel: ChannelId,
    clock: Arc<dyn Clock>,
) {
    let handle = runtime.clone();
    runtime.spawn(async move {
        for _ in 0..MAX_POLLS {
            tokio::time::sleep(POLL_INTERVAL).await;
            let (folder, replies, channel, now) =
                (folder.clone(), replies.clone(), channel.clone(), clock.now());
            let look = handle.spawn_blocking(move || suggest_samples(folder, replies, &channel, now));
            match look.await {
                Ok(Ok(false)) => (),
                Ok(Ok(true)) | Err(_) => return,
                Ok(Err(error)) => return tracing::warn!(%error, "the sample assistant gave up"),
            }
        }
    });
}

/// Suggests answers if two customers asked something the replies cover. Returns true when done.
fn suggest_samples(
    folder: PathBuf,
    replies: PathBuf,
    channel: &ChannelId,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let options = StoreOptions { zone: clock::zone(), ..StoreOptions::default() };
    let store = Store::open_with(&folder, options)?;
    let replies = ReplyFolder::new(replies).read().replies.unwrap_or_default();
    let query = ConversationQuery::first(channel.clone(), ConversationFilter::needing_person(), MAX_ROWS);
    let reader = store.reader()?;
    let mut found = Vec::new();
    for row in reader.conversations(&query)?.rows {
        let id = row.conversation.id.clone();
        let limit = u32::try_from(MAX_MESSAGES).unwrap_or(u32::MAX);
        let page = reader.history(&HistoryQuery { channel: channel.clone(), conversation: id, limit })?;
        let Some(newest) = page.messages.last().map(|message| message.message.id.clone()) else { continue };
        let said = page.messages.iter().map(|message| speaker_and_text(&message.message)).collect();
        found.extend(draft(&row, said, newest, &replies, now).map(|text| (row, text)));
    }
    // The one waiting longest gets the proposal, so that no new message supersedes it at once.
    let [(last, _), .., (first, text)] = found.as_slice() else { return Ok(false) };
    let seen = reader.newest_message(channel, &first.conversation.id)?;
    store.insert_proposal(
        NewProposal {
            channel: channel.clone(),
            conversation: first.conversation.id.clone(),
            proposer: SafeText::line("Sample assistant"),
            reason: SafeText::line("One of your canned replies answers the question"),
            change: ProposedChange::Reply { text: text.clone() },
            seen,
        },
        now,
    )?;
    store.change_local(channel, LocalChange::DraftOnly(vec![(last.conversation.id.clone(), true)]))?;
    Ok(true)
}

/// Answer from the sample replies; `None` if a field stays open.
fn draft(
    row: &ConversationRow,
    said: Vec<(model::suggestions::SpeakerRole, String)>,
    newest: MessageId,
    replies: &[CannedReply],
    now: Timestamp,
) -> Option<String> {
    let request = SuggestionRequest {
        id: SuggestionId {
            kind: SuggestionKind::Draft,
            key: row.key(),
            asked_at: now,
            newest: Some(newest),
            asked_by: AskedBy::Desk,
        },
        conversation: said,
        facts: ReplyVariables {
            contact: row.conversation.name.as_ref().map(ToString::to_string),
            agent: Some("Ana".to_owned()),
            ..ReplyVariables::default()
        },
        card: Vec::new(),
        tab_words: vec!["whatsapp".to_owned()],
        voice: None,
    };
    let found = rules::suggestion(&request, replies)?;
    let text: String = found.sentences.iter().map(|sentence| sentence.text.as_str()).collect();
    Some(text.trim().to_owned())
}
