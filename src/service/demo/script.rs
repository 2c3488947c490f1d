//! Texts of the demo shop's assistant and customers.

use std::sync::OnceLock;

use serde_json::Value;

use crate::demo::values::{list, text, texts};

const SHOP: &str = include_str!("../../../assets/demo/shop.json");
const FALLBACK_LANGUAGE: &str = "en";

/// Customer who may write for the first time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoCustomer {
    pub name: String,
    pub phone: String,
    pub language: String,
    /// Messages in order.
    pub lines: Vec<String>,
}

/// Person of the shop who helps customers beside the person at the desk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoColleague {
    pub id: String,
    pub name: String,
    /// Languages in which they answer.
    pub languages: Vec<String>,
}

/// Returns the shop's data: name, channels and templates.
pub fn shop() -> &'static Value {
    static SHOP_VALUE: OnceLock<Value> = OnceLock::new();
    SHOP_VALUE.get_or_init(|| serde_json::from_str(SHOP).unwrap_or(Value::Null))
}

pub fn demo_customers() -> &'static [DemoCustomer] {
    static DEMO_CUSTOMERS: OnceLock<Vec<DemoCustomer>> = OnceLock::new();
    DEMO_CUSTOMERS.get_or_init(|| {
        let read = |value: &Value| {
            Some(DemoCustomer {
                name: text(value, "name")?,
                phone: text(value, "phone")?,
                language: text(value, "language")?,
                lines: texts(value, "lines"),
            })
        };
        list(shop(), "strangers").iter().filter_map(read).collect()
    })
}

pub fn demo_colleagues() -> &'static [DemoColleague] {
    static DEMO_COLLEAGUES: OnceLock<Vec<DemoColleague>> = OnceLock::new();
    DEMO_COLLEAGUES.get_or_init(|| {
        let read = |value: &Value| {
            Some(DemoColleague {
                id: text(value, "id")?,
                name: text(value, "name")?,
                languages: texts(value, "languages"),
            })
        };
        list(shop(), "colleagues").iter().filter_map(read).collect()
    })
}

/// Returns the notes that colleagues write; some mention the person at the desk.
pub fn colleague_notes() -> Vec<String> {
    texts(shop(), "colleague_notes")
}

/// Returns the answer of the first rule with a word that occurs in `lower_case`.
pub fn find_rule_answer(language: &str, lower_case: &str) -> Option<String> {
    let matches = |value: &&Value| {
        text(value, "language").as_deref() == Some(language)
            && texts(value, "any").iter().any(|word| lower_case.contains(&word.to_lowercase()))
    };
    list(shop(), "rules").iter().find(matches).and_then(|value| text(value, "answer"))
}

pub fn fallback_answer(language: &str) -> String {
    text_in_language(&shop()["fallback"], language).unwrap_or_else(|| "Could you tell me more?".to_owned())
}

/// Returns the words that ask for orders, and the introduction of the answer.
pub fn order_words(language: &str) -> (Vec<String>, String) {
    let told = &shop()["orders"];
    let here = if told[language].is_object() { &told[language] } else { &told[FALLBACK_LANGUAGE] };
    (texts(here, "any"), text(here, "answer").unwrap_or_default())
}

/// Returns the words that ask for a person.
pub fn handover_words(language: &str) -> Vec<String> {
    texts_in_language(&shop()["handover"], language)
}

/// Returns answers of a customer without scripted ones.
pub fn generic_replies(language: &str) -> Vec<String> {
    texts_in_language(&shop()["generic_replies"], language)
}

/// Returns the assistant's answers to messages that no rule knows.
pub fn acknowledgements(language: &str) -> Vec<String> {
    texts_in_language(&shop()["acknowledgements"], language)
}

/// Returns the message in which a customer asks for a person.
pub fn person_request(language: &str) -> Option<String> {
    text_in_language(&shop()["person_requests"], language)
}

/// Returns the message in which a colleague settles a conversation.
pub fn team_answer(language: &str) -> Option<String> {
    text_in_language(&shop()["team_answers"], language)
}

fn text_in_language(table: &Value, language: &str) -> Option<String> {
    text(table, language).or_else(|| text(table, FALLBACK_LANGUAGE))
}

fn texts_in_language(table: &Value, language: &str) -> Vec<String> {
    let mut lines = texts(table, language);
    if lines.is_empty() {
        lines = texts(table, FALLBACK_LANGUAGE);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::DESK_PERSON;

    #[test]
    fn every_language_can_be_spoken() {
        assert!(demo_customers().len() >= 10);
        for language in ["en", "es", "pt", "xx"] {
            assert!(!fallback_answer(language).is_empty());
            assert!(!handover_words(language).is_empty());
            assert!(!generic_replies(language).is_empty());
            assert!(!acknowledgements(language).is_empty());
            assert!(team_answer(language).is_some());
            let request = person_request(language).expect("a request").to_lowercase();
            assert!(handover_words(language).iter().any(|phrase| request.contains(&phrase.to_lowercase())));
        }
        let spoken: Vec<&String> = demo_colleagues().iter().flat_map(|person| &person.languages).collect();
        let answers = shop()["team_answers"].as_object().expect("answers");
        for language in answers.keys() {
            assert!(spoken.contains(&language), "nobody speaks {language}");
        }
        assert!(colleague_notes().iter().any(|note| note.contains(&format!("@{DESK_PERSON}"))));
        let question = list(shop(), "rules").first().expect("a rule");
        let word = texts(question, "any").first().cloned().expect("a word").to_lowercase();
        let language = text(question, "language").expect("a language");
        assert!(find_rule_answer(&language, &format!("hm, {word}?")).is_some());
        assert_eq!(find_rule_answer("en", "zzz"), None);
    }
}
