//! Data connections as TOML for people and JSON for a database. Both have the same structure; an
//! unknown key is an error that names the known ones.

use serde::{Deserialize, Serialize};

use model::connections::identity::ContactField;
use model::connections::mapping::{FieldKind, MappedField, TableColumn, ValueFormat};
use model::connections::mistake::ConnectionMistake;
use model::connections::parameters::{Parameter, ParameterPlace, ParameterSource, ValueKind};
use model::connections::path::Path;
use model::connections::{
    Auth, Connection, ConnectionEndpoint, DEFAULT_CALLS_PER_MINUTE, DEFAULT_TIMEOUT_SECONDS, EndpointMethod,
    MAX_CONNECTIONS, review,
};

mod lines;
mod removing;
mod writing;

pub use lines::line_in;
pub use removing::without_connection;
use writing::entry;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default)]
    connection: Vec<Entry>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    description: String,
    base_url: String,
    #[serde(default = "timeout", skip_serializing_if = "is_timeout")]
    timeout_seconds: u32,
    #[serde(default = "per_minute", skip_serializing_if = "is_per_minute")]
    per_minute: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    private_hosts: Vec<String>,
    #[serde(default)]
    auth: AuthEntry,
    #[serde(default)]
    endpoint: Vec<EndpointEntry>,
}

const fn timeout() -> u32 {
    DEFAULT_TIMEOUT_SECONDS
}

fn is_timeout(seconds: &u32) -> bool {
    *seconds == DEFAULT_TIMEOUT_SECONDS
}

const fn per_minute() -> u32 {
    DEFAULT_CALLS_PER_MINUTE
}

