//! Description of a new connection, from switches and answers.

use crate::cli::CliError;
use crate::cli::asking::{Question, repeat};
use crate::cli::connection::store::{ConnectionStore, check};
use crate::cli::connection::{AddArguments, AuthArguments, EndpointArguments};
use crate::cli::unfinished::CommandRefusal;
use model::connections::{
    Auth, Connection, ConnectionEndpoint, ContactField, EndpointMethod, Parameter, ParameterPlace,
    ParameterSource, ValueKind, target,
};

const ADDRESS_QUESTION: &str = "Address (https://api.example.com/v1)";
const PRIVATE_HOST_QUESTION: &str = "Host in your own network, such as orders.internal:8080";
const TOKEN_QUESTION: &str = "Token address (https://…/token)";
const PATH_QUESTION: &str = "Path, with {phone}, {email} or {chat_id} for the customer";
const QUERY_QUESTION: &str = "Query, as name=value&name=value; {phone} stands for the customer's number";
/// Address of a connection of which only the name is known.
const ANY_ADDRESS: &str = "https://example.com";

/// Name, address and authentication of a new connection, without an endpoint.
pub fn describe_connection(
    arguments: &AddArguments,
    store: &ConnectionStore,
) -> Result<Connection, CliError> {
    let mut connection = Connection::new(&resolve_name(arguments, store)?, ANY_ADDRESS);
    let hosts_given = arguments.base_url.is_some() && arguments.private_host.is_some();
    (connection.base_url, connection.private_hosts) = repeat(!hosts_given, |again| {
        let given = |value: &Option<String>| value.clone().filter(|_| !again);
        let question = Question { text: ADDRESS_QUESTION, switch: "--base-url", default: None };
        let base_url = question.resolve(given(&arguments.base_url).as_deref())?;
        let question = Question { text: PRIVATE_HOST_QUESTION, switch: "--private-host", default: Some("") };
        let host = question.resolve(given(&arguments.private_host).as_deref())?;
        let private_hosts: Vec<String> = Some(host).filter(|host| !host.is_empty()).into_iter().collect();
        let entered = Connection { base_url, private_hosts, ..connection.clone() };
        Ok(check(&entered).map(|()| (entered.base_url, entered.private_hosts)).map_err(CliError::Usage))
    })?;
    connection.auth = repeat(arguments.auth.auth.is_none(), |again| {
        let none = AuthArguments::default();
        let auth = match resolve_auth(if again { &none } else { &arguments.auth })? {
            Ok(auth) => auth,
            Err(error) => return Ok(Err(error)),
        };
        let entered = Connection { auth, ..connection.clone() };
        Ok(check(&entered).map(|()| entered.auth).map_err(CliError::Usage))
    })?;
    Ok(connection)
}

fn resolve_name(arguments: &AddArguments, store: &ConnectionStore) -> Result<String, CliError> {
    let question = Question { text: "Name: letters, digits, _ and -", switch: "--name", default: None };
    repeat(arguments.name.is_none(), |_| {
        let name = question.resolve(arguments.name.as_deref())?;
        if store.setup.connections.iter().any(|connection| connection.name == name) {
            let why = format!("there already is a connection {name:?}; choose another name");
            return Ok(Err(CliError::Failed(CommandRefusal::refused(why).into())));
        }
        Ok(check(&Connection::new(&name, ANY_ADDRESS)).map(|()| name).map_err(CliError::Usage))
    })
}

