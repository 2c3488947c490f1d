//! What the sample shop's assistant and customers say.

use std::sync::OnceLock;

use serde_json::Value;

use crate::demo::values::{list, text, texts};

const SHOP: &str = include_str!("../../../assets/demo/shop.json");
/// What is spoken where a language is not in the script.
const COMMON: &str = "en";

/// Somebody who may turn up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stranger {
    pub name: String,
    pub phone: String,
    pub language: String,
    /// What they write, in order.
    pub lines: Vec<String>,
}

/// The shop: its name, channels and templates.
pub fn shop() -> &'static Value {
    static SHOP_VALUE: OnceLock<Value> = OnceLock::new();
    SHOP_VALUE.get_or_init(|| serde_json::from_str(SHOP).unwrap_or(Value::Null))
}

/// People who may turn up.
pub fn strangers() -> &'static [Stranger] {
    static STRANGERS: OnceLock<Vec<Stranger>> = OnceLock::new();
    STRANGERS.get_or_init(|| {
        let read = |it: &Value| {
            Some(Stranger {
                name: text(it, "name")?,
                phone: text(it, "phone")?,
                language: text(it, "language")?,
                lines: texts(it, "lines"),
            })
        };
        list(shop(), "strangers").iter().filter_map(read).collect()
    })
}

/// The answer of the first rule whose word occurs in a text in lower case.
pub fn rule(language: &str, lower_case: &str) -> Option<String> {
    let matches = |it: &&Value| {
        text(it, "language").as_deref() == Some(language)
            && texts(it, "any").iter().any(|word| lower_case.contains(&word.to_lowercase()))
    };
    list(shop(), "rules").iter().find(matches).and_then(|it| text(it, "answer"))
}

/// What the assistant asks when it does not understand.
pub fn fallback(language: &str) -> String {
    let fallbacks = &shop()["fallback"];
    text(fallbacks, language)
        .or_else(|| text(fallbacks, COMMON))
        .unwrap_or_else(|| "Could you tell me more?".to_owned())
}

/// Words that ask for orders, and what stands before what was found.
pub fn orders(language: &str) -> (Vec<String>, String) {
    let told = &shop()["orders"];
    let here = if told[language].is_object() { &told[language] } else { &told[COMMON] };
    (texts(here, "any"), text(here, "answer").unwrap_or_default())
}

/// Words that ask for a person.
pub fn handover(language: &str) -> Vec<String> {
    in_language(&shop()["handover"], language)
}

/// What a customer answers a person when nothing better is scripted.
pub fn generic_replies(language: &str) -> Vec<String> {
    in_language(&shop()["generic_replies"], language)
}

/// What customers of a language come up with by themselves.
pub fn questions(language: &str) -> Vec<String> {
    let lines: Vec<String> =
        strangers().iter().filter(|it| it.language == language).flat_map(|it| it.lines.clone()).collect();
    if lines.is_empty() { generic_replies(language) } else { lines }
}

fn in_language(table: &Value, language: &str) -> Vec<String> {
    let mut lines = texts(table, language);
    if lines.is_empty() {
        lines = texts(table, COMMON);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_can_be_spoken() {
        assert!(strangers().len() >= 10);
        for language in ["en", "es", "pt", "xx"] {
            assert!(!fallback(language).is_empty());
            assert!(!handover(language).is_empty());
            assert!(!generic_replies(language).is_empty());
        }
        let question = list(shop(), "rules").first().expect("a rule");
        let word = texts(question, "any").first().cloned().expect("a word").to_lowercase();
        let language = text(question, "language").expect("a language");
        assert!(rule(&language, &format!("hm, {word}?")).is_some());
        assert_eq!(rule("en", "zzz"), None);
    }
}
