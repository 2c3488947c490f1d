//! Templates: their parts, variables, preview, and the JSON of a send.

use crate::json::quote;
use crate::outbox::content::Json;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Maximum length of a template's name, in characters.
pub const MAX_NAME_CHARS: usize = 512;
/// Maximum length of a language code, in characters.
pub const MAX_LANGUAGE_CHARS: usize = 20;

/// Template to be submitted for review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewTemplate {
    pub name: String,
    pub language: String,
    pub category: NewTemplateCategory,
    /// JSON array: header, body, footer, buttons.
    pub components: Json,
}

crate::words! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum NewTemplateCategory {
        /// Follows up on something the customer did.
        Utility = "utility",
        /// Advertising.
        Marketing = "marketing",
        /// One-time codes.
        Authentication = "authentication",
    }
}

impl NewTemplate {
    /// Makes a template of a text alone.
    pub fn of_text(name: &str, language: &str, category: NewTemplateCategory, text: &str) -> Self {
        let components = format!("[{{\"type\":\"BODY\",\"text\":{}}}]", quote(text));
        let (name, language) = (name.to_owned(), language.to_owned());
        Self { name, language, category, components: Json(components) }
    }

    /// Returns why the platform would certainly refuse the name or the language.
    pub fn problem(&self) -> Option<&'static str> {
        find_problem(&self.name, &self.language)
    }
}

/// Returns why the platform would certainly refuse a template's name or language.
pub fn find_problem(name: &str, language: &str) -> Option<&'static str> {
    let is_in_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let is_in_code = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_of = |text: &str, most: usize, is_in: &dyn Fn(u8) -> bool| {
        (1..=most).contains(&text.len()) && text.bytes().all(is_in)
    };
    if !is_of(name, MAX_NAME_CHARS, &is_in_name) {
        return Some(
            "the name must have lower-case letters, digits and underscores only, such as order_ready",
        );
    }
    if !is_of(language, MAX_LANGUAGE_CHARS, &is_in_code) {
        return Some("the language must be a code such as en or pt_BR");
    }
    None
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageTemplate {
    pub name: String,
    pub language: String,
    /// Word of the platform.
    pub category: String,
    /// Parts in order; `None` if their format is unknown.
    pub parts: Option<Vec<TemplatePart>>,
    /// Parts as received, a JSON array.
    pub raw: String,
}

