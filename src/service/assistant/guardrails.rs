//! Typing indicator, and a limit for conversations with other machines, on real platforms.

use std::convert::Infallible;

use crate::assistant::ChatTranscript;
use crate::database::session::DbSession;
use crate::database::{DatabaseError, conversations, messages};
use crate::state::Service;
use model::time::{Clock, MINUTE};

/// Maximum number of answers within [`ANSWER_WINDOW`] without a person's message.
const MAX_UNATTENDED_ANSWERS: i64 = 3;
const ANSWER_WINDOW: i64 = 10 * MINUTE;
pub const TOO_MANY_ANSWERS_REASON: &str =
    "the assistant answered three times in ten minutes; the sender may be another machine";

/// Returns true if the limit of answers is reached. Simulated customers are not limited.
pub async fn is_answer_limit_reached(service: &Service, conversation: &str) -> Result<bool, DatabaseError> {
    if service.platforms.are_simulated() {
        return Ok(false);
    }
    let (id, since) = (conversation.to_owned(), service.clock.now().plus(-ANSWER_WINDOW));
    service
        .database
        .read(move |db| Ok(messages::count_unattended_answers(db, &id, since)? >= MAX_UNATTENDED_ANSWERS))
        .await
}

/// Shows a typing indicator until the future is dropped, if the platform supports it.
pub async fn show_typing_until_dropped(
    service: &Service,
    conversation: &str,
    turn: &ChatTranscript,
) -> Infallible {
    let (id, last) = (conversation.to_owned(), turn.last.clone());
    let look = move |db: &dyn DbSession| {
        let seen = messages::find_by_id(db, &last)?.map(|by_id| by_id.platform_id);
        Ok::<_, DatabaseError>(conversations::with_channel(db, &id)?.zip(seen))
    };
    let found = service.database.read(look).await;
    if let Ok(Some(((channel, row), seen))) = found
        && let Some(connected) = service.platforms.connected(&channel.id)
    {
        while let Some(showing) = connected.platform.show_typing(&row.peer, &seen) {
            tokio::time::sleep(showing.await).await;
        }
    }
    std::future::pending().await
}
