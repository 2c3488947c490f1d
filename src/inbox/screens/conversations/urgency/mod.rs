//! Navigation to the conversation that needs a person most.

pub(crate) mod update;

use model::conversations::ConversationRow;
use model::queries::ConversationKey;
use model::time::Timestamp;

#[derive(Debug, Clone, Default)]
pub(crate) struct UrgencyWalk {
    /// With the time of the visit, newest last.
    visited: Vec<(ConversationKey, Timestamp)>,
    /// Conversation that was finished, while the next one is read: the walk begins anew after it.
    pub(crate) finished: Option<ConversationKey>,
}

impl UrgencyWalk {
    /// Returns the most urgent conversation that was not visited since its last message. Starts
    /// over after the last one, or if the user has left the last visited one.
    fn next<'a>(
        &mut self,
        ranked: &'a [ConversationRow],
        current: Option<&ConversationKey>,
        now: Timestamp,
    ) -> Option<&'a ConversationRow> {
        if self.visited.last().map(|pair| &pair.0) != current {
            self.visited.clear();
        }
        let others = || ranked.iter().filter(|conversation_row| Some(&conversation_row.key()) != current);
        let found = others().find(|conversation_row| !self.was_visited(conversation_row)).or_else(|| {
            self.visited.clear();
            others().next()
        })?;
        self.visited.retain(|pair| pair.0 != found.key());
        self.visited.push((found.key(), now));
        Some(found)
    }

    fn was_visited(&self, row: &ConversationRow) -> bool {
        let key = row.key();
        let news = row.conversation.last_message_at;
        self.visited.iter().any(|pair| pair.0 == key && news.is_none_or(|news| news <= pair.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{at, row};

    #[test]
    fn a_walk_comes_to_each_once_and_begins_again() {
        let rows: Vec<ConversationRow> = ["a", "b", "c"].map(|text| row(text, true)).into();
        let now = at(5);
        let mut walk = UrgencyWalk::default();
        let mut here: Option<ConversationKey> = None;
        let mut step = |rows: &[ConversationRow], here: &mut Option<ConversationKey>| {
            let found = walk.next(rows, here.as_ref(), now).map(ConversationRow::key);
            here.clone_from(&found);
            found.map(|entry| entry.conversation.to_string())
        };
        for wanted in ["a", "b", "c", "a", "b"] {
            assert_eq!(step(&rows, &mut here).as_deref(), Some(wanted));
        }
        let mut news = rows.clone();
        news[0].conversation.last_message_at = Some(at(6));
        assert_eq!(step(&news, &mut here).as_deref(), Some("a"), "news bring it back");
        here = Some(rows[2].key());
        assert_eq!(step(&rows, &mut here).as_deref(), Some("a"), "who went elsewhere begins again");
        assert_eq!(step(&rows[..1], &mut here), None);
    }
}
