//! Drafts and briefs without a model: the best matching canned reply, and facts from the history.

use std::collections::HashSet;

use crate::assist::claims::SupportedWords;
use model::replies::{self, CannedReply};
use model::suggestions::{
    SpeakerRole, SuggestedBy, SuggestedSentence, Suggestion, SuggestionKind, SuggestionRequest,
};
use model::text::SafeText;

/// Shorter words are ignored when matching.
const MIN_WORD_CHARS: usize = 4;
/// Score of a word found in the name, title or keywords of a reply; in its text it scores 1.
const NAME_SCORE: usize = 3;
const MIN_SCORE: usize = 3;
const MAX_QUOTED_CHARS: usize = 100;
/// Maximum number of values from connections in a brief.
const MAX_CONNECTION_LINES: usize = 4;

/// Returns the canned reply that best matches the customer's unanswered messages, with its fields
/// filled in; `None` if none matches.
fn draft<'a>(request: &SuggestionRequest, all: &'a [CannedReply]) -> Option<(&'a CannedReply, String)> {
    let asked = significant_words(&unanswered_messages(request).join(" "));
    let fits = |canned_reply: &&CannedReply| {
        let here =
            |word: &String| request.tab_words.iter().any(|tab_word| tab_word.eq_ignore_ascii_case(word));
        canned_reply.channel.as_ref().is_none_or(here)
    };
    let score = |canned_reply: &CannedReply| {
        let named = significant_words(&format!(
            "{} {} {}",
            canned_reply.name,
            canned_reply.title,
            canned_reply.keywords.join(" ")
        ));
        let body = significant_words(&canned_reply.body);
        asked
            .iter()
            .map(|word| if named.contains(word) { NAME_SCORE } else { usize::from(body.contains(word)) })
            .sum()
    };
    let scored = all
        .iter()
        .filter(fits)
        .map(|canned_reply| (score(canned_reply), canned_reply))
        .filter(|(score, _): &(usize, _)| *score >= MIN_SCORE);
    let best = scored.max_by(|a, b| a.0.cmp(&b.0).then_with(|| b.1.name.cmp(&a.1.name)));
    best.map(|(_, best)| (best, replies::fill_fields(&best.body, &request.facts)))
}

/// Returns a suggestion without a model; `None` if nothing matches or only a model can make it.
pub fn suggestion(request: &SuggestionRequest, all: &[CannedReply]) -> Option<Suggestion> {
    match request.id.kind {
        SuggestionKind::Draft => {
            let (reply, text) = draft(request, all)?;
            let sentences = SupportedWords::from_request(request, all).sentences(&text);
            Some(Suggestion {
                sentences,
                by: SuggestedBy::Reply(SafeText::line(&reply.title)),
                instead: None,
                remark: None,
                language: None,
            })
        }
        SuggestionKind::Translation | SuggestionKind::OwnText | SuggestionKind::Transcript => None,
        SuggestionKind::Brief | SuggestionKind::Summary => {
            let line =
                |entry: &String| SuggestedSentence { text: SafeText::line(entry), is_unsupported: false };
            let sentences = brief(request).iter().map(line).collect();
            Some(Suggestion {
                sentences,
                by: SuggestedBy::Rules,
                instead: None,
                remark: None,
                language: None,
            })
        }
    }
}

/// Returns the customer's messages since the last answer.
fn unanswered_messages(request: &SuggestionRequest) -> Vec<&str> {
    let newest = request.conversation.iter().rev();
    let mut lines: Vec<&str> = newest
        .take_while(|newest| newest.0 == SpeakerRole::Customer)
        .map(|newest| newest.1.as_str())
        .collect();
    lines.reverse();
    lines
}

fn significant_words(text: &str) -> HashSet<String> {
    let words = text.split(|text: char| !text.is_alphanumeric());
    words.filter(|word| word.chars().count() >= MIN_WORD_CHARS).map(str::to_lowercase).collect()
}

/// Returns a brief of at most five lines: first and last question, attempts by the AI and people,
/// known facts, open points.
fn brief(request: &SuggestionRequest) -> Vec<String> {
    let of = |by: SpeakerRole| {
        let lines = request.conversation.iter().filter(move |pair| pair.0 == by);
        lines.map(|line| line.1.as_str()).collect::<Vec<_>>()
    };
    let (asked, ai, people) = (of(SpeakerRole::Customer), of(SpeakerRole::Ai), of(SpeakerRole::Business));
    let mut lines = Vec::new();
    match asked.as_slice() {
        [] => lines.push("Asked: nothing yet".to_owned()),
        [one] => lines.push(format!("Asked: {}", quoted(one))),
        [first, .., last] => {
            lines.push(format!("Asked first: {}", quoted(first)));
            lines.push(format!("Asked last (message {}): {}", asked.len(), quoted(last)));
        }
    }
    let tried = |who: &str, all: &[&str]| {
        let last = all.last()?;
        Some(format!("{who} {}, last: {}", count_text(all.len()), quoted(last)))
    };
    let tried = [tried("the AI answered", &ai), tried("people answered", &people)];
    let tried: Vec<String> = tried.into_iter().flatten().collect();
    lines.push(match tried.is_empty() {
        true => "Tried: nobody has answered".to_owned(),
        false => format!("Tried: {}", tried.join("; ")),
    });
    let told: Vec<String> = request
        .facts
        .looked_up
        .iter()
        .chain(&request.card)
        .take(MAX_CONNECTION_LINES)
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    if !told.is_empty() {
        lines.push(format!("Known: {}", told.join(" · ")));
    }
    let open = unanswered_messages(request);
    let questions = open.iter().filter(|text| text.contains(['?', '？', '؟'])).count();
    lines.push(match (open.len(), questions) {
        (0, _) => "Open: nothing, the business wrote last".to_owned(),
        (1, 0) => "Open: a message without an answer".to_owned(),
        (count, 0) => format!("Open: {count} messages without an answer"),
        (_, 1) => "Open: a question without an answer".to_owned(),
        (_, count) => format!("Open: {count} questions without an answer"),
    });
    lines
}

