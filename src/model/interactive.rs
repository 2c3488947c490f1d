//! Buttons and lists as the platform operator takes them: the object a
//! business chat send passes on, made from what a person filled in.
//!
//! Pure. Interface: the interactive object, which is passed through; the
//! bounds are the operator's.

use crate::json::{self, quoted};
use crate::outbox::content::Json;

/// Characters of the text above the buttons.
pub const BODY: usize = 1024;
/// Characters of a header and of a footer.
pub const EDGE: usize = 60;
/// Buttons at most.
pub const BUTTONS: usize = 3;
/// Characters on a button.
pub const BUTTON: usize = 20;
/// Rows of a list at most.
pub const ROWS: usize = 10;
/// Characters of a row's title.
pub const ROW: usize = 24;
/// Characters below a row's title.
pub const DESCRIPTION: usize = 72;

/// What stands around the choices.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frame {
    /// Above the text; may be empty.
    pub header: String,
    pub body: String,
    /// Below it; may be empty.
    pub footer: String,
}

impl Frame {
    fn members(&self) -> String {
        let mut members = String::new();
        if !self.header.is_empty() {
            members.push_str(&format!(r#""header":{{"type":"text","text":{}}},"#, quoted(&self.header)));
        }
        members.push_str(&format!(r#""body":{{"text":{}}},"#, quoted(&self.body)));
        if !self.footer.is_empty() {
            members.push_str(&format!(r#""footer":{{"text":{}}},"#, quoted(&self.footer)));
        }
        members
    }
}

/// Buttons of which the customer chooses one.
pub fn buttons(frame: &Frame, titles: &[&str]) -> Json {
    let buttons: Vec<String> = (1..)
        .zip(titles)
        .map(|(number, title)| {
            format!(r#"{{"type":"reply","reply":{{"id":"{number}","title":{}}}}}"#, quoted(title))
        })
        .collect();
    let (members, buttons) = (frame.members(), buttons.join(","));
    Json(format!(r#"{{"type":"button",{members}"action":{{"buttons":[{buttons}]}}}}"#))
}

/// A list the customer opens with a button and chooses one row of.
pub fn list(frame: &Frame, opens: &str, rows: &[(&str, &str)]) -> Json {
    let rows: Vec<String> = (1..)
        .zip(rows)
        .map(|(number, (title, below))| {
            let below = match *below {
                "" => String::new(),
                below => format!(r#","description":{}"#, quoted(below)),
            };
            format!(r#"{{"id":"{number}","title":{}{below}}}"#, quoted(title))
        })
        .collect();
    let (members, opens, rows) = (frame.members(), quoted(opens), rows.join(","));
    Json(format!(
        r#"{{"type":"list",{members}"action":{{"button":{opens},"sections":[{{"rows":[{rows}]}}]}}}}"#
    ))
}

/// What an object asks, for the person who sends it: the first line of its text
/// and how many there are to choose from. Empty where its shape is not known.
pub fn told(object: &str) -> String {
    let body =
        member(object, "body").and_then(|text| member(&text, "text")).and_then(|text| json::unquoted(&text));
    let first = body.as_deref().and_then(|body| body.lines().map(str::trim).find(|text| !text.is_empty()));
    let action = member(object, "action").unwrap_or_default();
    let buttons = member(&action, "buttons").map(|member| counted(json::elements(&member).len(), "button"));
    let rows = member(&action, "sections").map(|text| {
        let sections = json::elements(&text);
        let rows = sections.iter().filter_map(|section| member(section, "rows"));
        counted(rows.map(|row| json::elements(&row).len()).sum(), "row")
    });
    let parts = [first.map(str::to_owned), buttons, rows];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn counted(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

/// A member of an object as it is written.
fn member(object: &str, name: &str) -> Option<String> {
    json::members(object).ok()?.into_iter().find(|member| member.0 == name).map(|member| member.1)
}

/// What the editor begins with where JSON is written by hand.
pub const SKELETON: &str = r#"{
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
        let frame = Frame { header: String::new(), body: "Which \"one\"?".into(), footer: "Harbor".into() };
        let made = buttons(&frame, &["Brass", "Steel"]).0;
        assert_eq!(
            made,
            r#"{"type":"button","body":{"text":"Which \"one\"?"},"footer":{"text":"Harbor"},"action":{"buttons":[{"type":"reply","reply":{"id":"1","title":"Brass"}},{"type":"reply","reply":{"id":"2","title":"Steel"}}]}}"#
        );
        assert_eq!(told(&made), "Which \"one\"? · 2 buttons");
        assert_eq!(
            told(r#"{"type":"button","body":{"text":"\n A, [b]\nc"},"action":{"buttons":[{}]}}"#),
            "A, [b] · 1 button"
        );
        assert_eq!(
            (told("{"), told("[]"), told(r#"{"body":3}"#)),
            (String::new(), String::new(), String::new())
        );
        let frame = Frame { header: "Bells".into(), body: "Which?".into(), footer: String::new() };
        let made = list(&frame, "Choose", &[("Brass", "loud"), ("Steel", "")]).0;
        assert_eq!(
            made,
            r#"{"type":"list","header":{"type":"text","text":"Bells"},"body":{"text":"Which?"},"action":{"button":"Choose","sections":[{"rows":[{"id":"1","title":"Brass","description":"loud"},{"id":"2","title":"Steel"}]}]}}"#
        );
        assert_eq!(told(&made), "Which? · 2 rows");
        assert_eq!(json::check(&made, '{'), Ok(()));
        assert_eq!(json::check(SKELETON, '{'), Ok(()));
    }
}
