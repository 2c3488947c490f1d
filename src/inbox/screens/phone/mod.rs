//! The phone tab: SMS and calls to a typed number. A number's row is its conversation, also before
//! the server lists it.

pub(crate) mod commands;
pub(crate) mod update;
use crate::components::text_line::TextLine;
use model::bounds;
use model::conversations::{Conversation, ConversationRow};
use model::ids::{ChannelId, ConversationId};
use model::outbox::Operation;
use model::outbox::content::Json;

const LABEL_WIDTH: usize = 13;
const NUMBER_PROMPT: &str = "To            ";

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallForm {
    /// Values in the order of [`CallForm::FIELD_LABELS`].
    pub fields: [TextLine; 3],
    pub at: usize,
    pub error: Option<String>,
}

impl CallForm {
    pub const FIELD_LABELS: [&'static str; 3] = ["To", "Tell the AI", "From channel"];

    fn operation(&self) -> Result<Operation, String> {
        let [to, told, via] = self.fields.each_ref().map(|text_line| text_line.text().trim());
        let to = parse_number(to)?;
        let context = match told {
            "" => None,
            json if json.starts_with('{') => Some(Json(json.to_owned())),
            words => Some(Json(format!("{{\"note\":\"{}\"}}", escape_json(words)))),
        };
        Ok(Operation::Call { to, via: (!via.is_empty()).then(|| via.to_owned()), context })
    }
}

/// Removes separators and checks the number.
fn parse_number(typed: &str) -> Result<String, String> {
    let number: String =
        typed.chars().filter(|character| !matches!(character, ' ' | '-' | '(' | ')' | '/')).collect();
    if bounds::is_e164(&number) {
        return Ok(number);
    }
    Err("a number needs + and the country code, 7 to 15 digits: +447700900517".to_owned())
}

/// Escapes a line for a JSON string; it has no control characters.
fn escape_json(words: &str) -> String {
    words.replace('\\', "\\\\").replace('"', "\\\"")
}

fn row_for_number(channel: &ChannelId, number: &ConversationId) -> ConversationRow {
    let address = bounds::is_e164(number.as_str()).then(|| number.as_str().to_owned());
    let conversation = Conversation { address, ..Conversation::stand_in(number.clone(), false) };
    ConversationRow::without_facts(channel.clone(), conversation)
}

pub(crate) fn listed_or_new(
    listed: Option<ConversationRow>,
    channel: &ChannelId,
    id: &ConversationId,
) -> Option<ConversationRow> {
    listed.or_else(|| Some(row_for_number(channel, id)))
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
