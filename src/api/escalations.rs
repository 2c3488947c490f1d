//! Request of the AI for a person, on every chat channel. The fields are this service's choice; other
//! services may use any form, such as a word, a boolean or an object with a state.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::lenient;
#[cfg(feature = "schema")]
use crate::schema;
use model::conversations::Escalation;
use model::text::SafeText;
use model::time::Timestamp;

/// Value of the field `escalation`. A negative value of any form is read as `Absent`, anything else
/// as `Requested`.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum EscalationState {
    /// Written as null.
    #[default]
    Absent,
    Requested(EscalationBody),
}

// Fields are in alphabetical order, in which they are written.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Escalation"))]
pub struct EscalationBody {
    #[serde(deserialize_with = "lenient::items")]
    pub proposals: Vec<ProposalBody>,
    #[serde(deserialize_with = "lenient::text_or_empty")]
    pub reason: String,
    #[serde(deserialize_with = "lenient::time", serialize_with = "lenient::write_time")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Time>"))]
    pub since: Option<Timestamp>,
    #[serde(deserialize_with = "lenient::text")]
    pub summary: Option<String>,
}

/// A call that the AI proposes and nobody has decided about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct ProposalBody {
    pub connection: String,
    pub endpoint: String,
    #[serde(default, deserialize_with = "lenient::text_or_empty")]
    pub id: String,
    #[serde(default, deserialize_with = "lenient::object")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, String>"))]
    pub values: BTreeMap<String, Value>,
}

impl EscalationState {
    /// Converts to the model: the reason, the summary and the proposals, one line each.
    pub fn into_model(self) -> Escalation {
        let Self::Requested(body) = self else { return Escalation::None };
        let proposals = body.proposals.iter().map(ProposalBody::describe);
        let lines = [body.reason, body.summary.unwrap_or_default()].into_iter().chain(proposals);
        let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
        let why = SafeText::optional_line(Some(&lines.join("\n")));
        Escalation::Requested(why.unwrap_or_else(|| SafeText::line("the AI gave no reason")))
    }
}

impl ProposalBody {
    /// Describes the call in one line: endpoint, values and id.
    fn describe(&self) -> String {
        let value = |(name, value): (&String, &Value)| match value {
            Value::String(text) => format!(" {name}={text}"),
            other => format!(" {name}={other}"),
        };
        let values: String = self.values.iter().map(value).collect();
        let id = if self.id.is_empty() { String::new() } else { format!(" ({})", self.id) };
        format!("proposes {} · {}{values}{id}", self.connection, self.endpoint)
    }
}

impl Serialize for EscalationState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Absent => serializer.serialize_none(),
            Self::Requested(body) => body.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for EscalationState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::from_value(Value::deserialize(deserializer)?))
    }
}

impl EscalationState {
    /// Reads a value of any form; a reason may also be named `message`, `status` or `state`.
    pub fn from_value(value: Value) -> Self {
        match value {
            value if is_negative(&value) => Self::Absent,
            Value::String(reason) => Self::Requested(EscalationBody { reason, ..EscalationBody::default() }),
            Value::Object(fields) => {
                let named = ["reason", "message", "status", "state"];
                let reason = named.iter().find_map(|name| fields.get(*name)?.as_str()).map(str::to_owned);
                let body: EscalationBody = serde_json::from_value(Value::Object(fields)).unwrap_or_default();
                Self::Requested(EscalationBody { reason: reason.unwrap_or_default(), ..body })
            }
            _ => Self::Requested(EscalationBody::default()),
        }
    }
}
/// True for an empty value, a word or number that means no, and an object whose state is negative
/// or whose fields are all negative.
fn is_negative(value: &Value) -> bool {
    const NEGATIVE_WORDS: [&str; 12] = [
        "",
        "none",
        "no",
        "false",
        "off",
        "null",
        "0",
        "inactive",
        "resolved",
        "closed",
        "cleared",
        "not_escalated",
    ];
    const STATE_FIELDS: [&str; 9] = [
        "state",
        "status",
        "active",
        "isActive",
        "escalated",
        "isEscalated",
        "enabled",
        "required",
        "needed",
    ];
    match value {
        Value::Null => true,
        Value::Bool(word) => !word,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(word) => NEGATIVE_WORDS.contains(&word.trim().to_lowercase().as_str()),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => {
            let mut states =
                STATE_FIELDS.iter().filter_map(|state| fields.get(*state)).filter(|value| !value.is_null());
            let is_over = fields.get("resolvedAt").is_some_and(|field| !field.is_null());
            is_over || states.any(is_negative) || fields.values().all(is_negative)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use crate::conversations::read_conversation;

    #[test]
    fn an_escalation_tells_why_what_and_what_is_proposed() {
        for (told, lines) in [
            ("null", vec![]),
            ("\"asked for a person\"", vec!["asked for a person"]),
            (r#"{"reason": "asked twice", "summary": null, "proposals": []}"#, vec!["asked twice"]),
            (
                r#"{"reason": "wants a refund", "summary": "Order 1041\nbroke.", "proposals": [
                    {"id": "prop_1", "connection": "shop", "endpoint": "refund", "values": {"order": "1041"}},
                    "something else"
                ]}"#,
                vec!["wants a refund", "Order 1041", "broke.", "proposes shop · refund order=1041 (prop_1)"],
            ),
            (r#"{"since": "2026-11-20T10:00:00Z"}"#, vec!["the AI gave no reason"]),
        ] {
            let json = format!(r#"{{"id": "conv_1", "automationEnabled": true, "escalation": {told}}}"#);
            let raw = RawValue::from_string(json).expect("JSON");
            let conversation = read_conversation(&raw).expect("a conversation");
            assert_eq!(conversation.escalation.lines().collect::<Vec<_>>(), lines, "{told}");
        }
    }

    #[test]
    fn the_service_writes_what_the_client_reads() {
        let proposal = ProposalBody {
            connection: "shop".to_owned(),
            endpoint: "refund".to_owned(),
            id: "prop_1".to_owned(),
            values: BTreeMap::from([("order".to_owned(), Value::from("1041"))]),
        };
        let body = EscalationBody {
            proposals: vec![proposal],
            reason: "wants a refund".to_owned(),
            since: Timestamp::parse("2026-11-20T10:00:00Z"),
            summary: None,
        };
        for (state, json) in [
            (EscalationState::Absent, "null"),
            (
                EscalationState::Requested(body),
                r#"{"proposals":[{"connection":"shop","endpoint":"refund","id":"prop_1","values":{"order":"1041"}}],"reason":"wants a refund","since":"2026-11-20T10:00:00.000Z","summary":null}"#,
            ),
        ] {
            assert_eq!(serde_json::to_string(&state).expect("written"), json);
            assert_eq!(serde_json::from_str::<EscalationState>(json).expect("read"), state);
        }
    }
}
