//! The phone tab: texts to a number that is typed, and calls. A number's row
//! is its conversation here, also before the server lists it.

pub(crate) mod commands;
pub(crate) mod update;
use crate::components::text_line::TextLine;
use model::bounds;
use model::conversations::{Conversation, ConversationRow};
use model::ids::{ChannelId, ConversationId};
use model::outbox::Operation;
use model::outbox::content::Json;

/// Columns of a label.
const LABEL: usize = 13;
/// What stands before a number.
const NUMBER: &str = "To            ";

/// A call as it is filled in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallForm {
    /// What each of [`CallForm::LABELS`] holds.
    pub fields: [TextLine; 3],
    /// The field with the cursor.
    pub at: usize,
    /// What is wrong with them, if anything.
    pub wrong: Option<String>,
}

impl CallForm {
    /// What the fields are for.
    pub const LABELS: [&'static str; 3] = ["To", "Tell the AI", "From channel"];

    /// The call, or what is wrong with the fields.
    fn operation(&self) -> Result<Operation, String> {
        let [to, told, via] = self.fields.each_ref().map(|text_line| text_line.text().trim());
        let to = number(to)?;
        let context = match told {
            "" => None,
            json if json.starts_with('{') => Some(Json(json.to_owned())),
            words => Some(Json(format!("{{\"note\":\"{}\"}}", escaped(words)))),
        };
        Ok(Operation::Call { to, via: (!via.is_empty()).then(|| via.to_owned()), context })
    }
}

/// A number as typed, without its blanks and brackets.
fn number(typed: &str) -> Result<String, String> {
    let number: String =
        typed.chars().filter(|character| !matches!(character, ' ' | '-' | '(' | ')' | '/')).collect();
    if bounds::is_e164(&number) {
        return Ok(number);
    }
    Err("a number is + and the country code, then 7 to 15 digits in all: +447700900517".to_owned())
}

/// A line of words inside a JSON text; it holds no control characters.
fn escaped(words: &str) -> String {
    words.replace('\\', "\\\\").replace('"', "\\\"")
}

/// The row of a number the server does not list yet.
fn row_of(channel: &ChannelId, number: &ConversationId) -> ConversationRow {
    let address = bounds::is_e164(number.as_str()).then(|| number.as_str().to_owned());
    let conversation = Conversation { address, ..Conversation::stand_in(number.clone(), false) };
    ConversationRow::without_facts(channel.clone(), conversation)
}

/// The row of a conversation on a phone tab, listed or not.
pub(crate) fn listed_or_new(
    listed: Option<ConversationRow>,
    channel: &ChannelId,
    id: &ConversationId,
) -> Option<ConversationRow> {
    listed.or_else(|| Some(row_of(channel, id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_becomes_a_call() {
        let form = |to: &str, told: &str| CallForm {
            fields: [to, told, ""].map(TextLine::new),
            ..CallForm::default()
        };
        let context = |told| match form("+44 (7700) 900-517", told).operation() {
            Ok(Operation::Call { to, context, .. }) => {
                assert_eq!(to, "+447700900517");
                context.map(|context| context.0)
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(context(""), None);
        assert_eq!(context(r#"his "bike" \o/"#).as_deref(), Some(r#"{"note":"his \"bike\" \\o/"}"#));
        assert_eq!(context(r#"{"order":1041}"#).as_deref(), Some(r#"{"order":1041}"#));
        for wrong in ["", "07700 900517", "+44", "+44770090051x"] {
            assert!(form(wrong, "").operation().is_err(), "{wrong}");
        }
    }
}
