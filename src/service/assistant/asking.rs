//! Looking things up for a model: each endpoint is a function it may call,
//! with its instructions, and what comes back is one more message.
//!
//! Knows nothing of how a model is reached.

use serde_json::{Map, Value, json};

use crate::model::connections::{Source, ValueKind};
use crate::service::assistant::Tools;

/// How often a model may ask again before it answers.
pub const ROUNDS: usize = 4;
/// Calls of one answer that are carried out.
const AT_ONCE: usize = 4;

/// Puts the endpoints into a request.
pub fn offer(body: &mut Value, tools: &Tools) {
    let functions: Vec<Value> = tools
        .list()
        .into_iter()
        .map(|(name, stored, endpoint)| {
            let mut properties = Map::new();
            let mut required = Vec::new();
            for it in endpoint.asked() {
                let Source::Asked(question) = &it.source else { continue };
                let kind = match it.kind {
                    ValueKind::Integer => "integer",
                    ValueKind::Number => "number",
                    ValueKind::Boolean => "boolean",
                    ValueKind::Text | ValueKind::Date => "string",
                };
                properties.insert(it.name.clone(), json!({"type": kind, "description": question}));
                if it.required {
                    required.push(it.name.clone());
                }
            }
            let description = format!("{} {}", stored.connection.description, endpoint.instructions);
            json!({"type": "function", "function": {
                "name": name,
                "description": description.trim(),
                "parameters": {"type": "object", "properties": properties, "required": required},
            }})
        })
        .collect();
    if !functions.is_empty() {
        body["tools"] = functions.into();
    }
}

/// Carries out what a model's message asks for and puts what came back into
/// the next request; false if it asks for nothing.
pub async fn look_up(body: &mut Value, message: &Value, tools: &Tools) -> bool {
    let Some(calls) = message["tool_calls"].as_array().filter(|it| !it.is_empty()) else { return false };
    let mut said = vec![message.clone()];
    for (number, call) in calls.iter().enumerate() {
        let content = match number < AT_ONCE {
            true => one(&call["function"], tools).await,
            false => "not looked up: too many at once".to_owned(),
        };
        said.push(json!({"role": "tool", "tool_call_id": call["id"], "content": content}));
    }
    if let Some(messages) = body["messages"].as_array_mut() {
        messages.extend(said);
    }
    true
}

/// What a model is told of one call: the mapping's words, or the answer as
/// it came where nothing is mapped.
async fn one(function: &Value, tools: &Tools) -> String {
    let wanted = function["name"].as_str().unwrap_or("");
    let offered = tools.list();
    let Some((_, stored, endpoint)) = offered.iter().find(|(name, ..)| name == wanted) else {
        return "there is no such function".to_owned();
    };
    let arguments: Value =
        serde_json::from_str(function["arguments"].as_str().unwrap_or("{}")).unwrap_or(Value::Null);
    let text = |it: &Value| match it {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(word) => Some(word.to_string()),
        _ => None,
    };
    // Only what an assistant may fill in: never what names the customer.
    let answers: Vec<(String, String)> =
        endpoint.asked().filter_map(|it| Some((it.name.clone(), text(&arguments[&it.name])?))).collect();
    match tools.call(stored, endpoint, &answers).await {
        Ok(told) if endpoint.fields.is_empty() => told.raw,
        Ok(told) => match told.mapped.lines(usize::MAX) {
            lines if lines.is_empty() => "nothing was found".to_owned(),
            lines => lines.join("\n"),
        },
        Err(why) => format!("it could not be looked up: {why}"),
    }
}
