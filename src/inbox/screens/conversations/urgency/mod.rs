//! Going to who needs a person: the next in the list, or the most urgent of
//! all tabs.

pub(crate) mod update;

use model::conversations::ConversationRow;
use model::queries::ConversationKey;
use model::time::Timestamp;

/// Where a walk by urgency has been, so that each step brings another one.
#[derive(Debug, Clone, Default)]
pub(crate) struct UrgencyWalk {
    /// When each was come to; the newest last.
    seen: Vec<(ConversationKey, Timestamp)>,
}

impl UrgencyWalk {
    /// The most urgent that was not come to since the walk began or since it
    /// had news. After the last the walk begins again; so it does when the
    /// person has gone elsewhere meanwhile.
    fn next<'a>(
        &mut self,
        ranked: &'a [ConversationRow],
        current: Option<&ConversationKey>,
        now: Timestamp,
    ) -> Option<&'a ConversationRow> {
        if self.seen.last().map(|pair| &pair.0) != current {
            self.seen.clear();
        }
        let others = || ranked.iter().filter(|conversation_row| Some(&conversation_row.key()) != current);
        let found = others().find(|conversation_row| !self.has_seen(conversation_row)).or_else(|| {
            self.seen.clear();
            others().next()
        })?;
        self.seen.retain(|pair| pair.0 != found.key());
        self.seen.push((found.key(), now));
        Some(found)
    }

    fn has_seen(&self, row: &ConversationRow) -> bool {
        let key = row.key();
        let news = row.conversation.last_message_at;
        self.seen.iter().any(|pair| pair.0 == key && news.is_none_or(|news| news <= pair.1))
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
