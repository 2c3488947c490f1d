//! Converts connections of the model to entries of a document.

use crate::connections::{
    AuthEntry, ColumnEntry, ContactEntry, EndpointEntry, Entry, FieldEntry, ParameterEntry,
};
use model::connections::identity::ContactField;
use model::connections::mapping::{FieldKind, MappedField, TableColumn, ValueFormat};
use model::connections::parameters::{Parameter, ParameterSource};
use model::connections::{Auth, Connection, ConnectionEndpoint};

pub(super) fn entry(connection: &Connection) -> Entry {
    Entry {
        name: connection.name.clone(),
        description: connection.description.clone(),
        base_url: connection.base_url.clone(),
        timeout_seconds: connection.timeout_seconds,
        per_minute: connection.per_minute,
        private_hosts: connection.private_hosts.clone(),
        auth: match connection.auth.clone() {
            Auth::None => AuthEntry::None,
            Auth::Bearer => AuthEntry::Bearer,
            Auth::ApiKeyHeader { header } => AuthEntry::ApiKeyHeader { header },
            Auth::ApiKeyQuery { parameter } => AuthEntry::ApiKeyQuery { parameter },
            Auth::Basic { user } => AuthEntry::BasicAuth { user },
            Auth::ClientCredentials { token_url, client_id, scope } => {
                AuthEntry::ClientCredentials { token_url, client_id, scope }
            }
            Auth::CustomHeader { header, prefix } => AuthEntry::CustomHeader { header, prefix },
        },
        endpoint: connection.endpoints.iter().map(endpoint_entry).collect(),
    }
}

fn endpoint_entry(endpoint: &ConnectionEndpoint) -> EndpointEntry {
    EndpointEntry {
        name: endpoint.name.clone(),
        method: endpoint.method.word().to_owned(),
        path: endpoint.path.clone(),
        instructions: endpoint.instructions.clone(),
        contact: match endpoint.contact.as_slice() {
            [one] => ContactEntry::One(one.word()),
            several => ContactEntry::Several(several.iter().map(ContactField::word).collect()),
        },
        public: endpoint.public,
        assistant_may_change: endpoint.assistant_may_change,
        automatic: endpoint.automatic,
        parameter: endpoint.parameters.iter().map(parameter_entry).collect(),
        field: endpoint.fields.iter().map(field_entry).collect(),
    }
}

fn parameter_entry(parameter: &Parameter) -> ParameterEntry {
    let mut entry = ParameterEntry {
        name: parameter.name.clone(),
        place: parameter.place.word().to_owned(),
        kind: parameter.kind.word().to_owned(),
        required: parameter.required,
        from: None,
        constant: None,
        ask: None,
    };
    match &parameter.source {
        ParameterSource::Contact => entry.from = Some("contact".to_owned()),
        ParameterSource::ContactField(field) => entry.from = Some(format!("contact.{}", field.word())),
        ParameterSource::Constant(text) => entry.constant = Some(text.clone()),
        ParameterSource::Asked(question) => entry.ask = Some(question.clone()),
    }
    entry
}

fn format_entry(format: &ValueFormat) -> (String, String) {
    match format {
        ValueFormat::Text => (String::new(), String::new()),
        ValueFormat::Date => ("date".to_owned(), String::new()),
        ValueFormat::Money { currency, minor } => {
            let word = if *minor { "cents" } else { "money" };
            (word.to_owned(), currency.clone().unwrap_or_default())
        }
    }
}

fn field_entry(field: &MappedField) -> FieldEntry {
    let (written, columns) = match &field.kind {
        FieldKind::Value(format) => (format_entry(format), Vec::new()),
        FieldKind::Table(columns) => (format_entry(&ValueFormat::Text), columns.clone()),
    };
    let column = |table_column: TableColumn| {
        let (format, currency) = format_entry(&table_column.format);
        ColumnEntry { label: table_column.label, path: table_column.path.to_string(), format, currency }
    };
    FieldEntry {
        name: field.name.clone(),
        label: if field.label == field.name { String::new() } else { field.label.clone() },
        path: field.path.to_string(),
        format: written.0,
        currency: written.1,
        column: columns.into_iter().map(column).collect(),
    }
}
