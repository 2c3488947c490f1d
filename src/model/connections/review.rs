//! Validates the definition of a connection before it is used.

use crate::connections::identity::ContactField;
use crate::connections::mapping::{FieldKind, MAX_COLUMNS, MAX_FIELDS};
use crate::connections::mistake::ConnectionMistake;
use crate::connections::parameters::{ParameterPlace, ParameterSource};
use crate::connections::{Auth, Connection, ConnectionEndpoint, EndpointMethod, MAX_ENDPOINTS, target};

/// True for a valid name: letters, digits, `_` and `-`, at most 40.
pub fn is_name(word: &str) -> bool {
    let letter = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-');
    !word.is_empty() && word.chars().count() <= 40 && word.chars().all(letter)
}

pub fn describe_mistakes(connection: &Connection) -> Vec<String> {
    find_mistakes(connection).into_iter().map(|mistake| mistake.why).collect()
}

pub fn find_mistakes(connection: &Connection) -> Vec<ConnectionMistake> {
    let mut wrong = Vec::new();
    let name = &connection.name;
    if !is_name(name) || matches!(name.as_str(), "contact" | "agent") {
        wrong.push(ConnectionMistake::at("name", format!(
            "{name:?} cannot be a connection's name: use letters, digits, _ and -, and not contact or agent"
        )));
    }
    let base = &connection.base_url;
    if target::origin(base).is_none() || base.contains(['?', '#', '{', ' ', '\\']) {
        wrong.push(ConnectionMistake::at(
            "base_url",
            "base_url must be an https address without query, such as https://api.example.com/v1",
        ));
    }
    let path = target::origin(base).map_or("", |origin| &base[origin.len()..]);
    if !path.is_empty() && target::check_path(path.trim_end_matches('/')).is_err() && path != "/" {
        wrong.push(ConnectionMistake::at("base_url", "base_url must not contain . or .. or // in its path"));
    }
    if !(1..=60).contains(&connection.timeout_seconds) {
        wrong.push(ConnectionMistake::at("timeout_seconds", "timeout_seconds must be 1 to 60"));
    }
    if !(1..=6_000).contains(&connection.per_minute) {
        wrong.push(ConnectionMistake::at("per_minute", "per_minute must be 1 to 6000"));
    }
    let empty = match &connection.auth {
        Auth::ApiKeyHeader { header } | Auth::CustomHeader { header, .. } if header.is_empty() => {
            Some("header")
        }
        Auth::ApiKeyQuery { parameter } if parameter.is_empty() => Some("parameter"),
        Auth::Basic { user } if user.is_empty() => Some("user"),
        Auth::ClientCredentials { client_id, .. } if client_id.is_empty() => Some("client_id"),
        Auth::ClientCredentials { token_url, .. } if token_url.is_empty() => Some("token_url"),
        _ => None,
    };
    wrong.extend(empty.map(|empty| {
        ConnectionMistake::at("auth", format!("auth {:?} needs {empty}", connection.auth.word()))
    }));
    if connection.endpoints.len() > MAX_ENDPOINTS {
        wrong.push(ConnectionMistake::at(
            "endpoint",
            format!("a connection has at most {MAX_ENDPOINTS} endpoints"),
        ));
    }
    for (place, endpoint) in connection.endpoints.iter().enumerate() {
        if connection.endpoints[..place].iter().any(|before| before.name == endpoint.name) {
            wrong.push(
                ConnectionMistake::at("name", format!("two endpoints are named {:?}", endpoint.name))
                    .in_list("endpoint", place),
            );
        }
        wrong.extend(
            check_endpoint(endpoint).into_iter().map(|found| found.in_endpoint(place, &endpoint.name)),
        );
    }
    wrong
}

fn check_endpoint(endpoint: &ConnectionEndpoint) -> Vec<ConnectionMistake> {
    let mut wrong = Vec::new();
    if !is_name(&endpoint.name) {
        wrong.push(ConnectionMistake::at("name", "its name must be letters, digits, _ and -"));
    }
    wrong.extend(
        target::check_path(&endpoint.path)
            .err()
            .map(|error| ConnectionMistake::at("path", error.to_string())),
    );
    if endpoint.automatic && !endpoint.needs_no_input() {
        wrong.push(ConnectionMistake::at(
            "automatic",
            "an endpoint that asks a person for a value cannot be automatic",
        ));
    }
    if endpoint.automatic && endpoint.method != EndpointMethod::Get {
        wrong.push(ConnectionMistake::at("automatic", "only GET endpoints can be automatic"));
    }
    wrong.extend(check_identity(endpoint));
    wrong.extend(check_parameters(endpoint));
    wrong.extend(check_fields(endpoint));
    wrong
}

