//! Canned replies: prepared texts with fields that are filled in for each use.

use std::ops::Range;

use crate::email::quoting::QuoteStyle;
use crate::text::SafeText;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CannedReply {
    /// Name of the file.
    pub name: String,
    pub title: String,
    /// Additional search words.
    pub keywords: Vec<String>,
    /// Only tab or platform that may use the reply, by name.
    pub channel: Option<String>,
    /// Subject of a mail, with fields.
    pub subject: Option<String>,
    pub quote: Option<QuoteStyle>,
    pub body: String,
    pub origin: ReplyOrigin,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ReplyOrigin {
    /// A file on this desk.
    #[default]
    Local,
    /// A file on this desk, used instead of the team's reply of the same name.
    LocalInsteadOfShared,
    /// Shared by a person of the team.
    Shared(SafeText),
}

pub const MAX_SHARED_REPLY_CHARS: usize = 4096;
pub const MAX_SHARED_NAME_CHARS: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedReply {
    pub name: String,
    /// In the format of a local reply's file, including its header if there is one.
    pub text: String,
    /// Author of the newest change.
    pub author: SafeText,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReplyVariables {
    pub contact: Option<String>,
    pub agent: Option<String>,
    /// Subject, date and sender's address of the mail being answered.
    pub mail: Option<[String; 3]>,
    /// Results of data connections, by `connection.field`.
    pub looked_up: Vec<(String, String)>,
}

impl CannedReply {
    /// True if every word of the query occurs in the reply; also for an empty query.
    pub fn matches(&self, query: &str) -> bool {
        let all = format!("{} {} {} {}", self.name, self.title, self.keywords.join(" "), self.body);
        let all = all.to_lowercase();
        query.to_lowercase().split_whitespace().all(|word| all.contains(word))
    }

    /// Sort rank for a query; lower is better.
    pub fn rank(&self, query: &str) -> u8 {
        let query = query.to_lowercase();
        let starts = |text: &str| text.to_lowercase().starts_with(&query);
        match () {
            () if starts(&self.name) => 0,
            () if starts(&self.title) || self.keywords.iter().any(|keyword| starts(keyword)) => 1,
            () => 2,
        }
    }
}

/// Fills in the known fields. Unknown ones are left as `{name?}` for manual input.
pub fn fill_fields(body: &str, facts: &ReplyVariables) -> String {
    let mut out = String::with_capacity(body.len());
    let mut rest = body;
    while let Some((before, field, after)) = next_field(rest) {
        out.push_str(before);
        let name = field.trim_end_matches('?');
        let first = |text: &String| text.split_whitespace().next().unwrap_or_default().to_owned();
        let known = match name {
            "contact.name" => facts.contact.clone(),
            "contact.first_name" => facts.contact.as_ref().map(first),
            "agent.name" => facts.agent.clone(),
            "mail.subject" => facts.mail.as_ref().map(|mail| mail[0].clone()),
            "mail.date" => facts.mail.as_ref().map(|mail| mail[1].clone()),
            "mail.address" => facts.mail.as_ref().map(|mail| mail[2].clone()),
            other => facts.looked_up.iter().find(|(text, _)| text == other).map(|pair| pair.1.clone()),
        };
        match known.filter(|text| !text.trim().is_empty()) {
            Some(known) => out.push_str(&known),
            None if field.ends_with('?') || name.contains('.') => out.push_str(&format!("{{{name}?}}")),
            // Other text in braces stays unchanged.
            None => out.push_str(&format!("{{{field}}}")),
        }
        rest = after;
    }
    out + rest
}

/// Returns the fields to be filled in by hand, such as `{order?}`.
pub fn unfilled_fields(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, field, after)) = next_field(rest) {
        let end = text.len() - after.len();
        if field.ends_with('?') {
            found.push(end - field.len() - 2..end);
        }
        rest = after;
    }
    found
}

/// Returns the text before the next `{name}` or `{name?}`, the name, and the rest.
fn next_field(text: &str) -> Option<(&str, &str, &str)> {
    for (at, _) in text.match_indices('{') {
        let inner = &text[at + 1..];
        let Some((name, after)) = inner.split_once('}') else { continue };
        let bare = name.strip_suffix('?').unwrap_or(name);
        let letters = |character: char| character.is_alphanumeric() || matches!(character, '_' | '.' | '-');
        if !bare.is_empty() && bare.chars().all(letters) {
            return Some((&text[..at], name, after));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_filled_as_far_as_is_known() {
        let facts = ReplyVariables {
            contact: Some("Maria Lopez".into()),
            agent: None,
            mail: Some(["Order 1041".into(), "20 Nov".into(), "ana@y.example".into()]),
            looked_up: vec![("shop.plan".into(), "Gold".into())],
        };
        let cases = [
            ("Hi {contact.first_name}, {contact.name}!", "Hi Maria, Maria Lopez!"),
            ("{agent.name} here", "{agent.name?} here"),
            ("Order {order?}", "Order {order?}"),
            ("{mail.subject} of {mail.date}", "Order 1041 of 20 Nov"),
            ("{shop.plan} and {shop.since}", "Gold and {shop.since?}"),
            ("{ not a field }, {}, {json: 1}, {x}", "{ not a field }, {}, {json: 1}, {x}"),
            ("{{order?}}", "{{order?}}"),
        ];
        for (body, filled) in cases {
            assert_eq!(fill_fields(body, &facts), filled);
        }
    }

    #[test]
    fn what_is_still_to_be_filled_in() {
        let found = |text: &'static str| -> Vec<&str> {
            unfilled_fields(text).into_iter().map(|range| &text[range]).collect()
        };
        assert_eq!(found("Order {order?} of {día?}."), ["{order?}", "{día?}"]);
        assert_eq!(found("what {is this?} and {x}"), [""; 0]);
        assert_eq!(found("{a {b?}"), ["{b?}"]);
    }

    #[test]
    fn replies_are_found_by_all_their_words() {
        let reply = CannedReply {
            name: "refund".into(),
            title: "Money back".into(),
            keywords: vec!["double charge".into()],
            body: "We return it.".into(),
            ..CannedReply::default()
        };
        for (query, found) in [("", true), ("REF", true), ("charge return", true), ("charge order", false)] {
            assert_eq!(reply.matches(query), found, "{query}");
        }
        assert_eq!(
            [reply.rank("re"), reply.rank("mon"), reply.rank("dou"), reply.rank("return")],
            [0, 1, 1, 2]
        );
    }
}
