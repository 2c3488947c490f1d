//! Builds the interactive object (buttons or a list) of a business chat message. The interface
//! passes it through; the limits are the platform's. Pure.

use crate::json::{self, quote};
use crate::outbox::content::Json;

/// Maximum length of the text above the buttons.
pub const MAX_BODY_CHARS: usize = 1024;
/// Maximum length of a header and of a footer.
pub const MAX_HEADER_CHARS: usize = 60;
pub const MAX_BUTTONS: usize = 3;
pub const MAX_BUTTON_CHARS: usize = 20;
pub const MAX_ROWS: usize = 10;
pub const MAX_ROW_TITLE_CHARS: usize = 24;
/// Maximum length of the text below a row's title.
pub const MAX_DESCRIPTION_CHARS: usize = 72;

/// Text around the buttons or the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InteractiveFrame {
    /// May be empty.
    pub header: String,
    pub body: String,
    /// May be empty.
    pub footer: String,
}

impl InteractiveFrame {
    fn to_members(&self) -> String {
        let mut members = String::new();
        if !self.header.is_empty() {
            members.push_str(&format!(r#""header":{{"type":"text","text":{}}},"#, quote(&self.header)));
        }
        members.push_str(&format!(r#""body":{{"text":{}}},"#, quote(&self.body)));
        if !self.footer.is_empty() {
            members.push_str(&format!(r#""footer":{{"text":{}}},"#, quote(&self.footer)));
        }
        members
    }
}

pub fn build_buttons(frame: &InteractiveFrame, titles: &[&str]) -> Json {
    let buttons: Vec<String> = (1..)
        .zip(titles)
        .map(|(number, title)| {
            format!(r#"{{"type":"reply","reply":{{"id":"{number}","title":{}}}}}"#, quote(title))
        })
        .collect();
    let (members, buttons) = (frame.to_members(), buttons.join(","));
    Json(format!(r#"{{"type":"button",{members}"action":{{"buttons":[{buttons}]}}}}"#))
}

/// Builds a list that the customer opens with a button; `opens` is the label of that button.
pub fn build_list(frame: &InteractiveFrame, opens: &str, rows: &[(&str, &str)]) -> Json {
    let rows: Vec<String> = (1..)
        .zip(rows)
        .map(|(number, (title, below))| {
            let below = match *below {
                "" => String::new(),
                below => format!(r#","description":{}"#, quote(below)),
            };
            format!(r#"{{"id":"{number}","title":{}{below}}}"#, quote(title))
        })
        .collect();
    let (members, opens, rows) = (frame.to_members(), quote(opens), rows.join(","));
    Json(format!(
        r#"{{"type":"list",{members}"action":{{"button":{opens},"sections":[{{"rows":[{rows}]}}]}}}}"#
    ))
}

/// Describes an object: first line of its text and number of choices. Empty if the format is
/// unknown.
pub fn describe_interactive(object: &str) -> String {
    let body = read_member(object, "body")
        .and_then(|text| read_member(&text, "text"))
        .and_then(|text| json::unquote(&text));
    let first = body.as_deref().and_then(|body| body.lines().map(str::trim).find(|text| !text.is_empty()));
    let action = read_member(object, "action").unwrap_or_default();
    let buttons =
        read_member(&action, "buttons").map(|member| format_count(json::elements(&member).len(), "button"));
    let rows = read_member(&action, "sections").map(|text| {
        let sections = json::elements(&text);
        let rows = sections.iter().filter_map(|section| read_member(section, "rows"));
        format_count(rows.map(|row| json::elements(&row).len()).sum(), "row")
    });
    let parts = [first.map(str::to_owned), buttons, rows];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn format_count(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

fn read_member(object: &str, name: &str) -> Option<String> {
    json::members(object).ok()?.into_iter().find(|member| member.0 == name).map(|member| member.1)
}

/// Initial content of the editor for hand-written JSON.
pub const JSON_TEMPLATE: &str = r#"{
  "type": "button",
  "body": { "text": "" },
  "action": {
    "buttons": [
      { "type": "reply", "reply": { "id": "1", "title": "Yes" } }
    ]
  }
}
"#;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn objects_as_the_operator_takes_them() {
        let frame = InteractiveFrame {
            header: String::new(),
            body: "Which \"one\"?".into(),
            footer: "Harbor".into(),
        };
        let made = build_buttons(&frame, &["Brass", "Steel"]).0;
        assert_eq!(
            made,
            r#"{"type":"button","body":{"text":"Which \"one\"?"},"footer":{"text":"Harbor"},"action":{"buttons":[{"type":"reply","reply":{"id":"1","title":"Brass"}},{"type":"reply","reply":{"id":"2","title":"Steel"}}]}}"#
        );
        assert_eq!(describe_interactive(&made), "Which \"one\"? · 2 buttons");
        assert_eq!(
            describe_interactive(
                r#"{"type":"button","body":{"text":"\n A, [b]\nc"},"action":{"buttons":[{}]}}"#
            ),
            "A, [b] · 1 button"
        );
        assert_eq!(
            (describe_interactive("{"), describe_interactive("[]"), describe_interactive(r#"{"body":3}"#)),
            (String::new(), String::new(), String::new())
        );
        let frame = InteractiveFrame { header: "Bells".into(), body: "Which?".into(), footer: String::new() };
        let made = build_list(&frame, "Choose", &[("Brass", "loud"), ("Steel", "")]).0;
        assert_eq!(
            made,
            r#"{"type":"list","header":{"type":"text","text":"Bells"},"body":{"text":"Which?"},"action":{"button":"Choose","sections":[{"rows":[{"id":"1","title":"Brass","description":"loud"},{"id":"2","title":"Steel"}]}]}}"#
        );
        assert_eq!(describe_interactive(&made), "Which? · 2 rows");
        assert_eq!(json::check(&made, '{'), Ok(()));
        assert_eq!(json::check(JSON_TEMPLATE, '{'), Ok(()));
    }
}