/// Checks identification of the contact, and permissions for changes.
fn check_identity(endpoint: &ConnectionEndpoint) -> Vec<ConnectionMistake> {
    let mut wrong = Vec::new();
    let taken = |parameter_source: &ParameterSource| {
        matches!(parameter_source, ParameterSource::Contact | ParameterSource::ContactField(_))
    };
    if endpoint.public && endpoint.parameters.iter().any(|parameter| taken(&parameter.source)) {
        wrong.push(ConnectionMistake::at("public", "a public endpoint takes no parameter from the contact"));
    }
    if endpoint.public && endpoint.method != EndpointMethod::Get {
        wrong.push(ConnectionMistake::at(
            "public",
            "only GET endpoints can be public: a change always belongs to one customer",
        ));
    }
    let sets: Vec<&[ContactField]> = endpoint
        .parameters
        .iter()
        .map(|parameter| endpoint.identifying_fields(parameter))
        .filter(|entry| !entry.is_empty())
        .collect();
    if !endpoint.public && sets.is_empty() {
        wrong.push(ConnectionMistake::at(
            "parameter",
            "no parameter identifies the customer: add one with from = \"contact\", or set public = true \
             if the answer is the same for everybody",
        ));
    }
    let together = |field: &ContactField| sets.iter().all(|set| set.contains(field));
    if !sets.is_empty() && !sets[0].iter().any(together) {
        wrong.push(ConnectionMistake::at(
            "parameter",
            "a channel verifies a phone, an email or a chat_id, never two of them: write contact = \
             [\"phone\", \"email\"] and use one parameter with from = \"contact\"",
        ));
    }
    if endpoint.assistant_may_change && endpoint.method == EndpointMethod::Get {
        wrong.push(ConnectionMistake::at(
            "assistant_may_change",
            "GET changes nothing and is offered to an assistant anyway",
        ));
    }
    wrong
}

fn check_parameters(endpoint: &ConnectionEndpoint) -> Vec<ConnectionMistake> {
    let mut wrong = Vec::new();
    let places = target::placeholder_names(&endpoint.path).unwrap_or_default();
    for place in &places {
        if !endpoint
            .parameters
            .iter()
            .any(|parameter| parameter.place == ParameterPlace::Path && parameter.name == *place)
        {
            wrong.push(ConnectionMistake::at(
                "path",
                format!("the path has {{{place}}}, but no path parameter has this name"),
            ));
        }
    }
    for (index, parameter) in endpoint.parameters.iter().enumerate() {
        let name = &parameter.name;
        if name.is_empty() || name.chars().count() > 80 || name.chars().any(char::is_control) {
            wrong.push(
                ConnectionMistake::at("name", "a parameter needs a name of up to 80 characters".to_owned())
                    .in_list("parameter", index),
            );
        }
        if endpoint.parameters[..index].iter().any(|before| before.name == *name) {
            wrong.push(
                ConnectionMistake::at("name", format!("two parameters are named {name:?}"))
                    .in_list("parameter", index),
            );
        }
        if parameter.place == ParameterPlace::Path && !places.contains(&name.as_str()) {
            wrong.push(
                ConnectionMistake::at("in", format!("{name:?} belongs in the path, which has no {{{name}}}"))
                    .in_list("parameter", index),
            );
        }
        if parameter.place == ParameterPlace::Body
            && matches!(endpoint.method, EndpointMethod::Get | EndpointMethod::Delete)
        {
            wrong.push(
                ConnectionMistake::at(
                    "in",
                    format!("{name:?} belongs in the body, but {} has none", endpoint.method.word()),
                )
                .in_list("parameter", index),
            );
        }
        if let ParameterSource::Constant(text) = &parameter.source
            && let Some(wanted) = parameter.kind.check_text(text)
        {
            wrong.push(
                ConnectionMistake::at("constant", format!("{name:?} must be {wanted}"))
                    .in_list("parameter", index),
            );
        }
    }
    wrong
}

