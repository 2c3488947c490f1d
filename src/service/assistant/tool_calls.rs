//! Functions offered to a model: reading endpoints are called, changing endpoints become proposals, and one
//! function hands the conversation to a person. A model's text is never interpreted as a command.

use serde_json::{Map, Value, json};

use crate::assistant::{Answer, Handover, Proposal, Tools, outgoing};
use crate::database::connections::StoredConnection;
use model::connections::{ConnectionEndpoint, EndpointMethod, ParameterSource, ValueKind};

/// Maximum number of requests to the model per answer.
pub const MAX_TOOL_ROUNDS: usize = 4;
/// Maximum number of calls executed per message of the model.
const MAX_TOOL_CALLS: usize = 4;
const HAND_OVER_TOOL: &str = "hand_over";
/// Maximum lengths of a handover's reason and summary, in characters.
const MAX_REASON_CHARS: usize = 200;
const MAX_SUMMARY_CHARS: usize = 1_000;

/// Result of executing the function calls of a model's message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolCallOutcome {
    /// No function: the message is the answer.
    Nothing,
    /// Functions, whose results go into the next request.
    Results,
    Person,
}

pub fn add_tools(body: &mut Value, tools: &Tools) {
    let mut functions: Vec<Value> = tools
        .list()
        .into_iter()
        .map(|(name, stored, endpoint)| {
            let changes = endpoint.method != EndpointMethod::Get;
            let note = if changes { "Only proposes it: a person decides later." } else { "" };
            let description = format!("{} {} {note}", stored.connection.description, endpoint.instructions);
            function_schema(&name, description.trim(), &parameter_schema(endpoint))
        })
        .collect();
    functions.push(function_schema(
        HAND_OVER_TOOL,
        "Hands the conversation to a person of the business. Call it when you cannot help, when the customer \
         asks for a person, or when something has to be decided that you may not decide.",
        &json!({"type": "object", "required": ["reason", "summary"], "properties": {
            "reason": {"type": "string", "description": "Why a person is needed, in a few words"},
            "summary": {"type": "string", "description": "What the customer wants and what was found out"},
        }}),
    ));
    body["tools"] = functions.into();
}

/// Requests a shorter answer after one was cut off.
pub fn request_shorter_answer(body: &mut Value) {
    let content = "Your answer was too long and was cut off; nobody has seen it. Answer again, completely, \
                   in at most two short sentences.";
    if let Some(messages) = body["messages"].as_array_mut() {
        messages.push(json!({"role": "system", "content": content}));
    }
}

fn function_schema(name: &str, description: &str, parameters: &Value) -> Value {
    json!({"type": "function", "function": {
        "name": name, "description": description, "parameters": parameters,
    }})
}

fn parameter_schema(endpoint: &ConnectionEndpoint) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for parameter in endpoint.asked_parameters() {
        let ParameterSource::Asked(question) = &parameter.source else { continue };
        let kind = match parameter.kind {
            ValueKind::Integer => "integer",
            ValueKind::Number => "number",
            ValueKind::Boolean => "boolean",
            ValueKind::Text | ValueKind::Date => "string",
        };
        properties.insert(parameter.name.clone(), json!({"type": kind, "description": question}));
        if parameter.is_required() {
            required.push(parameter.name.clone());
        }
    }
    json!({"type": "object", "properties": properties, "required": required})
}

/// Executes the function calls of a model's message. Results go into the next request, proposals and
/// handovers into the answer.
pub async fn run_tool_calls(
    body: &mut Value,
    message: &Value,
    tools: &Tools,
    answer: &mut Answer,
) -> ToolCallOutcome {
    let Some(calls) = message["tool_calls"].as_array().filter(|array| !array.is_empty()) else {
        return ToolCallOutcome::Nothing;
    };
    if let Some(call) = calls.iter().find(|call| call["function"]["name"] == HAND_OVER_TOOL) {
        let given = parse_arguments(&call["function"]);
        let text = |name: &str, most: usize| -> String {
            outgoing::sanitize_text(given[name].as_str().unwrap_or("")).chars().take(most).collect()
        };
        let reason = Some(text("reason", MAX_REASON_CHARS)).filter(|text| !text.is_empty());
        let reason = reason.unwrap_or_else(|| "the assistant asks for a person".to_owned());
        answer.handover = Some(Handover { reason, summary: text("summary", MAX_SUMMARY_CHARS) });
        return ToolCallOutcome::Person;
    }
    let mut said = vec![message.clone()];
    for (number, call) in calls.iter().enumerate() {
        let content = match number < MAX_TOOL_CALLS {
            true => run_tool_call(&call["function"], tools, answer).await,
            false => "not done: too many at once".to_owned(),
        };
        said.push(json!({"role": "tool", "tool_call_id": call["id"], "content": content}));
    }
    if let Some(messages) = body["messages"].as_array_mut() {
        messages.extend(said);
    }
    ToolCallOutcome::Results
}

fn parse_arguments(function: &Value) -> Value {
    serde_json::from_str(function["arguments"].as_str().unwrap_or("{}")).unwrap_or(Value::Null)
}

/// Executes one call and returns its result for the model.
async fn run_tool_call(function: &Value, tools: &Tools, answer: &mut Answer) -> String {
    let wanted = function["name"].as_str().unwrap_or("");
    let offered = tools.list();
    let Some((_, stored, endpoint)) = offered.iter().find(|(name, ..)| name == wanted) else {
        return "there is no such function".to_owned();
    };
    let arguments = parse_arguments(function);
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(word) => Some(word.to_string()),
        _ => None,
    };
    // Arguments that identify the customer are never taken from the model.
    let answers: Vec<(String, String)> = endpoint
        .asked_parameters()
        .filter_map(|parameter| Some((parameter.name.clone(), text(&arguments[&parameter.name])?)))
        .collect();
    if endpoint.method == EndpointMethod::Get {
        run_lookup(tools, (stored, endpoint), &answers).await
    } else {
        add_proposal(tools, (stored, endpoint), answers, answer)
    }
}

/// Returns the mapped fields, or the raw answer of an endpoint without a mapping.
async fn run_lookup(
    tools: &Tools,
    (stored, endpoint): (&StoredConnection, &ConnectionEndpoint),
    answers: &[(String, String)],
) -> String {
    match tools.call(stored, endpoint, answers).await {
        Ok(told) if endpoint.fields.is_empty() => told.raw,
        Ok(told) => match told.mapped.to_lines(usize::MAX) {
            lines if lines.is_empty() => "nothing was found".to_owned(),
            lines => lines.join("\n"),
        },
        Err(why) => format!("it could not be looked up: {why}"),
    }
}

fn add_proposal(
    tools: &Tools,
    (stored, endpoint): (&StoredConnection, &ConnectionEndpoint),
    answers: Vec<(String, String)>,
    answer: &mut Answer,
) -> String {
    if let Err(why) = tools.check(endpoint, &answers) {
        return format!("it could not be proposed: {why}");
    }
    let proposal =
        Proposal { connection: stored.connection.name.clone(), endpoint: endpoint.name.clone(), answers };
    if !answer.proposals.contains(&proposal) {
        answer.proposals.push(proposal);
    }
    "it was proposed to a person, who decides later; it is not done, so do not say that it is".to_owned()
}
