//! What was promised to a customer and until when, found in what was written
//! here: who does something, and a time. In the languages of `trouble/phrases.rs`.

mod beginnings;
mod times;

use crate::ids::ChannelId;
use crate::queries::ConversationKey;
use crate::text::SafeText;
use crate::time::{DAY, Timestamp, Zone};
use crate::trouble::phrases::FoldedText;

/// Characters that are looked at.
const CUT: usize = 2_000;
/// Characters of a promise that are kept.
const WORDS: usize = 120;
/// A promise is not for later than this.
const FURTHEST: i64 = 31 * DAY;

/// Somebody of this desk promised something to a customer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerPromise {
    /// What, in the words it was made with.
    pub words: SafeText,
    /// Until when.
    pub due: Timestamp,
    /// Who keeps it.
    pub by: SafeText,
    /// When it was made.
    pub at: Timestamp,
}

impl CustomerPromise {
    /// Whether its time has come.
    pub fn is_late(&self, now: Timestamp) -> bool {
        self.due <= now
    }
}

/// A promise with the conversation it was made in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromiseEntry {
    /// The conversation.
    pub key: ConversationKey,
    /// Its name.
    pub title: SafeText,
    /// The promise.
    pub promise: CustomerPromise,
}

impl PromiseEntry {
    /// The tab.
    pub fn channel(&self) -> &ChannelId {
        &self.key.channel
    }
}

/// What a text promises: the sentence, and until when.
pub fn find(text: &str, now: Timestamp, zone: &Zone) -> Option<(SafeText, Timestamp)> {
    let text: String = text.chars().take(CUT).collect();
    // What is quoted was said by somebody else.
    let own = sentences(&text).into_iter().filter(|sentence| !sentence.trim_start().starts_with('>'));
    own.into_iter().find_map(|sentence| {
        let folded = FoldedText::of(sentence);
        let words: Vec<&str> = folded.words().filter_map(|entry| std::str::from_utf8(entry).ok()).collect();
        if !beginnings::promises(&words) {
            return None;
        }
        let due = times::time_in(&words, now, zone)?;
        let said: String = sentence.trim().chars().take(WORDS).collect();
        (0 < due.since(now) && due.since(now) <= FURTHEST).then(|| (SafeText::line(&said), due))
    })
}

/// A text by its sentences; a full stop within a number ends none.
fn sentences(text: &str) -> Vec<&str> {
    let mut begin = 0;
    let mut found = Vec::new();
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map(|letter| letter.1);
        let ends = match letter {
            '\n' | '!' | '?' | ';' => true,
            '.' => next.is_none_or(char::is_whitespace),
            _ => false,
        };
        if ends {
            found.push(&text[begin..at]);
            begin = at + letter.len_utf8();
        }
    }
    found.push(&text[begin..]);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Friday, ten in the morning.
    const NOW: &str = "2026-11-20T10:00:00Z";

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).expect("a time")
    }

    #[test]
    fn promises_are_found_with_their_time_in_each_language() {
        let table = [
            ("I call you at 5.", Some("2026-11-20T17:00:00Z")),
            ("Hi Maria! I'll call you at 5:30pm, promised", Some("2026-11-20T17:30:00Z")),
            ("Sure. We will get back to you by 11", Some("2026-11-20T11:00:00Z")),
            ("I'll send it tomorrow", Some("2026-11-21T09:00:00Z")),
            ("I will write to you on Monday at 9", Some("2026-11-23T09:00:00Z")),
            ("I'll check and get back to you in 2 hours", Some("2026-11-20T12:00:00Z")),
            ("we'll call in half an hour", Some("2026-11-20T10:30:00Z")),
            ("I'll let you know today", Some("2026-11-20T18:00:00Z")),
            ("ich rufe um 17 Uhr an", Some("2026-11-20T17:00:00Z")),
            ("Ich melde mich morgen um 9.30 Uhr", Some("2026-11-21T09:30:00Z")),
            ("Guten Morgen, ich schicke es bis 16 Uhr.", Some("2026-11-20T16:00:00Z")),
            ("Wir melden uns in einer Stunde", Some("2026-11-20T11:00:00Z")),
            ("Te llamo a las 5", Some("2026-11-20T17:00:00Z")),
            ("Le aviso mañana por la mañana", Some("2026-11-21T09:00:00Z")),
            ("Vou ligar às 17h", Some("2026-11-20T17:00:00Z")),
            ("Ligo amanhã às 10h30", Some("2026-11-21T10:30:00Z")),
            ("Je vous rappelle à 17h", Some("2026-11-20T17:00:00Z")),
            ("Je vous envoie le devis demain avant 15h", Some("2026-11-21T15:00:00Z")),
            ("La richiamo alle 17", Some("2026-11-20T17:00:00Z")),
            ("Ti scrivo domani", Some("2026-11-21T09:00:00Z")),
            ("Ik bel u om 17 uur", Some("2026-11-20T17:00:00Z")),
            ("We bellen u maandag", Some("2026-11-23T09:00:00Z")),
            // No time, nobody who does it, or the past.
            ("I'll check that for you", None),
            ("The shop opens at 9", None),
            ("Your order 1041 left at 9", None),
            ("Can you call us at 5?", None),
            ("It costs 17 euros, I will add 5 for shipping", None),
            ("I'll be there at 25", None),
            ("I will call you today at 9am", None),
            ("", None),
        ];
        for (text, due) in table {
            let found = find(text, at(NOW), &Zone::UTC);
            assert_eq!(found.map(|pair| pair.1), due.map(at), "{text:?}");
        }
    }

    #[test]
    fn the_sentence_is_kept_and_the_clocks_of_the_desk_are_meant() {
        let berlin = Zone::from(jiff::tz::TimeZone::get("Europe/Berlin").expect("a zone"));
        let found = find("Hi!\nI'll call you at 5. Bye.", at(NOW), &berlin);
        assert_eq!(found, Some((SafeText::line("I'll call you at 5"), at("2026-11-20T16:00:00Z"))));
    }

    #[test]
    fn an_early_hour_is_meant_as_it_is_said_at_night() {
        let night = at("2026-11-20T03:00:00Z");
        let due = |text| find(text, night, &Zone::UTC).map(|pair| pair.1);
        assert_eq!(due("I call you at 5"), Some(at("2026-11-20T05:00:00Z")));
        assert_eq!(due("I call you tomorrow at 5"), Some(at("2026-11-21T17:00:00Z")));
    }
}
