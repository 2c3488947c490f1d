//! Prints connections and their calls, of this desk and of the service.

use anyhow::Result;
use serde_json::{Value, json};

use crate::cli::print;
use crate::shell::clock;
use model::connections::{CallLine, CallResult, Connection, ConnectionEndpoint, DisplayValue};
use model::text::SafeText;
use net::connections::EndpointResponse;

/// Maximum lines shown of an answer.
const MAX_SHOWN_LINES: usize = 40;

/// Prints the answer mapped to its fields, or as received without a mapping.
pub fn print_answer(answer: &EndpointResponse, endpoint: &ConnectionEndpoint) -> Result<()> {
    if endpoint.fields.is_empty() {
        let text = serde_json::to_string_pretty(&answer.body).unwrap_or_default();
        for line in text.lines().take(MAX_SHOWN_LINES) {
            print::line(&format!("  {}", SafeText::line(line)))?;
        }
        return Ok(());
    }
    let mapped = answer.mapped(endpoint, &clock::zone());
    for field in &mapped.fields {
        match &field.value {
            DisplayValue::Line(text) => print::line(&format!("  {}\t{text}", field.label))?,
            DisplayValue::Table(heads, rows, more) => {
                let joined =
                    |cells: &[SafeText]| cells.iter().map(SafeText::as_str).collect::<Vec<_>>().join("\t");
                print::line(&format!("  {}\t{}", field.label, joined(heads)))?;
                rows.iter().try_for_each(|row| print::line(&format!("  \t{}", joined(row))))?;
                if *more > 0 {
                    print::line(&format!("  \t{more} more"))?;
                }
            }
        }
    }
    if mapped.fields.is_empty() {
        print::line("  the answer has none of the chosen fields")?;
    }
    Ok(())
}

/// Connection as JSON, without its credential.
pub fn connection_json(connection: &Connection, has_credential: bool) -> Value {
    let text = api::connections::to_json(connection);
    let mut item: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
    item["hasCredential"] = json!(has_credential);
    item
}

/// Connection as one line of columns, without its credential.
pub fn connection_line(connection: &Connection, has_credential: bool) -> String {
    let credential = match (connection.auth.needs_secret(), has_credential) {
        (false, _) => "no credential needed",
        (true, true) => "credential stored",
        (true, false) => "CREDENTIAL MISSING",
    };
    let endpoints: Vec<&str> = connection.endpoints.iter().map(|endpoint| endpoint.name.as_str()).collect();
    let (auth, limit) = (connection.auth.word(), connection.per_minute);
    format!(
        "{}\t{}\t{auth}\t{credential}\t{limit}/min\t{}",
        connection.name,
        connection.base_url,
        endpoints.join(", ")
    )
}

/// Call as one line of columns.
pub fn call_line(call: &CallLine) -> String {
    let result = match &call.result {
        CallResult::Status(status) => status.to_string(),
        CallResult::Failed(why) => why.to_string(),
    };
    let CallLine { at, connection, endpoint, contact, millis, bytes, .. } = call;
    format!("{at}\t{connection}\t{endpoint}\t{contact}\t{result}\t{millis} ms\t{bytes} bytes")
}

pub fn call_json(call: &CallLine) -> Value {
    let (status, failure) = match &call.result {
        CallResult::Status(status) => (json!(status), Value::Null),
        CallResult::Failed(why) => (Value::Null, json!(why.as_str())),
    };
    json!({
        "at": call.at.to_string(), "connection": call.connection, "endpoint": call.endpoint,
        "contact": call.contact, "status": status, "failure": failure, "ms": call.millis, "bytes": call.bytes,
    })
}