fn count_text(count: usize) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// Returns the beginning of a text on one line, in quotation marks.
fn quoted(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.chars().count() > MAX_QUOTED_CHARS {
        true => format!("“{}…”", line.chars().take(MAX_QUOTED_CHARS).collect::<String>().trim_end()),
        false => format!("“{line}”"),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use model::ids::{ChannelId, ConversationId};
    use model::queries::ConversationKey;
    use model::replies::ReplyVariables;
    use model::suggestions::{AskedBy, SuggestionId, SuggestionKind};
    use model::time::Timestamp;

    use super::*;

    /// Creates a request with messages of the customer after those in `before`.
    pub(crate) fn request(customer: &[&str], before: &[(SpeakerRole, &str)]) -> SuggestionRequest {
        let key =
            ConversationKey { channel: ChannelId::from("chat"), conversation: ConversationId::from("c1") };
        let spoken = before.iter().copied().chain(customer.iter().map(|text| (SpeakerRole::Customer, *text)));
        SuggestionRequest {
            id: SuggestionId {
                kind: SuggestionKind::Draft,
                key,
                asked_at: Timestamp::default(),
                newest: None,
                asked_by: AskedBy::Person,
            },
            conversation: spoken.map(|(by, text)| (by, text.to_owned())).collect(),
            facts: ReplyVariables::default(),
            card: Vec::new(),
            tab_words: vec!["Harbor chat".to_owned(), "whatsapp".to_owned()],
            voice: None,
        }
    }

    fn reply(name: &str, title: &str, channel: Option<&str>, body: &str) -> CannedReply {
        CannedReply {
            name: name.to_owned(),
            title: title.to_owned(),
            channel: channel.map(str::to_owned),
            body: body.to_owned(),
            ..CannedReply::default()
        }
    }

    #[test]
    fn the_reply_that_fits_is_found_by_what_is_unanswered() {
        let all = [
            reply("hours", "Opening hours", None, "The workshop is open until 18:00."),
            reply("refund", "Money back after a double charge", None, "Hi {contact.first_name}!"),
            reply("bot", "Charge on the bot", Some("telegram"), "Charged by the bot?"),
        ];
        let ask = |customer: &[&str], before: &[(SpeakerRole, &str)]| {
            let mut request = request(customer, before);
            request.facts.contact = Some("Maria Lopez".to_owned());
            draft(&request, &all).map(|(reply, text)| (reply.name.clone(), text))
        };
        let found = |name: &str, text: &str| Some((name.to_owned(), text.to_owned()));
        assert_eq!(ask(&["a double charge!"], &[]), found("refund", "Hi Maria!"));
        assert_eq!(ask(&["When are you open, what hours?"], &[]), found("hours", &all[0].body));
        let answered = [(SpeakerRole::Customer, "a double charge!"), (SpeakerRole::Ai, "Sorry.")];
        assert_eq!(ask(&["thanks"], &answered), None, "what was answered is not answered again");
        assert_eq!(ask(&["Where is it?"], &[]), None);
    }

    #[test]
    fn a_brief_has_at_most_five_lines() {
        let mut request = request(
            &["And now?", "Anybody there?"],
            &[
                (SpeakerRole::Customer, "I was charged\ntwice"),
                (SpeakerRole::Ai, "Please wait."),
                (SpeakerRole::Ai, "Sorry, I did not get that."),
                (SpeakerRole::Business, "I look into it."),
            ],
        );
        request.facts.looked_up.push(("shop.plan".to_owned(), "Gold".to_owned()));
        assert_eq!(
            brief(&request),
            [
                "Asked first: “I was charged twice”",
                "Asked last (message 3): “Anybody there?”",
                "Tried: the AI answered 2 times, last: “Sorry, I did not get that.”; people answered once, last: “I \
                 look into it.”",
                "Known: shop.plan Gold",
                "Open: 2 questions without an answer",
            ]
        );
        let long = "word ".repeat(50);
        let lines = brief(&super::tests::request(&[&long], &[]));
        assert_eq!(lines.len(), 3);
        assert!(lines[0].ends_with("…”") && lines[0].chars().count() < 120, "{}", lines[0]);
        assert_eq!(
            brief(&super::tests::request(&[], &[])).last().expect("a line"),
            "Open: nothing, the business wrote last"
        );
    }
}