fn is_per_minute(calls: &u32) -> bool {
    *calls == DEFAULT_CALLS_PER_MINUTE
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum AuthEntry {
    #[default]
    None,
    Bearer,
    ApiKeyHeader {
        header: String,
    },
    ApiKeyQuery {
        parameter: String,
    },
    BasicAuth {
        user: String,
    },
    #[serde(rename = "oauth2_client_credentials")]
    ClientCredentials {
        token_url: String,
        client_id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scope: Option<String>,
    },
    CustomHeader {
        header: String,
        #[serde(default)]
        prefix: String,
    },
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EndpointEntry {
    name: String,
    #[serde(default = "get")]
    method: String,
    path: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    instructions: String,
    #[serde(default)]
    contact: ContactEntry,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    public: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    assistant_may_change: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    automatic: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parameter: Vec<ParameterEntry>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    field: Vec<FieldEntry>,
}

fn get() -> String {
    "GET".to_owned()
}

/// The field that identifies the contact, or several, of which the first known one is used.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged, expecting = "a field of the contact, or a list of them")]
enum ContactEntry {
    One(String),
    Several(Vec<String>),
}

impl Default for ContactEntry {
    fn default() -> Self {
        Self::One("phone".to_owned())
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ParameterEntry {
    name: String,
    #[serde(rename = "in")]
    place: String,
    #[serde(default = "text", rename = "type")]
    kind: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    required: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    constant: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ask: Option<String>,
}

fn text() -> String {
    "text".to_owned()
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FieldEntry {
    name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    label: String,
    path: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    format: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    currency: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    column: Vec<ColumnEntry>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ColumnEntry {
    label: String,
    path: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    format: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    currency: String,
}

/// Reads connections from TOML. Returns the valid connections and descriptions of all mistakes, so
/// that one mistake does not hide another.
pub fn read(text: &str) -> (Vec<Connection>, Vec<String>) {
    let document: Document = match toml::from_str(text) {
        Ok(document) => document,
        Err(error) => {
            let line = lines::line(text, error.span().map_or(0, |span| span.start));
            return (Vec::new(), vec![format!("line {line}: {}", error.message().replace('\n', " "))]);
        }
    };
    let (mut read, mut wrong) = (Vec::<Connection>::new(), Vec::new());
    for (index, entry) in document.connection.into_iter().enumerate() {
        let name = entry.name.clone();
        let found = match connection(entry) {
            Err(mistake) => vec![mistake],
            Ok(connection) if read.iter().any(|before| before.name == connection.name) => {
                let why = format!("two connections are named {name:?}; names must differ");
                vec![ConnectionMistake::at("name", why)]
            }
            Ok(connection) => {
                let found = review::find_mistakes(&connection);
                if found.is_empty() {
                    read.push(connection);
                }
                found
            }
        };
        wrong.extend(found.iter().map(|connection_mistake| {
            describe_mistake(lines::line_of(text, index, connection_mistake), &name, connection_mistake)
        }));
    }
    if read.len() > MAX_CONNECTIONS {
        wrong.push(format!("at most {MAX_CONNECTIONS} connections are allowed"));
        read.truncate(MAX_CONNECTIONS);
    }
    (read, wrong)
}

pub fn describe_mistake(line: Option<usize>, name: &str, mistake: &ConnectionMistake) -> String {
    let line = line.map_or_else(String::new, |line| format!("line {line}: "));
    format!("{line}connection {name:?}: {}", mistake.why)
}

pub fn write(connections: &[Connection]) -> String {
    if connections.is_empty() {
        return String::new();
    }
    let document = Document { connection: connections.iter().map(entry).collect() };
    // Strings, numbers and lists of them can always be serialized.
    toml::to_string(&document).unwrap_or_default()
}

pub fn to_json(connection: &Connection) -> String {
    serde_json::to_string(&entry(connection)).unwrap_or_default()
}

pub fn from_json(text: &str) -> Result<Connection, String> {
    connection(serde_json::from_str(text).map_err(|error| error.to_string())?).map_err(|error| error.why)
}

fn connection(entry: Entry) -> Result<Connection, ConnectionMistake> {
    let endpoints = entry.endpoint.into_iter().enumerate().map(|(index, endpoint_entry)| {
        let name = endpoint_entry.name.clone();
        endpoint(endpoint_entry).map_err(|mistake| mistake.in_endpoint(index, &name))
    });
    Ok(Connection {
        name: entry.name,
        description: entry.description,
        base_url: entry.base_url,
        timeout_seconds: entry.timeout_seconds,
        per_minute: entry.per_minute,
        private_hosts: entry.private_hosts,
        auth: match entry.auth {
            AuthEntry::None => Auth::None,
            AuthEntry::Bearer => Auth::Bearer,
            AuthEntry::ApiKeyHeader { header } => Auth::ApiKeyHeader { header },
            AuthEntry::ApiKeyQuery { parameter } => Auth::ApiKeyQuery { parameter },
            AuthEntry::BasicAuth { user } => Auth::Basic { user },
            AuthEntry::ClientCredentials { token_url, client_id, scope } => {
                Auth::ClientCredentials { token_url, client_id, scope }
            }
            AuthEntry::CustomHeader { header, prefix } => Auth::CustomHeader { header, prefix },
        },
        endpoints: endpoints.collect::<Result<_, _>>()?,
    })
}

fn parse_word<T>(
    what: &'static str,
    word: &str,
    found: Option<T>,
    known: &[&str],
) -> Result<T, ConnectionMistake> {
    let why = || format!("{what} = {word:?} is not known; use one of: {}", known.join(", "));
    found.ok_or_else(|| ConnectionMistake::at(what, why()))
}

/// Reads the entries of a list; a mistake names the entry.
fn all<T, U>(
    list: &'static str,
    entries: Vec<T>,
    read: impl Fn(T) -> Result<U, ConnectionMistake>,
) -> Result<Vec<U>, ConnectionMistake> {
    let read = |(index, entry)| read(entry).map_err(|mistake| mistake.in_list(list, index));
    entries.into_iter().enumerate().map(read).collect()
}

/// Reads the identifying field of a contact; refuses fields that are not verified and names the
/// alternatives.
fn parse_identifier(word: &str) -> Result<ContactField, ConnectionMistake> {
    let found = contact_field("contact", word)?;
    if found.is_verified() {
        return Ok(found);
    }
    let why = format!(
        "{word} was typed in by somebody and proves no identity: identify the contact with \
         {VERIFIED_FIELDS}, and pass {word} in a further parameter with from = \"contact.{word}\""
    );
    Err(ConnectionMistake::at("contact", why))
}

/// Fields that a channel verifies, for error texts.
const VERIFIED_FIELDS: &str = "phone, email (the mail channel's) or chat_id (the bot channel's)";

fn contact_field(what: &'static str, word: &str) -> Result<ContactField, ConnectionMistake> {
    if matches!(word, "name" | "username") {
        let why = format!(
            "customers choose their {word} themselves, so it identifies nobody: use {VERIFIED_FIELDS}"
        );
        return Err(ConnectionMistake::at(what, why));
    }
    let known = ["phone", "email", "chat_id", "metadata.NAME"];
    parse_word(what, word, ContactField::from_word(word), &known)
}

fn endpoint(entry: EndpointEntry) -> Result<ConnectionEndpoint, ConnectionMistake> {
    let method = parse_word(
        "method",
        &entry.method,
        EndpointMethod::from_word(&entry.method),
        &EndpointMethod::WORDS,
    )?;
    let words = match entry.contact {
        ContactEntry::One(word) => vec![word],
        ContactEntry::Several(words) => words,
    };
    Ok(ConnectionEndpoint {
        name: entry.name,
        method,
        path: entry.path,
        instructions: entry.instructions,
        contact: words.iter().map(|word| parse_identifier(word)).collect::<Result<_, _>>()?,
        public: entry.public,
        assistant_may_change: entry.assistant_may_change,
        automatic: entry.automatic,
        parameters: all("parameter", entry.parameter, parameter)?,
        fields: all("field", entry.field, field)?,
    })
}

fn parameter(entry: ParameterEntry) -> Result<Parameter, ConnectionMistake> {
    let place =
        parse_word("in", &entry.place, ParameterPlace::from_word(&entry.place), &ParameterPlace::WORDS)?;
    let kind = parse_word("type", &entry.kind, ValueKind::from_word(&entry.kind), &ValueKind::WORDS)?;
    let source = match (entry.from.as_deref(), entry.constant, entry.ask) {
        (Some("contact"), None, None) => ParameterSource::Contact,
        (Some(word), None, None) => {
            let field = word.strip_prefix("contact.").ok_or_else(|| {
                let why = format!(
                    "from = {word:?} is not known; use contact, or a field of it such as contact.phone"
                );
                ConnectionMistake::at("from", why)
            })?;
            ParameterSource::ContactField(contact_field("from", field)?)
        }
        (None, Some(constant), None) => ParameterSource::Constant(constant),
        (None, None, Some(question)) => ParameterSource::Asked(question),
        _ => {
            let why = format!("parameter {:?} needs one of: from, constant, ask", entry.name);
            return Err(ConnectionMistake::at("name", why));
        }
    };
    Ok(Parameter { name: entry.name, place, kind, required: entry.required, source })
}

fn path(text: &str) -> Result<Path, ConnectionMistake> {
    Path::parse(text).map_err(|why| ConnectionMistake::at("path", why))
}

fn format(word: &str, currency: String) -> Result<ValueFormat, ConnectionMistake> {
    let currency = Some(currency).filter(|text| !text.is_empty());
    let found = match word {
        "" | "text" => Some(ValueFormat::Text),
        "money" => Some(ValueFormat::Money { currency, minor: false }),
        "cents" => Some(ValueFormat::Money { currency, minor: true }),
        "date" => Some(ValueFormat::Date),
        _ => None,
    };
    parse_word("format", word, found, &["text", "money", "cents", "date"])
}

fn field(entry: FieldEntry) -> Result<MappedField, ConnectionMistake> {
    let label = if entry.label.is_empty() { entry.name.clone() } else { entry.label };
    let kind = if entry.column.is_empty() {
        FieldKind::Value(format(&entry.format, entry.currency)?)
    } else {
        let column = |column_entry: ColumnEntry| {
            let format = format(&column_entry.format, column_entry.currency)?;
            Ok(TableColumn { label: column_entry.label, path: path(&column_entry.path)?, format })
        };
        FieldKind::Table(all("column", entry.column, column)?)
    };
    Ok(MappedField { name: entry.name, label, path: path(&entry.path)?, kind })
}

#[cfg(test)]
mod tests;