fn check_fields(endpoint: &ConnectionEndpoint) -> Vec<ConnectionMistake> {
    let mut wrong = Vec::new();
    if endpoint.fields.len() > MAX_FIELDS {
        wrong.push(ConnectionMistake::at("field", format!("at most {MAX_FIELDS} fields are allowed")));
    }
    for (index, field) in endpoint.fields.iter().enumerate() {
        if !is_name(&field.name) {
            wrong.push(
                ConnectionMistake::at("name", format!("{:?} cannot be a field's name", field.name))
                    .in_list("field", index),
            );
        }
        if endpoint.fields[..index].iter().any(|before| before.name == field.name) {
            wrong.push(
                ConnectionMistake::at("name", format!("two fields are named {:?}", field.name))
                    .in_list("field", index),
            );
        }
        if matches!(&field.kind, FieldKind::Table(columns) if columns.is_empty() || columns.len() > MAX_COLUMNS)
        {
            wrong.push(
                ConnectionMistake::at(
                    "column",
                    format!("the table {:?} needs 1 to {MAX_COLUMNS} columns", field.name),
                )
                .in_list("field", index),
            );
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connections::parameters::{Parameter, ValueKind};

    fn orders() -> ConnectionEndpoint {
        ConnectionEndpoint {
            name: "orders".to_owned(),
            method: EndpointMethod::Get,
            path: "/orders/{id}".to_owned(),
            instructions: String::new(),
            contact: vec![ContactField::Phone],
            public: false,
            assistant_may_change: false,
            automatic: true,
            parameters: vec![Parameter {
                name: "id".to_owned(),
                place: ParameterPlace::Path,
                kind: ValueKind::Text,
                required: true,
                source: ParameterSource::Contact,
            }],
            fields: Vec::new(),
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let good =
            Connection { endpoints: vec![orders()], ..Connection::new("shop", "https://api.example/v1/") };
        assert_eq!(describe_mistakes(&good), [] as [&str; 0]);
        type Change = fn(&mut Connection);
        let cases: &[(Change, &str)] = &[
            (|connection| connection.name = "my shop".into(), "cannot be a connection's name"),
            (|connection| connection.name = "contact".into(), "not contact or agent"),
            (|connection| connection.base_url = "api.example".into(), "base_url must be"),
            (|connection| connection.base_url = "https://a.example/?x".into(), "base_url must be"),
            (|connection| connection.base_url = "https://a.example/../x".into(), "must not contain"),
            (|connection| connection.timeout_seconds = 0, "1 to 60"),
            (|connection| connection.per_minute = 0, "1 to 6000"),
            (|connection| connection.auth = Auth::Basic { user: String::new() }, "needs user"),
            (|connection| connection.endpoints.push(orders()), "two endpoints"),
            (|connection| connection.endpoints[0].path = "/orders".into(), "which has no {id}"),
            (|connection| connection.endpoints[0].path = "/{id}/{x}".into(), "the path has {x}"),
            (|connection| connection.endpoints[0].path = "/{id}/..".into(), "or . or .."),
            (|connection| connection.endpoints[0].parameters[0].place = ParameterPlace::Body, "has none"),
            (
                |connection| {
                    connection.endpoints[0].parameters[0].source = ParameterSource::Asked("x".into())
                },
                "cannot be automatic",
            ),
            (|connection| connection.endpoints[0].method = EndpointMethod::Post, "only GET"),
            (|connection| connection.endpoints[0].public = true, "takes no parameter from the contact"),
            (
                |connection| connection.endpoints[0].assistant_may_change = true,
                "is offered to an assistant anyway",
            ),
            (|connection| connection.endpoints[0].contact.clear(), "no parameter identifies the customer"),
            (
                |connection| {
                    connection.endpoints[0].parameters[0].source = ParameterSource::Constant("7".into())
                },
                "no parameter identifies the customer",
            ),
            (
                |connection| {
                    let mut other = connection.endpoints[0].parameters[0].clone();
                    other.source = ParameterSource::ContactField(ContactField::Email);
                    (other.name, other.place) = ("email".into(), ParameterPlace::Query);
                    connection.endpoints[0].parameters.push(other);
                },
                "never two of them",
            ),
            (
                |connection| {
                    connection.endpoints[0].parameters[0].source =
                        ParameterSource::ContactField(ContactField::Metadata("id".into()));
                },
                "no parameter identifies the customer",
            ),
        ];
        for (change, said) in cases {
            let mut connection = good.clone();
            change(&mut connection);
            let wrong = describe_mistakes(&connection);
            assert!(wrong.iter().any(|entry| entry.contains(said)), "{said}: {wrong:?}");
        }
    }
}
