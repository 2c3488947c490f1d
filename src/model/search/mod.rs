//! Full-text search: word splitting, parsing of a search, and positions of matches.
//!
//! Indexed text and search text are split by the same rules. Words match by prefix, ignoring case
//! and accents; scripts without spaces by any run of characters; pictographs one by one.

use std::ops::Range;

use crate::conversations::ConversationRow;
use crate::ids::{ChannelId, ConversationId, MessageId, NoteId};
use crate::messages::{Direction, MessageAgent, Sender};
use crate::text::SafeText;
use crate::time::Timestamp;

mod snippet;
#[cfg(test)]
mod tests;
mod words;

pub use snippet::Snippet;
pub use words::{TextWord, WordKind, split_words};

/// Maximum number of terms in a search; the rest is ignored.
const MAX_TERMS: usize = 16;

/// Search for messages and people, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchQuery {
    pub text: String,
    /// `None` means all tabs.
    pub channel: Option<ChannelId>,
    /// `None` means all conversations of the tab.
    pub conversation: Option<ConversationId>,
    /// Restricts results to messages before this position: the last one of the previous page.
    pub before: Option<SearchPosition>,
    pub limit: u32,
}

/// Position of a message among all searchable ones; newer is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SearchPosition(pub i64);

#[derive(Debug, Clone, PartialEq, Default)]
pub struct SearchPage {
    pub people: Vec<(ChannelId, ConversationRow)>,
    /// Private notes, newest first. First page only.
    pub notes: Vec<NoteHit>,
    /// Messages, newest first.
    pub hits: Vec<SearchHit>,
    /// Position of the next page; `None` on the last page.
    pub next: Option<SearchPosition>,
    /// True if older messages are still being indexed and may be missing.
    pub partial: bool,
    /// Time back to which messages are searchable.
    pub since: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SearchHit {
    pub channel: ChannelId,
    pub conversation: ConversationId,
    pub title: SafeText,
    /// Mail only.
    pub subject: Option<SafeText>,
    pub message: MessageId,
    /// Time of receipt by the server.
    pub at: Option<Timestamp>,
    pub direction: Direction,
    pub sender: Sender,
    pub agent: Option<MessageAgent>,
    pub snippet: Snippet,
}

/// A conversation that matches by data of a list: a mail thread by its subject, a phone
/// conversation by its newest call or text.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedHit {
    pub channel: ChannelId,
    pub conversation: ConversationId,
    pub title: SafeText,
    pub is_mail: bool,
    /// Newest activity as reported by the list.
    pub at: Option<Timestamp>,
    pub snippet: Snippet,
}

#[derive(Debug, Clone, PartialEq)]
pub struct NoteHit {
    pub channel: ChannelId,
    pub conversation: ConversationId,
    pub title: SafeText,
    pub note: NoteId,
    pub at: Timestamp,
    pub snippet: Snippet,
}

/// Terms of a search, which must all match.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Terms(Vec<Term>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// Folded like [`TextWord::folded`].
    pub text: String,
    pub kind: WordKind,
}

impl Term {
    /// True for a single letter or digit. Such a term matches whole words only; as a prefix it
    /// would match nearly everything.
    pub fn is_letter(&self) -> bool {
        self.kind == WordKind::Spaced && self.text.chars().count() == 1
    }
}

impl Terms {
    /// Splits the search text. Drops single letters if there are longer terms.
    pub fn parse(text: &str) -> Self {
        let mut terms: Vec<Term> = Vec::new();
        for word in split_words(text) {
            let term = Term { text: word.folded, kind: word.kind };
            if !terms.contains(&term) && terms.len() < MAX_TERMS {
                terms.push(term);
            }
        }
        if terms.iter().any(|term| !term.is_letter()) {
            terms.retain(|term| !term.is_letter());
        }
        Self(terms)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Term> {
        self.0.iter()
    }

    /// Truncates each prefix term to `letters` characters. The result matches everything that the
    /// original matches.
    #[must_use]
    pub fn shorten(&self, letters: usize) -> Self {
        let cut = |term: &Term| match term.kind {
            WordKind::Spaced => {
                Term { text: term.text.chars().take(letters).collect(), kind: WordKind::Spaced }
            }
            WordKind::Run | WordKind::Picture => term.clone(),
        };
        Self(self.0.iter().map(cut).collect())
    }

    /// Returns the positions of the matches, sorted and without overlaps; `None` unless every term
    /// matches.
    pub fn find(&self, text: &str) -> Option<Vec<Range<usize>>> {
        let mut found = vec![false; self.0.len()];
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for word in split_words(text) {
            for (term, found) in self.0.iter().zip(&mut found) {
                let places = word.find_term(term);
                *found |= !places.is_empty();
                ranges.extend(places);
            }
        }
        if found.contains(&false) {
            return None;
        }
        ranges.sort_by_key(|range| (range.start, range.end));
        let mut joined: Vec<Range<usize>> = Vec::new();
        for range in ranges {
            match joined.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        Some(joined)
    }
}
