//! Finds sentences of a suggestion with unsupported claims: a number, amount, time, link, address
//! or name that its sources do not contain, or a statement for which the model cites no source.

use std::collections::HashSet;

use unicode_segmentation::UnicodeSegmentation;

use model::replies::CannedReply;
use model::suggestions::{SuggestedSentence, SuggestionRequest};
use model::text::SafeText;

/// Capitals count as names only if at most one word in this many has one; in languages that
/// capitalize every noun more have.
const MIN_WORDS_PER_NAME: usize = 4;

#[derive(Debug, Default)]
pub struct SupportedWords(HashSet<String>);

impl SupportedWords {
    pub fn from_request(request: &SuggestionRequest, replies: &[CannedReply]) -> Self {
        let facts = &request.facts;
        let spoken = request.conversation.iter().map(|pair| pair.1.as_str());
        let pairs = facts.looked_up.iter().chain(&request.card);
        let texts = spoken
            .chain(facts.contact.as_deref())
            .chain(facts.agent.as_deref())
            .chain(pairs.flat_map(|(name, value)| [name.as_str(), value.as_str()]))
            .chain(replies.iter().map(|reply| reply.body.as_str()));
        let words = texts.flat_map(|text| text.split_whitespace().map(trim_punctuation).collect::<Vec<_>>());
        Self(words.filter(|word| !word.is_empty()).map(|word| word.to_lowercase()).collect())
    }

    fn contains(&self, word: &str) -> bool {
        self.0.contains(&word.to_lowercase())
    }

    /// Splits a text into sentences and marks those with unsupported claims.
    pub fn sentences(&self, text: &str) -> Vec<SuggestedSentence> {
        let names = capitals_mean_names(text);
        let sentence = |entry: &str| SuggestedSentence {
            text: SafeText::block(entry),
            is_unsupported: self.is_unsupported(entry, names),
        };
        sentences(text).into_iter().map(sentence).collect()
    }

    /// Judges a draft with citations `[n]` of sources 1 to `sources`; also returns true if there
    /// are any citations.
    pub fn cited(&self, text: &str, sources: usize) -> (Vec<SuggestedSentence>, bool) {
        let (text, citations) = without_citations(text);
        let mut found = self.sentences(&text);
        if citations.is_empty() {
            return (found, false);
        }
        let mut end = 0;
        for (sentence, judged) in sentences(&text).into_iter().zip(&mut found) {
            // Blank lines between sentences belong to neither.
            let start = end + text[end..].find(sentence).unwrap_or(0);
            end = start + sentence.len();
            let own = || citations.iter().filter(|citation| start < citation.0 && citation.0 <= end);
            let has_source = own().next().is_some() && own().all(|pair| pair.1 <= sources);
            judged.is_unsupported |= !has_source && !is_question(sentence);
        }
        (found, true)
    }

    /// Judges a text as a single line.
    pub fn line(&self, text: &str) -> SuggestedSentence {
        let is_unsupported = self.sentences(text).iter().any(|sentence| sentence.is_unsupported);
        SuggestedSentence { text: SafeText::line(text), is_unsupported }
    }

    fn is_unsupported(&self, sentence: &str, names: bool) -> bool {
        let words = sentence.split_whitespace().map(trim_punctuation).filter(|text| !text.is_empty());
        words.enumerate().any(|(at, text)| {
            let claims = text.chars().any(char::is_numeric)
                || text.contains(['@', '/'])
                || (names && at > 0 && is_capital(text));
            claims && !self.contains(text)
        })
    }
}

/// Splits a text into sentences, each with the space that follows. A placeholder such as `{order?}`
/// does not end a sentence.
fn sentences(text: &str) -> Vec<&str> {
    let (mut found, mut start, mut end) = (Vec::new(), 0, 0);
    for piece in text.split_sentence_bounds() {
        end += piece.len();
        let is_open = piece.trim_end().ends_with("?}") && !piece.ends_with('\n');
        if !is_open || end == text.len() {
            found.push(&text[start..end]);
            start = end;
        }
    }
    found.retain(|text| !text.trim().is_empty());
    found
}

fn is_question(sentence: &str) -> bool {
    sentence.trim_end().ends_with(['?', '？', '؟', '\u{37e}'])
}