/// Kind of authentication with its name; the inner error can be answered anew.
fn resolve_auth(given: &AuthArguments) -> Result<Result<Auth, CliError>, CliError> {
    let kinds = format!("Authentication: {}", Auth::WORDS.join(", "));
    let kind = Question { text: &kinds, switch: "--auth", default: Some("bearer") };
    let kind = kind.resolve(given.auth.as_deref())?;
    if !Auth::WORDS.contains(&kind.as_str()) {
        return Ok(Err(CliError::Usage(format!(
            "there is no authentication {kind:?}; use one of those that --help lists"
        ))));
    }
    let named = match kind.as_str() {
        "api_key_header" | "custom_header" => Some(("--header", "Header")),
        "api_key_query" => Some(("--parameter", "Parameter")),
        "basic_auth" => Some(("--user", "User")),
        "oauth2_client_credentials" => Some(("--client-id", "Client id")),
        _ => None,
    };
    let switches = [
        ("--header", &given.header),
        ("--parameter", &given.parameter),
        ("--user", &given.user),
        ("--client-id", &given.client_id),
        ("--token-url", &given.token_url),
    ];
    let takes = |switch: &str| {
        named.is_some_and(|(wanted, _)| wanted == switch)
            || (switch == "--token-url" && kind == "oauth2_client_credentials")
    };
    if let Some((switch, _)) = switches.iter().find(|(switch, value)| value.is_some() && !takes(switch)) {
        return Ok(Err(CliError::Usage(format!("{switch} does not apply to the authentication {kind}"))));
    }
    let name = match named {
        Some((switch, text)) => {
            let value =
                switches.iter().find(|(known, _)| *known == switch).and_then(|found| found.1.as_deref());
            Question { text, switch, default: None }.resolve(value)?
        }
        None => String::new(),
    };
    Ok(Ok(match kind.as_str() {
        "bearer" => Auth::Bearer,
        "api_key_header" => Auth::ApiKeyHeader { header: name },
        "api_key_query" => Auth::ApiKeyQuery { parameter: name },
        "basic_auth" => Auth::Basic { user: name },
        "oauth2_client_credentials" => {
            let question = Question { text: TOKEN_QUESTION, switch: "--token-url", default: None };
            let token_url = question.resolve(given.token_url.as_deref())?;
            Auth::ClientCredentials { token_url, client_id: name, scope: None }
        }
        "custom_header" => Auth::CustomHeader { header: name, prefix: String::new() },
        _ => Auth::None,
    }))
}

/// Endpoint as it is entered.
#[derive(Debug, Clone)]
pub struct EnteredEndpoint {
    name: String,
    path: String,
    query: String,
}

impl Default for EnteredEndpoint {
    fn default() -> Self {
        Self { name: "orders".to_owned(), path: "/".to_owned(), query: String::new() }
    }
}

impl EnteredEndpoint {
    /// Asks for the values that no switch gives, with those of `self` as defaults, and makes the endpoint the
    /// connection's only one.
    pub fn ask(&mut self, given: &EndpointArguments, connection: &mut Connection) -> Result<(), CliError> {
        let asks = given.endpoint.is_none() || given.path.is_none() || given.query.is_none();
        let none = EndpointArguments::default();
        let endpoint = repeat(asks, |again| {
            let given = if again { &none } else { given };
            let resolve = |text, switch, default: &str, value: &Option<String>| {
                Question { text, switch, default: Some(default) }.resolve(value.as_deref())
            };
            self.name = resolve("Endpoint, such as orders", "--endpoint", &self.name, &given.endpoint)?;
            self.path = resolve(PATH_QUESTION, "--path", &self.path, &given.path)?;
            self.query = resolve(QUERY_QUESTION, "--query", &self.query, &given.query)?;
            let checked = self.endpoint().and_then(|endpoint| {
                let entered = Connection { endpoints: vec![endpoint.clone()], ..connection.clone() };
                check(&entered).map(|()| endpoint)
            });
            Ok(checked.map_err(CliError::Usage))
        })?;
        connection.endpoints = vec![endpoint];
        Ok(())
    }

    fn endpoint(&self) -> Result<ConnectionEndpoint, String> {
        let mut parameters = Vec::new();
        for place in target::placeholder_names(&self.path).map_err(|why| why.to_string())? {
            parameters.push(parameter(place, ParameterPlace::Path, &format!("{{{place}}}"))?);
        }
        for pair in self.query.split('&').filter(|part| !part.trim().is_empty()) {
            let (name, value) =
                pair.split_once('=').ok_or_else(|| format!("{pair:?} in the query has no ="))?;
            parameters.push(parameter(name.trim(), ParameterPlace::Query, value.trim())?);
        }
        Ok(ConnectionEndpoint {
            name: self.name.clone(),
            method: EndpointMethod::Get,
            path: self.path.clone(),
            instructions: String::new(),
            contact: vec![ContactField::default()],
            public: false,
            assistant_may_change: false,
            automatic: true,
            parameters,
            fields: Vec::new(),
        })
    }
}

/// Parameter as it is typed: `{phone}` is the contact's, anything else is constant.
fn parameter(name: &str, place: ParameterPlace, value: &str) -> Result<Parameter, String> {
    let source = match value.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
        None => ParameterSource::Constant(value.to_owned()),
        Some(word) => ParameterSource::ContactField(ContactField::from_word(word).ok_or_else(|| {
            format!("{{{word}}} is not known: use {{phone}}, {{email}}, {{chat_id}} or {{metadata.NAME}}")
        })?),
    };
    Ok(Parameter { name: name.to_owned(), place, kind: ValueKind::Text, required: true, source })
}
