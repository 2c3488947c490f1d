//! Scripted assistant: keyword rules, a fallback question, and a handover on request or instead of a repeated
//! fallback.

use crate::assistant::{Answer, Assistant, Handover, Speaker, Thinking, Tools, Turn};
use crate::demo::script;

/// Maximum number of lines shown of a lookup.
const TOLD: usize = 3;

pub struct Scripted;

impl Assistant for Scripted {
    fn answer<'a>(&'a self, turn: &'a Turn, tools: &'a Tools) -> Thinking<'a> {
        Box::pin(async move {
            Ok(match look_up(turn, tools).await {
                Some(text) => Answer { text: Some(text), ..Answer::default() },
                None => decide(turn),
            })
        })
    }
}

/// Looks up the customer's orders, if they ask for them and not for a person, and a connection has them.
async fn look_up(turn: &Turn, tools: &Tools) -> Option<String> {
    let language = turn.language.as_deref().unwrap_or("en");
    let (_, last) = turn.said.iter().rev().find(|(speaker, _)| *speaker == Speaker::Customer)?;
    let last = last.to_lowercase();
    let (words, opening) = script::orders(language);
    let any = |words: &[String]| words.iter().any(|word| last.contains(&word.to_lowercase()));
    if !any(&words) || any(&script::handover(language)) {
        return None;
    }
    let about_orders = |name: &str| name.to_lowercase().contains("order");
    let mut lookups: Vec<_> = tools.lookups().collect();
    lookups.sort_by_key(|(_, lookup)| !about_orders(&lookup.name));
    for (stored, endpoint) in lookups {
        match tools.call(stored, endpoint, &[]).await {
            Ok(told) => {
                let lines = told.mapped.lines(TOLD);
                if !lines.is_empty() {
                    return Some(format!("{opening}\n{}", lines.join("\n")));
                }
            }
            Err(why) => tracing::info!(connection = stored.connection.name, %why, "nothing was looked up"),
        }
    }
    None
}

fn decide(turn: &Turn) -> Answer {
    let language = turn.language.as_deref().unwrap_or("en");
    let Some((_, last)) = turn.said.iter().rev().find(|(speaker, _)| *speaker == Speaker::Customer) else {
        return Answer::default();
    };
    let last = last.to_lowercase();
    if script::handover(language).iter().any(|phrase| last.contains(&phrase.to_lowercase())) {
        return Answer { handover: asks("asked for a person"), ..Answer::default() };
    }
    if let Some(answer) = script::rule(language, &last) {
        return Answer { text: Some(answer), ..Answer::default() };
    }
    let fallback = script::fallback(language);
    let own = turn.said.iter().rev().find(|(speaker, _)| *speaker == Speaker::Assistant);
    let repeats = own.is_some_and(|(_, text)| *text == fallback);
    let handover = if repeats { asks("asked for the same thing twice") } else { None };
    Answer { text: Some(fallback), handover, ..Answer::default() }
}

fn asks(reason: &str) -> Option<Handover> {
    Some(Handover { reason: reason.to_owned(), summary: String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_asks_for_a_person_rather_than_repeat_itself_for_ever() {
        let customer = |text: &str| (Speaker::Customer, text.to_owned());
        let turn_of = |said| Turn { language: None, said, last: String::new() };
        let mut turn = turn_of(vec![customer("zzz qqq")]);
        let first = decide(&turn);
        assert_eq!((first.text.as_deref(), first.handover), (Some(script::fallback("en").as_str()), None));
        turn.said.push((Speaker::Assistant, script::fallback("en")));
        turn.said.push(customer("zzz I said"));
        assert!(decide(&turn).handover.is_some());
        let phrase = script::handover("en").first().cloned().expect("a phrase");
        let asked = decide(&turn_of(vec![customer(&format!("please, {phrase}!"))]));
        assert_eq!(asked, Answer { handover: asks("asked for a person"), ..Answer::default() });
    }
}
