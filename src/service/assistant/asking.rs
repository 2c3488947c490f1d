//! The functions a model is offered: each endpoint that reads is looked up,
//! one that changes something becomes a proposal, and one hands the
//! conversation to a person. What a model writes is never read as a command.

use serde_json::{Map, Value, json};

use crate::assistant::{Answer, Handover, Proposal, Tools, outgoing};
use crate::database::connections::Stored;
use model::connections::{ConnectionEndpoint, EndpointMethod, ParameterSource, ValueKind};

/// How often a model may ask again before it answers.
pub const ROUNDS: usize = 4;
/// Calls of one answer that are carried out.
const AT_ONCE: usize = 4;
/// What hands the conversation to a person.
const HAND_OVER: &str = "hand_over";
/// Characters of a reason and of a summary at most.
const REASON: usize = 200;
const SUMMARY: usize = 1_000;

/// What a model's message asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// No function: it holds the answer.
    Nothing,
    /// Functions, whose results are in the next request.
    Results,
    Person,
}

/// Puts the functions into a request.
pub fn offer(body: &mut Value, tools: &Tools) {
    let mut functions: Vec<Value> = tools
        .list()
        .into_iter()
        .map(|(name, stored, endpoint)| {
            let changes = endpoint.method != EndpointMethod::Get;
            let note = if changes { "Only proposes it: a person decides later." } else { "" };
            let description = format!("{} {} {note}", stored.connection.description, endpoint.instructions);
            function(&name, description.trim(), &parameters(endpoint))
        })
        .collect();
    functions.push(function(
        HAND_OVER,
        "Hands the conversation to a person of the business. Call it when you cannot help, when the customer \
         asks for a person, or when something has to be decided that you may not decide.",
        &json!({"type": "object", "required": ["reason", "summary"], "properties": {
            "reason": {"type": "string", "description": "Why a person is needed, in a few words"},
            "summary": {"type": "string", "description": "What the customer wants and what was found out"},
        }}),
    ));
    body["tools"] = functions.into();
}

/// Asks once more for an answer that broke off.
pub fn ask_shorter(body: &mut Value) {
    let content = "Your answer was too long and broke off; nobody has seen it. Answer once more, whole, in at most two \
                   short sentences.";
    if let Some(messages) = body["messages"].as_array_mut() {
        messages.push(json!({"role": "system", "content": content}));
    }
}

fn function(name: &str, description: &str, parameters: &Value) -> Value {
    json!({"type": "function", "function": {
        "name": name, "description": description, "parameters": parameters,
    }})
}

fn parameters(endpoint: &ConnectionEndpoint) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for it in endpoint.asked() {
        let ParameterSource::Asked(question) = &it.source else { continue };
        let kind = match it.kind {
            ValueKind::Integer => "integer",
            ValueKind::Number => "number",
            ValueKind::Boolean => "boolean",
            ValueKind::Text | ValueKind::Date => "string",
        };
        properties.insert(it.name.clone(), json!({"type": kind, "description": question}));
        if it.is_required() {
            required.push(it.name.clone());
        }
    }
    json!({"type": "object", "properties": properties, "required": required})
}

/// Does what a model's message asks for. Results go into the next request,
/// proposals and a call for a person into the answer.
pub async fn carry(body: &mut Value, message: &Value, tools: &Tools, answer: &mut Answer) -> Asked {
    let Some(calls) = message["tool_calls"].as_array().filter(|it| !it.is_empty()) else {
        return Asked::Nothing;
    };
    if let Some(call) = calls.iter().find(|it| it["function"]["name"] == HAND_OVER) {
        let given = arguments(&call["function"]);
        let text = |name: &str, most: usize| -> String {
            outgoing::clean(given[name].as_str().unwrap_or("")).chars().take(most).collect()
        };
        let reason = Some(text("reason", REASON)).filter(|it| !it.is_empty());
        let reason = reason.unwrap_or_else(|| "the assistant asks for a person".to_owned());
        answer.handover = Some(Handover { reason, summary: text("summary", SUMMARY) });
        return Asked::Person;
    }
    let mut said = vec![message.clone()];
    for (number, call) in calls.iter().enumerate() {
        let content = match number < AT_ONCE {
            true => one(&call["function"], tools, answer).await,
            false => "not done: too many at once".to_owned(),
        };
        said.push(json!({"role": "tool", "tool_call_id": call["id"], "content": content}));
    }
    if let Some(messages) = body["messages"].as_array_mut() {
        messages.extend(said);
    }
    Asked::Results
}

fn arguments(function: &Value) -> Value {
    serde_json::from_str(function["arguments"].as_str().unwrap_or("{}")).unwrap_or(Value::Null)
}

/// What a model is told of one call.
async fn one(function: &Value, tools: &Tools, answer: &mut Answer) -> String {
    let wanted = function["name"].as_str().unwrap_or("");
    let offered = tools.list();
    let Some((_, stored, endpoint)) = offered.iter().find(|(name, ..)| name == wanted) else {
        return "there is no such function".to_owned();
    };
    let arguments = arguments(function);
    let text = |it: &Value| match it {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(word) => Some(word.to_string()),
        _ => None,
    };
    // Only what an assistant may fill in: never what names the customer.
    let answers: Vec<(String, String)> =
        endpoint.asked().filter_map(|it| Some((it.name.clone(), text(&arguments[&it.name])?))).collect();
    if endpoint.method == EndpointMethod::Get {
        look_up(tools, (stored, endpoint), &answers).await
    } else {
        propose(tools, (stored, endpoint), answers, answer)
    }
}

/// The mapping's words, or the answer as it came where nothing is mapped.
async fn look_up(
    tools: &Tools,
    (stored, endpoint): (&Stored, &ConnectionEndpoint),
    answers: &[(String, String)],
) -> String {
    match tools.call(stored, endpoint, answers).await {
        Ok(told) if endpoint.fields.is_empty() => told.raw,
        Ok(told) => match told.mapped.lines(usize::MAX) {
            lines if lines.is_empty() => "nothing was found".to_owned(),
            lines => lines.join("\n"),
        },
        Err(why) => format!("it could not be looked up: {why}"),
    }
}

fn propose(
    tools: &Tools,
    (stored, endpoint): (&Stored, &ConnectionEndpoint),
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
    "it is proposed to a person, who decides later; it is not done, so do not say that it is".to_owned()
}
