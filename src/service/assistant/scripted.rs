//! Scripted assistant: keyword rules, a fallback question, and a handover on request or instead of a repeated
//! fallback.

use crate::assistant::{Answer, AnswerFuture, Assistant, ChatTranscript, Handover, Speaker, Tools};
use crate::demo::script;

/// Number of answers to unknown messages per fallback question, in the demo.
const ANSWERS_PER_FAILURE: u32 = 10;
const MAX_LOOKUP_LINES: usize = 3;

pub struct ScriptedAssistant {
    /// True if one answer in [`ANSWERS_PER_FAILURE`] to an unknown message is the fallback question, and the
    /// others acknowledge the message; false if all are the fallback question.
    pub acknowledges: bool,
}

impl Assistant for ScriptedAssistant {
    fn answer<'a>(&'a self, turn: &'a ChatTranscript, tools: &'a Tools) -> AnswerFuture<'a> {
        Box::pin(async move {
            Ok(match query_orders(turn, tools).await {
                Some(text) => Answer { text: Some(text), ..Answer::default() },
                None => choose_answer(turn, self.acknowledges),
            })
        })
    }
}

/// Looks up the customer's orders, if they ask for them and not for a person, and a connection has them.
async fn query_orders(turn: &ChatTranscript, tools: &Tools) -> Option<String> {
    let language = turn.language.as_deref().unwrap_or("en");
    let (_, last) = turn.messages.iter().rev().find(|(speaker, _)| *speaker == Speaker::Customer)?;
    let last = last.to_lowercase();
    let (words, opening) = script::order_words(language);
    let any = |words: &[String]| words.iter().any(|word| last.contains(&word.to_lowercase()));
    if !any(&words) || any(&script::handover_words(language)) {
        return None;
    }
    let about_orders = |name: &str| name.to_lowercase().contains("order");
    let mut lookups: Vec<_> = tools.readable_endpoints().collect();
    lookups.sort_by_key(|(_, lookup)| !about_orders(&lookup.name));
    for (stored, endpoint) in lookups {
        match tools.call(stored, endpoint, &[]).await {
            Ok(told) => {
                let lines = told.mapped.to_lines(MAX_LOOKUP_LINES);
                if !lines.is_empty() {
                    return Some(format!("{opening}\n{}", lines.join("\n")));
                }
            }
            Err(why) => tracing::info!(connection = stored.connection.name, %why, "a lookup failed"),
        }
    }
    None
}

fn choose_answer(turn: &ChatTranscript, acknowledges: bool) -> Answer {
    let language = turn.language.as_deref().unwrap_or("en");
    let Some((_, last)) = turn.messages.iter().rev().find(|(speaker, _)| *speaker == Speaker::Customer)
    else {
        return Answer::default();
    };
    let last = last.to_lowercase();
    if script::handover_words(language).iter().any(|phrase| last.contains(&phrase.to_lowercase())) {
        return Answer { handover: handover_for("asked for a person"), ..Answer::default() };
    }
    if let Some(answer) = script::find_rule_answer(language, &last) {
        return Answer { text: Some(answer), ..Answer::default() };
    }
    if acknowledges && !is_failure(turn) {
        return Answer { text: acknowledgement(turn, language), ..Answer::default() };
    }
    let fallback = script::fallback_answer(language);
    let own = turn.messages.iter().rev().find(|(speaker, _)| *speaker == Speaker::Assistant);
    let repeats = own.is_some_and(|(_, text)| *text == fallback);
    let handover = if repeats { handover_for("asked for the same thing twice") } else { None };
    Answer { text: Some(fallback), handover, ..Answer::default() }
}

/// Returns true for the messages that the demo's assistant fails at, chosen by the id.
fn is_failure(turn: &ChatTranscript) -> bool {
    turn.last.bytes().map(u32::from).sum::<u32>().is_multiple_of(ANSWERS_PER_FAILURE)
}

/// Returns the acknowledgement that was used least recently in the conversation.
fn acknowledgement(turn: &ChatTranscript, language: &str) -> Option<String> {
    let last_use = |line: &String| {
        turn.messages.iter().rposition(|(speaker, text)| *speaker == Speaker::Assistant && text == line)
    };
    script::acknowledgements(language).into_iter().min_by_key(last_use)
}

fn handover_for(reason: &str) -> Option<Handover> {
    Some(Handover { reason: reason.to_owned(), summary: String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_asks_for_a_person_rather_than_repeat_itself_for_ever() {
        let customer = |text: &str| (Speaker::Customer, text.to_owned());
        let turn_of = |said| ChatTranscript { language: None, messages: said, last: String::new() };
        let mut turn = turn_of(vec![customer("zzz qqq")]);
        let first = choose_answer(&turn, false);
        assert_eq!(
            (first.text.as_deref(), first.handover),
            (Some(script::fallback_answer("en").as_str()), None)
        );
        turn.messages.push((Speaker::Assistant, script::fallback_answer("en")));
        turn.messages.push(customer("zzz I said"));
        assert!(choose_answer(&turn, false).handover.is_some());
        let phrase = script::handover_words("en").first().cloned().expect("a phrase");
        let asked = choose_answer(&turn_of(vec![customer(&format!("please, {phrase}!"))]), false);
        assert_eq!(asked, Answer { handover: handover_for("asked for a person"), ..Answer::default() });
    }
}
