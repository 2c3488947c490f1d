//! Finding words in text: what counts as a word, what a person's words ask
//! for, and where in a text they are found.
//!
//! Both the index and the question are cut by the same rules, so whatever was
//! typed can be found. Words are found by their beginning, whatever their
//! case and accents; scripts without spaces by any run of their characters;
//! pictographs one by one.

use std::ops::Range;

use crate::conversations::ConversationRow;
use crate::ids::{ChannelId, ConversationId, MessageId, NoteId};
use crate::messages::{Direction, Sender};
use crate::text::SafeText;
use crate::time::Timestamp;

mod snippet;
#[cfg(test)]
mod tests;
mod words;

pub use snippet::Snippet;
pub use words::{TextWord, WordKind, split_words};

/// Words one question may have; the rest are not looked at.
const MAX_TERMS: usize = 16;

/// Asks for messages and people, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchQuery {
    /// What was typed.
    pub text: String,
    /// Only this tab.
    pub channel: Option<ChannelId>,
    /// Only this conversation of the tab.
    pub conversation: Option<ConversationId>,
    /// Only messages before this place: the last one of the page before.
    pub before: Option<SearchPosition>,
    /// Messages at most.
    pub limit: u32,
}

/// Where a message stands among all that can be found: newer is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SearchPosition(pub i64);

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SearchPage {
    /// Conversations found by who they are with, newest activity first. Only
    /// with a first page.
    pub people: Vec<(ChannelId, ConversationRow)>,
    /// Private notes, newest first. Only with a first page.
    pub notes: Vec<NoteHit>,
    /// Messages, newest first.
    pub hits: Vec<SearchHit>,
    /// Where the next page begins, if there may be one.
    pub next: Option<SearchPosition>,
    /// Whether older messages are still being indexed and may be missing.
    pub partial: bool,
    /// How far back what can be found goes.
    pub since: Option<Timestamp>,
}

/// A message that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHit {
    pub channel: ChannelId,
    pub conversation: ConversationId,
    pub title: SafeText,
    /// Of a thread of mails, its subject.
    pub subject: Option<SafeText>,
    pub message: MessageId,
    /// When it was taken in.
    pub at: Option<Timestamp>,
    pub direction: Direction,
    pub sender: Sender,
    /// What stands around the first word found.
    pub snippet: Snippet,
}

/// A conversation found by what a list tells of it: a thread of mails by its
/// subject, a phone's by its newest call or text.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedHit {
    pub channel: ChannelId,
    pub conversation: ConversationId,
    pub title: SafeText,
    /// Whether it is a thread of mails.
    pub is_mail: bool,
    /// Its newest activity, as the list told it.
    pub at: Option<Timestamp>,
    /// What stands around the first word found.
    pub snippet: Snippet,
}

/// A private note that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct NoteHit {
    pub channel: ChannelId,
    pub conversation: ConversationId,
    pub title: SafeText,
    pub note: NoteId,
    pub at: Timestamp,
    /// What stands around the first word found.
    pub snippet: Snippet,
}

/// A question, cut into what must all be found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Terms(Vec<Term>);

/// One thing that must be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// Folded, as [`TextWord::folded`] is.
    pub text: String,
    /// What it is made of.
    pub kind: WordKind,
}

impl Term {
    /// Whether it is one letter or digit, which is found only as a whole
    /// word: as the beginning of words it would find nearly everything.
    pub fn is_letter(&self) -> bool {
        self.kind == WordKind::Spaced && self.text.chars().count() == 1
    }
}

impl Terms {
    /// Cuts what was typed. One letter says too little beside other words:
    /// it is left out until a second one follows.
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

    /// Whether nothing can be looked for.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What must all be found.
    pub fn iter(&self) -> impl Iterator<Item = &Term> {
        self.0.iter()
    }

    /// The same terms with no more than so many letters of each beginning of
    /// a word: whatever has the terms has these.
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

    /// Where the terms are in a text, in order and without overlaps; `None`
    /// unless each of them is there.
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