/// Template that cannot be sent: in review, rejected, paused or disabled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnapprovedTemplate {
    pub template: MessageTemplate,
    /// Word of the platform, such as `PENDING` or `REJECTED`.
    pub status: String,
    /// Word of the platform, after which its explanation may follow.
    pub reason: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Templates {
    /// Templates that can be sent.
    pub all: Vec<MessageTemplate>,
    /// Other templates; empty if the server does not list them.
    pub not_approved: Vec<UnapprovedTemplate>,
    /// `None` before the first reading.
    pub fetched_at: Option<Timestamp>,
    /// Credits charged for the latest send, if reported.
    pub charged: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplatePart {
    /// Line above the text.
    Header(String),
    /// Media above the text: image, video or document; and an example URL.
    HeaderMedia(&'static str, Option<String>),
    Body(String),
    /// Line below the text.
    Footer(String),
    /// Index, label, and URL pattern of a button.
    Button(usize, String, Option<String>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateVariable {
    pub part: usize,
    /// Name between the braces; empty for media.
    pub name: String,
    pub label: String,
    pub example: Option<String>,
    /// Text directly before the variable.
    pub before: String,
}

/// Returns the reason of a rejection; what to do follows the platform's bare words.
pub fn explain_rejection(reason: &str) -> String {
    let advice = match reason {
        "ABUSIVE_CONTENT" => "the text breaks the platform's rules; write another one",
        "CATEGORY_NOT_AVAILABLE" => "the account may not use this category; choose another",
        "INCORRECT_CATEGORY" => "the text belongs to another category; submit it in that one",
        "INVALID_FORMAT" => {
            "a variable, a link or an example is wrong: number variables from 1, put words around each, \
             and give examples"
        }
        "PROMOTIONAL" => "the text advertises; submit it as marketing",
        "SCAM" => "the platform takes the text for fraud; write another one",
        "TAG_CONTENT_MISMATCH" => "the text does not match its category or language; correct these",
        _ => return reason.to_owned(),
    };
    format!("{reason} ({advice})")
}

impl TemplateVariable {
    /// True if the variable is a customer's name: it follows a salutation, or its name ends with
    /// `name`.
    pub fn is_greeting_name(&self) -> bool {
        let last =
            self.before.split(|character: char| !character.is_alphabetic()).rfind(|part| !part.is_empty());
        let greets = last.is_some_and(|text| {
            ["hi", "hello", "hola", "olá", "dear", "hey", "bonjour", "hallo"]
                .contains(&text.to_lowercase().as_str())
        });
        greets || self.name.to_lowercase().ends_with("name")
    }
}

impl MessageTemplate {
    /// Returns the variables of all parts, in order.
    pub fn slots(&self) -> Vec<TemplateVariable> {
        let mut slots = Vec::new();
        for (index, part) in self.parts.iter().flatten().enumerate() {
            let (pattern, label) = match part {
                TemplatePart::Header(text) => (text, "header".to_owned()),
                TemplatePart::Body(text) => (text, "body".to_owned()),
                TemplatePart::Button(_, label, Some(url)) => (url, format!("button {label}")),
                TemplatePart::HeaderMedia(kind, example) => {
                    slots.push(TemplateVariable {
                        part: index,
                        name: String::new(),
                        label: format!("{kind} link"),
                        example: example.clone(),
                        before: String::new(),
                    });
                    continue;
                }
                TemplatePart::Footer(_) | TemplatePart::Button(..) => continue,
            };
            for (before, name) in find_variables(pattern) {
                let known =
                    slots.iter().any(|slot: &TemplateVariable| slot.part == index && slot.name == name);
                if !known {
                    let label = format!("{label} {{{{{name}}}}}");
                    slots.push(TemplateVariable { part: index, name, label, example: None, before });
                }
            }
        }
        slots
    }

    /// Renders each part with the given values; variables without a value stay as written.
    pub fn preview(&self, slots: &[TemplateVariable], values: &[&str]) -> Vec<(TemplatePart, String)> {
        let fill = |index: usize, pattern: &str| {
            let mut text = pattern.to_owned();
            for (slot, value) in
                slots.iter().zip(values).filter(|(template_variable, _)| template_variable.part == index)
            {
                if !value.is_empty() {
                    text = text.replace(&format!("{{{{{}}}}}", slot.name), value);
                }
            }
            text
        };
        let parts = self.parts.iter().flatten().enumerate();
        let shown = parts.map(|(index, part)| {
            let words = match part {
                TemplatePart::Header(text) | TemplatePart::Body(text) | TemplatePart::Footer(text) => {
                    fill(index, text)
                }
                TemplatePart::HeaderMedia(kind, _) => {
                    let link = slots
                        .iter()
                        .zip(values)
                        .find(|(template_variable, _)| template_variable.part == index)
                        .map_or("", |pair| pair.1);
                    format!("[{kind}] {link}")
                }
                TemplatePart::Button(_, label, None) => format!("[ {label} ]"),
                TemplatePart::Button(_, label, Some(url)) => format!("[ {label} ] {}", fill(index, url)),
            };
            (part.clone(), words)
        });
        shown.collect()
    }

    /// Serializes the variables for a send; `None` if there are none.
    pub fn components(&self, slots: &[TemplateVariable], values: &[&str]) -> Option<Json> {
        let mut out: Vec<String> = Vec::new();
        for (index, part) in self.parts.iter().flatten().enumerate() {
            let mine =
                slots.iter().zip(values).filter(|(template_variable, _)| template_variable.part == index);
            let parameters: Vec<String> =
                mine.map(|(slot, value)| parameter_json(part, slot, value)).collect();
            if parameters.is_empty() {
                continue;
            }
            let place = match part {
                TemplatePart::Header(_) | TemplatePart::HeaderMedia(..) => r#""type":"header""#.to_owned(),
                TemplatePart::Button(place, ..) => {
                    format!(r#""type":"button","sub_type":"url","index":"{place}""#)
                }
                TemplatePart::Body(_) | TemplatePart::Footer(_) => r#""type":"body""#.to_owned(),
            };
            out.push(format!(r#"{{{place},"parameters":[{}]}}"#, parameters.join(",")));
        }
        (!out.is_empty()).then(|| Json(format!("[{}]", out.join(","))))
    }
}

fn parameter_json(part: &TemplatePart, slot: &TemplateVariable, value: &str) -> String {
    if let TemplatePart::HeaderMedia(kind, _) = part {
        return format!(r#"{{"type":"{kind}","{kind}":{{"link":{}}}}}"#, quote(value));
    }
    let named = if slot.name.bytes().all(|byte| byte.is_ascii_digit()) {
        String::new()
    } else {
        format!(r#""parameter_name":{},"#, quote(&slot.name))
    };
    format!(r#"{{"type":"text",{named}"text":{}}}"#, quote(value))
}

/// Returns each variable of a pattern with the text before it.
fn find_variables(pattern: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut before = "";
    let mut rest = pattern;
    while let Some((head, tail)) = rest.split_once("{{") {
        let Some((name, after)) = tail.split_once("}}") else { break };
        before = if head.is_empty() { before } else { head };
        found.push((before.to_owned(), name.to_owned()));
        rest = after;
    }
    // Numbered variables are sent in numeric order.
    if found.iter().all(|(_, name)| name.trim().parse::<usize>().is_ok()) {
        found.sort_by_key(|(_, name)| name.trim().parse::<usize>().unwrap_or(0));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template() -> MessageTemplate {
        let parts = vec![
            TemplatePart::HeaderMedia("image", Some("https://shop.example/a.jpg".into())),
            TemplatePart::Body("Hi {{2}}, order {{1}} left. Thanks, {{2}}!".into()),
            TemplatePart::Footer("Harbor".into()),
            TemplatePart::Button(1, "Track".into(), Some("https://shop.example/t/{{1}}".into())),
        ];
        MessageTemplate {
            name: "order_update".into(),
            language: "en".into(),
            category: "UTILITY".into(),
            parts: Some(parts),
            raw: "[]".into(),
        }
    }

    #[test]
    fn new_template_has_a_name_and_a_language_that_the_platform_takes() {
        let problem = |name: &str, language: &str| {
            NewTemplate::of_text(name, language, NewTemplateCategory::Utility, "Hi").problem()
        };
        assert_eq!(problem("order_ready_2", "pt_BR"), None);
        for name in ["", "Order", "order ready", "pedido_ñ", &"a".repeat(513)] {
            assert!(problem(name, "en").is_some_and(|why| why.contains("name")), "{name}");
        }
        for language in ["", "pt-BR", "português"] {
            assert!(problem("order", language).is_some_and(|why| why.contains("language")), "{language}");
        }
    }

    #[test]
    fn every_variable_has_one_box() {
        let slots = template().slots();
        let labels: Vec<&str> = slots.iter().map(|slot| slot.label.as_str()).collect();
        assert_eq!(labels, ["image link", "body {{1}}", "body {{2}}", "button Track {{1}}"]);
        let names: Vec<bool> = slots.iter().map(TemplateVariable::is_greeting_name).collect();
        assert_eq!(names, [false, false, true, false]);
    }

    #[test]
    fn what_is_filled_in_is_seen_and_sent() {
        let template = template();
        let slots = template.slots();
        let values = ["https://x.example/b.png", "1041 \"blue\"", "Maria", "a1"];
        let shown: Vec<String> = template.preview(&slots, &values).into_iter().map(|pair| pair.1).collect();
        assert_eq!(
            shown,
            [
                "[image] https://x.example/b.png",
                "Hi Maria, order 1041 \"blue\" left. Thanks, Maria!",
                "Harbor",
                "[ Track ] https://shop.example/t/a1"
            ]
        );
        let sent = template.components(&slots, &values).expect("components").0;
        assert_eq!(
            sent,
            r#"[{"type":"header","parameters":[{"type":"image","image":{"link":"https://x.example/b.png"}}]},{"type":"body","parameters":[{"type":"text","text":"1041 \"blue\""},{"type":"text","text":"Maria"}]},{"type":"button","sub_type":"url","index":"1","parameters":[{"type":"text","text":"a1"}]}]"#
        );
        let named =
            MessageTemplate { parts: Some(vec![TemplatePart::Body("Hi {{first_name}}".into())]), ..template };
        let slots = named.slots();
        assert!(slots[0].is_greeting_name());
        let sent = named.components(&slots, &["Ana"]).expect("components").0;
        assert!(sent.contains(r#"{"type":"text","parameter_name":"first_name","text":"Ana"}"#), "{sent}");
        let bare = MessageTemplate { parts: Some(vec![TemplatePart::Body("Hello.".into())]), ..named };
        assert_eq!(bare.components(&bare.slots(), &[]), None);
    }
}