/// Removes citations such as `[3]` or `[2, 14]`; returns the text and each citation's offset and
/// number.
fn without_citations(text: &str) -> (String, Vec<(usize, usize)>) {
    let (mut plain, mut found, mut rest) = (String::new(), Vec::new(), text);
    while let Some((before, behind)) = rest.split_once('[') {
        let cited = behind.split_once(']').and_then(|(inside, after)| {
            // A longer number belongs to the text, such as an order number.
            let number = |text: &str| text.trim().parse().ok().filter(|number| *number < 100);
            inside.split(',').map(number).collect::<Option<Vec<usize>>>().map(|numbers| (numbers, after))
        });
        rest = match cited {
            Some((numbers, after)) => {
                plain.push_str(before.trim_end_matches(' '));
                found.extend(numbers.into_iter().map(|number| (plain.len(), number)));
                after
            }
            None => {
                plain.push_str(before);
                plain.push('[');
                behind
            }
        };
    }
    plain.push_str(rest);
    (plain, found)
}

fn trim_punctuation(word: &str) -> &str {
    word.trim_matches(|word: char| !word.is_alphanumeric())
}

/// True if a word begins like a name; a single letter such as "I" does not.
fn is_capital(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && word.chars().count() > 1
}

/// True if capitals are rare enough in a text to indicate names.
fn capitals_mean_names(text: &str) -> bool {
    let (mut words, mut capitals) = (0, 0);
    for sentence in sentences(text) {
        for word in sentence.split_whitespace().map(trim_punctuation).skip(1) {
            words += 1;
            capitals += usize::from(is_capital(word));
        }
    }
    capitals * MIN_WORDS_PER_NAME <= words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assist::rules::tests::request;

    #[test]
    fn what_no_source_is_named_for_is_marked() {
        let known = SupportedWords::from_request(&request(&["Where is order 1041? I am Maria."], &[]), &[]);
        let judge = |text: &str| {
            let (found, has_sources) = known.cited(text, 3);
            let text: String =
                found.iter().map(|suggested_sentence| suggested_sentence.text.as_str()).collect();
            (
                text,
                found.iter().map(|suggested_sentence| suggested_sentence.is_unsupported).collect::<Vec<_>>(),
                has_sources,
            )
        };
        for (said, text, marked) in [
            (
                "Hi Maria [0]. You ask for order 1041 [1]. It comes soon. Is that good?",
                "Hi Maria. You ask for order 1041. It comes soon. Is that good?",
                vec![false, false, true, false],
            ),
            // Citations after the sentence and inside it, over several lines.
            (
                "Hi. [0]\n\nIt comes soon. [1, 2] It is free.",
                "Hi.\nIt comes soon. It is free.",
                vec![false, false, true],
            ),
            ("It comes soon [4].", "It comes soon.", vec![true]),
            ("Order 1042 comes [1][2].", "Order 1042 comes.", vec![true]),
            ("See [0]: [note] [1041] is yours [x", "See: [note] [1041] is yours [x", vec![false]),
        ] {
            assert_eq!(judge(said), (text.to_owned(), marked, true), "{said}");
        }
        assert_eq!(judge("It comes soon."), ("It comes soon.".to_owned(), vec![false], false));
    }

    #[test]
    fn what_nothing_supports_is_marked() {
        let reply = CannedReply { body: "We are open until 18:00.".to_owned(), ..CannedReply::default() };
        let mut request = request(&["I was charged twice for order 1041, on the 3rd!"], &[]);
        request.facts.contact = Some("Maria Lopez".to_owned());
        request.facts.looked_up.push(("shop.total".to_owned(), "€59.90".to_owned()));
        let known = SupportedWords::from_request(&request, &[reply]);
        for (text, marked) in [
            ("Hi Maria, sorry for that.", false),
            ("Order 1041 was charged twice.", false),
            ("Order 1042 was charged twice.", true),
            ("You paid €59.90 for it.", false),
            ("You paid €60 for it, which comes back.", true),
            ("We are open until 18:00.", false),
            ("It arrives on Friday, as we promised to you.", true),
            ("See https://example.com/refund for it.", true),
            ("Write to help@example.com about it.", true),
            ("I am sorry that I was late with this.", false),
            // Capitalized nouns are not names.
            ("Ihre Bestellung und die Rechnung kommen mit der Post.", false),
            ("Ihre Bestellung 7 kommt.", true),
        ] {
            let found = known.sentences(text);
            assert_eq!((found.len(), found[0].is_unsupported), (1, marked), "{text}");
        }
        assert_eq!(
            sentences("Hi {name?}, {agent?} here.\nOrder {order?} is at {place?}\n\nBye {name?}"),
            ["Hi {name?}, {agent?} here.\n", "Order {order?} is at {place?}\n", "Bye {name?}"]
        );
        let found = known.sentences("Order 1041 is here. It costs €5.");
        let marks: Vec<_> = found
            .iter()
            .map(|suggested_sentence| (suggested_sentence.text.as_str(), suggested_sentence.is_unsupported))
            .collect();
        assert_eq!(marks, [("Order 1041 is here. ", false), ("It costs €5.", true)]);
    }
}
